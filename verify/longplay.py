"""Plays that may go on for ever: those in which something rare has happened are gone on with, in many ways.

A position is much the same as another if only numbers without a limit differ. A play that comes back to much the same
position has gone a round, and the round may be one that can be repeated for ever. Which parts of the rules the last
stretch of a play came past tells what sort of stretch it was; the rarer the sort, the more often it is played on from
there (importance splitting; Kahn and Harris 1951).
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any, TypeAlias

from dsl import ir
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, TraceStep
from interpreter.values import Fault
from verify.futures import Futures
from verify.plays import liked
from verify.recurrence import Recurrence

_KEPT = 8  # plays whose last stretch was of one sort
_MAX_STEPS = 2_000
_PATIENCE = 2.0  # seconds until it is begun anew, at first

Sort: TypeAlias = frozenset[int]
"""The nodes that a stretch of play came past."""


@dataclass(frozen=True, slots=True)
class Lasso:
    """A play of which the steps after `first` may be repeated for ever: each time the cells of `growth` grow so."""

    steps: tuple[TraceStep, ...]
    first: int
    growth: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Line:
    """A play so far, and of each sort of position it came to, the last and after how many steps it was."""

    state: State
    steps: tuple[TraceStep, ...]
    been: dict[Any, tuple[int, State]]


class LongPlay:
    """Looks for a play that may go on for ever. `futures` tells what the future of a position hangs on."""

    def __init__(self, machine: Machine, futures: Futures, seed: str) -> None:
        self._machine, self._futures = machine, futures
        self._recurrence = Recurrence(machine)
        # Rounds without chance are short, and found without this.
        self._only_chance = any(isinstance(x, ir.Shuffle | ir.Cut | ir.Random) for x in machine.game.nodes)
        self._rng = random.Random(seed)
        self._lines: dict[Sort, list[_Line]] = {}
        self._seen: dict[Sort, int] = {}

    def run(self, seconds: float) -> Lasso | None:
        """The first that is found in the time."""
        deadline = time.monotonic() + seconds
        outer, patience = self._machine.passed, _PATIENCE
        try:
            while time.monotonic() < deadline:
                found = self._anew(min(deadline, time.monotonic() + patience))
                if found is not None:
                    return found
                patience *= 1.5  # what was kept by chance may lead nowhere: another beginning may have more luck
        finally:
            self._machine.passed = outer
        return None

    def _anew(self, deadline: float) -> Lasso | None:
        """From the beginning of the game on, with nothing kept."""
        self._lines, self._seen = {}, {}
        self._machine.passed = {}
        state = self._machine.blank(recording=False)
        self._machine.advance(state)
        self._keep(_Line(state, (), {self._key(state): (0, state)}))
        while time.monotonic() < deadline:
            sorts = list(self._lines)
            (sort,) = self._rng.choices(sorts, [1 / self._seen[s] for s in sorts])
            self._seen[sort] += 1
            found = self._on(self._rng.choice(self._lines[sort]))
            if found is not None:
                return found
        return None

    def _on(self, line: _Line) -> Lasso | None:
        """Goes on with a play for one stretch."""
        m = self._machine
        m.passed = {}
        state, steps, likings = line.state, list(line.steps), dict[str, float]()
        for _ in range(_MAX_STEPS):
            try:
                following = self._step(state, likings)
            except Fault:
                return None
            if following is None:
                return None
            step, state = following
            steps.append(step)
            if not self._only_chance or m.chance_node(state) is not None:
                break
        key = self._key(state)
        if key in line.been:
            at, before = line.been[key]
            growth = self._recurrence.growth(before, state)
            if growth is not None and self._recurrence.repeats(before, steps[at:], growth):
                return Lasso(tuple(steps), at, growth)
        self._keep(_Line(state, tuple(steps), {**line.been, key: (len(steps), state)}))
        return None

    def _step(self, state: State, likings: dict[str, float]) -> tuple[TraceStep, State] | None:
        """One step; None where nothing can be done any more."""
        m, rng = self._machine, self._rng
        if m.is_terminal(state):
            return None
        if m.chance_node(state) is not None:
            outcome = m.draw(state, rng)
            return Drawn(outcome), m.apply_chance(state, outcome)
        player = m.to_move(state)[0]
        legal = m.legal_actions(state, player)
        if not legal:
            return None
        choice = liked(legal, likings, rng)
        return Chosen(player, m.name_of(choice, state)), m.apply(state, player, choice)

    def _keep(self, line: _Line) -> None:
        """Each play whose last stretch was of a sort is as likely to be among those that are kept of it."""
        sort = frozenset(self._machine.passed or ())
        kept = self._lines.setdefault(sort, [])
        self._seen[sort] = self._seen.get(sort, 0) + 1
        if len(kept) < _KEPT:
            kept.append(line)
        elif (at := self._rng.randrange(self._seen[sort])) < _KEPT:
            kept[at] = line

    def _key(self, state: State) -> Any:
        plain = state.clone()
        for cell in self._recurrence.unlimited:
            plain.vars[cell] = 0
        return self._futures.key(plain)

"""Traces made easier to read: cut where they show it, and with the plainest cards and choices that still do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from dsl import ir, model
from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, TraceStep, take
from verify import samerules, taken
from verify.awaited import refuted, shown_by
from verify.outcome import Answer
from verify.places import looks_at, machine_for
from verify.plays import MISFITS, holds_again

_SHOWN_BY = {"always": False, "never": True, "possible": True, "impossible": True}
_ROUND = 8  # runs of up to so many steps are tried in every length
_KINDS = (*_SHOWN_BY, *taken.KINDS, "leads to", "same")


def shows(claim: ir.Property, source: model.Model, trace: Trace, value: str = "") -> bool | None:
    """Whether a trace shows that a claim about positions fails (or is possible), or that a value is taken that it says.

    `value` is the name of such a value, for a claim of kind bound or values. None for other kinds of claim.
    """
    if claim.kind not in _KINDS:
        return None
    try:
        return _Shower(claim, source, trace.num_players, value).at(trace) is not None
    except (*MISFITS, KeyError):
        return False


def shorten(claim: ir.Property, source: model.Model, found: Answer, seconds: float) -> Answer:
    """The answer with traces that show the same, no longer and mostly plainer; as it is where that cannot be told."""
    if claim.kind not in _KINDS:
        return found
    deadline = time.monotonic() + seconds
    for left, (value, trace) in zip(range(len(found.traces), 0, -1), found.traces.items(), strict=True):
        shower = _Shower(claim, source, trace.num_players, value)
        best = shower.cut(trace)
        if best is not None:
            now = time.monotonic()
            share = (deadline - now) / left
            best = shower.without_detours(best, now + share / 2)
            found = shower.answer(found, shower.plain(best, now + share))
    return found


class _Shower:
    """Replays traces of one claim at one number of players. `value` is the name of a value that they should show.

    Raises `KeyError` where the claim says nothing of it.
    """

    def __init__(self, claim: ir.Property, source: model.Model, num_players: int, value: str = "") -> None:
        self._claim, self._source, self._where = claim, source, looks_at(claim, source)
        self.machine = machine_for(claim, source, num_players)
        self._value = value
        self._sought = self._what_is_sought()

    def _what_is_sought(self) -> Callable[[tuple[Any, ...]], bool]:
        claim = self._claim
        if claim.kind not in taken.KINDS:
            wanted = _SHOWN_BY.get(claim.kind)
            return lambda values: bool(values[0]) is wanted
        if not self._value:
            fits = taken.fits(claim)
            return lambda values: not fits(values[0])
        value = taken.named(claim, self.machine)[self._value]
        return lambda values: bool(values[0] == value)

    def at(self, trace: Trace) -> int | None:
        """After how many steps it is shown."""
        if self._claim.kind == "leads to":
            shown = shown_by(self.machine, self._claim, self._where, trace)
            return None if shown is None else shown.at
        if self._claim.kind == "same":
            differs = samerules.difference(self._claim, self._source, trace)
            return None if differs is None else differs[0]
        return holds_again(self.machine, self._claim, self._where, trace, self._sought)

    def answer(self, found: Answer, trace: Trace) -> Answer:
        """The answer with another trace, and what is told of that."""
        if self._value:
            taking = taken.replayed(self.machine, self._claim, self._where, self._value, trace)
            return replace(found, shown=tuple(taking if taking and s.name == taking.name else s for s in found.shown))
        if self._claim.kind in taken.KINDS:
            stray = taken.refuted(found.engine, self._claim, self.machine, self._where, trace)
            return found if stray is None else replace(stray, seconds=found.seconds, shown=found.shown)
        if self._claim.kind == "same":
            differs = samerules.difference(self._claim, self._source, trace)
            again = found if differs is None else samerules.refuted(found.engine, trace, *differs)
            return replace(again, seconds=found.seconds)
        shown = shown_by(self.machine, self._claim, self._where, trace) if self._claim.kind == "leads to" else None
        if shown is not None:
            return replace(refuted(found.engine, self._claim, self.machine, trace, shown), seconds=found.seconds)
        return replace(found, trace=trace, at=len(trace.steps))

    def without_detours(self, best: Trace, deadline: float) -> Trace:
        """The trace without the runs of steps that it does not need, long ones first, as long as there is time."""
        sizes = [len(best.steps) >> k for k in range(1, 20)]
        for size in (*(s for s in sizes if s > _ROUND), *range(_ROUND, 0, -1)):
            start = 0
            while start + size <= len(best.steps):
                if time.monotonic() > deadline:
                    return best
                shorter = self.cut(replace(best, steps=(*best.steps[:start], *best.steps[start + size :])))
                if shorter is None:
                    start += 1
                else:
                    best = shorter
        return best

    def plain(self, best: Trace, deadline: float) -> Trace:
        """The trace made plainer, step by step, as long as there is time."""
        state = self.machine.initial(recording=False)
        number = 0
        while number < len(best.steps):
            for step in self.plainer(state, best.steps[number]):
                if time.monotonic() > deadline:
                    return best
                steps = (*best.steps[:number], step, *best.steps[number + 1 :])
                found = self.cut(replace(best, steps=steps))
                if found is not None:
                    best = found
                    break
            if number < len(best.steps):
                take(self.machine, state, best.steps[number])
            number += 1
        return best

    def cut(self, trace: Trace) -> Trace | None:
        """The trace without what follows after it is shown; None where it is not."""
        try:
            at = self.at(trace)
        except MISFITS:
            return None
        return None if at is None else replace(trace, steps=trace.steps[:at])

    def plainer(self, state: State, step: TraceStep) -> Iterator[TraceStep]:
        """What might stand in place of a step, the plainest first, down to the step itself."""
        machine = self.machine
        if isinstance(step, Drawn):
            yield from (Drawn(o) for o in _outcomes(machine, state, step.outcome))
            return
        for choice in _choices(machine, state, step):
            written = Chosen(step.player, machine.name_of(choice, state))
            if written == step:
                return
            yield written
        if step.elapsed_ms:
            yield replace(step, elapsed_ms=0)


def _outcomes(machine: Machine, state: State, drawn: Any) -> Iterator[Any]:
    """Simpler things that chance might have decided: cards as they lay, or at least those that come last."""
    if isinstance(machine.chance_node(state), ir.Shuffle):
        for kept in (0, len(drawn) // 4, len(drawn) // 2, 3 * len(drawn) // 4):
            # The top of a pile is its end; what lies beneath is dealt last, or never.
            beneath = len(drawn) - kept
            plainer = (*sorted(drawn[:beneath]), *drawn[beneath:])
            if plainer == drawn:
                return
            yield plainer
    elif isinstance(machine.chance_node(state), ir.Random):
        for outcome in machine.outcomes(state):
            if outcome == drawn:
                return
            yield outcome


def _choices(machine: Machine, state: State, step: Chosen) -> list[Choice]:
    """The first ways to choose the action that was chosen."""
    legal = machine.legal_actions(state, step.player)
    taken = machine.parse_choice(state, step.player, step.choice)
    return [] if taken is None else [c for c in legal if c.action == taken.action][:3]

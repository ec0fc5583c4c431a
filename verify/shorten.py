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
from verify.places import looks_at, machine_for
from verify.plays import MISFITS, holds_again

_SHOWN_BY = {"always": False, "never": True, "possible": True, "impossible": True}


def shows(claim: ir.Property, source: model.Model, trace: Trace) -> bool | None:
    """Whether a trace shows that a claim about positions fails (or is possible); None for other kinds of claim."""
    if claim.kind not in _SHOWN_BY:
        return None
    try:
        return _Shower(claim, source, trace.num_players).at(trace) is not None
    except MISFITS:
        return False


def shorten(claim: ir.Property, source: model.Model, trace: Trace, seconds: float) -> Trace | None:
    """A trace that shows the same, no longer and mostly plainer; None where nothing can be told of the claim."""
    if claim.kind not in _SHOWN_BY:
        return None
    deadline = time.monotonic() + seconds
    shower = _Shower(claim, source, trace.num_players)
    best = shower.cut(trace)
    if best is None:
        return None
    state = shower.machine.initial(recording=False)
    number = 0
    while number < len(best.steps):
        for step in shower.plainer(state, best.steps[number]):
            if time.monotonic() > deadline:
                return best
            steps = (*best.steps[:number], step, *best.steps[number + 1 :])
            found = shower.cut(replace(best, steps=steps))
            if found is not None:
                best = found
                break
        if number < len(best.steps):
            take(shower.machine, state, best.steps[number])
        number += 1
    return best


class _Shower:
    """Replays traces of one claim at one number of players."""

    def __init__(self, claim: ir.Property, source: model.Model, num_players: int) -> None:
        self._claim, self._where = claim, looks_at(claim, source)
        self.machine = machine_for(claim, source, num_players)
        wanted = _SHOWN_BY[claim.kind]
        self._sought: Callable[[tuple[Any, ...]], bool] = lambda values: bool(values[0]) is wanted

    def at(self, trace: Trace) -> int | None:
        """After how many steps it is shown."""
        return holds_again(self.machine, self._claim, self._where, trace, self._sought)

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

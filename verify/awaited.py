"""Plays watched for what something is said to lead to: where it came first, and whether it has been kept waiting.

What comes first is asked where the claim looks, and what is to come of it there and at every stop from then on. A play
refutes the claim when the game ends before that, when too many steps have gone by, or when everything is as it was
once before and it did not come in between: for then the play may go on so for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from dsl import ir
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Drawn, Trace, take
from interpreter.values import Fault
from verify.futures import Futures
from verify.outcome import Answer, Verdict
from verify.places import Lookout, expressions_of
from verify.plays import Found


class Sort(Enum):
    """How a play shows that something has not come."""

    OVER = "over"
    LATE = "late"
    ROUND = "round"


@dataclass(frozen=True, slots=True)
class Shown:
    """A play that shows it, in numbers of steps: since when it is awaited, and when that is shown.

    `again`: when everything was as it is in the end, where the play goes round. `case` are the values of the claim's
    variables.
    """

    sort: Sort
    since: int
    at: int
    case: tuple[Any, ...] = ()
    again: int | None = None

    @property
    def value(self) -> dict[str, int]:
        """The numbers by their names."""
        again = {} if self.again is None else {"again": self.again}
        return {"since": self.since, "to": self.at} | again

    def told(self, claim: ir.Property, machine: Machine, trace: Trace) -> str:
        """In words."""
        show = machine.words.show
        named = ", ".join(f"{n} = {show(v, t)}" for (n, t), v in zip(claim.variables, self.case, strict=True))
        since = f"{_steps(self.since)}{f', for {named},' if named else ''} what comes first holds"
        match self.sort:
            case Sort.OVER:
                return f"after {since}, and after {self.at} the game is over without what it should lead to"
            case Sort.LATE:
                return f"after {since}, and {_steps(self.at - self.since)} later what it should lead to has not come"
            case Sort.ROUND:
                chance = sum(isinstance(step, Drawn) for step in trace.steps[self.again : self.at])
                times = "once" if chance == 1 else f"{chance} times"
                part = f"{times} chance had a part in it" if chance else "chance has no part in it"
                return (
                    f"after {since}, and after {self.at} everything is as it was after {self.again} without what it "
                    f"should lead to: it may go on so for ever ({part})"
                )


def _steps(number: int) -> str:
    return f"{number} step{'' if number == 1 else 's'}"


class Watch(Lookout):
    """Follows one play at a time; raises `Found` where it refutes the claim, and then `shown` tells how.

    `met`: whether what comes first has been seen in any play. A play that stops with a fault shows nothing.
    """

    def __init__(self, machine: Machine, claim: ir.Property, where: str) -> None:
        self.met = False
        goes_round = claim.within is None and machine.game.clock is None
        self._futures = Futures(machine, expressions_of(claim)) if goes_round else None
        super().__init__(machine, claim, where)
        self._first, self._then = self._expressions

    def attend(self) -> None:
        super().attend()
        self._number = 0  # of the step that leads to the next stop
        self._owed: dict[int, int] = {}  # since when, by the number of the case
        self._been: dict[Any, int] = {}
        self.shown: Shown | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether something is still to come in the play that is followed."""
        return bool(self._owed)

    def goes_on_waiting(self, state: State) -> bool:
        """Whether, if play came to a stop now in this position, something would still be to come."""
        if self.claim.or_end and self.machine.is_terminal(state):
            return False
        return any(not self._came(case, state) for case in self._owed)

    def look(self, state: State) -> None:
        for case in range(len(self._cases)):
            if case in self._owed:
                continue
            self._set(case)
            try:
                if (self._premise is not None and not self._premise(state)) or not self._first(state):
                    continue
            except Fault:
                # What cannot be told here leads to nothing.
                continue
            self.met = True
            if not self._came(case, state):
                self._owed[case] = self._number

    def stop(self, state: State) -> None:
        for case in [case for case in self._owed if self._came(case, state)]:
            del self._owed[case]
        super().stop(state)
        if self._owed:
            self.shown = self._is_shown(state)
        else:
            self._been.clear()
        self._number += 1
        if self.shown is not None:
            raise Found

    def _is_shown(self, state: State) -> Shown | None:
        is_over = self.machine.is_terminal(state)
        if is_over and self.claim.or_end:
            return None
        number = self._number
        case, since = min(self._owed.items(), key=lambda item: item[1])
        if is_over:
            return Shown(Sort.OVER, since, number, self._cases[case])
        if self.claim.within is not None and number >= since + self.claim.within:
            return Shown(Sort.LATE, since, number, self._cases[case])
        if self._futures is None:
            return None
        key = self._futures.key(state)
        before = self._been.get(key, -1)
        self._been[key] = number
        return Shown(Sort.ROUND, since, number, self._cases[case], before) if before >= since else None

    def _came(self, case: int, state: State) -> bool:
        self._set(case)
        try:
            return bool(self._then(state))
        except Fault:
            return False

    def _set(self, case: int) -> None:
        scratch = self.machine.compiler.scratch
        for slot, value in zip(self._slots, self._cases[case], strict=True):
            scratch[slot] = value


def shown_by(machine: Machine, claim: ir.Property, where: str, trace: Trace) -> Shown | None:
    """Replays a trace from nothing and tells how it refutes the claim; None if it does not.

    Raises what `plays.MISFITS` lists where the trace does not fit the game.
    """
    watch = Watch(machine, claim, where)
    state = machine.blank(recording=False)
    machine.advance(state)
    try:
        watch.stop(state)
        for step in trace.steps:
            take(machine, state, step)
            watch.stop(state)
    except Found:
        return watch.shown
    return None


def refuted(engine: str, claim: ir.Property, machine: Machine, trace: Trace, shown: Shown) -> Answer:
    """The answer that a play gives, cut where it has shown it."""
    trace = replace(trace, steps=trace.steps[: shown.at])
    because = shown.told(claim, machine, trace)
    return Answer(Verdict.REFUTED, engine, because=because, value=shown.value, trace=trace, at=shown.at)

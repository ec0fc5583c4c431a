"""Claims that two rules are the same: refuted by a play to a position where they differ, or proved on terms."""

from __future__ import annotations

from dataclasses import replace

from dsl import ir, model
from interpreter.state import State
from interpreter.trace import Trace, take
from verify.outcome import Answer, Verdict
from verify.places import TooMany
from verify.plays import Found, Plays
from verify.sidebyside import Pair

_NOT_MET = "no position was met in which one of them begins and both come to an end"
_NOT_COMPARED = "from some positions one of them stops with a fault or goes on too long, and nothing is compared"


class Beginnings:
    """Compares the rules wherever one of them begins in the play that is followed; raises `Found` where they differ.

    `difference` then says how, `compared` counts the positions from which both came to their end, `stopped` the others.
    """

    def __init__(self, pair: Pair) -> None:
        self.pair, self.machine = pair, pair.play
        self.difference = ""
        self.compared = self.stopped = 0

    def attend(self) -> None:
        """From now on it is this one that is told where rules begin and end."""
        self.machine.effects.watch = self._mark

    def stop(self, state: State) -> None:
        """Play has come to a stop, which does not matter here."""

    def _mark(self, state: State, node: ir.Mark) -> None:
        if not node.begins:
            return
        for case in self.pair.cases(state, node.rule):
            found = self.pair.compared(state, case)
            self.compared += found.difference is not None
            self.stopped += found.difference is None
            if found.difference:
                self.difference = found.difference
                raise Found


def answer(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    """Refuted, proved, or unknown with the reason; vacuous where play can follow neither of them.

    Raises:
        TooMany: A name of the claim stands for more values than can be tried.
    """
    pair = Pair(claim, source, num_players)
    if not pair.is_followed:
        told = " or ".join(dict.fromkeys(f"`{f.rule}`" for f in claim.rules))
        return Answer(Verdict.VACUOUS, "construction", because=f"no play follows {told}")
    beginnings = Beginnings(pair)
    plays = Plays(beginnings, f"{claim.name}/{num_players}")
    refuted = _played(plays, beginnings, claim, source, min(seconds / 10, 0.6))
    if refuted is not None:
        return refuted
    # Only here, for the solver takes its time to load.
    from verify.sameterms import by_terms

    proof = by_terms(pair, seconds / 2)
    if proof.verdict is Verdict.PROVED:
        told = "" if beginnings.compared else f"; {_NOT_MET}"
        told += f"; {_NOT_COMPARED}" if beginnings.stopped else ""
        return replace(proof, because=proof.because + told)
    refuted = _played(plays, beginnings, claim, source, seconds / 4)
    if refuted is not None:
        return refuted
    met = f"in play they came to the same from {_positions(beginnings.compared)}" if beginnings.compared else _NOT_MET
    return replace(proof, engine=f"{proof.engine}, play", because=f"{proof.because}; {met}")


def _played(plays: Plays, beginnings: Beginnings, claim: ir.Property, source: model.Model, seconds: float
            ) -> Answer | None:  # fmt: skip
    if not plays.run(seconds):
        return None
    trace = plays.trace
    found = difference(claim, source, trace)
    return None if found is None else refuted("play", trace, *found)


def refuted(engine: str, trace: Trace, at: int, told: str) -> Answer:
    """What a play shows after so many steps."""
    return Answer(Verdict.REFUTED, engine, because=told, trace=replace(trace, steps=trace.steps[:at]), at=at)


def difference(claim: ir.Property, source: model.Model, trace: Trace) -> tuple[int, str] | None:
    """Replays a trace from nothing: after how many steps the rules differ, and how; None if they never do.

    Raises what `plays.MISFITS` lists where the trace does not fit the game.
    """
    try:
        beginnings = Beginnings(Pair(claim, source, trace.num_players))
    except TooMany:
        return None
    machine = beginnings.machine
    beginnings.attend()
    state = machine.blank(recording=False)
    taken = 0
    try:
        machine.advance(state)
        for step in trace.steps:
            taken += 1
            take(machine, state, step)
    except Found:
        return taken, beginnings.difference
    return None


def _positions(number: int) -> str:
    return f"{number} position{'' if number == 1 else 's'}"

"""What a claim says to lead to something: refuted by a play on which that does not come, or proved for every play.

Plays are sought in which it is kept waiting: the players, and chance, do what puts it off. Proofs come from the count
abstraction, or from what is kept up at the stops of the rules, where it has come already when what comes first holds.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from dsl import ir, model
from interpreter.chance import Outcome
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault
from verify.awaited import Watch, refuted, shown_by
from verify.exclusion import exclude
from verify.guided import Guided
from verify.leading_counts import led
from verify.outcome import Answer, Verdict, rather
from verify.places import at_once
from verify.plays import MISFITS, Plays
from verify.points import Label
from verify.scout import goals

_TRIES = 5  # choices, or outcomes of chance, that are looked at for one that puts it off
_NOTHING_MEETS = "nothing comes first"
_NOT_SEEN = "no play was seen in which what comes first holds"


def answer(claim: ir.Property, source: model.Model, machine: Machine, where: str, seconds: float) -> Answer:
    """A claim that one thing leads to another.

    Raises:
        TooMany: Its variables have too many values to try each.
    """
    watch = Watch(machine, claim, where)
    plays = _PuttingOff(watch, f"{claim.name}/{machine.game.num_players}")
    quick = min(seconds / 20, 0.3)
    if plays.run(quick) and (told := _refuted(plays, quick)) is not None:
        return told
    # What is to come at once is best asked of what is kept up; how it comes later only counting can follow.
    engines = (_counted, _at_once) if claim.within != 0 else (_at_once, _counted)
    proof, path = Answer(Verdict.UNKNOWN, ""), tuple[Label, ...]()
    for engine in engines:
        found, way = engine(claim, source, machine, where, seconds / 3)
        path = path or way
        proof = rather(proof, found)
        if proof.verdict is not Verdict.UNKNOWN:
            break
    if proof.verdict is Verdict.UNKNOWN:
        told = _sought(plays, path, seconds / 5)
        return proof if told is None else told
    if watch.met or proof.verdict is Verdict.VACUOUS:
        return proof
    return _unmet(proof, claim, source, machine.game.num_players, seconds / 8)


# -------------------------------------------------------------------------------------------------- plays


class _PuttingOff(Plays):
    """Players who, in every other game, choose what keeps it waiting, and have chance do the same."""

    def __init__(self, watch: Watch, seed: str) -> None:
        super().__init__(watch, seed)
        self.watch = watch

    def _draw(self, state: State) -> Outcome:
        outcome = super()._draw(state)
        for _ in range(_TRIES if self._puts_off else 0):
            if self._is_put_off(partial(self.machine.apply_chance, state, outcome)):
                break
            outcome = super()._draw(state)
        return outcome

    def _choose(self, state: State, player: int, likings: dict[str, float], wanted: Label | None) -> Any:
        choice = super()._choose(state, player, likings, wanted)
        for _ in range(_TRIES if self._puts_off and choice is not None else 0):
            if self._is_put_off(partial(self.machine.apply, state, player, choice)):
                break
            choice = super()._choose(state, player, likings, None)
        return choice

    @property
    def _puts_off(self) -> bool:
        return self.runs % 2 == 0 and self.watch.is_waiting

    def _is_put_off(self, after: Callable[[], State]) -> bool:
        """Whether it is still awaited at the next stop. Nobody watches what is only tried out."""
        effects = self.machine.effects
        watched, effects.watch = effects.watch, None
        try:
            return self.watch.goes_on_waiting(after())
        except Fault:
            return False
        finally:
            effects.watch = watched


def _refuted(plays: _PuttingOff, seconds: float, engine: str = "play") -> Answer | None:
    """The answer that a play gives which was just found, or a shorter one that is found in time; replayed."""
    watch, best = plays.watch, plays.trace
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and plays.run(left, max_steps=len(best.steps)):
        best = plays.trace
    with contextlib.suppress(*MISFITS):
        shown = shown_by(plays.machine, watch.claim, watch.where, best)
        if shown is not None:
            return refuted(engine, watch.claim, plays.machine, best, shown)
    return None


def _sought(plays: _PuttingOff, path: tuple[Label, ...], seconds: float) -> Answer | None:
    """A play on the way that the abstraction shows; one from where what comes first was brought about; or any."""
    if path and plays.follow(path, seconds / 4):
        return _refuted(plays, seconds / 4, "play along an abstract trace")
    watch, engine = plays.watch, "play"
    if not watch.met:
        now = at_once(watch.claim)
        (goal,) = goals(now).values()
        guided = Guided(plays.machine, now, watch.where, goal, plays.seed)
        found = guided.run(seconds / 2, lambda values: not values[0])
        if found is None:
            return None
        plays.opening, engine = found[0].steps, "guided play"
    return _refuted(plays, seconds / 4, engine) if plays.run(seconds / 4) else None


# ------------------------------------------------------------------------------------------------- proofs


_Found: TypeAlias = tuple[Answer, tuple[Label, ...]]
"""An answer, and a way in the abstraction on which it does not come, where one was seen."""


def _counted(claim: ir.Property, source: model.Model, machine: Machine, where: str, seconds: float) -> _Found:
    """What the count abstraction tells."""
    found = led(claim, source, machine.game.num_players, seconds)
    if not found.holds:
        return Answer(Verdict.UNKNOWN, "counts", because=found.because), found.path
    if not found.meets:
        return Answer(Verdict.VACUOUS, "counts", because=f"{_NOTHING_MEETS}: {found.because}"), ()
    if found.steps is None:
        return Answer(Verdict.PROVED, "ranking", because=found.because), ()
    because = f"{found.because}; it takes {found.steps} step{'' if found.steps == 1 else 's'} at most"
    return Answer(Verdict.PROVED, "counts", because=because, value={"steps": found.steps}), ()


def _at_once(claim: ir.Property, source: model.Model, machine: Machine, where: str, seconds: float) -> _Found:
    """Whether it has always come when what comes first holds, by what is kept up."""
    # Only here, for the solver takes its time to load.
    from verify.learned import by_induction

    found = by_induction(at_once(claim), source, machine.game.num_players, seconds)
    if found.verdict is Verdict.PROVED:
        found = replace(found, because=f"it comes at once: {found.because}", value={"steps": 0})
    return found, ()


def _unmet(proof: Answer, claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    """A proof where no play has met what comes first: if nothing ever does, it says nothing."""
    first = replace(claim, kind="never", expressions=claim.expressions[:1])
    excluded = exclude(first, source, num_players, lambda value: value is not False, seconds)
    if excluded.holds:
        return Answer(Verdict.VACUOUS, "counts", because=f"{_NOTHING_MEETS}: {excluded.because}")
    return replace(proof, because=f"{proof.because}; {_NOT_SEEN}")

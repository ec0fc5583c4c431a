"""The claims of a file, answered: by enumeration, by playing, and by exhausting the count abstraction."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dsl import ir, model, types
from dsl.walk import reached
from interpreter.machine import Machine
from interpreter.values import Fault
from verify import attained, frequencies, leading, samerules, taken
from verify.exclusion import exclude
from verify.explorations import COUNTED
from verify.guided import Guided
from verify.judging import is_stray
from verify.lessons import OURS
from verify.outcome import Answer, Shown, Verdict, rather
from verify.places import Lookout, TooMany, assignments, expressions_of, looks_at, looks_back, machine_for
from verify.plays import Found, Plays, holds_again
from verify.points import Label
from verify.scout import goals
from verify.wanted import INDUCTION, SPACER

_BY_CASES = "enumeration"
_TO_COUNT = 0.8  # seconds that the coarsest counts may have even if that is half of what there is
_TO_SPACER = 1 / 8, 10.0  # of the seconds for a claim, and at most so many of them: it finds soon what it finds
_OF_STOPS = INDUCTION, SPACER  # engines that prove by what is kept up from stop to stop
_NOT_MET = "no position was met in which the premise holds"


def expected(claim: ir.Property) -> frozenset[Verdict]:
    """The verdicts that are as the file says."""
    holds = not any(name == "verdict" and value is False for name, value in claim.expect)
    if claim.kind == "possible":
        return frozenset({Verdict.WITNESSED} if holds else {Verdict.REFUTED})
    return frozenset({Verdict.PROVED} if holds else {Verdict.REFUTED})


def answer(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    """One claim, for one number of players. `source` is the model at the claim's options."""
    began = time.monotonic()
    try:
        found = _answer(claim, source, num_players, seconds)
    except Fault as fault:
        found = Answer(Verdict.UNKNOWN, "none", because=f"the rules fail: {fault.message}")
    return replace(found, seconds=time.monotonic() - began)


def _answer(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    if claim.kind == "same":
        try:
            return samerules.answer(claim, source, num_players, seconds)
        except TooMany as error:
            return Answer(Verdict.UNKNOWN, "none", because=str(error))
    where = looks_at(claim, source)
    machine = machine_for(claim, source, num_players)
    if claim.kind == "frequencies":
        return frequencies.answer(claim, machine)
    if claim.kind == "leads to":
        try:
            return leading.answer(claim, source, machine, where, seconds)
        except TooMany as error:
            return Answer(Verdict.UNKNOWN, "none", because=str(error))
    if claim.kind in ("always", "never", "impossible") and not (looks_back(claim) or OURS.hints_at(*_OF_STOPS)):
        # Only here, for the solver takes its time to load.
        from verify import anydeal
        from verify.steps import anywhere

        found = anywhere(claim, machine, min(2.0, seconds / 4))
        found = found or _by_shared_counts(claim, source, num_players, seconds)
        found = found or anydeal.answer(claim, machine, min(12.0, seconds / 3))
        if found is not None:
            return with_premise_met(found, claim, machine, where, min(seconds / 10, 0.6))
    try:
        if _is_closed(claim, machine.game):
            return _by_enumeration(claim, machine)
        assignments(machine, claim)
    except TooMany as error:
        return Answer(Verdict.UNKNOWN, "none", because=str(error))
    if claim.kind in ("bound", "values"):
        return attained.answer(claim, source, machine, where, seconds)
    return _condition(claim, source, machine, where, seconds)


def _by_shared_counts(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer | None:
    """A proof from positions that are explored for many claims of the game, and cost nothing once they are."""
    if OURS.comes_first:
        return None
    try:
        excluded = exclude(claim, source, num_players, is_stray(claim), min(1.0, seconds / 10), at_once=True)
    except TooMany:
        return None
    return Answer(Verdict.PROVED, "counts", because=excluded.because) if excluded.holds else None


def with_premise_met(found: Answer, claim: ir.Property, machine: Machine, where: str, seconds: float) -> Answer:
    """A proof about any position at all, with a word where play does not seem to come to any that it is about."""
    if claim.premise is None or found.verdict is not Verdict.PROVED or _is_closed(claim, machine.game):
        return found
    try:
        lookout = Lookout(machine, claim, where)
    except TooMany:
        return found

    def met(_: tuple[Any, ...], __: tuple[Any, ...]) -> None:
        raise Found

    lookout.found = met
    if Plays(lookout, f"{claim.name}/{machine.game.num_players}/met").run(seconds):
        return found
    return replace(found, because=f"{found.because}; {_NOT_MET}")


# ------------------------------------------------------------------------------------------ closed claims


def _is_closed(claim: ir.Property, game: ir.Game) -> bool:
    """Whether a claim speaks of tables and numbers only, and of no position."""
    if any(
        isinstance(part, ir.Var | ir.ZoneExpr | ir.AllOfZone | ir.TimeLeft)
        for part in reached(expressions_of(claim), game)
    ):
        return False
    return not any(isinstance(types.strip(t), ir.CardsType) for _, t in claim.variables)


def _by_enumeration(claim: ir.Property, machine: Machine) -> Answer:
    """Every value of the claim's variables is tried: nothing is left out."""
    cases: dict[Any, tuple[Any, ...]] = {}  # by value, the first one
    lookout = Lookout(machine, claim, "stops")

    def found(values: tuple[Any, ...], case: tuple[Any, ...]) -> None:
        cases.setdefault(values[0], case)

    lookout.found = found
    lookout.look(machine.blank(recording=False))
    if not cases:
        return Answer(Verdict.VACUOUS, _BY_CASES, because="nothing meets the premise")
    if claim.kind in taken.KINDS:
        return _taken(claim, machine, cases)
    is_possible, case = claim.kind == "possible", cases.get(claim.kind != "always")
    because = f"{'' if is_possible else 'not '}so of {taken.case_text(claim, machine, case)}" if case else ""
    if is_possible:
        return Answer(Verdict.REFUTED if case is None else Verdict.WITNESSED, _BY_CASES, because=because)
    return Answer(Verdict.PROVED if case is None else Verdict.REFUTED, _BY_CASES, because=because)


def _taken(claim: ir.Property, machine: Machine, cases: dict[Any, tuple[Any, ...]]) -> Answer:
    """Whether these are the values that a bound or a list of values says; what it does not allow is shown first."""
    value: Any
    if claim.kind == "values":
        value, fits = sorted(cases), taken.fits(claim)
        named = {taken.value_name(claim, machine, v): v for v in sorted(cases, key=lambda v: (fits(v), v))}
        holds = set(cases) == {v for _, v in claim.expect}
    else:
        value = named = {"min": min(cases), "max": max(cases)}
        holds = all(named[name] == v for name, v in claim.expect)
    shown = [Shown(n, v, taken.case_text(claim, machine, cases[v])) for n, v in named.items() if cases[v]]
    verdict = Verdict.PROVED if holds else Verdict.REFUTED
    because = "" if holds else taken.amiss(claim, machine, cases)
    return Answer(verdict, _BY_CASES, because=because, value=value, shown=tuple(shown[: taken.MOST_SHOWN]))


# --------------------------------------------------------------------------------- claims about positions


def _condition(claim: ir.Property, source: model.Model, machine: Machine, where: str, seconds: float) -> Answer:
    """First somebody tries to bring it about, then the abstraction is asked whether it can be."""
    wants_yes = claim.kind in ("never", "possible", "impossible")
    sought: Callable[[tuple[Any, ...]], bool] = lambda values: bool(values[0]) is wants_yes  # noqa: E731
    lookout = Lookout(machine, claim, where)
    premises = 0

    def found(values: tuple[Any, ...], _: tuple[Any, ...]) -> None:
        nonlocal premises
        premises += 1
        if sought(values):
            raise Found

    lookout.found = found
    plays = Plays(lookout, f"{claim.name}/{machine.game.num_players}")
    shown = Verdict.WITNESSED if claim.kind == "possible" else Verdict.REFUTED

    def replayed(engine: str) -> Answer | None:
        at = holds_again(machine, claim, where, plays.trace, sought)
        if at is None:
            return None
        trace = replace(plays.trace, steps=plays.trace.steps[:at])
        return Answer(shown, engine, trace=trace, at=at)

    def by_a_deal(seconds: float) -> Answer | None:
        # Only here, for the solver takes its time to load.
        from verify.leadup import shown_by_a_rule
        from verify.realise import shown_by_a_deal

        if looks_back(claim):
            deal = shown_by_a_rule(claim, source, machine, sought, seconds)
        else:
            deal = shown_by_a_deal(claim, machine, where, sought, seconds)
        return None if deal is None else Answer(shown, "any deal, play", trace=deal[0], at=deal[1])

    def bent(seconds: float) -> Answer | None:
        (goal,) = goals(claim).values()
        made = Guided(machine, claim, where, goal, plays.seed).run(seconds, sought)
        return None if made is None else Answer(shown, "guided play", trace=made[0], at=made[1])

    quick = min(seconds / 10, 0.6)
    if plays.run(quick) and (told := replayed("play")) is not None:
        return told
    if claim.kind == "possible":
        from verify import anydeal

        was_bent = OURS.hints_at("guided play")
        if looks_back(claim):
            # What a rule does is mostly found by steps towards it, and where it takes certain cards by those.
            told = bent(seconds * (0.8 if was_bent else 0.6)) or by_a_deal(min(4.0, seconds / 6))
        else:
            told = anydeal.answer(claim, machine, min(12.0, seconds / 6))
            told = told or by_a_deal(min(4.0, seconds / 6)) or bent(seconds * (0.6 if was_bent else 0.25))
        if told is not None:
            return told
    proof, path = _proof(claim, source, machine, where, seconds)
    if proof.verdict is Verdict.UNKNOWN:
        # The abstraction may have shown a way, which real cards may be able to go; or else the deal is made up.
        if path and plays.follow(path, seconds / 8) and (told := replayed("play along an abstract trace")) is not None:
            return told
        if claim.kind != "possible" and (told := by_a_deal(seconds / 8) or bent(seconds / 8)) is not None:
            return told
        # Last, so that what can be answered otherwise is answered no later for it.
        if not OURS.hints_at(SPACER):
            proof = _by_spacer(proof, claim, source, machine, seconds)
    if proof.verdict is Verdict.PROVED and claim.premise is not None and not premises:
        return replace(proof, because=_NOT_MET)
    if proof.verdict is Verdict.PROVED and claim.kind == "possible":
        return replace(proof, verdict=Verdict.REFUTED)
    return proof


def _proof(
    claim: ir.Property, source: model.Model, machine: Machine, where: str, seconds: float
) -> tuple[Answer, tuple[Label, ...]]:
    """That it cannot be brought about, or why that is not known; and a way to it that the count abstraction sees.

    What always holds takes long to learn: it is asked first where it is known or wanted, else last.
    """
    # Only here, for the solver takes its time to load.
    from verify.learned import by_induction, is_learned
    from verify.steps import by_terms

    num_players = machine.game.num_players
    may_learn = claim.kind != "possible"
    proof, path = Answer(Verdict.UNKNOWN, "none"), tuple[Label, ...]()
    was_learned = OURS.hints_at(*_OF_STOPS)
    learns_first = (OURS.comes_first or was_learned) and may_learn
    if learns_first or (is_learned(claim, source, num_players) and (may_learn or where == "rule")):
        proof, may_learn = by_induction(claim, source, num_players, seconds * (0.8 if was_learned else 1 / 3)), False
    if proof.verdict is Verdict.UNKNOWN and OURS.hints_at(SPACER):
        proof = _by_spacer(proof, claim, source, machine, seconds)
    if proof.verdict is Verdict.UNKNOWN and looks_back(claim) and COUNTED in OURS.hint:
        # As with few players: terms go on about it as long as they may.
        most = max(seconds / 10, min(seconds / 2, _TO_COUNT))
        excluded = exclude(claim, source, num_players, is_stray(claim), most, at_once=True)
        if excluded.holds:
            return Answer(Verdict.PROVED, "counts", because=excluded.because), path
    if proof.verdict is Verdict.UNKNOWN and where == "rule":
        proof = rather(proof, by_terms(claim, source, num_players, seconds * (0.6 if looks_back(claim) else 0.4)))
    if proof.verdict is Verdict.UNKNOWN:
        excluded = exclude(claim, source, num_players, is_stray(claim), seconds / (8 if looks_back(claim) else 4))
        path = excluded.path
        verdict = Verdict.PROVED if excluded.holds else Verdict.UNKNOWN
        proof = rather(proof, Answer(verdict, "counts", because=excluded.because))
    if proof.verdict is Verdict.UNKNOWN and may_learn:
        proof = rather(proof, by_induction(claim, source, num_players, seconds / 2))
    return proof, path


def _by_spacer(proof: Answer, claim: ir.Property, source: model.Model, machine: Machine, seconds: float) -> Answer:
    """A proof with what else is kept up where Spacer says so; else why there is none, for that reason, too.

    It proves that something cannot be. So it is not asked where that is not what the file says.
    """
    from verify.spacer import by_spacer, may_find

    if Verdict.WITNESSED in expected(claim) or not may_find(claim, source, machine.game.num_players):
        return proof
    share, most = _TO_SPACER
    return rather(proof, by_spacer(claim, source, machine.game.num_players, min(seconds * share, most)))

"""One proof for every number of players at once, where seats can be taken together.

The number of players is an unknown like any other. Either what is shown holds of any position at all, so that no rule
is looked at: cards lie in the zones, as many as these hold, and numbers are in their ranges. Or it is about a rule, of
which some seats are known and the rest are not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from dsl import ir, model, types
from dsl.lower import lower
from dsl.walk import reached
from interpreter.machine import Machine
from verify.crowd import PLAYERS, Solver
from verify.crowdterms import CrowdTerms
from verify.crowdvalues import Env, just
from verify.linear import TooMuch, at_most, both, negated, number
from verify.outcome import SEATS, SUMS, Answer, Verdict
from verify.places import expressions_of, looks_at, looks_back, machine_for

_MOST_CASES = 200
_MOST_STEPS = 40
_TO_MEET = 0.1  # of the seconds is for a play in which the premise holds


@dataclass(frozen=True, slots=True)
class _Found:
    """`most` None is that there is no end. `is_met`: whether the premise can hold at all."""

    most: int | None
    is_met: bool


def answer(claim: ir.Property, source: model.Model, seconds: float, hint: str = "") -> Answer:
    """What can be told at once: of any position, or else of the end of a rule. `hint` is what was said of few players.

    The value says "from" where "to" where the proof holds, None is that there is no end; "ends" is whether it is not so
    of more. A rule's proof may begin beyond the least number of players that the claim speaks of.
    """
    found = Answer(Verdict.UNKNOWN, SUMS) if looks_back(claim) else _of_positions(claim, source, seconds)
    if found.verdict is Verdict.UNKNOWN and claim.kind != "possible" and looks_at(claim, source) == "rule":
        return _of_a_rule(claim, source, seconds - found.seconds, hint)
    return found


def _of_a_rule(claim: ir.Property, source: model.Model, seconds: float, hint: str) -> Answer:
    # Only here, for it is not needed for positions.
    from verify.claims import with_premise_met
    from verify.steps import for_any_number

    began = time.monotonic()
    proof, known = for_any_number(claim, source, seconds * (1 - _TO_MEET), hint)
    first = max(known, claim.players[0])
    if proof.verdict is not Verdict.PROVED or first > claim.players[1]:
        return Answer(Verdict.UNKNOWN, SEATS, time.monotonic() - began, proof.because)
    because = f"{proof.because}, with {known} known {'seat' if known == 1 else 'seats'} and any number of others"
    found = Answer(proof.verdict, SEATS, because=because, value={"from": first, "to": None, "ends": False})
    found = with_premise_met(found, claim, machine_for(claim, source, first), "rule", seconds * _TO_MEET)
    return replace(found, seconds=time.monotonic() - began)


def _of_positions(claim: ir.Property, source: model.Model, seconds: float) -> Answer:
    """Proved (or of what should be possible refuted) at once, from the least number of players that the claim speaks of
    to the most that it speaks of, or beyond; else unknown.
    """
    began = time.monotonic()
    unknown = Answer(Verdict.UNKNOWN, SUMS)
    least = claim.players[0]
    machine = Machine(lower(source, least))
    most: int | None = None
    is_met = False
    try:
        for case in _cases(claim, machine):
            left = seconds - (time.monotonic() - began)
            found = _of_case(claim, machine, case, left) if left > 0 else None
            if found is None or (found.most is not None and found.most < claim.players[1]):
                return unknown
            is_met = is_met or found.is_met
            most = found.most if most is None else most if found.most is None else min(most, found.most)
    except TooMuch:
        return unknown
    if not is_met:
        return unknown
    verdict = Verdict.REFUTED if claim.kind == "possible" else Verdict.PROVED
    ends = most is not None and _is_of_players_only(claim, machine.game)
    because = "of players, zones and numbers in any position, with sums over all seats that are not named"
    value = {"from": least, "to": most, "ends": ends}
    return Answer(verdict, SUMS, time.monotonic() - began, because, value)


def _cases(claim: ir.Property, machine: Machine) -> Iterator[Env]:
    """The values of the claim's variables that have few; seats have names, and what is left out may be anything."""
    few: dict[str, tuple[int, ...]] = {}
    size = 1
    for name, t in claim.variables:
        if isinstance(t, ir.KindType | ir.RankType | ir.SuitType | ir.EnumType) or (
            isinstance(t, ir.IntType) and t.low is not None and t.high is not None
        ):
            few[name] = machine.words.domain(t)
            size *= len(few[name])
    if size > _MOST_CASES:
        raise TooMuch
    for values in product(*few.values()):
        yield {name: just(number(value)) for name, value in zip(few, values, strict=True)}


def _of_case(claim: ir.Property, machine: Machine, case: Env, seconds: float) -> _Found | None:
    terms = CrowdTerms(machine)
    env = dict(case)
    for name, t in claim.variables:
        if isinstance(types.strip(t), ir.PlayerType) and not isinstance(t, ir.OptionalType):
            env[name] = just(terms.crowd.named(("claim", name)))
    truth = terms.condition(claim.expressions[0], env)
    premise = both() if claim.premise is None else terms.condition(claim.premise, env)
    bad = both(premise, negated(truth) if claim.kind == "always" else truth)
    solver = Solver([*terms.crowd.all_facts(), at_most(number(claim.players[0]), PLAYERS)], seconds)
    is_met = solver.can_be(premise)
    most: int | None = None
    for _ in range(_MOST_STEPS):
        fails = solver.can_be(bad, *([] if most is None else [at_most(PLAYERS, number(most))]))
        if fails is None or is_met is None:
            return None
        if not fails:
            return _Found(most, is_met)
        most = solver.value(PLAYERS) - 1
        if most < claim.players[1]:
            break
    return None


def _is_of_players_only(claim: ir.Property, game: ir.Game) -> bool:
    """Whether the number of players is all that a claim depends on: then where the proof ends, the claim does."""
    told = reached(expressions_of(claim), game)
    return not any(isinstance(p, ir.Var | ir.ZoneExpr | ir.AllOfZone | ir.TimeLeft | ir.FoldExpr) for p in told)

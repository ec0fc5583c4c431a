"""Claims about a rule, proved on terms: first from any position in which the rule may begin, then from further out.

What cannot be proved of a rule by itself may follow from what the rules around it have set up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from dsl import ir, model, types
from dsl.lower import lower
from dsl.walk import parts
from interpreter.machine import Machine
from verify.extents import Extents
from verify.folded import Unsupported
from verify.outcome import OUT_OF_TIME, Answer, Verdict
from verify.places import TooMany, expressions_of
from verify.ruleproofs import Proof, holds_anywhere, prove_at_end
from verify.seating import SeatTerms, of_each, places_for, spoken_of
from verify.slicing import not_told_by
from verify.terms import Terms

_MAIN = "game"
_MOST_SEATS = 3


class _Try(NamedTuple):
    """One way to prove a claim: from which rule on, with the seats that it is told known or not, with what left out."""

    entry: str
    knows_begin: bool
    left_out: frozenset[str]


def by_terms(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    """Proved, or unknown with the reason: a failed proof on terms is no counterexample."""
    deadline = time.monotonic() + seconds
    extents: Extents | None = None

    def prove(machine: Machine, way: _Try, left: float) -> Proof:
        nonlocal extents
        extents = extents or Extents(machine, left)  # cards are the same whichever rule comes first
        terms = Terms(machine, way.left_out)
        return prove_at_end(machine, claim, left, way.entry == _MAIN, extents=extents, terms=terms)

    return _first_proof(claim, source, lambda way: num_players, _tries(claim, source), prove, deadline)


def for_any_number(claim: ir.Property, source: model.Model, seconds: float, hint: str = "") -> tuple[Answer, int]:
    """The same of every number of players at once, from how many on. A rule that `hint` names is tried first."""
    deadline = time.monotonic() + seconds
    claim = of_each(claim)
    few = max(1, spoken_of(claim, lower(source, claim.players[0])))
    known = few

    def seats_known(way: _Try) -> int:
        return few + (parameters(source, way.entry) if way.knows_begin else 0)

    def prove(machine: Machine, way: _Try, left: float) -> Proof:
        nonlocal known
        known = seats_known(way)
        terms = SeatTerms(machine, way.left_out, way.knows_begin)
        return prove_at_end(machine, claim, left, way.entry == _MAIN, terms=terms)

    tries = [*_tries(claim, source, from_known=True)]
    tries = [way for way in tries if seats_known(way) <= _MOST_SEATS]
    tries.sort(key=lambda way: f"`{way.entry}`" not in hint)
    found = _first_proof(claim, source, lambda way: places_for(seats_known(way)), tries, prove, deadline)
    return found, known


def parameters(source: model.Model, rule: str) -> int:
    """How many players a rule is told."""
    return sum(isinstance(types.strip(p.type), ir.PlayerType) for p in source.rules[rule].parameters)


def _tries(claim: ir.Property, source: model.Model, from_known: bool = False) -> Iterator[_Try]:
    """First without what no value that is asked for is made from, which is quick where it does."""
    assert claim.scope is not None
    entries = ways_out(source, claim.scope)
    unneeded = {e: not_told_by(lower(source, claim.players[0], e), expressions_of(claim)) for e in entries}
    yield from (_Try(e, False, unneeded[e]) for e in entries)
    if from_known:
        yield from (_Try(e, True, unneeded[e]) for e in entries if parameters(source, e))
    yield from (_Try(e, False, frozenset()) for e in entries if unneeded[e])


def _first_proof(
    claim: ir.Property, source: model.Model, num_players: Callable[[_Try], int], tries: Iterable[_Try],
    prove: Callable[[Machine, _Try, float], Proof], deadline: float,
) -> Answer:  # fmt: skip
    assert claim.scope is not None
    because = ""
    for way in tries:
        left = deadline - time.monotonic()
        if left <= 0:
            return Answer(Verdict.UNKNOWN, "terms", because=OUT_OF_TIME)
        machine = Machine(lower(source, num_players(way), way.entry, frozenset({claim.scope})))
        try:
            proof = prove(machine, way, left)
        except (Unsupported, TooMany) as error:
            because = str(error)
            continue
        if proof.holds:
            where = "" if way.entry == claim.scope else f" of `{way.entry}`"
            return Answer(Verdict.PROVED, "terms", because=f"{proof.because}{where}")
        because = proof.because
    return Answer(Verdict.UNKNOWN, "terms", because=because)


def anywhere(claim: ir.Property, machine: Machine, seconds: float) -> Answer | None:
    """Proved or vacuous of any position at all, reachable or not; None where that is not so or cannot be told."""
    try:
        holds = holds_anywhere(machine, claim, seconds)
    except Unsupported:
        return None
    if holds is None:
        return Answer(Verdict.VACUOUS, "terms", because="nothing at all meets the premise")
    return Answer(Verdict.PROVED, "terms", because="true of any position, reachable or not") if holds else None


def ways_out(source: model.Model, rule: str) -> list[str]:
    """The rule, the rule that follows it, and so on out to the game, as long as there is one way only."""
    out = [rule]
    interrupting = {event.rule for event in source.clock.events} if source.clock else set()
    while out[-1] != _MAIN and out[-1] not in interrupting:
        callers = [
            r.name for r in source.rules.values()
            if any(isinstance(x, model.Follow) and x.rule == out[-1] for x in parts(r.body))
        ]  # fmt: skip
        if len(callers) != 1 or callers[0] in out:
            break
        out.append(callers[0])
    return out

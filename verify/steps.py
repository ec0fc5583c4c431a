"""Claims about a rule, proved on terms: first from any position in which the rule may begin, then from further out.

What cannot be proved of a rule by itself may follow from what the rules around it have set up.
"""

from __future__ import annotations

import time

from dsl import ir, model
from dsl.lower import lower
from dsl.walk import parts
from interpreter.machine import Machine
from verify.extents import Extents
from verify.folded import Unsupported
from verify.outcome import OUT_OF_TIME, Answer, Verdict
from verify.places import TooMany, expressions_of
from verify.seating import SeatTerms, of_each, places_for, spoken_of
from verify.slicing import not_told_by
from verify.symbolic import holds_anywhere, prove_at_end
from verify.terms import Terms

_MAIN = "game"
_MOST_SEATS = 3


def by_terms(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    """Proved, or unknown with the reason: a failed proof on terms is no counterexample."""
    return _outward(claim, source, num_players, Terms, seconds)


def for_any_number(claim: ir.Property, source: model.Model, seconds: float) -> tuple[Answer, int]:
    """The same of every number of players at once, from how many on."""
    claim = of_each(claim)
    few = max(1, spoken_of(claim, lower(source, claim.players[0])))
    if few > _MOST_SEATS:
        return Answer(Verdict.UNKNOWN, "terms", because="the claim speaks of too many seats"), few
    return _outward(claim, source, places_for(few), SeatTerms, seconds), few


def _outward(claim: ir.Property, source: model.Model, num_players: int, terms: type[Terms], seconds: float) -> Answer:
    """First without what no value that is asked for is made from, which is quick where it does."""
    assert claim.scope is not None
    deadline = time.monotonic() + seconds
    extents: Extents | None = None
    because = ""
    tried: list[tuple[str, frozenset[str]]] = []
    for is_sliced in (True, False):
        for entry in ways_out(source, claim.scope):
            machine = Machine(lower(source, num_players, entry, frozenset({claim.scope})))
            left_out = not_told_by(machine.game, expressions_of(claim)) if is_sliced else frozenset[str]()
            left = deadline - time.monotonic()
            if (entry, left_out) in tried:
                continue
            if left <= 0:
                return Answer(Verdict.UNKNOWN, "terms", because=OUT_OF_TIME)
            tried.append((entry, left_out))
            if terms is Terms:
                extents = extents or Extents(machine, left)  # cards are the same whichever rule comes first
            try:
                kept = terms(machine, left_out)
                proof = prove_at_end(machine, claim, left, entry == _MAIN, extents=extents, terms=kept)
            except (Unsupported, TooMany) as error:
                because = str(error)
                continue
            if proof.holds:
                where = "" if entry == claim.scope else f" of `{entry}`"
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

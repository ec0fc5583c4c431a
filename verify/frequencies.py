"""How often each kind of combination is the best of k cards: exact counts over every hand of the pack."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

from dsl import ir
from interpreter.machine import Machine
from verify.outcome import Answer, Verdict

_MOST_HANDS = 6_000_000


def answer(claim: ir.Property, machine: Machine) -> Answer:
    """Counts every hand, and compares with what the claim expects; `none` is a hand without any combination."""
    size = claim.expressions[0]
    if not isinstance(size, ir.Const) or not isinstance(size.value, int):
        return Answer(Verdict.UNKNOWN, "enumeration", because="the number of cards is not written as a number")
    pack = machine.words.cards.pack
    hands = comb(len(pack), size.value)
    if hands > _MOST_HANDS:
        return Answer(Verdict.UNKNOWN, "enumeration", because=f"{hands} hands are too many to look at each")
    counts = count(machine, size.value)
    holds = all(counts.get(name, 0) == value for name, value in claim.expect)
    return Answer(Verdict.PROVED if holds else Verdict.REFUTED, "enumeration", value=counts)


def count(machine: Machine, size: int) -> dict[str, int]:
    """How many hands of so many cards are best as each kind."""
    best = machine.words.combinations.best
    kinds = machine.game.kinds
    found: Counter[int | None] = Counter()
    for hand in combinations(machine.words.cards.pack, size):
        combination = best(hand)
        found[None if combination is None else combination.kind] += 1
    out = {k.name: found[i] for i, k in enumerate(kinds)}
    if None in found:
        out["none"] = found[None]
    return out

"""How often each kind of combination is the best of k cards: exact counts over every hand of the pack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb

from dsl import ir
from interpreter.machine import Machine
from verify.handclasses import HandClass, TooMixed, classes
from verify.outcome import Answer, Verdict

_MOST_HANDS = 6_000_000


def answer(claim: ir.Property, machine: Machine) -> Answer:
    """Counts every hand, and compares with what the claim expects; `none` is a hand without any combination."""
    size = claim.expressions[0]
    if not isinstance(size, ir.Const) or not isinstance(size.value, int):
        return Answer(Verdict.UNKNOWN, "enumeration", because="the number of cards is not written as a number")
    try:
        counts, because = count(machine, size.value)
    except TooMixed as error:
        hands = comb(len(machine.words.cards.pack), size.value)
        return Answer(Verdict.UNKNOWN, "enumeration", because=f"{error}; {hands} hands are too many")
    holds = all(counts.get(name, 0) == value for name, value in claim.expect)
    return Answer(Verdict.PROVED if holds else Verdict.REFUTED, "enumeration", value=counts, because=because)


def count(machine: Machine, size: int) -> tuple[dict[str, int], str]:
    """How many hands of so many cards are best as each kind, and how they were counted.

    Raises:
        TooMixed: There are too many hands to look at each, and they do not fall into classes.
    """
    best = machine.words.combinations.best
    kinds = machine.game.kinds
    found: Counter[int | None] = Counter()
    looked_at = hands = 0
    for a_class in _classes(machine, size):
        combination = best(a_class.cards)
        found[None if combination is None else combination.kind] += a_class.weight
        looked_at, hands = looked_at + 1, hands + a_class.weight
    out = {k.name: found[i] for i, k in enumerate(kinds)}
    if None in found:
        out["none"] = found[None]
    return out, f"{hands} hands in {looked_at} classes that no combination tells apart"


def _classes(machine: Machine, size: int) -> Iterator[HandClass]:
    pack = machine.words.cards.pack
    try:
        yield from classes(machine.words.cards, machine.game.kinds, size)
    except TooMixed:
        # Raised before the first class, if at all.
        if comb(len(pack), size) > _MOST_HANDS:
            raise
        for hand in combinations(pack, size):
            yield HandClass(hand, 1)

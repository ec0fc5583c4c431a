"""Classes of hands against every single hand: of small packs, each hand is found in one class that is like it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb

import pytest

from dsl import model
from dsl.ir import Compare, Deck, Group, Key, Kind, Pattern, PatternCondition, Runs
from dsl.lower import lower
from interpreter.cards import CardSet
from interpreter.combinations import Combinations
from interpreter.machine import Machine
from tests.properties.corpus import GAMES, model_of
from verify.claims import answer
from verify.handclasses import TooMixed, classes, number_of_classes
from verify.handlikes import alike_hands, are_alike
from verify.outcome import Answer, Verdict

RANKS = ("2", "3", "4", "5", "6")
DECKS = {
    "plain": Deck(RANKS, ("a", "b", "c"), runs=Runs(low_rank=4)),
    "two packs": Deck(RANKS[:4], ("a", "b"), copies=2),
    "jokers": Deck((*RANKS[:4], "joker"), ("a", "b", "c", "joker"), num_jokers=2),
    "cards taken out": Deck(RANKS, ("a", "b", "c"), removed=(0, 7, 14)),
}
SUIT = (("_s", "suit"),)
RANK = (("_r", "rank"),)
TABLES = {
    "ranks only": [Pattern((Group(2, rank="_r"),), RANK), Pattern((Group(3, run=True),))],
    "one suit": [
        Pattern((Group(2, rank="_r"),), RANK),
        Pattern((Group(3, suit="_s"),), SUIT),
        Pattern((Group(3, run=True, suit="_s"),), SUIT),
    ],
    "a certain suit": [Pattern((Group(3, suit=1),)), Pattern((Group(2, rank="_r"),), RANK), None],
    "a suit in the key": [Pattern((Group(3, suit="t"),), (("t", "suit"),))],
    "two suits": [
        Pattern((Group(3, suit="_s"), Group(3, suit="_t")), (("_s", "suit"), ("_t", "suit")),
                (PatternCondition("_s", Compare.NE, "_t"),)),
        Pattern((Group(4, rank="_r"),), RANK),
    ],
}  # fmt: skip


def kinds_of(name: str) -> tuple[Kind, ...]:
    keys: tuple[Key | str, ...] = ("t",) if name == "a suit in the key" else (Key.GROUPS, Key.SIDE_CARDS)
    return tuple(Kind(f"k{i}", p, p.size if p else 0, keys) for i, p in enumerate(TABLES[name]))


@pytest.mark.parametrize("deck", DECKS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("size", [0, 1, 4, 5])
def test_classes_are_all_hands(deck: str, table: str, size: int) -> None:
    cards, kinds = CardSet(DECKS[deck]), kinds_of(table)
    table_of_hands = Combinations(cards, kinds)

    def best(hand: tuple[int, ...]) -> object:
        found = table_of_hands.best(hand)
        return None if found is None else found.strength

    each = Counter(best(hand) for hand in combinations(cards.pack, size))
    by_class: Counter[object] = Counter()
    found = list(classes(cards, kinds, size))
    assert len(found) <= number_of_classes(cards, kinds, size)
    for a_class in found:
        assert len(set(a_class.cards)) == size and set(a_class.cards) <= set(cards.pack)
        by_class[best(a_class.cards)] += a_class.weight
    assert by_class == each


def likeness(cards: CardSet, hand: tuple[int, ...], long: int, runs: list[frozenset[int]]) -> object:
    """What of a hand is kept: ranks in runs as they are, of others how many cards in all and in a long suit."""
    ranks, suits = Counter(cards.rank[c] for c in hand), Counter(cards.suit[c] for c in hand)
    suit = next((s for s, n in suits.items() if n >= long), None)
    inside = Counter(cards.rank[c] for c in hand if cards.suit[c] == suit)
    needed = {r for run in runs if run <= ranks.keys() for r in run}
    each = sorted((r if r in needed else -1, n, inside[r]) for r, n in ranks.items())
    return tuple(each)


@pytest.mark.parametrize("deck", ["plain", "two packs"])
@pytest.mark.parametrize("table", ["ranks only", "one suit"])
@pytest.mark.parametrize("size", [0, 3, 4, 5])
def test_alike_hands_are_one_of_each_sort(deck: str, table: str, size: int) -> None:
    cards, kinds = CardSet(DECKS[deck]), kinds_of(table)
    assert are_alike(cards, kinds)
    table_of_hands = Combinations(cards, kinds)
    runs = [frozenset(run.ranks) for run in cards.runs(3)]
    long = 3 if table == "one suit" else 99

    def best(hand: tuple[int, ...]) -> int | None:
        found = table_of_hands.best(hand)
        return None if found is None else found.kind

    each: dict[object, set[int | None]] = {}
    for hand in combinations(cards.pack, size):
        each.setdefault(likeness(cards, hand, long, runs), set()).add(best(hand))
    found = {likeness(cards, hand, long, runs): {best(hand)} for hand in alike_hands(cards, kinds, size)}
    assert found == each


@pytest.mark.parametrize(("deck", "table"), [("jokers", "one suit"), ("cards taken out", "ranks only")])
def test_ranks_that_differ_are_not_alike(deck: str, table: str) -> None:
    assert not are_alike(CardSet(DECKS[deck]), kinds_of(table))


def test_two_long_suits_are_too_much() -> None:
    with pytest.raises(TooMixed):
        list(classes(CardSet(DECKS["plain"]), kinds_of("one suit"), 6))


def test_classes_of_a_whole_pack_are_few() -> None:
    machine, _ = machine_of("four_rows")
    found = list(classes(machine.words.cards, machine.game.kinds, 5))
    assert sum(c.weight for c in found) == comb(52, 5)
    assert len(found) < comb(52, 5) / 300


def machine_of(name: str) -> tuple[Machine, model.Model]:
    source = model_of(GAMES / f"{name}.yaml")
    return Machine(lower(source, source.players[0])), source


@pytest.mark.parametrize("off", [0, 1])
def test_a_frequency_is_proved_or_refuted(off: int) -> None:
    _, source = machine_of("four_rows")
    claim = next(p for p in source.properties if p.kind == "frequencies")
    expect = tuple((name, value + off * (name == "flush")) for name, value in claim.expect)  # type: ignore[operator]
    found: Answer = answer(replace(claim, expect=expect), source, 1, 10.0)
    assert found.verdict is (Verdict.REFUTED if off else Verdict.PROVED)
    assert "2598960 hands" in found.because

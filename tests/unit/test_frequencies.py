"""Every five-card hand of one pack, against an evaluator that others wrote and against the known counts."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import Counter
from itertools import combinations, pairwise

import pytest
from phevaluator import evaluate_cards

from dsl.ir import Compare, Deck, Group, Key, Kind, Pattern, PatternCondition, Runs
from interpreter.cards import CardSet
from interpreter.combinations import Combinations

DECK = Deck(
    ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"),
    ("clubs", "diamonds", "hearts", "spades"),
    runs=Runs(low_rank=12),
)
PAIR_AND_PAIR = (Group(2, rank="_1"), Group(2, rank="_2"))
TWO_RANKS = (("_1", "rank"), ("_2", "rank"))
DIFFERENT = (PatternCondition("_1", Compare.NE, "_2"),)
ONE_RANK = (("_1", "rank"),)
ONE_SUIT = (("_1", "suit"),)
ROWS = {
    "no pair": None,
    "pair": Pattern((Group(2, rank="_1"),), ONE_RANK),
    "two pair": Pattern(PAIR_AND_PAIR, TWO_RANKS, DIFFERENT),
    "three": Pattern((Group(3, rank="_1"),), ONE_RANK),
    "straight": Pattern((Group(5, run=True),)),
    "flush": Pattern((Group(5, suit="_1"),), ONE_SUIT),
    "full house": Pattern((Group(3, rank="_1"), Group(2, rank="_2")), TWO_RANKS, DIFFERENT),
    "four": Pattern((Group(4, rank="_1"),), ONE_RANK),
    "straight flush": Pattern((Group(5, run=True, suit="_1"),), ONE_SUIT),
    "royal flush": Pattern((Group(5, run=True, rank=12, suit="_1"),), ONE_SUIT),
}
COUNTS = (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4)
# The evaluator numbers the 7462 classes of hands from the strongest; the last number of each category.
LAST = (1, 10, 166, 322, 1599, 1609, 2467, 3325, 6185, 7462)


def table() -> Combinations:
    kinds = tuple(Kind(name, pattern, 5, (Key.GROUPS, Key.SIDE_CARDS)) for name, pattern in ROWS.items())
    return Combinations(CardSet(DECK), kinds)


def category(rank: int) -> int:
    return len(LAST) - 1 - bisect_left(LAST, rank)


@pytest.mark.slow
def test_all_five_card_hands_agree_with_another_evaluator() -> None:
    """Card numbers mean the same to both (rank by rank, clubs first), so each hand is asked about as it is."""
    table_of_hands = table()
    seen: dict[int, tuple[int, tuple[int, ...]]] = {}
    counts: Counter[int] = Counter()
    for hand in combinations(range(52), 5):
        best = table_of_hands.best(hand)
        assert best is not None
        counts[best.kind] += 1
        rank = evaluate_cards(*hand)
        assert seen.setdefault(rank, best.strength) == best.strength, hand
        assert category(rank) == best.kind, hand
    assert tuple(counts[kind] for kind in range(len(COUNTS))) == COUNTS
    # The same classes in the same order: as many strengths as ranks, and each weaker than the one before.
    strengths = [seen[rank] for rank in sorted(seen)]
    assert len(strengths) == 7462
    assert all(a > b for a, b in pairwise(strengths))


def test_a_sample_of_hands_agrees_with_another_evaluator() -> None:
    table_of_hands, rng = table(), random.Random(20)
    hands = [tuple(rng.sample(range(52), 5)) for _ in range(1500)]
    found = [table_of_hands.best(hand) for hand in hands]
    ranks = [evaluate_cards(*hand) for hand in hands]
    order = sorted(range(len(hands)), key=lambda i: -ranks[i])
    for a, b in pairwise(order):
        one, other = found[a], found[b]
        assert one is not None and other is not None
        assert (one.strength == other.strength) == (ranks[a] == ranks[b])
        assert one.strength <= other.strength
        assert one.kind == category(ranks[a])


def test_the_best_category_among_seven_cards_agrees() -> None:
    table_of_hands, rng = table(), random.Random(7)
    for _ in range(1500):
        hand = tuple(rng.sample(range(52), 7))
        best = table_of_hands.best(hand)
        assert best is not None and best.kind == category(evaluate_cards(*hand)), hand

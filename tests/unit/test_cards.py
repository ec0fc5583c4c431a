"""Cards: how they are counted and written, and which ranks make a run."""

from __future__ import annotations

import pytest

from dsl.ir import Deck, Runs
from interpreter.cards import CardSet

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("clubs", "diamonds", "hearts", "spades")
SPOKEN = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")


def tops(runs: Runs, length: int = 5) -> list[str]:
    return [RANKS[run.top] for run in CardSet(Deck(RANKS, SUITS, runs=runs)).runs(length)]


def test_cards_count_suit_by_suit_within_a_rank_and_deck_by_deck() -> None:
    cards = CardSet(Deck(RANKS, SUITS, copies=2))
    assert (cards.num_faces, cards.num_cards, len(cards.pack)) == (52, 104, 104)
    assert (cards.face[53], cards.rank[53], cards.suit[53]) == (1, 0, 1)
    assert cards.cards_of(51) == (51, 103)
    assert cards.name(103) == cards.face_name(51) == "AS"


def test_jokers_have_a_rank_and_a_suit_of_their_own() -> None:
    cards = CardSet(Deck((*RANKS, "joker"), SUITS, copies=2, num_jokers=3, rank_names=SPOKEN))
    assert (cards.num_faces, cards.num_cards) == (55, 110)
    assert {(cards.rank[c], cards.suit[c]) for c in (52, 53, 54, 107, 109)} == {(13, 4)}
    assert [cards.name(c) for c in (51, 52, 109)] == ["AS", "joker", "joker"]
    assert cards.parse("Joker") == 52 and cards.long_name(54) == "joker"
    assert all(13 not in run.ranks for run in cards.runs(2))


def test_removed_faces_are_not_in_the_pack() -> None:
    cards = CardSet(Deck(RANKS, SUITS, copies=2, removed=(0, 51)))
    assert cards.num_cards == 104 and len(cards.pack) == 100
    assert cards.cards_of(0) == () and 52 not in cards.pack


@pytest.mark.parametrize(
    "text", ["10S", "10s", "TS", "ts", "10♠", "T♤", "10 of spades", "Ten of Spades", " 10♠\ufe0f "]
)
def test_a_face_can_be_written_in_several_ways(text: str) -> None:
    cards = CardSet(Deck(RANKS, SUITS, rank_names=SPOKEN, suit_letters=("C", "D", "H", "S")))
    face = cards.parse(text)
    assert face == 35 and cards.names[face] == "10S" and cards.long_name(face) == "ten of spades"


@pytest.mark.parametrize("text", ["", "S", "10", "11S", "1S", "10X", "spades of ten"])
def test_other_words_are_no_card(text: str) -> None:
    assert CardSet(Deck(RANKS, SUITS)).parse(text) is None


def test_every_name_reads_back() -> None:
    for deck in (
        Deck(RANKS, SUITS),
        Deck(("T", "10"), ("stars", "swords", "sun")),
        Deck(("1", "11"), ("1s", "s"), suit_letters=("1S", "S")),
    ):
        cards = CardSet(deck)
        assert [cards.parse(name) for name in cards.names][: cards.num_faces - 1] == list(range(cards.num_faces - 1))


def test_suits_with_one_initial_are_written_in_full() -> None:
    assert CardSet(Deck(("1",), ("stars", "swords"))).names == ["1stars", "1swords"]


def test_runs_in_plain_rank_order() -> None:
    assert tops(Runs()) == ["6", "7", "8", "9", "10", "J", "Q", "K", "A"]


def test_an_ace_may_be_low_too() -> None:
    cards = CardSet(Deck(RANKS, SUITS, runs=Runs(low_rank=12)))
    low = cards.runs(5)[0]
    assert (low.ranks, low.top, low.heights) == ((12, 0, 1, 2, 3), 3, (3, 2, 1, 0, -1))
    assert len(cards.runs(5)) == 10 and len(cards.runs(13)) == 2 and cards.runs(14) == ()


def test_an_ace_may_be_only_low() -> None:
    assert tops(Runs(low_rank=12, high=False)) == ["5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def test_a_rank_may_stand_in_no_run() -> None:
    assert tops(Runs(never=12)) == ["6", "7", "8", "9", "10", "J", "Q", "K"]
    assert tops(Runs(never=0))[0] == "7"
    assert tops(Runs(never=6)) == ["6", "7", "K", "A"]  # the ranks beside it do not close up
    assert tops(Runs(low_rank=12, never=12)) == tops(Runs(never=12))


def test_runs_may_wrap_around() -> None:
    cards = CardSet(Deck(RANKS, SUITS, runs=Runs(wraps=True)))
    assert len(cards.runs(5)) == 13 == len(cards.runs(13))
    around = next(run for run in cards.runs(5) if run.ranks[0] == 10)
    assert around.ranks == (10, 11, 12, 0, 1) and around.top == 1 and around.heights == (1, 0, -1, -2, -3)


def test_a_rank_that_is_not_the_highest_may_be_low() -> None:
    """As where twos are high but threes follow aces: 3, 4, ... K, A, 2 with A-3-4."""
    cards = CardSet(Deck((*RANKS[1:], "2"), SUITS, runs=Runs(low_rank=11)))
    assert cards.runs(3)[0].ranks == (11, 0, 1)
    assert cards.runs(3)[-1].ranks == (10, 11, 12)

"""Values, their domains, and how they are written."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dsl import ir
from interpreter.values import UNSET, Words, as_cards, domain_values, show, show_number, whole
from tests.unit.interpreter_games import discards, game

GAME = discards()
WORDS = Words(GAME)


@pytest.mark.parametrize(
    ("number", "text"),
    [(7, "7"), (-7, "-7"), (Fraction(9, 5), "1.8"), (Fraction(-1, 20), "-0.05"), (Fraction(1, 3), "1/3"),
     (Fraction(4, 2), "2"), (Fraction(-25, 2), "-12.5"), (0, "0")],
)  # fmt: skip
def test_numbers_are_shown_exactly(number: int | Fraction, text: str) -> None:
    assert show_number(number) == text


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (2, ir.PlayerType(), "seat 3"),
        (3, ir.RankType(), "K"),
        (1, ir.SuitType(), "hearts"),
        (1, ir.KindType(), "pair"),
        (0, ir.KindType(), "one card"),
        (2, ir.CardType(), "8C"),
        ((2, 7), ir.CardsType(), "8C KH"),
        ((), ir.CardsType(), "no cards"),
        (None, ir.OptionalType(ir.PlayerType()), "none"),
        (1, ir.OptionalType(ir.PlayerType()), "seat 2"),
        (True, ir.BoolType(), "yes"),
        (False, ir.BoolType(), "no"),
        (1, ir.EnumType(("above_the_line", "below_the_line")), "below the line"),
        (Fraction(9, 5), ir.FractionType(), "1.8"),
        (5, ir.IntType(), "5"),
        (UNSET, ir.IntType(), "not set"),
        (WORDS.combinations.make(1, (3,)), ir.CombinationType(), "two Ks"),
        ((WORDS.combinations.make(1, (3,)),), ir.CombinationsType(), "two Ks"),
        ((), ir.CombinationsType(), "no combination"),
    ],
)
def test_values_are_shown_in_the_games_words(value: Any, type_: ir.Type, text: str) -> None:
    assert WORDS.show(value, type_) == show(value, type_, GAME) == text


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (ir.PlayerType(), (0, 1)),
        (ir.KindType(), (0, 1)),
        (ir.RankType(), (0, 1, 2, 3)),
        (ir.SuitType(), (0, 1)),
        (ir.EnumType(("a", "b", "c")), (0, 1, 2)),
        (ir.IntType(-1, 2), (-1, 0, 1, 2)),
        (ir.BoolType(), (False, True)),
        (ir.OptionalType(ir.SuitType()), (None, 0, 1)),
        (ir.CardType(), tuple(range(8))),
    ],
)
def test_domains_are_in_order(type_: ir.Type, values: tuple[Any, ...]) -> None:
    assert domain_values(type_, GAME) == values


def test_two_copies_of_a_face_stand_next_to_each_other() -> None:
    two = game((), deck=ir.Deck(("7", "8"), ("clubs",), copies=2))
    assert domain_values(ir.CardType(), two) == (0, 2, 1, 3)


@pytest.mark.parametrize("type_", [ir.IntType(), ir.IntType(0), ir.FractionType(), ir.CardsType()])
def test_endless_types_have_no_list(type_: ir.Type) -> None:
    with pytest.raises(ValueError):
        WORDS.domain(type_)


def test_what_stands_for_cards() -> None:
    pair = ir.Combination(1, (0,), (0,), (0, 1))
    assert as_cards(None) == () == as_cards(())
    assert as_cards(3) == (3,)
    assert as_cards((3, 4)) == (3, 4)
    assert as_cards(pair) == (0, 1)
    assert as_cards((pair, ir.Combination(0, (2,), (2,), (4,)))) == (0, 1, 4)


def test_whole_numbers_are_ints() -> None:
    assert type(whole(Fraction(6, 3))) is int
    assert whole(Fraction(1, 2)) == Fraction(1, 2)

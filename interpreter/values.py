"""Runtime values, the finite domains they come from, and how a value is written in the game's words.

A player, rank, suit, kind or enumeration value is an `int` counted from 0; a card is its number; cards and
combinations are tuples. Whole numbers are `int`, other rationals `Fraction`. None is "none".
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, assert_never

from dsl import ir
from dsl.source import Span
from interpreter.cards import CardSet
from interpreter.combinations import Combinations


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()
"""What a state variable holds before it is first assigned."""


class Fault(Exception):
    """The rules ask for what cannot be: an obligation of an expression or of a move does not hold.

    The message never names a hidden card. `origin` is the node that was run; `span` the smallest text known.
    """

    def __init__(self, message: str, origin: ir.Origin | None = None, span: Span | None = None) -> None:
        super().__init__(message)
        self.message, self.origin, self._span = message, origin, span

    @property
    def span(self) -> Span | None:
        return self._span or (self.origin.span if self.origin else None)

    def __str__(self) -> str:
        where = f"{self.span}: " if self.span else ""
        rule = f" (in {self.origin.rule})" if self.origin and self.origin.rule else ""
        return f"{where}{self.message}{rule}"


def is_combination(type_: ir.Type) -> bool:
    """Whether a value of the type is a combination, perhaps none."""
    return isinstance(type_.of if isinstance(type_, ir.OptionalType) else type_, ir.CombinationType)


def strength(value: ir.Combination | None) -> tuple[int, tuple[int, ...]]:
    """What orders combinations: none is below every one."""
    return (-1, ()) if value is None else (value.kind, value.key)


def order_key(type_: ir.Type) -> Callable[[Any], Any] | None:
    """What orders values of a type where the values do not order themselves; else None."""
    if is_combination(type_):
        return strength
    if isinstance(type_, ir.OptionalType):
        return lambda v: (0, 0) if v is None else (1, v)
    return None


def whole(value: int | Fraction) -> int | Fraction:
    """The same number, as an `int` where it is whole."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def as_cards(value: Any) -> tuple[int, ...]:
    """The cards that a card, some cards, a combination, several combinations or none stand for."""
    if value is None:
        return ()
    if isinstance(value, ir.Combination):
        return value.cards
    if not isinstance(value, tuple):
        return (value,)
    if value and isinstance(value[0], ir.Combination):
        return tuple(c for combination in value for c in combination.cards)
    return value


def show_number(value: int | Fraction) -> str:
    """A number, exactly: "7", "1.8", "1/3"."""
    if isinstance(value, int) or value.denominator == 1:
        return str(int(value))
    rest = value.denominator
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def plain(name: str) -> str:
    """A declared name as people read it: "some_name" is "some name"."""
    return name.replace("_", " ")


class Words:
    """The domains of one game, and its values in its own words."""

    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self.cards = CardSet(game.deck)
        self.combinations = Combinations(self.cards, game.kinds)
        self._calls: tuple[ir.Combination, ...] | None = None

    @property
    def calls(self) -> tuple[ir.Combination, ...]:
        """Every combination that can be called, the weakest first."""
        if self._calls is None:
            self._calls = self.combinations.ladder()
        return self._calls

    def bounds(self, domain: ir.Domain) -> tuple[int, int]:
        """The first and the last value of a domain; the values are the whole numbers between."""
        match domain:
            case ir.PlayerType():
                return 0, self.game.num_players - 1
            case ir.KindType():
                return 0, len(self.game.kinds) - 1
            case ir.RankType():
                return 0, self.cards.num_ranks - 1
            case ir.SuitType():
                return 0, self.cards.num_suits - 1
            case ir.EnumType(names):
                return 0, len(names) - 1
            case ir.IntType(low, high):
                if low is None or high is None:
                    raise ValueError("a domain of numbers needs both bounds")
                return low, high
        assert_never(domain)

    def domain(self, type_: ir.Type) -> tuple[Any, ...]:
        """Every value of a finite type, in order.

        Raises:
            ValueError: The type has no end of values.
        """
        match type_:
            case ir.BoolType():
                return False, True
            case ir.OptionalType(of):
                return None, *self.domain(of)
            case ir.CardType():
                return tuple(sorted(self.cards.pack, key=lambda c: (self.cards.face[c], c)))
            case ir.CombinationType():
                return self.calls
            case ir.FractionType() | ir.CardsType() | ir.CombinationsType():
                raise ValueError(f"{type(type_).__name__} has no list of values")
            case _:
                low, high = self.bounds(type_)
                return tuple(range(low, high + 1))

    def show(self, value: Any, type_: ir.Type) -> str:
        """A value as people read it: "seat 3", "K", "hearts", "a kind", "9S", "1.8", "none", "yes"."""
        if value is UNSET:
            return "not set"
        if value is None:
            return "none"
        match type_:
            case ir.OptionalType(of):
                return self.show(value, of)
            case ir.IntType() | ir.FractionType():
                return show_number(value)
            case ir.BoolType():
                return "yes" if value else "no"
            case ir.PlayerType():
                return f"seat {value + 1}"
            case ir.RankType():
                return str(self.cards.rank_labels[value])
            case ir.SuitType():
                return str(self.cards.suit_labels[value])
            case ir.KindType():
                return plain(self.game.kinds[value].name)
            case ir.EnumType(names):
                return plain(names[value])
            case ir.CardType():
                return self.cards.name(value)
            case ir.CardsType():
                return " ".join(map(self.cards.name, value)) or "no cards"
            case ir.CombinationType():
                return self.combinations.say(value)
            case ir.CombinationsType():
                return ", ".join(map(self.combinations.say, value)) or "no combination"
        assert_never(type_)


def domain_values(type_: ir.Type, game: ir.Game) -> tuple[Any, ...]:
    """Every value of a finite type, in order; `Words.domain` for a single question."""
    return Words(game).domain(type_)


def show(value: Any, type_: ir.Type, game: ir.Game) -> str:
    """A value in a game's words; `Words.show` for a single question."""
    return Words(game).show(value, type_)

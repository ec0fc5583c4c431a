"""Types, and the values they have."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class IntType:
    """Whole numbers from `low` to `high`, both inclusive; `None` is no bound."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class FractionType:
    """Exact rationals."""


@dataclass(frozen=True, slots=True)
class BoolType:
    """Yes or no."""


@dataclass(frozen=True, slots=True)
class PlayerType:
    """A seat; values are seats counted from 0, people see them counted from 1."""


@dataclass(frozen=True, slots=True)
class RankType:
    """A rank; values are places in the rank order from 0, the lowest."""


@dataclass(frozen=True, slots=True)
class SuitType:
    """A suit; values are places in the declared list, from 0. Suits have no order."""


@dataclass(frozen=True, slots=True)
class KindType:
    """A row of the combination table; values are places in strength order from 0, the weakest."""


@dataclass(frozen=True, slots=True)
class CardType:
    """A physical card; values are 0 up to the number of cards. Equal faces are different cards."""


@dataclass(frozen=True, slots=True)
class CombinationType:
    """A kind with its ranks and suits, named in a call or found among cards."""


@dataclass(frozen=True, slots=True)
class CardsType:
    """Some cards, in order."""


@dataclass(frozen=True, slots=True)
class CombinationsType:
    """Several combinations, as a split of a hand yields them."""


@dataclass(frozen=True, slots=True)
class EnumType:
    """One of named values; values are places in `names`."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OptionalType:
    """A value of type `of`, or none."""

    of: Type


Type: TypeAlias = (
    IntType
    | FractionType
    | BoolType
    | PlayerType
    | RankType
    | SuitType
    | KindType
    | CardType
    | CombinationType
    | CardsType
    | CombinationsType
    | EnumType
    | OptionalType
)

# What a zone, a state variable or a binder can range over: the finite sorts.
Domain: TypeAlias = PlayerType | KindType | RankType | SuitType | EnumType | IntType

# --------------------------------------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Combination:
    """A value of type combination.

    `kind` is the strength order of its row, `arguments` the ranks and suits of the pattern's variables in
    order, `key` what breaks ties within the kind (greater is stronger), `cards` those it was found in: empty
    for a call, and no part of what it is. Two combinations of one kind and key are equal in strength.
    """

    kind: int
    key: tuple[int, ...]
    arguments: tuple[int, ...] = field(default=(), compare=False)
    cards: tuple[int, ...] = field(default=(), compare=False)

    @property
    def strength(self) -> tuple[int, tuple[int, ...]]:
        return self.kind, self.key


Value: TypeAlias = int | Fraction | bool | Combination | tuple[int, ...] | tuple[Combination, ...] | None

"""The pack, and the combination table: what its rows ask of some cards."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from dsl.source import Span


@dataclass(frozen=True, slots=True)
class Runs:
    """Which ranks stand next to each other in a run.

    `above_last`: after the highest rank in rank order nothing follows unless `wraps`. `low_rank` is a rank
    that may also stand below the lowest (an ace in A-2-3); `high` says whether that same rank keeps its
    ordinary place too. `never` is a rank that stands in no run.
    """

    low_rank: int | None = None
    high: bool = True
    never: int | None = None
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Deck:
    """The cards of the game. Faces count suit by suit within a rank; copies of a face are further cards.

    Card `c` shows face `c % num_faces`; face `f` has rank `f // len(suits)` and suit `f % len(suits)`, but for
    jokers, the last faces, which have the rank and the suit `joker` that no other card has.
    """

    ranks: tuple[str, ...]  # lowest first; "joker" is the last where there are jokers
    suits: tuple[str, ...]
    copies: int = 1
    num_jokers: int = 0
    runs: Runs = Runs()
    rank_names: tuple[str, ...] = ()  # as spoken, parallel to ranks
    suit_letters: tuple[str, ...] = ()  # as written after a rank: "S"
    removed: tuple[int, ...] = ()  # faces that this pack lacks


# ------------------------------------------------------------------------------------------- patterns


@dataclass(frozen=True, slots=True)
class Group:
    """So many cards that share something.

    `run`: consecutive ranks, and `rank` is then the highest of them. `rank` and `suit` are a variable's name,
    a constant (a rank's or suit's number) or None for anything.
    """

    count: int
    run: bool = False
    rank: str | int | None = None
    suit: str | int | None = None


class Compare(Enum):
    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


@dataclass(frozen=True, slots=True)
class PatternCondition:
    """A comparison between two variables of a pattern, or of one with a constant."""

    left: str | int
    op: Compare
    right: str | int


@dataclass(frozen=True, slots=True)
class Pattern:
    """Disjoint groups of cards. Variables are `(name, "rank" | "suit")` in the order first written."""

    groups: tuple[Group, ...]
    variables: tuple[tuple[str, str], ...] = ()
    conditions: tuple[PatternCondition, ...] = ()

    @property
    def size(self) -> int:
        return sum(g.count for g in self.groups)


class Key(Enum):
    """What breaks ties within a kind, besides named variables."""

    GROUPS = "groups"  # the rank of each group, in the written order, groups of one size from the highest
    CARDS = "cards"  # the ranks of the combination's own cards, from the highest
    SIDE_CARDS = "side cards"  # the ranks of the other cards of the hand, from the highest


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the combination table. `pattern` None is the row "none of these"; `example` are faces that show it."""

    name: str
    pattern: Pattern | None
    size: int
    by: tuple[Key | str, ...]
    say: str | None = None
    columns: tuple[tuple[str, int], ...] = ()
    serves_as: tuple[int, ...] = ()
    cites: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)
    example: tuple[int, ...] = ()

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """The variables a call of this kind must name; anonymous ones start with `_`."""
        return () if self.pattern is None else tuple(v for v in self.pattern.variables if not v[0].startswith("_"))

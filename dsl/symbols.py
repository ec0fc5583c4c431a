"""What each name of a rule file stands for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dsl import ir, syntax
from dsl.source import Span

Env = dict[str, ir.Expr]

CONSTANTS = ("players", "time_left")
ROUNDINGS = {
    "floor": ir.Unary.FLOOR, "ceiling": ir.Unary.CEILING, "nearest": ir.Unary.NEAREST, "whole": ir.Unary.WHOLE,
}  # fmt: skip
PROPERTIES = ("rank", "suit", "kind", "size", "top", "height", "cards", "left", "right", "opponent", "partner")


@dataclass(slots=True)
class Symbols:
    """Every declared name, and which of them were used so far."""

    players: tuple[int, int]
    deck: ir.Deck
    kinds: tuple[ir.Kind, ...] = ()
    zones: dict[str, ir.Zone] = field(default_factory=dict)
    state: dict[str, ir.StateVar] = field(default_factory=dict)
    tables: dict[str, ir.Table] = field(default_factory=dict)
    defines: dict[str, syntax.Define] = field(default_factory=dict)
    rules: dict[str, syntax.Rule] = field(default_factory=dict)
    functions: dict[str, ir.Function | None] = field(default_factory=dict)
    enums: dict[str, list[ir.EnumType]] = field(default_factory=dict)
    has_clock: bool = False
    declared: dict[str, tuple[str, Span]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)  # names of what was declared wrongly: using them is no second mistake
    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    ranks: dict[str, int] = field(init=False)
    suits: dict[str, int] = field(init=False)
    faces: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        deck = self.deck
        self.ranks = {name: i for i, name in enumerate(deck.ranks)}
        self.suits = {name: i for i, name in enumerate(deck.suits)}
        self.faces = face_names(deck)

    @property
    def kind_indices(self) -> dict[str, int]:
        return {k.name: i for i, k in enumerate(self.kinds)}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.kinds[0].columns) if self.kinds else ()

    @property
    def num_cards(self) -> int:
        deck = self.deck
        return (len(self.faces) - len(deck.removed)) * deck.copies

    def is_broken(self, name: str) -> bool:
        """Whether something wrong may have been meant to have this name; `*` stands for any."""
        return name in self.broken or "*" in self.broken

    def known(self, env: Iterable[str] = ()) -> list[str]:
        """All names that may stand in an expression."""
        return [
            *env, *self.state, *self.zones, *self.defines, *self.tables, *self.kind_indices, *self.ranks, *self.suits,
            *self.enums, *CONSTANTS, *ROUNDINGS,
        ]  # fmt: skip

    def domain_size(self, domain: ir.Domain) -> int:
        """How many values a finite sort has, players counted at their most."""
        match domain:
            case ir.PlayerType():
                return self.players[1]
            case ir.KindType():
                return len(self.kinds)
            case ir.RankType():
                return len(self.deck.ranks)
            case ir.SuitType():
                return len(self.deck.suits)
            case ir.EnumType(names):
                return len(names)
            case ir.IntType(low, high):
                assert low is not None and high is not None
                return max(0, high - low + 1)


def face_names(deck: ir.Deck) -> dict[str, int]:
    """Each face by its written name: `7S`, `10H`, `joker`."""
    names: dict[str, int] = {}
    suits = [s for s in deck.suits if s != "joker"]
    ranks = [r for r in deck.ranks if r != "joker"]
    for r, rank in enumerate(ranks):
        for s, letter in zip(range(len(suits)), deck.suit_letters, strict=False):
            names[f"{rank}{letter}"] = r * len(suits) + s
    if deck.num_jokers:
        names["joker"] = len(ranks) * len(suits)
    return names

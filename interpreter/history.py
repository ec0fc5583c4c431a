"""What can happen in a game, as data. `interpreter.narrate` puts it in words for each of those who watch.

A mask has a bit for each player, and one for the public, who saw which card it was; see `Layout.everyone`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dsl import ir
from interpreter.state import State


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """Cards went onto zone `target`, in this order. `how` is deal, move or gather; `sources` are their zones."""

    origin: ir.Origin
    how: str
    cards: tuple[int, ...]
    sources: tuple[int, ...]
    target: int
    masks: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Revealed:
    """Cards were shown to one player, or to everybody. `masks` are who knows them now."""

    origin: ir.Origin
    cards: tuple[int, ...]
    sources: tuple[int, ...]
    to: int | None
    masks: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Uncovered:
    """A card came to lie on top of a pile whose top everybody sees."""

    origin: ir.Origin
    card: int
    zone: int


@dataclass(frozen=True, slots=True, eq=False)
class Chose:
    """A player chose an action. Card `c` among its arguments was seen by those in `masks[c]`.

    `masks` is filled in while the action is carried out: a card that is played openly is seen by all. `before` is
    the point where the action was chosen; who thinks about it must see it as their seat does.
    """

    origin: ir.Origin
    player: int
    action: ir.Action
    values: tuple[Any, ...]
    masks: dict[int, int]
    secret: bool  # chosen at the same time as others, and not carried out yet: only the player knows it
    clock_ms: int | None
    before: State | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """A variable of the game (`cell` is its place) changed. `mask` is who sees it."""

    origin: ir.Origin
    cell: int
    old: Any
    new: Any
    mask: int
    masks: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    origin: ir.Origin
    zone: int
    by: int | None


@dataclass(frozen=True, slots=True, eq=False)
class WasCut:
    origin: ir.Origin
    zone: int
    by: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """Chance picked a value for a variable."""

    origin: ir.Origin
    cell: int
    value: Any
    mask: int
    masks: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Announced:
    origin: ir.Origin
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Struck:
    """The clock reached an event."""

    origin: ir.Origin
    event: ir.Event


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    origin: ir.Origin
    reason: str


Entry: TypeAlias = (
    Moved | Revealed | Uncovered | Chose | Assigned | Shuffled | WasCut | Picked | Announced | Struck | Ended
)


def record(state: State, entry: Entry) -> None:
    """Adds an entry to what happened; callers ask `state.recording` first, to save the making of it."""
    history = state.history
    state.history = (entry, history, 1 if history is None else history[2] + 1)


def entries(state: State, last: int | None = None) -> list[Entry]:
    """What happened so far, the earliest first; only the `last` so many if that is given."""
    found: list[Entry] = []
    link = state.history
    while link is not None and (last is None or len(found) < last):
        found.append(link[0])
        link = link[1]
    found.reverse()
    return found

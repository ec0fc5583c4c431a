"""A point of play, and where its variables and zones lie in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from dsl import ir
from interpreter.values import UNSET, Words, plain

if TYPE_CHECKING:
    from interpreter.history import Entry

History: TypeAlias = "tuple[Entry, History, int] | None"
"""What happened: the last entry, what came before it, and how many there are in all."""


@dataclass(frozen=True, slots=True)
class Family:
    """Where the cells of one indexed variable or zone lie: from `base`, the last index running fastest."""

    name: str
    base: int
    dims: tuple[ir.Domain, ...]
    lows: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def num_cells(self) -> int:
        return self.sizes[0] * self.strides[0] if self.sizes else 1

    def index(self, indices: Sequence[int]) -> int:
        """The place of a cell.

        Raises:
            IndexError: There is no such cell.
        """
        place = self.base
        for i, low, size, stride in zip(indices, self.lows, self.sizes, self.strides, strict=True):
            if not low <= i < low + size:
                raise IndexError(f"{self.name} has no such place")
            place += (i - low) * stride
        return place


class Cell(NamedTuple):
    """One variable or zone, or one cell of an indexed one."""

    name: str
    indices: tuple[int, ...]


class Layout:
    """The places of all variables and zones of a game, and what each place is called."""

    def __init__(self, words: Words) -> None:
        game = words.game
        self.words = words
        self.vars, self.var_cells = self._lay_out([(v.name, v.dims) for v in game.state])
        self.zones, self.zone_cells = self._lay_out([(z.name, z.dims) for z in game.zones])
        self.declared_vars = {v.name: v for v in game.state}
        self.declared_zones = {z.name: z for z in game.zones}
        self.cell_vars = [self.declared_vars[c.name] for c in self.var_cells]
        self.cell_zones = [self.declared_zones[c.name] for c in self.zone_cells]
        self.zone_names = [self._label(c, z.dims) for c, z in zip(self.zone_cells, self.cell_zones, strict=True)]
        self.var_names = [self._label(c, v.dims) for c, v in zip(self.var_cells, self.cell_vars, strict=True)]
        # Bit p is player p; the last bit is the public, who see what everybody sees.
        self.public_bit = 1 << game.num_players
        self.everyone = (self.public_bit << 1) - 1
        self.zone_seen = [self._seen(c, z) for c, z in zip(self.zone_cells, self.cell_zones, strict=True)]
        self.zone_counted = [
            self.everyone if "count" in z.shown or "contents" in z.shown else seen
            for z, seen in zip(self.cell_zones, self.zone_seen, strict=True)
        ]
        self.zone_top = ["top" in z.shown for z in self.cell_zones]
        self.zone_contents = ["contents" in z.shown for z in self.cell_zones]
        self.home = self.zones[game.home].base

    def viewer_bit(self, viewer: int | None) -> int:
        """The bit of a player, or of the public for None."""
        return self.public_bit if viewer is None else 1 << viewer

    def _lay_out(self, declared: list[tuple[str, tuple[ir.Domain, ...]]]) -> tuple[dict[str, Family], list[Cell]]:
        families: dict[str, Family] = {}
        cells: list[Cell] = []
        for name, dims in declared:
            bounds = [self.words.bounds(d) for d in dims]
            sizes = [high - low + 1 for low, high in bounds]
            strides, step = [0] * len(dims), 1
            for i in reversed(range(len(dims))):
                strides[i], step = step, step * sizes[i]
            lows = tuple(low for low, _ in bounds)
            families[name] = Family(name, len(cells), dims, lows, tuple(sizes), tuple(strides))
            indices: list[tuple[int, ...]] = [()]
            for low, high in bounds:
                indices = [(*i, v) for i in indices for v in range(low, high + 1)]
            cells.extend(Cell(name, i) for i in indices)
        return families, cells

    def _label(self, cell: Cell, dims: tuple[ir.Domain, ...]) -> str:
        """A cell as people read it: "board of seat 2, hearts"."""
        shown = [self.words.show(i, d) for i, d in zip(cell.indices, dims, strict=True)]
        if shown and all(isinstance(d, ir.IntType) for d in dims):
            return f"{plain(cell.name)} {', '.join(shown)}"
        return plain(cell.name) + (" of " + ", ".join(shown) if shown else "")

    def _seen(self, cell: Cell, zone: ir.Zone) -> int:
        if zone.seen == "everyone":
            return self.everyone
        return 1 << cell.indices[0] if zone.seen == "owner" else 0


@dataclass(frozen=True, slots=True)
class Pending:
    """A choice that waits to be carried out. `values` are its arguments with the cards that they stand for."""

    player: int
    choice: Any
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """What `Resume` goes back to: the stop `node`, or the rest of the choices that were collected there."""

    node: int
    rest: tuple[Pending, ...] | None


class State:
    """A point of play.

    `zones` hold card numbers from the bottom up. `known[c]` has a bit for each player who knows which card it is
    that lies where card `c` lies, and the public's bit. `where[c]` is the zone of card `c`, -1 for a card that the
    pack lacks. `clock_ms` is what is left on the clock; `fired` counts the clock events that have happened.
    """

    __slots__ = (
        "clock_ms", "fired", "history", "known", "pc", "pending", "reason", "recording", "resume", "vars",
        "where", "zones",
    )  # fmt: skip

    def __init__(self, num_vars: int, num_zones: int, num_cards: int, recording: bool = True) -> None:
        self.vars: list[Any] = [UNSET] * num_vars
        self.zones: list[tuple[int, ...]] = [()] * num_zones
        self.known: list[int] = [0] * num_cards
        self.where: list[int] = [-1] * num_cards
        self.pc = 0
        self.pending: tuple[Pending, ...] = ()
        self.resume: tuple[Frame, ...] = ()
        self.clock_ms = 0
        self.fired = 0
        self.reason: str | None = None
        self.recording = recording
        self.history: History = None

    def clone(self) -> State:
        """An independent copy; what happened so far is shared."""
        other: State = State.__new__(State)
        other.vars = self.vars[:]
        other.zones = self.zones[:]
        other.known = self.known[:]
        other.where = self.where[:]
        other.pc, other.pending, other.resume = self.pc, self.pending, self.resume
        other.clock_ms, other.fired, other.reason = self.clock_ms, self.fired, self.reason
        other.recording, other.history = self.recording, self.history
        return other

    def key(self) -> tuple[Any, ...]:
        """Everything that the future depends on, hashable; not what happened so far."""
        return (
            self.pc, tuple(map(_frozen, self.vars)), tuple(self.zones), tuple(self.known), self.clock_ms, self.fired,
            self.reason, tuple(_pending_key(p) for p in self.pending),
            tuple((f.node, None if f.rest is None else tuple(map(_pending_key, f.rest))) for f in self.resume),
        )  # fmt: skip


def check_conservation(state: State, pack: Sequence[int]) -> None:
    """For tests: every card of the pack lies in exactly one zone, and the state knows in which.

    Raises:
        AssertionError: It does not.
    """
    lying = [card for zone in state.zones for card in zone]
    assert sorted(lying) == sorted(pack), "cards got lost or doubled"
    for place, zone in enumerate(state.zones):
        for card in zone:
            assert state.where[card] == place, f"card {card} is thought to lie in zone {state.where[card]}"


def _frozen(value: Any) -> Any:
    """A combination compares by strength alone; a state is told apart by the rest of it too."""
    if isinstance(value, ir.Combination):
        return value.kind, value.key, value.arguments, value.cards
    if isinstance(value, tuple):
        return tuple(map(_frozen, value))
    return value


def _pending_key(pending: Pending) -> Any:
    return pending.player, pending.choice, tuple(map(_frozen, pending.values))


Evaluator: TypeAlias = Callable[[State], Any]
"""An expression, made ready: the value it has in a state."""

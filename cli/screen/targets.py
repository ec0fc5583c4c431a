"""What can be pointed at on the screen, what of it takes part in legal moves, and which moves were meant by it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from cli.menu import Move
from cli.sitting import Turn
from dsl import ir
from interpreter.actions import Parameter
from interpreter.machine import Machine
from interpreter.values import as_cards


@dataclass(frozen=True, slots=True)
class CardAt:
    """A card in a zone, counted from the bottom; `name` only where the viewer knows it."""

    zone: int
    place: int
    name: str | None


@dataclass(frozen=True, slots=True)
class ZoneAt:
    """A zone as a whole."""

    zone: int


@dataclass(frozen=True, slots=True)
class SeatAt:
    """A player, from 0."""

    player: int


@dataclass(frozen=True, slots=True)
class KindAt:
    """A kind of combination."""

    kind: int


@dataclass(frozen=True, slots=True)
class MoveAt:
    """A move of the list, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class GroupAt:
    """Several moves of the list that stand in one line."""

    name: str


@dataclass(frozen=True, slots=True)
class EntryAt:
    """A line of the log, from 0."""

    number: int


Target: TypeAlias = CardAt | ZoneAt | SeatAt | KindAt | MoveAt | GroupAt | EntryAt
Slot: TypeAlias = frozenset[Target]
"""What an argument of a move may be pointed at by: any of equal cards, a place, a seat, a kind."""


class Choosing:
    """What one decision makes of the things on the table.

    Only what the player may know is used: cards that they know, places, and where an unknown card that they may
    point at lies.
    """

    def __init__(self, machine: Machine, turn: Turn) -> None:
        self._machine, self._state, self._player = machine, turn.state, turn.player
        self._slots: dict[int, tuple[Slot, ...]] = {}
        plans = machine.plans(turn.state)
        with machine.seated(turn.state, turn.player):
            for move in turn.menu.moves:
                parameters = plans[move.choice.action].parameters
                slots: list[Slot] = []
                for parameter, argument in zip(parameters, move.choice.arguments, strict=True):
                    slots += self._slots_of(parameter, argument)
                self._slots[move.number] = tuple(slots)
        self.lit: frozenset[Target] = frozenset(t for slots in self._slots.values() for slot in slots for t in slot)
        self._moves = turn.menu.moves
        self._subsets = {
            move.number for move in self._moves if any(p.is_subset for p in plans[move.choice.action].parameters)
        }

    def fitting(self, picks: Collection[Target]) -> list[Move]:
        """The moves in which everything that was picked takes part."""
        return [move for move in self._moves if _covered(picks, self._slots[move.number])]

    def exact(self, picks: Collection[Target]) -> list[Move]:
        """Those of them that need nothing else to be picked."""
        return [move for move in self.fitting(picks) if picks and len(self._slots[move.number]) == len(picks)]

    def is_gathering(self, picks: Collection[Target]) -> bool:
        """Whether a move that takes several cards may be meant: then a second click puts a card back."""
        return any(move.number in self._subsets for move in self.fitting(picks))

    def still_lit(self, picks: Collection[Target]) -> frozenset[Target]:
        """What may be picked next."""
        if not picks:
            return self.lit
        fitting = self.fitting(picks)
        return frozenset(t for move in fitting for slot in self._slots[move.number] for t in slot)

    def slots(self, move: Move) -> tuple[Slot, ...]:
        """What a move is pointed at by, argument by argument."""
        return self._slots[move.number]

    # -------------------------------------------------------------------------------------------- inside

    def _slots_of(self, parameter: Parameter, argument: Any) -> list[Slot]:
        if parameter.is_card:
            cards = argument if parameter.is_subset else (argument,)
            return [slot for slot in (self._card(parameter, card) for card in cards) if slot]
        if isinstance(argument, ir.Combination):
            return [frozenset({KindAt(argument.kind)})]
        places = places_for(self._machine, parameter.type, argument, self._player)
        return [places] if places else []

    def _card(self, parameter: Parameter, said: int) -> Slot:
        """Where a card lies that is named, or pointed at as the nth of its pile."""
        state, cards = self._state, self._machine.words.cards
        if said < 0:
            pile = as_cards(parameter.values(state))
            card = pile[-1 - said] if -said <= len(pile) else None
            if card is None:
                return frozenset()
            zone = state.where[card]
            return frozenset({CardAt(zone, state.zones[zone].index(card), None)})
        zone, bit = state.where[said], 1 << self._player
        if zone < 0:
            return frozenset()
        look, name = cards.look, cards.name(said)
        return frozenset(
            CardAt(zone, place, name)
            for place, card in enumerate(state.zones[zone])
            if look[card] == look[said] and state.known[card] & bit
        )


def places_for(machine: Machine, type_: ir.Type, value: Any, player: int) -> Slot:
    """The zones, the seat and the kind that stand for a value on the table; a zone of other seats does not."""
    if not isinstance(value, int) or isinstance(value, bool):
        return frozenset()
    found: set[Target] = set()
    of = type_.of if isinstance(type_, ir.OptionalType) else type_
    for zone, (cell, declared) in enumerate(zip(machine.layout.zone_cells, machine.layout.cell_zones, strict=True)):
        is_of_players = bool(declared.dims) and isinstance(declared.dims[0], ir.PlayerType)
        rest = slice(1, None) if is_of_players else slice(None)
        own = not is_of_players or cell.indices[0] == player
        if own and cell.indices[rest] == (value,) and declared.dims[rest] == (of,):
            found.add(ZoneAt(zone))
    if isinstance(of, ir.PlayerType):
        found.add(SeatAt(value))
    if isinstance(of, ir.KindType):
        found.add(KindAt(value))
    return frozenset(found)


def zone_of(target: Target) -> int | None:
    """The zone that a target lies in."""
    return target.zone if isinstance(target, CardAt | ZoneAt) else None


def normal(target: Target, wanted: Collection[Target]) -> Target:
    """The target itself, or where only its zone is wanted that: a click on a card of a place means the place."""
    zone = zone_of(target)
    if target not in wanted and zone is not None and ZoneAt(zone) in wanted:
        return ZoneAt(zone)
    return target


def _covered(picks: Collection[Target], slots: Sequence[Slot]) -> bool:
    """Whether each pick has an argument of its own."""
    left = list(slots)
    for pick in picks:
        match = next((slot for slot in left if pick in slot), None)
        if match is None:
            return False
        left.remove(match)
    return True

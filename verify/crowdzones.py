"""How many cards lie in the zones of a crowd: of a seat, of all, and of the pack as a whole."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import product

from dsl import ir
from interpreter.machine import Machine
from verify.crowd import Bounds, Crowd, Seat
from verify.crowdvalues import Env, Opaque, just
from verify.linear import YES, Linear, equal, number


class CrowdZones:
    """The zones of one game. `known` tells a number that an expression always is, or raises `Opaque`."""

    def __init__(self, crowd: Crowd, machine: Machine, known: Callable[[ir.Expr, Env], int]) -> None:
        self._crowd, self._machine, self._known = crowd, machine, known

    def quantity(self, seat: Seat | None, key: Hashable, bounds: Bounds) -> Linear:
        return self._crowd.something(key, bounds) if seat is None else self._crowd.has(seat, key, bounds)

    def size(self, zone: ir.Zone, seat: Seat | None, others: tuple[int, ...]) -> Linear:
        """How many cards lie in one zone."""
        return self.quantity(seat, ("zone", zone.name, others), (0, self._holds(zone, others)))

    def _holds(self, zone: ir.Zone, others: tuple[int, ...]) -> int | None:
        """The most that a zone holds, where that is the same for each seat and number of players."""
        if zone.holds is None:
            return None
        waiting = iter(others)
        env = {
            f"#{i}": just(number(next(waiting)))
            for i, dim in enumerate(zone.dims)
            if not isinstance(dim, ir.PlayerType)
        }
        try:
            return max(0, self._known(zone.holds, env))
        except Opaque:
            return None

    def places(self, zone: ir.Zone) -> Iterator[tuple[int, ...]]:
        yield from product(*(self._machine.words.domain(d) for d in zone.dims if not isinstance(d, ir.PlayerType)))

    def of_zone(self, zone: ir.Zone, seat: Seat | None) -> Linear:
        """The cards in all zones of a family, of one seat where it has such."""
        found = number(0)
        for others in self.places(zone):
            found = found + self.size(zone, seat, others)
        return found

    def in_family(self, zone: ir.Zone) -> Linear:
        """The cards in all zones of a family, of all seats."""
        seats = sum(isinstance(d, ir.PlayerType) for d in zone.dims)
        if seats > 1:
            return self._crowd.something(("all of", zone.name), (0, None))
        if not seats:
            return self.of_zone(zone, None)
        return self._crowd.total(("all of", zone.name), lambda seat: ((YES, self.of_zone(zone, seat)),))

    def keep_cards(self) -> None:
        """Each card of the pack lies somewhere, and once."""
        found = number(0)
        for zone in self._machine.game.zones:
            found = found + self.in_family(zone)
        self._crowd.facts.append(equal(found, number(len(self._machine.words.cards.pack))))

"""All positions that are like a given one: seats turned, places that may change about in every other order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, permutations

from dsl import ir
from interpreter.machine import Machine
from verify.points import Point
from verify.symmetry import counted_seats, places, turning

_MOST = 24
"""So many orders of the same places are gone through for one position; of more, some."""


class Images:
    """What is like a position, by what `symmetry.canonical` goes by. `is_all`: nothing was left out so far."""

    def __init__(
        self, machine: Machine, asked: tuple[ir.Expr, ...] = (), variables: tuple[tuple[str, ir.Type], ...] = ()
    ) -> None:
        self._seats = counted_seats(machine, asked)
        self._turned = (lambda point, by: point) if self._seats is None else turning(self._seats)
        self._places = places(machine, asked, variables)
        self.is_all = True

    def told(self) -> list[str]:
        """What may change about, in words."""
        seat = [] if self._seats is None else [f"the {self._seats.num_players} seats, in a circle"]
        return [*seat, *(f"{rows.size} places, in any order" for rows in self._places)]

    def of(self, point: Point) -> Iterator[Point]:
        """Each position that is like this one, itself first, none twice."""
        seen = {point}
        yield point
        if point.frames:
            return  # what is interrupted tells them apart
        for image in self._ordered(point):
            turns = range(1 if self._seats is None else self._seats.num_players)
            for turned in (image if self._seats is None else self._turned(image, by) for by in turns):
                if turned not in seen:
                    seen.add(turned)
                    yield turned

    def _ordered(self, point: Point) -> Iterator[Point]:
        found = [point]
        for table in self._places:
            if table.are_told_apart(point):
                continue
            rows = table.rows(point)
            orders = list(islice(permutations(rows), _MOST + 1))
            if len(orders) > _MOST:
                # The same ones for the same rows, whatever else is looked at.
                self.is_all = self.is_all and len(set(rows)) == 1
                rng = random.Random(repr(rows))
                orders = [tuple(rows), *(tuple(rng.sample(rows, len(rows))) for _ in range(_MOST))]
            found = [table.put(p, order) for p in found for order in dict.fromkeys(orders)]
        yield from found

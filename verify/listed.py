"""Whether real plays stay among listed positions of the count abstraction: by the interpreter, and by nothing else."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from typing import Any, Final

from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET, Fault, as_cards
from verify.counted import Counted
from verify.points import Point
from verify.positions import told
from verify.randomplay import step
from verify.unknown import UNKNOWN, Held

_LONGEST: Final = 2_000  # steps of one play
_ENOUGH: Final = 4_000  # stops in all


class Listed:
    """Listed positions. `stops` of real plays were looked at."""

    def __init__(self, counted: Counted, points: Iterable[Point]) -> None:
        self._counted, counting = counted, counted.counting
        self._machine = Machine(counting.game)
        self._kept = [counting.keeps(i) for i in range(len(counting.layout.var_cells))]
        self._is_counted = [n is not None for n in counting.start().counts]
        self._home = [self._counted_at(cell) for cell in range(len(self._is_counted))]
        self._by_counts: dict[Any, list[Point]] = {}
        for point in points:
            self._by_counts.setdefault(_key(point), []).append(point)
        self.stops = 0

    def play(self, seconds: float) -> str | None:
        """Plays at random, always the same games; where one leaves the positions, None if none does."""
        deadline, rng = time.monotonic() + seconds, random.Random(0)
        while self.stops < _ENOUGH and time.monotonic() < deadline:
            try:
                state = self._machine.initial(recording=False)
                for _ in range(_LONGEST):
                    if (stray := self._look(state)) is not None:
                        return stray
                    if self._machine.is_terminal(state) or time.monotonic() > deadline:
                        break
                    if not step(self._machine, state, rng, rng.choice):  # each action as likely
                        break
            except Fault:
                continue
        return None

    def _look(self, state: State) -> str | None:
        self.stops += 1
        if self.covers(state):
            return None
        return f"after {told(self._machine.game, state.pc)}"

    def covers(self, state: State) -> bool:
        """Whether a listed position, or one that is like it, stands for a state."""
        counting, images = self._counted.counting, self._counted.images
        known = tuple(v if kept else UNKNOWN for v, kept in zip(state.vars, self._kept, strict=True))
        counts = tuple(self._count(cell, state) if c else None for cell, c in enumerate(self._is_counted))
        frames = tuple(f.node for f in state.resume)
        point = Point(state.pc, known, counts, state.fired, frames)
        if self._fits(point, state):
            return True
        # What no longer matters may have been left out before it was asked what is alike, or not yet.
        ways = {counting.tidy(point), point}
        if self._counted.canonical is not None and any(self._fits(self._counted.canonical(p), None) for p in ways):
            return True
        return images is not None and any(self._fits(image, None) for p in ways for image in images.of(p))

    def _fits(self, point: Point, state: State | None) -> bool:
        """Whether a listed position says nothing else than this one; of cards, where they lie in a state."""
        return any(
            all(_agree(x, y) for x, y in zip(listed.vars, point.vars, strict=True))
            and (state is None or all(self._lie(x, y, state) for x, y in zip(listed.vars, state.vars, strict=True)))
            for listed in self._by_counts.get(_key(point), ())
        )

    def _count(self, cell: int, state: State) -> int:
        """How many cards lie in a zone; of a family that is counted together, in all of them at the first."""
        return sum(len(zone) for zone, home in zip(state.zones, self._home, strict=True) if home == cell)

    def _counted_at(self, cell: int) -> int:
        """Where the cards of a zone are counted."""
        layout = self._machine.layout
        family = layout.zones[layout.zone_cells[cell].name]
        is_summed = family.name in self._counted.counting.summed
        return cell - (cell - family.base) % family.sizes[-1] if is_summed else cell

    def _lie(self, listed: Any, value: Any, state: State) -> bool:
        """Whether cards lie where a position says they do."""
        if not isinstance(listed, Held):
            return True
        places: dict[int, int] = {}
        for card in as_cards(value) if value is not UNSET else ():
            home = self._home[state.where[card]]
            places[home] = places.get(home, 0) + 1
        return tuple(sorted(places.items())) == listed.parts


def _key(point: Point) -> Any:
    return point.pc, point.fired, point.frames, point.counts


def _agree(listed: Any, value: Any) -> bool:
    """Whether a value may be what a position says; of cards it says only where they lie."""
    if listed is UNKNOWN or listed is UNSET or value is UNKNOWN or isinstance(listed, Held):
        return True
    return type(listed) is type(value) and bool(listed == value)

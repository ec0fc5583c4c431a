"""The points of play that a search keeps, and from which it goes on."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from verify.lines import Line
from verify.scout import FAR

_KEPT = 6
_ALIKE = 3
_STRIDE = 4


@dataclass(slots=True)
class Point:
    """A point of play that is kept: how near it is, in order of weight, and how near apart from the premise."""

    line: Line
    cost: tuple[float, int]
    value: float

    def gain(self, other: Point) -> float:
        """By how much another is nearer, on either count."""
        if self.cost[0] >= FAR or self.value >= FAR:
            return 0.0
        return max(0.0, self.cost[0] - other.cost[0], self.value - other.value)

    @property
    def level(self) -> int:
        """Points are compared with those that were come to in about as many steps."""
        return len(self.line.steps) // _STRIDE

    @property
    def signature(self) -> tuple[Any, ...]:
        """Points that are alike in this are as good as one."""
        return round(self.cost[0], 9), tuple(map(len, self.line.state.zones))


class Level:
    """The points come to in about as many steps: the nearest, the nearest but for the premise, and some others."""

    def __init__(self, rng: random.Random) -> None:
        self._rng, self._met = rng, 0
        self.picked, self.helped = 0, 0.0
        self.nearest: list[Point] = []
        self.promising: list[Point] = []
        self.others: list[Point] = []

    def add(self, point: Point) -> None:
        self._met += 1
        left = self._ranked(self.nearest, point, lambda p: p.cost)
        if left is not None:
            left = self._ranked(self.promising, left, lambda p: (p.value, p.cost))
        if left is not None and len(self.others) < _KEPT:
            self.others.append(left)
        elif left is not None and self._rng.random() < _KEPT / self._met:
            self.others[self._rng.randrange(_KEPT)] = left

    def _ranked(self, kept: list[Point], point: Point, key: Callable[[Point], Any]) -> Point | None:
        """Puts a point where it belongs; tells which one there is no room for."""
        alike = [i for i, p in enumerate(kept) if p.signature == point.signature]
        if len(alike) >= _ALIKE:
            if key(kept[alike[0]]) < key(point) and self._rng.random() < 0.5:
                return None
            kept.pop(self._rng.choice(alike))
        kept.append(point)
        kept.sort(key=key)
        return kept.pop() if len(kept) > _KEPT else None

    @property
    def yields(self) -> float:
        """How often going on from here has led nearer, about."""
        return 0.02 + (self.helped + 1) / (self.picked + 4)

    def pick(self) -> Point:
        rng = self._rng
        self.picked += 1
        kept = rng.choices((self.nearest, self.promising, self.others), (5, 3, 2))[0] or self.nearest
        for point in kept if kept is not self.others else ():
            if rng.random() < 0.4:
                return point
        return rng.choice(kept)


class Asides:
    """Whether a choice that moves no card is made before a combination: as often as that has helped."""

    def __init__(self) -> None:
        self._gains, self._tries = [1.0, 1.0], [2, 2]
        self._is_aside = False

    def choose(self, rng: random.Random) -> bool:
        """Whether to make one now."""
        without, with_one = (g / t for g, t in zip(self._gains, self._tries, strict=True))
        self._is_aside = rng.random() < 0.05 + 0.7 * with_one / (without + with_one)
        return self._is_aside

    def learn(self, gain: float) -> None:
        """What came of it."""
        self._gains[self._is_aside] += gain
        self._tries[self._is_aside] += 1

    def there_is_none(self) -> None:
        """No such choice was found."""
        self._tries[True] += 1

"""Values of which only part is known: the arithmetic of the count abstraction.

A value is an ordinary one, or `UNKNOWN`, or `Held`: cards of which only the zones they lie in are known. Truth has
three values; `UNKNOWN` stands for any value of the type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


class _Unknown:
    """Any value at all. There is one."""

    def __repr__(self) -> str:
        return "?"


UNKNOWN: Final = _Unknown()


@dataclass(frozen=True, slots=True)
class Held:
    """Cards by where they lie: pairs of a zone's place and how many of them lie there."""

    parts: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        return sum(n for _, n in self.parts)

    @property
    def places(self) -> frozenset[int]:
        return frozenset(place for place, _ in self.parts)


NO_CARDS: Final = Held(())


def held(*parts: tuple[int, int]) -> Held:
    """Cards in zones; those of one zone together, empty parts left out."""
    counts: dict[int, int] = {}
    for place, n in parts:
        if n:
            counts[place] = counts.get(place, 0) + n
    return Held(tuple(sorted(counts.items())))


def both(left: Any, right: Any) -> Any:
    """Three-valued `and`."""
    if left is False or right is False:
        return False
    return UNKNOWN if left is UNKNOWN or right is UNKNOWN else True


def either(left: Any, right: Any) -> Any:
    """Three-valued `or`."""
    if left is True or right is True:
        return True
    return UNKNOWN if left is UNKNOWN or right is UNKNOWN else False


def negated(value: Any) -> Any:
    """Three-valued `not`."""
    return UNKNOWN if value is UNKNOWN else not value


def merged(left: Any, right: Any) -> Any:
    """What is known when it may be either."""
    return left if type(left) is type(right) and left == right else UNKNOWN

"""What a search found, in terms of faces, and which cards of a hand then show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from interpreter.patterns import Match

K = TypeVar("K")
V = TypeVar("V")
_CACHE_BOUND = 400_000


@dataclass(frozen=True, slots=True)
class Found:
    """A combination in terms of faces. `needs` are a rank and perhaps a suit for each card; None is every card."""

    kind: int
    key: tuple[int, ...]
    arguments: tuple[int, ...]
    needs: tuple[tuple[int, int | None], ...] | None


def found_of(kind: int, match: Match) -> Found:
    return Found(kind, match.key, match.arguments, tuple((r, p.suit) for p in match.picks for r in p.ranks))


def assign(
    needs: tuple[tuple[int, int | None], ...], shown: Sequence[tuple[int, int]]
) -> list[tuple[int, tuple[int, int]]]:
    """The first card for each need, with its place. Needs that name a suit choose first: the others take any."""
    free = list(range(len(shown)))
    result: dict[int, int] = {}
    for i in sorted(range(len(needs)), key=lambda i: needs[i][1] is None):
        rank, suit = needs[i]
        place = next(p for p in free if shown[p][0] == rank and suit in (None, shown[p][1]))
        free.remove(place)
        result[i] = place
    return [(result[i], shown[result[i]]) for i in range(len(needs))]


def remember(cache: dict[K, V], key: K, value: V) -> None:
    """Keep a result; a full cache starts anew, since random play has no old favourites worth tracking."""
    if len(cache) >= _CACHE_BOUND:
        cache.clear()
    cache[key] = value

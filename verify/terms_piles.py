"""Which places are meant, and piles of cards of which only how many lie where is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from interpreter.state import Family
from verify.folded import Lying, Optional, choose, is_term


def places_in(family: Family, indices: list[Any]) -> list[tuple[int, Any]] | None:
    """The places of a family that may be meant, each with when it is the one; None where that is not told.

    Raises:
        IndexError: There is no such place.
    """
    if not any(is_term(i) for i in indices):
        return [(family.index(indices), True)]
    if len(indices) != 1 or isinstance(indices[0], Optional):
        return None
    return [(family.base + i, indices[0] == family.lows[0] + i) for i in range(family.num_cells)]


def together(cards: Any, piles: list[Any], epoch: int) -> Lying:
    """Piles as one, whose cards are `cards`; `epoch` is the position's."""
    both: tuple[tuple[int, Any], ...] | None = ()
    fresh = True
    for pile in piles:
        known = pile.parts if isinstance(pile, Lying) else None
        # Cards that lie in one place may be the same ones, and are then not so many together.
        apart = both is not None and known is not None and not {p for p, _ in both} & {p for p, _ in known}
        both = both + known if apart and both is not None and known is not None else None
        fresh = fresh and (not isinstance(pile, Lying) or pile.since == epoch)
    return Lying(cards, both if fresh else None, epoch)


def some_of(pile: Any, cards: Any, how_many: Callable[[int], Any]) -> Lying:
    """Some cards of a pile, which are `cards`. `how_many` is a number for each of its places."""
    if not isinstance(pile, Lying) or pile.parts is None:
        return Lying(cards)
    picked = []
    for i, (place, most) in enumerate(pile.parts):
        count = how_many(i)
        # No fact: it would have to hold even where play never comes, with fewer than no cards.
        picked.append((place, choose(count <= most, count, most)))
    return Lying(cards, tuple(picked), pile.since)

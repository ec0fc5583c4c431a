"""The best split of some cards into disjoint combinations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Piece(Generic[T]):
    """A combination that a split may hold: its entry in the column, its strength, and what it is."""

    value: int
    strength: tuple[int, tuple[int, ...]]
    item: T


_Plan = tuple[int, tuple[tuple[int, tuple[int, ...]], ...], tuple[tuple[int, Piece[T]], ...]]


def best_split(
    looks: tuple[int, ...], sizes: Sequence[int], piece_of: Callable[[tuple[int, ...]], Piece[T] | None]
) -> tuple[tuple[T, tuple[int, ...]], ...]:
    """The pieces with the greatest sum of values, each with its faces; of equal sums the greatest list of strengths.

    `looks` are the sorted faces, `sizes` how many of them a piece can have, `piece_of` the best piece that exactly
    these are. One piece for each set of cards is enough: a greater value always makes a greater sum, and replacing
    a strength by a greater one always makes a greater sorted list.
    """
    count = len(looks)
    # Pieces by their first card: every split is built by asking, card by card, which piece it starts.
    starting: list[list[tuple[int, Piece[T]]]] = [[] for _ in range(count)]
    for size in sizes:
        for places in combinations(range(count), size):
            piece = piece_of(tuple([looks[i] for i in places]))
            if piece is not None:
                starting[places[0]].append((sum(1 << i for i in places), piece))
    plans: dict[int, _Plan[T]] = {0: (0, (), ())}

    def plan(left: int) -> _Plan[T]:
        if left in plans:
            return plans[left]
        first = (left & -left).bit_length() - 1
        best = plan(left & (left - 1))  # the first card idle
        for used, piece in starting[first]:
            if used & left == used:
                value, strengths, pieces = plan(left & ~used)
                value += piece.value
                if value < best[0]:
                    continue
                strengths = tuple(sorted((piece.strength, *strengths), reverse=True))
                if (value, strengths) > best[:2]:
                    best = value, strengths, ((used, piece), *pieces)
        plans[left] = best
        return best

    if not any(starting):
        return ()
    chosen = sorted(plan((1 << count) - 1)[2], key=lambda c: c[1].strength, reverse=True)
    return tuple((piece.item, tuple(looks[i] for i in range(count) if used >> i & 1)) for used, piece in chosen)

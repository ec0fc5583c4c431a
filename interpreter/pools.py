"""Cards as counts, and how groups of a pattern take cards from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from interpreter.cards import CardSet


class Pool:
    """Cards as counts: of each rank, of each suit, and of each rank in each suit (`rank * num_suits + suit`)."""

    __slots__ = ("by_look", "by_rank", "by_suit", "num_suits")

    def __init__(self, cards: CardSet, chosen: Iterable[tuple[int, int]]) -> None:
        self.num_suits = cards.num_suits
        self.by_rank = [0] * cards.num_ranks
        self.by_suit = [0] * cards.num_suits
        self.by_look = [0] * (cards.num_ranks * cards.num_suits)
        for rank, suit in chosen:
            self.by_rank[rank] += 1
            self.by_suit[suit] += 1
            self.by_look[rank * self.num_suits + suit] += 1


@dataclass(frozen=True, slots=True)
class Pick:
    """The cards of one group: their ranks, what they count in comparisons, and their suit if the group fixes it."""

    ranks: tuple[int, ...]
    heights: tuple[int, ...]
    suit: int | None


class Free:
    """What is left of a pool while groups take their cards."""

    __slots__ = ("by_look", "by_rank", "pool")

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.by_rank = pool.by_rank.copy()
        self.by_look = pool.by_look.copy()

    def take(self, ranks: Sequence[int], suit: int | None) -> bool:
        """Take one card of each rank, in the suit if one is given; or nothing, if that cannot be.

        `by_rank` counts the cards that no group has asked for, `by_look` those that no group has asked for in
        their suit. Neither may fall below zero; that is also enough, since any card left serves "any suit".
        """
        for i, rank in enumerate(ranks):
            if not self.has(rank, suit):
                self.give_back(ranks[:i], suit)
                return False
            self._add(rank, suit, -1)
        return True

    def give_back(self, ranks: Sequence[int], suit: int | None) -> None:
        for rank in ranks:
            self._add(rank, suit, 1)

    def has(self, rank: int, suit: int | None) -> bool:
        return self.by_rank[rank] > 0 and (suit is None or self.by_look[rank * self.pool.num_suits + suit] > 0)

    def _add(self, rank: int, suit: int | None, amount: int) -> None:
        self.by_rank[rank] += amount
        if suit is not None:
            self.by_look[rank * self.pool.num_suits + suit] += amount

    def loose(self, count: int, suit: int | None) -> Iterator[tuple[int, ...]]:
        """Every choice of so many ranks, from the highest, while its cards are taken."""
        chosen: list[int] = []

        def choose(highest: int) -> Iterator[tuple[int, ...]]:
            if len(chosen) == count:
                yield tuple(chosen)
                return
            for rank in range(highest, -1, -1):
                if self.has(rank, suit):
                    self._add(rank, suit, -1)
                    chosen.append(rank)
                    yield from choose(rank)
                    chosen.pop()
                    self._add(rank, suit, 1)

        return choose(len(self.by_rank) - 1)


def side_ranks(picks: Sequence[Pick], whole: Pool) -> list[int]:
    """The ranks of the cards of `whole` that no group has taken, from the highest."""
    left = whole.by_rank.copy()
    for pick in picks:
        for rank in pick.ranks:
            left[rank] -= 1
    return [rank for rank in range(len(left) - 1, -1, -1) for _ in range(left[rank])]

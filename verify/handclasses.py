"""All hands of so many cards, as classes that no combination can tell apart, each with one hand and how many there are.

Suits matter to a pattern only where it asks for several cards of one suit. A hand in which no suit has as many is
told by its ranks; any other by the ranks in its long suit and the ranks of the other cards. That is exact as long as
there cannot be two long suits in one hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod

from dsl import ir
from interpreter.cards import CardSet

Stock = list[list[list[int]]]
"""Cards by rank, then by suit."""


class TooMixed(Exception):
    """Suits matter in more ways than these classes tell apart."""


@dataclass(frozen=True, slots=True)
class HandClass:
    """Hands that are the same to every combination. `cards` is one of them, `weight` how many there are."""

    cards: tuple[int, ...]
    weight: int


def suited_groups(kinds: Sequence[ir.Kind]) -> list[ir.Group]:
    """The groups of patterns that ask for a suit."""
    return [g for k in kinds if k.pattern is not None for g in k.pattern.groups if g.suit is not None]


def long_suit(kinds: Sequence[ir.Kind]) -> int | None:
    """How many cards of a suit it takes before suits can matter; None where they never do."""
    return min((g.count for g in suited_groups(kinds)), default=None)


def names_suits(kinds: Sequence[ir.Kind]) -> bool:
    """Whether it may matter which suit it is: a pattern names one, compares suits, or a key is made of one."""
    for kind in kinds:
        if kind.pattern is None:
            continue
        suits = {name for name, sort in kind.pattern.variables if sort == "suit"}
        named = {x for c in kind.pattern.conditions for x in (c.left, c.right)} | set(kind.by)
        if suits & named or any(isinstance(g.suit, int) for g in kind.pattern.groups):
            return True
    return False


def classes(cards: CardSet, kinds: Sequence[ir.Kind], size: int) -> Iterator[HandClass]:
    """Every hand of `size` cards of the pack is in exactly one of these classes.

    Raises:
        TooMixed: A hand of so many cards may have two long suits.
    """
    long = long_suit(kinds)
    if long is not None and 2 * long <= size:
        raise TooMixed(f"{size} cards may have two suits of {long} cards")
    yield from _Classes(cards, size, long, not names_suits(kinds)).all()


def number_of_classes(cards: CardSet, kinds: Sequence[ir.Kind], size: int) -> int:
    """About how many classes there are: no fewer."""
    long = long_suit(kinds)
    stock = Counter((cards.rank[c], cards.suit[c]) for c in cards.pack)
    out = _ways(Counter(cards.rank[c] for c in cards.pack).values(), size)[size]
    for suit in range(cards.num_suits) if long is not None else ():
        inside = _ways([n for (_, s), n in stock.items() if s == suit], size)
        outside = _ways(Counter(cards.rank[c] for c in cards.pack if cards.suit[c] != suit).values(), size)
        out += sum(inside[k] * outside[size - k] for k in range(long or 0, size + 1))
    return out


def _ways(most: Iterable[int], size: int) -> list[int]:
    """In how many ways so many can be taken, for each number up to `size`."""
    ways = [1] + [0] * size
    for n in most:
        ways = [sum(ways[i - k] for k in range(min(i, n) + 1)) for i in range(size + 1)]
    return ways


class _Classes:
    def __init__(self, cards: CardSet, size: int, long: int | None, alike: bool) -> None:
        self.size, self.long = size, long
        self.stock = stock_of(cards)
        self.by_rank = [sum(map(len, of_rank)) for of_rank in self.stock]
        by_shape: dict[tuple[int, ...], list[int]] = {}
        for s in range(cards.num_suits):
            # Where it does not matter which suit it is, suits of which the pack has the same cards are as one.
            shape = tuple(len(of_rank[s]) for of_rank in self.stock)
            by_shape.setdefault(shape if alike else (*shape, s), []).append(s)
        self.suits = [(members[0], len(members)) for members in by_shape.values()]

    def all(self) -> Iterator[HandClass]:
        if self.long is not None:
            for suit, times in self.suits:
                yield from self._with_long(suit, times)
        for counts in _multisets(self.by_rank, self.size):
            weight = prod(comb(n, k) for n, k in zip(self.by_rank, counts, strict=True)) - self._long_ways(counts)
            if weight:
                hand = spread(self.stock, counts, self.size if self.long is None else self.long - 1)
                assert hand is not None
                yield HandClass(hand, weight)

    def _with_long(self, suit: int, times: int) -> Iterator[HandClass]:
        assert self.long is not None
        inside = [len(of_rank[suit]) for of_rank in self.stock]
        outside = [n - k for n, k in zip(self.by_rank, inside, strict=True)]
        others = [[c for s, cards in enumerate(of_rank) if s != suit for c in cards] for of_rank in self.stock]
        for in_suit in range(self.long, self.size + 1):
            rests = [
                (prod(comb(n, k) for n, k in zip(outside, rest, strict=True)), _take(others, rest))
                for rest in _multisets(outside, self.size - in_suit)
            ]
            for counts in _multisets(inside, in_suit):
                ways = times * prod(comb(n, k) for n, k in zip(inside, counts, strict=True))
                taken = _take([of_rank[suit] for of_rank in self.stock], counts)
                for weight, rest in rests:
                    yield HandClass(taken + rest, ways * weight)

    def _long_ways(self, counts: tuple[int, ...]) -> int:
        """How many hands of these ranks have a long suit."""
        if self.long is None:
            return 0
        out = 0
        for suit, times in self.suits:
            # By how many cards are in the suit, rank by rank.
            ways = [1] + [0] * self.size
            for of_rank, total, n in zip(self.stock, self.by_rank, counts, strict=True):
                if not n:
                    continue
                inside = len(of_rank[suit])
                each = [comb(inside, k) * comb(total - inside, n - k) for k in range(n + 1)]
                ways = [
                    sum(ways[i - k] * each[k] for k in range(min(i, n) + 1)) for i in range(self.size + 1)
                ]  # fmt: skip
            out += times * sum(ways[self.long :])
        return out


def stock_of(cards: CardSet) -> Stock:
    """The cards of the pack by rank, and by suit within a rank."""
    out: list[list[list[int]]] = [[[] for _ in range(cards.num_suits)] for _ in range(cards.num_ranks)]
    for card in cards.pack:
        out[cards.rank[card]][cards.suit[card]].append(card)
    return out


def spread(stock: Stock, counts: Sequence[int], most: int) -> tuple[int, ...] | None:
    """So many cards of each rank, no more than `most` of them in one suit; None where that cannot be."""
    left = [most] * len(stock[0])

    def fill(rank: int, needed: int, first: int) -> tuple[int, ...] | None:
        if rank == len(counts):
            return ()
        if not needed:
            return fill(rank + 1, counts[rank + 1] if rank + 1 < len(counts) else 0, 0)
        for suit in range(first, len(left)):
            for n in range(min(needed, left[suit], len(stock[rank][suit])), 0, -1):
                left[suit] -= n
                rest = fill(rank, needed - n, suit + 1)
                left[suit] += n
                if rest is not None:
                    return (*stock[rank][suit][:n], *rest)
        return None

    return fill(0, counts[0], 0)


def _take(stock: Sequence[Sequence[int]], counts: Sequence[int]) -> tuple[int, ...]:
    return tuple(c for cards, n in zip(stock, counts, strict=True) for c in cards[:n])


def _multisets(most: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Every way to take so many, at most so many of each."""
    left = [sum(most[i:]) for i in range(len(most) + 1)]

    def choose(i: int, size: int) -> Iterator[tuple[int, ...]]:
        if i == len(most):
            yield ()
            return
        for n in range(max(0, size - left[i + 1]), min(most[i], size) + 1):
            for rest in choose(i + 1, size - n):
                yield (n, *rest)

    if size <= left[0]:
        yield from choose(0, size)

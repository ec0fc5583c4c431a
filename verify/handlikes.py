"""Hands that are alike but for which rank is which, one of each sort.

Which kinds of combinations some cards are does not change when other ranks take the places of those that are in no run,
as long as no pattern names a rank or asks which of two is higher. So of the ranks that no run in a hand needs, only
how many cards of each there are makes a difference, and how many of these are in the long suit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from dsl import ir
from interpreter.cards import CardSet
from verify.handclasses import Stock, TooMixed, long_suit, names_suits, spread, stock_of

Rank = tuple[int, int]
"""How many cards of a rank there are, and how many of them are in the long suit."""


def are_alike(cards: CardSet, kinds: Sequence[ir.Kind]) -> bool:
    """Whether ranks can take each other's places: the pack has the same of each, and no pattern tells them apart."""
    patterns = [k.pattern for k in kinds if k.pattern is not None]
    for condition in (c for p in patterns for c in p.conditions):
        named = isinstance(condition.left, int) or isinstance(condition.right, int)
        if named or condition.op not in (ir.Compare.EQ, ir.Compare.NE):
            return False
    if any(isinstance(g.rank, int) and not g.run for p in patterns for g in p.groups):
        return False
    return not cards.deck.num_jokers and not cards.deck.removed


def alike_hands(cards: CardSet, kinds: Sequence[ir.Kind], size: int) -> Iterator[tuple[int, ...]]:
    """A hand of each sort, of so many cards. See `are_alike`, which must hold.

    Raises:
        TooMixed: A hand of so many cards may have two long suits.
    """
    long = long_suit(kinds)
    if long is not None and 2 * long <= size:
        raise TooMixed(f"{size} cards may have two suits of {long} cards")
    lengths = {g.count for k in kinds if k.pattern is not None for g in k.pattern.groups if g.run}
    runs = [frozenset(run.ranks) for n in sorted(lengths) for run in cards.runs(n)]
    shapes: dict[tuple[frozenset[int], int], tuple[int, ...]] = {}
    for number in range(min(size, cards.num_ranks) + 1):
        for ranks in combinations(range(cards.num_ranks), number):
            held = frozenset(ranks)
            needed = frozenset(r for run in runs if run <= held for r in run)
            shapes.setdefault((needed, number), (*sorted(needed), *sorted(held - needed)))
    copies, others = cards.deck.copies, cards.deck.copies * (cards.num_suits - 1)
    loose = [(n, 0) for n in range(1, copies + others + 1)]
    suited = [(n, k) for n, _ in loose for k in range(min(n, copies) + 1) if n - k <= others]
    suits = range(cards.num_suits) if names_suits(kinds) else (0,)
    stock = stock_of(cards)
    for (needed, _), ranks in shapes.items():
        for counts in _counts(len(needed), len(ranks), size, loose):
            of_rank = [0] * cards.num_ranks
            for rank, (n, _) in zip(ranks, counts, strict=True):
                of_rank[rank] = n
            hand = spread(stock, of_rank, size if long is None else long - 1)
            if hand is not None:
                yield hand
        for counts in _counts(len(needed), len(ranks), size, suited) if long is not None else ():
            if sum(k for _, k in counts) >= (long or 0):
                for suit in suits:
                    yield _with_suit(stock, ranks, counts, suit)


def _counts(needed: int, number: int, size: int, options: Sequence[Rank]) -> Iterator[tuple[Rank, ...]]:
    """Every way to have so many cards of these ranks; those that no run needs are in falling order."""

    def choose(at: int, left: int, last: Rank) -> Iterator[tuple[Rank, ...]]:
        if at == number:
            if left == 0:
                yield ()
            return
        for here in options:
            if here[0] <= left - (number - at - 1) and (at <= needed or here <= last):
                for rest in choose(at + 1, left - here[0], here):
                    yield (here, *rest)

    yield from choose(0, size, (0, 0))


def _with_suit(stock: Stock, ranks: Sequence[int], counts: Sequence[Rank], suit: int) -> tuple[int, ...]:
    """A hand with so many cards of each rank in one suit, and the others in any other."""
    hand: list[int] = []
    for rank, (n, inside) in zip(ranks, counts, strict=True):
        others = [c for s, of_suit in enumerate(stock[rank]) if s != suit for c in of_suit]
        hand += [*stock[rank][suit][:inside], *others[: n - inside]]
    return tuple(hand)

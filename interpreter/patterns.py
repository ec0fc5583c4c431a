"""One pattern of cards: every way some cards can be it, and the way with the greatest key.

A pattern is groups of cards with rank and suit variables. Looking for it is a backtracking search over counts of
equal cards: bind a group's variables, take its cards, go on with the next group. Once every card has its rank,
whether the suits work out can be seen rank by rank, so the search never takes a step it could know to be wrong.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dsl import ir
from interpreter.cards import CardSet
from interpreter.pools import Free, Pick, Pool, side_ranks

UNBOUND = -1
_COMPARE: dict[ir.Compare, Callable[[int, int], bool]] = {
    ir.Compare.EQ: operator.eq,
    ir.Compare.NE: operator.ne,
    ir.Compare.LT: operator.lt,
    ir.Compare.LE: operator.le,
    ir.Compare.GT: operator.gt,
    ir.Compare.GE: operator.ge,
}


@dataclass(frozen=True, slots=True)
class Match:
    """A way some cards are the pattern: its key, the values of its named variables, and the cards of each group."""

    key: tuple[int, ...]
    arguments: tuple[int, ...]
    picks: tuple[Pick, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """A group whose rank and suit are places in the list of values; constants have a place there, too."""

    index: int
    count: int
    run: bool
    rank: int | None
    suit: int | None


class Matcher:
    """The search for one pattern, and the key that `by` gives to what it finds."""

    def __init__(self, cards: CardSet, pattern: ir.Pattern, by: tuple[ir.Key | str, ...]) -> None:
        self.cards, self.pattern, self.by = cards, pattern, by
        self.size = pattern.size
        self.slots = {name: i for i, (name, _) in enumerate(pattern.variables)}
        self._start = [UNBOUND] * len(pattern.variables)
        self._domain = [cards.num_ranks if sort == "rank" else cards.num_suits for _, sort in pattern.variables]
        self._named = [i for i, (name, _) in enumerate(pattern.variables) if not name.startswith("_")]
        groups = [self._compile(i, g) for i, g in enumerate(pattern.groups)]
        self._by_slot: dict[int, list[tuple[int, Callable[[int, int], bool], int]]] = {}
        for c in pattern.conditions:
            left, right = self._slot(c.left), self._slot(c.right)
            for side in {left, right}:
                self._by_slot.setdefault(side, []).append((left, _COMPARE[c.op], right))
        # Groups with a rank come first, the large before the small, since they leave the fewest ways; what is
        # left for groups of any rank is then certain.
        ranked = sorted((g for g in groups if g.rank is not None), key=lambda g: (not g.run, -g.count))
        loose = [g for g in groups if g.rank is None]
        self._order = ranked + loose
        used = {s for g in groups for s in (g.rank, g.suit) if s is not None}
        self._unused = [i for i in range(len(self._domain)) if i not in used and self._start[i] == UNBOUND]
        self.uses_suits = any(g.suit is not None for g in groups)
        self._need_rank = max((g.count for g in ranked if not g.run), default=0)
        self.need_suit = max((g.count for g in groups if g.suit is not None), default=0)
        # With one loose group and a key that looks at the own cards before any side cards, taking the highest
        # cards that work is best; else all choices must be compared.
        sides = by.index(ir.Key.SIDE_CARDS) if ir.Key.SIDE_CARDS in by else len(by)
        own = min((i for i, k in enumerate(by) if k in (ir.Key.GROUPS, ir.Key.CARDS)), default=len(by))
        self._greedy = len(loose) <= 1 and (sides == len(by) or own < sides)
        self._sorted_places = self._interchangeable(pattern)

    def _compile(self, index: int, group: ir.Group) -> _Group:
        rank = None if group.rank is None else self._slot(group.rank)
        if group.run and rank is None:
            rank = self._new_slot(UNBOUND, self.cards.num_ranks)
        return _Group(index, group.count, group.run, rank, None if group.suit is None else self._slot(group.suit))

    def _slot(self, reference: str | int) -> int:
        return self.slots[reference] if isinstance(reference, str) else self._new_slot(reference, 0)

    def _new_slot(self, value: int, domain: int) -> int:
        self._start.append(value)
        self._domain.append(domain)
        return len(self._start) - 1

    @staticmethod
    def _interchangeable(pattern: ir.Pattern) -> list[list[int]]:
        """Places of groups that `Key.GROUPS` lists from the highest: the same shape, and nothing named."""
        shapes: dict[tuple[int, bool, bool, bool], list[int]] = {}
        for i, g in enumerate(pattern.groups):
            if not any(isinstance(v, str) and not v.startswith("_") for v in (g.rank, g.suit)):
                shapes.setdefault((g.count, g.run, g.rank is None, g.suit is None), []).append(i)
        return [places for places in shapes.values() if len(places) > 1]

    # ------------------------------------------------------------------------------------------- search

    def best(self, pool: Pool, whole: Pool | None = None) -> Match | None:
        """The match with the greatest key; of equal ones that of the higher ranks, then of the earlier suits.

        Side cards are the other cards of `whole`, which is the pool itself unless said otherwise.
        """
        if self._hopeless(pool):
            return None
        best: Match | None = None
        for values, picks in self._search(pool, self._start.copy()):
            key = self._key(values, picks, whole or pool)
            if best is None or key > best.key:
                best = Match(key, tuple(values[i] for i in self._named), tuple(picks))
        return best

    def ways(self, pool: Pool) -> Iterator[Match]:
        """Every match among the pool's cards, also those that are alike; with loose groups there are many."""
        if not self._hopeless(pool):
            for values, picks in self._search(pool, self._start.copy()):
                key = self._key(values, picks, pool)
                yield Match(key, tuple(values[i] for i in self._named), tuple(picks))

    def occurs(self, pool: Pool, arguments: Sequence[int]) -> bool:
        """Whether the pool contains the pattern with these values for its named variables."""
        values = self._start.copy()
        for slot, value in zip(self._named, arguments, strict=False):
            if not 0 <= value < self._domain[slot]:
                return False
            values[slot] = value
        return not self._hopeless(pool) and any(True for _ in self._search(pool, values))

    def _hopeless(self, pool: Pool) -> bool:
        """A cheap look at what most pools fail by."""
        return self._need_rank > max(pool.by_rank) or self.need_suit > max(pool.by_suit)

    def _search(self, pool: Pool, values: list[int]) -> Iterator[tuple[list[int], list[Pick]]]:
        """Every way to bind the variables and to choose the cards; both lists are reused from one to the next."""
        if all(self._holds(slot, values) for slot in self._by_slot):
            free = Free(pool)
            picks = [Pick((), (), None)] * len(self._order)
            yield from self._step(0, values, free, picks)

    def _step(
        self, depth: int, values: list[int], free: Free, picks: list[Pick]
    ) -> Iterator[tuple[list[int], list[Pick]]]:
        if depth == len(self._order):
            yield from self._bind_unused(0, values, picks)
            return
        group = self._order[depth]
        for suit in self._choices(group.suit, values, free.pool.by_suit, group.count):
            if group.rank is None:
                for ranks in free.loose(group.count, suit):
                    picks[group.index] = Pick(ranks, ranks, suit)
                    found = False
                    for result in self._step(depth + 1, values, free, picks):
                        found = True
                        yield result
                    if found and self._greedy:
                        free.give_back(ranks, suit)
                        break
            else:
                yield from self._ranked(depth, group, suit, values, free, picks)

    def _ranked(
        self, depth: int, group: _Group, suit: int | None, values: list[int], free: Free, picks: list[Pick]
    ) -> Iterator[tuple[list[int], list[Pick]]]:
        assert group.rank is not None
        slot = group.rank
        given = values[slot]
        for pick, rank in self._picks(group, suit, given, free):
            values[slot] = rank
            if (given != UNBOUND or self._holds(slot, values)) and free.take(pick.ranks, suit):
                picks[group.index] = pick
                yield from self._step(depth + 1, values, free, picks)
                free.give_back(pick.ranks, suit)
        values[slot] = given

    def _picks(self, group: _Group, suit: int | None, given: int, free: Free) -> Iterator[tuple[Pick, int]]:
        """The ways to fill a group that has a rank, the highest first."""
        if group.run:
            for run in reversed(self.cards.runs(group.count)):
                if given in (UNBOUND, run.top):
                    yield Pick(run.ranks, run.heights, suit), run.top
            return
        for rank in range(self.cards.num_ranks - 1, -1, -1) if given == UNBOUND else (given,):
            if free.by_rank[rank] >= group.count:
                ranks = (rank,) * group.count
                yield Pick(ranks, ranks, suit), rank

    def _choices(self, slot: int | None, values: list[int], by_suit: list[int], count: int) -> Iterator[int | None]:
        """The suits a group can have, bound one after the other; None where it does not matter."""
        if slot is None:
            yield None
        elif values[slot] != UNBOUND:
            if 0 <= values[slot] < len(by_suit) and by_suit[values[slot]] >= count:
                yield values[slot]
        else:
            for suit, available in enumerate(by_suit):
                values[slot] = suit
                if available >= count and self._holds(slot, values):
                    yield suit
            values[slot] = UNBOUND

    def _bind_unused(self, i: int, values: list[int], picks: list[Pick]) -> Iterator[tuple[list[int], list[Pick]]]:
        """Variables that no group has still need values that meet the conditions."""
        if i == len(self._unused):
            yield values, picks
            return
        slot = self._unused[i]
        if values[slot] != UNBOUND:
            yield from self._bind_unused(i + 1, values, picks)
            return
        for value in range(self._domain[slot]):
            values[slot] = value
            if self._holds(slot, values):
                yield from self._bind_unused(i + 1, values, picks)
        values[slot] = UNBOUND

    def _holds(self, slot: int, values: list[int]) -> bool:
        """Whether no condition on this variable fails, as far as the variables are bound."""
        for left, compare, right in self._by_slot.get(slot, ()):
            a, b = values[left], values[right]
            if a != UNBOUND and b != UNBOUND and not compare(a, b):
                return False
        return True

    # ---------------------------------------------------------------------------------------------- key

    def _key(self, values: list[int], picks: list[Pick], whole: Pool) -> tuple[int, ...]:
        key: list[int] = []
        for part in self.by:
            if isinstance(part, str):
                key.append(values[self.slots[part]])
            elif part is ir.Key.GROUPS:
                for ranks in self.group_ranks(picks):
                    key.extend(ranks)
            elif part is ir.Key.CARDS:
                key.extend(sorted((h for p in picks for h in p.heights), reverse=True))
            else:
                key.extend(side_ranks(picks, whole))
        return tuple(key)

    def group_ranks(self, picks: Sequence[Pick]) -> list[tuple[int, ...]]:
        """What each group contributes to `Key.GROUPS`: its rank, or the ranks of its cards from the highest."""
        parts = [
            p.ranks if g.rank is None and not g.run else p.ranks[-1:]
            for p, g in zip(picks, self.pattern.groups, strict=True)
        ]
        return self.arrange(parts)

    def arrange(self, parts: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """What the groups contribute, interchangeable ones from the highest."""
        for places in self._sorted_places:
            ordered = sorted((parts[i] for i in places), reverse=True)
            for i, part in zip(places, ordered, strict=True):
                parts[i] = part
        return parts

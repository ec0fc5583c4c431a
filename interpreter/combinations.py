"""Combinations of cards, all from one declared table: tests, searches, comparisons, splits and calls.

`Combinations` is the reference semantics of every operator of the language that speaks of combinations. A result
depends only on which faces the cards show; of equal faces it takes the lowest card numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dsl import ir
from interpreter.calls import Calls
from interpreter.cards import CardSet
from interpreter.findings import Found, assign, found_of, remember
from interpreter.patterns import Matcher
from interpreter.pools import Pick, Pool, side_ranks
from interpreter.splits import Piece, best_split

_Faces = tuple[bool, tuple[int, ...]]  # sorted faces, or where suits cannot matter the ranks


class Combinations:
    """The combination table of a game, put to work on its cards. `kinds` are weakest first."""

    def __init__(self, cards: CardSet, kinds: tuple[ir.Kind, ...]) -> None:
        self.cards, self.kinds = cards, kinds
        self.matchers = tuple(None if k.pattern is None else Matcher(cards, k.pattern, k.by) for k in kinds)
        # What another kind serves as is read with the served pattern, its conditions left out.
        self._relaxed = tuple(
            None if k.pattern is None else Matcher(cards, ir.Pattern(k.pattern.groups, k.pattern.variables), k.by)
            for k in kinds
        )
        self._servants = tuple(
            tuple(j for j, other in enumerate(kinds) if i in other.serves_as) for i in range(len(kinds))
        )
        # So many cards of one suit are needed before suits can matter; what serves keeps its suits in any case.
        needs = [m.need_suit for m in self.matchers if m is not None and m.uses_suits]
        self._suits_needed = 1 if any(self._servants) else min(needs, default=0)
        self._everything = tuple(range(len(kinds)))
        self._by_ranks: dict[tuple[int, tuple[int, ...]], Found | None] = {}
        self._by_looks: dict[tuple[int, tuple[int, ...]], Found | None] = {}
        self._best: dict[tuple[tuple[int, ...], _Faces], Found | None] = {}
        self._rows: dict[tuple[str, _Faces], Piece[Found] | None] = {}
        self._splits: dict[tuple[str, _Faces], tuple[Found, ...]] = {}
        self._pools: dict[tuple[int, ...], Pool] = {}
        self._columns: dict[str, tuple[tuple[int, int], ...]] = {}
        self._calls = Calls(cards, kinds, self.matchers, self._pool(cards.pack))

    # ----------------------------------------------------------------------------------- among cards

    def exactly(self, kind: int, cards: Sequence[int]) -> ir.Combination | None:
        """These cards as this very kind: as many as it needs, each with its part in it."""
        if len(cards) != self._size(kind, len(cards)):
            return None
        return self.find(kind, cards)

    def find(self, kind: int, cards: Sequence[int]) -> ir.Combination | None:
        """The strongest instance of a kind among the cards; "none of these" is found iff no other kind is."""
        return self._take(self._find(kind, self._looks(cards)), cards)

    def best(self, cards: Sequence[int], allowed: Callable[[int], bool] | None = None) -> ir.Combination | None:
        """The strongest of the allowed kinds that the cards contain, or contain something that serves as it.

        What serves as a kind has that kind's key: as if the kind's pattern had no conditions, so that two groups may
        have one rank; where not even that fits, the ranks of the cards used from the highest.
        "None of these" is found iff no other allowed kind is.
        """
        kinds = self._everything if allowed is None else tuple(k for k in self._everything if allowed(k))
        looks = self._looks(cards)
        key = kinds, self._what_matters(looks)
        if key not in self._best:
            remember(self._best, key, self._find_best(kinds, looks))
        return self._take(self._best[key], cards)

    def split(self, cards: Sequence[int], column: str) -> tuple[ir.Combination, ...]:
        """Disjoint combinations with the greatest sum of a column, the strongest first.

        Of equal sums the one whose strongest combination is strongest, then its second, and so on. Only kinds
        with a positive entry count.
        """
        looks = self._looks(cards)
        suits_matter, faces = self._what_matters(looks)
        key = column, (suits_matter, faces)
        if key not in self._splits:
            rows = self._entries(column)
            sizes = sorted({self._size(kind, 0) for _, kind in rows})
            pieces = best_split(looks, sizes, lambda part: self._row(column, part))
            # Where suits matter each piece keeps to its faces, or it could take a card that another one needs.
            found = tuple(self._bound(f, part) if suits_matter else f for f, part in pieces)
            remember(self._splits, key, found)
        left = self._sorted(cards)
        return tuple(self._combination(found, left, remove=True) for found in self._splits[key])

    def contains(self, cards: Sequence[int], call: ir.Combination) -> bool:
        """Whether the cards contain a called combination with the ranks and suits it names."""
        matcher = self.matchers[call.kind]
        if matcher is None:
            return self.find(call.kind, cards) is not None
        return len(cards) >= matcher.size and matcher.occurs(self._pool(cards), call.arguments)

    # ----------------------------------------------------------------------------------------- calls

    def make(self, kind: int, arguments: Sequence[int]) -> ir.Combination:
        """A call: a kind with a rank or suit for each of its named variables, in order."""
        return self._calls.make(kind, tuple(arguments))

    def is_callable(self, kind: int) -> bool:
        """Whether a call of the kind can name all that its strength depends on."""
        return self._calls.is_callable(kind)

    def is_possible(self, kind: int, arguments: Sequence[int]) -> bool:
        """Whether the cards of the game could make a call true."""
        return self._calls.is_possible(kind, tuple(arguments))

    def ladder(self) -> tuple[ir.Combination, ...]:
        """Every possible call, the weakest first; equal ones in the order of the ranks and suits they name."""
        return self._calls.ladder()

    def say(self, combination: ir.Combination) -> str:
        """A call as it is spoken; what was found among cards, where a call has no name for it, as described."""
        return self._calls.say(combination) or self.describe(combination)

    def parse_say(self, text: str) -> ir.Combination | None:
        """The possible call that was spoken, or None."""
        return self._calls.parse(text)

    def describe(self, combination: ir.Combination) -> str:
        """What was found among cards: the kind, and the ranks that matter."""
        label = self.kinds[combination.kind].name.replace("_", " ")
        matcher = self.matchers[combination.kind]
        if not combination.cards:
            return self._calls.say(combination) or label
        pool = self._pool(combination.cards)
        match = None
        if matcher is not None and matcher.size == len(combination.cards):
            match = matcher.best(pool)
        if match is None or matcher is None:
            labels = self.cards.rank_labels
            return f"{label}, {'-'.join(labels[r] for r in side_ranks((), pool))}"
        return label + self._calls.details(match, matcher.pattern)

    # ------------------------------------------------------------------------------------- in faces

    def _looks(self, cards: Iterable[int]) -> tuple[int, ...]:
        look = self.cards.look
        return tuple(sorted([look[c] for c in cards]))

    def _what_matters(self, looks: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
        """What a result can depend on, to remember it by: the ranks alone where no pattern finds enough of a suit."""
        if self._suits_needed and len(looks) >= self._suits_needed:
            suit = self.cards.face_suit
            suits = [suit[f] for f in looks]
            if max(map(suits.count, set(suits))) >= self._suits_needed:
                return True, looks
        rank = self.cards.face_rank
        return False, tuple([rank[f] for f in looks])

    def _pool(self, cards: Sequence[int]) -> Pool:
        key = tuple(cards)
        pool = self._pools.get(key)
        if pool is None:
            rank, suit = self.cards.rank, self.cards.suit
            pool = Pool(self.cards, ((rank[c], suit[c]) for c in key))
            if len(self._pools) >= 1000:
                self._pools.clear()
            self._pools[key] = pool
        return pool

    def _size(self, kind: int, given: int) -> int:
        """How many cards a kind is made of; "none of these" of any number where its row does not say."""
        matcher = self.matchers[kind]
        return matcher.size if matcher is not None else self.kinds[kind].size or given

    def _find(self, kind: int, looks: tuple[int, ...]) -> Found | None:
        matcher = self.matchers[kind]
        if matcher is None:
            others = (k for k, m in enumerate(self.matchers) if m is not None)
            return None if any(self._find(k, looks) for k in others) else self._none(kind, looks)
        if len(looks) < matcher.size:
            return None
        if matcher.uses_suits:
            suit = self.cards.face_suit
            suits = [suit[f] for f in looks]
            if max(map(suits.count, set(suits))) < matcher.need_suit:
                return None  # most hands fail by this; it costs less than to look the result up
            cache, key = self._by_looks, (kind, looks)
        else:
            # Suits do not matter, so hands of the same ranks share a result.
            rank = self.cards.face_rank
            cache, key = self._by_ranks, (kind, tuple([rank[f] for f in looks]))
        if key not in cache:
            match = matcher.best(Pool(self.cards, self._shown(looks)))
            remember(cache, key, None if match is None else found_of(kind, match))
        return cache[key]

    def _shown(self, looks: Iterable[int]) -> list[tuple[int, int]]:
        return [(self.cards.face_rank[f], self.cards.face_suit[f]) for f in looks]

    def _none(self, kind: int, looks: tuple[int, ...]) -> Found:
        """The row "none of these" has no cards apart from others: whatever its key asks for, it is all cards."""
        ranks = sorted((self.cards.face_rank[f] for f in looks), reverse=True)
        key = tuple(r for part in self.kinds[kind].by if isinstance(part, ir.Key) for r in ranks)
        return Found(kind, key, (), None)

    def _find_best(self, kinds: tuple[int, ...], looks: tuple[int, ...]) -> Found | None:
        for kind in reversed(kinds):
            if self.matchers[kind] is not None:
                found = self._find(kind, looks)
                for servant in self._servants[kind]:
                    served = self._serve(servant, kind, looks)
                    if served is not None and (found is None or served.key > found.key):
                        found = served
                if found is not None:
                    return found
        nones = [k for k in kinds if self.matchers[k] is None]
        return self._none(nones[-1], looks) if nones else None

    def _serve(self, servant: int, kind: int, looks: tuple[int, ...]) -> Found | None:
        """The strongest instance of one kind among the cards, taken for an instance of another."""
        source = self._find(servant, looks)
        if source is None or source.needs is None:
            return None
        used = assign(source.needs, self._shown(looks))
        whole, pool = Pool(self.cards, self._shown(looks)), Pool(self.cards, (shown for _, shown in used))
        matcher = self._relaxed[kind]
        assert matcher is not None
        match = matcher.best(pool, whole)
        if match is not None:
            needs = tuple(shown for _, shown in assign(found_of(kind, match).needs or (), [s for _, s in used]))
            return Found(kind, match.key, match.arguments, needs)
        ranks = side_ranks((), pool)
        key: list[int] = []
        for part in self.kinds[kind].by:
            if isinstance(part, str):
                key.append(ranks[0])
            elif part is ir.Key.SIDE_CARDS:
                key.extend(side_ranks((Pick(tuple(ranks), (), None),), whole))
            else:
                key.extend(ranks)
        return Found(kind, tuple(key), (), tuple(shown for _, shown in used))

    def _bound(self, found: Found, looks: tuple[int, ...]) -> Found:
        """The same, with the suits of the cards it was found in."""
        needs = tuple(shown for _, shown in assign(found.needs or (), self._shown(looks)))
        return Found(found.kind, found.key, found.arguments, needs)

    def _entries(self, column: str) -> tuple[tuple[int, int], ...]:
        """The kinds that count in a split, as (entry, kind), the best first."""
        if column not in self._columns:
            entries = [(dict(k.columns).get(column, 0), i) for i, k in enumerate(self.kinds) if k.pattern is not None]
            self._columns[column] = tuple(sorted((e for e in entries if e[0] > 0), reverse=True))
        return self._columns[column]

    def _row(self, column: str, looks: tuple[int, ...]) -> Piece[Found] | None:
        """The best that exactly these cards are in a split: of the greatest entry, then of the strongest kind."""
        key = column, self._what_matters(looks)
        if key not in self._rows:
            piece = None
            for entry, kind in self._entries(column):
                found = self._find(kind, looks) if self._size(kind, 0) == len(looks) else None
                if found is not None:
                    piece = Piece(entry, (kind, found.key), found)
                    break
            remember(self._rows, key, piece)
        return self._rows[key]

    # ------------------------------------------------------------------------------ back to the cards

    def _sorted(self, cards: Iterable[int]) -> list[int]:
        look = self.cards.look
        return sorted(cards, key=lambda c: (look[c], c))

    def _take(self, found: Found | None, cards: Sequence[int]) -> ir.Combination | None:
        return None if found is None else self._combination(found, self._sorted(cards), remove=False)

    def _combination(self, found: Found, cards: list[int], remove: bool) -> ir.Combination:
        """A result with the cards that show it: the first that do, in the written order of its groups."""
        if found.needs is None:
            return ir.Combination(found.kind, found.key, found.arguments, tuple(cards))
        rank, suit = self.cards.rank, self.cards.suit
        places = [i for i, _ in assign(found.needs, [(rank[c], suit[c]) for c in cards])]
        taken = tuple(cards[i] for i in places)
        if remove:
            for i in sorted(places, reverse=True):
                del cards[i]
        return ir.Combination(found.kind, found.key, found.arguments, taken)

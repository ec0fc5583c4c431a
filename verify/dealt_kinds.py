"""What combinations a pile of unknown cards holds, exactly: conditions on numbers of cards, and keys as digits.

A pattern whose groups all have ranks is a list of ways, each of which asks for so many cards of each rank and look;
ways are numbered in the order of the keys they give, so that a key is one number, and the side cards. A pattern that
is one group of any ranks takes the highest cards. Of any other pattern nothing is known: it is found or not, with any
key.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import z3

from dsl import ir
from interpreter.cards import CardSet
from interpreter.machine import Machine
from interpreter.patterns import Match, Matcher
from interpreter.pools import Pool
from verify.dealt_piles import Pile
from verify.folded import Digits, Optional, Strength, choose, conj, disj, less, lift, neg

_MOST_WAYS = 4000


@dataclass(frozen=True)
class Way:
    """Cards that make a pattern: so many of each rank, and of each look, at least. `key` numbers keys, upwards."""

    ranks: tuple[tuple[int, int], ...]
    looks: tuple[tuple[int, int], ...]
    arguments: tuple[int, ...]
    key: int

    def holds(self, pile: Pile) -> Any:
        return conj(*(pile.has_rank(r, n) for r, n in self.ranks), *(pile.has(look, n) for look, n in self.looks))


class KindTerms:
    """One row of the table of combinations. `ways` None: it is no list of ways; `loose`: the one group that it is."""

    def __init__(self, machine: Machine, index: int) -> None:
        self.index, self.kind, self.cards = index, machine.game.kinds[index], machine.words.cards
        pattern, by = self.kind.pattern, self.kind.by
        self.keys: list[tuple[int, ...]] = []
        self.ways: list[Way] | None = None
        self.loose: ir.Group | None = None
        self.sides = by[-1:] == (ir.Key.SIDE_CARDS,)
        # Where side cards are not the last to count, keys of hands of different sizes have no common digits.
        self.has_keys = ir.Key.SIDE_CARDS not in by[:-1]
        if pattern is None:
            # What it counts is all cards, however often.
            self.has_keys = True
            return
        own = tuple(k for k in by if k is not ir.Key.SIDE_CARDS)
        if all(g.run or g.rank is not None for g in pattern.groups):
            self._list_ways(machine, pattern, own)
        elif (
            len(pattern.groups) == 1
            and not pattern.conditions
            and ({name for name, _ in pattern.variables} <= {pattern.groups[0].suit})
        ):
            self.loose = pattern.groups[0]
            # Its highest cards count, where they count; a call of it names none.
            self.has_keys &= own in ((ir.Key.GROUPS,), (ir.Key.CARDS,)) or not by
        self.has_keys &= self.is_known

    def _list_ways(self, machine: Machine, pattern: ir.Pattern, by: tuple[ir.Key | str, ...]) -> None:
        cards = self.cards
        matcher = Matcher(cards, pattern, by)
        found: set[tuple[Any, ...]] = set()
        for match in matcher.ways(Pool(cards, ((cards.rank[c], cards.suit[c]) for c in cards.pack))):
            found.add((*_demand(match, cards), match.arguments, match.key))
            if len(found) > _MOST_WAYS:
                return
        self.keys = sorted({key for *_, key in found})
        self.ways = [
            Way(ranks, looks, arguments, bisect_left(self.keys, key))
            for ranks, looks, arguments, key in sorted(found)
        ]  # fmt: skip
        # Which of several ways leaves the better side cards is a question of its own.
        self.has_keys &= not self.sides or all(len({w.ranks for w in ways}) == 1 for ways in self._by_key.values())

    @property
    def is_known(self) -> bool:
        """Whether it can be told exactly if it is found."""
        return self.ways is not None or self.loose is not None

    @property
    def size(self) -> int:
        return self.kind.size if self.kind.pattern is None else self.kind.pattern.size

    def found(self, pile: Pile) -> Any:
        """Whether a pile holds it."""
        if pile.most < self.size:
            return False
        if self.loose is not None:
            if self.loose.suit is None:
                return pile.size >= self.size
            return disj(*(pile.has_suit(suit, self.size) for suit in self._suits()))
        assert self.ways is not None
        return disj(*dict.fromkeys(way.holds(pile) for way in self.ways))

    def named(self, pile: Pile, call: ir.Combination) -> Any:
        """Whether a pile holds it with the ranks and suits that a call names; None where that is not known."""
        if self.ways is not None:
            return disj(*(w.holds(pile) for w in self.ways if w.arguments == call.arguments))
        if self.loose is not None:
            return pile.has_suit(call.arguments[0], self.size) if call.arguments else self.found(pile)
        return None

    def _suits(self) -> Sequence[int]:
        assert self.loose is not None
        return [self.loose.suit] if isinstance(self.loose.suit, int) else range(self.cards.num_suits)

    # ---------------------------------------------------------------------------------------------- keys

    def key_of(self, pile: Pile) -> tuple[Any, ...] | None:
        """The parts of the greatest key in a pile that holds it; None where they are not known."""
        if not self.has_keys:
            return None
        if self.kind.pattern is None:
            return self._counts(pile) if self._has_cards_in_key else ()
        return self._ordered_key(pile) if self.ways is not None else self._loose_key(pile)

    def constant(self, key: tuple[int, ...]) -> tuple[Any, ...] | None:
        """The parts of a key that is known."""
        if not self.has_keys or self.kind.pattern is None:
            return None
        if self.ways is not None:
            length = len(self.keys[0]) if self.keys else 0
            at = bisect_left(self.keys, key[:length])
            if self.keys[at : at + 1] != [key[:length]]:
                return None
            return (at, *self._counted(key[length:])) if self.sides else (at,)
        own = self.size if self._has_cards_in_key else 0
        picked = self._counted(key[:own]) if own else ()
        return (*picked, *self._counted(key[own:])) if self.sides else picked

    @property
    def _has_cards_in_key(self) -> bool:
        return any(k in (ir.Key.GROUPS, ir.Key.CARDS) for k in self.kind.by) or (
            self.kind.pattern is None and ir.Key.SIDE_CARDS in self.kind.by
        )

    def _ranks(self) -> Sequence[int]:
        return range(self.cards.num_ranks - 1, -1, -1)

    def _counted(self, ranks: Sequence[int]) -> tuple[int, ...]:
        counts = Counter(ranks)
        return tuple(counts[r] for r in self._ranks())

    def _counts(self, pile: Pile) -> tuple[Any, ...]:
        return tuple(pile.by_rank.get(r, 0) for r in self._ranks())

    def _ordered_key(self, pile: Pile) -> tuple[Any, ...]:
        order: Any = 0
        for number, ways in self._by_key.items():
            order = choose(disj(*dict.fromkeys(w.holds(pile) for w in ways)), number, order)
        if not self.sides:
            return (order,)
        left = [n - used(lift(order)) for used, n in zip(self._used, self._counts(pile), strict=True)]
        return (order, *left)

    @cached_property
    def _by_key(self) -> dict[int, list[Way]]:
        """The ways by the number of their key, the weakest first."""
        out: dict[int, list[Way]] = {}
        for way in sorted(self.ways or (), key=lambda w: w.key):
            out.setdefault(way.key, []).append(way)
        return out

    @cached_property
    def _used(self) -> list[Any]:
        """How many cards of each rank it takes: functions of the key, so that with equal keys they are equal."""
        return [z3.Function(f"used!{self.index}!{r}", z3.IntSort(), z3.IntSort()) for r in self._ranks()]

    def facts(self) -> Iterator[Any]:
        """What the functions in keys are."""
        if self.ways is not None and self.sides and self.has_keys:
            for number, ways in self._by_key.items():
                taken = dict(ways[0].ranks)
                yield from (f(number) == taken.get(r, 0) for f, r in zip(self._used, self._ranks(), strict=True))

    def _loose_key(self, pile: Pile) -> tuple[Any, ...]:
        assert self.loose is not None
        if self.loose.suit is None:
            return self._picked(pile, pile.by_rank)
        best, some = tuple[Any, ...](), False
        for suit in self._suits():
            within = {self.cards.face_rank[look]: n for look, n in pile.by_look.items()
                      if pile.pack.suit[look] == suit}  # fmt: skip
            enough, key = pile.has_suit(suit, self.size), self._picked(pile, within)
            better = enough
            if some is not False and pile.most >= 2 * self.size:
                better = conj(enough, disj(neg(some), less(_digits(best), _digits(key), False)))
            best = key if some is False else tuple(choose(better, k, b) for k, b in zip(key, best, strict=True))
            some = disj(some, enough)
        return best

    def _picked(self, pile: Pile, within: dict[int, Any]) -> tuple[Any, ...]:
        """The highest of these cards, by rank, and what is left of the pile."""
        wanted: Any = self.size
        picked: list[Any] = []
        for rank in self._ranks():
            here = within.get(rank, 0)
            n = 0 if isinstance(here, int) else z3.If(here <= wanted, here, wanted)
            picked.append(n)
            wanted = wanted - n
        left = [n - p for n, p in zip(self._counts(pile), picked, strict=True)]
        return (*(picked if self._has_cards_in_key else ()), *(left if self.sides else ()))


def _demand(match: Match, cards: CardSet) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """The ranks of all its cards, and the looks of those whose suit is fixed, with how many of each."""
    ranks: Counter[int] = Counter()
    looks: Counter[int] = Counter()
    for pick in match.picks:
        for rank in pick.ranks:
            ranks[rank] += 1
            if pick.suit is not None:
                plain = pick.suit < cards.num_plain_suits
                looks[(rank if plain else cards.num_plain_ranks) * cards.num_plain_suits + pick.suit * plain] += 1
    return tuple(sorted(ranks.items())), tuple(sorted(looks.items()))


def _digits(parts: tuple[Any, ...]) -> Digits:
    return Digits(lambda: parts)


@lru_cache(maxsize=4)
def kinds_of(machine: Machine) -> tuple[KindTerms, ...]:
    """The table of a machine's game."""
    return tuple(KindTerms(machine, i) for i in range(len(machine.game.kinds)))


class Hands:
    """Combinations in piles, as strengths. `fresh` makes a Boolean or a whole number of which nothing is known."""

    def __init__(self, machine: Machine, facts: list[Any], fresh: Callable[[str], Any]) -> None:
        self.machine, self.kinds, self._facts, self._fresh = machine, kinds_of(machine), facts, fresh
        ranks = machine.words.cards.num_ranks
        # One more than any key has parts: between two keys there is always room for one that is not known.
        self.width = 1 + 2 * ranks
        self._found: dict[tuple[Pile, int], tuple[Any, Digits]] = {}
        self._told: set[int] = set()
        game = machine.game
        self._servants = [[j for j, k in enumerate(game.kinds) if i in k.serves_as and k.pattern is not None]
                          for i in range(len(game.kinds))]  # fmt: skip

    def digits(self, row: KindTerms, parts: Callable[[], tuple[Any, ...] | None]) -> Digits:
        """A key of any kind, as wide as all; where its parts are not known, they may be anything."""

        def make() -> tuple[Any, ...]:
            found = parts()
            if found is None:
                return self.anything().parts
            if row.index not in self._told:
                self._told.add(row.index)
                self._facts.extend(row.facts())
            return (*found, *(0 for _ in range(self.width - len(found))))

        return Digits(make)

    def anything(self) -> Digits:
        """A key of which nothing is known."""
        return Digits(lambda: tuple(self._fresh("key") for _ in range(self.width)))

    def strength_of(self, combination: ir.Combination) -> Strength:
        """A combination that is known."""
        kind = self.kinds[combination.kind]
        return Strength(combination.kind, self.digits(kind, lambda: kind.constant(combination.key)), combination)

    def found(self, kind: int, pile: Pile) -> tuple[Any, Digits]:
        """Whether a pile holds a kind by itself, and with which key."""
        if (pile, kind) not in self._found:
            row = self.kinds[kind]
            if row.kind.pattern is None:
                others = (self.found(k.index, pile)[0] for k in self.kinds if k.kind.pattern is not None)
                found = neg(disj(*others))
            else:
                found = row.found(pile) if row.is_known or pile.most < row.size else lift(self._fresh("found") > 0)
            self._found[pile, kind] = found, self.digits(row, lambda: row.key_of(pile))
        return self._found[pile, kind]

    def exactly(self, kind: int, pile: Pile) -> Optional:
        """All cards of a pile as a kind, or none."""
        row = self.kinds[kind]
        found, key = self.found(kind, pile)
        if row.kind.pattern is not None or row.size:
            found = conj(found, lift(pile.size) == row.size) if pile.most >= row.size else False
        return Optional(neg(found), Strength(kind, key))

    def best(self, pile: Pile, allowed: Sequence[Any]) -> Optional:
        """The strongest kind of those allowed that a pile holds, or holds something that serves as it."""
        best, some = Optional(True, 0), False
        for row in self.kinds:
            if row.kind.pattern is None or allowed[row.index] is False:
                continue
            own, key = self.found(row.index, pile)
            served = disj(*(self.found(j, pile)[0] for j in self._servants[row.index]))
            # What serves has a key of its own making.
            key = key if served is False else choose(conj(own, neg(served)), key, self.anything())
            here = conj(allowed[row.index], disj(own, served))
            best = Optional(neg(disj(some, here)), choose(here, Strength(row.index, key), best.value))
            some = disj(some, here)
        # "None of these" is found where no other allowed kind is: the last such row that is allowed.
        for row in reversed(self.kinds):
            if row.kind.pattern is None:
                key = self.found(row.index, pile)[1]
                here = conj(allowed[row.index], neg(some))
                best = Optional(conj(best.none, neg(here)), choose(here, Strength(row.index, key), best.value))
                some = disj(some, here)
        return best

    def contains(self, pile: Pile, call: ir.Combination) -> Any:
        """Whether a pile contains what is called; None where that is not known."""
        row = self.kinds[call.kind]
        if row.kind.pattern is None:
            return self.found(call.kind, pile)[0]
        return row.named(pile, call) if pile.most >= row.size else False

"""Steps of the count abstraction that move cards: numbers change, and it is told what some variables still name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dsl import ir, types
from dsl.walk import parts
from interpreter.machine import Machine
from verify.capacities import Summed
from verify.counts import Counts, Impossible, maybe
from verify.estimate_places import cells_of
from verify.points import Point, Unsupported
from verify.unknown import UNKNOWN, Held


class CardSteps:
    """Such steps of one game. `holds` is how many cards each place can hold at most, `needed` names the zones whose
    counts matter. `ready` are the estimates of a node.
    """

    def __init__(self, machine: Machine, summed: dict[str, Summed], holds: list[int | None],
                 needed: frozenset[str]) -> None:  # fmt: skip
        self._machine, self._layout, self._summed = machine, machine.layout, summed
        self._holds, self._needed = holds, needed

    def deal(self, node: ir.Deal, ready: tuple[Any, ...], point: Point, s: Counts) -> Iterator[Point]:
        """Cards are dealt, as many as may be meant."""
        count, source, target = ready
        n, a, b = count(s), source(s), target(s)
        if a is None or b is None:
            raise Unsupported("cards are dealt to or from an unknown zone")
        have = s.counts[a]
        assert have is not None, "what is dealt from is counted"
        name = self._layout.zone_names[a]
        if n is UNKNOWN:
            t = types.strip(types.of(node.count))
            low, high = (t.low, t.high) if isinstance(t, ir.IntType) else (None, None)
            if not node.up_to and (high is None or high > have):
                s.doubts.add(f"{name} has too few cards to deal from")
            if low is None or low < 0:
                s.doubts.add("a negative number of cards to deal")
            least = 0 if low is None else max(0, min(low, have) if node.up_to else low)
            wanted = list(range(least, (have if high is None else min(have, high)) + 1))
            if not wanted:
                raise Impossible(f"{name} has too few cards to deal from")
        elif n < 0:
            raise Impossible("a negative number of cards to deal")
        elif n > have and not node.up_to:
            raise Impossible(f"{name} has too few cards to deal from")
        else:
            wanted = [min(n, have)]
        for k in wanted:
            counts = list(s.counts)
            self._take(counts, ((a, k),))
            if self._fits(s, counts, b, k, len(wanted) == 1):
                moved = Counts(list(s.vars), counts)
                moved.lay(frozenset((a,)) if k else frozenset(), b)
                yield point._replace(pc=node.next, vars=tuple(moved.vars), counts=tuple(counts))

    def move(self, node: ir.Move, ready: tuple[Any, ...], point: Point, s: Counts) -> Iterator[Point]:
        """Cards go where a rule says, or to each place that may be meant."""
        cards, where, named, family = ready
        pile = cards(s)
        if isinstance(pile, Held) and not pile.count:
            yield point._replace(pc=node.next)  # no cards move, and where to is not asked
            return
        place = where(s) if isinstance(pile, Held) else maybe(where, s)
        if not isinstance(pile, Held) and self._is_uncounted(node):
            yield point._replace(pc=node.next)
            return
        if not isinstance(pile, Held):
            raise Unsupported("cards are moved of which it is not known how many there are")
        places = [place] if place is not None else cells_of(family, node.target.zone in self._summed)
        for target in places:
            counts = list(s.counts)
            self._take(counts, pile.parts)
            if self._fits(s, counts, target, pile.count, len(places) == 1):
                moved = Counts(list(s.vars), counts)
                moved.lay(pile.places, target, named)
                yield point._replace(pc=node.next, vars=tuple(moved.vars), counts=tuple(counts))

    def gather(self, node: ir.Gather, ready: tuple[Any, ...], point: Point, s: Counts) -> Point:
        """All cards, or some, go to one place."""
        cards, where, named = ready
        place = where(s)
        if place is None:
            raise Unsupported("cards are gathered into an unknown zone")
        moved = Counts(list(s.vars), list(s.counts))
        if cards is None:
            everything = len(self._machine.words.cards.pack)
            moved.counts = [None if n is None else everything if i == place else 0 for i, n in enumerate(s.counts)]
            moved.lay(None, place)
        else:
            pile = cards(s)
            if not isinstance(pile, Held):
                raise Unsupported("cards are gathered of which it is not known how many there are")
            self._take(moved.counts, pile.parts)
            self._put(moved.counts, place, pile.count)
            moved.lay(pile.places, place, named)
        return point._replace(pc=node.next, vars=tuple(moved.vars), counts=tuple(moved.counts))

    def _is_uncounted(self, node: ir.Move) -> bool:
        """Whether cards go from zones that are not counted to one that is not: then it does not matter how many."""
        named = [p.zone for p in parts(node.cards) if isinstance(p, ir.ZoneExpr | ir.AllOfZone)]
        plain = not any(isinstance(p, ir.CallExpr | ir.Var) for p in parts(node.cards) if p is not node.cards)
        return bool(named) and plain and not any(z in self._needed for z in (*named, node.target.zone))

    def _fits(self, s: Counts, counts: list[int | None], place: int, n: int, is_sure: bool) -> bool:
        """Like `_put`; where other things may happen instead, too many cards are only a doubt."""
        try:
            self._put(counts, place, n)
        except Impossible as impossible:
            if is_sure:
                raise
            s.doubts.add(impossible.message)
            return False
        return True

    def _put(self, counts: list[int | None], place: int, n: int) -> None:
        before = counts[place]
        if before is None:
            return
        counts[place] = now = before + n
        most = self._holds[place]
        if most is not None and now > most:
            raise Impossible(f"{self._layout.zone_names[place]} would hold more than {most} cards")

    @staticmethod
    def _take(counts: list[int | None], parts_: tuple[tuple[int, int], ...]) -> None:
        for place, n in parts_:
            before = counts[place]
            if before is not None:
                counts[place] = before - n

"""Cards on the move, on terms: how many lie where after a deal, a move or a gathering.

A place holds from no cards to what it was declared to hold, and all places together the whole pack. Where it cannot
be told from where cards come or where they go, only that is kept.
"""

from __future__ import annotations

from typing import Any

from dsl import ir
from interpreter.machine import Machine
from verify.env import Env
from verify.folded import Lying, choose, conj, equal, is_term, neg
from verify.terms import Terms


class Piling:
    """The numbers of cards of one game. Conditions that are told must hold for play to go on."""

    def __init__(self, machine: Machine, terms: Terms) -> None:
        self._terms, self._layout = terms, machine.layout
        self._pack = len(machine.words.cards.pack)
        self._home = machine.layout.home
        self._counter = 0
        blank = Env([None] * len(machine.layout.var_cells), [0] * len(machine.layout.zone_cells), 0, {})
        self._holds = [self._capacity(i, blank) for i in range(len(machine.layout.zone_cells))]
        self.short: Any = False  # of the last deal: when there are too few cards
        self.full: Any = False  # of the last step: when a place would hold too many

    def _capacity(self, place: int, blank: Env) -> int | None:
        holds = self._layout.cell_zones[place].holds
        if holds is None:
            return None
        names = {f"#{i}": index for i, index in enumerate(self._layout.zone_cells[place].indices)}
        with self._terms.bound(**names):
            found = self._terms.term(holds, blank)
        return found if isinstance(found, int) else None

    def at_first(self) -> list[Any]:
        """Every card at home."""
        return [self._pack if i == self._home else 0 for i in range(len(self._holds))]

    def anyhow(self) -> list[Any]:
        """The cards lying anywhere, the facts of it being told to the terms."""
        terms = self._terms
        kept = [terms.is_kept(i, of_cards=True) for i in range(len(self._holds))]
        counts = [self.any_number(i) if k else 0 for i, k in enumerate(kept)]
        terms.facts.append(equal(sum(counts), self._pack) if all(kept) else _at_least(self._pack, sum(counts)))
        return counts

    def any_number(self, place: int) -> Any:
        """As many cards as a place can hold, or fewer."""
        return self._terms.fresh(ir.IntType(0, self._most(place)), "count")

    def _most(self, place: int) -> int:
        holds = self._holds[place]
        return self._pack if holds is None else max(0, min(holds, self._pack))  # an empty one may be, whatever is said

    def deal(self, node: ir.Deal, env: Env) -> tuple[Any, list[Any]]:
        """Under which condition cards are dealt, and how many then lie where."""
        terms = self._terms
        wanted = terms.term(node.count, env)
        try:
            sources, targets = terms.places(node.source, env), terms.places(node.target, env)
        except IndexError:
            return False, env.counts
        if sources is None:
            self.short = self.full = True
            return True, self.anyhow()
        have: Any = 0
        for place, here in sources:
            have = choose(here, terms.count(env, place), have)
        enough = _at_least(have, wanted)
        count = choose(enough, wanted, have) if node.up_to else wanted
        taken = tuple((place, choose(here, count, 0)) for place, here in sources)
        condition = conj(_at_least(wanted, 0), True if node.up_to else enough)
        fits, counts = self.put(taken, targets, env.counts)
        self.short, self.full = neg(condition), conj(condition, self.full)
        return conj(condition, fits), counts

    def move(self, cards: Any, target: ir.ZoneExpr, env: Env) -> tuple[Any, list[Any]]:
        """The same of cards that are moved, wherever they come from."""
        is_known = isinstance(cards, Lying) and cards.parts is not None and cards.since == env.epoch
        try:
            targets = self._terms.places(target, env)
        except IndexError:
            # Where no cards move, it is not asked where to.
            return equal(cards.count, 0) if is_known else True, env.counts
        if not is_known:
            self.full = True
            return True, self.anyhow()
        return self.put(cards.parts, targets, env.counts)

    def gather_all(self, target: ir.ZoneExpr, env: Env) -> tuple[Any, list[Any]]:
        """Every card to one place."""
        try:
            targets = self._terms.places(target, env)
        except IndexError:
            return False, env.counts
        self.full = targets is None or any(self._most(place) < self._pack for place, _ in targets)
        if targets is None:
            return True, self.anyhow()
        counts: list[Any] = [0] * len(env.counts)
        for place, here in targets:
            counts[place] = choose(here, self._pack, 0)
        return True, counts

    def put(self, taken: tuple[tuple[int, Any], ...], targets: list[tuple[int, Any]] | None, counts: list[Any]
            ) -> tuple[Any, list[Any]]:  # fmt: skip
        """So many cards from each place to one of the targets."""
        if targets is None:
            self.full = True
            return True, self.anyhow()
        after = counts[:]
        kept = self._terms.is_kept
        for place, number in taken:
            after[place] = after[place] - number if kept(place, of_cards=True) else 0
        total: Any = sum((n for _, n in taken), start=0)
        fits: Any = True
        unknown = any(not kept(p, of_cards=True) for p, _ in targets)
        for place, here in targets:
            if not kept(place, of_cards=True):
                continue
            after[place] = after[place] + choose(here, total, 0)
            holds = self._holds[place]
            if holds is not None:
                fits = conj(fits, _at_least(holds, after[place]))
        unknown |= any(self._holds[p] is None and self._layout.cell_zones[p].holds is not None for p, _ in targets)
        self.full = True if unknown else neg(fits)
        return fits, after

    def chosen(self, parameter: ir.Param, env: Env) -> tuple[Any, Lying]:
        """The cards that a player may choose, and under which condition there are such."""
        terms = self._terms
        assert parameter.domain is not None and not isinstance(parameter.domain, ir.Domain)
        pile = terms.term(parameter.domain, env)
        ident = terms.fresh(ir.CardsType(), parameter.name)
        if not isinstance(pile, Lying) or pile.parts is None:
            return True, Lying(ident)
        is_card = isinstance(parameter.type, ir.CardType)
        least, most = (1, 1) if is_card else (parameter.least, parameter.most)
        parts = [(p, n) for p, n in pile.parts if is_term(n) or n]
        if len(parts) == 1 and least == most:
            return _at_least(parts[0][1], least), Lying(ident, ((parts[0][0], least),), pile.since)
        numbers = [terms.fresh(ir.IntType(0, most), "chosen") for _ in parts]
        total: Any = sum(numbers, start=0)
        within = [_at_least(n, x) for (_, n), x in zip(parts, numbers, strict=True)]
        condition = conj(_at_least(total, least), _at_least(most, total), *within)
        return condition, Lying(ident, tuple((p, x) for (p, _), x in zip(parts, numbers, strict=True)), pile.since)


def _at_least(a: Any, b: Any) -> Any:
    return a >= b

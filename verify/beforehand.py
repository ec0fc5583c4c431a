"""Deals from which a rule does what is sought: how the cards may have to lie where the rule begins.

The rule is carried out on terms that are exact about cards until any has moved. What these cannot tell may be anything,
and whether play comes to such a position is not asked. So a deal of theirs is a guess, to be tried in play.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from dsl import ir, model
from dsl.lower import lower
from dsl.walk import variables_read
from interpreter.machine import Machine
from verify.anydeal import lying
from verify.dealt import Dealt
from verify.dealt_piles import Pack, Place, sum_of
from verify.env import Asked, Env
from verify.extents import claim_of, values_of_hands
from verify.folded import Unsupported, lift
from verify.places import TooMany, expressions_of
from verify.ruleproofs import against, starts_apart
from verify.symbolic import Symbolic
from verify.terms import Terms

_MOST_DEALS = 4
_MOST_FEWER = 6
_MOST_TRIES = 8
_WORK, _TO_BEGIN = 1_000_000, 2_000_000  # of the solver, in the first tries
_FALSE, _AT_RANDOM = 0, 5  # what is tried of a condition: first that no card lies anywhere


@dataclass(frozen=True, slots=True)
class Deal:
    """Cards that lie in some zones. Those in `more` may hold others besides."""

    cards: Mapping[int, tuple[int, ...]]
    more: frozenset[int]


class AtFirst(Dealt):
    """Terms that are exact about cards while they lie as at the beginning."""

    def _dealt(self, expr: ir.Expr, env: Env) -> Any:
        return Terms.term(self, expr, env) if env.epoch else super()._dealt(expr, env)


def deals(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Iterator[Deal]:
    """Some deals in which the rule of a claim may begin so that the claim fails at its end, or what is possible holds.

    They have no cards in zones that can do without.
    """
    assert claim.scope is not None
    deadline = time.monotonic() + seconds
    machine = Machine(lower(source, num_players, claim.scope, frozenset({claim.scope})))
    terms = AtFirst(machine, Pack(machine))
    try:
        symbolic = Symbolic(machine, variables_read(expressions_of(claim), machine.game), deadline, terms=terms)
        wanted, _, _ = against(symbolic, claim, starts_apart(symbolic, claim))
        told = [x for asked in terms.said if not asked.since for x in _told(asked, terms, deadline - time.monotonic())]
    except (Unsupported, TooMany):
        return
    if not terms.deal.places:
        return
    solver = _solver([*map(lift, symbolic.known()), *terms.deal.facts(), *told, z3.Or(*wanted)], _FALSE)
    sought = _Sought(machine, terms.deal.places, solver, deadline)
    for _ in range(_MOST_DEALS):
        found = sought.found()
        if found is None:
            return
        yield found


class _Sought:
    """Deals that a solver finds, each with other numbers of cards in the zones."""

    def __init__(self, machine: Machine, places: Mapping[frozenset[int], Place], solver: Any, deadline: float) -> None:
        self._machine, self._places, self._solver, self._deadline = machine, places, solver, deadline
        self._counts = {cell: place.counts for (cell,), place in places.items()}
        self._sizes = {cell: lift(sum_of(list(counts.values()))) for cell, counts in self._counts.items()}
        self._holds = {cell: place.holds for (cell,), place in places.items()}
        self._values: Any = None  # those found last, as long as nothing was added that they do not meet
        # Zones of one seat are likely to be needed together, or not at all.
        self._by_seat: dict[Any, list[int]] = {}
        for cell in self._sizes:
            self._by_seat.setdefault(machine.layout.zone_cells[cell].indices[:1], []).append(cell)

    def found(self) -> Deal | None:
        """One more, in which as many zones as can be are empty, and the others hold little; None where there is none,
        or the time is up.
        """
        self._solver.push()
        for cells in self._by_seat.values():
            self._where_it_can_be(cells, lambda cell: self._sizes[cell] == 0, stays=True)
        self._values = self._values or self._model()
        if self._values is None:
            return None
        self._take_away()
        cards = lying(self._machine, self._places, self._values)
        self._solver.pop()
        more = self._with_more(cards)
        self._values = None
        self._solver.add(z3.Or(*(size != len(cards[cell]) for cell, size in self._sizes.items())))
        return Deal({cell: lie for cell, lie in cards.items() if lie or cell not in more}, more)

    def _take_away(self) -> None:
        """Some of the cards of zones that can do with fewer."""
        for cell, size in self._sizes.items():
            for _ in range(_MOST_FEWER):
                fewer = size < self._values.eval(size, model_completion=True)
                if not self._where_it_can_be([cell], {cell: fewer}.__getitem__, stays=True):
                    break

    def _with_more(self, cards: Mapping[int, tuple[int, ...]]) -> frozenset[int]:
        """The zones in which other cards may lie besides, those that were found to do without any too."""
        self._solver.push()
        for counts in self._counts.values():
            self._solver.add(*(n >= self._values.eval(n, model_completion=True) for n in counts.values()))
        others = [cell for cell, holds in self._holds.items() if len(cards[cell]) != holds]
        more = self._where_it_can_be(others, lambda cell: self._sizes[cell] > len(cards[cell]))
        self._solver.pop()
        return frozenset(more)

    def _where_it_can_be(self, cells: Sequence[int], condition: Callable[[int], Any], stays: bool = False) -> list[int]:
        """The zones of which a condition can hold: of many together if it can be, since to see that takes long.

        It is then taken to be so, if it `stays`.
        """
        if not cells:
            return []
        conditions = [condition(cell) for cell in cells]
        values = self._values
        if values is None or not all(z3.is_true(values.eval(x, model_completion=True)) for x in conditions):
            self._solver.push()
            self._solver.add(*conditions)
            values = self._model()
            self._solver.pop()
        if values is not None:
            if stays:
                self._values = values
                self._solver.add(*conditions)
            return list(cells)
        half = len(cells) // 2
        parts = (cells[:half], cells[half:]) if half else ()
        return [cell for part in parts for cell in self._where_it_can_be(part, condition, stays)]

    def _model(self) -> Any:
        """Values of all terms; None where there are none, or none were found.

        Where that takes long it seldom does when begun anew, with other random numbers. Work is measured in steps of
        the solver, and not in time, so that the same values are found everywhere.
        """
        for number in range(_MOST_TRIES):
            left = self._deadline - time.monotonic()
            if left <= 0:
                return None
            solver, work = self._solver, _WORK
            if number % 2:
                solver, work = _solver(self._solver.assertions(), _AT_RANDOM), _WORK + _TO_BEGIN
            solver.set("random_seed", number)
            solver.set("rlimit", work << number // 4)
            solver.set("timeout", max(1, int(left * 1000)))
            found = solver.check()
            if found != z3.unknown:
                return solver.model() if found == z3.sat else None
        return None


def _solver(facts: Iterable[Any], phase: int) -> Any:
    # The simplex at its core counts (see `anydeal`).
    solver = z3.SimpleSolver()
    solver.set("phase_selection", phase)
    solver.add(*facts)
    return solver


def _told(asked: Asked, terms: AtFirst, seconds: float) -> Iterator[Any]:
    """That a number that all hands of one zone were looked at for is what one of these hands makes of it.

    Of the hands that come to a number one is as good as another here.
    """
    found = values_of_hands(claim_of(asked, terms.game), terms.machine, seconds / 2)
    indices: list[Any] = [] if found is None else [i.value for i in found.zone.indices if isinstance(i, ir.Const)]
    if found is None or len(indices) < len(found.zone.indices):
        return
    pile = terms.deal.in_zones(frozenset({terms.layout.zones[found.zone.zone].index(indices)}))
    look = terms.machine.words.cards.look
    ways = []
    for value, cards in found.hands.items():
        counts = Counter(look[c] for c in cards)
        ways.append(z3.And(asked.term == value, *(pile.by_look[x] >= n for x, n in counts.items())))
    yield z3.Or(*ways)

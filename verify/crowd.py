"""Any number of seats at once: a few that have a name, and all others, of whom only sums are known.

What the others have is added up over those for whom the same conditions hold. Where a condition holds of each of them,
its sum over all of them holds too: that is all that is kept, so that more is allowed than seats can do. A proof still
holds, for each number of players at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final, TypeAlias

import z3

from verify.linear import (
    YES,
    All,
    AtMost0,
    Condition,
    Linear,
    TooMuch,
    at_most,
    both,
    equal,
    is_possible,
    negated,
    number,
    unknown,
    unknowns,
    ways,
)
from verify.linear import Any as Either

_MOST_NAMED = 6
_MOST_SORTS = 300
_MOST_WAYS = 100

Bounds: TypeAlias = tuple[int | None, int | None]
PLAYERS: Final = unknown("players")


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat that has a name, by number; None stands for each of the others."""

    index: int | None


OTHER: Final = Seat(None)

Parts: TypeAlias = tuple[tuple[Condition, Linear], ...]
"""What a seat adds to a total: each sum where its condition holds."""


@dataclass(slots=True)
class _Total:
    of: Callable[[Seat], Parts]
    parts: dict[Seat, Parts] = field(default_factory=dict)


@dataclass(slots=True)
class _Sort:
    """Some of the others, of whom the same conditions hold: how many they are, and what they have between them."""

    index: int
    way: tuple[AtMost0, ...]
    meets: frozenset[Condition]

    @property
    def size(self) -> Linear:
        return unknown(("how many", self.index))

    def together(self, total: Linear) -> Linear | None:
        """What a sum comes to over all of them; None where it has parts that are the same for all seats."""
        found = self.size * total.number
        for name, n in total.times:
            if not is_of_other(name):
                return None
            found = found + unknown(("together", self.index, name)) * n
        return found


def of_seat(seat: Seat, key: Hashable) -> Linear:
    """Something that each seat has of its own."""
    return unknown(("seat", seat.index, key))


def is_of_other(name: Hashable) -> bool:
    return isinstance(name, tuple) and name[0] == "seat" and name[1] is None


class Crowd:
    """The seats of a game of which nobody says how many there are."""

    def __init__(self) -> None:
        self.facts: list[Condition] = []
        self._names: dict[Hashable, Seat] = {}
        self._bounds: dict[Hashable, Bounds] = {}  # of what each seat has
        self._totals: dict[Hashable, _Total] = {}

    # -------------------------------------------------------------------------------------------- seats

    def named(self, name: Hashable) -> Seat:
        """The seat of a name. Seats of two names may be one seat.

        Raises:
            TooMuch: There are too many names.
        """
        if name not in self._names:
            if len(self._names) == _MOST_NAMED:
                raise TooMuch
            self._names[name] = Seat(len(self._names))
        return self._names[name]

    def are_one(self, a: Seat, b: Seat) -> Condition:
        if a == b:
            return YES
        if a.index is None or b.index is None:
            return Either()
        name = ("one seat", min(a.index, b.index), max(a.index, b.index))
        return at_most(number(1), unknown(name))

    # --------------------------------------------------------------------------------------- quantities

    def has(self, seat: Seat, key: Hashable, bounds: Bounds) -> Linear:
        """How much a seat has of something."""
        self._bounds[key] = bounds
        return of_seat(seat, key)

    def something(self, name: Hashable, bounds: Bounds = (None, None)) -> Linear:
        """A number that is the same whoever looks."""
        found = unknown(name)
        self._within(found, bounds)
        return found

    def total(self, name: Hashable, of: Callable[[Seat], Parts]) -> Linear:
        """What all seats add up to. `of` says what one seat adds."""
        if name not in self._totals:
            self._totals[name] = _Total(of)
        return unknown(("total", name))

    def _within(self, what: Linear, bounds: Bounds) -> None:
        low, high = bounds
        if low is not None:
            self.facts.append(at_most(number(low), what))
        if high is not None:
            self.facts.append(at_most(what, number(high)))

    # ---------------------------------------------------------------------------------------------- all

    def all_facts(self) -> list[Condition]:
        """All that is known of everything that was asked for.

        Raises:
            TooMuch: There are too many cases.
        """
        self._look_at_each()
        seats = list(self._names.values())
        facts = [*self.facts, at_most(number(1), PLAYERS)]
        for seat in seats:
            for key, (low, high) in self._bounds.items():
                facts += [at_most(number(low), of_seat(seat, key))] if low is not None else []
                facts += [at_most(of_seat(seat, key), number(high))] if high is not None else []
        for a, b in combinations(seats, 2):
            one = self.are_one(a, b)
            alike = both(*(equal(of_seat(a, key), of_seat(b, key)) for key in self._bounds))
            facts.append(Either((negated(one), alike)))
            for c in seats:
                facts.append(Either((negated(one), negated(self.are_one(b, c)), self.are_one(a, c))))
        first = {s: both(*(negated(self.are_one(t, s)) for t in seats[: seats.index(s)])) for s in seats}
        sorts = self._sorts()
        people = number(0)
        for seat in seats:
            people = people + self._where(("counted", seat), first[seat], number(1), facts)
        for sort in sorts:
            people = people + sort.size
            facts += self._of_sort(sort)
        facts.append(equal(people, PLAYERS))
        for name, total in self._totals.items():
            facts += self._of_total(name, total, first, sorts)
        return facts

    def _look_at_each(self) -> None:
        """What each seat adds to each total. That may ask for new seats and totals."""
        while True:
            missing = [
                (t, s) for t in self._totals.values() for s in (*self._names.values(), OTHER) if s not in t.parts
            ]  # fmt: skip
            if not missing:
                return
            for total, seat in missing:
                total.parts[seat] = total.of(seat)

    def _sorts(self) -> list[_Sort]:
        """The others by which of the conditions of totals hold of them."""
        conditions = dict.fromkeys(c for t in self._totals.values() for c, _ in t.parts[OTHER])
        bounds = {of_seat(OTHER, key).times[0][0]: b for key, b in self._bounds.items()}
        found: list[tuple[tuple[AtMost0, ...], frozenset[Condition]]] = [((), frozenset())]
        for condition in conditions:
            split = []
            for told in (condition, negated(condition)):
                for way in ways(told, _MOST_WAYS):
                    for before, meets in found:
                        now = tuple(dict.fromkeys((*before, *way)))
                        if is_possible(now, bounds):
                            split.append((now, meets | {condition} if told is condition else meets))
            found = list(dict.fromkeys(split))
            if len(found) > _MOST_SORTS:
                raise TooMuch
        return [_Sort(i, way, meets) for i, (way, meets) in enumerate(found)]

    def _of_sort(self, sort: _Sort) -> list[Condition]:
        facts = [at_most(number(0), sort.size)]
        nobody = at_most(sort.size, number(0))
        for part in sort.way:
            together = sort.together(part.sum)
            if together is not None:
                facts.append(at_most(together, number(0)))
            elif not any(is_of_other(name) for name in unknowns(part)):
                facts.append(Either((nobody, part)))
        for key, (low, high) in self._bounds.items():
            theirs = sort.together(of_seat(OTHER, key))
            assert theirs is not None
            facts += [at_most(sort.size * low, theirs)] if low is not None else []
            facts += [at_most(theirs, sort.size * high)] if high is not None else []
            if low is None or high is None:
                facts.append(Either((negated(nobody), equal(theirs, number(0)))))
        return facts

    def _of_total(self, name: Hashable, total: _Total, first: dict[Seat, Condition], sorts: list[_Sort]
                  ) -> list[Condition]:  # fmt: skip
        facts: list[Condition] = []
        found = number(0)
        for seat, condition in first.items():
            for i, (holds, adds) in enumerate(total.parts[seat]):
                found = found + self._where(("adds", name, seat, i), both(condition, holds), adds, facts)
        for i, (holds, adds) in enumerate(total.parts[OTHER]):
            for sort in sorts:
                if holds in sort.meets:
                    theirs = sort.together(adds)
                    # What depends on more than they have: nobody knows.
                    found = found + (unknown(("anything", name, i, sort.index)) if theirs is None else theirs)
        facts.append(equal(unknown(("total", name)), found))
        return facts

    @staticmethod
    def _where(name: Hashable, condition: Condition, what: Linear, facts: list[Condition]) -> Linear:
        """A number where a condition holds, else 0."""
        if condition == YES:
            return what
        found = unknown(name)
        facts.append(Either((negated(condition), equal(found, what))))
        facts.append(Either((condition, equal(found, number(0)))))
        return found


class Solver:
    """Whether some conditions can hold together, for a number of players from `least` on."""

    def __init__(self, facts: list[Condition], seconds: float) -> None:
        self._unknowns: dict[Hashable, Any] = {}
        self._solver = z3.Solver()
        self._solver.set("timeout", max(1, int(seconds * 1000)))
        self._solver.add(*(self._term(f) for f in facts))

    def can_be(self, *conditions: Condition) -> bool | None:
        """None where it cannot be told in time."""
        found = self._solver.check(*(self._term(c) for c in conditions))
        return None if found == z3.unknown else bool(found == z3.sat)

    def value(self, what: Linear) -> int:
        """After it could be: what a sum was."""
        return int(self._solver.model().eval(self._sum(what), model_completion=True).as_long())

    def _term(self, condition: Condition) -> Any:
        match condition:
            case AtMost0(total):
                return self._sum(total) <= 0
            case All(of):
                return z3.And(*(self._term(c) for c in of))
            case Either(of):
                return z3.Or(*(self._term(c) for c in of))

    def _sum(self, total: Linear) -> Any:
        return z3.Sum(*(self._name(u) * n for u, n in total.times), z3.IntVal(total.number))

    def _name(self, name: Hashable) -> Any:
        if name not in self._unknowns:
            self._unknowns[name] = z3.Int(f"x{len(self._unknowns)}")
        return self._unknowns[name]

"""Whole numbers that are sums of unknowns, and conditions on them, apart from any solver.

A condition is kept in the form in which `not` stands nowhere: all numbers are whole, so that what is not at most 0 is
at least 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias


class TooMuch(Exception):
    """There are more cases than can be told apart."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of unknowns, each so many times, and a number."""

    times: tuple[tuple[Hashable, int], ...] = ()  # each unknown once, none of them 0 times, in the order first met
    number: int = 0

    def __add__(self, other: Linear) -> Linear:
        times = dict(self.times)
        for unknown, n in other.times:
            times[unknown] = times.get(unknown, 0) + n
        return Linear(tuple((u, n) for u, n in times.items() if n), self.number + other.number)

    def __mul__(self, n: int) -> Linear:
        return Linear(tuple((u, m * n) for u, m in self.times), self.number * n) if n else Linear()

    def __sub__(self, other: Linear) -> Linear:
        return self + other * -1


def number(n: int) -> Linear:
    return Linear((), n)


def unknown(name: Hashable) -> Linear:
    return Linear(((name, 1),))


@dataclass(frozen=True, slots=True)
class AtMost0:
    """That a sum is 0 or less."""

    sum: Linear


@dataclass(frozen=True, slots=True)
class All:
    of: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Any:
    of: tuple[Condition, ...] = ()


Condition: TypeAlias = AtMost0 | All | Any
YES, NO = All(), Any()


def both(*conditions: Condition) -> Condition:
    return _joined(All, YES, NO, conditions)


def either(*conditions: Condition) -> Condition:
    return _joined(Any, NO, YES, conditions)


def _joined(sort: type[All] | type[Any], nothing: Condition, everything: Condition, conditions: tuple[Condition, ...]
            ) -> Condition:  # fmt: skip
    found: dict[Condition, None] = {}
    for condition in conditions:
        if condition == everything:
            return everything
        for part in condition.of if isinstance(condition, sort) else (condition,):
            found[part] = None
    found.pop(nothing, None)
    return next(iter(found)) if len(found) == 1 else sort(tuple(found))


def negated(condition: Condition) -> Condition:
    match condition:
        case AtMost0(total):
            return at_most(number(1), total)
        case All(of):
            return either(*(negated(c) for c in of))
        case Any(of):
            return both(*(negated(c) for c in of))


def at_most(a: Linear, b: Linear) -> Condition:
    """`a <= b`."""
    total = a - b
    if not total.times:
        return YES if total.number <= 0 else NO
    return AtMost0(total)


def equal(a: Linear, b: Linear) -> Condition:
    return both(at_most(a, b), at_most(b, a))


def same(a: Condition, b: Condition) -> Condition:
    """That both hold or neither."""
    return either(both(a, b), both(negated(a), negated(b)))


def ways(condition: Condition, most: int) -> list[tuple[AtMost0, ...]]:
    """The ways in which a condition can hold: in each, all of some sums are 0 or less.

    Raises:
        TooMuch: There are more than `most`.
    """
    match condition:
        case AtMost0():
            return [(condition,)]
        case Any(of):
            found = [way for c in of for way in ways(c, most)]
        case All(of):
            found = [()]
            for c in of:
                found = [tuple(dict.fromkeys((*a, *b))) for a, b in product(found, ways(c, most))]
                _check(found, most)
    found = list(dict.fromkeys(found))
    _check(found, most)
    return found


def _check(found: list[tuple[AtMost0, ...]], most: int) -> None:
    if len(found) > most:
        raise TooMuch


def unknowns(condition: Condition) -> Iterator[Hashable]:
    match condition:
        case AtMost0(total):
            yield from (u for u, _ in total.times)
        case All(of) | Any(of):
            for c in of:
                yield from unknowns(c)


def is_possible(way: tuple[AtMost0, ...], bounds: Mapping[Hashable, tuple[int | None, int | None]]) -> bool:
    """Whether no bound of a single unknown stands against it: a quick look that lets most of what cannot be go."""
    lows = {u: low for u, (low, _) in bounds.items()}
    highs = {u: high for u, (_, high) in bounds.items()}
    for part in way:
        if len(part.sum.times) == 1:
            ((name, n),) = part.sum.times
            # n * x + number <= 0
            if n > 0:
                highs[name] = _least(highs.get(name), -part.sum.number // n)
            else:
                lows[name] = _greatest(lows.get(name), -(part.sum.number // n))
    return not any(
        low is not None and (high := highs.get(u)) is not None and low > high for u, low in lows.items()
    )  # fmt: skip


def _least(a: int | None, b: int) -> int:
    return b if a is None else min(a, b)


def _greatest(a: int | None, b: int) -> int:
    return b if a is None else max(a, b)

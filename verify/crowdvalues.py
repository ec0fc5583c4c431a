"""Values over a crowd: numbers and seats by cases, conditions, and what may be none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from verify import linear
from verify.crowd import OTHER, Crowd, Seat, is_of_other
from verify.linear import NO, YES, Condition, Linear, TooMuch, at_most, both, either, equal, negated, number

_MOST_CASES = 64


class Opaque(Exception):
    """An expression has no linear form."""


@dataclass(frozen=True, slots=True)
class Cases:
    """Numbers or seats, each where its condition holds; one of the conditions does, and only one."""

    of: tuple[tuple[Condition, Any], ...]


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value that may be none; `value` means nothing where it is."""

    none: Condition
    value: Any


Env: TypeAlias = dict[str, Any]


def just(value: Linear | Seat) -> Cases:
    return Cases(((YES, value),))


def same(crowd: Crowd, a: Any, b: Any) -> Condition:
    if isinstance(a, Maybe) or isinstance(b, Maybe):
        a, b = (x if isinstance(x, Maybe) else Maybe(NO, x) for x in (a, b))
        neither = both(negated(a.none), negated(b.none))
        if YES in (a.none, b.none):
            return both(a.none, b.none)
        return either(both(a.none, b.none), both(neither, same(crowd, a.value, b.value)))
    if isinstance(a, Cases) and isinstance(b, Cases):
        return either(*(
            both(c, d, crowd.are_one(x, y) if isinstance(x, Seat) else equal(x, y))
            for (c, x), (d, y) in product(a.of, b.of)
        ))  # fmt: skip
    return linear.same(a, b)


def compared(a: Any, b: Any) -> Condition:
    """`a <= b`."""
    if not (isinstance(a, Cases) and isinstance(b, Cases)):
        raise Opaque
    return either(*(both(c, d, at_most(x, y)) for (c, x), (d, y) in product(a.of, b.of)))


def each(a: Any, change: Any) -> Cases:
    if not isinstance(a, Cases):
        raise Opaque
    return Cases(tuple((c, change(x)) for c, x in a.of))


def pairs(a: Any, b: Any, joined: Any) -> Cases:
    if not (isinstance(a, Cases) and isinstance(b, Cases)):
        raise Opaque
    return few((both(c, d), joined(x, y)) for (c, x), (d, y) in product(a.of, b.of))


def choose(test: Condition, a: Any, b: Any) -> Any:
    if test in (YES, NO):
        return a if test == YES else b
    if isinstance(a, Maybe) or isinstance(b, Maybe):
        a, b = (x if isinstance(x, Maybe) else Maybe(NO, x) for x in (a, b))
        # What is none has no value: it may be that of the other.
        a, b = (Maybe(x.none, y.value) if x.none == YES else x for x, y in ((a, b), (b, a)))
        return Maybe(choose(test, a.none, b.none), choose(test, a.value, b.value))
    if isinstance(a, Cases) and isinstance(b, Cases):
        no = negated(test)
        return few((*((both(test, c), x) for c, x in a.of), *((both(no, c), x) for c, x in b.of)))
    return either(both(test, a), both(negated(test), b))


def further(greatest: bool, a: Any, b: Any) -> Any:
    return choose(compared(b, a) if greatest else compared(a, b), a, b)


def few(cases: Any) -> Cases:
    found = tuple((c, x) for c, x in cases if c != NO)
    if len(found) > _MOST_CASES:
        raise TooMuch
    return Cases(found)


def times(a: Linear, b: Linear) -> Linear:
    if a.times and b.times:
        raise Opaque
    return a * b.number if a.times else b * a.number


def is_one(what: Linear) -> Condition:
    return at_most(number(1), what)


def is_others(value: Any) -> bool:
    """Whether a value hangs on one of the seats that have no name."""
    match value:
        case Seat():
            return value == OTHER
        case Linear(times):
            return any(is_of_other(name) for name, _ in times)
        case Cases(of):
            return any(is_others(c) or is_others(x) for c, x in of)
        case Maybe(none, inner):
            return is_others(none) or is_others(inner)
        case _:
            return any(is_of_other(name) for name in linear.unknowns(value))

"""A point of play as the count abstraction knows it, and what it is to ask something there.

An estimate says what is known of a value. An obligation that is sure to fail while it is asked raises `Impossible`; one
that may fail is a doubt of the point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from verify.unknown import UNKNOWN, Held, held

NOT_WHOLE = "a fraction that should be whole"


def no_place(family: str) -> str:
    """What is said where a zone or a variable may be asked for at an index that it lacks."""
    return f"{family} has no such place"


def no_row(table: str) -> str:
    """The doubt that a table may be asked beyond its domain."""
    return f"{table} has no such row"


class Impossible(Exception):
    """An obligation certainly fails here; `message` says which."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Counts:
    """A point of play as the abstraction knows it: variables (perhaps unknown) and how many cards lie where."""

    __slots__ = ("counts", "doubts", "vars")

    def __init__(self, variables: list[Any], counts: list[int | None]) -> None:
        self.vars = variables
        self.counts = counts
        self.doubts: set[str] = set()  # obligations that could not be decided while evaluating

    def lay(self, sources: frozenset[int] | None, target: int, named: int | None = None) -> None:
        """What chosen cards are known to lie where, now that cards have moved from some places (None: from all).

        Args:
            sources: Where cards were taken from; None means that all cards were.
            target: Where they lie now.
            named: The variable that named exactly the cards that moved, if there is one.
        """
        for cell, value in enumerate(self.vars):
            if isinstance(value, Held) and value.parts:
                if sources is None or cell == named:
                    self.vars[cell] = held((target, value.count))
                elif sources & value.places:
                    self.vars[cell] = UNKNOWN


Estimate: TypeAlias = Callable[[Counts], Any]


def maybe(estimate: Estimate, s: Counts) -> Any:
    """An estimate of what is perhaps not asked at all: an obligation that fails in it is then only a doubt."""
    try:
        return estimate(s)
    except Impossible as impossible:
        s.doubts.add(impossible.message)
        return UNKNOWN


def unknown_after(*operands: Estimate) -> Estimate:
    """What has no estimate, but for the obligations of its operands."""

    def unknown(s: Counts) -> Any:
        for operand in operands:
            operand(s)
        return UNKNOWN

    return unknown

"""The operators that need nothing of the game: numbers, none, piles and combinations in themselves."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dsl import ir
from interpreter.values import Fault, as_cards, whole


def divide(value: int | Fraction, divisor: int | Fraction) -> int | Fraction:
    """The exact quotient."""
    if divisor == 0:
        raise Fault("division by 0")
    return whole(Fraction(value) / divisor)


def nearest(value: int | Fraction) -> int:
    """The nearest whole number, halves away from zero."""
    size = math.floor(abs(Fraction(value)) + Fraction(1, 2))
    return -size if value < 0 else size


def _whole(value: int | Fraction) -> int:
    if isinstance(value, Fraction):
        if value.denominator != 1:
            raise Fault(f"{value} is not whole")
        return value.numerator
    return value


def _unwrap(value: Any) -> Any:
    if value is None:
        raise Fault("none where a value is needed")
    return value


def _top(value: Any) -> int:
    cards = as_cards(value)
    if not cards:
        raise Fault("the top of an empty pile")
    return cards[-1]


UNARY: dict[ir.Unary, Callable[[Any], Any]] = {
    ir.Unary.NOT: lambda v: not v,
    ir.Unary.NEGATE: lambda v: -v,
    ir.Unary.FLOOR: math.floor,
    ir.Unary.CEILING: math.ceil,
    ir.Unary.NEAREST: nearest,
    ir.Unary.WHOLE: _whole,
    ir.Unary.UNWRAP: _unwrap,
    ir.Unary.IS_NONE: lambda v: v is None,
    ir.Unary.KIND_OF: lambda v: v.kind,
    ir.Unary.TOP_OF: _top,
    ir.Unary.HEIGHT_OF: lambda v: v + 1,
    ir.Unary.CARDS_OF: as_cards,
}

ARITHMETIC: dict[ir.Binary, Callable[[Any, Any], Any]] = {
    ir.Binary.ADD: operator.add,
    ir.Binary.SUBTRACT: operator.sub,
    ir.Binary.MULTIPLY: operator.mul,
    ir.Binary.DIV: operator.floordiv,
    ir.Binary.MOD: operator.mod,
    ir.Binary.DIVIDE: divide,
}
ORDERINGS: dict[ir.Binary, Callable[[Any, Any], Any]] = {
    ir.Binary.LT: operator.lt,
    ir.Binary.LE: operator.le,
    ir.Binary.GT: operator.gt,
    ir.Binary.GE: operator.ge,
}
COMPARISONS = ORDERINGS | {ir.Binary.EQ: operator.eq, ir.Binary.NE: operator.ne}

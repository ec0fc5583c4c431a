"""Estimates of what operators make of their operands, whose estimates are given.

Every operand is asked, for its obligations, also where its value does not matter.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dsl import ir, types
from interpreter.operators import ARITHMETIC, COMPARISONS, UNARY
from interpreter.values import order_key, strength
from verify.counts import NOT_WHOLE, Counts, Estimate, Impossible, maybe, no_row, unknown_after
from verify.unknown import NO_CARDS, UNKNOWN, Held, both, either, held, negated


def unary(expr: ir.UnaryExpr, x: Estimate, game: ir.Game) -> Estimate:
    """An operator with one operand."""
    op, n = expr.op, game.num_players
    match op:
        case ir.Unary.NOT:
            return lambda s: negated(x(s))
        case ir.Unary.IS_NONE:
            return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else v is None
        case ir.Unary.UNWRAP:
            return _unwrap(x)
        case ir.Unary.SIZE_OF if isinstance(types.of(expr.operand), ir.KindType):
            sizes = [k.size for k in game.kinds]
            return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else sizes[v]
        case ir.Unary.SIZE_OF:
            return lambda s: v.count if isinstance(v := x(s), Held) else UNKNOWN
        case ir.Unary.TOP_OF:
            return _top(x)
        case ir.Unary.RANK_OF | ir.Unary.SUIT_OF | ir.Unary.CARDS_OF:
            return unknown_after(x)
        case ir.Unary.LEFT_OF:
            return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else (v + 1) % n
        case ir.Unary.RIGHT_OF:
            return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else (v - 1) % n
        case ir.Unary.OPPOSITE_OF:
            return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else (v + n // 2) % n
        case ir.Unary.WHOLE:
            return _whole(x)
        case _:
            operation = UNARY[op]
            return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else operation(v)


def _unwrap(x: Estimate) -> Estimate:
    def unwrap(s: Counts) -> Any:
        value = x(s)
        if value is None:
            raise Impossible("none where a value is needed")
        if value is UNKNOWN:
            s.doubts.add("none where a value is needed")
        return value

    return unwrap


def _whole(x: Estimate) -> Estimate:
    def whole(s: Counts) -> Any:
        value = x(s)
        if value is UNKNOWN:
            s.doubts.add(NOT_WHOLE)
            return UNKNOWN
        if Fraction(value).denominator != 1:
            raise Impossible(f"{value} is not whole")
        return int(value)

    return whole


def _top(x: Estimate) -> Estimate:
    def top(s: Counts) -> Any:
        value = x(s)
        if not isinstance(value, Held):
            s.doubts.add("the top of an empty pile")
            return UNKNOWN
        if not value.count:
            raise Impossible("the top of an empty pile")
        return held((value.parts[-1][0], 1)) if len(value.parts) == 1 else UNKNOWN

    return top


def binary(expr: ir.BinaryExpr, a: Estimate, b: Estimate) -> Estimate:
    """An operator with two operands. The second is perhaps not asked where the first may tell already."""
    op = expr.op
    match op:
        case ir.Binary.AND:
            return lambda s: False if (v := a(s)) is False else b(s) if v is True else both(v, maybe(b, s))
        case ir.Binary.OR:
            return lambda s: True if (v := a(s)) is True else b(s) if v is False else either(v, maybe(b, s))
        case ir.Binary.CONTAINS:
            return unknown_after(a, b)
        case ir.Binary.IN:

            def is_in(s: Counts) -> Any:
                a(s)
                cards = b(s)
                return False if isinstance(cards, Held) and not cards.count else UNKNOWN

            return is_in
        case _:
            pass
    if isinstance(expr.type, ir.CardsType):
        return lambda s: _together(a(s), b(s))
    if op in COMPARISONS:
        return _comparison(op, a, b, types.of(expr.left))
    return _arithmetic(op, a, b)


def _together(a: Any, b: Any) -> Any:
    if not (isinstance(a, Held) and isinstance(b, Held)):
        return UNKNOWN
    if a.places & b.places:
        return UNKNOWN  # cards of one place may be the same ones, and are then not so many together
    return held(*a.parts, *b.parts) if a.count or b.count else NO_CARDS


def _comparison(op: ir.Binary, a: Estimate, b: Estimate, left: ir.Type) -> Estimate:
    operation = COMPARISONS[op]
    if isinstance(types.strip(left), ir.CardType):
        return unknown_after(a, b)
    ranked = isinstance(types.strip(left), ir.CombinationType) and op not in (ir.Binary.EQ, ir.Binary.NE)

    def compare(s: Counts) -> Any:
        x, y = a(s), b(s)
        if x is UNKNOWN or y is UNKNOWN:
            return UNKNOWN
        return operation(strength(x), strength(y)) if ranked else operation(x, y)

    return compare


def _arithmetic(op: ir.Binary, a: Estimate, b: Estimate) -> Estimate:
    operation = ARITHMETIC[op]
    divides = op in (ir.Binary.DIV, ir.Binary.MOD, ir.Binary.DIVIDE)

    def compute(s: Counts) -> Any:
        x, y = a(s), b(s)
        if divides and y == 0 and y is not UNKNOWN:
            raise Impossible("division by 0")
        if x is UNKNOWN or y is UNKNOWN:
            if divides and y is UNKNOWN:
                s.doubts.add("division by 0")
            return UNKNOWN
        return operation(x, y)

    return compute


def extreme(expr: ir.ExtremeExpr, operands: list[Estimate]) -> Estimate:
    """The greatest or the least of some values."""
    key, pick = order_key(expr.type), max if expr.greatest else min

    def find(s: Counts) -> Any:
        values = [o(s) for o in operands]
        return UNKNOWN if any(v is UNKNOWN for v in values) else pick(values, key=key)

    return find


def look_up(table: ir.Table, bounds: tuple[int, int], x: Estimate) -> Estimate:
    """The row of a table whose domain has these bounds."""
    low, high = bounds
    doubt = no_row(table.name)

    def find(s: Counts) -> Any:
        value = x(s)
        if value is UNKNOWN:
            s.doubts.add(doubt)
            return UNKNOWN
        if not low <= value <= high:
            raise Impossible(doubt)
        return table.rows[value - low]

    return find


def column(name: str, x: Estimate, game: ir.Game) -> Estimate:
    """What a column says of a kind, or of the kind of a combination."""
    entries = [dict(k.columns).get(name) for k in game.kinds]
    return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else entries[v.kind if isinstance(v, ir.Combination) else v]


def as_kind(cards: Estimate, kind: Estimate, game: ir.Game) -> Estimate:
    """Cards as a combination of a kind: none where there are too many or too few."""
    sizes = [k.size for k in game.kinds]

    def exactly(s: Counts) -> Any:
        pile, k = cards(s), kind(s)
        if isinstance(pile, Held) and k is not UNKNOWN and sizes[k] and pile.count != sizes[k]:
            return None
        return UNKNOWN

    return exactly

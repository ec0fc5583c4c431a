"""What is known of types: names, which fits where, and the type of a typed expression."""

from __future__ import annotations

from typing import assert_never

from dsl import ir

INTEGER = ir.IntType()
BOOL = ir.BoolType()
PLAYER = ir.PlayerType()
CARDS = ir.CardsType()
CARD = ir.CardType()
COMBINATION = ir.CombinationType()
OPTIONAL_COMBINATION = ir.OptionalType(COMBINATION)

NAMED: dict[str, ir.Type] = {
    "integer": INTEGER, "fraction": ir.FractionType(), "player": PLAYER, "rank": ir.RankType(),
    "suit": ir.SuitType(), "kind": ir.KindType(), "card": CARD, "cards": CARDS, "combination": COMBINATION,
    "combinations": ir.CombinationsType(),
}  # fmt: skip

# The finite sorts that a binder or an index may name.
SORTS: dict[str, ir.Domain] = {
    "player": ir.PlayerType(), "rank": ir.RankType(), "suit": ir.SuitType(), "kind": ir.KindType(),
}  # fmt: skip


def show(t: ir.Type) -> str:
    """The type as an author writes it."""
    match t:
        case ir.IntType(None, None):
            return "integer"
        case ir.IntType(low, high):
            return f"{'…' if low is None else low}..{'…' if high is None else high}"
        case ir.FractionType():
            return "fraction"
        case ir.BoolType():
            return "yes or no"
        case ir.OptionalType(of):
            return f"{show(of)} or none"
        case ir.EnumType(names):
            return "one of " + ", ".join(names)
        case _:
            return next(name for name, known in NAMED.items() if known == t)


def an(t: ir.Type) -> str:
    """The type with its article, for a sentence."""
    match t:
        case ir.IntType():
            return "a number"
        case ir.BoolType():
            return "a yes or no"
        case ir.CardsType():
            return "cards"
        case ir.CombinationsType():
            return "several combinations"
        case ir.EnumType():
            return show(t)
        case ir.OptionalType(of):
            return f"{an(of)} or none"
        case _:
            return f"a {show(t)}"


def many(t: ir.Type) -> str:
    """Several values of the type, for a sentence."""
    match strip(t):
        case ir.BoolType():
            return "yes and no"
        case ir.EnumType():
            return "the names of a list"
        case ir.CardsType():
            return "piles of cards"
        case ir.CombinationsType():
            return "lists of combinations"
        case other:
            return f"{show(other)}s"


def is_number(t: ir.Type) -> bool:
    return isinstance(t, ir.IntType | ir.FractionType)


def is_ordered(t: ir.Type) -> bool:
    """Whether `<` has a meaning; suits, players and cards have no order."""
    return isinstance(strip(t), ir.CombinationType) or isinstance(
        t, ir.IntType | ir.FractionType | ir.RankType | ir.KindType
    )


def strip(t: ir.Type) -> ir.Type:
    """The type without its `or none`."""
    return t.of if isinstance(t, ir.OptionalType) else t


def same(a: ir.Type, b: ir.Type) -> bool:
    """Whether two types are one but for the ranges of numbers."""
    if isinstance(a, ir.OptionalType) and isinstance(b, ir.OptionalType):
        return same(a.of, b.of)
    if isinstance(a, ir.IntType) and isinstance(b, ir.IntType):
        return True
    return a == b


def within(a: ir.Type, b: ir.Type) -> bool:
    """Whether the numbers of `a` all lie in the range of `b`; so do values of types that have no range."""
    inner, outer = strip(a), strip(b)
    if not (isinstance(inner, ir.IntType) and isinstance(outer, ir.IntType)):
        return True
    from_below = outer.low is None or (inner.low is not None and inner.low >= outer.low)
    return from_below and (outer.high is None or (inner.high is not None and inner.high <= outer.high))


def join(a: ir.Type, b: ir.Type) -> ir.Type | None:
    """The narrowest type that holds the values of both, or None."""
    if isinstance(a, ir.OptionalType) or isinstance(b, ir.OptionalType):
        inner = join(strip(a), strip(b))
        return None if inner is None else ir.OptionalType(inner)
    if isinstance(a, ir.IntType) and isinstance(b, ir.IntType):
        low = None if a.low is None or b.low is None else min(a.low, b.low)
        high = None if a.high is None or b.high is None else max(a.high, b.high)
        return ir.IntType(low, high)
    if is_number(a) and is_number(b):
        return ir.FractionType()
    return a if a == b else None


def add(a: ir.IntType, b: ir.IntType) -> ir.IntType:
    return ir.IntType(_plus(a.low, b.low), _plus(a.high, b.high))


def negate(a: ir.IntType) -> ir.IntType:
    return ir.IntType(None if a.high is None else -a.high, None if a.low is None else -a.low)


def multiply(a: ir.IntType, b: ir.IntType) -> ir.IntType:
    if None in (a.low, a.high, b.low, b.high):
        return INTEGER
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high) if x is not None and y is not None]
    return ir.IntType(min(ends), max(ends))


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def disjoint(a: ir.Type, b: ir.Type) -> bool:
    """Whether no number is in both ranges."""
    if not (isinstance(a, ir.IntType) and isinstance(b, ir.IntType)):
        return False
    return _below(a.high, b.low) or _below(b.high, a.low)


def _below(high: int | None, low: int | None) -> bool:
    return high is not None and low is not None and high < low


def of(expr: ir.Expr) -> ir.Type:
    """The type of a typed expression."""
    match expr:
        case ir.NumPlayers() | ir.ColumnExpr():
            return INTEGER
        case ir.TimeLeft():
            return ir.FractionType()
        case ir.ZoneExpr() | ir.AllOfZone() | ir.PickCards():
            return CARDS
        case ir.SplitExpr():
            return ir.CombinationsType()
        case ir.AsExpr():
            return OPTIONAL_COMBINATION
        case ir.MakeCombination():
            return COMBINATION
        case (
            ir.Const() | ir.Local() | ir.Var() | ir.UnaryExpr() | ir.BinaryExpr() | ir.IfExpr() | ir.TableExpr()
            | ir.CallExpr() | ir.FoldExpr() | ir.ExtremeExpr() | ir.BestExpr() | ir.Before()
        ):  # fmt: skip
            return expr.type
        case _:
            assert_never(expr)

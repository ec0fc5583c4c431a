"""Values that are written out in the tables of a rule file."""

from __future__ import annotations

from fractions import Fraction

from dsl import ir, parser, syntax
from dsl.diagnostics import Reporter
from dsl.fields import whole
from dsl.symbols import Symbols
from dsl.yamltree import Scalar


def constant(expr: ir.Expr) -> ir.Value:
    """The value of an expression that was written as a value."""
    match expr:
        case ir.Const(value, _):
            return value
        case ir.UnaryExpr(ir.Unary.NEGATE, operand, _) if isinstance(value := constant(operand), int | Fraction):
            return -value
        case ir.BinaryExpr(ir.Binary.DIVIDE, left, right, _):
            over, under = constant(left), constant(right)
            is_written = isinstance(over, int | Fraction) and isinstance(under, int | Fraction) and under != 0
            return Fraction(over) / under if is_written else None  # type: ignore[arg-type, operator]
        case _:
            return None


def milliseconds(node: syntax.Duration, reporter: Reporter) -> int | None:
    """A length of time, exactly; a day at most."""
    seconds = Fraction(node.number.text[:20]) * (60 if node.unit.text.startswith("minute") else 1)
    value = seconds * 1000
    if value.denominator != 1 or value > 86_400_000:
        reporter.report("T409", "time is told to the millisecond, and for a day at most", node.span)
        return None
    return int(value)


def domain_labels(domain: ir.Domain, symbols: Symbols) -> list[str]:
    """How the values of a finite sort are written, in order."""
    match domain:
        case ir.PlayerType():
            return [str(i + 1) for i in range(symbols.players[1])]
        case ir.KindType():
            return [k.name for k in symbols.kinds]
        case ir.RankType():
            return list(symbols.deck.ranks)
        case ir.SuitType():
            return list(symbols.deck.suits)
        case ir.EnumType(names):
            return list(names)
        case ir.IntType(low, high):
            assert low is not None and high is not None
            return [str(i) for i in range(low, high + 1)]


def number_range(scalar: Scalar, reporter: Reporter, low: int, high: int) -> tuple[int, int] | None:
    """`5..8` or `2`, within bounds."""
    node = parser.parse_type(scalar.embedded, reporter) if ".." in scalar.text else None
    if ".." not in scalar.text:
        n = whole(scalar, reporter)
        found = None if n is None else (n, n)
    elif isinstance(node, syntax.RangeType) and node.low.number.text.isdigit() and node.high.number.text.isdigit():
        found = int(node.low.number.text[:9]), int(node.high.number.text[:9])
    else:
        if node is not None:
            reporter.report("T424", f"`{scalar.text}` is no range of numbers", scalar.span)
        return None
    if found is not None and found[0] > found[1]:
        reporter.report("T415", "this range is empty", scalar.span)
        return None
    if found is not None and not low <= found[0] <= found[1] <= high:
        reporter.report("T404", f"{scalar.text} is outside the range {low}..{high}", scalar.span)
        return None
    return found

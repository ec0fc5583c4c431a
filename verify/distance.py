"""How far a condition is from what is wanted of it: a number that a search can make smaller.

It is 0 just where the condition is as wanted. Parts that have to hold together add up, of parts of which one is enough
the nearest counts, and a comparison of numbers that misses by little is nearer than one that misses by much.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from dsl import ir, types
from dsl.walk import parts
from interpreter import folds
from interpreter.evaluate import Compiler
from interpreter.state import State
from interpreter.values import Fault

Distance: TypeAlias = Callable[[State], float]

_OPPOSITE = {
    ir.Binary.LT: ir.Binary.GE, ir.Binary.GE: ir.Binary.LT, ir.Binary.GT: ir.Binary.LE, ir.Binary.LE: ir.Binary.GT,
    ir.Binary.EQ: ir.Binary.NE, ir.Binary.NE: ir.Binary.EQ,
}  # fmt: skip
_WEIGHT = 4.0  # of an end of a bound that is sought, beside the conditions under which it counts
_FOLDS = (ir.FoldOp.EVERY, ir.FoldOp.SOME)


def gap(by: float) -> float:
    """By how much two numbers miss each other, brought between 0 and 1."""
    return by / (1 + by)


class Distances:
    """Makes distances, for the expressions of one game."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self._functions = {f.name: f for f in compiler.game.functions}

    def of(self, expr: ir.Expr, wanted: bool = True) -> Distance:
        """How far a condition is from being `wanted`. Where it cannot be told, the distance is a fault too."""
        match expr:
            case ir.UnaryExpr(ir.Unary.NOT, operand):
                return self.of(operand, not wanted)
            case ir.BinaryExpr(ir.Binary.AND | ir.Binary.OR as op, left, right):
                a, b = self.of(left, wanted), self.of(right, wanted)
                if (op is ir.Binary.AND) is not wanted:
                    return _either(a, b)
                return _one_then(a, b) if _speaks_of(right, _ruled_out(left, wanted)) else _both(a, b)
            case ir.BinaryExpr(op, left, right) if op in _OPPOSITE:
                return self._compared(op if wanted else _OPPOSITE[op], left, right)
            case ir.FoldExpr(op) if op in _FOLDS:
                return self._fold(expr, wanted)
            case ir.IfExpr(condition, then, otherwise):
                test, a, b = self._compiler.compile(condition), self.of(then, wanted), self.of(otherwise, wanted)
                return lambda s: a(s) if test(s) else b(s)
            case ir.CallExpr():
                return self._call(expr, wanted)
            case ir.Before(inner):
                return self._before(self.of(inner, wanted))
            case _:
                truth = self._compiler.compile(expr)
                return lambda s: 0.0 if bool(truth(s)) is wanted else 1.0

    def reaches(self, expr: ir.Expr, bound: Any, is_least: bool) -> Distance:
        """How far a number is from being as small as a bound (`is_least`), or as great."""
        value, scale = self._compiler.compile(expr), float(max(1, abs(bound)))

        def missed(s: State) -> float:
            off = float(value(s) - bound if is_least else bound - value(s))
            return _WEIGHT * gap(off / scale) if off > 0 else 0.0

        return missed

    def equals(self, expr: ir.Expr, wanted: ir.Value) -> Distance:
        """How far an expression is from having a value."""
        value, is_graded = self._compiler.compile(expr), _is_graded(expr)

        def missed(s: State) -> float:
            found = value(s)
            return 0.0 if found == wanted else _off(found, wanted) if is_graded else 1.0

        return missed

    def _compared(self, op: ir.Binary, left: ir.Expr, right: ir.Expr) -> Distance:
        if types.of(left) == types.BOOL and op is ir.Binary.EQ and isinstance(right, ir.Const):
            return self.of(left, bool(right.value))
        # The interpreter says whether it holds; only how far it is off is told here.
        truth = self._compiler.compile(ir.BinaryExpr(op, left, right, types.BOOL))
        if not _is_graded(left) or not _is_graded(right):
            return lambda s: 0.0 if truth(s) else 1.0
        a, b = self._compiler.compile(left), self._compiler.compile(right)
        return lambda s: 0.0 if truth(s) else _off(a(s), b(s))

    def _fold(self, expr: ir.FoldExpr, wanted: bool) -> Distance:
        items = folds.compile_items(self._compiler, expr.binder, expr.start)
        scratch, is_every = self._compiler.scratch, expr.op is ir.FoldOp.EVERY
        wants_all = is_every is wanted
        with self._compiler.bound(expr.binder.name) as (slot,):
            # `every` that fails, and `some` that holds, need one that meets the condition as well.
            where = None if expr.binder.where is None else self.of(expr.binder.where, not wants_all)
            body = None if expr.body is None else self.of(expr.body, wanted)

        def one(s: State) -> float:
            if where is None or body is None:
                return body(s) if body is not None else where(s) if where is not None else 0.0
            if not wants_all:
                outside = where(s)
                return outside + body(s) if not outside else outside + 1.0
            outside = where(s)
            return min(outside, body(s)) if outside else 0.0

        def folded(s: State) -> float:
            found = []
            for value in items(s):
                scratch[slot] = value
                found.append(one(s))
            return sum(found) if wants_all else min(found, default=1.0)

        return folded

    def _call(self, expr: ir.CallExpr, wanted: bool) -> Distance:
        arguments = [self._compiler.compile(a) for a in expr.arguments]
        declared, scratch = self._functions[expr.function], self._compiler.scratch
        with self._compiler.bound(*(name for name, _ in declared.parameters)) as slots:
            body = self.of(declared.body, wanted)

        def called(s: State) -> float:
            values = [a(s) for a in arguments]
            for place, value in zip(slots, values, strict=True):
                scratch[place] = value
            return body(s)

        return called

    def _before(self, inner: Distance) -> Distance:
        def earlier(s: State) -> float:
            if self._compiler.before is None:
                raise Fault("there is no step to look back over")
            return inner(self._compiler.before)

        return earlier


def _both(a: Distance, b: Distance) -> Distance:
    def added(s: State) -> float:
        first = a(s)
        if not first:
            return b(s)
        try:
            return first + b(s)
        except Fault:
            # As in play, what follows need not make sense where what precedes it fails.
            return first + 1.0

    return added


def _one_then(a: Distance, b: Distance) -> Distance:
    """Both, where the second makes no sense before the first holds."""

    def added(s: State) -> float:
        first = a(s)
        return first + 1.0 if first else b(s)

    return added


def _ruled_out(expr: ir.Expr, wanted: bool) -> ir.Expr | None:
    """What must not be none if a condition is as wanted, where it says that and no more."""
    match expr:
        case ir.UnaryExpr(ir.Unary.NOT, operand):
            return _ruled_out(operand, not wanted)
        case ir.UnaryExpr(ir.Unary.IS_NONE, operand) if not wanted:
            return operand
    return None


def _speaks_of(expr: ir.Expr, what: ir.Expr | None) -> bool:
    return what is not None and any(part == what for part in parts(expr))


def _either(a: Distance, b: Distance) -> Distance:
    def nearest(s: State) -> float:
        first = a(s)
        if not first:
            return first
        try:
            return min(first, b(s))
        except Fault:
            return first

    return nearest


def _is_graded(expr: ir.Expr) -> bool:
    """Whether values that are not equal may be nearer or farther from it."""
    return isinstance(types.strip(types.of(expr)), ir.IntType | ir.FractionType | ir.RankType | ir.CombinationType)


def _off(a: Any, b: Any) -> float:
    """How far off a comparison is that does not hold: more than 0, and at most 1."""
    if isinstance(a, int | Fraction) and isinstance(b, int | Fraction) and not isinstance(a, bool):
        # Of two numbers that are equal, and ought not to be, the least change is enough.
        return gap(abs(float(a - b)) or 0.5)
    if isinstance(a, ir.Combination) and isinstance(b, ir.Combination) and a.kind == b.kind:
        return gap(float(sum(abs(x - y) for x, y in zip(a.key, b.key, strict=False)) or 1))
    return 1.0

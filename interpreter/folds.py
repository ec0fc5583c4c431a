"""Bounded folds: count, some, every, sum, the extremes, and the one that meets a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, assert_never

from dsl import ir, types
from interpreter.state import Evaluator, State
from interpreter.values import Fault, order_key

if TYPE_CHECKING:
    from interpreter.evaluate import Compiler


def compile_items(compiler: Compiler, binder: ir.Binder, start: ir.Expr | None = None) -> Evaluator:
    """The values a binder runs over, before its `where`: players clockwise from `start` where it is given."""
    domain = binder.domain
    if not isinstance(domain, ir.Domain):
        collection = compiler.compile(domain)
        return lambda s: collection(s) or ()
    values = compiler.words.domain(domain)
    if start is None or not isinstance(domain, ir.PlayerType):
        return lambda s: values
    first = compiler.compile(start)
    turned = [values[i:] + values[:i] for i in range(len(values))]

    def clockwise(s: State) -> tuple[int, ...]:
        player = first(s)
        if player is None:
            raise Fault("none where a player to start from is needed")
        return turned[player]

    return clockwise


def compile_matches(compiler: Compiler, binder: ir.Binder, start: ir.Expr | None = None) -> Evaluator:
    """The values of a binder that meet its `where`, as a list in order."""
    items, scratch = compile_items(compiler, binder, start), compiler.scratch
    if binder.where is None:
        return lambda s: list(items(s))
    with compiler.bound(binder.name) as (slot,):
        where = compiler.compile(binder.where)

    def matches(s: State) -> list[Any]:
        found = []
        for value in items(s):
            scratch[slot] = value
            if where(s):
                found.append(value)
        return found

    return matches


def compile_pick(compiler: Compiler, binder: ir.Binder) -> Evaluator:
    """The cards of a pile that meet a condition, in the pile's order."""
    matches = compile_matches(compiler, binder)
    return lambda s: tuple(matches(s))


def compile_fold(compiler: Compiler, expr: ir.FoldExpr) -> Evaluator:
    """A fold as its `ir.FoldOp` says. A body that is given to count, some, only or first is one more condition."""
    items, scratch = compile_items(compiler, expr.binder, expr.start), compiler.scratch
    with compiler.bound(expr.binder.name) as (slot,):
        where = _always if expr.binder.where is None else compiler.compile(expr.binder.where)
        body = _always if expr.body is None else compiler.compile(expr.body)
    filtered = expr.binder.where is not None
    key = None if expr.body is None else order_key(types.of(expr.body))

    def holds(s: State) -> bool:
        return bool(where(s) and body(s))

    condition = holds if filtered and expr.body is not None else where if filtered else body

    def bodies(s: State) -> list[Any]:
        found = []
        for value in items(s):
            scratch[slot] = value
            if not filtered or where(s):
                found.append(body(s))
        return found

    def count(s: State) -> int:
        number = 0
        for value in items(s):
            scratch[slot] = value
            if condition(s):
                number += 1
        return number

    def some(s: State) -> bool:
        for value in items(s):
            scratch[slot] = value
            if condition(s):
                return True
        return False

    def every(s: State) -> bool:
        for value in items(s):
            scratch[slot] = value
            if (not filtered or where(s)) and not body(s):
                return False
        return True

    def first(s: State) -> Any:
        for value in items(s):
            scratch[slot] = value
            if condition(s):
                return value
        return None

    def only(s: State) -> Any:
        found = None
        for value in items(s):
            scratch[slot] = value
            if condition(s):
                if found is not None:
                    return None
                found = value
        return found

    def ranked(s: State) -> tuple[list[Any], list[Any]]:
        values, keys = [], []
        for value in items(s):
            scratch[slot] = value
            if not filtered or where(s):
                values.append(value)
                keys.append(body(s) if key is None else key(body(s)))
        return values, keys

    match expr.op:
        case ir.FoldOp.COUNT:
            return count
        case ir.FoldOp.SOME:
            return some
        case ir.FoldOp.EVERY:
            return every
        case ir.FoldOp.SUM:
            return lambda s: sum(bodies(s))
        case ir.FoldOp.MAX:
            return lambda s: max(bodies(s), key=key, default=None)
        case ir.FoldOp.MIN:
            return lambda s: min(bodies(s), key=key, default=None)
        case ir.FoldOp.ONLY:
            return only
        case ir.FoldOp.FIRST:
            return first
        case ir.FoldOp.HIGHEST:
            return _superlative(ranked, max, expr.tie)
        case ir.FoldOp.LOWEST:
            return _superlative(ranked, min, expr.tie)
    assert_never(expr.op)


def _superlative(
    ranked: Callable[[State], tuple[list[Any], list[Any]]], extreme: Callable[[Sequence[Any]], Any], tie: ir.Tie | None
) -> Evaluator:
    def pick(s: State) -> Any:
        values, keys = ranked(s)
        if not values:
            return None
        best = extreme(keys)
        if tie is not ir.Tie.FIRST and keys.count(best) > 1:
            return None
        return values[keys.index(best)]

    return pick


def _always(_: State) -> bool:
    return True

"""Folds over values as terms: each value is given with whether it counts, and what the fold's body is for it.

A value may stand for several: `add` tells what all of these add where one adds so much, and `is_several` whether there
is more than one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from dsl import ir
from verify.folded import choose, conj, disj, equal, is_term, less, lift, neg


def over_values(expr: ir.FoldExpr, items: list[tuple[Any, Any]], bodies: list[Any],
                add: Callable[[Any, Any], Any], is_several: Callable[[Any], Any]) -> Any:  # fmt: skip
    """What a fold comes to."""
    match expr.op:
        case ir.FoldOp.SOME:
            return disj(*(conj(w, b) for (_, w), b in zip(items, bodies, strict=True)))
        case ir.FoldOp.EVERY:
            return conj(*(disj(neg(w), b) for (_, w), b in zip(items, bodies, strict=True)))
        case ir.FoldOp.COUNT:
            ones = [choose(conj(w, b), add(v, 1), 0) for (v, w), b in zip(items, bodies, strict=True)]
            return total(ones)
        case ir.FoldOp.SUM:
            return total([choose(w, add(v, b), 0) for (v, w), b in zip(items, bodies, strict=True)])
        case ir.FoldOp.FIRST:
            found: Any = None
            for (value, where), body in reversed(list(zip(items, bodies, strict=True))):
                found = choose(conj(where, body), value, found)
            return found
        case ir.FoldOp.ONLY:
            return _only([(v, conj(w, b)) for (v, w), b in zip(items, bodies, strict=True)], is_several)
        case _:
            return extreme(expr, items, bodies, is_several)


def total(parts: list[Any]) -> Any:
    """The sum of values and terms."""
    known = sum(p for p in parts if not is_term(p))
    rest = [p for p in parts if is_term(p)]
    return known if not rest else z3.Sum(*rest) + lift(known) if known else z3.Sum(*rest)


def _only(cases: list[tuple[Any, Any]], is_several: Callable[[Any], Any]) -> Any:
    found: Any = None
    several: Any = False
    some: Any = False
    for value, here in cases:
        several = disj(several, conj(here, disj(some, is_several(value))))
        some = disj(some, here)
        found = choose(here, value, found)
    return choose(several, None, found)


def extreme(expr: ir.FoldExpr, items: list[tuple[Any, Any]], bodies: list[Any],
            is_several: Callable[[Any], Any]) -> Any:  # fmt: skip
    """The greatest or the least of some values, or whose it is."""
    greatest = expr.op in (ir.FoldOp.MAX, ir.FoldOp.HIGHEST)
    best: Any = None
    who: Any = None
    some: Any = False
    tied: Any = False
    for (value, where), body in zip(items, bodies, strict=True):
        better = True if some is False else (less(best, body, False) if greatest else less(body, best, False))
        takes = conj(where, disj(neg(some), better))
        same = False if some is False else conj(where, some, equal(best, body))
        tied = choose(takes, is_several(value), disj(tied, same))
        who = choose(takes, value, who)
        best = body if some is False and where is True else choose(takes, body, best)
        some = disj(some, where)
    if expr.op in (ir.FoldOp.MAX, ir.FoldOp.MIN):
        return best
    return who if expr.tie is ir.Tie.FIRST else choose(tied, None, who)

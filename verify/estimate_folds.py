"""Estimates of folds: over values one by one, and over cards of which only the number is known."""

from __future__ import annotations

from typing import Any

from dsl import ir, types
from interpreter.machine import Machine
from interpreter.values import order_key
from verify.counts import Counts, Estimate
from verify.unknown import UNKNOWN, Held, both, either, negated


def over_values(expr: ir.FoldExpr, found: list[tuple[Any, Any, Any]]) -> Any:
    """A fold over values, each with whether it counts (True or unknown) and what its body is."""
    certain = all(where is True for _, where, _ in found)
    match expr.op:
        case ir.FoldOp.COUNT:
            return len(found) if certain and all(b is True for _, _, b in found) else UNKNOWN
        case ir.FoldOp.SOME:
            verdict: Any = False
            for _, where, body in found:
                verdict = either(verdict, both(where, body))
            return verdict
        case ir.FoldOp.EVERY:
            verdict = True
            for _, where, body in found:
                verdict = both(verdict, either(negated(where), body))
            return verdict
        case ir.FoldOp.ONLY:
            if certain:
                return found[0][0] if len(found) == 1 else None
            return None if sum(1 for _, w, _ in found if w is True) > 1 else UNKNOWN
        case ir.FoldOp.FIRST:
            if not found:
                return None
            return found[0][0] if found[0][1] is True else UNKNOWN
        case _:
            pass
    if not certain or any(b is UNKNOWN for _, _, b in found):
        return UNKNOWN
    values = [b for _, _, b in found]
    match expr.op:
        case ir.FoldOp.SUM:
            return sum(values)
        case ir.FoldOp.MAX | ir.FoldOp.MIN | ir.FoldOp.HIGHEST | ir.FoldOp.LOWEST:
            key = order_key(types.of(expr.body)) if expr.body is not None else None
            keys = values if key is None else [key(v) for v in values]
            if not keys:
                return None
            best = max(keys) if expr.op in (ir.FoldOp.MAX, ir.FoldOp.HIGHEST) else min(keys)
            if expr.op in (ir.FoldOp.MAX, ir.FoldOp.MIN):
                return values[keys.index(best)]
            if expr.tie is not ir.Tie.FIRST and keys.count(best) > 1:
                return None
            return found[keys.index(best)][0]
        case _:
            return UNKNOWN


def over_cards(expr: ir.FoldExpr, pile: Estimate, body: Estimate, machine: Machine) -> Estimate:
    """A fold over the cards of a pile. `body` asks what is asked of each of them, for its obligations."""
    plain = expr.binder.where is None
    empty: dict[ir.FoldOp, Any] = {
        ir.FoldOp.COUNT: 0, ir.FoldOp.SOME: False, ir.FoldOp.EVERY: True, ir.FoldOp.SUM: 0,
    }  # fmt: skip
    alike = plain and expr.op is ir.FoldOp.EVERY and _alike(expr)
    most = _most_of_one_rank(machine)

    def fold(s: Counts) -> Any:
        cards = pile(s)
        if not isinstance(cards, Held):
            return body(s)
        if not cards.count:
            return empty.get(expr.op)
        body(s)
        if alike and (cards.count == 1 or cards.count > most):
            return cards.count == 1
        if plain and expr.body is None and expr.op in (ir.FoldOp.COUNT, ir.FoldOp.SOME):
            return cards.count if expr.op is ir.FoldOp.COUNT else True
        return UNKNOWN

    return fold


def _most_of_one_rank(machine: Machine) -> int:
    """How many cards of the pack share a rank, at most."""
    cards = machine.words.cards
    ranks = [cards.rank[c] for c in cards.pack]
    return max(map(ranks.count, set(ranks)), default=0)


def _alike(expr: ir.FoldExpr) -> bool:
    """Whether a fold asks if all cards of a pile have the rank of the pile's own top card."""
    match expr.body:
        case ir.BinaryExpr(ir.Binary.EQ, ir.UnaryExpr(ir.Unary.RANK_OF, ir.Local(name, _), _),
                           ir.UnaryExpr(ir.Unary.RANK_OF, ir.UnaryExpr(ir.Unary.TOP_OF, pile, _), _), _):  # fmt: skip
            return name == expr.binder.name and pile == expr.binder.domain
        case _:
            return False

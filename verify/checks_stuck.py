"""Whether somebody always has something to do at a decision: from the guards alone.

Each way the conditions can turn out is gone through; in each, some action must be allowed. Where a guard asks
something of a card, and another condition says whether such a card is there, that card is the one to take.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from dsl import ir, types
from dsl.walk import parts
from verify.checks_facts import Facts, Known, literal, put

_MAX_CONDITIONS = 10


@dataclass(frozen=True, slots=True)
class Needed:
    """An action can only be relied on where so many cards lie in its pile."""

    pile: ir.Expr
    least: int


@dataclass(frozen=True, slots=True)
class _Offer:
    formula: ir.Expr
    open: tuple[ir.Expr, ...]  # conditions that speak of the arguments
    linked: tuple[tuple[ir.Expr, ir.Expr], ...]  # of these, those that say what a closed condition says there is
    needs: tuple[Needed, ...]


def always_something(facts: Facts, node: ir.Decide, known: Known, has_calls: bool) -> tuple[Needed, ...] | None:
    """The piles that must not be empty for somebody to have something to do; None where the guards do not show it."""
    offers = [o for a in node.actions if (o := _offer(facts, a, has_calls)) is not None]
    closed = sorted({c for o in offers for c in _conditions(o.formula) if c not in o.open}, key=repr)
    if len(closed) > _MAX_CONDITIONS:
        return None
    best: tuple[Needed, ...] | None = None
    for without_piles in (True, False):
        usable = [o for o in offers if not (without_piles and o.needs)]
        used: set[Needed] = set()
        for truths in product((False, True), repeat=len(closed)):
            case = dict(zip(closed, truths, strict=True))
            if any(case.get(fact, truth) is not truth for fact, truth in known):
                continue
            found = next((o for o in usable if _allows(o, case)), None)
            if found is None:
                break
            used.update(found.needs)
        else:
            best = tuple(used)
            break
    return best


def _offer(facts: Facts, action: ir.Action, has_calls: bool) -> _Offer | None:
    needs: list[Needed] = []
    names = {p.variable for p in action.parameters}
    for p in action.parameters:
        if p.domain is None:
            if not has_calls:
                return None
        elif not isinstance(p.domain, ir.Domain):
            if any(isinstance(part, ir.Var) and part.name in names for part in parts(p.domain)):
                return None
            needs.append(Needed(p.domain, p.least))
    formula: ir.Expr = ir.Const(True, types.BOOL)
    for guard in action.guards:
        formula = ir.BinaryExpr(ir.Binary.AND, formula, _flat(facts, guard.condition), types.BOOL)
    conditions = _conditions(formula)
    open_ = tuple(c for c in conditions if any(isinstance(p, ir.Var) and p.name in names for p in parts(c)))
    linked: list[tuple[ir.Expr, ir.Expr]] = []
    if len(action.parameters) == 1 and needs and isinstance(action.parameters[0].type, ir.CardType):
        card = action.parameters[0]
        for condition in conditions:
            match condition:
                case ir.FoldExpr(ir.FoldOp.SOME, ir.Binder(name, domain, t, where), body, _, _, _) if (
                    domain == card.domain
                ):
                    wanted = where if where is not None else body
                    if wanted is not None and (where is None or body is None or body == ir.Const(True, types.BOOL)):
                        asked = literal(put(wanted, {ir.Local(name, t): ir.Var(card.variable, (), card.type)}), True)
                        linked += [(o, condition) for o in open_ if (o, True) == asked]
                case _:
                    pass
    return _Offer(formula, open_, tuple(linked), tuple(needs))


def _flat(facts: Facts, expr: ir.Expr, depth: int = 8) -> Any:
    """A condition of and, or and not over conditions that are none of these, definitions written out."""
    match expr:
        case ir.BinaryExpr(ir.Binary.AND | ir.Binary.OR as op, left, right, t):
            return ir.BinaryExpr(op, _flat(facts, left, depth), _flat(facts, right, depth), t)
        case ir.UnaryExpr(ir.Unary.NOT, operand, t):
            return ir.UnaryExpr(ir.Unary.NOT, _flat(facts, operand, depth), t)
        case ir.CallExpr() if depth:
            return _flat(facts, facts.inlined(expr), depth - 1)
        case ir.Const():
            return expr
        case _:
            found, truth = literal(expr, True)
            return found if truth else ir.UnaryExpr(ir.Unary.NOT, found, types.BOOL)


def _conditions(expr: ir.Expr) -> list[ir.Expr]:
    match expr:
        case ir.BinaryExpr(ir.Binary.AND | ir.Binary.OR, left, right, _):
            return [*_conditions(left), *_conditions(right)]
        case ir.UnaryExpr(ir.Unary.NOT, operand, _):
            return _conditions(operand)
        case ir.Const():
            return []
        case _:
            return [expr]


def _allows(offer: _Offer, case: dict[ir.Expr, bool]) -> bool:
    """Whether the action can be chosen, with the arguments best chosen, whatever is open turns out to be."""
    there = {o: case[says] for o, says in offer.linked}
    wanted: list[ir.Expr | None] = [None, *(o for o, is_there in there.items() if is_there)]
    for witness in wanted:
        fixed = dict(case)
        fixed.update({o: False for o, is_there in there.items() if not is_there})
        if witness is not None:
            fixed[witness] = True
        free = [o for o in dict.fromkeys(offer.open) if o not in fixed]
        if len(free) > _MAX_CONDITIONS:
            continue
        if all(
            _holds(offer.formula, fixed | dict(zip(free, truths, strict=True)))
            for truths in product((False, True), repeat=len(free))
        ):
            return True
    return False


def _holds(expr: ir.Expr, case: dict[ir.Expr, bool]) -> bool:
    match expr:
        case ir.BinaryExpr(ir.Binary.AND, left, right, _):
            return _holds(left, case) and _holds(right, case)
        case ir.BinaryExpr(ir.Binary.OR, left, right, _):
            return _holds(left, case) or _holds(right, case)
        case ir.UnaryExpr(ir.Unary.NOT, operand, _):
            return not _holds(operand, case)
        case ir.Const(value, _):
            return bool(value)
        case _:
            return case[expr]

"""Claims that speak of the cards of one zone only, and of these only what a class of hands settles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from dsl import ir, types
from dsl.walk import parts

CARDS = "the cards"
_PLAIN = (
    ir.Const, ir.Local, ir.NumPlayers, ir.UnaryExpr, ir.BinaryExpr, ir.IfExpr, ir.ColumnExpr, ir.TableExpr,
    ir.FoldExpr, ir.ExtremeExpr, ir.PickCards, ir.BestExpr, ir.SplitExpr, ir.AsExpr, ir.Binder,
)  # fmt: skip
_OF_RANKS = (ir.CombinationType, ir.CombinationsType, ir.RankType, ir.CardsType, ir.CardType)
_TOO_MUCH = {ir.Unary.SUIT_OF, ir.Unary.TOP_OF, ir.Unary.CARDS_OF}


def one_zone(claim: ir.Property, game: ir.Game) -> tuple[ir.ZoneExpr, ir.Expr, ir.Expr | None] | None:
    """The one zone that a claim speaks of, with expression and premise as they are of its cards; else None.

    Of these cards only that counts which a class of hands settles: how many there are, their ranks, and which
    combinations they hold.
    """
    inline = Inline(game)
    expression = inline.put(claim.expressions[0], {})
    premise = None if claim.premise is None else inline.put(claim.premise, {})
    zones = {p for x in (expression, premise) for p in parts(x) if isinstance(p, ir.ZoneExpr)}
    if len(zones) != 1:
        return None
    (zone,) = zones
    variables = {name for name, _ in claim.variables}
    if not all(isinstance(i, ir.Const) or (isinstance(i, ir.Local) and i.name in variables) for i in zone.indices):
        return None
    expression, premise = (_without(x, zone) for x in (expression, premise))
    for x in (expression, premise):
        if not all(_is_settled(p) for p in parts(x) if isinstance(p, ir.Expr | ir.Binder)):
            return None
        if any(isinstance(p, ir.Local) and p.name in variables for p in parts(x)):
            return None
    return zone, expression, premise


def is_blind_to_ranks(expression: ir.Expr) -> bool:
    """Whether it makes no difference which rank is which, but for runs.

    It may ask for kinds of combinations, not which is stronger, and whether ranks are equal, not which is higher.
    """
    if isinstance(types.strip(types.of(expression)), _OF_RANKS):
        return False
    sums = {id(p.binder.domain) for p in parts(expression) if isinstance(p, ir.FoldExpr) and _is_sum_of_split(p)}
    for part in parts(expression):
        match part:
            case ir.UnaryExpr(ir.Unary.HEIGHT_OF) | ir.Const(_, ir.RankType()):
                return False
            case ir.BinaryExpr(op, left, right):
                of = {type(types.strip(types.of(x))) for x in (left, right)}
                if ir.CombinationType in of or (ir.RankType in of and op not in (ir.Binary.EQ, ir.Binary.NE)):
                    return False
            case ir.SplitExpr():
                # Of splits with the same sum it is the strongest that counts, but for their sum.
                if id(part) not in sums:
                    return False
            case ir.FoldExpr(op):
                if op not in (ir.FoldOp.SUM, ir.FoldOp.COUNT, ir.FoldOp.SOME, ir.FoldOp.EVERY):
                    return False
            case ir.ExtremeExpr(_, operands) if any(isinstance(types.strip(types.of(x)), _OF_RANKS) for x in operands):
                return False
            case ir.TableExpr(_, operand) if isinstance(types.strip(types.of(operand)), ir.RankType):
                return False
    return True


def _is_sum_of_split(fold: ir.FoldExpr) -> bool:
    match fold:
        case ir.FoldExpr(
            ir.FoldOp.SUM, ir.Binder(name, ir.SplitExpr(_, column), _, None), ir.ColumnExpr(summed, ir.Local(x))
        ):
            return summed == column and x == name
        case _:
            return False


def _is_settled(part: Any) -> bool:
    """Whether a class of hands settles what this part of an expression makes of its cards."""
    if not isinstance(part, _PLAIN):
        return False
    match part:
        case ir.Const(_, t):
            return not isinstance(types.strip(t), ir.CardType | ir.SuitType)
        case ir.UnaryExpr(op):
            return op not in _TOO_MUCH
        case ir.BinaryExpr(op, left, _, t):
            about_cards = isinstance(t, ir.CardsType) or isinstance(types.strip(types.of(left)), ir.CardType)
            return op not in (ir.Binary.CONTAINS, ir.Binary.IN) and not about_cards
        case ir.FoldExpr(op, binder):
            picks = op in (ir.FoldOp.FIRST, ir.FoldOp.ONLY, ir.FoldOp.HIGHEST, ir.FoldOp.LOWEST)
            return not (picks and isinstance(binder.type, ir.CardType))
        case _:
            return True


def _without(node: Any, zone: ir.ZoneExpr) -> Any:
    """The same of cards that are named, not of the zone that they lie in."""
    if node == zone and isinstance(node, ir.ZoneExpr):
        return ir.Local(CARDS, types.CARDS)
    return _rebuilt(node, lambda inner: _without(inner, zone))


def _rebuilt(node: Any, change: Any) -> Any:
    if isinstance(node, tuple):
        return tuple(change(n) for n in node)
    if is_dataclass(node) and not isinstance(node, type | ir.Const):
        return replace(node, **{f.name: change(getattr(node, f.name)) for f in fields(node) if f.init})
    return node


class Inline:
    """Definitions put in the place of their calls; names that are bound inside get names of their own."""

    def __init__(self, game: ir.Game) -> None:
        self._functions = {f.name: f for f in game.functions}
        self._count = 0

    def put(self, node: Any, names: Mapping[str, ir.Expr]) -> Any:
        match node:
            case ir.Local(name):
                return names.get(name, node)
            case ir.CallExpr(function, arguments):
                declared = self._functions[function]
                values = [self.put(a, names) for a in arguments]
                return self.put(declared.body, {n: v for (n, _), v in zip(declared.parameters, values, strict=True)})
            case ir.FoldExpr(binder=binder, body=body, start=start):
                new, inner = self._bind(binder, names)
                return replace(node, binder=new, body=self.put(body, inner), start=self.put(start, names))
            case ir.PickCards(binder):
                return ir.PickCards(self._bind(binder, names)[0])
            case ir.BestExpr(cards, binder) if binder is not None:
                return replace(node, cards=self.put(cards, names), binder=self._bind(binder, names)[0])
            case _:
                return _rebuilt(node, lambda inner: self.put(inner, names))

    def _bind(self, binder: ir.Binder, names: Mapping[str, ir.Expr]) -> tuple[ir.Binder, Mapping[str, ir.Expr]]:
        self._count += 1
        name = f"{binder.name} {self._count}"
        inner = {**names, binder.name: ir.Local(name, binder.type)}
        return ir.Binder(name, self.put(binder.domain, names), binder.type, self.put(binder.where, inner)), inner

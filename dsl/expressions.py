"""Syntax of expressions to typed expressions: names bound, types checked, literals read by what is expected."""

from __future__ import annotations

from typing import assert_never

from dsl import ir, syntax, types
from dsl.folding import Folding
from dsl.naming import Naming
from dsl.operators import Operators
from dsl.symbols import Env


class Expressions(Naming, Operators, Folding):
    """Checks expressions against the names of one file. Methods return None once a mistake was reported."""

    def check(self, node: syntax.Expr, env: Env, expected: ir.Type | None = None) -> ir.Expr | None:
        """The typed expression; `expected` helps to read literals and is not enforced."""
        match node:
            case syntax.Number() | syntax.Name() | syntax.None_() | syntax.Yes() | syntax.No() | syntax.String():
                return self._literal(node, env, expected)
            case syntax.Seat(span, number):
                return self._seat(span, number)
            case syntax.ThePlayer(span):
                if self.symbols.players[1] != 1 and "*" not in self.symbols.broken:
                    return self._fail("T405", "`the player` is for games of one", span,
                                      help="name the seat, or go over the players")  # fmt: skip
                return ir.Const(0, types.PLAYER)
            case syntax.IfExpr(span, condition, then, otherwise):
                return self._if(span, condition, then, otherwise, env, expected)
            case syntax.OrExpr(_, left, right):
                return self._logic(ir.Binary.OR, left, right, env)
            case syntax.AndExpr(_, left, right):
                return self._logic(ir.Binary.AND, left, right, env)
            case syntax.NotExpr(_, operand):
                x = self.expect(operand, env, types.BOOL)
                return None if x is None else ir.UnaryExpr(ir.Unary.NOT, x, types.BOOL)
            case syntax.Compare():
                return self._compare(node, env)
            case syntax.IsNone(span, operand):
                return self._is_none(span, operand, env)
            case syntax.IsNotNone(span, operand):
                x = self._is_none(span, operand, env)
                return None if x is None else ir.UnaryExpr(ir.Unary.NOT, x, types.BOOL)
            case syntax.InRange(_, operand, low, high):
                return self._in_range(operand, low, high, env)
            case syntax.InCards(_, operand, cards):
                card = self.expect(operand, env, types.CARD)
                pile = self.expect(cards, env, types.CARDS)
                return None if card is None or pile is None else ir.BinaryExpr(ir.Binary.IN, card, pile, types.BOOL)
            case syntax.Contains(_, cards, combination):
                pile = self.expect(cards, env, types.CARDS)
                what = self.expect(combination, env, types.COMBINATION)
                return (
                    None if pile is None or what is None else ir.BinaryExpr(ir.Binary.CONTAINS, pile, what, types.BOOL)
                )
            case syntax.Add():
                return self._add(node, env, expected)
            case syntax.Multiply():
                return self._multiply(node, env)
            case syntax.Negate(_, _, operand):
                x = self.check(operand, env)
                if x is None:
                    return None
                x = self._unwrapped(x)
                if not types.is_number(t := types.of(x)):
                    return self._fail("T401", f"`-` needs a number, this is {types.an(t)}", operand.span)
                return ir.UnaryExpr(ir.Unary.NEGATE, x, types.negate(t) if isinstance(t, ir.IntType) else t)
            case syntax.Of():
                return self._of(node, env)
            case syntax.AsKind(_, cards, kind):
                pile = self.expect(cards, env, types.CARDS)
                k = self.expect(kind, env, ir.KindType())
                return None if pile is None or k is None else ir.AsExpr(pile, k)
            case syntax.Index():
                return self._index(node, env)
            case syntax.Call():
                return self._call(node, env)
            case syntax.AllOf(span, zone, args):
                return self._all_of(span, zone, args, env)
            case syntax.Fold() | syntax.Extreme() | syntax.Highest() | syntax.First() | syntax.Every():
                return self._fold(node, env)
            case syntax.MaxOf():
                return self._max_of(node, env)
            case syntax.Best(_, cards, binder):
                return self._best(cards, binder, env)
            case syntax.Split(_, cards, column):
                return self._split(cards, column, env)
            case syntax.Pick(_, binder):
                bound = self.binder(binder, env)
                if bound is None:
                    return None
                if not isinstance(bound[0].type, ir.CardType):
                    return self._fail(
                        "T401", "`those` picks cards", binder.span, help="write `those(c in CARDS where …)`"
                    )
                return ir.PickCards(bound[0])
            case syntax.Before(span, operand):
                if not self.in_property:
                    return self._fail("T406", "`before` speaks of a step, which only a property does", span)
                x = self.check(operand, env)
                return None if x is None else ir.Before(x, types.of(x))
            case _:
                assert_never(node)

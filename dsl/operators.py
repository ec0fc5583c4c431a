"""Operators in expressions: logic, comparison, arithmetic, and the properties of things."""

from __future__ import annotations

from dsl import ir, syntax, types
from dsl.checking import Checking
from dsl.diagnostics import did_you_mean
from dsl.source import Span
from dsl.symbols import PROPERTIES, Env

_COMPARE = {
    "=": ir.Binary.EQ, "!=": ir.Binary.NE, "<": ir.Binary.LT, "<=": ir.Binary.LE, ">": ir.Binary.GT, ">=": ir.Binary.GE,
}  # fmt: skip


class Operators(Checking):
    """What stands between values, and `… of …`."""

    def _if(self, span: Span, condition: syntax.Expr, then: syntax.Expr, otherwise: syntax.Expr, env: Env,
            expected: ir.Type | None) -> ir.Expr | None:  # fmt: skip
        c = self.expect(condition, env, types.BOOL)
        pair = self._pair(then, otherwise, env, expected)
        if c is None or pair is None:
            return None
        joined = types.join(types.of(pair[0]), types.of(pair[1]))
        if joined is None:
            a, b = (types.an(types.of(x)) for x in pair)
            return self._fail("T401", f"one way yields {a}, the other {b}", span)
        return ir.IfExpr(c, pair[0], pair[1], joined)

    def _pair(self, left: syntax.Expr, right: syntax.Expr, env: Env, expected: ir.Type | None = None
              ) -> tuple[ir.Expr, ir.Expr] | None:  # fmt: skip
        """Two expressions of which a literal is read by the other one's type; a numeral says least of all."""
        if self._says_less(left, right, env):
            b = self.check(right, env, expected)
            a = self.check(left, env, types.of(b) if b is not None else expected)
        else:
            a = self.check(left, env, expected)
            b = self.check(right, env, types.of(a) if a is not None else expected)
        return None if a is None or b is None else (a, b)

    @staticmethod
    def _says_less(left: syntax.Expr, right: syntax.Expr, env: Env) -> bool:
        """Whether the left of two expressions is a literal whose meaning the right one can settle."""
        if isinstance(left, syntax.Number | syntax.None_):
            return not isinstance(right, syntax.Number)
        return isinstance(left, syntax.Name) and left.name.text not in env and not isinstance(right, syntax.Number)

    def _logic(self, op: ir.Binary, left: syntax.Expr, right: syntax.Expr, env: Env) -> ir.Expr | None:
        a = self.expect(left, env, types.BOOL)
        b = self.expect(right, env, types.BOOL)
        return None if a is None or b is None else ir.BinaryExpr(op, a, b, types.BOOL)

    def _compare(self, node: syntax.Compare, env: Env) -> ir.Expr | None:
        pair = self._pair(node.left, node.right, env)
        if pair is None:
            return None
        a, b = pair
        op = _COMPARE[node.sign.text]
        ta, tb = types.of(a), types.of(b)
        if types.join(ta, tb) is None:
            return self._fail("T401", f"{types.an(ta)} and {types.an(tb)} cannot be compared", node.span)
        if op in (ir.Binary.EQ, ir.Binary.NE):
            if isinstance(types.strip(ta), ir.CardsType | ir.CombinationsType):
                return self._fail("T410", f"{types.an(ta)} cannot be compared", node.span)
            return ir.BinaryExpr(op, a, b, types.BOOL)
        if not isinstance(types.strip(ta), ir.CombinationType):
            a, b = self._unwrapped(a), self._unwrapped(b)
        if not types.is_ordered(types.of(a)):
            return self._fail("T410", f"there is no higher or lower among {types.many(types.of(a))}", node.sign.span)
        return ir.BinaryExpr(op, a, b, types.BOOL)

    def _is_none(self, span: Span, operand: syntax.Expr, env: Env) -> ir.Expr | None:
        x = self.check(operand, env)
        if x is None:
            return None
        if not isinstance(types.of(x), ir.OptionalType):
            return self._fail("T402", f"this is {types.an(types.of(x))}, and never none", span)
        return ir.UnaryExpr(ir.Unary.IS_NONE, x, types.BOOL)

    def _in_range(self, operand: syntax.Expr, low: syntax.Expr, high: syntax.Expr, env: Env) -> ir.Expr | None:
        x = self.check(operand, env)
        t = types.of(x) if x is not None else None
        a, b = self.check(low, env, t), self.check(high, env, t)
        if x is None or a is None or b is None:
            return None
        x, a, b = self._unwrapped(x), self._unwrapped(a), self._unwrapped(b)
        for bound in (a, b):
            if types.join(types.of(x), types.of(bound)) is None or not types.is_ordered(types.of(x)):
                return self._fail("T401", f"{types.an(types.of(x))} cannot be in this range", operand.span)
        at_least = ir.BinaryExpr(ir.Binary.GE, x, a, types.BOOL)
        at_most = ir.BinaryExpr(ir.Binary.LE, x, b, types.BOOL)
        return ir.BinaryExpr(ir.Binary.AND, at_least, at_most, types.BOOL)

    def _add(self, node: syntax.Add, env: Env, expected: ir.Type | None) -> ir.Expr | None:
        left, right = self.check(node.left, env, expected), self.check(node.right, env, expected)
        if left is None or right is None:
            return None
        a, b = self._unwrapped(left), self._unwrapped(right)
        ta, tb = types.of(a), types.of(b)
        op = ir.Binary.ADD if node.sign.text == "+" else ir.Binary.SUBTRACT
        if isinstance(ta, ir.CardsType | ir.CardType) and isinstance(tb, ir.CardsType | ir.CardType):
            if op is ir.Binary.SUBTRACT:
                return self._fail("T401", "cards cannot be subtracted", node.sign.span,
                                  help="`those(c in CARDS where …)` leaves some out")  # fmt: skip
            return ir.BinaryExpr(op, a, b, types.CARDS)
        return self._arithmetic(op, a, b, node.left, node.right)

    def _multiply(self, node: syntax.Multiply, env: Env) -> ir.Expr | None:
        left, right = self.check(node.left, env), self.check(node.right, env)
        if left is None or right is None:
            return None
        op = {"*": ir.Binary.MULTIPLY, "/": ir.Binary.DIVIDE, "div": ir.Binary.DIV, "mod": ir.Binary.MOD}[
            node.sign.text
        ]
        if op is not ir.Binary.MULTIPLY and isinstance(right, ir.Const) and right.value == 0:
            return self._fail("T411", "this divides by 0", node.right.span)
        return self._arithmetic(op, self._unwrapped(left), self._unwrapped(right), node.left, node.right)

    def _arithmetic(
        self, op: ir.Binary, a: ir.Expr, b: ir.Expr, left: syntax.Expr, right: syntax.Expr
    ) -> ir.Expr | None:
        for x, at in ((a, left), (b, right)):
            if not types.is_number(types.of(x)):
                return self._fail("T401", f"`{op.value}` needs numbers, this is {types.an(types.of(x))}", at.span)
        ta, tb = types.of(a), types.of(b)
        t: ir.Type = ir.FractionType()
        if isinstance(ta, ir.IntType) and isinstance(tb, ir.IntType):
            match op:
                case ir.Binary.ADD:
                    t = types.add(ta, tb)
                case ir.Binary.SUBTRACT:
                    t = types.add(ta, types.negate(tb))
                case ir.Binary.MULTIPLY:
                    t = types.multiply(ta, tb)
                case ir.Binary.MOD:
                    t = ir.IntType(0, tb.high - 1) if tb.low is not None and tb.low > 0 and tb.high else types.INTEGER
                case ir.Binary.DIV:
                    t = types.INTEGER
                case _:
                    pass
        elif op in (ir.Binary.DIV, ir.Binary.MOD):
            return self._fail("T401", f"`{op.value}` needs whole numbers", left.span)
        return ir.BinaryExpr(op, a, b, t)

    # ------------------------------------------------------------------------------- properties of things

    def _of(self, node: syntax.Of, env: Env) -> ir.Expr | None:
        name, s = node.name.text, self.symbols
        wanted: ir.Type | None = types.PLAYER if name in ("left", "right", "opponent", "partner") else None
        wanted = ir.RankType() if name == "height" else wanted
        x = self.check(node.operand, env, wanted)
        if x is None:
            return None
        x = self._unwrapped(x)
        t = types.of(x)
        match name, t:
            case "rank", ir.CardType():
                return ir.UnaryExpr(ir.Unary.RANK_OF, x, ir.RankType())
            case "suit", ir.CardType():
                return ir.UnaryExpr(ir.Unary.SUIT_OF, x, ir.SuitType())
            case "kind", ir.CombinationType():
                return ir.UnaryExpr(ir.Unary.KIND_OF, x, ir.KindType())
            case "size", ir.CardsType():
                return ir.UnaryExpr(ir.Unary.SIZE_OF, x, ir.IntType(0, s.num_cards))
            case "size", ir.KindType():
                sizes = [k.size for k in s.kinds] or [0]
                return ir.UnaryExpr(ir.Unary.SIZE_OF, x, ir.IntType(min(sizes), max(sizes)))
            case "top", ir.CardsType():
                return ir.UnaryExpr(ir.Unary.TOP_OF, x, types.CARD)
            case "height", ir.RankType():
                return ir.UnaryExpr(ir.Unary.HEIGHT_OF, x, ir.IntType(1, len(s.deck.ranks)))
            case "cards", ir.CombinationType() | ir.CombinationsType():
                return ir.UnaryExpr(ir.Unary.CARDS_OF, x, types.CARDS)
            case "left", ir.PlayerType():
                return ir.UnaryExpr(ir.Unary.LEFT_OF, x, types.PLAYER)
            case "right", ir.PlayerType():
                return ir.UnaryExpr(ir.Unary.RIGHT_OF, x, types.PLAYER)
            case "opponent" | "partner", ir.PlayerType():
                needed = 2 if name == "opponent" else 4
                if s.players != (needed, needed) and "*" not in s.broken:
                    return self._fail("T405", f"`{name} of` is for games of {needed} players", node.name.span)
                return ir.UnaryExpr(ir.Unary.OPPOSITE_OF, x, types.PLAYER)
            case column, ir.KindType() | ir.CombinationType() if column in s.columns:
                s.read.add(f"column {column}")
                return ir.ColumnExpr(column, x)
            case _ if name in PROPERTIES or name in s.columns:
                return self._fail("T401", f"{types.an(t)} has no {name}", node.span)
            case _:
                return self._fail("N312", f"nothing has a `{name}`", node.name.span,
                                  help=did_you_mean(name, (*PROPERTIES, *s.columns)))  # fmt: skip

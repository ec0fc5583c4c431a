"""Syntax of expressions to typed expressions: names bound, types checked, literals read by what is expected."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import assert_never

from dsl import ir, syntax, types
from dsl.diagnostics import Label, Reporter, did_you_mean
from dsl.fields import RESERVED
from dsl.source import Span
from dsl.symbols import PROPERTIES, ROUNDINGS, Env, Symbols

_COMPARE = {"=": ir.Binary.EQ, "!=": ir.Binary.NE, "<": ir.Binary.LT, "<=": ir.Binary.LE,
            ">": ir.Binary.GT, ">=": ir.Binary.GE}  # fmt: skip
_FOLDS = {"count": ir.FoldOp.COUNT, "some": ir.FoldOp.SOME, "only": ir.FoldOp.ONLY}
_MAX_NUMBER = 10**12
_VALUE = "a value of a list"


class Expressions:
    """Checks expressions against the names of one file. Methods return None once a mistake was reported."""

    def __init__(self, symbols: Symbols, reporter: Reporter) -> None:
        self.symbols = symbols
        self.reporter = reporter
        self._open_functions: list[str] = []
        self.in_property = False
        # In an example the names of the rule it stands in are only lent.
        self.may_shadow = False

    # ------------------------------------------------------------------------------------- entrances

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
                return None if pile is None or what is None else ir.BinaryExpr(ir.Binary.CONTAINS, pile, what, types.BOOL)
            case syntax.Add():
                return self._add(node, env, expected)
            case syntax.Multiply():
                return self._multiply(node, env)
            case syntax.Negate(_, sign, operand):
                x = self.check(operand, env)
                if x is None:
                    return None
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
                    return self._fail("T401", "`those` picks cards", binder.span, help="write `those(c in CARDS where …)`")
                return ir.PickCards(bound[0])
            case syntax.Before(span, operand):
                if not self.in_property:
                    return self._fail("T406", "`before` speaks of a step, which only a property does", span)
                x = self.check(operand, env)
                return None if x is None else ir.Before(x, types.of(x))
            case _:
                assert_never(node)

    def expect(self, node: syntax.Expr, env: Env, wanted: ir.Type) -> ir.Expr | None:
        """The expression as a value of the wanted type, or a diagnostic."""
        x = self.check(node, env, wanted)
        return None if x is None else self.fit(x, wanted, node.span)

    def fit(self, x: ir.Expr, wanted: ir.Type, span: Span) -> ir.Expr | None:
        """An expression where a type is wanted: itself, widened, or with the obligation not to be none."""
        t = types.of(x)
        if isinstance(wanted, ir.OptionalType):
            if isinstance(x, ir.Const) and x.value is None:
                return ir.Const(None, wanted)
            return self.fit(x, wanted.of, span) if not isinstance(t, ir.OptionalType) else self._same(x, t, wanted, span)
        if isinstance(x, ir.Const) and x.value is None:
            return self._fail("T402", f"{types.an(wanted)} is needed here, not none", span)
        if isinstance(t, ir.OptionalType):
            inner = self.fit(ir.UnaryExpr(ir.Unary.UNWRAP, x, t.of), wanted, span)
            return inner
        if isinstance(wanted, ir.FractionType) and types.is_number(t):
            return x
        if isinstance(wanted, ir.CardsType) and isinstance(t, ir.CardType):
            return x
        if isinstance(wanted, ir.IntType) and isinstance(t, ir.FractionType):
            return self._fail("T403", "a fraction stands where a whole number is needed", span,
                              help="say how: `floor`, `ceiling`, `nearest`, or `whole` where it always is")  # fmt: skip
        if isinstance(wanted, ir.IntType) and isinstance(t, ir.IntType) and types.disjoint(wanted, t):
            return self._fail("T404", f"{types.show(t)} is outside the range {types.show(wanted)}"
                              if t.low != t.high else f"{t.low} is outside the range {types.show(wanted)}", span)  # fmt: skip
        return self._same(x, t, wanted, span)

    def _same(self, x: ir.Expr, t: ir.Type, wanted: ir.Type, span: Span) -> ir.Expr | None:
        if types.same(t, wanted):
            return x
        return self._fail("T401", f"{types.an(wanted)} is needed here, this is {types.an(t)}", span)

    def _fail(self, code: str, message: str, span: Span, help: str = "", note: str = "",
              labels: tuple[Label, ...] = ()) -> None:  # fmt: skip
        """Report a mistake; always None, so that a check can end with it."""
        self.reporter.report(code, message, span, help=help, note=note, labels=labels)

    # -------------------------------------------------------------------------------------- literals

    def _literal(self, node: syntax.Number | syntax.Name | syntax.None_ | syntax.Yes | syntax.No | syntax.String,
                 env: Env, expected: ir.Type | None) -> ir.Expr | None:  # fmt: skip
        wanted = types.strip(expected) if expected is not None else None
        match node:
            case syntax.Number(span, number):
                if isinstance(wanted, ir.RankType):
                    return self._rank(number)
                if isinstance(wanted, ir.PlayerType):
                    return self._fail("T407", f"`{number.text}` is a number, not a player", span,
                                      help=f"write `seat {number.text}`")  # fmt: skip
                return self.number(number)
            case syntax.Name(_, name):
                return self._name(name, env, wanted)
            case syntax.None_():
                return ir.Const(None, ir.OptionalType(wanted or types.INTEGER))
            case syntax.Yes() | syntax.No():
                return ir.Const(isinstance(node, syntax.Yes), types.BOOL)
            case syntax.String(span, _):
                return self._fail("T408", "a text in quotes is no value", span)
            case _:
                assert_never(node)

    def number(self, token: syntax.Token) -> ir.Const | None:
        """A number as written; a point makes it a fraction."""
        if len(token.text) > 1 and token.text[0] == "0" and token.text[1] != ".":
            return self._fail("T424", f"`{token.text}` starts with a zero", token.span,
                              help=f"write `{token.text.lstrip('0') or '0'}`")  # fmt: skip
        if "." in token.text and len(token.text) <= 40:
            return ir.Const(Fraction(token.text), ir.FractionType())
        if len(token.text) > 13 or int(token.text) > _MAX_NUMBER:
            return self._fail("T409", "this number is too large", token.span)
        value = int(token.text)
        return ir.Const(value, ir.IntType(value, value))

    def _rank(self, token: syntax.Token) -> ir.Const | None:
        index = self.symbols.ranks.get(token.text)
        if index is None:
            return self._fail("N304", f"no rank is named `{token.text}`", token.span,
                              help="the ranks are " + " ".join(self.symbols.deck.ranks))  # fmt: skip
        return ir.Const(index, ir.RankType())

    def _seat(self, span: Span, number: syntax.Token) -> ir.Const | None:
        most = self.symbols.players[1]
        if not number.text.isdigit() or len(number.text) > 4 or not 1 <= int(number.text) <= most:
            return self._fail("T404", f"there is no seat {number.text}", span, help=f"seats count from 1 to {most}")
        return ir.Const(int(number.text) - 1, types.PLAYER)

    def _name(self, token: syntax.Token, env: Env, wanted: ir.Type | None) -> ir.Expr | None:
        name, s = token.text, self.symbols
        if name in env:
            s.read.add(name)
            return env[name]
        if isinstance(wanted, ir.EnumType) and name in wanted.names:
            return ir.Const(wanted.names.index(name), wanted)
        if name in s.state:
            return self._variable(token, (), env)
        if name in s.zones:
            return self._zone(token, (), env)
        if name in s.defines:
            return self._apply(token, (), env)
        if name in s.kind_indices:
            return ir.Const(s.kind_indices[name], ir.KindType())
        if name in s.ranks:
            return ir.Const(s.ranks[name], ir.RankType())
        if name in s.suits:
            return ir.Const(s.suits[name], ir.SuitType())
        if name in s.faces:
            return ir.Const(s.faces[name], types.CARD)
        if name == "players":
            return ir.NumPlayers()
        if name == "time_left":
            if not s.has_clock:
                return self._fail("N306", "this game has no clock", token.span)
            return ir.TimeLeft()
        if name in s.enums:
            if len(s.enums[name]) == 1:
                enum = s.enums[name][0]
                return ir.Const(enum.names.index(name), enum)
            return self._fail("N305", f"`{name}` belongs to more than one list of names", token.span)
        return self._unknown(token, env)

    def _unknown(self, token: syntax.Token, env: Env, what: str = "nothing") -> None:
        name, s = token.text, self.symbols
        if s.is_broken(name):
            return None
        if name in s.rules:
            return self._fail("T412", f"`{name}` is a rule, and a rule has no value", token.span)
        if name in s.tables:
            each = types.show(s.tables[name].domain)
            return self._fail("T413", f"table `{name}` has a value for each {each}", token.span,
                              help=f"write `{name}[…]`")  # fmt: skip
        help = did_you_mean(name, s.known(env))
        if name in ("true", "false"):
            help = f"write `{'yes' if name == 'true' else 'no'}`"
        elif re.fullmatch(r"[0-9]+[eE][0-9]+|0[xXoObB][0-9a-fA-F]+|[0-9]+(_[0-9]+)+", name):
            help = "numbers are written out in digits"
        s.broken.add(name)  # to be told once is enough
        return self._fail("N302", f"{what} is named `{name}`", token.span, help=help)

    # ----------------------------------------------------------------------------- operators and logic

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

    @staticmethod
    def _unwrapped(x: ir.Expr) -> ir.Expr:
        t = types.of(x)
        return ir.UnaryExpr(ir.Unary.UNWRAP, x, t.of) if isinstance(t, ir.OptionalType) else x

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
        op = {"*": ir.Binary.MULTIPLY, "/": ir.Binary.DIVIDE, "div": ir.Binary.DIV, "mod": ir.Binary.MOD}[node.sign.text]
        if op is not ir.Binary.MULTIPLY and isinstance(right, ir.Const) and right.value == 0:
            return self._fail("T411", "this divides by 0", node.right.span)
        return self._arithmetic(op, self._unwrapped(left), self._unwrapped(right), node.left, node.right)

    def _arithmetic(self, op: ir.Binary, a: ir.Expr, b: ir.Expr, left: syntax.Expr, right: syntax.Expr) -> ir.Expr | None:
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

    def _index(self, node: syntax.Index, env: Env) -> ir.Expr | None:
        name = node.name.text
        if name in self.symbols.zones:
            return self._zone(node.name, node.args, env)
        if name in self.symbols.state:
            return self._variable(node.name, node.args, env)
        if name in self.symbols.tables:
            return self._table(node.name, node.args, env)
        if name in self.symbols.defines:
            return self._fail("T412", f"`{name}` is a definition", node.name.span, help=f"write `{name}(…)`")
        return self._unknown(node.name, env, "no zone, state or table")

    def indices(self, token: syntax.Token, dims: tuple[ir.Domain, ...], args: tuple[syntax.Expr, ...], env: Env
                ) -> tuple[ir.Expr, ...] | None:  # fmt: skip
        """The checked indices of a zone or a variable."""
        if len(args) != len(dims):
            if not dims:
                return self._fail("T413", f"`{token.text}` is one alone, and takes nothing in `[ ]`", token.span)
            shown = ["number " * isinstance(d, ir.IntType) + types.show(d) for d in dims]
            said = f"here {things(len(args))}" if args else "and it is not said which"
            return self._fail("T413", f"there is a `{token.text}` for each {' and '.join(shown)}, {said}", token.span,
                              help=f"write `{token.text}[{', '.join('…' for _ in dims)}]`")  # fmt: skip
        checked = [self.expect(arg, env, dim) for arg, dim in zip(args, dims, strict=True)]
        return None if any(x is None for x in checked) else tuple(x for x in checked if x is not None)

    def _variable(self, token: syntax.Token, args: tuple[syntax.Expr, ...], env: Env) -> ir.Expr | None:
        variable = self.symbols.state[token.text]
        self.symbols.read.add(token.text)
        indices = self.indices(token, variable.dims, args, env)
        return None if indices is None else ir.Var(token.text, indices, variable.type)

    def _zone(self, token: syntax.Token, args: tuple[syntax.Expr, ...], env: Env) -> ir.ZoneExpr | None:
        self.symbols.read.add(token.text)
        indices = self.indices(token, self.symbols.zones[token.text].dims, args, env)
        return None if indices is None else ir.ZoneExpr(token.text, indices)

    def zone(self, node: syntax.Expr, env: Env) -> ir.ZoneExpr | None:
        """An expression that must name one zone, to put cards there or take them from its top."""
        match node:
            case syntax.Name(_, token) if token.text in self.symbols.zones:
                return self._zone(token, (), env)
            case syntax.Index(_, token, args) if token.text in self.symbols.zones:
                return self._zone(token, args, env)
            case syntax.Name(_, token) | syntax.Index(_, token, _):
                if self.symbols.is_broken(token.text):
                    return None
                if token.text in env or token.text in self.symbols.declared:
                    return self._fail("T414", f"a zone is needed here, and `{token.text}` is none", token.span)
                self.symbols.broken.add(token.text)
                return self._fail("N301", f"no zone is named `{token.text}`", token.span, note="not a zone of this game",
                                  help=did_you_mean(token.text, self.symbols.zones))  # fmt: skip
            case _:
                return self._fail("T414", "a zone is needed here", node.span)

    def _all_of(self, span: Span, token: syntax.Token, args: tuple[syntax.Expr, ...] | None, env: Env) -> ir.Expr | None:
        zone = self.symbols.zones.get(token.text)
        if zone is None:
            if self.symbols.is_broken(token.text):
                return None
            self.symbols.broken.add(token.text)
            return self._fail("N301", f"no zone is named `{token.text}`", token.span, note="not a zone of this game",
                              help=did_you_mean(token.text, self.symbols.zones))  # fmt: skip
        self.symbols.read.add(token.text)
        given = args or ()
        if len(given) >= len(zone.dims):
            return self._fail("T413", f"`all {token.text}` gathers a family of zones, and this is one zone", span,
                              help="leave `all` out")  # fmt: skip
        indices = self.indices(token, zone.dims[: len(given)], given, env)
        return None if indices is None else ir.AllOfZone(token.text, indices)

    def _table(self, token: syntax.Token, args: tuple[syntax.Expr, ...], env: Env) -> ir.Expr | None:
        table = self.symbols.tables[token.text]
        self.symbols.read.add(token.text)
        indices = self.indices(token, (table.domain,), args, env)
        return None if indices is None else ir.TableExpr(token.text, indices[0], table.type)

    # ----------------------------------------------------------------------------------------- calls

    def _call(self, node: syntax.Call, env: Env) -> ir.Expr | None:
        name, s = node.name.text, self.symbols
        if name in ROUNDINGS:
            return self._round(node, env)
        if name in s.defines:
            return self._apply(node.name, node.args, env)
        if name in s.kind_indices:
            return self._make(node, env)
        if name in s.state or name in s.zones or name in s.tables:
            return self._fail("T412", f"`{name}` is no definition", node.name.span, help=f"write `{name}[…]`")
        if name in s.rules:
            return self._fail("T412", f"`{name}` is a rule, and a rule has no value", node.name.span)
        if s.is_broken(name):
            return None
        s.broken.add(name)
        return self._fail("N302", f"no definition is named `{name}`", node.name.span,
                          help=did_you_mean(name, (*s.defines, *s.kind_indices, *ROUNDINGS)))  # fmt: skip

    def _round(self, node: syntax.Call, env: Env) -> ir.Expr | None:
        if len(node.args) != 1:
            return self._fail("T413", f"`{node.name.text}` takes one number", node.span)
        x = self.expect(node.args[0], env, ir.FractionType())
        return None if x is None else ir.UnaryExpr(ROUNDINGS[node.name.text], x, types.INTEGER)

    def _make(self, node: syntax.Call, env: Env) -> ir.Expr | None:
        index = self.symbols.kind_indices[node.name.text]
        named = self.symbols.kinds[index].named
        if len(node.args) != len(named):
            wants = " and ".join(f"a {sort}" for _, sort in named) or "nothing"
            return self._fail("T413", f"`{node.name.text}` is named by {wants}", node.span)
        checked = [self.expect(a, env, types.SORTS[sort]) for a, (_, sort) in zip(node.args, named, strict=True)]
        if any(x is None for x in checked):
            return None
        return ir.MakeCombination(index, tuple(x for x in checked if x is not None))

    def _apply(self, token: syntax.Token, args: tuple[syntax.Expr, ...], env: Env) -> ir.Expr | None:
        self.symbols.read.add(token.text)
        function = self.function(token.text, token.span)
        if function is None:
            return None
        if len(args) != len(function.parameters):
            told = f"`{token.text}` takes {values(len(function.parameters))}, here {things(len(args))}"
            return self._fail("T413", told, token.span)
        checked = [self.expect(a, env, t) for a, (_, t) in zip(args, function.parameters, strict=True)]
        if any(x is None for x in checked):
            return None
        return ir.CallExpr(token.text, tuple(x for x in checked if x is not None), function.type)

    def function(self, name: str, at: Span) -> ir.Function | None:
        """A definition, typed; None where it was found wrong."""
        s = self.symbols
        if name in s.functions:
            return s.functions[name]
        if name in self._open_functions:
            return self._fail("L501", f"`{name}` is defined by way of itself", at)
        node = s.defines[name]
        self._open_functions.append(name)
        parameters = self.parameters(node.params)
        env: Env = {n: ir.Local(n, t) for n, t in parameters}
        body = None if len(parameters) < len(node.params or ()) else self.check(node.body, env)
        self._open_functions.pop()
        if body is not None and isinstance(body, ir.Const) and body.value is None:
            body = self._fail("T402", "a definition cannot always be none", node.body.span)
        s.functions[name] = None
        if body is not None:
            s.functions[name] = ir.Function(name, parameters, body, types.of(body), cites(node.cites), node.span)
        return s.functions[name]

    def parameters(self, params: tuple[syntax.Param, ...] | None) -> tuple[tuple[str, ir.Type], ...]:
        """Names and types of parameters; one without a type is a player. One that is wrong is left out."""
        out: list[tuple[str, ir.Type]] = []
        for param in params or ():
            t = types.PLAYER if param.type is None else self.type(param.type)
            self.fresh(param.name, {n: ir.Local(n, types.BOOL) for n, _ in out})
            if t is None:
                self.symbols.broken.add(param.name.text)
            else:
                out.append((param.name.text, t))
        return tuple(out)

    def fresh(self, token: syntax.Token, env: Env) -> None:
        """A local name must not hide another one."""
        name, s = token.text, self.symbols
        if name in RESERVED:
            self._fail("S210", f"`{name}` is a word of the language and cannot be a name", token.span)
        elif name[0].isdigit():
            self._fail("S210", f"`{name}` cannot be a name", token.span, help="a name starts with a letter")
        elif name in s.declared:
            what, place = s.declared[name]
            self._fail("N303", f"`{name}` already names {what}", token.span, labels=(Label(place, "named here"),))
        elif name in env and not self.may_shadow:
            self._fail("N303", f"`{name}` is already in use here", token.span)

    def type(self, node: syntax.TypeSyntax) -> ir.Type | None:
        """The type that was written."""
        match node:
            case syntax.OptionalType(_, of):
                inner = self.type(of)
                return None if inner is None else ir.OptionalType(inner)
            case syntax.YesOrNo():
                return types.BOOL
            case syntax.NamedType(_, name):
                found = types.NAMED.get(name.text)
                if found is None:
                    known = ", ".join(list(types.NAMED)[:7]) + ", combination, `0..5`, `yes or no`, `one of …`"
                    return self._fail("N307", f"no type is named `{name.text}`", name.span,
                                      help=did_you_mean(name.text, types.NAMED) or f"types are {known}")  # fmt: skip
                return found
            case syntax.RangeType(span, low, high):
                bounds = []
                for bound in (low, high):
                    if "." in bound.number.text:
                        return self._fail("T424", "a range goes from one whole number to another", bound.span)
                    if self.number(bound.number) is None:
                        return None
                    bounds.append(int(bound.number.text) * (-1 if bound.sign else 1))
                if bounds[0] > bounds[1]:
                    return self._fail("T415", "this range is empty", span)
                return ir.IntType(bounds[0], bounds[1])
            case syntax.OneOf(_, names):
                return self._enum(names)
            case _:
                assert_never(node)

    def _enum(self, names: tuple[syntax.Token, ...]) -> ir.EnumType | None:
        declared = self.symbols.declared
        seen: set[str] = set()
        for token in names:
            name = token.text
            what, place = declared.get(name, (_VALUE, token.span))
            if name in seen:
                return self._fail("N303", f"`{name}` is named twice", token.span)
            if name in RESERVED or name[0].isdigit():
                why = "it is a word of the language" if name in RESERVED else "a name starts with a letter"
                return self._fail("S210", f"`{name}` cannot be a name", token.span, help=why)
            if what != _VALUE:
                return self._fail("N303", f"`{name}` already names {what}", token.span,
                                  labels=(Label(place, "named here"),))  # fmt: skip
            seen.add(name)
            declared[name] = (_VALUE, place)
        return ir.EnumType(tuple(token.text for token in names))

    # ----------------------------------------------------------------------------------- binders, folds

    def binder(self, node: syntax.Binder, env: Env, as_variable: ir.Var | None = None
               ) -> tuple[ir.Binder, Env] | None:  # fmt: skip
        """A bound name with its domain, and the names that hold where it is bound.

        With `as_variable` the name stands for that state variable instead of a local.
        """
        s = self.symbols
        name, sort = node.name.text, node.sort
        anonymous = sort is None and node.source is None and name in types.SORTS
        domain: ir.Domain | ir.Expr
        if node.source is not None and sort is not None:
            return self._fail("T416", "either a sort or a source says what is gone over, not both", node.span)
        if isinstance(node.source, syntax.NumberRange):
            low, high = self.check(node.source.low, env), self.check(node.source.high, env)
            if not (isinstance(low, ir.Const) and isinstance(high, ir.Const)
                    and isinstance(low.value, int) and isinstance(high.value, int)):  # fmt: skip
                if low is not None and high is not None:
                    self._fail("T417", "the ends of this range must be written as numbers", node.source.span)
                return None
            if low.value > high.value:
                return self._fail("T415", "this range is empty", node.source.span)
            domain = ir.IntType(low.value, high.value)
            t: ir.Type = domain
        elif node.source is not None:
            source = self.check(node.source, env)
            if source is None:
                return None
            match types.of(source):
                case ir.CardsType():
                    domain, t = source, types.CARD
                case ir.CombinationsType():
                    domain, t = source, types.COMBINATION
                case other:
                    return self._fail("T401", f"{types.an(other)} cannot be gone over", node.source.span,
                                      help="cards, several combinations or a range of numbers can")  # fmt: skip
        else:
            word = name if anonymous else (sort.name.text if sort is not None else "player")
            known = types.SORTS.get(word)
            if known is None:
                assert sort is not None
                return self._fail("N307", f"`{word}` is nothing that can be gone over", sort.span,
                                  help=did_you_mean(word, types.SORTS)
                                  or "players, ranks, suits and kinds can; `c in CARDS` goes over cards")  # fmt: skip
            if isinstance(known, ir.KindType) and not s.kinds:
                return self._no_combinations(node.span)
            domain = t = known
        inner = dict(env)
        if not anonymous:
            self.fresh(node.name, env)
            inner[name] = as_variable if as_variable is not None else ir.Local(name, t)
        where = None
        if node.where is not None:
            where = self.expect(node.where, inner, types.BOOL)
            if where is None:
                return None
        return ir.Binder(name, domain, t, where), inner

    def _fold(self, node: syntax.Fold | syntax.Extreme | syntax.Highest | syntax.First | syntax.Every, env: Env
              ) -> ir.Expr | None:  # fmt: skip
        bound = self.binder(node.binder, env)
        if bound is None:
            return None
        binder, inner = bound
        match node:
            case syntax.Fold(_, word, _):
                op = _FOLDS[word.text]
                t: ir.Type = types.BOOL
                if op is ir.FoldOp.COUNT:
                    t = ir.IntType(0, self._most(binder))
                elif op is ir.FoldOp.ONLY:
                    t = ir.OptionalType(binder.type)
                return ir.FoldExpr(op, binder, None, t)
            case syntax.Every(_, _, body):
                x = self.expect(body, inner, types.BOOL)
                return None if x is None else ir.FoldExpr(ir.FoldOp.EVERY, binder, x, types.BOOL)
            case syntax.First(_, _, start):
                begin = self._start(start, binder, node.binder, env)
                if start is not None and begin is None:
                    return None
                return ir.FoldExpr(ir.FoldOp.FIRST, binder, None, ir.OptionalType(binder.type), begin)
            case syntax.Extreme(_, word, body, _):
                return self._extreme(word, body, binder, inner)
            case syntax.Highest():
                return self._highest(node, binder, inner, env)
            case _:
                assert_never(node)

    def _most(self, binder: ir.Binder) -> int:
        if isinstance(binder.domain, ir.PlayerType | ir.KindType | ir.RankType | ir.SuitType | ir.EnumType | ir.IntType):
            return self.symbols.domain_size(binder.domain)
        return self.symbols.num_cards

    def _start(self, start: syntax.Expr | None, binder: ir.Binder, node: syntax.Binder, env: Env) -> ir.Expr | None:
        if start is None:
            return None
        if not isinstance(binder.domain, ir.PlayerType):
            return self._fail("T418", "only players sit clockwise", node.span)
        return self.expect(start, env, types.PLAYER)

    def _extreme(self, word: syntax.Token, body: syntax.Expr, binder: ir.Binder, inner: Env) -> ir.Expr | None:
        x = self.check(body, inner)
        if x is None:
            return None
        t = types.of(x)
        if word.text == "sum":
            x = self._unwrapped(x)
            if not types.is_number(types.of(x)):
                return self._fail("T401", f"`sum` adds numbers, this is {types.an(t)}", body.span)
            total = types.of(x)
            if isinstance(total, ir.IntType):
                total = types.multiply(total, ir.IntType(0, self._most(binder)))
            return ir.FoldExpr(ir.FoldOp.SUM, binder, x, total)
        if not isinstance(types.strip(t), ir.CombinationType):
            x = self._unwrapped(x)
        if not types.is_ordered(types.of(x)):
            return self._fail("T410", f"there is no higher or lower among {types.many(t)}", body.span)
        op = ir.FoldOp.MAX if word.text == "max" else ir.FoldOp.MIN
        # Over all players, kinds, ranks or suits there is always one; a condition may leave none.
        always = binder.where is None and isinstance(binder.domain, ir.PlayerType | ir.KindType | ir.RankType
                                                     | ir.SuitType | ir.IntType)  # fmt: skip
        of = types.of(x)
        return ir.FoldExpr(op, binder, x, of if always else ir.OptionalType(types.strip(of)))

    def _highest(self, node: syntax.Highest, binder: ir.Binder, inner: Env, env: Env) -> ir.Expr | None:
        x = self.check(node.by, inner)
        if x is None:
            return None
        if not isinstance(types.strip(types.of(x)), ir.CombinationType):
            x = self._unwrapped(x)
        if not types.is_ordered(types.of(x)):
            return self._fail("T410", f"there is no higher or lower among {types.many(types.of(x))}", node.by.span)
        op = ir.FoldOp.HIGHEST if node.word.text == "highest" else ir.FoldOp.LOWEST
        t = ir.OptionalType(binder.type)
        if node.tie is None:
            return self._fail("L502", f"a tie for the {node.word.text} is not decided", node.span,
                              help="say what a tie does: `tie none` or `tie first clockwise from …`")  # fmt: skip
        match node.tie.rule:
            case syntax.TieNone():
                return ir.FoldExpr(op, binder, x, t, None, ir.Tie.NONE)
            case syntax.TieFirst(_, start):
                begin = self._start(start, binder, node.binder, env)
                if start is not None and begin is None:
                    return None
                return ir.FoldExpr(op, binder, x, t, begin, ir.Tie.FIRST)
            case other:
                assert_never(other)

    def _max_of(self, node: syntax.MaxOf, env: Env) -> ir.Expr | None:
        if node.word.text == "sum":
            return self._fail("T413", "`sum` adds one value for each of many", node.word.span, help="use `+`")
        checked = [self.check(x, env) for x in (node.first, *node.others)]
        operands = [x for x in checked if x is not None]
        if len(operands) < len(checked):
            return None
        if not isinstance(types.strip(types.of(operands[0])), ir.CombinationType):
            operands = [self._unwrapped(x) for x in operands]
        t = types.of(operands[0])
        for x, at in zip(operands, (node.first, *node.others), strict=True):
            joined = types.join(t, types.of(x))
            if joined is None or not types.is_ordered(joined):
                return self._fail("T401", f"{types.an(types.of(x))} cannot be compared here", at.span)
            t = joined
        return ir.ExtremeExpr(node.word.text == "max", tuple(operands), t)

    # ----------------------------------------------------------------------------------- combinations

    def _best(self, cards: syntax.Expr, binder: syntax.Binder | None, env: Env) -> ir.Expr | None:
        pile = self.expect(cards, env, types.CARDS)
        if not self.symbols.kinds:
            return self._no_combinations(cards.span)
        bound = None
        if binder is not None:
            checked = self.binder(binder, env)
            if checked is None:
                return None
            bound = checked[0]
            if not isinstance(bound.domain, ir.KindType):
                return self._fail("T401", "`best … for` says which kinds may be taken", binder.span,
                                  help="write `best(CARDS for kind k where …)`")  # fmt: skip
        if pile is None:
            return None
        # A condition on the kinds may leave out "none of these" too.
        fallback = any(k.pattern is None for k in self.symbols.kinds) and (bound is None or bound.where is None)
        return ir.BestExpr(pile, bound, types.COMBINATION if fallback else types.OPTIONAL_COMBINATION)

    def _no_combinations(self, span: Span) -> None:
        if not self.symbols.is_broken("combinations"):
            self.symbols.broken.add("combinations")
            self._fail("N306", "this game has no combinations", span)

    def _split(self, cards: syntax.Expr, column: syntax.Token, env: Env) -> ir.Expr | None:
        pile = self.expect(cards, env, types.CARDS)
        if column.text not in self.symbols.columns:
            return self._fail("N312", f"the combinations have no column `{column.text}`", column.span,
                              help=did_you_mean(column.text, self.symbols.columns))  # fmt: skip
        self.symbols.read.add(f"column {column.text}")
        return None if pile is None else ir.SplitExpr(pile, column.text)


def cites(token: syntax.Cites) -> tuple[str, ...]:
    """The clauses that a citation names."""
    return () if token is None else tuple(part.strip() for part in token.text.strip("[] ").split(","))


def things(n: int) -> str:
    """A number of things, in a word."""
    return ("none", "one", "two", "three")[n] if n < 4 else str(n)


def values(n: int) -> str:
    """A number of values, in words."""
    return "no values" if n == 0 else f"{things(n)} value{'s' if n > 1 else ''}"

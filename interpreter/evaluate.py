"""What expressions mean: each `ir.Expr` becomes, once, a Python function from a state to a value.

Names bound inside expressions live in one scratch list that all these functions share. A place in it belongs to
one binder or parameter of one expression, which is enough because no definition calls itself. So one `Compiler`
serves one thread at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, assert_never

from dsl import ir, types
from interpreter import folds
from interpreter.operators import ARITHMETIC, COMPARISONS, ORDERINGS, UNARY
from interpreter.places import compile_place
from interpreter.state import Evaluator, Family, Layout, State
from interpreter.values import UNSET, Fault, as_cards, is_combination, order_key, plain, strength

_PLAIN = ARITHMETIC | COMPARISONS


class Compiler:
    """Turns expressions of one game into functions. `scratch` holds the values of names bound in expressions.

    `before` is the state that `ir.Before` looks back to, set by whoever checks a property over a step.
    """

    def __init__(self, game: ir.Game, layout: Layout) -> None:
        self.game, self.layout, self.words = game, layout, layout.words
        self.cards, self.combinations = self.words.cards, self.words.combinations
        self.scratch: list[Any] = []
        self.before: State | None = None
        self._scope: dict[str, int] = {}
        self._tables = {t.name: t for t in game.tables}
        self._declared = {f.name: f for f in game.functions}
        self._functions: dict[str, tuple[list[int], Evaluator]] = {}
        self._unary = dict(UNARY) | self._card_operators()

    @contextmanager
    def bound(self, *names: str) -> Iterator[list[int]]:
        """New places of the scratch list for some names, which expressions compiled inside may read."""
        before = dict(self._scope)
        slots = list(range(len(self.scratch), len(self.scratch) + len(names)))
        self.scratch.extend([UNSET] * len(names))
        self._scope.update(zip(names, slots, strict=True))
        try:
            yield slots
        finally:
            self._scope = before

    def compile(self, expr: ir.Expr) -> Evaluator:
        """The function that tells an expression's value in a state; it raises `Fault` where there is none."""
        match expr:
            case ir.Const(value):
                return lambda s: value
            case ir.NumPlayers():
                return lambda s: self.game.num_players
            case ir.Local(name):
                scratch, slot = self.scratch, self._scope[name]
                return lambda s: scratch[slot]
            case ir.Var():
                return self._var(expr)
            case ir.TimeLeft():
                return lambda s: Fraction(s.clock_ms, 1000)
            case ir.UnaryExpr():
                return self._unary_expr(expr)
            case ir.BinaryExpr():
                return self._binary(expr)
            case ir.IfExpr():
                test, then, otherwise = map(self.compile, (expr.condition, expr.then, expr.otherwise))
                return lambda s: then(s) if test(s) else otherwise(s)
            case ir.ColumnExpr():
                return self._column(expr)
            case ir.TableExpr():
                return self._table(expr)
            case ir.CallExpr():
                return self._call(expr)
            case ir.FoldExpr():
                return folds.compile_fold(self, expr)
            case ir.ExtremeExpr():
                return self._extreme(expr)
            case ir.ZoneExpr(name, indices):
                place = self.place(self.layout.zones[name], indices)
                return lambda s: s.zones[place(s)]
            case ir.AllOfZone():
                return self._all_of(expr)
            case ir.PickCards(binder):
                return folds.compile_pick(self, binder)
            case ir.BestExpr():
                return self._best(expr)
            case ir.SplitExpr(inner, column):
                cards, split = self.compile(inner), self.combinations.split
                return lambda s: split(as_cards(cards(s)), column)
            case ir.AsExpr():
                cards, kind, exactly = self.compile(expr.cards), self.compile(expr.kind), self.combinations.exactly
                return lambda s: exactly(kind(s), as_cards(cards(s)))
            case ir.MakeCombination(row, arguments):
                parts, make = [self.compile(a) for a in arguments], self.combinations.make
                return lambda s: make(row, [a(s) for a in parts])
            case ir.Before(inner):
                return self._before(inner)
        assert_never(expr)

    def _before(self, inner: ir.Expr) -> Evaluator:
        value = self.compile(inner)

        def earlier(s: State) -> Any:
            if self.before is None:
                raise Fault("there is no step to look back over")
            return value(self.before)

        return earlier

    # ------------------------------------------------------------------------------ variables and zones

    def place(self, family: Family, indices: tuple[ir.Expr, ...]) -> Evaluator:
        """The function that tells the place of a cell; an index outside its domain is a fault."""
        return compile_place(self, family, indices)

    def _var(self, expr: ir.Var) -> Evaluator:
        place = self.place(self.layout.vars[expr.name], expr.indices)
        name = plain(expr.name)
        if not expr.indices:
            fixed = self.layout.vars[expr.name].base

            def single(s: State) -> Any:
                value = s.vars[fixed]
                if value is UNSET:
                    raise Fault(f"{name} is read before it is set")
                return value

            return single

        def cell(s: State) -> Any:
            value = s.vars[place(s)]
            if value is UNSET:
                raise Fault(f"{name} is read before it is set")
            return value

        return cell

    def _all_of(self, expr: ir.AllOfZone) -> Evaluator:
        family, given = self.layout.zones[expr.zone], len(expr.indices)
        count = family.strides[given - 1] if given else family.num_cells
        first = Family(
            family.name, family.base, family.dims[:given], family.lows[:given], family.sizes[:given],
            family.strides[:given],
        )  # fmt: skip
        place = self.place(first, expr.indices)

        def together(s: State) -> tuple[int, ...]:
            start = place(s)
            return tuple(c for zone in s.zones[start : start + count] for c in zone)

        return together

    # ---------------------------------------------------------------------------------------- operators

    def _card_operators(self) -> dict[ir.Unary, Callable[[Any], Any]]:
        rank, suit, kinds = self.cards.rank, self.cards.suit, self.game.kinds

        def size(value: Any) -> int:
            if isinstance(value, ir.Combination):
                return kinds[value.kind].size
            return len(value) if isinstance(value, tuple) else kinds[value].size

        return {
            ir.Unary.RANK_OF: lambda v: rank[v],
            ir.Unary.SUIT_OF: lambda v: suit[v],
            ir.Unary.SIZE_OF: size,
            # Seats count clockwise.
            ir.Unary.LEFT_OF: lambda v: (v + 1) % self.game.num_players,
            ir.Unary.RIGHT_OF: lambda v: (v - 1) % self.game.num_players,
            ir.Unary.OPPOSITE_OF: lambda v: (v + self.game.num_players // 2) % self.game.num_players,
        }

    def _unary_expr(self, expr: ir.UnaryExpr) -> Evaluator:
        operand, operation = self.compile(expr.operand), self._unary[expr.op]
        if expr.op is ir.Unary.NOT:
            return lambda s: not operand(s)
        if expr.op is ir.Unary.IS_NONE:
            return lambda s: operand(s) is None
        if expr.op is ir.Unary.SIZE_OF:
            of = types.of(expr.operand)
            if isinstance(of, ir.CardsType):
                return lambda s: len(operand(s))
            if isinstance(of, ir.KindType):
                sizes = [k.size for k in self.game.kinds]
                return lambda s: sizes[operand(s)]
        return lambda s: operation(operand(s))

    def _binary(self, expr: ir.BinaryExpr) -> Evaluator:
        left, right, op = self.compile(expr.left), self.compile(expr.right), expr.op
        if op is ir.Binary.AND:
            return lambda s: left(s) and right(s)
        if op is ir.Binary.OR:
            return lambda s: left(s) or right(s)
        if op is ir.Binary.CONTAINS:
            contains = self.combinations.contains
            return lambda s: contains(as_cards(left(s)), right(s))
        look = self.cards.look
        if op is ir.Binary.IN:
            return lambda s: look[left(s)] in [look[c] for c in as_cards(right(s))]
        if isinstance(expr.type, ir.CardsType):
            # A card that is in both is still one card.
            return lambda s: tuple(dict.fromkeys(as_cards(left(s)) + as_cards(right(s))))
        if op in (ir.Binary.EQ, ir.Binary.NE) and _is_card(expr.left) and _is_card(expr.right):
            # Nobody can tell two copies of a face apart, and so the rules cannot.
            wanted = op is ir.Binary.EQ
            return lambda s: (_look(look, left(s)) == _look(look, right(s))) is wanted
        operation = _PLAIN[op]
        if op in ORDERINGS and (is_combination(types.of(expr.left)) or is_combination(types.of(expr.right))):
            return lambda s: operation(strength(left(s)), strength(right(s)))
        if op in (ir.Binary.DIV, ir.Binary.MOD):

            def divided(s: State) -> Any:
                value, divisor = left(s), right(s)
                if divisor == 0:
                    raise Fault("division by 0")
                return operation(value, divisor)

            return divided
        if isinstance(expr.right, ir.Const):
            constant = expr.right.value
            if op is ir.Binary.EQ:
                return lambda s: left(s) == constant
            return lambda s: operation(left(s), constant)
        return lambda s: operation(left(s), right(s))

    def _extreme(self, expr: ir.ExtremeExpr) -> Evaluator:
        operands, key = [self.compile(o) for o in expr.operands], order_key(expr.type)
        pick = max if expr.greatest else min
        return lambda s: pick([o(s) for o in operands], key=key)

    # ------------------------------------------------------------------------ tables and definitions

    def _column(self, expr: ir.ColumnExpr) -> Evaluator:
        operand, name = self.compile(expr.operand), expr.column
        entries = [dict(k.columns).get(name) for k in self.game.kinds]

        def entry(s: State) -> int:
            value = operand(s)
            kind = value.kind if isinstance(value, ir.Combination) else value
            if kind is None:
                raise Fault(f"none where {plain(name)} needs a combination")
            found = entries[kind]
            if found is None:
                raise Fault(f"{plain(self.game.kinds[kind].name)} has no {plain(name)}")
            return found

        return entry

    def _table(self, expr: ir.TableExpr) -> Evaluator:
        table, operand = self._tables[expr.table], self.compile(expr.operand)
        (low, high), rows = self.words.bounds(table.domain), table.rows

        def entry(s: State) -> Any:
            value = operand(s)
            if value is None or not low <= value <= high:
                raise Fault(f"{plain(table.name)} has no such row")
            return rows[int(value) - low]

        return entry

    def _call(self, expr: ir.CallExpr) -> Evaluator:
        arguments = [self.compile(a) for a in expr.arguments]
        if expr.function not in self._functions:
            declared, outside = self._declared[expr.function], self._scope
            self._scope = {}
            try:
                with self.bound(*(name for name, _ in declared.parameters)) as slots:
                    self._functions[expr.function] = slots, self.compile(declared.body)
            finally:
                self._scope = outside
        slots, body = self._functions[expr.function]
        scratch = self.scratch
        if not arguments:
            return body
        if len(arguments) == 1:
            (argument,), (slot,) = arguments, slots

            def call_one(s: State) -> Any:
                scratch[slot] = argument(s)
                return body(s)

            return call_one

        def call(s: State) -> Any:
            # All arguments first: one of them may call the same definition.
            values = [a(s) for a in arguments]
            for place, value in zip(slots, values, strict=True):
                scratch[place] = value
            return body(s)

        return call

    # -------------------------------------------------------------------------------- combinations

    def _best(self, expr: ir.BestExpr) -> Evaluator:
        cards, best, scratch = self.compile(expr.cards), self.combinations.best, self.scratch
        if expr.binder is None or expr.binder.where is None:
            return lambda s: best(as_cards(cards(s)))
        with self.bound(expr.binder.name) as (slot,):
            where = self.compile(expr.binder.where)

        def allowed_best(s: State) -> ir.Combination | None:
            def allowed(kind: int) -> bool:
                scratch[slot] = kind
                return bool(where(s))

            return best(as_cards(cards(s)), allowed)

        return allowed_best


def _is_card(expr: ir.Expr) -> bool:
    return isinstance(types.strip(types.of(expr)), ir.CardType)


def _look(look: list[int], card: int | None) -> int | None:
    return None if card is None else look[card]

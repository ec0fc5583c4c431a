"""Expressions over the count abstraction: what is known of a value when only counts and some variables are known.

An answer that is not `UNKNOWN` holds for every real state that the abstract one stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, TypeAlias, assert_never

from dsl import ir, types
from interpreter.machine import Machine
from interpreter.operators import ARITHMETIC, COMPARISONS, UNARY
from interpreter.values import UNSET, order_key, strength
from verify.capacities import Summed, is_all_full, is_not_full
from verify.unknown import NO_CARDS, UNKNOWN, Held, both, either, held, merged, negated

NOT_WHOLE = "a fraction that should be whole"


def no_row(table: str) -> str:
    """The doubt that a table may be asked beyond its domain."""
    return f"{table} has no such row"


class Impossible(Exception):
    """An obligation certainly fails here; `message` says which."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Counts:
    """A point of play as the abstraction knows it: variables (perhaps unknown) and how many cards lie where."""

    __slots__ = ("counts", "doubts", "vars")

    def __init__(self, variables: list[Any], counts: list[int | None]) -> None:
        self.vars = variables
        self.counts = counts
        self.doubts: set[str] = set()  # obligations that could not be decided while evaluating

    def lay(self, sources: frozenset[int] | None, target: int, named: int | None = None) -> None:
        """What chosen cards are known to lie where, now that cards have moved from some places (None: from all).

        Args:
            sources: Where cards were taken from; None means that all cards were.
            target: Where they lie now.
            named: The variable that named exactly the cards that moved, if there is one.
        """
        for cell, value in enumerate(self.vars):
            if isinstance(value, Held) and value.parts:
                if sources is None or cell == named:
                    self.vars[cell] = held((target, value.count))
                elif sources & value.places:
                    self.vars[cell] = UNKNOWN


Estimate: TypeAlias = Callable[[Counts], Any]


def maybe(estimate: Estimate, s: Counts) -> Any:
    """An estimate of what is perhaps not asked at all: an obligation that fails in it is then only a doubt."""
    try:
        return estimate(s)
    except Impossible as impossible:
        s.doubts.add(impossible.message)
        return UNKNOWN


class Estimator:
    """Turns the expressions of one game into estimates."""

    def __init__(self, machine: Machine, summed: dict[str, Summed]) -> None:
        self.machine, self.game, self.layout = machine, machine.game, machine.layout
        self.summed = summed
        self.scratch: list[Any] = []
        self._scope: dict[str, int] = {}
        self._functions: dict[str, tuple[list[int], Estimate]] = {}
        self._declared = {f.name: f for f in self.game.functions}
        self._tables = {t.name: t for t in self.game.tables}
        self._zones = {z.name: z for z in self.game.zones}
        self._choosing: dict[str, Any] = {}

    @contextmanager
    def bound(self, *names: str) -> Iterator[list[int]]:
        """Places in the scratch list for names, within."""
        before = dict(self._scope)
        slots = list(range(len(self.scratch), len(self.scratch) + len(names)))
        self.scratch.extend([None] * len(names))
        self._scope.update(zip(names, slots, strict=True))
        try:
            yield slots
        finally:
            self._scope = before

    @contextmanager
    def choosing(self, action: ir.Action) -> Iterator[None]:
        """Within, conditions are those of an action, whose arguments are chosen to meet them."""
        self._choosing = {p.variable: p.domain for p in action.parameters}
        try:
            yield
        finally:
            self._choosing = {}

    # ------------------------------------------------------------------------------------------ places

    def place(self, zone: ir.ZoneExpr) -> Callable[[Counts], int | None]:
        """Where a zone's count lies; None where the zone is not known."""
        return self._cell(self.layout.zones[zone.zone], zone.indices, zone.zone in self.summed)

    def cell(self, variable: ir.Var) -> Callable[[Counts], int | None]:
        """Where a variable lies; None where its indices are not known."""
        return self._cell(self.layout.vars[variable.name], variable.indices, False)

    def _cell(self, family: Any, indices: tuple[ir.Expr, ...], summed: bool) -> Callable[[Counts], int | None]:
        used = [self.estimate(i) for i in (indices[:-1] if summed else indices)]
        # A summed family is counted in the first cell of its last index.
        last = (family.lows[-1],) if summed else ()
        base, missing = family.base, f"{family.name} has no such place"
        if not used:
            return lambda s: base
        if len(used) == 1:
            (only,), low, size, stride = used, family.lows[0], family.sizes[0], family.strides[0]

            def find_one(s: Counts) -> int | None:
                value = only(s)
                if value is UNKNOWN:
                    return None
                if not low <= value < low + size:
                    raise Impossible(missing)
                return int(base + (value - low) * stride)

            return find_one

        def find(s: Counts) -> int | None:
            values = [u(s) for u in used]
            if any(v is UNKNOWN for v in values):
                return None
            try:
                return int(family.index([*values, *last]))
            except IndexError:
                raise Impossible(missing) from None

        return find

    def cells_of(self, family: Any, zone: str) -> list[int]:
        """Every place of a family where something is counted."""
        every = range(family.base, family.base + family.num_cells)
        if zone not in self.summed:
            return list(every)
        return list(every)[:: family.sizes[-1]]

    # ------------------------------------------------------------------------------------- expressions

    def estimate(self, expr: ir.Expr) -> Estimate:
        """The estimate of an expression."""
        match expr:
            case ir.Const(value, t):
                card = isinstance(types.strip(t), ir.CardType) and value is not None
                return lambda s: UNKNOWN if card else value
            case ir.Local(name, _):
                slot, scratch = self._scope[name], self.scratch
                return lambda s: scratch[slot]
            case ir.Var():
                return self._variable(expr)
            case ir.NumPlayers():
                return lambda s: self.game.num_players
            case ir.TimeLeft():
                return lambda s: UNKNOWN
            case ir.UnaryExpr():
                return self._unary(expr)
            case ir.BinaryExpr():
                return self._binary(expr)
            case ir.IfExpr(condition, then, otherwise, _):
                c, a, b = self.estimate(condition), self.estimate(then), self.estimate(otherwise)
                return lambda s: merged(maybe(a, s), maybe(b, s)) if (v := c(s)) is UNKNOWN else a(s) if v else b(s)
            case ir.ColumnExpr(column, operand):
                x = self.estimate(operand)
                entries = [dict(k.columns).get(column) for k in self.game.kinds]
                return lambda s: (
                    UNKNOWN if (v := x(s)) is UNKNOWN else entries[v.kind if isinstance(v, ir.Combination) else v]
                )
            case ir.TableExpr(name, operand, _):
                return self._table(name, self.estimate(operand))
            case ir.CallExpr():
                return self._call(expr)
            case ir.FoldExpr():
                return self._fold(expr)
            case ir.ExtremeExpr():
                return self._extreme(expr)
            case ir.ZoneExpr():
                return self._zone(expr)
            case ir.AllOfZone():
                return self._all_of(expr)
            case ir.PickCards(binder):
                return self._pick(binder)
            case ir.BestExpr(cards, binder, _):
                return self._unknown_after(self.estimate(cards), self._body(binder, None))
            case ir.SplitExpr(cards, _):
                return self._unknown_after(self.estimate(cards))
            case ir.AsExpr(cards, kind):
                return self._as(self.estimate(cards), self.estimate(kind))
            case ir.MakeCombination(kind, arguments):
                return self._make(kind, [self.estimate(a) for a in arguments])
            case ir.Before():
                return lambda s: UNKNOWN
            case _:
                assert_never(expr)

    def _zone(self, expr: ir.ZoneExpr) -> Estimate:
        where, summed = self.place(expr), expr.zone in self.summed

        def cards(s: Counts) -> Any:
            place = where(s)
            count = None if place is None else s.counts[place]
            if place is None or count is None or (summed and count):
                return UNKNOWN  # of a family that is summed it is not known which zone holds how many
            return held((place, count))

        return cards

    def _variable(self, expr: ir.Var) -> Estimate:
        family = self.layout.vars[expr.name]
        where = self.cell(expr)
        every = range(family.base, family.base + family.num_cells)

        only = family.base if not expr.indices else None

        def value(s: Counts) -> Any:
            place = where(s) if only is None else only
            found = s.vars[place] if place is not None else s.vars[every[0]]
            if place is None and any(s.vars[i] is not found and s.vars[i] != found for i in every):
                return UNKNOWN
            if found is UNSET:
                raise Impossible(f"{expr.name} is read before it is set")
            return found

        return value

    def _unary(self, expr: ir.UnaryExpr) -> Estimate:
        x, op = self.estimate(expr.operand), expr.op
        n = self.game.num_players
        match op:
            case ir.Unary.NOT:
                return lambda s: negated(x(s))
            case ir.Unary.IS_NONE:
                return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else v is None
            case ir.Unary.UNWRAP:
                return self._unwrap(x)
            case ir.Unary.SIZE_OF:
                return self._size(expr.operand, x)
            case ir.Unary.TOP_OF:
                return self._top(x)
            case ir.Unary.RANK_OF | ir.Unary.SUIT_OF | ir.Unary.CARDS_OF:
                return self._unknown_after(x)
            case ir.Unary.LEFT_OF:
                return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else (v + 1) % n
            case ir.Unary.RIGHT_OF:
                return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else (v - 1) % n
            case ir.Unary.OPPOSITE_OF:
                return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else (v + n // 2) % n
            case ir.Unary.WHOLE:
                return self._whole(x)
            case _:
                operation = UNARY[op]
                return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else operation(v)

    @staticmethod
    def _unwrap(x: Estimate) -> Estimate:
        def unwrap(s: Counts) -> Any:
            value = x(s)
            if value is None:
                raise Impossible("none where a value is needed")
            if value is UNKNOWN:
                s.doubts.add("none where a value is needed")
            return value

        return unwrap

    @staticmethod
    def _whole(x: Estimate) -> Estimate:
        def whole(s: Counts) -> Any:
            value = x(s)
            if value is UNKNOWN:
                s.doubts.add(NOT_WHOLE)
                return UNKNOWN
            if Fraction(value).denominator != 1:
                raise Impossible(f"{value} is not whole")
            return int(value)

        return whole

    def _size(self, operand: ir.Expr, x: Estimate) -> Estimate:
        if isinstance(types.of(operand), ir.KindType):
            sizes = [k.size for k in self.game.kinds]
            return lambda s: UNKNOWN if (v := x(s)) is UNKNOWN else sizes[v]
        if isinstance(operand, ir.ZoneExpr) and operand.zone in self.summed:
            return lambda s: UNKNOWN
        return lambda s: v.count if isinstance(v := x(s), Held) else UNKNOWN

    @staticmethod
    def _top(x: Estimate) -> Estimate:
        def top(s: Counts) -> Any:
            value = x(s)
            if not isinstance(value, Held):
                s.doubts.add("the top of an empty pile")
                return UNKNOWN
            if not value.count:
                raise Impossible("the top of an empty pile")
            return held((value.parts[-1][0], 1)) if len(value.parts) == 1 else UNKNOWN

        return top

    def _binary(self, expr: ir.BinaryExpr) -> Estimate:
        for name, family in self.summed.items():
            if is_not_full(expr, self._zones[name]):
                assert isinstance(expr.left, ir.UnaryExpr) and isinstance(expr.left.operand, ir.ZoneExpr)
                return self._room(family, self._zones[name], expr.left.operand)
        a, b, op = self.estimate(expr.left), self.estimate(expr.right), expr.op
        match op:
            case ir.Binary.AND:
                return lambda s: False if (v := a(s)) is False else b(s) if v is True else both(v, maybe(b, s))
            case ir.Binary.OR:
                return lambda s: True if (v := a(s)) is True else b(s) if v is False else either(v, maybe(b, s))
            case ir.Binary.CONTAINS:
                return self._unknown_after(a, b)
            case ir.Binary.IN:

                def is_in(s: Counts) -> Any:
                    a(s)
                    cards = b(s)
                    return False if isinstance(cards, Held) and not cards.count else UNKNOWN

                return is_in
            case _:
                pass
        if isinstance(expr.type, ir.CardsType):
            return lambda s: _together(a(s), b(s))
        if op in COMPARISONS:
            return self._comparison(op, a, b, types.of(expr.left), types.of(expr.right))
        return self._arithmetic(op, a, b)

    def _room(self, family: Summed, zone: ir.Zone, asked: ir.ZoneExpr) -> Estimate:
        """Whether one of a summed family is not full. An index that is left open may be chosen so that it is one."""
        where, last = self.place(asked), asked.indices[-1]
        is_free = isinstance(last, ir.Var) and self._choosing.get(last.name) == zone.dims[-1]
        which = self.estimate(last)

        def room(s: Counts) -> Any:
            place = where(s)
            count = None if place is None else s.counts[place]
            if count is None:
                return UNKNOWN
            if count == family.capacity:
                return False
            is_some = count == 0 and all(family.capacities)
            return True if is_some or (is_free and which(s) is UNKNOWN) else UNKNOWN

        return room

    @staticmethod
    def _comparison(op: ir.Binary, a: Estimate, b: Estimate, left: ir.Type, right: ir.Type) -> Estimate:
        operation = COMPARISONS[op]
        if isinstance(types.strip(left), ir.CardType):
            return Estimator._unknown_after(a, b)
        ranked = isinstance(types.strip(left), ir.CombinationType) and op not in (ir.Binary.EQ, ir.Binary.NE)

        def compare(s: Counts) -> Any:
            x, y = a(s), b(s)
            if x is UNKNOWN or y is UNKNOWN:
                return UNKNOWN
            return operation(strength(x), strength(y)) if ranked else operation(x, y)

        return compare

    @staticmethod
    def _arithmetic(op: ir.Binary, a: Estimate, b: Estimate) -> Estimate:
        operation = ARITHMETIC[op]
        divides = op in (ir.Binary.DIV, ir.Binary.MOD, ir.Binary.DIVIDE)

        def compute(s: Counts) -> Any:
            x, y = a(s), b(s)
            if divides and y == 0 and y is not UNKNOWN:
                raise Impossible("division by 0")
            if x is UNKNOWN or y is UNKNOWN:
                if divides and y is UNKNOWN:
                    s.doubts.add("division by 0")
                return UNKNOWN
            return operation(x, y)

        return compute

    # ------------------------------------------------------------------------------ tables, definitions

    def _table(self, name: str, x: Estimate) -> Estimate:
        table = self._tables[name]
        low, high = self.machine.words.bounds(table.domain)

        def look_up(s: Counts) -> Any:
            value = x(s)
            if value is UNKNOWN:
                s.doubts.add(no_row(name))
                return UNKNOWN
            if not low <= value <= high:
                raise Impossible(no_row(name))
            return table.rows[value - low]

        return look_up

    def _call(self, expr: ir.CallExpr) -> Estimate:
        arguments = [self.estimate(a) for a in expr.arguments]
        if expr.function not in self._functions:
            declared, outside = self._declared[expr.function], self._scope
            self._scope = {}
            with self.bound(*(name for name, _ in declared.parameters)) as slots:
                self._functions[expr.function] = slots, self.estimate(declared.body)
            self._scope = outside
        slots, body = self._functions[expr.function]
        scratch = self.scratch

        def call(s: Counts) -> Any:
            values = [a(s) for a in arguments]
            for slot, value in zip(slots, values, strict=True):
                scratch[slot] = value
            return body(s)

        return call

    def _as(self, cards: Estimate, kind: Estimate) -> Estimate:
        sizes = [k.size for k in self.game.kinds]

        def exactly(s: Counts) -> Any:
            pile, k = cards(s), kind(s)
            if isinstance(pile, Held) and k is not UNKNOWN and sizes[k] and pile.count != sizes[k]:
                return None
            return UNKNOWN

        return exactly

    def _make(self, kind: int, arguments: list[Estimate]) -> Estimate:
        def make(s: Counts) -> Any:
            values = [a(s) for a in arguments]
            if any(v is UNKNOWN for v in values):
                return UNKNOWN
            return self.machine.words.combinations.make(kind, tuple(values))

        return make

    def _all_of(self, expr: ir.AllOfZone) -> Estimate:
        family = self.layout.zones[expr.zone]
        given = [self.estimate(i) for i in expr.indices]
        cells = self.cells_of(family, expr.zone)

        def all_of(s: Counts) -> Any:
            values = [g(s) for g in given]
            if any(v is UNKNOWN for v in values):
                return UNKNOWN
            wanted = [c for c in cells if self.layout.zone_cells[c].indices[: len(values)] == tuple(values)]
            counts = [(c, s.counts[c]) for c in wanted]
            return (
                held(*((c, n) for c, n in counts if n is not None))
                if all(n is not None for _, n in counts)
                else UNKNOWN
            )

        return all_of

    def _pick(self, binder: ir.Binder) -> Estimate:
        assert not isinstance(binder.domain, ir.Domain)
        pile, plain, body = self.estimate(binder.domain), binder.where is None, self._body(binder, None)

        def pick(s: Counts) -> Any:
            cards = pile(s)
            if isinstance(cards, Held) and (plain or not cards.count):
                return cards
            return body(s)

        return pick

    @staticmethod
    def _unknown_after(*operands: Estimate) -> Estimate:
        """What has no estimate, but for the obligations of its operands."""

        def unknown(s: Counts) -> Any:
            for operand in operands:
                operand(s)
            return UNKNOWN

        return unknown

    def _body(self, binder: ir.Binder | None, body: ir.Expr | None) -> Estimate:
        """What is asked of items of which nothing is known: unknown, but its obligations may fail."""
        if binder is None:
            return lambda s: UNKNOWN
        with self.bound(binder.name) as (slot,):
            asked = [self.estimate(x) for x in (binder.where, body) if x is not None]
        scratch = self.scratch

        def unknown(s: Counts) -> Any:
            for one in asked:
                scratch[slot] = UNKNOWN
                maybe(one, s)
            return UNKNOWN

        return unknown

    def _extreme(self, expr: ir.ExtremeExpr) -> Estimate:
        operands = [self.estimate(o) for o in expr.operands]
        key, pick = order_key(expr.type), max if expr.greatest else min

        def extreme(s: Counts) -> Any:
            values = [o(s) for o in operands]
            return UNKNOWN if any(v is UNKNOWN for v in values) else pick(values, key=key)

        return extreme

    # ------------------------------------------------------------------------------------------- folds

    def items(
        self, binder: ir.Binder, start: ir.Expr | None = None
    ) -> Callable[[Counts], list[tuple[Any, Any]] | None]:
        """The values of a binder, each with whether it meets `where`; None for a collection of unknown cards."""
        if not isinstance(binder.domain, ir.Domain):
            return lambda s: None
        values = self.machine.words.domain(binder.domain)
        first = None if start is None else self.estimate(start)
        with self.bound(binder.name) as (slot,):
            where: Estimate = (lambda s: True) if binder.where is None else self.estimate(binder.where)
        scratch = self.scratch

        def found(s: Counts) -> list[tuple[Any, Any]] | None:
            order = values
            if first is not None:
                begin = first(s)
                if begin is UNKNOWN:
                    return None
                order = values[begin:] + values[:begin]
            out = []
            for value in order:
                scratch[slot] = value
                out.append((value, where(s)))
            return out

        return found

    def _fold(self, expr: ir.FoldExpr) -> Estimate:
        for name, family in self.summed.items():
            if is_all_full(expr, self._zones[name]):
                return self._all_full(name, family, expr)
        if not isinstance(expr.binder.domain, ir.Domain):
            return self._fold_cards(expr)
        items = self.items(expr.binder, expr.start)
        with self.bound(expr.binder.name) as (slot,):
            body: Estimate = (lambda s: True) if expr.body is None else self.estimate(expr.body)
        scratch = self.scratch
        stops = {ir.FoldOp.SOME: True, ir.FoldOp.EVERY: False}.get(expr.op)

        def bodies(s: Counts) -> list[tuple[Any, Any, Any]] | None:
            found = items(s)
            if found is None:
                return None
            out: list[tuple[Any, Any, Any]] = []
            for value, where in found:
                if where is not False:
                    scratch[slot] = value
                    # A fold that has its answer asks no further.
                    is_sure = where is True and all(b is not UNKNOWN for _, _, b in out)
                    out.append((value, where, body(s) if is_sure else maybe(body, s)))
                    if (stops is not None and where is True) and out[-1][2] is stops:
                        break
            return out

        return lambda s: UNKNOWN if (found := bodies(s)) is None else _folded(expr, found)

    def _all_full(self, name: str, family: Summed, expr: ir.FoldExpr) -> Estimate:
        assert isinstance(expr.body, ir.BinaryExpr) and isinstance(expr.body.left, ir.UnaryExpr)
        zone = expr.body.left.operand
        assert isinstance(zone, ir.ZoneExpr)
        with self.bound(expr.binder.name):
            where = self.place(zone)
        return lambda s: UNKNOWN if (p := where(s)) is None or (n := s.counts[p]) is None else n == family.capacity

    def _most_of_one_rank(self) -> int:
        """How many cards of the pack share a rank, at most."""
        ranks = [self.machine.words.cards.rank[c] for c in self.machine.words.cards.pack]
        return max(map(ranks.count, set(ranks)), default=0)

    def _fold_cards(self, expr: ir.FoldExpr) -> Estimate:
        """Over cards only their number is known."""
        assert not isinstance(expr.binder.domain, ir.Domain)
        pile, plain = self.estimate(expr.binder.domain), expr.binder.where is None
        empty: dict[ir.FoldOp, Any] = {
            ir.FoldOp.COUNT: 0, ir.FoldOp.SOME: False, ir.FoldOp.EVERY: True, ir.FoldOp.SUM: 0,
        }  # fmt: skip

        alike = plain and expr.op is ir.FoldOp.EVERY and _alike(expr)
        most, body = self._most_of_one_rank(), self._body(expr.binder, expr.body)

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


def _alike(expr: ir.FoldExpr) -> bool:
    """Whether a fold asks if all cards of a pile have the rank of the pile's own top card."""
    match expr.body:
        case ir.BinaryExpr(ir.Binary.EQ, ir.UnaryExpr(ir.Unary.RANK_OF, ir.Local(name, _), _),
                           ir.UnaryExpr(ir.Unary.RANK_OF, ir.UnaryExpr(ir.Unary.TOP_OF, pile, _), _), _):  # fmt: skip
            return name == expr.binder.name and pile == expr.binder.domain
        case _:
            return False


def _together(a: Any, b: Any) -> Any:
    if not (isinstance(a, Held) and isinstance(b, Held)):
        return UNKNOWN
    if a.places & b.places:
        return UNKNOWN  # cards of one place may be the same ones, and are then not so many together
    return held(*a.parts, *b.parts) if a.count or b.count else NO_CARDS


def _folded(expr: ir.FoldExpr, found: list[tuple[Any, Any, Any]]) -> Any:
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

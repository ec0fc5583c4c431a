"""Expressions over the count abstraction: what is known of a value when only counts and some variables are known.

An answer that is not `UNKNOWN` holds for every real state that the abstract one stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, assert_never

from dsl import ir, types
from interpreter.machine import Machine
from interpreter.state import Family
from verify.capacities import Summed, is_all_full, is_not_full
from verify.counts import Counts, Estimate, maybe, no_place, unknown_after
from verify.estimate_folds import over_cards, over_values
from verify.estimate_operators import as_kind, binary, column, extreme, look_up, unary
from verify.estimate_places import Finder, cards_at, cards_of_all, cells_of, finder, has_room, is_full, value_at
from verify.unknown import UNKNOWN, Held, merged


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

    def place(self, zone: ir.ZoneExpr) -> Finder:
        """Where a zone's count lies; None where the zone is not known."""
        is_summed = zone.zone in self.summed
        used = zone.indices[:-1] if is_summed else zone.indices
        family = self.layout.zones[zone.zone]
        found = finder(family, [self.estimate(i) for i in used], is_summed)
        return self._doubted(found, family, zone.indices, is_summed)

    def cell(self, variable: ir.Var) -> Finder:
        """Where a variable lies; None where its indices are not known."""
        family = self.layout.vars[variable.name]
        found = finder(family, [self.estimate(i) for i in variable.indices], False)
        return self._doubted(found, family, variable.indices, False)

    def _doubted(self, found: Finder, family: Family, indices: tuple[ir.Expr, ...], is_summed: bool) -> Finder:
        """The same, with the doubt that there may be no such place, where its indices are not known to be any."""
        if all(map(self._fits, indices, family.dims)):
            return found
        missing, unseen = no_place(family.name), is_summed and not self._fits(indices[-1], family.dims[-1])

        def find(s: Counts) -> int | None:
            place = found(s)
            if place is None or unseen:
                s.doubts.add(missing)
            return place

        return find

    def _fits(self, index: ir.Expr, domain: ir.Domain) -> bool:
        """Whether an index is one of a domain, whatever it is, by its type."""
        if isinstance(index, ir.Const) and isinstance(index.value, int):
            low, high = self.machine.words.bounds(domain)
            return low <= index.value <= high
        return not isinstance(domain, ir.IntType) or types.join(types.strip(types.of(index)), domain) == domain

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
                return value_at(self.layout.vars[expr.name], self.cell(expr), not expr.indices)
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
            case ir.ColumnExpr(name, operand):
                return column(name, self.estimate(operand), self.game)
            case ir.TableExpr(name, operand, _):
                table = self._tables[name]
                return look_up(table, self.machine.words.bounds(table.domain), self.estimate(operand))
            case ir.CallExpr():
                return self._call(expr)
            case ir.FoldExpr():
                return self._fold(expr)
            case ir.ExtremeExpr():
                return extreme(expr, [self.estimate(o) for o in expr.operands])
            case ir.ZoneExpr():
                return cards_at(self.place(expr), expr.zone in self.summed)
            case ir.AllOfZone():
                return self._all_of(expr)
            case ir.PickCards(binder):
                return self._pick(binder)
            case ir.BestExpr(cards, binder, _):
                return unknown_after(self.estimate(cards), self._body(binder, None))
            case ir.SplitExpr(cards, _):
                return unknown_after(self.estimate(cards))
            case ir.AsExpr(cards, kind):
                return as_kind(self.estimate(cards), self.estimate(kind), self.game)
            case ir.MakeCombination(kind, arguments):
                return self._make(kind, [self.estimate(a) for a in arguments])
            case ir.Before():
                return lambda s: UNKNOWN
            case _:
                assert_never(expr)

    def _unary(self, expr: ir.UnaryExpr) -> Estimate:
        x = self.estimate(expr.operand)
        if expr.op is ir.Unary.SIZE_OF and isinstance(expr.operand, ir.ZoneExpr) and expr.operand.zone in self.summed:
            return lambda s: UNKNOWN
        return unary(expr, x, self.game)

    def _binary(self, expr: ir.BinaryExpr) -> Estimate:
        for name, family in self.summed.items():
            if is_not_full(expr, self._zones[name]):
                assert isinstance(expr.left, ir.UnaryExpr) and isinstance(expr.left.operand, ir.ZoneExpr)
                return self._room(family, self._zones[name], expr.left.operand)
        return binary(expr, self.estimate(expr.left), self.estimate(expr.right))

    def _room(self, family: Summed, zone: ir.Zone, asked: ir.ZoneExpr) -> Estimate:
        """Whether one of a summed family is not full. An index that is left open may be chosen so that it is one."""
        where, last = self.place(asked), asked.indices[-1]
        is_free = isinstance(last, ir.Var) and self._choosing.get(last.name) == zone.dims[-1]
        return has_room(family, where, self.estimate(last) if is_free else None)

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
        found = cards_of_all(self.layout, cells_of(family, expr.zone in self.summed), given)
        if all(map(self._fits, expr.indices, family.dims)):
            return found

        def cards(s: Counts) -> Any:
            s.doubts.add(no_place(family.name))
            return found(s)

        return cards

    def _pick(self, binder: ir.Binder) -> Estimate:
        assert not isinstance(binder.domain, ir.Domain)
        pile, plain, body = self.estimate(binder.domain), binder.where is None, self._body(binder, None)

        def pick(s: Counts) -> Any:
            cards = pile(s)
            if isinstance(cards, Held) and (plain or not cards.count):
                return cards
            return body(s)

        return pick

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
                return self._all_full(family, expr)
        if not isinstance(expr.binder.domain, ir.Domain):
            body = self._body(expr.binder, expr.body)
            return over_cards(expr, self.estimate(expr.binder.domain), body, self.machine)
        items = self.items(expr.binder, expr.start)
        with self.bound(expr.binder.name) as (slot,):
            asked: Estimate = (lambda s: True) if expr.body is None else self.estimate(expr.body)
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
                    out.append((value, where, asked(s) if is_sure else maybe(asked, s)))
                    if (stops is not None and where is True) and out[-1][2] is stops:
                        break
            return out

        return lambda s: UNKNOWN if (found := bodies(s)) is None else over_values(expr, found)

    def _all_full(self, family: Summed, expr: ir.FoldExpr) -> Estimate:
        assert isinstance(expr.body, ir.BinaryExpr) and isinstance(expr.body.left, ir.UnaryExpr)
        zone = expr.body.left.operand
        assert isinstance(zone, ir.ZoneExpr)
        with self.bound(expr.binder.name):
            where = self.place(zone)
        return is_full(family, where)

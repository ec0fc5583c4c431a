"""Expressions as Z3 terms: what is known stays an ordinary value, what is not becomes a term, cards stay opaque.

An opaque term stands for whatever cards may say: the same question about the same cards is the same term, and
nothing else is known of it but its range. So a proof holds for every deal; a model of a failed one may be no play.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any

import z3

from dsl import ir, types
from interpreter.machine import Machine
from interpreter.operators import UNARY
from interpreter.values import UNSET, Fault
from verify.env import Env
from verify.folded import (
    Lying,
    Optional,
    Strength,
    Unsupported,
    choose,
    conj,
    disj,
    equal,
    is_term,
    less,
    lift,
    neg,
    optional,
    strength,
)
from verify.opaque import Opaque
from verify.terms_folds import over_values
from verify.terms_operators import arithmetic, look_up
from verify.terms_piles import places_in, some_of, together


class Terms(Opaque):
    """Terms of the expressions of one game."""

    def __init__(self, machine: Machine, left_out: frozenset[str] = frozenset()) -> None:
        super().__init__(machine, left_out)
        self.num_players: Any = machine.game.num_players
        self._not_kept = frozenset(i for i, v in enumerate(self.layout.cell_vars) if v.name in left_out)
        self._tables = {t.name: t for t in self.game.tables}
        self.before: list[tuple[ir.Expr, Any]] = []
        self._needs: list[Any] = []
        self._strict = True
        self._guards: list[Any] = []
        self.missing: list[tuple[ir.Expr, Any]] = []  # values that were needed, and when there would be none

    # ------------------------------------------------------------------------------------- expressions

    def defined(self, expr: ir.Expr, env: Env) -> tuple[Any, Any]:
        """The value of an expression, and the condition under which it is sure not to fault for want of a value."""
        outer, self._needs = self._needs, []
        try:
            value = self.term(expr, env)
            return value, conj(*self._needs)
        finally:
            self._needs = outer

    @contextmanager
    def _perhaps(self, guard: Any = True) -> Iterator[None]:
        """Within, what is evaluated may not be needed, so that its needs bind nobody. It is not where `guard` fails."""
        outer, self._strict = self._strict, False
        self._guards.append(guard)
        try:
            yield
        finally:
            self._strict = outer
            self._guards.pop()

    def _maybe(self, expr: ir.Expr, env: Env, guard: Any) -> Any:
        with self._perhaps(guard):
            return self.term(expr, env)

    def term(self, expr: ir.Expr, env: Env) -> Any:
        """The value of an expression, or the term for it."""
        match expr:
            case ir.Const(value, _):
                return value
            case ir.Local(name, _):
                return self._scope[name]
            case ir.Var():
                return self._variable(expr, env)
            case ir.NumPlayers():
                return self.num_players
            case ir.UnaryExpr():
                return self._unary(expr, env)
            case ir.BinaryExpr():
                return self._binary(expr, env)
            case ir.IfExpr(condition, then, otherwise, _):
                yes = self.term(condition, env)
                return choose(yes, self._maybe(then, env, yes), self._maybe(otherwise, env, neg(yes)))
            case ir.ColumnExpr(column, operand):
                return self._column(column, self.term(operand, env))
            case ir.TableExpr(name, operand, _):
                table = self._tables[name]
                low, _ = self.machine.words.bounds(table.domain)
                return look_up(table.rows, low, self.term(operand, env))
            case ir.CallExpr(function, arguments, _):
                declared = self._functions[function]
                values = {n: self.term(a, env) for (n, _), a in zip(declared.parameters, arguments, strict=True)}
                outer, self._scope = self._scope, values
                try:
                    return self.term(declared.body, env)
                finally:
                    self._scope = outer
            case ir.FoldExpr():
                return self._fold(expr, env)
            case ir.ExtremeExpr(greatest, operands, _):
                best = self.term(operands[0], env)
                for operand in operands[1:]:
                    other = self.term(operand, env)
                    better = less(best, other, False) if greatest else less(other, best, False)
                    best = choose(better, other, best)
                return best
            case ir.MakeCombination(kind, arguments):
                values2 = [self.term(a, env) for a in arguments]
                if any(is_term(v) for v in values2):
                    return self.opaque(expr, env, ir.CombinationType(), "call")
                return self.machine.words.combinations.make(kind, tuple(values2))
            case ir.Before(operand, _):
                if not self._is_one_seat(operand):
                    return self.fresh(types.of(operand), "before")
                for known, value in self.before:
                    if known is operand:
                        kept = env.ghosts.get((value, self.scope_key()), UNSET)
                        if kept is UNSET:
                            raise Unsupported("a loop that begins inside the rule")
                        return kept
                raise Unsupported("a value before the step that was not kept")
            case ir.AsExpr(_, kind2):
                found = self.opaque(expr, env, types.of(expr), "as")
                # What these cards are, if they are it, is of that kind.
                self.facts.append(z3.Or(found.none, equal(found.value.kind, lift(self.term(kind2, env)))))
                return found
            case ir.ZoneExpr() | ir.AllOfZone():
                return Lying(self.opaque(expr, env, types.CARDS, "cards"), self._lying(expr, env), env.epoch)
            case ir.PickCards():
                return self._picked(expr, env)
            case ir.TimeLeft():
                return self._time_left(expr, env)
            case ir.BestExpr(_, binder, _):
                found = self.opaque(expr, env, expr.type, "best")
                if isinstance(found, Optional) and binder is not None and binder.where is not None:
                    self._admitted(found, binder, env)
                return found
            case ir.SplitExpr():
                return self.opaque(expr, env, types.of(expr), "split")
        raise Unsupported(type(expr).__name__)

    def _time_left(self, expr: ir.TimeLeft, env: Env) -> Any:
        """The seconds left: never more than at first, and never less than none."""
        found = self.opaque(expr, env, ir.FractionType(), "time_left")
        clock = self.game.clock
        self.facts += [found >= 0, found <= lift(Fraction(0 if clock is None else clock.start, 1000))]
        return found

    def _admitted(self, found: Optional, binder: ir.Binder, env: Env) -> None:
        """The strongest of what is admitted is of a kind that is."""
        for kind in range(len(self.game.kinds)):
            with self.bound(**{binder.name: kind}), self._perhaps():
                admitted = self.term(binder.where, env) if binder.where is not None else True
            if admitted is not True:
                self.facts.append(z3.Or(lift(found.none), found.value.kind != kind, lift(admitted)))

    def cell(self, env: Env, place: int) -> Any:
        """The value of a variable at a place."""
        if place not in self._not_kept:
            return env.cells[place]
        return self.fresh(self.layout.cell_vars[place].type, "left out")

    def count(self, env: Env, place: int) -> Any:
        """How many cards lie at a place."""
        return env.counts[place]

    def is_kept(self, place: int, of_cards: bool = False) -> bool:
        """Whether what is at a place of variables, or of cards, is one thing that can be known."""
        return of_cards or place not in self._not_kept

    def _variable(self, expr: ir.Var, env: Env) -> Any:
        family = self.layout.vars[expr.name]
        indices = [self.term(i, env) for i in expr.indices]
        if not any(is_term(i) for i in indices):
            try:
                found = self.cell(env, family.index(indices))
            except (IndexError, TypeError):
                found = UNSET
            # What faults yields anything: play does not go on from there.
            return self.fresh(expr.type, expr.name) if found is UNSET else found
        if len(indices) != 1:
            return self.opaque(expr, env, expr.type, expr.name)
        index, low = indices[0], family.lows[0]
        if isinstance(index, Optional):
            index = index.value
        found = self.cell(env, family.base)
        for i in range(1, family.num_cells):
            found = choose(lift(index) == low + i, self.cell(env, family.base + i), found)
        return found

    def _unary(self, expr: ir.UnaryExpr, env: Env) -> Any:
        op = expr.op
        if op in (ir.Unary.RANK_OF, ir.Unary.SUIT_OF, ir.Unary.TOP_OF, ir.Unary.CARDS_OF):
            found = self.opaque(expr, env, expr.type, op.value.replace(" ", "_"))
            return self._top(found, self.term(expr.operand, env)) if op is ir.Unary.TOP_OF else found
        if op is ir.Unary.SIZE_OF and isinstance(types.of(expr.operand), ir.CardsType):
            return self._size(expr, env)
        x = self.term(expr.operand, env)
        match op:
            case ir.Unary.NOT:
                return neg(x)
            case ir.Unary.NEGATE:
                return -x
            case ir.Unary.IS_NONE:
                return optional(x).none if isinstance(x, Optional) or x is None else False
            case ir.Unary.UNWRAP:
                return self._unwrapped(expr, x)
            case ir.Unary.KIND_OF:
                return strength(x).kind
            case ir.Unary.SIZE_OF:
                return look_up(tuple(k.size for k in self.game.kinds), 0, x)
            case ir.Unary.HEIGHT_OF:
                return x + 1
            case ir.Unary.LEFT_OF | ir.Unary.RIGHT_OF | ir.Unary.OPPOSITE_OF:
                return self._seat_by(op, x)
            case _ if not is_term(x):
                try:
                    return UNARY[op](x)
                except Fault:
                    if self._strict:
                        self._needs.append(False)
                    return self.fresh(expr.type, op.value)
            case ir.Unary.WHOLE | ir.Unary.FLOOR:
                return z3.ToInt(x) if z3.is_real(x) else x
            case _:
                return self.opaque(expr, env, expr.type, op.value)

    def _seat_by(self, op: ir.Unary, x: Any) -> Any:
        """The seat beside another, or across the table."""
        n = self.game.num_players
        return (x + {ir.Unary.LEFT_OF: 1, ir.Unary.RIGHT_OF: n - 1, ir.Unary.OPPOSITE_OF: n // 2}[op]) % n

    def _is_one_seat(self, expr: ir.Expr) -> bool:
        """Whether each name of a seat in an expression stands for one."""
        return True

    def _equal(self, a: Any, b: Any, t: ir.Type) -> Any:
        return equal(a, b)

    def _size(self, expr: ir.UnaryExpr, env: Env) -> Any:
        pile = self.term(expr.operand, env)
        count = pile.count if isinstance(pile, Lying) else None
        return self.opaque(expr, env, ir.IntType(0, None), "size") if count is None else count

    def _top(self, found: Any, pile: Any) -> Any:
        """The card on top of a pile that is not empty."""
        count = pile.count if isinstance(pile, Lying) else None
        if count is None:
            return found
        if self._strict:
            self._needs.append(count >= 1)
        return Lying(found, ((pile.parts[0][0], 1),), pile.since) if len(pile.parts) == 1 else found

    def _unwrapped(self, expr: ir.UnaryExpr, x: Any) -> Any:
        none = x is None or (x.none if isinstance(x, Optional) else False)
        self.missing.append((expr.operand, conj(*self._guards, none)))
        if self._strict and none is not False:
            self._needs.append(neg(none))
        return self.fresh(expr.type, "none") if x is None else x.value if isinstance(x, Optional) else x

    def _binary(self, expr: ir.BinaryExpr, env: Env) -> Any:
        op = expr.op
        if op in (ir.Binary.CONTAINS, ir.Binary.IN):
            return self.opaque(expr, env, expr.type, op.value)
        if isinstance(expr.type, ir.CardsType):
            return self._together(expr, env)
        a = self.term(expr.left, env)
        if op is ir.Binary.AND:
            return (
                False
                if a is False
                else conj(a, self.term(expr.right, env) if a is True else self._maybe(expr.right, env, a))
            )
        if op is ir.Binary.OR:
            return (
                True
                if a is True
                else disj(a, self.term(expr.right, env) if a is False else self._maybe(expr.right, env, neg(a)))
            )
        if isinstance(types.strip(types.of(expr.left)), ir.CardType):
            return self.opaque(expr, env, expr.type, op.value)
        b = self.term(expr.right, env)
        match op:
            case ir.Binary.EQ:
                return self._equal(a, b, types.of(expr.left))
            case ir.Binary.NE:
                return neg(self._equal(a, b, types.of(expr.left)))
            case ir.Binary.LT | ir.Binary.LE:
                return less(a, b, op is ir.Binary.LE)
            case ir.Binary.GT | ir.Binary.GE:
                return less(b, a, op is ir.Binary.GE)
            case _:
                found = arithmetic(op, a, b)
                return self.opaque(expr, env, expr.type, op.value) if found is None else found

    # ------------------------------------------------------------------------------------------- cards

    def places(self, zone: ir.ZoneExpr, env: Env) -> list[tuple[int, Any]] | None:
        """The places that a zone may be, each with the condition that it is the one; None where that is not told.

        Raises:
            IndexError: There is no such place.
        """
        return places_in(self.layout.zones[zone.zone], [self.term(i, env) for i in zone.indices])

    def _lying(self, zone: ir.ZoneExpr | ir.AllOfZone, env: Env) -> tuple[tuple[int, Any], ...] | None:
        """How many cards lie where, of one zone or of a family."""
        if isinstance(zone, ir.ZoneExpr):
            try:
                places = self.places(zone, env)
            except IndexError:
                return None
            if places is None:
                return None
            return tuple((p, choose(here, self.count(env, p), 0)) for p, here in places)
        family = self.layout.zones[zone.zone]
        indices = [self.term(i, env) for i in zone.indices]
        if any(is_term(i) for i in indices):
            return None
        cells = range(family.base, family.base + family.num_cells)
        names = self.layout.zone_cells
        named = [p for p in cells if names[p].indices[: len(indices)] == tuple(indices)]
        return tuple((p, self._in_all(env, p, len(indices))) for p in named)

    def _in_all(self, env: Env, place: int, given: int) -> Any:
        """How many cards lie at a place, among all places that `given` indices tell."""
        return self.count(env, place)

    def _together(self, expr: ir.BinaryExpr, env: Env) -> Lying:
        piles = [self.term(operand, env) for operand in (expr.left, expr.right)]
        return together(self.opaque(expr, env, types.CARDS, "cards"), piles, env.epoch)

    def _picked(self, expr: ir.PickCards, env: Env) -> Lying:
        """Some of the cards of a pile."""
        cards = self.opaque(expr, env, types.CARDS, "cards")
        pile = self.term(expr.binder.domain, env) if not isinstance(expr.binder.domain, ir.Domain) else None

        def how_many(i: int) -> Any:
            name = ("picked", i, self._frozen(cards))
            if name not in self._opaque:
                self._opaque[name] = self.fresh(ir.IntType(0, None), "picked")
            return self._opaque[name]

        return some_of(pile, cards, how_many)

    def _column(self, column: str, x: Any) -> Any:
        entries = tuple(dict(k.columns).get(column, 0) for k in self.game.kinds)
        kind = strength(x).kind if isinstance(x, Strength | ir.Combination) else x
        return look_up(entries, 0, kind)

    # ------------------------------------------------------------------------------------------- folds

    def items(self, binder: ir.Binder, env: Env, start: ir.Expr | None = None) -> list[tuple[Any, Any]]:
        """The values of a binder with whether each counts, in order."""
        if not isinstance(binder.domain, ir.Domain):
            raise Unsupported("a collection of unknown cards")
        values = list(self.machine.words.domain(binder.domain))
        if start is not None:
            first = self.term(start, env)
            if is_term(first):
                raise Unsupported("a round that begins at an unknown seat")
            values = values[first:] + values[:first]
        out = []
        for value in values:
            with self.bound(**{binder.name: value}), self._perhaps():
                out.append((value, True if binder.where is None else self.term(binder.where, env)))
        return out

    def _fold(self, expr: ir.FoldExpr, env: Env) -> Any:
        if not isinstance(expr.binder.domain, ir.Domain):
            return self._fold_cards(expr, env)
        try:
            items = self.items(expr.binder, env, expr.start)
        except Unsupported:
            return self.opaque(expr, env, expr.type, expr.op.value)
        bodies: list[Any] = []
        for value, where in items:
            with self.bound(**{expr.binder.name: value}), self._perhaps(where):
                bodies.append(True if expr.body is None else self.term(expr.body, env))
        return over_values(expr, items, bodies, partial(self._add, expr), partial(self._is_several, expr))

    def _add(self, fold: ir.FoldExpr, value: Any, x: Any) -> Any:
        """What all that a value of a fold's binder stands for add, where one adds `x`."""
        return x

    def _is_several(self, fold: ir.FoldExpr, value: Any) -> Any:
        """Whether a value of a fold's binder stands for several of which the same is so."""
        return False

    def _fold_cards(self, expr: ir.FoldExpr, env: Env) -> Any:
        """Over unknown cards or combinations: opaque, within what each of them can add."""
        x = self.opaque(expr, env, expr.type, expr.op.value)
        if expr.op is ir.FoldOp.SUM and isinstance(expr.body, ir.ColumnExpr):
            entries = [dict(k.columns).get(expr.body.column, 0) for k in self.game.kinds]
            if min(entries) >= 0:
                self.facts.append(x >= 0)
        return x

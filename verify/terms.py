"""Expressions as Z3 terms: what is known stays an ordinary value, what is not becomes a term, cards stay opaque.

An opaque term stands for whatever cards may say: the same question about the same cards is the same term, and
nothing else is known of it but its range. So a proof holds for every deal; a model of a failed one may be no play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from dsl import ir, types
from dsl.walk import parts, variables_read
from interpreter.machine import Machine
from interpreter.operators import UNARY
from interpreter.values import UNSET, Fault
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
    key_number,
    less,
    lift,
    neg,
    optional,
    strength,
)


class Env:
    """Variables as values or terms, how many cards lie where, and two numbers: one that changes when any card moves,
    one that changes when time passes.
    """

    __slots__ = ("cells", "counts", "epoch", "ghosts", "hour")

    def __init__(self, cells: list[Any], counts: list[Any], epoch: int, ghosts: dict[Any, Any], hour: int = 0) -> None:
        self.cells, self.counts, self.epoch, self.ghosts, self.hour = cells, counts, epoch, ghosts, hour

    def copy(self) -> Env:
        return Env(self.cells[:], self.counts[:], self.epoch, self.ghosts, self.hour)


@dataclass(frozen=True, slots=True)
class Asked:
    """A number that was asked of cards, while names stood for values or terms; `term` stands for it.

    `since` is the number of the position that was asked about.
    """

    expression: ir.Expr
    names: Mapping[str, Any]
    term: Any
    since: int = 0


class Terms:
    """Terms of the expressions of one game. `facts` are what is known of the opaque ones.

    Of variables that are `left_out` nothing is kept: whatever is read of them is anything.
    """

    def __init__(self, machine: Machine, left_out: frozenset[str] = frozenset()) -> None:
        self.machine, self.game, self.layout = machine, machine.game, machine.layout
        self.num_players: Any = machine.game.num_players
        self.left_out = left_out
        self._not_kept = frozenset(i for i, v in enumerate(self.layout.cell_vars) if v.name in left_out)
        self.facts: list[Any] = []
        self.said: list[Asked] = []  # the opaque ones that are numbers
        self._opaque: dict[Any, Any] = {}
        self._scope: dict[str, Any] = {}
        self._functions = {f.name: f for f in self.game.functions}
        self._tables = {t.name: t for t in self.game.tables}
        self._counter = 0
        self._open = [self._leaves_open(i) for i in range(len(self.game.kinds))]
        self._reads: dict[int, frozenset[str]] = {}
        self._timed: dict[int, bool] = {}
        self._numbers: dict[Any, int] = {}
        self._number_of: dict[int, int] = {}
        self._alive: dict[int, Any] = {}
        self.before: list[tuple[ir.Expr, Any]] = []
        self._needs: list[Any] = []
        self._strict = True
        self._guards: list[Any] = []
        self.missing: list[tuple[ir.Expr, Any]] = []  # values that were needed, and when there would be none

    # --------------------------------------------------------------------------------------- constants

    def fresh(self, t: ir.Type, hint: str) -> Any:
        """A value of a type of which nothing but its range is known."""
        self._counter += 1
        name = f"{hint}!{self._counter}"
        match t:
            case ir.OptionalType(of):
                return Optional(z3.Bool(f"{name}.none"), self.fresh(of, hint))
            case ir.BoolType():
                return z3.Bool(name)
            case ir.FractionType():
                return z3.Real(name)
            case ir.CombinationType():
                return self._fresh_strength(name)
            case ir.IntType(low, high):
                return self._between(z3.Int(name), low, high)
            case ir.CardType() | ir.CardsType() | ir.CombinationsType():
                return z3.Int(name)
            case _:
                low, high = self.machine.words.bounds(t)
                return self._between(z3.Int(name), low, high)

    def _between(self, x: Any, low: int | None, high: int | None) -> Any:
        if low is not None:
            self.facts.append(x >= low)
        if high is not None:
            self.facts.append(x <= high)
        return x

    def _fresh_strength(self, name: str) -> Strength:
        """A combination found among unknown cards. Of a kind whose key says nothing, all are equal.

        Where a call leaves part of a key open, any number of combinations may lie between it and the next call.
        """
        kind = self._between(z3.Int(f"{name}.kind"), 0, len(self.game.kinds) - 1)
        key = self._between(z3.Real(f"{name}.key") if any(self._open) else z3.Int(f"{name}.key"), 0, None)
        for i, k in enumerate(self.game.kinds):
            constant = self._constant_key(i, k)
            if constant is not None:
                self.facts.append(z3.Implies(kind == i, key == constant))
            elif any(self._open) and not self._open[i] and self.machine.words.combinations.is_callable(i):
                self.facts.append(z3.Implies(kind == i, z3.IsInt(key)))
        return Strength(kind, key)

    def _leaves_open(self, index: int) -> bool:
        """Whether a call of a kind leaves part of the key open that what is found among cards has."""
        kind = self.game.kinds[index]
        if kind.pattern is None or not self.machine.words.combinations.is_callable(index):
            return False
        loose = any(g.rank is None for g in kind.pattern.groups) or self._is_served(index)
        return any(part is ir.Key.SIDE_CARDS or (loose and isinstance(part, ir.Key)) for part in kind.by)

    def _is_served(self, index: int) -> bool:
        """Whether something else serves as a kind: its key may then be of any ranks."""
        return any(index in other.serves_as for other in self.game.kinds)

    def _constant_key(self, index: int, kind: ir.Kind) -> int | None:
        """The key of a kind that has only one: its ranks are written in the pattern."""
        if kind.pattern is None or any(k is ir.Key.SIDE_CARDS for k in kind.by):
            return None
        if kind.by and self._is_served(index):
            return None
        if not all(isinstance(g.rank, int) for g in kind.pattern.groups):
            return None
        words = self.machine.words
        for hand in self._hands(kind.pattern):
            found = words.combinations.exactly(index, hand)
            if found is not None:
                return key_number(found.key)
        return None

    def _hands(self, pattern: ir.Pattern) -> Iterator[tuple[int, ...]]:
        """Some hands that may make a pattern whose ranks are all written: one for each suit."""
        cards = self.machine.words.cards
        for suit in range(cards.num_plain_suits):
            hand: list[int] = []
            for group in pattern.groups:
                assert isinstance(group.rank, int)
                runs = [r for r in cards.runs(group.count) if r.top == group.rank] if group.run else []
                ranks = list(runs[0].ranks) if runs else [group.rank] * group.count
                hand += [rank * cards.num_plain_suits + suit for rank in ranks]
            if len(set(hand)) == len(hand):
                yield tuple(hand)

    @property
    def num_made(self) -> int:
        """How many names were made so far."""
        return self._counter

    def forget(self) -> None:
        """Forgets all terms, none of which is used any more."""
        self.facts, self.said = [], []
        self._opaque, self._alive = {}, {}

    def opaque(self, expr: ir.Expr, env: Env, t: ir.Type, hint: str) -> Any:
        """What cards say, or the clock: one value for one question about the same cards at the same time."""
        if not self._is_one_question(expr, env):
            return self.fresh(t, hint)
        key = (self._number(expr), env.epoch, self._reading(expr, env), env.hour if self._tells_time(expr) else None)
        if key not in self._opaque:
            self._opaque[key] = self.fresh(t, hint)
            if isinstance(t, ir.IntType):
                self.said.append(Asked(expr, dict(self._scope), self._opaque[key], env.epoch))
        return self._opaque[key]

    def _is_one_question(self, expr: ir.Expr, env: Env) -> bool:
        """Whether what an expression reads tells all that its value depends on."""
        return not (self.left_out and self.reads(expr) & self.left_out)

    def _number(self, expr: ir.Expr) -> int:
        """Expressions that read the same are the same question."""
        if id(expr) not in self._number_of:
            self._number_of[id(expr)] = self._numbers.setdefault(expr, len(self._numbers))
        return self._number_of[id(expr)]

    def _tells_time(self, expr: ir.Expr) -> bool:
        """Whether the expression's value may depend on what is left on the clock."""
        if id(expr) not in self._timed:
            called = [self._functions[p.function].body for p in parts(expr) if isinstance(p, ir.CallExpr)]
            self._timed[id(expr)] = any(isinstance(p, ir.TimeLeft) for p in parts(expr)) or any(
                map(self._tells_time, called)
            )
        return self._timed[id(expr)]

    def _is_one_seat(self, expr: ir.Expr) -> bool:
        """Whether each name of a seat in an expression stands for one."""
        return True

    def reads(self, expr: ir.Expr) -> frozenset[str]:
        """The variables that an expression reads."""
        if id(expr) not in self._reads:
            self._reads[id(expr)] = variables_read(expr, self.game)
        return self._reads[id(expr)]

    def _reading(self, expr: ir.Expr, env: Env) -> Any:
        """All that the expression's value may depend on besides cards."""
        return self._held(self.reads(expr), env)

    def _held(self, names: frozenset[str], env: Env) -> Any:
        """What some variables hold, and the names that are bound here."""
        cells = []
        for name in sorted(names):
            family = self.layout.vars[name]
            cells += [self._frozen(env.cells[i]) for i in range(family.base, family.base + family.num_cells)]
        return tuple(cells), tuple((n, self._frozen(v)) for n, v in sorted(self._scope.items()))

    # ------------------------------------------------------------------------------------- expressions

    @contextmanager
    def bound(self, **names: Any) -> Iterator[None]:
        """Within, names stand for these values."""
        before = dict(self._scope)
        self._scope.update(names)
        try:
            yield
        finally:
            self._scope = before

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
                return self._look_up(table.rows, low, self.term(operand, env))
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
                return self._look_up(tuple(k.size for k in self.game.kinds), 0, x)
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
            case ir.Binary.ADD | ir.Binary.SUBTRACT | ir.Binary.MULTIPLY:
                if is_term(a) or is_term(b):
                    a, b = lift(a), lift(b)  # a fraction and a whole number meet as terms only
                return a + b if op is ir.Binary.ADD else a - b if op is ir.Binary.SUBTRACT else a * b
            case _ if not is_term(a) and not is_term(b) and b:
                return {ir.Binary.DIV: a // b, ir.Binary.MOD: a % b, ir.Binary.DIVIDE: Fraction(a) / b}[op]
            case ir.Binary.DIV | ir.Binary.MOD if not is_term(b) and b > 0:
                return a / b if op is ir.Binary.DIV else a % b
            case _:
                return self.opaque(expr, env, expr.type, op.value)

    # ------------------------------------------------------------------------------------------- cards

    def places(self, zone: ir.ZoneExpr, env: Env) -> list[tuple[int, Any]] | None:
        """The places that a zone may be, each with the condition that it is the one; None where that is not told.

        Raises:
            IndexError: There is no such place.
        """
        family = self.layout.zones[zone.zone]
        indices = [self.term(i, env) for i in zone.indices]
        if not any(is_term(i) for i in indices):
            return [(family.index(indices), True)]
        if len(indices) != 1 or isinstance(indices[0], Optional):
            return None
        return [(family.base + i, indices[0] == family.lows[0] + i) for i in range(family.num_cells)]

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
        both: tuple[tuple[int, Any], ...] | None = ()
        fresh = True
        for operand in (expr.left, expr.right):
            pile = self.term(operand, env)
            known = pile.parts if isinstance(pile, Lying) else None
            # Cards that lie in one place may be the same ones, and are then not so many together.
            apart = both is not None and known is not None and not {p for p, _ in both} & {p for p, _ in known}
            both = both + known if apart and both is not None and known is not None else None
            fresh = fresh and (not isinstance(pile, Lying) or pile.since == env.epoch)
        return Lying(self.opaque(expr, env, types.CARDS, "cards"), both if fresh else None, env.epoch)

    def _picked(self, expr: ir.PickCards, env: Env) -> Lying:
        """Some of the cards of a pile."""
        cards = self.opaque(expr, env, types.CARDS, "cards")
        pile = self.term(expr.binder.domain, env) if not isinstance(expr.binder.domain, ir.Domain) else None
        if not isinstance(pile, Lying) or pile.parts is None:
            return Lying(cards)
        picked = []
        for i, (place, most) in enumerate(pile.parts):
            name = ("picked", i, self._frozen(cards))
            if name not in self._opaque:
                self._opaque[name] = self.fresh(ir.IntType(0, None), "picked")
            count = self._opaque[name]
            # No fact: it would have to hold even where play never comes, with fewer than no cards.
            picked.append((place, choose(count <= most, count, most)))
        return Lying(cards, tuple(picked), pile.since)

    def _column(self, column: str, x: Any) -> Any:
        entries = tuple(dict(k.columns).get(column, 0) for k in self.game.kinds)
        kind = strength(x).kind if isinstance(x, Strength | ir.Combination) else x
        return self._look_up(entries, 0, kind)

    @staticmethod
    def _look_up(rows: tuple[Any, ...], low: int, x: Any) -> Any:
        if isinstance(x, Optional):
            x = x.value
        if not is_term(x):
            return rows[x - low] if x is not None and 0 <= x - low < len(rows) else rows[0]
        found = rows[-1]
        for i in range(len(rows) - 2, -1, -1):
            found = choose(lift(x) == low + i, rows[i], found)
        return found

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
        op = expr.op
        match op:
            case ir.FoldOp.SOME:
                return disj(*(conj(w, b) for (_, w), b in zip(items, bodies, strict=True)))
            case ir.FoldOp.EVERY:
                return conj(*(disj(neg(w), b) for (_, w), b in zip(items, bodies, strict=True)))
            case ir.FoldOp.COUNT:
                ones = [choose(conj(w, b), self._add(expr, v, 1), 0) for (v, w), b in zip(items, bodies, strict=True)]
                return self._sum(ones)
            case ir.FoldOp.SUM:
                return self._sum([choose(w, self._add(expr, v, b), 0) for (v, w), b in zip(items, bodies, strict=True)])
            case ir.FoldOp.FIRST:
                found: Any = None
                for (value, where), body in reversed(list(zip(items, bodies, strict=True))):
                    found = choose(conj(where, body), value, found)
                return found
            case ir.FoldOp.ONLY:
                return self._only(expr, [(v, conj(w, b)) for (v, w), b in zip(items, bodies, strict=True)])
            case _:
                return self._extreme(expr, items, bodies)

    @staticmethod
    def _sum(parts: list[Any]) -> Any:
        known = sum(p for p in parts if not is_term(p))
        rest = [p for p in parts if is_term(p)]
        return known if not rest else z3.Sum(*rest) + lift(known) if known else z3.Sum(*rest)

    def _add(self, fold: ir.FoldExpr, value: Any, x: Any) -> Any:
        """What all that a value of a fold's binder stands for add, where one adds `x`."""
        return x

    def _is_several(self, fold: ir.FoldExpr, value: Any) -> Any:
        """Whether a value of a fold's binder stands for several of which the same is so."""
        return False

    def _only(self, fold: ir.FoldExpr, cases: list[tuple[Any, Any]]) -> Any:
        found: Any = None
        several: Any = False
        some: Any = False
        for value, here in cases:
            several = disj(several, conj(here, disj(some, self._is_several(fold, value))))
            some = disj(some, here)
            found = choose(here, value, found)
        return choose(several, None, found)

    def _extreme(self, expr: ir.FoldExpr, items: list[tuple[Any, Any]], bodies: list[Any]) -> Any:
        greatest = expr.op in (ir.FoldOp.MAX, ir.FoldOp.HIGHEST)
        best: Any = None
        who: Any = None
        some: Any = False
        tied: Any = False
        for (value, where), body in zip(items, bodies, strict=True):
            better = True if some is False else (less(best, body, False) if greatest else less(body, best, False))
            takes = conj(where, disj(neg(some), better))
            same = False if some is False else conj(where, some, equal(best, body))
            tied = choose(takes, self._is_several(expr, value), disj(tied, same))
            who = choose(takes, value, who)
            best = body if some is False and where is True else choose(takes, body, best)
            some = disj(some, where)
        if expr.op in (ir.FoldOp.MAX, ir.FoldOp.MIN):
            return best
        return who if expr.tie is ir.Tie.FIRST else choose(tied, None, who)

    def _fold_cards(self, expr: ir.FoldExpr, env: Env) -> Any:
        """Over unknown cards or combinations: opaque, within what each of them can add."""
        x = self.opaque(expr, env, expr.type, expr.op.value)
        if expr.op is ir.FoldOp.SUM and isinstance(expr.body, ir.ColumnExpr):
            entries = [dict(k.columns).get(expr.body.column, 0) for k in self.game.kinds]
            if min(entries) >= 0:
                self.facts.append(x >= 0)
        return x

    def scope_key(self) -> Any:
        """The values of the names bound here."""
        return tuple((n, self._frozen(v)) for n, v in sorted(self._scope.items()))

    def _frozen(self, x: Any) -> Any:
        """A value or term that can be compared. Terms are kept, for a number may be given again once one is gone."""
        if isinstance(x, z3.ExprRef):
            self._alive[x.get_id()] = x
            return ("term", x.get_id())
        if isinstance(x, Optional):
            return ("optional", self._frozen(x.none), self._frozen(x.value))
        if isinstance(x, Strength):
            return ("strength", self._frozen(x.kind), self._frozen(x.key))
        if isinstance(x, Lying):
            return self._frozen(x.cards)
        if isinstance(x, ir.Combination):
            return ("combination", x.kind, x.key, x.arguments)
        return (type(x).__name__, x)

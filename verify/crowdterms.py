"""What expressions say of a crowd: of any number of seats, of which most are known by their sums only.

What has no linear form is an unknown of its own: anything, the same each time it is asked of the same seat.
"""

from __future__ import annotations

from typing import Any

from dsl import ir, types
from dsl.walk import parts
from interpreter.machine import Machine
from verify import linear
from verify.crowd import OTHER, PLAYERS, Bounds, Crowd, Parts, Seat
from verify.crowdvalues import (
    Cases,
    Env,
    Maybe,
    Opaque,
    choose,
    compared,
    each,
    further,
    is_one,
    is_others,
    just,
    pairs,
    same,
    times,
)
from verify.crowdzones import CrowdZones
from verify.linear import NO, YES, Condition, Linear, TooMuch, at_most, both, either, equal, negated, number

_NUMBERED = (ir.KindType, ir.RankType, ir.SuitType, ir.EnumType)


class CrowdTerms:
    """The expressions of one game over a crowd. `machine` has the fewest players that are spoken of."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._game = machine, machine.game
        self.crowd = Crowd()
        self._functions = {f.name: f for f in self._game.functions}
        self._zones = {z.name: z for z in self._game.zones}
        self._vars = {v.name: v for v in self._game.state}
        self._numbers: set[Seat] = set()  # seats that have a number: no two of them are one
        self._lying = CrowdZones(self.crowd, machine, self._known)
        self._lying.keep_cards()

    # ------------------------------------------------------------------------------------------- values

    def condition(self, expr: ir.Expr, env: Env) -> Condition:
        found: Condition = self.value(expr, env)
        return found

    def value(self, expr: ir.Expr, env: Env) -> Any:
        """The value of an expression, an unknown one where it has no linear form.

        Raises:
            Opaque: It is nothing that can be unknown: cards, say, or a seat for each of the others.
            TooMuch: There are too many cases.
        """
        try:
            return self._value(expr, env)
        except Opaque:
            return self._unknown(expr, env)

    def _unknown(self, expr: ir.Expr, env: Env) -> Any:
        t = types.of(expr)
        depends = self._depends(expr, env)
        inner = types.strip(t)
        found: Any
        if isinstance(inner, ir.PlayerType):
            if any(is_others(v) for _, v in depends):
                raise Opaque
            found = just(self.crowd.named(("of", expr, depends)))
        elif isinstance(inner, ir.BoolType):
            found = is_one(self._number((expr, depends), (0, 1)))
        elif isinstance(inner, ir.IntType):
            found = just(self._number((expr, depends), (None, None)))
        elif isinstance(inner, _NUMBERED):
            found = just(self._number((expr, depends), self._machine.words.bounds(inner)))
        else:
            raise Opaque
        if isinstance(t, ir.OptionalType):
            return Maybe(is_one(self._number(("none", expr, depends), (0, 1))), found)
        return found

    def _number(self, key: tuple[Any, ...], bounds: Bounds) -> Linear:
        """A number that hangs on what `key` ends with: on the seat, where that has one of the others in it."""
        if any(is_others(v) for _, v in key[-1]):
            return self.crowd.has(OTHER, ("unknown", *key), bounds)
        return self.crowd.something(("unknown", *key), bounds)

    @staticmethod
    def _depends(expr: ir.Expr, env: Env) -> tuple[tuple[str, Any], ...]:
        names = {p.name for p in parts(expr) if isinstance(p, ir.Local)}
        return tuple((n, env[n]) for n in sorted(names) if n in env)

    def _value(self, expr: ir.Expr, env: Env) -> Any:
        match expr:
            case ir.Const(None, _):
                return Maybe(YES, just(number(0)))
            case ir.Const(bool(value), _):
                return YES if value else NO
            case ir.Const(int(value), ir.PlayerType()):
                return just(self._fixed(value))
            case ir.Const(int(value), ir.IntType() | ir.KindType() | ir.RankType() | ir.SuitType() | ir.EnumType()):
                return just(number(value))
            case ir.NumPlayers():
                return just(PLAYERS)
            case ir.Local(name) if name in env:
                return env[name]
            case ir.Var():
                return self._var(expr, env)
            case ir.UnaryExpr():
                return self._unary(expr, env)
            case ir.BinaryExpr():
                return self._binary(expr, env)
            case ir.IfExpr(test, then, otherwise, _):
                return choose(self.condition(test, env), self.value(then, env), self.value(otherwise, env))
            case ir.ColumnExpr(column, operand):
                kind = self._known(operand, env)
                return just(number(dict(self._game.kinds[kind].columns)[column]))
            case ir.CallExpr(name, arguments, _):
                function = self._functions[name]
                inner: Env = {}
                for (parameter, _), argument in zip(function.parameters, arguments, strict=True):
                    inner[parameter] = self.value(argument, env)
                return self.value(function.body, inner)
            case ir.FoldExpr():
                return self._fold(expr, env)
            case ir.ExtremeExpr(greatest, operands, ir.IntType()):
                found = self.value(operands[0], env)
                for operand in operands[1:]:
                    found = further(greatest, found, self.value(operand, env))
                return found
            case ir.Before():
                raise TooMuch
            case _:
                raise Opaque

    def _fixed(self, value: int) -> Seat:
        """A seat by its number: there are at least so many, whatever number of players is spoken of.

        Raises:
            TooMuch: There need not be such a seat, and then what is asked of it has no value.
        """
        if value >= self._game.num_players:
            raise TooMuch
        seat = self.crowd.named(("number", value))
        self.crowd.facts.append(at_most(number(value + 1), PLAYERS))
        for other in self._numbers - {seat}:
            self.crowd.facts.append(negated(self.crowd.are_one(seat, other)))
        self._numbers.add(seat)
        return seat

    def _known(self, expr: ir.Expr, env: Env) -> int:
        """A number that is known; what is not has no linear form here."""
        match self.value(expr, env):
            case Cases(((linear.All(()), Linear((), found)),)):
                return found
            case _:
                raise Opaque

    # ---------------------------------------------------------------------------------------- quantities

    def _place(self, dims: tuple[ir.Domain, ...], indices: tuple[ir.Expr, ...], env: Env
               ) -> tuple[Seat | None, tuple[int, ...]]:  # fmt: skip
        """The seat that an index tells, if any does, and the other indices."""
        seat: Seat | None = None
        others: list[int] = []
        for dim, index in zip(dims, indices, strict=False):
            if not isinstance(dim, ir.PlayerType):
                others.append(self._known(index, env))
                continue
            found = self.value(index, env)
            if isinstance(found, Maybe):
                found = found.value
            if seat is not None or len(found.of) != 1:
                raise Opaque
            seat = found.of[0][1]
        return seat, tuple(others)

    def _var(self, expr: ir.Var, env: Env) -> Any:
        declared = self._vars[expr.name]
        if sum(isinstance(d, ir.PlayerType) for d in declared.dims) > 1:
            raise Opaque
        seat, others = self._place(declared.dims, expr.indices, env)
        key = ("var", expr.name, others)
        inner = types.strip(declared.type)
        found: Any
        if isinstance(inner, ir.PlayerType):
            if seat == OTHER:
                raise Opaque
            found = just(self.crowd.named((*key, seat)))
        elif isinstance(inner, ir.BoolType):
            found = is_one(self._lying.quantity(seat, key, (0, 1)))
        elif isinstance(inner, ir.IntType):
            found = just(self._lying.quantity(seat, key, (inner.low, inner.high)))
        elif isinstance(inner, _NUMBERED):
            found = just(self._lying.quantity(seat, key, self._machine.words.bounds(inner)))
        else:
            raise Opaque
        if isinstance(declared.type, ir.OptionalType):
            return Maybe(is_one(self._lying.quantity(seat, ("none", *key), (0, 1))), found)
        return found

    def _count(self, cards: ir.Expr, env: Env) -> Linear:
        """How many cards there are."""
        match cards:
            case ir.ZoneExpr(name, indices) | ir.AllOfZone(name, indices):
                zone = self._zones[name]
                if not indices:
                    return self._lying.in_family(zone)
                if sum(isinstance(d, ir.PlayerType) for d in zone.dims) > 1:
                    raise Opaque
                seat, others = self._place(zone.dims, indices, env)
                given = zone.dims[: len(indices)]
                if len(given) == len(zone.dims):
                    return self._lying.size(zone, seat, others)
                if seat is None and ir.PlayerType() in zone.dims:
                    raise Opaque
                found = number(0)
                for place in self._lying.places(zone):
                    if place[: len(others)] == others:
                        found = found + self._lying.size(zone, seat, place)
                return found
            case _:
                raise Opaque

    # --------------------------------------------------------------------------------------- operators

    def _unary(self, expr: ir.UnaryExpr, env: Env) -> Any:
        match expr.op:
            case ir.Unary.NOT:
                return negated(self.condition(expr.operand, env))
            case ir.Unary.NEGATE:
                return each(self.value(expr.operand, env), lambda x: x * -1)
            case ir.Unary.WHOLE | ir.Unary.FLOOR | ir.Unary.CEILING | ir.Unary.NEAREST:
                if not isinstance(types.of(expr.operand), ir.IntType):
                    raise Opaque
                return self.value(expr.operand, env)
            case ir.Unary.UNWRAP:
                found = self.value(expr.operand, env)
                return found.value if isinstance(found, Maybe) else found
            case ir.Unary.IS_NONE:
                found = self.value(expr.operand, env)
                return found.none if isinstance(found, Maybe) else NO
            case ir.Unary.HEIGHT_OF:
                return each(self.value(expr.operand, env), lambda x: x + number(1))
            case ir.Unary.SIZE_OF if isinstance(types.of(expr.operand), ir.CardsType):
                return just(self._count(expr.operand, env))
            case ir.Unary.SIZE_OF if isinstance(types.of(expr.operand), ir.KindType):
                return just(number(self._game.kinds[self._known(expr.operand, env)].size))
            case _:
                raise Opaque

    def _binary(self, expr: ir.BinaryExpr, env: Env) -> Any:
        op = expr.op
        if op in (ir.Binary.AND, ir.Binary.OR):
            left, right = self.condition(expr.left, env), self.condition(expr.right, env)
            return both(left, right) if op is ir.Binary.AND else either(left, right)
        if op in (ir.Binary.CONTAINS, ir.Binary.IN) or isinstance(expr.type, ir.FractionType | ir.CardsType):
            raise Opaque
        left, right = self.value(expr.left, env), self.value(expr.right, env)
        match op:
            case ir.Binary.EQ:
                return same(self.crowd, left, right)
            case ir.Binary.NE:
                return negated(same(self.crowd, left, right))
            case ir.Binary.ADD:
                return pairs(left, right, lambda a, b: a + b)
            case ir.Binary.SUBTRACT:
                return pairs(left, right, lambda a, b: a - b)
            case ir.Binary.MULTIPLY:
                return pairs(left, right, times)
            case ir.Binary.LT:
                return negated(compared(right, left))
            case ir.Binary.LE:
                return compared(left, right)
            case ir.Binary.GT:
                return negated(compared(left, right))
            case ir.Binary.GE:
                return compared(right, left)
            case _:
                raise Opaque

    # ------------------------------------------------------------------------------------------- folds

    def _fold(self, expr: ir.FoldExpr, env: Env) -> Any:
        domain = expr.binder.domain
        if isinstance(domain, ir.PlayerType):
            return self._over_seats(expr, env)
        if not isinstance(domain, ir.Domain):
            raise Opaque
        found: list[tuple[Condition, Any]] = []
        for value in self._machine.words.domain(domain):
            inner = {**env, expr.binder.name: just(number(value))}
            where = self._where(expr, inner)
            if where != NO:
                found.append((where, None if expr.body is None else self.value(expr.body, inner)))
        match expr.op:
            case ir.FoldOp.SOME:
                return either(*(c if b is None else both(c, b) for c, b in found))
            case ir.FoldOp.EVERY:
                return both(*(either(negated(c), b) for c, b in found))
            case ir.FoldOp.COUNT | ir.FoldOp.SUM:
                total = just(number(0))
                for c, b in found:
                    added = just(number(1)) if expr.op is ir.FoldOp.COUNT else b
                    total = pairs(total, choose(c, added, just(number(0))), lambda x, y: x + y)
                return total
            case _:
                raise Opaque

    def _where(self, expr: ir.FoldExpr, env: Env) -> Condition:
        return YES if expr.binder.where is None else self.condition(expr.binder.where, env)

    def _over_seats(self, expr: ir.FoldExpr, env: Env) -> Any:
        depends = self._depends(expr, env)
        if any(is_others(v) for _, v in depends):
            raise Opaque

        def at(seat: Seat) -> tuple[Condition, Any]:
            inner = {**env, expr.binder.name: just(seat)}
            return self._where(expr, inner), None if expr.body is None else self.value(expr.body, inner)

        def meeting(seat: Seat) -> Parts:
            where, body = at(seat)
            if expr.op is ir.FoldOp.EVERY:
                body = negated(body)
            return _parts(where if body is None else both(where, body), number(1))

        def adding(seat: Seat) -> Parts:
            where, body = at(seat)
            if not isinstance(body, Cases):
                raise TooMuch
            return tuple(part for c, x in body.of for part in _parts(both(where, c), x))

        name = ("fold", expr, depends)
        match expr.op:
            case ir.FoldOp.COUNT:
                return just(self.crowd.total(name, meeting))
            case ir.FoldOp.SOME:
                return at_most(number(1), self.crowd.total(name, meeting))
            case ir.FoldOp.EVERY:
                return at_most(self.crowd.total(name, meeting), number(0))
            case ir.FoldOp.SUM if isinstance(expr.type, ir.IntType):
                return just(self.crowd.total(name, adding))
            case ir.FoldOp.FIRST | ir.FoldOp.ONLY:
                found = self._unknown(expr, env)
                of_them = self.crowd.total(name, lambda seat: _parts(at(seat)[0], number(1)))
                there = at(found.value.of[0][1])[0]
                self.crowd.facts.append(either(found.none, there))
                if expr.op is ir.FoldOp.ONLY:
                    self.crowd.facts.append(linear.same(negated(found.none), equal(of_them, number(1))))
                else:
                    self.crowd.facts.append(linear.same(found.none, at_most(of_them, number(0))))
                return found
            case _:
                raise Opaque


def _parts(condition: Condition, what: Linear) -> Parts:
    return () if condition == NO else ((condition, what),)

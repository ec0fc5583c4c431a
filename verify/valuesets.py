"""Which values an expression can have at all, where these are few: by its operators, by what is ever put into a
variable, and by what the rows of tables say. It is not asked in which order the rules come by.

A range that a variable declares may be relied on, for nothing else is ever in it: to leave it is a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from dsl import ir, types
from interpreter.machine import Machine
from interpreter.operators import ARITHMETIC, UNARY
from interpreter.values import Fault

Values: TypeAlias = frozenset[Any] | None
"""All values that there can be; None where they are too many, or not known."""

_MOST = 400
_EXACT = ir.BoolType | ir.PlayerType | ir.KindType | ir.RankType | ir.SuitType | ir.EnumType
_NUMBERS = (ir.Unary.NEGATE, ir.Unary.FLOOR, ir.Unary.CEILING, ir.Unary.NEAREST, ir.Unary.WHOLE, ir.Unary.UNWRAP,
            ir.Unary.HEIGHT_OF)  # fmt: skip


class ValueSets:
    """The values of the expressions of one game."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._game = machine, machine.game
        self._functions = {f.name: f for f in machine.game.functions}
        self._tables = {t.name: t for t in machine.game.tables}
        self._declared = machine.layout.declared_vars
        self._known: dict[str, Values] = {}

    def of(self, expr: ir.Expr, names: Mapping[str, Values] | None = None) -> Values:
        """The values of an expression. `names` are those of names that are bound around it."""
        names = names or {}
        match expr:
            case ir.Const(value, t):
                return None if isinstance(types.strip(t), ir.CardType | ir.CombinationType) else frozenset({value})
            case ir.Local(name, t):
                return names[name] if name in names else self._typed(t)
            case ir.Var(name, _, _):
                return self.of_variable(name)
            case ir.NumPlayers():
                return frozenset({self._game.num_players})
            case ir.UnaryExpr():
                return self._unary(expr, names)
            case ir.BinaryExpr(op, left, right, _) if op in ARITHMETIC and not isinstance(expr.type, ir.CardsType):
                return _together(self.of(left, names), self.of(right, names), ARITHMETIC[op])
            case ir.IfExpr(_, then, otherwise, _):
                return _joined([self.of(then, names), self.of(otherwise, names)])
            case ir.ExtremeExpr(_, operands, _):
                return _joined([self.of(x, names) for x in operands])
            case ir.ColumnExpr(column, operand):
                entries = [dict(k.columns).get(column) for k in self._game.kinds]
                return _few(entries[i] for i in self._kinds(operand, names) if entries[i] is not None)
            case ir.TableExpr(name, operand, _):
                table, at = self._tables[name], self.of(operand, names)
                low, high = self._machine.words.bounds(table.domain)
                return _few(table.rows if at is None else (table.rows[v - low] for v in at if _within(v, low, high)))
            case ir.CallExpr(function, arguments, _):
                declared = self._functions[function]
                parameters = (name for name, _ in declared.parameters)
                given = dict(zip(parameters, (self.of(a, names) for a in arguments), strict=True))
                return self.of(declared.body, given)
            case _:
                return self._typed(types.of(expr))

    def of_variable(self, name: str) -> Values:
        """The values that are ever in a variable, whichever of its cells; of none that is put together of itself."""
        if name not in self._known:
            declared = self._declared[name]
            self._known[name] = self._ranged(declared.type)
            if self._known[name] is None:
                self._known[name] = self._put_into(name, declared)
        return self._known[name]

    def _put_into(self, name: str, declared: ir.StateVar) -> Values:
        out: list[Values] = [] if declared.starts is None else [self.of(declared.starts)]
        for node in self._game.nodes:
            match node:
                case ir.Assign(variable, value, _, _) if variable.name == name:
                    out.append(self.of(value))
                case ir.Random(variable, binder, _, _) if variable.name == name:
                    out.append(self._ranged(binder.domain) if isinstance(binder.domain, ir.Domain) else None)
                case ir.Decide(actions=actions) | ir.Collect(actions=actions):
                    if any(p.variable == name for a in actions for p in a.parameters):
                        return None
                case _:
                    pass
        return _joined(out)

    def is_settled(self, part: Any, names: Mapping[str, Values] | None = None) -> bool:
        """Whether a part of an expression that could ask too much never does, by the values of its operands alone."""
        match part:
            case ir.UnaryExpr(ir.Unary.WHOLE, operand, _):
                found = self.of(operand, names)
                return found is not None and all(v is not None and Fraction(v).denominator == 1 for v in found)
            case ir.TableExpr(name, operand, _):
                at, t = self.of(operand, names), types.of(operand)
                low, high = self._machine.words.bounds(self._tables[name].domain)
                if at is None:
                    return isinstance(t, _EXACT) and t == self._tables[name].domain
                return all(v is not None and _within(v, low, high) for v in at)
            case ir.BinaryExpr(ir.Binary.DIVIDE | ir.Binary.DIV | ir.Binary.MOD, _, right, _):
                divisors = self.of(right, names)
                return divisors is not None and 0 not in divisors
            case ir.ZoneExpr(name, indices) | ir.AllOfZone(name, indices) | ir.Var(name, indices, _):
                dims = (self._declared if isinstance(part, ir.Var) else self._machine.layout.declared_zones)[name].dims
                return all(self._is_one_of(i, d, names or {}) for i, d in zip(indices, dims, strict=False))
            case ir.ColumnExpr(column, operand):
                kinds = self._kinds(operand, names or {})
                return all(column in dict(self._game.kinds[i].columns) for i in kinds)
            case _:
                return False

    def _is_one_of(self, index: ir.Expr, domain: ir.Domain, names: Mapping[str, Values]) -> bool:
        """Whether an index is always a value of a domain. If it is of no numbers, there are no other values."""
        if not isinstance(domain, ir.IntType):
            return True
        low, high = self._machine.words.bounds(domain)
        is_plain = isinstance(index, ir.Local) and index.name not in names  # nobody gives a name what its type lacks
        found = self._ranged(index.type) if is_plain and isinstance(index, ir.Local) else self.of(index, names)
        return found is not None and all(_within(v, low, high) for v in found)

    def _unary(self, expr: ir.UnaryExpr, names: Mapping[str, Values]) -> Values:
        match expr.op:
            case ir.Unary.KIND_OF:
                return frozenset(self._kinds(expr.operand, names))
            case ir.Unary.SIZE_OF if isinstance(types.of(expr.operand), ir.KindType):
                return frozenset(self._game.kinds[i].size for i in self._kinds(expr.operand, names))
            case op if op in _NUMBERS and _is_plain(types.of(expr.operand)):
                found = self.of(expr.operand, names)
                return None if found is None else _few(_applied(UNARY[op], found))
            case _:
                return self._typed(expr.type)

    def _kinds(self, operand: ir.Expr, names: Mapping[str, Values]) -> Iterable[int]:
        if isinstance(types.of(operand), ir.KindType) and (found := self.of(operand, names)) is not None:
            return sorted(found)
        return range(len(self._game.kinds))

    def _typed(self, t: ir.Type) -> Values:
        """The values of a type, if it is one that says exactly what there is. What ranges say of parts may be wrong."""
        return self._ranged(t) if isinstance(types.strip(t), _EXACT) else None

    def _ranged(self, t: ir.Type) -> Values:
        """The values of a type that is kept to."""
        plain = types.strip(t)
        if isinstance(plain, ir.IntType) and (plain.low is None or plain.high is None):
            return None
        if not isinstance(plain, _EXACT | ir.IntType):
            return None
        low, high = (0, 1) if isinstance(plain, ir.BoolType) else self._machine.words.bounds(plain)
        return None if high - low >= _MOST else frozenset(self._machine.words.domain(t))


def _is_plain(t: ir.Type) -> bool:
    return isinstance(types.strip(t), _EXACT | ir.IntType | ir.FractionType)


def _within(value: Any, low: int, high: int) -> bool:
    return value is not None and low <= value <= high


def _few(values: Iterable[Any]) -> Values:
    out = frozenset(values)
    return out if len(out) <= _MOST else None


def _joined(sets: list[Values]) -> Values:
    out = frozenset[Any]()
    for found in sets:
        if found is None:
            return None
        out |= found
    return _few(out)


def _together(a: Values, b: Values, operation: Callable[[Any, Any], Any]) -> Values:
    if a is None or b is None or len(a) * len(b) > _MOST:
        return None
    return _few(_applied(lambda pair: operation(*pair), product(a, b)))


def _applied(operation: Callable[[Any], Any], values: Iterable[Any]) -> Iterable[Any]:
    """What comes out where something does: what faults yields nothing."""
    for value in values:
        try:
            yield operation(value)
        except (Fault, TypeError, ZeroDivisionError):
            continue

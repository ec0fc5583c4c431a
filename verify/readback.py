"""Terms of a solver as sentences of the language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, Final

import z3

from dsl import ir, types
from interpreter.machine import Machine
from verify.folded import Unsupported

_SUMS: Final = {
    z3.Z3_OP_ADD: ir.Binary.ADD, z3.Z3_OP_SUB: ir.Binary.SUBTRACT, z3.Z3_OP_MUL: ir.Binary.MULTIPLY,
}  # fmt: skip
_WHOLE: Final = {z3.Z3_OP_IDIV: ir.Binary.DIV, z3.Z3_OP_MOD: ir.Binary.MOD}
_ORDERS: Final = {
    z3.Z3_OP_LE: ir.Binary.LE, z3.Z3_OP_LT: ir.Binary.LT, z3.Z3_OP_GE: ir.Binary.GE, z3.Z3_OP_GT: ir.Binary.GT,
    z3.Z3_OP_EQ: ir.Binary.EQ, z3.Z3_OP_IFF: ir.Binary.EQ, z3.Z3_OP_DISTINCT: ir.Binary.NE, z3.Z3_OP_XOR: ir.Binary.NE,
}  # fmt: skip
_OPPOSITE: Final = {
    z3.Z3_OP_LE: ir.Binary.GT, z3.Z3_OP_LT: ir.Binary.GE, z3.Z3_OP_GE: ir.Binary.LT, z3.Z3_OP_GT: ir.Binary.LE,
}  # fmt: skip
_GLUE: Final = {z3.Z3_OP_AND: ir.Binary.AND, z3.Z3_OP_OR: ir.Binary.OR}
_MOST_PARTS: Final = 150  # of one sentence: terms share their parts, sentences do not


class Readback:
    """Reads terms of one game, about names that stand for expressions of some types."""

    def __init__(self, names: dict[str, tuple[ir.Expr, ir.Type]], machine: Machine) -> None:
        self._names, self._words = names, machine.words
        self._left = 0

    def sentences(self, term: Any) -> list[ir.Expr]:
        """The parts of a term that all have to be true, as far as they can be said in the language."""
        out: dict[ir.Expr, None] = {}
        waiting = [term]
        while waiting:
            at = waiting.pop()
            if z3.is_and(at):
                waiting += at.children()
            elif z3.is_not(at) and z3.is_or(at.arg(0)):
                waiting += [z3.Not(x) for x in at.arg(0).children()]
            elif not z3.is_true(at):
                self._left = _MOST_PARTS
                try:
                    out[self._read(at)] = None
                except Unsupported:
                    continue
        return list(out)

    def _read(self, x: Any) -> ir.Expr:
        self._left -= 1
        if not z3.is_app(x) or self._left < 0:
            raise Unsupported("this cannot be said in the language")
        kind, parts = x.decl().kind(), x.children()
        match kind:
            case z3.Z3_OP_TRUE | z3.Z3_OP_FALSE:
                return ir.Const(kind == z3.Z3_OP_TRUE, types.BOOL)
            case z3.Z3_OP_ANUM if z3.is_int_value(x):
                return _number(x)
            case z3.Z3_OP_UNINTERPRETED if x.decl().name() in self._names:
                return self._names[x.decl().name()][0]
            case z3.Z3_OP_NOT if z3.is_app(parts[0]) and parts[0].decl().kind() in _OPPOSITE:
                found = self._read(parts[0])
                assert isinstance(found, ir.BinaryExpr)
                return replace(found, op=_OPPOSITE[parts[0].decl().kind()])
            case z3.Z3_OP_NOT:
                return ir.UnaryExpr(ir.Unary.NOT, self._read(parts[0]), types.BOOL)
            case z3.Z3_OP_UMINUS:
                return ir.UnaryExpr(ir.Unary.NEGATE, self._read(parts[0]), types.INTEGER)
            case z3.Z3_OP_IMPLIES:
                unless = ir.UnaryExpr(ir.Unary.NOT, self._read(parts[0]), types.BOOL)
                return ir.BinaryExpr(ir.Binary.OR, unless, self._read(parts[1]), types.BOOL)
            case z3.Z3_OP_ITE:
                t = types.BOOL if z3.is_bool(x) else types.INTEGER
                return ir.IfExpr(self._read(parts[0]), self._read(parts[1]), self._read(parts[2]), t)
            case _:
                return self._by_operator(kind, parts)

    def _by_operator(self, kind: int, parts: list[Any]) -> ir.Expr:
        if kind in _GLUE:
            return _together(_GLUE[kind], [self._read(p) for p in parts], types.BOOL)
        if kind in _SUMS:
            return _together(_SUMS[kind], [self._read(p) for p in parts], types.INTEGER)
        if kind in _WHOLE and z3.is_int_value(parts[1]) and parts[1].as_long() > 0:
            return ir.BinaryExpr(_WHOLE[kind], self._read(parts[0]), _number(parts[1]), types.INTEGER)
        if kind in _ORDERS and len(parts) == 2:
            left, right = self._compared(*parts)
            return ir.BinaryExpr(_ORDERS[kind], left, right, types.BOOL)
        raise Unsupported("this cannot be said in the language")

    def _compared(self, a: Any, b: Any) -> tuple[ir.Expr, ir.Expr]:
        """Two sides of a comparison. A number that is compared with a seat is a seat, too."""
        sides = [self._read(a), self._read(b)]
        for i, (name, number) in enumerate(((a, b), (b, a))):
            t = self._names[name.decl().name()][1] if z3.is_const(name) and name.decl().name() in self._names else None
            if not isinstance(t, ir.Domain) or isinstance(t, ir.IntType) or not z3.is_int_value(number):
                continue
            low, high = self._words.bounds(t)
            if low <= number.as_long() <= high:
                sides[1 - i] = ir.Const(number.as_long(), t)
        return sides[0], sides[1]


def _number(x: Any) -> ir.Expr:
    return ir.Const(x.as_long(), types.INTEGER)


def _together(op: ir.Binary, parts: Sequence[ir.Expr], t: ir.Type) -> ir.Expr:
    return reduce(lambda a, b: ir.BinaryExpr(op, a, b, t), parts)

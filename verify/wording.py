"""Expressions in the words of the rules: what a proof rests on is written so that an author of rules can read it."""

from __future__ import annotations

from typing import assert_never

from dsl import ir, types
from interpreter.values import Words

_IF, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _ATOM = range(9)
_LEVELS = {
    ir.Binary.OR: _OR, ir.Binary.AND: _AND, ir.Binary.ADD: _SUM, ir.Binary.SUBTRACT: _SUM,
    ir.Binary.MULTIPLY: _PRODUCT, ir.Binary.DIVIDE: _PRODUCT, ir.Binary.DIV: _PRODUCT, ir.Binary.MOD: _PRODUCT,
}  # fmt: skip
_SORTS = {ir.PlayerType: "player", ir.KindType: "kind", ir.RankType: "rank", ir.SuitType: "suit"}
_UNSEEN = (ir.Unary.WHOLE, ir.Unary.UNWRAP)  # the rules take these for granted and do not write them


class Wording:
    """Writes expressions of one game. A name that only the prover has given is written `x`."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def of(self, x: ir.Expr) -> str:
        """The expression as it could stand in a rule file."""
        return self._at(x, _IF)

    def _at(self, x: ir.Expr, least: int) -> str:
        """The expression, in brackets where it binds less than its place wants."""
        level, text = self._written(x)
        return text if level >= least else f"({text})"

    def _list(self, items: tuple[ir.Expr, ...]) -> str:
        return ", ".join(map(self.of, items))

    def _indexed(self, name: str, indices: tuple[ir.Expr, ...]) -> str:
        return f"{_name(name)}[{self._list(indices)}]" if indices else _name(name)

    def _written(self, x: ir.Expr) -> tuple[int, str]:
        match x:
            case ir.Const(value, t):
                return (_UNARY if isinstance(value, int) and value < 0 else _ATOM), self.value(value, t)
            case ir.Local(name, _):
                return _ATOM, _name(name)
            case ir.Var(name, indices, _) | ir.ZoneExpr(name, indices):
                return _ATOM, self._indexed(name, indices)
            case ir.AllOfZone(zone, indices):
                return _ATOM, f"all {self._indexed(zone, indices)}"
            case ir.NumPlayers():
                return _ATOM, "num_players"
            case ir.TimeLeft():
                return _ATOM, "time_left"
            case ir.UnaryExpr():
                return self._unary(x)
            case ir.BinaryExpr(op, left, right, _):
                level = _LEVELS.get(op, _COMPARE)
                # Comparisons do not follow each other; what else does, is read from the left.
                before = level + 1 if level == _COMPARE else level
                return level, f"{self._at(left, before)} {op.value} {self._at(right, level + 1)}"
            case ir.IfExpr(condition, then, otherwise, _):
                return _IF, f"if {self.of(condition)} then {self.of(then)} else {self.of(otherwise)}"
            case ir.ColumnExpr(column, operand):
                return _UNARY, f"{column} of {self._at(operand, _UNARY)}"
            case ir.TableExpr(table, operand, _):
                return _ATOM, f"{table}[{self.of(operand)}]"
            case ir.CallExpr(function, arguments, _):
                return _ATOM, f"{function}({self._list(arguments)})" if arguments else function
            case ir.FoldExpr():
                return _ATOM, self._fold(x)
            case ir.ExtremeExpr(greatest, operands, _):
                return _ATOM, f"{'max' if greatest else 'min'}({self._list(operands)})"
            case ir.PickCards(binder):
                return _ATOM, f"those({self._binder(binder)})"
            case ir.BestExpr(cards, binder, _):
                among = "" if binder is None else f" for {self._binder(binder)}"
                return _ATOM, f"best({self.of(cards)}{among})"
            case ir.SplitExpr(cards, column):
                return _ATOM, f"split({self.of(cards)} by {column} then best)"
            case ir.AsExpr(cards, kind):
                return _UNARY, f"{self._at(cards, _ATOM)} as {self._at(kind, _ATOM)}"
            case ir.MakeCombination(kind, arguments):
                name = self._words.game.kinds[kind].name
                return _ATOM, f"{name}({self._list(arguments)})" if arguments else name
            case ir.Before(operand, _):
                return _ATOM, f"before({self.of(operand)})"
        assert_never(x)

    def value(self, value: ir.Value, t: ir.Type) -> str:
        """A value as rules write it: "seat 3", or the name of a kind."""
        kept = types.strip(t)
        if value is not None and isinstance(kept, ir.KindType | ir.EnumType) and isinstance(value, int):
            names = kept.names if isinstance(kept, ir.EnumType) else [k.name for k in self._words.game.kinds]
            return names[value]
        return self._words.show(value, t)

    def _unary(self, x: ir.UnaryExpr) -> tuple[int, str]:
        if x.op in _UNSEEN:
            return self._written(x.operand)
        match x.op:
            case ir.Unary.NOT if isinstance(x.operand, ir.UnaryExpr) and x.operand.op is ir.Unary.IS_NONE:
                return _COMPARE, f"{self._at(x.operand.operand, _SUM)} is not none"
            case ir.Unary.NOT:
                return _NOT, f"not {self._at(x.operand, _NOT)}"
            case ir.Unary.IS_NONE:
                return _COMPARE, f"{self._at(x.operand, _SUM)} is none"
            case ir.Unary.NEGATE:
                return _UNARY, f"-{self._at(x.operand, _UNARY)}"
            case ir.Unary.FLOOR | ir.Unary.CEILING | ir.Unary.NEAREST:
                return _ATOM, f"{x.op.value}({self.of(x.operand)})"
            case _:
                return _UNARY, f"{x.op.value} {self._at(x.operand, _UNARY)}"

    def _fold(self, x: ir.FoldExpr) -> str:
        binder, start = self._binder(x.binder), "" if x.start is None else f" clockwise from {self.of(x.start)}"
        body = "" if x.body is None else self.of(x.body)
        match x.op:
            case ir.FoldOp.COUNT | ir.FoldOp.SOME | ir.FoldOp.ONLY:
                return f"{x.op.value}({binder})"
            case ir.FoldOp.FIRST:
                return f"first({binder}{start and ',' + start})"
            case ir.FoldOp.EVERY:
                return f"every({binder} has {body})"
            case ir.FoldOp.SUM | ir.FoldOp.MAX | ir.FoldOp.MIN:
                return f"{x.op.value}({body} for {binder})"
            case ir.FoldOp.HIGHEST | ir.FoldOp.LOWEST:
                tie = "" if x.tie is None else f" tie {x.tie.value}{start}"
                return f"{x.op.value}({binder} by {body}{tie})"
        assert_never(x.op)

    def _binder(self, binder: ir.Binder) -> str:
        name, domain = _name(binder.name), binder.domain
        match domain:
            case ir.IntType(low, high):
                taken = f"{name} in {low}..{high}"
            case ir.EnumType(names):
                taken = f"{name} in one of {', '.join(names)}"
            case ir.PlayerType() | ir.KindType() | ir.RankType() | ir.SuitType():
                taken = f"{_SORTS[type(domain)]} {name}"
            case _:
                taken = f"{name} in {self._at(domain, _SUM)}"
        return taken if binder.where is None else f"{taken} where {self.of(binder.where)}"


def _name(name: str) -> str:
    """A name as it was written: a rule's own names are kept under that of the rule."""
    return "x" if name.startswith("#") else name.rpartition(".")[2]

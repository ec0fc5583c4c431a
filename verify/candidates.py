"""What may always hold at a place of the rules: sentences of the language, suggested by what real plays have shown.

Nothing here is a proof. Each sentence is true at every visit of the plays that were looked at, and is then tried by
induction; what the rules do not keep up is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

from dsl import ir, types
from dsl.walk import parts
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault
from verify.places import expressions_of
from verify.valuesets import ValueSets

_FEW_PLACES = 60
_MAX_COLUMNS = 40
_FEW_FRACTIONS = 12
_CARDS = (ir.CardsType, ir.CardType, ir.CombinationType, ir.CombinationsType)


class Vocabulary:
    """The numbers and the yes-or-no questions of one game that its conditions and some claims speak of."""

    def __init__(self, machine: Machine, claims: tuple[ir.Property, ...]) -> None:
        self.machine, self.layout, self.game = machine, machine.layout, machine.game
        self._asked = tuple(x for c in claims for x in expressions_of(c))
        conditions = [n.condition for n in self.game.nodes if isinstance(n, ir.Branch)]
        guards = [
            g.condition
            for n in self.game.nodes
            if isinstance(n, ir.Decide | ir.Collect)
            for a in n.actions
            for g in a.guards
        ]
        self.numbers = [*self._cells(), *self._sizes()]
        claimed = [x for c in claims for x in self._claimed(c)]
        self.questions = [*self._questions((*conditions, *guards, *self._asked)), *claimed]
        self.totals = self._totals((*conditions, *guards, *self._asked))
        self._read: dict[int, Any] = {}

    def values(self, x: ir.Expr, visits: list[State]) -> list[Any] | None:
        """The values at each visit; None where it has none at some, or is no plain number or truth."""
        if id(x) not in self._read:
            self._read[id(x)] = self.machine.compiler.compile(x)
        read = self._read[id(x)]
        try:
            values = [read(s) for s in visits]
        except Fault:
            return None
        return values if all(isinstance(v, int) for v in values) else None

    # ---------------------------------------------------------------------------------------- numbers

    def _cells(self) -> list[ir.Expr]:
        """Every cell of a variable that holds a whole number."""
        out: list[ir.Expr] = []
        for cell, declared in zip(self.layout.var_cells, self.layout.cell_vars, strict=True):
            if isinstance(declared.type, ir.IntType) and not declared.local:
                out.append(ir.Var(cell.name, indices_of(cell.indices, declared.dims), declared.type))
        return out

    def _sizes(self) -> list[ir.Expr]:
        """The size of every zone, where they are few, and of families together."""
        out: list[ir.Expr] = []
        for zone in self.game.zones:
            family = self.layout.zones[zone.name]
            if zone.dims:
                out.append(size_of(ir.AllOfZone(zone.name)))
            if family.num_cells <= _FEW_PLACES:
                for i in range(family.base, family.base + family.num_cells):
                    indices = self.layout.zone_cells[i].indices
                    out.append(size_of(ir.ZoneExpr(zone.name, indices_of(indices, zone.dims))))
        return out

    def _totals(self, asked: tuple[ir.Expr, ...]) -> list[ir.Expr]:
        """Counts and sums that are spoken of, and the sum of each family of numbers."""
        found = {
            part: None for x in self._with_bodies(asked) for part in parts(x)
            if isinstance(part, ir.FoldExpr) and part.op in (ir.FoldOp.COUNT, ir.FoldOp.SUM)
            and isinstance(part.binder.domain, ir.Domain) and isinstance(part.type, ir.IntType) and is_closed(part)
        }  # fmt: skip
        for declared in self.game.state:
            if declared.dims and isinstance(declared.type, ir.IntType) and len(declared.dims) == 1:
                found[_over(declared, ir.FoldOp.SUM)] = None
            elif len(declared.dims) == 1 and isinstance(declared.type, ir.BoolType):
                found[_over(declared, ir.FoldOp.COUNT)] = None
        return list(found)

    @staticmethod
    def range(number: ir.Expr) -> tuple[int | None, int | None]:
        """What a number is never below and never above, as it was declared."""
        if isinstance(number, ir.UnaryExpr):
            return 0, None
        return (
            (number.type.low, number.type.high)
            if isinstance(number, ir.Var) and isinstance(number.type, ir.IntType)
            else (None, None)
        )

    # -------------------------------------------------------------------------------------- questions

    def _with_bodies(self, asked: Iterable[ir.Expr]) -> Iterator[ir.Expr]:
        yield from asked
        yield from (f.body for f in self.game.functions if not f.parameters)

    def _questions(self, asked: tuple[ir.Expr, ...]) -> list[ir.Expr]:
        """Yes-or-no parts of conditions, of every player where one speaks of some player."""
        out: dict[ir.Expr, None] = {}
        for x in self._with_bodies(asked):
            for part in parts(x):
                if not isinstance(_type(part), ir.BoolType) or isinstance(part, ir.Const | ir.Local):
                    continue
                if any(isinstance(p, ir.Before) for p in parts(part)) or self._asks_cards(part):
                    continue
                for question in self._instances(part):
                    if is_closed(question):
                        out.setdefault(question)
        for declared in self.game.state:
            if isinstance(declared.type, ir.OptionalType) and not declared.dims and not declared.local:
                variable = ir.Var(declared.name, (), declared.type)
                out.setdefault(ir.UnaryExpr(ir.Unary.IS_NONE, variable, types.BOOL))
        return [*out, *self._few_fractions()]

    def _few_fractions(self) -> Iterator[ir.Expr]:
        """That a cell holds one of the few fractions that are ever put into it."""
        sets = ValueSets(self.machine)
        for cell, declared in zip(self.layout.var_cells, self.layout.cell_vars, strict=True):
            if declared.local or not isinstance(types.strip(declared.type), ir.FractionType):
                continue
            values = sets.of_variable(declared.name)
            if not values or len(values) > _FEW_FRACTIONS:
                continue
            here: ir.Expr = ir.Var(cell.name, indices_of(cell.indices, declared.dims), declared.type)
            some: list[ir.Expr] = [ir.UnaryExpr(ir.Unary.IS_NONE, here, types.BOOL)] if None in values else []
            here = ir.UnaryExpr(ir.Unary.UNWRAP, here, ir.FractionType()) if some else here
            some += [ir.BinaryExpr(ir.Binary.EQ, here, ir.Const(Fraction(v), ir.FractionType()), types.BOOL)
                     for v in sorted(v for v in values if v is not None)]  # fmt: skip
            yield reduce(lambda a, b: ir.BinaryExpr(ir.Binary.OR, a, b, types.BOOL), some)

    def _claimed(self, claim: ir.Property) -> list[ir.Expr]:
        """What a claim says of a position, of every value of its variable if it has one."""
        if claim.kind not in ("always", "never", "impossible") or not claim.expressions:
            return []
        said = claim.expressions[0]
        if claim.kind != "always":
            said = ir.UnaryExpr(ir.Unary.NOT, said, types.BOOL)
        if claim.premise is not None:
            unless = ir.UnaryExpr(ir.Unary.NOT, claim.premise, types.BOOL)
            said = ir.BinaryExpr(ir.Binary.OR, unless, said, types.BOOL)
        if any(isinstance(p, ir.Before) for p in parts(said)) or self._asks_cards(said):
            return []
        return [x for x in self._instances(said) if is_closed(x)]

    def _asks_cards(self, question: ir.Expr) -> bool:
        """Whether it hangs on which cards lie somewhere, and not only on how many."""
        waiting: list[Any] = [question]
        called: set[str] = set()
        while waiting:
            at = waiting.pop()
            if isinstance(at, ir.UnaryExpr) and at.op is ir.Unary.SIZE_OF:
                continue
            if isinstance(at, ir.ZoneExpr | ir.AllOfZone | ir.TimeLeft):
                return True
            if isinstance(at, ir.CallExpr) and at.function not in called:
                called.add(at.function)
                waiting += [f.body for f in self.game.functions if f.name == at.function]
            if isinstance(at, tuple):
                waiting += at
            elif hasattr(at, "__dataclass_fields__") and not isinstance(at, ir.Const):
                waiting += [v for _, v in _fields(at)]
        return False

    def _instances(self, question: ir.Expr) -> Iterator[ir.Expr]:
        """The question itself, and where one name of few values is open in it, the question about each."""
        yield question
        free = {p.name: p.type for p in parts(question) if isinstance(p, ir.Local)} if not is_closed(question) else {}
        local = {
            p.name: p.type for p in parts(question)
            if isinstance(p, ir.Var) and not p.indices and self.layout.declared_vars[p.name].local
        }  # fmt: skip
        bound = {p.name for p in parts(question) if isinstance(p, ir.Binder)}
        names = {n: t for n, t in {**free, **local}.items() if n not in bound}
        if len(names) != 1:
            return
        ((name, t),) = names.items()
        plain = types.strip(t)
        if isinstance(plain, ir.PlayerType | ir.KindType) or (isinstance(plain, ir.IntType) and _is_small(plain)):
            for value in self.machine.words.domain(plain):
                yield put_in(question, name, ir.Const(value, plain))


def suggested(vocabulary: Vocabulary, visits: list[State]) -> tuple[list[ir.Expr], list[ir.Expr]]:
    """What was so at every visit; and of that, what compares numbers, which may be so elsewhere, too."""
    out: list[ir.Expr] = []
    columns: list[tuple[ir.Expr, list[int]]] = []
    for number in (*vocabulary.numbers, *vocabulary.totals):
        values = vocabulary.values(number, visits)
        if values is None:
            continue
        low, high = min(values), max(values)
        if low == high:
            out.append(_compared(number, ir.Binary.EQ, low))
            continue
        columns.append((number, values))
        least, most = vocabulary.range(number)
        out += [_compared(number, ir.Binary.GE, low)] if low != least else []
        out += [_compared(number, ir.Binary.LE, high)] if high != most else []
        out += _steps(number, values)
    compared = _shares([c for c in columns if not _names_a_place(c[0])])
    out += compared
    for question in vocabulary.questions:
        values = vocabulary.values(question, visits)
        if values is None or any(v != values[0] for v in values):
            continue
        out.append(question if values[0] else ir.UnaryExpr(ir.Unary.NOT, question, types.BOOL))
    if len(columns) > _MAX_COLUMNS:
        columns = [c for c in columns if not _names_a_place(c[0])]
    return out + (_equations(columns[:_MAX_COLUMNS]) if len(columns) > 1 else []), compared


def elsewhere(vocabulary: Vocabulary, sentences: list[ir.Expr], visits: list[State]) -> list[ir.Expr]:
    """Of sentences that were so at another stop, those that were so at every visit here."""
    out = []
    for sentence in sentences:
        values = vocabulary.values(sentence, visits)
        if values is not None and all(values):
            out.append(sentence)
    return out


def _steps(number: ir.Expr, values: list[int]) -> list[ir.Expr]:
    """That a number goes in steps, such as a pile to which only whole rows are put."""
    step = 0
    for value in values:
        step = math.gcd(step, value - values[0])
    if step < 2 or not isinstance(number, ir.UnaryExpr):
        return []
    rest = ir.BinaryExpr(ir.Binary.MOD, number, ir.Const(step, types.INTEGER), types.INTEGER)
    return [_compared(rest, ir.Binary.EQ, values[0] % step)]


def _shares(columns: list[tuple[ir.Expr, list[int]]]) -> list[ir.Expr]:
    """That one number is at least so many times another."""
    out: list[ir.Expr] = []
    for a, ours in columns:
        for b, theirs in columns:
            ratios = [x / y for x, y in zip(ours, theirs, strict=True) if y > 0]
            if a is b or not ratios or any(y < 0 for y in theirs) or min(ratios) < 1:
                continue
            factor = ir.Const(int(min(ratios)), types.INTEGER)
            times = ir.BinaryExpr(ir.Binary.MULTIPLY, factor, b, types.INTEGER)
            out.append(ir.BinaryExpr(ir.Binary.GE, a, times, types.BOOL))
    return out


def _equations(columns: list[tuple[ir.Expr, list[int]]]) -> list[ir.Expr]:
    """Sums of the numbers, with whole weights, that were the same at every visit."""
    width = len(columns)
    rows: list[list[Fraction]] = []
    pivots: list[int] = []
    for values in zip(*(v for _, v in columns), strict=True):
        row = [Fraction(a - first) for a, first in zip(values, (v[0] for _, v in columns), strict=True)]
        for pivot, known in zip(pivots, rows, strict=True):
            if row[pivot]:
                factor = row[pivot]
                row = [a - factor * b for a, b in zip(row, known, strict=True)]
        at = next((i for i in range(width) if row[i]), None)
        if at is None:
            continue
        row = [a / row[at] for a in row]
        for known in rows:
            if known[at]:
                factor = known[at]
                known[:] = [a - factor * b for a, b in zip(known, row, strict=True)]
        rows.append(row)
        pivots.append(at)
    out = []
    for free in (i for i in range(width) if i not in pivots):
        weights = {free: Fraction(1)}
        for pivot, row in zip(pivots, rows, strict=True):
            if row[free]:
                weights[pivot] = -row[free]
        if 1 < len(weights) <= 12 and all(abs(w.numerator) < 100 and w.denominator < 100 for w in weights.values()):
            out.append(_equation(columns, weights))
    return out


def _equation(columns: list[tuple[ir.Expr, list[int]]], weights: dict[int, Fraction]) -> ir.Expr:
    scale = 1
    for w in weights.values():
        scale = math.lcm(scale, w.denominator)
    total, constant = None, 0
    for i, w in sorted(weights.items()):
        factor = int(w * scale)
        constant += factor * columns[i][1][0]
        term = columns[i][0]
        if factor != 1:
            term = ir.BinaryExpr(ir.Binary.MULTIPLY, ir.Const(factor, types.INTEGER), term, types.INTEGER)
        total = term if total is None else ir.BinaryExpr(ir.Binary.ADD, total, term, types.INTEGER)
    assert total is not None
    return _compared(total, ir.Binary.EQ, constant)


def _over(declared: ir.StateVar, op: ir.FoldOp) -> ir.FoldExpr:
    """The sum of a family of numbers, or how many of a family are so."""
    name, domain = "#each", declared.dims[0]
    here: ir.Expr = ir.Var(declared.name, (ir.Local(name, domain),), declared.type)
    if op is ir.FoldOp.COUNT:
        return ir.FoldExpr(op, ir.Binder(name, domain, domain, here), None, types.INTEGER)
    return ir.FoldExpr(op, ir.Binder(name, domain, domain), here, types.INTEGER)


def _compared(x: ir.Expr, op: ir.Binary, value: int) -> ir.Expr:
    return ir.BinaryExpr(op, x, ir.Const(value, types.INTEGER), types.BOOL)


def _names_a_place(x: ir.Expr) -> bool:
    return any(
        isinstance(p, ir.ZoneExpr | ir.Var) and p.indices and isinstance(p.indices[0], ir.Const) for p in parts(x)
    )


def size_of(cards: ir.Expr) -> ir.Expr:
    """How many cards there are, as an expression."""
    return ir.UnaryExpr(ir.Unary.SIZE_OF, cards, types.INTEGER)


def indices_of(indices: tuple[int, ...], dims: tuple[ir.Domain, ...]) -> tuple[ir.Expr, ...]:
    """The indices of a cell as they are written."""
    return tuple(ir.Const(i, d) for i, d in zip(indices, dims, strict=True))


def _type(part: Any) -> ir.Type | None:
    try:
        return types.of(part)
    except (AssertionError, TypeError, AttributeError):
        return None


def _is_small(t: ir.IntType) -> bool:
    return t.low is not None and t.high is not None and t.high - t.low < 10


def is_closed(x: ir.Expr) -> bool:
    """Whether every name in it is bound in it."""

    def free(at: Any, bound: frozenset[str]) -> bool:
        if isinstance(at, ir.Local):
            return at.name not in bound
        if isinstance(at, tuple):
            return any(free(a, bound) for a in at)
        binder = getattr(at, "binder", None)
        if isinstance(binder, ir.Binder):
            inner = bound | {binder.name}
            outside = binder.domain if not isinstance(binder.domain, ir.Domain) else None
            rest = [v for k, v in _fields(at) if k not in ("binder", "start")]
            return (
                free(outside, bound) or free(getattr(at, "start", None), bound)
                or free(binder.where, inner) or any(free(v, inner) for v in rest)
            )  # fmt: skip
        if isinstance(at, ir.Const) or not hasattr(at, "__dataclass_fields__"):
            return False
        return any(free(v, bound) for _, v in _fields(at))

    return not free(x, frozenset())


def _fields(at: Any) -> list[tuple[str, Any]]:
    return [(name, getattr(at, name)) for name in at.__dataclass_fields__]


def put_in(x: Any, name: str, value: ir.Const) -> Any:
    """An expression with a name replaced by a value."""
    if isinstance(x, tuple):
        return tuple(put_in(a, name, value) for a in x)
    if isinstance(x, ir.Local) and x.name == name:
        return value
    if isinstance(x, ir.Var) and not x.indices and x.name == name:
        return value
    if isinstance(x, ir.Const) or not hasattr(x, "__dataclass_fields__"):
        return x
    return replace(x, **{k: put_in(v, name, value) for k, v in _fields(x)})


def with_seats(x: Any, seats: dict[int, int]) -> Any:
    """An expression that speaks of other seats."""
    if isinstance(x, tuple):
        return tuple(with_seats(a, seats) for a in x)
    if isinstance(x, ir.Const):
        if not isinstance(x.type, ir.PlayerType) or not isinstance(x.value, int):
            return x
        return replace(x, value=seats.get(x.value, x.value))
    if not hasattr(x, "__dataclass_fields__"):
        return x
    return replace(x, **{k: with_seats(v, seats) for k, v in _fields(x)})

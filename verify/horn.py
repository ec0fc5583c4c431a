"""A claim and the ways between stops as Horn clauses: one predicate for each stop, over whole numbers and truths.

The predicate of a stop is to hold of all that play can come to there: at first, and on each way from a stop where it
holds, with all that is held at both ends. Nowhere may it hold where the claim fails. What is no whole number and no
truth may be anything, and so may variables that are left out: predicates then hold of more than play comes to, never
of less.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import z3

from dsl import ir, types
from interpreter.values import UNSET
from verify.candidates import indices_of, size_of
from verify.env import Env
from verify.folded import Optional, OutOfTime, Unsupported, conj, lift
from verify.induction import Induction, Segment
from verify.steering import Place

_WHOLE = (ir.IntType, ir.PlayerType, ir.KindType, ir.RankType, ir.SuitType, ir.EnumType)
_SORTS = ("Int", "Bool")
_MOST_COLUMNS = 60
_MOST_STOPS = 400


@dataclass(frozen=True, slots=True)
class Column:
    """One argument of every predicate: what is there in the language, of which type, and which value at a position.

    A value that may be none has two: whether it is, and what it else is (0 or no where it is none).
    """

    expression: ir.Expr
    type: ir.Type
    value: Callable[[Env], Any]

    @property
    def sort(self) -> Any:
        return z3.BoolSort() if isinstance(self.type, ir.BoolType) else z3.IntSort()


class Clauses:
    """The clauses for one claim. `names` are the variables and zones that the predicates are about.

    Raises:
        Unsupported: There are none of them, or too many, or too many stops; or the time is up.
    """

    def __init__(self, induction: Induction, claim: ir.Property, looks: Callable[[ir.Node], bool],
                 names: frozenset[str], deadline: float) -> None:  # fmt: skip
        self._induction, self._claim, self._looks, self._deadline = induction, claim, looks, deadline
        self.columns = list(self._columns(names))
        if not self.columns:
            raise Unsupported("it is about no number and no truth that is kept")
        self.stops = [p for p in induction.stops if induction.is_reached(p)]
        if len(self.columns) > _MOST_COLUMNS or len(self.stops) > _MOST_STOPS:
            raise Unsupported("there are too many stops, or too much may matter there")
        sorts = [c.sort for c in self.columns]
        self._sorts = " ".join(map(str, sorts))
        self._at = {p: z3.Function(name_of(i), *sorts, z3.BoolSort()) for i, p in enumerate(self.stops)}
        self._made = 0

    def text(self) -> str:
        """All clauses, in SMT-LIB: satisfied by predicates that show the claim."""
        said = [f"(declare-fun {name_of(i)} ({self._sorts}) Bool)" for i in range(len(self.stops))]
        for place in (None, *self.stops):
            segment = self._induction.segment(place)
            known = [*segment.facts, *self._held(segment, place)]
            plain = Plain()
            for arrival in segment.arrivals:
                if arrival.target not in self._at:
                    continue
                self._check_time()
                kept = {id(x) for x in self._induction.held[arrival.target]}
                there = [z3.Not(lift(bad)) for x, bad in arrival.goals if id(x) in kept and bad is not False]
                body = [*known, lift(arrival.condition), *there]
                said += self._clause(plain, (place, segment.env), body, (arrival.target, arrival.env))
        for place in self.stops:
            if self._looks(self._induction.game.nodes[place.pc]):
                self._check_time()
                env, body = self._induction.against(self._claim, place)
                said += self._clause(Plain(), (place, env), body, None)
        return "\n".join([*said, "(check-sat)", ""])

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise OutOfTime

    def _held(self, segment: Segment, place: Place | None) -> Iterator[Any]:
        for a in self._induction.assumptions(place):
            yield a.meaning
            yield a.literal

    def _clause(self, plain: Plain, here: tuple[Place | None, Env], body: list[Any], to: tuple[Place, Env] | None
                ) -> list[str]:  # fmt: skip
        """Where the body holds at a place, so does the predicate there; nowhere without `to`."""
        premise = [] if here[0] is None else [self._at[here[0]](*self._values(here[1]))]
        then = z3.BoolVal(False) if to is None else self._at[to[0]](*self._values(to[1]))
        return _for_all(z3.Implies(conj(*premise, *body), then), plain)

    def _values(self, env: Env) -> list[Any]:
        out = []
        for column in self.columns:
            value = column.value(env)
            if value is None:  # not set: it may be anything
                self._made += 1
                value = z3.Const(f"anything!{self._made}", column.sort)
            out.append(lift(value))
        return out

    # ------------------------------------------------------------------------------------------ columns

    def _columns(self, names: frozenset[str]) -> Iterator[Column]:
        machine = self._induction.machine
        layout, steering = machine.layout, set(self._induction.symbolic.steering_cells)
        for i, (cell, declared) in enumerate(zip(layout.var_cells, layout.cell_vars, strict=True)):
            t = types.strip(declared.type)
            if cell.name not in names or i in steering or not isinstance(t, (*_WHOLE, ir.BoolType)):
                continue
            x = ir.Var(cell.name, indices_of(cell.indices, declared.dims), declared.type)
            if not isinstance(declared.type, ir.OptionalType):
                yield Column(x, t, lambda env, i=i: _whole(env.cells[i]))  # type: ignore[misc]
                continue
            none = ir.UnaryExpr(ir.Unary.IS_NONE, x, types.BOOL)
            blank = ir.Const(False if isinstance(t, ir.BoolType) else 0, t)
            yield Column(none, types.BOOL, lambda env, i=i: _is_none(env.cells[i]))  # type: ignore[misc]
            value = ir.IfExpr(none, blank, ir.UnaryExpr(ir.Unary.UNWRAP, x, t), t)
            yield Column(value, t, lambda env, i=i, b=blank.value: _or_blank(env.cells[i], b))  # type: ignore[misc]
        for zone in machine.game.zones:
            family = layout.zones[zone.name]
            for i in range(family.base, family.base + family.num_cells) if zone.name in names else ():
                x2 = size_of(ir.ZoneExpr(zone.name, indices_of(layout.zone_cells[i].indices, zone.dims)))
                yield Column(x2, types.INTEGER, lambda env, i=i: env.counts[i])  # type: ignore[misc]


def name_of(number: int) -> str:
    """The name of the predicate of a stop."""
    return f"stop!{number}"


def _whole(value: Any) -> Any:
    """A value that is never none; None where it is not set."""
    if isinstance(value, Optional):
        value = value.value
    return value if isinstance(value, int | z3.ExprRef) else None


def _is_none(value: Any) -> Any:
    if value is UNSET:
        return None
    return value.none if isinstance(value, Optional) else value is None


def _or_blank(value: Any, blank: Any) -> Any:
    if value is UNSET:
        return None
    if not isinstance(value, Optional):
        return blank if value is None else value
    return blank if value.none is True else z3.If(lift(value.none), lift(blank), lift(value.value))


# --------------------------------------------------------------------------------------------------- terms


_DECLARED: Final = re.compile(r"^\(declare-fun (\|[^|]*\||[^\s()]+) \(\) (\w+)\)$", re.MULTILINE)
_ASSERTED: Final = re.compile(r"^\(assert\s(.*?)\)\s*(?=^\(assert\s|^\(check-sat\))", re.DOTALL | re.MULTILINE)


def _for_all(clause: Any, plain: Plain) -> list[str]:
    """A clause for all values of the names in it, with whole numbers and truths only; none where it is true anyway.

    The solver finds the names much faster than whoever walks through it here.
    """
    text = _text(clause)
    if any(sort not in _SORTS for _, sort in _DECLARED.findall(text)):
        text = _text(plain.of(clause))
    names = " ".join(f"({name} {sort})" for name, sort in _DECLARED.findall(text))
    return [f"(assert (forall ({names}) {said}))" if names else f"(assert {said})" for said in _ASSERTED.findall(text)]


def _text(clause: Any) -> str:
    solver = z3.SimpleSolver()
    solver.add(clause)
    return solver.to_smt2()


class Plain:
    """Makes terms of whole numbers and truths only, of terms that have many parts in common.

    What hangs on anything else may be anything, but is the same wherever it stands.
    """

    def __init__(self) -> None:
        self._seen: dict[int, Any] = {}  # which keeps them alive, so that their numbers stay theirs
        self._open: list[tuple[Any, Any]] = []

    def of(self, term: Any) -> Any:
        """The term with names for what hangs on something else."""
        waiting = [term]
        while waiting:
            at = waiting.pop()
            if at.get_id() in self._seen:
                continue
            self._seen[at.get_id()] = at
            parts = at.children()
            if _is_plain(at) and not all(map(_is_plain, parts)):
                self._open.append((at, z3.Const(f"open!{len(self._open)}", at.sort())))
            else:
                waiting += parts
        return z3.substitute(term, *self._open) if self._open else term


def _is_plain(x: Any) -> bool:
    return bool(z3.is_bool(x) or z3.is_int(x))

"""Bounds that no single rule keeps to, shown by what is left to gain: a sum with weights of counts that only grows.

Say that points are never more than some number for each thing that was done, and for each that was used up. Which
numbers these are is found out by trial: weights are proposed, the ways between stops are asked where they fail, and
each answer is one more condition on the weights. In the end no way fails: where what is left to gain is not below 0, it
is not at the next stop either, and wherever the claim looks the bound follows from that.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

import z3

from dsl import ir, types
from verify.asking import added
from verify.candidates import indices_of, size_of
from verify.folded import OutOfTime, Unsupported, conj, lift
from verify.induction import Induction, Segment
from verify.steering import Place

_MOST_WEIGHTS = 60
_MOST_ROUNDS = 600
_QUERY_MS = 4_000


@dataclass(slots=True)
class Point:
    """What is weighed at a stop: the counts, and the number that is bounded; `facts`: what is so of new names there."""

    place: Place
    counts: list[Any]
    number: Any
    facts: list[Any]


@dataclass(slots=True)
class Ways:
    """From a stop on: the point there, and those to which its ways lead, each under a condition.

    `premise`: when the claim looks at the stop, False where it never does, with `facts` of new names in it; `passed`:
    when it does and the number is beyond its limit.
    """

    segment: Segment
    assumed: list[Any]
    here: Point | None
    there: list[tuple[Any, Point]] = field(default_factory=list)
    premise: Any = False
    facts: list[Any] = field(default_factory=list)
    passed: Any = False

    def all_facts(self) -> list[Any]:
        points = [point for _, point in self.there] + ([] if self.here is None else [self.here])
        return [*self.facts, *(fact for point in points for fact in point.facts)]


@dataclass(frozen=True, slots=True)
class Weights:
    """Whole numbers: the weight of each count and of the bounded number, and what is added at a node."""

    counts: tuple[int, ...]
    number: int
    rests: dict[int, int]

    def left(self, point: Point) -> Any:
        """What is left to gain at a point."""
        gained = [w * x for w, x in zip(self.counts, point.counts, strict=True) if w]
        return lift(self.rests[point.place.pc]) + z3.Sum(*gained, self.number * point.number)


class Potentials:
    """Seeks weights for one end of one bound.

    `number` is what is bounded, `limit` its greatest value if `upper`, else its least. `looks` tells whether the claim
    looks at a node, and `premise` when it does so.
    """

    def __init__(self, induction: Induction, number: ir.Expr, limit: Fraction, upper: bool,
                 looks: Callable[[ir.Node], bool], premise: ir.Expr | None, deadline: float) -> None:  # fmt: skip
        self._induction, self._deadline = induction, deadline
        induction.stop_at(deadline)
        self.number, self.limit, self.upper = number, limit, upper
        self._looks, self._premise = looks, premise
        self.counts = [x for x in _counts(induction) if x != number][:_MOST_WEIGHTS]
        self.ways = [w for p in (None, *induction.stops) if induction.is_reached(p) for w in [self._at(p)]]
        self._weights = [z3.Real(f"weight!{i}") for i in range(len(self.counts))]
        self._rests = {pc: z3.Real(f"rest!{pc}") for pc in sorted({p.pc for p in induction.stops})}
        self._solver = z3.Optimize()
        self._solver.set("timeout", _QUERY_MS * 5)
        sizes = []
        for w in self._weights:
            size = z3.Real(f"size!{w}")
            self._solver.add(size >= w, size >= -w)
            sizes.append(size)
        self._solver.minimize(z3.Sum(*sizes) if sizes else z3.RealVal(0))
        self.weights = Weights((), 0, {})  # those that were proposed last, and in the end those that were found
        self.rounds = 0

    def find(self) -> bool:
        """Whether weights were found that all ways keep to, and from which the bound follows."""
        if not self._propose():
            return False
        waiting = list(self.ways)
        fine = 0
        while fine < len(waiting):
            ways = waiting[0]
            waiting = [*waiting[1:], ways]
            if self._is_kept(ways):
                fine += 1
                continue
            fine = 0
            self.rounds += 1
            if self.rounds > _MOST_ROUNDS or time.monotonic() > self._deadline or not self._propose():
                return False
        return True

    # ------------------------------------------------------------------------------------------- points

    def _at(self, place: Place | None) -> Ways:
        induction = self._induction
        self._check_time()
        segment = induction.apart(place)
        ways = Ways(segment, [a.literal for a in segment.assumed], None)
        if place is not None:
            ways.here = self._point(place, segment.env)
            if self._looks(induction.game.nodes[place.pc]):
                ways.premise = True
                if self._premise is not None:
                    ways.facts, (premise,) = induction.values([self._premise], segment.env)
                    ways.premise = True if premise is None else premise
                limit = lift(self.limit)
                beyond = ways.here.number > limit if self.upper else ways.here.number < limit
                ways.passed = conj(ways.premise, beyond)
        for arrival in segment.arrivals:
            if induction.is_reached(arrival.target):
                ways.there.append((arrival.condition, self._point(arrival.target, arrival.env)))
        return ways

    def _point(self, place: Place, env: Any) -> Point:
        facts, values = self._induction.values([*self.counts, self.number], env)
        if values[-1] is None or any(v is None for v in values):
            raise Unsupported("a number that may be missing")
        *counts, number = [lift(v) for v in values]
        return Point(place, counts, number, facts)

    def _left(self, point: Point) -> Any:
        """What is left to gain at a point that was seen, with weights that are sought."""
        gained = [w * x for w, x in zip(self._weights, point.counts, strict=True)]
        return self._rests[point.place.pc] + z3.Sum(*gained, -point.number if self.upper else point.number)

    # ---------------------------------------------------------------------------------------- the search

    def _propose(self) -> bool:
        """New weights, that meet all conditions; False where there are none."""
        self._check_time()
        if self._solver.check() != z3.sat:
            return False
        model = self._solver.model()
        weights = [_fraction(model.eval(w, model_completion=True)) for w in self._weights]
        rests = {pc: _fraction(model.eval(r, model_completion=True)) for pc, r in self._rests.items()}
        scale = math.lcm(*(w.denominator for w in (*weights, *rests.values())))
        self.weights = Weights(
            tuple(int(w * scale) for w in weights), -scale if self.upper else scale,
            {pc: int(r * scale) for pc, r in rests.items()},
        )  # fmt: skip
        return True

    def _is_kept(self, ways: Ways) -> bool:
        """Whether all ways from a stop keep to the weights; where not, what that says of them is one more condition."""
        left, solver = self.weights.left, ways.segment.solver
        begins = True if ways.here is None else left(ways.here) >= 0
        asked: list[tuple[Any, Point | None]] = [(conj(c, left(there) < 0), there) for c, there in ways.there]
        with added(solver, *ways.all_facts(), begins):
            found = [
                self._fails(solver, ways, bad, there)
                for bad, there in [(ways.passed, None), *asked] if bad is not False
            ]  # fmt: skip
        return not any(found)

    def _fails(self, solver: Any, ways: Ways, bad: Any, there: Point | None) -> bool:
        """Whether something bad can be, then one more condition on the weights. `there`: where, if not here."""
        self._check_time()
        with added(solver, bad):
            result = solver.check(*ways.assumed)
            if result == z3.sat:
                model = solver.model()
                here = None if ways.here is None else self._left(_seen(model, ways.here))
                if there is None:
                    assert here is not None
                    self._solver.add(here <= -1)
                else:
                    self._solver.add(self._left(_seen(model, there)) >= (0 if here is None else here))
        if result == z3.unknown:
            raise Unsupported("the solver gave up")
        return bool(result == z3.sat)

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise OutOfTime


def _counts(induction: Induction) -> list[ir.Expr]:
    """What may be weighed: whole numbers and sizes, and what is so or is there, as 1 and 0.

    What there is of each seat, or of each numbered place, is weighed together; of each kind, rank or suit by itself.
    """
    machine = induction.machine
    layout, together = machine.layout, dict[Any, list[ir.Expr]]()
    for cell, declared in zip(layout.var_cells, layout.cell_vars, strict=True):
        here = ir.Var(cell.name, indices_of(cell.indices, declared.dims), declared.type)
        counted = None if declared.local else _counted(here)
        if counted is not None:
            together.setdefault(("variable", cell.name, *_apart(cell.indices, declared.dims)), []).append(counted)
    for cell, zone in zip(layout.zone_cells, layout.cell_zones, strict=True):
        place = ir.ZoneExpr(cell.name, indices_of(cell.indices, zone.dims))
        together.setdefault(("zone", cell.name, *_apart(cell.indices, zone.dims)), []).append(size_of(place))
    return [reduce(_plus, cells) for cells in together.values()]


def _counted(here: ir.Var) -> ir.Expr | None:
    match here.type:
        case ir.IntType():
            return here
        case ir.BoolType():
            asked: ir.Expr = here
        case ir.OptionalType():
            asked = ir.UnaryExpr(ir.Unary.NOT, ir.UnaryExpr(ir.Unary.IS_NONE, here, types.BOOL), types.BOOL)
        case _:
            return None
    return ir.IfExpr(asked, ir.Const(1, types.INTEGER), ir.Const(0, types.INTEGER), types.INTEGER)


def _apart(indices: tuple[int, ...], dims: tuple[ir.Domain, ...]) -> list[int]:
    alike = ir.PlayerType | ir.IntType
    return [i for i, d in zip(indices, dims, strict=True) if not isinstance(d, alike)]


def _plus(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    return ir.BinaryExpr(ir.Binary.ADD, a, b, types.INTEGER)


def _seen(model: Any, point: Point) -> Point:
    def value(x: Any) -> Any:
        return z3.RealVal(_fraction(model.eval(x, model_completion=True)))

    return Point(point.place, [value(x) for x in point.counts], value(point.number), [])


def _fraction(x: Any) -> Fraction:
    if z3.is_rational_value(x):
        return Fraction(x.numerator_as_long(), x.denominator_as_long())
    return Fraction(x.as_long())

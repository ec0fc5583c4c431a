"""Whether play comes to an end, from what is kept up at the stops: numbers that rise to a limit, one after another.

A part of the stops that goes round is left after finitely many steps if some number never falls on any way within it,
has a limit, and surely rises on the ways that are then cut out; and so on with what is left (a lexicographic ranking;
Bradley, Manna and Sipma 2005). Numbers are those that the rules and claims speak of, rising or falling, and
combinations that are kept in variables, of which any pack has only so many.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import z3

from dsl import ir, types
from dsl.graphs import circles
from interpreter.values import Words
from verify.asking import added, failing
from verify.folded import OutOfTime, conj, disj, is_same, less, neg
from verify.induction import Arrival, Induction, Segment
from verify.steering import Place
from verify.wording import Wording

FAR: Final = 10**9
"""A number that is sure to be below this has a limit."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that may rise: a number, or with `falls` its opposite, or a combination."""

    of: ir.Expr
    falls: bool = False

    @property
    def is_number(self) -> bool:
        return isinstance(types.of(self.of), ir.IntType)


@dataclass(frozen=True, slots=True)
class Ranked:
    """`left`: the stops that play may go round for ever, as far as was found. None: every way round has an end.

    `by`: what rises on the ways round, in the order in which it was found.
    """

    by: tuple[Measure, ...]
    left: tuple[ir.Node, ...] = ()

    def told(self, words: Words) -> str:
        """What rises and what falls, in the words of the rules."""
        wording = Wording(words)
        rising = ", ".join(f"`{wording.of(m.of)}`" for m in self.by if not m.falls)
        falling = ", ".join(f"`{wording.of(m.of)}`" for m in self.by if m.falls)
        parts = [f"{verb} {some}" for verb, some in (("rises one of" if "," in rising else "rises", rising),
                 ("falls one of" if "," in falling else "falls", falling)) if some]  # fmt: skip
        return f"on every way round {' or '.join(parts)}, each to a limit" if parts else "no way goes round"


@dataclass(frozen=True, slots=True, eq=False)
class RoundWay:
    """From one stop to the next within a part that goes round. `values`: of each measure, here and there.

    `taken`: when play goes this way; `condition`: when it does and nothing rises that rises only so often.
    """

    start: Place
    segment: Segment
    arrival: Arrival
    taken: Any
    condition: Any
    assumed: list[Any]
    values: dict[ir.Expr, tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class Step:
    """What a level says of a way: each of `limited` is below a limit where it rises, so that they do so only so often.
    With `rises` one of them is sure to, and the way is cut out; else they are taken not to rise on it any more.
    """

    way: RoundWay
    limited: tuple[Measure, ...]
    rises: bool


@dataclass(frozen=True, slots=True)
class Level:
    """All ways that were left in a circle. None of the ranks, which are those that some way limits, falls on any."""

    ranks: tuple[Measure, ...]
    steps: tuple[Step, ...]


class Ranking:
    """Looks for numbers that rise on every way round among the stops of one game.

    A way that comes past a node of `cut` is left out. So are those on which the clock strikes: it strikes each of its
    events once. When all was found, `levels` has how, in order, and `impossible` the ways that cannot be taken.
    """

    def __init__(self, induction: Induction, cut: frozenset[int], seconds: float) -> None:
        self._induction, self._cut = induction, cut
        self._deadline = time.monotonic() + seconds
        self._by: dict[Measure, None] = {}
        self.levels: list[Level] = []
        self.impossible: list[RoundWay] = []
        self._measures = self._all_measures()

    def found(self) -> Ranked:
        """What was found.

        Raises:
            Unsupported: The time is up.
        """
        graph = self._induction.reached()
        left: list[ir.Node] = []
        for part in circles(graph, lambda p: graph[p]):
            ways = list(self._ways(part))
            left += self._open(ways)
        return Ranked(tuple(self._by), tuple(dict.fromkeys(left)))

    def _all_measures(self) -> list[Measure]:
        vocabulary = self._induction.vocabulary
        out = [Measure(x, falls) for x in (*vocabulary.totals, *vocabulary.numbers) for falls in (False, True)]
        for declared in self._induction.game.state:
            t = types.strip(declared.type)
            if not declared.dims and isinstance(t, ir.CombinationType):
                out.append(Measure(ir.Var(declared.name, (), declared.type)))
        return out

    # -------------------------------------------------------------------------------------------- ways

    def _ways(self, part: list[Place]) -> Iterator[RoundWay]:
        inside = set(part)
        wanted = list(dict.fromkeys(m.of for m in self._measures))
        for place in part:
            segment, assumed = self._induction.segment(place), self._induction.assumed(place)
            passes = disj(*(c for pc, c in segment.passed if pc in self._cut), *segment.struck)
            known, here = self._induction.values(wanted, segment.env)
            for arrival in segment.arrivals:
                condition = conj(arrival.condition, neg(passes))
                if arrival.target not in inside:
                    continue
                facts, there = self._induction.values(wanted, arrival.env)
                pairs = zip(wanted, here, there, strict=True)
                values = {x: (a, b) for x, a, b in pairs if a is not None and b is not None}
                taken = conj(condition, *known, *facts)
                way = RoundWay(place, segment, arrival, taken, taken, assumed, values)
                if self._sure(way, True):
                    self.impossible.append(way)
                else:
                    yield way

    def _sure(self, way: RoundWay, bad: Any) -> bool:
        """Whether something that would be wrong is impossible on a way."""
        self._check_time()
        if bad is False:
            return True
        with added(way.segment.solver, way.condition, bad):
            return bool(way.segment.solver.check(*way.assumed) == z3.unsat)

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise OutOfTime

    # ---------------------------------------------------------------------------------------- measures

    def _open(self, ways: list[RoundWay]) -> list[ir.Node]:
        """The stops that some ways leave going round."""
        left: list[ir.Node] = []
        following: dict[Place, list[Place]] = {}
        for way in ways:
            following.setdefault(way.start, []).append(way.arrival.target)
        for part in circles(list(following), lambda p: [q for q in following.get(p, ()) if q in following]):
            members = set(part)
            inside = [w for w in ways if w.start in members and w.arrival.target in members]
            kept = self._cut_out(inside)
            if kept == inside:
                left += [self._induction.game.nodes[p.pc] for p in part]
            elif kept:
                left += self._open(kept)
        return left

    def _cut_out(self, ways: list[RoundWay]) -> list[RoundWay]:
        """What is left of the ways where nothing rises that never falls on any of them and has a limit."""
        rising = [m for m in self._measures if all(m.of in w.values for w in ways)]
        rising = [m for m in rising if any(not is_same(*w.values[m.of]) for w in ways)]
        for way in ways:
            rising = self._never_falling(way, rising)
            if not rising:
                return ways
        steps = [self._step(way, [m for m in rising if self._has_limit(way, m)]) for way in ways]
        used = tuple(dict.fromkeys(m for step in steps for m in step.limited))
        if not used:
            return ways
        self.levels.append(Level(used, tuple(steps)))
        return [_rest(step) for step in steps if not step.rises]

    def _step(self, way: RoundWay, limited: list[Measure]) -> Step:
        """What some ranks do on a way that none of them ever falls on, and all have a limit where they rise."""
        by = self._that_rise(way, limited)
        used = [m for m in limited if not self._sure(way, above(m, *way.values[m.of]))] if by is None else by
        self._by.update(dict.fromkeys(used))
        return Step(way, tuple(used), by is not None)

    def _that_rise(self, way: RoundWay, measures: list[Measure]) -> list[Measure] | None:
        """A few of which some one is sure to rise on a way."""

        def is_enough(some: list[Measure]) -> bool:
            return bool(some) and self._sure(way, neg(disj(*(above(m, *way.values[m.of]) for m in some))))

        for m in sorted(measures, key=lambda m: m not in self._by):
            if is_enough([m]):
                return [m]
        if not is_enough(measures):
            return None
        for m in measures[::-1]:
            fewer = [x for x in measures if x != m]
            measures = fewer if is_enough(fewer) else measures
        return measures

    def _never_falling(self, way: RoundWay, measures: list[Measure]) -> list[Measure]:
        """Those that do not fall on a way."""
        open_ = [(m, bad) for m in measures if (bad := falls(m, *way.values[m.of])) is not False]
        with added(way.segment.solver, way.condition):
            failed = failing(way.segment.solver, way.assumed, open_, self._check_time)
        return [m for m in measures if m not in failed]

    def _has_limit(self, way: RoundWay, measure: Measure) -> bool:
        """Whether something is below a limit where a way begins, if it may rise on the way at all."""
        here, there = way.values[measure.of]
        return not is_same(here, there) and self._sure(way, beyond(measure, here))


def _rest(step: Step) -> RoundWay:
    """The way without what rises only so often."""
    rises = [above(m, *step.way.values[m.of]) for m in step.limited]
    return replace(step.way, condition=conj(step.way.condition, *map(neg, rises))) if rises else step.way


def beyond(measure: Measure, here: Any) -> Any:
    """That what is here is past the limit. A combination never is: any pack has only so many of them."""
    if not measure.is_number:
        return False
    return here < -FAR if measure.falls else here > FAR


def above(measure: Measure, here: Any, there: Any) -> Any:
    """That what is there is above what is here."""
    return less(there, here, False) if measure.falls else less(here, there, False)


def falls(measure: Measure, here: Any, there: Any) -> Any:
    """That what is there is below what is here."""
    return False if is_same(here, there) else above(measure, there, here)

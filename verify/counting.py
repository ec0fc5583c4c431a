"""The count abstraction of a game: the graph that is played, over card counts and the variables worth knowing.

It stands for every deal at once: whatever a real play can do, it can do (an over-approximation). What it proves
unreachable is unreachable; what it reaches may still be impossible with real cards, and has to be replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import product
from typing import Any

from dsl import ir
from dsl.walk import variables_read
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.capacities import Summed, summable
from verify.counting_cards import CardSteps
from verify.counting_choices import decide
from verify.counting_nodes import capacities, estimates_of, gathers_first, small_domain
from verify.counts import Counts, Estimate, Impossible
from verify.estimate import Estimator
from verify.points import Label, Point, Trouble, Unsupported
from verify.slicing import liveness, needed_zones
from verify.unknown import UNKNOWN

_MAX_STARTS = 5000


class CountMachine:
    """Steps of the abstraction. `tracked` are the variables whose values it keeps, `questions` what will be asked.

    Zones whose counts steer nothing and are not asked for are not counted: their count is None. With `coarse`, nor
    are those of which it may matter only whether they are empty.
    """

    def __init__(self, machine: Machine, tracked: frozenset[str], questions: tuple[ir.Expr, ...] = (),
                 coarse: bool = False) -> None:  # fmt: skip
        self.machine, self.game, self.layout = machine, machine.game, machine.layout
        self.summed: dict[str, Summed] = summable(machine)
        self.tracked = tracked
        self._e = Estimator(machine, self.summed)
        needed = needed_zones(self.game, questions, not coarse)
        self._counted = [c.name in needed for c in self.layout.zone_cells]
        watched = frozenset(name for x in questions for name in variables_read(x, self.game))
        self._live = liveness(self.game, watched)
        self._holds = capacities(self._e)
        self._kept = [c.name in tracked for c in self.layout.var_cells]
        self._cases = [small_domain(machine, v) for v in self.layout.cell_vars]
        self._scalar = [self.layout.vars[c.name].num_cells == 1 for c in self.layout.var_cells]
        self._dead = [
            tuple(i for i, c in enumerate(self.layout.var_cells) if self._scalar[i] and c.name not in live)
            for live in self._live
        ]
        self._nodes = [estimates_of(n, self._e, tracked) for n in self.game.nodes]
        self._cards = CardSteps(machine, self.summed, self._holds, needed)
        self.troubles: set[Trouble] = set()

    def estimate(self, expr: ir.Expr) -> Estimate:
        """The estimate of an expression, for a property."""
        return self._e.estimate(expr)

    def bound(self, *names: str) -> AbstractContextManager[list[int]]:
        """Within, names of a property stand for places in `scratch`."""
        return self._e.bound(*names)

    @property
    def scratch(self) -> list[Any]:
        """The values of names bound in expressions."""
        return self._e.scratch

    def ready(self, node: int) -> tuple[Any, ...]:
        """The estimates that a node needs, as `_step` takes them."""
        return self._nodes[node]

    def keeps(self, cell: int) -> bool:
        """Whether the value of a variable is kept."""
        return self._kept[cell]

    def cases(self, cell: int) -> tuple[Any, ...] | None:
        """The values of a variable of few values, each a case where the value is not known."""
        return self._cases[cell]

    def holds(self, place: int) -> int | None:
        """The most cards that a place can hold."""
        return self._holds[place]

    def counts(self, point: Point) -> Counts:
        """A position, to evaluate estimates in."""
        return Counts(list(point.vars), list(point.counts))

    def start(self) -> Point:
        """The position before anything has happened."""
        state = self.machine.blank(recording=False)
        variables = [v if kept else UNKNOWN for v, kept in zip(state.vars, self._kept, strict=True)]
        counts = tuple(len(z) if c else None for z, c in zip(state.zones, self._counted, strict=True))
        return Point(self.game.entry, tuple(variables), counts, 0, ())

    def starts_anywhere(self) -> list[Point]:
        """Every position in which the game's entry may be reached, whatever happened before.

        This is for a rule that is looked at by itself. The cards may lie anywhere at first, which comes to one
        position where the rule begins by gathering them all.

        Raises:
            Unsupported: It does not begin so, or there are too many cases.
        """
        if not gathers_first(self.game):
            raise Unsupported("the rule does not begin by gathering all cards")
        live = self._live[self.game.entry]
        choices: list[tuple[Any, ...]] = []
        size = 1
        for cell, kept, scalar, cases in zip(self.layout.var_cells, self._kept, self._scalar, self._cases, strict=True):
            if scalar and cell.name not in live:
                choices.append((UNSET,))
            elif not kept or not scalar or cases is None:
                choices.append((UNKNOWN,))
            else:
                choices.append(cases)
                size *= len(cases)
        if size > _MAX_STARTS:
            raise Unsupported("there are too many ways for the rule to begin")
        counts = self.start().counts
        return [Point(self.game.entry, variables, counts, 0, ()) for variables in product(*choices)]

    # ------------------------------------------------------------------------------------------- steps

    def successors(self, point: Point) -> list[tuple[Label | None, Point]]:
        """Where a position may lead. Obligations that fail, or may, are added to `troubles`."""
        node = self.game.nodes[point.pc]
        s = self.counts(point)
        try:
            found = list(self._step(node, self._nodes[point.pc], point, s))
        except Impossible as impossible:
            self.troubles.add(Trouble(point.pc, impossible.message, True))
            return []
        for doubt in s.doubts:
            self.troubles.add(Trouble(point.pc, doubt, False))
        return [(label, self.tidy(p)) for label, p in found]

    def _step(self, node: ir.Node, ready: tuple[Any, ...], point: Point, s: Counts
              ) -> Iterator[tuple[Label | None, Point]]:  # fmt: skip
        match node:
            case ir.Assign(variable, _, after, _):
                cell, value, bounds = ready
                yield from self._assign(point, s, variable, cell(s), value(s), bounds, after, None)
            case ir.Branch(_, yes, no, _):
                truth = ready[0](s)
                if truth is not False:
                    yield (None if truth is True else Label("branch", "yes", must=False)), point._replace(pc=yes)
                if truth is not True:
                    yield (None if truth is False else Label("branch", "no", must=False)), point._replace(pc=no)
            case ir.Deal():
                yield from ((None, p) for p in self._cards.deal(node, ready, point, s))
            case ir.Move():
                yield from ((None, p) for p in self._cards.move(node, ready, point, s))
            case ir.Gather():
                yield None, self._cards.gather(node, ready, point, s)
            case ir.Reveal() | ir.Announce() | ir.Mark() | ir.Shuffle() | ir.Cut():
                for asked in ready:
                    asked(s)
                label = Label("chance", "shuffle") if isinstance(node, ir.Shuffle | ir.Cut) else None
                yield label, point._replace(pc=node.next)
            case ir.Random(variable, _, after, _):
                cell, items = ready
                found = items(s)
                if found is None:
                    raise Unsupported("chance picks among cards")
                values = [(v, w) for v, w in found if w is not False]
                if not values:
                    raise Impossible("no value to pick at random")
                if all(w is UNKNOWN for _, w in values):
                    s.doubts.add("no value to pick at random")
                for value, where in values:
                    label = Label("chance", str(value), must=where is True)
                    yield from self._assign(point, s, variable, cell(s), value, None, after, label)
            case ir.Decide():
                yield from decide(node, ready, point, s, self.machine, self._kept)
            case ir.Collect() | ir.Forget():
                raise Unsupported("players choose at once")
            case ir.Resume():
                if point.frames:
                    yield None, point._replace(pc=point.frames[-1], frames=point.frames[:-1])
            case ir.Finish():
                return

    def _assign(self, point: Point, s: Counts, variable: ir.Var, cell: int | None, value: Any,
                bounds: tuple[int | None, int | None, bool] | None, after: int, label: Label | None
                ) -> Iterator[tuple[Label | None, Point]]:  # fmt: skip
        if bounds is not None and value is not None:
            low, high, kept = bounds
            if value is UNKNOWN:
                if not kept:
                    s.doubts.add(f"{variable.name} leaves its range")
            elif (low is not None and value < low) or (high is not None and value > high):
                raise Impossible(f"{variable.name} leaves its range")
        variables = list(point.vars)
        if cell is not None and self._kept[cell]:
            cases = self._cases[cell] if value is UNKNOWN else None
            for case in (value,) if cases is None else cases:
                variables[cell] = case
                told = label if cases is None else Label("branch", f"{variable.name} = {case}", must=False)
                yield told, Point(after, tuple(variables), point.counts, point.fired, point.frames)
            return
        if cell is not None:
            variables[cell] = UNKNOWN
        else:
            family = self.layout.vars[variable.name]
            for i in range(family.base, family.base + family.num_cells):
                variables[i] = variables[i] if variables[i] == value else UNKNOWN
        yield label, point._replace(pc=after, vars=tuple(variables))

    # --------------------------------------------------------------------------------------------- tidy

    def tidy(self, point: Point) -> Point:
        """The position without what no longer matters, so that equal futures are one position."""
        if point.frames:
            return point
        values = point.vars
        stale = [i for i in self._dead[point.pc] if values[i] is not UNSET]
        if not stale:
            return point
        variables = list(point.vars)
        for i in stale:
            variables[i] = UNSET
        return Point(point.pc, tuple(variables), point.counts, point.fired, point.frames)

"""What leads to what in the count abstraction: whether what is to come can be kept from coming.

Whatever a real play can do, the abstraction can. So it is looked at every position where what comes first may hold,
and from there at every way on as long as what is to come of it is not certain. Where no such way comes to an end, and
none goes on for ever, it comes in every play; the longest of them tells after how many steps at most.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from dsl import graphs, ir, model, types
from dsl.walk import parts
from verify.checks_graph import Edge, Passing, components, ranked
from verify.counting import CountMachine
from verify.counts import Estimate, Impossible
from verify.explorations import asked_by, explorations
from verify.explore import Explored
from verify.outcome import OUT_OF_TIME
from verify.outlook import is_seen
from verify.places import assignments, expressions_of, looks_at
from verify.points import Label, Point, Unsupported
from verify.symmetry import Canonical

_STEPS = (ir.Decide, ir.Collect, ir.Shuffle, ir.Cut, ir.Random)
_STOPS = (*_STEPS, ir.Finish)
At: TypeAlias = tuple[Point, bool]
"""A position, and whether the clock has brought play there in the middle of a step: no stop, then, at a decision."""
_WaysOn: TypeAlias = dict[At, list[tuple[int, At]]]
_Parents: TypeAlias = dict[At, tuple[At, Label | None] | None]


@dataclass(frozen=True, slots=True)
class Led:
    """`holds`: it comes in every play, after `steps` at the most where that is known. Else `because` says why not, and
    `path` is a way in the abstraction on which it does not come. `meets`: whether what comes first may hold anywhere.
    """

    holds: bool
    because: str
    steps: int | None = None
    path: tuple[Label, ...] = ()
    meets: bool = True


def led(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Led:
    """Whether what the claim says to lead to something does, as far as numbers of cards can tell."""
    claim = looking_at_now(claim)
    where, each = looks_at(claim, source), turns(claim, expressions_of(claim))
    found = Led(False, OUT_OF_TIME)
    deadline = math.inf
    try:
        for kept in explorations(asked_by(claim, each), source, num_players):
            if time.monotonic() >= deadline:
                break
            # What it takes to begin is shared, too.
            deadline = min(deadline, time.monotonic() + seconds)
            _, deadline = kept.first(None, deadline)
            if not kept.explored.complete:
                found = Led(False, f"{len(kept.explored.points)} positions were not all", path=found.path)
                continue
            found = Ways(claim, where, kept.counting, kept.explored, kept.canonical, deadline).answer(kept.told)
            if found.holds:
                break
    except Unsupported as error:
        return Led(False, str(error), path=found.path)
    return found


def looking_at_now(claim: ir.Property) -> ir.Property:
    """A claim that says no less: what comes first, without what looks back over a step."""
    first, then = claim.expressions
    premise = None if claim.premise is None else _now(claim.premise)
    return replace(claim, expressions=(_now(first), then), premise=premise)


def _now(condition: ir.Expr) -> ir.Expr:
    """A condition that holds wherever this one does and looks back to nothing."""
    if not any(isinstance(part, ir.Before) for part in parts(condition)):
        return condition
    if isinstance(condition, ir.BinaryExpr) and condition.op is ir.Binary.AND:
        return replace(condition, left=_now(condition.left), right=_now(condition.right))
    return ir.Const(True, types.BOOL)


def turns(claim: ir.Property, asked: tuple[ir.Expr, ...]) -> bool:
    """Whether a name of the claim may stand for one of several seats or places that could change about."""
    names = {n for n, t in claim.variables if not isinstance(t, ir.IntType)}
    named = {n for n, t in claim.variables if isinstance(t, ir.IntType)}
    for part in (p for x in asked for p in parts(x)):
        if isinstance(part, ir.ZoneExpr | ir.AllOfZone | ir.Var | ir.CallExpr):
            names |= {p.name for p in parts(part) if isinstance(p, ir.Local) and p.name in named}
    return bool(names)


class Ways:
    """The ways through an explored graph on which what is to come has not come."""

    def __init__(self, claim: ir.Property, where: str, counting: CountMachine, explored: Explored,
                 alike: Canonical | None, deadline: float) -> None:  # fmt: skip
        self._claim, self._where, self._deadline = claim, where, deadline
        self._machine, self._counting, self._explored = counting.machine, counting, explored
        self._passing = Passing(counting, alike)
        self._nodes, self._timed = self._machine.game.nodes, self._machine.game.clock is not None
        self._faults = False
        with counting.bound(*(n for n, _ in claim.variables)) as self._slots:
            self._first, self._then = (counting.estimate(x) for x in claim.expressions)
            self._premise = None if claim.premise is None else counting.estimate(claim.premise)

    def answer(self, told: str) -> Led:
        """What comes of it in each case of the claim."""
        steps: int | None = 0
        meets, cuts = False, list[str]()
        for _ in self.cases():
            starts = self._starts()
            meets = meets or bool(starts)
            found = self._one(starts, cuts)
            if not found.holds:
                return found
            steps = None if steps is None or found.steps is None else max(steps, found.steps)
        ends = f"; on every way back {'; '.join(sorted(set(cuts)))}" if cuts else ""
        faults = "; where the rules fail, nothing is said" if self._faults else ""
        return Led(True, f"{told}{ends}{faults}", steps, meets=meets)

    def cases(self) -> Iterator[tuple[Any, ...]]:
        """Each case of the claim, which is the one that is looked at until the next."""
        for case in assignments(self._machine, self._claim):
            for slot, value in zip(self._slots, case, strict=True):
                self._counting.scratch[slot] = value
            yield case

    def ranks(self) -> dict[At, int] | None:
        """Where it has not come yet, each with a number that no way on raises; None where play may be stuck.

        It falls on each way that does not lead round to where it begins.
        """
        ways, _, stuck = self._spread(self._starts())
        if stuck is not None:
            return None
        following = {at: [x for _, x in out if x in ways] for at, out in ways.items()}
        out: dict[At, int] = {}
        for part in graphs.components(following, lambda at: following[at]):
            rank = 1 + max((out[x] for at in part for x in following[at] if x in out), default=-1)
            out.update(dict.fromkeys(part, rank))
        return out

    # ------------------------------------------------------------------------------------- at a position

    def _starts(self) -> list[At]:
        """Where what comes first may hold."""
        out: list[At] = []
        for point in self._explored.points:
            out += self.starts_at(point)
            self._check_time()
        return out

    def starts_at(self, point: Point) -> list[At]:
        """The same at one position."""
        if not (self._looks(point) and self._maybe(point)):
            return []
        return [(point, False), *([(point, True)] if self._timed and self._where == "rule" else [])]

    def _looks(self, point: Point) -> bool:
        node = self._nodes[point.pc]
        return is_seen(node, self._claim, self._where) and isinstance(node, (*_STOPS, ir.Mark))

    def _maybe(self, point: Point) -> bool:
        s = self._counting.counts(point)
        try:
            return (self._premise is None or self._premise(s) is not False) and self._first(s) is not False
        except Impossible:
            return False

    def came(self, at: At, is_first: bool = False) -> bool:
        """Whether what is to come is certain there. Positions between stops count only where it begins."""
        point, is_midway = at
        node = self._nodes[point.pc]
        if isinstance(node, ir.Finish) and self._claim.or_end:
            return True
        if not is_first and (not isinstance(node, _STOPS) or (is_midway and isinstance(node, ir.Decide))):
            return False
        return _is_certain(self._then, self._counting, point)

    # ---------------------------------------------------------------------------------------- the ways on

    def _following(self, at: At) -> Iterator[tuple[int, Label | None, At]]:
        return self.following(at, self._explored.edges[at[0]])

    def following(self, at: At, edges: Iterable[tuple[Label | None, Point]]) -> Iterator[tuple[int, Label | None, At]]:
        """Where it goes on by the edges of a position, with the steps that it takes: one from each stop."""
        point, is_midway = at
        node = self._nodes[point.pc]
        decides = isinstance(node, ir.Decide)
        if is_midway and decides:
            yield 0, None, (point, False)  # the time is up before anything is chosen
        steps = 1 if isinstance(node, _STEPS) and not (is_midway and decides) else 0
        for label, after in edges:
            by_clock = label is not None and label.kind == "clock"
            yield steps, label, (after, by_clock or (is_midway and not isinstance(node, _STEPS)))

    def _one(self, starts: list[At], cuts: list[str]) -> Led:
        """One case: every way from where it begins to where it has come."""
        ways, parents, stuck = self._spread(starts)
        if stuck is not None:
            because = f"as far as the abstraction can tell, {self.why_stuck(stuck)}"
            return Led(False, because, path=self._way(stuck, parents))
        if (order := _in_order(ways)) is None:
            return self._rounds(ways, parents, cuts)
        longest: dict[At, tuple[int, At | None]] = {}
        for at in reversed(order):
            lengths = ((s + longest[x][0] if x in ways else s, x if x in ways else None) for s, x in ways[at])
            longest[at] = max(lengths, key=lambda pair: pair[0], default=(0, None))
        begins = max((at for at, before in parents.items() if before is None), key=lambda at: longest[at][0],
                     default=None)  # fmt: skip
        steps = 0 if begins is None else longest[begins][0]
        if begins is None or self._claim.within is None or steps <= self._claim.within:
            return Led(True, "", steps)
        return Led(False, f"as far as the abstraction can tell, it may take {steps} steps",
                   path=(*self._way(begins, parents), *self._along(begins, longest)))  # fmt: skip

    def _spread(self, starts: list[At]) -> tuple[_WaysOn, _Parents, At | None]:
        """Every way from where it begins to where it has come; or up to where it is stuck, which comes last."""
        came: dict[At, bool] = {}
        parents: _Parents = {}
        parents.update((at, None) for at in starts if not self.came(at, is_first=True))
        ways: _WaysOn = {}
        queue = deque(parents)
        while queue:
            at = queue.popleft()
            ways[at] = []
            for steps, label, after in self._following(at):
                ways[at].append((steps, after))
                if after not in came:
                    came[after] = self.came(after)
                if not came[after] and after not in parents:
                    parents[after] = at, label
                    queue.append(after)
            if not ways[at] and self.why_stuck(at):
                return ways, parents, at
            self._faults = self._faults or not ways[at]  # such a play shows nothing
            self._check_time()
        return ways, parents, None

    def why_stuck(self, at: At) -> str:
        """What it means that nothing leads on from here; nothing where the rules fail."""
        match self._nodes[at[0].pc]:
            case ir.Finish():
                return "the game may end before that"
            case ir.Decide():
                return "nobody may be able to go on before that"
            case _:
                return ""

    def _rounds(self, ways: _WaysOn, parents: _Parents, cuts: list[str]) -> Led:
        """Ways that may go on for ever, unless on each of them a number moves towards its limit."""
        pairs = dict.fromkeys((at[0], after[0]) for at, out in ways.items() for _, after in out
                              if after in ways and not (at[0] == after[0] and at[1] > after[1]))  # fmt: skip
        endless: list[Edge] = []
        for part in components([Edge(a, b, frozenset()) for a, b in pairs]):
            inside = [e for p in part for e in self._passing.edges(p) if e.end in part and (p, e.end) in pairs]
            endless += ranked(self._machine, inside, cuts)
            self._check_time()
        if not endless and self._claim.within is None:
            return Led(True, "", None)
        if not endless:
            return Led(False, "it comes in every play, but after how many steps at most is not known")
        goes_round = {e.start for e in endless}
        first = next(at for at in parents if at[0] in goes_round)
        return Led(False, "as far as the abstraction can tell, play may go on for ever before that",
                   path=(*self._way(first, parents), *self._round(first, ways)))  # fmt: skip

    # ------------------------------------------------------------------------------- ways in the abstraction

    def _way(self, at: At, parents: _Parents) -> tuple[Label, ...]:
        """The way from the start of the game."""
        out: list[Label | None] = []
        before = parents[at]
        while before is not None:
            out.append(before[1])
            at, before = before[0], parents[before[0]]
        start = [label for label, _ in self._explored.path(at[0])]
        return tuple(label for label in (*start, *reversed(out)) if label is not None)

    def _along(self, at: At | None, longest: dict[At, tuple[int, At | None]]) -> tuple[Label, ...]:
        out: list[Label | None] = []
        while at is not None:
            after = longest[at][1]
            out += [label for _, label, x in self._following(at) if x == after][:1]
            at = after
        return tuple(label for label in out if label is not None)

    def _round(self, first: At, ways: _WaysOn) -> tuple[Label, ...]:
        """The shortest way back to a position, as long as there is one."""
        parents: _Parents = {}
        queue = deque([first])
        while queue:
            at = queue.popleft()
            for _, label, after in self._following(at):
                if after in ways and after not in parents:
                    parents[after] = at, label
                    queue.append(after)
        out: list[Label | None] = []
        at = first
        while (before := parents.get(at)) is not None:
            out.append(before[1])
            at = before[0]
            if at == first:
                break
        return tuple(label for label in reversed(out) if label is not None)

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise Unsupported(OUT_OF_TIME)


def _is_certain(estimate: Estimate, counting: CountMachine, point: Point) -> bool:
    s = counting.counts(point)
    try:
        return estimate(s) is True and not s.doubts
    except Impossible:
        return False


def _in_order(ways: _WaysOn) -> list[At] | None:
    """The positions, each before those that it leads to; None where some way leads back."""
    coming = dict.fromkeys(ways, 0)
    for out in ways.values():
        for _, after in out:
            if after in coming:
                coming[after] += 1
    order = [at for at, number in coming.items() if not number]
    for at in order:
        for _, after in ways[at]:
            if after in coming:
                coming[after] -= 1
                if not coming[after]:
                    order.append(after)
    return order if len(order) == len(ways) else None

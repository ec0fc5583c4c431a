"""Exhaustive search of the count abstraction, breadth first, so that the shortest way to anything is found."""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from dsl import ir
from verify.counting import CountMachine
from verify.points import Label, Point
from verify.running import Runner

# Where a claim may look. The ends of marked rules are among them.
_LOOKED_AT = (ir.Decide, ir.Collect, ir.Shuffle, ir.Cut, ir.Random, ir.Finish, ir.Mark)


@dataclass(slots=True)
class Explored:
    """What was found. `complete`: nothing was left out, for want of time or room or because enough was seen."""

    points: dict[Point, tuple[Point, Label | None] | None] = field(default_factory=dict)
    edges: dict[Point, list[tuple[Label | None, Point]]] = field(default_factory=dict)
    dead_ends: list[Point] = field(default_factory=list)
    doubtful_ends: list[Point] = field(default_factory=list)
    taken: set[tuple[int, int]] = field(default_factory=set)  # node of a decision, number of the action
    bad: Point | None = None
    complete: bool = True
    seconds: float = 0.0

    def path(self, point: Point) -> list[tuple[Label | None, Point]]:
        """The way to a position, from the start."""
        out: list[tuple[Label | None, Point]] = []
        at: Point | None = point
        while at is not None:
            parent = self.points[at]
            out.append((parent[1] if parent else None, at))
            at = parent[0] if parent else None
        return out[::-1]


def explore(machine: CountMachine, starts: list[Point], is_bad: Callable[[Point], bool] | None = None,
            max_points: int = 300_000, seconds: float = 20.0, canonical: Callable[[Point], Point] | None = None
            ) -> Explored:  # fmt: skip
    """Every position reached from `starts`, until `is_bad` holds at a stop or the budget is used up.

    Of positions for which `canonical` is the same, one is kept.
    """
    exploration = Exploration(machine, starts, max_points, canonical)
    exploration.found.bad = exploration.first(is_bad, seconds)
    return exploration.found


class Exploration:
    """A search that can be gone on with, by whoever looks for something else. It always goes on the same way."""

    def __init__(self, machine: CountMachine, starts: list[Point], max_points: int,
                 canonical: Callable[[Point], Point] | None) -> None:  # fmt: skip
        self.machine, self.canonical = machine, canonical
        self.found = Explored(points=dict.fromkeys(starts), complete=not starts)
        self._most = max_points
        self._queue = deque(starts)
        self._runner = Runner(machine, _LOOKED_AT)

    @property
    def goes_on(self) -> bool:
        """Whether there is more to explore, and room for it."""
        return bool(self._queue) and len(self.found.points) <= self._most

    def first(self, is_bad: Callable[[Point], bool] | None, seconds: float) -> Point | None:
        """The first position that is bad, of those that are known and then of those found in so many seconds."""
        began = time.monotonic()
        nodes, until = self.machine.game.nodes, began + seconds
        for point in self.found.edges if is_bad is not None else ():
            if isinstance(nodes[point.pc], _LOOKED_AT) and is_bad is not None and is_bad(point):
                return point
        with nothing_to_collect():
            try:
                while self.goes_on:
                    point = self._queue[0]
                    if is_bad is not None and isinstance(nodes[point.pc], _LOOKED_AT) and is_bad(point):
                        return point
                    self._expand(point)
                    self._queue.popleft()
                    if time.monotonic() > until:
                        break
            finally:
                self.found.complete = not self._queue
                self.found.seconds += time.monotonic() - began
        return None

    def way(self, point: Point) -> tuple[Label, ...]:
        """A way to a position that is known, or to one like it, with the seats and places that it really takes."""
        steps = self.found.path(point)
        at, labels = steps[0][1], list[Label | None]()
        for told, wanted in steps[1:]:
            for label, after in self.machine.successors(at):
                end = self._runner.run(after)
                if wanted == (end if self.canonical is None else self.canonical(end)):
                    at = end
                    labels.append(label)
                    break
            else:
                labels.append(told)
                at = wanted
        return tuple(label for label in labels if label is not None)

    def _expand(self, point: Point) -> None:
        found, node = self.found, self.machine.game.nodes[point.pc]
        following = [(label, self._runner.run(after)) for label, after in self.machine.successors(point)]
        if self.canonical is not None:
            following = [(label, self.canonical(after)) for label, after in following]
        found.edges[point] = following
        if isinstance(node, ir.Decide):
            choices = [label for label, _ in following if label is not None and label.kind == "action"]
            found.taken.update((point.pc, label.action) for label in choices if label.action is not None)
            if not choices:
                found.dead_ends.append(point)
            elif not any(label.must for label in choices):
                found.doubtful_ends.append(point)
        for label, after in following:
            if after not in found.points:
                found.points[after] = (point, label)
                self._queue.append(after)


@contextmanager
def nothing_to_collect() -> Iterator[None]:
    """Within, nobody looks for circles of objects: positions make none, and looking takes a third of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()

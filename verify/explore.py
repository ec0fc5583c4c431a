"""Exhaustive search of the count abstraction, breadth first, so that the shortest way to anything is found."""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from dsl import ir
from verify.counting import CountMachine, Label, Point
from verify.running import Runner

# Where a claim may look. The ends of marked rules are among them.
_LOOKED_AT = (ir.Decide, ir.Collect, ir.Shuffle, ir.Cut, ir.Random, ir.Finish, ir.Mark)


@dataclass(slots=True)
class Explored:
    """What was found. `complete`: nothing was left out, for want of time or room."""

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
    with _nothing_to_collect():
        return _explore(machine, starts, is_bad, max_points, seconds, canonical)


@contextmanager
def _nothing_to_collect() -> Iterator[None]:
    """Within, nobody looks for circles of objects: positions by the thousand make none, and looking takes a third of
    the time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _explore(machine: CountMachine, starts: list[Point], is_bad: Callable[[Point], bool] | None,
             max_points: int, seconds: float, canonical: Callable[[Point], Point] | None) -> Explored:  # fmt: skip
    began = time.monotonic()
    out = Explored(points=dict.fromkeys(starts))
    runner = Runner(machine, _LOOKED_AT)
    queue = deque(starts)
    nodes = machine.game.nodes
    while queue:
        point = queue.popleft()
        node = nodes[point.pc]
        if is_bad is not None and isinstance(node, _LOOKED_AT) and is_bad(point):
            out.bad = point
            break
        following = [(label, runner.run(after)) for label, after in machine.successors(point)]
        if canonical is not None:
            following = [(label, canonical(after)) for label, after in following]
        out.edges[point] = following
        if isinstance(node, ir.Decide):
            choices = [label for label, _ in following if label is not None and label.kind == "action"]
            out.taken.update((point.pc, label.action) for label in choices if label.action is not None)
            if not choices:
                out.dead_ends.append(point)
            elif not any(label.must for label in choices):
                out.doubtful_ends.append(point)
        for label, after in following:
            if after not in out.points:
                out.points[after] = (point, label)
                queue.append(after)
        if len(out.points) > max_points or time.monotonic() - began > seconds:
            out.complete = False
            break
    out.seconds = time.monotonic() - began
    return out

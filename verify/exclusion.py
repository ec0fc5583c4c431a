"""What the count abstraction excludes: values that a claim's expression never takes, at any position of any play."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dsl import ir
from interpreter.machine import Machine
from verify.counting import CountMachine, Label, Point, Unsupported
from verify.explore import explore
from verify.outcome import OUT_OF_TIME
from verify.outlook import values_at
from verify.places import expressions_of, looks_back
from verify.symmetry import canonical
from verify.tracking import abstractions

_MAX_POINTS = 250_000


@dataclass(frozen=True, slots=True)
class Exclusion:
    """`holds`: no play yields such a value. Else `because` says why not, and `path` a way in the abstraction to one."""

    holds: bool
    because: str
    path: tuple[Label, ...] = ()


def exclude(
    claim: ir.Property, machine: Machine, where: str, is_stray: Callable[[Any], bool], seconds: float
) -> Exclusion:
    """Whether a value for which `is_stray` holds is excluded. `is_stray` has to hold of what is not known."""
    asked = expressions_of(claim)
    if looks_back(claim):
        return Exclusion(False, "the count abstraction does not look back over a step")
    because, path = OUT_OF_TIME, tuple[Label, ...]()
    deadline = time.monotonic() + seconds
    for coarse, tracked in abstractions(machine, asked):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        counting = CountMachine(machine, tracked, asked, coarse)
        values = values_at(counting, claim, machine, where)

        def is_bad(point: Point, values: Callable[[Point], Iterator[Any]] = values) -> bool:
            return any(is_stray(v) for v in values(point))

        try:
            alike = canonical(machine, asked, claim.variables)
            explored = explore(counting, [counting.start()], is_bad, _MAX_POINTS, left, alike)
            if explored.bad is not None:
                # Once more, to tell the way with the seats and places that it really takes.
                left = max(deadline - time.monotonic(), 0.1)
                told = explore(counting, [counting.start()], is_bad, _MAX_POINTS, left)
                explored = told if told.bad is not None else explored
        except Unsupported as error:
            return Exclusion(False, str(error), path)
        if explored.bad is not None:
            path = tuple(label for label, _ in explored.path(explored.bad) if label is not None)
            because = "the abstraction reaches it, and no real play was found that does"
        elif not explored.complete:
            because = f"{len(explored.points)} positions were not all"
        else:
            kept = f"{len(tracked)} variables kept"
            return Exclusion(True, f"all {len(explored.points)} positions of the count abstraction, {kept}")
    return Exclusion(False, because, path)

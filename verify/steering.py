"""Where a rule on terms may be: a node of the graph, and the values of the few variables by which it steers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from dsl import ir, types
from interpreter.machine import Machine

_FEW = 20


class Place(NamedTuple):
    """A node of the graph, with the values of the variables that steer."""

    pc: int
    steering: tuple[Any, ...]
    frames: tuple[int, ...] = ()  # what the clock has interrupted


@dataclass(frozen=True, slots=True)
class Beginnings:
    """The ways in which a rule may begin: the values of what steers, and what then holds."""

    steer: frozenset[str]
    ways: list[tuple[tuple[Any, ...], list[ir.Expr]]]


def few_values(machine: Machine, variable: ir.StateVar) -> tuple[Any, ...] | None:
    """The values of a variable that may steer; none of one that is known as it goes; None where they are too many."""
    t = types.strip(variable.type)
    if variable.name.rpartition(".")[2].startswith("times") or ".times" in variable.name:
        return ()
    if isinstance(t, ir.IntType) and (t.low is None or t.high is None or t.high - t.low > _FEW):
        return None
    if not isinstance(t, ir.Domain | ir.BoolType):
        return None
    values = machine.words.domain(variable.type)
    return values if len(values) <= _FEW + 1 else None

"""Where a claim looks in the count abstraction, and what it may see there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dsl import ir
from interpreter.machine import Machine
from verify.counting import CountMachine
from verify.counts import Impossible
from verify.places import assignments
from verify.points import Point


def values_at(
    counting: CountMachine, claim: ir.Property, machine: Machine, where: str
) -> Callable[[Point], Iterator[Any]]:
    """What the claim's expression may be at a position, unknown included, for each value of the claim's variables.

    Nothing where the claim does not look, its premise cannot hold, or it certainly cannot be told.
    """
    cases = tuple(assignments(machine, claim))
    with counting.bound(*(n for n, _ in claim.variables)) as slots:
        expression = counting.estimate(claim.expressions[0])
        premise = None if claim.premise is None else counting.estimate(claim.premise)

    def values(point: Point) -> Iterator[Any]:
        node = machine.game.nodes[point.pc]
        if not is_seen(node, claim, where):
            return
        state = counting.counts(point)
        for case in cases:
            for slot, value in zip(slots, case, strict=True):
                counting.scratch[slot] = value
            try:
                if premise is None or premise(state) is not False:
                    yield expression(state)
            except Impossible:
                continue

    return values


def is_seen(node: ir.Node, claim: ir.Property, where: str) -> bool:
    """Whether a claim looks at a position at a node, if it looks at any there."""
    match where:
        case "decision":
            return isinstance(node, ir.Decide) and node.name == claim.scope
        case "rule":
            return isinstance(node, ir.Mark) and not node.begins and node.rule == claim.scope
        case _:
            return not isinstance(node, ir.Mark)

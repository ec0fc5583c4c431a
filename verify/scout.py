"""What a play is to show of a claim, and how near it has come to that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from dsl import ir
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault
from verify.distance import Distance, Distances
from verify.lines import Begun
from verify.places import Lookout, looks_back
from verify.plays import Found

Goal: TypeAlias = Callable[[Distances], Distance]
"""What is sought of a claim's expression."""

FAR = float("inf")
"""How far it is where that cannot be told."""


def goals(claim: ir.Property) -> dict[ir.Value, Goal]:
    """What plays can show of a claim: each end of its bound, or each of its values; else that it holds, or fails."""
    x = claim.expressions[0]

    def end(name: str, bound: Any) -> Goal:
        return lambda d: d.reaches(x, bound, name == "min")

    def one(value: ir.Value) -> Goal:
        return lambda d: d.equals(x, value)

    match claim.kind:
        case "bound":
            return {value: end(name, value) for name, value in claim.expect}
        case "values":
            return {value: one(value) for _, value in claim.expect}
        case kind:
            return {kind != "always": lambda d: d.of(x, kind != "always")}


class Scout(Lookout):
    """Tells how near play came to the goal, wherever the claim looks; raises `Found` where it is reached."""

    def __init__(self, machine: Machine, claim: ir.Property, where: str, goal: Goal) -> None:
        super().__init__(machine, claim, where)
        names = [n for n, _ in claim.variables]
        distances = Distances(machine.compiler)
        with machine.compiler.bound(*names) as self._places:
            self._value = goal(distances)
            self._met: Distance = (lambda s: 0.0) if claim.premise is None else distances.of(claim.premise)
        self.looks_back = looks_back(claim)
        self.nearest = FAR
        self.now = 0  # steps of the line that is being played
        self.begun: list[Begun] = []  # what is under way, for `_mark`

    @property
    def num_cases(self) -> int:
        """How many ways there are to give the claim's variables values."""
        return len(self._cases)

    def _mark(self, state: State, node: ir.Mark) -> None:
        if node.begins:
            self.begun.append(Begun(self.now, state.clone()))
        elif self.begun:
            self.machine.compiler.before = self.begun.pop().state
            self.look(state)

    def look(self, state: State) -> None:
        self.nearest = min(self.nearest, self.measure(state)[0])
        if not self.nearest:
            raise Found

    def measure(self, state: State) -> tuple[float, float]:
        """How far it is in all, and apart from the premise."""
        scratch, best = self.machine.compiler.scratch, (FAR, FAR)
        for case in self._cases:
            for slot, value in zip(self._places, case, strict=True):
                scratch[slot] = value
            try:
                premise = self._met(state)
            except Fault:
                continue
            try:
                off = self._value(state)
            except Fault:
                if not premise:
                    continue
                off = 1.0
            best = min(best, (premise + off, off))
        return best

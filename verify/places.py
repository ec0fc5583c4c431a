"""Where a claim looks: at every stop, whenever a decision is stood at, or when a rule comes to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from dsl import ir, model, types
from dsl.lower import lower
from dsl.walk import parts
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault

_SORTS = (
    ir.PlayerType, ir.KindType, ir.RankType, ir.SuitType, ir.EnumType, ir.IntType, ir.BoolType, ir.OptionalType,
    ir.CombinationType,
)  # fmt: skip
_MAX_CASES = 20_000


class TooMany(Exception):
    """The variables of a claim have too many values to try each."""


def looks_at(claim: ir.Property, source: model.Model) -> str:
    """ "stops", "decision" or "rule"."""
    if claim.scope is None:
        return "stops"
    return "rule" if claim.scope in source.rules else "decision"


def expressions_of(claim: ir.Property) -> tuple[ir.Expr, ...]:
    """What a claim asks of a position: its expressions, and its premise if it has one."""
    return claim.expressions if claim.premise is None else (*claim.expressions, claim.premise)


def looks_back(claim: ir.Property) -> bool:
    """Whether a claim compares what is with what was before a step."""
    return any(isinstance(p, ir.Before) for p in parts(expressions_of(claim)))


def at_once(claim: ir.Property) -> ir.Property:
    """The claim that what something leads to has come already, wherever that holds; any other claim as it is.

    Where the end of the game will do as well, nothing is claimed of the end.
    """
    if claim.kind != "leads to" or not claim.expressions:
        return claim
    first, then = claim.expressions
    holds = ir.BinaryExpr(ir.Binary.OR, ir.UnaryExpr(ir.Unary.NOT, first, types.BOOL), then, types.BOOL)
    return replace(claim, kind="always", expressions=(holds,))


def looks(claim: ir.Property, source: model.Model, node: ir.Node) -> bool:
    """Whether a claim looks at a node where play stops."""
    match looks_at(claim, source):
        case "decision":
            return isinstance(node, ir.Decide) and node.name == claim.scope
        case "rule":
            return isinstance(node, ir.Mark) and not node.begins and node.rule == claim.scope
        case _:
            return not isinstance(node, ir.Mark) and not (claim.or_end and isinstance(node, ir.Finish))


def game_with_scopes(source: model.Model, num_players: int) -> ir.Game:
    """The whole game, with all rules marked that claims speak of."""
    scopes = {c.scope for c in source.properties if c.scope in source.rules and c.scope is not None}
    return lower(source, num_players, marked=frozenset(scopes))


def machine_for(claim: ir.Property, source: model.Model, num_players: int) -> Machine:
    """The whole game, with the rule that the claim speaks of marked."""
    marked = frozenset({claim.scope}) if claim.scope in source.rules and claim.scope is not None else frozenset[str]()
    return Machine(lower(source, num_players, marked=marked))


class Lookout:
    """Tells of a claim's expressions, each time play is where the claim looks.

    `found` is called with the value of each expression (for a claim that has a premise, only where it holds) and the
    values of the claim's own variables.
    """

    def __init__(self, machine: Machine, claim: ir.Property, where: str) -> None:
        self.machine, self.claim, self.where = machine, claim, where
        self.found: Callable[[tuple[Any, ...], tuple[Any, ...]], None] = lambda values, variables: None
        names = [n for n, _ in claim.variables]
        compiler = machine.compiler
        with compiler.bound(*names) as slots:
            self._slots = slots
            self._expressions = [compiler.compile(e) for e in claim.expressions]
            self._premise = None if claim.premise is None else compiler.compile(claim.premise)
        self._cases = tuple(assignments(machine, claim))
        self._begun: list[State] = []
        self.attend()

    def attend(self) -> None:
        """From now on it is this one that is told where rules begin and end."""
        self._begun.clear()
        if self.where == "rule":
            self.machine.effects.watch = self._mark

    def stop(self, state: State) -> None:
        """Play has come to a stop."""
        decision = self.machine.decision(state)
        if self.where == "stops" or (
            self.where == "decision" and decision is not None and decision.name == self.claim.scope
        ):
            self.look(state)

    def _mark(self, state: State, node: ir.Mark) -> None:
        if node.begins:
            self._begun.append(state.clone())
        elif self._begun:
            self.machine.compiler.before = self._begun.pop()
            self.look(state)

    def look(self, state: State) -> None:
        """Evaluates the claim here."""
        scratch = self.machine.compiler.scratch
        for case in self._cases:
            for slot, value in zip(self._slots, case, strict=True):
                scratch[slot] = value
            try:
                if self._premise is not None and not self._premise(state):
                    continue
                values = tuple(e(state) for e in self._expressions)
            except Fault:
                # What cannot be told here says nothing about the claim.
                continue
            self.found(values, case)


def assignments(machine: Machine, claim: ir.Property) -> Iterator[tuple[Any, ...]]:
    """Every way to give the claim's variables values.

    Raises:
        TooMany: There are too many, or a variable stands for cards.
    """
    domains: list[tuple[Any, ...]] = []
    size = 1
    for name, t in claim.variables:
        if not isinstance(t, _SORTS):
            raise TooMany(f"`{name}` stands for more values than can be tried")
        domains.append(machine.words.domain(t))
        size *= len(domains[-1])
    if size > _MAX_CASES:
        raise TooMany(f"the variables have {size} values between them")
    return product(*domains)

"""Rounds that can be gone again and again though some numbers grow on each: that nothing in them hangs on how far.

A round of a real play leads from a position to one that is the same but for some numbers, each greater (or less) by
so much. The numbers are taken to have grown so in any number of rounds before, and the round is followed once more,
with the same cards and choices: each condition has to come out the same, and each number to grow the same again.
Then the round may always be repeated (a recurrent set; Gupta et al. 2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, get_args

import z3

from dsl import ir, types
from dsl.walk import variables_read
from interpreter.actions import InvalidChoice
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Drawn, TraceStep, take
from interpreter.values import Fault
from verify.candidates import is_closed
from verify.env import Env
from verify.folded import Unsupported, conj, equal, is_term, lift, neg
from verify.terms import Terms

_QUERY_MS = 2_000
_CARDS = (ir.CardsType, ir.CardType, ir.CombinationsType)


class _HangsOnIt(Exception):
    """Something in the round hangs on how far the numbers have grown, or may."""


class Recurrence:
    """Rounds of one game, which has no clock."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.game, self.layout = machine, machine.game, machine.layout
        self.unlimited = [i for i, v in enumerate(self.layout.cell_vars) if _is_unlimited(v.type)]

    def growth(self, before: State, after: State) -> dict[int, int] | None:
        """By how much numbers without a limit have changed; None where one has moved towards a limit."""
        out: dict[int, int] = {}
        for cell in self.unlimited:
            a, b = before.vars[cell], after.vars[cell]
            if a == b:
                continue
            if not isinstance(a, int) or not isinstance(b, int):
                return None
            declared = types.strip(self.layout.cell_vars[cell].type)
            assert isinstance(declared, ir.IntType)
            if (declared.high if b > a else declared.low) is not None:
                return None
            out[cell] = b - a
        return out

    def repeats(self, before: State, steps: Sequence[TraceStep], growth: dict[int, int]) -> bool:
        """Whether the steps from a position can be taken again and again. They are known to lead to the same position
        once, but for the growth.
        """
        return _Round(self.machine, growth).repeats(before, steps)


class _Round:
    def __init__(self, machine: Machine, growth: dict[int, int]) -> None:
        self._machine, self._game, self._layout = machine, machine.game, machine.layout
        self._growth = growth
        self._rounds = z3.Int("rounds")
        self._terms = Terms(machine)
        self._grown: dict[int, Any] = {}
        self._guards: tuple[ir.Guard, ...] = ()

    def repeats(self, before: State, steps: Sequence[TraceStep]) -> bool:
        self._grown = {cell: before.vars[cell] + self._rounds * by for cell, by in self._growth.items()}
        state = before.clone()
        try:
            self._visit(state.pc, state)
            for step in steps:
                self._follow(state, step)
        except (_HangsOnIt, Unsupported, InvalidChoice, Fault, ValueError, TypeError, IndexError):
            return False
        for cell, by in self._growth.items():
            if not self._is_sure(
                equal(self._grown.get(cell, state.vars[cell]), before.vars[cell] + by * (self._rounds + 1))
            ):
                return False
        others = [cell for cell in self._grown if cell not in self._growth]
        return all(self._is_sure(equal(self._grown[cell], before.vars[cell])) for cell in others)

    # ---------------------------------------------------------------------------------------- following

    def _follow(self, state: State, step: TraceStep) -> None:
        node = self._game.nodes[state.pc]
        if isinstance(node, ir.Decide) and not isinstance(step, Drawn):
            choice = self._machine.parse_choice(state, step.player, step.choice)
            if choice is None:
                raise _HangsOnIt
            action = node.actions[choice.action]
            self._guards = action.guards
            for p in action.parameters:
                self._grown.pop(self._layout.vars[p.variable].base, None)
        elif not isinstance(step, Drawn):
            raise _HangsOnIt  # all choose at once
        with self._watching(state):
            take(self._machine, state, step)

    @contextmanager
    def _watching(self, state: State) -> Iterator[None]:
        """Within, each node is looked at before it is carried out."""
        outer = self._machine.passed
        self._machine.passed = _Visitor(lambda pc: self._visit(pc, state))
        try:
            yield
        finally:
            self._machine.passed = outer

    def _visit(self, pc: int, state: State) -> None:
        guards, self._guards = self._guards, ()
        for guard in guards:
            self._comes_out_the_same(guard.condition, state)
        node = self._game.nodes[pc]
        match node:
            case ir.Assign(variable, value, _, _):
                self._assign(variable, value, state)
            case ir.Branch(condition, _, _, _):
                self._comes_out_the_same(condition, state)
            case ir.Decide(player, _, actions, _):
                if self._reads((player, tuple(p for a in actions for p in a.parameters))):
                    raise _HangsOnIt
            case ir.Finish() | ir.Collect():
                raise _HangsOnIt
            case ir.Random(variable, binder, _, _):
                if self._reads((variable.indices, binder)):
                    raise _HangsOnIt
                self._grown.pop(self._cell(variable, state), None)
            case _:
                if self._reads(node):
                    raise _HangsOnIt

    def _assign(self, variable: ir.Var, value: ir.Expr, state: State) -> None:
        if self._reads(variable.indices):
            raise _HangsOnIt
        cell = self._cell(variable, state)
        if not self._reads(value):
            self._grown.pop(cell, None)
            return
        term = self._term(value, state)
        if self._is_sure(equal(term, self._machine.compiler.compile(value)(state))):
            self._grown.pop(cell, None)
            return
        declared = types.strip(self._layout.cell_vars[cell].type)
        if not isinstance(term, z3.ExprRef) or not isinstance(declared, ir.IntType):
            raise _HangsOnIt
        in_range = [term >= x for x in (declared.low,) if x is not None]
        in_range += [term <= x for x in (declared.high,) if x is not None]
        if not self._is_sure(conj(*in_range)):
            raise _HangsOnIt
        self._grown[cell] = term

    def _cell(self, variable: ir.Var, state: State) -> int:
        compiler = self._machine.compiler
        return int(self._layout.vars[variable.name].index([compiler.compile(i)(state) for i in variable.indices]))

    # --------------------------------------------------------------------------------------- conditions

    def _reads(self, x: Any) -> bool:
        """Whether something reads a number that has grown, or one of its family."""
        names = {self._layout.var_cells[cell].name for cell in self._grown}
        return bool(names & variables_read(x, self._game))

    def _comes_out_the_same(self, condition: ir.Expr, state: State) -> None:
        if self._reads(condition):
            term = self._term(condition, state)
            if not self._is_sure(equal(term, self._machine.compiler.compile(condition)(state))):
                raise _HangsOnIt

    def _term(self, x: ir.Expr, state: State) -> Any:
        cells = [self._grown.get(i, value) for i, value in enumerate(state.vars)]
        counts: list[Any] = [len(zone) for zone in state.zones]
        return self._terms.term(self._settled(x, state), Env(cells, counts, 0, {}))

    def _settled(self, x: Any, state: State) -> Any:
        """An expression in which all that does not read what has grown is its value here."""
        if isinstance(x, tuple):
            return tuple(self._settled(part, state) for part in x)
        if isinstance(x, ir.Const) or not hasattr(x, "__dataclass_fields__"):
            return x
        if isinstance(x, get_args(ir.Expr)) and is_closed(x) and not self._reads(x):
            t = types.of(x)
            if not isinstance(types.strip(t), _CARDS):
                return ir.Const(self._machine.compiler.compile(x)(state), t)
        return replace(x, **{name: self._settled(getattr(x, name), state) for name in x.__dataclass_fields__})

    def _is_sure(self, x: Any) -> bool:
        """Whether something is so after any number of rounds."""
        if not is_term(x):
            return bool(x)
        solver = z3.Solver()
        solver.set("timeout", _QUERY_MS)
        solver.add(self._rounds >= 0, *self._terms.facts, lift(neg(x)))
        return bool(solver.check() == z3.unsat)


class _Visitor(dict[int, None]):
    """Tells of each node that the machine passes, before it is carried out."""

    def __init__(self, visit: Any) -> None:
        super().__init__()
        self._visit = visit

    def __setitem__(self, pc: int, _: None) -> None:
        self._visit(pc)


def _is_unlimited(t: ir.Type) -> bool:
    plain = types.strip(t)
    return isinstance(plain, ir.IntType) and (plain.low is None or plain.high is None)

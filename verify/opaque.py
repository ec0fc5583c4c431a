"""What is not known, as Z3 terms: within its range it may be anything, and the same question is the same term."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import z3

from dsl import ir
from dsl.walk import parts, variables_read
from interpreter.machine import Machine
from verify.env import Asked, Env
from verify.folded import Lying, Optional, Strength
from verify.terms_keys import Keys


class Opaque:
    """The opaque terms of one game. `facts` are what is known of them, `said` those that are numbers.

    Of variables that are `left_out` nothing is kept: whatever is read of them is anything.
    """

    def __init__(self, machine: Machine, left_out: frozenset[str]) -> None:
        self.machine, self.game, self.layout = machine, machine.game, machine.layout
        self.left_out = left_out
        self.facts: list[Any] = []
        self.said: list[Asked] = []
        self._opaque: dict[Any, Any] = {}
        self._scope: dict[str, Any] = {}
        self._functions = {f.name: f for f in self.game.functions}
        self._counter = 0
        self._keys = Keys(machine)
        self._reads: dict[int, frozenset[str]] = {}
        self._timed: dict[int, bool] = {}
        self._numbers: dict[Any, int] = {}
        self._number_of: dict[int, int] = {}
        self._alive: dict[int, Any] = {}

    def fresh(self, t: ir.Type, hint: str) -> Any:
        """A value of a type of which nothing but its range is known."""
        self._counter += 1
        name = f"{hint}!{self._counter}"
        match t:
            case ir.OptionalType(of):
                return Optional(z3.Bool(f"{name}.none"), self.fresh(of, hint))
            case ir.BoolType():
                return z3.Bool(name)
            case ir.FractionType():
                return z3.Real(name)
            case ir.CombinationType():
                return self._fresh_strength(name)
            case ir.IntType(low, high):
                return self._between(z3.Int(name), low, high)
            case ir.CardType() | ir.CardsType() | ir.CombinationsType():
                return z3.Int(name)
            case _:
                low, high = self.machine.words.bounds(t)
                return self._between(z3.Int(name), low, high)

    def _between(self, x: Any, low: int | None, high: int | None) -> Any:
        if low is not None:
            self.facts.append(x >= low)
        if high is not None:
            self.facts.append(x <= high)
        return x

    def _fresh_strength(self, name: str) -> Strength:
        """A combination found among unknown cards."""
        kind = self._between(z3.Int(f"{name}.kind"), 0, len(self.game.kinds) - 1)
        key = self._between(self._keys.fresh(f"{name}.key"), 0, None)
        self.facts += self._keys.facts(kind, key)
        return Strength(kind, key)

    @property
    def num_made(self) -> int:
        """How many names were made so far."""
        return self._counter

    def forget(self) -> None:
        """Forgets all terms, none of which is used any more."""
        self.facts, self.said = [], []
        self._opaque, self._alive = {}, {}

    # ----------------------------------------------------------------------------------------- questions

    def opaque(self, expr: ir.Expr, env: Env, t: ir.Type, hint: str) -> Any:
        """What cards say, or the clock: one value for one question about the same cards at the same time."""
        if not self._is_one_question(expr, env):
            return self.fresh(t, hint)
        key = (self._number(expr), env.epoch, self._reading(expr, env), env.hour if self._tells_time(expr) else None)
        if key not in self._opaque:
            self._opaque[key] = self.fresh(t, hint)
            if isinstance(t, ir.IntType):
                self.said.append(Asked(expr, dict(self._scope), self._opaque[key], env.epoch))
        return self._opaque[key]

    def _is_one_question(self, expr: ir.Expr, env: Env) -> bool:
        """Whether what an expression reads tells all that its value depends on."""
        return not (self.left_out and self.reads(expr) & self.left_out)

    def _number(self, expr: ir.Expr) -> int:
        """Expressions that read the same are the same question."""
        if id(expr) not in self._number_of:
            self._number_of[id(expr)] = self._numbers.setdefault(expr, len(self._numbers))
        return self._number_of[id(expr)]

    def _tells_time(self, expr: ir.Expr) -> bool:
        """Whether the expression's value may depend on what is left on the clock."""
        if id(expr) not in self._timed:
            called = [self._functions[p.function].body for p in parts(expr) if isinstance(p, ir.CallExpr)]
            self._timed[id(expr)] = any(isinstance(p, ir.TimeLeft) for p in parts(expr)) or any(
                map(self._tells_time, called)
            )
        return self._timed[id(expr)]

    def reads(self, expr: ir.Expr) -> frozenset[str]:
        """The variables that an expression reads."""
        if id(expr) not in self._reads:
            self._reads[id(expr)] = variables_read(expr, self.game)
        return self._reads[id(expr)]

    def _reading(self, expr: ir.Expr, env: Env) -> Any:
        """All that the expression's value may depend on besides cards."""
        return self._held(self.reads(expr), env)

    def _held(self, names: frozenset[str], env: Env) -> Any:
        """What some variables hold, and the names that are bound here."""
        cells = []
        for name in sorted(names):
            family = self.layout.vars[name]
            cells += [self._frozen(env.cells[i]) for i in range(family.base, family.base + family.num_cells)]
        return tuple(cells), tuple((n, self._frozen(v)) for n, v in sorted(self._scope.items()))

    # --------------------------------------------------------------------------------------------- names

    @contextmanager
    def bound(self, **names: Any) -> Iterator[None]:
        """Within, names stand for these values."""
        before = dict(self._scope)
        self._scope.update(names)
        try:
            yield
        finally:
            self._scope = before

    def scope_key(self) -> Any:
        """The values of the names bound here."""
        return tuple((n, self._frozen(v)) for n, v in sorted(self._scope.items()))

    def _frozen(self, x: Any) -> Any:
        """A value or term that can be compared. Terms are kept, for a number may be given again once one is gone."""
        if isinstance(x, z3.ExprRef):
            self._alive[x.get_id()] = x
            return ("term", x.get_id())
        if isinstance(x, Optional):
            return ("optional", self._frozen(x.none), self._frozen(x.value))
        if isinstance(x, Strength):
            return ("strength", self._frozen(x.kind), self._frozen(x.key))
        if isinstance(x, Lying):
            return self._frozen(x.cards)
        if isinstance(x, ir.Combination):
            return ("combination", x.kind, x.key, x.arguments)
        return (type(x).__name__, x)

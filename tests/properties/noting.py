"""Terms that note what they left open, so that it can be given the value that it has in a position."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from dsl import ir
from interpreter.machine import Machine
from interpreter.state import Evaluator
from verify.env import Env
from verify.folded import Lying
from verify.induction import Induction
from verify.piling import Piling
from verify.steering import Place
from verify.stops import Stops
from verify.symbolic import Symbolic
from verify.symmetry import seats
from verify.templates import Templates
from verify.terms import Terms


@dataclass(frozen=True, eq=False)
class Note:
    """A question about cards or the clock that was asked at a place, and the term that stands for its answer.

    `cells` are the variables that it was asked with, `action` the one whose arguments are among them. With `among`, the
    answer is how many of the cards lie in that zone.
    """

    expr: ir.Expr
    told: Any
    at: Place | None
    scope: dict[str, Any]
    cells: list[Any]
    action: ir.Action | None
    among: int | None = None


class Edge(NamedTuple):
    """A way from a place; `action`: the choice that it is."""

    at: Place
    condition: Any
    after: Place
    env: Env
    action: ir.Action | None


class Noting(Terms):
    """Terms that note all that is opaque in them."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.notes: list[Note] = []
        self.at: Place | None = None
        self.action: ir.Action | None = None

    def opaque(self, expr: ir.Expr, env: Env, t: ir.Type, hint: str) -> Any:
        told = super().opaque(expr, env, t, hint)
        self.notes.append(Note(expr, told, self.at, dict(self._scope), env.cells, self.action))
        return told

    def _picked(self, expr: ir.PickCards, env: Env) -> Lying:
        found = super()._picked(expr, env)
        for i, (zone, _) in enumerate(found.parts or ()):
            told = self._opaque["picked", i, self._frozen(found.cards)]
            self.notes.append(Note(expr, told, self.at, dict(self._scope), env.cells, self.action, zone))
        return found


class Forgetting(Piling):
    """Numbers of cards. `forgotten`: where they were given up, and the new ones."""

    def __init__(self, machine: Machine, terms: Noting) -> None:
        self.forgotten: list[tuple[Place, list[Any]]] = []
        self._noting = terms
        super().__init__(machine, terms)

    def anyhow(self) -> list[Any]:
        counts = super().anyhow()
        if self._noting.at is not None:
            self.forgotten.append((self._noting.at, counts))
        return counts


class Noted(Symbolic):
    """Rules on terms, with all that was left open on the way. `ways` are the edges, `choosers` say which is gone."""

    def __init__(self, machine: Machine, steer: frozenset[str] | None) -> None:
        self.ways: list[Edge] = []
        self.walked: set[Place] = set()
        self.choosers: dict[Place, list[Any]] = defaultdict(list)
        super().__init__(machine, frozenset(), time.monotonic() + 1e9, steer)
        self.noting = self.terms = Noting(machine)  # type: ignore[assignment]
        self.forgetting = self.piling = Forgetting(machine, self.noting)  # type: ignore[assignment]

    def begin_anew(self) -> None:
        super().begin_anew()
        self.noting.notes, self.noting.at, self.forgetting.forgotten = [], None, []
        self.ways.clear()
        self.walked.clear()
        self.choosers.clear()

    def edges(self, place: Place, env: Env) -> Iterator[tuple[Any, Place, Env]]:
        self.noting.at = place
        self.walked.add(place)
        for condition, after, changed in super().edges(place, env):
            self.ways.append(Edge(place, condition, after, changed, self.noting.action))
            yield condition, after, changed

    def _act(self, place: Place, env: Env, action: ir.Action) -> Iterator[tuple[Any, Place, Env]]:
        self.noting.action = action
        yield from super()._act(place, env, action)
        self.noting.action = None

    def _chooser(self) -> Any:
        way = super()._chooser()
        if self.noting.at is not None:
            self.choosers[self.noting.at].append(way)
        return way


class Segments(Induction):
    """The ways between stops as proofs have them, with nothing held at the stops."""

    def __init__(self, machine: Machine, symbolic: Noted, asked: tuple[ir.Expr, ...], seconds: float) -> None:
        self.machine, self.game, self.symbolic = machine, machine.game, symbolic
        self._templates = Templates(symbolic.terms)
        self._places = Stops(machine, symbolic, seats(machine, asked), time.monotonic() + seconds)
        self._places.deadline = time.monotonic() + 1e9
        self.stops, self.held = self._places.all, defaultdict(list)
        self._segments, self._apart = {}, {}
        self.come_by, self.walked = set(), set()

    @property
    def places(self) -> Stops:
        return self._places


class Asked:
    """What expressions come to in positions of one game."""

    def __init__(self, machine: Machine) -> None:
        self._compiler = machine.compiler
        self._ready: dict[Any, tuple[list[int], Evaluator, ir.Expr]] = {}

    def ready(self, expr: ir.Expr, scope: dict[str, Any]) -> Evaluator:
        """The function that tells the value, with names standing for these values until the next one is made ready."""
        names = tuple(scope)
        key = id(expr), names
        if key not in self._ready:
            with self._compiler.bound(*names) as slots:
                self._ready[key] = slots, self._compiler.compile(expr), expr
        slots, compiled, _ = self._ready[key]
        for slot, name in zip(slots, names, strict=True):
            self._compiler.scratch[slot] = scope[name]
        return compiled

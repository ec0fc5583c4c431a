"""A position given to terms: what they leave open has the value that the evaluator finds there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import z3

from dsl import ir
from interpreter.state import Frame, State
from interpreter.values import UNSET, Fault, as_cards
from tests.properties.bench import Bench, Question
from tests.properties.madeup import any_cards, any_of, is_told, laid_out, wishes
from tests.properties.noting import Edge, Note
from verify.folded import Lying, Unsupported, conj, equal, is_term, lift, neg

_AT_A_NODE = 8


class Disagreement(AssertionError):
    """The encoder and the interpreter differ."""


class GaveUp(Exception):
    """The solver could not tell."""


class Impossible(Exception):
    """Nothing of the kind can be chosen, as far as is known by now."""


class Fixing:
    """One position: on the table, and in the solver of a question."""

    def __init__(self, bench: Bench, question: Question) -> None:
        self.at = question.place
        self.action: ir.Action | None = None  # the one that is being chosen
        self.meant: list[Edge] = []  # its ways
        self.machine, self.rng, self.told, self.meanings = bench.machine, bench.rng, bench.told, bench.meanings
        self.q, self.solver, self.asked, self.bench = question, question.solver, bench.asked, bench
        self.pinned: set[Any] = set()
        self.given: dict[int, Any] = {}  # the arguments so far
        self.unanswered = self.is_sound = False

    def fix(self, state: State) -> None:
        """Gives the terms of the position their values, and answers what is asked there."""
        for told, value in zip(self.q.env.cells, state.vars, strict=True):
            if value is not UNSET and is_term(told):
                self.add(self.meanings.same(told, value))
        self.add(*(n == len(z) for n, z in zip(self.q.env.counts, state.zones, strict=True)))
        self.pin(state)

    def without_the_dead(self, state: State) -> State:
        """The position without what steers and will not be read again."""
        state = state.clone()
        for cell, value in zip(self.bench.symbolic.steering_cells, self.q.place.steering, strict=True):
            if value is UNSET:
                state.vars[cell] = UNSET
        return state

    def add(self, *conditions: Any) -> None:
        self.solver.add(*map(lift, conditions))

    def can(self, *conditions: Any) -> bool:
        found = self.solver.check(*map(lift, conditions))
        if found == z3.unknown:
            raise GaveUp
        return bool(found == z3.sat)

    def make_up(self) -> tuple[State, Edge] | None:
        """A position, with a way that the solver chose from it; None where there is none."""
        machine, env, rng = self.machine, self.q.env, self.rng
        for told, variable in zip(env.cells, machine.layout.cell_vars, strict=True):
            if is_term(told) and not is_told(variable.type):
                self.add(self.meanings.same(told, any_cards(machine, variable.type, rng)))
        edges = [w for w in self.q.ways if w.condition is not False]
        rng.shuffle(edges)
        # Mostly nothing shall go wrong on the way.
        fine = [neg(bad) for _, bad in self.q.risks if bad is not True] if rng.random() < 0.8 else []
        for edge in edges:
            wanted = wishes(machine, env, rng)
            if fine and self.can(edge.condition, *fine):
                self.add(*fine)
                fine = []
            while not self.can(edge.condition, *wanted):
                if not wanted:
                    break
                wanted = rng.sample(wanted, len(wanted) // 2)
            else:
                model = self.solver.model()
                values = [self.meanings.value(x, model) if x is not UNSET else UNSET for x in env.cells]
                for cell, variable in enumerate(machine.layout.cell_vars):
                    if values[cell] is UNSET and not variable.local:
                        values[cell] = rng.choice(machine.words.domain(variable.type))
                counts = [self.meanings.value(n, model) for n in env.counts]
                state = laid_out(machine, self.q.place, values, counts, rng)
                self.wind(state, edge)
                return state, edge
        return None

    def wind(self, state: State, edge: Edge) -> None:
        """Sets the clock, so that its event that is chosen, if one is, comes next."""
        clock = self.machine.game.clock
        if clock is None:
            return
        entries = [e.entry for e in clock.events]
        due = [i for i, entry in enumerate(entries) if edge.action is None and edge.after.pc == entry]
        state.fired = self.rng.choice(due or range(len(entries) + 1))
        times = [clock.start, *(max(e.at, 0) for e in clock.events), 0]
        state.clock_ms = self.rng.randint(times[state.fired + 1], times[state.fired])
        state.resume = tuple(Frame(node, None) for node in self.q.place.frames)

    def pin(self, state: State) -> None:
        """Gives all that was left open here, and that hangs on no argument that is not given yet, its value."""
        for note in self.q.notes.get(self.at, ()):
            key = id(note.told), self.at, note.among
            if key in self.pinned or not self.is_meant(note):
                continue
            self.pinned.add(key)
            try:
                model = self.model() if any(map(is_term, note.scope.values())) else None
                scope = {n: self.meanings.value(v, model) for n, v in note.scope.items()}
                value = self.asked.ready(note.expr, scope)(state)
            except (Fault, KeyError):
                self.unanswered = True
                continue
            except Impossible:
                self.pinned.discard(key)
                break
            if note.among is None:
                same = self.meanings.same(note.told, value)
            else:
                same = note.told == sum(1 for c in as_cards(value) if state.where[c] == note.among)
            if same is False:
                raise self.disagrees(f"{note.expr} is taken for {note.told}, and is {value}", state)
            self.add(same)
            self.is_sound = False
        if not self.is_sound and not self.can():
            raise self.disagrees("what is said of terms is not so", state)
        self.is_sound = True

    def model(self) -> Any:
        """Values of all terms, where the choice that is meant can be made."""
        chosen = [] if self.action is None else [self.so_far(self.meant)]
        if not self.can(*chosen):
            raise Impossible
        return self.solver.model()

    def is_meant(self, note: Note) -> bool:
        """Whether a question was asked with the arguments that are given."""
        for p in note.action.parameters if note.action is not None else ():
            cell = self.machine.layout.vars[p.variable].base
            told, at_first = note.cells[cell], self.q.env.cells[cell]
            if told is not at_first and cell not in self.given:
                return False
            if told is not at_first and not is_term(told) and told != self.given[cell]:
                return False
        return note.action is None or note.action is self.action

    def so_far(self, ways: Sequence[Edge], trial: State | None = None) -> Any:
        """That one of some ways is gone, with the arguments so far; with `trial`, the cards lying as they do there."""
        return any_of([conj(w.condition, *(self.given_as(w.env.cells[cell], value, trial)
                                           for cell, value in self.given.items())) for w in ways])  # fmt: skip

    def given_as(self, told: Any, value: Any, trial: State | None) -> Any:
        same = self.meanings.same(told, value)
        if trial is None or not isinstance(told, Lying):
            return same
        places = [trial.where[c] for c in as_cards(value)]
        return conj(same, *(equal(n, places.count(zone)) for zone, n in told.parts or ()))

    def disagrees(self, what: str, state: State | None) -> Disagreement:
        machine, node = self.machine, self.machine.game.nodes[self.at.pc]
        told = ""
        if state is not None:
            has = {n: v for n, v in zip(machine.layout.var_names, state.vars, strict=True) if v is not UNSET}
            told = f"; {has}, {dict(zip(machine.layout.zone_names, map(len, state.zones), strict=True))}"
        origin = getattr(node, "origin", None)
        return Disagreement(f"{what} ({type(node).__name__} at {origin.span if origin else '?'}{told})")


def made_up(bench: Bench, nodes: Sequence[int], wanted: int) -> Iterator[State]:
    """Positions at some nodes that the solver makes up; fewer than wanted where there are none."""
    for _ in range(1 + wanted // _AT_A_NODE):
        try:
            question = bench.of_node(bench.any_node(nodes))
        except Unsupported:
            continue
        for _ in range(_AT_A_NODE):
            question.solver.push()
            with suppress(GaveUp):
                made = Fixing(bench, question).make_up()
                if made is not None:
                    yield made[0]
            question.solver.pop()

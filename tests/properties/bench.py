"""One game on terms and on the table: positions of it, and the ways from them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import z3

from dsl import ir
from interpreter.effects import STOP
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET
from tests.properties.beside import move_on
from tests.properties.madeup import Meanings, any_place, within_reach
from tests.properties.noting import Asked, Note, Noted, Segments
from verify.env import Env
from verify.steering import Place

_QUERY_MS = 1_000
_MOST_NODES = 1_500


class NodeByNode(Machine):
    """A game that is played one node at a time."""

    def advance(self, state: State) -> State:
        return state

    def walk(self, state: State) -> bool:
        """One node of computation; False at a stop."""
        following = self._steps[state.pc](state)
        if following != STOP:
            state.pc = following
        return following != STOP

    def strike(self, state: State) -> None:
        """The next event of the clock happens."""
        assert self.game.clock is not None
        self._run_clock(state, state.clock_ms - max(self.game.clock.events[state.fired].at, 0))


class Question:
    """The ways from one place, as terms: `ways` from the place itself, `arrivals` where they lead to in the end."""

    def __init__(self, symbolic: Noted, place: Place, env: Env, risks: list[tuple[Any, Any]],
                 arrivals: list[tuple[Any, Place, Env]], rng: random.Random) -> None:  # fmt: skip
        self.place, self.env, self.risks, self.arrivals = place, env, risks, arrivals
        self.ways = [w for w in symbolic.ways if w.at == place]
        self.notes: dict[Place | None, list[Note]] = {}
        for note in symbolic.noting.notes:
            self.notes.setdefault(note.at, []).append(note)
        self.walked = frozenset(symbolic.walked)
        self.forgotten = symbolic.forgetting.forgotten
        self.way = next(iter(symbolic.choosers.get(place, ())), None)
        self.solver = z3.Solver()
        self.solver.set(timeout=_QUERY_MS, random_seed=rng.randrange(10**6), phase_selection=5)
        self.solver.add(*symbolic.known(), *within_reach(symbolic.machine, env))


class Bench:
    """One game, on terms and on the table. `told` counts what was compared."""

    def __init__(self, game: ir.Game, steer: frozenset[str] | None, rng: random.Random, told: Counter[str]) -> None:
        self.machine, self.rng, self.told = NodeByNode(game), rng, told
        self.symbolic = Noted(self.machine, steer)
        self.meanings, self.asked = Meanings(self.machine), Asked(self.machine)
        self.segments: Segments | None = None

    def of_node(self, place: Place) -> Question:
        """The ways over one node."""
        symbolic = self.symbolic
        symbolic.begin_anew()
        env = symbolic.with_steering(place, symbolic.anything())
        arrivals = list(symbolic.edges(place, env))
        risks: list[tuple[Any, Any]] = [((sort, place.pc, 0), bad) for sort, bad in symbolic.risks]
        risks += [(("none", place.pc, id(x)), bad) for x, bad in symbolic.terms.missing]
        return Question(symbolic, place, env, risks, arrivals, self.rng)

    def of_stop(self, place: Place) -> Question:
        """The ways from a stop to the next ones, as proofs have them: those that meet are merged."""
        assert self.segments is not None
        segment = self.segments._segment(place)
        arrivals = [(a.condition, a.target, a.env) for a in segment.arrivals]
        return Question(self.symbolic, place, segment.env, segment.risks, arrivals, self.rng)

    def any_node(self, nodes: Sequence[int] = ()) -> Place:
        """One of some nodes, or one that does something, with any values of what steers."""
        nodes = nodes or [i for i, n in enumerate(self.machine.game.nodes)
                          if not isinstance(n, ir.Finish | ir.Collect | ir.Forget | ir.Announce | ir.Mark)]  # fmt: skip
        place = any_place(self.machine, self.rng.choice(nodes), self.symbolic.steering_cells, self.rng)
        if isinstance(self.machine.game.nodes[place.pc], ir.Resume) and self.machine.game.clock is not None:
            stops = [i for i, n in enumerate(self.machine.game.nodes) if isinstance(n, ir.Decide)]
            place = place._replace(frames=(self.rng.choice(stops),))
        return self.before_choice(place)

    def place_of(self, state: State) -> Place:
        """The place of a position of play."""
        steering = tuple(state.vars[i] for i in self.symbolic.steering_cells)
        return self.before_choice(Place(state.pc, steering, tuple(f.node for f in state.resume)))

    def positions(self) -> Iterator[State]:
        """The positions of one play, at every node that it comes to before its end."""
        machine, state = self.machine, self.machine.initial(recording=False)
        for _ in range(_MOST_NODES):
            if isinstance(machine.game.nodes[state.pc], ir.Finish):
                return
            yield state
            if machine.chance_node(state) is not None or machine.to_move(state):
                state, _ = move_on(machine, state, self.rng)
            else:
                state = state.clone()
                machine.walk(state)

    def before_choice(self, place: Place) -> Place:
        """The place with no arguments given yet."""
        node = self.machine.game.nodes[place.pc]
        given = {p.variable for a in node.actions for p in a.parameters} if isinstance(node, ir.Decide) else set()
        names = [self.machine.layout.var_cells[i].name for i in self.symbolic.steering_cells]
        steering = tuple(UNSET if n in given else v for n, v in zip(names, place.steering, strict=True))
        return place._replace(steering=steering)

"""The places of the rules, cut at their stops: where play may be, up to how the seats are numbered.

A place is a node of the graph with the values of what steers. Where no rule tells one seat from another, places are
turned so that the first seat that matters is seat 1.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from dsl import ir
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET
from verify.env import Env
from verify.folded import Optional, OutOfTime, Unsupported
from verify.steering import Place
from verify.symbolic import Symbolic
from verify.symmetry import Seats

STOPS = (ir.Decide, ir.Shuffle, ir.Cut, ir.Random, ir.Finish, ir.Mark)
_MAX_PLACES = 30_000
_MAX_STOPS = 4_000


class Stops:
    """The places of one game. `graph` has those that may follow each, `rank` numbers them between stops, `all` are the
    stops.

    Raises:
        Unsupported: The rules have no terms, too many places, or a loop without a stop; or the time is up.
    """

    def __init__(self, machine: Machine, symbolic: Symbolic, table: Seats | None, deadline: float) -> None:
        self._nodes, self.symbolic, self._table = machine.game.nodes, symbolic, table
        self.deadline = deadline
        self._cells = symbolic.steering_cells
        self.graph = self._explore()
        self.rank = self._order()
        self.all = [p for p in self.graph if self.is_stop(p)]
        if len(self.all) > _MAX_STOPS:
            raise Unsupported("the rules have too many stops to keep apart")

    def is_stop(self, place: Place) -> bool:
        """Whether play stops here: a choice, chance, an end, or a marked rule that begins or ends."""
        return isinstance(self._nodes[place.pc], STOPS)

    def beginning(self) -> tuple[Place, Env]:
        """Where the game begins."""
        place, env = self.symbolic.beginning()
        return self.normal(place, env)

    def normal(self, place: Place, env: Env) -> tuple[Place, Env]:
        """The place without what no longer matters, turned so that the first seat that matters is seat 1."""
        place = self.symbolic.tidy(place)
        env = self.symbolic.with_steering(place, env)
        by = self._by(place.steering) if not place.frames else 0
        if not by or self._table is None:
            return place, env
        n = self._table.num_players

        def shift(x: Any, by: int) -> Any:
            if x is UNSET or x is None:
                return x
            if isinstance(x, Optional):
                return Optional(x.none, shift(x.value, by))
            return (x + by) % n

        # Which cards lie where is not told of the same seats any more.
        env = self.symbolic.stirred(env)
        self._table.turn(env.cells, env.counts, by, shift)
        return Place(place.pc, tuple(env.cells[i] for i in self._cells), place.frames), env

    def _by(self, steering: tuple[Any, ...]) -> int:
        return 0 if self._table is None else self._table.to_first(self._cells, steering)

    def _explore(self) -> dict[Place, list[Place]]:
        graph: dict[Place, list[Place]] = {}
        general = self.symbolic.anything()
        waiting = [self.beginning()[0]]
        while waiting:
            place = waiting.pop()
            if place in graph:
                continue
            self.check_time(len(graph))
            env = self.symbolic.with_steering(place, general)
            graph[place] = list(
                dict.fromkeys(self.normal(after, e)[0] for _, after, e in self.symbolic.edges(place, env))
            )
            waiting.extend(graph[place])
        return graph

    def check_time(self, count: int = 0) -> None:
        """Raises `Unsupported` where the time is up, or so many places are too many."""
        if time.monotonic() > self.deadline:
            raise OutOfTime
        if count > _MAX_PLACES:
            raise Unsupported("the rules have too many places to keep apart")

    def _order(self) -> dict[Place, int]:
        """A number for each place, greater than those of all that lead to it without a stop between."""
        done: dict[Place, int] = {}
        open_: set[Place] = set()
        order: list[Place] = []
        for root in self.graph:
            if root in done:
                continue
            stack: list[tuple[Place, Iterator[Place]]] = [(root, iter(self.graph[root]))]
            open_.add(root)
            done[root] = 0
            while stack:
                place, following = stack[-1]
                after = next((q for q in following if not self.is_stop(q)), None)
                if after is None:
                    stack.pop()
                    open_.discard(place)
                    order.append(place)
                elif after in open_:
                    raise Unsupported("a loop without a stop")
                elif after not in done:
                    done[after] = 0
                    open_.add(after)
                    stack.append((after, iter(self.graph[after])))
        return {place: i for i, place in enumerate(reversed(order))}

    def placed(self, state: State) -> tuple[Place, State]:
        """The place of a real position, and the position, both turned as places are."""
        frames = tuple(f.node for f in state.resume)
        place = self.symbolic.tidy(Place(state.pc, tuple(state.vars[i] for i in self._cells), frames))
        by = self._by(place.steering) if not frames else 0
        turned = state.clone()
        if by and self._table is not None:
            n = self._table.num_players
            zones: list[Any] = turned.zones
            self._table.turn(turned.vars, zones, by, lambda x, by: (x + by) % n if isinstance(x, int) else x)
            for i, cards in enumerate(turned.zones):
                for card in cards:
                    turned.where[card] = i
            place = self.symbolic.tidy(Place(state.pc, tuple(turned.vars[i] for i in self._cells)))
        return place, turned

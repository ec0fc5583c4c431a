"""A rule carried out on terms: from any position in which it may begin, to its end, for every choice and every card.

Ways that meet are merged. A loop whose rounds cannot be told apart is crossed by forgetting all that it sets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final

import z3

from dsl import ir, types
from dsl.graphs import leading_to
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.env import Env
from verify.folded import OutOfTime, Unsupported, conj, disj, equal, is_same, is_term, lift, neg
from verify.loops import laid_out
from verify.steering import Beginnings, Place, few_values
from verify.symbolic_steps import Steps
from verify.terms import Terms

NOWHERE: Final = -1  # the epoch of no position of the rule: terms need not be exact about its cards
_STIRS = ir.Deal | ir.Move | ir.Gather | ir.Shuffle | ir.Cut  # then cards may lie elsewhere
_MAX_PLACES = 20_000
_MAX_STARTS = 2_000


class Symbolic(Steps):
    """One rule of a game (the game's entry), on terms.

    `watched` are the variables that are asked for; `steer` those that steer, where not all of few values do. `terms`
    are given where they are to know more of cards, or less of the rest.
    """

    def __init__(self, machine: Machine, watched: frozenset[str], deadline: float,
                 steer: frozenset[str] | None = None, terms: Terms | None = None) -> None:  # fmt: skip
        super().__init__(machine, watched, steer, Terms(machine) if terms is None else terms)
        self._deadline = deadline
        self._definitions: list[Any] = []
        self._general: Env | None = None  # any position at all
        self.begun: Any = None  # which of the starts was taken
        self.conditions: list[Any] = []  # of the starts, where they have any

    def begin_anew(self) -> None:
        """Forgets what is known of terms, none of which is used any more."""
        self._definitions = []
        self.terms.forget()

    def known(self) -> list[Any]:
        """What is known of the terms: how they were put together, and the ranges of the opaque ones."""
        return [*self._definitions, *self.terms.facts]

    # ----------------------------------------------------------------------------------------- starting

    def starts(self) -> list[tuple[Place, Env]]:
        """Every way in which the rule may begin: the variables hold anything of their types."""
        live = self._live[self.game.entry]
        shared = [
            self.terms.fresh(v.type, v.name) if v.dims or (i not in self._cells and not v.local) else UNSET
            for i, v in enumerate(self.layout.cell_vars)
        ]
        parameters = [i for i, v in enumerate(self.layout.cell_vars) if v.local and v.name in live]
        for i in parameters:
            if i not in self._cells:
                shared[i] = self.terms.fresh(self.layout.cell_vars[i].type, self.layout.cell_vars[i].name)
        choices = []
        for i in self._cells:
            v = self.layout.cell_vars[i]
            choices.append((few_values(self.machine, v) or (UNSET,)) if v.name in live else (UNSET,))
        size = 1
        for c in choices:
            size *= len(c)
        if size > _MAX_STARTS:
            raise Unsupported("there are too many ways for the rule to begin")
        out, counts = [], self.piling.anyhow()
        for values in product(*choices):
            cells = shared[:]
            for i, value in zip(self._cells, values, strict=True):
                cells[i] = value
            out.append((Place(self.game.entry, values), Env(cells, counts, 0, {})))
        return out

    def begins_as(self, known: Beginnings) -> list[tuple[Place, Env]]:
        """The known ways in which the rule may begin."""
        out = []
        shared = self.anything()
        for steering, held in known.ways:
            place = Place(self.game.entry, steering)
            env = self.with_steering(place, shared)
            self.conditions.append(conj(*(conj(*self.terms.defined(x, env)) for x in held)))
            out.append((place, env))
        return out

    def beginning(self) -> tuple[Place, Env]:
        """The start of the game."""
        state = self.machine.blank(recording=False)
        cells = list(state.vars)
        place = Place(self.game.entry, tuple(cells[i] for i in self._cells))
        return place, Env(cells, self.piling.at_first(), 0, {})

    # ------------------------------------------------------------------------------------------ merging

    def run(
        self, starts: list[tuple[Place, Env]], begins: Callable[[Env], None], rule: str,
        is_wanted: Callable[[Place], bool] | None = None,
    ) -> tuple[list[tuple[Any, Env]], int]:  # fmt: skip
        """Every end of a marked rule, with the condition under which it is reached; and how many places there were.

        `begins` is told of each position in which the rule begins. Of ends that are not wanted nothing need be told.
        In a loop one round stands for all: at its head
        everything is forgotten that a round may set.
        """
        graph = self._explore(starts)
        explored = set(graph)
        conditions = self.conditions or [True] * len(starts)
        if is_wanted is not None:
            wanted = [p for p in graph if self._ends(p, rule) and is_wanted(p)]
            useful = leading_to(wanted, graph)
            conditions = [c for c, (p, _) in zip(conditions, starts, strict=True) if self.tidy(p) in useful]
            starts = [(p, env) for p, env in starts if self.tidy(p) in useful]
            graph = {p: [q for q in following if q in useful] for p, following in graph.items() if p in useful}
        # Nodes are numbered as they are met, so that the least is the outermost of loops within loops.
        laid = laid_out(graph, [self.tidy(p) for p, _ in starts], lambda place: place.pc)
        rank = {place: i for i, place in enumerate(laid.order)}
        ends: list[tuple[Any, Env]] = []
        arriving: dict[Place, list[tuple[Any, Env]]] = {}
        self.begun = begun = self._chooser()

        def arrive(source: Place | None, target: Place, condition: Any, env: Env) -> None:
            """Adds a way to a place. A loop that is entered elsewhere than at its head may be there in any round."""
            for head, members in laid.sideways.get(target, ()):
                if source is None or source not in members:
                    if source is not None and rank[head] <= rank[source]:
                        raise Unsupported("loops that cross each other")
                    first = self._chooser()
                    arriving.setdefault(head, []).append((conj(condition, first != 0), self.with_steering(head, env)))
                    condition = conj(condition, first == 0)
            arriving.setdefault(target, []).append((condition, env))

        for i, (place, env) in enumerate(starts):
            arrive(None, self.tidy(place), conj(conditions[i], begun == i if len(starts) > 1 else True), env)
        for place in laid.order:
            if place not in arriving:
                continue
            self._check_time()
            condition, env = self.merge(arriving.pop(place))
            if place in laid.heads:
                env = self._forgotten(laid.heads[place], env)
            node = self.game.nodes[place.pc]
            if isinstance(node, ir.Mark) and node.rule == rule:
                if node.begins:
                    env = env.copy()
                    env.ghosts = {}
                    begins(env)
                else:
                    ends.append((condition, env))
                    # Where the clock broke into the same rule, what was before that one's beginning is not kept.
                    env = env.copy()
                    env.ghosts = {}
            for edge, after, changed in self.edges(place, env):
                target = self.tidy(after)
                if target not in rank:
                    assert target in explored, "a way that was not foreseen"
                    continue  # it leads to no end that is wanted
                if rank[target] > rank[place]:
                    arrive(place, target, conj(condition, edge), changed)
                elif target not in laid.heads:
                    raise Unsupported("loops that cross each other")
        return ends, len(graph)

    def _ends(self, place: Place, rule: str) -> bool:
        node = self.game.nodes[place.pc]
        return isinstance(node, ir.Mark) and node.rule == rule and not node.begins

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise OutOfTime

    def anything(self) -> Env:
        """Any position at all, but for the variables that steer."""
        cells = [UNSET if i in self._cells else self.terms.fresh(v.type, f"any {v.name}")
                 for i, v in enumerate(self.layout.cell_vars)]  # fmt: skip
        return Env(cells, self.piling.anyhow(), 0, {})

    def _explore(self, starts: list[tuple[Place, Env]]) -> dict[Place, list[Place]]:
        """The places with their edges."""
        graph: dict[Place, list[Place]] = {}
        general = self._general = self.anything()
        general.epoch = NOWHERE
        stack = [self.tidy(p) for p, _ in starts]
        while stack:
            place = stack.pop()
            if place in graph:
                continue
            if len(graph) % 64 == 0:
                self._check_time()
            if len(graph) > _MAX_PLACES:
                raise Unsupported("the rule has too many places to keep apart")
            graph[place] = list(dict.fromkeys(map(self.tidy, self._onward(place, general))))
            stack.extend(graph[place])
        return graph

    def _onward(self, place: Place, general: Env) -> Iterator[Place]:
        """The places that may come next, or more."""
        node = self.game.nodes[place.pc]
        match node:
            case ir.Assign(variable, _, after, _) if self.layout.vars[variable.name].base not in self._cells:
                yield place._replace(pc=after)
            case ir.Deal() | ir.Move() | ir.Gather() | ir.Reveal() | ir.Shuffle() | ir.Cut():
                yield place._replace(pc=node.next)
            case _:
                yield from (there for _, there, _ in self.edges(place, self.with_steering(place, general)))

    def merge(self, ways: list[tuple[Any, Env]]) -> tuple[Any, Env]:
        """Ways that meet, as one: what differs becomes a new term that is each under its condition."""
        if len(ways) == 1:
            return ways[0]
        condition = disj(*(c for c, _ in ways))
        reached = z3.Bool(f"reached!{len(self._definitions)}")
        self._definitions.append(reached == lift(condition))
        out = ways[0][1].copy()
        for i in range(len(out.cells)):
            out.cells[i] = self._joined([(c, e.cells[i]) for c, e in ways], self.layout.cell_vars[i].type)
        # What was kept by some ways only belongs to no one rule that is still being followed.
        keys = [k for k in out.ghosts if all(k in e.ghosts for _, e in ways)]
        out.ghosts = {}
        for key in keys:
            values = [(c, e.ghosts[key]) for c, e in ways]
            t: ir.Type = types.BOOL if key[0] < 0 else next(types.of(o) for o, n in self.terms.before if n == key[0])
            out.ghosts[key] = self._joined(values, t)
        for i in range(len(out.counts)):
            out.counts[i] = self._joined([(c, e.counts[i]) for c, e in ways], types.INTEGER)
        if any(e.epoch != out.epoch for _, e in ways):
            self._epoch += 1
            out.epoch = self._epoch
        return reached, self._later(out) if any(e.hour != out.hour for _, e in ways) else out

    def _joined(self, ways: list[tuple[Any, Any]], t: ir.Type) -> Any:
        values = [v for _, v in ways if v is not UNSET]
        if not values:
            return UNSET
        first = values[0]
        if all(v is first or is_same(v, first) for v in values):
            return first
        merged = self.terms.fresh(_unranged(t), "either")
        for condition, value in ways:
            if value is not UNSET:
                self._definitions.append(lift(disj(neg(condition), equal(merged, value))))
        return merged

    def _forgotten(self, component: list[Place], env: Env) -> Env:
        """What is known after any number of rounds: all but what a round may set."""
        out = self._later(env.copy())
        if any(isinstance(self.game.nodes[place.pc], _STIRS) for place in component):
            out = self.stirred(out)
        cells, counts = set[int](), set[int]()
        assert self._general is not None
        for place in component:
            node = self.game.nodes[place.pc]
            here = self.with_steering(place, self._general)
            match node:
                case ir.Mark(begins=True):
                    out.ghosts = {}  # each round that the rule begins in has its own values before
                case ir.Assign(variable=variable) | ir.Random(variable=variable):
                    cells |= self._places_of(self.layout.vars[variable.name], variable.indices, here)
                case ir.Decide(actions=actions):
                    cells |= {self.layout.vars[p.variable].base for action in actions for p in action.parameters}
                case ir.Deal(source=source, target=target):
                    for zone in (source, target):
                        counts |= self._places_of(self.layout.zones[zone.zone], zone.indices, here)
                case ir.Move() | ir.Gather():
                    counts |= set(range(len(out.counts)))
                case _:
                    pass
        for i in sorted(cells - set(self._cells)):
            out.cells[i] = self.terms.fresh(self.layout.cell_vars[i].type, "after rounds")
        if len(counts) == len(out.counts):
            out.counts = self.piling.anyhow()
        for i in sorted(counts) if len(counts) < len(out.counts) else ():
            out.counts[i] = self.piling.any_number(i)
        return out

    def _places_of(self, family: Any, indices: tuple[ir.Expr, ...], env: Env) -> set[int]:
        """The places of a family that are meant, where it is one wherever else play may be; else all of them."""
        values = [self.terms.term(x, env) for x in indices]
        if any(is_term(v) or v is None or v is UNSET for v in values):
            return set(range(family.base, family.base + family.num_cells))
        try:
            return {family.index(values)}
        except IndexError:
            return set()  # a fault: nothing is set

    def solver(self) -> Any:
        """A solver that knows all definitions and facts so far."""
        solver = z3.Solver()
        solver.set("timeout", max(1, int((self._deadline - time.monotonic()) * 1000)))
        for fact in self.known():
            solver.add(fact)
        return solver


def _unranged(t: ir.Type) -> ir.Type:
    if isinstance(t, ir.OptionalType):
        return ir.OptionalType(_unranged(t.of))
    return types.INTEGER if isinstance(t, ir.IntType) else t

"""A rule carried out on terms: from any position in which it may begin, to its end, for every choice and every card.

The single variables of few values steer and stay plain values, so that loops over players unroll; where one of them
gets a value that is not known, each value is a case. Ways that meet are merged. A loop whose rounds cannot be told
apart is crossed by forgetting all that it sets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, NamedTuple

import z3

from dsl import ir, types
from dsl.graphs import leading_to
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.env import Env
from verify.folded import (
    Optional,
    OutOfTime,
    Unsupported,
    choose,
    conj,
    disj,
    equal,
    is_same,
    is_term,
    leaves,
    lift,
    neg,
)
from verify.loops import laid_out
from verify.piling import Piling
from verify.slicing import liveness
from verify.terms import Terms

NOWHERE: Final = -1  # the epoch of no position of the rule: terms need not be exact about its cards
_FEW = 20
_STIRS = ir.Deal | ir.Move | ir.Gather | ir.Shuffle | ir.Cut  # then cards may lie elsewhere
_MAX_PLACES = 20_000
_MAX_STARTS = 2_000


class Place(NamedTuple):
    """A node of the graph, with the values of the variables that steer."""

    pc: int
    steering: tuple[Any, ...]
    frames: tuple[int, ...] = ()  # what the clock has interrupted


@dataclass(frozen=True, slots=True)
class Beginnings:
    """The ways in which a rule may begin: the values of what steers, and what then holds."""

    steer: frozenset[str]
    ways: list[tuple[tuple[Any, ...], list[ir.Expr]]]


class Symbolic:
    """One rule of a game (the game's entry), on terms.

    `watched` are the variables that are asked for; `steer` those that steer, where not all of few values do. `terms`
    are given where they are to know more of cards, or less of the rest.
    """

    def __init__(self, machine: Machine, watched: frozenset[str], deadline: float,
                 steer: frozenset[str] | None = None, terms: Terms | None = None) -> None:  # fmt: skip
        self.machine, self.game, self.layout = machine, machine.game, machine.layout
        self.terms = Terms(machine) if terms is None else terms
        self.piling = Piling(machine, self.terms)
        self._deadline = deadline
        self._live = liveness(self.game, watched)
        self._cells = [
            i for i, v in enumerate(self.layout.cell_vars)
            if not v.dims and self._cases(v) is not None and (steer is None or v.name in steer)
            and self.terms.is_kept(i)
        ]  # fmt: skip
        self._epoch = 0
        self._definitions: list[Any] = []
        self._choices = 0
        self._general: Env | None = None  # any position at all
        self.begun: Any = None  # which of the starts was taken
        self.conditions: list[Any] = []  # of the starts, where they have any
        self.risks: list[tuple[str, Any]] = []  # what may go wrong in the last step: a sort of obligation, and when
        self.struck: list[Any] = []  # when the clock strikes in the last step

    def _cases(self, variable: ir.StateVar) -> tuple[Any, ...] | None:
        t = types.strip(variable.type)
        if variable.name.rpartition(".")[2].startswith("times") or ".times" in variable.name:
            return ()
        if isinstance(t, ir.IntType) and (t.low is None or t.high is None or t.high - t.low > _FEW):
            return None
        if not isinstance(t, ir.Domain | ir.BoolType):
            return None
        values = self.machine.words.domain(variable.type)
        return values if len(values) <= _FEW + 1 else None

    @property
    def steering_cells(self) -> list[int]:
        """The places of the variables that steer."""
        return self._cells

    def steering(self, place: Place) -> dict[str, Any]:
        """The values of the variables that steer."""
        names = (self.layout.var_cells[i].name for i in self._cells)
        return dict(zip(names, place.steering, strict=True))

    def begin_anew(self) -> None:
        """Forgets what is known of terms, none of which is used any more."""
        self._definitions = []
        self.terms.forget()

    def known(self) -> list[Any]:
        """What is known of the terms: how they were put together, and the ranges of the opaque ones."""
        return [*self._definitions, *self.terms.facts]

    def _chooser(self) -> Any:
        """A number that says which of several open ways is gone: two ways never hold at once."""
        self._choices += 1
        return z3.Int(f"way!{self._choices}")

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
            choices.append((self._cases(v) or (UNSET,)) if v.name in live else (UNSET,))
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

    # ------------------------------------------------------------------------------------------- steps

    def edges(self, place: Place, env: Env) -> Iterator[tuple[Any, Place, Env]]:
        """What may come next: under which condition, where, and with which variables."""
        node = self.game.nodes[place.pc]
        t = self.terms
        self.risks, self.struck = [], []
        t.missing = []
        match node:
            case ir.Assign(variable, _, after, _) | ir.Random(variable, _, after, _) if variable.name in t.left_out:
                yield True, place._replace(pc=after), env
            case ir.Assign(variable, expr, after, _):
                value, sure = t.defined(expr, env)
                if sure is not False:
                    yield from self._assign(place, env, variable, value, sure, after)
            case ir.Branch(condition, yes, no, _):
                truth, sure = t.defined(condition, env)
                if truth is not False and sure is not False:
                    yield conj(sure, truth), place._replace(pc=yes), env
                if truth is not True and sure is not False:
                    yield conj(sure, neg(truth)), place._replace(pc=no), env
            case ir.Reveal(cards, to, after, _):
                sure = conj(*(t.defined(x, env)[1] for x in (cards, to) if x is not None))
                yield sure, place._replace(pc=after), env
            case ir.Announce() | ir.Mark():
                yield True, place._replace(pc=node.next), env
            case ir.Deal():
                condition, counts = self.piling.deal(node, env)
                self.risks += [("short", self.piling.short), ("capacity", self.piling.full)]
                yield from self._moved(place, node.next, env, condition, counts)
            case ir.Gather(None, target, after, _):
                condition, counts = self.piling.gather_all(target, env)
                self.risks.append(("capacity", self.piling.full))
                yield from self._moved(place, after, env, condition, counts)
            case ir.Move(cards, target, after, _) | ir.Gather(cards, target, after, _):
                assert cards is not None
                pile, sure = t.defined(cards, env)
                condition, counts = self.piling.move(pile, target, env)
                self.risks.append(("capacity", self.piling.full))
                yield from self._moved(place, after, env, conj(sure, condition), counts)
            case ir.Shuffle(_, by, after, _) | ir.Cut(_, by, after, _):
                sure = True if by is None else t.defined(by, env)[1]
                yield from self._moved(place, after, env, sure, env.counts)
            case ir.Random(variable, binder, after, _):
                way = self._chooser()
                for i, (picked, where) in enumerate(t.items(binder, env)):
                    if where is not False:
                        yield from self._assign(place, env, variable, picked, conj(way == i, where), after)
            case ir.Decide(player, _, actions, _) if not place.frames:
                t.term(player, env)
                env = self._later(env)  # the choice may be looked at again once the clock has struck
                way = self._chooser()
                for i, event in enumerate(self.game.clock.events if self.game.clock is not None else ()):
                    # An event may happen at any choice, and as often as it likes: more than the clock allows.
                    self.struck.append(way == -1 - i)
                    there = place._replace(pc=event.entry, frames=(place.pc,))
                    yield way == -1 - i, there, self._later(env)
                for i, action in enumerate(actions):
                    for allowed, there, changed in self._act(place, env, action):
                        yield conj(way == i, allowed), there, self._later(changed)
            case ir.Resume() if place.frames:
                yield True, place._replace(pc=place.frames[-1], frames=place.frames[:-1]), env
            case ir.Finish():
                return
            case _:
                raise Unsupported("players choose at once, or while the clock strikes")

    def _moved(self, place: Place, after: int, env: Env, condition: Any, counts: list[Any]
               ) -> Iterator[tuple[Any, Place, Env]]:  # fmt: skip
        """On from where cards have moved, if they could."""
        if condition is False:
            return
        out = self.stirred(env)
        out.counts = counts
        yield condition, place._replace(pc=after), out

    def stirred(self, env: Env) -> Env:
        """The same, but nothing is known any more of which cards lie where."""
        out = env.copy()
        self._epoch += 1
        out.epoch = self._epoch
        return out

    def _later(self, env: Env) -> Env:
        """The same, but time may have passed, where there is a clock."""
        if self.game.clock is None:
            return env
        out = env.copy()
        self._epoch += 1
        out.hour = self._epoch
        return out

    def _assign(self, place: Place, env: Env, variable: ir.Var, value: Any, condition: Any, after: int
                ) -> Iterator[tuple[Any, Place, Env]]:  # fmt: skip
        family = self.layout.vars[variable.name]
        indices = [self.terms.term(i, env) for i in variable.indices]
        declared = self.layout.declared_vars[variable.name].type
        if not isinstance(declared, ir.OptionalType) and isinstance(value, Optional):
            value = value.value
        in_range = self._in_range(types.strip(declared), value)
        self.risks.append(("range", conj(condition, neg(in_range))))
        condition = conj(condition, in_range)
        if condition is False:
            return
        if any(is_term(i) for i in indices):
            if len(indices) != 1:
                raise Unsupported("an unknown cell of a table of state is set")
            out = env.copy()
            index = indices[0].value if isinstance(indices[0], Optional) else indices[0]
            for i in range(family.num_cells):
                cell = family.base + i
                if self.terms.is_kept(cell):
                    out.cells[cell] = choose(index == family.lows[0] + i, value, env.cells[cell])
            yield condition, place._replace(pc=after), out
            return
        try:
            cell = family.index(indices)
        except (IndexError, TypeError):
            return  # a fault: play does not go on
        if not self.terms.is_kept(cell):
            yield condition, place._replace(pc=after), env
            return
        if cell not in self._cells or (not is_term(value) and value is not UNSET):
            out = env.copy()
            out.cells[cell] = value
            yield condition, self._at(place, after, cell, value), out
            return
        cases = self._cases(self.layout.cell_vars[cell])
        if not cases:
            raise Unsupported("a loop goes an unknown number of rounds")
        possible = leaves(value)
        for case in cases:
            if possible is not None and case not in possible:
                continue
            here = conj(condition, equal(value, case))
            if here is not False:
                out = env.copy()
                out.cells[cell] = case
                yield here, self._at(place, after, cell, case), out

    def _in_range(self, t: ir.Type, value: Any) -> Any:
        """Play goes on only where a variable keeps to its range; that it does is a check of its own."""
        if not isinstance(t, ir.IntType) or value is None:
            return True
        none: Any = False
        if isinstance(value, Optional):
            none, value = value.none, value.value
        low = True if t.low is None else (value >= t.low)
        high = True if t.high is None else (value <= t.high)
        return disj(none, conj(low, high))

    def _at(self, place: Place, pc: int, cell: int, value: Any) -> Place:
        if cell not in self._cells:
            return place._replace(pc=pc)
        steering = list(place.steering)
        steering[self._cells.index(cell)] = value
        return place._replace(pc=pc, steering=tuple(steering))

    def _act(self, place: Place, env: Env, action: ir.Action) -> Iterator[tuple[Any, Place, Env]]:
        """An action with every argument: small ones case by case, others as anything."""
        ways: list[tuple[Any, Place, Env]] = [(True, place, env)]
        for p in action.parameters:
            cell = self.layout.vars[p.variable].base
            values = self._cases(self.layout.cell_vars[cell]) if cell in self._cells else None
            which = self._chooser()
            following: list[tuple[Any, Place, Env]] = []
            for condition, at, now in ways:
                if p.domain is not None and not isinstance(p.domain, ir.Domain):
                    there_are, chosen = self.piling.chosen(p, now)
                    condition, options = conj(condition, there_are), (chosen,)
                else:
                    options = (self.terms.fresh(p.type, p.name),) if values is None else values
                for i, value in enumerate(options):
                    out = now.copy()
                    out.cells[cell] = value
                    following.append((conj(condition, which == i), self._at(at, at.pc, cell, value), out))
            ways = following
        for condition, at, now in ways:
            guard = conj(condition, *(self.terms.term(g.condition, now) for g in action.guards))
            if guard is not False:
                yield guard, at._replace(pc=action.entry), now

    def tidy(self, place: Place) -> Place:
        """The place without what will not be read again."""
        if place.frames:
            return place
        live = self._live[place.pc]
        names = [self.layout.var_cells[i].name for i in self._cells]
        return place._replace(
            steering=tuple(v if n in live else UNSET for n, v in zip(names, place.steering, strict=True))
        )

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

    def with_steering(self, place: Place, env: Env) -> Env:
        """A copy of the variables in which those that steer are as the place says."""
        out = env.copy()
        for i, value in zip(self._cells, place.steering, strict=True):
            out.cells[i] = value
        return out

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

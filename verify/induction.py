"""Proof by induction: what holds at each stop of the rules, since every way from stop to stop keeps it up.

Real plays suggest what might always hold at a place (`candidates`). The rules are carried out on terms from any
position that meets all of it to the next stops; what does not hold there again is dropped, until nothing is. What is
left holds at every visit of every play, whatever the deal, the choices and the length.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import z3

from dsl import ir, types
from dsl.walk import variables_read
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET, Fault
from verify.candidates import Vocabulary, elsewhere, suggested
from verify.folded import Optional, Unsupported, conj, disj, lift, neg
from verify.places import assignments
from verify.slicing import steering_names
from verify.symbolic import Beginnings, Place, Symbolic
from verify.symmetry import seats
from verify.templates import Templates
from verify.terms import Env

STOPS = (ir.Decide, ir.Shuffle, ir.Cut, ir.Random, ir.Finish, ir.Mark)
_VISITS = 24
_MOST_COMPARED = 60
_LOOKS = 8_000
_MAX_CUTS = 4_000
_QUERY_MS = 4_000


Risk: TypeAlias = tuple[str, int, int]
"""A sort of obligation, a node, and for "none" the identity of the expression that may have no value."""


@dataclass(slots=True)
class _Segment:
    """The ways from one stop to the next ones.

    `assumed`: what may be assumed at the stop, each with the literal that does so. `goals`: for each stop that is
    arrived at, under which condition, and what would be wrong with each sentence there.
    """

    solver: Any
    assumed: list[tuple[ir.Expr, Any]] = field(default_factory=list)
    goals: list[tuple[Place, Any, list[tuple[ir.Expr, Any]]]] = field(default_factory=list)


class Induction:
    """What holds at the stops of one game, as far as claims need it.

    Raises:
        Unsupported: The rules have no terms, or too many places.
    """

    def __init__(self, machine: Machine, claims: tuple[ir.Property, ...], seconds: float) -> None:
        self.machine, self.game, self.claims = machine, machine.game, claims
        self._deadline = time.monotonic() + seconds
        asked = tuple(x for c in claims for x in (*c.expressions, *((c.premise,) if c.premise is not None else ())))
        watched = frozenset(name for x in asked for name in variables_read(x, machine.game))
        self._steer = steering_names(machine)
        self.symbolic = Symbolic(machine, watched, self._deadline, self._steer)
        self._table = seats(machine, asked)
        self._templates = Templates(self.symbolic.terms)
        self._cells = self.symbolic.steering_cells
        self._graph = self._explore()
        self._rank = self._order()
        self.stops = [p for p in self._graph if self._is_stop(p)]
        if len(self.stops) > _MAX_CUTS:
            raise Unsupported("the rules have too many stops to keep apart")
        self._vocabulary = Vocabulary(machine, claims)
        self._visits = self.visited(0, seconds / 5)
        self.held = self._suggestions()
        self._risks: list[tuple[Risk, Any, Any]] | None = None
        self.come_by: set[tuple[int, int]] = set()  # nodes, and the expressions in them that need a value
        self.walked: set[int] = set()  # nodes that were looked at for what may fail

    # ------------------------------------------------------------------------------------------ places

    def _is_stop(self, place: Place) -> bool:
        return isinstance(self.game.nodes[place.pc], STOPS)

    def _beginning(self) -> tuple[Place, Env]:
        place, env = self.symbolic.beginning()
        return self._normal(place, env)

    def _normal(self, place: Place, env: Env) -> tuple[Place, Env]:
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
        if self._table is None:
            return 0
        for i, value in zip(self._cells, steering, strict=True):
            if i in self._table.held and isinstance(value, int) and not isinstance(value, bool):
                return -value % self._table.num_players
        return 0

    def _explore(self) -> dict[Place, list[Place]]:
        graph: dict[Place, list[Place]] = {}
        general = self.symbolic.anything()
        waiting = [self._beginning()[0]]
        while waiting:
            place = waiting.pop()
            if place in graph:
                continue
            self._check_time(len(graph))
            env = self.symbolic.with_steering(place, general)
            graph[place] = list(
                dict.fromkeys(self._normal(after, e)[0] for _, after, e in self.symbolic.edges(place, env))
            )
            waiting.extend(graph[place])
        return graph

    def _check_time(self, count: int) -> None:
        if time.monotonic() > self._deadline:
            raise Unsupported("out of time")
        if count > 30_000:
            raise Unsupported("the rules have too many places to keep apart")

    def _order(self) -> dict[Place, int]:
        """A number for each place, greater than those of all that lead to it without a stop between."""
        done: dict[Place, int] = {}
        open_: set[Place] = set()
        order: list[Place] = []
        for root in self._graph:
            if root in done:
                continue
            stack: list[tuple[Place, Iterator[Place]]] = [(root, iter(self._graph[root]))]
            open_.add(root)
            done[root] = 0
            while stack:
                place, following = stack[-1]
                after = next((q for q in following if not self._is_stop(q)), None)
                if after is None:
                    stack.pop()
                    open_.discard(place)
                    order.append(place)
                elif after in open_:
                    raise Unsupported("a loop without a stop")
                elif after not in done:
                    done[after] = 0
                    open_.add(after)
                    stack.append((after, iter(self._graph[after])))
        return {place: i for i, place in enumerate(reversed(order))}

    # ------------------------------------------------------------------------------------------ visits

    def visited(self, seed: int, seconds: float) -> dict[Place, list[State]]:
        """Real positions at each stop, turned as places are, from random play."""
        out: dict[Place, list[State]] = {}
        deadline = time.monotonic() + seconds
        counts: dict[Place, int] = {}
        rng = random.Random(seed)
        machine = self.machine

        def seen(state: State) -> None:
            place, turned = self._placed(state)
            kept = out.setdefault(place, [])
            counts[place] = counts.get(place, 0) + 1
            # Each visit is as likely to be among those that are kept.
            if len(kept) < _VISITS:
                kept.append(turned)
            elif (at := rng.randrange(counts[place])) < _VISITS:
                kept[at] = turned

        outer, machine.effects.watch = machine.effects.watch, lambda state, node: seen(state)
        try:
            while time.monotonic() < deadline and sum(counts.values()) < _LOOKS:
                try:
                    self._play(rng, seen, deadline)
                except Fault:
                    continue
        finally:
            machine.effects.watch = outer
        return out

    def _play(self, rng: random.Random, seen: Any, deadline: float) -> None:
        machine = self.machine
        state = machine.initial(recording=False)
        liking = {i: rng.choice((0.02, 0.3, 1.0, 3.0)) for i in range(40)}
        while True:
            seen(state)
            if machine.is_terminal(state) or time.monotonic() > deadline:
                return
            if machine.chance_node(state) is not None:
                machine.play_chance(state, machine.draw(state, rng))
                continue
            player = rng.choice(machine.to_move(state))
            legal = machine.legal_actions(state, player)
            if not legal:
                return
            kinds = sorted({c.action for c in legal})
            kind = rng.choices(kinds, [liking.get(k, 1.0) for k in kinds])[0]
            elapsed = rng.choice((0, 0, 500, 5000)) if self.game.clock is not None else 0
            machine.play_choice(state, player, rng.choice([c for c in legal if c.action == kind]), elapsed)

    def _placed(self, state: State) -> tuple[Place, State]:
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

    def _suggestions(self) -> dict[Place, list[ir.Expr]]:
        """What may hold at each stop. Where no play came: that none can, or else what holds elsewhere at its node, or
        at the stop before.
        """
        out: dict[Place, list[ir.Expr]] = {}
        alike: dict[int, list[Place]] = {}
        compared: dict[ir.Expr, None] = {}
        for place in self.stops:
            if place in self._visits:
                out[place], found = suggested(self._vocabulary, self._visits[place])
                alike.setdefault(place.pc, []).append(place)
                compared.update(dict.fromkeys(found))
        for place, sentences in out.items():
            others = [x for x in compared if x not in sentences][:_MOST_COMPARED]
            sentences += elsewhere(self._vocabulary, others, self._visits[place])
        coming: dict[Place, list[Place]] = {}
        for place, following in self._graph.items():
            for q in following:
                coming.setdefault(q, []).append(place)
        for place in [p for p in self.stops if p not in out]:
            there = alike[place.pc][0] if place.pc in alike else self._stop_before(place, coming)
            out[place] = [ir.Const(False, types.BOOL), *([] if there is None else out[there])]
        return out

    def _stop_before(self, place: Place, coming: dict[Place, list[Place]]) -> Place | None:
        """The nearest stop before a place to which play came."""
        waiting, seen = [place], {place}
        for at in waiting:
            if at in self._visits and self._is_stop(at):
                return at
            new = [p for p in coming.get(at, ()) if p not in seen]
            seen.update(new)
            waiting += new
        return None

    # -------------------------------------------------------------------------------------- one segment

    def _fresh(self, place: Place) -> Env:
        return self.symbolic.with_steering(place, self.symbolic.anything())

    def _segment(self, place: Place | None) -> _Segment:
        """The ways from a stop, or from the beginning, to the next stops."""
        symbolic = self.symbolic
        symbolic.begin_anew()
        ways: dict[Place, list[tuple[Any, Env]]] = {}
        arrived: dict[Place, list[tuple[Any, Env]]] = {}
        if place is None:
            at, env = self._beginning()
            (arrived if self._is_stop(at) else ways)[at] = [(True, env)]
        else:
            env = self._fresh(place)
            self._go(place, True, env, ways, arrived)
        while ways:
            at = min(ways, key=self._rank.__getitem__)
            self._check_time(0)
            condition, here = symbolic.merge(ways.pop(at))
            self._go(at, condition, here, ways, arrived)
        segment = _Segment(z3.Solver())
        for target, found in arrived.items():
            condition, here = symbolic.merge(found)
            held = self.held[target]
            goals = [(x, neg(found)) for x, found in zip(held, self._templates.at(held, here), strict=True)]
            segment.goals.append((target, condition, goals))
        solver = segment.solver
        solver.set("timeout", _QUERY_MS)
        held = [] if place is None else self.held[place]
        for i, (x, found) in enumerate(zip(held, self._templates.at(held, env), strict=True)):
            literal = z3.Bool(f"assumed!{i}")
            solver.add(z3.Implies(literal, lift(found)))
            segment.assumed.append((x, literal))
        for fact in symbolic.known():
            solver.add(fact)
        return segment

    def _go(self, at: Place, condition: Any, env: Env, ways: dict[Place, list[tuple[Any, Env]]],
            arrived: dict[Place, list[tuple[Any, Env]]]) -> None:  # fmt: skip
        for edge, after, changed in self.symbolic.edges(at, env):
            target, turned = self._normal(after, changed)
            into = arrived if self._is_stop(target) else ways
            into.setdefault(target, []).append((conj(condition, edge), turned))
        if self._risks is not None:
            self._risks += [((sort, at.pc, 0), condition, bad) for sort, bad in self.symbolic.risks]
            missing = self.symbolic.terms.missing
            self._risks += [(("none", at.pc, id(x)), condition, none) for x, none in missing]
            self.come_by |= {(at.pc, id(x)) for x, _ in missing}
            self.walked.add(at.pc)

    # ----------------------------------------------------------------------------------------- induction

    def settle(self) -> None:
        """Drops what is not kept up, until all that is left is."""
        waiting: list[Place | None] = [None, *self.stops]
        kept: dict[Place | None, _Segment] = {}
        while waiting:
            place = waiting.pop(0)
            segment = kept.get(place)
            if segment is None:
                segment = kept[place] = self._segment(place)
            for target in self._not_kept_up(place, segment):
                if target not in waiting:
                    waiting.append(target)

    def _not_kept_up(self, place: Place | None, segment: _Segment) -> Iterator[Place]:
        """Drops what this segment does not keep up; tells the stops of which something was dropped."""
        alive = {id(x) for x in self.held[place]} if place is not None else set()
        assumed = [literal for x, literal in segment.assumed if id(x) in alive]
        for target, condition, goals in segment.goals:
            here = {id(x) for x in self.held[target]}
            open_ = [(x, lift(bad)) for x, bad in goals if id(x) in here and bad is not False]
            segment.solver.push()
            segment.solver.add(lift(condition))
            dropped: set[int] = set()
            while open_ and (failed := self._failed(segment.solver, assumed, open_)):
                dropped |= failed
                open_ = [(x, bad) for x, bad in open_ if id(x) not in failed]
            segment.solver.pop()
            if dropped:
                self.held[target] = [x for x in self.held[target] if id(x) not in dropped]
                yield target

    def _failed(self, solver: Any, assumed: list[Any], goals: list[tuple[ir.Expr, Any]]) -> set[int]:
        """Some of the sentences that need not hold, all that one model shows; none where all must."""
        self._check_time(0)
        solver.push()
        solver.add(z3.Or(*(bad for _, bad in goals)))
        result = solver.check(*assumed)
        failed = set[int]()
        if result == z3.sat:
            model = solver.model()
            failed = {id(x) for x, bad in goals if z3.is_true(model.eval(bad, model_completion=True))}
        solver.pop()
        # What the solver cannot tell is not kept up.
        return failed if failed or result == z3.unsat else {id(x) for x, _ in goals}

    # -------------------------------------------------------------------------------------------- claims

    def holds(self, claim: ir.Property, looks: Any) -> bool:
        """Whether the claim follows, wherever it looks, from what holds there. `looks` tells whether it does at a node.

        Of a claim with variables, all their values are tried.
        """
        return all(self._follows(claim, place) for place in self.stops if looks(self.game.nodes[place.pc]))

    def questions(self) -> Iterator[tuple[str, str]]:
        """What the proof rests on, for another solver: of each way between stops, what it is called, and a text in
        SMT-LIB that no values may satisfy, if what is held is kept up.
        """
        for place in (None, *self.stops):
            segment = self._segment(place)
            for _, literal in segment.assumed:
                segment.solver.add(literal)
            whence = "the beginning" if place is None else self._told(place)
            for target, condition, goals in segment.goals:
                segment.solver.push()
                segment.solver.add(lift(condition))
                segment.solver.add(z3.Or(*(lift(bad) for _, bad in goals)) if goals else z3.BoolVal(False))
                yield f"from {whence} to {self._told(target)}", segment.solver.to_smt2()
                segment.solver.pop()

    def _told(self, place: Place) -> str:
        node = self.game.nodes[place.pc]
        return f"{type(node).__name__.lower()} at {node.origin.span} ({place.pc})"

    def at_risk(self, seconds: float) -> set[Risk]:
        """What may go wrong, as far as what is held can tell: "capacity", "range" or "short" at a node, or "none" of an
        expression (by identity) that may lack a value there. What was never come by is not among them: see `come_by`.
        """
        self._deadline = time.monotonic() + seconds
        out: set[Risk] = set()
        self.come_by, self.walked = set(), set()
        for place in (None, *self.stops):
            if place is not None and any(x == ir.Const(False, types.BOOL) for x in self.held[place]):
                continue
            self._risks = []
            solver = self._segment(place).solver
            assumed = [z3.Bool(f"assumed!{i}") for i in range(len(self.held[place]) if place is not None else 0)]
            open_ = [(key, z3.And(lift(c), lift(bad))) for key, c, bad in self._risks if bad is not False]
            if open_ and solver.check(*assumed, z3.Or(*(bad for _, bad in open_))) == z3.unsat:
                continue
            for risk, bad in open_:
                self._check_time(0)
                if risk not in out and solver.check(*assumed, bad) != z3.unsat:
                    out.add(risk)
        self._risks = None
        return out

    def beginnings(self, rule: str) -> Beginnings:
        """The ways in which a rule may begin."""
        never = ir.Const(False, types.BOOL)
        ways = [
            (p.steering, self.held[p]) for p in self.stops
            if isinstance(node := self.game.nodes[p.pc], ir.Mark) and node.begins and node.rule == rule
            and never not in self.held[p]
        ]  # fmt: skip
        return Beginnings(self._steer, ways)

    def _follows(self, claim: ir.Property, place: Place) -> bool:
        symbolic, terms = self.symbolic, self.symbolic.terms
        symbolic.begin_anew()
        env = self._fresh(place)
        held = self._templates.at(self.held[place], env)
        bad: list[Any] = []
        for case in assignments(self.machine, claim):
            with terms.bound(**dict(zip((n for n, _ in claim.variables), case, strict=True))):
                truth, sure = terms.defined(claim.expressions[0], env)
                premise, applies = (True, True) if claim.premise is None else terms.defined(claim.premise, env)
            sought = truth if claim.kind in ("never", "possible", "impossible") else neg(truth)
            bad.append(conj(applies, premise, sure, sought))
        solver = z3.Solver()
        solver.set("timeout", _QUERY_MS)
        for fact in symbolic.known():
            solver.add(fact)
        for x in held:
            solver.add(lift(x))
        solver.add(lift(disj(*bad)))
        return bool(solver.check() == z3.unsat)

"""Proof by induction: what holds at each stop of the rules, since every way from stop to stop keeps it up.

Real plays suggest what might always hold at a place (`candidates`). The rules are carried out on terms from any
position that meets all of it to the next stops; what does not hold there again is dropped, until nothing is. What is
left holds at every visit of every play, whatever the deal, the choices and the length.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import z3

from dsl import ir, types
from dsl.walk import variables_read
from interpreter.machine import Machine
from interpreter.state import State
from verify.asking import added, failing
from verify.candidates import Vocabulary, elsewhere, suggested, with_seats
from verify.env import Env
from verify.folded import Unsupported, conj, disj, lift, neg
from verify.places import assignments, expressions_of
from verify.slicing import steering_names
from verify.steering import Beginnings, Place
from verify.stops import Stops
from verify.symbolic import Symbolic
from verify.symmetry import seats
from verify.templates import Templates
from verify.visits import visited

_MOST_COMPARED = 60
_QUERY_MS = 4_000
_MOST_APART = 200  # ways that come to one place


Risk: TypeAlias = tuple[str, int, int]
"""A sort of obligation, a node, and for "none" the identity of the expression that may have no value."""


class Way(NamedTuple):
    """One way between stops, for another solver: no values satisfy `text` (SMT-LIB) if it keeps up what is held.

    `whence` None is the beginning of the game.
    """

    whence: Place | None
    target: Place
    text: str


@dataclass(slots=True)
class Arrival:
    """How a stop may be come to from another: under which condition, with which variables there, and what would be
    wrong there with each sentence.
    """

    target: Place
    condition: Any
    env: Env
    goals: list[tuple[ir.Expr, Any]]


class Assumption(NamedTuple):
    """What may be assumed at a stop, with its literal, and that the literal assumes it."""

    sentence: ir.Expr
    literal: Any
    meaning: Any


@dataclass(slots=True)
class Segment:
    """The ways from one stop, where the variables are `env`, to the next ones.

    `facts`: what is so of all values. `passed`: the nodes that a way may come past, each with the condition under which
    it does. `struck`: the conditions under which the clock strikes.
    """

    solver: Any
    env: Env
    facts: list[Any] = field(default_factory=list)
    assumed: list[Assumption] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    passed: list[tuple[int, Any]] = field(default_factory=list)
    struck: list[Any] = field(default_factory=list)
    risks: list[tuple[Risk, Any]] = field(default_factory=list)


class Induction:
    """What holds at the stops of one game, as far as claims need it.

    Raises:
        Unsupported: The rules have no terms, or too many places.
    """

    def __init__(self, machine: Machine, claims: tuple[ir.Property, ...], seconds: float) -> None:
        self.machine, self.game, self.claims = machine, machine.game, claims
        deadline = time.monotonic() + seconds
        asked = tuple(x for c in claims for x in expressions_of(c))
        watched = variables_read(asked, machine.game)
        self._steer = steering_names(machine)
        self.symbolic = Symbolic(machine, watched, deadline, self._steer)
        self._templates = Templates(self.symbolic.terms)
        self._places = Stops(machine, self.symbolic, seats(machine, asked), deadline)
        self.stops = self._places.all
        self.vocabulary = Vocabulary(machine, claims)
        self._visits = visited(machine, self._places, 0, seconds / 5)
        self.held = self._suggestions()
        self._segments: dict[Place | None, Segment] = {}
        self._apart: dict[Place | None, Segment] = {}
        self.come_by: set[tuple[int, int]] = set()  # nodes, and the expressions in them that need a value
        self.walked: set[int] = set()  # nodes that were looked at for what may fail

    # -------------------------------------------------------------------------------------- suggestions

    def _suggestions(self) -> dict[Place, list[ir.Expr]]:
        """What may hold at each stop. Where no play came: that none can, or else what holds elsewhere at its node, or
        at the stop before.
        """
        out: dict[Place, list[ir.Expr]] = {}
        alike: dict[int, list[Place]] = {}
        compared: dict[ir.Expr, None] = {}
        for place in self.stops:
            if place in self._visits:
                out[place], found = suggested(self.vocabulary, self._visits[place])
                alike.setdefault(place.pc, []).append(place)
                compared.update(dict.fromkeys(found))
        for place, sentences in out.items():
            others = [x for x in compared if x not in sentences][:_MOST_COMPARED]
            sentences += elsewhere(self.vocabulary, others, self._visits[place])
        coming: dict[Place, list[Place]] = {}
        for place, following in self._places.graph.items():
            for q in following:
                coming.setdefault(q, []).append(place)
        for place in [p for p in self.stops if p not in out]:
            if place.pc in alike:
                there = self._turned_like(place, alike[place.pc], out)
            else:
                before = self._stop_before(place, coming)
                there = [] if before is None else out[before]
            out[place] = [ir.Const(False, types.BOOL), *there]
        return out

    def _turned_like(self, place: Place, others: list[Place], known: dict[Place, list[ir.Expr]]) -> list[ir.Expr]:
        """What holds at another stop of the same node, said of the seats that play the same part here."""
        cells = self.symbolic.steering_cells
        players = [isinstance(types.strip(self.machine.layout.cell_vars[i].type), ir.PlayerType) for i in cells]
        for other in others:
            parts = [(a, b) for a, b, is_player in zip(other.steering, place.steering, players, strict=True)
                     if is_player and isinstance(a, int) and isinstance(b, int)]  # fmt: skip
            seats_there = dict(parts)
            if len(seats_there) == len(set(parts)) == len(set(seats_there.values())):
                return [with_seats(x, seats_there) for x in known[other]]
        return known[others[0]]

    def _stop_before(self, place: Place, coming: dict[Place, list[Place]]) -> Place | None:
        """The nearest stop before a place to which play came."""
        waiting, seen = [place], {place}
        for at in waiting:
            if at in self._visits and self._places.is_stop(at):
                return at
            new = [p for p in coming.get(at, ()) if p not in seen]
            seen.update(new)
            waiting += new
        return None

    # -------------------------------------------------------------------------------------- one segment

    def _fresh(self, place: Place) -> Env:
        return self.symbolic.with_steering(place, self.symbolic.anything())

    def stop_at(self, deadline: float) -> None:
        """From then on (of `time.monotonic`), whatever looks at ways raises `Unsupported`."""
        self._places.deadline = deadline

    def segment(self, place: Place | None) -> Segment:
        """The ways from a stop, or from the beginning (None), to the next stops."""
        if place not in self._segments:
            self._segments[place] = self._segment(place)
        return self._segments[place]

    def apart(self, place: Place | None) -> Segment:
        """The same with each way by itself, and no goals: an easy question each, where one about all is a hard one."""
        if place not in self._apart:
            self._apart[place] = self._segment(place, meet=False)
        return self._apart[place]

    def _segment(self, place: Place | None, meet: bool = True) -> Segment:
        symbolic = self.symbolic
        symbolic.begin_anew()
        ways: dict[Place, list[tuple[Any, Env]]] = {}
        arrived: dict[Place, list[tuple[Any, Env]]] = {}
        at, env = self._places.beginning() if place is None else (place, self._fresh(place))
        segment = Segment(z3.Solver(), env)
        if place is None:
            (arrived if self._places.is_stop(at) else ways)[at] = [(True, env)]
        else:
            self._go(place, True, env, segment, ways, arrived)
        while ways:
            at = min(ways, key=self._places.rank.__getitem__)
            self._places.check_time()
            if not meet and len(ways[at]) > _MOST_APART:
                raise Unsupported("too many ways to keep apart")
            for condition, here in [symbolic.merge(ways.pop(at))] if meet else ways.pop(at):
                self._go(at, condition, here, segment, ways, arrived)
        for target, found in arrived.items():
            if not meet:
                segment.arrivals += [Arrival(target, condition, here, []) for condition, here in found]
                continue
            condition, here = symbolic.merge(found)
            segment.arrivals.append(Arrival(target, condition, here, self._goals(self.held[target], here)))
        solver = segment.solver
        solver.set("timeout", _QUERY_MS)
        self._assume(segment, [] if place is None else self.held[place])
        segment.facts += symbolic.known()
        solver.add(*segment.facts)
        return segment

    def assumptions(self, place: Place | None, apart: bool = False) -> list[Assumption]:
        """What is still held at a stop, as it may be assumed in the solver of its segment, or of the one `apart`."""
        held = set() if place is None else {id(x) for x in self.held[place]}
        segment = self.apart(place) if apart else self.segment(place)
        return [a for a in segment.assumed if id(a.sentence) in held]

    def assumed(self, place: Place | None) -> list[Any]:
        """The literals of what is still held at a stop."""
        return [a.literal for a in self.assumptions(place)]

    def _go(self, at: Place, condition: Any, env: Env, segment: Segment, ways: dict[Place, list[tuple[Any, Env]]],
            arrived: dict[Place, list[tuple[Any, Env]]]) -> None:  # fmt: skip
        symbolic = self.symbolic
        for edge, after, changed in symbolic.edges(at, env):
            target, turned = self._places.normal(after, changed)
            into = arrived if self._places.is_stop(target) else ways
            into.setdefault(target, []).append((conj(condition, edge), turned))
        missing = symbolic.terms.missing
        wrong = [((sort, at.pc, 0), bad) for sort, bad in symbolic.risks]
        wrong += [(("none", at.pc, id(x)), none) for x, none in missing]
        segment.risks += [(risk, conj(condition, bad)) for risk, bad in wrong if bad is not False]
        segment.passed.append((at.pc, condition))
        segment.struck += symbolic.struck
        self.come_by |= {(at.pc, id(x)) for x, _ in missing}
        self.walked.add(at.pc)

    # ----------------------------------------------------------------------------------------- induction

    def settle(self, known: Mapping[Place, Sequence[ir.Expr]] | None = None) -> None:
        """Drops what is not kept up, until all that is left is. What is `known` to be is not asked of."""
        done = {place: {id(x) for x in held} for place, held in (known or {}).items()}
        waiting: list[Place | None] = [None, *self.stops]
        while waiting:
            place = waiting.pop(0)
            for target in self._not_kept_up(place, done):
                if target not in waiting:
                    waiting.append(target)

    def hold_too(self, more: dict[Place, list[ir.Expr]]) -> None:
        """Holds at stops what is kept up of some sentences more, beside all that is held there already.

        Raises:
            Unsupported: It is not found out in the time; then some may be held that are not kept up.
        """
        self.symbolic.begin_anew()
        known = dict(self.held)
        for place, sentences in more.items():
            self.held[place] = [*self.held[place], *sentences]
            for segments in (self._segments, self._apart):
                if place in segments:
                    self._assume(segments[place], sentences)
        for segment in self._segments.values():
            for arrival in segment.arrivals:
                found = more.get(arrival.target, [])
                arrival.goals += self._goals(found, arrival.env)
        self.settle(known)

    def _goals(self, sentences: list[ir.Expr], env: Env) -> list[tuple[ir.Expr, Any]]:
        """What would be wrong at a position with each sentence."""
        return [(x, neg(there)) for x, there in zip(sentences, self._templates.at(sentences, env), strict=True)]

    def _assume(self, segment: Segment, sentences: list[ir.Expr]) -> None:
        """Makes it possible to assume sentences where a segment begins."""
        for x, here in zip(sentences, self._templates.at(sentences, segment.env), strict=True):
            literal = z3.Bool(f"assumed!{len(segment.assumed)}")
            segment.assumed.append(Assumption(x, literal, z3.Implies(literal, lift(here))))
            segment.solver.add(segment.assumed[-1].meaning)

    def _not_kept_up(self, place: Place | None, done: Mapping[Place, set[int]]) -> Iterator[Place]:
        """Drops what the ways from a stop do not keep up; tells the stops of which something was dropped."""
        segment, assumed = self.segment(place), self.assumed(place)
        for arrival in segment.arrivals:
            here = {id(x) for x in self.held[arrival.target]} - done.get(arrival.target, set())
            open_ = [(id(x), bad) for x, bad in arrival.goals if id(x) in here and bad is not False]
            with added(segment.solver, arrival.condition):
                dropped = failing(segment.solver, assumed, open_, self._places.check_time)
            if dropped:
                self.held[arrival.target] = [x for x in self.held[arrival.target] if id(x) not in dropped]
                yield arrival.target

    # -------------------------------------------------------------------------------------------- claims

    def holds(self, claim: ir.Property, looks: Any) -> bool:
        """Whether the claim follows, wherever it looks, from what holds there. `looks` tells whether it does at a node.

        Of a claim with variables, all their values are tried.
        """
        return all(self._follows(claim, place) for place in self.stops if looks(self.game.nodes[place.pc]))

    def visited(self, seed: int, seconds: float) -> dict[Place, list[State]]:
        """Real positions at each stop that other plays come to, turned as places are."""
        return visited(self.machine, self._places, seed, seconds)

    def ways(self, seconds: float) -> Iterator[Way]:
        """What the proof rests on: every way between stops. Raises `Unsupported` when the time is up."""
        self.stop_at(time.monotonic() + seconds)
        for place in (None, *self.stops):
            segment = self.segment(place)
            for arrival in segment.arrivals:
                held = {id(x) for x in self.held[arrival.target]}
                bad = disj(*(bad for x, bad in arrival.goals if id(x) in held))
                yield Way(place, arrival.target, self.asked(place, arrival.condition, bad))

    def asked(self, place: Place | None, *conditions: Any, apart: bool = False) -> str:
        """A question about the ways from a stop, with what is held there and not what was dropped, as text.

        `apart`: about each way by itself, as `apart` has them.
        """
        solver, assumptions = z3.Solver(), self.assumptions(place, apart)
        solver.add(*(self.apart(place) if apart else self.segment(place)).facts)
        solver.add(*(a.meaning for a in assumptions), *(a.literal for a in assumptions), *map(lift, conditions))
        return solver.to_smt2()

    def followed(self, claim: ir.Property, looks: Any) -> Iterator[tuple[Place, str]]:
        """What is asked, where `holds` says yes, at each stop where the claim looks: no values satisfy it."""
        for place in self.stops:
            if looks(self.game.nodes[place.pc]):
                yield place, self._against(claim, place).to_smt2()

    def kept_safe(self, sort: str, seconds: float) -> Iterator[tuple[Place | None, set[int], str]]:
        """What is asked about the obligations of a sort that cannot fail (see `at_risk`), from each stop and the
        beginning, with the nodes that they are at: no values satisfy it.
        """
        risky = self.at_risk(seconds)
        for place in (None, *self.stops):
            safe = [(risk, bad) for risk, bad in self.segment(place).risks if risk[0] == sort and risk not in risky]
            if not (safe and self.is_reached(place)):
                continue
            yield place, {risk[1] for risk, _ in safe}, self.asked(place, disj(*(bad for _, bad in safe)))

    def at_risk(self, seconds: float) -> set[Risk]:
        """What may go wrong, as far as what is held can tell: "capacity", "range" or "short" at a node, or "none" of an
        expression (by identity) that may lack a value there. What was never come by is not among them: see `come_by`.
        """
        self.stop_at(time.monotonic() + seconds)
        out: set[Risk] = set()
        for place in (None, *self.stops):
            if not self.is_reached(place):
                continue
            segment, assumed = self.segment(place), self.assumed(place)
            open_ = [(risk, lift(bad)) for risk, bad in segment.risks if risk not in out]
            if open_ and segment.solver.check(*assumed, lift(disj(*(bad for _, bad in open_)))) == z3.unsat:
                continue
            for risk, bad in open_:
                self._places.check_time()
                if risk not in out and segment.solver.check(*assumed, bad) != z3.unsat:
                    out.add(risk)
        return out

    def values(self, wanted: list[ir.Expr], env: Env) -> tuple[list[Any], list[Any]]:
        """Values at a position, None where one may be missing; first, what is known of new names in them."""
        terms = self.symbolic.terms
        terms.forget()
        out = []
        for x in wanted:
            value, sure = terms.defined(x, env)
            out.append(value if sure is True else None)
        return list(terms.facts), out

    def reached(self) -> dict[Place, list[Place]]:
        """The stops that play may come to, as far as what is held can tell, each with those that may follow."""
        return {
            p: [a.target for a in self.segment(p).arrivals if self.is_reached(a.target)]
            for p in self.stops if self.is_reached(p)
        }  # fmt: skip

    def is_reached(self, place: Place | None) -> bool:
        """Whether play may come to a stop, as far as what is held can tell."""
        return place is None or ir.Const(False, types.BOOL) not in self.held[place]

    def beginnings(self, rule: str) -> Beginnings:
        """The ways in which a rule may begin."""
        ways = [
            (p.steering, self.held[p]) for p in self.stops
            if isinstance(node := self.game.nodes[p.pc], ir.Mark) and node.begins and node.rule == rule
            and self.is_reached(p)
        ]  # fmt: skip
        return Beginnings(self._steer, ways)

    def _follows(self, claim: ir.Property, place: Place) -> bool:
        return bool(self._against(claim, place).check() == z3.unsat)

    def _against(self, claim: ir.Property, place: Place) -> Any:
        """A solver that is to find values at a stop that meet all that is held there and not the claim."""
        solver = z3.Solver()
        solver.set("timeout", _QUERY_MS)
        solver.add(*self.against(claim, place)[1])
        return solver

    def against(self, claim: ir.Property, place: Place) -> tuple[Env, list[Any]]:
        """The variables at a stop, and terms: all are true where what is held there is met and the claim is not."""
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
        return env, [*symbolic.known(), *map(lift, held), lift(disj(*bad))]

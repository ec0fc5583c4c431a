"""The encoder beside a real play: each node is carried out on terms, where whatever terms leave open is as it is.

What cards say is an opaque term to the prover. Here it has the value that it has in play, so that everything folds to
plain values and must come to what play comes to. The same question must have the same answer as long as the terms
take it for the same, and each answer must lie within what is said of it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import z3

from dsl import ir
from interpreter.actions import Choice
from interpreter.effects import STOP
from interpreter.machine import Machine
from interpreter.state import Evaluator, State
from interpreter.values import UNSET, Fault, as_cards
from verify.env import Env
from verify.folded import Lying, Optional, Strength, Unsupported, conj, equal, is_term, key_number, lift
from verify.piling import Piling
from verify.steering import Place
from verify.symbolic import Symbolic
from verify.terms import Terms
from verify.terms_keys import constant_key

_MOST = 40  # so many ways beside one play are too many


class Free:
    """Which of several open ways is gone: any."""

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Oracle(Terms):
    """Terms of which the opaque ones have the values of a real position."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.state = self.after = machine.blank(recording=False)
        self.given: dict[str, Any] = {}
        self.numbers: list[int] = []
        self._compiled: dict[Any, tuple[list[int], Evaluator, ir.Expr]] = {}
        self.asked = 0

    def fresh(self, t: ir.Type, hint: str) -> Any:
        if hint in ("chosen", "picked") and self.numbers:
            assert isinstance(t, ir.IntType)
            return self._between(self.numbers.pop(0), t.low, t.high)
        return self.given[hint] if hint in self.given else super().fresh(t, hint)

    def value(self, expr: ir.Expr) -> Any:
        """What an expression comes to in the real position.

        Raises:
            Fault: It has no value there, or hangs on what is not known.
        """
        names = tuple(self._scope)
        key = id(expr), names
        if key not in self._compiled:
            with self.machine.compiler.bound(*names) as slots:
                self._compiled[key] = slots, self.machine.compiler.compile(expr), expr
        slots, compiled, _ = self._compiled[key]
        for slot, name in zip(slots, names, strict=True):
            self.machine.compiler.scratch[slot] = plain(self._scope[name])
        return compiled(self.state)

    def opaque(self, expr: ir.Expr, env: Env, t: ir.Type, hint: str) -> Any:
        try:
            value = self.value(expr)
        except Fault:
            return super().opaque(expr, env, t, hint)
        self.asked += 1
        found = self._within(t, value)
        if isinstance(expr, ir.AsExpr):
            found = Optional(True, Strength(0, 0)) if found is None else Optional(False, found)
        known = super().opaque  # the same question is the same term
        self.given, outer = {hint: found}, self.given
        try:
            told = known(expr, env, t, hint)
        finally:
            self.given = outer
        if not is_term(told) or isinstance(told, Optional):
            same = equal(told, found)
            assert same is not False, f"{expr} is taken for {told} still, and is {found}"
        return found

    def _within(self, t: ir.Type, value: Any) -> Any:
        """A value as it stands for a term; that it is one of its type goes to the facts."""
        match t:
            case ir.OptionalType(of):
                return None if value is None else self._within(of, value)
            case ir.IntType(low, high):
                return self._between(value, low, high)
            case ir.CombinationType():
                constant = constant_key(self.machine, value.kind)
                self.facts.append(constant is None or constant == key_number(value.key))
                return value
            case ir.PlayerType() | ir.RankType() | ir.SuitType() | ir.KindType() | ir.EnumType():
                return self._between(value, *self.machine.words.bounds(t))
            case _:
                return value

    def _picked(self, expr: ir.PickCards, env: Env) -> Lying:
        domain = expr.binder.domain
        pile = None if isinstance(domain, ir.Domain) else self.term(domain, env)
        self.numbers = []
        if isinstance(pile, Lying) and pile.parts is not None:
            with contextlib.suppress(Fault):
                self.numbers = self.lying(self.value(expr), pile.parts)
        try:
            return super()._picked(expr, env)
        finally:
            self.numbers = []

    def lying(self, cards: Any, parts: tuple[tuple[int, Any], ...]) -> list[int]:
        """How many of some cards lie in each of some places."""
        places = [self.state.where[c] for c in as_cards(cards)]
        return [places.count(p) for p, _ in parts]


class Lain(Piling):
    """Numbers of cards: where terms give up to tell them, they are as they are."""

    def __init__(self, machine: Machine, terms: Oracle) -> None:
        self._oracle = terms
        super().__init__(machine, terms)

    def anyhow(self) -> list[Any]:
        o = self._oracle
        counts = [o._between(len(z), 0, self._most(i)) for i, z in enumerate(o.after.zones)]
        o.facts.append(sum(counts) == self._pack)
        return counts

    def chosen(self, parameter: ir.Param, env: Env) -> tuple[Any, Lying]:
        o = self._oracle
        assert parameter.domain is not None and not isinstance(parameter.domain, ir.Domain)
        pile = o.term(parameter.domain, env)
        parts = pile.parts if isinstance(pile, Lying) else None
        parts = tuple((p, n) for p, n in parts or () if is_term(n) or n)
        o.numbers = o.lying(o.given[parameter.name], parts)
        try:
            return super().chosen(parameter, env)
        finally:
            o.numbers = []


class Carried(Symbolic):
    """The rules carried out on such terms; of choices the one that was made."""

    def __init__(self, machine: Machine, steer: frozenset[str] | None) -> None:
        super().__init__(machine, frozenset(), time.monotonic() + 1e9, steer)
        self.oracle = self.terms = Oracle(machine)  # type: ignore[assignment]
        self.piling = Lain(machine, self.oracle)
        self.choice: int | None = None

    def _chooser(self) -> Any:
        return Free()

    def _act(self, place: Place, env: Env, action: ir.Action) -> Iterator[tuple[Any, Place, Env]]:
        node = self.game.nodes[place.pc]
        assert isinstance(node, ir.Decide)
        if self.choice is not None and node.actions[self.choice] is action:
            yield from super()._act(place, env, action)


class Stepping(Machine):
    """A game that is played node by node beside its terms.

    `carried` counts steps from stop to stop that were followed, `solved` those of them that a solver had to be asked
    of, `told` the answers that were compared, `lost` what had no terms.
    """

    def __init__(self, game: ir.Game, steer: frozenset[str] | None = None, asked: tuple[ir.Expr, ...] = ()) -> None:
        super().__init__(game)
        self._asked = [(x, self.compiler.compile(x)) for x in asked]
        self.symbolic = Carried(self, steer)
        self.ways: list[tuple[Any, Place, Env]] = []
        self._at: State | None = None
        self._choice: Choice | None = None
        self._begun = 0
        self.is_lost = False
        self.carried = self.solved = self.told = 0
        self.lost: dict[str, int] = {}

    def initial(self, recording: bool = True) -> State:
        self._at, self.is_lost = None, False
        self.symbolic.begin_anew()
        place, env = self.symbolic.beginning()
        self.ways = [(True, place, env)]
        return super().initial(recording)

    def play_choice(self, state: State, player: int, choice: Choice, elapsed_ms: int = 0) -> State:
        self._at, self._choice, self._begun = state.clone(), choice, state.fired
        return super().play_choice(state, player, choice, elapsed_ms)

    def play_chance(self, state: State, outcome: Any) -> State:
        self._at, self._choice = state.clone(), None
        return super().play_chance(state, outcome)

    def advance(self, state: State) -> State:
        if self._at is not None:
            self._leave_a_stop(self._at, state)
        while True:
            before = state.clone()
            following = self._steps[state.pc](state)
            if following == STOP:
                self._arrive(state)
                return state
            state.pc = following
            self._walk(before, state)

    # ------------------------------------------------------------------------------------------- beside

    def _leave_a_stop(self, at: State, state: State) -> None:
        """Chance, a choice or the clock leads on from a stop."""
        before = at.clone()
        symbolic, node = self.symbolic, self.game.nodes[at.pc]
        symbolic.choice, symbolic.oracle.given = None, {}
        if isinstance(node, ir.Decide) and self._choice is not None:
            action = node.actions[self._choice.action]
            if len(state.resume) == len(at.resume) and state.pc == action.entry:
                symbolic.choice = self._choice.action
                for p in action.parameters:
                    cell = self.layout.vars[p.variable].base
                    before.vars[cell] = symbolic.oracle.given[p.name] = state.vars[cell]
                if state.fired != self._begun:
                    before.clock_ms = state.clock_ms  # the choice was looked at again
        self._walk(before, state)
        symbolic.oracle.given = {}

    def _walk(self, before: State, after: State) -> None:
        """One node."""
        if self.is_lost:
            return
        symbolic = self.symbolic
        symbolic.oracle.state, symbolic.oracle.after = before, after
        found: list[tuple[Any, Place, Env]] = []
        try:
            for condition, place, env in self.ways:
                for edge, there, changed in symbolic.edges(place, env):
                    whole = conj(condition, edge, self._agrees(there, changed, after))
                    if whole is not False:
                        found.append((whole, there, changed))
        except Unsupported as error:
            self._lose(str(error))
            return
        node = self.game.nodes[before.pc]
        assert found, f"no way on terms goes as play did at {node.origin.span}: {node}"
        wrong = [f for f in symbolic.terms.facts if f is False]
        assert not wrong, f"what is said of terms is not so at {node.origin.span}: {node}"
        self.ways = found
        if len(found) > _MOST:
            self._lose("too many ways")

    def _agrees(self, place: Place, env: Env, state: State) -> Any:
        """That a way on terms is where play is."""
        frames = tuple(f.node for f in state.resume)
        if place.pc != state.pc or place.frames != frames:
            return False
        if any(v != state.vars[i] for i, v in zip(self.symbolic.steering_cells, place.steering, strict=True)):
            return False
        same: list[Any] = []
        for cell, value in enumerate(state.vars):
            known = env.cells[cell]
            if isinstance(known, Lying):
                self._lies_so(known, env, state)
                known = known.cards
            elif isinstance(known, Optional) and isinstance(known.value, Lying):
                known = Optional(known.none, known.value.cards)
            if value is UNSET or known is UNSET:
                same.append(value is known)
            else:
                same.append(equal(known, value))
        same += [equal(n, len(z)) for n, z in zip(env.counts, state.zones, strict=True)]
        return conj(*same)

    def _lies_so(self, known: Lying, env: Env, state: State) -> None:
        """Cards lie where they are said to, as long as that is said."""
        if known.parts is None or known.since != env.epoch or is_term(known.cards):
            return
        places = [state.where[c] for c in as_cards(known.cards)]
        for place, number in known.parts:
            assert is_term(number) or places.count(place) == number, f"{known} are said to lie so, and lie in {places}"

    def _arrive(self, state: State) -> None:
        """At a stop: what is left open must be possible. Then terms go on from here."""
        if self.is_lost:
            self.begin_here(state)
        elif self._at is not None:
            self.carried += 1
            if not any(c is True for c, _, _ in self.ways):
                self.solved += 1
                solver = z3.Solver()
                solver.set("timeout", 5_000)
                solver.add(*(lift(f) for f in self.symbolic.known() if f is not True))
                solver.add(z3.Or(*(lift(c) for c, _, _ in self.ways)))
                assert solver.check() != z3.unsat, f"terms exclude what play did up to {self.game.nodes[state.pc]}"
            if len(self.ways) > 1 or any(c is not True for c, _, _ in self.ways):
                self.begin_here(state)
        for _, _, env in self.ways[:1] if not self.is_lost else ():
            self._answer(env, state)
        self.symbolic.terms.facts = []
        self._at = state.clone()

    def _answer(self, env: Env, state: State) -> None:
        """What is asked has on terms the value that it has in play."""
        terms = self.symbolic.oracle
        terms.state = state
        for asked, compiled in self._asked:
            try:
                value = compiled(state)
            except Fault:
                continue
            told, sure = terms.defined(asked, env)
            same = conj(sure, equal(told, value)) if not isinstance(told, Lying) else sure
            assert same is not False, f"{asked} is {told} on terms, if {sure}, and {value} in play"
            if same is not True:
                solver = z3.Solver()
                solver.set("timeout", 2_000)
                solver.add(*(lift(f) for f in self.symbolic.known() if f is not True), lift(same))
                assert solver.check() != z3.unsat, f"{asked} is never {value} on terms, as it is in play"
            self.told += 1

    def _lose(self, because: str) -> None:
        self.is_lost = True
        self.lost[because] = self.lost.get(because, 0) + 1

    def begin_here(self, state: State) -> None:
        """Terms begin anew where play is."""
        self.is_lost = False
        self.symbolic.begin_anew()
        frames = tuple(f.node for f in state.resume)
        place = Place(state.pc, tuple(state.vars[i] for i in self.symbolic.steering_cells), frames)
        counts: list[Any] = [len(z) for z in state.zones]
        self.ways = [(True, place, Env(state.vars[:], counts, 0, {}))]


def plain(x: Any) -> Any:
    """A folded value as the evaluator has it.

    Raises:
        Fault: It is not known.
    """
    if isinstance(x, Lying):
        x = x.cards
    if isinstance(x, Optional):
        if is_term(x.none):
            raise Fault("not known")
        return None if x.none else plain(x.value)
    if is_term(x) or isinstance(x, Strength):
        raise Fault("not known")
    return x

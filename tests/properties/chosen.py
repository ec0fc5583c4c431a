"""Steps that a solver chooses, made again in the interpreter.

A position is one of play, or one that the solver makes up. There, whatever the terms leave open (what cards say, the
clock) is given the value that the evaluator finds. Then the solver chooses the rest: the action with its arguments and
how many cards of which zone, or what chance picks; the cards themselves are drawn here, as the table has them. With all
that fixed the encoded relation must be what the interpreter does, no more and no less:

- where the interpreter makes the step, the solver finds it possible, and finds no other values that it could end in;
- where the interpreter refuses the choice, the solver finds it impossible;
- where the rules fail for want of cards, of room, of a range or of a value, the terms say that this may go wrong.

What is not compared: variables that are not set, and numbers of cards that the terms give up to tell (a pile of which
it is not known where it lies); these are counted as `forgotten`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from dsl import ir
from interpreter.actions import Choice, Plan
from interpreter.state import State
from interpreter.values import UNSET, Fault, as_cards
from tests.properties.bench import Bench, Question
from tests.properties.fixing import Fixing, GaveUp
from tests.properties.madeup import any_of
from tests.properties.noting import Edge
from verify.env import Env
from verify.folded import Lying, conj, equal, lift, neg
from verify.steering import Place

# What is said of a failure, and the obligation that the terms must then see at risk.
_FAILURES = {
    "has too few cards to deal from": "short", "a negative number of cards": "short", " holds at most ": "capacity",
    " would become ": "range", " would leave ": "range", "none where a value is needed": "none",
}  # fmt: skip


def compare(bench: Bench, question: Question, state: State | None = None) -> None:
    """One step from a position of play, or from one that the solver makes up.

    Raises:
        Disagreement: The encoder and the interpreter differ.
    """
    question.solver.push()
    try:
        Trial(bench, question).run(state)
    except GaveUp:
        bench.told["gave up"] += 1
    finally:
        question.solver.pop()


class Trial(Fixing):
    """One step, chosen by the solver and made again."""

    def run(self, state: State | None) -> None:
        first = None
        if state is None:
            self.solver.push()
            made = self.make_up()
            self.solver.pop()
            if made is None:
                self.told["no position"] += 1
                return
            state, first = made
        state = self.without_the_dead(state)
        self.fix(state)
        try:
            after = self.leave(state, first)
            if after is not None and self.bench.segments is not None:
                after = self.walk_on(after)
        except Fault as fault:
            self.failed(fault, self.at)
            return
        if after is not None:
            self.arrived(after)

    # --------------------------------------------------------------------------------------- the table

    def leave(self, state: State, first: Edge | None) -> State | None:
        """The interpreter over the node where it stands; None where nothing is to be compared any more."""
        machine, node, after = self.machine, self.machine.game.nodes[state.pc], state.clone()
        if isinstance(node, ir.Decide):
            return self.choose(node, state, first)
        if isinstance(node, ir.Random):
            return self.pick(node, state)
        if machine.chance_node(state) is not None:
            machine.play_chance(after, machine.draw(state, self.rng))
        else:
            assert machine.walk(after), f"{node} is no step"
        return after

    def pick(self, node: ir.Random, state: State) -> State | None:
        """Chance picks what the solver says."""
        machine, values = self.machine, self.machine.words.domain(node.binder.domain)  # type: ignore[arg-type]
        possible = set(machine.outcomes(state))
        number = self.rng.randrange(len(values))
        if self.can(any_of([w.condition for w in self.q.ways])):
            number = self.meanings.value(self.q.way, self.solver.model())
        self.add(self.q.way == number)
        value, after = values[number], state.clone()
        if value not in possible:
            self.refused(any_of([w.condition for w in self.q.ways]), f"chance picks {value}", state)
            return None
        machine.play_chance(after, value)
        return after

    def choose(self, node: ir.Decide, state: State, first: Edge | None) -> State | None:
        """Somebody chooses what the solver says, or the clock strikes."""
        machine, after = self.machine, state.clone()
        (player,) = machine.to_move(state)
        events = machine.game.clock.events if machine.game.clock is not None else ()
        options: list[ir.Action | ir.ClockEvent] = [*node.actions, *events[state.fired : state.fired + 1]]
        self.rng.shuffle(options)
        if first is not None:
            options.sort(key=lambda o: o is not first.action if first.action is not None else isinstance(o, ir.Action))
        for option in options:
            if isinstance(option, ir.Action):
                choice = self.arguments(option, node.actions.index(option), state, player)
                if choice is not None:
                    return machine.play_choice(after, player, choice)
                continue
            struck = any_of([w.condition for w in self.q.ways if w.action is None and w.after.pc == option.entry])
            self.add(struck)
            if not self.can():
                raise self.disagrees(f"terms say that {option.name} cannot happen", state)
            machine.strike(after)
            return after
        return None

    def arguments(self, action: ir.Action, index: int, state: State, player: int) -> Choice | None:
        """Arguments for an action, one after the other as the solver says; None where it cannot be chosen so."""
        plan, trial, said = self.machine.plans(state)[index], state.clone(), list[Any]()
        self.action, self.given = action, {}
        ways = self.meant = [w for w in self.q.ways if w.action is action]
        for p, parameter in zip(action.parameters, plan.parameters, strict=True):
            self.pin(trial)
            if p.domain is None:
                self.add(*(self.is_call(w.env.cells[parameter.cell]) for w in ways))
            if not self.can(self.so_far(ways)):
                self.nobody_can(plan, state, player, said)
                return None
            model = self.solver.model()
            way = next(w for w in ways if z3.is_true(model.eval(lift(self.so_far([w])), model_completion=True)))
            told = way.env.cells[parameter.cell]
            if p.domain is None or isinstance(p.domain, ir.Domain):
                value = self.meanings.value(told, model)
                said.append(value)
            else:
                pile, bit = as_cards(parameter.values(trial)), 1 << player
                cards = self.drawn(pile, told, p, model, trial)
                if len(cards) < p.least:
                    return None  # the terms do not know where the pile lies, nor that it is so small
                signs = tuple(c if trial.known[c] & bit else -1 - pile.index(c) for c in cards)
                said.append(signs if parameter.is_subset else signs[0])
                resolved = parameter.resolve(trial, bit, said[-1])
                if resolved is None:
                    raise self.disagrees(f"there are no cards {cards} to choose for {action.name}", trial)
                value = resolved[0]
            trial.vars[parameter.cell] = self.given[parameter.cell] = value
        self.pin(trial)
        chosen = self.so_far(ways, trial)
        choice = Choice(index, action.name, tuple(said))
        refusal = self.machine.why_not(state, player, choice)
        if refusal is not None:
            self.refused(chosen, f"{choice}: {refusal.message}", trial)
            return None
        self.add(chosen)
        if not self.can():
            raise self.disagrees(f"terms say that nobody can choose {choice}", trial)
        self.action, self.given = None, {}
        return choice

    def is_call(self, told: Any) -> Any:
        """That a combination that is chosen is one of those that can be called."""
        return any_of([self.meanings.same(told, call) for call in self.machine.words.calls])

    def drawn(self, pile: Sequence[int], told: Any, p: ir.Param, model: Any, state: State) -> list[int]:
        """Cards of a pile, so many of each zone as the solver says."""
        if not isinstance(told, Lying) or told.parts is None:
            self.told["any cards"] += 1
            return self.rng.sample(list(pile), min(len(pile), self.rng.randint(p.least, p.most)))
        out: list[int] = []
        for zone, n in told.parts:
            lying = [c for c in pile if state.where[c] == zone]
            wanted = self.meanings.value(n, model)
            if wanted > len(lying):
                raise self.disagrees(f"{wanted} cards are chosen of {len(lying)}", state)
            out += self.rng.sample(lying, wanted)
        return out

    def nobody_can(self, plan: Plan, state: State, player: int, said: list[Any]) -> None:
        """Terms say that nothing can be chosen that begins so."""
        if any(p.is_subset and len(p.values(state)) > 12 for p in plan.parameters[: len(said) + 1]):
            return
        try:
            legal = plan.legal(state.clone(), player)
        except Fault:
            return
        if any(list(c.arguments[: len(said)]) == said for c in legal):
            raise self.disagrees(f"terms say that nobody can choose {plan.name} {said}", state)
        self.told["refused"] += 1

    def refused(self, chosen: Any, what: str, state: State) -> None:
        """The interpreter refuses what is chosen: so must the terms."""
        if self.can(chosen):
            raise self.disagrees(f"terms allow what is refused: {what}", state)
        self.told["refused"] += 1

    def walk_on(self, state: State) -> State:
        """On to the next stop, as places are turned."""
        assert self.bench.segments is not None
        places = self.bench.segments.places
        while True:
            self.at, state = places.placed(state)
            if places.is_stop(self.at):
                return state
            if self.at not in self.q.walked:
                raise self.disagrees("terms never come here", state)
            self.pin(state)
            assert self.machine.walk(state)
            self.lay(state)

    def lay(self, after: State) -> None:
        """Numbers of cards that the terms gave up at a node are as they are."""
        for at, counts in self.q.forgotten:
            if at == self.at:
                self.told["forgotten"] += 1
                self.add(*(n == len(z) for n, z in zip(counts, after.zones, strict=True)))

    # ------------------------------------------------------------------------------------- the verdict

    def arrived(self, after: State) -> None:
        """Where the interpreter is, and with which values, there the terms are, and nowhere else."""
        if self.bench.segments is None:
            self.lay(after)
        there = [(condition, self.agrees(place, env, after)) for condition, place, env in self.q.arrivals]
        if not self.can(any_of([conj(c, same) for c, same in there])):
            raise self.disagrees("terms exclude what the interpreter does", after)
        if self.can(any_of([conj(c, neg(same)) for c, same in there])):
            raise self.disagrees(f"the solver ends elsewhere: {self.differences(after)}", after)
        self.told["steps"] += 1

    def agrees(self, place: Place, env: Env, state: State) -> Any:
        if place.pc != state.pc or place.frames != tuple(f.node for f in state.resume):
            return False
        same = [equal(n, len(z)) for n, z in zip(env.counts, state.zones, strict=True)]
        for told, value in zip(env.cells, state.vars, strict=True):
            if told is not UNSET and value is not UNSET:
                same.append(self.meanings.same(told, value))
        return conj(*same)

    def differences(self, after: State) -> str:
        """What the solver makes of it instead."""
        model, layout = self.solver.model(), self.machine.layout
        for condition, place, env in self.q.arrivals:
            if not z3.is_true(model.eval(lift(condition), model_completion=True)):
                continue
            out = [f"node {place.pc}"] if place.pc != after.pc else []
            pairs = [*zip(layout.var_names, env.cells, after.vars, strict=True),
                     *zip(layout.zone_names, env.counts, map(len, after.zones), strict=True)]  # fmt: skip
            for name, told, value in pairs:
                if told is UNSET or value is UNSET:
                    continue
                if not z3.is_true(model.eval(lift(self.meanings.same(told, value)), model_completion=True)):
                    instead = model.eval(told) if isinstance(told, z3.ExprRef) else told
                    out.append(f"{name} {instead}, not {value}")
            return "; ".join(out)
        return "?"

    def failed(self, fault: Fault, at: Place) -> None:
        """The rules fail: what may go wrong is among the obligations of the node."""
        self.told["faults"] += 1
        sort = next((s for text, s in _FAILURES.items() if text in fault.message), "")
        bad = [b for (s, pc, _), b in self.q.risks if s == sort and pc == at.pc]
        if sort and not (sort == "none" and self.unanswered):
            if not self.can(any_of(bad)):
                raise self.disagrees(f"terms see no risk that {fault.message}", None)
            self.told["failures seen"] += 1

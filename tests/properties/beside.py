"""The count abstraction beside a real play: which of its positions stand for where the play is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from dsl import ir, model, types
from dsl.walk import parts
from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.state import Evaluator, State
from interpreter.values import UNSET, Fault, as_cards
from verify.counting import CountMachine
from verify.counts import Estimate, Impossible
from verify.points import Label, Point, Unsupported
from verify.running import Runner
from verify.unknown import UNKNOWN, Held

STOPS = (ir.Decide, ir.Collect, ir.Shuffle, ir.Cut, ir.Random, ir.Finish)
_MOST = 400  # so many positions beside one real one are too many to follow
_MOST_PASSED = 4_000


class Lost(Exception):
    """The abstraction cannot be followed any further; the message says why. That is no fault of it."""


class Beside:
    """The positions of one abstraction that stand for where a play is. `stands` counts how often there were some."""

    def __init__(self, machine: Machine, questions: Sequence[ir.Expr], tracked: frozenset[str], coarse: bool) -> None:
        self.machine = machine
        self.counting = CountMachine(machine, tracked, tuple(questions), coarse)
        self.runner = Runner(self.counting, STOPS)
        self._asked: list[tuple[ir.Expr, Estimate, Evaluator]] = [
            (x, self.counting.estimate(x), machine.compiler.compile(x)) for x in questions
        ]
        self.started = self.counting.start()
        self.points: list[Point] = []
        self._known: dict[Point, list[tuple[Label | None, Point]]] = {}
        self.told = 0  # answers that were compared
        self.promised = 0

    def begin(self, state: State) -> None:
        """Play begins."""
        self._look(self._reached([self.started], state, None, None), state)

    def step(self, before: State, choice: Choice | None, after: State) -> None:
        """A choice or chance led from one stop to the next.

        Raises:
            Lost: The abstraction has no way to follow.
        """
        begun = self.points
        self._look(self._reached(begun, after, before.pc, choice), after)

    def stand(self, state: State, rng: random.Random) -> None:
        """The position that stands for a state at a stop alone, whatever led there: what it promises can be done."""
        point = self.point_of(state, rng)
        assert self.stands_for(point, state)
        self._look([point], state)

    def point_of(self, state: State, rng: random.Random) -> Point:
        """A position that stands for a state: all that is kept is known; of some cards, where they lie."""
        variables: list[Any] = []
        for cell, value in enumerate(state.vars):
            if value is UNSET:
                variables.append(UNSET)
            elif value is not None and is_cards(self.machine.layout.cell_vars[cell].type):
                places = Counter(state.where[c] for c in as_cards(value))
                variables.append(Held(tuple(sorted(places.items()))) if rng.random() < 0.5 else UNKNOWN)
            else:
                variables.append(value if self.counting.keeps(cell) else UNKNOWN)
        counts = tuple(None if n is None else self._count(cell, state) for cell, n in enumerate(self.started.counts))
        return Point(state.pc, tuple(variables), counts, state.fired, tuple(f.node for f in state.resume))

    # ---------------------------------------------------------------------------------------- following

    def _reached(self, begun: Iterable[Point], after: State, stop: int | None, choice: Choice | None) -> list[Point]:
        """The positions that stand for a state, of those that can be reached up to the next stop."""
        nodes = self.machine.game.nodes
        waiting = [(p, stop is None) for p in begun]
        seen = set(waiting)
        found = {p: None for p, acted in waiting if acted and self._is_here(p, after)}
        while waiting:
            point, acted = waiting.pop()
            is_stop = isinstance(nodes[point.pc], STOPS)
            if is_stop and (acted or point.pc != stop):
                continue
            for label, after_it in self._following(point):
                if is_stop and not self._is_meant(label, choice):
                    continue
                # Until the choice itself is carried out, the clock may strike and come back to it.
                here = self.runner.run(after_it), acted or (is_stop and (label is None or label.kind != "clock"))
                if here not in seen and here[0].fired <= after.fired:
                    seen.add(here)
                    waiting.append(here)
                    if self._is_here(here[0], after):
                        found[here[0]] = None
            if len(seen) > _MOST_PASSED:
                raise Lost("too many positions between stops")
        if len(found) > _MOST:
            raise Lost("too many positions beside one")
        assert found, self._told(begun, after)
        return list(found)

    def _following(self, point: Point) -> list[tuple[Label | None, Point]]:
        if point not in self._known:
            try:
                self._known[point] = self.counting.successors(point)
            except Unsupported as error:
                raise Lost(str(error)) from None
        return self._known[point]

    @staticmethod
    def _is_meant(label: Label | None, choice: Choice | None) -> bool:
        if label is None or choice is None or label.kind == "clock":
            return True
        return label.action == choice.action

    def _is_here(self, point: Point, state: State) -> bool:
        return isinstance(self.machine.game.nodes[point.pc], STOPS) and self.stands_for(point, state)

    def stands_for(self, point: Point, state: State) -> bool:
        """Whether a position stands for a state."""
        if point.pc != state.pc or point.fired != state.fired:
            return False
        if point.frames != tuple(f.node for f in state.resume):
            return False
        for known, value in zip(point.vars, state.vars, strict=True):
            if known is UNKNOWN or known is UNSET:
                continue
            if isinstance(known, Held):
                places: dict[int, int] = {}
                for card in as_cards(value):
                    places[state.where[card]] = places.get(state.where[card], 0) + 1
                if tuple(sorted(places.items())) != known.parts:
                    return False
            elif type(known) is not type(value) or known != value:
                return False
        return all(n is None or n == self._count(cell, state) for cell, n in enumerate(point.counts))

    def _count(self, cell: int, state: State) -> int:
        """How many cards lie in a zone; of a summed family, in all zones of the last index at the first."""
        layout = self.machine.layout
        name = layout.zone_cells[cell].name
        if name not in self.counting.summed:
            return len(state.zones[cell])
        size = layout.zones[name].sizes[-1]
        if (cell - layout.zones[name].base) % size:
            return 0
        return sum(len(z) for z in state.zones[cell : cell + size])

    def _told(self, begun: Iterable[Point], after: State) -> str:
        layout = self.machine.layout
        node = self.machine.game.nodes[after.pc]
        lying = {n: len(z) for n, z in zip(layout.zone_names, after.zones, strict=True)}
        has = {n: v for n, v in zip(layout.var_names, after.vars, strict=True) if v is not UNSET}
        return f"nothing stands for {type(node).__name__} at {node.origin.span}: {has}, {lying}; from {list(begun)[:3]}"

    # ------------------------------------------------------------------------------------------ looking

    def _look(self, points: list[Point], state: State) -> None:
        """What the abstraction says at a position must be so in the state."""
        self.points = points
        self._known.clear()
        for asked, estimate, compiled in self._asked:
            try:
                value = compiled(state)
            except Fault:
                continue
            for point in points:
                try:
                    told = estimate(self.counting.counts(point))
                except Impossible as error:
                    raise AssertionError(f"{asked} is said to fail ({error}) and is {value}") from None
                if told is UNKNOWN:
                    continue
                self.told += 1
                if isinstance(told, Held):
                    assert told.count == len(as_cards(value)), f"{asked} is said to be {told} and is {value}"
                else:
                    assert type(told) is type(value) or not isinstance(told, bool), asked
                    assert told == value, f"{asked} is said to be {told} and is {value}"
        node = self.machine.game.nodes[state.pc]
        if isinstance(node, ir.Decide) and state.reason is None:
            self._keep_promises(points, state)
        if isinstance(node, ir.Random) and state.reason is None:
            self._keep_chances(points, state)

    def _keep_promises(self, points: list[Point], state: State) -> None:
        """An action that is said to be possible for certain is legal."""
        (player,) = self.machine.to_move(state)
        legal = {self._words(c, state, player) for c in self.machine.legal_actions(state, player)}
        for point in points:
            sure = [x for x, _ in self._following(point) if x is not None and x.kind == "action" and x.must]
            for label in sure:
                self.promised += 1
                assert label.player is UNKNOWN or label.player == player, f"{label} of {player}"
                assert any(self._fits(label.words, words) for words in legal), f"{label} is not legal: {legal}"

    def _keep_chances(self, points: list[Point], state: State) -> None:
        """What chance is said to pick for certain it may pick."""
        possible = {str(x) for x in self.machine.outcomes(state)}
        for point in points:
            for label, _ in self._following(point):
                if label is not None and label.kind == "chance" and label.must:
                    self.promised += 1
                    assert label.text in possible, f"chance cannot pick {label.text}: {possible}"

    def _words(self, choice: Choice, state: State, player: int) -> tuple[str, ...]:
        """A choice as the words of a label: cards by how many they are."""
        action = self.machine.decision(state)
        assert isinstance(action, ir.Decide)
        words = [choice.name]
        for p, said in zip(action.actions[choice.action].parameters, choice.arguments, strict=True):
            if p.domain is None or isinstance(p.domain, ir.Domain):
                words.append(self.machine.words.show(said, p.type))
            else:
                words.append(str(len(said)) if isinstance(said, tuple) else "1")
        return tuple(words)

    @staticmethod
    def _fits(said: tuple[str, ...], words: tuple[str, ...]) -> bool:
        return len(said) == len(words) and all(a in ("?", b) for a, b in zip(said, words, strict=True))


def is_cards(t: ir.Type) -> bool:
    """Whether a value is a card or some cards, or none."""
    return isinstance(types.strip(t), ir.CardType | ir.CardsType)


def questions_of(source: model.Model, rng: random.Random, most: int = 4) -> tuple[ir.Expr, ...]:
    """Some of what the claims of a file ask of single positions."""
    asked = [
        x for c in source.properties if not c.variables for x in c.expressions
        if not any(isinstance(p, ir.Before) for p in parts(x))
    ]  # fmt: skip
    return tuple(rng.sample(asked, rng.randint(0, min(most, len(asked)))))


def move_on(machine: Machine, state: State, rng: random.Random) -> tuple[State, Choice | None]:
    """One step of a real play from a stop: chance, or somebody's choice after some time.

    Raises:
        Fault: The rules fail.
    """
    if machine.chance_node(state) is not None:
        return machine.apply_chance(state, machine.draw(state, rng)), None
    player = rng.choice(machine.to_move(state))
    legal = machine.legal_actions(state, player)
    if not legal:
        raise Fault("nothing is possible")
    # Each action as likely, however many arguments it may have.
    action = rng.choice(sorted({c.action for c in legal}))
    choice = rng.choice([c for c in legal if c.action == action])
    elapsed = rng.choice((0, 0, 400, 5_000)) if machine.game.clock is not None else 0
    return machine.apply(state, player, choice, elapsed), choice

"""The same playthrough in a world where two cards that a viewer never saw have changed places."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from dsl import ir
from interpreter import history
from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.play import stream
from interpreter.state import State
from tests.properties.licence import Licence, Viewer


@dataclass(frozen=True)
class Step:
    """What was decided at a stop: by chance (`player` None) or by a player."""

    before: State
    outcome: Any
    player: int | None
    elapsed_ms: int


class Story:
    """A random game with every stop of it kept, and what each seat may have seen."""

    def __init__(self, machine: Machine, seed: str) -> None:
        self.machine = machine
        self.rng = stream(seed, "all")
        self.state = machine.initial()
        self.licence = Licence(machine, self.state)
        self.steps: list[Step] = []

    @property
    def is_over(self) -> bool:
        return self.machine.is_terminal(self.state)

    def go_on(self) -> None:
        machine, state, rng = self.machine, self.state, self.rng
        if machine.chance_node(state) is not None:
            step = Step(state, machine.draw(state, rng), None, 0)
            self.state = machine.apply_chance(state, step.outcome)
        else:
            player = rng.choice(machine.to_move(state))
            clock = machine.game.clock
            elapsed = rng.randint(*clock.think) if clock else 0
            step = Step(state, rng.choice(machine.legal_actions(state, player)), player, elapsed)
            self.state = machine.apply(state, player, step.outcome, elapsed)
        self.steps.append(step)
        self.licence.follow(self.state)

    def hidden_pairs(self, viewer: Viewer) -> list[tuple[int, int]]:
        """Pairs of cards that look different, and of which the viewer cannot have seen either."""
        machine, look = self.machine, self.machine.words.cards.look
        free = [c for c in machine.words.cards.pack if viewer not in self.licence.may[c]]
        where, contents = self.state.where, machine.layout.zone_contents
        return [
            (a, b) for i, a in enumerate(free) for b in free[i + 1 :]
            if look[a] != look[b] and (where[a] == where[b] or not (contents[where[a]] or contents[where[b]]))
        ]  # fmt: skip

    def otherwise(self, a: int, b: int) -> State | None:
        """Where the game would stand now had the two cards lain in each other's place since the last shuffle.

        Everybody does what they did, with the one card for the other. None where the rules would not let them, where
        the two were not shuffled together, and where the rules themselves looked at the two and something else came
        of it: a score, or who deals next, may tell what nobody saw.
        """
        machine = self.machine
        last = next(
            (i for i in reversed(range(len(self.steps)))
             if isinstance(machine.chance_node(self.steps[i].before), ir.Shuffle)), None,
        )  # fmt: skip
        if last is None:
            return None
        state, order = self.steps[last].before, list(self.steps[last].outcome)
        node = machine.chance_node(state)
        assert isinstance(node, ir.Shuffle)
        zone = state.where[a]
        if state.where[b] != zone or len(state.zones[zone]) != len(order):
            return None
        i, j = (order.index(state.zones[zone].index(c)) for c in (a, b))
        order[i], order[j] = order[j], order[i]
        state = machine.apply_chance(state, tuple(order))
        for step in self.steps[last + 1 :]:
            if step.player is None:
                state = machine.apply_chance(state, step.outcome)
                continue
            choice = self._exchanged(step, a, b)
            if machine.why_not(state, step.player, choice) is not None:
                return None
            state = machine.apply(state, step.player, choice, step.elapsed_ms)
        return state if self._course(state) == self._course(self.state) else None

    def _course(self, state: State) -> list[object]:
        """What happened, but for which cards it happened to."""
        types = [v.type for v in self.machine.layout.cell_vars]
        course: list[object] = []
        for entry in history.entries(state):
            match entry:
                case history.Moved(_, how, cards, sources, target, masks):
                    course.append((how, len(cards), sources, target, masks))
                case history.Revealed(_, cards, sources, to, masks):
                    course.append(("reveal", len(cards), sources, to, masks))
                case history.Chose(_, player, action, _, _, secret, _):
                    course.append((player, action.name, secret))
                case history.Assigned(_, cell, _, value, _, _) | history.Picked(_, cell, value, _, _):
                    is_card = isinstance(types[cell], ir.CardType | ir.OptionalType)
                    course.append((cell, value is None if is_card else value))
                case history.Uncovered(_, _, zone):
                    course.append(("top", zone))
                case _:
                    course.append(type(entry).__name__)
        return course

    def _exchanged(self, step: Step, a: int, b: int) -> Choice:
        """The same choice, by someone who holds the one card for the other."""
        plan = self.machine.plans(step.before)[step.outcome.action]
        arguments = []
        for parameter, argument in zip(plan.parameters, step.outcome.arguments, strict=True):
            if parameter.is_subset:
                known = sorted((_other(c, a, b) for c in argument if c >= 0), key=self._look)
                argument = (*known, *(c for c in argument if c < 0))
            elif parameter.is_card and argument >= 0:
                argument = _other(argument, a, b)
            arguments.append(argument)
        return Choice(step.outcome.action, step.outcome.name, tuple(arguments))

    def _look(self, card: int) -> tuple[int, int]:
        return self.machine.words.cards.look[card], card


def _other(card: int, a: int, b: int) -> int:
    return b if card == a else a if card == b else card


def some(pairs: list[tuple[int, int]], rng: random.Random, count: int) -> list[tuple[int, int]]:
    return pairs if len(pairs) <= count else rng.sample(pairs, count)

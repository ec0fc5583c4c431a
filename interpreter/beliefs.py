"""Which worlds a seat believes in: those where what the others did makes sense.

A world drawn at random is put to the test for each of the last choices of others: from the point where it was made,
the choice is tried in that world beside another one that was open to the same seat. If it comes out worse, the world
is turned down. So worlds are drawn about as often as they explain what was seen, by rejection (von Neumann 1951); a
choice tells the less the more luck decides what comes of it. Since it is only a trial, who bluffs is still believed to
bluff at times.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeAlias

from interpreter import history
from interpreter.actions import Choice
from interpreter.determinise import World, draw_world, in_world
from interpreter.draws import draw_choices
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import as_cards

Trial: TypeAlias = Callable[[State, int, Choice], tuple[float | None, int]]
"""What a choice of a seat comes to in a world, which may be changed, and the steps it took."""

WITNESSES = 3
"""So many of the last choices of others are asked."""
TRIES = 4
"""So many worlds are put to the test before one is taken as it comes,"""
PATIENCE = 100
"""or fewer, once so many steps were spent on it."""


class Beliefs:
    """What one seat makes of the others' choices since the cards were last shuffled, as far as its history tells."""

    def __init__(self, machine: Machine, state: State, player: int, rng: random.Random, trial: Trial) -> None:
        self._machine, self._state, self._player, self._rng, self._trial = machine, state, player, rng, trial
        self._witnesses = _witnesses(state, player)

    @property
    def are_moved(self) -> bool:
        """Whether there is anything to believe by."""
        return bool(self._witnesses)

    def world(self) -> tuple[State, int]:
        """A world that the seat believes in, and the steps it took to find."""
        spent = 0
        for _ in range(TRIES):
            drawn = draw_world(self._machine, self._state, self._player, self._rng)
            is_likely, used = self._explains(drawn)
            spent += used
            if is_likely or spent >= PATIENCE:
                break
        return in_world(self._machine, self._state, self._player, drawn, self._rng), spent

    def _explains(self, drawn: World) -> tuple[bool, int]:
        spent = 0
        for chose in self._witnesses:
            assert chose.before is not None
            then = in_world(self._machine, chose.before, self._player, drawn, self._rng)
            choice = self._choice(then, chose, drawn)
            if choice is None:
                continue
            if self._machine.why_not(then, chose.player, choice) is not None:
                return False, spent
            others = [c for c in draw_choices(self._machine, then, chose.player, self._rng, 1) if c != choice]
            if not others:
                continue
            other = others[int(self._rng.random() * len(others))]
            took, used = self._trial(then.clone(), chose.player, choice)
            left, more = self._trial(then, chose.player, other)
            spent += used + more
            if took is not None and left is not None and took < left:
                return False, spent
        return True, spent

    def _choice(self, then: State, chose: history.Chose, drawn: World) -> Choice | None:
        """The choice as it was made in that world; None where it was of cards that its own player did not know."""
        plans = self._machine.decision_plans(then.pc)
        plan = next((p for p in plans if p.declared is chose.action), None)
        if plan is None:
            return None
        arguments: list[Any] = []
        for parameter, value in zip(plan.parameters, chose.values, strict=True):
            if parameter.is_card:
                cards = [drawn.get(c, c) for c in as_cards(value)]
                if not all(then.known[c] >> chose.player & 1 for c in cards):
                    return None
                cards.sort(key=lambda c: (parameter.look[c], c))
                value = tuple(cards) if parameter.is_subset else cards[0]
            arguments.append(value)
        return Choice(plan.index, plan.name, tuple(arguments))


def _witnesses(state: State, player: int) -> list[history.Chose]:
    """The last choices of others, the latest first."""
    found: list[history.Chose] = []
    link = state.history
    while link is not None and len(found) < WITNESSES:
        entry, link, _ = link
        if isinstance(entry, history.Shuffled | history.WasCut):
            break
        if isinstance(entry, history.Chose) and entry.player != player and entry.before is not None:
            found.append(entry)
    return found

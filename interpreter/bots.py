"""Players that work for every game: one that plays at random, and one that looks ahead.

A bot gets the state to ask what it may choose; of what is hidden from its seat it uses nothing.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from typing import TypeAlias

from interpreter.actions import Choice, InvalidChoice
from interpreter.determinise import determinise
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault

Bot: TypeAlias = Callable[[Machine, State, int], Choice]
"""Chooses for a seat that is to move and has something to choose."""

BotMaker: TypeAlias = Callable[[random.Random], Bot]
"""Makes a bot for one choice; it remembers nothing, and all its luck comes from what it is given here."""


def random_bot(rng: random.Random) -> Bot:
    """Plays each of its legal actions as likely."""

    def choose(machine: Machine, state: State, player: int) -> Choice:
        legal = machine.legal_actions(state, player)
        return legal[rng.randrange(len(legal))]

    return choose


def lookahead_bot(
    rng: random.Random, steps: int = 2_000, seconds: float | None = None, depth: int = 40, exploration: float = 0.7
) -> Bot:
    """Tries its actions in worlds it cannot tell from the real one, and plays on at random in each.

    It stops after `steps` simulated choices and chance outcomes in all, or after `seconds` if that is given. A
    playout is cut off after `depth` of them and worth the lead in score there; a win counts above any lead. Which
    action to try next balances those that did well against those little tried (UCB1). With a budget of steps the
    choice follows from `rng` alone.
    """

    def choose(machine: Machine, state: State, player: int) -> Choice:
        legal = machine.legal_actions(state, player)
        if len(legal) == 1:
            return legal[0]
        trials = Trials(len(legal), rng, exploration)
        deadline = None if seconds is None else time.monotonic() + seconds
        spent = 0
        while spent < steps if deadline is None else time.monotonic() < deadline:
            index = trials.next()
            wins, lead, used = playout(machine, state, player, legal[index], rng, depth)
            trials.add(index, wins, lead)
            spent += used
        return legal[trials.best()]

    return choose


class Trials:
    """How each of some actions did so far."""

    def __init__(self, num_actions: int, rng: random.Random, exploration: float) -> None:
        self._untried = list(range(num_actions))
        rng.shuffle(self._untried)
        self._exploration = exploration
        self._visits = [0] * num_actions
        self._wins = [0.0] * num_actions
        self._leads = [0.0] * num_actions
        self._low, self._high = math.inf, -math.inf

    def next(self) -> int:
        """The action to try now."""
        if self._untried:
            return self._untried.pop()
        total = math.log(sum(self._visits))
        bounds = [
            self._mean(i) + self._exploration * math.sqrt(total / visits) for i, visits in enumerate(self._visits)
        ]
        return bounds.index(max(bounds))

    def add(self, index: int, wins: float, lead: float) -> None:
        """A trial's result: 1 for a win, -1 for a loss, 0 for neither; and the lead in score."""
        self._visits[index] += 1
        self._wins[index] += wins
        self._leads[index] += lead
        self._low, self._high = min(self._low, lead), max(self._high, lead)

    def best(self) -> int:
        """The action that did best; among equals the first; the first action where none was tried."""
        tried = [i for i, visits in enumerate(self._visits) if visits]
        return max(tried, key=self._mean, default=0)

    def _mean(self, index: int) -> float:
        visits, span = self._visits[index], self._high - self._low
        lead = (self._leads[index] / visits - self._low) / span if span else 0.0
        return self._wins[index] / visits + lead


def playout(
    machine: Machine, state: State, player: int, choice: Choice, rng: random.Random, depth: int
) -> tuple[float, float, int]:
    """One trial of a choice: whether it won (1, -1 or 0), the lead in score at its end, and the steps it took."""
    world = determinise(machine, state, player, rng)
    used = 1
    try:
        machine.play_choice(world, player, choice, thinking_time(machine, rng))
        while used < depth and not machine.is_terminal(world):
            if not random_step(machine, world, rng):
                break
            used += 1
        won = 0.0
        if machine.is_terminal(world):
            worth = machine.returns(world)[player] if machine.game.num_players > 1 else 0
            won = (worth > 0) - (worth < 0)
        return won, _lead(machine, world, player), used
    except (Fault, InvalidChoice):
        # A world drawn at random may be one that the rules cannot bring about.
        return 0.0, 0.0, used


def random_step(machine: Machine, state: State, rng: random.Random) -> bool:
    """One chance outcome, or one player's choice, at random; False where nobody can do anything."""
    if machine.chance_node(state) is not None:
        machine.play_chance(state, machine.draw(state, rng))
        return True
    movers = machine.to_move(state)
    legal = machine.legal_actions(state, movers[0]) if movers else []
    if not legal:
        return False
    machine.play_choice(state, movers[0], legal[rng.randrange(len(legal))], thinking_time(machine, rng))
    return True


def thinking_time(machine: Machine, rng: random.Random) -> int:
    """A simulated time to think, in milliseconds; none where the game has no clock."""
    clock = machine.game.clock
    return 0 if clock is None else rng.randint(*clock.think)


def _lead(machine: Machine, state: State, player: int) -> float:
    try:
        scores = machine.scores(state)
    except Fault:
        return 0.0
    others = [s for p, s in enumerate(scores) if p != player]
    return float(scores[player] - max(others, default=0))

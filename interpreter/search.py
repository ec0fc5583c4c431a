"""Search for the best choice of a seat that does not see everything.

Every legal choice is tried in the same imagined worlds, each drawn so that the seat cannot tell it from the real one,
and the worse half of the choices is dropped again and again (sequential halving: Karnin, Koren, Somekh 2013). From the
choice on play is simulated until the cards are dealt anew or the game is over.

Worlds that agree with what one seat knows mislead about the others: in all of them its bluff is a bluff, so that
opponents who learn from these worlds would see through it (Frank and Basin 1998 call this non-locality). The others
therefore learn how to play in worlds of their own, drawn from what everybody knows, where the seat too has other cards
(as in the re-determinizing search of Goodman 2019 and the online sampling of Lisý, Lanctot, Bowling 2015). In the
seat's worlds they play as they have learnt to, and only the seat itself learns.
"""

from __future__ import annotations

import math
import random
import time
from dataclasses import dataclass

from dsl import ir
from interpreter.actions import Choice, InvalidChoice
from interpreter.determinise import determinise
from interpreter.draws import thinking_time
from interpreter.habits import Habits, Keys, Last
from interpreter.machine import Machine
from interpreter.observe import is_visible
from interpreter.outlook import is_new_deal, outlook_of
from interpreter.state import State
from interpreter.values import Fault

STEPS = 4_000
"""The budget where none is given: an answer in well under a second for most games."""
LONGEST = 250
"""A playout is cut off after so many steps."""
LOOKS = 8
"""So many of the first choices of a playout mind all that their seat sees."""
TRUST = 2.0
"""So many trials of a choice count as much as what choices of its kind were worth."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the search thinks of one legal choice.

    `value` is what the game is expected to be worth to the seat after it, in the unit of `Machine.returns`; `visits`
    counts the worlds it was tried in; `error` is the standard error of the value, infinite where it is a mere guess.
    """

    choice: Choice
    value: float
    visits: int
    error: float


class _Budget:
    """What may be spent, in steps of simulated play or in seconds."""

    def __init__(self, steps: int, seconds: float | None) -> None:
        self._steps, self._seconds, self._began = max(steps, 1), seconds, time.monotonic()
        self.spent = 0

    @property
    def share(self) -> float:
        """How much of it is spent, from 0 to 1 or a little more."""
        if self._seconds is None:
            return self.spent / self._steps
        return (time.monotonic() - self._began) / self._seconds if self._seconds > 0 else 1.0


class _Arm:
    """One legal choice and how it did."""

    def __init__(self, choice: Choice, kind: object) -> None:
        self.choice, self.kind = choice, kind
        self.visits, self.total, self.squares = 0, 0.0, 0.0

    def add(self, worth: float) -> None:
        self.visits += 1
        self.total += worth
        self.squares += worth * worth


class Search:
    """Searches for the seats of one game, with so many steps (choices and chance outcomes) or seconds a choice.

    With a budget in steps all follows from `rng` and the order of calls, not from the machine it runs on.
    """

    def __init__(self, machine: Machine, rng: random.Random, steps: int = STEPS, seconds: float | None = None) -> None:
        self._machine, self._rng, self._steps, self._seconds = machine, rng, steps, seconds

    def choose(self, state: State, player: int) -> Choice:
        """The choice that did best; between those that cannot be told apart it is left to chance."""
        legal = self._machine.legal_actions(state, player)
        if len(legal) == 1:
            return legal[0]
        estimates = self.estimates(state, player)
        most = max(e.visits for e in estimates)
        finalists = [e for e in estimates if 2 * e.visits >= most]
        # Each is taken as often as it is likely to be the best (Thompson 1933).
        drawn = [e.value + (self._rng.gauss(0, e.error) if 0 < e.error < math.inf else 0.0) for e in finalists]
        return finalists[drawn.index(max(drawn))].choice

    def estimates(self, state: State, player: int) -> list[Estimate]:
        """What each legal choice of a seat that is to move seems worth, in the order of `Machine.legal_actions`.

        Of the state nothing is used that the seat does not know.
        """
        machine, rng = self._machine, self._rng
        run = _Run(machine, state, player, rng)
        arms = [_Arm(c, run.kind(c)) for c in machine.legal_actions(state, player)]
        budget = _Budget(self._steps, self._seconds)
        live = list(range(len(arms)))
        rng.shuffle(live)
        rounds = max(1, math.ceil(math.log2(len(arms)))) if arms else 0
        for number in range(rounds):
            until = budget.share + (1 - budget.share) / (rounds - number)
            complete = False
            while budget.share < 1 and (budget.share < until or not complete):
                world = run.world()
                for index in live:
                    worth, used = run.trial(world, arms[index].choice)
                    budget.spent += used
                    if worth is not None:
                        arms[index].add(worth)
                    if budget.share >= 1:
                        break
                complete = True
            if budget.share >= 1:
                break
            worth_of = _shrunk(arms)
            live = sorted(live, key=lambda i: (-worth_of[i], i))[: (len(live) + 1) // 2]
        return [
            Estimate(arm.choice, worth, arm.visits, _error(arm)) for arm, worth in zip(arms, _shrunk(arms), strict=True)
        ]


def _shrunk(arms: list[_Arm]) -> list[float]:
    """The mean of each arm, drawn towards that of its kind, and that towards the mean of all, where trials are few."""
    kinds: dict[object, list[float]] = {}
    for arm in arms:
        kind = kinds.setdefault(arm.kind, [0.0, 0.0])
        kind[0] += arm.visits
        kind[1] += arm.total
    visits = sum(arm.visits for arm in arms)
    mean = sum(arm.total for arm in arms) / visits if visits else 0.0
    found = []
    for arm in arms:
        count, total = kinds[arm.kind]
        prior = (total + TRUST * mean) / (count + TRUST)
        found.append((arm.total + TRUST * prior) / (arm.visits + TRUST))
    return found


def _error(arm: _Arm) -> float:
    if arm.visits < 2:
        return math.inf
    mean = arm.total / arm.visits
    return math.sqrt(max(arm.squares / arm.visits - mean * mean, 0.0) / (arm.visits - 1))


class _Run:
    """One search: the worlds of a seat, and what all have learnt in them."""

    def __init__(self, machine: Machine, state: State, player: int, rng: random.Random) -> None:
        self._machine, self._state, self._player, self._rng = machine, state, player, rng
        self._habits, self._outlook = Habits(machine, rng), outlook_of(machine)
        self._is_private = _knows_more(machine, state, player)
        self._plans = machine.plans(state)

    def kind(self, choice: Choice) -> object:
        """Choices of one kind are thought alike until each has been tried often."""
        return choice.action, self._habits.about(self._state, self._player, choice, self._plans[choice.action])

    def world(self) -> State:
        """A world that the seat cannot tell from the real one."""
        return determinise(self._machine, self._state, self._player, self._rng)

    def trial(self, world: State, choice: Choice) -> tuple[float | None, int]:
        """What a choice comes to in a world, None where the world is one that cannot be; and the steps it took."""
        player, used = self._player, 0
        if self._is_private:
            _, used = self._playout(determinise(self._machine, self._state, None, self._rng), None, False)
        values, more = self._playout(world.clone(), choice, self._is_private)
        return None if values is None else values[player], used + more

    def _playout(self, world: State, choice: Choice | None, only_self: bool) -> tuple[list[float] | None, int]:
        """Plays on in a world, first a choice of the seat if it is given; tells what that is worth to each seat.

        `only_self`: nobody but the seat learns from it, and the seat apart from what it does in other worlds.
        """
        machine, rng, habits, used = self._machine, self._rng, self._habits, 1
        own = self._player + machine.game.num_players if only_self else self._player
        said: list[tuple[int, int, Keys]] = []
        last: Last | None = None
        try:
            if choice is not None:
                last = self._last(world, self._player, choice)
                machine.play_choice(world, self._player, choice, thinking_time(machine, rng))
            while used < LONGEST and not machine.is_terminal(world):
                if machine.chance_node(world) is not None:
                    if is_new_deal(machine, world):
                        break
                    machine.play_chance(world, machine.draw(world, rng))
                    used += 1
                    continue
                player = machine.to_move(world)[0]
                role = own if player == self._player else player
                picked = habits.pick(world, player, role, last, len(said) < LOOKS)
                if picked is None:
                    return None, used
                last = self._last(world, player, picked[0])
                machine.play_choice(world, player, picked[0], thinking_time(machine, rng))
                if not only_self or player == self._player:
                    said.append((player, role, picked[1]))
                used += 1
            values = self._outlook.values(world)
        except (Fault, InvalidChoice):
            # A world drawn at random may be one that the rules cannot bring about.
            return None, used
        for player, role, keys in said:
            habits.learn(role, keys, values[player])
        return values, used

    def _last(self, world: State, player: int, choice: Choice) -> Last | None:
        """The choice as those who come after may know it: nothing of what is chosen at the same time."""
        if isinstance(self._machine.decision(world), ir.Collect):
            return None
        return Last(player, choice, self._machine.plans(world)[choice.action])


def _knows_more(machine: Machine, state: State, player: int) -> bool:
    """Whether a player knows anything that not everybody does."""
    bit, public = 1 << player, machine.layout.public_bit
    if any(state.known[c] & bit and not state.known[c] & public for c in machine.words.cards.pack):
        return True
    return any(is_visible(machine, c, player) and not is_visible(machine, c, None) for c in range(len(state.vars)))

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
from collections.abc import Sequence
from dataclasses import dataclass

from dsl import ir
from interpreter import history
from interpreter.actions import Choice, InvalidChoice
from interpreter.beliefs import Beliefs
from interpreter.determinise import determinise
from interpreter.draws import thinking_time
from interpreter.habits import Habits, Keys, Last
from interpreter.machine import Machine
from interpreter.observe import is_visible
from interpreter.outlook import is_new_deal, outlook_of
from interpreter.state import State
from interpreter.values import Fault

STEPS = 4_000
"""The budget where none is given: an answer within a second."""
LONGEST = 250
"""A playout is cut off after so many steps."""
LOOKS = 8
"""So many of the first choices of a playout mind all that their seat sees."""
CLEAR = 1.0
"""Choices are even that differ by so many times the sum of their standard errors, or less."""
SETTLED = 40
"""What a seat does is a habit if it did it so often."""
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

    def __init__(self, choice: Choice, kind: object, keys: Keys) -> None:
        self.choice, self.kind, self.keys = choice, kind, keys
        self.visits, self.total, self.squares, self.worth, self.habit = 0, 0.0, 0.0, 0.0, 0

    @property
    def error(self) -> float:
        """The standard error of the mean of its trials, infinite where that is unknown."""
        if self.visits < 2:
            return math.inf
        mean = self.total / self.visits
        return math.sqrt(max(self.squares / self.visits - mean * mean, 0.0) / (self.visits - 1))

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
        arms, rng = self._search(state, player), self._rng
        most = max(arm.visits for arm in arms)
        best = [arm for arm in arms if 2 * arm.visits >= most]
        top = max(best, key=lambda arm: arm.worth)
        even = [arm for arm in best if arm.worth >= top.worth - CLEAR * (arm.error + top.error)]
        if sum(arm.habit for arm in even) >= SETTLED:
            # Where others might see through any one choice, it keeps to what it does in the mean of all its cards.
            return rng.choices(even, [arm.habit for arm in even])[0].choice
        # Each is taken as often as it is likely to be the best (Thompson 1933).
        drawn = [arm.worth + (rng.gauss(0, arm.error) if arm.error < math.inf else 0.0) for arm in best]
        return best[drawn.index(max(drawn))].choice

    def estimates(self, state: State, player: int) -> list[Estimate]:
        """What each legal choice of a seat that is to move seems worth, in the order of `Machine.legal_actions`.

        Of the state nothing is used that the seat does not know.
        """
        return [Estimate(a.choice, a.worth, a.visits, a.error) for a in self._search(state, player)]

    def _search(self, state: State, player: int) -> list[_Arm]:
        machine, rng = self._machine, self._rng
        run = _Run(machine, state, player, rng)
        arms = [_Arm(c, run.kind(c), run.describe(c)) for c in machine.legal_actions(state, player)]
        budget = _Budget(self._steps, self._seconds)
        live = list(range(len(arms)))
        rng.shuffle(live)
        rounds = max(1, math.ceil(math.log2(len(arms)))) if arms else 0
        for number in range(rounds):
            until = budget.share + (1 - budget.share) / (rounds - number)
            complete = False
            while budget.share < 1 and (budget.share < until or not complete):
                world = run.world(budget)
                for index in live:
                    worth, used = run.trial(world, arms[index])
                    budget.spent += used
                    if worth is not None:
                        arms[index].add(worth)
                    if budget.share >= 1:
                        break
                complete = True
            if budget.share >= 1:
                break
            _judge(arms)
            live = sorted(live, key=lambda i: (-arms[i].worth, i))[: (len(live) + 1) // 2]
        _judge(arms)
        for arm in arms:
            arm.habit = run.habit(arm.keys)
        return arms


def _judge(arms: list[_Arm]) -> None:
    """Sets what each arm is worth: the mean of its trials.

    Where these are few it is drawn towards the mean of its kind, and that towards the mean of all.
    """
    kinds: dict[object, list[float]] = {}
    for arm in arms:
        kind = kinds.setdefault(arm.kind, [0.0, 0.0])
        kind[0] += arm.visits
        kind[1] += arm.total
    visits = sum(arm.visits for arm in arms)
    mean = sum(arm.total for arm in arms) / visits if visits else 0.0
    for arm in arms:
        count, total = kinds[arm.kind]
        prior = (total + TRUST * mean) / (count + TRUST)
        arm.worth = (arm.total + TRUST * prior) / (arm.visits + TRUST)


class _Run:
    """One search: the worlds of a seat, and what all have learnt in them."""

    def __init__(self, machine: Machine, state: State, player: int, rng: random.Random) -> None:
        self._machine, self._state, self._player, self._rng = machine, state, player, rng
        self._habits, self._outlook = Habits(machine, rng), outlook_of(machine)
        self._is_private = _knows_more(machine, state, player)
        self._plans = machine.plans(state)
        self._before = self._habits.token(state, player, _last(machine, state))
        self._beliefs = Beliefs(machine, state, player, rng, self._try)
        self._world: State | None = None
        self._world_until = 0

    def kind(self, choice: Choice) -> object:
        """Choices of one kind are thought alike until each has been tried often."""
        return choice.action, self._habits.about(self._state, self._player, choice, self._plans[choice.action])

    def world(self, budget: _Budget) -> State:
        """A world that the seat cannot tell from the real one and, if something speaks for that, believes in.

        A world is used for as long as it took to find it.
        """
        if self._world is None or budget.spent >= self._world_until:
            if self._beliefs.are_moved:
                self._world, used = self._beliefs.world()
                budget.spent += used
                self._world_until = budget.spent + used
            else:
                self._world = determinise(self._machine, self._state, self._player, self._rng)
        return self._world

    def describe(self, choice: Choice) -> Keys:
        """The descriptions of a choice that the seat may make now, in the role in which all learn."""
        return self._habits.describe(self._state, self._player, self._player, choice, self._before)

    def habit(self, keys: Keys) -> int:
        """How often the seat made a choice where it held the same among all it might hold; 0 where it hides nothing."""
        return self._habits.times(keys) if self._is_private else 0

    def trial(self, world: State, arm: _Arm) -> tuple[float | None, int]:
        """What a choice comes to in a world, None where the world is one that cannot be; and the steps it took."""
        player, choice, used = self._player, arm.choice, 0
        everybody = range(self._machine.game.num_players)
        if self._is_private:
            public = determinise(self._machine, self._state, None, self._rng)
            _, used = self._playout(public, player, None, everybody, player)
            values, more = self._playout(world.clone(), player, choice, (player,), player + len(everybody))
        else:
            values, more = self._playout(world.clone(), player, choice, everybody, player)
            if values is not None:
                self._habits.learn(player, arm.keys, values[player])
        return None if values is None else values[player], used + more

    def _try(self, world: State, player: int, choice: Choice) -> tuple[float | None, int]:
        """What a choice of anybody comes to in a world, from which nobody learns."""
        values, used = self._playout(world, player, choice, (), self._player)
        return None if values is None else values[player], used

    def _playout(
        self, world: State, first: int, choice: Choice | None, learners: Sequence[int], own: int
    ) -> tuple[list[float] | None, int]:
        """Plays on in a world, the seat `first` with a choice if one is given; tells what that is worth to each seat.

        `learners` are the seats that learn from it; `own` is the role of the seat that searches.
        """
        machine, rng, habits, used = self._machine, self._rng, self._habits, 1
        said: list[tuple[int, int, Keys]] = []
        last: Last | None = None
        before, num_chosen = self._before if choice is None else None, 0
        try:
            if choice is not None:
                last = self._last(world, first, choice)
                machine.play_choice(world, first, choice, thinking_time(machine, rng))
            while used < LONGEST and not machine.is_terminal(world):
                if machine.chance_node(world) is not None:
                    if is_new_deal(machine, world):
                        break
                    machine.play_chance(world, machine.draw(world, rng))
                    used += 1
                    continue
                player = machine.to_move(world)[0]
                role = own if player == self._player else player
                if last is not None or num_chosen:
                    before = habits.token(world, player, last)
                picked = habits.pick(world, player, role, before, num_chosen < LOOKS)
                if picked is None:
                    return None, used
                last = self._last(world, player, picked[0])
                machine.play_choice(world, player, picked[0], thinking_time(machine, rng))
                if player in learners:
                    said.append((player, role, picked[1]))
                num_chosen += 1
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


def _last(machine: Machine, state: State) -> Last | None:
    """The last choice that was made, if the state has kept its history and it was open to see."""
    link = state.history
    while link is not None:
        entry, link, _ = link
        if isinstance(entry, history.Chose):
            if entry.before is None:
                return None
            plan = next(p for p in machine.decision_plans(entry.before.pc) if p.declared is entry.action)
            return Last(entry.player, Choice(plan.index, plan.name, entry.values), plan)
    return None


def _knows_more(machine: Machine, state: State, player: int) -> bool:
    """Whether a player knows anything that not everybody does."""
    bit, public = 1 << player, machine.layout.public_bit
    if any(state.known[c] & bit and not state.known[c] & public for c in machine.words.cards.pack):
        return True
    return any(is_visible(machine, c, player) and not is_visible(machine, c, None) for c in range(len(state.vars)))

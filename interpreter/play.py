"""Playing one game from start to end, with people and bots, and playing it again from its trace."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from interpreter.actions import Choice, InvalidChoice, Refusal
from interpreter.bots import BotMaker, random_bot
from interpreter.chance import Outcome
from interpreter.draws import thinking_time
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, TraceStep
from interpreter.undo import Turn, turn_to_undo
from interpreter.values import Fault


def stream(seed: object, name: str) -> random.Random:
    """A source of randomness for one purpose: the same seed and name always give the same numbers."""
    return random.Random(f"{seed}/{name}")


class Keeper(Protocol):
    """Who writes down what is played, so that it can go on later. `trouble` is why that failed, or nothing."""

    trouble: str

    def taken(self, before: State, step: TraceStep, after: State) -> None:
        """A step was taken; what comes of it has not been shown to anybody yet."""

    def taken_back(self, num_steps: int, spent_ms: int) -> None:
        """Only the first so many steps still count; the next choice has taken `spent_ms` already."""


class Playthrough:
    """One game as it is played.

    Seats (from 0) without a bot are people: `advance` stops where one of them may choose, and `choose` takes what
    they say. Chance draws from a stream of its own, each choice of a bot from one that follows from the seed and the
    place in the game. So the same seed and choices give the same game, whoever plays the other seats, and a game that
    is taken up again goes on as it would have without the break.
    """

    def __init__(
        self, machine: Machine, seed: object, bots: Mapping[int, BotMaker], recording: bool = True,
        keeper: Keeper | None = None,
    ) -> None:  # fmt: skip
        self.machine, self.seed, self.bots, self.keeper = machine, seed, dict(bots), keeper
        self.steps: list[TraceStep] = []
        self._chance = stream(seed, "chance")
        self._turns: list[Turn] = []
        self.num_decisions = 0
        self.spent_ms = 0
        """Of the clock: what choices that were taken back have used up; it counts for the choice that comes next."""
        self.state = machine.initial(recording)

    @property
    def is_over(self) -> bool:
        return self.machine.is_terminal(self.state)

    @property
    def trace(self) -> Trace:
        """What was decided so far."""
        game = self.machine.game
        return Trace(game.name, game.num_players, game.options, str(self.seed), tuple(self.steps))

    def step(self) -> bool:
        """One chance outcome or one bot's choice; False where a person is to choose or the game is over.

        Raises:
            Fault: The rules ask for what cannot be, or leave a player without an action.
        """
        machine, state = self.machine, self.state
        if machine.is_terminal(state):
            return False
        if machine.chance_node(state) is not None:
            self._befall(machine.draw(state, self._chance))
            return True
        for player in machine.to_move(state):
            if not machine.legal_actions(state, player):
                decision = machine.decision(state)
                raise Fault(f"seat {player + 1} has no action to choose", decision.origin if decision else None)
            if player in self.bots:
                here = len(self.steps)
                bot = self.bots[player](stream(self.seed, f"seat {player + 1}, step {here}"))
                choice = bot(machine, state, player)
                self.choose(player, choice, thinking_time(machine, stream(self.seed, f"time, step {here}")))
                return True
        return False

    def advance(self) -> State:
        """Plays on until a person is to choose or the game is over."""
        while self.step():
            pass
        return self.state

    def choose(self, player: int, choice: Choice, elapsed_ms: int = 0) -> State:
        """A player's choice, made after `elapsed_ms` of the clock. Raises `InvalidChoice` where it is refused."""
        before = self.state
        after = self.machine.apply(before, player, choice, elapsed_ms)
        self.num_decisions += 1
        if player not in self.bots:
            self._turns.append(Turn(len(self.steps), before, player))
            self.spent_ms = 0
        self._took(before, Chosen(player, self.machine.name_of(choice, before), elapsed_ms), after)
        return self.state

    def undo(self, player: int, elapsed_ms: int = 0) -> None:
        """Takes a person's last choice back, and what followed of itself.

        The time that the choice took stays used up, and so do the `elapsed_ms` that they have thought since.

        Raises:
            CannotUndo: Since then somebody has learned something, chance has decided or another person has chosen.
        """
        turn = turn_to_undo(self.machine, self._turns, self.steps, self.state, player)
        undone = [step for step in self.steps[turn.num_steps :] if isinstance(step, Chosen)]
        del self.steps[turn.num_steps :]
        self._turns = [other for other in self._turns if other.num_steps < turn.num_steps]
        self.num_decisions -= len(undone)
        self.spent_ms = elapsed_ms + sum(step.elapsed_ms for step in undone if step.player not in self.bots)
        self.state = turn.before
        if self.keeper is not None:
            self.keeper.taken_back(turn.num_steps, self.spent_ms)

    def go_through(self, steps: Iterable[TraceStep]) -> None:
        """Takes steps that were taken before, whoever chose them then.

        Raises:
            InvalidChoice, ValueError, Fault: They do not fit the game; those that do have been taken.
        """
        for step in steps:
            if isinstance(step, Drawn):
                if self.machine.chance_node(self.state) is None:
                    raise ValueError("chance has nothing to decide")
                # The stream moves on as it did when the outcome was drawn from it.
                self.machine.draw(self.state, self._chance)
                self._befall(step.outcome)
                continue
            choice = self.machine.parse_choice(self.state, step.player, step.choice)
            if choice is None:
                raise ValueError(f"{step.choice} is not on offer")
            self.choose(step.player, choice, step.elapsed_ms)

    def _befall(self, outcome: Outcome) -> None:
        before = self.state
        after = self.machine.apply_chance(before, outcome)
        self._turns.clear()
        self._took(before, Drawn(outcome), after)

    def _took(self, before: State, step: TraceStep, after: State) -> None:
        self.steps.append(step)
        self.state = after
        if self.keeper is not None:
            self.keeper.taken(before, step, after)

    def run(self, max_decisions: int | None = None) -> State:
        """Plays to the end, or until so many choices have been made."""
        while (max_decisions is None or self.num_decisions < max_decisions) and self.step():
            pass
        return self.state


def with_random_bots(machine: Machine, seed: object, recording: bool = True) -> Playthrough:
    """A game that random bots play among themselves."""
    return Playthrough(machine, seed, dict.fromkeys(range(machine.game.num_players), random_bot), recording)


def replay(machine: Machine, trace: Trace, watch: Callable[[State], None] | None = None) -> State:
    """Plays a trace again; `watch` sees every stop, the first one too.

    Raises:
        InvalidChoice, ValueError: The trace does not fit the game.
    """
    state = machine.initial()
    for state in replayed(machine, trace):
        if watch is not None:
            watch(state)
    return state


def replayed(machine: Machine, trace: Trace) -> Iterator[State]:
    """Every stop of a trace, from the first one."""
    state = machine.initial()
    yield state
    for number, step in enumerate(trace.steps, 1):
        if isinstance(step, Drawn):
            if machine.chance_node(state) is None:
                raise ValueError(f"step {number}: chance has nothing to decide")
            state = machine.apply_chance(state, step.outcome)
        else:
            choice = machine.parse_choice(state, step.player, step.choice)
            if choice is None:
                raise InvalidChoice(Refusal("not on offer", f"step {number}: {step.choice} is not on offer"))
            state = machine.apply(state, step.player, choice, step.elapsed_ms)
        yield state

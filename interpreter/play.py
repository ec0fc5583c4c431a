"""Playing one game from start to end, with people and bots, and playing it again from its trace."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from interpreter.actions import Choice, InvalidChoice, Refusal
from interpreter.bots import Bot, random_bot, thinking_time
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, TraceStep
from interpreter.values import Fault


def stream(seed: object, name: str) -> random.Random:
    """A source of randomness for one purpose: the same seed and name always give the same numbers."""
    return random.Random(f"{seed}/{name}")


class Playthrough:
    """One game as it is played.

    Seats (from 0) without a bot are people: `advance` stops where one of them may choose, and `choose` takes what
    they say. Chance, thinking times and each bot draw from streams of their own, so that the same seed and choices
    give the same game, whoever plays the other seats.
    """

    def __init__(self, machine: Machine, seed: object, bots: Mapping[int, Bot], recording: bool = True) -> None:
        self.machine, self.seed, self.bots = machine, seed, dict(bots)
        self._chance, self._time = stream(seed, "chance"), stream(seed, "time")
        self.steps: list[TraceStep] = []
        self.num_decisions = 0
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
            outcome = machine.draw(state, self._chance)
            self.steps.append(Drawn(outcome))
            self.state = machine.apply_chance(state, outcome)
            return True
        for player in machine.to_move(state):
            if not machine.legal_actions(state, player):
                decision = machine.decision(state)
                raise Fault(f"seat {player + 1} has no action to choose", decision.origin if decision else None)
            bot = self.bots.get(player)
            if bot is not None:
                self.choose(player, bot(machine, state, player), thinking_time(machine, self._time))
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
        self.state = self.machine.apply(before, player, choice, elapsed_ms)
        self.steps.append(Chosen(player, self.machine.name_of(choice, before), elapsed_ms))
        self.num_decisions += 1
        return self.state

    def run(self, max_decisions: int | None = None) -> State:
        """Plays to the end, or until so many choices have been made."""
        while (max_decisions is None or self.num_decisions < max_decisions) and self.step():
            pass
        return self.state


def with_random_bots(machine: Machine, seed: object, recording: bool = True) -> Playthrough:
    """A game that random bots play among themselves."""
    bots = {p: random_bot(stream(seed, f"seat {p + 1}")) for p in range(machine.game.num_players)}
    return Playthrough(machine, seed, bots, recording)


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

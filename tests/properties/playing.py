"""Random play that looks at everything on the way, for every game alike."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.play import stream
from interpreter.state import State, check_conservation

T = TypeVar("T")


def sample(items: Sequence[T], count: int, rng: random.Random) -> list[T]:
    """The first, the last and some between."""
    if len(items) <= count:
        return list(items)
    return [items[0], *(items[i] for i in sorted(rng.sample(range(1, len(items) - 1), count - 2))), items[-1]]


class Walk:
    """One game at random, stop by stop; `check` says how thoroughly each stop is looked at (0 not at all)."""

    def __init__(self, machine: Machine, seed: str, check: int = 8, recording: bool = True) -> None:
        self.machine, self.check = machine, check
        self.chance, self.times, self.choices = stream(seed, "chance"), stream(seed, "time"), stream(seed, "choices")
        self.looks = stream(seed, "looks")
        self.num_decisions = 0
        self.state = machine.initial(recording)
        self._look()

    @property
    def is_over(self) -> bool:
        return self.machine.is_terminal(self.state)

    def step(self) -> None:
        """The next outcome of chance, or somebody's next choice."""
        machine, state = self.machine, self.state
        before = state.key() if self.check else None
        history = state.history
        if machine.chance_node(state) is not None:
            outcome = machine.draw(state, self.chance)
            self.state = machine.apply_chance(state, outcome)
        else:
            movers = machine.to_move(state)
            player = movers[self.choices.randrange(len(movers))]
            legal = machine.legal_actions(state, player)
            think = machine.game.clock
            elapsed = 0 if think is None else self.times.randint(*think.think)
            self.state = machine.apply(state, player, legal[self.choices.randrange(len(legal))], elapsed)
            self.num_decisions += 1
        assert self.state is not state
        if self.check:
            assert state.key() == before and state.history is history, "the state before the step has changed"
        self._look()

    def _look(self) -> None:
        if self.check:
            look_at(self.machine, self.state, self.looks, self.check)


def look_at(machine: Machine, state: State, rng: random.Random, thoroughness: int) -> None:
    """What must hold at every stop."""
    check_conservation(state, machine.words.cards.pack)
    kinds = machine.is_terminal(state), machine.chance_node(state) is not None, machine.decision(state) is not None
    assert sum(kinds) == 1, "a stop is one of: the end, chance, a decision"
    movers = machine.to_move(state)
    assert movers == tuple(sorted(set(movers))) and bool(movers) == kinds[2]
    before = state.key()
    for player in range(machine.game.num_players):
        legal = machine.legal_actions(state, player)
        assert bool(legal) == (player in movers), f"seat {player + 1} has no action to choose"
        assert len(set(legal)) == len(legal)
        for choice in sample(legal, thoroughness, rng):
            look_at_choice(machine, state, player, choice)
        if not legal and movers:
            refusal = machine.why_not(state, player, machine.legal_actions(state, movers[0])[0])
            assert refusal is not None and refusal.kind == "not your turn"
    if machine.is_terminal(state):
        look_at_end(machine, state)
    assert state.key() == before, "asking has changed the state"


def look_at_choice(machine: Machine, state: State, player: int, choice: Choice) -> None:
    assert machine.why_not(state, player, choice) is None
    name = machine.name_of(choice, state)
    assert machine.parse_choice(state, player, name) == choice, f"{name} is not read back"
    assert "\n" not in name


def look_at_end(machine: Machine, state: State) -> None:
    seats = machine.game.num_players
    assert machine.reason(state)
    assert len(machine.returns(state)) == len(machine.scores(state)) == seats
    winners = machine.winners(state)
    assert winners == tuple(sorted(set(winners))) and all(0 <= w < seats for w in winners)
    assert machine.chance_node(state) is None and machine.legal_actions(state) == []

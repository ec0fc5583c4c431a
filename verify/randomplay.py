"""One step of a play at random, of whoever may have to do something."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from interpreter.machine import Machine
from interpreter.state import State

_WAITS: Final = (0, 0, 500, 5_000)  # milliseconds


def step(machine: Machine, state: State, rng: random.Random, pick: Callable[[list[int]], int]) -> bool:
    """Chance, or somebody's choice after some time, carried out in `state`; False where nothing is possible.

    `pick` picks one of the actions that are legal, by their numbers in the decision. Each way to choose it is as
    likely.

    Raises:
        Fault: The rules fail.
    """
    if machine.chance_node(state) is not None:
        machine.play_chance(state, machine.draw(state, rng))
        return True
    player = rng.choice(machine.to_move(state))
    legal = machine.legal_actions(state, player)
    if not legal:
        return False
    action = pick(sorted({c.action for c in legal}))
    elapsed = rng.choice(_WAITS) if machine.game.clock is not None else 0
    machine.play_choice(state, player, rng.choice([c for c in legal if c.action == action]), elapsed)
    return True

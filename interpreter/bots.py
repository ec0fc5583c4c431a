"""Players that work for every game: one that plays at random, and one that searches.

A bot gets the state to ask what it may choose; of what is hidden from its seat it uses nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeAlias

from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.search import STEPS, Search
from interpreter.state import State

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


def search_bot(rng: random.Random, steps: int = STEPS, seconds: float | None = None) -> Bot:
    """Plays what a search in imagined worlds finds best, see `interpreter.search`.

    It spends `steps` simulated choices and chance outcomes on a choice, or `seconds` if that is given. With a budget
    in steps what it chooses follows from `rng` alone.
    """

    def choose(machine: Machine, state: State, player: int) -> Choice:
        return Search(machine, rng, steps, seconds).choose(state, player)

    return choose


BOTS: Final[dict[str, BotMaker]] = {"search": search_bot, "random": random_bot}
"""The bots by their names, the better first."""

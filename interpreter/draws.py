"""Legal choices drawn at random, without listing all there are: for play that is simulated many times over."""

from __future__ import annotations

import random
from math import comb
from typing import Any

from interpreter.actions import Choice, Parameter, Plan
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import as_cards

TRIES = 8
"""So many draws may be refused by the guards before everything is listed after all."""
FEW = 64
"""As many subsets of cards are listed, so that each is as likely; of more the number of cards is drawn first."""


def thinking_time(machine: Machine, rng: random.Random) -> int:
    """A simulated time to think, in milliseconds; none where the game has no clock."""
    clock = machine.game.clock
    return 0 if clock is None else rng.randint(*clock.think)


def draw_choices(machine: Machine, state: State, player: int, rng: random.Random, most: int) -> list[Choice]:
    """Of each action that a player may choose up to `most` ways, each drawn at random and perhaps drawn twice.

    Nothing only where the player has nothing to choose; it must be their turn. An action without arguments comes once.
    """
    found: list[Choice] = []
    with machine.seated(state, player):
        for plan in machine.plans(state):
            found += draw(plan, state, player, rng, most if plan.parameters else 1)
    return found


def draw(plan: Plan, state: State, player: int, rng: random.Random, count: int) -> list[Choice]:
    """So many legal ways to choose an action, each at random; none where there is none."""
    if any(not guard(state) for _, guard in plan.guards_at[0]):
        return []
    if not plan.parameters:
        return [Choice(plan.index, plan.name)]
    if _is_listed(plan, state):
        return _of(plan.legal(state, player), rng, count)
    found: list[Choice] = []
    saved = [state.vars[c] for c in plan.cells]
    try:
        for _ in range(count + TRIES):
            said = _try(plan, state, 1 << player, rng)
            if said is not None:
                found.append(Choice(plan.index, plan.name, said))
                if len(found) == count:
                    return found
    finally:
        for cell, value in zip(plan.cells, saved, strict=True):
            state.vars[cell] = value
    return found or _of(plan.legal(state, player), rng, count)


def _of(legal: list[Choice], rng: random.Random, count: int) -> list[Choice]:
    return [legal[int(rng.random() * len(legal))] for _ in range(count)] if legal else []


def _is_listed(plan: Plan, state: State) -> bool:
    """Whether the action takes one small set of cards: few of many subsets are legal as a rule, so all are tried."""
    if len(plan.parameters) != 1 or not plan.parameters[0].is_subset:
        return False
    parameter = plan.parameters[0]
    size = len(as_cards(parameter.values(state)))
    return sum(comb(size, k) for k in range(parameter.declared.least, parameter.declared.most + 1)) <= FEW


def _try(plan: Plan, state: State, bit: int, rng: random.Random) -> tuple[Any, ...] | None:
    """Arguments at random; None where a guard refuses them or there are none."""
    said: list[Any] = []
    for level, parameter in enumerate(plan.parameters, 1):
        drawn = _argument(parameter, state, bit, rng)
        if drawn is None:
            return None
        argument, state.vars[parameter.cell] = drawn
        said.append(argument)
        for _, guard in plan.guards_at[level]:
            if not guard(state):
                return None
    return tuple(said)


def _argument(parameter: Parameter, state: State, bit: int, rng: random.Random) -> tuple[Any, Any] | None:
    """One argument as it is said, with the value it stands for."""
    items = parameter.values(state)
    if not parameter.is_card:
        if not items:
            return None
        value = items[int(rng.random() * len(items))]
        return value, value
    pile, known = as_cards(items), state.known
    if not parameter.is_subset:
        if not pile:
            return None
        place = int(rng.random() * len(pile))
        return (pile[place] if known[pile[place]] & bit else -1 - place), pile[place]
    most = min(parameter.declared.most, len(pile))
    if most < parameter.declared.least:
        return None
    places = sorted(rng.sample(range(len(pile)), rng.randint(parameter.declared.least, most)))
    # Known cards come first and sorted, as `Parameter.candidates` has them.
    look = parameter.look
    seen = sorted((pile[i] for i in places if known[pile[i]] & bit), key=lambda c: (look[c], c))
    hidden = [i for i in places if not known[pile[i]] & bit]
    return (*seen, *(-1 - i for i in hidden)), (*seen, *(pile[i] for i in hidden))

"""Real positions at the stops of the rules, from random play."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault
from verify.randomplay import step
from verify.steering import Place
from verify.stops import Stops

_VISITS = 24  # kept of each stop
_LOOKS = 8_000  # in all
_LIKING = (0.02, 0.3, 1.0, 3.0)  # how much an action may be liked for one game


def visited(machine: Machine, stops: Stops, seed: int, seconds: float) -> dict[Place, list[State]]:
    """Some positions at each stop that play came to, turned as places are."""
    out: dict[Place, list[State]] = {}
    deadline = time.monotonic() + seconds
    counts: dict[Place, int] = {}
    rng = random.Random(seed)

    def seen(state: State) -> None:
        place, turned = stops.placed(state)
        kept = out.setdefault(place, [])
        counts[place] = counts.get(place, 0) + 1
        # Each visit is as likely to be among those that are kept.
        if len(kept) < _VISITS:
            kept.append(turned)
        elif (at := rng.randrange(counts[place])) < _VISITS:
            kept[at] = turned

    outer, machine.effects.watch = machine.effects.watch, lambda state, node: seen(state)
    try:
        while time.monotonic() < deadline and sum(counts.values()) < _LOOKS:
            try:
                _play(machine, rng, seen, deadline)
            except Fault:
                continue
    finally:
        machine.effects.watch = outer
    return out


def _play(machine: Machine, rng: random.Random, seen: Callable[[State], None], deadline: float) -> None:
    """One game, in which some actions are liked more than others."""
    state = machine.initial(recording=False)
    likings: dict[int, float] = {}

    def liked(actions: list[int]) -> int:
        for action in actions:
            if action not in likings:
                likings[action] = rng.choice(_LIKING)
        return rng.choices(actions, [likings[a] for a in actions])[0]

    while True:
        seen(state)
        if machine.is_terminal(state) or time.monotonic() > deadline or not step(machine, state, rng, liked):
            return

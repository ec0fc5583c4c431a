"""A play that comes to a rule with the cards as they should lie, and goes on until the rule has done what is sought.

Players are led to the numbers of cards, not always by the shortest way: what brings a card now may be the end of the
hand. Then the pack is shuffled so that the cards are the right ones, and play goes on from where the rule begins.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dsl import ir, model
from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Trace
from interpreter.values import Fault
from verify.beforehand import Deal, deals
from verify.places import Lookout
from verify.plays import LIKING, MISFITS, Found, Plays, holds_again
from verify.realise import each_way, with_cards

_HEAT = (0.25, 0.5, 1.0)
_TO_END = 60  # steps from where the rule begins
_SECONDS_TO_END = 0.4
_MOST_STEPS = 600


def shown_by_a_rule(claim: ir.Property, source: model.Model, machine: Machine,
                    is_it: Callable[[tuple[Any, ...]], bool], seconds: float) -> tuple[Trace, int] | None:  # fmt: skip
    """A play in which the rule of a claim does what no play by chance did, with how many of its steps show it."""
    deadline = time.monotonic() + seconds
    for deal in deals(claim, source, machine.game.num_players, seconds * 0.7):
        left = deadline - time.monotonic()
        found = _led(claim, machine, deal, is_it, left / 2) if left > 0 else None
        if found is not None:
            return found
    return None


def _led(claim: ir.Property, machine: Machine, deal: Deal, is_it: Callable[[tuple[Any, ...]], bool], seconds: float
         ) -> tuple[Trace, int] | None:  # fmt: skip
    deadline = time.monotonic() + seconds
    ready = _Ready(machine, claim, deal)
    plays = _Led(ready, f"{claim.name}/{machine.game.num_players}/led")
    while time.monotonic() < deadline and plays.run(deadline - time.monotonic(), _MOST_STEPS):
        ready.is_blind = True
        steps = with_cards(machine, tuple(plays.steps), ready.zones, deal.cards)
        ready.is_blind = False
        if steps is None:
            continue
        ending = Lookout(machine, claim, "rule")
        ending.found = lambda values, _: _stop_if(is_it(values))
        going_on = Plays(ending, plays.seed)
        going_on.opening = steps
        try:
            if not going_on.run(min(_SECONDS_TO_END, deadline - time.monotonic()), len(steps) + _TO_END):
                continue
            at = holds_again(machine, claim, "rule", going_on.trace, is_it)
        except MISFITS:
            continue
        if at is not None:
            return replace(going_on.trace, steps=going_on.trace.steps[:at]), at
    return None


def _stop_if(it_is: bool) -> None:
    if it_is:
        raise Found


class _Ready(Lookout):
    """Looks whether the rule begins with enough cards in each zone; `zones` is then where all cards lie."""

    def __init__(self, machine: Machine, claim: ir.Property, deal: Deal) -> None:
        super().__init__(machine, claim, "rule")
        self._deal, self.is_blind = deal, False
        self._least = float("inf")
        self.zones: list[tuple[int, ...]] = []

    def stop(self, state: State) -> None:
        """Nothing is looked at but where the rule begins."""

    def _mark(self, state: State, node: ir.Mark) -> None:
        if not node.begins:
            return
        missing = self._missing(state)
        if self.is_blind:
            self._least = min(self._least, missing)
        elif not missing:
            self.zones = list(state.zones)
            raise Found

    def after(self, state: State, player: int, choice: Choice) -> float:
        """How many cards would be missing after a choice, or too many; less than 0 where the rule begins with none."""
        self.is_blind, self._least = True, float("inf")
        try:
            missing = self._missing(self.machine.apply(state, player, choice))
            return missing if self._least else -1.0
        except Fault:
            return float("inf")
        finally:
            self.is_blind = False

    def _missing(self, state: State) -> float:
        out = 0
        for cell, cards in self._deal.cards.items():
            off = len(cards) - len(state.zones[cell])
            out += max(off, 0) if cell in self._deal.more else abs(off)
        return float(out)


class _Led(Plays):
    """Players who rather do what brings the numbers nearer, each try in another manner, or in the one that went best.

    A try ends where the numbers are set back; then another one begins, in this game or in the next.
    """

    def __init__(self, ready: _Ready, seed: str) -> None:
        super().__init__(ready, seed)
        self._ready = ready
        self._heat, self._likings = 1.0, dict[str, float]()
        self._nearest = self._here = float("inf")
        self._best = self._heat, self._likings

    def _one(self, deadline: float, max_steps: int, path: Any = None) -> None:
        self._begin_anew()
        super()._one(deadline, max_steps, path)

    def _begin_anew(self) -> None:
        if self._rng.random() < 0.5:
            self._heat, self._likings = self._best[0], dict(self._best[1])
        else:
            self._heat, self._likings = self._rng.choice(_HEAT), {}
        self._here = float("inf")

    def _choose(self, state: State, player: int, likings: dict[str, float], wanted: Any) -> Any:
        ways = each_way(self.machine, state, player, self._rng)
        if not ways:
            return None
        far = [self._ready.after(state, player, choice) for choice in ways]
        least = min(far)
        if least > self._here + 1:
            if self._rng.random() < 0.5:
                return None
            self._begin_anew()
        self._here = least
        for choice in ways:
            self._likings.setdefault(choice.name, self._rng.choice(LIKING))
        if least < self._nearest:
            self._nearest, self._best = least, (self._heat, self._likings)
        if least <= 0:
            ways = [w for w, distance in zip(ways, far, strict=True) if distance == least]
            return self._rng.choices(ways, [self._likings[w.name] for w in ways])[0]
        pull = [math.exp((least - distance) / self._heat) if distance < float("inf") else 0.0 for distance in far]
        if not any(pull):
            return self._rng.choice(ways)
        return self._rng.choices(ways, [p * self._likings[w.name] for p, w in zip(pull, ways, strict=True)])[0]

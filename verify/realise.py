"""A deal that shows something, made real: a play that brings so many cards to each zone, then the same play with the
pack shuffled so that they are the right ones.

Players are led by numbers of cards alone. The cards are exchanged from the last shuffle on that held them all, in the
shuffle and in what players name; what comes of it is replayed like any other witness, so that nothing rests on it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dsl import ir
from interpreter.actions import Choice, InvalidChoice
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, TraceStep
from interpreter.values import Fault
from verify.places import Lookout
from verify.plays import Found, Plays, holds_again

Target = Mapping[int, Sequence[int]]
"""The cards that are to lie in each of some zones."""


def realise(machine: Machine, claim: ir.Property, where: str, target: Target,
            is_it: Callable[[tuple[Any, ...]], bool], seconds: float) -> tuple[Trace, int] | None:  # fmt: skip
    """A play that comes to these cards in these zones and shows what it should, with how many of its steps do."""
    deadline = time.monotonic() + seconds
    waiting = _Waiting(machine, claim, where, {cell: len(cards) for cell, cards in target.items()})
    plays = _Led(waiting, f"{claim.name}/{machine.game.num_players}/led")
    while time.monotonic() < deadline:
        if not plays.run(deadline - time.monotonic()):
            return None
        steps = with_cards(machine, tuple(plays.steps), waiting.zones, target)
        if steps is None:
            continue
        trace = replace(plays.trace, steps=steps)
        try:
            at = holds_again(machine, claim, where, trace, is_it)
        except (InvalidChoice, Fault, ValueError):
            continue
        if at is not None:
            return replace(trace, steps=trace.steps[:at]), at
    return None


def shown_by_a_deal(claim: ir.Property, machine: Machine, where: str, is_it: Callable[[tuple[Any, ...]], bool],
                    seconds: float) -> tuple[Trace, int] | None:  # fmt: skip
    """A play that shows what no play by chance did: the cards come from the terms for any deal."""
    from verify import anydeal

    if not anydeal.speaks_of_cards(claim, machine.game):
        return None
    deadline = time.monotonic() + seconds
    for target in anydeal.deals(claim, machine, seconds / 2):
        left = deadline - time.monotonic()
        found = realise(machine, claim, where, target, is_it, left / 2) if left > 0 and target else None
        if found is not None:
            return found
    return None


class _Waiting(Lookout):
    """Looks until the wanted numbers of cards lie where they should; `zones` is then where all cards lie."""

    def __init__(self, machine: Machine, claim: ir.Property, where: str, wanted: Mapping[int, int]) -> None:
        super().__init__(machine, claim, where)
        self.wanted, self.is_blind = wanted, False
        self.zones: list[tuple[int, ...]] = []

    def look(self, state: State) -> None:
        if not self.is_blind and self.missing(state) == 0:
            self.zones = list(state.zones)
            raise Found

    def after(self, state: State, player: int, choice: Choice) -> float:
        """How many cards would still be to come after a choice."""
        begun = self._begun[:]
        self.is_blind = True
        try:
            return self.missing(self.machine.apply(state, player, choice))
        except Fault:
            return float("inf")
        finally:
            self.is_blind, self._begun = False, begun

    def missing(self, state: State) -> float:
        """How many cards are still to come; without end where a zone has too many."""
        out = 0.0
        for cell, number in self.wanted.items():
            here = len(state.zones[cell])
            out += number - here if here <= number else float("inf")
        return out


class _Led(Plays):
    """Players who do what brings the numbers nearer, and of that what they like in this game."""

    def __init__(self, waiting: _Waiting, seed: str) -> None:
        super().__init__(waiting, seed)
        self._waiting = waiting

    def _choose(self, state: State, player: int, likings: dict[str, float], wanted: Any) -> Any:
        ways = each_way(self.machine, state, player, self._rng)
        if len(ways) < 2:
            return ways[0] if ways else None
        far = [self._waiting.after(state, player, choice) for choice in ways]
        best = [c for c, distance in zip(ways, far, strict=True) if distance == min(far)]
        for choice in best:
            likings.setdefault(choice.name, self._rng.choice((0.004, 0.05, 0.5, 1.0, 4.0)))
        return self._rng.choices(best, [likings[c.name] for c in best])[0]


def each_way(machine: Machine, state: State, player: int, rng: random.Random) -> list[Choice]:
    """What a player can do, each but once where it differs only in which cards it is done with."""
    alike: dict[tuple[Any, ...], list[Choice]] = {}
    plans = machine.plans(state)
    for choice in machine.legal_actions(state, player):
        said = [
            len(argument) if p.is_subset else 0 if p.is_card else argument
            for argument, p in zip(choice.arguments, plans[choice.action].parameters, strict=True)
        ]
        alike.setdefault((choice.action, *map(repr, said)), []).append(choice)
    return [rng.choice(choices) for choices in alike.values()]


def with_cards(machine: Machine, steps: tuple[TraceStep, ...], zones: Sequence[tuple[int, ...]], target: Target
                ) -> tuple[TraceStep, ...] | None:  # fmt: skip
    """The same play with other cards: those that lie in the target's zones become the wanted ones."""
    becomes: dict[int, int] = {}
    for cell, cards in target.items():
        becomes |= dict(zip(_matched(zones[cell], cards), cards, strict=True))
    pack = machine.words.cards.pack
    taken, free = set(becomes.values()), [c for c in pack if c not in becomes]
    becomes |= {c: c for c in free if c not in taken}
    left = [c for c in pack if c not in set(becomes.values())]
    becomes |= dict(zip((c for c in free if c in taken), left, strict=True))
    moved = {c for c in pack if becomes[c] != c}
    if not moved:
        return steps
    try:
        return _replayed(machine, steps, becomes, moved)
    except (InvalidChoice, Fault, ValueError):
        return None


def _matched(here: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The cards that lie here, those that are wanted in their own places."""
    others = [c for c in here if c not in wanted]
    return [c if c in here else others.pop() for c in wanted]


def _replayed(machine: Machine, steps: tuple[TraceStep, ...], becomes: Mapping[int, int], moved: set[int]
              ) -> tuple[TraceStep, ...] | None:  # fmt: skip
    first = _last_shuffle(machine, steps, moved)
    if first is None:
        return None
    out: list[TraceStep] = []
    old = new = machine.advance(machine.blank(recording=False))
    for number, step in enumerate(steps):
        if number < first:
            old = new = _taken(machine, old, step)
            out.append(step)
            continue
        before = old
        old = _taken(machine, old, step)
        node = machine.chance_node(before)
        if isinstance(step, Drawn) and isinstance(node, ir.Shuffle):
            zone = machine.effects.zone(node.zone)(before)
            wanted = [becomes[before.zones[zone][i]] for i in step.outcome]
            step = Drawn(tuple(new.zones[zone].index(c) for c in wanted))
        elif isinstance(step, Chosen):
            choice = machine.parse_choice(before, step.player, step.choice)
            if choice is None:
                return None
            other = Choice(choice.action, choice.name, _exchanged(machine, before, choice, becomes))
            step = replace(step, choice=machine.name_of(other, new))
        new = _taken(machine, new, step)
        out.append(step)
    return tuple(out)


def _exchanged(machine: Machine, state: State, choice: Choice, becomes: Mapping[int, int]) -> tuple[Any, ...]:
    arguments: list[Any] = []
    for argument, parameter in zip(choice.arguments, machine.plans(state)[choice.action].parameters, strict=True):
        if parameter.is_subset:
            argument = tuple(becomes.get(c, c) for c in argument)
        elif parameter.is_card:
            argument = becomes.get(argument, argument)
        arguments.append(argument)
    return tuple(arguments)


def _last_shuffle(machine: Machine, steps: tuple[TraceStep, ...], moved: set[int]) -> int | None:
    """The last step that shuffles all the cards that are to be exchanged."""
    found = None
    state = machine.advance(machine.blank(recording=False))
    for number, step in enumerate(steps):
        node = machine.chance_node(state)
        if isinstance(node, ir.Shuffle) and moved <= set(state.zones[machine.effects.zone(node.zone)(state)]):
            found = number
        state = _taken(machine, state, step)
    return found


def _taken(machine: Machine, state: State, step: TraceStep) -> State:
    if isinstance(step, Drawn):
        return machine.apply_chance(state, step.outcome)
    choice = machine.parse_choice(state, step.player, step.choice)
    if choice is None:
        raise ValueError(f"{step.choice} is not on offer")
    return machine.apply(state, step.player, choice, step.elapsed_ms)

"""How seats play in a simulation: better where they have seen what pays, and never by cards they cannot see.

What a choice was worth is kept under ever more particular descriptions of it: its action; its action and arguments;
these and the choice before (n-gram averages: Tak, Winands, Björnsson 2012); these and all that the seat sees then (the
information sets of Cowling, Powley, Whitehouse 2012, a table for each seat). Each description is trusted as far as it
has been tried, and else believes the one above it. A seat plays each choice the oftener the more it seems worth, and
none never: the logit response of McKelvey and Palfrey (1995), which mixes where a poker player must.
"""

from __future__ import annotations

import math
import random
from typing import Any, NamedTuple, TypeAlias

from dsl import ir
from interpreter.actions import Choice, Plan
from interpreter.draws import draw_choices
from interpreter.machine import Machine
from interpreter.observe import is_visible
from interpreter.state import State
from interpreter.values import UNSET, as_cards

Keys: TypeAlias = tuple[tuple[Any, ...], ...]
"""The descriptions of a choice, the widest first."""

TRUST = 3.0
"""So many trials count as much as what the wider description says."""
TEMPERATURE = 0.05
"""How much worse a choice seems that is played e times more seldom; 1 is from the best play to the worst."""
TREMBLE = 0.1
"""How often a seat that minds all it sees chooses at random, and finds out what it had given up (Selten 1975)."""
MEMORY = 100.0
"""So many trials are remembered, the older ones less and less."""
WAYS = 3
"""So many ways to choose an action are drawn to pick from."""
_NOTHING = -1_000_000  # unlike None it has the same hash everywhere


class Last(NamedTuple):
    """The choice before, if it was open to see."""

    player: int
    choice: Choice
    plan: Plan


class Habits:
    """What the seats of one game have found out; `role` tells apart what one seat learns in different worlds."""

    def __init__(self, machine: Machine, rng: random.Random) -> None:
        self._machine, self._rng = machine, rng
        self._look, self._rank = machine.words.cards.look, machine.words.cards.rank
        self._tallies: dict[tuple[Any, ...], list[float]] = {}
        self._overall: dict[int, list[float]] = {}
        layout = machine.layout
        self._cells = [
            [
                (c, _holds_cards(declared.type))
                for c, declared in enumerate(layout.cell_vars)
                if is_visible(machine, c, p)
            ]
            for p in range(machine.game.num_players)
        ]

    def pick(self, state: State, player: int, role: int, before: Any, looks: bool) -> tuple[Choice, Keys] | None:
        """A choice with its descriptions; None where there is none.

        `before` is the token of the choice before, `looks` whether all that is seen is minded.
        """
        choices = draw_choices(self._machine, state, player, self._rng, WAYS)
        if not choices:
            return None
        view = self._view(state, player) if looks else None
        described = [self._keys(state, player, role, choice, before, view) for choice in choices]
        if len(choices) == 1:
            return choices[0], described[0]
        ways: dict[int, int] = {}
        for choice in choices:
            ways[choice.action] = ways.get(choice.action, 0) + 1
        mean, span = self._typical(role)
        worth = [self._worth(keys, mean) for keys in described]
        top, heat = max(worth), span * TEMPERATURE + 1e-9
        trembles = looks and self._rng.random() < TREMBLE
        odds = [
            (1.0 if trembles else math.exp((w - top) / heat)) / ways[c.action]
            for w, c in zip(worth, choices, strict=True)
        ]
        drawn = self._rng.random() * sum(odds)
        for index, share in enumerate(odds):
            drawn -= share
            if drawn < 0:
                return choices[index], described[index]
        return choices[-1], described[-1]

    def learn(self, role: int, keys: Keys, worth: float) -> None:
        """A choice so described was worth so much to its seat."""
        for key in keys:
            tally = self._tallies.get(key)
            if tally is None:
                self._tallies[key] = [1.0, worth, 1]
                continue
            if tally[0] >= MEMORY:
                # Others learn too: what a choice was worth long ago says little.
                tally[0] -= tally[0] / MEMORY
                tally[1] -= tally[1] / MEMORY
            tally[0] += 1
            tally[1] += worth
            tally[2] += 1
        overall = self._overall.setdefault(role, [0.0, 0.0, worth, worth])
        overall[0] += 1
        overall[1] += worth
        overall[2], overall[3] = min(overall[2], worth), max(overall[3], worth)

    def times(self, keys: Keys) -> int:
        """How often a choice was made where all that is seen was the same."""
        tally = self._tallies.get(keys[-1])
        return 0 if tally is None else int(tally[2])

    def describe(self, state: State, player: int, role: int, choice: Choice, before: Any) -> Keys:
        """The descriptions of a choice, all that is seen among them."""
        return self._keys(state, player, role, choice, before, self._view(state, player))

    def _worth(self, keys: Keys, mean: float) -> float:
        for key in keys:
            tally = self._tallies.get(key)
            if tally is not None:
                mean = (tally[1] + TRUST * mean) / (tally[0] + TRUST)
        return mean

    def _typical(self, role: int) -> tuple[float, float]:
        """The mean of what play was worth to a role, and how far apart the best and the worst of it were."""
        overall = self._overall.get(role)
        return (0.0, 1.0) if overall is None else (overall[1] / overall[0], overall[3] - overall[2])

    # ------------------------------------------------------------------------------------- descriptions

    def _keys(self, state: State, player: int, role: int, choice: Choice, before: Any, view: Any) -> Keys:
        action: tuple[Any, ...] = (role, state.pc, choice.action)
        keys: list[tuple[Any, ...]] = [action]
        if choice.arguments:
            action = (*action, self.about(state, player, choice, self._machine.plans(state)[choice.action]))
            keys.append(action)
        if before is not None:
            keys.append((*action, before))
        if view is not None:
            exact = tuple([_exact(a) for a in choice.arguments])
            keys.append((role, state.pc, choice.action, exact, before, view))
        return tuple(keys)

    def token(self, state: State, player: int, last: Last | None) -> Any:
        """The choice before, as a player has seen it."""
        if last is None:
            return None
        seat = (last.player - player) % self._machine.game.num_players
        return seat, last.choice.action, self.about(state, player, last.choice, last.plan)

    def about(self, state: State, player: int, choice: Choice, plan: Plan) -> tuple[Any, ...]:
        """About what the arguments are; cards that the player does not know look alike."""
        known, bit, found = state.known, 1 << player, list[Any]()
        for argument, parameter in zip(choice.arguments, plan.parameters, strict=True):
            if isinstance(argument, ir.Combination):
                found.append((argument.kind, argument.key[:1]))
            elif parameter.is_subset:
                ranks = [self._rank[c] for c in argument if c >= 0 and known[c] & bit]
                found.append((len(argument), max(ranks, default=-1)))
            elif parameter.is_card:
                found.append(self._look[argument] if argument >= 0 and known[argument] & bit else -1)
            else:
                found.append(argument)
        return tuple(found)

    def _view(self, state: State, player: int) -> int:
        """All that a seat sees now, to be told apart; not what happened on the way, and no clock."""
        bit, known, look, layout = 1 << player, state.known, self._look, self._machine.layout
        seen: list[Any] = [player]
        for zone, pile in enumerate(state.zones):
            if layout.zone_counted[zone] & bit:
                seen.append(tuple(sorted([look[c] if known[c] & bit else -1 for c in pile])))
        for cell, holds_cards in self._cells[player]:
            value = state.vars[cell]
            if value is UNSET or value is None:
                seen.append(_NOTHING)
            elif holds_cards:
                seen.append(tuple([look[c] if known[c] & bit else -1 for c in as_cards(value)]))
            else:
                seen.append(_exact(value))
        return hash(tuple(seen))


def _exact(value: Any) -> Any:
    """A value that is equal only to what is the same: calls compare by strength."""
    return (value.kind, value.key, value.arguments) if isinstance(value, ir.Combination) else value


def _holds_cards(type_: ir.Type) -> bool:
    return isinstance(type_.of if isinstance(type_, ir.OptionalType) else type_, ir.CardType | ir.CardsType)

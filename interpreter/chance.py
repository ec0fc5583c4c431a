"""Chance: what may come of a shuffle, a cut or a random pick, and what it does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any, TypeAlias

from dsl import ir
from interpreter import folds, history
from interpreter.effects import Effects
from interpreter.state import State
from interpreter.values import Fault

ChanceNode: TypeAlias = ir.Shuffle | ir.Cut | ir.Random
Outcome: TypeAlias = Any
"""What chance decided, as a plain value that can be kept.

Of a shuffle: a tuple, at place i the place (from the bottom, counted from 0) where the card now at i lay before.
Of a cut: how many cards lay below the place; those above it go below them (0 leaves all as it is: chance never
does, but a trace may). Of a pick: the value.
"""


class Chance:
    """One chance node, made ready."""

    def __init__(self, effects: Effects, node: ChanceNode) -> None:
        self.node, self._effects, self._mover = node, effects, effects.mover
        compiler = effects.compiler
        if isinstance(node, ir.Random):
            self._values = folds.compile_matches(compiler, node.binder)
            self._put = effects.variable(node.variable)
        else:
            self._zone = effects.zone(node.zone)
            self._by: Callable[[State], Any] = (lambda s: None) if node.by is None else compiler.compile(node.by)

    def outcomes(self, state: State) -> Iterator[Outcome]:
        """Every outcome, all equally likely, in order; of a shuffle there are very many."""
        if isinstance(self.node, ir.Random):
            return iter(self._pickable(state))
        count = len(state.zones[self._zone(state)])
        if isinstance(self.node, ir.Cut):
            return iter(range(1, count) if count > 1 else (0,))
        return permutations(range(count))

    def draw(self, state: State, rng: random.Random) -> Outcome:
        """One outcome, each as likely."""
        if isinstance(self.node, ir.Random):
            values = self._pickable(state)
            return values[rng.randrange(len(values))]
        count = len(state.zones[self._zone(state)])
        if isinstance(self.node, ir.Cut):
            return rng.randrange(1, count) if count > 1 else 0
        order = list(range(count))
        rng.shuffle(order)
        return tuple(order)

    def carry_out(self, state: State, outcome: Outcome) -> int:
        """Does to the state what chance decided; tells the next node.

        Raises:
            ValueError: This is no outcome of the node.
        """
        node = self.node
        if isinstance(node, ir.Random):
            if outcome not in self._pickable(state):
                raise ValueError(f"chance cannot pick {outcome!r} here")
            cell = self._put(state, outcome)
            if state.recording:
                mask, masks = self._effects.seen_mask(cell), self._effects.card_masks(state, cell, outcome)
                history.record(state, history.Picked(node.origin, cell, outcome, mask, masks))
            return node.next
        zone = self._zone(state)
        count = len(state.zones[zone])
        if isinstance(node, ir.Cut):
            # At 0 nothing is cut: chance never does, but who is offered the cut may decline it.
            if not (isinstance(outcome, int) and 0 <= outcome < max(count, 1)):
                raise ValueError(f"{count} cards cannot be cut at {outcome!r}")
            order = [*range(outcome, count), *range(outcome)]
        else:
            order = list(outcome)
            if sorted(order) != list(range(count)):
                raise ValueError(f"not an order of {count} cards")
        self._mover.reorder(state, zone, order)
        if state.recording:
            entry = history.WasCut if isinstance(node, ir.Cut) else history.Shuffled
            history.record(state, entry(node.origin, zone, self._by(state)))
        self._effects.tell_uncovered(state)
        return node.next

    def _pickable(self, state: State) -> list[Any]:
        values: list[Any] = self._values(state)
        if not values:
            raise Fault("no value to pick at random")
        return values

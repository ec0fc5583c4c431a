"""A world that a player cannot tell from the real one: what is hidden from them is drawn anew."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, TypeAlias

from dsl import ir
from interpreter.observe import is_visible
from interpreter.state import Frame, Pending, State

if TYPE_CHECKING:
    from interpreter.machine import Machine

World: TypeAlias = dict[int, int]
"""For each card that somebody does not know the card that is imagined in its place."""


def determinise(machine: Machine, state: State, player: int | None, rng: random.Random) -> State:
    """A state as the player may believe it, with no history; for None, as the public may."""
    return in_world(machine, state, player, draw_world(machine, state, player, rng), rng)


def draw_world(machine: Machine, state: State, player: int | None, rng: random.Random) -> World:
    """Which cards lie where those lie that the player does not know.

    They change places among themselves, but where a zone's contents are shown only within it.
    """
    layout, look = machine.layout, machine.words.cards.look
    bit = layout.viewer_bit(player)
    pools: dict[int, list[int]] = {}
    for zone, pile in enumerate(state.zones):
        pool = zone if layout.zone_contents[zone] else -1
        pools.setdefault(pool, []).extend(c for c in pile if not state.known[c] & bit)
    becomes: dict[int, int] = {}
    for hidden in pools.values():
        # Sorted by face, so that where the cards really lie, and which copy of a face is where, has no part in it.
        drawn = sorted(hidden, key=lambda c: (look[c], c))
        rng.shuffle(drawn)
        becomes.update(zip(hidden, drawn, strict=True))
    return becomes


def in_world(machine: Machine, state: State, player: int | None, becomes: World, rng: random.Random) -> State:
    """A state as it is in a world, the present one or one before it since the cards were shuffled.

    Who knows what lies where stays as it is. Others' choices that wait to be carried out are forgotten. Hidden
    variables with a finite type are drawn anew; a rule's own variables stay, but for the cards they hold.
    """
    world, layout = state.clone(), machine.layout
    world.recording, world.history = False, None
    for zone, pile in enumerate(state.zones):
        world.zones[zone] = tuple([becomes.get(c, c) for c in pile])
    for old, new in becomes.items():
        world.where[new], world.known[new] = state.where[old], state.known[old]
    for cell, value in enumerate(state.vars):
        declared = layout.cell_vars[cell]
        hidden_value = not declared.local and not is_visible(machine, cell, player)
        world.vars[cell] = _redrawn(machine, declared.type, _replaced(value, declared.type, becomes), rng, hidden_value)
    world.pending = tuple(p for p in state.pending if p.player == player)
    world.resume = tuple(
        f if f.rest is None else Frame(f.node, tuple(_pending(machine, f.node, p, becomes) for p in f.rest))
        for f in state.resume
    )
    return world


def _replaced(value: Any, type_: ir.Type, becomes: dict[int, int]) -> Any:
    """The same value with the cards that lie now where its cards lay."""
    of = type_.of if isinstance(type_, ir.OptionalType) else type_
    if isinstance(of, ir.CardType) and isinstance(value, int):
        return becomes.get(value, value)
    if isinstance(of, ir.CardsType) and isinstance(value, tuple):
        return tuple(becomes.get(c, c) for c in value)
    return value


def _redrawn(machine: Machine, type_: ir.Type, value: Any, rng: random.Random, hidden: bool) -> Any:
    of = type_.of if isinstance(type_, ir.OptionalType) else type_
    finite = isinstance(of, ir.PlayerType | ir.KindType | ir.RankType | ir.SuitType | ir.EnumType | ir.BoolType) or (
        isinstance(of, ir.IntType) and of.low is not None and of.high is not None
    )
    # A value that is not there yet, or is none, stays so: that much shows in how the game goes on.
    if not hidden or not finite or not isinstance(value, int):
        return value
    values = machine.words.domain(of)
    return values[rng.randrange(len(values))]


def _pending(machine: Machine, node: int, pending: Pending, becomes: dict[int, int]) -> Pending:
    plan = machine.decision_plans(node)[pending.choice.action]
    values = tuple(_replaced(v, p.type, becomes) for v, p in zip(pending.values, plan.parameters, strict=True))
    return Pending(pending.player, pending.choice, values)

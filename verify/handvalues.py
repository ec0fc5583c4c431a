"""Which values an expression takes over every hand that one zone can hold, by classes that it cannot tell apart.

It has to speak of the cards of one zone only, and of these only what a class of hands settles: how many there are,
their ranks, and which combinations they hold.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dsl import ir
from dsl.walk import parts
from interpreter.machine import Machine
from interpreter.values import Fault
from verify.dealt_piles import most_in
from verify.handclasses import TooMixed, classes, number_of_classes
from verify.handlikes import alike_hands, are_alike
from verify.onezone import CARDS, is_blind_to_ranks, one_zone

_MOST_CLASSES = 1_000_000


@dataclass
class HandValues:
    """The values met so far, each with a hand that has it. `complete`: no other value is taken."""

    zone: ir.ZoneExpr
    hands: dict[Any, tuple[int, ...]] = field(default_factory=dict)
    complete: bool = False
    looked_at: int = 0


_begun: dict[Any, tuple[HandValues, Iterator[None]]] = {}


def hand_values(claim: ir.Property, machine: Machine, seconds: float) -> HandValues | None:
    """Every value of the claim's first expression where its premise holds; None where this engine cannot tell.

    What one call did not finish the next one for the same claim goes on with: it is the same for any number of players.
    """
    asked = one_zone(claim, machine.game)
    if asked is None:
        return None
    zone, expression, premise = asked
    most = _most(machine, zone)
    if most is None or _asks_size_only(expression):
        return None
    key = expression, premise, machine.game.deck, machine.game.kinds, machine.game.tables, most
    if key not in _begun:
        found = HandValues(zone)
        _begun[key] = found, _look(machine, expression, premise, most, found)
    found, looking = _begun[key]
    deadline = time.monotonic() + seconds
    try:
        while not found.complete and time.monotonic() < deadline:
            next(looking)
    except TooMixed:
        return None
    except StopIteration:
        found.complete = True
    return replace(found, zone=zone)


def _most(machine: Machine, zone: ir.ZoneExpr) -> int | None:
    """The most cards that the zone may hold, whichever of its family it is; None where these are too many hands."""
    family = machine.layout.zones[zone.zone]
    cells: Sequence[int] = range(family.base, family.base + family.num_cells)
    indices: list[Any] = [i.value for i in zone.indices if isinstance(i, ir.Const)]
    if len(indices) == len(zone.indices):
        try:
            cells = (family.index(indices),)
        except (IndexError, TypeError):
            return None  # a seat that nobody sits on
    holds = [most_in(machine, cell) for cell in cells]
    most = max((n for n in holds if n is not None), default=0)
    number = sum(number_of_classes(machine.words.cards, machine.game.kinds, size) for size in range(most + 1))
    return None if None in holds or number > _MOST_CLASSES else most


def _look(machine: Machine, expression: ir.Expr, premise: ir.Expr | None, most: int, found: HandValues
          ) -> Iterator[None]:  # fmt: skip
    """Goes through all classes of hands, some at a time."""
    compiler = machine.compiler
    with compiler.bound(CARDS) as (slot,):
        value_of = compiler.compile(expression)
        applies = None if premise is None else compiler.compile(premise)
    by_size = premise is not None and _asks_size_only(premise)
    cards, kinds = machine.words.cards, machine.game.kinds
    blind = is_blind_to_ranks(expression) and (premise is None or by_size or is_blind_to_ranks(premise))
    are_few = blind and are_alike(cards, kinds)
    state = machine.blank(recording=False)
    for size in range(most + 1):
        hands = alike_hands(cards, kinds, size) if are_few else (c.cards for c in classes(cards, kinds, size))
        for number, hand in enumerate(hands):
            if number % 100 == 0:
                yield
            found.looked_at += 1
            compiler.scratch[slot] = hand
            try:
                if applies is not None and not applies(state):
                    if by_size:
                        break
                    continue
                found.hands.setdefault(value_of(state), hand)
            except Fault:
                continue


def _asks_size_only(premise: ir.Expr) -> bool:
    """Whether it is only asked how many cards there are."""
    sizes = sum(isinstance(p, ir.UnaryExpr) and p.op is ir.Unary.SIZE_OF and isinstance(p.operand, ir.Local)
                and p.operand.name == CARDS for p in parts(premise))  # fmt: skip
    return sizes == sum(isinstance(p, ir.Local) and p.name == CARDS for p in parts(premise))

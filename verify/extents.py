"""Between which numbers what is asked of cards lies, however they lie.

To the terms a rule is carried out on, what cards say is opaque. Where that is a number, the engines that know cards
tell its least and greatest value: by every hand that one zone can hold, or by the terms that are exact of any deal.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dsl import ir
from dsl.walk import parts
from interpreter.machine import Machine
from verify.env import Asked
from verify.folded import Unsupported, is_term
from verify.handvalues import HandValues, hand_values
from verify.onezone import Inline


@dataclass
class Extents:
    """Knows the ends of numbers of one game, found out once for each expression, in so many seconds for all."""

    machine: Machine
    seconds: float
    _known: dict[ir.Expr, tuple[int, int] | None] = field(default_factory=dict)

    def facts(self, asked: Sequence[Asked]) -> list[Any]:
        """What is known of some terms: that each is at least, and at most, what cards can make of it."""
        out = []
        for one in asked:
            if (found := self.of(one)) is not None:
                out += [one.term >= found[0], one.term <= found[1]]
        return out

    def of(self, asked: Asked) -> tuple[int, int] | None:
        """The least and the greatest value; None where they are not known."""
        claim = claim_of(asked, self.machine.game)
        expression = claim.expressions[0]
        if expression not in self._known:
            began = time.monotonic()
            self._known[expression] = _ends(claim, self.machine, self.seconds)
            self.seconds = max(0.0, self.seconds - (time.monotonic() - began))
        return self._known[expression]


def claim_of(asked: Asked, game: ir.Game) -> ir.Property:
    """What is asked, as the bound of an expression in which the names that are known are values."""
    types_of = {p.name: p.type for p in parts(asked.expression) if isinstance(p, ir.Local)}
    known = {n: ir.Const(v, types_of[n]) for n, v in asked.names.items() if n in types_of and _is_plain(v)}
    expression = Inline(game).put(asked.expression, known)
    bound = {p.name for p in parts(expression) if isinstance(p, ir.Binder)}
    names = {p.name: p.type for p in parts(expression) if isinstance(p, ir.Local) and p.name not in bound}
    return ir.Property("", "bound", (expression,), None, tuple(names.items()), None, (1, 1), (), None, (), ())


def values_of_hands(claim: ir.Property, machine: Machine, seconds: float) -> HandValues | None:
    """The values that the hands of one zone give an expression, if it speaks of one and all hands were looked at."""
    found = hand_values(claim, machine, seconds)
    return found if found is not None and found.complete else None


def _is_plain(value: Any) -> bool:
    return isinstance(value, bool | int | ir.Combination) and not is_term(value)


def _ends(claim: ir.Property, machine: Machine, seconds: float) -> tuple[int, int] | None:
    found = values_of_hands(claim, machine, seconds / 2)
    if found is not None:
        return (min(found.hands), max(found.hands)) if found.hands else None
    # Only here, for the solver takes its time to load.
    from verify import anydeal

    try:
        return anydeal.ends(claim, machine, seconds / 4)
    except Unsupported:
        return None

"""What all positions of the count abstraction have to come to, for a property to be proved by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dsl import ir
from verify import taken
from verify.checks_obligations import asked_of, left_open
from verify.checks_positions import decisions_of, stuck
from verify.checks_shared import AtPlayers, Search, shown
from verify.unknown import UNKNOWN
from verify.wanted import DEAD_ENDS, OBLIGATIONS


def is_stray(claim: ir.Property) -> Callable[[Any], bool]:
    """Whether a value of a claim's expression, perhaps unknown, may be one that the claim speaks against."""
    if claim.kind in taken.KINDS:
        fits = taken.fits(claim)
        return lambda value: value is UNKNOWN or not fits(value)
    wants_yes = claim.kind in ("never", "possible", "impossible")
    return lambda value: value is UNKNOWN or bool(value) is wants_yes


def what_is_open(at: AtPlayers, check: str, searches: Sequence[Search]) -> str | None:
    """What a free check is not proved of by these explorations alone, each taken to be complete; None: it is proved."""
    before, at.searches = at.searches, list(searches)
    try:
        if check == DEAD_ENDS:
            left, _ = stuck(at, decisions_of(at))
            return next((f"{shown(origin)}: {why}" for origin, why in left.values()), None)
        sort = OBLIGATIONS[check]
        doubts, unseen, _ = left_open(at, sort, asked_of(at, sort))
        if unseen:
            return f"nothing is said of the rule `{unseen[0]}`"
        return next((f"{shown(origin)}: perhaps {message}" for (_, message), origin in doubts.items()), None)
    finally:
        at.searches = before

"""Proofs by counts, as files: the positions of the abstraction that play can come to at all.

They are found anew, at the abstractions that the answer was found at. Whoever checks them need not know how: play
begins among them, each step leads to one of them, and none is what the property speaks against. See `recheck_counts`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from dsl import ir, model
from verify.checks import shared_of
from verify.checks_shared import AtPlayers, Search
from verify.counted import MOST, Counted, of_check, of_claim
from verify.counting import CountMachine
from verify.evidence_files import about, head, put
from verify.explore import explore
from verify.folded import Unsupported
from verify.judging import is_stray, what_is_open
from verify.leading_counts import Ways, looking_at_now
from verify.outlook import values_at
from verify.places import TooMany, expressions_of, looks_at, looks_back, machine_for
from verify.points import Point
from verify.points import Unsupported as Unfollowed
from verify.positions import Positions, Unwritable
from verify.tracking import abstractions
from verify.waiting import Waiting, awaited_in
from verify.wanted import AWAITED, COUNTED, LEADS, Wanted

_TOO_MANY: Final = f"it rests on more than {MOST} positions, which are too many to write down"

Kept: TypeAlias = tuple[Counted, Sequence[Point]]
"""An abstraction and its positions."""


def certified(
    wanted: Wanted, name: str, claim: ir.Property | None, source: model.Model, num_players: int, seconds: float
) -> Path:
    """Writes what a proof by counts rests on; the folder that has it.

    Raises:
        Unsupported: It cannot be written in the time, or is too much.
        OSError: Nor there.
    """
    awaited, steps = list[Waiting](), None
    try:
        if claim is None:
            kept = _of_check(shared_of(source).at(num_players), name, seconds)
        elif claim.kind == LEADS:
            found, awaited, steps = _leading(claim, source, num_players, seconds)
            kept = [found]
        else:
            kept = [_of_claim(claim, source, num_players, seconds)]
        written = [Positions(counted.counting).write(points) for counted, points in kept]
    except (Unfollowed, TooMany, Unwritable) as error:
        raise Unsupported(str(error)) from None
    files: list[tuple[str, str, dict[str, Any]]] = []
    listed = []
    for number, ((counted, points), text) in enumerate(zip(kept, written, strict=True), 1):
        file = f"positions-{number}.txt"
        files.append((file, text, {"says": _says(counted, len(points))}))
        listed.append(counted.listed(file, len(points)))
    says = head(wanted, source, kept[0][0].counting.game) | about(wanted, name, claim) | {COUNTED: listed}
    if awaited:
        cases = [{"file": w.file, "of": w.case, "positions": len(w.ranks)} for w in awaited]
        says |= {AWAITED: {"steps": steps, "cases": cases}}
        files += [(w.file, w.text(Positions(kept[0][0].counting)), {"says": w.says}) for w in awaited]
    return put(wanted.folder, f"{name}-{num_players}", says, files)


def _says(counted: Counted, number: int) -> str:
    where = "the whole game" if counted.rule is None else f"`{counted.rule}`, begun in any way,"
    return f"Play of {where} comes to these {number} positions of the count abstraction and to no other."


def _of_claim(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Kept:
    """The first abstraction that shows a claim."""
    if looks_back(claim):
        raise Unsupported("it looks back over a rule, and what is put by for that is not written down")
    deadline, because = time.monotonic() + seconds, "its positions were not found again in the time"
    for coarse, keeps in abstractions(machine_for(claim, source, num_players), expressions_of(claim)):
        counted = of_claim(claim, source, num_players, coarse, keeps)
        left = max(deadline - time.monotonic(), 0.1)
        is_bad = _is_bad(claim, source, counted.counting)
        found = explore(counted.counting, list(counted.starts), is_bad, MOST, left, counted.canonical)
        if found.bad is None and found.complete:
            return counted, list(found.points)
        if len(found.points) > MOST:
            because = _TOO_MANY
    raise Unsupported(because)


def _leading(
    claim: ir.Property, source: model.Model, num_players: int, seconds: float
) -> tuple[Kept, list[Waiting], int | None]:
    """The first abstraction that shows it, where it has not come yet, and the most steps that it takes, if known."""
    deadline, because = time.monotonic() + seconds, "its positions were not found again in the time"
    now, where = looking_at_now(claim), looks_at(claim, source)
    for coarse, keeps in abstractions(machine_for(claim, source, num_players), expressions_of(now)):
        counted = of_claim(claim, source, num_players, coarse, keeps)
        left = max(deadline - time.monotonic(), 0.1)
        found = explore(counted.counting, list(counted.starts), None, MOST, left, counted.canonical)
        if len(found.points) > MOST:
            because = _TOO_MANY
        if not found.complete:
            continue
        ways = Ways(now, where, counted.counting, found, counted.canonical, deadline)
        led = ways.answer("")
        if led.holds:
            return (counted, list(found.points)), awaited_in(ways, claim, counted.counting), led.steps
    raise Unsupported(because)


def _is_bad(claim: ir.Property, source: model.Model, counting: CountMachine) -> Callable[[Point], bool]:
    stray, values = is_stray(claim), values_at(counting, claim, counting.machine, looks_at(claim, source))
    return lambda point: any(map(stray, values(point)))


def _of_check(at: AtPlayers, name: str, seconds: float) -> list[Kept]:
    """The explorations that show a free check; no more than it takes, the smallest first."""
    deadline = time.monotonic() + seconds
    while what_is_open(at, name, _complete(at)) is not None:
        left = deadline - time.monotonic()
        if left <= 0 or not at.explore_more(left * 0.6):
            raise Unsupported("its positions were not found again in the time")
    needed = _complete(at)
    for search in reversed(needed):
        if what_is_open(at, name, others := [s for s in needed if s is not search]) is None:
            needed = others
    if not needed:
        raise Unsupported("it needs no positions: conditions on every way there see to it")
    if any(len(s.explored.points) > MOST for s in needed):
        raise Unsupported(_TOO_MANY)
    return [(of_check(at, s.rule, s.tracked, s.counting.zones), list(s.explored.points)) for s in needed]


def _complete(at: AtPlayers) -> list[Search]:
    return sorted((s for s in at.searches if s.explored.complete), key=lambda s: len(s.explored.points))

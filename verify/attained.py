"""Which values an expression takes in play: its least and greatest, or all of them.

Two things have to be shown: that no position yields another value, by exhausting the count abstraction, and that
each expected one is reached, by a play that is replayed and kept with the answer. What only the cards of one zone
decide is asked of every hand, and what the cards in several places do, of every deal. What a rule changes is asked of
the rule by itself, and of the deals in which it may begin.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from dsl import ir, model, types
from interpreter.machine import Machine
from interpreter.trace import Trace
from verify import taken
from verify.exclusion import exclude
from verify.guided import Guided
from verify.handvalues import HandValues, hand_values
from verify.judging import is_stray
from verify.outcome import Answer, Shown, Verdict
from verify.places import Lookout, assignments, looks_back
from verify.plays import MISFITS, Found, Plays, holds_again
from verify.scout import goals

_MOST_STRAYS = 3
_LONG = 40  # steps of a play that was met by chance: cards that were chosen may take fewer
_TO_DEAL = 0.2  # seconds for each of those


def answer(claim: ir.Property, source: model.Model, machine: Machine, where: str, seconds: float) -> Answer:
    """A claim of kind bound or values, about positions or about what a rule does."""
    began = time.monotonic()
    wanted = [value for _, value in claim.expect]
    fits = taken.fits(claim)
    seen: dict[Any, Trace] = {}
    back = looks_back(claim)
    hands = None if back else hand_values(claim, machine, seconds * 0.6)
    if hands is not None and not hands.complete and all(map(fits, hands.hands)):
        told = f"{hands.looked_at} classes of hands were looked at in the time, and there are more"
        return Answer(Verdict.UNKNOWN, "hands", because=told)
    refuted = _play(claim, machine, where, min(seconds / 10, 0.6), wanted, fits, seen)
    if refuted is not None:
        return refuted
    engine, because = _excluded(claim, source, machine, where, seconds / 4, fits, hands)
    if because and back and (refuted := _passed(claim, source, machine, seconds / 5)) is not None:
        return refuted
    strays = [value for value in hands.hands if not fits(value)] if hands is not None else []
    sought = [*strays[:_MOST_STRAYS], *(value for value in wanted if value not in seen)]
    # What a rule does at most hardly ever comes about but by chosen cards.
    share = seconds / (4 if not back else 5 if because else 2.5)
    for number, value in enumerate(sought):
        shown = _shown(claim, source, machine, where, value, hands, share / (len(sought) - number))
        if shown is not None and value in wanted:
            seen[value] = shown[0]
        elif shown is not None:
            refuted = taken.refuted(f"{engine}, play", claim, machine, where, shown[0])
            if refuted is not None:
                return refuted
    if because or not set(wanted) <= set(seen):
        refuted = _play(claim, machine, where, seconds / 16, wanted, fits, seen)
        to_seek = seconds / (4 if back else 3)
        if not because:
            # All else is done.
            to_seek = max(to_seek, (seconds - (time.monotonic() - began)) * 0.8)
        refuted = refuted or _seek(claim, machine, where, to_seek, fits, seen)
        if refuted is not None:
            return refuted
    if hands is not None and not because:
        _deal_again(claim, source, machine, where, hands, min(seconds / 40, _TO_DEAL), seen)
    kept = _replayed(claim, machine, where, seen)
    missing = [value for value in wanted if value not in seen]
    if because or missing:
        because = because or "no position yields another value"
        because += f"; no play was found that reaches {', '.join(map(str, missing))}" if missing else ""
        return Answer(Verdict.UNKNOWN, f"play, {engine}", because=because, shown=kept)
    value = dict(claim.expect) if claim.kind == "bound" else sorted(wanted, key=str)
    because = "no position yields another value; each is reached"
    if len(kept) < len(set(wanted)):
        because += f", and for the first {len(kept)} a play is kept"
    return Answer(Verdict.PROVED, f"play, {engine}", value=value, because=because, shown=kept)


def _replayed(claim: ir.Property, machine: Machine, where: str, seen: dict[Any, Trace]) -> tuple[Shown, ...]:
    """The plays that are kept, each replayed; a value whose play does not come to it was not seen."""
    kept: list[Shown] = []
    for name, value in taken.named(claim, machine).items():
        if value not in seen or len(kept) == taken.MOST_SHOWN:
            continue
        try:
            found = taken.replayed(machine, claim, where, name, seen[value])
        except MISFITS:
            found = None
        if found is None:
            del seen[value]
        else:
            kept.append(found)
    return tuple(kept)


def _deal_again(claim: ir.Property, source: model.Model, machine: Machine, where: str, hands: HandValues,
                seconds: float, seen: dict[Any, Trace]) -> None:  # fmt: skip
    """Puts shorter plays in the place of long ones, where some are found in so many seconds for each."""
    for value, trace in seen.items():
        if len(trace.steps) > _LONG:
            shown = _shown(claim, source, machine, where, value, hands, seconds)
            if shown is not None and shown[1] < len(trace.steps):
                seen[value] = shown[0]


def _shown(claim: ir.Property, source: model.Model, machine: Machine, where: str, value: Any,
           hands: HandValues | None, seconds: float) -> tuple[Trace, int] | None:  # fmt: skip
    """A play with cards chosen so that a value is taken."""
    # Only here, for the solver takes its time to load.
    from verify.leadup import shown_by_a_rule
    from verify.realise import realise, shown_by_a_deal

    def is_it(values: tuple[Any, ...]) -> bool:
        return bool(values[0] == value)

    if hands is None:
        sought = replace(claim, kind="possible", expressions=(_compared(claim, ir.Binary.EQ, value),))
        if looks_back(claim):
            found = shown_by_a_rule(sought, source, machine, lambda values: bool(values[0]), seconds)
        else:
            found = shown_by_a_deal(sought, machine, where, lambda values: bool(values[0]), seconds)
        return found if found is None or holds_again(machine, claim, where, found[0], is_it) else None
    if value not in hands.hands:
        return None
    case = dict(zip((n for n, _ in claim.variables), next(assignments(machine, claim)), strict=True))
    indices = [i.value if isinstance(i, ir.Const) else case[i.name] for i in hands.zone.indices]  # type: ignore[union-attr]
    try:
        cell = machine.layout.zones[hands.zone.zone].index(indices)  # type: ignore[arg-type]
    except IndexError:
        return None  # a seat that nobody sits on
    return realise(machine, claim, where, {cell: hands.hands[value]}, is_it, seconds)


def _passed(claim: ir.Property, source: model.Model, machine: Machine, seconds: float) -> Answer | None:
    """A play in which a rule brings about a value that the claim does not allow."""
    # Only here, for the solver takes its time to load.
    from verify.leadup import shown_by_a_rule

    shown = shown_by_a_rule(within(claim), source, machine, lambda values: not values[0], seconds)
    return None if shown is None else taken.refuted("any deal, play", claim, machine, "rule", shown[0])


def _play(claim: ir.Property, machine: Machine, where: str, seconds: float, wanted: list[Any],
          fits: Callable[[Any], bool], seen: dict[Any, Trace]) -> Answer | None:  # fmt: skip
    """Plays until all that is wanted was seen; a value that does not fit is a counterexample."""
    lookout = Lookout(machine, claim, where)
    plays = Plays(lookout, f"{claim.name}/{machine.game.num_players}")

    def found(values: tuple[Any, ...], _: tuple[Any, ...]) -> None:
        value = values[0]
        if not fits(value):
            raise Found
        if value in wanted and value not in seen:
            seen[value] = plays.trace
            if len(seen) == len(set(wanted)):
                plays.stop()

    lookout.found = found
    return taken.refuted("play", claim, machine, where, plays.trace) if plays.run(seconds) else None


def _seek(claim: ir.Property, machine: Machine, where: str, seconds: float, fits: Callable[[Any], bool],
          seen: dict[Any, Trace]) -> Answer | None:  # fmt: skip
    """Plays towards each value that was not seen yet. An end of a bound may turn out to be passed."""
    deadline = time.monotonic() + seconds
    missing = [(value, goal) for value, goal in goals(claim).items() if value not in seen]
    for number, (value, goal) in enumerate(missing):
        share = (deadline - time.monotonic()) / (len(missing) - number)
        seed = f"{claim.name}/{machine.game.num_players}"
        shown = Guided(machine, claim, where, goal, seed).run(share, partial(_is, value, fits))
        refuted = None if shown is None else taken.refuted("guided play", claim, machine, where, shown[0])
        if refuted is not None:
            return refuted
        if shown is not None:
            seen[value] = shown[0]
    return None


def _is(wanted: Any, fits: Callable[[Any], bool], values: tuple[Any, ...]) -> bool:
    return values[0] == wanted or not fits(values[0])


def _excluded(
    claim: ir.Property,
    source: model.Model,
    machine: Machine,
    where: str,
    seconds: float,
    fits: Callable[[Any], bool],
    hands: HandValues | None,
) -> tuple[str, str]:
    """How it was shown that no position yields a value that does not fit; and if it was not, why."""
    if hands is not None and hands.complete and all(map(fits, hands.hands)):
        return "hands", ""
    inside = within(claim)
    if not looks_back(claim):
        # Only here, for the solver takes its time to load.
        from verify import anydeal
        from verify.steps import anywhere

        if (found := anywhere(inside, machine, seconds / 8)) is not None and found.verdict is Verdict.PROVED:
            return found.engine, ""
        if (dealt := anydeal.answer(inside, machine, seconds / 3)) is not None and dealt.verdict is Verdict.PROVED:
            return anydeal.ENGINE, ""
    if where == "rule":
        from verify.steps import by_terms

        if by_terms(inside, source, machine.game.num_players, seconds / 4).verdict is Verdict.PROVED:
            return "terms", ""
    from verify.learned import by_induction, by_potentials

    if by_induction(inside, source, machine.game.num_players, seconds / 2).verdict is Verdict.PROVED:
        return "induction", ""
    n = machine.game.num_players
    if claim.kind == "bound" and by_potentials(claim, source, n, seconds / 2).verdict is Verdict.PROVED:
        return "potentials", ""
    excluded = exclude(claim, source, n, is_stray(claim), seconds / 2)
    return "counts", "" if excluded.holds else excluded.because


def _compared(claim: ir.Property, op: ir.Binary, value: ir.Value) -> ir.Expr:
    x = claim.expressions[0]
    t = ir.FractionType() if isinstance(value, Fraction) else types.of(x)
    return ir.BinaryExpr(op, x, ir.Const(value, t), types.BOOL)


def within(claim: ir.Property) -> ir.Property:
    """The claim that no other value is taken, as a condition."""
    if claim.kind == "values":
        condition, glue = [_compared(claim, ir.Binary.EQ, value) for _, value in claim.expect], ir.Binary.OR
    else:
        ends = {"min": ir.Binary.GE, "max": ir.Binary.LE}
        condition, glue = [_compared(claim, ends[name], value) for name, value in claim.expect], ir.Binary.AND
    whole = condition[0]
    for part in condition[1:]:
        whole = ir.BinaryExpr(glue, whole, part, types.BOOL)
    return replace(claim, kind="always", expressions=(whole,))

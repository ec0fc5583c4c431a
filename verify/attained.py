"""Which values an expression takes in play: its least and greatest, or all of them.

Two things have to be shown: that no position yields another value, by exhausting the count abstraction, and that
each expected one is reached, by a play that is replayed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dsl import ir, model, types
from interpreter.machine import Machine
from interpreter.trace import Trace
from verify.exclusion import exclude
from verify.outcome import Answer, Verdict
from verify.places import Lookout
from verify.plays import Found, Plays, holds_again
from verify.unknown import UNKNOWN


def answer(claim: ir.Property, source: model.Model, machine: Machine, where: str, seconds: float) -> Answer:
    """A claim of kind bound or values, about positions."""
    wanted = [value for _, value in claim.expect]
    fits = _fits(claim)
    seen: dict[Any, Trace] = {}
    refuted = _play(claim, machine, where, seconds / 2, wanted, fits, seen)
    if refuted is not None:
        return refuted
    because = _excluded(claim, source, machine, where, seconds / 2, fits)
    missing = [value for value in wanted if value not in seen]
    reached = "" if not missing else f"no play was found that reaches {', '.join(map(str, missing))}"
    if because or missing:
        return Answer(Verdict.UNKNOWN, "play, counts", because="; ".join(x for x in (because, reached) if x))
    named = {name or str(value): value for name, value in claim.expect}
    value = named if claim.kind == "bound" else sorted(wanted, key=str)
    return Answer(
        Verdict.PROVED, "play, counts", value=value, because="no position yields another value; each is reached"
    )


def _fits(claim: ir.Property) -> Callable[[Any], bool]:
    """Whether a value is one that the claim allows."""
    ends = dict(claim.expect)
    if claim.kind == "values":
        allowed = {value for _, value in claim.expect}
        return lambda value: value in allowed
    low, high = ends.get("min"), ends.get("max")
    return lambda value: (low is None or value >= low) and (high is None or value <= high)


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
    if plays.run(seconds):
        at = holds_again(machine, claim, where, plays.trace, lambda values: not fits(values[0]))
        if at is not None:
            trace = replace(plays.trace, steps=plays.trace.steps[:at])
            return Answer(Verdict.REFUTED, "play", trace=trace, at=at)
    return None


def _excluded(
    claim: ir.Property,
    source: model.Model,
    machine: Machine,
    where: str,
    seconds: float,
    fits: Callable[[Any], bool],
) -> str:
    """Empty where the abstraction shows that no position yields a value that does not fit; else why it does not."""
    if where == "rule":
        # Only here, for the solver takes its time to load.
        from verify.steps import by_terms

        proof = by_terms(_within(claim), source, machine.game.num_players, seconds / 2)
        if proof.verdict is Verdict.PROVED:
            return ""
    excluded = exclude(claim, machine, where, lambda v: v is UNKNOWN or not fits(v), seconds)
    return "" if excluded.holds else excluded.because


def _within(claim: ir.Property) -> ir.Property:
    """The claim that no other value is taken, as a condition."""
    x = claim.expressions[0]

    def compared(op: ir.Binary, value: ir.Value) -> ir.Expr:
        t = ir.FractionType() if isinstance(value, Fraction) else types.of(x)
        return ir.BinaryExpr(op, x, ir.Const(value, t), types.BOOL)

    if claim.kind == "values":
        condition, glue = [compared(ir.Binary.EQ, value) for _, value in claim.expect], ir.Binary.OR
    else:
        ends = {"min": ir.Binary.GE, "max": ir.Binary.LE}
        condition, glue = [compared(ends[name], value) for name, value in claim.expect], ir.Binary.AND
    whole = condition[0]
    for part in condition[1:]:
        whole = ir.BinaryExpr(glue, whole, part, types.BOOL)
    return replace(claim, kind="always", expressions=(whole,))

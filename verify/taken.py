"""The values that a claim of kind bound or values says its expression takes, and the plays that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dsl import ir, model, types
from interpreter.machine import Machine
from interpreter.trace import Trace
from verify.outcome import Answer, Shown, Verdict
from verify.places import looks_at, machine_for
from verify.plays import MISFITS, met_again

KINDS = ("bound", "values")
MOST_SHOWN = 40
"""So many values of an answer keep what shows them, the first that the file lists."""


def fits(claim: ir.Property) -> Callable[[Any], bool]:
    """Whether a value is one that the claim allows."""
    if claim.kind == "values":
        allowed = {value for _, value in claim.expect}
        return lambda value: value in allowed
    ends = dict(claim.expect)
    low, high = ends.get("min"), ends.get("max")
    return lambda value: (low is None or value >= low) and (high is None or value <= high)


def named(claim: ir.Property, machine: Machine) -> dict[str, Any]:
    """The values that the claim says are taken: the ends of a bound by their names, others as they are written."""
    return {name or value_name(claim, machine, value): value for name, value in claim.expect}


def value_name(claim: ir.Property, machine: Machine, value: Any) -> str:
    """A value of the claim's expression in the words of the game."""
    return machine.words.show(value, types.of(claim.expressions[0]))


def case_text(claim: ir.Property, machine: Machine, case: tuple[Any, ...]) -> str:
    """The values of a claim's own variables in words: "p = seat 1, k = pair"."""
    pairs = zip(claim.variables, case, strict=True)
    return ", ".join(f"{name} = {machine.words.show(value, t)}" for (name, t), value in pairs)


def stray_text(claim: ir.Property, machine: Machine, value: Any, case: tuple[Any, ...]) -> str:
    """Of a value that a claim does not allow, what is wrong with it: "41 is more than max 40 with p = seat 1"."""
    ends = dict(claim.expect)
    if claim.kind == "values":
        told = f"{value_name(claim, machine, value)} is none of the values expected"
    elif "max" in ends and value > ends["max"]:
        told = f"{value} is more than max {ends['max']}"
    else:
        told = f"{value} is less than min {ends['min']}"
    return f"{told} with {case_text(claim, machine, case)}" if case else told


def amiss(claim: ir.Property, machine: Machine, cases: Mapping[Any, tuple[Any, ...]]) -> str:
    """What is wrong where these are all the values, each with what has it: the first that is not allowed, or else the
    first that is expected and never taken.
    """
    stray = next((v for v in sorted(cases) if not fits(claim)(v)), None)
    if stray is not None:
        return stray_text(claim, machine, stray, cases[stray])
    return next((f"{name} is never taken" for name, v in _expected(claim, machine) if v not in cases), "")


def _expected(claim: ir.Property, machine: Machine) -> Iterator[tuple[str, Any]]:
    """The values that are expected, each as it is told: "max 40"."""
    for name, value in claim.expect:
        told = value_name(claim, machine, value)
        yield f"{name} {told}" if name else told, value


def refuted(engine: str, claim: ir.Property, machine: Machine, where: str, trace: Trace) -> Answer | None:
    """What a trace shows that leads to a value that the claim does not allow, replayed from nothing and cut where the
    value is taken; None if none is.

    Raises what `plays.MISFITS` lists where the trace does not fit the game.
    """
    is_fit, strays = fits(claim), list[Any]()

    def is_stray(values: tuple[Any, ...]) -> bool:
        strays.extend(v for v in values[:1] if not is_fit(v))
        return bool(strays)

    found = met_again(machine, claim, where, trace, is_stray)
    if found is None:
        return None
    at, case = found
    told = stray_text(claim, machine, strays[0], case)
    return Answer(Verdict.REFUTED, engine, because=told, trace=replace(trace, steps=trace.steps[:at]), at=at)


def replayed(machine: Machine, claim: ir.Property, where: str, name: str, trace: Trace) -> Shown | None:
    """What a trace shows of the value of a name, replayed from nothing and cut where it is taken; None if it never is.

    Raises what `plays.MISFITS` lists where the trace does not fit the game, and `KeyError` where the claim says
    nothing of the value.
    """
    value = named(claim, machine)[name]
    found = met_again(machine, claim, where, trace, lambda values: bool(values[0] == value))
    if found is None:
        return None
    at, case = found
    return Shown(name, value, case_text(claim, machine, case), replace(trace, steps=trace.steps[:at]))


def stands(claim: ir.Property, source: model.Model, shown: Sequence[Shown]) -> bool:
    """Whether the plays that were kept show what they did, each in the same step and of the same seats and cards."""
    plays = [(s, s.trace) for s in shown if s.trace is not None]
    where = looks_at(claim, source)
    try:
        machine = machine_for(claim, source, plays[0][1].num_players) if plays else None
        return machine is None or all(replayed(machine, claim, where, s.name, trace) == s for s, trace in plays)
    except (*MISFITS, KeyError):
        return False

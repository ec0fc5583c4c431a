"""The rules that begin a hand, and where it is over, which a proof that hands end is about."""

from __future__ import annotations

from dsl import ir, model
from dsl.statements import MAIN
from dsl.walk import parts
from verify.checks_shared import place
from verify.wanted import HANDS_END


def hands_of(source: model.Model) -> list[str]:
    """The rules that begin a hand, outermost first; the game itself is none."""
    out: list[str] = []
    for rule in source.rules:
        first = source.rules[rule].body[:1]
        if rule != MAIN and first and isinstance(_first_step(source, rule), ir.Gather):
            out.append(rule)
    inner = {f.rule for r in out for f in source.rules[r].body[:1] if isinstance(f, model.Follow)}
    return [r for r in out if r not in inner]


def ending_rules(check: str, source: model.Model) -> list[str]:
    """The rules that a check of `ENDS` says something of: those that begin hands, or the game where there are none."""
    return (hands_of(source) if check == HANDS_END else []) or [MAIN]


def where_over(source: model.Model, rule: str) -> frozenset[str]:
    """Where a hand is over, as file:line:column: the rule begins, or all cards are gathered."""
    first = _first_step(source, rule)
    gathered = [
        x for r in source.rules.values() for x in parts(r.body) if isinstance(x, ir.Gather) and x.cards is None
    ]  # fmt: skip
    return frozenset(place(x.origin) for x in (first, *gathered) if x is not None)


def _first_step(source: model.Model, rule: str) -> model.Stmt | None:
    """The first thing that happens when a rule is followed, where that is a simple step."""
    for _ in source.rules:
        body = source.rules[rule].body
        if not body:
            return None
        if not isinstance(body[0], model.Follow):
            return body[0]
        rule = body[0].rule
    return None

"""The tutor: before a move, what the bot thinks each legal move is worth, and the rule behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cli.menu import Menu, Move
from dsl.source import Span
from interpreter.machine import Machine
from interpreter.play import stream
from interpreter.search import Search
from interpreter.state import State

STEPS: Final = 8_000
SHOWN: Final = 8
"""So many of the best moves are shown where there are many."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What is thought of a move: its estimate in words, whether it is the best, and the rule that allows it."""

    move: Move
    value: float
    estimate: str
    is_best: bool
    rule: str


def advise(machine: Machine, state: State, player: int, menu: Menu) -> list[Advice]:
    """Advice on every legal move, the best first. Of the state nothing is used that the player does not know."""
    search = Search(machine, stream("tutor", f"seat {player + 1}"), STEPS)
    found = {estimate.choice: estimate for estimate in search.estimates(state, player)}
    plans = machine.plans(state)
    rules = [_rule(plan.declared.cites, plan.declared.span) for plan in plans]
    known = [(move, found[move.choice]) for move in menu.moves if move.choice in found]
    # What was hardly tried says little, whatever came of it.
    most = max((estimate.visits for _, estimate in known), default=0)
    ranked = sorted(known, key=lambda pair: (2 * pair[1].visits < most, -pair[1].value, pair[0].number))
    advice = []
    for place, (move, estimate) in enumerate(ranked):
        words = _words(estimate.value, estimate.error, estimate.visits)
        advice.append(Advice(move, estimate.value, words, place == 0, rules[move.choice.action]))
    return advice


def lines(advice: Sequence[Advice]) -> list[str]:
    """The advice as text: the best moves, or all where there are few."""
    shown = advice[:SHOWN]
    digits = max((len(str(a.move.number)) for a in shown), default=1)
    widths = [max((len(text) for text in texts), default=0) for texts in (
        [a.move.shown for a in shown], [a.estimate for a in shown],
    )]  # fmt: skip
    told = ["The tutor thinks the moves worth:"]
    for a in shown:
        mark = "*" if a.is_best else " "
        cells = f"{a.move.number:>{digits}}", a.move.shown.ljust(widths[0]), a.estimate.ljust(widths[1]), a.rule
        told.append(f"{mark} {'  '.join(cells)}".rstrip())
    if len(advice) > len(shown):
        told.append(f"  and {len(advice) - len(shown)} that were tried less, for they seemed no better")
    return told


def _words(value: float, error: float, visits: int) -> str:
    if not visits or math.isinf(error):
        return "not tried enough to tell"
    return f"{_number(value)} ± {_number(error).lstrip('+')}, {visits} tries"


def _number(value: float) -> str:
    """A number with its sign, as exact as it deserves."""
    value = 0.0 if abs(value) < 0.005 else value
    return f"{value:+.0f}" if abs(value) >= 100 else f"{value:+.1f}" if abs(value) >= 10 else f"{value:+.2f}"


def _rule(cites: Sequence[str], span: Span | None) -> str:
    place = f"{span.source.path.rpartition('/')[2]}:{span.line}" if span is not None else ""
    return " ".join([place, *cites]).strip()

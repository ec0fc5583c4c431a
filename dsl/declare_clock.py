"""The clock of a rule file: how long a game lasts, and what happens when."""

from __future__ import annotations

from dsl import model, parser
from dsl.declare_values import milliseconds
from dsl.diagnostics import Reporter, did_you_mean
from dsl.fields import Fields, rows
from dsl.symbols import Symbols
from dsl.yamltree import Node, Scalar


def read_clock(node: Node | None, symbols: Symbols, reporter: Reporter) -> model.Clock | None:
    """The clock of a game, whose events follow rules of it."""
    if node is None:
        return None
    fields = Fields(node, "`clock`", ("time", "think", "events", "cites"), ("time", "think"), reporter)
    fields.cites()
    start = _milliseconds(fields.scalar("time"), reporter)
    think = _think(fields.scalar("think"), reporter)
    events: list[model.ClockEvent] = []
    for key, value in rows(fields.node("events"), "the events of the clock", reporter):
        row = Fields(value, f"event `{key.text}`", ("at", "rule", "cites"), ("at", "rule"), reporter)
        at, rule = _milliseconds(row.scalar("at"), reporter), row.scalar("rule")
        if rule is not None and symbols.is_broken(rule.text):
            continue
        if rule is not None and rule.text not in symbols.rules:
            reporter.report("N309", f"no rule is named `{rule.text}`", rule.span,
                            help=did_you_mean(rule.text, symbols.rules))  # fmt: skip
        elif at is not None and rule is not None:
            events.append(model.ClockEvent(key.text, at, rule.text, row.cites()))
    if not any(e.at == 0 for e in events) and not reporter.has_errors:
        reporter.report("L506", "nothing happens when the clock runs out", fields.span_of("events"),
                        help="give `events` one `at: 0 seconds`")  # fmt: skip
    if start is None or think is None:
        return None
    return model.Clock(start, tuple(sorted(events, key=lambda e: -e.at)), think)


def _milliseconds(scalar: Scalar | None, reporter: Reporter) -> int | None:
    node = None if scalar is None else parser.parse_duration(scalar.embedded, reporter)
    return None if node is None else milliseconds(node, reporter)


def _think(scalar: Scalar | None, reporter: Reporter) -> tuple[int, int] | None:
    nodes = None if scalar is None else parser.parse_durations(scalar.embedded, reporter)
    if not nodes or scalar is None:
        return None
    low, high = milliseconds(nodes[0], reporter), milliseconds(nodes[1], reporter)
    if low is None or high is None:
        return None
    if low > high:
        reporter.report("T415", "this range is empty", scalar.span)
        return None
    return low, high

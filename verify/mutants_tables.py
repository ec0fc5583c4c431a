"""Faults in the tables of a file: cards, combinations, zones, state, tables, the clock and the result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain, pairwise
from typing import Any

from dsl import parser, syntax, types
from dsl.diagnostics import Reporter
from dsl.fields import rows
from dsl.source import Span
from dsl.yamltree import Entry, Mapping, Node, Scalar, Sequence
from verify.mutants_expressions import OPPOSITE_SIGN, ends, off_by_one
from verify.mutants_places import Change, Facts, Place, in_phrase

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def expressions(facts: Facts) -> Iterator[Place]:
    """The places of the expressions that stand in tables."""
    result = facts.section("result")
    for key, value in rows(result, "", Reporter()):
        if key.text in ("score", "wins", "returns") and isinstance(value, Scalar):
            yield from in_phrase(value, {"p": types.PLAYER}, facts)
    for row in _rows(facts, "state"):
        starts = row.get("starts")
        if isinstance(starts, Scalar):
            yield from in_phrase(starts, {}, facts)
    for table in _rows(facts, "tables"):
        for _, cell in rows(table.get("rows"), "", Reporter()):
            written = cell.get("value") if isinstance(cell, Mapping) else cell
            if isinstance(written, Scalar) and not _NUMBER.fullmatch(written.text):
                yield from in_phrase(written, {}, facts)


def changes(facts: Facts) -> Iterator[Change]:
    """Every fault in a table that is none in an expression."""
    yield from _players(facts)
    yield from _cards(facts)
    yield from _combinations(facts)
    yield from _zones(facts)
    yield from _state(facts)
    yield from _tables(facts)
    yield from _clock(facts)
    yield from _result(facts)


def _rows(facts: Facts, section: str) -> Iterator[Mapping]:
    for _, value in rows(facts.section(section), "", Reporter()):
        if isinstance(value, Mapping) and facts.is_here(value.span):
            yield value


def _place(facts: Facts, node: Any = None) -> Place:
    return Place(node, {}, facts)


def _change(facts: Facts, operator: str, scalar: Scalar, new: str) -> Change:
    """Other text in a scalar, whatever quotes it stands in."""
    return _place(facts).change(operator, scalar.embedded.span(0, len(scalar.text)), new)


def _ends(facts: Facts, scalar: Node | None, is_open: bool) -> Iterator[Change]:
    node = parser.parse_type(scalar.embedded, Reporter()) if isinstance(scalar, Scalar) else None
    yield from ends(_place(facts), node, is_open)


def _players(facts: Facts) -> Iterator[Change]:
    yield from _ends(facts, facts.section("players"), is_open=True)


def _cards(facts: Facts) -> Iterator[Change]:
    cards = facts.section("cards")
    if not isinstance(cards, Mapping):
        return
    for key in ("copies", "jokers"):
        yield from _numbers(facts, "number", cards.get(key))
    runs = cards.get("runs")
    if isinstance(runs, Scalar):
        rank = runs.text.partition(" ")[0]
        for phrase in (f"{rank} high", f"{rank} low", f"{rank} high or low", f"{rank} never"):
            if phrase != runs.text and runs.text != "wrapping":
                yield _change(facts, "combination", runs, phrase)
    ranks = cards.get("ranks")
    if isinstance(ranks, Sequence):
        for one, two in pairwise(ranks.items):
            if isinstance(one, Scalar) and isinstance(two, Scalar):
                yield _swapped(facts, one.span, two.span, f"`{one.text}` and `{two.text}` change places")


def _numbers(facts: Facts, operator: str, scalar: Node | None) -> Iterator[Change]:
    """A number that is written plainly, a little more and a little less: by one in its last digit."""
    if not isinstance(scalar, Scalar) or not _NUMBER.fullmatch(scalar.text):
        return
    step = Decimal(1).scaleb(-len(scalar.text.partition(".")[2]))
    for number in (Decimal(scalar.text) + step, Decimal(scalar.text) - step):
        if number >= 0 or scalar.text.startswith("-"):
            yield _change(facts, operator, scalar, str(number))


def _swapped(facts: Facts, one: Span, two: Span, words: str) -> Change:
    text = facts.text
    between = text(one.end, two.start)
    return Change("order", one.start, two.end, text(two.start, two.end) + between + text(one.start, one.end), words)


# --------------------------------------------------------------------------------------- combinations


def _combinations(facts: Facts) -> Iterator[Change]:
    table = facts.section("combinations")
    if not isinstance(table, Mapping):
        return
    columns = {name for kind in facts.model.kinds for name, _ in kind.columns}
    here = [e for e in table.entries if facts.is_here(e.key.span)]
    for entry in here:
        if isinstance(entry.value, Mapping):
            yield from _row(facts, entry.value, columns)
        elif entry.key.text == "by":
            yield from _by(facts, entry.value)
    for one, two in pairwise(e for e in here if isinstance(e.value, Mapping)):
        words = f"the rows `{one.key.text}` and `{two.key.text}` change places"
        yield _swapped(facts, _span(facts, one), _span(facts, two), words)


def _span(facts: Facts, entry: Entry) -> Span:
    end = len(facts.text(0, entry.value.span.end).rstrip())
    return Span(facts.source, entry.key.span.start, end)


def _row(facts: Facts, row: Mapping, columns: set[str]) -> Iterator[Change]:
    for entry in row.entries:
        name, value = entry.key.text, entry.value
        if name in columns:
            yield from _numbers(facts, "score", value)
        elif name == "cards" and isinstance(value, Scalar):
            yield from _pattern(facts, value)
        elif name == "by":
            yield from _by(facts, value)
        elif name == "serves_as" and row.entries[0] is not entry:
            before = row.entries[row.entries.index(entry) - 1]
            written = " ".join(facts.text(entry.key.span.start, value.span.end).split())
            yield Change("combination", before.value.span.end, value.span.end, "", f"`{written}` is dropped")


def _pattern(facts: Facts, scalar: Scalar) -> Iterator[Change]:
    node = parser.parse_pattern(scalar.embedded, Reporter())
    if not isinstance(node, syntax.Groups):
        return
    place = _place(facts)
    for group in node.groups:
        for change in off_by_one(place, "combination", group.count):
            if change.new != "0":
                yield change
        if isinstance(group, syntax.RunGroup):
            yield from _without(facts, group.suit, r"\s+of\s+(suit\s+)?$")
            yield from _without(facts, group.top, r"\s+up\s+to\s+(rank\s+)?$")
    for one, two in pairwise(node.groups):
        yield from _without(facts, two, r"\s+and\s+$")
        words = f"`{facts.text(one.span.start, two.span.start).strip()}` is dropped"
        if not isinstance(two, syntax.AnotherGroup):
            yield Change("combination", one.span.start, two.span.start, "", words)
    for condition in node.conditions or ():
        yield place.change("comparison", condition.sign.span, OPPOSITE_SIGN[condition.sign.text])


def _without(facts: Facts, node: syntax.Node | None, before: str) -> Iterator[Change]:
    """A part of a pattern dropped, with the words that lead to it."""
    if node is None:
        return
    match = re.search(before, facts.text(0, node.span.start)[-80:])
    if match is not None:
        start = node.span.start - len(match[0])
        words = f"`{facts.text(start, node.span.end).strip()}` is dropped"
        yield Change("combination", start, node.span.end, "", words)


def _by(facts: Facts, scalar: Node) -> Iterator[Change]:
    """One of the tie-breakers taken away, two in the wrong order, or another in its place."""
    keys = parser.parse_by(scalar.embedded, Reporter()) if isinstance(scalar, Scalar) else None
    if not keys or not isinstance(scalar, Scalar):
        return
    place = _place(facts)
    if len(keys) == 1:
        own = facts.text(keys[0].span.start, keys[0].span.end)
        for other in ("groups", "cards", "side cards"):
            if other != own:
                yield place.change("tie", keys[0].span, other)
    for one, two in pairwise(keys):
        first, second = facts.text(one.span.start, one.span.end), facts.text(two.span.start, two.span.end)
        gap = facts.text(one.span.end, two.span.start)
        both = Span(facts.source, one.span.start, two.span.end)
        yield place.change("tie", both, first, f"`{gap.strip()} {second}` is dropped")
        yield place.change("tie", both, second, f"`{first} {gap.strip()}` is dropped")
        yield place.change("tie", both, second + gap + first)


# ----------------------------------------------------------------------------- zones, state, the rest


def _zones(facts: Facts) -> Iterator[Change]:
    """A zone that holds less. What would hold more changes no play: it only forbids less."""
    for row in _rows(facts, "zones"):
        holds = row.get("holds")
        if isinstance(holds, Scalar):
            yield _change(facts, "bound", holds, str(int(holds.text) - 1) if holds.text.isdigit() else
                          f"{holds.text} - 1")  # fmt: skip
        yield from _families(facts, row)


def _families(facts: Facts, row: Mapping) -> Iterator[Change]:
    """One place less. One more changes no play: nothing names it."""
    each = row.get("each")
    for scalar in each.items if isinstance(each, Sequence) else (each,):
        yield from _ends(facts, scalar, is_open=False)


def _state(facts: Facts) -> Iterator[Change]:
    """A state with a narrower range. A wider one changes no play: it only forbids less."""
    for row in _rows(facts, "state"):
        yield from _ends(facts, row.get("type"), is_open=False)
        yield from _families(facts, row)


def _tables(facts: Facts) -> Iterator[Change]:
    for table in _rows(facts, "tables"):
        yield from _ends(facts, table.get("for"), is_open=True)
        for _, cell in rows(table.get("rows"), "", Reporter()):
            yield from _numbers(facts, "score", cell.get("value") if isinstance(cell, Mapping) else cell)


def _clock(facts: Facts) -> Iterator[Change]:
    clock = facts.section("clock")
    if not isinstance(clock, Mapping):
        return
    times = [clock.get("time"), *(e.get("at") for e in _events(clock))]
    for scalar in times:
        node = parser.parse_duration(scalar.embedded, Reporter()) if isinstance(scalar, Scalar) else None
        if node is not None:
            yield from off_by_one(_place(facts), "bound", node.number)


def _events(clock: Mapping) -> Iterator[Mapping]:
    for _, row in rows(clock.get("events"), "", Reporter()):
        if isinstance(row, Mapping):
            yield row


def _result(facts: Facts) -> Iterator[Change]:
    for key, value in chain(rows(facts.section("result"), "", Reporter())):
        if key.text == "ties" and isinstance(value, Scalar) and facts.is_here(value.span):
            yield _change(facts, "tie", value, "shared" if value.text == "draw" else "draw")

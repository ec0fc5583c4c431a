"""A document to its model: every table and rule checked, at one choice of options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dsl import cardtables, model, parser, syntax
from dsl.claims import Claims
from dsl.declare import Declarations
from dsl.declare_clock import read_clock
from dsl.declare_layout import read_layout
from dsl.declare_options import read_rulings
from dsl.declare_values import number_range
from dsl.diagnostics import Label, Reporter
from dsl.document import Document, lay_changes
from dsl.fields import RESERVED, Fields, some
from dsl.scoping import Checked
from dsl.source import Span, first_line
from dsl.statements import MAIN, Statements
from dsl.symbols import Symbols
from dsl.unused import report_unused
from dsl.yamltree import Mapping, Scalar, Sequence

_MAX_PLAYERS = 20
_NEEDED = ("hoyle", "game", "title", "players", "cards", "zones", "rules", "result")


def choose(document: Document, table: tuple[model.Option, ...], chosen: dict[str, str], reporter: Reporter) -> Document:
    """The document with the changes of the chosen readings laid over it, in the order of the file."""
    touched: dict[str, tuple[str, Span]] = {}
    areas: list[Span] = []
    for option in table:
        name = option.pinned or chosen.get(option.name, option.default)
        reading = next(r for r in option.readings if r.name == name)
        if reading.changes is None:
            continue
        told = f"`{name}` of `{option.name}`"
        for place, span in _places(reading.changes):
            if place in touched:
                other, where = touched[place]
                reporter.report(
                    "V614",
                    f"{told} and {other} both change `{place}`",
                    span,
                    labels=(Label(where, "changed here too"),),
                    help="they do not go together: give what differs a rule or definition of its own",
                )
            touched[place] = told, span
        areas.append(reading.changes.span)
        document = lay_changes(document, reading.changes, reporter)
    return document if not areas else replace(document, areas=tuple(areas))


def _places(changes: Mapping) -> Iterator[tuple[str, Span]]:
    """What the changes of a reading replace: rules and definitions by name, other things by their way in the tables."""
    for entry in changes.entries:
        if entry.key.text == "rules" and isinstance(entry.value, Scalar):
            for item in parser.parse_rules(entry.value.embedded, Reporter())[0]:
                yield item.name.text, item.name.span
        elif isinstance(entry.value, Mapping):
            for place, span in _places(entry.value):
                yield f"{entry.key.text}.{place}", span
        else:
            yield entry.key.text, entry.key.span


def analyse(document: Document, table: tuple[model.Option, ...], chosen: dict[str, str],
            reporter: Reporter) -> model.Model | None:  # fmt: skip
    """The model, or None where errors were reported. `document` has the chosen readings laid over it already."""
    top = Span(document.span.source, document.span.start, document.span.start + 1)
    missing = _missing(document)
    if missing:
        reporter.report("S208", f"the file lacks {some(missing)}", top)
    name, title = _text(document, "game", reporter), _text(document, "title", reporter)
    _text(document, "hoyle", reporter, ("1",))
    players = _players(document, reporter)
    declared: cardtables.Declared = {}
    cards = document.section("cards")
    deck = cardtables.deck(cards, declared, reporter)
    kinds = cardtables.kinds(document.section("combinations"), deck, declared, reporter)
    symbols = Symbols(players, deck, kinds, declared=declared)
    symbols.broken |= document.broken
    if missing or not isinstance(cards, Mapping):
        symbols.broken.add("*")  # nobody knows which names would have been declared
    for item_name, item in document.items.items():
        what = "a rule" if isinstance(item, syntax.Rule) else "a definition"
        if item_name in RESERVED:
            reporter.report("S210", f"`{item_name}` is a word of the language and cannot be a name", item.name.span)
        elif item_name[0].isdigit():
            reporter.report("S210", f"`{item_name}` cannot be a name", item.name.span,
                            help="a name starts with a letter")  # fmt: skip
        elif item_name in declared:
            said, place = declared[item_name]
            reporter.report("N303", f"`{item_name}` already names {said}", item.name.span,
                            labels=(Label(place, "named here"),))  # fmt: skip
        declared[item_name] = (what, item.name.span)
        if isinstance(item, syntax.Rule):
            symbols.rules[item_name] = item
        else:
            symbols.defines[item_name] = item
    symbols.has_clock = document.section("clock") is not None
    d = Declarations(symbols, reporter)
    d.zones(document.section("zones"))
    d.state(document.section("state"))
    d.tables(document.section("tables"))
    for define in symbols.defines:
        d.expressions.function(define, symbols.defines[define].name.span)
    if MAIN not in symbols.rules and not symbols.is_broken(MAIN):
        reporter.report("N309", "no rule is named `game`: play begins there", top)
    checked = Statements(symbols, d.expressions, reporter).check_all()
    clock = read_clock(document.section("clock"), symbols, reporter)
    result = d.result(document.section("result"))
    in_force = {o.name: o.pinned or chosen.get(o.name, o.default) for o in table}
    reader = Claims(d, table, in_force, checked)
    claims, expectations = reader.all(document.section("properties"))
    ruling_table = read_rulings(document.section("rulings"), reporter)
    layout = read_layout(document.section("layout"), symbols, reporter)
    _check_calls(checked, symbols, clock, reporter)
    failed = reporter.has_errors
    if not failed:
        report_unused(symbols, checked, clock, reader.rules, document.areas, reporter)
    about, examples = document.section("about"), document.section("examples")
    if about is not None and not isinstance(about, Scalar):
        reporter.report("S206", "`about` is a single value", first_line(about.span))
    if examples is not None and not isinstance(examples, Sequence):
        reporter.report("S206", "`examples` is a list, or the path of a file that holds one", first_line(examples.span))
    if failed or result is None:
        return None
    return model.Model(
        name, title, about.text if isinstance(about, Scalar) else "", document.path, document.files, players,
        tuple(in_force.items()), table, ruling_table, deck, kinds,
        tuple(symbols.zones.values()), d.home, tuple(symbols.state.values()), tuple(checked.locals.values()),
        tuple(symbols.tables.values()), tuple(f for f in symbols.functions.values() if f is not None), checked.rules,
        clock, result, claims, expectations, layout, examples if isinstance(examples, Sequence) else None,
        checked.decisions, symbols,
    )  # fmt: skip


def _players(document: Document, reporter: Reporter) -> tuple[int, int]:
    """The fewest and the most; two where that cannot be read."""
    node = document.section("players")
    if isinstance(node, Mapping):
        fields = Fields(node, "`players`", ("number", "cites"), ("number",), reporter)
        fields.cites()
        node = fields.scalar("number")
    if isinstance(node, Scalar):
        return number_range(node, reporter, 1, _MAX_PLAYERS) or (2, 2)
    if node is not None:
        reporter.report("S206", "`players` is a number or a range of numbers", first_line(node.span))
    return 2, 2


def _missing(document: Document) -> list[str]:
    """The sections that every file has and this one lacks."""
    there = {*document.sections, *(("rules",) if document.items or document.broken else ())}
    return [name for name in _NEEDED if name not in there]


def _text(document: Document, key: str, reporter: Reporter, values: tuple[str, ...] = ()) -> str:
    node = document.section(key)
    if node is None:
        return ""
    if not isinstance(node, Scalar) or not node.text:
        reporter.report("S206", f"`{key}` is a single value", node.span)
        return ""
    if values and node.text not in values:
        reporter.report(
            "S209", f"`{key}: {node.text}` is not known here", node.span, help=f"write `{key}: {values[0]}`"
        )
    return node.text


def _check_calls(checked: Checked, symbols: Symbols, clock: model.Clock | None, reporter: Reporter) -> None:
    """No rule follows itself, and `end` leaves a rule that every way to it passes through."""
    circular: set[str] = set()
    for name in checked.rules:
        if name not in circular and _reaches(checked.follows, name, name):
            reached = [other for other in checked.rules if _reaches(checked.follows, name, other)]
            circular.update(other for other in reached if _reaches(checked.follows, other, name))
            by_way = "" if name in checked.follows[name] else " by way of others"
            reporter.report("L501", f"rule `{name}` follows itself{by_way}", symbols.rules[name].name.span,
                            help="`repeat` does a thing again")  # fmt: skip
    events = {e.rule for e in clock.events} if clock else set()
    callers: dict[str, set[str]] = {name: set() for name in checked.rules}
    for name, followed in checked.follows.items():
        for f in followed:
            callers[f].add(name)
    for rule, target, span in checked.ends:
        if not _always_inside(rule, target, callers, events, set()):
            reporter.report("L507", f"`{rule}` is also followed outside `{target}`, and cannot end it", span)


def _reaches(follows: dict[str, set[str]], start: str, goal: str) -> bool:
    seen: set[str] = set()
    stack = list(follows.get(start, ()))
    while stack:
        at = stack.pop()
        if at == goal:
            return True
        if at not in seen:
            seen.add(at)
            stack.extend(follows.get(at, ()))
    return False


def _always_inside(rule: str, target: str, callers: dict[str, set[str]], events: set[str], seen: set[str]) -> bool:
    if rule == target or rule in seen:
        return True
    if rule == MAIN or (rule in events and target != MAIN):
        return False
    return all(_always_inside(a, target, callers, events, seen | {rule}) for a in callers.get(rule, set()))

"""A rule file as it stands after its variants and readings are laid over each other.

Tables merge by key, a rule or definition of the same name replaces the one below, `null` takes something away.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from dsl import parser, reader, syntax
from dsl.diagnostics import Label, Reporter, did_you_mean, nearest
from dsl.files import ENDINGS
from dsl.source import Span, first_line
from dsl.yamltree import Entry, Mapping, Node, Scalar, Sequence

SECTIONS = (
    "hoyle", "game", "title", "about", "extends", "players", "clauses", "cards", "combinations", "zones", "state",
    "tables", "options", "rulings", "excused", "clock", "rules", "result", "properties", "layout", "examples",
)  # fmt: skip
# Sections that may stand in a file of their own, named instead of them.
LEFT_TO_OTHERS = ("options", "rulings", "excused", "properties", "examples")
# What a reading of an option may change.
CHANGEABLE = frozenset({
    "players", "cards", "combinations", "zones", "state", "tables", "clock", "rules", "result", "layout",
})  # fmt: skip
# Sections that a variant does not take over from the game it extends.
_OWN = frozenset({"hoyle", "game", "extends", "examples"})
_MAX_VARIANTS = 10

Item = syntax.Define | syntax.Rule


@dataclass(frozen=True, slots=True)
class Document:
    """The merged sections of a rule file, its rule text by name, and the files it came from (its own first)."""

    path: Path
    span: Span
    sections: dict[str, Entry]
    items: dict[str, Item]
    files: tuple[Path, ...] = field(default=())
    areas: tuple[Span, ...] = ()  # where the topmost layer stands, if there is anything beneath it
    broken: frozenset[str] = frozenset()  # names of items that hold a syntax error; `*` may be any name

    def section(self, name: str) -> Node | None:
        entry = self.sections.get(name)
        return None if entry is None else entry.value


def is_null(node: Node) -> bool:
    """Whether a value says that something is taken away."""
    return isinstance(node, Scalar) and node.style == "plain" and node.text in ("null", "~")


def load(
    path: Path, shown: str, reporter: Reporter, games: Path | None = None, read: reader.Read = reader.read_file
) -> Document | None:
    """The document of a file, with what it extends beneath it; None where nothing can be made of it.

    `shown` is how the file is called in messages, `games` a folder in which `extends` may find a game by name. `read`
    reads each file that is needed.
    """
    layers: list[tuple[Path, Mapping]] = []
    at: Path | None = path
    while at is not None:
        tree = read(at, shown, reporter)
        if tree is None:
            return None
        tree = _take_in(at, _check_sections(tree, reporter), reporter, read)
        layers.append((at, tree))
        extends = tree.get("extends")
        if extends is None:
            break
        found = _find_base(extends, at, games, reporter)
        if found is None:
            return None
        if len(layers) > _MAX_VARIANTS or any(found.resolve() == p.resolve() for p, _ in layers):
            reporter.report("V602", "this file extends itself, by way of others or at once", extends.span)
            return None
        beside = os.path.normpath(Path(shown).parent / _relative(found, at))
        shown = beside if not Path(shown).is_absolute() else str(found)
        at = found
    layers.reverse()
    document = _bottom(layers[0][0], layers[0][1], reporter)
    for layer_path, tree in layers[1:]:
        document = _lay_over(document, layer_path, tree, reporter)
    top = layers[-1][1].span
    areas = (Span(top.source, 0, len(top.source.text)),) if len(layers) > 1 else ()
    return Document(path, top, document.sections, document.items, tuple(p for p, _ in reversed(layers)), areas,
                    document.broken)  # fmt: skip


def _take_in(path: Path, tree: Mapping, reporter: Reporter, read: reader.Read) -> Mapping:
    """The file with the sections that it leaves to other files, naming those instead."""
    out: list[Entry] = []
    files: dict[str, Mapping | None] = {}
    taken: set[tuple[str, str]] = set()
    for entry in tree.entries:
        name = entry.value
        if entry.key.text not in LEFT_TO_OTHERS or not isinstance(name, Scalar) or is_null(name):
            out.append(entry)
            continue
        if not name.text:
            reporter.report("S206", f"`{entry.key.text}` is empty", name.span)
            continue
        if not name.text.lower().endswith(ENDINGS):
            reporter.report("S206", f"`{entry.key.text}` names no `.yaml` file", name.span,
                            help="write what belongs here, or the path of a `.yaml` file that holds it")  # fmt: skip
            continue
        if name.text not in files:
            shown = os.path.normpath(Path(name.span.source.path).parent / name.text)
            files[name.text] = read(path.parent / name.text, shown, reporter)
        other = files[name.text]
        taken.add((name.text, entry.key.text))
        if other is not None:
            found = other.entry(entry.key.text)
            if found is None:
                reporter.report("S208", f"this file lacks `{entry.key.text}`", first_line(other.span))
            else:
                out.append(found)
    for file, other in files.items():
        for inner in other.entries if other is not None else ():
            if (file, inner.key.text) not in taken:
                _report_left(inner, path, reporter)
    return Mapping(tuple(out), tree.span)


def _report_left(entry: Entry, path: Path, reporter: Reporter) -> None:
    """What a file holds and the file that names it does not take from it."""
    name = entry.key.text
    if name not in LEFT_TO_OTHERS:
        what = f"a file of {' and '.join(LEFT_TO_OTHERS)} has no section `{name}`"
        reporter.report("N311", what, entry.key.span)
    else:
        help = f"name this file for `{name}:` there too"
        reporter.report("N311", f"`{path.name}` does not take `{name}` from this file", entry.key.span, help=help)


def _relative(found: Path, at: Path) -> Path:
    return Path(os.path.relpath(found, at.parent))


def _find_base(extends: Node, at: Path, games: Path | None, reporter: Reporter) -> Path | None:
    if not isinstance(extends, Scalar) or not extends.text:
        reporter.report("V601", "`extends` names one game", extends.span)
        return None
    name = extends.text
    folders = [at.parent, at.parent.parent / "games", at.parent.parent / "variants"]
    if games is not None:
        folders += [games, games.parent / "variants"]
    file = name if name.lower().endswith(ENDINGS) else f"{name}.yaml"
    for folder in folders:
        try:
            if (folder / file).is_file():
                return folder / file
        except (OSError, ValueError):  # no name of a file at all
            continue
    known = [f.stem for folder in folders if folder.is_dir() for f in folder.glob("*.yaml")]
    reporter.report("V601", f"no game is named `{name}`", extends.span, help=did_you_mean(name, known))
    return None


def _check_sections(tree: Mapping, reporter: Reporter) -> Mapping:
    """Reports what is no section; one that is only misspelt is taken for what was meant."""
    entries: list[Entry] = []
    for entry in tree.entries:
        meant = nearest(entry.key.text, SECTIONS)
        if entry.key.text not in SECTIONS and meant is not None and tree.get(meant) is None:
            entries.append(renamed(entry, meant))
        else:
            entries.append(entry)
        if entry.key.text not in SECTIONS:
            reporter.report("N311", f"a rule file has no section `{entry.key.text}`", entry.key.span,
                            help=did_you_mean(entry.key.text, SECTIONS))  # fmt: skip
    return Mapping(tuple(entries), tree.span)


def renamed(entry: Entry, name: str) -> Entry:
    """The entry as if its key were another."""
    return Entry(Scalar(name, entry.key.span, entry.key.style, entry.key.embedded), entry.value)


def _rule_items(node: Node, reporter: Reporter) -> tuple[dict[str, Item], frozenset[str]]:
    """Definitions and rules by name, and the names of those that hold a syntax error."""
    if not isinstance(node, Scalar):
        reporter.report(
            "S205", "`rules` is one block of text", node.span, help="write `rules: |` and the text below it"
        )
        return {}, frozenset({"*"})
    parsed, broken = parser.parse_rules(node.embedded, reporter)
    items: dict[str, Item] = {}
    for item in parsed:
        if item.name.text in items:
            reporter.report("N303", f"`{item.name.text}` is defined twice", item.name.span,
                            labels=(Label(items[item.name.text].name.span, "defined here"),))  # fmt: skip
        items[item.name.text] = item
    return items, broken


def _bottom(path: Path, tree: Mapping, reporter: Reporter) -> Document:
    sections = {e.key.text: e for e in tree.entries if e.key.text in SECTIONS}
    rules = sections.pop("rules", None)
    items, broken = _rule_items(rules.value, reporter) if rules else ({}, frozenset[str]())
    sections = {e.key.text: e for e in _without_null(sections.values(), reporter)}
    return Document(path, tree.span, sections, items, broken=broken)


def _without_null(entries: Iterable[Entry], reporter: Reporter) -> tuple[Entry, ...]:
    """Taking away is for variants: at the bottom there is nothing to take away."""
    out: list[Entry] = []
    for entry in entries:
        if is_null(entry.value):
            reporter.report("V603", f"there is no `{entry.key.text}` to take away", entry.value.span,
                            help="`null` takes away what a game beneath has; to have no value is `none`")  # fmt: skip
        elif isinstance(entry.value, Mapping) and entry.key.text != "options":  # whose readings are laid over the file
            inner = _without_null(entry.value.entries, reporter)
            out.append(Entry(entry.key, Mapping(inner, entry.value.span)))
        else:
            out.append(entry)
    return tuple(out)


def _lay_over(below: Document, path: Path, tree: Mapping, reporter: Reporter) -> Document:
    sections = {k: e for k, e in below.sections.items() if k not in _OWN}
    items, broken = dict(below.items), below.broken
    for entry in tree.entries:
        name = entry.key.text
        if name not in SECTIONS:
            continue
        if name == "rules":
            above, wrong = _rule_items(entry.value, reporter)
            items, broken = {**items, **above}, broken - frozenset(above) | wrong
        elif name == "options":
            _merge_entry(sections, _with_pins(entry, below.section("options"), reporter), reporter)
        else:
            _merge_entry(sections, entry, reporter)
    return Document(path, tree.span, sections, items, broken=broken)


def _with_pins(entry: Entry, below: Node | None, reporter: Reporter) -> Entry:
    """An option named with a reading alone is decided: the variant plays that reading and no other."""
    if not isinstance(entry.value, Mapping):
        return entry
    out: list[Entry] = []
    for inner in entry.value.entries:
        if isinstance(inner.value, Scalar) and not is_null(inner.value):
            if not isinstance(below, Mapping) or below.get(inner.key.text) is None:
                known = below.keys if isinstance(below, Mapping) else ()
                reporter.report("V610", f"no option is named `{inner.key.text}` in the game beneath", inner.key.span,
                                help=did_you_mean(inner.key.text, known))  # fmt: skip
                continue
            pin = Scalar("pinned", inner.key.span, "plain", inner.key.embedded)
            inner = Entry(inner.key, Mapping((Entry(pin, inner.value),), inner.value.span))
        out.append(inner)
    return Entry(entry.key, Mapping(tuple(out), entry.value.span))


def lay_changes(document: Document, changes: Mapping, reporter: Reporter) -> Document:
    """The document with the changes of one reading of an option laid over it."""
    sections, items, broken = dict(document.sections), dict(document.items), document.broken
    for entry in changes.entries:
        name = entry.key.text
        if name not in CHANGEABLE:
            reporter.report("V604", f"a reading cannot change `{name}`", entry.key.span,
                            help=did_you_mean(name, CHANGEABLE))  # fmt: skip
        elif name == "rules":
            above, wrong = _rule_items(entry.value, reporter)
            items, broken = {**items, **above}, broken - frozenset(above) | wrong
        else:
            _merge_entry(sections, entry, reporter)
    return replace(document, sections=sections, items=items, broken=broken)


def _merge_entry(into: dict[str, Entry], entry: Entry, reporter: Reporter) -> None:
    name = entry.key.text
    below = into.get(name)
    if is_null(entry.value):
        if below is None:
            reporter.report("V603", f"there is no `{name}` to take away", entry.key.span,
                            help=did_you_mean(name, into))  # fmt: skip
        into.pop(name, None)
    elif below is not None and isinstance(below.value, Mapping) and isinstance(entry.value, Mapping):
        into[name] = Entry(entry.key, _merge(below.value, entry.value, reporter))
    else:
        if below is None:
            entry = _without_null((entry,), reporter)[0]
        into[name] = entry


def _merge(below: Mapping, above: Mapping, reporter: Reporter) -> Mapping:
    """Both mappings as one; a new key may say `before:` or `after:` which key it stands."""
    merged = {e.key.text: e for e in below.entries}
    for entry in above.entries:
        is_new = entry.key.text not in merged
        _merge_entry(merged, entry, reporter)
        if is_new and isinstance(entry.value, Mapping):
            merged = _placed(merged, entry, reporter)
    return Mapping(tuple(merged.values()), above.span)


def _placed(merged: dict[str, Entry], entry: Entry, reporter: Reporter) -> dict[str, Entry]:
    """The rows with a new one at the place it asks for; the saying of it is no part of the row."""
    assert isinstance(entry.value, Mapping)
    sides = [side for side in ("before", "after") if entry.value.get(side) is not None]
    if not sides:
        return merged
    side, value = sides[0], entry.value
    entry = Entry(entry.key, Mapping(tuple(e for e in value.entries if e.key.text != side), value.span))
    place = value.get(side)
    name = place.text if isinstance(place, Scalar) else ""
    others = {k: e for k, e in merged.items() if k != entry.key.text}
    if name not in others:
        span = place.span if place is not None else value.span
        reporter.report("V605", f"there is no `{name}` to stand {side}", span, help=did_you_mean(name, others))
        return {**others, entry.key.text: entry}
    at = list(others).index(name) + (side == "after")
    ordered = list(others.values())
    return {e.key.text: e for e in (*ordered[:at], entry, *ordered[at:])}


def texts(node: Node, reporter: Reporter) -> tuple[Scalar, ...]:
    """The scalars of a list, or of a single value."""
    if isinstance(node, Scalar):
        return (node,)
    if isinstance(node, Sequence):
        out = []
        for item in node.items:
            if isinstance(item, Scalar):
                out.append(item)
            else:
                reporter.report("S206", "a plain value is expected here", item.span)
        return tuple(out)
    reporter.report("S206", "a value or a list of values is expected here", node.span)
    return ()

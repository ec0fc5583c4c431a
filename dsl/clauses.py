"""The rulebook behind a rule file: its clauses, the lines that cite them, and those that no line can carry out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from dsl import parser, reader, syntax
from dsl.diagnostics import Label, Reporter, did_you_mean
from dsl.document import Document
from dsl.fields import CLAUSE, rows
from dsl.files import ENDINGS
from dsl.source import Span, first_line
from dsl.walk import parts
from dsl.yamltree import Mapping, Node, Scalar, Sequence

# Where clauses are cited in a table: the key of any row, and two of an example.
_KEYS = ("cites", "vector", "because")
# An example shows what a clause asks for; it does not carry it out.
_SHOWS = "examples"
# The lists of a catalogue. The clauses are to be accounted for; all may be cited.
_LISTS = ("clauses", "ambiguities", "facts", "vectors")

Status: TypeAlias = Literal["cited", "excused", "missing"]


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence of the rulebook, in words of the catalogue."""

    number: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The clauses of a rulebook by number; and what else of it has a number and may be cited."""

    clauses: dict[str, Clause]
    ambiguities: tuple[str, ...]
    vectors: tuple[str, ...]
    numbers: frozenset[str]  # of all of these, and of facts


@dataclass(frozen=True, slots=True)
class Citation:
    """A clause cited in one place; `part` is the section of the rule file that it stands in."""

    clause: str
    part: str
    span: Span


@dataclass(frozen=True, slots=True)
class Excuse:
    """A clause that no line can carry out, with the reason."""

    clause: str
    why: str
    span: Span


@dataclass(frozen=True, slots=True)
class Account:
    """What became of one clause: the places that cite or excuse it, or those examples that show it and nothing more."""

    status: Status
    places: tuple[Span, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A rule file held against its catalogue."""

    catalogue: Catalogue
    citations: tuple[Citation, ...]
    excuses: dict[str, Excuse] = field(hash=False)

    def account(self, number: str) -> Account:
        """Whether a clause is carried out by a line, excused, or missing."""
        excuse = self.excuses.get(number)
        if excuse is not None:
            return Account("excused", (excuse.span,), excuse.why)
        lines = [c.span for c in self.citations if c.clause == number and c.part != _SHOWS]
        if lines:
            return Account("cited", tuple(lines))
        shown = self.places(number, _SHOWS)
        return Account("missing", shown, "only examples cite it" if shown else "")

    def places(self, number: str, *sections: str) -> tuple[Span, ...]:
        """Where some sections cite a number."""
        return tuple(c.span for c in self.citations if c.clause == number and c.part in sections)

    @property
    def unknown(self) -> tuple[Citation, ...]:
        """Citations and excuses of numbers that the rulebook does not have."""
        excused = (Citation(e.clause, "excused", e.span) for e in self.excuses.values())
        known = self.catalogue
        return tuple(
            c for c in (*self.citations, *excused)
            if c.clause not in (known.clauses if c.part == "excused" else known.numbers)
        )  # fmt: skip


def rulebook(document: Document, reporter: Reporter, read: reader.Read = reader.read_file) -> Rulebook | None:
    """A file with its catalogue, and every mistake in how they fit; None where it names none that can be read."""
    found, excuses = citations(document), _excuses(document, reporter)
    entry = document.sections.get("clauses")
    if entry is None:
        named = [(c.clause, "cited", c.span) for c in found]
        named += [(e.clause, "excused", e.span) for e in excuses.values()]
        for number, how, span in named[:1]:
            reporter.report("V611", f"`{number}` is {how}, and the file names no clauses", span,
                            help="add `clauses: PATH`, the catalogue of the rulebook's clauses")  # fmt: skip
        return None
    catalogue = _read(document, entry.value, reporter, read)
    if catalogue is None:
        return None
    made = Rulebook(catalogue, found, excuses)
    for unknown in made.unknown:
        is_excuse = unknown.part == "excused"
        what = f"the rulebook has no clause `{unknown.clause}`"
        help = did_you_mean(unknown.clause, catalogue.clauses if is_excuse else catalogue.numbers)
        reporter.report("V613", f"{what} to excuse" if is_excuse else what, unknown.span, help=help)
    for excuse in excuses.values():
        lines = [c.span for c in found if c.clause == excuse.clause and c.part != _SHOWS]
        if lines:
            reporter.report("V615", f"`{excuse.clause}` is excused, and a line cites it", excuse.span,
                            labels=(Label(lines[0], "cited here"),),
                            help="take away the excuse, or the citation if the line does not do it")  # fmt: skip
    return made


# ------------------------------------------------------------------------------------------- the rule file


def citations(document: Document) -> tuple[Citation, ...]:
    """Every citation of a file, also in readings that are not chosen: first the rule text, then the tables."""
    out = [Citation(c, "rules", span) for item in document.items.values() for c, span in _in_text(item)]
    for name, entry in document.sections.items():
        out += [Citation(c, name, span) for c, span in _in_tables(entry.value)]
    return tuple(out)


def _in_text(node: syntax.Define | syntax.Rule) -> Iterator[tuple[str, Span]]:
    for part in parts(node):
        if isinstance(part, syntax.Token) and part.kind == "CITES":
            for match in CLAUSE.finditer(part.text):
                start = part.span.start + match.start()
                yield match[0], Span(part.span.source, start, start + len(match[0]))


def _in_tables(node: Node) -> Iterator[tuple[str, Span]]:
    match node:
        case Mapping():
            for entry in node.entries:
                if entry.key.text in _KEYS:
                    yield from _numbers(entry.value)
                elif entry.key.text == "rules" and isinstance(entry.value, Scalar):  # of a reading
                    for item in parser.parse_rules(entry.value.embedded, Reporter())[0]:
                        yield from _in_text(item)
                else:
                    yield from _in_tables(entry.value)
        case Sequence():
            for inner in node.items:
                yield from _in_tables(inner)
        case Scalar():
            pass


def _numbers(node: Node) -> Iterator[tuple[str, Span]]:
    """The clause numbers of a list or a single value; what is none is told where the row is read."""
    for item in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(item, Scalar) and CLAUSE.fullmatch(item.text):
            yield item.text, item.span


def _excuses(document: Document, reporter: Reporter) -> dict[str, Excuse]:
    out: dict[str, Excuse] = {}
    for key, value in rows(document.section("excused"), "`excused`", reporter):
        if not CLAUSE.fullmatch(key.text):
            reporter.report("V606", f"`{key.text}` is no clause number", key.span,
                            help="a clause is excused like `AB-012: it is advice`")  # fmt: skip
        elif not isinstance(value, Scalar) or not value.text.strip():
            reporter.report("S206", f"the reason that excuses `{key.text}` is one text", first_line(value.span))
        else:
            out[key.text] = Excuse(key.text, " ".join(value.text.split()), key.span)
    return out


# ------------------------------------------------------------------------------------------- the catalogue


def _read(document: Document, named: Node, reporter: Reporter, read: reader.Read) -> Catalogue | None:
    """The catalogue that a file names, found beside the file that says so."""
    tree = None
    if isinstance(named, Scalar) and named.text:
        says = named.span.source.path
        folder = next((f.parent for f in document.files if str(f).endswith(says)), document.path.parent)
        if named.text.lower().endswith(ENDINGS) and _is_file(folder / named.text):
            shown = os.path.normpath(Path(says).parent / named.text)
            tree = read(folder / named.text, shown, reporter)
            if tree is None:
                return None  # and the reader has told why
    if tree is None:
        help = "name a `.yaml` file beside this one"
        return reporter.report("V612", "the file of clauses cannot be read", named.span, help=help)
    if not isinstance(tree.get("clauses"), Sequence):
        what = "this file has no list of clauses"
        return reporter.report("V612", what, first_line(tree.span), help="it begins with `clauses:`")
    taken: set[str] = set()
    found: dict[str, dict[str, Clause]] = {name: {} for name in _LISTS}
    for name, clauses in found.items():
        listed = tree.get(name)
        for item in listed.items if isinstance(listed, Sequence) else ():
            number = _number(item, taken, reporter)
            if number is not None:
                clauses[number] = Clause(number, _text(item, "section"), _text(item, "text"))
    return Catalogue(found["clauses"], tuple(found["ambiguities"]), tuple(found["vectors"]), frozenset(taken))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()  # a pipe or a device might never end
    except (OSError, ValueError):
        return False


def _number(row: Node, taken: set[str], reporter: Reporter) -> str | None:
    found = row.get("id") if isinstance(row, Mapping) else None
    if not isinstance(found, Scalar) or not CLAUSE.fullmatch(found.text):
        what = "a row of the catalogue has no number" if found is None else "this is no clause number"
        span = first_line(row.span) if found is None else found.span
        return reporter.report("V616", what, span, help="each row has its number, as in `id: AB-012`")
    if found.text in taken:
        return reporter.report("V616", f"the catalogue has `{found.text}` twice", found.span)
    taken.add(found.text)
    return found.text


def _text(row: Node, key: str) -> str:
    found = row.get(key) if isinstance(row, Mapping) else None
    return " ".join(found.text.split()) if isinstance(found, Scalar) else ""

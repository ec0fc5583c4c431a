"""Reading one table row: which keys it may have, which it must have, and what kind of value each holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dsl.diagnostics import Label, Reporter, did_you_mean, nearest
from dsl.document import renamed, texts
from dsl.source import Span, first_line
from dsl.yamltree import Mapping, Node, Scalar

CLAUSE = re.compile(r"[A-Z]{2,}-[A-Z]?[0-9]{2,}")  # the number of a clause


class Fields:
    """The keys of one mapping. Unknown and missing keys are reported once, when it is opened."""

    def __init__(self, node: Node, what: str, allowed: Iterable[str], required: Iterable[str],
                 reporter: Reporter) -> None:  # fmt: skip
        self._reporter = reporter
        self.what = what
        self.span = node.span
        self.mapping = node if isinstance(node, Mapping) else None
        self.is_wrong = self.mapping is None  # too wrong to say what the row declares
        if self.mapping is None:
            reporter.report("S207", f"{what} is a table of keys and values", node.span)
            return
        known, entries = list(allowed), list(self.mapping.entries)
        unknown: list[Scalar] = []
        for i, entry in enumerate(entries):
            name = entry.key.text
            if name in known:
                continue
            meant = nearest(name, known)
            if meant is None:
                unknown.append(entry.key)
                continue
            if self.mapping.get(meant) is None:
                entries[i] = renamed(entry, meant)  # to say that it is lacking, too, would be once too often
            reporter.report("N311", f"{what} has no `{name}`", entry.key.span, help=f"did you mean `{meant}`?")
        self.mapping = Mapping(tuple(entries), self.mapping.span)
        missing = [name for name in required if self.mapping.get(name) is None]
        if unknown:
            labels = tuple(Label(key.span, "nor this") for key in unknown[1:5])
            told = f"{what} has no {some([key.text for key in unknown])}"
            reporter.report("N311", told, unknown[0].span, labels=labels,
                            help="it may have " + ", ".join(known) if len(known) < 12 else "")  # fmt: skip
        if len(missing) > len(unknown):
            reporter.report("S208", f"{what} lacks {some(missing)}", first_line(self.span))
        self.is_wrong = bool(unknown or missing)

    def span_of(self, name: str) -> Span:
        """Where a value stands, or else the row."""
        node = self.node(name)
        return first_line(self.span) if node is None else first_line(node.span)

    def node(self, name: str) -> Node | None:
        return None if self.mapping is None else self.mapping.get(name)

    def scalar(self, name: str) -> Scalar | None:
        """A single value, or None where it is absent or was reported."""
        node = self.node(name)
        if node is None:
            return None
        if not isinstance(node, Scalar):
            self._reporter.report("S206", f"`{name}` of {self.what} is a single value", node.span)
            return None
        if not node.text.strip():
            self._reporter.report("S206", f"`{name}` of {self.what} is empty", node.span)
            return None
        return node

    def text(self, name: str, default: str = "") -> str:
        scalar = self.scalar(name)
        return default if scalar is None else scalar.text

    def choice(self, name: str, values: tuple[str, ...], default: str) -> str:
        """One of a few words."""
        scalar = self.scalar(name)
        if scalar is None:
            return default
        if scalar.text not in values:
            self._reporter.report("S209", f"`{name}` of {self.what} cannot be `{scalar.text}`", scalar.span,
                                  help=did_you_mean(scalar.text, values) or "it is " + " or ".join(values))  # fmt: skip
            return default
        return scalar.text

    def integer(self, name: str, low: int, high: int, default: int) -> int:
        """A whole number written plainly, within bounds."""
        scalar = self.scalar(name)
        if scalar is None:
            return default
        found = whole(scalar, self._reporter)
        if found is None:
            return default
        if not low <= found <= high:
            self._reporter.report("T404", f"{found} is outside the range {low}..{high}", scalar.span)
            return default
        return found

    def list(self, name: str) -> tuple[Scalar, ...]:
        node = self.node(name)
        return () if node is None else texts(node, self._reporter)

    def cites(self, name: str = "cites") -> tuple[str, ...]:
        """The clauses cited."""
        node = self.node(name)
        return () if node is None else clause_numbers(node, self._reporter)


def clause_numbers(node: Node, reporter: Reporter) -> tuple[str, ...]:
    """The clauses that a citation in a table names."""
    out: list[str] = []
    for scalar in texts(node, reporter):
        if CLAUSE.fullmatch(scalar.text):
            out.append(scalar.text)
        else:
            reporter.report("V606", f"`{scalar.text}` is no clause number", scalar.span,
                            help="a clause is cited like `AB-012`")  # fmt: skip
    return tuple(out)


def some(names: list[str]) -> str:
    """Names for a sentence: `a`, `b` and `c`."""
    shown = [f"`{name}`" for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def whole(scalar: Scalar, reporter: Reporter) -> int | None:
    """The whole number that was written: digits, perhaps after a minus; nothing else is one."""
    if not re.fullmatch(r"-?(0|[1-9][0-9]{0,11})", scalar.text):
        help = "it is written in digits, as `12`"
        if re.fullmatch(r"-?0[0-9]+", scalar.text):
            help = "numbers are written without leading zeros"
        elif re.fullmatch(r"[0-9]+[eE][0-9]+|0[xXoObB][0-9a-fA-F]+|[0-9]+([_,'][0-9]+)+", scalar.text):
            help = "numbers are written out in digits"
        reporter.report("T424", f"`{scalar.text}` is no whole number", scalar.span, help=help)
        return None
    return int(scalar.text)


def rows(node: Node | None, what: str, reporter: Reporter) -> tuple[tuple[Scalar, Node], ...]:
    """The keyed rows of a section."""
    if node is None:
        return ()
    if not isinstance(node, Mapping):
        reporter.report("S207", f"{what} is a table of named rows", node.span)
        return ()
    return tuple((e.key, e.value) for e in node.entries)


def identifier(key: Scalar, reporter: Reporter, declared: dict[str, tuple[str, Span]], what: str) -> bool:
    """Whether a key may be the name of something new; it is noted as declared."""
    name = key.text
    if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name):
        reporter.report("S210", f"`{name}` cannot be a name", key.span, help="a name is letters, digits and `_`")
        return False
    if name in RESERVED:
        reporter.report("S210", f"`{name}` is a word of the language and cannot be a name", key.span)
        return False
    if name in declared:
        said, place = declared[name]
        reporter.report("N303", f"`{name}` already names {said}", key.span, labels=(Label(place, "named here"),))
        return True
    declared[name] = (what, key.span)
    return True


RESERVED = frozenset(
    [
        "if",
        "then",
        "else",
        "and",
        "or",
        "not",
        "is",
        "none",
        "in",
        "contains",
        "as",
        "for",
        "where",
        "has",
        "by",
        "tie",
        "yes",
        "no",
        "seat",
        "the",
        "all",
        "best",
        "split",
        "count",
        "some",
        "only",
        "every",
        "sum",
        "max",
        "min",
        "first",
        "highest",
        "lowest",
        "those",
        "before",
        "random",
        "from",
        "to",
        "at",
        "once",
        "rule",
        "define",
        "let",
        "deal",
        "move",
        "gather",
        "shuffle",
        "cut",
        "reveal",
        "announce",
        "end",
        "because",
        "repeat",
        "until",
        "times",
        "each",
        "going",
        "clockwise",
        "over",
        "chooses",
        "when",
        "players",
        "time_left",
        "floor",
        "ceiling",
        "nearest",
        "whole",
    ]
)

"""The places of a rule file at which a fault can be made: nodes of its syntax, with the names that hold there."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from dsl import ir, parser, syntax, types
from dsl.diagnostics import Reporter
from dsl.load import Loaded
from dsl.model import Model
from dsl.source import Source, Span
from dsl.yamltree import Node, Scalar

Names: TypeAlias = Mapping[str, ir.Type]

# Where a name that is bound holds; elsewhere in the same node it does not.
_BOUND_IN = frozenset({"body", "by", "actions"})


@dataclass(frozen=True, slots=True)
class Change:
    """Other text between two offsets of the file."""

    operator: str
    start: int
    end: int
    new: str
    words: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The file as it was read, and what its names stand for."""

    source: Source
    loaded: Loaded
    model: Model
    bound: Mapping[int, ir.Type]  # what is bound in rules, by where its name stands

    @classmethod
    def of(cls, loaded: Loaded, made: Model) -> Facts:
        source = loaded.document.span.source
        bound = {v.span.start: v.type for v in made.locals if v.span is not None and v.span.source is source}
        return cls(source, loaded, made, bound)

    def section(self, name: str) -> Node | None:
        """A section of the file, if it stands in this file and in no other."""
        entry = self.loaded.document.sections.get(name)
        return entry.value if entry is not None and entry.key.span.source is self.source else None

    def is_here(self, span: Span) -> bool:
        return span.source is self.source

    def text(self, start: int, end: int) -> str:
        return self.source.text[start:end]

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """The whole lines from one offset to another."""
        text = self.source.text
        after = text.find("\n", end)
        return text.rfind("\n", 0, start) + 1, len(text) if after == -1 else after + 1


@dataclass(frozen=True, slots=True)
class Place:
    """A node of the syntax, and the types of the names that hold there."""

    node: Any
    names: Names
    facts: Facts
    whole: Place | None = None  # the whole expression that this is a part of

    @property
    def written(self) -> str:
        """The node as it stands in the file."""
        span = self.node.span
        return self.facts.text(span.start, span.end)

    def written_at(self, node: syntax.Node) -> str:
        return self.facts.text(node.span.start, node.span.end)

    def change(self, operator: str, span: Span, new: str, words: str = "") -> Change:
        """Other text in place of a span; unless they are given, the words name both."""
        old = " ".join(self.facts.text(span.start, span.end).split())
        return Change(operator, span.start, span.end, new, words or f"`{old}` becomes `{' '.join(new.split())}`")


def in_rules(facts: Facts) -> Iterator[Place]:
    """Every place in the definitions and rules of the file."""
    names = {v.name: v.type for v in facts.model.state if not v.dims}
    for item in facts.loaded.document.items.values():
        if not facts.is_here(item.span):
            continue
        inside = dict(names)
        if isinstance(item, syntax.Define):
            function = next((f for f in facts.model.functions if f.name == item.name.text), None)
            inside |= dict(function.parameters) if function is not None else {}
        else:
            for param in item.params or ():
                inside |= _typed(param.name, facts)
        yield from _places(item, inside, facts)


def in_phrase(scalar: Scalar, names: Names, facts: Facts) -> Iterator[Place]:
    """Every place of an expression that stands in a table."""
    node = parser.parse_expr(scalar.embedded, Reporter())
    if node is not None:
        state = {v.name: v.type for v in facts.model.state if not v.dims}
        yield from _places(node, {**state, **names}, facts)


def _places(node: Any, names: Names, facts: Facts, whole: Place | None = None) -> Iterator[Place]:
    if isinstance(node, tuple):
        inside = dict(names)
        for part in node:
            yield from _places(part, inside, facts, whole)
            statement = part.statement if isinstance(part, syntax.Simple) else part
            if isinstance(statement, syntax.Let):
                inside |= _typed(statement.name, facts)
        return
    if not isinstance(node, syntax.Node):
        return
    if whole is None and isinstance(node, syntax.Expr):
        whole = Place(node, names, facts)
    yield Place(node, names, facts, whole)
    binder = getattr(node, "binder", None)
    inside = dict(names)
    if binder is not None:
        inside |= _bound(binder, facts)
    if isinstance(node, syntax.Action):
        for param in node.params or ():
            inside |= _typed(param.name, facts)
        yield from _places(node.params or (), names, facts)
        yield from _places(node.guards, inside, facts)
        yield from _places(node.body, inside, facts)
        return
    for f in dataclasses.fields(node):
        value = getattr(node, f.name)
        if f.name == "span":
            continue
        if value is binder and isinstance(value, syntax.Binder):
            yield Place(value, names, facts, whole)
            yield from _places(value.source, names, facts, whole)
            yield from _places(value.where, inside, facts, whole)
        else:
            yield from _places(value, inside if f.name in _BOUND_IN else names, facts, whole)


def _typed(name: syntax.Token, facts: Facts) -> dict[str, ir.Type]:
    found = facts.bound.get(name.span.start)
    return {} if found is None else {name.text: found}


def _bound(node: syntax.Binder, facts: Facts) -> dict[str, ir.Type]:
    """The name of a binder with its type, where it is a player, kind, rank or suit."""
    if node.source is not None:
        return _typed(node.name, facts)
    word = node.sort.name.text if node.sort is not None else "player"
    found = types.SORTS.get(word)
    return {} if found is None else {node.name.text: found}


def keyword(place: Place, word: str, after: int, before: int) -> Span | None:
    """Where a word of the language stands between two offsets; brackets may stand around it."""
    match = re.compile(rf"(?<![A-Za-z_0-9]){word}(?![A-Za-z_0-9])").search(place.facts.source.text, after, before)
    return None if match is None else Span(place.facts.source, *match.span())


def last_of(node: Any) -> int:
    """Where a statement, a block or an action ends, without the line ends and comments after it."""
    match node:
        case syntax.Simple():
            return max(node.statement.span.end, node.cites.span.end if node.cites is not None else 0)
        case syntax.IfStmt():
            return last_of(node.otherwise if node.otherwise is not None else node.then)
        case syntax.Chooses() | syntax.AtOnce() | syntax.May():
            return last_of(node.actions[-1])
        case syntax.Action(body=syntax.Bare()):
            parts = [node.name.span.end, *(p.span.end for p in node.params or ()), *(g.span.end for g in node.guards)]
            cites = node.body.cites
            return max([*parts, cites.span.end if cites is not None else 0])
        case syntax.Action() | syntax.Repeat() | syntax.RepeatUntil() | syntax.RepeatTimes() | syntax.ForEach():
            return last_of(node.body)
        case syntax.Going():
            return last_of(node.body)
        case syntax.Block():
            return last_of(node.body[-1])
        case _:
            raise TypeError(f"{type(node).__name__} is no statement")

"""Seeded faults: every small change of one place in a rule file that its examples, checks or claims should notice.

A mutant is text, as an author might have typed it by mistake; what it means is for the front end to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from dsl import syntax
from dsl.load import Loaded
from dsl.model import Model
from dsl.source import Source, Span
from verify import mutants_expressions, mutants_statements, mutants_tables
from verify.mutants_places import Change, Facts, Names, Place, in_rules


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of fault. `hint` says what would notice a fault of that kind."""

    name: str
    what: str
    hint: str


OPERATORS: Final = {
    o.name: o
    for o in (
        Operator("bound", "a limit or the end of a range moved by one",
                 "an example at the limit: the last that is allowed, and the first that is not; or a `bound` claim"),
        Operator("comparison", "a comparison turned",
                 "an example in which both sides are equal, and one in which they differ the other way round"),
        Operator("condition", "a condition turned into its opposite, or half of it dropped",
                 "an example in which this condition, or this half of it alone, decides"),
        Operator("guard", "a `when` or `where` dropped",
                 "an example with `not allowed:` for what only this condition forbids, or with somebody it leaves out"),
        Operator("effect", "a statement, an action or an `else` dropped",
                 "an example whose `then:` tells what this line does, or whose `log:` tells that it was done"),
        Operator("amount", "an amount changed by one, or added instead of taken away",
                 "an example whose `then:` tells the number that comes of this line"),
        Operator("number", "a number in the rules off by one",
                 "an example whose result hangs on this number, or a `bound` claim"),
        Operator("seat", "a player taken for another: left for right, or one name for another",
                 "an example in which these two are different players, and which tells what became of each"),
        Operator("zone", "a zone taken for another of the same shape",
                 "an example whose `then:` tells what lies in both zones"),
        Operator("state", "a value taken for another of the same type",
                 "an example in which the two values differ"),
        Operator("score", "an entry of a table, or the score of a combination, changed by a little",
                 "an example that scores this row, or a `values` claim over the table"),
        Operator("combination", "the pattern of a combination, or what makes a run, changed",
                 "an example with cards that are this combination, one with cards that just are not; "
                 "or a `frequencies` claim"),
        Operator("tie", "how a tie is broken changed",
                 "an example in which two are equal but for what breaks the tie, and one in which they are "
                 "quite equal"),
        Operator("opposite", "a word or sign taken for its opposite: `max` for `min`, `+` for `-`",
                 "an example with several different values to choose from or to add up"),
        Operator("yes_no", "`yes` and `no` exchanged", "an example that tells this answer"),
        Operator("order", "two cases or two rows in the wrong order",
                 "an example in which both cases would do, or in which the two rows meet"),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Values:
    """The whole expression in which the fault is, before and after, and the types of the names that hold there."""

    before: str
    after: str
    names: Names


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: `new` stands in the file where `span` was. `words` say what was changed.

    `values` is known where the fault is in an expression.
    """

    operator: str
    span: Span
    new: str
    words: str
    values: Values | None = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """The whole file with the fault in it."""
        old = self.span.source.text
        return old[: self.span.start] + self.new + old[self.span.end :]

    @property
    def line(self) -> int:
        return self.span.line

    @property
    def hint(self) -> str:
        return OPERATORS[self.operator].hint

    def diff(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The lines that were, and those that stand there now, from the first that differs to the last."""
        source = self.span.source
        first, last = source.position(self.span.start)[0], source.position(max(self.span.end - 1, self.span.start))[0]
        added = self.text.count("\n") - source.text.count("\n")
        changed = Source(source.path, self.text)
        old = [source.line_text(n) for n in range(first, last + 1)]
        new = [changed.line_text(n) for n in range(first, last + added + 1)]
        while old and new and old[0] == new[0]:
            del old[0], new[0]
        while old and new and old[-1] == new[-1]:
            del old[-1], new[-1]
        return tuple(_shown(old)), tuple(_shown(new))


def _shown(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.strip():
            yield line.rstrip()


def mutants(loaded: Loaded, made: Model) -> tuple[Mutant, ...]:
    """Every fault of one place in the file itself, in the order of its text; each text occurs once.

    What other files hold (the game it extends, examples, readings, claims) is left as it is.
    """
    facts = Facts.of(loaded, made)
    rank = {name: n for n, name in enumerate(OPERATORS)}
    found = sorted(_changes(facts), key=lambda f: (f[0].start, rank[f[0].operator], f[0].end, f[0].new))
    seen: set[str] = {facts.source.text}
    out: list[Mutant] = []
    for change, values in found:
        span = Span(facts.source, change.start, change.end)
        mutant = Mutant(change.operator, span, change.new, change.words, values)
        if mutant.text not in seen:
            seen.add(mutant.text)
            out.append(mutant)
    return tuple(out)


def _changes(facts: Facts) -> Iterator[tuple[Change, Values | None]]:
    places: Iterator[Place] = chain(in_rules(facts), mutants_tables.expressions(facts))
    for place in places:
        for kind in (*mutants_expressions.KINDS, *mutants_statements.KINDS):
            for change in kind(place):
                yield change, _values(change, place)
    for change in mutants_tables.changes(facts):
        yield change, None


def _values(change: Change, place: Place) -> Values | None:
    if isinstance(place.node, syntax.Guard) and not change.new:
        return Values(place.written_at(place.node.condition), "yes", place.names)
    if place.whole is None:
        return None
    span, text = place.whole.node.span, place.facts.text
    after = text(span.start, change.start) + change.new + text(change.end, span.end)
    return Values(place.whole.written, after, place.whole.names)

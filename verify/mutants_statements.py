"""Faults in statements and choices: each function yields what it can change at one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from dsl import ir, syntax, types
from dsl.source import Span
from verify.mutants_expressions import ends, off_by_one
from verify.mutants_places import Change, Place, keyword, last_of


def effect(place: Place) -> Iterator[Change]:
    """A statement or an action dropped where others remain beside it, and what follows `else`."""
    node = place.node
    parts: tuple[Any, ...] = ()
    if isinstance(node, syntax.Rule | syntax.Block):
        parts = tuple(s for s in node.body if not isinstance(getattr(s, "statement", None), syntax.Let))
        parts = parts if len(node.body) > 1 else ()
    elif isinstance(node, syntax.Chooses | syntax.AtOnce | syntax.May):
        parts = node.actions if len(node.actions) > 1 else ()
    for part in parts:
        yield _without(place, part.span.start, last_of(part))
    if isinstance(node, syntax.IfStmt) and node.otherwise is not None:
        at = keyword(place, "else", last_of(node.then), node.otherwise.span.start + 1)
        if at is not None:
            yield _without(place, at.start, last_of(node.otherwise))


def _without(place: Place, start: int, end: int) -> Change:
    first, last = place.facts.lines(start, end)
    line = place.facts.source.line_text(place.facts.source.position(start)[0])
    told = " ".join(line.partition("   ")[0].split()) if line[:1] != " " else " ".join(_code(line).split())
    return Change("effect", first, last, "", f"`{told}` is dropped")


def _code(line: str) -> str:
    """A line without the clauses and comments behind it."""
    return line.strip().partition("   ")[0]


def guard(place: Place) -> Iterator[Change]:
    """A `when` dropped."""
    if isinstance(place.node, syntax.Guard):
        span = place.node.span
        start = len(place.facts.text(0, span.start).rstrip())
        words = f"`{' '.join(place.written.split())}` is dropped"
        yield Change("guard", start, span.end, "", words)


def amount(place: Place) -> Iterator[Change]:
    """One more than the rules say; added for taken away."""
    node = place.node
    match node:
        case syntax.Assign():
            if node.sign.text in ("+=", "-="):
                yield place.change("amount", node.sign.span, "-=" if node.sign.text == "+=" else "+=")
            if _is_number(place, node.target.name.text):
                yield from _one_more(place, node.value)
        case syntax.Deal():
            yield from _one_more(place, node.count)
        case syntax.RepeatTimes():
            yield from _one_more(place, node.times)
        case _:
            pass


def _is_number(place: Place, name: str) -> bool:
    found = {v.name: v.type for v in place.facts.model.state} | dict(place.names)
    t = found.get(name)
    return t is not None and isinstance(types.strip(t), ir.IntType | ir.FractionType)


def _one_more(place: Place, node: Any) -> Iterator[Change]:
    if isinstance(node, syntax.Number | syntax.None_):
        return  # a number written out is changed where it stands
    written = place.written_at(node)
    whole = f"({written})" if isinstance(node, syntax.IfExpr) else written
    yield place.change("amount", node.span, f"{whole} + 1")


def limits(place: Place) -> Iterator[Change]:
    """How many cards an action takes, which numbers it offers, which a rule is followed with."""
    node = place.node
    match node:
        case syntax.ValueParam():
            yield from ends(place, node.type, is_open=True)
        case syntax.Rule():
            for param in node.params or ():
                yield from ends(place, param.type, is_open=False)
        case syntax.CardsParam():
            for token in (node.least, node.most):
                if token is not None:
                    yield from off_by_one(place, "bound", token)
        case syntax.Deal(up_to=token) if token is not None:
            end = node.count.span.start
            yield place.change("bound", Span(token.span.source, token.span.start, end), "", "`up to` is dropped")
        case _:
            pass


def cases(place: Place) -> Iterator[Change]:
    """The conditions of `if A: … else if B: …` in the wrong order."""
    node = place.node
    if isinstance(node, syntax.IfStmt) and isinstance(node.otherwise, syntax.IfStmt):
        one, two = node.condition.span, node.otherwise.condition.span
        text = place.facts.text
        first, second = text(one.start, one.end), text(two.start, two.end)
        new = second + text(one.end, two.start) + first
        yield Change("order", one.start, two.end, new, f"the conditions `{first}` and `{second}` change places")


KINDS: Final[tuple[Callable[[Place], Iterator[Change]], ...]] = (effect, guard, amount, limits, cases)

"""Faults in expressions: each function yields what it can change at one place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from dsl import ir, syntax, types
from dsl.source import Span
from verify.mutants_places import Change, Place, keyword

OPPOSITE_SIGN: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "=": "!=", "!=": "="}
# A sign that differs only where both sides are equal, and one that looks the other way.
_NEAR_SIGNS: Final = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "=": (), "!=": ()}
_OPPOSITES: Final = {
    "max": "min", "min": "max", "highest": "lowest", "lowest": "highest", "floor": "ceiling", "ceiling": "floor",
    "+": "-", "-": "+", "*": "/", "/": "*", "div": "*", "mod": "div",
}  # fmt: skip


def comparison(place: Place) -> Iterator[Change]:
    """A sign between two values turned; `is none` for `is not none`."""
    node = place.node
    match node:
        case syntax.Compare():
            for sign in (*_NEAR_SIGNS[node.sign.text], OPPOSITE_SIGN[node.sign.text]):
                yield place.change("comparison", node.sign.span, sign)
        case syntax.IsNone():
            yield place.change("comparison", node.span, re.sub(r"is(\s+)none$", r"is not\1none", place.written))
        case syntax.IsNotNone():
            yield place.change("comparison", node.span, re.sub(r"is\s+not(\s+)none$", r"is\1none", place.written))
        case _:
            pass


def condition(place: Place) -> Iterator[Change]:
    """A condition turned into its opposite; one half of `and` or `or` alone; `and` for `or`."""
    node = place.node
    match node:
        case syntax.IfStmt() | syntax.IfExpr() | syntax.RepeatUntil() | syntax.Guard():
            yield _negated(place, node.condition)
        case syntax.Binder(where=where) if where is not None:
            yield _negated(place, where)
        case syntax.AndExpr() | syntax.OrExpr():
            word = "and" if isinstance(node, syntax.AndExpr) else "or"
            at = keyword(place, word, node.left.span.end, node.right.span.start)
            if at is not None:
                text = place.facts.text
                left, right = text(node.span.start, at.start).rstrip(), text(at.end, node.span.end).lstrip()
                yield place.change("condition", node.span, left, f"`{word} {_flat(right)}` is dropped")
                yield place.change("condition", node.span, right, f"`{_flat(left)} {word}` is dropped")
                yield place.change("condition", at, "or" if word == "and" else "and")
        case _:
            pass


def _negated(place: Place, node: Any) -> Change:
    match node:
        case syntax.Compare():
            return place.change("comparison", node.sign.span, OPPOSITE_SIGN[node.sign.text])
        case syntax.IsNone() | syntax.IsNotNone():
            return next(comparison(Place(node, place.names, place.facts)))
        case syntax.NotExpr():
            written = place.written_at(node)
            return place.change("condition", node.span, written.removeprefix("not").lstrip())
        case syntax.AndExpr() | syntax.OrExpr() | syntax.IfExpr():
            return place.change("condition", node.span, f"not ({place.written_at(node)})")
        case _:
            return place.change("condition", node.span, f"not {place.written_at(node)}")


def numbers(place: Place) -> Iterator[Change]:
    """A number off by one."""
    if isinstance(place.node, syntax.Number):
        yield from off_by_one(place, "number", place.node.number)


def ends(place: Place, node: syntax.TypeSyntax | None, is_open: bool) -> Iterator[Change]:
    """The ends of a range moved by one; only inwards, unless a wider range would change what may be done."""
    if isinstance(node, syntax.OptionalType):
        node = node.of
    if not isinstance(node, syntax.RangeType):
        return
    for bound, inwards in ((node.low, 1), (node.high, -1)):
        towards = -inwards if bound.sign is not None else inwards
        for change in off_by_one(place, "bound", bound.number):
            if is_open or int(change.new) - int(bound.number.text) == towards:
                yield change


def off_by_one(place: Place, operator: str, token: syntax.Token) -> Iterator[Change]:
    """A whole number written out, one more and one less; none below 0."""
    if token.text.isdigit():
        for number in (int(token.text) + 1, int(token.text) - 1):
            if number >= 0:
                yield place.change(operator, token.span, str(number))


def seat(place: Place) -> Iterator[Change]:
    """Left for right, a neighbour for the player, one player for another."""
    node = place.node
    most = place.facts.model.players[1]
    match node:
        case syntax.Of(_, name, operand) if name.text in ("left", "right", "opponent", "partner"):
            if most > 2 and name.text in ("left", "right"):  # of two players, both are the other one
                yield place.change("seat", name.span, "right" if name.text == "left" else "left")
            if most > 1:
                yield place.change("seat", node.span, place.written_at(operand))
        case syntax.Name(_, name) if _is_player(place.names.get(name.text)):
            yield from (place.change("seat", name.span, other) for other in _others(place, name))
        case syntax.Target(_, name, None) if _is_player(place.names.get(name.text)):
            settable = {v.name for v in place.facts.model.state}
            yield from (place.change("seat", name.span, other) for other in _others(place, name) if other in settable)
        case _:
            pass


def _others(place: Place, name: syntax.Token) -> Iterator[str]:
    return (other for other, t in place.names.items() if other != name.text and _is_player(t))


def _is_player(t: ir.Type | None) -> bool:
    return t is not None and isinstance(types.strip(t), ir.PlayerType)


def zone(place: Place) -> Iterator[Change]:
    """A zone taken for another that is indexed alike."""
    node = place.node
    if isinstance(node, syntax.Name | syntax.Index | syntax.AllOf):
        token = node.zone if isinstance(node, syntax.AllOf) else node.name
        zones = {z.name: z.dims for z in place.facts.model.zones}
        if token.text in zones and token.text not in place.names:
            for other, dims in zones.items():
                if other != token.text and dims == zones[token.text]:
                    yield place.change("zone", token.span, other)


def state(place: Place) -> Iterator[Change]:
    """A value taken for another of its type: a state, a parameter, a `let`."""
    node = place.node
    if not isinstance(node, syntax.Name | syntax.Index | syntax.Target):
        return
    token = node.name
    dims = {v.name: v.dims for v in place.facts.model.state}
    known = {v.name: v.type for v in place.facts.model.state} | dict(place.names)
    t = known.get(token.text)
    if t is None or _is_player(t):
        return
    for other, u in known.items():
        is_alike = dims.get(other, ()) == dims.get(token.text, ()) and _same(t, u)
        if other != token.text and is_alike and not (isinstance(node, syntax.Target) and other not in dims):
            yield place.change("state", token.span, other)


def _same(a: ir.Type, b: ir.Type) -> bool:
    """Whether values of one type may be taken for values of the other; the ranges of numbers may differ."""
    a, b = types.strip(a), types.strip(b)
    return a == b or (isinstance(a, ir.IntType) and isinstance(b, ir.IntType))


def tie(place: Place) -> Iterator[Change]:
    """A tie that picks nobody for one that picks the first, and the other way round."""
    match place.node:
        case syntax.Tie(rule=syntax.TieNone()):
            yield place.change("tie", place.node.span, "tie first")
        case syntax.Tie(rule=syntax.TieFirst()):
            yield place.change("tie", place.node.span, "tie none")
        case _:
            pass


def opposite(place: Place) -> Iterator[Change]:
    """A word or sign taken for its opposite."""
    node = place.node
    token: syntax.Token | None = None
    if isinstance(node, syntax.Extreme | syntax.MaxOf | syntax.Highest):
        token = node.word
    elif isinstance(node, syntax.Add | syntax.Multiply):
        token = node.sign
    elif isinstance(node, syntax.Call):
        token = node.name
    if token is None or token.text not in _OPPOSITES or (isinstance(node, syntax.Add) and _are_cards(place, node)):
        return
    yield place.change("opposite", token.span, _OPPOSITES[token.text])


def _are_cards(place: Place, node: syntax.Add) -> bool:
    """Whether it is cards that are put together: nothing else stands for what `-` would mean."""
    zones = {z.name for z in place.facts.model.zones}
    return isinstance(node.left, syntax.Name | syntax.Index) and node.left.name.text in zones


def yes_no(place: Place) -> Iterator[Change]:
    """`yes` for `no`, and the other way round."""
    match place.node:
        case syntax.Yes():
            yield place.change("yes_no", place.node.span, "no")
        case syntax.No():
            yield place.change("yes_no", place.node.span, "yes")
        case _:
            pass


def where(place: Place) -> Iterator[Change]:
    """A `where` dropped: what it left out is taken in."""
    node = place.node
    if isinstance(node, syntax.Binder) and node.where is not None:
        before = node.source.span.end if node.source is not None else node.name.span.end
        at = keyword(place, "where", before, node.where.span.start)
        if at is not None:
            start = len(place.facts.text(0, at.start).rstrip())
            dropped = _flat(place.facts.text(at.start, node.span.end))
            yield place.change("guard", Span(at.source, start, node.span.end), "", f"`{dropped}` is dropped")


def cases(place: Place) -> Iterator[Change]:
    """`if A then x else if B then y` in the wrong order."""
    node = place.node
    if isinstance(node, syntax.IfExpr) and isinstance(node.otherwise, syntax.IfExpr):
        second = node.otherwise
        a, b = node.condition.span.start, second.condition.span.start
        ends = keyword(place, "else", node.then.span.end, second.span.start)
        after = keyword(place, "else", second.then.span.end, second.otherwise.span.start)
        if ends is not None and after is not None:
            text = place.facts.text
            one, two = text(a, ends.start).rstrip(), text(b, after.start).rstrip()
            between = text(a + len(one), b)
            span = Span(place.facts.source, a, b + len(two))
            yield place.change("order", span, two + between + one, f"the cases `{_flat(one)}` and `{_flat(two)}` "
                               "change places")  # fmt: skip


def _flat(text: str) -> str:
    return " ".join(text.split())


KINDS: Final[tuple[Callable[[Place], Iterator[Change]], ...]] = (
    comparison, condition, numbers, seat, zone, state, tie, opposite, yes_no, where, cases,
)  # fmt: skip

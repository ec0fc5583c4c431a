"""Certificates of proofs by counts, read again: whether the positions that are listed show the property.

Nothing is searched. Play has to begin among what is listed, each step from there has to lead there, and none of it may
be what the property speaks against. Besides, real plays are looked at, which know nothing of counting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dsl import ir, model
from dsl.source import Source, Span
from verify import recheck_leads
from verify.checks_shared import AtPlayers, Recording, Search, Shared
from verify.closed import NO_POSITION, SEEN, Closed, Following, Look, NotKnown, Open
from verify.counted import Counted, of_check, of_claim
from verify.explore import Explored
from verify.judging import is_stray, what_is_open
from verify.listed import Listed
from verify.outlook import values_at
from verify.places import TooMany, looks_at
from verify.points import Point, Unsupported
from verify.positions import Positions
from verify.recheck import Asked, Certificate, get
from verify.refused import DOES_NOT_FOLLOW, Refused
from verify.wanted import COUNTED, DEAD_ENDS, LEADS, OBLIGATIONS

_TO_PLAY = 0.2  # of the seconds, and at most so many
_MOST_TO_PLAY = 3.0


@dataclass(slots=True)
class Seen:
    """What was looked at: listed positions, steps from them, stops of real plays. `is_all`: all that is alike, too."""

    positions: int = 0
    steps: int = 0
    stops: int = 0
    is_all: bool = True


@dataclass(frozen=True, slots=True)
class _Table:
    """Positions that were read, with their lines."""

    counted: Counted
    points: dict[Point, Span]
    at: Span


def check(certificate: Certificate, source: model.Model, seconds: float) -> Seen:
    """Looks at a certificate that lists positions, of these rules.

    Raises:
        Refused: It is damaged, or the property does not follow.
        NotKnown: The time ran out.
    """
    deadline, seen = time.monotonic() + seconds, Seen()
    claim = next((c for c in source.properties if c.name == certificate.about), None)
    try:
        if certificate.claim is None:
            at = Shared(source, None).at(certificate.players)
            tables = [_read(certificate, entry, _check_of(certificate, at)) for entry in _entries(certificate)]
            _follows(certificate, at, tables, deadline, seen)
        else:
            assert claim is not None, "it was compared with the rules"
            entry, *others = _entries(certificate)
            if others:
                raise Refused("a claim rests on one table of positions", certificate.place(COUNTED))
            table = _read(certificate, entry, _claim_of(certificate, claim, source))
            tables = [table]
            if claim.kind == LEADS:
                closed = _closed(table, lambda *_: None, deadline, seen)
                recheck_leads.check(certificate, claim, source, table.counted, table.points, closed, deadline)
                seen.steps = closed.steps
            else:
                _closed(table, _no_stray(claim, source, table.counted), deadline, seen)
    except (Unsupported, TooMany) as error:
        raise NotKnown(str(error)) from None
    except NO_POSITION:
        raise Refused("not all that is listed are positions of the rules", certificate.place(COUNTED)) from None
    whole = [table for table in tables if table.counted.rule is None]  # of a rule alone there are no plays
    for table in whole:
        _play(table, min(seconds * _TO_PLAY / len(whole), _MOST_TO_PLAY), seen)
    return seen


# ------------------------------------------------------------------------------------------------ reading


def _entries(certificate: Certificate) -> list[dict[str, Any]]:
    listed: list[Any] = get(certificate.source, certificate.head, COUNTED, list)
    names = [x.get("file") if isinstance(x, dict) else None for x in listed]
    more = recheck_leads.tables_of(certificate)
    if not names or sorted([*map(str, names), *more]) != sorted({a.path.name for a in certificate.tables}):
        raise Refused("`counted` should say of each file with positions what it is", certificate.place(COUNTED))
    return listed


def _read(certificate: Certificate, entry: dict[str, Any], make: Callable[[dict[str, Any]], Counted]) -> _Table:
    for key, kind in (("positions", int), ("coarse", bool), ("keeps", list), ("counts", list), ("alike", list)):
        if not isinstance(entry.get(key), kind):
            raise Refused(f"`{key}` is missing, or not what it should be", certificate.place(COUNTED))
    if not all(isinstance(x, str) for key in ("keeps", "counts", "alike") for x in entry[key]):
        raise Refused("`keeps`, `counts` and `alike` should list texts", certificate.place("keeps"))
    if not (entry.get("rule") is None or isinstance(entry["rule"], str)):
        raise Refused("`rule` should be the name of a rule or null", certificate.place("rule"))
    counted = make(entry)
    unknown = sorted(counted.counting.tracked - {v.name for v in counted.counting.game.state})
    if unknown:
        raise Refused(f"the rules have no variable `{unknown[0][:60]}`", certificate.place("keeps"))
    said = counted.listed(entry["file"], entry["positions"])
    for key in ("coarse", "counts", "alike"):
        if said[key] != entry[key]:
            message = f"at this abstraction `{key}` comes to something else"
            raise Refused(message, certificate.place(key), code=DOES_NOT_FOLLOW)
    (file,) = (a for a in certificate.tables if a.path.name == entry["file"])
    points = _points(counted, file)
    if len(points) != entry["positions"]:
        message = f"{len(points)} positions are listed, and not {entry['positions']}"
        raise Refused(message, certificate.place("positions"))
    return _Table(counted, points, certificate.place("file", entry["file"]))


def _points(counted: Counted, file: Asked) -> dict[Point, Span]:
    points: dict[Point, Span] = {}
    nothing = [n is None for n in counted.counting.start().counts]
    for row in Positions(counted.counting).read(Source(str(file.path), file.text)):
        if [n is None for n in row.point.counts] != nothing:
            raise Refused("the zones whose sizes are told are not those that are counted", row.span)
        if row.more or row.point in points:
            raise Refused("this position is there already" if not row.more else "no such column belongs here", row.span)
        points[row.point] = row.span
    return points


def _claim_of(certificate: Certificate, claim: ir.Property, source: model.Model) -> Callable[[dict[str, Any]], Counted]:
    def make(entry: dict[str, Any]) -> Counted:
        if entry.get("rule") is not None:
            raise Refused("a claim is about the whole game", certificate.place("rule"))
        return of_claim(claim, source, certificate.players, entry["coarse"], frozenset(entry["keeps"]))

    return make


def _check_of(certificate: Certificate, at: AtPlayers) -> Callable[[dict[str, Any]], Counted]:
    if certificate.about not in (*OBLIGATIONS, DEAD_ENDS):
        raise Refused("no such check is proved by positions", certificate.place("property"))

    def make(entry: dict[str, Any]) -> Counted:
        rule = entry.get("rule")
        if rule is not None and rule not in at.source.rules:
            raise Refused(f"no rule is named `{rule[:60]}`", certificate.place("rule"))
        return of_check(at, rule, frozenset(entry["keeps"]), frozenset(entry["counts"]))

    return make


# ----------------------------------------------------------------------------------------------- following


def _closed(table: _Table, look: Look, deadline: float, seen: Seen) -> Closed:
    """That play stays among the positions of a table, and nothing is wrong with any."""
    counted = table.counted
    closed = Closed(counted.counting, table.points, counted.canonical, deadline)
    try:
        closed.check(counted.starts, table.points, counted.images, look)
    except Open as error:
        span = table.at if error.listed is None else table.points[error.listed]
        raise Refused(error.message, span, code=DOES_NOT_FOLLOW) from None
    seen.positions += len(table.points)
    seen.steps += closed.steps
    seen.is_all = seen.is_all and (counted.images is None or counted.images.is_all)
    return closed


def _no_stray(claim: ir.Property, source: model.Model, counted: Counted) -> Look:
    nodes, stray = counted.counting.game.nodes, is_stray(claim)
    values = values_at(counted.counting, claim, counted.counting.machine, looks_at(claim, source))

    def look(point: Point, _: Following) -> str | None:
        if isinstance(nodes[point.pc], SEEN) and any(map(stray, values(point))):
            return "here the claim may fail, as far as this position tells"
        return None

    return look


def _follows(certificate: Certificate, at: AtPlayers, tables: list[_Table], deadline: float, seen: Seen) -> None:
    """That a free check follows from all that can be done, and may fail, at the positions of some tables."""
    searches: list[Search] = []
    for table in tables:
        found, counting = Explored(), table.counted.counting
        assert isinstance(counting, Recording)

        def look(point: Point, following: Following, found: Explored = found, nodes: Any = counting.game.nodes) -> None:
            found.points[point] = None
            if isinstance(nodes[point.pc], ir.Decide):
                _note(found, point, following)

        _closed(table, look, deadline, seen)
        searches.append(at.search_of(counting, found, table.counted.rule))
    assert certificate.about is not None
    left = what_is_open(at, certificate.about, searches)
    if left is not None:
        message = f"it does not follow from the positions: {left}"
        raise Refused(message, certificate.place(COUNTED), code=DOES_NOT_FOLLOW)


def _note(found: Explored, point: Point, following: Following) -> None:
    """Takes down whether something can be done at a decision."""
    choices = [label for label, _ in following if label is not None and label.kind == "action"]
    if not choices:
        found.dead_ends.append(point)
    elif not any(label.must for label in choices):
        found.doubtful_ends.append(point)


def _play(table: _Table, seconds: float, seen: Seen) -> None:
    """That real plays stay among the positions of a table."""
    listed = Listed(table.counted, table.points)
    stray = listed.play(seconds)
    seen.stops += listed.stops
    if stray is not None:
        raise Refused(f"a real play leaves these positions: {stray}", table.at, code=DOES_NOT_FOLLOW)

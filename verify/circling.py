"""What a certificate says of why play ends, and whether that follows: the part of it that is about graphs.

Between two stops the rules take only so many steps. So play without an end goes round among stops, in the end only on
ways that it takes again and again. A certificate takes such ways away, in an order: first what no play does at all,
then level by level the ways on which a rank rises that no way of the circle lowers and that has a limit. Each question
says one of these things of one way. What is looked at here is that no way was forgotten, that each question asks what
its level needs, and that nothing is left that goes round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from dsl.graphs import circles

TAKEN: Final = "way!taken"
"""The name of the condition under which play goes a way."""

Way: TypeAlias = tuple[int, int]
"""The numbers of the stops between which a way is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one question says.

    At level 0: that a way is never taken, or, without `to`, that a stop is never come to. At the others: that no rank
    of the level falls on the way, and that each of `limited` is within its limit where it rises; where `rises` says
    so, that one of them is sure to rise. What was limited on this way at a level before is taken not to rise.
    """

    whence: int
    to: int | None
    level: int
    limited: tuple[int, ...] = ()
    rises: bool = False

    @property
    def way(self) -> Way | None:
        return None if self.to is None else (self.whence, self.to)


class Gap(Exception):
    """Why it does not follow that play ends; `asked` is what is wrong, None if something is missing."""

    def __init__(self, message: str, asked: Asked | None = None) -> None:
        super().__init__(message)
        self.message, self.asked = message, asked


def names(rank: int) -> tuple[str, str, str]:
    """What a question calls it that a rank rises, that it falls, and that it is past its limit."""
    return f"rank{rank}!rises", f"rank{rank}!falls", f"rank{rank}!beyond"


def ranks_of(asked: Asked, levels: Sequence[Sequence[int]], before: Iterable[int]) -> list[int]:
    """The ranks that a question speaks of; `before` was limited on the way at levels before."""
    here = levels[asked.level - 1] if asked.level else ()
    return sorted({*before, *here})


def ending(asked: Asked, levels: Sequence[Sequence[int]], before: Iterable[int]) -> str:
    """The last lines of a question: what no values satisfy. The lines before say what the names mean."""
    lines = [] if asked.to is None else [f"(assert {TAKEN})"]
    if asked.level:
        lines += [f"(assert (not {names(m)[0]}))" for m in sorted(set(before))]
        wrong = [names(m)[1] for m in levels[asked.level - 1]]
        wrong += [f"(and {rises} {beyond})" for rises, _, beyond in map(names, asked.limited)]
        if asked.rises:
            wrong.append(f"(not (or false {' '.join(names(m)[0] for m in asked.limited)}))")
        lines.append(f"(assert (or false {' '.join(wrong)}))")
    return "\n".join([*lines, "(check-sat)", ""])


def before(asked: Sequence[Asked], this: Asked) -> list[int]:
    """What was limited on the way of a question at the levels before its own."""
    return sorted({m for a in asked if a.way == this.way and 0 < a.level < this.level for m in a.limited})


def check(ways: Iterable[Way], levels: Sequence[Sequence[int]], asked: Sequence[Asked]) -> None:
    """Whether nothing goes round for ever, if all that is asked is so. `ways` are all ways between stops.

    Raises:
        Gap: It does not follow.
    """
    left = set(ways)
    known = {w[0] for w in left} | {w[1] for w in left}
    said: dict[tuple[int, int | None, int], Asked] = {}
    for a in asked:
        if (a.way is not None and a.way not in left) or a.whence not in known:
            raise Gap("no such way leads from stop to stop", a)
        if not 0 <= a.level <= len(levels):
            raise Gap("no such level is listed", a)
        if not set(a.limited) <= set(levels[a.level - 1] if a.level else ()) or (a.rises and not a.limited):
            raise Gap("only what is a rank of the level can rise", a)
        if a.to is None and a.level:
            raise Gap("at a level, ways are spoken of and not stops", a)
        if (a.whence, a.to, a.level) in said:
            raise Gap("this is said already", a)
        said[a.whence, a.to, a.level] = a
    never = {a.whence for a in asked if a.to is None}
    left -= {a.way for a in asked if a.way is not None and a.level == 0}
    left = {w for w in left if not never & set(w)}
    for level in range(1, len(levels) + 1):
        left = _below(level, left, {a.way: a for a in asked if a.level == level and a.way is not None})
    for part in _circles(left):
        raise Gap(f"play may go round {_stops(part)} for ever, as far as this tells")


def _below(level: int, left: set[Way], asked: dict[Way, Asked]) -> set[Way]:
    """The ways that are left after a level."""
    stops = {stop for way in asked for stop in way}
    if stops not in _circles(left):
        raise Gap(f"the stops of level {level}, {_stops(stops)}, are not all that go round together")
    inside = {(a, b) for a, b in left if a in stops and b in stops}
    for way, a in asked.items():
        if way not in inside:
            raise Gap("this way is gone at a level before", a)
    missing = inside - asked.keys()
    if missing:
        whence, to = min(missing)
        raise Gap(f"nothing is said at level {level} of the way from stop {whence} to stop {to}")
    return left - {way for way, a in asked.items() if a.rises}


def _circles(ways: set[Way]) -> list[set[int]]:
    following: dict[int, list[int]] = {}
    for a, b in sorted(ways):
        following.setdefault(a, []).append(b)
        following.setdefault(b, [])
    return [set(part) for part in circles(following, lambda stop: following[stop])]


def _stops(stops: set[int]) -> str:
    return ("stop " if len(stops) == 1 else "stops ") + ", ".join(map(str, sorted(stops)))

"""Whether listed positions are closed: play begins among them, and every step from one of them leads to one of them.

That does not ask how they were found. Steps are taken one by one, so that what lies between two listed positions is
looked at, too; and of positions that are alike, of which one is listed, every one takes its own steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, TypeAlias

from dsl import ir
from dsl.graphs import circles
from verify.counting import CountMachine
from verify.explore import nothing_to_collect
from verify.images import Images
from verify.outcome import OUT_OF_TIME
from verify.points import Label, Point, Unsupported
from verify.symmetry import Canonical

_MOST_BETWEEN = 20_000  # positions between two listed ones
# What lies between two listed positions has no stop of play.
_STOPS = (ir.Decide, ir.Collect, ir.Shuffle, ir.Cut, ir.Random, ir.Finish)
SEEN: Final = (*_STOPS, ir.Mark)
"""Where a claim may look: where play stops, and where rules end."""
NO_POSITION = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError)
"""What comes of steps from values that no play has."""

Following: TypeAlias = list[tuple[Label | None, Point]]
Look: TypeAlias = Callable[[Point, Following], str | None]
"""Is shown each position, as it is numbered there, with its successors; says what is wrong with it, if anything is."""


class Open(Exception):
    """Why listed positions do not show it; `listed` is the one where that was seen, None where play begins."""

    def __init__(self, listed: Point | None, message: str) -> None:
        super().__init__(message)
        self.listed, self.message = listed, message


class NotKnown(Exception):
    """It could not be found out; the message says why."""


class Closed:
    """Listed positions of an abstraction. `canonical` picks, of positions that are alike, the one that is listed."""

    def __init__(
        self, counting: CountMachine, listed: Collection[Point], canonical: Canonical | None, deadline: float
    ) -> None:
        self._counting, self._listed, self._deadline = counting, listed, deadline
        self._canonical: Canonical = canonical or (lambda point: point)
        self._nodes = counting.game.nodes
        self._where = {p.pc for p in listed}
        self.steps = 0

    def is_listed(self, point: Point) -> bool:
        """Whether this position is listed, or the one that is picked of those that are like it."""
        return point.pc in self._where and (point in self._listed or self._canonical(point) in self._listed)

    def check(self, starts: Iterable[Point], points: Iterable[Point], images: Images | None, look: Look) -> None:
        """Looks at every step from the starts and from all that is listed.

        Raises:
            Open: A step leads to what is not listed, or something is wrong with a position.
            NotKnown: The time ran out, or the rules have a step that cannot be followed.
        """
        with nothing_to_collect():
            for start in starts:
                self.landed(start, None, look)
            for point in points:
                for image in (point,) if images is None else images.of(point):
                    if image is point or self.is_listed(image):
                        following = self._following(image, point)
                        self._look(image, following, point, look)
                        for _, after in following:
                            self.landed(after, point, look)

    def edges(self, point: Point, listed: Point) -> Iterator[tuple[Label | None, Point, frozenset[int] | None]]:
        """The ways from a position to those that are listed and come next, which pass no end of a rule unlisted.

        Each with the nodes that it passes; None where steps part on the way.

        Raises:
            Open: There is something else that comes next, or a way that goes round.
        """
        for label, after in self._following(point, listed):
            found, between = self._spread(after, listed, None, True)
            is_one = all(len(following) == 1 for following in between.values())
            passed = frozenset((point.pc, *(at.pc for at in between))) if is_one else None
            for end in found:
                yield label, end, passed

    def landed(self, point: Point, listed: Point | None, look: Look | None = None) -> list[Point]:
        """The positions, as they are numbered there, that are listed and that come next, this one included."""
        return self._spread(point, listed, look, False)[0]

    def _spread(
        self, point: Point, listed: Point | None, look: Look | None, is_strict: bool
    ) -> tuple[list[Point], dict[Point, list[Point]]]:
        """What is listed and comes next, and what lies between, each with its successors."""
        found: list[Point] = []
        between: dict[Point, list[Point]] = {}
        waiting, seen, meets = [point], {point}, False
        while waiting:
            at = waiting.pop()
            node = self._nodes[at.pc]
            if self.is_listed(at):
                found.append(at)
                continue
            if isinstance(node, _STOPS) or (is_strict and isinstance(node, ir.Mark) and not node.begins):
                whence = "play begins" if listed is None else "a step leads"
                raise Open(listed, f"{whence} to a position at {at.pc} that is not listed")
            following = self._following(at, listed)
            between[at] = [after for _, after in following]
            if look is not None:
                self._look(at, following, listed, look)
            for after in between[at]:
                if after in seen:
                    meets = True
                else:
                    seen.add(after)
                    waiting.append(after)
            if len(seen) > _MOST_BETWEEN:
                raise Open(listed, f"too many positions come between this and what is listed next, such as at {at.pc}")
        if is_strict and meets and any(circles(between, lambda at: [x for x in between[at] if x in between])):
            raise Open(listed, "from here it may go round and come to nothing that is listed")
        return found, between

    @staticmethod
    def _look(point: Point, following: Following, listed: Point | None, look: Look) -> None:
        try:
            wrong = look(point, following)
        except NO_POSITION:
            wrong = "this is no position of the rules"
        if wrong is not None:
            raise Open(listed, wrong)

    def _following(self, point: Point, listed: Point | None) -> Following:
        self.steps += 1
        if self.steps % 64 == 0 and time.monotonic() > self._deadline:
            raise NotKnown(OUT_OF_TIME)
        try:
            return self._counting.successors(point)
        except Unsupported as error:
            raise NotKnown(str(error)) from None
        except NO_POSITION:
            raise Open(listed, "this is no position of the rules") from None

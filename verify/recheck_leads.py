"""Certificates of what leads to what, read again: whether it still comes from wherever it has not come yet.

Each position that waits has a rank. Where what comes first may hold, it has come or is awaited; each way on from where
it is awaited leads to a lower rank, or to where it has come; and nowhere there does play end. Ways may keep to their
rank where, on all that go round so, a number moves towards its limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsl import ir, model
from dsl.source import Source, Span
from verify.checks_graph import Edge, ranked
from verify.closed import Closed, Open
from verify.counted import Counted
from verify.explore import Explored
from verify.leading_counts import At, Ways, looking_at_now
from verify.places import looks_at
from verify.points import Point
from verify.positions import Positions
from verify.recheck import Certificate, get
from verify.recheck_ends import is_number
from verify.refused import DOES_NOT_FOLLOW, Refused
from verify.taken import case_text
from verify.waiting import read_ranks
from verify.wanted import AWAITED


def tables_of(certificate: Certificate) -> list[str]:
    """The files that list what is awaited. Raises `Refused` where it is not said which."""
    if AWAITED not in certificate.head:
        return []
    said = get(certificate.source, certificate.head, AWAITED, dict)
    cases = said.get("cases")
    is_known = "steps" in said and (said["steps"] is None or is_number(said["steps"]))
    if not is_known or not isinstance(cases, list) or not all(map(_is_case, cases)):
        raise Refused("`awaited` should say how many `steps` it takes, and of what `cases`", certificate.place(AWAITED))
    return [case["file"] for case in cases]


def _is_case(case: Any) -> bool:
    texts = isinstance(case, dict) and all(isinstance(case.get(key), str) for key in ("file", "of"))
    return texts and is_number(case.get("positions"))


def check(
    certificate: Certificate,
    claim: ir.Property,
    source: model.Model,
    counted: Counted,
    points: Mapping[Point, Span],
    closed: Closed,
    deadline: float,
) -> None:
    """Looks at each case of a claim, whose positions are known to be closed.

    Raises:
        Refused: It is damaged, or it does not follow that it comes.
        NotKnown: The time ran out.
    """
    explored = Explored(points=dict.fromkeys(points))
    now, where = looking_at_now(claim), looks_at(claim, source)
    ways = Ways(now, where, counted.counting, explored, counted.canonical, deadline)
    listed = tables_of(certificate)
    head = certificate.head.get(AWAITED, {"steps": 0, "cases": []})
    steps: int | None = 0
    number = 0
    for number, case in enumerate(ways.cases(), 1):
        name = case_text(claim, counted.counting.machine, case)
        if number > len(listed) or head["cases"][number - 1]["of"] != name:
            of = f" of {name}" if name else ""
            raise Refused(f"nothing is said{of}", certificate.place(AWAITED), code=DOES_NOT_FOLLOW)
        (file,) = (a for a in certificate.tables if a.path.name == listed[number - 1])
        ranks = read_ranks(Source(str(file.path), file.text), Positions(counted.counting))
        if len(ranks) != head["cases"][number - 1]["positions"]:
            raise Refused(f"{len(ranks)} positions are listed", certificate.place("file", file.path.name))
        most = _Case(ways, counted, closed, points, ranks).check()
        steps = None if steps is None or most is None else max(steps, most)
    if number < len(listed):
        raise Refused("the claim has fewer cases", certificate.place(AWAITED))
    wanted = [x for x in (head["steps"], claim.within) if x is not None]
    if wanted and (steps is None or steps > min(wanted)):
        told = "any number of" if steps is None else str(steps)
        message = f"as far as these ranks tell, it may take {told} steps"
        raise Refused(message, certificate.place("steps"), code=DOES_NOT_FOLLOW)


class _Case:
    """One case of a claim, with the ranks of where it is awaited."""

    def __init__(
        self, ways: Ways, counted: Counted, closed: Closed, points: Mapping[Point, Span],
        ranks: Mapping[At, tuple[int, Span]],
    ) -> None:  # fmt: skip
        self._ways, self._counted, self._closed = ways, counted, closed
        self._points, self._ranks = points, ranks
        self._longest: dict[At, int] = {}
        self._level: list[Edge] = []  # ways that keep to their rank
        self._falls = True  # on every way

    def check(self) -> int | None:
        """The most steps that it takes, None if not known. Raises `Refused` where it does not follow that it comes."""
        for at, (_, span) in self._ranks.items():
            if at[0] not in self._points:
                raise Refused("play does not come to this position", span, code=DOES_NOT_FOLLOW)
        # From low ranks to high ones: what comes next is known before.
        for at in sorted(self._ranks, key=lambda at: self._ranks[at][0]):
            self._longest[at] = self._on(at)
        begun = max((self._begun(point) for point in self._points), default=0)
        left = ranked(self._counted.counting.machine, self._level, [])
        if left:
            message = "play may go round from here, as far as its rank and numbers with a limit tell"
            span = next(span for at, (_, span) in self._ranks.items() if at[0] == left[0].start)
            raise Refused(message, span, code=DOES_NOT_FOLLOW)
        return begun if self._falls else None

    def _begun(self, point: Point) -> int:
        """The most steps from a position, if what comes first may hold there."""
        most = 0
        for image in self._images(point):
            for start in self._ways.starts_at(image):
                if not self._ways.came(start, is_first=True):
                    known = self._known(start)
                    if known is None:
                        message = "what comes first may hold here, and it is not said to be awaited"
                        raise Refused(message, self._points[point], code=DOES_NOT_FOLLOW)
                    most = max(most, self._longest[known])
        return most

    def _on(self, at: At) -> int:
        """The most steps from where it is awaited."""
        rank, span = self._ranks[at]
        most = 0
        try:
            for image in self._images(at[0]):
                most = max(most, self._on_from((image, at[1]), at, rank))
        except Open as error:
            raise Refused(error.message, span, code=DOES_NOT_FOLLOW) from None
        return most

    def _on_from(self, here: At, at: At, rank: int) -> int:
        """The most steps from a position that is like one where it is awaited. Raises `Open`."""
        most, edges = 0, list(self._closed.edges(here[0], at[0]))
        if not edges and not any(self._ways.following(here, ())) and (why := self._ways.why_stuck(here)):
            raise Open(at[0], why)
        ways = [(way, passed) for label, end, passed in edges for way in self._ways.following(here, [(label, end)])]
        ways += [(way, frozenset()) for way in self._ways.following(here, ())]
        for (steps, _, after), passed in ways:
            if self._ways.came(after):
                most = max(most, steps)
                continue
            known = self._known(after)
            if known is None:
                raise Open(at[0], f"a step leads to a position at {after[0].pc} where it has not come")
            if self._ranks[known][0] < rank:
                most = max(most, steps + self._longest[known])
            elif self._ranks[known][0] > rank:
                raise Open(at[0], "a step leads to a higher rank")
            elif passed is None:
                raise Open(at[0], "a step leads to the same rank in several ways")
            else:
                self._falls = False
                if after[0] != here[0] or here[1] <= after[1]:  # that the time is up leads nowhere else
                    self._level.append(Edge(at[0], known[0], passed))
        return most

    def _images(self, point: Point) -> list[Point]:
        images = self._counted.images
        return [point] if images is None else [x for x in images.of(point) if self._closed.is_listed(x)]

    def _known(self, at: At) -> At | None:
        """Where it is listed that it is awaited there, or at the position that is picked of those that are like it."""
        if at in self._ranks:
            return at
        canonical = self._counted.canonical
        picked = at if canonical is None else (canonical(at[0]), at[1])
        return picked if picked in self._ranks else None

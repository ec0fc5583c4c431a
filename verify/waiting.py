"""What leads to what, as tables: where it has not come yet, each position with a number that falls on the ways on.

Where it stays the same on a way that leads round, something else moves towards its limit there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dsl import ir
from dsl.source import Source, Span
from verify.counted import MOST
from verify.counting import CountMachine
from verify.folded import Unsupported
from verify.leading_counts import At, Ways
from verify.positions import Positions
from verify.refused import Refused
from verify.taken import case_text

RANK: Final = "rank"
MIDWAY: Final = "rank when time is up"
"""The columns: at a stop, and where the clock has brought play there in the middle of a step."""
_NONE: Final = "-"
_MOST_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Waiting:
    """One case of a claim: what its table is called, what the case is in words, and the ranks."""

    file: str
    case: str
    ranks: Mapping[At, int]

    @property
    def says(self) -> str:
        """What the table says."""
        of = f" Of {self.case}." if self.case else ""
        return f"From these positions it still comes: no way on leads to a higher rank.{of}"

    def text(self, positions: Positions) -> str:
        """The table."""
        points = list(dict.fromkeys(point for point, _ in self.ranks))
        columns = {RANK: False} | ({MIDWAY: True} if any(midway for _, midway in self.ranks) else {})
        said = {
            name: {p: str(self.ranks[p, midway]) if (p, midway) in self.ranks else _NONE for p in points}
            for name, midway in columns.items()
        }
        return positions.write(points, said)


def awaited_in(ways: Ways, claim: ir.Property, counting: CountMachine) -> list[Waiting]:
    """Each case of a claim that holds. Raises `Unsupported` where that comes to too much."""
    out: list[Waiting] = []
    for number, case in enumerate(ways.cases(), 1):
        ranks = ways.ranks()
        assert ranks is not None, "the claim holds"
        out.append(Waiting(f"waiting-{number}.txt", case_text(claim, counting.machine, case), ranks))
        if sum(len(w.ranks) for w in out) > MOST:
            raise Unsupported(f"it rests on more than {MOST} positions, which are too many to write down")
    return out


def read_ranks(source: Source, positions: Positions) -> dict[At, tuple[int, Span]]:
    """A table, read again, each rank with its line. Raises `Refused` where it is damaged."""
    out: dict[At, tuple[int, Span]] = {}
    for row in positions.read(source):
        if not set(row.more) <= {RANK, MIDWAY}:
            raise Refused("no such column belongs here", row.span)
        for name, midway in ((RANK, False), (MIDWAY, True)):
            text = row.more.get(name, _NONE)
            if text == _NONE:
                continue
            if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
                raise Refused(f"`{text[:60]}` is no rank", row.span)
            if (row.point, midway) in out:
                raise Refused("this position is there already", row.span)
            out[row.point, midway] = int(text), row.span
    return out

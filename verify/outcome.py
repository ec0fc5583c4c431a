"""Verdicts, and what stands behind each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from interpreter.trace import Trace

OUT_OF_TIME: Final = "out of time"
"""The reason where more time might help."""

EVERY: Final = 0
"""Stands where a number of players stands, for all numbers at once."""

SUMS: Final = "sums"
SEATS: Final = "seats"
"""The engines that prove for all numbers at once: of any position, and of a rule."""


class Verdict(Enum):
    """How sure an answer is.

    `PROVED` holds for every deal, choice, timing and length. `WITNESSED` and `REFUTED` rest on a trace that was
    replayed. `HOLDS_TO_DEPTH` is no proof. `VACUOUS` holds because nothing reaches it.
    """

    PROVED = "proved"
    HOLDS_TO_DEPTH = "holds_to_depth"
    WITNESSED = "witnessed"
    REFUTED = "refuted"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"


# Where answers differ by number of players, the table shows each and the whole is the least certain one.
_LEAST_SURE = (
    Verdict.UNKNOWN, Verdict.HOLDS_TO_DEPTH, Verdict.REFUTED, Verdict.VACUOUS, Verdict.WITNESSED, Verdict.PROVED,
)  # fmt: skip


_ENDS: Final = ("min", "max")


@dataclass(frozen=True, slots=True)
class Shown:
    """A value that an answer tells of, with what has it, so that whoever reads the answer can look.

    `name` is `min` or `max` for the end of a bound, else the value in words; of two positions that nobody should tell
    apart, that it is the other one. `case` says of which values of the claim's
    own variables it is, in words ("p = seat 1"); empty where there are none. `trace` is a play that was replayed, whose
    last step leads to it; None where the claim is about no position.
    """

    name: str
    value: Any
    case: str = ""
    trace: Trace | None = None

    @property
    def words(self) -> str:
        """The value and what it is of: "max 40 with p = seat 1"."""
        value = f"{self.name} {self.value}" if self.name in _ENDS else self.name
        return f"{value} with {self.case}" if self.case else value


@dataclass(frozen=True, slots=True)
class Answer:
    """One question answered for one number of players.

    `engine` says how, `because` why not more: the limit met, or what an inexact abstraction could not see. `trace`
    is a playthrough that shows it, `at` how many of its steps lead there. `value` is what was computed, `shown` what
    has the values that a bound or a list of values tells of.
    """

    verdict: Verdict
    engine: str
    seconds: float = 0.0
    because: str = ""
    value: Any = None
    trace: Trace | None = None
    at: int | None = None
    certificate: str | None = None
    shown: tuple[Shown, ...] = ()

    @property
    def traces(self) -> dict[str, Trace]:
        """Every play that it rests on: `trace` by no name, others by the name of the value that they show."""
        own = {} if self.trace is None else {"": self.trace}
        return own | {s.name: s.trace for s in self.shown if s.trace is not None}


def rather(first: Answer, second: Answer) -> Answer:
    """The second answer where it is one, else both reasons."""
    if second.verdict is not Verdict.UNKNOWN or not first.because:
        return second
    return replace(second, engine=f"{first.engine}, {second.engine}", because=f"{first.because}; {second.because}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with its answers by number of players.

    `expected` are the verdicts that are as they should be, `apart` those of numbers of players with others. `at_once`
    is an answer by one proof for many numbers of players, where there is one: its value says from where "to" where.
    """

    name: str
    kind: str  # claim, free
    statement: str
    cites: tuple[str, ...]
    expected: frozenset[Verdict]
    by_players: dict[int, Answer]
    apart: Mapping[int, frozenset[Verdict]] = field(default_factory=dict)
    at_once: Answer | None = None

    def expected_of(self, num_players: int) -> frozenset[Verdict]:
        """The verdicts that are as they should be for a number of players."""
        return self.apart.get(num_players, self.expected)

    @property
    def verdict(self) -> Verdict:
        """The answer as a whole."""
        found = [a.verdict for a in self.by_players.values()]
        return next((v for v in _LEAST_SURE if v in found), Verdict.UNKNOWN)

    @property
    def seconds(self) -> float:
        return sum(a.seconds for a in self.by_players.values())

    @property
    def is_open(self) -> bool:
        """Whether some answer is not known, or only to a depth."""
        return any(a.verdict in (Verdict.UNKNOWN, Verdict.HOLDS_TO_DEPTH) for a in self.by_players.values())

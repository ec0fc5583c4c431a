"""Examples: small situations with what must come of them, typed against the game at their own options."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from dsl import ir, model
from dsl.source import Span

Faces: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Is:
    """An expression has a value; for cards, these faces in any order."""

    text: str
    expr: ir.Expr
    expected: ir.Expr | Faces


@dataclass(frozen=True, slots=True)
class Means:
    """A call as it is spoken names this combination."""

    spoken: str
    expected: ir.Expr


@dataclass(frozen=True, slots=True)
class Allowed:
    """An action may be chosen now; or may not, and these clauses stand behind the refusal (any, where none is given).

    `by` is the seat (from 0) that would choose it, None for whoever's turn it is.
    """

    action: str
    allowed: bool
    because: tuple[str, ...] = ()
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Legal:
    """Exactly these actions may be chosen now."""

    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ends:
    """The game, or the rule that was run, has come to an end called so."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wins:
    """These seats (from 0) and no others have won, as the result reads the position."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """Each seat has scored this, as the result reads the position."""

    values: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Logs:
    """The public log says this somewhere, or nowhere."""

    text: str
    said: bool = True


Check: TypeAlias = Is | Means | Allowed | Legal | Ends | Wins | Scores | Logs


@dataclass(frozen=True, slots=True)
class Play:
    """An action by name; `seat` (from 0) where the example says whose it must be, after so many milliseconds."""

    action: str
    seat: int | None
    span: Span
    elapsed_ms: int = 0


@dataclass(frozen=True, slots=True)
class Example:
    """One example. `entry` is the rule that is run or that holds the decision `at`; None only evaluates."""

    title: str
    cites: tuple[str, ...]
    vectors: tuple[str, ...]
    players: int
    options: tuple[tuple[str, str], ...]
    entry: str | None
    at: str | None
    locals: tuple[tuple[str, ir.Expr], ...]
    state: tuple[tuple[ir.Var, ir.Expr], ...]
    zones: tuple[tuple[ir.ZoneExpr, Faces], ...]
    rest: ir.ZoneExpr | None
    time_left: Fraction | None
    random: tuple[ir.Expr, ...]
    plays: tuple[Play, ...]
    before_shuffle: int | None
    checks: tuple[Check, ...]
    model: model.Model = field(repr=False, compare=False)
    span: Span = field(repr=False, compare=False)

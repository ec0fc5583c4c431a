"""The typed model: a rule file with its names bound, its types known and its variants and readings laid together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from dsl import ir
from dsl.source import Span
from dsl.symbols import Symbols
from dsl.yamltree import Mapping, Sequence

# A simple statement is its node of the IR with the way onward still open.
Simple: TypeAlias = (
    ir.Assign | ir.Random | ir.Deal | ir.Move | ir.Gather | ir.Shuffle | ir.Cut | ir.Reveal | ir.Announce
)


@dataclass(frozen=True, slots=True)
class If:
    condition: ir.Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class Repeat:
    """For ever, or until a condition holds before a round of it."""

    until: ir.Expr | None
    body: tuple[Stmt, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class Times:
    """So many times; `counter` is the hidden variable that counts down."""

    counter: ir.Var
    times: ir.Expr
    body: tuple[Stmt, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class ForPlayers:
    """Once round the table from `first`, skipping who does not meet `where` when their turn comes."""

    player: ir.Var
    first: ir.Var
    start: ir.Expr
    where: ir.Expr | None
    body: tuple[Stmt, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class ForValues:
    """Once for each value of a finite sort, in order."""

    variable: ir.Var
    low: int
    high: int
    where: ir.Expr | None
    body: tuple[Stmt, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class Going:
    """Round and round the table, until the rule is left or nobody meets the condition."""

    player: ir.Var
    seat: ir.Var
    found: ir.Var
    start: ir.Expr
    following: ir.Expr
    body: tuple[Stmt, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class Follow:
    """Another rule is followed; its parameters are assigned first."""

    rule: str
    arguments: tuple[ir.Expr, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class End:
    rule: str
    reason: str | None
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    parameters: tuple[ir.Param, ...]
    guards: tuple[ir.Guard, ...]
    cites: tuple[str, ...]
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Choose:
    player: ir.Expr
    name: str
    actions: tuple[Action, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class AtOnce:
    binder: ir.Binder
    player: ir.Var
    name: str
    actions: tuple[Action, ...]
    origin: ir.Origin


@dataclass(frozen=True, slots=True)
class Window:
    """Anyone may step in: each is offered the actions, or to pass; the first who acts closes the window."""

    player: ir.Var
    first: ir.Var
    start: ir.Expr
    where: ir.Expr | None
    name: str
    actions: tuple[Action, ...]
    origin: ir.Origin


Stmt: TypeAlias = (
    Simple | If | Repeat | Times | ForPlayers | ForValues | Going | Follow | End | Choose | AtOnce | Window
)


def statements(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """The statements of a body, with all that stand inside them."""
    for statement in body:
        yield statement
        match statement:
            case If(_, then, otherwise, _):
                yield from statements(then + otherwise)
            case Repeat() | Times() | ForPlayers() | ForValues() | Going():
                yield from statements(statement.body)
            case Choose() | AtOnce() | Window():
                for action in statement.actions:
                    yield from statements(action.body)
            case _:
                pass


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    parameters: tuple[ir.Var, ...]
    body: tuple[Stmt, ...]
    cites: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ClockEvent:
    name: str
    at: int  # milliseconds left
    rule: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clock:
    start: int  # milliseconds
    events: tuple[ClockEvent, ...]
    think: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take an unclear rule; `changes` are laid over the file when it is chosen."""

    name: str
    means: str
    changes: Mapping | None


@dataclass(frozen=True, slots=True)
class Option:
    """An unclear rule with its readings. `pinned` is set by a variant that has decided it."""

    name: str
    question: str
    readings: tuple[Reading, ...]
    default: str
    cites: tuple[str, ...]
    span: Span
    pinned: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(r.name for r in self.readings)


@dataclass(frozen=True, slots=True)
class Ruling:
    """An unclear rule that is read one way only, with the reason."""

    name: str
    reading: str
    why: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a file expects of a check that needs no claim: that it holds or fails, as the rulebook really is so.

    It speaks of games of `players` (from, to) with these `options`, readings by the name of their option.
    """

    name: str
    holds: bool
    players: tuple[int, int]
    options: tuple[tuple[str, str], ...]
    cites: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is laid out on a screen: groups of zones from top to bottom, and how each is drawn."""

    rows: tuple[tuple[str, ...], ...] = ()
    shapes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """A rule file that was found right, at one choice of options."""

    name: str
    title: str
    about: str
    path: Path
    files: tuple[Path, ...]
    players: tuple[int, int]
    options: tuple[tuple[str, str], ...]
    option_table: tuple[Option, ...]
    rulings: tuple[Ruling, ...]
    deck: ir.Deck
    kinds: tuple[ir.Kind, ...]
    zones: tuple[ir.Zone, ...]
    home: str
    state: tuple[ir.StateVar, ...]
    locals: tuple[ir.StateVar, ...]
    tables: tuple[ir.Table, ...]
    functions: tuple[ir.Function, ...]
    rules: dict[str, Rule] = field(hash=False)
    clock: Clock | None
    result: ir.Result
    properties: tuple[ir.Property, ...]
    expectations: tuple[Expectation, ...]
    layout: Layout
    examples: Sequence | None = field(compare=False, repr=False)
    decisions: dict[str, str] = field(hash=False)  # the rule that each decision stands in
    symbols: Symbols = field(compare=False, repr=False)

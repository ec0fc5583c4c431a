"""The control-flow graph: what play does, step by step, and who resolves each choice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from dsl.ir_expressions import Binder, Expr, Var, ZoneExpr
from dsl.ir_types import Domain, Type
from dsl.source import Span


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a node was written: its span, the rule it belongs to, and the clauses it cites."""

    span: Span | None
    rule: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Assign:
    variable: Var
    value: Expr
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Branch:
    condition: Expr
    yes: int
    no: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Deal:
    """Cards from the top of one zone go one by one onto another. Too few is a fault, unless `up_to`."""

    count: Expr
    up_to: bool
    source: ZoneExpr
    target: ZoneExpr
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Move:
    """A card or some cards go onto a zone, wherever they lie, in the order named. None of cards moves nothing."""

    cards: Expr
    target: ZoneExpr
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Gather:
    """All cards of the game (or those named) go into one zone."""

    cards: Expr | None
    target: ZoneExpr
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Reveal:
    """Cards are shown to a player, or to everybody; from then on they know them."""

    cards: Expr
    to: Expr | None
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Announce:
    """A sentence for the log."""

    text: str
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Mark:
    """A rule begins or ends here. It does nothing; a claim about the rule looks at the state at this point."""

    rule: str
    begins: bool
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Forget:
    """A rule is left from inside choices made at once: those of the innermost `count` `Collect`s that still wait to
    be carried out are dropped."""

    count: int
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Chance orders a zone anew."""

    zone: ZoneExpr
    by: Expr | None
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Cut:
    """Chance picks a place; the cards above it go below the others."""

    zone: ZoneExpr
    by: Expr | None
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Random:
    """Chance picks a value of the binder, each as likely. No value to pick is a fault."""

    variable: Var
    binder: Binder
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Guard:
    """One condition of an action, with the clauses that stand behind it."""

    condition: Expr
    cites: tuple[str, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of an action: a value of a domain, a card or so many cards of a pile, or any call.

    `variable` is the local state variable that receives it; earlier arguments may be read by later ones.
    """

    name: str
    variable: str
    type: Type
    domain: Domain | Expr | None  # None: every call
    least: int = 1  # how many cards, for type cards
    most: int = 1


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    parameters: tuple[Param, ...]
    guards: tuple[Guard, ...]
    entry: int
    cites: tuple[str, ...]
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Decide:
    """One player chooses one action."""

    player: Expr
    name: str
    actions: tuple[Action, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Collect:
    """Every player of the binder chooses without seeing the others' choices; then each choice is carried out,
    in seat order. An action's entry runs to `Resume`, which carries out the next choice, or goes on at `next`."""

    binder: Binder
    player: Var
    name: str
    actions: tuple[Action, ...]
    next: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class Resume:
    """Back to what was interrupted: the next of the collected choices, or the decision a clock event broke into."""

    origin: Origin


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of the game, and what it is called: "played out" where the rules simply come to their end."""

    reason: str
    origin: Origin


Node: TypeAlias = (
    Assign
    | Branch
    | Deal
    | Move
    | Gather
    | Reveal
    | Announce
    | Mark
    | Forget
    | Shuffle
    | Cut
    | Random
    | Decide
    | Collect
    | Resume
    | Finish
)

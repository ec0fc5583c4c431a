"""A game as a whole: what it declares, its graph, how its end is read, and what its file claims of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from dsl.ir_cards import Deck, Kind
from dsl.ir_expressions import Expr
from dsl.ir_graph import Node
from dsl.ir_types import Domain, Type, Value
from dsl.source import Span

# --------------------------------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True)
class StateVar:
    """A state variable. `starts` None is unset: reading it before it is assigned is a fault.

    `told` says where people are told of it: everywhere, on the table only and not in the log, or nowhere. It hides
    nothing: what a player may know is `seen`.
    """

    name: str
    dims: tuple[Domain, ...]
    type: Type
    starts: Expr | None
    local: bool = False  # a rule's own: parameters, `let`, loops
    seen: str = "everyone"  # everyone, owner (the player that is the first index), nobody
    told: str = "everywhere"  # everywhere, table, nowhere
    cites: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Zone:
    """A place, or a family of places, where cards lie.

    `seen`: who sees every card: everyone, owner (the player that is the first index) or nobody. `shown`: what
    everybody is shown all the same: any of "count", "top" (the top card) and "contents" (which cards, not their
    order). `holds`: the most cards it can hold, None for any number; its indices are locals named `#0`, `#1`.
    """

    name: str
    dims: tuple[Domain, ...]
    seen: str
    shown: frozenset[str]
    holds: Expr | None = None
    cites: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Table:
    """A finite function given row by row. `rows` are parallel to the values of the domain."""

    name: str
    domain: Domain
    type: Type
    rows: tuple[Value, ...]
    cites: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A `define`: pure, never recursive."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    body: Expr
    type: Type
    cites: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Event:
    """What the clock does at `at` milliseconds left: control passes to `entry`, and comes back by `Resume`."""

    name: str
    at: int
    entry: int
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clock:
    """Counts down while players choose. `think` is the range of simulated thinking times, in milliseconds."""

    start: int  # milliseconds
    events: tuple[Event, ...]  # the later on the clock (the greater `at`) first
    think: tuple[int, int]


# -------------------------------------------------------------------------- the end, claims, the game


@dataclass(frozen=True, slots=True)
class Result:
    """How an end is read. `player` is the local that `score`, `wins` and `returns` are evaluated for.

    Several winners are a draw between them where `shared` is False, else they all win.
    """

    player: str
    score: Expr
    wins: Expr
    shared: bool
    returns: Expr | None
    cites: tuple[str, ...] = ()

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """All that is read at the end."""
        return (self.score, self.wins) if self.returns is None else (self.score, self.wins, self.returns)


@dataclass(frozen=True, slots=True)
class Followed:
    """A rule that a claim speaks of, with what its parameters are given: each a constant or an expression of the
    claim's own variables, which are locals of `paired` rules.
    """

    rule: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Property:
    """A claim of the file, typed and kept for the prover.

    `kind` is always, never, possible, impossible, leads to, bound, values, frequencies or same; expressions that a
    file says to be the same are always equal, and `same` is said of two `rules`, and has no expressions. `premise`
    limits the claim to what meets it, `variables` are universally quantified. `scope` is a rule's or a decision's
    name; None is the whole game. `expect` are the expected values, each with what it is called ("min", a kind's
    name). What leads to something has two expressions, what comes first and what comes of it; with `or_end` the end
    of the game will do as well, and `within` is the most steps there may be between.
    A claim about `options` that are not in force has no expressions: it is read where they are.
    """

    name: str
    kind: str
    expressions: tuple[Expr, ...]
    premise: Expr | None
    variables: tuple[tuple[str, Type], ...]
    scope: str | None
    players: tuple[int, int]
    options: tuple[tuple[str, str], ...]
    within: int | None
    expect: tuple[tuple[str, Value], ...]
    cites: tuple[str, ...]
    span: Span | None = field(default=None, compare=False)
    or_end: bool = False
    rules: tuple[Followed, ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """One game at one number of players and one choice of options."""

    name: str
    title: str
    num_players: int
    options: tuple[tuple[str, str], ...]
    deck: Deck
    kinds: tuple[Kind, ...]  # weakest first
    zones: tuple[Zone, ...]
    home: str  # the zone that holds every card at the start
    state: tuple[StateVar, ...]
    tables: tuple[Table, ...]
    functions: tuple[Function, ...]
    clock: Clock | None
    nodes: tuple[Node, ...]
    entry: int
    result: Result

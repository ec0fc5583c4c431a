"""The intermediate form: one typed, closed transition system for one game, its options and number of players.

Play, compilation and proof all start from `Game`. Expressions are pure and total but for their stated
obligations (`Unwrap`, `Whole`, an index or range); the control-flow graph says who resolves each choice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from dsl.source import Span

# ---------------------------------------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class IntType:
    """Whole numbers from `low` to `high`, both inclusive; `None` is no bound."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class FractionType:
    """Exact rationals."""


@dataclass(frozen=True, slots=True)
class BoolType:
    """Yes or no."""


@dataclass(frozen=True, slots=True)
class PlayerType:
    """A seat; values are seats counted from 0, people see them counted from 1."""


@dataclass(frozen=True, slots=True)
class RankType:
    """A rank; values are places in the rank order from 0, the lowest."""


@dataclass(frozen=True, slots=True)
class SuitType:
    """A suit; values are places in the declared list, from 0. Suits have no order."""


@dataclass(frozen=True, slots=True)
class KindType:
    """A row of the combination table; values are places in strength order from 0, the weakest."""


@dataclass(frozen=True, slots=True)
class CardType:
    """A physical card; values are 0 up to the number of cards. Equal faces are different cards."""


@dataclass(frozen=True, slots=True)
class CombinationType:
    """A kind with its ranks and suits, named in a call or found among cards."""


@dataclass(frozen=True, slots=True)
class CardsType:
    """Some cards, in order."""


@dataclass(frozen=True, slots=True)
class CombinationsType:
    """Several combinations, as a split of a hand yields them."""


@dataclass(frozen=True, slots=True)
class EnumType:
    """One of named values; values are places in `names`."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OptionalType:
    """A value of type `of`, or none."""

    of: Type


Type: TypeAlias = (
    IntType
    | FractionType
    | BoolType
    | PlayerType
    | RankType
    | SuitType
    | KindType
    | CardType
    | CombinationType
    | CardsType
    | CombinationsType
    | EnumType
    | OptionalType
)

# What a zone, a state variable or a binder can range over: the finite sorts.
Domain: TypeAlias = PlayerType | KindType | RankType | SuitType | EnumType | IntType

# ---------------------------------------------------------------------------------------------- cards


@dataclass(frozen=True, slots=True)
class Runs:
    """Which ranks stand next to each other in a run.

    `above_last`: after the highest rank in rank order nothing follows unless `wraps`. `low_rank` is a rank
    that may also stand below the lowest (an ace in A-2-3); `high` says whether that same rank keeps its
    ordinary place too. `never` is a rank that stands in no run.
    """

    low_rank: int | None = None
    high: bool = True
    never: int | None = None
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Deck:
    """The cards of the game. Faces count suit by suit within a rank; copies of a face are further cards.

    Card `c` shows face `c % num_faces`; face `f` has rank `f // len(suits)` and suit `f % len(suits)`, but for
    jokers, the last faces, which have the rank and the suit `joker` that no other card has.
    """

    ranks: tuple[str, ...]  # lowest first; "joker" is the last where there are jokers
    suits: tuple[str, ...]
    copies: int = 1
    num_jokers: int = 0
    runs: Runs = Runs()
    rank_names: tuple[str, ...] = ()  # as spoken, parallel to ranks
    suit_letters: tuple[str, ...] = ()  # as written after a rank: "S"
    removed: tuple[int, ...] = ()  # faces that this pack lacks


# ------------------------------------------------------------------------------------------- patterns


@dataclass(frozen=True, slots=True)
class Group:
    """So many cards that share something.

    `run`: consecutive ranks, and `rank` is then the highest of them. `rank` and `suit` are a variable's name,
    a constant (a rank's or suit's number) or None for anything.
    """

    count: int
    run: bool = False
    rank: str | int | None = None
    suit: str | int | None = None


class Compare(Enum):
    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


@dataclass(frozen=True, slots=True)
class PatternCondition:
    """A comparison between two variables of a pattern, or of one with a constant."""

    left: str | int
    op: Compare
    right: str | int


@dataclass(frozen=True, slots=True)
class Pattern:
    """Disjoint groups of cards. Variables are `(name, "rank" | "suit")` in the order first written."""

    groups: tuple[Group, ...]
    variables: tuple[tuple[str, str], ...] = ()
    conditions: tuple[PatternCondition, ...] = ()

    @property
    def size(self) -> int:
        return sum(g.count for g in self.groups)


class Key(Enum):
    """What breaks ties within a kind, besides named variables."""

    GROUPS = "groups"  # the rank of each group, in the written order, groups of one size from the highest
    CARDS = "cards"  # the ranks of the combination's own cards, from the highest
    SIDE_CARDS = "side cards"  # the ranks of the other cards of the hand, from the highest


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the combination table. `pattern` None is the row "none of these"; `example` are faces that show it."""

    name: str
    pattern: Pattern | None
    size: int
    by: tuple[Key | str, ...]
    say: str | None = None
    columns: tuple[tuple[str, int], ...] = ()
    serves_as: tuple[int, ...] = ()
    cites: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False)
    example: tuple[int, ...] = ()

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """The variables a call of this kind must name; anonymous ones start with `_`."""
        return () if self.pattern is None else tuple(v for v in self.pattern.variables if not v[0].startswith("_"))


# ---------------------------------------------------------------------------------------- expressions


class Unary(Enum):
    NOT = "not"
    NEGATE = "-"
    FLOOR = "floor"
    CEILING = "ceiling"
    NEAREST = "nearest"  # halves away from zero
    WHOLE = "whole"  # an obligation: the value is whole
    UNWRAP = "unwrap"  # an obligation: the value is not none
    IS_NONE = "is none"
    RANK_OF = "rank of"
    SUIT_OF = "suit of"
    KIND_OF = "kind of"
    SIZE_OF = "size of"  # of cards: how many; of a kind: how many its pattern needs
    TOP_OF = "top of"  # an obligation: the pile is not empty
    HEIGHT_OF = "height of"  # of a rank: its place in the order, 1 the lowest
    CARDS_OF = "cards of"  # of a combination found among cards, or of several
    LEFT_OF = "left of"
    RIGHT_OF = "right of"
    OPPOSITE_OF = "opposite of"  # the seat across the table; of two, the other one


class Binary(Enum):
    ADD = "+"  # of numbers; of cards: all of both, each once, in the order first named
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"  # exact; an obligation: the divisor is not 0
    DIV = "div"  # rounded down
    MOD = "mod"
    AND = "and"
    OR = "or"
    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    CONTAINS = "contains"  # cards contain a called combination
    IN = "in"  # a card in cards


class FoldOp(Enum):
    COUNT = "count"
    SOME = "some"
    EVERY = "every"
    SUM = "sum"
    MAX = "max"  # of nothing: none
    MIN = "min"
    ONLY = "only"  # the one that meets the condition; none where there is none or are several
    FIRST = "first"  # the first that meets the condition, players clockwise from `start`; else none
    HIGHEST = "highest"  # the one with the greatest `body`; ties as `tie` says
    LOWEST = "lowest"


class Tie(Enum):
    NONE = "none"
    FIRST = "first"  # clockwise from `start`, or in the order of the domain


@dataclass(frozen=True, slots=True)
class Const:
    value: Value
    type: Type


@dataclass(frozen=True, slots=True)
class Local:
    """A binder's or a parameter's value inside an expression."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Var:
    """A state variable, or one cell of an indexed one."""

    name: str
    indices: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class NumPlayers:
    """The number of players; folded to a constant by lowering."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """Seconds left on the clock, an exact rational."""


@dataclass(frozen=True, slots=True)
class UnaryExpr:
    op: Unary
    operand: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class BinaryExpr:
    op: Binary
    left: Expr
    right: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class IfExpr:
    condition: Expr
    then: Expr
    otherwise: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class ColumnExpr:
    """The entry of a kind's (or a combination's kind's) row in a column of the combination table."""

    column: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class TableExpr:
    """The entry of a declared table for a value of its domain."""

    table: str
    operand: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class CallExpr:
    """A `define` applied to arguments."""

    function: str
    arguments: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Binder:
    """A name that takes each value of a domain, or each item of a collection, that meets `where`."""

    name: str
    domain: Domain | Expr  # an expression is a collection: cards or combinations
    type: Type
    where: Expr | None = None


@dataclass(frozen=True, slots=True)
class FoldExpr:
    op: FoldOp
    binder: Binder
    body: Expr | None
    type: Type
    start: Expr | None = None
    tie: Tie | None = None


@dataclass(frozen=True, slots=True)
class ExtremeExpr:
    """The greatest (or least) of several values written out; none is below every combination."""

    greatest: bool
    operands: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class ZoneExpr:
    """The cards of one zone."""

    zone: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class AllOfZone:
    """The cards of every zone of a family, the first indices given."""

    zone: str
    indices: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class PickCards:
    """The cards of a pile that meet a condition, in the pile's order."""

    binder: Binder


@dataclass(frozen=True, slots=True)
class BestExpr:
    """The strongest combination the cards contain or serve as, of the kinds the binder admits."""

    cards: Expr
    binder: Binder | None
    type: Type


@dataclass(frozen=True, slots=True)
class SplitExpr:
    """A split of the cards into disjoint combinations with the greatest sum of `column`.

    Among equal splits the one whose strongest combination is strongest, then its second, and so on.
    """

    cards: Expr
    column: str


@dataclass(frozen=True, slots=True)
class AsExpr:
    """The cards as a combination of this very kind, or none: each card must have its part in it."""

    cards: Expr
    kind: Expr


@dataclass(frozen=True, slots=True)
class MakeCombination:
    """A called combination: a kind with a rank or suit for each of its named variables."""

    kind: int
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Before:
    """In a property over a step: the value before the step. It has no meaning while playing."""

    operand: Expr
    type: Type


Expr: TypeAlias = (
    Const
    | Local
    | Var
    | NumPlayers
    | TimeLeft
    | UnaryExpr
    | BinaryExpr
    | IfExpr
    | ColumnExpr
    | TableExpr
    | CallExpr
    | FoldExpr
    | ExtremeExpr
    | ZoneExpr
    | AllOfZone
    | PickCards
    | BestExpr
    | SplitExpr
    | AsExpr
    | MakeCombination
    | Before
)


@dataclass(frozen=True, slots=True)
class Combination:
    """A value of type combination.

    `kind` is the strength order of its row, `arguments` the ranks and suits of the pattern's variables in
    order, `key` what breaks ties within the kind (greater is stronger), `cards` those it was found in: empty
    for a call, and no part of what it is. Two combinations of one kind and key are equal in strength.
    """

    kind: int
    key: tuple[int, ...]
    arguments: tuple[int, ...] = field(default=(), compare=False)
    cards: tuple[int, ...] = field(default=(), compare=False)

    @property
    def strength(self) -> tuple[int, tuple[int, ...]]:
        return self.kind, self.key


Value: TypeAlias = int | Fraction | bool | Combination | tuple[int, ...] | tuple[Combination, ...] | None

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


# ---------------------------------------------------------------------------------- control-flow graph


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


@dataclass(frozen=True, slots=True)
class Property:
    """A claim of the file, typed and kept for the prover.

    `kind` is always, never, possible, impossible, leads to, bound, values or frequencies; what a file says to be the
    same is always equal. `premise` limits the claim to what meets it, `variables` are universally quantified. `scope`
    is a rule's or a decision's name; None is the whole game. `expect` are the expected values, each with what it is
    called ("min", a kind's name). What leads to something has two expressions, what comes first and what comes of it;
    with `or_end` the end of the game will do as well, and `within` is the most steps there may be between.
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

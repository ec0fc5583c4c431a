"""Expressions: pure, and total but for their stated obligations (`Unwrap`, `Whole`, an index or range)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from dsl.ir_types import Domain, Type, Value

# ------------------------------------------------------------------------------------------ operators


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

"""Expressions as they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dsl.syntax_types import Node, Token


@dataclass(frozen=True, slots=True)
class IfExpr(Node):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class OrExpr(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class AndExpr(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class NotExpr(Node):
    operand: Expr


@dataclass(frozen=True, slots=True)
class Compare(Node):
    left: Expr
    sign: Token
    right: Expr


@dataclass(frozen=True, slots=True)
class IsNone(Node):
    operand: Expr


@dataclass(frozen=True, slots=True)
class IsNotNone(Node):
    operand: Expr


@dataclass(frozen=True, slots=True)
class InRange(Node):
    operand: Expr
    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class InCards(Node):
    operand: Expr
    cards: Expr


@dataclass(frozen=True, slots=True)
class Contains(Node):
    cards: Expr
    combination: Expr


@dataclass(frozen=True, slots=True)
class Add(Node):
    left: Expr
    sign: Token
    right: Expr


@dataclass(frozen=True, slots=True)
class Multiply(Node):
    left: Expr
    sign: Token
    right: Expr


@dataclass(frozen=True, slots=True)
class Negate(Node):
    sign: Token
    operand: Expr


@dataclass(frozen=True, slots=True)
class Of(Node):
    """`rank of c`, `left of p`, `score of k`: a property of something."""

    name: Token
    operand: Expr


@dataclass(frozen=True, slots=True)
class AsKind(Node):
    cards: Expr
    kind: Expr


@dataclass(frozen=True, slots=True)
class Name(Node):
    name: Token


@dataclass(frozen=True, slots=True)
class Number(Node):
    number: Token


@dataclass(frozen=True, slots=True)
class String(Node):
    text: Token


@dataclass(frozen=True, slots=True)
class Index(Node):
    name: Token
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    name: Token
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class None_(Node):
    pass


@dataclass(frozen=True, slots=True)
class Yes(Node):
    pass


@dataclass(frozen=True, slots=True)
class No(Node):
    pass


@dataclass(frozen=True, slots=True)
class Seat(Node):
    number: Token


@dataclass(frozen=True, slots=True)
class ThePlayer(Node):
    pass


@dataclass(frozen=True, slots=True)
class AllOf(Node):
    zone: Token
    args: tuple[Expr, ...] | None


@dataclass(frozen=True, slots=True)
class NumberRange(Node):
    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class Sort(Node):
    name: Token


@dataclass(frozen=True, slots=True)
class Binder(Node):
    sort: Sort | None
    name: Token
    source: Expr | NumberRange | None
    where: Expr | None


@dataclass(frozen=True, slots=True)
class Fold(Node):
    word: Token
    binder: Binder


@dataclass(frozen=True, slots=True)
class Extreme(Node):
    word: Token
    body: Expr
    binder: Binder


@dataclass(frozen=True, slots=True)
class MaxOf(Node):
    word: Token
    first: Expr
    others: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class TieNone(Node):
    pass


@dataclass(frozen=True, slots=True)
class TieFirst(Node):
    start: Expr | None


@dataclass(frozen=True, slots=True)
class Tie(Node):
    rule: TieNone | TieFirst


@dataclass(frozen=True, slots=True)
class Highest(Node):
    word: Token
    binder: Binder
    by: Expr
    tie: Tie | None


@dataclass(frozen=True, slots=True)
class First(Node):
    binder: Binder
    start: Expr | None


@dataclass(frozen=True, slots=True)
class Every(Node):
    binder: Binder
    body: Expr


@dataclass(frozen=True, slots=True)
class Best(Node):
    cards: Expr
    binder: Binder | None


@dataclass(frozen=True, slots=True)
class Split(Node):
    cards: Expr
    column: Token


@dataclass(frozen=True, slots=True)
class Pick(Node):
    binder: Binder


@dataclass(frozen=True, slots=True)
class Before(Node):
    operand: Expr


Expr: TypeAlias = (
    IfExpr
    | OrExpr
    | AndExpr
    | NotExpr
    | Compare
    | IsNone
    | IsNotNone
    | InRange
    | InCards
    | Contains
    | Add
    | Multiply
    | Negate
    | Of
    | AsKind
    | Name
    | Number
    | String
    | Index
    | Call
    | None_
    | Yes
    | No
    | Seat
    | ThePlayer
    | AllOf
    | Fold
    | Extreme
    | MaxOf
    | Highest
    | First
    | Every
    | Best
    | Split
    | Pick
    | Before
)

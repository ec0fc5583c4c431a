"""What was written: one node for each rule of `grammar.lark`, names as strings, every node with its span.

A node's fields after `span` are the parts of its grammar rule, in order; an optional part that is absent is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dsl.source import Span


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign as written."""

    span: Span
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Node:
    span: Span


Cites: TypeAlias = Token | None

# ------------------------------------------------------------------------------------------- rule text


@dataclass(frozen=True, slots=True)
class Param(Node):
    name: Token
    type: TypeSyntax | None


@dataclass(frozen=True, slots=True)
class Define(Node):
    name: Token
    params: tuple[Param, ...] | None
    body: Expr
    cites: Cites


@dataclass(frozen=True, slots=True)
class Rule(Node):
    name: Token
    params: tuple[Param, ...] | None
    cites: Cites
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Simple(Node):
    """A one-line statement with the clauses behind it."""

    statement: SimpleStmt
    cites: Cites


@dataclass(frozen=True, slots=True)
class Block(Node):
    cites: Cites
    body: tuple[Stmt, ...]


Suite: TypeAlias = Block | Simple


@dataclass(frozen=True, slots=True)
class Target(Node):
    name: Token
    args: tuple[Expr, ...] | None


@dataclass(frozen=True, slots=True)
class Assign(Node):
    target: Target
    sign: Token
    value: Expr


@dataclass(frozen=True, slots=True)
class Random(Node):
    target: Target
    sign: Token
    binder: Binder


@dataclass(frozen=True, slots=True)
class Let(Node):
    name: Token
    value: Expr


@dataclass(frozen=True, slots=True)
class Deal(Node):
    up_to: Token | None
    count: Expr
    source: Expr
    target: Expr


@dataclass(frozen=True, slots=True)
class Move(Node):
    cards: Expr
    target: Expr


@dataclass(frozen=True, slots=True)
class AllCards(Node):
    pass


@dataclass(frozen=True, slots=True)
class Gather(Node):
    cards: Expr | AllCards
    target: Expr


@dataclass(frozen=True, slots=True)
class Shuffle(Node):
    zone: Expr
    by: Expr | None


@dataclass(frozen=True, slots=True)
class Cut(Node):
    zone: Expr
    by: Expr | None


@dataclass(frozen=True, slots=True)
class Reveal(Node):
    cards: Expr
    to: Expr | None


@dataclass(frozen=True, slots=True)
class Announce(Node):
    text: Token


@dataclass(frozen=True, slots=True)
class End(Node):
    rule: Token
    reason: Token | None


@dataclass(frozen=True, slots=True)
class Do(Node):
    """Another rule is followed here."""

    rule: Token
    args: tuple[Expr, ...] | None


SimpleStmt: TypeAlias = Assign | Random | Let | Deal | Move | Gather | Shuffle | Cut | Reveal | Announce | End | Do


@dataclass(frozen=True, slots=True)
class IfStmt(Node):
    condition: Expr
    then: Suite
    otherwise: Suite | IfStmt | None


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    body: Suite


@dataclass(frozen=True, slots=True)
class RepeatUntil(Node):
    condition: Expr
    body: Suite


@dataclass(frozen=True, slots=True)
class RepeatTimes(Node):
    times: Expr
    body: Suite


@dataclass(frozen=True, slots=True)
class ForEach(Node):
    binder: Binder
    start: Expr | None
    body: Suite


@dataclass(frozen=True, slots=True)
class Going(Node):
    start: Expr
    binder: Binder
    body: Suite


@dataclass(frozen=True, slots=True)
class Chooses(Node):
    player: Expr
    name: Token | None
    cites: Cites
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class AtOnce(Node):
    binder: Binder
    name: Token | None
    cites: Cites
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class May(Node):
    binder: Binder
    start: Expr | None
    name: Token | None
    cites: Cites
    actions: tuple[Action, ...]


Stmt: TypeAlias = Simple | IfStmt | Repeat | RepeatUntil | RepeatTimes | ForEach | Going | Chooses | AtOnce | May


@dataclass(frozen=True, slots=True)
class Guard(Node):
    condition: Expr
    cites: Cites


@dataclass(frozen=True, slots=True)
class ValueParam(Node):
    name: Token
    type: TypeSyntax


@dataclass(frozen=True, slots=True)
class CardParam(Node):
    name: Token
    source: Expr


@dataclass(frozen=True, slots=True)
class CardsParam(Node):
    name: Token
    least: Token
    most: Token | None
    source: Expr


ActionParam: TypeAlias = ValueParam | CardParam | CardsParam


@dataclass(frozen=True, slots=True)
class Bare(Node):
    """An action that does nothing but be chosen."""

    cites: Cites


@dataclass(frozen=True, slots=True)
class Action(Node):
    name: Token
    params: tuple[ActionParam, ...] | None
    guards: tuple[Guard, ...]
    body: Suite | Bare


# ---------------------------------------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class OptionalType(Node):
    of: TypeSyntax


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    name: Token


@dataclass(frozen=True, slots=True)
class YesOrNo(Node):
    pass


@dataclass(frozen=True, slots=True)
class Bound(Node):
    sign: Token | None
    number: Token


@dataclass(frozen=True, slots=True)
class RangeType(Node):
    low: Bound
    high: Bound


@dataclass(frozen=True, slots=True)
class OneOf(Node):
    names: tuple[Token, ...]


TypeSyntax: TypeAlias = OptionalType | NamedType | YesOrNo | RangeType | OneOf

# ---------------------------------------------------------------------------------------- expressions


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

# ------------------------------------------------------------------------------------------- patterns


@dataclass(frozen=True, slots=True)
class NoneOfThese(Node):
    pass


@dataclass(frozen=True, slots=True)
class Term(Node):
    token: Token


@dataclass(frozen=True, slots=True)
class OneRank(Node):
    pass


@dataclass(frozen=True, slots=True)
class OneSuit(Node):
    pass


@dataclass(frozen=True, slots=True)
class RankGroup(Node):
    count: Token
    rank: OneRank | Term
    suit: OneSuit | Term | None


@dataclass(frozen=True, slots=True)
class AnotherGroup(Node):
    count: Token


@dataclass(frozen=True, slots=True)
class SuitGroup(Node):
    count: Token
    suit: OneSuit | Term


@dataclass(frozen=True, slots=True)
class RunGroup(Node):
    count: Token
    suit: OneSuit | Term | None
    top: Term | None


@dataclass(frozen=True, slots=True)
class Condition(Node):
    left: Term
    sign: Token
    right: Term


GroupSyntax: TypeAlias = RankGroup | AnotherGroup | SuitGroup | RunGroup


@dataclass(frozen=True, slots=True)
class Groups(Node):
    groups: tuple[GroupSyntax, ...]
    conditions: tuple[Condition, ...] | None


PatternSyntax: TypeAlias = NoneOfThese | Groups

# -------------------------------------------------------------------------------------------- phrases


@dataclass(frozen=True, slots=True)
class ByKey(Node):
    name: Token
    second: Token | None


@dataclass(frozen=True, slots=True)
class RunsHigh(Node):
    rank: Term


@dataclass(frozen=True, slots=True)
class RunsLow(Node):
    rank: Term


@dataclass(frozen=True, slots=True)
class RunsEither(Node):
    rank: Term


@dataclass(frozen=True, slots=True)
class RunsNever(Node):
    rank: Term


@dataclass(frozen=True, slots=True)
class RunsWrapping(Node):
    pass


RunsSyntax: TypeAlias = RunsHigh | RunsLow | RunsEither | RunsNever | RunsWrapping


@dataclass(frozen=True, slots=True)
class Duration(Node):
    number: Token
    unit: Token


# Grammar rules that are bare lists of their parts.
LISTS = frozenset({
    "rules", "params", "body", "actions", "guards", "action_params", "names", "args", "group_list", "conditions",
    "by", "durations",
})  # fmt: skip

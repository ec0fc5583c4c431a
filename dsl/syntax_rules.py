"""Rules as they are written: definitions, statements, and what players may choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dsl.syntax_expressions import Binder, Expr
from dsl.syntax_types import Cites, Node, Token, TypeSyntax


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

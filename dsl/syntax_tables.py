"""What is written in tables: patterns of combinations, what breaks ties, how ranks run, and durations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dsl.syntax_types import Node, Token

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

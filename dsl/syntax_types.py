"""Words with their places, and types as they are written."""

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

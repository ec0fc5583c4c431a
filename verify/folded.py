"""Values of which part may be a Z3 term: what is known is computed, what is not becomes part of the term."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import z3

from dsl import ir
from interpreter.values import UNSET
from verify.outcome import OUT_OF_TIME

_KEY_BASE = 64


class Unsupported(Exception):
    """There is no term for this; the message says for what."""


class OutOfTime(Unsupported):
    """The time for it is up."""

    def __init__(self) -> None:
        super().__init__(OUT_OF_TIME)


@dataclass(frozen=True)
class Optional:
    """A value that may be none. `value` means nothing where `none` holds."""

    none: Any
    value: Any


class Digits:
    """A key part by part, the first counts most. Keys of one kind have as many parts; they are made when first read."""

    __slots__ = ("_make", "_parts")

    def __init__(self, make: Callable[[], tuple[Any, ...]]) -> None:
        self._make = make
        self._parts: tuple[Any, ...] | None = None

    @property
    def parts(self) -> tuple[Any, ...]:
        if self._parts is None:
            self._parts = self._make()
        return self._parts


@dataclass(frozen=True)
class Strength:
    """A combination by what orders it: its kind, and its key as one number or as digits.

    `named` is the call that it is, where that is known.
    """

    kind: Any
    key: Any
    named: ir.Combination | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Lying:
    """Cards: which they are is a number that says nothing, and how many lie in which place, where that is known.

    `since` is the number of the position in which they lie so: when any card has moved, they may lie elsewhere.
    """

    cards: Any
    parts: tuple[tuple[int, Any], ...] | None = None
    since: int | None = None

    @property
    def count(self) -> Any:
        """How many they are; None where that is not known."""
        return None if self.parts is None else sum((n for _, n in self.parts), start=0)


def is_term(x: Any) -> bool:
    """Whether a value holds a term anywhere."""
    if isinstance(x, Lying):
        return True
    if isinstance(x, Optional):
        return is_term(x.none) or is_term(x.value)
    if isinstance(x, Strength):
        return is_term(x.kind) or is_term(x.key)
    return isinstance(x, z3.ExprRef | Digits)


def is_same(a: Any, b: Any) -> bool:
    """Whether two values are the same without asking a solver."""
    if isinstance(a, z3.ExprRef) and isinstance(b, z3.ExprRef):
        return bool(a.get_id() == b.get_id())
    if isinstance(a, Optional | Strength | Lying) or isinstance(b, Optional | Strength | Lying):
        return a is b
    return not is_term(a) and not is_term(b) and type(a) is type(b) and bool(a == b)


def leaves(x: Any) -> set[int] | None:
    """The numbers that a value can be, of a term that is put together from known ones by conditions; else None."""
    if isinstance(x, int):
        return {x}
    if isinstance(x, z3.IntNumRef):
        return {x.as_long()}
    if not isinstance(x, z3.ArithRef) or x.decl().name() != "if":
        return None
    _, then, otherwise = x.children()
    yes, no = leaves(then), leaves(otherwise)
    return None if yes is None or no is None else yes | no


def conj(*parts: Any) -> Any:
    """And, folded."""
    left = [p for p in parts if p is not True]
    if any(p is False for p in left):
        return False
    return True if not left else left[0] if len(left) == 1 else _joined(z3.Z3_mk_and, left)


def disj(*parts: Any) -> Any:
    """Or, folded."""
    left = [p for p in parts if p is not False]
    if any(p is True for p in left):
        return True
    return False if not left else left[0] if len(left) == 1 else _joined(z3.Z3_mk_or, left)


def _joined(make: Callable[..., Any], parts: list[Any]) -> Any:
    """Terms of truth as one term. That they are is not looked at, which is what takes most of the time in `z3.And`."""
    kind: Any = z3.Ast
    nodes = (kind * len(parts))(*(p.ast for p in parts))
    return z3.BoolRef(make(z3.main_ctx().ref(), len(parts), nodes), z3.main_ctx())


def neg(x: Any) -> Any:
    return not x if isinstance(x, bool) else z3.Not(x)


def choose(condition: Any, a: Any, b: Any) -> Any:
    """One or the other, folded."""
    if isinstance(condition, bool):
        return a if condition else b
    if isinstance(a, Optional) or isinstance(b, Optional) or a is None or b is None:
        x, y = optional(a), optional(b)
        return Optional(choose(condition, x.none, y.none), choose(condition, x.value, y.value))
    if isinstance(a, Strength) or isinstance(b, Strength):
        x2, y2 = strength(a), strength(b)
        return Strength(choose(condition, x2.kind, y2.kind), choose(condition, x2.key, y2.key))
    if isinstance(a, Digits) or isinstance(b, Digits):
        return _chosen_digits(condition, a, b)
    if a is UNSET or b is UNSET:
        return b if a is UNSET else a
    if isinstance(a, Lying) or isinstance(b, Lying):
        return a if a is b else Lying(z3.If(condition, lift(a), lift(b)))
    if a is b or (not is_term(a) and not is_term(b) and type(a) is type(b) and a == b):
        return a
    return z3.If(condition, lift(a), lift(b))


def _chosen_digits(condition: Any, a: Any, b: Any) -> Any:
    # What is no digits is the key of no combination at all.
    if not isinstance(a, Digits) or not isinstance(b, Digits) or a is b:
        return a if isinstance(a, Digits) else b
    x, y = a, b
    return Digits(lambda: tuple(choose(condition, p, q) for p, q in zip(x.parts, y.parts, strict=True)))


def lift(x: Any) -> Any:
    """A plain value as a term; of cards, which they are."""
    if isinstance(x, Lying):
        return x.cards
    if isinstance(x, bool):
        return z3.BoolVal(x)
    if isinstance(x, int):
        return z3.IntVal(x)
    if isinstance(x, Fraction):
        return z3.RealVal(x)
    return x


def optional(x: Any) -> Optional:
    if isinstance(x, Optional):
        return x
    return Optional(True, 0) if x is None else Optional(False, x)


def strength(x: Any) -> Strength:
    """A combination as a strength; 0 stands for what means nothing."""
    if isinstance(x, Strength):
        return x
    if isinstance(x, ir.Combination):
        return Strength(x.kind, key_number(x.key))
    return Strength(0, 0)


def key_number(key: tuple[int, ...]) -> int:
    """A key as one number, in the same order: keys of a kind have one length."""
    out = 0
    for part in key:
        out = out * _KEY_BASE + part + 2
    return out


def equal(a: Any, b: Any) -> Any:
    """Equality of two values of one type."""
    if isinstance(a, Optional) or isinstance(b, Optional) or a is None or b is None:
        x, y = optional(a), optional(b)
        both_none = conj(x.none, y.none)
        if x.none is True or y.none is True:
            return both_none
        return disj(both_none, conj(neg(x.none), neg(y.none), equal(x.value, y.value)))
    if isinstance(a, Strength | ir.Combination) or isinstance(b, Strength | ir.Combination):
        p, q = strength(a), strength(b)
        same = equal(p.kind, q.kind)
        return same if same is False else conj(same, equal(p.key, q.key))
    if isinstance(a, Digits) and isinstance(b, Digits):
        return conj(*(equal(p, q) for p, q in zip(a.parts, b.parts, strict=True)))
    if not is_term(a) and not is_term(b):
        return bool(a == b)
    return lift(a) == lift(b)


def less(a: Any, b: Any, or_equal: bool) -> Any:
    """Order of two values of one type; none is below every combination."""
    if isinstance(a, Optional) or isinstance(b, Optional) or a is None or b is None:
        x, y = optional(a), optional(b)
        inside = conj(
            neg(x.none),
            neg(y.none),
            less(x.value, y.value, or_equal) if not (x.none is True or y.none is True) else False,
        )
        first = conj(x.none, True if or_equal else neg(y.none))
        return disj(first, inside)
    if isinstance(a, Strength | ir.Combination) or isinstance(b, Strength | ir.Combination):
        p, q = strength(a), strength(b)
        same = equal(p.kind, q.kind)
        within = same if same is False else conj(same, less(p.key, q.key, or_equal))
        return disj(less(p.kind, q.kind, False), within)
    if isinstance(a, Digits) and isinstance(b, Digits):
        found: Any = or_equal
        for x3, y3 in reversed(list(zip(a.parts, b.parts, strict=True))):
            found = disj(less(x3, y3, False), conj(equal(x3, y3), found))
        return found
    if not is_term(a) and not is_term(b):
        return bool(a <= b if or_equal else a < b)
    return lift(a) <= lift(b) if or_equal else lift(a) < lift(b)

"""Operators on values and terms that hang on nothing else."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dsl import ir
from verify.folded import Optional, choose, is_term, lift


def look_up(rows: tuple[Any, ...], low: int, x: Any) -> Any:
    """The row of a table whose first is that of `low`. Beyond its domain it may be any."""
    if isinstance(x, Optional):
        x = x.value
    if not is_term(x):
        return rows[x - low] if x is not None and 0 <= x - low < len(rows) else rows[0]
    found = rows[-1]
    for i in range(len(rows) - 2, -1, -1):
        found = choose(lift(x) == low + i, rows[i], found)
    return found


def arithmetic(op: ir.Binary, a: Any, b: Any) -> Any:
    """What an operator makes of two numbers; None where it has no term."""
    match op:
        case ir.Binary.ADD | ir.Binary.SUBTRACT | ir.Binary.MULTIPLY:
            if is_term(a) or is_term(b):
                a, b = lift(a), lift(b)  # a fraction and a whole number meet as terms only
            return a + b if op is ir.Binary.ADD else a - b if op is ir.Binary.SUBTRACT else a * b
        case _ if not is_term(a) and not is_term(b) and b:
            return {ir.Binary.DIV: a // b, ir.Binary.MOD: a % b, ir.Binary.DIVIDE: Fraction(a) / b}[op]
        case ir.Binary.DIV | ir.Binary.MOD if not is_term(b) and b > 0:
            return a / b if op is ir.Binary.DIV else a % b
        case _:
            return None

"""Where an indexed variable or zone lies, as a function of the state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dsl import ir
from interpreter.state import Evaluator, Family, State
from interpreter.values import UNSET, Fault, plain

if TYPE_CHECKING:
    from interpreter.evaluate import Compiler


def compile_place(compiler: Compiler, family: Family, indices: tuple[ir.Expr, ...]) -> Evaluator:
    """The function that tells the place of a cell; an index outside its domain is a fault."""
    name = plain(family.name)

    def checked(value: Any, low: int, size: int) -> int:
        if value is None:
            raise Fault(f"none where {name} needs a value")
        if value is UNSET or not low <= value < low + size:
            raise Fault(f"{name} has no such place")
        return int(value) - low

    base = family.base
    if not indices:
        return lambda s: base
    constants = [i.value for i in indices if isinstance(i, ir.Const) and isinstance(i.value, int)]
    bounds = zip(constants, family.lows, family.sizes, strict=False)
    # A seat that nobody sits on at this number of players is a fault only where it is asked for.
    if len(constants) == len(indices) and all(low <= value < low + size for value, low, size in bounds):
        fixed = family.index(constants)
        return lambda s: fixed
    if len(indices) == 1:
        index, low, size, step = compiler.compile(indices[0]), family.lows[0], family.sizes[0], family.strides[0]
        limit = low + size

        def one(s: State) -> int:
            value = index(s)
            if value is None or not low <= value < limit:
                checked(value, low, size)
            return int(base + (value - low) * step)

        return one
    if len(indices) == 2 and family.strides[1] == 1:
        first, second = map(compiler.compile, indices)
        (low0, low1), (size0, size1), (stride, _) = family.lows, family.sizes, family.strides
        limit0, limit1, shift = low0 + size0, low1 + size1, base - low0 * stride - low1

        def two(s: State) -> int:
            i, j = first(s), second(s)
            if i is None or not low0 <= i < limit0:
                checked(i, low0, size0)
            if j is None or not low1 <= j < limit1:
                checked(j, low1, size1)
            return int(shift + i * stride + j)

        return two
    steps = [
        (compiler.compile(i), low, size, stride)
        for i, low, size, stride in zip(indices, family.lows, family.sizes, family.strides, strict=True)
    ]
    return lambda s: base + sum(checked(i(s), low, size) * stride for i, low, size, stride in steps)

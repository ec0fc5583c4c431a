"""What an expression depends on, found by looking at it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from dsl import ir


def parts(node: Any) -> Iterator[Any]:
    """An expression and everything it is made of."""
    if isinstance(node, tuple):
        for item in node:
            yield from parts(item)
    elif dataclasses.is_dataclass(node) and not isinstance(node, type):
        yield node
        if not isinstance(node, ir.Const):
            for field in dataclasses.fields(node):
                yield from parts(getattr(node, field.name))


def variables_read(expr: ir.Expr, game: ir.Game) -> frozenset[str]:
    """The names of the state variables an expression may read, also through the definitions it calls."""
    functions = {f.name: f for f in game.functions}
    names: set[str] = set()
    called: set[str] = set()
    waiting: list[Any] = [expr]
    while waiting:
        for part in parts(waiting.pop()):
            if isinstance(part, ir.Var):
                names.add(part.name)
            elif isinstance(part, ir.CallExpr) and part.function not in called:
                called.add(part.function)
                waiting.append(functions[part.function].body)
    return frozenset(names)

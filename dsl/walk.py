"""What an expression or a piece of the graph is made of, and what it depends on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from dsl import ir


def parts(node: Any) -> Iterator[Any]:
    """An expression, a piece of syntax, a node of the graph or a tuple of such, and everything it is made of."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if isinstance(at, tuple):
            waiting.extend(reversed(at))
        elif (names := _made_of(at)) is not None:
            yield at
            waiting.extend([getattr(at, name) for name in names])


_made: dict[type[Any], tuple[str, ...] | None] = {}  # by the kind of thing: to ask for its fields takes long


def _made_of(thing: Any) -> tuple[str, ...] | None:
    """The fields of a thing that are parts of it, last first; None where it is no part itself."""
    kind = type(thing)
    if kind not in _made:
        is_part, is_whole = dataclasses.is_dataclass(kind), issubclass(kind, ir.Const | ir.Origin)
        names = () if is_whole or not is_part else tuple(f.name for f in reversed(dataclasses.fields(kind)))
        _made[kind] = names if is_part else None
    return _made[kind]


def reached(node: Any, game: ir.Game) -> Iterator[Any]:
    """The parts of something (see `parts`), and those of the definitions that it calls, each definition once."""
    functions = {f.name: f for f in game.functions}
    called: set[str] = set()
    waiting: list[Any] = [node]
    while waiting:
        for part in parts(waiting.pop()):
            yield part
            if isinstance(part, ir.CallExpr) and part.function not in called:
                called.add(part.function)
                waiting.append(functions[part.function].body)


def variables_read(node: Any, game: ir.Game) -> frozenset[str]:
    """The names of the state variables that may be read, also through the definitions that are called."""
    return frozenset(part.name for part in reached(node, game) if isinstance(part, ir.Var))

"""What the graph of the count abstraction is made of: positions, what leads from one to the next, and troubles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class Unsupported(Exception):
    """The abstraction has no way to follow this part of the rules; the message says which."""


class Point(NamedTuple):
    """An abstract position: where in the graph, variables, counts, clock events past, and what to resume."""

    pc: int
    vars: tuple[Any, ...]
    counts: tuple[int | None, ...]
    fired: int
    frames: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """How one position leads to the next. `must`: certainly possible in every real position meant."""

    kind: str  # chance, action, branch, clock
    text: str
    words: tuple[str, ...] = ()  # of an action: its name and arguments, "?" where left open, a number of cards
    player: Any = None
    action: int | None = None
    must: bool = True


@dataclass(frozen=True, slots=True)
class Trouble:
    """An obligation that fails at a node, or may fail as far as the abstraction can tell."""

    node: int
    message: str
    certain: bool

"""Short sums of what the rules of a game come to: equal as long as the rules mean the same.

What has no part in play is left out: titles, comments, layout, examples, claims, the clauses that are cited, and where
in a file something is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias

from dsl import ir

Fingerprint: TypeAlias = tuple[tuple[str, str], ...]
"""Parts of a game and the sum of each, in the order of `PARTS`; a part that a game lacks is left out."""

PARTS: Final[dict[str, tuple[str, ...]]] = {
    "cards": ("deck",), "combinations": ("kinds",), "zones": ("zones", "home"), "state": ("state",),
    "tables": ("tables",), "clock": ("clock",), "rules": ("functions", "nodes", "entry"), "result": ("result",),
}  # fmt: skip
"""What a part is called in a rule file, and the fields of `ir.Game` that it is made of."""

DIGITS: Final = 8
_UNPLAYED: Final = frozenset({"span", "origin", "cites"})


def fingerprint(game: ir.Game) -> Fingerprint:
    """The sums of a game at its options and number of players."""
    return tuple((part, _sum(getattr(game, n) for n in names)) for part, names in PARTS.items() if _has(game, names))


def changed(before: Fingerprint, now: Fingerprint) -> list[str]:
    """The parts of which only one has a sum, or that have another one now, in the order of `PARTS`."""
    old, new = dict(before), dict(now)
    return [part for part in PARTS if old.get(part) != new.get(part)]


def _has(game: ir.Game, names: tuple[str, ...]) -> bool:
    return any(getattr(game, name) not in ((), None) for name in names)


def _sum(values: Iterable[Any]) -> str:
    hashed = hashlib.sha256()
    _add(list(values), hashed.update)
    return hashed.hexdigest()[:DIGITS]


def _add(value: Any, write: Any) -> None:
    """Writes a value so that equal ones, and only they, give equal bytes, on every hash seed."""
    if isinstance(value, Enum):
        write(f"{type(value).__name__}.{value.name};".encode())
    elif is_dataclass(value):
        kind: Any = type(value)
        write(f"{kind.__name__}(".encode())
        for name in _fields(kind):
            _add(getattr(value, name), write)
        write(b")")
    elif isinstance(value, tuple | list):
        write(b"[")
        for item in value:
            _add(item, write)
        write(b"]")
    elif isinstance(value, frozenset):
        _add(sorted(value), write)
    else:
        write(f"{value!r};".encode())


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in _UNPLAYED)

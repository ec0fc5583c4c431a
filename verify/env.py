"""A position on terms, and what was asked of its cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dsl import ir


class Env:
    """Variables as values or terms, how many cards lie where, and two numbers: one that changes when any card moves,
    one that changes when time passes.
    """

    __slots__ = ("cells", "counts", "epoch", "ghosts", "hour")

    def __init__(self, cells: list[Any], counts: list[Any], epoch: int, ghosts: dict[Any, Any], hour: int = 0) -> None:
        self.cells, self.counts, self.epoch, self.ghosts, self.hour = cells, counts, epoch, ghosts, hour

    def copy(self) -> Env:
        return Env(self.cells[:], self.counts[:], self.epoch, self.ghosts, self.hour)


@dataclass(frozen=True, slots=True)
class Asked:
    """A number that was asked of cards, while names stood for values or terms; `term` stands for it.

    `since` is the number of the position that was asked about.
    """

    expression: ir.Expr
    names: Mapping[str, Any]
    term: Any
    since: int = 0

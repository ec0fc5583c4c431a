"""Positions that have the same future, whatever came before: a play that comes back to one may go on so for ever."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dsl import ir
from dsl.walk import variables_read
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET
from verify.slicing import liveness


class Futures:
    """Tells positions of a game apart by what may come of them and what `asked` says there."""

    def __init__(self, machine: Machine, asked: Iterable[ir.Expr]) -> None:
        self._machine = machine
        self._live = liveness(machine.game, frozenset(n for x in asked for n in variables_read(x, machine.game)))

    def key(self, state: State) -> Any:
        """What the future of a position depends on: before a shuffle not the order of what is shuffled."""
        m = self._machine
        node = m.game.nodes[state.pc]
        plain = state.clone()
        live = self._live[state.pc]
        for cell, named in enumerate(m.layout.var_cells):
            if not named.indices and named.name not in live and not plain.resume:
                plain.vars[cell] = UNSET
        if isinstance(node, ir.Shuffle) and not node.zone.indices:
            zone = m.layout.zones[node.zone.zone].base
            plain.zones[zone] = tuple(sorted(plain.zones[zone]))
            for card in plain.zones[zone]:
                plain.known[card] = 0
        return plain.key()

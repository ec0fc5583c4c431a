"""Sentences as terms at many positions: each is made once, over names for everything, and the names are then replaced.

Making a term is slow, replacing names in it is not.
"""

from __future__ import annotations

from typing import Any

import z3

from dsl import ir, types
from dsl.walk import variables_read
from verify.env import Env
from verify.folded import Optional, conj, lift
from verify.terms import Terms

_PLAIN = (ir.IntType, ir.BoolType, ir.PlayerType, ir.KindType, ir.RankType, ir.SuitType, ir.EnumType)


class Templates:
    """The sentences of one game. A sentence about cards, or about something that has no name, has no template."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        layout = terms.layout
        self._types = [v.type for v in layout.cell_vars]
        self._is_plain = {v.name: isinstance(types.strip(v.type), _PLAIN) for v in terms.game.state}
        # Their ranges are facts of no position: those of what takes their place are.
        facts, terms.facts = terms.facts, []
        cells = [terms.fresh(t, "name") if isinstance(types.strip(t), _PLAIN) else None for t in self._types]
        terms.facts = facts
        self._names = Env(cells, [z3.Int(f"lying!{i}") for i in range(len(layout.zone_cells))], -1, {})
        self._made: dict[int, Any] = {}
        self._kept: list[ir.Expr] = []

    def at(self, sentences: list[ir.Expr], env: Env) -> list[Any]:
        """That each is defined and true at a position."""
        made = [self._template(x) for x in sentences]
        there = [t for t in made if isinstance(t, z3.ExprRef)]
        found = iter(self._replaced(there, env))
        return [
            next(found) if isinstance(t, z3.ExprRef) else t if isinstance(t, bool) else self._anew(x, env)
            for x, t in zip(sentences, made, strict=True)
        ]

    def _anew(self, x: ir.Expr, env: Env) -> Any:
        return conj(*self._terms.defined(x, env))

    def _template(self, x: ir.Expr) -> Any:
        if id(x) not in self._made:
            self._kept.append(x)
            self._made[id(x)] = self._make(x)
        return self._made[id(x)]

    def _make(self, x: ir.Expr) -> Any:
        """The template of a sentence; None where it has none."""
        terms = self._terms
        if not all(self._is_plain[name] for name in variables_read(x, terms.game)):
            return None
        facts, count = len(terms.facts), terms.num_made
        found = self._anew(x, self._names)
        return found if len(terms.facts) == facts and terms.num_made == count else None

    def _replaced(self, templates: list[Any], env: Env) -> list[Any]:
        if not templates:
            return []
        pairs: list[tuple[Any, Any]] = []
        for name, value, t in zip(self._names.cells, env.cells, self._types, strict=True):
            if name is not None:
                pairs += self._pairs(name, value, t)
        pairs += [(name, lift(n)) for name, n in zip(self._names.counts, env.counts, strict=True)]
        whole: Any = z3.substitute(z3.And(*templates, z3.BoolVal(True)), *pairs)
        return list(whole.children()[: len(templates)])

    def _pairs(self, name: Any, value: Any, t: ir.Type) -> list[tuple[Any, Any]]:
        if not isinstance(value, Optional | z3.ExprRef | int) and value is not None:
            value = self._terms.fresh(t, "unset")  # what is not set may be anything, and nowhere the same
        if isinstance(name, Optional):
            if value is None:
                return [(name.none, z3.BoolVal(True))]
            if isinstance(value, Optional):
                return [(name.none, lift(value.none)), (name.value, lift(value.value))]
            return [(name.none, z3.BoolVal(False)), (name.value, lift(value))]
        if isinstance(value, Optional):
            value = value.value
        return [] if value is None else [(name, lift(value))]

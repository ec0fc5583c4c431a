"""Mutants that mean the same, though they are written otherwise: shown by the solver, of any position whatever."""

from __future__ import annotations

import time
from collections.abc import Mapping

import z3

from dsl import ir, parser
from dsl.diagnostics import Reporter
from dsl.expressions import Expressions
from dsl.load import Loaded
from dsl.lower import lower
from dsl.model import Model
from dsl.source import Embedded, Source
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.env import Env
from verify.folded import Unsupported, conj, lift, neg
from verify.mutants import Mutant
from verify.piling import Piling
from verify.terms import Terms

_SECONDS = 5.0  # of one query, at the most


def means_the_same(mutant: Mutant, loaded: Loaded, seconds: float) -> bool:
    """Whether the expression with the fault has the value of the one without it, wherever that has one.

    Asked for every number of players and with every reading, whatever the state is and however the cards lie, so that
    it holds in every play. False says nothing.
    """
    deadline = time.monotonic() + seconds
    options = [o for o in loaded.option_table if o.pinned is None]
    for chosen in ({}, *({o.name: name} for o in options for name in o.names if name != o.default)):
        made = loaded.model(chosen)
        if made is None or not _is_same(mutant, made, deadline):
            return False
    return True


def _is_same(mutant: Mutant, made: Model, deadline: float) -> bool:
    if mutant.values is None:
        return False
    names = {name: t for name, t in mutant.values.names.items() if name not in made.symbols.state}
    before = _typed(mutant.values.before, names, made)
    both = _typed(f"({mutant.values.before}) = ({mutant.values.after})", names, made)
    if before is None or both is None:
        return False
    for n in range(made.players[0], made.players[1] + 1):
        left = min(deadline - time.monotonic(), _SECONDS)
        if left <= 0 or not _holds(Machine(lower(made, n)), before, both, names, left):
            return False
    return True


def _typed(text: str, names: Mapping[str, ir.Type], made: Model) -> ir.Expr | None:
    reporter = Reporter()
    node = parser.parse_expr(Embedded(Source("", text), text, ((0, 0),)), reporter)
    if node is None:
        return None
    found = Expressions(made.symbols, reporter).check(node, {name: ir.Local(name, t) for name, t in names.items()})
    return None if reporter.has_errors else found


def _holds(machine: Machine, before: ir.Expr, both: ir.Expr, names: Mapping[str, ir.Type], seconds: float) -> bool:
    terms = Terms(machine)
    try:
        cells = [UNSET if v.local else terms.fresh(v.type, v.name) for v in machine.layout.cell_vars]
        env = Env(cells, Piling(machine, terms).anyhow(), 0, {})
        with terms.bound(**{name: terms.fresh(t, name) for name, t in names.items()}):
            _, is_there = terms.defined(before, env)
            equal, are_there = terms.defined(both, env)
    except Unsupported:
        return False
    solver = z3.Solver()
    solver.set("timeout", max(1, int(seconds * 1000)))
    for fact in terms.facts:
        solver.add(fact)
    solver.add(lift(is_there), lift(neg(conj(equal, are_there))))
    return bool(solver.check() == z3.unsat)

"""Two rules that a claim says are the same, carried out on terms: proved where nothing that they leave can differ.

Both begin in the same position, which may be any.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import z3

from dsl import ir
from dsl.pairing import end_of, pair_name
from interpreter.values import UNSET
from verify.alike import Alike
from verify.env import Env
from verify.folded import Unsupported, conj, equal, is_same, lift, neg
from verify.outcome import Answer, Verdict
from verify.places import TooMany
from verify.sidebyside import Pair
from verify.slicing import steering_names

ENGINE = "terms"


def by_terms(pair: Pair, seconds: float) -> Answer:
    """Proved, or unknown with the reason: a failed proof on terms is no counterexample."""
    deadline = time.monotonic() + seconds
    game = pair.both.game
    set_there = {n.variable.name for n in game.nodes if isinstance(n, ir.Assign | ir.Random)}
    watched = {v.name for v in game.state if v.name in set_there and not v.local}
    few = steering_names(pair.both) | {v.name for v in game.state if v.local}
    found: Answer | None = None
    because = ""
    # Fewer places are quicker to prove of; where that fails, all of few values are kept apart.
    for steer in (few, None):
        try:
            told = _proof(pair, Alike(pair.both, frozenset({*watched, end_of(pair.claim).name}), deadline, steer))
        except (Unsupported, TooMany) as error:
            because = because or str(error)
            continue
        if told.verdict is Verdict.PROVED:
            return told
        found = found or told
    return found or Answer(Verdict.UNKNOWN, ENGINE, because=because)


def _proof(pair: Pair, alike: Alike) -> Answer:
    starts = alike.starts()
    side = alike.steering_cells.index(pair.side)
    premise = pair.claim.premise
    places = 0
    ends, begun, offers = [], [], []
    for first in (True, False):
        mine = [(place, env) for place, env in starts if place.steering[side] is first]
        alike.conditions = [True if premise is None else conj(*alike.terms.defined(premise, env)) for _, env in mine]
        alike.offers = []
        found, number = alike.run(mine, lambda env: None, pair_name(pair.claim.name))
        ends.append(found)
        begun.append(alike.begun)
        offers.append(alike.offers)
        places += number
    if not all(ends):
        return Answer(Verdict.UNKNOWN, ENGINE, because="a rule never comes to its end")
    differ: dict[str, list[Any]] = {}
    for here, one in ends[0]:
        for there, other in ends[1]:
            for what, unlike in _unlike(pair, alike, one, other):
                if unlike is not False:
                    differ.setdefault(what, []).append(lift(conj(here, there, unlike)))
    asked = [lift(x) for one in offers[0] for other in offers[1] if (x := one.differs(other)) is not False]
    solver = alike.solver()
    solver.add(begun[0] == begun[1])
    told = f"from any position, {places} places"
    bad = [x for xs in differ.values() for x in xs] + asked
    if not bad:
        return Answer(Verdict.PROVED, ENGINE, because=f"{told}, and nothing that could differ")
    solver.add(z3.Or(*bad))
    result = solver.check()
    if result == z3.unsat:
        return Answer(Verdict.PROVED, ENGINE, because=told)
    if result != z3.sat:
        return Answer(Verdict.UNKNOWN, ENGINE, because="the solver gave up")
    model = solver.model()
    found_in = [what for what, xs in differ.items() if any(z3.is_true(model.eval(x, True)) for x in xs)]
    what = ", ".join(found_in[:3]) or "what is to be chosen"
    return Answer(Verdict.UNKNOWN, ENGINE, because=f"as far as terms tell, they may differ in {what}")


def _unlike(pair: Pair, alike: Alike, one: Env, other: Env) -> Iterator[tuple[str, Any]]:
    """What of two positions may differ, and when it does."""
    layout = alike.layout
    for cell, variable in enumerate(layout.cell_vars):
        a, b = one.cells[cell], other.cells[cell]
        if (not variable.local or cell == pair.end) and not (a is b or is_same(a, b)):
            unlike = True if a is UNSET or b is UNSET else neg(equal(a, b))
            yield "how the game ends" if cell == pair.end else layout.var_names[cell], unlike
    a, b = alike.lying[one.epoch].term, alike.lying[other.epoch].term
    yield "which cards lie where", False if is_same(a, b) else a != b

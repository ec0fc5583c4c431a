"""What is played is what is proved: every way a rule really goes is a model of its terms."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
import z3

from dsl import ir
from dsl.lower import lower
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET
from tests.properties.corpus import GAMES, model_of
from verify.env import Env
from verify.folded import Unsupported, conj, disj, equal, lift
from verify.symbolic import Symbolic

CASES = [
    (game.stem, rule)
    for game in sorted(GAMES.glob("*.yaml"))
    for rule in sorted(model_of(game).rules)
    if rule != "game"
]


def spans_of(machine: Machine, rule: str, seed: int, wanted: int) -> list[tuple[State, State]]:
    """Positions in which the rule began and came to its end, from random play."""
    begun: list[State] = []
    found: list[tuple[State, State]] = []

    def watch(state: State, mark: ir.Mark) -> None:
        if mark.begins:
            begun.append(state.clone())
        elif begun:
            found.append((begun.pop(), state.clone()))

    rng = random.Random(seed)
    deadline = time.monotonic() + 1.5
    machine.effects.watch = watch
    while len(found) < wanted and time.monotonic() < deadline:
        begun.clear()
        state = machine.initial(recording=False)
        for _ in range(600):
            if machine.is_terminal(state) or len(found) >= wanted:
                break
            if machine.chance_node(state) is not None:
                state = machine.apply_chance(state, machine.draw(state, rng))
            else:
                player = machine.to_move(state)[0]
                state = machine.apply(state, player, rng.choice(machine.legal_actions(state, player)))
    machine.effects.watch = None
    return found


def agrees(machine: Machine, env: Env, state: State) -> Any:
    """That the variables of a game (not a rule's own) have the values that they have in a position."""
    same = []
    for i, variable in enumerate(machine.layout.cell_vars):
        value = state.vars[i]
        if variable.local or value is UNSET or env.cells[i] is UNSET:
            continue
        same.append(equal(env.cells[i], value))
    return conj(*same)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "rule"), CASES)
def test_every_way_a_rule_goes_is_a_model_of_its_terms(game: str, rule: str) -> None:
    model = model_of(GAMES / f"{game}.yaml")
    low, high = model.players
    players = min(high, low + 1)
    whole = Machine(lower(model, players, marked=frozenset({rule})))
    alone = Machine(lower(model, players, rule, frozenset({rule})))
    watched = frozenset(v.name for v in alone.game.state if not v.local)
    symbolic = Symbolic(alone, watched, time.monotonic() + 60)
    try:
        starts = symbolic.starts()
        ends, _ = symbolic.run(starts, lambda env: None, rule)
    except Unsupported:
        return  # no claim is made about what has no terms
    for before, after in spans_of(whole, rule, seed=7, wanted=6):
        solver = symbolic.solver()
        began = [conj(symbolic.begun == i if len(starts) > 1 else True, agrees(alone, env, before))
                 for i, (_, env) in enumerate(starts)]  # fmt: skip
        solver.add(lift(disj(*began)))
        solver.add(lift(disj(*(conj(condition, agrees(alone, env, after)) for condition, env in ends))))
        assert solver.check() == z3.sat, f"{game}: {rule} went a way that its terms do not allow"


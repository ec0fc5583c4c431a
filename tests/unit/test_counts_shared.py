"""The count abstraction, explored once for all that is asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_prove_cli import loaded_of
from verify.counting import CountMachine, Point
from verify.explore import explore
from verify.places import machine_for
from verify.symmetry import canonical, seats
from verify.tracking import abstractions

GAMES = Path(__file__).parents[2] / "spec" / "games"


@pytest.mark.parametrize("name", ["poker_challenge", "poke", "poker_bull"])
def test_of_all_turns_of_a_position_one_is_kept(name: str) -> None:
    model = loaded_of(GAMES / f"{name}.yaml").model({})
    assert model is not None
    num_players = model.players[0] + 1 if model.players[0] < model.players[1] else model.players[0]
    machine = machine_for(model.properties[0], model, num_players)
    table = seats(machine, ())
    assert table is not None
    coarse, tracked = abstractions(machine, ())[0]
    counting = CountMachine(machine, tracked, (), coarse)
    pick = canonical(machine)

    def turned(point: Point, by: int) -> Point:
        variables, counts = list(point.vars), list(point.counts)
        table.turn(variables, counts, by, lambda x, by: (x + by) % num_players if isinstance(x, int) else x)
        return point._replace(vars=tuple(variables), counts=tuple(counts))

    found = explore(counting, [counting.start()], None, 800, 20.0)
    moved = 0
    for point in found.points:
        kept = pick(point)
        moved += kept != point
        assert pick(kept) == kept
        assert all(pick(turned(point, by)) == kept for by in range(1, num_players))
        assert kept in [turned(point, by) for by in range(num_players)]
    assert moved

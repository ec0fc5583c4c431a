"""Playthroughs, traces, bots and simulation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from dsl import ir
from interpreter.actions import Choice, InvalidChoice
from interpreter.bots import random_bot
from interpreter.machine import Machine
from interpreter.play import Playthrough, replay, with_random_bots
from interpreter.simulate import simulate
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace
from interpreter.values import Fault
from tests.unit.interpreter_games import (
    BOOL,
    ORIGIN,
    PLAYER,
    action,
    const,
    discards,
    game,
    secret_picks,
    timed,
)  # fmt: skip

GAMES = {"discards": discards, "secret picks": secret_picks, "timed": timed}


@pytest.mark.parametrize("name", GAMES)
def test_a_trace_plays_again_exactly(name: str) -> None:
    machine = Machine(GAMES[name]())
    play = with_random_bots(machine, 7)
    final = play.run()
    assert play.is_over
    written = json.dumps(play.trace.to_json())
    trace = Trace.from_json(json.loads(written))
    assert trace == play.trace
    stops: list[State] = []
    assert replay(machine, trace, stops.append).key() == final.key()
    assert len(stops) == len(trace.steps) + 1


@pytest.mark.parametrize("name", GAMES)
def test_seed_and_choices_alone_decide(name: str) -> None:
    machine = Machine(GAMES[name]())
    traces = [with_random_bots(machine, seed) for seed in (3, 3, 4)]
    first, second, third = (json.dumps((play.run(), play.trace.to_json())[1]) for play in traces)
    assert first == second != third


def test_the_hash_seed_changes_nothing() -> None:
    script = (
        "import json; from interpreter.machine import Machine; from interpreter.play import with_random_bots;"
        "from interpreter.observe import information_state; from tests.unit.interpreter_games import discards\n"
        "m = Machine(discards()); p = with_random_bots(m, 1); p.run()\n"
        "print(json.dumps([p.trace.to_json(), information_state(m, p.state, 0)]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_people_are_waited_for() -> None:
    machine = Machine(discards())
    play = Playthrough(machine, 1, {1: random_bot})
    play.advance()
    while not play.is_over:
        assert machine.to_move(play.state) == (0,)
        play.choose(0, machine.legal_actions(play.state)[0])
        play.advance()
    assert play.num_decisions == sum(isinstance(s, Chosen) for s in play.trace.steps)
    assert isinstance(play.trace.steps[0], Drawn)


def test_bots_choose_first_where_all_choose_at_once() -> None:
    machine = Machine(secret_picks())
    play = Playthrough(machine, 1, {1: random_bot})
    play.advance()
    assert [p.player for p in play.state.pending] == [1]
    assert machine.to_move(play.state) == (0,)


def test_a_refused_choice_leaves_the_playthrough_as_it_was() -> None:
    play = Playthrough(Machine(discards()), 1, {})
    play.advance()
    before, steps = play.state, len(play.steps)
    with pytest.raises(InvalidChoice):
        play.choose(1, Choice(1, "pass"))
    assert play.state is before and len(play.steps) == steps


def test_a_trace_of_another_game_does_not_fit() -> None:
    machine = Machine(discards())
    trace = with_random_bots(machine, 1).trace
    with pytest.raises(ValueError, match="step 1: chance has nothing to decide"):
        replay(Machine(secret_picks()), replace(trace, steps=(Drawn(0),)))
    with pytest.raises(InvalidChoice, match="step 1: raise is not on offer"):
        replay(machine, replace(trace, steps=(Chosen(0, "raise"),)))


def stuck() -> ir.Game:
    never = action("wait", 0, guards=(const(False, BOOL),))
    return game((ir.Decide(const(1, PLAYER), "d", (never,), ORIGIN),))


def test_a_player_without_an_action_is_a_fault() -> None:
    machine = Machine(stuck())
    with pytest.raises(Fault, match="seat 2 has no action to choose"):
        with_random_bots(machine, 1).run()
    with pytest.raises(Fault) as caught:
        simulate(machine, 3, seed=9)
    assert caught.value.__notes__ == ["in game 0 of seed 9"]


# --------------------------------------------------------------------------------------- simulation


def test_a_summary_counts() -> None:
    machine = Machine(discards())
    seen: list[int] = []
    data = simulate(machine, 50, seed=1, progress=lambda s: seen.append(s.games)).to_json()
    assert list(data) == [
        "game", "players", "games", "finished", "unfinished", "seconds", "decisions", "ends", "winners", "shares",
        "scores",
    ]  # fmt: skip
    assert seen == list(range(1, 51))
    assert data["games"] == data["finished"] == sum(data["ends"].values()) == 50 and data["unfinished"] == 0
    assert set(data["winners"]) == set(data["scores"]) == {"1", "2"}
    assert 0 <= data["scores"]["1"]["min"] <= data["scores"]["1"]["mean"] <= data["scores"]["1"]["max"] <= 2
    again = simulate(machine, 50, seed=1).to_json()
    assert {k: v for k, v in again.items() if k != "seconds"} == {k: v for k, v in data.items() if k != "seconds"}


def test_each_game_depends_on_the_seed_and_its_number_alone() -> None:
    machine = Machine(discards())
    few, many = simulate(machine, 3, seed=5).scores, simulate(machine, 10, seed=5).scores
    assert many[:3] == few


def test_long_games_are_left_unfinished() -> None:
    data = simulate(Machine(discards()), 5, max_decisions=1).to_json()
    assert (data["finished"], data["unfinished"], data["decisions"]) == (0, 5, 5)
    assert data["scores"]["1"] == {"min": None, "mean": None, "max": None, "interval": None}
    assert data["ends"] == {} and data["winners"] == {"1": 0, "2": 0}


def test_thinking_times_can_be_set() -> None:
    data = simulate(Machine(timed()), 4, think_ms=(2_000, 2_000)).to_json()
    assert data["ends"] == {"time is up": 4}
    assert data["scores"]["1"] == {"min": 9, "mean": 9, "max": 9, "interval": [9, 9]}

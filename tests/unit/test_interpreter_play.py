"""Playthroughs, traces, bots and simulation."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from dsl import ir
from interpreter.actions import Choice, InvalidChoice
from interpreter.bots import Trials, lookahead_bot, random_bot
from interpreter.machine import Machine
from interpreter.play import Playthrough, replay, with_random_bots
from interpreter.simulate import simulate
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace
from interpreter.values import Fault
from tests.unit.interpreter_games import (
    BOOL,
    INT,
    ORIGIN,
    PLAYER,
    action,
    assign,
    const,
    discards,
    game,
    secret_picks,
    timed,
    var,
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
        "game", "players", "games", "finished", "unfinished", "seconds", "decisions", "ends", "winners", "scores",
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
    assert data["scores"]["1"] == {"min": None, "mean": None, "max": None}
    assert data["ends"] == {} and data["winners"] == {"1": 0, "2": 0}


def test_thinking_times_can_be_set() -> None:
    data = simulate(Machine(timed()), 4, think_ms=(2_000, 2_000)).to_json()
    assert data["ends"] == {"time is up": 4}
    assert data["scores"]["1"] == {"min": 9, "mean": 9, "max": 9}


# --------------------------------------------------------------------------------------------- bots


def pays(*worth: int) -> ir.Game:
    """One player picks a number from 0 and gets what it is worth."""
    rows = ir.Table("worth", ir.IntType(0, len(worth) - 1), INT, worth)
    pick = action("pick", 1, ir.Param("n", "n", INT, ir.IntType(0, len(worth) - 1)))
    nodes = (
        ir.Decide(const(0, PLAYER), "d", (pick,), ORIGIN),
        assign("score", ir.TableExpr("worth", var("n"), INT), 2, const(0, PLAYER)),
        ir.Finish("over", ORIGIN),
    )
    return game(nodes, (ir.StateVar("n", (), INT, None, local=True),), num_players=1, tables=(rows,))


def test_a_bot_that_looks_ahead_takes_the_better_action() -> None:
    machine = Machine(pays(3, 1, 9, 4))
    for seed in range(5):
        bot = lookahead_bot(random.Random(seed), steps=60)
        assert bot(machine, machine.initial(), 0).arguments == (2,)


def test_looking_ahead_beats_chance() -> None:
    machine = Machine(secret_picks())
    bot = lookahead_bot(random.Random(1), steps=200)
    state = machine.initial()
    assert bot(machine, state, 0).arguments == (3,)


def test_looking_ahead_is_the_same_for_the_same_seed_and_changes_nothing() -> None:
    machine = Machine(discards())
    state = machine.apply_chance(machine.initial(), tuple(range(8)))
    key = state.key()
    chosen = [lookahead_bot(random.Random(4), steps=300)(machine, state, 0) for _ in range(2)]
    assert chosen[0] == chosen[1]
    assert state.key() == key


def test_looking_ahead_uses_only_what_the_player_knows() -> None:
    """Two states that seat 1 cannot tell apart: the other's cards and the stock differ."""
    machine = Machine(discards())
    states = [
        machine.apply_chance(machine.initial(), order) for order in ((0, 1, 2, 3, 4, 5, 6, 7), (5, 4, 3, 2, 1, 0, 6, 7))
    ]
    for seed in range(10):
        first, second = [lookahead_bot(random.Random(seed), steps=200)(machine, state, 0) for state in states]
        assert first == second


def test_a_time_budget() -> None:
    machine = Machine(pays(3, 1, 9, 4))
    assert lookahead_bot(random.Random(1), seconds=0.05)(machine, machine.initial(), 0).arguments == (2,)


def test_the_only_action_needs_no_thought() -> None:
    machine = Machine(pays(3))
    assert lookahead_bot(random.Random(1), steps=0)(machine, machine.initial(), 0).arguments == (0,)


def test_a_win_counts_above_any_lead() -> None:
    trials = Trials(2, random.Random(1), 0.7)
    for _ in range(2):
        trials.next()
    trials.add(0, 0, 100)
    trials.add(1, 1, 0)
    assert trials.best() in (0, 1)
    trials.add(0, -1, 100)
    assert trials.best() == 1

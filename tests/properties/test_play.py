"""Random games of everything that ships: nothing gets lost, nobody is stuck, no rule asks for what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from interpreter.machine import Machine
from interpreter.play import replay, with_random_bots
from interpreter.simulate import play_out, simulate
from interpreter.state import check_conservation
from interpreter.trace import Trace
from tests.properties.corpus import Setting, few_settings, files, machine_of, model_of, one_of_each, readings, settings
from tests.properties.playing import Walk

QUICK_DECISIONS = 40  # of each of the games of the quick suite
SHORT = 1_000  # a game with no more decisions than these is short
MANY, FEW = 2_000, 50  # games of a short one, and at least of any
DECISIONS = 200_000  # between the two, as many games as take these decisions
OTHERS = 50_000  # decisions at a reading that is not the default one


@pytest.mark.parametrize("path", files(), ids=lambda p: p.stem)
def test_every_shipped_file_is_right_at_each_reading(path: Path) -> None:
    model_of(path)
    for option in readings(path):
        model_of(path, option)


@pytest.mark.parametrize("setting", few_settings(), ids=str)
def test_every_stop_of_a_random_game(setting: Setting) -> None:
    machine = machine_of(setting)
    for seed in ("a", "b") if setting.option is None else ("a",):
        walk = Walk(machine, f"{setting}/{seed}", check=4)
        while not walk.is_over and walk.num_decisions < QUICK_DECISIONS:
            walk.step()


@pytest.mark.parametrize("setting", few_settings(), ids=str)
def test_a_random_game_ends_by_a_rule(setting: Setting) -> None:
    machine = machine_of(setting)
    think = machine.game.clock.think if machine.game.clock else None
    state, _ = play_out(machine, f"{setting}", 200_000, think)
    assert machine.is_terminal(state)
    check_conservation(state, machine.words.cards.pack)
    assert len(machine.returns(state)) == setting.num_players


@pytest.mark.parametrize("setting", one_of_each(), ids=str)
def test_a_recorded_game_plays_again(setting: Setting) -> None:
    machine = machine_of(setting)
    game = with_random_bots(machine, f"{setting}/trace")
    game.run(300)
    trace = Trace.from_json(game.trace.to_json())
    assert trace == game.trace
    keys = []
    final = replay(Machine(machine.game), trace, lambda s: keys.append(s.key()))
    assert final.key() == game.state.key()
    assert len(keys) == len(trace.steps) + 1
    # Playing by changing the state itself comes to the same as playing by copies of it.
    state = machine.initial()
    for step, key in zip(trace.steps, keys[1:], strict=True):
        if hasattr(step, "outcome"):
            machine.play_chance(state, step.outcome)
        else:
            choice = machine.parse_choice(state, step.player, step.choice)
            assert choice is not None
            machine.play_choice(state, step.player, choice, step.elapsed_ms)
        assert state.key() == key


@pytest.mark.slow
@pytest.mark.parametrize("setting", settings(), ids=str)
def test_many_random_games_end_by_a_rule(setting: Setting) -> None:
    machine = machine_of(setting)
    probe = simulate(machine, 5, f"{setting}/probe", max_decisions=1_000_000)
    mean = probe.decisions / probe.games
    games = MANY if mean <= SHORT else max(FEW, min(MANY, int(DECISIONS / mean)))
    if setting.option is not None:
        games = min(games, max(5, int(OTHERS / mean)))
    summary = simulate(machine, games, f"{setting}/many", max_decisions=1_000_000)
    assert summary.unfinished == 0 and summary.finished == games
    told = f"{games} games of {summary.decisions // games} decisions, {summary.seconds:.1f} s, {dict(summary.ends)}"
    print(f"{setting}: {told}")


@pytest.mark.slow
@pytest.mark.parametrize("setting", few_settings(), ids=str)
def test_every_stop_of_whole_random_games(setting: Setting) -> None:
    machine = machine_of(setting)
    looked_at, number = 0, 0
    while looked_at < 600:
        walk = Walk(machine, f"{setting}/whole/{number}", check=10)
        while not walk.is_over and walk.num_decisions < 600:
            walk.step()
        looked_at, number = looked_at + walk.num_decisions, number + 1

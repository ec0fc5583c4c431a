"""Bots at every game: what they choose is legal, follows from the seed alone, and is better than luck."""

from __future__ import annotations

import random
from functools import partial

import pytest

from interpreter.bots import search_bot
from interpreter.machine import Machine
from interpreter.play import Playthrough
from interpreter.search import Search
from interpreter.simulate import Summary, simulate
from tests.properties.corpus import GAMES, Setting, few_settings, machine_of, one_of_each


def play_some(machine: Machine, seed: str, decisions: int, steps: int) -> None:
    """A searching bot in every seat; `Playthrough` refuses what is not legal."""
    seats = dict.fromkeys(range(machine.game.num_players), partial(search_bot, steps=steps))
    Playthrough(machine, seed, seats).run(decisions)


@pytest.mark.parametrize("setting", one_of_each(), ids=str)
def test_what_a_search_chooses_is_legal(setting: Setting) -> None:
    play_some(machine_of(setting), str(setting), 12, 60)


@pytest.mark.slow
@pytest.mark.parametrize("setting", few_settings(), ids=str)
def test_what_a_search_chooses_is_legal_for_any_number_and_reading(setting: Setting) -> None:
    play_some(machine_of(setting), str(setting), 30, 60)


@pytest.mark.parametrize("setting", one_of_each(), ids=str)
def test_estimates_are_the_same_for_the_same_seed(setting: Setting) -> None:
    machine = machine_of(setting)
    play = Playthrough(machine, str(setting), {})
    state = play.advance()
    player = machine.to_move(state)[0]
    found = [Search(machine, random.Random(3), 150).estimates(state, player) for _ in range(2)]
    assert found[0] == found[1]
    assert [e.choice for e in found[0]] == machine.legal_actions(state, player)


def against_luck(name: str, games: int, steps: int, *seats: int) -> Summary:
    """A search in some seats (from 0) and random players in the others."""
    setting = next(s for s in one_of_each() if s.path == GAMES / f"{name}.yaml")
    return simulate(machine_of(setting), games, "luck", bots=dict.fromkeys(seats, partial(search_bot, steps=steps)))


@pytest.mark.parametrize(("name", "games", "wins"), [("poker_bull", 3, 2), ("leduc", 60, 33)])
def test_a_search_beats_luck_even_in_a_hurry(name: str, games: int, wins: int) -> None:
    assert against_luck(name, games, 150, 0).winners["1"] >= wins


def test_a_search_makes_more_of_a_game_alone_than_luck() -> None:
    searched, lucky = against_luck("four_rows", 1, 150, 0).scores, against_luck("four_rows", 40, 0).scores
    assert searched[0][0] > sum(float(score) for (score,) in lucky) / len(lucky) + 200


@pytest.mark.slow
@pytest.mark.parametrize(("name", "games", "seats"), [("poker_challenge", 4, (0,)), ("poker_bull", 6, (0,))])
def test_a_search_wins_nearly_every_game_against_luck(name: str, games: int, seats: tuple[int, ...]) -> None:
    assert against_luck(name, games, 300, *seats).winners["1"] >= games - 1


@pytest.mark.slow
def test_a_search_wins_from_luck_at_the_smallest_poker() -> None:
    low, _ = against_luck("leduc", 150, 300, 0).to_json()["scores"]["1"]["interval"]
    assert low > 0

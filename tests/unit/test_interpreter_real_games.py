"""Every game of the repository, played at random: what must hold of any game."""

from __future__ import annotations

import json
import random

import pytest

from interpreter.bots import search_bot
from interpreter.determinise import determinise
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.observe import information_state, observe
from interpreter.play import replay, with_random_bots
from interpreter.state import check_conservation
from interpreter.trace import Trace
from tests.properties import corpus
from tests.properties.corpus import GAMES

NAMES = sorted(path.stem for path in GAMES.glob("*.yaml"))


def machine_of(name: str, most: bool) -> Machine:
    path = GAMES / f"{name}.yaml"
    return corpus.machine_of(corpus.Setting(path, corpus.model_of(path).players[1 if most else 0]))


@pytest.mark.parametrize("most", [False, True], ids=["fewest", "most"])
@pytest.mark.parametrize("name", NAMES)
def test_a_random_playthrough(name: str, most: bool) -> None:
    machine, rng = machine_of(name, most), random.Random(1)
    play = with_random_bots(machine, f"{name} {most}")
    seen = 0
    while play.num_decisions < 150 and play.step():
        state = play.state
        check_conservation(state, machine.words.cards.pack)
        movers = machine.to_move(state)
        if not movers or play.num_decisions % 3:
            continue
        player = movers[0]
        legal = machine.legal_actions(state, player)
        assert len(set(legal)) == len(legal)
        for choice in legal[:: 1 + len(legal) // 8]:
            assert machine.why_not(state, player, choice) is None
            assert machine.parse_choice(state, player, machine.name_of(choice, state)) == choice
        for viewer in range(machine.game.num_players):
            world = determinise(machine, state, viewer, rng)
            check_conservation(world, machine.words.cards.pack)
            assert observe(machine, world, viewer, 0).to_json() == observe(machine, state, viewer, 0).to_json()
        seen += 1
    assert seen > 0
    trace = Trace.from_json(json.loads(json.dumps(play.trace.to_json())))
    final = replay(machine, trace)
    assert final.key() == play.state.key()
    for player in range(machine.game.num_players):
        assert information_state(machine, final, player) == information_state(machine, play.state, player)
        assert all(line.text for line in Narrator(machine.layout).log(final, player))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_on_offer_follows_from_what_the_player_sees(name: str) -> None:
    machine, rng = machine_of(name, False), random.Random(2)
    play = with_random_bots(machine, name)
    while play.num_decisions < 60 and play.step():
        for player in machine.to_move(play.state):
            world = determinise(machine, play.state, player, rng)
            assert machine.legal_actions(world, player) == machine.legal_actions(play.state, player)


@pytest.mark.parametrize("name", NAMES)
def test_a_search_depends_on_what_the_player_sees_alone(name: str) -> None:
    machine, rng = machine_of(name, False), random.Random(3)
    play = with_random_bots(machine, name)
    while play.num_decisions < 24 and play.step():
        if play.num_decisions % 6 == 5:
            for player in machine.to_move(play.state):
                world = determinise(machine, play.state, player, rng)
                # A world that is drawn has no history, and what others did tells something.
                bare = play.state.clone()
                bare.history = None
                chosen = [search_bot(random.Random(1), steps=60)(machine, s, player) for s in (bare, world)]
                assert chosen[0] == chosen[1]

"""Hidden cards reach nobody who may not see them: not by a view, a log, a list of actions, nor a bot's choice."""

from __future__ import annotations

import random

import pytest

from interpreter.bots import search_bot
from interpreter.determinise import determinise
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.observe import information_state, observe
from interpreter.state import State, check_conservation
from tests.properties.corpus import Setting, few_settings, machine_of, one_of_each, settings
from tests.properties.licence import Viewer
from tests.properties.worlds import Story, some

FEW_AND_MANY = [s for s in settings() if s.option is None and s.num_players <= 5] or list(settings())


def view(machine: Machine, state: State, viewer: Viewer) -> object:
    """Everything that a viewer is shown: what they see now, all they were told, and what they may do."""
    told = [line.text for line in Narrator(machine.layout).log(state, viewer)]
    seen = observe(machine, state, viewer).to_json()
    if viewer is None:
        return told, seen
    legal = [machine.name_of(c, state) for c in machine.legal_actions(state, viewer)]
    return told, seen, information_state(machine, state, viewer), legal


def faces(machine: Machine, world: State) -> object:
    """What lies where in a world, copies of a face taken for one, and what the game's own variables hold."""
    look, layout = machine.words.cards.look, machine.layout
    values = [v for v, declared in zip(world.vars, layout.cell_vars, strict=True) if not declared.local]
    return [[look[c] for c in pile] for pile in world.zones], values


def follow(setting: Setting, seed: str, decisions: int, pairs: int, bot_steps: int) -> tuple[int, int]:
    """One random game; tells how many other worlds were compared and how many bots were asked."""
    machine = machine_of(setting)
    story = Story(machine, f"{setting}/{seed}")
    rng = random.Random(f"{setting}/{seed}/worlds")
    worlds = asked = 0
    while not story.is_over and len(story.steps) < decisions:
        story.go_on()
        state = story.state
        viewers: list[Viewer] = rng.sample([*range(setting.num_players), None], min(3, setting.num_players + 1))
        for viewer in viewers:
            for a, b in some(story.hidden_pairs(viewer), rng, pairs):
                other = story.otherwise(a, b)
                if other is None or other.key() == state.key():
                    continue
                worlds += 1
                assert view(machine, state, viewer) == view(machine, other, viewer), f"{viewer} can tell {a} from {b}"
                if viewer is not None:
                    drawn = [faces(machine, determinise(machine, s, viewer, random.Random(7))) for s in (state, other)]
                    assert drawn[0] == drawn[1], f"how worlds are drawn for seat {viewer + 1} tells {a} from {b}"
                if viewer in machine.to_move(state) and asked < 6 and bot_steps:
                    assert viewer is not None
                    asked += 1
                    chosen = [search_bot(random.Random(7), bot_steps)(machine, s, viewer) for s in (state, other)]
                    assert chosen[0] == chosen[1], f"the bot of seat {viewer + 1} tells {a} from {b}"
    return worlds, asked


@pytest.mark.parametrize("setting", FEW_AND_MANY, ids=str)
def test_nobody_can_tell_worlds_apart_that_differ_in_what_they_did_not_see(setting: Setting) -> None:
    worlds, asked = follow(setting, "quick", 40, 2, 60)
    if any(z.seen != "everyone" for z in machine_of(setting).game.zones) and setting.num_players > 1:
        assert worlds and asked


@pytest.mark.slow
@pytest.mark.parametrize("setting", few_settings(), ids=str)
def test_nobody_can_tell_worlds_apart_in_longer_games(setting: Setting) -> None:
    for number in range(2):
        follow(setting, f"long/{number}", 100, 2, 150)


@pytest.mark.parametrize("setting", one_of_each(), ids=str)
def test_a_world_drawn_anew_looks_the_same_to_its_player(setting: Setting) -> None:
    machine = machine_of(setting)
    story, rng = Story(machine, f"{setting}/drawn"), random.Random(f"{setting}/drawn")
    while not story.is_over and len(story.steps) < 40:
        story.go_on()
        state = story.state
        before = state.key()
        for player in range(setting.num_players):
            world = determinise(machine, state, player, rng)
            check_conservation(world, machine.words.cards.pack)
            views = [observe(machine, s, player, log_lines=0).to_json() | {"chosen": None} for s in (state, world)]
            assert views[0] == views[1]
            names = [[machine.name_of(c, s) for c in machine.legal_actions(s, player)] for s in (state, world)]
            assert names[0] == names[1]
        assert state.key() == before

"""What is played is what is encoded: each node of each play, carried out on terms, comes to what play comes to."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl import load
from interpreter.values import Fault
from tests.properties import corpus
from tests.properties.beside import move_on, questions_of
from tests.properties.carried import Stepping
from tests.properties.handing import ASKED, asking, handing_rules, handing_text
from tests.properties.sentences import game_text, rule_texts
from tests.properties.test_semantics import RELAXED, read
from verify.slicing import steering_names

PLAYERS = 2


def play(machine: Stepping, rng: random.Random, most: int, told: Counter[str]) -> None:
    """One play, of which the machine follows what has terms."""
    before = machine.carried
    try:
        state = machine.initial(recording=False)
        for _ in range(most):
            if machine.is_terminal(state):
                break
            state, _ = move_on(machine, state, rng)
            told["played"] += 1
    except Fault:
        told["faults"] += 1
    told["steps"] += machine.carried - before


def play_game(path: Path, wanted: int, seed: str) -> Counter[str]:
    """So many steps of a file, at every number of players and reading in turn."""
    rng, told = random.Random(seed), Counter[str]()
    every = [s for s in corpus.settings() if s.path == path]
    while told["steps"] < wanted and told["played"] < 2 * wanted:
        setting = rng.choice(every)
        game = corpus.game_of(setting)
        asked = questions_of(corpus.model_of(setting.path, setting.option), rng, 2)
        steer = rng.choice((None, steering_names(corpus.machine_of(setting))))
        machine = Stepping(game, steer, asked)
        until = told["played"] + min(800, wanted)
        while told["played"] < until:
            play(machine, rng, until - told["played"], told)
        told["solved"] += machine.solved
        told["answers"] += machine.told
    return told


@pytest.mark.parametrize("path", corpus.files(), ids=lambda p: p.stem)
def test_terms_follow_a_few_steps(path: Path) -> None:
    assert play_game(path, 250, f"few/{path.stem}")["steps"] >= 250


@pytest.mark.slow
@pytest.mark.parametrize("path", corpus.files(), ids=lambda p: p.stem)
def test_terms_follow_play(path: Path) -> None:
    wanted = corpus.many_steps(path)
    told = play_game(path, wanted, f"many/{path.stem}")
    assert told["steps"] >= wanted, told


# -------------------------------------------------------------------------------------- generated rules


def follow_text(text: str, seed: int, told: Counter[str]) -> None:
    source, _ = read(text)
    if source is None:
        return  # where the writer may miss something is told beside what it is written for
    game = load.game(source, PLAYERS)
    asked = tuple(x for c in source.properties for x in c.expressions)
    for steer in (None, steering_names(Stepping(game))):
        machine = Stepping(game, steer, asked)
        for number in range(3):
            play(machine, random.Random(f"{seed}/{number}"), 60, told)
        told["answers"] += machine.told


def follow_many(examples: int) -> Counter[str]:
    told = Counter[str]()

    @settings(RELAXED, max_examples=examples)
    @given(text=handing_rules(PLAYERS), ask=st.booleans(), seed=st.integers(0, 10**6))
    def each(text: str, ask: bool, seed: int) -> None:
        follow_text(handing_text(text, PLAYERS, asking(ASKED) if ask else ""), seed, told)

    each()
    return told


def test_terms_follow_plays_of_generated_rules() -> None:
    told = follow_many(15)
    assert told["steps"] > 200 and told["answers"] > 200, told


@pytest.mark.slow
def test_terms_follow_many_plays_of_generated_rules() -> None:
    told = follow_many(45)
    assert told["steps"] > 600 and told["answers"] > 600, told


@pytest.mark.slow
@settings(RELAXED, max_examples=25)
@given(text=rule_texts(PLAYERS), seed=st.integers(0, 10**6))
def test_terms_follow_plays_of_any_rules(text: str, seed: int) -> None:
    follow_text(game_text(text, PLAYERS), seed, Counter())

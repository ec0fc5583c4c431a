"""Whatever play does, numbers of cards can do: beside every real position stands one of the count abstraction."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl import ir, load
from interpreter.machine import Machine
from interpreter.values import Fault
from tests.properties import corpus
from tests.properties.bench import Bench
from tests.properties.beside import Beside, Lost, move_on, questions_of
from tests.properties.fixing import made_up
from tests.properties.handing import ASKED, asking, handing_rules, handing_text
from tests.properties.test_semantics import RELAXED, read
from verify import counting_choices
from verify.points import Label
from verify.tracking import abstractions

PLAYERS = 2


def follow(beside: Beside, rng: random.Random, most: int, told: Counter[str]) -> None:
    """One play, as far as it can be followed."""
    machine = beside.machine
    try:
        state = machine.initial(recording=False)
        beside.begin(state)
        for _ in range(most):
            if machine.is_terminal(state):
                break
            after, choice = move_on(machine, state, rng)
            beside.step(state, choice, after)
            state = after
            told["steps"] += 1
    except Lost as error:
        told["lost"] += 1
        told[str(error)] += 1
    except Fault:
        told["faults"] += 1


def follow_game(path: Path, wanted: int, seed: str) -> Counter[str]:
    """So many steps of a file, at every number of players, reading and abstraction in turn."""
    rng, told = random.Random(seed), Counter[str]()
    every = [s for s in corpus.settings() if s.path == path]
    while told["steps"] < wanted and told["lost"] < wanted / 20:
        setting = rng.choice(every)
        machine = corpus.machine_of(setting)
        asked = questions_of(corpus.model_of(setting.path, setting.option), rng)
        coarse, tracked = rng.choice(abstractions(machine, asked))
        beside = Beside(machine, asked, tracked, coarse)
        until = told["steps"] + min(400, wanted)
        while told["steps"] < until and told["lost"] < wanted / 20:
            lost = told["lost"]
            follow(beside, rng, until - told["steps"], told)
            if told["lost"] > lost:
                break
        told["answers"] += beside.told
        told["promises"] += beside.promised
    return told


@pytest.mark.parametrize("path", corpus.files(), ids=lambda p: p.stem)
def test_counts_cover_a_few_steps(path: Path) -> None:
    assert follow_game(path, 250, f"few/{path.stem}")["steps"] >= 250


@pytest.mark.slow
@pytest.mark.parametrize("path", corpus.files(), ids=lambda p: p.stem)
def test_counts_cover_play(path: Path) -> None:
    wanted = corpus.many_steps(path)
    told = follow_game(path, wanted, f"many/{path.stem}")
    assert told["steps"] >= wanted and told["answers"] + told["promises"], told


# -------------------------------------------------------------------------------------- made-up positions


def stand_anywhere(
    game: ir.Game, asked: tuple[ir.Expr, ...], wanted: int, rng: random.Random, told: Counter[str]
) -> None:
    """Positions that a solver makes up: what is promised there can be done, and a step from there is covered."""
    machine, bench = Machine(game), Bench(game, None, rng, Counter())
    coarse, tracked = rng.choice(abstractions(machine, asked))
    beside = Beside(machine, asked, tracked, coarse)
    stops = [i for i, n in enumerate(game.nodes) if isinstance(n, ir.Decide | ir.Random)]
    for state in made_up(bench, stops, wanted) if stops else ():
        try:
            beside.stand(state, rng)
            after, choice = move_on(machine, state, rng)
            beside.step(state, choice, after)
        except Lost:
            told["lost"] += 1
        except Fault:
            told["faults"] += 1
        told["positions"] += 1
    told["promises"] += beside.promised


def stand_in_file(path: Path, wanted: int, seed: str) -> Counter[str]:
    rng, told = random.Random(seed), Counter[str]()
    every = [s for s in corpus.settings() if s.path == path]
    while told["positions"] < wanted:
        setting = rng.choice(every)
        asked = questions_of(corpus.model_of(setting.path, setting.option), rng)
        stand_anywhere(corpus.game_of(setting), asked, min(wanted, 60), rng, told)
    return told


@pytest.mark.parametrize("path", corpus.files(), ids=lambda p: p.stem)
def test_counts_promise_what_can_be_done(path: Path) -> None:
    assert stand_in_file(path, 40, f"few/{path.stem}")["positions"] >= 40


@pytest.mark.slow
@pytest.mark.parametrize("path", corpus.files(), ids=lambda p: p.stem)
def test_counts_promise_what_can_be_done_anywhere(path: Path) -> None:
    told = stand_in_file(path, 1_000, f"many/{path.stem}")
    assert told["positions"] >= 1_000 and told["promises"] > 300, told


def test_a_promise_that_is_not_kept_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting_choices, "Label", lambda *told, must=True, **more: Label(*told, **more))
    with pytest.raises(AssertionError, match="is not legal"):
        for path in corpus.files():
            stand_in_file(path, 100, "seeded")


# -------------------------------------------------------------------------------------- generated rules


def follow_rules(text: str, ask: bool, seed: int, told: Counter[str]) -> None:
    source, reporter = read(handing_text(text, PLAYERS, asking(ASKED) if ask else ""))
    if source is None:
        # The writer heeds grammar and types; now and then it misses a range.
        assert {d.code for d in reporter.diagnostics} <= {"T401", "T404", "L503", "L510"}, reporter.diagnostics
        return
    game = load.game(source, PLAYERS)
    machine = Machine(game)
    asked = tuple(x for c in source.properties for x in c.expressions)
    for coarse, tracked in abstractions(machine, asked):
        beside = Beside(machine, asked, tracked, coarse)
        for number in range(3):
            follow(beside, random.Random(f"{seed}/{number}"), 60, told)
        told["answers"] += beside.told
        told["promises"] += beside.promised
    stand_anywhere(game, asked, 6, random.Random(seed), told)


def cover_many(examples: int) -> Counter[str]:
    told = Counter[str]()

    @settings(RELAXED, max_examples=examples)
    @given(text=handing_rules(PLAYERS), ask=st.booleans(), seed=st.integers(0, 10**6))
    def each(text: str, ask: bool, seed: int) -> None:
        follow_rules(text, ask, seed, told)

    each()
    return told


def test_counts_cover_plays_of_generated_rules() -> None:
    told = cover_many(25)
    assert told["steps"] > 200 and told["answers"] > 200 and told["promises"] > 100, told


@pytest.mark.slow
def test_counts_cover_many_plays_of_generated_rules() -> None:
    told = cover_many(200)
    assert told["steps"] > 2_500 and told["answers"] > 5_000 and told["promises"] > 2_500, told

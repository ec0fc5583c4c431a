"""Proof by induction: what is said to be kept up is so in plays that it was not learned from, and no more is proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import model
from dsl.lower import lower
from interpreter.machine import Machine
from interpreter.values import Fault
from tests.properties import corpus
from tests.unit.test_prove_engines import FALSE, GAME
from tests.unit.written import model_of
from verify.exclusion import exclude
from verify.induction import Induction
from verify.learned import by_induction
from verify.outcome import Verdict
from verify.places import looks_at
from verify.solving import CVC5, UNSAT, answer
from verify.symmetry import seats

GAMES = Path(__file__).parents[2] / "spec" / "games"
STEPS_AND_POSITIONS = [
    'always: "size of hand[p] <= 3", for: {p: player}',
    'always: "size of stock + size of all hand = 6"',
    "always: turns <= 3",
    'never: "size of stock < 0"',
    'always: "points[p] >= before(points[p]) - 2", in: turn, for: {p: player}',
    'always: "size of all hand <= before(size of all hand) + 1", in: turn',
    'always: "size of hand[p] <= 3", in: turn, for: {p: player}',
]


def small(tmp_path: Path, claim: str) -> model.Model:
    return model_of(tmp_path, GAME.format(claim=claim))


@pytest.mark.parametrize("claim", STEPS_AND_POSITIONS)
@pytest.mark.parametrize("players", [3])
def test_what_is_kept_up_is_proved(tmp_path: Path, claim: str, players: int) -> None:
    source = small(tmp_path, claim)
    found = by_induction(source.properties[0], source, players, 60.0)
    assert found.verdict is Verdict.PROVED, found.because


@pytest.mark.parametrize("claim", [c for c in FALSE if not c.startswith(("bound", "values"))])
def test_what_is_false_is_not_proved(tmp_path: Path, claim: str) -> None:
    source = small(tmp_path, claim)
    assert by_induction(source.properties[0], source, 2, 60.0).verdict is Verdict.UNKNOWN


HANDED_ON = """
hoyle: 1
game: small
title: Small
players: 2
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner}}
  pile: {{seen: everyone}}
state: {{turns: {{type: 0..3, starts: 0}}}}
{clock}
rules: |
  rule game:
    shuffle stock
    for each p: deal 2 from stock to hand[p]
    deal 1 from stock to pile
    repeat until turns = 3:
      for each p: turn(p)
      turns += 1
  rule turn(p):
    p chooses turn:
      pass: turns := turns
      give(c in hand[p]):
        {moves}
  rule time_out:
    end game
result: {{score: turns, wins: turns = 3, ties: draw}}
properties:
  claim: {{{claim}}}
"""
CLOCK = "clock: {time: 9 seconds, think: 1 second .. 2 seconds, events: {out: {at: 0 seconds, rule: time_out}}}"


@pytest.mark.parametrize(
    ("clock", "moves", "claim"),
    [
        ("", "move c to pile\n        move c to stock", 'always: "size of pile >= before(size of pile)", in: turn'),
        ("", "move c to pile\n        move c to stock", 'never: "size of pile = 0 and size of all hand = 3", in: turn'),
        ("", "move c to pile\n        move c to stock", 'never: "size of all hand = 3"'),
        ("", "move c + c to stock", 'never: "size of stock = 2"'),
        (CLOCK, "reveal c", 'always: "time_left = before(time_left)", in: turn'),
    ],
)
def test_cards_that_move_on_and_time_that_passes_are_followed(
    tmp_path: Path, clock: str, moves: str, claim: str
) -> None:
    rules = HANDED_ON if clock else HANDED_ON.replace("  rule time_out:\n    end game\n", "")
    source = model_of(tmp_path, rules.format(clock=clock, moves=moves, claim=claim))
    (asked,) = source.properties
    assert by_induction(asked, source, 2, 60.0).verdict is Verdict.UNKNOWN
    assert looks_at(asked, source) == "rule" or not exclude(asked, source, 2, lambda v: v is not False, 10.0).holds


def learned(path: Path, num_players: int) -> Induction:
    source = corpus.model_of(path)
    scopes = frozenset(c.scope for c in source.properties if c.scope in source.rules and c.scope is not None)
    machine = Machine(lower(source, num_players, marked=scopes))
    claims = tuple(c for c in source.properties if c.kind in ("always", "never") and seats(machine, c.expressions))
    induction = Induction(machine, claims, 600.0)
    induction.settle()
    return induction


def check(induction: Induction, seed: int, seconds: float) -> None:
    """Plays that nothing was learned from come only to known stops, and there to what is held."""
    compiled = {id(x): induction.machine.compiler.compile(x) for held in induction.held.values() for x in held}
    for place, states in induction.visited(seed, seconds).items():
        for state in states:
            for sentence in induction.held[place]:
                try:
                    assert compiled[id(sentence)](state) is True, (place, sentence)
                except Fault:
                    continue  # it speaks of a value that is not set here, and says nothing


@pytest.mark.parametrize("game", ["four_rows", "leduc", "poke"])
def test_what_is_held_is_so_in_play(game: str) -> None:
    path = GAMES / f"{game}.yaml"
    check(learned(path, corpus.model_of(path).players[0]), 1, 1.0)


def unsatisfiable(text: str) -> bool:
    """Whether another solver, too, finds that nothing satisfies a text."""
    return answer(CVC5, f"(set-logic ALL)\n{text}") == UNSAT


@pytest.mark.parametrize("game", ["leduc", "poke"])
def test_another_solver_agrees_that_it_is_kept_up(game: str) -> None:
    path = GAMES / f"{game}.yaml"
    asked = list(learned(path, corpus.model_of(path).players[0]).ways(600.0))
    assert len(asked) > 10 and all(unsatisfiable(way.text) for way in asked)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["four_rows", "poker_bull", "whist"])
def test_another_solver_agrees_of_larger_games(game: str) -> None:
    path = GAMES / f"{game}.yaml"
    asked = learned(path, corpus.model_of(path).players[0]).ways(600.0)
    assert all(unsatisfiable(way.text) for way in asked)


def test_another_solver_disagrees_where_it_is_not(tmp_path: Path) -> None:
    source = small(tmp_path, 'always: "size of hand[p] <= 3", for: {p: player}')
    induction = Induction(Machine(lower(source, 2)), source.properties, 600.0)
    # Nothing was dropped yet: some of what plays suggest is not so.
    assert not all(unsatisfiable(way.text) for way in induction.ways(600.0))
    induction.settle()
    assert all(unsatisfiable(way.text) for way in induction.ways(600.0))


@pytest.mark.slow
@pytest.mark.parametrize("path", corpus.files(), ids=lambda p: p.stem)
def test_what_is_held_is_so_in_long_play(path: Path) -> None:
    fewest = corpus.model_of(path).players[0]
    induction = learned(path, fewest)
    for seed in range(1, 4):
        check(induction, seed, 3.0)

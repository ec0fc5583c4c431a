"""What a solver chooses can be played: steps of the encoded rules are made again in the interpreter (see `chosen`).

From positions of play, and from positions that the solver makes up; over single nodes, and from stop to stop as the
proofs have it.
"""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl import ir, load
from interpreter.machine import Machine
from interpreter.values import Fault
from tests.properties import corpus
from tests.properties.bench import Bench
from tests.properties.chosen import compare
from tests.properties.fixing import Disagreement
from tests.properties.handing import handing_rules, handing_text
from tests.properties.noting import Segments
from tests.properties.sentences import game_text, rule_texts
from tests.properties.test_semantics import RELAXED, read
from verify import folded, terms, terms_keys
from verify.folded import Lying, Unsupported
from verify.piling import Piling
from verify.slicing import steering_names
from verify.symbolic import Symbolic
from verify.terms import Terms

PLAYERS = 2
CASES = sorted(
    p for folder in ("good", "checks") for p in (Path(__file__).parents[1] / "cases" / folder).glob("*.yaml")
)
_AT_A_PLACE = 5  # so many steps of made-up positions at one place
_FEW_SEATS = 3  # more only where a game needs more, from stop to stop


def over_nodes(bench: Bench, places: int) -> None:
    """Steps over single nodes: at some places with positions made up, and at as many that one play comes to."""
    for _ in range(places):
        try:
            question = bench.of_node(bench.any_node())
        except Unsupported:
            bench.told["unsupported"] += 1
            continue
        for _ in range(_AT_A_PLACE):
            compare(bench, question)
    with suppress(Fault):
        for state in bench.positions():
            node = bench.machine.game.nodes[state.pc]
            if any(f.rest is not None for f in state.resume):
                continue  # what players have chosen at once has no terms
            if bench.rng.random() < 0.9 and not isinstance(node, ir.Decide | ir.Random):
                continue
            try:
                compare(bench, bench.of_node(bench.place_of(state)), state)
            except Unsupported:
                bench.told["unsupported"] += 1
            places -= 1
            if not places:
                break


def between_stops(bench: Bench, places: int) -> None:
    """Steps from stop to stop, with ways that meet merged: made up, and from the stops that one play comes to."""
    try:
        bench.segments = segments = Segments(bench.machine, bench.symbolic, (), 5)
    except Unsupported:
        bench.told["unsupported"] += 1
        return
    stops = [p for p in segments.stops if not isinstance(bench.machine.game.nodes[p.pc], ir.Finish)]
    questions = {p: bench.of_stop(p) for p in bench.rng.sample(stops, min(places, len(stops)))}
    for question in questions.values():
        for _ in range(_AT_A_PLACE):
            compare(bench, question)
    left = places * _AT_A_PLACE
    with suppress(Fault):
        for state in bench.positions():
            place, turned = segments.places.placed(state)
            if segments.places.is_stop(place) and left > 0:
                if place not in questions and len(questions) < 2 * places and place in segments.places.graph:
                    questions[place] = bench.of_stop(place)
                if place in questions:
                    compare(bench, questions[place], turned)
                    left -= 1


def of_file(path: Path, wanted: int, seed: str, places: int) -> Counter[str]:
    """So many steps of a file, at every number of players and reading in turn."""
    rng, told = random.Random(seed), Counter[str]()
    every = [s for s in corpus.settings() if s.path == path]
    fewest = min(s.num_players for s in every)
    few = [s for s in every if s.num_players <= max(fewest, _FEW_SEATS)]
    while told["steps"] < wanted:
        setting = rng.choice(every)
        steer = rng.choice((None, steering_names(corpus.machine_of(setting))))
        over_nodes(Bench(corpus.game_of(setting), steer, rng, told), places)
        setting = rng.choice(few)
        steer = steering_names(corpus.machine_of(setting))
        between_stops(Bench(corpus.game_of(setting), steer, rng, told), 1 + places // 5)
    return told


@pytest.mark.parametrize("path", [p for p in corpus.files() if p.parent == corpus.GAMES], ids=lambda p: p.stem)
def test_a_few_chosen_steps_can_be_played(path: Path) -> None:
    assert of_file(path, 20, f"few/{path.stem}", 3)["steps"] >= 20


@pytest.mark.slow
@pytest.mark.parametrize("path", corpus.files(), ids=lambda p: p.stem)
def test_chosen_steps_can_be_played(path: Path) -> None:
    wanted = 1_200 if path.parent == corpus.GAMES else 200
    told = of_file(path, wanted, f"many/{path.stem}", 20)
    # Nearly all is compared in full.
    assert told["forgotten"] + told["gave up"] < told["steps"] / 5, told


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_chosen_steps_of_cases_can_be_played(path: Path) -> None:
    found = load.load(path, path.name)
    source = found.model() if isinstance(found, load.Loaded) else None
    assert source is not None
    game, rng, told = load.game(source, source.players[0]), random.Random(path.stem), Counter[str]()
    steer = steering_names(Machine(game))
    over_nodes(Bench(game, rng.choice((None, steer)), rng, told), 12)
    between_stops(Bench(game, steer, rng, told), 4)
    assert told["steps"] > 20, told


# -------------------------------------------------------------------------------------- generated rules


def of_text(text: str, seed: int, told: Counter[str], places: int) -> None:
    source, _ = read(text)
    if source is None:
        return  # where the writer may miss something is told beside what it is written for
    game, rng = load.game(source, PLAYERS), random.Random(seed)
    steer = steering_names(Machine(game))
    for known in (None, steer):
        over_nodes(Bench(game, known, rng, told), places)
    between_stops(Bench(game, steer, rng, told), 1 + places // 3)


def of_handing(examples: int, places: int) -> Counter[str]:
    told = Counter[str]()

    @settings(RELAXED, max_examples=examples)
    @given(text=handing_rules(PLAYERS), seed=st.integers(0, 10**6))
    def each(text: str, seed: int) -> None:
        of_text(handing_text(text, PLAYERS), seed, told, places)

    each()
    return told


def test_chosen_steps_of_generated_rules_can_be_played() -> None:
    told = of_handing(4, 3)
    assert told["steps"] > 40, told


@pytest.mark.slow
def test_many_chosen_steps_of_generated_rules_can_be_played() -> None:
    told = of_handing(25, 6)
    assert told["steps"] > 1_000 and told["refused"] and told["failures seen"], told


@pytest.mark.slow
@settings(RELAXED, max_examples=10)
@given(text=rule_texts(PLAYERS), seed=st.integers(0, 10**6))
def test_chosen_steps_of_any_rules_can_be_played(text: str, seed: int) -> None:
    of_text(game_text(text, PLAYERS), seed, Counter(), 4)


# ---------------------------------------------------------------------------------------- seeded faults

SMALL = """
hoyle: 1
game: small
title: Small
players: 2
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
combinations:
  order: lowest first
  nothing: {cards: none of these}
  pair: {cards: 2 of rank r, by: r then side cards}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner}
  pile: {seen: everyone, holds: 3}
state:
  turns: {type: 0..4, starts: 0}
  lead: {type: player, starts: seat 1}
  points: {each: player, type: 0..9, starts: 0}
rules: |
  rule game:
    shuffle stock
    lead := random player
    repeat until turns = 4:
      turn(lead)
      turns += 1
  rule turn(p):
    if size of stock > 1: deal 1 from stock to hand[p]
    p chooses:
      wait:
        if best(hand[p]) > pair(7) and best(hand[p]) < pair(8): points[p] := 0
      drop(c in hand[p]) when rank of c > 7:
        if points[p] < 5: points[p] += 2
        move c to pile
        move c to stock
      keep(c in hand[p]) when size of pile < 3:
        move c to pile
        if every(d in pile has suit of d = hearts): points[p] += 1
      take(k: 1..2) when size of stock >= k:
        deal k from stock to hand[p]
    if size of hand[p] > points[p] and every(d in pile has suit of d = hearts): points[p] := size of hand[p]
    lead := left of lead
result: {score: "points[p]", wins: "points[p] > 3", ties: draw}
"""


def small_steps(rounds: int) -> Counter[str]:
    source, _ = read(SMALL)
    assert source is not None
    game, told = load.game(source, PLAYERS), Counter[str]()
    for seed in range(rounds):
        rng = random.Random(seed)
        over_nodes(Bench(game, None, rng, told), 15)
        between_stops(Bench(game, steering_names(Machine(game)), rng, told), 5)
    return told


def one_too_many(self: Piling, taken: Any, targets: Any, counts: Any) -> Any:
    return PUT(self, tuple((place, number + 1) for place, number in taken), targets, counts)


def no_end_of_room(self: Piling, taken: Any, targets: Any, counts: Any) -> Any:
    found = PUT(self, taken, targets, counts)
    self.full = False
    return found


def where_they_first_lay(self: Piling, cards: Any, target: Any, env: Any) -> Any:
    return MOVE(self, replace(cards, since=env.epoch) if isinstance(cards, Lying) else cards, target, env)


def other_branch(self: Symbolic, place: Any, env: Any) -> Any:
    node = self.game.nodes[place.pc]
    for condition, after, changed in EDGES(self, place, env):
        if isinstance(node, ir.Branch):
            after = after._replace(pc=node.no if after.pc == node.yes else node.yes)
        yield condition, after, changed


def without_guards(self: Symbolic, place: Any, env: Any, action: ir.Action) -> Any:
    return ACT(self, place, env, replace(action, guards=()))


def first_way(self: Symbolic, ways: Any) -> Any:
    return MERGE(self, ways[:1])


PUT, MOVE, EDGES, ACT, MERGE = Piling.put, Piling.move, Symbolic.edges, Symbolic._act, Symbolic.merge
FAULTS = {
    "one card too many": (Piling, "put", one_too_many),
    "room is never short": (Piling, "put", no_end_of_room),
    "chosen cards stay where they lay": (Piling, "move", where_they_first_lay),
    "the other branch": (Symbolic, "edges", other_branch),
    "no guards": (Symbolic, "_act", without_guards),
    "the same cards after a move": (Symbolic, "stirred", lambda self, env: env.copy()),
    "one of the ways that meet": (Symbolic, "merge", first_way),
    "no ranges": (Symbolic, "_in_range", lambda self, t, value: True),
    "at most for less": (terms, "less", lambda a, b, or_equal: folded.less(a, b, True)),
    "nothing lies between two calls": (terms_keys, "leaves_open", lambda machine, kind: False),
    "the wrong neighbour": (Terms, "_unary", lambda self, x, env: self.term(x.operand, env)
                            if x.op is ir.Unary.LEFT_OF else UNARY(self, x, env)),
}  # fmt: skip
UNARY = Terms._unary


def test_chosen_steps_of_a_small_game_can_be_played() -> None:
    told = small_steps(2)
    assert told["steps"] > 150 and told["refused"] + told["failures seen"], told


@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_of_the_encoder_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[fault])
    with pytest.raises(Disagreement):
        small_steps(20)

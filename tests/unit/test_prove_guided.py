"""Guided play: it comes where luck hardly ever does, the same way each time, and never where nobody can."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dsl import ir, load, model
from interpreter.machine import Machine
from interpreter.play import replayed
from interpreter.trace import Chosen, Drawn, Trace
from verify import claims
from verify.distance import Distances
from verify.guided import Guided
from verify.lines import Line, choose, draw, exchange
from verify.outcome import Verdict
from verify.places import Lookout, looks_at, machine_for
from verify.plays import Found, Plays, holds_again
from verify.scout import Scout, goals
from verify.targets import Targets

# One lays cards from a face-down pile into their own row or throws them away; who passes ends it all.
GAME = """
hoyle: 1
game: rows
title: Rows
players: 2..3
cards:
  ranks: [2, 3, 4, 5, 6, 7, 8, 9, 10, J, Q, K, A]
  suits: [clubs, diamonds, hearts, spades]
combinations:
  order: lowest first
  nothing: {{cards: none of these, worth: 0}}
  pair: {{cards: 2 of one rank, worth: 1}}
  three: {{cards: 3 of one rank, worth: 5}}
  four: {{cards: 4 of one rank, worth: 20}}
  run: {{cards: 5 in sequence of one suit, worth: 50}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner, holds: 3}}
  row: {{each: player, seen: everyone, holds: 5}}
  thrown: {{seen: nobody}}
state:
  points: {{each: player, type: integer, starts: 0}}
  doubled: {{each: player, type: yes or no, starts: no}}
rules: |
  define ahead = highest(p by points[p] tie none)
  rule game:
    gather all cards into stock
    shuffle stock
    for each p: deal 2 from stock to hand[p]
    repeat until size of stock < players:
      for each p: turn(p)
  rule turn(p):
    deal 1 from stock to hand[p]
    p chooses turn:
      lay(c in hand[p]) when size of row[p] < 5:
        move c to row[p]
        if size of row[p] = 5: score_row(p)
      throw(c in hand[p]): move c to thrown
      double when not doubled[p] and size of row[p] = 0:
        doubled[p] := yes
        move top of hand[p] to thrown
      pass: end game because "somebody passed"
  rule score_row(p):
    let value = worth of best(row[p])
    points[p] += if doubled[p] then 2 * value else value
    move row[p] to thrown
    doubled[p] := no
result: {{score: "points[p]", wins: ahead = p, ties: draw}}
properties:
  claim: {{{claim}}}
"""

FOUND = [
    'possible: "points[seat 1] >= 50"',
    'possible: "points[seat 2] = 40"',
    'never: "points[p] >= 20 and before(points[p]) >= 20", in: score_row, for: {p: player}',
    'possible: "size of row[p] = 4 and kind of best(row[p]) = four", in: turn, for: {p: player}',
    'impossible: "some(p where points[p] > 0) and every(p has size of row[p] = 4)"',
]
# The first two are true of no play, the third of no deck.
NEVER = [
    'possible: "points[seat 1] > 0 and size of thrown < 5"',
    'possible: "points[p] < 0", for: {p: player}',
    'possible: "count(c in row[p] where rank of c = A) = 5", for: {p: player}',
]


def source_of(tmp_path: Path, claim: str) -> tuple[ir.Property, model.Model]:
    path = tmp_path / "rows.yaml"
    path.write_text(GAME.format(claim=claim), encoding="utf-8")
    loaded = load.load(path, "rows.yaml")
    assert isinstance(loaded, load.Loaded)
    source = loaded.model()
    assert source is not None, [d.message for d in loaded.reporter.diagnostics]
    return source.properties[0], source


def sought(claim: ir.Property, source: model.Model, players: int, seconds: float, seed: str = "1") -> Trace | None:
    """What guided play finds for the last goal of a claim, replayed by another machine."""
    where = looks_at(claim, source)
    machine = machine_for(claim, source, players)
    wanted, goal = list(goals(claim).items())[-1]
    is_it = (lambda v: v[0] == wanted) if claim.kind in ("bound", "values") else lambda v: bool(v[0]) is wanted
    found = Guided(machine, claim, where, goal, seed).run(seconds, is_it)
    if found is None:
        return None
    trace, at = found
    assert at == len(trace.steps)
    assert holds_again(machine_for(claim, source, players), claim, where, trace, is_it) == at
    return trace


@pytest.mark.parametrize("claim", FOUND)
def test_it_comes_where_luck_hardly_does(tmp_path: Path, claim: str) -> None:
    assert sought(*source_of(tmp_path, claim), 2, seconds=60) is not None


@pytest.mark.parametrize("claim", NEVER)
def test_it_never_comes_where_nobody_can(tmp_path: Path, claim: str) -> None:
    assert sought(*source_of(tmp_path, claim), 2, seconds=0.7) is None


def test_luck_does_not_come_there(tmp_path: Path) -> None:
    claim, source = source_of(tmp_path, 'possible: "points[seat 2] = 40"')
    machine = machine_for(claim, source, 2)
    lookout = Lookout(machine, claim, "stops")

    def found(values: tuple[bool, ...], _: tuple[object, ...]) -> None:
        if values[0]:
            raise Found

    lookout.found = found
    assert not Plays(lookout, "1").run(0.7)


def test_plays_look_again_after_somebody_else_looked(tmp_path: Path) -> None:
    claim, source = source_of(tmp_path, 'possible: "before(points[seat 1]) = points[seat 1]", in: turn')
    machine = machine_for(claim, source, 2)
    lookout, seen = Lookout(machine, claim, "rule"), list[object]()
    plays = Plays(lookout, "1")
    lookout.found = lambda values, _: seen.append(values)
    Lookout(machine, claim, "rule")
    plays.run(0.1)
    assert seen


def test_the_same_seed_finds_the_same_play(tmp_path: Path) -> None:
    claim, source = source_of(tmp_path, 'possible: "points[seat 1] >= 50"')
    first = sought(claim, source, 2, 60, "a")
    assert first is not None and first == sought(claim, source, 2, 60, "a")
    assert first != sought(claim, source, 2, 60, "b")


def test_an_end_that_luck_does_not_reach_is_reached(tmp_path: Path) -> None:
    bound = 'bound: "points[p]", in: score_row, for: {p: player}, expect: {min: 0, max: 100}'
    claim, source = source_of(tmp_path, bound)
    assert sought(claim, source, 2, 90) is not None


def test_a_bound_that_is_passed_is_refuted(tmp_path: Path) -> None:
    claim, source = source_of(tmp_path, 'bound: "points[p]", for: {p: player}, expect: {min: 0, max: 45}')
    assert claims.answer(claim, source, 2, 20.0).verdict is Verdict.REFUTED


def _dealt(machine: Machine, rng: random.Random) -> Line:
    state = machine.blank(recording=False)
    machine.advance(state)
    line = Line(state)
    while machine.chance_node(line.state) is not None:
        line = draw(machine, line, Drawn(machine.draw(line.state, rng)))
    return line


def test_a_line_with_other_cards_is_what_its_steps_lead_to(tmp_path: Path) -> None:
    """Exchanged, dealt on, played on: replayed from nothing it is the same position."""
    claim, source = source_of(tmp_path, 'possible: "points[seat 1] >= 50"')
    machine, rng = machine_for(claim, source, 3), random.Random(4)
    for _ in range(40):
        line = _dealt(machine, rng)
        for _ in range(12):
            if machine.is_terminal(line.state):
                break
            open_ = sorted(line.open)
            if len(open_) > 6:
                a, b, c, d = rng.sample(open_, 4)
                line = exchange(line, [(a, b), (c, d)])
            player = machine.to_move(line.state)[0]
            choice = rng.choice([c for c in machine.legal_actions(line.state, player) if c.name != "pass"])
            line = choose(machine, line, choice, Chosen(player, machine.name_of(choice, line.state)))
        trace = Trace("rows", 3, (), "", line.steps)
        *_, last = replayed(machine, trace)
        assert (last.vars, last.zones, last.where, last.pc) == (
            line.state.vars, line.state.zones, line.state.where, line.state.pc
        )  # fmt: skip


def test_a_target_is_of_its_kind_and_can_be_laid(tmp_path: Path) -> None:
    claim, source = source_of(tmp_path, 'possible: "points[seat 1] >= 50"')
    machine, rng = machine_for(claim, source, 2), random.Random(2)
    targets = Targets(machine, claim, rng)
    targets.begin()
    kinds = set()
    for _ in range(200):
        line = _dealt(machine, rng)
        target = targets.choose(line)
        if target is None:
            continue
        best = machine.words.combinations.best(sorted(target.cards))
        assert best is not None and best.kind == target.about[1][2]
        assert len(target.cards) <= (machine.mover.capacity(line.state, target.zone) or 52)
        kinds.add(best.kind)
        laid = targets.laid_out(line, target)
        assert sorted(c for z in laid.state.zones for c in z) == sorted(machine.words.cards.pack)
    assert len(kinds) >= 4


DISTANCES = [
    # The same position, ever nearer to what is wanted of it.
    ("size of stock = 40", "size of stock = 44", "size of stock = 46"),
    ("size of stock < 10", "size of stock < 40", "size of stock < 47"),
    ("size of stock = 3 and doubled[seat 1]", "size of stock = 3", "size of stock = 46"),
    ("every(p has doubled[p])", "some(p where doubled[p])", "not doubled[seat 1]"),
    ("ahead is not none and ahead = seat 1", "doubled[seat 1] or size of stock = 5", "players = 2"),
]


@pytest.mark.parametrize("conditions", DISTANCES)
def test_what_misses_by_less_is_nearer(tmp_path: Path, conditions: tuple[str, ...]) -> None:
    found = []
    for condition in conditions:
        claim, source = source_of(tmp_path, f'possible: "{condition}"')
        machine = machine_for(claim, source, 2)
        state = machine.blank(recording=False)
        machine.advance(state)
        line = _dealt(machine, random.Random(1))
        found.append(Distances(machine.compiler).of(claim.expressions[0])(line.state))
    assert found == sorted(found, reverse=True) and len(set(found)) == len(found)
    assert found[-1] == 0 or found[-1] < 1


def test_the_distance_is_nothing_just_where_it_holds(tmp_path: Path) -> None:
    for condition in {c for row in DISTANCES for c in row}:
        claim, source = source_of(tmp_path, f'possible: "{condition}"')
        machine, rng = machine_for(claim, source, 2), random.Random(3)
        truth = machine.compiler.compile(claim.expressions[0])
        distance = goals(claim)[True](Distances(machine.compiler))
        scout = Scout(machine, claim, "stops", goals(claim)[True])
        line = _dealt(machine, rng)
        for _ in range(30):
            assert (distance(line.state) == 0) is bool(truth(line.state))
            assert scout.measure(line.state)[0] == distance(line.state)
            player = machine.to_move(line.state)[0]
            choice = rng.choice([c for c in machine.legal_actions(line.state, player) if c.name != "pass"])
            line = choose(machine, line, choice, Chosen(player, machine.name_of(choice, line.state)))
            if machine.is_terminal(line.state):
                break


REAL = [
    ("four_rows", "nine_are_possible", 1),
    ("four_rows", "total_range", 1),
    ("poke", "leads", 2),
    ("poke", "most_in_a_hand", 2),
    ("poker_challenge", "first_hand_may_end", 2),
    ("poker_challenge", "first_hand_may_end", 14),
    ("poker_challenge", "equal_sets", 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "name", "players"), REAL)
def test_the_rulebooks_rare_things_are_found(game: str, name: str, players: int) -> None:
    path = Path(__file__).parents[2] / "spec" / "games" / f"{game}.yaml"
    loaded = load.load(path, game)
    assert isinstance(loaded, load.Loaded)
    source = loaded.model()
    assert source is not None
    claim = next(p for p in source.properties if p.name == name)
    assert sought(claim, source, players, 240, f"{name}/{players}") is not None

"""The engines on small games: what each proves, and that none proves what is false."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import ir, load, model, reader
from dsl.diagnostics import Reporter
from dsl.lower import lower
from dsl.yamltree import Mapping
from interpreter.machine import Machine
from tests.properties import corpus
from tests.unit.written import model_of
from verify.claims import answer
from verify.counting import CountMachine
from verify.exclusion import exclude
from verify.outcome import Answer, Verdict
from verify.ruleproofs import prove_at_end
from verify.running import Runner
from verify.steps import by_terms
from verify.tracking import levels

GAME = """
hoyle: 1
game: small
title: Small
players: 2..3
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
combinations:
  order: lowest first
  one: {{cards: 1 of rank r, worth: 1}}
  two: {{cards: 2 of rank r, worth: 4}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner, holds: 3}}
state:
  points: {{each: player, type: integer, starts: 0}}
  turns: {{type: 0..3, starts: 0}}
rules: |
  define value(p) = sum(worth of s for s in split(hand[p] by worth then best))
  rule game:
    gather all cards into stock
    shuffle stock
    repeat until turns = 3:
      for each p: turn(p)
      turns += 1
  rule turn(p):
    p chooses turn:
      take when size of stock > 0 and size of hand[p] < 3:
        deal 1 from stock to hand[p]
      score: points[p] += value(p)
      pay: points[p] -= 2
result: {{score: "points[p]", wins: "points[p] = max(points[q] for q)", ties: draw}}
properties:
  claim: {{{claim}}}
"""


def answered(tmp_path: Path, claim: str, players: int = 2, seconds: float = 6.0) -> Answer:
    source = model_of(tmp_path, GAME.format(claim=claim))
    return answer(source.properties[0], source, players, seconds)


PROVED = [
    "always: worth of two > worth of one",
    "values: worth of k, for: {k: kind}, expect: [1, 4]",
    "always: a > c, when: a > b and b > c, for: {a: combination, b: combination, c: combination}",
    'always: "size of hand[p] <= 3", for: {p: player}',
    'always: "size of stock + size of all hand = 6"',
    "impossible: size of stock = 6 and size of all hand > 0",
    'always: "points[p] >= before(points[p]) - 2", in: turn, for: {p: player}',
    'always: "count(q where points[q] != before(points[q])) <= 1", in: turn',
    'bound: turns, expect: {min: 0, max: 3}',
]
FALSE = [
    'always: "points[p] >= before(points[p])", in: turn, for: {p: player}',
    'always: "points[p] = before(points[p])", in: turn, for: {p: player}',
    'never: "points[p] > before(points[p]) + 3", in: turn, for: {p: player}',
    'always: "size of hand[p] <= 2", for: {p: player}',
    "impossible: size of stock < 3",
    "always: a >= b, for: {a: combination, b: combination}",
    "bound: size of stock, expect: {min: 2, max: 6}",
    "values: turns, expect: [0, 1, 3]",
    "always: worth of k = 1, for: {k: kind}",
]
POSSIBLE = ["possible: size of stock = 0", 'possible: "points[seat 1] < 0 and points[seat 2] > 3"']


@pytest.mark.parametrize("claim", PROVED)
def test_what_is_so_is_proved(tmp_path: Path, claim: str) -> None:
    found = answered(tmp_path, claim)
    assert found.verdict is Verdict.PROVED, found.because


@pytest.mark.parametrize("claim", FALSE)
def test_what_is_false_is_refuted(tmp_path: Path, claim: str) -> None:
    assert answered(tmp_path, claim).verdict is Verdict.REFUTED


@pytest.mark.parametrize("claim", POSSIBLE)
def test_what_can_be_is_shown(tmp_path: Path, claim: str) -> None:
    found = answered(tmp_path, claim, players=3)
    assert found.verdict is Verdict.WITNESSED
    assert found.trace is not None and found.at is not None


def test_what_cannot_be_is_no_witness(tmp_path: Path) -> None:
    assert answered(tmp_path, "possible: size of all hand > 6").verdict is Verdict.REFUTED


def test_a_premise_that_nothing_meets_is_told(tmp_path: Path) -> None:
    assert answered(tmp_path, 'always: "points[seat 1] = 1", when: turns > 3 and turns < 3').verdict is Verdict.VACUOUS


# Each fails of one seat only, or of a seat that is not the one whose turn it is.
OF_SOME_SEATS = [
    'always: "points[seat 3] >= before(points[seat 3])", in: turn',
    'always: "points[p] >= before(points[p])", in: turn, when: "size of hand[seat 2] = 3", for: {p: player}',
    'always: "points[p] >= points[q]", in: turn, for: {p: player, q: player}',
]


@pytest.mark.parametrize("claim", OF_SOME_SEATS)
def test_a_turn_of_the_first_seat_stands_for_others_only_where_nothing_tells_them_apart(
    tmp_path: Path, claim: str
) -> None:
    source = model_of(tmp_path, GAME.format(claim=claim))
    assert by_terms(source.properties[0], source, 3, 20.0).verdict is Verdict.UNKNOWN


def test_seats_that_are_alike_are_looked_at_once(tmp_path: Path) -> None:
    told = {}
    for name in ("points[p]", "points[p] + 0 * points[seat 1]"):
        claim = f'always: "{name} >= before(points[p]) - 2", in: turn, for: {{p: player}}'
        source = model_of(tmp_path, GAME.format(claim=claim))
        machine = Machine(lower(source, 3, "turn", frozenset({"turn"})))
        told[name] = prove_at_end(machine, source.properties[0], 20.0)
    assert [proof.places for proof in told.values()] == [7, 17]
    assert all(proof.holds for proof in told.values())


ROWS = """
hoyle: 1
game: rows
title: Rows
players: 1
cards: {{ranks: [7, 8, 9, 10], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  row: {{each: 1..3, seen: everyone, holds: 5}}
rules: |
  rule game:
    shuffle stock
    repeat 4 times:
      the player chooses move:
        lay(r: 1..3): deal 1 from stock to row[r]
result: {{score: 0, wins: "yes"}}
properties:
  claim: {{{claim}}}
"""


@pytest.mark.parametrize(("places", "most", "holds"), [("1..3", 3, False), ("1..2", 3, False), ("1..2", 4, True)])
def test_places_that_a_claim_tells_apart_are_not_one(tmp_path: Path, places: str, most: int, holds: bool) -> None:
    claim = f'for: {{r: {places}}}, always: "size of row[r] <= {most}"'
    source = model_of(tmp_path, ROWS.format(claim=claim))
    claimed = source.properties[0]
    assert exclude(claimed, source, 1, lambda value: value is not True, 5.0).holds is holds


WRONG = {
    "poker_challenge": [
        ("settle", "always", "total[caller] > before(total[caller])"),
        ("settle", "always", "every(q has total[q] = before(total[q]))"),
        ("showdown", "never", "some(q where before(beats_caller(q)))"),
    ],
    "poker_bull": [("round", "always", "sum(losses[p] for p) = before(sum(losses[p] for p))")],
    "poke": [("score_tricks", "always", "every(p has below[p] > before(below[p]))")],
}


@pytest.mark.parametrize(("game", "claim"), [(g, c) for g, several in WRONG.items() for c in several])
def test_a_wrong_claim_about_a_rule_of_a_game_is_not_proved(game: str, claim: tuple[str, str, str]) -> None:
    folder = Path(__file__).parents[2] / "spec" / "games"
    rule, kind, text = claim
    source = with_claim(folder / f"{game}.yaml", f'wrong: {{{kind}: "{text}", in: {rule}}}')
    found = answer(source.properties[-1], source, source.players[0], 6.0)
    assert found.verdict is Verdict.REFUTED


def with_claim(path: Path, claim: str) -> model.Model:
    """The game with one claim in place of its own."""
    changed = path.with_name(f"{path.stem}.changed.yaml")

    def read(at: Path, shown: str, reporter: Reporter) -> Mapping | None:
        if at != changed:
            return reader.read_file(at, shown, reporter)
        game = reader.read_file(path, shown, reporter)
        own = reader.read_text("claim.yaml", f"properties:\n  {claim}\n", reporter)
        assert game is not None and own is not None
        return Mapping((*(e for e in game.entries if e.key.text != "properties"), *own.entries), game.span)

    loaded = load.load(changed, path.name, path.parent, read)
    assert isinstance(loaded, load.Loaded)
    source = loaded.model()
    assert source is not None, [d.message for d in loaded.reporter.diagnostics]
    assert isinstance(source.properties[0], ir.Property)
    return source


@pytest.mark.parametrize("game", ["leduc", "poke", "poker_challenge", "whist"])
def test_running_on_is_what_single_steps_do(game: str) -> None:
    """Every position that is run on to is reached by single steps, and nothing open is run past."""
    source = corpus.model_of(corpus.GAMES / f"{game}.yaml")
    machine = Machine(lower(source, source.players[0]))
    counting = CountMachine(machine, levels(machine, ())[0])
    runner = Runner(counting, (ir.Decide, ir.Finish))
    queue, seen = [counting.start()], set()
    while queue and len(seen) < 1500:
        for _, point in counting.successors(queue.pop(0)):
            goal = runner.run(point)
            at, open_ways = point, 0
            while at != goal:
                following = counting.successors(at)
                assert len(following) == 1 and following[0][0] is None, "something open was run past"
                at, open_ways = following[0][1], open_ways + 1
                assert open_ways < 2500
            if goal not in seen:
                seen.add(goal)
                queue.append(goal)

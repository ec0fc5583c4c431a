"""Claims that look back over a rule, proved by counts: what they look back at is put by as the rule begins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dsl import ir, model, types
from dsl.walk import parts
from interpreter.machine import Machine
from tests.unit.test_prove_cli import loaded_of
from tests.unit.written import model_of
from verify.claims import answer
from verify.exclusion import Exclusion, exclude
from verify.judging import is_stray
from verify.outcome import Verdict
from verify.putby import without_look_back
from verify.questions import questions
from verify.symmetry import counted_seats

GAMES = Path(__file__).parents[2] / "spec" / "games"
MEALS = """\
hoyle: 1
game: meals
title: Meals
players: 2..4
cards: {ranks: [2, 3, 4, 5, 6, 7, 8, 9], suits: [red, blue]}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner}
state:
  eaten: {each: player, type: 0..20, starts: 0}
  fed: {each: player, type: yes or no, starts: no}
  host: {type: player or none, starts: none}
  meals: {type: 0..9, starts: 0}
rules: |
  define spare(p) = 10 / (size of hand[p] - 1)
  rule game:
    gather all cards into stock
    repeat 2 times:
      for each p: fed[p] := no
      meal
    end game because "it is late"
  rule meal:
    meals += 1
    eaten[seat 1] := 1
    for each p: turn(p)
  rule turn(p):
    p chooses course:
      take:
        deal 1 from stock to hand[p]
        fed[p] := yes
        host := p
      rest
      leave: end meal because "somebody left"
BELLresult:
  score: "size of hand[p] + eaten[p] + (if fed[p] or host is none then meals else 0)"
  wins: "size of hand[p] = max(size of hand[q] for q)"
  ties: draw
properties:
  claim: CLAIM
  thin: {possible: "spare(seat 1) > 2"}
"""
CLOCK = """\
clock: {time: 20 seconds, think: 1 second .. 2 seconds, events: {late: {at: 9 seconds, rule: bell},
  out: {at: 0 seconds, rule: bell}}}
"""
EACH = ", for: {q: player}"


def meals(folder: Path, claim: str, bell: str = "") -> model.Model:
    text = MEALS.replace("CLAIM", f"{{{claim}}}").replace("BELL", bell)
    if bell:
        text = text.replace("zones:\n", f"{CLOCK}zones:\n")
    return model_of(folder, text)


def excluded(source: model.Model, players: int = 2) -> Exclusion:
    claim = source.properties[0]
    return exclude(claim, source, players, is_stray(claim), 20.0)


HOLD = [
    'always: "size of stock >= before(size of stock) - 1", in: turn',
    'always: "size of stock = before(size of stock) - count(p where fed[p])", in: meal',
    f'always: "size of hand[q] in before(size of hand[q])..before(size of hand[q]) + 1", in: turn{EACH}',
    f'always: "size of hand[q] = before(size of hand[q]) + (if fed[q] then 1 else 0)", in: meal{EACH}',
    'always: "count(q where size of hand[q] > before(size of hand[q])) <= 1", in: turn',
    'always: "every(q has size of hand[q] = before(size of hand[q]) or host = q)", in: turn',
    'always: "host = before(host) or fed[seat 1] or fed[seat 2]", in: meal, players: 2',
    'never: "meals = before(meals)", in: meal',
    'never: "size of stock < before(size of stock)", when: "before(size of stock = 0)", in: turn',
]
FAIL = [
    'always: "size of stock = before(size of stock) - 1", in: turn',
    'always: "size of stock >= before(size of stock) - 1", in: meal',
    f'always: "size of hand[q] = before(size of hand[q])", in: turn{EACH}',
    f'always: "size of hand[q] = before(size of hand[q])", when: "fed[q] and not before(fed[q])", in: turn{EACH}',
    'always: "some(q where size of hand[q] > before(size of hand[q]))", in: turn',
    'always: "host = before(host)", in: turn',
    'never: "meals = before(meals) + 1", in: meal',
]


@pytest.mark.parametrize("claim", HOLD)
@pytest.mark.parametrize("players", [2, 3])
def test_what_holds_over_a_rule_is_proved_by_counts(tmp_path: Path, claim: str, players: int) -> None:
    source = meals(tmp_path, claim)
    if players > source.properties[0].players[1]:
        return
    found = excluded(source, players)
    assert found.holds, found.because


@pytest.mark.parametrize("claim", FAIL)
def test_what_fails_over_a_rule_is_not(tmp_path: Path, claim: str) -> None:
    source = meals(tmp_path, claim)
    assert not excluded(source).holds
    assert answer(source.properties[0], source, 2, 4.0).verdict is Verdict.REFUTED


REFUSED = [
    ('always: "size of stock <= before(size of stock)", when: "before(spare(seat 1)) > 0", in: turn', "no value"),
    ('always: "fed[seat 1] or size of stock >= 0", when: "before(eaten[host]) = 0", in: turn', "no value"),
    ('always: "size of hand[seat 1] >= 0", when: "before(rank of top of stock) = 2", in: turn', "no value"),
    ('always: "size of stock >= 0", when: "before(top of stock) in hand[seat 1]", in: turn', "put by"),
    ('always: "every(c in hand[seat 1] has before(c in stock) or size of stock >= 0)", in: turn', "what cards are"),
]


@pytest.mark.parametrize(("claim", "why"), REFUSED)
def test_what_may_have_no_value_is_not_put_by(tmp_path: Path, claim: str, why: str) -> None:
    found = excluded(meals(tmp_path, claim))
    assert not found.holds
    assert why in found.because


def test_a_rule_that_the_clock_follows_is_not_looked_back_over(tmp_path: Path) -> None:
    claim = 'always: "size of stock <= before(size of stock)", in: meal'
    source = meals(tmp_path, claim, "  rule bell:\n    meal\n")
    found = excluded(source)
    assert not found.holds and "begin again" in found.because
    # What the clock does elsewhere is followed.
    bell = "  rule bell:\n    if size of stock > 0: deal 1 from stock to hand[seat 1]\n"
    assert excluded(meals(tmp_path, claim, bell)).holds
    lost = 'always: "size of stock >= before(size of stock) - 1", in: turn'
    assert excluded(meals(tmp_path, lost)).holds
    assert not excluded(meals(tmp_path, lost, bell)).holds


def of_poker_challenge(name: str) -> tuple[ir.Property, model.Model]:
    loaded = loaded_of(GAMES / "poker_challenge.yaml")
    asked = next(q for q in questions(loaded, (), None, {}, True) if q.name == name)
    assert asked.claim is not None
    return asked.claim, asked.source


def test_seats_still_turn_where_something_is_put_by_for_each() -> None:
    put_by = without_look_back(*of_poker_challenge("a_card_short_at_most"), 3)
    assert not any(isinstance(x, ir.Before) for x in parts(put_by.claim.expressions))
    table = counted_seats(Machine(put_by.game), put_by.claim.expressions)
    assert table is not None
    assert "before:0" in [f.name for f, of_vars in table.turning if of_vars]


@pytest.mark.parametrize("players", [2, 14])
def test_those_who_draw_are_counted(players: int) -> None:
    claim, source = of_poker_challenge("who_draws")
    assert exclude(claim, source, players, is_stray(claim), 20.0).holds
    (equal,) = claim.expressions
    assert isinstance(equal, ir.BinaryExpr)
    one_more = ir.BinaryExpr(ir.Binary.ADD, equal.right, ir.Const(1, types.INTEGER), types.INTEGER)
    other = replace(claim, expressions=(replace(equal, right=one_more),))
    assert not exclude(other, source, players, is_stray(other), 0.5).holds

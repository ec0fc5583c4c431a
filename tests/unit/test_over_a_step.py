"""Bounds of what a rule changes: proved where cards cannot say more, never where they can, and shown with a play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dsl import model
from tests.unit.written import model_of
from verify.attained import within
from verify.claims import answer
from verify.extents import Extents
from verify.outcome import Answer, Verdict
from verify.places import machine_for
from verify.steps import by_terms
from verify.terms import Asked

MEALS = """\
hoyle: 1
game: meals
title: Meals
players: 2..3
cards: {ranks: [2, 3, 4, 5], suits: [red, blue, green]}
combinations:
  order: lowest first
  one: {cards: 1 of rank r, worth: 1}
  two: {cards: 2 of rank r, worth: 4}
  trio: {cards: 3 in sequence of one suit, worth: 20}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner, holds: 4}
  plate: {each: [player, kind], seen: everyone, holds: size of kind}
state:
  points: {each: player, type: integer, starts: 0}
rules: |
  define value(p) = sum(worth of s for s in split(hand[p] by worth then best))
  define reds(p) = count(c in hand[p] where suit of c = red)
  rule game:
    repeat 3 times: meal
  rule meal:
    gather all cards into stock
    shuffle stock
    for each p: deal 1 from stock to plate[p, one]
    for each p: deal 2 from stock to hand[p]
    for each p: turn(p)
  rule turn(p):
    p chooses course:
      take: deal 2 from stock to hand[p]
      rest
    eat(p)
  rule eat(p):
    if reds(p) >= 3: points[p] -= 2 * reds(p)
    else: points[p] += value(p) + 3
result: {score: "points[p]", wins: "points[p] = max(points[q] for q)", ties: draw}
properties:
  claim: CLAIM
"""
GAIN = 'bound: "points[p] - before(points[p])", in: eat, for: {p: player}, expect: '


def meals(folder: Path, claim: str) -> model.Model:
    return model_of(folder, MEALS.replace("CLAIM", f"{{{claim}}}"))


def answered(source: model.Model, players: int = 2, seconds: float = 4.0) -> Answer:
    return answer(source.properties[0], source, players, seconds)


# ---------------------------------------------------------------------------------- what cards can say

EXTENTS = [
    ("value(seat 1)", (0, 21)),  # a trio and one more, of four cards
    ("reds(seat 1)", (0, 4)),
    ("sum(height of rank of c for c in hand[seat 1])", (0, 15)),  # three of the highest rank and one of the next
    ("sum(height of rank of c for c in plate[seat 1, two])", (0, 8)),  # it holds two
    ("sum(height of rank of c for c in all plate[seat 1])", (0, 21)),  # six cards in all
    ("value(seat 1) + value(seat 2)", None),  # of more than one zone, and no split is known there
    ("sum(height of rank of c for c in stock)", (0, 30)),
]


@pytest.mark.parametrize(("expression", "ends"), EXTENTS)
def test_what_is_asked_of_cards_lies_between_its_ends(
    tmp_path: Path, expression: str, ends: tuple[int, int] | None
) -> None:
    source = meals(tmp_path, f'bound: "{expression}", expect: {{max: 0}}')
    claim = source.properties[0]
    machine = machine_for(claim, source, 2)
    assert Extents(machine, 10.0).of(Asked(claim.expressions[0], {}, None)) == ends


def test_names_that_are_known_are_put_in(tmp_path: Path) -> None:
    source = meals(tmp_path, 'bound: "count(c in plate[seat 1, k])", for: {k: kind}, expect: {max: 0}')
    machine = machine_for(source.properties[0], source, 2)
    asked = Asked(source.properties[0].expressions[0], {"k": 1}, None)
    assert Extents(machine, 10.0).of(asked) == (0, 2)
    assert Extents(machine, 10.0).of(replace(asked, names={})) == (0, 3)


@pytest.mark.parametrize(
    ("expect", "holds"),
    [
        ("{min: -8, max: 24}", True),
        ("{min: -8, max: 23}", False),
        ("{min: -7, max: 24}", False),
        ("{min: -9, max: 25}", True),  # no other value is taken, though these are not
    ],
)
def test_what_a_rule_changes_is_bounded_by_what_cards_can_say(tmp_path: Path, expect: str, holds: bool) -> None:
    source = meals(tmp_path, GAIN + expect)
    found = by_terms(within(source.properties[0]), source, 2, 20.0)
    assert (found.verdict is Verdict.PROVED) is holds


@pytest.mark.parametrize(
    ("expect", "verdict"),
    [
        ("{min: -8, max: 24}", Verdict.PROVED),
        ("{max: 23}", Verdict.REFUTED),
        ("{min: -7}", Verdict.REFUTED),
        ("{max: 25}", Verdict.UNKNOWN),
        ("{min: -9}", Verdict.UNKNOWN),
    ],
)
def test_a_bound_over_a_rule_has_exact_ends(tmp_path: Path, expect: str, verdict: Verdict) -> None:
    found = answered(meals(tmp_path, GAIN + expect))
    assert found.verdict is verdict
    if verdict is Verdict.PROVED:
        assert [s.value for s in found.shown] == [-8, 24]

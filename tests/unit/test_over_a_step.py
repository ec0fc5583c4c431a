"""Bounds of what a rule changes: proved where cards cannot say more, never where they can, and shown with a play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dsl import model
from dsl.lower import lower
from interpreter.machine import Machine
from interpreter.play import replay
from interpreter.trace import Trace
from tests.unit.test_prove_engines import with_claim
from tests.unit.written import model_of
from verify.attained import within
from verify.beforehand import deals
from verify.claims import answer
from verify.env import Asked
from verify.extents import Extents
from verify.outcome import Answer, Verdict
from verify.places import machine_for
from verify.steps import by_terms

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


NEVER_TAKEN = Verdict.UNKNOWN, Verdict.REFUTED
"""Of an end that no play comes to: whoever finds out more than that none was found may refute it."""


@pytest.mark.parametrize(
    ("expect", "verdicts"),
    [
        ("{min: -8, max: 24}", (Verdict.PROVED,)),
        ("{max: 23}", (Verdict.REFUTED,)),
        ("{min: -7}", (Verdict.REFUTED,)),
        ("{max: 25}", NEVER_TAKEN),
        ("{min: -9}", NEVER_TAKEN),
    ],
)
def test_a_bound_over_a_rule_has_exact_ends(tmp_path: Path, expect: str, verdicts: tuple[Verdict, ...]) -> None:
    found = answered(meals(tmp_path, GAIN + expect))
    assert found.verdict in verdicts
    if found.verdict is Verdict.PROVED:
        assert [s.value for s in found.shown] == [-8, 24]


# -------------------------------------------------------------------------------------- plays to an end

GAMES = Path(__file__).parents[2] / "spec" / "games"
CHALLENGE = 'bound: "total[q] - before(total[q])", when: "challenges[q]", in: showdown, for: {q: player}, expect: '
SHELVES = """\
hoyle: 1
game: shelves
title: Shelves
players: 2..3
cards: {ranks: [1, 2, 3, 4, 5, 6, 7, 8, 9], suits: [red, blue, green, yellow]}
combinations:
  order: lowest first
  pair: {cards: 2 of one rank, worth: 3}
  run: {cards: 4 in sequence of one suit, worth: 30}
  four: {cards: 4 of one rank, worth: 50}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner, holds: 5}
  shelf: {each: [player, kind], seen: everyone, holds: size of kind}
state:
  points: {each: player, type: integer, starts: 0}
rules: |
  define shown(p) = sum(worth of k for kind k where shelf[p, k] as k is not none)
  define held(p) = sum(worth of s for s in split(hand[p] by worth then best))
  rule game:
    repeat 4 times: round
  rule round:
    gather all cards into stock
    shuffle stock
    for each p: deal 4 from stock to hand[p]
    going clockwise from seat 1 over p: turn(p)
  rule turn(p):
    if size of stock = 0: end round
    deal 1 from stock to hand[p]
    p chooses move:
      stop:
        pay(p)
        end round
      put(c in hand[p], k: kind) when size of shelf[p, k] < size of k: move c to shelf[p, k]
      drop(c in hand[p]): move c to stock
  rule pay(p):
    for each q where q != p:
      if shown(q) > shown(p): points[q] += shown(q) + held(q) + 7
      else: points[q] -= 4
result: {score: "points[p]", wins: "points[p] = max(points[q] for q)", ties: draw}
properties:
  claim: CLAIM
"""
PAID = 'bound: "points[q] - before(points[q])", in: pay, for: {q: player}, expect: '


def shelves(folder: Path, claim: str) -> model.Model:
    return model_of(folder, SHELVES.replace("CLAIM", f"{{{claim}}}"))


def gains(source: model.Model, players: int, trace: Trace) -> list[int]:
    """What the last step of a play adds to the points of each seat, as the interpreter has it."""
    machine = Machine(lower(source, players))
    cells = [i for i, v in enumerate(machine.layout.cell_vars) if v.name == "points"]
    before = replay(machine, replace(trace, steps=trace.steps[:-1]))
    after = replay(machine, trace)
    return [after.vars[i] - before.vars[i] for i in cells]


@pytest.mark.parametrize("players", [2, 3])
def test_a_play_reaches_what_only_chosen_cards_do(tmp_path: Path, players: int) -> None:
    source = shelves(tmp_path, PAID + "{min: -4, max: 140}")
    found = answered(source, players, seconds=40.0)
    assert found.verdict is Verdict.PROVED, found.because
    for shown, value in zip(found.shown, (-4, 140), strict=True):
        assert shown.trace is not None and value in gains(source, players, shown.trace)


@pytest.mark.parametrize(
    ("expect", "verdicts"),
    [
        ("{max: 139}", (Verdict.REFUTED,)),  # by a play that no chance would bring about
        ("{max: 141}", NEVER_TAKEN),
        ("{min: -3}", (Verdict.REFUTED,)),
        ("{min: -5}", NEVER_TAKEN),
    ],
)
def test_a_wrong_end_is_not_proved(tmp_path: Path, expect: str, verdicts: tuple[Verdict, ...]) -> None:
    source = shelves(tmp_path, PAID + expect)
    found = answered(source, seconds=2.0 if verdicts is NEVER_TAKEN else 16.0)
    assert found.verdict in verdicts
    if found.trace is not None:
        assert {140, -4} & {*gains(source, 2, found.trace)}


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ('possible: "points[q] = before(points[q]) + 140"', Verdict.WITNESSED),
        ('always: "points[q] < before(points[q]) + 140"', Verdict.REFUTED),
        ('never: "points[q] > before(points[q]) + 140"', Verdict.PROVED),
    ],
)
def test_what_a_rule_can_do_is_shown_with_chosen_cards(tmp_path: Path, claim: str, verdict: Verdict) -> None:
    source = shelves(tmp_path, f"in: pay, for: {{q: player}}, {claim}")
    found = answered(source, seconds=16.0)
    assert found.verdict is verdict
    if found.trace is not None:
        assert 140 in gains(source, 2, found.trace)


HELD = 'in: pay, possible: "points[seat 2] = before(points[seat 2]) + GAIN and before(size of hand[seat 2]) SIZE"'


@pytest.mark.parametrize(
    ("gain", "size", "held"),
    [
        (140, "> 3", (4, True)),  # four of one rank, and there is room for one more
        (93, "= 3", (3, False)),  # no more than three, of which two are a pair
        (140, "= 3", None),  # of three cards no four are of one rank
    ],
)
def test_a_deal_has_what_the_rule_needs(tmp_path: Path, gain: int, size: str, held: tuple[int, bool] | None) -> None:
    source = shelves(tmp_path, HELD.replace("GAIN", str(gain)).replace("SIZE", size))
    claim = source.properties[0]
    machine = machine_for(claim, source, 2)
    hand = next(i for i, z in enumerate(machine.layout.zone_cells) if (z.name, z.indices) == ("hand", (1,)))
    found = next(deals(claim, source, 2, 20.0), None)
    if held is None:
        assert found is None
        return
    assert found is not None
    assert (len(found.cards[hand]), hand in found.more) == held
    shelf = [z for i, z in enumerate(machine.layout.zone_cells) if i in found.cards and z.name == "shelf"]
    assert [z.indices for z in shelf] == [(1, 0), (1, 1), (1, 2)]  # of the other seat nothing is needed


@pytest.mark.slow
def test_the_most_that_a_challenger_gains() -> None:
    source = with_claim(GAMES / "poker_challenge.yaml", f"most: {{{CHALLENGE}{{min: -10, max: 417}}}}")
    found = answered(source, seconds=100.0)
    assert found.verdict is Verdict.PROVED, found.because
    assert [s.value for s in found.shown] == [-10, 417]

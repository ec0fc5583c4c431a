"""Bounds by weights: the end that is so is proved, an end that play passes is not, nor where a rule makes it untrue."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dsl import ir, model
from tests.unit.written import model_of
from verify.learned import by_potentials
from verify.outcome import Verdict
from verify.places import machine_for
from verify.steps import anywhere

RULES = """
hoyle: 1
game: small
title: Small
players: 1
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
combinations:
  order: highest first
  pair: {{cards: 2 of one rank, score: 9}}
  nothing: {{cards: none of these, score: -2}}
zones:
  stock: {{starts: full, seen: nobody}}
  row: {{seen: everyone, holds: 2}}
  scored: {{seen: everyone}}
state:
  points: {{type: integer, starts: 0}}
  chips: {{type: 0..1, starts: 1}}
  factor: {{type: fraction or none, starts: none}}
  done: {{each: kind, type: yes or no, starts: no}}
clock: {{time: 9 seconds, think: 1 second .. 2 seconds, events: {{out: {{at: 0 seconds, rule: time_out}}}}}}
rules: |
  define fits(k: kind) = {fits}
  define weight = if factor is none then 1 else factor
  rule game:
    shuffle stock
    repeat until size of stock = 0:
      the player chooses move:
        lay:
          move top of stock to row
          if size of row = 2: score(kind of best(row for kind k where fits(k)))
        raise when chips > {least} when factor is none:
          factor := 2.0
          chips -= 1
    points += floor(time_left)
    end game
  rule score(made: kind):
    points += whole(score of made * weight)
    if made != nothing: done[made] := yes
    move row to scored
    factor := none
  rule time_out:
    end game
result: {{score: points, wins: points > 0, ties: draw}}
properties:
  range: {{bound: points, expect: {{min: -8, max: 23}}}}
  clock: {{bound: floor(time_left), expect: {{min: 0, max: 9}}}}
"""
SOUND = {"fits": "k = nothing or not done[k]", "least": "0"}
SECONDS = 20.0


def source_of(tmp_path: Path, words: dict[str, str]) -> model.Model:
    return model_of(tmp_path, RULES.format(**words))


def with_ends(claim: ir.Property, low: int, high: int) -> ir.Property:
    return replace(claim, expect=(("min", low), ("max", high)))


@pytest.mark.parametrize(("low", "high", "is_so"), [(-8, 23, True), (-7, 23, False), (-8, 22, False)])
def test_an_end_is_proved_where_it_is_one(tmp_path: Path, low: int, high: int, is_so: bool) -> None:
    # By hand: 2 * 9 for the pair with the chip, 2 lost for each other row, and 9 seconds; or three rows of nothing, one
    # of them with the chip.
    source = source_of(tmp_path, SOUND)
    found = by_potentials(with_ends(source.properties[0], low, high), source, 1, SECONDS)
    assert (found.verdict is Verdict.PROVED) is is_so, found.because


def test_what_may_be_made_again_has_no_such_bound(tmp_path: Path) -> None:
    source = source_of(tmp_path, SOUND | {"fits": "k = nothing or not done[nothing]"})
    assert by_potentials(source.properties[0], source, 1, SECONDS).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(("low", "high", "is_so"), [(0, 9, True), (1, 9, False), (0, 8, False)])
def test_time_left_is_what_the_clock_says_at_most(tmp_path: Path, low: int, high: int, is_so: bool) -> None:
    from verify.attained import within

    source = source_of(tmp_path, SOUND)
    claim = with_ends(source.properties[1], low, high)
    found = anywhere(within(claim), machine_for(claim, source, 1), 5.0)
    assert (found is not None and found.verdict is Verdict.PROVED) is is_so

"""Values that are needed are there: what the values that there can be at all tell, and no more than that."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from dsl.lower import lower
from interpreter.machine import Machine
from tests.unit.written import loaded_of, model_of
from verify import checks
from verify.outcome import Answer, Verdict
from verify.valuesets import ValueSets

GAME = """
hoyle: 1
game: small
title: Small
players: 2
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
combinations:
  order: highest first
  pair: {{cards: 2 of one rank, score: 5}}
  {nothing}
zones:
  stock: {{starts: full, seen: nobody}}
  row: {{each: player, seen: everyone}}
state:
  points: {{each: player, type: integer, starts: 0}}
  factor: {{each: player, type: fraction or none, starts: none}}
  done: {{each: kind, type: yes or no, starts: no}}
  turns: {{type: 0..2, starts: 0}}
tables:
  gain:
    for: 0..1
    type: fraction
    rows: {{0: {few}, 1: 1.4}}
  down:
    for: kind
    type: kind
    rows:
      pair: pair
      {down}
rules: |
  define weight(p) = if factor[p] is none then 1 else factor[p]
  define fits(p, k: kind) = not done[k] and ({unless} or k >= down[k])
  define found(p) = best(row[p] for kind k where fits(p, k))
  define strength(p) = found(p)
  define other(p) = best(row[opponent of p])
  rule game:
    shuffle stock
    if strength(seat 1) is none and other(seat 1) = other(seat 2): turns := 0
    repeat until turns = 2:
      for each p: turn(p)
      turns += 1
    {ending}
  rule turn(p):
    deal 1 from stock to row[p]
    p chooses move:
      pass: factor[p] := none
      raise: factor[p] := gain[{row_of}]
    {scoring}
  rule score(p, made: kind):
    points[p] += whole(score of made * weight(p))
    {strike}
result: {{score: "points[p]", wins: "points[p] = 0", ties: draw}}
"""
WITH_NOTHING = {
    "nothing": "nothing: {cards: none of these, score: -10}",
    "few": "1.2",
    "down": "nothing: nothing",
    "unless": "k = nothing",
    "row_of": "min(turns, 1)",
    "scoring": "score(p, kind of found(p))",
    "strike": "if made != nothing: done[made] := yes",
    "ending": "end game",
}
WITHOUT = WITH_NOTHING | {
    "nothing": "",
    "down": "",
    "unless": "k = pair",
    "scoring": "if turns = 0: score(p, pair)",
    "strike": "done[made] := no",
    "ending": """let better = highest(p by strength(p) tie none)
    if better is not none: points[better] += score of found(better)
    end game""",
}


def answer(tmp_path: Path, words: dict[str, str], seconds: float = 6.0) -> Answer:
    loaded = loaded_of(tmp_path, GAME.format(**words))
    source = loaded.model()
    assert source is not None, [d.message for d in loaded.reporter.diagnostics]
    return next(c for c in checks.questions(source, loaded) if c.name == "values_defined").answer(2, seconds)


@pytest.mark.parametrize("words", [WITH_NOTHING, WITHOUT], ids=["with nothing", "without"])
def test_values_that_are_sure_to_be_there_are(tmp_path: Path, words: dict[str, str]) -> None:
    found = answer(tmp_path, words)
    assert found.verdict is Verdict.PROVED, found


@pytest.mark.parametrize(
    ("words", "change"),
    [
        (WITH_NOTHING, {"few": "1.23"}),
        (WITH_NOTHING, {"strike": "done[made] := yes"}),
        (WITH_NOTHING, {"unless": "k = pair", "down": "nothing: pair"}),
        (WITH_NOTHING, {"row_of": "turns + 1", "scoring": "if turns = 2: score(p, pair)"}),
        (WITHOUT, {"ending": WITHOUT["ending"].replace("of found", "of other")}),
        (WITHOUT, {"ending": WITHOUT["ending"].replace("tie none", "tie first")}),
    ],
)
def test_values_that_may_be_missing_are_not_said_to_be_there(
    tmp_path: Path, words: dict[str, str], change: dict[str, str]
) -> None:
    found = answer(tmp_path, words | change, 2.0)
    assert found.verdict in (Verdict.REFUTED, Verdict.UNKNOWN), found


def test_a_division_that_may_fail_has_the_values_of_those_that_do_not(tmp_path: Path) -> None:
    source = model_of(tmp_path, GAME.format(**WITH_NOTHING | {"ending": "factor[seat 1] := (4 div turns) / 8"}))
    assert ValueSets(Machine(lower(source, 2))).of_variable("factor") == {None, Fraction(1, 4), Fraction(1, 2),
                                                                           Fraction(6, 5), Fraction(7, 5)}  # fmt: skip

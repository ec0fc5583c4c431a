"""What was once said of small games without a play, and is not so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.written import model_of
from verify import atonce, checks, claims
from verify.outcome import Verdict

GAME = """
hoyle: 1
game: small
title: Small
players: {players}
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner}}
  slot: {{each: 1..2, seen: everyone{holds}}}
state: {{n: {{type: 0..9, starts: 0}}}}
rules: |
  rule game:
    shuffle stock
    for each z: deal 1 from stock to hand[z]
    move slot[1] to stock
    for each z: turn(z)
  rule turn(p):
    {rules}
result: {{score: {score}, wins: yes, ties: draw}}
{properties}
"""
IDLE = "n := 0"


def check(folder: Path, name: str, rules: str, seconds: float) -> Verdict:
    """What a free check says of the rules."""
    source = model_of(folder, GAME.format(players=2, holds="", score="n", rules=rules, properties=""))
    return next(c for c in checks.questions(source) if c.name == name).answer(2, seconds).verdict


@pytest.mark.parametrize(
    ("claim", "least"),
    [
        ('always: "players > 2 or (no and size of hand[seat 3] > 0)"', 2),
        ('always: "players > 3 or (no and size of hand[seat 4] > 0)", players: 3..4', 3),
    ],
)
def test_a_seat_that_is_named_need_not_be_there(tmp_path: Path, claim: str, least: int) -> None:
    properties = f"properties: {{claim: {{{claim}}}}}"
    source = model_of(tmp_path, GAME.format(players="2..4", holds="", score="n", rules=IDLE, properties=properties))
    (asked,) = source.properties
    assert claims.answer(asked, source, least, 1.0).verdict is Verdict.REFUTED
    assert atonce.answer(asked, source, 1.0).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("where", ["", ", in: turn"])
def test_a_zone_that_holds_less_than_nothing_may_be_empty(tmp_path: Path, where: str) -> None:
    properties = f"properties: {{claim: {{always: size of stock = 0{where}}}}}"
    text = GAME.format(players="2..3", holds=", holds: players - 3", score="n", rules=IDLE, properties=properties)
    source = model_of(tmp_path, text.replace("move slot[1]", "if players > 3: move slot[1]"))
    assert claims.answer(source.properties[0], source, 2, 1.0).verdict is Verdict.REFUTED
    assert atonce.answer(source.properties[0], source, 1.0).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        ("n := random k in 1..3\n    move slot[n] to stock", Verdict.REFUTED),
        ("n := random k in 1..3\n    if n in 1..2: move slot[n] to stock", Verdict.PROVED),
        ("n := random k in 0..9\n    move slot[n mod 2 + 1] to stock", Verdict.PROVED),
        ("n := 1\n    for each k in 1..2: move slot[k] to stock", Verdict.PROVED),
    ],
)
def test_a_place_that_there_is_not_is_no_value(tmp_path: Path, rules: str, verdict: Verdict) -> None:
    assert check(tmp_path, "values_defined", rules, 3.0) is verdict


CHOSEN = "seat 1 chooses:\n      take(k: 0..3): n := k"


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        (f"{CHOSEN}\n    deal up to n - 1 from stock to slot[1]", Verdict.REFUTED),
        (f"{CHOSEN}\n    deal up to (n + 1) mod 2 from stock to slot[1]", Verdict.PROVED),
    ],
)
def test_no_less_than_no_card_is_dealt(tmp_path: Path, rules: str, verdict: Verdict) -> None:
    assert check(tmp_path, "values_defined", rules, 3.0) is verdict


@pytest.mark.parametrize(
    ("score", "name", "verdict"),
    [
        ('"6 div n"', "values_defined", Verdict.REFUTED),
        ('"6 div (n + 1)"', "values_defined", Verdict.PROVED),
        ('"height of rank of top of hand[first(q where n = 0)]"', "next_player_defined", Verdict.REFUTED),
        ('"n + height of rank of top of slot[1]"', "values_defined", Verdict.REFUTED),
    ],
)
def test_the_result_needs_its_values_too(tmp_path: Path, score: str, name: str, verdict: Verdict) -> None:
    text = GAME.format(players=2, holds="", score=score, rules=CHOSEN, properties="")
    source = model_of(tmp_path, text)
    assert next(c for c in checks.questions(source) if c.name == name).answer(2, 3.0).verdict is verdict


SEVEN = "rank of top of stock = 7"
ONE = ":\n      p chooses one:\n        a: n := 1\n        b"
OTHER = "\n    else:\n      p chooses two:\n        a: n := 1\n        c"


@pytest.mark.parametrize(
    "rules",
    [
        f"if {SEVEN}{ONE}{OTHER}",
        f"for each k in 1..3:\n      if height of rank of top of stock = k{ONE.replace('a:', 'a when k = 2:')}".replace(
            "      p", "        p").replace("        a w", "          a w").replace("        b", "          b"),
        f"let w = (if {SEVEN} then p else left of p)\n    w chooses:\n      a: n := 1\n      b",
        f"anyone q where {SEVEN}, clockwise from p may:\n      a: n := 1",
        f"each q where {SEVEN} chooses at once:\n      a: n := 1\n      b",
        f"repeat until {SEVEN}:\n      shuffle stock\n      p chooses:\n        a: n := 1\n        b",
    ],
)  # fmt: skip
def test_that_somebody_is_asked_may_tell_what_is_hidden(tmp_path: Path, rules: str) -> None:
    assert check(tmp_path, "hidden_information", rules, 0.3) is not Verdict.PROVED


@pytest.mark.parametrize(
    "rules",
    [
        f"if rank of top of hand[p] = 7{ONE}{OTHER}",
        f"if {SEVEN}: n := 1\n    p chooses:\n      a: n := 2\n      b",
        f"if n = 1{ONE}{OTHER}",
    ],
)
def test_what_one_sees_may_decide_what_one_is_asked(tmp_path: Path, rules: str) -> None:
    assert check(tmp_path, "hidden_information", rules, 0.3) is Verdict.PROVED

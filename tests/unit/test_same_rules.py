"""`same` of two rules: those that agree are proved, those that do not are refuted with what differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import ir, model
from tests.unit.written import model_of
from verify import checks, shorten
from verify.claims import answer
from verify.outcome import Answer, Verdict
from verify.samerules import difference
from verify.sameterms import by_terms
from verify.sidebyside import Pair as SideBySide

GAME = """
hoyle: 1
game: settling
title: Settling
players: 2..3
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner}
  heap: {seen: everyone}
state:
  score: {each: player, type: integer, starts: 0}
  mood: {type: 0..9, starts: 0}
  lead: {type: player or none, starts: none}
tables:
  prize: {for: 1..2, type: integer, rows: {1: 3, 2: 6}}
rules: |
  rule game:
    shuffle stock
    for each p: deal 1 from stock to hand[p]
    repeat 3 times:
      for each p: turn(p)
  rule turn(p):
    p chooses turn:
      keep: settle(p, 1)
      rise: settle(p, 2)
      lower: mood := 0
      lead: lead := p
    refill(p)
    ask(p)
    toss(p)
    if size of heap > 4: close
  rule settle(p, n: 1..2):
    if n = 1: score[p] += 3
    else:
      score[p] += 6
      mood := min(9, mood + 1)
  rule refill(p):
    move hand[p] to heap
    if size of stock > 0: deal 1 from stock to hand[p]
  rule ask(p):
    if mood > 0:
      p chooses asking:
        bold when lead is none or lead = p: lead := p
        shy(n: 1..2): mood := n
    lead := random q where q != p
  rule toss(p):
    if size of hand[p] > 0:
      p chooses tossing:
        toss(c in hand[p]) when rank of c > 7: move c to stock
        swap(cs: 1 to 2 cards from heap, c in hand[p]) when size of cs > 1 and rank of c = 9:
          move cs to hand[p]
          move c to heap
        neither
  rule close:
    if score[seat 1] > 9: end game because "much"
    mood := 0
  rule other(OF):
OTHER
properties:
  claim: {same: [CLAIM]MORE}
result: {score: "score[p]", wins: "score[p] > prize[1] and mood >= 0 and lead is not none", ties: draw}
"""
PN = ", for: {p: player, n: 1..2}"
P = ", for: {p: player}"
SETTLE = '"settle(p, n)", "other(p, n)"', "p, n: 1..2", PN
REFILL = '"refill(p)", "other(p)"', "p", P
ASK = '"ask(p)", "other(p)"', "p", P
TOSS = '"toss(p)", "other(p)"', "p", P
CLOSE = "close, other", "", ""
TALLY = "score[p] += prize[n]\nif n = 2 and mood < 9: mood += 1"
ASKING = """if mood >= 1:
  p chooses answering:
    bold when not (lead is not none and lead != p): lead := p
    shy(m: 1..2): mood := m
lead := random q where q != p"""
TOSSING = """if not size of hand[p] = 0:
  p chooses tossing_anew:
    toss(d in hand[p]) when rank of d >= 8: move d to stock
    swap(cs: 1 to 2 cards from heap, d in hand[p]) when size of cs >= 2 and rank of d = 9:
      let both = cs
      move both to hand[p]
      move d to heap
    neither"""
MUCH = 'if 10 <= score[seat 1]: end game because "much"\nelse: mood := 0'

Pair = tuple[str, str, str]
AGREE: list[tuple[Pair, str]] = [
    (SETTLE, TALLY),
    (SETTLE, "let w = 3 * n\nfor each q where q = p: score[q] += w\nif n = 2: mood += (if mood = 9 then 0 else 1)"),
    (('"settle(p, 1)", "other(1, p)"', "n: 1..2, q", P), "if n = 1: score[q] += 3"),
    (REFILL, "move hand[p] to heap\nif not size of stock = 0: deal 1 from stock to hand[p]"),
    (REFILL, "let cs = hand[p]\nmove cs to heap\nif size of stock >= 1: deal 1 from stock to hand[p]"),
    (ASK, ASKING),
    (TOSS, TOSSING),
    (CLOSE, MUCH),
]  # fmt: skip
DIFFER: list[tuple[Pair, str, str]] = [
    (SETTLE, "score[p] += prize[n]\nif n = 2 and mood < 2: mood += 1",
     "after `settle(seat 1, 2)` mood is 3, after `other(seat 1, 2)` it is 2"),
    (SETTLE, "score[left of p] += prize[n]\nif n = 2 and mood < 9: mood += 1", "it is 6"),
    (REFILL, "move hand[p] to heap\nif size of stock > 1: deal 1 from stock to hand[p]", "it holds no cards"),
    (REFILL, "if size of stock > 0: deal 1 from stock to hand[p]\nmove hand[p] to heap",
     "after `other(seat 1)` it holds"),
    (ASK, ASKING.replace("not (lead is not none and lead != p)", "lead = p"),
     "asks for a choice (seat 1: bold, shy(1), shy(2))"),
    (ASK, ASKING.replace("mood >= 1", "mood > 1"), "picks at random one of seat"),
    (ASK, ASKING.replace(" where q != p", ""), "picks at random one of seat 1, seat 2"),
    (TOSS, TOSSING.replace(">= 8", ">= 9"), "asks for a choice"),
    (TOSS, TOSSING.replace("from heap", "from stock"), "asks for a choice"),
    (TOSS, TOSSING.replace("1 to 2", "1 to 3"), "asks for a choice"),
    (TOSS, TOSSING.replace("move d to heap", "move d to stock"), "it holds"),
    (CLOSE, MUCH.replace("much", "enough"), "the game is over (much), after `other` it is over (enough)"),
    (CLOSE, MUCH.replace("10", "9"), "the game goes on, after `other` it is over (much)"),
]  # fmt: skip
UNKNOWN: list[tuple[Pair, str, str]] = [
    # Named in another way, they are the same cards; terms do not see that.
    (REFILL, "move those(c in hand[p] where rank of c >= 7) to heap\n"
             "if size of stock > 0: deal 1 from stock to hand[p]", "which cards lie where"),
    (('"refill(p)", "other(p)"', "p", P + ', when: "mood = 9"'),
     "move hand[p] to stock\nif size of stock > 0: deal 1 from stock to hand[p]", "which cards lie where"),
]  # fmt: skip


def made(folder: Path, pair: Pair, other: str) -> tuple[model.Model, ir.Property]:
    claim, of, more = pair
    text = GAME.replace("OTHER", "\n".join(f"    {line}" for line in other.split("\n")))
    text = text.replace("(OF)", f"({of})" if of else "").replace("CLAIM", claim).replace("MORE", more)
    source = model_of(folder, text)
    return source, source.properties[0]


def answered(folder: Path, pair: Pair, other: str, seconds: float = 12.0) -> tuple[Answer, model.Model, ir.Property]:
    source, claim = made(folder, pair, other)
    return answer(claim, source, 2, seconds), source, claim


@pytest.mark.parametrize(("pair", "other"), AGREE)
def test_rules_that_agree_are_proved(pair: Pair, other: str, tmp_path: Path) -> None:
    found, _, _ = answered(tmp_path, pair, other)
    assert found.verdict is Verdict.PROVED, found.because
    assert "no position was met" not in found.because


@pytest.mark.parametrize(("pair", "other", "told"), DIFFER)
def test_rules_that_differ_are_refuted_by_a_play_that_shows_what_differs(
    pair: Pair, other: str, told: str, tmp_path: Path
) -> None:
    found, source, claim = answered(tmp_path, pair, other)
    assert found.verdict is Verdict.REFUTED, found.because
    assert told in found.because
    assert found.trace is not None
    assert difference(claim, source, found.trace) == (len(found.trace.steps), found.because)
    assert shorten.shows(claim, source, found.trace)
    shorter = shorten.shorten(claim, source, found, 0.5)
    assert shorter.trace is not None
    assert len(shorter.trace.steps) <= len(found.trace.steps)
    assert difference(claim, source, shorter.trace) == (len(shorter.trace.steps), shorter.because)


@pytest.mark.parametrize(("pair", "other"), [(pair, other) for pair, other, _ in DIFFER])
def test_terms_alone_prove_no_rules_that_differ(pair: Pair, other: str, tmp_path: Path) -> None:
    source, claim = made(tmp_path, pair, other)
    found = by_terms(SideBySide(claim, source, 2), 5.0)
    assert found.verdict is Verdict.UNKNOWN
    assert "as far as terms tell, they may differ in" in found.because


@pytest.mark.parametrize(("pair", "other", "told"), UNKNOWN)
def test_what_terms_do_not_see_is_unknown(pair: Pair, other: str, told: str, tmp_path: Path) -> None:
    found, _, _ = answered(tmp_path, pair, other, 2.0)
    assert found.verdict is Verdict.UNKNOWN
    assert told in found.because


def test_a_claim_of_rules_that_no_play_follows_is_vacuous(tmp_path: Path) -> None:
    source, claim = made(tmp_path, ('"other(p, 1)", "other(p, 2)"', "p, n: 1..2", P), "score[p] += n - n")
    found = answer(claim, source, 2, 2.0)
    assert found.verdict is Verdict.VACUOUS
    assert found.because == "no play follows `other`"


def test_a_proof_says_where_its_premise_was_never_met(tmp_path: Path) -> None:
    claim, of, more = SETTLE
    found, _, _ = answered(tmp_path, (claim, of, more + ', when: "mood = 9 and score[p] < 0"'), TALLY, 2.0)
    assert found.verdict is Verdict.PROVED
    assert found.because.endswith("no position was met in which one of them begins and both come to an end")


def test_the_premise_limits_the_claim(tmp_path: Path) -> None:
    claim, of, more = SETTLE
    without = "score[p] += prize[n]"
    assert answered(tmp_path, SETTLE, without)[0].verdict is Verdict.REFUTED
    assert answered(tmp_path, (claim, of, more + ', when: "n = 1"'), without)[0].verdict is Verdict.PROVED


def test_a_fault_of_one_rule_shows_nothing(tmp_path: Path) -> None:
    found, _, _ = answered(tmp_path, SETTLE, TALLY + "\nif mood > 1: mood += 9")
    assert found.verdict is Verdict.PROVED, found.because
    assert "one of them stops with a fault" in found.because


def test_a_rule_that_only_a_claim_names_is_not_dead(tmp_path: Path) -> None:
    source, _ = made(tmp_path, SETTLE, TALLY)
    reached = next(c for c in checks.questions(source) if c.name == "every_rule_reached")
    assert reached.answer(2, 4.0).verdict is Verdict.WITNESSED


def test_readings_of_their_own_keep_their_rules_in_use(tmp_path: Path) -> None:
    claim, of, more = SETTLE
    text = GAME.replace("rules: |", """options:
  closes:
    question: When is it over?
    default: soon
    readings:
      soon: with much
      late: {means: after all rounds, changes: {rules: "rule close: mood := 0"}}
rules: |""")
    text = text.replace("OTHER", "\n".join(f"    {line}" for line in TALLY.split("\n")))
    text = text.replace("(OF)", f"({of})").replace("CLAIM", claim).replace("MORE", more + ", options: {closes: late}")
    source = model_of(tmp_path, text)
    assert source.properties[0].rules == ()  # it is read where its readings are in force

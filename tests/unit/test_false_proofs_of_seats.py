"""What was once proved of rules with seats and is false: each claim has a play against it at some number of players."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dsl import ir, model
from interpreter.values import Fault
from tests.properties.beside import move_on
from tests.unit.written import model_of
from verify.exclusion import exclude
from verify.learned import by_induction
from verify.outcome import Verdict
from verify.places import Lookout, looks_at, machine_for
from verify.steps import by_terms, for_any_number

GAME = """
hoyle: 1
game: small
title: Small
players: {players}
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner}}
  pile: {{seen: everyone}}
state:
  who: {{type: player}}
  flag: {{type: yes or no, starts: no}}
  n: {{type: 0..9, starts: 3}}
  {state}
{more}
rules: |
  rule game:
    shuffle stock
    main
    for each zz: deal 1 from stock to hand[zz]
    deal up to 1 from stock to pile
    gather pile into stock
    use
  rule use:
    who := random player z
    flag := no
    n := 0
    if flag or who = left of who or n > 8: n := 9
  {rules}
result: {{score: n, wins: flag, ties: draw}}
properties:
  claim: {{{claim}}}
"""
CHANCE = "rule main:\n    who := random player z\n    go\n  "
LAST = "last: {type: player}"
ONE = "rule go:\n    for each p: one(p)\n    flag := ready[who]\n  rule one(p):\n    ready[p] := yes\n"
READY = "ready: {each: player, type: yes or no, starts: no}"
GRID = "grid: {each: 1..8, type: 0..6, starts: 0}"
POINTS = "points: {each: player, type: 0..6, starts: 0}\n  far: {type: player}"
FAR = "rule main:\n    who := random player z\n    far := random player z\n    deal 2 from stock to pile\n    go\n  "
CLOCK = """clock: {time: 9 seconds, think: 1 second .. 5 seconds, events: {mid: {at: 8 seconds, rule: go},
  out: {at: 0 seconds, rule: time_up}}}"""
NESTED = """rule main:
    who := random player z
    go
  rule go:
    if flag:
      fired := yes
    else:
      flag := yes
      fired := no
      n := 0
      who chooses now:
        wait
      if not fired: n := 9
      flag := no
  rule time_up:
    end game"""

CASES = {
    # A player that was never set is no seat that is spoken of, and need not be looked at.
    "never set": (
        "", "", "rule main:\n    go\n    if not flag: who := random player q\n    go\n  rule go:\n"
        "    flag := size of pile = 0\n", 'always: "not flag and who = who", in: go', (1, 3)),
    # A claim looks at a rule that is followed in a round: it sees who was before whom.
    "a round that is looked at": (
        READY, "", CHANCE + ONE,
        'always: "ready[a] or not ready[left of a]", in: one, for: {a: player}', (2, 3)),
    "who had a turn": (
        READY, "", CHANCE + ONE,
        'always: "ready[who]", in: one', (2, 3)),
    # Whoever is last in a round is not forgotten with it.
    "the last in a round": (
        LAST, "", CHANCE + "rule go:\n    for each p: last := p\n    flag := last = who\n",
        'always: "last != who", in: go', (2, 3)),
    "the last, of any number": (
        LAST, "", CHANCE + "rule go:\n    for each p: last := p\n    flag := last = who\n",
        'always: "players = 1 or (last = last and no)", in: go', (2, 3)),
    # A round that may begin anywhere begins where somebody sits.
    "a seat that a table need not have": (
        READY, "", "rule main:\n    go\n    go\n  rule go:\n    if flag:\n"
        "      for each p, clockwise from seat 5: ready[p] := yes\n    flag := some(p where not ready[p])\n",
        'always: "ready[a] = before(ready[a])", in: go, for: {a: player}', (5, 6)),
    # A seat that is told by a table.
    "a table of seats": (
        "k: {type: 0..2, starts: 2}", "tables:\n  place: {for: 1..2, type: player, rows: {1: seat 2, 2: seat 2}}",
        "rule main:\n    go\n  rule go:\n    if k > 0: who := place[k]\n    else: k := 1\n",
        'always: "k < 2 or (who = who and players = 1)", in: go', (2, 3)),
    # What belongs to seats of which nothing is kept may have changed between two looks at it.
    "a seat beside, in a table": (
        "points: {each: [player, 1..2], type: 0..6, starts: 0}\n  far: {type: player}", "",
        FAR + "rule go:\n    if right of far != who and far != who: points[far, 1] := 5\n"
        "    flag := points[far, 1] > 2\n",
        'always: "points[right of who, 1] = before(points[right of who, 1])", in: go', (3, 4)),
    "a seat beside, among cards": (
        POINTS, "", FAR + "rule go:\n    flag := some(c in pile where height of rank of c > points[right of who])\n"
        "    if right of far != who and far != who: points[far] := (points[far] + 1) mod 7\n",
        'always: "flag = some(c in pile where height of rank of c > points[right of who])", in: go', (3, 4)),
    # Which place a loop sets is told by cards that the loop moves.
    "a place that cards tell": (
        GRID, "", "rule main:\n    go\n  rule go:\n"
        "    repeat until size of pile = 3:\n      shuffle stock\n      grid[size of pile + 1] := 1\n"
        "      deal 1 from stock to pile\n    n := grid[1]\n", 'always: "grid[2] = 0", in: go', (1, 3)),
    # The rule begins again in a loop that was entered while it was being followed.
    "begins again in a loop": (
        "total: {type: integer, starts: 0}", "", "rule main:\n    repeat until total > 3:\n      shuffle stock\n"
        "      go\n  rule go:\n"
        "    if flag: total := total\n    flag := yes\n    total := total + 1\n",
        'always: "before(total) = 0", in: go', (1, 3)),
    # The clock breaks into a rule and follows the same rule.
    "the clock follows it, too": (
        "fired: {type: yes or no, starts: no}", CLOCK, NESTED, 'always: "n >= before(n)", in: go', (1, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_a_play_contradicts_is_not_proved(tmp_path: Path, name: str) -> None:
    state, more, rules, claim, players = CASES[name]
    told = f"{players[0]}..{players[1]}"
    text = GAME.format(state=state, more=more, rules=rules.rstrip(), claim=claim, players=told)
    source = model_of(tmp_path, text)
    (asked,) = source.properties
    refuted = [n for n in range(players[0], players[1] + 1) if is_refuted(asked, source, n)]
    assert refuted, "no play contradicts the claim"
    answer, few = for_any_number(asked, source, 10.0)
    assert answer.verdict is Verdict.UNKNOWN or few > refuted[-1], answer.because
    few = refuted[0]
    assert by_terms(asked, source, few, 10.0).verdict is Verdict.UNKNOWN
    assert by_induction(asked, source, few, 1.0).verdict is Verdict.UNKNOWN
    assert not exclude(asked, source, few, lambda v: v is not True, 1.0).holds


def is_refuted(claim: ir.Property, source: model.Model, num_players: int) -> bool:
    """Whether one of a few plays contradicts a claim."""
    machine = machine_for(claim, source, num_players)
    failed: list[object] = []
    lookout = Lookout(machine, claim, looks_at(claim, source))
    lookout.found = lambda values, case: None if values[0] else failed.append(case)
    for i in range(400):
        lookout.attend()
        rng = random.Random(f"seats/{i}")
        try:
            state = machine.initial(recording=False)
            while not failed and not machine.is_terminal(state):
                lookout.stop(state)
                state, _ = move_on(machine, state, rng)
        except Fault:
            pass
        if failed:
            return True
    return False

"""What was once proved and is false: each claim here has a play against it, and no engine may prove it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import model
from tests.unit.written import model_of
from verify.exclusion import exclude
from verify.learned import by_induction
from verify.outcome import Verdict
from verify.places import Lookout, looks_at, machine_for
from verify.plays import Found, Plays
from verify.steps import anywhere, by_terms

GAME = """
hoyle: 1
game: small
title: Small
players: 2
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner}}
  slot: {{each: 1..2, seen: everyone, holds: 2}}
  pile: {{seen: everyone}}
state: {{turns: {{type: 0..3, starts: 0}}, early: {{type: yes or no, starts: no}}}}
{clock}
rules: |
  rule game:
    shuffle stock
    for each p: deal 1 from stock to hand[p]
    repeat until turns = 3:
      for each p: turn(p)
      turns += 1
  rule turn(p):
    early := no
    p chooses turn:
      pass:
        move top of stock to pile
        gather all cards into stock
        shuffle stock
        for each q: deal 1 from stock to hand[q]
      put(k: 1..2, c in hand[p]) when size of slot[k] < 2:
        move c to slot[k]
      {action}
    {after}
{rule}
result: {{score: turns, wins: turns = 3 and not early, ties: draw}}
properties:
  claim: {{{claim}}}
"""
CLOCK = "clock: {time: 9 seconds, think: 1 second .. 5 seconds, events: {out: {at: 0 seconds, rule: time_out}}}"
RUSH = "rush when time_left >= 5: early := time_left < 5"
ROOM = "wave: early := size of slot[1] < 2"


@pytest.mark.parametrize(
    ("action", "after", "claim"),
    [
        # Where no cards move, it is not asked where to: the first turn does not fail.
        ("wait: turns := turns", "move pile to slot[turns]", 'never: "size of slot[1] = 1"'),
        # An action may be chosen as long as there is time, and is carried out when time has passed.
        (RUSH, "early := early", 'never: "early", in: turn'),
        # Zones that are counted together: that one of them has room does not tell which.
        ("wait: turns := turns", "early := early", 'always: "size of slot[1] < 2"'),
        ("wait: turns := turns", "early := early", 'always: "size of slot[1] < 2 or size of slot[2] = 2"'),
        (ROOM, "early := early", 'always: "size of slot[2] < 2 or early", in: turn'),
    ],
)
def test_what_a_play_contradicts_is_not_proved(tmp_path: Path, action: str, after: str, claim: str) -> None:
    timed = action == RUSH
    rule = "  rule time_out:\n    end game" if timed else ""
    clock = CLOCK if timed else ""
    source = model_of(tmp_path, GAME.format(clock=clock, action=action, after=after, rule=rule, claim=claim))
    contradicted(source)


# A card is chosen, seats are counted from another one, and then the card moves: from the hand that it is still in.
TURNED = """
hoyle: 1
game: turned
title: Turned
players: 2
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner}
  pile: {seen: everyone}
state: {lead: {type: player or none, starts: none}, other: {type: player or none, starts: none}}
rules: |
  rule game:
    shuffle stock
    for each p: deal 2 from stock to hand[p]
    lead := random player
    other := left of lead
    drops(other)
    drops(lead)
  rule drops(p):
    p chooses:
      drop(c in hand[p]):
        lead := p
        shuffle stock
        move c to pile
result: {score: "size of hand[p]", wins: "size of hand[p] = max(size of hand[q] for q)", ties: draw}
properties:
  claim: {when: lead is not none, never: "some(q where size of hand[q] = 0)"}
"""


def test_a_chosen_card_stays_with_its_seat(tmp_path: Path) -> None:
    contradicted(model_of(tmp_path, TURNED))


# The same, where places change about because one of them has more cards than before.
SORTED = """
hoyle: 1
game: sorted
title: Sorted
players: 2
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  slot: {each: 1..2, seen: everyone}
  pile: {seen: everyone}
rules: |
  rule game:
    shuffle stock
    fill(2)
    seat 1 chooses:
      pick(k: 1..2, c in slot[k]):
        fill(3)
        shuffle stock
        move c to pile
  rule fill(n: 2..3):
    seat 1 chooses:
      fill(j: 1..2) when size of slot[j] = 0: deal n from stock to slot[j]
result: {score: size of pile, wins: yes, ties: draw}
properties:
  claim: {never: "some(r in 1..2 where size of slot[r] = 1)"}
"""


def test_a_chosen_card_stays_at_its_place(tmp_path: Path) -> None:
    contradicted(model_of(tmp_path, SORTED))


# Zones that are counted together have one sum, whatever place or seat is turned to where the first one was.
TOGETHER = """
hoyle: 1
game: together
title: Together
players: 2
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner}}
  box: {{each: {each}, seen: everyone, holds: 2}}
state: {{lead: {{type: player or none, starts: none}}}}
rules: |
  rule game:
    shuffle stock
    for each p: deal 2 from stock to hand[p]
    lead := random player
    repeat 3 times:
      lead chooses:
        lay(c in hand[lead], q: {each}) when size of box[q] < 2: move c to box[q]
      lead := left of lead
result: {{score: "size of hand[p]", wins: "size of hand[p] = max(size of hand[q] for q)", ties: draw}}
properties:
  claim: {{always: size of all box <= 2}}
"""


@pytest.mark.parametrize("each", ["player", "1..2"])
def test_a_sum_is_of_no_place(tmp_path: Path, each: str) -> None:
    contradicted(model_of(tmp_path, TOGETHER.format(each=each)))


def contradicted(source: model.Model) -> None:
    """A play contradicts the claim of some rules, and no engine proves it."""
    (asked,) = source.properties
    where, machine = looks_at(asked, source), machine_for(asked, source, 2)
    assert anywhere(asked, machine, 10.0) is None
    wants_yes = asked.kind == "never"

    def found(values: tuple[object, ...], _: tuple[object, ...]) -> None:
        if bool(values[0]) is wants_yes:
            raise Found

    lookout = Lookout(machine, asked, where)
    lookout.found = found
    assert Plays(lookout, "seed").run(20.0), "no play contradicts the claim"
    lookout.machine.effects.watch = None
    assert not exclude(asked, source, 2, lambda v: v is not (not wants_yes), 10.0).holds
    assert by_induction(asked, source, 2, 30.0).verdict is Verdict.UNKNOWN
    if where == "rule":
        assert by_terms(asked, source, 2, 10.0).verdict is Verdict.UNKNOWN


PAIRS = """
hoyle: 1
game: small
title: Small
players: 2
cards: {{ranks: [7, 8, 9, 10], suits: [clubs, hearts, spades]}}
combinations:
  order: lowest first
  nothing: {{cards: none of these}}
  {rows}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner}}
rules: |
  rule game:
    repeat 2 times:
      for each p: turn(p)
  rule turn(p):
    gather all cards into stock
    shuffle stock
    deal 4 from stock to hand[p]
result: {{score: 0, wins: yes, ties: draw}}
properties:
  claim: {{{claim}}}
"""
BETWEEN = 'never: "best(hand[seat 1]) > {low} and best(hand[seat 1]) < {high}", in: turn'


@pytest.mark.parametrize(
    ("rows", "low", "high"),
    [
        ("pair: {cards: 2 of rank r, by: r then side cards}", "pair(7)", "pair(8)"),
        ("pair: {cards: 2 of rank r and 2 of one suit, by: groups}", "pair(7)", "pair(8)"),
    ],
)
def test_what_is_found_may_lie_between_two_calls_that_leave_something_open(
    tmp_path: Path, rows: str, low: str, high: str
) -> None:
    contradicted(model_of(tmp_path, PAIRS.format(rows=rows, claim=BETWEEN.format(low=low, high=high))))


def test_nothing_lies_between_two_calls_that_say_all(tmp_path: Path) -> None:
    rows = "pair: {cards: 2 of rank r, by: r}\n  fuller: {cards: 3 of rank r, by: r then side cards}"
    claim = BETWEEN.format(low="pair(7)", high="pair(8)")
    source = model_of(tmp_path, PAIRS.format(rows=rows, claim=claim))
    assert by_terms(source.properties[0], source, 2, 10.0).verdict is Verdict.PROVED

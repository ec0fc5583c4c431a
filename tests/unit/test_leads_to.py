"""`leads to` and `same`: what is so is proved, what is not is shown by a play, and nothing false is ever proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dsl import ir, load, model
from dsl.reader import read_text
from interpreter.machine import Machine
from interpreter.playfile import text_of
from interpreter.state import State
from verify import shorten
from verify.awaited import Watch, shown_by
from verify.claims import answer
from verify.leading_counts import led
from verify.outcome import Answer, Outcome, Verdict
from verify.places import looks_at, machine_for
from verify.plays import Plays
from verify.tracefile import head_of

# A lamp that goes out by itself after three rounds in which it burns. Nobody has to light it.
LAMP = """
hoyle: 1
game: lamp
title: Lamp
players: 2
cards: {ranks: [7, 8, 9], suits: [hearts]}
zones:
  stock: {starts: full, seen: nobody}
  tin: {each: player, seen: everyone, holds: 2}
state:
  lit: {type: yes or no, starts: no}
  oil: {type: 0..3, starts: 3}
  wind: {type: player or none, starts: none}
rules: |
  rule game:
    repeat until oil = 0:
      for each p: turn(p)
      wind := random player
      if lit: oil -= 1
  rule turn(p):
    p chooses turn:
      drop when size of stock > 0 and size of tin[p] < 2:
        deal 1 from stock to tin[p]
      light when not lit: lit := yes
      blow when wind = p: lit := no
      wait
result: {score: "size of tin[p]", wins: lit, ties: draw}
"""
# Time runs: at the bell the lamp is lit, in the middle of whatever is done, and soon after that all is over.
BELL = """
hoyle: 1
game: bell
title: Bell
players: 1
cards: {ranks: [7, 8], suits: [hearts]}
zones:
  stock: {starts: full, seen: nobody}
  tin: {seen: everyone}
state:
  lit: {type: yes or no, starts: no}
  rung: {type: yes or no, starts: no}
clock:
  time: 6 seconds
  think: 2 seconds .. 4 seconds
  events:
    bell: {at: 4 seconds, rule: bell}
    over: {at: 0 seconds, rule: over}
rules: |
  rule game:
    repeat 3 times:
      the player chooses move:
        snuff: lit := no
        light: lit := yes
        wait
  rule bell:
    lit := yes
    rung := yes
  rule over: end game because "time is up"
result: {score: 0, wins: lit}
"""


@cache
def game(text: str) -> model.Model:
    found = load.load(Path("/nowhere/game.yaml"), "game.yaml", Path("/nowhere"), lambda at, shown, r: read_text(shown, text, r))
    assert isinstance(found, load.Loaded)
    source = found.model()
    assert source is not None, [d.message for d in found.reporter.diagnostics]
    return source


def claimed(text: str, claim: str) -> tuple[model.Model, ir.Property]:
    source = game(f"{text}properties:\n  claim: {{{claim}}}\n")
    return source, source.properties[0]


def answered(text: str, claim: str, seconds: float = 6.0) -> Answer:
    source, found = claimed(text, claim)
    return answer(found, source, source.players[0], seconds)


# ------------------------------------------------------------------------------------------ one of each sort

PROVED = [
    ("leads to: [lit, lit], within: 0", 0),
    ("leads to: [oil = 1 and lit, oil = 0 or not lit], within: 3", 3),
    ("leads to: [lit, oil = 0 or not lit]", 9),
    ("leads to: [lit, not lit, end], within: 9", 9),
    ("leads to: [size of stock = 0, end], when: lit and not lit", None),
    ('for: {p: player}, leads to: ["wind = p", "wind != p or size of stock >= 0"]', 0),
    ('for: {n: 1..3}, leads to: ["oil = n and lit", "oil = n - 1 or not lit"], within: 3', 3),
    ("in: turn, leads to: [lit and not before(lit), not lit or oil < 3]", 2),
]


@pytest.mark.parametrize(("claim", "steps"), PROVED)
def test_what_comes_in_every_play_is_proved(claim: str, steps: int | None) -> None:
    found = answered(LAMP, claim)
    if steps is None:
        assert found.verdict is Verdict.VACUOUS, found.because
    else:
        assert (found.verdict, found.value) == (Verdict.PROVED, {"steps": steps}), found.because


REFUTED = [
    ("leads to: [size of stock = 1, size of stock = 0]", "the game is over without what it should lead to"),
    ("leads to: [oil = 3, oil = 2]", "it may go on so for ever"),
    ("leads to: [oil = 3, end]", "it may go on so for ever"),
    ("leads to: [oil = 1 and lit, oil = 0 or not lit], within: 2", "2 steps later what it should lead to has not come"),
    ("leads to: [lit, end], within: 8", "8 steps later what it should lead to has not come"),
    ('for: {p: player}, leads to: ["wind = p", "wind is none"]', "for p = seat"),
    ("in: turn, leads to: [lit, not lit]", "the game is over without"),
]


@pytest.mark.parametrize(("claim", "because"), REFUTED)
def test_what_does_not_come_is_shown_by_a_play(claim: str, because: str) -> None:
    source, found = claimed(LAMP, claim)
    told = answer(found, source, 2, 6.0)
    assert told.verdict is Verdict.REFUTED and because in told.because
    assert told.trace is not None and shorten.shows(found, source, told.trace)
    shorter = shorten.shorten(found, source, told, 1.0)
    assert shorter.trace is not None and len(shorter.trace.steps) <= len(told.trace.steps)
    assert because in shorter.because and shorten.shows(found, source, shorter.trace)
    cut = replace(shorter.trace, steps=shorter.trace.steps[:-1])
    assert not shorten.shows(found, source, cut)


def test_a_play_that_refutes_it_is_told() -> None:
    source, found = claimed(LAMP, "leads to: [oil = 2 and lit, oil = 1], within: 4")
    told = shorten.shorten(found, source, answer(found, source, 2, 6.0), 2.0)
    assert told.because == "after 4 steps what comes first holds, and 4 steps later what it should lead to has not come"
    assert told.trace is not None
    machine = Machine(load.game(source))
    outcome = Outcome("claim", "claim", "oil = 2 and lit leads to oil = 1", (), frozenset(), {2: told})
    text = text_of(machine, head_of(outcome, told, "lamp", machine.game), told.trace)
    assert text.partition("property: ")[2] == GOLDEN


GOLDEN = """claim
"""

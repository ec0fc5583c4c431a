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
from tests.properties.corpus import GAMES, model_of
from verify import shorten
from verify.awaited import Watch, refuted, shown_by
from verify.claims import answer
from verify.leading_counts import led
from verify.outcome import Answer, Outcome, Verdict
from verify.places import looks_at, machine_for
from verify.plays import Plays
from verify.regressions import save
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
    time_out: {at: 0 seconds, rule: time_out}
rules: |
  rule game:
    repeat 3 times:
      the player chooses move:
        snuff: lit := no
        light: lit := yes
        wait: deal up to 1 from stock to tin
  rule bell:
    lit := yes
    rung := yes
  rule time_out:
    end game because "time is up"
result: {score: 0, wins: lit and rung}
"""


@cache
def game(text: str) -> model.Model:
    path = Path("/nowhere/game.yaml")
    found = load.load(path, path.name, path.parent, lambda at, shown, reporter: read_text(shown, text, reporter))
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
    ("leads to: [lit, oil = 0 or not lit]", 8),
    ("leads to: [lit, not lit, end], within: 8", 8),
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
    ("leads to: [oil = 1, size of stock = 0 and size of stock = 1]", "without what it should lead to"),
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
    source, found = claimed(LAMP, "leads to: [lit and oil < 3, not lit], within: 2")
    plays = Plays(Watch(machine_for(found, source, 2), found, "stops"), "seed")
    assert plays.run(20.0)
    shown = shown_by(plays.machine, found, "stops", plays.trace)
    assert shown is not None
    told = shorten.shorten(found, source, refuted("play", found, plays.machine, plays.trace, shown), 20.0)
    assert told.trace is not None
    machine = Machine(load.game(source))
    outcome = Outcome("claim", "claim", "lit and oil < 3 leads to not lit, within 2", (), frozenset(), {2: told})
    text = text_of(machine, head_of(outcome, told, "lamp", machine.game), told.trace)
    assert text.partition("property: ")[2] == GOLDEN.format(because=told.because)
    assert told.because == "after 3 steps what comes first holds, and 2 steps later what it should lead to has not come"


GOLDEN = """claim
shows: refuted: lit and oil < 3 leads to not lit, within 2; {because}

1: light
2: wait
pick wind: seat 1
1: drop
2: wait
5 steps so far
"""


def test_a_proof_that_no_play_meets_says_so() -> None:
    assert answered(LAMP, "leads to: [oil = 0 and oil = 3, lit]").verdict is Verdict.VACUOUS


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("same: [size of stock, 3 - size of all tin]", Verdict.PROVED),
        ("same: [size of stock, 2 - size of all tin]", Verdict.REFUTED),
        ("same: [wind, seat 1], when: oil < 3 and lit", Verdict.REFUTED),
        ('for: {p: player}, same: ["size of tin[p] > 2", oil > 3]', Verdict.PROVED),
        ("in: turn, same: [oil, before(oil)]", Verdict.PROVED),
        ("same: [players, 2]", Verdict.PROVED),
    ],
)
def test_two_expressions_are_the_same_at_every_position(claim: str, verdict: Verdict) -> None:
    assert answered(LAMP, claim).verdict is verdict


# ------------------------------------------------------------------------- against every position there is

CONDITIONS = ["lit", "not lit", "oil = 3", "oil < 3", "oil = 1", "wind is none", "size of stock = 0", "lit and oil = 2",
              "size of tin[seat 1] = 1", "wind = seat 1"]  # fmt: skip
TIMED = ["lit", "not lit", "rung", "lit and rung", "not lit and rung"]


class Every:
    """Every position of a small game: what follows it, and the ends of marked rules that were come past before it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._passed: list[State] = []
        machine.effects.watch = lambda s, node: None if node.begins else self._passed.append(s.clone())
        self.states: dict[Any, State] = {}
        self.following: dict[Any, list[Any]] = {}
        self.marks: list[tuple[State, Any]] = []
        waiting = [self._came(machine.blank(recording=False), lambda s: machine.advance(s))]
        while waiting:
            key = waiting.pop()
            if key in self.following:
                continue
            self.following[key] = [self._came(*way) for way in self._ways(self.states[key])]
            waiting += self.following[key]

    def _came(self, state: State, go: Any) -> Any:
        self._passed.clear()
        after = go(state)
        key = after.key()
        self.states.setdefault(key, after)
        self.marks += [(s, key) for s in self._passed]
        return key

    def _ways(self, state: State) -> Iterator[tuple[State, Any]]:
        m = self.machine
        if m.is_terminal(state):
            return
        if m.chance_node(state) is not None:
            for outcome in m.outcomes(state):
                yield state, lambda s, o=outcome: m.apply_chance(s, o)
            return
        player = m.to_move(state)[0]
        waits = (0,) if m.game.clock is None else (0, 2000, 4000)
        for choice, elapsed in product(m.legal_actions(state, player), waits):
            yield state, lambda s, c=choice, e=elapsed: m.apply(s, player, c, e)

    def most(self, claim: ir.Property, where: str) -> int | None:
        """The most steps from what comes first to what it leads to; None where some play never comes to that."""
        watch = Watch(self.machine, claim, where)
        first, then = watch._expressions
        open_ = {k: not (then(s) or (claim.or_end and self.machine.is_terminal(s))) for k, s in self.states.items()}
        lengths: dict[Any, int | None] = {}
        if where == "rule":
            starts = [key for s, key in self.marks if first(s) and not then(s)]
        else:
            starts = [key for key, s in self.states.items() if first(s)]
        return self._longest([k for k in starts if open_[k]], open_, lengths)

    def _longest(self, starts: list[Any], open_: dict[Any, bool], lengths: dict[Any, int | None]) -> int | None:
        stack, on_path = [(k, False) for k in starts], set[Any]()
        while stack:
            key, done = stack.pop()
            if done:
                on_path.discard(key)
                found = [1 + (lengths.get(k) or 0) if open_[k] else 1 for k in self.following[key]]
                if not found or any(open_[k] and lengths.get(k, 0) is None for k in self.following[key]):
                    return None
                lengths[key] = max(found)
            elif key not in lengths and key not in on_path:
                on_path.add(key)
                stack.append((key, True))
                for k in self.following[key]:
                    if open_[k]:
                        if k in on_path:
                            return None
                        stack.append((k, False))
        return max((lengths[k] or 0 for k in starts), default=0)


@pytest.mark.parametrize(("text", "conditions", "scope"), [
    (LAMP, CONDITIONS[:6], ""), (LAMP, CONDITIONS[4:], "in: turn, "), (BELL, TIMED, ""), (BELL, TIMED, "in: bell, "),
])  # fmt: skip
def test_nothing_false_is_proved_and_little_is_missed(text: str, conditions: list[str], scope: str) -> None:
    every: Every | None = None
    proved = missed = 0
    for first, then, end in product(conditions, conditions, ("", ", end")):
        source, claim = claimed(text, f"{scope}leads to: ['{first}', '{then}'{end}]")
        where, n = looks_at(claim, source), source.players[0]
        every = every or Every(machine_for(claim, source, n))
        most = every.most(claim, where)
        found = led(claim, source, n, 10.0)
        told = f"{scope}{first} leads to {then}{end}: {most}, {found}"
        if found.holds:
            assert most is not None and (found.steps is None or found.steps >= most), told
            proved += 1
            less = replace(claim, within=most - 1)
            assert not most or not led(less, source, n, 10.0).holds, told
        elif most is not None:
            missed += 1
    assert proved > missed, (proved, missed)


@pytest.mark.parametrize("scope", ["", "in: turn, "])
def test_no_play_refutes_what_is_so(scope: str) -> None:
    every: Every | None = None
    shown = 0
    for first, then, within in product(CONDITIONS[:6], CONDITIONS[:6], (None, 2, 5)):
        source, claim = claimed(LAMP, f"{scope}leads to: ['{first}', '{then}']")
        claim = replace(claim, within=within)
        where = looks_at(claim, source)
        every = every or Every(machine_for(claim, source, 2))
        most = every.most(claim, where)
        plays = Plays(Watch(machine_for(claim, source, 2), claim, where), "seed")
        if plays.run(0.02):
            shown += 1
            assert most is None or (within is not None and within < most), (scope, first, then, within, most)
            assert shown_by(plays.machine, claim, where, plays.trace) is not None
    assert shown > 20


def test_a_play_that_gets_stuck_shows_nothing() -> None:
    """Whether the rules fail is asked without a claim; where nobody can go on, nothing is proved either."""
    stuck = LAMP.replace("      wait\n", "").replace("when not lit", "when oil = 0")
    stuck = stuck.replace("wind = p", "wind = p and oil = 0")
    assert answered(stuck, "leads to: [size of stock = 0, end]", 2.0).verdict is Verdict.UNKNOWN


# -------------------------------------------------------------------------------------- the games and their files

@pytest.mark.parametrize(
    ("name", "claim", "engine", "less"),
    [
        ("poke", "lead_is_answered", "counts", 0),
        ("poke", "a_hand_is_played", "counts", 9),
        ("poker_bull", "each_round_ends", "ranking", 400),
        ("poker_challenge", "each_hand_ends", "counts", 77),
        ("poker_challenge", "a_call_ends_it", "counts", 1),
    ],
)
def test_what_the_rulebooks_say_comes_is_proved_and_no_less(name: str, claim: str, engine: str, less: int) -> None:
    source = model_of(GAMES / f"{name}.yaml")
    found = next(c for c in source.properties if c.name == claim)
    told = answer(found, source, source.players[0], 30.0)
    assert (told.verdict, told.engine) == (Verdict.PROVED, engine), told.because
    assert not led(replace(found, within=less), source, source.players[0], 0.5).holds


def test_what_is_not_the_same_is_saved_as_an_example(tmp_path: Path) -> None:
    path = tmp_path / "lamp.yaml"
    example = "examples:\n  - title: three at first\n    run: game\n    then: {oil: 3}\n"
    claim = 'properties:\n  claim: {same: [size of stock, "3 - size of tin[seat 2]"]}\n'
    path.write_text(LAMP + claim + example, encoding="utf-8")
    loaded = load.load(path, path.name, tmp_path)
    assert isinstance(loaded, load.Loaded)
    source = loaded.model()
    assert source is not None
    told = shorten.shorten(source.properties[0], source, answer(source.properties[0], source, 2, 6.0), 5.0)
    outcome = Outcome("claim", "claim", "same", (), frozenset({Verdict.PROVED}), {2: told})
    assert save(loaded, [(outcome, told)]) == ["claim: saved as an example in lamp.yaml"]
    assert '"(size of stock) = (3 - size of tin[seat 2])": yes' in path.read_text(encoding="utf-8")

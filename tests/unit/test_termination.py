"""Whether play ends: numbers that rise to a limit, and rounds that can be repeated though numbers grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import model
from dsl.lower import lower
from interpreter.machine import Machine
from interpreter.trace import Trace, take
from tests.properties import corpus
from tests.unit.written import model_of
from verify import checks, ranking
from verify.checks_play import Campaign
from verify.folded import Unsupported
from verify.learned import learn, ranked
from verify.longplay import Lasso, LongPlay
from verify.outcome import Verdict
from verify.wording import Wording

GAME = """
hoyle: 1
game: small
title: Small
players: 2
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand: {{each: player, seen: owner}}
  pile: {{seen: everyone}}
state:
  points: {{each: player, type: integer, starts: 0}}
  turns: {{type: integer, starts: 0}}
  done: {{type: yes or no, starts: no}}
rules: |
  rule game:
    for each p: points[p] := 0
    done := turns = 1
    if done: turns := 0
    repeat until {until}:
      gather all cards into stock
      shuffle stock
      for each p: deal 2 from stock to hand[p]
      for each p: turn(p)
      {after}
  rule turn(p):
    repeat:
      p chooses turn:
        pass: end turn
        give(c in hand[p]):
          move c to pile
          {given}
result: {{score: "points[p]", wins: "points[p] = max(points[q] for q)", ties: draw}}
"""


def source_of(tmp_path: Path, until: str, after: str = "turns += 1", given: str = "reveal c") -> model.Model:
    return model_of(tmp_path, GAME.format(until=until, after=after, given=given))


def rises(source: model.Model) -> list[str] | None:
    found = ranked(source, 2, 8.0)
    assert found is not None
    words = Wording(Machine(lower(source, 2)).words)
    return None if found.left else [words.of(m.of) for m in found.by]


def lasso_of(source: model.Model, seconds: float) -> Lasso | None:
    machine = Machine(lower(source, 2))
    return LongPlay(machine, Campaign(machine, "a").futures, "a").run(seconds)


@pytest.mark.parametrize(
    ("until", "after"),
    [
        ("turns >= 3", "turns += 1"),
        ("sum(points[p] for p) >= 5", "points[seat 1] += 1"),
        ("points[seat 2] >= 5", "points[seat 2] += 1 + size of pile"),
        ("turns <= -3", "turns -= 1"),
    ],
)
def test_what_rises_to_a_limit_ends(tmp_path: Path, until: str, after: str) -> None:
    assert rises(source_of(tmp_path, until, after)), "something rises"


@pytest.mark.parametrize(
    ("until", "after", "given"),
    [
        ("turns >= 3", "turns := 0", "reveal c"),  # set back
        ("done", "turns += 1", "reveal c"),  # no limit
        ("turns >= 3", "turns += 1 - size of pile", "reveal c"),  # may fall
        ("turns >= 3", "if size of pile = 0: turns += 1", "reveal c"),  # need not rise
        ("turns >= 3", "turns += 1", "move c to hand[p]"),  # a turn may go on for ever
        ("points[seat 1] >= 5", "points[seat 2] += 1", "reveal c"),  # not the one with the limit
    ],
)
def test_what_need_not_end_is_not_said_to(tmp_path: Path, until: str, after: str, given: str) -> None:
    assert rises(source_of(tmp_path, until, after, given=given)) is None


@pytest.mark.parametrize(
    ("until", "after", "grows"),
    [
        ("done", "turns += 1", {"turns": 1}),
        ("turns < 0", "turns += 1", {"turns": 1}),
        ("turns > 0", "turns -= 2", {"turns": -2}),
        (
            "points[seat 1] > points[seat 2]",
            "for each p: points[p] += 3",
            {"points of seat 1": 3, "points of seat 2": 3},
        ),
        ("turns >= 3", "turns := 0", {}),
    ],
)
def test_a_round_that_can_be_repeated_is_found_and_replays(
    tmp_path: Path, until: str, after: str, grows: dict[str, int]
) -> None:
    source = source_of(tmp_path, until, after)
    lasso = lasso_of(source, 20.0)
    assert lasso is not None
    machine = Machine(lower(source, 2))
    rounds = {machine.layout.var_names[cell]: by for cell, by in lasso.growth.items()}
    assert set(rounds) == set(grows)
    assert all(rounds[name] % by == 0 and rounds[name] * by > 0 for name, by in grows.items())
    trace = Trace("small", 2, (), "a", lasso.steps)
    state = machine.initial(recording=False)
    for step in trace.steps:
        take(machine, state, step)


@pytest.mark.parametrize(
    ("until", "after"),
    [
        ("turns >= 60", "turns += 1"),  # the growth meets a limit
        ("points[seat 1] - points[seat 2] >= 60", "points[seat 1] += 1"),  # a difference does
        ("turns mod 50 = 49", "turns += 1"),  # a remainder does
        ("turns >= 10 * (points[seat 1] + 6)", "turns += 1"),
        ("turns >= 60", "if done: turns := 0\\n      else: turns += 1"),
    ],
)
def test_a_round_that_ends_some_time_is_not_said_to_go_on(tmp_path: Path, until: str, after: str) -> None:
    assert lasso_of(source_of(tmp_path, until, after.replace("\\n", "\n")), 1.5) is None


class Ending:
    """A clock by which the time is up when it has been looked at so many times."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    def monotonic(self) -> float:
        self._looks -= 1
        return 0.0 if self._looks > 0 else 1e9


def test_a_search_that_is_cut_off_leaves_no_condition_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solvers of what was learned are asked again by others, who must not be told what was only tried."""
    source = corpus.model_of(corpus.GAMES / "leduc.yaml")
    tried = learn(source, 2, 20.0)
    assert tried.induction is not None
    cut_off = 0
    for looks in range(1, 40):
        with monkeypatch.context() as patched:
            patched.setattr(ranking, "time", Ending(looks))
            try:
                ranking.Ranking(tried.induction, frozenset(), 100.0).found()
            except Unsupported:
                cut_off += 1
        assert not any(tried.induction.segment(p).solver.num_scopes() for p in tried.induction.stops)
    assert cut_off > 20


DRAWN = """
hoyle: 1
game: drawn
title: Drawn
players: 2
cards: {{ranks: [7, 8, 9], suits: [hearts, spades]}}
zones:
  stock: {{starts: full, seen: nobody}}
  lot: {{each: player, seen: everyone}}
state:
  drawn: {{type: player or none, starts: none}}
rules: |
  rule game:
    repeat 2 times: hand
  rule hand:
    gather all cards into stock
    shuffle stock
    for each p: turn(p)
    draw
  rule draw:
    drawn := none
    repeat until drawn is not none:
      {again}
      shuffle stock
      for each p: deal 1 from stock to lot[p]
      drawn := highest(p by rank of top of lot[p] tie none)
  rule turn(p):
    p chooses turn:
      take: deal 1 from stock to lot[p]
      pass
result: {{score: "size of lot[p]", wins: "yes", ties: shared}}
"""


@pytest.mark.parametrize(
    ("again", "holds"), [("gather all cards into stock", True), ("gather all lot into stock", False)]
)
def test_a_hand_is_over_where_all_cards_are_gathered(tmp_path: Path, again: str, holds: bool) -> None:
    source = model_of(tmp_path, DRAWN.format(again=again))
    check = next(c for c in checks.questions(source) if c.name == "hands_end")
    assert (check.answer(2, 20.0).verdict is Verdict.PROVED) is holds

"""Taking a choice back: it goes where nobody learned anything, and where it does not, the reason is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl import load
from interpreter.bots import random_bot
from interpreter.machine import Machine
from interpreter.play import Playthrough
from interpreter.trace import Chosen
from interpreter.undo import CannotUndo

ROOT = Path(__file__).parents[2]
GAME = """\
hoyle: 1
game: small
title: Small
players: 2
cards: {ranks: [J, Q, K], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner}
  shown: {seen: everyone}
state:
  points: {each: player, type: integer, starts: 0}
  secret: {each: player, type: 0..5, starts: 0, seen: owner}
  bid_up: {type: 0..5, starts: 0}
rules: |
  rule game:
    shuffle stock
    for each p: deal 2 from stock to hand[p]
    repeat 20 times:
      for each p: turn(p)
  rule turn(p):
    p chooses turn:
      bid(n: 1..5): bid_up := n
      wait
      count: points[p] += size of stock
      play(c in hand[p]): move c to shown
      draw: deal 1 from stock to hand[p]
      top: reveal top of stock to p
      guess(r: rank): points[p] += if rank of top of stock = r then 1 else 0
      hint: points[p] += if some(c in hand[p] where rank of c = K) then 1 else 0
      count_shown: points[p] += count(c in shown where rank of c = K)
      whisper(n: 1..5): secret[p] := n
      tell: bid_up := secret[p]
      mix:
        shuffle stock
      finish: end game
result:
  score: points[p]
  wins: points[p] > bid_up
  ties: shared
"""
SECRETLY = """\
hoyle: 1
game: secretly
title: Secretly
players: 2
cards: {ranks: [J, Q, K], suits: [hearts, spades]}
zones: {stock: {starts: full, seen: nobody}}
state: {chosen: {each: player, type: 0..5, starts: 0}}
rules: |
  rule game:
    shuffle stock
    repeat 3 times:
      each p chooses at once bids:
        bid(n: 1..5): chosen[p] := n
      for each p:
        p chooses turn:
          wait
          go
result: {score: "chosen[p]", wins: "chosen[p] > 2", ties: shared}
"""


def machine(text: str, tmp_path: Path) -> Machine:
    path = tmp_path / "game.yaml"
    path.write_text(text, encoding="utf-8")
    loaded = load.load(path, path.name, tmp_path)
    assert isinstance(loaded, load.Loaded)
    found = loaded.model()
    assert found is not None, loaded.reporter.diagnostics
    return Machine(load.game(found))


def choose(play: Playthrough, written: str, elapsed_ms: int = 0) -> None:
    play.advance()
    player = play.machine.to_move(play.state)[0]
    choice = play.machine.parse_choice(play.state, player, written)
    assert choice is not None, written
    play.choose(player, choice, elapsed_ms)


def alone(tmp_path: Path, *written: str, text: str = GAME) -> Playthrough:
    """A game in which one person has made some choices, against a bot that only ever waits."""
    waits = lambda rng: lambda m, s, p: m.parse_choice(s, p, "wait")  # noqa: E731
    play = Playthrough(machine(text, tmp_path), 1, {1: waits})
    for choice in written:
        choose(play, choice)
    play.advance()
    return play


@pytest.mark.parametrize("choice", ["bid(3)", "wait", "count", "count_shown", "whisper(2)"])
def test_a_choice_from_which_nobody_learned_is_taken_back(choice: str, tmp_path: Path) -> None:
    play = alone(tmp_path)
    before, steps = play.state.key(), list(play.steps)
    choose(play, choice)
    play.advance()
    assert len(play.steps) == len(steps) + 2  # the bot has waited, too
    play.undo(0)
    assert play.state.key() == before and play.steps == steps and play.num_decisions == 0
    choose(play, "bid(4)")
    choose(play, "bid(5)")
    play.undo(0)
    play.undo(0)
    assert play.state.key() == before
    with pytest.raises(CannotUndo, match="you have chosen nothing yet"):
        play.undo(0)


REFUSED = {
    "play(": "somebody has learned something since \\(seat 1: play ..\\)",
    "draw": "somebody has learned something since \\(deal .. from stock to hand of seat 1\\)",
    "top": "somebody has learned something since \\(shown to seat 1: .. \\(stock\\)\\)",
    "guess(Q)": "the rules have looked at what not everybody knows since \\(game.yaml:28\\)",
    "hint": "the rules have looked at what not everybody knows since \\(game.yaml:29\\)",
    "tell": "the rules have looked at what not everybody knows since \\(game.yaml:32\\)",
    "mix": "chance has decided something since",
    "finish": "somebody has learned something since \\(the game is over: played out\\)",
}


@pytest.mark.parametrize("choice", REFUSED)
def test_a_choice_stands_where_somebody_has_learned_something(choice: str, tmp_path: Path) -> None:
    play = alone(tmp_path)
    if choice == "play(":
        choice = next(n for c in play.machine.legal_actions(play.state, 0)
                      if (n := play.machine.name_of(c, play.state)).startswith("play("))  # fmt: skip
    choose(play, choice)
    play.advance()
    steps = list(play.steps)
    with pytest.raises(CannotUndo, match=REFUSED.get(choice, REFUSED["play("])):
        play.undo(0)
    assert play.steps == steps


def test_what_lies_open_to_all_may_be_looked_at(tmp_path: Path) -> None:
    play = alone(tmp_path)
    card = next(n for c in play.machine.legal_actions(play.state, 0)
                if (n := play.machine.name_of(c, play.state)).startswith("play("))  # fmt: skip
    choose(play, card)
    choose(play, "count_shown")
    play.advance()
    play.undo(0)
    assert play.steps[-2:][0] == Chosen(0, card)


def test_a_choice_stands_where_another_person_has_chosen(tmp_path: Path) -> None:
    play = Playthrough(machine(GAME, tmp_path), 1, {})
    choose(play, "bid(1)")
    choose(play, "bid(2)")
    with pytest.raises(CannotUndo, match="seat 2 has chosen since"):
        play.undo(0)
    play.undo(1)
    play.undo(0)
    assert [s for s in play.steps if isinstance(s, Chosen)] == []


def test_choices_made_at_once_stand_when_they_are_shown(tmp_path: Path) -> None:
    play = Playthrough(machine(SECRETLY, tmp_path), 1, {1: random_bot})
    choose(play, "bid(3)")
    play.advance()
    with pytest.raises(CannotUndo, match="somebody has learned something since \\(seat 2: bid"):
        play.undo(0)
    play = Playthrough(machine(SECRETLY, tmp_path), 1, {})
    choose(play, "bid(3)")
    assert play.machine.to_move(play.state) == (1,)
    play.undo(0)
    assert play.machine.to_move(play.state) == (0, 1)


TIMED = GAME.replace(
    "rules: |\n",
    "clock:\n  {time: 60 seconds, think: 1 seconds .. 2 seconds, events: {bell: {at: 50 seconds, rule: ring}, "
    "time_is_up: {at: 0 seconds, rule: stop_it}}}\n"
    'rules: |\n  rule ring:\n    announce "ding"\n  rule stop_it:\n    end game\n',
)


def test_time_does_not_come_back(tmp_path: Path) -> None:
    play = Playthrough(machine(TIMED, tmp_path), 1, {1: random_bot})
    choose(play, "bid(3)", 2_000)
    play.undo(0, 1_500)
    assert play.spent_ms == 3_500 and play.state.clock_ms == 60_000
    choose(play, "bid(4)", 4_000)
    assert play.spent_ms == 0
    play = Playthrough(machine(TIMED, tmp_path), 1, {})
    choose(play, "bid(3)", 11_000)
    with pytest.raises(CannotUndo, match="somebody has learned something since \\(clock: bell, 50 seconds left\\)"):
        play.undo(0)


def test_a_forced_move_is_no_choice(tmp_path: Path) -> None:
    nods = "      for each p:\n        p chooses nod:\n          nod: bid_up := 0\n"
    play = Playthrough(machine(GAME.replace("turn(p)\n  rule", f"turn(p)\n{nods}  rule"), tmp_path), 1, {})
    choose(play, "bid(1)")
    choose(play, "bid(2)")
    choose(play, "nod")
    choose(play, "nod")
    with pytest.raises(CannotUndo, match="seat 2 has chosen since"):
        play.undo(0)
    play.undo(1)
    assert [s.choice for s in play.steps if isinstance(s, Chosen)] == ["bid(1)"]

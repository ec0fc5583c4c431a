"""Files of plays: written, read back the same, told in words, and refused with a place where they are damaged."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from dsl.load import Loaded, load
from dsl.lower import lower
from interpreter import playread
from interpreter.fingerprint import fingerprint
from interpreter.machine import Machine
from interpreter.play import replay, with_random_bots
from interpreter.playfile import SUFFIX, Claim, Head, text_of
from interpreter.playread import read
from interpreter.playsteps import read_steps
from verify.tracefile import path_of

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.stem for path in (ROOT / "spec/games").glob("*.yaml"))
CUTS = """\
hoyle: 1
game: cuts
title: Cuts
players: 2
cards: {ranks: [J, Q, K], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner}
state:
  points: {each: player, type: 0..9, starts: 0}
  dealer: {type: player}
clock: {time: 60 seconds, think: 1 seconds .. 3 seconds, events: {time_up: {at: 0 seconds, rule: time_is_up}}}
rules: |
  rule game:
    dealer := random player
    shuffle stock
    cut stock
    for each p:
      deal 2 from stock to hand[p]
      p chooses turn:
        stop
        go(c in hand[p]) when p != dealer:
          points[p] += 2
  rule time_is_up:
    end game because "time is up"
result:
  score: points[p]
  wins: points[p] > 0
  ties: shared
properties:
  two: {possible: "points[seat 1] = 2"}
"""
TRACE = """\
hoyle play 1
game: cuts.yaml
rules: cards 3d5b0156, zones 3290bf02, state 6db75fc2, clock 5d73e90e, rules 5f89191f, result 025dc9d3
players: 2
property: two
shows: witnessed: possible points[seat 1] = 2

pick dealer: seat 2
shuffle stock: QH KH JS JH QS KS
cut stock: 2
1 after 1.5 s: go(QS)
4 steps so far
"""


def hoyle(*args: str) -> Any:
    result = CliRunner().invoke(app, list(args))
    assert "Traceback" not in result.output and "hoyle itself failed" not in result.output
    return result


@pytest.fixture
def cuts(tmp_path: Path) -> Path:
    """A trace that is right, beside its game."""
    (tmp_path / "cuts.yaml").write_text(CUTS, encoding="utf-8")
    path = tmp_path / "two-2.hoyle-play"
    path.write_text(TRACE, encoding="utf-8")
    return path


def machine_of(path: Path, num_players: int | None = None) -> Machine:
    loaded = load(path, path.name, path.parent)
    assert isinstance(loaded, Loaded)
    model = loaded.model()
    assert model is not None, loaded.reporter.diagnostics
    return Machine(lower(model, num_players or model.players[0]))


@pytest.mark.parametrize("game", GAMES)
def test_traces_of_games_are_read_back_as_they_were_played(game: str, tmp_path: Path) -> None:
    machine = machine_of(ROOT / "spec/games" / f"{game}.yaml")
    play = with_random_bots(machine, "trace")
    play.run(max_decisions=60)
    claim = Claim("anything", "proved: it can be played")
    head = Head(game, fingerprint(machine.game), machine.game.num_players, machine.game.options, claim)
    path, text = tmp_path / "played.hoyle-play", text_of(machine, head, play.trace)
    path.write_text(text, encoding="utf-8")
    found = read(path, "played")
    assert found.head == head
    trace, _ = read_steps(machine, found)
    assert text_of(machine, found.head, trace) == text
    # Equal cards may be told apart by nobody: what counts is what they show.
    faces = [[[machine.words.cards.name(c) for c in pile] for pile in s.zones] for s in (
        replay(machine, trace), play.state)]  # fmt: skip
    assert faces[0] == faces[1]
    result = hoyle("replay", str(path))
    assert result.exit_code == 0 and "seat 1" in result.stdout


def test_a_trace_is_told_step_by_step(cuts: Path) -> None:
    result = hoyle("replay", str(cuts))
    assert result.exit_code == 0
    for words in ("1. pick dealer: seat 2", "the stock is cut", "seat 1: go QS", "points of seat 1: 0 -> 2"):
        assert words in result.stdout
    # Every card is open: this is no seat at the table.
    assert "to hand of seat 2" in result.stdout and "2 cards" not in result.stdout
    assert hoyle("replay", str(cuts), "--step").stdout == result.stdout
    told = json.loads(hoyle("replay", str(cuts), "--json").stdout)
    assert list(told) == ["game", "players", "options", "property", "shows", "steps"]
    assert [(s["step"], s["seat"]) for s in told["steps"]] == [(1, None), (2, None), (3, None), (4, 1)]
    assert all(set(line) == {"text", "cites", "rule", "line"} for s in told["steps"] for line in s["lines"])


def test_rules_that_changed_refuse_the_play(cuts: Path) -> None:
    game = cuts.parent / "cuts.yaml"
    game.write_text(CUTS.replace("points[p] += 2", "points[p] += 3"), encoding="utf-8")
    result = hoyle("replay", str(cuts))
    assert result.exit_code == 1 and result.stdout == ""
    assert "error[P804]: the rules have changed since: rules\n" in result.stderr
    result = hoyle("replay", str(cuts), "--anyway")
    assert result.exit_code == 0 and "points of seat 1: 0 -> 3" in result.stdout
    assert result.stderr == (
        "The rules have changed since: rules.\nBy the rules as they are now, this no longer shows `two`.\n"
    )
    game.write_text(CUTS.replace("when p != dealer", "when p = dealer"), encoding="utf-8")
    result = hoyle("replay", str(cuts), "--anyway")
    assert result.exit_code == 0 and "3. cut stock: 2" in result.stdout and "go QS" not in result.stdout
    assert "Line 11 and what follows is left out: this is against the rules: go is possible only when" in result.stderr
    game.write_text(CUTS.replace("points[p] += 2", "points[p] +="), encoding="utf-8")
    result = hoyle("replay", str(cuts))
    assert result.exit_code == 1 and "its game `cuts.yaml` cannot be used" in result.stderr


def test_what_has_no_part_in_play_does_not_count_as_a_change(cuts: Path) -> None:
    text = CUTS.replace("title: Cuts", "title: Cut\nabout: a note").replace(
        "  rule time_is_up:", "  # why\n\n  rule time_is_up:"
    )
    (cuts.parent / "cuts.yaml").write_text(text + "layout: {rows: [stock, hand]}\n", encoding="utf-8")
    assert hoyle("replay", str(cuts)).exit_code == 0


def test_a_trace_is_written_where_its_name_can_be_one(tmp_path: Path) -> None:
    assert path_of(tmp_path, "game", "a/b ..c", 3).name == "a_b_..c-3" + SUFFIX
    assert path_of(tmp_path, "game", "..", 3).name == "property-3" + SUFFIX
    assert path_of(tmp_path, "game", "worth", 3, "1/2").name == "worth-3-1_2" + SUFFIX


def test_the_file_that_is_shown_to_readers_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "plays.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```text play\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "magpies.yaml").write_bytes((ROOT / "docs" / "tutorial" / "5.yaml").read_bytes())
    (tmp_path / "game.hoyle-play").write_text(block, encoding="utf-8")
    assert "So far it has come after 5 steps" in hoyle("replay", "game.hoyle-play").stdout
    typed = "take 9C\ntake KD\nquit\n"
    args = ["play", "magpies.yaml", "--bot", "random", "--seed", "1", "--save", "again.hoyle-play"]
    assert CliRunner().invoke(app, args, input=typed).exit_code == 0
    assert (tmp_path / "again.hoyle-play").read_text(encoding="utf-8") == block
    keys = set(re.findall(r"^([a-z]+): ", block.partition("\n\n")[0], re.MULTILINE))
    assert keys | {"option", "spent", "property", "shows", "reaches"} == set(playread.KEYS)
    assert all(f"`{key}: " in page for key in playread.KEYS)

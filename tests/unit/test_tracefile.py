"""Trace files: written, read back the same, told in words, and refused in one line where they are damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from dsl.load import Loaded, load
from dsl.lower import lower
from interpreter.machine import Machine
from interpreter.play import replay, with_random_bots
from verify import tracefile
from verify.tracefile import Damaged, Head, lines_of, path_of, read_head, read_steps, text_of

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
hoyle trace 1
game: cuts.yaml
players: 2
property: two
shows: witnessed: possible points[seat 1] = 2

pick dealer: seat 2
shuffle stock: QH KH JS JH QS KS
cut stock: 2
1 after 1.5 s: go(QS)
"""


def hoyle(*args: str) -> Any:
    result = CliRunner().invoke(app, list(args))
    assert "Traceback" not in result.output and "hoyle itself failed" not in result.output
    return result


@pytest.fixture
def cuts(tmp_path: Path) -> Path:
    """A trace that is right, beside its game."""
    (tmp_path / "cuts.yaml").write_text(CUTS, encoding="utf-8")
    path = tmp_path / "two-2.hoyle-trace"
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
    head = Head(game, machine.game.num_players, machine.game.options, "anything", "proved: it can be played")
    path = tmp_path / "played.hoyle-trace"
    path.write_text(text_of(machine, head, play.trace), encoding="utf-8")
    found = read_head(path, "played")
    assert (found.game, found.num_players, found.options) == (game, head.num_players, head.options)
    trace = read_steps(machine, found, "played")
    assert lines_of(machine, trace) == lines_of(machine, play.trace)
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


def replaced(old: str, new: str) -> Callable[[str], bytes]:
    assert old in TRACE
    return lambda text: text.replace(old, new).encode()


DAMAGED: dict[str, tuple[Callable[[str], bytes], str]] = {
    "empty": (lambda text: b"", ":1: no trace"),
    "binary": (lambda text: bytes(range(256)), "not text in UTF-8 (byte 128)"),
    "another file": (lambda text: b"hoyle: 1\ngame: x\n", ":1: no trace"),
    "another version": (replaced("trace 1", "trace 2"), ":1: a trace of another version of hoyle (2)"),
    "no game": (replaced("game: cuts.yaml\n", ""), "the head lacks `game`"),
    "unknown game": (replaced("game: cuts.yaml", "game: ctus"), "its game `ctus` cannot be used: no game is named"),
    "game is gone": (replaced("cuts.yaml", "cuts2.yaml"), "its game `cuts2.yaml` cannot be used"),
    "empty value": (replaced("players: 2", "players:"), ":3: `players` says nothing"),
    "no number": (replaced("players: 2", "players: two"), ":3: `two` is no number of players"),
    "too many players": (replaced("players: 2", "players: 9"), "cuts is played by 2, not by 9"),
    "twice": (replaced("players: 2", "players: 2\nplayers: 2"), ":4: `players` is there twice"),
    "unknown key": (replaced("players: 2", "palyers: 2"), ":3: `palyers: 2` is no line of a head"),
    "unknown option": (replaced("players: 2", "players: 2\noption: a = b"), "no option is named `a`"),
    "half an option": (replaced("players: 2", "players: 2\noption: a"), ":4: an option is written"),
    "no empty line": (replaced("= 2\n\n", "= 2\n"), ":6: `pick dealer: seat 2` is no line of a head"),
    "cut off": (replaced("hoyle trace 1\n", "hoyle trace 1"), ":1: no trace"),
    "unknown pick": (replaced("dealer: seat 2", "dealer: seat 3"), "dealer here, and cannot pick `seat 3`"),
    "unknown card": (replaced("KH", "ZH"), ":8: no card is named `ZH`"),
    "card twice": (replaced("KH", "QH"), ":8: the stock has no more QH"),
    "card missing": (replaced(" KS", ""), ":8: the stock has 6 cards, and 5 are listed"),
    "another zone": (replaced("shuffle stock", "shuffle heap"), ":8: `shuffle heap: QH"),
    "no step": (replaced("cut stock: 2", "cut the stock"), ":9: `cut the stock` is no step"),
    "cut too deep": (replaced("cut stock: 2", "cut stock: 70"), ":9: 6 cards cannot be cut at 70"),
    "step left out": (replaced("cut stock: 2\n", ""), ":9: seat 1 cannot choose: the stock is cut"),
    "step too many": (lambda text: (text + "cut stock: 2\n").encode(), "does not fit: it is the turn of seat 2"),
    "another seat": (replaced("1 after", "2 after"), ":10: seat 2 cannot choose: it is the turn of seat 1"),
    "no such choice": (replaced("go(QS)", "fly(QS)"), ":10: `fly(QS)` is not on offer to seat 1"),
    "card elsewhere": (replaced("go(QS)", "go(KH)"), ":10: "),
    "shows nothing": (replaced("go(QS)", "stop"), "this no longer shows `two`"),
    "terminal codes": (replaced("cut stock: 2", "\x1b[31mred"), ":9: `?[31mred` is no step"),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_refused_in_one_line(kind: str, cuts: Path) -> None:
    damage, words = DAMAGED[kind]
    cuts.write_bytes(damage(TRACE))
    for flags in ((), ("--json",)):
        result = hoyle("replay", str(cuts), *flags)
        assert result.exit_code == 1 and result.stdout == ""
        assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
        assert words in result.stderr
        assert "\x1b" not in result.stderr


def test_files_that_are_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.hoyle-trace"):
        result = hoyle("replay", str(path))
        assert result.exit_code == 1 and result.stderr.count("\n") == 1
    assert hoyle("replay").exit_code == 2


def test_rules_that_changed_refuse_the_trace(cuts: Path) -> None:
    game = cuts.parent / "cuts.yaml"
    game.write_text(CUTS.replace("points[p] += 2", "points[p] += 3"), encoding="utf-8")
    result = hoyle("replay", str(cuts))
    assert result.exit_code == 1 and "by the rules as they are now, this no longer shows `two`" in result.stderr
    game.write_text(CUTS.replace("points[p] += 2", "points[p] +="), encoding="utf-8")
    result = hoyle("replay", str(cuts))
    assert result.exit_code == 1 and result.stderr.count("\n") == 1 and "cannot be used" in result.stderr


def test_a_trace_is_written_where_its_name_can_be_one(tmp_path: Path) -> None:
    assert path_of(tmp_path, "game", "a/b ..c", 3).name == "a_b_..c-3" + tracefile.SUFFIX
    assert path_of(tmp_path, "game", "..", 3).name == "property-3" + tracefile.SUFFIX


def test_what_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracefile, "_MOST_BYTES", 10)
    path = tmp_path / "x"
    path.write_text(TRACE)
    with pytest.raises(Damaged, match="too large"):
        read_head(path, "x")

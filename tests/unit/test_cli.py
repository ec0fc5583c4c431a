"""The commands that answer and leave: what they print, the keys that scripts read, and the exit status."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.stem for path in (ROOT / "spec/games").glob("*.yaml"))
SMALL = """\
hoyle: 1
game: small
title: Small
players: 2..3
cards: {ranks: [J, Q, K], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner}
state:
  points: {each: player, type: integer, starts: 0}
rules: |
  rule game:
    shuffle stock
    for each p:
      deal 1 from stock to hand[p]
      p chooses turn:
        stop:
          points[p] += 1
        go when points[p] > 5:
          points[p] += 2
result:
  score: points[p]
  wins: points[p] > 0
  ties: shared
examples:
  - {title: right, value: 1 + 1, is: 2}
"""


def hoyle(*args: str, input: str | None = None, env: dict[str, str] | None = None) -> Any:
    result = CliRunner().invoke(app, list(args), input=input, env=env)
    assert "Traceback" not in result.output and "hoyle itself failed" not in result.output
    return result


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------------------ games


def test_games_has_a_line_for_each_game_and_variant() -> None:
    result = hoyle("games")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    variants = [path.stem for path in sorted((ROOT / "spec/variants").glob("*.yaml"))]
    assert [line.split()[0] for line in lines] == [*GAMES, *variants]


def test_games_for_programs() -> None:
    listed = {row["name"]: row for row in json.loads(hoyle("games", "--json").stdout)}
    assert listed["leduc"]["players"] == [2, 2]
    assert listed["leduc"]["extends"] is None
    for path in (ROOT / "spec/variants").glob("*.yaml"):
        assert listed[path.stem]["extends"] in GAMES
    assert all(set(row) == {"name", "title", "players", "about", "extends", "errors"} for row in listed.values())


# ------------------------------------------------------------------------------------------------ check


@pytest.mark.parametrize("game", GAMES)
def test_check_finds_the_games_right(game: str) -> None:
    result = hoyle("check", game)
    assert result.exit_code == 0
    assert re.search(rf"^{game}: fine \(.*cards?, .*rules?, .*examples?\)$", result.stdout, re.MULTILINE)


def test_check_tells_what_is_wrong_with_its_place(small: Path) -> None:
    small.write_text(small.read_text().replace("to hand[p]", "to hnad[p]"))
    result = hoyle("check", str(small))
    assert result.exit_code == 1
    assert "error[N301]" in result.stdout and "^^^^" in result.stdout
    assert f"{small}:15:" in result.stdout
    assert "help: did you mean `hand`?" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 error; `hoyle explain N301` tells more"


def test_check_for_programs(small: Path) -> None:
    assert json.loads(hoyle("check", "--json", "leduc").stdout) == []
    small.write_text(small.read_text().replace("to hand[p]", "to hnad[p]"))
    result = hoyle("check", str(small), "leduc", "--json")
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)
    assert set(found) == {"code", "slug", "severity", "message", "file", "line", "column", "help"}
    assert (found["code"], found["severity"], found["line"]) == ("N301", "error", 15)
    assert found["file"] == str(small)


def test_check_of_unknown_games_and_unreadable_files(tmp_path: Path) -> None:
    result = hoyle("check", "ledcu", "leduc")
    assert result.exit_code == 1
    assert "did you mean `leduc`?" in result.stdout and "leduc: fine" in result.stdout
    for path in (str(tmp_path), str(tmp_path / "none.yaml")):
        result = hoyle("check", path, "--json")
        assert result.exit_code == 1
        assert [d["severity"] for d in json.loads(result.stdout)] == ["error"]
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(bytes(range(256)))
    assert hoyle("check", str(binary)).exit_code == 1


def test_check_without_a_game_is_a_usage_error() -> None:
    assert hoyle("check").exit_code == 2


# ------------------------------------------------------------------------------------------------ explain


def test_explain() -> None:
    by_code, by_slug = hoyle("explain", "r112"), hoyle("explain", "R112")
    assert by_code.exit_code == 0 and by_code.stdout == by_slug.stdout
    assert by_code.stdout.startswith("# R112 ")
    everything = hoyle("explain").stdout
    assert "R112" in everything and "reading files and YAML" in everything


def test_explain_of_an_unknown_code() -> None:
    result = hoyle("explain", "R1122")
    assert result.exit_code == 2
    assert "no code is named `R1122`; did you mean `R112`?" in result.stderr
    assert hoyle("explain", "duplicate-kye").exit_code == 2


# ------------------------------------------------------------------------------------------------ test


def test_examples_of_a_game_pass() -> None:
    result = hoyle("test", "leduc")
    assert result.exit_code == 0
    assert re.fullmatch(r"\d+ passed\n", result.stdout)
    told = json.loads(hoyle("test", "leduc", "--json").stdout)
    assert set(told) == {"passed", "failed", "examples"}
    assert told["failed"] == 0 and told["passed"] == len(told["examples"]) > 0
    assert all(set(example) == {"title", "cites", "ok", "expected", "got"} for example in told["examples"])


def test_a_failing_example_is_shown(small: Path) -> None:
    small.write_text(small.read_text() + "  - {title: wrong, value: 1 + 1, is: 3}\n")
    result = hoyle("test", str(small))
    assert result.exit_code == 1
    assert "failed: wrong" in result.stdout and f"{small}:" in result.stdout
    assert re.search(r"expected: .*3", result.stdout) and re.search(r"got: .*2", result.stdout)
    assert result.stdout.splitlines()[-1] == "1 passed, 1 failed"
    told = json.loads(hoyle("test", str(small), "--json").stdout)
    assert (told["passed"], told["failed"]) == (1, 1)
    assert [example["ok"] for example in told["examples"]] == [True, False]


def test_the_cards_that_show_a_row_are_looked_at(small: Path) -> None:
    rows = "{order: lowest first, pair: {cards: 2 of one rank, example: [JH, JS]}}"
    small.write_text(small.read_text().replace("zones:", f"combinations: {rows}\nzones:", 1))
    assert hoyle("test", str(small)).stdout == "2 passed\n"
    small.write_text(small.read_text().replace("[JH, JS]", "[JH, QS]"))
    result = hoyle("test", str(small))
    assert result.exit_code == 1 and "failed: the cards that show pair" in result.stdout
    assert "got: nothing" in result.stdout


def test_examples_of_another_file(small: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("examples:\n  - {title: one, value: 2 * 3, is: 6}\n  - {title: two, value: 2 * 3, is: 7}\n")
    told = json.loads(hoyle("test", str(small), "--examples", str(other), "--json").stdout)
    assert [(e["title"], e["ok"]) for e in told["examples"]] == [("one", True), ("two", False)]


def test_an_example_that_makes_no_sense_has_failed(small: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("examples:\n  - {title: one, value: 2 * zwei, is: 6}\n")
    result = hoyle("test", str(small), "--examples", str(other), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["failed"] == 1
    assert "zwei" in result.stderr
    other.write_text("games: []\n")
    assert hoyle("test", str(small), "--examples", str(other)).exit_code == 2
    assert hoyle("test", str(small), "--examples", str(tmp_path / "none.yaml")).exit_code == 1


# ------------------------------------------------------------------------------------------------ simulate

KEYS = [
    "game", "players", "games", "finished", "unfinished", "seconds", "decisions", "ends", "winners", "shares", "scores",
]  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_simulate_for_programs(game: str) -> None:
    result = hoyle("simulate", game, "--games", "3", "--seed", "1", "--max-decisions", "3000", "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert list(told) == KEYS
    assert told["game"] == game
    assert told["games"] == 3 == told["finished"] + told["unfinished"]
    seats = [str(seat + 1) for seat in range(told["players"])]
    assert list(told["winners"]) == seats == list(told["scores"])
    assert all(set(score) == {"min", "mean", "max", "interval"} for score in told["scores"].values())
    assert sum(told["ends"].values()) == told["finished"]


def test_simulate_for_people() -> None:
    result = hoyle("simulate", "leduc", "--games", "5")
    assert result.exit_code == 0
    assert result.stdout.startswith("leduc, 2 players: 5 games, ")
    assert result.stderr == ""


def test_simulate_with_bots_is_the_same_each_time() -> None:
    args = ("simulate", "leduc", "--games", "20", "--bot", "1=search:200", "--seed", "3", "--json")
    first, second = (json.loads(hoyle(*args).stdout) | {"seconds": 0} for _ in range(2))
    assert first == second
    low, high = first["shares"]["1"]["interval"]
    assert 0 < low < first["shares"]["1"]["share"] < high < 1
    low, high = first["scores"]["1"]["interval"]
    assert low < first["scores"]["1"]["mean"] < high
    assert first["winners"] != json.loads(hoyle(*args[:4], "--seed", "3", "--json").stdout)["winners"]


def test_a_game_that_takes_too_long_is_unfinished() -> None:
    told = json.loads(hoyle("simulate", "whist", "--games", "2", "--max-decisions", "10", "--json").stdout)
    assert (told["finished"], told["unfinished"], told["decisions"]) == (0, 2, 20)
    told = hoyle("simulate", "whist", "--games", "2", "--max-decisions", "10").stdout
    assert "0 finished, 2 left unfinished\nPlay may go on for ever: `hoyle prove`" in told


def test_thinking_time_lets_the_clock_run_out() -> None:
    args = ("simulate", "four_rows", "--games", "5", "--json")
    slow = json.loads(hoyle(*args, "--think", "60..90").stdout)
    fast = json.loads(hoyle(*args, "--think", "0..0.001").stdout)
    assert slow["decisions"] <= 20 < fast["decisions"]
    assert set(slow["ends"]) != set(fast["ends"])
    assert "no clock" in hoyle("simulate", "leduc", "--games", "1", "--think", "1..2").stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--players", "5"), "leduc is played by 2, not by 5"),
        (("--option", "nonsense"), "NAME=READING"),
        (("--option", "a=b"), "no option is named `a`"),
        (("--think", "fast"), "MIN..MAX"),
        (("--think", "3..1"), "shorter"),
        (("--games", "0"), "--games"),
        (("--games", "many"), "--games"),
        (("--bot", "search"), "SEAT=NAME, such as 1=search"),
        (("--bot", "1=serch"), "did you mean `search`?"),
        (("--bot", "3=search"), "there is no seat 3"),
        (("--bot", "1=search", "--bot", "1=random"), "seat 1 has two bots"),
        (("--bot", "1=search:0"), "steps are written `search:2000`, seconds `search:1.5s`"),
        (("--bot", "1=random:9"), "`random` does not think"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_usage_errors_of_simulate(args: tuple[str, ...], says: str) -> None:
    result = hoyle("simulate", "leduc", *args)
    assert result.exit_code == 2
    assert says in result.stderr and result.stdout == ""


def test_an_option_changes_the_game_and_a_wrong_reading_is_refused() -> None:
    rows = json.loads(hoyle("check", "poke", "--json").stdout)
    assert rows == []
    result = hoyle("simulate", "poke", "--games", "1", "--option", "straight_ace=nonsense")
    assert result.exit_code == 2
    assert "no reading of `straight_ace`" in result.stderr


def test_a_fault_of_the_rules_is_told_with_its_place(small: Path) -> None:
    small.write_text(small.read_text().replace("deal 1 from", "deal 4 from"))
    for command in (("simulate", str(small)), ("play", str(small), "--as", "none")):
        result = hoyle(*command)
        assert result.exit_code == 1
        assert "error[P801]" in result.stderr and f"{small}:15:" in result.stderr
    assert "in game 0" in hoyle("simulate", str(small)).stderr


def test_unknown_games_are_errors_everywhere() -> None:
    for command in ("test", "play", "simulate"):
        result = hoyle(command, "ledcu")
        assert result.exit_code == 1
        assert "did you mean `leduc`?" in result.stderr and result.stdout == ""


# ------------------------------------------------------------------------------------------------ starting


def run_python(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, cwd=ROOT, check=False)


IMPORTED = """
import sys
from cli.main import app
try:
    app(sys.argv[1:])
except SystemExit as exit:
    pass
print("IMPORTED", *sorted(m for m in ("z3", "numpy", "lark", "yaml", "rich", "interpreter", "dsl") if m in sys.modules))
"""


def imported(*args: str) -> set[str]:
    result = run_python(IMPORTED, *args)
    assert result.stderr == ""
    return set(result.stdout.splitlines()[-1].split()[1:])


def test_help_imports_nothing_heavy() -> None:
    assert imported("--help") == set()
    assert imported("play", "--help") == set()


@pytest.mark.parametrize(
    "args",
    [
        ("check", "leduc"),
        ("test", "leduc"),
        ("play", "leduc", "--as", "none", "--bot", "random"),
        ("simulate", "leduc", "--games", "2"),
    ],
)
def test_playing_needs_no_solver(args: tuple[str, ...]) -> None:
    assert not imported(*args) & {"z3", "numpy", "rich"}


def test_the_installed_command_and_a_reader_that_leaves() -> None:
    command = [sys.executable, "-c", "from cli.main import main; main()", "explain"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.slow
def test_help_is_quick() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run_python("from cli.main import main; main()", "--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.4


def test_files_are_found_from_any_folder(tmp_path: Path) -> None:
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        assert hoyle("check", "leduc").exit_code == 0
        (tmp_path / "mine").write_text(SMALL)
        assert hoyle("check", "mine").exit_code == 0
    finally:
        os.chdir(here)

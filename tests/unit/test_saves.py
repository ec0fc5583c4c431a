"""Saved games: what is resumed is the game that was played, and goes on as it would have without the break."""

from __future__ import annotations

import errno
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli import driver, saves
from cli.main import app
from cli.plays import open_play
from cli.saves import Game
from interpreter.actions import Choice
from interpreter.playfile import SUFFIX
from tests.unit.killing import started
from tests.unit.test_undo import GAME

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases" / "plays"
GAMES = sorted(path.stem for path in (ROOT / "spec/games").glob("*.yaml"))


def hoyle(*args: str, say: str = "", fails: int = 0) -> Any:
    result = CliRunner().invoke(app, list(args), input=say)
    assert "Traceback" not in result.output and "hoyle itself failed" not in result.output
    assert result.exit_code == fails, result.output
    return result


def begun(game: str, path: Path, people: tuple[int, ...] = (0,), bot: str = "random", seed: str = "7") -> Game:
    return saves.begin(driver.seat(game, None, []), people, bot, seed, str(path))


def choice_at(game: Game, player: int) -> Choice:
    """What the person of these tests chooses: always the same at the same place."""
    legal = game.play.machine.legal_actions(game.play.state, player)
    return legal[random.Random(f"{len(game.play.steps)}").randrange(len(legal))]


def play_on(game: Game, decisions: int | None = None) -> Iterator[None]:
    """Plays on to the end, or for so many choices of people; stops after each step."""
    made = 0
    clock = game.play.machine.game.clock
    while not game.play.is_over and made != decisions:
        if not game.play.step():
            player = game.play.machine.to_move(game.play.state)[0]
            elapsed = 0 if clock is None else 250 + 10 * len(game.play.steps)
            game.play.choose(player, choice_at(game, player), elapsed)
            made += 1
        yield


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


# --------------------------------------------------------------------------------------- the same bytes


def resumed_at(name: str, folder: Path, decisions: int, places: int) -> None:
    whole = begun(name, folder / f"whole{SUFFIX}")
    copies = [(folder / f"whole{SUFFIX}").read_bytes() for _ in play_on(whole, decisions)]
    for number in random.Random(name).sample(range(len(copies) - 1), min(places, len(copies) - 1)):
        path = folder / f"{number}{SUFFIX}"
        path.write_bytes(copies[number])
        resumed = saves.resume(str(path))
        assert (resumed.people, resumed.bot, resumed.remarks) == (whole.people, whole.bot, ())
        for _ in play_on(resumed):
            if len(resumed.play.steps) == len(whole.play.steps):
                break
        assert path.read_bytes() == copies[-1]


@pytest.mark.parametrize("name", GAMES)
def test_a_resumed_game_goes_on_as_it_would_have(name: str, tmp_path: Path) -> None:
    resumed_at(name, tmp_path, 8, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_resumed_game_goes_on_so_to_its_end(name: str, tmp_path: Path) -> None:
    resumed_at(name, tmp_path, 200, 6)


@pytest.mark.parametrize("name", ["leduc", "poke"])
def test_so_do_bots_that_think(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"game{SUFFIX}"
    whole = begun(name, path, bot="search")
    copies = [path.read_bytes() for _ in play_on(whole, 3)]
    half = tmp_path / f"half{SUFFIX}"
    half.write_bytes(copies[len(copies) // 2 - 1])
    resumed = saves.resume(str(half))
    for _ in play_on(resumed):
        if len(resumed.play.steps) == len(whole.play.steps):
            break
    assert half.read_bytes() == copies[-1]


def test_the_file_is_written_after_each_step_and_before_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / f"game{SUFFIX}"
    game = begun("leduc", path)
    for _ in play_on(game):
        lines = path.read_text(encoding="utf-8").partition("\n\n")[2].splitlines()
        assert len(lines) == len(game.play.steps) + 1
        assert lines[-1].endswith("to the end" if game.play.is_over else "so far")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    hoyle("replay", str(path))


# ------------------------------------------------------------------------------------- at the terminal


def test_a_game_is_left_and_taken_up_again(tmp_path: Path) -> None:
    told = hoyle("play", "leduc", "--seed", "5", "--bot", "random", say="2\nquit\n").stdout
    assert told.endswith("`hoyle resume` goes on with this game.\nGoodbye.\n")
    (path,) = saves.kept()
    assert path.name.startswith("leduc-") and path.parent.stat().st_mode & 0o777 == 0o700
    listed = hoyle("resume", "--list").stdout
    assert listed.startswith("leduc") and str(path) in listed
    again = hoyle("resume", say="quit\n").stdout
    assert again.startswith("Leduc Hold'em, after ") and "seat 1, bet> quit" in again
    # What happened since the last choice is told again, and no more.
    assert "the stock is shuffled" not in again and "seat 2: " in again
    hoyle("resume", say="1\n" * 20)
    assert saves.unfinished() == []
    assert "no game waits to be played on" in hoyle("resume", fails=2).stderr
    assert "error[P802]: this game is over" in hoyle("resume", str(path), fails=1).stderr
    assert "The game is over after " in hoyle("replay", str(path)).stdout


def test_a_file_may_be_named_and_is_never_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = hoyle("play", "whist", "--as", "1", "3", "--seed", "5", "--save", "mine", say="\n1\nquit\n").stdout
    assert "`hoyle resume mine` goes on with this game." in told
    before = Path("mine").read_bytes()
    assert b"people: 1 3\nbot: search\n" in before and saves.kept() == []
    refused = hoyle("play", "whist", "--save", "mine", fails=2).stderr
    assert refused == "error: `mine` is there already; `hoyle resume mine` goes on with a game\n"
    assert Path("mine").read_bytes() == before
    refused = hoyle("play", "whist", "--save", "gone/mine", fails=2).stderr
    assert refused == "error: `gone/mine` cannot be written: no such file or directory\n"
    assert "a seed is a word or a number" in hoyle("play", "leduc", "--seed", "a\nb", fails=2).stderr


def test_undo_is_typed(tmp_path: Path) -> None:
    told = hoyle("play", "poker_bull", "--as", "1 2 3 4 5".replace(" ", ","), "--seed", "3",
                 say="\nundo\nsay four kings\n\nundo\nquit\n").stdout  # fmt: skip
    assert "It stands: you have chosen nothing yet." in told
    assert "seat 4, turn> undo\nIt stands: seat 3 has chosen since.\n" in told
    assert "  undo       take your last move back" in hoyle("play", "leduc", say="?\nquit\n").stdout


@pytest.mark.parametrize("seed", range(4))
def test_what_is_taken_back_leaves_no_trace(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "game"
    straight, wandering = f"{path}1", f"{path}2"
    hoyle("play", "leduc", "--seed", str(seed), "--bot", "random", "--save", straight, say="raise\nquit\n")
    told = hoyle("play", "leduc", "--seed", str(seed), "--bot", "random", "--save", wandering,
                 say="check\nundo\nraise\nquit\n").stdout  # fmt: skip
    if "Taken back: check." in told:
        assert Path(straight).read_bytes() == Path(wandering).read_bytes()
    else:
        assert "It stands: somebody has learned something since" in told


def test_time_that_was_used_up_is_kept(tmp_path: Path) -> None:
    path = tmp_path / f"game{SUFFIX}"
    game = begun("four_rows", path)
    game.play.advance()
    raise_it = game.play.machine.parse_choice(game.play.state, 0, "raise(1)")
    assert raise_it is not None
    game.play.choose(0, raise_it, 2_500)
    game.play.undo(0, 1_000)
    assert "\nspent: 3.5 s\n" in path.read_text()
    resumed = saves.resume(str(path))
    assert resumed.play.spent_ms == 3_500
    resumed.play.choose(0, raise_it, 4_000)
    assert "spent" not in path.read_text() and "1 after 4 s: raise(1)\n" in path.read_text()
    # What was chosen before the break can be taken back as well.
    resumed = saves.resume(str(path))
    resumed.play.undo(0)
    assert "\nspent: 4 s\n" in path.read_text() and "raise" not in path.read_text()


def test_a_disk_that_is_full_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = os.fsync, [4]

    def fsync(number: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(number)

    monkeypatch.setattr(os, "fsync", fsync)
    args = ("play", "leduc", "--seed", "5", "--bot", "random", "--save", str(tmp_path / "game"))
    told = hoyle(*args, say="1\n" * 4)
    assert told.stdout.count("The game is not saved any more: no space left on device.") == 1
    assert "The game is over" in told.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["game"]
    saves.resume(str(tmp_path / "game"))


def test_where_nothing_can_be_kept_one_can_still_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    told = hoyle("play", "leduc", "--seed", "5", "--bot", "random", say="1\nquit\n").stdout
    assert told.count("This game cannot be saved") == 2 and told.endswith("Goodbye.\n")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert "This game cannot be saved" in hoyle("play", "leduc", "--seed", "5", say="quit\n").stdout


def test_old_games_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saves, "MOST_KEPT", 3)
    for seed in range(5):
        hoyle("play", "leduc", "--seed", str(seed), say="quit\n")
    assert len(saves.kept()) == 3
    hoyle("play", "leduc", "--as", "none", "--bot", "random", "--seed", "1")
    assert len(saves.kept()) == 3


# ---------------------------------------------------------------------------------- what cannot go on


@pytest.fixture
def cuts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file in ("cuts.yaml", "clauses.yaml"):
        shutil.copy(CASES / file, tmp_path)
    monkeypatch.chdir(tmp_path)
    text = (CASES / "saved.hoyle-play").read_text()
    path = Path("saved.hoyle-play")
    path.write_text(text.replace("2 after 2 s: stop\n5 steps to the end", "4 steps so far"))
    return path


def test_rules_that_changed_are_gone_through_only_when_asked(cuts: Path) -> None:
    before = cuts.read_bytes()
    rules = Path("cuts.yaml").read_text()
    Path("cuts.yaml").write_text(rules.replace("define gain = 2", "define gain = 1"))
    refused = hoyle("resume", str(cuts), fails=1).stderr
    assert "error[P804]: the rules have changed since: rules\n" in refused and "`--anyway` goes" in refused
    told = hoyle("resume", str(cuts), "--anyway", say="quit\n").stdout
    assert "The rules have changed since: rules." in told and "left out" not in told
    assert cuts.read_bytes() == before
    (kept,) = saves.kept()
    assert "\ngame: ../../cuts.yaml\n" in kept.read_text() and "1 after 1.5 s: go(QS)\n2 after " in kept.read_text()
    Path("cuts.yaml").write_text(rules.replace("when p != dealer", "when p = dealer"))
    told = hoyle("resume", str(cuts), "--anyway", say="quit\n").stdout
    assert "Line 13 and what follows is left out: this is against the rules: go is" in " ".join(told.split())
    assert "after 3 steps" in told


def test_what_nobody_plays_or_no_bot_can_play_does_not_go_on(cuts: Path) -> None:
    text = cuts.read_text()
    cuts.write_text(text.replace("bot: random", "bot: rando"))
    refused = hoyle("resume", str(cuts), fails=1).stderr
    assert "error[P802]: no bot is named `rando`\n" in refused and "did you mean `random`?" in refused
    cuts.write_text(text.replace("seed: 17\npeople: 1\nbot: random", "property: x\nshows: proved: y"))
    refused = hoyle("resume", str(cuts), fails=1).stderr
    assert "nobody plays this" in refused and "`hoyle replay saved.hoyle-play` tells it" in refused


def test_the_newest_game_that_is_damaged_is_told(cuts: Path) -> None:
    hoyle("play", "leduc", "--seed", "1", say="quit\n")
    (path,) = saves.kept()
    path.write_text(path.read_text()[:-10])
    assert "error[P802]: the file is cut off" in hoyle("resume", fails=1).stderr


def test_playing_and_resuming_need_no_prover(tmp_path: Path) -> None:
    script = (
        "import sys; from typer.testing import CliRunner; from cli.main import app\n"
        "print(CliRunner().invoke(app, ['play', 'leduc', '--seed', '1'], input='quit\\n').stdout)\n"
        "print(CliRunner().invoke(app, ['resume'], input='quit\\n').stdout)\n"
        "assert not {'z3', 'numpy', 'textual', 'verify'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Goodbye.") == 2


# ------------------------------------------------------------------------------------ killed at any moment


def killed(games: list[str], kills: int, folder: Path) -> int:
    """Plays games, kills the process again and again at some moment of play, and resumes; tells how often it wrote.

    The file is at any time that of a part of the game as it is played without a break.
    """
    rng = random.Random(str(kills))
    done = inside = 0
    for number in itertools.count():
        name, seed = games[number % len(games)], str(number)
        begin = ["play", name, "--bot", "random", "--seed", seed, "--save"]
        whole, path = folder / f"{seed}.whole", folder / f"{seed}{SUFFIX}"
        takes = play_for([*begin, str(whole)], whole, None)
        expected = whole.read_text().splitlines()
        assert expected[-1].endswith("to the end")
        while not path.exists() or not path.read_text().endswith("to the end\n"):
            args = ["resume", str(path)] if path.exists() else [*begin, str(path)]
            play_for(args, path, rng.random() * takes / 3 if done < kills else None)
            done += 1
            if path.exists():
                opened = open_play(str(path))  # it is never damaged
                count = len(opened.trace.steps)
                assert path.read_text().splitlines()[:-1] == expected[: expected.index("") + 1 + count]
                inside += 0 < count < len(expected)
        assert path.read_text().splitlines() == expected
        assert [p for p in folder.iterdir() if p.name.endswith(".new")] == []
        if done >= kills:
            return inside
    raise AssertionError


def play_for(args: list[str], path: Path, seconds: float | None) -> float:
    """A game in a process of its own, killed so long after its file changed first; tells how long it played."""
    before = path.stat().st_mtime_ns if path.exists() else None
    process = started(args)
    while process.is_alive() and (path.stat().st_mtime_ns if path.exists() else None) == before:
        time.sleep(0.001)
    began = time.monotonic()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return time.monotonic() - began


def test_a_game_that_was_killed_is_the_one_that_was_played(tmp_path: Path) -> None:
    game = tmp_path / "game.yaml"
    game.write_text(GAME.replace("finish: end game", "nod").replace("20 times", "6 times"), encoding="utf-8")
    assert killed([str(game)], 4, tmp_path) >= 2


@pytest.mark.slow
def test_a_hundred_kills(tmp_path: Path) -> None:
    assert killed(["whist", "leduc", "poke"], 100, tmp_path) >= 60

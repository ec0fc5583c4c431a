"""`hoyle play`, led through a pipe as a person would type."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from tests.unit.timed import taps

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.stem for path in (ROOT / "spec/games").glob("*.yaml"))
PLAY = [sys.executable, "-c", "from cli.main import main; main()", "play"]


def play(game: str, *args: str, say: str = "") -> str:
    result = CliRunner().invoke(app, ["play", game, "--bot", "random", "--seed", "3", *args], input=say)
    assert result.exit_code == 0, result.output
    assert "Traceback" not in result.output and result.stderr == ""
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    return result.stdout


@pytest.mark.parametrize("game", GAMES)
def test_a_session_of_every_game(game: str) -> None:
    told = play(
        game, say="?\n1\nlog\nlog all\ntable\nmoves\nwhy 1\nwhy\nnonsense\n999\n:log 3\n:nonsense\n1\n1\nquit\n"
    )
    assert "seed 3" in told.splitlines()[0]
    assert "why MOVE" in told and "You may now:" in told
    assert "is allowed." in told
    assert "Say which move" in told
    assert "No move is called `nonsense`" in told and "No move is called `999`" in told
    assert "There is no command `nonsense`" in told
    assert told.endswith("Goodbye.\n") or "The game is over: " in told


@pytest.mark.parametrize("game", GAMES)
def test_the_end_of_input_ends_politely(game: str) -> None:
    assert play(game).endswith("\nGoodbye.\n")
    assert play(game, say="1").endswith("\nGoodbye.\n")


def test_moves_are_taken_by_name_and_by_what_is_unique() -> None:
    told = play("leduc", say="CHE\n")
    assert "seat 1: check" in told
    told = play("poke", say="exchange 2\n7d 10d\nstand\n")
    assert re.search(r"\n   7  exchange 3S 7D ", told)  # narrowed, with the numbers of the whole list
    assert "seat 1: exchange 7D 10D" in told
    assert "seat 1: stand pat" in told
    told = play("poker_bull", "--as", "3", say="four kings\nfour queens\nquit\n")
    assert "seat 3: say four kings" in told
    assert "No: say is possible only when last_call is none or c > last_call [PB-0" in told


def test_many_moves_are_grouped_and_narrowed() -> None:
    told = play("poker_bull", "--as", "3", say="say\nflush hearts\n\nstraight flush to the king of clubs\nquit\n")
    assert len(told.splitlines()) < 120
    assert re.search(r"\d+-\d+  say, full house: ", told)
    assert re.search(r"\d+  say straight flush to the 10 of hearts", told)
    assert "seat 3: say straight flush to the king of clubs" in told


def test_a_single_move_that_is_left_is_played_on_enter() -> None:
    told = play("poker_bull", say="kings of\nhearts king flush\n\n")
    assert "Press Enter to play it." in told
    assert "seat 1: say straight flush to the king of hearts" in told


def test_why_a_move_is_refused() -> None:
    told = play("leduc", say="why fold\nfold\nwhy dance\nquit\n")
    assert told.count("No: fold is possible only when owed(p) > 0 (") == 2
    assert "leduc.yaml:" in told
    assert "No action of this game is called `dance`." in told
    told = play("poke", say="why reply 2C\nquit\n")
    assert "`reply` is not on offer at this decision." in told
    told = play("four_rows", say="why fold 1\nwhy fold\nquit\n")
    assert re.search(r"No: fold is possible only when .* \[PS-0", told)
    assert "No fold (1 to 4) is possible now: fold is possible only when may_fold(r)" in " ".join(told.split())
    told = play("poke", say="why exchange AC 2C 3C 4C 5C 6C\nwhy exchange x\nquit\n")
    assert "No: exchange takes 1 to 3 cards" in told
    assert "`exchange` is written exchange (1 to 3 cards)." in told


def test_combinations_are_told_with_their_examples() -> None:
    told = play("four_rows", say="kinds\nquit\n")
    assert "two pair         score  150  JS JC 5H 5D 9S\n" in told
    assert told.index("royal flush ") < told.index("straight flush ") < told.index("nothing ")
    assert "This game has no combinations." in play("whist", say="kinds\nquit\n").replace("\n", " ")


LAYING = """\
hoyle: 1
game: laying
title: Laying
players: 1
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
combinations: {order: lowest first, pair: {cards: 2 of one rank}}
zones:
  stock: {starts: full, seen: everyone}
  hand:  {each: player, seen: owner}
  laid:  {each: 1..6, seen: everyone}
rules: |
  rule game:
    deal 4 from stock to hand[the player]
    repeat:
      the player chooses turn:
        lay(cs: 2 to 3 cards from hand[the player]) when cs as pair is not none: move cs to laid[1]
        lay_off(c in hand[the player], n: 1..6) when size of laid[n] > 0: move c to laid[n]
        draw: deal up to 1 from stock to hand[the player]
        stop: end game
result: {score: size of all laid, wins: "size of hand[p] = 0"}
examples:
  - title: two values without a comma
    at: turn
    rest: stock
    given: {"hand[the player]": [7H], "laid[2]": [8H]}
    play: [lay_off(7H 2)]
    then: {"size of laid[2]": 2}
"""


def test_an_action_that_is_not_possible_now_is_no_unknown_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("laying.yaml").write_text(LAYING.replace("deal 4 from", "deal 1 from"))
    said = "lay\nwhy lay\nwhy lay off 7H\nlay_off\nwhy lay 7H 8H\ndance\nstop\n"
    told = " ".join(play("laying.yaml", say=said).split())
    assert told.count("No lay (2 to 3 cards) is possible now: lay is possible only when cs as pair is not none (") == 2
    assert told.count("No lay off (card, 1 to 6) is possible now: lay_off is possible only when size of laid[n]") == 2
    assert re.search("No: ([78][HS], )?[78]H (is|are) not among the cards for lay", told)
    assert "No move is called `dance`; `?` helps." in told


def test_a_wrong_number_of_cards_is_refused_with_the_right_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("laying.yaml").write_text(LAYING)
    told = play("laying.yaml", say="why lay 7H\ntable\nstop\n")
    assert "No: lay takes 2 to 3 cards" in told


def test_many_empty_zones_share_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("laying.yaml").write_text(LAYING)
    told = play("laying.yaml", say="lay\n\nstop\n")
    assert re.search(r"^laid 1 to 6 +-$", told, re.MULTILINE) and "laid 3" not in told
    assert re.search(r"^laid 3 +-$", play("laying.yaml", say="table\nstop\n"), re.MULTILINE)


def test_an_example_with_a_comma_too_few_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("laying.yaml").write_text(LAYING)
    result = CliRunner().invoke(app, ["test", "laying.yaml"])
    assert "lay_off takes 2 values with commas between" in result.output, result.output


def test_a_forced_move_is_played_with_a_notice() -> None:
    told = play("whist", say="1\n" * 30)
    assert re.search(r"Your only move is played for you: play card \w+\nseat 1: play card", told)


def test_a_game_without_people_is_told_to_its_end() -> None:
    told = play("leduc", "--as", "none")
    assert "deal a card from stock to hand of seat 1" in told and "deal a card from stock to hand of seat 2" in told
    assert "The game is over" in told
    assert re.search(r"  seat 1 +-?\d+", told)
    assert told.splitlines()[-1].endswith((" wins.", "Nobody wins.")) or "draw" in told


def test_a_game_played_to_its_end_tells_who_won() -> None:
    told = play("leduc", say="1\n" * 20)
    assert "seat 1 (you)" in told.split("The game is over")[1]


def test_people_at_one_screen_do_not_see_each_others_cards() -> None:
    told = play("poke", "--as", "1", "2", say="\n1\n\n1\n\n1\n\nquit\n")
    assert told == play("poke", "--as", "2,1", say="\n1\n\n1\n\n1\n\nquit\n")
    first, second = told.split("Pass the device to seat ")[1:3]
    assert first.startswith("1, then press Enter.") and second.startswith("2, then press Enter.")
    hand = re.search(r"to hand of seat 1; 5 cards", first)
    assert hand is not None
    assert "5 cards to hand of seat 1; " in second
    assert "(you)" not in told.split("Pass the device")[0]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--as", "3"), "there is no seat 3"),
        (("--as", "0"), "there is no seat 0"),
        (("--as", "me"), "--as takes seats"),
        (("--bot", "deep"), "no bot is named `deep`"),
        (("--players", "9"), "is played by 2"),
        (("--bot", "search:0s"), "`0s` is no budget"),
        (("--bot", "search:"), "`` is no budget"),
        (("--option", "x=y"), "no option is named `x`"),
    ],
)
def test_usage_errors_of_play(args: tuple[str, ...], says: str) -> None:
    result = CliRunner().invoke(app, ["play", "leduc", *args])
    assert result.exit_code == 2
    assert says in result.stderr and result.stdout == ""


def test_the_search_bot_and_the_hint_are_deterministic() -> None:
    args = ["play", "leduc", "--seed", "9"]
    first, second = (CliRunner().invoke(app, args, input="hint\n1\nhint\n1\n").stdout for _ in range(2))
    assert first == second
    assert "The search bot would play: " in first


# ------------------------------------------------------------------------------------------------ real processes


def start(*args: str, **more: Any) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*PLAY, *args], text=True, cwd=ROOT, **pipes, **more)


def wait_for_question(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if "Type a number" in line:
            return
    raise AssertionError("the game ended before it asked")


def test_the_clock_runs_while_a_person_thinks(tmp_path: Path) -> None:
    path = tmp_path / "taps.yaml"
    path.write_text(taps(2, 1, 0.5))
    with start(str(path), "--seed", "1") as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("tap\n")
        process.stdin.flush()
        told = process.stdout.read()  # nothing more is typed, and the pipe stays open
        assert process.wait(30) == 0
    assert told.count("make haste") == 1 and told.count("clock: first, 1 second left") == 1
    assert "[0:02.0 left] move> tap" in told
    assert re.search(r"clock: first, 1 second left\nmake haste\n\[0:0[01]\.\d left\] move> \n", told)
    assert "The game is over: time ran out." in told
    assert "seat 1: rest" not in told and told.count("seat 1: tap") == 1


def test_time_is_measured_over_all_of_a_decision(tmp_path: Path) -> None:
    path = tmp_path / "taps.yaml"
    path.write_text(taps(20, 1, 0.5))
    process = start(str(path), "--seed", "1")
    assert process.stdin is not None and process.stdout is not None
    wait_for_question(process)
    time.sleep(0.5)
    process.stdin.write("table\n")
    process.stdin.flush()
    time.sleep(0.5)
    told, _ = process.communicate("tap\n")
    assert re.search(r"\[0:1[89] left\] move> tap\n", told)
    left = re.findall(r"\[0:(\d\d) left\]", told)
    assert int(left[-1]) <= 19


def test_ctrl_c_leaves_politely() -> None:
    process = start("leduc", "--seed", "1", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert process.stdout is not None
    wait_for_question(process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == "\nstopped\n"


def on_a_terminal(*args: str, say: bytes, wait_for: bytes = b"", **environment: str) -> bytes:
    """What `hoyle play` writes to a terminal, where it is told something once it has written `wait_for`."""
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", "LINES": "24", **environment}
    process = subprocess.Popen([*PLAY, *args], stdin=child, stdout=child, stderr=child, env=env, cwd=ROOT)
    os.close(child)
    told, is_said = b"", False
    while True:
        if not is_said and wait_for in told:
            os.write(parent, say)
            is_said = True
        try:
            data = os.read(parent, 65536)
        except OSError:
            break
        if not data:
            break
        told += data
    os.close(parent)
    assert process.wait() == 0, told.decode()
    return told


def test_a_terminal_gets_colours_and_suits_unless_it_asks_for_none() -> None:
    for no_color in ("", "1"):
        told = on_a_terminal("leduc", "--seed", "1", "--plain", say=b"1\nquit\n", NO_COLOR=no_color)
        assert (b"\x1b[" in told) == (not no_color)
        assert "♥" in told.decode() or "♠" in told.decode()


def test_a_terminal_gets_the_whole_screen_and_is_left_as_it_was() -> None:
    told = on_a_terminal("leduc", "--seed", "1", say=b"quit\r", wait_for=b"your move")
    assert b"\x1b[?1049h" in told and b"\x1b[?1049l" in told  # the other screen of the terminal, and back
    after = told.rpartition(b"\x1b[?1049l")[2].decode()
    assert "Leduc Hold'em, 2 players, seed 1" in after and "Goodbye." in after
    assert "Traceback" not in told.decode()


def test_the_tutor_advises_before_each_move() -> None:
    told = play("leduc", "--tutor", say="1\nquit\n")
    assert "The tutor thinks the moves worth:" in told
    assert len(re.findall(r"^[* ] [12]  (check|raise) .* tries +leduc.yaml:\d+$", told, re.M)) >= 2
    assert play("leduc", "--tutor", say="1\nquit\n") == told


def test_the_screen_needs_a_terminal() -> None:
    result = CliRunner().invoke(app, ["play", "leduc", "--screen"])
    assert result.exit_code == 2
    assert result.stderr == "error: --screen needs a terminal; without it the game is told line by line\n"

"""Files of plays that are damaged or hostile: each kind is refused with the same words, and quickly.

The words are in `tests/cases/plays/refusals.txt`; `UPDATE_GOLDEN=1` writes them anew.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from interpreter import playread
from tests.unit.refusing import UNREADABLE, Golden, forbidden, litter, refusal

CASES = Path(__file__).parents[1] / "cases" / "plays"
SAVED = (CASES / "saved.hoyle-play").read_text(encoding="utf-8")
NAME = "saved.hoyle-play"

Damage = Callable[[str], str | bytes]


def put(old: str, new: str) -> Damage:
    """The file with something else in the place of one text."""
    assert SAVED.count(old) == 1, old
    return lambda text: text.replace(old, new)


def steps(*lines: str) -> Damage:
    """The file with other steps, well counted."""
    head = SAVED.partition("\n\n")[0]
    return lambda _: "\n".join([head, "", *lines, f"{len(lines)} steps so far"]) + "\n"


def up_to(text: str) -> Damage:
    """The file cut off behind a text."""
    assert SAVED.count(text) == 1, text
    return lambda whole: whole[: whole.index(text) + len(text)]


DEALER, SHUFFLE, CUT = "pick dealer: seat 2", "shuffle stock: QH KH JS JH QS KS", "cut stock: 2"
GOES = "1 after 1.5 s: go(QS)"
STARTED = (DEALER, SHUFFLE, CUT)
RULES = next(line for line in SAVED.splitlines() if line.startswith("rules: "))

TEXTS: dict[str, Damage] = {
    # Cut off.
    "empty": lambda text: "",
    "only an empty line": lambda text: "\n",
    "cut off in the first line": up_to("hoyle pl"),
    "cut off after the first line": up_to("hoyle play 1\n"),
    "cut off in the head": up_to("players: 2\n"),
    "cut off in a line of the head": up_to("peop"),
    "cut off after the head": up_to("bot: random\n\n"),
    "cut off after a step": up_to(CUT + "\n"),
    "cut off in a step": up_to("1 after 1.5"),
    "cut off in the last line": up_to("5 steps"),
    "a step is lost": put(CUT + "\n", ""),
    "a step is there twice": put(CUT + "\n", f"{CUT}\n{CUT}\n"),
    # Not this kind of text.
    "binary": lambda text: bytes(range(256)),
    "a picture": lambda text: b"\x89PNG\r\n\x1a\n" + bytes(100),
    "NUL": put("seed: 17", "seed: 1\x007"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "Latin-1": lambda text: text.replace("seed: 17", "seed: münze").encode("latin-1"),
    "a rule file": lambda text: (CASES / "cuts.yaml").read_text(encoding="utf-8"),
    "JSON": lambda text: '{"game": "cuts", "players": 2}\n',
    "a log of another program": lambda text: "2026-01-01 00:00:00 INFO started\n" * 50,
    "two byte order marks": lambda text: b"\xef\xbb\xbf\xef\xbb\xbf" + text.encode(),
    "a later version": put("hoyle play 1", "hoyle play 2"),
    "a version beyond counting": put("hoyle play 1", "hoyle play " + "9" * 400),
    # The head.
    "a misspelt key": put("players:", "palyers:"),
    "no key at all": put("players: 2", "two players"),
    "a key twice": put("players: 2", "players: 2\nplayers: 3"),
    "a key without a value": put("seed: 17", "seed:"),
    "no empty line": put("bot: random\n\n", "bot: random\n"),
    "played and shown": put("seed: 17", "seed: 17\nproperty: x\nshows: proved: y"),
    "half of what is shown": put("seed: 17\npeople: 1\nbot: random", "property: x"),
    "a game nobody knows": put("game: cuts.yaml", "game: cutz"),
    "a game nearly known": put("game: cuts.yaml", "game: ledcu"),
    "a name that is very long": put("game: cuts.yaml", "game: " + "leduc" * 2_000),
    "a way out of the folder": put("game: cuts.yaml", "game: ../../../etc/passwd"),
    "a way from the root": put("game: cuts.yaml", "game: /etc/passwd"),
    "a way to nothing": put("game: cuts.yaml", "game: ../gone/cuts.yaml"),
    "a way to a folder": put("game: cuts.yaml", "game: folder.yaml"),
    "a way to a device": put("game: cuts.yaml", "game: zero.yaml"),
    "a way in a circle": put("game: cuts.yaml", "game: circle.yaml"),
    "a way to itself": put("game: cuts.yaml", "game: itself.yaml"),
    "a game with a mistake": put("game: cuts.yaml", "game: wrong.yaml"),
    "other rules": put(RULES, RULES[:-1] + "0"),
    "no sums": put(RULES, "rules: none"),
    "a sum too short": put(RULES, "rules: cards 12, zones 34"),
    "a part twice": put(RULES, f"{RULES}, cards 01234567"),
    "a part that no game has": put(RULES, "rules: dice 01234567"),
    "players in words": put("players: 2", "players: two"),
    "too many players": put("players: 2", "players: 9"),
    "players beyond counting": put("players: 2", "players: " + "9" * 400),
    "digits of another script": put("players: 2", "players: ２"),
    "an option nobody knows": put("worth = two", "wroth = two"),
    "a reading nobody knows": put("worth = two", "worth = ten"),
    "half an option": put("worth = two", "worth"),
    "an option twice": put("option: worth = two", "option: worth = two\noption: worth = three"),
    "a seat that is not there": put("people: 1", "people: 3"),
    "seats in words": put("people: 1", "people: me"),
    "a seat twice": put("people: 1", "people: 1 1"),
    "time that is none": put("bot: random", "bot: random\nspent: a while"),
    "time beyond counting": put("bot: random", f"bot: random\nspent: {'9' * 400} s"),
    # Chance.
    "an impossible pick": steps("pick dealer: seat 3"),
    "another pick": steps("pick leader: seat 2"),
    "an unknown card": steps(DEALER, SHUFFLE.replace("KH", "ZH")),
    "a card twice": steps(DEALER, SHUFFLE.replace("KH", "QH")),
    "a card is missing": steps(DEALER, SHUFFLE.replace(" KS", "")),
    "cards without end": steps(DEALER, SHUFFLE + " KS" * 6_000),
    "another zone": steps(DEALER, "shuffle heap: QH"),
    "a cut too deep": steps(DEALER, SHUFFLE, "cut stock: 70"),
    "a cut beyond counting": steps(DEALER, SHUFFLE, "cut stock: " + "9" * 400),
    "a cut in words": steps(DEALER, SHUFFLE, "cut stock: half"),
    "chance left out": steps(DEALER, SHUFFLE, GOES),
    "chance too often": steps(*STARTED, CUT),
    # Choices.
    "no step": steps(DEALER, SHUFFLE, "cut the stock"),
    "an unknown action": steps(*STARTED, "1: fly(QS)"),
    "against a condition": steps("pick dealer: seat 1", SHUFFLE, CUT, "1: go(QS)"),
    "a card that is elsewhere": steps(*STARTED, "1: go(KH)"),
    "arguments too few": steps(*STARTED, "1: go"),
    "another seat's turn": steps(*STARTED, "2: stop"),
    "seat none": steps(*STARTED, "0: stop"),
    "a seat beyond counting": steps(*STARTED, "9" * 400 + ": stop"),
    "a choice that took years": steps(*STARTED, f"1 after {'9' * 400} s: stop"),
    "deeply nested": steps(*STARTED, "1: go" + "(" * 9_000),
    "spaces without end": steps(*STARTED, "1: go" + " " * 15_000 + "(QS"),
    "marks that a terminal obeys": steps(*STARTED, "1: \x1b[31mgo\x1b[2J"),
    "a line without end": steps(*STARTED, "1: " + "go " * 10_000),
    "on after the end": put("5 steps to the end", "1: stop\n6 steps to the end"),
    "an end that is none": put("5 steps to the end", "5 steps so far"),
    "no end, and said so": put("2 after 2 s: stop\n5 steps", "4 steps"),
    "a number of steps beyond counting": put("5 steps", "9" * 400 + " steps"),
}  # fmt: skip


PATHS = UNREADABLE | {
    "no file": "gone.hoyle-play",
    "a device": "/dev/zero",
    "a pipe": "fifo.hoyle-play",
    "a name too long": "x" * 5_000,
    "a path with NUL": "a\0b",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a play that is right, its game, and things that are no rule files."""
    for file in ("cuts.yaml", "clauses.yaml"):
        shutil.copy(CASES / file, tmp_path)
    (tmp_path / NAME).write_text(SAVED, encoding="utf-8")
    litter(tmp_path)
    os.mkfifo(tmp_path / "fifo.hoyle-play")
    (tmp_path / "itself.yaml").symlink_to(NAME)
    (tmp_path / "wrong.yaml").write_text((CASES / "cuts.yaml").read_text().replace("shuffle stock", "shuffle stok"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


GOLDEN = Golden(
    CASES / "refusals.txt",
    "What is said of each kind of damaged or hostile file of a play; see tests/unit/test_hostile_plays.py.",
    (*TEXTS, "too large", "no permission", *PATHS),
)


@pytest.mark.parametrize("kind", TEXTS)
def test_damaged_text_is_refused(kind: str, folder: Path) -> None:
    content = TEXTS[kind](SAVED)
    (folder / NAME).write_bytes(content.encode() if isinstance(content, str) else content)
    told = refusal("replay", NAME)
    GOLDEN.agrees(kind, told)
    assert refusal("replay", NAME, "--json") == told
    assert (folder / NAME).read_bytes() == (content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("kind", PATHS)
def test_what_is_no_file_to_read_is_refused(kind: str, folder: Path) -> None:
    GOLDEN.agrees(kind, refusal("replay", PATHS[kind]))


def test_what_nobody_may_read_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    GOLDEN.agrees("no permission", forbidden("replay", folder / NAME, monkeypatch))


def test_what_is_too_large_is_refused(folder: Path) -> None:
    (folder / NAME).write_text(SAVED + "1: stop\n" * 2_000_000, encoding="utf-8")
    GOLDEN.agrees("too large", refusal("replay", NAME))


def test_there_are_enough_kinds_and_each_is_told_in_its_own_words() -> None:
    told = GOLDEN.texts()
    assert set(told) == set(GOLDEN.names)
    assert len(told) >= 44
    assert all("error[" in words and "-->" in words for words in told.values())
    # One kind, one message: nothing is refused by a phrase that fits everything.
    messages = [words.partition("\n")[0] for words in told.values()]
    assert max(messages.count(m) for m in messages) <= 9


ACCEPTED: dict[str, Damage] = {
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "line ends of another system": lambda text: text.replace("\n", "\r\n"),
    "no line end at the end": lambda text: text.rstrip("\n"),
    "empty lines between": lambda text: text.replace("\ncut", "\n\n\ncut") + "\n\n",
    "space around lines": lambda text: text.replace("\n", "  \n"),
    "another order of the head": put("seed: 17\npeople: 1", "people: 1\nseed: 17"),
    "cards as they are spoken of": put("QH KH", "qh k♥"),
    "small and large letters": put("go(QS)", "GO( qs )"),
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_what_means_the_same_is_read(kind: str, folder: Path) -> None:
    told = CliRunner().invoke(app, ["replay", NAME]).stdout
    content = ACCEPTED[kind](SAVED)
    (folder / NAME).write_bytes(content.encode() if isinstance(content, str) else content)
    result = CliRunner().invoke(app, ["replay", NAME])
    assert result.exit_code == 0 and result.stdout == told and "5. seat 2: stop" in told


def test_the_largest_file_is_read_in_bounded_time(folder: Path) -> None:
    lines = "1: stop\n" * (playread.MAX_BYTES // 8 - 1_000)
    (folder / NAME).write_text(SAVED.replace("5 steps to the end", f"{lines}9 steps so far"), encoding="utf-8")
    assert "and has" in refusal("replay", NAME)

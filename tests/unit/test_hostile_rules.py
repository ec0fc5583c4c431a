"""Rule files that are damaged or mean harm: each kind is refused with the same words, and quickly.

Mistakes of honest authors are in `tests/cases/bad`; texts that a reader of YAML could choke on in `test_reader.py`.
Here are files, paths and sizes. The words are in `tests/cases/hostile/refusals.txt`; `UPDATE_GOLDEN=1` writes them
anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.refusing import UNREADABLE, Golden, forbidden, litter, refusal

CASES = Path(__file__).parents[1] / "cases" / "hostile"
RULES = """\
hoyle: 1
game: fine
title: Fine
players: 2
cards: {ranks: [J, Q, K], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner}
state:
  points: {each: player, type: 0..9, starts: 0}
rules: |
  rule game:
    shuffle stock
    for each p: deal 2 from stock to hand[p]
    for each p:
      p chooses turn:
        keep when size of hand[p] > 0: points[p] += 1
        stop
result: {score: "points[p]", wins: "points[p] > 0", ties: shared}
"""
NAME = "fine.yaml"
Damage = Callable[[str], str | bytes]


def put(old: str, new: str) -> Damage:
    """The file with something else in the place of one text."""
    assert RULES.count(old) == 1, old
    return lambda text: text.replace(old, new)


def more(text: str) -> Damage:
    """The file with more at its end."""
    return lambda whole: whole + text


NINES = "9" * 400
DOUBLING = "".join(f"  rule a{n}:\n    a{n + 1}\n    a{n + 1}\n" for n in range(25))
CHECKED: dict[str, Damage] = {
    # No such text.
    "empty": lambda text: "",
    "binary": lambda text: bytes(range(256)) * 4,
    "a picture": lambda text: b"\x89PNG\r\n\x1a\n" + bytes(100),
    "NUL": put("title: Fine", "title: Fi\0ne"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "Latin-1": lambda text: text.replace("title: Fine", "title: Schürze").encode("latin-1"),
    "marks that a terminal obeys": put("title: Fine", "title: \x1b[2JFine"),
    "JSON that is a list": lambda text: "[1, 2, 3]\n",
    "a saved game": lambda text: "hoyle play 1\ngame: leduc\nplayers: 2\n",
    "a later version": put("hoyle: 1", "hoyle: 2"),
    "a version beyond counting": put("hoyle: 1", f"hoyle: {NINES}"),
    "cut off in the head": lambda text: text[: text.index("zones:")],
    "cut off in the rules": lambda text: text[: text.index("chooses turn")],
    "cut off in a bracket": lambda text: text[: text.index("suits") + 9],
    # YAML that does something.
    "a tag that makes objects": put("title: Fine", "title: !!python/object/apply:os.system ['true']"),
    "anchors that multiply": more("a: &a [x, x]\nb: [*a, *a]\n"),
    "a merge key": more("<<: {title: x}\n"),
    "a key twice": put("players: 2", "players: 2\nplayers: 3"),
    "deep brackets": put("title: Fine", "title: " + "[" * 5_000),
    "deep lists": put("title: Fine", "title:\n" + "".join("  " * n + "-\n" for n in range(1, 200))),
    # Sizes.
    "players beyond counting": put("players: 2", f"players: {NINES}"),
    "players without end": put("players: 2", "players: 2..1000000000"),
    "a pack that is too large": put("suits: [hearts, spades]", "suits: [hearts, spades], copies: 1000000"),
    "copies beyond counting": put("suits: [hearts, spades]", f"suits: [hearts, spades], copies: {NINES}"),
    "zones without end": put("hand:  {each: player", "hand:  {each: 1..1000000000"),
    "a number beyond counting": put("type: 0..9", f"type: 0..{NINES}{NINES}"),
    "deep expressions": put("points[p] += 1", "points[p] += " + "(" * 3_000 + "1" + ")" * 3_000),
    "a long chain of operators": put("points[p] += 1", "points[p] += 1" + " + 1" * 5_000),
    "not without end": put("size of hand[p] > 0", "not " * 5_000 + "yes"),
    "a definition of itself": put("  rule game:", "  define again(n: 0..9) = again(n)\n  rule game:"),
    "a rule that follows itself": put("    shuffle stock", "    game"),
    "rules that double": put("  rule game:", f"{DOUBLING}  rule a25:\n    shuffle stock\n  rule game:\n    a0"),
    "a loop without end": put("    shuffle stock", "    shuffle stock\n    repeat:\n      points[seat 1] := 0"),
    "a combination of very many cards": more("combinations: {order: lowest first, pair: {cards: 1000000 of one rank}}"),
    # Ways to other files.
    "a variant of itself": lambda text: "hoyle: 1\ngame: fine\nextends: fine.yaml\n",
    "a variant of nothing": lambda text: "hoyle: 1\ngame: fine\nextends: ../gone/game\n",
    "a variant of a device": lambda text: "hoyle: 1\ngame: fine\nextends: /dev/zero\n",
    "a variant from outside": lambda text: "hoyle: 1\ngame: fine\nextends: ../../../../../../../../etc/passwd\n",
    "clauses from outside": more("clauses: ../../../../../../../../etc/passwd\n"),
    "clauses from a device": more("clauses: zero.yaml\n"),
    "examples from outside": more("examples: ../../../../../../../../etc/passwd\n"),
    "examples from a device": more("examples: zero.yaml\n"),
    "examples from a folder": more("examples: folder.yaml\n"),
    "examples from a circle": more("examples: circle.yaml\n"),
    "examples from nowhere": more("examples: gone.yaml\n"),
    "examples from itself": more("examples: fine.yaml\n"),
    "claims from a pipe": more("properties: fifo.yaml\n"),
    "a name with NUL": more('examples: "a\\0b"\n'),
}  # fmt: skip

PLAYED: dict[str, Damage] = {
    "too few cards": put("deal 2 from", "deal 4 from"),
    "a computation without end": put("    shuffle stock", "    repeat until points[seat 1] = 9: points[seat 2] := 0"),
    "a number outside its range": put("type: 0..9", "type: 0..0"),
    "nothing to choose": lambda text: text.replace("        stop\n", "").replace("size of hand[p] >", "points[p] >"),
}
"""These are well formed; only play shows what they do."""


GOLDEN = Golden(
    CASES / "refusals.txt",
    "What is said of each kind of damaged or hostile rule file; see tests/unit/test_hostile_rules.py.",
    (*CHECKED, *PLAYED, "too large", "no permission", *UNREADABLE),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a game that is right, and things that are no rule files."""
    (tmp_path / NAME).write_text(RULES, encoding="utf-8")
    litter(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, content: str | bytes) -> None:
    (folder / NAME).write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("kind", CHECKED)
def test_a_hostile_file_is_refused(kind: str, folder: Path) -> None:
    write(folder, CHECKED[kind](RULES))
    GOLDEN.agrees(kind, refusal("check", NAME))
    # Nor can it be played or used by anything else.
    assert refusal("play", NAME, "--as", "none")


@pytest.mark.parametrize("kind", PLAYED)
def test_a_hostile_game_ends(kind: str, folder: Path) -> None:
    write(folder, PLAYED[kind](RULES))
    GOLDEN.agrees(kind, refusal("simulate", NAME, "--games", "5"))


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_is_no_file_to_read_is_refused(kind: str, folder: Path) -> None:
    GOLDEN.agrees(kind, refusal("check", UNREADABLE[kind]))


def test_what_nobody_may_read_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    GOLDEN.agrees("no permission", forbidden("check", folder / NAME, monkeypatch))


def test_what_is_too_large_is_refused(folder: Path) -> None:
    write(folder, RULES + "# and so on\n" * 100_000)
    GOLDEN.agrees("too large", refusal("check", NAME))


def test_each_kind_is_told_with_a_place() -> None:
    told = GOLDEN.texts()
    assert set(told) == set(GOLDEN.names) and len(told) >= 44
    assert all("error[" in words and "--> " in words for words in told.values())

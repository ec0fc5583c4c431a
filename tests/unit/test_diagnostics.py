"""Every code has a bad file whose messages are kept word for word; good files are silent and play.

`UPDATE_GOLDEN=1` writes the golden texts anew; look at each as its author would.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from dsl import ir, load
from dsl.codes import CODES
from dsl.diagnostics import Diagnostic
from dsl.render import render_all
from interpreter.machine import Machine
from interpreter.play import with_random_bots
from interpreter.state import check_conservation
from tests import golden_texts

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
BAD = sorted((CASES / "bad").glob("*.yaml"))
GOOD = sorted((CASES / "good").glob("*.yaml"))
LAYERS = sorted((CASES / "bad" / "base").glob("[!c]*[!s].yaml"))  # what the bad variants extend is good
NOT_IN_FILES = {"R1", "P8"}  # of reading and of the command line: their cases stand elsewhere
SEVERAL = {"S201_several_at_once"}  # the files with more than one mistake
RANDOM_GAMES, MOST_DECISIONS = 20, 2000


def found_in(path: Path) -> list[Diagnostic]:
    return load.check(path, path.name)[1].diagnostics


@pytest.mark.parametrize("case", BAD, ids=lambda path: path.stem)
def test_bad_file_has_its_golden_text(case: Path) -> None:
    found = found_in(case)
    text = render_all(found) + "\n"
    golden = case.with_suffix(".txt")
    if golden_texts.updates():
        golden.write_text(text, encoding="utf-8")
    assert case.stem[:4] in {d.code for d in found}, text
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", BAD, ids=lambda path: path.stem)
def test_one_mistake_is_told_once_and_in_the_house_style(case: Path) -> None:
    found = found_in(case)
    assert len(found) == 1 or case.stem in SEVERAL, render_all(found)
    for d in found:
        assert d.code in CODES
        assert d.message == d.message[:1].lower() + d.message[1:] or d.message.startswith("`")
        assert not d.message.endswith(".") and "\n" not in d.message + d.help + d.note
        assert len(d.message) < 100 and len(d.help) < 110


def test_every_code_has_a_bad_file() -> None:
    wanted = {code for code in CODES if code[:2] not in NOT_IN_FILES}
    assert sorted(wanted - {case.stem[:4] for case in BAD}) == []


def test_no_golden_text_is_left_over() -> None:
    assert sorted(p.stem for p in (CASES / "bad").glob("*.txt")) == [case.stem for case in BAD]


@pytest.mark.parametrize("code", sorted(code for code in CODES if code[:2] not in NOT_IN_FILES))
def test_pages_are_short_and_show_wrong_and_right(code: str) -> None:
    page = CODES[code].page
    assert re.search(r"^Wrong:\n```", page, re.MULTILINE) and re.search(r"^Right:\n```", page, re.MULTILINE)
    assert 10 <= page.count("\n") <= 25 and max(map(len, page.splitlines())) <= 122


@cache
def model_of(path: Path) -> tuple[ir.Game, ...]:
    """The game of a good file at its least and its greatest number of players."""
    found, reporter = load.check(path, path.name)
    assert found is not None and not reporter.diagnostics, render_all(reporter.diagnostics)
    return tuple(load.game(found, n) for n in sorted(set(found.players)))


@pytest.mark.parametrize("case", [*GOOD, *LAYERS], ids=lambda path: path.stem)
def test_good_file_is_silent(case: Path) -> None:
    assert model_of(case)


@pytest.mark.parametrize("case", GOOD, ids=lambda path: path.stem)
def test_good_file_plays_to_its_end(case: Path) -> None:
    for game in model_of(case):
        machine = Machine(game)
        for seed in range(RANDOM_GAMES):
            state = with_random_bots(machine, seed).run(MOST_DECISIONS)
            assert machine.is_terminal(state)
            check_conservation(state, machine.words.cards.pack)
            assert len(machine.scores(state)) == game.num_players and machine.winners(state) is not None

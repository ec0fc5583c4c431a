"""Golden playthroughs: one random game of each that ships, told in full. `UPDATE_GOLDEN=1` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import golden_texts
from tests.playthroughs.telling import tell
from tests.properties.corpus import GAMES, Setting, machine_of, model_of

HERE = Path(__file__).parent
SEED = 1


def settings() -> list[Setting]:
    found = []
    for path in sorted(GAMES.glob("*.yaml")):
        try:
            found.append(Setting(path, model_of(path).players[0]))
        except AssertionError:  # `test_play.py` fails for a file that is wrong
            continue
    return found


def golden(setting: Setting) -> Path:
    return HERE / f"{setting}-{SEED}.txt"


@pytest.mark.parametrize("setting", settings(), ids=str)
def test_a_playthrough_is_told_as_before(setting: Setting) -> None:
    told = tell(machine_of(setting), str(SEED))
    assert len(told.encode()) < 70_000
    if golden_texts.updates():
        golden(setting).write_text(told, encoding="utf-8")
    assert golden(setting).is_file(), "no golden text yet: run the tests once with UPDATE_GOLDEN=1 and read it"
    assert told.splitlines() == golden(setting).read_text(encoding="utf-8").splitlines()


def test_every_golden_text_belongs_to_a_game() -> None:
    assert {path.name for path in HERE.glob("*.txt")} <= {golden(s).name for s in settings()}

"""A game is a function of file, players, options, seed and choices: the same bytes under every hash seed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.playthroughs.telling import everything
from tests.properties.corpus import ROOT, Setting, machine_of, one_of_each


def under(hash_seed: str, settings: list[Setting]) -> str:
    arguments = [f"{setting.path}:{setting.num_players}" for setting in settings]
    done = subprocess.run(
        [sys.executable, "-m", "tests.playthroughs.telling", *arguments], cwd=ROOT, capture_output=True, check=True,
        text=True, env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    return done.stdout


def test_the_same_bytes_under_different_hash_seeds() -> None:
    texts = {under(hash_seed, one_of_each()) for hash_seed in ("0", "4242")}
    assert len(texts) == 1 and len(texts.pop()) > 10_000


@pytest.mark.parametrize("setting", one_of_each(), ids=str)
def test_the_same_bytes_twice_and_others_for_another_seed(setting: Setting) -> None:
    machine = machine_of(setting)
    first = everything(machine, "one", 60)
    assert everything(machine, "one", 60) == first, "the machine remembers the playthrough before"
    assert everything(machine, "two", 60) != first

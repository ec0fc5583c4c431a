"""In which order questions are asked, and what more time is given to: few players first, and what is easy for all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_prove_cli import loaded_of
from verify import run
from verify.crew import Crew, Done
from verify.outcome import EVERY, Answer, Verdict
from verify.worker import Job

GAME = """
hoyle: 1
game: order
title: Order
players: 2..4
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
rules: |
  rule game:
    shuffle stock
result: {score: "0", wins: "yes", ties: shared}
properties:
  easy: {always: size of stock = 6}
  slow: {always: size of stock > 5}
  hard: {never: size of stock = 0}
"""
SECONDS = {"easy": 0.1, "slow": 4.0, "hard": 50.0}


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What is begun, in order, where a clock goes on by what each takes, up to its share."""
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    begun: list[tuple[str, int]] = []

    def work(self: Crew, jobs: Iterable[Job], done: Done, is_off: Callable[[Job], bool], portion: float,
             to_learn: float) -> None:  # fmt: skip
        waiting = list(jobs)
        most = 2 * self.left * portion / (len(waiting) + 1)
        while waiting:
            job = waiting.pop(0)
            if is_off(job) or not self.left:
                continue
            share = min(self.left * portion / (len(waiting) + 1), most)
            begun.append((job.name, job.num_players))
            needs = 0.0 if job.num_players == EVERY else SECONDS[job.name]
            took, answered = min(needs, share), needs <= share and job.num_players != EVERY
            clock[0] += took
            done(job, Answer(Verdict.PROVED if answered else Verdict.UNKNOWN, "terms", took), share)

    monkeypatch.setattr(Crew, "work", work)
    path = tmp_path / "order.yaml"
    path.write_text(GAME, encoding="utf-8")
    run.prove(loaded_of(path), free=False, budget=60.0, workers=1)
    return begun


def test_few_players_come_first_then_what_was_easy_for_all(asked: list[Any]) -> None:
    one_number = [(name, n) for name, n in asked if n != EVERY]
    assert one_number[:3] == [("easy", 2), ("slow", 2), ("hard", 2)]
    easy = [one_number.index(("easy", n)) for n in (3, 4)]
    assert max(easy) < one_number.index(("slow", 3)) < one_number.index(("slow", 4))


def test_what_is_too_hard_keeps_no_other_waiting(asked: list[Any]) -> None:
    assert asked.index(("slow", 4)) < min(i for i, job in enumerate(asked) if job in (("hard", 3), ("hard", 4)))

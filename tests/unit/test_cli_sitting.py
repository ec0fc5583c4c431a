"""The core of a session, which every kind of screen shares."""

from __future__ import annotations

import time
from pathlib import Path

from cli import driver
from cli.cardtext import CardText
from cli.sitting import Sitting
from interpreter.machine import Machine
from interpreter.play import Playthrough
from tests.unit.timed import taps


def sitting(path: Path, people: list[int]) -> Sitting:
    seated = driver.seat(str(path), None, [])
    machine = Machine(seated.game)
    return Sitting(seated.model, Playthrough(machine, 1, {}), people, CardText(machine, with_symbols=False))


def test_each_stroke_of_the_clock_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "taps.yaml"
    path.write_text(taps(0.3, 0.25, 0.2), encoding="utf-8")
    game = sitting(path, [0])
    while game.step():
        pass
    game.news(0)
    turn = game.turn()
    time.sleep(0.31)
    first, second = turn.thinking.strike(), turn.thinking.strike()
    assert first is not None and any("make haste" in line.text for line in first)
    assert second is not None and any("make more haste" in line.text for line in second)
    assert not any("make haste" in line.text for line in second)
    assert turn.thinking.strike() is None
    game.choose(turn, None)
    assert game.is_over
    assert [line.text for line in game.news(0)] == ["clock: time out, 0 seconds left"]
    assert game.ending() == "The game is over: time ran out."
    assert game.verdict() == "You have not won."

"""What is hidden from a seat is never shown to it, and what is shown follows from the seed alone."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from cli import driver
from cli.cardtext import CardText
from cli.menu import Menu
from cli.session import Quit, Session
from cli.sitting import Sitting
from cli.table import Table
from cli.terminal import Terminal
from interpreter import history
from interpreter.bots import random_bot
from interpreter.determinise import determinise
from interpreter.machine import Machine
from interpreter.observe import observe
from interpreter.play import Playthrough, with_random_bots

ROOT = Path(__file__).parents[2]
GAMES = sorted(path.stem for path in (ROOT / "spec/games").glob("*.yaml"))


@cache
def seat(game: str) -> driver.Seated:
    return driver.seat(game, None, [])


class Watched(Playthrough):
    """Keeps count of every face that seat 1 has had a right to know."""

    known: set[str]

    def watch(self) -> None:
        seen = observe(self.machine, self.state, 0, log_lines=0)
        for pile in seen.zones.values():
            self.known.update(card for card in (*(pile["cards"] or ()), *pile.get("contents", ())) if card)
        for entry in history.entries(self.state):
            if isinstance(entry, history.Revealed) and entry.to is None:
                self.known.update(map(self.machine.words.cards.name, entry.cards))

    def step(self) -> bool:
        went = super().step()
        self.watch()
        return went


class Listening(Terminal):
    """Types the first move again and again, and checks every line that it is to show."""

    def __init__(self, play: Watched, moves: int) -> None:
        super().__init__()
        self._play, self._left, self.lines = play, moves, 0
        names = sorted(set(play.machine.words.cards.names), key=len, reverse=True)
        self._card = re.compile(rf"(?<![\w#])(?:{'|'.join(map(re.escape, names))})(?!\w)")

    def raw(self, line: str, style: str = "") -> None:
        self.lines += 1
        self._play.watch()
        assert set(self._card.findall(line)) <= self._play.known, line

    def ask(self, prompt: str, seconds: float | None = None) -> str | None:
        self._left -= 1
        if self._left < 0:
            raise Quit
        return ["1", "table", "log all", "1"][self._left % 4]


@pytest.mark.parametrize("game", GAMES)
def test_no_line_shows_a_card_that_the_seat_does_not_know(game: str) -> None:
    for seed in range(3):
        seated = seat(game)
        machine = Machine(seated.game)
        bots = dict.fromkeys(range(1, seated.game.num_players), random_bot)
        play = Watched.__new__(Watched)
        play.known = set()
        play.__init__(machine, seed, bots)  # type: ignore[misc]
        terminal = Listening(play, 12)
        with contextlib.suppress(Quit):
            Session(Sitting(seated.model, play, [0], CardText(machine, terminal.has_symbols)), terminal).run()
        assert terminal.lines > 20


@pytest.mark.parametrize("game", GAMES)
def test_what_is_shown_is_the_same_in_every_world_that_looks_the_same(game: str) -> None:
    seated = seat(game)
    machine = Machine(seated.game)
    text = CardText(machine, with_symbols=True)
    table = Table(machine, seated.model.layout, text)
    play, rng = with_random_bots(machine, 7), random.Random(7)
    while play.num_decisions < 60 and play.step():
        for viewer in range(machine.game.num_players):
            world = determinise(machine, play.state, viewer, rng)
            for full in (False, True):
                assert table.lines(play.state, viewer, full) == table.lines(world, viewer, full)
            legal = machine.legal_actions(play.state, viewer)
            real, other = Menu(machine, play.state, legal, text), Menu(machine, world, legal, text)
            assert real.lines(real.moves, 79) == other.lines(other.moves, 79)
            assert all(len(line) <= 79 for line in real.lines(real.moves, 79))


@pytest.mark.parametrize("game", GAMES)
def test_every_move_is_found_by_its_number_and_by_its_name(game: str) -> None:
    machine = Machine(seat(game).game)
    for symbols in (False, True):
        text = CardText(machine, symbols)
        play = with_random_bots(machine, 11)
        while play.num_decisions < 40 and play.step():
            for player in machine.to_move(play.state):
                menu = Menu(machine, play.state, machine.legal_actions(play.state, player), text)
                for move in menu.moves:
                    assert menu.named(str(move.number)) == move
                    assert menu.named(move.shown) == move
                    assert menu.named(machine.name_of(move.choice, play.state)) == move
                    written = machine.parse_choice(play.state, player, text.plain(move.shown))
                    assert written == move.choice


COMMANDS = [
    ("play whist --as none --bot random --seed 5", ""),
    ("play leduc --seed 5", "?\n1\ntable\nwhy fold\nhint\n2\nlog\n1\n1\n"),
    ("play poker_bull --seed 5 --bot random", "flush\n1\n1\nlog\n"),
    ("games", ""),
    ("test leduc --json", ""),
    ("simulate poker_bull --games 5 --json", ""),
    ("simulate leduc --games 4 --bot 1=search:300 --bot 2=search:300 --json", ""),
]
ALL = """
import json, sys
from typer.testing import CliRunner
from cli.main import app
for args, typed in json.load(sys.stdin):
    done = CliRunner().invoke(app, args.split(), input=typed)
    assert done.exit_code == 0, done.output
    print(json.dumps(done.stdout))
"""


def outputs(seed: str) -> list[str]:
    """What the commands say with this hash seed, one after the other in one process."""
    env = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", ALL], input=json.dumps(COMMANDS), capture_output=True, text=True,
                          cwd=ROOT, env=env, check=True)  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    told = [outputs(seed) for seed in ("0", "4711")]
    for (args, _), *texts in zip(COMMANDS, *told, strict=True):
        if args.startswith("simulate"):  # how long it took is no part of the game
            texts = [json.dumps({k: v for k, v in json.loads(text).items() if k != "seconds"}) for text in texts]
        assert texts[0] and texts[0] == texts[1], args

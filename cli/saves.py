"""Games in play, kept on disk: each step is written before anybody sees what comes of it, and the whole file at once.

So a game that was interrupted, at whatever moment, is found as it was played: the file is that of the step before or
of the step after, and never half a file. What bots and chance did after the last step that was written they will do
again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cli import driver, players
from cli.driver import Failure, Seated, UsageError
from cli.plays import Opened, open_play
from interpreter.bots import BotMaker
from interpreter.fingerprint import fingerprint
from interpreter.machine import Machine
from interpreter.play import Playthrough
from interpreter.playfile import SUFFIX, Ending, Head, Seats, ending_of, joined, line_of, lines_of
from interpreter.playread import MAX_BYTES, Damaged, Play, damaged, read
from interpreter.state import State
from interpreter.trace import Chosen, TraceStep

MOST_KEPT: Final = 50
"""So many games are kept without being asked for; older ones make room."""

_NEW: Final = ".new"


@dataclass(frozen=True, slots=True)
class Game:
    """A game that can be played on: at which table, by whom, and where it is kept (None: nowhere)."""

    seated: Seated
    play: Playthrough
    people: tuple[int, ...]
    bot: str
    save: SaveFile | None
    remarks: tuple[str, ...] = ()


class SaveFile:
    """The file of one game. `trouble` is why it could not be written last; nothing where it was."""

    def __init__(self, path: Path, head: Head, machine: Machine, lines: Sequence[str] = ()) -> None:
        self.path, self.trouble = path, ""
        self._head, self._machine, self._lines = head, machine, list(lines)
        _clear_away(path)

    def taken(self, before: State, step: TraceStep, after: State) -> None:
        """Writes a step down."""
        self._lines.append(line_of(self._machine, before, step))
        if isinstance(step, Chosen):
            self._spent(0)
        self.write(ending_of(self._machine, after))

    def taken_back(self, num_steps: int, spent_ms: int) -> None:
        """Strikes what follows after so many steps."""
        del self._lines[num_steps:]
        self._spent(spent_ms)
        self.write(Ending.OPEN)

    def write(self, ending: Ending) -> None:
        """The file as the game stands now."""
        text = joined(self._head, self._lines, ending)
        if len(text) > MAX_BYTES:
            self.trouble = "it has become too long"
            return
        try:
            write_whole(self.path, text)
        except OSError as error:
            self.trouble = (error.strerror or str(error)).lower()
        else:
            self.trouble = ""

    def _spent(self, spent_ms: int) -> None:
        about = self._head.about
        assert isinstance(about, Seats)
        if about.spent_ms != spent_ms:
            self._head = replace(self._head, about=replace(about, spent_ms=spent_ms))


def write_whole(path: Path, text: str) -> None:
    """Puts a text in the place of what a file holds: whoever reads it finds the one or the other. Raises `OSError`."""
    new = path.with_name(f".{path.name}.{os.getpid()}{_NEW}")
    try:
        with new.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _clear_away(path: Path) -> None:
    """Takes away what programs left that were killed while they wrote this file."""
    with suppress(OSError):
        for other in path.parent.iterdir():
            if other.name.startswith(f".{path.name}.") and other.name.endswith(_NEW):
                other.unlink()


# ------------------------------------------------------------------------------------- beginning and resuming


def begin(seated: Seated, people: Sequence[int], bot: str, seed: str, file: str | None) -> Game:
    """A new game, kept in `file`, or among the games in play where people play and no file is named.

    Raises:
        UsageError: There is such a file already, or it cannot be written; or a name means nothing.
    """
    players.maker(bot)
    if not seed.isprintable() or seed != seed.strip() or not seed:
        raise UsageError("a seed is a word or a number, on one line and without space around it")
    machine = Machine(seated.game)
    play = Playthrough(machine, seed, _bots(seated, people, bot))
    about = Seats(seed, tuple(people), bot)
    if file is not None:
        path = Path(file)
        if os.path.lexists(path):
            raise UsageError(f"`{file}` is there already; `hoyle resume {file}` goes on with a game")
        save = _kept(path, seated, machine, about)
        if save.trouble:
            raise UsageError(f"`{file}` cannot be written: {save.trouble}")
    elif people:
        save = _kept(_new_path(seated.game.name), seated, machine, about)
    else:
        return Game(seated, play, tuple(people), bot, None)
    play.keeper = save
    return Game(seated, play, tuple(people), bot, save)


def resume(file: str, anyway: bool = False) -> Game:
    """A game that was played before, where it was left.

    Raises:
        Failure: The file cannot be used, or holds no game that could go on.
    """
    opened = open_play(file, anyway)
    about = opened.head.about
    try:
        if not isinstance(about, Seats):
            raise damaged("nobody plays this: it is shown for a property", opened.head.places["property"],
                          f"`hoyle replay {file}` tells it")  # fmt: skip
        problem = players.wrong(about.bot)
        if problem is not None:
            raise damaged(problem[0], opened.head.places["bot"], problem[1])
        return _gone_through(opened, about, file)
    except Damaged as wrong:
        raise Failure(wrong.diagnostics) from None


def _gone_through(opened: Opened, about: Seats, file: str) -> Game:
    machine, seated = opened.machine, opened.seated
    play = Playthrough(machine, about.seed, _bots(seated, about.people, about.bot))
    play.go_through(opened.trace.steps)
    play.spent_ms = about.spent_ms
    if play.is_over:
        raise damaged("this game is over", opened.end, f"`hoyle replay {file}` tells it")
    # Where the rules have changed, the old file stays as it was.
    path = _new_path(seated.game.name) if opened.remarks else Path(file)
    play.keeper = save = SaveFile(path, _head(path, seated, about), machine, lines_of(machine, opened.trace))
    if opened.remarks:
        _make_room(path.parent)
        save.write(Ending.OPEN)
    return Game(seated, play, about.people, about.bot, save, opened.remarks)


def _kept(path: Path, seated: Seated, machine: Machine, about: Seats) -> SaveFile:
    """A file for a new game, written once already."""
    _make_room(path.parent)
    save = SaveFile(path, _head(path, seated, about), machine)
    save.write(Ending.OPEN)
    return save


def _head(path: Path, seated: Seated, about: Seats) -> Head:
    found, game = seated.found, seated.game
    if any(known.path == found.path for known in driver.known_games()):
        name = found.path.stem
    else:
        name = os.path.relpath(found.path.resolve(), path.parent.resolve()).replace(os.sep, "/")
    return Head(name, fingerprint(game), game.num_players, game.options, about)


def _bots(seated: Seated, people: Sequence[int], bot: str) -> dict[int, BotMaker]:
    return {p: players.maker(bot) for p in range(seated.game.num_players) if p not in people}


# ------------------------------------------------------------------------------------------ the games in play


def folder() -> Path:
    """Where games are kept that nobody named a file for: a folder of the user's state."""
    named = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(named):
        return Path(named) / "hoyle"
    home = os.path.expanduser("~")
    # Who has no home is told that nothing can be kept there.
    return Path(home if os.path.isabs(home) else os.devnull) / ".local" / "state" / "hoyle"


def kept() -> list[Path]:
    """The files of the games in play, the last one that was played first."""
    found = []
    for path in folder().glob(f"*{SUFFIX}"):
        with suppress(OSError):
            found.append((path.stat().st_mtime_ns, path.name, path))
    return [path for _, _, path in sorted(found, reverse=True)]


def unfinished() -> list[tuple[Path, Play]]:
    """The games in play that are not over, the last one that was played first, as their files stand.

    Raises:
        Failure: One that comes before any that can be read is damaged.
    """
    found: list[tuple[Path, Play]] = []
    for path in kept():
        try:
            play = read(path, str(path))
        except Damaged as wrong:
            if not found:
                raise Failure(wrong.diagnostics) from None
            continue
        if not play.is_over:
            found.append((path, play))
    return found


def _new_path(name: str) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path, number = folder() / f"{name}-{stamp}{SUFFIX}", 1
    while os.path.lexists(path):
        number += 1
        path = folder() / f"{name}-{stamp}-{number}{SUFFIX}"
    return path


def _make_room(where: Path) -> None:
    """Makes the folder of the games in play, and takes away what nobody will look for: the oldest games."""
    if where != folder():
        return
    with suppress(OSError):
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in kept()[MOST_KEPT - 1 :]:
            path.unlink()

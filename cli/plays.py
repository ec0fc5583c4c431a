"""Files of plays, opened: the game is found, its rules compared with those of then, and each step taken again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cli import driver
from cli.driver import Failure, Found, Seated, UsageError
from dsl.diagnostics import did_you_mean
from dsl.files import ENDINGS
from dsl.source import Span
from interpreter.fingerprint import changed, fingerprint
from interpreter.machine import Machine
from interpreter.playfile import Head
from interpreter.playread import Damaged, Play, damaged, read
from interpreter.playsteps import read_steps
from interpreter.trace import Trace

RULES_CHANGED: Final = "P804"


@dataclass(frozen=True, slots=True)
class Opened:
    """A play, and the game it is of.

    `end` is where its last line stands; `remarks` are what its reader must know, where the rules have changed since.
    """

    path: Path
    seated: Seated
    machine: Machine
    head: Head
    trace: Trace
    end: Span
    remarks: tuple[str, ...]


def open_play(file: str, anyway: bool = False) -> Opened:
    """A file, and its play taken again by the rules as they are now.

    `anyway`: where the rules have changed since, the play goes as far as they still allow.

    Raises:
        Failure: The file cannot be used; it says where and why.
    """
    try:
        return _open(read(Path(file), file), Path(file), anyway)
    except Damaged as wrong:
        raise Failure(wrong.diagnostics) from None


def _open(play: Play, path: Path, anyway: bool) -> Opened:
    head = play.head
    seated = _seated(head, path)
    different = changed(head.rules, fingerprint(seated.game))
    if different and not anyway:
        raise damaged(f"the rules have changed since: {', '.join(different)}", head.places["rules"],
                      "`--anyway` goes as far as they still allow", RULES_CHANGED)  # fmt: skip
    machine = Machine(seated.game)
    trace, stopped = read_steps(machine, play, as_far=bool(different))
    remarks = [f"The rules have changed since: {', '.join(different)}."] if different else []
    if stopped is not None:
        wrong = stopped.diagnostics[0]
        remarks.append(f"Line {wrong.span.line} and what follows is left out: {wrong.message}.")
    return Opened(path, seated, machine, head, trace, play.last.span, tuple(remarks))


def _seated(head: Head, path: Path) -> Seated:
    """The game of a file, at its options and number of players. Raises `Damaged`."""
    from dsl import load

    places = head.places
    found = _found(head, path)
    try:
        loaded = driver.load(found)
        chosen: dict[str, str] = {}
        for name, reading in head.options:
            try:
                chosen |= driver.chosen_options(loaded, [f"{name}={reading}"])
            except UsageError as error:
                message, _, help = str(error).partition("; ")
                raise damaged(message, places[f"option {name}"], help) from None
        made = driver.model_of(loaded, chosen)
    except Failure as failure:
        wrong = next(d for d in failure.diagnostics if d.severity == "error")
        help = f"`hoyle check {found.shown}` tells more" if wrong.span.source.text else ""
        message = f"its game `{head.game}` cannot be used: {wrong.message}"
        raise damaged(message, places["game"], help or wrong.help) from None
    try:
        driver.check_players(made, head.num_players)
    except UsageError as error:
        raise damaged(str(error), places["players"]) from None
    return Seated(found, made, load.game(made, head.num_players), loaded)


def _found(head: Head, path: Path) -> Found:
    """The rule file that a play names: by the name of a game, or by the way to it from where the play lies."""
    name, place = head.game, head.places["game"]
    if name.lower().endswith(ENDINGS):
        way = Path(os.path.normpath(path.parent / name))
        return Found(way, str(way))
    known = {found.path.stem: found for found in driver.known_games()}
    if name not in known:
        help = "" if len(name) > 60 else did_you_mean(name, known)
        raise damaged("no game is named like this", place, help or "write a name that `hoyle games` lists, or the way "
                      "to a `.yaml` file")  # fmt: skip
    return known[name]

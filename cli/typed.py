"""What a typed line means at a decision: a move, several that it may be, a command, or nothing that may be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from cli import answers
from cli.cardtext import CardText
from cli.menu import Move
from cli.sitting import Turn
from interpreter.machine import Machine

COMMANDS: Final = ("?", "help", "why", "log", "table", "kinds", "hint", "moves", "undo", "quit")


@dataclass(frozen=True, slots=True)
class Command:
    """Something that is asked for, no move: its name, and what follows it."""

    name: str
    rest: str


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The moves, more than one or not quite named, that may be meant."""

    moves: list[Move]


@dataclass(frozen=True, slots=True)
class Refused:
    """No move can be made of it: why."""

    why: str


Typed: TypeAlias = Move | Command | Narrowed | Refused


def read(line: str, machine: Machine, turn: Turn, text: CardText) -> Typed:
    """What a line that is not empty means. A colon in front makes it a command, whatever the actions are called."""
    name, _, rest = line.partition(" ")
    name = name.casefold()
    is_action = any(plan.name == name for plan in machine.plans(turn.state))
    if line.startswith(":") or (name in COMMANDS and not is_action):
        return Command(name.removeprefix(":"), rest.strip())
    found = turn.menu.named(line)
    if isinstance(found, Move):
        return found
    if found:
        return Narrowed(found)
    written, why = answers.written(machine, turn.state, turn.player, text.plain(line))
    if written is not None:
        move = next((m for m in turn.menu.moves if m.choice == written), None)
        return move or Refused(f"No move is called `{line}`; `?` helps.")
    why = why or answers.unavailable(machine, turn.state, turn.menu, text.plain(line))
    return Refused(why or f"No move is called `{line}`; `?` helps.")

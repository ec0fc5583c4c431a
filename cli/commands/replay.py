"""`hoyle replay`: a trace that a proof rests on, told in the words of the game."""

from __future__ import annotations

import json as json_module
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import driver, exits
from cli.cardtext import CardText
from cli.terminal import EndOfInput, Terminal

if TYPE_CHECKING:
    from interpreter.machine import Machine
    from interpreter.narrate import Line
    from interpreter.trace import Trace
    from verify.telling import Told
    from verify.tracefile import Head


def replay(file: str, step: bool, json: bool) -> int:
    """Replays the whole trace before anything is told of it: what does not fit the rules is not told at all."""
    from verify.tracefile import Damaged

    try:
        machine, head, trace = _read(Path(file), file)
    except Damaged as damaged:
        print(f"error: {damaged}", file=sys.stderr, flush=True)
        return exits.ERRORS
    from verify.telling import tell

    told = list(tell(machine, trace))
    if json:
        print(json_module.dumps(_json(head, told), ensure_ascii=False, indent=2))
        return exits.FINE
    terminal = Terminal()
    text = CardText(machine, terminal.has_symbols)
    waits = step and terminal.is_terminal and sys.stdin.isatty()
    with suppress(EndOfInput):
        _tell(machine.game.title, head, told, terminal, text, waits)
    return exits.FINE


def _read(path: Path, shown: str) -> tuple[Machine, Head, Trace]:
    """The trace of a file, played through by the rules as they are now. Raises `Damaged`."""
    from interpreter.machine import Machine
    from verify import tracefile

    head = tracefile.read_head(path, shown)
    named = head.game
    if "/" in named or named.lower().endswith((".yaml", ".yml")):
        # The way to a rule file starts where the trace lies.
        named = str(path.parent / named)
    options = [f"{name}={reading}" for name, reading in head.options]
    try:
        seated = driver.seat(named, head.num_players, options)
    except driver.UsageError as error:
        raise tracefile.Damaged(f"{shown}: {error}") from None
    except driver.Failure as failure:
        wrong = next(d for d in failure.diagnostics if d.severity == "error")
        raise tracefile.Damaged(f"{shown}: its game `{head.game}` cannot be used: {wrong.message}") from None
    machine = Machine(seated.game)
    trace = tracefile.read_steps(machine, head, shown)
    claim = next((p for p in seated.model.properties if p.name == head.name), None)
    if claim is not None:
        from verify.shorten import shows

        if shows(claim, seated.model, trace) is False:
            raise tracefile.Damaged(f"{shown}: by the rules as they are now, this no longer shows `{head.name}`")
    return machine, head, trace


def _tell(title: str, head: Head, told: list[Told], terminal: Terminal, text: CardText, waits: bool) -> None:
    plural = "" if head.num_players == 1 else "s"
    terminal.say(f"{title}, {head.num_players} player{plural}: {head.name}", "bold")
    for name, reading in head.options:
        terminal.say(f"  {name}: {reading}", "dim")
    terminal.say(head.shows, indent="  ")
    terminal.say()
    last = told[-1].number if told else 0
    for step in told:
        lines = step.lines
        if step.number:
            seat = "" if step.player is None else f"seat {step.player + 1}"
            if seat and lines and lines[0].text.startswith(seat):
                # The log tells of the choice by itself, and with its clauses.
                heading, lines = _line(lines[0]), lines[1:]
            else:
                heading = f"{'seat ' if seat else ''}{step.written}"
            terminal.say(f"{step.number:>3}. {text.decorate(heading)}", "bold", indent="       ")
        for line in lines:
            terminal.say(f"     {text.decorate(_line(line))}", indent="         ")
        if waits and step.number < last:
            terminal.ask(f"{step.number} of {last}, Enter goes on: ")
    terminal.say()
    shown = f"It shows, after {last} step{'' if last == 1 else 's'}: {head.name} is {head.shows}"
    terminal.say(shown, "bold", indent="  ")


def _line(line: Line) -> str:
    return f"{line.text}  [{', '.join(line.cites)}]" if line.cites else line.text


def _json(head: Head, told: list[Told]) -> dict[str, Any]:
    return {
        "game": head.game,
        "players": head.num_players,
        "options": dict(head.options),
        "property": head.name,
        "shows": head.shows,
        "steps": [step.to_json() for step in told],
    }

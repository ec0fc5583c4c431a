"""`hoyle replay`: a play that was saved, or that a proof rests on, told in the words of the game."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from cli import driver, exits
from cli.cardtext import CardText
from cli.plays import Opened, open_play
from cli.terminal import EndOfInput, Terminal
from interpreter.narrate import Line
from interpreter.play import replay as replay_trace
from interpreter.playfile import Claim, Head
from interpreter.playread import AGAINST_THE_RULES, damaged
from interpreter.telling import Told, tell
from interpreter.values import plain


def replay(file: str, step: bool, json: bool, anyway: bool) -> int:
    """Replays the whole play before anything is told of it: what does not fit the rules is not told at all."""
    opened = open_play(file, anyway)
    remarks = [*opened.remarks, *_no_longer_shown(opened, anyway)]
    told = list(tell(opened.machine, opened.trace))
    for remark in remarks:
        print(remark, file=sys.stderr, flush=True)
    if json:
        print(json_module.dumps(_json(opened.head, told), ensure_ascii=False, indent=2))
        return exits.FINE
    terminal = Terminal()
    text = CardText(opened.machine, terminal.has_symbols)
    waits = step and terminal.is_terminal and sys.stdin.isatty()
    with suppress(EndOfInput):
        _tell(opened, told, terminal, text, waits)
    return exits.FINE


def _no_longer_shown(opened: Opened, anyway: bool) -> Iterator[str]:
    """Says so where a play was shown for a claim and does not show it by the rules as they are now."""
    claim = opened.head.about
    if not isinstance(claim, Claim):
        return
    made = opened.seated.model
    claimed = next((p for p in made.properties if p.name == claim.name), None)
    if claimed is None:
        return
    from verify.shorten import shows

    if shows(claimed, made, opened.trace, claim.reaches) is False:
        value = f" to reach {claim.reaches}" if claim.reaches else ""
        message = f"by the rules as they are now, this no longer shows `{claim.name}`{value}"
        if not anyway:
            wrong = damaged(message, opened.head.places["property"], code=AGAINST_THE_RULES)
            raise driver.Failure(wrong.diagnostics)
        yield f"{message[0].upper()}{message[1:]}."


def _tell(opened: Opened, told: list[Told], terminal: Terminal, text: CardText, waits: bool) -> None:
    head, machine = opened.head, opened.machine
    plural = "" if head.num_players == 1 else "s"
    about = head.about.name if isinstance(head.about, Claim) else f"seed {head.about.seed}"
    terminal.say(f"{machine.game.title}, {head.num_players} player{plural}: {about}", "bold")
    for name, reading in head.options:
        terminal.say(f"  {name}: {reading}", "dim")
    for key, value in _seats(head):
        terminal.say(f"  {key}: {value}", "dim")
    if isinstance(head.about, Claim):
        terminal.say(head.about.shows, indent="  ")
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
    after = f"after {last} step{'' if last == 1 else 's'}"
    if isinstance(head.about, Claim):
        terminal.say(f"It shows, {after}: {head.about.name} is {head.about.shows}", "bold", indent="  ")
        return
    state = replay_trace(machine, opened.trace)
    if machine.is_terminal(state):
        terminal.say(f"The game is over {after}: {plain(machine.reason(state) or '')}.", "bold")
    else:
        terminal.say(f"So far it has come {after}; `hoyle resume {opened.path}` goes on.", "bold")


def _seats(head: Head) -> list[tuple[str, str]]:
    if isinstance(head.about, Claim):
        return []
    people = ", ".join(str(p + 1) for p in head.about.people) or "none"
    return [("people", people), ("bot", head.about.bot)]


def _line(line: Line) -> str:
    return f"{line.text}  [{', '.join(line.cites)}]" if line.cites else line.text


def _json(head: Head, told: list[Told]) -> dict[str, Any]:
    about: dict[str, Any]
    if isinstance(head.about, Claim):
        about = {"property": head.about.name, "shows": head.about.shows}
        about |= {"reaches": head.about.reaches} if head.about.reaches else {}
    else:
        about = {"seed": head.about.seed, "people": [p + 1 for p in head.about.people], "bot": head.about.bot}
    return {
        "game": head.game, "players": head.num_players, "options": dict(head.options), **about,
        "steps": [step.to_json() for step in told],
    }  # fmt: skip

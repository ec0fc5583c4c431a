"""`hoyle play`: a game at the terminal."""

from __future__ import annotations

import secrets

from cli import driver, exits
from cli.cardtext import CardText
from cli.session import Quit, Session
from cli.sitting import Sitting
from cli.terminal import EndOfInput, Terminal
from interpreter.bots import BOTS
from interpreter.machine import Machine
from interpreter.play import Playthrough
from interpreter.values import Fault


def play(
    game: str, players: int | None, seats: list[str], bot: str, seed: str | None, options: list[str],
    plain: bool | None,
) -> int:  # fmt: skip
    """Plays one game with people in some seats and bots in the others.

    `plain`: line by line, or else on the whole screen; None chooses the screen where there is a terminal.
    """
    if bot not in BOTS:
        raise driver.UsageError(f"no bot is named `{bot}`; there are {', '.join(BOTS)}")
    seated = driver.seat(game, players, options)
    people = people_of(seats, seated.game.num_players)
    # A game that was worth it can be played again, so a seed is always told.
    seed = seed if seed is not None else str(secrets.randbelow(1_000_000))
    machine = Machine(seated.game)
    bots = dict.fromkeys((p for p in range(seated.game.num_players) if p not in people), BOTS[bot])
    terminal = Terminal()
    chosen = "".join(f", {option}" for option in options)
    count = seated.game.num_players
    title = f"{seated.model.title}, {count} player{'' if count == 1 else 's'}{chosen}, seed {seed}"
    sitting = Sitting(seated.model, Playthrough(machine, seed, bots), people, CardText(machine, terminal.has_symbols))
    session = Session(sitting, terminal)
    try:
        if plain or (plain is None and not terminal.is_full):
            terminal.say(title, "bold")
            session.run()
        else:
            _on_screen(sitting, session, terminal, title)
    except (Quit, EndOfInput):
        terminal.say("Goodbye.")
    except Fault as fault:
        raise driver.fault_failure(fault, seated.found) from fault
    return exits.FINE


def _on_screen(sitting: Sitting, session: Session, terminal: Terminal, title: str) -> None:
    """Plays on the whole screen; what came of it is left on the terminal afterwards."""
    if not (terminal.is_full or terminal.is_served):
        raise driver.UsageError("--screen needs a terminal; without it the game is told line by line")
    from cli.screen.app import TableApp

    app = TableApp(sitting)
    app.run()
    if app.failure is not None:
        raise app.failure
    if app.fault is not None:
        raise app.fault
    if not terminal.is_served:
        terminal.say(title, "bold")
        if not sitting.is_over:
            raise Quit
        session.end()


def people_of(seats: list[str], num_players: int) -> list[int]:
    """The seats, from 0, that people take: numbers from 1, also with commas between them, or `none`."""
    words = [word.strip().lower() for text in seats for word in text.split(",")]
    if words == ["none"]:
        return []
    found = set()
    for word in words:
        if not word.isdecimal():
            raise driver.UsageError(f"--as takes seats from 1, or none, not `{word}`")
        if not 1 <= int(word) <= num_players:
            raise driver.UsageError(f"there is no seat {int(word)}: {num_players} play")
        found.add(int(word) - 1)
    return sorted(found)

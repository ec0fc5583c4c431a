"""`hoyle play`: a game at the terminal, on the whole screen or line by line."""

from __future__ import annotations

import secrets

from cli import driver, exits, saves
from cli.cardtext import CardText
from cli.saves import Game
from cli.session import Quit, Session
from cli.sitting import Sitting
from cli.terminal import EndOfInput, Terminal
from interpreter.values import Fault


def play(
    game: str, players: int | None, seats: list[str], bot: str, seed: str | None, options: list[str],
    save: str | None, plain: bool | None, tutor: bool,
) -> int:  # fmt: skip
    """Plays one game with people in some seats and bots in the others, and keeps it in the file `save`.

    `plain`: line by line, or else on the whole screen; None chooses the screen where there is a terminal.
    `tutor`: with advice before each move of a person.
    """
    seated = driver.seat(game, players, options)
    people = people_of(seats, seated.game.num_players)
    # A game that was worth it can be played again, so a seed is always told.
    seed = seed if seed is not None else str(secrets.randbelow(1_000_000))
    terminal = Terminal()
    check_screen(terminal, plain)
    begun = saves.begin(seated, people, bot, seed, save)
    chosen = "".join(f", {option}" for option in options)
    count = seated.game.num_players
    title = f"{seated.model.title}, {count} player{'' if count == 1 else 's'}{chosen}, seed {seed}"
    return sit_down(begun, title, terminal, plain, tutor)


def check_screen(terminal: Terminal, plain: bool | None) -> None:
    """Raises `UsageError` where the whole screen is asked for and there is none."""
    if plain is False and not (terminal.is_full or terminal.is_served):
        raise driver.UsageError("--screen needs a terminal; without it the game is told line by line")


def sit_down(game: Game, title: str, terminal: Terminal, plain: bool | None, tutor: bool) -> int:
    """Plays a game on from where it stands."""
    text = CardText(game.play.machine, terminal.has_symbols)
    sitting = Sitting(game.seated.model, game.play, game.people, text, tutor)
    session = Session(sitting, terminal)
    try:
        if plain or (plain is None and not terminal.is_full):
            terminal.say(title, "bold")
            _tell_remarks(game, terminal)
            session.run()
        else:
            _on_screen(game, sitting, session, terminal, title)
    except (Quit, EndOfInput):
        _tell_how_to_go_on(game, terminal)
        terminal.say("Goodbye.")
    except Fault as fault:
        raise driver.fault_failure(fault, game.seated.found) from fault
    return exits.FINE


def _on_screen(game: Game, sitting: Sitting, session: Session, terminal: Terminal, title: str) -> None:
    """Plays on the whole screen; what came of it is left on the terminal afterwards."""
    from cli.screen.app import TableApp

    app = TableApp(sitting, clauses=game.seated.clauses)
    app.run()
    if app.failure is not None:
        raise app.failure
    if app.fault is not None:
        raise app.fault
    if not terminal.is_served:
        terminal.say(title, "bold")
        _tell_remarks(game, terminal)
        if not sitting.is_over:
            raise Quit
        session.end()


def _tell_remarks(game: Game, terminal: Terminal) -> None:
    for remark in game.remarks:
        terminal.say(remark, "yellow")
    _tell_trouble(game, terminal)


def _tell_trouble(game: Game, terminal: Terminal) -> None:
    if game.save is not None and game.save.trouble:
        terminal.say(f"This game cannot be saved ({game.save.path}: {game.save.trouble}).", "yellow")


def _tell_how_to_go_on(game: Game, terminal: Terminal) -> None:
    save = game.save
    if save is None:
        return
    if save.trouble:
        _tell_trouble(game, terminal)
    elif save.path.parent == saves.folder():
        terminal.say("`hoyle resume` goes on with this game.")
    else:
        terminal.say(f"`hoyle resume {save.path}` goes on with this game.")


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

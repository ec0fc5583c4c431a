"""`hoyle resume`: a game that was played before, from where it was left."""

from __future__ import annotations

from cli import driver, exits, saves
from cli.commands.play import check_screen, sit_down
from cli.terminal import Terminal
from interpreter.playfile import Seats


def resume(file: str | None, anyway: bool, plain: bool | None, tutor: bool, is_list: bool) -> int:
    """Goes on with the game in `file`, or with the last one that is not over; see `plays.open_play` for `anyway`."""
    if is_list:
        return _list()
    terminal = Terminal()
    check_screen(terminal, plain)
    if file is None:
        waiting = saves.unfinished()
        if not waiting:
            raise driver.UsageError("no game waits to be played on; `hoyle play GAME` begins one")
        file = str(waiting[0][0])
    game = saves.resume(file, anyway)
    steps = len(game.play.steps)
    title = f"{game.seated.model.title}, after {steps} step{'' if steps == 1 else 's'}"
    return sit_down(game, title, terminal, plain, tutor)


def _list() -> int:
    for path, waiting in saves.unfinished():
        about = waiting.head.about
        people = ", ".join(str(p + 1) for p in about.people) if isinstance(about, Seats) else ""
        print(f"{waiting.head.game:<20}  seat {people:<6}  {waiting.last.text:<20}  {path}")
    return exits.FINE

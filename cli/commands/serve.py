"""`hoyle serve`: the full-screen table in a browser."""

from __future__ import annotations

import shlex
import sys

from cli import driver, exits
from cli.commands.play import people_of
from cli.players import maker


def serve(
    game: str, players: int | None, seats: list[str], bot: str, seed: str | None, options: list[str], tutor: bool,
    host: str, port: int,
) -> int:  # fmt: skip
    """Serves a game until it is stopped. Whoever opens the page plays a game of their own."""
    maker(bot)
    seated = driver.seat(game, players, options)
    people_of(seats, seated.game.num_players)
    if not 1 <= port <= 65535:
        raise driver.UsageError(f"a port is a number from 1 to 65535, not {port}")
    given = ["play", game, "--screen", "--bot", bot]
    given += ["--players", str(players)] if players is not None else []
    given += ["--seed", seed] if seed is not None else []
    given += ["--tutor"] if tutor else []
    given += [word for seat in seats for word in ("--as", seat)] + [word for o in options for word in ("--option", o)]
    command = shlex.join([sys.executable, "-c", "from cli.main import main; main()", *given])
    from cli.screen.server import TableServer

    try:
        TableServer(command, host, port, seated.model.title).serve()
    except OSError as error:
        reason = (error.strerror or str(error)).partition(":")[0]
        raise driver.UsageError(f"nothing can be served at {host}, port {port}: {reason}") from None
    return exits.FINE

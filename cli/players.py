"""Who plays: the bots that a command or a saved game names, made ready for their seats.

A bot is named `search`, `search:2000` with a budget of so many simulated steps for a move, or `search:1.5s` with one of
so many seconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from cli.driver import UsageError
from dsl.diagnostics import did_you_mean
from interpreter.bots import BOTS, BotMaker, search_bot

_BUDGET = re.compile(r"(?P<steps>[0-9]{1,9})|(?P<seconds>[0-9]{1,4}(?:\.[0-9]{1,3})?)s")


def maker(name: str) -> BotMaker:
    """A bot by its name. Raises `UsageError` where there is no such bot."""
    problem = wrong(name)
    if problem is not None:
        raise UsageError("; ".join(problem))
    bot, colon, budget = name.partition(":")
    found = _BUDGET.fullmatch(budget)
    if not colon or found is None:
        return BOTS[bot]
    return partial(search_bot, **({"steps": int(budget)} if found["steps"] else {"seconds": float(found["seconds"])}))


def wrong(name: str) -> tuple[str, str] | None:
    """What is wrong with the name of a bot, and what helps; None where there is such a bot."""
    bot, colon, budget = name.partition(":")
    if bot not in BOTS:
        return f"no bot is named `{bot}`", did_you_mean(bot, BOTS) or f"there are {', '.join(BOTS)}"
    if not colon:
        return None
    if BOTS[bot] is not search_bot:
        return f"`{bot}` does not think, so it has no budget", f"write `{bot}`"
    found = _BUDGET.fullmatch(budget)
    if found is None or not float(found["steps"] or found["seconds"]):
        return f"`{budget}` is no budget", f"steps are written `{bot}:2000`, seconds `{bot}:1.5s`"
    return None


def seating(texts: Sequence[str], num_players: int) -> dict[int, BotMaker]:
    """The bots of `--bot SEAT=NAME`, by seats from 0. Raises `UsageError` for what is no seat or no bot."""
    found: dict[int, BotMaker] = {}
    for text in texts:
        seat, equals, name = (part.strip() for part in text.partition("="))
        if not (equals and name and seat.isdecimal()):
            raise UsageError(f"a bot is seated as SEAT=NAME, such as 1={next(iter(BOTS))}, not `{text}`")
        if not 1 <= int(seat) <= num_players:
            raise UsageError(f"there is no seat {int(seat)}: {num_players} play")
        if int(seat) - 1 in found:
            raise UsageError(f"seat {int(seat)} has two bots")
        found[int(seat) - 1] = maker(name)
    return found

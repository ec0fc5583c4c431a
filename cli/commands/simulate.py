"""`hoyle simulate`: many games at random or by bots, and what came of them."""

from __future__ import annotations

import json as json_module
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cli import driver, exits

if TYPE_CHECKING:
    from interpreter.simulate import Summary


def simulate(
    game: str,
    games: int,
    players: int | None,
    seed: str,
    options: list[str],
    think: str | None,
    max_decisions: int,
    bots: Sequence[str],
    json: bool,
) -> int:
    """Plays so many games from a seed."""
    think_ms = None if think is None else _think(think)
    seated = driver.seat(game, players, options)
    from cli.players import seating
    from interpreter.machine import Machine
    from interpreter.simulate import simulate as play_all
    from interpreter.values import Fault

    makers = seating(bots, seated.game.num_players)
    if think_ms is not None and seated.game.clock is None:
        print(f"note: {seated.game.name} has no clock, so --think changes nothing", file=sys.stderr)
    try:
        with _progress(games) as progress:
            summary = play_all(Machine(seated.game), games, seed, max_decisions, think_ms, progress, makers)
    except Fault as fault:
        raise driver.fault_failure(fault, seated.found) from fault
    result = summary.to_json()
    if json:
        print(json_module.dumps(result, ensure_ascii=False, indent=2))
    else:
        _tell(result)
    return exits.FINE


def _think(text: str) -> tuple[int, int]:
    """`MIN..MAX` in seconds, told in milliseconds."""
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)(?:\.\.(\d{1,6}(?:\.\d{1,3})?))?", text.replace(" ", ""))
    if found is None:
        raise driver.UsageError(f"--think is written MIN..MAX in seconds, such as 1..8, not `{text}`")
    low, high = round(float(found[1]) * 1000), round(float(found[2] or found[1]) * 1000)
    if low > high:
        raise driver.UsageError(f"--think goes from the shorter time to the longer, not `{text}`")
    return low, high


@contextmanager
def _progress(games: int) -> Iterator[Callable[[Summary], None] | None]:
    """A bar that is seen while games are played: on a terminal only, and apart from what is printed at the end."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("games"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=games)
        yield lambda summary: bar.update(task, completed=summary.games)


def _tell(result: dict[str, Any]) -> None:
    games, seconds = result["games"], result["seconds"]
    plural = "" if games == 1 else "s"
    players = f"{result['players']} player{'' if result['players'] == 1 else 's'}"
    print(f"{result['game']}, {players}: {games} game{plural}, {result['decisions']} decisions in {seconds:.1f} s")
    if result["unfinished"]:
        print(f"{result['finished']} finished, {result['unfinished']} left unfinished")
        print("Play may go on for ever: `hoyle prove` looks for a play that does, and --max-decisions stops sooner.")
    print()
    _columns([("end", "games", "")] + [(r, str(n), f"{n / games:.1%}") for r, n in result["ends"].items()])
    print()
    rows = [("seat", "won", "", "95 %", "lowest", "mean", "95 %", "highest")]
    for seat, score in result["scores"].items():
        won, share = result["winners"][seat], result["shares"][seat]
        sure = "" if share["share"] is None else "..".join(f"{end:.0%}" for end in share["interval"])
        shown = [_number(score["min"]), _number(score["mean"]), _interval(score["interval"]), _number(score["max"])]
        rows.append((seat, str(won), "" if share["share"] is None else f"{share['share']:.1%}", sure, *shown))
    _columns(rows)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.2f}"


def _interval(ends: Sequence[float] | None) -> str:
    return "-" if ends is None else "..".join(f"{end:.2f}" for end in ends)


def _columns(rows: Sequence[tuple[str, ...]]) -> None:
    """Prints a table: words to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        first = f"{row[0]:<{widths[0]}}"
        print("  ".join([first, *(f"{cell:>{w}}" for cell, w in zip(row[1:], widths[1:], strict=True))]).rstrip())

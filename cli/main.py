"""The `hoyle` command. Each subcommand imports what it needs when it is called, so that help costs next to nothing."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from cli.driver import run

app = typer.Typer(
    name="hoyle",
    help="Card-game rules as a language: check them, try them, play them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # help without rich: importing it takes longer than all the rest
    pretty_exceptions_enable=False,
)

_GAME = "A name from `hoyle games`, or the path of a rule file."

Game = Annotated[str, typer.Argument(metavar="GAME", help=_GAME)]
Players = Annotated[int | None, typer.Option("--players", metavar="N", help="How many play (default: the fewest).")]
Options = Annotated[list[str] | None, typer.Option("--option", metavar="K=V", help="Another reading of a rule.")]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Where the rules have changed since, go as far as they still allow.")
]
Seats = Annotated[
    list[str] | None,
    typer.Option("--as", metavar="SEAT...|none", help="The seats that people take (default: 1)."),
]
Bot = Annotated[
    str,
    typer.Option("--bot", metavar="NAME", help="Who plays the rest: search, search:2000 or search:2s, random."),
]
Seed = Annotated[str | None, typer.Option("--seed", metavar="S", help="The same seed gives the same deal.")]
Plain = Annotated[
    bool | None, typer.Option("--plain/--screen", help="Line by line, or on the whole screen (default: as it fits).")
]
Tutor = Annotated[bool, typer.Option("--tutor", help="Before your move, what the bot thinks of each, and its rule.")]
Json = Annotated[bool, typer.Option("--json", help="For other programs.")]


class SeatsCommand(TyperCommand):
    """Lets `--as` take several seats after it: `--as 1 3`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spread: list[str] = []
        after_seat = False
        for arg in args:
            is_seat = arg.isdigit() and after_seat
            if is_seat and spread[-1] != "--as":
                spread.append("--as")
            spread.append(arg)
            after_seat = is_seat or arg == "--as"
        return super().parse_args(ctx, spread)


@app.command()
def games(json: Json = False) -> None:
    """List the games and variants that come with Hoyle."""
    from cli.commands.games import games as command

    run(lambda: command(json))


@app.command()
def check(
    games: Annotated[list[str], typer.Argument(metavar="GAME...", help=_GAME)],
    json: Json = False,
) -> None:
    """Tell everything that is wrong with rule files."""
    from cli.commands.check import check as command

    run(lambda: command(games, json))


@app.command()
def clauses(
    game: Game,
    every: Annotated[bool, typer.Option("--all", help="List the clauses that are cited, too.")] = False,
    json: Json = False,
) -> None:
    """Tell which clauses of the rulebook a rule file carries out, excuses or lacks."""
    from cli.commands.clauses import clauses as command

    run(lambda: command(game, every, json))


@app.command()
def explain(
    code: Annotated[str | None, typer.Argument(metavar="[CODE]", help="A code such as `N301`.")] = None,
) -> None:
    """Explain an error code at length; without a code, list them all."""
    from cli.commands.explain import explain as command

    run(lambda: command(code))


@app.command()
def test(
    game: Game,
    examples: Annotated[
        str | None, typer.Option("--examples", metavar="FILE", help="Run the examples of this file instead.")
    ] = None,
    json: Json = False,
) -> None:
    """Run the examples in a rule file."""
    from cli.commands.test import test as command

    run(lambda: command(game, examples, json))


@app.command(cls=SeatsCommand)
def play(
    game: Game,
    players: Players = None,
    seats: Seats = None,
    bot: Bot = "search",
    seed: Seed = None,
    option: Options = None,
    save: Annotated[
        str | None, typer.Option("--save", metavar="FILE", help="Keep the game in this file (default: see below).")
    ] = None,
    plain: Plain = None,
    tutor: Tutor = False,
) -> None:
    """Play a game at the terminal, against bots or with each other.

    Each move is saved at once: `hoyle resume` goes on with the last game, `hoyle replay` tells it. Games lie in
    $XDG_STATE_HOME/hoyle, or ~/.local/state/hoyle; the newest fifty are kept.
    """
    from cli.commands.play import play as command

    run(lambda: command(game, players, seats or ["1"], bot, seed, option or [], save, plain, tutor))


@app.command()
def resume(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A saved game (default: the last that is not over).")
    ] = None,
    anyway: Anyway = False,
    plain: Plain = None,
    tutor: Tutor = False,
    list_them: Annotated[bool, typer.Option("--list", help="List the games that are not over.")] = False,
) -> None:
    """Go on with a game where it was left, whatever ended it."""
    from cli.commands.resume import resume as command

    run(lambda: command(file, anyway, plain, tutor, list_them))


@app.command(cls=SeatsCommand)
def serve(
    game: Game,
    players: Players = None,
    seats: Seats = None,
    bot: Bot = "search",
    seed: Seed = None,
    option: Options = None,
    tutor: Tutor = False,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Who may reach it: here only, by default.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", metavar="N", help="The port to listen at.")] = 8000,
) -> None:
    """Play a game in a browser."""
    from cli.commands.serve import serve as command

    run(lambda: command(game, players, seats or ["1"], bot, seed, option or [], tutor, host, port))


@app.command()
def simulate(
    game: Game,
    games: Annotated[int, typer.Option("--games", metavar="N", min=1, help="How many games.")] = 100,
    players: Players = None,
    seed: Annotated[str, typer.Option("--seed", metavar="S", help="The same seed gives the same games.")] = "0",
    option: Options = None,
    think: Annotated[
        str | None,
        typer.Option("--think", metavar="MIN..MAX", help="Seconds a decision takes, where there is a clock."),
    ] = None,
    max_decisions: Annotated[
        int,
        typer.Option("--max-decisions", metavar="M", min=1, help="A game over this many is left unfinished."),
    ] = 1_000_000,
    bot: Annotated[
        list[str] | None,
        typer.Option("--bot", metavar="SEAT=NAME", help="Seat a bot, such as 1=search (may be repeated)."),
    ] = None,
    json: Json = False,
) -> None:
    """Play many games, at random where no bot is seated, and tell what came of them."""
    from cli.commands.simulate import simulate as command

    run(lambda: command(game, games, players, seed, option or [], think, max_decisions, bot or [], json))


@app.command()
def prove(
    games: Annotated[list[str], typer.Argument(metavar="GAME...", help=_GAME)],
    property: Annotated[
        list[str] | None, typer.Option("--property", metavar="NAME", help="Only this property (may be repeated).")
    ] = None,
    players: Annotated[str, typer.Option("--players", metavar="N|all", help="How many play.")] = "all",
    option: Options = None,
    free: Annotated[bool, typer.Option("--free/--no-free", help="The checks that need no claim, too.")] = True,
    budget: Annotated[float, typer.Option("--budget", metavar="SECONDS", help="The time for all of it.")] = 120.0,
    json: Json = False,
    cache: Annotated[bool, typer.Option("--cache/--no-cache", help="Whether answers are kept between runs.")] = True,
    traces: Annotated[
        str | None, typer.Option("--traces", metavar="DIR", help="Write a file for each trace (see `hoyle replay`).")
    ] = None,
    certificates: Annotated[
        str | None,
        typer.Option("--certificates", metavar="DIR", help="Write what proofs rest on (see `hoyle certify`)."),
    ] = None,
    save_example: Annotated[
        bool, typer.Option("--save-example", help="Append counterexamples to the examples of the game.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="NAME", help="Say at length how a property was answered.")
    ] = None,
) -> None:
    """Prove what the rules claim, or show how it fails."""
    from cli.commands.prove import prove as command

    wanted, options = property or [], option or []
    run(
        lambda: command(
            games, wanted, players, options, free, budget, json, cache, traces, certificates, save_example, explain
        )
    )


@app.command()
def certify(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="What `hoyle prove GAME --certificates DIR` wrote.")],
    budget: Annotated[float, typer.Option("--budget", metavar="SECONDS", help="The time for all of it.")] = 120.0,
    json: Json = False,
) -> None:
    """Check again what proofs rest on.

    Of questions each solver that is installed is asked, each time in a new process; of positions each step is taken.

    Exit status 0: nothing can be otherwise; 1: something can, or a file is damaged or of other rules; 3: not known.
    """
    from cli.commands.certify import certify as command

    run(lambda: command(folder, budget, json))


@app.command()
def mutate(
    game: Game,
    players: Annotated[
        int | None, typer.Option("--players", metavar="N", help="How many play (default: the fewest, then the most).")
    ] = None,
    operator: Annotated[
        list[str] | None, typer.Option("--operator", metavar="NAME", help="Only faults of this kind (may be repeated).")
    ] = None,
    budget: Annotated[float, typer.Option("--budget", metavar="SECONDS", help="The time for all of it.")] = 600.0,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", min=1, help="How many at a time (default: one a processor).")
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", min=1, help="Only so many, picked at random.")
    ] = None,
    seed: Annotated[str, typer.Option("--seed", metavar="S", help="The same seed picks the same.")] = "0",
    prove: Annotated[
        bool, typer.Option("--prove/--no-prove", help="Ask free checks and claims about what is left.")
    ] = True,
    json: Json = False,
) -> None:
    """Make small faults in a rule file on purpose, and tell which nothing notices."""
    from cli.commands.mutate import mutate as command

    run(lambda: command(game, players, operator or [], budget, jobs, sample, seed, prove, json))


@app.command()
def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A saved game, or a trace of `hoyle prove --traces`.")],
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each step, on a terminal.")] = False,
    anyway: Anyway = False,
    json: Json = False,
) -> None:
    """Tell a play that was saved, step by step, with every card open and the clause behind each."""
    from cli.commands.replay import replay as command

    run(lambda: command(file, step, json, anyway))


def main() -> None:
    """The entry point of the `hoyle` script."""
    app()

"""What every command does: find the game, run the passes once, and turn whatever goes wrong into words.

Nothing heavy is imported before a command asks for it: `hoyle --help` must not wait for the parser.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from cli import exits

if TYPE_CHECKING:
    from dsl import ir, model
    from dsl.diagnostics import Diagnostic
    from dsl.load import Loaded
    from interpreter.values import Fault

SPEC: Final = Path(__file__).resolve().parent.parent / "spec"
GAMES: Final = SPEC / "games"
VARIANTS: Final = SPEC / "variants"
RULES_FAULT: Final = "P801"
LEAST_BUDGET: Final = 0.1


class UsageError(Exception):
    """The command was called wrongly; its message is one line."""


def check_budget(seconds: float) -> None:
    """Raises `UsageError` where `--budget` is too little, or no number of seconds."""
    if not seconds >= LEAST_BUDGET or seconds == float("inf"):
        raise UsageError(f"--budget takes seconds, {LEAST_BUDGET} at the least, not `{seconds:g}`")


class Failure(Exception):
    """A file is wrong, or play showed that its rules are."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        super().__init__()
        self.diagnostics = tuple(diagnostics)


@dataclass(frozen=True, slots=True)
class Found:
    """A rule file, and what it is called in messages."""

    path: Path
    shown: str


@dataclass(frozen=True, slots=True)
class Seated:
    """A game at one choice of options and number of players."""

    found: Found
    model: model.Model
    game: ir.Game
    loaded: Loaded

    def clauses(self) -> dict[str, str]:
        """The clauses of its rulebook in words, by number; none where it names no catalogue of them."""
        from dsl.clauses import rulebook
        from dsl.diagnostics import Reporter

        book = rulebook(self.loaded.document, Reporter())
        return {} if book is None else {number: clause.text for number, clause in book.catalogue.clauses.items()}


def run(command: Callable[[], int]) -> NoReturn:
    """Carries a command out and leaves with its exit status; nobody is ever shown a traceback."""
    import typer

    raise typer.Exit(_status(command))


def _status(command: Callable[[], int]) -> int:
    try:
        status = command()
        sys.stdout.flush()
        return status
    except UsageError as error:
        return _say(f"error: {error}", exits.USAGE)
    except Failure as failure:
        from dsl.render import render_all

        return _say(render_all(failure.diagnostics, wants_color(sys.stderr)), exits.ERRORS)
    except KeyboardInterrupt:
        return _say("\nstopped", exits.INTERRUPTED)
    except BrokenPipeError:
        # Who reads has seen enough. Python would complain once more while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.FINE
    except Exception as error:
        if os.environ.get("HOYLE_TRACEBACK"):
            raise
        words = f"{type(error).__name__}: {error}".splitlines()[0]
        return _say(f"error: hoyle itself failed ({words}); HOYLE_TRACEBACK=1 shows where", exits.ERRORS)


def _say(words: str, status: int) -> int:
    print(words, file=sys.stderr, flush=True)
    return status


def wants_color(stream: object) -> bool:
    """Whether colours may be written: to a terminal that knows them, and only where the user has nothing against it."""
    isatty = getattr(stream, "isatty", None)
    is_terminal = bool(isatty is not None and isatty())
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# ------------------------------------------------------------------------------------------- finding games


def known_games() -> list[Found]:
    """Every game and variant that comes with Hoyle, games first."""
    folders = [folder for folder in (GAMES, VARIANTS) if folder.is_dir()]
    return [Found(path, shown_path(path)) for folder in folders for path in sorted(folder.glob("*.yaml"))]


def find(game: str) -> Found:
    """The rule file that a GAME argument means: the path of a file, or a name from `spec/`.

    Raises:
        Failure: There is none; perhaps a name like it is told.
    """
    from dsl.files import ENDINGS

    looks_like_path = "/" in game or os.sep in game or game.lower().endswith(ENDINGS)
    if looks_like_path:
        return Found(Path(game), game)
    known = {found.path.stem: found for found in known_games()}
    found = known.get(game) or known.get(game.replace("-", "_").replace(" ", "_").lower())
    if found is not None:
        return found
    if Path(game).is_file():
        return Found(Path(game), game)
    from dsl.diagnostics import Diagnostic, did_you_mean
    from dsl.source import Source, Span

    help = did_you_mean(game, known) or f"`hoyle games` lists them: {', '.join(known)}"
    raise Failure([Diagnostic("R101", f"no game is named `{game}`", Span(Source(game, ""), 0, 0), help=help)])


def shown_path(path: Path) -> str:
    """A path as people read it: from where they are if it lies beneath."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


# ------------------------------------------------------------------------------------------- running passes


def load(found: Found) -> Loaded:
    """The rule file as it was read. Raises `Failure` where nothing can be made of it."""
    from dsl import load as loading
    from dsl.diagnostics import Reporter

    loaded = loading.load(found.path, found.shown, GAMES)
    if isinstance(loaded, Reporter):
        raise Failure(loaded.diagnostics)
    return loaded


def model_of(loaded: Loaded, chosen: dict[str, str]) -> model.Model:
    """The model at some options. Raises `Failure` where the file is wrong."""
    try:
        found = loaded.model(chosen)
    except RecursionError:
        from dsl import load as loading

        # The full check says where.
        path = loaded.document.path
        _, reporter = loading.check(path, shown_path(path), GAMES)
        raise Failure(reporter.diagnostics) from None
    if found is None:
        raise Failure(loaded.reporter.diagnostics)
    return found


def seat(game: str, players: int | None, options: Sequence[str]) -> Seated:
    """The game that a command is about, ready to be played.

    Raises:
        UsageError: It has no such option or reading, or is not played by so many.
        Failure: There is no such file, or it is wrong.
    """
    from dsl import load as loading

    found = find(game)
    loaded = load(found)
    chosen = chosen_options(loaded, options)
    made = model_of(loaded, chosen)
    check_players(made, players)
    return Seated(found, made, loading.game(made, players), loaded)


def check_players(made: model.Model, players: int | None) -> None:
    """Raises `UsageError` where a game is not played by so many; None is any number."""
    least, most = made.players
    if players is not None and not least <= players <= most:
        allowed = str(least) if least == most else f"{least} to {most}"
        raise UsageError(f"{made.name} is played by {allowed}, not by {players}")


def chosen_options(loaded: Loaded, options: Sequence[str]) -> dict[str, str]:
    """The readings asked for with `--option k=v`. Raises `UsageError` for what is no reading of the game."""
    from dsl.diagnostics import did_you_mean

    table = {option.name: option for option in loaded.option_table}
    chosen: dict[str, str] = {}
    for text in options:
        name, equals, reading = (part.strip() for part in text.partition("="))
        if not (name and equals and reading):
            raise UsageError(f"an option is written NAME=READING, not `{text}`")
        option = table.get(name)
        if option is None:
            known = f"its options are {', '.join(table)}" if table else "it has no options"
            raise UsageError(_with_help(f"no option is named `{name}`", did_you_mean(name, table) or known))
        if option.pinned not in (None, reading):
            raise UsageError(f"`{name}` is decided here: it is `{option.pinned}`")
        if reading not in option.names:
            known = f"its readings are {', '.join(option.names)}"
            help = did_you_mean(reading, option.names) or known
            raise UsageError(_with_help(f"`{reading}` is no reading of `{name}`", help))
        chosen[name] = reading
    return chosen


def _with_help(message: str, help: str) -> str:
    return f"{message}; {help}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a one-line error: "; did you mean `x`?", or nothing."""
    from dsl.diagnostics import did_you_mean

    help = did_you_mean(name, known)
    return f"; {help}" if help else ""


def fault_failure(fault: Fault, found: Found) -> Failure:
    """A fault of the rules that came up in play, with its place."""
    from dsl.diagnostics import Diagnostic
    from dsl.source import Source, Span

    span = fault.span or Span(Source(found.shown, ""), 0, 0)
    rule = f"in rule `{fault.origin.rule}`" if fault.origin and fault.origin.rule else ""
    help = "; ".join(getattr(fault, "__notes__", ()))
    return Failure([Diagnostic(RULES_FAULT, fault.message, span, note=rule, help=help)])

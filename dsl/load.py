"""The way in: from a path to models and games, running each pass once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dsl import analyse, document, ir, model
from dsl.diagnostics import Reporter
from dsl.lower import lower
from dsl.wellformed import check_graph


@dataclass(frozen=True, slots=True)
class Loaded:
    """A rule file that was read. `option_table` is known even where the rest is wrong."""

    document: document.Document
    option_table: tuple[model.Option, ...]
    reporter: Reporter

    def model(self, chosen: dict[str, str] | None = None) -> model.Model | None:
        """The model at some options, or None where errors were reported."""
        reporter = self.reporter
        table, citations = analyse.option_table(self.document, reporter)
        chosen_document = analyse.choose(self.document, table, chosen or {}, reporter)
        found = analyse.analyse(chosen_document, table, chosen or {}, citations, reporter)
        if found is not None:
            check_graph(lower(found, found.players[1]), reporter)
        return None if reporter.has_errors else found


def load(path: Path, shown: str, games: Path | None = None) -> Loaded | Reporter:
    """Read a rule file; the reporter alone where nothing could be made of it."""
    reporter = Reporter()
    found = document.load(path, shown, reporter, games)
    if found is None:
        return reporter
    table, _ = analyse.option_table(found, reporter)
    return Loaded(found, table, reporter)


def check(path: Path, shown: str, games: Path | None = None) -> tuple[model.Model | None, Reporter]:
    """All that is wrong with a file, at its default readings and with each other reading in turn.

    Returns the model at the default readings, or None.
    """
    loaded = load(path, shown, games)
    if isinstance(loaded, Reporter):
        return None, loaded
    found = loaded.model()
    for option in loaded.option_table:
        for name in option.names if option.pinned is None else ():
            if found is not None and name != option.default:
                loaded.model({option.name: name})
    return (None if loaded.reporter.has_errors else found), loaded.reporter


def game(found: model.Model, num_players: int | None = None) -> ir.Game:
    """The IR of a model, at its least number of players where none is given."""
    return lower(found, num_players if num_players is not None else found.players[0])

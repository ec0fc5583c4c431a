"""The way in: from a path to models and games, running each pass once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from dsl import analyse, clauses, document, ir, model, reader
from dsl.declare_options import read_options
from dsl.diagnostics import Reporter
from dsl.examples_read import read_examples
from dsl.lower import MAX_NODES, TooLarge, lower
from dsl.model import Model
from dsl.pairing import pair_name, paired
from dsl.source import Span
from dsl.statements import MAIN
from dsl.wellformed import check_graph, check_loops


@dataclass(frozen=True, slots=True)
class Loaded:
    """A rule file that was read. `option_table` and `rulebook` are known even where the rest is wrong."""

    document: document.Document
    option_table: tuple[model.Option, ...]
    rulebook: clauses.Rulebook | None
    reporter: Reporter
    _models: dict[tuple[tuple[str, str], ...], Model | None] = field(default_factory=dict, repr=False)

    def model(self, chosen: dict[str, str] | None = None) -> model.Model | None:
        """The model at some options, or None where errors were reported."""
        defaults = {o.name: o.default for o in self.option_table}
        key = tuple(sorted((k, v) for k, v in (chosen or {}).items() if defaults.get(k) != v))
        if key not in self._models:
            self._models[key] = self._model(dict(key))
        return None if self.reporter.has_errors else self._models[key]

    def _model(self, chosen: dict[str, str]) -> Model | None:
        reporter = self.reporter
        chosen_document = analyse.choose(self.document, self.option_table, chosen, reporter)
        found = analyse.analyse(chosen_document, self.option_table, chosen, reporter)
        if found is not None:
            try:
                whole = lower(found, found.players[1])
                check_graph(whole, reporter)
                for claim in found.properties:
                    if claim.rules:  # they may be rules that play does not come to
                        both = lower(paired(found, claim), found.players[1], pair_name(claim.name))
                        check_loops(both, reporter, {n.origin.rule for n in whole.nodes})
            except TooLarge:
                span = found.symbols.rules[MAIN].name.span
                reporter.report("T409", f"the rules come to more than {MAX_NODES} steps", span,
                                help="each rule is copied to where it is followed: follow it less often")  # fmt: skip
        return found


def load(path: Path, shown: str, games: Path | None = None, read: reader.Read = reader.read_file) -> Loaded | Reporter:
    """Read a rule file and what belongs to it with `read`; the reporter alone where nothing could be made of it."""
    reporter = Reporter()
    found = document.load(path, shown, reporter, games, read)
    if found is None:
        return reporter
    table = read_options(found.section("options"), reporter)
    return Loaded(found, table, clauses.rulebook(found, reporter, read), reporter)


def check(path: Path, shown: str, games: Path | None = None) -> tuple[model.Model | None, Reporter]:
    """All that is wrong with a file, at its default readings and with each other reading in turn.

    Returns the model at the default readings, or None.
    """
    loaded = load(path, shown, games)
    if isinstance(loaded, Reporter):
        return None, loaded
    return check_loaded(loaded), loaded.reporter


def check_loaded(loaded: Loaded) -> model.Model | None:
    """The same for a file that was read: what is wrong is in its reporter."""
    try:
        found = loaded.model()
        for option in loaded.option_table:
            for name in option.names if option.pinned is None else ():
                if found is not None and name != option.default:
                    loaded.model({option.name: name})
        if found is not None:
            for claim in found.properties:
                if len(claim.options) > 1:  # at one of them alone it was read already
                    loaded.model(dict(claim.options))
            for _ in read_examples(found, found.examples, loaded.model, loaded.reporter):
                pass  # only for what is wrong with them
    except RecursionError:
        found, top = None, loaded.document.span
        loaded.reporter.report("S204", "the definitions of this file are nested too deeply",
                               Span(top.source, top.start, top.start + 1))  # fmt: skip
    return None if loaded.reporter.has_errors else found


def game(found: model.Model, num_players: int | None = None) -> ir.Game:
    """The IR of a model, at its least number of players where none is given."""
    return lower(found, num_players if num_players is not None else found.players[0])

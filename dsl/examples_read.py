"""From the examples of a file to `Example`s: each is typed against the game at its own options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from dsl import model
from dsl.diagnostics import Reporter, did_you_mean
from dsl.examples import Example
from dsl.examples_expected import read_checks
from dsl.examples_given import read_given, read_plays, read_random, read_rest, read_stage, read_with
from dsl.examples_words import Words
from dsl.expressions import Expressions
from dsl.fields import Fields, rows
from dsl.source import first_line
from dsl.yamltree import Node, Scalar, Sequence

_KEYS = (
    "title",
    "cites",
    "vector",
    "players",
    "options",
    "with",
    "given",
    "rest",
    "random",
    "run",
    "at",
    "play",
    "value",
    "is",
    "call",
    "means",
    "then",
    "allowed",
    "not allowed",
    "legal",
    "ends",
    "winners",
    "scores",
    "log",
    "not log",
    "before shuffle",
)

Models: TypeAlias = Callable[[dict[str, str]], model.Model | None]


def read_examples(base: model.Model, node: Sequence | None, models: Models,
                  reporter: Reporter) -> Iterator[Example]:  # fmt: skip
    """All examples of a list that are well formed, one after the other. `models` yields the model at other options."""
    for item in node.items if node is not None else ():
        found = _example(item, base, models, reporter)
        if found is not None:
            yield found


def _example(item: Node, base: model.Model, models: Models, reporter: Reporter) -> Example | None:
    fields = Fields(item, "an example", _KEYS, ("title",), reporter)
    if fields.mapping is None:
        return None
    before = len(reporter.diagnostics)
    options = _options(fields, base, reporter)
    if options is None:
        return None
    game = models(options) if options else base
    if game is None:
        return None
    x = Expressions(game.symbols, reporter)
    x.may_shadow = True
    low, high = game.players
    x.seats = fields.integer("players", low, high, low)
    stage = read_stage(fields, game, x, reporter)
    words = Words(game, x, stage.env, reporter)
    located = read_with(fields, stage.entry, words)
    state, zones, time_left = read_given(fields, words)
    rest = read_rest(fields, zones, words)
    checks = read_checks(fields, words)
    example = Example(
        fields.text("title"), fields.cites(), fields.cites("vector"), x.seats, tuple(sorted(options.items())),
        stage.entry, stage.at, (*stage.arguments, *located), state, zones, rest, time_left,
        read_random(fields, words), read_plays(fields, words),
        fields.integer("before shuffle", 1, 1000, 1) if fields.node("before shuffle") is not None else None,
        checks, game, item.span,
    )  # fmt: skip
    if not checks and len(reporter.diagnostics) == before:
        reporter.report(
            "E703",
            "this example expects nothing",
            first_line(fields.span),
            help="say what must come out: `is`, `then`, `allowed`, `not allowed`, `legal`, `ends`",
        )
    return None if len(reporter.diagnostics) > before else example


def _options(fields: Fields, base: model.Model, reporter: Reporter) -> dict[str, str] | None:
    """The readings that an example chooses; None where they are wrong."""
    table = {o.name: o for o in base.option_table}
    chosen: dict[str, str] = {}
    for key, value in rows(fields.node("options"), "`options`", reporter):
        option = table.get(key.text)
        if option is None:
            reporter.report("V610", f"no option is named `{key.text}`", key.span, help=did_you_mean(key.text, table))
            return None
        if not isinstance(value, Scalar) or value.text not in option.names:
            name = value.text if isinstance(value, Scalar) else ""
            reporter.report("V607", f"`{name}` is no reading of `{key.text}`", value.span,
                            help=did_you_mean(name, option.names))  # fmt: skip
            return None
        if option.pinned is not None and option.pinned != value.text:
            reporter.report("V607", f"this variant has decided `{key.text}` as `{option.pinned}`", value.span)
            return None
        chosen[key.text] = value.text
    return chosen

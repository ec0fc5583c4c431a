"""`hoyle check`: everything that is wrong with rule files."""

from __future__ import annotations

import json as json_module
import sys
from typing import TYPE_CHECKING

from cli import driver, exits

if TYPE_CHECKING:
    from dsl import model
    from dsl.diagnostics import Diagnostic


def check(games: list[str], json: bool) -> int:
    """Tells all diagnostics of some games, in order; whether there are errors is the exit status."""
    from dsl.render import as_json, render_all

    found: list[Diagnostic] = []
    fine: list[str] = []
    for game in games:
        made, diagnostics = _checked(game)
        found.extend(d for d in diagnostics if d not in found)
        if made is not None:
            fine.append(_summary(made))
    has_errors = any(d.severity == "error" for d in found)
    if json:
        print(json_module.dumps([as_json(d) for d in found], ensure_ascii=False, indent=2))
    else:
        if found:
            print(render_all(found, driver.wants_color(sys.stdout)))
            print()
        for line in fine:
            print(line)
        if found:
            print(_counted(found))
    return exits.ERRORS if has_errors else exits.FINE


def _checked(game: str) -> tuple[model.Model | None, list[Diagnostic]]:
    from dsl import load as loading

    try:
        place = driver.find(game)
    except driver.Failure as failure:
        return None, list(failure.diagnostics)
    made, reporter = loading.check(place.path, place.shown, driver.GAMES)
    return made, reporter.diagnostics


def _summary(made: model.Model) -> str:
    least, most = made.players
    parts = [
        _number(least, "player") if least == most else f"{least} to {most} players",
        _number(made.symbols.num_cards, "card"),
        _number(len(made.rules), "rule"),
        _number(len(made.examples.items) if made.examples else 0, "example"),
    ]
    return f"{made.name}: fine ({', '.join(parts)})"


def _counted(found: list[Diagnostic]) -> str:
    errors = sum(d.severity == "error" for d in found)
    parts = [_number(errors, "error")] if errors else []
    if len(found) > errors:
        parts.append(_number(len(found) - errors, "warning"))
    example = next((d.code for d in found if d.severity == "error"), found[0].code)
    return f"{' and '.join(parts)}; `hoyle explain {example}` tells more"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"

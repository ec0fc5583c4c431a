"""`hoyle games`: what there is to play."""

from __future__ import annotations

import json as json_module
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cli import driver, exits

if TYPE_CHECKING:
    from dsl.load import Loaded


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    title: str
    players: tuple[int, int] | None
    about: str
    extends: str | None
    errors: int

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "players": None if self.players is None else list(self.players),
            "about": self.about,
            "extends": self.extends,
            "errors": self.errors,
        }


def games(json: bool) -> int:
    """Lists every game and variant; one that has errors is listed as such."""
    rows = [_row(found) for found in driver.known_games()]
    if json:
        print(json_module.dumps([row.to_json() for row in rows], ensure_ascii=False, indent=2))
        return exits.FINE
    name_width = max((len(row.name) for row in rows), default=0)
    players_width = max((len(_players(row)) for row in rows), default=0)
    # Wide enough for any window where the list goes to a file or another program.
    width = shutil.get_terminal_size((80, 24)).columns
    for row in rows:
        base = f"variant of {row.extends}: " if row.extends else ""
        words = f"{base}{row.title}: {row.about}" if row.about else f"{base}{row.title}"
        if row.errors:
            words = f"has errors: see `hoyle check {row.name}`"
        print(_clipped(f"{row.name:<{name_width}}  {_players(row):<{players_width}}  {words}", width))
    return exits.FINE


def _row(found: driver.Found) -> _Row:
    name = found.path.stem
    try:
        loaded = driver.load(found)
        made = driver.model_of(loaded, {})
    except driver.Failure as failure:
        return _Row(name, name, None, "", None, len(failure.diagnostics))
    return _Row(name, made.title, made.players, " ".join(made.about.split()), _extends(loaded), 0)


def _extends(loaded: Loaded) -> str | None:
    from dsl.yamltree import Scalar

    node = loaded.document.section("extends")
    return node.text if isinstance(node, Scalar) else None


def _players(row: _Row) -> str:
    if row.players is None:
        return "?"
    least, most = row.players
    return f"{least} player{'' if least == 1 else 's'}" if least == most else f"{least}-{most} players"


def _clipped(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 3].rstrip() + "..."

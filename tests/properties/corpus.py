"""Every game and variant that ships, at each number of players and each reading of each option; none by its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from dsl import ir, load, model
from interpreter.machine import Machine

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "spec" / "games"


@dataclass(frozen=True)
class Setting:
    """A game to play: its file, the one option that is not at its default reading, and how many play."""

    path: Path
    num_players: int
    option: tuple[str, str] | None = None

    def __str__(self) -> str:
        told = "" if self.option is None else f"-{self.option[0]}={self.option[1]}"
        return f"{self.path.stem}-{self.num_players}{told}"


def files() -> list[Path]:
    return sorted([*GAMES.glob("*.yaml"), *(ROOT / "spec" / "variants").glob("*.yaml")])


def many_steps(path: Path) -> int:
    """How many steps of a file's plays are followed in the long checks."""
    return 100_000 if path.parent == GAMES else 2_000


@cache
def read(path: Path) -> load.Loaded:
    found = load.load(path, str(path.relative_to(ROOT)), GAMES)
    assert isinstance(found, load.Loaded), f"{path} cannot be read: {[(d.code, d.message) for d in found.diagnostics]}"
    return found


@cache
def model_of(path: Path, option: tuple[str, str] | None = None) -> model.Model:
    found = read(path)
    result = found.model({} if option is None else dict([option]))
    assert result is not None, f"{path} has errors: {[(d.code, d.message) for d in found.reporter.diagnostics]}"
    return result


@lru_cache(maxsize=64)
def machine_of(setting: Setting) -> Machine:
    return Machine(game_of(setting))


def game_of(setting: Setting) -> ir.Game:
    return load.game(model_of(setting.path, setting.option), setting.num_players)


@cache
def readings(path: Path) -> list[tuple[str, str]]:
    """Every reading that is not the default one and that the file leaves open."""
    return [(option.name, reading.name) for option, reading in _readings(path)]


def _readings(path: Path) -> Iterator[tuple[model.Option, model.Reading]]:
    for option in read(path).option_table:
        if option.pinned is None:
            yield from ((option, reading) for reading in option.readings if reading.name != option.default)


@cache
def settings() -> tuple[Setting, ...]:
    """The default readings at every number of players, each other reading at the fewest and at the most.

    A file that cannot be read is left out here; `test_play.py` has a test that fails for it.
    """
    found: list[Setting] = []
    for path in files():
        try:
            least, most = model_of(path).players
            found += [Setting(path, n) for n in range(least, most + 1)]
            for option, reading in _readings(path):
                chosen = option.name, reading.name
                if reading.changes is None or reading.changes.get("players") is None:
                    low, high = least, most
                else:
                    low, high = model_of(path, chosen).players
                found += [Setting(path, n, chosen) for n in sorted({low, high})]
        except AssertionError:
            continue
    return tuple(found)


def few_settings() -> list[Setting]:
    """The default readings at every number of players, each other reading at the fewest only."""
    found: dict[object, Setting] = {}
    for setting in settings():
        found.setdefault((setting.path, setting.option, setting.option is None and setting.num_players), setting)
    return list(found.values())


def one_of_each() -> list[Setting]:
    """Each file at its default readings and its fewest players."""
    seen: dict[Path, Setting] = {}
    for setting in settings():
        seen.setdefault(setting.path, setting)
    return list(seen.values())

"""What is true of one game stands in its file: no name that a game gives to anything of its own occurs in the engine.

Names and texts of the code are looked at, in Python by the syntax tree; comments and docstrings may give examples. A
single word such as `hand`, `place` or `turn` belongs to everybody; the names of games and of combinations are looked
for even where they are single words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from dsl import ir, load, model
from tests.properties.corpus import read

ROOT = Path(__file__).parents[2]
PACKAGES = ("dsl", "interpreter", "verify", "cli")
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# What a game and the engine both call by the same plain words.
ALLOWED = {
    "pair": "any two things",
    "one pair": "of quotes",
    "flush": "of what is printed",
    "nothing": "the plain word",
}


def words(text: str) -> tuple[str, ...]:
    """`full_house`, "Full House" and `FullHouse` are the same two words."""
    return tuple(w.lower() for w in WORDS.findall(text))


def names_of_games() -> dict[tuple[str, ...], str]:
    """Everything that a shipped game has named, with where."""
    found: dict[tuple[str, ...], str] = {}
    for path in sorted((ROOT / "spec").glob("*/*.yaml")):
        if path.parent.name not in ("games", "variants"):
            continue
        game = read(path).model()
        if game is None:
            continue  # `test_play.py` fails for it
        telling = [game.name, game.title, path.stem, *(k.name for k in game.kinds)]
        for name in [*telling, *(name for name in declared(game) if len(words(name)) > 1)]:
            found.setdefault(words(name), f"{name} ({path.name})")
    return found


def declared(game: model.Model) -> Iterator[str]:
    """What a game calls its places, its state, its rules and options, and what players may do.

    Definitions and properties are left out: their names are phrases such as `is_best`.
    """
    for several in (game.zones, game.state, game.option_table):
        yield from (item.name for item in several)
    yield from (name for name in game.rules if name != "game")
    yield from game.decisions
    for node in load.game(game).nodes:
        if isinstance(node, ir.Decide | ir.Collect):
            yield from (action.name for action in node.actions)


def code(path: Path) -> Iterator[tuple[int, str]]:
    """Every name and text of a source file, with its line; no comments, no docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".lark":
        for number, line in enumerate(text.splitlines(), 1):
            yield number, line.split("//")[0]
        return
    tree = ast.parse(text)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Constant(value=str(value)) if id(node) not in documentation:
                yield line, value
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                yield line, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield line, name
            case ast.keyword(arg=str(name)):
                yield line, name
            case _:
                pass


@lru_cache(maxsize=1)
def occurrences() -> list[tuple[str, str]]:
    """Where names of games occur: the words, and the place."""
    found: list[tuple[str, str]] = []
    names = names_of_games()
    for package in PACKAGES:
        for path in sorted([*(ROOT / package).rglob("*.py"), *(ROOT / package).rglob("*.lark")]):
            for line, text in code(path):
                said = words(text)
                for start in range(len(said)):
                    for end in range(start + 1, min(len(said), start + 5) + 1):
                        name = names.get(said[start:end])
                        if name is not None:
                            found.append(
                                (" ".join(said[start:end]), f"{path.relative_to(ROOT)}:{line}: {name} in {text!r}")
                            )
    return found


def test_no_name_of_a_game_occurs_in_the_engine() -> None:
    found = [where for name, where in occurrences() if name not in ALLOWED]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_allowed_is_needed(name: str) -> None:
    assert name in {found for found, _ in occurrences()}

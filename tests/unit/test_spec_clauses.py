"""The rulebooks and their games: every clause has its line or its excuse, every reading is played and shown."""

from __future__ import annotations

import pytest

from dsl import load
from dsl.clauses import Rulebook
from dsl.yamltree import Mapping, Scalar
from interpreter.machine import Machine
from interpreter.play import with_random_bots
from tests.properties.corpus import ROOT, read

GAMES = ("four_rows", "poke", "poker_bull", "poker_challenge")
VARIANTS = ("four_rows_relaxed", "poke_short", "poker_bull_straights", "poker_challenge_short")


def loaded(name: str) -> load.Loaded:
    return read(ROOT / "spec" / ("variants" if name in VARIANTS else "games") / f"{name}.yaml")


def rulebook_of(name: str) -> Rulebook:
    found = loaded(name).rulebook
    assert found is not None
    return found


def readings(name: str) -> list[tuple[str, str]]:
    """Every reading that is not the default."""
    return [
        (option.name, reading.name)
        for option in loaded(name).option_table
        for reading in option.readings
        if reading.name != option.default
    ]


@pytest.mark.parametrize("name", [*GAMES, *VARIANTS])
def test_every_clause_is_cited_by_a_line_or_excused(name: str) -> None:
    book = rulebook_of(name)
    missing = [number for number in book.catalogue.clauses if book.account(number).status == "missing"]
    assert missing == [] and book.unknown == ()


@pytest.mark.parametrize("name", GAMES)
def test_every_unclear_place_is_an_option_or_a_ruling(name: str) -> None:
    book = rulebook_of(name)
    assert [n for n in book.catalogue.ambiguities if not book.places(n, "options", "rulings")] == []


@pytest.mark.parametrize("name", GAMES)
def test_every_vector_is_an_example(name: str) -> None:
    book = rulebook_of(name)
    assert [v for v in book.catalogue.vectors if not book.places(v, "examples")] == []


@pytest.mark.parametrize("name", GAMES)
def test_excuses_are_few_and_give_a_reason(name: str) -> None:
    book = rulebook_of(name)
    assert len(book.excuses) < len(book.catalogue.clauses) / 10
    assert all(len(excuse.why.split()) >= 3 for excuse in book.excuses.values())


@pytest.mark.parametrize("name", GAMES)
def test_an_example_shows_every_reading(name: str) -> None:
    examples = loaded(name).document.section("examples")
    shown = set()
    for example in getattr(examples, "items", ()):
        options = example.get("options")
        for entry in options.entries if isinstance(options, Mapping) else ():
            assert isinstance(entry.value, Scalar)
            shown.add((entry.key.text, entry.value.text))
    assert [reading for reading in readings(name) if reading not in shown] == []


@pytest.mark.parametrize("name", GAMES)
def test_a_game_has_some_eight_to_twelve_open_questions(name: str) -> None:
    assert 8 <= len(loaded(name).option_table) <= 13


@pytest.mark.parametrize(
    ("name", "option", "reading"), [(name, *reading) for name in GAMES for reading in readings(name)]
)
def test_every_reading_plays_to_the_end(name: str, option: str, reading: str) -> None:
    found = loaded(name).model({option: reading})
    assert found is not None
    playthrough = with_random_bots(Machine(load.game(found)), seed=1, recording=False)
    playthrough.run(max_decisions=50_000)
    assert playthrough.is_over


def test_all_readings_of_poker_challenge_go_together() -> None:
    """Each option changes rules and definitions of its own, so that any table can choose as it likes."""
    chosen = dict(readings("poker_challenge"))  # the last reading of each
    source = loaded("poker_challenge").model(chosen)
    assert source is not None and len(chosen) == len(source.options)

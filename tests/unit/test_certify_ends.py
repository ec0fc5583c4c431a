"""Certificates that play ends: written, checked again, and refused where it does not follow from what they say."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_certify import hoyle
from tests.unit.test_termination import GAME
from tests.unit.written import model_of
from verify.circling import Asked, Gap, check, ending
from verify.evidence import certified
from verify.folded import Unsupported
from verify.wanted import Wanted, sum_of

HAND = "  rule one_hand:\n    gather all cards into stock\n    shuffle stock\n"
Index = dict[str, Any]


def rules(until: str = "turns >= 3", after: str = "turns += 1") -> str:
    text = GAME.format(until=until, after=after, given="reveal c").replace("rules: |\n", f"rules: |\n{HAND}")
    return text.replace("      gather all cards into stock\n      shuffle stock\n", "      one_hand\n")


def written(folder: Path, text: str, *names: str) -> None:
    source = model_of(folder, text)
    for name in names:
        wanted = Wanted(folder / "certificates" / "small", "../../../small.yaml", "it ends")
        certified(wanted, name, None, source, 2, 10.0)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ends")
    written(folder, rules(), "game_ends", "hands_end")
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copied"))


def changed(folder: Path, name: str, change: Callable[[Index], None]) -> Any:
    """What is said of a certificate of which only the index was changed."""
    path = folder / "certificates" / "small" / name / "index.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return hoyle("certify", str(folder))


def test_two_solvers_agree_that_play_ends(made: Path) -> None:
    result = hoyle("certify", str(made), "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 0 and told["solvers"] == ["z3", "cvc5"]
    rows = {row["property"]: row for row in told["certificates"]}
    assert set(rows) == {None, "game_ends", "hands_end"}
    assert all(row["z3"] == row["cvc5"] == "unsat" and row["files"] for row in rows.values())


def test_it_says_in_words_what_rises(made: Path) -> None:
    index = json.loads((made / "certificates/small/game_ends-2/index.json").read_text(encoding="utf-8"))
    (ends,) = index["ends"]
    assert ends["of"] == "game" and {"says": "`turns`", "limit": 10**9} in ends["ranks"]
    assert any(entry["rises"] and entry["says"].endswith("is sure to rise.") for entry in index["files"])
    index = json.loads((made / "certificates/small/hands_end-2/index.json").read_text(encoding="utf-8"))
    (ends,) = index["ends"]
    assert ends["of"] == "one_hand" and "without a beginning of `one_hand` (small.yaml:" in ends["says"]
    assert ends["ranks"] == [{"says": "`-size of all hand`", "limit": 10**9}]


def test_what_need_not_end_has_no_certificate(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="no numbers were found"):
        written(tmp_path, rules(after="turns := 0"), "game_ends")
    assert not (tmp_path / "certificates").exists()


def drop_a_question(index: Index) -> None:
    del index["files"][next(i for i, entry in enumerate(index["files"]) if entry["level"])]


def drop_a_level(index: Index) -> None:
    """The ways round that the last level takes away are hidden."""
    last = len(index["ends"][0]["levels"])
    index["ends"][0]["levels"].pop()
    index["files"] = [entry for entry in index["files"] if entry["level"] != last]


def drop_everything(index: Index) -> None:
    index["ends"][0] |= {"levels": [], "ranks": []}
    index["files"] = []


def other_ranks(index: Index) -> None:
    swapped = {1: 2, 2: 1}
    index["ends"][0]["levels"] = [[swapped.get(m, m) for m in level] for level in index["ends"][0]["levels"]]
    for entry in index["files"]:
        entry["limited"] = [swapped.get(m, m) for m in entry.get("limited", [])]


def never_taken(index: Index) -> None:
    entry = next(entry for entry in index["files"] if entry["level"])
    entry["level"] = 0


def another_way(index: Index) -> None:
    entry = index["files"][-1]
    entry["to"] = 10_000


def twice(index: Index) -> None:
    index["files"].append(index["files"][-1])


def of_nothing(index: Index) -> None:
    index["ends"], index["files"] = [], []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (drop_a_question, "nothing is said at level 1 of the way from stop|, are not all that go round"),
        (drop_a_level, "for ever, as far as this tells"),
        (drop_everything, "for ever, as far as this tells"),
        (other_ranks, "this question does not ask what the index says of it"),
        (never_taken, "are not all that go round together|this question does not ask what"),
        (another_way, "no such way leads from stop to stop"),
        (twice, "this is said already"),
        (of_nothing, "this should say of `game` that it ends, and of nothing else"),
    ],
)
def test_a_gap_is_found(copied: Path, change: Callable[[Index], None], said: str) -> None:
    result = changed(copied, "game_ends-2", change)
    assert result.exit_code == 1 and "error[P807]" in result.stderr
    assert any(part in result.stderr.replace("\n", " ") for part in said.split("|")), result.stderr


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("level", "1", "`from`, `to` and `level` should be numbers"),
        ("limited", [None], "`limited` should list the numbers of ranks"),
        ("rises", 1, "`rises` be true or false"),
    ],
)
def test_an_index_of_another_form_is_refused(copied: Path, key: str, value: object, said: str) -> None:
    result = changed(copied, "game_ends-2", lambda index: index["files"][-1].__setitem__(key, value))
    assert result.exit_code == 1 and "error[P805]" in result.stderr and said in result.stderr


def test_what_a_hand_is_comes_from_the_rules(copied: Path) -> None:
    """A proof that hands end says nothing of the game."""
    folder = copied / "certificates" / "small"
    shutil.rmtree(folder / "game_ends-2")
    (folder / "hands_end-2").rename(folder / "game_ends-2")
    result = changed(copied, "game_ends-2", lambda index: index.__setitem__("property", "game_ends"))
    assert result.exit_code == 1 and "this should say of `game` that it ends" in result.stderr


def test_a_weaker_question_is_found(copied: Path) -> None:
    """One that asks less than its level needs, with all sums as they should be."""
    folder = copied / "certificates" / "small" / "game_ends-2"

    def change(index: Index) -> None:
        entry = next(entry for entry in index["files"] if entry["level"] and entry["rises"])
        path = folder / entry["file"]
        lines = path.read_text(encoding="utf-8").splitlines()
        text = "\n".join([*lines[:-2], "(assert false)", "(check-sat)", ""])
        path.write_text(text, encoding="utf-8")
        entry["sum"] = sum_of(text.encode())

    result = changed(copied, "game_ends-2", change)
    assert result.exit_code == 1 and "error[P807]" in result.stderr and "does not ask what" in result.stderr


def test_a_rank_that_falls_is_found_by_the_solvers(copied: Path) -> None:
    """What the names stand for is for the solvers: with another meaning, a question has an answer."""
    folder = copied / "certificates" / "small" / "game_ends-2"

    def change(index: Index) -> None:
        entry = next(entry for entry in index["files"] if entry["level"] == 1)
        path = folder / entry["file"]
        text = path.read_text(encoding="utf-8")
        falls = text.index("(= rank1!falls")
        text = text[:falls] + "(= rank1!falls true))\n(assert (or true" + text[text.index(")", falls) :]
        path.write_text(text, encoding="utf-8")
        entry["sum"] = sum_of(text.encode())

    result = changed(copied, "game_ends-2", change)
    assert result.exit_code in (1, 3) and "z3 says " in result.stdout


# ------------------------------------------------------------------------------------------------ graphs

CIRCLE = [(1, 2), (2, 3), (3, 1), (2, 4), (4, 2)]
"""Two rounds that share stop 2."""


LEFT = [(2, 4), (4, 2)]


def level(number: int, ways: list[tuple[int, int]], *rises: tuple[int, int]) -> list[Asked]:
    """A level at which a rank with its number rises on some ways."""
    return [Asked(a, b, number, (number,) if (a, b) in rises else (), (a, b) in rises) for a, b in ways]


def test_ways_are_taken_away_level_by_level() -> None:
    check(CIRCLE, [[1], [2]], [*level(1, CIRCLE, (1, 2)), *level(2, LEFT, (4, 2))])
    check(CIRCLE, [[1]], level(1, CIRCLE, (2, 3), (2, 4)))
    check(CIRCLE, [[1]], [Asked(4, None, 0), *level(1, CIRCLE[:3], (3, 1))])
    check(CIRCLE, [[1]], [Asked(1, 2, 0), *level(1, LEFT, (2, 4))])
    check([(1, 2), (2, 3)], [], [])


@pytest.mark.parametrize(
    ("levels", "asked", "said"),
    [
        ([[1]], level(1, CIRCLE, (1, 2)), "round stops 2, 4 for ever"),
        ([[1]], level(1, CIRCLE[:3], (1, 2)), "the stops of level 1, stops 1, 2, 3, are not all"),
        ([[1]], level(1, CIRCLE[1:], (2, 3), (2, 4)), "nothing is said at level 1 of the way from stop 1 to stop 2"),
        ([[1], [2]], [*level(1, CIRCLE, (1, 2)), *level(2, LEFT)], "round stops 2, 4 for ever"),
        ([[1], [2]], [*level(1, LEFT, (2, 4)), *level(2, CIRCLE, (1, 2))], "the stops of level 1, stops 2, 4,"),
        ([[1]], [Asked(4, 1, 0), *level(1, CIRCLE, (1, 2))], "no such way"),
        ([[1]], [Asked(4, None, 1)], "ways are spoken of and not stops"),
        ([[1], [2]], [Asked(1, 2, 1, (2,), True)], "only what is a rank of the level"),
        ([[1]], [Asked(1, 2, 1, (), True)], "only what is a rank of the level"),
        ([], [Asked(1, 2, 1)], "no such level"),
        ([], [Asked(1, 2, 0)], "round stops 2, 4 for ever"),
    ],
)
def test_what_is_left_out_of_a_graph_is_found(levels: list[list[int]], asked: list[Asked], said: str) -> None:
    with pytest.raises(Gap, match=said):
        check(CIRCLE, levels, asked)


def test_what_rises_only_so_often_is_taken_not_to_at_the_next_levels() -> None:
    """A way on which a rank may rise stays, and is looked at again without that."""
    round_ = [(1, 1)]
    asked = [Asked(1, 1, 1, (1,), False), Asked(1, 1, 2, (2,), True)]
    check(round_, [[1], [2]], asked)
    assert ending(asked[1], [[1], [2]], [1]).splitlines() == [
        "(assert way!taken)",
        "(assert (not rank1!rises))",
        "(assert (or false rank2!falls (and rank2!rises rank2!beyond) (not (or false rank2!rises))))",
        "(check-sat)",
    ]
    with pytest.raises(Gap, match="round stop 1 for ever"):
        check(round_, [[1], [2]], [asked[0], Asked(1, 1, 2, (2,), False)])

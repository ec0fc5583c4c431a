"""`hoyle mutate`: what it prints, its JSON, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app

GAME = """\
hoyle: 1
game: {name}
title: Tiny
players: 2
cards:
  ranks: [7, 8]
  suits: [hearts, spades]
zones:
  stock: {{starts: full, seen: nobody}}
state:
  won: {{each: player, type: yes or no, starts: no}}
rules: |
  rule game:
    shuffle stock
    win(seat 1)
  rule win(p):
    won[p] := yes
result:
  score: if won[p] then 1 else 0
  wins: won[p]
  ties: draw
examples:
  - title: who wins has won
    run: win(seat 1)
    then: {{"won[seat 1]": yes, "won[seat 2]": no}}
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("mutate") / "tiny.yaml"
    path.write_text(GAME.format(name="tiny"), encoding="utf-8")
    return str(path)


def hoyle(*args: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["mutate", *args, "--jobs", "1", "--no-prove"])
    return result.exit_code, result.stdout, result.stderr


def test_all_is_noticed(tiny: str) -> None:
    assert hoyle(tiny, "--operator", "yes_no") == (
        0,
        "operator  made  types  examples  left    score\n"
        "yes_no       2                2        100.0 %\n"
        "all          2                2        100.0 %\n"
        "\n"
        "each is noticed\n",
        "",
    )


def test_what_nobody_notices_is_shown(tiny: str) -> None:
    status, out, _ = hoyle(tiny, "--operator", "number")
    assert status == 1
    lines = out.splitlines()
    at = lines.index("nobody would notice:")
    assert lines[at + 1 : at + 4] == [
        f"{tiny}:19: number: `1` becomes `0`",
        "  - score: if won[p] then 1 else 0",
        "  + score: if won[p] then 0 else 0",
    ]
    assert out.splitlines()[-1].startswith("  hint: an example")


def test_json_has_all_of_it(tiny: str) -> None:
    status, out, _ = hoyle(tiny, "--json")
    told = json.loads(out)
    assert status == 1 and list(told) == ["game", "total", "operators", "mutants"] and told["game"] == "tiny"
    fates = ["types", "examples", "free", "claims", "endless", "equivalent", "survived", "untried"]
    assert list(told["total"]) == ["made", *fates, "score"]
    assert told["total"]["made"] == len(told["mutants"]) == sum(o["made"] for o in told["operators"].values())
    assert sum(told["total"][fate] for fate in fates) == told["total"]["made"]
    for mutant in told["mutants"]:
        assert list(mutant) == [
            "operator", "file", "line", "column", "change", "was", "becomes", "fate", "because", "hint",
        ]  # fmt: skip
        assert mutant["fate"] in fates and (mutant["hint"] is None) == (mutant["fate"] != "survived")
    assert hoyle(tiny, "--json")[1] == out


def test_a_sample_is_told_by_its_seed(tiny: str) -> None:
    picked = [json.loads(hoyle(tiny, "--json", "--sample", "4", "--seed", seed)[1])["mutants"] for seed in "112"]
    assert picked[0] == picked[1] != picked[2] and len(picked[0]) == 4


def test_what_there_was_no_time_for_is_said(tiny: str) -> None:
    status, out, _ = hoyle(tiny, "--operator", "yes_no", "--budget", "0.000001")
    assert status == 3 and "untried" in out.splitlines()[0]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--operator", "seats"), "no operator is named `seats`; did you mean `seat`?"),
        (("--operator", "x"), "no operator is named `x`; they are bound, comparison, condition, guard, effect, "),
        (("--budget", "0"), "--budget takes seconds, more than 0, not `0`"),
        (("--players", "5"), "tiny is played by 2, not by 5"),
    ],
)
def test_what_is_asked_wrongly(tiny: str, args: tuple[str, ...], words: str) -> None:
    status, out, err = hoyle(tiny, *args)
    assert (status, out) == (2, "") and err.startswith(f"error: {words}")


def test_a_game_that_fails_itself_is_not_tried(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(GAME.format(name="wrong").replace('"won[seat 2]": no', '"won[seat 2]": yes'), encoding="utf-8")
    status, out, err = hoyle(str(path))
    assert (status, out) == (1, "")
    assert err == "error: an example of wrong fails (who wins has won: no): mend it first\n"

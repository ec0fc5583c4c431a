"""`hoyle clauses`: the account of a rulebook, its exit status, and that the games account for every clause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

ROOT = Path(__file__).parents[2]
CLAUSES = """\
clauses:
  - {id: SM-001, section: Cards, text: Each player is dealt a card.}
  - {id: SM-002, section: Cards, text: A turn is worth a point.}
  - {id: SM-003, section: About, text: Children like it.}
ambiguities:
  - {id: SM-A01, text: "Whose turn is first?"}
  - {id: SM-A02, text: "May anyone stop?"}
vectors:
  - {id: SM-V01, text: one and one}
"""
GAME = """\
hoyle: 1
game: small
title: Small
players: {number: 2..3, cites: SM-001}
clauses: small_clauses.yaml
cards: {ranks: [J, Q, K], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner}
state:
  points: {each: player, type: integer, starts: 0}
rules: |
  rule game:
    shuffle stock
    for each p:
      deal 1 from stock to hand[p]      [SM-001]
      turn(p)
  rule turn(p):
    points[p] += 1                      [SM-002]
rulings:
  first: {reading: the first seat begins, why: nothing is said, cites: SM-A01}
excused:
  SM-003: says who likes it
result:
  score: points[p]
  wins: points[p] > 0
  ties: shared
examples:
  - {title: right, value: 1 + 1, is: 2, cites: SM-002, vector: SM-V01}
"""


def hoyle(*args: str) -> Any:
    result = CliRunner().invoke(app, list(args))
    assert "Traceback" not in result.output and "hoyle itself failed" not in result.output
    return result


@pytest.fixture
def small(tmp_path: Path) -> Path:
    (tmp_path / "small_clauses.yaml").write_text(CLAUSES, encoding="utf-8")
    path = tmp_path / "small.yaml"
    path.write_text(GAME, encoding="utf-8")
    return path


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def account(path: Path) -> tuple[int, Any]:
    result = hoyle("clauses", str(path), "--json")
    return result.exit_code, json.loads(result.stdout)


def test_every_clause_is_accounted_for(small: Path) -> None:
    status, found = account(small)
    assert status == 0
    assert found["clauses"] == {
        "SM-001": {"status": "cited", "where": [f"{small}:16", f"{small}:4"], "reason": ""},
        "SM-002": {"status": "cited", "where": [f"{small}:19"], "reason": ""},
        "SM-003": {"status": "excused", "where": [f"{small}:23"], "reason": "says who likes it"},
    }
    assert found["unknown"] == [] and found["coverage"] == 1
    assert {n: a["status"] for n, a in found["ambiguities"].items()} == {"SM-A01": "ruling", "SM-A02": "missing"}
    assert found["vectors"] == {"SM-V01": {"status": "example", "where": [f"{small}:29"]}}


def test_for_people_what_is_missing_stands_first(small: Path) -> None:
    replaced(small, "    points[p] += 1                      [SM-002]", "    points[p] += 1")
    result = hoyle("clauses", str(small))
    assert result.exit_code == 1
    told = result.stdout.splitlines()
    assert told[:3] == [f"{small}: 3 clauses, 1 cited, 1 excused, 1 missing",
                        "2 unclear places: 1 ruling, 1 open", "1 test vector: 1 in examples"]  # fmt: skip
    at = told.index("missing")
    assert told[at + 1 : at + 3] == ["  Cards", "    SM-002  A turn is worth a point."]
    assert "only examples cite it" in " ".join(told[at + 3 : at + 5])
    assert told.index("excused") > at and "            says who likes it" in told
    assert "SM-001" not in result.stdout and "SM-001" in hoyle("clauses", str(small), "--all").stdout


def test_an_example_alone_carries_nothing_out(small: Path) -> None:
    replaced(small, "    points[p] += 1                      [SM-002]", "    points[p] += 1")
    status, found = account(small)
    assert status == 1 and found["coverage"] == pytest.approx(2 / 3)
    assert found["clauses"]["SM-002"] == {
        "status": "missing", "where": [f"{small}:29"], "reason": "only examples cite it"
    }  # fmt: skip


@pytest.mark.parametrize("place", ["layout", "properties", "an option's reading"])
def test_lines_of_every_section_count(small: Path, place: str) -> None:
    replaced(small, "    points[p] += 1                      [SM-002]", "    points[p] += 1")
    more = {
        "layout": "layout: {rows: [stock], cites: SM-002}\n",
        "properties": 'properties:\n  up: {always: "points[seat 1] >= 0", cites: SM-002}\n',
        "an option's reading": """\
options:
  worth:
    question: What is a turn worth?
    default: one
    readings:
      one: a point
      two:
        means: two points
        changes:
          rules: |
            rule turn(p):
              points[p] += 2      [SM-002]
""",
    }[place]
    small.write_text(small.read_text() + more, encoding="utf-8")
    status, found = account(small)
    assert status == 0 and found["clauses"]["SM-002"]["status"] == "cited"


def test_what_the_rulebook_does_not_have_is_told(small: Path) -> None:
    replaced(small, "[SM-002]", "[SM-002, SM-042]")
    status, found = account(small)
    assert status == 1 and found["unknown"] == ["SM-042"] and found["coverage"] == 1
    result = hoyle("clauses", str(small))
    assert result.exit_code == 1 and f"  SM-042  {small}:19" in result.stdout.splitlines()


def test_a_variant_answers_for_what_it_replaces(small: Path) -> None:
    variant = small.with_name("other.yaml")
    text = "hoyle: 1\ngame: other\nextends: small\ntitle: Other\nrules: |\n  rule turn(p):\n    points[p] += 2\n"
    variant.write_text(text, encoding="utf-8")
    status, found = account(variant)
    assert status == 1 and found["clauses"]["SM-002"]["status"] == "missing"
    assert found["clauses"]["SM-003"]["status"] == "excused"
    variant.write_text(text + "excused: {SM-002: a turn is worth two here}\n", encoding="utf-8")
    assert account(variant)[0] == 0


def test_a_file_without_a_rulebook_says_so(small: Path) -> None:
    result = hoyle("clauses", "leduc")
    assert result.exit_code == 1 and result.stdout == (
        "leduc names no clauses of a rulebook; `clauses: PATH` in its file would\n"
    )
    found = json.loads(hoyle("clauses", "leduc", "--json").stdout)
    assert found == {"clauses": {}, "unknown": [], "coverage": None}


def test_a_wrong_file_is_told_as_by_check(small: Path) -> None:
    replaced(small, "points[p] += 1", "pionts[p] += 1")
    result = hoyle("clauses", str(small), "--json")
    assert result.exit_code == 1 and result.stdout == "" and "error[" in result.stderr
    assert hoyle("clauses").exit_code == 2

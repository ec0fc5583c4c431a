"""Certificates of what leads to what: ranks are written, checked on every way on, and refused where one is changed."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_certify import hoyle
from tests.unit.test_leads_to import BELL
from tests.unit.written import model_of
from verify import evidence_counts
from verify.folded import Unsupported
from verify.leading_counts import Led, led
from verify.wanted import Wanted, sum_of

# Whoever leads gives a card away or waits, and the next one leads; after four turns all is over.
GAME = """
hoyle: 1
game: small
title: Small
players: 2
cards: {ranks: [7, 8, 9], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: owner}
  pile: {seen: everyone}
state:
  leads: {type: player or none, starts: none}
  left: {type: 0..4, starts: 4}
rules: |
  rule game:
    shuffle stock
    for each p: deal 2 from stock to hand[p]
    leads := random player
    repeat until left = 0: turn
  rule turn:
    left -= 1
    leads chooses turn:
      lay(c in hand[leads]): move c to pile
      wait
    leads := left of leads
result: {score: "size of hand[p]", wins: "size of hand[p] = max(size of hand[q] for q)", ties: draw}
properties:
  runs_out: {leads to: [left = 4, left = 0]}
  soon: {leads to: [left = 3, left = 1], within: 2}
  next: {for: {p: player}, leads to: ["leads = p and left > 1", "leads != p"], within: 1}
  over: {leads to: [left = 2, end]}
  never_so: {leads to: [left = 2, left = 3]}
"""
CLAIMS = ("runs_out", "soon", "next", "over")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with certificates, and the rules beside it."""
    folder = tmp_path_factory.mktemp("leads")
    source = model_of(folder, GAME)
    for claim in source.properties:
        if claim.name in CLAIMS:
            wanted = Wanted(folder / "certificates" / "small", "../../../small.yaml", claim.name)
            evidence_counts.certified(wanted, claim.name, claim, source, 2, 20.0)
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "copied"))


def change(
    folder: Path,
    name: str,
    text: Callable[[str], str] = lambda text: text,
    index: Callable[[dict[str, Any]], None] = lambda index: None,
) -> None:
    """Changes what a certificate says is awaited, so that all its sums are right again, and leaves only this one."""
    for other in (folder / "certificates" / "small").iterdir():
        if other.name != f"{name}-2":
            shutil.rmtree(other)
    at = folder / "certificates" / "small" / f"{name}-2"
    data = json.loads((at / "index.json").read_text(encoding="utf-8"))
    path = at / "waiting-1.txt"
    after = text(path.read_text(encoding="utf-8"))
    path.write_text(after, encoding="utf-8")
    next(f for f in data["files"] if f["file"] == path.name)["sum"] = sum_of(after.encode())
    data["awaited"]["cases"][0]["positions"] = sum(len(p.rstrip().split("\n")) - 2 for p in after.split("\n\n")[1:])
    index(data)
    (at / "index.json").write_text(json.dumps(data), encoding="utf-8")


def refused(folder: Path, code: str) -> str:
    result = hoyle("certify", str(folder))
    assert result.exit_code == 1 and f"error[{code}]" in result.stderr, result.output
    return str(result.stderr)


def test_ranks_fall(made: Path) -> None:
    result = hoyle("certify", str(made), "--json")
    told = {row["property"]: row for row in json.loads(result.stdout)["certificates"]}
    assert result.exit_code == 0 and set(told) == set(CLAIMS)
    assert all(row["positions"]["verdict"] == "closed" for row in told.values())
    assert told["next"]["files"] == 3  # of each seat its own


def test_people_can_read_them(made: Path) -> None:
    folder = made / "certificates" / "small" / "soon-2"
    text = (folder / "waiting-1.txt").read_text(encoding="utf-8")
    assert re.search(r"\nat \d+: choice `turn` in turn, line \d+\n#rank \| leads \| left \| ", text)
    assert re.search(r"\n\d+ \| seat 1 \| 3 \| ", text)
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    assert index["awaited"]["steps"] == 2 and index["awaited"]["cases"][0]["of"] == ""
    index = json.loads((folder.parent / "next-2" / "index.json").read_text(encoding="utf-8"))
    assert [case["of"] for case in index["awaited"]["cases"]] == ["p = seat 1", "p = seat 2"]


def test_the_steps_are_those_of_the_proof(made: Path) -> None:
    source = model_of(made, GAME)
    for claim in source.properties:
        found = led(claim, source, 2, 10.0)
        assert found.holds is (claim.name in CLAIMS)
        if found.holds:
            path = made / "certificates" / "small" / f"{claim.name}-2" / "index.json"
            assert json.loads(path.read_text(encoding="utf-8"))["awaited"]["steps"] == found.steps


def ranks_of(text: str) -> list[str]:
    return re.findall(r"^\d+ \| .*$", text, re.M)


def test_no_rank_can_be_left_out_or_changed(made: Path, tmp_path: Path) -> None:
    text = (made / "certificates" / "small" / "runs_out-2" / "waiting-1.txt").read_text(encoding="utf-8")
    lines = ranks_of(text)
    assert len(lines) > 3
    for number, line in enumerate(lines):
        rank, _, rest = line.partition(" | ")
        others = [f"{int(rank) + 7} | {rest}"]
        for other in ("", *others):
            folder = Path(shutil.copytree(made, tmp_path / f"{number}{bool(other)}"))
            put = other and f"{other}\n"
            change(folder, "runs_out", lambda t, line=line, put=put: t.replace(f"{line}\n", put, 1))
            result = hoyle("certify", str(folder))
            if other and int(rank) == max(int(x.partition(" ")[0]) for x in lines):
                continue  # nothing leads here from where it is awaited: its rank may be any above
            assert result.exit_code == 1 and "error[P80" in result.stderr, (line, other, result.output)


def test_a_rank_that_does_not_fall_is_found(copied: Path) -> None:
    change(copied, "runs_out", lambda text: re.sub(r"^\d+ \|", "5 |", text, flags=re.M))
    assert "it may take any number of steps" in refused(copied, "P807")


# What burns is a number of too many values to keep: play goes round, and it falls each time.
ROUND = """
hoyle: 1
game: round
title: Round
players: 2
cards: {{ranks: [7, 8], suits: [hearts]}}
zones: {{stock: {{starts: full, seen: nobody}}}}
state: {{oil: {{type: 0..40, starts: 40}}}}
rules: |
  rule game:
    shuffle stock
    repeat until oil = 0:
      for each p: turn(p)
  rule turn(p):
    p chooses turn:
      burn when oil > 0: oil -= 1
      wait{wait}
result: {{score: 0, wins: oil = 0, ties: draw}}
properties:
  over: {{leads to: [oil = 40, end]}}
"""


def written_of(folder: Path, text: str) -> Path:
    source = model_of(folder, text, "round.yaml")
    (claim,) = source.properties
    wanted = Wanted(folder / "made", str(folder / "round.yaml"), "")
    return evidence_counts.certified(wanted, "over", claim, source, 2, 20.0)


def test_where_it_goes_round_a_number_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rank again and again is fine where some number falls each time; and nowhere else."""
    burns = " when oil > 0: oil -= 1\n      halt when oil = 0: end game"
    path = written_of(tmp_path, ROUND.format(wait=burns))
    index = json.loads((path / "index.json").read_text(encoding="utf-8"))
    assert index["awaited"]["steps"] is None
    result = hoyle("certify", str(path))
    assert result.exit_code == 0, result.output
    with pytest.raises(Unsupported, match="not found again"):
        written_of(tmp_path, ROUND.format(wait=""))
    monkeypatch.setattr(evidence_counts.Ways, "answer", lambda self, told: Led(True, told))
    assert "play may go round from here" in refused(written_of(tmp_path, ROUND.format(wait="")), "P807")


def test_ranks_show_what_they_are_of_and_nothing_else(copied: Path) -> None:
    from verify.certificates import sum_of_claim

    false = next(c for c in model_of(copied, GAME).properties if c.name == "never_so")
    change(copied, "over", index=lambda data: data.update(property="never_so", claim=sum_of_claim(false)))
    told = refused(copied, "P807")
    assert "where it has not come" in told or "the game may end before that" in told


@pytest.mark.parametrize(
    ("change_index", "code", "said"),
    [
        (lambda data: data["awaited"].update(steps=1), "P807", "it may take 2 steps"),
        (lambda data: data["awaited"].update(steps="2"), "P805", "`awaited` should say"),
        (lambda data: data["awaited"].update(cases=7), "P805", "`awaited` should say"),
        (lambda data: data.update(awaited=[]), "P805", "`awaited` should be a table"),
        (lambda data: data.pop("awaited"), "P805", "should say of each file"),
        (lambda data: data["awaited"]["cases"][0].update(of="p = seat 1"), "P807", "nothing is said"),
        (lambda data: data["awaited"]["cases"][0].update(positions=1), "P805", "positions are listed"),
        (lambda data: data["awaited"]["cases"].append(data["awaited"]["cases"][0]), "P805", "should say of each file"),
    ],
)
def test_damaged_indexes_are_refused(copied: Path, change_index: Callable[[Any], Any], code: str, said: str) -> None:
    change(copied, "soon", index=change_index)
    assert said in refused(copied, code)


@pytest.mark.parametrize(
    ("change_text", "said"),
    [
        (lambda t: re.sub(r"^\d+ \|", "x |", t, count=1, flags=re.M), "`x` is no rank"),
        (lambda t: re.sub(r"^\d+ \|", "-1 |", t, count=1, flags=re.M), "`-1` is no rank"),
        (lambda t: t.replace("#rank", "#level", 1), "no such column belongs here"),
        (lambda t: t + ranks_of(t)[-1] + "\n", "this position is there already"),
    ],
)
def test_damaged_ranks_are_refused(copied: Path, change_text: Callable[[str], str], said: str) -> None:
    change(copied, "soon", change_text)
    assert said in refused(copied, "P805")


def test_the_clock_may_strike_in_the_middle(tmp_path: Path) -> None:
    """Positions between stops have ranks of their own where time may be up there."""
    claims = BELL.partition("properties:")
    text = claims[0] + "properties:\n  rings: {in: bell, leads to: [rung, end]}\n"
    source = model_of(tmp_path, text, "bell.yaml")
    (claim,) = source.properties
    found = led(claim, source, 1, 10.0)
    assert found.holds
    wanted = Wanted(tmp_path / "made", str(tmp_path / "bell.yaml"), "")
    path = evidence_counts.certified(wanted, "rings", claim, source, 1, 20.0)
    assert "#rank | #rank when time is up" in (path / "waiting-1.txt").read_text(encoding="utf-8")
    result = hoyle("certify", str(path))
    assert result.exit_code == 0, result.output


def test_what_does_not_hold_is_not_written(tmp_path: Path) -> None:
    source = model_of(tmp_path, GAME)
    false = next(c for c in source.properties if c.name == "never_so")
    with pytest.raises(Unsupported, match="not found again"):
        evidence_counts.certified(Wanted(tmp_path, "x", ""), "never_so", false, source, 2, 5.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "players", "name", "engine"),
    [
        ("poker_challenge", 2, "a_call_ends_it", "counts"),
        ("poke", 2, "lead_is_answered", "counts"),
        ("poke", 2, "two_games_end_it", "induction"),
        ("poker_bull", 5, "each_round_ends", "ranking"),
    ],
)
def test_what_was_proved_of_games_is_written(tmp_path: Path, game: str, players: int, name: str, engine: str) -> None:
    where = str(tmp_path / "made")
    asked = ["--property", name, "--players", str(players), "--no-cache", "--budget", "120"]
    result = hoyle("prove", game, *asked, "--certificates", where, "--json")
    rows = {row["property"]: row for row in json.loads(result.stdout)["results"]}
    assert rows[name]["engine"] == engine and rows[name]["certificate"] == f"{where}/{game}/{name}-{players}"
    assert hoyle("certify", where).exit_code == 0

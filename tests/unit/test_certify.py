"""Certificates: written, checked again by two solvers, and refused where they are damaged or of other rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from dsl import load
from dsl.source import Source
from tests.unit.test_prove_engines import GAME
from verify.evidence import certified
from verify.learned import by_induction
from verify.outcome import Verdict
from verify.refused import Refused
from verify.smtlib import look_through
from verify.solving import share
from verify.wanted import Wanted, sum_of

CLAIM = 'always: "size of stock + size of all hand = 6"'


def hoyle(*args: str) -> Any:
    result = CliRunner().invoke(app, list(args))
    assert "Traceback" not in result.output and "hoyle itself failed" not in result.output
    return result


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with certificates, and the rules beside it."""
    folder = tmp_path_factory.mktemp("certify")
    rules = folder / "small.yaml"
    rules.write_text(GAME.format(claim=CLAIM), encoding="utf-8")
    loaded = load.load(rules, "small.yaml")
    assert isinstance(loaded, load.Loaded)
    source = loaded.model()
    assert source is not None
    (claim,) = source.properties
    assert by_induction(claim, source, 2, 60.0).verdict is Verdict.PROVED
    target = folder / "certificates" / "small"
    certified(Wanted(target, "../../../small.yaml", "all cards"), "claim", claim, source, 2, 60.0)
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    for path in made.rglob("*.*"):
        if path.is_file():
            target = tmp_path / path.relative_to(made)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return tmp_path


def index_of(folder: Path, start: str) -> Path:
    return next(p for p in folder.rglob("index.json") if p.parent.name.startswith(start))


def test_two_solvers_agree_with_what_is_written(made: Path) -> None:
    result = hoyle("certify", str(made / "certificates"), "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 0 and told["solvers"] == ["z3", "cvc5"]
    held, followed = told["certificates"]
    assert (held["property"], followed["property"]) == (None, "claim")
    assert held["files"] > 3 and followed["files"] > 0
    assert all(row["z3"] == row["cvc5"] == "unsat" and not row["others"] for row in told["certificates"])


def test_it_says_in_words_what_is_held(made: Path) -> None:
    index = json.loads(index_of(made, "held-").read_text(encoding="utf-8"))
    assert index["game"] == "../../../small.yaml" and index["players"] == 2
    assert any("size of stock" in said for stop in index["stops"] for said in stop["holds"])


def test_what_was_counted_is_written_on_request(tmp_path: Path) -> None:
    rules, where = tmp_path / "small.yaml", str(tmp_path / "made")
    rules.write_text(GAME.format(claim='always: "size of hand[seat 1] <= turns + 1"'), encoding="utf-8")
    asked = ["--players", "2", "--property", "claim", "--no-cache", "--budget", "20"]
    result = hoyle("prove", str(rules), *asked, "--certificates", where, "--json")
    (row,) = json.loads(result.stdout)["results"]
    assert row["engine"] == "counts" and Path(row["certificate"]) == tmp_path / "made" / "small" / "claim-2"
    assert "any solver" in (tmp_path / "made" / "README.txt").read_text(encoding="utf-8")
    result = hoyle("certify", where)
    assert result.exit_code == 0, result.stdout
    assert result.stdout.splitlines()[-1].startswith("1 property: ")


@pytest.mark.slow
def test_what_was_proved_is_written_on_request(tmp_path: Path) -> None:
    where = str(tmp_path / "made")
    asked = ["--property", "five_tricks", "--no-cache", "--budget", "30"]
    result = hoyle("prove", "poke", *asked, "--certificates", where, "--json")
    rows = {row["property"]: row for row in json.loads(result.stdout)["results"]}
    assert rows["five_tricks"]["engine"] == "induction"
    assert Path(rows["five_tricks"]["certificate"]) == tmp_path / "made" / "poke" / "five_tricks-2"
    assert "any solver" in (tmp_path / "made" / "README.txt").read_text(encoding="utf-8")
    result = hoyle("certify", where)
    assert result.exit_code == 0, result.stdout
    assert result.stdout.splitlines()[-1].startswith("1 property: all ")


def test_damaged_files_are_refused(copied: Path) -> None:
    path = index_of(copied, "held-").parent / "way-0001.smt2"
    path.write_text(path.read_text(encoding="utf-8") + "; more\n", encoding="utf-8")
    result = hoyle("certify", str(copied))
    assert result.exit_code == 1 and "error[P805]" in result.stderr and "its sum is another" in result.stderr
    index = index_of(copied, "claim-")
    index.write_text(index.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    result = hoyle("certify", str(copied))
    assert result.exit_code == 1 and "this is not JSON" in result.stderr


def test_other_rules_are_refused(copied: Path) -> None:
    rules = copied / "small.yaml"
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text.replace("size of all hand = 6", "size of all hand = 6 or turns = 9"), encoding="utf-8")
    result = hoyle("certify", str(copied))
    assert result.exit_code == 1 and "error[P806]: the claim `claim` says something else now" in result.stderr
    assert "starts: 0" in text
    rules.write_text(text.replace("starts: 0", "starts: 1", 1), encoding="utf-8")
    result = hoyle("certify", str(copied))
    assert result.exit_code == 1 and "error[P806]: the rules have changed since" in result.stderr


def test_what_does_not_follow_is_caught(copied: Path) -> None:
    index = index_of(copied, "claim-")
    data = json.loads(index.read_text(encoding="utf-8"))
    path = index.parent / data["files"][0]["file"]
    # Nothing is held any more at the stop, and all sums are as they should be.
    kept = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith((";", "(declare-"))]
    text = "\n".join([*kept, "(assert true)", "(check-sat)", ""])
    path.write_text(text, encoding="utf-8")
    data["files"][0]["sum"] = sum_of(text.encode())
    index.write_text(json.dumps(data), encoding="utf-8")
    result = hoyle("certify", str(copied))
    assert result.exit_code == 1 and f"z3 says sat of {path}" in result.stdout
    assert "1 of " in result.stdout.splitlines()[-1]


def test_a_stop_without_a_question_is_found(copied: Path) -> None:
    index = index_of(copied, "claim-")
    data = json.loads(index.read_text(encoding="utf-8"))
    dropped = data["files"].pop()
    index.write_text(json.dumps(data), encoding="utf-8")
    result = hoyle("certify", str(copied))
    assert result.exit_code == 1
    assert f"error[P807]: nothing is said of stop {dropped['looks']}, where the claim looks" in result.stderr


def test_easy_questions_are_answered_where_there_are_too_many() -> None:
    """An even share of little time is less than it takes to begin with any."""
    assert share(20.0, 2, 674) >= 1.0
    assert share(100.0, 2, 8) == 20.0


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    assert hoyle("certify", str(tmp_path / "none")).exit_code == 2
    result = hoyle("certify", str(tmp_path))
    assert result.exit_code == 2 and "no certificate lies in" in result.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('(set-option :regular-output-channel "x")(assert true)(check-sat)', "this command has no place"),
        ("(assert true)", "the question is cut off"),
        ("(assert (and true)\n(check-sat)", "the question is cut off"),
        ("(assert true)(check-sat)(check-sat)", "the question is cut off"),
        ("(check-sat)", "the question is cut off"),
        ("assert true", "this belongs to no command"),
        ("(assert |a)", "this is not SMT-LIB"),
        ("((assert true))(check-sat)", "this command has no place"),
        ("", "the question is cut off"),
    ],
)
def test_only_questions_are_given_to_solvers(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        look_through(Source("x.smt2", text))

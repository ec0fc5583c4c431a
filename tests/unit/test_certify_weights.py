"""Certificates of bounds by weights: written, checked again, and refused where a part of them is not there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_certify import hoyle
from tests.unit.test_potentials import RULES, SECONDS, SOUND
from tests.unit.written import model_of
from verify.evidence import certified
from verify.learned import by_potentials
from verify.outcome import Verdict
from verify.solving import answer
from verify.wanted import Wanted
from verify.weighing import LOOKS, Scale

NEVER = """
    if chips > 1:
      the player chooses other:
        gain: points += 100
    points += floor(time_left)
"""
Index = dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    source = model_of(folder, RULES.format(**SOUND).replace("\n    points += floor(time_left)\n", NEVER))
    claim = source.properties[0]
    assert by_potentials(claim, source, 1, SECONDS).verdict is Verdict.PROVED
    wanted = Wanted(folder / "certificates" / "small", "../../../small.yaml", "points are in their range")
    certified(wanted, claim.name, claim, source, 1, SECONDS, ["play", "potentials"])
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copied"))


def certificate(folder: Path) -> Path:
    return folder / "certificates" / "small" / "range-1"


def changed(folder: Path, change: Callable[[Index], None]) -> Any:
    """What is said of a certificate of which the index was changed."""
    path = certificate(folder) / "index.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return hoyle("certify", str(folder))


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_two_solvers_agree_with_the_weights(made: Path, solver: str) -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(certificate(made).glob("*.smt2"))]
    assert texts and all(answer(solver, text) == "unsat" for text in texts)


def test_nothing_is_missing(made: Path) -> None:
    """That is found out before any question is asked, so there need not be time for those."""
    result = hoyle("certify", str(made), "--budget", "0.1", "--json")
    rows = {row["property"]: row for row in json.loads(result.stdout)["certificates"]}
    assert result.exit_code == 3 and set(rows) == {None, "range"} and not result.stderr


def test_it_says_what_is_weighed(made: Path) -> None:
    index = json.loads((certificate(made) / "index.json").read_text(encoding="utf-8"))
    least, most = index["weights"]
    assert (least["number"], least["end"], least["limit"]) == ("points", "min", "-8")
    assert (most["number"], most["end"], most["limit"]) == ("points", "max", "23")
    assert least["weight"] > 0 > most["weight"] and "size of scored" in most["counts"]
    text = next(certificate(made).glob("weights-2-*.smt2")).read_text(encoding="utf-8")
    assert "; number: points, at most 23" in text


def first(index: Index, key: str) -> int:
    return next(i for i, entry in enumerate(index["files"]) if key in entry)


def drop_a_way(index: Index) -> None:
    del index["files"][first(index, "part")]


def drop_a_stop(index: Index) -> None:
    del index["files"][first(index, "looks")]


def another_weight(index: Index) -> None:
    weights = index["weights"][1]["weights"]
    weights[next(i for i, w in enumerate(weights) if w)] += 1


def another_rest(index: Index) -> None:
    rests = index["weights"][0]["rests"]
    rests[next(iter(rests))] += 1


def another_limit(index: Index) -> None:
    index["weights"][1]["limit"] = "22"


def one_end(index: Index) -> None:
    index["weights"].pop()
    index["files"] = [entry for entry in index["files"] if entry.get("of") != 2]


def no_weights(index: Index) -> None:
    del index["weights"]
    index["files"] = []


def drop_what_never_is(index: Index) -> None:
    """A stop that no play comes to, from which far more could be gained."""
    del index["files"][first(index, "never")]


def of_no_stop(index: Index) -> None:
    index["files"][first(index, "looks")]["looks"] = 10_000


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (drop_a_way, "not all is said of the way from"),
        (drop_what_never_is, "not all is said of the way from"),
        (drop_a_stop, ", where the claim looks"),
        (another_weight, "this question does not ask what the weights are"),
        (another_rest, "this question does not ask what the weights are"),
        (another_limit, "where `max` 23 should be, something else is weighed"),
        (one_end, "the claim gives 2 ends, and these are 1"),
        (no_weights, ", where the claim looks"),
        (of_no_stop, "no such stop has weights"),
    ],
)
def test_a_gap_is_found(copied: Path, change: Callable[[Index], None], said: str) -> None:
    result = changed(copied, change)
    assert result.exit_code == 1 and "error[P807]" in result.stderr and said in result.stderr, result.stderr


@pytest.mark.parametrize(
    ("key", "value"), [("weights", ["1"]), ("rests", {"one": 1}), ("weight", None), ("whole", 1), ("rests", [])]
)
def test_weights_of_another_form_are_refused(copied: Path, key: str, value: object) -> None:
    result = changed(copied, lambda index: index["weights"][0].__setitem__(key, value))
    assert result.exit_code == 1 and "error[P805]: `weights` should list whole numbers" in result.stderr


def test_weights_that_a_way_does_not_keep_to_are_found_by_the_solvers(made: Path) -> None:
    """With other weights in all questions, some question has an answer."""
    folder = certificate(made)

    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    listed = index["weights"][1]
    rests = {int(stop): rest for stop, rest in listed["rests"].items()}
    before = Scale(True, Fraction(23), True, tuple(listed["weights"]), listed["weight"], rests)
    after = replace(before, counts=tuple(w and w - 1 for w in before.counts))
    said = []
    for entry in index["files"]:
        if entry.get("of") == 2 and "part" in entry:
            old, new = (scale.kept(entry["from"], entry["to"]) for scale in (before, after))
            text = (folder / entry["file"]).read_text(encoding="utf-8")
            assert text.endswith(old)
            said.append(answer("z3", text.removesuffix(old) + new))
    assert set(said) == {"sat", "unsat"}


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.parametrize(("limit", "said"), [(Fraction(5, 2), "unsat"), (Fraction(9, 4), "sat")])
def test_a_limit_may_be_a_fraction(solver: str, limit: Fraction, said: str) -> None:
    scale = Scale(True, limit, False, (-2,), -4, {1: 10})
    names = f"(declare-fun {LOOKS} () Bool)(declare-fun count1!here () Real)(declare-fun number!here () Real)"
    assert answer(solver, f"(set-logic ALL){names}(assert (>= count1!here 0.0))\n{scale.within(1)}") == said


def test_a_question_is_written_in_the_numbers_of_its_sort() -> None:
    scale = Scale(True, Fraction(5), True, (0, -3), -1, {1: 2, 2: -4})
    assert scale.kept(1, 2).splitlines() == [
        "(assert way!taken)",
        "(assert (<= 0 (+ 2 (* (- 3) count2!here) (* (- 1) number!here))))",
        "(assert (> 0 (+ (- 4) (* (- 3) count2!there) (* (- 1) number!there))))",
        "(check-sat)",
    ]
    assert "(assert (> number!here 5))" in scale.within(1)
    assert "(assert (< number!here 5))" in replace(scale, upper=False).within(1)

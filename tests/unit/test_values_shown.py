"""What a bound or a list of values tells of is shown: a play that comes to each value, or what a value is of."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from cli.plays import open_play
from dsl import ir, model
from dsl.lower import lower
from interpreter.machine import Machine
from interpreter.play import replay
from interpreter.trace import Chosen, Drawn, Trace
from tests.unit.written import model_of
from verify import taken
from verify.certificates import Kept, Shelf
from verify.claims import answer
from verify.outcome import Answer, Shown, Verdict
from verify.places import looks_at, machine_for
from verify.shorten import shorten, shows
from verify.worker import Job, Source
from verify.worker import answer as answer_job

STEPS = """\
hoyle: 1
game: stairs
title: Stairs
players: 2
cards: {ranks: [1, 2], suits: [red, blue]}
combinations:
  order: lowest first
  low: {cards: 1 of rank r, worth: 1}
  high: {cards: 2 of rank r, worth: 7}
zones:
  stock: {starts: full, seen: nobody}
state:
  height: {each: player, type: 0..9, starts: 0}
  mood: {type: "one of calm, cross", starts: calm}
rules: |
  rule game:
    shuffle stock
    for each p:
      repeat until height[p] >= 3:
        step(p)
  rule step(p):
    p chooses pace:
      one:
        height[p] += 1
      two:
        height[p] += 2
        mood := cross
result: {score: "height[p]", wins: "height[p] > 0", ties: shared}
properties:
  top: {bound: "height[p]", for: {p: player}, expect: {min: 0, max: 4}}
  stride: {in: step, bound: "height[p] - before(height[p])", for: {p: player}, expect: {min: 0, max: 2}}
  heights: {values: "height[seat 2]", expect: [0, 1, 2, 3, 4]}
  moods: {values: mood, expect: [calm, cross]}
  worths: {bound: worth of k + n, for: {k: kind, n: 1..3}, expect: {min: 2, max: 10}}
  odd: {values: worth of k, for: {k: kind}, expect: [1, 5]}
  never_high: {always: worth of k < 5, for: {k: kind}}
  some_high: {possible: worth of k > 5, for: {k: kind}}
  too_low: {bound: "height[p]", for: {p: player}, expect: {max: 3}}
  too_high: {bound: "height[p]", for: {p: player}, expect: {min: 1}}
  one_stride: {in: step, bound: "height[p] - before(height[p])", for: {p: player}, expect: {max: 1}}
  some_heights: {values: "height[seat 2]", expect: [0, 1, 2]}
  calm_only: {values: mood, expect: [calm]}
  low_only: {bound: worth of k, for: {k: kind}, expect: {max: 6}}
  higher: {bound: worth of k, for: {k: kind}, expect: {max: 8}}
  more: {values: worth of k, for: {k: kind}, expect: [1, 7, 9]}
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for each test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hoyle" / "answers"


@pytest.fixture
def stairs(tmp_path: Path) -> model.Model:
    return model_of(tmp_path, STEPS)


def claim_of(source: model.Model, name: str) -> ir.Property:
    return next(p for p in source.properties if p.name == name)


def answered(source: model.Model, name: str, seconds: float = 4.0) -> Answer:
    return answer(claim_of(source, name), source, 2, seconds)


def heights(source: model.Model, trace: Trace) -> tuple[int, ...]:
    """Where the seats are at the end of a play, as the interpreter has it."""
    machine = Machine(lower(source, 2))
    state = replay(machine, trace)
    at = [i for i, v in enumerate(machine.layout.cell_vars) if v.name == "height"]
    return tuple(state.vars[i] for i in at)


def hoyle(*args: str) -> Any:
    result = CliRunner().invoke(app, list(args))
    assert "Traceback" not in result.output and "hoyle itself failed" not in result.output
    return result


# ----------------------------------------------------------------------------------------------- plays


def test_a_play_comes_to_each_end_of_a_bound(stairs: model.Model) -> None:
    found = answered(stairs, "top")
    assert found.verdict is Verdict.PROVED and found.value == {"min": 0, "max": 4}
    low, high = found.shown
    assert (low.name, low.value, high.name, high.value) == ("min", 0, "max", 4)
    assert low.trace is not None and low.trace.steps == ()  # it is so from the start
    assert high.trace is not None and 4 in heights(stairs, high.trace)
    seat = heights(stairs, high.trace).index(4)
    assert high.case == f"p = seat {seat + 1}" and high.words == f"max 4 with p = seat {seat + 1}"
    # The last step is the one that leads there.
    assert 4 not in heights(stairs, replace(high.trace, steps=high.trace.steps[:-1]))


def test_kept_plays_are_shortened(stairs: model.Model) -> None:
    claim = claim_of(stairs, "top")
    found = answered(stairs, "top")
    short = shorten(claim, stairs, found, 4.0)
    (_, before), (_, high) = found.shown, short.shown
    assert before.trace is not None and high.trace is not None
    assert before.trace.steps[0] != high.trace.steps[0] == Drawn((0, 1, 2, 3))  # the plainest deal
    assert len(high.trace.steps) <= len(before.trace.steps) and 4 in heights(stairs, high.trace)
    assert replace(short, shown=()) == replace(found, shown=())


def test_a_bound_of_a_rule_looks_back(stairs: model.Model) -> None:
    found = answered(stairs, "stride")
    assert found.verdict is Verdict.PROVED
    for shown, stays in zip(found.shown, (True, False), strict=True):
        assert shown.trace is not None
        last = shown.trace.steps[-1]
        assert isinstance(last, Chosen) and (shown.case != f"p = seat {last.player + 1}") is stays
        before = heights(stairs, replace(shown.trace, steps=shown.trace.steps[:-1]))
        gains = [b - a for a, b in zip(before, heights(stairs, shown.trace), strict=True)]
        assert shown.value in gains and (stays or last.choice == "two")


def test_a_play_comes_to_each_value(stairs: model.Model) -> None:
    found = answered(stairs, "heights")
    assert found.verdict is Verdict.PROVED
    assert [heights(stairs, s.trace)[1] for s in found.shown if s.trace is not None] == [0, 1, 2, 3, 4]
    assert [s.words for s in found.shown] == ["0", "1", "2", "3", "4"]
    assert [s.words for s in answered(stairs, "moods").shown] == ["calm", "cross"]


def test_of_many_values_the_first_are_shown(stairs: model.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taken, "MOST_SHOWN", 2)
    found = answered(stairs, "heights")
    assert [s.name for s in found.shown] == ["0", "1"] and found.value == [0, 1, 2, 3, 4]
    assert found.because.endswith("each is reached, and for the first 2 a play is kept")


def test_an_end_that_no_play_reaches_is_not_shown(stairs: model.Model) -> None:
    low = replace(claim_of(stairs, "top"), expect=(("min", -1), ("max", 4)))
    found = answer(low, stairs, 2, 2.0)
    assert found.verdict is Verdict.UNKNOWN and "no play was found that reaches -1" in found.because
    assert [s.name for s in found.shown] == ["max"]


def test_a_value_that_is_not_allowed_is_shown_and_shortened(stairs: model.Model) -> None:
    found = shorten(claim_of(stairs, "too_low"), stairs, answered(stairs, "too_low"), 4.0)
    assert found.verdict is Verdict.REFUTED and found.trace is not None and not found.shown
    assert max(heights(stairs, found.trace)) == 4 and found.trace.steps[0] == Drawn((0, 1, 2, 3))
    assert shows(claim_of(stairs, "too_low"), stairs, found.trace) is True
    less = replace(found.trace, steps=found.trace.steps[:-1])
    assert shows(claim_of(stairs, "too_low"), stairs, less) is False


STRAYS = [
    ("too_low", "4 is more than max 3 with p = seat [12]"),
    ("too_high", "0 is less than min 1 with p = seat 1"),
    ("one_stride", "2 is more than max 1 with p = seat [12]"),
    ("some_heights", "[34] is none of the values expected"),
    ("calm_only", "cross is none of the values expected"),
]


@pytest.mark.parametrize(("name", "told"), STRAYS)
def test_a_value_that_is_not_allowed_is_named(stairs: model.Model, name: str, told: str) -> None:
    found = answered(stairs, name)
    assert found.verdict is Verdict.REFUTED
    assert re.fullmatch(told, found.because)
    shorter = shorten(claim_of(stairs, name), stairs, found, 1.0)
    assert re.fullmatch(told, shorter.because)
    machine = machine_for(claim_of(stairs, name), stairs, 2)
    assert shorter.trace is not None
    # What is told is told of the play that is kept.
    again = taken.refuted("", claim_of(stairs, name), machine, looks_at(claim_of(stairs, name), stairs), shorter.trace)
    assert again is not None and (again.because, again.trace) == (shorter.because, shorter.trace)


def test_the_table_names_the_value_that_is_not_allowed(file: Path) -> None:
    lines = hoyle("prove", str(file), "--property", "too_high", "--budget", "10").stdout.splitlines()
    assert lines[1].strip() == (
        "expected to be proved; 0 is less than min 1 with p = seat 1; shown by a play of 0 steps"
    )


# --------------------------------------------------------------------------------------- closed claims


CLOSED = [
    ("odd", "7 is none of the values expected with k = high"),
    ("low_only", "7 is more than max 6 with k = high"),
    ("higher", "max 8 is never taken"),
    ("more", "9 is never taken"),
]


@pytest.mark.parametrize(("name", "told"), CLOSED)
def test_what_is_wrong_with_values_of_no_position_is_named(stairs: model.Model, name: str, told: str) -> None:
    found = answered(stairs, name)
    assert (found.verdict, found.because) == (Verdict.REFUTED, told)


def test_claims_about_no_position_say_what_a_value_is_of(stairs: model.Model) -> None:
    found = answered(stairs, "worths")
    assert found.verdict is Verdict.PROVED
    assert found.shown == (Shown("min", 2, "k = low, n = 1"), Shown("max", 10, "k = high, n = 3"))
    found = answered(stairs, "odd")
    assert found.verdict is Verdict.REFUTED and found.value == [1, 7]
    assert [s.words for s in found.shown] == ["7 with k = high", "1 with k = low"]  # what is wrong comes first
    assert answered(stairs, "never_high").because == "not so of k = high"
    assert answered(stairs, "some_high").because == "so of k = high"


# ----------------------------------------------------------------------------------------- kept answers


def test_kept_plays_are_read_back_as_they_were(stairs: model.Model, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "shelf")
    for name in ("top", "heights", "worths"):
        found = answered(stairs, name)
        shelf.put(name * 3, Kept(found, 1.0))
        assert shelf.get(name * 3) == Kept(found, 1.0) and found.shown


def _other_value(shown: Shown) -> Shown:
    return replace(shown, value=9)


def _other_seat(shown: Shown) -> Shown:
    return replace(shown, case="p = seat 9")


def _other_name(shown: Shown) -> Shown:
    return replace(shown, name="most")


def _other_choice(shown: Shown) -> Shown:
    assert shown.trace is not None
    *steps, last = shown.trace.steps
    assert isinstance(last, Chosen)
    return replace(shown, trace=replace(shown.trace, steps=(*steps, replace(last, choice="one"))))


def _no_such_choice(shown: Shown) -> Shown:
    assert shown.trace is not None
    return replace(shown, trace=replace(shown.trace, steps=(Chosen(0, "three"),)))


@pytest.mark.parametrize("change", [_other_value, _other_seat, _other_name, _other_choice, _no_such_choice])
def test_kept_plays_are_checked_before_they_are_shown(stairs: model.Model, change: Any) -> None:
    claim = claim_of(stairs, "top")
    found = replace(answered(stairs, "top"), engine="kept")
    job = Job("top", 0, claim, 2)
    assert answer_job(replace(job, known=found), Source(stairs), 2.0).engine == "kept"
    low, high = found.shown
    again = answer_job(replace(job, known=replace(found, shown=(low, change(high)))), Source(stairs), 2.0)
    assert again.engine != "kept" and again.verdict is Verdict.PROVED and len(again.shown) == 2


# ----------------------------------------------------------------------------------------- the commands


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "stairs.yaml"
    path.write_text(STEPS, encoding="utf-8")
    return path


def test_each_play_is_written_and_can_be_replayed(file: Path, cache: Path) -> None:
    folder = file.parent / "traces"
    asked = ("prove", str(file), "--no-free", "--property", "top", "--property", "worths", "--budget", "10", "--json")
    told = json.loads(hoyle(*asked, "--traces", str(folder)).stdout)
    top, worths = told["results"]
    assert top["verdict"] == "proved" and top["trace"] is None and top["value"] == {"min": 0, "max": 4}
    files = [folder / "stairs" / f"top-2-{end}.hoyle-play" for end in ("min", "max")]
    assert [s["trace"]["file"] for s in top["shown"]] == [str(f) for f in files]
    assert sorted((folder / "stairs").iterdir()) == sorted(files)
    assert [(s["name"], s["value"]) for s in top["shown"]] == [("min", 0), ("max", 4)]
    assert top["shown"][0]["trace"]["steps"] == [] and top["shown"][1]["trace"]["steps"][-1].endswith(": two")
    assert [(s["case"], s["trace"]) for s in worths["shown"]] == [("k = low, n = 1", None), ("k = high, n = 3", None)]
    replayed = hoyle("replay", str(files[1]))
    words = f"here is max 4 with {top['shown'][1]['case']}"
    assert replayed.exit_code == 0 and words in " ".join(replayed.stdout.split())
    assert json.loads(hoyle("replay", str(files[1]), "--json").stdout)["reaches"] == "max"
    # Another run has them from the cache.
    again = json.loads(hoyle(*asked).stdout)["results"]
    assert [s["trace"]["steps"] for s in again[0]["shown"]] == [s["trace"]["steps"] for s in top["shown"]]
    assert again[0]["seconds"] == top["seconds"] and list(cache.rglob("*.json"))


@pytest.mark.parametrize(("old", "new"), [("reaches: min", "reaches: max"), ("reaches: min", "reaches: most")])
def test_a_play_that_does_not_reach_what_it_says_is_refused(file: Path, old: str, new: str) -> None:
    folder = file.parent / "traces"
    hoyle("prove", str(file), "--no-free", "--property", "top", "--budget", "10", "--traces", str(folder))
    path = folder / "stairs" / "top-2-min.hoyle-play"
    text = path.read_text(encoding="utf-8")
    assert old in text and open_play(str(path)).head.about.reaches == "min"  # type: ignore[union-attr]
    path.write_text(text.replace(old, new), encoding="utf-8")
    refused = hoyle("replay", str(path))
    word = new.partition(" ")[2]
    assert refused.exit_code == 1 and f"this no longer shows `top` to reach {word}" in refused.output
    path.write_text(text.replace("property: top\n", ""), encoding="utf-8")
    assert "the head lacks `property`" in hoyle("replay", str(path)).output


def test_the_table_stays_short_and_an_explanation_tells_of_each_play(file: Path) -> None:
    table = hoyle("prove", str(file), "--no-free", "--property", "top", "--property", "worths", "--budget", "10").stdout
    assert len(table.splitlines()) == 3
    lines = hoyle("prove", str(file), "--explain", "top", "--budget", "10").stdout.splitlines()
    told = [line.strip() for line in lines if line.startswith("    ")]
    assert told[0] == "min 0 with p = seat 1: a play of 0 steps, which was replayed"
    assert re.fullmatch("max 4 with p = seat [12]: a play of [3-5] steps, which was replayed", told[1])
    assert "    max 10 with k = high, n = 3" in hoyle("prove", str(file), "--explain", "worths").stdout.splitlines()

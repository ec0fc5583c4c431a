"""`hoyle prove`: what it prints, the keys that scripts read, the exit status, and how it keeps to its budget."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from dsl.claims import CHECKS
from dsl.load import Loaded, load
from interpreter.trace import Drawn, Trace
from verify import checks, crew, run
from verify.certificates import Kept, Shelf, key_of, sum_of_rules
from verify.outcome import OUT_OF_TIME, Answer, Outcome, Verdict
from verify.report import Standing, expected_text, numbers, reasons, standing, verdict_text
from verify.worker import Job, Source

ROOT = Path(__file__).parents[2]
TINY = """\
hoyle: 1
game: tiny
title: Tiny
players: 2..3
clauses: clauses.yaml
cards: {ranks: [J, Q, K], suits: [hearts, spades]}
zones:
  stock: {starts: full, seen: nobody}
  hand:  {each: player, seen: owner}
state:
  points: {each: player, type: 0..9, starts: 0}
options:
  pay:
    question: How much is going worth?
    readings:
      two: two
      three: {means: three, changes: {rules: define worth = 3}}
    default: two
rules: |
  define worth = 2

  rule game:
    shuffle stock
    for each p:
      deal 1 from stock to hand[p]
      p chooses turn:
        stop:
          points[p] += 1
        go:
          points[p] += worth
result:
  score: points[p]
  wins: points[p] > 0
  ties: shared
properties:
  two_points:  {possible: "points[seat 1] = 2", cites: TY-01}
  all_cards:   {always: size of all hand + size of stock = 6}
  never_two:   {always: "every(p has points[p] < 2) and size of stock < 7"}
  third_hand:  {impossible: size of stock = 3, players: 2}
  paid_three:  {possible: "points[seat 1] = 3", options: {pay: three}}
examples:
  - title: right
    value: 1 + 1
    is: 2
"""
CLAUSES = "clauses:\n  - {id: TY-01, text: Going is worth two., kind: rule}\n"
KEYS = [
    "property", "kind", "cites", "verdict", "expected", "by_players", "engine", "seconds", "certificate", "trace",
    "value", "shown", "at_once",
]  # fmt: skip


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for each test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hoyle" / "answers"


def tiny_in(folder: Path) -> Path:
    path = folder / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    (folder / "clauses.yaml").write_text(CLAUSES, encoding="utf-8")
    return path


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return tiny_in(tmp_path)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is kept of the answers to all claims of the game."""
    folder = tmp_path_factory.mktemp("answers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        assert prove(tiny_in(folder)).exit_code == 1
    return folder / "hoyle" / "answers"


@pytest.fixture
def known(tiny: Path, answers: Path, cache: Path) -> Path:
    """The game, with its claims answered before."""
    shutil.copytree(answers, cache)
    return tiny


def hoyle(*args: str) -> Any:
    result = CliRunner().invoke(app, list(args))
    assert "Traceback" not in result.output and "hoyle itself failed" not in result.output
    return result


def prove(path: Path, *args: str) -> Any:
    return hoyle("prove", str(path), "--no-free", "--budget", "20", *args)


def python(program: str, *args: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own."""
    command = [sys.executable, "-c", program, *args]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)


def loaded_of(path: Path) -> Loaded:
    loaded = load(path, path.name, path.parent)
    assert isinstance(loaded, Loaded)
    return loaded


# --------------------------------------------------------------------------------------- what is answered


def test_claims_are_answered_for_programs(tiny: Path) -> None:
    result = prove(tiny, "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert list(told) == ["game", "results"] and told["game"] == "tiny"
    assert all(list(row) == KEYS for row in told["results"])
    rows = {row["property"]: row for row in told["results"]}
    assert list(rows) == ["two_points", "all_cards", "never_two", "third_hand", "paid_three"]
    verdicts = {name: (row["verdict"], row["expected"], row["by_players"]) for name, row in rows.items()}
    assert verdicts == {
        "two_points": ("witnessed", "witnessed", {"2": "witnessed", "3": "witnessed"}),
        "all_cards": ("proved", "proved", {"2": "proved", "3": "proved"}),
        "never_two": ("refuted", "proved", {"2": "refuted", "3": "refuted"}),
        "third_hand": ("proved", "proved", {"2": "proved"}),
        "paid_three": ("witnessed", "witnessed", {"2": "witnessed", "3": "witnessed"}),
    }
    assert rows["two_points"]["cites"] == ["TY-01"] and {row["kind"] for row in rows.values()} == {"claim"}
    trace = rows["never_two"]["trace"]
    assert trace["players"] == 2 and trace["file"] is None
    # The plainest deal there is, and nothing after it is shown.
    assert trace["steps"] == ["shuffle stock: KS KH QS QH JS JH", "1: go"]
    assert rows["all_cards"]["trace"] is None and rows["all_cards"]["certificate"]


def test_claims_are_answered_for_people(known: Path) -> None:
    result = prove(known)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].split()[:2] == ["two_points", "witnessed"] and lines[0].endswith("TY-01")
    (wrong,) = (i for i, line in enumerate(lines) if line.startswith("! "))
    assert lines[wrong].split()[1:3] == ["never_two", "refuted"]
    assert lines[wrong + 1].strip() == "expected to be proved; shown by a play of 2 steps"
    assert lines[-1].startswith("5 properties: 2 proved, 2 witnessed, 1 refuted; 1 not as expected (")


def test_properties_players_and_options_are_chosen(tiny: Path) -> None:
    only = json.loads(prove(tiny, "--property", "two_points", "--players", "3", "--json").stdout)
    assert [(r["property"], r["by_players"]) for r in only["results"]] == [("two_points", {"3": "witnessed"})]
    three = prove(tiny, "--option", "pay=three", "--property", "two_points", "--json", "--budget", "8")
    assert three.exit_code == 1 and json.loads(three.stdout)["results"][0]["verdict"] == "refuted"
    two = json.loads(prove(tiny, "--option", "pay=two", "--players", "3", "--json").stdout)
    assert [r["property"] for r in two["results"]] == ["two_points", "all_cards", "never_two"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--property", "tow_points"], "no property is named `tow_points`; did you mean `two_points`?"),
        (["--property", "third_hand", "--players", "3"], "property `third_hand` does not speak of 3 players"),
        (["--property", "paid_three", "--option", "pay=two"], "property `paid_three` speaks of pay=three"),
        (["--players", "9"], "tiny is played by 2 to 3, not by 9"),
        (["--players", "some"], "--players takes a number or `all`"),
        (["--option", "pay=four"], "`four` is no reading of `pay`"),
        (["--budget", "0"], "--budget takes seconds"),
        (["--budget", "nan"], "--budget takes seconds"),
        (["--explain", "two_points", "--json"], "--explain goes with"),
    ],
)
def test_wrong_usage_is_told_in_one_line(tiny: Path, args: list[str], words: str) -> None:
    result = hoyle("prove", str(tiny), *args)
    assert result.exit_code == 2 and result.stdout == ""
    assert words in result.stderr and result.stderr.count("\n") == 1


def test_a_file_that_is_wrong_proves_nothing(tiny: Path) -> None:
    tiny.write_text(TINY.replace("to hand[p]", "to hnad[p]"), encoding="utf-8")
    result = prove(tiny)
    assert result.exit_code == 1 and "error[N301]" in result.stderr


def test_several_games_are_told_one_after_the_other(tiny: Path) -> None:
    other = tiny.parent / "other.yaml"
    other.write_text(TINY.replace("game: tiny", "game: other"), encoding="utf-8")
    told = json.loads(prove(tiny, str(other), "--property", "two_points", "--json").stdout)
    assert [t["game"] for t in told] == ["tiny", "other"]


def test_how_a_property_was_answered_is_explained(tiny: Path) -> None:
    result = hoyle("prove", str(tiny), "--explain", "never_two", "--budget", "5")
    assert result.exit_code == 1
    told = ("always every(p has points[p] < 2)", "whenever chance or a player", "it reads:    points", "refuted by")
    for words in told:
        assert words in result.stdout


# --------------------------------------------------------------------------------------- exit status


def outcome(verdict: Verdict, *expected: Verdict, **more: Any) -> Outcome:
    return Outcome("p", "claim", "always yes", (), frozenset(expected), {2: Answer(verdict, "counts", **more)})


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([], 0),
        ([outcome(Verdict.PROVED, Verdict.PROVED)], 0),
        ([outcome(Verdict.REFUTED, Verdict.REFUTED)], 0),
        ([outcome(Verdict.UNKNOWN, Verdict.PROVED)], 3),
        ([outcome(Verdict.HOLDS_TO_DEPTH, Verdict.PROVED), outcome(Verdict.PROVED, Verdict.PROVED)], 3),
        ([outcome(Verdict.UNKNOWN, Verdict.PROVED), outcome(Verdict.REFUTED, Verdict.PROVED)], 1),
        ([outcome(Verdict.VACUOUS, Verdict.PROVED)], 1),
    ],
)
def test_exit_status(tiny: Path, monkeypatch: pytest.MonkeyPatch, outcomes: list[Outcome], status: int) -> None:
    monkeypatch.setattr(run, "prove", lambda *args, **more: outcomes)
    result = prove(tiny)
    assert result.exit_code == status
    assert outcomes or result.stdout == "there is nothing to prove\n"


def test_what_is_unknown_says_why(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [outcome(Verdict.UNKNOWN, Verdict.PROVED, because="3 positions\nwere not all", value=Fraction(1, 3))]
    monkeypatch.setattr(run, "prove", lambda *args, **more: asked)
    assert "    3 positions were not all; found 1/3\n" in prove(tiny).stdout
    (row,) = json.loads(prove(tiny, "--json").stdout)["results"]
    assert (row["certificate"], row["value"]) == ("3 positions\nwere not all", "1/3")


def test_answers_are_told_by_numbers_of_players() -> None:
    answers = {n: Answer(Verdict.PROVED, "counts") for n in (3, 4, 6)} | {2: Answer(Verdict.WITNESSED, "play")}
    found = Outcome("p", "claim", "", (), frozenset({Verdict.PROVED}), answers)
    assert verdict_text(found) == "2: witnessed, 3-4, 6: proved"
    assert reasons(found) == ["2: expected to be proved"]
    assert numbers([1, 2, 3, 5, 7, 8]) == "1-3, 5, 7-8"


def test_what_is_expected_of_a_check_may_differ_by_numbers_of_players() -> None:
    answers = {2: Answer(Verdict.REFUTED, "play"), 3: Answer(Verdict.PROVED, "counts")}
    proved, refuted = frozenset({Verdict.PROVED}), frozenset({Verdict.REFUTED})
    found = Outcome("game_ends", "free", "", (), proved, answers, {2: refuted})
    assert standing(found) is Standing.FINE and reasons(found) == []
    assert expected_text(found) == "2: refuted, 3: proved"
    other = Outcome("game_ends", "free", "", (), proved, answers, {3: refuted})
    assert standing(other) is Standing.WRONG
    assert reasons(other) == ["2: expected to be proved", "3: expected to be refuted"]


def test_a_file_says_what_it_expects_of_a_check(tmp_path: Path) -> None:
    text = (ROOT / "tests" / "cases" / "checks" / "endless.yaml").read_text(encoding="utf-8")
    (tmp_path / "clauses.yaml").write_text(CLAUSES, encoding="utf-8")
    path = tmp_path / "endless.yaml"
    text = text.replace("players: 2\n", "players: 2\nclauses: clauses.yaml\n")
    said = "properties:\n  game_ends: {expect: fails, cites: TY-01}\n"
    for written, status, cites in ((text, 1, []), (text + said, 0, ["TY-01"])):
        path.write_text(written, encoding="utf-8")
        result = hoyle("prove", str(path), "--property", "game_ends", "--budget", "10", "--json")
        (row,) = json.loads(result.stdout)["results"]
        assert (result.exit_code, row["verdict"], row["cites"]) == (status, "refuted", cites)
        assert row["expected"] == ("refuted" if cites else "proved|vacuous")
    path.write_text(text + said.replace("fails", "holds"), encoding="utf-8")
    assert hoyle("prove", str(path), "--property", "game_ends", "--budget", "10").exit_code == 1


def test_what_is_expected_of_a_check_is_said_of_a_reading(tiny: Path) -> None:
    said = "  game_ends: {expect: fails, options: {pay: three}}\nexamples:"
    tiny.write_text(TINY.replace("examples:", said), encoding="utf-8")
    asked = ("--property", "game_ends", "--json", "--budget", "8")
    for options, expected in (((), "proved|vacuous"), (("--option", "pay=three"), "refuted")):
        (row,) = json.loads(prove(tiny, *asked, *options).stdout)["results"]
        assert (row["verdict"], row["expected"]) == ("proved", expected)


def test_a_claim_about_a_reading_speaks_of_what_only_that_has(tiny: Path) -> None:
    text = TINY.replace("rules: define worth = 3", 'rules: "define worth = 2 + extra\\ndefine extra = 1\\n"')
    claim = "  extra_one: {same: [extra, 1], options: {pay: three}}\nexamples:"
    tiny.write_text(text.replace("examples:", claim), encoding="utf-8")
    asked = ("--property", "extra_one")
    assert prove(tiny, *asked).exit_code == 0
    assert "speaks of pay=three" in prove(tiny, *asked, "--option", "pay=two").stderr
    wrong = text.replace("examples:", claim.replace("[extra, 1]", "[extrra, 1]"))
    tiny.write_text(wrong, encoding="utf-8")
    assert "did you mean `extra`?" in hoyle("check", str(tiny)).output


def test_checks_have_the_names_that_a_file_may_expect_something_of(tiny: Path) -> None:
    source = loaded_of(tiny).model({})
    assert source is not None
    assert tuple(check.name for check in checks.questions(source)) == CHECKS


# --------------------------------------------------------------------------------------- traces and examples


def test_traces_are_written_and_replayed(known: Path) -> None:
    tiny = known
    folder = tiny.parent / "traces"
    told = json.loads(prove(tiny, "--traces", str(folder), "--json").stdout)
    files = sorted(p.name for p in (folder / "tiny").iterdir())
    assert files == [f"{p}-{n}.hoyle-play" for p in ("never_two", "paid_three", "two_points") for n in (2, 3)]
    assert {r["trace"]["file"] for r in told["results"] if r["trace"]} == {str(folder / "tiny" / f) for f in files[::2]}
    for name in files:
        result = hoyle("replay", str(folder / "tiny" / name))
        assert result.exit_code == 0 and "seat 1: go" in result.stdout
    text = (folder / "tiny" / files[0]).read_text(encoding="utf-8")
    assert str(tiny.parent) not in text and "game: ../../tiny.yaml\n" in text
    # The folder may be taken elsewhere with its game.
    shipped = prove(ROOT / "spec/games/poke.yaml", "--property", "more_than_a_deal", "--traces", str(folder))
    assert shipped.exit_code in (0, 3)


FAILING = """
hoyle: 1
game: failing
title: Failing
players: 2
cards: {ranks: [7, 8], suits: [hearts]}
zones:
  stock: {starts: full, seen: nobody}
  hand: {each: player, seen: everyone}
rules: |
  rule game:
    WHAT
result: {score: "0", wins: "yes", ties: shared}
"""


@pytest.mark.parametrize(
    ("what", "steps"),
    [
        ("for each p: deal 2 from stock to hand[p]", 0),
        ("shuffle stock\n    for each p: deal 2 from stock to hand[p]", 1),
        ("for each p:\n      p chooses turn:\n        take: deal 2 from stock to hand[p]", 2),
    ],
)
def test_a_play_that_ends_where_the_rules_fail_is_written_and_told(tmp_path: Path, what: str, steps: int) -> None:
    path = tmp_path / "failing.yaml"
    path.write_text(FAILING.replace("WHAT", what), encoding="utf-8")
    args = ["prove", str(path), "--property", "no_short_deal", "--budget", "10"]
    assert hoyle(*args, "--traces", str(tmp_path / "traces")).exit_code == 1
    # The second time from what was kept, and replayed.
    assert json.loads(hoyle(*args, "--json").stdout)["results"][0]["verdict"] == "refuted"
    (file,) = (tmp_path / "traces" / "failing").iterdir()
    text = file.read_text(encoding="utf-8")
    plural = "" if steps == 1 else "s"
    assert text.endswith(f"\n{steps} step{plural} to where the rules fail\n")
    told = hoyle("replay", str(file))
    assert told.exit_code == 0 and "here the rules fail: stock has too few cards to deal from" in told.stdout
    file.write_text(text.replace("to where the rules fail", "so far"), encoding="utf-8")
    wrong = hoyle("replay", str(file))
    assert wrong.exit_code == 1 and "the rules fail here: stock has too few cards" in wrong.stdout + wrong.stderr
    path.write_text(FAILING.replace("WHAT", "shuffle stock"), encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    assert hoyle("replay", str(file)).exit_code == 1  # the rules have changed since
    assert hoyle("replay", str(file), "--anyway").exit_code in (0, 1)


def test_a_play_that_does_not_fail_is_not_said_to(known: Path) -> None:
    folder = known.parent / "traces"
    prove(known, "--traces", str(folder))
    file = sorted((folder / "tiny").iterdir())[0]
    text = file.read_text(encoding="utf-8")
    for ending in ("so far", "to the end"):
        text = text.replace(ending, "to where the rules fail")
    file.write_text(text, encoding="utf-8")
    result = hoyle("replay", str(file))
    assert result.exit_code == 1 and "over here" in result.stdout + result.stderr


def test_a_counterexample_becomes_an_example_that_fails_until_the_rules_are_mended(known: Path) -> None:
    tiny = known
    result = prove(tiny, "--save-example")
    assert "tiny: never_two: saved as an example in tiny.yaml" in result.stderr and "two_points" not in result.stderr
    text = tiny.read_text(encoding="utf-8")
    assert text.startswith(TINY) and hoyle("check", str(tiny)).exit_code == 0
    told = json.loads(hoyle("test", str(tiny), "--json").stdout)
    title = "never_two, found by hoyle prove"
    assert [(e["title"], e["ok"]) for e in told["examples"]] == [("right", True), (title, False)]
    tiny.write_text(text.replace("worth = 2", "worth = 1"), encoding="utf-8")
    assert hoyle("test", str(tiny)).exit_code == 0
    tiny.write_text(text, encoding="utf-8")
    assert "it is there already" in prove(tiny, "--save-example").stderr
    # A witness is saved where it was asked for.
    assert "saved as an example" in prove(tiny, "--property", "two_points", "--save-example").stderr
    told = json.loads(hoyle("test", str(tiny), "--json").stdout)
    assert [e["ok"] for e in told["examples"]] == [True, False, True]


def test_what_cannot_be_an_example_says_why(known: Path) -> None:
    known.write_text(TINY.partition("examples:")[0], encoding="utf-8")
    assert "not saved as an example: the game has no list of examples" in prove(known, "--save-example").stderr


# --------------------------------------------------------------------------------------- kept answers


def test_answers_are_kept_and_traces_replayed(tiny: Path, cache: Path) -> None:
    first = json.loads(prove(tiny, "--json").stdout)
    began = time.monotonic()
    again = json.loads(prove(tiny, "--json").stdout)
    assert time.monotonic() - began < 60
    assert again == first  # the seconds too: they were not spent again
    entries = sorted(cache.rglob("*.json"))
    assert len(entries) == 9 + 4  # by number of players, and at once
    assert all(str(tiny.parent) not in entry.read_text() for entry in entries)
    for entry, damage in zip(entries, (b"", b"{}", b"\xff", b"[" * 5000, b'{"format": 1}') * 2, strict=False):
        entry.write_bytes(damage)
    fresh = json.loads(prove(tiny, "--json").stdout)
    assert [r["by_players"] for r in fresh["results"]] == [r["by_players"] for r in first["results"]]


def test_a_kept_trace_that_does_not_replay_is_not_shown(known: Path, cache: Path) -> None:
    for entry in cache.rglob("*.json"):
        data = json.loads(entry.read_text())
        if data["answer"]["trace"] is not None:
            data["answer"]["trace"]["steps"][-1]["choice"] = "stop"
            data["answer"]["engine"] = "a lie"
            entry.write_text(json.dumps(data))
    told = json.loads(prove(known, "--json").stdout)
    assert [r["verdict"] for r in told["results"]] == ["witnessed", "proved", "refuted", "proved", "witnessed"]
    assert "a lie" not in [r["engine"] for r in told["results"]]


def test_nothing_is_kept_without_a_cache(tiny: Path, cache: Path) -> None:
    assert prove(tiny, "--no-cache", "--property", "all_cards").exit_code == 0
    assert not cache.exists()


def test_keys_change_with_the_rules_and_not_with_their_words(tiny: Path) -> None:
    def keys(text: str) -> dict[str, str]:
        tiny.write_text(text, encoding="utf-8")
        source = loaded_of(tiny).model()
        assert source is not None
        rules = sum_of_rules(source)
        return {p.name: key_of(rules, "claim", p.name, p, 2) for p in source.properties}

    before = keys(TINY)
    assert keys("# A remark.\n" + TINY.replace("title: Tiny", "title: Small")) == before
    changed = keys(TINY.replace("size of stock = 3", "size of stock = 4"))
    assert {name for name in before if before[name] != changed[name]} == {"third_hand"}
    assert not set(keys(TINY.replace("worth = 2", "worth = 1")).values()) & set(before.values())


@pytest.mark.parametrize("package", ["dsl", "interpreter", "verify"])
def test_keys_change_with_every_source_of_the_engine(package: str) -> None:
    """The sum of the engine looks into no subfolder: an answer found with a source there would outlive its change."""
    assert {path.parent for path in (ROOT / package).rglob("*.py")} == {ROOT / package}


def test_answers_are_read_back_as_they_were(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    trace = Trace("g", 2, (("a", "b"),), "s", (Drawn((1, 0)),))
    numbers = [1, Fraction(1, 3)]
    values: Sequence[Any] = (None, True, 3, Fraction(1, 2), Fraction(4), "x", numbers, {"min": 0, "table": [2.5]})
    for i, value in enumerate(values):
        answer = Answer(Verdict.REFUTED, "counts", 1.5, "so", value, trace, 1, "because")
        shelf.put(f"key{i}", Kept(answer, 2.0))
        assert shelf.get(f"key{i}") == Kept(answer, 2.0)
        found = shelf.get(f"key{i}")
        assert found is not None and type(found.answer.value) is type(value)
    shelf.put("other", Kept(Answer(Verdict.PROVED, "counts", value=object()), 1.0))
    assert shelf.get("other") is None and Shelf(None).get("key0") is None


# --------------------------------------------------------------------------------------- time


class Endless:
    """Stands for a model; a worker that gets it never comes back."""

    def __reduce__(self) -> Any:
        return time.sleep, (600,)


class Deadly:
    """Stands for a model; a worker that gets it dies."""

    def __reduce__(self) -> Any:
        return os._exit, (7,)


def test_a_stuck_worker_is_killed_and_takes_nothing_with_it(tiny: Path) -> None:
    source = loaded_of(tiny).model()
    assert source is not None
    claim = next(p for p in source.properties if p.name == "all_cards")
    sources: Any = [Source(source), Endless(), Deadly()]
    jobs = [Job("stuck", 1, claim, 2), Job("fine", 0, claim, 2), Job("dead", 2, claim, 2), Job("fine too", 0, claim, 3)]
    found: dict[str, Answer] = {}
    began = time.monotonic()
    with crew.Crew(sources, 1, began + 9) as workers:
        workers.work(jobs, lambda job, answer, share: found.update({job.name: answer}))
    assert time.monotonic() - began < 60
    assert {name: (a.verdict, a.because) for name, a in found.items() if a.verdict is Verdict.UNKNOWN} == {
        "stuck": (Verdict.UNKNOWN, OUT_OF_TIME),
        "dead": (Verdict.UNKNOWN, "the process that looked for it broke down"),
    }
    assert found["fine"].verdict is found["fine too"].verdict is Verdict.PROVED


def test_nothing_runs_past_the_budget(tiny: Path) -> None:
    loaded = loaded_of(tiny)
    began = time.monotonic()
    found = run.prove(loaded, ["all_cards"], budget=0.0)
    assert time.monotonic() - began < 30
    assert [a.because for o in found for a in o.by_players.values()] == [crew.NOT_BEGUN] * 2


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_keeps_what_is_known(tiny: Path) -> None:
    program = (
        "import os, signal, sys\n"
        # A shell may have told what it runs in the background not to listen.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from verify import run\n"
        "from cli.commands.prove import prove\n"
        "from cli.driver import run as carry_out\n"
        "def stop(self, crew, size):\n"
        "    case = self._cases[0]\n"
        "    case.answer = run.Answer(run.Verdict.PROVED, 'counts')\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    import time; time.sleep(10)\n"
        "run._Run.all = stop\n"
        "import typer\n"
        "try:\n"
        "    carry_out(lambda: prove([sys.argv[1]], [], '2', [], False, 20.0, False, False, None, None, False, None))\n"
        "except typer.Exit as left:\n"
        "    sys.exit(left.exit_code)\n"
    )
    done = python(program, str(tiny))
    assert done.returncode == 130 and done.stderr.strip() == "stopped"
    assert "proved" in done.stdout.splitlines()[0] and run.STOPPED in done.stdout


# --------------------------------------------------------------------------------------- what is imported


def test_other_commands_load_no_prover() -> None:
    program = (
        "import sys\nfrom cli.main import app\n"
        "for command in sys.argv[1:]:\n"
        "    try:\n        app(command.split())\n    except SystemExit:\n        pass\n"
        "    heavy = ('z3', 'verify', 'multiprocessing')\n"
        "    print(command, [m for m in sys.modules if m.split('.')[0] in heavy], file=sys.stderr)\n"
    )
    commands = ["check leduc", "test leduc", "simulate leduc --games 1", "games"]
    done = python(program, *commands)
    assert done.stderr.splitlines() == [f"{command} []" for command in commands]


def test_only_the_prover_knows_the_solver() -> None:
    for package in ("dsl", "interpreter", "cli"):
        for path in (ROOT / package).rglob("*.py"):
            assert "z3" not in path.read_text(encoding="utf-8"), path

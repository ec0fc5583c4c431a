"""Whatever the text: the front end answers quickly, never raises, and points at places that are there.

What still checks after a mutation also plays: it may come to a `Fault` of its rules, and to nothing else.
`FUZZ=3000` runs so many times as many mutations.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dsl import load
from dsl.codes import CODES
from dsl.diagnostics import Diagnostic
from dsl.render import as_json, render_all
from interpreter.machine import Machine
from interpreter.play import with_random_bots
from interpreter.values import Fault

ROOT = Path(__file__).parents[2]
TIMES = int(os.environ.get("FUZZ", "1"))
SLOW = 5.0  # seconds; far more than any text here should take, for busy machines
NUM_DECISIONS, NUM_STOPS = 30, 300


def profile(examples: int) -> settings:
    several = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
    return settings(max_examples=examples * TIMES, deadline=None, suppress_health_check=several)


def text_of(path: Path) -> str:
    """The text of a game, without the examples and claims that it leaves to other files: those stay whole anyway."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^(examples|properties): \S+\.yaml$", "", text, flags=re.MULTILINE)


GAMES = [text_of(p) for p in sorted((ROOT / "spec" / "games").glob("*.yaml"))]
SMALL = [text_of(p) for p in sorted((ROOT / "tests" / "cases" / "good").glob("*.yaml"))]
TOKEN = re.compile(r"[A-Za-z_0-9]+|:=|[-+!<>]=|\.\.|[^\sA-Za-z_0-9]")
WORDS = [
    "", " ", "\n", "\t", "\n    ", ":", "=", ":=", "==", "[", "]", "(", ")", "{", "}", '"', "'", ",", "..", "-", "#",
    "|", "&", "*", "no", "yes", "none", "null", "~", "010", "3:2", "1e3", "-1", "0", "0.5", "99999999999999999999",
    "1000000", "all", "the player", "seat 1", "end game", "repeat:", "for each p:", "p chooses x:",
    "random n in 1..6", "random player", "highest(p by p)", "best(hand[p])", "those(c in stock)", "let x = 1",
    "define", "rule", "true", "deal 1 from stock to hand[p]", "kind", "card", "integer", "player or none",
    "one of a, b", "combination", "\u00e9", "\u2660", "\0", "\ud800", "9" * 400, "((((((((((", "extends: fuzz",
    "copies: 20", "jokers: 8", "holds: 1", "starts: none", "null\n", "each: 0..4999", "if ", "else:", "[XX-001]",
]  # fmt: skip

VOCABULARY = [*(w for text in SMALL for w in TOKEN.findall(text)), *WORDS, *["\n  ", "\n    "] * 20]

Edit = tuple[str, int, int, str]
FAR = st.integers(0, 10**6)
EDIT = st.tuples(
    st.sampled_from(["delete", "double", "swap", "token", "word", "insert", "cut", "indent", "gap", "join"]),
    FAR, FAR, st.sampled_from(WORDS),
)  # fmt: skip


def mutated(text: str, edits: list[Edit]) -> str:
    """The text after some slips of a careless, or malicious, author."""
    for kind, a, b, word in edits:
        lines = text.split("\n")
        i, j = a % len(lines), b % len(lines)
        match kind:
            case "delete":
                del lines[i : i + 1 + b % 3]
            case "double":
                lines.insert(j, lines[i])
            case "swap":
                lines[i], lines[j] = lines[j], lines[i]
            case "indent":
                lines[i] = " " * (b % 9) + lines[i].lstrip(" ")
            case "gap":
                lines[i] = lines[i].replace(" ", "\t" if b % 2 else "  ", 1)
            case "join":
                lines[i : i + 2] = [" ".join(lines[i : i + 2])]
            case _:
                text = _edited(text, kind, a, b, word)
                continue
        text = "\n".join(lines)
    return text


def _edited(text: str, kind: str, a: int, b: int, word: str) -> str:
    if kind == "insert":
        at = a % (len(text) + 1)
        return text[:at] + word + text[at:]
    if kind == "cut":
        return text[: a % (len(text) + 1)]
    tokens = list(TOKEN.finditer(text))
    if not tokens:
        return text + word
    old = tokens[a % len(tokens)]
    new = tokens[b % len(tokens)][0] if kind == "token" else word
    return text[: old.start()] + new + text[old.end() :]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the games' clauses are found as from `spec/games` and from `tests/cases/good`."""
    root = tmp_path_factory.mktemp("fuzz")
    (root / "games").mkdir()
    (root / "bad").symlink_to(ROOT / "tests" / "cases" / "bad")
    for beside in ("clauses", "readings", "claims", "examples"):
        (root / beside).symlink_to(ROOT / "spec" / beside)
    for path in (ROOT / "tests" / "cases" / "good").glob("*.yaml"):
        (root / "games" / path.name).symlink_to(path)
    return root / "games"


def check(folder: Path, data: bytes) -> None:
    path = folder / "fuzz.yaml"
    path.write_bytes(data)
    start = time.process_time()
    model, reporter = load.check(path, "fuzz.yaml")
    text = render_all(reporter.diagnostics)
    assert time.process_time() - start < SLOW
    assert (model is None) == reporter.has_errors and len(text) < 200_000
    for diagnostic in reporter.diagnostics:
        check_diagnostic(diagnostic)
    if model is not None:
        start = time.process_time()
        for num_players in sorted(set(model.players)):
            play(lambda n=num_players: Machine(load.game(model, n)))  # type: ignore[misc]
        assert time.process_time() - start < 4 * SLOW


def check_diagnostic(d: Diagnostic) -> None:
    assert d.code in CODES and d.message
    for span in (d.span, *(label.span for label in d.labels)):
        assert 0 <= span.start <= span.end <= len(span.source.text)
        assert 1 <= span.line <= span.source.num_lines and span.column >= 1
    assert int(as_json(d)["line"]) >= 1 and "\n" not in d.message + d.help + d.note


def play(make: Callable[[], Machine]) -> None:
    """Some decisions at random; a fault of the rules is an honest end."""
    try:
        going = with_random_bots(make(), 1)
        for _ in range(NUM_STOPS):
            if going.num_decisions >= NUM_DECISIONS or not going.step():
                break
        if going.is_over:
            going.machine.winners(going.state)
    except Fault as fault:
        assert str(fault)


@profile(130)
@given(st.sampled_from(SMALL), st.lists(EDIT, min_size=1, max_size=4))
def test_mutated_small_game(folder: Path, text: str, edits: list[Edit]) -> None:
    check(folder, mutated(text, edits).encode("utf-8", "surrogatepass"))


@profile(40)
@given(st.sampled_from(GAMES), st.lists(EDIT, min_size=1, max_size=3))
def test_mutated_game(folder: Path, text: str, edits: list[Edit]) -> None:
    check(folder, mutated(text, edits).encode("utf-8", "surrogatepass"))


@profile(40)
@given(st.sampled_from(SMALL), st.floats(0, 1), st.binary(max_size=6))
def test_cut_off_anywhere(folder: Path, text: str, where: float, rest: bytes) -> None:
    data = text.encode()
    check(folder, data[: int(where * len(data))] + rest)


@profile(60)
@given(st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda s: s.encode("utf-8", "surrogatepass"))))
def test_random_bytes(folder: Path, data: bytes) -> None:
    check(folder, data)


@profile(60)
@given(st.lists(st.sampled_from(VOCABULARY), max_size=60))
def test_random_rule_text(folder: Path, words: list[str]) -> None:
    """Words of the language in any order, where the rules of a small game stand."""
    head, _, tail = SMALL[0].partition("rules: |\n")
    body = "  rule game:\n    " + " ".join(words).replace("\n\n", "\n    ")
    text = head + "rules: |\n" + body + "\n\nresult:" + tail.partition("\nresult:")[2]
    check(folder, text.encode("utf-8", "surrogatepass"))

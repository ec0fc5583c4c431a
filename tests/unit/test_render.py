"""Diagnostics as text: carets stand under the span whatever is on the line, and nothing a terminal obeys gets out."""

import json
import re
import unicodedata

import pytest

from dsl.diagnostics import Diagnostic, Label
from dsl.render import MAX_COLUMNS, as_json, render, render_all
from dsl.source import Source, Span


def diagnostic(text: str, marked: str, note: str = "", help: str = "", **more: object) -> Diagnostic:
    source = Source("games/poke.yaml", text)
    start = text.index(marked)
    return Diagnostic("R114", "no", Span(source, start, start + len(marked)), note, help=help, **more)  # type: ignore[arg-type]


def label(d: Diagnostic, marked: str, words: str) -> Diagnostic:
    start = d.span.source.text.index(marked)
    second = Label(Span(d.span.source, start, start + len(marked)), words)
    return Diagnostic(d.code, d.message, d.span, d.note, (second,))


def width(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def test_the_sample_of_the_architecture() -> None:
    text = "\n" * 40 + "      deal 5 to hnad[p]\n"
    start = text.index("hnad")
    d = Diagnostic(
        "N301", "no zone is named `hnad`", Span(Source("spec/games/poke.yaml", text), start, start + 4),
        note="not a zone of this game", help="did you mean `hand`?",
    )  # fmt: skip
    assert render(d) == "\n".join([
        "error[N301]: no zone is named `hnad`",
        "  --> spec/games/poke.yaml:41:17",
        "   |",
        "41 |       deal 5 to hnad[p]",
        "   |                 ^^^^ not a zone of this game",
        "   = help: did you mean `hand`?",
    ])  # fmt: skip


@pytest.mark.parametrize("before", ["", "ab", "\t", "a\tb\t", "王牌", "e\u0301", "♠ ", "ｗｉｄｅ", "\U0001f0a1"])
@pytest.mark.parametrize("marked", ["x", "xyz", "牌x"])
def test_caret_stands_under_the_span(before: str, marked: str) -> None:
    row, under = render(diagnostic(f"{before}{marked} rest\n", marked)).split("\n")[3:5]
    assert width(under[: under.index("^")]) == width(row[: row.index(marked)])
    assert under.count("^") == width(marked)


def test_span_over_lines_is_marked_on_each() -> None:
    text = "a:\n  - b\n\n  - c  \nd: 1\n"
    assert render(diagnostic(text, "- b\n\n  - c", "here")).split("\n")[3:] == [
        "2 |   - b", "  |   ^^^", "3 |", "4 |   - c", "  |   ^^^ here",
    ]  # fmt: skip


def test_long_span_shows_first_and_last_line() -> None:
    text = "".join(f"line {i}\n" for i in range(30))
    marked = text[text.index("line 5") : text.index("line 25") + 7]
    assert render(diagnostic(text, marked, "here")).split("\n")[3:] == [
        " 6 | line 5", "   | ^^^^^^", "...", "26 | line 25", "   | ^^^^^^^ here",
    ]  # fmt: skip


def test_label_before_after_and_on_the_same_line() -> None:
    text = "one\ntwo\nthree four\n"
    assert render(label(diagnostic(text, "three"), "one", "first")).split("\n")[3:] == [
        "1 | one", "  | --- first", "2 | two", "3 | three four", "  | ^^^^^",
    ]  # fmt: skip
    assert render(label(diagnostic(text, "three", "no"), "four", "but")).split("\n")[3:] == [
        "3 | three four", "  | ^^^^^ no", "  |       ---- but",
    ]  # fmt: skip


def test_label_in_another_file() -> None:
    other = Span(Source("base.yaml", "x: 1\ny: 2\n"), 5, 6)
    d = diagnostic("a: 1\n", "a")
    text = render(Diagnostic(d.code, d.message, d.span, labels=(Label(other, "the base's"),)))
    assert text.split("\n")[5:] == [" ::: base.yaml:2:1", "  |", "2 | y: 2", "  | - the base's"]


@pytest.mark.parametrize("at", [0, 50, 5_000, 99_990])
def test_very_long_line_is_clipped_around_the_span(at: int) -> None:
    text = "." * at + "HERE" + "." * (100_000 - at)
    row, under = render(diagnostic(text, "HERE")).split("\n")[3:5]
    assert len(row) <= MAX_COLUMNS + 4 and row.index("HERE") == under.index("^") and under.count("^") == 4
    assert row.endswith("…") == (at < 99_990) and ("| …" in row) == (at > 0)


def test_very_long_span_and_far_labels_stay_short() -> None:
    text = "a" + "." * 50_000 + "b"
    rows = render(label(diagnostic(text, text[:-1]), "b", "the end")).split("\n")
    assert len(rows) == 7 and all(len(row) <= MAX_COLUMNS + 12 for row in rows)


def test_empty_span_and_end_of_file_get_one_caret() -> None:
    source = Source("x", "ab\n")
    assert render(Diagnostic("R107", "m", Span(source, 2, 2))).split("\n")[3:] == ["1 | ab", "  |   ^"]
    assert render(Diagnostic("R107", "m", Span(source, 3, 3))).split("\n")[3:] == ["2 |", "  | ^"]


def test_file_without_text_has_no_snippet() -> None:
    d = Diagnostic("R101", "no file `x` exists", Span(Source("x", ""), 0, 0), note="n", help="h")
    assert render(d) == "error[R101]: no file `x` exists\n --> x\n  = note: n\n  = help: h"


def test_nothing_that_a_terminal_obeys_gets_out() -> None:
    source = Source("a\x1b[2J", "k\x1b[31m: \u202e\x9b\rx\n")
    d = Diagnostic("R106", "m\x1b]0;x\x07\nsecond " + "y" * 5000, Span(source, 0, 3), "n\x1b", help="h\x1b")
    text = render(d)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert text.count("\n") == 5 and len(text) < 1000


def test_color_only_adds_codes() -> None:
    d = label(diagnostic("one two\n", "one", "note"), "two", "label")
    plain, colored = render(d), render(d, color=True)
    assert "\x1b" not in plain and re.sub("\x1b\\[[0-9;]*m", "", colored) == plain and "\x1b[1;31m" in colored
    assert "\x1b[1;33m" in render(diagnostic("one\n", "one", severity="warning"), color=True)


def test_render_all_separates_by_a_blank_line() -> None:
    d = diagnostic("one\n", "one")
    assert render_all([]) == "" and render_all([d, d]) == f"{render(d)}\n\n{render(d)}"


def test_json_has_exactly_its_keys() -> None:
    value = as_json(diagnostic("a: 1\nb: 2\n", "2", help="h"))
    assert json.loads(json.dumps(value)) == {
        "code": "R114", "slug": "duplicate-key", "severity": "error", "message": "no",
        "file": "games/poke.yaml", "line": 2, "column": 4, "help": "h",
    }  # fmt: skip

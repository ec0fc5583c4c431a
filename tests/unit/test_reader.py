"""Reading YAML: text stays text, places are exact, and every bad file gets a message with a line."""

import os
import time
from pathlib import Path

import pytest

from dsl.diagnostics import Diagnostic, Reporter
from dsl.reader import MAX_BYTES, MAX_DEPTH, MAX_NODES, Mapping, Scalar, Sequence, read_file, read_text
from dsl.render import render_all
from tests import golden_texts

CASES = Path(__file__).parents[1] / "cases" / "bad_yaml"


def read(text: str) -> tuple[Mapping | None, list[Diagnostic]]:
    reporter = Reporter()
    return read_text("game.yaml", text, reporter), reporter.diagnostics


def good(text: str) -> Mapping:
    tree, found = read(text)
    assert tree is not None and not found, render_all(found)
    return tree


def scalar(text: str, *path: str | int) -> Scalar:
    node = good(text)
    for step in path:
        node = node.items[step] if isinstance(step, int) else node.get(step)
    assert isinstance(node, Scalar)
    return node


def written(node: Scalar, start: int, end: int) -> str:
    span = node.embedded.span(start, end)
    return span.source.text[span.start : span.end]


def codes(text: str) -> list[str]:
    return [d.code for d in read(text)[1]]


# --- the tree ------------------------------------------------------------------------------------------------


WORDS = ["no", "yes", "010", "3:2", "1e3", "~", "null", "2024-01-01", "0x1F", "1_000", ".5", "-1"]


@pytest.mark.parametrize("word", WORDS)
def test_text_is_never_typed(word: str) -> None:
    assert scalar(f"a: {word}\n", "a").text == word
    assert scalar(f"a: [{word}, {word}]\n", "a", 1).text == word
    assert scalar(f"{word}: x\n", word).text == "x"


def test_mapping_gives_keys_values_and_entries_in_order() -> None:
    tree = good("b: 1\na: [x, {c: d}]\nempty:\n")
    assert tree.keys == ("b", "a", "empty")
    assert tree.get("z") is None and tree.entry("z") is None
    entry = tree.entry("a")
    assert entry is not None and entry.key.span.line == 2 and isinstance(entry.value, Sequence)
    empty = tree.get("empty")
    assert isinstance(empty, Scalar) and (empty.text, empty.style) == ("", "plain")
    assert str(empty.span) == "game.yaml:3:7"


def test_equality_ignores_places() -> None:
    assert good("a: [x, {b: c}]\n") == good('# hi\n"a":\n  - x\n  - b: |-\n      c\n')
    assert hash(good("a: 1\n").entries) == hash(good("a:    1\n").entries)


def test_spans_cover_what_is_written() -> None:
    text = 'a: {b: "c"}   # x\nd:\n  - e\n  - |\n    f\n\nz: 1\n'
    tree = good(text)
    shown = {entry.key.text: text[entry.value.span.start : entry.value.span.end] for entry in tree.entries}
    assert shown == {"a": '{b: "c"}', "d": "- e\n  - |\n    f", "z": "1"}
    assert text[tree.span.start : tree.span.end] == text.rstrip("\n")


# --- places of letters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["|", "|-", "|+", "|2", "|2-", "|-2", "|  # note"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_literal_block_maps_every_letter(header: str, newline: str) -> None:
    text = f"rules: {header}\n  rule a:\n    deal 5\n\n      to hand\n\nx: 1\n".replace("\n", newline)
    node = scalar(text, "rules")
    assert node.style == "block" and node.text.startswith("rule a:\n  deal 5\n\n    to hand")
    assert all(written(node, i, i + 1) == letter for i, letter in enumerate(node.text))
    deal = node.text.index("deal")
    assert str(node.embedded.span(deal, deal + 4)) == "game.yaml:3:5"


def test_indentation_indicator_keeps_leading_spaces() -> None:
    node = scalar("rules: |2\n      deep\n    less\n", "rules")
    assert node.text == "    deep\n  less\n"
    assert all(written(node, i, i + 1) == letter for i, letter in enumerate(node.text))


def test_folded_block_maps_words_and_line_ends() -> None:
    node = scalar("a: >\n\n  one\n  two\n\n  three\n    four\n  five\n\nb: 1\n", "a")
    assert node.text == "\none two\n\nthree\n  four\nfive\n".replace("two\n\n", "two\n")
    for i, letter in enumerate(node.text):
        assert written(node, i, i + 1) in (letter, "\n")
    five = node.text.index("five")
    assert str(node.embedded.span(five, five + 4)) == "game.yaml:8:3"


def test_plain_and_quoted_lines_are_folded_with_places() -> None:
    for quote in ("", "'", '"'):
        node = scalar(f"a: {quote}one\n   two\n\n  three{quote}\n", "a")
        assert node.text == "one two\nthree"
        assert str(node.embedded.span(4, 7)) == "game.yaml:2:4"
        assert str(node.embedded.span(8, 13)) == "game.yaml:4:3"
        assert written(node, 8, 13) == "three"


def test_quoted_escapes_keep_places_of_what_follows() -> None:
    node = scalar(r'''a: "x\u2660y\n\"z"''' + "\n", "a")
    assert node.text == 'x♠y\n"z'
    assert [written(node, i, i + 1) for i in range(6)] == ["x", "\\", "y", "\\", "\\", "z"]
    node = scalar("a: 'it''s'\n", "a")
    assert node.text == "it's" and written(node, 3, 4) == "s"
    node = scalar('a: "one \\\n    two"\n', "a")
    assert node.text == "one two" and written(node, 4, 7) == "two"


def test_empty_text_and_end_of_text_have_a_place() -> None:
    for text in ("a:\n", "a: ''\n", "a: |\n", "a: >\n\n"):
        node = scalar(text, "a")
        assert node.text == "" and node.embedded.span(0, 0).line == 1
    node = scalar("a: word\n", "a")
    assert str(node.embedded.span(4, 4)) == "game.yaml:1:8"


# --- bad files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", sorted(CASES.glob("*.yaml")), ids=lambda path: path.stem)
def test_bad_case_has_its_golden_text(case: Path) -> None:
    reporter = Reporter()
    read_file(case, case.name, reporter)
    assert case.stem[:4] in {d.code for d in reporter.diagnostics}
    text = render_all(reporter.diagnostics) + "\n"
    golden = case.with_suffix(".txt")
    if golden_texts.updates():
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def read_bytes(data: bytes, tmp_path: Path) -> tuple[Mapping | None, list[Diagnostic]]:
    path, reporter = tmp_path / "game.yaml", Reporter()
    path.write_bytes(data)
    return read_file(path, "game.yaml", reporter), reporter.diagnostics


def test_file_that_is_not_there(tmp_path: Path) -> None:
    reporter = Reporter()
    assert read_file(tmp_path / "no.yaml", "no.yaml", reporter) is None
    assert read_file(tmp_path, "folder", reporter) is None
    assert read_file(Path("a\0b"), "nul", reporter) is None
    assert read_file(tmp_path / ("x" * 5000), "long", reporter) is None
    found = {d.span.source.path: d.code for d in reporter.diagnostics}
    assert found == {"no.yaml": "R101", "folder": "R102", "nul": "R103", "long": "R103"}
    assert all(d.span.line == 1 for d in reporter.diagnostics)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reporter = Reporter()
    assert read_file(tmp_path / "pipe", "pipe", reporter) is None
    assert [d.code for d in reporter.diagnostics] == ["R102"]


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, reporter = tmp_path / "game.yaml", Reporter()
    path.write_text("a: 1\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # chmod does not stop root, who runs tests in containers
    assert read_file(path, "game.yaml", reporter) is None
    assert [d.code for d in reporter.diagnostics] == ["R103"]


def test_utf8_with_byte_order_mark_is_read(tmp_path: Path) -> None:
    tree, found = read_bytes(b"\xef\xbb\xbfa: \xe2\x99\xa0\n", tmp_path)
    assert tree is not None and not found and tree.keys == ("a",)
    assert tree.entries[0].key.span.column == 1


def test_latin1_is_reported_at_its_line_and_still_read(tmp_path: Path) -> None:
    tree, found = read_bytes("a: 1\nb: Schürze\nc: 1\nc: 2\n".encode("latin-1"), tmp_path)
    assert tree is not None
    assert [(d.code, d.span.line, d.span.column) for d in found] == [("R105", 2, 7), ("R114", 4, 1)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_are_named(encoding: str, tmp_path: Path) -> None:
    tree, found = read_bytes("game: poke\n".encode(encoding), tmp_path)
    assert tree is None and [d.code for d in found] == ["R105"]
    assert encoding[:6].upper() in found[0].message and found[0].span.source.line_text(1) == "game: poke"


def test_strange_characters_are_reported_each(tmp_path: Path) -> None:
    tree, found = read_bytes("a: x\0y\nb: \x1b[31m\nc: \u202e\nd: \u2028\n".encode(), tmp_path)
    assert tree is not None and [(d.code, d.span.line) for d in found] == [("R106", n) for n in (1, 2, 3, 4)]
    assert "\x1b" not in render_all(found)


def test_lone_carriage_returns_and_surrogates() -> None:
    assert set(codes("a: 1\rb: 2\r")) == {"R106"}
    assert codes("a: \ud800\n") == ["R106"]
    assert codes('a: "\\ud800"\n') == codes('a: "\\e"\n') == codes('a: "\\UFFFFFFFF"\n') == ["R136"]


def test_several_mistakes_come_together() -> None:
    tree, found = read("%YAML 1.2\na: &x 1\nb: *x\nb: !!int 2\nc: {<<: *x, d:1}\n---\ne: 1\n")
    assert tree is not None and tree.keys == ("a", "b", "c")
    assert [d.code for d in found] == ["R112", "R116", "R115", "R114", "R117", "R118", "R135", "R111"]


def test_first_of_equal_keys_is_kept_and_labelled() -> None:
    tree, found = read("a: 1\n'a': 2\n")
    assert tree is not None and tree.get("a") == good("a: 1\n").get("a")
    assert [(label.span.line, label.text) for label in found[0].labels] == [(1, "first written here")]


SYNTAX = {
    "a: 1\n  b: 2\n": "R133", "a: 1\n- b\n": "R133", " a: 1\nb: 2\n": "R133", "a: 1\n...\nb: 2\n": "R111",
    "a: ]\n": "R130", "a: [b,,c]\n": "R130", "a: - b\n": "R130", "a: [1, 2]]\n": "R130", "a: 'it's'\n": "R130",
    "a: {b: [1}\n": "R140", "a: [1, 2": "R132", "a: 'b": "R131", 'a: "b\n---\n': "R131", "a:\t1\n": "R113",
    "a: *\n": "R115", "a: &\n": "R116", "a: !x!y z\n": "R117", "a: !<x\n": "R117", "a: |0\n  x\n": "R139",
    "a: `x`\n": "R137", "a: 1\nfull_ho": "R138", "a: x # y\n  z\nb: 1\n": "R141", ": 1\n": "R119", "a: %b\n": "R137",
    "a: 1\n...\n%YAML " + "9" * 5000 + ".1\n---\n": "R112", "a:\n  - b\n c: 1\n": "R133", "[a]\nb: 1\n": "R130",
}  # fmt: skip


@pytest.mark.parametrize("text", SYNTAX)
def test_syntax_error_is_explained_once(text: str) -> None:
    tree, found = read(text)
    assert tree is None and [d.code for d in found] == [SYNTAX[text]]


@pytest.mark.parametrize("text", ["", "\n", "# a\n", "---\n", "--- \n...\n"])
def test_nothing_is_said_to_be_nothing(text: str) -> None:
    assert read(text)[0] is None and codes(text) == ["R107"]


def test_depth_and_number_limits_are_exact() -> None:
    inner = MAX_DEPTH - 1  # the file itself is the first level
    assert good("a: " + "[" * inner + "]" * inner + "\n")
    assert codes("a: " + "[" * (inner + 1) + "]" * (inner + 1) + "\n") == ["R120"]
    assert good("a: [" + "1," * (MAX_NODES - 3) + "]\n")
    assert codes("a: [" + "1," * (MAX_NODES - 2) + "]\n") == ["R121"]


def test_size_limit_is_exact(tmp_path: Path) -> None:
    tree, found = read_bytes(b"a: " + b"x" * (MAX_BYTES - 3), tmp_path)
    assert tree is not None and not found
    tree, found = read_bytes(b"a: " + b"x" * (MAX_BYTES - 2), tmp_path)
    assert tree is None and [d.code for d in found] == ["R104"]


HALF = MAX_BYTES // 2
BOMBS = {
    "brackets": "[" * MAX_BYTES, "a million brackets": "[" * 1_000_000, "braces": "{a: " * (HALF // 2),
    "dashes": "- " * HALF, "questions": "? " * HALF, "ten megabytes": "a: " + "x" * 10_000_000,
    "words": "a: " + "x " * (HALF - 2), "spaces": " " * MAX_BYTES, "lines": "\n" * MAX_BYTES,
    "returns": "\r" * MAX_BYTES,
    "tabs": "\t" * MAX_BYTES, "tab lines": "\ta\n" * (MAX_BYTES // 3), "nul": "\0" * MAX_BYTES,
    "directives": "%A\n" * (MAX_BYTES // 3), "documents": "---\n" * (HALF // 2), "anchors": "- &a\n" * (MAX_BYTES // 5),
    "equal keys": "a: 1\n" * (MAX_BYTES // 5), "literal": "a: |+\n" + "\n" * (MAX_BYTES - 6),
    "folded": "a: >\n" + " x\n" * (MAX_BYTES // 3 - 2), "escapes": 'a: "' + "\\x41" * (HALF // 2 - 2) + '"',
    "colons": "a: " + "b: " * (MAX_BYTES // 3 - 1), "far colon": "a:\n  b" + " " * (MAX_BYTES - 20) + "c: d",
    "laughs": "a: &a [l, l]\n" + "".join(f"b{i}: &b{i} [*a, *a, *a, *a, *a, *a]\n" for i in range(3000)),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_quickly(name: str) -> None:
    start = time.process_time()
    _, found = read(BOMBS[name])
    text = render_all(found)
    # About a second; the ceiling only tells a hang from a busy machine.
    assert time.process_time() - start < 60
    assert len(found) < 100 and len(text) < 100_000

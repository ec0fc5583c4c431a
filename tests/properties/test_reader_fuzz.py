"""Whatever the bytes: the reader answers quickly, never raises, and every place it names is a place in the file."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dsl.diagnostics import Diagnostic, Reporter
from dsl.reader import Mapping, Node, Scalar, Sequence, read_file, read_text
from dsl.render import as_json, render_all

QUICK = settings(deadline=2000, max_examples=300)

GAME = """\
hoyle: 1
game: "poke"      # a game
players: 2..7
cards: {ranks: [2, 3, J, Q], 'suits': [clubs, 'it''s'], ratio: 3:2}
text: one
  two

  three
say: "a \\u2660 b \\
   c"
folded: >-
  one
  two

    three
list:
- a
- b: c
  d: |2
      e
rules: |+
  define f(p) = x

  rule game:
    deal 5 to hand   [PB-010]

end: 1
"""
PIECES = [
    *" \t\n\r:#-?[]{},&*!|>%@`'\"\\~<=ab01", "\r\n", ": ", " #", "- ", "---\n", "...\n", "%YAML 1.1\n", "<<: ",
    "&a ", "*a", "!!int ", "\\u2660", "\\x", "\\U", "|2\n", ">-\n", "\n  ", "\0", "\x1b", "\u2028", "\ufeff", "♠",
    "\ud800",
]  # fmt: skip


def check(found: list[Diagnostic]) -> None:
    for d in found:
        for span in (d.span, *(label.span for label in d.labels)):
            assert 0 <= span.start <= span.end <= len(span.source.text)
            assert 1 <= span.line <= span.source.num_lines and span.column >= 1
        assert d.message == d.message[:1].lower() + d.message[1:] or d.message.startswith(("a NUL", "`"))
        as_json(d)
    render_all(found)


def nodes(node: Node) -> list[Node]:
    match node:
        case Scalar():
            return [node]
        case Sequence():
            return [node, *(inner for item in node.items for inner in nodes(item))]
        case Mapping():
            return [node, *(inner for e in node.entries for part in (e.key, e.value) for inner in nodes(part))]


def plain(node: Node) -> Any:
    match node:
        case Scalar():
            return node.text
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {entry.key.text: plain(entry.value) for entry in node.entries}


def check_places(node: Scalar) -> None:
    """Every letter is where it is said to be: itself, the line end that became it, or its escape."""
    for i, letter in enumerate(node.text):
        span = node.embedded.span(i, i + 1)
        written = span.source.text[span.start : span.end]
        folded = node.style != "block" or node.span.source.text[node.span.start] == ">"
        line_end = folded and letter == " " and written == "\n"
        escape = node.style == "quoted" and written == "\\"
        assert written == letter or line_end or escape
        assert node.span.start <= span.start <= span.end <= node.span.end or letter == "\n"


def check_text(text: str) -> None:
    reporter = Reporter()
    tree = read_text("fuzz.yaml", text, reporter)
    check(reporter.diagnostics)
    assert tree is not None or reporter.has_errors
    if tree is None:
        return
    for node in nodes(tree):
        assert 0 <= node.span.start <= node.span.end <= len(node.span.source.text)
    if not reporter.has_errors:
        assert plain(tree) == yaml.load(text.removeprefix("\ufeff"), Loader=yaml.BaseLoader)
        for node in nodes(tree):
            if isinstance(node, Scalar):
                check_places(node)


@QUICK
@given(st.binary(max_size=400))
@example(b"\xff\xfe")
@example(b"\xff\xfea")
@example(b"a\0b\0c\0d\0")
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
def test_random_bytes(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, reporter = Path(folder) / "fuzz.yaml", Reporter()
        path.write_bytes(data)
        tree = read_file(path, "fuzz.yaml", reporter)
    check(reporter.diagnostics)
    assert tree is not None or reporter.has_errors


@QUICK
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
@example("a: &a\n\n\n  # x\n\nb: 1\n")
@example("? |\n  a\n: b\n")
@example("a: !<x> &b 'c'\n")
def test_random_yaml_pieces(text: str) -> None:
    check_text(text)


EDIT = st.tuples(st.integers(0, len(GAME)), st.integers(0, 8), st.sampled_from(["", *PIECES]))


@QUICK
@given(st.lists(EDIT, max_size=6))
def test_mutated_game(edits: list[tuple[int, int, str]]) -> None:
    text = GAME
    for at, gone, new in edits:
        text = text[:at] + new + text[at + gone :]
    check_text(text)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_file_cut_off_anywhere(newline: str) -> None:
    text = GAME.replace("\n", newline)
    for end in range(len(text) + 1):
        check_text(text[:end])


LINE = st.text(st.sampled_from("ab:#- '\"[]{}♠牌=+.,"), max_size=12).map(lambda s: ("x" + s).rstrip(" "))
BLOCK_LINES = st.lists(st.one_of(LINE, st.just(""), LINE.map(lambda s: "  " + s)), min_size=1, max_size=6)


BLOCK = st.tuples(BLOCK_LINES, st.integers(1, 5), st.sampled_from(["", "-", "+"]), st.booleans())


@QUICK
@given(
    st.lists(BLOCK, min_size=1, max_size=4),
    st.sampled_from(["|", ">"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_letters_of_blocks_are_where_they_are_said_to_be(
    blocks: list[tuple[list[str], int, str, bool]], style: str, newline: str
) -> None:
    parts = []
    for number, (lines, indent, chomp, explicit) in enumerate(blocks):
        # Without a number the first line with text sets the indentation, so it may not start with a space.
        lines = lines if explicit else ["first", *lines]
        parts.append(f"k{number}: {style}{indent if explicit else ''}{chomp}\n")
        parts.extend(f"{' ' * indent if line else ''}{line}\n" for line in lines)
    reporter = Reporter()
    text = "".join(parts).replace("\n", newline)
    tree = read_text("blocks.yaml", text, reporter)
    assert tree is not None and not reporter.diagnostics
    assert len(tree.entries) == len(blocks)
    for entry, (lines, _, _, explicit) in zip(tree.entries, blocks, strict=True):
        node = entry.value
        assert isinstance(node, Scalar)
        check_places(node)
        if style == "|":
            expected = "\n".join(lines if explicit else ["first", *lines])
            assert node.text.rstrip("\n") == expected.rstrip("\n")
            for i, letter in enumerate(node.text):
                span = node.embedded.span(i, i + 1)
                assert text[span.start : span.end] == letter

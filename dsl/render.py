"""Diagnostics as text for people, in the manner of architecture.md, and as values for other programs."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dsl.codes import CODES
from dsl.diagnostics import Diagnostic
from dsl.source import Source, Span
from dsl.yamlscalars import REPLACEMENT, UNSAFE

MAX_COLUMNS: Final = 100  # of a source line; a longer one is clipped around what is marked
MAX_WORDS: Final = 400  # letters of a message, which may quote a whole scalar
_TAB: Final = 4
_CLIP: Final = "…"

_RESET: Final = "\x1b[0m"
_BOLD: Final = "\x1b[1m"
_BLUE: Final = "\x1b[1;34m"
_CYAN: Final = "\x1b[1;36m"
_SEVERITY_COLORS: Final = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m"}


@dataclass(frozen=True, slots=True)
class _Mark:
    """A part of one source line to underline; columns count code points from 0."""

    line: int
    start: int
    end: int
    sign: str
    text: str


def render(diagnostic: Diagnostic, color: bool = False) -> str:
    """One diagnostic as lines of text, without a line end after the last."""
    paint = _Painter(color)
    mark_color = _SEVERITY_COLORS[diagnostic.severity]
    by_source = _marks_by_source(diagnostic)
    numbers = [mark.line for _, marks in by_source for mark in marks]
    width = len(str(max(numbers, default=0))) if numbers else 1

    head = paint(f"{diagnostic.severity}[{diagnostic.code}]", mark_color)
    rows = [head + paint(f": {_safe(diagnostic.message)}", _BOLD)]
    shown_note = False
    for index, (span, marks) in enumerate(by_source):
        arrow = "-->" if index == 0 else ":::"
        place = _safe(str(span) if span.source.text else span.source.path)
        rows.append(" " * width + paint(f"{arrow} ", _BLUE) + place)
        if span.source.text:
            shown_note = shown_note or index == 0
            rows.append(" " * width + paint(" |", _BLUE))
            rows.extend(_snippet(span.source, marks, width, color, mark_color))
    if diagnostic.note and not shown_note:
        rows.append(" " * width + paint(" = note", _BLUE) + f": {_safe(diagnostic.note)}")
    if diagnostic.help:
        rows.append(" " * width + paint(" = ", _BLUE) + paint("help", _CYAN) + f": {_safe(diagnostic.help)}")
    return "\n".join(rows)


def render_all(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """All diagnostics as text, a blank line between two; nothing where there are none."""
    return "\n\n".join(render(diagnostic, color) for diagnostic in diagnostics)


def as_json(diagnostic: Diagnostic) -> dict[str, str | int]:
    """A diagnostic for other programs; line and column count from 1, the column in code points."""
    code = CODES.get(diagnostic.code)
    line, column = diagnostic.span.source.position(diagnostic.span.start)
    return {
        "code": diagnostic.code,
        "slug": code.slug if code else "",
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": diagnostic.span.source.path,
        "line": line,
        "column": column,
        "help": diagnostic.help,
    }


class _Painter:
    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, text: str, code: str) -> str:
        return f"{code}{text}{_RESET}" if self.color and text else text


def _marks_by_source(diagnostic: Diagnostic) -> list[tuple[Span, list[_Mark]]]:
    """For each file, its first span and what is to be underlined; the diagnostic's own file comes first."""
    found: list[tuple[Span, list[_Mark]]] = [(diagnostic.span, _marks(diagnostic.span, "^", diagnostic.note))]
    for label in diagnostic.labels:
        marks = _marks(label.span, "-", label.text)
        for span, others in found:
            if span.source is label.span.source:
                others.extend(marks)
                break
        else:
            found.append((label.span, marks))
    return found


def _marks(span: Span, sign: str, text: str) -> list[_Mark]:
    """One mark for each line a span touches, from its first to its last letter; the text goes to the last."""
    source = span.source
    first, start = source.position(span.start)
    last, end = source.position(max(span.end - 1, span.start))
    if first == last:
        return [_Mark(first, start - 1, max(end, start), sign, text)]
    marks = []
    for line in (first, last) if last - first > 3 else range(first, last + 1):
        words = source.line_text(line)
        left = start - 1 if line == first else len(words) - len(words.lstrip())
        right = min(end, len(words)) if line == last else len(words.rstrip())
        if right > left or line == first:
            marks.append(_Mark(line, left, max(right, left + 1), sign, ""))
    return [*marks[:-1], _Mark(marks[-1].line, marks[-1].start, marks[-1].end, sign, text)]


def _snippet(source: Source, marks: list[_Mark], width: int, color: bool, mark_color: str) -> list[str]:
    paint = _Painter(color)
    rows: list[str] = []
    before = 0
    for line in sorted({mark.line for mark in marks}):
        if before and line > before + 1:
            if line == before + 2:
                rows.append(_source_row(before + 1, _clipped(source.line_text(before + 1), 0, 0)[0], width, paint))
            else:
                rows.append(paint("...", _BLUE))
        before = line
        shown: str | None = None
        for mark in (mark for mark in marks if mark.line == line):
            text, start, end = _clipped(source.line_text(line), mark.start, mark.end)
            if text != shown:  # marks far apart on a very long line need it twice
                rows.append(_source_row(line, text, width, paint))
            shown = text
            under = paint(mark.sign * (end - start), mark_color if mark.sign == "^" else _BLUE)
            words = f" {_safe(mark.text)}" if mark.text else ""
            rows.append(" " * width + paint(" |", _BLUE) + " " * (start + 1) + under + words)
    return rows


def _source_row(line: int, text: str, width: int, paint: _Painter) -> str:
    return (paint(f"{line:>{width}} |", _BLUE) + (f" {text}" if text.strip() else "")).rstrip(" ")


def _clipped(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A source line as it is shown, and the columns on the screen where the mark starts and ends."""
    # Far more than can be shown is cut off first, so that a line of a megabyte costs no more than a short one.
    left = max(start - 4 * MAX_COLUMNS, 0)
    cut_after = len(text) > start + 4 * MAX_COLUMNS
    text = text[left : start + 4 * MAX_COLUMNS]
    start, end = start - left, max(end - left, start - left + 1)
    cells, columns = [], [0]
    for char in text:
        shown, size = _cell(char, columns[-1])
        cells.append(shown)
        columns.append(columns[-1] + size)
    at = columns[min(start, len(text))] + max(start - len(text), 0)
    to = columns[min(end, len(text))] if end <= len(text) else columns[-1] + 1 if start >= len(text) else columns[-1]
    to = max(to, at + 1)
    if not left and not cut_after and columns[-1] <= MAX_COLUMNS:
        return "".join(cells), at, to
    # Keep the mark in the middle when it is short, its start near the left edge when it is long.
    room = MAX_COLUMNS - 2
    want = max(at - max((room - (to - at)) // 2, room // 5), 0)
    first = next((i for i, column in enumerate(columns) if column >= want), len(text)) if want or left else 0
    stop = next((i for i in range(len(text), first, -1) if columns[i] - columns[first] <= room), first)
    ahead = _CLIP if first or left else ""
    behind = _CLIP if stop < len(text) or cut_after else ""
    shift = len(ahead) - columns[first]
    edge = len(ahead) + columns[stop] - columns[first]
    return ahead + "".join(cells[first:stop]) + behind, at + shift, max(min(to + shift, edge), at + shift + 1)


def _cell(char: str, column: int) -> tuple[str, int]:
    """How one character is shown, and how many columns it takes."""
    if char == "\t":
        size = _TAB - column % _TAB
        return " " * size, size
    if UNSAFE.match(char) or char in "\r\n":
        return REPLACEMENT, 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _safe(text: str) -> str:
    """Words that may quote a file: on one line, of bearable length, and nothing that a terminal would obey."""
    if len(text) > MAX_WORDS:
        text = text[:MAX_WORDS] + _CLIP
    return UNSAFE.sub(REPLACEMENT, " ".join(text.splitlines()) if "\n" in text or "\r" in text else text)

"""Where each letter of a YAML scalar stands in its file.

PyYAML gives a scalar's text and where it starts and ends, but not where each letter came from: indentation is
taken off, lines are folded, escapes are decoded. This module walks over the written text a second time and does
the same steps, noting the place of every letter. The result is compared with PyYAML's, so the two cannot drift.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from yaml.scanner import Scanner

from dsl.source import Embedded, Source

# What no rule file needs and no terminal should be sent: control characters, lone surrogates, non-characters,
# line ends other people's editors do not show as such, and marks that turn the direction of the text on the screen.
UNSAFE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\r(?!\n)|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)
_UNSAFE_VALUE: Final = re.compile(UNSAFE.pattern + "|\r")
REPLACEMENT: Final = "\ufffd"

_BLANK: Final = re.compile(r"[ \t\r\n]+")
_WORD: Final = {"": re.compile(r"[^ \t\r\n]+"), "'": re.compile(r"[^ \t\r\n']+"), '"': re.compile(r"[^ \t\r\n\\]+")}
_HEX_DIGITS: Final = {"x": 2, "u": 4, "U": 8}
_ESCAPES: Final[dict[str, str]] = Scanner.ESCAPE_REPLACEMENTS


@dataclass(frozen=True, slots=True)
class Located:
    """A scalar's text with its places, the end of what was written, and the escapes that name unsafe characters."""

    embedded: Embedded
    end: int
    bad_escapes: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class _Walk:
    """The letters found so far, and where they came from."""

    pieces: list[str] = field(default_factory=list)
    anchors: list[tuple[int, int]] = field(default_factory=list)
    bad_escapes: list[tuple[int, int]] = field(default_factory=list)
    size: int = 0
    reach: int = 0  # the end of the last letter that is not a line end

    def add(self, text: str, at: int) -> None:
        if not text:
            return
        if not self.anchors or at - self.anchors[-1][1] != self.size - self.anchors[-1][0]:
            self.anchors.append((self.size, at))
        self.pieces.append(text)
        self.size += len(text)
        if text != "\n":
            self.reach = at + len(text)


def locate(source: Source, text: str, start: int, end: int, style: str | None, value: str) -> Located:
    """The places of the letters of `value`, which PyYAML read between `start` and `end` of `text`.

    `text` is the source's text with unsafe characters replaced one for one; `style` is PyYAML's.
    """
    if style is None and text[start:end] == value:
        return Located(Embedded(source, value, ((0, start),)), end)
    walk = _Walk()
    match style:
        case "|" | ">":
            lines = _block_lines(text, start, end)
            (_literal if style == "|" else _folded)(walk, text, lines, value)
            end = max(walk.reach, _header_end(text, start))
        case "'" | '"':
            _flow(walk, text, start + 1, end - 1, style)
            value = _UNSAFE_VALUE.sub(REPLACEMENT, value)
        case _:
            _flow(walk, text, start, end, "")
    first = start + 1 if style in ("'", '"') else start
    # Only a mistake in this module could make them differ; the text then still stands, its places are rough.
    anchors = tuple(walk.anchors) if "".join(walk.pieces) == value else ()
    return Located(Embedded(source, value, anchors or ((0, first),)), end, tuple(walk.bad_escapes))


def _flow(walk: _Walk, text: str, start: int, end: int, quote: str) -> None:
    """A plain or quoted scalar: one line end becomes a space, more become one fewer; escapes are decoded."""
    word = _WORD[quote]
    at = start
    while at < end:
        if found := word.match(text, at, end):
            walk.add(found[0], at)
            at = found.end()
        elif found := _BLANK.match(text, at, end):
            breaks = _breaks(text, at, found.end())
            if not breaks:
                walk.add(found[0], at)
            elif len(breaks) == 1:
                walk.add(" ", breaks[0])
            for place in breaks[1:]:
                walk.add("\n", place)
            at = found.end()
        elif quote == "'":
            walk.add("'", at)
            at += 2
        else:
            at = _escape(walk, text, at, end)


def _escape(walk: _Walk, text: str, at: int, end: int) -> int:
    """One escape of a double-quoted scalar; gives the place after it."""
    letter = text[at + 1]
    if letter in "\r\n":  # the line goes on: the line end and the next line's indentation are no part of the text
        found = _BLANK.match(text, at + 1, end)
        stop = found.end() if found else at + 2
        for place in _breaks(text, at + 1, stop)[1:]:
            walk.add("\n", place)
        return stop
    stop = at + 2 + _HEX_DIGITS.get(letter, 0)
    char = chr(int(text[at + 2 : stop], 16)) if letter in _HEX_DIGITS else _ESCAPES.get(letter, letter)
    if _UNSAFE_VALUE.match(char):
        walk.bad_escapes.append((at, stop))
        char = REPLACEMENT
    walk.add(char, at)
    return stop


def _breaks(text: str, start: int, end: int) -> list[int]:
    return [place for place in range(start, end) if text[place] == "\n"]


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int  # without the line end
    newline: int | None  # where the line end's `\n` is


def _header_end(text: str, start: int) -> int:
    """The end of `|`, `>-` and so on."""
    end = start + 1
    while end < len(text) and text[end] in "+-0123456789":
        end += 1
    return end


def _block_lines(text: str, start: int, end: int) -> list[_Line]:
    """The lines of a block scalar, after the line of its `|`."""
    lines: list[_Line] = []
    at = text.find("\n", start, end) + 1
    while 0 < at < end:
        newline = text.find("\n", at, end)
        if newline < 0:
            lines.append(_Line(at, end, None))  # the last line of the file, or the indentation of what follows
            break
        lines.append(_Line(at, newline - (text[newline - 1] == "\r"), newline))
        at = newline + 1
    return lines


def _literal(walk: _Walk, text: str, lines: list[_Line], value: str) -> None:
    """A `|` block: each line of the text is the end of a written line, what is before it is indentation."""
    for content, line in zip(value.split("\n"), lines, strict=False):
        at = line.end - len(content)
        walk.add(text[at : line.end], at)
        if line.newline is not None and walk.size < len(value):
            walk.add("\n", line.newline)


def _folded(walk: _Walk, text: str, lines: list[_Line], value: str) -> None:
    """A `>` block: a line end between two lines that start with a letter becomes a space."""
    blank_before = len(value) - len(value.lstrip("\n"))
    if blank_before >= len(lines):
        _literal(walk, text, lines, value)  # nothing but line ends
        return
    first, rest = lines[blank_before], value[blank_before:]
    spaces = len(text[first.start : first.end]) - len(text[first.start : first.end].lstrip(" "))
    indent = max(spaces - (len(rest) - len(rest.lstrip(" "))), 0)

    pending: list[int] = []  # line ends since the last line with content, that line's own first
    glue = False  # whether that line starts with a letter
    for line in lines:
        content = text[line.start + indent : line.end]
        if content:
            leads = content[:1] not in (" ", "\t")
            if glue and leads:
                if len(pending) == 1:
                    walk.add(" ", pending[0])
                pending = pending[1:]
            for place in pending:
                walk.add("\n", place)
            walk.add(content, line.start + indent)
            pending, glue = [], leads
        if line.newline is not None:
            pending.append(line.newline)
    for place in pending[: len(value) - walk.size]:
        walk.add("\n", place)

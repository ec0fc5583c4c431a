"""Where text came from: files, spans in them, and text embedded inside other text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One file as it was read. `path` is what is shown to people; offsets count code points from 0."""

    path: str
    text: str
    _line_starts: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts = [0]
        starts.extend(i + 1 for i, ch in enumerate(self.text) if ch == "\n")
        object.__setattr__(self, "_line_starts", starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        line = bisect_right(self._line_starts, offset) - 1
        return line + 1, offset - self._line_starts[line] + 1

    def line_text(self, line: int) -> str:
        """The text of a line (counted from 1), without its line end."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    @property
    def num_lines(self) -> int:
        return len(self._line_starts)


@dataclass(frozen=True, slots=True)
class Span:
    """The code points `start` up to but not including `end` of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    def __str__(self) -> str:
        return f"{self.source.path}:{self.line}:{self.column}"


def first_line(span: Span) -> Span:
    """The first line of what may be a whole block: enough to find it by."""
    end = span.source.text.find("\n", span.start, span.end)
    return span if end == -1 else Span(span.source, span.start, end)


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text that stands inside a file, perhaps with its indentation taken off.

    `anchors` are pairs (offset in `text`, offset in the file), ascending; between two anchors both
    advance together. An offset of the text can so be told as an offset of the file.
    """

    source: Source
    text: str
    anchors: tuple[tuple[int, int], ...]

    def span(self, start: int, end: int) -> Span:
        """The span in the file of the code points `start` up to `end` of the text."""
        first = self._to_file(start)
        last = self._to_file(end - 1) + 1 if end > start else first
        return Span(self.source, first, max(first, last))

    def part(self, start: int, end: int) -> Embedded:
        """The code points `start` up to `end` of the text as a text of their own."""
        inside = [(at - start, there) for at, there in self.anchors if start < at < end]
        return Embedded(self.source, self.text[start:end], ((0, self._to_file(start)), *inside))

    def _to_file(self, offset: int) -> int:
        i = bisect_right(self.anchors, (offset, 1 << 60)) - 1
        at_text, at_file = self.anchors[max(i, 0)]
        return min(at_file + max(offset - at_text, 0), len(self.source.text))

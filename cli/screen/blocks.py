"""Text in rectangles: pieces of styled text that know what they stand for, set beside and above each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size

from cli.screen.targets import Target


class Span(NamedTuple):
    """A piece of text in one style, a name of `palette`. `target` is what lies there for a mouse that points at it."""

    text: str
    style: str = ""
    target: Target | None = None


Line: TypeAlias = list[Span]
Block: TypeAlias = list[Line]
"""Lines from top to bottom; they need not be equally long."""


def line_width(line: Line) -> int:
    """The columns that a line takes."""
    return sum(cell_len(span.text) for span in line)


def width(block: Block) -> int:
    """The columns that a block takes."""
    return max((line_width(line) for line in block), default=0)


def text(block: Block) -> str:
    """A block as plain text."""
    return "\n".join("".join(span.text for span in line).rstrip() for line in block)


def beside(blocks: Sequence[Block], gap: int = 2, at_bottom: bool = False) -> Block:
    """Blocks from left to right, level at the top or at the bottom."""
    blocks = [block for block in blocks if block]
    height = max((len(block) for block in blocks), default=0)
    if at_bottom:
        blocks = [[*([[]] * (height - len(block))), *block] for block in blocks]
    widths = [width(block) for block in blocks]
    lines: Block = []
    for row in range(height):
        line: Line = []
        for place, block in enumerate(blocks):
            piece = block[row] if row < len(block) else []
            line += piece
            if place + 1 < len(blocks):
                line.append(Span(" " * (widths[place] - line_width(piece) + gap)))
        lines.append(line)
    return lines


def above(blocks: Iterable[Block], gap: int = 0) -> Block:
    """Blocks from top to bottom, with empty lines between."""
    lines: Block = []
    for block in blocks:
        if block and lines:
            lines += [[] for _ in range(gap)]
        lines += block
    return lines


def flow(blocks: Sequence[Block], room: int, gap: int = 2, at_bottom: bool = False) -> Block:
    """Blocks beside each other as far as there is room, then on below: like words of a text."""
    rows: list[list[Block]] = [[]]
    used = 0
    for block in blocks:
        needed = width(block)
        if rows[-1] and used + gap + needed > room:
            rows.append([])
            used = 0
        used += needed + (gap if rows[-1] else 0)
        rows[-1].append(block)
    return above([beside(row, gap, at_bottom) for row in rows])


def inset(block: Block, left: int) -> Block:
    """The block moved to the right."""
    return [[Span(" " * left), *line] if line else line for line in block]


def cut(line: Line, room: int) -> Line:
    """As much of a line as there is room for, with a sign that there is more."""
    if line_width(line) <= room:
        return line
    kept: Line = []
    left = room - 1
    for span in line:
        size = cell_len(span.text)
        if size > left:
            kept.append(span._replace(text=set_cell_size(span.text, max(left, 0)) + "…"))
            break
        kept.append(span)
        left -= size
    return kept


def wrapped(spans: Sequence[Span], room: int, indent: int = 2) -> Block:
    """Spans as a paragraph, broken between words; lines after the first are indented."""
    lines: Block = [[]]
    used = 0
    for span in spans:
        for word in _words(span.text):
            size = cell_len(word)
            if used + cell_len(word.rstrip()) > room and used > (indent if len(lines) > 1 else 0):
                lines.append([Span(" " * indent)])
                used = indent
                word = word.lstrip()
                size = cell_len(word)
            while used + cell_len(word.rstrip()) > room > indent + 1:
                head = set_cell_size(word, room - used)
                lines[-1].append(span._replace(text=head))
                lines.append([Span(" " * indent)])
                word, used = word[len(head) :], indent
                size = cell_len(word)
            lines[-1].append(span._replace(text=word))
            used += size
    return lines


def _words(text: str) -> list[str]:
    """Words, each with the blanks behind it."""
    words: list[str] = []
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or (text[place - 1] == " " and text[place] != " "):
            words.append(text[start:place])
            start = place
    return words

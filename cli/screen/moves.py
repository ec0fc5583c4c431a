"""The list of moves on the screen: numbered, in columns, or in groups where there are many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.cells import cell_len

from cli.menu import FEW, Move
from cli.screen.blocks import Block, Line, Span, cut, line_width
from cli.screen.targets import GroupAt, MoveAt

BEST = 3
"""So many moves that the tutor thinks best are shown before a long list."""


def listed(moves: Sequence[Move], room: int, chosen: int | None, notes: Mapping[int, Line] | None = None) -> Block:
    """Moves as they are listed in so many columns; `chosen` is the number of the one that Enter plays.

    `notes` by number, the best first, stand behind their moves, one move to a line; of many moves only the first of
    them are shown so, before all.
    """
    groups = [list(group) for _, group in groupby(moves, key=lambda move: move.group)]
    if notes and len(moves) <= FEW:
        return _with_notes(moves, room, chosen, notes)
    by_number = {move.number: move for move in moves}
    best = [by_number[number] for number in notes or () if number in by_number][:BEST]
    noted = _with_notes(best, room, chosen, notes or {})
    if len(moves) > FEW and len(groups) > 1:
        return [*noted, *_grouped(groups, room, chosen)]
    return [*noted, *_columns(moves, room, chosen)]


def _move(move: Move, digits: int, chosen: int | None, text: str | None = None) -> Line:
    target = MoveAt(move.number)
    style = "move.chosen" if move.number == chosen else "move"
    return [
        Span(f"{move.number:>{digits}} ", "move.number", target),
        Span(f" {move.shown if text is None else text} ", style, target),
    ]


def _columns(moves: Sequence[Move], room: int, chosen: int | None) -> Block:
    digits = len(str(max((move.number for move in moves), default=0)))
    cells = [_move(move, digits, chosen) for move in moves]
    width = max(map(line_width, cells), default=0) + 2
    per_row = max(room // width, 1)
    rows = -(-len(cells) // per_row)
    lines: Block = []
    for row in range(rows):
        line: Line = []
        for cell in cells[row::rows]:
            line += [*cell, Span(" " * (width - line_width(cell)))]
        lines.append(cut(line[:-1], room))
    return lines


def _grouped(groups: Sequence[Sequence[Move]], room: int, chosen: int | None) -> Block:
    digits = len(str(groups[-1][-1].number))
    lines: Block = []
    for group in groups:
        if len(group) == 1:
            lines.append(cut(_move(group[0], digits, chosen), room))
            continue
        target = GroupAt(group[0].group)
        line: Line = [
            Span(f"{group[0].number:>{digits}} ", "move.number", target),
            Span(f" {group[0].group} ", "strong", target),
            Span(f"({len(group)})  ", "dim", target),
        ]
        left = room - line_width(line) - 1
        for move in group:
            if left < cell_len(move.rest) + 3:
                line.append(Span("…", "dim", target))
                break
            is_chosen = move.number == chosen
            line += [Span(move.rest, "move.chosen" if is_chosen else "label", MoveAt(move.number)), Span("  ")]
            left -= cell_len(move.rest) + 2
        lines.append(line)
    return lines


def _with_notes(moves: Sequence[Move], room: int, chosen: int | None, notes: Mapping[int, Line]) -> Block:
    digits = len(str(max((move.number for move in moves), default=0)))
    cells = [_move(move, digits, chosen) for move in moves]
    width = min(max(map(line_width, cells), default=0), room // 2)
    lines: Block = []
    for move, cell in zip(moves, cells, strict=True):
        cell = cut(cell, width)
        note = notes.get(move.number, [])
        lines.append(cut([*cell, Span(" " * (width - line_width(cell) + 1)), *note], room))
    return lines

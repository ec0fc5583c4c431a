"""How the app draws what it has taken in: which canvas shows what, and how much room each has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.widgets import Static

from cli.screen import moves
from cli.screen.blocks import Line, Span, line_width
from cli.screen.canvas import Canvas
from cli.screen.commands import Commands
from cli.screen.tabletop import Looking, Tabletop
from cli.screen.targets import MoveAt

if TYPE_CHECKING:
    from cli.screen.app import TableApp

WIDE: Final = 110
"""From so many columns on, the log and the combinations stand beside the table."""
TIGHTER: Final = 4
"""So many rows the log and the list of moves give up where the table has too few; as the style sheet has it."""
SHORT: Final = 30_000
"""With so many milliseconds left the clock changes colour."""


class Drawing:
    """Draws one table, as the app has last taken it in."""

    def __init__(self, app: TableApp, top: Tabletop, commands: Commands) -> None:
        self._app, self._top, self._commands = app, top, commands

    def everything(self) -> None:
        """Draws all canvases of the table."""
        is_wide = self._app.size.width >= WIDE
        self._app.screen_stack[0].set_class(is_wide, "-wide")
        self.bar()
        self.moves()
        self.log()
        self.kinds()
        self.felt()

    def bar(self) -> None:
        sitting, turn = self._app.sitting, self._app.turn
        if sitting.is_over:
            now = sitting.ending()
        elif turn is not None:
            now = f"your move: {sitting.asked(turn.player)}"
        elif self._app.seen.to_move:
            now = f"seat {self._app.seen.to_move[0]} thinks" if self._app.thinks else ""
        else:
            now = ""
        left: Line = [Span(f" {sitting.model.title} ", "title"), Span(f" {now}", "bar")]
        clock = turn.thinking.time_left if turn is not None else self._commands.clock()
        short = (self._app.seen.clock_ms or 0) - (turn.thinking.elapsed_ms if turn is not None else 0) <= SHORT
        right: Line = [Span(f"{clock} left ", "clock.short" if short else "clock")] if clock else []
        right = [Span(f"seed {sitting.play.seed}  ", "bar.dim"), *right]
        bar = self._app.query_one("#bar", Canvas)
        gap = bar.size.width - line_width(left) - line_width(right)
        bar.show([[*left, Span(" " * max(gap, 1)), *right]])

    def moves(self, show: int | None = None) -> None:
        """The moves that fit, from the first one, or so that the one with the number `show` is seen."""
        canvas = self._app.query_one("#moves", Canvas)
        room = max(canvas.size.width - 1, 10)
        asked, picking = self._app.query_one("#asked", Static), self._app.picking
        if self._app.sitting.is_over:
            block = self._commands.ending()
            asked.update("")
        elif picking is None:
            block = [[Span("…", "dim")]]
            asked.update("")
        else:
            block = moves.listed(self._app.fitting(), room, picking.chosen, self._app.notes)
            asked.update(f"{self._app.sitting.asked(picking.turn.player)}> ")
        canvas.show(block)
        canvas.scroll_home(animate=False)
        for row, line in enumerate(block):
            if show is not None and any(span.target == MoveAt(show) for span in line):
                canvas.scroll_to(y=max(row - canvas.size.height + 1, 0), animate=False)
                break

    def log(self) -> None:
        for name in ("#log-below", "#log-beside"):
            log = self._app.query_one(name, Canvas)
            log.show(self._app.told.block(max(log.size.width - 1, 10)))

    def kinds(self) -> None:
        kinds = self._app.query_one("#kinds", Canvas)
        block = self._commands.kinds(max(kinds.size.width, 10))
        kinds.display = bool(block)
        kinds.show(block)

    def felt(self) -> None:
        felt = self._app.query_one("#felt", Canvas)
        picking, ghosts = self._app.picking, self._commands.ghosts()
        looking = Looking(ghosts=ghosts) if picking is None else Looking(picking.lit, picking.picks, ghosts)
        columns, rows = felt.size.width, felt.size.height
        # Where the table needs it, the log and the list of moves make room.
        base = self._app.screen_stack[0]
        roomy = rows - TIGHTER if base.has_class("-tight") else rows
        base.set_class(len(self._top.block(self._app.seen, looking, columns, roomy)) > roomy, "-tight")
        block = self._top.block(self._app.seen, looking, columns, rows)
        is_new = len(block) != len(felt.block)
        felt.show(block)
        if is_new and len(block) > felt.size.height:
            # One's own cards are at the bottom.
            felt.scroll_end(animate=False)

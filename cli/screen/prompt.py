"""The line at the bottom where moves are typed, and the small box that tells of what is pointed at."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message
from textual.widgets import Input

from cli.screen.blocks import Block, width
from cli.screen.canvas import Canvas

PLACEHOLDER = "number, name or click · Tab: next · Enter: play · F1: help"


class Prompt(Input):
    """Where moves are typed. While it is empty, arrows and the space bar go over the table instead."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "walk(-1)", show=False),
        Binding("right", "walk(1)", show=False),
    ]

    class Walked(Message):
        """Go on to the next thing on the table, or back to the one before."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Picked(Message):
        """Take what the keyboard has come to."""

    def __init__(self) -> None:
        super().__init__(placeholder=PLACEHOLDER, id="typed", compact=True, select_on_focus=False)

    def action_walk(self, by: int) -> None:
        if not self.value:
            self.post_message(self.Walked(by))
        elif by < 0:
            self.action_cursor_left()
        else:
            self.action_cursor_right()

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "space" and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.Picked())
            return
        await super()._on_key(event)


class Popup(Canvas):
    """A small box over the table."""

    def __init__(self) -> None:
        super().__init__("bar", id="popup")
        self.display = False

    def tell(self, block: Block, x: int, y: int, columns: int, rows: int) -> None:
        """Shows a block near a place of the screen, not over it; an empty one hides the box."""
        self.display = bool(block)
        if not block:
            return
        wide, high = min(width(block) + 4, columns), min(len(block) + 2, rows)
        below = y + 1 + high <= rows
        left = max(min(x + 1, columns - wide), 0)
        top = y + 1 if below else max(y - high, 0)
        self.styles.width, self.styles.height = wide, high
        self.styles.offset = Offset(left, top)
        self.show(block)

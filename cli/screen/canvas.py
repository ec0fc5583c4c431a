"""A widget that shows a block of text, tells what of it the mouse points at, and scrolls where there is too much."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from cli.screen import palette
from cli.screen.blocks import Block, text, width
from cli.screen.targets import Target


class Canvas(ScrollView, can_focus=False):
    """Shows a block. `ground` is the style of what lies beneath it."""

    class Pointed(Message):
        """The mouse points at something else now, or with None at nothing. `x` and `y` are its place on the screen."""

        def __init__(self, target: Target | None, x: int, y: int) -> None:
            super().__init__()
            self.target, self.x, self.y = target, x, y

    class Resized(Message):
        """There is another amount of room now."""

        def __init__(self, canvas: Canvas) -> None:
            super().__init__()
            self.canvas = canvas

        @property
        def control(self) -> Canvas:
            return self.canvas

    class Clicked(Message):
        """Something was clicked; None where nothing lies there."""

        def __init__(self, target: Target | None) -> None:
            super().__init__()
            self.target = target

    def __init__(self, ground: str, id: str, follows: bool = False) -> None:
        super().__init__(id=id)
        self._ground, self._follows = ground, follows
        self._block: Block = []
        self._pointed: Target | None = None

    @property
    def block(self) -> Block:
        return self._block

    @property
    def plain_text(self) -> str:
        """What it shows, as plain text."""
        return text(self._block)

    def show(self, block: Block) -> None:
        """Shows another block; one that `follows` scrolls to its end."""
        self._block = block
        self.virtual_size = Size(min(width(block), self.size.width), len(block))
        if self._follows:
            # Forced: that there is more than fits is known only after the next layout, which may come later.
            self.scroll_end(animate=False, force=True)
        self.refresh()

    def point_at(self, target: Target | None) -> None:
        """Lets something stand out, as if the mouse pointed at it."""
        if target != self._pointed:
            self._pointed = target
            self.refresh()

    def place_of(self, target: Target) -> tuple[int, int] | None:
        """Where on the screen a target lies; None where it is not to be seen."""
        for y, line in enumerate(self._block):
            x = 0
            for span in line:
                if span.target == target:
                    row = y - self.scroll_offset.y
                    if not 0 <= row < self.size.height:
                        return None
                    return self.content_region.x + x, self.content_region.y + row
                x += cell_len(span.text)
        return None

    def render_line(self, y: int) -> Strip:
        ground = palette.style(self._ground)
        row = y + self.scroll_offset.y
        line = self._block[row] if row < len(self._block) else []
        pointed = self._pointed
        segments = [
            Segment(span.text, ground + palette.style(span.style, span.target is not None and span.target == pointed))
            for span in line
        ]
        return Strip(segments).adjust_cell_length(self.size.width, ground)

    def _target_at(self, x: int, y: int) -> Target | None:
        row = y + self.scroll_offset.y
        if not 0 <= row < len(self._block):
            return None
        for span in self._block[row]:
            x -= cell_len(span.text)
            if x < 0:
                return span.target
        return None

    def on_resize(self) -> None:
        self.post_message(self.Resized(self))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        target = self._target_at(event.x, event.y)
        if target != self._pointed:
            self.point_at(target)
            self.post_message(self.Pointed(target, event.screen_x, event.screen_y))

    def on_leave(self, event: events.Leave) -> None:
        if self._pointed is not None:
            self.point_at(None)
            self.post_message(self.Pointed(None, 0, 0))

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Clicked(self._target_at(event.x, event.y)))

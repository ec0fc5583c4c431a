"""Screens over the table: the curtain between seats that share it, and sheets of text to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from cli.screen.blocks import Block
from cli.screen.canvas import Canvas


class Curtain(ModalScreen[None]):
    """Hides everything until the next seat has taken over."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "dismiss", "go on"), Binding("ctrl+q", "app.quit")]
    CSS = """
    Curtain { background: #0c241c; align: center middle; }
    Curtain #message { width: auto; text-align: center; padding: 1 4; background: #14382c; color: #dce8e0;
                       border: round #ffd75f; }
    """

    def __init__(self, player: int) -> None:
        super().__init__()
        self._player = player

    def compose(self) -> ComposeResult:
        yield Static(
            f"[b]Pass the screen to seat {self._player + 1}.[/b]\n\nNobody else looks.\nEnter or a click goes on.",
            id="message",
        )

    def on_click(self) -> None:
        self.dismiss()


class Sheet(ModalScreen[None]):
    """Text to read, with a way back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q,f1,f2,f3", "dismiss", "back"),
        Binding("up", "scroll(-1)"), Binding("down", "scroll(1)"),
        Binding("pageup", "scroll(-10)"), Binding("pagedown,space", "scroll(10)"),
        Binding("home", "scroll(-100000)"), Binding("end", "scroll(100000)"),
        Binding("ctrl+q", "app.quit"),
    ]  # fmt: skip
    CSS = """
    Sheet { align: center middle; background: #000000 60%; }
    Sheet Vertical { width: 90%; max-width: 100; height: 90%; background: #0c241c; border: round #ffd75f;
                     border-title-color: #ffd75f; border-subtitle-color: #8aa899; padding: 0 1; }
    Sheet Canvas { height: 1fr; }
    """

    def __init__(self, title: str, block: Callable[[int], Block], at_end: bool = False) -> None:
        super().__init__()
        self._title, self._block, self._at_end = title, block, at_end

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title, box.border_subtitle = self._title, "Esc goes back"
            yield Canvas("bar", id="text")

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        canvas = self.query_one("#text", Canvas)
        canvas.show(self._block(max(canvas.size.width - 1, 10)))
        if self._at_end:
            canvas.scroll_end(animate=False)

    def action_scroll(self, rows: int) -> None:
        self.query_one("#text", Canvas).scroll_relative(y=rows, animate=False)

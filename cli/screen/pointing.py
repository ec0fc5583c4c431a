"""What the mouse or the keys point at: it is marked where it lies, and a small box tells of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cli.screen.blocks import Block
from cli.screen.canvas import Canvas
from cli.screen.commands import Commands
from cli.screen.prompt import Popup
from cli.screen.targets import CardAt, Target, ZoneAt

if TYPE_CHECKING:
    from cli.screen.app import TableApp

_CANVASES: Final = ("#felt", "#kinds")
"""Where something can be pointed at by keys."""


class Pointing:
    """Points at things on the table of an app; `target` is what is pointed at now."""

    def __init__(self, app: TableApp, commands: Commands) -> None:
        self._app, self._commands = app, commands
        self.target: Target | None = None

    def at(self, target: Target | None, x: int = 0, y: int = 0) -> None:
        """Points at a target, drawn at a place of the screen, or at nothing."""
        self.target = target
        for name in _CANVASES:
            self._app.query_one(name, Canvas).point_at(target)
        columns, rows = self._app.size.width, self._app.size.height
        block: Block = [] if target is None else self._commands.hint(target, min(columns - 6, 60))
        self._app.query_one(Popup).tell(block, x, y, columns, rows)
        if isinstance(target, CardAt | ZoneAt):
            self._app.query_one("#felt", Canvas).refresh()

    def targets(self) -> list[Target]:
        """What can be pointed at on the table, in reading order."""
        found: dict[Target, None] = {}
        for name in _CANVASES:
            canvas = self._app.query_one(name, Canvas)
            if canvas.display and canvas.size.width:
                found.update((span.target, None) for line in canvas.block for span in line if span.target is not None)
        return list(found)

    def walk(self, targets: Sequence[Target], by: int) -> None:
        """Goes on by so many of the targets, round and round."""
        if not targets:
            return
        place = targets.index(self.target) + by if self.target in targets else (0 if by > 0 else -1)
        target = targets[place % len(targets)]
        for name in _CANVASES:
            found = self._app.query_one(name, Canvas).place_of(target)
            if found is not None:
                self.at(target, *found)
                return
        self.at(target)

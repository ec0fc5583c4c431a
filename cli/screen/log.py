"""What has been told so far, to each viewer what they saw, and why: the line of the rules and the clauses behind it."""

from __future__ import annotations

from collections.abc import Iterable

from cli.cardtext import CardText
from cli.news import Told
from cli.screen.blocks import Block, Span, wrapped
from cli.screen.targets import EntryAt

KEPT = 500
"""So many lines are kept for each viewer; `log` tells the rest."""


class Log:
    """The lines of one viewer."""

    def __init__(self, text: CardText) -> None:
        self._text = text
        self._lines: list[Told] = []
        self._fresh = 0

    def add(self, lines: Iterable[Told]) -> None:
        """Adds news; what is older is drawn less bright until the next call."""
        lines = list(lines)
        if lines:
            self._fresh = len(self._lines)
            self._lines += lines
            gone = max(len(self._lines) - KEPT, 0)
            del self._lines[:gone]
            self._fresh = max(self._fresh - gone, 0)

    def say(self, text: str, style: str = "yellow") -> None:
        """Adds an answer to something that was asked or tried."""
        self._lines.append(Told(style, text))

    def entry(self, number: int) -> Told:
        return self._lines[number]

    def block(self, room: int) -> Block:
        """The lines in so many columns, clauses behind them."""
        block: Block = []
        for number, line in enumerate(self._lines):
            target = EntryAt(number)
            style = line.style if number >= self._fresh or line.style in ("yellow", "bold") else "dim"
            lead = len(line.text) - len(line.text.lstrip())
            spans = [Span(" " * lead), Span(self._text.decorate(line.text.strip()), style, target)]
            if line.cites:
                spans.append(Span(f"  {' '.join(line.cites)}", "cites", target))
            block += wrapped(spans, room, lead + 2)
        return block

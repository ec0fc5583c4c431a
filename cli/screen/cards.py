"""Cards as they are drawn: in three sizes, fanned where there is little room, face down where they are hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from cli.cardtext import CardText
from cli.screen import palette
from cli.screen.blocks import Block, Line, Span, above
from cli.screen.targets import Target
from interpreter.cards import JOKER, CardSet

EDGE: Final = "▏"
RED_SUITS: Final = "♥♦"


@dataclass(frozen=True, slots=True)
class Size:
    """How large a card is drawn. `step` is how much of a card under others must be seen; `gap` lies between cards."""

    name: str
    height: int
    extra: int
    step: int
    gap: int


SMALL: Final = Size("small", 1, 0, 0, 0)
LARGE: Final = Size("large", 3, 1, -1, 1)
HUGE: Final = Size("huge", 5, 3, -1, 1)


@dataclass(frozen=True, slots=True)
class Card:
    """A card to be drawn. `name` None is one that the viewer does not know; `look` is card, lit, picked or ghost."""

    name: str | None
    target: Target | None
    look: str = "card"


class CardDrawing:
    """Draws the cards of one game."""

    def __init__(self, cards: CardSet, text: CardText) -> None:
        self._faces: dict[str, tuple[str, str]] = {}
        for face, name in enumerate(cards.names):
            if name == JOKER:
                self._faces[name] = ("★", "J")
                continue
            label = cards.rank_labels[cards.face_rank[face]]
            self._faces[name] = (label, text.decorate(name).removeprefix(label))
        ranks = max((cell_len(rank) for rank, _ in self._faces.values()), default=1)
        suits = max((cell_len(suit) for _, suit in self._faces.values()), default=1)
        self._ranks, self._index = ranks, 1 + ranks + suits

    def width(self, size: Size) -> int:
        """The columns of a whole card."""
        return self._index + size.extra

    def least_step(self, size: Size) -> int:
        """The columns of a card that others lie on which must be seen: its edge and its rank, and the suit below."""
        return self._index + size.step

    def fan(self, cards: Sequence[Card], size: Size, room: int) -> Block:
        """Cards side by side; where there is no room they overlap, and where even that is too wide they break."""
        if not cards:
            return []
        whole, count = self.width(size), len(cards)
        step = whole + size.gap
        if whole + step * (count - 1) > room:
            step = max((room - whole) // max(count - 1, 1), self.least_step(size))
        per_line = max((room - whole) // step + 1, 1)
        rows = [cards[start : start + per_line] for start in range(0, count, per_line)]
        return above([self._row(row, size, step) for row in rows])

    def _row(self, cards: Sequence[Card], size: Size, step: int) -> Block:
        lines: Block = [[] for _ in range(size.height)]
        whole = self.width(size)
        for place, card in enumerate(cards):
            seen = whole if place + 1 == len(cards) else min(step, whole)
            for line, piece in zip(lines, self.card(card, size), strict=True):
                line += _first(piece, seen)
                if seen < step and place + 1 < len(cards):
                    line.append(Span(" " * (step - seen)))
        return lines

    def backs(self, count: int, size: Size, room: int, target: Target | None, look: str = "card") -> Block:
        """Cards face down of which nothing is known but their number: closely packed."""
        style = {"lit": "back.lit", "picked": "back.picked"}.get(look, "back")
        step = 2
        whole = self.width(size)
        shown = min(count, (room - whole) // step + 1)
        if shown < count:
            shown = max((room - whole - len(f" ×{count}")) // step + 1, 1)
        text = (EDGE + "░") * (shown - 1) + EDGE + "░" * (whole - 1)
        line = [Span(text, style, target)]
        if shown < count:
            line.append(Span(f" ×{count}", "label", target))
        return [list(line) if row == 0 else line[:1] for row in range(size.height)] if count else []

    def slot(self, size: Size, target: Target | None, is_lit: bool) -> Block:
        """An empty place for a card."""
        style = "slot.lit" if is_lit else "slot"
        whole = self.width(size)
        middle = size.height // 2
        return [
            [Span(("·" if row == middle else " ").center(whole), style, target)] for row in range(size.height)
        ]

    def card(self, card: Card, size: Size) -> Block:
        """One card."""
        if card.name is None:
            style = {"lit": "back.lit", "picked": "back.picked"}.get(card.look, "back")
            row = [Span(EDGE + "░" * (self.width(size) - 1), style, card.target)]
            return [row for _ in range(size.height)]
        rank, suit = self._faces[card.name]
        style = f"{card.look}.{'red' if suit and suit[0] in RED_SUITS else 'black'}"
        inside = self.width(size) - 1
        return [self._line(text.ljust(inside), style, card.target) for text in _rows(rank, suit, inside, size.height)]

    def _line(self, text: str, style: str, target: Target | None) -> Line:
        return [Span(EDGE, palette.EDGE + style, target), Span(text, style, target)]


def _rows(rank: str, suit: str, inside: int, height: int) -> list[str]:
    """What a card shows, line by line."""
    if height == 1:
        return [rank + suit]
    corner = f"{rank} ".rjust(inside)
    if height == 3:
        return [rank, f" {suit}", corner]
    # The suit once more in the middle.
    return [rank, suit, suit.center(inside), f"{suit} ".rjust(inside), corner]


def _first(line: Line, columns: int) -> Line:
    """The first columns of a line of a card, whose characters take one column each."""
    kept: Line = []
    for span in line:
        if columns <= 0:
            break
        kept.append(span._replace(text=span.text[:columns]))
        columns -= len(span.text)
    return kept

"""What is told of the thing that the mouse points at, or that the keyboard has come to.

Everything is taken from what the viewer sees now: from the observation, and from the rules.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from cli.cardtext import CardText
from cli.screen.blocks import Block, Line, Span, wrapped
from cli.screen.cards import SMALL, Card, CardDrawing
from cli.screen.targets import CardAt, KindAt, SeatAt, Target, ZoneAt
from dsl import ir
from interpreter.machine import Machine
from interpreter.observe import Observation
from interpreter.values import plain, show_number

_TRIES = 400
"""So many times cards are drawn in search of an example."""


class Hints:
    """Hints for one game."""

    def __init__(self, machine: Machine, text: CardText) -> None:
        self._machine, self._text = machine, text
        self._draw = CardDrawing(machine.words.cards, text)
        self._examples: dict[int, tuple[int, ...]] = {}

    def of(self, target: Target, seen: Observation, room: int) -> Block:
        """What to say of a target, in so many columns; nothing where there is nothing to say."""
        match target:
            case KindAt(kind):
                return self.kind(kind, room)
            case CardAt(zone, _, name):
                return [*self._card(name), *self.zone(zone, seen, room)]
            case ZoneAt(zone):
                return self.zone(zone, seen, room)
            case SeatAt(player):
                return self._seat(player, seen)
            case _:
                return []

    # ----------------------------------------------------------------------------------- combinations

    def kind(self, kind: int, room: int) -> Block:
        """A combination with what it is worth, and an example of it."""
        row = self._machine.game.kinds[kind]
        worth = ", ".join(f"{plain(name)} {show_number(value)}" for name, value in row.columns)
        lines: Block = [[Span(plain(row.name), "strong", KindAt(kind)), Span(f"  {worth}" if worth else "", "label")]]
        example = self.example(kind)
        if not example:
            return lines
        names = [self._machine.words.cards.name(card) for card in example]
        lines += self._draw.fan([Card(name, None) for name in names], SMALL, room)
        found = self._machine.words.combinations.find(kind, example)
        said = None if found is None or row.pattern is None else self._machine.words.combinations.describe(found)
        if said and said != plain(row.name):
            lines.append([Span(f"for example {said}", "dim")])
        return lines

    def example(self, kind: int) -> tuple[int, ...]:
        """Cards that are this kind and nothing better, the same ones each time; none where none were found.

        They are those that the file shows it by, if it does. Else cards of the whole pack are looked at first, then
        ever other parts of it, so that what is found need not be the best of its kind.
        """
        if kind not in self._examples:
            self._examples[kind] = self._find_example(kind)
        return self._examples[kind]

    def _find_example(self, kind: int) -> tuple[int, ...]:
        combinations, pack = self._machine.words.combinations, self._machine.words.cards.pack
        rng = random.Random(f"example/{kind}")
        row = self._machine.game.kinds[kind]
        if row.example:
            return self._machine.words.cards.showing(row.example)
        most = max((k.size for k in self._machine.game.kinds), default=5)
        sizes = [min(len(pack), n) for n in ((row.size or most,) if row.pattern is None else (8, 13, 26))]
        for attempt in range(_TRIES):
            some = pack if attempt == 0 and row.pattern is not None else rng.sample(pack, sizes[attempt % len(sizes)])
            found = combinations.find(kind, some)
            if found is None or not found.cards:
                continue
            best = combinations.best(found.cards)
            if best is not None and best.kind == kind:
                return found.cards
        return ()

    # ------------------------------------------------------------------------------------------- zones

    def zone(self, zone: int, seen: Observation, room: int) -> Block:
        """What a place is, how many cards lie there, and which of them the viewer may know."""
        layout = self._machine.layout
        declared, name = layout.cell_zones[zone], layout.zone_names[zone]
        pile = seen.zones[name]
        count = pile["count"]
        number = "hidden" if count is None else f"{count} card{'' if count == 1 else 's'}"
        who = {"everyone": "open to all", "owner": "its owner sees it", "nobody": "hidden"}[declared.seen]
        lines: Block = [[Span(name, "strong"), Span(f"  {number}, {who}", "label")]]
        if "contents" in pile:
            return [*lines, [Span("left in it:", "dim")], *self._table(pile["contents"])]
        known = [card for card in pile["cards"] or [] if card is not None]
        if known and (count is None or len(known) < count):
            lines += wrapped([Span("you know "), *self._names(known)], room)
        elif len(known) > 1:
            lines += wrapped(self._names(known), room)
        index = next((i for i, d in enumerate(declared.dims) if isinstance(d, ir.KindType)), None)
        if index is not None:
            lines += self.kind(layout.zone_cells[zone].indices[index], room)
        return lines

    def _table(self, names: Sequence[str]) -> Block:
        """Cards by suit, one line each, with gaps where a card is gone."""
        cards = self._machine.words.cards
        count = Counter(names)
        lines: Block = []
        for suit in range(cards.num_suits):
            line: Line = []
            for face, name in enumerate(cards.names):
                if cards.face_suit[face] != suit:
                    continue
                left = count[name]
                drawn = self._draw.card(Card(name, None, "card" if left else "ghost"), SMALL)[0]
                line += drawn if left else [Span(" " * sum(len(span.text) for span in drawn))]
                if max(count.values(), default=1) > 1:
                    line.append(Span(f"{left} " if left > 1 else "  ", "dim"))
            if any(count[name] for face, name in enumerate(cards.names) if cards.face_suit[face] == suit):
                lines.append(line)
        return lines or [[Span("nothing", "dim")]]

    def _names(self, names: Sequence[str]) -> Line:
        return [Span(self._text.decorate(" ".join(self._text.in_order(names))), "strong")]

    def _card(self, name: str | None) -> Block:
        if name is None:
            return [[Span("a hidden card", "strong")]]
        cards = self._machine.words.cards
        return [[Span(cards.long_name(cards.names.index(name)), "strong")]]

    def _seat(self, player: int, seen: Observation) -> Block:
        you = " (you)" if seen.viewer == player + 1 else ""
        turn = ", to move" if player + 1 in seen.to_move else ""
        return [[Span(f"seat {player + 1}{you}{turn}", "strong")]]

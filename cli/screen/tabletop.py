"""The table as it is drawn: seats around what lies in the middle, in the order that the file's layout hints at.

The other seats are at the top, what belongs to nobody and the cards of a trick in the middle, the viewer at the
bottom. Cards are drawn as large as there is room for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cli.cardtext import CardText
from cli.screen.blocks import Block, Line, Span, above, beside, flow, inset, line_width, width, wrapped
from cli.screen.cards import HUGE, LARGE, SMALL, Card, CardDrawing, Size
from cli.screen.targets import CardAt, KindAt, SeatAt, Target, ZoneAt
from cli.table import Table, is_of_players, is_told
from dsl import ir, model
from interpreter.machine import Machine
from interpreter.observe import Observation
from interpreter.values import Fault, plain

_NUMBER: Final = re.compile(r"(?<![\w])-?\d[\d./]*(?![\w])")
_PANEL: Final = 26  # the least columns of a seat beside others


@dataclass(frozen=True, slots=True)
class Looking:
    """What of the table stands out: what takes part in a legal move, what was picked, and what lay there last."""

    lit: frozenset[Target] = frozenset()
    picks: tuple[Target, ...] = ()
    ghosts: Mapping[int, Sequence[str | None]] = field(default_factory=dict)

    def of(self, target: Target) -> str:
        """How a card or place is drawn."""
        return "picked" if target in self.picks else "lit" if target in self.lit else "card"


@dataclass(frozen=True, slots=True)
class _Scale:
    """How large things are drawn: cards of the viewer, of the middle, of others; whether rows stay apart."""

    own: Size
    middle: Size
    others: Size
    apart: bool


_SCALES: Final = (
    _Scale(HUGE, HUGE, LARGE, True),
    _Scale(HUGE, LARGE, LARGE, True),
    _Scale(LARGE, LARGE, LARGE, True),
    _Scale(HUGE, LARGE, SMALL, True),
    _Scale(LARGE, LARGE, SMALL, True),
    _Scale(LARGE, LARGE, SMALL, False),
    _Scale(LARGE, SMALL, SMALL, True),
    _Scale(LARGE, SMALL, SMALL, False),
    _Scale(SMALL, SMALL, SMALL, True),
    _Scale(SMALL, SMALL, SMALL, False),
)


class Tabletop:
    """Draws the table of one game for one viewer at a time."""

    def __init__(self, machine: Machine, layout: model.Layout, text: CardText) -> None:
        self._machine, self._text = machine, text
        self._facts = Table(machine, layout, text)
        self._draw = CardDrawing(machine.words.cards, text)
        self._rows = [[name for name in row if name in machine.layout.zones] for row in layout.rows]
        self._hinted = {name for row in layout.rows for name in row}
        self._rows += [[name] for name in self._facts.zone_order if name not in self._hinted]
        declared = machine.layout.declared_zones
        self._shared = {name for name in declared if not is_of_players(declared[name].dims)}
        # Cards of a trick lie in the middle, whoever played them.
        self._tricks = [
            name for name in self._facts.zone_order if self._facts.shape(name) == "trick" and name not in self._shared
        ]
        dims = [declared[name].dims for name in self._shared]
        # What names a player is told at that player's seat, what belongs to a zone beside the zone.
        self._roles = [v for v in machine.game.state if not v.dims and is_told(v) and _names_player(v.type)]
        self._beside = {v.name for v in machine.game.state if v.dims and v.dims in dims}
        self._beside |= {v.name for v in self._roles}
        hands = [n for n in declared if n not in self._shared and self._facts.shape(n) == "hand"]
        self._only_hand = hands[0] if len(hands) == 1 else None
        self._room_for = self._capacities()
        kinds = {plain(kind.name): number for number, kind in enumerate(machine.game.kinds)}
        names = "|".join(map(re.escape, sorted(kinds, key=len, reverse=True)))
        self._kind = re.compile(rf"(?<!\w)(?:{names})(?!\w)") if kinds else None
        self._kinds = kinds

    def block(self, seen: Observation, looking: Looking, columns: int, rows: int) -> Block:
        """The table in so many columns; in more rows than there are only where it cannot be drawn smaller."""
        sections: list[Block] = []
        for scale in _SCALES:
            sections = [section for section in self._sections(seen, looking, columns, scale) if section]
            needed = sum(map(len, sections))
            if needed <= rows and all(width(section) <= columns for section in sections):
                break
        spare = max(rows - sum(map(len, sections)), 0)
        gap = min(spare // max(len(sections) + 1, 1), 4)
        top: Block = [[] for _ in range(min(gap, 2))]
        return top + above([self._centred(section, columns) for section in sections], gap)

    def _centred(self, section: Block, columns: int) -> Block:
        return inset(section, max((columns - width(section)) // 2, 0))

    # ---------------------------------------------------------------------------------------- sections

    def _sections(self, seen: Observation, looking: Looking, columns: int, scale: _Scale) -> list[Block]:
        viewer = None if seen.viewer is None else seen.viewer - 1
        count = self._machine.game.num_players
        first = 0 if viewer is None else viewer + 1
        others = [p % count for p in range(first, first + count) if p % count != viewer]
        return [
            self._others(seen, looking, others, columns, scale),
            *self._middle(seen, looking, columns, scale),
            [] if viewer is None else self._own(seen, looking, viewer, columns, scale),
        ]

    def _others(self, seen: Observation, looking: Looking, seats: list[int], columns: int, scale: _Scale) -> Block:
        """The other seats, in as many columns as make the fewest lines."""
        best: Block = []
        for across in range(1, len(seats) + 1):
            room = (columns - 3 * (across - 1)) // across
            if across > 1 and room < _PANEL:
                break
            panels = [self._panel(seen, looking, p, room, scale) for p in seats]
            if across > 1 and any(width(panel) > room for panel in panels):
                continue
            widest = max(width(panel) for panel in panels)
            padded = [_widened(panel, widest) for panel in panels]
            rows = [beside(padded[i : i + across], 3) for i in range(0, len(padded), across)]
            block = above(rows)
            if not best or len(block) < len(best) or (len(block) == len(best) and width(block) < width(best)):
                best = block
        return best

    def _panel(self, seen: Observation, looking: Looking, player: int, room: int, scale: _Scale) -> Block:
        boxes = [
            self._box(seen, looking, name, indices, label, room - 2, scale.others, None)
            for row in self._rows for name in row
            if name not in self._shared and name not in self._tricks
            for indices, label in self._family(name, player)
            if self._is_worth(seen, name, indices)
        ]  # fmt: skip
        header = self._header(seen, looking, player, room)
        if scale.apart:
            return above([header, inset(flow(boxes, room - 2), 2)])
        first, *rest = flow([header, *boxes], room - 2)
        return [first, *inset(rest, 2)]

    def _own(self, seen: Observation, looking: Looking, player: int, columns: int, scale: _Scale) -> Block:
        rows: list[Block] = []
        for names in self._rows:
            boxes = [
                self._box(seen, looking, name, indices, label, columns - 2, self._own_size(name, scale), player)
                for name in names
                if name not in self._shared and name not in self._tricks
                for indices, label in self._family(name, player)
                if len(self._family(name, player)) > 1 or self._is_worth(seen, name, indices, player)
            ]
            if boxes:
                rows.append(flow(boxes, columns - 2, at_bottom=True))
        if self._machine.game.num_players == 1 and not rows and not self._facts.seat_state(seen, player):
            return []
        header = self._header(seen, looking, player, columns)
        rows = rows if scale.apart else [flow(rows, columns - 2, at_bottom=True)]
        widest = max(map(width, [header, *rows]))
        return above([self._centred(row, widest) for row in [header, *rows]])

    def _own_size(self, name: str, scale: _Scale) -> Size:
        """A hand is drawn large; what lies on the table like the middle; a board has too many places for that."""
        shape = self._facts.shape(name)
        if shape == "hand":
            return scale.own
        return (LARGE if scale.own is HUGE else SMALL) if shape == "board" else scale.middle

    def _middle(self, seen: Observation, looking: Looking, columns: int, scale: _Scale) -> list[Block]:
        rows: list[list[Block]] = []
        for names in self._rows:
            boxes: list[Block] = []
            for name in names:
                if name in self._tricks:
                    boxes += self._trick(seen, looking, name, columns, scale.middle)
                elif name in self._shared:
                    size = SMALL if self._is_stacked(names, scale) else scale.middle
                    boxes += [
                        self._box(seen, looking, name, indices, label, columns, size, -1)
                        for indices, label in self._family(name, None)
                        if name in self._hinted or self._is_worth(seen, name, indices)
                    ]
            if self._is_stacked(names, scale):
                boxes = [above(boxes)]
            if boxes:
                rows.append(boxes)
        if scale.apart:
            found = [flow(boxes, columns, 3) for boxes in rows]
        else:
            found = [flow([box for boxes in rows for box in boxes], columns, 2)]
        words = self._facts.shared_state(seen, self._beside)
        return [*found, self._state(words, columns)]

    def _is_stacked(self, names: Sequence[str], scale: _Scale) -> bool:
        """Whether the zones of a row are piles that are drawn small, one above the other: where room is scarce."""
        return not scale.apart and len(names) > 1 and all(
            name in self._shared and self._facts.shape(name) == "pile" for name in names
        )

    def _trick(self, seen: Observation, looking: Looking, name: str, columns: int, size: Size) -> list[Block]:
        boxes = []
        for player in range(self._machine.game.num_players):
            for indices, label in self._family(name, player):
                where = f"seat {player + 1} {label}".rstrip()
                boxes.append(self._box(seen, looking, name, indices, where, columns, size, -1))
        return boxes

    def _header(self, seen: Observation, looking: Looking, player: int, room: int) -> Block:
        """Whose place it is, whether they are to move, and what is counted for them."""
        target = SeatAt(player)
        several = self._machine.game.num_players > 1
        turn, own = player + 1 in seen.to_move, player + 1 == seen.viewer
        look = looking.of(target)
        style = f"place.{look}" if look != "card" else "turn" if turn else "you" if own else "strong"
        mark = "▶ " if turn and several else "✓ " if player + 1 in seen.chosen else "  "
        name = f"seat {player + 1}{' (you)' if own else ''}" if several else ""
        roles = [plain(v.name) for v in self._roles if self._role(seen, v) == player]
        words = self._facts.seat_state(seen, player)
        spans = [Span(mark, "turn"), Span(name, style, target)] if name else []
        spans += [Span(f"  {', '.join(roles)}", "you")] if roles and name else []
        for place, word in enumerate(words):
            spans += [Span("   " if place or name else ""), *self._spans(word)]
        return wrapped(spans, room, indent=4) if spans else []

    def _role(self, seen: Observation, variable: ir.StateVar) -> int | None:
        """The player that a variable names, where it is seen and names one."""
        shown = seen.state.get(variable.name)
        words, players = self._machine.words, range(self._machine.game.num_players)
        return next((p for p in players if words.show(p, variable.type) == shown), None)

    def _state(self, words: list[str], columns: int) -> Block:
        spans: Line = []
        for place, word in enumerate(words):
            spans += [Span("   " if place else ""), *self._spans(word)]
        return wrapped(spans, columns, indent=0) if spans else []

    def _spans(self, words: str) -> Line:
        """Words in which numbers stand out and combinations can be pointed at."""
        spans: Line = []
        end = 0
        found: list[tuple[int, int, int | None]] = [(m.start(), m.end(), None) for m in _NUMBER.finditer(words)]
        if self._kind is not None:
            found += [(m.start(), m.end(), self._kinds[m[0]]) for m in self._kind.finditer(words)]
        for start, stop, kind in sorted(found, key=lambda f: f[:2]):
            if start < end:
                continue
            spans.append(Span(words[end:start], "label"))
            spans.append(
                Span(words[start:stop], "value") if kind is None else Span(words[start:stop], "strong", KindAt(kind))
            )
            end = stop
        return [*spans, Span(words[end:], "label")]

    # ------------------------------------------------------------------------------------------- zones

    def _family(self, name: str, player: int | None) -> list[tuple[tuple[int, ...], str]]:
        return self._facts.cells(name, self._machine.layout.declared_zones[name].dims, player)

    def _pile(self, seen: Observation, name: str, indices: tuple[int, ...]) -> tuple[int, dict[str, Any]]:
        zone = self._facts.zone_place(name, indices)
        return zone, seen.zones[self._machine.layout.zone_names[zone]]

    def _is_worth(self, seen: Observation, name: str, indices: tuple[int, ...], own: int | None = None) -> bool:
        """Whether a zone of a seat is drawn although it may be empty."""
        pile = self._pile(seen, name, indices)[1]
        return pile["count"] != 0 or (own is not None and self._facts.shape(name) == "hand")

    def _box(
        self, seen: Observation, looking: Looking, name: str, indices: tuple[int, ...], label: str, room: int,
        size: Size, owner: int | None,
    ) -> Block:  # fmt: skip
        """One zone: its label, and its cards below, or where they are small beside it.

        `owner`: the viewer where it is theirs, -1 in the middle, None at another seat.
        """
        zone, pile = self._pile(seen, name, indices)
        declared = self._machine.layout.declared_zones[name]
        shape, count = self._facts.shape(name), pile["count"]
        target = ZoneAt(zone)
        look = looking.of(target)
        style = f"place.{look}" if look != "card" else "dim"
        title = label if shape in ("board", "trick") and label else f"{plain(name)} {label}".rstrip()
        title = "" if name == self._only_hand and count != 0 else title
        is_pile = shape == "pile" or (not shape and count is not None and count > 1 and not any(pile["cards"]))
        spans = [Span(title, style, target)]
        if is_pile and count is not None:
            spans.append(Span(f" {count}", "value" if count else "dim", target))
        beside_it = self._facts.variables_beside(seen, declared.dims, indices) if name in self._shared else []
        for variable, value in beside_it:
            if value is not None and value is not False:
                shown = plain(variable) if value is True else f"{plain(variable)} {self._facts.value(value)}"
                spans += [Span("  "), *self._spans(shown)]
        small = size.height == 1 or not title
        left = room - (line_width(spans) + 1 if small else 0)
        cards = self._cards(zone, pile, shape, is_pile, looking, size, max(left, self._draw.width(size)), owner)
        if not title:
            return cards
        if small and len(cards) <= 1:
            return [[*spans, Span(" "), *(cards[0] if cards else [Span("-", "dim")])]]
        return above([[spans], cards or [[Span("-", "dim")]]])

    def _cards(
        self, zone: int, pile: dict[str, Any], shape: str, is_pile: bool, looking: Looking, size: Size, room: int,
        owner: int | None,
    ) -> Block:  # fmt: skip
        count, names = pile["count"], list(pile["cards"] or [])
        target = ZoneAt(zone)
        if count is None:
            known = [Card(name, target) for name in names]
            return self._draw.fan(known, size, room) if known else [[Span("hidden", "dim", target)]]
        cards = [Card(name, place := CardAt(zone, i, name), looking.of(place)) for i, name in enumerate(names)]
        if not cards:
            ghosts = [Card(name, target, "ghost") for name in looking.ghosts.get(zone, ())]
            if ghosts:
                return self._draw.fan(ghosts, size, room)
            capacity = self._room_for[zone]
            if owner is None or shape == "hand" or (size.height == 1 and capacity is None):
                return []
        if is_pile:
            if not cards:
                return self._draw.slot(size, target, looking.of(target) != "card")
            return self._stack(cards, size, target, looking.of(target))
        if names and ((shape == "hand" and owner is None) or not any(names)):
            return self._face_down(cards, size, room, target)
        if shape == "hand":
            held = self._text.in_order({name for name in names if name is not None})
            order = {held_name: place for place, held_name in enumerate(held)}
            cards.sort(key=lambda card: len(held) if card.name is None else order[card.name])
        fan = self._draw.fan(cards, size, room)
        capacity = self._room_for[zone]
        # Free places are shown where cards are laid: on boards, in the middle, and where one may be laid now.
        is_laid = shape == "board" or (shape == "row" and (owner == -1 or looking.of(target) != "card"))
        if owner is not None and is_laid and capacity is not None and 0 < capacity - len(cards) <= 5:
            slot = self._draw.slot(size, target, looking.of(target) != "card")
            free = [fan, *([slot] * (capacity - len(cards)))]
            laid = beside(free, size.gap)
            return laid if width(laid) <= room else fan or slot
        return fan or (self._draw.slot(size, target, looking.of(target) != "card") if owner is not None else [])

    def _stack(self, cards: list[Card], size: Size, target: Target, look: str) -> Block:
        """A pile: the card on top, and a shadow of those below."""
        top = cards[-1]
        block = self._draw.card(Card(top.name, top.target if top.look != "card" else target, top.look), size)
        if look != "card" and top.look == "card":
            block = self._draw.card(Card(top.name, target, look), size)
        return [[*line, Span("▌", "slot", target)] for line in block] if len(cards) > 1 else block

    def _face_down(self, cards: list[Card], size: Size, room: int, target: Target) -> Block:
        """Cards of somebody else: those that are known, and the others closely packed."""
        known = [card for card in cards if card.name is not None]
        hidden = [card for card in cards if card.name is None]
        if any(card.look != "card" for card in hidden):
            return self._draw.fan(cards, size, room)
        open_ones = self._draw.fan(known, size, room)
        left = max(room - width(open_ones) - 1, self._draw.width(size)) if known else room
        return beside([open_ones, self._draw.backs(len(hidden), size, left, target)], 1)

    def _capacities(self) -> list[int | None]:
        """How many cards each zone can hold, so far as that is the same for the whole game."""
        blank = self._machine.blank(recording=False)
        found: list[int | None] = []
        for zone in range(len(self._machine.layout.zone_cells)):
            try:
                found.append(self._machine.mover.capacity(blank, zone))
            except Fault:
                found.append(None)
        return found


def _names_player(type_: ir.Type) -> bool:
    return isinstance(type_.of if isinstance(type_, ir.OptionalType) else type_, ir.PlayerType)


def _widened(block: Block, columns: int) -> Block:
    return [[*line, Span(" " * (columns - line_width(line)))] for line in block]

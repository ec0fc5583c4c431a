"""The log of a playthrough in the words of the game, as each of those who watch saw it.

A viewer is a seat, or None for the public, who see what everybody sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, assert_never

from dsl import ir
from dsl.source import Span
from interpreter import history
from interpreter.history import Entry
from interpreter.state import Layout, State
from interpreter.values import UNSET, as_cards, plain, show_number


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log: what happened, the clauses behind it, and where the rules say so."""

    text: str
    cites: tuple[str, ...]
    rule: str
    span: Span | None


class Narrator:
    """Puts what happened in words. It says only what the viewer saw."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.words = layout, layout.words

    def log(self, state: State, viewer: int | None, last: int | None = None) -> list[Line]:
        """What a viewer saw so far, the earliest first; of the `last` so many entries if that is given.

        Cards dealt by one line of the rules, one deal after the other, make one line.
        """
        lines = []
        for entries in _grouped([e for e in history.entries(state, last) if self.is_told(e)]):
            text = self.deals_text(entries, viewer) if len(entries) > 1 else self.text(entries[0], viewer)
            if text is not None:
                origin = entries[0].origin
                lines.append(Line(text, origin.cites, origin.rule, origin.span))
        return lines

    def is_told(self, entry: Entry) -> bool:
        """Whether the log tells of it: changes of mere bookkeeping it leaves out."""
        return not isinstance(entry, history.Assigned) or self.layout.cell_vars[entry.cell].told == "everywhere"

    def text(self, entry: Entry, viewer: int | None) -> str | None:
        """What a viewer saw of an entry; None where they saw nothing."""
        bit = self.layout.viewer_bit(viewer)
        match entry:
            case history.Moved():
                return self._moved(entry, bit)
            case history.Revealed(_, cards, sources, to, masks):
                whom = "everybody" if to is None else f"seat {to + 1}"
                return f"shown to {whom}: {self._by_zone(cards, sources, masks, bit)}"
            case history.Uncovered(_, card, zone):
                return f"on top of {self.layout.zone_names[zone]}: {self.words.cards.name(card)}"
            case history.Chose():
                return self._chose(entry, viewer, bit)
            case history.Assigned():
                return self._assigned(entry, bit)
            case history.Shuffled(_, zone, by):
                name = self.layout.zone_names[zone]
                return f"seat {by + 1} shuffles the {name}" if by is not None else f"the {name} is shuffled"
            case history.WasCut(_, zone, by):
                name = self.layout.zone_names[zone]
                return f"seat {by + 1} cuts the {name}" if by is not None else f"the {name} is cut"
            case history.Picked(_, cell, value, mask, masks):
                if not mask & bit:
                    return None
                declared = self.layout.cell_vars[cell]
                name = "" if declared.local else f" as {self.layout.var_names[cell]}"
                return f"chance picks {self._value(value, declared.type, masks, bit)}{name}"
            case history.Announced(_, text):
                return text
            case history.Struck(_, event):
                return f"clock: {plain(event.name)}, {seconds(event.at)} left"
            case history.Ended(_, reason):
                return f"the game is over: {plain(reason)}"
        assert_never(entry)

    def deals_text(self, deals: Sequence[Entry], viewer: int | None) -> str:
        """Several deals from one zone in one line."""
        bit = self.layout.viewer_bit(viewer)
        dealt: dict[int, list[tuple[int, int]]] = {}
        source = ""
        for deal in deals:
            assert isinstance(deal, history.Moved)
            source = self._zones(deal.sources)
            dealt.setdefault(deal.target, []).extend(zip(deal.cards, deal.masks, strict=True))
        names = self.layout.zone_names
        parts = []
        for cards, targets in groupby(dealt.items(), key=lambda item: self._dealt(item[1], bit)):
            parts.append(f"{cards} to {', '.join(names[target] for target, _ in targets)}")
        return f"deal from {source}: {'; '.join(parts)}"

    # ------------------------------------------------------------------------------------------- phrases

    def _dealt(self, cards: list[tuple[int, int]], bit: int) -> str:
        return self._cards([c for c, _ in cards], [m for _, m in cards], bit)

    def _moved(self, entry: history.Moved, bit: int) -> str | None:
        target = self.layout.zone_names[entry.target]
        if entry.how == "gather":
            return f"gather the cards into {target}"
        counted = [self.layout.zone_counted[z] for z in (*entry.sources, entry.target)]
        cards = self._cards(entry.cards, entry.masks, bit) if any(c & bit for c in counted) else "cards"
        return f"{entry.how} {cards} from {self._zones(entry.sources)} to {target}"

    def _chose(self, entry: history.Chose, viewer: int | None, bit: int) -> str | None:
        seat = f"seat {entry.player + 1}"
        if entry.secret and viewer != entry.player:
            return f"{seat} has chosen"
        arguments = []
        for parameter, value in zip(entry.action.parameters, entry.values, strict=True):
            arguments.append(self._value(value, parameter.type, entry.masks, bit))
        said = " ".join([plain(entry.action.name), ", ".join(arguments)]).rstrip()
        return f"{seat} chooses: {said}" if entry.secret else f"{seat}: {said}"

    def _assigned(self, entry: history.Assigned, bit: int) -> str | None:
        if not entry.mask & bit:
            return None
        name, type_ = self.layout.var_names[entry.cell], self.layout.cell_vars[entry.cell].type
        new = self._value(entry.new, type_, entry.masks, bit)
        if entry.old is UNSET or _is_cards(type_):
            return f"{name}: {new}"
        return f"{name}: {self._value(entry.old, type_, {}, bit)} -> {new}"

    def _value(self, value: Any, type_: ir.Type, masks: dict[int, int], bit: int) -> str:
        if _is_cards(type_) and value is not None and value is not UNSET:
            cards = as_cards(value)
            return self._cards(cards, [masks.get(c, 0) for c in cards], bit)
        return self.words.show(value, type_)

    def _cards(self, cards: Sequence[int], masks: Sequence[int], bit: int) -> str:
        """The cards that were seen, and how many were not."""
        seen = [self.words.cards.name(c) for c, mask in zip(cards, masks, strict=True) if mask & bit]
        hidden = len(cards) - len(seen)
        if not cards:
            return "no cards"
        if not hidden:
            return " ".join(seen)
        if not seen:
            return "a card" if hidden == 1 else f"{hidden} cards"
        return f"{' '.join(seen)} and {hidden} other card{'' if hidden == 1 else 's'}"

    def _by_zone(self, cards: Sequence[int], sources: Sequence[int], masks: Sequence[int], bit: int) -> str:
        """Whose cards are whose: those of each zone together, zones in the order in which they come."""
        parts = []
        for zone in dict.fromkeys(sources):
            here = [i for i, source in enumerate(sources) if source == zone]
            shown = self._cards([cards[i] for i in here], [masks[i] for i in here], bit)
            parts.append(f"{shown} ({self.layout.zone_names[zone]})")
        return ", ".join(parts) or "no cards"

    def _zones(self, zones: Iterable[int]) -> str:
        return ", ".join(self.layout.zone_names[z] for z in dict.fromkeys(zones))


def seconds(milliseconds: int) -> str:
    """A time: "30 seconds", "1.5 seconds"."""
    return f"{show_number(Fraction(milliseconds, 1000))} second{'' if milliseconds == 1000 else 's'}"


def _grouped(entries: list[Entry]) -> list[list[Entry]]:
    """Each entry by itself, but deals that follow each other by one line of the rules together."""
    groups: list[list[Entry]] = []
    for entry in entries:
        before = groups[-1][-1] if groups else None
        if (
            isinstance(entry, history.Moved)
            and isinstance(before, history.Moved)
            and entry.how == before.how == "deal"
            and entry.origin is before.origin
            and set(entry.sources) == set(before.sources)
        ):
            groups[-1].append(entry)
        else:
            groups.append([entry])
    return groups


def _is_cards(type_: ir.Type) -> bool:
    of = type_.of if isinstance(type_, ir.OptionalType) else type_
    return isinstance(of, ir.CardType | ir.CardsType)

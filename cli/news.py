"""What has happened since a viewer last looked, told from the log as they saw it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from dsl import ir
from dsl.source import Span
from interpreter import history
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.state import State
from interpreter.values import as_cards


class Told(NamedTuple):
    """A line of news in its style, with the clauses behind it and the line of the rules that did it."""

    style: str
    text: str
    cites: tuple[str, ...] = ()
    span: Span | None = None


def length(state: State) -> int:
    """How many entries the history has."""
    return 0 if state.history is None else state.history[2]


def since_choice(state: State, viewer: int | None) -> int:
    """How many entries a player had been told when they chose last; of the public none."""
    entries = history.entries(state)
    chosen = (n for n, entry in enumerate(entries, 1) if isinstance(entry, history.Chose) and entry.player == viewer)
    return max(chosen, default=0)


def told(machine: Machine, state: State, viewer: int | None, since: int) -> Iterator[Told]:
    """What happened after so many entries, what follows from a choice indented under it.

    What only changes a number is told in one line with its like, for there is much of it.
    """
    narrator = Narrator(machine.layout)
    told = [e for e in history.entries(state, length(state) - since) if narrator.is_told(e)]
    entries = _without_echoes(told)
    for group, members in groupby(entries, key=_group):
        kind, found = group[0], list(members)
        if kind == "ended":
            continue  # told with the scores
        if kind == "deal" and len(found) > 1:
            yield _line("", f"  {narrator.deals_text(found, viewer)}", found[:1])
            continue
        texts = [(text, entry) for entry in found if (text := narrator.text(entry, viewer)) is not None]
        if not texts:
            continue
        if kind == "assigned":
            yield _line("dim", f"  {'; '.join(text for text, _ in texts)}", [entry for _, entry in texts])
        else:
            style, indent = _STYLES.get(kind, ("", "  "))
            yield from (_line(style, indent + text, [entry]) for text, entry in texts)


def _line(style: str, text: str, entries: list[history.Entry]) -> Told:
    cites = dict.fromkeys(clause for entry in entries for clause in entry.origin.cites)
    return Told(style, text, tuple(cites), entries[0].origin.span)


def _without_echoes(entries: list[history.Entry]) -> list[history.Entry]:
    """Leaves out moves of just the cards that were named in the choice before them."""
    kept: list[history.Entry] = []
    for before, entry in zip([None, *entries], entries, strict=False):
        if isinstance(before, history.Chose) and isinstance(entry, history.Moved) and _named(before) == {*entry.cards}:
            continue
        kept.append(entry)
    return kept


def _named(chose: history.Chose) -> set[int]:
    pairs = zip(chose.action.parameters, chose.values, strict=True)
    return {c for p, value in pairs if isinstance(p.type, ir.CardType | ir.CardsType) for c in as_cards(value)}


_STYLES = {"chose": ("bold", ""), "clock": ("yellow", ""), "said": ("cyan", "")}


def _group(entry: history.Entry) -> tuple[str, object]:
    """Equal for entries that are told together."""
    match entry:
        case history.Moved(origin, "deal", _, sources, _, _):
            return "deal", (id(origin), frozenset(sources))
        case history.Assigned():
            return "assigned", None
        case history.Chose():
            return "chose", None
        case history.Struck():
            return "clock", None
        case history.Ended():
            return "ended", None
        case history.Announced():
            return "said", None
        case _:
            return "other", None

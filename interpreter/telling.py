"""A play told in the words of the game, with every card open: who reads it afterwards sits at no seat."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from interpreter import history
from interpreter.history import Entry
from interpreter.machine import Machine
from interpreter.narrate import Line, Narrator
from interpreter.playfile import line_of
from interpreter.state import Layout
from interpreter.trace import Chosen, Trace, take
from interpreter.values import Fault


class OpenNarrator(Narrator):
    """Puts what happened in words, hidden cards and secret choices too."""

    def __init__(self, layout: Layout) -> None:
        layout = copy.copy(layout)
        layout.zone_counted = [layout.everyone] * len(layout.zone_counted)
        super().__init__(layout)

    def text(self, entry: Entry, viewer: int | None) -> str | None:
        """What happened, whoever looks."""
        return super().text(self._opened(entry), entry.player if isinstance(entry, history.Chose) else None)

    def deals_text(self, deals: Sequence[Entry], viewer: int | None) -> str:
        """Several deals from one zone in one line."""
        return super().deals_text([self._opened(deal) for deal in deals], None)

    def _opened(self, entry: Entry) -> Entry:
        everyone = self.layout.everyone
        match entry:
            case history.Moved() | history.Revealed():
                return replace(entry, masks=(everyone,) * len(entry.cards))
            case history.Chose():
                return replace(entry, masks=_Everyone(everyone))
            case history.Assigned() | history.Picked():
                return replace(entry, mask=everyone, masks=_Everyone(everyone))
            case _:
                return entry


class _Everyone(dict[int, int]):
    """The same mask for every card."""

    def __init__(self, mask: int) -> None:
        super().__init__()
        self._mask = mask

    def get(self, key: int, default: Any = None) -> int:
        return self._mask


@dataclass(frozen=True, slots=True)
class Told:
    """One step: its number from 1, the seat that chose (from 0; None is chance), as it is written, and what came of it.

    Step 0 is what happens before anything is decided.
    """

    number: int
    player: int | None
    written: str
    lines: tuple[Line, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data; seats count from 1."""
        return {
            "step": self.number, "seat": None if self.player is None else self.player + 1, "choice": self.written,
            "lines": [
                {"text": n.text, "cites": list(n.cites), "rule": n.rule, "line": n.span.line if n.span else None}
                for n in self.lines
            ],
        }  # fmt: skip


def tell(machine: Machine, trace: Trace) -> Iterator[Told]:
    """Every step of a trace that fits the game; where the rules fail at its end, why."""
    narrator = OpenNarrator(machine.layout)
    state = machine.blank()
    before = 0

    def news() -> tuple[Line, ...]:
        nonlocal before
        length = 0 if state.history is None else state.history[2]
        lines = narrator.log(state, None, length - before) if length > before else []
        before = length
        return tuple(lines)

    def followed(follow: Callable[[], object], is_last: bool) -> tuple[Line, ...]:
        try:
            follow()
        except Fault as fault:
            if not is_last:
                raise
            cites, rule = (fault.origin.cites, fault.origin.rule or "") if fault.origin else ((), "")
            return *news(), Line(f"here the rules fail: {fault.message}", cites, rule, fault.span)
        return news()

    first = followed(partial(machine.advance, state), is_last=not trace.steps)
    if first:
        yield Told(0, None, "", first)
    for number, step in enumerate(trace.steps, 1):
        written = line_of(machine, state, step)
        lines = followed(partial(take, machine, state, step), is_last=number == len(trace.steps))
        yield Told(number, step.player if isinstance(step, Chosen) else None, written, lines)

"""The legal moves as a list to choose from: numbered, grouped where there are many, found by what is typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from cli.cardtext import CardText
from interpreter.actions import Choice, Plan
from interpreter.machine import Machine
from interpreter.speech import show_argument
from interpreter.state import State
from interpreter.values import plain

FEW: Final = 12  # so many moves are listed one by one
MANY: Final = 90  # and no more than this, even of one kind


@dataclass(frozen=True, slots=True)
class Move:
    """One legal move. `key` and `argument_key` are its name, and its arguments alone, as typed text is compared."""

    number: int
    choice: Choice
    shown: str
    group: str
    rest: str
    key: str
    argument_key: str


class Menu:
    """The moves of one player at one decision. Numbers stay the same while the list is narrowed."""

    def __init__(self, machine: Machine, state: State, legal: Sequence[Choice], text: CardText) -> None:
        self._machine, self._text = machine, text
        plans = machine.plans(state)
        self.moves = [self._move(n, choice, plans[choice.action]) for n, choice in enumerate(legal, 1)]

    def _move(self, number: int, choice: Choice, plan: Plan) -> Move:
        shown = [
            show_argument(self._machine.words, parameter, argument)
            for parameter, argument in zip(plan.parameters, choice.arguments, strict=True)
        ]
        name, group, rest = plain(choice.name), plain(choice.name), ", ".join(shown)
        if plan.parameters and plan.parameters[0].is_call:
            group += f", {plain(self._machine.game.kinds[choice.arguments[0].kind].name)}"
        elif plan.parameters and plan.parameters[0].is_subset:
            count = len(choice.arguments[0])
            group += f" {count} card{'' if count == 1 else 's'}"
        elif len(shown) > 1:
            group, rest = self._text.decorate(f"{name} {shown[0]}"), ", ".join(shown[1:])
        words = ", ".join(shown)
        decorate = self._text.decorate
        return Move(
            number,
            choice,
            decorate(f"{name} {words}".rstrip()),
            group,
            decorate(rest),
            fold(f"{name} {words}"),
            fold(words),
        )

    def named(self, text: str) -> Move | list[Move]:
        """The move that a number, a name, its arguments or a unique beginning of them mean; else all it may mean."""
        if re.fullmatch(r"\d{1,9}", text):
            number = int(text)
            return self.moves[number - 1] if 1 <= number <= len(self.moves) else []
        key = fold(self._text.plain(text))
        if not key:
            return []
        for wanted in (
            [m for m in self.moves if m.key == key],
            [m for m in self.moves if m.argument_key == key],
            [m for m in self.moves if m.key.startswith(key)],
        ):
            if len(wanted) == 1:
                return wanted[0]
        kind = [m for m in self.moves if f"{fold(m.group)} ".startswith(f"{key} ")]
        if 0 < len(kind) < len(self.moves):
            return kind
        begins = [m for m in self.moves if m.key.startswith(key) or m.argument_key.startswith(key)]
        if len(begins) == 1:
            return begins[0]
        words = key.split()
        return begins or [m for m in self.moves if all(_has_word(m.key, word) for word in words)]

    def lines(self, moves: Sequence[Move], width: int) -> list[str]:
        """Moves as they are listed."""
        groups = [list(group) for _, group in groupby(moves, key=lambda m: m.group)]
        if len(moves) <= FEW or len(groups) == 1:
            return self._columns(moves, width)
        lines = []
        number_width = len(str(len(self.moves))) * 2 + 1
        for group in groups:
            first, last = group[0].number, group[-1].number
            if len(group) == 1:
                lines.append(f"{first:>{number_width}}  {group[0].shown}")
                continue
            numbers = f"{first}-{last}" if last - first + 1 == len(group) else f"{first}.."
            head = f"{numbers:>{number_width}}  {group[0].group}: "
            lines.append(head + _fitting([m.rest for m in group], width - len(head) - 1))
        return lines

    def _columns(self, moves: Sequence[Move], width: int) -> list[str]:
        listed = moves[:MANY]
        number_width = len(str(max((m.number for m in listed), default=0)))
        cells = [f"{m.number:>{number_width}}  {m.shown}" for m in listed]
        cell_width = max(map(len, cells), default=0) + 3
        per_row = max((width - 3) // cell_width, 1)
        rows = -(-len(cells) // per_row) if len(cells) > 4 else len(cells)
        lines = []
        for row in range(rows):
            lines.append("  " + "".join(f"{cell:<{cell_width}}" for cell in cells[row::rows]).rstrip())
        if len(moves) > len(listed):
            lines.append(f"  ... and {len(moves) - len(listed)} more: type more of the name")
        return lines


def fold(text: str) -> str:
    """Text as it is compared: small letters, without the signs that only separate."""
    return " ".join(re.sub(r"[_(),;:]", " ", text).split()).casefold()


def _has_word(key: str, word: str) -> bool:
    return any(part.startswith(word) for part in key.split())


def _fitting(words: Sequence[str], room: int) -> str:
    """As many words as there is room for, and that there are more."""
    more = f" ... ({len(words)})"
    if len(", ".join(words)) <= room:
        return ", ".join(words)
    taken: list[str] = []
    while len(taken) < len(words) and len(", ".join([*taken, words[len(taken)]])) + len(more) <= room:
        taken.append(words[len(taken)])
    return ", ".join(taken) + more if taken else f"{len(words)} ways"

"""A play of a game as text that people can read: a head that says of what, then a line for each thing decided.

    hoyle play 1
    game: some_game
    rules: cards 1f2a9c3e, zones 0b77d1aa, rules 90ff1c2d, result 3a4d5e6f
    players: 2
    option: some_option = a_reading
    seed: 17
    people: 1
    bot: search

    shuffle stock: KS 4H 9D
    2: place(9S, pair)
    1 after 1.5 s: pass
    3 steps so far

This module writes; `interpreter.playread` reads. Cards of a shuffle are listed from the top, a cut tells how many cards
stay beneath, a pick its value. Seats count from 1. What a line means depends on what came before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from dsl import ir
from dsl.source import Span
from interpreter.fingerprint import Fingerprint
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Trace, TraceStep, take
from interpreter.values import Fault, show_number

SUFFIX: Final = ".hoyle-play"
FIRST_LINE: Final = "hoyle play 1"


@dataclass(frozen=True, slots=True)
class Seats:
    """How people play: the seed, their seats (from 0), the name of the bot in the others.

    `spent_ms` is what the next choice has taken already: time does not come back with a choice that is taken back.
    """

    seed: str
    people: tuple[int, ...]
    bot: str
    spent_ms: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """What a play is shown for: a property by its name, how it was answered, and the value that the play reaches.

    Such a value is `min`, `max` or one in words; it is empty where the play shows how the property as a whole came out.
    """

    name: str
    shows: str
    reaches: str = ""


class Ending(StrEnum):
    """How a play ends, as the last line of its file says: it may go on, it is over, or the rules cannot be followed."""

    OPEN = "so far"
    OVER = "to the end"
    FAILED = "to where the rules fail"


@dataclass(frozen=True, slots=True)
class Head:
    """What a file says of its play. `game` is a name, or the way to a rule file from where the file lies.

    `about` is how people play it, or what it is shown for.
    """

    game: str
    rules: Fingerprint
    num_players: int
    options: tuple[tuple[str, str], ...]
    about: Seats | Claim
    places: dict[str, Span] = field(default_factory=dict, compare=False)
    """Where a file that was read says so, by key; an option by `option NAME`."""


def text_of(machine: Machine, head: Head, trace: Trace) -> str:
    """The whole file. Raises `ValueError` or `Fault` where the trace does not fit the game."""
    return joined(head, *_written(machine, trace))


def lines_of(machine: Machine, trace: Trace) -> list[str]:
    """A line for each step. Raises `ValueError` or `Fault` where the trace does not fit the game."""
    return _written(machine, trace)[0]


def _written(machine: Machine, trace: Trace) -> tuple[list[str], Ending]:
    lines: list[str] = []
    try:
        state = machine.initial(recording=False)
        for step in trace.steps:
            lines.append(line_of(machine, state, step))
            take(machine, state, step)
    except Fault:
        if len(lines) < len(trace.steps):
            raise
        return lines, Ending.FAILED  # which is what such a play shows
    return lines, ending_of(machine, state)


def ending_of(machine: Machine, state: State) -> Ending:
    """How a play ends that has come to a stop."""
    return Ending.OVER if machine.is_terminal(state) else Ending.OPEN


def joined(head: Head, lines: Sequence[str], ending: Ending) -> str:
    """The whole file, its steps being written already."""
    return "\n".join([*_head_lines(head), "", *lines, last_line(len(lines), ending)]) + "\n"


def last_line(num_steps: int, ending: Ending) -> str:
    """What ends a file, so that one that is cut off is known."""
    return f"{num_steps} step{'' if num_steps == 1 else 's'} {ending}"


def _head_lines(head: Head) -> Iterable[str]:
    yield FIRST_LINE
    yield f"game: {head.game}"
    yield f"rules: {', '.join(f'{part} {digits}' for part, digits in head.rules)}"
    yield f"players: {head.num_players}"
    yield from (f"option: {name} = {reading}" for name, reading in head.options)
    match head.about:
        case Seats(seed, people, bot, spent_ms):
            yield f"seed: {seed}"
            yield f"people: {' '.join(str(p + 1) for p in people) or 'none'}"
            yield f"bot: {bot}"
            if spent_ms:
                yield f"spent: {_seconds(spent_ms)}"
        case Claim(name, shows, reaches):
            yield f"property: {name}"
            yield f"shows: {shows}"
            if reaches:
                yield f"reaches: {reaches}"


def line_of(machine: Machine, state: State, step: TraceStep) -> str:
    """One step, taken from a state."""
    if isinstance(step, Chosen):
        after = f" after {_seconds(step.elapsed_ms)}" if step.elapsed_ms else ""
        return f"{step.player + 1}{after}: {step.choice}"
    node = machine.chance_node(state)
    match node:
        case ir.Shuffle():
            cards = [machine.words.cards.name(c) for c in pile(machine, state, node.zone)]
            order = " ".join(cards[i] for i in reversed(step.outcome))
            return f"shuffle {zone_name(machine, state, node.zone)}: {order}"
        case ir.Cut():
            return f"cut {zone_name(machine, state, node.zone)}: {step.outcome}"
        case ir.Random():
            return f"pick {node.variable.name}: {machine.words.show(step.outcome, node.variable.type)}"
        case None:
            raise ValueError("chance has nothing to decide")


def _seconds(milliseconds: int) -> str:
    return f"{show_number(Fraction(milliseconds, 1000))} s"


def pile(machine: Machine, state: State, zone: ir.ZoneExpr) -> tuple[int, ...]:
    """The cards of the zone that chance looks at, from the bottom."""
    return state.zones[_place(machine, state, zone)]


def zone_name(machine: Machine, state: State, zone: ir.ZoneExpr) -> str:
    """What the zone that chance looks at is called."""
    return machine.layout.zone_names[_place(machine, state, zone)]


def _place(machine: Machine, state: State, zone: ir.ZoneExpr) -> int:
    indices: list[Any] = [machine.compiler.compile(i)(state) for i in zone.indices]
    return machine.layout.zones[zone.zone].index(indices)

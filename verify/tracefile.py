"""Traces in files that people can read: a head that says of what, then a line for each thing decided.

    hoyle trace 1
    game: some_game
    players: 2
    option: some_option = a_reading
    property: name_of_the_property
    shows: witnessed: possible the stock is empty

    shuffle stock: KS 4H 9D
    2: place(9S, pair)
    1 after 1.5 s: pass

Cards of a shuffle are listed from the top, a cut tells how many cards stay beneath, a pick its value. Seats count
from 1. What a line means depends on what came before it, so a file is read along with a machine of its game.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from dsl import ir
from interpreter.actions import InvalidChoice
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, TraceStep
from interpreter.values import Fault, show_number
from verify.outcome import Answer, Outcome
from verify.shorten import take

SUFFIX: Final = ".hoyle-trace"
FIRST_LINE: Final = "hoyle trace 1"
_KEYS = ("game", "players", "option", "property", "shows")
_CHOICE = re.compile(r"([1-9][0-9]{0,2})(?: after ([0-9]{1,9}(?:\.[0-9]{1,3})?) s)?: (\S.*)")
_CHANCE = re.compile(r"(shuffle|cut|pick) (.*?): ?(.*)")
_MOST_BYTES = 20_000_000


class Damaged(Exception):
    """A trace file that cannot be used; the message is one line that says where and why."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a trace file says about itself, and its lines of steps with their numbers in the file."""

    game: str
    num_players: int
    options: tuple[tuple[str, str], ...]
    name: str
    shows: str
    lines: tuple[tuple[int, str], ...] = ()


# ----------------------------------------------------------------------------------------------- writing


def path_of(folder: Path, game: str, name: str, num_players: int) -> Path:
    """Where the trace of a property is written."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip(".") or "property"
    return folder / game / f"{plain}-{num_players}{SUFFIX}"


def head_of(outcome: Outcome, answer: Answer, game: str) -> Head:
    """The head of an answer's trace. `game` is the name or the path by which its rules are found."""
    assert answer.trace is not None
    shows = f"{answer.verdict.value}: {outcome.statement}"
    return Head(game, answer.trace.num_players, answer.trace.options, outcome.name, " ".join(shows.split()))


def text_of(machine: Machine, head: Head, trace: Trace) -> str:
    """The whole file."""
    options = [f"option: {name} = {reading}" for name, reading in head.options]
    top = [FIRST_LINE, f"game: {head.game}", f"players: {head.num_players}", *options]
    return "\n".join([*top, f"property: {head.name}", f"shows: {head.shows}", "", *lines_of(machine, trace)]) + "\n"


def lines_of(machine: Machine, trace: Trace) -> list[str]:
    """A line for each step. Raises `ValueError` where the trace does not fit the game."""
    state = machine.initial(recording=False)
    lines: list[str] = []
    for step in trace.steps:
        lines.append(line_of(machine, state, step))
        take(machine, state, step)
    return lines


def line_of(machine: Machine, state: State, step: TraceStep) -> str:
    """One step, taken from a state."""
    if isinstance(step, Chosen):
        after = f" after {show_number(Fraction(step.elapsed_ms, 1000))} s" if step.elapsed_ms else ""
        return f"{step.player + 1}{after}: {step.choice}"
    node = machine.chance_node(state)
    match node:
        case ir.Shuffle():
            cards = [machine.words.cards.name(c) for c in _pile(machine, state, node.zone)]
            order = " ".join(cards[i] for i in reversed(step.outcome))
            return f"shuffle {_zone_name(machine, state, node.zone)}: {order}"
        case ir.Cut():
            return f"cut {_zone_name(machine, state, node.zone)}: {step.outcome}"
        case ir.Random():
            return f"pick {node.variable.name}: {machine.words.show(step.outcome, node.variable.type)}"
        case None:
            raise ValueError("chance has nothing to decide")


# ----------------------------------------------------------------------------------------------- reading


def read_head(path: Path, shown: str) -> Head:
    """The head of a file and its lines. Raises `Damaged`."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise Damaged(f"{shown}: too large for a trace")
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise Damaged(f"{shown}: {(error.strerror or 'cannot be read').lower()}") from None
    except UnicodeDecodeError as error:
        raise Damaged(f"{shown}: not text in UTF-8 (byte {error.start})") from None
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
    if lines[0].rstrip() != FIRST_LINE:
        version = re.fullmatch(r"hoyle trace (\d{1,9})\s*", lines[0])
        raise Damaged(
            f"{shown}:1: a trace of another version of hoyle ({version[1]})" if version else
            f"{shown}:1: no trace: its first line is not `{FIRST_LINE}`"
        )  # fmt: skip
    values, options, number = _head_lines(lines, shown)
    for key in ("game", "players", "property", "shows"):
        if key not in values:
            raise Damaged(f"{shown}:{number}: the head lacks `{key}`")
    at, players = values["players"]
    if not re.fullmatch(r"[1-9][0-9]{0,2}", players):
        raise Damaged(f"{shown}:{at}: `{_short(players)}` is no number of players")
    steps = tuple((i, line.strip()) for i, line in enumerate(lines[number:], number + 1) if line.strip())
    texts = {key: value for key, (_, value) in values.items()}
    return Head(texts["game"], int(players), tuple(options.items()), texts["property"], texts["shows"], steps)


def _head_lines(lines: list[str], shown: str) -> tuple[dict[str, tuple[int, str]], dict[str, str], int]:
    """The keys of the head, its options, and how many lines it has."""
    values: dict[str, tuple[int, str]] = {}
    options: dict[str, str] = {}
    number = 1
    for line in lines[1:]:
        number += 1
        if not line.strip():
            break
        key, colon, value = (part.strip() for part in line.partition(":"))
        if key not in _KEYS or not colon:
            raise Damaged(f"{shown}:{number}: `{_short(line)}` is no line of a head; an empty line ends it")
        if not value:
            raise Damaged(f"{shown}:{number}: `{key}` says nothing")
        if key == "option":
            name, equals, reading = (part.strip() for part in value.partition("="))
            if not (name and equals and reading):
                raise Damaged(f"{shown}:{number}: an option is written `option: NAME = READING`")
            if name in options:
                raise Damaged(f"{shown}:{number}: option `{_short(name)}` is there twice")
            options[name] = reading
        elif key in values:
            raise Damaged(f"{shown}:{number}: `{key}` is there twice")
        else:
            values[key] = number, value
    return values, options, number


def read_steps(machine: Machine, head: Head, shown: str) -> Trace:
    """The steps of a file, each played as it is read.

    Raises:
        Damaged: A line cannot be read, or is not possible by the rules as they are now.
    """
    state = machine.initial(recording=False)
    steps: list[TraceStep] = []
    for number, line in head.lines:
        try:
            step = _step(machine, state, line)
            take(machine, state, step)
        except InvalidChoice as refused:
            raise Damaged(f"{shown}:{number}: `{_short(line)}` is against the rules: {refused}") from None
        except Fault as fault:
            raise Damaged(f"{shown}:{number}: the rules fail here: {fault.message}") from None
        except (ValueError, TypeError, IndexError) as error:
            raise Damaged(f"{shown}:{number}: {error}") from None
        steps.append(step)
    game = machine.game
    return Trace(game.name, game.num_players, game.options, "", tuple(steps))


def _step(machine: Machine, state: State, line: str) -> TraceStep:
    """The step that a line tells. Raises `ValueError` where it does not fit the state."""
    chosen = _CHOICE.fullmatch(line)
    if chosen is not None:
        return _choice(machine, state, int(chosen[1]) - 1, chosen[2], chosen[3])
    drawn = _CHANCE.fullmatch(line)
    if drawn is None:
        raise ValueError(f"`{_short(line)}` is no step: neither `SEAT: CHOICE` nor a shuffle, cut or pick")
    node = machine.chance_node(state)
    expected = {ir.Shuffle: "shuffle", ir.Cut: "cut", ir.Random: "pick"}.get(type(node)) if node is not None else None
    if node is None or expected != drawn[1]:
        raise ValueError(f"`{_short(line)}` does not fit: {_next(machine, state)}")
    if isinstance(node, ir.Random):
        name = node.variable.name
        shown = machine.words.show
        for outcome in machine.outcomes(state) if drawn[2] == name else ():
            if shown(outcome, node.variable.type) == drawn[3].strip():
                return Drawn(outcome)
        raise ValueError(f"chance picks {name} here, and cannot pick `{_short(drawn[3])}`")
    name = _zone_name(machine, state, node.zone)
    if drawn[2] != name:
        raise ValueError(f"`{_short(line)}` does not fit: it is the {name} that is {_PAST[drawn[1]]} here")
    if isinstance(node, ir.Cut):
        if not re.fullmatch(r"[0-9]{1,6}", drawn[3].strip()):
            raise ValueError(f"`{_short(drawn[3])}` is no number of cards")
        return Drawn(int(drawn[3]))
    return Drawn(_order(machine, _pile(machine, state, node.zone), drawn[3].split(), name))


_PAST = {"shuffle": "shuffled", "cut": "cut"}


def _choice(machine: Machine, state: State, player: int, after: str | None, written: str) -> Chosen:
    if player not in machine.to_move(state):
        raise ValueError(f"seat {player + 1} cannot choose: {_next(machine, state)}")
    if machine.parse_choice(state, player, written) is None:
        raise ValueError(f"`{_short(written)}` is not on offer to seat {player + 1}")
    if after is not None and machine.game.clock is None:
        raise ValueError(f"`{_short(written)}` takes time, and the game has no clock")
    return Chosen(player, written, 0 if after is None else int(Fraction(after) * 1000))


def _order(machine: Machine, pile: tuple[int, ...], names: list[str], zone: str) -> tuple[int, ...]:
    """The outcome of a shuffle that puts the cards in this order, from the top; of equal cards the topmost first."""
    cards = machine.words.cards
    places: dict[int, list[int]] = {}
    for place, card in enumerate(pile):
        places.setdefault(cards.face[card], []).append(place)
    order: list[int] = []
    for name in names:
        face = cards.parse(name)
        if face is None:
            raise ValueError(f"no card is named `{_short(name)}`")
        if not places.get(face):
            raise ValueError(f"the {zone} has no {'more ' if face in places else ''}{cards.face_name(face)}")
        order.append(places[face].pop())
    if len(order) != len(pile):
        raise ValueError(f"the {zone} has {len(pile)} cards, and {len(order)} are listed")
    return tuple(reversed(order))


def _next(machine: Machine, state: State) -> str:
    """What comes next by the rules, for a message."""
    if machine.is_terminal(state):
        return "the game is over"
    match machine.chance_node(state):
        case ir.Shuffle(zone=zone):
            return f"the {_zone_name(machine, state, zone)} is shuffled"
        case ir.Cut(zone=zone):
            return f"the {_zone_name(machine, state, zone)} is cut"
        case ir.Random(variable=variable):
            return f"chance picks {variable.name}"
        case None:
            seats = ", ".join(str(p + 1) for p in machine.to_move(state))
            return f"it is the turn of seat {seats}"


def _pile(machine: Machine, state: State, zone: ir.ZoneExpr) -> tuple[int, ...]:
    return state.zones[_place(machine, state, zone)]


def _zone_name(machine: Machine, state: State, zone: ir.ZoneExpr) -> str:
    return machine.layout.zone_names[_place(machine, state, zone)]


def _place(machine: Machine, state: State, zone: ir.ZoneExpr) -> int:
    indices: list[Any] = [machine.compiler.compile(i)(state) for i in zone.indices]
    return machine.layout.zones[zone.zone].index(indices)


def _short(text: str) -> str:
    """A piece of a file for a message: on one line, not too long, and with nothing that a terminal would obey."""
    text = "".join(ch if ch.isprintable() else "?" for ch in text)
    return text if len(text) <= 60 else text[:57] + "..."

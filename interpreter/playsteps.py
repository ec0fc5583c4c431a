"""The steps of a file of a play: each is read where the play stands, for what a line means depends on that."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from dsl import ir
from dsl.diagnostics import did_you_mean
from dsl.source import Span
from interpreter.machine import Machine
from interpreter.playfile import Ending, ending_of, pile, zone_name
from interpreter.playread import AGAINST_THE_RULES, Damaged, Line, Play, check_end, damaged, milliseconds
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, TraceStep, take
from interpreter.values import Fault

_CHOICE: Final = re.compile(r"([1-9][0-9]{0,2})(?: after ([0-9]{1,9}(?:\.[0-9]{1,3})?) s)?: (\S.*)")
_CHANCE: Final = re.compile(r"(shuffle|cut|pick) ([^:]*): ?(.*)")
_WORDS: Final = {ir.Shuffle: "shuffle", ir.Cut: "cut", ir.Random: "pick"}
_MANY: Final = 6  # of what may be chosen, so much is told


def read_steps(machine: Machine, play: Play, as_far: bool = False) -> tuple[Trace, Damaged | None]:
    """The steps of a file, each taken as it is read.

    `as_far`: what the rules do not allow is no error; the steps before it are returned, with why it ends there.

    Raises:
        Damaged: A line cannot be read, or is not possible by the rules as they are.
    """
    state = machine.blank(recording=False)
    steps: list[TraceStep] = []
    stopped: Damaged | None = None
    try:
        goes_on = _follow(partial(machine.advance, state), play, play.last.span, is_last=not play.steps)
        for number, line in enumerate(play.steps, 1):
            step = _step(machine, state, line)
            goes_on = _follow(partial(take, machine, state, step), play, line.span, is_last=number == len(play.steps))
            steps.append(step)
        if not as_far:
            check_end(play, ending_of(machine, state) if goes_on else Ending.FAILED)
    except Damaged as found:
        if not as_far or any(d.code != AGAINST_THE_RULES for d in found.diagnostics):
            raise
        stopped = found
    game = machine.game
    return Trace(game.name, game.num_players, game.options, "", tuple(steps)), stopped


def _follow(follow: Callable[[], object], play: Play, span: Span, is_last: bool) -> bool:
    """Goes on by the rules; False where they fail in the last step of a play that says so. Raises `Damaged`."""
    try:
        follow()
    except Fault as fault:
        if is_last and play.fails:
            return False
        raise _against(f"the rules fail here: {fault.message}", span) from None
    except (ValueError, TypeError, IndexError) as error:
        raise _against(str(error), span) from None
    return True


def _step(machine: Machine, state: State, line: Line) -> TraceStep:
    chosen = _CHOICE.fullmatch(line.text)
    if chosen is not None:
        return _choice(machine, state, line, chosen)
    drawn = _CHANCE.fullmatch(line.text)
    if drawn is None:
        help = "a step is written `SEAT: CHOICE`, `shuffle ZONE: CARDS`, `cut ZONE: N` or `pick NAME: VALUE`"
        raise damaged("this is no step", line.span, help)
    node = machine.chance_node(state)
    if node is None or _WORDS[type(node)] != drawn[1]:
        raise _against(f"there is no {drawn[1]} here: {_next(machine, state)}", line.span)
    there = line.part(drawn.start(2), drawn.end(2))
    outcome = line.part(drawn.start(3), max(drawn.end(3), drawn.start(3) + 1))
    if isinstance(node, ir.Random):
        return _picked(machine, state, node, drawn, there, outcome)
    name = zone_name(machine, state, node.zone)
    if drawn[2] != name:
        done = "shuffled" if drawn[1] == "shuffle" else "cut"
        raise _against(f"it is the {name} that is {done} here", there)
    cards = pile(machine, state, node.zone)
    if isinstance(node, ir.Cut):
        if not re.fullmatch(r"[0-9]{1,6}", drawn[3]):
            raise damaged("this is no number of cards", outcome, "a cut tells how many cards stay beneath")
        if not 0 <= int(drawn[3]) < max(len(cards), 1):
            raise _against(f"{len(cards)} cards cannot be cut at {int(drawn[3])}", outcome)
        return Drawn(int(drawn[3]))
    return Drawn(_order(machine, cards, line, drawn.start(3), name))


def _choice(machine: Machine, state: State, line: Line, found: re.Match[str]) -> Chosen:
    player, after, written = int(found[1]) - 1, found[2], found[3]
    if player not in machine.to_move(state):
        raise _against(f"seat {player + 1} cannot choose here: {_next(machine, state)}", line.span)
    there = line.part(found.start(3), found.end(3))
    choice = machine.parse_choice(state, player, written)
    if choice is None:
        raise _against(f"seat {player + 1} has no such choice here", there, _may(machine, state, player))
    refusal = machine.why_not(state, player, choice)
    if refusal is not None:
        raise _against(f"this is against the rules: {refusal.told}", there, _may(machine, state, player))
    if after is not None and machine.game.clock is None:
        raise _against("a choice takes no time here: the game has no clock", line.span)
    elapsed_ms = 0 if after is None else milliseconds(after)
    return Chosen(player, machine.name_of(choice, state), elapsed_ms)


def _picked(
    machine: Machine, state: State, node: ir.Random, found: re.Match[str], name: Span, value: Span
) -> Drawn:  # fmt: skip
    if found[2] != node.variable.name:
        raise _against(f"it is {node.variable.name} that chance picks here", name)
    shown = {machine.words.show(o, node.variable.type): o for o in machine.outcomes(state)}
    if found[3] not in shown:
        few = ", ".join(list(shown)[:_MANY]) + (", ..." if len(shown) > _MANY else "")
        help = did_you_mean(found[3], shown) if len(found[3]) < 100 else ""
        raise _against("chance cannot pick this here", value, help or f"it picks one of {few}")
    return Drawn(shown[found[3]])


def _order(machine: Machine, cards: tuple[int, ...], line: Line, start: int, zone: str) -> tuple[int, ...]:
    """The outcome of a shuffle that puts the cards in this order, from the top; of equal cards the topmost first."""
    pack = machine.words.cards
    places: dict[int, list[int]] = {}
    for place, card in enumerate(cards):
        places.setdefault(pack.face[card], []).append(place)
    order: list[int] = []
    for word in re.finditer(r"\S+", line.text[start:]):
        there = line.part(start + word.start(), start + word.end())
        face = pack.parse(word[0])
        if face is None:
            raise _against(
                "no card is named like this",
                there,
                f"the {zone} has cards such as {pack.name(cards[0])}" if cards else "",
            )
        if not places.get(face):
            name = pack.face_name(face)
            what = f"the {zone} has no more {name}" if face in places else f"the {zone} has no {name}"
            raise _against(what, there, "a shuffle lists every card of the pile, and each once")
        order.append(places[face].pop())
    if len(order) != len(cards):
        raise _against(f"the {zone} has {len(cards)} cards, and {len(order)} are listed", line.span)
    return tuple(reversed(order))


def _next(machine: Machine, state: State) -> str:
    """What comes next by the rules, for a message."""
    if machine.is_terminal(state):
        return "the game is over"
    match machine.chance_node(state):
        case ir.Shuffle(zone=zone):
            return f"the {zone_name(machine, state, zone)} is shuffled"
        case ir.Cut(zone=zone):
            return f"the {zone_name(machine, state, zone)} is cut"
        case ir.Random(variable=variable):
            return f"chance picks {variable.name}"
        case None:
            seats = ", ".join(str(p + 1) for p in machine.to_move(state))
            return f"it is the turn of seat {seats}"


def _may(machine: Machine, state: State, player: int) -> str:
    """What a player may choose instead, for a message."""
    names = [machine.name_of(choice, state) for choice in machine.legal_actions(state, player)]
    if not names:
        return ""
    more = f" or {len(names) - _MANY} other choices" if len(names) > _MANY + 1 else ""
    return f"it may choose {', '.join(names[:_MANY] if more else names)}{more}"


def _against(message: str, span: Span, help: str = "") -> Damaged:
    return damaged(message, span, help, AGAINST_THE_RULES)

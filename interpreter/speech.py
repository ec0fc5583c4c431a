"""Choices in writing: `place(9S, pair)`, `lead(8S 8H)`, `say(two 7s and two 3s)`, and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from interpreter.actions import Choice, Parameter, Plan
from interpreter.state import State
from interpreter.values import Fault, Words

if TYPE_CHECKING:
    from interpreter.machine import Machine


def name_of(machine: Machine, choice: Choice, state: State | None) -> str:
    """A choice as it is written. Without a state, it must be the only action of the game with its name."""
    if not choice.arguments:
        return choice.name
    plan = _plan(machine, choice, state)
    shown = [show_argument(machine.words, p, a) for p, a in zip(plan.parameters, choice.arguments, strict=True)]
    return f"{choice.name}({', '.join(shown)})"


def _plan(machine: Machine, choice: Choice, state: State | None) -> Plan:
    if state is not None:
        plans = machine.plans(state)
        if choice.action < len(plans) and plans[choice.action].name == choice.name:
            return plans[choice.action]
    for plan in machine.all_plans:
        if plan.name == choice.name and len(plan.parameters) == len(choice.arguments):
            return plan
    raise ValueError(f"no action is named {choice.name}")


def show_argument(words: Words, parameter: Parameter, argument: Any) -> str:
    """An argument as it is written; a card that its player does not know by its place: "#1" is the bottom one."""
    if parameter.is_card:
        cards = argument if parameter.is_subset else (argument,)
        return " ".join(words.cards.name(c) if c >= 0 else f"#{-c}" for c in cards) or "none"
    return words.show(argument, parameter.type)


def parse_choice(machine: Machine, state: State, player: int, text: str) -> Choice | None:
    """The choice that was written, whatever the case, the spaces and the way cards are spelled."""
    # Spaces first: what follows may look at each more than once, and a text may be of nothing else.
    match = re.fullmatch(r"([^(]+?) ?(?:\((.*)\))?", " ".join(text.split()))
    if match is None:
        return None
    name, inside = _fold(match[1]), match[2]
    best: Choice | None = None
    for plan in machine.plans(state):
        if _fold(plan.name) == name and inside is not None:
            rest = inside
        elif _fold(plan.name) == name or (inside is None and name.startswith(_fold(plan.name) + " ")):
            rest = match[1][len(plan.name) :]
        else:
            continue
        with machine.seated(state, player):
            arguments = _parse_arguments(machine, state, player, plan, rest.strip())
        if arguments is not None:
            choice = Choice(plan.index, plan.name, arguments)
            if machine.why_not(state, player, choice) is None:
                return choice
            best = best or choice
    return best


def _parse_arguments(machine: Machine, state: State, player: int, plan: Plan, text: str) -> tuple[Any, ...] | None:
    pieces = [p.strip() for p in text.split(",")] if text else []
    if len(plan.parameters) == 1 and len(pieces) > 1:
        # A single argument may hold commas: a call, or cards with commas between them.
        pieces = [text]
    if len(pieces) != len(plan.parameters):
        return None
    saved = [state.vars[c] for c in plan.cells]
    arguments: list[Any] = []
    try:
        for parameter, piece in zip(plan.parameters, pieces, strict=True):
            found = _parse_argument(machine.words, parameter, piece, state)
            if found is None:
                return None
            (argument,) = found
            try:
                resolved = parameter.resolve(state, 1 << player, argument)
            except Fault:
                # Its domain reads an earlier argument that is not to be had.
                resolved = None
            if resolved is not None:
                if parameter.is_card:
                    argument = _canonical(machine.words, argument, resolved[0])
                state.vars[parameter.cell] = resolved[0]
            arguments.append(argument)
    finally:
        for cell, value in zip(plan.cells, saved, strict=True):
            state.vars[cell] = value
    return tuple(arguments)


def _parse_argument(words: Words, parameter: Parameter, text: str, state: State) -> tuple[Any] | None:
    if parameter.is_card:
        if parameter.is_subset and text in ("", "none"):
            return ((),)
        pieces = [piece.strip() for piece in text.split(",")]
        parts = [
            part for piece in pieces for part in ([piece] if words.cards.parse(piece) is not None else piece.split())
        ]
        cards = tuple(c for c in (_parse_card(words, p) for p in parts) if c is not None)
        if len(cards) != len(parts):
            return None
        if parameter.is_subset:
            return (cards,)
        return (cards[0],) if len(cards) == 1 else None
    if parameter.is_call:
        call = words.combinations.parse_say(text)
        return None if call is None else (call,)
    wanted = _fold(text)
    for value in parameter.values(state):
        shown = _fold(words.show(value, parameter.type))
        if wanted == shown or shown == f"seat {wanted}":
            return (value,)
    return None


def _canonical(words: Words, said: Any, value: Any) -> Any:
    """Cards as `legal_actions` would list them: by rank and suit, and of equal ones the same copies."""
    if not isinstance(said, tuple):
        return value if said >= 0 else said
    look = words.cards.look
    known = sorted((v for v, sign in zip(value, said, strict=True) if sign >= 0), key=lambda c: look[c])
    return (*known, *sorted((sign for sign in said if sign < 0), reverse=True))


def _parse_card(words: Words, text: str) -> int | None:
    """The first card that shows a face, or the sign "#2" as the number that stands for it; see `Choice`."""
    if re.fullmatch(r"#[1-9][0-9]{0,3}", text):
        return -int(text[1:])
    return words.cards.parse(text)


def _fold(text: str) -> str:
    return " ".join(text.replace("_", " ").split()).casefold()

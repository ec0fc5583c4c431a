"""Why something on the table that was clicked is no move now: the condition that forbids it, with its clause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cli import answers
from cli.screen.targets import CardAt, KindAt, SeatAt, Target, ZoneAt, places_for
from cli.sitting import Turn
from interpreter.actions import Choice, Parameter, Plan, Refusal
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault, plain


def why(machine: Machine, turn: Turn, target: Target, picks: Sequence[Target]) -> str:
    """What hinders the moves that a click may have meant; the same for cards with what was picked before."""
    refusals: list[Refusal] = []
    for plan in machine.plans(turn.state):
        try:
            refusal = _refusal(machine, turn, plan, target, picks)
        except Fault:
            continue
        if refusal is not None:
            refusals.append(refusal)
    conditions = [r for r in refusals if r.kind == "condition"]
    for refusal in conditions or refusals:
        return answers.refused(refusal)
    actions = ", ".join(dict.fromkeys(plain(plan.name) for plan in machine.plans(turn.state)))
    return f"{_named(machine, target)} takes no part in what may be done now: {actions}."


def _refusal(machine: Machine, turn: Turn, plan: Plan, target: Target, picks: Sequence[Target]) -> Refusal | None:
    """Why this action refuses the target, the picks and what else it takes; None where it does not take them."""
    state, player = turn.state, turn.player
    left = [target, *picks]
    arguments: list[Any] = []
    with machine.seated(state, player):
        for parameter in plan.parameters:
            taken = [t for t in left if _argument(machine, parameter, t, player) is not None]
            if parameter.is_subset:
                arguments.append(tuple(_argument(machine, parameter, t, player) for t in taken))
                left = [t for t in left if t not in taken]
            elif taken:
                arguments.append(_argument(machine, parameter, taken[0], player))
                left.remove(taken[0])
            else:
                arguments.append(_any_argument(parameter, state, player))
    if target in left or any(argument is None for argument in arguments):
        return None
    return machine.why_not(state, player, Choice(plan.index, plan.name, tuple(arguments)))


def _argument(machine: Machine, parameter: Parameter, target: Target, player: int) -> Any:
    """What a target says as an argument; None where it says nothing."""
    match target:
        case CardAt(name=str() as name) if parameter.is_card:
            return machine.words.cards.parse(name)
        case ZoneAt() | SeatAt() | KindAt() if not parameter.is_card and not parameter.is_call:
            try:
                values = machine.words.domain(parameter.type)
            except ValueError:
                return None
            return next((v for v in values if target in places_for(machine, parameter.type, v, player)), None)
    return None


def _any_argument(parameter: Parameter, state: State, player: int) -> Any:
    """Something the action might take, for an argument that was not pointed at."""
    return next((said for said, _ in parameter.candidates(state, 1 << player)), None)


def _named(machine: Machine, target: Target) -> str:
    match target:
        case CardAt(_, _, name):
            return "A hidden card" if name is None else name
        case ZoneAt(zone):
            return f"`{machine.layout.zone_names[zone]}`"
        case SeatAt(player):
            return f"Seat {player + 1}"
        case KindAt(kind):
            return f"`{plain(machine.game.kinds[kind].name)}`"
        case _:
            return "That"

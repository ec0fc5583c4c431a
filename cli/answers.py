"""Answers to what a person asks while they choose: help, why a move is refused, a hint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from cli.menu import Menu, Move, fold
from dsl import ir, model
from interpreter.actions import Choice, Plan, Refusal
from interpreter.bots import search_bot
from interpreter.machine import Machine
from interpreter.play import stream
from interpreter.state import State
from interpreter.values import plain

HINT_STEPS: Final = 8_000


def written(machine: Machine, state: State, player: int, text: str) -> tuple[Choice | None, str]:
    """The legal choice that was written out; or None, with the reason where it is an action that is refused."""
    choice = _parsed(machine, state, player, text)
    if choice is None:
        return None, ""
    refusal = machine.why_not(state, player, choice)
    return (choice, "") if refusal is None else (None, refused(refusal))


def why(machine: Machine, state: State, player: int, menu: Menu, text: str) -> str:
    """Why a move may or may not be made now."""
    if not text:
        return "Say which move: `why MOVE`."
    choice = _parsed(machine, state, player, text)
    if choice is not None:
        refusal = machine.why_not(state, player, choice)
        return f"`{text}` is allowed." if refusal is None else refused(refusal)
    found = menu.named(text)
    if isinstance(found, Move):
        return f"`{found.shown}` is allowed."
    if found:
        return f"{len(found)} moves that are allowed begin or read like that; say which."
    return unavailable(machine, state, menu, text) or f"No action of this game is called `{text}`."


def unavailable(machine: Machine, state: State, menu: Menu, text: str) -> str:
    """What hinders the action that a text begins with, or how it is written; nothing where it names none."""
    plan = _named(machine.plans(state), text)
    if plan is None:
        elsewhere = _named(machine.all_plans, text)
        return "" if elsewhere is None else f"`{plain(elsewhere.name)}` is not on offer at this decision."
    if any(move.choice.action == plan.index for move in menu.moves):
        return f"`{plain(plan.name)}` is written {_form(plan)}."
    told = f"No {_form(plan)} is possible now"
    guards = [g for g in plan.declared.guards if g.span is not None]
    if len(guards) != 1:
        return f"{told}; `why` tells of each that is written out." if plan.parameters else f"{told}."
    condition = plan.refused_by(plan.declared.guards.index(guards[0]))
    return f"{told}: {refused(condition).removeprefix('No: ')}"


def _named(plans: Iterable[Plan], text: str) -> Plan | None:
    """The action that a text begins with; of several the one with the longest name."""
    words = f"{fold(text)} "
    found = [plan for plan in plans if words.startswith(f"{fold(plan.name)} ")]
    return max(found, key=lambda plan: len(fold(plan.name)), default=None)


def _parsed(machine: Machine, state: State, player: int, text: str) -> Choice | None:
    """What was written: an action, or the arguments of one without its name."""
    written = [text, *(f"{plan.name}({text})" for plan in machine.plans(state) if plan.parameters)]
    found = (machine.parse_choice(state, player, words) for words in written)
    return next((choice for choice in found if choice is not None), None)


def hint(machine: Machine, state: State, player: int) -> Choice:
    """What the bot would do in the player's place: it knows no more than they do."""
    return search_bot(stream("hint", f"seat {player + 1}"), HINT_STEPS)(machine, state, player)


def help_lines(made: model.Model, machine: Machine, state: State) -> Iterator[str]:
    """What the game is about, what may be done now, and what may be typed."""
    yield made.title + (f": {' '.join(made.about.split())}" if made.about else "")
    yield ""
    yield "You may now:"
    for plan in machine.plans(state):
        yield f"  {_form(plan)}"
    yield ""
    yield "Type:"
    yield "  NUMBER     a move by its number in the list"
    yield "  NAME       a move by its name or the beginning of it; part of a name lists what it fits"
    yield "  why MOVE   why a move is not allowed, and which clause says so"
    yield "  log        what has happened so far, as you saw it (log all, log 100)"
    yield "  table      the table, with everything you may see"
    if machine.game.kinds:
        yield "  kinds      the kinds of combinations, the strongest first, with examples"
    yield "  moves      the moves again"
    yield "  hint       what the search bot would do"
    yield "  undo       take your last move back, if nobody has learned anything since"
    yield "  quit       leave the game"


def combination_lines(machine: Machine) -> Iterator[str]:
    """Each combination of the game with what its row says it is worth, and the cards that the file shows it by."""
    kinds, cards = machine.game.kinds, machine.words.cards
    if not kinds:
        yield "This game has no combinations."
    width = max((len(kind.name) for kind in kinds), default=0)
    for kind in reversed(kinds):
        worth = "  ".join(f"{plain(column)} {value:>4}" for column, value in kind.columns)
        shown = " ".join(cards.names[face] for face in kind.example)
        yield "  ".join(part for part in (f"{plain(kind.name):<{width}}", worth, shown) if part).rstrip()


def _form(plan: Plan) -> str:
    """An action with what it takes: "lay (card, kind)"."""
    parameters = ", ".join(_parameter(p.declared) for p in plan.parameters)
    return f"{plain(plan.name)} ({parameters})" if parameters else plain(plan.name)


def _parameter(declared: ir.Param) -> str:
    match declared.type:
        case ir.CardsType():
            least, most = declared.least, declared.most
            return f"{least if least == most else f'{least} to {most}'} card{'' if most == 1 else 's'}"
        case ir.CardType():
            return "card"
        case ir.CombinationType():
            return "call"
        case ir.KindType():
            return "kind"
        case ir.RankType():
            return "rank"
        case ir.SuitType():
            return "suit"
        case ir.PlayerType():
            return "seat"
        case ir.IntType(low, high) if low is not None and high is not None:
            return f"{low} to {high}"
    return plain(declared.name)


def refused(refusal: Refusal) -> str:
    """A refusal in a line: the condition, the clauses behind it, and where it stands."""
    return f"No: {refusal.told}"

"""Taking a choice back: which one it is, and why it cannot be done where somebody has learned something since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from dsl import ir
from interpreter import history
from interpreter.effects import is_positional
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.state import State
from interpreter.trace import Chosen, TraceStep, take
from interpreter.values import as_cards


class CannotUndo(Exception):
    """The last choice stands; the message says why, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A person's choice: after how many steps, where the game stood, and whose it was (from 0)."""

    num_steps: int
    before: State
    player: int


def turn_to_undo(
    machine: Machine, turns: Sequence[Turn], steps: Sequence[TraceStep], state: State, player: int
) -> Turn:
    """The last choice of a person who had more than one, if it can be taken back.

    `turns` are the choices of people since chance last decided something; `state` must have kept its history.

    Raises:
        CannotUndo: Something stands against it.
    """
    found = None
    for turn in reversed(turns):
        if len(machine.legal_actions(turn.before, turn.player)) > 1:
            found = turn
            break
    if found is None:
        if any(isinstance(step, Chosen) and step.player == player for step in steps):
            raise CannotUndo("chance has decided something since")
        raise CannotUndo("you have chosen nothing yet")
    if found.player != player:
        raise CannotUndo(f"seat {found.player + 1} has chosen since")
    why = next(_learned(machine, found.before, state, player), None)
    why = why or _looked_at(machine, found.before, state, steps[found.num_steps :])
    if why is not None:
        raise CannotUndo(why)
    return found


def _learned(machine: Machine, before: State, now: State, player: int) -> Iterator[str]:
    """What somebody was told between two stops that they did not know, in the words of a player."""
    count = 0 if before.history is None else before.history[2]
    entries = history.entries(now)[count:]
    waiting = {p.player for p in before.pending}
    narrator = Narrator(machine.layout)
    for entry in entries:
        learned = False
        match entry:
            case history.Struck() | history.Ended() | history.Shuffled() | history.WasCut() | history.Picked():
                learned = True
            case history.Moved(_, _, cards, _, _, masks) | history.Revealed(_, cards, _, _, masks):
                learned = any(mask & ~before.known[c] for c, mask in zip(cards, masks, strict=True))
            case history.Uncovered(_, card, _):
                learned = machine.layout.everyone & ~before.known[card] != 0
            case history.Assigned(_, _, _, _, _, card_masks):
                learned = any(mask & ~before.known[c] for c, mask in card_masks.items())
            case history.Chose(_, whose, _, _, card_masks, secret, _):
                # Choices made at once are hidden until all are made.
                learned = not secret and whose != player and whose in waiting
                learned = learned or any(mask & ~before.known[c] for c, mask in card_masks.items() if not secret)
                if secret:
                    waiting.add(whose)
            case history.Announced():
                pass
        if learned:
            told = narrator.text(entry, player)
            yield f"somebody has learned something since{f' ({told})' if told else ''}"


def _looked_at(machine: Machine, before: State, now: State, steps: Iterable[TraceStep]) -> str | None:
    """Where the rules, on their way between two stops, have looked at what not everybody knows.

    What came of it may tell of it: who guesses wrong learns something, though no card was shown.
    """
    looks = _Looks(machine, before, now)
    machine.passed = {}
    try:
        again = before.clone()
        for step in steps:
            take(machine, again, step)
        numbers = list(machine.passed)
    finally:
        machine.passed = None
    for node in (machine.game.nodes[n] for n in numbers):
        if any(looks.at_hidden(expr) for expr in _asked(node)):
            origin = getattr(node, "origin", None)
            span = origin.span if origin is not None else None
            place = f" ({span.source.path}:{span.line})" if span is not None else ""
            return f"the rules have looked at what not everybody knows since{place}"
    return None


def _asked(node: ir.Node) -> Iterator[Any]:
    """The expressions of a node whose value shows in how the game goes on."""
    match node:
        case ir.Assign(variable, value, _, _):
            yield from (variable.indices, () if is_positional(value) else value)
        case ir.Branch(condition, _, _, _):
            yield condition
        case ir.Deal(count, _, source, target, _, _):
            yield from (count, source.indices, target.indices)
        case ir.Move(cards, target, _, _) | ir.Gather(cards, target, _, _):
            yield from (target.indices, () if _is_named(cards) else cards)
        case ir.Reveal(cards, to, _, _):
            yield from (() if _is_named(cards) else cards, to)
        case ir.Decide(player, _, _, _):
            yield player
        case ir.Collect():
            yield node.binder
        case _:
            pass


def _is_named(cards: ir.Expr | None) -> bool:
    """Cards that were chosen or that lie where they can be seen to leave: who saw which is told by itself."""
    return cards is None or isinstance(cards, ir.Var) or is_positional(cards)


class _Looks:
    """Whether expressions read what somebody did not know, between two stops."""

    def __init__(self, machine: Machine, before: State, now: State) -> None:
        self._layout, self._game, self._states = machine.layout, machine.game, (before, now)
        self._functions = {f.name: f for f in machine.game.functions}

    def at_hidden(self, expr: Any, below: frozenset[str] = frozenset()) -> bool:
        """`below` are the definitions and variables that are being looked into."""
        match expr:
            case ir.UnaryExpr(ir.Unary.SIZE_OF, ir.ZoneExpr(_, indices) | ir.AllOfZone(_, indices), _):
                # How many cards lie somewhere follows from what everybody is told.
                return self.at_hidden(indices, below)
            case ir.UnaryExpr(ir.Unary.TOP_OF, ir.ZoneExpr(name, indices), _):
                return self._in_zone(name, only_top=True) or self.at_hidden(indices, below)
            case ir.ZoneExpr(name, indices) | ir.AllOfZone(name, indices):
                return self._in_zone(name) or self.at_hidden(indices, below)
            case ir.Var(name, indices, _):
                return self._in_variable(name, below) or self.at_hidden(indices, below)
            case ir.CallExpr() if expr.function not in below:
                inner = self.at_hidden(self._functions[expr.function].body, below | {expr.function})
                return inner or self.at_hidden(expr.arguments, below)
            case tuple():
                return any(self.at_hidden(part, below) for part in expr)
            case _:
                return any(self.at_hidden(part, below) for part in _inside(expr))

    def _in_zone(self, name: str, only_top: bool = False) -> bool:
        family = self._layout.zones[name]
        cells = range(family.base, family.base + family.num_cells)
        piles = [(state, state.zones[cell][-1 if only_top else 0 :]) for state in self._states for cell in cells]
        return any(self._is_hidden(state, pile) for state, pile in piles)

    def _in_variable(self, name: str, below: frozenset[str]) -> bool:
        family, declared = self._layout.vars[name], self._layout.declared_vars[name]
        of = declared.type.of if isinstance(declared.type, ir.OptionalType) else declared.type
        if isinstance(of, ir.CardType | ir.CardsType):
            cells = range(family.base, family.base + family.num_cells)
            values = [(s, s.vars[cell]) for s in self._states for cell in cells]
            return any(self._is_hidden(s, as_cards(v)) for s, v in values if isinstance(v, int | tuple))
        if not declared.local:
            return declared.seen != "everyone"
        if name in below:
            return False
        made = (n.value for n in self._game.nodes if isinstance(n, ir.Assign) and n.variable.name == name)
        return any(self.at_hidden(value, below | {name}) for value in made)

    def _is_hidden(self, state: State, cards: Sequence[int]) -> bool:
        return any(state.known[card] != self._layout.everyone for card in cards)


def _inside(expr: Any) -> list[Any]:
    """What an expression is made of, one level down."""
    if not is_dataclass(expr) or isinstance(expr, type | ir.Const | ir.Origin):
        return []
    return [getattr(expr, field.name) for field in fields(expr)]

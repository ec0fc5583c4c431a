"""Choices in the count abstraction: which actions may be possible, with which arguments, and whether that is sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dsl import ir
from interpreter.machine import Machine
from interpreter.values import Words
from verify.counts import Counts, maybe
from verify.points import Label, Point, Unsupported
from verify.unknown import UNKNOWN, Held, held


def decide(node: ir.Decide, ready: tuple[Any, ...], point: Point, s: Counts, machine: Machine, kept: Sequence[bool]
           ) -> Iterator[tuple[Label, Point]]:  # fmt: skip
    """Every action that may be chosen, and every event of the clock. `kept` tells of which variables values are."""
    player, actions = ready
    who = player(s)
    for index, (action, (parameters, guards, promised)) in enumerate(zip(node.actions, actions, strict=True)):
        for words in _choices(s, parameters, machine.words):
            truth: Any = True
            for guard in guards:
                # Whether a guard is asked at all is not sure once another one is open.
                found = maybe(guard, s) if truth is UNKNOWN else guard(s)
                if found is False:
                    truth = False
                    break
                if found is UNKNOWN:
                    truth = UNKNOWN
            if truth is False:
                continue
            label = Label("action", " ".join((action.name, *words)), (action.name, *words), who, index,
                          must=truth is True and promised)  # fmt: skip
            variables = list(s.vars)
            for _, cell, _, _ in parameters:
                if not kept[cell] and not isinstance(variables[cell], Held):
                    variables[cell] = UNKNOWN
            yield label, point._replace(pc=action.entry, vars=tuple(variables))
    clock = machine.game.clock
    if clock is not None and point.fired < len(clock.events):
        event = clock.events[point.fired]
        yield Label("clock", event.name), point._replace(pc=event.entry, fired=point.fired + 1,
                                                         frames=(*point.frames, point.pc))  # fmt: skip


def _choices(
    s: Counts, parameters: list[Any], names: Words, i: int = 0, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Every way to fill in the parameters, each set in `s` while it is yielded."""
    if i == len(parameters):
        yield words
        return
    p, cell, pile, values = parameters[i]
    saved = s.vars[cell]
    if pile is None:
        options: list[tuple[Any, str]] = [(v, "?" if v is UNKNOWN else names.show(v, p.type)) for v in values]
    else:
        cards = pile(s)
        if not isinstance(cards, Held):
            raise Unsupported("cards are chosen from an unknown zone")
        options = []
        for n in range(p.least, min(p.most, cards.count) + 1):
            if len(cards.parts) > 1:
                raise Unsupported("cards are chosen from several zones")
            options.append((held((cards.parts[0][0], n)) if n else Held(()), f"{n}"))
    for value, word in options:
        s.vars[cell] = value
        yield from _choices(s, parameters, names, i + 1, (*words, word))
    s.vars[cell] = saved

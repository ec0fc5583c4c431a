"""What is known beforehand of the key of a combination that is found among unknown cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from dsl import ir
from interpreter.cards import CardSet
from interpreter.machine import Machine
from verify.folded import key_number


class Keys:
    """The keys of one game's kinds, as terms. Of a kind whose key says nothing, all are equal.

    Where a call leaves part of a key open, any number of combinations may lie between it and the next call.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._open = [leaves_open(machine, i) for i in range(len(machine.game.kinds))]

    def fresh(self, name: str) -> Any:
        """A key of any kind."""
        return z3.Real(name) if any(self._open) else z3.Int(name)

    def facts(self, kind: Any, key: Any) -> Iterator[Any]:
        """What a kind tells of its key."""
        for i in range(len(self._open)):
            constant = constant_key(self._machine, i)
            if constant is not None:
                yield z3.Implies(kind == i, key == constant)
            elif any(self._open) and not self._open[i] and self._machine.words.combinations.is_callable(i):
                yield z3.Implies(kind == i, z3.IsInt(key))


def leaves_open(machine: Machine, index: int) -> bool:
    """Whether a call of a kind leaves part of the key open that what is found among cards has."""
    kind = machine.game.kinds[index]
    if kind.pattern is None or not machine.words.combinations.is_callable(index):
        return False
    loose = any(g.rank is None for g in kind.pattern.groups) or _is_served(machine, index)
    return any(part is ir.Key.SIDE_CARDS or (loose and isinstance(part, ir.Key)) for part in kind.by)


def _is_served(machine: Machine, index: int) -> bool:
    """Whether something else serves as a kind: its key may then be of any ranks."""
    return any(index in other.serves_as for other in machine.game.kinds)


def constant_key(machine: Machine, index: int) -> int | None:
    """The key of a kind that has only one: its ranks are written in the pattern."""
    kind = machine.game.kinds[index]
    if kind.pattern is None or any(k is ir.Key.SIDE_CARDS for k in kind.by):
        return None
    if kind.by and _is_served(machine, index):
        return None
    if not all(isinstance(g.rank, int) for g in kind.pattern.groups):
        return None
    for hand in _hands(kind.pattern, machine.words.cards):
        found = machine.words.combinations.exactly(index, hand)
        if found is not None:
            return key_number(found.key)
    return None


def _hands(pattern: ir.Pattern, cards: CardSet) -> Iterator[tuple[int, ...]]:
    """Some hands that may make a pattern whose ranks are all written: one for each suit."""
    for suit in range(cards.num_plain_suits):
        hand: list[int] = []
        for group in pattern.groups:
            assert isinstance(group.rank, int)
            runs = [r for r in cards.runs(group.count) if r.top == group.rank] if group.run else []
            ranks = list(runs[0].ranks) if runs else [group.rank] * group.count
            hand += [rank * cards.num_plain_suits + suit for rank in ranks]
        if len(set(hand)) == len(hand):
            yield tuple(hand)

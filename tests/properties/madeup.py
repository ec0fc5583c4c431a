"""Positions that a solver makes up, and steps that it chooses from them.

A solver knows no cards: to it a card, or some cards, are a number. Here each has one of its own, so that what terms say
of cards can be compared with what lies on the table.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import z3

from dsl import ir, types
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET, whole
from verify.env import Env
from verify.folded import Lying, Optional, Strength, conj, disj, equal, is_term, key_number, lift, neg
from verify.steering import Place

_SEVERAL = 10**12  # numbers from here on mean several cards
_DIGIT, _LONGEST = 64, 40  # of the keys of combinations
_FAR = 999  # numbers without a range stay within this of nothing


class Meanings:
    """What numbers mean cards, and which combination a strength is. One for each game."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._numbers: dict[Any, int] = {}
        self._values: list[Any] = []
        self._combinations: dict[tuple[int, Any], ir.Combination] = {}
        self._called: dict[int, int] = {}  # how long the key of a call is
        for call in machine.words.calls:
            self._called[call.kind] = len(call.key)
            self.number(call)

    def _key(self, found: ir.Combination) -> Any:
        """A key as a number, in the order of keys: what a call of the kind leaves open comes after the point."""
        said = self._called.get(found.kind, _LONGEST)
        number = Fraction(key_number(found.key[:said])) * _DIGIT ** max(0, said - len(found.key))
        return whole(number + sum(Fraction(part + 2, _DIGIT ** (i + 1)) for i, part in enumerate(found.key[said:])))

    def number(self, value: Any) -> Any:
        """Several cards as their number, and a combination as its strength; anything else as it is."""
        if isinstance(value, ir.Combination):
            found = Strength(value.kind, self._key(value))
            self._combinations.setdefault((found.kind, found.key), value)
            return found
        if not isinstance(value, tuple):
            return value
        if value not in self._numbers:
            self._numbers[value] = _SEVERAL + len(self._values)
            self._values.append(value)
        return self._numbers[value]

    def same(self, told: Any, value: Any) -> Any:
        """That a term has a value of play."""
        if isinstance(told, Lying):
            told = told.cards
        if isinstance(told, Optional) and isinstance(told.value, Lying):
            told = Optional(told.none, told.value.cards)
        return equal(self.number(told), self.number(value))

    def value(self, told: Any, model: Any) -> Any:
        """The value that a term has in a model. `KeyError`: it is the strength of no combination that was met."""
        if isinstance(told, Lying):
            told = told.cards
        if isinstance(told, Optional):
            return None if self.value(told.none, model) else self.value(told.value, model)
        if isinstance(told, Strength):
            return self._combinations[_plain(told.kind, model), _plain(told.key, model)]
        number = _plain(told, model)
        is_several = isinstance(number, int) and number >= _SEVERAL
        return self._values[number - _SEVERAL] if is_several else number


def _plain(told: Any, model: Any) -> Any:
    """A term's value in a model, as a plain one."""
    if not is_term(told):
        return told
    found = model.eval(told, model_completion=True)
    if z3.is_bool(found):
        return z3.is_true(found)
    if z3.is_int(found):
        return found.as_long()
    return whole(Fraction(found.numerator_as_long(), found.denominator_as_long()))


def any_place(machine: Machine, pc: int, cells: Sequence[int], rng: random.Random) -> Place:
    """A node, with any values of what steers."""
    steering = []
    for cell in cells:
        t = machine.layout.cell_vars[cell].type
        few = not isinstance(t, ir.IntType) or (t.low is not None and t.high is not None)
        steering.append(rng.choice(machine.words.domain(t)) if few else rng.randint(0, 3))
    return Place(pc, tuple(steering))


def is_told(t: ir.Type) -> bool:
    """Whether a solver can choose a value of a type: it knows no cards."""
    return not isinstance(types.strip(t), ir.CardType | ir.CardsType | ir.CombinationType | ir.CombinationsType)


def any_cards(machine: Machine, t: ir.Type, rng: random.Random) -> Any:
    """Any value of a type of which a solver can choose none."""
    pack, combinations = machine.words.cards.pack, machine.words.combinations
    match t:
        case ir.OptionalType(of):
            return None if rng.random() < 0.3 else any_cards(machine, of, rng)
        case ir.CardType():
            return rng.choice(pack)
        case ir.CardsType():
            return tuple(rng.sample(pack, rng.randint(0, min(4, len(pack)))))
        case ir.CombinationType():
            hands = [pack, *(tuple(rng.sample(pack, rng.randint(1, min(7, len(pack))))) for _ in range(4))]
            found = [x for x in map(combinations.best, hands[::-1]) if x is not None]
            return rng.choice([*found[:1], *rng.sample(machine.words.calls, min(1, len(machine.words.calls)))])
        case _:
            return ()


def within_reach(machine: Machine, env: Env) -> list[Any]:
    """That numbers without a range are small."""
    out = []
    for told, variable in zip(env.cells, machine.layout.cell_vars, strict=True):
        x = told.value if isinstance(told, Optional) else told
        if isinstance(x, z3.ArithRef) and is_told(variable.type):
            out.append(z3.And(x >= -_FAR, x <= _FAR))
    return out


def wishes(machine: Machine, env: Env, rng: random.Random) -> list[Any]:
    """Some values that a position might well have, so that a solver makes up many different ones."""
    out: list[Any] = []
    layout = machine.layout
    cells = [i for i, x in enumerate(env.cells) if is_term(x) and is_told(layout.cell_vars[i].type)]
    for i in rng.sample(cells, rng.randint(0, min(6, len(cells)))):
        out.append(_wish(machine, layout.cell_vars[i].type, env.cells[i], rng))
    for i in rng.sample(range(len(env.counts)), rng.randint(0, len(env.counts))):
        out.append(env.counts[i] == rng.choice((0, 0, 1, 1, 2, 3, rng.randint(0, len(machine.words.cards.pack)))))
    return [x for x in out if is_term(x)]


def _wish(machine: Machine, t: ir.Type, told: Any, rng: random.Random) -> Any:
    if isinstance(told, Optional):
        assert isinstance(t, ir.OptionalType)
        return told.none if rng.random() < 0.3 else conj(neg(told.none), _wish(machine, t.of, told.value, rng))
    match t:
        case ir.BoolType():
            return told if rng.random() < 0.5 else neg(told)
        case ir.FractionType():
            return told == lift(Fraction(rng.randint(-6, 9), rng.choice((1, 2, 3))))
        case ir.IntType(low, high) if low is None or high is None:
            return told == rng.randint(-3, 12)
        case _:
            return told == rng.choice(machine.words.domain(t))


def laid_out(machine: Machine, place: Place, values: Sequence[Any], counts: Sequence[int], rng: random.Random) -> State:
    """A position with so many cards in each zone, whichever they are."""
    state, layout = machine.blank(recording=False), machine.layout
    cards = list(machine.words.cards.pack)
    rng.shuffle(cards)
    for zone, count in enumerate(counts):
        state.zones[zone], cards = tuple(cards[:count]), cards[count:]
        for card in state.zones[zone]:
            state.where[card] = zone
            state.known[card] = layout.everyone if layout.zone_contents[zone] else layout.zone_seen[zone]
        if layout.zone_top[zone] and state.zones[zone]:
            state.known[state.zones[zone][-1]] = layout.everyone
    state.vars = list(values)
    for cell, value in enumerate(state.vars):
        if layout.cell_vars[cell].local and value is UNSET:
            continue
        assert value is not UNSET, f"{layout.var_names[cell]} was given no value"
    state.pc = place.pc
    return state


def any_of(conditions: Sequence[Any]) -> Any:
    """That one of some conditions holds, as a term."""
    return lift(disj(*conditions))

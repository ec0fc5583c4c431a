"""Plays in the making, in which it can still be chosen which cards are dealt.

Where a card lies that nobody's choice has moved since the pile was shuffled, another such card might as well lie: the
shuffle would only have come out otherwise. So a line of play can go on from a deal that is made up as it is needed.
What comes of it is no play yet: it becomes one by being replayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dsl import ir
from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, TraceStep


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The last shuffle: which step of the line it is, the pile that was shuffled, and how its cards lay before."""

    step: int
    zone: int
    before: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """A marked rule that is under way: after so many steps it began, from this position."""

    step: int
    state: State


@dataclass(frozen=True, slots=True)
class Line:
    """A play so far.

    `dealt` are cards that left the shuffled pile before anybody chose, and that no choice has named or moved since.
    `meant` are cards that lie where they are to stay.
    """

    state: State
    steps: tuple[TraceStep, ...] = ()
    begun: tuple[Begun, ...] = ()
    shuffled: Shuffled | None = None
    dealt: frozenset[int] = frozenset()
    meant: frozenset[int] = frozenset()

    @property
    def pile(self) -> tuple[int, ...]:
        """The cards that are still to come, the next one last."""
        return () if self.shuffled is None else self.state.zones[self.shuffled.zone]

    @property
    def open(self) -> frozenset[int]:
        """The cards that may be exchanged for each other."""
        return self.dealt.union(self.pile) - self.meant

    def come(self, after: Line) -> list[int]:
        """The cards that left the pile between this point and a later one, in the order in which they left."""
        if self.shuffled is None or after.shuffled is not self.shuffled:
            return []
        zone, where = self.shuffled.zone, after.state.where
        return [c for c in reversed(self.pile) if where[c] != zone]


def draw(machine: Machine, line: Line, step: Drawn) -> Line:
    """The line after chance decided. Raises `Fault` where the rules fail."""
    before, node = line.state, machine.chance_node(line.state)
    state = machine.apply_chance(before, step.outcome)
    steps = (*line.steps, step)
    if isinstance(node, ir.Shuffle):
        zone = machine.effects.zone(node.zone)(before)
        cards = before.zones[zone]
        shuffled = Shuffled(len(line.steps), zone, cards)
        return Line(state, steps, line.begun, shuffled, frozenset(c for c in cards if state.where[c] != zone))
    after = _gathered(line, replace(line, state=state, steps=steps))
    return replace(after, dealt=after.dealt.union(line.come(after)))


def choose(machine: Machine, line: Line, choice: Choice, step: Chosen) -> Line:
    """The line after a player's choice, which the step writes down. Raises `Fault` where the rules fail."""
    before = line.state
    state = machine.apply(before, step.player, choice, step.elapsed_ms)
    steps = (*line.steps, step)
    moved = frozenset(c for c in line.dealt if state.where[c] != before.where[c])
    dealt = line.dealt - moved - frozenset(cards_of(machine, before, choice))
    return _gathered(line, replace(line, state=state, steps=steps, dealt=dealt))


def _gathered(line: Line, after: Line) -> Line:
    """A pile to which cards have come back is no longer the one that was shuffled."""
    if line.shuffled is not None and not set(after.pile) <= set(line.pile):
        return replace(after, shuffled=None, dealt=frozenset(), meant=frozenset())
    return after


def cards_of(machine: Machine, state: State, choice: Choice) -> list[int]:
    """The cards that a choice names."""
    out: list[int] = []
    plan = machine.plans(state)[choice.action]
    for parameter, said in zip(plan.parameters, choice.arguments, strict=True):
        if parameter.is_card:
            out.extend(said if isinstance(said, tuple) else (said,))
    return out


def exchange(line: Line, pairs: Sequence[tuple[int, int]]) -> Line:
    """The line with some open cards in each other's place (none of them twice), as if the shuffle had come out so."""
    shuffled = line.shuffled
    if shuffled is None or not pairs:
        return line
    step = line.steps[shuffled.step]
    assert isinstance(step, Drawn)
    order, place_of = list(step.outcome), {c: i for i, c in enumerate(shuffled.before)}
    other = {c: c for c in shuffled.before}
    for a, b in pairs:
        other[a], other[b] = other[b], other[a]
        i, j = order.index(place_of[a]), order.index(place_of[b])
        order[i], order[j] = order[j], order[i]
    steps = (*line.steps[: shuffled.step], Drawn(tuple(order)), *line.steps[shuffled.step + 1 :])
    begun = tuple(replace(b, state=_swapped(b.state, pairs)) if b.step >= shuffled.step else b for b in line.begun)
    dealt = frozenset(other[c] for c in line.dealt)
    return replace(line, state=_swapped(line.state, pairs), steps=steps, begun=begun, dealt=dealt)


def _swapped(state: State, pairs: Sequence[tuple[int, int]]) -> State:
    out = state.clone()
    zones, where, known = out.zones, out.where, out.known
    for a, b in pairs:
        for zone in {where[a], where[b]}:
            zones[zone] = tuple([b if c == a else a if c == b else c for c in zones[zone]])
        where[a], where[b] = where[b], where[a]
        known[a], known[b] = known[b], known[a]
    return out

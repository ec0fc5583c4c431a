"""The count abstraction between choices: steps that only compute, carried out in place.

It does what `CountMachine.successors` does where that leaves one way, and stops where there are several, something is
in doubt, or something fails: those are for the machine itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from dsl import ir
from verify.counting import CountMachine
from verify.counts import Counts, Impossible
from verify.points import Point
from verify.unknown import UNKNOWN, Held, held

# Carries out one node and tells the next; None where it must be left to the machine, and nothing was changed.
Step: TypeAlias = Callable[[Counts], int | None]

_MAX_RUN = 2000


class Runner:
    """Runs positions of one abstraction on to where something is open."""

    def __init__(self, machine: CountMachine, stops: tuple[type, ...]) -> None:
        self._machine = machine
        # Nobody looks where a rule begins.
        self._steps = [
            None if isinstance(n, stops) and not (isinstance(n, ir.Mark) and n.begins) else self._step(i, n)
            for i, n in enumerate(machine.game.nodes)
        ]

    def run(self, point: Point, passed: set[int] | None = None) -> Point:
        """The next position at which there is a choice, a stop, or a doubt; `passed` is told the nodes on the way."""
        steps = self._steps
        if steps[point.pc] is None:
            return point
        s = self._machine.counts(point)
        pc, trail = point.pc, list[int]()
        for _ in range(_MAX_RUN):
            step = steps[pc]
            if step is None:
                break
            try:
                following = step(s)
            except Impossible:
                following = None
            if s.doubts:
                s.doubts.clear()
                following = None
            if following is None:
                break
            trail.append(pc)
            pc = following
        else:
            return point  # it may go round for ever: step by step, the positions will repeat
        if pc == point.pc:
            return point
        if passed is not None:
            passed.update(trail)
        return self._machine.tidy(Point(pc, tuple(s.vars), tuple(s.counts), point.fired, point.frames))

    def _step(self, index: int, node: ir.Node) -> Step | None:
        ready = self._machine.ready(index)
        match node:
            case ir.Assign(_, _, after, _):
                return self._assign(ready, after)
            case ir.Branch(_, yes, no, _):
                (condition,) = ready
                return lambda s: None if (truth := condition(s)) is UNKNOWN else yes if truth else no
            case ir.Deal():
                return self._deal(node, ready)
            case ir.Move(_, _, after, _):
                return self._move(ready, after)
            case ir.Gather(_, _, after, _):
                return self._gather(ready, after)
            case ir.Announce(next=after) | ir.Mark(next=after):
                return lambda s: after
            case ir.Reveal(_, _, after, _):
                return self._reveal(ready, after)
            case _:
                return None

    def _assign(self, ready: tuple[Any, ...], after: int) -> Step:
        where, value, bounds = ready
        m = self._machine

        def assign(s: Counts) -> int | None:
            found, cell = value(s), where(s)
            if s.doubts or cell is None:
                return None
            if found is UNKNOWN:
                if (m.keeps(cell) and m.cases(cell) is not None) or (bounds is not None and not bounds[2]):
                    return None
            elif bounds is not None and found is not None and not _within(found, bounds[0], bounds[1]):
                return None
            s.vars[cell] = found if m.keeps(cell) else UNKNOWN
            return after

        return assign

    def _deal(self, node: ir.Deal, ready: tuple[Any, ...]) -> Step:
        count, source, target = ready

        def deal(s: Counts) -> int | None:
            n, a, b = count(s), source(s), target(s)
            if s.doubts or n is UNKNOWN or a is None or b is None:
                return None
            have = s.counts[a]
            if have is None or n < 0 or (n > have and not node.up_to):
                return None
            return node.next if self._put(s, held((a, min(n, have))), b, None) else None

        return deal

    def _move(self, ready: tuple[Any, ...], after: int) -> Step:
        cards, where, named, _ = ready

        def move(s: Counts) -> int | None:
            pile = cards(s)
            if s.doubts or not isinstance(pile, Held):
                return None
            if not pile.count:
                return after  # no cards move, and where to is not asked
            place = where(s)
            if s.doubts or place is None:
                return None
            return after if self._put(s, pile, place, named) else None

        return move

    @staticmethod
    def _reveal(ready: tuple[Any, ...], after: int) -> Step:
        def reveal(s: Counts) -> int | None:
            for asked in ready:
                asked(s)
            return None if s.doubts else after

        return reveal

    def _gather(self, ready: tuple[Any, ...], after: int) -> Step:
        cards, where, named = ready
        everything = len(self._machine.machine.words.cards.pack)

        def gather(s: Counts) -> int | None:
            place = where(s)
            if place is None:
                return None
            if cards is None:
                s.counts[:] = [None if n is None else everything if i == place else 0 for i, n in enumerate(s.counts)]
                s.lay(None, place)
                return after
            pile = cards(s)
            if s.doubts or not isinstance(pile, Held):
                return None
            return after if self._put(s, pile, place, named) else None

        return gather

    def _put(self, s: Counts, pile: Held, place: int, named: int | None) -> bool:
        """Moves so many cards from each place, unless the target cannot hold them."""
        total = pile.count
        before, most = s.counts[place], self._machine.holds(place)
        kept = sum(n for source, n in pile.parts if source == place)
        if before is not None and most is not None and before - kept + total > most:
            return False
        for source, n in pile.parts:
            have = s.counts[source]
            if have is not None:
                s.counts[source] = have - n
        now = s.counts[place]
        if now is not None:
            s.counts[place] = now + total
        s.lay(pile.places, place, named)
        return True


def _within(value: Any, low: int | None, high: int | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)

"""Plays towards a goal: from many points of play on at once, those first from which the goal is nearest.

Chance is ours to choose as well, as long as a shuffle can have come out so. From a point that is kept, either the
players go on as they like, or some cards are to be brought together that make a combination: the deal and the choices
are bent to that. Where it ends is kept in turn, if it is among the nearest that as many such steps led to. How near a
point is says the claim itself; where the claim looks only later, that is tried out by playing on.

Nothing here is a proof, and nothing is shown before it is replayed.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dsl import ir
from interpreter.actions import Choice, InvalidChoice
from interpreter.machine import Machine
from interpreter.trace import Chosen, Drawn, Trace, TraceStep
from interpreter.values import Fault
from verify.levels import Asides, Level, Point
from verify.lines import Line, cards_of, choose, draw
from verify.plays import MISFITS, Found, holds_again, liked
from verify.scout import FAR, Goal, Scout
from verify.targets import Target, Targets

_AHEAD = 12  # levels beyond that of the nearest point
_TRIALS = 4
_PATIENCE = 8
_CASES = 400
# Each search begins anew, with players who take their time or do not.
_AT_ONCE, _SLOWLY, _AS_IT_COMES = range(3)
_PACES = _AT_ONCE, _SLOWLY, _AT_ONCE, _AS_IT_COMES
_SHORT, _TRIES = 100, 1000  # of the first few searches, and of the shortest after them
_FEW = 2


class Guided:
    """Seeks a play that reaches a goal, for one claim. The same seed seeks in the same order."""

    def __init__(self, machine: Machine, claim: ir.Property, where: str, goal: Goal, seed: str) -> None:
        self._machine, self._claim, self._seed = machine, claim, seed
        self._rng = random.Random(seed)
        self._scout = Scout(machine, claim, where, goal)
        self._targets = Targets(machine, claim, self._rng)
        self._steps: tuple[TraceStep, ...] = ()
        self._likings: dict[str, float] = {}
        # How much each action was liked when that led nearer, and when the claim was then looked at.
        self._manner: dict[str, float] = {}
        self._ending: dict[str, float] = {}
        self._pace, self._asides, self._most = _AT_ONCE, Asides(), 0.0
        self.tried = self.begun = 0

    def run(self, seconds: float, is_it: Callable[[tuple[Any, ...]], bool]) -> tuple[Trace, int] | None:
        """A play that reaches the goal, and after how many steps; None where none was found in time.

        It has been replayed from nothing, and `is_it` holds of the claim's values there.
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._scout.num_cases <= _CASES:
            self._scout.attend()
            try:
                self._search(deadline, _SHORT if self.begun < _FEW else _TRIES * _luby(self.begun - _FEW + 1))
            except Found:
                with contextlib.suppress(*MISFITS):
                    at = holds_again(self._machine, self._claim, self._scout.where, self._trace, is_it)
                    if at is not None:
                        return replace(self._trace, steps=self._steps[:at]), at
            except Fault:
                return None
        return None

    @property
    def _trace(self) -> Trace:
        game = self._machine.game
        return Trace(game.name, game.num_players, game.options, self._seed, self._steps)

    def _search(self, deadline: float, tries: int) -> None:
        """Raises `Found` where the goal is reached, as it seems, and `Fault` where the rules fail at once."""
        rng, scout = self._rng, self._scout
        self._pace = _PACES[self.begun % len(_PACES)] if self._machine.game.clock is not None else _AT_ONCE
        self.begun += 1
        self._targets.begin()
        scout.begun.clear()
        scout.now, self._steps = 0, ()
        first = self._machine.blank(recording=False)
        self._machine.advance(first)
        start = self._looked(Line(first))
        latest: Point | None = None
        nearest = self._point(start)
        levels = {0: Level(rng)}
        levels[0].add(nearest)
        for _ in range(tries):
            if time.monotonic() > deadline:
                break
            self.tried += 1
            if latest is not None and rng.random() < 0.6:
                # What has just come nearer is gone on with for a while.
                point, level = latest, levels[latest.level]
                latest = latest if rng.random() < 0.9 else None
            else:
                level = levels[nearest.level] if rng.random() < 0.2 else self._level(levels)
                point = level.pick()
            self._likings = dict(self._manner) if rng.random() < 0.5 else {}
            try:
                after, target = self._go_on(point.line)
                found = None if after is None or after is point.line else self._point(after)
            except (Fault, InvalidChoice):
                continue
            gain = 0.0 if found is None else point.gain(found)
            self._most = max(self._most, gain)
            gain = gain / self._most if gain else 0.0
            level.helped += gain
            if target is not None:
                self._targets.learn(target, gain)
                self._asides.learn(gain)
            if found is None or after is None:
                continue
            if self._machine.is_terminal(after.state) or found.level > nearest.level + _AHEAD:
                continue
            levels.setdefault(found.level, Level(rng)).add(found)
            if gain:
                latest, self._manner = found, self._likings
            if found.cost < nearest.cost:
                nearest = found

    def _level(self, levels: dict[int, Level]) -> Level:
        (level,) = self._rng.choices(list(levels.values()), [x.yields for x in levels.values()])
        return level

    def _point(self, line: Line) -> Point:
        scout = self._scout
        total, value = scout.measure(line.state)
        # Of points that are as near the one that was come to in fewer steps is better.
        later, number = 0.0, len(line.steps)
        if scout.where != "stops":
            later = min(self._tried_out(line), 2.0 + total)
        return Point(line, (later if scout.looks_back else total + later, number), value)

    def _tried_out(self, line: Line) -> float:
        """How near play comes if it goes on until the claim looks: the best of some ways to go on."""
        scout, best, going_on, ending = self._scout, FAR, self._likings, self._ending
        for _ in range(_TRIALS):
            scout.nearest = FAR
            self._likings = dict(self._ending) if self._rng.random() < 0.5 else {}
            with contextlib.suppress(Fault, InvalidChoice):
                self._play_on(line, 60, until_looked=True)
            if scout.nearest < best:
                best, ending = scout.nearest, self._likings
        self._likings, self._ending = going_on, ending
        return best

    # ------------------------------------------------------------------------------------- going on

    def _go_on(self, line: Line) -> tuple[Line | None, Target | None]:
        rng = self._rng
        if self._targets.are_any and rng.random() < 0.75:
            if not line.open and self._machine.chance_node(line.state) is not None:
                line = self._drawn(line)
            target = self._targets.choose(line)
            if target is not None:
                return self._made(line, target), target
        return self._play_on(line, rng.choice((1, 2, 4, 8, 16, 32))), None

    def _play_on(self, line: Line, most: int, until_looked: bool = False) -> Line:
        m, rng = self._machine, self._rng
        for _ in range(most):
            if m.is_terminal(line.state) or (until_looked and self._scout.nearest < FAR):
                break
            if m.chance_node(line.state) is not None:
                line = self._drawn(line)
                continue
            player = m.to_move(line.state)[0]
            legal = m.legal_actions(line.state, player)
            if not legal:
                break
            if line.meant and rng.random() < 0.8:
                legal = [c for c in legal if line.meant.isdisjoint(cards_of(m, line.state, c))] or legal
            line = self._chosen(line, player, liked(legal, self._likings, self._rng))
        return line

    def _made(self, line: Line, target: Target) -> Line | None:
        """The line once the cards of a target lie together; None where they did not come to."""
        m, targets = self._machine, self._targets
        line = targets.laid_out(line, target)
        aside, lying, waited = self._asides.choose(self._rng), targets.progress(line, target), 0
        for _ in range(80):
            if lying == len(target.cards):
                return replace(line, meant=line.meant | target.cards)
            if m.is_terminal(line.state) or waited > _PATIENCE:
                return None
            if line.shuffled is None and m.chance_node(line.state) is None:
                return None
            if m.chance_node(line.state) is not None:
                line = targets.laid_out(self._drawn(line), target)
                lying = targets.progress(line, target)
                continue
            player = m.to_move(line.state)[0]
            legal = m.legal_actions(line.state, player)
            if not legal:
                return None
            can_help = targets.owner(target.zone) in (None, player)
            if aside and can_help:
                aside = False
                line = self._aside(line, player, legal, target)
                continue
            line = self._step_towards(line, player, legal, target, lying)
            before, lying = lying, targets.progress(line, target, lying)
            waited = 0 if lying > before else waited + can_help
        return None

    def _step_towards(self, line: Line, player: int, legal: list[Choice], target: Target, before: int) -> Line:
        """The line after a choice that brings one of the cards where it is to be; else one that does no harm."""
        m, rng, targets = self._machine, self._rng, self._targets
        look = m.words.cards.look
        named = [(c, cards_of(m, line.state, c)) for c in legal]
        if targets.owner(target.zone) in (None, player):
            missing = {look[c] for c in target.cards if line.state.where[c] != target.zone}
            about = [c for c, cards in named if cards and all(x >= 0 and look[x] in missing for x in cards)]
            plain = [c for c, cards in named if not cards]
            rng.shuffle(about)
            rng.shuffle(plain)
            for choice in (*about[:12], *plain[:12]):
                after = self._bent(line, player, choice, target)
                if targets.progress(after, target, before) > before:
                    return after
        kept = line.meant | target.cards
        harmless = [c for c, cards in named if kept.isdisjoint(cards)] or legal
        after = line
        for _ in range(4):
            after = self._bent(line, player, liked(harmless, self._likings, self._rng), target)
            if targets.progress(after, target, before) >= before and not self._is_crowded(after, target):
                break
        return after

    def _is_crowded(self, line: Line, target: Target) -> bool:
        room = self._machine.mover.capacity(line.state, target.zone)
        return room is not None and len({*line.state.zones[target.zone], *target.cards}) > room

    def _aside(self, line: Line, player: int, legal: list[Choice], target: Target) -> Line:
        """The line after a choice that moves no card, one about the very zone first, if there is one."""
        indices = self._machine.layout.zone_cells[target.zone].indices
        tried = self._rng.sample(legal, min(12, len(legal)))
        tried.sort(key=lambda c: not any(i in c.arguments for i in indices))
        for choice in tried[:6]:
            after = self._chosen(line, player, choice)
            if after.state.zones == line.state.zones:
                return after
        self._asides.there_is_none()
        return line

    def _bent(self, line: Line, player: int, choice: Choice, target: Target) -> Line:
        after = self._chosen(line, player, choice)
        bent = self._targets.bent(line, after, target)
        return after if bent is None else self._chosen(bent, player, choice)

    # ---------------------------------------------------------------------------------------- steps

    def _drawn(self, line: Line) -> Line:
        step = Drawn(self._machine.draw(line.state, self._rng))
        self._ready(line, step)
        return self._looked(draw(self._machine, line, step))

    def _chosen(self, line: Line, player: int, choice: Choice) -> Line:
        clock = self._machine.game.clock
        elapsed = 0
        if clock is not None and self._pace != _AT_ONCE:
            elapsed = clock.think[1] if self._pace == _SLOWLY else self._rng.randint(*clock.think)
        step = Chosen(player, self._machine.name_of(choice, line.state), elapsed)
        self._ready(line, step)
        return self._looked(choose(self._machine, line, choice, step))

    def _ready(self, line: Line, step: TraceStep) -> None:
        self._scout.begun[:] = line.begun
        self._scout.now = len(line.steps)
        self._steps = (*line.steps, step)

    def _looked(self, line: Line) -> Line:
        self._scout.stop(line.state)
        return replace(line, begun=tuple(self._scout.begun))


def _luby(i: int) -> int:
    """1, 1, 2, 1, 1, 2, 4, ...: how long the i-th of many searches is best made where nobody knows how long it takes.

    After M. Luby, A. Sinclair and D. Zuckerman, "Optimal speedup of Las Vegas algorithms" (1993).
    """
    length = i.bit_length()
    return 1 << (length - 1) if i == (1 << length) - 1 else _luby(i - (1 << (length - 1)) + 1)

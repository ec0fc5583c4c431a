"""What playing shows: faults, dead ends, what was reached, results; and, of a small game, all there is to see.

A campaign plays many games, run by run with other likings, and looks at each stop. Where the game is so small that
every deal and choice can be gone through, it does that, and what it does not find is not there.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Any

from dsl import ir
from interpreter.machine import Machine
from interpreter.state import State, check_conservation
from interpreter.trace import Chosen, Drawn, Trace, TraceStep
from interpreter.values import Fault
from verify.futures import Futures
from verify.lessons import OURS
from verify.plays import LIKING

_AT_FIRST, _AFTER_FEW = 1.0, 0.3  # seconds
_MAX_STEPS = 3000
_MAX_STATES = 200_000
_MAX_CARDS = 12
_MAX_OUTCOMES = 800


@dataclass(frozen=True, slots=True)
class Failed:
    """An obligation that failed in a play, and the play."""

    message: str
    origin: ir.Origin | None
    trace: Trace


@dataclass(slots=True)
class Seen:
    """What was seen. Each trace is the shortest met."""

    runs: int = 0
    stops: int = 0
    longest: int = 0  # decisions of the longest play
    faults: dict[tuple[str, str], Failed] = field(default_factory=dict)
    dead_ends: dict[str, Failed] = field(default_factory=dict)
    rules: set[str] = field(default_factory=set)
    taken: set[tuple[str, str, str]] = field(default_factory=set)  # rule, decision, action
    last_new: Trace | None = None  # the play in which something was reached for the first time, latest
    winners: dict[int, Trace] = field(default_factory=dict)
    sums: dict[Any, Trace] = field(default_factory=dict)
    lost: Trace | None = None  # cards got lost or doubled
    lasso: tuple[Trace, int] | None = None  # a play that comes back at its end to where it was after so many steps
    decided: dict[str, int] = field(default_factory=dict)


class Campaign:
    """Plays of one game at one number of players. `complete`: every position there is was seen."""

    def __init__(self, machine: Machine, seed: str) -> None:
        self.machine, self.seed = machine, seed
        self.seen = Seen()
        self.complete = False
        self.positions = 0
        self.is_acyclic = False
        self._tried_for = 0.0
        self.look: Callable[[State, Callable[[], Trace]], None] = lambda state, trace: None
        self._rng = random.Random(seed)
        self._spent = 0.0
        machine.effects.watch = self._mark

    @cached_property
    def futures(self) -> Futures:
        """What tells positions apart whose futures differ."""
        result = self.machine.game.result
        told = (result.score, result.wins, *((result.returns,) if result.returns is not None else ()))
        return Futures(self.machine, told)

    def begin(self, seconds: float) -> Seen:
        """Goes on until so many seconds have been spent in all, or fewer: they seldom find what they do not find soon,
        least of all what they did not find with fewer players.
        """
        is_needed = not OURS.hint or OURS.hints_at("play")
        return self.run(min(seconds, _AT_FIRST if is_needed else _AFTER_FEW))

    def run(self, seconds: float) -> Seen:
        """Goes on until so many seconds have been spent in all."""
        began = time.monotonic()
        while not self.complete and self._spent + time.monotonic() - began < seconds:
            self._play(began + seconds - self._spent)
        self._spent += time.monotonic() - began
        return self.seen

    def run_more(self, seconds: float) -> Seen:
        """So many seconds more than there were."""
        return self.run(self._spent + seconds)

    def first_decision(self) -> Failed | None:
        """Plays up to the first decision, or to the end; what failed on the way."""
        m, steps = self.machine, list[TraceStep]()
        state, step = m.blank(recording=False), None
        try:
            m.advance(state)
            while m.chance_node(state) is not None and len(steps) < _MAX_STEPS:
                step = Drawn(m.draw(state, self._rng))
                state = m.apply_chance(state, step.outcome)
                steps.append(step)
                step = None
        except Fault as fault:
            return Failed(fault.message, fault.origin, self.trace_of([*steps, step] if step is not None else steps))
        return None

    # ------------------------------------------------------------------------------------------ a play

    def trace_of(self, steps: list[TraceStep]) -> Trace:
        """A playthrough of this game."""
        game = self.machine.game
        return Trace(game.name, game.num_players, game.options, self.seed, tuple(steps))

    def _play(self, deadline: float) -> None:
        m, rng, seen = self.machine, self._rng, self.seen
        seen.runs += 1
        steps: list[TraceStep] = []
        likings: dict[str, float] = {}
        decisions, been = 0, dict[Any, int]()
        hurry = rng.choice((0, 0, 1))
        reached = len(seen.rules) + len(seen.taken)
        state = m.blank(recording=False)
        step: TraceStep | None = None
        try:
            m.advance(state)
            for number in range(_MAX_STEPS):
                self._at_stop(state, lambda: self.trace_of(steps))
                if m.is_terminal(state) or (number % 32 == 0 and time.monotonic() > deadline):
                    break
                if seen.lasso is None and m.game.clock is None:
                    key = self.futures.key(state)
                    if key in been:
                        seen.lasso = self.trace_of(steps), been[key]
                    been[key] = len(steps)
                if m.chance_node(state) is not None:
                    outcome = m.draw(state, rng)
                    step = Drawn(outcome)
                    state = m.apply_chance(state, outcome)
                    steps.append(step)
                    step = None
                    continue
                decisions += 1
                player = m.to_move(state)[0]
                legal = m.legal_actions(state, player)
                if not legal:
                    self._dead_end(state, self.trace_of(steps))
                    break
                choice = self._choose(state, legal, likings)
                self._took(state, choice.name)
                clock = m.game.clock
                elapsed = 0 if clock is None else hurry and rng.randint(*clock.think)
                step = Chosen(player, m.name_of(choice, state), elapsed)
                state = m.apply(state, player, choice, elapsed)
                steps.append(step)
                step = None
        except Fault as fault:
            self._fault(fault, self.trace_of([*steps, step] if step is not None else steps))
        seen.longest = max(seen.longest, decisions)
        if len(seen.rules) + len(seen.taken) > reached:
            seen.last_new = self.trace_of(steps)

    def _choose(self, state: State, legal: list[Any], likings: dict[str, float]) -> Any:
        rng = self._rng
        by_name: dict[str, list[Any]] = {}
        for choice in legal:
            by_name.setdefault(choice.name, []).append(choice)
        new = [n for n in by_name if self._key(state, n) not in self.seen.taken]
        if new and rng.random() < 0.5:
            return rng.choice(by_name[rng.choice(new)])
        for name in by_name:
            likings.setdefault(name, rng.choice(LIKING))
        names = list(by_name)
        chosen = by_name[rng.choices(names, [likings[n] for n in names])[0]]
        # Calls, say: who always picks among all soon stands at the top.
        return chosen[int(rng.random() ** 3 * len(chosen))] if rng.random() < 0.3 else rng.choice(chosen)

    # ------------------------------------------------------------------------------------- everything

    @property
    def is_small(self) -> bool:
        """Whether it may be possible to go through every position."""
        return self.machine.game.clock is None and len(self.machine.words.cards.pack) <= _MAX_CARDS

    def exhaust(self, seconds: float) -> bool:
        """Goes through every position, if there are not too many; the shortest way to each is kept."""
        if self.is_small and not self.complete and seconds > 1.5 * self._tried_for:
            self._tried_for = seconds
            self._exhaust(seconds)
        return self.complete

    def _exhaust(self, seconds: float) -> None:
        m = self.machine
        deadline = time.monotonic() + seconds
        first = m.blank(recording=False)
        try:
            m.advance(first)
        except Fault as fault:
            self._fault(fault, self.trace_of([]))
            return
        start = self.futures.key(first)
        parents: dict[Any, tuple[Any, TraceStep] | None] = {start: None}
        edges: dict[Any, list[tuple[Any, TraceStep]]] = {}
        queue = [first]

        def way(key: Any) -> Trace:
            steps: list[TraceStep] = []
            at = parents[key]
            while at is not None:
                steps.append(at[1])
                at = parents[at[0]]
            return self.trace_of(steps[::-1])

        for state in queue:
            here = self.futures.key(state)
            following = edges.setdefault(here, [])
            self._at_stop(state, partial(way, here))
            if m.is_terminal(state):
                continue
            moves: list[tuple[TraceStep, Callable[[], State]]] = []
            try:
                if m.chance_node(state) is not None:
                    outcomes = list(islice(m.outcomes(state), _MAX_OUTCOMES + 1))
                    if len(outcomes) > _MAX_OUTCOMES:
                        return
                    moves = [(Drawn(o), partial(m.apply_chance, state, o)) for o in outcomes]
                else:
                    for player in m.to_move(state):
                        legal = m.legal_actions(state, player)
                        if not legal:
                            self._dead_end(state, way(here))
                        for c in legal:
                            self._took(state, c.name)
                            moves.append((Chosen(player, m.name_of(c, state)), partial(m.apply, state, player, c)))
            except Fault as fault:
                self._fault(fault, way(here))
                continue
            for step, go in moves:
                try:
                    after = go()
                except Fault as fault:
                    self._fault(fault, self.trace_of([*way(here).steps, step]))
                    continue
                key = self.futures.key(after)
                following.append((key, step))
                if key not in parents:
                    parents[key] = here, step
                    queue.append(after)
                    self.seen.last_new = None
            if len(parents) > _MAX_STATES or time.monotonic() > deadline:
                return
        self.complete, self.positions = True, len(parents)
        self._measure(start, edges, way)
        self.seen.last_new = way(self.futures.key(queue[-1]))

    def _measure(self, start: Any, edges: dict[Any, list[tuple[Any, TraceStep]]], way: Callable[[Any], Trace]) -> None:
        """Whether any play comes back to where it was; if none does, the most steps a play can take."""
        longest: dict[Any, int] = {}
        path: list[tuple[Any, TraceStep | None]] = []
        on_path: dict[Any, int] = {}
        stack: list[tuple[Any, TraceStep | None, bool]] = [(start, None, False)]
        while stack:
            at, by, done = stack.pop()
            if done:
                path.pop()
                del on_path[at]
                longest[at] = max((longest[k] + 1 for k, _ in edges.get(at, ())), default=0)
                continue
            if at in longest:
                continue
            on_path[at] = len(path)
            path.append((at, by))
            stack.append((at, by, True))
            for key, step in edges.get(at, ()):
                if key in on_path:
                    before = way(key).steps
                    round_ = [s for _, s in path[on_path[key] + 1 :] if s is not None]
                    self.seen.lasso = self.trace_of([*before, *round_, step]), len(before)
                    return
                if key not in longest:
                    stack.append((key, step, False))
        self.is_acyclic, self.seen.longest = True, longest[start]

    # ------------------------------------------------------------------------------------ looking at it

    def _mark(self, state: State, node: ir.Mark) -> None:
        if node.begins:
            self.seen.rules.add(node.rule)

    def _at_stop(self, state: State, trace: Callable[[], Trace]) -> None:
        m, seen = self.machine, self.seen
        seen.stops += 1
        if seen.lost is None:
            try:
                check_conservation(state, m.words.cards.pack)
            except AssertionError:
                seen.lost = trace()
        if m.is_terminal(state):
            try:
                winners, total = len(m.winners(state)), sum(m.returns(state))
                m.scores(state)
            except Fault as fault:
                fault.origin = fault.origin or ir.Origin(None, "result")
                self._fault(fault, trace())
                return
            if winners not in seen.winners:
                seen.winners[winners] = trace()
            if len(seen.sums) < 100 and total not in seen.sums:
                seen.sums[total] = trace()
        self.look(state, trace)

    def _key(self, state: State, action: str) -> tuple[str, str, str]:
        decision = self.machine.decision(state)
        return (decision.origin.rule, decision.name, action) if decision is not None else ("", "", action)

    def _took(self, state: State, action: str) -> None:
        self.seen.taken.add(self._key(state, action))

    def _dead_end(self, state: State, trace: Trace) -> None:
        decision = self.machine.decision(state)
        assert decision is not None
        key = str(decision.origin.span)
        found = self.seen.dead_ends.get(key)
        if found is None or len(found.trace.steps) > len(trace.steps):
            self.seen.dead_ends[key] = Failed("nobody can do anything", decision.origin, trace)

    def _fault(self, fault: Fault, trace: Trace) -> None:
        key = str(fault.origin.span if fault.origin is not None else None), fault.message
        found = self.seen.faults.get(key)
        if found is None or len(found.trace.steps) > len(trace.steps):
            self.seen.faults[key] = Failed(fault.message, fault.origin, trace)

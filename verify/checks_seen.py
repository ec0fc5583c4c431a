"""Hidden information: what a player may do is what that player can see to be allowed.

First it is asked what the conditions of actions can read at all. Where that is something the chooser may not see,
two positions are looked for that the chooser cannot tell apart and that offer different things. Both are real: the
second is the first play again, with cards changed about that the chooser never saw.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dsl import ir
from dsl.lower import successors
from interpreter.actions import InvalidChoice
from interpreter.determinise import determinise
from interpreter.machine import Machine
from interpreter.observe import information_state
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, TraceStep
from interpreter.values import Fault
from verify.checks_play import Campaign
from verify.checks_shared import AtPlayers, Shared, shown
from verify.outcome import Answer, Shown, Verdict

_STOPS = (ir.Decide, ir.Collect, ir.Shuffle, ir.Cut, ir.Random, ir.Finish)


def hidden_information(shared: Shared, n: int, seconds: float) -> Answer:
    """Whether the actions on offer depend only on what their player sees."""
    at = shared.at(n)
    hits = Taint(at).hits()
    if not hits:
        return Answer(Verdict.PROVED, "taint", because="the conditions of actions read only what their player sees")
    # Plays of its own: those of the others may be all that there are, and are not looked at again.
    campaign = Campaign(Machine(at.game), f"{at.game.name}/{n}/seen")
    search = _Search(Machine(at.game), campaign.machine)
    campaign.look = search.look
    with suppress(_Leak):
        campaign.run(min(seconds * 0.8, 6.0))
    told = "; ".join(dict.fromkeys(f"{shown(origin)}: `{action}` asks about {what}" for origin, action, what in hits))
    if search.found is not None:
        first, other, player, only = search.found
        may = " or ".join(only)
        because = f"{told}. Seat {player + 1} cannot tell two positions apart, and only in one of them may {may}"
        shown_too = (Shown("the other position", None, trace=other),)
        return Answer(Verdict.REFUTED, "play", because=because, trace=first, at=len(first.steps), shown=shown_too)
    return Answer(
        Verdict.UNKNOWN,
        "taint",
        because=f"{told}, which its player may not see; "
        f"no two positions were found that differ ({search.looked} looked at)",
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Fork:
    """A branch, with the variables that only one of its ways sets, and the decisions that may come next."""

    branch: ir.Branch
    set_apart: frozenset[str]
    stops: list[ir.Decide | ir.Collect]


class Taint:
    """What the conditions of actions may read that the chooser does not see."""

    def __init__(self, at: AtPlayers) -> None:
        self.game, self._facts = at.game, at.facts
        self._zones = {z.name: z for z in self.game.zones}
        self._vars = {v.name: v for v in self.game.state}
        self._forks = [self._fork(x) for x in self.game.nodes if isinstance(x, ir.Branch)]
        self._hidden = self._hidden_locals()

    def hits(self) -> list[tuple[ir.Origin, str, str]]:
        """Origin, action and what it asks about, in words."""
        out: list[tuple[ir.Origin, str, str]] = []
        for node in self.game.nodes:
            if not isinstance(node, ir.Decide | ir.Collect):
                continue
            player = node.player
            for action in node.actions:
                asked: list[Any] = [g.condition for g in action.guards]
                asked += [
                    p.domain for p in action.parameters if p.domain is not None and not isinstance(p.domain, ir.Domain)
                ]
                own = frozenset(p.variable for p in action.parameters)
                for what in dict.fromkeys(w for x in asked for w in self._unseen(x, player, own)):
                    out.append((node.origin, action.name, what))
            # That somebody is asked at all, or this and not something else, may tell as much.
            told = self._unseen((player, node.binder.where) if isinstance(node, ir.Collect) else player, player)
            told += [
                w for f in self._forks if node in f.stops and len(f.stops) > 1
                for w in self._unseen(f.branch.condition, player)
            ]  # fmt: skip
            out += [(node.origin, node.name, what) for what in dict.fromkeys(told)]
        return out

    def _fork(self, branch: ir.Branch) -> _Fork:
        one, two = (self._until_stops(at) for at in (branch.yes, branch.no))
        nodes = [self.game.nodes[i] for i in one ^ two]
        set_apart = frozenset(x.variable.name for x in nodes if isinstance(x, ir.Assign))
        stops = [x for i in sorted(one | two) if isinstance(x := self.game.nodes[i], ir.Decide | ir.Collect)]
        return _Fork(branch, set_apart, stops)

    def _until_stops(self, index: int) -> set[int]:
        """What is come to from a node up to the next stops, and these."""
        seen, waiting = {index}, [index]
        while waiting:
            node = self.game.nodes[waiting.pop()]
            if not isinstance(node, _STOPS):
                new = set(successors(node)) - seen
                seen |= new
                waiting += new
        return seen

    def _unseen(self, expr: Any, player: ir.Expr | None, own: frozenset[str] = frozenset()) -> list[str]:
        """What of an expression `player` (None: anybody) does not see."""
        out: list[str] = []
        match expr:
            case ir.UnaryExpr(ir.Unary.SIZE_OF, ir.ZoneExpr(_, indices) | ir.AllOfZone(_, indices), _):
                # How many cards lie somewhere follows from what everybody is told.
                return [w for i in indices for w in self._unseen(i, player, own)]
            case ir.CallExpr():
                return self._unseen(self._facts.inlined(expr), player, own)
            case ir.ZoneExpr(name, indices):
                zone = self._zones[name]
                if zone.seen != "everyone" and not (zone.seen == "owner" and indices and indices[0] == player):
                    out.append(f"the cards of {name.replace('_', ' ')}")
            case ir.AllOfZone(name, indices):
                zone = self._zones[name]
                if zone.seen != "everyone" and not (zone.seen == "owner" and indices and indices[0] == player):
                    out.append(f"the cards of all {name.replace('_', ' ')}")
            case ir.Var(name, indices, _):
                declared = self._vars[name]
                if name in own:
                    return []
                mine = declared.seen == "owner" and indices and indices[0] == player
                is_hidden = name in self._hidden if declared.local else declared.seen != "everyone" and not mine
                if is_hidden:
                    out.append(f"`{name.rpartition('.')[2]}`")
            case _:
                pass
        for part in _inside(expr):
            out += self._unseen(part, player, own)
        return out

    def _hidden_locals(self) -> frozenset[str]:
        """A rule's own variables that were made from something that not everybody sees."""
        # Which cards somebody chose is theirs to know.
        self._hidden = frozenset(
            p.variable
            for node in self.game.nodes
            if isinstance(node, ir.Decide | ir.Collect)
            for a in node.actions
            for p in a.parameters
            if isinstance(p.type, ir.CardType | ir.CardsType)
        )
        while True:
            found = set(self._hidden)
            for node in self.game.nodes:
                if (
                    isinstance(node, ir.Assign)
                    and self._vars[node.variable.name].local
                    and self._unseen(node.value, None)
                ):
                    found.add(node.variable.name)
            for fork in self._forks:
                if self._unseen(fork.branch.condition, None):
                    found |= {name for name in fork.set_apart if self._vars[name].local}
            if found == self._hidden:
                return self._hidden
            self._hidden = frozenset(found)


def _inside(expr: Any) -> list[Any]:
    if isinstance(expr, tuple):
        return list(expr)
    if dataclasses.is_dataclass(expr) and not isinstance(expr, type | ir.Const):
        return [getattr(expr, f.name) for f in dataclasses.fields(expr)]
    return []


class _Leak(Exception):
    """Two positions were found."""


class _Search:
    def __init__(self, machine: Machine, played: Machine) -> None:
        self.machine, self._played = machine, played
        self.found: tuple[Trace, Trace, int, list[str]] | None = None
        self.looked = 0
        self._rng = random.Random(machine.game.name)

    def look(self, state: State, trace: Callable[[], Trace]) -> None:
        """At a stop of a play: whether a world that the player takes for possible offers something else."""
        try:
            movers = self._played.to_move(state)
        except Fault:
            return
        for player in movers:
            self.looked += 1
            self._compare(state, trace, player)

    def _compare(self, state: State, trace: Callable[[], Trace], player: int) -> None:
        m = self._played
        world = determinise(m, state, player, self._rng)
        try:
            here, there = m.legal_actions(state, player), m.legal_actions(world, player)
        except Fault:
            return
        if set(here) == set(there):
            return
        becomes = {a: b for p, q in zip(state.zones, world.zones, strict=True) for a, b in zip(p, q, strict=True)}
        first = trace()
        other = self._again(first, becomes)
        if other is None:
            return
        one, two = self._end(first), self._end(other)
        if (
            one is None
            or two is None
            or information_state(self.machine, one, player) != information_state(self.machine, two, player)
        ):
            return
        a, b = (_names(self.machine, s, player) for s in (one, two))
        if a != b:
            self.found = first, other, player, sorted(a ^ b)[:3]
            raise _Leak

    def _end(self, trace: Trace) -> State | None:
        m = self.machine
        state = m.initial()
        for step in trace.steps:
            if isinstance(step, Drawn):
                state = m.apply_chance(state, step.outcome)
            else:
                choice = m.parse_choice(state, step.player, step.choice)
                if choice is None:
                    return None
                state = m.apply(state, step.player, choice, step.elapsed_ms)
        return state

    def _again(self, trace: Trace, becomes: dict[int, int]) -> Trace | None:
        """The same play with cards changed about, where the rules allow it."""
        m = self.machine
        steps: list[TraceStep] = []
        try:
            one, two = m.initial(False), m.initial(False)
            for step in trace.steps:
                if isinstance(step, Drawn):
                    outcome = self._changed(one, two, step.outcome, becomes)
                    one, two = m.apply_chance(one, step.outcome), m.apply_chance(two, outcome)
                    steps.append(Drawn(outcome))
                    continue
                choice = m.parse_choice(one, step.player, step.choice)
                if choice is None:
                    return None
                other = next((c for c in m.legal_actions(two, step.player) if self._is_same(c, choice, becomes)), None)
                if other is None:
                    return None
                steps.append(Chosen(step.player, m.name_of(other, two), step.elapsed_ms))
                one, two = (
                    m.apply(one, step.player, choice, step.elapsed_ms),
                    m.apply(two, step.player, other, step.elapsed_ms),
                )
        except (Fault, InvalidChoice, ValueError):
            return None
        return Trace(trace.game, trace.num_players, trace.options, trace.seed, tuple(steps))

    def _changed(self, one: State, two: State, outcome: Any, becomes: dict[int, int]) -> Any:
        node = self.machine.chance_node(one)
        if not isinstance(node, ir.Shuffle) or node.zone.indices:
            return outcome
        zone = self.machine.layout.zones[node.zone.zone].base
        lies = {card: i for i, card in enumerate(two.zones[zone])}
        return tuple(lies[becomes.get(one.zones[zone][i], one.zones[zone][i])] for i in outcome)

    def _is_same(self, found: Any, wanted: Any, becomes: dict[int, int]) -> bool:
        if found.action != wanted.action:
            return False
        plan = next(
            p for p in self.machine.all_plans if p.name == found.name and len(p.parameters) == len(found.arguments)
        )
        for a, b, parameter in zip(found.arguments, wanted.arguments, plan.parameters, strict=True):
            if parameter.is_subset:
                if sorted(a) != sorted(becomes.get(c, c) for c in b):
                    return False
            elif a != (becomes.get(b, b) if parameter.is_card else b):
                return False
        return True


def _names(machine: Machine, state: State, player: int) -> set[str]:
    return {machine.name_of(c, state) for c in machine.legal_actions(state, player)}

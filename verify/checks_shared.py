"""What the free checks share: the game at each number of players, what was explored of it, and what was played.

Each exploration costs seconds, so it is done once, when the first check asks for it, and kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dsl import ir, model, types
from dsl.load import Loaded
from dsl.lower import lower
from dsl.statements import MAIN
from dsl.walk import parts
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.checks_facts import Facts
from verify.checks_filled import Filled
from verify.checks_play import Campaign, Failed
from verify.counting import CountMachine
from verify.counts import Impossible
from verify.explorations import MOST_TO_SHARE
from verify.explore import Explored, explore
from verify.lessons import OURS
from verify.outcome import Answer, Verdict
from verify.points import Label, Point, Trouble, Unsupported
from verify.slicing import needed_zones
from verify.symmetry import canonical
from verify.tracking import levels
from verify.unknown import UNKNOWN
from verify.valuesets import ValueSets

if TYPE_CHECKING:
    from verify.learned import Obligations
    from verify.longplay import Lasso

_MAX_POINTS = 250_000


class Recording(CountMachine):
    """The abstraction, which remembers the nodes that it came past."""

    def __init__(self, machine: Machine, tracked: frozenset[str], zones: frozenset[str]) -> None:
        # A zone that can be too full must be counted, or nobody would see it.
        asked = tuple(ir.AllOfZone(zone) for zone in sorted(zones))
        super().__init__(machine, tracked, (machine.game.result.wins, *asked))
        self._counted = [c.name in zones for c in self.layout.zone_cells]
        self.zones = zones
        self.visited: set[int] = set()
        self.canonical = canonical(machine)
        with self.bound(self.game.result.player) as (self._seat,):
            self._result = [self.estimate(x) for x in self.game.result.expressions]

    def successors(self, point: Point) -> list[tuple[Label | None, Point]]:
        self.visited.add(point.pc)
        if isinstance(self.game.nodes[point.pc], ir.Finish):
            self._read_result(point)
        return super().successors(point)

    def _read_result(self, point: Point) -> None:
        """What may fail where the end is read."""
        for seat in range(self.game.num_players):
            self.scratch[self._seat] = seat
            for x in self._result:
                s = self.counts(point)
                s.vars = [UNKNOWN if v is UNSET else v for v in s.vars]  # what only the end reads was forgotten
                try:
                    x(s)
                except Impossible as impossible:
                    self.troubles.add(Trouble(point.pc, impossible.message, True))
                self.troubles |= {Trouble(point.pc, doubt, False) for doubt in s.doubts}


@dataclass(frozen=True, slots=True)
class Search:
    """One exploration of the count abstraction: of the whole game, or of one rule begun in any way.

    `covers` are the rules that it says everything about, where it is complete.
    """

    machine: Machine
    counting: Recording
    explored: Explored
    covers: frozenset[str]
    rule: str | None
    tracked: frozenset[str]

    counts_all: bool
    measured: dict[frozenset[str], object] = field(default_factory=dict, compare=False)

    @property
    def told(self) -> str:
        """How it was found out, in words."""
        where = "of the whole game" if self.rule is None else f"of `{self.rule}`, begun in any way"
        return f"all {len(self.explored.points)} positions {where} in the count abstraction"

    def troubles(self) -> dict[tuple[str, str], Trouble]:
        """What may fail, by place and message."""
        nodes = self.machine.game.nodes
        return {(place(nodes[t.node].origin), t.message): t for t in self.counting.troubles}


def place(origin: ir.Origin | None) -> str:
    """Where a node was written, as file:line:column."""
    return str(origin.span) if origin is not None and origin.span is not None else "?"


def refuted(failed: Failed, value: Any = None) -> Answer:
    """The answer that a real play gives which fails: its trace, to the last step."""
    because = f"{failed.message}, at {shown(failed.origin)}"
    return Answer(Verdict.REFUTED, "play", because=because, value=value, trace=failed.trace, at=len(failed.trace.steps))


def shown(origin: ir.Origin | None) -> str:
    """Where a node was written, with its rule and its text, for a sentence."""
    if origin is None or origin.span is None:
        return "somewhere" if origin is None else f"`{origin.rule}`"
    span = origin.span
    text = " ".join(span.source.text[span.start : span.end].split("\n")[0].split()).removesuffix(":")
    text = text if len(text) <= 60 else text[:57] + "…"
    return f"{span.source.path}:{span.line}, `{text}` in `{origin.rule}`"


class AtPlayers:
    """A game at one number of players."""

    def __init__(self, source: model.Model, num_players: int, seed: str) -> None:
        self.source, self.num_players = source, num_players
        self._seed = seed
        self.searches: list[Search] = []
        self._obligations: Obligations | None = None
        self.limits: list[str] = []  # why the abstraction says no more
        self._waiting = self._candidates()
        self._too_large: list[tuple[str | None, frozenset[str], frozenset[str]]] = []
        self._done: set[tuple[str | None, frozenset[str], frozenset[str]]] = set()

    @cached_property
    def machine(self) -> Machine:
        """The game, with no rule marked."""
        return Machine(lower(self.source, self.num_players))

    @property
    def game(self) -> ir.Game:
        """The same, as a graph."""
        return self.machine.game

    @cached_property
    def campaign(self) -> Campaign:
        """What is played, with all rules marked."""
        marked = Machine(lower(self.source, self.num_players, marked=frozenset(self.source.rules)))
        return Campaign(marked, f"{self._seed}/{self.num_players}")

    @cached_property
    def facts(self) -> Facts:
        """What conditions on every way see to."""
        return Facts(self.game)

    @cached_property
    def filled(self) -> Filled:
        """Which zones certainly hold a card."""
        return Filled(self.facts)

    @cached_property
    def values(self) -> ValueSets:
        """What values there can be at all."""
        return ValueSets(self.machine)

    # ------------------------------------------------------------------------------------- exploring

    def explore_more(self, seconds: float) -> bool:
        """Does the next exploration that there is; False where there is none left."""
        if self.searches and not self.campaign.complete and self.campaign.is_small and self.campaign.exhaust(seconds):
            return True
        for rule, tracked, zones in self._waiting:
            if self._is_worth(rule, tracked, zones):
                self._explore(rule, tracked, zones, seconds)
                return True
        return False

    def explore_first(self, until: Until) -> None:
        """Does the cheapest exploration there is, in time of its own, since all questions about the game gain."""
        if self._done or OURS.seconds <= until.left:
            return
        with until.stopped(), OURS.learning(0.0, MOST_TO_SHARE) as allowed:
            self.explore_more(allowed)

    def _is_worth(self, rule: str | None, tracked: frozenset[str], zones: frozenset[str]) -> bool:
        """Whether it was not done before, nor something smaller found too large."""
        if (rule, tracked, zones) in self._done:
            return False
        return not any(r == rule and t <= tracked and z <= zones for r, t, z in self._too_large)

    def refine(self, rule: str, names: frozenset[str], counts_all: bool, seconds: float) -> bool:
        """Explores what says everything about a rule with some more variables kept; False where that was done."""
        tracked = self._least() | (names & levels(self.machine, ())[-1])
        zones = self._zones()[-1] if counts_all else self._zones()[0]
        for scope in (*self._scopes(rule), None):
            if self._is_worth(scope, tracked, zones):
                self._explore(scope, tracked, zones, seconds)
                return True
        return False

    def _scopes(self, rule: str) -> list[str]:
        found = [r for r in self.source.rules if r != MAIN and rule in self._inside(r) and self._gathers(r)]
        return sorted(found, key=lambda r: len(self._inside(r)))

    def obligations(self, seconds: float) -> Obligations | None:
        """What induction says of obligations; None where it says nothing."""
        # Only here, for the solver takes its time to load.
        from verify.learned import obligations

        if self._obligations is None:
            self._obligations = obligations(self.source, self.num_players, seconds)
        return self._obligations

    def ranked(self, seconds: float, cut_at: frozenset[str] = frozenset()) -> Answer | None:
        """That no play goes on for ever without coming past the places to cut at; None where that was not shown."""
        # Only here, for the solver takes its time to load.
        from verify.learned import ranked

        found = ranked(self.source, self.num_players, seconds, lambda node: place(node.origin) in cut_at)
        if found is None or found.left:
            return None
        return Answer(Verdict.PROVED, "ranking", because=found.told(self.machine.words))

    def endless(self, seconds: float) -> Lasso | None:
        """A play that may go on for ever, though some numbers grow."""
        # Only here, too.
        from verify.longplay import LongPlay

        if self.game.clock is not None:
            return None
        return LongPlay(self.campaign.machine, self.campaign.futures, self.campaign.seed).run(seconds)

    def complete(self) -> Search | None:
        """The finest exploration of the whole game that is complete."""
        found = [s for s in self.searches if s.rule is None and s.explored.complete]
        return found[-1] if found else None

    def covering(self, rule: str, counts_all: bool = False) -> list[Search]:
        """Every complete exploration that says everything about a rule.

        `counts_all`: that counts each zone that has a limit.
        """
        return [
            s for s in self.searches if s.explored.complete and rule in s.covers and (s.counts_all or not counts_all)
        ]

    def _explore(self, rule: str | None, tracked: frozenset[str], zones: frozenset[str], seconds: float) -> None:
        machine = self.machine if rule is None else Machine(lower(self.source, self.num_players, entry=rule))
        counting = Recording(machine, tracked, zones)
        self._done.add((rule, tracked, zones))
        try:
            starts: list[Point] = [counting.start()] if rule is None else counting.starts_anywhere()
            explored = explore(counting, starts, None, _MAX_POINTS, seconds, counting.canonical)
        except Unsupported as error:
            self.limits.append(f"{error}" if rule is None else f"`{rule}`: {error}")
            return
        if not explored.complete:
            self._too_large.append((rule, tracked, zones))
            what = "the game" if rule is None else f"`{rule}`"
            self.limits.append(f"{what} has more than the {len(explored.points)} positions looked at in the time given")
        self.searches.append(self.search_of(counting, explored, rule))

    def search_of(self, counting: Recording, explored: Explored, rule: str | None) -> Search:
        """What was explored, with what it says everything about."""
        covers = frozenset(self.source.rules) if rule is None else self._inside(rule)
        counts_all = self._limited() <= counting.zones
        return Search(counting.machine, counting, explored, covers, rule, counting.tracked, counts_all)

    def _candidates(self) -> Iterator[tuple[str | None, frozenset[str], frozenset[str]]]:
        """Explorations, the cheapest first: few variables, then more; the whole game, then rules that gather."""
        tracked = levels(self.machine, ())
        everything = frozenset(v.name for v in self.game.state)
        kinds = self._zones()
        for zones in kinds:
            yield None, self._least(), zones
        yield None, tracked[0], kinds[0]
        scopes = [r for r in self.source.rules if r != MAIN and self._inside(r) and self._gathers(r)]
        for rule in scopes:
            yield rule, tracked[0], kinds[-1]
        for more in (*tracked[1:], everything):
            for zones in kinds:
                yield None, more, zones
        for more in tracked[1:]:
            for rule in scopes:
                yield rule, more, kinds[-1]

    def _limited(self) -> frozenset[str]:
        return frozenset(z.name for z in self.game.zones if z.holds is not None)

    def _zones(self) -> list[frozenset[str]]:
        """Which zones to count: those that steer the game, those with a limit too, and all that is asked about."""
        few = self._steering()
        all_ = needed_zones(self.game, (self.game.result.wins,)) | self._limited()
        return list(dict.fromkeys((few, few | self._limited(), few | all_)))

    def _steering(self) -> frozenset[str]:
        """The zones that cards are dealt or chosen from, or whose size is asked for, and what fills them."""
        out: set[str] = set()

        def named(x: object) -> set[str]:
            return {p.zone for p in parts(x) if isinstance(p, ir.ZoneExpr | ir.AllOfZone)}

        for part in parts((self.game.nodes, self.game.functions)):
            match part:
                case ir.UnaryExpr(ir.Unary.SIZE_OF, operand, _):
                    out |= named(operand)
                case ir.Deal(source=source):
                    out.add(source.zone)
                case ir.Param(domain=domain):
                    out |= named(domain)
                case _:
                    pass
        size = -1
        while len(out) > size:
            size = len(out)
            for node in self.game.nodes:
                if isinstance(node, ir.Move | ir.Gather) and node.cards is not None and node.target.zone in out:
                    out |= named(node.cards)
        return frozenset(out)

    def _least(self) -> frozenset[str]:
        """What says whose turn it is and how often, and no more."""
        declared = self.machine.layout.declared_vars
        return frozenset(
            name
            for name in levels(self.machine, ())[0]
            if declared[name].local or isinstance(types.strip(declared[name].type), ir.PlayerType)
        )

    def _gathers(self, rule: str) -> bool:
        first = self.source.rules[rule].body[:1]
        return any(isinstance(p, ir.Gather | model.Follow) for p in first)

    def _inside(self, rule: str) -> frozenset[str]:
        """The rules that are followed from this one only, and itself."""
        reached = followed(self.source, roots(self.source))
        return reached - followed(self.source, roots(self.source), without=rule)


class Shared:
    """A model, and the same at each number of players."""

    def __init__(self, source: model.Model, loaded: Loaded | None) -> None:
        self.source, self.loaded = source, loaded
        self._at: dict[int, AtPlayers] = {}
        self.kept: dict[str, object] = {}

    def at(self, num_players: int) -> AtPlayers:
        """The game at a number of players."""
        if num_players not in self._at:
            self._at[num_players] = AtPlayers(self.source, num_players, self.source.name)
        return self._at[num_players]


class Until:
    """Time that runs out."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Within, the time does not run."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._end += time.monotonic() - began


def roots(source: model.Model) -> frozenset[str]:
    """The rules that nobody has to follow: the game's, and what the clock calls."""
    events = source.clock.events if source.clock is not None else ()
    return frozenset({MAIN, *(e.rule for e in events)})


def followed(source: model.Model, start: frozenset[str], without: str | None = None) -> frozenset[str]:
    """The rules reached from some rules by following, but not through `without`."""
    out: set[str] = set()
    waiting = [r for r in start if r != without]
    while waiting:
        rule = waiting.pop()
        if rule in out:
            continue
        out.add(rule)
        waiting += [p.rule for p in parts(source.rules[rule].body) if isinstance(p, model.Follow) and p.rule != without]
    return frozenset(out)

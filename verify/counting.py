"""The count abstraction of a game: the graph that is played, over card counts and the variables worth knowing.

It stands for every deal at once: whatever a real play can do, it can do (an over-approximation). What it proves
unreachable is unreachable; what it reaches may still be impossible with real cards, and has to be replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from dsl import ir, types
from dsl.walk import parts, variables_read
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.capacities import Summed, summable
from verify.counts import Counts, Estimate, Impossible, maybe
from verify.estimate import Estimator
from verify.estimate_places import cells_of
from verify.slicing import liveness, needed_zones
from verify.unknown import UNKNOWN, Held, held

_MAX_CASES = 20
_MAX_STARTS = 5000


class Unsupported(Exception):
    """The abstraction has no way to follow this part of the rules; the message says which."""


class Point(NamedTuple):
    """An abstract position: where in the graph, variables, counts, clock events past, and what to resume."""

    pc: int
    vars: tuple[Any, ...]
    counts: tuple[int | None, ...]
    fired: int
    frames: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """How one position leads to the next. `must`: certainly possible in every real position meant."""

    kind: str  # chance, action, branch, clock
    text: str
    words: tuple[str, ...] = ()  # of an action: its name and arguments, "?" where left open, a number of cards
    player: Any = None
    action: int | None = None
    must: bool = True


@dataclass(frozen=True, slots=True)
class Trouble:
    """An obligation that fails at a node, or may fail as far as the abstraction can tell."""

    node: int
    message: str
    certain: bool


class CountMachine:
    """Steps of the abstraction. `tracked` are the variables whose values it keeps, `questions` what will be asked.

    Zones whose counts steer nothing and are not asked for are not counted: their count is None. With `coarse`, nor
    are those of which it may matter only whether they are empty.
    """

    def __init__(self, machine: Machine, tracked: frozenset[str], questions: tuple[ir.Expr, ...] = (),
                 coarse: bool = False) -> None:  # fmt: skip
        self.machine, self.game, self.layout = machine, machine.game, machine.layout
        self.summed: dict[str, Summed] = summable(machine)
        self.tracked = tracked
        self._e = Estimator(machine, self.summed)
        self._needed = needed_zones(self.game, questions, not coarse)
        self._counted = [c.name in self._needed for c in self.layout.zone_cells]
        watched = frozenset(name for x in questions for name in variables_read(x, self.game))
        self._live = liveness(self.game, watched)
        self._holds = self._capacities()
        self._kept = [c.name in tracked for c in self.layout.var_cells]
        self._cases = [self._small_domain(v) for v in self.layout.cell_vars]
        self._scalar = [self.layout.vars[c.name].num_cells == 1 for c in self.layout.var_cells]
        self._dead = [
            tuple(i for i, c in enumerate(self.layout.var_cells) if self._scalar[i] and c.name not in live)
            for live in self._live
        ]
        self._nodes = [self._ready(n) for n in self.game.nodes]
        self.troubles: set[Trouble] = set()

    def estimate(self, expr: ir.Expr) -> Estimate:
        """The estimate of an expression, for a property."""
        return self._e.estimate(expr)

    def bound(self, *names: str) -> AbstractContextManager[list[int]]:
        """Within, names of a property stand for places in `scratch`."""
        return self._e.bound(*names)

    @property
    def scratch(self) -> list[Any]:
        """The values of names bound in expressions."""
        return self._e.scratch

    def ready(self, node: int) -> tuple[Any, ...]:
        """The estimates that a node needs, as `_step` takes them."""
        return self._nodes[node]

    def keeps(self, cell: int) -> bool:
        """Whether the value of a variable is kept."""
        return self._kept[cell]

    def cases(self, cell: int) -> tuple[Any, ...] | None:
        """The values of a variable of few values, each a case where the value is not known."""
        return self._cases[cell]

    def holds(self, place: int) -> int | None:
        """The most cards that a place can hold."""
        return self._holds[place]

    def counts(self, point: Point) -> Counts:
        """A position, to evaluate estimates in."""
        return Counts(list(point.vars), list(point.counts))

    def start(self) -> Point:
        """The position before anything has happened."""
        state = self.machine.blank(recording=False)
        variables = [v if kept else UNKNOWN for v, kept in zip(state.vars, self._kept, strict=True)]
        counts = tuple(len(z) if c else None for z, c in zip(state.zones, self._counted, strict=True))
        return Point(self.game.entry, tuple(variables), counts, 0, ())

    def starts_anywhere(self) -> list[Point]:
        """Every position in which the game's entry may be reached, whatever happened before.

        This is for a rule that is looked at by itself. The cards may lie anywhere at first, which comes to one
        position where the rule begins by gathering them all.

        Raises:
            Unsupported: It does not begin so, or there are too many cases.
        """
        if not self._gathers_first():
            raise Unsupported("the rule does not begin by gathering all cards")
        live = self._live[self.game.entry]
        choices: list[tuple[Any, ...]] = []
        size = 1
        for cell, kept, scalar, cases in zip(self.layout.var_cells, self._kept, self._scalar, self._cases, strict=True):
            if scalar and cell.name not in live:
                choices.append((UNSET,))
            elif not kept or not scalar or cases is None:
                choices.append((UNKNOWN,))
            else:
                choices.append(cases)
                size *= len(cases)
        if size > _MAX_STARTS:
            raise Unsupported("there are too many ways for the rule to begin")
        counts = self.start().counts
        return [Point(self.game.entry, variables, counts, 0, ()) for variables in product(*choices)]

    def _gathers_first(self) -> bool:
        at, seen = self.game.entry, set[int]()
        while at not in seen:
            seen.add(at)
            node = self.game.nodes[at]
            if isinstance(node, ir.Gather):
                return node.cards is None
            if not isinstance(node, ir.Assign | ir.Announce | ir.Mark) or any(
                isinstance(part, ir.ZoneExpr | ir.AllOfZone | ir.CallExpr) for part in parts(node)
            ):
                return False
            at = node.next
        return False

    def _capacities(self) -> list[int | None]:
        """The most cards each zone can hold; of a summed family, its sum at the first cell."""
        out: list[int | None] = []
        state = Counts([UNKNOWN] * len(self.layout.var_cells), [None] * len(self.layout.zone_cells))
        for cell, zone in zip(self.layout.zone_cells, self.layout.cell_zones, strict=True):
            if zone.name in self.summed:
                out.append(self.summed[zone.name].capacity)
            elif zone.holds is None:
                out.append(None)
            else:
                with self._e.bound(*(f"#{i}" for i in range(len(cell.indices)))) as slots:
                    holds = self._e.estimate(zone.holds)
                    for slot, index in zip(slots, cell.indices, strict=True):
                        self._e.scratch[slot] = index
                    found = holds(state)
                out.append(None if found is UNKNOWN else found)
        return out

    def _small_domain(self, variable: ir.StateVar) -> tuple[Any, ...] | None:
        """The values of a variable of few values: where its value is not known, each is a case of its own."""
        t = types.strip(variable.type)
        unbounded = isinstance(t, ir.IntType) and (t.low is None or t.high is None)
        if unbounded or not isinstance(t, ir.Domain | ir.BoolType):
            return None
        values = self.machine.words.domain(variable.type)
        return values if len(values) <= _MAX_CASES else None

    # ------------------------------------------------------------------------------------------- nodes

    def _ready(self, node: ir.Node) -> tuple[Any, ...]:
        e = self._e
        match node:
            case ir.Assign(variable, value, _, _):
                return e.cell(variable), e.estimate(value), self._range(variable, value)
            case ir.Branch(condition, _, _, _):
                return (e.estimate(condition),)
            case ir.Deal(count, _, source, target, _, _):
                return e.estimate(count), e.place(source), e.place(target)
            case ir.Move(cards, target, _, _):
                return e.estimate(cards), e.place(target), self._named(cards), self.layout.zones[target.zone]
            case ir.Gather(cards, target, _, _):
                return None if cards is None else e.estimate(cards), e.place(target), self._named(cards)
            case ir.Reveal(cards, to, _, _):
                return tuple(e.estimate(x) for x in (cards, to) if x is not None)
            case ir.Shuffle(_, by, _, _) | ir.Cut(_, by, _, _):
                return () if by is None else (e.estimate(by),)
            case ir.Random(variable, binder, _, _):
                return e.cell(variable), e.items(binder)
            case ir.Decide(player, _, actions, _):
                return e.estimate(player), [self._action(a) for a in actions]
            case _:
                return ()

    def _named(self, cards: ir.Expr | None) -> int | None:
        """The variable that a rule names cards by, where it names them by one alone."""
        return self.layout.vars[cards.name].base if isinstance(cards, ir.Var) and not cards.indices else None

    def _range(self, variable: ir.Var, value: ir.Expr) -> tuple[int | None, int | None, bool] | None:
        """The declared range, and whether the value's own type already keeps to it."""
        declared = types.strip(self.layout.declared_vars[variable.name].type)
        if not isinstance(declared, ir.IntType) or (declared.low is None and declared.high is None):
            return None
        t = types.strip(types.of(value))
        kept = isinstance(t, ir.IntType) and (
            (declared.low is None or (t.low is not None and t.low >= declared.low))
            and (declared.high is None or (t.high is not None and t.high <= declared.high))
        )
        return declared.low, declared.high, kept

    def _action(self, action: ir.Action) -> tuple[Any, ...]:
        parameters = []
        for p in action.parameters:
            cell = self.layout.vars[p.variable].base
            pile = None if p.domain is None or isinstance(p.domain, ir.Domain) else self._e.estimate(p.domain)
            values: tuple[Any, ...] = (UNKNOWN,)
            if isinstance(p.domain, ir.Domain) and p.variable in self.tracked:
                values = self.machine.words.domain(p.domain)
            elif p.domain is None and p.variable in self.tracked:
                values = self.machine.words.calls
            parameters.append((p, cell, pile, values))
        with self._e.choosing(action):
            guards = [self._e.estimate(g.condition) for g in action.guards]
        reads = [variables_read(g.condition, self.game) for g in action.guards]
        # A choice that is left open can be promised by one guard only: two could want different values.
        unknown = [p.variable for p, _, pile, values in parameters if pile is None and values == (UNKNOWN,)]
        promised = all(sum(1 for r in reads if name in r) <= 1 for name in unknown)
        return parameters, guards, promised

    # ------------------------------------------------------------------------------------------- steps

    def successors(self, point: Point) -> list[tuple[Label | None, Point]]:
        """Where a position may lead. Obligations that fail, or may, are added to `troubles`."""
        node = self.game.nodes[point.pc]
        s = self.counts(point)
        try:
            found = list(self._step(node, self._nodes[point.pc], point, s))
        except Impossible as impossible:
            self.troubles.add(Trouble(point.pc, impossible.message, True))
            return []
        for doubt in s.doubts:
            self.troubles.add(Trouble(point.pc, doubt, False))
        return [(label, self.tidy(p)) for label, p in found]

    def _step(self, node: ir.Node, ready: tuple[Any, ...], point: Point, s: Counts
              ) -> Iterator[tuple[Label | None, Point]]:  # fmt: skip
        match node:
            case ir.Assign(variable, _, after, _):
                cell, value, bounds = ready
                yield from self._assign(point, s, variable, cell(s), value(s), bounds, after, None)
            case ir.Branch(_, yes, no, _):
                truth = ready[0](s)
                if truth is not False:
                    yield (None if truth is True else Label("branch", "yes", must=False)), point._replace(pc=yes)
                if truth is not True:
                    yield (None if truth is False else Label("branch", "no", must=False)), point._replace(pc=no)
            case ir.Deal():
                yield from self._deal(node, ready, point, s)
            case ir.Move(_, _, after, _):
                yield from self._move(node, ready, point, s, after)
            case ir.Gather(_, _, after, _):
                yield None, self._gather(ready, point, s, after)
            case ir.Reveal() | ir.Announce() | ir.Mark() | ir.Shuffle() | ir.Cut():
                for asked in ready:
                    asked(s)
                label = Label("chance", "shuffle") if isinstance(node, ir.Shuffle | ir.Cut) else None
                yield label, point._replace(pc=node.next)
            case ir.Random(variable, _, after, _):
                cell, items = ready
                found = items(s)
                if found is None:
                    raise Unsupported("chance picks among cards")
                values = [(v, w) for v, w in found if w is not False]
                if not values:
                    raise Impossible("no value to pick at random")
                if all(w is UNKNOWN for _, w in values):
                    s.doubts.add("no value to pick at random")
                for value, where in values:
                    label = Label("chance", str(value), must=where is True)
                    yield from self._assign(point, s, variable, cell(s), value, None, after, label)
            case ir.Decide():
                yield from self._decide(node, ready, point, s)
            case ir.Collect() | ir.Forget():
                raise Unsupported("players choose at once")
            case ir.Resume():
                if point.frames:
                    yield None, point._replace(pc=point.frames[-1], frames=point.frames[:-1])
            case ir.Finish():
                return

    def _assign(self, point: Point, s: Counts, variable: ir.Var, cell: int | None, value: Any,
                bounds: tuple[int | None, int | None, bool] | None, after: int, label: Label | None
                ) -> Iterator[tuple[Label | None, Point]]:  # fmt: skip
        if bounds is not None and value is not None:
            low, high, kept = bounds
            if value is UNKNOWN:
                if not kept:
                    s.doubts.add(f"{variable.name} leaves its range")
            elif (low is not None and value < low) or (high is not None and value > high):
                raise Impossible(f"{variable.name} leaves its range")
        variables = list(point.vars)
        if cell is not None and self._kept[cell]:
            cases = self._cases[cell] if value is UNKNOWN else None
            for case in (value,) if cases is None else cases:
                variables[cell] = case
                told = label if cases is None else Label("branch", f"{variable.name} = {case}", must=False)
                yield told, Point(after, tuple(variables), point.counts, point.fired, point.frames)
            return
        if cell is not None:
            variables[cell] = UNKNOWN
        else:
            family = self.layout.vars[variable.name]
            for i in range(family.base, family.base + family.num_cells):
                variables[i] = variables[i] if variables[i] == value else UNKNOWN
        yield label, point._replace(pc=after, vars=tuple(variables))

    def _fits(self, s: Counts, counts: list[int | None], place: int, n: int, is_sure: bool) -> bool:
        """Like `_put`; where other things may happen instead, too many cards are only a doubt."""
        try:
            self._put(counts, place, n)
        except Impossible as impossible:
            if is_sure:
                raise
            s.doubts.add(impossible.message)
            return False
        return True

    def _put(self, counts: list[int | None], place: int, n: int) -> None:
        before = counts[place]
        if before is None:
            return
        counts[place] = now = before + n
        most = self._holds[place]
        if most is not None and now > most:
            raise Impossible(f"{self.layout.zone_names[place]} would hold more than {most} cards")

    @staticmethod
    def _take(counts: list[int | None], parts_: tuple[tuple[int, int], ...]) -> None:
        for place, n in parts_:
            before = counts[place]
            if before is not None:
                counts[place] = before - n

    def _deal(self, node: ir.Deal, ready: tuple[Any, ...], point: Point, s: Counts) -> Iterator[tuple[None, Point]]:
        count, source, target = ready
        n, a, b = count(s), source(s), target(s)
        if a is None or b is None:
            raise Unsupported("cards are dealt to or from an unknown zone")
        have = s.counts[a]
        assert have is not None, "what is dealt from is counted"
        name = self.layout.zone_names[a]
        if n is UNKNOWN:
            t = types.strip(types.of(node.count))
            low, high = (t.low, t.high) if isinstance(t, ir.IntType) else (None, None)
            if not node.up_to and (high is None or high > have):
                s.doubts.add(f"{name} has too few cards to deal from")
            if low is None or low < 0:
                s.doubts.add("a negative number of cards to deal")
            least = 0 if low is None else max(0, min(low, have) if node.up_to else low)
            wanted = list(range(least, (have if high is None else min(have, high)) + 1))
            if not wanted:
                raise Impossible(f"{name} has too few cards to deal from")
        elif n < 0:
            raise Impossible("a negative number of cards to deal")
        elif n > have and not node.up_to:
            raise Impossible(f"{name} has too few cards to deal from")
        else:
            wanted = [min(n, have)]
        for k in wanted:
            counts = list(s.counts)
            self._take(counts, ((a, k),))
            if self._fits(s, counts, b, k, len(wanted) == 1):
                moved = Counts(list(s.vars), counts)
                moved.lay(frozenset((a,)) if k else frozenset(), b)
                yield None, point._replace(pc=node.next, vars=tuple(moved.vars), counts=tuple(counts))

    def _is_uncounted(self, node: ir.Move) -> bool:
        """Whether cards go from zones that are not counted to one that is not: then it does not matter how many."""
        named = [p.zone for p in parts(node.cards) if isinstance(p, ir.ZoneExpr | ir.AllOfZone)]
        plain = not any(isinstance(p, ir.CallExpr | ir.Var) for p in parts(node.cards) if p is not node.cards)
        return bool(named) and plain and not any(z in self._needed for z in (*named, node.target.zone))

    def _move(
        self, node: ir.Move, ready: tuple[Any, ...], point: Point, s: Counts, after: int
    ) -> Iterator[tuple[None, Point]]:
        cards, where, named, family = ready
        pile = cards(s)
        if isinstance(pile, Held) and not pile.count:
            yield None, point._replace(pc=after)  # no cards move, and where to is not asked
            return
        place = where(s) if isinstance(pile, Held) else maybe(where, s)
        if not isinstance(pile, Held) and self._is_uncounted(node):
            yield None, point._replace(pc=after)
            return
        if not isinstance(pile, Held):
            raise Unsupported("cards are moved of which it is not known how many there are")
        places = [place] if place is not None else cells_of(family, node.target.zone in self.summed)
        for target in places:
            counts = list(s.counts)
            self._take(counts, pile.parts)
            if self._fits(s, counts, target, pile.count, len(places) == 1):
                moved = Counts(list(s.vars), counts)
                moved.lay(pile.places, target, named)
                yield None, point._replace(pc=after, vars=tuple(moved.vars), counts=tuple(counts))

    def _gather(self, ready: tuple[Any, ...], point: Point, s: Counts, after: int) -> Point:
        cards, where, named = ready
        place = where(s)
        if place is None:
            raise Unsupported("cards are gathered into an unknown zone")
        moved = Counts(list(s.vars), list(s.counts))
        if cards is None:
            everything = len(self.machine.words.cards.pack)
            moved.counts = [None if n is None else everything if i == place else 0 for i, n in enumerate(s.counts)]
            moved.lay(None, place)
        else:
            pile = cards(s)
            if not isinstance(pile, Held):
                raise Unsupported("cards are gathered of which it is not known how many there are")
            self._take(moved.counts, pile.parts)
            self._put(moved.counts, place, pile.count)
            moved.lay(pile.places, place, named)
        return point._replace(pc=after, vars=tuple(moved.vars), counts=tuple(moved.counts))

    # ------------------------------------------------------------------------------------------ choices

    def _decide(self, node: ir.Decide, ready: tuple[Any, ...], point: Point, s: Counts
                ) -> Iterator[tuple[Label | None, Point]]:  # fmt: skip
        player, actions = ready
        who = player(s)
        for index, (action, (parameters, guards, promised)) in enumerate(zip(node.actions, actions, strict=True)):
            for words in self._choices(s, parameters, 0, ()):
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
                    if not self._kept[cell] and not isinstance(variables[cell], Held):
                        variables[cell] = UNKNOWN
                yield label, point._replace(pc=action.entry, vars=tuple(variables))
        clock = self.game.clock
        if clock is not None and point.fired < len(clock.events):
            event = clock.events[point.fired]
            yield Label("clock", event.name), point._replace(pc=event.entry, fired=point.fired + 1,
                                                             frames=(*point.frames, point.pc))  # fmt: skip

    def _choices(self, s: Counts, parameters: list[Any], i: int, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Every way to fill in the parameters, each set in `s` while it is yielded."""
        if i == len(parameters):
            yield words
            return
        p, cell, pile, values = parameters[i]
        saved = s.vars[cell]
        if pile is None:
            options: list[tuple[Any, str]] = [
                (v, "?" if v is UNKNOWN else self.machine.words.show(v, p.type)) for v in values
            ]
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
            yield from self._choices(s, parameters, i + 1, (*words, word))
        s.vars[cell] = saved

    # --------------------------------------------------------------------------------------------- tidy

    def tidy(self, point: Point) -> Point:
        """The position without what no longer matters, so that equal futures are one position."""
        if point.frames:
            return point
        values = point.vars
        stale = [i for i in self._dead[point.pc] if values[i] is not UNSET]
        if not stale:
            return point
        variables = list(point.vars)
        for i in stale:
            variables[i] = UNSET
        return Point(point.pc, tuple(variables), point.counts, point.fired, point.frames)

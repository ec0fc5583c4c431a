"""A rule carried out on terms so that it can be told from another one: by what it does to cards, and what it asks.

Which cards lie where is one term, of which only this is known: the same deals, moves, shuffles and choices, one after
the other, make the same of the same. A choice is the same where all that came before it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import z3

from dsl import ir, types
from dsl.lower import with_names
from dsl.walk import parts, variables_read
from interpreter.machine import Machine
from verify.env import Env
from verify.folded import Lying, Optional, Unsupported, conj, disj, equal, is_same, is_term, lift, neg
from verify.piling import Piling
from verify.steering import Place, few_values
from verify.symbolic import NOWHERE, Symbolic
from verify.terms import Terms

_MOST_OFFERED = 200


@dataclass(frozen=True, slots=True)
class Lain:
    """How the cards lie after what was chosen, and how many choices that were: a term and a number or term."""

    term: Any
    number: Any


@dataclass(frozen=True, slots=True)
class Offer:
    """Where something is to be chosen: under which condition, how the cards then lie, what sort of thing it is, and the
    terms on which it hangs what may be chosen.
    """

    condition: Any
    lying: Lain
    sort: tuple[Any, ...]
    terms: tuple[Any, ...]

    def differs(self, other: Offer) -> Any:
        """When the other rule is asked after the same, and for something else. After more or fewer choices it is never
        the same, though terms of which nothing is known might be.
        """
        mine, others = self.lying, other.lying
        if self.sort != other.sort or len(self.terms) != len(other.terms):
            unlike: Any = True
        else:
            unlike = disj(*(neg(equal(a, b)) for a, b in zip(self.terms, other.terms, strict=True)))
        here = conj(equal(mine.number, others.number), equal(mine.term, others.term))
        return False if unlike is False else conj(self.condition, other.condition, here, unlike)


class Namesakes(Terms):
    """Terms for which the names of a rule's own variables do not count: the same question about the same values is the
    same question.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self._known: dict[int, tuple[ir.Expr, tuple[str, ...], frozenset[str]]] = {}

    def _renamed(self, expr: ir.Expr) -> tuple[ir.Expr, tuple[str, ...], frozenset[str]]:
        """The expression with a rule's own variables numbered, these in order, and the others that it may read."""
        if id(expr) not in self._known:
            read = (p.name for p in parts(expr) if isinstance(p, ir.Var))
            own = tuple(dict.fromkeys(n for n in read if self.layout.declared_vars[n].local))
            numbered = with_names(expr, {n: f"#{i}" for i, n in enumerate(own)})
            self._known[id(expr)] = numbered, own, variables_read(expr, self.game) - set(own)
        return self._known[id(expr)]

    def _number(self, expr: ir.Expr) -> int:
        return super()._number(self._renamed(expr)[0])

    def _reading(self, expr: ir.Expr, env: Env) -> Any:
        _, own, others = self._renamed(expr)
        return tuple(self._frozen(env.cells[self.layout.vars[n].base]) for n in own), self._held(others, env)


class Picking(Piling):
    """Cards that are chosen are the same where the choice is: terms of what `choice` says came before, and of which
    parameter of the decision it is.
    """

    def __init__(self, machine: Machine, terms: Terms) -> None:
        super().__init__(machine, terms)
        self._before: Any = None
        self._numbers: dict[str, int] = {}

    def choice(self, before: Any, actions: tuple[ir.Action, ...]) -> None:
        """From now on cards are chosen here."""
        self._before = before
        self._numbers = {p.variable: n for n, p in enumerate(p for a in actions for p in a.parameters)}

    def chosen(self, parameter: ir.Param, env: Env) -> tuple[Any, Lying]:
        condition, found = super().chosen(parameter, env)
        number, whole = self._numbers[parameter.variable], z3.IntSort()
        cards = z3.Function("picked", whole, whole, whole)(self._before, lift(number))
        if found.parts is None:
            return condition, Lying(cards)
        parts = []
        for i, (place, n) in enumerate(found.parts):
            if is_term(n):
                many = z3.Function("so many", whole, whole, whole, whole)(self._before, lift(number), lift(i))
                self._terms.facts += [many >= 0, many <= parameter.most]
                condition = condition if isinstance(condition, bool) else z3.substitute(condition, (n, many))
                n = many
            parts.append((place, n))
        return condition, Lying(cards, tuple(parts), found.since)


class Alike(Symbolic):
    """Carries out one rule after the other, from the same position. `offers` are those of the last one."""

    def __init__(self, machine: Machine, watched: frozenset[str], deadline: float,
                 steer: frozenset[str] | None) -> None:  # fmt: skip
        super().__init__(machine, watched, deadline, steer, Namesakes(machine))
        self.piling: Picking = Picking(machine, self.terms)
        self.lying = {epoch: Lain(z3.Int("lying"), 0) for epoch in (0, NOWHERE)}
        self._epochs: dict[int, int] = {}  # by the number of the term
        self._after: Lain | None = None  # what the step that is taken makes of it
        self._way: Callable[[], Any] | None = None  # says which way is gone in the step that is taken
        self._condition: Any = None  # of the place that is left
        self.offers: list[Offer] = []

    # ------------------------------------------------------------------------------------------- the steps

    def edges(self, place: Place, env: Env) -> Iterator[tuple[Any, Place, Env]]:
        before, node = self.lying[env.epoch], self.game.nodes[place.pc]
        asks = isinstance(node, ir.Random | ir.Decide)
        if isinstance(node, ir.Decide) and self.game.clock is not None:
            raise Unsupported("players choose while a clock runs")
        if asks or isinstance(node, ir.Shuffle | ir.Cut):
            if isinstance(node, ir.Decide):
                self.piling.choice(before.term, node.actions)
            sort, terms = self._offered(node, env)
            if self._condition is not None:
                self.offers.append(Offer(self._condition, before, sort, terms))
            self._after = Lain(self._made(("asked", *sort), [before.term, *terms]), before.number + 1)
            self._way = partial(self._nth_way, before.term, count()) if asks else None
        else:
            after = self._done(node, before.term, env)
            self._after = Lain(self._unknown() if after is None else after, before.number)
        try:
            edges = list(super().edges(place, env))
            if asks:
                edges = [(condition, there, self.stirred(changed)) for condition, there, changed in edges]
        finally:
            self._after = self._way = None
        yield from edges

    def _nth_way(self, before: Any, numbers: Iterator[int]) -> Any:
        return z3.Function("chosen", z3.IntSort(), z3.IntSort(), z3.IntSort())(before, lift(next(numbers)))

    def _chooser(self) -> Any:
        return super()._chooser() if self._way is None else self._way()

    def stirred(self, env: Env) -> Env:
        """The same, with the cards as the step that is taken leaves them; anyhow where it is no step."""
        out = super().stirred(env)
        after = self._after or Lain(self._unknown(), self._unknown())
        # The same cards at the same places are the same to every question.
        out.epoch = self._epochs.setdefault(after.term.get_id(), out.epoch)
        self.lying[out.epoch] = after
        return out

    def merge(self, ways: list[tuple[Any, Env]]) -> tuple[Any, Env]:
        condition, out = super().merge(ways)
        if out.epoch not in self.lying:
            before = [(c, self.lying[e.epoch]) for c, e in ways]
            term, number = self._unknown(), self._joined([(c, lain.number) for c, lain in before], types.INTEGER)
            self.lying[out.epoch] = Lain(term, number)
            self._definitions += [lift(disj(neg(c), term == lain.term)) for c, lain in before]
        self._condition = condition
        return condition, out

    def _explore(self, starts: list[tuple[Place, Env]]) -> dict[Place, list[Place]]:
        self._condition = None
        return super()._explore(starts)

    def _unknown(self) -> Any:
        return self.terms.fresh(ir.IntType(None, None), "lying")

    # --------------------------------------------------------------------------------- what a step makes of cards

    def _done(self, node: ir.Node, before: Any, env: Env) -> Any:
        """Which cards lie where after a node that moves some; None where it moves none, or that cannot be told."""
        term = self.terms.term
        try:
            match node:
                case ir.Deal(number, up_to, source, target):
                    wanted = term(number, env)
                    return self._dealt(up_to, source, target, before, wanted, env)
                case ir.Gather(None, target):
                    return self._made(("gather", target.zone), [before, *self._indices(target, env)])
                case ir.Move(cards, target) | ir.Gather(cards, target):
                    assert cards is not None
                    static = "move" if isinstance(node, ir.Move) else "gather them", target.zone
                    return self._made(static, [before, self._plain(term(cards, env)), *self._indices(target, env)])
                case _:
                    return None
        except Unsupported:
            return None

    def _dealt(self, up_to: bool, source: ir.ZoneExpr, target: ir.ZoneExpr, before: Any, wanted: Any, env: Env) -> Any:
        """Cards go one by one: some and then some more are as many together."""
        static = "deal", up_to, source.zone, target.zone
        places = [*self._indices(source, env), *self._indices(target, env)]
        if not up_to and before.num_args() and before.decl().eq(self._function(static, len(places) + 2)):
            base, dealt, *others = before.children()
            if all(is_same(lift(a), b) for a, b in zip(places, others, strict=True)):
                return self._made(static, [base, z3.simplify(dealt + lift(wanted)), *places])
        return self._made(static, [before, wanted, *places])

    def _indices(self, zone: ir.ZoneExpr, env: Env) -> list[Any]:
        return [self._plain(self.terms.term(i, env)) for i in zone.indices]

    @staticmethod
    def _plain(x: Any) -> Any:
        """A value as one number: of cards, which they are."""
        if isinstance(x, Optional):
            x = x.value
        if isinstance(x, Lying):
            x = x.cards
        if isinstance(x, bool) or not z3.is_int(lift(x)):
            raise Unsupported("a value that is no number")
        return x

    @staticmethod
    def _function(static: tuple[Any, ...], arity: int) -> Any:
        return z3.Function(repr(static), *[z3.IntSort()] * (arity + 1))

    def _made(self, static: tuple[Any, ...], terms: list[Any]) -> Any:
        """A term for what something makes of some terms."""
        numbers = [z3.If(t, lift(1), lift(0)) if isinstance(t, z3.BoolRef) else t for t in map(lift, terms)]
        return self._function(static, len(numbers))(*numbers)

    # ------------------------------------------------------------------------------------- what is on offer

    def _offered(self, node: ir.Node, env: Env) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """What sort of thing is to be chosen, and the terms on which it hangs what may be."""
        term = self.terms.term
        match node:
            case ir.Shuffle(zone) | ir.Cut(zone):
                return (type(node).__name__, zone.zone), tuple(self._indices(zone, env))
            case ir.Random(_, binder):
                items = self.terms.items(binder, env)
                return ("Random", repr(binder.domain), len(items)), tuple(where for _, where in items)
            case ir.Decide(player, _, actions):
                legal = [self._plain(term(player, env)), *(x for a in actions for x in self._legal(a, env))]
                if len(legal) > _MOST_OFFERED:
                    raise Unsupported("too much is on offer at once")
                named = ((a.name, *((repr(p.domain) if isinstance(p.domain, ir.Domain) else (p.least, p.most))
                                    for p in a.parameters)) for a in actions)  # fmt: skip
                return ("Decide", *named), tuple(legal)
            case _:
                raise AssertionError(node)

    def _legal(self, action: ir.Action, env: Env) -> Iterator[Any]:
        """Terms that say which arguments an action may have: the cards to choose from, and when each case is legal."""
        ways = [env]
        for p in action.parameters:
            cell = self.layout.vars[p.variable].base
            following: list[Env] = []
            for now in ways:
                if p.domain is not None and not isinstance(p.domain, ir.Domain):
                    yield self._plain(self.terms.term(p.domain, now))
                    values: tuple[Any, ...] | None = (self.piling.chosen(p, now)[1],)
                else:
                    variable = self.layout.cell_vars[cell]
                    values = few_values(self.machine, variable) if cell in self._cells and p.domain else None
                if values is None or len(ways) * len(values) > _MOST_OFFERED:
                    raise Unsupported(f"what is chosen with `{action.name}` is not followed on terms")
                for value in values:
                    out = now.copy()
                    out.cells[cell] = value
                    following.append(out)
            ways = following
        for now in ways:
            yield conj(*(self.terms.term(g.condition, now) for g in action.guards))

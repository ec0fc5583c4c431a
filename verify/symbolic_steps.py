"""The steps of a rule on terms: from a place to those that may come next, for every choice and every card.

The single variables of few values steer and stay plain values, so that loops over players unroll; where one of them
gets a value that is not known, each value is a case.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from dsl import ir, types
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.env import Env
from verify.folded import Optional, Unsupported, choose, conj, disj, equal, is_term, leaves, neg
from verify.piling import Piling
from verify.slicing import liveness
from verify.steering import Place, few_values
from verify.terms import Terms


class Steps:
    """The steps of one rule of a game (the game's entry).

    `watched` are the variables that are asked for; `steer` those that steer, where not all of few values do.
    """

    def __init__(self, machine: Machine, watched: frozenset[str], steer: frozenset[str] | None, terms: Terms) -> None:
        self.machine, self.game, self.layout = machine, machine.game, machine.layout
        self.terms, self.piling = terms, Piling(machine, terms)
        self._live = liveness(self.game, watched)
        self._cells = [
            i for i, v in enumerate(self.layout.cell_vars)
            if not v.dims and few_values(machine, v) is not None and (steer is None or v.name in steer)
            and self.terms.is_kept(i)
        ]  # fmt: skip
        self._epoch = 0
        self._choices = 0
        self.risks: list[tuple[str, Any]] = []  # what may go wrong in the last step: a sort of obligation, and when
        self.struck: list[Any] = []  # when the clock strikes in the last step

    @property
    def steering_cells(self) -> list[int]:
        """The places of the variables that steer."""
        return self._cells

    def steering(self, place: Place) -> dict[str, Any]:
        """The values of the variables that steer."""
        names = (self.layout.var_cells[i].name for i in self._cells)
        return dict(zip(names, place.steering, strict=True))

    def with_steering(self, place: Place, env: Env) -> Env:
        """A copy of the variables in which those that steer are as the place says."""
        out = env.copy()
        for i, value in zip(self._cells, place.steering, strict=True):
            out.cells[i] = value
        return out

    def tidy(self, place: Place) -> Place:
        """The place without what will not be read again."""
        if place.frames:
            return place
        live = self._live[place.pc]
        names = [self.layout.var_cells[i].name for i in self._cells]
        return place._replace(
            steering=tuple(v if n in live else UNSET for n, v in zip(names, place.steering, strict=True))
        )

    def _chooser(self) -> Any:
        """A number that says which of several open ways is gone: two ways never hold at once."""
        self._choices += 1
        return z3.Int(f"way!{self._choices}")

    # ------------------------------------------------------------------------------------------- steps

    def edges(self, place: Place, env: Env) -> Iterator[tuple[Any, Place, Env]]:
        """What may come next: under which condition, where, and with which variables."""
        node = self.game.nodes[place.pc]
        t = self.terms
        self.risks, self.struck = [], []
        t.missing = []
        match node:
            case ir.Assign(variable, _, after, _) | ir.Random(variable, _, after, _) if variable.name in t.left_out:
                yield True, place._replace(pc=after), env
            case ir.Assign(variable, expr, after, _):
                value, sure = t.defined(expr, env)
                if sure is not False:
                    yield from self._assign(place, env, variable, value, sure, after)
            case ir.Branch(condition, yes, no, _):
                truth, sure = t.defined(condition, env)
                if truth is not False and sure is not False:
                    yield conj(sure, truth), place._replace(pc=yes), env
                if truth is not True and sure is not False:
                    yield conj(sure, neg(truth)), place._replace(pc=no), env
            case ir.Reveal(cards, to, after, _):
                sure = conj(*(t.defined(x, env)[1] for x in (cards, to) if x is not None))
                yield sure, place._replace(pc=after), env
            case ir.Announce() | ir.Mark():
                yield True, place._replace(pc=node.next), env
            case ir.Deal():
                condition, counts = self.piling.deal(node, env)
                self.risks += [("short", self.piling.short), ("capacity", self.piling.full)]
                yield from self._moved(place, node.next, env, condition, counts)
            case ir.Gather(None, target, after, _):
                condition, counts = self.piling.gather_all(target, env)
                self.risks.append(("capacity", self.piling.full))
                yield from self._moved(place, after, env, condition, counts)
            case ir.Move(cards, target, after, _) | ir.Gather(cards, target, after, _):
                assert cards is not None
                pile, sure = t.defined(cards, env)
                condition, counts = self.piling.move(pile, target, env)
                self.risks.append(("capacity", self.piling.full))
                yield from self._moved(place, after, env, conj(sure, condition), counts)
            case ir.Shuffle(_, by, after, _) | ir.Cut(_, by, after, _):
                sure = True if by is None else t.defined(by, env)[1]
                yield from self._moved(place, after, env, sure, env.counts)
            case ir.Random(variable, binder, after, _):
                way = self._chooser()
                for i, (picked, where) in enumerate(t.items(binder, env)):
                    if where is not False:
                        yield from self._assign(place, env, variable, picked, conj(way == i, where), after)
            case ir.Decide(player, _, actions, _) if not place.frames:
                t.term(player, env)
                env = self._later(env)  # the choice may be looked at again once the clock has struck
                way = self._chooser()
                for i, event in enumerate(self.game.clock.events if self.game.clock is not None else ()):
                    # An event may happen at any choice, and as often as it likes: more than the clock allows.
                    self.struck.append(way == -1 - i)
                    there = place._replace(pc=event.entry, frames=(place.pc,))
                    yield way == -1 - i, there, self._later(env)
                for i, action in enumerate(actions):
                    for allowed, there, changed in self._act(place, env, action):
                        yield conj(way == i, allowed), there, self._later(changed)
            case ir.Resume() if place.frames:
                yield True, place._replace(pc=place.frames[-1], frames=place.frames[:-1]), env
            case ir.Finish():
                return
            case _:
                raise Unsupported("players choose at once, or while the clock strikes")

    def _moved(self, place: Place, after: int, env: Env, condition: Any, counts: list[Any]
               ) -> Iterator[tuple[Any, Place, Env]]:  # fmt: skip
        """On from where cards have moved, if they could."""
        if condition is False:
            return
        out = self.stirred(env)
        out.counts = counts
        yield condition, place._replace(pc=after), out

    def stirred(self, env: Env) -> Env:
        """The same, but nothing is known any more of which cards lie where."""
        out = env.copy()
        self._epoch += 1
        out.epoch = self._epoch
        return out

    def _later(self, env: Env) -> Env:
        """The same, but time may have passed, where there is a clock."""
        if self.game.clock is None:
            return env
        out = env.copy()
        self._epoch += 1
        out.hour = self._epoch
        return out

    def _assign(self, place: Place, env: Env, variable: ir.Var, value: Any, condition: Any, after: int
                ) -> Iterator[tuple[Any, Place, Env]]:  # fmt: skip
        family = self.layout.vars[variable.name]
        indices = [self.terms.term(i, env) for i in variable.indices]
        declared = self.layout.declared_vars[variable.name].type
        if not isinstance(declared, ir.OptionalType) and isinstance(value, Optional):
            value = value.value
        in_range = self._in_range(types.strip(declared), value)
        self.risks.append(("range", conj(condition, neg(in_range))))
        condition = conj(condition, in_range)
        if condition is False:
            return
        if any(is_term(i) for i in indices):
            if len(indices) != 1:
                raise Unsupported("an unknown cell of a table of state is set")
            out = env.copy()
            index = indices[0].value if isinstance(indices[0], Optional) else indices[0]
            for i in range(family.num_cells):
                cell = family.base + i
                if self.terms.is_kept(cell):
                    out.cells[cell] = choose(index == family.lows[0] + i, value, env.cells[cell])
            yield condition, place._replace(pc=after), out
            return
        try:
            cell = family.index(indices)
        except (IndexError, TypeError):
            return  # a fault: play does not go on
        if not self.terms.is_kept(cell):
            yield condition, place._replace(pc=after), env
            return
        if cell not in self._cells or (not is_term(value) and value is not UNSET):
            out = env.copy()
            out.cells[cell] = value
            yield condition, self._at(place, after, cell, value), out
            return
        cases = few_values(self.machine, self.layout.cell_vars[cell])
        if not cases:
            raise Unsupported("a loop goes an unknown number of rounds")
        possible = leaves(value)
        for case in cases:
            if possible is not None and case not in possible:
                continue
            here = conj(condition, equal(value, case))
            if here is not False:
                out = env.copy()
                out.cells[cell] = case
                yield here, self._at(place, after, cell, case), out

    def _in_range(self, t: ir.Type, value: Any) -> Any:
        """Play goes on only where a variable keeps to its range; that it does is a check of its own."""
        if not isinstance(t, ir.IntType) or value is None:
            return True
        none: Any = False
        if isinstance(value, Optional):
            none, value = value.none, value.value
        low = True if t.low is None else (value >= t.low)
        high = True if t.high is None else (value <= t.high)
        return disj(none, conj(low, high))

    def _at(self, place: Place, pc: int, cell: int, value: Any) -> Place:
        if cell not in self._cells:
            return place._replace(pc=pc)
        steering = list(place.steering)
        steering[self._cells.index(cell)] = value
        return place._replace(pc=pc, steering=tuple(steering))

    def _act(self, place: Place, env: Env, action: ir.Action) -> Iterator[tuple[Any, Place, Env]]:
        """An action with every argument: small ones case by case, others as anything."""
        ways: list[tuple[Any, Place, Env]] = [(True, place, env)]
        for p in action.parameters:
            cell = self.layout.vars[p.variable].base
            values = few_values(self.machine, self.layout.cell_vars[cell]) if cell in self._cells else None
            which = self._chooser()
            following: list[tuple[Any, Place, Env]] = []
            for condition, at, now in ways:
                if p.domain is not None and not isinstance(p.domain, ir.Domain):
                    there_are, chosen = self.piling.chosen(p, now)
                    condition, options = conj(condition, there_are), (chosen,)
                else:
                    options = (self.terms.fresh(p.type, p.name),) if values is None else values
                for i, value in enumerate(options):
                    out = now.copy()
                    out.cells[cell] = value
                    following.append((conj(condition, which == i), self._at(at, at.pc, cell, value), out))
            ways = following
        for condition, at, now in ways:
            guard = conj(condition, *(self.terms.term(g.condition, now) for g in action.guards))
            if guard is not False:
                yield guard, at._replace(pc=action.entry), now

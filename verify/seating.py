"""Any number of players at a rule: a few seats that are known, and all others.

The table is a ring of known seats, each with what sits between it and the next: perhaps one seat to its left, and
perhaps more. The known ones and those right beside them are one seat each. The rest between two of them are any number
of seats, of which nothing is kept, so that whatever is read of one is anything. Each step of a real table, with
whichever of its seats as the known ones, is a step of this one: so what is proved here holds for every number of
players from that of the known seats on. A claim is denied by some seats that it speaks of: those are the known ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import z3

from dsl import ir, types
from dsl.walk import parts, reached
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.env import Env
from verify.folded import Optional, Unsupported, choose, conj, disj, equal, is_term, lift, neg
from verify.places import expressions_of
from verify.terms import Terms

_BESIDE: Final = (ir.Unary.LEFT_OF, ir.Unary.RIGHT_OF, ir.Unary.OPPOSITE_OF)
SEATS_EACH: Final = 3  # a known seat, the one to its left, and the rest up to the next known one


def places_for(num_known: int) -> int:
    """How many places a table has with so many known seats."""
    return SEATS_EACH * num_known


class SeatTerms(Terms):
    """Terms of a game whose number of players is unknown; the machine is one of `places_for` so many players.

    `knows_begin`: the seats that the first rule is told are among the known ones.
    """

    def __init__(self, machine: Machine, left_out: frozenset[str] = frozenset(), knows_begin: bool = False) -> None:
        super().__init__(machine, left_out)
        self._knows_begin = knows_begin
        self.size = machine.game.num_players
        self.num_known = self.size // SEATS_EACH
        self.known = range(0, self.size, SEATS_EACH)
        self.rest = frozenset(range(2, self.size, SEATS_EACH))
        self.num_players = z3.Int("players")
        self._not_kept |= self._of_rest(self.layout.var_cells, self.layout.cell_vars)
        self._cards_of_rest = self._of_rest(self.layout.zone_cells, self.layout.cell_zones)
        self._per_player = {v.name for v in self.game.state if any(map(_is_player, v.dims))}
        self._of_players = [i for i, v in enumerate(self.layout.cell_vars) if _is_player(v.type)]
        self._looking: dict[int, bool] = {}
        self._names: dict[int, set[str]] = {}
        self.forget()

    def _of_rest(self, cells: Sequence[Any], declared: Sequence[Any]) -> frozenset[int]:
        """The places of variables or of zones that belong to any of the rest."""
        return frozenset(
            i for i, (c, d) in enumerate(zip(cells, declared, strict=True))
            if any(_is_player(t) and x in self.rest for x, t in zip(c.indices, d.dims, strict=True))
        )  # fmt: skip

    def forget(self) -> None:
        super().forget()
        sits = [self._sits(i) for i in range(self.size) if i not in self.known]
        self.facts += [z3.Implies(self._sits(i), self._sits(i - 1)) for i in self.rest]
        least = z3.Sum(*(z3.If(s, 1, 0) for s in sits)) + self.num_known
        more = z3.Or(*(self._sits(i) for i in self.rest))
        self.facts += [self.num_players >= least, z3.Or(more, self.num_players == least)]

    # --------------------------------------------------------------------------------------------- seats

    def term(self, expr: ir.Expr, env: Env) -> Any:
        if isinstance(expr, ir.Const) and _is_player(expr.type) and expr.value is not None:
            return self.known[0]  # where a round begins that comes to the same wherever it does (see `seats`)
        return super().term(expr, env)

    def _sits(self, place: int) -> Any:
        """Whether anybody sits at a place that is not a known seat."""
        return z3.Bool(f"sits!{place}")

    def _some(self) -> Any:
        """A truth of which nothing is known."""
        return self.fresh(types.BOOL, "some")

    def is_kept(self, place: int, of_cards: bool = False) -> bool:
        return place not in self._cards_of_rest if of_cards else super().is_kept(place)

    def count(self, env: Env, place: int) -> Any:
        if place not in self._cards_of_rest:
            return super().count(env, place)
        return self.fresh(ir.IntType(0, None), "of the rest")

    def may_begin(self, steering: dict[str, Any]) -> bool:
        """Whether a rule may begin so: with the players that it is told known, where they are to be."""
        told = [v.name for v in self.layout.cell_vars if v.local and _is_player(v.type)] if self._knows_begin else []
        return all(steering.get(name) in (None, UNSET, *self.known) for name in told)

    def _holding(self, names: frozenset[str]) -> list[int]:
        """The single variables among some that hold a seat, by place."""
        return [
            i for i, v in enumerate(self.layout.cell_vars) if v.name in names and not v.dims and _is_player(v.type)
        ]  # fmt: skip

    def _among(self, order: int) -> Sequence[int]:
        """The seats that the first of several, or a later one, may be: the table turns, so that the first is one."""
        return self.known if order else self.known[:1]

    def are_known(self, claim: ir.Property, names: frozenset[str], case: tuple[Any, ...]) -> bool:
        """Whether the seats among the values of a claim's variables are known ones; `names` are what it reads."""
        seats = [x for x, (_, t) in zip(case, claim.variables, strict=True) if _is_player(t)]
        before = len(self._holding(names))
        return all(x is None or x in self._among(before + i) for i, x in enumerate(seats))

    def is_spoken_of(self, names: frozenset[str], env: Env) -> Any:
        """When the seats that some variables hold are known ones."""
        found: Any = True
        for order, i in enumerate(self._holding(names)):
            held = env.cells[i]
            if held is not UNSET:  # what was never set speaks of no seat, and may not be looked at
                found = conj(found, disj(*(equal(held, seat) for seat in (None, *self._among(order)))))
        return found

    def may_be_spoken_of(self, names: frozenset[str], steering: dict[str, Any]) -> bool:
        """Whether that may be so, as far as what steers tells."""
        held = [self.layout.cell_vars[i].name for i in self._holding(names)]
        return all(steering.get(n) in (None, UNSET, *self._among(order)) for order, n in enumerate(held))

    def _seat_by(self, op: ir.Unary, x: Any) -> Any:
        if op is ir.Unary.OPPOSITE_OF:
            return self.fresh(ir.PlayerType(), "opposite")
        beside = self._left if op is ir.Unary.LEFT_OF else self._right
        if not is_term(x):
            return beside(x)
        found = beside(0)
        for i in range(1, self.size):
            found = choose(lift(x) == i, beside(i), found)
        return found

    def _left(self, place: int) -> Any:
        after = (place // SEATS_EACH + 1) * SEATS_EACH % self.size
        match place % SEATS_EACH:
            case 0 | 1:
                return choose(self._sits(place + 1), place + 1, after)
            case _:
                return choose(self._some(), place, after)

    def _right(self, place: int) -> Any:
        match place % SEATS_EACH:
            case 0:
                rest = (place - 1) % self.size
                first = choose(self._sits(rest - 1), rest - 1, rest - 2)
                return choose(self._sits(rest), rest, first)
            case 1:
                return place - 1
            case _:
                return choose(self._some(), place, place - 1)

    def _equal(self, a: Any, b: Any, t: ir.Type) -> Any:
        found = equal(a, b)
        if found is False or not _is_player(t):
            return found
        # Two of the rest are at one place, and may be two.
        x = a.value if isinstance(a, Optional) else a
        if x is None or (not is_term(x) and x not in self.rest):
            return found
        y = b.value if isinstance(b, Optional) else b
        if y is None or (not is_term(y) and y not in self.rest):
            return found
        none = a.none if isinstance(a, Optional) else False
        among = disj(*(equal(x, i) for i in sorted(self.rest)))
        return conj(found, disj(none, neg(among), self._some()))

    # ----------------------------------------------------------------------------------------- questions

    def _is_one_question(self, expr: ir.Expr, env: Env) -> bool:
        if not super()._is_one_question(expr, env):
            return False
        names = self.reads(expr)
        if names & self._per_player and self._looks_around(expr):
            return False
        held = [env.cells[i] for i in self._of_players if self.layout.var_cells[i].name in names]
        return self._is_one_seat(expr) and all(map(self._is_one, held))

    def _is_one_seat(self, expr: ir.Expr) -> bool:
        return all(self._is_one(self._scope[name]) for name in self._seats_in(expr) if name in self._scope)

    def _is_one(self, value: Any) -> bool:
        """Whether what holds a seat is sure to be one that can be known."""
        return value is UNSET or value is None or not (is_term(value) or value in self.rest)

    def _seats_in(self, expr: ir.Expr) -> set[str]:
        """The names of seats that an expression speaks of."""
        if id(expr) not in self._names:
            self._names[id(expr)] = {p.name for p in parts(expr) if isinstance(p, ir.Local) and _is_player(p.type)}
        return self._names[id(expr)]

    def _looks_around(self, expr: ir.Expr) -> bool:
        """Whether an expression looks at seats that it does not name: at all of them, or beside one."""
        if id(expr) not in self._looking:
            called = [self._functions[p.function].body for p in parts(expr) if isinstance(p, ir.CallExpr)]
            self._looking[id(expr)] = any(
                (isinstance(p, ir.FoldExpr) and isinstance(p.binder.domain, ir.PlayerType))
                or (isinstance(p, ir.UnaryExpr) and p.op in _BESIDE)
                for p in parts(expr)
            ) or any(map(self._looks_around, called))
        return self._looking[id(expr)]

    def items(self, binder: ir.Binder, env: Env, start: ir.Expr | None = None) -> list[tuple[Any, Any]]:
        if not isinstance(binder.domain, ir.PlayerType):
            return super().items(binder, env, start)
        if start is not None and self.term(start, env) in self.rest:
            raise Unsupported("a round that begins at an unknown seat")
        found = super().items(binder, env, start)
        return [(v, w if v in self.known else conj(self._sits(v), w)) for v, w in found]

    def _add(self, fold: ir.FoldExpr, value: Any, x: Any) -> Any:
        if not self._is_of_many(fold, value):
            return x
        return self.fresh(ir.IntType(1, None) if fold.op is ir.FoldOp.COUNT else fold.type, "of the rest")

    def _is_several(self, fold: ir.FoldExpr, value: Any) -> Any:
        return self._some() if self._is_of_many(fold, value) else False

    def _is_of_many(self, fold: ir.FoldExpr, value: Any) -> bool:
        return isinstance(fold.binder.domain, ir.PlayerType) and value in self.rest

    def _in_all(self, env: Env, place: int, given: int) -> Any:
        if any(map(_is_player, self.layout.cell_zones[place].dims[:given])):
            return super()._in_all(env, place, given)
        if place in self._cards_of_rest:
            return self.fresh(ir.IntType(0, None), "of all the rest")
        return super()._in_all(env, place, given)


def _is_player(t: ir.Type) -> bool:
    return isinstance(types.strip(t), ir.PlayerType)


def spoken_of(claim: ir.Property, game: ir.Game) -> int:
    """How many seats a claim speaks of, by name or by variables that hold one."""
    names = names_of(claim, game)
    held = [v for v in game.state if v.name in names and not v.dims and _is_player(v.type)]
    return len(held) + sum(_is_player(t) for _, t in claim.variables)


def names_of(claim: ir.Property, game: ir.Game) -> frozenset[str]:
    """The variables that a claim reads, but for those of which it asks no more than whether there is anything."""
    read = list(reached(expressions_of(claim), game))
    asked = {id(p.operand) for p in read if isinstance(p, ir.UnaryExpr) and p.op is ir.Unary.IS_NONE}
    return frozenset(p.name for p in read if isinstance(p, ir.Var) and id(p) not in asked)


def of_each(claim: ir.Property) -> ir.Property:
    """A claim about every seat as one about a seat that may be any, and so for one about some seat that is denied."""
    denied = claim.kind in ("never", "impossible")
    (asked, *_) = claim.expressions
    while isinstance(asked, ir.FoldExpr) and asked.op is (ir.FoldOp.SOME if denied else ir.FoldOp.EVERY):
        binder = asked.binder
        if not isinstance(binder.domain, ir.PlayerType) or any(binder.name == n for n, _ in claim.variables):
            break
        where = ir.Const(True, types.BOOL) if binder.where is None else binder.where
        body = ir.Const(True, types.BOOL) if asked.body is None else asked.body
        joint = ir.Binary.AND if denied else ir.Binary.OR
        if not denied:
            where = ir.UnaryExpr(ir.Unary.NOT, where, types.BOOL)
        asked = ir.BinaryExpr(joint, where, body, types.BOOL)
        claim = replace(claim, expressions=(asked,), variables=(*claim.variables, (binder.name, binder.type)))
    return claim

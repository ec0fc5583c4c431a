"""Expressions as Z3 terms that are exact about cards: the cards may lie anyhow, and what they say follows from where.

Beyond what `Terms` knows, a pile is how many cards of each look it has. What depends on the order of a pile, or on a
split into several combinations, stays opaque: then more is allowed than cards can do, so that a proof still holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product
from typing import Any

import z3

from dsl import ir, types
from interpreter.machine import Machine
from verify.dealt_kinds import Hands
from verify.dealt_piles import Deal, Pack, Pile
from verify.env import Env
from verify.folded import Optional, Strength, choose, conj, disj, equal, is_term, lift, neg, optional, strength
from verify.terms import Terms
from verify.terms_folds import extreme, total
from verify.terms_operators import look_up


class Dealt(Terms):
    """Terms over every way the cards may lie. A card is its look; `deal` has the piles that were asked for."""

    def __init__(self, machine: Machine, pack: Pack, groups: Iterable[frozenset[int]] | None = None) -> None:
        super().__init__(machine)
        self.pack, self.deal = pack, Deal(machine, pack, groups)
        self.hands = Hands(machine, self.facts, lambda hint: self.fresh(types.INTEGER, hint))

    def env(self, cells: list[Any]) -> Env:
        """Variables, and cards anyhow: how many lie where is asked of piles only, so that here it may be anything."""
        return Env(cells, [z3.Int(f"lying {i}") for i in range(len(self.layout.zone_cells))], 0, {})

    def all_facts(self) -> list[Any]:
        """What is known of all terms so far."""
        return [*self.facts, *self.deal.facts()]

    # ----------------------------------------------------------------------------------------- constants

    def fresh(self, t: ir.Type, hint: str) -> Any:
        if isinstance(t, ir.CardType):
            return self._between(z3.Int(self._name(hint)), 0, max(self.pack.copies, default=0))
        return super().fresh(t, hint)

    def _name(self, hint: str) -> str:
        self._counter += 1
        return f"{hint}!{self._counter}"

    def _fresh_strength(self, name: str) -> Strength:
        kind = self._between(z3.Int(f"{name}.kind"), 0, len(self.game.kinds) - 1)
        return Strength(kind, self.hands.anything())

    # --------------------------------------------------------------------------------------- expressions

    def term(self, expr: ir.Expr, env: Env) -> Any:
        found = self._dealt(expr, env)
        return self.hands.strength_of(found) if isinstance(found, ir.Combination) else found

    def _dealt(self, expr: ir.Expr, env: Env) -> Any:
        match expr:
            case ir.Const(value, ir.CardType()):
                return self.machine.words.cards.look[value]  # type: ignore[index]
            case ir.ZoneExpr(name, indices) | ir.AllOfZone(name, indices):
                return self._zone(name, [self.term(i, env) for i in indices])
            case ir.PickCards(binder):
                pile = self.term(binder.domain, env)  # type: ignore[arg-type]
                if isinstance(pile, Pile):
                    return pile.only({look: self._meets(binder, look, env) for look in pile.by_look})
            case ir.IfExpr(condition, then, otherwise, ir.CardsType()):
                test = self.term(condition, env)
                a, b = self._maybe(then, env, test), self._maybe(otherwise, env, neg(test))
                if isinstance(a, Pile) and isinstance(b, Pile):
                    return a.when(test) | b.when(neg(test))
                if not isinstance(test, bool):
                    return self.opaque(expr, env, expr.type, "cards")
                return a if test else b
            case ir.BestExpr(cards, binder, t):
                pile = self.term(cards, env)
                if isinstance(pile, Pile):
                    best = self.hands.best(pile, [self._allows(binder, i, env) for i in range(len(self.game.kinds))])
                    return best if isinstance(t, ir.OptionalType) else best.value
            case ir.AsExpr(cards, kind):
                pile, wanted = self.term(cards, env), self.term(kind, env)
                if isinstance(pile, Pile):
                    return self._as(pile, wanted)
            case _:
                pass
        return super().term(expr, env)

    def _zone(self, name: str, indices: list[Any]) -> Pile:
        """The cards of a zone; with fewer indices than it has, of every zone that they leave open.

        Where an index is not known, the cards of each zone that it may be, where it is that.
        """
        family = self.layout.zones[name]
        cases: list[list[tuple[int, Any]]] = []
        for index, low, size in zip(indices, family.lows, family.sizes, strict=False):
            known = optional(index)
            if self._strict and known.none is not False:
                self._needs.append(neg(known.none))
            if not is_term(known.value) and not is_term(known.none):
                if known.none or not low <= known.value < low + size:
                    # A fault: whatever is made of it, play does not go on from there.
                    if self._strict:
                        self._needs.append(False)
                    return Pile(self.pack, {})
                cases.append([(known.value - low, True)])
            else:
                cases.append([(i, equal(known.value, low + i)) for i in range(size)])
        given = len(indices)
        count = family.strides[given - 1] if given else family.num_cells
        found = Pile(self.pack, {})
        for way in product(*cases):
            start = family.base + sum(i * stride for (i, _), stride in zip(way, family.strides, strict=False))
            here = self.deal.in_zones(frozenset(range(start, start + count)))
            condition = conj(*(c for _, c in way))
            found = here if condition is True and not found.taken else found | here.when(condition)
        return found

    def _meets(self, binder: ir.Binder, value: Any, env: Env) -> Any:
        if binder.where is None:
            return True
        with self.bound(**{binder.name: value}), self._perhaps():
            return self.term(binder.where, env)

    def _allows(self, binder: ir.Binder | None, kind: int, env: Env) -> Any:
        return True if binder is None else self._meets(binder, kind, env)

    def _as(self, pile: Pile, kind: Any) -> Optional:
        if not is_term(kind):
            return self.hands.exactly(kind, pile)
        found = Optional(True, 0)
        for i in range(len(self.game.kinds)):
            found = choose(lift(kind) == i, self.hands.exactly(i, pile), found)
        return found

    def _unary(self, expr: ir.UnaryExpr, env: Env) -> Any:
        op = expr.op
        if op in (ir.Unary.RANK_OF, ir.Unary.SUIT_OF):
            card = self.term(expr.operand, env)
            of = self.pack.rank if op is ir.Unary.RANK_OF else self.pack.suit
            looks = range(max(of, default=0) + 1)
            return look_up(tuple(of.get(look, 0) for look in looks), 0, card)
        if op is ir.Unary.SIZE_OF and isinstance(types.of(expr.operand), ir.CardsType):
            pile = self.term(expr.operand, env)
            return pile.size if isinstance(pile, Pile) else super()._unary(expr, env)
        if op is ir.Unary.SIZE_OF and isinstance(types.of(expr.operand), ir.CombinationType):
            sizes = tuple(k.size for k in self.game.kinds)
            return look_up(sizes, 0, strength(self.term(expr.operand, env)).kind)
        if op is ir.Unary.TOP_OF:
            top = self.opaque(expr, env, expr.type, "top")
            pile = self.term(expr.operand, env)
            if isinstance(pile, Pile):
                if self._strict:
                    self._needs.append(lift(pile.size) > 0)
                # It is one of them.
                among = disj(*(conj(lift(top) == look, pile.has(look)) for look in pile.by_look))
                self.facts.append(lift(disj(lift(pile.size) == 0, among)))
            return top
        return super()._unary(expr, env)

    def _binary(self, expr: ir.BinaryExpr, env: Env) -> Any:
        op = expr.op
        if op is ir.Binary.CONTAINS:
            pile, call = self.term(expr.left, env), self.term(expr.right, env)
            if isinstance(pile, Pile) and isinstance(call, Strength) and call.named is not None:
                found = self.hands.contains(pile, call.named)
                if found is not None:
                    return found
            return self.opaque(expr, env, expr.type, op.value)
        if op is ir.Binary.IN and isinstance(types.strip(types.of(expr.left)), ir.CardType):
            card, pile = self.term(expr.left, env), self.term(expr.right, env)
            if not isinstance(pile, Pile):
                return self.opaque(expr, env, expr.type, op.value)
            if not is_term(card):
                return pile.has(card)
            return disj(*(conj(equal(card, look), pile.has(look)) for look in pile.by_look))
        if isinstance(expr.type, ir.CardsType):
            left, right = self.term(expr.left, env), self.term(expr.right, env)
            if isinstance(left, Pile) and isinstance(right, Pile) and self._apart(left, right):
                return left | right
            return self.opaque(expr, env, expr.type, op.value)
        if op in (ir.Binary.EQ, ir.Binary.NE) and isinstance(types.strip(types.of(expr.left)), ir.CardType):
            same = equal(self.term(expr.left, env), self.term(expr.right, env))
            return same if op is ir.Binary.EQ else neg(same)
        return super()._binary(expr, env)

    @staticmethod
    def _apart(left: Pile, right: Pile) -> bool:
        """Whether cards that are in both can be told: cards that a claim names may lie in any zone."""
        places = {place for pile in (left, right) for place, _ in pile.taken}
        return all(p.is_zones for p in places) or len(places) == 1

    # --------------------------------------------------------------------------------------------- folds

    def _fold_cards(self, expr: ir.FoldExpr, env: Env) -> Any:
        domain = expr.binder.domain
        pile = self.term(domain, env) if isinstance(types.of(domain), ir.CardsType) else None  # type: ignore[arg-type]
        if not isinstance(pile, Pile):
            return super()._fold_cards(expr, env)
        looks = list(pile.by_look)
        where = {look: self._meets(expr.binder, look, env) for look in looks}
        bodies: dict[int, Any] = {}
        for look in looks:
            with self.bound(**{expr.binder.name: look}), self._perhaps():
                bodies[look] = True if expr.body is None else self.term(expr.body, env)
        match expr.op:
            case ir.FoldOp.SOME:
                return disj(*(conj(where[x], bodies[x], pile.has(x)) for x in looks))
            case ir.FoldOp.EVERY:
                return conj(*(disj(neg(where[x]), bodies[x], neg(pile.has(x))) for x in looks))
            case ir.FoldOp.COUNT:
                return total([choose(conj(where[x], bodies[x]), pile.by_look[x], 0) for x in looks])
            case ir.FoldOp.SUM:
                return total([self._times(pile, x, where[x], bodies[x]) for x in looks])
            case ir.FoldOp.MAX | ir.FoldOp.MIN:
                items = [(x, conj(where[x], pile.has(x))) for x in looks]
                return extreme(expr, items, [bodies[x] for x in looks], partial(self._is_several, expr))
            case _:
                return self.opaque(expr, env, expr.type, expr.op.value)

    def _times(self, pile: Pile, look: int, where: Any, body: Any) -> Any:
        """What all cards of a look add."""
        if not is_term(body):
            return choose(where, lift(pile.by_look[look]) * lift(body), 0)
        copies = range(1, self.pack.copies[look] + 1)
        return total([choose(conj(where, pile.has(look, n)), body, 0) for n in copies])

"""Combinations to be made: which cards are to come to lie together where, and how a deal is bent towards it."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from dsl import ir
from dsl.walk import parts, reached
from interpreter.machine import Machine
from verify.lines import Line, exchange
from verify.places import expressions_of

_LEAST = 0.01
_FOCUS = 5.0
_ZONES = ir.ZoneExpr | ir.AllOfZone
_SMALL = 10  # cards: a zone that holds more is not filled up
_TRIES = 8


@dataclass(frozen=True, slots=True)
class Target:
    """`cards` are to lie together in the zone. `about` is what was aimed at, to learn from."""

    zone: int
    cards: frozenset[int]
    about: tuple[Any, ...]


class Targets:
    """Chooses targets for one game: what has helped before is chosen more often."""

    def __init__(self, machine: Machine, claim: ir.Property, rng: random.Random) -> None:
        self._machine, self._rng = machine, rng
        self._combinations = machine.words.combinations
        layout = machine.layout
        self._kinds = range(len(machine.game.kinds))
        self._owner: list[int | None] = []
        self._kind_of: list[int | None] = []
        for cell, zone in zip(layout.zone_cells, layout.cell_zones, strict=True):
            is_owned = bool(zone.dims) and isinstance(zone.dims[0], ir.PlayerType)
            self._owner.append(cell.indices[0] if is_owned else None)
            of_kind = [i for i, d in zip(cell.indices, zone.dims, strict=True) if isinstance(d, ir.KindType)]
            self._kind_of.append(of_kind[0] if of_kind else None)
        about = list(reached(expressions_of(claim), machine.game))
        asked = [p for p in parts((machine.game.nodes, machine.game.functions)) if _asks(p)]
        looked_into = {p.zone for x in asked for p in parts(x) if isinstance(p, _ZONES)}
        spoken_of = looked_into & {p.zone for p in about if isinstance(p, _ZONES)}
        self._prior = {z.name: 1.0 if z.name in (spoken_of or looked_into) else 0.2 for z in machine.game.zones}
        self._named = [p.value for p in about if isinstance(p, ir.Const) and isinstance(p.type, ir.PlayerType)]
        self._focus: Any = None
        self._tried: dict[tuple[Any, ...], int] = defaultdict(int)
        self._helped: dict[tuple[Any, ...], float] = defaultdict(float)
        self._zones = [i for i in range(len(layout.zone_cells)) if i != layout.home]

    @property
    def are_any(self) -> bool:
        """Whether the game has combinations, and places to make them in."""
        return bool(self._kinds and self._zones)

    def begin(self) -> None:
        """A search begins: it is mostly about one seat, unless the claim names some."""
        self._focus = self._rng.randrange(self._machine.game.num_players)

    def owner(self, zone: int) -> int | None:
        """Whose zone it is, if anybody's."""
        return self._owner[zone]

    def learn(self, target: Target, gain: float) -> None:
        """What was aimed at is chosen more often from now on, or less. `gain`: 0 for no help, 1 for the most so far."""
        for key in target.about:
            self._tried[key] += 1
            self._helped[key] += gain

    def _weight(self, *key: Any) -> float:
        return _LEAST + ((self._helped[key] + 1) / (self._tried[key] + 3)) ** 2

    def _liking(self, zone: int, name: str) -> float:
        seat, own = self._owner[zone], self._kind_of[zone]
        liking = self._prior[name] * self._weight("zone", name) * self._weight("seat", seat)
        if seat is not None and (seat in self._named or (not self._named and seat == self._focus)):
            liking *= _FOCUS
        if own is None:
            return liking
        likings = [self._kind_liking(name, k) for k in self._kinds]
        return liking * likings[own] * len(likings) / sum(likings)

    def _kind_liking(self, name: str, kind: int) -> float:
        # The stronger ones first: the weaker can be made of what they leave.
        return self._weight("kind", name, kind) * (kind + 4)

    # ---------------------------------------------------------------------------------------- choosing

    def choose(self, line: Line) -> Target | None:
        """Something to be made from here; None where nothing was found that can be."""
        if not line.open:
            return None
        rng, layout = self._rng, self._machine.layout
        names = [layout.zone_cells[z].name for z in self._zones]
        liked = [self._liking(z, n) / names.count(n) for z, n in zip(self._zones, names, strict=True)]
        (zone,) = rng.choices(self._zones, liked)
        name, own = layout.zone_cells[zone].name, self._kind_of[zone]
        (kind,) = rng.choices(self._kinds, [self._kind_liking(name, k) for k in self._kinds])
        if own is not None and rng.random() < 0.8:
            kind = own
        cards = self._cards(line, zone, kind)
        if cards is None:
            return None
        about = (("zone", name), ("kind", name, kind), ("seat", self._owner[zone]))
        return Target(zone, frozenset(cards), about)

    def _cards(self, line: Line, zone: int, kind: int) -> tuple[int, ...] | None:
        """Cards that are of a kind, and nothing stronger, and can lie in a zone with what must stay there."""
        rng, present = self._rng, line.state.zones[zone]
        room = self._machine.mover.capacity(line.state, zone)
        free = [c for c in sorted(line.open) if c not in present]
        stay = [c for c in present if c not in line.open]
        for _ in range(_TRIES):
            pool = [c for c in present if rng.random() < 0.7 or c in stay]
            pool += rng.sample(free, min(len(free), rng.choice((5, 8, 16, 30, 60))))
            made = self._made(kind, pool, room)
            if made is None:
                continue
            if room is not None and room <= _SMALL and rng.random() < 0.7:
                made = self._filled(kind, made, stay, free, room)
            others = len([c for c in stay if c not in made])
            if room is None or others + len(made) <= room:
                return made
        return None

    def _made(self, kind: int, pool: list[int], room: int | None) -> tuple[int, ...] | None:
        if self._combinations.matchers[kind] is None:
            size = self._machine.game.kinds[kind].size or room or 0
            pool = self._rng.sample(pool, size) if 0 < size <= len(pool) else []
            return tuple(pool) if pool and self._combinations.find(kind, pool) is not None else None
        found = self._combinations.find(kind, pool)
        return None if found is None or (room is not None and len(found.cards) > room) else found.cards

    def _filled(self, kind: int, made: tuple[int, ...], stay: list[int], free: list[int], room: int) -> tuple[int, ...]:
        """The same with other cards, as many as there is room for, which make nothing stronger of it."""
        others = [c for c in stay if c not in made]
        left = [c for c in free if c not in made]
        number = room - len(made) - len(others)
        for _ in range(_TRIES if 0 < number <= len(left) else 0):
            whole = (*made, *others, *self._rng.sample(left, number))
            best = self._combinations.best(whole)
            if best is not None and best.kind == kind:
                return whole
        return made

    # ----------------------------------------------------------------------------------------- bending

    def progress(self, line: Line, target: Target, before: int = 0) -> int:
        """How many of the cards lie where they are to; all, too, if some did (`before`) and all went on together."""
        where = line.state.where
        lying = sum(1 for c in target.cards if where[c] == target.zone)
        if before and not lying:
            zones = {where[c] for c in target.cards}
            if len(zones) == 1 and line.shuffled is not None and line.shuffled.zone not in zones:
                return len(target.cards)
        return lying

    def laid_out(self, line: Line, target: Target) -> Line:
        """The line with the cards as near as those that were dealt so far can be made to lie."""
        where, owner, open_ = line.state.where, self._owner[target.zone], line.open

        def is_near(card: int) -> bool:
            return owner is not None and self._owner[where[card]] == owner

        wanted = [c for c in sorted(target.cards & open_) if where[c] != target.zone]
        wanted.sort(key=is_near)
        places = [c for c in sorted(line.dealt & open_) if c not in target.cards]
        self._rng.shuffle(places)
        # Who is to make it may have the cards elsewhere as well.
        near = [c for c in places if where[c] == target.zone]
        near += [c for c in places if where[c] != target.zone and is_near(c)]
        # What others were dealt of it may still come.
        pile = [c for c in line.pile if c in open_ and c not in target.cards]
        self._rng.shuffle(pile)
        pairs: list[tuple[int, int]] = []
        for card in wanted:
            if near and (where[near[0]] == target.zone or not is_near(card)):
                pairs.append((card, near.pop(0)))
            elif pile and card in line.dealt and not is_near(card):
                pairs.append((card, pile.pop()))
        return exchange(line, pairs)

    def bent(self, line: Line, after: Line, target: Target) -> Line | None:
        """The line so that what comes between here and `after` serves the target; None where it does already."""
        come = line.come(after)
        if not come:
            return None
        rng, owner, where = self._rng, self._owner[target.zone], after.state.where
        pile = [c for c in line.pile if c not in come]
        needed = [c for c in pile if c in target.cards]
        others = [c for c in pile if c not in target.cards]
        pairs: list[tuple[int, int]] = []
        # The last card may come when the others have already gone on from the zone, and it with them.
        lying = {where[c] for c in target.cards if line.state.where[c] == target.zone}
        for card in come:
            to = where[card]
            serves = to == target.zone or lying == {to} or (owner is not None and self._owner[to] == owner)
            if serves and card not in target.cards and needed:
                pairs.append((card, needed.pop(rng.randrange(len(needed)))))
            elif not serves and card in target.cards and others:
                pairs.append((card, others.pop(rng.randrange(len(others)))))
        return exchange(line, pairs) if pairs else None


def _asks(part: Any) -> bool:
    """Whether an expression looks for combinations among cards."""
    return isinstance(part, ir.BestExpr | ir.SplitExpr | ir.AsExpr) or (
        isinstance(part, ir.BinaryExpr) and part.op is ir.Binary.CONTAINS
    )

"""Cards that may lie anyhow, as numbers: how many of each look there are in each place.

Places that nothing tells apart are counted together. Cards that look the same are the same to every rule, so that
numbers of them say all there is to say of cards but their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from interpreter.machine import Machine
from interpreter.state import State
from verify.folded import choose, conj, disj, lift


@dataclass(frozen=True, eq=False)
class Place:
    """Where cards lie: some zones together, or, of a place without zones, any cards of the pack.

    `holds` None is any number of cards. `facts` say what numbers there can be.
    """

    is_zones: bool
    holds: int | None
    counts: Mapping[int, Any]  # by look
    facts: Any


class Pile:
    """Some cards: of each look those of each place for which a condition holds."""

    def __init__(self, pack: Pack, taken: Mapping[tuple[Place, int], Any]) -> None:
        self.pack, self.taken = pack, {k: v for k, v in taken.items() if v is not False}
        self._reached: dict[tuple[str, int, int], Any] = {}

    def only(self, conditions: Mapping[int, Any]) -> Pile:
        """Those of the looks for which a condition holds."""
        return Pile(self.pack, {(p, look): conj(c, conditions[look]) for (p, look), c in self.taken.items()})

    def when(self, condition: Any) -> Pile:
        """The same cards where a condition holds, else none."""
        return Pile(self.pack, {k: conj(c, condition) for k, c in self.taken.items()})

    def __or__(self, other: Pile) -> Pile:
        taken = dict(self.taken)
        for key, condition in other.taken.items():
            taken[key] = disj(taken.get(key, False), condition)
        return Pile(self.pack, taken)

    @cached_property
    def by_look(self) -> dict[int, Any]:
        """How many of each look, of those looks of which there may be any."""
        each: dict[int, list[Any]] = {}
        for (place, look), condition in self.taken.items():
            each.setdefault(look, []).append(choose(condition, place.counts[look], 0))
        return {look: sum_of(counts) for look, counts in sorted(each.items())}

    @cached_property
    def by_rank(self) -> dict[int, Any]:
        return self._by(self.pack.rank)

    @cached_property
    def by_suit(self) -> dict[int, Any]:
        return self._by(self.pack.suit)

    def _by(self, what: Mapping[int, int]) -> dict[int, Any]:
        each: dict[int, list[Any]] = {}
        for look, count in self.by_look.items():
            each.setdefault(what[look], []).append(count)
        return {key: sum_of(counts) for key, counts in each.items()}

    @cached_property
    def size(self) -> Any:
        return sum_of(list(self.by_look.values()))

    @cached_property
    def most(self) -> int:
        """No more cards than this."""
        places = {place for place, _ in self.taken}
        held = sum(len(self.pack.cards) if p.holds is None else p.holds for p in places)
        looks = {(p.is_zones, look) for p, look in self.taken}
        return min(held, sum(self.pack.copies[look] for _, look in looks))

    def has(self, look: int, number: int = 1) -> Any:
        """Whether there are at least so many of a look."""
        return self._reaches("look", self.by_look, look, number, min(self.pack.copies.get(look, 0), self.most))

    def has_rank(self, rank: int, number: int) -> Any:
        return self._reaches("rank", self.by_rank, rank, number, self.most)

    def has_suit(self, suit: int, number: int) -> Any:
        return self._reaches("suit", self.by_suit, suit, number, self.most)

    def _reaches(self, what: str, counts: Mapping[int, Any], at: int, number: int, most: int) -> Any:
        if number <= 0:
            return True
        if number > most or at not in counts:
            return False
        if (what, at, number) not in self._reached:
            self._reached[what, at, number] = counts[at] >= number
        return self._reached[what, at, number]


class Pack:
    """The cards of a game by look, and the terms for places of them, which are made once."""

    def __init__(self, machine: Machine) -> None:
        cards = machine.words.cards
        self.cards = cards.pack
        self.copies: dict[int, int] = {}
        self.rank: dict[int, int] = {}
        self.suit: dict[int, int] = {}
        for card in cards.pack:
            look = cards.look[card]
            self.copies[look] = self.copies.get(look, 0) + 1
            self.rank[look], self.suit[look] = cards.rank[card], cards.suit[card]
        self._places: dict[tuple[str, int | None], Place] = {}
        self._piles: dict[tuple[Place, ...], Pile] = {}
        self._conserved: dict[tuple[bool, tuple[Place, ...]], Any] = {}

    def place(self, name: str, is_zones: bool, holds: int | None) -> Place:
        """A place by name: places of other questions by the same name are the same terms."""
        if (name, holds) not in self._places:
            counts = {look: z3.Int(f"{name}: {look}") for look in self.copies}
            facts = [conj(counts[look] >= 0, counts[look] <= copies) for look, copies in self.copies.items()]
            if holds is not None:
                facts.append(sum_of(list(counts.values())) <= holds)
            self._places[name, holds] = Place(is_zones, holds, counts, conj(*facts))
        return self._places[name, holds]

    def pile(self, places: tuple[Place, ...]) -> Pile:
        """All cards of some places."""
        if places not in self._piles:
            self._piles[places] = Pile(self, {(place, look): True for place in places for look in place.counts})
        return self._piles[places]

    def conserved(self, places: tuple[Place, ...], are_all: bool) -> Any:
        """That there are no more cards of a look than the pack has, or just as many."""
        if (are_all, places) not in self._conserved:
            facts = []
            for look, copies in self.copies.items():
                total = lift(sum_of([p.counts[look] for p in places]))
                facts.append(total == copies if are_all else total <= copies)
            self._conserved[are_all, places] = conj(*facts)
        return self._conserved[are_all, places]


class Deal:
    """Every way the cards may lie. `groups` says which zones are counted together; None asks each by itself.

    `asked` are the sets of zones that were asked for, from which groups can be made; `places` what each group became.
    """

    def __init__(self, machine: Machine, pack: Pack, groups: Iterable[frozenset[int]] | None) -> None:
        self.machine, self.pack = machine, pack
        self.asked: set[frozenset[int]] = set()
        self._group_of = {cell: group for group in groups or () for cell in group}
        self.places: dict[frozenset[int], Place] = {}
        self._others: list[Place] = []

    def in_zones(self, cells: frozenset[int]) -> Pile:
        """The cards of some zones, all of them."""
        self.asked.add(cells)
        groups = dict.fromkeys(self._group_of.get(cell, frozenset({cell})) for cell in sorted(cells))
        for group in groups:
            if group not in self.places:
                holds = [most_in(self.machine, cell) for cell in group]
                most = None if any(h is None for h in holds) else sum(h for h in holds if h is not None)
                self.places[group] = self.pack.place(f"place {len(self.places)}", True, most)
        return self.pack.pile(tuple(self.places[group] for group in groups))

    def any_cards(self, name: str) -> Pile:
        """Any cards of the pack, wherever they lie."""
        self._others.append(self.pack.place(name, False, None))
        return self.pack.pile((self._others[-1],))

    def facts(self) -> list[Any]:
        """What numbers there can be; to be asked once all places are known."""
        zones = tuple(self.places.values())
        are_all = sum(map(len, self.places)) == len(self.machine.layout.zone_cells)
        return [*(p.facts for p in (*zones, *self._others)), self.pack.conserved(zones, are_all)]

    def groups(self) -> list[frozenset[int]]:
        """Zones that were only ever asked for together."""
        kinds: dict[frozenset[frozenset[int]], list[int]] = {}
        for cell in sorted({c for cells in self.asked for c in cells}):
            kinds.setdefault(frozenset(cells for cells in self.asked if cell in cells), []).append(cell)
        return [frozenset(cells) for cells in kinds.values()]


def most_in(machine: Machine, cell: int) -> int | None:
    """The most cards that a zone ever holds, where there is a limit."""
    layout, zone = machine.layout, machine.layout.cell_zones[cell]
    if zone.holds is None:
        return None
    compiler = machine.compiler
    names = [f"#{i}" for i in range(len(zone.dims))]
    with compiler.bound(*names) as slots:
        holds = compiler.compile(zone.holds)
    for slot, value in zip(slots, layout.zone_cells[cell].indices, strict=True):
        compiler.scratch[slot] = value
    return max(0, int(holds(_NO_STATE)))


_NO_STATE: Any = State(0, 0, 0)


def sum_of(terms: list[Any]) -> Any:
    """Numbers and terms added up."""
    known = sum(t for t in terms if isinstance(t, int))
    rest = [t for t in terms if not isinstance(t, int)]
    if not rest:
        return known
    total = rest[0] if len(rest) == 1 else z3.Sum(rest)
    return total + known if known else total

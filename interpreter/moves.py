"""Cards on the move: from zone to zone, and with them what each player knows of them.

A card stays in exactly one zone. A player knows a card that lies where they may look, or that was shown to them,
for as long as they can follow it. Where cards leave a zone by somebody's choice and a player cannot see which,
that player no longer knows any card of that zone: what is kept may be less than a sharp mind could infer, never
more.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl import ir
from interpreter.evaluate import Compiler
from interpreter.state import Evaluator, State
from interpreter.values import Fault


class Mover:
    """Moves the cards of one game. `uncovered` are the cards that came to lie on top of a pile for all to see."""

    def __init__(self, compiler: Compiler) -> None:
        self.layout = compiler.layout
        self.everyone = self.layout.everyone
        self._seen, self._top = self.layout.zone_seen, self.layout.zone_top
        self.uncovered: list[tuple[int, int]] = []
        self._contents = self.layout.zone_contents
        self._holds = [self._capacity(compiler, z, cell.indices) for cell, z in
                       zip(self.layout.zone_cells, self.layout.cell_zones, strict=True)]  # fmt: skip

    @staticmethod
    def _capacity(compiler: Compiler, zone: ir.Zone, indices: tuple[int, ...]) -> Evaluator | None:
        if zone.holds is None:
            return None
        if isinstance(zone.holds, ir.Const):
            return compiler.compile(zone.holds)
        with compiler.bound(*(f"#{i}" for i in range(len(indices)))) as slots:
            holds, scratch = compiler.compile(zone.holds), compiler.scratch

        def capacity(s: State) -> int:
            for slot, index in zip(slots, indices, strict=True):
                scratch[slot] = index
            return int(holds(s))

        return capacity

    def capacity(self, state: State, zone: int) -> int | None:
        """The most cards that a zone can hold; None for any number."""
        holds = self._holds[zone]
        return None if holds is None else int(holds(state))

    def put(self, state: State, cards: Sequence[int], target: int, positional: bool) -> tuple[int, ...]:
        """Moves cards, wherever they lie, onto a zone in the order given. Tells who saw each of them.

        `positional`: which cards these are follows from where they lay, so that anybody can follow them.
        """
        zones, known, where = state.zones, state.known, state.where
        sources: dict[int, list[int]] = {}
        for card in cards:
            sources.setdefault(where[card], []).append(card)
        seen = self._seen[target]
        if len(cards) == 1:
            (card,) = cards
            source = where[card]
            left = zones[source]
            place = left.index(card)
            zones[source] = left[:place] + left[place + 1 :]
            if self._contents[source] or self._contents[target]:
                known[card] = self.everyone
        else:
            moving = set(cards)
            for source in sources:
                zones[source] = tuple(c for c in zones[source] if c not in moving)
        self._check_capacity(state, target, len(cards))
        zones[target] += tuple(cards)
        for card in cards:
            known[card] |= seen
            where[card] = target
        masks = tuple([known[c] for c in cards])
        if not positional:
            for source, moved in sources.items():
                self._lose_track(state, source, moved, target)
        self._show_tops(state, (*sources, target))
        if self._top[target]:
            masks = (*masks[:-1], known[cards[-1]])
        return masks

    def _check_capacity(self, state: State, target: int, more: int) -> None:
        most = self.capacity(state, target)
        if most is not None and len(state.zones[target]) + more > most:
            raise Fault(f"{self.layout.zone_names[target]} holds at most {most} cards")

    def _lose_track(self, state: State, source: int, moved: list[int], target: int) -> None:
        known, rest = state.known, state.zones[source]
        if source == target:
            rest = tuple(c for c in rest if c not in set(moved))
        if not rest and len(moved) == 1:
            return
        blind = 0
        for card in moved:
            blind |= ~known[card]
        blind &= self.everyone
        if blind:
            sees, sees_target = self._seen[source], self._seen[target]
            for card in rest:
                known[card] = known[card] & ~blind | sees
            for card in moved:
                known[card] = known[card] & ~blind | sees_target

    def _show_tops(self, state: State, changed: Sequence[int]) -> None:
        for zone in changed:
            if self._top[zone] and state.zones[zone]:
                card = state.zones[zone][-1]
                if state.known[card] != self.everyone:
                    state.known[card] = self.everyone
                    self.uncovered.append((card, zone))

    def show(self, state: State, cards: Sequence[int], mask: int) -> tuple[int, ...]:
        """Lets those in a mask know cards where they lie. Tells who knows each of them now."""
        for card in cards:
            state.known[card] |= mask
        return tuple([state.known[c] for c in cards])

    def reorder(self, state: State, zone: int, order: Sequence[int]) -> None:
        """Puts a zone's cards in a new order: at place i lies what lay at `order[i]`. Nobody could follow it."""
        cards = state.zones[zone]
        state.zones[zone] = tuple([cards[i] for i in order])
        seen = self._seen[zone]
        for card in cards:
            state.known[card] = seen
        self._show_tops(state, (zone,))

    def gather(self, state: State, target: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """All cards of the game onto one zone, zone by zone; those that lie there stay below.

        Tells the cards that came, the zones they came from and who saw each.
        """
        cards = [c for z, pile in enumerate(state.zones) if z != target for c in pile]
        sources = tuple([state.where[c] for c in cards])
        masks = self.put(state, cards, target, positional=True) if cards else ()
        return tuple(cards), sources, masks

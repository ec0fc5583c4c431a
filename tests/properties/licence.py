"""What each seat may have seen, worked out anew from how zones are declared and what was moved, shown or mixed.

It is an upper bound and shares no code with `interpreter.moves`: whoever could look at a card may know it until the
zone in which it lies is shuffled or cut. Viewers are seats counted from 0; None is the public.
"""

from __future__ import annotations

import re

from dsl import ir
from interpreter import history
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.observe import observe
from interpreter.state import State

Viewer = int | None


class Licence:
    """Follows one playthrough; `may[c]` are those who may know card `c` where it lies now."""

    def __init__(self, machine: Machine, start: State) -> None:
        self.machine = machine
        self.viewers: tuple[Viewer, ...] = (*range(machine.game.num_players), None)
        self.narrator = Narrator(machine.layout)
        declared = {z.name: z for z in machine.game.zones}
        self.zones: list[tuple[ir.Zone, tuple[int, ...]]] = [
            (declared[cell.name], cell.indices) for cell in machine.layout.zone_cells
        ]
        home = next(i for i, (z, _) in enumerate(self.zones) if z.name == machine.game.home)
        pack = machine.words.cards.pack
        self.lies = dict.fromkeys(pack, home)
        self.may: dict[int, set[Viewer]] = {c: self.seers(home) for c in pack}
        if "top" in self.zones[home][0].shown:
            self.may[pack[-1]] |= set(self.viewers)
        self.told = 0
        self.follow(start)

    def seers(self, zone: int) -> set[Viewer]:
        declared, indices = self.zones[zone]
        if declared.seen == "everyone":
            return set(self.viewers)
        return {indices[0]} if declared.seen == "owner" else set()

    def follow(self, state: State) -> None:
        """Takes in what happened since, and looks at what everybody was told of it."""
        entries = history.entries(state)[self.told :]
        self.told += len(entries)
        licensed = {v: self._faces(v) for v in self.viewers}
        for entry in entries:
            self._take_in(entry)
            for viewer in self.viewers:
                licensed[viewer] |= self._faces(viewer)
        for entry in entries:
            for viewer in self.viewers:
                text = self.narrator.text(entry, viewer) or ""
                unlicensed = self._named(text) - licensed[viewer]
                assert not unlicensed, f"{viewer} is told of {unlicensed}: {text}"
        self._look(state)

    def _look(self, state: State) -> None:
        layout, cards = self.machine.layout, self.machine.words.cards
        for zone, pile in enumerate(state.zones):
            assert all(self.lies[c] == zone for c in pile), "the log does not say where all cards went"
        for viewer in self.viewers:
            bit = layout.viewer_bit(viewer)
            for card in cards.pack:
                assert not state.known[card] & bit or viewer in self.may[card], f"{viewer} knows card {card}: how?"
            seen = observe(self.machine, state, viewer, log_lines=0).to_json()
            for zone, name in enumerate(layout.zone_names):
                self._look_at_zone(state, viewer, zone, seen["zones"][name])
            rest = {k: v for k, v in seen.items() if k != "zones"}
            unlicensed = self._named(repr(rest)) - self._faces(viewer)
            assert not unlicensed, f"{viewer} sees {unlicensed} in {rest}"

    def _look_at_zone(self, state: State, viewer: Viewer, zone: int, seen: dict[str, object]) -> None:
        declared, pile, cards = self.zones[zone][0], state.zones[zone], self.machine.words.cards
        counted = declared.shown & {"count", "contents"} or viewer in self.seers(zone)
        assert seen["count"] == (len(pile) if counted else None)
        assert ("contents" in seen) == ("contents" in declared.shown)
        if counted:
            shown = seen["cards"]
            assert isinstance(shown, list) and len(shown) == len(pile)
            for card, name in zip(pile, shown, strict=True):
                assert name is None or (name == cards.name(card) and viewer in self.may[card])
                # What lies open is really seen.
                assert name is not None or viewer not in self.seers(zone)
        elif seen["cards"] is not None:
            assert isinstance(seen["cards"], list)
            assert set(seen["cards"]) <= {cards.name(c) for c in pile if viewer in self.may[c]}

    def _take_in(self, entry: history.Entry) -> None:
        match entry:
            case history.Moved(_, _, moved, _, target, _):
                sources = {self.lies[c] for c in moved}
                for card in moved:
                    self.lies[card] = target
                    self.may[card] |= self.seers(target)
                if len(moved) == 1 and any("contents" in self.zones[z][0].shown for z in (*sources, target)):
                    self.may[moved[0]] |= set(self.viewers)
                if moved and "top" in self.zones[target][0].shown:
                    self.may[moved[-1]] |= set(self.viewers)
            case history.Revealed(_, shown, _, to, _):
                for card in shown:
                    self.may[card] |= set(self.viewers) if to is None else {to}
            case history.Uncovered(_, card, zone):
                assert "top" in self.zones[zone][0].shown and self.lies[card] == zone
                self.may[card] |= set(self.viewers)
            case history.Shuffled(_, zone, _) | history.WasCut(_, zone, _):
                for card, place in self.lies.items():
                    if place == zone:
                        self.may[card] = self.seers(zone)
            case _:
                pass

    def _faces(self, viewer: Viewer) -> set[str]:
        return {self.machine.words.cards.name(c) for c, who in self.may.items() if viewer in who}

    def _named(self, text: str) -> set[str]:
        return set(re.findall(r"\w+", text)) & set(self.machine.words.cards.names)

"""The table as text: zones and state as one viewer sees them, in the order that the rule file's layout hints at."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import groupby
from typing import Any

from cli.cardtext import CardText
from dsl import ir, model
from interpreter.machine import Machine
from interpreter.observe import Observation, observe
from interpreter.state import State
from interpreter.values import plain

MANY = 14  # more cards than are listed, but in a hand or where everything is asked for
MANY_EMPTY = 5  # so many empty zones side by side share a line


class Table:
    """Draws the table of one game. A line is a label with its words; the caller wraps and indents them."""

    def __init__(self, machine: Machine, layout: model.Layout, text: CardText) -> None:
        self._machine, self._text = machine, text
        self.shapes = dict(layout.shapes)
        hinted = [name for row in layout.rows for name in row]
        declared = [zone.name for zone in machine.game.zones]
        self.zone_order = [*dict.fromkeys(hinted), *(name for name in declared if name not in hinted)]

    def lines(self, state: State, viewer: int | None, full: bool = False) -> list[tuple[str, str]]:
        """What a viewer sees, line by line; `full`: with what is empty, not set, or many cards."""
        seen = observe(self._machine, state, viewer, log_lines=0)
        found = self._shared(seen, full)
        for player in range(self._machine.game.num_players):
            found.extend(self._seat(seen, player, viewer, full))
        return found

    # ------------------------------------------------------------------------------------- shared by all

    def _shared(self, seen: Observation, full: bool) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        beside: set[str] = set()
        for name in self.zone_order:
            zone = self._machine.layout.declared_zones[name]
            if is_of_players(zone.dims):
                continue
            cells = self.cells(name, zone.dims)
            beside_each = any(variable.dims == zone.dims for variable in self._machine.game.state)
            alike = {} if full or beside_each or len(zone.dims) != 1 else self._empties(seen, name, cells)
            for place, (indices, label) in enumerate(cells):
                if place in alike:
                    if alike[place]:
                        found.append((f"{plain(name)} {alike[place]}", "-"))
                    continue
                where = f"{plain(name)} {label}".rstrip()
                pile = seen.zones[self._machine.layout.zone_names[self.zone_place(name, indices)]]
                words = self._pile(name, pile, full) or "-"
                for variable, value in self.variables_beside(seen, zone.dims, indices):
                    beside.add(variable)
                    shown = self.value(value)
                    words += f"   {plain(variable)} {shown}" if value is not None or full else ""
                found.append((where, words))
                if full and "contents" in pile:
                    found.append(("", f"contents: {self._listed(pile['contents'])}"))
        words = "; ".join(self.shared_state(seen, beside, full))
        return [*found, *((("", words),) if words else ())]

    def _empties(self, seen: Observation, name: str, cells: list[tuple[tuple[int, ...], str]]) -> dict[int, str]:
        """Zones of a family that lie empty side by side, if there are many: words for all at the first of them."""
        found: dict[int, str] = {}
        layout = self._machine.layout
        piles = [seen.zones[layout.zone_names[self.zone_place(name, indices)]] for indices, _ in cells]
        for is_empty, members in groupby(range(len(cells)), key=lambda place: piles[place]["count"] == 0):
            places = list(members)
            if is_empty and len(places) >= MANY_EMPTY:
                found |= dict.fromkeys(places, "")
                found[places[0]] = f"{cells[places[0]][1]} to {cells[places[-1]][1]}"
        return found

    def variables_beside(
        self, seen: Observation, dims: tuple[ir.Domain, ...], indices: tuple[int, ...]
    ) -> list[tuple[str, Any]]:
        """Variables with one value for each of the zones of a family: they are read beside their zone."""
        found = []
        layout = self._machine.layout
        for variable in self._machine.game.state:
            if dims and variable.dims == dims and is_told(variable):
                name = layout.var_names[layout.vars[variable.name].index(indices)]
                if name in seen.state:
                    found.append((variable.name, seen.state[name]))
        return found

    def shared_state(self, seen: Observation, beside: Container[str], full: bool = False) -> list[str]:
        """The variables of no seat that are to be seen, each in words, but for those that are read `beside` a zone."""
        parts = []
        for variable in self._machine.game.state:
            if not is_told(variable) or is_of_players(variable.dims) or variable.name in beside:
                continue
            values = self._values(seen, variable, ())
            if values is not None:
                parts.append(self._family(variable, values, full))
        return [part for part in parts if part]

    # -------------------------------------------------------------------------------------- by seat

    def _seat(self, seen: Observation, player: int, viewer: int | None, full: bool) -> list[tuple[str, str]]:
        zones: list[str] = []
        for name in self.zone_order:
            zone = self._machine.layout.declared_zones[name]
            if not is_of_players(zone.dims):
                continue
            piles = []
            for indices, label in self.cells(name, zone.dims, player):
                pile = seen.zones[self._machine.layout.zone_names[self.zone_place(name, indices)]]
                words = self._pile(name, pile, full)
                if words or (full and not label):
                    piles.append(f"{label} {words or '-'}".lstrip())
            if piles or full:
                separator = ": " if len(zone.dims) > 1 else " "
                zones.append(f"{plain(name)}{separator}{', '.join(piles) or '-'}")
        state = self.seat_state(seen, player, full)
        if not zones and not state:
            return []
        mark = ">" if player + 1 in seen.to_move and self._machine.game.num_players > 1 else " "
        you = " (you)" if player == viewer and self._machine.game.num_players > 1 else ""
        label = f"{mark}seat {player + 1}{you}"
        if player != viewer:
            return [(label, "; ".join([*zones, *state]))]
        # One's own cards are looked at most, so each zone has a line to itself.
        lines = [(label, "; ".join(state))] if state else []
        return [*lines, *(("" if lines or i else label, words) for i, words in enumerate(zones))]

    def seat_state(self, seen: Observation, player: int, full: bool = False) -> list[str]:
        """A seat's variables that are to be seen, each in words."""
        state = [
            self._family(variable, values, full)
            for variable in self._machine.game.state
            if is_told(variable) and is_of_players(variable.dims)
            and (values := self._values(seen, variable, (player,))) is not None
        ]  # fmt: skip
        return [words for words in state if words]

    def shape(self, name: str) -> str:
        """How a zone is drawn: as the file says; else a hand where only its owner sees it. Empty where nothing says."""
        return self.shapes.get(name) or ("hand" if self._machine.layout.declared_zones[name].seen == "owner" else "")

    # -------------------------------------------------------------------------------------- pieces

    def cells(
        self, name: str, dims: tuple[ir.Domain, ...], player: int | None = None
    ) -> list[tuple[tuple[int, ...], str]]:
        """The zones of a family (of one seat), each with the words for its indices other than the seat."""
        found = []
        for cell in self._machine.layout.zone_cells:
            if cell.name == name and (player is None or cell.indices[0] == player):
                skip = 0 if player is None else 1
                pairs = zip(cell.indices[skip:], dims[skip:], strict=True)
                found.append((cell.indices, ", ".join(self._machine.words.show(i, d) for i, d in pairs)))
        return found

    def zone_place(self, name: str, indices: tuple[int, ...]) -> int:
        return self._machine.layout.zones[name].index(indices)

    def _values(self, seen: Observation, variable: ir.StateVar, first: tuple[int, ...]) -> list[tuple[str, Any]] | None:
        """The values of a variable (of one seat), each with the words for its other indices; None where unseen."""
        layout, found = self._machine.layout, []
        for place, cell in enumerate(layout.var_cells):
            if cell.name != variable.name or cell.indices[: len(first)] != first:
                continue
            if layout.var_names[place] not in seen.state:
                return None
            rest = zip(cell.indices[len(first) :], variable.dims[len(first) :], strict=True)
            label = ", ".join(self._machine.words.show(i, d) for i, d in rest)
            found.append((label, seen.state[layout.var_names[place]]))
        return found

    def _family(self, variable: ir.StateVar, values: Sequence[tuple[str, Any]], full: bool) -> str:
        """A variable with its value or values in words."""
        name = plain(variable.name)
        if isinstance(variable.type, ir.BoolType):
            if len(values) == 1 and not values[0][0]:
                return name if values[0][1] and not full else f"{name} {self.value(values[0][1])}" if full else ""
            yes = [label for label, value in values if value]
            return f"{name}: {', '.join(yes) or 'none'} ({len(yes)} of {len(values)})"
        shown = [f"{label} {self.value(v)}".lstrip() for label, v in values if v is not None or full]
        return f"{name}{': ' if len(values) > 1 else ' '}{', '.join(shown)}" if shown else ""

    def value(self, value: Any) -> str:
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, list):
            return " ".join("?" if card is None else self._text.decorate(card) for card in value) or "none"
        return self._text.decorate(str(value))

    def _pile(self, name: str, pile: dict[str, Any], full: bool) -> str:
        """The cards of a zone in words; nothing where it is empty."""
        count, cards = pile["count"], pile["cards"] or []
        known = [card for card in cards if card is not None]
        shape = self.shape(name)
        if count is None:
            return "hidden" + (f", among them {self._listed(known)}" if known else "")
        if not count:
            return ""
        number = f"{count} card{'' if count == 1 else 's'}"
        if len(known) == count and (shape == "hand" or full or (count <= MANY and shape != "pile")):
            ordered = self._text.in_order(known) if shape == "hand" else known
            return self._text.decorate(" ".join(ordered))
        if shape != "hand" and cards and cards[-1] is not None and (len(known) == 1 or not full):
            return f"{number}, on top {self._listed(cards[-1:])}"
        return number + (f", among them {self._listed(known)}" if known and len(known) <= MANY else "")

    def _listed(self, names: Sequence[str]) -> str:
        return self._text.decorate(" ".join(self._text.in_order(names)))


def is_told(variable: ir.StateVar) -> bool:
    """Whether a table shows a variable: not a rule's own, and not mere bookkeeping."""
    return not variable.local and variable.told != "nowhere"


def is_of_players(dims: tuple[ir.Domain, ...]) -> bool:
    return bool(dims) and isinstance(dims[0], ir.PlayerType)

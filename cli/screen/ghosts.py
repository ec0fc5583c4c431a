"""The cards of the last trick: they have been taken away, and are shown for a while where they lay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsl import model
from interpreter import history
from interpreter.machine import Machine
from interpreter.state import State

_BACK = 60  # so many entries are looked at


def last_trick(
    machine: Machine, state: State, layout: model.Layout, viewer: int | None
) -> Mapping[int, Sequence[str | None]]:
    """Of each place of a trick the cards that left it last, as far as the viewer saw them.

    Nothing while cards lie in any of them.
    """
    names = {name for name, shape in layout.shapes if shape == "trick"}
    zones = {zone for zone, cell in enumerate(machine.layout.zone_cells) if cell.name in names}
    if not zones or any(state.zones[zone] for zone in zones):
        return {}
    bit = machine.layout.viewer_bit(viewer)
    found: dict[int, list[str | None]] = {}
    for entry in reversed(history.entries(state, _BACK)):
        if not isinstance(entry, history.Moved):
            continue
        if entry.target in zones or entry.how == "gather":
            break
        for card, source, mask in zip(entry.cards, entry.sources, entry.masks, strict=False):
            if source in zones:
                found.setdefault(source, []).append(machine.words.cards.name(card) if mask & bit else None)
    return {zone: [name for name in cards if name] for zone, cards in found.items()}

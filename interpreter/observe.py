"""What is seen now, and what a player knows from all they have seen and done.

Both are made from zones, reveals and the entries of the history alone: a hidden card is never read here without
asking first who knows it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dsl import ir
from interpreter import history
from interpreter.narrate import Narrator
from interpreter.state import State
from interpreter.values import UNSET, as_cards

if TYPE_CHECKING:
    from interpreter.machine import Machine

LOG_LINES = 12


@dataclass(frozen=True, slots=True)
class Observation:
    """What one viewer sees now.

    `zones`: of each zone its `count` (None where it is hidden), its `cards` from the bottom up with None for each
    that the viewer does not know (None where the count is hidden and no card is known), and `contents` where they
    are shown: which cards, not their order. `chosen`: who has made a simultaneous choice; `choice` the viewer's own.
    Seats count from 1.
    """

    viewer: int | None
    zones: dict[str, dict[str, Any]]
    state: dict[str, Any]
    decision: str | None
    to_move: tuple[int, ...]
    chosen: tuple[int, ...]
    choice: str | None
    clock_ms: int | None
    reason: str | None
    log: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data, always in the same order."""
        return {
            "viewer": self.viewer, "zones": self.zones, "state": self.state, "decision": self.decision,
            "to_move": list(self.to_move), "chosen": list(self.chosen), "choice": self.choice,
            "clock_ms": self.clock_ms, "reason": self.reason, "log": list(self.log),
        }  # fmt: skip


def observe(machine: Machine, state: State, viewer: int | None, log_lines: int = LOG_LINES) -> Observation:
    """What a viewer sees now: a seat, or None for the public."""
    decision = machine.decision(state)
    lines = Narrator(machine.layout).log(state, viewer, log_lines) if log_lines else []
    own = next((p for p in state.pending if p.player == viewer), None)
    return Observation(
        viewer=None if viewer is None else viewer + 1,
        zones={
            name: _zone(machine, state, zone, machine.layout.viewer_bit(viewer))
            for zone, name in enumerate(machine.layout.zone_names)
        },
        state={
            name: _variable(machine, state, cell, machine.layout.viewer_bit(viewer))
            for cell, name in enumerate(machine.layout.var_names)
            if is_visible(machine, cell, viewer)
        },
        decision=None if decision is None else decision.name,
        to_move=tuple(p + 1 for p in machine.to_move(state)),
        chosen=tuple(p.player + 1 for p in state.pending),
        choice=None if own is None else machine.name_of(own.choice, state),
        clock_ms=state.clock_ms if machine.game.clock is not None else None,
        reason=state.reason,
        log=tuple(line.text for line in lines),
    )


def information_state(machine: Machine, state: State, player: int) -> tuple[str, ...]:
    """Everything a player has seen and done so far, and what they see now: equal where they cannot tell two apart.

    The state must have kept its history.
    """
    narrator = Narrator(machine.layout)
    texts = (narrator.text(entry, player) for entry in history.entries(state))
    now = json.dumps(observe(machine, state, player, log_lines=0).to_json(), sort_keys=True)
    return (*(text for text in texts if text is not None), now)


def is_visible(machine: Machine, cell: int, viewer: int | None) -> bool:
    """Whether a viewer sees a variable of the game. Nobody is shown a rule's own variables."""
    declared = machine.layout.cell_vars[cell]
    if declared.local:
        return False
    if declared.seen == "owner":
        return viewer is not None and machine.layout.var_cells[cell].indices[:1] == (viewer,)
    return declared.seen == "everyone"


def _zone(machine: Machine, state: State, zone: int, bit: int) -> dict[str, Any]:
    layout, cards, pile = machine.layout, machine.words.cards, state.zones[zone]
    known = [cards.name(c) if state.known[c] & bit else None for c in pile]
    seen: dict[str, Any] = {"count": None, "cards": None}
    if layout.zone_counted[zone] & bit:
        seen = {"count": len(pile), "cards": known}
    elif any(known):
        # How many lie below or between stays hidden, so only the known ones are told.
        seen["cards"] = [name for name in known if name is not None]
    if layout.zone_contents[zone]:
        seen["contents"] = [cards.name(c) for c in sorted(pile, key=lambda c: cards.look[c])]
    return seen


def _variable(machine: Machine, state: State, cell: int, bit: int) -> Any:
    value, type_ = state.vars[cell], machine.layout.cell_vars[cell].type
    if value is UNSET or value is None or isinstance(value, bool):
        return None if value is UNSET else value
    of = type_.of if isinstance(type_, ir.OptionalType) else type_
    if isinstance(of, ir.CardType | ir.CardsType):
        names = [machine.words.cards.name(c) if state.known[c] & bit else None for c in as_cards(value)]
        return names[0] if isinstance(of, ir.CardType) else names
    if isinstance(of, ir.IntType | ir.FractionType) and not isinstance(value, Fraction):
        return value
    return machine.words.show(value, type_)

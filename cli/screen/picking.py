"""What is picked and typed at one decision, and which move is meant by it."""

from __future__ import annotations

from cli.menu import Move
from cli.screen import refusals
from cli.screen.targets import Choosing, Target, normal
from cli.sitting import Turn
from cli.typed import Refused
from interpreter.machine import Machine


class Picking:
    """The picks of one decision, which is what somebody is asked at their `turn`.

    `picks` are the things on the table that were picked, `chosen` is the number of the move that Enter plays. `line` is
    always what has been typed so far.
    """

    def __init__(self, machine: Machine, turn: Turn) -> None:
        self._machine, self.turn = machine, turn
        self._choosing = Choosing(machine, turn)
        self._group: str | None = None
        self.picks: tuple[Target, ...] = ()
        self.chosen: int | None = None

    @property
    def lit(self) -> frozenset[Target]:
        """What may be picked next."""
        return self._choosing.still_lit(self.picks)

    def fitting(self, line: str) -> list[Move]:
        """The moves that fit what was picked and typed so far."""
        found = self._choosing.fitting(self.picks)
        if self._group is not None:
            found = [move for move in found if move.group == self._group]
        if not line:
            return found
        named = self.turn.menu.named(line)
        wanted = {m.number for m in ([named] if isinstance(named, Move) else named)}
        return [move for move in found if move.number in wanted] or found

    def rechoose(self, line: str) -> None:
        """Looks again which move Enter would play, after something was picked or typed."""
        exact, found = self._choosing.exact(self.picks), self.fitting(line)
        only = found[:1] if (line or self.picks or self._group) and len(found) == 1 else []
        candidates = [move for move in exact if move in found] or only
        self.chosen = candidates[0].number if candidates else None

    def clear(self) -> None:
        """Forgets what was picked."""
        self.picks, self._group, self.chosen = (), None, None

    def narrow(self, group: str) -> None:
        """Only moves of a group are meant from now on."""
        self._group = group

    def pick(self, target: Target) -> Move | Refused | None:
        """Picks a thing or puts it back: the move that this completes, why it has no part in any, or None."""
        choosing = self._choosing
        lit = self.lit
        wanted = normal(target, lit | set(self.picks))
        if wanted in self.picks:
            exact = choosing.exact(self.picks)
            if exact and not choosing.is_gathering(self.picks):
                return exact[0]
            self.picks = tuple(pick for pick in self.picks if pick != wanted)
        elif wanted in lit and choosing.fitting((*self.picks, wanted)):
            self.picks = (*self.picks, wanted)
            exact, fitting = choosing.exact(self.picks), choosing.fitting(self.picks)
            if len(fitting) == 1 and exact == fitting:
                return exact[0]
        elif normal(target, choosing.lit) in choosing.lit:
            self.picks = (normal(target, choosing.lit),)
        else:
            return Refused(refusals.why(self._machine, self.turn, wanted, self.picks))
        return None

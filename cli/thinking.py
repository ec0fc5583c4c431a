"""The clock while a person thinks: it runs in real time, strikes when it should, and may end the turn."""

from __future__ import annotations

import time

from cli import news
from interpreter import history
from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.state import State


class Thinking:
    """One decision of a person, from the moment it is shown to them.

    The state itself does not change while they think: the rules let time pass together with the choice. What an
    event on the clock brings is found by trying any choice that late, and is told when its time has come. `spent_ms`
    is the time that choices taken back have used up.
    """

    def __init__(
        self, machine: Machine, state: State, player: int, any_choice: Choice, spent_ms: int = 0
    ) -> None:  # fmt: skip
        self._machine, self._state, self._player, self._any = machine, state, player, any_choice
        self._spent = spent_ms / 1000
        self.begin()
        self._struck = state.fired
        self.entries_told = 0
        """How much of what will be in the history has been told already."""

    def begin(self) -> None:
        """Lets their time run from now on: they see what they are asked."""
        self._began = time.monotonic() - self._spent

    @property
    def elapsed_ms(self) -> int:
        """How long they have thought; nothing where the game has no clock."""
        return 0 if self._machine.game.clock is None else int((time.monotonic() - self._began) * 1000)

    @property
    def time_left(self) -> str:
        """What the clock shows; nothing where the game has none."""
        return "" if self._machine.game.clock is None else clock_time(self._state.clock_ms - self.elapsed_ms)

    @property
    def seconds_to_event(self) -> float | None:
        """How long until the clock strikes next: not above 0 where it should have; None where it does not."""
        clock = self._machine.game.clock
        if clock is None or self._struck >= len(clock.events):
            return None
        return (self._state.clock_ms - clock.events[self._struck].at) / 1000 - (time.monotonic() - self._began)

    def strike(self) -> list[news.Told] | None:
        """What the next event on the clock brings; None where it takes the decision away."""
        clock = self._machine.game.clock
        assert clock is not None
        late = max(self._state.clock_ms - clock.events[self._struck].at, 0)
        after = self._machine.apply(self._state, self._player, self._any, late)
        new = history.entries(after, news.length(after) - news.length(self._state))
        before_choice = next((i for i, entry in enumerate(new) if isinstance(entry, history.Chose)), None)
        if before_choice is None:
            return None
        lines = list(news.told(self._machine, after, self._player, news.length(self._state) + self.entries_told))
        self.entries_told = before_choice
        self._struck = max(after.fired, self._struck + 1)
        # The lines of the choice that was only tried come after those of the events.
        return lines[: _lines_before_choice(lines)]


def clock_time(milliseconds: int) -> str:
    """Time left on a clock, as clocks show it: "3:42", and "0:09.5" when it runs short."""
    milliseconds = max(milliseconds, 0)
    minutes, rest = divmod(milliseconds, 60_000)
    if milliseconds < 10_000:
        return f"{minutes}:{rest // 1000:02d}.{rest % 1000 // 100}"
    return f"{minutes}:{rest // 1000:02d}"


def _lines_before_choice(lines: list[news.Told]) -> int:
    return next((i for i, line in enumerate(lines) if line.style == "bold"), len(lines))

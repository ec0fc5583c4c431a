"""The clock while a person thinks: it runs in real time, strikes when it should, and may end the turn."""

from __future__ import annotations

import time

from cli import news
from cli.terminal import Terminal, clock_time
from interpreter import history
from interpreter.actions import Choice
from interpreter.machine import Machine
from interpreter.state import State


class Thinking:
    """One decision of a person, from the moment they are asked.

    The state itself does not change while they think: the rules let time pass together with the choice. What an
    event on the clock brings is found by trying any choice that late, and is told when its time has come.
    """

    def __init__(self, machine: Machine, state: State, player: int, any_choice: Choice, terminal: Terminal) -> None:
        self._machine, self._state, self._player, self._any = machine, state, player, any_choice
        self._terminal = terminal
        self._began = time.monotonic()
        self._struck = state.fired
        self.entries_told = 0
        """How much of what will be in the history has been told already."""

    @property
    def elapsed_ms(self) -> int:
        """How long they have thought; nothing where the game has no clock."""
        return 0 if self._machine.game.clock is None else int((time.monotonic() - self._began) * 1000)

    @property
    def time_left(self) -> str:
        """What the clock shows, in front of a prompt."""
        if self._machine.game.clock is None:
            return ""
        return f"[{clock_time(self._state.clock_ms - self.elapsed_ms)} left] "

    def ask(self, prompt: str) -> str | None:
        """A line that was typed; None where the clock has taken the decision away. Raises `EndOfInput`."""
        while True:
            seconds = self._seconds_to_event()
            if seconds is not None and seconds <= 0:
                if self._strike():
                    return None
                continue
            line = self._terminal.ask(self.time_left + prompt, seconds)
            if line is not None:
                return line

    def _seconds_to_event(self) -> float | None:
        clock = self._machine.game.clock
        if clock is None or self._struck >= len(clock.events):
            return None
        return (self._state.clock_ms - clock.events[self._struck].at) / 1000 - (time.monotonic() - self._began)

    def _strike(self) -> bool:
        """Tells the next event on the clock; whether it takes the decision away."""
        clock = self._machine.game.clock
        assert clock is not None
        late = max(self._state.clock_ms - clock.events[self._struck].at, 0)
        after = self._machine.apply(self._state, self._player, self._any, late)
        new = history.entries(after, news.length(after) - news.length(self._state))
        before_choice = next((i for i, entry in enumerate(new) if isinstance(entry, history.Chose)), None)
        if before_choice is None:
            return True
        lines = list(news.told(self._machine, after, self._player, news.length(self._state)))
        # The lines of the choice that was only tried come after those of the events.
        for style, line in lines[: _lines_before_choice(lines)]:
            self._terminal.say(line, style)
        self.entries_told = before_choice
        self._struck = max(after.fired, self._struck + 1)
        return False


def _lines_before_choice(lines: list[tuple[str, str]]) -> int:
    return next((i for i, (style, _) in enumerate(lines) if style == "bold"), len(lines))

"""How long may be learned what always holds in a game: it has time of its own, since all questions of the game gain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from verify.wanted import INDUCTION, RANKING, SPACER, WEIGHTS

LEARNED: Final = frozenset({INDUCTION, SPACER, RANKING, WEIGHTS})
"""Engines that rest on what is learned of the whole game."""


@dataclass(slots=True)
class Lessons:
    """The time for learning, for one process.

    `seconds` are for learning, `question` for the question that it is learned for; `tell` tells whoever waits for an
    answer that something begins which may take so many seconds. `too_hard` is that about as many have shown not to
    do; `gave_up` after how many seconds learning ran out of time, 0 where it did not.
    `comes_first` is that a proof is to rest on what is learned, where it can; `hint` which engines answered for few
    players, and what they said.
    """

    seconds: float = 0.0
    question: float = 0.0
    too_hard: bool = False
    gave_up: float = 0.0
    comes_first: bool = False
    hint: str = ""
    tell: Callable[[float], None] = lambda seconds: None

    def hints_at(self, *engines: str) -> bool:
        """Whether one of them answered the question for few players."""
        return not engines_of(self.hint).isdisjoint(engines)

    @contextmanager
    def learning(self, least: float, most: float = math.inf) -> Iterator[float]:
        """Within, it is learned, for the seconds that are told. The time of the question stands still meanwhile."""
        allowed = max(least, min(self.seconds, most))
        if allowed > least:
            self.tell(allowed)
        try:
            yield allowed
        finally:
            if allowed > least:
                self.tell(self.question)


def hint_of(engine: str, because: str) -> str:
    """What is told of an answer for few players to whoever asks the same of more."""
    return f"{engine}: {because}"


def engines_of(hint: str) -> set[str]:
    """The engines that answered for few players."""
    return set(hint.partition(":")[0].split(", "))


OURS: Final = Lessons()

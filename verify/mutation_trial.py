"""What becomes of one mutant: what notices it, the cheapest first."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from dsl import load as loading
from dsl import reader
from dsl.diagnostics import Reporter
from dsl.load import Loaded
from dsl.lower import lower
from dsl.model import Model
from dsl.yamltree import Mapping
from interpreter.examples import run_each
from interpreter.machine import Machine
from interpreter.simulate import play_out
from interpreter.values import Fault
from verify.certificates import sum_of_rules

CPU_SECONDS: Final = 10  # so long one mutant may work before it is said not to end
_GAMES: Final = 3  # played at random, for the fewest and for the most players
_DECISIONS: Final = 120  # of each of them


class Fate(Enum):
    """What became of a mutant: what caught it, or why nothing did."""

    TYPES = "types"  # what `hoyle check` finds
    EXAMPLES = "examples"
    FREE = "free"  # a fault in random play, or a free check
    CLAIMS = "claims"
    ENDLESS = "endless"  # its examples or its play do not end
    EQUIVALENT = "equivalent"  # it means the same
    SURVIVED = "survived"
    UNTRIED = "untried"


CAUGHT: Final = (Fate.TYPES, Fate.EXAMPLES, Fate.FREE, Fate.CLAIMS, Fate.ENDLESS)


@dataclass(frozen=True, slots=True)
class Finding:
    """The fate of a mutant, and what was said of it."""

    fate: Fate
    because: str = ""


SURVIVED: Final = Finding(Fate.SURVIVED)


@dataclass(frozen=True, slots=True)
class Subject:
    """The file that mutants are made of: its path, what it is called, and where games are found by name.

    `players` is the number to play with, or None for the fewest and the most.
    """

    path: Path
    shown: str
    games: Path
    players: int | None = None

    def load(self, text: str | None = None, desk: Desk | None = None) -> Loaded | Reporter:
        """The file, or `text` as if it stood there. The other files that it needs may lie on a desk already."""
        others = desk or Desk()

        def read(path: Path, shown: str, reporter: Reporter) -> Mapping | None:
            if text is not None and path == self.path:
                return reader.read_text(shown, text, reporter)
            return others.read(path, shown, reporter)

        return loading.load(self.path, self.shown, self.games, read)


class Desk:
    """Files that were read before, with what was said of them: they do not change while mutants are tried."""

    def __init__(self) -> None:
        self._read: dict[tuple[Path, str], tuple[Mapping | None, Reporter]] = {}

    def read(self, path: Path, shown: str, reporter: Reporter) -> Mapping | None:
        """The tree of a file, as `dsl.reader.read_file` has it."""
        if (path, shown) not in self._read:
            own = Reporter()
            self._read[path, shown] = (reader.read_file(path, shown, own), own)
        tree, own = self._read[path, shown]
        reporter.include(own)
        return tree


class Overlong(BaseException):
    """A mutant has used up its time."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises `Overlong` within, once the process has worked so long; nothing where there is no such clock."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise Overlong

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Trial:
    """Tries mutants of one file. What the file itself comes to is found out once."""

    def __init__(self, subject: Subject) -> None:
        self._subject, self._desk = subject, Desk()
        loaded = subject.load(desk=self._desk)
        self._own = {} if isinstance(loaded, Reporter) else _sums(loaded)

    def tried(self, text: str) -> Finding:
        """What notices the mutant without asking the prover."""
        try:
            with limited(CPU_SECONDS):
                return self._tried(text)
        except Overlong:
            return Finding(Fate.ENDLESS, f"it still goes on after {CPU_SECONDS} s")
        except RecursionError:
            return Finding(Fate.TYPES, "S204: it is nested too deeply")
        except Exception as error:  # one mutant that breaks hoyle must not take the answers for all others along
            words = f"{type(error).__name__}: {error}".splitlines()[0]
            return Finding(Fate.UNTRIED, f"hoyle itself failed ({words})")

    def _tried(self, text: str) -> Finding:
        loaded = self._subject.load(text, self._desk)
        if isinstance(loaded, Reporter):
            return _refused(loaded)
        made = loaded.model()
        if made is None:
            return _refused(loaded.reporter)
        if self._own and self._own[()] == sum_of_rules(made) and self._own == _sums(loaded):
            return Finding(Fate.EQUIVALENT, "it comes to the same game")
        return self._checked(loaded, made)

    def _checked(self, loaded: Loaded, made: Model) -> Finding:
        """What of it is wrong with other readings comes after the examples: it takes longer to find."""
        failed = failing_example(loaded, made)
        if failed:
            return Finding(Fate.EXAMPLES, failed)
        if loaded.reporter.has_errors or loading.check_loaded(loaded) is None:
            return _refused(loaded.reporter)
        fault = fault_in_play(made, self._subject.players)
        return Finding(Fate.FREE, fault) if fault else SURVIVED


def _sums(loaded: Loaded) -> dict[tuple[str, ...], str]:
    """A sum of the rules at the default readings and with each other reading."""
    found: dict[tuple[str, ...], str] = {}
    options = [o for o in loaded.option_table if o.pinned is None]
    readings: list[tuple[str, ...]] = [(o.name, name) for o in options for name in o.names if name != o.default]
    for reading in ((), *readings):
        made = loaded.model({reading[0]: reading[1]} if reading else {})
        if made is not None:
            found[reading] = sum_of_rules(made)
    return found


def _refused(reporter: Reporter) -> Finding:
    first = next(d for d in reporter.diagnostics if d.severity == "error")
    return Finding(Fate.TYPES, f"{first.code}: {first.message}")


def failing_example(loaded: Loaded, made: Model) -> str:
    """The first example that fails, with what it says; empty where all pass."""
    for verdict in run_each(made, loaded.model, made.examples, loaded.reporter):
        if not verdict.ok:
            return f"{verdict.title}: {verdict.got}"
    return ""


def fault_in_play(made: Model, players: int | None) -> str:
    """The first fault in some games played at random, always the same ones; empty where there is none."""
    for n in sorted(set(made.players)) if players is None else (players,):
        try:
            machine = Machine(lower(made, n))
            think = machine.game.clock.think if machine.game.clock is not None else None
            for index in range(_GAMES):
                play_out(machine, f"0/{index}", _DECISIONS, think)
        except Fault as fault:
            return f"random play: {fault.message}"
    return ""


# ------------------------------------------------------------------------------------- in other processes

_of_this_process: list[Trial] = []


def begin(subject: Subject) -> None:
    """Makes a process ready to try mutants."""
    _of_this_process[:] = [Trial(subject)]


def attempt(job: tuple[int, str]) -> tuple[int, Finding]:
    """The text of a mutant tried, for who has numbered them."""
    return job[0], _of_this_process[0].tried(job[1])

"""Every mutant of a rule file tried: first what is cheap, side by side, then the prover for those that are left."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from dsl.diagnostics import Reporter
from dsl.load import Loaded
from dsl.model import Model
from verify import mutation_trial
from verify.crew import ENGINES, context
from verify.mutants import Mutant, mutants
from verify.mutation_same import means_the_same
from verify.mutation_trial import SURVIVED, Fate, Finding, Subject, Trial, attempt, begin
from verify.outcome import Outcome
from verify.questions import FREE, NotAsked, Wrong
from verify.report import Standing, expected_text, plain_verdict, standing
from verify.run import prove

BUDGET: Final = 600.0
_FOR_ONE: Final = 20.0  # seconds of the prover for one mutant and number of players, at the most

Progress = Callable[[int, int, str], None]
"""Is told how many of how many are tried, and by what."""


class Unfit(Exception):
    """The file cannot be tested so: what it says itself is not kept. The message is one line."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant and what became of it."""

    mutant: Mutant
    finding: Finding


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which mutants are tried: those of some operators (of all where there are none), or a sample of so many."""

    operators: tuple[str, ...] = ()
    sample: int | None = None
    seed: str = "0"

    def of(self, found: Sequence[Mutant]) -> list[Mutant]:
        """The wanted ones, in the order of the file."""
        places = [i for i, m in enumerate(found) if not self.operators or m.operator in self.operators]
        if self.sample is not None and self.sample < len(places):
            places = sorted(random.Random(f"mutants/{self.seed}").sample(places, self.sample))
        return [found[i] for i in places]


def mutate(
    subject: Subject, wanted: Wanted, budget: float = BUDGET, jobs: int | None = None, asks: bool = True,
    progress: Progress | None = None,
) -> list[Tried]:  # fmt: skip
    """What becomes of each wanted mutant, in the order of the file.

    `budget` seconds in all, `jobs` processes, `asks` whether the prover is asked about what nothing else notices.
    What is not reached in time is `UNTRIED`.

    Raises:
        Unfit: The file is wrong, or an example or a play of it fails already.
    """
    deadline = time.monotonic() + budget
    size = jobs or os.cpu_count() or 1
    told = progress or (lambda done, total, what: None)
    loaded = _fit(subject)
    made = loaded.model()
    assert made is not None
    chosen = wanted.of(mutants(loaded, made))
    tried = [Tried(m, Finding(Fate.UNTRIED, "there was no time")) for m in chosen]
    for done, (place, finding) in enumerate(_cheaply(subject, chosen, size, deadline), start=1):
        tried[place] = Tried(chosen[place], finding)
        told(done, len(chosen), "examples")
    if asks:
        prover = _Prover(subject, loaded, made, size)
        left = [i for i, t in enumerate(tried) if t.finding.fate is Fate.SURVIVED]
        for done, i in enumerate(left):
            told(done, len(left), "prover")
            tried[i] = Tried(chosen[i], prover.asked(chosen[i], (deadline - time.monotonic()) / (len(left) - done)))
    return tried


def _fit(subject: Subject) -> Loaded:
    """The file as it is, which keeps its own examples."""
    loaded = subject.load()
    made = None if isinstance(loaded, Reporter) else loaded.model()
    if isinstance(loaded, Reporter) or made is None:
        raise Unfit(f"{subject.shown} is wrong: `hoyle check` says how")
    failed = mutation_trial.failing_example(loaded, made)
    if failed:
        raise Unfit(f"an example of {made.name} fails ({failed}): mend it first")
    fault = mutation_trial.fault_in_play(made, subject.players)
    if fault:
        raise Unfit(f"the rules of {made.name} fail ({fault}): mend them first")
    return loaded


# -------------------------------------------------------------------------------- types, examples, play


def _cheaply(subject: Subject, chosen: Sequence[Mutant], size: int, deadline: float) -> Iterator[tuple[int, Finding]]:
    """What becomes of each without the prover, as it comes in, until the deadline."""
    jobs = [(i, m.text) for i, m in enumerate(chosen)]
    if size == 1 or len(jobs) < 2:
        trial = Trial(subject)
        for i, text in jobs:
            if time.monotonic() >= deadline:
                return
            yield i, trial.tried(text)
        return
    with context(*ENGINES).Pool(size, begin, (subject,)) as pool:  # leaving it ends its processes
        results = pool.imap_unordered(attempt, jobs)
        for _ in jobs:
            try:
                yield results.next(max(deadline - time.monotonic(), 0))
            except multiprocessing.TimeoutError:
                return


# ------------------------------------------------------------------------------------------- the prover


class _Caught(Exception):
    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class _Prover:
    """Asks the free checks and claims of a game about its mutants.

    A mutant is caught by what is refuted of it, or proved where it should not be, and is as expected of the game as
    it stands. What only became harder to prove shows nothing.
    """

    def __init__(self, subject: Subject, loaded: Loaded, made: Model, size: int) -> None:
        self._subject, self._loaded, self._size = subject, loaded, size
        self._numbers = sorted(set(made.players)) if subject.players is None else [subject.players]
        self._stands: dict[tuple[str, int], bool] = {}

    def asked(self, mutant: Mutant, seconds: float) -> Finding:
        """What the prover says of a mutant within so many seconds."""
        if seconds <= 0:
            return Finding(Fate.UNTRIED, "there was no time for the prover")
        if means_the_same(mutant, self._loaded, seconds / 2):
            return Finding(Fate.EQUIVALENT, "proved: it always has the same value")
        loaded = self._subject.load(mutant.text)
        assert isinstance(loaded, Loaded)
        for n in self._numbers:
            share = min(seconds / len(self._numbers), _FOR_ONE)
            caught = self._caught(loaded, n, share)
            if caught is not None:
                fate = Fate.FREE if caught.kind == FREE else Fate.CLAIMS
                because = f"{caught.name}: {plain_verdict(caught.by_players[n].verdict)} with {n} players"
                return Finding(fate, f"{because}, expected {expected_text(caught)}")
        return SURVIVED

    def _caught(self, loaded: Loaded, n: int, seconds: float) -> Outcome | None:
        def look(outcomes: list[Outcome], waiting: int) -> None:
            for outcome in outcomes:
                if standing(outcome) is Standing.WRONG and self._is_kept(outcome.name, n, seconds):
                    raise _Caught(outcome)

        try:
            prove(loaded, (), n, budget=seconds, progress=look, workers=self._size)
        except _Caught as caught:
            return caught.outcome
        except (NotAsked, Wrong):
            return None
        return None

    def _is_kept(self, name: str, n: int, seconds: float) -> bool:
        """Whether the game as it stands does not fail this itself."""
        if (name, n) not in self._stands:
            found = prove(self._loaded, (name,), n, budget=seconds, workers=self._size)
            self._stands[name, n] = all(standing(o) is not Standing.WRONG for o in found)
        return self._stands[name, n]

"""What goes on in a worker process: questions come in by a pipe, one at a time, and answers go back."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeAlias

from dsl import ir, model
from dsl.load import Loaded
from dsl.lower import lower
from interpreter.actions import InvalidChoice
from interpreter.machine import Machine
from interpreter.play import replayed
from interpreter.trace import Trace
from interpreter.values import Fault
from verify.lessons import LEARNED, OURS, engines_of
from verify.outcome import EVERY, Answer, Verdict
from verify.wanted import NOT_WRITTEN, Wanted, can_certify, rests_on_counts

BEGUN = "begun"  # with the seconds that what has begun may take
SO_FAR = "so far"  # with an answer, which stands whatever comes of the rest
GAVE_UP = "gave up"  # learning, after so many seconds
_REPLAYED = -1
_SELDOM = 100_000, 50, 50  # the terms of a proof are many, and hardly any go round in circles
_TO_SHORTEN = 0.3  # of the seconds given, and at most so many
_MOST_TO_SHORTEN = 2.0
_MOST_FOR_VALUES = 0.3  # where plays only show values, whose proof is made
_MOST_FOR_MORE = 0.1  # where fewer players show it, too


@dataclass(frozen=True, slots=True)
class Job:
    """One question for one number of players, or for every one. `source` says which model; `known` is to be replayed.

    `claim` None is the free check of that name; `certificate` says where to write what a proof rests on; `hint` which
    engines answered for few players, and what they said; `weight` how many even shares of the time it is to have. Jobs
    of one `group` share work if one process does them all: what always holds in a game is learned once.
    """

    name: str
    source: int
    claim: ir.Property | None
    num_players: int
    known: Answer | None = None
    certificate: Wanted | None = None
    hint: str = ""
    weight: float = 1.0

    @property
    def group(self) -> tuple[int, int]:
        # What is only to be replayed leaves nothing behind that others would have to share, or be kept from.
        return self.source, _REPLAYED if self.known is not None else self.num_players

    @property
    def rests_on_lessons(self) -> bool:
        """Whether few players were answered by what is learned of the whole game."""
        return not LEARNED.isdisjoint(engines_of(self.hint))


@dataclass(frozen=True, slots=True)
class Source:
    """The model that some questions are about, and the file that it comes from."""

    model: model.Model
    loaded: Loaded | None = None


Message: TypeAlias = tuple[Job, bytes | None, float, float, bool]
"""A job, its model where this worker has not seen it yet, the seconds that it and learning are given, and whether these
are known to be too few for learning.
"""


def serve(connection: Connection) -> None:
    """Answers until the pipe is closed. Ctrl-C is for the process that asks, which then ends this one."""
    if hasattr(os, "setsid"):
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    sources: dict[int, Source] = {}
    with contextlib.suppress(EOFError, OSError):
        while True:
            job, sent, seconds, to_learn, too_hard = connection.recv()
            connection.send((BEGUN, seconds))
            OURS.seconds, OURS.question, OURS.too_hard, OURS.gave_up = to_learn, seconds, too_hard, 0.0
            OURS.comes_first, OURS.hint = job.certificate is not None, job.hint
            OURS.tell = lambda s: connection.send((BEGUN, s))
            if sent is not None:
                sources[job.source] = pickle.loads(sent)
            found = _carefully(job, sources[job.source], seconds)
            if OURS.gave_up:
                connection.send((GAVE_UP, OURS.gave_up))
            if job.certificate is not None and can_certify(job.name, job.claim, found):
                connection.send((SO_FAR, found))
                connection.send((BEGUN, max(seconds, to_learn)))
                found = _certified(job, job.certificate, sources[job.source], found, max(seconds, to_learn))
            connection.send(found)


def _carefully(job: Job, source: Source, seconds: float) -> Answer:
    began = time.monotonic()
    try:
        return answer(job, source, seconds)
    except (Exception, RecursionError) as error:
        words = f"{type(error).__name__}: {error}".splitlines()[0]
        because = f"hoyle itself failed ({words})"
        return Answer(Verdict.UNKNOWN, "none", seconds=time.monotonic() - began, because=because)


def _certified(job: Job, wanted: Wanted, source: Source, found: Answer, seconds: float) -> Answer:
    """The answer with the certificate that was written of it, or with the reason why none was."""
    try:
        path = _written(job, wanted, source.model, found.engine.split(", "), seconds)
        return replace(found, certificate=str(path))
    except OSError as error:
        because = f"{NOT_WRITTEN}: {error.strerror or error}"
    except Exception as error:
        because = f"{NOT_WRITTEN}: {error}"
    return replace(found, because="; ".join(x for x in (found.because, because) if x))


def _written(job: Job, wanted: Wanted, source: model.Model, engines: list[str], seconds: float) -> Path:
    """Writes a certificate; the folder that has it."""
    if rests_on_counts(job.claim, engines):
        from verify import evidence_counts

        return evidence_counts.certified(wanted, job.name, job.claim, source, job.num_players, seconds)
    from verify import evidence

    return evidence.certified(wanted, job.name, job.claim, source, job.num_players, seconds, engines)


def answer(job: Job, source: Source, seconds: float) -> Answer:
    """The answer to a job: the known one where it replays, else one that is looked for."""
    if job.known is not None and _stands(job, source, job.known):
        return job.known
    if job.claim is None:
        return _free(job, source, seconds)
    if job.num_players == EVERY:
        from verify import atonce

        return atonce.answer(job.claim, source.model, seconds, job.hint)
    from verify import claims, shorten

    began = time.monotonic()
    found = claims.answer(job.claim, source.model, job.num_players, seconds)
    most = _MOST_FOR_VALUES if found.trace is None else _MOST_TO_SHORTEN
    if job.num_players > job.claim.players[0]:
        most = min(most, _MOST_FOR_MORE)
    left = min(seconds - (time.monotonic() - began), seconds * _TO_SHORTEN, most)
    if not found.traces or found.verdict is Verdict.UNKNOWN or left <= 0:
        return found
    return shorten.shorten(job.claim, source.model, found, left)


def _stands(job: Job, source: Source, known: Answer) -> bool:
    """Whether the traces of an earlier run still show what they did."""
    if job.claim is not None and known.shown:
        from verify import taken

        if not taken.stands(job.claim, source.model, known.shown):
            return False
    if known.trace is None:
        return True
    if job.claim is not None:
        from verify import shorten

        shows = shorten.shows(job.claim, source.model, known.trace)
        if shows is not None:
            return shows
    machine = Machine(lower(source.model, job.num_players))
    return all(fits(machine, trace) for trace in known.traces.values())


def fits(machine: Machine, trace: Trace) -> bool:
    """Whether a trace can be played, step for step, up to its end or to where the rules fail in its last step."""
    stops = 0
    try:
        for _ in replayed(machine, trace):
            stops += 1
    except Fault:
        return stops == len(trace.steps)
    except (InvalidChoice, ValueError, TypeError, IndexError):
        return False
    return True


def _free(job: Job, source: Source, seconds: float) -> Answer:
    from verify import checks

    check = next(c for c in checks.questions(source.model, source.loaded) if c.name == job.name)
    return check.answer(job.num_players, seconds)

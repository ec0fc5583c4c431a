"""Worker processes: each is started fresh for a group of questions, one at a time, and killed when its time is up."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Final

from verify.outcome import OUT_OF_TIME, Answer, Verdict
from verify.worker import BEGUN, GAVE_UP, SO_FAR, Job, Source, serve

ENGINES: Final = ("verify.worker", "verify.checks", "verify.claims", "verify.shorten")
NOT_BEGUN: Final = "out of time before it was begun"
_TOLD = 0.8  # of its share is what a worker is told to use
_GRACE = 0.2, 0.5  # of its share, and seconds, that it may run over before it is killed
_SOON = 0.5  # of the time that is left is for few players
_MOST = 3.0  # even shares
_HARDLY_MORE = 2.0  # times the seconds that did not do
_TO_START = 60.0  # seconds in which a process must have begun


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    group: object  # that it works for, and what it has found out for one the next of the group need not do again
    job: Job | None = None
    share: float = 0.0
    until: float = 0.0
    began: float = 0.0
    has_begun: bool = False
    so_far: Answer | None = None
    learns: bool = False  # or has learned what always holds


Done = Callable[[Job, Answer, float], None]
"""Is told of each job its answer and the seconds it was given."""


class Crew:
    """So many workers at a time, for jobs about some models, until a deadline (of `time.monotonic`)."""

    def __init__(self, sources: Sequence[Source], size: int, deadline: float) -> None:
        self._sources, self._size, self.deadline = sources, max(size, 1), deadline
        self._pickled: dict[int, bytes] = {}
        self._context = context(*ENGINES)
        self._idle: list[_Worker] = []
        self._busy: list[_Worker] = []
        self._to_learn: set[int] = set()  # jobs, by identity, that began to learn what another was at already
        self._gave_up: dict[int, tuple[int, float]] = {}  # of a model: with how many players, after how many seconds

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in [*self._idle, *self._busy]:
            _end(worker)
        self._idle, self._busy = [], []

    @property
    def left(self) -> float:
        """The seconds that are left, at least 0."""
        return max(self.deadline - time.monotonic(), 0.0)

    def work(
        self,
        jobs: Iterable[Job],
        done: Done,
        is_off: Callable[[Job], bool] = lambda job: False,
        portion: float = 1.0,
        to_learn: float = 0.0,
    ) -> None:
        """Has every job answered, but for those that are called off before they are begun.

        Each is given a share, by its weight, of a portion of the time that is left when it is begun, or of half of it
        among those with no more players; and not much more of what others did not use. Each group is given `to_learn`
        seconds for what all of its jobs need.
        """
        waiting = deque(jobs)
        alike = max(_weights_by_players(waiting).values(), default=0)
        most = _MOST * self.left * portion * self._size / (alike + self._size)
        while waiting or self._busy:
            now = time.monotonic()
            if now >= self.deadline:
                self._give_up(waiting, done)
                return
            for dropped in [j for j in waiting if is_off(j)]:
                waiting.remove(dropped)
            if not (waiting or self._busy):
                break
            while len(self._busy) < self._size:
                job = self._next(waiting)
                if job is None:
                    break
                left = (self.deadline - now) * portion
                of_all, no_more = _weight(waiting), _weight(o for o in waiting if o.num_players <= job.num_players)
                share = left * self._size * max(1 / (of_all + self._size), _SOON / (no_more + self._size))
                self._begin(job, min(job.weight * min(share, most), left), min(to_learn, left))
            until = min([self.deadline, *(w.until for w in self._busy)])
            ready = wait([w.connection for w in self._busy], max(until - now, 0))
            for worker in [w for w in self._busy if w.connection in ready]:
                knew = worker.learns
                self._hear(worker, done)
                if worker.learns and not knew and self._learned_elsewhere(worker):
                    waiting.appendleft(self._called_back(worker))
            now = time.monotonic()
            for worker in [w for w in self._busy if now >= w.until]:
                self._stop(worker, done, OUT_OF_TIME)
        # Whoever asks again wants more than what was prepared in too little time.
        self._end_idle()

    def _end_idle(self) -> None:
        for worker in self._idle:
            _end(worker)
        self._idle = []

    def _next(self, waiting: deque[Job]) -> Job | None:
        """The first that an idle worker is prepared for, else the first that no busy one is prepared for.

        None where each rests on what a busy one learns, or has learned: twice would take longer.
        """
        ready = {w.group for w in self._idle}
        taken = {w.group for w in self._busy}
        learned = {w.group for w in self._busy if w.learns}
        able = [j for j in waiting if j.group not in learned or not (j.rests_on_lessons or id(j) in self._to_learn)]
        job = next((j for j in able if j.group in ready), None)
        job = job or next((j for j in able if j.group not in taken), None)
        job = job or next(iter(able), None)
        if job is not None:
            waiting.remove(job)
        return job

    def _begin(self, job: Job, share: float, to_learn: float) -> None:
        worker = max((w for w in self._idle if w.group == job.group), key=lambda w: w.learns, default=None)
        sent = None
        if worker is not None:
            self._idle.remove(worker)
        else:
            self._end_idle()
            worker = self._start(job.group)
            if job.source not in self._pickled:
                self._pickled[job.source] = pickle.dumps(self._sources[job.source])
            sent = self._pickled[job.source]
        worker.job, worker.share, worker.has_begun, worker.so_far = job, share, False, None
        worker.learns = worker.learns or job.rests_on_lessons
        worker.began = time.monotonic()
        worker.until = worker.began + _TO_START
        self._busy.append(worker)
        with contextlib.suppress(OSError):  # a worker that died is heard of by its silence
            worker.connection.send((job, sent, share * _TOLD, to_learn, self._is_too_hard(job, to_learn)))

    def _is_too_hard(self, job: Job, to_learn: float) -> bool:
        """Whether there was not time enough to learn about as many players or fewer, and there is hardly more now."""
        players, seconds = self._gave_up.get(job.source, (job.num_players, 0.0))
        return players <= job.num_players and to_learn < _HARDLY_MORE * seconds

    def _start(self, group: object) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs,), daemon=False)  # type: ignore[attr-defined]
        process.start()
        theirs.close()
        return _Worker(process, ours, group)

    def _hear(self, worker: _Worker, done: Done) -> None:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            self._stop(worker, done, "the process that looked for it broke down")
            return
        now = time.monotonic()
        if isinstance(message, tuple) and message[0] == BEGUN:
            if not worker.has_begun:
                worker.has_begun, worker.began = True, now
            elif message[1] > worker.share * _TOLD and worker.so_far is None:
                worker.learns = True
            worker.until = now + message[1] / _TOLD * (1 + _GRACE[0]) + _GRACE[1]
            return
        if isinstance(message, tuple) and message[0] == SO_FAR:
            worker.so_far = message[1]
            return
        assert worker.job is not None
        if isinstance(message, tuple) and message[0] == GAVE_UP:
            self._gave_up[worker.job.source] = worker.job.num_players, message[1]
            worker.learns = False
            return
        job, worker.job = worker.job, None
        self._busy.remove(worker)
        self._idle.append(worker)
        done(job, message, worker.share)

    def _learned_elsewhere(self, worker: _Worker) -> bool:
        """Whether another one learns, or has learned, what this one has just begun to learn."""
        return any(w.learns and w.group == worker.group and w is not worker for w in self._busy)

    def _called_back(self, worker: _Worker) -> Job:
        """The job of a worker that is ended before it has answered."""
        job = worker.job
        assert job is not None
        self._busy.remove(worker)
        _end(worker)
        self._to_learn.add(id(job))
        return job

    def _stop(self, worker: _Worker, done: Done, because: str) -> None:
        self._busy.remove(worker)
        _end(worker)
        assert worker.job is not None
        seconds = time.monotonic() - worker.began
        done(worker.job, worker.so_far or Answer(Verdict.UNKNOWN, "none", seconds, because), worker.share)

    def _give_up(self, waiting: Iterable[Job], done: Done) -> None:
        for worker in list(self._busy):
            self._stop(worker, done, OUT_OF_TIME)
        for job in waiting:
            done(job, Answer(Verdict.UNKNOWN, "none", because=NOT_BEGUN), 0.0)


def _weight(jobs: Iterable[Job]) -> float:
    return sum(job.weight for job in jobs)


def _weights_by_players(jobs: Iterable[Job]) -> dict[int, float]:
    weights: dict[int, float] = {}
    for job in jobs:
        weights[job.num_players] = weights.get(job.num_players, 0.0) + job.weight
    return weights


def context(*ready: str) -> BaseContext:
    """New processes that are quick to start where that can be had: copies of one that has some modules `ready`."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", *ready])
    return context


def get_ready() -> None:
    """Begins to load, in a process of its own, what workers need; so that is done when the first of them is wanted."""
    context(*ENGINES)
    if "forkserver" in multiprocessing.get_all_start_methods():
        from multiprocessing import forkserver  # there is none on some systems

        forkserver.ensure_running()


def _end(worker: _Worker) -> None:
    """Ends a worker at once, with whatever it has started."""
    worker.connection.close()
    process = worker.process
    if process.pid is not None and hasattr(os, "killpg"):
        # Before it has a group of its own, there is none of that number.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join(5)

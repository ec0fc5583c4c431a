"""Every question of a game for every number of players, answered side by side within a budget."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from dsl.load import Loaded
from verify.certificates import Kept, Shelf, key_of, sum_of_rules
from verify.crew import NOT_BEGUN, Crew
from verify.lessons import LEARNED, hint_of
from verify.outcome import EVERY, OUT_OF_TIME, SEATS, SUMS, Answer, Outcome, Verdict
from verify.places import looks_back
from verify.questions import Question, questions
from verify.wanted import COUNTS, INDUCTION, Wanted, can_certify
from verify.worker import Job, Source

BUDGET: Final = 120.0
STOPPED: Final = "stopped before it was answered"
_MORE = 1.5  # so many times the seconds are worth another try
_RAN_OUT = (OUT_OF_TIME, "looked at in the time", "nothing exact is known", "play was found")  # more time may help
_USED_UP = 0.6  # of its share: then more time may help
_LAST = 1000  # more than there are numbers of players
_AGAIN = 4.0  # even shares are for another try, beside others
_OVER_A_STEP = 2.0  # for what compares the end of a rule with its beginning: that takes long to follow
_FOR_ALL = 0.4  # of the time that is left is for proofs of every number of players
_LEARNS = 0.4  # of the time that is left goes to learning, shared by the groups
_QUICK = 3.0  # seconds
_OF_POSITIONS = LEARNED | {COUNTS}
_SHOWN = frozenset({Verdict.PROVED, Verdict.WITNESSED, Verdict.VACUOUS})
_AS_MUCH = 0.7  # of the seconds that a question would get now

Progress = Callable[[list[Outcome], int], None]
"""Is told what is known so far, and how many answers are still to come."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C; `outcomes` is what was known by then."""

    def __init__(self, outcomes: list[Outcome]) -> None:
        super().__init__()
        self.outcomes = outcomes


@dataclass(slots=True, eq=False)
class _Case:
    """One question for one number of players, with what is known of it."""

    question: Question
    num_players: int
    job: Job
    key: str
    answer: Answer | None = None
    offered: float = 0.0

    @property
    def wants_time(self) -> bool:
        """Whether there is no answer, and looking longer might find one."""
        return self.answer is not None and _may_be_found(self.answer, self.offered)

    @property
    def was_easy(self) -> bool:
        """Whether there is an answer, found at once and without what takes longer with each player more."""
        found = self.answer
        is_found = found is not None and found.verdict is not Verdict.UNKNOWN and found.seconds < _QUICK
        return found is not None and is_found and not LEARNED & set(found.engine.split(", "))

    @property
    def may_be_of_all(self) -> bool:
        """Whether the answer came without looking at all positions, so that all numbers of players may be as easy."""
        found = self.answer
        return found is not None and not _OF_POSITIONS & set(found.engine.split(", ")) and not found.traces


def _may_be_found(answer: Answer, offered: float) -> bool:
    """Whether there is no answer yet, and what looked for it ran out of time."""
    ran_out = answer.seconds >= offered * _USED_UP or any(said in answer.because for said in _RAN_OUT)
    return answer.verdict is Verdict.UNKNOWN and offered > 0 and ran_out


def prove(
    loaded: Loaded,
    properties: Sequence[str] = (),
    players: int | None = None,
    options: dict[str, str] | None = None,
    free: bool = True,
    budget: float = BUDGET,
    progress: Progress | None = None,
    *,
    keep_in: Path | None = None,
    workers: int | None = None,
    certify: Wanted | None = None,
) -> list[Outcome]:
    """The answers to all that is asked of a game, in the order of the file, free checks last.

    `properties` are names (of all where there are none), `players` a number (every number where None), `budget`
    seconds in all, `keep_in` the folder in which answers are kept between runs, `workers` how many processes,
    `certify` where what a proof rests on is written, and how the game is found from there.

    Raises:
        NotAsked: A property is not there.
        Wrong: The file is wrong.
        Stopped: By Ctrl-C.
    """
    deadline = time.monotonic() + budget
    asked = questions(loaded, properties, players, options or {}, free)
    cases, sources = _cases(asked, loaded, players is None, certify)
    run = _Run(asked, cases, Shelf(keep_in), progress)
    size = workers or os.cpu_count() or 1
    run.recall(budget * size / (len(cases) + size))
    try:
        with Crew(sources, size, deadline) as crew:
            run.all(crew, size)
    except KeyboardInterrupt:
        raise Stopped(run.outcomes(STOPPED)) from None
    return run.outcomes(NOT_BEGUN)


def _cases(
    asked: Sequence[Question], loaded: Loaded, at_once: bool, certify: Wanted | None
) -> tuple[list[_Case], list[Source]]:
    """The cases in the order in which they are begun: few players first, since those are quick.

    `at_once`: after all numbers of players comes the question for all of them at once.
    """
    sources: list[Source] = []
    sums: dict[tuple[int, bool], str] = {}
    cases: list[_Case] = []
    for question in asked:
        # Free checks tell of places in the file, and ask for its other readings.
        is_free = question.claim is None
        number = next((i for i, s in enumerate(sources) if s.model is question.source), len(sources))
        if number == len(sources):
            sources.append(Source(question.source, loaded))
        if (number, is_free) not in sums:
            sums[number, is_free] = sum_of_rules(question.source, places=is_free)
        for n in (*question.players, *([EVERY] if at_once and question.is_of_many else [])):
            wanted = None if certify is None or n == EVERY else replace(certify, says=question.statement)
            weight = _OVER_A_STEP if question.claim is not None and looks_back(question.claim) else 1.0
            job = Job(question.name, number, question.claim, n, certificate=wanted, weight=weight)
            key = key_of(sums[number, is_free], question.kind, question.name, question.claim, n)
            cases.append(_Case(question, n, job, key))
    cases.sort(key=lambda c: _LAST if c.num_players == EVERY else c.question.players.index(c.num_players))
    return cases, sources


def _to_learn(crew: Crew, size: int, cases: list[_Case]) -> float:
    """The seconds for learning of each group. Nothing is learned for every number of players at once."""
    groups = len({c.job.group for c in cases if c.num_players != EVERY})
    return crew.left * _LEARNS * min(1.0, size / max(groups, 1))


def _hint(case: _Case, few: Answer) -> str:
    """What takes terms long for few players takes them too long for more: then what is learned comes first."""
    claim, engines = case.question.claim, few.engine.split(", ")
    if claim is not None and looks_back(claim) and "terms" in engines and few.seconds >= _QUICK:
        engines.append(INDUCTION)
    return hint_of(", ".join(engines), few.because)


class _Run:
    def __init__(self, asked: Sequence[Question], cases: list[_Case], shelf: Shelf, progress: Progress | None) -> None:
        self._asked, self._cases, self._shelf, self._progress = asked, cases, shelf, progress
        self._too_hard: set[Question] = set()
        self._firsts = {id(c.question): c for c in reversed(cases)}  # of each question, the fewest players

    def recall(self, share: float) -> None:
        """Takes over what earlier runs found, but for what is still open and would be given more time now."""
        for case in self._cases:
            kept = self._shelf.get(case.key)
            job = case.job
            if kept is not None and job.certificate is not None:
                of_all = kept.answer.engine in (SUMS, SEATS)  # what it rests on says nothing of this number alone
                if of_all or can_certify(job.name, job.claim, kept.answer):
                    continue  # what it rests on was not kept
            if kept is None or (_may_be_found(kept.answer, kept.offered) and kept.offered < share * _AS_MUCH):
                continue
            if not kept.answer.traces:
                case.answer = kept.answer
                self._answer_others(case)
            else:
                # What it shows is replayed before anybody is shown it.
                case.job = replace(case.job, known=kept.answer)

    def _answer_others(self, case: _Case) -> None:
        """What is proved of every number of players, or shown by one for all, is so of each that has no answer yet."""
        found = case.answer
        if found is None or found.verdict not in _SHOWN:
            return
        if case.num_players == EVERY and found.verdict is Verdict.PROVED:
            told, first = Answer(found.verdict, found.engine, because=found.because), found.value["from"]
        elif case.question.once:
            said = f"as {case.num_players} players show"
            told, first = replace(found, seconds=0.0, because=said, trace=None, at=None), 1
        else:
            return
        for other in self._cases:
            is_open = other.answer is None or other.answer.verdict is Verdict.UNKNOWN
            is_meant = other.question is case.question and other.num_players >= first and other.num_players != EVERY
            if is_meant and is_open and other.job.certificate is None:
                other.answer = told
                self._shelf.put(other.key, Kept(told, case.offered))

    def all(self, crew: Crew, size: int) -> None:
        """Answers every case, and gives what is open the time that is left over.

        Where a question is too hard for one number of players, the next ones wait until all others had their turn.
        """
        open_cases = [c for c in self._cases if c.answer is None]
        self._work(crew, [c for c in open_cases if c.job.known is not None])  # which takes no time to speak of
        again: list[_Case] = []
        for cases in self._begun_in_turn(open_cases):
            # What is easy needs little of its share, which is then left for what is not.
            cases = [c for c in cases if c.answer is None]  # by now
            if not cases:
                continue
            portion = _FOR_ALL if all(c.num_players == EVERY for c in cases) else 1.0
            to_learn = _to_learn(crew, size, [c for c in open_cases if c.answer is None])
            share = crew.left * size / (len(cases) + _AGAIN / portion * len(again) + size)
            again = [c for c in again if _AGAIN * share >= _MORE * c.offered]
            for case in again:
                case.job = replace(case.job, weight=_AGAIN / portion)
            cases = [*again, *cases]
            self._work(crew, cases, portion, to_learn)
            again = [c for c in cases if c.wants_time and c.num_players != EVERY]
        while True:
            self._too_hard.clear()
            open_cases = self._worth_more(open_cases, crew, size)
            if not open_cases:
                return
            self._work(crew, open_cases, to_learn=_to_learn(crew, size, open_cases))

    def _worth_more(self, cases: list[_Case], crew: Crew, size: int) -> list[_Case]:
        """Those that are open and would be given much more time now, or any at all."""
        cases = [c for c in cases if c.wants_time or (c.answer is None and c.question not in self._too_hard)]
        share = crew.left * size / (len(cases) + size)
        return [c for c in cases if share > 0 and (c.answer is None or share >= _MORE * c.offered)]

    def _begun_in_turn(self, open_cases: list[_Case]) -> Iterator[list[_Case]]:
        """Each question for the fewest players, then for all numbers at once where that may come of it, what was easy,
        and the rest by the number of players.

        So the answers for few players are there, where an even share of the time would do for none.
        """

        def seconds(case: _Case) -> float:
            return 0.0 if case.answer is None else case.answer.seconds

        firsts = self._firsts
        begun = {firsts[id(c.question)] for c in open_cases}
        yield [c for c in open_cases if c in begun]
        for _ in range(2):  # by then, more of few players may be answered
            of_all = {c for c in open_cases if c.num_players == EVERY and firsts[id(c.question)].may_be_of_all}
            # What took few players longest comes last, when most of the others have left of their shares.
            yield sorted(of_all - begun, key=lambda c: (seconds(firsts[id(c.question)]), self._cases.index(c)))
            begun |= of_all
        easy = {c for c in open_cases if c.num_players != EVERY and firsts[id(c.question)].was_easy}
        yield [c for c in open_cases if c in easy - begun]
        yield [c for c in open_cases if c not in easy | begun]

    def _work(self, crew: Crew, cases: list[_Case], portion: float = 1.0, to_learn: float = 0.0) -> None:
        for case in cases:
            first = self._firsts[id(case.question)]
            if first is not case and first.answer is not None and first.answer.verdict is not Verdict.UNKNOWN:
                case.job = replace(case.job, hint=_hint(case, first.answer))
        by_job = {id(c.job): c for c in cases}

        def done(job: Job, answer: Answer, share: float) -> None:
            case = by_job[id(job)]
            before = case.answer
            if before is not None and before.verdict is not Verdict.UNKNOWN and answer.verdict is Verdict.UNKNOWN:
                return  # a proof for every number of players came first
            if before is not None and answer.verdict is Verdict.UNKNOWN and answer.because in (NOT_BEGUN, OUT_OF_TIME):
                # What the first try said is more than that the second was broken off.
                answer = replace(before, seconds=before.seconds + answer.seconds)
            case.answer, case.offered = answer, share
            if share and answer != job.known:
                self._shelf.put(case.key, Kept(replace(answer, certificate=None), share))
            self._answer_others(case)
            if case.num_players != EVERY:
                (self._too_hard.add if case.wants_time else self._too_hard.discard)(case.question)
            if self._progress is not None:
                self._progress(self.outcomes(""), sum(c.answer is None for c in self._cases))

        def is_off(job: Job) -> bool:
            case = by_job[id(job)]
            if case.answer is None:
                return case.question in self._too_hard
            return case.answer.verdict is not Verdict.UNKNOWN

        crew.work([c.job for c in cases], done, is_off, portion, to_learn)

    def outcomes(self, because: str) -> list[Outcome]:
        """What is known, question by question; `because` is said of the rest, which is left out where it is empty."""
        unknown = Answer(Verdict.UNKNOWN, "none", because=because)
        found: dict[int, dict[int, Answer]] = {id(q): {} for q in self._asked}
        for case in self._cases:
            if case.answer is not None or because:
                found[id(case.question)][case.num_players] = case.answer or unknown
        outcomes: list[Outcome] = []
        for q in self._asked:
            at_once = found[id(q)].pop(EVERY, unknown)
            shown = None if at_once.verdict is Verdict.UNKNOWN else at_once
            answers = dict(sorted(found[id(q)].items()))
            outcomes.append(Outcome(q.name, q.kind, q.statement, q.cites, q.expected, answers, q.apart, shown))
        return outcomes

"""Questions in SMT-LIB for solvers: each in a process of its own, which is ended when its time is up."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Final

from verify.crew import context

Z3: Final = "z3"
CVC5: Final = "cvc5"
SAT, UNSAT, UNKNOWN = "sat", "unsat", "unknown"
_LEAST: Final = 2.0  # seconds
OUT_OF_TIME: Final = "out of time"
NO_ANSWER: Final = "no answer"

Result = tuple[str, float]
"""What a solver said, and the seconds that it took."""


@dataclass(slots=True, eq=False)
class _Try:
    number: int
    process: BaseProcess
    connection: Connection
    began: float
    until: float


def solvers() -> list[str]:
    """The solvers that are installed."""
    return [name for name in (Z3, CVC5) if importlib.util.find_spec(name) is not None]


def ask(questions: Sequence[tuple[str, str]], size: int, seconds: float, told: Callable[[int, Result], None]) -> None:
    """Asks each question, a solver and a text, so many at a time; `told` hears of each by its number.

    Each is given a share of the time that is left when it is begun (see `share`); what needs more is begun anew at the
    end.
    """
    deadline = time.monotonic() + seconds
    waiting = deque(enumerate(questions))
    busy: list[_Try] = []
    made = context(Z3, CVC5, __name__)
    try:
        while waiting or busy:
            while waiting and len(busy) < size and (left := deadline - time.monotonic()) > 0:
                number, (solver, text) = waiting.popleft()
                ours, theirs = made.Pipe()
                process = made.Process(target=_serve, args=(theirs, solver, text), daemon=True)  # type: ignore[attr-defined]
                process.start()
                theirs.close()
                now = time.monotonic()
                busy.append(_Try(number, process, ours, now, min(now + share(left, size, len(waiting)), deadline)))
            if not busy:
                break
            ready = wait([t.connection for t in busy], max(min(t.until for t in busy) - time.monotonic(), 0))
            now = time.monotonic()
            for at in [t for t in busy if t.connection in ready or now >= t.until]:
                busy.remove(at)
                result = _heard(at) if at.connection in ready else OUT_OF_TIME
                _end(at)
                if result == OUT_OF_TIME and now < deadline:
                    waiting.append((at.number, questions[at.number]))  # once more, when what is easy is done
                else:
                    told(at.number, (result, now - at.began))
        for number, _ in waiting:
            told(number, (OUT_OF_TIME, 0.0))
    finally:
        for at in busy:
            _end(at)


def share(left: float, size: int, waiting: int) -> float:
    """The seconds for a question where so many are left for it and those that wait, with `size` asked at a time.

    It is an even share, but for what an easy question takes on a busy machine: less would answer none of many.
    """
    return max(left * size / (waiting + size), _LEAST)


def _heard(at: _Try) -> str:
    try:
        said = at.connection.recv_bytes(100).decode()
    except (EOFError, OSError, UnicodeDecodeError):
        return NO_ANSWER
    return said if said in (SAT, UNSAT, UNKNOWN) else NO_ANSWER


def _end(at: _Try) -> None:
    at.connection.close()
    at.process.kill()
    at.process.join(5)


def _serve(connection: Connection, solver: str, text: str) -> None:
    """What goes on in a process. Ctrl-C is for the one that asks, which then ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    said = NO_ANSWER
    with contextlib.suppress(Exception):
        said = answer(solver, text)
    with contextlib.suppress(OSError):
        connection.send_bytes(said.encode())


def answer(solver: str, text: str) -> str:
    """What a solver says of a text, however long that takes it: `SAT`, `UNSAT`, `UNKNOWN` or a message."""
    return {Z3: _z3, CVC5: _cvc5}[solver](text)


def _z3(text: str) -> str:
    import z3

    # The one that the proof was found with; what others try first takes minutes over long cases of whole numbers.
    solver = z3.SimpleSolver()
    solver.from_string(text)
    return str(solver.check())


def _cvc5(text: str) -> str:
    import cvc5

    solver = cvc5.Solver()
    # Of its own strategies the one that keeps its way where one of many sentences may fail.
    solver.setOption("decision", "internal")  # type: ignore[attr-defined]
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    symbols, said = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        said = command.invoke(solver, symbols) or said
    return said.strip()

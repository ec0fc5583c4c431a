"""Z3's engine for Horn clauses, Spacer: asked what else may be kept up where what plays suggest does not do.

Its word proves nothing. What it says holds at each stop is read as sentences of the language, and is held only as far
as every way between stops keeps it up, like all that plays suggest; the claim has then to follow from what is held. It
is asked in a process of its own, which is ended when its time is up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from multiprocessing.connection import Connection
from typing import Any, Final

import z3

from dsl import ir, model
from dsl.walk import reached
from verify.crew import context
from verify.folded import OutOfTime, Unsupported
from verify.horn import Clauses, name_of
from verify.induction import Induction
from verify.learned import is_learned, learn
from verify.outcome import Answer, Verdict
from verify.places import TooMany, expressions_of, looks, looks_back
from verify.readback import Readback
from verify.slicing import needed_zones, not_told_by
from verify.solving import SAT, UNKNOWN, UNSAT, Z3
from verify.wanted import SPACER

_MOST_BYTES: Final = 4_000_000  # of clauses, and of what is said of them
_TO_ASK: Final = 0.7  # of the time; the rest is for looking whether it is so
_SAYS: Final = "says!"
_TRANSFORMS: Final = ("fp.xform.slice", "fp.xform.inline_linear", "fp.xform.inline_eager")
"""What makes clauses fewer, and what is told of the predicates that are gone is then hardly to be read."""
_TOO_LONG: Final = "Spacer takes longer than it may"  # with more time it mostly goes on for ever
_NO_ANSWER: Final = "Spacer gave no answer"
_WHY: Final = {
    UNSAT: "as far as numbers and truths tell, Spacer sees a way to where it fails",
    UNKNOWN: "Spacer cannot tell",
}  # fmt: skip


def may_find(claim: ir.Property, source: model.Model, num_players: int) -> bool:
    """Whether it can be asked about a claim: one about positions, of a game of which is known what is kept up."""
    return bool(claim.expressions) and not looks_back(claim) and is_learned(claim, source, num_players)


def by_spacer(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    """Proved, or unknown with the reason, of a claim for which `may_find` says yes."""
    induction = learn(source, num_players, 0.0, claim).induction
    assert induction is not None
    try:
        count = _found(claim, source, induction, time.monotonic() + seconds)
    except (Unsupported, TooMany) as error:
        return Answer(Verdict.UNKNOWN, SPACER, because=str(error))
    because = f"{count} sentences more, kept up by every way between {len(induction.held)} stops"
    return Answer(Verdict.PROVED, SPACER, because=because)


def _found(claim: ir.Property, source: model.Model, induction: Induction, deadline: float) -> int:
    """How many sentences more are held, now that the claim follows from them.

    First the predicates are about what the claim's values are made from, then about all that steers play as well.
    """
    because = Unsupported("")
    scopes = _scopes(induction, claim)
    for i, names in enumerate(scopes):
        now = time.monotonic()
        until = now + (deadline - now) / (len(scopes) - i)
        induction.stop_at(until)
        try:
            return _held_by(claim, source, induction, names, until)
        except OutOfTime:
            because = Unsupported(_TOO_LONG)
        except Unsupported as error:
            because = error
    raise because


def _scopes(induction: Induction, claim: ir.Property) -> list[frozenset[str]]:
    """Variables and zones that predicates may be about, the fewest first."""
    game, asked = induction.game, expressions_of(claim)
    every = frozenset(v.name for v in game.state)
    named = frozenset(p.zone for p in reached(asked, game) if isinstance(p, ir.ZoneExpr | ir.AllOfZone))
    return list(dict.fromkeys([(every - not_told_by(game, asked)) | named, every | needed_zones(game, asked)]))


def _held_by(claim: ir.Property, source: model.Model, induction: Induction, names: frozenset[str], until: float) -> int:
    def looks_there(node: ir.Node) -> bool:
        return looks(claim, source, node)

    clauses = Clauses(induction, claim, looks_there, names, until)
    said = ask(clauses.text(), len(clauses.stops), (until - time.monotonic()) * _TO_ASK)
    readback = Readback({f"x!{i}": (c.expression, c.type) for i, c in enumerate(clauses.columns)}, induction.machine)
    before = dict(induction.held)
    more = {
        p: [x for x in readback.sentences(term) if x not in before[p]]
        for p, term in zip(clauses.stops, said, strict=True) if term is not None
    }  # fmt: skip
    try:
        induction.hold_too(more)
        if induction.holds(claim, looks_there):
            return sum(len(induction.held[p]) - len(before[p]) for p in more)
    except Unsupported:
        induction.held = before
        raise
    induction.held = before
    raise Unsupported("what Spacer says would be kept up is not")


# ------------------------------------------------------------------------------------------------- asking


def ask(text: str, count: int, seconds: float) -> list[Any]:
    """What predicates that satisfy some clauses say, of arguments `x!0` and so on; None of one that says nothing.

    Raises:
        Unsupported: There are none, or that is not told in time.
    """
    if len(text) > _MOST_BYTES:
        raise Unsupported("there is too much to ask Spacer about")
    if seconds <= 0:
        raise Unsupported(_TOO_LONG)
    deadline = time.monotonic() + seconds
    made = context(Z3, __name__)
    ours, theirs = made.Pipe()
    process = made.Process(target=_serve, args=(theirs, count), daemon=True)  # type: ignore[attr-defined]
    try:
        process.start()
        theirs.close()
        # Not from here: who does not listen is not waited for.
        threading.Thread(target=_send, args=(ours, text), daemon=True).start()
        if not ours.poll(max(deadline - time.monotonic(), 0)):
            raise Unsupported(_TOO_LONG)
        result, said = ours.recv_bytes(_MOST_BYTES).decode().split("\n", 1)
    except (EOFError, OSError, ValueError):
        raise Unsupported(_NO_ANSWER) from None
    finally:
        if process.pid is not None:
            process.kill()
            process.join(5)
        ours.close()
    if result != SAT:
        raise Unsupported(_WHY.get(result, _NO_ANSWER))
    return _read(said, count)


def _read(said: str, count: int) -> list[Any]:
    """The sentences of an answer, each by the number of its predicate."""
    out: list[Any] = [None] * count
    try:
        for x in z3.parse_smt2_string(said):
            name = x.arg(0).decl().name() if z3.is_eq(x) else ""
            number = name.removeprefix(_SAYS)
            if name != number and number.isdecimal() and int(number) < count:
                out[int(number)] = x.arg(1)
    except z3.Z3Exception:
        raise Unsupported("Spacer gave no answer that can be read") from None
    return out


def _send(connection: Connection, text: str) -> None:
    with contextlib.suppress(OSError):
        connection.send_bytes(text.encode())


def _serve(connection: Connection, count: int) -> None:
    """What goes on in a process. It ends with the one that asks; Ctrl-C is for that one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        text = connection.recv_bytes().decode()
        threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
        said = "no answer\n"
        with contextlib.suppress(Exception):
            said = _answer(text, count)
        connection.send_bytes(said.encode())


def _end_with(connection: Connection) -> None:
    """Ends this process once nobody is there any more to hear it."""
    with contextlib.suppress(EOFError, OSError):
        connection.recv_bytes(1)
    os._exit(1)


def _answer(text: str, count: int) -> str:
    """What Spacer says of clauses, and below that what each predicate is, as a text in SMT-LIB."""
    for transform in _TRANSFORMS:
        z3.set_param(transform, False)
    solver = z3.SolverFor("HORN")
    solver.from_string(text)
    result = solver.check()
    told = z3.Solver()
    if result == z3.sat:
        found = solver.model()
        known = {d.name(): d for d in found.decls()}
        for i in range(count):
            predicate = known.get(name_of(i))
            if predicate is not None:
                arguments = [z3.Const(f"x!{k}", predicate.domain(k)) for k in range(predicate.arity())]
                told.add(z3.Bool(f"{_SAYS}{i}") == found.eval(predicate(*arguments)))
    return f"{result}\n{told.to_smt2()}"

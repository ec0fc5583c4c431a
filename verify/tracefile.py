"""Traces as files: plays that show how a property was answered, written as `interpreter.playfile` says."""

from __future__ import annotations

import re
from pathlib import Path

from dsl import ir
from interpreter.fingerprint import fingerprint
from interpreter.playfile import SUFFIX, Claim, Head
from verify.outcome import Answer, Outcome


def path_of(folder: Path, game: str, name: str, num_players: int) -> Path:
    """Where the trace of a property is written."""
    return folder / game / f"{file_name(name)}-{num_players}{SUFFIX}"


def file_name(name: str) -> str:
    """The name of a property as part of the name of a file."""
    return re.sub(r"[^\w.-]+", "_", name).strip(".") or "property"


def head_of(outcome: Outcome, answer: Answer, name: str, game: ir.Game) -> Head:
    """The head of an answer's trace. `name` is the name or the path by which the rules of the game are found."""
    trace = answer.trace
    assert trace is not None
    told = (outcome.statement, answer.because) if answer.because else (outcome.statement,)
    shows = " ".join(f"{answer.verdict.value}: {'; '.join(told)}".split())
    return Head(name, fingerprint(game), trace.num_players, trace.options, Claim(outcome.name, shows))

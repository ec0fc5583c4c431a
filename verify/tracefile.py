"""Traces as files: plays that show how a property was answered, written as `interpreter.playfile` says."""

from __future__ import annotations

import re
from pathlib import Path

from dsl import ir
from interpreter.fingerprint import fingerprint
from interpreter.playfile import SUFFIX, Claim, Head
from verify.outcome import Answer, Outcome


def path_of(folder: Path, game: str, name: str, num_players: int, value: str = "") -> Path:
    """Where a trace of a property is written: what shows the answer, or a value that it tells of."""
    end = f"-{file_name(value)}" if value else ""
    return folder / game / f"{file_name(name)}-{num_players}{end}{SUFFIX}"


def file_name(name: str) -> str:
    """The name of a property as part of the name of a file."""
    return re.sub(r"[^\w.-]+", "_", name).strip(".") or "property"


def head_of(outcome: Outcome, answer: Answer, name: str, game: ir.Game, value: str = "") -> Head:
    """The head of an answer's trace, of what shows it or else a value that it tells of, by its name.

    `name` is the name or the path by which the rules of the game are found.
    """
    trace = answer.traces[value]
    because = next((f"here is {s.words}" for s in answer.shown if value and s.name == value), answer.because)
    told = (outcome.statement, because) if because else (outcome.statement,)
    shows = " ".join(f"{answer.verdict.value}: {'; '.join(told)}".split())
    return Head(name, fingerprint(game), trace.num_players, trace.options, Claim(outcome.name, shows, value))

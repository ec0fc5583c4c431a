"""Answers kept between runs, each under the sum of all that it depends on: rules, question and engine.

What changes any of them changes the key, so nothing kept is ever out of date; what cannot be read is not there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import tempfile
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from dsl import ir, model
from dsl.lower import lower
from dsl.source import Embedded, Source, Span
from interpreter.trace import Trace
from verify.outcome import Answer, Shown, Verdict

_FORMAT: Final = 1
_ENGINE: Final = ("dsl", "interpreter", "verify")
# What a model holds that no answer depends on, or that the question brings itself.
_ASIDE: Final = frozenset({
    "title", "about", "path", "files", "rulings", "properties", "expectations", "layout", "examples", "symbols",
})  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """An answer from an earlier run, and for how many seconds it was looked for."""

    answer: Answer
    offered: float


class Shelf:
    """The folder of kept answers; None keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> Kept | None:
        """What is kept under a key. What was damaged is as good as not there."""
        if self._folder is None:
            return None
        try:
            data = json.loads(self._path(key).read_bytes())
            if data["format"] != _FORMAT or data["key"] != key:
                return None
            return Kept(_answer(data["answer"]), float(data["offered"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def put(self, key: str, kept: Kept) -> None:
        """Keeps an answer, if it can be written down and there is room."""
        if self._folder is None:
            return
        data = {"format": _FORMAT, "key": key, "offered": kept.offered}
        with contextlib.suppress(OSError, TypeError, ValueError):
            text = json.dumps(data | {"answer": _plain_answer(kept.answer)})
            path = self._path(key)
            path.parent.mkdir(parents=True, exist_ok=True)
            # Whoever reads meanwhile sees the old entry or the new one, and never half of it.
            handle, name = tempfile.mkstemp(dir=path.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                os.replace(name, path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / f"{key[2:]}.json"


def default_folder() -> Path:
    """Where answers are kept for this user."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "hoyle" / "answers"


# ----------------------------------------------------------------------------------------------- keys


def key_of(rules: str, kind: str, name: str, claim: ir.Property | None, num_players: int) -> str:
    """What one question for one number of players is kept under. `rules` is what `sum_of_rules` told."""
    return _sum((_FORMAT, engine(), rules, kind, name, _claim(claim), num_players))


def sum_of_rules(source: model.Model, places: bool = False) -> str:
    """A sum of everything in the rules that an answer may depend on: the model, and the game that it becomes.

    `places`: also of where everything is written, for answers that tell it.
    """
    fields = tuple((f.name, getattr(source, f.name)) for f in dataclasses.fields(source) if f.name not in _ASIDE)
    games = [dataclasses.replace(lower(source, n), title="") for n in sorted(set(source.players))]
    return _sum((fields, games), places)


def sum_of_claim(claim: ir.Property) -> str:
    """A sum of what a claim says."""
    return _sum(_claim(claim))


@cache
def engine() -> str:
    """A sum of the sources that answers are found with."""
    digest = hashlib.sha256()
    for package in _ENGINE:
        sources = (p for p in files(package).iterdir() if p.name.endswith((".py", ".lark")))
        for path in sorted(sources, key=lambda p: p.name):
            digest.update(f"{package}/{path.name}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _claim(claim: ir.Property | None) -> object:
    """The claim without the clauses it cites: they change no answer."""
    return None if claim is None else dataclasses.replace(claim, cites=())


def _sum(value: object, places: bool = False) -> str:
    return _digest(value, {}, places).hex()


def _digest(value: Any, seen: dict[int, tuple[object, bytes]], places: bool) -> bytes:
    """The sum of a value of the model; what occurs twice is summed once."""
    if value is None or isinstance(value, str | bytes | int | float | Fraction):
        return hashlib.sha256(f"{type(value).__name__}:{value!r}".encode()).digest()
    if isinstance(value, Span | Source | Embedded):
        return hashlib.sha256(str(value).encode()).digest() if places and isinstance(value, Span) else b"-"
    if isinstance(value, Enum):
        return hashlib.sha256(f"{type(value).__name__}.{value.name}".encode()).digest()
    known = seen.get(id(value))
    if known is not None:
        return known[1]
    digest = hashlib.sha256(type(value).__name__.encode())
    if isinstance(value, tuple | list):
        parts = [_digest(v, seen, places) for v in value]
    elif isinstance(value, frozenset | set):
        parts = sorted(_digest(v, seen, places) for v in value)
    elif isinstance(value, dict):
        parts = sorted(_digest(k, seen, places) + _digest(v, seen, places) for k, v in value.items())
    elif dataclasses.is_dataclass(value):
        parts = [_digest(getattr(value, f.name), seen, places) for f in dataclasses.fields(value)]
    else:
        parts = [repr(value).encode()]
    digest.update(b"".join(parts))
    # The value is kept too, so that no other can come to have its number.
    seen[id(value)] = (value, digest.digest())
    return digest.digest()


# ----------------------------------------------------------------------------------- answers as plain data


def _plain_answer(answer: Answer) -> dict[str, Any]:
    return {
        "verdict": answer.verdict.value, "engine": answer.engine, "seconds": answer.seconds, "because": answer.because,
        "value": plain_value(answer.value, True), "trace": None if answer.trace is None else answer.trace.to_json(),
        "at": answer.at, "certificate": answer.certificate, "shown": [_plain_shown(s) for s in answer.shown],
    }  # fmt: skip


def _plain_shown(shown: Shown) -> dict[str, Any]:
    trace = None if shown.trace is None else shown.trace.to_json()
    return {"name": shown.name, "value": plain_value(shown.value, True), "case": shown.case, "trace": trace}


def _answer(data: dict[str, Any]) -> Answer:
    texts = data["engine"], data["because"]
    if not all(isinstance(t, str) for t in texts) or not isinstance(data["seconds"], int | float):
        raise TypeError("not an answer")
    return Answer(
        Verdict(data["verdict"]), data["engine"], float(data["seconds"]), data["because"], _value(data["value"]),
        _trace(data["trace"]), data["at"], data["certificate"], tuple(_shown(s) for s in data["shown"]),
    )  # fmt: skip


def _shown(data: dict[str, Any]) -> Shown:
    if not isinstance(data["name"], str) or not isinstance(data["case"], str):
        raise TypeError("nothing that is shown")
    return Shown(data["name"], _value(data["value"]), data["case"], _trace(data["trace"]))


def _trace(data: dict[str, Any] | None) -> Trace | None:
    return None if data is None else Trace.from_json(data)


def plain_value(value: Any, exactly: bool = False) -> Any:
    """A value as plain data: fractions as text, or marked where they are to be read back `exactly`.

    Raises:
        TypeError: It is nothing that can be written down.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value} if exactly else value
    if isinstance(value, Fraction):
        if value.denominator == 1 and not exactly:
            return value.numerator
        return {"fraction": str(value)} if exactly else str(value)
    if isinstance(value, list | tuple):
        return [plain_value(v, exactly) for v in value]
    if isinstance(value, dict) and all(isinstance(k, str) for k in value):
        plain = {k: plain_value(v, exactly) for k, v in value.items()}
        return {"table": plain} if exactly else plain
    raise TypeError(f"{type(value).__name__} cannot be written down")


def _value(data: Any) -> Any:
    match data:
        case {"table": dict(table)}:
            return {k: _value(v) for k, v in table.items()}
        case {"fraction": str(text)}:
            return Fraction(text)
        case {"float": float(number)}:
            return number
        case list():
            return [_value(v) for v in data]
        case dict():
            raise TypeError("not a value")
        case _:
            return data

"""Certificates, read again. Whatever lies in such a folder is data; see `evidence` for the form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dsl import model
from dsl.diagnostics import Reporter
from dsl.files import FileKind, read_whole
from dsl.source import Source, Span
from verify.certificates import sum_of_claim, sum_of_rules
from verify.refused import OF_OTHER_RULES, Refused
from verify.smtlib import look_through
from verify.wanted import AWAITED, COUNTED, FORMAT, INDEX, sum_of

_MAX_BYTES: Final = 64 * 1024 * 1024
_FILE: Final = FileKind(_MAX_BYTES, "a file of a certificate", "no certificate of a game comes to so much")
_FILE_NAME: Final = re.compile(r"[\w-]+\.(smt2|txt)")
_FOLDER: Final = re.compile(r"\.\./[\w.-]*\w")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a certificate: its file, its text, and what it says; `data`: all that the index has of it."""

    path: Path
    text: str
    says: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Certificate:
    """A folder that was read whole. `about` None is one of what is held at the stops of a game.

    `asked` are its questions, `tables` its other files, such as those that list positions.

    `head` says which game, players and options it is about; `claim` is the sum of the claim, if it is about one.
    """

    folder: Path
    source: Source
    head: dict[str, Any]
    about: str | None
    claim: str | None
    asked: tuple[Asked, ...]
    tables: tuple[Asked, ...]
    rests_on: Path | None

    @property
    def players(self) -> int:
        return int(self.head["players"])

    @property
    def lists_positions(self) -> bool:
        """Whether it lists positions instead of asking questions."""
        return COUNTED in self.head

    def place(self, key: str, value: str = "") -> Span:
        """Where the index says something, with this value if one is given."""
        return _place(self.source, key, value)


class Unreadable(Exception):
    """A file is not there or no text; `reporter` has said so."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__()
        self.reporter = reporter


def read(folder: Path) -> list[Certificate]:
    """All certificates in a folder and beneath, each after what it rests on.

    Raises:
        Refused: One of them is damaged.
        Unreadable: Or cannot be read.
    """
    found: dict[Path, Certificate] = {}
    for path in sorted(folder.rglob(INDEX)):
        certificate = _read(path.parent, None)
        if certificate.rests_on is None:
            if certificate.about is not None:
                found[path.parent] = certificate
            continue  # what something rests on is read there
        if certificate.rests_on not in found:
            wanted = certificate.place("sum"), get(certificate.source, certificate.head, "rests_on", dict)["sum"]
            found[certificate.rests_on] = _read(certificate.rests_on, wanted)
            if found[certificate.rests_on].rests_on is not None:
                raise Refused("what this rests on is itself about a property", certificate.place("rests_on"))
        found[path.parent] = certificate
        _same_game(certificate, found[certificate.rests_on])
    return list(found.values())


def compare(certificate: Certificate, source: model.Model) -> None:
    """Raises `Refused` where a certificate is not about these rules, or the claim says something else now."""
    if certificate.head["rules"] != sum_of_rules(source):
        raise Refused("the rules have changed since", certificate.place("rules"), code=OF_OTHER_RULES)
    if certificate.about is None or certificate.claim is None:
        return
    claim = next((c for c in source.properties if c.name == certificate.about), None)
    if claim is None or sum_of_claim(claim) != certificate.claim:
        what = "is not there any more" if claim is None else "says something else now"
        message = f"the claim `{certificate.about}` {what}"
        raise Refused(message, certificate.place("property"), code=OF_OTHER_RULES)


# ------------------------------------------------------------------------------------------------ reading


def _text(path: Path) -> str:
    reporter = Reporter()
    text = read_whole(path, str(path), reporter, _FILE)
    if text is None or reporter.diagnostics:
        raise Unreadable(reporter)
    return text


def _read(folder: Path, wanted: tuple[Span, str] | None) -> Certificate:
    """A folder with its files; `wanted` is the sum that its index should have, and where that is said."""
    path = folder / INDEX
    source = Source(str(path), _text(path))
    if wanted is not None and sum_of(source.text.encode()) != wanted[1]:
        raise Refused(f"`{path}` is not what this was written with: its sum is another", wanted[0])
    data = _parsed(source)
    if data.get("format") != FORMAT:
        raise Refused(f"this is no index of a certificate: its format is not `{FORMAT}`", _place(source, "format"))
    head = {key: get(source, data, key, kind) for key, kind in _HEAD.items()}
    if not all(isinstance(v, str) for v in head["options"].values()):
        raise Refused("`options` should have names of readings", _place(source, "options"))
    rests_on = get(source, data, "rests_on", dict) if "rests_on" in data else None
    head |= {key: data[key] for key in _OF_SORTS if key in data}
    target = None
    if rests_on is not None:
        way = get(source, rests_on, "folder", str)
        get(source, rests_on, "sum", str)
        if not _FOLDER.fullmatch(way):
            raise Refused("`folder` should name a folder beside this one, as `../NAME`", _place(source, "folder"))
        target = folder.parent / way.removeprefix("../")
    is_whole = rests_on is not None or COUNTED in data
    named = get(source, data, "property", str) if is_whole else None
    claim = get(source, data, "claim", str) if "claim" in data else None
    files = tuple(_asked(folder, source, get(source, data, "files", list)))
    asked = tuple(file for file in files if file.path.suffix == _QUESTION)
    tables = tuple(file for file in files if file.path.suffix != _QUESTION)
    return Certificate(folder, source, head, named, claim, asked, tables, target)


_QUESTION: Final = ".smt2"
_OF_SORTS: Final = ("rests_on", "stops", "ends", "weights", COUNTED, AWAITED)
"""What only some sorts of certificates have. Whoever reads one of these looks at its form."""
_HEAD: Final[dict[str, type]] = {"game": str, "rules": str, "players": int, "options": dict}


def _asked(folder: Path, source: Source, listed: list[Any]) -> Iterator[Asked]:
    for entry in listed:
        if not (isinstance(entry, dict) and all(isinstance(entry.get(k), str) for k in ("file", "sum", "says"))):
            raise Refused("`files` should list each file with its `sum` and what it `says`", _place(source, "files"))
        name = entry["file"]
        where = _place(source, "file", name)
        if not _FILE_NAME.fullmatch(name):
            raise Refused("this is no name of a file of a certificate", where)
        path = folder / name
        text = _text(path)
        if sum_of(text.encode()) != entry["sum"]:
            raise Refused(f"`{path}` is not what was written: its sum is another", where)
        if path.suffix == _QUESTION:
            look_through(Source(str(path), text))
        yield Asked(path, text, entry["says"], entry)


def _parsed(source: Source) -> dict[str, Any]:
    try:
        data = json.loads(source.text)
    except json.JSONDecodeError as error:
        raise Refused(f"this is not JSON: {error.msg}", Span(source, error.pos, error.pos + 1)) from None
    except (RecursionError, ValueError):
        raise Refused("this is not JSON that can be read", _place(source, "")) from None
    if not isinstance(data, dict):
        raise Refused("this is no index of a certificate", _place(source, ""))
    return data


def get(source: Source, data: dict[str, Any], key: str, kind: type) -> Any:
    """What an index has under a key. Raises `Refused` where it is nothing of that kind."""
    value = data.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        what = {str: "a text", int: "a number", dict: "a table", list: "a list"}[kind]
        problem = "is missing" if key not in data else f"should be {what}"
        raise Refused(f"`{key}` {problem}", _place(source, key))
    return value


def _place(source: Source, key: str, value: str = "") -> Span:
    """Where an index has a key, with this value if one is given; its first letter where it has not."""
    pattern = rf'"{re.escape(key)}"\s*:\s*' + (re.escape(json.dumps(value, ensure_ascii=False)) if value else "")
    found = re.search(pattern, source.text) if key else None
    return Span(source, found.start(), found.end()) if found else Span(source, 0, min(1, len(source.text)))


def _same_game(one: Certificate, other: Certificate) -> None:
    different = next((key for key in _HEAD if one.head[key] != other.head[key]), None)
    if different is not None:
        raise Refused(f"`{different}` is not what it is in `{other.source.path}`", one.place(different))

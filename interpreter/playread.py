"""Files of plays, read back: the head first, then each step along with a machine of the game. See `playfile`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

from dsl.diagnostics import Diagnostic, Reporter, did_you_mean
from dsl.files import FileKind, read_whole
from dsl.source import Source, Span
from interpreter.fingerprint import DIGITS, PARTS, Fingerprint
from interpreter.playfile import FIRST_LINE, SUFFIX, Claim, Ending, Head, Seats, last_line

DAMAGED: Final = "P802"
AGAINST_THE_RULES: Final = "P803"
MAX_BYTES: Final = 4 * 1024 * 1024
_FILE: Final = FileKind(MAX_BYTES, f"a `{SUFFIX}` file", "no play of a game comes to so much")
_MAX_LINE: Final = 20_000
_LAST: Final = re.compile(rf"(0|[1-9][0-9]{{0,8}}) steps? (?:{'|'.join(Ending)})")
_VERSION: Final = re.compile(r"hoyle play ([0-9]{1,9})")
_SECONDS: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) s")
_SEATS: Final = re.compile(r"none|[1-9][0-9]{0,2}(?: [1-9][0-9]{0,2})*")
_OF_ALL: Final = ("game", "rules", "players")
_OF_SITTINGS: Final = ("seed", "people", "bot")
_OF_CLAIMS: Final = ("property", "shows")
KEYS: Final = (*_OF_ALL, "option", *_OF_SITTINGS, "spent", *_OF_CLAIMS, "reaches")
_ENDS: Final = {
    Ending.OPEN: "the game is not over here",
    Ending.OVER: "the game is over here",
    Ending.FAILED: "the rules fail here",
}
_AGAIN: Final = "a file is as good as what was written last; take an older one if there is one"


class Damaged(Exception):
    """A file that cannot be used, with what is wrong and where."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics


def damaged(message: str, span: Span, help: str = "", code: str = DAMAGED) -> Damaged:
    """The refusal of a file."""
    return Damaged(Diagnostic(code, message, span, help=help))


class Line(NamedTuple):
    """A line without the space around it, and where it begins in its file."""

    text: str
    source: Source
    start: int

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.part(0, max(len(self.text), 1))

    def part(self, start: int, end: int) -> Span:
        """Where the letters `start` up to `end` of the line stand."""
        return Span(self.source, self.start + start, min(self.start + end, max(len(self.source.text), self.start)))


@dataclass(frozen=True, slots=True)
class Play:
    """A file that was read: its head, its lines of steps, and what it says in the end."""

    head: Head
    steps: tuple[Line, ...]
    last: Line

    @property
    def is_over(self) -> bool:
        """Whether the game has come to its end, as the file says."""
        return self.last.text.endswith(Ending.OVER)

    @property
    def fails(self) -> bool:
        """Whether the file says that the rules cannot be followed where it ends."""
        return self.last.text.endswith(Ending.FAILED)


def read(path: Path, shown: str) -> Play:
    """A file as it stands, its steps not looked at yet. `shown` is the path that messages name. Raises `Damaged`."""
    reporter = Reporter()
    text = read_whole(path, shown, reporter, _FILE)
    if text is None or reporter.has_errors:
        raise Damaged(*reporter.diagnostics)
    source = Source(shown, text)
    if (nul := text.find("\0")) >= 0:
        raise damaged("there is a NUL character in the text", Span(source, nul, nul + 1), "this is no text file")
    lines = list(_lines(source))
    _check_first(lines[0])
    number = next((i for i, line in enumerate(lines) if not line.text), len(lines))
    head = _head(lines[1:number], lines[number - 1])
    body = [line for line in lines[number:] if line.text]
    if not body or not _LAST.fullmatch(body[-1].text):
        message = "the file is cut off: its last line is not `N steps so far` or `N steps to the end`"
        raise damaged(message, (body or lines[:number])[-1].span, _AGAIN)
    *steps, last = body
    count = last.text.partition(" ")[0]
    if int(count) != len(steps):
        raise damaged(f"the file says that it has {count} steps, and has {len(steps)}", last.span, _AGAIN)
    return Play(head, tuple(steps), last)


def _lines(source: Source) -> Iterator[Line]:
    at = 0
    for raw in source.text.split("\n"):
        text = raw.strip()
        line = Line(text, source, at + raw.find(text[:1]))
        if len(text) > _MAX_LINE:
            raise damaged(f"a line has at most {_MAX_LINE} letters", line.part(0, 1))
        yield line
        at += len(raw) + 1


def _check_first(line: Line) -> None:
    if line.text == FIRST_LINE:
        return
    version = _VERSION.fullmatch(line.text)
    if version is not None:
        message = f"this play was written by another version of hoyle ({_short(version[1])})"
        raise damaged(message, line.span, f"this one reads files that begin with `{FIRST_LINE}`")
    help = f"a file of a play begins with the line `{FIRST_LINE}`"
    raise damaged("this is not a file of a play", line.span, help)


# ----------------------------------------------------------------------------------------------- the head


def _head(lines: list[Line], end: Line) -> Head:
    values: dict[str, tuple[str, Span]] = {}
    options: dict[str, str] = {}
    for line in lines:
        key, value, span = _entry(line)
        if key == "option":
            name, equals, reading = (part.strip() for part in value.partition("="))
            if not (name and equals and reading):
                raise damaged("this is half an option", span, "an option is written `option: NAME = READING`")
            options[name] = reading
            key = f"option {name}"
        if key in values:
            raise damaged(f"`{_short(key)}` is there twice", line.span, "keep one of the two lines")
        values[key] = value, span
    others = [k for k in (*_OF_CLAIMS, "reaches") if k in values]
    wanted = (*_OF_ALL, *(_OF_CLAIMS if others else _OF_SITTINGS))
    for key in wanted:
        if key not in values:
            raise damaged(f"the head lacks `{key}`", end.span, f"it has lines for {', '.join(wanted)}")
    if mixed := [k for k in (*_OF_SITTINGS, "spent") if others and k in values]:
        message = f"`{mixed[0]}` does not go with `{others[0]}`"
        raise damaged(message, values[mixed[0]][1], "people play it, or it is shown for a property")
    count = _number_of_players(*values["players"])
    about = _claim(values) if others else _sitting(values, count)
    places = {key: span for key, (_, span) in values.items()}
    return Head(values["game"][0], _rules(*values["rules"]), count, tuple(options.items()), about, places)


def _entry(line: Line) -> tuple[str, str, Span]:
    """The key of a line, its value, and where that stands."""
    before, colon, after = line.text.partition(":")
    key, value = before.strip(), after.strip()
    if not colon or key not in KEYS:
        raise damaged(f"`{_short(key or line.text)}` is no line of the head", line.part(0, max(len(before), 1)),
                      did_you_mean(key, KEYS) or "an empty line ends the head")  # fmt: skip
    if not value:
        raise damaged(f"`{key}` says nothing", line.span, "its value stands behind the colon")
    at = len(before) + 1 + len(after) - len(after.lstrip())
    return key, value, line.part(at, at + len(value))


def _number_of_players(text: str, span: Span) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,2}", text):
        raise damaged(f"`{_short(text)}` is no number of players", span, "write a number such as 2")
    return int(text)


def _rules(text: str, span: Span) -> Fingerprint:
    found: dict[str, str] = {}
    for piece in text.split(","):
        part, _, digits = piece.strip().partition(" ")
        if part not in PARTS or part in found or not re.fullmatch(rf"[0-9a-f]{{{DIGITS}}}", digits):
            help = f"each part of the rules has its name and {DIGITS} digits, such as `zones 0b77d1aa`"
            raise damaged(f"`{_short(piece.strip())}` is no sum of a part of the rules", span, help)
        found[part] = digits
    return tuple(found.items())


def _claim(values: dict[str, tuple[str, Span]]) -> Claim:
    reaches = values["reaches"][0] if "reaches" in values else ""
    return Claim(values["property"][0], values["shows"][0], reaches)


def _sitting(values: dict[str, tuple[str, Span]], num_players: int) -> Seats:
    seats, span = values["people"]
    if not _SEATS.fullmatch(seats):
        raise damaged(f"`{_short(seats)}` are no seats", span, "write `none` or seats such as `1 3`")
    people = () if seats == "none" else tuple(int(seat) - 1 for seat in seats.split())
    if max(people, default=0) >= num_players:
        raise damaged(f"there is no seat {max(people) + 1}: {num_players} play", span, "seats count from 1")
    if len(set(people)) < len(people):
        raise damaged("a seat is there twice", span, "name each seat once")
    spent, there = values.get("spent", ("0 s", span))
    found = _SECONDS.fullmatch(spent)
    if found is None:
        raise damaged(f"`{_short(spent)}` is no time", there, "write seconds such as `1.5 s`")
    return Seats(values["seed"][0], people, values["bot"][0], milliseconds(found[1]))


def milliseconds(seconds: str) -> int:
    """A time as it is written, in milliseconds."""
    return int(Fraction(seconds) * 1000)


def check_end(play: Play, ending: Ending) -> None:
    """Raises `Damaged` where the play ends in another way than its file says."""
    told = last_line(len(play.steps), ending)
    if play.last.text != told:
        raise damaged(_ENDS[ending], play.last.span, f"the line must be `{told}`")


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."

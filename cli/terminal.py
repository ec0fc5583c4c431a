"""The terminal: what it can show, writing to it, and reading lines with a time limit."""

from __future__ import annotations

import os
import re
import select
import shutil
import sys
import textwrap
import time
from collections import deque
from typing import Final

from cli.driver import wants_color

MAX_WIDTH: Final = 100
_STYLES: Final = {"bold": "\x1b[1m", "dim": "\x1b[2m", "red": "\x1b[31m", "yellow": "\x1b[33m", "cyan": "\x1b[36m"}
_RESET: Final = "\x1b[0m"
_RED_CARD: Final = re.compile(r"\w+[♥♦]")


class EndOfInput(Exception):
    """There is nothing more to read: who plays has left."""


class Terminal:
    """Standard input and output. Colours and suit symbols are for terminals only: in a pipe, letters are clearer."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdout.isatty()
        self.has_color = wants_color(sys.stdout)
        # A browser shows what is written, in place of a terminal.
        self.is_served = "TEXTUAL_DRIVER" in os.environ
        self.is_full = self.is_terminal and sys.stdin.isatty() and os.environ.get("TERM") != "dumb"
        self.has_symbols = (self.is_terminal or self.is_served) and _can_write("♠♥♦♣")
        self.width = min(shutil.get_terminal_size((80, 24)).columns, MAX_WIDTH)
        self._echo = not sys.stdin.isatty()
        self._lines = _Lines()

    def say(self, text: str = "", style: str = "", indent: str = "") -> None:
        """One paragraph, wrapped; further lines start with `indent`."""
        for line in self.wrap(text, indent):
            self.raw(line, style)

    def raw(self, line: str, style: str = "") -> None:
        """One line as it is."""
        if self.has_color:
            back = _RESET + _STYLES.get(style, "")
            line = _RED_CARD.sub(lambda found: f"{_STYLES['red']}{found[0]}{back}", line)
            line = f"{_STYLES[style]}{line}{_RESET}" if style else line
        print(line, flush=True)

    def wrap(self, text: str, indent: str = "") -> list[str]:
        """The lines of a paragraph."""
        options = {"break_long_words": False, "break_on_hyphens": False, "subsequent_indent": indent}
        lead = text[: len(text) - len(text.lstrip())]
        return textwrap.wrap(text, self.width - 1, drop_whitespace=True, **options) or [lead]  # type: ignore[arg-type]

    def clear(self) -> None:
        """Takes away what was seen, and what can be scrolled back to."""
        if self.is_terminal:
            print("\x1b[H\x1b[2J\x1b[3J", end="", flush=True)
        else:
            print("\n" + "-" * (self.width - 1), flush=True)

    def ask(self, prompt: str, seconds: float | None = None) -> str | None:
        """A line that was typed; None where none came in so many seconds.

        Raises:
            EndOfInput: There is no more to come.
        """
        print(prompt, end="", flush=True)
        line = self._lines.next(seconds)
        if line is None:
            print(flush=True)
        elif self._echo:
            # Nobody sees what comes from a pipe, so it is written where it would have been typed.
            print(line, flush=True)
        return line


class _Lines:
    """Lines of standard input, read past Python's own buffer: only so can waiting for one come to an end."""

    def __init__(self) -> None:
        self._ready: deque[str] = deque()
        self._rest = b""
        self._ended = False
        try:
            self._fd: int | None = sys.stdin.fileno()
        except (OSError, ValueError, AttributeError):
            self._fd = None  # a stream of a test, which never keeps one waiting

    def next(self, seconds: float | None) -> str | None:
        if self._fd is None or (os.name == "nt" and seconds is None):
            line = sys.stdin.readline()
            if not line:
                print(flush=True)
                raise EndOfInput
            return line.rstrip("\r\n")
        until = None if seconds is None else time.monotonic() + seconds
        while not self._ready:
            if self._ended:
                print(flush=True)
                raise EndOfInput
            left = None if until is None else max(until - time.monotonic(), 0)
            if not select.select([self._fd], [], [], left)[0]:
                return None
            self._take(os.read(self._fd, 65536))
        return self._ready.popleft()

    def _take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if not data:
            self._ended = True
            lines += [self._rest] if self._rest else []
            self._rest = b""
        self._ready.extend(line.decode("utf-8", "replace").rstrip("\r") for line in lines)


def _can_write(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True

"""From a path to text, whatever lies there: nothing is waited for, and no more is read than may be."""

from __future__ import annotations

import codecs
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dsl.diagnostics import Reporter
from dsl.source import Source, Span

ENDINGS: Final = (".yaml", ".yml")
"""How names of rule files end, and of those that belong to them: nothing else is opened because a file names it."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """What is expected: how large it may be in bytes, what to name instead, and what to do where it is too large."""

    max_bytes: int
    named: str
    shorten: str


def read_whole(path: Path, shown: str, reporter: Reporter, kind: FileKind) -> str | None:
    """The text of a file; None where there is none to be had. `shown` is the path that messages name.

    Text may come back together with an error, its bad bytes replaced.
    """
    nowhere = Span(Source(shown, ""), 0, 0)
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # asked before opening: to open a pipe would wait for ever
            what = "a folder" if stat.S_ISDIR(mode) else "not an ordinary file"
            reporter.report("R102", f"`{shown}` is {what}", nowhere, help=f"name {kind.named}")
            return None
        with path.open("rb") as file:
            data = file.read(kind.max_bytes + 1)
    except FileNotFoundError:
        reporter.report("R101", f"no file `{shown}` exists", nowhere, help="check the spelling of the path")
        return None
    except PermissionError:
        reporter.report("R103", f"`{shown}` may not be read", nowhere, help="check the file's permissions")
        return None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        reporter.report("R103", f"`{shown}` cannot be read: {reason.lower()}", nowhere)
        return None
    if len(data) > kind.max_bytes:
        report_too_large(shown, data[:1000].decode("utf-8", "replace"), reporter, kind)
        return None
    return _decoded(data, shown, reporter)


def report_too_large(shown: str, text: str, reporter: Reporter, kind: FileKind) -> None:
    """Says that a file is too large, beside its first line."""
    start = text[:200].partition("\n")[0].rstrip("\r")  # enough to show; the rest is not worth keeping
    message = f"the file is larger than {kind.max_bytes // 1024} KiB"
    reporter.report("R104", message, _start(Source(shown, start)), help=kind.shorten)


def _start(source: Source) -> Span:
    return Span(source, 0, min(1, len(source.text)))


def _decoded(data: bytes, shown: str, reporter: Reporter) -> str | None:
    if wide := _wide_encoding(data):
        source = Source(shown, data.decode(wide, "replace").removeprefix("\ufeff"))
        name = wide[:6].upper()
        message = f"the file is written in {name}, not in UTF-8"
        reporter.report("R105", message, _start(source), help="save it as UTF-8")
        return None
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        at = len(data[: error.start].decode("utf-8"))
        message = f"the byte 0x{data[error.start]:02X} is not UTF-8 text"
        reporter.report("R105", message, Span(Source(shown, text), at, at + 1), help="save the file as UTF-8")
        return text


def _wide_encoding(data: bytes) -> str:
    """The encoding of a file whose characters take two or four bytes each, or nothing."""
    for mark, name in (
        (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
    ):  # fmt: skip
        if data.startswith(mark):
            return name
    head = data[:64]
    if len(head) >= 4 and not any(head[1::2]) and all(head[0::2]):
        return "utf-16-le"
    if len(head) >= 4 and not any(head[0::2]) and all(head[1::2]):
        return "utf-16-be"
    return ""

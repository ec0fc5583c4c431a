"""YAML text to a tree with exact places.

YAML is used for its shape only: keys, lists and text. Nothing is typed implicitly (`no`, `010`, `3:2` and `1e3`
stay text), and what makes YAML files surprising (aliases, anchors, merge keys, tags, directives, several documents,
equal keys) is refused with its place. The tree is built from PyYAML's events in a loop, not by recursion and never
through its constructors, so that no file, however strange, can crash the reader or keep it busy for long.
"""

from __future__ import annotations

import codecs
import stat
from pathlib import Path
from typing import Final

from dsl.diagnostics import Reporter
from dsl.source import Source
from dsl.yamlbuild import MAX_DEPTH, MAX_NODES, Builder
from dsl.yamlproblems import Problems, clean
from dsl.yamltree import Entry, Mapping, Node, Scalar, Sequence, Style

__all__ = [
    "MAX_BYTES", "MAX_DEPTH", "MAX_NODES", "Entry", "Mapping", "Node", "Scalar", "Sequence", "Style",
    "read_file", "read_text",
]  # fmt: skip

MAX_BYTES: Final = 512 * 1024


def read_file(path: Path, shown: str, reporter: Reporter) -> Mapping | None:
    """Read a rule file; `shown` is the path that messages name. None where there is no usable tree.

    A tree may come back together with errors: ask `reporter.has_errors` before trusting it.
    """
    nowhere = Problems(Source(shown, ""), reporter)
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # asked before opening: to open a pipe would wait for ever
            what = "a folder" if stat.S_ISDIR(mode) else "not an ordinary file"
            nowhere.report("R102", f"`{shown}` is {what}", 0, 0, help="name a `.yaml` file")
            return None
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        nowhere.report("R101", f"no file `{shown}` exists", 0, 0, help="check the spelling of the path")
        return None
    except PermissionError:
        nowhere.report("R103", f"`{shown}` may not be read", 0, 0, help="check the file's permissions")
        return None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        nowhere.report("R103", f"`{shown}` cannot be read: {reason.lower()}", 0, 0)
        return None
    return _read_bytes(data, shown, reporter)


def read_text(path: str, text: str, reporter: Reporter) -> Mapping | None:
    """Read the text of a rule file; `path` is what messages name. None where there is no usable tree.

    A tree may come back together with errors: ask `reporter.has_errors` before trusting it.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        _too_large(path, text, reporter)
        return None
    problems = Problems(Source(path, text), reporter)
    return Builder(problems, clean(text, problems)).build()


def _too_large(path: str, text: str, reporter: Reporter) -> None:
    start = text[:200].partition("\n")[0].rstrip("\r")  # enough to show; the rest is not worth keeping
    problems = Problems(Source(path, start), reporter)
    message = f"the file is larger than {MAX_BYTES // 1024} KiB"
    problems.report("R104", message, 0, 1, help="split the game into a base and variants")


def _read_bytes(data: bytes, shown: str, reporter: Reporter) -> Mapping | None:
    if len(data) > MAX_BYTES:
        _too_large(shown, data[:1000].decode("utf-8", "replace"), reporter)
        return None
    if wide := _wide_encoding(data):
        problems = Problems(Source(shown, data.decode(wide, "replace").removeprefix("\ufeff")), reporter)
        name = wide[:6].upper()
        problems.report("R105", f"the file is written in {name}, not in UTF-8", 0, 1, help="save it as UTF-8")
        return None
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        at = len(data[: error.start].decode("utf-8"))
        message = f"the byte 0x{data[error.start]:02X} is not UTF-8 text"
        Problems(Source(shown, text), reporter).report("R105", message, at, at + 1, help="save the file as UTF-8")
    return read_text(shown, text, reporter)


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

"""YAML text to a tree with exact places.

YAML is used for its shape only: keys, lists and text. Nothing is typed implicitly (`no`, `010`, `3:2` and `1e3`
stay text), and what makes YAML files surprising (aliases, anchors, merge keys, tags, directives, several documents,
equal keys) is refused with its place. The tree is built from PyYAML's events in a loop, not by recursion and never
through its constructors, so that no file, however strange, can crash the reader or keep it busy for long.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from dsl.diagnostics import Reporter
from dsl.files import FileKind, read_whole, report_too_large
from dsl.source import Source
from dsl.yamlbuild import MAX_DEPTH, MAX_NODES, Builder
from dsl.yamlproblems import Problems, clean
from dsl.yamltree import Entry, Mapping, Node, Scalar, Sequence, Style

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_NODES",
    "Entry",
    "Mapping",
    "Node",
    "Read",
    "Scalar",
    "Sequence",
    "Style",
    "read_file",
    "read_text",
]  # fmt: skip

MAX_BYTES: Final = 512 * 1024
Read: TypeAlias = Callable[[Path, str, Reporter], Mapping | None]
"""What reads a file for those who need its tree, as `read_file` does."""

_RULE_FILE: Final = FileKind(MAX_BYTES, "a `.yaml` file", "split the game into a base and variants")


def read_file(path: Path, shown: str, reporter: Reporter) -> Mapping | None:
    """Read a rule file; `shown` is the path that messages name. None where there is no usable tree.

    A tree may come back together with errors: ask `reporter.has_errors` before trusting it.
    """
    text = read_whole(path, shown, reporter, _RULE_FILE)
    return None if text is None else read_text(shown, text, reporter)


def read_text(path: str, text: str, reporter: Reporter) -> Mapping | None:
    """Read the text of a rule file; `path` is what messages name. None where there is no usable tree.

    A tree may come back together with errors: ask `reporter.has_errors` before trusting it.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        report_too_large(path, text, reporter, _RULE_FILE)
        return None
    problems = Problems(Source(path, text), reporter)
    return Builder(problems, clean(text, problems)).build()

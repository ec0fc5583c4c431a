"""The tree of a YAML file as it was written: three kinds of node, text never interpreted, every node with its span."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dsl.source import Embedded, Span

Style = Literal["plain", "quoted", "block"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A piece of text: `no`, `010`, `3:2` and `~` are just these letters. An absent value is a plain empty text.

    `span` covers what stands in the file (with quotes or the `|`); `embedded` tells where each letter of `text` is.
    """

    text: str
    span: Span = field(compare=False, repr=False)
    style: Style = field(compare=False)
    embedded: Embedded = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list, written with `- ` or in `[ ]`."""

    items: tuple[Node, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key: value` of a mapping."""

    key: Scalar
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys with their values, in the order of the file; the keys are all different."""

    entries: tuple[Entry, ...]
    span: Span = field(compare=False, repr=False)
    _by_name: dict[str, Entry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {entry.key.text: entry for entry in self.entries})

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the keys, in the order of the file."""
        return tuple(self._by_name)

    def get(self, name: str) -> Node | None:
        """The value of a key, or None where the key is not written."""
        entry = self._by_name.get(name)
        return None if entry is None else entry.value

    def entry(self, name: str) -> Entry | None:
        """The key with its value (for the span of the key), or None where it is not written."""
        return self._by_name.get(name)


Node = Scalar | Sequence | Mapping

"""The tree of one YAML file, built from PyYAML's events in a loop; what rule files do without is reported here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import yaml
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from dsl.source import Embedded, Span
from dsl.yamlproblems import Problems, explain_syntax, line_end, report_directive
from dsl.yamlscalars import locate
from dsl.yamltree import Entry, Mapping, Node, Scalar, Sequence, Style

MAX_NODES: Final = 20_000
MAX_DEPTH: Final = 40

_PROPERTY: Final = re.compile(r"&[\w-]*|!<[^>\s]*>|![^\s,\[\]{}]*")
_SPACE: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_GLUED_COMMENT: Final = re.compile(r"[ ]+(#[^\s#!][^\r\n]*)")
_NO_ESCAPE: Final = "write the character itself, or leave it out"
_STYLES: Final[dict[str | None, Style]] = {None: "plain", "'": "quoted", '"': "quoted", "|": "block", ">": "block"}


class _Events(Reader, Scanner, Parser):
    """PyYAML up to its events; it has no constructor that could make objects."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end was not yet read."""

    start: int
    is_mapping: bool
    items: list[Node] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    key: Node | None = None
    end: int = 0  # the end of the last thing in it
    merging: bool = False  # between `<<` and its value


class _Stop(Exception):
    """There is nothing more to learn from this file."""


class Builder:
    """Makes the tree of one file, event by event; `build` gives it, or None where it is not usable."""

    def __init__(self, problems: Problems, text: str) -> None:
        self.problems = problems
        self.source = problems.source
        self.text = text
        self.open: list[_Open] = []
        self.nodes = 0
        self.root: Node | None = None
        self.document_at: int | None = None

    def build(self) -> Mapping | None:
        events = _Events(self.text)
        try:
            while events.check_event():
                self.take(events.get_event())  # type: ignore[no-untyped-call]
        except _Stop:
            pass
        except yaml.MarkedYAMLError as error:
            explain_syntax(error, self.text, self.problems)
            return None
        except (yaml.YAMLError, ValueError, OverflowError):
            # PyYAML turns escapes and version numbers into numbers without asking whether they fit.
            at = min(events.index, len(self.text))
            start = self.text.rfind("\n", 0, at) + 1
            if self.text.startswith("%", start):
                report_directive(self.problems, start, line_end(self.text, at))
                return None
            start = max(self.text.rfind("\\", 0, at), 0)
            self.problems.report("R136", "this escape names no character", start, at, help=_NO_ESCAPE)
            return None
        return self.finish()

    def finish(self) -> Mapping | None:
        root = self.root
        if root is None or (isinstance(root, Scalar) and root.style == "plain" and not root.text):
            if root is not None or self.document_at is None:
                help = "a rule file starts with `hoyle: 1` and `game: its_name`"
                self.problems.report("R107", "the file holds nothing", 0, 0, help=help)
            return None
        if isinstance(root, Mapping):
            return root
        what = "a list" if isinstance(root, Sequence) else "a text"
        help = "write it as `key: value` lines"
        if isinstance(root, Scalar) and re.match(r"[\w.-]+:\S", root.text):
            help = "put a space after the colon of each key"
        start = root.span.start
        end = min(root.span.end, start + len(self.source.line_text(root.span.line)) - root.span.column + 1)
        self.problems.report("R110", f"the file is {what}, not keys with values", start, end, help=help)
        return None

    # --- one event -------------------------------------------------------------------------------------------

    def take(self, event: yaml.Event) -> None:
        assert event.start_mark is not None and event.end_mark is not None  # only events made by hand lack them
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, yaml.NodeEvent):
            self.count(start)
            start = self.properties(event, start, end)
        match event:
            case yaml.DocumentStartEvent():
                self.document(start, end)
            case yaml.ScalarEvent():
                self.add(self.scalar(start, end, event.style, event.value))
            case yaml.AliasEvent():
                self.alias(start, end)
            case yaml.CollectionStartEvent():
                if len(self.open) >= MAX_DEPTH:
                    message = f"this is nested deeper than {MAX_DEPTH} levels"
                    self.problems.report("R120", message, start, start + 1, help="give parts of it names of their own")
                    self.root = None
                    raise _Stop
                self.open.append(_Open(start, isinstance(event, yaml.MappingStartEvent)))
            case yaml.CollectionEndEvent():
                self.close(end)
            case _:
                pass

    def document(self, start: int, end: int) -> None:
        if self.document_at is not None:
            first = self.problems.span(self.document_at, self.document_at + 1)
            help = "keep one document in one file"
            label = (first, "the first one starts here")
            self.problems.report("R111", "a second document starts here", start, end, label=label, help=help)
            raise _Stop
        found = _SPACE.match(self.text, start)
        self.document_at = found.end() if found else start

    def count(self, at: int) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            message = f"the file has more than {MAX_NODES:,} keys and values"
            self.problems.report("R121", message, at, at + 1, help="split the game into a base and variants")
            self.root, self.document_at = None, 0
            raise _Stop

    def properties(self, event: yaml.NodeEvent, at: int, end: int) -> int:
        """Report the anchor and the tag before a node; gives the place where the node itself starts."""
        if isinstance(event, yaml.AliasEvent) or (event.anchor is None and getattr(event, "tag", None) is None):
            return at
        while found := _PROPERTY.match(self.text, at):
            if found[0].startswith("&"):
                help = f"delete `{found[0]}` and write the value out where it is needed"
                self.problems.report("R116", "a rule file has no anchors", *found.span(), help=help)
            else:
                help = "delete it (the value stays as it is written), or put text that starts with `!` in quotes"
                self.problems.report("R117", "a rule file has no tags", *found.span(), help=help)
            space = _SPACE.match(self.text, found.end())
            at = space.end() if space else found.end()
        if isinstance(event, yaml.ScalarEvent):  # an absent value ends with its anchor, before that space
            at = min(at, end)
        return at

    def scalar(self, start: int, end: int, style: str | None, value: str) -> Scalar:
        located = locate(self.source, self.text, start, end, style, value)
        for bad in located.bad_escapes:
            self.problems.report("R136", "this escape names no character that can be shown", *bad, help=_NO_ESCAPE)
        if style is None and value and (found := _GLUED_COMMENT.match(self.text, located.end)):
            help = "put the whole text in quotes; or put a space after `#` if it is a comment"
            message = "what follows ` #` is a comment, not part of the text"
            self.problems.report("R141", message, *found.span(1), help=help, severity="warning")
        return Scalar(located.embedded.text, Span(self.source, start, located.end), _STYLES[style], located.embedded)

    def alias(self, start: int, end: int) -> None:
        """Report an alias; its own letters stand in for the value, since expanding it is what makes bombs."""
        if not (self.open and self.open[-1].merging):  # else `<<` is the mistake, and is reported
            help = "write the value out, or put text that starts with `*` in quotes"
            self.problems.report("R115", "a rule file has no aliases", start, end, help=help)
        text = self.text[start:end]
        self.add(Scalar(text, Span(self.source, start, end), "plain", Embedded(self.source, text, ((0, start),))))

    # --- the tree --------------------------------------------------------------------------------------------

    def close(self, end: int) -> None:
        done = self.open.pop()
        bracketed = self.text[done.start] == ("{" if done.is_mapping else "[")
        if not (bracketed and self.text[end - 1] in "]}"):
            end = max(done.end, done.start)  # PyYAML's end is the start of whatever comes next
        span = Span(self.source, done.start, end)
        if done.is_mapping:
            self.add(Mapping(tuple(done.entries.values()), span))
        else:
            self.add(Sequence(tuple(done.items), span))

    def add(self, node: Node) -> None:
        """Put a finished node where it belongs: the root, a list, a key or its value."""
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        parent.end = max(parent.end, node.span.end)
        if not parent.is_mapping:
            parent.items.append(node)
        elif parent.key is None:
            parent.key = node
            parent.merging = isinstance(node, Scalar) and node.text == "<<" and node.style == "plain"
        else:
            self.entry(parent, parent.key, node)
            parent.key, parent.merging = None, False

    def entry(self, parent: _Open, key: Node, value: Node) -> None:
        start, end = key.span.start, key.span.end
        if not isinstance(key, Scalar) or key.style == "block":
            help = "use one word as the key"
            self.problems.report("R119", "a key is one piece of text on one line", start, start + 1, help=help)
        elif not key.text:
            self.problems.report("R119", "a key is missing before the colon", start, end, help="write a key")
        elif parent.merging:
            help = "write the keys out, or use `extends:` for a variant of a game"
            self.problems.report("R118", "a rule file has no merge keys", start, end, help=help)
        elif (first := parent.entries.get(key.text)) is not None:
            label = (first.key.span, "first written here")
            message = f"the key `{key.text}` is written twice"
            self.problems.report("R114", message, start, end, label=label, help="keep one of them")
        else:
            parent.entries[key.text] = Entry(key, value)
            self.glued(key, value)

    def glued(self, key: Scalar, value: Node) -> None:
        """`{a:1}` is the key `a:1` without a value."""
        absent = isinstance(value, Scalar) and value.style == "plain" and not value.text
        if absent and key.style == "plain" and (found := re.match(r"([\w.-]+):(?=\S)", key.text)):
            colon = key.embedded.span(found.end() - 1, found.end())
            help = f"write `{found[1]}: ` with a space"
            self.problems.report("R135", "no space stands after the colon", colon.start, colon.end, help=help)

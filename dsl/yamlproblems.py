"""What is wrong with a file before it is a tree: its bytes, its characters, and its YAML syntax in our words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

import yaml

from dsl.diagnostics import Label, Reporter, Severity
from dsl.source import Source, Span
from dsl.yamlscalars import REPLACEMENT, UNSAFE

MOST_OF_ONE_KIND: Final = 20  # a file with a thousand tabs is told so twenty times

_QUOTE_IT: Final = "put the text in quotes"
_TAB_INDENT: Final = re.compile(r"^ *(\t[ \t]*)(?=[^ \t\r\n])", re.MULTILINE)
_HEAD: Final = re.compile(r"(?:[ ]*(?:#[^\n]*)?\r?\n)*")
_DIRECTIVE: Final = re.compile(r"%[^\r\n]*")
_KEY_BEFORE: Final = re.compile(r"""^ *(?:- +)*(?:"[^"]*"|'[^']*'|[^\s#"'][^#]*?) *: +(?=\S)""")
_GLUED_COLON: Final = re.compile(r"^ *(?:- +)*([\w.-]+):(?=[^\s:/])")
_NAMES: Final = {"\0": "a NUL character", "\r": "a carriage return alone", "\ufeff": "a byte order mark"}


@dataclass(slots=True)
class Problems:
    """Reports what is wrong with one file, no kind more than `MOST_OF_ONE_KIND` times."""

    source: Source
    reporter: Reporter
    tab_lines: set[int] = field(default_factory=set)
    _count: Counter[str] = field(default_factory=Counter)

    def report(
        self,
        code: str,
        message: str,
        start: int,
        end: int,
        *,
        note: str = "",
        label: tuple[Span, str] | None = None,
        help: str = "",
        severity: Severity = "error",
    ) -> None:
        self._count[code] += 1
        if self._count[code] > MOST_OF_ONE_KIND:
            return
        labels = () if label is None else (Label(*label),)
        span = self.span(start, end)
        self.reporter.report(code, message, span, note=note, labels=labels, help=help, severity=severity)

    def span(self, start: int, end: int) -> Span:
        size = len(self.source.text)
        start = min(start, size)
        return Span(self.source, start, min(max(start, end), size))


def clean(text: str, problems: Problems) -> str:
    """Report characters, directives and tabs that have no place in a rule file; give a text of the same length
    without the first two, so that reading can go on and every place stays the same."""
    for found in UNSAFE.finditer(text):
        char = found[0]
        name = _NAMES.get(char, f"the invisible character U+{ord(char):04X}")
        problems.report("R106", f"{name} stands in the file", *found.span(), help="delete it")
    text = UNSAFE.sub(lambda found: "\n" if found[0] == "\r" else REPLACEMENT, text)

    # The directives stand at the head of the file; their lines become blank ones.
    kept, at = [], 0
    while head := _HEAD.match(text, at):
        kept.append(text[at : head.end()])
        at = head.end()
        if not (directive := _DIRECTIVE.match(text, at)):
            break
        report_directive(problems, *directive.span())
        kept.append(" " * len(directive[0]))
        at = directive.end()
    text = "".join(kept) + text[at:]

    for found in _TAB_INDENT.finditer(text):
        problems.tab_lines.add(problems.source.position(found.start())[0])
        problems.report("R113", "a tab is used for indentation", *found.span(1), help="indent with spaces")
    return text


def report_directive(problems: Problems, start: int, end: int) -> None:
    """Refuse the `%` line between two places."""
    problems.report("R112", "a rule file has no YAML directives", start, end, help="delete this line")


def explain_syntax(error: yaml.MarkedYAMLError, text: str, problems: Problems) -> None:
    """Report a syntax error that PyYAML found in `text`, in words for an author of rules."""
    place = error.problem_mark or error.context_mark
    at = min(place.index, len(text)) if place is not None else 0
    opened = error.context_mark.index if error.context_mark is not None else at
    line_start = text.rfind("\n", 0, at) + 1
    line = problems.source.position(at)[0]
    first_line = problems.source.position(opened)[0]
    if problems.tab_lines & {line, line - 1, first_line}:
        return  # the tab was reported, and is the cause
    what, char = error.problem or "", text[at : at + 1]
    context = error.context or ""
    if text[line_start : line_start + 1] == "%":
        report_directive(problems, line_start, line_end(text, at))
    elif char == "\t" and "cannot start any token" in what:
        problems.report("R113", "a tab stands between the words", at, at + 1, help="use spaces")
    elif "could not find expected ':'" in what:
        _missing_colon(problems, text, opened)
    elif "mapping values are not allowed" in what:
        _second_colon(problems, text, at, line_start)
    elif "quoted scalar" in context:
        _quoted(problems, what, at, opened, text)
    elif "anchor" in context:
        problems.report("R116", "`&` starts an anchor", opened, opened + 1, help=_QUOTE_IT)
    elif "alias" in context:
        problems.report("R115", "`*` starts an alias", opened, opened + 1, help=_QUOTE_IT)
    elif "tag" in context or "tag handle" in what:
        problems.report("R117", "`!` starts a tag", opened, opened + 1, help=_QUOTE_IT)
    elif "block scalar" in context:
        help = "write `|` alone, and the text indented under it"
        problems.report("R139", "after `|` or `>` the text starts on the next line", at, at + 1, help=help)
    elif "flow" in context and "expected ','" in what:
        _in_brackets(problems, text, at, opened, line_start)
    elif char and char in "@`%|>" and "cannot start any token" in what:
        problems.report("R137", f"a text cannot start with {_tick(char)}", at, at + 1, help=_QUOTE_IT)
    elif char == ":" and "<block end>" in what and not text[line_start:at].strip(" -?"):
        problems.report("R119", "a key is missing before the colon", at, at + 1, help="write a key")
    elif not text[line_start:at].strip(" ") and ("<block end>" in what or "<document start>" in what):
        _indentation(problems, text, at, opened, what)
    else:
        _otherwise(problems, text, at, what)


def _missing_colon(problems: Problems, text: str, start: int) -> None:
    """A line that should have been `key: value`."""
    end = line_end(text, start)
    line_start = text.rfind("\n", 0, start) + 1
    words = text[start:end].rstrip()
    if glued := _GLUED_COLON.match(text[line_start:end]):
        colon = line_start + glued.end() - 1
        help = f"write `{glued[1]}: ` with a space"
        problems.report("R135", "no space stands after the colon", colon, colon + 1, help=help)
        return
    help = "write `key: value`, or indent the line where it goes on from the line before"
    if end == len(text):
        help = "the file may be cut off here; " + help
    if _comment_above(text, line_start):
        help = "the line before has a ` #`, which starts a comment and ends its text; put that text in quotes"
    problems.report("R138", "this line has no colon after its key", start, start + len(words), help=help)


def _second_colon(problems: Problems, text: str, at: int, line_start: int) -> None:
    if found := _KEY_BEFORE.match(text[line_start : min(at, line_start + 1000)]):  # no key is longer in YAML
        value = line_start + found.end()
        help = "put the text in quotes, or on its own lines under `|`"
        label = (problems.span(value, value + 1), "the text starts here")
        problems.report("R134", "a text without quotes holds a colon and a space", at, at + 1, label=label, help=help)
        return
    start = line_start + len(text[line_start:at]) - len(text[line_start:at].lstrip(" "))
    help = "give it the same indentation as the key above, or leave nothing after that key's colon"
    problems.report("R133", "this key is indented under a line that already has a value", start, at, help=help)


def _quoted(problems: Problems, what: str, at: int, opened: int, text: str) -> None:
    if "unexpected" in what:
        note = "the file ends before it is closed" if "end of stream" in what else ""
        help = f"close it with {_tick(text[opened])}, or put a text that holds such a quote in the other kind"
        problems.report("R131", "this quote is never closed", opened, opened + 1, note=note, help=help)
    else:
        start = text.rfind("\\", 0, at + 1)
        help = "write `\\\\` for a backslash, or use single quotes"
        problems.report("R136", "no such escape is known in double quotes", start, at + 1, help=help)


def _in_brackets(problems: Problems, text: str, at: int, opened: int, line_start: int) -> None:
    opener = text[opened : opened + 1]
    closer = "]" if opener == "[" else "}"
    opener_line = text.rfind("\n", 0, opened) + 1
    outside = at - line_start <= _indent(text, opener_line) or _indent(text, line_start) <= _indent(text, opener_line)
    if not text[at:].strip() or (line_start > opener_line and outside):
        note = "" if text[at:].strip() else "the file ends before it is closed"
        problems.report("R132", f"`{opener}` is never closed", opened, opened + 1, note=note, help=f"add `{closer}`")
        return
    label = (problems.span(opened, opened + 1), "inside this bracket")
    help = f"put a comma between two values, `{closer}` after the last, and text with such signs in quotes"
    indexed = re.search(r"[\w ]*\w\[[\w ,]*\]$", text[line_start : text.find("]", at) + 1])
    if text[at] == "[" and indexed:
        help = f'text with brackets of its own stands in quotes: `"{indexed[0].strip()}"`'
    problems.report("R140", f"a comma or `{closer}` is missing here", at, at + 1, label=label, help=help)


def _indentation(problems: Problems, text: str, at: int, opened: int, what: str) -> None:
    """A line whose indentation belongs to nothing above it."""
    end = line_end(text, at)
    if "<document start>" in what:
        if re.search(r"^\.\.\.(?=\s)", text[:at], re.MULTILINE):
            problems.report("R111", "a second document starts here", at, end, help="keep one document in one file")
            return
        head = _HEAD.match(text)
        if _indent(text, head.end() if head else 0) <= _indent_of(text, at):
            _otherwise(problems, text, at, what)
            return
        help = "start every key of the file at the left edge"
        problems.report("R133", "this line is indented less than the first one", at, end, help=help)
        return
    if _comment_above(text, at) and _indent_of(text, at) > _indent_of(text, opened):
        help = "put the text on its own lines under `|`, and the comment elsewhere"
        problems.report("R141", "the comment above ends the text, which seems to go on here", at, end, help=help)
        return
    label = (problems.span(opened, opened + 1), "the lines it stands with start here")
    if (text[at] == "-") != (text[opened] == "-") and _indent_of(text, at) == _indent_of(text, opened):
        message = "list items and keys stand side by side"
        help = "indent the list under a key, or put `- ` before every line"
    else:
        message = "the indentation of this line fits no line above"
        help = "align it with the lines it belongs to"
    problems.report("R133", message, at, end, label=label, help=help)


def _otherwise(problems: Problems, text: str, at: int, what: str) -> None:
    char = text[at : at + 1]
    help = ""
    if "sequence entries are not allowed" in what or "mapping keys are not allowed" in what:
        message = f"{_tick(char)} cannot start something in the middle of a line"
        help = f"start a new line before {_tick(char)}, or put the text in quotes"
    elif char and char in "]}":
        message = f"{_tick(char)} closes nothing"
        help = "put text with brackets in quotes"
    elif "expected the node content" in what:
        message = f"a value is missing before {_tick(char)}" if char else "a value is missing at the end of the file"
    elif "<block end>" in what or "<document start>" in what:
        message = "something stands after the end of the value"
        help = "put the whole value in quotes"
        if text[:at].rstrip(" ")[-1:] in ("'", '"'):
            message = "something stands after the closing quote"
            help = "put the whole value in one pair of quotes, of a kind that it does not hold itself"
    elif not char.strip():
        message = "the file ends in the middle of something" if not text[at:].strip() else "the line ends too early"
    else:
        message = f"{_tick(char)} has no meaning here"
        help = _QUOTE_IT
    problems.report("R130", message, at, at + 1, help=help)


def _comment_above(text: str, at: int) -> bool:
    """Whether the last line with text above this one ends in a comment."""
    line_start = text.rfind("\n", 0, at) + 1
    return " #" in text[:line_start].rstrip().rpartition("\n")[2]


def line_end(text: str, at: int) -> int:
    """The end of what is written on the line of a place, without the space after it."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return at + len(text[at:end].rstrip())


def _indent(text: str, line_start: int) -> int:
    at = line_start
    while text[at : at + 1] == " ":
        at += 1
    return at - line_start


def _indent_of(text: str, at: int) -> int:
    return at - text.rfind("\n", 0, at) - 1


def _tick(char: str) -> str:
    return "a backtick" if char == "`" else f"`{char}`"

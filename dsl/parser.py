"""Text to syntax: the one grammar, block indentation, and syntax errors told as diagnostics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, TypeAlias, cast

from lark import Lark, Transformer, Tree, UnexpectedInput, UnexpectedToken
from lark import Token as LarkToken
from lark.exceptions import UnexpectedCharacters
from lark.lark import PostLex

from dsl import syntax
from dsl.diagnostics import Label, Reporter
from dsl.source import Embedded, Span

STARTS = ["rules", "expr", "type", "pattern", "by", "runs", "duration", "durations"]

_MAX_DEPTH = 40  # blocks, and brackets
_MAX_NESTING = 120  # nodes of a tree
_OPEN, _CLOSE = frozenset({"LPAR", "LSQB"}), frozenset({"RPAR", "RSQB"})
_PARTNER = {"LPAR": ")", "LSQB": "]"}
_TOO_DEEP = "name a part of it: a `define` or a rule of its own"
_SET_IN = "a block is set in by two spaces more than the line that opens it"


class LayoutError(Exception):
    """What is wrong with the lines of a text: a code and a message, told before the grammar is asked."""

    def __init__(self, code: str, start: int, end: int, message: str, help: str = "") -> None:
        super().__init__(message)
        self.code, self.start, self.end, self.message, self.help = code, start, end, message, help


class _Layout(PostLex):
    """Turns line ends and their indentation into _NL, _INDENT and _DEDENT."""

    always_accept = ("_NL",)

    def process(self, stream: Iterator[LarkToken]) -> Iterator[LarkToken]:
        levels = [0]
        open_at: list[LarkToken] = []
        for token in stream:
            if token.type == "_NL":
                if not open_at:
                    yield from self._newline(token, _indentation(token), levels)
                continue
            if token.type in _OPEN:
                open_at.append(token)
                if len(open_at) > _MAX_DEPTH:
                    raise LayoutError("S204", *_ends(token), "brackets are nested too deeply here", _TOO_DEEP)
            elif token.type in _CLOSE and open_at:
                open_at.pop()
            yield token
        if open_at:
            raise _unclosed(open_at[-1])
        if len(levels) > 1:
            yield from self._newline(LarkToken("_NL", "\n"), 0, levels)

    @staticmethod
    def _newline(token: LarkToken, width: int, levels: list[int]) -> Iterator[LarkToken]:
        yield token
        if width > levels[-1]:
            levels.append(width)
            if len(levels) > _MAX_DEPTH:
                end = token.end_pos or 0
                raise LayoutError("S204", end, end + 1, "blocks are nested too deeply here", _TOO_DEEP)
            yield LarkToken.new_borrow_pos("_INDENT", str(token), token)
        while width < levels[-1]:
            levels.pop()
            yield LarkToken.new_borrow_pos("_DEDENT", str(token), token)
        if width != levels[-1]:
            end = token.end_pos or 0
            raise LayoutError("S203", end, end + 1, "this line's indentation fits no block above it", _SET_IN)


def _indentation(token: LarkToken) -> int:
    spaces = str(token).rpartition("\n")[2]
    if "\t" in spaces and not spaces.lstrip(" \t"):
        at = (token.end_pos or 0) - len(spaces) + spaces.index("\t")
        # Word for word what the reader says of it, so that it is told once.
        raise LayoutError("R113", at, at + 1, "a tab is used for indentation", "indent with spaces")
    return len(spaces)


def _ends(token: LarkToken) -> tuple[int, int]:
    return token.start_pos or 0, token.end_pos or 0


def _unclosed(bracket: LarkToken) -> LayoutError:
    help = f"close it with `{_PARTNER[bracket.type]}`"
    return LayoutError("S212", *_ends(bracket), "this bracket is not closed", help)


@lru_cache(maxsize=1)
def _lark() -> Lark:
    grammar = files("dsl").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar, parser="lalr", start=STARTS, postlex=_Layout(), propagate_positions=True, maybe_placeholders=True
    )  # fmt: skip


def _class_name(rule: str) -> str:
    return "".join(part.capitalize() for part in rule.split("_")) if rule != "none" else "None_"


class _ToSyntax(Transformer[LarkToken, Any]):
    """Builds the node of `dsl.syntax` that each grammar rule is named after."""

    def __init__(self, embedded: Embedded) -> None:
        super().__init__(visit_tokens=True)
        self._embedded = embedded

    def _span(self, meta: Any) -> Span:
        if meta.empty:
            return self._embedded.span(0, 0)
        return self._embedded.span(meta.start_pos, meta.end_pos)

    def __default__(self, data: Any, children: list[Any], meta: Any) -> Any:
        rule = str(data)
        if rule in syntax.LISTS:
            return tuple(children)
        return getattr(syntax, _class_name(rule))(self._span(meta), *children)

    def __default_token__(self, token: LarkToken) -> syntax.Token:
        span = self._embedded.span(token.start_pos or 0, token.end_pos or 0)
        return syntax.Token(span, str(token), token.type)


def _parse(start: str, embedded: Embedded, reporter: Reporter) -> Any:
    try:
        tree = _lark().parse(embedded.text, start=start)
        deep = _too_deep(tree)
        if deep is None:
            return _ToSyntax(embedded).transform(tree)
        reporter.report("S204", "this text is nested too deeply", embedded.span(deep, deep + 1), help=_TOO_DEEP)
    except UnexpectedInput as error:
        _report_unexpected(start, error, embedded, reporter)
    except LayoutError as error:
        reporter.report(error.code, error.message, embedded.span(error.start, error.end), help=error.help)
    return None


def _too_deep(tree: Tree[LarkToken]) -> int | None:
    """Where the first part stands that is nested deeper than the passes after this one may go."""
    stack = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        if depth > _MAX_NESTING:
            return node.meta.start_pos if not node.meta.empty else 0
        stack.extend((child, depth + 1) for child in node.children if isinstance(child, Tree))
    return None


_START_WORDS = {
    "rules": "rule text", "expr": "an expression", "type": "a type", "pattern": "a pattern of cards",
    "by": "a list of tie-breakers", "runs": "a phrase about runs", "duration": "a length of time",
    "durations": "a range of times",
}  # fmt: skip

_TERMINAL_WORDS = {
    "_NL": "the end of the line",
    "_INDENT": "an indented block",
    "_DEDENT": "the end of the block",
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "$END": "the end",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "COLON": "`:`",
    "COMMA": "`,`",
    "EQUAL": "`=`",
    "BECOMES": "`:=`",
    "CHANGES": "`+=` or `-=`",
    "CMP": "a comparison",
    "PLUS": "`+`",
    "MINUS": "`-`",
    "MUL": "`*`",
    "CITES": "a citation",
    "UNIT": "`seconds` or `minutes`",
}


# Where one of these comes, a statement begins.
_OPENERS = frozenset({
    "LET", "DEAL", "MOVE", "GATHER", "SHUFFLE", "CUT", "REVEAL", "ANNOUNCE", "END", "IF", "REPEAT", "FOR", "GOING",
    "EACH", "ANYONE",
})  # fmt: skip
_STRAY_SIGNS = {
    "&": "write `and`", "|": "write `or`", "!": "write `not`, or `!=` between two values that differ",
    "%": "write `mod`", "'": 'a text stands in double quotes: `"…"`',
    "“": 'a text stands in plain double quotes: `"…"`',
    "”": 'a text stands in plain double quotes: `"…"`', ";": "each statement stands on its own line",
    "{": "a block is opened by `:` and set in", "}": "a block ends where the indentation does", "≤": "write `<=`",
    "≥": "write `>=`", "≠": "write `!=`", "×": "write `*`", "÷": "write `/` or `div`", "–": "write `-`",
    "−": "write `-`",
    ".": "write `rank of c` or `hand[p]`: nothing is joined by a dot", "^": "write the product out",
}  # fmt: skip


def _report_unexpected(start: str, error: UnexpectedInput, embedded: Embedded, reporter: Reporter) -> None:
    text = embedded.text
    if isinstance(error, UnexpectedCharacters):
        at = cast("int | None", error.pos_in_stream) or 0
        char = text[at : at + 1]
        if char == '"':
            end = text.find("\n", at)
            span = embedded.span(at, len(text.rstrip()) if end == -1 else end)
            reporter.report("S211", "this text in quotes is not closed on its line", span, help='close it with `"`')
        else:
            reporter.report("S202", f"`{char}` has no meaning here", embedded.span(at, at + 1),
                            help=_STRAY_SIGNS.get(char, ""))  # fmt: skip
        return
    assert isinstance(error, UnexpectedToken)
    token, what = error.token, _START_WORDS[start]
    accepts = _accepts(error)
    at, end = _ends(token)
    if str(token) in ("=", ">") and text[max(at - 1, 0) : at] in (":", "=", "<", "+", "-"):
        at -= 1  # `:=`, `==`, `<>`, `+=` and `-=` were read as two signs
    if token.type == "_INDENT":
        reporter.report("S203", "this line is set in, and the line before it opens no block", _word_at(embedded, end),
                        help="a line that opens a block ends with `:`")  # fmt: skip
        return
    if "_INDENT" in accepts:
        if token.type in _ENDINGS:
            reporter.report("S203", "a block is missing after this", _last_letter(embedded, token), help=_SET_IN)
        else:
            reporter.report("S203", "a block is missing: the line before opens one, and nothing is set in below it",
                            embedded.span(at, end), help=_SET_IN)  # fmt: skip
        return
    sets = text[at:end] in (":=", "+=", "-=")
    if text[at:end] == "for" and accepts & _CLOSE:
        reporter.report("S201", "one fold goes over one thing", embedded.span(at, end),
                        help="put a fold inside the fold: `sum(sum(… for c in hand[p]) for p)`")  # fmt: skip
        return
    bracket = _open_bracket(text, at if token.type not in _ENDINGS else len(text))
    if bracket is not None and (sets or (accepts & _CLOSE and token.type not in _CLOSE | {"COMMA"})):
        problem = _unclosed(bracket)
        labels = () if token.type in _ENDINGS else (Label(embedded.span(at, end), "this cannot stand inside it"),)
        reporter.report("S212", problem.message, embedded.span(problem.start, problem.end), labels=labels,
                        help=problem.help)  # fmt: skip
        return
    if token.type in _ENDINGS and "CHOOSES" in accepts:
        _report_value_alone(embedded, at, reporter)
        return
    help = _hint(error, text)
    expected = sorted({_word(t) for t in accepts if t not in ("CITES", "_DEDENT")})
    if not help and 0 < len(expected) <= 4:
        help = "here may stand " + " or ".join(expected)
    if token.type in _ENDINGS:
        reporter.report("S201", f"{what} breaks off here", _last_letter(embedded, token), help=help)
    else:
        reporter.report("S201", f"`{text[at:end]}` is not expected in {what} here", embedded.span(at, end), help=help)


def _report_value_alone(embedded: Embedded, end: int, reporter: Reporter) -> None:
    """A line holds a value where a statement is needed; mostly `=` stands there for `:=`."""
    text = embedded.text
    line = text.rfind("\n", 0, end) + 1
    slip = _SET_BY_EQUALS.match(text, line, end)
    if slip is not None:
        reporter.report("S201", "`=` is not expected in rule text here", embedded.span(*slip.span(1)), help=_SET)
        return
    start = end - len(text[line:end].lstrip())
    reporter.report("S201", "this is a value, and does nothing", embedded.span(start, len(text[:end].rstrip())),
                    help="a line sets something, moves cards, or follows a rule")  # fmt: skip


_ENDINGS = frozenset({"_NL", "$END", "_DEDENT"})
_SET_BY_EQUALS = re.compile(r"[^\n#]*?(?:^|:|else)\s*[A-Za-z_]\w*\s*(?:\[[^\]\n]*\])?\s*(=)", re.MULTILINE)
_SET = "a value is set with `:=`; `=` compares"


def _last_letter(embedded: Embedded, token: LarkToken) -> Span:
    """The last letter before a line end, where something is missing."""
    end = len(embedded.text.rstrip())
    if token.type != "$END" and token.start_pos is not None:
        end = min(end, token.start_pos)
    return embedded.span(max(end - 1, 0), max(end, 0))


def _word_at(embedded: Embedded, start: int) -> Span:
    word = re.compile(r"\S\w*").match(embedded.text, start)
    return embedded.span(start, start + 1) if word is None else embedded.span(*word.span())


def _open_bracket(text: str, end: int) -> LarkToken | None:
    """The innermost bracket that is still open before `end`; texts in quotes and comments are passed over."""
    found: list[LarkToken] = []
    for match in re.finditer(r'"[^"\n]*"|#[^\n]*|[()\[\]]', text[:end]):
        if match[0] in "([":
            kind = "LPAR" if match[0] == "(" else "LSQB"
            found.append(LarkToken(kind, match[0], start_pos=match.start(), end_pos=match.end()))
        elif match[0] in ")]" and found:
            found.pop()
    return found[-1] if found else None


def _accepts(error: UnexpectedToken) -> set[str]:
    exact = cast("set[str] | None", error.accepts)
    return {t for t in exact or error.expected if not t.startswith("__")}


def _word(terminal: str) -> str:
    return _TERMINAL_WORDS.get(terminal, f"`{terminal.lower().replace('_', ' ')}`")


def _hint(error: UnexpectedToken, source: str) -> str:
    """Help for the commonest slips."""
    accepts, token = _accepts(error), error.token
    text, kind, (at, end) = str(token), token.type, _ends(error.token)
    before, after = source[:at].rstrip(), source[end:].lstrip()
    if text == "=" and before.endswith("="):
        return "two values are compared with one `=`"
    if text == "=" and "BECOMES" in accepts:
        return _SET
    if text == "=" and before.endswith((":", "+", "-")):
        return "two values are compared with `=`; `:=`, `+=` and `-=` set one"
    if text == ":=" and "EQUAL" in accepts and "CMP" not in accepts:
        return "`let` and `define` name a value with `=`"
    if text == ">" and before.endswith("<"):
        return "`!=` says that two values differ"
    if kind == "COLON" and after[:1].isdigit():
        return "a fraction is written `3/2`, a range `2..3`"
    if kind == "COLON" and "_NL" in accepts:
        return "only a line that opens a block ends with `:`"
    if "COLON" in accepts and (kind in _ENDINGS or kind in _OPENERS):
        return "a line that opens a block ends with `:`"
    if re.search(r"(?:^|\n)[ ]*(?:elif|elsif|elseif)[ ]*$", before):
        return "write `else if`"
    if re.search(r"(?:^|\n)[ ]*while[ ]*$", before):
        return "write `repeat until …:`, with the condition that ends it"
    if text in ("to", "or") and accepts == {"IN", "OF"}:
        return "a pattern has a fixed number of cards: give each number a row of its own"
    if text in ("or", "and") and accepts == {"CARDS", "TO"}:
        return "how many is a number or a range: `2 cards`, `2 to 3 cards`"
    word = re.search(r"(\w+)$", before)
    if "COLON" in accepts and word is not None and word[1].upper() in _OPENERS:
        return f"a `:` is missing before `{word[1]}`"
    if word is not None and word[1] == "the":
        return "`the` stands in `the player` only"
    if "_NL" in accepts and (kind in _OPENERS or kind == "NAME"):
        return "each statement stands on its own line"
    if kind in _CLOSE and not accepts & _CLOSE:
        return "no bracket is open here"
    if {"NAME", "NUMBER"} <= accepts:
        return "a value is needed here"
    return ""


Items: TypeAlias = tuple[syntax.Define | syntax.Rule, ...]


def parse_rules(embedded: Embedded, reporter: Reporter) -> tuple[Items, frozenset[str]]:
    """The definitions and rules of a rule text, and the names of those that hold a syntax error.

    After an error each definition and rule is read by itself, so that one mistake does not hide the others; the name
    `*` stands for text of which not even a name can be told.
    """
    if not embedded.text.endswith("\n"):
        # A text in quotes ends without a line end.
        embedded = Embedded(embedded.source, embedded.text + "\n", embedded.anchors)
    problems = Reporter()
    whole = _parse("rules", embedded, problems)
    if not problems.has_errors:
        return cast("Items", whole or ()), frozenset()
    text = embedded.text
    starts = [m.start() for m in re.finditer(r"^(?:define|rule)(?!\w)", text, re.MULTILINE)]
    cuts = [0, *(s for s in starts if s), len(text)]
    found: list[syntax.Define | syntax.Rule] = []
    broken: set[str] = set()
    for start, end in pairwise(cuts):
        parsed = _parse("rules", embedded.part(start, end), part := Reporter())
        found.extend(parsed or ())
        if part.has_errors:
            names = re.findall(r"^[ \t]*(?:define|rule)[ ]+([A-Za-z_]\w*)", text[start:end], re.MULTILINE)
            broken.update(names or ["*"])
            reporter.include(part)
    if not broken:
        reporter.include(problems)
        broken.add("*")
    return tuple(found), frozenset(broken)


def parse_expr(embedded: Embedded, reporter: Reporter) -> syntax.Expr | None:
    """One expression."""
    return cast("syntax.Expr | None", _parse("expr", embedded, reporter))


def parse_type(embedded: Embedded, reporter: Reporter) -> syntax.TypeSyntax | None:
    """The type of a state variable, a table or a parameter."""
    return cast("syntax.TypeSyntax | None", _parse("type", embedded, reporter))


def parse_pattern(embedded: Embedded, reporter: Reporter) -> syntax.PatternSyntax | None:
    """The pattern of a combination."""
    return cast("syntax.PatternSyntax | None", _parse("pattern", embedded, reporter))


def parse_by(embedded: Embedded, reporter: Reporter) -> tuple[syntax.ByKey, ...] | None:
    """What breaks ties within a kind, the weightiest first."""
    return cast("tuple[syntax.ByKey, ...] | None", _parse("by", embedded, reporter))


def parse_runs(embedded: Embedded, reporter: Reporter) -> syntax.RunsSyntax | None:
    """How a run may pass its ends."""
    return cast("syntax.RunsSyntax | None", _parse("runs", embedded, reporter))


def parse_duration(embedded: Embedded, reporter: Reporter) -> syntax.Duration | None:
    """A length of time."""
    return cast("syntax.Duration | None", _parse("duration", embedded, reporter))


def parse_durations(embedded: Embedded, reporter: Reporter) -> tuple[syntax.Duration, ...] | None:
    """A shortest and a longest time."""
    return cast("tuple[syntax.Duration, ...] | None", _parse("durations", embedded, reporter))

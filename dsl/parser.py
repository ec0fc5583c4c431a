"""Text to syntax: the one grammar, block indentation, and syntax errors told as diagnostics."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any, Iterator, cast

from lark import Lark, Transformer, UnexpectedInput, UnexpectedToken
from lark import Token as LarkToken
from lark.exceptions import UnexpectedCharacters, VisitError
from lark.lark import PostLex

from dsl import syntax
from dsl.diagnostics import Reporter
from dsl.source import Embedded, Span

STARTS = ["rules", "expr", "type", "pattern", "by", "runs", "duration", "durations"]

_MAX_DEPTH = 40
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
        raise LayoutError("S203", at, at + 1, "a tab stands in the indentation of this line", "set lines in by spaces")
    return len(spaces)


def _ends(token: LarkToken) -> tuple[int, int]:
    return token.start_pos or 0, token.end_pos or 0


def _unclosed(bracket: LarkToken) -> LayoutError:
    return LayoutError("S212", *_ends(bracket), "this bracket is not closed", f"close it with `{_PARTNER[bracket.type]}`")


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
    text = embedded.text
    try:
        tree = _lark().parse(text, start=start)
        return _ToSyntax(embedded).transform(tree)
    except UnexpectedInput as error:
        _report_unexpected(start, error, embedded, reporter)
    except IndentError as error:
        reporter.report("S203", error.message, embedded.span(error.start, error.end),
                        help="a block is set in by two spaces more than the line that opens it")  # fmt: skip
    except (RecursionError, VisitError):
        reporter.report("S204", "this text is nested too deeply", embedded.span(0, min(1, len(text))))
    return None


_START_WORDS = {
    "rules": "rule text", "expr": "an expression", "type": "a type", "pattern": "a pattern of cards",
    "by": "a list of tie-breakers", "runs": "a phrase about runs", "duration": "a length of time",
    "durations": "a range of times",
}  # fmt: skip

_TERMINAL_WORDS = {
    "_NL": "the end of the line", "_INDENT": "an indented block", "_DEDENT": "the end of the block", "NAME": "a name",
    "NUMBER": "a number", "STRING": "a text in quotes", "$END": "the end", "LPAR": "`(`", "RPAR": "`)`",
    "LSQB": "`[`", "RSQB": "`]`", "COLON": "`:`", "COMMA": "`,`", "EQUAL": "`=`", "BECOMES": "`:=`",
    "CHANGES": "`+=` or `-=`", "CMP": "a comparison", "PLUS": "`+`", "MINUS": "`-`", "MUL": "`*`", "CITES": "a citation",
}  # fmt: skip


def _report_unexpected(start: str, error: UnexpectedInput, embedded: Embedded, reporter: Reporter) -> None:
    at = cast("int | None", error.pos_in_stream) or 0
    if isinstance(error, UnexpectedCharacters):
        char = embedded.text[at : at + 1]
        if char == '"':
            reporter.report("S202", "this text in quotes is not closed on its line", embedded.span(at, at + 1),
                            help='close it with `"`')  # fmt: skip
        elif char == "\t":
            reporter.report("S202", "a tab stands here", embedded.span(at, at + 1), help="use spaces")
        else:
            reporter.report("S202", f"`{char}` has no meaning here", embedded.span(at, at + 1))
        return
    assert isinstance(error, UnexpectedToken)
    token = error.token
    expected = sorted({_word(t) for t in _accepts(error)})
    hint = _hint(str(token), token.type, error, embedded.text)
    if not hint and 0 < len(expected) <= 4:
        hint = "here may stand " + ", or ".join(expected)
    what = _START_WORDS[start]
    if token.type in ("_NL", "$END", "_DEDENT", "_INDENT"):
        end = len(embedded.text.rstrip()) if token.type != "_INDENT" else (token.end_pos or 0)
        place = min(token.start_pos if token.start_pos is not None else end, max(end, 0))
        span = embedded.span(max(place - 1, 0), place) if token.type != "_INDENT" else embedded.span(place, place + 1)
        said = "an indented block begins here unasked" if token.type == "_INDENT" else f"{what} breaks off here"
        reporter.report("S201", said, span, help=hint)
        return
    span = embedded.span(token.start_pos or 0, token.end_pos or 0)
    reporter.report("S201", f"`{token}` is not expected in {what} here", span, help=hint)


def _accepts(error: UnexpectedToken) -> set[str]:
    exact = cast("set[str] | None", error.accepts)
    return {t for t in exact or error.expected if not t.startswith("__")}


def _word(terminal: str) -> str:
    return _TERMINAL_WORDS.get(terminal, f"`{terminal.lower().replace('_', ' ')}`")


def _hint(text: str, kind: str, error: UnexpectedToken, source: str) -> str:
    """Help for the commonest slips."""
    accepts = _accepts(error)
    if text == "=" and "BECOMES" in accepts:
        return "a value is set with `:=`; `=` compares"
    if text == ":=" and "CMP" in accepts:
        return "two values are compared with `=`; `:=` sets"
    if text == "==":
        return "two values are compared with `=`"
    if text == "<" and source[error.token.end_pos or 0 :].lstrip().startswith(">"):
        return "`!=` is how to say that two values differ"
    if text in ("true", "false"):
        return f"write `{'yes' if text == 'true' else 'no'}`"
    if kind == "_NL" and "COLON" in accepts:
        return "a line that opens a block ends with `:`"
    if kind == "COLON" and "_NL" in accepts:
        return "only a line that opens a block ends with `:`"
    return ""


def parse_rules(embedded: Embedded, reporter: Reporter) -> tuple[syntax.Define | syntax.Rule, ...] | None:
    """Rule text: its definitions and rules, or None after a syntax error was reported."""
    return cast("tuple[syntax.Define | syntax.Rule, ...] | None", _parse("rules", embedded, reporter))


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

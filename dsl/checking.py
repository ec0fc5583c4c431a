"""What every check of an expression needs: where a type fits, fresh names, written types and numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import assert_never

from dsl import ir, syntax, types
from dsl.diagnostics import Label, Reporter, did_you_mean
from dsl.fields import RESERVED
from dsl.source import Span
from dsl.symbols import Env, Symbols

_MAX_NUMBER = 10**12
_VALUE = "a value of a list"


class Checking(ABC):
    """The common ground of the checks. Methods return None once a mistake was reported."""

    def __init__(self, symbols: Symbols, reporter: Reporter) -> None:
        self.symbols = symbols
        self.reporter = reporter
        self._open_functions: list[str] = []
        self.in_property = False
        # In an example the names of the rule it stands in are only lent.
        self.may_shadow = False
        self.seats = symbols.players[1]  # as many as there may be; an example has a number of its own

    @abstractmethod
    def check(self, node: syntax.Expr, env: Env, expected: ir.Type | None = None) -> ir.Expr | None:
        """The typed expression; `expected` helps to read literals and is not enforced."""

    def expect(self, node: syntax.Expr, env: Env, wanted: ir.Type) -> ir.Expr | None:
        """The expression as a value of the wanted type, or a diagnostic."""
        x = self.check(node, env, wanted)
        return None if x is None else self.fit(x, wanted, node.span)

    def fit(self, x: ir.Expr, wanted: ir.Type, span: Span) -> ir.Expr | None:
        """An expression where a type is wanted: itself, widened, or with the obligation not to be none."""
        t = types.of(x)
        if isinstance(wanted, ir.OptionalType):
            if isinstance(x, ir.Const) and x.value is None:
                return ir.Const(None, wanted)
            return (
                self.fit(x, wanted.of, span) if not isinstance(t, ir.OptionalType) else self._same(x, t, wanted, span)
            )
        if isinstance(x, ir.Const) and x.value is None:
            return self._fail("T402", f"{types.an(wanted)} is needed here, not none", span)
        if isinstance(t, ir.OptionalType):
            return self.fit(ir.UnaryExpr(ir.Unary.UNWRAP, x, t.of), wanted, span)
        if isinstance(wanted, ir.FractionType) and types.is_number(t):
            return x
        if isinstance(wanted, ir.CardsType) and isinstance(t, ir.CardType):
            return x
        if isinstance(wanted, ir.IntType) and isinstance(t, ir.FractionType):
            return self._fail("T403", "a fraction stands where a whole number is needed", span,
                              help="say how: `floor`, `ceiling`, `nearest`, or `whole` where it always is")  # fmt: skip
        if isinstance(wanted, ir.IntType) and isinstance(t, ir.IntType) and types.disjoint(wanted, t):
            return self._fail(
                "T404",
                f"{types.show(t)} is outside the range {types.show(wanted)}"
                if t.low != t.high
                else f"{t.low} is outside the range {types.show(wanted)}",
                span,
            )
        return self._same(x, t, wanted, span)

    def _same(self, x: ir.Expr, t: ir.Type, wanted: ir.Type, span: Span) -> ir.Expr | None:
        if types.same(t, wanted):
            return x
        return self._fail("T401", f"{types.an(wanted)} is needed here, this is {types.an(t)}", span)

    def _fail(self, code: str, message: str, span: Span, help: str = "", note: str = "",
              labels: tuple[Label, ...] = ()) -> None:  # fmt: skip
        """Report a mistake; always None, so that a check can end with it."""
        self.reporter.report(code, message, span, help=help, note=note, labels=labels)

    @staticmethod
    def _unwrapped(x: ir.Expr) -> ir.Expr:
        t = types.of(x)
        return ir.UnaryExpr(ir.Unary.UNWRAP, x, t.of) if isinstance(t, ir.OptionalType) else x

    # ------------------------------------------------------------------------- numbers, names and types

    def number(self, token: syntax.Token) -> ir.Const | None:
        """A number as written; a point makes it a fraction."""
        if len(token.text) > 1 and token.text[0] == "0" and token.text[1] != ".":
            return self._fail("T424", f"`{token.text}` starts with a zero", token.span,
                              help=f"write `{token.text.lstrip('0') or '0'}`")  # fmt: skip
        if "." in token.text and len(token.text) <= 40:
            return ir.Const(Fraction(token.text), ir.FractionType())
        if len(token.text) > 13 or int(token.text) > _MAX_NUMBER:
            return self._fail("T409", "this number is too large", token.span)
        value = int(token.text)
        return ir.Const(value, ir.IntType(value, value))

    def _rank(self, token: syntax.Token) -> ir.Const | None:
        index = self.symbols.ranks.get(token.text)
        if index is None:
            return self._fail("N304", f"no rank is named `{token.text}`", token.span,
                              help="the ranks are " + " ".join(self.symbols.deck.ranks))  # fmt: skip
        return ir.Const(index, ir.RankType())

    def parameters(self, params: tuple[syntax.Param, ...] | None) -> tuple[tuple[str, ir.Type], ...]:
        """Names and types of parameters; one without a type is a player. One that is wrong is left out."""
        out: list[tuple[str, ir.Type]] = []
        for param in params or ():
            t = types.PLAYER if param.type is None else self.type(param.type)
            self.fresh(param.name, {n: ir.Local(n, types.BOOL) for n, _ in out})
            if t is None:
                self.symbols.broken.add(param.name.text)
            else:
                out.append((param.name.text, t))
        return tuple(out)

    def fresh(self, token: syntax.Token, env: Env) -> None:
        """A local name must not hide another one."""
        name, s = token.text, self.symbols
        if name in RESERVED:
            self._fail("S210", f"`{name}` is a word of the language and cannot be a name", token.span)
        elif name[0].isdigit():
            self._fail("S210", f"`{name}` cannot be a name", token.span, help="a name starts with a letter")
        elif name in s.declared:
            what, place = s.declared[name]
            self._fail("N303", f"`{name}` already names {what}", token.span, labels=(Label(place, "named here"),))
        elif name in env and not self.may_shadow:
            self._fail("N303", f"`{name}` is already in use here", token.span)

    def type(self, node: syntax.TypeSyntax) -> ir.Type | None:
        """The type that was written."""
        match node:
            case syntax.OptionalType(_, of):
                inner = self.type(of)
                return None if inner is None else ir.OptionalType(inner)
            case syntax.YesOrNo():
                return types.BOOL
            case syntax.NamedType(_, name):
                found = types.NAMED.get(name.text)
                if found is None:
                    known = ", ".join(list(types.NAMED)[:7]) + ", combination, `0..5`, `yes or no`, `one of …`"
                    return self._fail("N307", f"no type is named `{name.text}`", name.span,
                                      help=did_you_mean(name.text, types.NAMED) or f"types are {known}")  # fmt: skip
                return found
            case syntax.RangeType(span, low, high):
                bounds = []
                for bound in (low, high):
                    if "." in bound.number.text:
                        return self._fail("T424", "a range goes from one whole number to another", bound.span)
                    if self.number(bound.number) is None:
                        return None
                    bounds.append(int(bound.number.text) * (-1 if bound.sign else 1))
                if bounds[0] > bounds[1]:
                    return self._fail("T415", "this range is empty", span)
                return ir.IntType(bounds[0], bounds[1])
            case syntax.OneOf(_, names):
                return self._enum(names)
            case _:
                assert_never(node)

    def _enum(self, names: tuple[syntax.Token, ...]) -> ir.EnumType | None:
        declared = self.symbols.declared
        seen: set[str] = set()
        for token in names:
            name = token.text
            what, place = declared.get(name, (_VALUE, token.span))
            if name in seen:
                return self._fail("N303", f"`{name}` is named twice", token.span)
            if name in RESERVED or name[0].isdigit():
                why = "it is a word of the language" if name in RESERVED else "a name starts with a letter"
                return self._fail("S210", f"`{name}` cannot be a name", token.span, help=why)
            if what != _VALUE:
                return self._fail("N303", f"`{name}` already names {what}", token.span,
                                  labels=(Label(place, "named here"),))  # fmt: skip
            seen.add(name)
            declared[name] = (_VALUE, place)
        return ir.EnumType(tuple(token.text for token in names))


def cites(token: syntax.Cites) -> tuple[str, ...]:
    """The clauses that a citation names."""
    return () if token is None else tuple(part.strip() for part in token.text.strip("[] ").split(","))


def things(n: int) -> str:
    """A number of things, in a word."""
    return ("none", "one", "two", "three")[n] if n < 4 else str(n)


def values(n: int) -> str:
    """A number of values, in words."""
    return "no values" if n == 0 else f"{things(n)} value{'s' if n > 1 else ''}"

"""What every check of a statement needs: the rule that it stands in, its locals, and what is found on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from dsl import ir, model, syntax
from dsl.checking import cites
from dsl.diagnostics import Reporter
from dsl.expressions import Expressions
from dsl.source import Span
from dsl.symbols import Env, Symbols


@dataclass(slots=True)
class Scope:
    """The rule being checked, and what was seen of it so far."""

    rule: str
    cites: tuple[str, ...] = ()  # of the block around; what cites nothing itself stands under these


@dataclass(slots=True)
class Checked:
    """All rules, typed, with the hidden variables that their locals became."""

    rules: dict[str, model.Rule] = field(default_factory=dict)
    locals: dict[str, ir.StateVar] = field(default_factory=dict)
    decisions: dict[str, str] = field(default_factory=dict)  # name of a decision -> its rule
    follows: dict[str, set[str]] = field(default_factory=dict)
    ends: list[tuple[str, str, Span]] = field(default_factory=list)  # in which rule, which rule ends, where


class Scoping(ABC):
    """The common ground of the checks. Methods return None once a mistake was reported."""

    def __init__(self, symbols: Symbols, expressions: Expressions, reporter: Reporter) -> None:
        self._symbols = symbols
        self._x = expressions
        self._reporter = reporter
        self.checked = Checked()
        self._signatures: dict[str, tuple[ir.Var, ...]] = {}
        self._scope = Scope("")

    @abstractmethod
    def _suite(self, suite: syntax.Suite, env: Env) -> tuple[model.Stmt, ...]:
        """The statements of a block, or the one that stands in its place."""

    def _local(self, token: syntax.Token, t: ir.Type, hidden: str = "") -> ir.Var:
        """A new local of the rule, as a state variable that lives while the rule is followed."""
        base = f"{self._scope.rule}.{token.text}{hidden}"
        name, n = base, 1
        while name in self.checked.locals:
            n += 1
            name = f"{base}.{n}"
        self.checked.locals[name] = ir.StateVar(name, (), t, None, local=True, seen="nobody", span=token.span)
        return ir.Var(name, (), t)

    def _origin(self, span: Span, cited: syntax.Cites = None) -> ir.Origin:
        return ir.Origin(span, self._scope.rule, cites(cited) or self._scope.cites)

    @contextmanager
    def _under(self, cited: syntax.Cites) -> Iterator[None]:
        """Within, statements without a citation of their own stand under this one."""
        outer = self._scope.cites
        self._scope.cites = cites(cited) or outer
        try:
            yield
        finally:
            self._scope.cites = outer

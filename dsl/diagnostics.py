"""What is told to the author of a rule file: diagnostics as values, and the reporter that collects them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from dsl.source import Span

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that matters, with what to say of it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake: a code of `dsl.codes`, what is wrong, where, and at most one line of help."""

    code: str
    message: str
    span: Span
    note: str = ""
    labels: tuple[Label, ...] = ()
    help: str = ""
    severity: Severity = "error"


class Reporter:
    """Collects the diagnostics of every pass; one mistake at one place is kept once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str, int], Diagnostic] = {}

    def report(
        self,
        code: str,
        message: str,
        span: Span,
        *,
        note: str = "",
        labels: tuple[Label, ...] = (),
        help: str = "",
        severity: Severity = "error",
    ) -> None:
        """Add a diagnostic. `note` is set under the caret, `help` says what to do."""
        message, help = message.replace("\n", " "), help.replace("\n", " ")  # of names that go over lines
        key = (code, message, span.source.path, span.start)
        self._found.setdefault(key, Diagnostic(code, message, span, note, labels, help, severity))

    def include(self, other: Reporter) -> None:
        """Add what another reporter collected."""
        for key, diagnostic in other._found.items():
            self._found.setdefault(key, diagnostic)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """All of them, in the order of the files' text."""
        return sorted(self._found.values(), key=lambda d: (d.span.source.path, d.span.start, d.span.end, d.code))

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self._found.values())


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant, or None where none is near."""
    close = get_close_matches(name, sorted(set(known)), n=1, cutoff=0.6)
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A help line naming the nearest known name, or nothing where none is near."""
    close = nearest(name, known)
    return f"did you mean `{close}`?" if close else ""

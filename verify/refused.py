"""The refusal of a file of a certificate."""

from __future__ import annotations

from typing import Final

from dsl.diagnostics import Diagnostic
from dsl.source import Span

DAMAGED: Final = "P805"
OF_OTHER_RULES: Final = "P806"
DOES_NOT_FOLLOW: Final = "P807"
_AGAIN: Final = "`hoyle prove GAME --certificates DIR` writes certificates anew"


class Refused(Exception):
    """A file that cannot be used, with what is wrong and where."""

    def __init__(self, message: str, span: Span, help: str = _AGAIN, code: str = DAMAGED) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, span, help=help)

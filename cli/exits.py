"""What the exit status of `hoyle` means; scripts rely on it."""

from __future__ import annotations

from typing import Final

FINE: Final = 0
ERRORS: Final = 1  # a file is wrong, an example fails, the rules ask for what cannot be
USAGE: Final = 2  # the command was called wrongly
UNKNOWN: Final = 3  # a question was left open
INTERRUPTED: Final = 130  # as shells tell of Ctrl-C

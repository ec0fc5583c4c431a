"""Whether golden texts are to be written anew, the same for every test that has one."""

from __future__ import annotations

import os


def updates() -> bool:
    """Whether `UPDATE_GOLDEN` is 1, true or yes; anything else leaves the texts as they are."""
    return os.environ.get("UPDATE_GOLDEN", "").casefold() in ("1", "true", "yes")

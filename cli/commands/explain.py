"""`hoyle explain`: the long page of an error code."""

from __future__ import annotations

import sys

from cli import driver, exits


def explain(code: str | None) -> int:
    """Shows a code's page, or lists all codes by family."""
    from dsl.codes import CODES, FAMILIES

    if code is None:
        for family, about in FAMILIES.items():
            codes = [c for c in CODES.values() if c.code.startswith(family)]
            if codes:
                print(f"{family}xx  {about}")
            for found in codes:
                print(f"  {found.code}  {found.title}")
        return exits.FINE
    wanted = code.strip().strip("[]")
    page = CODES.get(wanted.upper()) or next((c for c in CODES.values() if c.slug == wanted.lower()), None)
    if page is None:
        known = [*CODES, *(c.slug for c in CODES.values())]
        near = driver.suggestion(wanted.upper(), known) or driver.suggestion(wanted.lower(), known)
        raise driver.UsageError(f"no code is named `{code}`{near or '; `hoyle explain` lists them'}")
    if driver.wants_color(sys.stdout):
        from rich.console import Console
        from rich.markdown import Markdown

        Console(width=min(Console().width, 88)).print(Markdown(page.page))
    else:
        print(page.page.rstrip())
    return exits.FINE

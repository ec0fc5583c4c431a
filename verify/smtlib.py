"""Questions in SMT-LIB, looked through before a solver is given them.

A text may come from anybody, and there are commands with which a solver writes files. So only those are let through
that say what is to be satisfied.
"""

from __future__ import annotations

import re
from typing import Final

from dsl.source import Source, Span
from verify.refused import Refused

ALLOWED: Final = ("set-logic", "declare-fun", "define-fun", "assert", "check-sat")
_TOKEN: Final = re.compile(r'(?P<aside>\s+|;[^\n]*)|(?P<name>\|[^|\\]*\||[^\s()|";]+)|"(?:[^"]|"")*"|[()]')


def look_through(source: Source) -> None:
    """Raises `Refused` where a text is no question: cut off, or with a command that it must not have."""
    text, at, depth, heads = source.text, 0, 0, list[str]()
    is_head = False
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Refused("this is not SMT-LIB", Span(source, at, at + 1))
        token, where = found.group(), Span(source, at, found.end())
        at = found.end()
        if found.lastgroup == "aside":
            continue
        if is_head and token not in ALLOWED:
            raise Refused("this command has no place in a certificate", where, f"those are {', '.join(ALLOWED)}")
        if is_head:
            heads.append(token)
        elif depth == 0 and token != "(":
            raise Refused("this belongs to no command", where)
        is_head = token == "(" and depth == 0
        depth += {"(": 1, ")": -1}.get(token, 0)
    end = Span(source, max(len(text) - 1, 0), len(text))
    if depth or heads.count("check-sat") != 1 or heads[-1] != "check-sat" or "assert" not in heads:
        raise Refused("the question is cut off", end, "it has some `(assert ...)` and ends with `(check-sat)`")

"""The registry of diagnostic codes. Each code has one page, `dsl/pages/CODE.md`, and that page is its only entry.

A page's first line is `# CODE slug: title`; the rest is what `hoyle explain CODE` shows. To add a code, add its page.
The pages are read when they are first asked for, so importing this module costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

FAMILIES: Final[dict[str, str]] = {
    "R1": "reading files and YAML",
    "S2": "syntax of phrases and rule text",
    "N3": "names",
    "T4": "types and ranges",
    "L5": "logic: ties, unused, unreachable, loops",
    "V6": "variants, options, rulings and clauses",
    "E7": "examples and properties",
    "P8": "command line and play",
}

_HEADING: Final = re.compile(r"# ([A-Z]\d{3}) ([a-z0-9]+(?:-[a-z0-9]+)*): (\S.*)")


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of mistake: `N301`, its slug `unknown-zone`, a title, and the Markdown page that explains it."""

    code: str
    slug: str
    title: str
    page: str

    @property
    def family(self) -> str:
        """What codes of this family are about."""
        return FAMILIES[self.code[:2]]


def parse_page(name: str, text: str) -> Code:
    """The code a page describes. Raises ValueError where its name, heading or family is wrong."""
    found = _HEADING.fullmatch(text.partition("\n")[0])
    if found is None or name != f"{found[1]}.md" or found[1][:2] not in FAMILIES:
        raise ValueError(f"dsl/pages/{name} must be named after its code and start with `# CODE slug: title`")
    return Code(found[1], found[2], found[3], text)


@cache
def _load() -> dict[str, Code]:
    pages = sorted((page for page in files("dsl").joinpath("pages").iterdir() if page.name.endswith(".md")), key=str)
    codes = [parse_page(page.name, page.read_text(encoding="utf-8")) for page in pages]
    return {code.code: code for code in codes}


class _Codes(Mapping[str, Code]):
    """All codes by name, in order; filled at the first look."""

    def __getitem__(self, code: str) -> Code:
        return _load()[code]

    def __iter__(self) -> Iterator[str]:
        return iter(_load())

    def __len__(self) -> int:
        return len(_load())


CODES: Final[Mapping[str, Code]] = _Codes()

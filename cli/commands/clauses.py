"""`hoyle clauses`: what became of every clause of a game's rulebook."""

from __future__ import annotations

import json as json_module
import shutil
import sys
import textwrap
from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from cli import driver, exits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dsl.clauses import Account, Rulebook
    from dsl.source import Span

_UNKNOWN: Final = "V613"  # which is part of the answer here, and no hindrance
_COLORS: Final = {"cited": "\x1b[32m", "excused": "\x1b[33m", "missing": "\x1b[1;31m"}


def clauses(game: str, every: bool, json: bool) -> int:
    """Tells which clauses are cited, excused or missing; fine only where all of them are accounted for."""
    loaded = driver.load(driver.find(game))
    try:
        driver.model_of(loaded, {})
    except driver.Failure as failure:
        if any(d.code != _UNKNOWN for d in failure.diagnostics):
            raise
    rulebook = loaded.rulebook
    if rulebook is not None and loaded.document.section("extends") is not None:
        # The situations are those of the game beneath, whose examples a variant does not take over.
        rulebook = replace(rulebook, catalogue=replace(rulebook.catalogue, vectors=()))
    if rulebook is None:
        if json:
            print(json_module.dumps({"clauses": {}, "unknown": [], "coverage": None}, indent=2))
        else:
            print(f"{game} names no clauses of a rulebook; `clauses: PATH` in its file would")
        return exits.ERRORS
    accounts = {number: rulebook.account(number) for number in rulebook.catalogue.clauses}
    if json:
        print(json_module.dumps(_to_json(rulebook, accounts), ensure_ascii=False, indent=2))
    else:
        _tell(game, rulebook, accounts, every)
    is_whole = all(account.status != "missing" for account in accounts.values()) and not rulebook.unknown
    return exits.FINE if is_whole else exits.ERRORS


def _places(spans: Iterable[Span]) -> list[str]:
    """Each line once, in order."""
    return list(dict.fromkeys(f"{span.source.path}:{span.line}" for span in spans))


def _ambiguity(rulebook: Rulebook, number: str) -> tuple[str, list[str]]:
    """How an unclear place of the rulebook is read: by an option, by a ruling, or nobody says."""
    for status, section in (("option", "options"), ("ruling", "rulings")):
        found = rulebook.places(number, section)
        if found:
            return status, _places(found)
    return "missing", []


def _to_json(rulebook: Rulebook, accounts: dict[str, Account]) -> dict[str, Any]:
    accounted = sum(account.status != "missing" for account in accounts.values())
    ambiguities = {number: _ambiguity(rulebook, number) for number in rulebook.catalogue.ambiguities}
    vectors = {number: _places(rulebook.places(number, "examples")) for number in rulebook.catalogue.vectors}
    return {
        "clauses": {
            number: {"status": account.status, "where": _places(account.places), "reason": account.reason}
            for number, account in accounts.items()
        },
        "unknown": sorted({citation.clause for citation in rulebook.unknown}),
        "coverage": accounted / len(accounts) if accounts else 1.0,
        "ambiguities": {number: {"status": status, "where": where} for number, (status, where) in ambiguities.items()},
        "vectors": {
            number: {"status": "example" if where else "missing", "where": where} for number, where in vectors.items()
        },
    }


def _tell(game: str, rulebook: Rulebook, accounts: dict[str, Account], every: bool) -> None:
    counts = Counter(account.status for account in accounts.values())
    bold, plain = ("\x1b[1m", "\x1b[0m") if driver.wants_color(sys.stdout) else ("", "")
    told = ", ".join(f"{counts[status]} {status}" for status in ("cited", "excused", "missing") if counts[status])
    print(f"{bold}{game}{plain}: {_number(len(accounts), 'clause')}, {told or 'nothing to account for'}")
    catalogue = rulebook.catalogue
    ambiguities = Counter(_ambiguity(rulebook, number)[0] for number in catalogue.ambiguities)
    if ambiguities:
        parts = [_number(ambiguities[status], status) for status in ("option", "ruling") if ambiguities[status]]
        parts += [f"{ambiguities['missing']} open"] if ambiguities["missing"] else []
        print(f"{_number(len(catalogue.ambiguities), 'unclear place')}: {', '.join(parts)}")
    shown = [number for number in catalogue.vectors if rulebook.places(number, "examples")]
    if catalogue.vectors:
        print(f"{_number(len(catalogue.vectors), 'test vector')}: {len(shown)} in examples")
    for status in ("missing", "excused", "cited") if every else ("missing", "excused"):
        _tell_group(status, rulebook, {n: a for n, a in accounts.items() if a.status == status})
    open_ones = [n for n in catalogue.ambiguities if _ambiguity(rulebook, n)[0] == "missing"]
    lacking = [n for n in catalogue.vectors if n not in shown]
    for what, numbers in (("neither option nor ruling", open_ones), ("in no example", lacking)):
        if numbers:
            print(f"\n{bold}{what}{plain}")
            print(textwrap.fill(", ".join(numbers), _width(), initial_indent="  ", subsequent_indent="  "))
    if rulebook.unknown:
        print(f"\n{bold}cited, and not in the rulebook{plain}")
        for citation in rulebook.unknown:
            print(f"  {citation.clause}  {_places([citation.span])[0]}")


def _tell_group(status: str, rulebook: Rulebook, accounts: dict[str, Account]) -> None:
    """The clauses of one status, by the sections of the rulebook."""
    if not accounts:
        return
    color, bold, dim, plain = (_COLORS[status], "\x1b[1m", "\x1b[2m", "\x1b[0m")
    if not driver.wants_color(sys.stdout):
        color = bold = dim = plain = ""
    print(f"\n{color}{status}{plain}")
    clauses = rulebook.catalogue.clauses
    for section, numbers in groupby(accounts, lambda number: clauses[number].section):
        if section:
            print(f"  {bold}{section}{plain}")
        for number in numbers:
            account = accounts[number]
            _tell_line(f"    {number}  ", clauses[number].text)
            where = ", ".join(_places(account.places))
            words = {"cited": where, "excused": account.reason}.get(status, "")
            if status == "missing" and where:
                words = f"{account.reason}: {where}"
            if words:
                print(dim, end="")
                _tell_line(" " * (len(number) + 6), words)
                print(plain, end="")


def _tell_line(head: str, words: str) -> None:
    print(textwrap.fill(words, _width(), initial_indent=head, subsequent_indent=" " * len(head)) or head.rstrip())


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _width() -> int:
    return max(40, min(shutil.get_terminal_size((100, 24)).columns, 120))

"""What a file declares and never uses: each is a slip or a leftover, and an error."""

from __future__ import annotations

from dsl import model
from dsl.diagnostics import Reporter
from dsl.scoping import Checked
from dsl.source import Span
from dsl.statements import MAIN
from dsl.symbols import Symbols


def report_unused(symbols: Symbols, checked: Checked, clock: model.Clock | None, claimed: set[str],
                  areas: tuple[Span, ...], reporter: Reporter) -> None:  # fmt: skip
    """Rules never followed, definitions, zones, tables and columns never used, state only read or only written.

    `claimed` are rules that a claim compares with others: they need not be followed.
    Only what is written in `areas` counts, if there are any: a variant or a reading may leave unused what the game
    beneath it needs.
    """
    found = Reporter()
    _find(symbols, checked, clock, claimed, found)
    for d in found.diagnostics:
        if not areas or any(a.source is d.span.source and a.start <= d.span.start < a.end for a in areas):
            reporter.report(d.code, d.message, d.span)


def _find(symbols: Symbols, checked: Checked, clock: model.Clock | None, claimed: set[str],
          reporter: Reporter) -> None:  # fmt: skip
    followed = {MAIN} | claimed | ({e.rule for e in clock.events} if clock else set())
    stack = list(followed)
    while stack:
        for name in checked.follows.get(stack.pop(), ()):
            if name not in followed:
                followed.add(name)
                stack.append(name)
    idle = [name for name in checked.rules if name not in followed]
    for name in idle:
        if not any(name in checked.follows[other] for other in idle):  # to follow that one may be all that lacks
            reporter.report("L508", f"rule `{name}` is never followed", symbols.rules[name].name.span)
    for name, define in symbols.defines.items():
        if name not in symbols.read:
            reporter.report("L508", f"definition `{name}` is never used", define.name.span)
    for name, variable in symbols.state.items():
        if variable.span is None:
            continue
        if name not in symbols.read:
            said = "set and never read" if name in symbols.written else "never used"
            reporter.report("L509", f"state `{name}` is {said}", variable.span)
        elif name not in symbols.written:
            reporter.report("L509", f"state `{name}` is read and never set", variable.span)
    for name, zone in symbols.zones.items():
        if name not in symbols.read and zone.span is not None:
            reporter.report("L508", f"zone `{name}` is never used", zone.span)
    for name in symbols.tables:
        if name not in symbols.read:
            reporter.report("L508", f"table `{name}` is never used", symbols.declared[name][1])
    for column in symbols.columns:
        if f"column {column}" not in symbols.read:
            reporter.report("L508", f"the column `{column}` is never used", symbols.declared[f"column {column}"][1])

"""`hoyle test`: the examples of a rule file, carried out."""

from __future__ import annotations

import json as json_module
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import driver, exits

if TYPE_CHECKING:
    from dsl.diagnostics import Reporter
    from dsl.yamltree import Sequence


@dataclass(frozen=True, slots=True)
class _Row:
    title: str
    cites: tuple[str, ...]
    ok: bool
    expected: str
    got: str
    place: str

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "cites": list(self.cites),
            "ok": self.ok,
            "expected": self.expected,
            "got": self.got,
        }


def test(game: str, examples: str | None, json: bool) -> int:
    """Runs the examples of a game, or those of another file; an example that makes no sense has failed."""
    from dsl.diagnostics import Reporter
    from dsl.render import render_all
    from interpreter.examples import run_all

    loaded = driver.load(driver.find(game))
    made = driver.model_of(loaded, {})
    reporter = Reporter()
    node = made.examples if examples is None else _read(examples, reporter)
    verdicts = run_all(made, loaded.model, node, reporter)
    rows = [
        _Row(v.title, tuple(v.cites), v.ok, str(v.expected), str(v.got), f"{v.span.source.path}:{v.span.line}")
        for v in verdicts
    ]
    errors = [d for d in (*loaded.reporter.diagnostics, *reporter.diagnostics) if d.severity == "error"]
    for error in errors:
        place = f"{error.span.source.path}:{error.span.line}"
        rows.append(_Row(place, (), False, "an example that can be run", f"{error.code}: {error.message}", place))
    failed = [row for row in rows if not row.ok]
    if json:
        result = {
            "passed": len(rows) - len(failed),
            "failed": len(failed),
            "examples": [row.to_json() for row in rows],
        }
        print(json_module.dumps(result, ensure_ascii=False, indent=2))
    if errors:
        print(render_all(errors, driver.wants_color(sys.stderr)), file=sys.stderr, flush=True)
    if not json:
        _tell(rows, [row for row in failed if row.title != row.place])
    return exits.ERRORS if failed else exits.FINE


def _read(examples: str, reporter: Reporter) -> Sequence | None:
    """The list of examples in a file: under its key `examples`, as in a rule file."""
    from dsl import reader
    from dsl.yamltree import Sequence

    tree = reader.read_file(Path(examples), examples, reporter)
    if tree is None or reporter.has_errors:
        raise driver.Failure(reporter.diagnostics)
    node = tree.get("examples")
    if not isinstance(node, Sequence):
        raise driver.UsageError(f"`{examples}` has no list of examples; it begins with `examples:`")
    return node


def _tell(rows: list[_Row], failed: list[_Row]) -> None:
    bold, red, green, plain = ("\x1b[1m", "\x1b[1;31m", "\x1b[32m", "\x1b[0m")
    if not driver.wants_color(sys.stdout):
        bold = red = green = plain = ""
    for row in failed:
        cites = f" [{', '.join(row.cites)}]" if row.cites else ""
        print(f"{red}failed{plain}: {bold}{row.title}{plain}{cites}")
        print(f"  --> {row.place}")
        print(f"  expected: {row.expected}")
        print(f"       got: {row.got}")
        print()
    passed = sum(row.ok for row in rows)
    if not rows:
        print("there are no examples")
    elif passed == len(rows):
        print(f"{green}{passed} passed{plain}")
    else:
        print(f"{passed} passed, {red}{len(rows) - passed} failed{plain}")

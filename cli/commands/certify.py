"""`hoyle certify`: what proofs rest on, checked again: by solvers that know nothing of the games, or step by step."""

from __future__ import annotations

import json as json_module
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import driver, exits

if TYPE_CHECKING:
    from dsl import model
    from verify.recheck import Asked, Certificate
    from verify.recheck_counts import Seen
    from verify.solving import Result

_TO_LOOK = 0.5  # of the time goes to positions, where there are questions for solvers, too
_NUMBERS = ("files", "positions", "seconds")


@dataclass(slots=True)
class _Row:
    """A certificate of some rules, with what each solver said of its questions, in their order; None is not known yet.

    `seen` is what was seen of its positions, if it has any; where that is not known, `because` says why.
    """

    certificate: Certificate
    shown: str
    rules: model.Model
    seen: Seen | None = None
    because: str = ""
    took: float = 0.0
    said: dict[str, list[Result | None]] = field(default_factory=dict)

    def others(self) -> list[tuple[Asked, str, str]]:
        """The files that are not found to be unsat, with the solver and what it said."""
        found = []
        for solver, results in self.said.items():
            for asked, result in zip(self.certificate.asked, results, strict=True):
                if result is None or result[0] != "unsat":
                    found.append((asked, solver, "not asked" if result is None else result[0]))
        return found

    def told(self, solver: str) -> str:
        """What a solver said of all questions: once where it is the same."""
        counts = Counter("not asked" if r is None else r[0] for r in self.said[solver])
        return ", ".join(f"{n} {what}" if len(counts) > 1 else what for what, n in counts.items())

    @property
    def num_files(self) -> int:
        return len(self.certificate.asked) + len(self.certificate.tables)

    @property
    def told_positions(self) -> str:
        """What is known of listed positions, in a word."""
        return "not known" if self.because else "" if self.seen is None else str(self.seen.positions)

    @property
    def seconds(self) -> float:
        return self.took + sum(r[1] for results in self.said.values() for r in results if r is not None)


def certify(folder: str, budget: float, json: bool) -> int:
    """Looks at every certificate in a folder, and asks about every question."""
    driver.check_budget(budget)
    deadline = time.monotonic() + budget
    rows = _read(Path(folder))
    from verify.solving import ask, solvers

    known = solvers()
    questions: list[tuple[str, str]] = []
    places: list[tuple[_Row, str, int]] = []
    for row in rows:
        row.said = {solver: [None] * len(row.certificate.asked) for solver in known}
        for i, asked in enumerate(row.certificate.asked):
            for solver in known:
                questions.append((solver, asked.text))
                places.append((row, solver, i))
    try:
        listed = [row for row in rows if row.certificate.lists_positions]
        _look_at(listed, budget * (_TO_LOOK if questions else 1.0))
        with _progress(len(questions), not json) as step:

            def told(number: int, result: Result) -> None:
                row, solver, i = places[number]
                row.said[solver][i] = result
                step()

            ask(questions, os.cpu_count() or 1, max(deadline - time.monotonic(), 0.0), told)
    except KeyboardInterrupt:
        _tell(rows, known, json)
        raise
    _tell(rows, known, json)
    return _status(rows)


def _status(rows: Sequence[_Row]) -> int:
    said = {what for row in rows for _, _, what in row.others()} | {row.because for row in rows if row.because}
    return exits.FINE if not said else exits.ERRORS if "sat" in said else exits.UNKNOWN


def _look_at(rows: Sequence[_Row], seconds: float) -> None:
    """Follows the steps from all positions that are listed, few positions first: what is left is for the others."""
    from verify.closed import NotKnown
    from verify.recheck_counts import check
    from verify.refused import Refused

    deadline = time.monotonic() + seconds
    sizes = {id(row): sum(len(table.text) for table in row.certificate.tables) for row in rows}
    for number, row in enumerate(sorted(rows, key=lambda row: sizes[id(row)])):
        began = time.monotonic()
        try:
            row.seen = check(row.certificate, row.rules, max(deadline - began, 0.0) / (len(rows) - number))
        except NotKnown as error:
            row.because = str(error)
        except Refused as refused:
            raise driver.Failure([refused.diagnostic]) from None
        row.took = time.monotonic() - began


# ------------------------------------------------------------------------------------------------ reading


def _read(folder: Path) -> list[_Row]:
    """Every certificate, compared with the rules as they are now."""
    from verify import recheck_claims, recheck_ends
    from verify.recheck import Unreadable, compare, read
    from verify.refused import Refused

    if not folder.is_dir():
        raise driver.UsageError(f"no folder `{folder}` exists")
    try:
        certificates, rows = read(folder), list[_Row]()
        models: dict[tuple[str, ...], model.Model] = {}
        by_folder = {certificate.folder: certificate for certificate in certificates}
        for certificate in certificates:
            rules = _model(certificate, models)
            compare(certificate, rules)
            rows.append(_Row(certificate, os.path.relpath(certificate.folder, folder), rules))
            if certificate.rests_on is not None:
                recheck_claims.compare(certificate, by_folder[certificate.rests_on], rules)
                recheck_ends.compare(certificate, by_folder[certificate.rests_on], rules)
    except Refused as refused:
        raise driver.Failure([refused.diagnostic]) from None
    except Unreadable as error:
        raise driver.Failure(error.reporter.diagnostics) from None
    if not certificates:
        help = f"`hoyle prove GAME --certificates {folder}` writes them"
        raise driver.UsageError(f"no certificate lies in `{folder}`; {help}")
    return rows


def _model(certificate: Certificate, models: dict[tuple[str, ...], model.Model]) -> model.Model:
    """The rules that a certificate is about: by the name of a game, or by the way to its file from there."""
    from dsl.files import ENDINGS
    from verify.refused import Refused

    name, options = certificate.head["game"], [f"{k}={v}" for k, v in certificate.head["options"].items()]
    found = None
    if name.lower().endswith(ENDINGS):
        way = os.path.normpath(certificate.folder / name)
        found = driver.Found(Path(way), way)
    key = (name if found is None else found.shown, *options)
    if key not in models:
        try:
            loaded = driver.load(found or driver.find(name))
            models[key] = driver.model_of(loaded, driver.chosen_options(loaded, options))
        except driver.Failure as failure:
            wrong = next(d for d in failure.diagnostics if d.severity == "error")
            message = f"its game `{name}` cannot be used: {wrong.message}"
            raise Refused(message, certificate.place("game"), wrong.help) from None
        except driver.UsageError as error:
            message, _, help = str(error).partition("; ")
            raise Refused(message, certificate.place("options"), help) from None
    return models[key]


# ------------------------------------------------------------------------------------------------ telling


def _progress(number: int, is_shown: bool) -> AbstractContextManager[Callable[[], None]]:
    """Counts the questions that are answered, on a terminal."""
    if not (is_shown and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"):
        return nullcontext(lambda: None)
    from contextlib import contextmanager

    from rich.console import Console

    @contextmanager
    def shown() -> Any:
        done = 0
        with Console().status(f"{number} questions") as status:

            def step() -> None:
                nonlocal done
                done += 1
                status.update(f"{number - done} of {number} questions")

            yield step

    return shown()


def _tell(rows: Sequence[_Row], solvers: Sequence[str], json: bool) -> None:
    if json:
        told = {"solvers": list(solvers), "certificates": [_json(row) for row in rows]}
        print(json_module.dumps(told, ensure_ascii=False, indent=2))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    cells = [[row.shown, str(row.num_files), *(row.told(s) for s in solvers), row.told_positions, f"{row.seconds:.1f}"]
             for row in rows]  # fmt: skip
    heads = ["certificate", "files", *solvers, "positions", "seconds"]
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        for head in heads:
            table.add_column(head, overflow="fold", justify="right" if head in _NUMBERS else "left")
        for row, line in zip(rows, cells, strict=True):
            table.add_row(*line, style="red" if row.others() or row.because else None)
        Console().print(table)
    else:
        widths = [max(len(line[i]) for line in [heads, *cells]) for i in range(len(heads))]
        for line in [heads, *cells]:
            print("  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip())
    for row in rows:
        if row.because:
            print(f"nothing is known of the positions in {row.shown}: {row.because}")
        for asked, solver, said in row.others():
            print(f"{solver} says {said} of {asked.path}: {asked.says}")
    print(_summary(rows, solvers))


def _summary(rows: Sequence[_Row], solvers: Sequence[str]) -> str:
    properties = sum(row.certificate.about is not None for row in rows)
    parts = [_questions(rows, solvers)] if any(row.certificate.asked for row in rows) else []
    if any(row.certificate.lists_positions for row in rows):
        parts.append(_positions([row for row in rows if row.certificate.lists_positions]))
    return f"{properties} propert{'y' if properties == 1 else 'ies'}: {'; '.join(parts)}"


def _questions(rows: Sequence[_Row], solvers: Sequence[str]) -> str:
    files = sum(len(row.certificate.asked) for row in rows)
    others = len({asked.path for row in rows for asked, _, _ in row.others()})
    held = f"all {files} questions are unsat" if not others else f"{others} of {files} questions are not found unsat"
    return f"{held}, says {' and '.join(solvers)}"


def _positions(rows: Sequence[_Row]) -> str:
    """What was seen of listed positions, and what was left out."""
    seen = [row.seen for row in rows if row.seen is not None]
    told = f"{sum(s.steps for s in seen)} steps from {sum(s.positions for s in seen)} positions lead to no other"
    stops = sum(s.stops for s in seen)
    told += f", nor do real plays at {stops} stops" if stops else ""
    if not all(s.is_all for s in seen):
        told += ", though of positions that are alike only some were looked at"
    unknown = len(rows) - len(seen)
    of = "one property" if unknown == 1 else f"{unknown} properties"
    return told + (f"; of {of} it is not known" if unknown else "")


def _json(row: _Row) -> dict[str, Any]:
    head = row.certificate.head
    return {
        "folder": row.shown, "game": head["game"], "players": row.certificate.players, "options": head["options"],
        "property": row.certificate.about, "files": row.num_files, "seconds": round(row.seconds, 3),
        **{solver: row.told(solver) for solver in row.said},
        "positions": _json_positions(row),
        "others": [{"file": str(a.path), "says": a.says, "solver": s, "said": what} for a, s, what in row.others()],
    }  # fmt: skip


def _json_positions(row: _Row) -> dict[str, Any] | None:
    """What was seen of the positions of a certificate; None if it has none."""
    if row.seen is None:
        return {"verdict": "unknown", "because": row.because} if row.because else None
    seen = row.seen
    return {
        "verdict": "closed", "positions": seen.positions, "steps": seen.steps, "stops of real plays": seen.stops,
        "all that are alike": seen.is_all,
    }  # fmt: skip

"""`hoyle certify`: what proofs rest on, checked again by solvers that know nothing of the games."""

from __future__ import annotations

import json as json_module
import os
import sys
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
    from verify.solving import Result


@dataclass(slots=True)
class _Row:
    """A certificate with what each solver said of its files, in their order; None is not known yet."""

    certificate: Certificate
    shown: str
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
        """What a solver said of all files: once where it is the same."""
        counts = Counter("not asked" if r is None else r[0] for r in self.said[solver])
        return ", ".join(f"{n} {what}" if len(counts) > 1 else what for what, n in counts.items())

    @property
    def seconds(self) -> float:
        return sum(r[1] for results in self.said.values() for r in results if r is not None)


def certify(folder: str, budget: float, json: bool) -> int:
    """Asks about every file of every certificate in a folder."""
    driver.check_budget(budget)
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
        with _progress(len(questions), not json) as step:

            def told(number: int, result: Result) -> None:
                row, solver, i = places[number]
                row.said[solver][i] = result
                step()

            ask(questions, os.cpu_count() or 1, budget, told)
    except KeyboardInterrupt:
        _tell(rows, known, json)
        raise
    _tell(rows, known, json)
    return _status(rows)


def _status(rows: Sequence[_Row]) -> int:
    said = {what for row in rows for _, _, what in row.others()}
    return exits.FINE if not said else exits.ERRORS if "sat" in said else exits.UNKNOWN


# ------------------------------------------------------------------------------------------------ reading


def _read(folder: Path) -> list[_Row]:
    """Every certificate, compared with the rules as they are now."""
    from verify import recheck_claims, recheck_ends
    from verify.recheck import Unreadable, compare, read
    from verify.refused import Refused

    if not folder.is_dir():
        raise driver.UsageError(f"no folder `{folder}` exists")
    try:
        certificates = read(folder)
        models: dict[tuple[str, ...], model.Model] = {}
        by_folder = {certificate.folder: certificate for certificate in certificates}
        for certificate in certificates:
            rules = _model(certificate, models)
            compare(certificate, rules)
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
    return [_Row(c, os.path.relpath(c.folder, folder)) for c in certificates]


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

    cells = [[row.shown, str(len(row.certificate.asked)), *(row.told(s) for s in solvers), f"{row.seconds:.1f}"]
             for row in rows]  # fmt: skip
    heads = ["certificate", "files", *solvers, "seconds"]
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        for head in heads:
            table.add_column(head, overflow="fold", justify="right" if head in ("files", "seconds") else "left")
        for row, line in zip(rows, cells, strict=True):
            table.add_row(*line, style=None if not row.others() else "red")
        Console().print(table)
    else:
        widths = [max(len(line[i]) for line in [heads, *cells]) for i in range(len(heads))]
        for line in [heads, *cells]:
            print("  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip())
    for row in rows:
        for asked, solver, said in row.others():
            print(f"{solver} says {said} of {asked.path}: {asked.says}")
    print(_summary(rows, solvers))


def _summary(rows: Sequence[_Row], solvers: Sequence[str]) -> str:
    files = sum(len(row.certificate.asked) for row in rows)
    properties = sum(row.certificate.about is not None for row in rows)
    others = len({asked.path for row in rows for asked, _, _ in row.others()})
    how = " and ".join(solvers)
    held = f"all {files} questions are unsat" if not others else f"{others} of {files} questions are not found unsat"
    return f"{properties} propert{'y' if properties == 1 else 'ies'}: {held}, says {how}"


def _json(row: _Row) -> dict[str, Any]:
    head = row.certificate.head
    return {
        "folder": row.shown, "game": head["game"], "players": row.certificate.players, "options": head["options"],
        "property": row.certificate.about, "files": len(row.certificate.asked), "seconds": round(row.seconds, 3),
        **{solver: row.told(solver) for solver in row.said},
        "others": [{"file": str(a.path), "says": a.says, "solver": s, "said": what} for a, s, what in row.others()],
    }  # fmt: skip

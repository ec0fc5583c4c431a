"""`hoyle prove`: what the rules claim and what any author must know, proved or refuted."""

from __future__ import annotations

import json as json_module
import os
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import driver, exits

if TYPE_CHECKING:
    from dsl.load import Loaded
    from verify.outcome import Outcome
    from verify.report import Of, Standing
    from verify.run import Progress

_TO_TELL = 0.97  # of the budget goes into the answers, the rest into telling them


class _Run:
    """One game with its answers, its traces in words and the files they were written to."""

    def __init__(self, found: driver.Found, loaded: Loaded, name: str) -> None:
        self.found, self.loaded, self.name = found, loaded, name
        self.outcomes: list[Outcome] = []
        self.texts: dict[Of, str] = {}
        self.steps: dict[Of, list[str]] = {}
        self.files: dict[Of, Path] = {}


def prove(
    games: list[str],
    properties: list[str],
    players: str,
    options: list[str],
    free: bool,
    budget: float,
    json: bool,
    cache: bool,
    traces: str | None,
    certificates: str | None,
    save_example: bool,
    explain: str | None,
) -> int:
    """Proves the properties of some games, one game after the other within one budget."""
    driver.check_budget(budget)
    count = _players(players)
    if explain is not None and (json or traces or certificates or save_example or properties):
        raise driver.UsageError("--explain goes with --players, --option and --budget only")
    from verify.crew import get_ready

    get_ready()
    ready = [_ready(game, count, options) for game in games]
    from verify.certificates import default_folder

    keep_in = default_folder() if cache else None
    if explain is not None:
        return _explain(ready, explain, count, budget)
    certify_in = None if certificates is None else Path(certificates)
    if certify_in is not None:
        _begin_certificates(certify_in)
    began = time.monotonic()
    runs: list[_Run] = []
    for place, (run, chosen) in enumerate(ready):
        share = (budget * _TO_TELL - (time.monotonic() - began)) / (len(ready) - place)
        runs.append(run)
        try:
            share = max(share, driver.LEAST_BUDGET)
            _answer(run, properties, count, chosen, free, share, keep_in, certify_in, not json)
        except KeyboardInterrupt:
            _tell(runs, json, traces, certify_in, time.monotonic() - began)
            raise
    _tell(runs, json, traces, certify_in, time.monotonic() - began)
    if save_example:
        _save_examples(runs, properties)
    return _status(runs)


def _players(text: str) -> int | None:
    if text.strip().lower() == "all":
        return None
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 1000):
        raise driver.UsageError(f"--players takes a number or `all`, not `{text}`")
    return int(text)


def _ready(game: str, players: int | None, options: list[str]) -> tuple[_Run, dict[str, str]]:
    """A game that is right, and the readings chosen for it."""
    found = driver.find(game)
    loaded = driver.load(found)
    chosen = driver.chosen_options(loaded, options)
    made = driver.model_of(loaded, chosen)
    driver.check_players(made, players)
    return _Run(found, loaded, made.name), chosen


def _answer(
    run: _Run, properties: list[str], players: int | None, options: dict[str, str], free: bool, budget: float,
    keep_in: Path | None, certify_in: Path | None, is_shown: bool,
) -> None:  # fmt: skip
    from verify import report
    from verify.questions import NotAsked, Wrong
    from verify.run import Stopped
    from verify.run import prove as prove_all
    from verify.wanted import Wanted

    certify = None
    if certify_in is not None:
        folder = certify_in.resolve() / run.name
        certify = Wanted(folder, _way(run, folder / "property"), "")
    shown: AbstractContextManager[Progress | None] = nullcontext(None)
    if is_shown and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        from rich.console import Console

        shown = report.live(Console(), run.name)
    try:
        with shown as progress:
            run.outcomes = prove_all(
                run.loaded, properties, players, options, free, budget, progress, keep_in=keep_in, certify=certify
            )
    except NotAsked as error:
        raise driver.UsageError(f"{run.name}: {error}") from None
    except Wrong:
        raise driver.Failure(run.loaded.reporter.diagnostics) from None
    except Stopped as stopped:
        run.outcomes = stopped.outcomes
        raise


def _write_out(run: _Run, all_of_them: bool) -> None:
    """Puts traces in the words of their game: one of each property, or all."""
    from dsl.lower import lower
    from interpreter.machine import Machine
    from interpreter.playfile import text_of
    from verify import report
    from verify.tracefile import head_of

    defaults = {option.name: option.default for option in run.loaded.option_table}
    machines: dict[object, Machine] = {}
    for outcome in run.outcomes:
        only = report.shown_with(outcome)
        for n, answer in outcome.by_players.items():
            for value, trace in answer.traces.items() if all_of_them or n == only else ():
                # Asked for by what is not the default, the model is most likely there already.
                chosen = {k: v for k, v in trace.options if defaults.get(k) != v}
                key = (*chosen.items(), n)
                if key not in machines:
                    machines[key] = Machine(lower(driver.model_of(run.loaded, chosen), n))
                machine = machines[key]
                text = text_of(machine, head_of(outcome, answer, run.name, machine.game, value), trace)
                run.texts[outcome.name, n, value] = text
                run.steps[outcome.name, n, value] = text.partition("\n\n")[2].splitlines()[:-1]


def _begin_certificates(folder: Path) -> None:
    """Finds out now, and not after the proofs, whether certificates can be written."""
    from verify.wanted import write_readme

    try:
        write_readme(folder)
    except OSError as error:
        raise driver.UsageError(f"`{folder}` cannot be written: {error.strerror}") from None


def _tell(runs: list[_Run], json: bool, traces: str | None, certify_in: Path | None, seconds: float) -> None:
    from verify import report

    for run in runs:
        if json or traces is not None:
            _write_out(run, all_of_them=traces is not None)
        if traces is not None:
            _save_traces(run, Path(traces))
    if json:
        told = [report.to_json(run.name, run.outcomes, run.files, run.steps) for run in runs]
        print(json_module.dumps(told[0] if len(told) == 1 else told, ensure_ascii=False, indent=2))
        return
    for run in runs:
        if len(runs) > 1:
            print(f"{run.name}:")
        if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
            from rich.console import Console

            Console().print(report.table(run.outcomes, run.files))
        else:
            for line in report.plain_lines(run.outcomes, run.files):
                print(line)
    outcomes = [o for run in runs for o in run.outcomes]
    print(report.summary(outcomes, seconds) if outcomes else "there is nothing to prove")
    if certify_in is not None:
        print(report.certified(outcomes, certify_in))


def _save_traces(run: _Run, folder: Path) -> None:
    from verify import tracefile

    for (name, n, value), text in run.texts.items():
        path = tracefile.path_of(folder, run.name, name, n, value)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_placed(run, text, path.parent), encoding="utf-8")
        except OSError as error:
            raise driver.UsageError(f"`{path}` cannot be written: {error.strerror}") from None
        run.files[name, n, value] = path


def _placed(run: _Run, text: str, folder: Path) -> str:
    """The text of a trace file, its game named so that it is found from there."""
    return text.replace(f"\ngame: {run.name}\n", f"\ngame: {_way(run, folder)}\n", 1)


def _way(run: _Run, folder: Path) -> str:
    """How a game is found from a folder: by name, or by the way to its file."""
    if any(known.path == run.found.path for known in driver.known_games()):
        return run.name
    return os.path.relpath(run.found.path.resolve(), folder.resolve()).replace(os.sep, "/")


def _status(runs: list[_Run]) -> int:
    from verify import report

    statuses: dict[Standing, int] = {
        report.Standing.FINE: exits.FINE, report.Standing.OPEN: exits.UNKNOWN, report.Standing.WRONG: exits.ERRORS,
    }  # fmt: skip
    return statuses[report.worst([o for run in runs for o in run.outcomes])]


def _save_examples(runs: list[_Run], wanted: list[str]) -> None:
    from verify import regressions
    from verify.outcome import Verdict

    for run in runs:
        found = []
        for outcome in run.outcomes:
            # One example of each is enough. A witness is saved where the property was asked for by its name.
            shown = (a for a in outcome.by_players.values() if a.trace is not None)
            answer = next((a for a in shown if wanted or a.verdict is Verdict.REFUTED), None)
            if answer is not None:
                found.append((outcome, answer))
        for line in regressions.save(run.loaded, found):
            print(f"{run.name}: {line}", file=sys.stderr)


def _explain(ready: list[tuple[_Run, dict[str, str]]], name: str, players: int | None, budget: float) -> int:
    from verify.explaining import explain
    from verify.questions import NotAsked, Wrong

    status: Any = exits.FINE
    for run, chosen in ready:
        try:
            outcome, lines = explain(run.loaded, name, players, chosen, budget / len(ready))
        except NotAsked as error:
            raise driver.UsageError(f"{run.name}: {error}") from None
        except Wrong:
            raise driver.Failure(run.loaded.reporter.diagnostics) from None
        for line in lines:
            print(line)
        run.outcomes = [outcome]
        status = _status([run for run, _ in ready])
    return int(status)

"""`hoyle mutate`: small faults made in a rule file on purpose, and what notices each."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli import driver, exits

if TYPE_CHECKING:
    from verify.mutation import Progress, Tried


def mutate(
    game: str, players: int | None, operators: list[str], budget: float, jobs: int | None, sample: int | None,
    seed: str, asks: bool, json: bool,
) -> int:  # fmt: skip
    """Tries the mutants of one game and tells which were noticed by what."""
    if not 0 < budget < float("inf"):
        raise driver.UsageError(f"--budget takes seconds, more than 0, not `{budget:g}`")
    found = driver.find(game)
    loaded = driver.load(found)
    made = driver.model_of(loaded, {})
    driver.check_players(made, players)
    from verify.mutants import OPERATORS
    from verify.mutation import Unfit, Wanted
    from verify.mutation import mutate as try_all
    from verify.mutation_trial import Subject

    for name in operators:
        if name not in OPERATORS:
            known = driver.suggestion(name, OPERATORS) or f"; they are {', '.join(OPERATORS)}"
            raise driver.UsageError(f"no operator is named `{name}`{known}")
    subject = Subject(found.path, found.shown, driver.GAMES, players)
    try:
        with _shown(made.name, not json) as progress:
            tried = try_all(subject, Wanted(tuple(operators), sample, seed), budget, jobs, asks, progress)
    except Unfit as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        return exits.ERRORS
    return _told(made.name, tried, json)


def _told(name: str, tried: list[Tried], json: bool) -> int:
    from verify import mutation_report as report
    from verify.mutation_trial import Fate

    if json:
        print(json_module.dumps(report.to_json(name, tried), ensure_ascii=False, indent=2))
    elif not tried:
        print("there is nothing to change")
    else:
        for line in report.table(tried):
            print(line)
        lines = report.survivors(tried)
        print(f"\n{'nobody would notice:' if lines else 'each is noticed'}")
        for line in lines:
            print(line)
    fates = {t.finding.fate for t in tried}
    if Fate.UNTRIED in fates:
        return exits.UNKNOWN
    return exits.ERRORS if Fate.SURVIVED in fates else exits.FINE


@contextmanager
def _shown(name: str, is_wanted: bool) -> Iterator[Progress | None]:
    """A line that tells how far it is, on a terminal."""
    if not is_wanted or not driver.wants_color(sys.stderr):
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{name} ...") as status:
        yield lambda done, total, what: status.update(f"{name}: {what}, {done} of {total}")

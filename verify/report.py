"""Outcomes for people and for other programs: a table that grows while work goes on, and JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verify.certificates import plain_value
from verify.outcome import Answer, Outcome, Shown, Verdict
from verify.wanted import NOT_WRITTEN

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from interpreter.trace import Trace
    from verify.run import Progress

_COLORS: Final = {
    Verdict.PROVED: "green", Verdict.WITNESSED: "green", Verdict.REFUTED: "green", Verdict.VACUOUS: "yellow",
    Verdict.HOLDS_TO_DEPTH: "yellow", Verdict.UNKNOWN: "yellow",
}  # fmt: skip

_WIDEST: Final = 40  # of a column; what is wider moves the others
_LONGEST: Final = 240  # letters of a reason in a table; JSON has it whole

Of = tuple[str, int, str]
"""A trace: of which property, for how many players, and what of it is shown: the name of a value, or empty."""
Files = Mapping[Of, Path]


class Standing(Enum):
    """How an outcome compares with what was expected."""

    FINE = "fine"
    OPEN = "open"  # not known, or only to a depth, and nothing wrong
    WRONG = "wrong"


def standing(outcome: Outcome) -> Standing:
    """Whether every answer is as expected, or one is not, or one is still open."""
    others = [a.verdict for n, a in outcome.by_players.items() if a.verdict not in outcome.expected_of(n)]
    if not others:
        return Standing.FINE
    is_open = all(v in (Verdict.UNKNOWN, Verdict.HOLDS_TO_DEPTH) for v in others)
    return Standing.OPEN if is_open else Standing.WRONG


def worst(outcomes: Sequence[Outcome]) -> Standing:
    """How a run as a whole came out."""
    found = {standing(o) for o in outcomes}
    return next((s for s in (Standing.WRONG, Standing.OPEN) if s in found), Standing.FINE)


# ------------------------------------------------------------------------------------------------ phrases


def verdict_text(outcome: Outcome) -> str:
    """The verdict, by number of players where they differ: "2: witnessed, 3-14: proved"."""
    return _by_players([(n, plain_verdict(a.verdict)) for n, a in sorted(outcome.by_players.items())])


def _by_players(told: Sequence[tuple[int, str]]) -> str:
    """What is told of each number of players; once where it is the same of all."""
    if len({text for _, text in told}) <= 1:
        return told[0][1] if told else ""
    runs = [(text, [n for n, _ in members]) for text, members in groupby(told, key=lambda pair: pair[1])]
    return ", ".join(f"{numbers(ns)}: {text}" for text, ns in runs)


def plain_verdict(verdict: Verdict) -> str:
    return verdict.value.replace("_", " ")


def numbers(found: Sequence[int]) -> str:
    """Whole numbers in order, those that follow each other as ranges: "2-4, 6"."""
    runs: list[list[int]] = []
    for n in found:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def expected_text(outcome: Outcome) -> str:
    """The verdicts that are as they should be, by number of players where they differ: "2: refuted, 3-14: proved"."""
    wanted = [(n, _verdicts_text(outcome.expected_of(n))) for n in sorted(outcome.by_players)]
    return _by_players(wanted) or _verdicts_text(outcome.expected)


def _verdicts_text(expected: frozenset[Verdict]) -> str:
    """Verdicts in the order in which they are listed."""
    return "|".join(v.value for v in Verdict if v in expected)


def reasons(outcome: Outcome) -> list[str]:
    """Of what is open or not as expected: why, one line for each reason, with the numbers of players it holds for.

    Reasons that differ in numbers only are one: the first is told.
    """
    shown: dict[str, tuple[str, list[int]]] = {}
    for n, answer in sorted(outcome.by_players.items()):
        expected = outcome.expected_of(n)
        if answer.verdict not in expected or answer.verdict is Verdict.UNKNOWN:
            words = [] if answer.verdict in expected else [_compared(expected, answer)]
            words += [" ".join(answer.because.split())] if answer.because else []
            words += [f"shown by {play_text(answer.trace)}"] if answer.trace is not None else []
            if answer.value is not None:
                words.append(f"found {value_text(answer.value)}")
            text = "; ".join(w for w in words if w)
            shown.setdefault(re.sub(r"\d+", "#", text), (text, []))[1].append(n)
    told = [(text, ns) for text, ns in shown.values() if text]
    is_for_all = len(told) == 1 and len(told[0][1]) == len(outcome.by_players)
    return [text if is_for_all else f"{numbers(ns)}: {text}" for text, ns in told]


def play_text(trace: Trace) -> str:
    """A play by its length: "a play of 7 steps"."""
    steps = len(trace.steps)
    return f"a play of {steps} step{'' if steps == 1 else 's'}"


def _compared(expected: frozenset[Verdict], answer: Answer) -> str:
    if answer.verdict in (Verdict.UNKNOWN, Verdict.HOLDS_TO_DEPTH):
        return ""
    return f"expected to be {' or '.join(plain_verdict(v) for v in Verdict if v in expected)}"


def at_once_text(outcome: Outcome) -> str:
    """What one proof says of many numbers of players; empty where there is none."""
    found = outcome.at_once
    if found is None:
        return ""
    least, most = found.value["from"], found.value["to"]
    whom = f"for any number of players from {least} on" if most is None else f"for {least} to {most} players"
    ends = ", and for no more" if found.value["ends"] else ""
    return f"at once {whom}{ends}: {plain_verdict(found.verdict)} ({found.engine})"


def value_text(value: Any) -> str:
    """A computed value on one line."""
    if isinstance(value, dict):
        return ", ".join(f"{k} {value_text(v)}" for k, v in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(value_text(v) for v in value)
    return str(value)


def engines(outcome: Outcome) -> str:
    """The engines that answered, each once."""
    each = (a.engine.split(", ") for _, a in sorted(outcome.by_players.items()))
    return ", ".join(dict.fromkeys(engine for several in each for engine in several))


def summary(outcomes: Sequence[Outcome], seconds: float) -> str:
    """One line: how many properties, how they came out, and how long it took."""
    counts = Counter(plain_verdict(o.verdict) for o in outcomes)
    told = [f"{counts[plain_verdict(v)]} {plain_verdict(v)}" for v in Verdict if counts[plain_verdict(v)]]
    plural = "property" if len(outcomes) == 1 else "properties"
    wrong = sum(standing(o) is Standing.WRONG for o in outcomes)
    end = f"; {wrong} not as expected" if wrong else ""
    return f"{len(outcomes)} {plural}: {', '.join(told)}{end} ({seconds:.1f} s)"


def certified(outcomes: Sequence[Outcome], folder: Path) -> str:
    """How many answers have a certificate, and a line for each property of which it could not be written."""
    answers = [a for o in outcomes for a in o.by_players.values()]
    written = sum(a.certificate is not None for a in answers)
    others = sum(a.certificate is None and a.verdict is Verdict.PROVED for a in answers)
    plural = "" if written == 1 else "s"
    told = f"{written} certificate{plural} in {folder}" + (f"; `hoyle certify {folder}` checks them" if written else "")
    without = f"; {others} proved in another way have none" if others else ""
    return "\n".join([told + without, *(line for outcome in outcomes for line in _not_written(outcome))])


def _not_written(outcome: Outcome) -> Iterator[str]:
    """Why there is no certificate of what could have one, once for all numbers of players of which it is the same."""
    found = (a.because[a.because.index(NOT_WRITTEN) :] for a in outcome.by_players.values() if NOT_WRITTEN in a.because)
    for because in dict.fromkeys(found):
        yield f"{outcome.name}: {because}"


# ------------------------------------------------------------------------------------------------ tables


def plain_lines(outcomes: Sequence[Outcome], files: Files) -> list[str]:
    """The table as plain text: a line for each property, and indented what there is to say of it."""
    rows = [_cells(o) for o in outcomes]
    widths = [min(max((len(row[i]) for row in rows), default=0), _WIDEST) for i in range(4)]
    lines: list[str] = []
    for outcome, row in zip(outcomes, rows, strict=True):
        name, verdict, engine, seconds, cites = row
        mark = "!" if standing(outcome) is Standing.WRONG else "?" if standing(outcome) is Standing.OPEN else " "
        cells = [f"{name:<{widths[0]}}", f"{verdict:<{widths[1]}}", f"{engine:<{widths[2]}}", f"{seconds:>{widths[3]}}"]
        line = f"{mark} {'  '.join([*cells, cites])}"
        lines.append(line.rstrip())
        lines += [f"    {text}" for text in _notes(outcome, files)]
    return lines


def _cells(outcome: Outcome) -> tuple[str, str, str, str, str]:
    seconds = f"{outcome.seconds:.1f} s"
    return outcome.name, verdict_text(outcome), engines(outcome), seconds, ", ".join(outcome.cites)


def _notes(outcome: Outcome, files: Files) -> list[str]:
    paths = [str(path) for (name, _, _), path in files.items() if name == outcome.name]
    at_once = [text] if (text := at_once_text(outcome)) else []
    told = (text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..." for text in reasons(outcome))
    return [*at_once, *told, *paths]


def table(outcomes: Sequence[Outcome], files: Files) -> Table:
    """The table for a terminal."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    made.add_column("property", overflow="fold")
    made.add_column("verdict", overflow="fold")
    made.add_column("engine", overflow="fold", style="dim")
    made.add_column("seconds", justify="right")
    made.add_column("clauses", overflow="fold", style="dim")
    for outcome in outcomes:
        name, _, engine, seconds, cites = _cells(outcome)
        made.add_row(_name_text(name, _notes(outcome, files)), _colored(outcome), engine, seconds.rstrip(" s"), cites)
    return made


def _name_text(name: str, notes: Sequence[str]) -> Text:
    from rich.text import Text

    text = Text(name)
    for note in notes:
        text.append(f"\n  {note}", style="dim")
    return text


def _colored(outcome: Outcome) -> Text:
    from rich.text import Text

    color = "red" if standing(outcome) is Standing.WRONG else _COLORS[outcome.verdict]
    return Text(verdict_text(outcome) if outcome.by_players else "...", style=color if outcome.by_players else "dim")


@contextmanager
def live(console: Console, title: str) -> Iterator[Progress]:
    """A table that is kept up to date within `with`, and taken away afterwards."""
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    with Live(Text(f"{title} ..."), console=console, transient=True, refresh_per_second=4) as shown:

        def progress(outcomes: list[Outcome], waiting: int) -> None:
            # As much as fits on the screen: what came in last matters most.
            known = [o for o in outcomes if o.by_players][-max(console.height - 8, 4) :]
            left = f"{title}: {waiting} answer{'' if waiting == 1 else 's'} to come"
            shown.update(Group(table(known, {}), Text(left, style="bold")))

        yield progress


# ------------------------------------------------------------------------------------------------- JSON


def to_json(game: str, outcomes: Sequence[Outcome], files: Files, steps: Mapping[Of, list[str]]) -> Any:
    """Plain data. `steps` are the lines of each trace; the least number of players that has one is told."""
    return {"game": game, "results": [_result(o, files, steps) for o in outcomes]}


def shown_with(outcome: Outcome) -> int | None:
    """The number of players whose traces are told: the least one with the verdict of the whole, if that has any."""
    traced = [(n, a.verdict) for n, a in sorted(outcome.by_players.items()) if a.trace is not None or a.shown]
    return next((n for n, v in traced if v is outcome.verdict), traced[0][0] if traced else None)


def _result(outcome: Outcome, files: Files, steps: Mapping[Of, list[str]]) -> dict[str, Any]:
    answers = dict(sorted(outcome.by_players.items()))
    n = shown_with(outcome)

    def written(value: str = "") -> dict[str, Any]:
        assert n is not None
        path, lines = files.get((outcome.name, n, value)), steps.get((outcome.name, n, value), [])
        return {"players": n, "file": None if path is None else str(path), "steps": lines}

    def told(shown: Shown) -> dict[str, Any]:
        trace = None if shown.trace is None else written(shown.name)
        return {"name": shown.name, "value": _plain(shown.value), "case": shown.case, "trace": trace}

    found = None if n is None else answers[n]
    return {
        "property": outcome.name,
        "kind": outcome.kind,
        "cites": list(outcome.cites),
        "verdict": outcome.verdict.value,
        "expected": expected_text(outcome),
        "by_players": {str(n): a.verdict.value for n, a in answers.items()},
        "engine": engines(outcome),
        "seconds": round(outcome.seconds, 3),
        "certificate": _alike({n: a.certificate or a.because or None for n, a in answers.items()}),
        "trace": None if found is None or found.trace is None else written(),
        "value": _alike({n: _plain(a.value) for n, a in answers.items()}),
        "shown": [told(s) for s in found.shown] if found is not None else [],
        "at_once": _at_once(outcome),
    }


def _at_once(outcome: Outcome) -> dict[str, Any] | None:
    found = outcome.at_once
    if found is None:
        return None
    return {"verdict": found.verdict.value, **found.value, "engine": found.engine, "certificate": found.because}


def _plain(value: Any) -> Any:
    try:
        return plain_value(value)
    except TypeError:
        return str(value)


def _alike(found: Mapping[int, Any]) -> Any:
    """What all have in common; by number of players where they differ."""
    values = list(found.values())
    if not values or all(v == values[0] for v in values):
        return values[0] if values else None
    return {str(n): v for n, v in found.items()}

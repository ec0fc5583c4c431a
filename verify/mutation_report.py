"""What became of the mutants of a game, for people and for other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from verify.mutants import OPERATORS
from verify.mutation import Tried
from verify.mutation_trial import CAUGHT, Fate

_COLUMNS: Final = (Fate.TYPES, Fate.EXAMPLES, Fate.FREE, Fate.CLAIMS, Fate.ENDLESS, Fate.EQUIVALENT, Fate.SURVIVED,
                   Fate.UNTRIED)  # fmt: skip
_HEADS: Final = {Fate.ENDLESS: "no end", Fate.EQUIVALENT: "same", Fate.SURVIVED: "left", Fate.UNTRIED: "untried"}
_LONGEST: Final = 160  # letters of a line of the file that is shown


@dataclass(frozen=True, slots=True)
class Count:
    """How many mutants came to which fate."""

    by_fate: Counter[Fate]

    @property
    def made(self) -> int:
        return self.by_fate.total()

    @property
    def caught(self) -> int:
        return sum(self.by_fate[fate] for fate in CAUGHT)

    @property
    def score(self) -> float | None:
        """The part that was caught, from 0 to 1, of those that were tried and mean something else; None of none."""
        judged = self.caught + self.by_fate[Fate.SURVIVED]
        return self.caught / judged if judged else None

    def to_json(self) -> dict[str, Any]:
        score = self.score
        fates = {fate.value: self.by_fate[fate] for fate in _COLUMNS}
        return {"made": self.made, **fates, "score": None if score is None else round(score, 4)}


def count(tried: Sequence[Tried], operator: str | None = None) -> Count:
    """The count of all, or of one operator."""
    return Count(Counter(t.finding.fate for t in tried if operator in (None, t.mutant.operator)))


def to_json(game: str, tried: Sequence[Tried]) -> dict[str, Any]:
    """Plain data, always in the same order."""
    there = [name for name in OPERATORS if any(t.mutant.operator == name for t in tried)]
    return {
        "game": game,
        "total": count(tried).to_json(),
        "operators": {name: count(tried, name).to_json() for name in there},
        "mutants": [_mutant(t) for t in tried],
    }


def _mutant(tried: Tried) -> dict[str, Any]:
    mutant = tried.mutant
    was, becomes = mutant.diff()
    is_left = tried.finding.fate is Fate.SURVIVED
    return {
        "operator": mutant.operator, "file": mutant.span.source.path, "line": mutant.line,
        "column": mutant.span.column, "change": mutant.words, "was": list(was), "becomes": list(becomes),
        "fate": tried.finding.fate.value, "because": tried.finding.because or None,
        "hint": mutant.hint if is_left else None,
    }  # fmt: skip


def table(tried: Sequence[Tried]) -> list[str]:
    """The table by operator, and the sum of it. Columns in which nothing stands are left out."""
    shown = [f for f in _COLUMNS if any(t.finding.fate is f for t in tried) or f in CAUGHT[:2] or f is Fate.SURVIVED]
    heads = ["operator", "made", *(_HEADS.get(f, f.value) for f in shown), "score"]
    there = [name for name in OPERATORS if any(t.mutant.operator == name for t in tried)]
    rows = [[name, *_cells(count(tried, name), shown)] for name in there]
    rows = [heads, *rows, ["all", *_cells(count(tried), shown)]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    return [_line(row, widths) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
    return "  ".join(cells).rstrip()


def _cells(found: Count, shown: Sequence[Fate]) -> list[str]:
    score = "" if found.score is None else f"{found.score * 100:.1f} %"
    return [str(found.made), *(str(found.by_fate[f] or "") for f in shown), score]


def survivors(tried: Sequence[Tried]) -> list[str]:
    """Each that nothing noticed: its place, what was changed, both in the file's own lines, and what would help."""
    lines: list[str] = []
    for t in tried:
        if t.finding.fate is Fate.SURVIVED:
            mutant = t.mutant
            was, becomes = mutant.diff()
            lines.append(f"{mutant.span.source.path}:{mutant.line}: {mutant.operator}: {mutant.words}")
            lines += [f"  - {_cut(line)}" for line in was]
            lines += [f"  + {_cut(line)}" for line in becomes]
            lines.append(f"  hint: {mutant.hint}")
    return lines


def _cut(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."

"""That play ends, as files: the ranks that rise on ways between stops, level by level, each way of a level a question.

The same ranking is found anew that the answer speaks of (`ranking`). What follows from the questions together is the
matter of graphs that `circling` looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from dsl import ir, model, types
from dsl.statements import MAIN
from verify.checks_shared import place as place_of
from verify.circling import TAKEN, Asked, before, ending, names, ranks_of
from verify.folded import Unsupported, lift
from verify.hands import where_over
from verify.induction import Induction
from verify.ranking import FAR, Measure, Ranking, RoundWay, above, beyond, falls
from verify.steering import Place
from verify.wanted import Question
from verify.wording import Wording


@dataclass(frozen=True, slots=True)
class Ending:
    """What is found of one rule, or of the game: ranks by their numbers less 1, the levels, and what is to be asked."""

    rule: str
    past: tuple[str, ...]
    ranks: tuple[Measure, ...]
    levels: tuple[tuple[int, ...], ...]
    asked: tuple[tuple[Asked, RoundWay | Place], ...]


def endings(induction: Induction, source: model.Model, rules: Sequence[str], numbers: dict[Place, int], seconds: float
            ) -> list[Ending]:  # fmt: skip
    """That the hand is over that each of some rules begins, in the end; or of the game itself that it ends.

    `numbers`: of the stops. Raises `Unsupported` where that is not found in the time, in seconds.
    """
    return [_ending(induction, source, rule, numbers, seconds) for rule in rules]


def _ending(induction: Induction, source: model.Model, rule: str, numbers: dict[Place, int], seconds: float) -> Ending:
    past = frozenset() if rule == MAIN else where_over(source, rule)
    cut = frozenset(i for i, node in enumerate(induction.game.nodes) if place_of(node.origin) in past)
    ranking = Ranking(induction, cut, seconds)
    if ranking.found().left:
        raise Unsupported("no numbers were found that rise to a limit on every way round")
    ranks = tuple(dict.fromkeys(m for level in ranking.levels for m in level.ranks))
    of = {m: i for i, m in enumerate(ranks, 1)}
    asked: list[tuple[Asked, RoundWay | Place]] = [
        (Asked(numbers[p], None, 0), p) for p in induction.stops if not induction.is_reached(p)
    ]
    asked += [(Asked(numbers[w.start], numbers[w.arrival.target], 0), w) for w in ranking.impossible]
    for number, level in enumerate(ranking.levels, 1):
        for step in level.steps:
            way = numbers[step.way.start], numbers[step.way.arrival.target]
            asked.append((Asked(*way, number, tuple(sorted(of[m] for m in step.limited)), step.rises), step.way))
    levels = tuple(tuple(sorted(of[m] for m in level.ranks)) for level in ranking.levels)
    return Ending(rule, tuple(sorted(past)), ranks, levels, tuple(asked))


def listed(found: Sequence[Ending], wording: Wording) -> list[dict[str, Any]]:
    """What the index says of each, in words where it is for people."""
    out = []
    for x in found:
        ranks = [{"says": _says(m, wording), "limit": _limit(m)} for m in x.ranks]
        says = "Play does not go on for ever" + _without(x) + "."
        out.append({"of": x.rule, "says": says, "ranks": ranks, "levels": [list(level) for level in x.levels]})
    return out


def questions(induction: Induction, found: Sequence[Ending], wording: Wording) -> Iterator[Question]:
    """Each thing that is said of a way, as a text that no values satisfy."""
    for number, x in enumerate(found, 1):
        data = [a for a, _ in x.asked]
        for asked, about in x.asked:
            earlier = before(data, asked)
            numbers = ranks_of(asked, x.levels, earlier)
            start, facts = (about.start, _defined(about, x, numbers)) if isinstance(about, RoundWay) else (about, [])
            text = induction.asked(start, *facts).removesuffix("(check-sat)\n") + ending(asked, x.levels, earlier)
            words = [_told(asked, x, earlier)]
            words += [f"  rank {m}: {_says(x.ranks[m - 1], wording)}" for m in numbers]
            words += told_assumptions(induction, wording, start)
            name = f"ends-{number}-{asked.level}-{asked.whence:04}" + ("" if asked.to is None else f"-{asked.to:04}")
            more = {} if asked.to is None else {"to": asked.to}
            rank = {"limited": list(asked.limited), "rises": asked.rises} if asked.level else {}
            yield Question(name, text, words, {"of": x.rule, "level": asked.level, "from": asked.whence} | more | rank)


def told_assumptions(induction: Induction, wording: Wording, place: Place | None, apart: bool = False) -> Iterator[str]:
    """The sentences behind the names that a text gives to what is assumed at a stop. `apart`: see `Induction.asked`."""
    for a in induction.assumptions(place, apart):
        yield f"  {a.literal}: {wording.of(a.sentence)}"


def _defined(way: RoundWay, x: Ending, ranks: list[int]) -> list[Any]:
    """What the names in the last lines of a question stand for."""
    defined = [z3.Bool(TAKEN) == lift(way.taken)]
    for number in ranks:
        m = x.ranks[number - 1]
        here, there = way.values[m.of]
        meant = above(m, here, there), falls(m, here, there), beyond(m, here)
        defined += [z3.Bool(name) == lift(value) for name, value in zip(names(number), meant, strict=True)]
    return defined


# ---------------------------------------------------------------------------------------------------- words


def _told(asked: Asked, x: Ending, earlier: list[int]) -> str:
    if asked.to is None:
        return f"Play never comes to stop {asked.whence}: what is held there cannot be."
    way = f"from stop {asked.whence} to stop {asked.to}{_without(x)}"
    if not asked.level:
        return f"Play never goes {way}."
    rests = "".join(f", and rank {m} does not rise" for m in earlier)
    says = [f"rank {m} does not fall" for m in x.levels[asked.level - 1]]
    says += [f"rank {m} rises from within its limit only" for m in asked.limited]
    if asked.rises:
        some = " or ".join(f"rank {m}" for m in asked.limited)
        says.append(f"{some} is sure to rise")
    return f"Level {asked.level}. Where play goes {way}{rests}: {', '.join(says)}."


def _without(x: Ending) -> str:
    if not x.past:
        return ""
    return f" without a beginning of `{x.rule}` ({', '.join(x.past)}), as which any gathering of all cards counts"


def _says(m: Measure, wording: Wording) -> str:
    """The number that rises: of what falls, the number with its sign turned."""
    of = ir.UnaryExpr(ir.Unary.NEGATE, m.of, types.INTEGER) if m.falls else m.of
    return f"`{wording.of(of)}`"


def _limit(m: Measure) -> int | str:
    return FAR if m.is_number else "a pack has only so many combinations"

"""What the count abstraction excludes: values that a claim's expression never takes, at any position of any play."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dsl import ir, model
from verify.explorations import asked_by, explorations, looking_back
from verify.outcome import OUT_OF_TIME
from verify.outlook import values_at
from verify.places import looks_at, looks_back
from verify.points import Label, Point, Unsupported
from verify.putby import without_look_back


@dataclass(frozen=True, slots=True)
class Exclusion:
    """`holds`: no play yields such a value. Else `because` says why not, and `path` a way in the abstraction to one."""

    holds: bool
    because: str
    path: tuple[Label, ...] = ()


def exclude(
    claim: ir.Property,
    source: model.Model,
    num_players: int,
    is_stray: Callable[[Any], bool],
    seconds: float,
    at_once: bool = False,
) -> Exclusion:
    """Whether a value for which `is_stray` holds is excluded. `is_stray` has to hold of what is not known.

    `at_once`: only the coarsest abstraction is asked, which many claims of a game share.
    """
    where = looks_at(claim, source)
    because, path = OUT_OF_TIME, tuple[Label, ...]()
    deadline = math.inf
    try:
        if looks_back(claim):
            turned = without_look_back(claim, source, num_players)
            tried, claim = looking_back(claim, turned), turned.claim
        else:
            tried = explorations(asked_by(claim), source, num_players)
        for kept in tried:
            if time.monotonic() >= deadline:
                because = f"{because}; for finer counts it was {OUT_OF_TIME}"
                break
            if at_once and kept.is_hopeless:
                break
            # What it takes to begin is shared, too.
            deadline = min(deadline, time.monotonic() + seconds)
            values = values_at(kept.counting, claim, kept.machine, where)

            def is_bad(point: Point, values: Callable[[Point], Iterator[Any]] = values) -> bool:
                return any(is_stray(v) for v in values(point))

            bad, deadline = kept.first(is_bad, deadline)
            if bad is not None:
                path = kept.way(bad)
                because = "the abstraction reaches it, and no real play was found that does"
            elif not kept.explored.complete:
                because = f"{len(kept.explored.points)} positions were not all"
            else:
                return Exclusion(True, kept.told)
            if at_once:
                break
    except Unsupported as error:
        return Exclusion(False, str(error), path)
    return Exclusion(False, because, path)

"""Questions to a solver that is kept: what is added for one of them is gone after it, also where time runs out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import z3

from verify.folded import disj, lift

T = TypeVar("T", bound=Hashable)


@contextmanager
def added(solver: Any, *conditions: Any) -> Iterator[None]:
    """Within, the solver knows some conditions more."""
    solver.push()
    try:
        solver.add(*map(lift, conditions))
        yield
    finally:
        solver.pop()


def failing(
    solver: Any, assumed: Sequence[Any], goals: Sequence[tuple[T, Any]], check_time: Callable[[], None]
) -> set[T]:
    """Of some things, each with the condition under which it fails, those that may: all that models of the solver show.

    What the solver cannot tell is among them.
    """
    failed: set[T] = set()
    while open_ := [(key, bad) for key, bad in goals if key not in failed]:
        check_time()
        with added(solver, disj(*(bad for _, bad in open_))):
            result = solver.check(*assumed)
            if result == z3.unsat:
                break
            shown = set[T]()
            if result == z3.sat:
                model = solver.model()
                shown = {key for key, bad in open_ if z3.is_true(model.eval(lift(bad), model_completion=True))}
        failed |= shown or {key for key, _ in open_}
    return failed

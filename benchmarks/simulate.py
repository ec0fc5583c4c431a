"""How fast each game is played at random: decisions a second, relative to the first game of the same run.

Only the ratios mean anything from one machine to another, and nothing is asserted.

    python benchmarks/simulate.py [SECONDS A GAME]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from dsl import load
from interpreter.machine import Machine
from interpreter.simulate import simulate

GAMES = Path(__file__).parents[1] / "spec" / "games"


def decisions_per_second(machine: Machine, seconds: float) -> float:
    """Random games, one after the other, until the time is up."""
    decisions, number, began = 0, 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        decisions += simulate(machine, 1, f"benchmark/{number}").decisions
        number += 1
    return decisions / spent


def main(seconds: float) -> None:
    first: float | None = None
    print(f"{'game':24}{'players':>8}{'decisions/s':>14}{'ratio':>8}")
    for path in sorted(GAMES.glob("*.yaml")):
        loaded = load.load(path, path.name, GAMES)
        found = loaded.model() if isinstance(loaded, load.Loaded) else None
        if found is None:
            print(f"{path.stem:24}{'cannot be read':>22}")
            continue
        for players in sorted(set(found.players)):
            machine = Machine(load.game(found, players))
            simulate(machine, 1, "warm")
            rate = decisions_per_second(machine, seconds)
            first = first or rate
            print(f"{path.stem:24}{players:>8}{rate:>14.0f}{rate / first:>8.2f}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)

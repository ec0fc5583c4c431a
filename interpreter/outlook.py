"""What a point of play is worth to each seat, where simulated play stops before the game is over.

A game's file says what its end is worth. How its numbers before the end bear on that is learnt, once for each game,
from quick games of the same rules at random: a line through what came of them, by least squares with a small penalty
on large weights (ridge regression: Hoerl and Kennard 1970). Only numbers that everybody sees are asked for.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from dsl import ir
from interpreter.actions import InvalidChoice
from interpreter.draws import draw_choices, thinking_time
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault

LESSONS = 8_000
"""So many choices and chance outcomes an outlook is learnt from, and at most this many in one game."""
BETWEEN = 25
"""So many steps lie between two points of a game that are learnt from, but for new deals."""
PENALTY = 1e-3


def is_new_deal(machine: Machine, state: State) -> bool:
    """Whether most of the pack is about to be shuffled: what was hidden until now matters no more."""
    node = machine.chance_node(state)
    if not isinstance(node, ir.Shuffle):
        return False
    zone = machine.layout.zones[node.zone.zone]
    cells = range(zone.base, zone.base + zone.num_cells)
    return 2 * max(len(state.zones[c]) for c in cells) > len(machine.words.cards.pack)


def step_at_random(machine: Machine, state: State, rng: random.Random) -> None:
    """One chance outcome, or one player's choice: each action as likely, and then each way to choose it."""
    if machine.chance_node(state) is not None:
        machine.play_chance(state, machine.draw(state, rng))
        return
    player = machine.to_move(state)[0]
    choices = draw_choices(machine, state, player, rng, 1)
    if not choices:
        raise Fault(f"seat {player + 1} has no action to choose")
    machine.play_choice(state, player, rng.choice(choices), thinking_time(machine, rng))


class Outlook:
    """What points of play of one game are worth, in the unit of `Machine.returns`."""

    def __init__(self, machine: Machine, rng: random.Random, steps: int = LESSONS) -> None:
        self._machine = machine
        self._features = _features(machine)
        rows, worth = self._lessons(rng, steps)
        self._low, self._high = min(worth, default=0.0), max(worth, default=0.0)
        self._weights = _fit(rows, worth)

    def values(self, state: State) -> list[float]:
        """What the point is worth to each seat; at the end of a game what the file says. Raises `Fault`."""
        machine = self._machine
        if machine.is_terminal(state):
            return [float(worth) for worth in machine.returns(state)]
        return [
            min(max(sum(w * x for w, x in zip(self._weights, row, strict=True)), self._low), self._high)
            for row in self._rows(state)
        ]

    def _rows(self, state: State) -> list[list[float]]:
        """The numbers that each seat is judged by: its own less what the others have in the mean, and a one."""
        machine = self._machine
        num_players, others = machine.game.num_players, max(machine.game.num_players - 1, 1)
        try:
            columns = [[float(score) for score in machine.scores(state)]]
        except Fault:
            columns = [[0.0] * num_players]
        for cells in self._features:
            numbers = [sum(_number(state.vars[c]) for c in of_seat) for of_seat in cells]
            columns.append(numbers)
        rows = [[1.0] for _ in range(num_players)]
        for numbers in columns:
            total = sum(numbers)
            for row, own in zip(rows, numbers, strict=True):
                row.append(own - (total - own) / others)
        if num_players == 1:
            rows[0].append(state.clock_ms / 1000)
        return rows

    def _lessons(self, rng: random.Random, steps: int) -> tuple[list[list[float]], list[float]]:
        """Points of games at random, one row for each seat, and what came of each."""
        machine, rows, worth = self._machine, list[list[float]](), list[float]()
        spent = 0
        while spent < steps:
            try:
                state = machine.initial(recording=False)
                seen: list[list[list[float]]] = []
                began = spent
                while not machine.is_terminal(state) and spent - began < steps:
                    if (spent - began) % BETWEEN == BETWEEN - 1 or is_new_deal(machine, state):
                        seen.append(self._rows(state))
                    step_at_random(machine, state, rng)
                    spent += 1
                # A game too long to be played out is judged as if it ended here.
                returns = [float(r) for r in machine.returns(state)]
            except (Fault, InvalidChoice):
                spent += 1
                continue
            spent += 1
            for point in seen:
                rows += point
                worth += returns
        return rows, worth


@lru_cache(maxsize=8)
def outlook_of(machine: Machine) -> Outlook:
    """The outlook of a machine's game, learnt when it is first asked for; the same for the same game."""
    return Outlook(machine, random.Random(f"outlook/{machine.game.name}/{machine.game.num_players}"))


def _features(machine: Machine) -> list[list[list[int]]]:
    """The places of numbers that everybody sees: of each variable, and of each seat.

    Where one plays alone every such variable counts, its places added up; else those that each seat has one of.
    """
    found: list[list[list[int]]] = []
    for name, family in machine.layout.vars.items():
        declared = machine.layout.declared_vars[name]
        is_number = isinstance(declared.type, ir.IntType | ir.FractionType)
        if declared.local or declared.seen != "everyone" or not is_number:
            continue
        cells = range(family.base, family.base + family.num_cells)
        if machine.game.num_players == 1:
            found.append([list(cells)])
        elif len(family.dims) == 1 and isinstance(family.dims[0], ir.PlayerType):
            found.append([[cell] for cell in cells])
    return found


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | Fraction) else 0.0


def _fit(rows: Sequence[Sequence[float]], worth: Sequence[float]) -> list[float]:
    """The weights of the line that fits best; numbers that never differ weigh nothing."""
    size, count = len(rows[0]) if rows else 1, max(len(rows), 1)
    means = [0.0] + [sum(row[i] for row in rows) / count for i in range(1, size)]
    scales = [1.0] + [(sum((row[i] - means[i]) ** 2 for row in rows) / count) ** 0.5 for i in range(1, size)]
    used = [i for i in range(size) if scales[i] > 1e-9]
    table = [[(row[i] - means[i]) / scales[i] for i in used] for row in rows]
    matrix = [[sum(t[i] * t[j] for t in table) / count for j in range(len(used))] for i in range(len(used))]
    for i in range(1, len(used)):
        matrix[i][i] += PENALTY
    target = [sum(t[i] * w for t, w in zip(table, worth, strict=True)) / count for i in range(len(used))]
    solved = _solve(matrix, target) if rows else [0.0] * len(used)
    weights = [0.0] * size
    for i, weight in zip(used, solved, strict=True):
        weights[i] = weight / scales[i]
        weights[0] -= weights[i] * means[i] if i else 0.0
    return weights


def _solve(matrix: list[list[float]], target: list[float]) -> list[float]:
    """Solves a positive definite system by elimination."""
    size = len(target)
    rows = [[*row, value] for row, value in zip(matrix, target, strict=True)]
    for i in range(size):
        for below in rows[i + 1 :]:
            ratio = below[i] / rows[i][i]
            for j in range(i, size + 1):
                below[j] -= ratio * rows[i][j]
    solved = [0.0] * size
    for i in reversed(range(size)):
        solved[i] = (rows[i][size] - sum(rows[i][j] * solved[j] for j in range(i + 1, size))) / rows[i][i]
    return solved

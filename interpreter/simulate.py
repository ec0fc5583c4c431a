"""Many games played at random or by bots, and what came of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from interpreter.bots import BotMaker
from interpreter.intervals import mean_interval, share_interval
from interpreter.machine import Machine
from interpreter.play import stream
from interpreter.state import State
from interpreter.values import Fault


@dataclass(slots=True)
class Summary:
    """What came of some games. Seats are "1", "2" and so on.

    `scores`, `winners` and `shares` count finished games only; intervals are of 95 %.
    """

    game: str
    num_players: int
    games: int = 0
    finished: int = 0
    unfinished: int = 0
    seconds: float = 0.0
    decisions: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    winners: Counter[str] = field(default_factory=Counter)
    scores: list[tuple[int | Fraction, ...]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain data, always in the same order."""
        seats = range(self.num_players)
        return {
            "game": self.game,
            "players": self.num_players,
            "games": self.games,
            "finished": self.finished,
            "unfinished": self.unfinished,
            "seconds": round(self.seconds, 3),
            "decisions": self.decisions,
            "ends": {reason: self.ends[reason] for reason in sorted(self.ends)},
            "winners": {str(s + 1): self.winners[str(s + 1)] for s in seats},
            "shares": {str(s + 1): _share(self.winners[str(s + 1)], self.finished) for s in seats},
            "scores": {str(s + 1): _spread([scores[s] for scores in self.scores]) for s in seats},
        }


def simulate(
    machine: Machine,
    games: int,
    seed: object = 0,
    max_decisions: int = 100_000,
    think_ms: tuple[int, int] | None = None,
    progress: Callable[[Summary], None] | None = None,
    bots: Mapping[int, BotMaker] | None = None,
) -> Summary:
    """Plays games, each from the seed and its number, counted from 0.

    Seats (from 0) that have no bot choose uniformly at random.

    A game with more than `max_decisions` choices is left unfinished. `think_ms` is the range of thinking times in
    place of the one the game declares. `progress` is called after each game.

    Raises:
        Fault: The rules ask for what cannot be; a note on it says in which game.
    """
    summary = Summary(machine.game.name, machine.game.num_players)
    clock = machine.game.clock
    think = None if clock is None else think_ms or clock.think
    began = time.perf_counter()
    for index in range(games):
        try:
            state, decisions = play_out(machine, f"{seed}/{index}", max_decisions, think, bots)
            if machine.is_terminal(state):
                summary.ends[state.reason or ""] += 1
                summary.winners.update(str(p + 1) for p in machine.winners(state))
                summary.scores.append(machine.scores(state))
        except Fault as fault:
            fault.add_note(f"in game {index} of seed {seed}")
            raise
        summary.games += 1
        summary.decisions += decisions
        summary.finished += machine.is_terminal(state)
        summary.unfinished += not machine.is_terminal(state)
        summary.seconds = time.perf_counter() - began
        if progress is not None:
            progress(summary)
    return summary


def play_out(
    machine: Machine,
    seed: str,
    max_decisions: int,
    think_ms: tuple[int, int] | None,
    bots: Mapping[int, BotMaker] | None = None,
) -> tuple[State, int]:
    """One game without a history, and how many choices were made in it."""
    chance, times, choices = stream(seed, "chance"), stream(seed, "time"), stream(seed, "choices")
    # Bots judge each other by what they have seen done.
    state, decisions = machine.initial(recording=bool(bots)), 0
    while not machine.is_terminal(state):
        if machine.chance_node(state) is not None:
            machine.play_chance(state, machine.draw(state, chance))
            continue
        if decisions >= max_decisions:
            break
        player = machine.to_move(state)[0]
        legal = machine.legal_actions(state, player)
        if not legal:
            decision = machine.decision(state)
            raise Fault(f"seat {player + 1} has no action to choose", decision.origin if decision else None)
        elapsed = 0 if think_ms is None else times.randint(*think_ms)
        if bots and player in bots:
            bot = bots[player](stream(seed, f"seat {player + 1}, choice {decisions}"))
            choice = bot(machine, state, player)
        else:
            choice = legal[choices.randrange(len(legal))]
        machine.play_choice(state, player, choice, elapsed)
        decisions += 1
    return state, decisions


def _spread(values: list[int | Fraction]) -> dict[str, Any]:
    if not values:
        return {"min": None, "mean": None, "max": None, "interval": None}
    mean, interval = Fraction(sum(values, Fraction(0)), len(values)), mean_interval([float(v) for v in values])
    return {
        "min": _number(min(values)),
        "mean": _number(mean),
        "max": _number(max(values)),
        "interval": None if interval is None else [round(end, 4) for end in interval],
    }


def _share(count: int, total: int) -> dict[str, Any]:
    if not total:
        return {"share": None, "interval": None}
    return {"share": round(count / total, 4), "interval": [round(end, 4) for end in share_interval(count, total)]}


def _number(value: int | Fraction) -> int | float:
    return value if isinstance(value, int) else round(float(value), 4)

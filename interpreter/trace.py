"""A playthrough as data: what chance and the players decided, enough to play it again exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from dsl import ir
from interpreter.chance import Outcome
from interpreter.state import State

if TYPE_CHECKING:
    from interpreter.machine import Machine


@dataclass(frozen=True, slots=True)
class Drawn:
    """What chance decided."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a player chose (seats from 0), as it is written, after so many milliseconds."""

    player: int
    choice: str
    elapsed_ms: int = 0


TraceStep: TypeAlias = Drawn | Chosen


@dataclass(frozen=True, slots=True)
class Trace:
    """One playthrough: a game is a function of file, players, options, seed and choices."""

    game: str
    num_players: int
    options: tuple[tuple[str, str], ...]
    seed: str
    steps: tuple[TraceStep, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data; seats count from 1."""
        steps: list[dict[str, Any]] = []
        for step in self.steps:
            if isinstance(step, Drawn):
                steps.append({"chance": _plain(step.outcome)})
            else:
                timed = {"elapsed_ms": step.elapsed_ms} if step.elapsed_ms else {}
                steps.append({"seat": step.player + 1, "choice": step.choice} | timed)
        return {
            "game": self.game, "players": self.num_players, "options": dict(self.options), "seed": self.seed,
            "steps": steps,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Trace:
        """The trace that `to_json` wrote. Raises `KeyError` or `TypeError` for anything else."""
        steps: list[TraceStep] = []
        for step in data["steps"]:
            if "chance" in step:
                steps.append(Drawn(_outcome(step["chance"])))
            else:
                steps.append(Chosen(step["seat"] - 1, step["choice"], step.get("elapsed_ms", 0)))
        options = tuple((str(k), str(v)) for k, v in data["options"].items())
        return cls(data["game"], data["players"], options, str(data["seed"]), tuple(steps))


def take(machine: Machine, state: State, step: TraceStep) -> None:
    """Carries out one step of a trace, changing the state.

    Raises:
        InvalidChoice, ValueError, TypeError, IndexError, Fault: It does not fit the game.
    """
    if isinstance(step, Drawn):
        if machine.chance_node(state) is None:
            raise ValueError("chance has nothing to decide")
        machine.play_chance(state, step.outcome)
        return
    choice = machine.parse_choice(state, step.player, step.choice)
    if choice is None:
        raise ValueError(f"{step.choice} is not on offer")
    machine.play_choice(state, step.player, choice, step.elapsed_ms)


def _plain(outcome: Outcome) -> Any:
    if isinstance(outcome, ir.Combination):
        parts = outcome.key, outcome.arguments, outcome.cards
        return {"kind": outcome.kind} | dict(zip(("key", "arguments", "cards"), map(list, parts), strict=True))
    return list(outcome) if isinstance(outcome, tuple) else outcome


def _outcome(data: Any) -> Outcome:
    if isinstance(data, dict):
        return ir.Combination(data["kind"], tuple(data["key"]), tuple(data["arguments"]), tuple(data["cards"]))
    return tuple(data) if isinstance(data, list) else data

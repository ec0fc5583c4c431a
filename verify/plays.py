"""Witnesses by playing: random games in which, run by run, different actions are liked more or less.

Uniform play hardly ever lets a long thing happen; a player who for one game simply does not call, does.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from dsl import ir
from interpreter.actions import Choice, InvalidChoice
from interpreter.chance import Outcome
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.trace import Chosen, Drawn, Trace, TraceStep, take
from interpreter.values import Fault
from verify.places import Lookout
from verify.points import Label

LIKING = (0.004, 0.05, 0.5, 1.0, 4.0)
"""How much an action may be liked for one game."""
MISFITS = (InvalidChoice, Fault, ValueError, TypeError, IndexError)
"""What replaying a trace raises where it does not fit the game."""


class Found(Exception):
    """What was looked for has happened."""


class Looker(Protocol):
    """What is told of plays: a `Lookout`, or what looks elsewhere."""

    machine: Machine

    def attend(self) -> None:
        """A play begins."""

    def stop(self, state: State) -> None:
        """It has come to a stop."""


class Plays:
    """Plays until something is found or the time is up. `steps` is the game so far; `runs` are counted.

    Each game begins with the steps of `opening`.
    """

    def __init__(self, lookout: Looker, seed: str) -> None:
        self.machine, self.lookout = lookout.machine, lookout
        self._rng = random.Random(seed)
        self.seed = seed
        self._stopped = False
        self.steps: list[TraceStep] = []
        self.opening: tuple[TraceStep, ...] = ()
        self.runs = 0

    @property
    def trace(self) -> Trace:
        game = self.machine.game
        return Trace(game.name, game.num_players, game.options, self.seed, tuple(self.steps))

    def stop(self) -> None:
        """No further game is begun: what was looked for has been seen."""
        self._stopped = True

    def run(self, seconds: float, max_steps: int = 3000) -> bool:
        """Whether `lookout.found` raised `Found` before the time was up."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self._stopped:
            self.runs += 1
            try:
                self._one(deadline, max_steps)
            except Found:
                return True
            except Fault:
                continue
        return False

    def follow(self, path: Sequence[Label], seconds: float) -> bool:
        """Like `run`, choosing the actions of an abstract trace as long as they are on offer."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self._stopped:
            self.runs += 1
            try:
                self._one(deadline, 4 * len(path) + 100, [label for label in path if label.kind == "action"])
            except Found:
                return True
            except Fault:
                continue
        return False

    def _one(self, deadline: float, max_steps: int, path: list[Label] | None = None) -> None:
        m, rng = self.machine, self._rng
        likings: dict[str, float] = {}
        wanted = iter(path or ())
        self.steps = []
        self.lookout.attend()
        state = m.blank(recording=False)
        m.advance(state)
        clock = m.game.clock
        hurry = rng.choice((0, 0, 1))
        for step in range(max_steps):
            self.lookout.stop(state)
            if m.is_terminal(state) or (step % 64 == 0 and time.monotonic() > deadline):
                return
            if step < len(self.opening):
                self.steps.append(self.opening[step])
                state = state.clone()
                take(m, state, self.opening[step])
                continue
            if m.chance_node(state) is not None:
                outcome = self._draw(state)
                self.steps.append(Drawn(outcome))
                state = m.apply_chance(state, outcome)
                continue
            player = m.to_move(state)[0]
            choice = self._choose(state, player, likings, next(wanted, None))
            if choice is None:
                return
            elapsed = 0 if clock is None else hurry and rng.randint(*clock.think)
            self.steps.append(Chosen(player, m.name_of(choice, state), elapsed))
            state = m.apply(state, player, choice, elapsed)

    def _draw(self, state: State) -> Outcome:
        return self.machine.draw(state, self._rng)

    def _choose(self, state: State, player: int, likings: dict[str, float], wanted: Label | None) -> Any:
        """One of the choices there are, the wanted one if it is among them; None where there is none."""
        legal = self.machine.legal_actions(state, player)
        if not legal:
            return None
        rng = self._rng
        alike = [c for c in legal if wanted is not None and self._is_like(c, state, wanted)]
        if alike:
            return rng.choice(alike)
        return liked(legal, likings, rng)

    def _is_like(self, choice: Any, state: State, wanted: Label) -> bool:
        """Whether a choice is the abstract one: the same action, and the same where the label says more."""
        name, *words = wanted.words
        if choice.name != name or len(words) != len(choice.arguments):
            return False
        plan = self.machine.plans(state)[choice.action]
        for word, argument, parameter in zip(words, choice.arguments, plan.parameters, strict=True):
            if parameter.is_subset:
                if word != str(len(argument)):
                    return False
            elif not parameter.is_card and word not in ("?", self.machine.words.show(argument, parameter.type)):
                return False
        return True


def liked(legal: Sequence[Choice], likings: dict[str, float], rng: random.Random) -> Choice:
    """One of some choices: some action, rather one that is liked, and then anyhow. What is met first gets a liking."""
    by_name: dict[str, list[Choice]] = {}
    for choice in legal:
        by_name.setdefault(choice.name, []).append(choice)
    for name in by_name:
        likings.setdefault(name, rng.choice(LIKING))
    names = list(by_name)
    return rng.choice(by_name[rng.choices(names, [likings[n] for n in names])[0]])


def holds_again(machine: Machine, claim: ir.Property, where: str, trace: Trace,
                is_it: Callable[[tuple[Any, ...]], bool]) -> int | None:  # fmt: skip
    """Replays a trace from nothing and tells after how many steps it shows what it should; None if it does not.

    Raises what `MISFITS` lists where the trace does not fit the game.
    """
    met = met_again(machine, claim, where, trace, is_it)
    return None if met is None else met[0]


def met_again(machine: Machine, claim: ir.Property, where: str, trace: Trace,
              is_it: Callable[[tuple[Any, ...]], bool]) -> tuple[int, tuple[Any, ...]] | None:  # fmt: skip
    """The same as `holds_again`, with the values of the claim's own variables for which it is shown."""
    lookout = Lookout(machine, claim, where)
    seen: list[tuple[Any, ...]] = []

    def found(values: tuple[Any, ...], case: tuple[Any, ...]) -> None:
        if not seen and is_it(values):
            seen.append(case)

    lookout.found = found
    state = machine.blank(recording=False)
    machine.advance(state)
    lookout.stop(state)
    for number, step in enumerate(trace.steps, 1):
        if seen:
            return number - 1, seen[0]
        take(machine, state, step)
        lookout.stop(state)
    return (len(trace.steps), seen[0]) if seen else None

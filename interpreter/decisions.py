"""Decisions, made ready: who chooses, what is on offer, and the choice as it is put on record."""

from __future__ import annotations

from typing import Any

from dsl import ir
from interpreter import history
from interpreter.actions import Plan, Refusal
from interpreter.evaluate import Compiler
from interpreter.folds import compile_matches
from interpreter.state import Evaluator, Pending, State
from interpreter.values import Fault, as_cards


class Decision:
    """A node where one player chooses, or several at once. `plans` are the actions on offer."""

    def __init__(self, compiler: Compiler, node: ir.Decide | ir.Collect) -> None:
        self.node, self.name, self._scratch = node, node.name, compiler.scratch
        self._player: Evaluator | None = None
        self._players: Evaluator | None = None
        # Where the player who chooses is to be found while several do: a variable and a binder's name.
        self.cell = self._slot = -1
        if isinstance(node, ir.Decide):
            self._player = compiler.compile(node.player)
            self.plans = [Plan(compiler, i, a) for i, a in enumerate(node.actions)]
        else:
            self._players = compile_matches(compiler, node.binder)
            self.cell = compiler.layout.vars[node.player.name].base
            with compiler.bound(node.binder.name) as (self._slot,):
                self.plans = [Plan(compiler, i, a) for i, a in enumerate(node.actions)]

    @property
    def is_at_once(self) -> bool:
        """Whether several choose without seeing each other's choices."""
        return self._player is None

    def to_move(self, state: State) -> tuple[int, ...]:
        """The players who may choose now, in seat order: those who have not done so yet."""
        if self._player is not None:
            player = self._player(state)
            if player is None:
                raise Fault("none where a player is to choose")
            return (player,)
        assert self._players is not None
        chosen = {p.player for p in state.pending}
        return tuple([p for p in self._players(state) if p not in chosen])

    def sit_down(self, state: State, player: int) -> Any:
        """Lets the decision's expressions read a player as the one who chooses; tells what `stand_up` needs."""
        if self.cell < 0:
            return None
        saved = state.vars[self.cell]
        state.vars[self.cell] = player
        self._scratch[self._slot] = player
        return saved

    def stand_up(self, state: State, saved: Any) -> None:
        """Puts back what `sit_down` changed."""
        if self.cell >= 0:
            state.vars[self.cell] = saved

    def check(self, state: State, player: int, action: int, arguments: tuple[Any, ...]) -> tuple[Any, ...] | Refusal:
        """The values that the arguments of an action stand for, or why the choice is refused."""
        saved = self.sit_down(state, player)
        try:
            return self.plans[action].check(state, player, arguments)
        finally:
            self.stand_up(state, saved)

    def record(self, state: State, pending: Pending, secret: bool, is_timed: bool) -> dict[int, int]:
        """Puts a choice on record; tells the masks of the cards it names, which may be widened while it is played."""
        plan = self.plans[pending.choice.action]
        action = plan.declared
        masks: dict[int, int] = {}
        for parameter, value in zip(plan.parameters, pending.values, strict=True):
            if parameter.is_card:
                masks.update((c, state.known[c]) for c in as_cards(value))
        origin = ir.Origin(action.span, self.node.origin.rule, action.cites)
        clock_ms = state.clock_ms if is_timed else None
        before = None if self.is_at_once else state.clone()
        chose = history.Chose(origin, pending.player, action, pending.values, masks, secret, clock_ms, before)
        history.record(state, chose)
        return masks


class Seated:
    """Within `with`, expressions of the decision read this player as the one who chooses."""

    def __init__(self, decision: Decision, state: State, player: int) -> None:
        self._decision, self._state, self._player = decision, state, player

    def __enter__(self) -> None:
        self._saved = self._decision.sit_down(self._state, self._player)

    def __exit__(self, *_: object) -> None:
        self._decision.stand_up(self._state, self._saved)


class Blame:
    """Gives a fault the place where the rules were being run."""

    __slots__ = ("_origin",)

    def __init__(self, origin: ir.Origin) -> None:
        self._origin = origin

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Fault):
            error.origin = error.origin or self._origin

"""How an end is read: scores, winners and returns."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dsl import ir
from interpreter.evaluate import Compiler
from interpreter.state import Evaluator, State
from interpreter.values import whole


class Results:
    """The result of one game, made ready."""

    def __init__(self, compiler: Compiler, declared: ir.Result) -> None:
        self.declared, self._num_players, self._scratch = declared, compiler.game.num_players, compiler.scratch
        with compiler.bound(declared.player) as (self._slot,):
            self._score, self._wins = compiler.compile(declared.score), compiler.compile(declared.wins)
            self._returns = None if declared.returns is None else compiler.compile(declared.returns)

    def scores(self, state: State) -> tuple[int | Fraction, ...]:
        """What each seat has scored."""
        return tuple(map(whole, self._for_each(state, self._score)))

    def winners(self, state: State) -> tuple[int, ...]:
        """The seats that won; several of them have drawn, unless a win can be shared."""
        return tuple(p for p, wins in enumerate(self._for_each(state, self._wins)) if wins)

    def returns(self, state: State) -> tuple[int | Fraction, ...]:
        """What the end is worth to each seat, as declared.

        Where nothing is declared: a single player's score; else each loser pays 1, which the winners share. A draw
        or an end without a winner is worth 0 to all.
        """
        if self._returns is not None:
            return tuple(map(whole, self._for_each(state, self._returns)))
        if self._num_players == 1:
            return self.scores(state)
        winners = self.winners(state)
        if not winners or (len(winners) > 1 and not self.declared.shared):
            return (0,) * self._num_players
        won = whole(Fraction(self._num_players - len(winners), len(winners)))
        return tuple(won if p in winners else -1 for p in range(self._num_players))

    def _for_each(self, state: State, evaluate: Evaluator) -> list[Any]:
        values = []
        for player in range(self._num_players):
            self._scratch[self._slot] = player
            values.append(evaluate(state))
        return values

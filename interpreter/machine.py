"""The reference semantics: one game as a transition system of chance, decisions and the clock.

A `Machine` is made once per game and may serve any number of playthroughs, one at a time: it is not for several
threads at once.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dsl import ir
from interpreter import history, results, speech
from interpreter.actions import Choice, InvalidChoice, Plan, Refusal
from interpreter.chance import Chance, ChanceNode, Outcome
from interpreter.decisions import Blame, Decision, Seated
from interpreter.effects import STOP, Effects
from interpreter.evaluate import Compiler
from interpreter.moves import Mover
from interpreter.state import Frame, Layout, Pending, State
from interpreter.values import Fault, Words

MAX_STEPS = 1_000_000
"""So many computation nodes in a row are taken for a computation without end."""


class Machine:
    """A game that can be played. A state goes from stop to stop: chance, a decision, or the end."""

    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self.words = Words(game)
        self.layout = Layout(self.words)
        self.compiler = Compiler(game, self.layout)
        self.mover = Mover(self.compiler)
        self.effects = Effects(self.compiler, self.mover)
        self.results = results.Results(self.compiler, game.result)
        self._starts = [
            (cell, self.compiler.compile(v.starts))
            for cell, v in enumerate(self.layout.cell_vars)
            if v.starts is not None
        ]
        self._steps = [self.effects.step(n) or self._other_step(i, n) for i, n in enumerate(game.nodes)]
        self._chances = {
            i: Chance(self.effects, n)
            for i, n in enumerate(game.nodes)
            if isinstance(n, ir.Shuffle | ir.Cut | ir.Random)
        }
        self.passed: dict[int, None] | None = None
        """The nodes that computation has come through, in order, while somebody asks for them."""
        self._decisions = {
            i: Decision(self.compiler, n) for i, n in enumerate(game.nodes) if isinstance(n, ir.Decide | ir.Collect)
        }

    # ------------------------------------------------------------------------------------- from stop to stop

    def initial(self, recording: bool = True) -> State:
        """The start of a playthrough, at its first stop. `recording`: whether its history is kept."""
        return self.advance(self.blank(recording))

    def blank(self, recording: bool = True) -> State:
        """The state before anything has happened: every card at home, variables as they start, before `entry`."""
        layout = self.layout
        state = State(len(layout.var_cells), len(layout.zone_cells), self.words.cards.num_cards, recording)
        state.zones[layout.home] = self.words.cards.pack
        for card in self.words.cards.pack:
            state.where[card] = layout.home
            state.known[card] = layout.zone_seen[layout.home]
        if layout.zone_top[layout.home] and state.zones[layout.home]:
            state.known[state.zones[layout.home][-1]] = layout.everyone
        for cell, starts in self._starts:
            state.vars[cell] = starts(state)
        state.clock_ms = self.game.clock.start if self.game.clock else 0
        state.pc = self.game.entry
        return state

    def advance(self, state: State) -> State:
        """Runs computation up to the next stop, changing the state; tells the same state.

        Raises:
            Fault: An obligation of the rules does not hold, or the computation has no end.
        """
        steps, pc, passed = self._steps, state.pc, self.passed
        try:
            for _ in range(MAX_STEPS):
                if passed is not None:
                    passed[pc] = None
                following = steps[pc](state)
                if following == STOP:
                    # A step that resumes something may have set another place to stop at.
                    return state
                state.pc = pc = following
            raise Fault("the rules go on for ever without a choice")
        except Fault as fault:
            fault.origin = fault.origin or self.game.nodes[pc].origin
            raise

    def _other_step(self, index: int, node: ir.Node) -> Any:
        if isinstance(node, ir.Collect):
            return lambda s: self._collect(s, index)
        if isinstance(node, ir.Resume):
            return self._resume
        return lambda s: STOP

    def _collect(self, state: State, index: int) -> int:
        """Waits until all have chosen, then begins to carry the choices out."""
        if self._decisions[index].to_move(state):
            return STOP
        rest, state.pending = state.pending, ()
        return self._carry_out_next(state, index, rest)

    def _resume(self, state: State) -> int:
        if not state.resume:
            raise Fault("nothing to go back to")
        frame = state.resume[-1]
        state.resume = state.resume[:-1]
        if frame.rest is None:
            return frame.node
        return self._carry_out_next(state, frame.node, frame.rest)

    # ---------------------------------------------------------------------------------------------- chance

    def chance_node(self, state: State) -> ChanceNode | None:
        """What chance is to decide now, or None."""
        chance = self._chances.get(state.pc)
        return None if chance is None or state.reason is not None else chance.node

    def outcomes(self, state: State) -> Iterator[Outcome]:
        """Every outcome of the chance node, all equally likely, in order."""
        return self._chances[state.pc].outcomes(state)

    def draw(self, state: State, rng: random.Random) -> Outcome:
        """One outcome of the chance node, each as likely."""
        with self._blamed(state):
            return self._chances[state.pc].draw(state, rng)

    def apply_chance(self, state: State, outcome: Outcome) -> State:
        """The state after chance decided so. Raises `ValueError` for what is no outcome here."""
        return self.play_chance(state.clone(), outcome)

    def play_chance(self, state: State, outcome: Outcome) -> State:
        """Like `apply_chance`, but changes the state given."""
        self.effects.played.clear()
        with self._blamed(state):
            state.pc = self._chances[state.pc].carry_out(state, outcome)
        return self.advance(state)

    # ------------------------------------------------------------------------------------------ decisions

    def decision(self, state: State) -> ir.Decide | ir.Collect | None:
        """What players choose now, or None."""
        decision = None if state.reason is not None else self._decisions.get(state.pc)
        return None if decision is None else decision.node

    def to_move(self, state: State) -> tuple[int, ...]:
        """The players who may choose now, in seat order."""
        decision = None if state.reason is not None else self._decisions.get(state.pc)
        if decision is None:
            return ()
        with self._blamed(state):
            return decision.to_move(state)

    def legal_actions(self, state: State, player: int | None = None) -> list[Choice]:
        """Everything a player may choose: the actions as written, and the arguments in the order of their domains.

        `player` None is the first who may choose. Nothing where it is not the player's turn.
        """
        movers = self.to_move(state)
        player = movers[0] if player is None and movers else player
        if player not in movers or player is None:
            return []
        decision = self._decisions[state.pc]
        with self._blamed(state), Seated(decision, state, player):
            return [choice for plan in decision.plans for choice in plan.legal(state, player)]

    def why_not(self, state: State, player: int, choice: Choice) -> Refusal | None:
        """Why a player may not choose this now, or None where they may."""
        checked = self._check(state, player, choice)
        return checked if isinstance(checked, Refusal) else None

    def name_of(self, choice: Choice, state: State | None = None) -> str:
        """A choice as it is written: `place(9S, pair)`. The state's decision says what the arguments are."""
        return speech.name_of(self, choice, state)

    def parse_choice(self, state: State, player: int, text: str) -> Choice | None:
        """The choice that was written, which may still be refused; None where no action can be made out."""
        return speech.parse_choice(self, state, player, text)

    @property
    def all_plans(self) -> Iterator[Plan]:
        """The actions of every decision of the game, made ready."""
        return (plan for decision in self._decisions.values() for plan in decision.plans)

    def plans(self, state: State) -> list[Plan]:
        """The actions on offer where the state stands, made ready."""
        decision = self._decisions.get(state.pc)
        return [] if decision is None else decision.plans

    def decision_plans(self, node: int) -> list[Plan]:
        """The actions of the decision at a node, made ready."""
        return self._decisions[node].plans

    def seated(self, state: State, player: int) -> Seated:
        """Within `with`, expressions of the decision read this player as the one who chooses."""
        return Seated(self._decisions[state.pc], state, player)

    def apply(self, state: State, player: int, choice: Choice, elapsed_ms: int = 0) -> State:
        """The state after a player's choice, at the next stop. Time runs first; see `play_choice`.

        Raises:
            InvalidChoice: The choice is refused.
        """
        return self.play_choice(state.clone(), player, choice, elapsed_ms)

    def play_choice(self, state: State, player: int, choice: Choice, elapsed_ms: int = 0) -> State:
        """Like `apply`, but changes the state given.

        The clock's events that `elapsed_ms` crosses happen first, each in its turn. Where they end the game, lead to
        another stop, or leave the choice refused, it is not carried out. Simultaneous choices wait for each other.
        """
        self.effects.played.clear()
        found = self._check(state, player, choice)
        if isinstance(found, Refusal):
            raise InvalidChoice(found)
        if self.game.clock is not None and elapsed_ms:
            stop, fired = state.pc, state.fired
            self._run_clock(state, elapsed_ms)
            if state.reason is not None or state.pc != stop:
                return state
            if state.fired != fired:
                found = self._check(state, player, choice)
                if isinstance(found, Refusal):
                    return state
        decision = self._decisions[state.pc]
        pending = Pending(player, choice, found)
        if not decision.is_at_once:
            self._carry_out(state, decision, pending)
            return self.advance(state)
        state.pending = tuple(sorted((*state.pending, pending), key=lambda p: p.player))
        if state.recording:
            decision.record(state, pending, secret=True, is_timed=self.game.clock is not None)
        return self.advance(state)

    # ------------------------------------------------------------------------------------------- the ends

    def is_terminal(self, state: State) -> bool:
        """Whether the game is over."""
        return state.reason is not None

    def reason(self, state: State) -> str | None:
        """What the end is called; None while the game goes on."""
        return state.reason

    def scores(self, state: State) -> tuple[int | Fraction, ...]:
        """What each seat has scored, if the game ended now. Raises `Fault` where that cannot be told."""
        return self.results.scores(state)

    def winners(self, state: State) -> tuple[int, ...]:
        """The seats that won."""
        return self.results.winners(state)

    def returns(self, state: State) -> tuple[int | Fraction, ...]:
        """What the end is worth to each seat; see `results.Results.returns`."""
        return self.results.returns(state)

    # ------------------------------------------------------------------------------------------- inside

    def _check(self, state: State, player: int, choice: Choice) -> tuple[Any, ...] | Refusal:
        if state.reason is not None:
            return Refusal("game over", "the game is over")
        if player not in self.to_move(state):
            return Refusal("not your turn", f"it is not the turn of seat {player + 1}")
        decision = self._decisions[state.pc]
        if not 0 <= choice.action < len(decision.plans) or decision.plans[choice.action].name != choice.name:
            return Refusal("not on offer", f"{choice.name} is not on offer")
        with self._blamed(state):
            return decision.check(state, player, choice.action, choice.arguments)

    def _carry_out_next(self, state: State, node: int, rest: tuple[Pending, ...]) -> int:
        """Begins with the first of collected choices, the others to follow; tells the next node."""
        if not rest:
            collect = self.game.nodes[node]
            assert isinstance(collect, ir.Collect)
            return collect.next
        state.resume = (*state.resume, Frame(node, rest[1:]))
        decision = self._decisions[node]
        state.vars[decision.cell] = rest[0].player
        self._carry_out(state, decision, rest[0])
        return state.pc

    def _carry_out(self, state: State, decision: Decision, pending: Pending) -> None:
        plan = decision.plans[pending.choice.action]
        for cell, value in zip(plan.cells, pending.values, strict=True):
            state.vars[cell] = value
        if state.recording:
            masks = decision.record(state, pending, secret=False, is_timed=self.game.clock is not None)
            self.effects.played = dict.fromkeys(masks, masks)
        state.pc = plan.entry

    def _run_clock(self, state: State, elapsed_ms: int) -> None:
        """Lets time pass: each event that is crossed happens, the later on the clock first."""
        clock = self.game.clock
        assert clock is not None
        stop, end = state.pc, state.clock_ms - elapsed_ms
        while state.fired < len(clock.events) and clock.events[state.fired].at >= end:
            event = clock.events[state.fired]
            # Time stands still while an event happens.
            state.clock_ms, state.fired = max(event.at, 0), state.fired + 1
            if state.recording:
                origin = ir.Origin(None, "clock", event.cites)
                history.record(state, history.Struck(origin, event))
            state.resume = (*state.resume, Frame(stop, None))
            state.pc = event.entry
            self.advance(state)
            if state.reason is not None or state.pc != stop:
                return
        state.clock_ms = max(end, 0)

    def _blamed(self, state: State) -> Blame:
        return Blame(self.game.nodes[state.pc].origin)

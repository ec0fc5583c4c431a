"""One game with people in some seats, apart from how they are shown it: who is asked, and what they have been told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli import news
from cli.cardtext import CardText
from cli.menu import Menu, Move
from cli.news import Told
from cli.thinking import Thinking
from dsl import model
from interpreter.actions import Choice
from interpreter.play import Playthrough
from interpreter.state import State
from interpreter.trace import Chosen
from interpreter.values import plain, show_number


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision that a person is asked about: what they may choose, and the time that runs meanwhile."""

    player: int
    state: State
    menu: Menu
    thinking: Thinking

    @property
    def any_choice(self) -> Choice:
        """A legal choice: what is played where the clock has taken the decision away, for nothing comes of it."""
        return self.menu.moves[0].choice


class Sitting:
    """Plays what nobody is asked about, asks people in turn, and remembers what each of them was told.

    `people` are the seats, from 0, that people take; None among the viewers is the public.
    """

    def __init__(
        self, made: model.Model, play: Playthrough, people: Sequence[int], text: CardText, tutor: bool = False
    ) -> None:
        self.model, self.play, self.people, self.text = made, play, tuple(people), text
        self.tutor = tutor
        """Whether people are advised before they choose."""
        self.machine = play.machine
        # Who comes back to a game is told what has happened since they chose.
        self._told: dict[int | None, int] = {v: news.since_choice(play.state, v) for v in [*people, None]}
        self._notices: dict[int, list[tuple[State, str]]] = {player: [] for player in people}
        self._trouble = play.keeper.trouble if play.keeper is not None else ""

    @property
    def state(self) -> State:
        """Where the game stands."""
        return self.play.state

    def new_trouble(self) -> str:
        """What to say where the game can no longer be saved, once; nothing where it can."""
        trouble = self.play.keeper.trouble if self.play.keeper is not None else ""
        is_new = trouble not in ("", self._trouble)
        self._trouble = trouble
        return f"The game is not saved any more: {trouble}." if is_new else ""

    @property
    def is_over(self) -> bool:
        return self.play.is_over

    def step(self) -> bool:
        """One thing that nobody is asked about: chance, a bot's choice, or a person's only move.

        False where a person is to choose, or the game is over. Raises `Fault` where the rules fail.
        """
        if self.play.step():
            return True
        if self.play.is_over:
            return False
        player = self._mover()
        legal = self.machine.legal_actions(self.state, player)
        if len(legal) > 1:
            return False
        only = Menu(self.machine, self.state, legal, self.text).moves[0]
        self._notices[player].append((self.state, f"Your only move is played for you: {only.shown}"))
        self.play.choose(player, only.choice)
        return True

    def turn(self) -> Turn:
        """The decision that stands open when `step` has come to a person."""
        player = self._mover()
        legal = self.machine.legal_actions(self.state, player)
        menu = Menu(self.machine, self.state, legal, self.text)
        return Turn(player, self.state, menu, Thinking(self.machine, self.state, player, legal[0], self.play.spent_ms))

    def choose(self, turn: Turn, move: Move | None) -> None:
        """Plays what was chosen; None where the clock has taken the decision away.

        Raises:
            InvalidChoice: The rules refuse it.
        """
        choice = turn.any_choice if move is None else move.choice
        self.play.choose(turn.player, choice, turn.thinking.elapsed_ms)
        self._told[turn.player] += turn.thinking.entries_told

    def undo(self, turn: Turn) -> str:
        """Takes the last choice of the one who is asked back, and what followed of itself; tells what it was.

        Raises:
            CannotUndo: It stands; the message says why.
        """
        before = self.play.steps[:]
        self.play.undo(turn.player, turn.thinking.elapsed_ms)
        undone = before[len(self.play.steps)]
        length = news.length(self.state)
        for viewer in self._told:
            self._told[viewer] = min(self._told[viewer], length)
        for viewer, notices in self._notices.items():
            self._notices[viewer] = [(s, text) for s, text in notices if news.length(s) < length]
        assert isinstance(undone, Chosen)
        return self.text.decorate(plain(undone.choice))

    def news(self, viewer: int | None) -> list[Told]:
        """What a viewer has not been told yet. It counts as told then."""
        lines: list[Told] = []
        notices = self._notices.get(viewer, []) if viewer is not None else []
        for state, notice in notices:
            lines += [*self._news_until(state, viewer), Told("yellow", notice)]
        notices.clear()
        return [*lines, *self._news_until(self.state, viewer)]

    def shared_news(self) -> list[Told]:
        """At the end, when all look together: what nobody in front of the screen was told yet."""
        self._told[None] = max(self._told[viewer] for viewer in self.people) if self.people else self._told[None]
        return self.news(None)

    def ending(self) -> str:
        """How the game has ended, in a sentence."""
        return f"The game is over: {plain(self.machine.reason(self.state) or '')}."

    def verdict(self) -> str:
        """Who has won, in a sentence."""
        winners = self.machine.winners(self.state)
        if self.machine.game.num_players == 1:
            return "You have won." if winners else "You have not won."
        if not winners:
            return "Nobody wins."
        if len(winners) == 1:
            return f"Seat {winners[0] + 1} wins."
        numbers = [str(winner + 1) for winner in winners]
        seats = f"{', '.join(numbers[:-1])} and {numbers[-1]}"
        return f"Seats {seats} win." if self.machine.game.result.shared else f"A draw between seats {seats}."

    def scores(self) -> list[tuple[int, str, bool]]:
        """Of each seat its number from 0, its score in words, and whether it has won."""
        winners = self.machine.winners(self.state)
        return [(p, show_number(s), p in winners) for p, s in enumerate(self.machine.scores(self.state))]

    def asked(self, player: int) -> str:
        """What a player is asked, with their seat: "seat 2, turn"."""
        decision = self.machine.decision(self.state)
        name = plain(decision.name) if decision is not None else "move"
        return f"seat {player + 1}, {name}" if self.machine.game.num_players > 1 else name

    def _mover(self) -> int:
        return next(player for player in self.machine.to_move(self.state) if player in self.people)

    def _news_until(self, state: State, viewer: int | None) -> list[Told]:
        lines = list(news.told(self.machine, state, viewer, self._told[viewer]))
        self._told[viewer] = news.length(state)
        return lines

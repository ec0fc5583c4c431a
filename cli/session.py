"""One game at the terminal: who is asked, what they are shown, and what they may say."""

from __future__ import annotations

from collections.abc import Sequence

from cli import answers, news
from cli.cardtext import CardText
from cli.menu import FEW, Menu, Move
from cli.table import Table
from cli.terminal import Terminal
from cli.thinking import Thinking
from dsl import model
from interpreter.actions import InvalidChoice
from interpreter.play import Playthrough
from interpreter.values import plain, show_number

_COMMANDS = ("?", "help", "why", "log", "table", "hint", "moves", "quit")


class Quit(Exception):
    """Who plays has had enough."""


class Session:
    """Leads people through a game. Without people it is told to the public as it is played."""

    def __init__(self, made: model.Model, play: Playthrough, people: Sequence[int], terminal: Terminal) -> None:
        self._model, self._play, self._people, self._terminal = made, play, tuple(people), terminal
        self._machine = play.machine
        self._text = CardText(self._machine, terminal.has_symbols)
        self._table = Table(self._machine, made.layout, self._text)
        self._told = dict.fromkeys([*people, None], 0)
        self._notices: dict[int, list[str]] = {player: [] for player in people}
        self._in_front: int | None = people[0] if len(people) == 1 else None

    def run(self) -> None:
        """Plays to the end. Raises `Quit`, `EndOfInput`, or a `Fault` of the rules."""
        while not self._play.is_over:
            if self._play.step():
                if not self._people:
                    self._tell_news(None)
                continue
            if self._play.is_over:
                break
            movers = self._machine.to_move(self._play.state)
            self._turn(next(player for player in movers if player in self._people))
        self._end()

    # ------------------------------------------------------------------------------------------- a turn

    def _turn(self, player: int) -> None:
        state = self._play.state
        legal = self._machine.legal_actions(state, player)
        menu = Menu(self._machine, state, legal, self._text)
        if len(legal) == 1:
            notice = f"Your only move is played for you: {menu.moves[0].shown}"
            if len(self._people) == 1:
                self._tell_news(player)
                self._say(notice, "yellow")
            else:
                # Somebody else may be looking.
                self._notices[player].append(notice)
            self._play.choose(player, legal[0])
            return
        self._hand_over(player)
        self._tell_news(player)
        self._show_table(player)
        self._list(menu, menu.moves, first=True)
        thinking = Thinking(self._machine, state, player, legal[0], self._terminal)
        candidates: list[Move] = []
        while True:
            line = thinking.ask(self._prompt(player))
            if line is None:
                self._play.choose(player, legal[0], thinking.elapsed_ms)
                self._told[player] += thinking.entries_told
                return
            move = self._answer(line.strip(), player, menu, candidates)
            if move is None:
                continue
            try:
                self._play.choose(player, move.choice, thinking.elapsed_ms)
            except InvalidChoice as refused:
                self._say(f"No: {refused}")
                continue
            self._told[player] += thinking.entries_told
            self._terminal.say()
            if len(self._people) == 1:
                self._tell_news(player)
            return

    def _answer(self, line: str, player: int, menu: Menu, candidates: list[Move]) -> Move | None:
        """The move that was meant; None where something else was asked for, which is answered.

        `candidates` are what the last line narrowed the list to, and are kept up to date.
        """
        if not line:
            if len(candidates) == 1:
                return candidates[0]
            self._list(menu, candidates or menu.moves)
            return None
        command, _, rest = line.partition(" ")
        command = command.casefold()
        # An action may be called like a command; a colon in front means the command in any case.
        is_action = any(plan.name == command for plan in self._machine.plans(self._play.state))
        if line.startswith(":") or (command in _COMMANDS and not is_action):
            self._command(command.removeprefix(":"), rest.strip(), player, menu)
            return None
        found = menu.named(line)
        if isinstance(found, Move):
            return found
        if not found:
            written, why = answers.written(self._machine, self._play.state, player, self._text.plain(line))
            if written is not None:
                return next((m for m in menu.moves if m.choice == written), None)
            why = why or answers.unavailable(self._machine, self._play.state, menu, self._text.plain(line))
            self._say(why or f"No move is called `{line}`; `?` helps.")
            return None
        candidates[:] = found
        self._list(menu, found)
        if len(found) == 1:
            self._say("Press Enter to play it.")
        return None

    def _command(self, command: str, rest: str, player: int, menu: Menu) -> None:
        match command:
            case "?" | "help":
                for line in answers.help_lines(self._model, self._machine, self._play.state):
                    self._say(line, indent="             " if line.startswith("  ") else "")
            case "why":
                self._say(answers.why(self._machine, self._play.state, player, menu, self._text.plain(rest)))
            case "log":
                self._log(player, rest)
            case "table":
                self._show_table(player, full=True)
            case "moves":
                self._list(menu, menu.moves)
            case "hint":
                choice = answers.hint(self._machine, self._play.state, player)
                shown = next((m.shown for m in menu.moves if m.choice == choice), choice.name)
                self._say(f"The lookahead bot would play: {shown}")
            case "quit":
                raise Quit
            case _:
                self._say(f"There is no command `{command}`; `?` lists them.")

    # ------------------------------------------------------------------------------------------- showing

    def _hand_over(self, player: int) -> None:
        """Where several people share the screen, none sees what the one before them saw."""
        if len(self._people) > 1 and self._in_front != player:
            self._terminal.clear()
            self._terminal.ask(f"Pass the device to seat {player + 1}, then press Enter. ")
            self._terminal.clear()
            self._in_front = player

    def _tell_news(self, viewer: int | None) -> None:
        state = self._play.state
        for style, line in news.told(self._machine, state, viewer, self._told[viewer]):
            self._say(line, style, indent="    ")
        self._told[viewer] = news.length(state)
        if viewer is not None:
            for notice in self._notices[viewer]:
                self._say(notice, "yellow")
            self._notices[viewer].clear()

    def _show_table(self, player: int, full: bool = False) -> None:
        self._terminal.say()
        lines = self._table.lines(self._play.state, player, full)
        width = max((len(label) for label, _ in lines), default=0)
        for label, words in lines:
            style = "cyan" if label.endswith("(you)") else ""
            self._say(f"{label:<{width}}  {words}".rstrip(), style, indent=" " * (width + 4))
        self._terminal.say()

    def _list(self, menu: Menu, moves: Sequence[Move], first: bool = False) -> None:
        for line in menu.lines(moves, self._terminal.width - 1):
            self._terminal.raw(line)
        if len(moves) > FEW:
            self._say("Type a number or a name, or part of a name to see fewer.", "dim")
        elif first and self._play.num_decisions < self._machine.game.num_players:
            self._say("Type a number or a name; `?` helps.", "dim")

    def _log(self, player: int, rest: str) -> None:
        from interpreter.narrate import Narrator

        lines = Narrator(self._machine.layout).log(self._play.state, player)
        wanted = len(lines) if rest == "all" else int(rest) if rest.isdigit() and len(rest) < 9 else 40
        if wanted < len(lines):
            self._say(f"... {len(lines) - wanted} earlier lines; `log all` shows everything", "dim")
        for line in lines[max(len(lines) - wanted, 0) :]:
            cites = f"  [{', '.join(line.cites)}]" if line.cites else ""
            self._say(f"{line.text}{cites}", indent="    ")

    def _prompt(self, player: int) -> str:
        decision = self._machine.decision(self._play.state)
        name = plain(decision.name) if decision is not None else "move"
        return f"seat {player + 1}, {name}> " if self._machine.game.num_players > 1 else f"{name}> "

    def _say(self, text: str, style: str = "", indent: str = "") -> None:
        self._terminal.say(self._text.decorate(text), style, indent)

    # ------------------------------------------------------------------------------------------- the end

    def _end(self) -> None:
        viewer = self._people[0] if len(self._people) == 1 else None
        if len(self._people) > 1:
            # What all saw together starts anew where the last one to play has seen it.
            self._told[None] = max(self._told[p] for p in self._people)
        self._tell_news(viewer)
        state, machine = self._play.state, self._machine
        scores, winners = machine.scores(state), machine.winners(state)
        self._terminal.say()
        self._say(f"The game is over: {plain(machine.reason(state) or '')}.", "bold")
        for player, score in enumerate(scores):
            you = " (you)" if player == viewer and len(scores) > 1 else ""
            label = f"seat {player + 1}{you}" if len(scores) > 1 else "score"
            self._say(f"  {label:<14}{show_number(score):>8}{'   won' if player in winners else ''}".rstrip())
        self._say(self._verdict(winners), "bold")

    def _verdict(self, winners: tuple[int, ...]) -> str:
        if self._machine.game.num_players == 1:
            return "You have won." if winners else "You have not won."
        if not winners:
            return "Nobody wins."
        if len(winners) == 1:
            return f"Seat {winners[0] + 1} wins."
        seats = " and ".join(
            part for part in (", ".join(str(w + 1) for w in winners[:-1]), str(winners[-1] + 1)) if part
        )
        return f"Seats {seats} win." if self._machine.game.result.shared else f"A draw between seats {seats}."

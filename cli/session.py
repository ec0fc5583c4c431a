"""One game at the terminal, line by line: what people are shown, and what they may say."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from cli import answers, tutor, typed
from cli.menu import FEW, Move
from cli.sitting import Sitting, Turn
from cli.table import Table
from cli.terminal import Terminal
from interpreter.actions import InvalidChoice
from interpreter.undo import CannotUndo


class Quit(Exception):
    """Who plays has had enough."""


class _TakenBack(Exception):
    """The turn is over: an earlier one is to be played again."""


class Session:
    """Leads people through a game. Without people it is told to the public as it is played."""

    def __init__(self, sitting: Sitting, terminal: Terminal) -> None:
        self._sitting, self._terminal = sitting, terminal
        self._model, self._machine, self._people = sitting.model, sitting.machine, sitting.people
        self._text = sitting.text
        self._table = Table(self._machine, self._model.layout, self._text)
        self._in_front: int | None = self._people[0] if len(self._people) == 1 else None

    def run(self) -> None:
        """Plays to the end. Raises `Quit`, `EndOfInput`, or a `Fault` of the rules."""
        while True:
            if self._sitting.step():
                if not self._people:
                    self._tell_news(None)
            elif self._sitting.is_over:
                break
            else:
                with suppress(_TakenBack):
                    self._turn()
        self.end()

    # ------------------------------------------------------------------------------------------- a turn

    def _turn(self) -> None:
        turn = self._sitting.turn()
        player = turn.player
        if trouble := self._sitting.new_trouble():
            self._say(trouble, "yellow")
        self._hand_over(player)
        self._tell_news(player)
        self._show_table(player)
        self._list(turn, turn.menu.moves, first=True)
        if self._sitting.tutor:
            for told in tutor.lines(tutor.advise(self._machine, turn.state, player, turn.menu)):
                self._say(told, "dim", indent=" " * 8)
        turn.thinking.begin()
        candidates: list[Move] = []
        while True:
            line = self._ask(turn)
            if line is None:
                self._sitting.choose(turn, None)
                return
            move = self._answer(line.strip(), turn, candidates)
            if move is None:
                continue
            try:
                self._sitting.choose(turn, move)
            except InvalidChoice as refused:
                self._say(f"No: {refused}")
                continue
            self._terminal.say()
            if len(self._people) == 1:
                self._tell_news(player)
            return

    def _ask(self, turn: Turn) -> str | None:
        """A line that was typed; None where the clock has taken the decision away. Raises `EndOfInput`."""
        while True:
            seconds = turn.thinking.seconds_to_event
            if seconds is not None and seconds <= 0:
                told = turn.thinking.strike()
                if told is None:
                    return None
                for line in told:
                    self._say(line.text, line.style)
                continue
            left = turn.thinking.time_left
            prompt = f"{self._sitting.asked(turn.player)}> "
            answer = self._terminal.ask(f"[{left} left] {prompt}" if left else prompt, seconds)
            if answer is not None:
                return answer

    def _answer(self, line: str, turn: Turn, candidates: list[Move]) -> Move | None:
        """The move that was meant; None where something else was asked for, which is answered.

        `candidates` are what the last line narrowed the list to, and are kept up to date.
        """
        if not line:
            if len(candidates) == 1:
                return candidates[0]
            self._list(turn, candidates or turn.menu.moves)
            return None
        match typed.read(line, self._machine, turn, self._text):
            case Move() as move:
                return move
            case typed.Command(name, rest):
                self._command(name, rest, turn)
            case typed.Refused(why):
                self._say(why)
            case typed.Narrowed(moves):
                candidates[:] = moves
                self._list(turn, moves)
                if len(moves) == 1:
                    self._say("Press Enter to play it.")
        return None

    def _command(self, command: str, rest: str, turn: Turn) -> None:
        player, menu = turn.player, turn.menu
        match command:
            case "?" | "help":
                for line in answers.help_lines(self._model, self._machine, turn.state):
                    self._say(line, indent="             " if line.startswith("  ") else "")
            case "why":
                self._say(answers.why(self._machine, turn.state, player, menu, self._text.plain(rest)))
            case "log":
                self._log(player, rest)
            case "table":
                self._show_table(player, full=True)
            case "kinds":
                for line in answers.combination_lines(self._machine):
                    self._say(line)
            case "moves":
                self._list(turn, menu.moves)
            case "hint":
                choice = answers.hint(self._machine, turn.state, player)
                shown = next((m.shown for m in menu.moves if m.choice == choice), choice.name)
                self._say(f"The search bot would play: {shown}")
            case "undo":
                self._undo(turn)
            case "quit":
                raise Quit
            case _:
                self._say(f"There is no command `{command}`; `?` lists them.")

    def _undo(self, turn: Turn) -> None:
        try:
            undone = self._sitting.undo(turn)
        except CannotUndo as stands:
            self._say(f"It stands: {stands}.")
            return
        self._say(f"Taken back: {undone}.", "yellow")
        raise _TakenBack

    # ------------------------------------------------------------------------------------------- showing

    def _hand_over(self, player: int) -> None:
        """Where several people share the screen, none sees what the one before them saw."""
        if len(self._people) > 1 and self._in_front != player:
            self._terminal.clear()
            self._terminal.ask(f"Pass the device to seat {player + 1}, then press Enter. ")
            self._terminal.clear()
            self._in_front = player

    def _tell_news(self, viewer: int | None) -> None:
        for line in self._sitting.news(viewer):
            self._say(line.text, line.style, indent="    ")

    def _show_table(self, player: int, full: bool = False) -> None:
        self._terminal.say()
        lines = self._table.lines(self._sitting.state, player, full)
        width = max((len(label) for label, _ in lines), default=0)
        for label, words in lines:
            style = "cyan" if label.endswith("(you)") else ""
            self._say(f"{label:<{width}}  {words}".rstrip(), style, indent=" " * (width + 4))
        self._terminal.say()

    def _list(self, turn: Turn, moves: Sequence[Move], first: bool = False) -> None:
        for line in turn.menu.lines(moves, self._terminal.width - 1):
            self._terminal.raw(line)
        if len(moves) > FEW:
            self._say("Type a number or a name, or part of a name to see fewer.", "dim")
        elif first and self._sitting.play.num_decisions < self._machine.game.num_players:
            self._say("Type a number or a name; `?` helps.", "dim")

    def _log(self, player: int, rest: str) -> None:
        from interpreter.narrate import Narrator

        lines = Narrator(self._machine.layout).log(self._sitting.state, player)
        wanted = len(lines) if rest == "all" else int(rest) if rest.isdigit() and len(rest) < 9 else 40
        if wanted < len(lines):
            self._say(f"... {len(lines) - wanted} earlier lines; `log all` shows everything", "dim")
        for line in lines[max(len(lines) - wanted, 0) :]:
            cites = f"  [{', '.join(line.cites)}]" if line.cites else ""
            self._say(f"{line.text}{cites}", indent="    ")

    def _say(self, text: str, style: str = "", indent: str = "") -> None:
        self._terminal.say(self._text.decorate(text), style, indent)

    # ------------------------------------------------------------------------------------------- the end

    def end(self) -> None:
        """Tells how the game has ended."""
        viewer = self._people[0] if len(self._people) == 1 else None
        for line in self._sitting.news(viewer) if viewer is not None else self._sitting.shared_news():
            self._say(line.text, line.style, indent="    ")
        self._terminal.say()
        self._say(self._sitting.ending(), "bold")
        scores = self._sitting.scores()
        for player, score, has_won in scores:
            you = " (you)" if player == viewer and len(scores) > 1 else ""
            label = f"seat {player + 1}{you}" if len(scores) > 1 else "score"
            self._say(f"  {label:<14}{score:>8}{'   won' if has_won else ''}".rstrip())
        self._say(self._sitting.verdict(), "bold")

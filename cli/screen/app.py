"""The full-screen table: it shows the game as one viewer sees it, and lets people choose by mouse, keys or typing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from textual import events, on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static
from textual.worker import WorkerFailed

from cli import typed
from cli.menu import Move
from cli.screen.blocks import Line, Span, wrapped
from cli.screen.canvas import Canvas
from cli.screen.commands import Commands
from cli.screen.drawing import Drawing
from cli.screen.hints import Hints
from cli.screen.log import Log
from cli.screen.picking import Picking
from cli.screen.pointing import Pointing
from cli.screen.prompt import Popup, Prompt
from cli.screen.sheets import Curtain, Sheet
from cli.screen.tabletop import Tabletop
from cli.screen.targets import EntryAt, GroupAt, MoveAt, Target
from cli.sitting import Sitting, Turn
from dsl.fields import CLAUSE
from interpreter.actions import InvalidChoice
from interpreter.machine import Machine
from interpreter.observe import Observation, observe
from interpreter.undo import CannotUndo
from interpreter.values import Fault

PACE: Final = 0.4
"""Seconds between the choices of bots, so that they can be followed."""


class TableApp(App[None]):
    """One game on the whole screen.

    `fault` is what ended it where the rules failed, `failure` where this program did.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "Hoyle"
    CSS_PATH = "table.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_lit(1)", priority=True), Binding("shift+tab", "next_lit(-1)", priority=True),
        Binding("up", "highlight(-1)"), Binding("down", "highlight(1)"),
        Binding("pageup", "page(-1)"), Binding("pagedown", "page(1)"),
        Binding("escape", "clear"),
        Binding("f1", "command('help')"), Binding("f2", "command('kinds')"), Binding("f3", "command('log')"),
        Binding("ctrl+q,ctrl+c", "quit", priority=True),
    ]  # fmt: skip

    def __init__(
        self, sitting: Sitting, pace: float = PACE, clauses: Callable[[], Mapping[str, str]] | None = None
    ) -> None:
        super().__init__()
        self.sitting, self._pace, self._read_clauses = sitting, pace, clauses
        self.clauses: Mapping[str, str] = {}
        """The clauses of the rulebook in words, as soon as they have been read."""
        # A machine for looking, while the other one may be thinking for a bot.
        looking = Machine(sitting.machine.game)
        self.hints = Hints(looking, sitting.text)
        self._looking_machine = looking
        self._logs: dict[int | None, Log] = {viewer: Log(sitting.text) for viewer in (*sitting.people, None)}
        self.viewer: int | None = sitting.people[0] if len(sitting.people) == 1 else None
        self.seen: Observation = observe(looking, sitting.state, self.viewer, log_lines=0)
        self.picking: Picking | None = None  # while somebody is asked
        self.notes: dict[int, Line] = {}
        self.thinks = False
        self.fault: Fault | None = None
        self.failure: Exception | None = None
        self._commands = Commands(self)
        self._drawing = Drawing(self, Tabletop(looking, sitting.model.layout, sitting.text), self._commands)
        self._pointing = Pointing(self, self._commands)

    def compose(self) -> ComposeResult:
        yield Canvas("bar", id="bar")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield Canvas("felt", id="felt")
                yield Canvas("bar", id="log-below", follows=True)
                yield Canvas("bar", id="moves")
                with Horizontal(id="line"):
                    yield Static("", id="asked")
                    yield Prompt()
            with Vertical(id="right"):
                yield Canvas("bar", id="kinds")
                yield Canvas("bar", id="log-beside", follows=True)
        yield Popup()

    def on_mount(self) -> None:
        self.query_one(Prompt).focus()
        if self.sitting.machine.game.clock is not None:
            self.set_interval(0.1, self._tick)
        self.play_on()
        self._take_in_clauses()

    @property
    def turn(self) -> Turn | None:
        """What somebody is asked now."""
        return None if self.picking is None else self.picking.turn

    # ------------------------------------------------------------------------------------------- the game

    @work(group="clauses")
    async def _take_in_clauses(self) -> None:
        if self._read_clauses is not None:
            self.clauses = await asyncio.to_thread(self._read_clauses)

    @work(exclusive=True)
    async def play_on(self) -> None:
        """Plays what nobody is asked about, then asks, or ends."""
        play = self.sitting.play
        try:
            while True:
                before = play.num_decisions
                self.thinks = True
                self._drawing.bar()
                went = await asyncio.to_thread(self.sitting.step)
                self.thinks = False
                if not went:
                    break
                if play.num_decisions != before:
                    self._look()
                    await asyncio.sleep(self._pace)
        except Fault as fault:
            self.fault = fault
            told = str(fault)
            self.push_screen(
                Sheet("The rules have failed", lambda room: wrapped([Span(told, "red")], room)), lambda _: self.exit()
            )
            return
        if self.sitting.is_over:
            self._end()
            return
        turn = self.sitting.turn()
        if len(self.sitting.people) > 1 and self.viewer != turn.player:
            self.viewer = None
            self._look()
            self.push_screen(Curtain(turn.player), lambda _: self._ask(turn))
        else:
            self._ask(turn)

    def _ask(self, turn: Turn) -> None:
        self.viewer, self.picking = turn.player, Picking(self.sitting.machine, turn)
        self._look()
        if trouble := self.sitting.new_trouble():
            self.say(trouble)
        turn.thinking.begin()
        self._commands.tutor()

    def advise(self, notes: Sequence[tuple[int, Line]]) -> None:
        """What the tutor has to say of each move by its number, the best first."""
        self.notes = dict(notes)
        self._drawing.moves()

    def choose(self, move: Move | None) -> None:
        """Plays a move; None where the clock has taken the decision away."""
        turn = self.turn
        if turn is None:
            return
        try:
            self.sitting.choose(turn, move)
        except InvalidChoice as refused:
            self.say(f"No: {refused}")
            return
        self.picking = None
        self.notes = {}
        self.clear()
        self._look()
        self.play_on()

    def undo(self) -> None:
        """Takes the last choice of the one who is asked back, if it does not stand."""
        turn = self.turn
        if turn is None:
            return
        try:
            undone = self.sitting.undo(turn)
        except CannotUndo as stands:
            self.say(f"It stands: {stands}.")
            return
        self.picking = None
        self.notes = {}
        self.clear()
        self.say(f"Taken back: {undone}.")
        self._look()
        self.play_on()

    def _end(self) -> None:
        self.picking = None
        if len(self.sitting.people) > 1:
            self.viewer = None
            # All look together now, so that the log is what everybody may know, from the beginning on.
            self._logs[None].add(self.sitting.news(None))
        self._look()
        self.query_one(Prompt).placeholder = "Enter leaves the game"

    def _tick(self) -> None:
        """The clock runs while somebody thinks."""
        turn = self.turn
        if turn is None or not self.query("#bar"):
            return  # nobody thinks, or the table is being taken down
        while (seconds := turn.thinking.seconds_to_event) is not None and seconds <= 0:
            told = turn.thinking.strike()
            if told is None:
                self.choose(None)
                return
            self.told.add(told)
            self._drawing.log()
        self._drawing.bar()

    # --------------------------------------------------------------------------- what is seen and said

    def _look(self) -> None:
        """Takes in how the game stands, and what is new, and draws everything."""
        self.seen = observe(self._looking_machine, self.sitting.state, self.viewer, log_lines=0)
        if self.viewer is not None or not self.sitting.people:
            self.told.add(self.sitting.news(self.viewer))
        self._drawing.everything()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._drawing.everything)

    @on(Canvas.Resized, "#felt")
    def _felt_resized(self) -> None:
        # The list of moves beneath it grows and shrinks.
        self._drawing.felt()

    @on(Canvas.Resized, "#bar, #kinds, #log-below, #log-beside")
    def _sides_resized(self) -> None:
        self._drawing.bar()
        self._drawing.log()
        self._drawing.kinds()

    @property
    def told(self) -> Log:
        """The log as the viewer may read it."""
        return self._logs[self.viewer]

    def say(self, text: str, style: str = "yellow") -> None:
        """Answers something that was asked or tried; what it cites is said in the words of the rulebook."""
        self.told.say(text, style)
        for number in dict.fromkeys(CLAUSE.findall(text)):
            if number in self.clauses:
                self.told.say(f"  {number}: {self.clauses[number]}", "label")
        self._drawing.log()

    # ------------------------------------------------------------------------------------------- choosing

    @property
    def _line(self) -> str:
        """What has been typed so far."""
        return self.query_one(Prompt).value.strip()

    def fitting(self) -> list[Move]:
        """The moves that fit what was picked and typed so far."""
        return [] if self.picking is None else self.picking.fitting(self._line)

    def _rechoose(self) -> None:
        """Looks again which move Enter would play, after something was picked or typed."""
        if self.picking is not None:
            self.picking.rechoose(self._line)
        self._drawing.moves()
        self._drawing.felt()

    def clear(self) -> None:
        """Forgets what was picked and typed."""
        if self.picking is not None:
            self.picking.clear()
        self.query_one(Prompt).value = ""
        self._pointing.at(None)

    def pick(self, target: Target) -> None:
        """Something on the table was clicked, or taken with the space bar."""
        if self.picking is None:
            return
        match self.picking.pick(target):
            case Move() as move:
                self.choose(move)
                return
            case typed.Refused(why):
                self.say(self.sitting.text.decorate(why))
            case None:
                pass
        self._rechoose()

    @on(Canvas.Clicked)
    def _clicked(self, message: Canvas.Clicked) -> None:
        target = message.target
        if isinstance(target, MoveAt):
            if self.turn is not None:
                self.choose(self.turn.menu.moves[target.number - 1])
        elif isinstance(target, GroupAt):
            if self.picking is not None:
                self.picking.narrow(target.name)
            self._rechoose()
        elif isinstance(target, EntryAt) or target is None:
            self.action_clear()
        else:
            self.pick(target)

    @on(Input.Changed)
    def _typing(self) -> None:
        self._rechoose()

    @on(Input.Submitted)
    def _typed(self, message: Input.Submitted) -> None:
        line, picking = message.value.strip(), self.picking
        if line.removeprefix(":").casefold() == "quit" or (self.sitting.is_over and not line):
            self.exit()
        elif picking is None:
            self.query_one(Prompt).value = ""
        elif picking.chosen is not None:
            self.choose(picking.turn.menu.moves[picking.chosen - 1])
        elif line:
            self._read(line, picking.turn)

    def _read(self, line: str, turn: Turn) -> None:
        match typed.read(line, self.sitting.machine, turn, self.sitting.text):
            case Move() as move:
                self.choose(move)
            case typed.Command(name, rest):
                self.query_one(Prompt).value = ""
                self._commands.run(name, rest)
            case typed.Refused(why):
                self.say(self.sitting.text.decorate(why))
            case typed.Narrowed(found):
                self.say(f"{len(found)} moves fit; type more, or choose with ↑ and ↓.")

    # ---------------------------------------------------------------------------------- keys and pointing

    def action_clear(self) -> None:
        self.clear()
        self._rechoose()

    def action_highlight(self, by: int) -> None:
        numbers = [move.number for move in self.fitting()]
        if self.picking is None or not numbers:
            return
        chosen = self.picking.chosen
        place = numbers.index(chosen) + by if chosen in numbers else (0 if by > 0 else -1)
        self.highlight(numbers[place % len(numbers)])

    def highlight(self, number: int) -> None:
        """Lets a move be the one that Enter plays, and shows it."""
        if self.picking is not None:
            self.picking.chosen = number
            self._drawing.moves(show=number)

    def action_page(self, by: int) -> None:
        for name in ("#log-below", "#log-beside"):
            log = self.query_one(name, Canvas)
            log.scroll_relative(y=by * max(log.size.height - 1, 1), animate=False)

    def action_command(self, name: str) -> None:
        self._commands.run(name, "")

    def action_next_lit(self, by: int) -> None:
        lit = self.picking.lit if self.picking is not None else frozenset()
        self._pointing.walk([t for t in self._pointing.targets() if t in lit], by)

    @on(Prompt.Walked)
    def _walked(self, message: Prompt.Walked) -> None:
        self._pointing.walk(self._pointing.targets(), message.by)

    @on(Prompt.Picked)
    def _space(self) -> None:
        if self._pointing.target is not None:
            self.pick(self._pointing.target)

    @on(Canvas.Pointed)
    def _mouse_points(self, message: Canvas.Pointed) -> None:
        self._pointing.at(message.target, message.x, message.y)

    # -------------------------------------------------------------------------------------------- failing

    def _handle_exception(self, error: Exception) -> None:
        # What goes wrong in a worker comes wrapped.
        cause = error.error if isinstance(error, WorkerFailed) else error
        self.failure = self.failure or (cause if isinstance(cause, Exception) else error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # Who plays is told in one line by whoever started this, not by a traceback.
        self._close_messages_no_wait()

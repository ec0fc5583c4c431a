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
from cli.news import Told
from cli.screen import moves, refusals
from cli.screen.blocks import Block, Line, Span, line_width, wrapped
from cli.screen.canvas import Canvas
from cli.screen.commands import Commands
from cli.screen.hints import Hints
from cli.screen.log import Log
from cli.screen.prompt import Popup, Prompt
from cli.screen.sheets import Curtain, Sheet
from cli.screen.tabletop import Looking, Tabletop
from cli.screen.targets import CardAt, Choosing, EntryAt, GroupAt, MoveAt, Target, ZoneAt, normal
from cli.sitting import Sitting, Turn
from dsl.fields import CLAUSE
from interpreter.actions import InvalidChoice
from interpreter.machine import Machine
from interpreter.observe import Observation, observe
from interpreter.undo import CannotUndo
from interpreter.values import Fault

WIDE: Final = 110
"""From so many columns on, the log and the combinations stand beside the table."""
TIGHTER: Final = 4
"""So many rows the log and the list of moves give up where the table has too few; as the style sheet has it."""
PACE: Final = 0.4
"""Seconds between the choices of bots, so that they can be followed."""
SHORT: Final = 30_000
"""With so many milliseconds left the clock changes colour."""


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
        self._top = Tabletop(looking, sitting.model.layout, sitting.text)
        self.hints = Hints(looking, sitting.text)
        self._looking_machine = looking
        self._logs: dict[int | None, Log] = {viewer: Log(sitting.text) for viewer in (*sitting.people, None)}
        self.viewer: int | None = sitting.people[0] if len(sitting.people) == 1 else None
        self.seen: Observation = observe(looking, sitting.state, self.viewer, log_lines=0)
        self.turn: Turn | None = None
        self._choosing: Choosing | None = None
        self._picks: tuple[Target, ...] = ()
        self._group: str | None = None
        self._chosen: int | None = None
        self.notes: dict[int, Line] = {}
        self._pointed: Target | None = None
        self._thinks = False
        self.fault: Fault | None = None
        self.failure: Exception | None = None
        self._commands = Commands(self)

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
                self._thinks = True
                self._draw_bar()
                went = await asyncio.to_thread(self.sitting.step)
                self._thinks = False
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
        self.viewer, self.turn = turn.player, turn
        self._choosing = Choosing(self.sitting.machine, turn)
        self._look()
        if trouble := self.sitting.new_trouble():
            self.say(trouble)
        turn.thinking.begin()
        self._commands.tutor()

    def advise(self, notes: Sequence[tuple[int, Line]]) -> None:
        """What the tutor has to say of each move by its number, the best first."""
        self.notes = dict(notes)
        self._draw_moves()

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
        self.turn = self._choosing = None
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
        self.turn = self._choosing = None
        self.notes = {}
        self.clear()
        self.say(f"Taken back: {undone}.")
        self._look()
        self.play_on()

    def _end(self) -> None:
        self.turn = self._choosing = None
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
            self._logs[self.viewer].add(told)
            self._draw_log()
        self._draw_bar()

    # -------------------------------------------------------------------------------------------- drawing

    def _look(self) -> None:
        """Takes in how the game stands, and what is new, and draws everything."""
        self.seen = observe(self._looking_machine, self.sitting.state, self.viewer, log_lines=0)
        if self.viewer is not None or not self.sitting.people:
            self._logs[self.viewer].add(self.sitting.news(self.viewer))
        self.draw()

    def draw(self) -> None:
        """Draws everything as it was last taken in."""
        is_wide = self.size.width >= WIDE
        self.screen_stack[0].set_class(is_wide, "-wide")
        self._draw_bar()
        self._draw_moves()
        self._draw_log()
        self._draw_kinds()
        self._draw_felt()

    def _draw_kinds(self) -> None:
        kinds = self.query_one("#kinds", Canvas)
        block = self._commands.kinds(max(kinds.size.width, 10))
        kinds.display = bool(block)
        kinds.show(block)

    def _draw_felt(self) -> None:
        felt = self.query_one("#felt", Canvas)
        lit = self._choosing.still_lit(self._picks) if self._choosing is not None else frozenset()
        looking = Looking(lit, self._picks, self._commands.ghosts())
        columns, rows = felt.size.width, felt.size.height
        # Where the table needs it, the log and the list of moves make room.
        base = self.screen_stack[0]
        roomy = rows - TIGHTER if base.has_class("-tight") else rows
        base.set_class(len(self._top.block(self.seen, looking, columns, roomy)) > roomy, "-tight")
        block = self._top.block(self.seen, looking, columns, rows)
        is_new = len(block) != len(felt.block)
        felt.show(block)
        if is_new and len(block) > felt.size.height:
            # One's own cards are at the bottom.
            felt.scroll_end(animate=False)

    def _draw_bar(self) -> None:
        sitting, turn = self.sitting, self.turn
        if sitting.is_over:
            now = sitting.ending()
        elif turn is not None:
            now = f"your move: {sitting.asked(turn.player)}"
        elif self.seen.to_move:
            now = f"seat {self.seen.to_move[0]} thinks" if self._thinks else ""
        else:
            now = ""
        left: Line = [Span(f" {sitting.model.title} ", "title"), Span(f" {now}", "bar")]
        clock = turn.thinking.time_left if turn is not None else self._commands.clock()
        short = (self.seen.clock_ms or 0) - (turn.thinking.elapsed_ms if turn is not None else 0) <= SHORT
        right: Line = [Span(f"{clock} left ", "clock.short" if short else "clock")] if clock else []
        right = [Span(f"seed {sitting.play.seed}  ", "bar.dim"), *right]
        bar = self.query_one("#bar", Canvas)
        gap = bar.size.width - line_width(left) - line_width(right)
        bar.show([[*left, Span(" " * max(gap, 1)), *right]])

    def _draw_log(self) -> None:
        for name in ("#log-below", "#log-beside"):
            log = self.query_one(name, Canvas)
            log.show(self._logs[self.viewer].block(max(log.size.width - 1, 10)))

    def _draw_moves(self) -> None:
        canvas = self.query_one("#moves", Canvas)
        room = max(canvas.size.width - 1, 10)
        asked = self.query_one("#asked", Static)
        if self.sitting.is_over:
            block = self._commands.ending()
            asked.update("")
        elif self.turn is None:
            block = [[Span("…", "dim")]]
            asked.update("")
        else:
            block = moves.listed(self.fitting(), room, self._chosen, self.notes)
            asked.update(f"{self.sitting.asked(self.turn.player)}> ")
        canvas.show(block)
        canvas.scroll_home(animate=False)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.draw)

    @on(Canvas.Resized, "#felt")
    def _felt_resized(self) -> None:
        # The list of moves beneath it grows and shrinks.
        self._draw_felt()

    @on(Canvas.Resized, "#bar, #kinds, #log-below, #log-beside")
    def _sides_resized(self) -> None:
        self._draw_bar()
        self._draw_log()
        self._draw_kinds()

    def entry(self, number: int) -> Told:
        """A line of the viewer's log."""
        return self._logs[self.viewer].entry(number)

    def say(self, text: str, style: str = "yellow") -> None:
        """Answers something that was asked or tried; what it cites is said in the words of the rulebook."""
        log = self._logs[self.viewer]
        log.say(text, style)
        for number in dict.fromkeys(CLAUSE.findall(text)):
            if number in self.clauses:
                log.say(f"  {number}: {self.clauses[number]}", "label")
        self._draw_log()

    # ------------------------------------------------------------------------------------------- choosing

    def fitting(self) -> list[Move]:
        """The moves that fit what was picked and typed so far."""
        if self.turn is None or self._choosing is None:
            return []
        found = self._choosing.fitting(self._picks)
        if self._group is not None:
            found = [move for move in found if move.group == self._group]
        line = self.query_one(Prompt).value.strip()
        if not line:
            return found
        named = self.turn.menu.named(line)
        wanted = {m.number for m in ([named] if isinstance(named, Move) else named)}
        return [move for move in found if move.number in wanted] or found

    def _rechoose(self) -> None:
        """Looks again which move Enter would play, after something was picked or typed."""
        exact = self._choosing.exact(self._picks) if self._choosing is not None else []
        found = self.fitting()
        line = self.query_one(Prompt).value.strip()
        only = found[:1] if (line or self._picks or self._group) and len(found) == 1 else []
        candidates = [move for move in exact if move in found] or only
        self._chosen = candidates[0].number if candidates else None
        self._draw_moves()
        self._draw_felt()

    def clear(self) -> None:
        """Forgets what was picked and typed."""
        self._picks, self._group, self._chosen = (), None, None
        self.query_one(Prompt).value = ""
        self._point_at(None)

    def pick(self, target: Target) -> None:
        """Something on the table was clicked, or taken with the space bar."""
        turn, choosing = self.turn, self._choosing
        if turn is None or choosing is None:
            return
        lit = choosing.still_lit(self._picks)
        wanted = normal(target, lit | set(self._picks))
        if wanted in self._picks:
            exact = choosing.exact(self._picks)
            if exact and not choosing.is_gathering(self._picks):
                self.choose(exact[0])
                return
            self._picks = tuple(pick for pick in self._picks if pick != wanted)
        elif wanted in lit and choosing.fitting((*self._picks, wanted)):
            self._picks = (*self._picks, wanted)
            exact, fitting = choosing.exact(self._picks), choosing.fitting(self._picks)
            if len(fitting) == 1 and exact == fitting:
                self.choose(exact[0])
                return
        elif normal(target, choosing.lit) in choosing.lit:
            self._picks = (normal(target, choosing.lit),)
        else:
            self.say(self.sitting.text.decorate(refusals.why(self.sitting.machine, turn, wanted, self._picks)))
        self._rechoose()

    @on(Canvas.Clicked)
    def _clicked(self, message: Canvas.Clicked) -> None:
        target = message.target
        if isinstance(target, MoveAt):
            if self.turn is not None:
                self.choose(self.turn.menu.moves[target.number - 1])
        elif isinstance(target, GroupAt):
            self._group = target.name
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
        line, turn = message.value.strip(), self.turn
        if line.removeprefix(":").casefold() == "quit" or (self.sitting.is_over and not line):
            self.exit()
        elif turn is None:
            self.query_one(Prompt).value = ""
        elif self._chosen is not None:
            self.choose(turn.menu.moves[self._chosen - 1])
        elif line:
            self._read(line, turn)

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
        if not numbers:
            return
        place = numbers.index(self._chosen) + by if self._chosen in numbers else (0 if by > 0 else -1)
        self.highlight(numbers[place % len(numbers)])

    def highlight(self, number: int) -> None:
        """Lets a move be the one that Enter plays, and shows it."""
        self._chosen = number
        self._draw_moves()
        canvas = self.query_one("#moves", Canvas)
        for row, line in enumerate(canvas.block):
            if any(span.target == MoveAt(number) for span in line):
                canvas.scroll_to(y=max(row - canvas.size.height + 1, 0), animate=False)
                break

    def action_page(self, by: int) -> None:
        for name in ("#log-below", "#log-beside"):
            log = self.query_one(name, Canvas)
            log.scroll_relative(y=by * max(log.size.height - 1, 1), animate=False)

    def action_command(self, name: str) -> None:
        self._commands.run(name, "")

    def action_next_lit(self, by: int) -> None:
        lit = self._choosing.still_lit(self._picks) if self._choosing is not None else frozenset()
        self._walk([t for t in self._targets() if t in lit], by)

    @on(Prompt.Walked)
    def _walked(self, message: Prompt.Walked) -> None:
        self._walk(self._targets(), message.by)

    @on(Prompt.Picked)
    def _space(self) -> None:
        if self._pointed is not None:
            self.pick(self._pointed)

    def _targets(self) -> list[Target]:
        """What can be pointed at on the table, in reading order."""
        found: dict[Target, None] = {}
        for name in ("#felt", "#kinds"):
            canvas = self.query_one(name, Canvas)
            if canvas.display and canvas.size.width:
                found.update((span.target, None) for line in canvas.block for span in line if span.target is not None)
        return list(found)

    def _walk(self, targets: Sequence[Target], by: int) -> None:
        if not targets:
            return
        place = targets.index(self._pointed) + by if self._pointed in targets else (0 if by > 0 else -1)
        target = targets[place % len(targets)]
        for name in ("#felt", "#kinds"):
            found = self.query_one(name, Canvas).place_of(target)
            if found is not None:
                self._point_at(target, *found)
                return
        self._point_at(target)

    @on(Canvas.Pointed)
    def _mouse_points(self, message: Canvas.Pointed) -> None:
        self._point_at(message.target, message.x, message.y)

    def _point_at(self, target: Target | None, x: int = 0, y: int = 0) -> None:
        self._pointed = target
        for name in ("#felt", "#kinds"):
            self.query_one(name, Canvas).point_at(target)
        block: Block = [] if target is None else self._commands.hint(target, min(self.size.width - 6, 60))
        self.query_one(Popup).tell(block, x, y, self.size.width, self.size.height)
        if isinstance(target, CardAt | ZoneAt):
            self.query_one("#felt", Canvas).refresh()

    # -------------------------------------------------------------------------------------------- failing

    def _handle_exception(self, error: Exception) -> None:
        # What goes wrong in a worker comes wrapped.
        cause = error.error if isinstance(error, WorkerFailed) else error
        self.failure = self.failure or (cause if isinstance(cause, Exception) else error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        # Who plays is told in one line by whoever started this, not by a traceback.
        self._close_messages_no_wait()

"""What is shown besides the table: combinations, the end, hints for what is pointed at, and what commands ask for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cli import answers, tutor
from cli.screen.blocks import Block, Line, Span, above, line_width, wrapped
from cli.screen.ghosts import last_trick
from cli.screen.sheets import Sheet
from cli.screen.targets import EntryAt, KindAt, MoveAt, Target
from cli.thinking import clock_time
from dsl import ir
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.values import plain, show_number

if TYPE_CHECKING:
    from cli.screen.app import TableApp


class Commands:
    """Answers for one table."""

    def __init__(self, app: TableApp) -> None:
        self._app = app
        self._sitting, self._machine, self._text = app.sitting, app.sitting.machine, app.sitting.text
        # Advice is thought out beside the game, on a machine that nobody else uses meanwhile.
        self._adviser = Machine(self._machine.game)
        self._one_at_a_time = asyncio.Lock()

    def run(self, name: str, rest: str) -> None:
        """Does what a command asks for."""
        app, turn = self._app, self._app.turn
        match name:
            case "quit":
                app.exit()
            case "kinds":
                app.push_screen(Sheet("Combinations", self._examples))
            case "log":
                app.push_screen(Sheet("What has happened", self._log, at_end=True))
            case "?" | "help":
                app.push_screen(Sheet("Help", self._help))
            case "moves" | "table":
                app.action_clear()
            case "undo" if turn is not None:
                app.undo()
            case "why" if turn is not None:
                text = self._text.plain(rest)
                app.say(self._text.decorate(answers.why(self._machine, turn.state, turn.player, turn.menu, text)))
            case "hint" if turn is not None:
                app.run_worker(self._hint(), group="advice")
            case "why" | "hint" | "undo":
                app.say("Nobody is asked anything now.")
            case _:
                app.say(f"There is no command `{name}`; `?` lists them.")

    def tutor(self) -> None:
        """Begins to estimate the moves, where that is wanted."""
        if self._sitting.tutor:
            self._app.say("The tutor is thinking.", "dim")
            self._app.run_worker(self._advise(), group="advice")

    async def _advise(self) -> None:
        turn = self._app.turn
        if turn is None:
            return
        async with self._one_at_a_time:
            found = await asyncio.to_thread(tutor.advise, self._adviser, turn.state.clone(), turn.player, turn.menu)
        if self._app.turn is turn:
            self._app.advise([
                (advice.move.number, [
                    Span(f"{'★' if advice.is_best else ' '} {advice.estimate}", "good" if advice.is_best else "label"),
                    Span(f"  {advice.rule}", "cites"),
                ])
                for advice in found
            ])  # fmt: skip

    async def _hint(self) -> None:
        turn = self._app.turn
        if turn is None:
            return
        async with self._one_at_a_time:
            choice = await asyncio.to_thread(answers.hint, self._adviser, turn.state.clone(), turn.player)
        if self._app.turn is not turn:
            return
        move = next((m for m in turn.menu.moves if m.choice == choice), None)
        if move is not None:
            self._app.say(f"The search bot would play: {move.shown}")
            self._app.highlight(move.number)

    # ------------------------------------------------------------------------------------ beside the table

    def kinds(self, room: int) -> Block:
        """The combinations, the strongest first, with what is counted for each."""
        kinds = self._machine.game.kinds
        columns = list(dict.fromkeys(name for kind in kinds for name, _ in kind.columns))
        marks = self._marks()
        block: Block = []
        for number in reversed(range(len(kinds))):
            kind, target = kinds[number], KindAt(number)
            is_marked = number in marks
            line: Line = [Span("✓ " if is_marked else "  ", "good")]
            line.append(Span(plain(kind.name), "dim" if is_marked else "strong", target))
            values = dict(kind.columns)
            worth = "  ".join(show_number(values[c]) if c in values else "" for c in columns)
            line += [Span(" " * max(room - line_width(line) - len(worth) - 1, 1)), Span(worth, "label", target)]
            block.append(line)
        return block

    def _marks(self) -> set[int]:
        """The combinations that a yes-or-no of the game marks."""
        layout, marks = self._machine.layout, set()
        for place, cell in enumerate(layout.var_cells):
            variable = layout.cell_vars[place]
            is_mark = isinstance(variable.type, ir.BoolType) and variable.dims == (ir.KindType(),)
            if is_mark and self._app.seen.state.get(layout.var_names[place]):
                marks.add(cell.indices[0])
        return marks

    def _examples(self, room: int) -> Block:
        """All combinations with an example of each."""
        kinds = range(len(self._machine.game.kinds))
        if not kinds:
            return [[Span("This game has no combinations.", "bar")]]
        return above([self._app.hints.kind(kind, room) for kind in reversed(kinds)], 1)

    def ghosts(self) -> Mapping[int, Sequence[str | None]]:
        """The cards of the trick that was just taken away."""
        return last_trick(self._machine, self._sitting.state, self._sitting.model.layout, self._app.viewer)

    def clock(self) -> str:
        """What the clock shows while nobody thinks; nothing where there is none."""
        return "" if self._app.seen.clock_ms is None else clock_time(self._app.seen.clock_ms)

    def ending(self) -> Block:
        """How the game has ended."""
        block: Block = [[Span(self._sitting.ending(), "bold"), Span(f"  {self._sitting.verdict()}", "good")]]
        scores = self._sitting.scores()
        line: Line = []
        for player, score, has_won in scores:
            name = f"seat {player + 1}" if len(scores) > 1 else "score"
            line += [Span(f"{name} ", "label"), Span(score, "good" if has_won else "value"), Span("   ")]
        return [*block, *wrapped(line, 100)]

    # ------------------------------------------------------------------------------------------- pointing

    def hint(self, target: Target, room: int) -> Block:
        """What to tell of a thing that is pointed at."""
        if isinstance(target, EntryAt):
            return self._why(target.number, room)
        return [] if isinstance(target, MoveAt) else self._app.hints.of(target, self._app.seen, room)

    def _why(self, number: int, room: int) -> Block:
        """The line of the rules that did something."""
        told = self._app.told.entry(number)
        if told.span is None:
            return []
        source, line = told.span.source, told.span.line
        text = source.text.splitlines()[line - 1].strip() if source.text else ""
        block: Block = [[Span(f"{source.path}:{line}", "label")], *wrapped([Span(text, "strong")], room)]
        for clause in told.cites:
            block += wrapped([Span(f"{clause} ", "title"), Span(self._app.clauses.get(clause, ""), "bar")], room)
        return block

    # --------------------------------------------------------------------------------------------- sheets

    def _help(self, room: int) -> Block:
        lines: Block = []
        for text in answers.help_lines(self._sitting.model, self._machine, self._sitting.state):
            lines += wrapped([Span(text, "bar")], room, 13 if text.startswith("  ") else 0)
        keys = (
            ("click", "picks a card, a place, a seat or a combination that is lit up; again: plays or puts back"),
            ("Tab", "goes to the next thing that is lit up; ← → to anything; the space bar picks it"),
            ("↑ ↓", "goes through the moves; Enter plays the one in yellow"),
            ("Esc", "forgets what was picked and typed"),
            ("F1 F2 F3", "this help; the combinations with examples; all that has happened"),
            ("PgUp PgDn", "scroll the log"),
            ("Ctrl+Q", "leaves the game"),
        )
        lines += [[], [Span("Keys and mouse:", "bar")]]
        for key, does in keys:
            lines += wrapped([Span(f"  {key:<10}", "title"), Span(does, "bar")], room, 12)
        return lines

    def _log(self, room: int) -> Block:
        block: Block = []
        for line in Narrator(self._machine.layout).log(self._sitting.state, self._app.viewer):
            place = f"  {line.span.source.path}:{line.span.line}" if line.span is not None else ""
            cites = f"  {' '.join(line.cites)}" if line.cites else ""
            block += wrapped([Span(self._text.decorate(line.text), "bar"), Span(cites + place, "bar.dim")], room)
        return block

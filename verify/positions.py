"""Positions of the count abstraction as text that people can read, and back.

One table for each place in the rules: a line that says where it is, a line of columns, and a line for each position.
A column is a variable or the size of a zone, with the values of all its cells. What is no column is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from dsl import ir, types
from dsl.source import Source, Span
from interpreter.state import Family
from interpreter.values import UNSET, whole
from verify.counting import CountMachine
from verify.points import Point
from verify.refused import Refused
from verify.unknown import UNKNOWN, Held, held

HEAD: Final = "hoyle positions 1"
_PLACE: Final = re.compile(r"at ([0-9]{1,9})(?:, events past ([0-9]{1,9}))?(?:, back to ([0-9 ]{1,99}))?: ")
_SIZE: Final = "size of "
_MARK: Final = "#"
_NUMBER: Final = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30}|/[0-9]{1,30})?")
_LYING: Final = re.compile(r"([0-9]{1,9}) of (.+)")
_BETWEEN, _CELLS, _AND = " | ", "; ", " + "
_CARDS: Final = (ir.CardType, ir.CardsType, ir.CombinationType, ir.CombinationsType)
_UNKNOWN, _UNSET, _NO_CARDS = "?", "-", "no cards"


class Unwritable(Exception):
    """A position holds what has no text that could be read back."""


@dataclass(frozen=True, slots=True)
class Row:
    """A position that was read, what else its line says by the names of columns, and where it stands."""

    point: Point
    more: Mapping[str, str]
    span: Span


class Positions:
    """Writes and reads the positions of one abstraction."""

    def __init__(self, counting: CountMachine) -> None:
        self._counting, layout = counting, counting.layout
        self._vars, self._zones = layout.vars, layout.zones
        self._types = {v.name: v.type for v in counting.game.state}
        self._places = {name: i for i, name in enumerate(layout.zone_names)}
        self._values: dict[ir.Type, dict[str, Any]] = {}
        blank = counting.start()
        self._nothing = [UNKNOWN] * len(blank.vars), [None] * len(blank.counts)

    # ----------------------------------------------------------------------------------------- writing

    def write(self, points: Sequence[Point], more: Mapping[str, Mapping[Point, str]] | None = None) -> str:
        """The text of some positions, and of what else is said of them in columns of their own.

        Raises:
            Unwritable: It would not be read as what it was.
        """
        more = more or {}
        groups: dict[tuple[int, int, tuple[int, ...]], list[Point]] = {}
        for point in points:
            groups.setdefault((point.pc, point.fired, point.frames), []).append(point)
        lines = [HEAD]
        for place in sorted(groups):
            lines += ["", *self._table(place, groups[place], more)]
        text = "\n".join([*lines, ""])
        read = {row.point: row.more for row in self.read(Source("", text))}
        if read != {p: {name: told[p] for name, told in more.items()} for p in points}:
            raise Unwritable("a position holds something that has no text of its own")
        return text

    def _table(
        self, place: tuple[int, int, tuple[int, ...]], points: list[Point], more: Mapping[str, Mapping[Point, str]]
    ) -> Iterator[str]:
        pc, fired, frames = place
        past = f", events past {fired}" if fired else ""
        back = f", back to {' '.join(map(str, frames))}" if frames else ""
        yield f"at {pc}{past}{back}: {told(self._counting.game, pc)}"
        empty = self._empty(pc, fired, frames)
        shown = [f for f in self._vars.values() if any(_cells(p.vars, f) != _cells(empty.vars, f) for p in points)]
        sizes = [f for f in self._zones.values() if any(_cells(p.counts, f) != _cells(empty.counts, f) for p in points)]
        names = [*(_MARK + name for name in more), *(f.name for f in shown), *(_SIZE + f.name for f in sizes)]
        yield _BETWEEN.join(names) or _MARK
        for point in points:
            cells = [told[point] for told in more.values()]
            cells += [_CELLS.join(self._said(v, self._types[f.name]) for v in _cells(point.vars, f)) for f in shown]
            cells += [_CELLS.join(_UNKNOWN if n is None else str(n) for n in _cells(point.counts, f)) for f in sizes]
            yield _BETWEEN.join(cells) or _MARK

    def _empty(self, pc: int, fired: int, frames: tuple[int, ...]) -> Point:
        """The position of which nothing is known but where it is."""
        variables, counts = self._nothing
        return self._counting.tidy(Point(pc, tuple(variables), tuple(counts), fired, frames))

    def _said(self, value: Any, t: ir.Type) -> str:
        if value is UNKNOWN:
            return _UNKNOWN
        if value is UNSET:
            return _UNSET
        if isinstance(value, Held):
            names = self._counting.layout.zone_names
            return _AND.join(f"{n} of {names[place]}" for place, n in value.parts) or _NO_CARDS
        try:
            return self._counting.machine.words.show(value, t)
        except (AssertionError, AttributeError, TypeError, ValueError, IndexError):
            raise Unwritable(f"a value of type {type(value).__name__} has no text") from None

    # ----------------------------------------------------------------------------------------- reading

    def read(self, source: Source) -> Iterator[Row]:
        """The positions of a text, each with its line.

        Raises:
            Refused: It is none.
        """
        place, columns, begins = None, list[str](), 0
        for number, line in enumerate(source.text.split("\n")):
            span = Span(source, begins, begins + len(line))
            begins += len(line) + 1
            if number == 0:
                if line != HEAD:
                    raise Refused(f"these are no positions: the first line is not `{HEAD}`", span)
            elif not line:
                place = None
            elif place is None:
                place, columns = self._place(line, span), []
            elif not columns:
                columns = self._columns(line, span)
            else:
                yield self._row(place, columns, line, span)

    def _place(self, line: str, span: Span) -> Point:
        found = _PLACE.match(line)
        if found is None:
            raise Refused("a table of positions should begin with the place where they are", span)
        frames = tuple(map(int, (found[3] or "").split()))
        clock, size = self._counting.game.clock, len(self._counting.game.nodes)
        past = int(found[2] or 0)
        if not all(0 <= pc < size for pc in (int(found[1]), *frames)):
            raise Refused("the rules have no such place", span)
        if past > (0 if clock is None else len(clock.events)):
            raise Refused("the clock has fewer events", span)
        return self._empty(int(found[1]), past, frames)

    def _columns(self, line: str, span: Span) -> list[str]:
        columns = line.split(_BETWEEN)
        for name in columns:
            known = self._zones if name.startswith(_SIZE) else self._vars
            if not name.startswith(_MARK) and name.removeprefix(_SIZE) not in known:
                raise Refused(f"the rules have nothing that is named `{name[:60]}`", span)
        if len(set(columns)) < len(columns):
            raise Refused("a column is there twice", span)
        return columns

    def _row(self, place: Point, columns: list[str], line: str, span: Span) -> Row:
        cells = line.split(_BETWEEN)
        if len(cells) != len(columns):
            raise Refused(f"this line has {len(cells)} values, and there are {len(columns)} columns", span)
        variables, counts, more = list(place.vars), list(place.counts), dict[str, str]()
        for name, cell in zip(columns, cells, strict=True):
            if name.startswith(_MARK):
                if name != _MARK:
                    more[name.removeprefix(_MARK)] = cell
            elif name.startswith(_SIZE):
                zone = self._zones[name.removeprefix(_SIZE)]
                self._fill(counts, zone, [_size(x, span) for x in cell.split(_CELLS)], span)
            else:
                t = self._types[name]
                self._fill(variables, self._vars[name], [self._value(x, t, span) for x in cell.split(_CELLS)], span)
        return Row(place._replace(vars=tuple(variables), counts=tuple(counts)), more, span)

    @staticmethod
    def _fill(cells: list[Any], family: Family, values: list[Any], span: Span) -> None:
        if len(values) != family.num_cells:
            raise Refused(f"`{family.name}` has {family.num_cells} values and not {len(values)}", span)
        cells[family.base : family.base + family.num_cells] = values

    def _value(self, text: str, t: ir.Type, span: Span) -> Any:
        if text == _UNKNOWN:
            return UNKNOWN
        if text == _UNSET:
            return UNSET
        if _is_number(t) and _NUMBER.fullmatch(text):
            below = text.partition("/")[2]
            return whole(Fraction(text)) if not below or int(below) else self._refuse(text, span)
        known = self._words_of(t)
        if text in known:
            return known[text]
        return self._cards(text, span) if isinstance(types.strip(t), _CARDS) else self._refuse(text, span)

    def _cards(self, text: str, span: Span) -> Held:
        """Cards by where they lie."""
        if text == _NO_CARDS:
            return Held(())
        found = [_LYING.fullmatch(part) for part in text.split(_AND)]
        parts = [(self._places[m[2]], int(m[1])) for m in found if m is not None and m[2] in self._places]
        return held(*parts) if len(parts) == len(found) else self._refuse(text, span)

    @staticmethod
    def _refuse(text: str, span: Span) -> Any:
        raise Refused(f"`{text[:60]}` is no value of this variable", span)

    def _words_of(self, t: ir.Type) -> dict[str, Any]:
        """The values of a type of few values, by their words."""
        if t not in self._values:
            words, plain = self._counting.machine.words, types.strip(t)
            is_few = isinstance(plain, ir.Domain | ir.BoolType | ir.CombinationType | ir.CardType) and not _is_number(t)
            self._values[t] = {words.show(v, t): v for v in words.domain(plain)} if is_few else {}
            if isinstance(t, ir.OptionalType):
                self._values[t][words.show(None, t)] = None
        return self._values[t]


def told(game: ir.Game, pc: int) -> str:
    """Where a node is, in words."""
    node = game.nodes[pc]
    named = f" `{node.name}`" if isinstance(node, ir.Decide) else ""
    span = node.origin.span
    at = "" if span is None else f", line {span.line}"
    kind = "choice" if isinstance(node, ir.Decide) else type(node).__name__.lower()
    return f"{kind}{named} in {node.origin.rule}{at}"


def _cells(values: Sequence[Any], family: Family) -> Sequence[Any]:
    return values[family.base : family.base + family.num_cells]


def _size(text: str, span: Span) -> int | None:
    if text == _UNKNOWN:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Refused(f"`{text[:60]}` is no number of cards", span)
    return int(text)


def _is_number(t: ir.Type) -> bool:
    return isinstance(types.strip(t), ir.IntType | ir.FractionType)

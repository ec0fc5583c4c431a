"""Positions that differ only in how places or seats are numbered are one: of them one is kept.

Places numbered 1..k may change about where no rule tells one number from another. Seats may go round where every rule
counts from some player. Whether that is so is read off the rules; where there is any doubt, nothing is put together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, TypeAlias

from dsl import ir, types
from dsl.walk import parts
from interpreter.machine import Machine
from interpreter.state import Family
from verify.capacities import summable
from verify.points import Point
from verify.rounds import unordered_rounds
from verify.unknown import UNKNOWN, Held, held

_ORDERLESS = (
    ir.FoldOp.COUNT,
    ir.FoldOp.SOME,
    ir.FoldOp.EVERY,
    ir.FoldOp.SUM,
    ir.FoldOp.MAX,
    ir.FoldOp.MIN,
    ir.FoldOp.ONLY,
)
Canonical = Callable[[Point], Point]
Row: TypeAlias = tuple[tuple[int | None, ...], tuple[Any, ...]]
"""What is known of one place: how many cards lie there, and what its variables hold."""


def canonical(machine: Machine, asked: tuple[ir.Expr, ...] = (), variables: tuple[tuple[str, ir.Type], ...] = ()
              ) -> Canonical:  # fmt: skip
    """What picks, of positions that are alike, the one to keep.

    What is `asked`, of all values of its own `variables` together, is the same of all that are alike.
    """
    round_table = counted_seats(machine, asked)
    steps = [*([] if round_table is None else [_from_the_first(round_table)])]
    steps += [_sorting(rows) for rows in places(machine, asked, variables)]

    def pick(point: Point) -> Point:
        # What the clock has interrupted is told by numbers that no turn changes.
        for step in steps if not point.frames else ():
            point = step(point)
        return point

    return pick


class Symmetries:
    """What of a game may change about: its seats, and places by the numbers that they have."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._turns = counted_seats(machine, ()) is not None
        self._places = self._moving((), ())

    def remain(self, asked: tuple[ir.Expr, ...], variables: tuple[tuple[str, ir.Type], ...]) -> bool:
        """Whether all of that may, too, where something is asked."""
        if self._turns and _tells_seats_apart(asked):
            return False
        return not self._places or self._places == self._moving(asked, variables)

    def _moving(self, asked: tuple[ir.Expr, ...], variables: tuple[tuple[str, ir.Type], ...]) -> set[tuple[int, ...]]:
        return {table.zones for table in places(self._machine, asked, variables)}


# ------------------------------------------------------------------------------------------------ seats


@dataclass(frozen=True, slots=True)
class Seats:
    """What turns when everybody moves on by so many seats: variables that hold players, and what is each player's."""

    num_players: int
    held: tuple[int, ...]
    turning: tuple[tuple[Family, bool], ...]

    def to_first(self, cells: list[int], values: tuple[Any, ...]) -> int:
        """By how many seats to turn for the first seat among some variables' values to become seat 1."""
        for i, value in zip(cells, values, strict=True):
            if i in self.held and isinstance(value, int) and not isinstance(value, bool):
                return -value % self.num_players
        return 0

    def turn(self, variables: list[Any], counts: list[Any], by: int, shift: Callable[[Any, int], Any]) -> None:
        """Turns a position in place; `shift` tells a player so many seats on."""
        for family, of_vars in self.turning:
            cells = variables if of_vars else counts
            size, step = family.num_cells, family.strides[0]
            old = cells[family.base : family.base + size]
            for i in range(size):
                cells[family.base + (i + by * step) % size] = old[i]
        for i in self.held:
            variables[i] = shift(variables[i], by)


def turning(table: Seats) -> Callable[[Point, int], Point]:
    """What turns a position of the count abstraction by so many seats."""
    n, held_in = table.num_players, table.held
    ways: dict[int, tuple[_Pick, _Pick, dict[int, int]]] = {}

    def way(point: Point, by: int) -> tuple[_Pick, _Pick, dict[int, int]]:
        """What takes variables, and counts, to where they are so many seats on; and where each place is then."""
        if by not in ways:
            variables, counts = list(range(len(point.vars))), list(range(len(point.counts)))
            table.turn(variables, counts, by, lambda place, by: place)
            ways[by] = _picking(variables), _picking(counts), {old: new for new, old in enumerate(counts)}
        return ways[by]

    def turned(point: Point, by: int) -> Point:
        of_vars, of_counts, to = way(point, by % n)
        variables = list(of_vars(point.vars))
        for i in held_in:
            player = variables[i]
            if isinstance(player, int):
                variables[i] = (player + by) % n
        if Held in map(type, variables):
            # Cards that are known by where they lie go along.
            for i, cards in enumerate(variables):
                if isinstance(cards, Held):
                    variables[i] = held(*((to[place], k) for place, k in cards.parts))
        return Point(point.pc, tuple(variables), of_counts(point.counts), point.fired, point.frames)

    return turned


def _from_the_first(table: Seats) -> Canonical:
    n, turned = table.num_players, turning(table)
    reprs = _Reprs()
    own = [_picking([c for f, of_vars in table.turning if of_vars for c in _cells_of(f, p)]) for p in range(n)]
    piles = [_picking([c for f, of_vars in table.turning if not of_vars for c in _cells_of(f, p)]) for p in range(n)]

    def pick(point: Point) -> Point:
        # The first seat that is spoken of becomes seat 1; what is left is put right by the families.
        known = next((point.vars[i] for i in table.held if isinstance(point.vars[i], int)), None)
        if known is not None:
            return turned(point, n - known) if known else point
        keys = [reprs[mine(point.vars), cards(point.counts)] for mine, cards in zip(own, piles, strict=True)]
        by = min(range(n), key=lambda by: keys[n - by :] + keys[: n - by])
        return turned(point, by) if by else point

    return pick


_Pick: TypeAlias = Callable[[tuple[Any, ...]], tuple[Any, ...]]


def _picking(cells: list[int]) -> _Pick:
    """What picks some cells, in their order."""
    if len(cells) > 1:
        return itemgetter(*cells)
    return lambda values: tuple(values[c] for c in cells)


def _cells_of(family: Family, player: int) -> range:
    """The cells of a player, of a family that has them by player first."""
    return range(family.base + player * family.strides[0], family.base + (player + 1) * family.strides[0])


class _Reprs(dict[Any, str]):
    """How values are written, which puts any of them in an order. Each is written once."""

    def __missing__(self, value: Any) -> str:
        found = self[value] = repr(value)
        return found


def seats(machine: Machine, asked: tuple[ir.Expr, ...]) -> Seats | None:
    """What turns with the seats; None where some rule, or what is asked, tells one seat from another."""
    game, layout, n = machine.game, machine.layout, machine.game.num_players
    if n < 2:
        return None
    unordered = unordered_rounds(game)
    nodes = tuple(node for i, node in enumerate(game.nodes) if i not in unordered)
    if _tells_seats_apart((nodes, game.functions, game.result.wins, tuple(v.starts for v in game.state), asked)):
        return None
    if any(isinstance(types.strip(t), ir.PlayerType) for x in game.tables for t in (x.domain, x.type)) or any(
        isinstance(p, ir.Local) and p.name == "#0"
        for z in game.zones
        if z.holds is not None
        for p in parts(z.holds)
        if z.dims and isinstance(z.dims[0], ir.PlayerType)
    ):
        return None
    families = [*((f, True) for f in layout.vars.values()), *((f, False) for f in layout.zones.values())]
    if any(isinstance(d, ir.PlayerType) for f, _ in families for d in f.dims[1:]):
        return None
    held = tuple(i for i, v in enumerate(layout.cell_vars) if isinstance(types.strip(v.type), ir.PlayerType))
    turning = tuple((f, of_vars) for f, of_vars in families if f.dims and isinstance(f.dims[0], ir.PlayerType))
    return Seats(n, held, turning)


def counted_seats(machine: Machine, asked: tuple[ir.Expr, ...]) -> Seats | None:
    """The same for positions of the count abstraction, in which some zones are counted together."""
    table, summed = seats(machine, asked), summable(machine)
    if table is None:
        return None
    # Where the sum is over the seats, it is no seat's own.
    own = tuple((f, of_vars) for f, of_vars in table.turning if of_vars or f.name not in summed or len(f.dims) > 1)
    return replace(table, turning=own)


def _tells_seats_apart(rules: Any) -> bool:
    for part in parts(rules):
        match part:
            case ir.Const(value, t) if isinstance(types.strip(t), ir.PlayerType) and value is not None:
                return True
            case ir.FoldExpr(op, ir.Binder(_, ir.PlayerType(), _, _), _, _, start, tie):
                if op not in _ORDERLESS and start is None and tie is not ir.Tie.NONE:
                    return True
            case ir.Collect():
                return True
            case _:
                pass
    return False


# ------------------------------------------------------------------------------------------------ places


@dataclass(frozen=True, slots=True)
class Places:
    """Numbered places that may change about: where the rows of their zones and variables begin, and how many there are.

    `indices` are the variables that may hold such a number: while one does, the places are told apart.
    """

    zones: tuple[int, ...]
    variables: tuple[int, ...]
    size: int
    indices: tuple[int, ...]

    def are_told_apart(self, point: Point) -> bool:
        """Whether a variable says which place is meant, be it by the cards that lie there."""
        return any(isinstance(point.vars[i], int) for i in self.indices) or (
            Held in map(type, point.vars)
            and any(
                z <= place < z + self.size
                for cards in point.vars if isinstance(cards, Held)
                for place, _ in cards.parts for z in self.zones
            )
        )  # fmt: skip

    def rows(self, point: Point) -> list[Row]:
        """What is known of each place."""
        return [
            (tuple(point.counts[z + i] for z in self.zones), tuple(point.vars[v + i] for v in self.variables))
            for i in range(self.size)
        ]

    def put(self, point: Point, rows: Sequence[Row]) -> Point:
        """The position with other places."""
        counts, values = list(point.counts), list(point.vars)
        for i, (found, known) in enumerate(rows):
            for z, count in zip(self.zones, found, strict=True):
                counts[z + i] = count
            for v, value in zip(self.variables, known, strict=True):
                values[v + i] = value
        return point._replace(vars=tuple(values), counts=tuple(counts))


def places(machine: Machine, asked: tuple[ir.Expr, ...], variables: tuple[tuple[str, ir.Type], ...]) -> list[Places]:
    """The places that may change about; `asked` and its `variables` as in `canonical`."""
    game, layout = machine.game, machine.layout
    domains = {d for z in game.zones for d in z.dims if isinstance(d, ir.IntType)}
    # Zones that are counted together have their sum at the first place, which is not that place's own.
    summed = summable(machine)
    out: list[Places] = []
    for domain in domains:
        names = _index_names(game, domain, asked)
        if names is None or any(name in names and t != domain for name, t in variables):
            # What is asked of some places only tells them from the others.
            continue
        zones = [f for f in layout.zones.values() if f.dims == (domain,) and f.name not in summed]
        families = [f for f in layout.vars.values() if f.dims == (domain,)]
        others = [
            f for f in (*layout.zones.values(), *layout.vars.values()) if domain in f.dims and f.dims != (domain,)
        ]
        if not others and zones:
            cells = tuple(i for i, c in enumerate(layout.var_cells) if c.name in names)
            bases = tuple(f.base for f in zones), tuple(f.base for f in families)
            out.append(Places(*bases, zones[0].num_cells, cells))
    return out


def _sorting(table: Places) -> Canonical:
    reprs = _Reprs()

    def pick(point: Point) -> Point:
        if table.are_told_apart(point):
            return point
        rows = table.rows(point)
        ordered = sorted(rows, key=reprs.__getitem__)
        if ordered == rows and not any(x is UNKNOWN for r in rows for x in r[1]):
            return point
        return table.put(point, ordered)

    return pick


def _index_names(game: ir.Game, domain: ir.Domain, asked: tuple[ir.Expr, ...]) -> set[str] | None:
    """The names that stand for such places and for nothing else; None where a number of a place matters."""
    functions = {f.name: f for f in game.functions}
    families = {z.name for z in game.zones if z.dims == (domain,)} | {v.name for v in game.state if v.dims == (domain,)}
    everything = list(parts((game.nodes, game.functions, game.result, asked)))
    names: set[str] = set()

    def name_of(expr: Any) -> str | None:
        return expr.name if isinstance(expr, ir.Local) or (isinstance(expr, ir.Var) and not expr.indices) else None

    for part in everything:
        if (
            isinstance(part, ir.ZoneExpr | ir.Var)
            and (part.zone if isinstance(part, ir.ZoneExpr) else part.name) in families
        ):
            found = name_of(part.indices[0])
            if found is None:
                return None
            names.add(found)
    changed = True
    while changed:
        before = len(names)
        for part in everything:
            match part:
                case ir.CallExpr(function, arguments, _):
                    for (name, _), argument in zip(functions[function].parameters, arguments, strict=True):
                        if name in names or name_of(argument) in names:
                            found = name_of(argument)
                            if found is None:
                                return None
                            names |= {name, found}
                case ir.Assign(variable, value, _, _) if variable.name in names or name_of(value) in names:
                    found = name_of(value)
                    if found is None or variable.indices:
                        return None
                    names |= {variable.name, found}
                case _:
                    pass
        changed = len(names) > before
    return names if _only_indices(game, everything, names, families, domain) else None


def _only_indices(game: ir.Game, everything: list[Any], names: set[str], families: set[str], domain: ir.Domain) -> bool:
    """Whether the names are used as places, handed on, and nothing else; and stand for any place, in no order."""
    used = sum(1 for p in everything if isinstance(p, ir.Local | ir.Var) and p.name in names)
    harmless = 0
    for part in everything:
        match part:
            case ir.ZoneExpr(name, _) if name in families:
                harmless += 1
            case ir.Var(name, indices, _) if name in families and indices:
                harmless += 1
            case ir.CallExpr(_, arguments, _):
                harmless += sum(1 for a in arguments if isinstance(a, ir.Local | ir.Var) and a.name in names)
            case ir.Assign(variable, _, _, _) if variable.name in names:
                harmless += 2
            case ir.FoldExpr(op, ir.Binder(name, over, _, _), _, _, _, _) if name in names:
                if op not in _ORDERLESS or over != domain:
                    return False
            case ir.Param(_, variable, _, over, _, _) if variable in names:
                if over != domain:
                    return False
            case ir.Random(variable, _, _, _) if variable.name in names:
                return False
            case _:
                pass
    # A zone's limit may not depend on its number.
    limits = [z.holds for z in game.zones if z.name in families and z.holds is not None]
    same = not any(isinstance(p, ir.Local) for h in limits for p in parts(h))
    starts = [v.starts for v in game.state if v.name in families and v.starts is not None]
    return used == harmless and same and not any(isinstance(p, ir.Local) for s in starts for p in parts(s))

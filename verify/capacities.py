"""Which families of zones can be counted together, and why that loses nothing that the rules ask.

Where the rules only ask of the last index of a family whether one of its zones is full, or all are, the sum of the
counts answers: with each count at most its capacity, all are full exactly if the sum is the sum of the capacities,
and some is not full exactly if it is less. A choice of where to put a card is then a choice that exists exactly if
the sum says so.
"""

from __future__ import annotations

import dataclasses
from typing import Any
from weakref import WeakKeyDictionary

from dsl import ir
from dsl.walk import parts
from interpreter.machine import Machine


@dataclasses.dataclass(frozen=True, slots=True)
class Summed:
    """A family whose zones are counted together over the last index. `capacity` is the sum of what they hold."""

    zone: str
    capacity: int
    capacities: tuple[int, ...]


_known: WeakKeyDictionary[Machine, dict[str, Summed]] = WeakKeyDictionary()


def summable(machine: Machine) -> dict[str, Summed]:
    """The families of the game that may be summed."""
    if machine not in _known:
        _known[machine] = _summable(machine)
    return _known[machine]


def _summable(machine: Machine) -> dict[str, Summed]:
    out: dict[str, Summed] = {}
    for zone in machine.game.zones:
        if not zone.dims or zone.holds is None or zone.name == machine.game.home:
            continue
        capacities = _capacities(machine, zone)
        if capacities is not None and _only_fullness(machine.game, zone):
            out[zone.name] = Summed(zone.name, sum(capacities), capacities)
    return out


def _capacities(machine: Machine, zone: ir.Zone) -> tuple[int, ...] | None:
    """What the zones of the last index hold, where it depends on nothing else."""
    low, high = machine.words.bounds(zone.dims[-1])
    assert zone.holds is not None
    names = [f"#{i}" for i in range(len(zone.dims))]
    state = machine.blank(recording=False)
    found: list[int] = []
    for value in range(low, high + 1):
        with machine.compiler.bound(*names) as slots:
            holds = machine.compiler.compile(zone.holds)
            for slot in slots:
                machine.compiler.scratch[slot] = 0
            machine.compiler.scratch[slots[-1]] = value
            found.append(int(holds(state)))
    reads_others = any(
        (isinstance(part, ir.Local) and part.name in names[:-1]) or isinstance(part, ir.Var)
        for part in parts(zone.holds)
    )
    return None if reads_others or min(found) < 0 else tuple(found)


def is_not_full(expr: ir.Expr, zone: ir.Zone) -> bool:
    """`size of Z[…, k] < capacity of Z[…, k]`."""
    return _compares(expr, zone, ir.Binary.LT)


def is_full(expr: ir.Expr, zone: ir.Zone) -> bool:
    """`size of Z[…, k] = capacity of Z[…, k]`."""
    return _compares(expr, zone, ir.Binary.EQ)


def _compares(expr: ir.Expr, zone: ir.Zone, op: ir.Binary) -> bool:
    match expr:
        case ir.BinaryExpr(found, ir.UnaryExpr(ir.Unary.SIZE_OF, ir.ZoneExpr(name, indices), _), right, _):
            return found is op and name == zone.name and zone.holds is not None and right == _at(zone.holds, indices)
        case _:
            return False


def _at(holds: ir.Expr, indices: tuple[ir.Expr, ...]) -> Any:
    """The capacity as it reads for given indices."""

    def put(node: Any) -> Any:
        if isinstance(node, ir.Local) and node.name.startswith("#"):
            return indices[int(node.name[1:])]
        if isinstance(node, tuple):
            return tuple(put(n) for n in node)
        if dataclasses.is_dataclass(node) and not isinstance(node, type | ir.Const):
            changed = {f.name: put(getattr(node, f.name)) for f in dataclasses.fields(node) if f.init}
            return dataclasses.replace(node, **changed)
        return node

    return put(holds)


def is_all_full(expr: ir.Expr, zone: ir.Zone) -> bool:
    """`every(k has size of Z[…, k] = capacity of Z[…, k])`, over the whole last index."""
    match expr:
        case ir.FoldExpr(ir.FoldOp.EVERY, ir.Binder(name, domain, _, None), body, _) if body is not None:
            last = _last_index(body)
            return domain == zone.dims[-1] and is_full(body, zone) and isinstance(last, ir.Local) and last.name == name
        case _:
            return False


def _last_index(expr: ir.Expr) -> ir.Expr | None:
    match expr:
        case ir.BinaryExpr(_, ir.UnaryExpr(ir.Unary.SIZE_OF, ir.ZoneExpr(_, indices), _), _, _):
            return indices[-1]
        case _:
            return None


def _only_fullness(game: ir.Game, zone: ir.Zone) -> bool:
    """Whether the counts of single zones of the family are asked for nowhere but in those questions.

    Where cards go into such a zone, its index must be one that the action's own guard found not full.
    """
    everything = list(parts((game.nodes, game.functions, game.result)))
    allowed: set[int] = set()
    guarded: set[int] = set()
    for part in everything:
        if isinstance(part, ir.BinaryExpr | ir.FoldExpr) and (is_not_full(part, zone) or is_all_full(part, zone)):
            allowed.update(id(p) for p in parts(part))
        if isinstance(part, ir.Action) and _guarded(part, zone, game):
            guarded.add(id(game.nodes[part.entry]))
    for part in everything:
        match part:
            case ir.UnaryExpr(ir.Unary.SIZE_OF | ir.Unary.TOP_OF, ir.ZoneExpr(name, _), _) if name == zone.name:
                if id(part) not in allowed:
                    return False
            case ir.Deal(source=source, target=target) if zone.name in (source.zone, target.zone):
                return False
            case ir.Move(cards=ir.ZoneExpr(name, _)) if name == zone.name:
                return False
            case ir.Move(target=target) if target.zone == zone.name and id(part) not in guarded:
                return False
            case ir.Gather(target=target) if target.zone == zone.name:
                return False
            case _:
                pass
    return True


def _guarded(action: ir.Action, zone: ir.Zone, game: ir.Game) -> bool:
    """An action whose first step puts one card into the family, having asked first whether the zone is full."""
    entry = game.nodes[action.entry]
    if not (isinstance(entry, ir.Move) and entry.target.zone == zone.name):
        return False
    if not any(
        entry.cards == ir.Var(p.variable, (), p.type) and isinstance(p.type, ir.CardType) for p in action.parameters
    ):
        return False
    return any(is_not_full(g.condition, zone) and _indices(g.condition) == entry.target.indices for g in action.guards)


def _indices(expr: ir.Expr) -> tuple[ir.Expr, ...]:
    match expr:
        case ir.BinaryExpr(_, ir.UnaryExpr(ir.Unary.SIZE_OF, ir.ZoneExpr(_, indices), _), _, _):
            return indices
        case _:
            return ()

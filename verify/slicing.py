"""What a question does not need: zones whose counts decide nothing, variables that will not be read again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TypeAlias

from dsl import ir, types
from dsl.lower import successors as graph_successors
from dsl.walk import parts, reached, variables_read
from interpreter.machine import Machine


def needed_zones(game: ir.Game, questions: tuple[ir.Expr, ...], looked_through: bool = True) -> frozenset[str]:
    """The zones whose counts decide something: they are asked for, dealt from, chosen from, or feed one that is.

    `looked_through`: those, too, of which it may matter whether they hold any card at all.
    """
    steering, looked_at, feeding = _zones_of_rules(game)
    out = set(steering) | _named(reached(questions, game))
    if looked_through:
        out |= looked_at
    changed = True
    while changed:
        before = len(out)
        for target, sources in feeding:
            if target in out:
                out |= sources
        changed = len(out) > before
    return frozenset(out)


_Zones: TypeAlias = tuple[set[str], set[str], list[tuple[str, set[str]]]]
_of_rules: dict[int, tuple[ir.Game, _Zones]] = {}  # with the games, so that these keep their identity
_MOST_GAMES = 8


def _zones_of_rules(game: ir.Game) -> _Zones:
    """The zones by which the rules steer, those that they look through, and which feed which."""
    if id(game) not in _of_rules:
        if len(_of_rules) >= _MOST_GAMES:
            _of_rules.pop(next(iter(_of_rules)))
        _of_rules[id(game)] = game, _looked_up(game)
    return _of_rules[id(game)][1]


def _looked_up(game: ir.Game) -> _Zones:
    steering, looked_at = set[str](), set[str]()
    for part in parts((game.nodes, game.functions)):
        match part:
            case ir.UnaryExpr(ir.Unary.SIZE_OF, operand, _):
                steering |= _named(parts(operand))
            case ir.Deal(source=source):
                steering.add(source.zone)
            case ir.Param(domain=domain) if domain is not None and not isinstance(domain, ir.Domain):
                steering |= _named(parts(domain))
            case ir.FoldExpr(binder=binder) | ir.PickCards(binder) if not isinstance(binder.domain, ir.Domain):
                looked_at |= _named(parts(binder.domain))
            case _:
                pass
    feeding = [
        (node.target.zone, _named(parts(node.cards))) for node in game.nodes
        if isinstance(node, ir.Move | ir.Gather) and node.cards is not None
    ]  # fmt: skip
    return steering, looked_at, feeding


def _named(found: Iterable[Any]) -> set[str]:
    return {p.zone for p in found if isinstance(p, ir.ZoneExpr | ir.AllOfZone)}


def steering_names(machine: Machine) -> frozenset[str]:
    """The single variables that steer: players, what counts rounds, and what says which place of a family is meant."""
    game = machine.game
    indices = {
        i.name for part in parts((game.nodes, game.functions)) if isinstance(part, ir.ZoneExpr | ir.Var)
        for i in part.indices if isinstance(i, ir.Var) and not i.indices
    }  # fmt: skip
    counted = {
        n.variable.name for n in game.nodes
        if isinstance(n, ir.Assign) and isinstance(n.value, ir.BinaryExpr) and not n.variable.indices
        and n.value.left == n.variable and isinstance(n.value.right, ir.Const)
    }  # fmt: skip
    out = {
        v.name for v in game.state if not v.dims and (
            isinstance(types.strip(v.type), ir.PlayerType) or v.name in indices or (v.local and v.name in counted)
        )
    }  # fmt: skip
    return frozenset(out)


def not_told_by(game: ir.Game, asked: tuple[ir.Expr, ...]) -> frozenset[str]:
    """The variables that no value that is asked for is made from, though they may decide which way play goes."""
    needed = set(variables_read(asked, game))
    changed = True
    while changed:
        before = len(needed)
        for node in game.nodes:
            match node:
                case ir.Assign(ir.Var(name, indices, _), value, _, _) if name in needed:
                    needed |= variables_read((value, *indices), game)
                case ir.Random(ir.Var(name, indices, _), binder, _, _) if name in needed:
                    needed |= variables_read((binder, *indices), game)
                case _:
                    pass
        changed = len(needed) > before
    return frozenset(v.name for v in game.state if not v.local and v.name not in needed)


def liveness(game: ir.Game, watched: frozenset[str]) -> list[frozenset[str]]:
    """The single variables that may be read before they are set again, at each node."""
    reads: list[frozenset[str]] = []
    writes: list[frozenset[str]] = []
    for node in game.nodes:
        used: set[str] = set()
        for x in _expressions(node):
            used |= variables_read(x, game)
        written: frozenset[str] = frozenset()
        if isinstance(node, ir.Assign | ir.Random) and not node.variable.indices:
            written = frozenset({node.variable.name})
        if isinstance(node, ir.Decide | ir.Collect):
            used -= {p.variable for a in node.actions for p in a.parameters}
        reads.append(frozenset(used))
        writes.append(written)
    live = [watched | r for r in reads]
    events = tuple(e.entry for e in game.clock.events) if game.clock else ()
    changed = True
    while changed:
        changed = False
        for i in range(len(game.nodes) - 1, -1, -1):
            node = game.nodes[i]
            after: frozenset[str] = frozenset()
            for j in (*graph_successors(node), *(events if isinstance(node, ir.Decide) else ())):
                after |= live[j]
            if isinstance(node, ir.Decide):
                after -= {p.variable for a in node.actions for p in a.parameters}
            new = watched | reads[i] | (after - writes[i])
            if new != live[i]:
                live[i], changed = new, True
    return live


def _expressions(node: ir.Node) -> list[ir.Expr]:
    """The expressions that a node reads; of the variable it sets, only the indices."""
    read: list[Any] = [getattr(node, f.name) for f in fields(node) if f.name != "variable"]
    if isinstance(node, ir.Assign | ir.Random):
        read += node.variable.indices
    return [part for part in parts(tuple(read)) if isinstance(part, ir.Var | ir.CallExpr)]

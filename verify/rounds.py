"""Rounds over the players that come to the same wherever they begin: what is done for one touches no other's.

`for each p: ready[p] := no` begins at seat 1 because it has to begin somewhere. Such a seat number does not tell the
seats apart.
"""

from __future__ import annotations

from typing import Any

from dsl import ir
from dsl.lower import successors
from dsl.walk import parts, variables_read


def unordered_rounds(game: ir.Game) -> frozenset[int]:
    """The nodes at which a round gets the seat to begin with, of rounds whose turns could be taken in any order."""
    return frozenset(i for i in range(len(game.nodes)) if _is_unordered(game, i))


def _is_unordered(game: ir.Game, entry: int) -> bool:
    """Whether a node sets the first seat of a round, and no turn of the round depends on another."""
    nodes = game.nodes
    match nodes[entry]:
        case ir.Assign(ir.Var(first, (), _), ir.Const(_, ir.PlayerType()), begin, _):
            pass
        case _:
            return False
    match nodes[begin]:
        case ir.Assign(ir.Var(player, (), _), ir.Var(name, (), _), head, _) if name == first:
            pass
        case _:
            return False
    body = _body(nodes, head, player)
    if body is None:
        return False
    turn = [nodes[i] for i in sorted(body)]
    # What is no rule's own is still there when the turn is over, and after the last one.
    own = {v.name for v in game.state if v.local}
    mine = {player}
    for node in turn:
        match node:
            case ir.Assign(ir.Var(copy, (), _), ir.Var(name, (), _), _, _) if name in mine and copy in own:
                mine.add(copy)
            case _:
                pass
    return all(_touches_only(node, mine) for node in turn) and _reads_only(game, turn, mine)


def _body(nodes: tuple[ir.Node, ...], head: int, player: str) -> set[int] | None:
    """The nodes of one turn, from the head of the round on; None where a turn may leave it."""
    waiting, body = [head], set[int]()
    while waiting:
        at = waiting.pop()
        node = nodes[at]
        match node:
            case ir.Assign(ir.Var(name, (), _), ir.UnaryExpr(ir.Unary.LEFT_OF, ir.Var(of, (), _), _), _, _):
                if name == player and of == player:
                    continue
            case _:
                pass
        # Where a claim looks at a rule that is followed in a turn, it sees how far the round has come.
        if not isinstance(node, ir.Assign | ir.Branch | ir.Deal | ir.Reveal | ir.Announce):
            return None
        if at not in body:
            body.add(at)
            waiting.extend(successors(node))
    return body


def _is_mine(indices: tuple[ir.Expr, ...], mine: set[str]) -> bool:
    return bool(indices) and isinstance(indices[0], ir.Var) and indices[0].name in mine


def _touches_only(node: ir.Node, mine: set[str]) -> bool:
    """Whether a turn changes only what belongs to its player, or is its own."""
    match node:
        case ir.Assign(variable, value, _, _):
            if variable.name in mine:
                return isinstance(value, ir.Var) and value.name in mine
            return _is_mine(variable.indices, mine)
        case ir.Deal(count, _, source, target, _, _) as deal:
            return (
                isinstance(count, ir.Const) and not deal.up_to and not source.indices and _is_mine(target.indices, mine)
            )
        case _:
            return True


def _reads_only(game: ir.Game, turn: list[ir.Node], mine: set[str]) -> bool:
    """Whether a turn reads nothing that another turn changes."""
    set_here = {n.variable.name for n in turn if isinstance(n, ir.Assign)} - mine
    moved = {z.zone for n in turn if isinstance(n, ir.Deal) for z in (n.source, n.target)}
    functions = {f.name: f for f in game.functions}

    def through_calls(name: str, seen: set[str]) -> set[str]:
        """The variables and zones that a definition reads."""
        if name in seen:
            return set()
        seen.add(name)
        found = set(variables_read(functions[name].body, game))
        for part in parts(functions[name].body):
            if isinstance(part, ir.ZoneExpr | ir.AllOfZone):
                found.add(part.zone)
            elif isinstance(part, ir.CallExpr):
                found |= through_calls(part.function, seen)
        return found

    for node in turn:
        read: Any = (node.count,) if isinstance(node, ir.Deal) else node
        for part in parts(read):
            match part:
                case ir.Var(name, indices, _) if name in set_here and not _is_mine(indices, mine):
                    return False
                case ir.ZoneExpr(zone, indices) if zone in moved and not _is_mine(indices, mine):
                    return False
                case ir.AllOfZone(zone, indices) if zone in moved and not _is_mine(indices, mine):
                    return False
                case ir.CallExpr(name, _, _) if through_calls(name, set()) & (set_here | moved):
                    return False
                case _:
                    pass
    return True

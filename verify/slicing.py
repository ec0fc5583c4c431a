"""What a question does not need: zones whose counts decide nothing, variables that will not be read again."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from dsl import ir
from dsl.lower import successors as graph_successors
from dsl.walk import parts, variables_read


def needed_zones(game: ir.Game, questions: tuple[ir.Expr, ...], looked_through: bool = True) -> frozenset[str]:
    """The zones whose counts decide something: they are asked for, dealt from, chosen from, or feed one that is.

    `looked_through`: those, too, of which it may matter whether they hold any card at all.
    """
    out: set[str] = set()
    functions = {f.name: f for f in game.functions}

    def named(x: Any) -> set[str]:
        return {p.zone for p in parts(x) if isinstance(p, ir.ZoneExpr | ir.AllOfZone)}

    for question in questions:
        waiting, seen = [question], set[str]()
        while waiting:
            at = waiting.pop()
            out |= named(at)
            for p in parts(at):
                if isinstance(p, ir.CallExpr) and p.function not in seen:
                    seen.add(p.function)
                    waiting.append(functions[p.function].body)
    for part in parts((game.nodes, game.functions)):
        match part:
            case ir.UnaryExpr(ir.Unary.SIZE_OF, operand, _):
                out |= named(operand)
            case ir.Deal(source=source):
                out.add(source.zone)
            case ir.Param(domain=domain) if domain is not None and not isinstance(domain, ir.Domain):
                out |= named(domain)
            case ir.FoldExpr(binder=binder) | ir.PickCards(binder) if not isinstance(binder.domain, ir.Domain):
                if looked_through:
                    out |= named(binder.domain)
            case _:
                pass
    changed = True
    while changed:
        before = len(out)
        for node in game.nodes:
            if isinstance(node, ir.Move | ir.Gather) and node.cards is not None and node.target.zone in out:
                out |= named(node.cards)
        changed = len(out) > before
    return frozenset(out)


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

"""What the count abstraction makes ready of a game before its first step: estimates for each node, bounds, cases."""

from __future__ import annotations

from typing import Any

from dsl import ir, types
from dsl.walk import parts, variables_read
from interpreter.machine import Machine
from verify.counts import Counts
from verify.estimate import Estimator
from verify.unknown import UNKNOWN

_MAX_CASES = 20


def estimates_of(node: ir.Node, e: Estimator, tracked: frozenset[str]) -> tuple[Any, ...]:
    """The estimates that a node needs, in the order in which its step takes them."""
    match node:
        case ir.Assign(variable, value, _, _):
            return e.cell(variable), e.estimate(value), _range(variable, value, e)
        case ir.Branch(condition, _, _, _):
            return (e.estimate(condition),)
        case ir.Deal(count, _, source, target, _, _):
            return e.estimate(count), e.place(source), e.place(target)
        case ir.Move(cards, target, _, _):
            return e.estimate(cards), e.place(target), _named(cards, e), e.layout.zones[target.zone]
        case ir.Gather(cards, target, _, _):
            return None if cards is None else e.estimate(cards), e.place(target), _named(cards, e)
        case ir.Reveal(cards, to, _, _):
            return tuple(e.estimate(x) for x in (cards, to) if x is not None)
        case ir.Shuffle(_, by, _, _) | ir.Cut(_, by, _, _):
            return () if by is None else (e.estimate(by),)
        case ir.Random(variable, binder, _, _):
            return e.cell(variable), e.items(binder)
        case ir.Decide(player, _, actions, _):
            return e.estimate(player), [_action(a, e, tracked) for a in actions]
        case _:
            return ()


def _named(cards: ir.Expr | None, e: Estimator) -> int | None:
    """The variable that a rule names cards by, where it names them by one alone."""
    return e.layout.vars[cards.name].base if isinstance(cards, ir.Var) and not cards.indices else None


def _range(variable: ir.Var, value: ir.Expr, e: Estimator) -> tuple[int | None, int | None, bool] | None:
    """The declared range, and whether the value's own type already keeps to it."""
    declared = types.strip(e.layout.declared_vars[variable.name].type)
    if not isinstance(declared, ir.IntType) or (declared.low is None and declared.high is None):
        return None
    t = types.strip(types.of(value))
    kept = isinstance(t, ir.IntType) and (
        (declared.low is None or (t.low is not None and t.low >= declared.low))
        and (declared.high is None or (t.high is not None and t.high <= declared.high))
    )
    return declared.low, declared.high, kept


def _action(action: ir.Action, e: Estimator, tracked: frozenset[str]) -> tuple[Any, ...]:
    parameters = []
    for p in action.parameters:
        cell = e.layout.vars[p.variable].base
        pile = None if p.domain is None or isinstance(p.domain, ir.Domain) else e.estimate(p.domain)
        values: tuple[Any, ...] = (UNKNOWN,)
        if isinstance(p.domain, ir.Domain) and p.variable in tracked:
            values = e.machine.words.domain(p.domain)
        elif p.domain is None and p.variable in tracked:
            values = e.machine.words.calls
        parameters.append((p, cell, pile, values))
    with e.choosing(action):
        guards = [e.estimate(g.condition) for g in action.guards]
    reads = [variables_read(g.condition, e.game) for g in action.guards]
    # A choice that is left open can be promised by one guard only: two could want different values.
    unknown = [p.variable for p, _, pile, values in parameters if pile is None and values == (UNKNOWN,)]
    promised = all(sum(1 for r in reads if name in r) <= 1 for name in unknown)
    return parameters, guards, promised


def capacities(e: Estimator) -> list[int | None]:
    """The most cards each zone can hold; of a summed family, its sum at the first cell."""
    out: list[int | None] = []
    state = Counts([UNKNOWN] * len(e.layout.var_cells), [None] * len(e.layout.zone_cells))
    for cell, zone in zip(e.layout.zone_cells, e.layout.cell_zones, strict=True):
        if zone.name in e.summed:
            out.append(e.summed[zone.name].capacity)
        elif zone.holds is None:
            out.append(None)
        else:
            with e.bound(*(f"#{i}" for i in range(len(cell.indices)))) as slots:
                holds = e.estimate(zone.holds)
                for slot, index in zip(slots, cell.indices, strict=True):
                    e.scratch[slot] = index
                found = holds(state)
            out.append(None if found is UNKNOWN else found)
    return out


def small_domain(machine: Machine, variable: ir.StateVar) -> tuple[Any, ...] | None:
    """The values of a variable of few values: where its value is not known, each is a case of its own."""
    t = types.strip(variable.type)
    unbounded = isinstance(t, ir.IntType) and (t.low is None or t.high is None)
    if unbounded or not isinstance(t, ir.Domain | ir.BoolType):
        return None
    values = machine.words.domain(variable.type)
    return values if len(values) <= _MAX_CASES else None


def gathers_first(game: ir.Game) -> bool:
    """Whether a rule, the game's entry, gathers all cards before it asks anything of any."""
    at, seen = game.entry, set[int]()
    while at not in seen:
        seen.add(at)
        node = game.nodes[at]
        if isinstance(node, ir.Gather):
            return node.cards is None
        if not isinstance(node, ir.Assign | ir.Announce | ir.Mark) or any(
            isinstance(part, ir.ZoneExpr | ir.AllOfZone | ir.CallExpr) for part in parts(node)
        ):
            return False
        at = node.next
    return False

"""Checks on the control-flow graph: loops that only compute, values read before they are set."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from dsl import ir
from dsl.diagnostics import Reporter
from dsl.graphs import components
from dsl.lower import successors
from dsl.source import first_line
from dsl.walk import variables_read

_SET_FIRST = "set it first, or let it start as something"


def check_graph(game: ir.Game, reporter: Reporter) -> None:
    """Report what only the graph shows."""
    _large_functions(game, reporter)
    check_loops(game, reporter)
    _unset_reads(game, reporter)


# ------------------------------------------------------------------------------------------ definitions

_MAX_PARTS = 100_000


def _large_functions(game: ir.Game, reporter: Reporter) -> None:
    """Definitions that use definitions, each several times, could take for ever to work out."""
    sizes: dict[str, int] = {}
    for function in _callees_first(game.functions):
        own, called = _size(function.body)
        sizes[function.name] = own + sum(sizes.get(name, 0) for name in called)
        if sizes[function.name] > _MAX_PARTS:
            if function.span is not None:
                reporter.report("T409", f"`{function.name}` comes to more than {_MAX_PARTS} parts, with what it uses",
                                first_line(function.span), help="use its parts less often")  # fmt: skip
            return


def _callees_first(functions: tuple[ir.Function, ...]) -> Iterator[ir.Function]:
    """The functions, each after those that it uses."""
    waiting = {f.name: (f, set(_size(f.body)[1])) for f in functions}
    while waiting:
        ready = [name for name, (_, called) in waiting.items() if not called & waiting.keys() - {name}]
        if not ready:
            return
        for name in ready:
            yield waiting.pop(name)[0]


def _size(expr: ir.Expr) -> tuple[int, list[str]]:
    """How many parts an expression has, and the functions it uses, as often as it does."""
    count, called = 0, []
    parts: list[Any] = [expr]
    while parts:
        part = parts.pop()
        if isinstance(part, tuple):
            parts.extend(part)
        elif is_dataclass(part) and not isinstance(part, ir.Origin | type):
            count += 1
            if isinstance(part, ir.CallExpr):
                called.append(part.function)
            parts.extend(getattr(part, f.name) for f in fields(part) if f.name not in ("type", "span", "origin"))
    return count, called


# ----------------------------------------------------------------------------------------------- loops


def check_loops(game: ir.Game, reporter: Reporter, known: Collection[str] = ()) -> None:
    """A loop has a decision or a draw in it, or counts: `repeat … times` and `for each` end by themselves.

    Nothing is said of the loops of rules that are `known` already.
    """
    pausing = {i for i, n in enumerate(game.nodes) if _pauses(n)}
    counting = {i for i, n in enumerate(game.nodes) if _counts(n)}
    for loop in _cycles(game, pausing | counting):
        node = game.nodes[min(loop)]
        if node.origin.span is not None and node.origin.rule not in known:
            reporter.report("L510", "this loop can go round without a decision or a draw", node.origin.span,
                            help="`repeat N times` and `for each` end by themselves")  # fmt: skip


def _onward(node: ir.Node) -> tuple[int, ...]:
    """Where play may go on; `repeat:` tests a condition that never holds, and so is never left by it."""
    if isinstance(node, ir.Branch) and isinstance(node.condition, ir.Const):
        return (node.yes if node.condition.value else node.no,)
    return successors(node)


def _pauses(node: ir.Node) -> bool:
    """A choice, chance, or cards taken from a pile that gets shorter by it."""
    match node:
        case ir.Decide() | ir.Collect() | ir.Random() | ir.Shuffle() | ir.Cut() | ir.Deal() | ir.Resume():
            return True
        case _:
            return False


def _counts(node: ir.Node) -> bool:
    """The step of a loop that the language itself bounds: its variable is hidden from the rule text."""
    return isinstance(node, ir.Assign) and (
        node.variable.name.endswith((".times", "'first"))
        or (node.variable.name.partition(".")[2] != "" and isinstance(node.value, ir.UnaryExpr | ir.BinaryExpr)
            and _steps(node.variable, node.value))
    )  # fmt: skip


def _steps(variable: ir.Var, value: ir.UnaryExpr | ir.BinaryExpr) -> bool:
    if isinstance(value, ir.UnaryExpr):
        return value.op is ir.Unary.LEFT_OF and value.operand == variable
    return value.left == variable and value.op in (ir.Binary.ADD, ir.Binary.SUBTRACT)


def _cycles(game: ir.Game, without: set[int]) -> Iterator[list[int]]:
    """The parts of the graph that go round, some nodes left out."""

    def edges(i: int) -> list[int]:
        return [j for j in _onward(game.nodes[i]) if j not in without]

    for part in components((i for i in range(len(game.nodes)) if i not in without), edges):
        if len(part) > 1 or part[0] in edges(part[0]):
            yield part


# ------------------------------------------------------------------------------------- unset variables


def _unset_reads(game: ir.Game, reporter: Reporter) -> None:
    """Single variables without a start must be set on every way to where they are read."""
    watched = {v.name for v in game.state if v.starts is None and not v.dims}
    indexed = {v.name for v in game.state if v.starts is None and v.dims}
    for variable in game.state:
        if variable.name in indexed and variable.span is not None:
            reporter.report("L511", f"state `{variable.name}` does not say what it starts as", variable.span,
                            help="give it `starts:`")  # fmt: skip
    before: dict[int, frozenset[str]] = {}
    work: list[tuple[int, frozenset[str]]] = [(game.entry, frozenset())]
    if game.clock is not None:
        work += [(e.entry, frozenset(watched)) for e in game.clock.events]
    while work:
        at, known = work.pop()
        old = before.get(at)
        new = known if old is None else old & known
        if new == old:
            continue
        before[at] = new
        node = game.nodes[at]
        after = new | _set_by(node)
        if isinstance(node, ir.Decide | ir.Collect):
            for action in node.actions:
                bound = new | {p.variable for p in action.parameters}
                work.append(
                    (action.entry, bound | ({node.player.name} if isinstance(node, ir.Collect) else frozenset()))
                )
            if isinstance(node, ir.Collect):
                work.append((node.next, after))
            continue
        work.extend((j, after) for j in _onward(node))
    told: set[str] = set()
    for at, known in sorted(before.items()):
        node = game.nodes[at]
        bound = known
        if isinstance(node, ir.Decide | ir.Collect):
            bound = known | {p.variable for a in node.actions for p in a.parameters}
        if isinstance(node, ir.Collect):
            bound = bound | {node.player.name}
        for name in sorted(_reads(node, game) & watched - bound - told):
            if node.origin.span is not None:
                told.add(name)
                reporter.report("L511", f"`{name}` may be read here before it is set", first_line(node.origin.span),
                                help=_SET_FIRST)  # fmt: skip
        for name in sorted(_reads(game.result, game) & watched - bound - told if _ends(node) else ()):
            if node.origin.span is not None:
                told.add(name)
                reporter.report("L511", f"`{name}` may not be set when the game ends here, and the result reads it",
                                first_line(node.origin.span), help=_SET_FIRST)  # fmt: skip


def _ends(node: ir.Node) -> bool:
    return isinstance(node, ir.Finish)


def _set_by(node: ir.Node) -> frozenset[str]:
    match node:
        case ir.Assign(variable) | ir.Random(variable):
            return frozenset({variable.name}) if not variable.indices else frozenset()
        case _:
            return frozenset()


def _reads(node: ir.Node | ir.Result, game: ir.Game) -> frozenset[str]:
    """The variables a node reads; of the one it sets, only the indices, and a player to be bound not at all."""
    read: list[Any] = []
    for f in fields(node):
        value = getattr(node, f.name)
        if f.name == "variable" and isinstance(node, ir.Assign | ir.Random):
            read.extend(value.indices)
        elif f.name not in ("origin", "player") or isinstance(node, ir.Decide):
            read.append(value)
    return variables_read(tuple(read), game)

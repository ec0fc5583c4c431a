"""Whether an explored graph is finite: it has no way back, or a number with a limit cuts each of them."""

from __future__ import annotations

from dataclasses import dataclass

from dsl import ir, types
from dsl.graphs import circles
from interpreter.machine import Machine
from verify.checks_facts import Fact, Facts, literal
from verify.checks_shared import Search, place
from verify.counting import CountMachine
from verify.explore import nothing_to_collect
from verify.points import Point
from verify.running import Runner
from verify.symmetry import Canonical

_STOPS = (ir.Decide, ir.Collect, ir.Shuffle, ir.Cut, ir.Random, ir.Finish, ir.Mark)


@dataclass(frozen=True, slots=True)
class Edge:
    """From one position to the next, past these nodes."""

    start: Point
    end: Point
    nodes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Measured:
    """How a graph was found to be finite. `decisions`: the most on any way, where it has no way back at all."""

    decisions: int | None
    cuts: tuple[str, ...]
    rounds: tuple[Edge, ...]  # ways that lie on ways back, where some are left


def measure(search: Search, cut_at: frozenset[str] = frozenset()) -> Measured:
    """Whether the explored graph is finite, without what comes past the places to cut at."""
    found = search.measured.get(cut_at)
    if not isinstance(found, Measured):
        with nothing_to_collect():
            found = search.measured[cut_at] = _measure(search, cut_at)
    return found


def _measure(search: Search, cut_at: frozenset[str]) -> Measured:
    nodes = search.machine.game.nodes
    cut = {i for i, x in enumerate(nodes) if place(x.origin) in cut_at}
    edges = [Edge(p, after, frozenset()) for p, out in search.explored.edges.items() for _, after in out]
    rounds = components(edges)
    if not rounds:
        return Measured(_longest(search, edges), (), ())
    cuts: list[str] = []
    left: list[Edge] = []
    had_cut = False
    passing = Passing(search.counting, search.counting.canonical)
    for component in rounds:
        inside = [e for p in component for e in passing.edges(p) if e.end in component]
        kept = [e for e in inside if not e.nodes & cut]
        had_cut = had_cut or len(kept) < len(inside)
        left += ranked(search.machine, kept, cuts)
    if left:
        return Measured(None, tuple(cuts), tuple(left))
    if had_cut and not cuts:
        apart = set().union(*rounds)
        again = [e for p in apart for e in passing.edges(p) if not e.nodes & cut]
        rest = [e for e in edges if e.start not in apart]
        return Measured(_longest(search, rest + again), (), ())
    return Measured(None, tuple(dict.fromkeys(cuts)), ())


def ranked(machine: Machine, edges: list[Edge], cuts: list[str]) -> list[Edge]:
    """What is left of ways back once everything is cut that a number with a limit cuts; `cuts` is told which."""
    left: list[Edge] = []
    for component in components(edges):
        inside = [e for e in edges if e.start in component and e.end in component]
        passed = frozenset(i for e in inside for i in e.nodes)
        strict = _monotone(machine, passed, cuts)
        kept = [e for e in inside if not e.nodes & strict]
        left += inside if len(kept) == len(inside) else ranked(machine, kept, cuts)
    return left


def _calls_rise(machine: Machine, found: list[tuple[int, ir.Assign | ir.Random]]) -> bool:
    """Whether what is put into a variable is always a combination above the one that was there, or the first."""
    facts = Facts(machine.game)
    for i, node in found:
        if not isinstance(node, ir.Assign) or node.variable.indices or not isinstance(node.value, ir.Var):
            return False
        if not any(_rises(fact, node) for fact in facts.at[i]):
            return False
    return True


def _rises(fact: Fact, node: ir.Assign) -> bool:
    """A fact that says: this is above what was there, or there was nothing."""
    match fact:
        case (ir.BinaryExpr(ir.Binary.OR, ir.UnaryExpr(ir.Unary.IS_NONE, nothing, _), above, _), True):
            return nothing == node.variable and _rises(literal(above, True), node)
        case (ir.BinaryExpr(ir.Binary.LE, left, right, _), False):
            bare = right.operand if isinstance(right, ir.UnaryExpr) and right.op is ir.Unary.UNWRAP else right
            return left == node.value and bare == node.variable
        case _:
            return False


def _monotone(machine: Machine, passed: frozenset[int], cuts: list[str]) -> frozenset[int]:
    """The nodes among some at which a number moves towards its limit, if it is never set back among them."""
    by_name: dict[str, list[tuple[int, ir.Assign | ir.Random]]] = {}
    nodes = machine.game.nodes
    for i in passed:
        node = nodes[i]
        if isinstance(node, ir.Assign | ir.Random):
            by_name.setdefault(node.variable.name, []).append((i, node))
        elif isinstance(node, ir.Decide | ir.Collect):
            for p in (p for a in node.actions for p in a.parameters):
                by_name.setdefault(p.variable, []).append(
                    (i, ir.Random(ir.Var(p.variable, (), p.type), _NOBODY, 0, node.origin))
                )
    for name, found in by_name.items():
        declared = types.strip(machine.layout.declared_vars[name].type)
        if isinstance(declared, ir.CombinationType) and _calls_rise(machine, found):
            cuts.append(f"`{name}` rises, up to the strongest combination")
            return frozenset(i for i, _ in found)
        if not isinstance(declared, ir.IntType):
            continue
        for sign, limit in ((1, declared.high), (-1, declared.low)):
            if limit is None:
                continue
            steps = [(i, _step(node, sign)) for i, node in found]
            strict = frozenset(i for i, least in steps if least is not None and least > 0)
            if strict and all(least is not None and least >= 0 for _, least in steps):
                cuts.append(f"`{name}` {'rises' if sign > 0 else 'falls'} and never beyond {limit}")
                return strict
    return frozenset()


_NOBODY = ir.Binder("nobody", ir.PlayerType(), ir.PlayerType())


def _step(node: ir.Assign | ir.Random, sign: int) -> int | None:
    """How far a number moves at least in a direction; None where it may move the other way."""
    if isinstance(node, ir.Random):
        return None
    match node.value:
        case ir.BinaryExpr(ir.Binary.ADD, left, by, _) if left == node.variable:
            direction = 1
        case ir.BinaryExpr(ir.Binary.SUBTRACT, left, by, _) if left == node.variable:
            direction = -1
        case _:
            return None
    t = types.of(by)
    if not isinstance(t, ir.IntType):
        return None
    least = t.low if direction == sign else (None if t.high is None else -t.high)
    return least if least is not None and least >= 0 else None


class Passing:
    """The ways on from explored positions, with the nodes that they come past."""

    def __init__(self, counting: CountMachine, canonical: Canonical | None) -> None:
        self._counting, self._canonical = counting, canonical
        self._runner = Runner(counting, _STOPS)
        self._known: dict[Point, list[Edge]] = {}

    def edges(self, point: Point) -> list[Edge]:
        """The ways from a position to those that were explored next."""
        if point not in self._known:
            out = self._known[point] = []
            for _, at in self._counting.successors(point):
                passed = {point.pc}
                end = self._runner.run(at, passed)
                out.append(Edge(point, end if self._canonical is None else self._canonical(end), frozenset(passed)))
        return self._known[point]


def components(edges: list[Edge]) -> list[frozenset[Point]]:
    """The strongly connected parts that have a way back."""
    points, out = _numbered(edges)
    return [frozenset(points[i] for i in part) for part in circles(range(len(points)), out.__getitem__)]


def _numbered(edges: list[Edge]) -> tuple[list[Point], list[list[int]]]:
    """The positions in their order, and where each leads to by number: a number is found sooner than a position is."""
    numbers: dict[Point, int] = {}
    ends = [(numbers.setdefault(e.start, len(numbers)), numbers.setdefault(e.end, len(numbers))) for e in edges]
    out: list[list[int]] = [[] for _ in numbers]
    for start, end in ends:
        out[start].append(end)
    return list(numbers), out


def _longest(search: Search, edges: list[Edge]) -> int:
    """The most decisions on any way through a graph without a way back."""
    points, out = _numbered(edges)
    decides = [isinstance(search.machine.game.nodes[p.pc], ir.Decide) for p in points]
    most: dict[int, int] = {}
    for root in range(len(points)):
        stack = [(root, False)]
        while stack:
            at, done = stack.pop()
            if done:
                most[at] = decides[at] + max((most.get(x, 0) for x in out[at]), default=0)
            elif at not in most:
                stack.append((at, True))
                stack += [(x, False) for x in out[at] if x not in most]
    return max(most.values(), default=0)

"""Whether each hand and the game come to an end: from the graph of the count abstraction, and from real plays.

A graph without a way back is finite, and so is every play. Where there is a way back, a number with a limit that
only ever rises (or falls) on it and surely does so each time round cuts it. A real play that comes back to the very
position it was in shows that the game need not end.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsl import ir, model, types
from dsl.statements import MAIN
from verify.checks_facts import Fact, Facts, literal
from verify.checks_positions import ENDLESS, sort_of
from verify.checks_shared import AtPlayers, Search, Shared, Until, place, shown
from verify.counting import Point
from verify.outcome import Answer, Verdict

_STOPS = (ir.Decide, ir.Collect, ir.Shuffle, ir.Cut, ir.Random, ir.Finish, ir.Mark)
_MAX_RUN = 500


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


def game_ends(shared: Shared, n: int, seconds: float) -> Answer:
    """The whole game."""
    until, at = Until(seconds), shared.at(n)
    seen = at.campaign.run(min(1.0, seconds / 6))
    endless = [f for f in seen.faults.values() if sort_of(f.message) == ENDLESS]
    if endless:
        trace = endless[0].trace
        return Answer(Verdict.REFUTED, "play", because=f"{endless[0].message}, at {shown(endless[0].origin)}",
                      trace=trace, at=len(trace.steps))  # fmt: skip
    if at.campaign.complete and at.campaign.is_acyclic:
        return Answer(Verdict.PROVED, "every play", because=f"no play comes back to a position; {seen.longest} steps at most",
                      value={"steps": seen.longest})  # fmt: skip
    because = ""
    while True:
        if at.campaign.seen.lasso is not None:
            return _lasso(at)
        search = at.complete()
        if search is not None:
            found = measure(search)
            if not found.rounds:
                return _finite(search, found)
            because = _rounds(search, found)
        if until.left < 0.3 or not at.explore_more(until.left * 0.6):
            break
    at.campaign.run_more(min(until.left, seconds / 4))
    if at.campaign.seen.lasso is not None:
        return _lasso(at)
    return Answer(Verdict.UNKNOWN, "counts", because=f"{because or '; '.join(at.limits[-2:])}. Real plays never came back to one position",
                  value={"longest play seen": at.campaign.seen.longest})  # fmt: skip


def hands_end(shared: Shared, n: int, seconds: float) -> Answer:
    """Each rule that begins by gathering the cards, from one beginning to the next."""
    hands = _hands(shared.source)
    if not hands:
        return game_ends(shared, n, seconds)
    until, at = Until(seconds), shared.at(n)
    told: dict[str, int | None] = {}
    used: list[str] = []
    doubts: dict[str, str] = {}
    while True:
        for rule in hands:
            if rule in told:
                continue
            for search in at.searches:
                if not search.explored.complete or search.rule not in (None, rule):
                    continue
                found = measure(search, frozenset(_beginnings(shared.source, rule)))
                if not found.rounds:
                    told[rule] = found.decisions
                    used.append(search.told)
                    break
                doubts[rule] = _rounds(search, found)
        if len(told) == len(hands):
            words = ", ".join(f"`{r}` has {k} decisions at most" for r, k in told.items() if k is not None)
            return Answer(Verdict.PROVED, "counts", because=f"{words or 'what rises has a limit'}; {'; '.join(dict.fromkeys(used))}",
                          value=told)  # fmt: skip
        if until.left < 0.3 or not at.explore_more(until.left * 0.6):
            break
    open_ = ", ".join(f"`{r}`" for r in hands if r not in told)
    return Answer(Verdict.UNKNOWN, "counts", because=f"not shown of {open_}: {'; '.join(doubts.values()) or '; '.join(at.limits[-2:])}", value=told)


def _finite(search: Search, found: Measured) -> Answer:
    if found.decisions is not None:
        return Answer(Verdict.PROVED, "counts", because=f"{search.told} have no way back; {found.decisions} decisions at most",
                      value={"decisions": found.decisions})  # fmt: skip
    return Answer(Verdict.PROVED, "ranking", because=f"on every way back {'; '.join(found.cuts)}; {search.told}")


def _lasso(at: AtPlayers) -> Answer:
    assert at.campaign.seen.lasso is not None
    trace, first, again = at.campaign.seen.lasso
    chance = sum(not hasattr(s, "choice") for s in trace.steps[first:again])
    because = (
        f"after {again} steps of this play everything is as it was after {first}: it may go on so for ever"
        + (f" ({chance} times chance had a part in it)" if chance else ", and chance has no part in it")
    )  # fmt: skip
    return Answer(Verdict.REFUTED, "play", because=because, trace=trace, at=again, value={"from": first, "to": again})


def _rounds(search: Search, found: Measured) -> str:
    """What may happen again and again, in words."""
    nodes = search.machine.game.nodes
    passed = [nodes[i] for e in found.rounds for i in e.nodes]
    chance = [x for x in passed if isinstance(x, ir.Shuffle | ir.Cut | ir.Random)]
    kept = [e for e in found.rounds if not any(isinstance(nodes[i], ir.Shuffle | ir.Cut | ir.Random) for i in e.nodes)]
    loops = sorted({x.origin.rule for x in passed})
    words = f"play in {', '.join(f'`{r}`' for r in loops[:4])}{' …' if len(loops) > 4 else ''} may come back to the same counts"
    if chance and not _components(kept):
        words += f"; each time round chance has a part in it (such as {shown(chance[0].origin)})"
    return words + "; no number with a limit was found that rises each time"


def _hands(source: model.Model) -> list[str]:
    """The rules that begin a hand, outermost first; the game itself is none."""
    out: list[str] = []
    for rule in source.rules:
        first = source.rules[rule].body[:1]
        if rule != MAIN and first and isinstance(_first(source, rule), ir.Gather):
            out.append(rule)
    inner = {f.rule for r in out for f in source.rules[r].body[:1] if isinstance(f, model.Follow)}
    return [r for r in out if r not in inner]


def _first(source: model.Model, rule: str) -> model.Stmt | None:
    """The first thing that happens when a rule is followed, where that is a simple step."""
    for _ in source.rules:
        body = source.rules[rule].body
        if not body:
            return None
        if not isinstance(body[0], model.Follow):
            return body[0]
        rule = body[0].rule
    return None


def _beginnings(source: model.Model, rule: str) -> list[str]:
    first = _first(source, rule)
    return [] if first is None else [place(first.origin)]


# ------------------------------------------------------------------------------------------------ the graph


def measure(search: Search, cut_at: frozenset[str] = frozenset()) -> Measured:
    """Whether the explored graph is finite, without what comes past the places to cut at."""
    nodes = search.machine.game.nodes
    cut = {i for i, x in enumerate(nodes) if place(x.origin) in cut_at}
    edges = [Edge(p, after, frozenset()) for p, out in search.explored.edges.items() for _, after in out]
    components = _components(edges)
    if not components:
        return Measured(_longest(search, edges), (), ())
    cuts: list[str] = []
    left: list[Edge] = []
    had_cut = False
    for component in components:
        inside = [e for p in component for e in _passing(search, p) if e.end in component]
        kept = [e for e in inside if not e.nodes & cut]
        had_cut = had_cut or len(kept) < len(inside)
        left += _ranked(search, kept, cuts)
    if left:
        return Measured(None, tuple(cuts), tuple(left))
    if had_cut and not cuts:
        apart = set().union(*components)
        again = [e for p in apart for e in _passing(search, p) if not e.nodes & cut]
        rest = [e for e in edges if e.start not in apart]
        return Measured(_longest(search, rest + again), (), ())
    return Measured(None, tuple(dict.fromkeys(cuts)), ())


def _ranked(search: Search, edges: list[Edge], cuts: list[str]) -> list[Edge]:
    """What is left of ways back once everything is cut that a number with a limit cuts."""
    left: list[Edge] = []
    for component in _components(edges):
        inside = [e for e in edges if e.start in component and e.end in component]
        passed = frozenset(i for e in inside for i in e.nodes)
        strict = _monotone(search, passed, cuts)
        kept = [e for e in inside if not e.nodes & strict]
        left += inside if len(kept) == len(inside) else _ranked(search, kept, cuts)
    return left


def _calls_rise(search: Search, passed: frozenset[int], name: str, found: list[tuple[int, ir.Assign | ir.Random]]) -> bool:
    """Whether what is put into a variable is always a combination above the one that was there, or the first."""
    facts = Facts(search.machine.game)
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


def _monotone(search: Search, passed: frozenset[int], cuts: list[str]) -> frozenset[int]:
    """The nodes among some at which a number moves towards its limit, if it is never set back among them."""
    by_name: dict[str, list[tuple[int, ir.Assign | ir.Random]]] = {}
    nodes = search.machine.game.nodes
    for i in passed:
        node = nodes[i]
        if isinstance(node, ir.Assign | ir.Random):
            by_name.setdefault(node.variable.name, []).append((i, node))
        elif isinstance(node, ir.Decide | ir.Collect):
            for p in (p for a in node.actions for p in a.parameters):
                by_name.setdefault(p.variable, []).append((i, ir.Random(ir.Var(p.variable, (), p.type), _NOBODY, 0, node.origin)))
    for name, found in by_name.items():
        declared = types.strip(search.machine.layout.declared_vars[name].type)
        if isinstance(declared, ir.CombinationType) and _calls_rise(search, passed, name, found):
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


def _passing(search: Search, point: Point) -> list[Edge]:
    """The ways on from a position, with the nodes that they come past."""
    machine, nodes = search.counting, search.machine.game.nodes
    out: list[Edge] = []
    for _, after in machine.successors(point):
        passed = {point.pc}
        for _ in range(_MAX_RUN):
            if isinstance(nodes[after.pc], _STOPS):
                break
            following = machine.successors(after)
            if len(following) != 1:
                break
            passed.add(after.pc)
            after = following[0][1]
        out.append(Edge(point, after, frozenset(passed)))
    return out


def _components(edges: list[Edge]) -> list[frozenset[Point]]:
    """The strongly connected parts that have a way back."""
    out: dict[Point, list[Point]] = {}
    for e in edges:
        out.setdefault(e.start, []).append(e.end)
    index: dict[Point, int] = {}
    low: dict[Point, int] = {}
    open_: list[Point] = []
    is_open: set[Point] = set()
    found: list[frozenset[Point]] = []
    for root in out:
        if root in index:
            continue
        work = [(root, iter(out.get(root, ())))]
        index[root] = low[root] = len(index)
        open_.append(root)
        is_open.add(root)
        while work:
            at, following = work[-1]
            for after in following:
                if after not in index:
                    index[after] = low[after] = len(index)
                    open_.append(after)
                    is_open.add(after)
                    work.append((after, iter(out.get(after, ()))))
                    break
                if after in is_open:
                    low[at] = min(low[at], index[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    part: set[Point] = set()
                    while True:
                        last = open_.pop()
                        is_open.discard(last)
                        part.add(last)
                        if last == at:
                            break
                    if len(part) > 1 or at in out.get(at, ()):
                        found.append(frozenset(part))
    return found


def _longest(search: Search, edges: list[Edge]) -> int:
    """The most decisions on any way through a graph without a way back."""
    nodes = search.machine.game.nodes
    out: dict[Point, list[Point]] = {}
    for e in edges:
        out.setdefault(e.start, []).append(e.end)
    most: dict[Point, int] = {}
    for root in out:
        stack = [(root, False)]
        while stack:
            at, done = stack.pop()
            if done:
                here = 1 if isinstance(nodes[at.pc], ir.Decide) else 0
                most[at] = here + max((most.get(x, 0) for x in out.get(at, ())), default=0)
            elif at not in most:
                stack.append((at, True))
                stack += [(x, False) for x in out.get(at, ()) if x not in most]
    return max(most.values(), default=0)

"""Free checks of what the rules take for granted: room, ranges, cards to deal, values and players that are needed."""

from __future__ import annotations

from typing import Any

from dsl import ir, types
from dsl.walk import parts, variables_read
from verify.checks_play import Failed
from verify.checks_shared import AtPlayers, Search, Shared, Until, place, refuted, shown
from verify.counts import NOT_WHOLE, no_place, no_row
from verify.outcome import Answer, Verdict

CAPACITY, RANGE, SHORT, VALUE, NEXT, ENDLESS = "capacity", "range", "short", "value", "next", "endless"
_NONE = "none where a value is needed"
_SEARCHES_FIRST = 1  # cheap searches of the count abstraction, before induction is tried


def sort_of(message: str) -> str:
    """Which check a message of the abstraction or of a play belongs to."""
    if "would hold more than" in message or "holds at most" in message:
        return CAPACITY
    if "leaves its range" in message or ("would" in message and ".." in message):
        return RANGE
    if "too few cards" in message:
        return SHORT
    if "for ever" in message:
        return ENDLESS
    return NEXT if "player" in message and "none" in message else VALUE


# --------------------------------------------------------------------------------------------- obligations


def obligation(shared: Shared, sort: str, n: int, seconds: float) -> Answer:
    """Whether an obligation of one sort always holds."""
    until, at = Until(seconds), shared.at(n)
    at.campaign.begin(seconds / 6)
    asked = asked_of(at, sort)
    if not asked:
        return Answer(Verdict.PROVED, "construction", because=_NOTHING[sort])
    at.explore_first(until)
    by_induction = False
    while True:
        failed = _failed(at, sort, asked)
        if failed is not None:
            return refuted(failed)
        if at.campaign.complete:
            return Answer(Verdict.PROVED, "every play", because=f"all {at.campaign.positions} positions, card by card")
        left, unseen, used = left_open(at, sort, asked)
        if not left and not unseen:
            told = "; ".join(dict.fromkeys(s.told for s in used)) or "a condition on every way there sees to it"
            return Answer(Verdict.PROVED, "counts" if used else "facts", because=told)
        if not by_induction and len(at.searches) > _SEARCHES_FIRST:
            by_induction = True
            if all(_is_settled(at, i, sort, until.left * 0.7) for i in asked):
                known = at.obligations(0.0)
                assert known is not None
                return Answer(Verdict.PROVED, "induction", because=known.told)
        if until.left < 0.3 or not (_refine(at, left, sort, until) or at.explore_more(until.left * 0.6)):
            break
    at.campaign.run_more(min(until.left, seconds / 5))
    failed = _failed(at, sort, asked)
    if failed is not None:
        return refuted(failed)
    return Answer(Verdict.UNKNOWN, "counts", because=_doubt(at, left, unseen))


_NOTHING = {
    CAPACITY: "no zone that cards are put into has a limit",
    RANGE: "no value that is put into a variable can be outside its range, by its type or by a condition before it",
    SHORT: "no step deals a number of cards that has to be there",
    VALUE: "no step needs a value that may be missing",
    NEXT: "no step needs a player that may be missing",
}


def _is_settled(at: AtPlayers, index: int, sort: str, seconds: float) -> bool:
    """Whether induction sees to it that the obligation holds at a node."""
    known = None if sort == VALUE else at.obligations(seconds)
    node = at.game.nodes[index]
    if known is None or (sort == NEXT and _starts_nowhere(at, node)):
        return False
    if sort != NEXT:
        return known.settles(sort, node)
    needed = [p.operand for p in _everything(at, node) if isinstance(p, ir.UnaryExpr) and p.op is ir.Unary.UNWRAP]
    return known.settles("none", node, tuple(x for x in needed if _is_player(x)))


def asked_of(at: AtPlayers, sort: str) -> set[int]:
    """The nodes that have an obligation of this sort which neither types nor facts settle."""
    return {i for i in range(len(at.game.nodes)) if _may_fail(at, i, sort)}


def _may_fail(at: AtPlayers, index: int, sort: str) -> bool:
    """Whether a node has an obligation of this sort at all, that neither types nor facts settle."""
    node = at.game.nodes[index]
    zones = {z.name: z for z in at.game.zones}
    match sort:
        case "capacity":
            return isinstance(node, ir.Deal | ir.Move | ir.Gather) and zones[node.target.zone].holds is not None
        case "short":
            return isinstance(node, ir.Deal) and not node.up_to
        case "range":
            if not isinstance(node, ir.Assign):
                return False
            declared, t = (
                types.strip(at.machine.layout.declared_vars[node.variable.name].type),
                types.strip(types.of(node.value)),
            )
            if not isinstance(declared, ir.IntType) or (declared.low is None and declared.high is None):
                return False
            kept = isinstance(t, ir.IntType) and types.join(declared, t) == declared
            return not kept and not at.facts.keeps_range(index, declared)
        case "next":
            return any(_is_player(e) for e in at.facts.open_values(index)) or _starts_nowhere(at, node)
        case _:
            if any(not _is_player(e) for e in at.facts.open_values(index)) or _may_be_negative(at, node):
                return True
            return any(
                _is_partial(p) and not at.values.is_settled(p) and not at.filled.is_settled(index, p)
                for p in _everything(at, node)
            )


def _may_be_negative(at: AtPlayers, node: ir.Node) -> bool:
    """Whether it may be a number below 0 of cards that are dealt."""
    if not isinstance(node, ir.Deal):
        return False
    t, values = types.strip(types.of(node.count)), at.values.of(node.count)
    is_none = isinstance(t, ir.IntType) and t.low is not None and t.low >= 0
    return not is_none and (values is None or any(v is None or v < 0 for v in values))


def _is_player(expr: ir.Expr) -> bool:
    return isinstance(types.strip(types.of(expr)), ir.PlayerType)


def _starts_nowhere(at: AtPlayers, node: ir.Node) -> bool:
    """Whether a count round the table starts from a player who may be missing."""
    return any(
        isinstance(p, ir.FoldExpr) and p.start is not None and isinstance(types.of(p.start), ir.OptionalType)
        for p in _everything(at, node)
    )


def _is_partial(part: Any) -> bool:
    match part:
        case ir.UnaryExpr(ir.Unary.WHOLE | ir.Unary.TOP_OF) | ir.TableExpr() | ir.Random():
            return True
        case ir.BinaryExpr(ir.Binary.DIVIDE | ir.Binary.DIV | ir.Binary.MOD, _, right, _):
            return not (isinstance(right, ir.Const) and right.value != 0)
        case ir.ColumnExpr():
            return True
        case ir.ZoneExpr(_, indices) | ir.AllOfZone(_, indices) | ir.Var(_, indices, _):
            return any(isinstance(types.strip(types.of(i)), ir.IntType) for i in indices)
        case _:
            return False


def _everything(at: AtPlayers, node: ir.Node) -> list[Any]:
    functions = {f.name: f for f in at.game.functions}
    out: list[Any] = []
    waiting: list[Any] = [node, *(at.game.result.expressions if isinstance(node, ir.Finish) else ())]
    called: set[str] = set()
    while waiting:
        for part in parts(waiting.pop()):
            out.append(part)
            if isinstance(part, ir.CallExpr) and part.function not in called:
                called.add(part.function)
                waiting.append(functions[part.function].body)
    return out


def _is_open(at: AtPlayers, index: int, message: str, sort: str) -> bool:
    """Whether a doubt of the abstraction is one, and of this sort, once facts were asked."""
    if message == _NONE:
        return any(_is_player(e) is (sort == NEXT) for e in at.facts.open_values(index))
    return sort_of(message) == sort and not _is_answered(at, index, message)


def _is_answered(at: AtPlayers, index: int, message: str) -> bool:
    """Whether the values that there can be at all answer a doubt about a fraction, a row or a division."""

    def is_about(part: Any) -> bool:
        match part:
            case ir.UnaryExpr(ir.Unary.WHOLE):
                return message == NOT_WHOLE
            case ir.TableExpr(table):
                return message == no_row(table)
            case ir.ZoneExpr(name) | ir.AllOfZone(name) | ir.Var(name):
                return message == no_place(name)
            case _:
                return False

    asked = [p for p in _everything(at, at.game.nodes[index]) if is_about(p)]
    return bool(asked) and all(at.values.is_settled(p) for p in asked)


def left_open(
    at: AtPlayers, sort: str, asked: set[int]
) -> tuple[dict[tuple[str, str], ir.Origin], list[str], list[Search]]:
    """What may fail in every exploration that says something about it; rules that none says anything about."""
    left: dict[tuple[str, str], ir.Origin] = {}
    unseen: dict[str, None] = {}
    used: list[Search] = []
    by_place: dict[str, list[int]] = {}
    for i in asked:
        by_place.setdefault(place(at.game.nodes[i].origin), []).append(i)
    for where, nodes in by_place.items():
        origin = at.game.nodes[nodes[0]].origin
        covering = at.covering(origin.rule, sort == CAPACITY)
        if not covering:
            unseen[origin.rule] = None
            continue
        found: list[set[str]] = []
        for search in covering:
            messages = {m for (p, m) in search.troubles() if p == where}
            found.append({m for m in messages if any(_is_open(at, i, m, sort) for i in nodes)})
            if not found[-1] and search not in used:
                used.append(search)
        if all(found):
            left.update({(where, m): origin for m in set.intersection(*found) or found[-1]})
    return left, list(unseen), used


def _refine(at: AtPlayers, left: dict[tuple[str, str], ir.Origin], sort: str, until: Until) -> bool:
    """Keeps what the doubtful places read, one place at a time."""
    for (where, _), origin in left.items():
        names: set[str] = set()
        for node in at.game.nodes:
            if place(node.origin) == where:
                names.update(
                    n for p in parts(node) if isinstance(p, ir.Var | ir.CallExpr) for n in variables_read(p, at.game)
                )
        if at.refine(origin.rule, frozenset(names), sort == CAPACITY, until.left * 0.5):
            return True
    return False


def _failed(at: AtPlayers, sort: str, asked: set[int]) -> Failed | None:
    found = [f for f in at.campaign.seen.faults.values() if sort_of(f.message) == sort or _NONE in f.message]
    players = {place(at.game.nodes[i].origin) for i in asked} if sort in (NEXT, VALUE) else None
    if players is not None and any(isinstance(at.game.nodes[i], ir.Finish) for i in asked):
        players.add(place(None))  # the result is read
    found = [
        f
        for f in found
        if (sort_of(f.message) == sort and (_NONE not in f.message or players is None))
        or (_NONE in f.message and sort in (NEXT, VALUE) and players is not None and place(f.origin) in players)
    ]
    return min(found, key=lambda f: len(f.trace.steps), default=None)


def _doubt(at: AtPlayers, left: dict[tuple[str, str], ir.Origin], unseen: list[str]) -> str:
    told = [f"{shown(origin)}: perhaps {message}" for (_, message), origin in left.items()]
    if unseen:
        told.append("nothing exact is known about " + ", ".join(f"`{r}`" for r in unseen))
    seen = at.campaign.seen
    limits = "; ".join(dict.fromkeys(at.limits[-2:]))
    why = "the count abstraction sees numbers of cards and not which cards" if left else limits
    return f"{'; '.join(told)}. It did not happen in {seen.runs} plays; {why}"

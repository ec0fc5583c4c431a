"""Free checks of positions: cards, capacities, ranges, deals, values that are needed, dead ends, who is next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dsl import ir, types
from dsl.lower import TooLarge, lower
from interpreter.machine import Machine
from interpreter.reads import parts, variables_read
from interpreter.values import Fault
from verify.checks_play import Campaign, Failed
from verify.checks_shared import AtPlayers, Search, Shared, Until, place, shown
from verify.checks_stuck import Needed, always_something
from verify.counting import Point
from verify.outcome import Answer, Verdict
from verify.unknown import Held

CAPACITY, RANGE, SHORT, VALUE, NEXT, ENDLESS = "capacity", "range", "short", "value", "next", "endless"
_NONE = "none where a value is needed"


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
    at.campaign.run(min(1.0, seconds / 6))
    asked = {i for i in range(len(at.game.nodes)) if _may_fail(at, i, sort)}
    if not asked:
        return Answer(Verdict.PROVED, "construction", because=_NOTHING[sort])
    while True:
        failed = _failed(at, sort, asked)
        if failed is not None:
            return Answer(Verdict.REFUTED, "play", because=f"{failed.message}, at {shown(failed.origin)}",
                          trace=failed.trace, at=len(failed.trace.steps))  # fmt: skip
        if at.campaign.complete:
            return Answer(Verdict.PROVED, "every play", because=f"all {at.campaign.positions} positions, card by card")
        left, unseen, used = _left(at, sort, asked)
        if not left and not unseen:
            told = "; ".join(dict.fromkeys(s.told for s in used)) or "a condition on every way there sees to it"
            return Answer(Verdict.PROVED, "counts" if used else "facts", because=told)
        if until.left < 0.3 or not (_refine(at, left, sort, until) or at.explore_more(until.left * 0.6)):
            break
    at.campaign.run_more(min(until.left, seconds / 5))
    failed = _failed(at, sort, asked)
    if failed is not None:
        return Answer(Verdict.REFUTED, "play", because=f"{failed.message}, at {shown(failed.origin)}",
                      trace=failed.trace, at=len(failed.trace.steps))  # fmt: skip
    return Answer(Verdict.UNKNOWN, "counts", because=_doubt(at, left, unseen))


_NOTHING = {
    CAPACITY: "no zone that cards are put into has a limit",
    RANGE: "no value that is put into a variable can be outside its range, by its type",
    SHORT: "no step deals a number of cards that has to be there",
    VALUE: "no step needs a value that may be missing",
    NEXT: "no step needs a player that may be missing",
}


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
            declared, t = types.strip(at.machine.layout.declared_vars[node.variable.name].type), types.strip(types.of(node.value))
            if not isinstance(declared, ir.IntType) or (declared.low is None and declared.high is None):
                return False
            return not isinstance(t, ir.IntType) or types.join(declared, t) != declared
        case "next":
            return any(_is_player(e) for e in at.facts.open_values(index)) or _starts_nowhere(at, node)
        case _:
            if any(not _is_player(e) for e in at.facts.open_values(index)):
                return True
            return any(_is_partial(p) for p in _everything(at, node))


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
        case _:
            return False


def _everything(at: AtPlayers, node: ir.Node) -> list[Any]:
    functions = {f.name: f for f in at.game.functions}
    out: list[Any] = []
    waiting: list[Any] = [node]
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
    return sort_of(message) == sort


def _left(at: AtPlayers, sort: str, asked: set[int]
          ) -> tuple[dict[tuple[str, str], ir.Origin], list[str], list[Search]]:  # fmt: skip
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
                names.update(n for p in parts(node) if isinstance(p, ir.Var | ir.CallExpr) for n in variables_read(p, at.game))
        if at.refine(origin.rule, frozenset(names), sort == CAPACITY, until.left * 0.5):
            return True
    return False


def _failed(at: AtPlayers, sort: str, asked: set[int]) -> Failed | None:
    found = [f for f in at.campaign.seen.faults.values() if sort_of(f.message) == sort or _NONE in f.message]
    players = {place(at.game.nodes[i].origin) for i in asked} if sort in (NEXT, VALUE) else None
    found = [f for f in found if sort_of(f.message) == sort and (_NONE not in f.message or players is None)
             or (_NONE in f.message and sort in (NEXT, VALUE) and players is not None and place(f.origin) in players)]  # fmt: skip
    return min(found, key=lambda f: len(f.trace.steps), default=None)


def _doubt(at: AtPlayers, left: dict[tuple[str, str], ir.Origin], unseen: list[str]) -> str:
    told = [f"{shown(origin)}: perhaps {message}" for (_, message), origin in left.items()]
    if unseen:
        told.append("nothing exact is known about " + ", ".join(f"`{r}`" for r in unseen))
    seen = at.campaign.seen
    why = "the count abstraction sees numbers of cards and not which cards" if left else "; ".join(at.limits[-2:])
    return f"{'; '.join(told)}. It did not happen in {seen.runs} plays; {why}"


# -------------------------------------------------------------------------------------------- conservation


def cards_conserved(shared: Shared, n: int, seconds: float) -> Answer:
    """By construction; each play is counted all the same."""
    at = shared.at(n)
    seen = at.campaign.run(min(1.0, seconds / 3))
    if seen.lost is not None:
        return Answer(Verdict.REFUTED, "play", because="cards got lost or doubled", trace=seen.lost, at=len(seen.lost.steps))
    moves = sum(isinstance(x, ir.Deal | ir.Move | ir.Gather) for x in at.game.nodes)
    size = len(at.machine.words.cards.pack)
    because = (
        f"{moves} steps put cards somewhere, each by taking them from where they lie; no step makes or removes a card. "
        f"At {seen.stops} stops of real plays the zones held the {size} cards of the pack, each once"
    )
    return Answer(Verdict.PROVED, "construction", because=because, value={"cards": size})


# ----------------------------------------------------------------------------------------------- dead ends


def no_dead_end(shared: Shared, n: int, seconds: float) -> Answer:
    """Whoever is to choose can."""
    until, at = Until(seconds), shared.at(n)
    at.campaign.run(min(1.0, seconds / 6))
    decisions = [(i, x) for i, x in enumerate(at.game.nodes) if isinstance(x, ir.Decide | ir.Collect)]
    if not decisions:
        return Answer(Verdict.PROVED, "construction", because="nobody ever chooses")
    while True:
        if at.campaign.seen.dead_ends:
            failed = min(at.campaign.seen.dead_ends.values(), key=lambda f: len(f.trace.steps))
            return Answer(Verdict.REFUTED, "play", because=f"{failed.message}, at {shown(failed.origin)}",
                          trace=failed.trace, at=len(failed.trace.steps))  # fmt: skip
        if at.campaign.complete:
            return Answer(Verdict.PROVED, "every play", because=f"all {at.campaign.positions} positions, card by card")
        left, used = _stuck(at, decisions)
        if not left:
            return Answer(Verdict.PROVED, "counts" if used else "guards", because="; ".join(dict.fromkeys(used.values())) or
                          "however the conditions of the actions turn out, one of them is allowed")  # fmt: skip
        if until.left < 0.3 or not at.explore_more(until.left * 0.6):
            break
    at.campaign.run_more(min(until.left, seconds / 5))
    if at.campaign.seen.dead_ends:
        return no_dead_end(shared, n, 0.1)
    told = "; ".join(f"{shown(o)}: {why}" for o, why in left.values())
    return Answer(Verdict.UNKNOWN, "counts", because=f"{told}. Nobody was stuck in {at.campaign.seen.runs} plays")


def _stuck(at: AtPlayers, decisions: list[tuple[int, ir.Decide | ir.Collect]]
           ) -> tuple[dict[str, tuple[ir.Origin, str]], dict[str, str]]:  # fmt: skip
    """Decisions at which nothing shows that something can be done, by place; and how the others were shown."""
    left: dict[str, tuple[ir.Origin, str]] = {}
    used: dict[str, str] = {}
    for i, node in decisions:
        where = place(node.origin)
        if isinstance(node, ir.Collect):
            left[where] = node.origin, "choices made at once are not followed"
            continue
        needed = always_something(at.facts, node, at.facts.at[i], bool(at.machine.words.calls))
        if needed == ():
            continue
        covering = at.covering(node.origin.rule)
        told = [s for s in covering if not _doubtful(s, where) or (needed is not None and _are_there(s, where, needed))]
        if told:
            used[where] = told[0].told
        elif not covering:
            left[where] = node.origin, "; ".join(at.limits[-2:]) or "not explored"
        else:
            points = _doubtful(covering[-1], where)
            left[where] = node.origin, (
                f"perhaps nothing can be done in {len(points)} positions of the count abstraction, "
                "which cannot tell whether some card meets the conditions"
            )
    return left, used


def _doubtful(search: Search, where: str) -> list[Point]:
    nodes, found = search.machine.game.nodes, search.explored
    return [p for p in (*found.dead_ends, *found.doubtful_ends) if place(nodes[p.pc].origin) == where]


def _are_there(search: Search, where: str, needed: tuple[Needed, ...]) -> bool:
    """Whether the piles hold enough cards in every position at a decision."""
    nodes = search.machine.game.nodes
    piles = [(search.counting.estimate(x.pile), x.least) for x in needed]
    for point in search.explored.points:
        node = nodes[point.pc]
        if isinstance(node, ir.Decide) and place(node.origin) == where:
            counts = search.counting.counts(point)
            for pile, least in piles:
                found = pile(counts)
                if not isinstance(found, Held) or found.count < least:
                    return False
    return True


# ------------------------------------------------------------------------------------------- possible deals

_MOST_PLAYERS = 20


def deal_possible(shared: Shared, n: int, seconds: float) -> Answer:
    """For which numbers of players the rules come to a first decision without running out of cards."""
    if "deals" not in shared.kept:
        until = Until(seconds / 2)
        shared.kept["deals"] = {k: _can_deal(shared, k, until) for k in range(1, _MOST_PLAYERS + 1)}
    table: dict[int, Any] = shared.kept["deals"]  # type: ignore[assignment]
    told = {k: {True: "yes", False: "no", None: "?"}[v[0]] for k, v in table.items()}
    possible, failed = table.get(n, (None, None))
    if possible is None or n not in table:
        return Answer(Verdict.UNKNOWN, "play", because="no play came to a decision in the time given", value=told)
    if not possible:
        return Answer(Verdict.REFUTED, "play", because=f"{failed.message}, at {shown(failed.origin)}", value=told,
                      trace=failed.trace, at=len(failed.trace.steps))  # fmt: skip
    return Answer(Verdict.WITNESSED, "play", because="a play comes to the first decision", value=told)


def _can_deal(shared: Shared, n: int, until: Until) -> tuple[bool | None, Failed | None]:
    try:
        machine = Machine(lower(shared.source, n))
    except (TooLarge, ValueError, IndexError, ZeroDivisionError, Fault):
        return None, None
    campaign = Campaign(machine, f"deal/{n}")
    failed: Failed | None = None
    for _ in range(3):
        if until.left <= 0:
            return None, None
        found = campaign.first_decision()
        if found is None:
            return True, None
        failed = found
    return False, failed


Check = Callable[[Shared, int, float], Answer]

"""Results: what the end is worth adds up to nothing, and somebody has won."""

from __future__ import annotations

from dsl import ir
from dsl.walk import parts
from verify.checks_facts import Known, put
from verify.checks_shared import AtPlayers, Search, Shared, Until
from verify.counts import Impossible
from verify.outcome import Answer, Verdict
from verify.unknown import UNKNOWN


def zero_sum(shared: Shared, n: int, seconds: float) -> Answer:
    """What one wins the others lose."""
    at = shared.at(n)
    if n == 1:
        return Answer(Verdict.VACUOUS, "construction", because="there is one player")
    if at.game.result.returns is None:
        return Answer(
            Verdict.PROVED,
            "construction",
            because="each who did not win pays 1, and the winners share it; a draw is worth 0",
        )
    seen = at.campaign.begin(seconds / 2)
    at.campaign.exhaust(seconds * 0.8)
    for total, trace in seen.sums.items():
        if total != 0:
            because = f"at the end of this play what it is worth to all together is {total}"
            return Answer(Verdict.REFUTED, "play", because=because, trace=trace, at=len(trace.steps))
    if at.campaign.complete:
        return Answer(Verdict.PROVED, "every play", because=f"all ends of {at.campaign.positions} positions")
    return Answer(Verdict.UNKNOWN, "play", because=f"it was so at each end of {seen.runs} plays")


def somebody_wins(shared: Shared, n: int, seconds: float) -> Answer:
    """At each end somebody has won; several only where a draw or a shared win is declared, as it always is."""
    until, at = Until(seconds), shared.at(n)
    if n == 1:
        return Answer(Verdict.VACUOUS, "construction", because="there is one player")
    seen = at.campaign.begin(seconds / 4)
    shares = "share the win" if at.game.result.shared else "have drawn"
    while True:
        if 0 in seen.winners:
            trace = seen.winners[0]
            return Answer(
                Verdict.REFUTED, "play", because="this play ends without a winner", trace=trace, at=len(trace.steps)
            )
        several = [k for k in seen.winners if k > 1]
        told = (
            f"several {shares}: seen of {', '.join(map(str, sorted(several)))}"
            if several
            else "never several were seen"
        )
        if at.campaign.complete:
            return Answer(
                Verdict.PROVED, "every play", because=f"at all ends of {at.campaign.positions} positions; {told}"
            )
        exactly = _exactly(at)
        if exactly is not None:
            words = "one winner" if exactly == 1 else f"{exactly} winners"
            return Answer(
                Verdict.PROVED,
                "facts",
                because=f"exactly {words}: the condition for the end says so",
                value=[exactly] * 2,
            )
        if _somebody_leads(at):
            return Answer(Verdict.PROVED, "construction", because=f"whoever has the most wins; {told}")
        search = at.complete()
        least, most = _winners(search, n) if search is not None else (0, n)
        if least > 0 and search is not None:
            words = f"exactly {least}" if least == most else f"{least} to {most}"
            return Answer(Verdict.PROVED, "counts", because=f"{words} at each end; {search.told}", value=[least, most])
        if until.left < 0.3 or not at.explore_more(until.left * 0.6):
            break
    at.campaign.run_more(min(until.left, seconds / 4))
    if 0 in seen.winners:
        return somebody_wins(shared, n, 0.1)
    return Answer(Verdict.UNKNOWN, "play", because=f"each end of {seen.runs} plays had a winner; {told}")


def _somebody_leads(at: AtPlayers) -> bool:
    """`wins: X[p] = max(X[q] for q)`."""
    result = at.game.result
    match result.wins:
        case ir.BinaryExpr(
            ir.Binary.EQ,
            left,
            ir.FoldExpr(ir.FoldOp.MAX | ir.FoldOp.MIN, ir.Binder(name, ir.PlayerType(), t, None), body),
            _,
        ):
            return body is not None and _renamed(left, ir.Local(result.player, t)) == _renamed(body, ir.Local(name, t))
        case ir.BinaryExpr(
            ir.Binary.EQ,
            left,
            ir.UnaryExpr(
                ir.Unary.UNWRAP,
                ir.FoldExpr(ir.FoldOp.MAX | ir.FoldOp.MIN, ir.Binder(name, ir.PlayerType(), t, None), body),
                _,
            ),
            _,
        ):
            return body is not None and _renamed(left, ir.Local(result.player, t)) == _renamed(body, ir.Local(name, t))
        case _:
            return False


def _exactly(at: AtPlayers) -> int | None:
    """How many winners each end has, where the way there says that they are so many."""
    result, found = at.game.result, set[int | None]()
    for i, node in enumerate(at.game.nodes):
        if isinstance(node, ir.Finish):
            found.add(_winners_by_facts(at, result, at.facts.at[i]))
    return found.pop() if len(found) == 1 else None


def _winners_by_facts(at: AtPlayers, result: ir.Result, known: Known) -> int | None:
    match result.wins:
        case ir.BinaryExpr(ir.Binary.EQ, ir.Local(name, _), one, _) | ir.BinaryExpr(
            ir.Binary.EQ, one, ir.Local(name, _), _
        ):
            if name == result.player and not _speaks_of(one, name) and at.facts.has_value(one, known):
                return 1
        case _:
            pass
    for fact, truth in known:
        match fact:
            case ir.BinaryExpr(
                ir.Binary.EQ,
                ir.FoldExpr(ir.FoldOp.COUNT, ir.Binder(name, ir.PlayerType(), t, where), body),
                ir.Const(int(number), _),
            ) if truth:
                counted = where if where is not None else body
                if counted is not None and _renamed(counted, ir.Local(name, t)) == _renamed(
                    result.wins, ir.Local(result.player, t)
                ):
                    return number
            case _:
                pass
    return None


def _speaks_of(expr: ir.Expr, name: str) -> bool:
    return any(isinstance(p, ir.Local) and p.name == name for p in parts(expr))


def _renamed(expr: ir.Expr, name: ir.Local) -> object:
    return put(expr, {name: ir.Local("#player", name.type)})


def _winners(search: Search, n: int) -> tuple[int, int]:
    """The least and the most winners at any end that the abstraction reaches."""
    result, least, most = search.machine.game.result, n, 0
    with search.counting.bound(result.player) as (slot,):
        wins = search.counting.estimate(result.wins)
    for point in search.explored.points:
        if not isinstance(search.machine.game.nodes[point.pc], ir.Finish):
            continue
        counts = search.counting.counts(point)
        truths = []
        for player in range(n):
            search.counting.scratch[slot] = player
            try:
                truths.append(wins(counts))
            except Impossible:  # an obligation fails: nothing is known of this end
                truths.append(UNKNOWN)
        least = min(least, sum(t is True for t in truths))
        most = max(most, sum(t is not False for t in truths))
    return least, most

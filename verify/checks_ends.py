"""Whether each hand and the game come to an end: from the graph of the count abstraction, and from real plays.

A graph without a way back is finite, and so is every play. Where there is a way back, a number with a limit that
only ever rises (or falls) on it and surely does so each time round cuts it. A real play that comes back to the very
position it was in shows that the game need not end, and so does one that comes back to it but for numbers that grow,
if nothing hangs on them. Numbers with a limit are looked for by induction, too (see `ranking`).
"""

from __future__ import annotations

from dsl import ir
from interpreter.trace import Trace
from verify.checks_graph import Measured, components, measure
from verify.checks_obligations import ENDLESS, sort_of
from verify.checks_shared import Search, Shared, Until, refuted, shown
from verify.hands import hands_of, where_over
from verify.outcome import Answer, Verdict


def game_ends(shared: Shared, n: int, seconds: float) -> Answer:
    """The whole game."""
    until, at = Until(seconds), shared.at(n)
    seen = at.campaign.begin(seconds / 6)
    endless = [f for f in seen.faults.values() if sort_of(f.message) == ENDLESS]
    if endless:
        return refuted(endless[0])
    because, asked = "", False
    at.explore_first(until)
    while True:
        if at.campaign.complete and at.campaign.is_acyclic:
            most = seen.longest
            return Answer(
                Verdict.PROVED,
                "every play",
                because=f"no play comes back to a position; {most} steps at most",
                value={"steps": most},
            )
        if at.campaign.seen.lasso is not None:
            return _lasso(*at.campaign.seen.lasso, {})
        search = at.complete()
        if search is not None:
            found = measure(search)
            if not found.rounds:
                return _finite(search, found)
            because = _rounds(search, found)
        if not asked:
            asked = True
            ranked = at.ranked(until.left * 0.5)
            if ranked is not None:
                return ranked
            lasso = at.endless(until.left * 0.6)
            if lasso is not None:
                names = at.machine.layout.var_names
                grown = {names[cell]: by for cell, by in lasso.growth.items()}
                return _lasso(at.campaign.trace_of(list(lasso.steps)), lasso.first, grown)
        elif until.left < 0.3 or not at.explore_more(until.left * 0.6):
            break
    at.campaign.run_more(min(until.left, seconds / 4))
    if at.campaign.seen.lasso is not None:
        return _lasso(*at.campaign.seen.lasso, {})
    return Answer(
        Verdict.UNKNOWN,
        "counts",
        because=f"{because or '; '.join(at.limits[-2:])}. Real plays never came back to one position",
        value={"longest play seen": at.campaign.seen.longest},
    )


def hands_end(shared: Shared, n: int, seconds: float) -> Answer:
    """Each rule that begins by gathering the cards, until it begins again or all cards are gathered."""
    hands = hands_of(shared.source)
    if not hands:
        return game_ends(shared, n, seconds)
    until, at = Until(seconds), shared.at(n)
    told: dict[str, int | None] = {}
    used: list[str] = []
    doubts: dict[str, str] = {}
    at.explore_first(until)
    while True:
        for rule in hands:
            if rule in told:
                continue
            for search in at.searches:
                if not search.explored.complete or search.rule not in (None, rule):
                    continue
                found = measure(search, where_over(shared.source, rule))
                if not found.rounds:
                    told[rule] = found.decisions
                    used.append(search.told)
                    break
                doubts[rule] = _rounds(search, found)
        if len(told) == len(hands):
            words = ", ".join(f"`{r}` has {k} decisions at most" for r, k in told.items() if k is not None)
            return Answer(
                Verdict.PROVED,
                "counts",
                because=f"{words or 'what rises has a limit'}; {'; '.join(dict.fromkeys(used))}",
                value=told,
            )
        if until.left < 0.3 or not at.explore_more(until.left * 0.4):
            break
    ranked = {rule: at.ranked(until.left, where_over(shared.source, rule)) for rule in hands if rule not in told}
    if all(ranked.values()):
        because = "; ".join(f"`{rule}`: {answer.because}" for rule, answer in ranked.items() if answer is not None)
        return Answer(Verdict.PROVED, "ranking", because=because, value=told)
    open_ = ", ".join(f"`{r}`" for r in hands if r not in told)
    return Answer(
        Verdict.UNKNOWN,
        "counts",
        because=f"not shown of {open_}: {'; '.join(doubts.values()) or '; '.join(at.limits[-2:])}",
        value=told,
    )


def _finite(search: Search, found: Measured) -> Answer:
    if found.decisions is not None:
        return Answer(
            Verdict.PROVED,
            "counts",
            because=f"{search.told} have no way back; {found.decisions} decisions at most",
            value={"decisions": found.decisions},
        )
    return Answer(Verdict.PROVED, "ranking", because=f"on every way back {'; '.join(found.cuts)}; {search.told}")


def _lasso(trace: Trace, first: int, grown: dict[str, int]) -> Answer:
    """A play of which the steps after the first so many may be repeated for ever, with what grows each time."""
    again = len(trace.steps)
    chance = sum(not hasattr(s, "choice") for s in trace.steps[first:])
    luck = f" ({chance} times chance had a part in it)" if chance else ", and chance has no part in it"
    numbers = ", ".join(f"`{name}` by {by}" for name, by in grown.items())
    but = f", but for what has grown: {numbers}. No condition on the way hangs on how far" if grown else ""
    because = (
        f"after {again} steps of this play everything is as it was after {first}{but}: it may go on so for ever{luck}"
    )
    value = {"from": first, "to": again} | ({"grows": grown} if grown else {})
    return Answer(Verdict.REFUTED, "play", because=because, trace=trace, at=again, value=value)


def _rounds(search: Search, found: Measured) -> str:
    """What may happen again and again, in words."""
    nodes = search.machine.game.nodes
    passed = [nodes[i] for e in found.rounds for i in e.nodes]
    chance = [x for x in passed if isinstance(x, ir.Shuffle | ir.Cut | ir.Random)]
    chances = {i for i, x in enumerate(nodes) if isinstance(x, ir.Shuffle | ir.Cut | ir.Random)}
    kept = [e for e in found.rounds if not e.nodes & chances]
    loops = sorted({x.origin.rule for x in passed})
    where = ", ".join(f"`{r}`" for r in loops[:4]) + (" …" if len(loops) > 4 else "")
    words = f"play in {where} may come back to the same counts"
    if chance and not components(kept):
        words += f"; each time round chance has a part in it (such as {shown(chance[0].origin)})"
    return words + "; no number with a limit was found that rises each time"

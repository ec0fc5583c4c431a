"""Free checks of positions: cards are kept, somebody can always choose, and the first deal is possible."""

from __future__ import annotations

from typing import Any

from dsl import ir
from dsl.lower import TooLarge, lower
from interpreter.machine import Machine
from interpreter.values import Fault
from verify.checks_play import Campaign, Failed
from verify.checks_shared import AtPlayers, Search, Shared, Until, place, refuted, shown
from verify.checks_stuck import Needed, always_something
from verify.outcome import Answer, Verdict
from verify.points import Point
from verify.unknown import Held


def cards_conserved(shared: Shared, n: int, seconds: float) -> Answer:
    """By construction; each play is counted all the same."""
    at = shared.at(n)
    seen = at.campaign.begin(seconds / 3)
    if seen.lost is not None:
        return Answer(
            Verdict.REFUTED, "play", because="cards got lost or doubled", trace=seen.lost, at=len(seen.lost.steps)
        )
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
    at.campaign.begin(seconds / 6)
    decisions = decisions_of(at)
    if not decisions:
        return Answer(Verdict.PROVED, "construction", because="nobody ever chooses")
    at.explore_first(until)
    while True:
        if at.campaign.seen.dead_ends:
            failed = min(at.campaign.seen.dead_ends.values(), key=lambda f: len(f.trace.steps))
            return refuted(failed)
        if at.campaign.complete:
            return Answer(Verdict.PROVED, "every play", because=f"all {at.campaign.positions} positions, card by card")
        left, used = stuck(at, decisions)
        if not left:
            return Answer(
                Verdict.PROVED,
                "counts" if used else "guards",
                because="; ".join(dict.fromkeys(used.values()))
                or "however the conditions of the actions turn out, one of them is allowed",
            )
        if until.left < 0.3 or not at.explore_more(until.left * 0.6):
            break
    at.campaign.run_more(min(until.left, seconds / 5))
    if at.campaign.seen.dead_ends:
        return no_dead_end(shared, n, 0.1)
    told = "; ".join(f"{shown(o)}: {why}" for o, why in left.values())
    return Answer(Verdict.UNKNOWN, "counts", because=f"{told}. Nobody was stuck in {at.campaign.seen.runs} plays")


def decisions_of(at: AtPlayers) -> list[tuple[int, ir.Decide | ir.Collect]]:
    """Where players choose."""
    return [(i, x) for i, x in enumerate(at.game.nodes) if isinstance(x, ir.Decide | ir.Collect)]


def stuck(
    at: AtPlayers, decisions: list[tuple[int, ir.Decide | ir.Collect]]
) -> tuple[dict[str, tuple[ir.Origin, str]], dict[str, str]]:
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
            left[where] = (
                node.origin,
                (
                    f"perhaps nothing can be done in {len(points)} positions of the count abstraction, "
                    "which cannot tell whether some card meets the conditions"
                ),
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
_NOT_ASKED = None, None


def deal_possible(shared: Shared, n: int, seconds: float) -> Answer:
    """For which numbers of players the rules come to a first decision without running out of cards."""
    until = Until(seconds / 2)
    table: dict[int, Any] = shared.kept.setdefault("deals", {})  # type: ignore[assignment]
    for k in (n, *range(1, _MOST_PLAYERS + 1)):
        if table.get(k, _NOT_ASKED)[0] is None:
            table[k] = _can_deal(shared, k, until)
    table = dict(sorted(table.items()))
    told = {k: {True: "yes", False: "no", None: "?"}[v[0]] for k, v in table.items()}
    possible, failed = table[n]
    if possible is None:
        return Answer(Verdict.UNKNOWN, "play", because="no play came to a decision in the time given", value=told)
    if not possible:
        return refuted(failed, told)
    return Answer(Verdict.WITNESSED, "play", because="a play comes to the first decision", value=told)


def _can_deal(shared: Shared, n: int, until: Until) -> tuple[bool | None, Failed | None]:
    if until.left <= 0:
        return None, None
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

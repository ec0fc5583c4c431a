"""Whether every rule, action and reading is of use: shown by playing; what is not played may be proved dead."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from dsl import ir, model
from dsl.load import Loaded, load
from dsl.walk import parts
from verify.checks_shared import AtPlayers, Search, Shared, Until, followed, roots
from verify.outcome import Answer, Verdict

_TRY = 0.5
_A_WHILE = 0.02


def every_rule_reached(shared: Shared, n: int, seconds: float) -> Answer:
    """Each rule is followed in some play, or stands only there for a claim to compare others with."""
    source = shared.source
    reachable = followed(source, roots(source))
    compared = followed(source, frozenset(f.rule for claim in source.properties for f in claim.rules))
    nowhere = [r for r in source.rules if r not in reachable | compared]
    if nowhere:
        told = ", ".join(f"`{r}`" for r in nowhere)
        return Answer(Verdict.REFUTED, "construction", because=f"no rule follows {told}")

    def missing(at: AtPlayers) -> set[Any]:
        return set(reachable) - at.campaign.seen.rules

    def reaches(search: Search, rule: Any) -> bool:
        nodes = search.machine.game.nodes
        return any(nodes[i].origin.rule == rule for i in search.counting.visited)

    return _reached(shared, n, seconds, missing, reaches, lambda rule: f"`{rule}`", len(reachable))


def every_action_taken(shared: Shared, n: int, seconds: float) -> Answer:
    """Each action is chosen in some play."""
    actions = {
        (x.origin.rule, x.name, a.name)
        for x in shared.at(n).game.nodes
        if isinstance(x, ir.Decide | ir.Collect)
        for a in x.actions
    }
    if not actions:
        return Answer(Verdict.VACUOUS, "construction", because="nobody ever chooses")

    def missing(at: AtPlayers) -> set[Any]:
        return actions - at.campaign.seen.taken

    def reaches(search: Search, wanted: Any) -> bool:
        nodes = search.machine.game.nodes
        for i, number in search.explored.taken:
            node = nodes[i]
            if isinstance(node, ir.Decide) and (node.origin.rule, node.name, node.actions[number].name) == wanted:
                return True
        return False

    return _reached(shared, n, seconds, missing, reaches, lambda a: f"`{a[2]}` of `{a[1]}` in `{a[0]}`", len(actions))


def _reached(
    shared: Shared,
    n: int,
    seconds: float,
    missing: Callable[[AtPlayers], set[Any]],
    reaches: Callable[[Search, Any], bool],
    name: Callable[[Any], str],
    total: int,
) -> Answer:
    until, at = Until(seconds), shared.at(n)
    at.campaign.begin(seconds / 6)
    while missing(at) and not at.campaign.complete and until.left > seconds * 0.7:
        at.campaign.run_more(min(0.3, until.left))
    left = missing(at)
    if not left:
        trace = at.campaign.seen.last_new
        return Answer(
            Verdict.WITNESSED,
            "play",
            because=f"all {total}, in {at.campaign.seen.runs or 'all'} plays",
            trace=trace,
            at=None if trace is None else len(trace.steps),
        )
    elsewhere: dict[str, str] = {}
    for where, other in _others(shared, n):
        if not left or until.left < seconds * 0.3:
            break
        other.campaign.run(_TRY)
        for found in left - missing(other):
            elsewhere[name(found)] = where
        left &= missing(other)
    if not left:
        return Answer(
            Verdict.WITNESSED, "play", because="; ".join(f"{k} only {v}" for k, v in elsewhere.items()), value=elsewhere
        )
    told = ", ".join(sorted(map(name, left)))
    low, high = shared.source.players
    dead = True
    for k in range(low, high + 1):
        one = shared.at(k)
        while one.complete() is None and until.left > 0.3 and one.explore_more(until.left * 0.6):
            pass
        search = one.complete()
        exact = one.campaign.complete and bool(left <= missing(one))
        dead = dead and (exact or (search is not None and not any(reaches(search, x) for x in left)))
    if dead and not _has_readings(shared):
        return Answer(Verdict.REFUTED, "counts", because=f"nothing ever leads to {told}, with any number of players")
    never = (
        "the count abstraction never reaches it"
        if dead
        else "; ".join(at.limits[-2:]) or "it may be possible with some cards"
    )
    return Answer(Verdict.UNKNOWN, "play", because=f"no play led to {told}; {never}")


def _has_readings(shared: Shared) -> bool:
    return any(o.pinned is None and len(o.readings) > 1 for o in shared.source.option_table)


def _others(shared: Shared, n: int) -> Iterator[tuple[str, AtPlayers]]:
    low, high = shared.source.players
    for k in range(low, high + 1):
        if k != n:
            yield f"with {k} players", shared.at(k)
    for option, reading, other in readings(shared):
        if other is not None:
            yield f"under {option}={reading}", other.at(max(n, other.source.players[0]))


def readings(shared: Shared) -> Iterator[tuple[str, str, Shared | None]]:
    """The game at each reading that was not chosen; None where it cannot be loaded."""
    for option in shared.source.option_table:
        chosen = dict(shared.source.options).get(option.name, option.default)
        for reading in option.names if option.pinned is None else ():
            if reading == chosen:
                continue
            key = f"{option.name}={reading}"
            if key not in shared.kept:
                shared.kept[key] = _at_reading(shared, {option.name: reading})
            found = shared.kept[key]
            yield option.name, reading, found if isinstance(found, Shared) else None


def _at_reading(shared: Shared, chosen: dict[str, str]) -> Shared | None:
    if shared.loaded is None:
        loaded = load(shared.source.path, shared.source.path.name)
        shared.loaded = loaded if isinstance(loaded, Loaded) else None
    if shared.loaded is None:
        return None
    # What was chosen besides stays so.
    known = {o.name: o for o in shared.source.option_table}
    others = {
        k: v for k, v in shared.source.options if k in known and known[k].pinned is None and v != known[k].default
    }
    found = shared.loaded.model(others | chosen)
    return None if found is None else Shared(found, shared.loaded)


def every_reading_reached(shared: Shared, n: int, seconds: float) -> Answer:
    """Under each reading something that it changes is played."""
    until = Until(seconds)
    idle: list[str] = []
    open_: list[str] = []
    count = 0
    for option, reading, other in readings(shared):
        count += 1
        name = f"{option}={reading}"
        if other is None:
            open_.append(f"{name} could not be loaded")
            continue
        changed = _changed(shared.source, other.source)
        if changed is not None and not changed:
            idle.append(name)
        elif changed is not None:
            k = min(max(n, other.source.players[0]), other.source.players[1])
            campaign = other.at(k).campaign
            while not changed & campaign.run_more(_A_WHILE).rules and until.left > 0.1 and not campaign.complete:
                pass
            if not changed & campaign.seen.rules:
                open_.append(f"{name} changes {', '.join(f'`{r}`' for r in sorted(changed))}, which no play led to")
    if idle:
        return Answer(Verdict.REFUTED, "comparison", because=f"{', '.join(idle)} changes nothing")
    if open_:
        return Answer(Verdict.UNKNOWN, "play", because="; ".join(open_))
    if not count:
        return Answer(Verdict.VACUOUS, "construction", because="no rule is read in two ways")
    return Answer(Verdict.WITNESSED, "play", because=f"all {count} readings that were not chosen")


def _changed(one: model.Model, other: model.Model) -> set[str] | None:
    """The rules that a reading changes, themselves or by a definition; None where it changes what all play rests on."""
    for name in ("players", "deck", "kinds", "zones", "state", "clock", "result"):
        if _plain(getattr(one, name)) != _plain(getattr(other, name)):
            return None
    was = {f.name: _plain(f) for f in one.functions} | {t.name: _plain(t) for t in one.tables}
    now = {f.name: _plain(f) for f in other.functions} | {t.name: _plain(t) for t in other.tables}
    changed = {k for k in was.keys() | now.keys() if was.get(k) != now.get(k)}
    spread = True
    while spread:
        more = {f.name for f in other.functions if _names(f) & changed}
        spread = not more <= changed
        changed |= more
    rules: set[str] = set()
    for name, rule in other.rules.items():
        before = one.rules.get(name)
        if before is None or _plain(before) != _plain(rule) or _names(rule) & changed:
            rules.add(name)
    return rules


def _names(node: Any) -> set[str]:
    """The definitions and tables that are used."""
    return {
        p.function if isinstance(p, ir.CallExpr) else p.table
        for p in parts(node)
        if isinstance(p, ir.CallExpr | ir.TableExpr)
    }


def _plain(node: Any) -> Any:
    """What something says, wherever it is written."""
    if isinstance(node, tuple | list):
        return tuple(_plain(x) for x in node)
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        kept = [f.name for f in dataclasses.fields(node) if f.name not in ("origin", "span", "cites")]
        return type(node).__name__, tuple(_plain(getattr(node, name)) for name in kept)
    return node

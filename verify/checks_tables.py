"""Free checks of the combination table, its order, the ladder of calls and the tables of values."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, permutations
from math import comb

from dsl import ir
from interpreter.combinations import Combinations
from interpreter.machine import Machine
from verify.checks_positions import no_dead_end
from verify.checks_shared import Shared, Until
from verify.outcome import Answer, Verdict

_MAX_TRIES = 3000
_MAX_HANDS = 400_000


def kinds_possible(shared: Shared, n: int, seconds: float) -> Answer:
    """Each row can occur with this deck, and is the best of some hand."""
    machine, until = shared.at(n).machine, Until(seconds)
    kinds, found = machine.game.kinds, machine.words.combinations
    if not kinds:
        return Answer(Verdict.VACUOUS, "construction", because="there is no table of combinations")
    hands: dict[str, str] = {}
    shown: dict[int, tuple[int, ...]] = {}
    always: dict[str, list[str]] = {}
    never: list[str] = []
    hidden: list[str] = []
    open_: list[str] = []
    for i, kind in enumerate(kinds):
        if kind.pattern is None:
            hand = _nothing(machine, until)
            if hand is None:
                open_.append(kind.name)
            else:
                hands[kind.name] = _words(machine, hand)
            continue
        if found.find(i, machine.words.cards.pack) is None:
            never.append(kind.name)
            continue
        shows, is_sure = _instance(found, i, machine.words.cards.pack, partial(_is_best, found, i), until)
        if shows is None:
            (hidden if is_sure else open_).append(kind.name)
            continue
        hands[kind.name] = _words(machine, shows)
        shown[i] = shows
    # What else each is comes last: it is only told, and takes the longest.
    for i, shows in shown.items():
        for j, other in enumerate(kinds):
            if j != i and other.pattern is not None and found.find(j, shows) is not None:
                without, is_sure = _instance(found, i, machine.words.cards.pack, partial(_lacks, found, j), until)
                if without is None and is_sure:
                    always.setdefault(kinds[i].name, []).append(other.name)
    value = {"hands": hands, "also": always}
    if never:
        return Answer(
            Verdict.REFUTED, "enumeration", because=f"with these cards there is no {_list(never)}", value=value
        )
    if hidden:
        because = f"whoever has {_list(hidden)} has something stronger too, so that it is never the best"
        return Answer(Verdict.REFUTED, "enumeration", because=because, value=value)
    if open_:
        return Answer(
            Verdict.UNKNOWN, "search", because=f"no hand was found that is best as {_list(open_)}", value=value
        )
    also = "; ".join(f"each {_plain(k)} is also a {' and a '.join(map(_plain, v))}" for k, v in always.items())
    return Answer(
        Verdict.PROVED, "enumeration", because=f"a hand was found for each{'; ' + also if also else ''}", value=value
    )


def _is_best(found: Combinations, kind: int, cards: tuple[int, ...]) -> bool:
    best = found.best(cards)
    return best is not None and best.kind == kind


def _lacks(found: Combinations, kind: int, cards: tuple[int, ...]) -> bool:
    return found.find(kind, cards) is None


def _instance(
    found: Combinations, kind: int, cards: tuple[int, ...], wanted: Callable[[tuple[int, ...]], bool], until: Until
) -> tuple[tuple[int, ...] | None, bool]:
    """Cards that are of a kind and as wanted. Where there are none: whether that is certain.

    The strongest of a pile is found; any other one that looks different has fewer of some face in it, so that of each
    face in turn so many are taken away.
    """
    waiting, seen = [tuple(sorted(cards))], set[tuple[int, ...]]()
    for _ in range(_MAX_TRIES):
        if not waiting:
            return None, True
        pile = waiting.pop()
        if pile in seen:
            continue
        seen.add(pile)
        strongest = found.find(kind, pile)
        if strongest is None:
            continue
        if wanted(strongest.cards):
            return strongest.cards, True
        look = found.cards.look
        used = [look[c] for c in strongest.cards]
        for face in sorted(set(used)):
            alike = [c for c in pile if look[c] == face]
            gone = set(alike[used.count(face) - 1 :])
            waiting.append(tuple(c for c in pile if c not in gone))
        if until.left <= 0:
            break
    return None, not waiting


def _nothing(machine: Machine, until: Until) -> tuple[int, ...] | None:
    """A hand that is no kind with a pattern."""
    found, kinds = machine.words.combinations, machine.game.kinds
    for hand in _hands(machine, until):
        best = found.best(hand)
        if best is None or kinds[best.kind].pattern is None:
            return hand
    return None


def _size(machine: Machine) -> int:
    return max((k.pattern.size for k in machine.game.kinds if k.pattern is not None), default=0)


def _all_hands(machine: Machine) -> bool:
    return comb(len(machine.words.cards.pack), _size(machine)) <= _MAX_HANDS


def _hands(machine: Machine, until: Until) -> Iterator[tuple[int, ...]]:
    """Hands of as many cards as the largest kind needs: some at random, then all where these are not too many."""
    pack, size, rng = machine.words.cards.pack, _size(machine), random.Random(machine.game.name)
    for _ in range(_MAX_TRIES):
        yield tuple(rng.sample(pack, min(size, len(pack))))
        if until.left <= 0:
            return
    if _all_hands(machine):
        yield from combinations(pack, size)


def table_has_no_gap(shared: Shared, n: int, seconds: float) -> Answer:
    """Whether each hand of full size is something."""
    machine, until = shared.at(n).machine, Until(seconds)
    kinds = machine.game.kinds
    if not kinds:
        return Answer(Verdict.VACUOUS, "construction", because="there is no table of combinations")
    rest = [k.name for k in kinds if k.pattern is None]
    if rest:
        return Answer(Verdict.PROVED, "construction", because=f"what is no other kind is `{rest[0]}`")
    if any(_is_any_card(k.pattern) for k in kinds if k.pattern is not None):
        return Answer(Verdict.PROVED, "construction", because="one row asks for any single card")
    hand = _nothing(machine, until)
    if hand is not None:
        words = _words(machine, hand)
        return Answer(
            Verdict.WITNESSED, "search", because=f"{words} is nothing; no row says `none of these`", value=words
        )
    if _all_hands(machine) and until.left > 0:
        return Answer(Verdict.PROVED, "enumeration", because=f"every hand of {_size(machine)} cards")
    return Answer(Verdict.UNKNOWN, "search", because="no hand was found that is nothing, and not all were looked at")


def _is_any_card(pattern: ir.Pattern) -> bool:
    return (
        pattern.size == 1
        and not pattern.conditions
        and not isinstance(pattern.groups[0].rank, int)
        and not isinstance(pattern.groups[0].suit, int)
    )


def comparison_is_preorder(shared: Shared, n: int, seconds: float) -> Answer:
    """By construction; which kinds can tie exactly is listed."""
    machine, until = shared.at(n).machine, Until(min(seconds, 4.0))
    kinds = machine.game.kinds
    if not kinds:
        return Answer(Verdict.VACUOUS, "construction", because="there is no table of combinations")
    ties = {k.name: t for i, k in enumerate(kinds) if (t := _tie(machine, i, until)) is not None}
    without = [k.name for k in kinds if k.name not in ties]
    because = "strength is the row and then whole numbers, compared one after the other"
    if ties:
        because += f"; two hands of one deck can tie as {_list(list(ties))}"
    if without:
        because += f"; no such tie was found as {_list(without)}"
    return Answer(Verdict.PROVED, "construction", because=because, value={"ties": ties, "no tie found": without})


def _tie(machine: Machine, kind: int, until: Until) -> list[str] | None:
    """Two hands without a card in common, equally strong as a kind: the same ranks in other suits."""
    cards, found = machine.words.cards, machine.words.combinations
    rng, size = random.Random(f"{machine.game.name}/{kind}"), _size(machine)
    suits = sorted({cards.suit[c] for c in cards.pack})
    turns = list(permutations(suits)) if len(suits) <= 4 else [tuple(suits[i:] + suits[:i]) for i in range(len(suits))]
    for _ in range(60):
        if until.left <= 0:
            return None
        some = tuple(rng.sample(cards.pack, max(size, len(cards.pack) * 2 // 3)))
        core = found.find(kind, some)
        if core is None:
            core = found.find(kind, cards.pack)
            if core is None:
                return None
        used = core.cards[:size]
        rest = [c for c in cards.pack if c not in used]
        hand = (*used, *rng.sample(rest, min(size - len(used), len(rest))))
        best = found.best(hand)
        if best is None or best.kind != kind:
            continue
        for turn in turns:
            to = dict(zip(suits, turn, strict=True))
            left = [c for c in cards.pack if c not in hand]
            other: list[int] = []
            for card in hand:
                twin = next(
                    (c for c in left if cards.rank[c] == cards.rank[card] and cards.suit[c] == to[cards.suit[card]]),
                    None,
                )
                if twin is None:
                    break
                left.remove(twin)
                other.append(twin)
            else:
                same = found.best(other)
                if same is not None and same.strength == best.strength:
                    return [_words(machine, hand), _words(machine, tuple(other))]
    return None


def ladder_is_strict(shared: Shared, n: int, seconds: float) -> Answer:
    """The levels of calls, and that nobody who may call is ever without an answer."""
    at = shared.at(n)
    called = any(
        p.domain is None
        for x in at.game.nodes
        if isinstance(x, ir.Decide | ir.Collect)
        for a in x.actions
        for p in a.parameters
    )
    if not called:
        return Answer(Verdict.VACUOUS, "construction", because="nobody calls a combination")
    calls = at.machine.words.calls
    levels = sorted({c.strength for c in calls})
    top = [at.machine.words.combinations.say(c) for c in calls if c.strength == levels[-1]] if levels else []
    value = {"calls": len(calls), "levels": len(levels), "top": top}
    if not calls:
        return Answer(
            Verdict.REFUTED, "enumeration", because="no combination can be called with these cards", value=value
        )
    stuck = no_dead_end(shared, n, seconds)
    told = f"{len(calls)} calls stand on {len(levels)} levels, each above the last, up to {' or '.join(top)}"
    if stuck.verdict is Verdict.PROVED:
        because = f"{told}; whoever may call may always do something ({stuck.because})"
        return Answer(Verdict.PROVED, f"enumeration, {stuck.engine}", because=because, value=value)
    return Answer(
        stuck.verdict, stuck.engine, because=f"{told}; {stuck.because}", value=value, trace=stuck.trace, at=stuck.at
    )


def tables_are_whole(shared: Shared, n: int, seconds: float) -> Answer:
    """By construction: a table has one row for each value."""
    game = shared.at(n).game
    rows = {t.name: len(t.rows) for t in game.tables}
    if not rows:
        return Answer(Verdict.VACUOUS, "construction", because="there are no tables of values")
    for table in game.tables:
        low, high = shared.at(n).machine.words.bounds(table.domain)
        if len(table.rows) != high - low + 1 or None in table.rows:
            return Answer(Verdict.REFUTED, "enumeration", because=f"`{table.name}` lacks a row", value=rows)
    return Answer(
        Verdict.PROVED, "enumeration", because="each value has one row; see `values_defined` for others", value=rows
    )


def _words(machine: Machine, hand: tuple[int, ...]) -> str:
    cards = machine.words.cards
    return " ".join(cards.name(c) for c in sorted(hand, key=lambda c: (-cards.rank[c], cards.suit[c])))


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _list(names: list[str]) -> str:
    return ", ".join(map(_plain, names))

"""The search for combinations against their definition, tried out by brute force on small packs.

The reference below shares no code with the engine: it tries every value of every variable and every way to hand
the cards to the groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.ir import Combination, Compare, Deck, Group, Key, Kind, Pattern, PatternCondition, Runs
from interpreter.cards import CardSet
from interpreter.combinations import Combinations

# ------------------------------------------------------------------------------------------ reference


@dataclass(frozen=True)
class Way:
    """One way some cards are a pattern."""

    cards: frozenset[int]
    key: tuple[int, ...]
    named: tuple[int, ...]


def compare(a: int, op: Compare, b: int) -> bool:
    return {"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op.value]


def is_run(deck: Deck, ranks: tuple[int, ...]) -> bool:
    """Whether ranks in this order, lowest first, follow each other by the deck's rules of adjacency."""
    runs, last = deck.runs, len(deck.ranks) - (2 if deck.num_jokers else 1)
    if len(set(ranks)) != len(ranks) or runs.never in ranks or max(ranks) > last:
        return False

    def follows(i: int) -> bool:
        a, b = ranks[i], ranks[i + 1]
        if i == 0 and a == runs.low_rank and b == 0 and (runs.high or runs.wraps or b != runs.low_rank):
            return True
        if runs.wraps:
            return b == a + 1 or (a == last and b == 0)
        return b == a + 1 and (runs.high or runs.low_rank not in (a, b))

    return all(follows(i) for i in range(len(ranks) - 1))


def deals(pool: tuple[int, ...], counts: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to hand so many of the cards to each group."""
    if not counts:
        yield ()
        return
    for chosen in combinations(pool, counts[0]):
        rest = tuple(c for c in pool if c not in chosen)
        for others in deals(rest, counts[1:]):
            yield (chosen, *others)


def ways(cards: CardSet, kind: Kind, pool: tuple[int, ...]) -> Iterator[Way]:
    """Every way to find the kind among the cards, from its definition."""
    pattern = kind.pattern
    assert pattern is not None
    sizes = {"rank": cards.num_ranks, "suit": cards.num_suits}
    names = [name for name, _ in pattern.variables]
    valuations = []
    for numbers in product(*(range(sizes[sort]) for _, sort in pattern.variables)):
        values = dict(zip(names, numbers, strict=True))

        def value(ref: str | int, values: dict[str, int] = values) -> int:
            return values[ref] if isinstance(ref, str) else ref

        if all(compare(value(c.left), c.op, value(c.right)) for c in pattern.conditions):
            valuations.append((values, value))
    for groups in deals(pool, tuple(g.count for g in pattern.groups)):
        for values, value in valuations:
            options = [
                list(group_ways(cards, g, chosen, value)) for g, chosen in zip(pattern.groups, groups, strict=True)
            ]
            for parts in product(*options):
                used = frozenset(c for chosen in groups for c in chosen)
                key = reference_key(cards, kind, values, parts, [c for c in pool if c not in used])
                yield Way(used, key, tuple(values[name] for name, _ in kind.named))


def group_ways(cards: CardSet, group: Group, chosen: tuple[int, ...], value) -> Iterator[tuple[list[int], list[int]]]:  # type: ignore[no-untyped-def]
    """Readings of a group's cards: what it contributes as a group, and what each card counts."""
    if group.suit is not None and any(cards.suit[c] != value(group.suit) for c in chosen):
        return
    ranks = [cards.rank[c] for c in chosen]
    if group.run:
        for order in permutations(ranks):
            if is_run(cards.deck, order) and (group.rank is None or value(group.rank) == order[-1]):
                yield [order[-1]], [order[-1] - i for i in range(len(order))]
    elif group.rank is None:
        yield sorted(ranks, reverse=True), ranks
    elif all(r == value(group.rank) for r in ranks):
        yield [value(group.rank)], ranks


def reference_key(cards, kind, values, parts, others) -> tuple[int, ...]:  # type: ignore[no-untyped-def]
    key: list[int] = []
    for part in kind.by:
        if part is Key.CARDS:
            key += sorted((h for _, heights in parts for h in heights), reverse=True)
        elif part is Key.SIDE_CARDS:
            key += sorted((cards.rank[c] for c in others), reverse=True)
        elif part is Key.GROUPS:
            listed = [ranks for ranks, _ in parts]

            def shape(g: Group) -> tuple[object, ...] | None:
                named = [v for v in (g.rank, g.suit) if isinstance(v, str) and v[0] != "_"]
                return None if named else (g.count, g.run, g.rank is None, g.suit is None)

            shapes = [shape(g) for g in kind.pattern.groups]
            for i, s in enumerate(shapes):
                alike = sorted(
                    (listed[j] for j in range(len(shapes)) if s is not None and shapes[j] == s), reverse=True
                )
                place = sum(1 for j in range(i) if shapes[j] == s)
                key += alike[place] if alike else listed[i]
        else:
            key.append(values[part])
    return tuple(key)


# ----------------------------------------------------------------------------------------- strategies


@st.composite
def decks(draw: st.DrawFn) -> Deck:
    plain = draw(st.integers(2, 5))
    jokers = draw(st.sampled_from((0, 0, 1, 2)))
    some_rank = st.none() | st.integers(0, plain - 1)
    runs = Runs(draw(some_rank), draw(st.booleans()), draw(st.none() | some_rank), draw(st.booleans()))
    suits = ("cups", "swords", "bells")[: draw(st.integers(1, 3))]
    ranks = tuple("abcde"[:plain]) + (("joker",) if jokers else ())
    removed = draw(st.sets(st.integers(0, plain * len(suits) - 1), max_size=2))
    return Deck(ranks, suits, draw(st.integers(1, 3)), jokers, runs, removed=tuple(sorted(removed)))


@st.composite
def kinds(draw: st.DrawFn, deck: Deck, name: str = "kind", largest: int = 4) -> Kind:
    num_ranks, num_suits = len(deck.ranks), len(deck.suits)
    groups: list[Group] = []
    # Half of the patterns are about suits, else two of them would rarely meet in one.
    about_suits = draw(st.booleans())
    suits = st.sampled_from(("t", "_t")) if about_suits else st.none() | st.integers(0, num_suits - 1)
    room = draw(st.integers(1, largest))
    while room:
        count = draw(st.integers(1, room))
        rank = draw(st.none() | st.sampled_from(("r", "s", "_1", "_2")) | st.integers(0, num_ranks - 1))
        suit = draw(st.none() | suits)
        groups.append(Group(count, draw(st.sampled_from((False, False, True))), rank, suit))
        room -= count
    variables: dict[str, str] = {}
    for g in groups:
        for ref, sort in ((g.rank, "rank"), (g.suit, "suit")):
            if isinstance(ref, str):
                variables[ref] = sort
    if draw(st.integers(0, 9)) == 0:
        variables.setdefault("z", "rank")  # no group has it, only perhaps a condition
    of_rank = [v for v, sort in variables.items() if sort == "rank"]
    conditions: list[PatternCondition] = []
    if of_rank:
        side = st.sampled_from(of_rank)
        condition = st.builds(PatternCondition, side, st.sampled_from(Compare), side | st.integers(0, num_ranks - 1))
        conditions = draw(st.lists(condition, max_size=2))
    if variables.keys() >= {"t", "_t"}:
        same = draw(st.sampled_from((Compare.EQ, Compare.NE)))
        conditions.extend(draw(st.sampled_from(((), (PatternCondition("t", same, "_t"),)))))
    parts: list[Key | str] = [*Key, *variables]
    by = draw(st.lists(st.sampled_from(parts), max_size=3, unique=True))
    pattern = Pattern(tuple(groups), tuple(variables.items()), tuple(conditions))
    score = draw(st.integers(-1, 4))
    return Kind(name, pattern, pattern.size, tuple(by), columns=(("score", score),))


@st.composite
def hands(draw: st.DrawFn, cards: CardSet, largest: int = 6) -> tuple[int, ...]:
    largest = min(largest, len(cards.pack))
    return tuple(draw(st.lists(st.sampled_from(cards.pack), max_size=largest, unique=True))) if cards.pack else ()


@st.composite
def one_kind(draw: st.DrawFn) -> tuple[CardSet, Kind, tuple[int, ...]]:
    deck = draw(decks())
    cards = CardSet(deck)
    return cards, draw(kinds(deck)), draw(hands(cards))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Combinations, tuple[int, ...]]:
    deck = draw(decks())
    cards = CardSet(deck)
    rows = [draw(kinds(deck, f"kind {i}", 3)) for i in range(draw(st.integers(1, 4)))]
    if draw(st.booleans()):
        rows.insert(draw(st.integers(0, len(rows))), Kind("none", None, 0, (Key.CARDS,)))
    return Combinations(cards, tuple(rows)), draw(hands(cards))


# ----------------------------------------------------------------------------------------------- laws


@settings(max_examples=600, deadline=None)
@given(one_kind())
def test_find_is_the_way_with_the_greatest_key(case: tuple[CardSet, Kind, tuple[int, ...]]) -> None:
    cards, kind, pool = case
    every = set(ways(cards, kind, pool))
    found = Combinations(cards, (kind,)).find(0, pool)
    if found is None:
        assert not every
    else:
        assert len(found.cards) == kind.size == len(set(found.cards))
        assert found.key == max(w.key for w in every)
        assert Way(frozenset(found.cards), found.key, found.arguments) in every


@settings(max_examples=400, deadline=None)
@given(one_kind(), st.data())
def test_exactly_needs_a_part_for_each_card(case: tuple[CardSet, Kind, tuple[int, ...]], data: st.DataObject) -> None:
    cards, kind, pool = case
    chosen = pool[: kind.size] if data.draw(st.booleans()) else pool
    every = [w for w in ways(cards, kind, chosen) if len(w.cards) == len(chosen)]
    exact = Combinations(cards, (kind,)).exactly(0, chosen)
    assert (exact is not None) == bool(every)
    assert exact is None or exact.key == max(w.key for w in every)


@settings(max_examples=400, deadline=None)
@given(one_kind())
def test_contains_is_some_way_with_the_named_values(case: tuple[CardSet, Kind, tuple[int, ...]]) -> None:
    cards, kind, pool = case
    named = {w.named for w in ways(cards, kind, pool)}
    table = Combinations(cards, (kind,))
    sizes = {"rank": cards.num_ranks, "suit": cards.num_suits}
    for arguments in product(*(range(sizes[sort]) for _, sort in kind.named)):
        assert table.contains(pool, Combination(0, (), arguments)) == (arguments in named)


@settings(max_examples=200, deadline=None)
@given(one_kind(), st.randoms(use_true_random=False))
def test_the_order_of_the_cards_does_not_matter(case: tuple[CardSet, Kind, tuple[int, ...]], rng) -> None:  # type: ignore[no-untyped-def]
    cards, kind, pool = case
    table, other = Combinations(cards, (kind,)), Combinations(cards, (kind,))
    shuffled = list(pool)
    rng.shuffle(shuffled)
    for one, two in (
        ((table.find(0, pool),), (other.find(0, tuple(shuffled)),)),
        (table.split(pool, "score"), other.split(tuple(shuffled), "score")),
    ):
        assert [c and (c.strength, c.arguments, c.cards) for c in one] == [
            c and (c.strength, c.arguments, c.cards) for c in two
        ]
        for c in one:
            # Of equal faces the lowest numbers.
            for card in c.cards if c else ():
                twins = [o for o in pool if cards.look[o] == cards.look[card] and o < card]
                assert all(any(o in d.cards for d in one if d) for o in twins)


@settings(max_examples=250, deadline=None)
@given(tables(), st.data())
def test_best_is_the_strongest_allowed(case: tuple[Combinations, tuple[int, ...]], data: st.DataObject) -> None:
    table, pool = case
    allowed = data.draw(st.sets(st.sampled_from(range(len(table.kinds)))))
    best = table.best(pool, lambda kind: kind in allowed)
    there = {k: list(ways(table.cards, table.kinds[k], pool)) for k in allowed if table.kinds[k].pattern is not None}
    there = {k: every for k, every in there.items() if every}
    none = [k for k in allowed if table.kinds[k].pattern is None]
    if there:
        assert best is not None
        assert best.strength == max((k, w.key) for k, every in there.items() for w in every)
    elif none:
        assert best is not None and best.kind == none[0]
        assert best.key == tuple(sorted((table.cards.rank[c] for c in pool), reverse=True))
    else:
        assert best is None


@settings(max_examples=200, deadline=None)
@given(tables())
def test_a_split_is_the_best_of_all_splits(case: tuple[Combinations, tuple[int, ...]]) -> None:
    table, pool = case
    pieces: list[tuple[frozenset[int], int, tuple[int, tuple[int, ...]]]] = []
    for index, kind in enumerate(table.kinds):
        value = dict(kind.columns).get("score", 0)
        if kind.pattern is not None and value > 0:
            for part in combinations(pool, kind.size):
                keys = [w.key for w in ways(table.cards, kind, part)]
                if keys:
                    pieces.append((frozenset(part), value, (index, max(keys))))

    def splits(free: frozenset[int]) -> Iterator[tuple[int, list[tuple[int, tuple[int, ...]]]]]:
        """Each split once: of the cards still free the lowest is idle, or starts a piece."""
        if not free:
            yield 0, []
            return
        low = min(free)
        yield from splits(free - {low})
        for part, value, strength in pieces:
            if low in part and part <= free:
                for total, strengths in splits(free - part):
                    yield total + value, sorted([strength, *strengths], reverse=True)

    result = table.split(pool, "score")
    used = [c for piece in result for c in piece.cards]
    assert len(used) == len(set(used)) and set(used) <= set(pool)
    total = sum(dict(table.kinds[piece.kind].columns)["score"] for piece in result)
    assert (total, [piece.strength for piece in result]) == max(splits(frozenset(pool)))
    for piece in result:
        again = table.exactly(piece.kind, piece.cards)
        assert again is not None and again.key == piece.key


@settings(max_examples=150, deadline=None)
@given(tables(), st.data())
def test_strength_is_a_total_preorder(case: tuple[Combinations, tuple[int, ...]], data: st.DataObject) -> None:
    table, _ = case
    found = [table.best(data.draw(hands(table.cards))) for _ in range(3)]
    a, b, c = ((-1, ()) if f is None else f.strength for f in found)
    assert a <= b or b <= a
    assert not (a <= b and b <= c) or a <= c
    assert (a <= b and b <= a) == (a == b)
    for one, two in permutations([f for f in found if f is not None], 2):
        assert (one == two) == (one.strength == two.strength)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_the_ladder_is_every_possible_call_in_order(data: st.DataObject) -> None:
    deck = data.draw(decks().filter(lambda d: 0 < len(CardSet(d).pack) <= 9))
    cards = CardSet(deck)
    table = Combinations(cards, (data.draw(kinds(deck, "one", 3)), data.draw(kinds(deck, "other", 3))))
    ladder = table.ladder()
    places = [(call.strength, call.arguments) for call in ladder]
    assert all(a < b for a, b in pairwise(places))
    expected = set()
    for index, kind in enumerate(table.kinds):
        if table.is_callable(index):
            expected |= {(index, way.named) for way in ways(cards, kind, cards.pack)}
    assert {(call.kind, call.arguments) for call in ladder} == expected
    for call in ladder:
        again = table.parse_say(table.say(call))
        assert again is not None and (again.kind, again.key, again.arguments) == (call.kind, call.key, call.arguments)
        assert call == table.make(call.kind, call.arguments)
        assert table.is_possible(call.kind, call.arguments)


@settings(max_examples=150, deadline=None)
@given(one_kind())
def test_a_call_is_as_strong_as_the_same_thing_found(case: tuple[CardSet, Kind, tuple[int, ...]]) -> None:
    """Where nothing but named ranks counts, calling a combination and finding it give one strength."""
    cards, kind, pool = case
    table = Combinations(cards, (kind,))
    assert kind.pattern is not None
    loose = any(g.rank is None for g in kind.pattern.groups)
    found = table.find(0, pool)
    if found is not None and table.is_callable(0) and not loose and Key.SIDE_CARDS not in kind.by:
        assert table.make(0, found.arguments) == found
        assert table.contains(pool, found)

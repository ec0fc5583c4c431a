"""What the evaluator says of a deal is what the terms say of it; and where nothing is opaque, it is all they allow."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import lru_cache
from typing import Any

import pytest
import z3
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dsl import ir, model, parser, types
from dsl.diagnostics import Reporter
from dsl.expressions import Expressions
from dsl.lower import lower
from dsl.source import Embedded, Source
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET, Fault
from tests.properties.corpus import GAMES, model_of
from tests.properties.sentences import expressions
from tests.properties.test_semantics import PLAYERS, RELAXED, any_value, bare
from verify.dealt import Dealt
from verify.dealt_piles import Pack, Pile, most_in
from verify.folded import Optional, Strength, Unsupported, conj, equal, lift, neg


class Watched(Dealt):
    """Terms that notice when something is left open."""

    is_open = False

    def fresh(self, t: ir.Type, hint: str) -> Any:
        self.is_open = True
        return super().fresh(t, hint)


def dealt_state(machine: Machine, rng: random.Random, zones: list[int] | None = None) -> State:
    """Cards anywhere as far as zones hold them, and each variable with any value of its type, or none at all."""
    state, layout = machine.blank(recording=False), machine.layout
    holds = [most_in(machine, cell) for cell in range(len(layout.zone_cells))]
    for zone in range(len(state.zones)):
        state.zones[zone] = ()
    chosen = zones or range(len(state.zones))
    piles = rng.sample(list(chosen), rng.randint(1, len(chosen)))
    cards = list(machine.words.cards.pack)
    rng.shuffle(cards)
    for card in cards:
        zone = rng.choice(piles)
        most = holds[zone]
        if most is not None and len(state.zones[zone]) >= most:
            zone = layout.home
        state.zones[zone] = (*state.zones[zone], card)
        state.where[card] = zone
    for cell, declared in enumerate(layout.cell_vars):
        if declared.local or (declared.starts is None and rng.random() < 0.3):
            continue
        state.vars[cell] = any_value(machine, declared.type, rng)
    return state


def check(machine: Machine, expr: ir.Expr, state: State, rng: random.Random, grouped: bool) -> bool:
    """Whether the expression has a value here; if so, the terms must allow it, and nothing else unless open."""
    try:
        value = machine.compiler.compile(expr)(state)
    except Fault:
        return False
    dealt = Watched(machine, Pack(machine))
    try:
        cells, known = cells_of(dealt, machine, state, rng)
        found, sure = dealt.defined(expr, dealt.env(cells))
        if grouped:
            groups = dealt.deal.groups()
            dealt = Watched(machine, Pack(machine), groups)
            cells, known = cells_of(dealt, machine, state, rng)
            dealt.is_open = False
            found, sure = dealt.defined(expr, dealt.env(cells))
        same = same_value(dealt, found, value, types.of(expr))
    except Unsupported:
        return False
    if same is None:
        return False
    solver = z3.SimpleSolver()
    solver.set("timeout", 4_000)
    solver.add(*(lift(f) for f in (*dealt.all_facts(), *known, *lying(dealt, state, machine), sure)))
    # Where the solver gives up, as at products of what is not known, nothing is shown.
    assert solver.check(lift(same)) != z3.unsat, f"the terms exclude {value}"
    if not dealt.is_open:
        assert solver.check(lift(neg(same))) != z3.sat, f"the terms allow more than {value}"
    return True


def cells_of(dealt: Watched, machine: Machine, state: State, rng: random.Random) -> tuple[list[Any], list[Any]]:
    """The variables as they are, some as terms of which it is said; and what is said."""
    cells: list[Any] = []
    known: list[Any] = []
    for value, declared in zip(state.vars, machine.layout.cell_vars, strict=True):
        here = value
        if isinstance(types.strip(declared.type), ir.CardType) and isinstance(value, int):
            here = machine.words.cards.look[value]
        if here is not UNSET and rng.random() < 0.5:
            wanted = dealt.hands.strength_of(here) if isinstance(here, ir.Combination) else here
            here = dealt.fresh(declared.type, declared.name)
            known.append(equal(here, wanted))
        cells.append(here)
    dealt.is_open = False
    return cells, known


def lying(dealt: Dealt, state: State, machine: Machine) -> list[Any]:
    look = machine.words.cards.look
    facts = []
    for cells, place in dealt.deal.places.items():
        cards = [look[c] for cell in cells for c in state.zones[cell]]
        facts += [count == cards.count(x) for x, count in place.counts.items()]
    return facts


def same_value(dealt: Dealt, found: Any, value: Any, t: ir.Type) -> Any:
    match types.strip(t):
        case ir.CombinationsType():
            return None
        case ir.CardsType():
            if not isinstance(found, Pile):
                return None
            looks = [dealt.machine.words.cards.look[c] for c in value]
            return conj(*(lift(found.by_look.get(x, 0)) == looks.count(x) for x in dealt.pack.copies))
        case ir.CardType() if isinstance(value, int):
            return equal(found, dealt.machine.words.cards.look[value])
        case ir.CombinationType() if isinstance(value, ir.Combination):
            return equal(found, dealt.hands.strength_of(value))
        case _:
            if isinstance(found, Strength | Optional) or value is None:
                return equal(found, value)
            return equal(found, Fraction(value) if isinstance(t, ir.FractionType) else value)


def expression(text: str) -> ir.Expr | None:
    found, _ = bare()
    reporter = Reporter()
    syntax = parser.parse_expr(Embedded(Source("text", text), text, ((0, 0),)), reporter)
    assert syntax is not None
    return Expressions(found.symbols, reporter).check(syntax, {})


def check_text(text: str, seed: int) -> bool:
    _, machine = bare()
    expr, rng = expression(text), random.Random(seed)
    if expr is None:
        return False
    told = [check(machine, expr, dealt_state(machine, rng), rng, grouped=i % 2 == 1) for i in range(3)]
    return any(told)


@settings(RELAXED, max_examples=40)
@given(case=expressions(PLAYERS), seed=st.integers(0, 10**6))
def test_terms_of_a_deal_are_what_the_evaluator_says(case: tuple[str, str], seed: int) -> None:
    assume(check_text(case[1], seed))


@pytest.mark.slow
@settings(RELAXED, max_examples=800)
@given(case=expressions(PLAYERS), seed=st.integers(0, 10**6))
def test_many_terms_of_deals(case: tuple[str, str], seed: int) -> None:
    assume(check_text(case[1], seed))


# -------------------------------------------------------------------------------------- the real games

REAL = [
    ("poke", "hand_of(seat 1) >= hand_of(seat 2)", ("won", "lost")),
    ("poke", "hand_of(seat 1) is not none and hand_of(seat 1) = hand_of(seat 2)", ("won", "lost")),
    ("poke", "best(hand[seat 1])", ("hand",)),
    ("poke", "highest(p by best(hand[p]) tie none)", ("hand",)),
    ("four_rows", "kind of best(row[1] for kind k where k < full_house)", ("row",)),
    ("four_rows", "best(row[1]) > best(row[2])", ("row",)),
    ("four_rows", "best(row[1] + row[2])", ("row",)),
    ("four_rows", "sum(score of k for kind k where row[2] as k is not none)", ("row",)),
    ("poker_challenge", "best(hand[seat 1]) > best(hand[seat 2])", ("hand",)),
    ("poker_challenge", "max(hand[seat 1] as k for kind k)", ("hand",)),
    ("poker_challenge", "best(all hand)", ("hand",)),
    ("poker_bull", "count(rank r where is_true(three_of_a_kind(r)) or is_true(full_house(r, 2)))", ("hand",)),
    ("poker_bull", "all hand contains straight_flush(9, clubs)", ("hand",)),
]


@lru_cache(maxsize=4)
def real(game: str) -> tuple[model.Model, Machine]:
    source = model_of(GAMES / f"{game}.yaml")
    return source, Machine(lower(source, source.players[0]))


def chosen_deal(machine: Machine, zones: tuple[str, ...], rng: random.Random) -> State:
    """A few cards that are likely to be something in some zones, all others at home."""
    state, layout, cards = machine.blank(recording=False), machine.layout, machine.words.cards
    ranks = rng.sample(range(cards.num_ranks), rng.randint(2, 5)) + (
        list(range(8, 13)) if rng.random() < 0.5 else [12, 0, 1, 2, 3]
    )
    suits = rng.sample(range(cards.num_suits), rng.randint(1, 4))
    few = [c for c in cards.pack if cards.rank[c] in ranks and cards.suit[c] in suits]
    rng.shuffle(few)
    for zone in zones:
        family = layout.zones[zone]
        for cell in range(family.base, family.base + family.num_cells):
            most = most_in(machine, cell) or 5
            taken = tuple(few.pop() for _ in range(min(len(few), rng.choice((most, most, rng.randint(0, most))))))
            state.zones[cell] = taken
            state.zones[layout.home] = tuple(c for c in state.zones[layout.home] if c not in taken)
    return state


def check_real(case: tuple[str, str, tuple[str, ...]], number: int) -> None:
    game, text, zones = case
    source, machine = real(game)
    reporter = Reporter()
    syntax = parser.parse_expr(Embedded(Source("text", text), text, ((0, 0),)), reporter)
    assert syntax is not None
    expr = Expressions(source.symbols, reporter).check(syntax, {})
    assert expr is not None, [d.message for d in reporter.diagnostics]
    rng = random.Random(f"{text}/{number}")
    shown = [
        check(machine, expr, chosen_deal(machine, zones, rng), rng, grouped=(number + i) % 2 == 1)
        for i in range(number)
    ]
    assert any(shown)


@pytest.mark.parametrize("case", REAL, ids=[c[1] for c in REAL])
def test_hands_of_the_games_are_what_the_evaluator_says(case: tuple[str, str, tuple[str, ...]]) -> None:
    check_real(case, 1)


@pytest.mark.slow
@pytest.mark.parametrize("case", REAL, ids=[c[1] for c in REAL])
def test_many_hands_of_the_games(case: tuple[str, str, tuple[str, ...]]) -> None:
    check_real(case, 12)

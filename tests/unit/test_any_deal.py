"""Claims about cards: proved where they hold of every deal, never where one fails, and shown with chosen cards."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from dsl import ir, model
from tests.properties.corpus import GAMES, model_of
from tests.unit.test_prove_engines import with_claim
from verify import anydeal, attained
from verify.handvalues import hand_values
from verify.onezone import CARDS, is_blind_to_ranks, one_zone
from verify.outcome import Answer, Verdict
from verify.places import looks_at, machine_for
from verify.plays import holds_again
from verify.realise import shown_by_a_deal


def claimed(game: str, **claim: object) -> tuple[ir.Property, model.Model]:
    """A claim in a game; `each` stands for the key `for`."""
    if "each" in claim:
        claim["for"] = claim.pop("each")
    source = with_claim(GAMES / f"{game}.yaml", f"claim: {json.dumps(claim)}")
    return source.properties[-1], source


def asked(game: str, players: int, **claim: object) -> Answer | None:
    found, source = claimed(game, **claim)
    return anydeal.answer(found, machine_for(found, source, players), 20)


P, CS = {"p": "player"}, {"cs": "cards"}
TEN = "size of all place[p] = 10"
PAIRS = "some(rank r where is_true(one_pair(r)))"
THREES = "some(rank r where is_true(three_of_a_kind(r)))"
FOURS = "some(rank r where is_true(four_of_a_kind(r)))"
HAS_TWO = "size of won[p] = 5 and some(rank r where count(c in won[p] where rank of c = r) = 2)"
ACE = "some(c in hand[seat 2] where rank of c = A)"
OF_FLUSH = "some(rank x where count(c in cs where rank of c = x) > N)"
PROVED: list[tuple[str, int, dict[str, object]]] = [
    ("poker_bull", 5, {"always": PAIRS, "when": "size of all hand >= 14"}),
    ("poker_bull", 8, {"always": THREES, "when": "size of all hand >= 27"}),
    ("poker_bull", 8, {"always": FOURS, "when": "size of all hand >= 40"}),
    ("poker_bull", 5, {"always": "size of all hand <= 25"}),
    ("poker_bull", 5, {"always": "is_true(one_card(A))", "when": ACE}),
    ("poker_bull", 5, {"never": "size of hand[p] = 5 and every(c in hand[p] has rank of c = 2)", "each": P}),
    ("poker_challenge", 2, {"always": "board_value(p) <= 175", "when": TEN, "each": P}),
    ("poker_challenge", 2, {"impossible": "set_at(p, flush) is not none and size of all place[p] < 5", "each": P}),
    ("four_rows", 1, {"never": OF_FLUSH.replace("N", "1"), "when": "cs as flush is not none", "each": CS}),
    ("four_rows", 1, {"always": "best(cs) >= best(those(c in cs where suit of c = hearts))", "each": CS}),
    ("four_rows", 1, {"always": "kind of best(row[1]) != full_house", "when": "size of row[1] < 5"}),
    ("poke", 2, {"always": "best(won[p]) is not none", "when": HAS_TWO, "each": P}),
]
NOT_PROVED: list[tuple[str, int, dict[str, object]]] = [
    ("poker_bull", 5, {"always": PAIRS, "when": "size of all hand >= 13"}),
    ("poker_bull", 8, {"always": THREES, "when": "size of all hand >= 26"}),
    ("poker_bull", 8, {"always": FOURS, "when": "size of all hand >= 39"}),
    ("poker_bull", 5, {"always": "size of all hand <= 24"}),
    ("poker_bull", 5, {"always": "is_true(one_card(K))", "when": ACE}),
    ("poker_bull", 5, {"always": "is_true(one_pair(A))", "when": ACE}),
    ("poker_challenge", 2, {"always": "board_value(p) <= 174", "when": TEN, "each": P}),
    ("four_rows", 1, {"always": "kind of best(row[1]) != full_house", "when": "size of row[1] < 6"}),
    ("four_rows", 1, {"always": "rank of top of row[1] = A", "when": "size of row[1] = 1"}),
    ("poke", 2, {"never": "hand_of(seat 1) is not none and hand_of(seat 1) = hand_of(seat 2)"}),
    ("poke", 2, {"always": "hand_of(p) is none or hand_of(p) = best(won[p])", "each": P}),
    ("poke", 2, {"always": "below[p] = 0 or size of hand[p] = 0", "each": P}),
]
REFUTED: list[dict[str, object]] = [
    {"never": OF_FLUSH.replace("N", "0"), "when": "cs as flush is not none", "each": CS},
    {"always": "count(c in cs where rank of c = r) < 4", "each": {"cs": "cards", "r": "rank"}},
    {"always": "kind of best(cs) = nothing", "when": "size of cs = 4", "each": CS},
]


@pytest.mark.parametrize("case", PROVED)
def test_what_every_deal_allows_is_proved(case: tuple[str, int, dict[str, object]]) -> None:
    game, players, claim = case
    found = asked(game, players, **claim)
    assert found is not None and found.verdict is Verdict.PROVED


@pytest.mark.parametrize("case", NOT_PROVED)
def test_what_some_deal_fails_is_not_proved(case: tuple[str, int, dict[str, object]]) -> None:
    game, players, claim = case
    assert asked(game, players, **claim) is None


@pytest.mark.parametrize("claim", REFUTED)
def test_what_some_cards_fail_is_refuted_with_them(claim: dict[str, object]) -> None:
    found = asked("four_rows", 1, **claim)
    assert found is not None and found.verdict is Verdict.REFUTED
    assert found.because.startswith("not so of cs = ")


def test_more_cards_than_there_are_is_vacuous() -> None:
    found = asked("poker_bull", 5, always="players = 0", when="size of all hand >= 26")
    assert found is not None and found.verdict is Verdict.VACUOUS


def test_what_no_deal_makes_possible_is_refuted() -> None:
    found = asked("poker_bull", 5, possible="is_true(four_of_a_kind(A)) and size of all hand < 4")
    assert found is not None and found.verdict is Verdict.REFUTED


def test_a_hand_that_faults_says_nothing() -> None:
    """`top of` an empty row has no value, so that nothing is claimed of it."""
    found = asked("four_rows", 1, always="size of row[1] > 0", when="rank of top of row[1] = rank of top of row[1]")
    assert found is not None and found.verdict is Verdict.PROVED


# ---------------------------------------------------------------------------------- hands of one zone


def values_claim(expect: tuple[int, ...]) -> tuple[ir.Property, model.Model]:
    source = model_of(GAMES / "poker_challenge.yaml")
    claim = next(p for p in source.properties if p.kind == "values" and "for" not in p.name and len(p.expect) > 5)
    return replace(claim, expect=tuple(("", v) for v in expect)), source


def test_values_of_every_hand_are_found_and_shown() -> None:
    claim, source = values_claim((0, 2, 5, 7, 10, 15, 20, 25, 50, 52, 75, 100))
    machine = machine_for(claim, source, 3)
    found = hand_values(claim, machine, 60)
    assert found is not None and found.complete
    assert sorted(found.hands) == [0, 2, 5, 7, 10, 15, 20, 25, 50, 52, 75, 100]
    answered = attained.answer(claim, source, machine, looks_at(claim, source), 20)
    assert answered.verdict is Verdict.PROVED, answered.because
    claim, _ = values_claim((0, 2, 5, 7, 10, 15, 20, 25, 50, 52, 75))
    refuted = attained.answer(claim, source, machine, looks_at(claim, source), 10)
    assert refuted.verdict is Verdict.REFUTED and refuted.trace is not None
    claim, _ = values_claim((0, 2, 5, 7, 10, 12, 15, 20, 25, 50, 52, 75, 100))
    assert attained.answer(claim, source, machine, looks_at(claim, source), 1).verdict is Verdict.UNKNOWN


def test_no_hand_by_chance_has_another_value() -> None:
    claim, source = values_claim((0,))
    machine = machine_for(claim, source, 2)
    found, asked_of = hand_values(claim, machine, 60), one_zone(claim, machine.game)
    assert found is not None and asked_of is not None and is_blind_to_ranks(asked_of[1])
    with machine.compiler.bound(CARDS) as (slot,):
        value_of = machine.compiler.compile(asked_of[1])
    cards, rng = machine.words.cards, random.Random(6)
    of_a_suit = [c for c in cards.pack if cards.suit[c] == 2]
    state = machine.blank(recording=False)
    for number in range(1500):
        # By chance alone hardly any hand has five cards of a suit.
        hand = rng.sample(of_a_suit, 5 if number % 3 else 1)
        hand += rng.sample([c for c in cards.pack if c not in hand], 6 - len(hand))
        machine.compiler.scratch[slot] = tuple(hand)
        assert value_of(state) in found.hands, hand


# ------------------------------------------------------------------------------------------------ plays


SHOWN = [
    ("poker_challenge", 2, "board_value(seat 1) = 175 and size of all place[seat 1] = 10"),
    ("poker_challenge", 3, "set_at(seat 1, k) is not none and set_at(seat 1, k) = set_at(seat 3, k) and k = straight"),
    ("poke", 2, "kind of best(hand[seat 1]) = royal_flush and kind of best(hand[seat 2]) = royal_flush"),
]


@pytest.mark.parametrize(("game", "players", "claim"), SHOWN)
def test_a_play_with_chosen_cards_shows_it(game: str, players: int, claim: str) -> None:
    wanted, source = claimed(game, possible=claim, each={"k": "kind"})
    machine, where = machine_for(wanted, source, players), looks_at(wanted, source)
    found = shown_by_a_deal(wanted, machine, where, lambda values: bool(values[0]), 30)
    assert found is not None
    trace, at = found
    assert holds_again(machine, wanted, where, trace, lambda values: bool(values[0])) == at == len(trace.steps)

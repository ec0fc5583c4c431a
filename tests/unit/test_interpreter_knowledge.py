"""Who knows what: knowledge of cards, observations, information states, logs, and worlds that look alike."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from dsl import ir
from interpreter import history
from interpreter.determinise import determinise
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.observe import information_state, observe
from interpreter.state import State, check_conservation
from tests.unit.interpreter_games import (
    BOOL,
    CARD,
    CARDS,
    HAND,
    INT,
    ORIGIN,
    PILE,
    PLAYER,
    TABLE,
    a_zone,
    action,
    assign,
    const,
    discards,
    game,
    secret_picks,
    state_var,
    unary,
    var,
    zone,
)  # fmt: skip

END = ir.Finish("over", ORIGIN)
SEAT = [const(p, PLAYER) for p in range(3)]
HANDS = [zone("hand", seat) for seat in SEAT]
DRAW = a_zone("draw", "nobody", "count", "top")
BAG = a_zone("bag", "nobody", "contents")
DARK = a_zone("dark", "nobody")
ZONES = (a_zone("stock", "nobody", "count"), HAND, PILE, TABLE, DRAW, BAG, DARK)


def after(*nodes: ir.Node, **more: Any) -> tuple[Machine, State]:
    """Three players; the nodes in a row, each to the next. 7C 7H 8C 8H 9C 9H KC KH lie in the stock from the bottom."""
    machine = Machine(game((*nodes, END), zones=ZONES, num_players=3, **more))
    return machine, machine.initial()


def deal(number: int, count: int, source: ir.ZoneExpr, target: ir.ZoneExpr) -> ir.Deal:
    return ir.Deal(const(count), False, source, target, number + 1, ORIGIN)


def move(number: int, cards: ir.Expr, target: ir.ZoneExpr) -> ir.Move:
    return ir.Move(cards, target, number + 1, ORIGIN)


def card(number: int) -> ir.Expr:
    """A card that somebody chose: nobody else can tell from where it lay which it is."""
    return const(number, CARD)


def knowers(machine: Machine, state: State, number: int) -> list[Any]:
    """The seats that know a card, and None for the public."""
    viewers = [*range(machine.game.num_players), None]
    return [v for v in viewers if state.known[number] & machine.layout.viewer_bit(v)]


# -------------------------------------------------------------------------------- knowledge of cards


def test_whoever_may_look_knows_the_card() -> None:
    machine, state = after(deal(0, 2, zone("stock"), HANDS[0]), deal(1, 1, zone("stock"), zone("pile")))
    assert knowers(machine, state, 7) == [0]
    assert knowers(machine, state, 5) == [0, 1, 2, None]
    assert knowers(machine, state, 0) == []


def test_a_shown_card_stays_known_while_it_can_be_followed() -> None:
    machine, state = after(
        deal(0, 1, zone("stock"), zone("pile")),
        move(1, unary(ir.Unary.TOP_OF, zone("pile"), CARD), HANDS[1]),
        deal(2, 2, zone("stock"), HANDS[1]),
    )
    assert knowers(machine, state, 7) == [0, 1, 2, None]
    assert knowers(machine, state, 6) == [1]
    assert observe(machine, state, 0).zones["hand of seat 2"]["cards"] == ["KH", None, None]


def test_a_card_chosen_unseen_from_a_hand_may_have_been_any_of_it() -> None:
    machine, state = after(
        deal(0, 1, zone("stock"), zone("pile")),
        move(1, unary(ir.Unary.TOP_OF, zone("pile"), CARD), HANDS[1]),
        deal(2, 2, zone("stock"), HANDS[1]),
        move(3, card(6), zone("table")),
    )
    assert knowers(machine, state, 7) == [1], "the others cannot tell whether it was the one they had seen"
    assert knowers(machine, state, 6) == [1], "who laid it knows what lies there"


def test_a_known_card_chosen_unseen_is_lost_sight_of() -> None:
    machine, state = after(
        deal(0, 1, zone("stock"), zone("pile")),
        move(1, unary(ir.Unary.TOP_OF, zone("pile"), CARD), HANDS[1]),
        deal(2, 2, zone("stock"), HANDS[1]),
        move(3, const((7, 6), CARDS), zone("table")),
    )
    assert knowers(machine, state, 7) == [1] == knowers(machine, state, 6)


def test_a_card_played_openly_leaves_the_others_known() -> None:
    machine, state = after(
        deal(0, 1, zone("stock"), zone("pile")),
        move(1, unary(ir.Unary.TOP_OF, zone("pile"), CARD), HANDS[1]),
        deal(2, 2, zone("stock"), HANDS[1]),
        move(3, card(6), zone("pile")),
    )
    assert knowers(machine, state, 7) == [0, 1, 2, None]


def test_only_the_top_of_a_pile_is_shown() -> None:
    machine, state = after(deal(0, 3, zone("stock"), zone("draw")), deal(1, 1, zone("draw"), HANDS[2]))
    everybody = [0, 1, 2, None]
    assert knowers(machine, state, 5) == everybody, "it lay on top, and everybody saw it go"
    assert knowers(machine, state, 6) == everybody, "now it lies on top"
    assert knowers(machine, state, 7) == []
    assert observe(machine, state, None).zones["draw"] == {"count": 2, "cards": [None, "KC"]}


def test_a_shuffle_makes_all_forget_and_a_reveal_makes_one_know() -> None:
    machine, state = after(
        ir.Gather(None, zone("pile"), 1, ORIGIN),
        ir.Gather(None, zone("stock"), 2, ORIGIN),
        ir.Shuffle(zone("stock"), None, 3, ORIGIN),
        ir.Reveal(unary(ir.Unary.TOP_OF, zone("stock"), CARD), SEAT[2], 4, ORIGIN),
        ir.Reveal(const((0, 1), CARDS), None, 5, ORIGIN),
    )
    assert knowers(machine, state, 3) == [0, 1, 2, None]
    state = machine.apply_chance(state, (7, 6, 5, 4, 3, 2, 1, 0))
    assert knowers(machine, state, 3) == []
    assert knowers(machine, state, 0) == [0, 1, 2, None]
    machine, state = after(
        ir.Shuffle(zone("stock"), None, 1, ORIGIN),
        ir.Reveal(unary(ir.Unary.TOP_OF, zone("stock"), CARD), SEAT[2], 2, ORIGIN),
    )
    state = machine.apply_chance(state, (7, 6, 5, 4, 3, 2, 1, 0))
    assert knowers(machine, state, 0) == [2]


def test_shown_contents_tell_which_cards_but_not_their_order() -> None:
    machine, state = after(deal(0, 3, zone("stock"), zone("bag")), ir.Shuffle(zone("bag"), None, 2, ORIGIN))
    state = machine.apply_chance(state, (1, 2, 0))
    seen = observe(machine, state, 0).zones["bag"]
    assert seen == {"count": 3, "cards": [None, None, None], "contents": ["9H", "KC", "KH"]}


# -------------------------------------------------------------------------------------- what is seen


def test_counts_may_be_hidden_too() -> None:
    machine, state = after(deal(0, 3, zone("stock"), zone("dark")), deal(1, 1, zone("stock"), zone("dark")))
    assert observe(machine, state, 0).zones["dark"] == {"count": None, "cards": None}


def test_variables_are_seen_by_whom_they_are_meant_for() -> None:
    machine, state = after(
        assign("held", card(7), 1),
        assign("mine", const(5), 2, SEAT[1]),
        state=(
            state_var("mine", INT, 1, (PLAYER,), seen="owner"),
            state_var("secret", INT, 2, seen="nobody"),
            state_var("local", INT, 3, local=True),
            ir.StateVar("held", (), CARD, None),
            ir.StateVar("later", (), BOOL, None),
        ),
    )
    scores = {f"score of seat {p}": 0 for p in (1, 2, 3)}
    assert observe(machine, state, None).state == {**scores, "held": None, "later": None}
    assert observe(machine, state, 1).state == {**scores, "mine of seat 2": 5, "held": None, "later": None}
    narrator = Narrator(machine.layout)
    assert [line.text for line in narrator.log(state, 1)][:2] == ["held: a card", "mine of seat 2: 1 -> 5"]
    assert [line.text for line in narrator.log(state, 0)][:2] == ["held: a card", "the game is over: over"]


def test_an_observation_is_plain_data() -> None:
    machine = Machine(discards())
    state = machine.apply_chance(machine.initial(), tuple(range(8)))
    data = json.loads(json.dumps(observe(machine, state, 0).to_json()))
    assert data["viewer"] == 1 and data["to_move"] == [1] and data["decision"] == "play"
    assert data["zones"]["hand of seat 1"] == {"count": 2, "cards": ["KH", "KC"]}
    assert data["zones"]["hand of seat 2"] == {"count": 2, "cards": [None, None]}
    assert data["zones"]["stock"] == {"count": 4, "cards": [None] * 4}
    assert data["state"]["turn"] == "seat 1"
    assert data["clock_ms"] is None and data["reason"] is None


def test_a_waiting_choice_is_seen_only_by_who_made_it() -> None:
    machine = Machine(secret_picks())
    one, other = (machine.apply(s := machine.initial(), 0, machine.legal_actions(s, 0)[i]) for i in (0, 2))
    assert observe(machine, one, 0).choice == "pick(1)"
    assert observe(machine, one, 1).choice is None
    assert observe(machine, one, 1).chosen == (1,)
    for viewer in (1, None):
        assert observe(machine, one, viewer).to_json() == observe(machine, other, viewer).to_json()
    assert information_state(machine, one, 1) == information_state(machine, other, 1)
    assert information_state(machine, one, 0) != information_state(machine, other, 0)


def test_an_information_state_remembers_what_is_no_longer_seen() -> None:
    machine = Machine(discards())
    states = [
        machine.apply_chance(machine.initial(), order) for order in ((0, 1, 2, 3, 4, 5, 6, 7), (0, 1, 2, 3, 5, 4, 6, 7))
    ]
    first, second = states
    assert information_state(machine, first, 0) == information_state(machine, second, 0)
    assert information_state(machine, first, 1) != information_state(machine, second, 1), "dealt in another order"


# --------------------------------------------------------------------------------------------- logs


def log(machine: Machine, state: State, viewer: int | None) -> list[str]:
    return [line.text for line in Narrator(machine.layout).log(state, viewer)]


def test_a_log_says_what_each_has_seen() -> None:
    machine = Machine(discards())
    state = machine.apply_chance(machine.initial(), (0, 1, 2, 3, 4, 5, 6, 7))
    choice = machine.parse_choice(state, 0, "play(KC)")
    assert choice is not None
    state = machine.apply(state, 0, choice)
    assert log(machine, state, None) == [
        "seat 1 shuffles the stock",
        "deal from stock: 2 cards to hand of seat 1, hand of seat 2",
        "seat 1: play KC",
        "move KC from hand of seat 1 to pile",
        "score of seat 1: 0 -> 1",
        "turn: seat 1 -> seat 2",
    ]
    assert "KH KC" in log(machine, state, 0)[1]
    assert "9H 9C" in log(machine, state, 1)[1] and "K" not in log(machine, state, 1)[1]
    line = Narrator(machine.layout).log(state, None)[-3]
    assert line.cites == ("XX-01",) and line.rule == "game"


def test_a_card_laid_face_down_is_not_named_to_others() -> None:
    machine = Machine(secret_picks())
    state = machine.initial()
    for text in ("pick(1)", "pick(1)", "lay(9H)", "lay(8C)"):
        player = machine.to_move(state)[0]
        choice = machine.parse_choice(state, player, text)
        assert choice is not None
        state = machine.apply(state, player, choice)
    for viewer, ours, theirs in ((0, "9H", "8C"), (1, "8C", "9H")):
        later = log(machine, state, viewer)[-7:]
        assert any(ours in text for text in later) and not any(theirs in text for text in later)
    assert not any("9H" in text or "8C" in text for text in log(machine, state, None))


def test_a_played_card_that_comes_up_again_later_is_not_told_after_the_fact() -> None:
    """It is laid face down, gathered, and dealt face up again before anybody chooses."""
    who = const(0, PLAYER)
    nodes = (
        ir.Deal(const(3), False, zone("stock"), zone("hand", who), 1, ORIGIN),
        ir.Decide(who, "d", (action("lay", 2, ir.Param("c", "card", CARD, zone("hand", who))),), ORIGIN),
        ir.Move(var("card", type_=CARD), zone("table"), 3, ORIGIN),
        ir.Gather(zone("stock"), zone("hand", who), 4, ORIGIN),
        ir.Gather(None, zone("stock"), 5, ORIGIN),
        ir.Deal(const(8), False, zone("stock"), zone("pile"), 6, ORIGIN),
        END,
    )
    machine = Machine(game(nodes, (ir.StateVar("card", (), CARD, None, local=True),)))
    state = machine.initial()
    state = machine.apply(state, 0, machine.legal_actions(state)[0])
    assert "seat 1: lay a card" in log(machine, state, 1)


def test_many_deals_by_one_line_make_one_line() -> None:
    origin = ir.Origin(None, "round", ("XX-15",))
    nodes = tuple(ir.Deal(const(1), False, zone("stock"), HANDS[i % 3], i + 1, origin) for i in range(6))
    machine, state = after(*nodes)
    assert log(machine, state, None)[0] == "deal from stock: 2 cards to hand of seat 1, hand of seat 2, hand of seat 3"
    assert log(machine, state, 1)[0] == (
        "deal from stock: 2 cards to hand of seat 1; KC 8H to hand of seat 2; 2 cards to hand of seat 3"
    )
    assert Narrator(machine.layout).log(state, None)[0].cites == ("XX-15",)


def test_every_kind_of_entry_has_words() -> None:
    nodes = (
        ir.Shuffle(zone("stock"), None, 1, ORIGIN),
        ir.Cut(zone("stock"), SEAT[1], 2, ORIGIN),
        ir.Random(var("dealer", type_=PLAYER), ir.Binder("p", PLAYER, PLAYER), 3, ORIGIN),
        ir.Announce("Here we go!", 4, ORIGIN),
        deal(4, 1, zone("stock"), zone("draw")),
        ir.Reveal(unary(ir.Unary.TOP_OF, zone("draw"), CARD), SEAT[0], 6, ORIGIN),
    )
    machine, state = after(*nodes, state=(ir.StateVar("dealer", (), PLAYER, None),))
    for outcome in (tuple(range(8)), 4, 2):
        state = machine.apply_chance(state, outcome)
    assert log(machine, state, None) == [
        "the stock is shuffled",
        "seat 2 cuts the stock",
        "chance picks seat 3 as dealer",
        "Here we go!",
        "deal 8H from stock to draw",
        "on top of draw: 8H",
        "shown to seat 1: 8H (draw)",
        "the game is over: over",
    ]
    assert len(history.entries(state)) == 8
    assert len(history.entries(state, 3)) == 3


def test_no_history_is_kept_where_none_is_wanted() -> None:
    machine = Machine(discards())
    assert machine.apply_chance(machine.initial(recording=False), tuple(range(8))).history is None


# ------------------------------------------------------------------------- worlds that look alike


@pytest.mark.parametrize("seed", range(10))
def test_a_drawn_world_looks_the_same(seed: int) -> None:
    machine = Machine(discards())
    rng = random.Random(seed)
    state = machine.apply_chance(machine.initial(), machine.draw(machine.initial(), rng))
    state = machine.apply(state, 0, rng.choice(machine.legal_actions(state)))
    for player in (0, 1):
        world = determinise(machine, state, player, rng)
        check_conservation(world, machine.words.cards.pack)
        assert observe(machine, world, player, 0).to_json() == observe(machine, state, player, 0).to_json()
        assert world.history is None


def test_hidden_cards_do_change_places() -> None:
    machine = Machine(discards())
    state = machine.apply_chance(machine.initial(), tuple(range(8)))
    hand = machine.layout.zones["hand"].index([1])
    seen = {frozenset(determinise(machine, state, 0, random.Random(i)).zones[hand]) for i in range(200)}
    assert len(seen) == 15, "any two of the six cards that seat 1 does not know"
    assert state.zones[hand] == (5, 4), "and the state itself stays as it is"


def test_shown_contents_stay_in_their_zone() -> None:
    machine, state = after(deal(0, 3, zone("stock"), zone("bag")), deal(1, 3, zone("stock"), HANDS[1]))
    bag = machine.layout.zones["bag"].base
    for i in range(20):
        world = determinise(machine, state, 0, random.Random(i))
        assert sorted(world.zones[bag]) == [5, 6, 7]
        check_conservation(world, machine.words.cards.pack)


def test_others_waiting_choices_and_hidden_values_are_drawn_anew() -> None:
    machine = Machine(secret_picks())
    state = machine.initial()
    state = machine.apply(state, 0, machine.legal_actions(state, 0)[2])
    assert determinise(machine, state, 1, random.Random(1)).pending == ()
    assert determinise(machine, state, 0, random.Random(1)).pending == state.pending
    machine, state = after(state=(
        state_var("secret", ir.IntType(1, 6), 2, (PLAYER,), seen="owner"),
        state_var("endless", INT, 2, seen="nobody"),
    ))  # fmt: skip
    cells = machine.layout.vars["secret"]
    worlds = [determinise(machine, state, 1, random.Random(i)) for i in range(100)]
    assert {w.vars[cells.index([0])] for w in worlds} == {1, 2, 3, 4, 5, 6}
    assert {w.vars[cells.index([1])] for w in worlds} == {2}


def test_a_hidden_card_that_a_rule_holds_is_the_one_that_lies_there_now() -> None:
    who = const(0, PLAYER)
    nodes = (
        ir.Deal(const(3), False, zone("stock"), zone("hand", who), 1, ORIGIN),
        ir.Decide(who, "d", (action("lay", 2, ir.Param("c", "card", CARD, zone("hand", who))),), ORIGIN),
        ir.Move(var("card", type_=CARD), zone("table"), 3, ORIGIN),
        ir.Decide(const(1, PLAYER), "e", (action("turn_up", 4),), ORIGIN),
        ir.Move(var("card", type_=CARD), zone("pile"), 5, ORIGIN),
        END,
    )
    machine = Machine(game(nodes, (ir.StateVar("card", (), CARD, None, local=True),)))
    state = machine.initial()
    state = machine.apply(state, 0, machine.legal_actions(state)[0])
    table, pile = machine.layout.zones["table"].base, machine.layout.zones["pile"].base
    laid = set()
    for i in range(60):
        world = determinise(machine, state, 1, random.Random(i))
        (card_there,) = world.zones[table]
        laid.add(card_there)
        assert machine.apply(world, 1, machine.legal_actions(world)[0]).zones[pile] == (card_there,)
    assert laid == set(range(8))

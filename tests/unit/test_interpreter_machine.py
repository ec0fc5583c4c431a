"""The transition system: stops, legal actions, refusals, simultaneous choices, chance, the clock, faults, results."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dsl import ir
from dsl.source import Source, Span
from interpreter.actions import Choice, InvalidChoice
from interpreter.machine import Machine
from interpreter.state import State, check_conservation
from interpreter.values import Fault
from tests.unit.interpreter_games import (
    BOOL,
    CALL,
    CARD,
    CARDS,
    COMBINATION,
    DECK,
    HAND,
    INT,
    ME,
    ORIGIN,
    PILE,
    PLAYER,
    RESULT,
    STOCK,
    a_zone,
    action,
    assign,
    binary,
    const,
    discards,
    game,
    left_of,
    players,
    secret_picks,
    size,
    state_var,
    timed,
    unary,
    var,
    zone,
)  # fmt: skip

END = ir.Finish("over", ORIGIN)
TWO_DECKS = ir.Deck(("7", "8", "9", "K"), ("clubs", "hearts"), copies=2, suit_letters=("C", "H"))


def start(machine: Machine, top: str) -> State:
    """After a shuffle that leaves the named cards on top, the first named the first to be dealt."""
    state = machine.initial()
    cards = machine.words.cards
    pile = list(state.zones[machine.layout.home])
    order: list[int] = []
    for name in top.split():
        card = next(c for c in pile if cards.name(c) == name)
        order.insert(0, state.zones[machine.layout.home].index(card))
        pile.remove(card)
    rest = [state.zones[machine.layout.home].index(c) for c in pile]
    return machine.apply_chance(state, tuple(rest + order))


def names(machine: Machine, state: State, player: int | None = None) -> list[str]:
    return [machine.name_of(c, state) for c in machine.legal_actions(state, player)]


def say(machine: Machine, state: State, player: int, text: str, elapsed_ms: int = 0) -> State:
    choice = machine.parse_choice(state, player, text)
    assert choice is not None
    return machine.apply(state, player, choice, elapsed_ms)


# --------------------------------------------------------------------------------------------- turns


def test_a_playthrough_goes_from_stop_to_stop() -> None:
    machine = Machine(discards())
    state = machine.initial()
    assert isinstance(machine.chance_node(state), ir.Shuffle)
    assert machine.to_move(state) == () and machine.decision(state) is None and machine.legal_actions(state) == []
    state = start(machine, "8H 9C KC 7H")
    assert machine.chance_node(state) is None
    decision = machine.decision(state)
    assert decision is not None and decision.name == "play"
    assert machine.to_move(state) == (0,)
    assert names(machine, state) == ["play(8H)", "play(9C)", "pass"]
    assert machine.legal_actions(state, 1) == []
    after = say(machine, state, 0, "play(9C)")
    assert names(machine, state) == ["play(8H)", "play(9C)", "pass"], "the state before is untouched"
    assert machine.to_move(after) == (1,)
    assert names(machine, after) == ["play(KC)", "pass"]
    after = say(machine, say(machine, after, 1, "play(KC)"), 0, "pass")
    assert machine.scores(after) == (1, 1)
    check_conservation(after, machine.words.cards.pack)


def test_candidates_come_by_rank_and_suit_whatever_the_order_in_hand() -> None:
    machine = Machine(discards())
    assert names(machine, start(machine, "KH 7H 8C 9C")) == ["play(7H)", "play(KH)", "pass"]


def test_equal_cards_are_one_choice() -> None:
    machine = Machine(discards(TWO_DECKS))
    state = start(machine, "8H 8H KC KC")
    assert names(machine, state) == ["play(8H)", "pass"]
    state = say(machine, state, 0, "play(8H)")
    assert names(machine, say(machine, state, 1, "pass")) == ["play(8H)", "pass"]


def test_either_copy_may_be_named() -> None:
    machine = Machine(discards(TWO_DECKS))
    state = start(machine, "8H 9C KC KC")
    (play, *_), hand = machine.legal_actions(state), state.zones[machine.layout.zones["hand"].base]
    (card,) = play.arguments
    assert card in hand
    other = (card + 8) % 16
    assert machine.apply(state, 0, Choice(0, "play", (other,))).zones == machine.apply(state, 0, play).zones


# ------------------------------------------------------------------------------------------ refusals


def test_the_guard_is_the_single_source_of_legality() -> None:
    machine = Machine(discards())
    state = say(machine, start(machine, "9H 8C 7C KC"), 0, "play(9H)")
    low = machine.parse_choice(state, 1, "play(7C)")
    assert low is not None
    refusal = machine.why_not(state, 1, low)
    assert refusal is not None
    assert (refusal.kind, refusal.guard, refusal.cites) == ("condition", 0, ("XX-100",))
    with pytest.raises(InvalidChoice) as caught:
        machine.apply(state, 1, low)
    assert caught.value.refusal == refusal
    for choice in machine.legal_actions(state):
        assert machine.why_not(state, 1, choice) is None


def test_a_refusal_quotes_the_condition() -> None:
    source = Source("small.yaml", "when  fits\n  well")
    whole = discards()
    nodes = list(whole.nodes)
    decide = nodes[3]
    assert isinstance(decide, ir.Decide)
    play = decide.actions[0]
    guard = replace(play.guards[0], span=Span(source, 6, 17))
    nodes[3] = replace(decide, actions=(replace(play, guards=(guard,)), *decide.actions[1:]))
    machine = Machine(replace(whole, nodes=tuple(nodes)))
    state = say(machine, start(machine, "9H 8C 7C KC"), 0, "play(9H)")
    choice = machine.parse_choice(state, 1, "play 7C")
    assert choice is not None
    refusal = machine.why_not(state, 1, choice)
    assert refusal is not None
    assert refusal.message == "play is possible only when fits well"
    assert refusal.span == guard.span


@pytest.mark.parametrize(
    ("player", "choice", "kind", "parameter"),
    [
        (1, Choice(1, "pass"), "not your turn", None),
        (0, Choice(2, "fold"), "not on offer", None),
        (0, Choice(0, "pass"), "not on offer", None),
        (0, Choice(-1, "pass"), "not on offer", None),
        (0, Choice(0, "play"), "argument", None),
        (0, Choice(0, "play", (0,)), "argument", 0),
        (0, Choice(0, "play", (99,)), "argument", 0),
        (0, Choice(0, "play", (-1,)), "argument", 0),
        (0, Choice(0, "play", ("8H",)), "argument", 0),
    ],
)
def test_what_is_refused(player: int, choice: Choice, kind: str, parameter: int | None) -> None:
    machine = Machine(discards())
    state = start(machine, "8H 9C KC 7H")
    refusal = machine.why_not(state, player, choice)
    assert refusal is not None and (refusal.kind, refusal.parameter) == (kind, parameter)


def test_a_card_that_is_not_in_hand_is_refused_alike_wherever_it_is() -> None:
    machine = Machine(discards())
    state = start(machine, "8H 9C KC 7H")
    said = {text: machine.parse_choice(state, 0, text) for text in ("play(KC)", "play(8C)")}
    refusals = {text: machine.why_not(state, 0, choice) for text, choice in said.items() if choice is not None}
    told = {refusal.message.replace(text[5:7], "?") for text, refusal in refusals.items() if refusal is not None}
    assert len(refusals) == 2 and told == {"? is not among the cards for play"}
    assert len({replace(refusal, message="") for refusal in refusals.values() if refusal is not None}) == 1


def test_a_card_that_is_not_in_hand_is_named() -> None:
    machine = Machine(discards())
    state = start(machine, "8H 9C KC 7H")
    choice = machine.parse_choice(state, 0, "play(KC)")
    assert choice is not None
    refusal = machine.why_not(state, 0, choice)
    assert refusal is not None and refusal.message == "KC is not among the cards for play"


def test_nothing_can_be_chosen_when_the_game_is_over() -> None:
    machine = Machine(game((END,)))
    state = machine.initial()
    assert machine.is_terminal(state) and machine.reason(state) == "over"
    refusal = machine.why_not(state, 0, Choice(0, "pass"))
    assert refusal is not None and refusal.kind == "game over"
    assert machine.to_move(state) == ()


# ----------------------------------------------------------------------------------------- arguments


def choosing(
    *params: ir.Param, guards: tuple[ir.Expr, ...] = (), deal: int = 3, deck: ir.Deck = DECK, **zones: Any
) -> Machine:
    """Seat 1 is dealt cards and chooses once."""
    types = {"a": params[0].type, "b": params[-1].type}
    nodes = (
        ir.Shuffle(zone("stock"), None, 1, ORIGIN),
        ir.Deal(const(deal), False, zone("stock"), zone("hand", const(0, PLAYER)), 2, ORIGIN),
        ir.Decide(const(0, PLAYER), "d", (action("do", 3, *params, guards=guards),), ORIGIN),
        END,
    )
    state = tuple(ir.StateVar(n, (), t, None, local=True) for n, t in types.items())
    return Machine(game(nodes, state, deck=deck, **zones))


MINE = zone("hand", const(0, PLAYER))
FROM_HAND = ir.Param("a", "a", CARD, MINE)


def test_later_arguments_may_depend_on_earlier_ones() -> None:
    higher = binary(
        unary(ir.Unary.RANK_OF, ir.Local("c", CARD)), ">", unary(ir.Unary.RANK_OF, var("a", type_=CARD)), BOOL
    )
    above = ir.PickCards(ir.Binder("c", MINE, CARD, higher))
    machine = choosing(FROM_HAND, ir.Param("b", "b", CARD, above))
    state = start(machine, "KH 7C 8C")
    assert names(machine, state) == ["do(7C, 8C)", "do(7C, KH)", "do(8C, KH)"]
    for choice in machine.legal_actions(state):
        assert machine.parse_choice(state, 0, machine.name_of(choice, state)) == choice
    wrong = machine.parse_choice(state, 0, "do(KH, 7C)")
    assert wrong is not None
    refusal = machine.why_not(state, 0, wrong)
    assert refusal is not None and refusal.parameter == 1
    wrong = machine.parse_choice(state, 0, "do(9H, #3)")
    assert wrong is not None
    refusal = machine.why_not(state, 0, wrong)
    assert refusal is not None and refusal.parameter == 0


def test_every_sort_can_be_an_argument() -> None:
    for type_, count in ((PLAYER, 2), (ir.SuitType(), 2), (ir.EnumType(("up_side", "down")), 2), (ir.BoolType(), 2)):
        machine = choosing(ir.Param("a", "a", type_, type_))  # type: ignore[arg-type]
        state = start(machine, "7C")
        legal = machine.legal_actions(state)
        assert len(legal) == count
        for choice in legal:
            assert machine.parse_choice(state, 0, machine.name_of(choice, state).upper()) == choice
    assert names(machine, state) == ["do(no)", "do(yes)"]


def test_subsets_by_size_and_equal_faces_once() -> None:
    machine = choosing(ir.Param("a", "a", CARDS, MINE, 1, 2), deck=TWO_DECKS)
    state = start(machine, "8H KC 8H")
    assert names(machine, state) == ["do(8H)", "do(KC)", "do(8H 8H)", "do(8H KC)"]
    for choice in machine.legal_actions(state):
        assert machine.parse_choice(state, 0, machine.name_of(choice, state)) == choice
    assert machine.parse_choice(state, 0, "do(K of clubs, 8h)") == machine.parse_choice(state, 0, "DO( 8h kc )")
    for text in ("do(8H 8H KC)", "do(KC KC)", "do(7C)"):
        wrong = machine.parse_choice(state, 0, text)
        assert wrong is not None
        refusal = machine.why_not(state, 0, wrong)
        assert refusal is not None and refusal.kind == "argument"
    assert machine.parse_choice(state, 0, "do(1Z)") is None


def test_no_cards_can_be_a_choice() -> None:
    machine = choosing(ir.Param("a", "a", CARDS, MINE, 0, 1))
    state = start(machine, "8H KC 9C")
    assert names(machine, state) == ["do(none)", "do(8H)", "do(9C)", "do(KC)"]
    assert machine.parse_choice(state, 0, "do(none)") == machine.legal_actions(state)[0]


def test_calls_climb_the_ladder() -> None:
    higher = binary(var("a", type_=COMBINATION), ">", ir.MakeCombination(0, (const(2, ir.RankType()),)), BOOL)
    machine = choosing(ir.Param("a", "a", CALL, None), guards=(higher,))
    state = start(machine, "8H KC 9C")
    expected = ["do(one K)", "do(two 7s)", "do(two 8s)", "do(two 9s)", "do(two Ks)"]
    assert names(machine, state) == expected
    low = machine.parse_choice(state, 0, "do(one 9)")
    assert low is not None
    refusal = machine.why_not(state, 0, low)
    assert refusal is not None and refusal.kind == "condition"
    made_up = Choice(0, "do", (ir.Combination(1, (9,), (9,)),))
    refusal = machine.why_not(state, 0, made_up)
    assert refusal is not None and refusal.kind == "argument"


def test_calls_of_equal_strength_are_different_choices() -> None:
    one, other = ir.Combination(1, (3,), (3, 0)), ir.Combination(1, (3,), (3, 1))
    assert one == other
    assert Choice(0, "say", (one,)) != Choice(0, "say", (other,))
    assert len({Choice(0, "say", (one,)), Choice(0, "say", (one,)), Choice(0, "say", (other,))}) == 2


def test_cards_that_the_player_does_not_know_are_pointed_at() -> None:
    hidden = choosing(ir.Param("a", "a", CARD, zone("stock")), deal=6)
    first, second = start(hidden, "7C 7H 8C 8H 9C 9H KC KH"), start(hidden, "7C 7H 8C 8H 9C 9H KH KC")
    assert names(hidden, first) == names(hidden, second) == ["do(#1)", "do(#2)"]
    choice = hidden.legal_actions(first)[1]
    assert choice == hidden.legal_actions(second)[1] == hidden.parse_choice(first, 0, "do(#2)")
    cell = hidden.layout.vars["a"].base
    shown = [hidden.words.cards.name(hidden.apply(s, 0, choice).vars[cell]) for s in (first, second)]
    assert shown == ["KC", "KH"]
    # To name a card that one cannot know is no choice, whether or not it lies there.
    for text in ("do(KC)", "do(7C)"):
        named = hidden.parse_choice(first, 0, text)
        assert named is not None
        refusal = hidden.why_not(first, 0, named)
        assert refusal is not None and refusal.kind == "argument"


def test_guards_are_tried_in_the_order_written() -> None:
    is_there = unary(ir.Unary.NOT, binary(size(zone("pile")), "=", const(0), BOOL), BOOL)
    top = binary(unary(ir.Unary.TOP_OF, zone("pile"), CARD), "=", const(0, CARD), BOOL)
    machine = choosing(FROM_HAND, guards=(is_there, top))
    assert machine.legal_actions(start(machine, "8H KC 9C")) == [], "the second guard would be a fault"


@pytest.mark.parametrize(
    "text", ["", "(", "do", "do()", "do(", "dance(8H)", "do(8H, 8H)", "do(#0)", "do(8H 8H)", "do(,)"]
)
def test_what_is_no_choice(text: str) -> None:
    machine = choosing(FROM_HAND)
    assert machine.parse_choice(start(machine, "8H KC 9C"), 0, text) is None


def test_asking_changes_nothing() -> None:
    machine = choosing(FROM_HAND, guards=(binary(var("a", type_=CARD), "!=", const(2, CARD), BOOL),))
    state = start(machine, "8H KC 8C")
    key = state.key()
    for choice in machine.legal_actions(state):
        machine.why_not(state, 0, choice)
    machine.parse_choice(state, 0, "do(8C)")
    machine.apply(state, 0, machine.legal_actions(state)[0])
    assert state.key() == key


# ---------------------------------------------------------------------------------------- at once


def test_choices_at_once_wait_and_are_carried_out_in_seat_order() -> None:
    machine = Machine(secret_picks())
    state = machine.initial()
    assert machine.to_move(state) == (0, 1)
    state = say(machine, state, 1, "pick(3)")
    assert machine.to_move(state) == (0,) and machine.scores(state) == (0, 0)
    refusal = machine.why_not(state, 1, Choice(0, "pick", (1,)))
    assert refusal is not None and refusal.kind == "not your turn"
    state = say(machine, state, 0, "pick(2)")
    assert machine.scores(state) == (2, 3)
    assert machine.to_move(state) == (0, 1)
    assert names(machine, state, 0) != names(machine, state, 1), "each chooses from their own hand"
    for player in (0, 1):
        state = machine.apply(state, player, machine.legal_actions(state, player)[-1])
    assert machine.reason(state) == "laid"
    table = state.zones[machine.layout.zones["table"].base]
    assert len(table) == 2
    check_conservation(state, machine.words.cards.pack)


def test_nobody_to_choose_is_passed_over() -> None:
    nobody = players("p", const(False, BOOL))
    collect = ir.Collect(nobody, var("who", type_=PLAYER), "c", (action("go", 2),), 1, ORIGIN)
    machine = Machine(game((collect, END, ir.Resume(ORIGIN)), (ir.StateVar("who", (), PLAYER, None, local=True),)))
    assert machine.reason(machine.initial()) == "over"


# ------------------------------------------------------------------------------------------- chance


def test_outcomes_of_cut_and_pick_can_be_listed() -> None:
    nodes = (
        ir.Deal(const(5), False, zone("stock"), zone("pile"), 1, ORIGIN),
        ir.Cut(zone("stock"), None, 2, ORIGIN),
        ir.Random(var("who", type_=PLAYER), players("p", binary(ME, "!=", const(1, PLAYER), BOOL)), 3, ORIGIN),
        END,
    )
    machine = Machine(game(nodes, (state_var("who", PLAYER, 1),), num_players=4))
    state = machine.initial()
    assert list(machine.outcomes(state)) == [1, 2]
    before = state.zones[machine.layout.home]
    state = machine.apply_chance(state, 1)
    assert state.zones[machine.layout.home] == (*before[1:], before[0])
    assert list(machine.outcomes(state)) == [0, 2, 3]
    drawn = {machine.draw(state, random.Random(i)) for i in range(50)}
    assert drawn == {0, 2, 3}
    assert machine.apply_chance(state, 3).vars[machine.layout.vars["who"].base] == 3
    with pytest.raises(ValueError, match="cannot pick"):
        machine.apply_chance(state, 1)


@pytest.mark.parametrize("outcome", [(0, 1), (0,) * 8, tuple(range(1, 9))])
def test_what_is_no_order_of_the_cards(outcome: tuple[int, ...]) -> None:
    machine = Machine(discards())
    with pytest.raises(ValueError, match="not an order"):
        machine.apply_chance(machine.initial(), outcome)


def test_a_pick_from_nothing_is_a_fault() -> None:
    pick = ir.Random(var("who", type_=PLAYER), players("p", const(False, BOOL)), 1, ORIGIN)
    machine = Machine(game((pick, END), (state_var("who", PLAYER, 1),)))
    with pytest.raises(Fault, match="no value to pick") as caught:
        machine.draw(machine.initial(), random.Random(1))
    assert caught.value.origin == ORIGIN


# ---------------------------------------------------------------------------------------- the clock


def test_the_clock_runs_before_the_choice() -> None:
    machine = Machine(timed())
    state = say(machine, machine.initial(), 0, "tap", 6_999)
    assert (state.clock_ms, machine.scores(state)) == (3_001, (2,))
    state = say(machine, state, 0, "tap", 1)
    assert (state.clock_ms, machine.scores(state)) == (3_000, (2 + 1 + 2,)), "the warning comes first"
    state = say(machine, state, 0, "tap", 2_000)
    assert machine.scores(state) == (7,), "and only once"
    over = say(machine, state, 0, "tap", 1_000)
    assert machine.reason(over) == "time is up" and machine.scores(over) == (7,)
    assert machine.scores(say(machine, state, 0, "tap", 999)) == (9,)


def test_all_events_that_are_crossed_happen_in_turn() -> None:
    machine = Machine(timed())
    state = say(machine, machine.initial(), 0, "tap", 60_000)
    assert machine.reason(state) == "time is up"
    assert machine.scores(state) == (1,)
    assert state.clock_ms == 0


def test_a_choice_that_an_event_forbids_is_not_carried_out() -> None:
    limited = timed()
    decide = limited.nodes[0]
    assert isinstance(decide, ir.Decide)
    few = ir.Guard(binary(var("score", const(0, PLAYER)), "<", const(1), BOOL), ())
    nodes = (replace(decide, actions=(replace(decide.actions[0], guards=(few,)),)), *limited.nodes[1:])
    machine = Machine(replace(limited, nodes=nodes))
    state = say(machine, machine.initial(), 0, "tap", 8_000)
    assert machine.scores(state) == (1,) and machine.to_move(state) == (0,)
    assert machine.legal_actions(state) == [] and state.clock_ms == 2_000


# ------------------------------------------------------------------------------------------- effects


def run(*nodes: ir.Node, state: tuple[ir.StateVar, ...] = (), **more: Any) -> tuple[Machine, State]:
    machine = Machine(game((*nodes, END), state, **more))
    return machine, machine.initial()


def test_cards_are_dealt_from_the_top_one_by_one() -> None:
    machine, state = run(ir.Deal(const(3), False, zone("stock"), zone("pile"), 1, ORIGIN))
    assert state.zones[machine.layout.zones["pile"].base] == (7, 6, 5)
    assert state.zones[machine.layout.home] == (0, 1, 2, 3, 4)


def test_up_to_takes_what_there_is() -> None:
    machine, state = run(ir.Deal(const(30), True, zone("stock"), zone("pile"), 1, ORIGIN))
    assert len(state.zones[machine.layout.zones["pile"].base]) == 8
    check_conservation(state, machine.words.cards.pack)


def test_cards_move_in_the_order_named_and_gather_keeps_what_lies_there_below() -> None:
    machine, state = run(
        ir.Deal(const(3), False, zone("stock"), zone("pile"), 1, ORIGIN),
        ir.Move(unary(ir.Unary.TOP_OF, zone("pile"), CARD), zone("hand", const(1, PLAYER)), 2, ORIGIN),
        ir.Move(const(None, ir.OptionalType(CARD)), zone("pile"), 3, ORIGIN),
        ir.Gather(None, zone("pile"), 4, ORIGIN),
    )
    assert state.zones[machine.layout.zones["pile"].base] == (7, 6, 0, 1, 2, 3, 4, 5)
    check_conservation(state, machine.words.cards.pack)


FAULTS: list[tuple[ir.Node, str]] = [
    (ir.Deal(const(9), False, zone("stock"), zone("pile"), 1, ORIGIN), "stock has too few cards to deal from"),
    (ir.Deal(const(-1), False, zone("stock"), zone("pile"), 1, ORIGIN), "a negative number of cards to deal"),
    (ir.Deal(const(2), False, zone("stock"), zone("row", const(0, PLAYER)), 1, ORIGIN),
     "row of seat 1 holds at most 1 cards"),
    (ir.Deal(const(4), False, zone("stock"), zone("row", const(2, PLAYER)), 1, ORIGIN),
     "row of seat 3 holds at most 3 cards"),
    (assign("level", const(4), 1), "level would become 4, which is not in 0..3"),
    (assign("level", const(Fraction(1, 2)), 1), "level would not be whole: 1/2"),
    (assign("level", const(None), 1), "level would become none"),
    (assign("secret", const(4), 1), "secret would leave 0..3"),
    (assign("level", var("unset"), 1), "unset is read before it is set"),
    (ir.Resume(ORIGIN), "nothing to go back to"),
    (ir.Branch(const(True, BOOL), 0, 0, ORIGIN), "the rules go on for ever without a choice"),
]  # fmt: skip


@pytest.mark.parametrize(("node", "message"), FAULTS, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_faults(node: ir.Node, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interpreter.machine.MAX_STEPS", 1000)
    row = a_zone("row", "everyone", dims=(PLAYER,), holds=binary(ir.Local("#0", PLAYER), "+", const(1)))
    zero_to_three = ir.IntType(0, 3)
    state = (
        state_var("level", zero_to_three, 0),
        state_var("secret", zero_to_three, 0, seen="nobody"),
        state_var("unset", INT),
    )
    machine = Machine(game((node, END), state, (STOCK, HAND, PILE, row), num_players=3))
    with pytest.raises(Fault) as caught:
        machine.initial()
    assert caught.value.message == message
    assert caught.value.origin == ORIGIN
    assert str(caught.value).endswith("(in game)")


# ------------------------------------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("scores", "shared", "returns"),
    [
        ((3, 1, 1, 0), False, (3, -1, -1, -1)),
        ((3, 3, 1, 0), True, (1, 1, -1, -1)),
        ((3, 3, 3, 0), True, (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3), -1)),
        ((3, 3, 1, 0), False, (0, 0, 0, 0)),
        ((3, 3, 3, 3), True, (0, 0, 0, 0)),
    ],
)
def test_returns(scores: tuple[int, ...], shared: bool, returns: tuple[int | Fraction, ...]) -> None:
    machine = Machine(game((END,), num_players=4, result=replace(RESULT, shared=shared)))
    state = machine.initial()
    state.vars[:4] = scores
    assert machine.scores(state) == scores
    assert machine.winners(state) == tuple(p for p, s in enumerate(scores) if s == max(scores))
    assert machine.returns(state) == returns


def test_returns_may_be_declared_and_one_player_gets_the_score() -> None:
    declared = replace(RESULT, returns=binary(var("score", ME), "*", const(2)))
    machine = Machine(game((END,), num_players=2, result=declared))
    state = machine.initial()
    state.vars[:2] = [3, 1]
    assert machine.returns(state) == (6, 2)
    alone = Machine(game((END,), num_players=1))
    state = alone.initial()
    state.vars[0] = 7
    assert alone.returns(state) == (7,)


def test_nobody_wins() -> None:
    nobody = replace(RESULT, wins=const(False, BOOL))
    machine = Machine(game((END,), result=nobody))
    state = machine.initial()
    assert machine.winners(state) == () and machine.returns(state) == (0, 0)


def test_the_next_seat_is_to_the_left() -> None:
    machine, state = run(
        assign("turn", left_of(const(3, PLAYER)), 1), state=(state_var("turn", PLAYER, 2),), num_players=4
    )
    assert state.vars[machine.layout.vars["turn"].base] == 0

"""What every kind of expression means, on one fixed state."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dsl import ir
from interpreter.evaluate import Compiler
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET, Fault
from tests.unit.interpreter_games import (
    BOOL,
    CALL,
    CARD,
    COMBINATION,
    INT,
    ORIGIN,
    PLAYER,
    a_zone,
    binary,
    const,
    game,
    local,
    players,
    size,
    state_var,
    unary,
    var,
    zone,
)  # fmt: skip

RANK, SUIT, KIND, FRACTION = ir.RankType(), ir.SuitType(), ir.KindType(), ir.FractionType()
MAYBE_PLAYER = ir.OptionalType(PLAYER)
DOUBLE = ir.Function("double", (("x", INT),), binary(local("x", INT), "*", const(2)), INT)
MINUS = ir.Function("minus", (("x", INT), ("y", INT)), binary(local("x", INT), "-", local("y", INT)), INT)
NOTHING = ir.Function("five", (), const(5), INT)
HALVES = ir.Table("halves", ir.IntType(2, 4), FRACTION, (1, Fraction(3, 2), 2))
GAME = game(
    (ir.Finish("over", ORIGIN),),
    state=(
        state_var("points", INT, 0, (PLAYER,)),
        state_var("grid", INT, 0, (ir.IntType(1, 2), SUIT, PLAYER)),
        state_var("square", INT, 0, (SUIT, ir.IntType(1, 3))),
        state_var("unset", INT),
        state_var("half", FRACTION, Fraction(1, 2)),
        ir.StateVar("call", (), CALL, ir.Const(None, CALL)),
    ),
    zones=(
        a_zone("stock", "nobody"),
        a_zone("hand", "owner", dims=(PLAYER,)),
        a_zone("row", "everyone", dims=(PLAYER, SUIT)),
        a_zone("empty", "everyone"),
    ),
    num_players=4,
    tables=(HALVES,),
    functions=(DOUBLE, MINUS, NOTHING),
    clock=ir.Clock(12_500, (), (0, 0)),
)
MACHINE = Machine(GAME)
# 7C 7H 8C 8H 9C 9H KC KH are the cards 0 to 7.
POINTS = (3, 9, 9, 1)


def a_state() -> State:
    s = MACHINE.initial()
    layout = MACHINE.layout
    for p, points in enumerate(POINTS):
        s.vars[layout.vars["points"].index([p])] = points
    s.vars[layout.vars["grid"].index([2, 1, 3])] = 44
    s.vars[layout.vars["square"].index([1, 3])] = 13
    placed = {("hand", 0): (0, 6), ("hand", 1): (1, 7, 2), ("row", 2, 1): (3,), ("row", 2, 0): (4, 5)}
    for (name, *indices), cards in placed.items():
        MACHINE.mover.put(s, cards, layout.zones[str(name)].index([int(i) for i in indices]), positional=True)
    return s


def value(expr: ir.Expr) -> Any:
    compiler = Compiler(GAME, MACHINE.layout)
    return compiler.compile(expr)(a_state())


def points(name: str = "p") -> ir.Var:
    return var("points", local(name))


def fold(op: str, body: ir.Expr | None = None, where: ir.Expr | None = None, **more: Any) -> ir.FoldExpr:
    return ir.FoldExpr(ir.FoldOp(op), players("p", where), body, INT, **more)


def is_points(number: int) -> ir.Expr:
    return binary(points(), "=", const(number), BOOL)


def made(kind: int, rank: int) -> ir.MakeCombination:
    return ir.MakeCombination(kind, (const(rank, RANK),))


def best_of(cards: ir.Expr, where: ir.Expr | None = None) -> ir.BestExpr:
    return ir.BestExpr(cards, None if where is None else ir.Binder("k", KIND, KIND, where), CALL)


SEAT = [const(p, PLAYER) for p in range(4)]
NONE, NO_CALL = const(None, MAYBE_PLAYER), const(None, CALL)
HAND = [zone("hand", SEAT[p]) for p in range(4)]
HALF, THIRD = const(Fraction(1, 2), FRACTION), const(Fraction(1, 3), FRACTION)
CARD_BINDER = ir.Binder(
    "c", HAND[1], CARD, binary(unary(ir.Unary.RANK_OF, local("c", CARD), RANK), ">", const(0), BOOL)
)
HANDS_SPLIT = ir.SplitExpr(ir.AllOfZone("hand"), "score")


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (const(7), 7),
        (ir.NumPlayers(), 4),
        (ir.TimeLeft(), Fraction(25, 2)),
        (var("half", type_=FRACTION), Fraction(1, 2)),
        (var("points", SEAT[1]), 9),
        (var("grid", const(2), const(1, SUIT), SEAT[3]), 44),
        (var("grid", var("points", SEAT[3]), const(1, SUIT), SEAT[3]), 0),
        (var("square", const(1, SUIT), var("points", SEAT[0])), 13),
        (zone("hand", SEAT[1]), (1, 7, 2)),
        (zone("hand", unary(ir.Unary.LEFT_OF, SEAT[0], PLAYER)), (1, 7, 2)),
        (ir.AllOfZone("hand"), (0, 6, 1, 7, 2)),
        (ir.AllOfZone("row", (SEAT[2],)), (4, 5, 3)),
        (ir.AllOfZone("row", (SEAT[1],)), ()),
        # unary
        (unary(ir.Unary.NOT, const(True, BOOL)), False),
        (unary(ir.Unary.NEGATE, const(4)), -4),
        (unary(ir.Unary.FLOOR, const(Fraction(-3, 2))), -2),
        (unary(ir.Unary.CEILING, const(Fraction(-3, 2))), -1),
        (unary(ir.Unary.NEAREST, const(Fraction(5, 2))), 3),
        (unary(ir.Unary.NEAREST, const(Fraction(-5, 2))), -3),
        (unary(ir.Unary.NEAREST, const(Fraction(7, 3))), 2),
        (unary(ir.Unary.NEAREST, const(4)), 4),
        (unary(ir.Unary.WHOLE, const(Fraction(4, 2))), 2),
        (unary(ir.Unary.UNWRAP, SEAT[1]), 1),
        (unary(ir.Unary.IS_NONE, NONE), True),
        (unary(ir.Unary.IS_NONE, SEAT[0]), False),
        (unary(ir.Unary.RANK_OF, const(7, CARD)), 3),
        (unary(ir.Unary.SUIT_OF, const(7, CARD)), 1),
        (unary(ir.Unary.KIND_OF, made(1, 0)), 1),
        (size(HAND[1]), 3),
        (size(const(1, KIND)), 2),
        (size(made(1, 0)), 2),
        (unary(ir.Unary.TOP_OF, HAND[1]), 2),
        (unary(ir.Unary.HEIGHT_OF, const(0, RANK)), 1),
        (unary(ir.Unary.CARDS_OF, best_of(HAND[1])), (7,)),
        (unary(ir.Unary.CARDS_OF, HANDS_SPLIT), (6, 7, 0, 1, 2)),
        (unary(ir.Unary.LEFT_OF, SEAT[3]), 0),
        (unary(ir.Unary.RIGHT_OF, SEAT[0]), 3),
        (unary(ir.Unary.OPPOSITE_OF, SEAT[3]), 1),
        # binary
        (binary(const(2), "+", HALF), Fraction(5, 2)),
        (binary(HAND[0], "+", HAND[1]), (0, 6, 1, 7, 2)),
        (binary(const(2), "-", const(5)), -3),
        (binary(HALF, "*", THIRD), Fraction(1, 6)),
        (binary(const(3), "/", const(6)), Fraction(1, 2)),
        (binary(const(6), "/", HALF), 12),
        (binary(const(-7), "div", const(2)), -4),
        (binary(const(-7), "mod", const(2)), 1),
        (binary(HALF, "=", const(Fraction(2, 4))), True),
        (binary(NONE, "=", NONE), True),
        (binary(NONE, "=", SEAT[0]), False),
        (binary(NONE, "!=", SEAT[0]), True),
        (binary(const(2), "<", const(2)), False),
        (binary(const(2), "<=", const(2)), True),
        (binary(var("points", SEAT[0]), ">", var("points", SEAT[3])), True),
        (binary(const(2), ">=", const(3)), False),
        (binary(made(0, 3), "<", made(1, 0)), True),
        (binary(made(1, 3), ">", made(1, 2)), True),
        (binary(made(1, 3), "=", best_of(ir.AllOfZone("hand"))), True),
        (binary(NO_CALL, "<", made(0, 0)), True),
        (binary(NO_CALL, ">", made(0, 0)), False),
        (binary(NO_CALL, ">=", NO_CALL), True),
        (binary(NO_CALL, "=", made(0, 0)), False),
        (binary(var("call", type_=CALL), "=", NO_CALL), True),
        (binary(ir.AllOfZone("hand"), "contains", made(1, 0)), True),
        (binary(HAND[1], "contains", made(1, 0)), False),
        (binary(const(7, CARD), "in", HAND[1]), True),
        (binary(const(0, CARD), "in", HAND[1]), False),
        # nothing after the deciding side is read
        (binary(const(False, BOOL), "and", var("unset")), False),
        (binary(const(True, BOOL), "or", var("unset")), True),
        (binary(const(True, BOOL), "and", const(False, BOOL)), False),
        (ir.IfExpr(const(True, BOOL), const(1), var("unset"), INT), 1),
        (ir.IfExpr(const(False, BOOL), var("unset"), const(2), INT), 2),
        # tables and definitions
        (ir.ColumnExpr("score", const(1, KIND)), 5),
        (ir.ColumnExpr("score", made(0, 2)), 1),
        (ir.TableExpr("halves", const(3), FRACTION), Fraction(3, 2)),
        (ir.CallExpr("five", (), INT), 5),
        (ir.CallExpr("double", (ir.CallExpr("double", (const(3),), INT),), INT), 12),
        (ir.CallExpr("minus", (const(9), ir.CallExpr("minus", (const(5), const(1)), INT)), INT), 5),
        # folds
        (fold("count"), 4),
        (fold("count", where=is_points(9)), 2),
        (fold("some", where=is_points(9)), True),
        (fold("some", where=is_points(7)), False),
        (fold("every", binary(points(), ">", const(0), BOOL)), True),
        (fold("every", binary(points(), ">", const(2), BOOL)), False),
        (fold("every", is_points(9), binary(points(), ">", const(3), BOOL)), True),
        (fold("every", is_points(9), is_points(7)), True),
        (fold("sum", points()), 22),
        (fold("sum", points(), is_points(7)), 0),
        (fold("max", points()), 9),
        (fold("min", points()), 1),
        (fold("max", points(), is_points(7)), None),
        (fold("min", points(), is_points(7)), None),
        (fold("only", where=is_points(3)), 0),
        (fold("only", where=is_points(9)), None),
        (fold("only", where=is_points(7)), None),
        (fold("first", where=is_points(9)), 1),
        (fold("first", where=is_points(9), start=SEAT[2]), 2),
        (fold("first", where=is_points(9), start=SEAT[3]), 1),
        (fold("first", where=is_points(7), start=SEAT[3]), None),
        (fold("highest", points(), tie=ir.Tie.NONE), None),
        (fold("highest", points(), tie=ir.Tie.FIRST), 1),
        (fold("highest", points(), tie=ir.Tie.FIRST, start=SEAT[2]), 2),
        (fold("highest", points(), is_points(7), tie=ir.Tie.FIRST), None),
        (fold("lowest", points(), tie=ir.Tie.NONE), 3),
        (ir.FoldExpr(ir.FoldOp.MAX, ir.Binder("n", ir.IntType(2, 5), INT), local("n", INT), INT), 5),
        (ir.FoldExpr(ir.FoldOp.MAX, ir.Binder("s", HANDS_SPLIT, COMBINATION), local("s", COMBINATION), CALL),
         ir.Combination(1, (3,))),
        (ir.FoldExpr(ir.FoldOp.COUNT, ir.Binder("s", SUIT, SUIT), None, INT), 2),
        (ir.FoldExpr(ir.FoldOp.SUM, ir.Binder("s", HANDS_SPLIT, COMBINATION),
                     ir.ColumnExpr("score", local("s", COMBINATION)), INT), 11),
        (ir.FoldExpr(ir.FoldOp.FIRST, CARD_BINDER, None, CARD), 7),
        (ir.FoldExpr(ir.FoldOp.LOWEST, CARD_BINDER, unary(ir.Unary.RANK_OF, local("c", CARD), RANK), CARD,
                     tie=ir.Tie.NONE), 2),
        (ir.ExtremeExpr(True, (const(3), const(8), const(1)), INT), 8),
        (ir.ExtremeExpr(False, (const(3), const(8), const(1)), INT), 1),
        (ir.ExtremeExpr(True, (NO_CALL, made(0, 2)), CALL), ir.Combination(0, (2,))),
        (ir.ExtremeExpr(False, (NO_CALL, made(0, 2)), CALL), None),
        # cards and combinations
        (ir.PickCards(CARD_BINDER), (7, 2)),
        (best_of(HAND[0]), ir.Combination(0, (3,))),
        (best_of(ir.AllOfZone("hand")), ir.Combination(1, (3,))),
        (best_of(ir.AllOfZone("hand"), binary(local("k", KIND), "=", const(0), BOOL)), ir.Combination(0, (3,))),
        (best_of(zone("empty")), None),
        (HANDS_SPLIT, (ir.Combination(1, (3,)), ir.Combination(1, (0,)), ir.Combination(0, (1,)))),
        (ir.AsExpr(ir.PickCards(ir.Binder("c", ir.AllOfZone("hand"), CARD, binary(
            unary(ir.Unary.RANK_OF, local("c", CARD), RANK), "=", const(0), BOOL))), const(1, KIND)),
         ir.Combination(1, (0,))),
        (ir.AsExpr(HAND[0], const(1, KIND)), None),
        (ir.AsExpr(HAND[1], const(1, KIND)), None),
        (made(1, 3), ir.Combination(1, (3,))),
    ],
    ids=str,
)  # fmt: skip
def test_value(expr: ir.Expr, expected: Any) -> None:
    found = value(expr)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (var("unset"), "unset is read before it is set"),
        (unary(ir.Unary.UNWRAP, NONE), "none where a value is needed"),
        (unary(ir.Unary.WHOLE, HALF), "1/2 is not whole"),
        (unary(ir.Unary.TOP_OF, zone("empty")), "the top of an empty pile"),
        (binary(const(1), "/", const(0)), "division by 0"),
        (binary(const(1), "div", const(0)), "division by 0"),
        (binary(const(1), "mod", const(0)), "division by 0"),
        (var("points", unary(ir.Unary.NEGATE, const(1))), "points has no such place"),
        (var("grid", const(2), const(0, SUIT), unary(ir.Unary.NEGATE, const(1))), "grid has no such place"),
        (var("grid", size(HAND[1]), const(0, SUIT), SEAT[0]), "grid has no such place"),
        (var("square", const(0, SUIT), size(zone("empty"))), "square has no such place"),
        (zone("hand", ir.IfExpr(const(True, BOOL), NONE, NONE, MAYBE_PLAYER)), "none where hand needs a value"),
        (ir.TableExpr("halves", const(5), FRACTION), "halves has no such row"),
        (ir.ColumnExpr("price", const(1, KIND)), "pair has no price"),
        (ir.ColumnExpr("score", NO_CALL), "none where score needs a combination"),
        (fold("first", start=NONE), "none where a player to start from is needed"),
        (ir.Before(const(1), INT), "there is no step to look back over"),
    ],
    ids=str,
)
def test_fault(expr: ir.Expr, message: str) -> None:
    with pytest.raises(Fault) as caught:
        value(expr)
    assert caught.value.message == message


def test_before_looks_at_the_earlier_state() -> None:
    compiler = Compiler(GAME, MACHINE.layout)
    gained = compiler.compile(binary(var("points", SEAT[0]), "-", ir.Before(var("points", SEAT[0]), INT)))
    compiler.before, now = a_state(), a_state()
    now.vars[MACHINE.layout.vars["points"].index([0])] = 10
    assert gained(now) == 7


def test_a_binder_hides_an_outer_one_of_the_same_name() -> None:
    inner = ir.FoldExpr(ir.FoldOp.COUNT, players("p", binary(points(), ">", const(5), BOOL)), None, INT)
    assert value(fold("sum", binary(inner, "+", points()))) == 4 * 2 + 22


def test_a_state_is_told_apart_by_everything_that_matters() -> None:
    s, other = a_state(), a_state()
    assert s.key() == other.key()
    assert hash(s.key()) == hash(s.clone().key())
    other.vars[-1] = ir.Combination(1, (3,), (3,))
    assert s.key() != other.key()
    third = a_state()
    third.vars[-1] = ir.Combination(1, (3,), (2,))
    assert other.key() != third.key(), "calls of equal strength are different values"
    assert UNSET in s.vars

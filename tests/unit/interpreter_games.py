"""Small games built by hand, for the tests of the interpreter."""

from __future__ import annotations

from typing import Any

from dsl import ir

ORIGIN = ir.Origin(None, "game", ("XX-01",))
INT, BOOL, PLAYER, CARD, CARDS = ir.IntType(), ir.BoolType(), ir.PlayerType(), ir.CardType(), ir.CardsType()
COMBINATION, CALL = ir.CombinationType(), ir.OptionalType(ir.CombinationType())
DECK = ir.Deck(("7", "8", "9", "K"), ("clubs", "hearts"), suit_letters=("C", "H"))
NO_KINDS: tuple[ir.Kind, ...] = ()
KINDS = (
    ir.Kind("one_card", ir.Pattern((ir.Group(1, rank="r"),), (("r", "rank"),)), 1, ("r",), "one {r}", (("score", 1),)),
    ir.Kind("pair", ir.Pattern((ir.Group(2, rank="r"),), (("r", "rank"),)), 2, ("r",), "two {r}s", (("score", 5),)),
)


def const(value: Any, type_: ir.Type = INT) -> ir.Const:
    return ir.Const(value, type_)


def var(name: str, *indices: ir.Expr, type_: ir.Type = INT) -> ir.Var:
    return ir.Var(name, indices, type_)


def local(name: str, type_: ir.Type = PLAYER) -> ir.Local:
    return ir.Local(name, type_)


def zone(name: str, *indices: ir.Expr) -> ir.ZoneExpr:
    return ir.ZoneExpr(name, indices)


def unary(op: ir.Unary, operand: ir.Expr, type_: ir.Type = INT) -> ir.UnaryExpr:
    return ir.UnaryExpr(op, operand, type_)


def binary(left: ir.Expr, op: str, right: ir.Expr, type_: ir.Type = INT) -> ir.BinaryExpr:
    return ir.BinaryExpr(ir.Binary(op), left, right, type_)


def size(cards: ir.Expr) -> ir.Expr:
    return unary(ir.Unary.SIZE_OF, cards)


def left_of(player: ir.Expr) -> ir.Expr:
    return unary(ir.Unary.LEFT_OF, player, PLAYER)


def players(name: str, where: ir.Expr | None = None) -> ir.Binder:
    return ir.Binder(name, PLAYER, PLAYER, where)


def state_var(
    name: str, type_: ir.Type, starts: Any = None, dims: tuple[ir.Domain, ...] = (), **more: Any
) -> ir.StateVar:
    return ir.StateVar(name, dims, type_, None if starts is None else const(starts, type_), **more)


def a_zone(
    name: str, seen: str, *shown: str, dims: tuple[ir.Domain, ...] = (), holds: ir.Expr | None = None
) -> ir.Zone:
    return ir.Zone(name, dims, seen, frozenset(shown), holds)


STOCK = a_zone("stock", "nobody", "count")
HAND = a_zone("hand", "owner", "count", dims=(PLAYER,))
PILE = a_zone("pile", "everyone", "count")
TABLE = a_zone("table", "nobody", "count")
ME = local("p")
RESULT = ir.Result(
    "p",
    var("score", ME),
    binary(var("score", ME), "=", ir.FoldExpr(ir.FoldOp.MAX, players("q"), var("score", local("q")), INT), BOOL),
    False,
    None,
)


def assign(name: str, value: ir.Expr, following: int, *indices: ir.Expr) -> ir.Assign:
    return ir.Assign(var(name, *indices), value, following, ORIGIN)


def game(
    nodes: tuple[ir.Node, ...],
    state: tuple[ir.StateVar, ...] = (),
    zones: tuple[ir.Zone, ...] = (STOCK, HAND, PILE, TABLE),
    num_players: int = 2,
    deck: ir.Deck = DECK,
    kinds: tuple[ir.Kind, ...] = KINDS,
    **more: Any,
) -> ir.Game:
    """A game with a score for each player, from which winners are read."""
    state = (state_var("score", ir.IntType(0, 99), 0, (PLAYER,)), *state)
    defaults: dict[str, Any] = {
        "tables": (), "functions": (), "clock": None, "entry": 0, "result": RESULT, "options": (),
    }  # fmt: skip
    return ir.Game(
        "small", "Small", num_players, deck=deck, kinds=kinds, zones=zones, home="stock", state=state, nodes=nodes,
        **(defaults | more),
    )  # fmt: skip


def action(
    name: str, entry: int, *params: ir.Param, guards: tuple[ir.Expr, ...] = (), cites: str = "XX-10"
) -> ir.Action:
    return ir.Action(name, params, tuple(ir.Guard(g, (f"{cites}{i}",)) for i, g in enumerate(guards)), entry, (cites,))


def discards(deck: ir.Deck = DECK, num_players: int = 2) -> ir.Game:
    """Shuffle, deal two cards each; in turn play a card that is no lower than the top card, or pass; until empty."""
    turn, hand = var("turn", type_=PLAYER), zone("hand", var("turn", type_=PLAYER))
    card = var("card", type_=CARD)
    top_rank = unary(ir.Unary.RANK_OF, unary(ir.Unary.TOP_OF, zone("pile"), CARD))
    fits = binary(
        binary(size(zone("pile")), "=", const(0), BOOL),
        "or",
        binary(unary(ir.Unary.RANK_OF, card), ">=", top_rank, BOOL),
        BOOL,
    )
    one = binary(var("score", turn), "+", const(1))
    over = binary(size(hand), "=", const(0), BOOL)
    nodes = (
        ir.Shuffle(zone("stock"), const(0, PLAYER), 1, ORIGIN),
        ir.Deal(const(2), False, zone("stock"), zone("hand", const(0, PLAYER)), 2, ORIGIN),
        ir.Deal(const(2), False, zone("stock"), zone("hand", const(1, PLAYER)), 3, ORIGIN),
        ir.Decide(
            turn,
            "play",
            (
                action("play", 4, ir.Param("card", "card", CARD, hand), guards=(fits,)),
                action("pass", 6, guards=(binary(var("passes"), "<", const(9), BOOL),)),
            ),
            ORIGIN,
        ),
        ir.Move(card, zone("pile"), 5, ORIGIN),
        assign("score", one, 7, turn),
        assign("passes", binary(var("passes"), "+", const(1)), 10),
        ir.Branch(over, 9, 8, ORIGIN),
        assign("turn", left_of(turn), 3),
        ir.Finish("out of cards", ORIGIN),
        ir.Branch(binary(var("passes"), "=", const(9), BOOL), 11, 8, ORIGIN),
        ir.Finish("all passed", ORIGIN),
    )
    state = (
        state_var("turn", PLAYER, 0),
        state_var("passes", ir.IntType(0, 9), 0),
        ir.StateVar("card", (), CARD, None, local=True),
    )
    return game(nodes, state, num_players=num_players, deck=deck)


def secret_picks() -> ir.Game:
    """Both pick a number at once; who picked the higher one scores it; then each lays a card face down."""
    who, card = var("who", type_=PLAYER), var("card", type_=CARD)
    nodes = (
        ir.Deal(const(3), False, zone("stock"), zone("hand", const(0, PLAYER)), 1, ORIGIN),
        ir.Deal(const(3), False, zone("stock"), zone("hand", const(1, PLAYER)), 2, ORIGIN),
        ir.Collect(
            players("p"), who, "pick", (action("pick", 3, ir.Param("n", "n", INT, ir.IntType(1, 3))),), 5, ORIGIN
        ),
        assign("score", var("n"), 4, who),
        ir.Resume(ORIGIN),
        ir.Collect(
            players("p"), who, "lay", (action("lay", 6, ir.Param("c", "card", CARD, zone("hand", who))),), 8, ORIGIN
        ),
        ir.Move(card, zone("table"), 7, ORIGIN),
        ir.Resume(ORIGIN),
        ir.Finish("laid", ORIGIN),
    )
    state = (
        ir.StateVar("who", (), PLAYER, None, local=True),
        ir.StateVar("n", (), INT, None, local=True),
        ir.StateVar("card", (), CARD, None, local=True),
    )
    return game(nodes, state)


def timed() -> ir.Game:
    """One player taps; a warning at 3 seconds adds a point, and at 0 the game is over."""
    tap = action("tap", 1, guards=(binary(var("score", const(0)), "<", const(50), BOOL),))
    nodes = (
        ir.Decide(const(0, PLAYER), "tap", (tap,), ORIGIN),
        assign("score", binary(var("score", const(0)), "+", const(2)), 0, const(0)),
        assign("score", binary(var("score", const(0)), "+", const(1)), 3, const(0)),
        ir.Resume(ORIGIN),
        ir.Finish("time is up", ORIGIN),
    )
    clock = ir.Clock(
        10_000, (ir.Event("warning", 3_000, 2, ("XX-30",)), ir.Event("end", 0, 4, ("XX-31",))), (500, 2_000)
    )
    return game(nodes, clock=clock, num_players=1)

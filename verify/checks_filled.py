"""Zones that certainly hold a card: those of all players for whom something is so.

`for each p where drawing[p]: deal 1 from stock to lot[p]` sees to it that whoever is in the draw has a card, and that
stays so while no card is taken from a `lot` and nobody else joins the draw. So a later round over the same players may
ask for the top of each one's `lot`. It is followed along the graph, for each yes-or-no of players and zone of players.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, TypeAlias

from dsl import ir
from dsl.lower import successors
from verify.checks_facts import Facts

_Item: TypeAlias = tuple[str, ...]
"""Who keeps to it that there is a card wherever it is so: all, the one that a variable names, or the seats of a round
from the first one up to where it has come, which once round are all.
"""
_Known: TypeAlias = frozenset[_Item]
_ALL: _Item = ("all",)
_NOTHING: _Known = frozenset()


class Filled:
    """For which players a zone holds a card wherever it is asked for its top."""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._game = facts, facts.game
        self._players = {
            v.name for v in self._game.state
            if len(v.dims) == 1 and isinstance(v.dims[0], ir.PlayerType) and isinstance(v.type, ir.BoolType)
        }  # fmt: skip
        self._known: dict[tuple[str, str], list[_Known | None]] = {}

    def is_settled(self, index: int, expr: Any) -> bool:
        """Whether what a node asks for is the top of a zone that certainly holds a card."""
        match expr:
            case ir.UnaryExpr(ir.Unary.TOP_OF, ir.ZoneExpr(zone, (ir.Var(player, (), ir.PlayerType()),)), _):
                return not self._waits(index) and any(
                    of == player and self._keeps(index, who, zone, player) for who, of in self._true_at(index)
                )
            case _:
                return False

    def _waits(self, index: int) -> bool:
        """Whether the clock may have rules followed while play stands at a node."""
        return isinstance(self._game.nodes[index], ir.Decide | ir.Collect)

    def _true_at(self, index: int) -> Iterator[tuple[str, str]]:
        """What is so, and of whom, wherever a node is reached."""
        for fact, truth in self._facts.at[index]:
            match fact:
                case ir.Var(who, (ir.Var(player, (), _),), _) if truth and who in self._players:
                    yield who, player
                case _:
                    pass

    def _keeps(self, index: int, who: str, zone: str, player: str) -> bool:
        if (who, zone) not in self._known:
            self._known[who, zone] = self._flow(who, zone)
        known = self._known[who, zone][index]
        return known is not None and (_ALL in known or ("one", player) in known)

    # ---------------------------------------------------------------------------------------- following

    def _flow(self, who: str, zone: str) -> list[_Known | None]:
        """What is known at each node, on every way there; None where nothing leads."""
        nodes = self._game.nodes
        known: list[_Known | None] = [None] * len(nodes)
        begins = [self._game.entry, *(e.entry for e in (self._game.clock.events if self._game.clock else ()))]
        for index in begins:
            known[index] = _NOTHING
        waiting = deque(begins)
        while waiting:
            index = waiting.popleft()
            before = known[index]
            assert before is not None
            for after, found in self._after(index, before | self._by_facts(index, who), who, zone):
                old = known[after]
                new = found if old is None else old & found
                if new != old:
                    known[after] = new
                    waiting.append(after)
        return known

    def _by_facts(self, index: int, who: str) -> _Known:
        """Of whom it is not so, nothing is asked."""
        out = set[_Item]()
        for fact, truth in self._facts.at[index]:
            match fact:
                case ir.Var(name, (ir.Var(player, (), _),), _) if name == who and not truth:
                    out.add(("one", player))
                case _:
                    pass
        return frozenset(out)

    def _after(self, index: int, known: _Known, who: str, zone: str) -> Iterator[tuple[int, _Known]]:
        node = self._game.nodes[index]
        match node:
            case ir.Branch(ir.Const(truth), yes, no, _):
                yield yes if truth else no, known
            case ir.Branch(condition, yes, no, _):
                yield yes, self._when(known, condition, True, who)
                yield no, self._when(known, condition, False, who)
            case ir.Assign(variable, value, after, _):
                yield after, self._assigned(index, known, variable, value, who)
            case ir.Deal(source=source) if source.zone != zone:
                yield node.next, known | self._dealt(node, zone)
            case ir.Announce() | ir.Reveal() | ir.Mark() | ir.Shuffle() | ir.Cut():
                yield node.next, known
            case _:
                # Cards may be taken, or anything else may have happened in between.
                yield from ((after, _NOTHING) for after in successors(node))

    @staticmethod
    def _when(known: _Known, condition: ir.Expr, truth: bool, who: str) -> _Known:
        """What is known once a condition has been found true, or not."""
        match condition:
            case ir.Var(name, (ir.Var(player, (), _),), _) if name == who and not truth:
                return known | {("one", player)}
            case ir.BinaryExpr(ir.Binary.EQ, ir.Var(player, (), _), ir.Var(first, (), _), _):
                if ("round", player, first) in known:
                    # Seat after seat, and now at the first one again, or not yet.
                    return known | {_ALL if truth else ("up to", player, first)}
            case _:
                pass
        return known

    def _assigned(self, index: int, known: _Known, variable: ir.Var, value: ir.Expr, who: str) -> _Known:
        if variable.name == who:
            return known if self._stays(index, known, variable, value, who) else _NOTHING
        if variable.indices:
            return known
        player = variable.name
        kept = frozenset(item for item in known if player not in item[1:])
        match value:
            case ir.Var(first, (), ir.PlayerType()) if first != player:
                return kept | {("up to", player, first)}
            case ir.UnaryExpr(ir.Unary.LEFT_OF, ir.Var(name, (), _), _) if name == player:
                keeps = ("one", player) in known or _ALL in known
                return kept | {("round", player, x[2]) for x in known if keeps and x[:2] == ("up to", player)}
            case _:
                return kept

    def _stays(self, index: int, known: _Known, variable: ir.Var, value: ir.Expr, who: str) -> bool:
        """Whether nobody ceases to keep to it when it becomes so, or not, of one player."""
        if isinstance(value, ir.Const) and value.value is False:
            return True
        match variable.indices:
            case (ir.Var(player, (), _),):
                # Who has a card keeps to it either way.
                return (who, player) in self._true_at(index) and (_ALL in known or ("one", player) in known)
            case _:
                return False

    @staticmethod
    def _dealt(node: ir.Deal, zone: str) -> _Known:
        """Who has been dealt a card."""
        match node.count, node.target:
            case ir.Const(number, _), ir.ZoneExpr(name, (ir.Var(player, (), _),)) if (
                name == zone and isinstance(number, int) and number > 0 and not node.up_to
            ):
                return frozenset({("one", player)})
            case _:
                return _NOTHING

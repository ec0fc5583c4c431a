"""Claims that look back over a rule, turned into claims that do not: what they will ask for is put by as it begins.

For each `before(x)` of a claim there is a variable of its own, or one for each value of the names in `x` that the claim
binds. It is set to `x` where the rule begins, and back to what it was at first once the claim has looked. So the count
abstraction follows it as it does any other. What could fail where it is put by, while play itself goes on, is refused:
it would cut off plays that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import product
from typing import Any, Final, TypeAlias

from dsl import ir, model, types
from dsl.lower import lower, successors
from dsl.walk import parts, reached
from interpreter.values import domain_values
from verify.points import Unsupported

_MOST_CELLS: Final = 200
_MAPPED: Final = (
    ir.Unary.NOT, ir.Unary.NEGATE, ir.Unary.FLOOR, ir.Unary.CEILING, ir.Unary.NEAREST, ir.Unary.IS_NONE,
    ir.Unary.SIZE_OF, ir.Unary.LEFT_OF, ir.Unary.RIGHT_OF,
)  # fmt: skip
_JOINED: Final = (
    ir.Binary.ADD, ir.Binary.SUBTRACT, ir.Binary.MULTIPLY, ir.Binary.AND, ir.Binary.OR, ir.Binary.EQ, ir.Binary.NE,
)  # fmt: skip
_ORDERED: Final = (ir.Binary.LT, ir.Binary.LE, ir.Binary.GT, ir.Binary.GE)
_FOLDED: Final = (ir.FoldOp.COUNT, ir.FoldOp.SOME, ir.FoldOp.EVERY, ir.FoldOp.SUM)
_KEPT: Final = (ir.IntType, ir.FractionType, ir.BoolType, ir.PlayerType, ir.KindType, ir.RankType, ir.SuitType,
                ir.EnumType)  # fmt: skip
_PLAIN: TypeAlias = (
    ir.Const | ir.Local | ir.NumPlayers | ir.IfExpr | ir.CallExpr | ir.Binder | ir.PickCards
)  # fmt: skip

_Names: TypeAlias = dict[str, "ir.Domain | None"]
"""Names that are bound around a part of a claim; None where they stand for what has no list of values."""


@dataclass(frozen=True, slots=True)
class WithoutLookBack:
    """A claim that looks back no more, and the game that puts by for it, in the variables of these `names`."""

    claim: ir.Property
    game: ir.Game
    names: frozenset[str]


def without_look_back(claim: ir.Property, source: model.Model, num_players: int) -> WithoutLookBack:
    """The same claim and the same game, without a look back.

    Raises:
        Unsupported: What it looks back at cannot be put by, or the rule may begin again before it ends.
    """
    if claim.scope is None or claim.scope not in source.rules:
        raise Unsupported("the count abstraction looks back over a rule only")
    game = lower(source, num_players, marked=frozenset({claim.scope}))
    if not _begins_then_ends(game, claim.scope):
        raise Unsupported("the count abstraction looks back over no rule that may begin again before it ends")
    turned = _Turned(game)
    names: _Names = {name: t if isinstance(t, ir.Domain) else None for name, t in claim.variables}
    expressions = tuple(turned.expression(x, names) for x in claim.expressions)
    premise = None if claim.premise is None else turned.expression(claim.premise, names)
    put_by = list(turned.put_by.values())
    return WithoutLookBack(
        replace(claim, expressions=expressions, premise=premise),
        _Putting(game, claim.scope, put_by).game(),
        frozenset(name for p in put_by for name in (p.variable.name, *_round_names(p))),
    )


# ---------------------------------------------------------------------------------------- what the claim asks for


@dataclass(frozen=True, slots=True)
class _PutBy:
    """What is put by: the variable for it, and the names that its indices stand for in `operand`."""

    variable: ir.StateVar
    names: tuple[str, ...]
    operand: ir.Expr


class _Turned:
    """The parts of a claim, each `before` of which reads a variable."""

    def __init__(self, game: ir.Game) -> None:
        self._game = game
        self.put_by: dict[tuple[ir.Expr, tuple[tuple[str, ir.Domain], ...]], _PutBy] = {}

    def expression(self, part: Any, names: _Names) -> Any:
        """The part, which is under some bound names."""
        if isinstance(part, tuple):
            return tuple(self.expression(x, names) for x in part)
        if not is_dataclass(part) or isinstance(part, ir.Const | type):
            return part
        if isinstance(part, ir.Before):
            return self._read(part, names)
        binder = getattr(part, "binder", None)
        if isinstance(binder, ir.Binder):
            domain = binder.domain if isinstance(binder.domain, ir.Domain) else None
            # A name that is bound twice, of different values, stands for none.
            names = names | {binder.name: domain if names.get(binder.name, domain) == domain else None}
        changed: Any = replace(part, **{f.name: self.expression(getattr(part, f.name), names) for f in fields(part)})
        return changed

    def _read(self, before: ir.Before, names: _Names) -> ir.Expr:
        operand = before.operand
        inner = {p.name for p in parts(operand) if isinstance(p, ir.Binder)}
        used = sorted({p.name for p in parts(operand) if isinstance(p, ir.Local)} - inner)
        domains: list[tuple[str, ir.Domain]] = []
        for name in used:
            domain = names.get(name)
            if domain is None or name in inner:
                raise Unsupported("the count abstraction does not look back at what cards are")
            domains.append((name, domain))
        if inner & set(names):
            raise Unsupported("the count abstraction does not look back where one name stands for two things")
        # Players first: so the seats can be turned.
        domains.sort(key=lambda pair: not isinstance(pair[1], ir.PlayerType))
        key = operand, tuple(domains)
        if key not in self.put_by:
            self.put_by[key] = self._variable(operand, domains)
        put_by = self.put_by[key].variable
        indices = tuple(ir.Local(name, domain) for name, domain in domains)
        return ir.Var(put_by.name, indices, _open(before.type))

    def _variable(self, operand: ir.Expr, domains: list[tuple[str, ir.Domain]]) -> _PutBy:
        size = 1
        for _, domain in domains:
            size *= len(domain_values(domain, self._game))
        if size > _MOST_CELLS or not isinstance(types.strip(types.of(operand)), _KEPT):
            raise Unsupported("the count abstraction cannot put by what the claim looks back at")
        t = _open(types.of(operand))
        name = f"before:{len(self.put_by)}"
        variable = ir.StateVar(name, tuple(d for _, d in domains), t, _neutral(t), local=True)
        return _PutBy(variable, tuple(n for n, _ in domains), operand)


def _open(t: ir.Type) -> ir.Type:
    """The type without a range: none is promised of what is put by, for to leave it would be to fail."""
    if isinstance(t, ir.OptionalType):
        return ir.OptionalType(_open(t.of))
    return types.INTEGER if isinstance(t, ir.IntType) else t


def _neutral(t: ir.Type) -> ir.Expr | None:
    """What a variable is at first; None is unset, where any value would tell one seat from the others."""
    match t:
        case ir.OptionalType():
            return ir.Const(None, t)
        case ir.PlayerType():
            return None
        case ir.BoolType():
            return ir.Const(False, t)
        case _:
            return ir.Const(0, t)


def _is_total(operand: ir.Expr, game: ir.Game, given: tuple[str, ...]) -> bool:
    """Whether there is a value whatever play has come to, once the variables that are `given` have one."""
    found = list(reached(operand, game))
    state, zones = {v.name: v for v in game.state}, {z.name: z for z in game.zones}
    bound: dict[str, set[Any]] = {}
    for part in found:
        if isinstance(part, ir.Binder):
            bound.setdefault(part.name, set()).add(part.domain)
        elif isinstance(part, ir.CallExpr):
            for name, _ in next(f for f in game.functions if f.name == part.function).parameters:
                bound.setdefault(name, set()).add(None)

    def fits(index: ir.Expr, domain: ir.Domain) -> bool:
        match index:
            case ir.Const(value, _):
                return value in domain_values(domain, game)
            case ir.Local(name, _) if bound.get(name) == {domain}:
                return True
            case _:
                return types.of(index) == domain and not isinstance(domain, ir.IntType)

    def is_safe(part: Any) -> bool:
        match part:
            case ir.Var(name, indices, _):
                if name in given:
                    return True
                return state[name].starts is not None and all(map(fits, indices, state[name].dims))
            case ir.ZoneExpr(zone, indices) | ir.AllOfZone(zone, indices):
                return all(map(fits, indices, zones[zone].dims))
            case ir.UnaryExpr(op, inner, _):
                return op in _MAPPED and (op is ir.Unary.IS_NONE or not isinstance(types.of(inner), ir.OptionalType))
            case ir.BinaryExpr(op, left, right, _):
                ordered = op in _ORDERED and types.is_number(types.of(left)) and types.is_number(types.of(right))
                return op in _JOINED or ordered
            case ir.FoldExpr(op, _, _, _, _, _):
                return op in _FOLDED
            case ir.ExtremeExpr(_, operands, _):
                return all(types.is_number(types.of(x)) for x in operands)
            case _:
                return isinstance(part, _PLAIN | ir.Type)

    return all(map(is_safe, found))


# ------------------------------------------------------------------------------------- the game that puts by for it


class _Putting:
    """A game in which, as a rule begins, what a claim will ask for is put by."""

    def __init__(self, game: ir.Game, rule: str, put_by: list[_PutBy]) -> None:
        self._game, self._rule, self._put_by = game, rule, put_by
        self._nodes = list(game.nodes)

    def game(self) -> ir.Game:
        """The game."""
        for at, node in enumerate(self._game.nodes):
            if isinstance(node, ir.Mark) and node.rule == self._rule:
                after = node.next
                for put_by in self._put_by:
                    after = self._set(put_by, node.begins, after, node.origin)
                self._nodes[at] = replace(node, next=after)
        rounds = tuple(
            ir.StateVar(name, (), types.PLAYER, None, local=True) for p in self._put_by for name in _round_names(p)
        )  # fmt: skip
        state = (*self._game.state, *(p.variable for p in self._put_by), *rounds)
        return replace(self._game, nodes=tuple(self._nodes), state=state)

    def _set(self, put_by: _PutBy, begins: bool, after: int, origin: ir.Origin) -> int:
        """Sets all cells of a variable, and goes on at `after`; the node where that begins."""
        if not begins and put_by.variable.starts is None:
            return after
        names = _round_names(put_by)
        if not names:
            return self._cells(put_by, begins, None, after, origin)
        # A round that begins somewhere, as the rules' own do: it comes to the same wherever that is.
        first, player = (ir.Var(name, (), types.PLAYER) for name in names)
        step = self._add(ir.Mark("", True, after, origin))
        head = self._cells(put_by, begins, player, step, origin)
        is_back = ir.BinaryExpr(ir.Binary.EQ, player, first, types.BOOL)
        check = self._add(ir.Branch(is_back, after, head, origin))
        self._nodes[step] = ir.Assign(player, ir.UnaryExpr(ir.Unary.LEFT_OF, player, types.PLAYER), check, origin)
        begin = self._add(ir.Assign(player, first, head, origin))
        return self._add(ir.Assign(first, ir.Const(0, types.PLAYER), begin, origin))

    def _cells(self, put_by: _PutBy, begins: bool, player: ir.Var | None, after: int, origin: ir.Origin) -> int:
        variable = put_by.variable
        rest = variable.dims if player is None else variable.dims[1:]
        for values in product(*(domain_values(d, self._game) for d in rest)):
            indices: tuple[ir.Expr, ...] = tuple(ir.Const(v, d) for v, d in zip(values, rest, strict=True))
            indices = indices if player is None else (player, *indices)
            value = variable.starts
            if begins:
                value = _with_values(put_by.operand, dict(zip(put_by.names, indices, strict=True)))
                if not _is_total(value, self._game, _round_names(put_by)):
                    raise Unsupported("the count abstraction does not look back at what may have no value")
            assert value is not None
            after = self._add(ir.Assign(ir.Var(variable.name, indices, variable.type), value, after, origin))
        return after

    def _add(self, node: ir.Node) -> int:
        self._nodes.append(node)
        return len(self._nodes) - 1


def _round_names(put_by: _PutBy) -> tuple[str, ...]:
    """Who a round over the players began with, and whose turn it is: no names where there is no such round."""
    dims = put_by.variable.dims
    return tuple(f"{put_by.variable.name}.{n}" for n in ("first", "player")) if ir.PlayerType() in dims[:1] else ()


def _with_values(part: Any, values: dict[str, ir.Expr]) -> Any:
    """The part with expressions for names."""
    if isinstance(part, tuple):
        return tuple(_with_values(x, values) for x in part)
    if isinstance(part, ir.Local):
        return values.get(part.name, part)
    if not is_dataclass(part) or isinstance(part, ir.Const | type):
        return part
    return replace(part, **{f.name: _with_values(getattr(part, f.name), values) for f in fields(part)})


def _begins_then_ends(game: ir.Game, rule: str) -> bool:
    """Whether a rule never begins while it is under way, nor ends while it is not, and the clock leaves it alone."""

    def marks(node: ir.Node) -> bool:
        return isinstance(node, ir.Mark) and node.rule == rule

    events = [e.entry for e in game.clock.events] if game.clock else []
    if any(marks(game.nodes[at]) for at, _ in _ways(game, events, marks)):
        return False
    return all(
        node.begins is not is_under_way
        for at, is_under_way in _ways(game, [game.entry], marks)
        if isinstance(node := game.nodes[at], ir.Mark) and node.rule == rule
    )


def _ways(game: ir.Game, entries: list[int], marks: Callable[[ir.Node], bool]) -> Iterator[tuple[int, bool]]:
    """Each node that may be come to, and whether the rule may be under way then."""
    waiting, seen = [(at, False) for at in entries], set[tuple[int, bool]]()
    while waiting:
        at, is_under_way = found = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        yield found
        node = game.nodes[at]
        if isinstance(node, ir.Mark) and marks(node):
            is_under_way = node.begins
        waiting += [(x, is_under_way) for x in successors(node)]

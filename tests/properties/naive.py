"""What expressions and rules mean, said once more as plainly as possible: a walk over the tree, nothing made ready.

It shares no code with `interpreter` but the values in which cards and seats are counted. Expressions are `ir.Expr`;
rules are the statements of `dsl.model`, run as they are written and not by way of the graph, so that this also
checks what lowering makes of them.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

from dsl import ir, model
from interpreter.cards import CardSet
from tests.properties.test_combinations import ways

Key = tuple[str, tuple[int, ...]]
Event = tuple[Any, ...]


class NaiveFault(Exception):
    """An obligation of the rules does not hold."""


@dataclass(frozen=True)
class Found:
    """A combination: of which kind, how strong, naming what, and in which cards."""

    kind: int
    key: tuple[int, ...]
    named: tuple[int, ...]
    cards: tuple[int, ...]


@dataclass
class World:
    """A point of play. `zones` from the bottom up; `variables` lack what is not set; `frame` are a rule's own."""

    game: ir.Game
    cards: CardSet
    zones: dict[Key, list[int]]
    variables: dict[Key, Any]
    time_left: Fraction = Fraction(0)
    frame: dict[str, Any] = field(default_factory=dict)


def size_of_domain(world: World, domain: ir.Type) -> tuple[int, int]:
    match domain:
        case ir.PlayerType():
            return 0, world.game.num_players - 1
        case ir.KindType():
            return 0, len(world.game.kinds) - 1
        case ir.RankType():
            return 0, len(world.game.deck.ranks) - 1
        case ir.SuitType():
            return 0, len(world.game.deck.suits) - 1
        case ir.EnumType(names):
            return 0, len(names) - 1
        case ir.IntType(int(low), int(high)):
            return low, high
    raise AssertionError(domain)


def cell(
    world: World, name: str, indices: tuple[ir.Expr, ...], env: dict[str, Any], dims: tuple[ir.Domain, ...]
) -> Key:
    values = tuple(evaluate(world, i, env) for i in indices)
    for value, domain in zip(values, dims, strict=True):
        low, high = size_of_domain(world, domain)
        if value is None or not low <= value <= high:
            raise NaiveFault(f"{name} has no such place")
    return name, values


def zone_key(world: World, expr: ir.ZoneExpr, env: dict[str, Any]) -> Key:
    declared = next(z for z in world.game.zones if z.name == expr.zone)
    return cell(world, expr.zone, expr.indices, env, declared.dims)


def as_cards(value: Any) -> tuple[int, ...]:
    if value is None:
        return ()
    if isinstance(value, Found):
        return value.cards
    if isinstance(value, int):
        return (value,)
    return tuple(c for item in value for c in (item.cards if isinstance(item, Found) else (item,)))


def rank_among(value: Any) -> Any:
    """What orders a value: combinations by kind and key, none below every one."""
    if value is None:
        return (-1, ())
    return (value.kind, value.key) if isinstance(value, Found) else value


def same(world: World, a: Any, b: Any, type_: ir.Type) -> bool:
    inner = type_.of if isinstance(type_, ir.OptionalType) else type_
    if a is None or b is None:
        return a is b
    if isinstance(inner, ir.CardType):
        return bool(world.cards.look[a] == world.cards.look[b])
    return bool(rank_among(a) == rank_among(b))


def type_of(expr: ir.Expr) -> ir.Type:
    """The type, where it is needed here: of what is compared."""
    return getattr(expr, "type", ir.CombinationType() if isinstance(expr, ir.MakeCombination) else ir.IntType())


def evaluate(world: World, expr: ir.Expr, env: dict[str, Any]) -> Any:
    def at(inner: ir.Expr, **more: Any) -> Any:
        return evaluate(world, inner, env | more)

    match expr:
        case ir.Const(value):
            return value
        case ir.NumPlayers():
            return world.game.num_players
        case ir.TimeLeft():
            return world.time_left
        case ir.Local(name):
            return env[name]
        case ir.Var(name, indices, _):
            declared = next(v for v in world.game.state if v.name == name)
            if declared.local:
                return world.frame[name]
            key = cell(world, name, indices, env, declared.dims)
            if key not in world.variables:
                raise NaiveFault(f"{name} is not set")
            return world.variables[key]
        case ir.UnaryExpr(op, operand, _):
            return unary(world, op, at(operand))
        case ir.BinaryExpr(ir.Binary.AND, left, right, _):
            return at(left) and at(right)
        case ir.BinaryExpr(ir.Binary.OR, left, right, _):
            return at(left) or at(right)
        case ir.BinaryExpr(op, left, right, type_):
            return binary(world, op, at(left), at(right), type_of(left), type_)
        case ir.IfExpr(condition, then, otherwise, _):
            return at(then) if at(condition) else at(otherwise)
        case ir.ColumnExpr(column, operand):
            value = at(operand)
            return dict(world.game.kinds[value.kind if isinstance(value, Found) else value].columns)[column]
        case ir.TableExpr(name, operand, _):
            table = next(t for t in world.game.tables if t.name == name)
            low, high = size_of_domain(world, table.domain)
            value = at(operand)
            if not low <= value <= high:
                raise NaiveFault(f"{name} has no such row")
            return table.rows[value - low]
        case ir.CallExpr(name, arguments, _):
            function = next(f for f in world.game.functions if f.name == name)
            values = [at(a) for a in arguments]
            return evaluate(world, function.body, dict(zip((n for n, _ in function.parameters), values, strict=True)))
        case ir.FoldExpr():
            return fold(world, expr, env)
        case ir.ExtremeExpr(greatest, operands, _):
            values = [at(o) for o in operands]
            return (max if greatest else min)(values, key=rank_among)
        case ir.ZoneExpr():
            return tuple(world.zones[zone_key(world, expr, env)])
        case ir.AllOfZone(name, indices):
            declared_zone = next(z for z in world.game.zones if z.name == name)
            first = cell(world, name, indices, env, declared_zone.dims[: len(indices)])[1]
            return tuple(
                c for (n, i), pile in world.zones.items() if n == name and i[: len(first)] == first for c in pile
            )
        case ir.PickCards(binder):
            return tuple(matches(world, binder, env))
        case ir.BestExpr(cards, binder, _):
            pile = as_cards(at(cards))
            kinds = [
                k for k in range(len(world.game.kinds))
                if binder is None or binder.where is None or at(binder.where, **{binder.name: k})
            ]  # fmt: skip
            found = [f for f in instances(world.cards, world.game.kinds, frozenset(pile)) if f.kind in kinds]
            return max(found, key=rank_among, default=None)
        case ir.SplitExpr(cards, column):
            return split(world, as_cards(at(cards)), column)
        case ir.AsExpr(cards, kind):
            pile, wanted = as_cards(at(cards)), at(kind)
            exact = instances(world.cards, world.game.kinds, frozenset(pile))
            return max(
                (f for f in exact if f.kind == wanted and len(f.cards) == len(pile)), key=rank_among, default=None
            )
        case ir.MakeCombination(kind, arguments):
            named = tuple(at(a) for a in arguments)
            names = [name for name, _ in world.game.kinds[kind].named]
            return Found(kind, tuple(named[names.index(str(part))] for part in world.game.kinds[kind].by), named, ())
    raise AssertionError(expr)


@lru_cache(maxsize=20_000)
def _instances(cards: CardSet, kinds: tuple[ir.Kind, ...], pile: frozenset[int]) -> tuple[Found, ...]:
    found = []
    for number, kind in enumerate(kinds):
        for way in ways(cards, kind, tuple(sorted(pile))):
            found.append(Found(number, way.key, way.named, tuple(sorted(way.cards))))
    return tuple(found)


def instances(cards: CardSet, kinds: tuple[ir.Kind, ...], pile: frozenset[int]) -> tuple[Found, ...]:
    """Every combination among some cards, by brute force."""
    return _instances(cards, kinds, pile)


def split(world: World, pile: tuple[int, ...], column: str) -> tuple[Found, ...]:
    """Of all disjoint selections the one with the greatest sum, then with the greatest list of strengths."""
    found = instances(world.cards, world.game.kinds, frozenset(pile))
    worth = {k: dict(kind.columns)[column] for k, kind in enumerate(world.game.kinds)}
    pieces = sorted({f for f in found if worth[f.kind] > 0}, key=lambda f: (f.cards, rank_among(f)))

    def selections(left: frozenset[int], start: int) -> Iterator[tuple[Found, ...]]:
        yield ()
        for i in range(start, len(pieces)):
            if left >= set(pieces[i].cards):
                for rest in selections(left - set(pieces[i].cards), i + 1):
                    yield (pieces[i], *rest)

    def merit(chosen: tuple[Found, ...]) -> Any:
        return sum(worth[f.kind] for f in chosen), sorted((rank_among(f) for f in chosen), reverse=True)

    best = max(selections(frozenset(pile), 0), key=merit)
    return tuple(sorted(best, key=rank_among, reverse=True))


def unary(world: World, op: ir.Unary, value: Any) -> Any:
    match op:
        case ir.Unary.NOT:
            return not value
        case ir.Unary.NEGATE:
            return -value
        case ir.Unary.FLOOR:
            return math.floor(value)
        case ir.Unary.CEILING:
            return math.ceil(value)
        case ir.Unary.NEAREST:
            below = math.floor(value)
            rest = value - below
            if rest == Fraction(1, 2):
                return below + 1 if value > 0 else below
            return below + (rest > Fraction(1, 2))
        case ir.Unary.WHOLE:
            if Fraction(value).denominator != 1:
                raise NaiveFault("not whole")
            return int(value)
        case ir.Unary.UNWRAP:
            if value is None:
                raise NaiveFault("none")
            return value
        case ir.Unary.IS_NONE:
            return value is None
        case ir.Unary.RANK_OF:
            return value // len(world.game.deck.suits)
        case ir.Unary.SUIT_OF:
            return value % len(world.game.deck.suits)
        case ir.Unary.KIND_OF:
            return value.kind
        case ir.Unary.SIZE_OF:
            return len(value) if isinstance(value, tuple) else world.game.kinds[value].size
        case ir.Unary.TOP_OF:
            if not as_cards(value):
                raise NaiveFault("the top of nothing")
            return as_cards(value)[-1]
        case ir.Unary.HEIGHT_OF:
            return value + 1
        case ir.Unary.CARDS_OF:
            return as_cards(value)
        case ir.Unary.LEFT_OF:
            return 0 if value == world.game.num_players - 1 else value + 1
        case ir.Unary.RIGHT_OF:
            return world.game.num_players - 1 if value == 0 else value - 1
        case ir.Unary.OPPOSITE_OF:
            return (value + world.game.num_players // 2) % world.game.num_players


def binary(world: World, op: ir.Binary, a: Any, b: Any, type_: ir.Type, result: ir.Type) -> Any:
    match op:
        case ir.Binary.ADD:
            if isinstance(result, ir.CardsType):
                return as_cards(a) + tuple(c for c in as_cards(b) if c not in as_cards(a))
            return a + b
        case ir.Binary.SUBTRACT:
            return a - b
        case ir.Binary.MULTIPLY:
            return a * b
        case ir.Binary.DIVIDE | ir.Binary.DIV | ir.Binary.MOD:
            if b == 0:
                raise NaiveFault("division by 0")
            exact = Fraction(a) / Fraction(b)
            if op is ir.Binary.DIVIDE:
                return exact
            return math.floor(exact) if op is ir.Binary.DIV else a - b * math.floor(exact)
        case ir.Binary.EQ:
            return same(world, a, b, type_)
        case ir.Binary.NE:
            return not same(world, a, b, type_)
        case ir.Binary.LT:
            return rank_among(a) < rank_among(b)
        case ir.Binary.LE:
            return rank_among(a) <= rank_among(b)
        case ir.Binary.GT:
            return rank_among(a) > rank_among(b)
        case ir.Binary.GE:
            return rank_among(a) >= rank_among(b)
        case ir.Binary.CONTAINS:
            found = instances(world.cards, world.game.kinds, frozenset(as_cards(a)))
            return any(f.kind == b.kind and f.named == b.named for f in found)
        case ir.Binary.IN:
            return any(world.cards.look[a] == world.cards.look[c] for c in as_cards(b))
    raise AssertionError(op)


def items(world: World, binder: ir.Binder, env: dict[str, Any], start: ir.Expr | None = None) -> list[Any]:
    """What a binder goes over."""
    if isinstance(binder.domain, ir.PlayerType | ir.KindType | ir.RankType | ir.SuitType | ir.EnumType | ir.IntType):
        low, high = size_of_domain(world, binder.domain)
        values = list(range(low, high + 1))
        if start is not None:
            first = evaluate(world, start, env)
            if first is None:
                raise NaiveFault("nobody to start from")
            values = values[values.index(first) :] + values[: values.index(first)]
        return values
    return list(evaluate(world, binder.domain, env) or ())


def matches(world: World, binder: ir.Binder, env: dict[str, Any], start: ir.Expr | None = None) -> Iterator[Any]:
    for value in items(world, binder, env, start):
        if binder.where is None or evaluate(world, binder.where, env | {binder.name: value}):
            yield value


def fold(world: World, expr: ir.FoldExpr, env: dict[str, Any]) -> Any:
    binder, body = expr.binder, expr.body

    def of(value: Any) -> Any:
        return True if body is None else evaluate(world, body, env | {binder.name: value})

    found = matches(world, binder, env, expr.start)
    match expr.op:
        case ir.FoldOp.COUNT:
            return sum(1 for v in found if of(v))
        case ir.FoldOp.SOME:
            return any(of(v) for v in found)
        case ir.FoldOp.EVERY:
            return all(of(v) for v in found)
        case ir.FoldOp.SUM:
            return sum(of(v) for v in found)
        case ir.FoldOp.MAX:
            return max((of(v) for v in found), key=rank_among, default=None)
        case ir.FoldOp.MIN:
            return min((of(v) for v in found), key=rank_among, default=None)
        case ir.FoldOp.FIRST:
            return next((v for v in found if of(v)), None)
        case ir.FoldOp.ONLY:
            # A second one decides: what comes after it is not asked.
            those = [v for v, _ in zip((v for v in found if of(v)), range(2), strict=False)]
            return those[0] if len(those) == 1 else None
        case ir.FoldOp.HIGHEST | ir.FoldOp.LOWEST:
            keyed = [(rank_among(of(v)), v) for v in found]
            if not keyed:
                return None
            best = (max if expr.op is ir.FoldOp.HIGHEST else min)(k for k, _ in keyed)
            winners = [v for k, v in keyed if k == best]
            return winners[0] if len(winners) == 1 or expr.tie is ir.Tie.FIRST else None


# ------------------------------------------------------------------------------------------------ rules


class Leave(Exception):
    """A rule is left from inside."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class GameOver(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


Run = Generator[Event, Any, None]
"""Runs until something is to be decided, tells what, and is sent the decision."""


class Runner:
    """Runs the rules of a model as they are written."""

    def __init__(self, source: model.Model, world: World) -> None:
        self.model, self.world = source, world
        self.open: list[str] = []
        self.reason: str | None = None

    def run(self) -> Run:
        self.gather_up()
        try:
            yield from self.rule("game", {})
            self.reason = "played out"
        except GameOver as over:
            self.reason = over.reason

    def gather_up(self) -> None:
        world = self.world
        for declared in self.model.state:
            cells: list[tuple[int, ...]] = [()]
            for domain in declared.dims:
                low, high = size_of_domain(world, domain)
                cells = [(*c, v) for c in cells for v in range(low, high + 1)]
            for c in cells:
                if declared.starts is not None:
                    world.variables[declared.name, c] = evaluate(world, declared.starts, {})

    def value(self, expr: ir.Expr) -> Any:
        # A binder's name may stand for a variable of the rule that has the same name.
        return evaluate(self.world, expr, dict(self.world.frame))

    def rule(self, name: str, parameters: dict[str, Any]) -> Run:
        outer, self.world.frame = self.world.frame, dict(parameters)
        self.open.append(name)
        try:
            yield from self.body(self.model.rules[name].body)
        except Leave as leave:
            if leave.rule != name:
                raise
        finally:
            self.open.pop()
            self.world.frame = outer

    def body(self, statements: tuple[model.Stmt, ...]) -> Run:
        for statement in statements:
            yield from self.statement(statement)

    def statement(self, node: model.Stmt) -> Run:
        world = self.world
        match node:
            case ir.Assign(variable, value, _, _):
                self.assign(variable, self.value(value))
            case ir.Random(variable, binder, _, _):
                self.assign(variable, (yield "random", list(matches(world, binder, dict(world.frame)))))
            case ir.Deal(count, up_to, source, target, _, _):
                self.deal(self.value(count), up_to, self.key(source), self.key(target))
            case ir.Move(cards, target, _, _):
                named = list(dict.fromkeys(as_cards(self.value(cards))))
                if named:
                    self.put(named, self.key(target))
            case ir.Gather(cards, target, _, _):
                into = self.key(target)
                if cards is None:
                    named = [c for key, pile in world.zones.items() if key != into for c in pile]
                else:
                    named = [c for c in dict.fromkeys(as_cards(self.value(cards))) if c not in world.zones[into]]
                self.put(named, into)
            case ir.Shuffle(zone, _, _, _):
                pile = world.zones[self.key(zone)]
                order = yield "shuffle", len(pile)
                pile[:] = [pile[i] for i in order]
            case ir.Cut(zone, _, _, _):
                pile = world.zones[self.key(zone)]
                place = yield "cut", len(pile)
                pile[:] = pile[place:] + pile[:place]
            case ir.Reveal(cards, to, _, _):
                self.value(cards)
                if to is not None:
                    self.value(to)
            case ir.Announce():
                pass
            case model.If(condition, then, otherwise, _):
                yield from self.body(then if self.value(condition) else otherwise)
            case model.Repeat(until, body, _):
                while until is None or not self.value(until):
                    yield from self.body(body)
            case model.Times(_, times, body, _):
                for _ in range(self.value(times)):
                    yield from self.body(body)
            case model.ForPlayers(player, _, start, where, body, _):
                for seat in self.round_from(self.value(start)):
                    world.frame[player.name] = seat
                    if where is None or self.value(where):
                        yield from self.body(body)
            case model.ForValues(variable, low, high, where, body, _):
                for number in range(low, high + 1):
                    world.frame[variable.name] = number
                    if where is None or self.value(where):
                        yield from self.body(body)
            case model.Going():
                yield from self.going(node)
            case model.Follow(rule, arguments, _):
                parameters = self.model.rules[rule].parameters
                values = [self.value(a) for a in arguments]
                for parameter, value in zip(parameters, values, strict=True):
                    self.check_range(parameter.type, value)
                yield from self.rule(rule, dict(zip((p.name for p in parameters), values, strict=True)))
            case model.End(rule, reason, _):
                if rule == "game":
                    raise GameOver(reason or "played out")
                raise Leave(rule)
            case model.Choose(player, name, actions, _):
                seat = self.value(player)
                action, arguments = yield "choose", name, {seat: self.legal(actions)}
                yield from self.act(actions[action], arguments)
            case model.AtOnce():
                yield from self.at_once(node)
            case model.Window(player, _, start, where, name, actions, _):
                for seat in self.round_from(self.value(start)):
                    world.frame[player.name] = seat
                    if where is None or self.value(where):
                        action, arguments = yield "choose", name, {seat: [*self.legal(actions), (len(actions), ())]}
                        if action < len(actions):
                            yield from self.act(actions[action], arguments)
                            return
            case _:
                raise AssertionError(node)

    def going(self, node: model.Going) -> Run:
        seat = self.value(node.start)
        while True:
            self.world.frame[node.seat.name] = seat
            found = self.value(node.following)
            if found is None:
                return
            self.world.frame[node.player.name] = found
            yield from self.body(node.body)
            seat = (found + 1) % self.world.game.num_players

    def at_once(self, node: model.AtOnce) -> Run:
        world = self.world
        seats = list(matches(world, node.binder, dict(world.frame)))
        if not seats:
            return
        offered = {}
        for seat in seats:
            world.frame[node.player.name] = seat
            offered[seat] = self.legal(node.actions)
        chosen = yield "at once", node.name, offered
        for seat in seats:
            world.frame[node.player.name] = seat
            action, arguments = chosen[seat]
            yield from self.act(node.actions[action], arguments)

    def legal(self, actions: tuple[model.Action, ...]) -> list[tuple[int, tuple[Any, ...]]]:
        """Every action with every argument that meets all conditions."""
        found = []
        saved = dict(self.world.frame)
        for number, action in enumerate(actions):
            for arguments in self.arguments(action.parameters):
                self.world.frame = saved | dict(zip((p.variable for p in action.parameters), arguments, strict=True))
                if all(self.value(g.condition) for g in action.guards):
                    found.append((number, arguments))
        self.world.frame = saved
        return found

    def arguments(self, parameters: tuple[ir.Param, ...]) -> Iterator[tuple[Any, ...]]:
        if not parameters:
            yield ()
            return
        first, *rest = parameters
        outer = self.world.frame
        for value in self.candidates(first):
            self.world.frame = outer | {first.variable: value}
            for others in self.arguments(tuple(rest)):
                yield (value, *others)
        self.world.frame = outer

    def candidates(self, parameter: ir.Param) -> list[Any]:
        if isinstance(parameter.type, ir.CardType | ir.CardsType):
            pile = sorted(as_cards(self.value(parameter.domain)))  # type: ignore[arg-type]
            if isinstance(parameter.type, ir.CardType):
                return pile
            return [cs for n in range(parameter.least, parameter.most + 1) for cs in combinations(pile, n)]
        low, high = size_of_domain(self.world, parameter.type)
        return list(range(low, high + 1))

    def act(self, action: model.Action, arguments: tuple[Any, ...]) -> Run:
        self.world.frame.update(zip((p.variable for p in action.parameters), arguments, strict=True))
        yield from self.body(action.body)

    def round_from(self, start: int) -> list[int]:
        seats = self.world.game.num_players
        return [(start + i) % seats for i in range(seats)]

    def key(self, expr: ir.ZoneExpr) -> Key:
        return zone_key(self.world, expr, dict(self.world.frame))

    def assign(self, variable: ir.Var, value: Any) -> None:
        declared = next(v for v in self.world.game.state if v.name == variable.name)
        self.check_range(declared.type, value)
        if declared.local:
            self.world.frame[variable.name] = value
        else:
            self.world.variables[
                cell(self.world, variable.name, variable.indices, dict(self.world.frame), declared.dims)
            ] = value

    @staticmethod
    def check_range(type_: ir.Type, value: Any) -> None:
        inner = type_.of if isinstance(type_, ir.OptionalType) else type_
        if not isinstance(inner, ir.IntType) or value is None:
            return
        if (inner.low is not None and value < inner.low) or (inner.high is not None and value > inner.high):
            raise NaiveFault("out of its range")

    def deal(self, count: int, up_to: bool, source: Key, target: Key) -> None:
        if count < 0 or (count > len(self.world.zones[source]) and not up_to):
            raise NaiveFault("cannot be dealt")
        for _ in range(min(count, len(self.world.zones[source]))):
            self.put([self.world.zones[source][-1]], target)

    def put(self, cards: list[int], target: Key) -> None:
        zones = self.world.zones
        for pile in zones.values():
            pile[:] = [c for c in pile if c not in cards]
        zones[target].extend(cards)
        declared = next(z for z in self.world.game.zones if z.name == target[0])
        if cards and declared.holds is not None:
            named = {f"#{i}": index for i, index in enumerate(target[1])}
            if len(zones[target]) > evaluate(self.world, declared.holds, named):
                raise NaiveFault("too many cards")

"""What certainly holds at each step of the rules, because a condition on every way there says so.

A fact is a condition with its truth. It is gained at a branch or a guard, and lost when something that it reads is
changed. So `if x is not none: …` shows that `x` has a value inside, whatever else is going on.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator
from typing import Any, TypeAlias

from dsl import ir, types
from dsl.lower import successors
from dsl.walk import parts, variables_read

Fact: TypeAlias = tuple[ir.Expr, bool]
Known: TypeAlias = frozenset[Fact]
_NEGATED = {ir.Binary.NE: ir.Binary.EQ, ir.Binary.GE: ir.Binary.LT, ir.Binary.GT: ir.Binary.LE}


def put(expr: Any, values: dict[ir.Expr, ir.Expr]) -> Any:
    """An expression with some of its parts replaced."""
    if isinstance(expr, tuple):
        return tuple(put(e, values) for e in expr)
    if not dataclasses.is_dataclass(expr) or isinstance(expr, type | ir.Const):
        return expr
    if isinstance(expr, ir.Local | ir.Var) and expr in values:
        return values[expr]
    changed: dict[str, Any] = {
        f.name: put(getattr(expr, f.name), values) for f in dataclasses.fields(expr) if f.name not in ("type", "span")
    }
    return dataclasses.replace(expr, **changed)


def literal(expr: ir.Expr, truth: bool) -> Fact:
    """A condition and its truth, the same way however it was written."""
    match expr:
        case ir.UnaryExpr(ir.Unary.NOT, operand, _):
            return literal(operand, not truth)
        case ir.BinaryExpr(op, left, right, t) if op in _NEGATED:
            return ir.BinaryExpr(_NEGATED[op], left, right, t), not truth
        case _:
            return expr, truth


class Facts:
    """The facts of one game. `at[i]` holds whenever node i is reached."""

    def __init__(self, game: ir.Game) -> None:
        self.game = game
        self._functions = {f.name: f for f in game.functions}
        self._reads: dict[ir.Expr, tuple[frozenset[str], bool]] = {}
        self._by_clock = self._written_by_clock()
        self.at: list[Known] = self._flow()

    # ---------------------------------------------------------------------------------------- gaining

    def from_condition(self, expr: ir.Expr, truth: bool) -> Iterator[Fact]:
        """What follows from a condition that holds, or does not."""
        expr, truth = literal(expr, truth)
        yield expr, truth
        match expr:
            case ir.BinaryExpr(ir.Binary.AND, left, right, _) if truth:
                yield from self.from_condition(left, True)
                yield from self.from_condition(right, True)
            case ir.BinaryExpr(ir.Binary.OR, left, right, _) if not truth:
                yield from self.from_condition(left, False)
                yield from self.from_condition(right, False)
            case ir.CallExpr():
                yield from self.from_condition(self.inlined(expr), truth)
            case _:
                pass

    def inlined(self, call: ir.CallExpr) -> Any:
        """A definition's body with the arguments in their places."""
        declared = self._functions[call.function]
        names: dict[ir.Expr, ir.Expr] = {
            ir.Local(name, t): a for (name, t), a in zip(declared.parameters, call.arguments, strict=True)
        }
        return put(declared.body, names)

    def _in_other_words(self, expr: ir.Expr) -> Iterator[ir.Expr]:
        """An expression, and what it is defined as."""
        yield expr
        while isinstance(expr, ir.CallExpr):
            expr = self.inlined(expr)
            yield expr

    def _from_assign(self, node: ir.Assign) -> Iterator[Fact]:
        variable, value = node.variable, node.value
        if isinstance(variable.type, ir.OptionalType) and not isinstance(types.of(value), ir.OptionalType):
            yield (
                ir.UnaryExpr(ir.Unary.IS_NONE, variable, types.BOOL),
                isinstance(value, ir.Const) and value.value is None,
            )
        match value:
            case ir.FoldExpr(ir.FoldOp.HIGHEST, ir.Binder(name, ir.PlayerType(), t, None), body, _, _, ir.Tie.NONE) if (
                body is not None and self.game.num_players > 1 and isinstance(types.of(body), ir.OptionalType)
            ):
                # None is below everything: who alone has the most has something.
                most = put(body, {ir.Local(name, t): ir.UnaryExpr(ir.Unary.UNWRAP, variable, types.PLAYER)})
                nobody = ir.UnaryExpr(ir.Unary.IS_NONE, variable, types.BOOL)
                for said in self._in_other_words(most):
                    has = ir.UnaryExpr(ir.Unary.NOT, ir.UnaryExpr(ir.Unary.IS_NONE, said, types.BOOL), types.BOOL)
                    yield ir.BinaryExpr(ir.Binary.OR, nobody, has, types.BOOL), True
            case _:
                pass

    # ----------------------------------------------------------------------------------------- losing

    def _without(self, known: Known, names: frozenset[str], zones: bool) -> Known:
        """What is left when variables change, or cards move."""
        return frozenset(f for f in known if not (names & self._read(f[0])[0] or (zones and self._read(f[0])[1])))

    def _read(self, expr: ir.Expr) -> tuple[frozenset[str], bool]:
        if expr not in self._reads:
            waiting, called, looks = [expr], set[str](), False
            while waiting:
                for part in parts(waiting.pop()):
                    looks = looks or isinstance(part, ir.ZoneExpr | ir.AllOfZone | ir.TimeLeft)
                    if isinstance(part, ir.CallExpr) and part.function not in called:
                        called.add(part.function)
                        waiting.append(self._functions[part.function].body)
            self._reads[expr] = variables_read(expr, self.game), looks
        return self._reads[expr]

    def _written_by_clock(self) -> frozenset[str]:
        clock, out, seen = self.game.clock, set[str](), set[int]()
        waiting = [e.entry for e in clock.events] if clock is not None else []
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                node = self.game.nodes[at]
                if isinstance(node, ir.Assign | ir.Random):
                    out.add(node.variable.name)
                waiting += successors(node)
        return frozenset(out)

    # ------------------------------------------------------------------------------------------- flow

    def _flow(self) -> list[Known]:
        game = self.game
        at: list[Known | None] = [None] * len(game.nodes)
        queue: deque[int] = deque()

        def reach(node: int, known: Known) -> None:
            before = at[node]
            now = known if before is None else before & known
            if before is None or now != before:
                at[node] = now
                queue.append(node)

        starts = [game.entry, *(e.entry for e in game.clock.events)] if game.clock else [game.entry]
        for start in starts:
            reach(start, frozenset())
        while queue:
            i = queue.popleft()
            known = at[i]
            assert known is not None
            for after, then in self._step(game.nodes[i], known):
                reach(after, then)
        return [k if k is not None else frozenset() for k in at]

    def _step(self, node: ir.Node, known: Known) -> Iterator[tuple[int, Known]]:
        match node:
            case ir.Branch(condition, yes, no, _):
                yield yes, known | frozenset(self.from_condition(condition, True))
                yield no, known | frozenset(self.from_condition(condition, False))
            case ir.Assign(variable, _, after, _) | ir.Random(variable, _, after, _):
                left = self._without(known, frozenset({variable.name}), False)
                yield after, left | frozenset(self._from_assign(node) if isinstance(node, ir.Assign) else ())
            case ir.Deal() | ir.Move() | ir.Gather() | ir.Shuffle() | ir.Cut():
                yield node.next, self._without(known, frozenset(), True)
            case ir.Decide(_, _, actions, _):
                for action in actions:
                    yield action.entry, self.at_action(known, action)
            case ir.Collect():
                for after in successors(node):
                    yield after, frozenset()
            case ir.Finish() | ir.Resume():
                return
            case _:
                yield node.next, known

    def at_action(self, known: Known, action: ir.Action) -> Known:
        """What holds once an action was chosen."""
        names = frozenset(p.variable for p in action.parameters) | self._by_clock
        known = self._without(known, names, bool(self._by_clock))
        return known | frozenset(f for g in action.guards for f in self.from_condition(g.condition, True))

    # ----------------------------------------------------------------------------------- what follows

    def has_value(self, expr: ir.Expr, known: Known, depth: int = 8) -> bool:
        """Whether an expression is certainly not none."""
        if not isinstance(types.of(expr), ir.OptionalType) and not isinstance(expr, ir.CallExpr | ir.Var | ir.Local):
            return True
        is_none = ir.UnaryExpr(ir.Unary.IS_NONE, expr, types.BOOL)
        if not isinstance(types.of(expr), ir.OptionalType) or (is_none, False) in known:
            return True
        for fact, truth in known:
            match fact:
                case ir.BinaryExpr(ir.Binary.OR, left, ir.UnaryExpr(ir.Unary.NOT, right, _), _) if (
                    truth and right == is_none
                ):
                    if (left, False) in known:
                        return True
                case _:
                    pass
        if depth == 0:
            return False
        match expr:
            case ir.Const(value, _):
                return value is not None
            case ir.IfExpr(condition, then, otherwise, _):
                yes = known | frozenset(self.from_condition(condition, True))
                no = known | frozenset(self.from_condition(condition, False))
                return self.has_value(then, yes, depth - 1) and self.has_value(otherwise, no, depth - 1)
            case ir.CallExpr():
                return self.has_value(self.inlined(expr), known, depth - 1)
            case ir.FoldExpr(ir.FoldOp.MAX | ir.FoldOp.MIN, ir.Binder(_, domain, _, None), body, _, _, _):
                return isinstance(domain, ir.Domain) and body is not None and self.has_value(body, known, depth - 1)
            case ir.FoldExpr(
                ir.FoldOp.HIGHEST | ir.FoldOp.LOWEST, ir.Binder(_, domain, _, None), _, _, _, ir.Tie.FIRST
            ):
                return isinstance(domain, ir.Domain)
            case ir.BestExpr(_, binder, _):
                return any(k.pattern is None and self._admits(binder, i) for i, k in enumerate(self.game.kinds))
            case _:
                return False

    def _admits(self, binder: ir.Binder | None, kind: int) -> bool:
        """Whether a search admits a kind, whatever has happened."""
        if binder is None or binder.where is None:
            return True
        return self._is_true(put(binder.where, {ir.Local(binder.name, binder.type): ir.Const(kind, binder.type)}))

    def _is_true(self, condition: ir.Expr) -> bool:
        """Whether a condition always holds, by what it compares or since a variable stays as it starts."""
        match condition:
            case ir.CallExpr():
                return self._is_true(self.inlined(condition))
            case ir.BinaryExpr(ir.Binary.AND, left, right, _):
                return self._is_true(left) and self._is_true(right)
            case ir.BinaryExpr(ir.Binary.OR, left, right, _):
                return self._is_true(left) or self._is_true(right)
            case ir.BinaryExpr(ir.Binary.EQ, ir.Const(a, _), ir.Const(b, _), _):
                return a == b
            case ir.UnaryExpr(ir.Unary.NOT, ir.Var(name, (ir.Const(value, _),), _), _):
                return isinstance(value, int) and self._stays_no(name, value)
            case _:
                return False

    def _stays_no(self, name: str, index: int) -> bool:
        """Whether one cell of a yes-or-no variable starts as no and is never set, as each assignment names another."""
        declared = next(v for v in self.game.state if v.name == name)
        if not (isinstance(declared.starts, ir.Const) and declared.starts.value is False):
            return False
        for i, node in enumerate(self.game.nodes):
            if isinstance(node, ir.Random) and node.variable.name == name:
                return False
            if isinstance(node, ir.Assign) and node.variable.name == name:
                at = node.variable.indices[0]
                other = isinstance(at, ir.Const) and at.value != index
                if not other and not any(self._differs(f, at, index) for f in self.at[i]):
                    return False
        return True

    @staticmethod
    def _differs(fact: Fact, expr: ir.Expr, value: int) -> bool:
        match fact:
            case (ir.BinaryExpr(ir.Binary.EQ, left, ir.Const(other, _), _), False):
                return left == expr and other == value
            case _:
                return False

    def keeps_range(self, index: int, declared: ir.IntType) -> bool:
        """Whether `x += k` or `x -= k` stays in range, as a condition on the way there compares `x` with a number."""
        match self.game.nodes[index]:
            case ir.Assign(x, ir.BinaryExpr(ir.Binary.ADD, left, ir.Const(int(k), _), _), _, _) if left == x and k >= 0:
                return declared.high is not None and any(
                    limit + k <= declared.high for limit in self._limits(index, x, above=True)
                )
            case ir.Assign(x, ir.BinaryExpr(ir.Binary.SUBTRACT, left, ir.Const(int(k), _), _), _, _) if (
                left == x and k >= 0
            ):
                return declared.low is not None and any(
                    limit - k >= declared.low for limit in self._limits(index, x, above=False)
                )
            case _:
                return False

    def _limits(self, index: int, x: ir.Expr, above: bool) -> Iterator[int]:
        """The numbers that `x` is at most (`above`), or at least, at a node."""
        for fact, truth in self.at[index]:
            match fact:
                case ir.BinaryExpr(ir.Binary.LT, left, ir.Const(int(number), _), _) if left == x and truth is above:
                    yield number - 1 if above else number
                case ir.BinaryExpr(ir.Binary.LE, left, ir.Const(int(number), _), _) if left == x and truth is above:
                    yield number if above else number + 1
                case _:
                    pass

    # ------------------------------------------------------------------------------------ obligations

    def open_values(self, index: int) -> list[ir.Expr]:
        """The expressions of a node that may be none as far as facts tell, though a value is needed of them."""
        node, known, out = self.game.nodes[index], self.at[index], list[ir.Expr]()
        if isinstance(node, ir.Decide | ir.Collect):
            if isinstance(node, ir.Decide):
                self._walk(node.player, known, out)
            for action in node.actions:
                so_far = self._without(known, frozenset(p.variable for p in action.parameters), False)
                for part in (p.domain for p in action.parameters):
                    if part is not None and not isinstance(part, ir.Domain):
                        self._walk(part, so_far, out)
                for guard in action.guards:
                    self._walk(guard.condition, so_far, out)
                    so_far |= frozenset(self.from_condition(guard.condition, True))
        else:
            for field in dataclasses.fields(node):
                if field.name != "origin":
                    self._walk(getattr(node, field.name), known, out)
        if isinstance(node, ir.Finish):
            self._walk(self.game.result.expressions, known, out)
        return out

    def _walk(self, expr: Any, known: Known, out: list[ir.Expr], depth: int = 12) -> None:
        match expr:
            case ir.UnaryExpr(ir.Unary.UNWRAP, operand, _):
                self._walk(operand, known, out, depth)
                if not self.has_value(operand, known):
                    out.append(operand)
            case ir.BinaryExpr(ir.Binary.AND | ir.Binary.OR as op, left, right, _):
                self._walk(left, known, out, depth)
                self._walk(right, known | frozenset(self.from_condition(left, op is ir.Binary.AND)), out, depth)
            case ir.IfExpr(condition, then, otherwise, _):
                self._walk(condition, known, out, depth)
                self._walk(then, known | frozenset(self.from_condition(condition, True)), out, depth)
                self._walk(otherwise, known | frozenset(self.from_condition(condition, False)), out, depth)
            case ir.CallExpr():
                self._walk(expr.arguments, known, out, depth)
                if depth:
                    self._walk(self.inlined(expr), known, out, depth - 1)
            case ir.FoldExpr(_, binder, body, _, start, _):
                self._walk(start, known, out, depth)
                known = frozenset(f for f in known if ir.Local(binder.name, binder.type) not in parts(f[0]))
                self._walk(binder.domain, known, out, depth)
                self._walk(binder.where, known, out, depth)
                if binder.where is not None:
                    known |= frozenset(self.from_condition(binder.where, True))
                self._walk(body, known, out, depth)
            case tuple():
                for part in expr:
                    self._walk(part, known, out, depth)
            case _ if dataclasses.is_dataclass(expr) and not isinstance(expr, type | ir.Const):
                for field in dataclasses.fields(expr):
                    self._walk(getattr(expr, field.name), known, out, depth)
            case _:
                pass

"""Model to IR: rules become one control-flow graph, each rule copied in where it is followed.

Rules never follow themselves, so that their locals can be plain state and no stack is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, assert_never

from dsl import ir, model, types
from dsl.choosing import PASS
from dsl.source import Span

PLAYED_OUT = "played out"
_LEAVES = (type, ir.Const, ir.Origin, Span)  # what holds no variable


MAX_NODES = 30_000


class TooLarge(Exception):
    """Rules that follow rules that follow rules, each several times, come to more steps than can be handled."""


class _Graph:
    """Nodes by number; a number may be given out before its node is known."""

    def __init__(self) -> None:
        self.nodes: list[ir.Node | None] = []

    def reserve(self) -> int:
        return self._append(None)

    def add(self, node: ir.Node) -> int:
        return self._append(node)

    def _append(self, node: ir.Node | None) -> int:
        if len(self.nodes) >= MAX_NODES:
            raise TooLarge
        self.nodes.append(node)
        return len(self.nodes) - 1


class _Lowering:
    def __init__(self, source: model.Model, entry: str, marked: frozenset[str]) -> None:
        self._model = source
        self._entry = entry
        self._marked = marked
        self._graph = _Graph()
        self._locals = list(source.locals)
        self._exits: dict[str, int] = {}
        self._at_once = 0  # how many bodies of choices made at once are open
        self._outside: dict[str, int] = {}  # how many of them each open rule stands in

    def rule(self, name: str, after: int) -> int:
        """The entry of a copy of the rule, from whose end play goes on at `after`."""
        rule = self._model.rules[name]
        origin = ir.Origin(rule.span, name, rule.cites)
        if name in self._marked:
            after = self._graph.add(ir.Mark(name, False, after, origin))
        outer = self._exits.get(name)
        self._exits[name], self._outside[name] = after, self._at_once
        entry = self._body(rule.body, after)
        if name in self._marked:
            entry = self._graph.add(ir.Mark(name, True, entry, origin))
        if outer is None:
            del self._exits[name]
        else:
            self._exits[name] = outer
        return entry

    def _body(self, body: tuple[model.Stmt, ...], after: int) -> int:
        for statement in reversed(body):
            after = self._statement(statement, after)
        return after

    def _statement(self, node: model.Stmt, after: int) -> int:
        g = self._graph
        match node:
            case (
                ir.Assign() | ir.Random() | ir.Deal() | ir.Move() | ir.Gather() | ir.Shuffle() | ir.Cut() | ir.Reveal()
                | ir.Announce()
            ):  # fmt: skip
                return g.add(replace(node, next=after))
            case model.If(condition, then, otherwise, origin):
                yes, no = self._body(then, after), self._body(otherwise, after)
                return g.add(ir.Branch(condition, yes, no, origin))
            case model.Repeat(until, body, origin):
                head = g.reserve()
                first = self._body(body, head)
                condition = until if until is not None else ir.Const(False, types.BOOL)
                g.nodes[head] = ir.Branch(condition, after, first, origin)
                return head
            case model.Times(counter, times, body, origin):
                head = g.reserve()
                less = ir.BinaryExpr(ir.Binary.SUBTRACT, counter, _number(1), types.INTEGER)
                down = g.add(ir.Assign(counter, less, self._body(body, head), origin))
                done = ir.BinaryExpr(ir.Binary.LE, counter, _number(0), types.BOOL)
                g.nodes[head] = ir.Branch(done, after, down, origin)
                return g.add(ir.Assign(counter, times, head, origin))
            case model.ForPlayers():
                return self._for_players(node, after)
            case model.ForValues(variable, low, high, where, body, origin):
                step, head = g.reserve(), g.reserve()
                first = self._body(body, step)
                g.nodes[head] = _maybe(where, first, step, origin)
                more = ir.BinaryExpr(ir.Binary.ADD, variable, _number(1), variable.type)
                up = g.add(ir.Assign(variable, more, head, origin))
                last = ir.BinaryExpr(ir.Binary.EQ, variable, ir.Const(high, variable.type), types.BOOL)
                g.nodes[step] = ir.Branch(last, after, up, origin)
                return g.add(ir.Assign(variable, ir.Const(low, variable.type), head, origin))
            case model.Going():
                return self._going(node, after)
            case model.Follow(rule, arguments, origin):
                entry = self.rule(rule, after)
                for parameter, argument in reversed(
                    list(zip(self._model.rules[rule].parameters, arguments, strict=True))
                ):
                    entry = g.add(ir.Assign(parameter, argument, entry, origin))
                return entry
            case model.End(rule, reason, origin):
                return self._end(rule, reason, origin)
            case model.Choose(player, name, actions, origin):
                return g.add(ir.Decide(player, name, self._actions(actions, after), origin))
            case model.AtOnce(binder, player, name, actions, origin):
                resume = g.add(ir.Resume(origin))
                self._at_once += 1
                carried_out = self._actions(actions, resume)
                self._at_once -= 1
                return g.add(ir.Collect(binder, player, name, carried_out, after, origin))
            case model.Window(player, first, start, where, name, actions, origin):
                step = g.reserve()
                let_go = ir.Action(PASS, (), (), step, origin.cites, origin.span)
                asked = g.add(ir.Decide(player, name, (*self._actions(actions, after), let_go), origin))
                return self._round(player, first, start, where, asked, step, after, origin)
            case _:
                assert_never(node)

    def _for_players(self, node: model.ForPlayers, after: int) -> int:
        step = self._graph.reserve()
        body = self._body(node.body, step)
        return self._round(node.player, node.first, node.start, node.where, body, step, after, node.origin)

    def _round(self, p: ir.Var, first: ir.Var, start: ir.Expr, where: ir.Expr | None, body: int, step: int, after: int,
               origin: ir.Origin) -> int:  # fmt: skip
        """Once round the table: `body` for each who meets `where`, going on at `step`."""
        g = self._graph
        head = g.add(_maybe(where, body, step, origin))
        back = ir.BinaryExpr(ir.Binary.EQ, p, first, types.BOOL)
        check = g.add(ir.Branch(back, after, head, origin))
        g.nodes[step] = ir.Assign(p, ir.UnaryExpr(ir.Unary.LEFT_OF, p, types.PLAYER), check, origin)
        begin = g.add(ir.Assign(p, first, head, origin))
        return g.add(ir.Assign(first, start, begin, origin))

    def _going(self, node: model.Going, after: int) -> int:
        g, origin = self._graph, node.origin
        search, step = g.reserve(), g.reserve()
        first = self._body(node.body, step)
        player = ir.UnaryExpr(ir.Unary.UNWRAP, node.found, types.PLAYER)
        take = g.add(ir.Assign(node.player, player, first, origin))
        nobody = ir.UnaryExpr(ir.Unary.IS_NONE, node.found, types.BOOL)
        check = g.add(ir.Branch(nobody, after, take, origin))
        g.nodes[search] = ir.Assign(node.found, node.following, check, origin)
        left = ir.UnaryExpr(ir.Unary.LEFT_OF, node.player, types.PLAYER)
        g.nodes[step] = ir.Assign(node.seat, left, search, origin)
        return g.add(ir.Assign(node.seat, node.start, search, origin))

    def _end(self, rule: str, reason: str | None, origin: ir.Origin) -> int:
        g = self._graph
        open_rules = list(self._exits)
        leaves_game = rule == "game" or rule not in self._exits
        if leaves_game:
            after = g.add(ir.Finish(reason or PLAYED_OUT, origin))
            left = open_rules
        else:
            after = self._exits[rule]
            after = after if reason is None else g.add(ir.Announce(reason, after, origin))
            left = open_rules[open_rules.index(rule) + 1 :]
        # Whoever leaves a rule leaves the rules inside it too; the exit of `rule` itself has its own mark.
        for name in left:
            if name in self._marked:
                after = g.add(ir.Mark(name, False, after, origin))
        waiting = 0 if leaves_game else self._at_once - self._outside[rule]
        return g.add(ir.Forget(waiting, after, origin)) if waiting else after

    def _actions(self, actions: tuple[model.Action, ...], after: int) -> tuple[ir.Action, ...]:
        return tuple(
            ir.Action(a.name, a.parameters, a.guards, self._body(a.body, after), a.cites, a.span) for a in actions
        )  # fmt: skip

    def _keep_apart(self, event: str, first: int) -> None:
        """Gives the nodes from `first` on locals of their own: the clock may break into a rule that is followed."""
        g = self._graph
        taken = set(_names(tuple(g.nodes[:first])))
        shared = [v for v in self._locals if v.name in taken]
        names = {v.name: f"{event}:{v.name}" for v in shared if v.name in set(_names(tuple(g.nodes[first:])))}
        g.nodes[first:] = [with_names(node, names) for node in g.nodes[first:]]
        self._locals += [replace(v, name=names[v.name]) for v in shared if v.name in names]

    def game(self, num_players: int) -> ir.Game:
        m, g = self._model, self._graph
        main = m.rules[self._entry]
        finish = g.add(ir.Finish(PLAYED_OUT, ir.Origin(main.span, main.name)))
        entry = self.rule(self._entry, finish)
        clock = None
        if m.clock is not None:
            events = []
            for event in m.clock.events:
                rule = m.rules[event.rule]
                resume = g.add(ir.Resume(ir.Origin(rule.span, rule.name)))
                first = len(g.nodes)
                events.append(ir.Event(event.name, event.at, self.rule(event.rule, resume), event.cites))
                self._keep_apart(event.name, first)
            clock = ir.Clock(m.clock.start, tuple(events), m.clock.think)
        nodes, entry, clock = _in_order(g.nodes, entry, clock)
        return ir.Game(
            m.name, m.title, num_players, m.options, m.deck, m.kinds, m.zones, m.home,
            (*m.state, *self._locals), m.tables, m.functions, clock, nodes, entry, m.result,
        )  # fmt: skip


def _names(part: Any) -> Iterator[str]:
    """The names of all variables in a piece of the graph."""
    if isinstance(part, tuple):
        for inner in part:
            yield from _names(inner)
    elif is_dataclass(part) and not isinstance(part, _LEAVES):
        if isinstance(part, ir.Var):
            yield part.name
        elif isinstance(part, ir.Param):
            yield part.variable
        yield from _names(tuple(getattr(part, f.name) for f in fields(part)))


def with_names(part: Any, names: dict[str, str]) -> Any:
    """The same piece of the graph with some variables named differently."""
    if isinstance(part, tuple):
        return tuple(with_names(inner, names) for inner in part)
    if not is_dataclass(part) or isinstance(part, _LEAVES):
        return part
    changed: Any = replace(part, **{f.name: with_names(getattr(part, f.name), names) for f in fields(part)})
    if isinstance(changed, ir.Var):
        return replace(changed, name=names.get(changed.name, changed.name))
    if isinstance(changed, ir.Param):
        return replace(changed, variable=names.get(changed.variable, changed.variable))
    return changed


def _number(n: int) -> ir.Const:
    return ir.Const(n, ir.IntType(n, n))


def _maybe(where: ir.Expr | None, yes: int, no: int, origin: ir.Origin) -> ir.Branch:
    return ir.Branch(where if where is not None else ir.Const(True, types.BOOL), yes, no, origin)


def successors(node: ir.Node) -> tuple[int, ...]:
    """Where play may go on from a node."""
    match node:
        case ir.Branch(_, yes, no, _):
            return yes, no
        case ir.Decide(_, _, actions, _):
            return tuple(a.entry for a in actions)
        case ir.Collect(_, _, _, actions, after, _):
            return (*(a.entry for a in actions), after)
        case ir.Resume() | ir.Finish():
            return ()
        case (
            ir.Assign() | ir.Random() | ir.Deal() | ir.Move() | ir.Gather() | ir.Shuffle() | ir.Cut() | ir.Reveal()
            | ir.Announce() | ir.Mark() | ir.Forget()
        ):  # fmt: skip
            return (node.next,)
        case _:
            assert_never(node)


def _in_order(nodes: list[ir.Node | None], entry: int, clock: ir.Clock | None
              ) -> tuple[tuple[ir.Node, ...], int, ir.Clock | None]:  # fmt: skip
    """The reachable nodes, numbered from the entry on as they are met."""
    number: dict[int, int] = {}
    order: list[ir.Node] = []
    stack = [*(e.entry for e in reversed(clock.events if clock else ())), entry]
    while stack:
        at = stack.pop()
        if at in number:
            continue
        node = nodes[at]
        assert node is not None
        number[at] = len(order)
        order.append(node)
        stack.extend(reversed(successors(node)))
    if clock is not None:
        events = tuple(replace(e, entry=number[e.entry]) for e in clock.events)
        clock = replace(clock, events=events)
    return tuple(_renumbered(n, number) for n in order), number[entry], clock


def _renumbered(node: ir.Node, number: dict[int, int]) -> ir.Node:
    match node:
        case ir.Branch():
            return replace(node, yes=number[node.yes], no=number[node.no])
        case ir.Decide():
            return replace(node, actions=tuple(replace(a, entry=number[a.entry]) for a in node.actions))
        case ir.Collect():
            actions = tuple(replace(a, entry=number[a.entry]) for a in node.actions)
            return replace(node, actions=actions, next=number[node.next])
        case ir.Resume() | ir.Finish():
            return node
        case _:
            return replace(node, next=number[node.next])


def lower(source: model.Model, num_players: int, entry: str = "game", marked: frozenset[str] = frozenset()) -> ir.Game:
    """The IR of a model at a number of players.

    `entry` is the rule where play begins (an example may name another); the beginnings and ends of `marked` rules
    become nodes of their own.
    """
    return _Lowering(source, entry, marked).game(num_players)

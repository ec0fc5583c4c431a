"""Rules checked statement by statement: syntax to the typed statements of `dsl.model`."""

from __future__ import annotations

from typing import assert_never

from dsl import ir, model, syntax, types
from dsl.checking import cites
from dsl.choosing import Choosing
from dsl.diagnostics import Label
from dsl.doing import Doing
from dsl.scoping import Checked, Scope
from dsl.source import first_line
from dsl.symbols import Env

MAIN = "game"


class Statements(Doing, Choosing):
    """Checks the rules of one file; `checked` is what they come to. Methods return None once a mistake was reported."""

    def check_all(self) -> Checked:
        """Every rule of the file, whether or not it is followed."""
        for name, node in self._symbols.rules.items():
            self._scope = Scope(name)
            self._signatures[name] = tuple(
                self._local(syntax.Token(node.name.span, n, "NAME"), t) for n, t in self._x.parameters(node.params)
            )
        for name, node in self._symbols.rules.items():
            self._scope = Scope(name, cites(node.cites))
            self.checked.follows[name] = set()
            parameters = self._signatures[name]
            env: Env = {_own(v.name): v for v in parameters}
            body = self._body(node.body, env)
            self.checked.rules[name] = model.Rule(name, parameters, body, cites(node.cites), node.span)
        return self.checked

    # ------------------------------------------------------------------------------------------ blocks

    def _suite(self, suite: syntax.Suite, env: Env) -> tuple[model.Stmt, ...]:
        match suite:
            case syntax.Block(_, cited, body):
                with self._under(cited):
                    return self._body(body, env)
            case syntax.Simple():
                return self._body((suite,), env)
            case _:
                assert_never(suite)

    @staticmethod
    def _suite_cites(suite: syntax.Suite) -> syntax.Cites:
        return suite.cites if isinstance(suite, syntax.Block) else None

    def _body(self, nodes: tuple[syntax.Stmt, ...], outer: Env) -> tuple[model.Stmt, ...]:
        env = dict(outer)
        out: list[model.Stmt] = []
        for i, node in enumerate(nodes):
            statement = self._statement(node, env)
            if statement is not None:
                out.append(statement)
            if statement is not None and leaves(statement) and i + 1 < len(nodes):
                self._reporter.report("L503", "this is never reached", first_line(nodes[i + 1].span),
                                      labels=(Label(first_line(node.span), "nothing goes on after this"),))  # fmt: skip
                break
        return tuple(out)

    def _statement(self, node: syntax.Stmt, env: Env) -> model.Stmt | None:
        match node:
            case syntax.Simple(span, statement, cited):
                return self._simple(statement, self._origin(statement.span, cited), env)
            case syntax.IfStmt():
                return self._if(node, env)
            case syntax.Repeat(span, body):
                origin = self._origin(first_line(span), self._suite_cites(body))
                return model.Repeat(None, self._suite(body, env), origin)
            case syntax.RepeatUntil(span, condition, body):
                c = self._x.expect(condition, env, types.BOOL)
                inner = self._suite(body, env)
                return (
                    None if c is None else model.Repeat(c, inner, self._origin(condition.span, self._suite_cites(body)))
                )
            case syntax.RepeatTimes(span, times, body):
                n = self._x.expect(times, env, types.INTEGER)
                counter = self._local(syntax.Token(span, "times", "NAME"), types.INTEGER)
                inner = self._suite(body, env)
                return (
                    None
                    if n is None
                    else model.Times(counter, n, inner, self._origin(times.span, self._suite_cites(body)))
                )
            case syntax.ForEach():
                return self._for_each(node, env)
            case syntax.Going():
                return self._going(node, env)
            case syntax.Chooses():
                return self._chooses(node, env)
            case syntax.AtOnce():
                return self._at_once(node, env)
            case syntax.May():
                return self._may(node, env)
            case _:
                assert_never(node)

    # ---------------------------------------------------------------------------- conditions and loops

    def _if(self, node: syntax.IfStmt, env: Env) -> model.Stmt | None:
        c = self._x.expect(node.condition, env, types.BOOL)
        then = self._suite(node.then, env)
        match node.otherwise:
            case None:
                otherwise: tuple[model.Stmt, ...] = ()
            case syntax.IfStmt():
                inner = self._if(node.otherwise, env)
                otherwise = () if inner is None else (inner,)
            case suite:
                otherwise = self._suite(suite, env)
        return (
            None
            if c is None
            else model.If(c, then, otherwise, self._origin(node.condition.span, self._suite_cites(node.then)))
        )

    def _for_each(self, node: syntax.ForEach, env: Env) -> model.Stmt | None:
        origin = self._origin(node.binder.span, self._suite_cites(node.body))
        probe = self._x.binder(
            syntax.Binder(node.binder.span, node.binder.sort, node.binder.name, node.binder.source, None), env
        )
        start = None if node.start is None else self._x.expect(node.start, env, types.PLAYER)
        if probe is None:
            return None
        domain, t = probe[0].domain, probe[0].type
        variable = self._local(node.binder.name, t)
        inner = {**env, node.binder.name.text: variable}
        where = None if node.binder.where is None else self._x.expect(node.binder.where, inner, types.BOOL)
        body = self._suite(node.body, inner)
        if (node.binder.where is not None and where is None) or (node.start is not None and start is None):
            return None
        match domain:
            case ir.PlayerType():
                first = self._local(node.binder.name, types.PLAYER, hidden="'first")
                begin = start if start is not None else ir.Const(0, types.PLAYER)
                return model.ForPlayers(variable, first, begin, where, body, origin)
            case ir.IntType(low, high) if low is not None and high is not None:
                pass
            case ir.KindType() | ir.RankType() | ir.SuitType() | ir.EnumType():
                low, high = 0, self._symbols.domain_size(domain) - 1
            case _:
                self._reporter.report(
                    "T421",
                    "a loop goes over players, kinds, ranks, suits or numbers",
                    node.binder.span,
                    help="`move` and `reveal` take many cards at once; folds look at each",
                )
                return None
        if node.start is not None:
            self._reporter.report("T418", "only players sit clockwise", node.start.span)
            return None
        return model.ForValues(variable, low, high, where, body, origin)

    def _going(self, node: syntax.Going, env: Env) -> model.Stmt | None:
        origin = self._origin(node.binder.span, self._suite_cites(node.body))
        start = self._x.expect(node.start, env, types.PLAYER)
        bound = self._x.binder(node.binder, env)
        if bound is None:
            return None
        binder = bound[0]
        if not isinstance(binder.domain, ir.PlayerType):
            self._reporter.report("T418", "only players sit clockwise", node.binder.span)
            return None
        player = self._local(node.binder.name, types.PLAYER)
        seat = self._local(node.binder.name, types.PLAYER, hidden="'seat")
        optional = ir.OptionalType(types.PLAYER)
        found = self._local(node.binder.name, optional, hidden="'found")
        following = ir.FoldExpr(ir.FoldOp.FIRST, binder, None, optional, seat)
        body = self._suite(node.body, {**env, node.binder.name.text: player})
        return None if start is None else model.Going(player, seat, found, start, following, body, origin)


def leaves(statement: model.Stmt) -> bool:
    """Whether nothing that stands after a statement is ever reached."""
    match statement:
        case model.End() | model.Repeat(until=None):
            return True
        case model.If(_, then, otherwise, _):
            return _all_leave(then) and _all_leave(otherwise)
        case model.Choose(_, _, actions, _):
            return bool(actions) and all(_all_leave(a.body) for a in actions)
        case _:
            return False


def _all_leave(body: tuple[model.Stmt, ...]) -> bool:
    return any(leaves(s) for s in body)


def _own(name: str) -> str:
    return name.partition(".")[2]

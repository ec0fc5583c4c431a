"""Decisions: who chooses, among which actions, with which arguments and under which conditions."""

from __future__ import annotations

from typing import assert_never

from dsl import ir, model, syntax, types
from dsl.checking import cites
from dsl.scoping import Scoping
from dsl.source import Span
from dsl.symbols import Env

PASS = "pass"
_MOST_CARDS = 59  # of one choice
_CHOICES = "a choice is among players, cards of a pile, ranks, suits, kinds, names or the numbers of a range"


class Choosing(Scoping):
    """Decisions of one player, of several at once, and of whoever wants to."""

    def _chooses(self, node: syntax.Chooses, env: Env) -> model.Stmt | None:
        p = self._x.expect(node.player, env, types.PLAYER)
        decision = self._decision(node.name, node.span)
        with self._under(node.cites):
            checked = self._actions(node.actions, env)
        return None if p is None else model.Choose(p, decision, checked, self._origin(node.player.span, node.cites))

    def _at_once(self, node: syntax.AtOnce, env: Env) -> model.Stmt | None:
        bound = self._x.binder(node.binder, env)
        name = self._decision(node.name, node.span)
        player = self._local(node.binder.name, types.PLAYER)
        actions = self._actions(node.actions, {**env, node.binder.name.text: player})
        if bound is None:
            return None
        if not isinstance(bound[0].domain, ir.PlayerType):
            self._reporter.report("T401", "players choose", node.binder.span)
            return None
        return model.AtOnce(bound[0], player, name, actions, self._origin(node.binder.span, node.cites))

    def _may(self, node: syntax.May, env: Env) -> model.Stmt | None:
        name = self._decision(node.name, node.span)
        player = self._local(node.binder.name, types.PLAYER)
        first = self._local(node.binder.name, types.PLAYER, hidden="'first")
        inner = {**env, node.binder.name.text: player}
        bound = self._x.binder(node.binder, env, player)
        start = ir.Const(0, types.PLAYER) if node.start is None else self._x.expect(node.start, env, types.PLAYER)
        actions = self._actions(node.actions, inner)
        for action in node.actions:
            if action.name.text == PASS:
                self._reporter.report("N303", f"`{PASS}` is what letting the chance go by is called", action.name.span)
        if bound is None or start is None:
            return None
        if not isinstance(bound[0].domain, ir.PlayerType):
            self._reporter.report("T401", "players choose", node.binder.span)
            return None
        origin = self._origin(node.binder.span, node.cites)
        return model.Window(player, first, start, bound[0].where, name, actions, origin)

    def _decision(self, name: syntax.Token | None, span: Span) -> str:
        """Decisions are named, so that examples can stand at them; the rule's own name serves once."""
        found = name.text if name is not None else self._scope.rule
        if found in self.checked.decisions:
            self._reporter.report("N308", f"two decisions are named `{found}`", name.span if name else span,
                                  help="name it: `… chooses NAME:`")  # fmt: skip
        self.checked.decisions[found] = self._scope.rule
        return found

    # ----------------------------------------------------------------------------------------- actions

    def _actions(self, nodes: tuple[syntax.Action, ...], env: Env) -> tuple[model.Action, ...]:
        out: list[model.Action] = []
        for node in nodes:
            if any(a.name == node.name.text for a in out):
                self._reporter.report("N303", f"two actions here are named `{node.name.text}`", node.name.span)
            inner = dict(env)
            parameters = [self._param(p, inner) for p in node.params or ()]
            guards = [self._guard(g, inner) for g in node.guards]
            match node.body:
                case syntax.Bare(_, cited):
                    body: tuple[model.Stmt, ...] = ()
                case syntax.Block(_, cited, _):
                    body = self._suite(node.body, inner)
                case syntax.Simple(_, _, cited):
                    body = self._suite(node.body, inner)
                case other:
                    assert_never(other)
            out.append(model.Action(
                node.name.text, tuple(p for p in parameters if p is not None),
                tuple(g for several in guards for g in several), cites(cited), body, node.name.span,
            ))  # fmt: skip
        return tuple(out)

    def _guard(self, node: syntax.Guard, env: Env) -> tuple[ir.Guard, ...]:
        """A condition joined by `and` is several conditions, so that a refusal can name the one that fails."""
        parts: list[syntax.Expr] = [node.condition]
        while isinstance(parts[0], syntax.AndExpr):
            parts[:1] = [parts[0].left, parts[0].right]
        checked = [(self._x.expect(part, env, types.BOOL), part.span) for part in parts]
        return tuple(ir.Guard(c, cites(node.cites), span) for c, span in checked if c is not None)

    def _param(self, node: syntax.ActionParam, env: Env) -> ir.Param | None:
        self._x.fresh(node.name, env)
        name = node.name.text
        domain: ir.Domain | ir.Expr | None
        least = most = 1
        match node:
            case syntax.ValueParam(_, _, written):
                t = self._x.type(written)
                if t is None:
                    self._symbols.broken.add(name)
                    return None
                match t:
                    case ir.PlayerType() | ir.RankType() | ir.SuitType() | ir.KindType() | ir.EnumType():
                        domain = t
                    case ir.IntType(low, high) if low is not None and high is not None:
                        if high - low > 10_000:
                            self._reporter.report("T409", "this is too wide a choice", written.span)
                            self._symbols.broken.add(name)
                            return None
                        domain = t
                    case ir.CombinationType():
                        domain = None
                        self._check_callable(written.span)
                    case _:
                        told = f"nobody can choose among all values of {types.show(t)}"
                        self._reporter.report("T422", told, written.span, help=_CHOICES)
                        self._symbols.broken.add(name)
                        return None
            case syntax.CardParam(_, _, source):
                t = types.CARD
                domain = self._x.expect(source, env, types.CARDS)
            case syntax.CardsParam(_, _, low_token, high_token, source):
                t = types.CARDS
                domain = self._x.expect(source, env, types.CARDS)
                numbers = [self._x.number(n) for n in (low_token, high_token or low_token)]
                bounds = [n.value for n in numbers if n is not None and isinstance(n.value, int)]
                if len(bounds) < 2 or not bounds[0] <= bounds[1] <= _MOST_CARDS:
                    span = Span(low_token.span.source, low_token.span.start, (high_token or low_token).span.end)
                    if len(bounds) == 2 and bounds[0] <= bounds[1]:
                        self._reporter.report("T409", f"nobody can choose {bounds[1]} cards at once", span)
                    elif len(bounds) == 2:
                        self._reporter.report("T415", "this range is empty", span)
                    elif None not in numbers:
                        self._reporter.report("T424", "a number of cards is a whole number", span)
                    self._symbols.broken.add(name)
                    return None
                least, most = bounds
            case _:
                assert_never(node)
        if domain is None and not isinstance(t, ir.CombinationType):
            self._symbols.broken.add(name)
            return None
        variable = self._local(node.name, t)
        env[name] = variable
        return ir.Param(name, variable.name, t, domain, least, most)

    def _check_callable(self, span: Span) -> None:
        for kind in self._symbols.kinds if not self._reporter.has_errors else ():
            if not _can_be_named(kind):
                self._reporter.report("T423", f"`{kind.name}` cannot be called: its ranks are not named", span,
                                      help="name them in its pattern, as in `2 of rank r`")  # fmt: skip
                return


def _can_be_named(kind: ir.Kind) -> bool:
    """Whether the named ranks and suits of a kind say how strong it is."""
    if kind.pattern is None or any(key in (ir.Key.CARDS, ir.Key.SIDE_CARDS) for key in kind.by):
        return False
    ranks = [g.rank for g in kind.pattern.groups]
    return not any(isinstance(r, str) and r.startswith("_") for r in ranks)

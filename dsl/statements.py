"""Rules checked statement by statement: syntax to the typed statements of `dsl.model`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import assert_never

from dsl import ir, model, syntax, types
from dsl.checking import cites, things, values
from dsl.diagnostics import Label, Reporter, did_you_mean
from dsl.expressions import Expressions
from dsl.source import Span, first_line
from dsl.symbols import Env, Symbols

MAIN = "game"
PASS = "pass"
_MOST_CARDS = 59  # of one choice
_CHOICES = "a choice is among players, cards of a pile, ranks, suits, kinds, names or the numbers of a range"


@dataclass(slots=True)
class _Scope:
    """The rule being checked, and what was seen of it so far."""

    rule: str
    cites: tuple[str, ...] = ()  # of the block around; what cites nothing itself stands under these


@dataclass(slots=True)
class Checked:
    """All rules, typed, with the hidden variables that their locals became."""

    rules: dict[str, model.Rule] = field(default_factory=dict)
    locals: dict[str, ir.StateVar] = field(default_factory=dict)
    decisions: dict[str, str] = field(default_factory=dict)  # name of a decision -> its rule
    follows: dict[str, set[str]] = field(default_factory=dict)
    ends: list[tuple[str, str, Span]] = field(default_factory=list)  # in which rule, which rule ends, where


class Statements:
    def __init__(self, symbols: Symbols, expressions: Expressions, reporter: Reporter) -> None:
        self._symbols = symbols
        self._x = expressions
        self._reporter = reporter
        self.checked = Checked()
        self._signatures: dict[str, tuple[ir.Var, ...]] = {}
        self._scope = _Scope("")

    def check_all(self) -> Checked:
        """Every rule of the file, whether or not it is followed."""
        for name, node in self._symbols.rules.items():
            self._scope = _Scope(name)
            self._signatures[name] = tuple(
                self._local(syntax.Token(node.name.span, n, "NAME"), t) for n, t in self._x.parameters(node.params)
            )
        for name, node in self._symbols.rules.items():
            self._scope = _Scope(name, cites(node.cites))
            self.checked.follows[name] = set()
            parameters = self._signatures[name]
            env: Env = {_own(v.name): v for v in parameters}
            body = self._body(node.body, env)
            self.checked.rules[name] = model.Rule(name, parameters, body, cites(node.cites), node.span)
        return self.checked

    # ----------------------------------------------------------------------------------------- locals

    def _local(self, token: syntax.Token, t: ir.Type, hidden: str = "") -> ir.Var:
        """A new local of the rule, as a state variable that lives while the rule is followed."""
        base = f"{self._scope.rule}.{token.text}{hidden}"
        name, n = base, 1
        while name in self.checked.locals:
            n += 1
            name = f"{base}.{n}"
        self.checked.locals[name] = ir.StateVar(name, (), t, None, local=True, seen="nobody", span=token.span)
        return ir.Var(name, (), t)

    def _origin(self, span: Span, cited: syntax.Cites = None) -> ir.Origin:
        return ir.Origin(span, self._scope.rule, cites(cited) or self._scope.cites)

    @contextmanager
    def _under(self, cited: syntax.Cites) -> Iterator[None]:
        """Within, statements without a citation of their own stand under this one."""
        outer = self._scope.cites
        self._scope.cites = cites(cited) or outer
        try:
            yield
        finally:
            self._scope.cites = outer

    # ------------------------------------------------------------------------------------- statements

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
            case syntax.Chooses(span, player, name, cited, actions):
                p = self._x.expect(player, env, types.PLAYER)
                decision = self._decision(name, span)
                with self._under(cited):
                    checked = self._actions(actions, env)
                return None if p is None else model.Choose(p, decision, checked, self._origin(player.span, cited))
            case syntax.AtOnce():
                return self._at_once(node, env)
            case syntax.May():
                return self._may(node, env)
            case _:
                assert_never(node)

    def _decision(self, name: syntax.Token | None, span: Span) -> str:
        """Decisions are named, so that examples can stand at them; the rule's own name serves once."""
        found = name.text if name is not None else self._scope.rule
        if found in self.checked.decisions:
            self._reporter.report("N308", f"two decisions are named `{found}`", name.span if name else span,
                                  help="name it: `… chooses NAME:`")  # fmt: skip
        self.checked.decisions[found] = self._scope.rule
        return found

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

    def _simple(self, node: syntax.SimpleStmt, origin: ir.Origin, env: Env) -> model.Stmt | None:
        x = self._x
        match node:
            case syntax.Assign(_, target, sign, value):
                return self._assign(target, sign, value, origin, env)
            case syntax.Random(_, target, _, binder):
                variable = self._target(target, env)
                bound = x.binder(binder, env)
                if variable is None or bound is None:
                    return None
                if not types.same(types.strip(variable.type), bound[0].type):
                    what = f"{types.an(bound[0].type)} is picked for {types.an(variable.type)}"
                    self._reporter.report("T401", what, binder.span)
                    return None
                return ir.Random(variable, bound[0], 0, origin)
            case syntax.Let(_, name, value):
                v = x.check(value, env)
                x.fresh(name, env)
                if isinstance(v, ir.Const) and v.value is None:
                    self._reporter.report("T402", "a name for none is of no use", value.span)
                    v = None
                if v is None:
                    self._symbols.broken.add(name.text)
                    return None
                t = types.of(v)
                local = self._local(name, types.INTEGER if isinstance(t, ir.IntType) else t)
                env[name.text] = local
                return ir.Assign(local, v, 0, origin)
            case syntax.Deal(_, up_to, count, source, target):
                n = x.expect(count, env, types.INTEGER)
                a, b = x.zone(source, env), x.zone(target, env)
                if n is None or a is None or b is None:
                    return None
                self._fits(n, b, count.span)
                return ir.Deal(n, up_to is not None, a, b, 0, origin)
            case syntax.Move(_, cards, target):
                c, z = x.expect(cards, env, types.CARDS), x.zone(target, env)
                return None if c is None or z is None else ir.Move(c, z, 0, origin)
            case syntax.Gather(_, cards, target):
                z = x.zone(target, env)
                if isinstance(cards, syntax.AllCards):
                    return None if z is None else ir.Gather(None, z, 0, origin)
                c = x.expect(cards, env, types.CARDS)
                return None if c is None or z is None else ir.Gather(c, z, 0, origin)
            case syntax.Shuffle(_, zone, by) | syntax.Cut(_, zone, by):
                z = x.zone(zone, env)
                p = None if by is None else x.expect(by, env, types.PLAYER)
                if z is None or (by is not None and p is None):
                    return None
                return ir.Shuffle(z, p, 0, origin) if isinstance(node, syntax.Shuffle) else ir.Cut(z, p, 0, origin)
            case syntax.Reveal(_, cards, to):
                c = x.expect(cards, env, types.CARDS)
                p = None if to is None else x.expect(to, env, types.PLAYER)
                return None if c is None or (to is not None and p is None) else ir.Reveal(c, p, 0, origin)
            case syntax.Announce(_, text):
                return ir.Announce(text.text[1:-1], 0, origin)
            case syntax.End(_, rule, reason):
                if rule.text not in self._symbols.rules:
                    if self._symbols.is_broken(rule.text):
                        return None
                    self._reporter.report("N309", f"no rule is named `{rule.text}`", rule.span,
                                          help=did_you_mean(rule.text, self._symbols.rules))  # fmt: skip
                    return None
                self.checked.ends.append((self._scope.rule, rule.text, rule.span))
                return model.End(rule.text, None if reason is None else reason.text[1:-1], origin)
            case syntax.Do(_, rule, args):
                return self._follow(rule, args or (), origin, env)
            case _:
                assert_never(node)

    def _fits(self, count: ir.Expr, target: ir.ZoneExpr, span: Span) -> None:
        zone = self._symbols.zones[target.zone]
        t = types.of(count)
        if self._reporter.has_errors:
            return  # perhaps of the cards
        if not isinstance(t, ir.IntType) or t.low is None:
            return
        holds = zone.holds.value if isinstance(zone.holds, ir.Const) else None
        if isinstance(holds, int) and t.low > holds:
            self._reporter.report("T419", f"`{zone.name}` holds {holds} cards, and {t.low} are dealt there", span)
        if t.low > self._symbols.num_cards:
            self._reporter.report("T419", f"the game has {self._symbols.num_cards} cards, and {t.low} are dealt", span)

    def _target(self, target: syntax.Target, env: Env) -> ir.Var | None:
        name = target.name.text
        if name in env:
            self._reporter.report("T420", f"`{name}` stands for one value here and cannot be set", target.span)
            return None
        variable = self._symbols.state.get(name)
        if variable is None:
            if self._symbols.is_broken(name):
                return None
            if name in self._symbols.declared:
                what = self._symbols.declared[name][0]
                self._reporter.report("T420", f"`{name}` is {what}, and only state can be set", target.name.span)
            else:
                self._symbols.broken.add(name)
                self._reporter.report("N310", f"no state is named `{name}`", target.name.span,
                                      help=did_you_mean(name, self._symbols.state))  # fmt: skip
            return None
        self._symbols.written.add(name)
        indices = self._x.indices(target.name, variable.dims, target.args or (), env)
        return None if indices is None else ir.Var(name, indices, variable.type)

    def _assign(self, target: syntax.Target, sign: syntax.Token, value: syntax.Expr, origin: ir.Origin, env: Env
                ) -> model.Stmt | None:  # fmt: skip
        variable = self._target(target, env)
        if variable is None:
            self._x.check(value, env)
            return None
        if sign.text == ":=":
            v = self._x.expect(value, env, variable.type)
            return None if v is None else ir.Assign(variable, v, 0, origin)
        change = self._x.expect(value, env, ir.FractionType())
        t = types.strip(variable.type)
        if change is None:
            return None
        if not types.is_number(t):
            self._reporter.report(
                "T401", f"`{sign.text}` changes numbers, this is {types.an(variable.type)}", target.span
            )
            return None
        if isinstance(t, ir.IntType) and self._x.fit(change, types.INTEGER, value.span) is None:
            return None
        op = ir.Binary.ADD if sign.text == "+=" else ir.Binary.SUBTRACT
        old: ir.Expr = variable
        if isinstance(variable.type, ir.OptionalType):
            old = ir.UnaryExpr(ir.Unary.UNWRAP, variable, t)
        result: ir.Type = types.INTEGER if isinstance(t, ir.IntType) else t
        return ir.Assign(variable, ir.BinaryExpr(op, old, change, result), 0, origin)

    def _follow(
        self, rule: syntax.Token, args: tuple[syntax.Expr, ...], origin: ir.Origin, env: Env
    ) -> model.Stmt | None:
        if rule.text not in self._symbols.rules:
            known = self._symbols.rules
            if self._symbols.is_broken(rule.text):
                return None
            if rule.text in self._symbols.defines:
                self._reporter.report(
                    "N309", f"`{rule.text}` is a definition: it has a value and does nothing", rule.span
                )
            else:
                help = did_you_mean(rule.text, known)
                if rule.text in ("return", "break", "stop", "exit"):
                    help = "`end RULE` leaves a rule"
                self._symbols.broken.add(rule.text)
                self._reporter.report("N309", f"no rule is named `{rule.text}`", rule.span, help=help)
            return None
        self.checked.follows[self._scope.rule].add(rule.text)
        parameters = self._signatures[rule.text]
        if len(parameters) < len(self._symbols.rules[rule.text].params or ()):
            return None  # one of them is wrong
        if len(parameters) != len(args):
            self._reporter.report("T413", f"`{rule.text}` takes {values(len(parameters))}, here {things(len(args))}",
                                  rule.span)  # fmt: skip
            return None
        checked = [self._x.expect(a, env, p.type) for a, p in zip(args, parameters, strict=True)]
        if any(a is None for a in checked):
            return None
        return model.Follow(rule.text, tuple(a for a in checked if a is not None), origin)

    # ------------------------------------------------------------------------------------------ loops

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

    # ---------------------------------------------------------------------------------------- choices

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


def _can_be_named(kind: ir.Kind) -> bool:
    """Whether the named ranks and suits of a kind say how strong it is."""
    if kind.pattern is None or any(key in (ir.Key.CARDS, ir.Key.SIDE_CARDS) for key in kind.by):
        return False
    ranks = [g.rank for g in kind.pattern.groups]
    return not any(isinstance(r, str) and r.startswith("_") for r in ranks)


def _own(name: str) -> str:
    return name.partition(".")[2]

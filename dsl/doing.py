"""One-line statements: what changes the state, moves or shows cards, follows a rule or ends one."""

from __future__ import annotations

from typing import assert_never

from dsl import ir, model, syntax, types
from dsl.checking import things, values
from dsl.diagnostics import did_you_mean
from dsl.scoping import Scoping
from dsl.source import Span
from dsl.symbols import Env


class Doing(Scoping):
    """Statements that do one thing."""

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

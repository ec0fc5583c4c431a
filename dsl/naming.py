"""Names in expressions: what a word, an index or a call stands for."""

from __future__ import annotations

import re
from typing import assert_never

from dsl import ir, syntax, types
from dsl.checking import Checking, cites, things, values
from dsl.diagnostics import did_you_mean
from dsl.source import Span
from dsl.symbols import ROUNDINGS, Env


class Naming(Checking):
    """Literals, variables, zones, tables, definitions and called combinations."""

    def _literal(self, node: syntax.Number | syntax.Name | syntax.None_ | syntax.Yes | syntax.No | syntax.String,
                 env: Env, expected: ir.Type | None) -> ir.Expr | None:  # fmt: skip
        wanted = types.strip(expected) if expected is not None else None
        match node:
            case syntax.Number(span, number):
                if isinstance(wanted, ir.RankType):
                    return self._rank(number)
                if isinstance(wanted, ir.PlayerType):
                    return self._fail("T407", f"`{number.text}` is a number, not a player", span,
                                      help=f"write `seat {number.text}`")  # fmt: skip
                return self.number(number)
            case syntax.Name(_, name):
                return self._name(name, env, wanted)
            case syntax.None_():
                return ir.Const(None, ir.OptionalType(wanted or types.INTEGER))
            case syntax.Yes() | syntax.No():
                return ir.Const(isinstance(node, syntax.Yes), types.BOOL)
            case syntax.String(span, _):
                return self._fail("T408", "a text in quotes is no value", span)
            case _:
                assert_never(node)

    def _seat(self, span: Span, number: syntax.Token) -> ir.Const | None:
        most = self.seats
        if not number.text.isdigit() or len(number.text) > 4 or not 1 <= int(number.text) <= most:
            return self._fail("T404", f"there is no seat {number.text}", span, help=f"seats count from 1 to {most}")
        return ir.Const(int(number.text) - 1, types.PLAYER)

    def _name(self, token: syntax.Token, env: Env, wanted: ir.Type | None) -> ir.Expr | None:
        name, s = token.text, self.symbols
        if name in env:
            s.read.add(name)
            return env[name]
        if isinstance(wanted, ir.EnumType) and name in wanted.names:
            return ir.Const(wanted.names.index(name), wanted)
        if name in s.state:
            return self._variable(token, (), env)
        if name in s.zones:
            return self._zone(token, (), env)
        if name in s.defines:
            return self._apply(token, (), env)
        if name in s.kind_indices:
            return ir.Const(s.kind_indices[name], ir.KindType())
        if name in s.ranks:
            return ir.Const(s.ranks[name], ir.RankType())
        if name in s.suits:
            return ir.Const(s.suits[name], ir.SuitType())
        if name in s.faces:
            return ir.Const(s.faces[name], types.CARD)
        if name == "players":
            return ir.NumPlayers()
        if name == "time_left":
            if not s.has_clock:
                return self._fail("N306", "this game has no clock", token.span)
            return ir.TimeLeft()
        if name in s.enums:
            if len(s.enums[name]) == 1:
                enum = s.enums[name][0]
                return ir.Const(enum.names.index(name), enum)
            return self._fail("N305", f"`{name}` belongs to more than one list of names", token.span)
        return self._unknown(token, env)

    def _unknown(self, token: syntax.Token, env: Env, what: str = "nothing") -> None:
        name, s = token.text, self.symbols
        if s.is_broken(name):
            return None
        if name in s.rules:
            return self._fail("T412", f"`{name}` is a rule, and a rule has no value", token.span)
        if name in s.tables:
            each = types.show(s.tables[name].domain)
            return self._fail("T413", f"table `{name}` has a value for each {each}", token.span,
                              help=f"write `{name}[…]`")  # fmt: skip
        help = did_you_mean(name, s.known(env))
        if name in ("true", "false"):
            help = f"write `{'yes' if name == 'true' else 'no'}`"
        elif re.fullmatch(r"[0-9]+[eE][0-9]+|0[xXoObB][0-9a-fA-F]+|[0-9]+(_[0-9]+)+", name):
            help = "numbers are written out in digits"
        s.broken.add(name)  # to be told once is enough
        return self._fail("N302", f"{what} is named `{name}`", token.span, help=help)

    def _index(self, node: syntax.Index, env: Env) -> ir.Expr | None:
        name = node.name.text
        if name in self.symbols.zones:
            return self._zone(node.name, node.args, env)
        if name in self.symbols.state:
            return self._variable(node.name, node.args, env)
        if name in self.symbols.tables:
            return self._table(node.name, node.args, env)
        if name in self.symbols.defines:
            return self._fail("T412", f"`{name}` is a definition", node.name.span, help=f"write `{name}(…)`")
        return self._unknown(node.name, env, "no zone, state or table")

    def indices(self, token: syntax.Token, dims: tuple[ir.Domain, ...], args: tuple[syntax.Expr, ...], env: Env
                ) -> tuple[ir.Expr, ...] | None:  # fmt: skip
        """The checked indices of a zone or a variable."""
        if len(args) != len(dims):
            if not dims:
                return self._fail("T413", f"`{token.text}` is one alone, and takes nothing in `[ ]`", token.span)
            shown = ["number " * isinstance(d, ir.IntType) + types.show(d) for d in dims]
            said = f"here {things(len(args))}" if args else "and it is not said which"
            return self._fail("T413", f"there is a `{token.text}` for each {' and '.join(shown)}, {said}", token.span,
                              help=f"write `{token.text}[{', '.join('…' for _ in dims)}]`")  # fmt: skip
        checked = [self.expect(arg, env, dim) for arg, dim in zip(args, dims, strict=True)]
        return None if any(x is None for x in checked) else tuple(x for x in checked if x is not None)

    def _variable(self, token: syntax.Token, args: tuple[syntax.Expr, ...], env: Env) -> ir.Expr | None:
        variable = self.symbols.state[token.text]
        self.symbols.read.add(token.text)
        indices = self.indices(token, variable.dims, args, env)
        return None if indices is None else ir.Var(token.text, indices, variable.type)

    def _zone(self, token: syntax.Token, args: tuple[syntax.Expr, ...], env: Env) -> ir.ZoneExpr | None:
        self.symbols.read.add(token.text)
        indices = self.indices(token, self.symbols.zones[token.text].dims, args, env)
        return None if indices is None else ir.ZoneExpr(token.text, indices)

    def zone(self, node: syntax.Expr, env: Env) -> ir.ZoneExpr | None:
        """An expression that must name one zone, to put cards there or take them from its top."""
        match node:
            case syntax.Name(_, token) if token.text in self.symbols.zones:
                return self._zone(token, (), env)
            case syntax.Index(_, token, args) if token.text in self.symbols.zones:
                return self._zone(token, args, env)
            case syntax.Name(_, token) | syntax.Index(_, token, _):
                if self.symbols.is_broken(token.text):
                    return None
                if token.text in env or token.text in self.symbols.declared:
                    return self._fail("T414", f"a zone is needed here, and `{token.text}` is none", token.span)
                self.symbols.broken.add(token.text)
                return self._fail(
                    "N301",
                    f"no zone is named `{token.text}`",
                    token.span,
                    note="not a zone of this game",
                    help=did_you_mean(token.text, self.symbols.zones),
                )
            case _:
                return self._fail("T414", "a zone is needed here", node.span)

    def _all_of(
        self, span: Span, token: syntax.Token, args: tuple[syntax.Expr, ...] | None, env: Env
    ) -> ir.Expr | None:
        zone = self.symbols.zones.get(token.text)
        if zone is None:
            if self.symbols.is_broken(token.text):
                return None
            self.symbols.broken.add(token.text)
            return self._fail("N301", f"no zone is named `{token.text}`", token.span, note="not a zone of this game",
                              help=did_you_mean(token.text, self.symbols.zones))  # fmt: skip
        self.symbols.read.add(token.text)
        given = args or ()
        if len(given) >= len(zone.dims):
            return self._fail("T413", f"`all {token.text}` gathers a family of zones, and this is one zone", span,
                              help="leave `all` out")  # fmt: skip
        indices = self.indices(token, zone.dims[: len(given)], given, env)
        return None if indices is None else ir.AllOfZone(token.text, indices)

    def _table(self, token: syntax.Token, args: tuple[syntax.Expr, ...], env: Env) -> ir.Expr | None:
        table = self.symbols.tables[token.text]
        self.symbols.read.add(token.text)
        indices = self.indices(token, (table.domain,), args, env)
        return None if indices is None else ir.TableExpr(token.text, indices[0], table.type)

    # ----------------------------------------------------------------------------------------- calls

    def _call(self, node: syntax.Call, env: Env) -> ir.Expr | None:
        name, s = node.name.text, self.symbols
        if name in ROUNDINGS:
            return self._round(node, env)
        if name in s.defines:
            return self._apply(node.name, node.args, env)
        if name in s.kind_indices:
            return self._make(node, env)
        if name in s.state or name in s.zones or name in s.tables:
            return self._fail("T412", f"`{name}` is no definition", node.name.span, help=f"write `{name}[…]`")
        if name in s.rules:
            return self._fail("T412", f"`{name}` is a rule, and a rule has no value", node.name.span)
        if s.is_broken(name):
            return None
        s.broken.add(name)
        return self._fail("N302", f"no definition is named `{name}`", node.name.span,
                          help=did_you_mean(name, (*s.defines, *s.kind_indices, *ROUNDINGS)))  # fmt: skip

    def _round(self, node: syntax.Call, env: Env) -> ir.Expr | None:
        if len(node.args) != 1:
            return self._fail("T413", f"`{node.name.text}` takes one number", node.span)
        x = self.expect(node.args[0], env, ir.FractionType())
        return None if x is None else ir.UnaryExpr(ROUNDINGS[node.name.text], x, types.INTEGER)

    def _make(self, node: syntax.Call, env: Env) -> ir.Expr | None:
        index = self.symbols.kind_indices[node.name.text]
        named = self.symbols.kinds[index].named
        if len(node.args) != len(named):
            wants = " and ".join(f"a {sort}" for _, sort in named) or "nothing"
            return self._fail("T413", f"`{node.name.text}` is named by {wants}", node.span)
        checked = [self.expect(a, env, types.SORTS[sort]) for a, (_, sort) in zip(node.args, named, strict=True)]
        if any(x is None for x in checked):
            return None
        return ir.MakeCombination(index, tuple(x for x in checked if x is not None))

    def _apply(self, token: syntax.Token, args: tuple[syntax.Expr, ...], env: Env) -> ir.Expr | None:
        self.symbols.read.add(token.text)
        function = self.function(token.text, token.span)
        if function is None:
            return None
        if len(args) != len(function.parameters):
            told = f"`{token.text}` takes {values(len(function.parameters))}, here {things(len(args))}"
            return self._fail("T413", told, token.span)
        checked = [self._given(a, env, t) for a, (_, t) in zip(args, function.parameters, strict=True)]
        if any(x is None for x in checked):
            return None
        return ir.CallExpr(token.text, tuple(x for x in checked if x is not None), function.type)

    def _given(self, node: syntax.Expr, env: Env, wanted: ir.Type) -> ir.Expr | None:
        """What a parameter of a definition is given. Nothing looks at its range in play, so it must surely be kept."""
        x = self.expect(node, env, wanted)
        if x is None or types.within(types.of(x), wanted):
            return x
        return self._fail("T429", f"{types.an(types.strip(types.of(x)))} may be outside the range "
                          f"{types.show(types.strip(wanted))}", node.span,
                          help="let the definition take an `integer`, or give it a number of that range")  # fmt: skip

    def function(self, name: str, at: Span) -> ir.Function | None:
        """A definition, typed; None where it was found wrong."""
        s = self.symbols
        if name in s.functions:
            return s.functions[name]
        if name in self._open_functions:
            return self._fail("L501", f"`{name}` is defined by way of itself", at)
        node = s.defines[name]
        self._open_functions.append(name)
        parameters = self.parameters(node.params)
        env: Env = {n: ir.Local(n, t) for n, t in parameters}
        body = None if len(parameters) < len(node.params or ()) else self.check(node.body, env)
        self._open_functions.pop()
        if body is not None and isinstance(body, ir.Const) and body.value is None:
            body = self._fail("T402", "a definition cannot always be none", node.body.span)
        s.functions[name] = None
        if body is not None:
            s.functions[name] = ir.Function(name, parameters, body, types.of(body), cites(node.cites), node.span)
        return s.functions[name]

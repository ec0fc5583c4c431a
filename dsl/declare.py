"""The tables of a rule file to declarations: zones, state, tables and the result."""

from __future__ import annotations

from dataclasses import replace

from dsl import ir, parser, types
from dsl.declare_values import constant, domain_labels
from dsl.diagnostics import Reporter, did_you_mean
from dsl.expressions import Expressions
from dsl.fields import Fields, identifier, rows
from dsl.source import first_line
from dsl.symbols import Env, Symbols
from dsl.walk import parts
from dsl.yamltree import Mapping, Node, Scalar

_SEEN = ("everyone", "owner", "nobody")
_TOLD = ("everywhere", "table", "nowhere")
_SHOWN = ("count", "top", "contents", "nothing")
_MAX_CELLS = 5000


class Declarations:
    """Reads the tables of one document into its symbols."""

    def __init__(self, symbols: Symbols, reporter: Reporter) -> None:
        self.symbols = symbols
        self.reporter = reporter
        self.expressions = Expressions(symbols, reporter)
        self.home = ""

    def _fields(self, node: Node, what: str, allowed: tuple[str, ...], required: tuple[str, ...] = ()) -> Fields:
        return Fields(node, what, allowed, required, self.reporter)

    def phrase(self, scalar: Scalar | None, wanted: ir.Type | None = None, env: Env | None = None) -> ir.Expr | None:
        """The expression in a table cell."""
        if scalar is None:
            return None
        node = parser.parse_expr(scalar.embedded, self.reporter)
        if node is None:
            return None
        if wanted is None:
            return self.expressions.check(node, env or {})
        return self.expressions.expect(node, env or {}, wanted)

    def _type(self, scalar: Scalar | None) -> ir.Type | None:
        node = None if scalar is None else parser.parse_type(scalar.embedded, self.reporter)
        return None if node is None else self.expressions.type(node)

    def _note_enum(self, t: ir.Type | None) -> None:
        if t is not None and isinstance(inner := types.strip(t), ir.EnumType):
            for name in inner.names:
                known = self.symbols.enums.setdefault(name, [])
                if inner not in known:
                    known.append(inner)

    def written(self, expr: ir.Expr, what: str, scalar: Scalar) -> ir.Const | None:
        """The expression as the value it was written as, or a diagnostic."""
        if isinstance(expr, ir.Const):
            return expr
        value = constant(expr)
        if value is None:
            return self.reporter.report("T417", f"{what} must be written as a value", scalar.span)
        return ir.Const(value, types.of(expr))

    # ------------------------------------------------------------------------------------ zones, state

    def _dims(self, fields: Fields) -> tuple[ir.Domain, ...] | None:
        """What a family is indexed by: sorts and ranges of numbers; None where that is wrong."""
        wrong = False
        out: list[ir.Domain] = []
        for scalar in fields.list("each"):
            node = parser.parse_type(scalar.embedded, self.reporter)
            t = None if node is None else self.expressions.type(node)
            match t:
                case None:
                    wrong = True
                case ir.KindType() if not self.symbols.kinds:
                    wrong = True
                    self.reporter.report("N306", "this game has no combinations", scalar.span)
                case ir.PlayerType() | ir.KindType() | ir.RankType() | ir.SuitType() | ir.EnumType():
                    out.append(t)
                case ir.IntType(low, high) if low is not None and high is not None:
                    out.append(t)
                case _:
                    wrong = True
                    self.reporter.report("T425", f"there cannot be one for each {types.show(t)}", scalar.span,
                                         help="for each player, kind, rank, suit or number of a range")  # fmt: skip
        cells = 1
        for d in out:
            cells *= self.symbols.domain_size(d)
        if cells > _MAX_CELLS:
            self.reporter.report("T409", f"{fields.what} would be {cells} of them, which is too many",
                                 fields.span_of("each"))  # fmt: skip
            return None
        return None if wrong else tuple(out)

    def zones(self, node: Node | None) -> None:
        s = self.symbols
        if node is not None and not isinstance(node, Mapping):
            s.broken.add("*")
        for key, value in rows(node, "`zones`", self.reporter):
            if not identifier(key, self.reporter, s.declared, "a zone"):
                continue
            fields = self._fields(
                value, f"zone `{key.text}`", ("each", "seen", "shown", "holds", "starts", "cites"), ("seen",)
            )
            dims = self._dims(fields)
            if dims is None or fields.is_wrong:
                s.broken.add(key.text)
                continue
            seen = fields.choice("seen", _SEEN, "everyone")
            if seen == "owner" and not (dims and isinstance(dims[0], ir.PlayerType)):
                self.reporter.report("T426", f"zone `{key.text}` has no owner", key.span,
                                     help="only a zone for each player has one")  # fmt: skip
            shown = {x.text for x in fields.list("shown")} or {"count"}
            for x in fields.list("shown"):
                if x.text not in _SHOWN:
                    help = did_you_mean(x.text, _SHOWN) or "it is " + " or ".join(_SHOWN)
                    self.reporter.report("S209", f"`{x.text}` cannot be shown", x.span, help=help)
            if shown & {"top", "contents"}:
                shown.add("count")
            written = fields.node("shown")
            if seen == "everyone" and written is not None:
                message = f"everybody sees `{key.text}`, and `shown` says nothing more"
                self.reporter.report(
                    "T428", message, written.span, help="leave it out, or say who sees the rest: `seen`"
                )
            if fields.choice("starts", ("full", "empty"), "empty") == "full":
                if self.home:
                    self.reporter.report("L504", f"the cards start in `{self.home}` and in `{key.text}`", key.span,
                                         help="only one zone is `starts: full`")  # fmt: skip
                if dims:
                    self.reporter.report("L504", "the cards start in one zone, and this is a family", key.span)
                self.home = key.text
            elif fields.text("starts", "empty") != "empty":
                s.broken.add(key.text)
            env: Env = {f"#{i}": ir.Local(f"#{i}", d) for i, d in enumerate(dims)}
            holds = self._capacity(fields, dims, env, self.home == key.text and not dims)
            s.zones[key.text] = ir.Zone(
                key.text, dims, seen, frozenset(shown - {"nothing"}), holds, fields.cites(), key.span
            )
        if isinstance(node, Mapping) and not (self.home or "*" in s.broken or s.broken & set(node.keys)):
            self.reporter.report("L504", "no zone says where the cards lie at first", first_line(node.span),
                                 help="give one zone `starts: full`")  # fmt: skip

    def _capacity(self, fields: Fields, dims: tuple[ir.Domain, ...], env: Env, is_home: bool) -> ir.Expr | None:
        """`holds` is an expression in which the sort's name stands for the zone's own index. It never changes in play.

        `is_home`: all cards lie in the zone at first.
        """
        scalar = fields.scalar("holds")
        if scalar is None:
            return None
        named: Env = dict(env)
        for i, d in enumerate(dims):
            if d in types.SORTS.values():
                named[types.show(d)] = env[f"#{i}"]
        holds = self.phrase(scalar, types.INTEGER, named)
        if holds is not None and isinstance(number := constant(holds), int) and number < 1:
            return self.reporter.report("T404", f"a zone cannot hold {number} cards", scalar.span)
        if holds is not None and self._changes(holds):
            message = "how many cards a zone holds at most cannot change in play"
            help = "write a number, or what hangs on the zone's own index"
            return self.reporter.report("T417", message, scalar.span, help=help)
        if holds is None or not is_home:
            return holds
        most, lying = self.written(holds, "what the zone of all cards holds", scalar), self.symbols.num_cards
        if most is not None and isinstance(most.value, int) and most.value < lying:
            message = f"this zone holds {most.value} cards, and all {lying} lie there at first"
            self.reporter.report("T419", message, scalar.span)
        return most

    def _changes(self, expr: ir.Expr) -> bool:
        """Whether the value may be another one at another point of play."""
        found, waiting = set[str](), [expr]
        while waiting:
            for part in parts(waiting.pop()):
                if isinstance(part, ir.Var | ir.ZoneExpr | ir.AllOfZone | ir.TimeLeft):
                    return True
                if isinstance(part, ir.CallExpr) and part.function not in found:
                    found.add(part.function)
                    function = self.symbols.functions.get(part.function)
                    waiting += [] if function is None else [function.body]
        return False

    def state(self, node: Node | None) -> None:
        s = self.symbols
        if node is not None and not isinstance(node, Mapping):
            s.broken.add("*")
        for key, value in rows(node, "`state`", self.reporter):
            if not identifier(key, self.reporter, s.declared, "a state"):
                continue
            fields = self._fields(
                value, f"state `{key.text}`", ("each", "type", "starts", "seen", "told", "cites"), ("type",)
            )
            dims = self._dims(fields)
            told = fields.choice("told", _TOLD, "everywhere")
            written = fields.scalar("type")
            t = self._type(written)
            if t is not None and written is not None and isinstance(types.strip(t), ir.CardsType | ir.CombinationsType):
                self.reporter.report("T425", f"{types.an(types.strip(t))} cannot be state", written.span,
                                     help="cards lie in zones")  # fmt: skip
                t = None
            self._note_enum(t)
            seen = fields.choice("seen", _SEEN, "everyone")
            if seen == "owner" and dims is not None and not (dims and isinstance(dims[0], ir.PlayerType)):
                self.reporter.report("T426", f"state `{key.text}` has no owner", key.span,
                                     help="only a state for each player has one")  # fmt: skip
            cited = fields.cites()
            if t is None or dims is None or fields.is_wrong:
                s.broken.add(key.text)
            else:
                s.state[key.text] = ir.StateVar(key.text, dims, t, None, False, seen, told, cited, key.span)
        for key, value in rows(node, "`state`", Reporter()):
            variable = s.state.get(key.text)
            if variable is None or not isinstance(value, Mapping):
                continue
            fields = Fields(value, f"state `{key.text}`", value.keys, (), Reporter())
            begins = fields.scalar("starts")
            if begins is not None and begins.text == "none" and not isinstance(variable.type, ir.OptionalType):
                self.reporter.report("T402", f"{types.an(variable.type)} is needed here, not none", begins.span,
                                     help="write `or none` after the type; or leave out `starts` where a rule sets "
                                          "it before it is read")  # fmt: skip
            start = self.phrase(begins, variable.type)
            s.read.discard(key.text)
            if start is not None:
                start = self.written(start, "what state starts as", begins or key)
            s.state[key.text] = replace(variable, starts=start)

    # ------------------------------------------------------------------------------------------ tables

    def tables(self, node: Node | None) -> None:
        if node is not None and not isinstance(node, Mapping):
            self.symbols.broken.add("*")
        for key, value in rows(node, "`tables`", self.reporter):
            if not identifier(key, self.reporter, self.symbols.declared, "a table"):
                continue
            fields = self._fields(value, f"table `{key.text}`", ("for", "type", "rows"), ("for", "type", "rows"))
            domain, t = self._type(fields.scalar("for")), self._type(fields.scalar("type"))
            self._note_enum(t)
            self.symbols.broken.add(key.text)  # until it is found right
            cells = rows(fields.node("rows"), f"the rows of `{key.text}`", self.reporter)
            if domain is None or t is None:
                continue
            match domain:
                case ir.KindType() | ir.RankType() | ir.SuitType() | ir.EnumType():
                    pass
                case ir.IntType(low, high) if low is not None and high is not None:
                    pass
                case _:
                    self.reporter.report("T425", f"a table cannot go over {types.many(domain)}", fields.span_of("for"),
                                         help="over kinds, ranks, suits, names or a range of numbers")  # fmt: skip
                    continue
            self._note_enum(domain)
            table = self._rows(key, domain, t, cells)
            if table is not None:
                self.symbols.tables[key.text] = table
                self.symbols.broken.discard(key.text)

    def _rows(
        self, name: Scalar, domain: ir.Domain, t: ir.Type, cells: tuple[tuple[Scalar, Node], ...]
    ) -> ir.Table | None:
        labels = domain_labels(domain, self.symbols)
        found: dict[str, tuple[ir.Value, tuple[str, ...]]] = {}
        for key, node in cells:
            if key.text not in labels:
                self.reporter.report("N314", f"`{name.text}` has no row for `{key.text}`", key.span,
                                     help=did_you_mean(key.text, labels))  # fmt: skip
                continue
            cited: tuple[str, ...] = ()
            cell = node if isinstance(node, Scalar) else None
            if isinstance(node, Mapping):
                fields = self._fields(node, f"row `{key.text}`", ("value", "cites"), ("value",))
                cell, cited = fields.scalar("value"), fields.cites()
            elif cell is None:
                self.reporter.report("S206", "an entry is one value", node.span)
            value = self.phrase(cell, t)
            entry = None if value is None or cell is None else self.written(value, "a table's entry", cell)
            found[key.text] = (None if entry is None else entry.value, cited)
        missing = [label for label in labels if label not in found]
        if missing and not cells:
            return None  # which was told
        if missing:
            self.reporter.report("L505", f"table `{name.text}` has no row for {', '.join(missing[:6])}", name.span)
            return None
        return ir.Table(name.text, domain, t, tuple(found[x][0] for x in labels), tuple(found[x][1] for x in labels))

    # ---------------------------------------------------------------------------------- result

    def result(self, node: Node | None) -> ir.Result | None:
        if node is None:
            return None
        fields = self._fields(node, "`result`", ("score", "wins", "ties", "returns", "cites"), ("score", "wins"))
        env: Env = {"p": ir.Local("p", types.PLAYER)}
        score = self.phrase(fields.scalar("score"), ir.FractionType(), env)
        wins = self.phrase(fields.scalar("wins"), types.BOOL, env)
        returns = self.phrase(fields.scalar("returns"), ir.FractionType(), env)
        given = fields.mapping
        several = self.symbols.players[1] > 1 and "*" not in self.symbols.broken
        if given is not None and given.get("wins") is not None and given.get("ties") is None and several:
            self.reporter.report("L502", "it is not decided what several winners are", first_line(fields.span),
                                 help="add `ties: draw` or `ties: shared`")  # fmt: skip
        shared = fields.choice("ties", ("draw", "shared"), "draw") == "shared"
        if score is None or wins is None:
            return None
        return ir.Result("p", score, wins, shared, returns, fields.cites())

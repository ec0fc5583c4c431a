"""The tables of a rule file to declarations: zones, state, tables, options, clock, result, properties, layout."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dsl import ir, model, parser, syntax, types
from dsl.diagnostics import Reporter, did_you_mean
from dsl.document import texts
from dsl.expressions import Expressions
from dsl.fields import Fields, identifier, rows, whole
from dsl.source import Span, first_line
from dsl.symbols import Env, Symbols
from dsl.yamltree import Mapping, Node, Scalar, Sequence

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
            holds = self._capacity(fields, dims, env)
            s.zones[key.text] = ir.Zone(
                key.text, dims, seen, frozenset(shown - {"nothing"}), holds, fields.cites(), key.span
            )
        if isinstance(node, Mapping) and not (self.home or "*" in s.broken or s.broken & set(node.keys)):
            self.reporter.report("L504", "no zone says where the cards lie at first", first_line(node.span),
                                 help="give one zone `starts: full`")  # fmt: skip

    def _capacity(self, fields: Fields, dims: tuple[ir.Domain, ...], env: Env) -> ir.Expr | None:
        """`holds` is an expression in which the sort's name stands for the zone's own index."""
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
        return holds

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

    # ------------------------------------------------------------------------------------------- clock

    def clock(self, node: Node | None, rule_names: set[str]) -> model.Clock | None:
        if node is None:
            return None
        fields = self._fields(node, "`clock`", ("time", "think", "events", "cites"), ("time", "think"))
        fields.cites()
        start = self._milliseconds(fields.scalar("time"))
        think = self._think(fields.scalar("think"))
        events: list[model.ClockEvent] = []
        for key, value in rows(fields.node("events"), "the events of the clock", self.reporter):
            row = self._fields(value, f"event `{key.text}`", ("at", "rule", "cites"), ("at", "rule"))
            at, rule = self._milliseconds(row.scalar("at")), row.scalar("rule")
            if rule is not None and self.symbols.is_broken(rule.text):
                continue
            if rule is not None and rule.text not in rule_names:
                self.reporter.report("N309", f"no rule is named `{rule.text}`", rule.span,
                                     help=did_you_mean(rule.text, rule_names))  # fmt: skip
            elif at is not None and rule is not None:
                events.append(model.ClockEvent(key.text, at, rule.text, row.cites()))
        if not any(e.at == 0 for e in events) and not self.reporter.has_errors:
            self.reporter.report("L506", "nothing happens when the clock runs out", fields.span_of("events"),
                                 help="give `events` one `at: 0 seconds`")  # fmt: skip
        if start is None or think is None:
            return None
        return model.Clock(start, tuple(sorted(events, key=lambda e: -e.at)), think)

    def _milliseconds(self, scalar: Scalar | None) -> int | None:
        node = None if scalar is None else parser.parse_duration(scalar.embedded, self.reporter)
        return None if node is None else milliseconds(node, self.reporter)

    def _think(self, scalar: Scalar | None) -> tuple[int, int] | None:
        nodes = None if scalar is None else parser.parse_durations(scalar.embedded, self.reporter)
        if not nodes or scalar is None:
            return None
        low, high = milliseconds(nodes[0], self.reporter), milliseconds(nodes[1], self.reporter)
        if low is None or high is None:
            return None
        if low > high:
            self.reporter.report("T415", "this range is empty", scalar.span)
            return None
        return low, high

    # ---------------------------------------------------------------------------------- result, claims

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

    def layout(self, node: Node | None) -> model.Layout:
        if node is None:
            return model.Layout()
        fields = self._fields(node, "`layout`", ("rows", "shapes", "cites"))
        fields.cites()
        lines: list[tuple[str, ...]] = []
        rows_node = fields.node("rows")
        if rows_node is not None and not isinstance(rows_node, Sequence):
            self.reporter.report("S206", "`rows` of `layout` is a list of lists of zones", rows_node.span)
        for item in rows_node.items if isinstance(rows_node, Sequence) else ():
            lines.append(tuple(n.text for n in texts(item, self.reporter) if self._is_zone(n)))
        shapes: list[tuple[str, str]] = []
        for key, value in rows(fields.node("shapes"), "`shapes`", self.reporter):
            if not isinstance(value, Scalar):
                self.reporter.report("S206", "a shape is one word", value.span)
            elif self._is_zone(key) and self._is_shape(value):
                shapes.append((key.text, value.text))
        return model.Layout(tuple(lines), tuple(shapes))

    def _is_zone(self, name: Scalar) -> bool:
        if name.text in self.symbols.zones:
            return True
        if self.symbols.is_broken(name.text):
            return False
        self.reporter.report("N301", f"no zone is named `{name.text}`", name.span, note="not a zone of this game",
                             help=did_you_mean(name.text, self.symbols.zones))  # fmt: skip
        return False

    def _is_shape(self, shape: Scalar) -> bool:
        shapes = ("hand", "row", "pile", "board", "trick")
        if shape.text in shapes:
            return True
        self.reporter.report("S209", f"`{shape.text}` is no shape", shape.span,
                             help=did_you_mean(shape.text, shapes) or "it is " + " or ".join(shapes))  # fmt: skip
        return False


def constant(expr: ir.Expr) -> ir.Value:
    """The value of an expression that was written as a value."""
    match expr:
        case ir.Const(value, _):
            return value
        case ir.UnaryExpr(ir.Unary.NEGATE, operand, _) if isinstance(value := constant(operand), int | Fraction):
            return -value
        case ir.BinaryExpr(ir.Binary.DIVIDE, left, right, _):
            over, under = constant(left), constant(right)
            is_written = isinstance(over, int | Fraction) and isinstance(under, int | Fraction) and under != 0
            return Fraction(over) / under if is_written else None  # type: ignore[arg-type, operator]
        case _:
            return None


def milliseconds(node: syntax.Duration, reporter: Reporter) -> int | None:
    """A length of time, exactly; a day at most."""
    seconds = Fraction(node.number.text[:20]) * (60 if node.unit.text.startswith("minute") else 1)
    value = seconds * 1000
    if value.denominator != 1 or value > 86_400_000:
        reporter.report("T409", "time is told to the millisecond, and for a day at most", node.span)
        return None
    return int(value)


def domain_labels(domain: ir.Domain, symbols: Symbols) -> list[str]:
    """How the values of a finite sort are written, in order."""
    match domain:
        case ir.PlayerType():
            return [str(i + 1) for i in range(symbols.players[1])]
        case ir.KindType():
            return [k.name for k in symbols.kinds]
        case ir.RankType():
            return list(symbols.deck.ranks)
        case ir.SuitType():
            return list(symbols.deck.suits)
        case ir.EnumType(names):
            return list(names)
        case ir.IntType(low, high):
            assert low is not None and high is not None
            return [str(i) for i in range(low, high + 1)]


def options(node: Node | None, reporter: Reporter) -> tuple[model.Option, ...]:
    """The unclear rules that can be read several ways."""
    out: list[model.Option] = []
    for key, value in rows(node, "`options`", reporter):
        fields = Fields(value, f"option `{key.text}`", ("question", "readings", "default", "cites", "pinned"),
                        ("question", "readings", "default"), reporter)  # fmt: skip
        if fields.is_wrong:
            continue
        readings: list[model.Reading] = []
        places: dict[str, Span] = {}
        for name, reading in rows(fields.node("readings"), f"the readings of `{key.text}`", reporter):
            places[name.text] = name.span
            if isinstance(reading, Scalar):
                readings.append(model.Reading(name.text, reading.text, None))
                continue
            row = Fields(reading, f"reading `{name.text}`", ("means", "changes"), ("means", "changes"), reporter)
            changes = row.node("changes")
            readings.append(
                model.Reading(name.text, row.text("means"), changes if isinstance(changes, Mapping) else None)
            )
        names = [r.name for r in readings]
        default = fields.scalar("default")
        if default is not None and default.text not in names:
            help = did_you_mean(default.text, names) or "its readings are " + ", ".join(names)
            reporter.report("V607", f"`{default.text}` is no reading of `{key.text}`", default.span, help=help)
            continue
        if default is None or len(readings) < 2:
            reporter.report("V608", f"option `{key.text}` has fewer than two readings", key.span)
            continue
        if any(r.changes is not None and r.name == default.text for r in readings):
            told = f"the default reading `{default.text}` is the rule text itself, and changes nothing"
            reporter.report("V609", told, places[default.text],
                            help="write the changes of the other readings instead")  # fmt: skip
            continue
        for r in readings:
            if r.changes is None and r.name != default.text:
                reporter.report("V609", f"reading `{r.name}` of `{key.text}` changes nothing", places[r.name],
                                help="give it `changes:`, laid over the file as a variant is")  # fmt: skip
        pin = fields.scalar("pinned")
        if pin is not None and pin.text not in names:
            reporter.report(
                "V607", f"`{pin.text}` is no reading of `{key.text}`", pin.span, help=did_you_mean(pin.text, names)
            )
            pin = None
        out.append(model.Option(key.text, fields.text("question"), tuple(readings), default.text, fields.cites(),
                                key.span, None if pin is None else pin.text))  # fmt: skip
    return tuple(out)


def rulings(node: Node | None, reporter: Reporter) -> tuple[model.Ruling, ...]:
    """The unclear rules that are read one way only."""
    out: list[model.Ruling] = []
    for key, value in rows(node, "`rulings`", reporter):
        fields = Fields(value, f"ruling `{key.text}`", ("reading", "why", "cites"), ("reading", "why"), reporter)
        out.append(model.Ruling(key.text, fields.text("reading"), fields.text("why"), fields.cites()))
    return tuple(out)


def number_range(scalar: Scalar, reporter: Reporter, low: int, high: int) -> tuple[int, int] | None:
    """`5..8` or `2`, within bounds."""
    node = parser.parse_type(scalar.embedded, reporter) if ".." in scalar.text else None
    if ".." not in scalar.text:
        n = whole(scalar, reporter)
        found = None if n is None else (n, n)
    elif isinstance(node, syntax.RangeType) and node.low.number.text.isdigit() and node.high.number.text.isdigit():
        found = int(node.low.number.text[:9]), int(node.high.number.text[:9])
    else:
        if node is not None:
            reporter.report("T424", f"`{scalar.text}` is no range of numbers", scalar.span)
        return None
    if found is not None and found[0] > found[1]:
        reporter.report("T415", "this range is empty", scalar.span)
        return None
    if found is not None and not low <= found[0] <= found[1] <= high:
        reporter.report("T404", f"{scalar.text} is outside the range {low}..{high}", scalar.span)
        return None
    return found

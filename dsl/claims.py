"""The claims of a file: parsed, typed and kept for the prover."""

from __future__ import annotations

from dsl import ir, syntax, types
from dsl.declare import Declarations
from dsl.declare_values import number_range
from dsl.diagnostics import did_you_mean, nearest
from dsl.fields import Fields, rows
from dsl.model import Expectation, Option
from dsl.pairing import Pairing, own_variable
from dsl.parser import parse_expr, parse_type
from dsl.scoping import Checked
from dsl.source import first_line
from dsl.symbols import Env
from dsl.walk import parts
from dsl.yamltree import Mapping, Node, Scalar, Sequence

# Each kind of claim, with what its expressions are: a condition, a number, or anything that has values.
KINDS = {
    "always": "condition", "never": "condition", "possible": "condition", "impossible": "condition",
    "leads to": "condition", "bound": "number", "values": "value", "frequencies": "number", "same": "value",
}  # fmt: skip
_ENDS = ("min", "max")  # of a bound
_END = "end"  # what something may lead to besides a condition: a word of the language, and so no name
_KEYS = (*KINDS, "when", "for", "in", "players", "options", "within", "expect", "cites")
# The checks that need no claim, in the order in which they are told. What a file expects of one has its name.
CHECKS = (
    "cards_conserved", "zones_within_capacity", "ranges_kept", "no_short_deal", "values_defined",
    "next_player_defined", "no_dead_end", "deal_possible", "hands_end", "game_ends", "every_rule_reached",
    "every_action_taken", "every_reading_reached", "kinds_possible", "table_has_no_gap", "comparison_is_preorder",
    "ladder_is_strict", "tables_are_whole", "hidden_information", "zero_sum", "somebody_wins",
)  # fmt: skip
_CHECK_KEYS = ("expect", "players", "options", "cites")


class Claims:
    """`chosen` are the readings in force, by the name of their option."""

    def __init__(self, declarations: Declarations, options: tuple[Option, ...], chosen: dict[str, str],
                 checked: Checked) -> None:  # fmt: skip
        self._d = declarations
        self._pairing = Pairing(declarations, checked)
        self._options = {o.name: o for o in options}
        self._in_force = chosen
        self._scopes = {*checked.rules, *checked.decisions}
        self._reporter = declarations.reporter

    @property
    def rules(self) -> set[str]:
        """The rules that some claim says something of, at whatever readings."""
        return self._pairing.named

    def all(self, node: Node | None) -> tuple[tuple[ir.Property, ...], tuple[Expectation, ...]]:
        """The claims of the section and what it expects of checks without a claim, as far as they are well formed."""
        claims: list[ir.Property | None] = []
        expectations: list[Expectation | None] = []
        for key, value in rows(node, "`properties`", self._reporter):
            if key.text in CHECKS:
                expectations.append(self._expectation(key, value))
            else:
                claims.append(self._claim(key, value))
        return tuple(c for c in claims if c is not None), tuple(e for e in expectations if e is not None)

    def _expectation(self, key: Scalar, value: Node) -> Expectation | None:
        """What is expected of the check that has this name."""
        entries = value.entries if isinstance(value, Mapping) else ()
        claimed = next((e.key for e in entries if e.key.text in KINDS), None)
        if claimed is not None:
            self._reporter.report("E701", f"`{key.text}` is a check that needs no claim", claimed.span,
                                  help="give the claim another name, or say only what to expect")  # fmt: skip
            return None
        fields = Fields(value, f"check `{key.text}`", _CHECK_KEYS, (), self._reporter)
        if fields.mapping is None:
            return None
        expected = fields.scalar("expect")
        if expected is None:
            if fields.node("expect") is None:
                self._reporter.report("E702", f"{fields.what} does not say what to expect", first_line(fields.span),
                                      help="add `expect: fails`")  # fmt: skip
            return None
        holds = bool(self._verdict(expected, "a check"))
        return Expectation(key.text, holds, self._players(fields), self._chosen(fields), fields.cites(), key.span)

    def _claim(self, key: Scalar, value: Node) -> ir.Property | None:
        fields = Fields(value, f"property `{key.text}`", _KEYS, (), self._reporter)
        if fields.mapping is None:
            return None
        claimed = [k for k in KINDS if fields.mapping.get(k) is not None]
        if len(claimed) != 1:
            what = "claims nothing" if not claimed else f"claims {' and '.join(claimed)} at once"
            check = None if claimed else nearest(key.text, CHECKS)
            help = f"did you mean the check `{check}`?" if check else "it claims one of " + ", ".join(KINDS)
            self._reporter.report("E701", f"property `{key.text}` {what}", key.span, help=help)
            return None
        kind = claimed[0]
        sides = self._sides(fields.node(kind)) if kind == "same" else ()
        is_of_rules = self._pairing.is_of_rules(sides or ())
        # That two expressions are equal is a condition like any other.
        meant = "always" if kind == "same" and not is_of_rules else kind
        options = self._chosen(fields)
        if any(self._in_force[option] != reading for option, reading in options):
            # It is read at its own readings: it may speak of what only they have.
            players, cites = self._players(fields), fields.cites()
            return ir.Property(key.text, meant, (), None, (), None, players, options, None, (), cites, key.span)
        variables = self._variables(fields)
        env: Env = {name: ir.Local(name, t) for name, t in variables}
        within = self._within(fields, kind)
        if is_of_rules:
            env = {name: own_variable(key.text, name, t) for name, t in variables}
        self._d.expressions.in_property = True
        rules: tuple[ir.Followed, ...] | None = ()
        expressions: tuple[ir.Expr, ...] | None = ()
        or_end = False
        if is_of_rules:
            rules = self._pairing.pair(sides or (), env, fields)
        elif sides is not None:
            expressions, or_end = self._expressions(fields, kind, env, sides)
        else:
            expressions = None
        premise = self._d.phrase(fields.scalar("when"), types.BOOL, env)
        self._d.expressions.in_property = False
        if expressions is None or rules is None or (rules and self._pairing.looks_elsewhere(fields, rules, premise)):
            return None
        return ir.Property(
            key.text,
            meant,
            expressions,
            premise,
            variables,
            self._scope(fields),
            self._players(fields),
            options,
            within,
            self._expected(fields, kind, expressions),
            fields.cites(),
            key.span,
            or_end,
            rules,
        )

    def _sides(self, node: Node | None) -> tuple[syntax.Expr, ...] | None:
        """What `same` compares, or None once a mistake was reported."""
        assert node is not None
        sides: list[syntax.Expr] = []
        for item in self._list(node, "same") or ():
            if not isinstance(item, Scalar):
                self._reporter.report("S206", "`same` takes an expression", item.span)
                return None
            x = parse_expr(item.embedded, self._reporter)
            if x is None:
                return None
            sides.append(x)
        return tuple(sides) or None

    def _variables(self, fields: Fields) -> tuple[tuple[str, ir.Type], ...]:
        out: list[tuple[str, ir.Type]] = []
        for name, node in rows(fields.node("for"), "`for`", self._reporter):
            if not isinstance(node, Scalar):
                self._reporter.report("S206", f"`{name.text}` needs a type", node.span)
                continue
            written = parse_type(node.embedded, self._reporter)
            t = None if written is None else self._d.expressions.type(written)
            if t is None:
                self._d.symbols.broken.add(name.text)
            else:
                out.append((name.text, t))
        return tuple(out)

    def _expressions(self, fields: Fields, kind: str, env: Env, sides: tuple[syntax.Expr, ...]
                     ) -> tuple[tuple[ir.Expr, ...] | None, bool]:  # fmt: skip
        """What is claimed, and whether the end of the game will do as well; `sides` are what `same` compares."""
        node = fields.node(kind)
        assert node is not None
        if kind == "leads to":
            return self._leads_to(node, env)
        if kind == "same":
            span = first_line(node.span)
            sign = syntax.Token(span, "=", "SIGN")
            equal = self._d.expressions.check(syntax.Compare(span, sides[0], sign, sides[1]), env)
            return None if equal is None else (equal,), False
        wanteds: dict[str, ir.Type] = {"condition": types.BOOL, "number": ir.FractionType()}
        x = self._phrase(node, kind, wanteds.get(KINDS[kind]), env)
        return None if x is None else (x,), False

    def _list(self, node: Node, kind: str, *more: str) -> tuple[Node, ...] | None:
        """The two expressions of a list, after which `more` may stand."""
        items = node.items if isinstance(node, Sequence) else ()
        rest = [item.text if isinstance(item, Scalar) else "" for item in items[2:]]
        if len(items) < 2 or rest not in ([], list(more)):
            help = "write `[THIS, THAT]`" + "".join(f", or `[THIS, THAT, {word}]`" for word in more)
            two = "two expressions, or of two rules" if kind == "same" else "two expressions"
            self._reporter.report("E701", f"`{kind}` takes a list of {two}", first_line(node.span), help=help)
            return None
        return items

    def _phrase(self, node: Node, kind: str, wanted: ir.Type | None, env: Env) -> ir.Expr | None:
        if not isinstance(node, Scalar):
            self._reporter.report("S206", f"`{kind}` takes an expression", node.span)
            return None
        return self._d.phrase(node, wanted, env)

    def _leads_to(self, node: Node, env: Env) -> tuple[tuple[ir.Expr, ...] | None, bool]:
        items = self._list(node, "leads to", _END)
        if items is None:
            return None, False
        first = self._phrase(items[0], "leads to", types.BOOL, env)
        only_end = isinstance(items[1], Scalar) and items[1].text == _END
        then: ir.Expr | None = ir.Const(False, types.BOOL)
        if not only_end:
            then = self._phrase(items[1], "leads to", types.BOOL, env)
        if first is None or then is None:
            return None, False
        if any(isinstance(part, ir.Before) for part in parts(then)):
            self._reporter.report("E709", "what something leads to may come long after it, and looks back to no step",
                                  items[1].span, help="name what it was with `for`, and compare with that")  # fmt: skip
            return None, False
        return (first, then), only_end or len(items) > 2

    def _scope(self, fields: Fields) -> str | None:
        scalar = fields.scalar("in")
        if scalar is None:
            return None
        if scalar.text not in self._scopes:
            if self._d.symbols.is_broken(scalar.text):
                return None
            self._reporter.report("N309", f"no rule or decision is named `{scalar.text}`", scalar.span,
                                  help=did_you_mean(scalar.text, self._scopes))  # fmt: skip
            return None
        return scalar.text

    def _players(self, fields: Fields) -> tuple[int, int]:
        low, high = self._d.symbols.players
        scalar = fields.scalar("players")
        found = None if scalar is None else number_range(scalar, self._reporter, low, high)
        return found or (low, high)

    def _chosen(self, fields: Fields) -> tuple[tuple[str, str], ...]:
        out: list[tuple[str, str]] = []
        for key, value in rows(fields.node("options"), "`options`", self._reporter):
            option = self._options.get(key.text)
            if option is None:
                self._reporter.report("V610", f"no option is named `{key.text}`", key.span,
                                      help=did_you_mean(key.text, self._options))  # fmt: skip
            elif not isinstance(value, Scalar) or value.text not in option.names:
                name = value.text if isinstance(value, Scalar) else ""
                self._reporter.report("V607", f"`{name}` is no reading of `{key.text}`", value.span,
                                      help=did_you_mean(name, option.names))  # fmt: skip
            else:
                out.append((key.text, value.text))
        return tuple(out)

    def _within(self, fields: Fields, kind: str) -> int | None:
        node = fields.node("within")
        if node is None:
            return None
        if kind != "leads to":
            self._reporter.report("E709", f"`within` counts the steps of `leads to`, and `{kind}` has none",
                                  fields.span_of("within"), help="leave `within` out")  # fmt: skip
            return None
        return fields.integer("within", 0, 10**9, 0)

    def _expected(
        self, fields: Fields, kind: str, expressions: tuple[ir.Expr, ...]
    ) -> tuple[tuple[str, ir.Value], ...]:
        node = fields.node("expect")
        if node is None:
            if kind in ("bound", "values", "frequencies"):
                self._reporter.report("E702", f"{fields.what} does not say what to expect", first_line(fields.span),
                                      help={"bound": "add `expect: {min: …, max: …}`", "values": "add `expect: […]`",
                                            "frequencies": "add `expect: {NAME: COUNT, …}`"}[kind])  # fmt: skip
            return ()
        wanted = types.of(expressions[0]) if kind == "values" else None
        if isinstance(wanted, ir.IntType):
            wanted = types.INTEGER
        cells: list[tuple[str, Node]] = []
        match node:
            case Scalar():
                if kind in ("always", "never", "possible", "impossible", "leads to", "same"):
                    return (("verdict", self._verdict(node)),)
                cells = [("", node)]
            case Mapping():
                cells = [(e.key.text, e.value) for e in node.entries]
            case Sequence():
                cells = [("", item) for item in node.items]
        if kind == "bound" and not self._are_ends(node):
            return ()
        out: list[tuple[str, ir.Value]] = []
        for name, cell in cells:
            if not isinstance(cell, Scalar):
                self._reporter.report("S206", "what is expected is one value", cell.span)
                continue
            x = self._d.phrase(cell, wanted)
            value = None if x is None else self._d.written(x, "what is expected", cell)
            if value is not None:
                out.append((name, value.value))
        return tuple(out)

    def _are_ends(self, node: Node) -> bool:
        """Whether what is expected of a bound says of which ends it is."""
        keys = [e.key for e in node.entries] if isinstance(node, Mapping) else []
        wrong = next((k for k in keys if k.text not in _ENDS), None)
        if keys and wrong is None:
            return True
        what = "this says neither" if wrong is None else f"`{wrong.text}` is neither"
        self._reporter.report("E702", f"a `bound` has a `min` and a `max`, and {what}", (wrong or node).span,
                              help="write `expect: {min: …, max: …}`, or one of the two")  # fmt: skip
        return False

    def _verdict(self, node: Scalar, of: str = "a claim") -> ir.Value:
        verdicts = ("holds", "fails")
        if node.text not in verdicts:
            self._reporter.report("E702", f"`{node.text}` is nothing to expect of {of}", node.span,
                                  help="it `holds` or it `fails`")  # fmt: skip
        return node.text != "fails"

"""The claims of a file: parsed, typed and kept for the prover."""

from __future__ import annotations

from dsl import ir, types
from dsl.declare import Declarations, number_range
from dsl.diagnostics import did_you_mean, nearest
from dsl.fields import Fields, rows
from dsl.model import Expectation, Option
from dsl.parser import parse_type
from dsl.source import first_line
from dsl.symbols import Env
from dsl.yamltree import Mapping, Node, Scalar, Sequence

# Each kind of claim, with what its expressions are: a condition, a number, or anything that has values.
KINDS = {
    "always": "condition", "never": "condition", "possible": "condition", "impossible": "condition",
    "leads to": "condition", "bound": "number", "values": "value", "frequencies": "number", "same": "value",
}  # fmt: skip
_PAIRS = ("leads to", "same")
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
                 scopes: set[str]) -> None:  # fmt: skip
        self._d = declarations
        self._options = {o.name: o for o in options}
        self._in_force = chosen
        self._scopes = scopes
        self._reporter = declarations.reporter

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
            meant = None if claimed else nearest(key.text, CHECKS)
            help = f"did you mean the check `{meant}`?" if meant else "it claims one of " + ", ".join(KINDS)
            self._reporter.report("E701", f"property `{key.text}` {what}", key.span, help=help)
            return None
        kind = claimed[0]
        options = self._chosen(fields)
        if any(self._in_force[option] != reading for option, reading in options):
            # It is read at its own readings: it may speak of what only they have.
            players, cites = self._players(fields), fields.cites()
            return ir.Property(key.text, kind, (), None, (), None, players, options, None, (), cites, key.span)
        variables = self._variables(fields)
        env: Env = {name: ir.Local(name, t) for name, t in variables}
        self._d.expressions.in_property = True
        expressions = self._expressions(fields, kind, env)
        premise = self._d.phrase(fields.scalar("when"), types.BOOL, env)
        self._d.expressions.in_property = False
        if expressions is None:
            return None
        return ir.Property(
            key.text,
            kind,
            expressions,
            premise,
            variables,
            self._scope(fields),
            self._players(fields),
            options,
            self._within(fields),
            self._expected(fields, kind, expressions),
            fields.cites(),
            key.span,
        )

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

    def _expressions(self, fields: Fields, kind: str, env: Env) -> tuple[ir.Expr, ...] | None:
        node = fields.node(kind)
        assert node is not None
        if kind in _PAIRS:
            items = node.items if isinstance(node, Sequence) else ()
            if len(items) != 2:
                self._reporter.report("E701", f"`{kind}` takes a list of two expressions", first_line(node.span),
                                      help="write `[THIS, THAT]`")  # fmt: skip
                return None
        else:
            items = (node,)
        out: list[ir.Expr] = []
        for item in items:
            if not isinstance(item, Scalar):
                self._reporter.report("S206", f"`{kind}` takes an expression", item.span)
                return None
            wanteds: dict[str, ir.Type] = {"condition": types.BOOL, "number": ir.FractionType()}
            wanted = wanteds.get(KINDS[kind])
            x = self._d.phrase(item, wanted, env)
            if x is None:
                return None
            out.append(x)
        return tuple(out)

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

    @staticmethod
    def _within(fields: Fields) -> int | None:
        return fields.integer("within", 0, 10**9, 0) if fields.node("within") is not None else None

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

    def _verdict(self, node: Scalar, of: str = "a claim") -> ir.Value:
        verdicts = ("holds", "fails")
        if node.text not in verdicts:
            self._reporter.report("E702", f"`{node.text}` is nothing to expect of {of}", node.span,
                                  help="it `holds` or it `fails`")  # fmt: skip
        return node.text != "fails"

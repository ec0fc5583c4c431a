"""What examples say in the words of their game: values, cards, seats and the names of actions."""

from __future__ import annotations

from dsl import ir, model, parser
from dsl.cardtables import which_card
from dsl.diagnostics import Reporter, did_you_mean
from dsl.examples import Faces
from dsl.expressions import Expressions
from dsl.fields import whole
from dsl.symbols import Env
from dsl.yamltree import Node, Scalar, Sequence


class Words:
    """The words of one example, in which the names of `env` mean something. What is wrong is reported."""

    def __init__(self, game: model.Model, x: Expressions, env: Env, reporter: Reporter) -> None:
        self.model, self.x, self.env, self.reporter = game, x, env, reporter

    def phrase(self, scalar: Scalar | None, wanted: ir.Type | None = None) -> ir.Expr | None:
        """An expression, of the wanted type where one is."""
        node = None if scalar is None else parser.parse_expr(scalar.embedded, self.reporter)
        if node is None:
            return None
        return self.x.check(node, self.env) if wanted is None else self.x.expect(node, self.env, wanted)

    def faces(self, node: Node) -> Faces | None:
        """Cards as listed, the first on top."""
        if not isinstance(node, Sequence):
            self.reporter.report(
                "E705", "the cards of a zone are a list", node.span, help="write `[7S, KH]`, or `[]` for none"
            )
            return None
        known = self.model.symbols.faces
        out: list[int] = []
        for item in node.items:
            text = item.text if isinstance(item, Scalar) else ""
            if text not in known:
                self.reporter.report("N304", f"no card is named `{text}`", item.span, help=which_card(text, known))
                return None
            out.append(known[text])
        return tuple(out)

    def seat(self, scalar: Scalar) -> int | None:
        """The player who sits there, from 0."""
        number = whole(scalar, self.reporter)
        if number is None or 1 <= number <= self.x.seats:
            return None if number is None else number - 1
        help = f"the seats are 1 to {self.x.seats}" if self.x.seats > 1 else "there is one seat"
        return self.reporter.report("T404", f"there is no seat {number} here", scalar.span, help=help)

    def actions(self, *several: Scalar | None, refused: bool = False) -> None:
        """Sees to it that each names an action of the game.

        What is refused may be named although the game has no such action at all: a rulebook can forbid it. But a
        name that is nearly that of an action is a slip, of which every refusal would hold.
        """
        written = [scalar for scalar in several if scalar is not None]
        for scalar in written:
            if scalar.text.count("(") > scalar.text.count(")"):
                # Inside `[ ]` a comma has cut the action in two; what comes after it is no name.
                self.reporter.report("S212", "this bracket is not closed", scalar.span,
                                     help="an action with a comma stands in quotes: `[\"lay(7S, 2)\"]`")  # fmt: skip
                return
        known: dict[str, str] = {}
        for statement in (s for rule in self.model.rules.values() for s in model.statements(rule.body)):
            if isinstance(statement, model.Choose | model.AtOnce | model.Window):
                known.update((_folded(action.name), action.name) for action in statement.actions)
            if isinstance(statement, model.Window):
                known["pass"] = "pass"
        for scalar in written:
            name = scalar.text.partition("(")[0].strip()
            if any(_folded(name) == short or _folded(name).startswith(f"{short} ") for short in known):
                continue
            help = did_you_mean(name, known.values())
            if help or not refused:
                self.reporter.report("N309", f"no action is named `{name}`", scalar.span, help=help)


def _folded(name: str) -> str:
    """The name of an action as it is compared: without regard to capitals, `_` and spaces."""
    return " ".join(name.replace("_", " ").split()).casefold()

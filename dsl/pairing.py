"""Two rules that a claim says are the same: what it may say of them, and the one rule that follows either."""

from __future__ import annotations

from dataclasses import replace

from dsl import ir, model, syntax, types
from dsl.checking import things, values
from dsl.declare import Declarations
from dsl.diagnostics import did_you_mean
from dsl.fields import Fields
from dsl.scoping import Checked
from dsl.source import first_line
from dsl.statements import MAIN
from dsl.symbols import Env
from dsl.walk import parts


def pair_name(claim: str) -> str:
    """The name of the rule that `paired` adds, which no rule of a file can have."""
    return f"same {claim}"


def side_of(claim: ir.Property) -> ir.Var:
    """The local that says whether the first rule of a claim is followed, or the second."""
    return ir.Var(f"{pair_name(claim.name)}.'first", (), types.BOOL)


def end_of(claim: ir.Property) -> ir.Var:
    """The local that says by which end of the game a rule was left; 0 where the game goes on."""
    return ir.Var(f"{pair_name(claim.name)}.'end", (), types.INTEGER)


def own_variable(claim: str, name: str, t: ir.Type) -> ir.Var:
    """A name of the claim's `for`, as a local of the rule that `paired` adds."""
    return ir.Var(f"{pair_name(claim)}.{name}", (), t)


def paired(source: model.Model, claim: ir.Property) -> model.Model:
    """The model with one more rule, which follows the first or the second rule of a claim, as `side_of` says."""
    name, span = pair_name(claim.name), claim.span
    assert span is not None
    origin = ir.Origin(span, name, claim.cites)
    first, second = (model.Follow(f.rule, f.arguments, origin) for f in claim.rules)
    goes_on = ir.Assign(end_of(claim), ir.Const(0, types.INTEGER), 0, origin)
    either = model.If(side_of(claim), (first,), (second,), origin)
    own = (*(own_variable(claim.name, n, t) for n, t in claim.variables), side_of(claim), end_of(claim))
    rule = model.Rule(name, own, (goes_on, either), claim.cites, span)
    local = tuple(ir.StateVar(v.name, (), v.type, None, local=True, told="nowhere") for v in own)
    return replace(source, rules={**source.rules, name: rule}, locals=(*source.locals, *local))


class Pairing:
    """Reads pairs of rules. `named` are the rules that some claim speaks of, at whatever readings."""

    def __init__(self, declarations: Declarations, checked: Checked) -> None:
        self._d, self._checked = declarations, checked
        self._rules = declarations.symbols.rules
        self._reporter = declarations.reporter
        self.named: set[str] = set()

    def is_of_rules(self, sides: tuple[syntax.Expr, ...]) -> bool:
        """Whether a rule is named; the rules that are count as of use."""
        found = [token.text for side in sides if (token := _named(side)) is not None and token.text in self._rules]
        self.named.update(found)
        return bool(found)

    def pair(self, sides: tuple[syntax.Expr, ...], env: Env, fields: Fields) -> tuple[ir.Followed, ...] | None:
        """The two rules with what they are given, or None once a mistake was reported."""
        found = [self._followed(side, env) for side in sides]
        followed = tuple(f for f in found if f is not None)
        if len(followed) < len(sides):
            return None
        if followed[0] == followed[1]:
            self._reporter.report("E710", f"both are `{followed[0].rule}`: a rule is the same as itself",
                                  first_line(fields.span_of("same")),
                                  help="name two rules, or give them different values")  # fmt: skip
            return None
        return followed

    def _followed(self, side: syntax.Expr, env: Env) -> ir.Followed | None:
        token = _named(side)
        if token is None or not self._is_rule(token):
            if token is None:
                self._reporter.report("E701", "`same` takes two rules or two expressions, and this is no rule",
                                      side.span, help="a rule is named as `RULE` or `RULE(VALUE, …)`")  # fmt: skip
            return None
        name = token.text
        args = side.args if isinstance(side, syntax.Call) else ()
        if name not in self._checked.rules:
            return None
        parameters = self._checked.rules[name].parameters
        if len(parameters) != len(self._rules[name].params or ()):
            return None  # one of them is wrong
        if len(parameters) != len(args):
            told = f"`{name}` takes {values(len(parameters))}, here {things(len(args))}"
            help = "" if args else "`for` names values that a rule may be given"
            self._reporter.report("T413", told, token.span, help=help)
            return None
        checked = [self._d.expressions.expect(a, env, p.type) for a, p in zip(args, parameters, strict=True)]
        given = tuple(a for a in checked if a is not None)
        return ir.Followed(name, given) if len(given) == len(args) and self._stands_alone(token) else None

    def _is_rule(self, token: syntax.Token) -> bool:
        name, symbols = token.text, self._d.symbols
        if name in self._rules:
            return True
        if name in symbols.defines:
            self._reporter.report("N309", f"`{name}` is a definition: it has a value and does nothing", token.span)
        elif not symbols.is_broken(name):
            self._reporter.report("N309", f"no rule is named `{name}`", token.span,
                                  help=did_you_mean(name, self._rules))  # fmt: skip
        return False

    def _stands_alone(self, token: syntax.Token) -> bool:
        """Whether a rule can be followed by itself: whatever it leaves is in it, or is the game."""
        inside = {token.text}
        waiting = [token.text]
        while waiting:
            more = self._checked.follows.get(waiting.pop(), set()) - inside
            inside |= more
            waiting += sorted(more)
        for rule, target, _ in self._checked.ends:
            if rule in inside and target not in inside and target != MAIN:
                told = f"`{token.text}` ends `{target}`, which is around it, and so comes to no end of its own"
                self._reporter.report("E710", told, token.span, help=f"compare rules in which `{target}` is followed")
                return False
        return True

    def looks_elsewhere(self, fields: Fields, rules: tuple[ir.Followed, ...], premise: ir.Expr | None) -> bool:
        """Reports where else a claim would look: two rules are compared from where one of them begins."""
        if fields.node("in") is not None:
            self._reporter.report("E710", "two rules are compared from where one of them begins; `in` says where else",
                                  fields.span_of("in"), help="leave `in` out; `when` can limit the claim")  # fmt: skip
            return True
        given = tuple(x for rule in rules for x in rule.arguments)
        if any(isinstance(part, ir.Before) for part in parts((given, premise))):
            key = "same" if any(isinstance(part, ir.Before) for part in parts(given)) else "when"
            self._reporter.report("E710", "where a rule begins there is no step yet to look back over",
                                  first_line(fields.span_of(key)), help="leave `before` out")  # fmt: skip
            return True
        return False


def _named(side: syntax.Expr) -> syntax.Token | None:
    """The name that stands for a rule, alone or with what it is given."""
    return side.name if isinstance(side, syntax.Name | syntax.Call) else None

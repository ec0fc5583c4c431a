"""The situations of examples: where play stands, what is given, and what is played from there."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from dsl import ir, model, parser, syntax
from dsl.cardtables import times
from dsl.checking import things, values
from dsl.declare_values import constant, milliseconds
from dsl.diagnostics import Reporter, did_you_mean
from dsl.examples import Faces, Play
from dsl.examples_words import Words
from dsl.expressions import Expressions
from dsl.fields import Fields, rows, whole
from dsl.symbols import Env
from dsl.yamltree import Mapping, Scalar, Sequence


@dataclass(frozen=True, slots=True)
class Stage:
    """The rule that is run or that holds the decision `at`, with its arguments; `env` are the names that it has."""

    entry: str | None = None
    at: str | None = None
    arguments: tuple[tuple[str, ir.Expr], ...] = ()
    env: Env = field(default_factory=dict)


def read_stage(fields: Fields, game: model.Model, x: Expressions, reporter: Reporter) -> Stage:
    """The rule that is run, or the decision that is stood at."""
    at, run = fields.scalar("at"), fields.scalar("run")
    if at is not None and run is not None:
        reporter.report("E704", "an example stands at a decision or runs a rule, not both", run.span)
    if at is not None:
        rule = game.decisions.get(at.text)
        if rule is None:
            reporter.report("N309", f"no decision is named `{at.text}`", at.span,
                            help=did_you_mean(at.text, game.decisions))  # fmt: skip
            return Stage()
        return Stage(rule, at.text, (), _locals(rule, game))
    if run is None:
        return Stage()
    node = parser.parse_expr(run.embedded, reporter)
    match node:
        case None:
            return Stage()
        case syntax.Name(_, token):
            args: tuple[syntax.Expr, ...] = ()
        case syntax.Call(_, token, args):
            pass
        case _:
            reporter.report("E704", "a rule is run by its name", run.span,
                            help="write `RULE` or `RULE(VALUE, …)`")  # fmt: skip
            return Stage()
    found = game.rules.get(token.text)
    if found is None:
        reporter.report("N309", f"no rule is named `{token.text}`", token.span,
                        help=did_you_mean(token.text, game.rules))  # fmt: skip
        return Stage()
    env = _locals(token.text, game)
    if len(args) != len(found.parameters):
        told = f"`{token.text}` takes {values(len(found.parameters))}, here {things(len(args))}"
        reporter.report("T413", told, token.span)
        return Stage(token.text, None, (), env)
    given = [(p.name, x.expect(a, {}, p.type)) for a, p in zip(args, found.parameters, strict=True)]
    return Stage(token.text, None, tuple((n, v) for n, v in given if v is not None), env)


def _locals(rule: str, game: model.Model) -> Env:
    """The rule's own names, where each is used once in it."""
    short: dict[str, list[ir.StateVar]] = {}
    for v in game.locals:
        owner, _, name = v.name.partition(".")
        if owner == rule and "'" not in name:
            short.setdefault(name.partition(".")[0], []).append(v)
    return {n: ir.Var(vs[0].name, (), vs[0].type) for n, vs in short.items() if len({v.type for v in vs}) == 1}


def read_with(fields: Fields, entry: str | None, words: Words) -> tuple[tuple[str, ir.Expr], ...]:
    """The values of the rule's own names."""
    out: list[tuple[str, ir.Expr]] = []
    if entry is None and (fields.node("at") is not None or fields.node("run") is not None):
        return ()  # what was named is not there
    for key, value in rows(fields.node("with"), "`with`", words.reporter):
        variable = words.env.get(key.text)
        if not isinstance(variable, ir.Var):
            where = f"rule `{entry}`" if entry else "an example that only evaluates"
            words.reporter.report(
                "N302", f"{where} has no `{key.text}`", key.span, help=did_you_mean(key.text, words.env)
            )
            continue
        x = words.phrase(value if isinstance(value, Scalar) else None, variable.type)
        for v in words.model.locals:
            owner, _, name = v.name.partition(".")
            if x is not None and owner == entry and name.partition(".")[0] == key.text:
                out.append((v.name, x))
    return tuple(out)


def read_given(fields: Fields, words: Words) -> tuple[
    tuple[tuple[ir.Var, ir.Expr], ...], tuple[tuple[ir.ZoneExpr, Faces], ...], Fraction | None
]:  # fmt: skip
    """The values of state, the cards of zones, and the seconds left."""
    state: list[tuple[ir.Var, ir.Expr]] = []
    zones: list[tuple[ir.ZoneExpr, Faces]] = []
    time_left: Fraction | None = None
    for key, value in rows(fields.node("given"), "`given`", words.reporter):
        if key.text == "time_left":
            x = words.phrase(value if isinstance(value, Scalar) else None, ir.FractionType())
            found = None if x is None else constant(x)
            time_left = Fraction(found) if isinstance(found, int | Fraction) else None
            if not words.model.symbols.has_clock:
                words.reporter.report("N306", "this game has no clock", key.span)
            continue
        target = words.phrase(key)
        match target:
            case None:
                continue
            case ir.ZoneExpr():
                faces = words.faces(value)
                if faces is not None:
                    zones.append((target, faces))
            case ir.Var(name, _, t) if name in words.model.symbols.state:
                x = words.phrase(value if isinstance(value, Scalar) else None, t)
                if x is not None:
                    state.append((target, x))
                elif not isinstance(value, Scalar):
                    words.reporter.report("S206", "a value is expected here", value.span)
            case _:
                words.reporter.report("E705", "only state and zones can be given", key.span)
    _check_cards(zones, fields, words)
    return tuple(state), tuple(zones), time_left


def _check_cards(zones: list[tuple[ir.ZoneExpr, Faces]], fields: Fields, words: Words) -> None:
    faces = [f for _, several in zones for f in several]
    deck = words.model.deck
    for face in sorted(set(faces)):
        there = 0 if face in deck.removed else deck.copies
        if faces.count(face) > there:
            name = next(n for n, f in words.model.symbols.faces.items() if f == face)
            words.reporter.report("E706", f"`{name}` is given {times(faces.count(face))}, and the pack has {there}",
                                  fields.span_of("given"))  # fmt: skip


def read_rest(fields: Fields, zones: tuple[tuple[ir.ZoneExpr, Faces], ...], words: Words) -> ir.ZoneExpr | None:
    """Where the cards lie that are not given."""
    scalar = fields.scalar("rest")
    if scalar is None:
        if zones:
            words.reporter.report("E707", "it is not said where the other cards lie", fields.span_of("given"),
                                  help="add `rest: ZONE`")  # fmt: skip
        return None
    node = parser.parse_expr(scalar.embedded, words.reporter)
    return None if node is None else words.x.zone(node, words.env)


def read_random(fields: Fields, words: Words) -> tuple[ir.Expr, ...]:
    """What chance picks, in order."""
    checked = [words.phrase(s) for s in fields.list("random")]
    return tuple(x for x in checked if x is not None)


def read_plays(fields: Fields, words: Words) -> tuple[Play, ...]:
    """What is played, in order."""
    node = fields.node("play")
    out: list[Play] = []
    named: list[Scalar | None] = []
    for item in node.items if isinstance(node, Sequence) else (node,) if node is not None else ():
        match item:
            case Scalar():
                named.append(item)
                out.append(Play(item.text, None, item.span))
            case Mapping() if item.get("action") is not None:
                action = item.get("action")
                named.append(action if isinstance(action, Scalar) else None)
                out += _long_play(item, words)
            case Mapping() if len(item.entries) == 1 and isinstance(item.entries[0].value, Scalar):
                seat = whole(item.entries[0].key, words.reporter)
                if seat is not None and not 1 <= seat <= words.x.seats:
                    words.reporter.report("T404", f"there is no seat {seat}", item.span)
                named.append(item.entries[0].value)
                out.append(Play(item.entries[0].value.text, None if seat is None else seat - 1, item.span))
            case _:
                words.reporter.report("E708", "a play is an action, or a seat with its action", item.span,
                                      help="write `- ACTION` or `- 2: ACTION`")  # fmt: skip
    words.actions(*named)
    return tuple(out)


def _long_play(item: Mapping, words: Words) -> list[Play]:
    row = Fields(item, "a play", ("action", "by", "after"), ("action",), words.reporter)
    seat = row.integer("by", 1, words.x.seats, 1) - 1 if row.node("by") is not None else None
    after = row.scalar("after")
    elapsed = 0
    if after is not None:
        node = parser.parse_duration(after.embedded, words.reporter)
        elapsed = 0 if node is None else milliseconds(node, words.reporter) or 0
    return [Play(row.text("action"), seat, item.span, elapsed)]

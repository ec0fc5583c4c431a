"""Examples: small situations with what must come of them, typed against the game at their own options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from dsl import ir, model, parser, syntax, types
from dsl.cardtables import times, which_card
from dsl.checking import things, values
from dsl.declare import constant, milliseconds
from dsl.diagnostics import Reporter, did_you_mean
from dsl.expressions import Expressions
from dsl.fields import Fields, rows, whole
from dsl.source import Span, first_line
from dsl.symbols import Env
from dsl.yamltree import Mapping, Node, Scalar, Sequence

_KEYS = (
    "title",
    "cites",
    "vector",
    "players",
    "options",
    "with",
    "given",
    "rest",
    "random",
    "run",
    "at",
    "play",
    "value",
    "is",
    "call",
    "means",
    "then",
    "allowed",
    "not allowed",
    "legal",
    "ends",
    "winners",
    "scores",
    "log",
    "not log",
    "before shuffle",
)

Faces: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Is:
    """An expression has a value; for cards, these faces in any order."""

    text: str
    expr: ir.Expr
    expected: ir.Expr | Faces


@dataclass(frozen=True, slots=True)
class Means:
    """A call as it is spoken names this combination."""

    spoken: str
    expected: ir.Expr


@dataclass(frozen=True, slots=True)
class Allowed:
    """An action may be chosen now; or may not, and these clauses stand behind the refusal (any, where none is given).

    `by` is the seat (from 0) that would choose it, None for whoever's turn it is.
    """

    action: str
    allowed: bool
    because: tuple[str, ...] = ()
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Legal:
    """Exactly these actions may be chosen now."""

    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ends:
    """The game, or the rule that was run, has come to an end called so."""

    reason: str


@dataclass(frozen=True, slots=True)
class Wins:
    """These seats (from 0) and no others have won, as the result reads the position."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """Each seat has scored this, as the result reads the position."""

    values: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Logs:
    """The public log says this somewhere, or nowhere."""

    text: str
    said: bool = True


Check: TypeAlias = Is | Means | Allowed | Legal | Ends | Wins | Scores | Logs


@dataclass(frozen=True, slots=True)
class Play:
    """An action by name; `seat` (from 0) where the example says whose it must be, after so many milliseconds."""

    action: str
    seat: int | None
    span: Span
    elapsed_ms: int = 0


@dataclass(frozen=True, slots=True)
class Example:
    """One example. `entry` is the rule that is run or that holds the decision `at`; None only evaluates."""

    title: str
    cites: tuple[str, ...]
    vectors: tuple[str, ...]
    players: int
    options: tuple[tuple[str, str], ...]
    entry: str | None
    at: str | None
    locals: tuple[tuple[str, ir.Expr], ...]
    state: tuple[tuple[ir.Var, ir.Expr], ...]
    zones: tuple[tuple[ir.ZoneExpr, Faces], ...]
    rest: ir.ZoneExpr | None
    time_left: Fraction | None
    random: tuple[ir.Expr, ...]
    plays: tuple[Play, ...]
    before_shuffle: int | None
    checks: tuple[Check, ...]
    model: model.Model = field(repr=False, compare=False)
    span: Span = field(repr=False, compare=False)


Models: TypeAlias = Callable[[dict[str, str]], model.Model | None]


def read_examples(base: model.Model, node: Sequence | None, models: Models,
                  reporter: Reporter) -> Iterator[Example]:  # fmt: skip
    """All examples of a list that are well formed, one after the other. `models` yields the model at other options."""
    for item in node.items if node is not None else ():
        found = _Reader(base, models, reporter).example(item)
        if found is not None:
            yield found


class _Reader:
    def __init__(self, base: model.Model, models: Models, reporter: Reporter) -> None:
        self._model = base
        self._models = models
        self._reporter = reporter
        self._env: Env = {}

    def example(self, item: Node) -> Example | None:
        fields = Fields(item, "an example", _KEYS, ("title",), self._reporter)
        if fields.mapping is None:
            return None
        before = len(self._reporter.diagnostics)
        options = self._options(fields)
        if options is None:
            return None
        self._x = Expressions(self._model.symbols, self._reporter)
        self._x.may_shadow = True
        players = self._x.seats = self._players(fields)
        entry, at, arguments = self._stage(fields)
        located = self._with(fields, entry)
        state, zones, time_left = self._given(fields, players)
        rest = self._rest(fields, zones)
        checks = self._checks(fields, entry)
        example = Example(
            fields.text("title"), fields.cites(), fields.cites("vector"), players, tuple(sorted(options.items())),
            entry, at, (*arguments, *located), state, zones, rest, time_left, self._random(fields), self._plays(fields),
            fields.integer("before shuffle", 1, 1000, 1) if fields.node("before shuffle") is not None else None,
            checks, self._model, item.span,
        )  # fmt: skip
        if not checks and len(self._reporter.diagnostics) == before:
            self._reporter.report(
                "E703",
                "this example expects nothing",
                first_line(fields.span),
                help="say what must come out: `is`, `then`, `allowed`, `not allowed`, `legal`, `ends`",
            )
        return None if len(self._reporter.diagnostics) > before else example

    def _options(self, fields: Fields) -> dict[str, str] | None:
        table = {o.name: o for o in self._model.option_table}
        chosen: dict[str, str] = {}
        for key, value in rows(fields.node("options"), "`options`", self._reporter):
            option = table.get(key.text)
            if option is None:
                self._reporter.report(
                    "V610", f"no option is named `{key.text}`", key.span, help=did_you_mean(key.text, table)
                )
                return None
            if not isinstance(value, Scalar) or value.text not in option.names:
                name = value.text if isinstance(value, Scalar) else ""
                self._reporter.report("V607", f"`{name}` is no reading of `{key.text}`", value.span,
                                      help=did_you_mean(name, option.names))  # fmt: skip
                return None
            if option.pinned is not None and option.pinned != value.text:
                self._reporter.report("V607", f"this variant has decided `{key.text}` as `{option.pinned}`", value.span)
                return None
            chosen[key.text] = value.text
        if chosen:
            found = self._models(chosen)
            if found is None:
                return None
            self._model = found
        return chosen

    def _players(self, fields: Fields) -> int:
        low, high = self._model.players
        return fields.integer("players", low, high, low)

    def _phrase(self, scalar: Scalar | None, wanted: ir.Type | None = None) -> ir.Expr | None:
        node = None if scalar is None else parser.parse_expr(scalar.embedded, self._reporter)
        if node is None:
            return None
        return self._x.check(node, self._env) if wanted is None else self._x.expect(node, self._env, wanted)

    # ------------------------------------------------------------------------------------- the situation

    def _stage(self, fields: Fields) -> tuple[str | None, str | None, tuple[tuple[str, ir.Expr], ...]]:
        """The rule that is run, or the decision that is stood at."""
        at, run = fields.scalar("at"), fields.scalar("run")
        if at is not None and run is not None:
            self._reporter.report("E704", "an example stands at a decision or runs a rule, not both", run.span)
        if at is not None:
            rule = self._model.decisions.get(at.text)
            if rule is None:
                self._reporter.report("N309", f"no decision is named `{at.text}`", at.span,
                                      help=did_you_mean(at.text, self._model.decisions))  # fmt: skip
                return None, None, ()
            self._env = self._locals(rule)
            return rule, at.text, ()
        if run is None:
            return None, None, ()
        node = parser.parse_expr(run.embedded, self._reporter)
        match node:
            case None:
                return None, None, ()
            case syntax.Name(_, token):
                args: tuple[syntax.Expr, ...] = ()
            case syntax.Call(_, token, args):
                pass
            case _:
                self._reporter.report("E704", "a rule is run by its name", run.span,
                                      help="write `RULE` or `RULE(VALUE, …)`")  # fmt: skip
                return None, None, ()
        found = self._model.rules.get(token.text)
        if found is None:
            self._reporter.report("N309", f"no rule is named `{token.text}`", token.span,
                                  help=did_you_mean(token.text, self._model.rules))  # fmt: skip
            return None, None, ()
        self._env = self._locals(token.text)
        if len(args) != len(found.parameters):
            told = f"`{token.text}` takes {values(len(found.parameters))}, here {things(len(args))}"
            self._reporter.report("T413", told, token.span)
            return token.text, None, ()
        given = [(p.name, self._x.expect(a, {}, p.type)) for a, p in zip(args, found.parameters, strict=True)]
        return token.text, None, tuple((n, v) for n, v in given if v is not None)

    def _locals(self, rule: str) -> Env:
        """The rule's own names, where each is used once in it."""
        short: dict[str, list[ir.StateVar]] = {}
        for v in self._model.locals:
            owner, _, name = v.name.partition(".")
            if owner == rule and "'" not in name:
                short.setdefault(name.partition(".")[0], []).append(v)
        return {n: ir.Var(vs[0].name, (), vs[0].type) for n, vs in short.items() if len({v.type for v in vs}) == 1}

    def _with(self, fields: Fields, entry: str | None) -> tuple[tuple[str, ir.Expr], ...]:
        out: list[tuple[str, ir.Expr]] = []
        if entry is None and (fields.node("at") is not None or fields.node("run") is not None):
            return ()  # what was named is not there
        for key, value in rows(fields.node("with"), "`with`", self._reporter):
            variable = self._env.get(key.text)
            if not isinstance(variable, ir.Var):
                where = f"rule `{entry}`" if entry else "an example that only evaluates"
                self._reporter.report(
                    "N302", f"{where} has no `{key.text}`", key.span, help=did_you_mean(key.text, self._env)
                )
                continue
            x = self._phrase(value if isinstance(value, Scalar) else None, variable.type)
            for v in self._model.locals:
                owner, _, name = v.name.partition(".")
                if x is not None and owner == entry and name.partition(".")[0] == key.text:
                    out.append((v.name, x))
        return tuple(out)

    def _given(self, fields: Fields, players: int) -> tuple[
        tuple[tuple[ir.Var, ir.Expr], ...], tuple[tuple[ir.ZoneExpr, Faces], ...], Fraction | None
    ]:  # fmt: skip
        state: list[tuple[ir.Var, ir.Expr]] = []
        zones: list[tuple[ir.ZoneExpr, Faces]] = []
        time_left: Fraction | None = None
        for key, value in rows(fields.node("given"), "`given`", self._reporter):
            if key.text == "time_left":
                x = self._phrase(value if isinstance(value, Scalar) else None, ir.FractionType())
                found = None if x is None else constant(x)
                time_left = Fraction(found) if isinstance(found, int | Fraction) else None
                if not self._model.symbols.has_clock:
                    self._reporter.report("N306", "this game has no clock", key.span)
                continue
            target = self._phrase(key)
            match target:
                case None:
                    continue
                case ir.ZoneExpr():
                    faces = self._faces(value)
                    if faces is not None:
                        zones.append((target, faces))
                case ir.Var(name, _, t) if name in self._model.symbols.state:
                    x = self._phrase(value if isinstance(value, Scalar) else None, t)
                    if x is not None:
                        state.append((target, x))
                    elif not isinstance(value, Scalar):
                        self._reporter.report("S206", "a value is expected here", value.span)
                case _:
                    self._reporter.report("E705", "only state and zones can be given", key.span)
        self._check_cards(zones, fields)
        return tuple(state), tuple(zones), time_left

    def _faces(self, node: Node) -> Faces | None:
        """Cards as listed, the first on top."""
        if not isinstance(node, Sequence):
            self._reporter.report(
                "E705", "the cards of a zone are a list", node.span, help="write `[7S, KH]`, or `[]` for none"
            )
            return None
        known = self._model.symbols.faces
        out: list[int] = []
        for item in node.items:
            text = item.text if isinstance(item, Scalar) else ""
            if text not in known:
                self._reporter.report("N304", f"no card is named `{text}`", item.span, help=which_card(text, known))
                return None
            out.append(known[text])
        return tuple(out)

    def _check_cards(self, zones: list[tuple[ir.ZoneExpr, Faces]], fields: Fields) -> None:
        faces = [f for _, several in zones for f in several]
        deck = self._model.deck
        for face in sorted(set(faces)):
            there = 0 if face in deck.removed else deck.copies
            if faces.count(face) > there:
                name = next(n for n, f in self._model.symbols.faces.items() if f == face)
                self._reporter.report("E706", f"`{name}` is given {times(faces.count(face))}, and the pack has {there}",
                                      fields.span_of("given"))  # fmt: skip

    def _rest(self, fields: Fields, zones: tuple[tuple[ir.ZoneExpr, Faces], ...]) -> ir.ZoneExpr | None:
        scalar = fields.scalar("rest")
        if scalar is None:
            if zones:
                self._reporter.report("E707", "it is not said where the other cards lie", fields.span_of("given"),
                                      help="add `rest: ZONE`")  # fmt: skip
            return None
        node = parser.parse_expr(scalar.embedded, self._reporter)
        return None if node is None else self._x.zone(node, self._env)

    def _random(self, fields: Fields) -> tuple[ir.Expr, ...]:
        checked = [self._phrase(s) for s in fields.list("random")]
        return tuple(x for x in checked if x is not None)

    def _plays(self, fields: Fields) -> tuple[Play, ...]:
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
                    out += self._long_play(item)
                case Mapping() if len(item.entries) == 1 and isinstance(item.entries[0].value, Scalar):
                    seat = whole(item.entries[0].key, self._reporter)
                    if seat is not None and not 1 <= seat <= self._x.seats:
                        self._reporter.report("T404", f"there is no seat {seat}", item.span)
                    named.append(item.entries[0].value)
                    out.append(Play(item.entries[0].value.text, None if seat is None else seat - 1, item.span))
                case _:
                    self._reporter.report("E708", "a play is an action, or a seat with its action", item.span,
                                          help="write `- ACTION` or `- 2: ACTION`")  # fmt: skip
        self._actions(*named)
        return tuple(out)

    def _actions(self, *several: Scalar | None, refused: bool = False) -> None:
        """Each names an action of the game.

        What is refused may be named although the game has no such action at all: a rulebook can forbid it. But a
        name that is nearly that of an action is a slip, of which every refusal would hold.
        """
        written = [scalar for scalar in several if scalar is not None]
        for scalar in written:
            if scalar.text.count("(") > scalar.text.count(")"):
                # Inside `[ ]` a comma has cut the action in two; what comes after it is no name.
                self._reporter.report("S212", "this bracket is not closed", scalar.span,
                                      help="an action with a comma stands in quotes: `[\"lay(7S, 2)\"]`")  # fmt: skip
                return
        known: dict[str, str] = {}
        for statement in (s for rule in self._model.rules.values() for s in model.statements(rule.body)):
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
                self._reporter.report("N309", f"no action is named `{name}`", scalar.span, help=help)

    def _scores(self, fields: Fields) -> list[Check]:
        scalars = fields.list("scores")
        found = [constant(x) for s in scalars if (x := self._phrase(s, ir.FractionType())) is not None]
        values = [Fraction(v) for v in found if isinstance(v, int | Fraction)]
        if len(scalars) != self._x.seats:
            told = f"`scores` has {things(len(scalars))}, and {self._x.seats} play in this example"
            self._reporter.report("T413", told, fields.span_of("scores"), help="give a number for each seat, in order")
        elif len(found) == len(scalars) != len(values):
            self._reporter.report("T417", "a score must be written as a number", fields.span_of("scores"))
        elif len(values) == len(scalars):
            return [Scores(tuple(values))]
        return []

    def _long_play(self, item: Mapping) -> list[Play]:
        row = Fields(item, "a play", ("action", "by", "after"), ("action",), self._reporter)
        seat = row.integer("by", 1, self._x.seats, 1) - 1 if row.node("by") is not None else None
        after = row.scalar("after")
        elapsed = 0
        if after is not None:
            node = parser.parse_duration(after.embedded, self._reporter)
            elapsed = 0 if node is None else milliseconds(node, self._reporter) or 0
        return [Play(row.text("action"), seat, item.span, elapsed)]

    # ------------------------------------------------------------------------------------- what is expected

    def _checks(self, fields: Fields, entry: str | None) -> tuple[Check, ...]:
        out: list[Check] = []
        value, is_ = fields.scalar("value"), fields.node("is")
        if value is not None and is_ is not None:
            out += self._is(value, is_)
        elif value is not None or is_ is not None:
            self._reporter.report("E704", "`value` and `is` go together",
                                  fields.span_of("is" if value is None else "value"))  # fmt: skip
        call, means = fields.scalar("call"), fields.scalar("means")
        if call is not None and means is not None:
            x = self._phrase(means, types.COMBINATION)
            out += [] if x is None else [Means(call.text, x)]
        elif call is not None or means is not None:
            self._reporter.report("E704", "`call` and `means` go together",
                                  fields.span_of("means" if call is None else "call"))  # fmt: skip
        for key, node in rows(fields.node("then"), "`then`", self._reporter):
            out += self._is(key, node)
        allowed = fields.list("allowed")
        self._actions(*allowed)
        out += [Allowed(s.text, True) for s in allowed]
        refused = fields.node("not allowed")
        if isinstance(refused, Mapping):
            row = Fields(refused, "`not allowed`", ("action", "because", "by"), ("action",), self._reporter)
            seat = row.integer("by", 1, self._x.seats, 1) - 1 if row.node("by") is not None else None
            actions = row.list("action")
            out += [Allowed(s.text, False, row.cites("because"), seat) for s in actions]
        else:
            actions = fields.list("not allowed")
            out += [Allowed(s.text, False) for s in actions]
        self._actions(*actions, refused=True)
        if fields.node("legal") is not None:
            legal = fields.list("legal")
            self._actions(*legal)
            out.append(Legal(tuple(s.text for s in legal)))
        ends = fields.scalar("ends")
        out += [] if ends is None else [Ends(ends.text)]
        if fields.node("winners") is not None:
            seats = [self._seat(s) for s in fields.list("winners")]
            out.append(Wins(tuple(seat for seat in seats if seat is not None)))
        if fields.node("scores") is not None:
            out += self._scores(fields)
        out += [Logs(s.text) for s in fields.list("log")]
        out += [Logs(s.text, said=False) for s in fields.list("not log")]
        for staged in ("play", "allowed", "not allowed", "legal", "ends"):
            if fields.node(staged) is not None and fields.node("at") is None and fields.node("run") is None:
                self._reporter.report("E704", f"`{staged}` needs a rule that is run or a decision that is stood at",
                                      fields.span_of(staged),
                                      help="add `at: DECISION` or `run: RULE`")  # fmt: skip
                break
        return tuple(out)

    def _seat(self, scalar: Scalar) -> int | None:
        """The player who sits there, from 0."""
        number = whole(scalar, self._reporter)
        if number is None or 1 <= number <= self._x.seats:
            return None if number is None else number - 1
        help = f"the seats are 1 to {self._x.seats}" if self._x.seats > 1 else "there is one seat"
        return self._reporter.report("T404", f"there is no seat {number} here", scalar.span, help=help)

    def _is(self, key: Scalar, node: Node) -> list[Check]:
        expr = self._phrase(key)
        if expr is None:
            return []
        t = types.of(expr)
        if isinstance(t, ir.CardsType):
            faces = self._faces(node)
            return [] if faces is None else [Is(key.text, expr, faces)]
        if isinstance(t, ir.IntType):
            t = types.INTEGER
        if not isinstance(node, Scalar):
            self._reporter.report("S206", "a value is expected here", node.span)
            return []
        x = self._phrase(node, ir.OptionalType(types.strip(t)))
        return [] if x is None else [Is(key.text, expr, x)]


def _folded(name: str) -> str:
    """The name of an action as it is compared: without regard to capitals, `_` and spaces."""
    return " ".join(name.replace("_", " ").split()).casefold()

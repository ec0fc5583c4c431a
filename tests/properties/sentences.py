"""Random rule text: expressions of a wanted type, statements, and a small game to say them in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hypothesis import strategies as st

HEAD = """\
hoyle: 1
game: sentences
title: Sentences
players: {players}
cards:
  ranks: [2, 3, 4, K]
  suits: [clubs, hearts]
  runs: K high or low
combinations:
  order: lowest first
  single: {{cards: 1 of rank r, by: r, say: "one {{r}}", score: 0}}
  pair:   {{cards: 2 of rank r, by: r, say: "two {{r}}s", score: 3}}
  run:    {{cards: 2 in sequence up to rank r, by: r, say: "a run to {{r}}", score: 3}}
  suited: {{cards: 3 of one suit, by: cards, say: "one suit", score: 5}}
zones:
  stock: {{starts: full, seen: nobody}}
  hand:  {{each: player, seen: owner}}
  pile:  {{seen: everyone}}
  slot:  {{each: [player, 1..2], seen: everyone, holds: 2}}
state:
  n:     {{type: 0..9, starts: 3}}
  total: {{type: integer, starts: 0}}
  ratio: {{type: fraction, starts: 0.5}}
  flag:  {{type: yes or no, starts: no}}
  who:   {{type: player, starts: seat 2}}
  other: {{type: player or none, starts: none}}
  rk:    {{type: rank, starts: 3}}
  su:    {{type: suit or none, starts: none}}
  kd:    {{type: kind, starts: pair}}
  cd:    {{type: card or none, starts: none}}
  mood:  {{type: "one of calm, cross", starts: calm}}
  made:  {{type: combination or none, starts: none}}
  late:  {{type: 1..5}}
  score_of: {{each: player, type: -20..20, starts: 0}}
  tally: {{each: [kind, 1..3], type: integer, starts: 1}}
tables:
  prize: {{for: kind, type: integer, rows: {{single: 1, pair: 5, run: 7, suited: -2}}}}
  share: {{for: 0..3, type: fraction, rows: {{0: 0.5, 1: 1.5, 2: 0.2, 3: 2}}}}
rules: |
  define twice(x: integer) = x + x
  define better(p, q) = if score_of[p] > score_of[q] then p else q
  define strength_of(p) = best(hand[p] + pile)
  define all_red(cs: cards) = every(c in cs has suit of c = hearts)
"""
TAIL = """\
result:
  score: score_of[p]
  wins: score_of[p] = max(score_of[q] for q)
  ties: draw
"""
# Everything that is declared must be used.
USE_ALL = """\
  rule use_all:
    late := 2
    if n + total + late + twice(prize[kd]) + tally[kd, 1] > 1000 and flag:
      total := floor(ratio * share[0])
    if who = better(seat 1, seat 2) or other is none or rk = K or su is none:
      ratio := score of kd
    if cd is none or mood = calm or made is none or strength_of(seat 1) is none or all_red(pile):
      flag := flag
    n := 3
    who := seat 2
    other := none
    rk := 3
    su := none
    kd := pair
    cd := none
    mood := calm
    made := none
    score_of[seat 1] := 0
    tally[pair, 1] := 1
    move slot[seat 1, 1] to stock
"""

STATE = {
    "int": ["n", "total", "late"], "frac": ["ratio"], "bool": ["flag"], "player": ["who"], "player?": ["other"],
    "rank": ["rk"], "suit?": ["su"], "kind": ["kd"], "card?": ["cd"], "mood": ["mood"], "combo?": ["made"],
}  # fmt: skip


def game_text(rules: str, players: int) -> str:
    return HEAD.format(players=players) + rules + USE_ALL + TAIL


class Writer:
    """Writes expressions and statements; `names` are what may be named here, by type."""

    def __init__(self, draw: st.DrawFn, players: int) -> None:
        self.draw, self.players = draw, players
        self.names: dict[str, list[str]] = {}
        self.count = 0

    def pick(self, options: list[str]) -> str:
        return self.draw(st.sampled_from(options))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    @contextmanager
    def naming(self, type_: str, name: str) -> Iterator[None]:
        self.names.setdefault(type_, []).append(name)
        try:
            yield
        finally:
            self.names[type_].remove(name)

    # ------------------------------------------------------------------------------------- expressions

    def of(self, type_: str, depth: int) -> str:
        """An expression of a type."""
        if depth <= 0 or self.number(0, 5) == 0:
            return self.atom(type_)
        d = depth - 1
        form = self.draw(st.sampled_from([*FORMS.get(type_, []), None]))
        if form is None:
            choice = f"(if {self.of('bool', d)} then {self.of(type_, d)} else {self.of(type_, d)})"
            return choice if self.number(0, 2) == 0 else self.atom(type_)
        return form(self, d)

    def atom(self, type_: str) -> str:
        known = [*self.names.get(type_, []), *STATE.get(type_, [])]
        literal = {
            "int": lambda: str(self.number(0, 6)),
            "frac": lambda: self.pick(["0.5", "1.2", "ratio", "share[2]"]),
            "bool": lambda: self.pick(["yes", "no"]),
            "player": lambda: f"seat {self.number(1, self.players)}",
            "player?": lambda: "other",
            "rank": lambda: self.pick(["rank of 2C", "rank of KH", "rk"]),
            "suit": lambda: self.pick(["clubs", "hearts"]),
            "suit?": lambda: "su",
            "kind": lambda: self.pick(["single", "pair", "run", "suited"]),
            "card": lambda: self.pick(["2C", "3H", "4C", "KC", "KH"]),
            "card?": lambda: "cd",
            "cards": lambda: self.pick(["stock", "pile", "all hand", "all slot", "slot[who, 2]", "hand[who]"]),
            "combo": lambda: self.pick(["pair(K)", "single(3)", "run(4)", "pair(2)"]),
            "combo?": lambda: "made",
            "combos": lambda: "split(all hand by score then best)",
            "mood": lambda: "mood",
        }[type_]
        if known and self.number(0, 3):
            return self.pick(known)
        return literal()

    def binder(self, d: int, where: bool | None = None) -> tuple[str, str, str]:
        """A binder's text with its condition, and its name and type."""
        sort = self.pick(["player", "player", "kind", "rank", "suit", "number", "card", "combo"])
        name = self.name("b")
        source = {
            "player": name, "kind": f"kind {name}", "rank": f"rank {name}", "suit": f"suit {name}",
            "number": f"{name} in 1..{self.number(1, 3)}",
        }.get(sort)  # fmt: skip
        type_ = "int" if sort == "number" else sort
        if source is None:
            inner = self.of("cards", d) if sort == "card" else "split(" + self.of("cards", d) + " by score then best)"
            source = f"{name} in {inner}"
        has_where = self.number(0, 1) == 1 if where is None else where
        if has_where:
            with self.naming(type_, name):
                source += f" where {self.of('bool', d)}"
        return source, name, type_

    def folded(self, pattern: str, body: str, d: int) -> str:
        source, name, type_ = self.binder(d)
        with self.naming(type_, name):
            return pattern.format(binder=source, body=self.of(body, d))

    def players_folded(self, pattern: str, body: str, d: int) -> str:
        """A fold over players or numbers, which always has a value."""
        name = self.name("b")
        with self.naming("player", name):
            return pattern.format(binder=name, body=self.of(body, d))

    def superlative(self, sort: str, d: int) -> str:
        name = self.name("b")
        source = {"player": name, "kind": f"kind {name}", "card": f"{name} in {self.of('cards', d)}"}[sort]
        with self.naming(sort, name):
            if self.number(0, 1):
                source += f" where {self.of('bool', d)}"
            by = self.of(self.pick(["int", "int", "frac", "rank", "combo?", "kind"]), d)
        tie = self.pick(["none", "first"])
        if tie == "first" and sort == "player" and self.number(0, 1):
            tie += f" clockwise from {self.of('player', d)}"
        return f"{self.pick(['highest', 'lowest'])}({source} by {by} tie {tie})"

    def only(self, sort: str, d: int) -> str:
        name = self.name("b")
        source = {"player": name, "kind": f"kind {name}", "card": f"{name} in {self.of('cards', d)}"}[sort]
        with self.naming(sort, name):
            source += f" where {self.of('bool', d)}"
        if self.number(0, 1):
            return f"only({source})"
        start = f", clockwise from {self.of('player', d)}" if sort == "player" and self.number(0, 1) else ""
        return f"first({source}{start})"

    def compared(self, d: int) -> str:
        type_ = self.pick(
            ["int", "int", "frac", "rank", "kind", "combo?", "player", "player?", "suit", "card", "mood", "bool"]
        )
        signs = ["=", "!="]
        if type_ in ("int", "frac", "rank", "kind", "combo?"):
            signs += ["<", "<=", ">", ">="]
        return f"({self.of(type_, d)} {self.pick(signs)} {self.of(type_, d)})"


Form = Callable[[Writer, int], str]

# Ways to write a value of a type; in braces stands the type of a part.
PATTERNS = {
    "int": """
        ({int} + {int}); ({int} - {int}); ({int} * {int}); ({int} div {int}); ({int} mod {int}); (-{int});
        floor({frac}); ceiling({frac}); nearest({frac}); whole({frac}); (size of {cards}); (size of {kind});
        (height of {rank}); (score of {kind}); (score of {combo?}); prize[{kind}]; twice({int}); score_of[{player}];
        tally[{kind}, {int}];
        max({int}, {int}); min({int}, {int}, {int})
    """,
    "frac": """
        ({frac} + {frac}); ({frac} - {frac}); ({frac} * {frac}); ({frac} / {frac}); ({int} / {int}); share[{int}];
        ({int} * {frac}); max({frac}, {int})
    """,
    "bool": """
        ({bool} and {bool}); ({bool} or {bool}); (not {bool}); ({player?} is none); ({combo?} is not none);
        ({card?} is none); ({int} in {int}..{int}); ({card} in {cards}); ({cards} contains {combo});
        ({cards} contains {combo?}); all_red({cards})
    """,
    "player": "(left of {player}); (right of {player}); better({player}, {player}); (left of {player?})",
    "rank": "(rank of {card}); (rank of {card?})",
    "suit": "(suit of {card}); (suit of {card?})",
    "kind": "(kind of {combo?})",
    "card": "(top of {cards})",
    "cards": """
        ({cards} + {cards}); hand[{player}]; slot[{player}, {int}]; all slot[{player}]; ({card} + {cards});
        (if {bool} then {cards} else {cards})
    """,
    "combo": "single({rank}); pair({rank}); run({rank})",
    "combo?": "best({cards}); ({cards} as {kind}); strength_of({player}); max({combo?}, {combo})",
}


def _pattern(text: str) -> Form:
    return lambda w, d: re.sub(r"\{([a-z]+\??)\}", lambda part: w.of(part[1], d), text.strip())


def _folded(pattern: str, body: str) -> Form:
    return lambda w, d: w.folded(pattern, body, d)


def _of_all(word: str, body: str) -> Form:
    return lambda w, d: w.players_folded(word + "({body} for {binder})", body, d)


def _those(w: Writer, d: int) -> str:
    cards, name = w.of("cards", d), w.name("b")
    with w.naming("card", name):
        return f"those({name} in {cards} where {w.of('bool', d)})"


def _best_of_kinds(w: Writer, d: int) -> str:
    cards, name = w.of("cards", d), w.name("b")
    with w.naming("kind", name):
        return f"best({cards} for kind {name} where {w.of('bool', d)})"


FOLDS: dict[str, list[Form]] = {
    "int": [
        *[lambda w, d: f"count({w.binder(d, True)[0]})"] * 3,
        _folded("sum({body} for {binder})", "int"),
        _folded("max({body} for {binder})", "int"),
        _of_all("min", "int"),
    ],
    "frac": [_folded("sum({body} for {binder})", "frac"), _folded("min({body} for {binder})", "frac")],
    "bool": [
        *[Writer.compared] * 4,
        *[lambda w, d: f"some({w.binder(d, True)[0]})"] * 2,
        *[_folded("every({binder} has {body})", "bool")] * 2,
    ],
    "player?": [lambda w, d: w.only("player", d), lambda w, d: w.superlative("player", d)],
    "rank": [_of_all("max", "rank")],
    "kind": [_of_all("max", "kind")],
    "card?": [lambda w, d: w.only("card", d), lambda w, d: w.superlative("card", d)],
    "cards": [_those],
    "combo?": [_folded("max({body} for {binder})", "combo?"), _best_of_kinds],
}
FORMS: dict[str, list[Form]] = {
    type_: [*map(_pattern, PATTERNS.get(type_, "").split(";") if type_ in PATTERNS else ()), *FOLDS.get(type_, ())]
    for type_ in {**PATTERNS, **FOLDS}
}


# ------------------------------------------------------------------------------------------- statements


class RuleWriter(Writer):
    """Writes whole rule texts. `hand_of` is the variable of who chooses here, where somebody does."""

    TARGETS = (
        ("n", "int"), ("total", "int"), ("late", "int"), ("ratio", "frac"), ("flag", "bool"), ("who", "player"),
        ("other", "player"), ("other", "player?"), ("rk", "rank"), ("kd", "kind"), ("cd", "card"), ("made", "combo?"),
    )  # fmt: skip

    def __init__(self, draw: st.DrawFn, players: int) -> None:
        super().__init__(draw, players)
        self.lines: list[str] = []
        self.decisions = 0
        self.rule_name = "game"
        self.may_follow: list[str] = []

    def say(self, indent: int, text: str) -> None:
        self.lines.append("  " * indent + text)

    def rules(self) -> str:
        helpers = ["first_rule", "second_rule", "third_rule"]
        callees = {"game": helpers, "first_rule": helpers[1:], "second_rule": helpers[2:], "third_rule": []}
        parameters = {"game": "", "first_rule": "(x: 0..4)", "second_rule": "(q)", "third_rule": ""}
        for name in ("game", *helpers):
            self.rule_name, self.may_follow = name, callees[name]
            self.say(1, f"rule {name}{parameters[name]}:")
            with (
                self.naming("int" if name == "first_rule" else "-", "x"),
                self.naming("player" if name == "second_rule" else "-", "q"),
            ):
                if name == "game":
                    self.say(2, "use_all")
                    self.say(2, f"shuffle stock{self.pick(['', ' by who'])}")
                    self.say(2, f"for each pp, clockwise from {self.of('player', 0)}: deal 1 from stock to hand[pp]")
                    for helper in helpers:
                        self.say(
                            2,
                            "first_rule(2)"
                            if helper == helpers[0]
                            else "second_rule(seat 1)"
                            if helper == helpers[1]
                            else helper,
                        )
                self.block(2, 3 if name == "game" else 2)
        return "\n".join(self.lines) + "\n"

    def block(self, indent: int, depth: int, least: int = 1) -> None:
        known = {t: list(names) for t, names in self.names.items()}
        before = len(self.lines)
        for _ in range(self.number(least, 3)):
            self.statement(indent, depth)
            if (
                self.lines[-1].lstrip().startswith("end ")
                and len(self.lines[-1]) - len(self.lines[-1].lstrip()) == 2 * indent
            ):
                break
        if len(self.lines) == before:
            self.say(indent, "total += 1")
        self.names = known

    def statement(self, indent: int, depth: int) -> None:
        simple = [
            self.assign,
            self.assign,
            self.deal,
            self.move,
            self.let,
            self.random,
            self.follow,
            self.follow,
            self.small,
        ]
        deep = [self.conditional, self.conditional, self.for_each, self.repeat_times, self.repeat_until, self.going,
                self.chooses, self.chooses, self.at_once, self.at_once, self.may]  # fmt: skip
        options = simple + (deep if depth > 0 else [self.end, self.end])
        self.draw(st.sampled_from(options))(indent, depth - 1)

    def target(self) -> tuple[str, str]:
        if self.number(0, 3) == 0:
            return f"score_of[{self.of('player', 1)}]", "int"
        if self.number(0, 5) == 0:
            return f"tally[{self.of('kind', 1)}, {self.number(1, 3)}]", "int"
        return self.draw(st.sampled_from(self.TARGETS))

    def assign(self, indent: int, _: int) -> None:
        target, type_ = self.target()
        sign = self.pick([":=", "+=", "-="]) if type_ in ("int", "frac") else ":="
        value = self.of(type_, 2) if sign == ":=" else str(self.number(0, 3))
        self.say(indent, f"{target} {sign} {value}")

    def zone(self) -> str:
        return self.pick(
            ["stock", "pile", f"hand[{self.of('player', 1)}]", f"slot[{self.of('player', 1)}, {self.number(1, 2)}]"]
        )

    def deal(self, indent: int, _: int) -> None:
        up_to = self.pick(["up to ", "up to ", ""])
        self.say(indent, f"deal {up_to}{self.number(0, 2)} from {self.zone()} to {self.zone()}")

    def move(self, indent: int, _: int) -> None:
        verb, to = self.draw(st.sampled_from([("move", "to"), ("move", "to"), ("gather", "into")]))
        cards = self.of(self.pick(["cards", "cards", "card?", "card"]), 1)
        self.say(indent, f"{verb} {cards} {to} {self.zone()}")

    def let(self, indent: int, _: int) -> None:
        type_ = self.pick(["int", "bool", "player", "player?", "rank", "cards", "combo?", "kind"])
        name = self.name("v")
        self.say(indent, f"let {name} = {self.of(type_, 2)}")
        self.names.setdefault(type_, []).append(name)

    def random(self, indent: int, _: int) -> None:
        name = self.name("b")
        line = self.pick(
            [
                f"who := random player {name}",
                f"kd := random kind {name}",
                f"cd := random {name} in pile",
                f"n := random {name} in 0..4",
            ]
        )
        self.say(indent, line)

    def small(self, indent: int, _: int) -> None:
        self.say(indent, self.pick([
            "shuffle stock", "cut stock", "shuffle pile", f"reveal {self.of('cards', 1)}", 'announce "hm"',
            f"reveal pile to {self.of('player', 1)}", "gather all cards into stock",
        ]))  # fmt: skip

    def follow(self, indent: int, _: int) -> None:
        if not self.may_follow:
            return self.assign(indent, 0)
        rule = self.pick(self.may_follow)
        argument = {"first_rule": f"({self.number(0, 4)})", "second_rule": f"({self.of('player', 1)})"}.get(rule, "")
        return self.say(indent, rule + argument)

    def end(self, indent: int, _: int) -> None:
        target = self.pick([self.rule_name, self.rule_name, self.rule_name, "game"])
        self.say(indent, f"end {target}" + self.pick(["", ' because "so"']))

    def conditional(self, indent: int, depth: int) -> None:
        self.say(indent, f"if {self.of('bool', 2)}:")
        self.block(indent + 1, depth)
        if self.number(0, 1):
            self.say(indent, "else:")
            self.block(indent + 1, depth)

    def for_each(self, indent: int, depth: int) -> None:
        name = self.name("p")
        source, type_ = self.draw(
            st.sampled_from([(name, "player"), (name, "player"), (f"kind {name}", "kind"), (f"{name} in 1..3", "int")])
        )
        known = self.names.setdefault(type_, [])
        known.append(name)
        where = f" where {self.of('bool', 1)}" if self.number(0, 1) else ""
        known.remove(name)
        start = f", clockwise from {self.of('player', 1)}" if type_ == "player" and self.number(0, 1) else ""
        self.say(indent, f"for each {source}{where}{start}:")
        self.inside(indent, depth, type_, name)

    def inside(self, indent: int, depth: int, type_: str, name: str) -> None:
        known = {t: list(names) for t, names in self.names.items()}
        self.names.setdefault(type_, []).append(name)
        self.block(indent + 1, depth)
        self.names = known

    def repeat_times(self, indent: int, depth: int) -> None:
        self.say(indent, f"repeat {self.number(0, 3)} times:")
        self.block(indent + 1, depth)

    def repeat_until(self, indent: int, depth: int) -> None:
        self.say(indent, f"repeat until {self.of('bool', 2)}:")
        self.say(indent + 1, "shuffle stock")
        self.block(indent + 1, depth)

    def going(self, indent: int, depth: int) -> None:
        name = self.name("p")
        self.names.setdefault("player", []).append(name)
        where = f" where {self.of('bool', 1)}" if self.number(0, 1) else ""
        self.names["player"].remove(name)
        self.say(indent, f"going clockwise from {self.of('player', 1)} over {name}{where}:")
        self.say(indent + 1, "shuffle stock")
        self.say(indent + 1, f"if {self.pick(['size of stock < 3', 'n > 6', 'flag'])}: end {self.rule_name}")
        self.inside(indent, depth, "player", name)

    def chooses(self, indent: int, depth: int) -> None:
        self.say(indent, f"{self.of('player', 1)} chooses {self.decision()}:")
        self.actions(indent + 1, depth, None)

    def at_once(self, indent: int, depth: int) -> None:
        name = self.name("p")
        where = f" where score_of[{name}] < {self.number(0, 4)}" if self.number(0, 1) else ""
        self.say(indent, f"each {name}{where} chooses at once {self.decision()}:")
        self.actions(indent + 1, depth, name)

    def may(self, indent: int, depth: int) -> None:
        name = self.name("p")
        where = f" where score_of[{name}] < {self.number(0, 4)}" if self.number(0, 1) else ""
        start = f", clockwise from {self.of('player', 1)}" if self.number(0, 1) else ""
        self.say(indent, f"anyone {name}{where}{start} may {self.decision()}:")
        self.actions(indent + 1, depth, name)

    def decision(self) -> str:
        self.decisions += 1
        return f"choice{self.decisions}"

    def actions(self, indent: int, depth: int, chooser: str | None) -> None:
        """One action that is always there, and others that may not be."""
        self.say(indent, "wait")
        for number in range(self.number(1, 2)):
            known = {t: list(names) for t, names in self.names.items()}
            if chooser is not None:
                self.names.setdefault("player", []).append(chooser)
            parameters, guards = [], []
            for _ in range(self.number(0, 2)):
                name = self.name("a")
                type_, text, guard = self.draw(st.sampled_from([
                    ("int", f"{name}: 0..2", f"{name} < n"), ("player", f"{name}: player", f"{name} != who"),
                    ("kind", f"{name}: kind", f"{name} > kd"), ("card", f"{name} in pile", f"rank of {name} >= rk"),
                    ("cards", f"{name}: 1 to 2 cards from pile", f"size of {name} = 1"),
                    *([("card", f"{name} in hand[{chooser}]", f"rank of {name} > rk")] if chooser else []),
                ]))  # fmt: skip
                parameters.append(text)
                guards += [f" when {guard}"] * (self.number(0, 2) == 0)
                self.names.setdefault(type_, []).append(name)
            guards += [f" when {self.pick(['n > 1', 'flag', 'not flag', 'size of pile > 0'])}"] * (
                self.number(0, 2) == 0
            )
            told = f"({', '.join(parameters)})" if parameters else ""
            self.say(indent, f"act{number}{told}{''.join(guards)}:")
            self.block(indent + 1, depth)
            self.names = known


@st.composite
def expressions(draw: st.DrawFn, players: int) -> tuple[str, str]:
    """A type and the text of an expression of that type."""
    type_ = draw(
        st.sampled_from(("int", "int", "frac", "bool", "bool", "player?", "rank", "kind", "card?", "cards", "combo?"))
    )
    return type_, Writer(draw, players).of(type_, draw(st.integers(1, 4)))


@st.composite
def rule_texts(draw: st.DrawFn, players: int) -> str:
    return RuleWriter(draw, players).rules()

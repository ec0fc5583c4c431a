"""Runs the examples of a rule file: sets up the situation, plays, and compares what comes of it.

Nothing is left to chance: a shuffle or a cut leaves the cards as they lie, and a random pick takes what the example
lists. So an example is a small proof that can be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from dsl import examples, ir, model, types
from dsl.diagnostics import Reporter
from dsl.examples_read import Models, read_examples
from dsl.lower import lower
from dsl.source import Span
from dsl.yamltree import Sequence
from interpreter.actions import Refusal
from interpreter.cards import CardSet
from interpreter.combinations import Combinations
from interpreter.machine import Machine
from interpreter.narrate import Narrator
from interpreter.values import UNSET, Fault, as_cards

_MAX_CHANCES = 10_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of an example: `expected` and `got` tell of the first thing that differs."""

    title: str
    cites: tuple[str, ...]
    ok: bool
    expected: str
    got: str
    span: Span


class _Surprise(Exception):
    """The example comes out otherwise."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(got)
        self.expected, self.got = expected, got


def run_all(base: model.Model, models: Models, node: Sequence | None, reporter: Reporter) -> tuple[Verdict, ...]:
    """Every example of a list. What is wrong with the examples themselves is reported, and those are left out."""
    return tuple(run_each(base, models, node, reporter))


def run_each(base: model.Model, models: Models, node: Sequence | None, reporter: Reporter) -> Iterator[Verdict]:
    """The same one after the other, for who need not see them all; the file's own cards that show a row come first."""
    machines: dict[tuple[object, ...], Machine] = {}
    if node is base.examples:
        yield from _shown(base)
    for example in read_examples(base, node, models, reporter):
        yield run(example, machines)


def _shown(base: model.Model) -> Iterator[Verdict]:
    """Whether the cards that show a row of the combinations are just that."""
    cards = CardSet(base.deck)
    table = Combinations(cards, base.kinds)
    for number, kind in enumerate(base.kinds):
        if not kind.example or kind.span is None:
            continue
        best = table.best(cards.showing(kind.example))
        got = "nothing" if best is None else base.kinds[best.kind].name
        ok = best is not None and best.kind == number
        yield Verdict(f"the cards that show {kind.name}", kind.cites, ok, kind.name, got, kind.span)


def run(example: examples.Example, machines: dict[tuple[object, ...], Machine]) -> Verdict:
    """One example. `machines` keeps what was made for others like it."""
    key = (example.options, example.players, example.entry)
    if key not in machines:
        machines[key] = Machine(lower(example.model, example.players, example.entry or "game"))
    expected = _expected(example)
    try:
        _Run(example, machines[key]).check()
    except _Surprise as surprise:
        return Verdict(example.title, example.cites, False, surprise.expected, surprise.got, example.span)
    except Fault as fault:
        return Verdict(example.title, example.cites, False, expected, f"fault: {fault.message}", example.span)
    return Verdict(example.title, example.cites, True, expected, expected, example.span)


def _expected(example: examples.Example) -> str:
    return "; ".join(_told(c) for c in example.checks)


def _told(check: examples.Check) -> str:
    match check:
        case examples.Is(text):
            return f"{text} as stated"
        case examples.Means(spoken):
            return f"`{spoken}` understood"
        case examples.Allowed(action, allowed):
            return f"{action} is {'allowed' if allowed else 'not allowed'}"
        case examples.Legal(actions):
            return "allowed are " + ", ".join(actions)
        case examples.Ends(reason):
            return f"the end: {reason}"
        case examples.Wins(seats):
            return f"won by {_seats(seats)}"
        case examples.Scores(values):
            return f"the scores are {_numbers(values)}"
        case examples.Logs(text, said):
            return f"the log {'says' if said else 'does not say'}: {text}"
        case _:
            assert_never(check)


class _Run:
    def __init__(self, example: examples.Example, machine: Machine) -> None:
        self._example = example
        self._machine = machine
        self._state = machine.blank()
        self._random = iter(example.random)
        self._shuffles = 0
        self._stopped = False

    def _value(self, expr: ir.Expr) -> object:
        return self._machine.compiler.compile(expr)(self._state)

    # ------------------------------------------------------------------------------------ setting up

    def _set_up(self) -> None:
        e, m, s = self._example, self._machine, self._state
        self._deal()
        for variable, expr in e.state:
            s.vars[m.layout.vars[variable.name].index(self._indices(variable.indices))] = self._value(expr)
        for name, expr in e.locals:
            s.vars[m.layout.vars[name].base] = self._value(expr)
        if e.time_left is not None:
            s.clock_ms = int(e.time_left * 1000)
            events = m.game.clock.events if m.game.clock else ()
            s.fired = sum(1 for event in events if event.at > s.clock_ms)
        if e.at is None:
            return
        self._hidden_locals(e.model.rules[e.entry or ""].body)
        s.pc = next(
            i for i, n in enumerate(m.game.nodes) if isinstance(n, ir.Decide | ir.Collect) and n.name == e.at
        )  # fmt: skip

    def _indices(self, indices: tuple[ir.Expr, ...]) -> tuple[int, ...]:
        out: list[int] = []
        for x in indices:
            value = self._value(x)
            assert isinstance(value, int)
            out.append(value)
        return tuple(out)

    def _deal(self) -> None:
        """Lays the cards given, and the others where `rest` says, each copy of a face once."""
        e, m, s = self._example, self._machine, self._state
        if not e.zones and e.rest is None:
            return
        cards = m.words.cards
        left = {f: list(cards.cards_of(f)) for f in range(cards.num_faces)}
        placed: dict[int, list[int]] = {}
        for zone, faces in e.zones:
            place = m.layout.zones[zone.zone].index(self._indices(zone.indices))
            placed[place] = [left[f].pop(0) for f in reversed(faces)]
        rest = m.layout.home
        if e.rest is not None:
            rest = m.layout.zones[e.rest.zone].index(self._indices(e.rest.indices))
        others = [c for c in cards.pack if c in left[cards.face[c]]]
        # The cards listed lie on top of the others, where a zone is listed and takes the rest too.
        placed[rest] = others + placed.get(rest, [])
        for place in range(len(s.zones)):
            s.zones[place] = tuple(placed.get(place, ()))
            for card in s.zones[place]:
                s.where[card] = place
                s.known[card] = m.layout.zone_seen[place]
            if m.layout.zone_top[place] and s.zones[place]:
                s.known[s.zones[place][-1]] = m.layout.everyone

    def _hidden_locals(self, body: tuple[model.Stmt, ...]) -> None:
        """Where loops around the decision began, as far as it follows from the state."""
        for statement in model.statements(body):
            match statement:
                case model.ForPlayers(first=first, start=start) | model.Window(first=first, start=start):
                    self._default(first.name, start)
                case model.Times(counter=counter):
                    self._default(counter.name, ir.Const(0, types.INTEGER))
                case _:
                    pass

    def _default(self, name: str, expr: ir.Expr) -> None:
        place = self._machine.layout.vars[name].base
        if self._state.vars[place] is UNSET:
            try:
                self._state.vars[place] = self._value(expr)
            except Fault:
                self._state.vars[place] = 0

    # ---------------------------------------------------------------------------------------- playing

    def _go_on(self) -> None:
        """Past every chance node, with nothing left to chance."""
        m, s = self._machine, self._state
        for _ in range(_MAX_CHANCES):
            node = m.chance_node(s)
            match node:
                case None:
                    return
                case ir.Shuffle():
                    self._shuffles += 1
                    if self._shuffles == self._example.before_shuffle:
                        self._stopped = True
                        return
                    m.play_chance(s, tuple(range(len(s.zones[self._place(node.zone)]))))
                case ir.Cut():
                    m.play_chance(s, 0)
                case ir.Random():
                    expr = next(self._random, None)
                    if expr is None:
                        raise _Surprise(
                            "`random` lists what chance picks", "chance picks, and the example does not say what"
                        )
                    m.play_chance(s, self._value(expr))
                case _:
                    assert_never(node)
        raise Fault("chance has no end here")

    def _place(self, zone: ir.ZoneExpr) -> int:
        return self._machine.layout.zones[zone.zone].index(self._indices(zone.indices))

    def _play(self) -> None:
        m = self._machine
        for play in self._example.plays:
            movers = m.to_move(self._state)
            if not movers:
                raise _Surprise(f"{play.action} is played", "nobody is to choose" if not m.is_terminal(self._state) else
                                f"it has ended: {m.reason(self._state)}")  # fmt: skip
            player = play.seat if play.seat is not None else movers[0]
            refusal = self._refusal(play.action, player)
            if refusal is not None:
                raise _Surprise(f"{play.action} is played", _refused(refusal))
            choice = m.parse_choice(self._state, player, play.action)
            assert choice is not None
            self._state = m.apply(self._state, player, choice, play.elapsed_ms)
            self._go_on()

    def _refusal(self, action: str, by: int | None) -> Refusal | None:
        """Why an action may not be chosen now; None where it may. What is not on offer may not be chosen."""
        m, s = self._machine, self._state
        movers = m.to_move(s)
        player = by if by is not None else (movers[0] if movers else 0)
        if player not in movers:
            return Refusal("not your turn", f"it is not the turn of seat {player + 1}")
        choice = m.parse_choice(s, player, action)
        if choice is None:
            name = action.partition("(")[0].strip()
            # What is offered elsewhere only is forbidden here by the clauses that offer it there.
            offered = [p for p in m.plans(s) if p.name == name]
            known = (p.declared for p in (*offered, *m.all_plans) if p.name == name)
            cited = next(((*a.cites, *(c for g in a.guards for c in g.cites)) for a in known), ())
            several = offered and len(offered[0].parameters) > 1
            if several and action.count(",") + 1 != len(offered[0].parameters):
                count = len(offered[0].parameters)
                return Refusal("not on offer", f"{name} takes {count} values with commas between", cites=cited)
            return Refusal("not on offer", f"{action} is not on offer", cites=cited)
        return m.why_not(s, player, choice)

    # --------------------------------------------------------------------------------------- checking

    def check(self) -> None:
        """Raises `_Surprise` at the first thing that comes out otherwise."""
        self._set_up()
        if self._example.entry is not None and self._example.at is None:
            self._machine.advance(self._state)
        if self._example.entry is not None:
            self._go_on()
            self._play()
        for check in self._example.checks:
            self._check(check)

    def _check(self, check: examples.Check) -> None:
        m, s = self._machine, self._state
        match check:
            case examples.Is():
                self._check_is(check)
            case examples.Means(spoken, expected):
                found = m.words.combinations.parse_say(spoken)
                wanted = self._value(expected)
                assert isinstance(wanted, ir.Combination)
                if found is None or (found.kind, found.arguments) != (wanted.kind, wanted.arguments):
                    got = "nothing" if found is None else m.words.combinations.say(found)
                    raise _Surprise(f"`{spoken}` means {m.words.combinations.say(wanted)}", got)
            case examples.Allowed(action, allowed, because, by):
                refusal = self._refusal(action, by)
                if allowed and refusal is not None:
                    raise _Surprise(f"{action} is allowed", _refused(refusal))
                if not allowed and refusal is None:
                    raise _Surprise(f"{action} is not allowed", "it is allowed")
                if refusal is not None and because and not set(because) <= set(refusal.cites):
                    raise _Surprise(f"{action} is not allowed because of {', '.join(because)}", _refused(refusal))
            case examples.Legal(actions):
                self._check_legal(actions)
            case examples.Ends(reason):
                if m.reason(s) != reason:
                    raise _Surprise(
                        f"the end: {reason}", f"the end: {m.reason(s)}" if m.is_terminal(s) else "it goes on"
                    )
            case examples.Wins(seats):
                if m.winners(s) != tuple(sorted(seats)):
                    raise _Surprise(_told(check), f"won by {_seats(m.winners(s))}")
            case examples.Scores(values):
                if m.scores(s) != values:
                    raise _Surprise(_told(check), _numbers(m.scores(s)))
            case examples.Logs(text, said):
                log = [line.text for line in Narrator(m.layout).log(s, None)]
                if any(text in line for line in log) is not said:
                    raise _Surprise(_told(check), " / ".join(log) or "nothing")
            case _:
                assert_never(check)

    def _check_is(self, check: examples.Is) -> None:
        words = self._machine.words
        got = self._value(check.expr)
        if isinstance(check.expected, tuple):
            faces = sorted(words.cards.face[c] for c in as_cards(got))
            if faces != sorted(check.expected):
                wanted = " ".join(words.cards.face_name(f) for f in sorted(check.expected)) or "no cards"
                shown = " ".join(words.cards.face_name(f) for f in faces) or "no cards"
                raise _Surprise(f"{check.text} is {wanted}", shown)
            return
        expected = self._value(check.expected)
        t = types.strip(types.of(check.expr))
        same = got == expected
        if (
            isinstance(got, ir.Combination)
            and isinstance(expected, ir.Combination)
            and expected.arguments
            and not got.cards
        ):
            # Calls of equal strength are different things to say.
            same = (got.kind, got.arguments) == (expected.kind, expected.arguments)
        if isinstance(t, ir.CardType) and isinstance(got, int) and isinstance(expected, int):
            same = words.cards.face[got] == words.cards.face[expected]
        if not same:
            raise _Surprise(f"{check.text} is {words.show(expected, t)}", words.show(got, t))

    def _check_legal(self, actions: tuple[str, ...]) -> None:
        m, s = self._machine, self._state
        movers = m.to_move(s)
        player = movers[0] if movers else 0
        legal = {m.name_of(c, s): c for c in m.legal_actions(s, player)} if movers else {}
        wanted = {}
        for action in actions:
            choice = m.parse_choice(s, player, action) if movers else None
            if choice is None:
                raise _Surprise("allowed are " + ", ".join(actions), ", ".join(legal) or "no action")
            wanted[m.name_of(choice, s)] = choice
        if set(wanted) != set(legal):
            raise _Surprise("allowed are " + ", ".join(wanted), ", ".join(legal) or "no action")


def _numbers(values: tuple[int | Fraction, ...]) -> str:
    return ", ".join(str(v) for v in values)


def _seats(seats: tuple[int, ...]) -> str:
    return ", ".join(f"seat {s + 1}" for s in sorted(seats)) or "nobody"


def _refused(refusal: Refusal) -> str:
    clauses = f" [{', '.join(refusal.cites)}]" if refusal.cites else ""
    return f"not allowed: {refusal.message}{clauses}"

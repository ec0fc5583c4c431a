"""Two rules that a claim says are the same, followed side by side in the interpreter, from one real position.

Both are given the same choices, and chance decides the same for both. They differ where one asks or leaves to chance
what the other does not, and where they leave different values, cards or ends. A fault on the way shows nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from dsl import ir, model
from dsl.lower import lower
from dsl.pairing import end_of, own_variable, pair_name, paired, side_of
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import UNSET, Fault
from verify.places import TooMany

_MOST_CASES = 2_000
_MOST_STEPS = 400  # choices and chance moves of a rule; a longer way is not compared
_WAYS = 4  # from one position, where there are choices or chance
_MOST_TOLD = 3
_MOST_CARDS = 6


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of one position: `difference` in words, empty where there is none, None where nothing was compared."""

    difference: str | None
    is_open: bool = False  # whether there were choices or chance moves, so that another way may come to something else


class Pair:
    """The two rules of a claim. `play` is the whole game, in which their beginnings are marked, and `both` the one rule
    that follows either.

    Raises:
        TooMany: A name of the claim stands for more values than can be tried.
    """

    def __init__(self, claim: ir.Property, source: model.Model, num_players: int) -> None:
        self.claim = claim
        made = paired(source, claim)
        self.play = Machine(lower(made, num_players, marked=frozenset(f.rule for f in claim.rules)))
        name = pair_name(claim.name)
        game, self.ends = _telling_ends(lower(made, num_players, name, frozenset({name})), claim)
        self.both = Machine(game)
        layout, compiler = self.both.layout, self.both.compiler
        places = {cell: place for place, cell in enumerate(self.play.layout.var_cells)}
        self._carried = [(i, places[cell]) for i, cell in enumerate(layout.var_cells) if cell in places]
        self._own = [layout.vars[own_variable(claim.name, n, t).name].base for n, t in claim.variables]
        self.side, self.end = (layout.vars[v.name].base for v in (side_of(claim), end_of(claim)))
        self._arguments = [[compiler.compile(x) for x in f.arguments] for f in claim.rules]
        self._premise = None if claim.premise is None else compiler.compile(claim.premise)
        self._parameters = [source.rules[f.rule].parameters for f in claim.rules]
        self._direct = [self._given_directly(f) for f in claim.rules]
        self._domains = [self._domain(n, t) for n, t in claim.variables]

    def _given_directly(self, followed: ir.Followed) -> dict[int, int]:
        """The names of the claim that are a rule's parameter as they are: their numbers, with the parameter's."""
        names = [own_variable(self.claim.name, n, t).name for n, t in self.claim.variables]
        found: dict[int, int] = {}
        for number, x in enumerate(followed.arguments):
            if isinstance(x, ir.Var) and x.name in names:
                found.setdefault(names.index(x.name), number)
        return found

    def _domain(self, name: str, t: ir.Type) -> tuple[Any, ...] | None:
        """The values of a name; None where they cannot be listed, and need not be."""
        try:
            return self.both.words.domain(t)
        except ValueError:
            number = [n for n, _ in self.claim.variables].index(name)
            if all(number in direct for direct in self._direct):
                return None
            raise TooMany(f"`{name}` stands for more values than can be tried") from None

    # ------------------------------------------------------------------------------------- where they begin

    @property
    def is_followed(self) -> bool:
        """Whether play can follow any of the two."""
        return any(isinstance(node, ir.Mark) for node in self.play.game.nodes)

    def cases(self, state: State, rule: str) -> Iterator[tuple[Any, ...]]:
        """The values of the claim's names with which it looks here, where a rule begins in play."""
        seen: set[tuple[Any, ...]] = set()
        for number, followed in enumerate(self.claim.rules):
            if followed.rule == rule:
                for case in self._fitting(state, number):
                    if case not in seen:
                        seen.add(case)
                        yield case

    def _fitting(self, state: State, number: int) -> Iterator[tuple[Any, ...]]:
        layout = self.play.layout
        given = [state.vars[layout.vars[p.name].base] for p in self._parameters[number]]
        domains: list[Sequence[Any]] = []
        size = 1
        for name, domain in enumerate(self._domains):
            parameter = self._direct[number].get(name)
            if parameter is None:
                assert domain is not None
                domains.append(domain)
                size *= len(domain)
            elif domain is not None and given[parameter] not in domain:
                return
            else:
                domains.append((given[parameter],))
        if size > _MOST_CASES:
            raise TooMany(f"the names of the claim have {size} values between them")
        for case in product(*domains):
            start = self._start(state, case, True)
            try:
                fits = [x(start) for x in self._arguments[number]] == given
                if fits and (self._premise is None or self._premise(start)):
                    yield case
            except Fault:
                continue  # what cannot be told here says nothing about the claim

    def _start(self, state: State, case: tuple[Any, ...], first: bool) -> State:
        """The same position, from which the first rule is followed, or the second."""
        start = state.clone()
        start.vars = [UNSET] * len(self.both.layout.var_cells)
        for here, there in self._carried:
            start.vars[here] = state.vars[there]
        for cell, value in zip(self._own, case, strict=True):
            start.vars[cell] = value
        start.vars[self.side] = first
        start.pc, start.pending, start.resume = self.both.game.entry, (), ()
        return start

    # ----------------------------------------------------------------------------------------- side by side

    def compared(self, state: State, case: tuple[Any, ...]) -> Compared:
        """What comes of both from here, on some ways: the same ones each time that it is asked."""
        found = Compared(None)
        for way in range(_WAYS):
            rng = random.Random(f"{way}/{state.key()}")
            one = self._one_way(state, case, rng)
            if one.difference or not one.is_open:
                return one
            found = one if found.difference is None else found
        return found

    def _one_way(self, state: State, case: tuple[Any, ...], rng: random.Random) -> Compared:
        m = self.both
        sides = [self._start(state, case, first) for first in (True, False)]
        called = [self._called(number, sides[0]) for number in range(2)]
        is_open = False
        try:
            for side in sides:
                m.advance(side)
            for _ in range(_MOST_STEPS):
                asked = [self._asked(side) for side in sides]
                if asked[0] != asked[1]:
                    told = f"{called[0]} {asked[0]}, and {called[1]} {asked[1]}"
                    return Compared(told if all(self._ends([side], rng) for side in sides) else None, is_open)
                if m.is_terminal(sides[0]):
                    return Compared(self._told(called, sides), is_open)
                is_open = True
                self._go_on(sides, rng)
        except Fault:
            pass
        return Compared(None, is_open)

    def _ends(self, sides: list[State], rng: random.Random) -> bool:
        """Whether what is followed comes to its end, on some way."""
        for _ in range(_MOST_STEPS):
            if self.both.is_terminal(sides[0]):
                return True
            self._go_on(sides, rng)
        return False

    def _go_on(self, sides: list[State], rng: random.Random) -> None:
        m = self.both
        if m.chance_node(sides[0]) is not None:
            outcome = m.draw(sides[0], rng)
            for side in sides:
                m.play_chance(side, outcome)
            return
        player = m.to_move(sides[0])[0]
        legal = m.legal_actions(sides[0], player)
        if not legal:
            raise Fault("no action is legal")
        chosen = m.name_of(rng.choice(legal), sides[0])
        for side in sides:
            choice = m.parse_choice(side, player, chosen)
            assert choice is not None
            m.play_choice(side, player, choice)

    def _asked(self, state: State) -> str:
        """What is to happen next, in words that are the same where it is the same."""
        m, words = self.both, self.both.words
        if m.is_terminal(state):
            return "comes to its end"
        match node := m.chance_node(state):
            case None:
                seats = [f"seat {p + 1}: {', '.join(sorted(self._legal(state, p)))}" for p in m.to_move(state)]
                return f"asks for a choice ({'; '.join(seats)})"
            case ir.Random():
                outcomes = (words.show(o, node.variable.type) for o in m.outcomes(state))
                return f"picks at random one of {', '.join(outcomes)}"
            case ir.Shuffle() | ir.Cut():
                place = m.effects.zone(node.zone)(state)
                does = "shuffles" if isinstance(node, ir.Shuffle) else "cuts"
                return f"{does} {m.layout.zone_names[place]} of {len(state.zones[place])}"

    def _legal(self, state: State, player: int) -> set[str]:
        return {self.both.name_of(choice, state) for choice in self.both.legal_actions(state, player)}

    def _called(self, number: int, start: State) -> str:
        """One of the rules as it is followed here: `settle(seat 1)`."""
        followed, taken = self.claim.rules[number], self._parameters[number]
        try:
            values = zip((x(start) for x in self._arguments[number]), taken, strict=True)
            given = [self.both.words.show(value, p.type) for value, p in values]
        except Fault:
            given = ["…"]
        return f"`{followed.rule}({', '.join(given)})`" if given else f"`{followed.rule}`"

    def _told(self, called: list[str], sides: list[State]) -> str:
        """What differs in the end, empty where nothing does. What is local to rules does not count."""
        m, show = self.both, self.both.words.show
        found: list[tuple[str, list[str]]] = []
        ends = [side.vars[self.end] for side in sides]
        if ends[0] != ends[1]:
            found.append(("the game", [self._end_text(end) for end in ends]))
        for cell, variable in enumerate(m.layout.cell_vars):
            held = [side.vars[cell] for side in sides]
            if not variable.local and held[0] != held[1]:
                shown = ["not set" if x is UNSET else show(x, variable.type) for x in held]
                found.append((m.layout.var_names[cell], [f"is {x}" for x in shown]))
        for place, name in enumerate(m.layout.zone_names):
            lying = [[m.words.cards.face[c] for c in side.zones[place]] for side in sides]
            if lying[0] != lying[1]:
                found.append((name, [f"holds {self._pile(faces)}" for faces in lying]))
        told = [f"after {called[0]} {what} {a}, after {called[1]} it {b}" for what, (a, b) in found[:_MOST_TOLD]]
        return "; ".join(told)

    def _end_text(self, end: Any) -> str:
        return f"is over ({self.ends[end - 1]})" if end else "goes on"

    def _pile(self, faces: list[int]) -> str:
        """Cards from the top of a pile."""
        if not faces:
            return "no cards"
        named = [self.both.words.cards.face_name(f) for f in reversed(faces)]
        more = f" and {len(named) - _MOST_CARDS} more" if len(named) > _MOST_CARDS else ""
        return " ".join(named[:_MOST_CARDS]) + more


def _telling_ends(game: ir.Game, claim: ir.Property) -> tuple[ir.Game, tuple[str, ...]]:
    """The game with the end of play told in a variable where the pair of rules is left by it; and what the ends are
    called, the first being 1.
    """
    name, ends = pair_name(claim.name), dict[str, int]()
    nodes = list(game.nodes)
    for i, node in enumerate(game.nodes):
        if isinstance(node, ir.Mark) and node.rule == name and not node.begins:
            finish = nodes[node.next]
            if isinstance(finish, ir.Finish) and finish.origin.rule != name:
                end = ends.setdefault(finish.reason, len(ends) + 1)
                nodes[i] = ir.Assign(end_of(claim), ir.Const(end, end_of(claim).type), len(nodes), node.origin)
                nodes.append(node)
    return replace(game, nodes=tuple(nodes)), tuple(ends)

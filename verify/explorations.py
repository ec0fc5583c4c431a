"""What was explored of the count abstraction of a game, kept for whatever else is asked of it.

Claims that need the same zones counted and the same variables kept share one exploration, in which all rules are marked
that one of them speaks of, and nothing is forgotten that one of them reads. So it stands for every play, as one of
their own would, and tells no less. A claim that tells seats or places apart which the others do not has one of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from dsl import ir, model
from dsl.lower import lower
from interpreter.machine import Machine
from verify.counting import CountMachine
from verify.explore import Exploration, Explored
from verify.lessons import OURS
from verify.places import expressions_of, looks_back
from verify.points import Label, Point
from verify.putby import WithoutLookBack
from verify.slicing import needed_zones
from verify.symmetry import Canonical, Symmetries, canonical
from verify.tracking import Tracking

MOST_TO_SHARE: Final = 2.0
"""Seconds for what no question alone would be given time for, once for each game."""

COUNTED: Final = "positions of the count abstraction"
"""Stands in what is told of a proof by counts."""

_MAX_POINTS: Final = 250_000
_MOST_KEPT: Final = 60_000  # positions of one game: more would fill the memory

_Variables: TypeAlias = tuple[tuple[str, ir.Type], ...]
_Key: TypeAlias = tuple[frozenset[str], frozenset[str], "Asked | None"]
"""The zones that are counted, the variables that are kept, and what is asked if it has an exploration of its own."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a claim asks of a position, of all values of its variables together unless `each` has to be told apart."""

    expressions: tuple[ir.Expr, ...]
    variables: _Variables = ()
    scope: str | None = None
    each: bool = False


def asked_by(claim: ir.Property, each: bool = False) -> Asked:
    """What a claim asks."""
    return Asked(expressions_of(claim), claim.variables, claim.scope, each)


class Kept:
    """One abstraction of a game, and what was explored of it so far."""

    def __init__(self, game: _Game | _Alone, key: _Key, coarse: bool, asked: list[Asked]) -> None:
        self._game, self._key = game, key
        expressions = tuple(dict.fromkeys(x for a in asked for x in a.expressions))
        variables = tuple(dict.fromkeys(v for a in asked for v in a.variables))
        self.machine, self.tracked = game.machine_for(asked), key[1]
        self.counting = CountMachine(self.machine, self.tracked, expressions, coarse)
        # Where one case of a claim is told from another, positions that are alike for all together are not one.
        is_told = any(a.each for a in asked)
        self.canonical: Canonical | None = None if is_told else canonical(self.machine, expressions, variables)
        self._exploration = Exploration(self.counting, [self.counting.start()], _MAX_POINTS, self.canonical)
        self._expressions, self._variables = set(expressions), set(variables)

    @property
    def explored(self) -> Explored:
        """What is known by now."""
        return self._exploration.found

    @property
    def told(self) -> str:
        """What a proof rests on, in words."""
        return f"all {len(self.explored.points)} {COUNTED}, {len(self.tracked)} variables kept"

    @property
    def is_hopeless(self) -> bool:
        """Whether it was found before to be more than is kept."""
        return self._key in self._game.too_large

    def way(self, point: Point) -> tuple[Label, ...]:
        """A way to a position, with the seats and places that it really takes."""
        return self._exploration.way(point)

    def answers(self, asked: Asked) -> bool:
        """Whether it was made for what is asked, too."""
        return self._expressions.issuperset(asked.expressions) and self._variables.issuperset(asked.variables)

    def first(self, is_bad: Callable[[Point], bool] | None, deadline: float) -> tuple[Point | None, float]:
        """The first position that is bad; and the deadline, later by what all claims gained from."""
        if self._exploration.goes_on and self._game.may_take_longer and OURS.seconds > deadline - time.monotonic():
            self._game.may_take_longer = False
            began = time.monotonic()
            with OURS.learning(0.0, MOST_TO_SHARE) as allowed:
                self._exploration.first(None, allowed)
            deadline += time.monotonic() - began
        try:
            return self._exploration.first(is_bad, max(deadline - time.monotonic(), 0.0)), deadline
        finally:
            self._game.make_room()


class _Game:
    """One game, with what its claims ask of positions."""

    def __init__(self, source: model.Model, num_players: int) -> None:
        self.source, self._num_players = source, num_players
        claims = [c for c in source.properties if _may_share(c, num_players)]
        self._marked = frozenset(c.scope for c in claims if c.scope is not None and c.scope in source.rules)
        self._machine = Machine(lower(source, num_players, marked=self._marked))
        self._tracking, self._symmetries = Tracking(self._machine), Symmetries(self._machine)
        self._zones: dict[tuple[tuple[ir.Expr, ...], bool], frozenset[str]] = {}
        self._shared: list[Asked] = [a for a in map(asked_by, claims) if self._is_shared(a)]
        self._kept: dict[_Key, Kept] = {}
        self.may_take_longer = True
        self.too_large = set[_Key]()

    def abstractions(self, asked: Asked) -> Iterator[Kept]:
        """What is tried of a question, in order."""
        is_shared = self._is_shared(asked)
        for coarse, tracked in self._tracking.abstractions(asked.expressions):
            yield self._of(asked, coarse, tracked, is_shared)

    def machine_for(self, asked: list[Asked]) -> Machine:
        """The game with the rules marked that it is asked about."""
        scopes = frozenset(a.scope for a in asked if a.scope is not None and a.scope in self.source.rules)
        if scopes <= self._marked:
            return self._machine
        return Machine(lower(self.source, self._num_players, marked=scopes))

    def make_room(self) -> None:
        """Keeps no more positions than there is room for: what is not complete goes first, and the most at once."""
        sizes = {key: len(kept.explored.points) for key, kept in self._kept.items()}
        too_many = sum(sizes.values()) - _MOST_KEPT
        for key in sorted(sizes, key=lambda key: (self._kept[key].explored.complete, -sizes[key])):
            if too_many <= 0:
                break
            if sizes[key] > _MOST_KEPT and not self._kept[key].explored.complete:
                self.too_large.add(key)
            too_many -= sizes[key]
            del self._kept[key]

    def _is_shared(self, asked: Asked) -> bool:
        return (
            not asked.each
            and (asked.scope is None or asked.scope not in self.source.rules or asked.scope in self._marked)
            and self._symmetries.remain(asked.expressions, asked.variables)
        )

    def _of(self, asked: Asked, coarse: bool, tracked: frozenset[str], is_shared: bool) -> Kept:
        key: _Key = (self._needed(asked, coarse), tracked, None if is_shared else asked)
        found = self._kept.get(key)
        if found is None or not found.answers(asked):
            others = [a for a in self._shared if self._has(a, key, coarse)] if is_shared else []
            found = self._kept[key] = Kept(self, key, coarse, [asked, *others])
        return found

    def _has(self, asked: Asked, key: _Key, coarse: bool) -> bool:
        """Whether something else that is asked wants the same."""
        if self._needed(asked, coarse) != key[0]:
            return False
        return any(key[1] == tracked for _, tracked in self._tracking.abstractions(asked.expressions))

    def _needed(self, asked: Asked, coarse: bool) -> frozenset[str]:
        key = asked.expressions, coarse
        if key not in self._zones:
            self._zones[key] = needed_zones(self._machine.game, asked.expressions, not coarse)
        return self._zones[key]


class _Alone:
    """A game that only one claim asks of: nothing is kept for others."""

    may_take_longer = False
    too_large: frozenset[_Key] = frozenset()

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def machine_for(self, _: list[Asked]) -> Machine:
        """The game."""
        return self._machine

    def make_room(self) -> None:
        """Nothing is kept."""


def looking_back(claim: ir.Property, turned: WithoutLookBack) -> Iterator[Kept]:
    """The abstractions that are tried of a claim that looks back, in order: each puts by what it looks back at.

    Raises:
        Unsupported: The abstraction has no way to follow some rule.
    """
    machine, asked = Machine(turned.game), asked_by(turned.claim)
    game = _Alone(machine)
    for coarse, tracked in Tracking(machine).abstractions(expressions_of(claim)):
        yield Kept(game, (frozenset(), tracked | turned.names, asked), coarse, [asked])


_games: dict[tuple[int, int], _Game] = {}  # each with its model, so that this keeps its identity
_MOST_GAMES: Final = 4


def explorations(asked: Asked, source: model.Model, num_players: int) -> Iterator[Kept]:
    """The abstractions that are tried of a question, in order. They are kept, for this question and for others.

    Raises:
        Unsupported: The abstraction has no way to follow some rule.
    """
    key = id(source), num_players
    if key not in _games:
        if len(_games) >= _MOST_GAMES:
            _games.pop(next(iter(_games)))
        _games[key] = _Game(source, num_players)
    return _games[key].abstractions(asked)


def _may_share(claim: ir.Property, num_players: int) -> bool:
    return (
        bool(claim.expressions)
        and claim.kind != "frequencies"
        and claim.players[0] <= num_players <= claim.players[1]
        and not looks_back(claim)
    )

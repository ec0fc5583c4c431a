"""Claims that follow from what is kept up at the stops of a game. It is found out once for all claims of a game."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dsl import ir, model
from dsl.lower import lower
from interpreter.machine import Machine
from verify.candidates import put_in
from verify.folded import OutOfTime, Unsupported
from verify.induction import Induction
from verify.lessons import OURS
from verify.outcome import Answer, Verdict
from verify.places import TooMany, assignments, at_once, expressions_of, game_with_scopes, looks, looks_back
from verify.potentials import Potentials
from verify.ranking import Ranked, Ranking
from verify.ruleproofs import Proof, prove_at_end
from verify.steering import Beginnings, Place
from verify.symmetry import seats

_ABOUT_POSITIONS = ("always", "never", "possible", "impossible", "bound", "values")
_MORE = 2  # so many times as long must be offered before it is tried once more


@dataclass(slots=True)
class Tried:
    """What came of it: what is kept up, or why nothing is known, and how many seconds it was given."""

    source: model.Model
    induction: Induction | None
    because: str
    offered: float


_tried: dict[tuple[int, int, str], Tried] = {}
_weighed: dict[tuple[int, int, ir.Property], tuple[model.Model, list[Potentials]]] = {}
_games: dict[tuple[int, int], tuple[model.Model, Machine]] = {}  # with their models, so that these keep their identity


class Obligations:
    """Which obligations of the rules cannot fail, by what is kept up."""

    def __init__(self, induction: Induction, seconds: float) -> None:
        self._nodes = induction.game.nodes
        self._risks = induction.at_risk(seconds)
        self._walked, self._come_by = induction.walked, induction.come_by
        self.told = f"every way between {len(induction.held)} stops keeps to it"

    def settles(self, sort: str, node: ir.Node, needed: tuple[ir.Expr, ...] = ()) -> bool:
        """Whether an obligation of a sort is sure to hold at a node; of "none", that the expressions have a value."""
        here = {i for i in self._walked if self._nodes[i].origin == node.origin and type(self._nodes[i]) is type(node)}
        if sort != "none":
            return not any((sort, i, 0) in self._risks for i in here)
        return all((i, id(x)) in self._come_by and ("none", i, id(x)) not in self._risks for x in needed for i in here)


def by_induction(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    """Proved, or unknown with the reason."""
    tried = learn(source, num_players, seconds * 0.7, claim)
    if tried.induction is None:
        return Answer(Verdict.UNKNOWN, "induction", because=tried.because)
    induction = tried.induction
    try:
        if looks_back(claim):
            return _over_a_step(claim, source, num_players, induction, seconds * 0.8)
        if induction.holds(claim, lambda node: looks(claim, source, node)):
            sentences = sum(map(len, induction.held.values()))
            because = f"{sentences} sentences, kept up by every way between {len(induction.held)} stops"
            return Answer(Verdict.PROVED, "induction", because=because)
    except (Unsupported, TooMany) as error:
        return Answer(Verdict.UNKNOWN, "induction", because=str(error))
    return Answer(Verdict.UNKNOWN, "induction", because="it does not follow from what was found to be kept up")


def by_potentials(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> Answer:
    """A bound, proved by weights for what is used up and done; or unknown with the reason."""
    try:
        found = weighed(claim, source, num_players, seconds)
    except (Unsupported, TooMany) as error:
        return Answer(Verdict.UNKNOWN, "potentials", because=str(error))
    rounds = sum(sought.rounds for sought in found)
    return Answer(Verdict.PROVED, "potentials", because=f"weights that all ways keep to, found in {rounds} rounds")


def weighed(claim: ir.Property, source: model.Model, num_players: int, seconds: float) -> list[Potentials]:
    """Weights from which a bound follows: for all values of its variables, of each end that it gives. They are kept.

    Raises:
        Unsupported: They were not found in the time.
        TooMany: The variables have too many values.
    """
    deadline = time.monotonic() + seconds
    key = id(source), num_players, claim
    if key in _weighed:
        return _weighed[key][1]
    induction = learn(source, num_players, seconds * 0.7, claim).induction
    if induction is None or looks_back(claim):
        raise Unsupported("nothing is known to be kept up")
    found = []
    for case in assignments(induction.machine, claim):
        number, premise = claim.expressions[0], claim.premise
        for (name, t), value in zip(claim.variables, case, strict=True):
            number, premise = (put_in(x, name, ir.Const(value, t)) for x in (number, premise))
        for end, limit in claim.expect:
            assert isinstance(limit, int | Fraction)
            sought = Potentials(
                induction, number, Fraction(limit), end == "max", lambda node: looks(claim, source, node), premise,
                deadline,
            )  # fmt: skip
            if not sought.find():
                raise Unsupported("no weights were found that all ways keep to")
            found.append(sought)
    _weighed[key] = source, found
    return found


def obligations(source: model.Model, num_players: int, seconds: float) -> Obligations | None:
    """What is kept up says this of the obligations of the rules; None where nothing is known in time."""
    induction = learn(source, num_players, seconds).induction
    if induction is None:
        return None
    with OURS.learning(seconds) as allowed, contextlib.suppress(Unsupported):
        return Obligations(induction, allowed)
    return None


def ranked(
    source: model.Model, num_players: int, seconds: float, is_cut: Callable[[ir.Node], bool] = lambda node: False
) -> Ranked | None:
    """Why play cannot go on for ever, or where it may, without the ways past what is cut. None where nothing is known
    in time.
    """
    induction = learn(source, num_players, seconds).induction
    if induction is None:
        return None
    cut = frozenset(i for i, node in enumerate(induction.game.nodes) if is_cut(node))
    with OURS.learning(seconds) as allowed, contextlib.suppress(Unsupported):
        return Ranking(induction, cut, allowed).found()
    return None


def _over_a_step(
    claim: ir.Property, source: model.Model, num_players: int, induction: Induction, seconds: float
) -> Answer:
    """A claim that compares the end of a rule with its beginning, where the rule begins as it can."""
    assert claim.scope is not None
    begins = induction.beginnings(claim.scope)
    if not begins.ways:
        return Answer(Verdict.UNKNOWN, "induction", because="the rule never begins")
    proof = _at_its_end(claim, source, num_players, begins, seconds)
    if proof.holds:
        because = f"from the {len(begins.ways)} ways in which the rule may begin, {proof.places} places"
        return Answer(Verdict.PROVED, "induction", because=because)
    return Answer(Verdict.UNKNOWN, "induction", because=proof.because)


def _at_its_end(claim: ir.Property, source: model.Model, num_players: int, begins: Beginnings, seconds: float) -> Proof:
    assert claim.scope is not None
    machine = Machine(lower(source, num_players, claim.scope, frozenset({claim.scope})))
    return prove_at_end(machine, claim, seconds, begins=begins)


def followed(
    claim: ir.Property, source: model.Model, num_players: int, induction: Induction, seconds: float
) -> Iterator[tuple[Place | None, str]]:
    """How a claim that was proved follows: texts in SMT-LIB that no values satisfy, each about one stop, or about the
    whole rule that it speaks of (None).
    """
    if not looks_back(claim):
        yield from induction.followed(claim, lambda node: looks(claim, source, node))
        return
    assert claim.scope is not None
    proof = _at_its_end(claim, source, num_players, induction.beginnings(claim.scope), seconds)
    if not proof.holds:
        raise OutOfTime
    yield None, proof.asked.to_smt2()


def is_learned(claim: ir.Property, source: model.Model, num_players: int) -> bool:
    """Whether it is already known what is kept up in this game."""
    known = _tried.get(_lesson(source, num_players, claim)[2])
    return known is not None and known.induction is not None


_Lesson: TypeAlias = tuple[Machine, tuple[ir.Property, ...], tuple[int, int, str]]


def _game(source: model.Model, num_players: int) -> Machine:
    """The game to learn about, with all rules marked that claims speak of. It is made once."""
    key = id(source), num_players
    if key not in _games:
        _games[key] = source, Machine(game_with_scopes(source, num_players))
    return _games[key][1]


def _lesson(source: model.Model, num_players: int, claim: ir.Property | None) -> _Lesson:
    """The game to learn about, the claim where it is looked at by itself, and what the result is kept under."""
    machine = _game(source, num_players)
    alone = () if claim is None or seats(machine, expressions_of(claim)) is not None else (claim,)
    return machine, alone, (id(source), num_players, alone[0].name if alone else "")


def learn(source: model.Model, num_players: int, seconds: float, claim: ir.Property | None = None) -> Tried:
    """What is kept up in this game; a claim that tells one seat from another is looked at by itself."""
    machine, alone, key = _lesson(source, num_players, claim)
    known = _tried.get(key)
    if known is not None and (known.induction is not None or max(seconds, OURS.seconds) < _MORE * known.offered):
        return known
    if OURS.too_hard:
        return Tried(source, None, "what always holds could not be learned in time", 0.0)
    claims = alone or tuple(c for c in map(at_once, source.properties) if _shares(c, machine, num_players))
    with OURS.learning(seconds) as allowed:
        try:
            induction = Induction(machine, claims, allowed)
            induction.settle()
            found = Tried(source, induction, "", allowed)
        except Unsupported as error:
            found = Tried(source, None, str(error), allowed)
            if isinstance(error, OutOfTime) and not alone:
                OURS.gave_up = allowed
    _tried[key] = found
    return found


def _shares(claim: ir.Property, machine: Machine, num_players: int) -> bool:
    return (
        claim.kind in _ABOUT_POSITIONS
        and claim.players[0] <= num_players <= claim.players[1]
        and seats(machine, expressions_of(claim)) is not None
    )

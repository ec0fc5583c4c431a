"""Whether a claim holds whenever its rule has come to its end, or anywhere at all, asked of a solver on terms."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import z3

from dsl import ir
from dsl.walk import parts, variables_read
from interpreter.machine import Machine
from interpreter.values import UNSET
from verify.env import Env
from verify.extents import Extents
from verify.folded import Unsupported, conj, lift, neg
from verify.piling import Piling
from verify.places import TooMany, assignments, expressions_of
from verify.seating import SeatTerms, names_of
from verify.steering import Beginnings, Place
from verify.symbolic import Symbolic
from verify.symmetry import seats
from verify.terms import Terms


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of it: `holds` True is proved, False means that a model was found, None that the solver gave up."""

    holds: bool | None
    because: str
    places: int
    asked: Any = None  # the solver that found so


def prove_at_end(machine: Machine, claim: ir.Property, seconds: float, from_the_start: bool = False,
                 begins: Beginnings | None = None, extents: Extents | None = None, terms: Terms | None = None,
                 ) -> Proof:  # fmt: skip
    """Whether a claim holds whenever its rule, which is marked in the machine's game, has come to its end.

    The machine's entry may be any rule around it: it is taken to begin in any position at all, or, with
    `from_the_start`, as a game begins, or as `begins` says. Where it seems to fail, `extents` say between which numbers
    lies what cards say. `terms` are given where not all is to be kept: with `SeatTerms`, it is asked of every number of
    players.

    Raises:
        Unsupported: Some part of the rule or the claim has no terms.
        TooMany: The claim's variables have too many values.
    """
    watched = variables_read(expressions_of(claim), machine.game)
    steer = None if begins is None else begins.steer
    symbolic = Symbolic(machine, watched, time.monotonic() + seconds, steer, terms)
    if begins is not None:
        starts = symbolic.begins_as(begins)
    else:
        starts = [symbolic.beginning()] if from_the_start else starts_apart(symbolic, claim)
    bad, ends, places = against(symbolic, claim, starts)
    if not ends:
        return Proof(None, "the rule never comes to its end", places)
    solver = symbolic.solver()
    solver.add(z3.Or(*bad))
    if not bad:
        return Proof(True, f"{places} places, no end where it could fail", places, solver)
    result = solver.check()
    if result == z3.sat and extents is not None and (facts := extents.facts(symbolic.terms.said)):
        solver.add(*facts)
        result = solver.check()
    if result == z3.unsat:
        whence = "from any position" if begins is None else "as the rule begins"
        whence = "from the start of the game" if from_the_start else whence
        return Proof(True, f"{whence}, {places} places and {ends} ends", places, solver)
    if result == z3.sat:
        return Proof(False, "there may be positions where it fails, as far as terms tell", places)
    return Proof(None, "the solver gave up", places)


def starts_apart(symbolic: Symbolic, claim: ir.Property) -> list[tuple[Place, Env]]:
    """Every way in which a rule may begin, but for those that differ in nothing but which seat is which.

    Where no rule and not the claim tell seats apart, what fails fails with every seat as the first, too.
    """
    if isinstance(symbolic.terms, SeatTerms):
        may_begin = symbolic.terms.may_begin
        return [(place, env) for place, env in symbolic.starts() if may_begin(symbolic.steering(place))]
    table = seats(symbolic.machine, expressions_of(claim))
    return [
        (place, env) for place, env in symbolic.starts()
        if table is None or not table.to_first(symbolic.steering_cells, place.steering)
    ]  # fmt: skip


def against(symbolic: Symbolic, claim: ir.Property, starts: list[tuple[Place, Env]]) -> tuple[list[Any], int, int]:
    """When a claim fails where its rule has come to its end (or what is possible holds): terms, of which one is enough.

    Second and third, how many ends there are, and how many places.
    """
    machine, terms = symbolic.machine, symbolic.terms
    spoken = names_of(claim, machine.game)
    seating = terms if isinstance(terms, SeatTerms) else None
    if seating is not None and seats(machine, expressions_of(claim)) is None:
        raise Unsupported("seats are told apart")
    looked_back = [p for p in parts(expressions_of(claim)) if isinstance(p, ir.Before)]
    terms.before = [(b.operand, n) for n, b in enumerate(looked_back)]
    cases = [
        dict(zip((n for n, _ in claim.variables), case, strict=True)) for case in assignments(machine, claim)
        if seating is None or seating.are_known(claim, spoken, case)
    ]  # fmt: skip

    def keep(env: Env) -> None:
        for case in cases:
            with terms.bound(**case):
                for n, before in enumerate(looked_back):
                    # A name that only the claim's own folds bind has a value for each of theirs.
                    for scope in _scopes(before, claim, machine):
                        with terms.bound(**scope):
                            value, sure = terms.defined(before.operand, env)
                            env.ghosts[(n, terms.scope_key())] = value
                            env.ghosts[(-1 - n, terms.scope_key())] = sure

    # Only a `before` that no fold of the claim surrounds is sure to be looked at.
    plain = [n for n, b in enumerate(looked_back) if list(_scopes(b, claim, machine)) == [{}] and _is_sure(b, claim)]
    assert claim.scope is not None
    is_wanted = None if seating is None else lambda place: seating.may_be_spoken_of(spoken, symbolic.steering(place))
    ends, places = symbolic.run(starts, keep, claim.scope, is_wanted)
    wants_yes = claim.kind in ("never", "possible", "impossible")
    bad: list[Any] = []
    for condition, env in ends:
        spoken_of = True if seating is None else seating.is_spoken_of(spoken, env)
        for case in cases if spoken_of is not False else ():
            with terms.bound(**case):
                truth, sure = terms.defined(claim.expressions[0], env)
                premise, applies = (True, True) if claim.premise is None else terms.defined(claim.premise, env)
                known = [env.ghosts.get((-1 - n, terms.scope_key()), True) for n in plain]
            sought = truth if wants_yes else neg(truth)
            found = conj(condition, spoken_of, applies, premise, sure, *known, sought)
            if found is not False:
                bad.append(lift(found))
    return bad, len(ends), places


def holds_anywhere(machine: Machine, claim: ir.Property, seconds: float) -> bool | None:
    """Whether a claim holds whatever its own variables and those of the game are, and however the cards lie.

    None where nothing at all can meet the premise. False says nothing: there may be no such position in play.

    Raises:
        Unsupported: The claim has no terms.
    """
    terms = Terms(machine)
    cells = [UNSET if v.local else terms.fresh(v.type, v.name) for v in machine.layout.cell_vars]
    env = Env(cells, Piling(machine, terms).anyhow(), 0, {})
    with terms.bound(**{name: terms.fresh(t, name) for name, t in claim.variables}):
        truth, sure = terms.defined(claim.expressions[0], env)
        premise, applies = (True, True) if claim.premise is None else terms.defined(claim.premise, env)
    solver = z3.Solver()
    solver.set("timeout", max(1, int(seconds * 1000)))
    for fact in terms.facts:
        solver.add(fact)
    solver.add(lift(conj(applies, premise, sure)))
    if solver.check() == z3.unsat:
        return None
    solver.add(lift(truth if claim.kind in ("never", "impossible") else neg(truth)))
    return bool(solver.check() == z3.unsat)


def _is_sure(before: ir.Before, claim: ir.Property) -> bool:
    """Whether the claim cannot be told without looking at this: it stands under no `if`, `and` or `or`."""
    for x in expressions_of(claim):
        for part in parts(x):
            shields = isinstance(part, ir.IfExpr) or (
                isinstance(part, ir.BinaryExpr) and part.op in (ir.Binary.AND, ir.Binary.OR)
            )
            if shields and any(p is before for p in parts(part)):
                return False
    return True


def _scopes(before: ir.Before, claim: ir.Property, machine: Machine) -> Iterator[dict[str, Any]]:
    """The values of names that folds around a `before` bind."""
    outer: dict[str, tuple[Any, ...]] = {}
    for x in expressions_of(claim):
        for part in parts(x):
            binder = getattr(part, "binder", None)
            if isinstance(binder, ir.Binder) and any(p is before for p in parts(part)):
                if not isinstance(binder.domain, ir.Domain):
                    raise TooMany("a look back inside a collection of cards")
                outer[binder.name] = machine.words.domain(binder.domain)
    for values in product(*outer.values()):
        yield dict(zip(outer, values, strict=True))

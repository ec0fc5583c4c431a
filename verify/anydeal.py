"""Claims that hold however the cards lie: in any zones, as many as these hold, each card of the pack in one of them.

Nothing is asked of how the cards could come to lie so. A claim that holds of every such deal is proved; where it fails
of one, that says nothing, unless the claim speaks of no zone and no state but of any cards at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import z3

from dsl import ir, types
from dsl.walk import reached
from interpreter.machine import Machine
from interpreter.values import UNSET, Fault
from verify.dealt import Dealt
from verify.dealt_piles import Pack, Place, sum_of
from verify.folded import OutOfTime, Unsupported, conj, lift, neg
from verify.outcome import Answer, Verdict
from verify.places import expressions_of

ENGINE = "any deal"
_MOST_CASES = 3000
_MOST_VALUES = 400
_FEW_CARDS = (4, 8, 16)
_FARTHEST = 1 << 20


@dataclass
class Question:
    """One case of a claim: the values of its variables, and the terms that say where it fails."""

    case: dict[str, Any]
    dealt: Dealt
    cells: list[Any]
    piles: dict[str, Any] = field(default_factory=dict)
    premise: Any = True
    holds: Any = True
    facts: list[Any] = field(default_factory=list)

    def key(self) -> tuple[Any, ...]:
        """Questions with the same key are the same: equal terms are one."""
        return tuple(lift(t).get_id() for t in (self.premise, self.holds, *self.facts))


def speaks_of_cards(claim: ir.Property, game: ir.Game) -> bool:
    """Whether cards can make a difference to a claim."""
    if any(isinstance(types.strip(t), ir.CardsType | ir.CardType) for _, t in claim.variables):
        return True
    return any(isinstance(p, ir.ZoneExpr | ir.AllOfZone) for p in reached(expressions_of(claim), game))


def answer(claim: ir.Property, machine: Machine, seconds: float) -> Answer | None:
    """Proved, vacuous or refuted; None where nothing can be told so. Proved is that no deal at all fails it.

    Of what is said to be possible, no deal at all is a refutation.
    """
    if not speaks_of_cards(claim, machine.game):
        return None
    deadline = time.monotonic() + seconds
    asked: dict[tuple[Any, ...], bool] = {}
    kept: list[Any] = []
    meets = False
    number = 0
    try:
        for question in questions(claim, machine, deadline):
            number += 1
            key = question.key()
            if key in asked:
                continue  # of another seat, but the same
            kept.append(question)  # or its numbers would be given to other terms
            solver = solver_of(question, deadline)
            solver.add(lift(question.premise))
            asked[key] = solver.check() != z3.unsat
            meets = meets or asked[key]
            if not asked[key]:
                continue
            solver.add(lift(neg(question.holds)))
            if solver.check() != z3.unsat:
                return _counterexample(claim, machine, question, solver)
    except Unsupported:
        return None
    if not meets:
        return Answer(Verdict.VACUOUS, ENGINE, because="no cards at all meet the premise")
    if claim.kind == "possible":
        return Answer(Verdict.REFUTED, ENGINE, because="no cards in any zones make it so, whatever else is so")
    cases = "" if number == 1 else f", in each of {number} cases"
    return Answer(Verdict.PROVED, ENGINE, because=f"however the cards lie, and whatever else is so{cases}")


def questions(claim: ir.Property, machine: Machine, deadline: float, apart: bool = False) -> Iterator[Question]:
    """The cases of a claim, one for each value of its variables of few values. `apart`: each zone is a place.

    Raises:
        Unsupported: There are too many, some part has no terms, or the time is up.
    """
    wants_no = claim.kind in ("never", "impossible", "possible")
    pack = Pack(machine)
    for case in _cases(claim, machine):
        if time.monotonic() > deadline:
            raise OutOfTime
        question = _asked(claim, machine, pack, case, None)
        groups = question.dealt.deal.groups()
        if not apart and any(len(g) > 1 for g in groups):
            question = _asked(claim, machine, pack, case, groups)
        if wants_no:
            question.holds = neg(question.holds)
        question.facts = question.dealt.all_facts()
        yield question


def _cases(claim: ir.Property, machine: Machine) -> Iterator[dict[str, Any]]:
    few: dict[str, tuple[Any, ...]] = {}
    size = 1
    for name, t in claim.variables:
        if isinstance(t, ir.CardType):
            few[name] = tuple(sorted({machine.words.cards.look[c] for c in machine.words.cards.pack}))
        elif not isinstance(types.strip(t), ir.CardsType | ir.CombinationsType | ir.FractionType):
            bounded = not isinstance(t, ir.IntType) or (t.low is not None and t.high is not None)
            values = machine.words.domain(t) if bounded else ()
            if 0 < len(values) <= _MOST_VALUES:
                few[name] = values
        size *= len(few.get(name, (0,)))
    if size > _MOST_CASES:
        raise Unsupported("there are too many cases")
    for values in product(*few.values()):
        yield dict(zip(few, values, strict=True))


def _asked(claim: ir.Property, machine: Machine, pack: Pack, case: dict[str, Any],
           groups: list[frozenset[int]] | None) -> Question:  # fmt: skip
    dealt = Dealt(machine, pack, groups)
    cells = [UNSET if v.local else dealt.fresh(v.type, v.name) for v in machine.layout.cell_vars]
    env, names = dealt.env(cells), dict(case)
    question = Question(case, dealt, cells)
    for name, t in claim.variables:
        if isinstance(t, ir.CardsType):
            names[name] = question.piles[name] = dealt.deal.any_cards(name)
        elif name not in names:
            names[name] = dealt.fresh(t, name)
        elif isinstance(names[name], ir.Combination):
            names[name] = dealt.hands.strength_of(names[name])
    with dealt.bound(**names):
        holds, sure = dealt.defined(claim.expressions[0], env)
        premise, applies = (True, True) if claim.premise is None else dealt.defined(claim.premise, env)
    question.holds, question.premise = holds, conj(applies, premise, sure)
    return question


def solver_of(question: Question, deadline: float) -> Any:
    """A solver that knows what can be so at all."""
    # The simplex at its core counts; the default one would take numbers up to 1 for Booleans and count by cases.
    solver = z3.SimpleSolver()
    solver.set("timeout", max(1, int((deadline - time.monotonic()) * 1000)))
    solver.add(*(lift(f) for f in question.facts))
    return solver


# --------------------------------------------------------------------------------------------- ends


def ends(claim: ir.Property, machine: Machine, seconds: float) -> tuple[int, int] | None:
    """Two numbers between which the claim's expression lies however the cards do, as near as terms tell; else None.

    Raises:
        Unsupported: There are no terms for it, or the time is up.
    """
    if not speaks_of_cards(claim, machine.game) or not isinstance(types.of(claim.expressions[0]), ir.IntType):
        return None
    deadline = time.monotonic() + seconds
    found: dict[tuple[Any, ...], tuple[int, int]] = {}
    kept: list[Any] = []
    for question in questions(claim, machine, deadline):
        if question.key() not in found:
            kept.append(question)  # or its numbers would be given to other terms
            least = _farthest(question, -lift(question.holds), deadline)
            most = None if least is None else _farthest(question, lift(question.holds), deadline)
            if least is None or most is None:
                return None
            found[question.key()] = (-least, most)
    return (min(low for low, _ in found.values()), max(high for _, high in found.values())) if found else None


def _farthest(question: Question, x: Any, deadline: float) -> int | None:
    """The greatest value of a whole number in a case that can be; None where there is none, or it is not known."""
    solver = solver_of(question, deadline)
    solver.add(lift(question.premise))
    if solver.check() != z3.sat:
        return None
    best, step, limit = _value(solver, x), 1, None
    while limit is None or best < limit:
        # Farther and farther on, until that is too far; then in between.
        wanted = best + step if limit is None else (best + limit + 1) // 2
        match solver.check(x >= wanted):
            case z3.sat:
                best, step = _value(solver, x), 2 * step
            case z3.unsat:
                limit = wanted - 1
            case _:
                return None
        if step > _FARTHEST:
            return None
    return best


def _value(solver: Any, x: Any) -> int:
    return int(solver.model().eval(x, model_completion=True).as_long())


# -------------------------------------------------------------------------------------------- deals


def deals(claim: ir.Property, machine: Machine, seconds: float) -> Iterator[dict[int, tuple[int, ...]]]:
    """Cards in zones of which the claim fails (or that make possible what should be), as far as terms tell.

    Few cards first. Nothing says that play can bring them there.
    """
    deadline = time.monotonic() + seconds
    try:
        for question in questions(claim, machine, deadline, apart=True):
            solver = solver_of(question, deadline)
            solver.add(lift(question.premise), lift(neg(question.holds)))
            places = question.dealt.deal.places
            total = lift(sum_of([n for place in places.values() for n in place.counts.values()]))
            for most in (*_FEW_CARDS, len(machine.words.cards.pack)):
                if solver.check(total <= most) == z3.sat:
                    yield lying(machine, places, solver.model())
                    break
    except Unsupported:
        return


def lying(machine: Machine, places: Mapping[frozenset[int], Place], model: Any) -> dict[int, tuple[int, ...]]:
    """The cards of a model, zone by zone, no card twice."""
    left = list(machine.words.cards.pack)
    out: dict[int, tuple[int, ...]] = {}
    for (cell,), place in places.items():
        out[cell] = cards_of(machine, _counts(model, place.counts), left)
        left = [c for c in left if c not in out[cell]]
    return out


def _counts(model: Any, counts: Mapping[int, Any]) -> dict[int, int]:
    return {look: model.eval(lift(count), model_completion=True).as_long() for look, count in counts.items()}


# --------------------------------------------------------------------------------------- counterexamples


def _counterexample(claim: ir.Property, machine: Machine, question: Question, solver: Any) -> Answer | None:
    """Cards of which the claim does not hold, where it speaks of any cards at all; checked by the interpreter."""
    if solver.check() != z3.sat or any(isinstance(p, ir.Var | ir.ZoneExpr | ir.AllOfZone | ir.TimeLeft)
                                       for p in reached(expressions_of(claim), machine.game)):  # fmt: skip
        return None
    if any(n not in question.case and n not in question.piles for n, _ in claim.variables):
        return None
    if any(isinstance(t, ir.CardType) for _, t in claim.variables):
        return None
    model = solver.model()
    values = dict(question.case)
    for name, pile in question.piles.items():
        values[name] = cards_of(machine, _counts(model, pile.by_look), machine.words.cards.pack)
    if not fails(claim, machine, values):
        return None
    words = machine.words
    told = ", ".join(f"{n} = {words.show(values[n], t)}" for n, t in claim.variables)
    return Answer(Verdict.REFUTED, ENGINE, because=f"not so of {told}")


def cards_of(machine: Machine, counts: Mapping[int, int], among: Sequence[int]) -> tuple[int, ...]:
    """So many cards of each look."""
    cards = machine.words.cards
    left = dict(counts)
    found = []
    for card in among:
        if left.get(cards.look[card], 0) > 0:
            left[cards.look[card]] -= 1
            found.append(card)
    return tuple(found)


def fails(claim: ir.Property, machine: Machine, values: dict[str, Any]) -> bool:
    """Whether a claim about no position fails for these values of its variables."""
    compiler = machine.compiler
    state = machine.blank(recording=False)
    with compiler.bound(*values) as slots:
        truth = compiler.compile(claim.expressions[0])
        premise = None if claim.premise is None else compiler.compile(claim.premise)
    for slot, value in zip(slots, values.values(), strict=True):
        compiler.scratch[slot] = value
    try:
        if premise is not None and not premise(state):
            return False
        return bool(truth(state)) is (claim.kind in ("never", "impossible"))
    except Fault:
        return False

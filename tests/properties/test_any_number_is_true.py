"""What has happened in a play is never said never to happen, of any number of players."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dsl import ir, model, types
from interpreter.machine import Machine
from interpreter.state import State
from interpreter.values import Fault
from tests.properties.beside import move_on
from tests.properties.seated import FEWEST, MOST, seated_games
from tests.properties.test_semantics import RELAXED, read
from verify.outcome import Verdict
from verify.places import assignments, machine_for
from verify.steps import by_terms, for_any_number

Seen = list[tuple[int, bool]]  # which of the claims have a value, and it


class Watch:
    """What holds of the claims where their rule ends, in plays of one number of players."""

    def __init__(self, source: model.Model, num_players: int) -> None:
        first = source.properties[0]
        self.machine: Machine = machine_for(first, source, num_players)
        compiler = self.machine.compiler
        with compiler.bound(*(n for n, _ in first.variables)) as self.slots:
            self.asked = [compiler.compile(c.expressions[0]) for c in source.properties]
        self.cases = list(assignments(self.machine, first))
        self.begun: list[State] = []
        self.seen: list[Seen] = []
        self.machine.effects.watch = self._mark

    def _mark(self, state: State, node: ir.Mark) -> None:
        if node.begins:
            self.begun.append(state.clone())
            return
        compiler = self.machine.compiler
        compiler.before = self.begun.pop()
        for case in self.cases:
            for slot, value in zip(self.slots, case, strict=True):
                compiler.scratch[slot] = value
            found: Seen = []
            for i, asked in enumerate(self.asked):
                try:
                    found.append((i, bool(asked(state))))
                except Fault:
                    continue  # what cannot be told is not claimed
            self.seen.append(found)

    def play(self, seed: str) -> None:
        rng = random.Random(seed)
        self.begun.clear()
        try:
            state = self.machine.initial(recording=False)
            for _ in range(60):
                if self.machine.is_terminal(state):
                    break
                state, _ = move_on(self.machine, state, rng)
        except Fault:
            pass


def denied(source: model.Model, seen: Seen) -> ir.Property:
    """The claim that what was seen never is."""
    parts: list[ir.Expr] = []
    for i, holds in seen:
        x = source.properties[i].expressions[0]
        parts.append(x if holds else ir.UnaryExpr(ir.Unary.NOT, x, types.BOOL))
    whole = reduce(lambda a, b: ir.BinaryExpr(ir.Binary.AND, a, b, types.BOOL), parts)
    return replace(source.properties[0], kind="never", expressions=(whole,))


def check_game(text: str, seed: int, told: Counter[str], most: int = 4, seconds: float = 2.0) -> None:
    source, reporter = read(text)
    if source is None:
        told[f"refused: {[d.message for d in reporter.diagnostics][:1]}"] += 1
        return
    rng = random.Random(seed)
    for i in range(most):
        players = rng.randint(FEWEST, MOST)
        watch = Watch(source, players)
        for play in range(4):
            watch.play(f"{seed}/{i}/{play}")
        seen = [s for s in watch.seen if s]
        if not seen:
            told["never looked at"] += 1
            continue
        happened = rng.choice(seen)
        happened = rng.sample(happened, rng.randint(1, len(happened)))
        claim = denied(source, happened)
        answer, few = for_any_number(claim, source, seconds)
        told[answer.because if answer.verdict is Verdict.UNKNOWN else "proved"] += 1
        words = [(source.properties[i].name, v) for i, v in happened]
        assert answer.verdict is not Verdict.PROVED or players < few, (
            f"{words} with {players}: {answer.because}\n{text}"
        )
        if i == 0:
            found = by_terms(claim, source, players, seconds / 2)
            assert found.verdict is not Verdict.PROVED, f"{words} with {players}, terms: {found.because}\n{text}"


@settings(RELAXED, max_examples=2, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(text=seated_games(), seed=st.integers(0, 10**6))
def test_what_has_happened_is_not_denied(text: str, seed: int) -> None:
    check_game(text, seed, Counter(), 1, 1.0)


@pytest.mark.slow
def test_what_has_happened_is_not_denied_of_many_games() -> None:
    told = Counter[str]()

    @settings(RELAXED, max_examples=12, phases=[Phase.explicit, Phase.reuse, Phase.generate])
    @given(text=seated_games(), seed=st.integers(0, 10**6))
    def each(text: str, seed: int) -> None:
        check_game(text, seed, told)

    each()
    assert told["there may be positions where it fails, as far as terms tell"] > 8, told

"""How many seeded faults the games' own examples notice: never fewer than they did."""

from __future__ import annotations

import pytest

from cli.driver import GAMES
from dsl.load import Loaded
from verify.mutants import mutants
from verify.mutation import Wanted, mutate
from verify.mutation_report import count
from verify.mutation_same import means_the_same
from verify.mutation_trial import CAUGHT, Subject

# What was measured, without the prover. What is left is equivalent, or shown in `hoyle mutate GAME`.
FLOORS = {"four_rows": 0.98, "poker_bull": 0.98}


@pytest.mark.slow
@pytest.mark.parametrize("game", FLOORS)
def test_examples_notice_as_many_faults_as_they_did(game: str) -> None:
    """And what is proved to mean the same is noticed by nothing: else the proof is wrong."""
    subject = Subject(GAMES / f"{game}.yaml", game, GAMES)
    loaded = subject.load()
    assert isinstance(loaded, Loaded) and (made := loaded.model()) is not None
    assert len(mutants(loaded, made)) > 150
    tried = mutate(subject, Wanted(), budget=600, asks=False)
    score = count(tried).score
    assert score is not None and score >= FLOORS[game]
    for t in tried[::3]:
        if t.finding.fate in CAUGHT:
            assert not means_the_same(t.mutant, loaded, 10), t.mutant.words

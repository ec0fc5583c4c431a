"""The benchmarks run; how fast anything is they only print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_prover_is_measured_engine_by_engine() -> None:
    command = [sys.executable, "benchmarks/prove.py", "four_rows", "--seconds", "0.02"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    for words in ("2 players, 16 cards, 8 slots each", "learned with  1 players", "induction", "whole_scores"):
        assert words in done.stdout

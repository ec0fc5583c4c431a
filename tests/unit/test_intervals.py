"""Intervals of 95 %, against figures from tables."""

from __future__ import annotations

import pytest

from interpreter.intervals import mean_interval, share_interval


def test_the_interval_of_a_share() -> None:
    assert share_interval(0, 0) == (0.0, 1.0)
    low, high = share_interval(10, 10)
    assert (round(low, 4), round(high, 4)) == (0.7225, 1.0)
    assert [round(end, 4) for end in share_interval(81, 263)] == [0.2553, 0.3662]


def test_the_interval_of_a_mean_widens_for_few_values() -> None:
    assert mean_interval([1.0, 2.0, 3.0]) is None
    low, high = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]) or (0, 0)
    # Student's quantile for 8 degrees of freedom is 2.3060.
    assert high - 5 == pytest.approx(2.3060 * (7.5 / 9) ** 0.5, rel=5e-3) == 5 - low
    assert mean_interval([7.0] * 9) == (7.0, 7.0)

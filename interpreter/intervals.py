"""How sure a figure is that some games gave: 95 % intervals of a share and of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

NORMAL = 1.959964
"""Within so many standard deviations of its mean lie 95 % of a normal distribution."""


def share_interval(count: int, total: int) -> tuple[float, float]:
    """Where a share lies that was seen `count` times in `total` (Wilson 1927); from 0 to 1 if nothing was seen."""
    if not total:
        return 0.0, 1.0
    squared, share = NORMAL * NORMAL, count / total
    middle = (share + squared / (2 * total)) / (1 + squared / total)
    half = NORMAL * math.sqrt(share * (1 - share) / total + squared / (4 * total * total)) / (1 + squared / total)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Where a mean lies of which some values were seen (Student 1908); None for fewer than 4 of them."""
    count = len(values)
    if count < 4:
        return None
    mean = sum(values) / count
    error = math.sqrt(sum((v - mean) ** 2 for v in values) / (count - 1) / count)
    # The quantile by its expansion for many degrees of freedom (Abramowitz and Stegun 1964, 26.7.5).
    free, z = count - 1, NORMAL
    quantile = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free * free)
    return mean - quantile * error, mean + quantile * error

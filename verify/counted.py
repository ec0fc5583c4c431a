"""The abstractions of certificates of proofs by counts: made from what an index says of them, or told there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from dsl import ir, model
from dsl.lower import lower
from interpreter.machine import Machine
from verify.checks_shared import AtPlayers, Recording
from verify.counting import CountMachine
from verify.images import Images
from verify.leading_counts import looking_at_now, turns
from verify.places import expressions_of, machine_for
from verify.points import Point
from verify.symmetry import Canonical, canonical
from verify.wanted import LEADS

MOST: Final = 50_000
"""So many positions are written down at the most."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One abstraction: its steps, where play begins, and what is alike there.

    `rule` None is the whole game; else it is that rule alone, begun in any way.
    """

    counting: CountMachine
    rule: str | None
    coarse: bool
    starts: Sequence[Point]
    canonical: Canonical | None
    images: Images | None

    def listed(self, file: str, number: int) -> dict[str, Any]:
        """What the index says of it, and of so many positions in a file."""
        return {
            "file": file, "positions": number, "rule": self.rule, "coarse": self.coarse,
            "keeps": sorted(self.counting.tracked), "counts": self.zones,
            "alike": [] if self.images is None else self.images.told(),
        }  # fmt: skip

    @property
    def zones(self) -> list[str]:
        """The zones that are counted."""
        cells = zip(self.counting.layout.zone_cells, self.counting.start().counts, strict=True)
        return sorted({cell.name for cell, n in cells if n is not None})


def of_claim(claim: ir.Property, source: model.Model, num_players: int, coarse: bool, keeps: frozenset[str]) -> Counted:
    """The abstraction at which a claim is asked of positions, or what leads to what, with these variables kept."""
    machine = machine_for(claim, source, num_players)
    if claim.kind == LEADS:
        claim = looking_at_now(claim)
    asked = expressions_of(claim)
    counting = CountMachine(machine, keeps, asked, coarse)
    if claim.kind == LEADS and turns(claim, asked):
        # Where one case of the claim is told from another, positions that are alike for all together are not one.
        return Counted(counting, None, coarse, [counting.start()], None, None)
    alike = canonical(machine, asked, claim.variables), Images(machine, asked, claim.variables)
    return Counted(counting, None, coarse, [counting.start()], *alike)


def of_check(at: AtPlayers, rule: str | None, keeps: frozenset[str], zones: frozenset[str]) -> Counted:
    """The abstraction at which free checks are asked, of the whole game or of one rule.

    Raises:
        Unsupported: The rule cannot be looked at by itself.
    """
    machine = at.machine if rule is None else Machine(lower(at.source, at.num_players, entry=rule))
    counting = Recording(machine, keeps, zones)
    starts = [counting.start()] if rule is None else counting.starts_anywhere()
    return Counted(counting, rule, False, starts, counting.canonical, Images(machine))

"""Bounds by weights, as files: that what is left to gain is kept up on each way, and that the bound follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import z3

from dsl import ir, types
from verify.circling import TAKEN
from verify.evidence_ends import told_assumptions
from verify.folded import lift
from verify.induction import Induction
from verify.potentials import Point, Potentials
from verify.steering import Place
from verify.wanted import Question
from verify.weighing import LOOKS, NUMBER, Scale, count_name
from verify.wording import Wording


class Weighed:
    """What was found of the ends of one bound, to be written down. `numbers`: of the stops."""

    def __init__(
        self, induction: Induction, found: Sequence[Potentials], numbers: dict[Place, int], wording: Wording
    ) -> None:
        self._induction, self._found, self._numbers, self._wording = induction, found, numbers, wording
        self._scales = [self._scale(x) for x in found]

    def _scale(self, x: Potentials) -> Scale:
        whole = isinstance(types.of(x.number), ir.IntType) and x.limit.denominator == 1
        rests = {i: x.weights.rests[p.pc] for p, i in self._numbers.items() if self._induction.is_reached(p)}
        return Scale(x.upper, x.limit, whole, x.weights.counts, x.weights.number, rests)

    def listed(self) -> list[dict[str, Any]]:
        """What the index says of each end."""
        return [
            {
                "number": self._wording.of(x.number), "end": "max" if x.upper else "min", "limit": str(x.limit),
                "whole": scale.whole, "weights": list(scale.counts), "weight": scale.number,
                "counts": [self._wording.of(count) for count in x.counts],
                "rests": {str(stop): rest for stop, rest in sorted(scale.rests.items())},
            }
            for x, scale in zip(self._found, self._scales, strict=True)
        ]  # fmt: skip

    def questions(self) -> Iterator[Question]:
        """Each way of each end, and each stop where the claim looks, as a text that no values satisfy."""
        for place, number in self._numbers.items():
            if not self._induction.is_reached(place):
                says = f"Play never comes to stop {number}: what is held there cannot be."
                words = [says, *told_assumptions(self._induction, self._wording, place)]
                yield Question(f"never-{number:04}", self._induction.asked(place), words, {"never": number})
        for number, (x, scale) in enumerate(zip(self._found, self._scales, strict=True), 1):
            yield from self._of(number, x, scale)

    def _of(self, number: int, x: Potentials, scale: Scale) -> Iterator[Question]:
        for ways in x.ways:
            place = None if ways.here is None else ways.here.place
            whence = 0 if place is None else self._numbers[place]
            here = [] if ways.here is None else self._named(ways.here, scale, "here")
            parts = Counter(point.place for _, point in ways.there)
            seen: Counter[Place] = Counter()
            for condition, point in ways.there:
                seen[point.place] += 1
                to, part = self._numbers[point.place], seen[point.place]
                facts = [*here, *self._named(point, scale, "there"), z3.Bool(TAKEN) == lift(condition)]
                says = f"Where play goes from {_stop(whence)} to stop {to}, what is left does not fall below 0."
                data = {"of": number, "from": whence, "to": to, "part": part, "parts": parts[point.place]}
                name = f"weights-{number}-{whence:04}-{to:04}-{part:03}"
                yield self._question(name, place, facts, scale.kept(whence, to), [says, *self._told(x, scale)], data)
            if ways.premise is not False:
                facts = [*here, *ways.facts, z3.Bool(LOOKS) == lift(ways.premise)]
                says = f"At stop {whence}, where nothing that is left is below 0, the number is within its limit."
                name, data = f"weights-{number}-{whence:04}", {"of": number, "looks": whence}
                yield self._question(name, place, facts, scale.within(whence), [says, *self._told(x, scale)], data)

    def _question(
        self, name: str, place: Place | None, facts: list[Any], ending: str, words: list[str], data: dict[str, Any]
    ) -> Question:
        text = self._induction.asked(place, *facts, apart=True).removesuffix("(check-sat)\n") + ending
        words += told_assumptions(self._induction, self._wording, place, apart=True)
        return Question(name, text, words, data)

    def _told(self, x: Potentials, scale: Scale) -> Iterator[str]:
        """What the names stand for."""
        yield f"  {NUMBER}: {self._wording.of(x.number)}, {'at most' if x.upper else 'at least'} {x.limit}"
        for i in scale.weighed:
            yield f"  {count_name(i)}, with the weight {scale.counts[i - 1]}: {self._wording.of(x.counts[i - 1])}"

    @staticmethod
    def _named(point: Point, scale: Scale, where: str) -> list[Any]:
        """What the names in the last lines stand for at one end of a way."""
        named = z3.Int if scale.whole else z3.Real
        facts = [*point.facts, named(f"{NUMBER}!{where}") == point.number]
        return [*facts, *(named(f"{count_name(i)}!{where}") == point.counts[i - 1] for i in scale.weighed)]


def _stop(number: int) -> str:
    return f"stop {number}" if number else "the beginning of the game"

"""What a certificate says of a bound by weights: the last lines of its questions, made from the numbers alone.

What is left to gain at a stop is a sum with weights of counts and of the number that is bounded, and something that is
added there. It is not below 0 where the game begins, no way between stops brings it below 0, and where the claim looks
the number would have to be past its limit for it to be so.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from verify.circling import TAKEN


@dataclass(frozen=True, slots=True)
class Scale:
    """The weights of one end of one bound: of counts, of the number, and what is added at each stop.

    `upper`: `limit` is the most, else the least. `whole`: the number is a whole number.
    """

    upper: bool
    limit: Fraction
    whole: bool
    counts: tuple[int, ...]
    number: int
    rests: dict[int, int]

    @property
    def weighed(self) -> list[int]:
        """The counts that have a weight, numbered from 1."""
        return [i for i, w in enumerate(self.counts, 1) if w]

    def kept(self, whence: int, to: int) -> str:
        """That what is left is kept up on a way; 0 is the beginning of the game."""
        lines = [f"(assert {TAKEN})"]
        lines += [f"(assert (<= {self._numeral(0)} {self._left(whence, 'here')}))"] if whence else []
        return _ended([*lines, f"(assert (> {self._numeral(0)} {self._left(to, 'there')}))"])

    def within(self, stop: int) -> str:
        """That the number is within its limit where the claim looks at a stop."""
        beyond = f"({'>' if self.upper else '<'} {NUMBER}!here {self._numeral(self.limit)})"
        left = f"(assert (<= {self._numeral(0)} {self._left(stop, 'here')}))"
        return _ended([f"(assert {LOOKS})", left, f"(assert {beyond})"])

    def _left(self, stop: int, where: str) -> str:
        parts = [f"(* {self._numeral(self.counts[i - 1])} {count_name(i)}!{where})" for i in self.weighed]
        parts.append(f"(* {self._numeral(self.number)} {NUMBER}!{where})")
        return f"(+ {self._numeral(self.rests[stop])} {' '.join(parts)})"

    def _numeral(self, x: int | Fraction) -> str:
        x = Fraction(x)
        size, point = abs(x), "" if self.whole else ".0"
        text = f"{size.numerator}{point}"
        text = text if size.denominator == 1 else f"(/ {text} {size.denominator}{point})"
        return f"(- {text})" if x < 0 else text


LOOKS = "stop!looked_at"
"""The name of the condition under which the claim looks at a stop."""
NUMBER = "number"


def count_name(i: int) -> str:
    """The name of a count; what it is at either end of a way is told by `!here` and `!there` behind it."""
    return f"count{i}"


def _ended(lines: list[str]) -> str:
    return "\n".join([*lines, "(check-sat)", ""])

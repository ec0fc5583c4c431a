"""Certificates of claims, read again: whether they have a question for each stop where the claim looks, and of a bound
by weights for each way between stops, with the same weights at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from dsl import ir, model
from interpreter.machine import Machine
from verify.places import TooMany, assignments, game_with_scopes, looks, looks_back
from verify.recheck import Asked, Certificate, get
from verify.recheck_ends import is_number, way_of
from verify.refused import DOES_NOT_FOLLOW, Refused
from verify.weighing import Scale

_STOPS: Final = re.compile(r"[1-9][0-9]{0,6}")


def compare(certificate: Certificate, held: Certificate, source: model.Model) -> None:
    """Looks at the certificate of a claim, beside the one of what is held at the stops.

    Raises:
        Refused: It is damaged, or it does not follow from its questions that the claim is so.
    """
    claim = next((c for c in source.properties if c.name == certificate.about), None)
    if certificate.claim is None or claim is None:
        return
    machine = Machine(game_with_scopes(source, certificate.players))
    if "weights" in certificate.head:
        _Weights(certificate, held, claim, source, machine).check()
    elif looks_back(claim):
        if not certificate.asked:
            raise _gap(certificate, "nothing is said of the rule that the claim speaks of", "files")
    else:
        said = [a.data.get("looks") for a in certificate.asked]
        for number in _looked_at(held, claim, source, machine):
            if number not in said:
                raise _gap(certificate, f"nothing is said of stop {number}, where the claim looks", "files")


def _looked_at(held: Certificate, claim: ir.Property, source: model.Model, machine: Machine) -> list[int]:
    """The numbers of the stops where a claim looks."""
    out = []
    for stop in get(held.source, held.head, "stops", list):
        number, node = (stop.get("number"), stop.get("node")) if isinstance(stop, dict) else (None, None)
        if not (is_number(number) and is_number(node) and 0 <= node < len(machine.game.nodes)):
            raise Refused("`stops` should list each stop with its `number` and its `node`", held.place("stops"))
        if looks(claim, source, machine.game.nodes[node]):
            out.append(number)
    return out


def _gap(certificate: Certificate, message: str, key: str, value: str = "") -> Refused:
    return Refused(message, certificate.place(key, value), code=DOES_NOT_FOLLOW)


@dataclass(frozen=True, slots=True)
class _Weights:
    certificate: Certificate
    held: Certificate
    claim: ir.Property
    source: model.Model
    machine: Machine

    def check(self) -> None:
        scales = self._scales()
        ways = {way_of(self.held, a) for a in self.held.asked}
        looked = _looked_at(self.held, self.claim, self.source, self.machine)
        asked = self.certificate.asked
        never = {a.data["never"] for a in asked if is_number(a.data.get("never"))}
        if any("never" not in a.data and a.data.get("of") not in range(1, len(scales) + 1) for a in asked):
            raise _gap(self.certificate, "a question is of no end of the bound", "files")
        for number, scale in enumerate(scales, 1):
            of = [a for a in asked if "never" not in a.data and a.data.get("of") == number]
            self._ways(scale, of, {(a, b) for a, b in ways if not {a, b} & never})
            self._looks(scale, of, [stop for stop in looked if stop not in never])

    def _ways(self, scale: Scale, asked: list[Asked], ways: set[tuple[int, int]]) -> None:
        """That each way has all its parts, and each asks what its weights are."""
        parts: dict[tuple[int, int], dict[int, int]] = {}
        for a in asked:
            if "looks" in a.data:
                continue
            whence, to = way_of(self.certificate, a)
            part, of = a.data.get("part"), a.data.get("parts")
            if not (is_number(part) and is_number(of) and 1 <= part <= of):
                raise Refused("`part` should be one of so many `parts`", self._at(a))
            parts.setdefault((whence, to), {})[part] = of
            if not {whence, to} <= {0, *scale.rests} or not to:
                raise self._wrong(a)
            self._same(a, scale.kept(whence, to))
        for whence, to in sorted(ways):
            found = parts.get((whence, to), {})
            if not found or any(of != len(found) for of in found.values()):
                begins = f"stop {whence}" if whence else "the beginning"
                raise _gap(self.certificate, f"not all is said of the way from {begins} to stop {to}", "files")

    def _looks(self, scale: Scale, asked: list[Asked], looked: list[int]) -> None:
        said = set()
        for a in asked:
            if "looks" in a.data:
                stop = a.data["looks"]
                if not is_number(stop) or stop not in scale.rests:
                    raise self._wrong(a)
                self._same(a, scale.within(stop))
                said.add(stop)
        for stop in looked:
            if stop not in said:
                raise _gap(self.certificate, f"nothing is said of stop {stop}, where the claim looks", "files")

    def _same(self, asked: Asked, ending: str) -> None:
        if not asked.text.endswith("\n" + ending):
            raise _gap(self.certificate, "this question does not ask what the weights are", "file", asked.path.name)

    def _wrong(self, asked: Asked) -> Refused:
        return _gap(self.certificate, "no such stop has weights", "file", asked.path.name)

    def _at(self, asked: Asked) -> Any:
        return self.certificate.place("file", asked.path.name)

    def _scales(self) -> list[Scale]:
        """The weights that are listed: for each end that the claim gives, for all values of its variables."""
        listed = get(self.certificate.source, self.certificate.head, "weights", list)
        try:
            cases = len(list(assignments(self.machine, self.claim)))
        except TooMany:
            cases = 0
        ends = [(end, Fraction(limit)) for end, limit in self.claim.expect if isinstance(limit, int | Fraction)] * cases
        if len(listed) != len(ends) or not ends:
            raise _gap(self.certificate, f"the claim gives {len(ends)} ends, and these are {len(listed)}", "weights")
        return [self._read(x, end, limit) for x, (end, limit) in zip(listed, ends, strict=True)]

    def _read(self, x: Any, end: str, limit: Fraction) -> Scale:
        if not isinstance(x, dict) or x.get("end") != end or x.get("limit") != str(limit):
            raise _gap(self.certificate, f"where `{end}` {limit} should be, something else is weighed", "weights")
        rests, counts, number = x.get("rests"), x.get("weights"), x.get("weight")
        if (
            isinstance(rests, dict) and all(_STOPS.fullmatch(k) and is_number(v) for k, v in rests.items())
            and isinstance(counts, list) and all(map(is_number, counts)) and is_number(number)
            and isinstance(x.get("whole"), bool)
        ):  # fmt: skip
            by_stop = {int(k): v for k, v in rests.items()}
            return Scale(end == "max", limit, x["whole"], tuple(counts), number, by_stop)
        raise Refused("`weights` should list whole numbers", self.certificate.place("weights"))

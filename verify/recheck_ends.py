"""Certificates that say that play ends, read again: whether their questions together say so. See `circling`."""

from __future__ import annotations

from typing import Any, Final, TypeGuard

from dsl import model
from verify import circling
from verify.hands import ending_rules
from verify.recheck import Asked, Certificate, get
from verify.refused import DOES_NOT_FOLLOW, Refused
from verify.wanted import ENDS

_KEYS: Final = ("from", "to", "level")


def compare(certificate: Certificate, held: Certificate, source: model.Model) -> None:
    """Looks at a certificate that says that play ends, beside the one that has all ways between stops.

    Raises:
        Refused: It is damaged, or does not speak of what has to end, or it does not follow that it ends.
    """
    if certificate.about not in ENDS or certificate.claim is not None:
        return
    wanted = ending_rules(certificate.about, source)
    ends = get(certificate.source, certificate.head, "ends", list)
    said = [x.get("of") if isinstance(x, dict) else None for x in ends]
    if said != wanted or any(a.data.get("of") not in wanted for a in certificate.asked):
        message = f"this should say of {', '.join(f'`{rule}`' for rule in wanted)} that it ends, and of nothing else"
        raise Refused(message, certificate.place("ends"), code=DOES_NOT_FOLLOW)
    ways = {way_of(held, asked) for asked in held.asked}
    for x in ends:
        _follows(certificate, x, {(a, b) for a, b in ways if a})


def _follows(certificate: Certificate, x: dict[str, Any], ways: set[circling.Way]) -> None:
    number = len(get(certificate.source, x, "ranks", list))
    levels = get(certificate.source, x, "levels", list)
    if not all(isinstance(level, list) and _are_ranks(level, number) for level in levels):
        raise Refused("`levels` should list the numbers of ranks", certificate.place("levels"))
    asked = [(_asked(certificate, a), a) for a in certificate.asked if a.data["of"] == x["of"]]
    try:
        said = [a for a, _ in asked]
        circling.check(ways, levels, said)
        for a, file in asked:
            if not file.text.endswith("\n" + circling.ending(a, levels, circling.before(said, a))):
                raise circling.Gap("this question does not ask what the index says of it", a)
    except circling.Gap as gap:
        file_of = {id(a): file for a, file in asked}
        named = file_of.get(id(gap.asked))
        place = certificate.place("levels") if named is None else certificate.place("file", named.path.name)
        raise Refused(f"of `{x['of']}`: {gap.message}", place, code=DOES_NOT_FOLLOW) from None


def _asked(certificate: Certificate, file: Asked) -> circling.Asked:
    """What the index says that a question is about."""
    data, place = file.data, certificate.place("file", file.path.name)
    whence, to, level = (data.get(key) for key in _KEYS)
    limited, rises = data.get("limited", []), data.get("rises", False)
    if not (is_number(whence) and is_number(level) and (to is None or is_number(to))):
        raise Refused("`from`, `to` and `level` should be numbers", place)
    if not (isinstance(limited, list) and all(map(is_number, limited)) and isinstance(rises, bool)):
        raise Refused("`limited` should list the numbers of ranks, and `rises` be true or false", place)
    return circling.Asked(whence, to, level, tuple(limited), rises)


def way_of(certificate: Certificate, file: Asked) -> circling.Way:
    """Between which stops a question is; 0 is the beginning of the game. Raises `Refused` where that is not said."""
    whence, to = file.data.get("from"), file.data.get("to")
    if not (is_number(whence) and is_number(to)):
        raise Refused("`from` and `to` should be numbers of stops", certificate.place("file", file.path.name))
    return whence, to


def is_number(x: Any) -> TypeGuard[int]:
    """Whether a value of JSON is a whole number."""
    return isinstance(x, int) and not isinstance(x, bool)


def _are_ranks(listed: list[Any], number: int) -> bool:
    """Whether some numbers are different ones of so many ranks."""
    return all(is_number(m) and 1 <= m <= number for m in listed) and len(set(listed)) == len(listed)

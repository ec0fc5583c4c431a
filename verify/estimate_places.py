"""Where a zone or a variable lies in a point of the count abstraction, and what is known of what lies there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from interpreter.state import Family, Layout
from interpreter.values import UNSET
from verify.capacities import Summed
from verify.counts import Counts, Estimate, Impossible, no_place
from verify.unknown import UNKNOWN, held

Finder: TypeAlias = Callable[[Counts], int | None]
"""Tells a place; None where it is not known which."""


def finder(family: Family, used: list[Estimate], is_summed: bool) -> Finder:
    """The place of one of a family, by its indices: all of them, or all but the last where it is summed over that."""
    # A summed family is counted in the first cell of its last index.
    last = (family.lows[-1],) if is_summed else ()
    base, missing = family.base, no_place(family.name)
    if not used:
        return lambda s: base
    if len(used) == 1:
        (only,), low, size, stride = used, family.lows[0], family.sizes[0], family.strides[0]

        def find_one(s: Counts) -> int | None:
            value = only(s)
            if value is UNKNOWN:
                return None
            if not low <= value < low + size:
                raise Impossible(missing)
            return int(base + (value - low) * stride)

        return find_one

    def find(s: Counts) -> int | None:
        values = [u(s) for u in used]
        if any(v is UNKNOWN for v in values):
            return None
        try:
            return int(family.index([*values, *last]))
        except IndexError:
            raise Impossible(missing) from None

    return find


def cells_of(family: Family, is_summed: bool) -> list[int]:
    """Every place of a family where something is counted."""
    every = range(family.base, family.base + family.num_cells)
    return list(every)[:: family.sizes[-1]] if is_summed else list(every)


def cards_at(where: Finder, is_summed: bool) -> Estimate:
    """The cards of a zone."""

    def cards(s: Counts) -> Any:
        place = where(s)
        count = None if place is None else s.counts[place]
        if place is None or count is None or (is_summed and count):
            return UNKNOWN  # of a family that is summed it is not known which zone holds how many
        return held((place, count))

    return cards


def cards_of_all(layout: Layout, cells: list[int], given: list[Estimate]) -> Estimate:
    """The cards of all zones among some that have the given first indices."""

    def all_of(s: Counts) -> Any:
        values = [g(s) for g in given]
        if any(v is UNKNOWN for v in values):
            return UNKNOWN
        wanted = [c for c in cells if layout.zone_cells[c].indices[: len(values)] == tuple(values)]
        counts = [(c, s.counts[c]) for c in wanted]
        return held(*((c, n) for c, n in counts if n is not None)) if all(n is not None for _, n in counts) else UNKNOWN

    return all_of


def is_full(family: Summed, where: Finder) -> Estimate:
    """Whether all of a summed family are full."""
    return lambda s: UNKNOWN if (p := where(s)) is None or (n := s.counts[p]) is None else n == family.capacity


def has_room(family: Summed, where: Finder, left_open: Estimate | None) -> Estimate:
    """Whether one of a summed family is not full. `left_open`: its last index, where it may be chosen so that it is."""

    def room(s: Counts) -> Any:
        place = where(s)
        count = None if place is None else s.counts[place]
        if count is None:
            return UNKNOWN
        if count == family.capacity:
            return False
        is_some = count == 0 and all(family.capacities)
        return True if is_some or (left_open is not None and left_open(s) is UNKNOWN) else UNKNOWN

    return room


def value_at(family: Family, where: Finder, is_single: bool) -> Estimate:
    """The value of a variable. Where it is not known which of a family, what all of them hold, if that is the same."""
    every = range(family.base, family.base + family.num_cells)
    only = family.base if is_single else None
    unset = f"{family.name} is read before it is set"

    def value(s: Counts) -> Any:
        place = where(s) if only is None else only
        found = s.vars[place] if place is not None else s.vars[every[0]]
        if place is None and any(s.vars[i] is not found and s.vars[i] != found for i in every):
            return UNKNOWN
        if found is UNSET:
            raise Impossible(unset)
        return found

    return value

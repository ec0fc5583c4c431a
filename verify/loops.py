"""In which order the places of a rule are come to, and which of them go round."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from dsl.graphs import components

P = TypeVar("P", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Laid(Generic[P]):
    """All places in `order`, each after those that lead to it, but for the ways back to the heads of loops.

    `heads` has each head with the places of its loop; what a loop without its head leaves looping has heads of its own.
    `sideways` has, for places at which a loop is entered that are not its head, the head and the places of the loop.
    """

    order: list[P]
    heads: dict[P, list[P]]
    sideways: dict[P, list[tuple[P, frozenset[P]]]]


def laid_out(graph: dict[P, list[P]], entries: list[P], number: Callable[[P], int]) -> Laid[P]:
    """The places of a graph that is entered at some. Nodes have a `number`: that of the outermost loop is the least."""
    order: list[P] = []
    heads: dict[P, list[P]] = {}
    sideways: dict[P, list[tuple[P, frozenset[P]]]] = {}
    incoming: dict[P, set[P]] = {}
    for place, following in graph.items():
        for q in following:
            incoming.setdefault(q, set()).add(place)

    def lay_out(places: list[P], cut: frozenset[P]) -> None:
        inside = set(places)

        def onward(p: P) -> list[P]:
            return [q for q in graph[p] if q in inside and q not in cut]

        for component in reversed(list(components(places, onward))):
            if len(component) == 1 and component[0] not in graph[component[0]]:
                order.append(component[0])
                continue
            members = frozenset(component)
            entered = [p for p in component if p in entries or any(q not in members for q in incoming.get(p, ()))]
            entered.sort(key=lambda p: (number(p), component.index(p)))
            head = entered[0] if entered else component[0]
            heads[head] = component
            for p in entered[1:]:
                sideways.setdefault(p, []).append((head, members))
            order.append(head)
            rest = [p for p in component if p != head]
            if rest:
                lay_out(rest, cut | {head})

    lay_out(list(dict.fromkeys([*entries, *graph])), frozenset())
    return Laid(order, heads, sideways)

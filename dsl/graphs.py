"""Graphs in themselves: which parts of one go round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


def components(nodes: Iterable[T], edges: Callable[[T], Iterable[T]]) -> Iterator[list[T]]:
    """Strongly connected parts, each after those it leads to (Tarjan 1972). Edges lead to nodes of the graph only."""
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    on_stack: set[T] = set()
    stack: list[T] = []
    for root in nodes:
        if root in index:
            continue
        work = [(root, iter(edges(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            at, children = work[-1]
            child = next(children, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    part: list[T] = []
                    while not part or part[-1] != at:
                        part.append(stack.pop())
                        on_stack.discard(part[-1])
                    yield part
            elif child not in index:
                index[child] = low[child] = len(index)
                stack.append(child)
                on_stack.add(child)
                work.append((child, iter(edges(child))))
            elif child in on_stack:
                low[at] = min(low[at], index[child])


def circles(nodes: Iterable[T], edges: Callable[[T], Iterable[T]]) -> Iterator[list[T]]:
    """Those parts that have a way back: several nodes, or one that leads to itself."""
    for part in components(nodes, edges):
        if len(part) > 1 or part[0] in edges(part[0]):
            yield part


def leading_to(wanted: Iterable[T], graph: Mapping[T, Iterable[T]]) -> set[T]:
    """The nodes from which a wanted one can be reached, those themselves among them."""
    before: dict[T, list[T]] = {}
    for node, following in graph.items():
        for after in following:
            before.setdefault(after, []).append(node)
    found = set(wanted)
    waiting = list(found)
    while waiting:
        for node in before.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found

"""Connected parts and spanning forests without SciPy, whose own take a third of a second to import."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


Node = TypeVar("Node", bound=Hashable)


class Groups(Generic[Node]):
    """Nodes in groups that are joined one by one (union-find); the least node of a group stands for it."""

    def __init__(self) -> None:
        self._owner: dict[Node, Node] = {}

    def root(self, node: Node) -> Node:
        """The node that stands for a group; one that nothing was joined to stands for itself."""
        path = []
        while (above := self._owner.get(node, node)) != node:
            path.append(node)
            node = above
        self._owner.update(dict.fromkeys(path, node))
        return node

    def join(self, a: Node, b: Node) -> bool:
        """Make two groups one; False where they are already."""
        first, second = self.root(a), self.root(b)
        if first != second:
            low, high = (first, second) if first < second else (second, first)  # type: ignore[operator]  # they compare
            self._owner[high] = low
        return first != second


def connected(count: int, first: Ints, second: Ints) -> Ints:
    """For each of `count` nodes the least node (count,) that edges `first`–`second` (e,) join it to.

    Of two joined labels the greater takes the less, and labels follow their labels, until no edge joins two.
    """
    label = np.arange(count)
    while True:
        a, b = label[first], label[second]
        if np.array_equal(a, b):
            return label
        low, high = np.minimum(a, b), np.maximum(a, b)
        np.minimum.at(label, high, low)
        while not np.array_equal(label, label[label]):
            label = label[label]


def spanning_forest(edges: Sequence[tuple[int, int]], weight: Callable[[int], Any]) -> list[int]:
    """Indices of the edges of a spanning forest in the order in which they are taken: the lightest first (Kruskal).

    `weight(i)` is anything that can be compared; of equal ones the first edge counts less. Nodes are any integers.
    """
    groups: Groups[int] = Groups()
    return [i for i in sorted(range(len(edges)), key=weight) if groups.join(*edges[i])]


def rooted(edges: Sequence[tuple[int, int]], roots: Iterable[int]) -> list[tuple[int, int | None, int | None]]:
    """(node, its parent, the edge between them) of the trees of a forest, breadth first, parents first.

    Every root that no tree before it holds starts one; it has neither parent nor edge.
    """
    near: dict[int, list[tuple[int, int]]] = {}
    for i, (a, b) in enumerate(edges):
        near.setdefault(a, []).append((b, i))
        near.setdefault(b, []).append((a, i))
    found: list[tuple[int, int | None, int | None]] = []
    reached: set[int] = set()
    for root in roots:
        waiting: list[tuple[int, int | None, int | None]] = [] if root in reached else [(root, None, None)]
        reached.add(root)
        for node, _, _ in waiting:  # grows while it is walked
            new = [(other, node, i) for other, i in near.get(node, ()) if other not in reached]
            reached.update(other for other, _, _ in new)
            waiting += new
        found += waiting
    return found

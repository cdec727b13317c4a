"""The junction structure's matrices: what the ports put in, carried along the bonds in the order of causality.

Wang & Tao (2013), eqs. 8 to 12, with two rows for the powers that the paper does not need: the flows at sources.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.bondgraph.build import Built, Place
from solver.bondgraph.graph import (
    COMPLIANCE,
    CONDUCTANCE,
    CONSTRAINT,
    DAMPER,
    DRIVE,
    EJS,
    GIVEN,
    GY,
    MTF,
    ONE,
    SE,
    STORAGE,
    BondGraph,
    causality,
)

Array = NDArray[np.float64]
Step = tuple[int, Callable[[dict[int, Array], dict[int, Array]], Array]]
"""A variable (2 bond for its effort, 2 bond + 1 for its flow), and how it follows from others and from moduli."""

PORTS = {
    "i": (STORAGE, ""), "c": (COMPLIANCE, ""), "L": (DAMPER, ""), "G": (CONDUCTANCE, ""), "E": (EJS, ""),
    "u1": (SE, DRIVE), "u2": (SE, CONSTRAINT), "u3": (SE, GIVEN),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Junction:
    """The matrices of a junction structure (Wang and Tao 2013, eqs. 8 to 12).

    Inputs: i the flows Z of storage, c the efforts of compliances, L the efforts D_out of R, G the flows of
    conductances, E the efforts E_out of EJS, u1, u2, u3 those of sources. Outputs: i the efforts Ẋ, c the flows, L the
    flows D_in, G the efforts, E the flows E_in, u1, u2, u3 the flows at sources; u2 is C in eq. 12.

    Attributes:
        J: J[r][c] is what ports of the kind c (columns) put into those of the kind r (rows).
    """

    J: dict[str, dict[str, Array]]


class Structure:
    """A graph with its causality, and the order in which its variables follow from what the ports put in.

    Args:
        built: The graph.

    Raises:
        ValueError: Its causality does not come out, or it has an algebraic loop.
    """

    def __init__(self, built: Built) -> None:
        self.built = built
        graph = built.graph
        self.effort_from = causality(graph)
        self.ports = {name: graph.sizes(*kind) for name, kind in PORTS.items()}
        starts = np.cumsum([0, *(sum(p.values()) for p in self.ports.values())])
        self.spans = {n: slice(int(a), int(b)) for n, a, b in zip(self.ports, starts[:-1], starts[1:], strict=True)}
        self._width = int(starts[-1])
        self._inputs = self._ends(given=True)
        self._outputs = self._ends(given=False)
        self._steps = _order(graph, self.effort_from, {v for v, _ in self._inputs})

    def _ends(self, given: bool) -> list[tuple[int, slice]]:
        """Variables at the ports with their span: those that the ports give, or those that they take."""
        found = []
        for name, nodes in self.ports.items():
            at = self.spans[name].start
            for node, size in nodes.items():
                bond = self.built.graph.at(node)[0]
                # All but I and G give the effort (`causality`). What a port does not give, it takes.
                gives_flow = name in ("i", "G")
                found.append((2 * bond + (gives_flow == given), slice(at, at + size)))
                at += size
        return found

    def evaluate(self, place: Place) -> Junction:
        """Compute the matrices where the bodies are.

        Args:
            place: Where they are.

        Returns:
            The blocks of the junction structure.
        """
        moduli = {node: np.asarray(modulus(place)) for node, modulus in self.built.moduli.items()}
        # Every variable is carried as its row of factors of all that ports put in: one pass gives all blocks of J.
        unit = np.eye(self._width)
        values = {variable: unit[span] for variable, span in self._inputs}
        for variable, step in self._steps:
            values[variable] = step(values, moduli)
        whole = np.zeros((self._width, self._width))
        for variable, span in self._outputs:
            whole[span] = values[variable]
        return Junction({r: {c: whole[a, b] for c, b in self.spans.items()} for r, a in self.spans.items()})


def _order(graph: BondGraph, effort_from: tuple[int, ...], known: set[int]) -> list[Step]:
    """All variables that junctions and transformers give, each behind those that it needs."""
    waiting = [
        (variable, needs, step)
        for i, node in enumerate(graph.nodes)
        if node.kind in ("0", ONE, MTF, GY)
        for variable, needs, step in _ACROSS.get(node.kind, _joined)(graph, i, effort_from)
    ]
    known, ordered = set(known), []
    while waiting:
        left = []
        for variable, needs, step in waiting:
            if needs <= known:
                known.add(variable)
                ordered.append((variable, step))
            else:
                left.append((variable, needs, step))
        if len(left) == len(waiting):
            raise ValueError("the graph has an algebraic loop")
        waiting = left
    return ordered


Given = tuple[int, set[int], Callable[[dict[int, Array], dict[int, Array]], Array]]


def _joined(graph: BondGraph, i: int, effort_from: tuple[int, ...]) -> list[Given]:
    """At a 1-junction all flows are alike and the efforts add up to zero; at a 0-junction the other way round."""
    one = graph.nodes[i].kind == ONE
    common = 1 if one else 0
    bonds = graph.at(i)
    strong = next(b for b in bonds if (effort_from[b] == i) == one)
    rest = [b for b in bonds if b != strong]
    source = 2 * strong + common
    found: list[Given] = [(2 * b + common, {source}, lambda v, m: v[source]) for b in rest]

    def sign(b: int) -> float:
        return 1.0 if graph.bonds[b].head == i else -1.0

    # Σ sign · variable = 0 over all bonds, of which the strong one's is sought; power comes in along a bond with its
    # head here.
    parts = [(2 * b + 1 - common, -sign(b) * sign(strong)) for b in rest]
    found.append((2 * strong + 1 - common, {p for p, _ in parts}, lambda v, m: _sum(v, parts)))
    return found


def _sum(values: dict[int, Array], parts: list[tuple[int, float]]) -> Array:
    total = parts[0][1] * values[parts[0][0]]
    for variable, factor in parts[1:]:
        total = total + factor * values[variable]
    return total


def _transformed(graph: BondGraph, i: int, effort_from: tuple[int, ...]) -> list[Given]:
    inward = next(b for b in graph.at(i) if graph.bonds[b].head == i)
    outward = next(b for b in graph.at(i) if graph.bonds[b].tail == i)
    return [
        (2 * outward + 1, {2 * inward + 1}, lambda v, m: m[i] @ v[2 * inward + 1]),
        (2 * inward, {2 * outward}, lambda v, m: m[i].T @ v[2 * outward]),
    ]


def _gyrated(graph: BondGraph, i: int, effort_from: tuple[int, ...]) -> list[Given]:
    inward = next(b for b in graph.at(i) if graph.bonds[b].head == i)
    outward = next(b for b in graph.at(i) if graph.bonds[b].tail == i)
    return [
        (2 * outward, {2 * inward + 1}, lambda v, m: m[i] @ v[2 * inward + 1]),
        (2 * inward, {2 * outward + 1}, lambda v, m: m[i].T @ v[2 * outward + 1]),
    ]


_ACROSS = {MTF: _transformed, GY: _gyrated}

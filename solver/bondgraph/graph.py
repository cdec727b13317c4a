"""A vector bond graph: elements, junctions, transformers, and the bonds between them, each with its causality.

The positive direction of a bond is that of its power, from `tail` to `head`; effort and flow on it are vectors of its
size. A transformer MTF has one bond in and one out, and a modulus m with f_out = m f_in and e_in = mᵀ e_out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

STORAGE, DAMPER, SE, EJS, MTF, ZERO, ONE = "I", "R", "Se", "EJS", "MTF", "0", "1"
"""Storage of momentum, dissipation, source of effort, Euler junction structure, transformer, junctions."""
GY, CONDUCTANCE = "GY", "G"
"""Gyrator, whose modulus m gives e_out = m f_in and e_in = mᵀ f_out; dissipation that gives the flow."""
COMPLIANCE = "C"
"""Storage of displacement or volume, which gives the effort."""

GIVEN, DRIVE, CONSTRAINT = "given", "drive", "constraint"
"""What a source of effort is: known (U₃), a driving effort (U₁), a constraint's, an augmenting one (U₂)."""


@dataclass(frozen=True)
class Node:
    """An element or junction of a graph.

    Attributes:
        kind: One of the letters of this module, such as `STORAGE`.
        label: What is written on it.
        owner: The body, joint or coordinate that it stands for.
        role: Of a source of effort, `GIVEN`, `DRIVE` or `CONSTRAINT`.
    """

    kind: str
    label: str
    owner: str
    role: str = ""


@dataclass(frozen=True)
class Bond:
    """A bond between two nodes; its power is positive from tail to head.

    Attributes:
        tail: Index of the node it leaves.
        head: Index of the node it enters.
        size: Of the vectors of effort and flow on it.
    """

    tail: int
    head: int
    size: int


@dataclass(frozen=True)
class BondGraph:
    """Nodes and bonds; a model's graph does not change along a run, only its moduli do.

    Attributes:
        nodes: Named by their index.
        bonds: Between them.
    """

    nodes: tuple[Node, ...]
    bonds: tuple[Bond, ...]

    def at(self, node: int) -> tuple[int, ...]:
        """List the bonds of a node.

        Args:
            node: Its index.

        Returns:
            Indices of bonds.
        """
        return self._bonds_of[node]

    def sizes(self, kind: str, role: str = "") -> dict[int, int]:
        """Tell how large the one-ports of a kind are.

        Args:
            kind: One of the letters of this module.
            role: Of sources of effort, which.

        Returns:
            The size of each one's bond, by node, in order.
        """
        return {
            i: self.bonds[self.at(i)[0]].size
            for i, node in enumerate(self.nodes)
            if node.kind == kind and node.role == role
        }

    @cached_property
    def _bonds_of(self) -> list[tuple[int, ...]]:
        found: list[list[int]] = [[] for _ in self.nodes]
        for k, bond in enumerate(self.bonds):
            found[bond.tail].append(k)
            found[bond.head].append(k)
        return [tuple(bonds) for bonds in found]


def other(bond: Bond, node: int) -> int:
    """The node at the far end of a bond."""
    return bond.head if bond.tail == node else bond.tail


_EFFORT_OUT = (SE, DAMPER, EJS, COMPLIANCE)
"""One-ports that give the effort and take the flow."""
_FLOW_OUT = (STORAGE, CONDUCTANCE)
"""Those that give the flow: an I in integral causality, as a C is where it gives the effort."""


def causality(graph: BondGraph) -> tuple[int, ...]:
    """Tell for each bond which node sets its effort; the node at the other end sets the flow.

    One-ports first, each as it wants to be, then what follows at junctions and transformers (the sequential assignment
    of Karnopp, Margolis and Rosenberg). Sources of effort in all constraints leave every I integral, and no choice
    open.

    Args:
        graph: The graph.

    Returns:
        Indices of nodes, in the order of the bonds.

    Raises:
        ValueError: This does not come out; it names the node.
    """
    effort_from: dict[int, int] = {}
    for i, node in enumerate(graph.nodes):
        if node.kind in (*_EFFORT_OUT, *_FLOW_OUT):
            bond = graph.at(i)[0]
            effort_from[bond] = i if node.kind in _EFFORT_OUT else other(graph.bonds[bond], i)
    waiting = [i for i, node in enumerate(graph.nodes) if node.kind in (ZERO, ONE, MTF, GY)]
    while waiting:
        left = [i for i in waiting if not _assign(graph, i, effort_from)]
        if len(left) == len(waiting):
            raise ValueError(
                f"the causality of {graph.nodes[left[0]].label} of {graph.nodes[left[0]].owner} stays open"
            )
        waiting = left
    return tuple(effort_from[k] for k in range(len(graph.bonds)))


def _assign(graph: BondGraph, i: int, effort_from: dict[int, int]) -> bool:
    """Assign what follows at a junction or transformer; whether all its bonds are assigned."""
    kind, bonds = graph.nodes[i].kind, graph.at(i)
    open_ = [b for b in bonds if b not in effort_from]
    if kind == MTF:
        inward = next(b for b in bonds if graph.bonds[b].head == i)
        outward = next(b for b in bonds if graph.bonds[b].tail == i)
        # A modulus need not be invertible: the flow goes in where the power does, the effort comes back.
        for bond, giver in ((inward, i), (outward, other(graph.bonds[outward], i))):
            if effort_from.setdefault(bond, giver) != giver:
                raise ValueError(f"the transformer {graph.nodes[i].label} of {graph.nodes[i].owner} would be inverted")
        return True
    if kind == GY:
        # Both flows go in, both efforts come out.
        for bond in bonds:
            if effort_from.setdefault(bond, i) != i:
                raise ValueError(f"the gyrator {graph.nodes[i].label} of {graph.nodes[i].owner} would be inverted")
        return True
    # At a 1-junction one bond brings the flow (the junction sets its effort), at a 0-junction one brings the effort.
    strong = [b for b in bonds if b in effort_from and (effort_from[b] == i) == (kind == ONE)]
    if len(strong) > 1:
        raise ValueError(f"two bonds set the variable of the junction {graph.nodes[i].label} of {graph.nodes[i].owner}")
    if len(strong) == 1:
        for b in open_:
            effort_from[b] = other(graph.bonds[b], i) if kind == ONE else i
        return True
    if len(open_) == 1:
        b = open_[0]
        effort_from[b] = i if kind == ONE else other(graph.bonds[b], i)
        return True
    return not open_

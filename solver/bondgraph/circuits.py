"""DC motors in a mechanism's bond graph: a gyrator where the driving effort was, and the circuit behind it.

    Se:V ─┐
    R ────┤ 1 (i) ── GY:K ── 1 (q̇)         Karnopp, Margolis and Rosenberg, System dynamics, ch. 3
    I:L ──┘

Without an inductance the resistance gives the current, and is a conductance G = 1/R.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from solver.bondgraph.build import Built
from solver.bondgraph.graph import CONDUCTANCE, DAMPER, DRIVE, GY, ONE, SE, STORAGE, Bond, BondGraph, Node


@dataclass(frozen=True)
class Circuit:
    """A DC motor along a coordinate: `constant` (N m/A = V s/rad, behind its gearhead), Ω and H (0: none)."""

    constant: float
    resistance: float
    inductance: float = 0.0


def with_circuits(built: Built, circuits: Mapping[str, Circuit]) -> Built:
    """A graph whose driving efforts are voltages where a circuit bears the drive's name.

    All causality stays integral: the current of an inductance and the rates of the bodies are states.
    """
    nodes, bonds = list(built.graph.nodes), list(built.graph.bonds)
    moduli, dampers, drives = dict(built.moduli), dict(built.dampers), []
    for source in built.drives:
        owner = nodes[source].owner
        circuit = circuits.get(owner)
        if circuit is None:
            drives.append(source)
            continue
        name, at = f"{owner} motor", len(nodes)
        nodes[source] = Node(GY, "K", name)
        moduli[source] = lambda p, k=circuit.constant: np.array([[k]])  # type: ignore[misc]
        current, volts, resistance = at, at + 1, at + 2
        stores = circuit.inductance > 0.0
        nodes += [
            Node(ONE, "i", name),
            Node(SE, "V", name, DRIVE),
            Node(DAMPER, "R", name) if stores else Node(CONDUCTANCE, "G", name),
        ]
        bonds += [Bond(current, source, 1), Bond(volts, current, 1), Bond(current, resistance, 1)]
        dampers[resistance] = circuit.resistance if stores else 1.0 / circuit.resistance
        if stores:
            nodes.append(Node(STORAGE, "L", name))
            bonds.append(Bond(current, at + 3, 1))
        drives.append(volts)
    graph = BondGraph(tuple(nodes), tuple(bonds))
    return replace(built, graph=graph, moduli=moduli, dampers=dampers, drives=tuple(drives))

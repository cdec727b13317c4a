"""Actuators of other energies in a mechanism's bond graph, in place of the driving effort of a joint.

A DC motor is a gyrator with the circuit behind it; without an inductance its resistance gives the current:

    Se:V ─┐
    R ────┤ 1 (i) ── GY:K ── 1 (q̇)                  Karnopp, Margolis and Rosenberg, System dynamics, ch. 3
    I:L ──┘

A cylinder is a transformer for each chamber, with the supply's line behind it; without a capacity R takes the flow:

    1 (q̇) ── TF:A ── 0 (p) ── 1 (Q) ── Se:P, R       the same, ch. 4
                      └─ C
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from solver.bondgraph.build import Built, Modulus
from solver.bondgraph.graph import (
    COMPLIANCE,
    CONDUCTANCE,
    DAMPER,
    DRIVE,
    GIVEN,
    GY,
    MTF,
    ONE,
    SE,
    STORAGE,
    ZERO,
    Bond,
    BondGraph,
    Node,
)


@dataclass(frozen=True)
class Circuit:
    """A DC motor along a coordinate.

    Attributes:
        constant: N m/A and V s/rad (N/A, V s/m), behind its gearhead.
        resistance: Ω.
        inductance: H; 0: the resistance alone gives the current.
    """

    constant: float
    resistance: float
    inductance: float = 0.0


@dataclass(frozen=True)
class FluidLine:
    """A chamber of a cylinder with the line that supplies it.

    Attributes:
        name: Its name.
        area: By which a larger value of the coordinate widens it, m²; negative: it narrows.
        resistance: Of its line, Pa s/m³; 0: none.
        capacity: Of its volume, m³/Pa; 0: none. Without a resistance it does not count: the supply sets the pressure.
        drives: Whether its supply is what is asked for.
    """

    name: str
    area: float
    resistance: float = 0.0
    capacity: float = 0.0
    drives: bool = False


Actuator = Circuit | tuple[FluidLine, ...]


@dataclass
class _Wiring:
    """The graph that grows; `drives` are the sources whose efforts are requested, in order."""

    nodes: list[Node]
    bonds: list[Bond]
    moduli: dict[int, Modulus]
    dampers: dict[int, float]
    drives: list[int] = field(default_factory=list)

    def node(self, kind: str, label: str, owner: str, role: str = "") -> int:
        self.nodes.append(Node(kind, label, owner, role))
        return len(self.nodes) - 1

    def bond(self, tail: int, head: int) -> None:
        self.bonds.append(Bond(tail, head, 1))

    def resist(self, junction: int, owner: str, resistance: float, gives_flow: bool) -> None:
        """A resistance (SI) on a junction: R, which gives the effort, or G = 1/R, which gives the flow."""
        kind, label = (CONDUCTANCE, "G") if gives_flow else (DAMPER, "R")
        node = self.node(kind, label, owner)
        self.bond(junction, node)
        self.dampers[node] = 1.0 / resistance if gives_flow else resistance

    def modulus(self, node: int, value: float) -> None:
        self.moduli[node] = lambda p: np.array([[value]])


def with_circuits(built: Built, circuits: Mapping[str, Actuator]) -> Built:
    """Put actuators in the place of driving efforts, which become voltages or pressures.

    All causality stays integral: the current of an inductance, the pressure of a chamber and the rates of the bodies
    are states. After Karnopp, Margolis and Rosenberg, System dynamics, ch. 3 and 4.

    Args:
        built: A graph.
        circuits: Actuators by the names of the drives; a drive without one stays as it is.

    Returns:
        The graph with them.
    """
    wiring = _Wiring(list(built.graph.nodes), list(built.graph.bonds), dict(built.moduli), dict(built.dampers))
    for source in built.drives:
        actuator = circuits.get(wiring.nodes[source].owner)
        if actuator is None:
            wiring.drives.append(source)
        elif isinstance(actuator, Circuit):
            _wire_motor(wiring, source, actuator)
        else:
            _wire_cylinder(wiring, source, actuator)
    graph = BondGraph(tuple(wiring.nodes), tuple(wiring.bonds))
    return replace(built, graph=graph, moduli=wiring.moduli, dampers=wiring.dampers, drives=tuple(wiring.drives))


def _wire_motor(wiring: _Wiring, source: int, circuit: Circuit) -> None:
    """The driving effort becomes the gyrator."""
    name = f"{wiring.nodes[source].owner} motor"
    wiring.nodes[source] = Node(GY, "K", name)
    wiring.modulus(source, circuit.constant)
    current, volts = wiring.node(ONE, "i", name), wiring.node(SE, "V", name, DRIVE)
    wiring.bond(current, source)
    wiring.bond(volts, current)
    stores = circuit.inductance > 0.0
    wiring.resist(current, name, circuit.resistance, gives_flow=not stores)
    if stores:
        wiring.bond(current, wiring.node(STORAGE, "L", name))
    wiring.drives.append(volts)


def _wire_cylinder(wiring: _Wiring, source: int, lines: tuple[FluidLine, ...]) -> None:
    """The driving effort becomes the junction of the rod's speed, with a transformer to each chamber."""
    owner = wiring.nodes[source].owner
    wiring.nodes[source] = Node(ONE, "ẋ", owner)
    for line in lines:
        name = f"{owner} {line.name}"
        swept, pressure = wiring.node(MTF, "A", name), wiring.node(ZERO, "p", name)
        flow = wiring.node(ONE, "Q", name)
        supply = wiring.node(SE, "P", name, DRIVE if line.drives else GIVEN)
        # The volume that the rod sweeps leaves for the chamber, hence the sign.
        wiring.modulus(swept, -line.area)
        for tail, head in ((source, swept), (swept, pressure), (flow, pressure), (supply, flow)):
            wiring.bond(tail, head)
        # Without a resistance the supply sets the pressure: a capacity there would have derivative causality, and no
        # say.
        if line.capacity and line.resistance:
            wiring.bond(pressure, wiring.node(COMPLIANCE, "C", name))
        if line.resistance:
            wiring.resist(flow, name, line.resistance, gives_flow=line.capacity > 0.0)
        if line.drives:
            wiring.drives.append(supply)

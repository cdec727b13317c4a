"""DC motors and cylinders in a mechanism's bond graph: the whole graph against the equations of both domains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver import State
from solver.bondgraph import Actuator, Circuit, Drive, FluidLine, KinetoStatics, Structure, causality, with_circuits
from solver.model import JointLoad
from tests.solver.examples import pendulum

K, R, L, DAMPING = 0.7, 2.5, 0.04, 0.3


@pytest.mark.parametrize("inductance", [L, 0.0])
def test_a_motor_is_a_gyrator_and_its_circuit(inductance: float) -> None:
    """Ẋ_L = V − R i − K q̇ and the torque K i on the axis; without inductance i = (V − K q̇)/R."""
    model = pendulum()
    load = JointLoad(model.coordinates[0], damping=DAMPING, name="brake")
    model = replace(model, groups=("hinge",) * 5, loads=(load,))
    analysis = KinetoStatics(model, [Drive("hinge", model.coordinates[0])])
    whole = with_circuits(analysis.built, {"hinge": Circuit(K, R, inductance)})
    graph, effort_from = whole.graph, causality(whole.graph)
    for node in graph.sizes("I"):
        assert effort_from[graph.at(node)[0]] != node, "integral causality"
    structure = Structure(whole)
    place = analysis._place(State.at_rest(model.positions, model.quaternions))
    J, plain = structure.evaluate(place).J, analysis.structure.evaluate(place).J
    n = plain["i"]["i"].shape[0]
    rate = plain["u1"]["i"]
    volts = np.array([3.0])
    flows = np.random.default_rng(5).normal(size=n)
    back = K * (rate @ flows)
    if inductance:
        (damper,) = [k for k, node in enumerate(structure.ports["L"]) if graph.nodes[node].owner == "hinge motor"]
        current = np.array([1.7])
        out = np.zeros(len(structure.ports["L"]))
        out[damper] = R * current[0]
        taken = J["i"]["i"] @ np.append(flows, current) + J["i"]["L"] @ out + J["i"]["u1"] @ volts
        np.testing.assert_allclose(taken[-1], (volts - R * current - back)[0], rtol=1e-12)
        torque = taken[:n]
    else:
        given = J["G"]["i"] @ flows + J["G"]["u1"] @ volts
        np.testing.assert_allclose(given, volts - back, rtol=1e-12)
        current = given / R
        torque = J["i"]["i"] @ flows + J["i"]["G"] @ current
    np.testing.assert_allclose(torque, plain["i"]["u1"] @ (K * current) + plain["i"]["i"] @ flows, atol=1e-13)


AREAS, LINE, CAPACITY = (0.3, -0.2), 4.0, 0.05
"""Of a cylinder: what its chambers are widened by, the resistance and capacity of the first one's line."""


def test_a_cylinder_is_a_transformer_a_chamber_with_its_line_behind() -> None:
    """F = A p − A' p' with C ṗ = (P − p)/R − A q̇ in the cap, and p' = P' + R' A' q̇ behind the rod."""
    model = replace(pendulum(), groups=("hinge",) * 5)
    analysis = KinetoStatics(model, [Drive("hinge", model.coordinates[0])])
    cap, rod = FluidLine("cap", AREAS[0], LINE, CAPACITY, drives=True), FluidLine("rod", AREAS[1], 2 * LINE)
    structure = Structure(with_circuits(analysis.built, {"hinge": (cap, rod)}))
    place = analysis._place(State.at_rest(model.positions, model.quaternions))
    J, plain = structure.evaluate(place).J, analysis.structure.evaluate(place).J
    flows = np.random.default_rng(7).normal(size=plain["i"]["i"].shape[0])
    rate = float((plain["u1"]["i"] @ flows)[0])
    pressure, supplied, back = 3.0, 7.0, 1.5
    known = np.zeros(J["u3"]["u3"].shape[0])
    known[-1] = back
    given: dict[str, np.ndarray] = {
        "i": np.asarray(flows),
        "c": np.array([pressure]),
        "G": np.array([(supplied - pressure) / LINE]),
    }
    given |= {"u1": np.array([supplied]), "u3": known}

    def at(port: str) -> np.ndarray:
        return np.asarray(np.sum([J[port][k] @ v for k, v in given.items()], axis=0))

    given["L"] = 2 * LINE * at("L")
    taken = {port: at(port) for port in J}
    np.testing.assert_allclose(taken["c"], (supplied - pressure) / LINE - AREAS[0] * rate, rtol=1e-12)
    np.testing.assert_allclose(taken["G"], supplied - pressure, rtol=1e-12)
    force = AREAS[0] * pressure + AREAS[1] * (back - 2 * LINE * AREAS[1] * rate)
    expected = plain["i"]["u1"] @ np.array([force]) + plain["i"]["i"] @ flows
    np.testing.assert_allclose(taken["i"], expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "actuator", [Circuit(K, R, L), Circuit(K, R), (FluidLine("cap", 0.3, LINE, CAPACITY, True), FluidLine("rod", -0.2))]
)
def test_the_junctions_of_both_domains_make_no_power(actuator: Actuator) -> None:
    model = replace(pendulum(), groups=("hinge",) * 5)
    analysis = KinetoStatics(model, [Drive("hinge", model.coordinates[0])])
    structure = Structure(with_circuits(analysis.built, {"hinge": actuator}))
    J = structure.evaluate(analysis._place(State.at_rest(model.positions, model.quaternions))).J
    graph = structure.built.graph
    rng, power = np.random.default_rng(1), 0.0
    given = {name: rng.normal(size=sum(ports.values())) for name, ports in structure.ports.items()}
    for name, ports in structure.ports.items():
        taken = np.asarray(sum((J[name][other] @ given[other] for other in given), np.zeros(sum(ports.values()))))
        at = 0
        for node, size in ports.items():
            span = slice(at, at + size)
            into = 1.0 if graph.bonds[graph.at(node)[0]].head == node else -1.0
            power += into * float(given[name][span] @ taken[span])
            at += size
    assert power == pytest.approx(0.0, abs=1e-12)

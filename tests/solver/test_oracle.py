"""Absolute against reduced coordinates: trees of hinges in Pinocchio."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from solver import State, simulate
from solver.constraints import GROUND, Coordinate, Primitive
from solver.model import Model, RigidBody
from solver.rotation import perpendicular
from tests.solver.examples import hinge


def _tree(seed: int, count: int) -> tuple[Model, pin.Model]:
    """A random tree of hinges; all frames stand along the world's axes in the reference pose."""
    rng = np.random.default_rng(seed)
    bodies, rows, coordinates = [], list[Primitive](), []
    x = rng.normal(size=(count, 3))
    other = pin.Model()
    other.gravity.linear = np.array([0.0, 0.0, -9.81])
    origins = np.zeros((count, 3))
    for i in range(count):
        parent = int(rng.integers(-1, i)) if i else GROUND
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        origin = x[i] + 0.5 * rng.normal(size=3)
        spread = rng.normal(size=(3, 3))
        mass, inertia = rng.uniform(0.5, 2.0), spread @ spread.T * 0.1 + 0.1 * np.eye(3)
        bodies.append(RigidBody(f"{i}", mass, inertia))
        base = np.zeros(3) if parent == GROUND else x[parent]
        rows += hinge(parent, i, origin - base, origin - x[i], axis)
        ref = perpendicular(axis)
        coordinates.append(Coordinate("angle", parent, i, origin - base, axis, origin - x[i], ref, ref))
        before = np.zeros(3) if parent == GROUND else origins[parent]
        place = pin.SE3(np.eye(3), origin - before)
        joint = other.addJoint(parent + 1, pin.JointModelRevoluteUnaligned(axis), place, f"{i}")
        other.appendBodyToJoint(joint, pin.Inertia(mass, x[i] - origin, inertia), pin.SE3.Identity())
        origins[i] = origin
    q = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    return Model(tuple(bodies), tuple(rows), x, q, coordinates=tuple(coordinates)), other


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_along_a_run_are_those_of_the_reduced_coordinates(seed: int) -> None:
    model, other = _tree(seed, 6)
    start = State.at_rest(model.positions, model.quaternions)
    run = simulate(model, start, duration=0.5, rate=10.0, rtol=1e-10, atol=1e-10).trajectory
    data = other.createData()
    for k in range(len(run.t)):
        q, qd, qdd = run.coordinates[k], run.coordinate_rates[k], run.coordinate_accelerations[k]
        exact = pin.aba(other, data, q, qd, np.zeros(6))
        assert_allclose(qdd, exact, atol=1e-8 * float(np.abs(exact).max()))
    assert np.abs(run.coordinate_rates[-1]).max() > 0.5

"""The PUMA 560 of Corke and Armstrong-Hélouvry in absolute coordinates.

The expected values are those of roboticstoolbox-python 1.5.0 (models.DH.Puma560: gravload, rne, inertia), which
works recursively in joint coordinates.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import State, inverse, rotation
from solver.constraints import Coordinate
from solver.model import JointLoad, Model, RigidBody
from tests.solver.examples import O, Z, hinge

Array = np.ndarray

D = (0.67183, 0.0, 0.15005, 0.4318, 0.0, 0.0)
A = (0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0)
ALPHA = (np.pi / 2, 0.0, -np.pi / 2, np.pi / 2, -np.pi / 2, 0.0)
MASS = (0.0, 17.4, 4.8, 0.82, 0.34, 0.09)
CENTRE = ((0, 0, 0), (-0.3638, 0.006, 0.2275), (-0.0203, -0.0141, 0.07), (0, 0.019, 0), (0, 0, 0), (0, 0, 0.032))
INERTIA = (
    (0, 0.35, 0),
    (0.13, 0.524, 0.539),
    (0.066, 0.086, 0.0125),
    (1.8e-3, 1.3e-3, 1.8e-3),
    (0.3e-3, 0.4e-3, 0.3e-3),
    (0.15e-3, 0.15e-3, 0.04e-3),
)
ROTOR = (200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6)
RATIO = (-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686)
VISCOUS = (1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6)
"""Of the motors: along the joints they count by the square of the ratio."""

NOMINAL = np.array([0, np.pi / 4, -np.pi, 0, np.pi / 4, 0])
OTHER = np.array([0.3, -0.7, 1.1, -0.4, 0.9, 2.0])


def _frames(q: Array) -> tuple[list[Array], list[Array]]:
    """Rotations and origins of the frames 0 … 6 by Denavit and Hartenberg's (standard) rules."""
    R, p = [np.eye(3)], [O]
    for theta, d, a, alpha in zip(q, D, A, ALPHA, strict=True):
        turn, tilt = (rotation.matrix(rotation.exponential(v)) for v in ([0, 0, theta], [alpha, 0, 0]))
        p.append(p[-1] + R[-1] @ (np.array([0, 0, d]) + turn @ np.array([a, 0, 0])))
        R.append(R[-1] @ turn @ tilt)
    return R, p


def _puma() -> Model:
    """All bodies' axes are the world's at q = 0."""
    R, p = _frames(np.zeros(6))
    x = np.array([p[i + 1] + R[i + 1] @ np.array(CENTRE[i]) for i in range(6)])
    bodies, rows, coordinates, loads = [], [], [], []
    for i in range(6):
        inertia = R[i + 1] @ np.diag(INERTIA[i]) @ R[i + 1].T
        # On the axis of the first joint what link 1 lacks does no work; it only makes M positive definite.
        lent = (1.0, np.eye(3) - np.outer(Z, Z)) if i == 0 else (0.0, np.zeros((3, 3)))
        bodies.append(RigidBody(f"link {i + 1}", MASS[i] + lent[0], inertia + lent[1]))
        axis = R[i][:, 2]
        here, there = p[i] - (x[i - 1] if i else 0), p[i] - x[i]
        rows += hinge(i - 1, i, here, there, axis)
        ref = rotation.perpendicular(axis)
        coordinates.append(Coordinate("angle", i - 1, i, here, axis, there, ref, ref))
        loads.append(JointLoad(coordinates[i], armature=RATIO[i] ** 2 * ROTOR[i]))
    return Model(
        tuple(bodies),
        tuple(rows),
        x,
        np.tile([1.0, 0, 0, 0], (6, 1)),
        coordinates=tuple(coordinates),
        loads=tuple(loads),
        gravity=(0.0, 0.0, -9.81),
    )


def _state(model: Model, q: Array, rates: Array) -> State:
    start, (R, p) = _frames(np.zeros(6))[0], _frames(q)
    x = np.array([p[i + 1] + R[i + 1] @ np.array(CENTRE[i]) for i in range(6)])
    turns = np.array([rotation.quaternion(R[i + 1] @ start[i + 1].T) for i in range(6)])
    v = np.zeros((6, 6))
    for i in range(6):
        for k in range(i + 1):
            axis = rates[k] * R[k][:, 2]
            v[i] += [*np.cross(axis, x[i] - p[k]), *axis]
    return State(0.0, x, turns, v)


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        (NOMINAL, [-1.61532976726249e-15, 31.6398803783571, 6.03513802301051, 0, 0.0282528, 0]),
        (
            OTHER,
            [-1.96452472577332e-15, 25.9370939299877, -3.20138901184505, -0.00335611897851395, -0.0266833487797439, 0],
        ),
    ],
)
def test_gravity_torques(q: Array, expected: list[float]) -> None:
    model = _puma()
    found = inverse(model, [_state(model, q, np.zeros(6))], np.zeros((1, 6)))
    assert_allclose(found.efforts[0], expected, atol=1e-10)


def test_inverse_dynamics() -> None:
    model = _puma()
    rates, accelerations = np.array([0.5, -1.2, 0.8, 2, -1.5, 3]), np.array([1.0, 2, -3, 4, -5, 6])
    found = inverse(model, [_state(model, OTHER, rates)], accelerations[None])
    assert_allclose(
        found.efforts[0],
        [
            2.55333642216438,
            33.7792549861738,
            -5.80966693097407,
            0.767230025542948,
            -0.887875714390384,
            1.16484629308668,
        ],
        atol=1e-10,
    )
    # As printed for the nominal pose, with the viscous friction of the motors left in.
    loads = tuple(replace(o, damping=b * g**2) for o, b, g in zip(model.loads, VISCOUS, RATIO, strict=True))
    found = inverse(replace(model, loads=loads), [_state(model, NOMINAL, np.ones(6))], np.ones((1, 6)))
    expected = [
        7.7638582549307,
        47.2822984751363,
        10.6543633127643,
        0.602911346079709,
        0.633103430537887,
        0.410104327483695,
    ]
    assert_allclose(found.efforts[0], expected, atol=1e-10)


def test_inertia_matrix() -> None:
    """A column is the effort of a unit acceleration, at rest and without gravity."""
    model = replace(_puma(), gravity=(0.0, 0.0, 0.0))
    found = inverse(model, [_state(model, OTHER, np.zeros(6))] * 6, np.eye(6))
    assert_allclose(found.efforts, found.efforts.T, atol=1e-12)
    assert_allclose(
        found.efforts,
        [
            [
                3.10757989854296,
                0.297553742176889,
                -0.128798424753874,
                0.00116298924671792,
                -6.73995574813514e-05,
                1.16631412145637e-05,
            ],
            [
                0.297553742176889,
                3.75538783804114,
                0.0215894658002404,
                7.96029499570174e-05,
                0.000181269864334854,
                -1.22016746653157e-05,
            ],
            [
                -0.128798424753874,
                0.0215894658002405,
                0.937593272497343,
                0.000417678170543069,
                0.00125767455143551,
                -1.22016746653157e-05,
            ],
            [
                0.00116298924671792,
                7.96029499570172e-05,
                0.000417678170543063,
                0.192554671711412,
                0,
                2.48643987308266e-05,
            ],
            [-6.73995574813513e-05, 0.000181269864334854, 0.00125767455143551, 0, 0.171348451657, 0],
            [
                1.16631412145637e-05,
                -1.22016746653157e-05,
                -1.22016746653157e-05,
                2.48643987308266e-05,
                0,
                0.194104505668,
            ],
        ],
        atol=1e-10,
    )
    nominal = inverse(model, [_state(model, NOMINAL, np.zeros(6))] * 6, np.eye(6)).efforts
    diagonal = [
        3.65937541215279,
        4.41374193363579,
        0.9378415752150395,
        0.19253170612368,
        0.17134845165700,
        0.194104505668,
    ]
    assert_allclose(np.diag(nominal), diagonal, atol=1e-10)

"""Ĝ against differences of g, c against differences of Ĝv, at random poses, for every primitive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import rotation
from solver.constraints import (
    GROUND,
    AxesAngle,
    ConstantVelocity,
    Coordinate,
    Coupler,
    Distance,
    FunctionCoupler,
    GearPair,
    LineDistance,
    PointLineDistance,
    PointOnPlane,
    Primitive,
    RackPinion,
    WheelPair,
    curves,
    evaluate,
)
from solver.constraints.gears import gear_contact, gear_radii
from solver.constraints.kernels import into, out_of
from tests.solver.examples import O, X, Y, Z, poses

STEP = 2e-6


def _unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def _make(kind: str, rng: np.random.Generator) -> Primitive:
    p, u, s, w = rng.normal(size=3), _unit(rng), rng.normal(size=3), _unit(rng)
    mark = rotation.perpendicular(u)
    angle = Coordinate("angle", 0, 1, p, u, s, mark, w)
    travel = Coordinate("distance", 1, 2, p, u, s)
    cam = curves.periodic([[0.1, 0.3], [1.0, 0.5], [2.5, 0.2], [4.0, 0.6]], 2 * np.pi, rise=0.4)
    made: dict[str, Callable[[], Primitive]] = {
        "point on plane": lambda: PointOnPlane(0, 1, p, u, s, 0.3),
        "point on plane of the ground": lambda: PointOnPlane(GROUND, 1, p, u, s, 0.3),
        "axes angle": lambda: AxesAngle(0, 1, u, w, 0.2),
        "distance": lambda: Distance(0, 1, p, s, 1.0),
        "point line": lambda: PointLineDistance(0, 1, p, u, s, 0.5),
        "line distance": lambda: LineDistance(0, 1, p, u, s, w, 0.1),
        "coupler": lambda: Coupler(0, 1, ((2.0, angle), (-0.7, travel)), 0.1),
        "spur": lambda: GearPair(0, 1, "spur", p, u, s, w, 1.7),
        "internal": lambda: GearPair(0, 1, "internal", p, u, s, w, 1.7),
        "bevel": lambda: GearPair(0, 2, "bevel", p, u, s, w, 0.6),
        "cam": lambda: FunctionCoupler(0, 2, angle, travel, cam, 0.2),
        "constant velocity": lambda: ConstantVelocity(0, 1, u, s, w, mark),
        "crossed wheels": lambda: WheelPair(0, 1, p, u, s, w, -1.7),
        "wheel on the ground": lambda: WheelPair(GROUND, 1, p, Z, s, w, 0.4),
        "rack and pinion": lambda: RackPinion(0, 1, p, u, 0.3, s, w),
    }
    return made[kind]()


KINDS = [
    "point on plane",
    "point on plane of the ground",
    "axes angle",
    "distance",
    "point line",
    "line distance",
    "coupler",
    "spur",
    "internal",
    "bevel",
    "rack and pinion",
    "cam",
    "constant velocity",
    "crossed wheels",
    "wheel on the ground",
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_jacobian_and_bias_are_the_derivatives_of_the_residual(kind: str, seed: int) -> None:
    # Also where no carrier holds the gears: their angles are exact functions of the poses.
    rng = np.random.default_rng(seed)
    primitive = _make(kind, rng)
    x0, q0 = rng.normal(size=(3, 3)), rotation.exponential(rng.normal(size=(3, 3)))
    x, q = x0 + 0.1 * rng.normal(size=(3, 3)), rotation.turned(q0, 0.2 * rng.normal(size=(3, 3)))
    v = rng.normal(size=(3, 6))

    def at(s: float, velocity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x + s * velocity[:, :3], rotation.turned(q, s * velocity[:, 3:])

    here = evaluate([primitive], x, q, v, reference=(x0, q0))
    columns = []
    for k in range(18):
        direction = np.zeros(18)
        direction[k] = 1.0
        ahead, behind = (
            evaluate([primitive], *at(s, direction.reshape(3, 6)), reference=(x0, q0)) for s in (STEP, -STEP)
        )
        columns.append((ahead.g - behind.g) / (2 * STEP))
    scale = float(np.linalg.norm(here.G))
    assert_allclose(here.G, np.array(columns).T, atol=1e-6 * scale)
    assert_allclose(here.rates, here.G @ v.ravel(), rtol=1e-12, atol=1e-12 * scale)
    ahead, behind = (evaluate([primitive], *at(s, v), v, reference=(x0, q0)) for s in (STEP, -STEP))
    rate = (ahead.rates - behind.rates) / (2 * STEP)
    assert_allclose(-here.c, rate, rtol=1e-6, atol=1e-6 * max(scale, float(np.abs(rate).max())))


@pytest.mark.parametrize(("kind", "ratio", "contact"), [("spur", 2.0, 1.0), ("internal", 2.0, -3.0)])
def test_spur_rows_are_the_tangential_force_in_the_point_of_contact(kind: str, ratio: float, contact: float) -> None:
    x, q = poses([[0, 0, 0], [3, 0, 0]])
    G = evaluate([GearPair(0, 1, kind, O, Z, O, Z, ratio)], x, q).G.reshape(2, 6)
    force = G[0, :3]
    assert_allclose(abs(force), Y, atol=1e-12)
    assert_allclose(G[0, 3:], np.cross(contact * X, force), atol=1e-12)
    assert_allclose(G[1], np.concatenate([-force, np.cross((contact - 3) * X, -force)]), atol=1e-12)


@pytest.mark.parametrize("turned", [1.0, -1.0])
def test_bevel_row_is_the_tangential_force_on_the_pitch_cones(turned: float) -> None:
    ratio, shaft = 1.7, 1.1
    cone = np.arctan2(np.sin(shaft), ratio + np.cos(shaft))
    contact = 2.0 * np.array([np.sin(cone), 0.0, np.cos(cone)])
    other = np.array([np.sin(shaft), 0.0, np.cos(shaft)])
    gear = GearPair(0, 1, "bevel", Z * contact[2], turned * Z, other * (other @ contact), -other, ratio)
    x, q = poses([[0, 0, 0], [0, 0, 0]])
    G = evaluate([gear], x, q).G.reshape(2, 6)
    assert_allclose(G[0, 3:], np.cross(contact, G[0, :3]), atol=1e-12)
    assert_allclose(G[1], -G[0], atol=1e-12)
    assert_allclose(gear_radii(gear, x, q), (contact[0], ratio * contact[0]), rtol=1e-12)


def test_rack_moves_as_the_pinion_rolls() -> None:
    x, q = poses([[0, 0, 0], [0, 0, 0]])
    rack = RackPinion(0, 1, O, Z, 0.5, -0.5 * Y, X)
    # The pinion turning by the left about z rolls, with its foot on the rack, along +x.
    v = np.zeros((2, 6))
    v[0, 5], v[0, 0] = -2.0, 1.0
    assert_allclose(evaluate([rack], x, q, v).rates, 0.0, atol=1e-12)


def test_angles_choose_the_branch_and_nothing_is_remembered() -> None:
    x, q = poses([[0, 0, 0], [1, 0, 0]])
    gear = [GearPair(0, 1, "spur", O, Z, O, Z, 1.0)]
    a, b = 20 * np.pi + 0.3, -20 * np.pi - 0.3
    turned = rotation.turned(q, np.array([[0, 0, a], [0, 0, b]]))
    for _ in range(2):
        # The gears' angles are those of the line of centres against the wheel: −θ.
        found = evaluate(gear, x, turned, angles=[-a + 0.5, -b - 0.5], reference=(x, q))
        assert_allclose(found.g, 0.0, atol=1e-13)
        assert_allclose(found.angles, [-a, -b], rtol=1e-13)
        off = evaluate(gear, x, turned, angles=[-a + 2 * np.pi, -b], reference=(x, q))
        assert_allclose(abs(off.g), np.pi, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GearPair(0, 1, "spur", O, Z, X, Z, 0.0), "ratio of a gear pair must be above zero"),
        (lambda: GearPair(0, 1, "spur", O, Z, X, Z, np.inf), "ratio of a gear pair must be above zero"),
        (lambda: GearPair(0, 1, "internal", O, Z, X, Z, 1.0), "different radii"),
        (lambda: GearPair(0, 1, "worm", O, Z, X, Z, 1.0), 'not "worm"'),
        (lambda: RackPinion(0, 1, O, Z, 0.0, Y, X), "radius of a pinion must be above zero"),
        (lambda: Distance(0, 1, O, X, 0.0), "length of a distance must be above zero"),
        (lambda: PointLineDistance(0, 1, O, X, Y, -1.0), "must be above zero"),
    ],
)
def test_primitives_that_mean_nothing_are_refused_at_once(make: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("primitive", "words"),
    [
        (GearPair(0, 1, "spur", O, Z, O, Z, 2.0), "line of centres has no direction|coincide"),
        (GearPair(0, 1, "bevel", O, Z, O, Z, 2.0), "parallel"),
        (RackPinion(0, 1, O, Z, 0.1, O, X), "has no direction"),
        (PointOnPlane(0, 1, O, O, O), "normal of a plane has no direction"),
        (PointOnPlane(0, 1, O, Z, np.array([0, np.nan, 0])), r"primitive 0 \(PointOnPlane\): its points are not"),
    ],
)
def test_primitives_without_meaning_at_the_reference_pose_are_refused(primitive: Primitive, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        evaluate([primitive], *poses([[0, 0, 0], [0, 0, 0]]))


def test_a_vector_goes_into_a_frame_and_out_of_it() -> None:
    rng = np.random.default_rng(2)
    R = rotation.matrix(rng.normal(size=(3, 4)))
    v = rng.normal(size=3)
    assert_allclose(into(R, 1, tuple(v)), R[1].T @ v, atol=1e-14)
    assert_allclose(out_of(R, 1, tuple(v)), R[1] @ v, atol=1e-14)


@pytest.mark.parametrize(("kind", "ratio", "at"), [("spur", 2.0, 1.0), ("internal", 2.0, -3.0), ("internal", 0.5, 6.0)])
def test_wheels_touch_on_the_line_of_centres_wherever_on_its_axis_a_point_is_given(
    kind: str, ratio: float, at: float
) -> None:
    """Axes 3 apart along x, the point of one 5 farther along them."""
    gear = GearPair(0, 1, kind, O, Z, O, Z, ratio)
    touching = gear_contact(gear, np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 5.0]]), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)))
    assert_allclose(touching.point, [at, 0.0, 0.0], atol=1e-12)
    # Cylinders: their pitch cones have no angle.
    assert (touching.cone_a, touching.cone_b) == (0.0, 0.0)

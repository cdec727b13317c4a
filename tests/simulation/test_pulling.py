"""A body pulled at a point: the mechanism follows as far as joints, loops and limits let it."""

from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import Limit
from cadbridge.mechanism import Mechanism, build
from cadbridge.mechanism.twists import jacobian
from cadbridge.simulation.posing import Mover
from tests.diagnosis import gearing, linkages
from tests.report.page.models import door


def settle(mover: Mover, body: int, point: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Where the point is after as many pulls as a drag of a second has."""
    for _ in range(20):
        posed = mover.pull(body, point, target)
    return posed.poses[body].point(point)


def test_a_door_turns_to_the_point_of_its_circle_that_is_nearest() -> None:
    mechanism = build(door())
    mover = Mover(mechanism)
    handle = np.array([0.1, 0.0, 0.0])  # 0.6 m from the hinge
    target = np.array([1.0, 0.8, 0.3])
    found = settle(mover, 0, handle, target)
    assert found == pytest.approx(0.6 * np.array([1.0, 0.8, 0.0]) / np.hypot(1.0, 0.8), abs=1e-4)


def test_a_limit_holds_it() -> None:
    mechanism = build(door())
    (joint,) = mechanism.joints
    limited = replace(mechanism, joints=(replace(joint, limit=Limit(-0.1, 0.3)),))
    mover = Mover(limited)
    settle(mover, 0, np.array([0.1, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    assert abs(next(iter(mover.values.values()))) == pytest.approx(0.3, abs=1e-9)


@pytest.fixture(scope="module")
def four_bar() -> Mechanism:
    return build(linkages.planar([(0, 0), (0.1, 0.2), (0.4, 0.3), (0.5, 0.0)]))


def test_a_loop_stays_closed_and_its_point_comes_as_near_as_it_can(four_bar: Mechanism) -> None:
    mover = Mover(four_bar)
    point = np.array([0.0, 0.05, 0.0])
    start = four_bar.bodies[1].X_WB.point(point)
    target = start + np.array([0.05, 0.03, 0.01])
    found = settle(mover, 1, point, target)
    assert np.linalg.norm(target - found) < np.linalg.norm(target - start)
    posed = mover.move({})
    gap, _ = jacobian([p for j in four_bar.joints for p in j.primitives], posed.poses)
    assert np.abs(gap).max() < 1e-6
    # At the nearest point what is left stands across the direction in which the point can go.
    (name,) = mover.values
    twist = mover.twists(name)[1]
    along = twist[:3] + np.cross(twist[3:], posed.poses[1].R @ point)
    left = target - found
    assert abs(along @ left) < 0.02 * np.linalg.norm(along) * np.linalg.norm(left)


def test_gears_follow() -> None:
    mechanism = build(gearing.planetary(3))
    mover = Mover(mechanism)
    carrier = next(k for k, b in enumerate(mechanism.bodies) if "carrier" in b.name)
    before = mover.values
    mover.pull(carrier, np.array([0.05, 0.0, 0.0]), np.array([0.0, 0.05, 0.0]))
    gears = [c.primitive for c in mechanism.couplings]
    assert gears
    assert mover.values != before


def test_what_cannot_move_stays() -> None:
    mechanism = build(door())
    (joint,) = mechanism.joints
    mover = Mover(replace(mechanism, joints=(replace(joint, limit=Limit(0.0, 0.0)),)))
    posed = mover.pull(0, np.array([0.1, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    assert posed.poses[0].p == pytest.approx(mechanism.bodies[0].X_WB.p, abs=1e-9)

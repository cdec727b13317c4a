"""The joints that lead, found loop by loop, against the null space of all rows at once; and what a pull feels."""

from collections.abc import Callable

import numpy as np
import pytest

from cadbridge.assembly import Assembly
from cadbridge.mechanism import Mechanism, build
from cadbridge.mechanism.twists import jacobian
from cadbridge.simulation.posing import Mover, _rate, leading_joints
from solver.algebra.rank import null_space
from tests.diagnosis import gearing, linkages
from tests.report.page.models import door

MODELS: dict[str, Callable[[], Assembly]] = {
    "door": door,
    "four-bar": lambda: linkages.planar([(0, 0), (0.1, 0.2), (0.4, 0.3), (0.5, 0.0)]),
    "planetary gear": lambda: gearing.planetary(3),
}


def in_all_rows(mechanism: Mechanism, first: str | None) -> list[str]:
    """The same by one dense null space: what is chosen where nothing is taken apart."""
    primitives = [p for j in mechanism.joints for p in j.primitives] + [c.primitive for c in mechanism.couplings]
    N = null_space(jacobian(primitives, [b.X_WB for b in mechanism.bodies])[1], mechanism.length_scale)
    chosen: list[str] = []
    kept = np.zeros((0, N.shape[1]))
    for joint in sorted((j for j in mechanism.joints if j.coordinate), key=lambda j: j.name != first):
        tried = np.vstack([kept, _rate(mechanism, joint) @ N])
        if np.linalg.matrix_rank(tried, tol=1e-6) == len(tried):
            kept = tried
            chosen.append(joint.name)
    return chosen


@pytest.mark.parametrize("name", MODELS)
def test_the_joints_that_lead_are_those_of_all_rows_at_once(name: str) -> None:
    mechanism = build(MODELS[name]())
    for first in (None, *(j.name for j in mechanism.joints)):
        assert list(leading_joints(mechanism, first)) == in_all_rows(mechanism, first)


@pytest.mark.parametrize("name", MODELS)
def test_a_pull_feels_each_joint_as_it_moves_the_point(name: str) -> None:
    mover = Mover(build(MODELS[name]()))
    body, lever = len(mover.mechanism.bodies) - 1, np.array([0.01, 0.02, 0.03])
    twists = [mover.twists(j.name)[body] for j in mover.joints]
    moved = np.stack([t[:3] + np.cross(t[3:], lever) for t in twists], axis=1)
    assert mover._influences(body, lever) == pytest.approx(moved, abs=1e-9)

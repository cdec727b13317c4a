"""The bond graph of whole mechanisms gives the forces of absolute coordinates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.efforts import Inverse, JointPath, Motion
from cadbridge.mechanism import Mechanism
from cadbridge.simulation.loads import LoadSpecs
from solver.functions import expression
from solver.model import JointLoad
from tests.efforts.test_inverse import four_bar, motion
from tests.real_robots import robot_folder

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def both(mechanism: Mechanism, asked: Motion) -> tuple[Inverse, Inverse]:
    """A motion by both methods, compared: efforts, wrenches from outside, multipliers."""
    one, other = (cb.inverse(mechanism, asked, method=m) for m in ("absolute", "bond-graph"))
    assert one.run.result.status.ok
    assert_allclose(other.forces.efforts, one.forces.efforts, rtol=1e-8, atol=1e-8)
    assert_allclose(other.forces.multipliers, one.forces.multipliers, rtol=1e-8, atol=1e-8)
    assert one.external.keys() == other.external.keys()
    for name in one.external:
        assert_allclose(other.external[name], one.external[name], rtol=1e-8, atol=1e-8)
    assert np.max(other.forces.unmet) < 1e-8
    return one, other


def shorter(asked: Motion, samples: int) -> Motion:
    """The same way, with fewer samples."""
    return replace(asked, scenario=replace(asked.scenario, rate=samples / asked.scenario.duration))


@pytest.mark.parametrize("name", ["rrrt3", "trrr3", "delta", "stewart"])
def test_parallel_manipulators(name: str) -> None:
    mechanism = cb.build(cb.read(FIXTURES / name / f"{name}.sdf"))
    asked = shorter(cb.load_motion(FIXTURES / name / f"{name}.motion.yaml", mechanism), 3)
    _, graph = both(mechanism, asked)
    assert graph.method == "bond-graph"
    both(mechanism, replace(asked, actuators=()))
    # Bearings that are not free of friction: resistances in the graph.
    loads = LoadSpecs(
        joint_springs=tuple(
            (j.name, JointLoad(None, damping=0.2, stiffness=1.5, name=f"bearing of {j.name}"))  # type: ignore[arg-type]
            for j in mechanism.joints
            if j.type in ("revolute", "prismatic")
        )
    )
    both(mechanism, replace(asked, scenario=replace(asked.scenario, loads=loads)))


def test_a_quadruped_in_the_air() -> None:
    source = robot_folder() / "solo_description" / "robots" / "solo12.urdf"
    options = cb.ReadOptions(floating=True, package_dirs=(robot_folder().parents[1],))
    mechanism = cb.build(cb.read(source, options=options))
    hinges = [j.name for j in mechanism.joints if j.type == "revolute"]
    assert len(hinges) == 12
    paths = tuple(JointPath(n, expression(f"{0.1 * (k % 5)}*sin({2 + k % 3}*t)")) for k, n in enumerate(hinges))
    base = next(b for b in mechanism.bodies if all(j.b != mechanism.bodies.index(b) for j in mechanism.joints))
    from cadbridge.efforts import BodyPath, Turning
    from cadbridge.frames import Pose

    turning = Turning(((np.array([0.0, 0.0, 1.0]), expression("0.8*sin(2*t)")),), np.eye(3))
    place = tuple(expression(f) for f in ("0.1*t^2", "0.05*sin(3*t)", "0.3 + 0.1*cos(2*t)"))
    led = BodyPath(base.components[0], mechanism.bodies.index(base), Pose(), place, turning)
    asked = Motion(joints=paths, bodies=(led,))
    one, _ = both(mechanism, replace(asked, scenario=replace(asked.scenario, duration=1.0, rate=8.0)))
    # In the air only the base is held from outside: by as much as the whole robot's momentum changes.
    T, units = one.run.result.trajectory, one.run.lowered.units
    masses = np.array([u.mass.mass for u in units])
    force = np.einsum("n,kni->ki", masses, T.accelerations[:, :, :3]) + masses.sum() * np.array([0, 0, 9.81])
    assert_allclose(one.external[led.name][:, :3], force, atol=1e-8)


def test_rows_that_repeat_and_actuators_to_spare(tmp_path: Path) -> None:
    bar = cb.build(four_bar())
    text = 'duration: 1\nrate: 6\njoints: {A: "40*t"}\n'
    both(bar, motion(tmp_path, bar, text + "actuators: [A]\n"))
    both(bar, motion(tmp_path, bar, text + "actuators: [A, D, C]\n"))


def test_gears() -> None:
    mechanism = cb.build(cb.read(FIXTURES / "geared_robot3" / "geared_robot3.urdf"))
    paths = (
        JointPath("q4", expression("sin(2*t)")),
        JointPath("q5", expression("t")),
        JointPath("q6", expression("t^2")),
    )
    asked = Motion(joints=paths, actuators=("q4", "q5", "q6"))
    both(mechanism, replace(asked, scenario=replace(asked.scenario, duration=0.5, rate=10.0)))

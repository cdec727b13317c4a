"""Robots of packages beside the engine of their format: what Pinocchio and Drake hold of a file is what is read.

Poses, velocities, masses, damping, rotors and mimics all show in the accelerations at a random state; limits and
friction are compared by name. Nobody here wrote these robots.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from cadbridge.diagnosis import diagnose
from cadbridge.mechanism import Mechanism, build
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from tests.readers.compiled import original
from tests.readers.engines import by_drake, by_mujoco, by_pinocchio, gap
from tests.real_robots import ROBOTS, robot_folder

MIMICS = (
    "panda_description/urdf/panda.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "pr2_description/urdf/pr2.urdf",
)
"""Followers before and after their leaders, and of other ratios than one."""

DOUBTFUL = {
    "anymal_b_simple_description/robots/anymal-kinova.urdf": "CB1433",  # a base of (-2e-22, 8e-23, 3e-6) kg m²
    "hyq_description/robots/hyq_no_sensors.urdf": "CB1433",
    "tiago_description/robots/tiago_no_hand.urdf": "CB1433",  # a moment below zero, fixed to a heavy base
    "icub_description/robots/icub_reduced.urdf": "CB1433",  # -5e-20 where 0 was meant
    "bolt_description/robots/bolt.urdf": "CB1924",  # an inertia without mass
    "asr_twodof_description/urdf/TwoDofs.urdf": "CB1436",  # a link called ground
}
"""What engines load and a strict reader would refuse: read without an error, told by the code, and moved alike."""


def _mechanism(path: Path) -> Mechanism:
    mechanism = build(read(path, options=ReadOptions(geometry=False)))
    assert not [f for f in (*mechanism.assembly.findings, *mechanism.findings) if f.severity == "error"]
    return mechanism


@pytest.mark.parametrize("name", [*ROBOTS, *MIMICS, *DOUBTFUL])
def test_a_urdf_accelerates_as_in_pinocchio(name: str) -> None:
    path = robot_folder() / name
    mechanism = _mechanism(path)
    codes = {f.code for f in (*mechanism.assembly.findings, *mechanism.findings)}
    assert name not in DOUBTFUL or DOUBTFUL[name] in codes
    answer = by_pinocchio(path, mimic=bool(mechanism.couplings))
    assert sum(j.freedom.shape[1] for j in mechanism.joints) - len(mechanism.couplings) == answer.freedoms
    assert gap(mechanism, answer) < 1e-10


@pytest.mark.parametrize("name", [ROBOTS[1], ROBOTS[3], ROBOTS[9], MIMICS[1]])
def test_limits_and_friction_of_a_urdf_are_pinocchios(name: str) -> None:
    path = robot_folder() / name
    mechanism, model = _mechanism(path), pin.buildModelFromUrdf(str(path))
    compared = 0
    for joint in mechanism.joints:
        theirs = model.joints[model.getJointId(joint.name)]
        limit = joint.limit
        assert joint.damping == pytest.approx(model.damping[theirs.idx_v])
        assert joint.friction == pytest.approx(model.upperDryFrictionLimit[theirs.idx_v])
        if limit is None or theirs.nq != 1:
            continue
        expected = (
            model.lowerPositionLimit[theirs.idx_q], model.upperPositionLimit[theirs.idx_q],
            model.upperVelocityLimit[theirs.idx_v], model.upperEffortLimit[theirs.idx_v],
        )  # fmt: skip
        found = (limit.lower, limit.upper, limit.velocity, limit.effort)
        for ours, other in zip(found, expected, strict=True):
            assert (ours is None and not np.isfinite(other)) or ours == pytest.approx(other)
        compared += 1
    assert compared > 5


@pytest.mark.parametrize("name", ["acrobot/Acrobot", "planar_gripper/planar_gripper", "multibody/cart_pole/cart_pole"])
def test_an_sdf_accelerates_as_in_drake(name: str) -> None:
    spec = find_spec("pydrake")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "share" / "drake" / "examples" / f"{name}.sdf"
    mechanism, answer = _mechanism(path), by_drake(path)
    assert diagnose(mechanism).mobility.dof == answer.freedoms
    assert gap(mechanism, answer) < 1e-10


EQUALITIES = {
    "tendon": '<tendon tendon1="t"/>',
    "joints": '<joint joint1="u" joint2="v" polycoef="0 1 0.5 0 0"/>',
    "both, one after the other": '<tendon tendon1="t"/><joint joint1="u"/>',
    "both alike": '<tendon tendon1="t"/><joint joint1="u" joint2="v" polycoef="0 2 0 0 0"/>',
    "connect": '<connect body1="c" body2="world" anchor="0.1 0 0.2"/>',
    "weld": '<weld body1="c"/>',
    "not active": '<weld body1="c" active="false"/>',
}


@pytest.mark.parametrize("case", EQUALITIES)
def test_equalities_of_an_mjcf_take_as_many_freedoms_as_in_mujoco(case: str, tmp_path: Path) -> None:
    """MuJoCo's nv counts what its equalities hold; the rank of their rows is what they take."""
    path = tmp_path / "chain.xml"
    box, turn = '<geom type="box" size="0.1 0.05 0.2" pos="0.1 0 0.05"/>', '<joint name="{}" axis="0 1 0"/>'
    path.write_text(
        f"""<mujoco><worldbody><body name="a">{turn.format("u")}{box}<body name="b" pos="0.5 0 0">{turn.format("v")}
        {box}<body name="c" pos="0 0 0.5">{turn.format("w")}{box}</body></body></body></worldbody>
        <tendon><fixed name="t"><joint joint="u" coef="2"/><joint joint="v" coef="-1"/></fixed></tendon>
        <equality>{EQUALITIES[case]}</equality></mujoco>""",
        encoding="utf-8",
    )
    model = original(path)
    answer = by_mujoco(model, [model.body(i).name for i in range(model.nbody)])
    assert diagnose(_mechanism(path)).mobility.dof == answer.freedoms

"""The URDFs of example-robot-data, beside Pinocchio's package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

ROBOTS = (
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "panda_description/urdf/panda.urdf",
    "solo_description/robots/solo12.urdf",
    "laikago_description/urdf/laikago.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
)


def robot_folder() -> Path:
    """The folder that the names of `ROBOTS` count from."""
    spec = find_spec("pinocchio")
    assert spec is not None
    assert spec.origin is not None
    prefix = next(p for p in Path(spec.origin).parents if p.name == "cmeel.prefix")
    return prefix / "share" / "example-robot-data" / "robots"

"""URDF → mechanism → URDF in Pinocchio, SDF → mechanism → SDF in Drake: every field of a joint, and the mass matrix.

The robots are those of packages that nobody here wrote.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadbridge.exporters import export
from cadbridge.exporters.names import clean
from cadbridge.mechanism import build
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from tests.real_robots import ROBOTS, robot_folder

OF_A_DEGREE = ("damping", "friction", "armature", "rotorInertia", "rotorGearRatio", "velocityLimit", "effortLimit")
"""Of Pinocchio's model, one for each rate of a joint; limits of position come beside."""


def _exported(path: Path, folder: Path, to: str) -> Path:
    """The model read and exported again; nothing but shapes and drawing may be left out."""
    mechanism = build(read(path, options=ReadOptions(geometry=False)))
    return next(p for p in export(mechanism, folder, to).files if p.suffix == f".{to}")


@pytest.mark.parametrize("robot", ROBOTS)
def test_urdf_comes_back_as_pinocchio_had_it(robot: str, tmp_path: Path) -> None:
    import pinocchio as pin

    path = robot_folder() / robot
    before = pin.buildModelFromUrdf(str(path))
    after = pin.buildModelFromUrdf(str(_exported(path, tmp_path / "x", "urdf")))
    assert [clean(name) for name in before.names[1:]] == [*after.names[1:]]
    for what in (*OF_A_DEGREE, "lowerPositionLimit", "upperPositionLimit"):
        np.testing.assert_allclose(getattr(after, what), getattr(before, what), rtol=1e-9, atol=1e-12, err_msg=what)
    q = pin.integrate(before, pin.neutral(before), np.random.default_rng(0).uniform(-1, 1, before.nv))
    masses = [pin.crba(m, m.createData(), q, pin.Convention.LOCAL) for m in (before, after)]
    np.testing.assert_allclose(np.triu(masses[1]), np.triu(masses[0]), rtol=1e-9, atol=1e-9)


SDFS = ("planar_gripper/planar_brick.sdf", "planar_gripper/planar_gripper.sdf", "acrobot/Acrobot.sdf")


def _plant(path: Path) -> Any:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant: Any = MultibodyPlant(0.0)
    Parser(plant).AddModels(path)
    plant.Finalize()
    return plant


def _fields(plant: Any) -> dict[str, list[float]]:
    """By joint and actuator, what Drake holds of it."""
    context, found = plant.CreateDefaultContext(), {}
    for joint in (plant.get_joint(i) for i in plant.GetJointIndices()):
        if joint.num_velocities() in (1, 2, 3):
            found[clean(joint.name())] = [
                *joint.position_lower_limits(), *joint.position_upper_limits(), *joint.velocity_upper_limits(),
                *joint.GetDampingVector(context),
            ]  # fmt: skip
    for actuator in (plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices()):
        drives = f"drive of {clean(actuator.joint().name())}"
        found[drives] = [actuator.effort_limit(), actuator.default_rotor_inertia(), actuator.default_gear_ratio()]
    return found


@pytest.mark.parametrize("robot", SDFS)
def test_sdf_comes_back_as_drake_had_it(robot: str, tmp_path: Path) -> None:
    spec = find_spec("pydrake")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "share" / "drake" / "examples" / robot
    plants = [_plant(path), _plant(_exported(path, tmp_path / "x", "sdf"))]
    before, after = map(_fields, plants)
    assert before.keys() == after.keys()
    for name, values in before.items():
        np.testing.assert_allclose(after[name], values, rtol=1e-9, err_msg=name)
    masses = [np.linalg.eigvalsh(p.CalcMassMatrix(p.CreateDefaultContext())) for p in plants]
    np.testing.assert_allclose(masses[1], masses[0], rtol=1e-9)

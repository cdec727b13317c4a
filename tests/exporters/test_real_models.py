"""Exports of real machines, loaded by MuJoCo and Pinocchio."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest

from cadbridge.exporters import export
from cadbridge.exporters.loops import close_loops
from cadbridge.exporters.tree import bodies_at, spanning_tree
from cadbridge.frames import Pose
from cadbridge.mechanism import Mechanism, build
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from solver.constraints import evaluate
from tests.exporters.models import names_of
from tests.exporters.test_exports import accelerations, accelerations_of


def kr16(corpus: Path) -> Mechanism:
    support = corpus / "kuka_kr16_support"
    options = ReadOptions(package_dirs=(Path(corpus),), mass_from="mesh", density=2700.0)
    return build(read(support / "urdf" / "kr16_2.urdf", options=options))


def so100(corpus: Path) -> Mechanism:
    return build(read(corpus / "so100" / "so100.urdf"))


def quadruped(corpus: Path) -> Mechanism:
    return build(read(corpus / "quadruped_solidworks" / "Assem4.xml"))


MACHINES: tuple[Callable[[Path], Mechanism], ...] = (kr16, so100, quadruped)


@pytest.fixture(scope="module", params=MACHINES, ids=lambda m: m.__name__)
def machine(request: pytest.FixtureRequest, corpus: Path) -> Mechanism:
    made: Mechanism = request.param(corpus)
    return made


def test_the_tree_of_a_real_machine_holds_its_joints(machine: Mechanism) -> None:
    tree = spanning_tree(machine)
    assert tree.freedoms
    q = np.random.default_rng(8).uniform(-0.4, 0.4, len(tree.freedoms))
    positions, quaternions, _ = bodies_at(tree, q)
    rows = [p for link in tree.links if link.joint is not None for p in link.joint.primitives]
    np.testing.assert_allclose(evaluate(rows, positions, quaternions).g, 0, atol=1e-9)


@pytest.mark.parametrize("to", ["mjcf", "urdf"])
def test_mujoco_loads_real_machines_with_masses_in_place(machine: Mechanism, to: str, tmp_path: Path) -> None:
    tree = spanning_tree(machine)
    q = np.random.default_rng(8).uniform(-0.4, 0.4, len(tree.freedoms))
    positions, quaternions, _ = bodies_at(tree, q)
    result = export(machine, tmp_path / to, to)
    model = mujoco.MjModel.from_xml_path(str(result.files[0]))
    links, joints = names_of(tmp_path / to, "links"), names_of(tmp_path / to, "joints")
    data = mujoco.MjData(model)
    for freedom, value in zip(tree.freedoms, q, strict=True):
        data.joint(joints[freedom.name]).qpos[0] = value
    mujoco.mj_kinematics(model, data)
    for body, p, quaternion in zip(machine.bodies, positions, quaternions, strict=True):
        assert body.mass is not None
        com = Pose.from_quaternion(p, quaternion).point(body.mass.com)
        np.testing.assert_allclose(data.body(links[body.name]).xipos, com, atol=1e-9)
        assert model.body(links[body.name]).mass[0] == pytest.approx(body.mass.mass, rel=1e-11)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(0.2 / model.opt.timestep))
    assert [w.number for w in data.warning] == [0] * len(data.warning)


def test_pinocchio_loads_real_machines_with_their_meshes(machine: Mechanism, tmp_path: Path) -> None:
    path = export(machine, tmp_path / "urdf", "urdf").files[0]
    model = pinocchio.buildModelFromUrdf(str(path))
    assert model.nv == len(spanning_tree(machine).freedoms)
    moving = sum(body.mass.mass for body in machine.bodies if body.mass is not None)
    assert sum(inertia.mass for inertia in model.inertias[1:]) == pytest.approx(moving, rel=1e-11)
    meshes = pinocchio.buildGeomFromUrdf(
        model, str(path), pinocchio.GeometryType.VISUAL, package_dirs=[str(path.parent)]
    )
    shapes = [machine.assembly.part(instance.part).shape for instance in machine.assembly.instances]
    assert meshes.ngeoms == sum(shape is not None and bool(shape.coarse or shape.fine) for shape in shapes)


def test_the_kr15_accelerates_in_mujoco_as_its_gears_demand(kr15: Mechanism, tmp_path: Path) -> None:
    result = export(kr15, tmp_path / "mjcf", "mjcf")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "mjcf" / "scene.xml"))
    assert (model.nv, model.neq, model.nu) == (26, 20, 6)
    assert [f.code for f in result.findings if f.severity == "warning"] == ["CB511"]
    moved = accelerations_of(model, close_loops(kr15).tree)
    expected = accelerations(kr15)
    np.testing.assert_allclose(moved, expected, atol=1e-9 * np.max(np.abs(expected)))

"""SDF, loaded by Drake, against the mechanism it came from."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from pydrake.multibody.tree import BallRpyJoint
from pydrake.systems.framework import Context

import cadbridge as cb
from cadbridge.assembly import GROUND, NamedFrame
from cadbridge.exporters import export
from cadbridge.exporters.relations import relations
from cadbridge.exporters.tree import Tree, kinematics, spanning_tree
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from solver.constraints import Coordinate, Coupler, GearPair
from tests.exporters import models
from tests.exporters.models import MECHANISMS, names_of


def load(folder: Path, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)) -> Any:
    """What Drake makes of an export; its discrete solver is the one that knows mimics."""
    plant: Any = MultibodyPlant(1e-3)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    Parser(plant).AddModels(folder / "model.sdf")
    plant.mutable_gravity_field().set_gravity_vector(np.asarray(gravity))
    plant.Finalize()
    return plant


def place(plant: Any, tree: Tree, joints: dict[str, str], q: np.ndarray) -> Context:
    """Drake's context with the tree's coordinates q."""
    context: Context = plant.CreateDefaultContext()
    for link in tree.links:
        for k, freedom in enumerate(link.freedoms, link.first):
            name = joints[freedom.name]
            if not plant.HasJointNamed(name):
                continue
            joint: Any = plant.GetJointByName(name)
            if isinstance(joint, BallRpyJoint):
                angles: Any = turned(link.freedoms, q[link.first : link.first + 3])  # Drake's stub demands a shape
                joint.set_angles(context, angles)
            else:
                plant.SetPositions(context, at(joint.position_start(), q[k], plant, context))
    return context


def at(index: int, value: float, plant: Any, context: Context) -> np.ndarray:
    positions: np.ndarray = plant.GetPositions(context)
    positions[index] = value
    return positions


def turned(freedoms: object, angles: np.ndarray) -> np.ndarray:
    """The roll, pitch and yaw of three turns one after the other."""
    from cadbridge.exporters.tree import motion

    X = Pose()
    for freedom, angle in zip(freedoms, angles, strict=True):  # type: ignore[call-overload]
        X = X @ motion(freedom.kind, freedom.axis, float(angle))
    return X.rpy()


def agree(mechanism: Mechanism, folder: Path, seed: int) -> None:
    """Masses, inertias and poses of all links at random coordinates that screws allow."""
    plant, tree = load(folder), spanning_tree(mechanism)
    links, joints = names_of(folder, "links"), names_of(folder, "joints")
    q = np.random.default_rng(seed).uniform(-0.5, 0.5, len(tree.freedoms))
    for link in tree.links:
        if link.type == "screw" and link.joint is not None:
            q[link.first + 1] = (link.joint.pitch or 0.0) * q[link.first]
    context = place(plant, tree, joints, q)
    floating = {link.body for link in tree.links if link.type in ("free", "generic") and link.parent == 0}
    for link, X_WL in zip(tree.links[1:], kinematics(tree, q).X_WL[1:], strict=True):
        if link.body in floating:
            continue
        body = plant.GetBodyByName(links[tree.body(link).name])
        found = plant.EvalBodyPoseInWorld(context, body)
        assert isinstance(found, RigidTransform)
        np.testing.assert_allclose(found.translation(), X_WL.p, atol=1e-9)
        np.testing.assert_allclose(found.rotation().matrix(), X_WL.R, atol=1e-9)
        mass = tree.mass(link)
        assert mass is not None
        M = body.CalcSpatialInertiaInBodyFrame(context)
        assert M.get_mass() == pytest.approx(mass.mass, rel=1e-11)
        np.testing.assert_allclose(M.get_com(), mass.com, atol=1e-9)
        inertia = M.Shift(M.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
        np.testing.assert_allclose(inertia, mass.inertia, atol=1e-9)


@pytest.mark.parametrize("make", MECHANISMS, ids=lambda m: m.__name__)
def test_poses_and_masses_survive_in_drake(make: Callable[[], Mechanism], tmp_path: Path) -> None:
    mechanism = make()
    export(mechanism, tmp_path / "sdf", "sdf")
    agree(mechanism, tmp_path / "sdf", 3)


@pytest.mark.parametrize("name", ["quadruped_solidworks/Assem4.xml", "kuka_kr16_support/urdf/kr16_2.urdf"])
def test_real_machines_load_in_drake(
    name: str, corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mechanism = cb.build(cb.read(corpus / name))
    export(mechanism, tmp_path / "sdf", "sdf")
    agree(mechanism, tmp_path / "sdf", 4)
    assert "warning" not in capfd.readouterr().err


def test_frames_of_a_ground_without_shape_load_in_drake(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    frames = (NamedFrame("mark", GROUND, Pose(np.eye(3), np.array([0.1, 0.2, 0.3]))),)
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, frames=frames))
    export(mechanism, tmp_path / "sdf", "sdf")
    agree(mechanism, tmp_path / "sdf", 3)
    assert load(tmp_path / "sdf").HasFrameNamed("mark")


def test_a_frame_that_is_called_like_a_link_or_joint_gets_another_name(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    names = (mechanism.bodies[0].name, mechanism.joints[0].name)
    frames = tuple(NamedFrame(name, GROUND, Pose()) for name in names)
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, frames=frames))
    export(mechanism, tmp_path / "out", "sdf")
    model = ET.parse(tmp_path / "out" / "model.sdf").getroot().find("model")
    assert model is not None
    written = [e.get("name") for e in model if e.tag in ("link", "joint", "frame")]
    assert len(set(written)) == len(written)
    load(tmp_path / "out")  # libsdformat refuses a name that stands twice


def test_gears_turn_in_drake_as_the_relation_says(tmp_path: Path) -> None:
    from pydrake.systems.analysis import Simulator

    mechanism = models.geared_pair(rack=False)
    export(mechanism, tmp_path / "sdf", "sdf")
    plant = load(tmp_path / "sdf", gravity=(0.0, -9.81, 0.0))
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    simulator.AdvanceTo(0.3)
    q = plant.GetPositions(context)
    (coupling,) = mechanism.couplings
    assert isinstance(coupling.primitive, GearPair)
    ratio = coupling.primitive.ratio
    turned = sorted(abs(value) for value in q)
    assert turned[-1] > 1e-3
    assert turned[-1] / turned[0] == pytest.approx(max(ratio, 1 / ratio), rel=1e-3)


def test_an_inertia_that_no_body_has_is_written_as_it_stands_and_told(tmp_path: Path) -> None:
    from dataclasses import replace

    mechanism = models.pendulum()
    bad = replace(mechanism.bodies[0], mass=MassProperties(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0])))
    done = export(replace(mechanism, bodies=(bad, *mechanism.bodies[1:])), tmp_path / "sdf", "sdf")
    assert "CB1434" in [f.code for f in done.findings]
    written = "".join(path.read_text() for path in (tmp_path / "sdf").rglob("*.sdf"))
    moments = [float(text) for text in re.findall(r"<i(?:xx|yy|zz)>([^<]+)<", written)]
    # The link's axes are turned; the sum of the moments is not.
    assert any(sum(moments[k : k + 3]) == pytest.approx(5.0) for k in range(0, len(moments), 3))


def geared_on_one_another(first_above: bool) -> Mechanism:
    """A wheel on an arm that turns thrice as fast against the arm as the arm against the ground."""
    rig = models.Builder(23)
    arm, wheel = rig.body(), rig.body()
    X_1, X_2 = models.at((0, 0, 0.1), (0.1, 0.2, 1)), models.at((0.3, 0, 0.1), (1, 0, 0.3))
    rig.joint("revolute", arm, -1, X_1, name="a" if first_above else "z")
    rig.joint("revolute", arm, wheel, X_2, name="m")
    turns = []
    for (a, b), X in (((-1, arm), X_1), ((arm, wheel), X_2)):
        A, B = rig.pose(a).inverse() @ X, rig.pose(b).inverse() @ X
        turns.append(Coordinate("angle", a, b, A.p, A.R[:, 2], B.p, A.R[:, 0], B.R[:, 0]))
    rig.couple("thrice", Coupler(-1, arm, ((-3.0, turns[0]), (1.0, turns[1])), 0.0))
    return rig.build()


@pytest.mark.parametrize(
    "make",
    [
        models.pendulum,
        models.joints_of_all_kinds,
        lambda: models.geared_pair(rack=False),
        lambda: geared_on_one_another(True),
        lambda: geared_on_one_another(False),
    ],
    ids=["pendulum", "kinds", "pair", "upwards", "downwards"],
)
def test_the_older_file_says_the_same(make: Callable[[], Mechanism], tmp_path: Path) -> None:
    result = export(make(), tmp_path / "x", "sdf")
    said = []
    for file in ("model.sdf", "model-1_9.sdf"):
        again = cb.build(cb.read(tmp_path / "x" / file))
        assert not [f for f in again.findings if f.severity == "error"]
        tree = spanning_tree(again)
        ratios = [
            {tree.freedoms[k].name: round(c, 9) for k, c in r.terms}
            for r in relations(tree)[0]
            if abs(r.constant) < 1e-9
        ]
        said.append((cb.diagnose(again).mobility.dof, len(again.bodies), ratios))
    assert said[0] == said[1]
    config = (tmp_path / "x" / "model.config").read_text()
    assert '<sdf version="1.9">model-1_9.sdf</sdf>' in config
    assert "CB525" not in [f.code for f in result.findings]


def test_a_rack_is_told_where_only_gearboxes_are(tmp_path: Path) -> None:
    result = export(models.geared_pair(), tmp_path / "x", "sdf")
    (told,) = [f for f in result.findings if f.code == "CB525"]
    assert "rack" in told.message
    older = (tmp_path / "x" / "model-1_9.sdf").read_text()
    assert older.count('type="gearbox"') == 1
    assert "mimic" not in older


def test_names_of_shapes_are_clean_and_unique_in_their_link(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    (first, *others), body = mechanism.assembly.instances, mechanism.bodies[0]
    alike = [replace(first, name=name) for name in ("a/b", "a b", "ä:b <1>")]
    assembly = replace(mechanism.assembly, instances=(*alike, *others))
    bodies = (replace(body, instances=tuple(i.name for i in alike)), *mechanism.bodies[1:])
    export(replace(mechanism, assembly=assembly, bodies=bodies), tmp_path / "x", "sdf")
    link = ET.parse(tmp_path / "x" / "model.sdf").getroot().findall("model/link")[0]
    names = [e.get("name", "") for e in link.findall("visual")]
    assert names == ["a_b_visual", "a_b_2_visual", "a_b_1_visual"]
    load(tmp_path / "x")

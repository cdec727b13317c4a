"""OpenUSD: read back by its own library, and judged by its own validators."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade, UsdValidation

import cadbridge as cb
from cadbridge.assembly import Limit, NamedFrame
from cadbridge.errors import MissingExtraError
from cadbridge.exporters import ExportOptions, export
from cadbridge.exporters.relations import relations
from cadbridge.exporters.tree import spanning_tree
from cadbridge.frames import Pose
from cadbridge.mechanism import Mechanism
from tests.exporters import models
from tests.exporters.omniverse import omniverse_issues

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SINGLE = 2e-6
"""USD's physics is in single precision."""


def stage_of(mechanism: Mechanism, folder: Path, **options: Any) -> tuple[Any, list[str]]:
    """The stage of an export, and the codes of its findings."""
    result = export(mechanism, folder / "out", "usd", name="rig", options=ExportOptions(**options))
    return Usd.Stage.Open(str(result.files[0])), [f.code for f in result.findings]


def pose_of(prim: Any) -> Pose:
    """X_WP of a prim."""
    matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim)).T
    return Pose(matrix[:3, :3], matrix[:3, 3])


def frames_of(joint: Any) -> list[Pose]:
    """The joint's frame in the world, by each of its two bodies."""
    found = []
    for body, position, rotation in (
        (joint.GetBody0Rel(), joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr()),
        (joint.GetBody1Rel(), joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr()),
    ):
        (target,) = body.GetTargets()
        q = rotation.Get()
        quaternion = np.array([q.GetReal(), *q.GetImaginary()])
        X_BK = Pose.from_quaternion(np.array(position.Get(), dtype=float), quaternion / np.linalg.norm(quaternion))
        found.append(pose_of(joint.GetPrim().GetStage().GetPrimAtPath(target)) @ X_BK)
    return found


def faults(stage: Any) -> list[str]:
    """What USD's own validators say, all of them."""
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    found = UsdValidation.ValidationContext(validators).Validate(stage)
    return [f"{error.GetName()}: {error.GetMessage()}" for error in found]


def joints_of(stage: Usd.Stage) -> list[Usd.Prim]:
    """The joints but for the one that holds the ground."""
    found = [prim for prim in stage.Traverse() if prim.IsA(UsdPhysics.Joint)]
    return [prim for prim in found if not prim.IsA(UsdPhysics.FixedJoint)]


@pytest.mark.parametrize("collision", ["as-is", "hull", "primitives"])
@pytest.mark.parametrize("name", ["pendulum", "joints_of_all_kinds", "geared_pair", "planetary", "four_bar"])
def test_usds_own_validators_find_nothing(name: str, collision: str, tmp_path: Path) -> None:
    stage, _ = stage_of(getattr(models, name)(), tmp_path, collision=collision)
    assert not faults(stage)
    assert UsdGeom.GetStageMetersPerUnit(stage) == UsdPhysics.GetStageKilogramsPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    with warnings.catch_warnings():
        # Its successor's result cannot be looked into from Python in 26.11.
        warnings.simplefilter("ignore", DeprecationWarning)
        read = UsdPhysics.LoadUsdPhysicsFromRange(stage, ["/"])
    assert all(description.isValid for _, descriptions in read.values() for description in descriptions)


@pytest.mark.parametrize("name", ["pendulum", "joints_of_all_kinds", "geared_pair", "planetary", "four_bar"])
def test_the_validator_of_omniverse_finds_nothing(name: str, tmp_path: Path) -> None:
    stage, _ = stage_of(getattr(models, name)(), tmp_path)
    assert not omniverse_issues(stage.GetRootLayer().realPath)


@pytest.mark.parametrize("file", ["puma560/puma560.urdf", "delta/delta.sdf", "stewart/stewart.sdf"])
def test_machines_pass_the_validators(file: str, tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(FIXTURES / file))
    stage, codes = stage_of(mechanism, tmp_path)
    assert not faults(stage)
    joints = joints_of(stage)
    assert len(joints) == len(mechanism.joints) - codes.count("CB504")
    excluded = [p for p in joints if UsdPhysics.Joint(p).GetExcludeFromArticulationAttr().Get()]
    assert len(excluded) == len(spanning_tree(mechanism).closures)
    assert not omniverse_issues(stage.GetRootLayer().realPath)


def test_all_that_hangs_on_the_ground_is_one_articulation_and_each_free_tree_another(tmp_path: Path) -> None:
    """Newton finds no body of a tree that hangs on the world itself beside another; PhysX couples none."""
    stage, _ = stage_of(models.geared_pair(), tmp_path)
    (root,) = (prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.ArticulationRootAPI))
    assert root.GetPath() == "/rig/joints/world"
    assert root.IsA(UsdPhysics.FixedJoint)
    held = UsdPhysics.Joint(root)
    assert held.GetBody1Rel().GetTargets() == ["/rig/bodies/ground"]
    assert stage.GetPrimAtPath("/rig/bodies/ground").HasAPI(UsdPhysics.RigidBodyAPI)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        read = UsdPhysics.LoadUsdPhysicsFromRange(stage, ["/"])
    ((_, (articulation,)),) = (found for kind, found in read.items() if kind == UsdPhysics.ObjectType.Articulation)
    bodies = {str(path) for path in articulation.articulatedBodies} - {""}
    moving = {str(prim.GetPath()) for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    assert bodies == moving


def test_parts_of_one_colour_share_a_material(tmp_path: Path) -> None:
    stage, _ = stage_of(models.branched(), tmp_path)
    shown = [prim for prim in stage.Traverse() if prim.GetName().endswith("_visual")]
    bound = {UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0].GetPath() for prim in shown}
    colours = {tuple(UsdGeom.Mesh(prim).GetDisplayColorAttr().Get()[0]) for prim in shown}
    assert shown
    assert len(bound) == len(colours)
    for prim in shown:
        surface = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0].ComputeSurfaceSource()[0]
        assert surface.GetInput("diffuseColor").Get() == UsdGeom.Mesh(prim).GetDisplayColorAttr().Get()[0]


def test_masses_are_those_of_the_bodies(tmp_path: Path) -> None:
    mechanism = models.branched()
    stage, _ = stage_of(mechanism, tmp_path)
    for body in mechanism.bodies:
        assert body.mass is not None
        prim = stage.GetPrimAtPath(f"/rig/bodies/{body.name.replace(':', '_')}")
        api, X_WL = UsdPhysics.MassAPI(prim), pose_of(prim)
        q = api.GetPrincipalAxesAttr().Get()
        R = Pose.from_quaternion(np.zeros(3), np.array([q.GetReal(), *q.GetImaginary()])).R
        inertia = X_WL.R @ R @ np.diag(api.GetDiagonalInertiaAttr().Get()) @ R.T @ X_WL.R.T
        ours = body.mass.moved(body.X_WB)
        assert api.GetMassAttr().Get() == pytest.approx(ours.mass, rel=1e-6)
        np.testing.assert_allclose(X_WL.point(np.array(api.GetCenterOfMassAttr().Get())), ours.com, atol=SINGLE)
        np.testing.assert_allclose(inertia, ours.inertia, atol=SINGLE)


@pytest.mark.parametrize("name", ["joints_of_all_kinds", "four_bar", "branched"])
def test_joints_stand_where_they_are_with_their_axes(name: str, tmp_path: Path) -> None:
    mechanism = getattr(models, name)()
    stage, _ = stage_of(mechanism, tmp_path)
    tree = spanning_tree(mechanism)
    prims = {prim.GetName(): prim for prim in joints_of(stage)}
    assert len(prims) == len(mechanism.joints)
    for link in tree.links[1:]:
        called = {freedom.name.replace(":", "_").replace(" ", "_") for freedom in link.freedoms}
        (prim,) = (prims[name] for name in called & set(prims))
        if link.type == "cylindrical":  # its slide, the first freedom, gave the name
            assert link.joint is not None
            assert prim.GetName() == link.joint.name.replace(":", "_")
        one, other = frames_of(UsdPhysics.Joint(prim))
        np.testing.assert_allclose(one.matrix(), other.matrix(), atol=SINGLE)
        np.testing.assert_allclose(one.p, link.X_WL.p, atol=SINGLE)
        if len(link.freedoms) == 1:
            np.testing.assert_allclose(one.R[:, 2], link.X_WL.R @ link.freedoms[0].axis, atol=SINGLE)
        kinds = {"revolute": "PhysicsRevoluteJoint", "prismatic": "PhysicsPrismaticJoint"}
        kinds |= {"spherical": "PhysicsSphericalJoint"}
        assert prim.GetTypeName() == kinds.get(link.type, "PhysicsJoint")
        bounded = [s.split(":")[1] for s in prim.GetAppliedSchemas() if s.startswith("PhysicsLimitAPI:")]
        # An axis without the schema is free, and locked in Newton.
        assert len(bounded) == (6 if prim.GetTypeName() == "PhysicsJoint" else 0)
        limits = [UsdPhysics.LimitAPI(prim, axis) for axis in bounded]
        locked = [limit for limit in limits if limit.GetLowAttr().Get() > limit.GetHighAttr().Get()]
        assert len(locked) == {"cylindrical": 4, "screw": 4, "planar": 3, "universal": 4}.get(link.type, 0)
        assert all(limit.GetHighAttr().Get() in (-1.0, np.inf) for limit in limits)


def test_a_loop_is_kept_outside_the_articulation_with_its_limit(tmp_path: Path) -> None:
    four_bar = models.four_bar(damped=0.1)
    last = replace(four_bar.joints[-1], limit=Limit(-0.5, 1.0))
    stage, codes = stage_of(replace(four_bar, joints=(*four_bar.joints[:-1], last)), tmp_path)
    (closing,) = (
        prim for prim in stage.Traverse()
        if prim.IsA(UsdPhysics.Joint) and UsdPhysics.Joint(prim).GetExcludeFromArticulationAttr().Get()
    )  # fmt: skip
    one, other = frames_of(UsdPhysics.Joint(closing))
    np.testing.assert_allclose(one.matrix(), other.matrix(), atol=SINGLE)
    hinge = UsdPhysics.RevoluteJoint(closing)
    assert hinge.GetLowerLimitAttr().Get() == pytest.approx(np.degrees(-0.5))
    assert hinge.GetUpperLimitAttr().Get() == pytest.approx(np.degrees(1.0))
    assert closing.GetAttribute("mjc:damping").Get() == pytest.approx(0.1)
    assert closing.GetAttribute("newton:damping").Get() == pytest.approx(0.1 * np.pi / 180)
    assert "CB503" not in codes
    assert codes.count("CB541") == 2  # PhysX of the damping, MuJoCo of a loop that no ball closes


def test_couplings_in_are_couplings_out_and_told(tmp_path: Path) -> None:
    mechanism = models.geared_pair()
    result = export(mechanism, tmp_path / "out", "usd", name="rig")
    stage = Usd.Stage.Open(str(result.files[0]))
    told = {f.message.split(":")[0]: f.items for f in result.findings if f.code == "CB541"}
    assert told == {"Newton": ("rack",), "PhysX": ("rack",)}
    assert [f.items for f in result.findings if f.code == "CB543"] == [("M1",)]
    wheel, rack = (stage.GetPrimAtPath(f"/rig/joints/{name}") for name in ("wheel", "rack"))
    tree = spanning_tree(mechanism)
    names = [f.name for f in tree.freedoms]
    rows = {frozenset(names[k] for k, _ in r.terms): {names[k]: c for k, c in r.terms} for r in relations(tree)[0]}
    gear, teeth = rows[frozenset({"pinion", "wheel"})], rows[frozenset({"wheel", "rack"})]
    assert wheel.GetRelationship("newton:mimicJoint").GetTargets() == ["/rig/joints/pinion"]
    factor = -gear["pinion"] / gear["wheel"]
    assert wheel.GetAttribute("newton:mimicCoef1").Get() == pytest.approx(factor)
    assert wheel.GetAttribute("mjc:coef1").Get() == pytest.approx(factor, rel=1e-12)
    assert wheel.GetAttribute("physxMimicJoint:rotZ:gearing").Get() == pytest.approx(-factor)
    # The rack follows the pinion through the wheel: no chains.
    assert rack.GetRelationship("mjc:target").GetTargets() == ["/rig/joints/pinion"]
    travel = -teeth["wheel"] / teeth["rack"] * factor
    assert rack.GetAttribute("mjc:coef1").Get() == pytest.approx(travel, rel=1e-12)
    assert not rack.HasRelationship("newton:mimicJoint")
    assert stage.GetPrimAtPath("/rig/joints/pinion").GetAttribute("physxJoint:armature").Get() == pytest.approx(1e-4)


def test_a_sum_over_several_joints_is_a_tendon_of_one_length(tmp_path: Path) -> None:
    mechanism = models.planetary()
    result = export(mechanism, tmp_path / "out", "usd", name="rig")
    told = {f.message.split(":")[0]: len(f.items) for f in result.findings if f.code == "CB541"}
    assert told == {"Newton": 2, "PhysX": 2}
    follows = json.loads((tmp_path / "out" / "closures.json").read_text())["follows"]
    assert [len(told["terms"]) for told in follows] == [2, 2]
    assert not faults(Usd.Stage.Open(str(result.files[0])))
    back = cb.build(cb.read(result.files[0]))
    assert [len(c.coupling.factors) for c in back.couplings] == [3, 3]
    assert cb.diagnose(back).mobility.dof == 2
    assert not omniverse_issues(str(result.files[0]))


def test_the_pitch_of_a_screw_is_told(tmp_path: Path) -> None:
    _, codes = stage_of(models.joints_of_all_kinds(), tmp_path)
    assert codes.count("CB507") == 1
    (told,) = json.loads((tmp_path / "out" / "closures.json").read_text())["follows"]
    assert told["joint"] == "Screw_5_travel"
    assert told["terms"] == [{"joint": "Screw_5", "factor": pytest.approx(0.02)}]  # m/rad


def test_the_neutral_layer_stands_alone(tmp_path: Path) -> None:
    stage_of(models.geared_pair(), tmp_path)
    text = (tmp_path / "out" / "layers" / "physics.usda").read_text()
    assert not any(word in text for word in ("newton", "mjc", "physx", "Newton", "Mjc", "Physx"))


def test_what_is_seen_has_its_colour_and_what_collides_is_a_guide(tmp_path: Path) -> None:
    stage, _ = stage_of(models.pendulum(), tmp_path, collision="primitives")
    seen = UsdGeom.Mesh(stage.GetPrimAtPath("/rig/bodies/body_0/body_0_visual"))
    assert seen.GetDisplayColorAttr().Get()[0] == Gf.Vec3f(1, 0, 0)
    assert len(seen.GetPointsAttr().Get()) == 8
    touched = stage.GetPrimAtPath("/rig/bodies/body_0/body_0_collision1")
    assert touched.GetTypeName() == "Cube"
    assert UsdGeom.Imageable(touched).ComputePurpose() == "guide"
    box = UsdGeom.BBoxCache(0, ["guide"]).ComputeUntransformedBound(touched).ComputeAlignedRange().GetSize()
    np.testing.assert_allclose(box, (1, 1, 1))
    assert sorted(touched.GetAttribute("xformOp:scale").Get()) == pytest.approx([0.02, 0.05, 0.1])


def test_without_usd_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(MissingExtraError, match=r"cadbridge\[usd\]"):
        export(models.pendulum(), tmp_path / "out", "usd")
    assert not (tmp_path / "out").exists()


def test_named_frames_stand_on_their_links(tmp_path: Path) -> None:
    plain = models.pendulum()
    component = plain.assembly.components[-1]
    X_CF = Pose(np.eye(3), np.array([0.1, 0.2, 0.3]))
    assembly = replace(plain.assembly, frames=(NamedFrame("tip", component.name, X_CF),))
    stage, _ = stage_of(replace(plain, assembly=assembly), tmp_path)
    (tip,) = [prim for prim in stage.Traverse() if prim.GetName() == "tip"]
    np.testing.assert_allclose(pose_of(tip).p, (component.X_WC @ X_CF).p, atol=SINGLE)
    assert not faults(stage)


def test_a_scene_in_which_nothing_moves_is_read_back(tmp_path: Path) -> None:
    """Its ground is no rigid body, and cadbridge refused its own file."""
    source = tmp_path / "table.sdf"
    source.write_text("""<sdf version="1.9"><model name="table"><static>true</static><link name="top"><visual name="v">
      <geometry><box><size>1 1 .1</size></box></geometry></visual></link></model></sdf>""")
    files = cb.export(cb.build(cb.read(source)), tmp_path / "out", to="usd").files
    (stage,) = (path for path in files if path.name == "table.usda")
    back = cb.read(stage)
    assert [component.grounded for component in back.components] == [True]
    assert not [f for f in back.findings if f.severity == "error"]

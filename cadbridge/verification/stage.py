"""USD by its own library: what a stage of UsdPhysics holds, and where its joints put the bodies.

It computes no motion. It replaces Newton where that is not installed, and gives quantities that Newton's model merges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.exporters.tree import Tree
from cadbridge.frames import Pose, Vector
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Mechanism
from cadbridge.units import DEGREE, TO_DEGREES
from cadbridge.verification.contents import SENSORS, SPEED, SPRINGS, Array, Contents, EngineMesh, Extent, extent_of
from cadbridge.verification.engines import Engine, Values, load_module
from cadbridge.verification.start import Start


class UsdStage(Engine):
    """UsdPhysics as OpenUSD reads it: masses and poses of the stage, in single precision."""

    name = "OpenUSD"
    precision = 1e-6

    def __init__(self, folder: Path, gravity: Sequence[float]) -> None:
        self._usd, self._geom, self._physics = (load_module(f"pxr.{m}", "usd-core") for m in _MODULES)
        (self._path,) = folder.glob("*.usda")
        self._stage = opened(self._usd, self._path)
        self._all = list(self._stage.Traverse())
        # A tendon may bear the name of a joint: the joint comes first.
        self._prims = {prim.GetName(): prim for prim in reversed(self._all)}
        fixed = [self._physics.Joint(prim) for prim in self._all if prim.IsA(self._physics.FixedJoint)]
        # Without a body that is fixed in the world the stage has no place for the mass of what stands still (CB545).
        self.holds_ground = any(not joint.GetBody0Rel().GetTargets() for joint in fixed)

    @property
    def has_bodies(self) -> bool:
        """Whether anything of the stage is a rigid body."""
        return any(prim.HasAPI(self._physics.RigidBodyAPI) for prim in self._all)

    def masses(self, links: Sequence[str]) -> dict[str, MassProperties]:
        found = {}
        for link in links:
            api = self._physics.MassAPI(self._prims[link])
            axes = api.GetPrincipalAxesAttr()
            R = _pose((0.0, 0.0, 0.0), axes.Get()).R if axes.HasAuthoredValue() else np.eye(3)
            principal = np.diag(np.array(api.GetDiagonalInertiaAttr().Get(), dtype=float))
            com = np.array(api.GetCenterOfMassAttr().Get(), dtype=float)
            found[link] = MassProperties(float(api.GetMassAttr().Get()), com, R @ principal @ R.T)
        return found

    def poses(self, links: Sequence[str], values: Values) -> dict[str, Pose]:
        """Along the joints of the articulations from their roots, at joint values; others where the stage has them."""
        above = {}
        for prim in self._joint_prims():
            joint = self._physics.Joint(prim)
            ends = [rel.GetTargets() for rel in (joint.GetBody0Rel(), joint.GetBody1Rel())]
            if ends[1] and not joint.GetExcludeFromArticulationAttr().Get():
                above[ends[1][0].name] = (joint, ends[0][0].name if ends[0] else None)
        known: dict[str, Pose] = {}

        def place(link: str) -> Pose:
            if link not in known:
                known[link] = self._placed(link) if link not in above else place_by(*above[link])
            return known[link]

        def place_by(joint: Any, parent: str | None) -> Pose:
            first = Pose() if parent is None else place(parent)
            moved = self._motion(joint.GetPrim(), values.get(joint.GetPrim().GetName(), 0.0))
            return first @ _end(joint, 0) @ moved @ _end(joint, 1).inverse()

        return {link: place(link) for link in links}

    def _joint_prims(self) -> list[Any]:
        return [prim for prim in self._all if prim.IsA(self._physics.Joint)]

    def _placed(self, link: str) -> Pose:
        # USD multiplies row vectors from the left, so its matrices are the transposes of ours.
        matrix = np.array(self._geom.XformCache().GetLocalToWorldTransform(self._prims[link])).T
        return Pose(matrix[:3, :3], matrix[:3, 3])

    def _motion(self, prim: Any, value: float) -> Pose:
        for kind, turns in ((self._physics.RevoluteJoint, True), (self._physics.PrismaticJoint, False)):
            if prim.IsA(kind):
                axis = np.eye(3)["XYZ".index(kind(prim).GetAxisAttr().Get())]
                if not turns:
                    return Pose(np.eye(3), axis * value)
                return Pose.from_quaternion(np.zeros(3), [math.cos(value / 2), *(math.sin(value / 2) * axis)])
        return Pose()

    def lacks(self, mechanism: Mechanism, tree: Tree) -> str:
        return "Newton, which moves USD, is not installed (`pip install 'cadbridge[newton]'`)"

    def swing(self, joints: Sequence[str], start: Start, duration: float, finer: int = 1) -> dict[str, float]:
        raise NotImplementedError("OpenUSD moves nothing")

    def contents(self, links: Sequence[str], joints: Sequence[str]) -> Contents:
        return Contents(
            gravity=self._gravity(),
            joints={name: self._joint(self._prims[name]) for name in joints if name in self._prims},
            shapes=self._shapes(links),
            servos=self._efforts,
            led=False,
            couplings=tuple(self._couplings(set(joints))),
            faults=(*self._units(), *self._switched_off(links)),
            unsaid={SPEED: "UsdPhysics has none", SPRINGS: "UsdPhysics has none", SENSORS: "UsdPhysics has none"},
        )

    def _units(self) -> Iterator[str]:
        """Units and axes of the stage that are not those of an export."""
        for what, unit, found in (
            ("length", "m", self._geom.GetStageMetersPerUnit(self._stage)),
            ("mass", "kg", self._physics.GetStageKilogramsPerUnit(self._stage)),
        ):
            if found != 1.0:
                yield f"the unit of {what} is {found:.6g} {unit} for 1 {unit}"
        up = str(self._geom.GetStageUpAxis(self._stage))
        if up != "Z":
            yield f"the axis {up} points up, for Z"
        scenes = sum(prim.IsA(self._physics.Scene) for prim in self._all)
        if scenes != 1:
            yield f"the stage has {scenes} scenes of physics for 1"

    def _switched_off(self, links: Sequence[str]) -> Iterator[str]:
        """Bodies that do not move as bodies, and joints that hold nothing."""
        for name in links:
            body = self._physics.RigidBodyAPI(self._prims[name])
            if self._physics.MassAPI(self._prims[name]).GetMassAttr().HasAuthoredValue():
                if not body.GetRigidBodyEnabledAttr().Get():
                    yield f"the body {name} is not enabled"
                elif body.GetKinematicEnabledAttr().Get():
                    yield f"the body {name} is kinematic"
        for prim in self._joint_prims():
            if not self._physics.Joint(prim).GetJointEnabledAttr().Get():
                yield f"the joint {prim.GetName()} is not enabled"

    def _gravity(self) -> Vector | None:
        scenes = [self._physics.Scene(p) for p in self._all if p.IsA(self._physics.Scene)]
        if len(scenes) != 1:
            return None
        down = np.array(scenes[0].GetGravityDirectionAttr().Get(), dtype=float)
        return down * float(scenes[0].GetGravityMagnitudeAttr().Get())

    def _joint(self, prim: Any) -> dict[str, float]:
        turns = prim.IsA(self._physics.RevoluteJoint)
        joint = (self._physics.RevoluteJoint if turns else self._physics.PrismaticJoint)(prim)
        unit = DEGREE if turns else 1.0
        found = {
            "lower limit": float(joint.GetLowerLimitAttr().Get()) * unit,
            "upper limit": float(joint.GetUpperLimitAttr().Get()) * unit,
        }
        # Newton's own words, whose damping is per degree of a hinge.
        for name, word, per in (("rotor inertia", "armature", 1.0), ("dry friction", "friction", 1.0),
                                ("damping", "damping", 1.0 / unit)):  # fmt: skip
            attribute = prim.GetAttribute(f"newton:{word}")
            found[name] = float(attribute.Get()) * per if attribute and attribute.HasValue() else 0.0
        drive = self._drive(prim)
        # Of a servo it is compared with what the servo gives.
        if drive is not None and not (drive.GetStiffnessAttr().Get() or drive.GetDampingAttr().Get()):
            found["limit of effort"] = float(drive.GetMaxForceAttr().Get())
        return found

    def _drive(self, prim: Any) -> Any:
        kind = "angular" if prim.IsA(self._physics.RevoluteJoint) else "linear"
        drive = self._physics.DriveAPI.Get(prim, kind)
        return drive if drive else None

    def _efforts(self, joint: str, states: Array) -> Array:
        """What a drive exerts at values and rates (UsdPhysics: per degree of a hinge)."""
        prim = self._prims[joint]
        drive = self._drive(prim)
        if drive is None:
            return np.zeros(len(states))
        per = TO_DEGREES if prim.IsA(self._physics.RevoluteJoint) else 1.0
        target, rate, stiffness, damping, most = (
            float(a.Get())
            for a in (drive.GetTargetPositionAttr(), drive.GetTargetVelocityAttr(), drive.GetStiffnessAttr(),
                      drive.GetDampingAttr(), drive.GetMaxForceAttr())
        )  # fmt: skip
        wish = stiffness * (target - per * states[:, 1]) + damping * (rate - per * states[:, 2])
        return np.asarray(np.clip(wish, -most, most))

    def _couplings(self, joints: set[str]) -> Iterator[tuple[dict[str, float], float]]:
        """What follows by Newton's word or by MuJoCo's, and MuJoCo's tendons that hold sums."""
        for prim in self._all:
            name = prim.GetName()
            for target, prefix, unit in (
                ("newton:mimicJoint", "newton:mimicCoef", True),
                ("mjc:target", "mjc:coef", False),
            ):
                leader = prim.GetRelationship(target).GetTargets() if prim.HasRelationship(target) else []
                if leader and {name, leader[0].name} <= joints:
                    offset, factor = (float(prim.GetAttribute(f"{prefix}{k}").Get()) for k in (0, 1))
                    degrees = unit and prim.IsA(self._physics.RevoluteJoint)
                    yield {name: 1.0, leader[0].name: -factor}, offset * (DEGREE if degrees else 1.0)
            if prim.GetTypeName() == "MjcTendon":
                path = [p.name for p in prim.GetRelationship("mjc:path").GetTargets()]
                low, high = (float(prim.GetAttribute(f"mjc:range:{end}").Get()) for end in ("min", "max"))
                factors = [float(c) for c in prim.GetAttribute("mjc:path:coef").Get()]
                yield dict(zip(path, factors, strict=True)), (low + high) / 2

    def _shapes(self, links: Sequence[str]) -> Mapping[str, Extent | None]:
        cache, found = self._geom.XformCache(), {}
        for link in links:
            body, pieces = self._prims[link], []
            for prim in self._usd.PrimRange(body):
                mesh = self._geom.Mesh(prim)
                if not mesh or mesh.ComputePurpose() == self._geom.Tokens.guide:
                    continue
                points, faces = mesh.GetPointsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
                if points is None or faces is None or not len(faces):
                    continue  # a mesh whose file is missing
                X = np.array(cache.ComputeRelativeTransform(prim, body)[0]).T
                scaled = np.array(points, dtype=float) @ _scale(X).T
                at = Pose(X[:3, :3] @ np.linalg.inv(_scale(X)), X[:3, 3])
                pieces.append(EngineMesh(at, scaled, np.array(faces, dtype=np.int64).reshape(-1, 3)))
            found[link] = extent_of(pieces)
        return found


def opened(usd: Any, path: Path) -> Any:
    """The stage of a file as it is now: OpenUSD keeps the layers that a process has read before."""
    stage = usd.Stage.Open(str(path))
    stage.Reload()
    return stage


def bare_stage(path: Path) -> Any:
    """The stage of a file without limits, drives, damping, dry friction and rotor inertias of joints of one freedom.

    They are blocked in its session layer, and limits infinite there, since Newton takes a blocked one for 90°: the file
    stays as it is.
    """
    usd, physics = load_module("pxr.Usd", "usd-core"), load_module("pxr.UsdPhysics", "usd-core")
    stage = opened(usd, path)
    stage.SetEditTarget(stage.GetSessionLayer())
    for prim in stage.Traverse():
        if prim.IsA(physics.RevoluteJoint) or prim.IsA(physics.PrismaticJoint):
            for attribute in prim.GetAttributes():
                if attribute.HasAuthoredValue() and attribute.GetName() in _UNLIMITED:
                    attribute.Set(_UNLIMITED[attribute.GetName()])
                elif attribute.HasAuthoredValue() and attribute.GetName().startswith(_LOADS):
                    attribute.Block()
    return stage


_UNLIMITED = {"physics:lowerLimit": -math.inf, "physics:upperLimit": math.inf}
_LOADS = (
    "drive:", "newton:armature", "newton:friction", "newton:damping",
    "mjc:armature", "mjc:damping", "mjc:frictionloss",
)  # fmt: skip

_MODULES = ("Usd", "UsdGeom", "UsdPhysics")


def _scale(X: Array) -> Array:
    """The diagonal scale (3, 3) of a transform that first scales and then places."""
    return np.diag(np.linalg.norm(X[:3, :3], axis=0))


def _pose(point: Sequence[float], turn: Any) -> Pose:
    quaternion = np.array([turn.GetReal(), *turn.GetImaginary()], dtype=float)
    return Pose.from_quaternion(np.array(point, dtype=float), quaternion / np.linalg.norm(quaternion))


def _end(joint: Any, side: int) -> Pose:
    attributes = (
        (joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr()),
        (joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr()),
    )[side]
    point, turn = (attribute.Get() for attribute in attributes)
    return _pose(point, turn)

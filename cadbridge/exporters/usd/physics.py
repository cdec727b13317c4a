"""The neutral layer of physics: masses, joints with limits and drives, loops, collisions, gravity; UsdPhysics alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pxr import Gf, Sdf, UsdGeom, UsdPhysics

from cadbridge.assembly import Drive, Limit
from cadbridge.exporters.collision import AS_IS
from cadbridge.exporters.names import UniqueNames
from cadbridge.exporters.numbers import balanced, possible, tensor
from cadbridge.exporters.options import ExportOptions
from cadbridge.exporters.plan import LinkPlan
from cadbridge.exporters.tree import Link, Tree, TreeFreedom, hang, limit_of
from cadbridge.exporters.usd.stage import bytes_of, joints, links, new_stage, quatf, reserve
from cadbridge.frames import Matrix, Pose, frame_from_axis
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import GROUND_BODY, Joint
from cadbridge.units import DEGREE, TO_DEGREES

AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")

SINGLE = {"revolute": UsdPhysics.RevoluteJoint, "prismatic": UsdPhysics.PrismaticJoint}


def physics_layer(plan: LinkPlan, name: str, closures: Mapping[str, str], world: str, options: ExportOptions) -> bytes:
    """The layer as text; `closures` and `world` are the names of the joints that are not in the plan."""
    stage = new_stage()
    UsdGeom.Scope.Define(stage, joints(name))
    _scene(stage, plan)
    reserve(stage, (links(name).AppendChild(link) for link in plan.link_names), Sdf.SpecifierOver)
    held = [link for link in plan.tree.links if link.parent is not None and not link.kind.unbound]
    reserve(stage, (joints(name).AppendChild(_prim(plan, link)) for link in held), Sdf.SpecifierDef)
    for i, link in enumerate(plan.tree.links):
        _body(stage, plan, i, links(name).AppendChild(plan.link_names[i]), options)
        if link.parent is not None and not link.kind.unbound:
            path = joints(name).AppendChild(_prim(plan, link))
            _joint(stage, plan, link, path, name)
    _articulations(stage, plan, name, world)
    closing = [joint for joint in plan.tree.closures if not joint.kind.unbound]
    reserve(stage, (joints(name).AppendChild(closures[joint.name]) for joint in closing), Sdf.SpecifierDef)
    for joint in closing:
        _closure(stage, plan, joint, joints(name).AppendChild(closures[joint.name]), name)
    for coupling in plan.mechanism.couplings:
        bodies = sorted({b for b in coupling.primitive.bodies if b != GROUND_BODY})
        paths = [links(name).AppendChild(plan.link_names[plan.tree.link_of(b)]) for b in bodies]
        # Wheels in mesh touch as they should: the coupling holds them already.
        for path in paths[1:]:
            UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath(paths[0])).CreateFilteredPairsRel().AddTarget(path)
    return bytes_of(stage)


def _prim(plan: LinkPlan, link: Link) -> str:
    """The name of a joint's prim: that of its freedom which is called as the joint is, else of its first."""
    own = link.joint.name if link.joint is not None else None
    k = next((k for k, freedom in enumerate(link.freedoms) if freedom.name == own), 0)
    return plan.joint_names[link.first + k]


def bears(tree: Tree) -> bool:
    """Whether something hangs on what stands still, which then is a rigid body of the stage."""
    return any(link.parent == 0 and not link.kind.unbound for link in tree.links[1:])


def _articulations(stage: Any, plan: LinkPlan, name: str, world: str) -> None:
    """One articulation for all that hangs on the ground, one for each other tree of several bodies.

    The ground is a body that a fixed joint, the articulation's root, holds in the world: trees that hang on the world
    itself would be articulations apart, and mimics act only within one.
    """
    tree = plan.tree
    parents = {link.parent for link in tree.links[1:] if not link.kind.unbound}
    for i in sorted(parent for parent in parents if parent is not None):
        path = links(name).AppendChild(plan.link_names[i])
        if i == 0:
            joint = UsdPhysics.FixedJoint.Define(stage, joints(name).AppendChild(world))
            joint.CreateBody1Rel().SetTargets([path])
            position, turn = tree.links[0].X_WL.p, tree.links[0].X_WL.quaternion()
            joint.CreateLocalPos0Attr(Gf.Vec3f(*position.tolist()))
            joint.CreateLocalRot0Attr(quatf(turn))
            UsdPhysics.RigidBodyAPI.Apply(stage.GetPrimAtPath(path))
            UsdPhysics.ArticulationRootAPI.Apply(joint.GetPrim())
        elif tree.links[i].floats:
            UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(path))


def _scene(stage: Any, plan: LinkPlan) -> None:
    """Gravity, beside the model: a stage that refers to the model brings its own."""
    scene = UsdPhysics.Scene.Define(stage, "/physicsScene")
    gravity = np.asarray(plan.mechanism.gravity, dtype=float)
    size = float(np.linalg.norm(gravity))
    down = gravity / size if size > 0 else np.array([0.0, 0.0, -1.0])
    scene.CreateGravityDirectionAttr(Gf.Vec3f(*down.tolist()))
    scene.CreateGravityMagnitudeAttr(size)


def _body(stage: Any, plan: LinkPlan, i: int, path: Any, options: ExportOptions) -> None:
    """Rigid body and mass, and what of it collides; the ground is a body where something hangs on it."""
    link = plan.tree.links[i]
    prim = stage.OverridePrim(path)
    mass = plan.tree.mass(link)
    if link.body != GROUND_BODY and mass is not None:
        UsdPhysics.RigidBodyAPI.Apply(prim)
        _mass(prim, mass)
    elif mass is not None and mass.mass > 0 and bears(plan.tree):
        # Of what stands still no motion depends on an inertia, so that one which no body has is left out.
        _mass(prim, mass if possible(mass) and balanced(mass) else replace(mass, inertia=np.zeros((3, 3))))
    # A mesh as it is would be no solid for a body that moves; pieces made convex before stay as they are.
    approximation = "none" if options.collision in ("hull", "decomposition") else "convexHull"
    if link.body == GROUND_BODY and options.collision == AS_IS:
        approximation = "none"
    for shape, is_mesh in _colliders(plan, link):
        collider = stage.OverridePrim(path.AppendChild(shape))
        UsdPhysics.CollisionAPI.Apply(collider)
        if is_mesh:
            UsdPhysics.MeshCollisionAPI.Apply(collider).CreateApproximationAttr(approximation)


def _colliders(plan: LinkPlan, link: Link) -> list[tuple[str, bool]]:
    """The prims below a body that collide, and whether each is a mesh; named as the layer of shapes does."""
    names, found = UniqueNames("part", ()), []
    for instance, _, files in plan.shown(link):
        stem = names.give(instance.name)
        found += [(f"{stem}_collision{n}", isinstance(t.body, str)) for n, t in enumerate(files.collision, 1)]
    return found


def _mass(prim: Any, mass: MassProperties) -> None:
    """Mass, centre, principal inertias and their axes (the columns of R, right-handed)."""
    api = UsdPhysics.MassAPI.Apply(prim)
    api.CreateMassAttr(mass.mass)
    api.CreateCenterOfMassAttr(Gf.Vec3f(*mass.com.tolist()))
    if not np.any(mass.inertia):
        return  # USD takes zeros for no value, and half of a value for a fault
    principal, R = np.linalg.eigh(tensor(mass.inertia))
    # Eigenvectors have either sign: the largest entry is made positive, so that files are alike on all machines.
    R = R * np.where(R[np.argmax(np.abs(R), axis=0), range(3)] < 0, -1.0, 1.0)
    if np.linalg.det(R) < 0:
        R[:, 2] *= -1.0
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(*principal.tolist()))
    api.CreatePrincipalAxesAttr(quatf(Pose(R, np.zeros(3)).quaternion()))


def _joint(stage: Any, plan: LinkPlan, link: Link, path: Any, name: str) -> Any:
    """The joint above a link: its frame K as designed, in both bodies, has the axis along z."""
    assert link.parent is not None
    X_LK = Pose(_axes(link), np.zeros(3))
    kind = link.type
    if kind in SINGLE:
        joint = SINGLE[kind].Define(stage, path)
        joint.CreateAxisAttr(UsdPhysics.Tokens.z)
        _limit(joint, link)
        _drive(joint.GetPrim(), plan, link)
    elif link.kind.ball:
        joint = UsdPhysics.SphericalJoint.Define(stage, path)
        joint.CreateAxisAttr(UsdPhysics.Tokens.z)
    else:
        joint = UsdPhysics.Joint.Define(stage, path)
        locked = _locked(link, X_LK.R)
        own = _bounded(link, X_LK.R)
        for axis in AXES:
            limit = UsdPhysics.LimitAPI.Apply(joint.GetPrim(), axis)
            # The schema's own range is all numbers. Without it an axis is as free, but Newton 1.8 locks it.
            if axis in locked:
                # UsdPhysics locks an axis by a low limit above the high one.
                limit.CreateLowAttr(1.0)
                limit.CreateHighAttr(-1.0)
            elif axis in own:
                low, high = own[axis]
                if low is not None:
                    limit.CreateLowAttr(low)
                if high is not None:
                    limit.CreateHighAttr(high)
    _ends(joint, plan, link, path, X_LK, name)
    return joint


def _bounded(link: Link, R_LK: Matrix) -> dict[str, tuple[float | None, float | None]]:
    """By axis of the joint's frame K, the ends of the freedom that the joint's limit bounds: degrees or metres."""
    found = {}
    for f in link.freedoms:
        limit = limit_of(link.joint, f)
        if limit is not None:
            along = R_LK.T @ f.axis
            k = int(np.argmax(np.abs(along)))
            low, high = _in_usd(limit if along[k] > 0 else limit.oriented(-1.0), f)
            found[AXES[3 * f.turns + k]] = low, high
    return found


def _in_usd(limit: Limit, freedom: TreeFreedom) -> tuple[float | None, float | None]:
    """Both ends in degrees or metres."""
    factor = TO_DEGREES if freedom.turns else 1.0
    low, high = (None if end is None else float(end * factor) for end in (limit.lower, limit.upper))
    return low, high


def _locked(link: Link, R_LK: Matrix) -> list[str]:
    """The axes of the joint's frame K that none of the link's freedoms turns about or slides along."""
    free = {3 * f.turns + int(np.argmax(np.abs(R_LK.T @ f.axis))) for f in link.freedoms}
    return [axis for i, axis in enumerate(AXES) if i not in free]


def _ends(joint: Any, plan: LinkPlan, link: Link, path: Any, X_LK: Pose, name: str) -> None:
    child = links(name).AppendChild(plan.link_names[plan.tree.link_of(link.body)])
    parent = plan.tree.links[link.parent or 0]
    joint.CreateBody0Rel().SetTargets([links(name).AppendChild(plan.link_names[link.parent or 0])])
    joint.CreateBody1Rel().SetTargets([child])
    own = plan.tree.links[plan.tree.link_of(link.body)]
    for X_WL, position, rotation in (
        (parent.X_WL, joint.CreateLocalPos0Attr, joint.CreateLocalRot0Attr),
        (own.X_WL, joint.CreateLocalPos1Attr, joint.CreateLocalRot1Attr),
    ):
        X = X_WL.inverse() @ link.X_WL @ X_LK
        position(Gf.Vec3f(*X.p.tolist()))
        rotation(quatf(X.quaternion()))


def _axes(link: Link) -> Matrix:
    """R_LK: the link's own axes, but z along a single axis, and x and y along the two of a universal joint."""
    axes = [freedom.axis for freedom in link.freedoms]
    if all(np.allclose(np.cross(axis, axes[0]), 0.0) for axis in axes):
        return frame_from_axis(axes[-1])
    if len(axes) == 2:
        return np.column_stack([*axes, np.cross(axes[0], axes[1])])
    return np.eye(3)


def _closure(stage: Any, plan: LinkPlan, joint: Joint, path: Any, name: str) -> None:
    """A joint that closes a loop: outside the articulation, else like any other."""
    child, parent = (joint.b, joint.a) if joint.b != GROUND_BODY else (joint.a, joint.b)
    link = hang(plan.mechanism, joint, child, plan.tree.link_of(parent))
    _joint(stage, plan, link, path, name).CreateExcludeFromArticulationAttr(True)


def _limit(joint: Any, link: Link) -> None:
    """Degrees or metres; what nobody gave stays USD's infinity."""
    limit = link.joint.limit if link.joint is not None else None
    if limit is None:
        return
    low, high = _in_usd(limit, link.freedoms[0])
    if low is not None:
        joint.CreateLowerLimitAttr(low)
    if high is not None:
        joint.CreateUpperLimitAttr(high)


def _drive(prim: Any, plan: LinkPlan, link: Link) -> None:
    """A drive where the mechanism has one, at the control that it starts with; all is per degree of a hinge.

    A servo without stiffness holds a rate; one that pulls towards a value has it as its target.
    """
    found = drives_on(plan, link)
    if not found or link.joint is None:
        return
    turns = link.freedoms[0].turns
    per = DEGREE if turns else 1.0
    drive = UsdPhysics.DriveAPI.Apply(prim, "angular" if turns else "linear")
    drive.CreateTypeAttr(UsdPhysics.Tokens.force)
    constant, stiffness, damping = held(found)
    drive.CreateStiffnessAttr(float(stiffness * per))
    drive.CreateDampingAttr(float(damping * per))
    if constant and stiffness > 0:
        drive.CreateTargetPositionAttr(float(constant / stiffness / per))
    elif constant and damping > 0:
        drive.CreateTargetVelocityAttr(float(constant / damping / per))
    most = most_of(found, link.joint)
    if most < np.inf:
        drive.CreateMaxForceAttr(float(most))


def drives_on(plan: LinkPlan, link: Link) -> list[Drive]:
    """The drives of a link's joint."""
    return [d for d in plan.mechanism.drives if (at := plan.joint_of(d)) is not None and at[0] is link.joint]


def held(drives: Sequence[Drive]) -> tuple[float, float, float]:
    """c, k and d of c − k q − d q̇, which all of them exert on their joint before anybody sets a control."""
    held = [d.law.on_joint(d.law.start, d.reduction) for d in drives if d.law is not None]
    c, k, d = (float(sum(values)) for values in zip((0.0, 0.0, 0.0), *held, strict=True))
    return c, k, d


def most_of(drives: Sequence[Drive], joint: Joint) -> float:
    """The largest effort on a joint: of its limit, and of its drives where all are bounded."""
    bounds = [abs(d.reduction) * max(map(abs, d.law.effort)) for d in drives if d.law is not None and d.law.effort]
    own = joint.limit.effort if joint.limit is not None and joint.limit.effort else np.inf
    return min(own, sum(bounds) if len(bounds) == len(drives) else np.inf)

"""Joints of bodies as mates: one joint as it is; several at one body as the lower pair that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import Component, Feature, FeatureKind, Limit, Mate, MateKind
from cadbridge.frames import Pose, Vector, perpendicular
from cadbridge.readers.mjcf.context import Context, free

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's joint types (mjtJoint)."""

_SINGLE = {FREE: MateKind.FREE, BALL: MateKind.SPHERICAL, SLIDE: MateKind.PRISMATIC, HINGE: MateKind.REVOLUTE}
_STRAIGHT = 1e-6
_Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Pair:
    """Several joints as one: its kind, the point and the axes (of parent and child) in the body's frame."""

    kind: MateKind
    point: Vector
    axis: Vector
    other: Vector | None = None


def read_joints(c: Context, X: list[Pose]) -> tuple[list[Mate], list[Component]]:
    """The mates between every body that can move and its parent; the massless components that chains of joints need."""
    mates: list[Mate] = []
    between: list[Component] = []
    taken: set[str] = set(c.joints)
    m = c.model
    for body in range(1, len(c.bodies)):
        first, count = int(m["body_jntadr"][body]), int(m["body_jntnum"][body])
        joints = list(range(first, first + count)) if count else []
        parent = c.bodies[int(m["body_parentid"][body])]
        if c.stands(body):
            continue
        if not joints:
            name = free(f"{c.bodies[body]} fixed", taken)
            mates.append(_mate(c, name, MateKind.FIXED, parent, body, np.zeros(3), _Z))
        elif len(joints) == 1:
            mates.append(_single(c, joints[0], parent, body, c.bodies[body]))
        elif (pair := _pair(c, joints)) is not None:
            mates.append(_composed(c, pair, joints, parent, body))
        else:
            chain = [free(f"{c.bodies[body]}/{c.joints[j]}", set(c.bodies)) for j in joints[:-1]]
            text = f"{c.bodies[body]} hangs on {len(joints)} joints that make no lower pair"
            c.findings.add("CB1401", text, c.where("bodies", body, c.bodies[body]))
            between += [Component(name, (), X[body]) for name in chain]
            for joint, above, below in zip(joints, [parent, *chain], [*chain, c.bodies[body]], strict=True):
                mates.append(_single(c, joint, above, body, below, above != parent))
    return mates, between


def _mate(
    c: Context,
    name: str,
    kind: MateKind,
    parent: str,
    body: int,
    point: Vector,
    axis: Vector,
    other: Vector | None = None,
) -> Mate:
    """A mate with its frame at `point` (m) along `axis`, both in the body's frame; `other` is the child's axis."""
    X = c.X_PB(body)
    x = perpendicular(axis)
    child = axis if other is None else other
    a = Feature(parent, FeatureKind.FRAME, X.point(point), X.vector(axis), X.vector(x))
    b = Feature(c.bodies[body], FeatureKind.FRAME, point, child, x if other is None else perpendicular(child))
    aligned = None if kind is MateKind.UNIVERSAL else True
    return Mate(name, kind, a, b, aligned=aligned, joint_name=name, where=c.where("bodies", body, name))


def _single(c: Context, joint: int, parent: str, body: int, child: str, within: bool = False) -> Mate:
    """One joint; `within` a chain both frames are the body's."""
    m, name = c.model, c.joints[joint]
    kind = int(m["jnt_type"][joint])
    mate = _mate(c, name, _SINGLE[kind], parent, body, m["jnt_pos"][joint], m["jnt_axis"][joint])
    a = replace(mate.b, component=parent) if within else mate.a
    dof = int(m["jnt_dofadr"][joint])
    _tell_spring(c, joint)
    return replace(
        mate,
        a=a,
        b=replace(mate.b, component=child),
        limit=_limit(c, joint),
        damping=float(m["dof_damping"][dof]),
        friction=float(m["dof_frictionloss"][dof]),
        where=c.where("joints", joint, name),
    )


def _limit(c: Context, joint: int) -> Limit | None:
    """Range measured from the reference pose; MuJoCo measures it from `ref` of the reference pose."""
    m = c.model
    lower = upper = effort = None
    if m["jnt_limited"][joint] and int(m["jnt_type"][joint]) in (SLIDE, HINGE):
        zero = float(m["qpos0"][int(m["jnt_qposadr"][joint])])
        lower, upper = (float(v) - zero for v in m["jnt_range"][joint])
    elif m["jnt_limited"][joint]:
        text = f"{c.joints[joint]}: the limit of a ball joint is left out"
        c.findings.add("CB1402", text, c.where("joints", joint, c.joints[joint]))
    if m["jnt_actfrclimited"][joint]:
        effort = float(np.abs(m["jnt_actfrcrange"][joint]).max())
    return None if lower is None and effort is None else Limit(lower, upper, None, effort)


def _tell_spring(c: Context, joint: int) -> None:
    stiffness = float(np.ravel(c.model["jnt_stiffness"][joint])[0])
    if stiffness:
        text = f"{c.joints[joint]} has a spring of {stiffness:g} N m/rad (N/m)"
        c.findings.add("CB1404", text, c.where("joints", joint, c.joints[joint]))


def _composed(c: Context, pair: Pair, joints: list[int], parent: str, body: int) -> Mate:
    m = c.model
    dofs = [int(m["jnt_dofadr"][j]) for j in joints]
    names = ", ".join(c.joints[j] for j in joints)
    limited = [c.joints[j] for j in joints if m["jnt_limited"][j]]
    if limited:
        text = f"{names} make one {pair.kind.value} joint, which has no place for the limits of {', '.join(limited)}"
        c.findings.add("CB1402", text, c.where("joints", joints[0], c.joints[joints[0]]))
    for joint in joints:
        _tell_spring(c, joint)
    mate = _mate(c, c.joints[joints[-1]], pair.kind, parent, body, pair.point, pair.axis, pair.other)
    values = m["dof_damping"][dofs], m["dof_frictionloss"][dofs]
    damping, friction = (float(v[0]) if np.ptp(v) == 0 else 0.0 for v in values)
    if any(np.ptp(v) for v in values):
        text = f"{names} make one {pair.kind.value} joint, which has no place for damping that differs"
        c.findings.add("CB1402", text, c.where("joints", joints[0], c.joints[joints[0]]))
    return replace(mate, damping=damping, friction=friction, where=c.where("joints", joints[0], mate.name))


# --- several joints at one body ---


def _pair(c: Context, joints: list[int]) -> Pair | None:
    """The lower pair that a stack of joints makes, None where it makes none."""
    m = c.model
    kinds = "".join("fbsh"[int(m["jnt_type"][j])] for j in joints)
    axes = m["jnt_axis"][joints]
    points = m["jnt_pos"][joints]
    maker = _STACKS.get("".join(sorted(kinds)))
    if maker is None:
        return None
    slides = [k for k, kind in enumerate(kinds) if kind == "s"]
    hinges = [k for k, kind in enumerate(kinds) if kind == "h"]
    return maker(axes[slides], axes[hinges], points[hinges])


def _cylindrical(slides: Vector, hinges: Vector, points: Vector) -> Pair | None:
    parallel = float(np.linalg.norm(np.cross(slides[0], hinges[0]))) < _STRAIGHT
    return Pair(MateKind.CYLINDRICAL, points[0], hinges[0]) if parallel else None


def _universal(slides: Vector, hinges: Vector, points: Vector) -> Pair | None:
    meet = _meeting(points, hinges)
    across = abs(float(hinges[0] @ hinges[1])) < _STRAIGHT
    return Pair(MateKind.UNIVERSAL, meet, hinges[0], hinges[1]) if across and meet is not None else None


def _planar(slides: Vector, hinges: Vector, points: Vector) -> Pair | None:
    normal = hinges[0]
    flat = float(np.abs(slides @ normal).max()) < _STRAIGHT
    apart = float(np.linalg.norm(np.cross(*slides))) > 1e-3
    return Pair(MateKind.PLANAR, points[0], normal) if flat and apart else None


def _spherical(slides: Vector, hinges: Vector, points: Vector) -> Pair | None:
    meet = _meeting(points, hinges)
    turns = abs(float(np.linalg.det(hinges))) > 1e-3
    return Pair(MateKind.SPHERICAL, meet, _Z) if turns and meet is not None else None


def _floating(slides: Vector, hinges: Vector, points: Vector) -> Pair | None:
    moves = abs(float(np.linalg.det(slides))) > 1e-3
    turns = len(hinges) == 0 or abs(float(np.linalg.det(hinges))) > 1e-3
    return Pair(MateKind.FREE, np.zeros(3), _Z) if moves and turns else None


_STACKS = {
    "hs": _cylindrical,
    "hh": _universal,
    "hss": _planar,
    "hhh": _spherical,
    "bsss": _floating,
    "hhhsss": _floating,
}


def _meeting(points: Vector, axes: Vector) -> Vector | None:
    """The point (3,) in which all axes meet, None where they do not: least squares over the axes' normals."""
    across = [np.eye(3) - np.outer(u, u) for u in axes]
    A, b = np.concatenate(across), np.concatenate([P @ p for P, p in zip(across, points, strict=True)])
    meet = np.linalg.lstsq(A, b, rcond=None)[0]
    return np.asarray(meet) if float(np.abs(A @ meet - b).max()) < 1e-7 else None

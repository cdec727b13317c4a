"""Joints of bodies as mates: one as it is; several at one body in series, or as a lower pair where all are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadbridge.assembly import Component, Limit, Mate
from cadbridge.frames import Pose, Vector, cross_length
from cadbridge.freedoms import FIXED, UNBOUND, Free, free
from cadbridge.readers.joints import axis_feature, joint_mates
from cadbridge.readers.mjcf.context import Context
from cadbridge.readers.names import free_name
from cadbridge.readers.placement import ALIGNED

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's joint types (mjtJoint)."""

LEAVES = {FREE: UNBOUND, BALL: free("rx ry rz"), SLIDE: free("tz"), HINGE: free("rz")}
"""What each joint type leaves free of a frame with z along its axis."""

DOFS = {kind: len(leaves.axes) for kind, leaves in LEAVES.items()}
"""Rates of each joint type."""

_INDEPENDENT = 1e-3
"""Determinant of two or three unit axes from which they span a plane or space: some 0.06° of the least angle.

Below, a stack of joints is no lower pair; its joints stay one by one, which is exact at any angle.
"""

_MEETING = 1e-7
"""m by which axes may pass the point in which they meet: seven digits of a body of a metre, as files have them."""

_Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class CombinedJoints:
    """Several joints as one: what it leaves free, its point and its axes (two of a cross) in the body's frame."""

    free: Free
    point: Vector
    axes: Sequence[Vector]


def read_joints(c: Context, X: list[Pose]) -> tuple[list[Mate], list[Component]]:
    """The mates between every body that can move and its parent; the massless components that chains of joints need."""
    mates: list[Mate] = []
    between: list[Component] = []
    taken: set[str] = set(c.joints)
    units: set[str] = set(c.bodies)
    m = c.model
    for body in range(1, len(c.bodies)):
        first, count = int(m["body_jntadr"][body]), int(m["body_jntnum"][body])
        joints = list(range(first, first + count)) if count else []
        parent = c.bodies[int(m["body_parentid"][body])]
        if c.stands(body):
            continue
        if not joints:
            name = free_name(f"{c.bodies[body]} fixed", taken)
            mates.append(_mate(c, name, CombinedJoints(FIXED, np.zeros(3), [_Z]), parent, body))
        elif len(joints) == 1:
            mates.append(_single(c, joints[0], parent, body, c.bodies[body]))
        elif _alike(c, joints) and (pair := _pair(c, joints)) is not None:
            mates.append(_composed(c, pair, joints, parent, body))
        else:
            # MuJoCo applies the joints of a body in the order of the file, the first next to the parent.
            chain = [free_name(f"{c.bodies[body]}/{c.joints[j]}", units) for j in joints[:-1]]
            text = f"{c.bodies[body]} hangs on {len(joints)} joints in series"
            c.findings.add("CB1401", text, c.where("bodies", body, c.bodies[body]), items=c.bodies[body : body + 1])
            between += [Component(name, (), X[body]) for name in chain]
            for joint, above, below in zip(joints, [parent, *chain], [*chain, c.bodies[body]], strict=True):
                mates.append(_single(c, joint, above, body, below, above != parent))
    return mates, between


def _alike(c: Context, joints: list[int]) -> bool:
    """Whether nothing distinguishes the joints of a stack: no name, no load, no range. Only then may one stand for all.

    What refers to a joint (an actuator, an equality, a tendon, a sensor) does so by its name.
    """
    m = c.model
    if any(m["joints"][j] for j in joints) or any(m["jnt_limited"][j] or m["jnt_actfrclimited"][j] for j in joints):
        return False
    first = int(m["jnt_dofadr"][joints[0]])
    dofs = range(first, first + sum(DOFS[int(m["jnt_type"][j])] for j in joints))
    loads = [m[f"dof_{what}"][k] for what in ("damping", "armature", "frictionloss") for k in dofs]
    return not any(np.any(v) for v in (*loads, *(m["jnt_stiffness"][j] for j in joints)))


def _mate(c: Context, name: str, pair: CombinedJoints, parent: str, body: int) -> Mate:
    """The mate of a joint between a body and its parent."""
    a, b = (
        axis_feature(end, X, pair.axes, pair.point)
        for end, X in ((parent, c.X_PB(body)), (c.bodies[body], Pose()))
    )  # fmt: skip
    (mate,) = joint_mates(pair.free, name, a, b, c.where("bodies", body, name), aligned=True, joint_name=name)
    return mate


def _single(c: Context, joint: int, parent: str, body: int, child: str, within: bool = False) -> Mate:
    """One joint; `within` a chain both frames are the body's."""
    m, name = c.model, c.joints[joint]
    kind = int(m["jnt_type"][joint])
    mate = _mate(c, name, CombinedJoints(LEAVES[kind], m["jnt_pos"][joint], [m["jnt_axis"][joint]]), parent, body)
    a = replace(mate.b, component=parent) if within else mate.a
    dof = int(m["jnt_dofadr"][joint])
    _report_friction(c, joint, kind)
    return replace(
        mate,
        a=a,
        b=replace(mate.b, component=child),
        limit=_limit(c, joint),
        damping=leading(m["dof_damping"][dof]),
        friction=float(m["dof_frictionloss"][dof]) if DOFS[kind] == 1 else 0.0,
        armature=float(m["dof_armature"][dof]),
        stiffness=leading(m["jnt_stiffness"][joint]),
        rest=_rest(c, joint),
        where=c.where("joints", joint, name),
    )


def leading(value: Any) -> float:
    """A number, or the first of several: the one that belongs to the first power."""
    return float(np.ravel(value)[0])


def _rest(c: Context, joint: int) -> float:
    """Where a spring is slack, from the reference pose: rad or m; of balls and free joints 0, reported where wrong."""
    m, at = c.model, int(c.model["jnt_qposadr"][joint])
    count = {FREE: 7, BALL: 4}.get(int(m["jnt_type"][joint]), 1)
    apart = m["qpos_spring"][at : at + count] - m["qpos0"][at : at + count]
    if count == 1:
        return float(apart[0])
    if np.any(apart) and np.any(m["jnt_stiffness"][joint]):
        text = f"{c.joints[joint]}: its spring is taken to be slack in the reference pose"
        c.findings.add("CB1404", text, c.where("joints", joint, c.joints[joint]))
    return 0.0


def _limit(c: Context, joint: int) -> Limit | None:
    """Range measured from the reference pose; MuJoCo measures it from `ref` of the reference pose."""
    m = c.model
    lower = upper = None
    if m["jnt_limited"][joint] and LEAVES[int(m["jnt_type"][joint])].single:
        zero = float(m["qpos0"][int(m["jnt_qposadr"][joint])])
        # A coordinate of MuJoCo is `ref` in the reference pose, ours is 0 there.
        lower, upper = (float(v) - zero for v in m["jnt_range"][joint])
    elif m["jnt_limited"][joint]:
        text = f"{c.joints[joint]}: the limit of a ball joint is left out"
        c.findings.add("CB1305", text, c.where("joints", joint, c.joints[joint]))
    # A limit holds one effort for both directions; _report_friction reports a range that has two.
    effort = float(np.abs(m["jnt_actfrcrange"][joint]).max()) if m["jnt_actfrclimited"][joint] else None
    return Limit.of(lower, upper, effort=effort)


def _report_friction(c: Context, joint: int, kind: int) -> None:
    """Dry friction of a joint with several freedoms, and loads that differ between them, have no place."""
    m, name = c.model, c.joints[joint]
    dofs = slice(int(m["jnt_dofadr"][joint]), int(m["jnt_dofadr"][joint]) + DOFS[kind])
    if DOFS[kind] > 1 and np.any(m["dof_frictionloss"][dofs]):
        text = f"{name}: the dry friction of a joint with {DOFS[kind]} freedoms is left out"
        c.findings.add("CB1305", text, c.where("joints", joint, name))
    low, high = (float(v) for v in m["jnt_actfrcrange"][joint])
    if m["jnt_actfrclimited"][joint] and low != -high:
        text = (
            f"{name}: its actuators' efforts of {low:g} to {high:g} are taken as up to {max(-low, high):g} either way"
        )
        c.findings.add("CB1305", text, c.where("joints", joint, name))


def _composed(c: Context, pair: CombinedJoints, joints: list[int], parent: str, body: int) -> Mate:
    mate = _mate(c, c.joints[joints[-1]], pair, parent, body)
    return replace(mate, where=c.where("joints", joints[0], mate.name))


# --- several joints at one body ---


def _pair(c: Context, joints: list[int]) -> CombinedJoints | None:
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


def _cylindrical(slides: Vector, hinges: Vector, points: Vector) -> CombinedJoints | None:
    parallel = cross_length(slides[0], hinges[0]) < ALIGNED
    return CombinedJoints(free("tz rz"), points[0], [hinges[0]]) if parallel else None


def _universal(slides: Vector, hinges: Vector, points: Vector) -> CombinedJoints | None:
    meet = _meeting(points, hinges)
    across = abs(float(hinges[0] @ hinges[1])) < ALIGNED
    return CombinedJoints(free("rx ry"), meet, [*hinges]) if across and meet is not None else None


def _planar(slides: Vector, hinges: Vector, points: Vector) -> CombinedJoints | None:
    normal = hinges[0]
    flat = float(np.abs(slides @ normal).max()) < ALIGNED
    apart = float(np.linalg.norm(np.cross(*slides))) > _INDEPENDENT
    return CombinedJoints(free("tx ty rz"), points[0], [normal]) if flat and apart else None


def _spherical(slides: Vector, hinges: Vector, points: Vector) -> CombinedJoints | None:
    meet = _meeting(points, hinges)
    turns = abs(float(np.linalg.det(hinges))) > _INDEPENDENT
    return CombinedJoints(free("rx ry rz"), meet, [_Z]) if turns and meet is not None else None


def _floating(slides: Vector, hinges: Vector, points: Vector) -> CombinedJoints | None:
    moves = abs(float(np.linalg.det(slides))) > _INDEPENDENT
    turns = len(hinges) == 0 or abs(float(np.linalg.det(hinges))) > _INDEPENDENT
    return CombinedJoints(UNBOUND, np.zeros(3), [_Z]) if moves and turns else None


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
    return np.asarray(meet) if float(np.abs(A @ meet - b).max()) < _MEETING else None

"""All mates between two bodies become one joint, and the rows it does not need are remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import Limit, Mate
from cadbridge.frames import Pose, frame_from_axis, unit
from cadbridge.mechanism.classify import LowerPair, classify, motions
from cadbridge.mechanism.model import Joint, MateRows
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.sides import Side
from cadbridge.mechanism.twists import Array, compiled, evaluated, freedom, wrenches
from solver import rotation
from solver.constraints import AxesAngle, Coordinate, Coupler, PointOnPlane, Primitive
from solver.constraints.program import Program
from solver.rank import HIGHEST, independent_rows

PROBE = 0.35
"""Radians (or lengths of the mechanism) by which a freedom is moved to see that it is a finite one."""


@dataclass(frozen=True, eq=False)
class Link:
    """Mates between two bodies a and b (indices; -1 ground) with the poses X_WA and X_WB as designed."""

    a: int
    b: int
    X_WA: Pose
    X_WB: Pose
    mates: tuple[Mate, ...]
    rows: tuple[MateRows, ...]
    primitives: tuple[Primitive, ...]
    centre: Array


def joint_of(link: Link, name: str, length: float, sign_axis: Array | None, highest: float = HIGHEST) -> Joint | None:
    """The joint of a link, None where its mates hold nothing. `primitives` of the link refer to 0 (a) and 1 (b)."""
    poses = (link.X_WA, link.X_WB)
    program = compiled(link.primitives, poses)
    before, G = evaluated(program, poses)
    W = wrenches(G, 1, link.X_WB, link.centre)
    twists = freedom(W, length, highest)
    if twists.shape[1] == 6:
        return None
    pair = classify(twists, link.centre, length)
    if pair is not None and sign_axis is not None and float(pair.axis @ sign_axis) < 0:
        pitch = pair.pitch
        pair = LowerPair(pair.type, -pair.axis, pair.point, pitch)
    if pair is not None and _moves(link, program, before, pair, length):
        X_WJ = Pose(frame_from_axis(pair.axis), pair.point)
        primitives = lower_pair_primitives(pair, link.X_WA, link.X_WB, X_WJ)
        moving = motions(pair)
        kind = pair.type
    else:
        X_WJ = Pose(np.eye(3), link.centre)
        keep = independent_rows(W, length)
        primitives = tuple(p for p, k in zip(link.primitives, keep, strict=True) if k)
        moving, kind = twists, "universal" if _is_universal(link) else "generic"
    return Joint(
        name=name,
        type=kind,
        a=link.a,
        b=link.b,
        X_AJ=link.X_WA.inverse() @ X_WJ,
        X_BJ=link.X_WB.inverse() @ X_WJ,
        primitives=tuple(reframed(p, lambda side: ((link.a, link.b)[side], Pose())) for p in primitives),
        freedom=moving,
        mates=tuple(m.name for m in link.mates),
        limit=_limit(link.mates),
        pitch=pair.pitch if pair is not None else None,
        damping=sum(m.damping for m in link.mates),
        friction=sum(m.friction for m in link.mates),
    )


def _is_universal(link: Link) -> bool:
    return any(m.kind.value == "universal" for m in link.mates)


def _limit(mates: Sequence[Mate]) -> Limit | None:
    for mate in mates:
        if mate.limit is not None:
            return mate.limit
    return None


def _moves(link: Link, program: Program, before: Array, pair: LowerPair, length: float) -> bool:
    """Whether the mates still hold after each freedom of the pair has been moved by a finite step."""
    X_WJ = Pose(frame_from_axis(pair.axis), pair.point)
    for twist in motions(pair).T:
        step = PROBE * twist.copy()
        if not np.any(twist[3:]):
            step *= length
        moved = X_WJ @ _exponential(step) @ X_WJ.inverse() @ link.X_WB
        after, _ = evaluated(program, (link.X_WA, moved))
        if float(np.max(np.abs(after - before), initial=0.0)) > 1e-6 * max(1.0, length):
            return False
    return True


def _exponential(twist: Array) -> Pose:
    """The motion of a lower pair's twist [v; ω]: turns about and slides along the same axis only."""
    return Pose(rotation.matrix(rotation.exponential(twist[3:])), twist[:3].copy())


def lower_pair_primitives(
    pair: LowerPair, X_WA: Pose, X_WB: Pose, X_WJ: Pose, a: int = 0, b: int = 1
) -> tuple[Primitive, ...]:
    """The fewest rows of a lower pair between bodies a and b, in their frames."""
    X_AJ, X_BJ = X_WA.inverse() @ X_WJ, X_WB.inverse() @ X_WJ
    ea, eb = X_AJ.R.T, X_BJ.R.T
    points = [PointOnPlane(a, b, X_AJ.p, e, X_BJ.p) for e in ea]
    tilt = [AxesAngle(a, b, ea[0], eb[2]), AxesAngle(a, b, ea[1], eb[2])]
    turn = [AxesAngle(a, b, ea[0], eb[1])]
    rows: dict[str, list[Primitive]] = {
        "revolute": [*points, *tilt],
        "prismatic": [*points[:2], *tilt, *turn],
        "cylindrical": [*points[:2], *tilt],
        "planar": [points[2], *tilt],
        "spherical": [*points],
    }
    if pair.type == "screw":
        assert pair.pitch is not None
        travel = Coordinate("distance", a, b, X_AJ.p, ea[2], X_BJ.p)
        angle = Coordinate("angle", a, b, X_AJ.p, ea[2], X_BJ.p, ea[0], eb[0])
        return (*points[:2], *tilt, Coupler(a, b, ((1.0, travel), (-pair.pitch, angle))))
    return tuple(rows[pair.type])


def mate_axis(mate: Mate, a: Side) -> Array | None:
    """The world direction that gives a joint of this mate its sign: that of feature a."""
    if a.feature.direction is None:
        return None
    return unit(a.world_direction())

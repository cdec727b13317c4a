"""All mates between two bodies become one joint, and the rows it does not need are remembered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cadbridge.assembly import Mate, MateKind
from cadbridge.frames import ACROSS, Pose, frame_from_axis, unit
from cadbridge.freedoms import SLIDE
from cadbridge.mechanism.classify import LowerPair, classify, motions
from cadbridge.mechanism.connections import Connection, Stack
from cadbridge.mechanism.joint_types import JOINT_TYPES
from cadbridge.mechanism.model import Joint
from cadbridge.mechanism.reframe import renumbered
from cadbridge.mechanism.sides import MateSide
from cadbridge.mechanism.twists import Array, freedom
from solver import rotation
from solver.algebra.rank import HIGHEST, independent_rows
from solver.constraints import AxesAngle, Coordinate, Coupler, PointOnPlane, Primitive

PROBING_STEP = 0.35
"""Radians (or lengths of the mechanism) by which a freedom is moved to see that it is a finite one: far enough that the
second order shows (6 % of the way), and not so far that a mate of distance meets its other branch. It is no simple part
of a turn, at which symmetric features would meet again."""

_HELD = 1e-6
"""By how much rows may change (rad, m; of mechanisms longer than a metre so many of their lengths) along a freedom that
is a finite one. Such rows change by rounding, 1e-15, or by what a file rounds to, 1e-8 (2,515 pairs of tests and real
files); where the second order shows, it is some hundredths."""


def joint_of(
    connection: Connection, name: str, length: float, sign_axis: Array | None, highest: float = HIGHEST
) -> Joint | None:
    """The joint of a connection, None where its mates hold nothing; its `primitives` refer to 0 (a) and 1 (b).

    What its mates carry beside their rows is not in it, see `together`.
    """
    return joints_of([connection], [name], length, [[] if sign_axis is None else [sign_axis]], highest)[0]


def joints_of(
    connections: Sequence[Connection],
    names: Sequence[str],
    length: float,
    sign_axes: Sequence[Sequence[Array]],
    highest: float,
) -> list[Joint | None]:
    """The joint of each connection, see `joint_of`; all are evaluated at once.

    `sign_axes`: of each the world directions that may give it its sign; the first does that is not across its axis.
    """
    if not connections:
        return []
    stack = Stack(connections)
    twists = [freedom(W, length, highest) for W in stack.wrenches]
    pairs = [
        _signed(classify(t, connection.centre, length), axes) if t.shape[1] < 6 else None
        for connection, t, axes in zip(connections, twists, sign_axes, strict=True)
    ]
    moves = _moves(stack, pairs, length)
    return [
        _joint(connection, name, W, t, pair if moved else None, length) if t.shape[1] < 6 else None
        for connection, name, W, t, pair, moved in zip(
            connections, names, stack.wrenches, twists, pairs, moves, strict=True
        )
    ]


def _signed(pair: LowerPair | None, axes: Sequence[Array]) -> LowerPair | None:
    """The pair with its axis along the one that gives it its sign; without one along the world's, as it is nearest."""
    if pair is None:
        return None
    # Two faces that leave a slide say no sign: that of rounding would be another on the next machine.
    nearest = pair.axis[np.argmax(np.abs(pair.axis) > np.abs(pair.axis).max() - ACROSS)]
    along = next((d for a in axes if abs(d := float(pair.axis @ a)) > ACROSS), float(nearest))
    return LowerPair(pair.type, -pair.axis, pair.point, pair.pitch) if along < 0 else pair


def _joint(connection: Connection, name: str, W: Array, twists: Array, pair: LowerPair | None, length: float) -> Joint:
    """The joint of rows W (m, 6): a lower pair, or what is left of the rows."""
    if pair is not None:
        X_WJ = Pose(frame_from_axis(pair.axis), pair.point)
        primitives = lower_pair_primitives(pair, connection.X_WA, connection.X_WB, X_WJ)
        moving = motions(pair)
        kind = pair.type
    else:
        X_WJ = Pose(np.eye(3), connection.centre)
        # What other rows of these mates imply would only make the joint's own rows repeat each other in every run.
        keep = independent_rows(W, length)
        primitives = tuple(p for p, k in zip(connection.primitives, keep, strict=True) if k)
        moving, kind = twists, "universal" if _is_universal(connection) else "generic"
    return Joint(
        name=name,
        type=kind,
        a=connection.a,
        b=connection.b,
        X_AJ=connection.X_WA.inverse() @ X_WJ,
        X_BJ=connection.X_WB.inverse() @ X_WJ,
        primitives=tuple(renumbered(p, {0: connection.a, 1: connection.b}) for p in primitives),
        freedom=moving,
        mates=tuple(m.name for m in connection.mates),
        pitch=pair.pitch if pair is not None else None,
    )


def _is_universal(connection: Connection) -> bool:
    return any(m.kind is MateKind.UNIVERSAL for m in connection.mates)


def _moves(stack: Stack, pairs: Sequence[LowerPair | None], length: float) -> list[bool]:
    """Whether the mates of connections still hold after each freedom of their pairs has been moved by a finite step."""
    freedoms = [motions(pair).T if pair is not None else np.zeros((0, 6)) for pair in pairs]
    holds = [True] * len(pairs)
    # The k-th freedoms of all pairs at once: one evaluation serves all connections, of which there may be thousands.
    for k in range(max((len(f) for f in freedoms), default=0)):
        moved = {}
        for i, (pair, connection) in enumerate(zip(pairs, stack.connections, strict=True)):
            if pair is not None and holds[i] and k < len(freedoms[i]):
                moved[i] = _moved(freedoms[i][k], pair, length) @ connection.X_WB
        if not moved:
            break
        for i, gap in stack.gaps(moved).items():
            holds[i] = gap <= _HELD * max(1.0, length)
    return holds


def _moved(twist: Array, pair: LowerPair, length: float) -> Pose:
    """The motion, in the world, of a pair that moves along a twist by a finite step."""
    X_WJ = Pose(frame_from_axis(pair.axis), pair.point)
    # A pair's twists are of unit turns or unit slides: a turn is moved by radians, a slide by lengths of the mechanism.
    step = PROBING_STEP * twist * (1.0 if np.any(twist[3:]) else np.array([length] * 3 + [1.0] * 3))
    return X_WJ @ _exponential(step) @ X_WJ.inverse()


def _exponential(twist: Array) -> Pose:
    """The motion of a lower pair's twist [v; ω]: turns about and slides along the same axis only."""
    return Pose(rotation.matrix(rotation.exponential(twist[3:])), twist[:3].copy())


def lower_pair_primitives(
    pair: LowerPair, X_WA: Pose, X_WB: Pose, X_WJ: Pose, a: int = 0, b: int = 1
) -> tuple[Primitive, ...]:
    """The fewest rows of a lower pair between bodies a and b, in their frames: what none of its steps moves."""
    X_AJ, X_BJ = X_WA.inverse() @ X_WJ, X_WB.inverse() @ X_WJ
    ea, eb = X_AJ.R.T, X_BJ.R.T
    kind = JOINT_TYPES[pair.type]
    slid = sum((step.axis for step in kind.steps if step.kind == SLIDE), np.zeros(3))
    rows: list[Primitive] = [
        PointOnPlane(a, b, X_AJ.p, e, X_BJ.p) for e, moves in zip(ea, slid, strict=True) if not moves
    ]
    if not kind.ball:
        rows += [AxesAngle(a, b, ea[0], eb[2]), AxesAngle(a, b, ea[1], eb[2])]
    if kind.turns == 0:
        rows.append(AxesAngle(a, b, ea[0], eb[1]))
    if kind.coupled:
        assert pair.pitch is not None
        travel = Coordinate("distance", a, b, X_AJ.p, ea[2], X_BJ.p)
        angle = Coordinate("angle", a, b, X_AJ.p, ea[2], X_BJ.p, ea[0], eb[0])
        rows.append(Coupler(a, b, ((1.0, travel), (-pair.pitch, angle))))
    return tuple(rows)


def mate_axis(mate: Mate, a: MateSide) -> Array | None:
    """The world direction that gives a joint of this mate its sign: that of feature a."""
    if a.feature.direction is None:
        return None
    return unit(a.world_direction())

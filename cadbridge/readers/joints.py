"""Joints between two frames, as CAD systems have them, in the mates that hold them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cadbridge.assembly import Feature, FeatureKind, Mate, MateKind
from cadbridge.findings import Where
from cadbridge.frames import Matrix, Pose, Vector, perpendicular, unit
from cadbridge.freedoms import Free, free

UNBOUNDED_FROM = 1e15
"""A bound of this magnitude in URDF and SDF is none: converters write the largest float, SDF's default is 1e16.

It is also where `bounds.LARGEST_SI` begins to refuse numbers, so that no bound lies between.
"""

Held = tuple[str, MateKind, Feature, Feature]
"""A mate: the end of its name, its kind, and what it takes of either frame."""


def frame_feature(component: str, X_CJ: Pose) -> Feature:
    """A joint's frame in that of a component."""
    return Feature(component, FeatureKind.FRAME, X_CJ.p, X_CJ.R[:, 2], X_CJ.R[:, 0])


def axis_feature(component: str, X: Pose, axes: Sequence[Vector], point: ArrayLike = (0.0, 0.0, 0.0)) -> Feature:
    """A joint's frame at `point` (3,) m with z along its axis (3,), or with x and y along the two axes of a cross.

    Both are given in a frame whose pose in the component's is `X`.
    """
    z, x = (axes[0], perpendicular(axes[0])) if len(axes) == 1 else (unit(np.cross(axes[0], axes[1])), axes[0])
    return Feature(component, FeatureKind.FRAME, X.point(point), X.vector(z), X.vector(x))


def joint_mates(
    leaves: Free, name: str, a: Feature, b: Feature, where: Where, aligned: bool | None = None, **first: Any
) -> tuple[Mate, ...]:
    """The mates that leave of frame b these freedoms against frame a; the first bears `first`: limit, loads, pitch.

    Without `aligned` the frames' z are taken the way round that they have as designed; the arms of a cross and what
    takes several mates always are.
    """
    maker = _HELD.get(_canonical(leaves))
    held = _apart(leaves, a, b) if maker is None else maker(*(_turned(frame, _axes(leaves)) for frame in (a, b)))
    made = [Mate(name + end, kind, of_a, of_b, where=where) for end, kind, of_a, of_b in held]
    if len(made) == 1 and made[0].kind is not MateKind.UNIVERSAL:
        first["aligned"] = aligned
    return (replace(made[0], **first), *made[1:])


def coordinate(X_AB: Pose, axis: int) -> float:
    """How far frame b has slid along (m) or turned about (rad) an axis of frame a, by its index in AXES."""
    if axis < 3:
        return float(X_AB.p[axis])
    i, j = (axis + 1) % 3, (axis + 2) % 3
    return math.atan2(float(X_AB.R[j, i]), float(X_AB.R[i, i]))


def _axes(leaves: Free) -> Matrix:
    """The axes (3, 3) of a joint, as columns in the frame that the file has: z is the axis that it is about or along.

    x is the other axis of two freedoms. x and y of a universal joint are its arms in the order of the file.
    """
    slides, turns = leaves.slides, leaves.turns
    if len(turns) == 2:
        x, y = np.eye(3)[list(turns)]
        return np.column_stack([x, y, np.cross(x, y)])
    # Without a single turn: along the one slide, or across the two, which is the index that 0 + 1 + 2 leaves over.
    axis = turns[0] if len(turns) == 1 else {1: sum(slides), 2: 3 - sum(slides)}.get(len(slides), 2)
    z, x = np.eye(3)[[axis, slides[0] if len(slides) == 1 and slides[0] != axis else (axis + 1) % 3]]
    return np.column_stack([x, np.cross(z, x), z])


def _canonical(leaves: Free) -> Free:
    """The same freedoms by the joint's own axes."""
    order = [int(np.flatnonzero(column)[0]) for column in _axes(leaves).T]
    places = sorted(order.index(i % 3) + (3 if i > 2 else 0) for i in leaves.axes)
    return Free(tuple(places), leaves.pitched)


def _turned(frame: Feature, R: Matrix) -> Feature:
    """A frame whose axes are columns of `R` (3, 3) in another."""
    if np.array_equal(R, np.eye(3)):
        return frame
    axes = np.column_stack(_three(frame)) @ R
    return replace(frame, direction=axes[:, 2], x=axes[:, 0])


def _three(frame: Feature) -> tuple[Vector, Vector, Vector]:
    """The axes of a frame, in its component's frame."""
    assert frame.direction is not None
    assert frame.x is not None
    return frame.x, np.cross(frame.direction, frame.x), frame.direction


def _y(frame: Feature) -> Vector:
    return _three(frame)[1]


def _along(frame: Feature, direction: Vector | None, kind: FeatureKind = FeatureKind.AXIS) -> Feature:
    return replace(frame, kind=kind, direction=direction, x=None)


def _point(frame: Feature) -> Feature:
    return _along(frame, None, FeatureKind.POINT)


# --- the mates of each joint, between frames whose z is its axis ---

Maker = Callable[[Feature, Feature], list[Held]]


def _whole(kind: MateKind) -> Maker:
    return lambda a, b: [("", kind, a, b)]


def _without_turn(kind: MateKind) -> Maker:
    """x of a stays across y of b: with parallel z there is no turn."""
    return lambda a, b: [("", kind, a, b), (" turn", MateKind.PERPENDICULAR, _along(a, a.x), _along(b, _y(b)))]


def _pin_slot(a: Feature, b: Feature) -> list[Held]:
    """b turns about z and slides along x of a: planar, and b's origin in the plane across y of a."""
    slot = _along(a, _y(a), FeatureKind.PLANE)
    return [("", MateKind.PLANAR, a, b), (" slot", MateKind.COINCIDENT, slot, _point(b))]


def _universal(a: Feature, b: Feature) -> list[Held]:
    """The cross has its arms along x of a and y of b."""
    return [("", MateKind.UNIVERSAL, _along(a, a.x), _along(b, _y(b)))]


def _apart(leaves: Free, a: Feature, b: Feature) -> list[Held]:
    """b's origin in what the slides leave of a's frame; then axes of both as the turns leave them."""

    def axis(frame: Feature, i: int, kind: FeatureKind = FeatureKind.AXIS) -> Feature:
        return _along(frame, _three(frame)[i], kind)

    slides, turns = leaves.slides, leaves.turns
    # No slide leaves a point, one a line, two a plane, whose normal is the index that 0 + 1 + 2 leaves over.
    places = [_point(a), *(axis(a, i) for i in slides[:1]), axis(a, (3 - sum(slides)) % 3, FeatureKind.PLANE)]
    held = [(MateKind.COINCIDENT, places[len(slides)], _point(b))] if len(slides) < 3 else []
    if len(turns) == 2:
        held.append((MateKind.PERPENDICULAR, axis(a, turns[0]), axis(b, turns[1])))
    elif len(turns) == 1:
        held.append((MateKind.PARALLEL, axis(a, turns[0]), axis(b, turns[0])))
    return [(" turn" * (i > 0), *mate) for i, mate in enumerate(held)]


_HELD: dict[Free, Maker] = {
    free(""): _whole(MateKind.FIXED),
    free("rz"): _whole(MateKind.REVOLUTE),
    free("tz"): _whole(MateKind.PRISMATIC),
    free("tz rz"): _whole(MateKind.CYLINDRICAL),
    free("tz rz", pitched=True): _whole(MateKind.SCREW),
    free("rx ry"): _universal,
    free("rx ry rz"): _whole(MateKind.SPHERICAL),
    free("tx ty rz"): _whole(MateKind.PLANAR),
    free("tx ty tz rz"): _whole(MateKind.PARALLEL),
    free("tx ty tz rx ry rz"): _whole(MateKind.FREE),
    free("tx ty"): _without_turn(MateKind.PLANAR),
    free("tx ty tz"): _without_turn(MateKind.PARALLEL),
    free("tx rz"): _pin_slot,
}
"""By what is free about and along the joint's own axes; any other set is held piece by piece."""

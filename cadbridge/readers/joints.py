"""Joints between two frames, as CAD systems have them, in the mates that hold them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from cadbridge.assembly import Feature, FeatureKind, Limit, Mate, MateKind
from cadbridge.findings import Where
from cadbridge.frames import Matrix, Pose, Vector

Held = tuple[tuple[str, MateKind, Feature, Feature], ...]
Maker = Callable[[Feature, Feature], Held]

MOVING = ("revolute", "prismatic", "cylindrical", "screw")
"""Joints whose first freedom, about or along z, a limit can be of."""


def _whole(kind: MateKind) -> Maker:
    return lambda a, b: (("", kind, a, b),)


def y_axis(frame: Feature) -> Vector:
    """The y axis of a frame, in its component's frame."""
    assert frame.direction is not None
    assert frame.x is not None
    return np.cross(frame.direction, frame.x)


def _along(frame: Feature, direction: Vector | None, kind: FeatureKind = FeatureKind.AXIS) -> Feature:
    return replace(frame, kind=kind, direction=direction, x=None)


def _no_turn(a: Feature, b: Feature) -> tuple[str, MateKind, Feature, Feature]:
    """x of a across y of b: with parallel z there is no turn."""
    return (" turn", MateKind.PERPENDICULAR, _along(a, a.x), _along(b, y_axis(b)))


def _pin_slot(a: Feature, b: Feature) -> Held:
    """b turns about z and slides along x of a: planar, and b's origin in the plane across y of a."""
    slot = _along(a, y_axis(a), FeatureKind.PLANE)
    return (("", MateKind.PLANAR, a, b), (" slot", MateKind.COINCIDENT, slot, _along(b, None, FeatureKind.POINT)))


def _bearing(a: Feature, b: Feature) -> Held:
    """b's origin on z of a, free to turn."""
    line, point = _along(a, a.direction), _along(b, None, FeatureKind.POINT)
    return (("", MateKind.COINCIDENT, line, point),)


def _universal(a: Feature, b: Feature) -> Held:
    """The cross has its arms along x of a and y of b."""
    return (("", MateKind.UNIVERSAL, _along(a, a.x), _along(b, y_axis(b))),)


KINDS: dict[str, Maker] = {
    "fixed": _whole(MateKind.FIXED),
    "revolute": _whole(MateKind.REVOLUTE),
    "prismatic": _whole(MateKind.PRISMATIC),
    "cylindrical": _whole(MateKind.CYLINDRICAL),
    "screw": _whole(MateKind.SCREW),
    "spherical": _whole(MateKind.SPHERICAL),
    "planar": _whole(MateKind.PLANAR),
    "parallel": _whole(MateKind.PARALLEL),
    "free": _whole(MateKind.FREE),
    "universal": _universal,
    "pin_slot": _pin_slot,
    "bearing": _bearing,
    "rectangular": lambda a, b: (("", MateKind.PLANAR, a, b), _no_turn(a, b)),
    "cartesian": lambda a, b: (("", MateKind.PARALLEL, a, b), _no_turn(a, b)),
}
"""Each kind as (end of the name, mate kind, feature of a, feature of b), one or several; z is the frames' axis."""


def kind_leaving(free: Iterable[int]) -> tuple[str, Matrix] | None:
    """The kind of KINDS that leaves these freedoms of a frame, and the axes (3, 3) of its own frame as columns in that.

    0 to 2 are slides along x, y and z, 3 to 5 turns about them. None where no kind leaves just these.
    """
    slides, turns = [a for a in free if a < 3], [a - 3 for a in free if a > 2]
    if len(slides) == 3 and len(turns) in (0, 1):
        return ("parallel", _with_z(turns[0])) if turns else ("cartesian", np.eye(3))
    found = {
        (0, 0): "fixed", (0, 1): "revolute", (1, 0): "prismatic", (0, 3): "spherical", (1, 3): "bearing",
        (0, 2): "universal", (2, 0): "rectangular", (3, 3): "free",
    }.get((len(slides), len(turns)))  # fmt: skip
    if found == "universal":
        x, y = np.eye(3)[turns]
        return found, np.column_stack([x, y, np.cross(x, y)])
    if found == "rectangular":
        return found, _with_z(3 - sum(slides))
    if found is not None:
        return found, _with_z(2 if found in ("spherical", "free") else (slides or turns or [2])[0])
    if (len(slides), len(turns)) == (2, 1) and turns[0] not in slides:
        return "planar", _with_z(turns[0])
    if (len(slides), len(turns)) == (1, 1):
        if slides == turns:
            return "cylindrical", _with_z(turns[0])
        z, x = np.eye(3)[turns[0]], np.eye(3)[slides[0]]
        return "pin_slot", np.column_stack([x, np.cross(z, x), z])
    return None


def _with_z(axis: int) -> Matrix:
    """Axes as columns with the given one as z."""
    return np.eye(3)[:, [(axis + 1) % 3, (axis + 2) % 3, axis]]


def joint_mates(
    kind: str, name: str, a: Feature, b: Feature, where: Where, limit: Limit | None = None, value: float = 0.0
) -> tuple[Mate, ...]:
    """The mates of a joint between two FRAME features, b relative to a; the first bears the limit.

    The frames' z are taken the way round that the file has them (`aligned` is left to the pose).
    """
    made = []
    for end, mate_kind, of_a, of_b in KINDS[kind](a, b):
        first = not end
        made.append(
            Mate(
                name + end, mate_kind, of_a, of_b, value=value if first else 0.0,
                limit=limit if first else None, where=where,
            )
        )  # fmt: skip
    return tuple(made)


def designed_value(kind: str, X_WA: Pose, X_WB: Pose) -> float:
    """Where b stands from a as designed: the slide along z of a in m (prismatic), else the turn about it in rad."""
    X_AB = X_WA.inverse() @ X_WB
    if kind == "prismatic":
        return float(X_AB.p[2])
    return math.atan2(float(X_AB.R[1, 0]), float(X_AB.R[0, 0]))


def shifted(limit: Limit, value: float, turns: bool) -> Limit:
    """A range counted from the file's zero, counted from the pose as designed, which stands at `value`.

    A turn is known to full turns only; the one nearest to the range is taken.
    """
    low = -math.inf if limit.lower is None else limit.lower
    high = math.inf if limit.upper is None else limit.upper
    if turns:
        rounds = [value + k * 2.0 * math.pi for k in (0, 1, -1, 2, -2)]
        value = min(rounds, key=lambda v: max(low - v, v - high, 0.0))
    return replace(
        limit,
        lower=None if limit.lower is None else limit.lower - value,
        upper=None if limit.upper is None else limit.upper - value,
    )

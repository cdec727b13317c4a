"""Joints between markers, as OndselSolver and FreeCAD have them: a marker is a frame of a component."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from cadbridge.assembly import Coupling, CouplingKind, Feature, FeatureKind
from cadbridge.findings import Where
from cadbridge.frames import Pose, cross_length
from cadbridge.readers.placement import ALIGNED

_COLUMN = {"x": 0, "y": 1, "z": 2}
"""The column of a rotation by the letter of its axis."""


@dataclass(frozen=True, eq=False)
class Marker:
    """A frame of a component or of the ground: the component's name, and X_CM."""

    component: str
    X: Pose


def feature(marker: Marker, kind: FeatureKind, axis: str = "z", label: str = "") -> Feature:
    """A feature of a marker: its frame, its point, or its point with one of its axes."""
    R = marker.X.R
    if kind is FeatureKind.POINT:
        return Feature(marker.component, kind, marker.X.p, label=label)
    x = R[:, 0] if kind is FeatureKind.FRAME else None
    return Feature(marker.component, kind, marker.X.p, R[:, _COLUMN[axis]], x, label=label)


def gear(
    name: str, i: Marker, j: Marker, poses: tuple[Pose, Pose], radii: tuple[float, float], where: Where
) -> Coupling:
    """r_J · turn of J = −r_I · turn of I, each about the marker's own z, counted from the line between the two.

    So wheels with z the same way turn against each other, and with z against each other, or radii of unlike signs, the
    same way, as on a belt. Axes that are not parallel have the ratio alone. `poses`: X_WI, X_WJ. ValueError where a
    radius is zero.
    """
    ri, rj = radii
    if not (ri and rj and math.isfinite(ri) and math.isfinite(rj)):
        raise ValueError("a radius is zero")
    a, b = feature(i, FeatureKind.AXIS), feature(j, FeatureKind.AXIS)
    zi, zj = (X.R[:, 2] for X in poses)
    if cross_length(zi, zj) > ALIGNED:
        return Coupling(name, CouplingKind.RATIO, a, b, -ri / rj, where=where)
    along = float(zi @ zj) > 0.0
    kind = CouplingKind.SPUR if ((ri > 0) == (rj > 0)) == along else CouplingKind.BELT
    return Coupling(name, kind, a, b, abs(rj / ri), where=where)


def rack(name: str, i: Marker, j: Marker, poses: tuple[Pose, Pose], radius: float, where: Where) -> Coupling:
    """x of J in I plus `radius` (m) times J's turn stays: I is the rack, J the pinion; `poses` X_WI, X_WJ.

    The pitch line is put where that relation rolls: beside the pinion's axis, on the side that the sign gives.
    """
    if not radius:
        raise ValueError("the pitch radius is zero")
    X_WI, X_WJ = poses
    line = X_WJ.p - radius * X_WI.R[:, 1]
    bar = replace(i, X=Pose(i.X.R, i.X.point(X_WI.inverse().point(line))))
    a, b = feature(j, FeatureKind.AXIS), feature(bar, FeatureKind.AXIS, "x")
    return Coupling(name, CouplingKind.RACK_PINION, a, b, radius_a=abs(radius), where=where)


def screw(name: str, i: Marker, j: Marker, pitch: float, where: Where) -> Coupling:
    """2π z = pitch (m) · turn, of J in I: one row; the other five are for other joints to hold."""
    if not pitch:
        raise ValueError("the pitch is zero")
    a, b = feature(i, FeatureKind.FRAME), feature(j, FeatureKind.FRAME)
    return Coupling(name, CouplingKind.SCREW, a, b, pitch / (2 * math.pi), where=where)

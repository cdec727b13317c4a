"""The mechanism as OndselSolver's .asmt; the format has no limits on file, so a mates file brings the limit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from cadbridge.frames import Pose
from tests.readers.same_mechanism import plain
from tests.readers.same_mechanism.model import BODIES, GEAR, GUIDE, HINGES, Body, Hinge, X, Z


def write(folder: Path) -> Path:
    """The base is a part like the others; the mates file grounds it."""
    lines = ["freeCAD: 3D CAD with Motion Simulation  by  askoh.com", "Assembly", "\tName", "\t\tMechanism"]
    lines += _pose(1, Pose())
    lines += ["\tRefPoints", "\tParts"]
    for body in BODIES.values():
        lines += _part(body)
    lines += ["\tConstraintSets", "\t\tJoints"]
    for hinge in HINGES:
        lines += _joint("RevoluteJoint", hinge)
    lines += _joint("PlanarJoint", GUIDE, "\t\t\t\toffset", "\t\t\t\t\t0.0")
    name, first, second, ratio = GEAR
    lines += ["\t\t\tGearJoint", "\t\t\t\tName", f"\t\t\t\t\t{name}"]
    for side, wheel in (("I", first), ("J", second)):
        hinge = next(h for h in HINGES if h.a == "Base" and h.b == wheel)
        lines += [f"\t\t\t\tMarker{side}", f"\t\t\t\t\t/Mechanism/{wheel}/{hinge.name}"]
    lines += ["\t\t\t\tradiusI", "\t\t\t\t\t1.0", "\t\t\t\tradiusJ", f"\t\t\t\t\t{ratio!r}", "\t\tMotions"]
    source = folder / "mechanism.asmt"
    source.write_text("\n".join(lines) + "\n")
    plain.write_mates(plain.beside(source), plain.ground(), plain.limits())
    return source


def _part(body: Body) -> list[str]:
    tab = "\t" * 3
    moments, axes = np.linalg.eigh(body.inertia)
    axes = axes * np.sign(np.linalg.det(axes))
    lines = ["\t\tPart", f"{tab}Name", f"{tab}\t{body.name}", *_pose(3, body.X)]
    lines += [f"{tab}PrincipalMassMarker", f"{tab}\tName", f"{tab}\t\tMassMarker", *_pose(4, Pose(axes, body.com))]
    lines += [f"{tab}\tMass", f"{tab}\t\t{body.mass!r}", f"{tab}\tMomentOfInertias", f"{tab}\t\t{_row(moments)}"]
    lines.append(f"{tab}RefPoints")
    for hinge in (*HINGES, GUIDE):
        if body.name in (hinge.a, hinge.b):
            # The reference point is off on purpose: the marker brings its frame back.
            X_BR = Pose.from_rpy([0.1, 0.2, -0.3], [0.5, -0.6, 0.7])
            R = np.column_stack([X, np.cross(Z, X), Z])
            X_BM = Pose(body.X.R.T @ R, body.point(hinge.point))
            lines += [f"{tab}\tRefPoint", *_pose(5, X_BR), f"{tab}\t\tMarkers", f"{tab}\t\t\tMarker"]
            lines += [f"{tab}\t\t\t\tName", f"{tab}\t\t\t\t\t{hinge.name}", *_pose(7, X_BR.inverse() @ X_BM)]
    return lines


def _joint(kind: str, hinge: Hinge, *more: str) -> list[str]:
    tab = "\t" * 4
    lines = [f"\t\t\t{kind}", f"{tab}Name", f"{tab}\t{hinge.name}"]
    for side, body in (("I", hinge.a), ("J", hinge.b)):
        lines += [f"{tab}Marker{side}", f"{tab}\t/Mechanism/{body}/{hinge.name}"]
    return [*lines, *more]


def _pose(level: int, X_AB: Pose) -> list[str]:
    tab = "\t" * level
    rows = [f"{tab}\t{_row(row)}" for row in X_AB.R]
    return [f"{tab}Position3D", f"{tab}\t{_row(X_AB.p)}", f"{tab}RotationMatrix", *rows]


def _row(values: Iterable[float]) -> str:
    return "\t".join(repr(float(v)) for v in values)

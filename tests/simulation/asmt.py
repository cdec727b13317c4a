"""Assemblies in OndselSolver's .asmt, written by the tests themselves. Poses in m, the gravity along −z."""

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose

Array = NDArray[np.float64]


def lines(level: int, *texts: str) -> str:
    return "".join("\t" * level + text + "\n" for text in texts)


def numbers(values: Array) -> str:
    return "\t".join(repr(float(v)) for v in values)


def placed(level: int, X: Pose) -> str:
    place = lines(level, "Position3D") + lines(level + 1, numbers(X.p))
    return place + lines(level, "RotationMatrix") + lines(level + 1, *(numbers(r) for r in X.R))


def markers(level: int, named: dict[str, Pose]) -> str:
    text = lines(level, "RefPoints")
    for name, X in named.items():
        text += lines(level + 1, "RefPoint") + placed(level + 2, Pose()) + lines(level + 2, "Markers")
        text += lines(level + 3, "Marker") + lines(level + 4, "Name") + lines(level + 5, name) + placed(level + 4, X)
    return text


def part(name: str, X: Pose, named: dict[str, Pose], mass: float = 2.0, moment: float = 0.1) -> str:
    text = lines(2, "Part") + lines(3, "Name") + lines(4, name) + placed(3, X)
    text += lines(3, "PrincipalMassMarker") + lines(4, "Name") + lines(5, "MassMarker") + placed(4, Pose())
    text += lines(4, "Mass") + lines(5, repr(mass))
    text += lines(4, "MomentOfInertias") + lines(5, numbers(np.full(3, moment)))
    return text + markers(3, named)


def assembly(parts: str, ground: dict[str, Pose], joints: str, motions: str, gravity: str = "0 0 -9.81") -> str:
    text = "freeCAD: 3D CAD with Motion Simulation  by  askoh.com\n" + lines(0, "Assembly") + lines(1, "Name")
    text += lines(2, "A") + placed(1, Pose()) + markers(1, ground) + lines(1, "Parts") + parts
    text += lines(1, "ConstraintSets") + lines(2, "Joints") + joints + lines(2, "Motions") + motions
    text += lines(1, "ConstantGravity") + lines(2, gravity) + lines(1, "SimulationParameters")
    for key, value in (("tstart", "0.0"), ("tend", "2.0"), ("hout", "0.1"), ("errorTol", "1e-10")):
        text += lines(2, key) + lines(3, value)
    return text


def hinged(kind: str, name: str, i: str, j: str) -> str:
    """A joint between the markers of these names."""
    text = lines(3, kind) + lines(4, "Name") + lines(5, name)
    return text + lines(4, "MarkerI") + lines(5, i) + lines(4, "MarkerJ") + lines(5, j)


def turning(joint: str, law: str) -> str:
    """A motion that turns a joint."""
    text = lines(3, "RotationalMotion") + lines(4, "Name") + lines(5, "Drive") + lines(4, "MotionJoint")
    return text + lines(5, joint) + lines(4, "RotationZ") + lines(5, law)

"""Wheels where they stand, how their teeth and axes lie to each other, and pairs of them that mesh."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import CouplingKind
from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import ONE_LINE
from cadbridge.recognition.wheels.flanks import TOOTH_DEPTH
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

PARALLEL_SHAFTS = math.radians(0.5)
"""rad between shafts of wheels that are parallel: axes are read from circles of meshes. 54 machines: 1e-8 | 0.0175
(1°)."""

LEAST_REACH = 0.3
"""Of the smaller depth: teeth that reach less far between each other do not mesh. 54 machines: 0.009 | 0.39. Tests:
0.80 (`test_meshing`)."""

INTO_ROOTS = 0.2
"""Modules by which teeth may run into the roots of others: meshes and assemblies as drawn are that far off. The usual
clearance there is 0.25. 54 machines: 0 | 44."""

SAME_MODULE = 0.06
"""Modules of wheels that mesh agree within this share; those read from a mesh without involutes are that far off. 54
machines have 0.007 and less. Tests: 0.015 (`test_meshing`). The rest is a choice."""

SAME_HELIX = math.radians(3)
"""rad by which the helix angles of two wheels may differ: an angle is read from a few sections of a mesh. 54 machines
have 0 where wheels mesh. Tests: 0 | 0.70 (`test_meshing`)."""

LEAST_OVERLAP = 0.15
"""Of the narrower face width: how much of it two wheels that mesh have beside each other. 54 machines: −0.3 | 0.29.
Tests: −2.3 | 1 (`test_meshing`)."""

AXIS_OFF = 0.5
"""Modules by which a line may be off a wheel's axis to be it, beside 0.1 mm. A choice: teeth are two modules deep, so
that a wheel drawn so far beside its shaft meshes, and the next axis stands a pitch radius away."""


@dataclass(frozen=True, eq=False)
class MeshingPair:
    """Two wheels that mesh. `ratio` = teeth of b / teeth of a > 0, as `Coupling` has it; a rack's is not defined (0).

    `a` is the smaller wheel, the pinion or the worm. `distance`: of the axes in m (0 of bevels). `confidence` from 0 to
    1. `against`: why it is proposed as a comment only, empty else.
    """

    kind: CouplingKind
    a: Wheel
    b: Wheel
    ratio: float
    distance: float
    confidence: float
    evidence: tuple[str, ...]
    against: str = ""

    @property
    def instances(self) -> tuple[str, str]:
        """The instances of the two wheels."""
        return self.a.instance, self.b.instance


def extent(wheel: Wheel) -> float:
    """The radius of a ball about `point` that holds the teeth."""
    if wheel.kind is WheelKind.RACK:
        return wheel.present * math.pi * wheel.module / 2 + wheel.width
    return math.hypot(max(wheel.tip, wheel.root), wheel.width / 2)


def about(wheel: Wheel, point: Vector, direction: Vector) -> bool:
    """Whether a line is the wheel's axis."""
    aside = cross_length(point - wheel.point, wheel.axis)
    return (
        cross_length(wheel.axis, direction) < math.sin(PARALLEL_SHAFTS) and aside < AXIS_OFF * wheel.module + ONE_LINE
    )


def meeting(p: Wheel, q: Wheel) -> tuple[float, Vector | None]:
    """(distance of two axes, the point midway between them); None for parallel ones."""
    normal = np.cross(p.axis, q.axis)
    square = float(normal @ normal)
    if square < math.sin(PARALLEL_SHAFTS) ** 2:
        return math.inf, None
    apart = q.point - p.point
    along_p = float(np.cross(apart, q.axis) @ normal) / square
    along_q = float(np.cross(apart, p.axis) @ normal) / square
    on_p, on_q = p.point + along_p * p.axis, q.point + along_q * q.axis
    return float(np.linalg.norm(on_p - on_q)), (on_p + on_q) / 2


def beside(p: Wheel, q: Wheel) -> tuple[float, float]:
    """How far apart two parallel axes are, and how much of their face widths two wheels have beside each other, m."""
    apart = q.point - p.point
    return cross_length(apart, p.axis), (p.width + q.width) / 2 - abs(float(apart @ p.axis))


def reaches(p: Wheel, q: Wheel, distance: float) -> bool:
    """Whether teeth reach between each other, and no tip deep into a root; of a rack, its middle is `distance` away."""
    depth = min(abs(p.tip - p.root), abs(q.tip - q.root))
    slack = INTO_ROOTS * max(p.module, depth / TOOTH_DEPTH)
    if q.internal:
        reach, bottom = distance + p.tip - q.tip, q.root - distance - p.tip
        other = q.tip - distance - p.root
    else:
        reach, bottom = p.tip + q.tip - distance, distance - p.tip - q.root
        other = distance - q.tip - p.root
    return reach > LEAST_REACH * depth and bottom > -slack and other > -slack

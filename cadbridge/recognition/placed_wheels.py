"""Wheels where they stand, and pairs of them that mesh."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import CouplingKind
from cadbridge.frames import Vector
from cadbridge.recognition.wheel_kinds import Wheel, WheelKind

PARALLEL_SHAFTS = math.radians(0.5)
"""rad between shafts of wheels that are parallel: axes are read from circles of meshes.

54 machines: 1e-8 | 0.0175 (1°).
"""


@dataclass(frozen=True, eq=False)
class PlacedWheel:
    """A wheel of an instance; `wheel`'s points and directions are in the world's frame."""

    instance: str
    wheel: Wheel


@dataclass(frozen=True, eq=False)
class MeshingPair:
    """Two wheels that mesh. `ratio` = teeth of b / teeth of a > 0, as `Coupling` has it; a rack's is not defined (0).

    `a` is the smaller wheel, the pinion or the worm. `distance`: of the axes in m (0 of bevels); `backlash` m that the
    teeth could go deeper. `confidence` from 0 to 1. `against`: why it is proposed as a comment only, empty else.
    """

    kind: CouplingKind
    a: PlacedWheel
    b: PlacedWheel
    ratio: float
    distance: float
    confidence: float
    evidence: tuple[str, ...]
    against: str = ""


def extent(wheel: Wheel) -> float:
    """The radius of a ball about `point` that holds the teeth."""
    if wheel.kind is WheelKind.RACK:
        return wheel.present * math.pi * wheel.module / 2 + wheel.width
    return math.hypot(max(wheel.tip, wheel.root), wheel.width / 2)


def about(wheel: Wheel, point: Vector, direction: Vector) -> bool:
    """Whether a line is the wheel's axis."""
    away = point - wheel.point
    aside = float(np.linalg.norm(away - wheel.axis * (away @ wheel.axis)))
    return abs(float(wheel.axis @ direction)) > math.cos(PARALLEL_SHAFTS) and aside < 0.2 * wheel.module + 1e-4

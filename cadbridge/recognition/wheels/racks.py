"""Racks: equal teeth along a line, with two families of parallel flanks that meet the line at the pressure angle.

The flanks of a rack are planes: at least five alike and parallel to each other, twice. They give the direction of the
face width, of the travel and out of the teeth; a section square to the width then has the teeth as its outline.
"""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector
from cadbridge.geometry import Face, Mesh, Shape
from cadbridge.recognition.wheels.wheel import DEEP, SURE, Wheel, WheelKind

Array = NDArray[np.float64]

LEAST_RACK_TEETH = 5
"""Teeth of a rack at least: fewer even faces are ribs, steps and slots. Tests: 4 | 8 (`test_racks`)."""

_FLANK_ANGLES = (8.0, 32.0)
"""Pressure angles (deg) that racks have; thread flanks and T-slots lie outside or have no second family."""

_EVEN_TEETH = 0.03
"""Of a pitch: how even the teeth of a rack stand; faces are exact. 54 machines: 1e-14 | 1.0."""


def find_racks(shape: Shape, mesh: Mesh) -> list[Wheel]:
    """The racks of a part, by its plane faces. Meshes without faces are not looked at."""
    families = _families(shape.faces)
    found = []
    for i, first in enumerate(families):
        for second in families[i + 1 :]:
            # A rack that is cut off beside a tooth has one flank more of one hand.
            if len(first) == len(second) or abs(len(first) - len(second)) == 1:
                rack = _rack(first, second, mesh)
                if rack is not None:
                    found.append(rack)
    return found


def _families(faces: tuple[Face, ...]) -> list[list[Face]]:
    """Planes of one normal and one area, five or more: flanks of one hand."""
    groups: dict[tuple[object, ...], list[Face]] = defaultdict(list)
    for face in faces:
        if face.kind == "plane" and face.direction is not None:
            groups[(*np.round(face.direction, 3).tolist(), f"{face.area:.2e}")].append(face)
    return [group for group in groups.values() if len(group) >= LEAST_RACK_TEETH]


def _rack(first: list[Face], second: list[Face], mesh: Mesh) -> Wheel | None:
    a, b = first[0].direction, second[0].direction
    assert a is not None
    assert b is not None
    side = np.cross(a, b)
    if np.linalg.norm(side) < math.sin(2 * math.radians(_FLANK_ANGLES[0])):
        return None  # one family, or fins with parallel sides
    side /= np.linalg.norm(side)
    normal = (a + b) / np.linalg.norm(a + b)
    across = np.cross(side, normal)
    angle = math.asin(min(1.0, abs(float(a @ normal))))
    if not math.radians(_FLANK_ANGLES[0]) < angle < math.radians(_FLANK_ANGLES[1]):
        return None
    stand = _even(np.array([f.centre for f in first]), across, normal)
    if stand is None:
        return None
    centres, pitch, travel = stand
    helix = math.asin(max(-1.0, min(1.0, float(np.cross(across, travel) @ normal))))
    both = np.concatenate([centres, [f.centre for f in second]])
    # Across the travel, not along the teeth: those of a helical rack are longer than it is wide.
    heights, sides = mesh.vertices @ normal, mesh.vertices @ np.cross(normal, travel)
    flank = float(np.mean(both @ normal))
    ends = _tip_and_root(heights, flank, pitch, len(first))
    if ends is None:
        return None
    tip, root = ends
    middle = both.mean(axis=0)
    middle = middle + normal * ((tip + root) / 2 - middle @ normal)
    at_teeth = sides[(heights > flank) & (np.abs(heights - flank) < 0.6 * pitch)]
    step, depth = pitch * math.cos(helix), tip - root
    module = step / math.pi
    deep = depth / module
    return Wheel(
        WheelKind.RACK, len(first), False, middle, travel, float(np.ptp(at_teeth)), depth / 2, -depth / 2, math.inf,
        module, len(first), angle, helix=helix, normal=normal,
        doubt="" if SURE <= deep <= DEEP else f"grooves: {deep:.2f} modules deep, a rack's teeth 2.25",
        evidence=(
            f"{len(first)} equal teeth at steps of {step * 1e3:.3f} mm",
            f"flanks of {math.degrees(angle):.1f}°, {deep:.2f} modules deep",
        ),
    )  # fmt: skip


def _even(centres: Array, across: Vector, normal: Vector) -> tuple[Array, float, Vector] | None:
    """Flanks (n, 3) in their order, their step and the direction of it; None where they do not stand evenly."""
    line = centres[-1] - centres[0]
    centres = centres[np.argsort(centres @ across)]
    steps = np.diff(centres, axis=0)
    mean = steps.mean(axis=0)
    pitch = float(np.median(np.linalg.norm(steps, axis=1)))
    off = max(float(np.abs(steps - mean).max()), abs(float(line @ normal)))
    return None if pitch <= 0 or off > _EVEN_TEETH * pitch else (centres, pitch, mean / np.linalg.norm(mean))


def _tip_and_root(heights: Array, flank: float, pitch: float, teeth: int) -> tuple[float, float] | None:
    """The heights of tips and roots about the middle of the flanks; None where the vertices show none.

    Corners of the flanks are where tips and roots are: the levels of many vertices next to the flanks' middle.
    """
    near = heights[np.abs(heights - flank) < 0.6 * pitch]
    levels, counts = np.unique(np.round(near / (1e-4 * pitch)), return_counts=True)
    often = np.sort(levels[counts >= 2 * teeth]) * 1e-4 * pitch
    above, below = often[often > flank], often[often < flank]
    return (float(above[-1]), float(below[0])) if len(above) and len(below) else None

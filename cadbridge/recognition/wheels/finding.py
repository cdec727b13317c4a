"""Wheels with teeth, counted on the shape: sections of a part across its axes.

    find_wheels(shape)    every wheel of a part, those that are not sure with the reason

In sections at several heights a wheel shows rings that enter and leave material at equal steps. Their number is the
number of teeth, whatever hub, keyway, holes or chamfers the wheel has; their turn with the height is the helix, their
change of radius the cone. Nothing is taken from names. All in m and rad, in the part's frame.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose
from cadbridge.geometry import Mesh, Shape
from cadbridge.recognition.faces.once import once_a_shape
from cadbridge.recognition.faces.sections import Cutter, across
from cadbridge.recognition.wheels.axes import candidate_axes, outward
from cadbridge.recognition.wheels.forms import LEAST_TEETH, LOOKS, bevel_wheel, cylindrical_wheel, in_modules
from cadbridge.recognition.wheels.helicoids import find_worm
from cadbridge.recognition.wheels.kinds import by_chance, hides
from cadbridge.recognition.wheels.racks import find_racks
from cadbridge.recognition.wheels.teeth import Band, bands
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

Array = NDArray[np.float64]

MOST_TRIANGLES = 500_000
"""Triangles of a mesh above which it is not cut: it would take a minute and more; a wheel of 200 teeth has far fewer.
54 machines have 3.1e5 and less."""

_HEIGHTS, _RINGS = 16, 12
"""How closely a part is looked at before anything is known of it."""
_CONE_MOVES, _LEAST_CONE = 0.3, math.radians(3)
"""Of the depth: how far the roots of a bevel move along its teeth, and rad of their cone, at least. A choice: moulded
wheels have a draft of 1° to 2°."""

_STEADY = 0.3
"""Of the mean slope of a bevel's roots: that from one section to the next, at least, in half of them. A choice."""

_FACETS = 0.55
"""Depth in modules below which teeth are the facets of a circle or a polygon: a hexagon has 0.41. 54 machines: 0.533 |
0.555, so a choice. Tests: 0.53 | 0.59 (`test_recognise`, `test_wheels`)."""


def _rebuilt(rows: Sequence[dict[str, Any]]) -> tuple[Wheel, ...]:
    """Wheels of the data of which `once_a_shape` keeps them."""
    return tuple(Wheel(**{**row, "kind": WheelKind(row["kind"])}) for row in rows)


@once_a_shape(_rebuilt)
def find_wheels(shape: Shape) -> tuple[Wheel, ...]:
    """All wheels of a part; those with a `doubt` are reported, not to be used. Empty for a part without teeth."""
    mesh = _mesh_to_cut(shape)
    if mesh is None or not len(mesh.triangles) or not np.isfinite(mesh.vertices).all() or not _may_have_teeth(shape):
        return ()
    mesh = outward(mesh)
    found = find_racks(shape, mesh)
    for point, direction in candidate_axes(shape, mesh):
        R_PA = across(direction)
        cutter = Cutter(mesh, point, R_PA)
        worm = find_worm(cutter)
        # A worm of five starts or more would be counted as a helical wheel of so many teeth.
        wheels = [worm] if worm else [_measured(cutter, group) for group in _groups(cutter)]
        for wheel in (w.moved(Pose(R_PA, point)) for w in wheels if w is not None):
            if not any(_same(wheel, other) for other in found):
                found.append(wheel)
    return tuple(w for w in found if w.sure or not (by_chance(w) or any(hides(o, w) for o in found if o is not w)))


def _mesh_to_cut(shape: Shape) -> Mesh | None:
    """The finest mesh of a part that is not too fine."""
    meshes = (mesh for mesh in (shape.fine, shape.coarse) if mesh is not None)
    return next((mesh for mesh in meshes if len(mesh.triangles) <= MOST_TRIANGLES), None)


def too_fine(shape: Shape) -> bool:
    """Whether a part is not looked at for teeth, since each of its meshes is too fine."""
    meshes = [mesh for mesh in (shape.coarse, shape.fine) if mesh is not None]
    return bool(meshes) and all(len(mesh.triangles) > MOST_TRIANGLES for mesh in meshes)


def _may_have_teeth(shape: Shape) -> bool:
    """Whether enough faces of a part are alike; faces of no simple kind may each hold many teeth."""
    if not shape.faces or any(face.kind == "other" for face in shape.faces):
        return True
    alike = Counter((face.kind, f"{face.area:.2e}") for face in shape.faces)
    return max(alike.values()) >= LEAST_TEETH


def _groups(cutter: Cutter) -> list[list[Band]]:
    """Bands of the same teeth in sections that follow one another: each group may be a wheel."""
    heights = cutter.heights(_HEIGHTS)
    open_groups: list[list[Band]] = []
    closed: list[list[Band]] = []
    for height in heights:
        fresh = [
            b for b in bands(cutter.section(height), float(height), LEAST_TEETH, _RINGS) if in_modules(b) > _FACETS
        ]
        still: list[list[Band]] = []
        for group in open_groups:
            match = next((b for b in fresh if _follows(group[-1], b)), None)
            if match is None:
                closed.append(group)
            else:
                group.append(match)
                fresh.remove(match)
                still.append(group)
        open_groups = still + [[band] for band in fresh]
    return closed + open_groups


def _follows(a: Band, b: Band) -> bool:
    step = (a.depth + b.depth) / 2  # a flat cone's teeth move by more than they are deep
    return a.teeth == b.teeth and a.inside == b.inside and a.low < b.high + step and b.low < a.high + step


def _measured(cutter: Cutter, group: list[Band]) -> Wheel | None:
    """A group of bands looked at closely; a wheel in the cutter's frame."""
    low, high = _ends(cutter, group)
    widest = max(group, key=lambda band: band.depth)
    if high - low < 1e-3 * widest.depth:  # a surface across the axis, without thickness
        return None
    sections = []
    # A little inside the ends: a section in the plane of a face has no outline of its own.
    for height in low + (high - low) * np.linspace(0.03, 0.97, LOOKS):
        found = bands(cutter.section(height), float(height), LEAST_TEETH, _RINGS, fine=True)
        sections += [
            b for b in found if b.teeth == widest.teeth and b.inside == widest.inside and in_modules(b) > _FACETS
        ]
    if len(sections) < LOOKS // 2:
        return None
    if _conical(sections):
        return bevel_wheel(cutter, sections, low, high)
    return cylindrical_wheel(cutter, sections, low, high)


def _ends(cutter: Cutter, group: list[Band]) -> tuple[float, float]:
    """The heights between which the teeth stand: levels of vertices, found by halving outward from the bands."""
    bounds = []
    for band, limit in ((group[0], cutter.low), (group[-1], cutter.high)):
        levels = cutter.levels(band.height, limit)
        good, bad = 0, len(levels) - 1  # teeth go on at least to level `good`, at most to level `bad`
        while bad - good > 0:
            middle = (good + bad) // 2
            height = (levels[middle] + levels[middle + 1]) / 2
            again = bands(cutter.section(height), height, LEAST_TEETH, _RINGS)
            if any(_follows(band, b) for b in again):
                good = middle + 1
            else:
                bad = middle
        bounds.append(float(levels[good]))
    return bounds[0], bounds[1]


def _conical(sections: list[Band]) -> bool:
    """Whether the roots move along the axis by more than the mesh's facets do, all one way."""
    heights = np.array([b.height for b in sections])
    root = np.array([b.root for b in sections])
    slope, _ = np.polyfit(heights, root, 1)
    moved = abs(slope) * (heights[-1] - heights[0])
    depth = max(b.depth for b in sections)
    # From one section to the next: where a hub ends, roots move once.
    steady = float(np.median(np.diff(root) / np.diff(heights))) / slope > _STEADY if slope else False
    return bool(steady and moved > _CONE_MOVES * depth and abs(slope) > math.tan(_LEAST_CONE))


def _same(a: Wheel, b: Wheel) -> bool:
    """Whether two finds are one wheel, seen about two of the candidate axes; beside its axis a sector shows others."""
    near = float(np.linalg.norm(a.point - b.point)) < 0.2 * max(a.width, a.module)
    sectors = a.present < a.teeth and b.present < b.teeth and abs(a.teeth - b.teeth) <= 0.1 * a.teeth
    return (a.teeth == b.teeth or sectors) and a.internal == b.internal and near and abs(float(a.axis @ b.axis)) > 0.999

"""Wheels with teeth, counted on the shape: sections of a part across its axes.

    find_wheels(shape)    every wheel of a part, those that are not sure with the reason

In sections at several heights a wheel shows rings that enter and leave material at equal steps. Their number is the
number of teeth, whatever hub, keyway, holes or chamfers the wheel has; their turn with the height is the helix, their
change of radius the cone. Nothing is taken from names. All in m and rad, in the part's frame.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Mesh, Shape
from cadbridge.frames import Matrix, Vector
from cadbridge.recognition.helicoids import find_helicoid
from cadbridge.recognition.profiles import read_flanks, usual_module
from cadbridge.recognition.racks import find_racks
from cadbridge.recognition.sections import Cutter, across
from cadbridge.recognition.teeth import Band, bands, comb_like
from cadbridge.recognition.wheel_axes import candidate_axes, outward
from cadbridge.recognition.wheel_kinds import Wheel, WheelKind, by_chance, hides, judged, rack_wheel, worm_or_thread

Array = NDArray[np.float64]

LEAST_TEETH = 5
"""Fewer teeth on a circle are spokes, lobes or slots far more often than a wheel; worms are found another way."""

MOST_TRIANGLES = 500_000
"""A mesh of more is not cut: it would take a minute and more, and a wheel of 200 teeth has far fewer."""
_HEIGHTS, _RINGS = 16, 12
"""How closely a part is looked at before anything is known of it."""
_LOOKS, _TURNS = 9, 60
"""Sections in which teeth are measured, and at most so many for their helix."""
_FACETS = 0.55
"""Depth in modules below which teeth are the facets of a circle or a polygon: a hexagon has 0.41."""
_STRAIGHT = math.radians(0.25)
"""A helix angle below this is that of a mesh's facets."""


def find_wheels(shape: Shape) -> tuple[Wheel, ...]:
    """All wheels of a part; those with a `doubt` are reported, not to be used. Empty for a part without teeth."""
    mesh = _mesh_to_cut(shape)
    if mesh is None or not len(mesh.triangles) or not np.isfinite(mesh.vertices).all() or not _may_have_teeth(shape):
        return ()
    mesh = outward(mesh)
    found = [rack_wheel(rack) for rack in find_racks(shape, mesh)]
    for point, direction in candidate_axes(shape, mesh):
        R_PA = across(direction)
        cutter = Cutter(mesh, point, R_PA)
        ridges = find_helicoid(cutter)
        wheels = [worm_or_thread(ridges)] if ridges else [_measured(cutter, group) for group in _groups(cutter)]
        for placed in (_placed(wheel, point, R_PA) for wheel in wheels if wheel is not None):
            if not any(_same(placed, other) for other in found):
                found.append(placed)
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
            b for b in bands(cutter.section(height), float(height), LEAST_TEETH, _RINGS) if _in_modules(b) > _FACETS
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


def _in_modules(band: Band) -> float:
    """The depth of a band's teeth in modules, the reference circle being about its middle."""
    return band.depth * band.teeth / (band.low + band.high)


def _measured(cutter: Cutter, group: list[Band]) -> Wheel | None:
    """A group of bands looked at closely; a wheel in the cutter's frame."""
    low, high = _ends(cutter, group)
    widest = max(group, key=lambda band: band.depth)
    if high - low < 1e-3 * widest.depth:  # a surface across the axis, without thickness
        return None
    sections = []
    for height in low + (high - low) * np.linspace(0.03, 0.97, _LOOKS):
        found = bands(cutter.section(height), float(height), LEAST_TEETH, _RINGS, fine=True)
        sections += [
            b for b in found if b.teeth == widest.teeth and b.inside == widest.inside and _in_modules(b) > _FACETS
        ]
    if len(sections) < _LOOKS // 2:
        return None
    if _conical(sections):
        return _bevel(sections, low, high)
    return _cylindrical(cutter, sections, low, high)


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
    return bool(moved > 0.3 * depth and abs(slope) > math.tan(math.radians(3)))


def _cylindrical(cutter: Cutter, sections: list[Band], low: float, high: float) -> Wheel | None:
    """A wheel with teeth on a cylinder: spur, helical or herringbone."""
    first = sections[0]
    inside, teeth = first.inside, first.teeth
    extreme = (min, max) if inside else (max, min)
    tip, root = extreme[0](b.tip for b in sections), float(np.median([b.root for b in sections]))
    lower, upper, phase = _leads(cutter, sections, low, high)
    lead = (lower + upper) / 2
    double = lower * upper < 0 and abs(abs(lower) - abs(upper)) < 0.2 * max(abs(lower), abs(upper))
    deepest = max(sections, key=lambda b: b.depth)
    flanks = read_flanks(deepest.profile, teeth, tip, root, inside, (abs(lower) + abs(upper)) / 2 if double else lead)
    helix = math.atan(flanks.reference * ((upper - lower) / 2 if double else lead))
    kind = WheelKind.SPUR
    if abs(helix) > _STRAIGHT:
        kind = WheelKind.HERRINGBONE if double else WheelKind.HELICAL
    wheel = Wheel(
        kind, teeth, inside, np.array([0.0, 0.0, (low + high) / 2]), np.array([0.0, 0.0, 1.0]), high - low, tip, root,
        flanks.reference, flanks.module, max(b.present for b in sections), flanks.pressure_angle, flanks.base,
        flanks.shift, 0.0 if kind is WheelKind.SPUR else helix, phase=phase,
    )  # fmt: skip
    # Where no flank says the module, the depth must not: it would be measured by itself.
    reference = flanks.reference if flanks.pressure_angle is not None else (tip + root) / 2
    return judged(wheel, deepest, abs(tip - root) * teeth / 2 / reference, len(sections))


def _leads(cutter: Cutter, sections: list[Band], low: float, high: float) -> tuple[float, float, float]:
    """(turn by height, rad/m, of the lower half, of the upper half, phase at the middle height) of the teeth.

    Sections follow one another by less than a module, so that even at 50° a tooth is not taken for its neighbour.
    """
    teeth, middle = sections[0].teeth, (low + high) / 2
    radius = float(np.median([b.profile[len(b.profile) // 2, 0] for b in sections]))
    step = 0.8 * 2 * radius / teeth
    count = int(np.clip(math.ceil((high - low) / step), _LOOKS, _TURNS))
    span = min(high - low, step * (count - 1)) * 0.97
    looked = []
    for height in middle + np.linspace(-span / 2, span / 2, count):
        comb = comb_like(cutter.section(height), radius, teeth, LEAST_TEETH)
        looked += [(height, comb.phase)] if comb is not None else []
    heights, phase = np.array(looked).T
    pitch = 2 * math.pi / teeth
    steps = np.mod(np.diff(phase) + pitch / 2, pitch) - pitch / 2
    turned = np.concatenate([[phase[0]], phase[0] + np.cumsum(steps)])
    half = len(heights) // 2
    lower = float(np.polyfit(heights[: half + 1], turned[: half + 1], 1)[0])
    upper = float(np.polyfit(heights[half:], turned[half:], 1)[0])
    at_middle = float(np.mod(np.interp(middle, heights, turned), pitch))
    if lower * upper > 0 or abs(abs(lower) - abs(upper)) > 0.2 * max(abs(lower), abs(upper)):
        lower = upper = float(np.polyfit(heights, turned, 1)[0])
    return lower, upper, at_middle


def _bevel(sections: list[Band], low: float, high: float) -> Wheel | None:
    """A wheel with teeth on a cone, from the lines that tips and roots draw in the plane through the axis."""
    heights = np.array([b.height for b in sections])
    tips, roots = np.array([b.tip for b in sections]), np.array([b.root for b in sections])
    slope = float(np.median(np.diff(roots) / np.diff(heights)))
    tip_slopes = np.diff(tips) / np.diff(heights)
    alike = tip_slopes[(tip_slopes * slope > 0) & (np.abs(tip_slopes) > 0.3 * abs(slope))]
    tip_slope = float(np.median(alike)) if len(alike) else slope
    root_cone, tip_cone = math.atan(abs(slope)), math.atan(abs(tip_slope))
    if tip_cone < root_cone:
        tip_cone = root_cone
    cone = root_cone + (tip_cone - root_cone) * 1.25 / 2.25
    way = -math.copysign(1.0, slope)
    apex = float(np.median(heights - roots / slope))
    end = int(np.argmax(tips))
    distance = math.cos(cone) * abs(apex - heights[end]) + math.sin(cone) * tips[end]
    reference = distance * math.sin(cone)
    first = sections[0]
    middle = min(sections, key=lambda b: abs(b.height - (low + high) / 2))
    wheel = Wheel(
        WheelKind.BEVEL, first.teeth, first.inside, np.array([0.0, 0.0, (low + high) / 2]), np.array([0.0, 0.0, way]),
        high - low, float(tips.max()), float(roots[end]), reference, usual_module(2 * reference / first.teeth),
        max(b.present for b in sections), cone=cone, apex=np.array([0.0, 0.0, apex]),
        phase=float(middle.profile[len(middle.profile) // 2, 2]),
    )  # fmt: skip
    # Where tips and roots are both cones, the plane cuts the teeth at the cone's angle.
    whole = [b for b, t in zip(sections[1:], tip_slopes * slope > 0, strict=True) if t] or sections
    best = max(whole, key=lambda b: len(b.profile))
    # Some draw an outline in a plane and draw it together to the apex, of the large end's size or of the back cone's.
    plane = _in_modules(best)
    depth = min(plane * math.cos(cone), plane, plane / math.cos(cone), key=lambda d: abs(d - 2.25))
    return judged(wheel, best, depth, len(sections))


def _placed(wheel: Wheel, point: Vector, R_PA: Matrix) -> Wheel:
    """A wheel of the cutter's frame in the part's."""
    axis = R_PA @ wheel.axis
    away = wheel.phase
    direction = R_PA @ np.array([math.cos(away), math.sin(away), 0.0])
    frame = across(axis)
    phase = math.atan2(float(direction @ frame[:, 1]), float(direction @ frame[:, 0]))
    return replace(
        wheel,
        point=point + R_PA @ wheel.point,
        axis=axis,
        apex=None if wheel.apex is None else point + R_PA @ wheel.apex,
        phase=phase,
    )


def _same(a: Wheel, b: Wheel) -> bool:
    """Whether two finds are one wheel, seen about two of the candidate axes."""
    near = float(np.linalg.norm(a.point - b.point)) < 0.2 * max(a.width, a.module)
    return a.teeth == b.teeth and a.internal == b.internal and near and abs(float(a.axis @ b.axis)) > 0.999

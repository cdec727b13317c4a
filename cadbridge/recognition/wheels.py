"""Wheels with teeth, counted on the shape: sections of a part across its axes.

    find_wheels(shape)    every wheel of a part, those that are not sure with the reason

In sections at several heights a wheel shows rings that enter and leave material at equal steps. Their number is the
number of teeth, whatever hub, keyway, holes or chamfers the wheel has; their turn with the height is the helix, their
change of radius the cone. Nothing is taken from names. All in m and rad, in the part's frame.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from cadbridge.assembly import Face, Mesh, Shape
from cadbridge.frames import Matrix, Vector
from cadbridge.polyhedron import volume_properties_of
from cadbridge.recognition.belts import pulley_of, sprocket_of
from cadbridge.recognition.helicoids import Helicoid, find_helicoid
from cadbridge.recognition.profiles import read_flanks, usual_module
from cadbridge.recognition.racks import Rack, find_racks
from cadbridge.recognition.sections import Cutter, across
from cadbridge.recognition.teeth import Band, bands, comb_like

Array = NDArray[np.float64]

LEAST_TEETH = 5
"""Fewer teeth on a circle are spokes, lobes or slots far more often than a wheel; worms are found another way."""

_AXES = 6
"""So many axes of a part are tried, those with most area and those with most faces about them."""
_HEIGHTS, _RINGS = 16, 12
"""How closely a part is looked at before anything is known of it."""
_LOOKS, _TURNS = 9, 60
"""Sections in which teeth are measured, and at most so many for their helix."""
_FACETS = 0.55
"""Depth in modules below which teeth are the facets of a circle or a polygon: a hexagon has 0.41."""
_SHORT, _SURE = 1.5, 1.62
"""Below the first, splines, serrations and knurls (1.0 to 1.4); a stub gear has 1.8, a gear 2.25."""
_SOCKET = 0.004
"""m; inner teeth on a smaller radius are those of a servo's horn or a hub, but where a pinion meshes with them."""
_THREAD = 1.95
"""A worm's ridges are 2.2 axial modules deep, an ISO metric thread's 1.7 to 1.9, a trapezoidal one's 1.6 to 1.9."""
_DEEP = 3.2
"""Above it, fins and blades."""
_STRAIGHT = math.radians(0.25)
"""A helix angle below this is that of a mesh's facets."""


class WheelKind(StrEnum):
    """What teeth belong to."""

    SPUR = "spur"
    HELICAL = "helical"
    HERRINGBONE = "herringbone"
    BEVEL = "bevel"
    RACK = "rack"
    WORM = "worm"
    THREAD = "thread"
    WORM_WHEEL = "worm_wheel"
    SPROCKET = "sprocket"
    PULLEY = "pulley"
    SPLINE = "spline"
    UNKNOWN = "unknown"


@dataclass(frozen=True, eq=False)
class Wheel:
    """Teeth about one axis of a part (a rack: along one direction), in the part's frame, m and rad.

    `teeth`: of the full circle (a worm's: its starts), None where they could not be counted; `present`: how many
    there are (fewer on a sector). `point` lies on the axis at the middle of the face width, `axis` is a unit vector;
    of a bevel it points to the apex, of a rack along its travel. `module`: normal; of a bevel at its large end.
    `reference`: radius of the reference circle (of a bevel at its large end). `helix`: right-hand positive.
    `cone`: half angle of a bevel's pitch cone. `apex`: where that has its tip. `normal`: of a rack, out of its teeth.
    `phase`: the angle of a tooth at `point` about `axis`, counted in the frame `sections.across(axis)`.
    `doubt`: why it is not sure to be a wheel, or not what its teeth are; empty where it is.
    """

    kind: WheelKind
    teeth: int | None
    internal: bool
    point: Vector
    axis: Vector
    width: float
    tip: float
    root: float
    reference: float
    module: float
    present: int = 0
    pressure_angle: float | None = None
    base: float | None = None
    shift: float | None = None
    helix: float = 0.0
    cone: float = 0.0
    apex: Vector | None = None
    normal: Vector | None = None
    phase: float = 0.0
    doubt: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def sure(self) -> bool:
        """Whether it may be used as a wheel."""
        return not self.doubt and self.teeth is not None

    @property
    def label(self) -> str:
        """The kind as reports name it: an inner wheel is `internal`, whatever its teeth."""
        return "internal" if self.internal else str(self.kind)


def find_wheels(shape: Shape) -> tuple[Wheel, ...]:
    """All wheels of a part; those with a `doubt` are reported, not to be used. Empty for a part without teeth."""
    mesh = shape.fine if shape.fine is not None else shape.coarse
    if mesh is None or not len(mesh.triangles) or not np.isfinite(mesh.vertices).all() or not _may_have_teeth(shape):
        return ()
    mesh = outward(mesh)
    found = [_rack(rack) for rack in find_racks(shape, mesh)]
    for point, direction in candidate_axes(shape, mesh):
        R_PA = across(direction)
        cutter = Cutter(mesh, point, R_PA)
        ridges = find_helicoid(cutter)
        wheels = [_worm(ridges)] if ridges else [_measured(cutter, group) for group in _groups(cutter)]
        for placed in (_placed(wheel, point, R_PA) for wheel in wheels if wheel is not None):
            if not any(_same(placed, other) for other in found):
                found.append(placed)
    return tuple(w for w in found if w.sure or not (_chance(w) or any(_hides(o, w) for o in found if o is not w)))


def _may_have_teeth(shape: Shape) -> bool:
    """Whether enough faces of a part are alike; faces of no simple kind may each hold many teeth."""
    if not shape.faces or any(face.kind == "other" for face in shape.faces):
        return True
    alike = Counter((face.kind, f"{face.area:.2e}") for face in shape.faces)
    return max(alike.values()) >= LEAST_TEETH


def outward(mesh: Mesh) -> Mesh:
    """The mesh with its triangles counter-clockwise from outside: an inverted solid is turned."""
    v = mesh.vertices - mesh.vertices.mean(axis=0)
    a, b, c = (v[mesh.triangles[:, i]] for i in range(3))
    if np.einsum("ij,ij->", a, np.cross(b, c)) >= 0:
        return mesh
    return Mesh(mesh.vertices, np.ascontiguousarray(mesh.triangles[:, ::-1]))


def candidate_axes(shape: Shape, mesh: Mesh) -> list[tuple[Vector, Vector]]:
    """Lines (point, direction) about which a part may have teeth, the likeliest first."""
    size = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    points, directions, areas = [], [], []
    for face in shape.faces:
        if face.direction is not None and face.kind != "plane":
            points.append(face.point)
            directions.append(face.direction)
            areas.append(face.area)
    picked = _clustered(np.array(points), np.array(directions), np.array(areas), size) if points else []
    lone = _principal_axis(shape, mesh)
    picked += _hull_axes(shape.faces, mesh, None if lone is None else lone[1])
    picked += [lone] if lone is not None else []
    kept: list[tuple[Vector, Vector]] = []
    for point, direction in picked:
        if not any(_one_line(point, direction, p, d, size) for p, d in kept):
            kept.append((point, direction))
    return kept


def _clustered(points: Array, directions: Array, areas: Array, size: float) -> list[tuple[Vector, Vector]]:
    """The lines that most area, and most faces, have as their axis."""
    main = np.abs(directions).argmax(axis=1)
    directions = directions * np.sign(directions[np.arange(len(main)), main])[:, None]
    feet = points - directions * np.einsum("ij,ij->i", points, directions)[:, None]
    keys = np.round(np.concatenate([directions / 1e-3, feet / (2e-4 * size)], axis=1)).astype(np.int64)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    area, count = np.bincount(which, areas), np.bincount(which)
    best = list(dict.fromkeys([*np.argsort(-area)[:_AXES], *np.argsort(-count)[: _AXES // 2]]))
    return [(points[first[i]], directions[first[i]]) for i in best]


def _hull_axes(faces: tuple[Face, ...], mesh: Mesh, lone: Vector | None) -> list[tuple[Vector, Vector]]:
    """Axes through the middle of a round outline, seen along the largest planes' normals and the lone axis of inertia.

    A wheel or worm without a bore or shaft has no other face that knows its axis.
    """
    planes = sorted((f for f in faces if f.kind == "plane" and f.direction is not None), key=lambda f: -f.area)[:2]
    directions = [f.direction for f in planes if f.direction is not None] + ([] if lone is None else [lone])
    directions += [] if faces else list(np.eye(3))  # a mesh: most are drawn along an axis of their frame
    found = []
    for direction in directions:
        R_PA = across(direction)
        flat = (mesh.vertices @ R_PA)[:, :2]
        try:
            hull = flat[ConvexHull(flat).vertices]
        except QhullError:
            continue
        if len(hull) < LEAST_TEETH:
            continue
        system = np.column_stack([2 * hull, np.ones(len(hull))])
        x, y, rest = np.linalg.lstsq(system, (hull**2).sum(axis=1), rcond=None)[0]
        radius = math.sqrt(max(rest + x * x + y * y, 0.0))
        if np.abs(np.hypot(hull[:, 0] - x, hull[:, 1] - y) - radius).max() < 0.02 * radius:
            found.append((R_PA @ np.array([x, y, 0.0]), np.asarray(direction)))
    return found


def _principal_axis(shape: Shape, mesh: Mesh) -> tuple[Vector, Vector] | None:
    """The axis of inertia whose other two are equal, as about any wheel of three teeth or more."""
    if shape.brep is not None:
        com, inertia = shape.brep.com, shape.brep.inertia
    else:
        _, com, inertia = volume_properties_of(mesh.vertices, mesh.triangles)
    if not np.isfinite(inertia).all():
        return None
    values, vectors = np.linalg.eigh(inertia)
    lone = 0 if values[2] - values[1] < values[1] - values[0] else 2
    equal = abs(values[1] - values[2 - lone]) < 0.02 * abs(values[2])
    return (np.asarray(com), vectors[:, lone]) if equal else None


def _one_line(p: Vector, d: Vector, q: Vector, e: Vector, size: float) -> bool:
    """Whether two lines are one, within what a count of teeth bears."""
    away = (q - p) - d * ((q - p) @ d)
    return abs(float(d @ e)) > 1 - 1e-6 and float(np.linalg.norm(away)) < 1e-4 * size


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
    return _judged(wheel, deepest, abs(tip - root) * teeth / 2 / reference, len(sections))


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
    return _judged(wheel, best, depth, len(sections))


def _rack(rack: Rack) -> Wheel:
    """A rack as wheel: its tips and roots are heights along its normal from the middle of its teeth."""
    module = rack.pitch / math.pi
    depth = (rack.tip - rack.root) / module
    doubt = "" if _SURE <= depth <= _DEEP else f"grooves: {depth:.2f} modules deep, a rack's teeth 2.25"
    evidence = (
        f"{rack.teeth} equal teeth at steps of {rack.pitch * 1e3:.3f} mm",
        f"flanks of {math.degrees(rack.angle):.1f}°, {depth:.2f} modules deep",
    )
    return Wheel(
        WheelKind.RACK, rack.teeth, False, rack.middle, rack.travel, rack.width, rack.tip, rack.root, math.inf, module,
        rack.teeth, rack.angle, helix=rack.helix, normal=rack.normal, doubt=doubt, evidence=evidence,
    )  # fmt: skip


def _worm(ridges: Helicoid) -> Wheel:
    """A worm, or the doubt that a thread is; its normal module by its axial pitch and lead."""
    axial = ridges.pitch / math.pi
    depth = (ridges.tip - ridges.root) / axial
    reference = ridges.tip - axial
    helix = math.atan(reference * ridges.rate)
    degrees = math.degrees(ridges.flank)
    kind, doubt = WheelKind.WORM, ""
    if 27 < degrees < 33 and depth < 2.05:
        kind, doubt = WheelKind.THREAD, f"screw thread: flanks of {degrees:.0f}°, {depth:.2f} modules deep"
    elif depth < _THREAD and 13 < degrees < 17:
        kind, doubt = WheelKind.THREAD, f"lead screw: flanks of {degrees:.0f}°, {depth:.2f} modules deep"
    elif not (_THREAD <= depth < _DEEP and 10 < degrees < 31 and 0.3 < ridges.thickness < 0.7):
        kind, doubt = (
            WheelKind.THREAD,
            (f"thread or auger: flanks of {degrees:.0f}°, {depth:.2f} modules deep; a worm has 14.5 to 25° and 2.2"),
        )
    evidence = (
        f"{ridges.starts} ridges turn evenly, a lead of {ridges.pitch * ridges.starts * 1e3:.3f} mm",
        f"flanks of {degrees:.1f}° in a plane through the axis, {depth:.2f} axial modules deep",
    )
    return Wheel(
        kind, ridges.starts, False, np.array([0.0, 0.0, (ridges.low + ridges.high) / 2]), np.array([0.0, 0.0, 1.0]),
        ridges.high - ridges.low, ridges.tip, ridges.root, reference, axial * abs(math.sin(helix)), ridges.starts,
        math.atan(math.tan(ridges.flank) * abs(math.sin(helix))), helix=helix, phase=ridges.phase, doubt=doubt,
        evidence=evidence,
    )  # fmt: skip


def _judged(wheel: Wheel, band: Band, depth: float, looks: int) -> Wheel:
    """The wheel with its evidence, and with a doubt where its teeth (`depth` in modules) are not those of a gear."""
    shares, phases = band.profile[:, 1], band.profile[:, 2]
    middle = float(shares[len(shares) // 2])
    pitch = 2 * math.pi / band.teeth
    drift = np.mod(phases - phases[len(phases) // 2] + pitch / 2, pitch) - pitch / 2
    drift = float(np.abs(drift[len(drift) // 10 : -(len(drift) // 10) or None]).max() / pitch)
    thinning = float(shares[-len(shares) // 8] - shares[len(shares) // 8]) * (1 if band.inside else -1)
    evidence = (
        f"{band.teeth} equal teeth in {looks} sections",
        f"{depth:.2f} modules deep, {middle:.2f} of the pitch thick at half depth",
    )
    named = _belt_or_chain(wheel, band)
    if named is not None:
        return replace(wheel, kind=named[0], doubt="", evidence=(*evidence, named[1]))
    doubt, kind = "", wheel.kind
    if depth < _SHORT and wheel.kind is not WheelKind.HERRINGBONE:  # no spline has two hands
        kind, doubt = (
            WheelKind.SPLINE,
            f"spline, serration or knurl: its teeth are {depth:.2f} modules deep, a gear's 1.8 to 2.5",
        )
    elif depth > _DEEP:
        kind, doubt = WheelKind.UNKNOWN, f"ribs, fins or blades: {depth:.2f} modules deep, a gear's teeth 1.8 to 2.5"
    elif not 0.28 < middle < 0.72:
        kind, doubt = (
            WheelKind.UNKNOWN,
            f"slots or fins: {middle:.2f} of the pitch is material at half depth, about 0.5 of a gear",
        )
    elif drift > 0.06:
        kind, doubt = WheelKind.UNKNOWN, f"ratchet or blades: the teeth lean by {drift:.2f} of a pitch to one side"
    elif wheel.internal and wheel.tip < _SOCKET:
        kind, doubt = (
            WheelKind.SPLINE,
            f"socket of a splined shaft or servo: inner teeth on {2e3 * wheel.tip:.1f} mm",
        )
    elif thinning < (0.04 if wheel.kind is WheelKind.BEVEL else 0.12):
        kind, doubt = WheelKind.UNKNOWN, "slots: the teeth do not grow thinner towards their tips"
    elif wheel.present < band.teeth and wheel.pressure_angle is None and wheel.kind is not WheelKind.BEVEL:
        doubt = f"{wheel.present} of {band.teeth} teeth, whose flanks are no involutes"
    elif depth < _SURE and wheel.kind is not WheelKind.HERRINGBONE:
        doubt = f"teeth of {depth:.2f} modules are between those of splines and of gears"
    return replace(wheel, kind=kind, doubt=doubt, evidence=evidence)


def _belt_or_chain(wheel: Wheel, band: Band) -> tuple[WheelKind, str] | None:
    """Whether straight outer teeth have the measures of a sprocket or of a pulley; which, and for what."""
    if wheel.internal or wheel.kind is not WheelKind.SPUR or wheel.present != wheel.teeth:
        return None
    chain = sprocket_of(band.teeth, wheel.tip, wheel.root, band.profile)
    if chain is not None:
        return WheelKind.SPROCKET, f"its roots are seats for the rollers of chain {chain}"
    belt = None if _gear_like(wheel) else pulley_of(band.teeth, wheel.tip, wheel.root)
    return None if belt is None else (WheelKind.PULLEY, f"its outer circle and grooves are those for belt {belt}")


def _gear_like(wheel: Wheel) -> bool:
    """Whether the flanks are involutes of a gear's depth: then a belt's measures are chance."""
    return wheel.pressure_angle is not None and abs(wheel.tip - wheel.root) > _SURE * wheel.module


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


def _chance(wheel: Wheel) -> bool:
    """Whether a doubtful find is a few edges that happen to stand at even steps about an axis."""
    return bool(wheel.doubt) and wheel.present < (wheel.teeth or 0)


def _hides(a: Wheel, b: Wheel) -> bool:
    """Whether a doubtful find is but an edge of another of as many teeth on the same axis."""
    away = b.point - a.point
    aside = float(np.linalg.norm(away - a.axis * (away @ a.axis)))
    return (
        a.teeth == b.teeth and abs(float(a.axis @ b.axis)) > 0.999 and aside < 0.1 * a.tip and b.width < 0.5 * a.width
    )


def _same(a: Wheel, b: Wheel) -> bool:
    """Whether two finds are one wheel, seen about two of the candidate axes."""
    near = float(np.linalg.norm(a.point - b.point)) < 0.2 * max(a.width, a.module)
    return a.teeth == b.teeth and a.internal == b.internal and near and abs(float(a.axis @ b.axis)) > 0.999

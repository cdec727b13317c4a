"""Whether two wheels mesh where they stand, and as what."""

from __future__ import annotations

import math

import numpy as np

from cadbridge.assembly import CouplingKind
from cadbridge.frames import Vector
from cadbridge.recognition.placed_wheels import PARALLEL_SHAFTS, MeshingPair, PlacedWheel
from cadbridge.recognition.wheel_kinds import Wheel, WheelKind

LEAST_REACH = 0.3
"""Of the smaller depth: teeth that reach less far between each other do not mesh. 54 machines: 0.009 | 0.39.

Tests: 0.80 (`test_meshing`).
"""


INTO_ROOTS = 0.2
"""Modules by which teeth may run into the roots of others: meshes and assemblies as drawn are that far off.

The usual clearance there is 0.25. 54 machines: 0 | 44.
"""


_MODULE = 0.06
"""Modules of wheels that mesh agree within this share; those read from a mesh without involutes are that far off.

54 machines have 0.007 and less. Tests: 0.015 (`test_meshing`). The rest is a choice.
"""


_HELIX = math.radians(3)
"""rad by which the helix angles of two wheels may differ: an angle is read from a few sections of a mesh.

54 machines have 0 where wheels mesh. Tests: 0 | 0.70 (`test_meshing`).
"""


LEAST_OVERLAP = 0.15
"""Of the narrower face width: how much of it two wheels that mesh have beside each other. 54 machines: −0.3 | 0.29.

Tests: −2.3 | 1 (`test_meshing`).
"""


ROLLS_OUTSIDE = 0.1
"""Of the depth: how far outside of its teeth the circle may lie on which a wheel rolls. A choice: of wheels with much
profile shift it is near their tips or roots.
"""


CROSSED_AT = 0.6
"""Of the face width: how far from its middle the teeth of crossed wheels meet at most, half being its end. A choice."""


DEEPEST_TOOTH = 10.0
"""Modules beyond which no tooth is deep: pairs farther apart are not looked at, for time alone."""


_BEVEL_ANGLE = math.radians(7)
"""rad by which the pitch cone of a bevel wheel may differ from that of its ratio: tip cones are read, which differ by
some degrees.
"""


_BEVEL_APEX = 0.2
"""Of the cone distance: how far from where the axes meet an apex may be; it is read from short cones."""


CYLINDRICAL = (WheelKind.SPUR, WheelKind.HELICAL, WheelKind.HERRINGBONE, WheelKind.SPLINE, WheelKind.UNKNOWN)
"""Kinds that may mesh on parallel axes; the last two only prove to be wheels by a partner."""


def meshing_of(a: PlacedWheel, b: PlacedWheel) -> MeshingPair | None:
    """How two wheels mesh; None where they do not."""
    p, q = a.wheel, b.wheel
    kinds = {p.kind, q.kind}
    if WheelKind.RACK in kinds:
        if p.kind is WheelKind.RACK:
            a, b = b, a
        return None if a.wheel.kind not in CYLINDRICAL or a.wheel.internal else _rack_pinion(a, b)
    if kinds == {WheelKind.BEVEL}:
        return _bevels(a, b)
    angle = math.acos(min(1.0, abs(float(p.axis @ q.axis))))
    # A pinion of few teeth has the measures of a sprocket: its partner says which it is.
    pinion = [w for w in (p, q) if w.kind is WheelKind.SPROCKET and w.pressure_angle is not None]
    if angle < PARALLEL_SHAFTS and len(pinion) < 2 and kinds <= {*CYLINDRICAL, *(w.kind for w in pinion)}:
        return _parallel(a, b)
    if angle > math.radians(15):
        if q.kind is WheelKind.WORM:
            a, b = b, a
        if a.wheel.kind is WheelKind.WORM and b.wheel.kind in (*CYLINDRICAL, WheelKind.WORM_WHEEL):
            return _crossed(a, b, CouplingKind.WORM)
        if kinds == {WheelKind.HELICAL} and not (p.internal or q.internal):
            return _crossed(a, b, CouplingKind.CROSSED_HELICAL)
    return None


def _parallel(a: PlacedWheel, b: PlacedWheel) -> MeshingPair | None:
    """Outer wheels, or an outer and an inner one, on parallel axes."""
    if a.wheel.internal and b.wheel.internal:
        return None
    if a.wheel.internal or (not b.wheel.internal and (b.wheel.teeth or 0) < (a.wheel.teeth or 0)):
        a, b = b, a
    p, q = a.wheel, b.wheel
    z, y = p.teeth or 0, q.teeth or 0
    apart = q.point - p.point
    along = float(apart @ p.axis)
    distance = float(np.linalg.norm(apart - along * p.axis))
    sign = -1 if q.internal else 1
    if y + sign * z == 0 or sign * y + z == 0 or (q.internal and y <= z):
        return None
    unit = distance / (z + y) if sign > 0 else distance / (y - z)  # half the working module
    if not (_rolls(p, unit * z) and _rolls(q, unit * y)) or not _reaches(p, q, distance):
        return None
    overlap = (p.width + q.width) / 2 - abs(along)
    if overlap < LEAST_OVERLAP * min(p.width, q.width):
        return None
    doubts = _disagreements(p, q, sign)
    # Module and helix of a wheel in doubt are read from flanks that may be none: they are no witness against it.
    if doubts and (p.sure and q.sure):
        return None
    confidence = 0.95 if p.sure and q.sure else 0.7
    return MeshingPair(
        CouplingKind.INTERNAL if q.internal else CouplingKind.SPUR, a, b, y / z, distance, confidence,
        (
            f"{z} and {y} teeth, axes {distance * 1e3:.3f} mm apart,"
            f" {(sign * p.reference + q.reference) * 1e3:.3f} mm by their reference circles",
            f"face widths overlap by {min(overlap, p.width, q.width) * 1e3:.2f} mm",
        ),
    )  # fmt: skip


def _rolls(wheel: Wheel, radius: float) -> bool:
    """Whether a circle that rolls lies within the wheel's teeth."""
    low, high = min(wheel.tip, wheel.root), max(wheel.tip, wheel.root)
    beyond = ROLLS_OUTSIDE * (high - low)
    return low - beyond <= radius <= high + beyond


def _reaches(p: Wheel, q: Wheel, distance: float) -> bool:
    """Whether teeth reach between each other, and no tip deep into a root."""
    depth = min(abs(p.tip - p.root), abs(q.tip - q.root))
    slack = INTO_ROOTS * max(p.module, depth / 2.25)
    if q.internal:
        reach, bottom = distance + p.tip - q.tip, q.root - distance - p.tip
        other = q.tip - distance - p.root
    else:
        reach, bottom = p.tip + q.tip - distance, distance - p.tip - q.root
        other = distance - q.tip - p.root
    return reach > LEAST_REACH * depth and bottom > -slack and other > -slack


def _disagreements(p: Wheel, q: Wheel, sign: int) -> list[str]:
    """What of the flanks keeps two wheels on parallel axes from meshing: base pitches (or modules) and helices."""
    found = []
    # Involutes roll on each other by equal base pitches, whatever module and pressure angle each was named by.
    if p.base and q.base and p.teeth and q.teeth:
        pitches = p.base / p.teeth, q.base / q.teeth
    else:
        pitches = p.module, q.module
    if abs(pitches[0] / pitches[1] - 1) > _MODULE:
        found.append("modules")
    if p.kind is WheelKind.HERRINGBONE or q.kind is WheelKind.HERRINGBONE:
        if p.kind != q.kind:
            found.append("helices")
    # Outer wheels that mesh have opposite hands, a ring that of its pinion.
    elif abs(p.helix + sign * q.helix) > _HELIX:
        found.append("helices")
    return found


def _bevels(a: PlacedWheel, b: PlacedWheel) -> MeshingPair | None:
    """Bevels whose axes meet where both cones have their tip, and whose cones touch."""
    if (b.wheel.teeth or 0) < (a.wheel.teeth or 0):
        a, b = b, a
    p, q = a.wheel, b.wheel
    gap, meet = meeting(p, q)
    if meet is None or p.apex is None or q.apex is None:
        return None
    cone_a, cone_b = p.reference / math.sin(p.cone), q.reference / math.sin(q.cone)
    shafts = math.acos(max(-1.0, min(1.0, float(p.axis @ q.axis))))
    z, y = p.teeth or 1, q.teeth or 1
    pitch_a = math.atan2(math.sin(shafts), y / z + math.cos(shafts))
    close = all(
        float(np.linalg.norm(w.apex - meet)) < _BEVEL_APEX * c
        for w, c in ((p, cone_a), (q, cone_b))
        if w.apex is not None
    )
    cones = abs(p.cone - pitch_a) < _BEVEL_ANGLE and abs(q.cone - (shafts - pitch_a)) < _BEVEL_ANGLE
    sizes = abs(math.log((p.reference / z) / (q.reference / y))) < 2 * _MODULE and abs(math.log(cone_a / cone_b)) < 0.15
    if gap > 0.5 * p.module or not (close and cones and sizes):
        return None
    return MeshingPair(
        CouplingKind.BEVEL, a, b, y / z, 0.0, 0.95 if p.sure and q.sure else 0.7,
        (
            f"{z} and {y} teeth, axes meet at {math.degrees(shafts):.1f}°",
            f"pitch cones of {math.degrees(p.cone):.1f}° and {math.degrees(q.cone):.1f}°,"
            f" {math.degrees(pitch_a):.1f}° and {math.degrees(shafts - pitch_a):.1f}° by the teeth",
        ),
    )  # fmt: skip


def meeting(p: Wheel, q: Wheel) -> tuple[float, Vector | None]:
    """(distance of two axes, the point midway between them); None for parallel ones."""
    normal = np.cross(p.axis, q.axis)
    square = float(normal @ normal)
    if square < 1e-4:
        return math.inf, None
    apart = q.point - p.point
    along_p = float(np.cross(apart, q.axis) @ normal) / square
    along_q = float(np.cross(apart, p.axis) @ normal) / square
    on_p, on_q = p.point + along_p * p.axis, q.point + along_q * q.axis
    return float(np.linalg.norm(on_p - on_q)), (on_p + on_q) / 2


def _crossed(a: PlacedWheel, b: PlacedWheel, kind: CouplingKind) -> MeshingPair | None:
    """A worm with its wheel, or two helical wheels, on axes that neither meet nor are parallel."""
    p, q = a.wheel, b.wheel
    distance, middle = meeting(p, q)
    if middle is None or not _reaches(p, q, distance):
        return None
    if (
        abs(float((middle - p.point) @ p.axis)) > CROSSED_AT * p.width
        or abs(float((middle - q.point) @ q.axis)) > CROSSED_AT * q.width
    ):
        return None
    worm = kind is CouplingKind.WORM
    if worm:
        pitches = p.module / max(abs(math.sin(p.helix)), 1e-6), 2 * q.reference / (q.teeth or 1)
    else:
        pitches = p.module, q.module
        shafts = math.acos(min(1.0, abs(float(p.axis @ q.axis))))
        if abs(abs(p.helix + q.helix) - shafts) > 2 * _HELIX:
            return None
    if abs(pitches[0] / pitches[1] - 1) > 1.5 * _MODULE:
        return None
    name = "starts" if worm else "teeth"
    return MeshingPair(
        kind, a, b, (q.teeth or 1) / (p.teeth or 1), distance, 0.9 if p.sure and q.sure else 0.6,
        (f"{p.teeth} {name} and {q.teeth} teeth, axes {distance * 1e3:.3f} mm apart, crossed",),
    )  # fmt: skip


def _rack_pinion(a: PlacedWheel, b: PlacedWheel) -> MeshingPair | None:
    """A pinion on a rack; the rack's tips and roots are heights along its normal from its point."""
    p, rack = a.wheel, b.wheel
    if rack.normal is None:
        return None
    side = np.cross(rack.axis, rack.normal)
    # A helical pinion may stand aslant, by up to 45°, on a straight rack; never out of its plane.
    if abs(float(p.axis @ side)) < math.cos(math.radians(46)) or abs(float(p.axis @ rack.normal)) > math.sin(
        PARALLEL_SHAFTS
    ):
        return None
    apart = p.point - rack.point
    height = float(apart @ rack.normal)
    depth = min(abs(p.tip - p.root), abs(rack.tip - rack.root))
    slack = INTO_ROOTS * rack.module
    reach, bottom = rack.tip + p.tip - height, height - p.tip - rack.root
    other = height - p.root - rack.tip
    length = rack.present * math.pi * rack.module
    inside = abs(float(apart @ rack.axis)) < length / 2 + p.tip
    overlap = (p.width + rack.width) / 2 - abs(float(apart @ side))
    if reach < LEAST_REACH * depth or min(bottom, other) < -slack or not inside or overlap <= 0:
        return None
    if abs(p.module / rack.module - 1) > _MODULE:
        return None
    return MeshingPair(
        CouplingKind.RACK_PINION, a, b, 0.0, height, 0.9 if p.sure and rack.sure else 0.6,
        (f"{p.teeth} teeth, {height * 1e3:.3f} mm above the middle of a rack of module {rack.module * 1e3:.3f} mm",),
    )  # fmt: skip

"""Whether two wheels mesh where they stand, and as what."""

from __future__ import annotations

import math

import numpy as np

from cadbridge.assembly import CouplingKind
from cadbridge.recognition.wheels.crossed_axes import bevels, crossed
from cadbridge.recognition.wheels.kinds import Wheel, WheelKind
from cadbridge.recognition.wheels.placed import (
    INTO_ROOTS,
    LEAST_OVERLAP,
    LEAST_REACH,
    PARALLEL_SHAFTS,
    SAME_HELIX,
    SAME_MODULE,
    MeshingPair,
    PlacedWheel,
    beside,
    reaches,
)

ROLLS_OUTSIDE = 0.1
"""Of the depth: how far outside of its teeth the circle may lie on which a wheel rolls. A choice: of wheels with much
profile shift it is near their tips or roots."""

MOST_ASLANT = math.radians(46)
"""rad by which a helical pinion may stand aslant on a straight rack, 45° and rounding; never out of its plane."""

LEAST_CROSSING = math.radians(15)
"""rad between axes from which wheels are crossed ones: of less a helical pair shows nothing. A choice."""

DEEPEST_TOOTH = 10.0
"""Modules beyond which no tooth is deep: pairs farther apart are not looked at, for time alone."""

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
        return bevels(a, b)
    angle = math.acos(min(1.0, abs(float(p.axis @ q.axis))))
    # A pinion of few teeth has the measures of a sprocket: its partner says which it is.
    pinion = [w for w in (p, q) if w.kind is WheelKind.SPROCKET and w.pressure_angle is not None]
    if angle < PARALLEL_SHAFTS and len(pinion) < 2 and kinds <= {*CYLINDRICAL, *(w.kind for w in pinion)}:
        return _parallel(a, b)
    if angle > LEAST_CROSSING:
        if q.kind is WheelKind.WORM:
            a, b = b, a
        if a.wheel.kind is WheelKind.WORM and b.wheel.kind in (*CYLINDRICAL, WheelKind.WORM_WHEEL):
            return crossed(a, b, CouplingKind.WORM)
        if kinds == {WheelKind.HELICAL} and not (p.internal or q.internal):
            return crossed(a, b, CouplingKind.CROSSED_HELICAL)
    return None


def _parallel(a: PlacedWheel, b: PlacedWheel) -> MeshingPair | None:
    """Outer wheels, or an outer and an inner one, on parallel axes."""
    if a.wheel.internal and b.wheel.internal:
        return None
    if a.wheel.internal or (not b.wheel.internal and (b.wheel.teeth or 0) < (a.wheel.teeth or 0)):
        a, b = b, a
    p, q = a.wheel, b.wheel
    z, y = p.teeth or 0, q.teeth or 0
    distance, overlap = beside(p, q)
    sign = -1 if q.internal else 1
    if y + sign * z == 0 or sign * y + z == 0 or (q.internal and y <= z):
        return None
    unit = distance / (z + y) if sign > 0 else distance / (y - z)  # half the working module
    if not (_rolls(p, unit * z) and _rolls(q, unit * y)) or not reaches(p, q, distance):
        return None
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


def _disagreements(p: Wheel, q: Wheel, sign: int) -> list[str]:
    """What of the flanks keeps two wheels on parallel axes from meshing: base pitches (or modules) and helices."""
    found = []
    # Involutes roll on each other by equal base pitches, whatever module and pressure angle each was named by.
    if p.base and q.base and p.teeth and q.teeth:
        pitches = p.base / p.teeth, q.base / q.teeth
    else:
        pitches = p.module, q.module
    if abs(pitches[0] / pitches[1] - 1) > SAME_MODULE:
        found.append("modules")
    if p.kind is WheelKind.HERRINGBONE or q.kind is WheelKind.HERRINGBONE:
        if p.kind != q.kind:
            found.append("helices")
    # Outer wheels that mesh have opposite hands, a ring that of its pinion.
    elif abs(p.helix + sign * q.helix) > SAME_HELIX:
        found.append("helices")
    return found


def _rack_pinion(a: PlacedWheel, b: PlacedWheel) -> MeshingPair | None:
    """A pinion on a rack; the rack's tips and roots are heights along its normal from its point."""
    p, rack = a.wheel, b.wheel
    if rack.normal is None:
        return None
    side = np.cross(rack.axis, rack.normal)
    if abs(float(p.axis @ side)) < math.cos(MOST_ASLANT) or abs(float(p.axis @ rack.normal)) > math.sin(
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
    if abs(p.module / rack.module - 1) > SAME_MODULE:
        return None
    return MeshingPair(
        CouplingKind.RACK_PINION, a, b, 0.0, height, 0.9 if p.sure and rack.sure else 0.6,
        (f"{p.teeth} teeth, {height * 1e3:.3f} mm above the middle of a rack of module {rack.module * 1e3:.3f} mm",),
    )  # fmt: skip

"""What teeth belong to: a gear, worm, rack, belt or chain; or why that is not sure, with the measure that says so."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from cadbridge.frames import Vector
from cadbridge.recognition.wheels.belts import pulley_of, sprocket_of
from cadbridge.recognition.wheels.helicoids import Helicoid
from cadbridge.recognition.wheels.racks import Rack
from cadbridge.recognition.wheels.teeth import Band

_SHORT, _SURE = 1.5, 1.62
"""Below the first, splines, serrations and knurls (1.0 to 1.4); a stub gear has 1.8, a gear 2.25."""
_SOCKET = 0.004
"""m; inner teeth on a smaller radius are those of a servo's horn or a hub, but where a pinion meshes with them. 54
machines: 0.0027 | 0.037. Tests: 0.0025 | 0.028 (`test_wheels`)."""

_THREAD = 1.95
"""A worm's ridges are 2.2 axial modules deep, an ISO metric thread's 1.7 to 1.9, a trapezoidal one's 1.6 to 1.9. Tests:
1.6 | 2.2 (`test_wheels`)."""

_DEEP = 3.2
"""Modules of depth above which teeth are fins and blades. 54 machines: 2.7 | 3.7; a gear has 2.25."""

_ISO_FLANKS, _ISO_DEPTH = (27.0, 33.0), 2.05
"""Half angle (deg) and depth (modules) of threads of ISO 68 and UN: 30°, and less than a worm's 2.2."""

_TRAPEZOIDS = (13.0, 17.0)
"""Half angle (deg) of the flanks of lead screws: ISO 2901 has 15°, ACME 14.5°."""

_WORM_FLANKS, _WORM_RIDGE = (10.0, 31.0), (0.3, 0.7)
"""Half angle (deg) of a worm's flanks, 14.5 to 25 by the standards, and share of the pitch that is ridge, some 0.5."""

_GEAR_THICKNESS = (0.28, 0.72)
"""Share of the pitch that is material at half depth: a gear without shift and backlash has 0.5. A choice."""

_LEAN = 0.06
"""Of a pitch: how far teeth lean to one side at most, those of ratchets and blades do by far more. A choice."""

_THINNING, _BEVEL_THINNING = 0.12, 0.04
"""Of a pitch: how much thinner teeth are near their tips than near their roots, at least. A choice: sections across the
axis of a bevel cut its teeth aslant, and show less of it."""


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


def rack_wheel(rack: Rack) -> Wheel:
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


def worm_or_thread(ridges: Helicoid) -> Wheel:
    """A worm, or the doubt that a thread is; its normal module by its axial pitch and lead."""
    axial = ridges.pitch / math.pi
    depth = (ridges.tip - ridges.root) / axial
    reference = ridges.tip - axial
    helix = math.atan(reference * ridges.rate)
    degrees = math.degrees(ridges.flank)
    kind, doubt = WheelKind.WORM, ""
    if _ISO_FLANKS[0] < degrees < _ISO_FLANKS[1] and depth < _ISO_DEPTH:
        kind, doubt = WheelKind.THREAD, f"screw thread: flanks of {degrees:.0f}°, {depth:.2f} modules deep"
    elif depth < _THREAD and _TRAPEZOIDS[0] < degrees < _TRAPEZOIDS[1]:
        kind, doubt = WheelKind.THREAD, f"lead screw: flanks of {degrees:.0f}°, {depth:.2f} modules deep"
    elif not (_THREAD <= depth < _DEEP and _of_worm(ridges, degrees)):
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


def _of_worm(ridges: Helicoid, degrees: float) -> bool:
    """Whether ridges are shaped like a worm's: the slope of their flanks, and how thick they are."""
    slope = _WORM_FLANKS[0] < degrees < _WORM_FLANKS[1]
    return slope and _WORM_RIDGE[0] < ridges.thickness < _WORM_RIDGE[1]


def judged(wheel: Wheel, band: Band, depth: float, looks: int) -> Wheel:
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
    # Before the doubts of gears: a pulley's grooves are as shallow as a spline's, but have a standard's measures.
    named = _belt_or_chain(wheel, band)
    if named is not None:
        return replace(wheel, kind=named[0], doubt="", evidence=(*evidence, named[1]))
    kind, doubt = _no_gear(wheel, depth, middle, drift, thinning) or (wheel.kind, _doubt(wheel, band, depth))
    return replace(wheel, kind=kind, doubt=doubt, evidence=evidence)


def _no_gear(wheel: Wheel, depth: float, middle: float, drift: float, thinning: float) -> tuple[WheelKind, str] | None:
    """What a wheel is whose teeth are not those of a gear, and by what this is seen; None for a gear."""
    if depth < _SHORT and wheel.kind is not WheelKind.HERRINGBONE:  # no spline has two hands
        text = f"spline, serration or knurl: its teeth are {depth:.2f} modules deep, a gear's 1.8 to 2.5"
        return WheelKind.SPLINE, text
    if depth > _DEEP:
        return WheelKind.UNKNOWN, f"ribs, fins or blades: {depth:.2f} modules deep, a gear's teeth 1.8 to 2.5"
    if not _GEAR_THICKNESS[0] < middle < _GEAR_THICKNESS[1]:
        text = f"slots or fins: {middle:.2f} of the pitch is material at half depth, about 0.5 of a gear"
        return WheelKind.UNKNOWN, text
    if drift > _LEAN:
        return WheelKind.UNKNOWN, f"ratchet or blades: the teeth lean by {drift:.2f} of a pitch to one side"
    if wheel.internal and wheel.tip < _SOCKET:
        text = f"socket of a splined shaft or servo: inner teeth on {2e3 * wheel.tip:.1f} mm"
        return WheelKind.SPLINE, text
    if thinning < (_BEVEL_THINNING if wheel.kind is WheelKind.BEVEL else _THINNING):
        return WheelKind.UNKNOWN, "slots: the teeth do not grow thinner towards their tips"
    return None


def _doubt(wheel: Wheel, band: Band, depth: float) -> str:
    """Why the teeth of a gear may be none; "" without doubt."""
    if wheel.present < band.teeth and wheel.pressure_angle is None and wheel.kind is not WheelKind.BEVEL:
        return f"{wheel.present} of {band.teeth} teeth, whose flanks are no involutes"
    if depth < _SURE and wheel.kind is not WheelKind.HERRINGBONE:
        return f"teeth of {depth:.2f} modules are between those of splines and of gears"
    return ""


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


def by_chance(wheel: Wheel) -> bool:
    """Whether a doubtful find is a few edges that happen to stand at even steps about an axis."""
    return bool(wheel.doubt) and wheel.present < (wheel.teeth or 0)


def hides(a: Wheel, b: Wheel) -> bool:
    """Whether a doubtful find is but an edge of another of as many teeth on the same axis."""
    away = b.point - a.point
    aside = float(np.linalg.norm(away - a.axis * (away @ a.axis)))
    return (
        a.teeth == b.teeth and abs(float(a.axis @ b.axis)) > 0.999 and aside < 0.1 * a.tip and b.width < 0.5 * a.width
    )

"""What teeth belong to: a gear, worm, rack, belt or chain; or why that is not sure, with the measure that says so."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from cadbridge.recognition.wheels.belts import pulley_of, sprocket_of
from cadbridge.recognition.wheels.teeth import Band
from cadbridge.recognition.wheels.wheel import DEEP, SURE, Wheel, WheelKind

_SHORT = 1.5
"""Modules of depth below which teeth are those of splines, and no stub gear's."""

_SHALLOW = 1.0
"""Modules of depth below which the teeth of a sector are none of a gear: the printed teeth of grippers are stub ones. A
choice. Of a gripper: 1.43."""

_SOCKET = 0.004
"""m; inner teeth on a smaller radius are those of a servo's horn or a hub, but where a pinion meshes with them. 54
machines: 0.0027 | 0.037. Tests: 0.0025 | 0.028 (`test_wheels`)."""

_GEAR_THICKNESS = (0.28, 0.72)
"""Share of the pitch that is material at half depth: a gear without shift and backlash has 0.5. A choice."""

_LEAN = 0.06
"""Of a pitch: how far teeth lean to one side at most, those of ratchets and blades do by far more. A choice."""

_THINNING, _BEVEL_THINNING = 0.12, 0.04
"""Of a pitch: how much thinner teeth are near their tips than near their roots, at least. A choice: sections across the
axis of a bevel cut its teeth aslant, and show less of it."""


_SECTOR = 6
"""Teeth of a sector whose flanks are no involutes: fewer are edges that stand at even steps by chance. A choice."""


def judged(wheel: Wheel, band: Band, depth: float, looks: int) -> Wheel:
    """The wheel with its evidence, and with a doubt where its teeth (`depth` in modules) are not those of a gear."""
    shares, phases = band.profile[:, 1], band.profile[:, 2]
    middle = float(shares[len(shares) // 2])
    pitch = 2 * math.pi / band.teeth
    # A phase is known up to whole pitches, as the teeth are alike: the difference nearest to none.
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
    # No spline has two hands, and those that go but part of the way round are shallower than any gear.
    short = _SHORT if wheel.present == wheel.teeth else _SHALLOW
    if depth < short and wheel.kind is not WheelKind.HERRINGBONE:
        text = f"spline, serration or knurl: its teeth are {depth:.2f} modules deep, a gear's 1.8 to 2.5"
        return WheelKind.SPLINE, text
    if depth > DEEP:
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
    if depth < SURE and wheel.kind is not WheelKind.HERRINGBONE:
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
    return wheel.pressure_angle is not None and abs(wheel.tip - wheel.root) > SURE * wheel.module


def by_chance(wheel: Wheel) -> bool:
    """Whether a doubtful find is a few edges that happen to stand at even steps about an axis.

    A sector whose flanks or depth are in doubt is kept for a partner: grippers are drawn with stub and straight teeth.
    """
    like_a_gear = wheel.kind not in (WheelKind.SPLINE, WheelKind.UNKNOWN) and wheel.present >= _SECTOR
    return bool(wheel.doubt) and wheel.present < wheel.teeth and not like_a_gear


def hides(a: Wheel, b: Wheel) -> bool:
    """Whether a doubtful find is but an edge of another of as many teeth on the same axis."""
    away = b.point - a.point
    aside = float(np.linalg.norm(away - a.axis * (away @ a.axis)))
    return (
        a.teeth == b.teeth and abs(float(a.axis @ b.axis)) > 0.999 and aside < 0.1 * a.tip and b.width < 0.5 * a.width
    )

"""Wheels from the bands of teeth of a part: cylindrical and bevel."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cadbridge.recognition.faces.sections import Cutter
from cadbridge.recognition.wheels.flanks import DEDENDUM, TOOTH_DEPTH, read_flanks, usual_module
from cadbridge.recognition.wheels.kinds import judged
from cadbridge.recognition.wheels.teeth import Band, comb_like
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

Array = NDArray[np.float64]

LEAST_TEETH = 5
"""Fewer teeth on a circle are spokes, lobes or slots far more often than a wheel; worms are found another way."""

LOOKS, _MOST_LOOKS = 9, 60
"""Sections in which teeth are measured, and at most so many for their helix."""

_LEAST_LOOKS = 4
"""Sections that must show the teeth: each half of the width has a lead of its own, through two sections or more. Of a
wheel all show them; fewer are corners of something else that are spaced alike by chance."""

_HANDS_ALIKE = 0.2
"""Of the larger: how far the leads of the two hands of a herringbone may differ, each read from half of the sections. A
choice."""

_AT_LARGE_END = 0.03
"""Of the length of a bevel's cone: how far from its large end corners count as those of its tips. That end is square to
the pitch cone, some 3° off the roots': over the depth of a tooth 0.004. A choice."""

_STRAIGHT = math.radians(0.25)
"""rad; a helix angle below this is that of a mesh's facets. 54 machines: 0.0005 | 0.026. Tests: 0.0004 | 0.10
(`test_wheels_corpus`)."""


def in_modules(band: Band) -> float:
    """The depth of a band's teeth in modules, the reference circle being about its middle."""
    return band.depth * band.teeth / (band.low + band.high)


def cylindrical_wheel(cutter: Cutter, sections: list[Band], low: float, high: float) -> Wheel | None:
    """A wheel with teeth on a cylinder: spur, helical or herringbone."""
    first = sections[0]
    inside, teeth = first.inside, first.teeth
    extreme = (min, max) if inside else (max, min)
    tip, root = extreme[0](b.tip for b in sections), float(np.median([b.root for b in sections]))
    leads = _leads(cutter, sections, low, high)
    if leads is None:
        return None
    lower, upper = leads
    lead = (lower + upper) / 2
    double = lower * upper < 0 and abs(abs(lower) - abs(upper)) < _HANDS_ALIKE * max(abs(lower), abs(upper))
    deepest = max(sections, key=lambda b: b.depth)
    flanks = read_flanks(deepest.profile, teeth, tip, root, inside, (abs(lower) + abs(upper)) / 2 if double else lead)
    helix = math.atan(flanks.reference * ((upper - lower) / 2 if double else lead))
    kind = WheelKind.SPUR
    if abs(helix) > _STRAIGHT:
        kind = WheelKind.HERRINGBONE if double else WheelKind.HELICAL
    wheel = Wheel(
        kind, teeth, inside, np.array([0.0, 0.0, (low + high) / 2]), np.array([0.0, 0.0, 1.0]), high - low, tip, root,
        flanks.reference, flanks.module, max(b.present for b in sections), flanks.pressure_angle, flanks.base,
        0.0 if kind is WheelKind.SPUR else helix,
    )  # fmt: skip
    # Where no flank says the module, the depth must not: it would be measured by itself.
    reference = flanks.reference if flanks.pressure_angle is not None else (tip + root) / 2
    return judged(wheel, deepest, abs(tip - root) * teeth / 2 / reference, len(sections))


def _leads(cutter: Cutter, sections: list[Band], low: float, high: float) -> tuple[float, float] | None:
    """The turn of the teeth by height, rad/m, of their lower half and of their upper half.

    None where fewer than `_LEAST_LOOKS` sections show them. Sections follow one another by less than a module, so that
    even at 50° a tooth is not taken for its neighbour.
    """
    teeth, middle = sections[0].teeth, (low + high) / 2
    radius = float(np.median([b.profile[len(b.profile) // 2, 0] for b in sections]))
    step = 0.8 * 2 * radius / teeth
    count = int(np.clip(math.ceil((high - low) / step), LOOKS, _MOST_LOOKS))
    span = min(high - low, step * (count - 1)) * 0.97
    looked = []
    for height in middle + np.linspace(-span / 2, span / 2, count):
        comb = comb_like(cutter.section(height), radius, teeth, LEAST_TEETH)
        looked += [(height, comb.phase)] if comb is not None else []
    if len(looked) < _LEAST_LOOKS:
        return None
    heights, phase = np.array(looked).T
    pitch = 2 * math.pi / teeth
    steps = np.mod(np.diff(phase) + pitch / 2, pitch) - pitch / 2
    turned = np.concatenate([[phase[0]], phase[0] + np.cumsum(steps)])
    half = len(heights) // 2
    lower = float(np.polyfit(heights[: half + 1], turned[: half + 1], 1)[0])
    upper = float(np.polyfit(heights[half:], turned[half:], 1)[0])
    if lower * upper > 0 or abs(abs(lower) - abs(upper)) > _HANDS_ALIKE * max(abs(lower), abs(upper)):
        lower = upper = float(np.polyfit(heights, turned, 1)[0])
    return lower, upper


def bevel_wheel(cutter: Cutter, sections: list[Band], low: float, high: float) -> Wheel | None:
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
    way = -math.copysign(1.0, slope)
    apex = float(np.median(heights - roots / slope))
    end = int(np.argmax(tips))
    # Where tips and roots are both cones, the plane cuts the teeth at the cone's angle.
    whole = [b for b, t in zip(sections[1:], tip_slopes * slope > 0, strict=True) if t]
    first, deep = sections[0], 0.0
    cone = root_cone + (tip_cone - root_cone) * DEDENDUM / TOOTH_DEPTH
    if not whole and not first.inside:
        # A flat cone that is short beside its teeth: each plane leaves them by the back cone, short of their tips.
        deep = _depth_on(cutter, slope, apex, tips, heights)
        cone += math.atan(deep * DEDENDUM / TOOTH_DEPTH / math.hypot(roots[end], apex - heights[end]))
    distance = math.cos(cone) * abs(apex - heights[end]) + math.sin(cone) * tips[end]
    reference = distance * math.sin(cone)
    wheel = Wheel(
        WheelKind.BEVEL, first.teeth, first.inside, np.array([0.0, 0.0, (low + high) / 2]), np.array([0.0, 0.0, way]),
        high - low, float(tips.max()), float(roots[end]), reference, usual_module(2 * reference / first.teeth),
        max(b.present for b in sections), cone=cone, apex=np.array([0.0, 0.0, apex]),
    )  # fmt: skip
    if deep:
        return judged(wheel, max(sections, key=in_modules), deep * first.teeth / (2 * reference), len(sections))
    best = max(whole or sections, key=lambda b: len(b.profile))
    # Some draw an outline in a plane and draw it together to the apex, of the large end's size or of the back cone's.
    plane = in_modules(best)
    depth = min(plane * math.cos(cone), plane, plane / math.cos(cone), key=lambda d: abs(d - TOOTH_DEPTH))
    return judged(wheel, best, depth, len(sections))


def _depth_on(cutter: Cutter, slope: float, apex: float, tips: Array, heights: Array) -> float:
    """How far corners of teeth stand off the cone of their roots, m.

    The cone has the `slope` (radius by height) and its tip at the height `apex`. `tips` at `heights` lie on the large
    end: what is farther along the cone than these is no tooth.
    """
    angle, way = math.atan(abs(slope)), math.copysign(1.0, slope)

    def along(radius: Array, height: Array) -> Array:
        return way * (height - apex) * math.cos(angle) + radius * math.sin(angle)

    radius, height = np.hypot(*cutter.vertices[:, :2].T), cutter.vertices[:, 2]
    large = float(along(tips, heights).max())
    off = radius * math.cos(angle) - way * (height - apex) * math.sin(angle)
    return float(off[np.abs(along(radius, height) / large - 1) < _AT_LARGE_END].max(initial=0.0))

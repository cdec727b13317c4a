"""Worms and screw threads: a few ridges that turn about an axis with the height.

At a radius between root and tip each section shows as many arcs as there are starts, turned by 2π for each lead. The
axial pitch, the depth and the slope of the flanks distinguish a worm from a fastener's thread and from a lead screw.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cadbridge.recognition.contacts.contacts import FACETED
from cadbridge.recognition.faces.sections import Cutter, Ring
from cadbridge.recognition.wheels.wheel import DEEP, Wheel, WheelKind

Array = NDArray[np.float64]

_STARTS = 8
"""Starts that a worm or a lead screw has at most: rings of more arcs are those of teeth. A choice."""

_SECTION_STEP = 0.1
"""Of the depth: how far apart sections are; a worm turns by 0.07 of its pitch between two."""

_SLIVER = 0.12
"""rad; arcs and gaps narrower than this are facets: with eight starts both are 0.39 wide. Facets of any width are seen
in 54 machines (0.120 | 0.121); a screw of one start has arcs of some 3."""

_SECTIONS = 48
"""Sections over which ridges are followed at most: two or three turns of a worm, and the time of one part."""

_LINEAR = 0.04
"""Of a pitch: how far the ridges may be off an even turn. Spirals and springs of a changing pitch are no screws. 54
machines have 0.006 and less."""

_LOOKED_AT = (0.5, 0.3, 0.7)
"""Of the length: heights at which ridges are looked for, the first that shows some."""

_SHORT_OF_END = 1e-4
"""Of the length: how far short of the end of a part a section stands for it."""

_CORE, _RADII = 0.2, 60
"""Of the outer radius: what is nearer to the axis is no ridge; and radii between, for time alone."""

_RIDGE, _ALIKE = (0.08, 0.92), 0.06
"""Share of a circle that ridges take, and how far their widths and steps differ, in steps. A choice."""

_LEAST_TURN, _LEAST_PITCHES = 0.25, 1.2
"""Pitches by which ridges turn in the sections looked at, and by which they are long, at least. A choice."""

_STRAIGHT_FLANK = 0.25, 0.8
"""Of the depth: between the fillet and the crest a flank is straight. A choice."""

_THREAD = 1.95
"""A worm's ridges are 2.2 axial modules deep, an ISO metric thread's 1.7 to 1.9, a trapezoidal one's 1.6 to 1.9. Tests:
1.6 | 2.2 (`test_wheels`)."""

_ISO_FLANKS, _ISO_DEPTH = (27.0, 33.0), 2.05
"""Half angle (deg) and depth (modules) of threads of ISO 68 and UN: 30°, and less than a worm's 2.2."""

_TRAPEZOIDS = (13.0, 17.0)
"""Half angle (deg) of the flanks of lead screws: ISO 2901 has 15°, ACME 14.5°."""

_WORM_FLANKS, _WORM_RIDGE = (10.0, 31.0), (0.3, 0.7)
"""Half angle (deg) of a worm's flanks, 14.5 to 25 by the standards, and share of the pitch that is ridge, some 0.5."""


def find_worm(cutter: Cutter) -> Wheel | None:
    """The ridges about the axis of a part that is cut at heights along it: a worm, or the doubt that a thread is.

    None where there are none. In the cutter's frame.
    """
    # A collar or an undercut may stand at one of these heights.
    for share in _LOOKED_AT:
        height = cutter.low + share * (cutter.high - cutter.low)
        start = _ridges(cutter, height)
        if start is not None:
            found = _followed(cutter, height, *start)
            if found is not None:
                return found
    return None


def _ridges(cutter: Cutter, height: float) -> tuple[int, float, float] | None:
    """(starts, root, tip) in one section: equal arcs between a full circle and air."""
    section = cutter.section(height)
    if section.empty:
        return None
    outer = float(section.rb.max())
    radii = np.linspace(_CORE * outer, FACETED * outer, _RADII)
    rings = section.rings(radii)
    last = max((i for i, ring in enumerate(rings) if len(ring.starts)), default=0)
    first = last
    while first > 0 and len(rings[first - 1].starts):
        first -= 1
    middle = _smoothed(rings[(first + last) // 2])
    count = len(middle.starts)
    if first == 0 or last - first < 3 or not rings[first - 1].filled or not _equal(middle):
        return None
    return count, float(radii[first - 1] + radii[first]) / 2, min(outer, float(radii[last] + radii[1] - radii[0]))


def _smoothed(ring: Ring) -> Ring:
    """The ring without slits and slivers that facets of a coarse mesh leave along a flank."""
    if len(ring.starts) < 2 or not ring.sound:
        return ring
    starts, ends = ring.starts.tolist(), (ring.starts + ring.widths).tolist()
    arcs: list[list[float]] = []
    for start, end in zip(starts, ends, strict=True):
        if arcs and start - arcs[-1][1] < _SLIVER:
            arcs[-1][1] = end
        else:
            arcs.append([start, end])
    if len(arcs) > 1 and arcs[0][0] + 2 * math.pi - arcs[-1][1] < _SLIVER:
        arcs[0][0] = arcs.pop()[0] - 2 * math.pi
    kept = np.array([arc for arc in arcs if arc[1] - arc[0] > _SLIVER])
    if not len(kept):
        return ring
    return Ring(ring.radius, kept[:, 0], kept[:, 1] - kept[:, 0], False, True)


def _equal(ring: Ring) -> bool:
    """Whether the arcs of a ring are one to eight, alike and evenly spread."""
    count = len(ring.starts)
    if not ring.sound or not 1 <= count <= _STARTS or not _RIDGE[0] < ring.share < _RIDGE[1]:
        return False
    off = np.mod(ring.starts - ring.starts[0] + math.pi / count, 2 * math.pi / count) - math.pi / count
    limit = _ALIKE * 2 * math.pi / count
    return bool(np.abs(off).max() < limit and np.ptp(ring.widths) < limit)


def _followed(cutter: Cutter, height: float, starts: int, root: float, tip: float) -> Wheel | None:
    """The ridges of one section followed up and down along the axis; None where they do not turn evenly."""
    depth, radius = tip - root, (tip + root) / 2
    turn = 2 * math.pi / starts
    rate, seen = 0.0, {height: _phase(cutter, height, radius, starts)}
    first = seen[height]
    if first is None:
        return None
    near = height + _SECTION_STEP * depth * np.arange(1, _SECTIONS // 2)
    heights, phases = [height], [first]
    for h in near:
        phase = _phase(cutter, float(h), radius, starts)
        if phase is None:
            break
        step = math.remainder(phase - phases[-1] - rate * (h - heights[-1]), turn) + rate * (h - heights[-1])
        phases.append(phases[-1] + step)
        heights.append(float(h))
        rate = (phases[-1] - phases[0]) / (heights[-1] - heights[0])
    # Splines and ribs do not turn, but seem to a little where a coarse mesh jitters.
    if len(heights) < 6 or abs(rate) * (heights[-1] - heights[0]) < _LEAST_TURN * turn:
        return None
    line = np.polyfit(heights, phases, 1)
    if np.abs(np.polyval(line, heights) - phases).max() > _LINEAR * turn:
        return None
    rate = float(line[0])
    low, high = (_end(cutter, height, limit, radius, starts) for limit in (cutter.low, cutter.high))
    pitch = turn / abs(rate)
    if high - low < _LEAST_PITCHES * pitch:
        return None
    return _worm(starts, low, high, tip, root, rate, *_flank(cutter, height, root, tip, pitch))


def _worm(
    starts: int, low: float, high: float, tip: float, root: float, rate: float, flank: float, thickness: float
) -> Wheel:
    """A worm, or the doubt that a thread is; its normal module by its axial pitch and lead.

    `rate`: turn by height, rad/m. `flank`: half angle of the ridges in a plane through the axis; `thickness`: their
    share of a pitch at half depth.
    """
    pitch = math.tau / starts / abs(rate)
    axial = pitch / math.pi
    deep, degrees = (tip - root) / axial, math.degrees(flank)
    reference = tip - axial
    helix = math.atan(reference * rate)
    thread = _thread(deep, degrees, thickness)
    return Wheel(
        WheelKind.THREAD if thread else WheelKind.WORM, starts, False, np.array([0.0, 0.0, (low + high) / 2]),
        np.array([0.0, 0.0, 1.0]), high - low, tip, root, reference, axial * abs(math.sin(helix)), starts,
        math.atan(math.tan(flank) * abs(math.sin(helix))), helix=helix,
        doubt=thread.format(f"flanks of {degrees:.0f}°, {deep:.2f} modules deep"),
        evidence=(
            f"{starts} ridges turn evenly, a lead of {pitch * starts * 1e3:.3f} mm",
            f"flanks of {degrees:.1f}° in a plane through the axis, {deep:.2f} axial modules deep",
        ),
    )  # fmt: skip


def _thread(deep: float, degrees: float, thickness: float) -> str:
    """What ridges are that are no worm's, with room for their measures; "" for a worm's."""
    if _ISO_FLANKS[0] < degrees < _ISO_FLANKS[1] and deep < _ISO_DEPTH:
        return "screw thread: {}"
    if deep < _THREAD and _TRAPEZOIDS[0] < degrees < _TRAPEZOIDS[1]:
        return "lead screw: {}"
    slope = _WORM_FLANKS[0] < degrees < _WORM_FLANKS[1]
    if _THREAD <= deep < DEEP and slope and _WORM_RIDGE[0] < thickness < _WORM_RIDGE[1]:
        return ""
    return "thread or auger: {}; a worm has 14.5 to 25° and 2.2"


def _phase(cutter: Cutter, height: float, radius: float, starts: int) -> float | None:
    """The angle of a ridge in a section, None where it has not so many equal ones."""
    section = cutter.section(height)
    if section.empty:
        return None
    ring = _smoothed(section.rings(np.array([radius]))[0])
    if len(ring.starts) != starts or not _equal(ring):
        return None
    return ring.phase(starts)


def _end(cutter: Cutter, start: float, limit: float, radius: float, starts: int) -> float:
    """How far the ridges go towards a limit, by halving."""
    good, bad = start, limit
    if _phase(cutter, limit + _SHORT_OF_END * (start - limit), radius, starts) is not None:
        return limit
    for _ in range(12):
        height = (good + bad) / 2
        if _phase(cutter, height, radius, starts) is None:
            bad = height
        else:
            good = height
    return good


def _flank(cutter: Cutter, height: float, root: float, tip: float, pitch: float) -> tuple[float, float]:
    """(half angle of the flanks in a plane through the axis, share of a pitch that is ridge at half depth)."""
    # Short of the fillet and the crest, where the flank is straight.
    radii = root + np.linspace(*_STRAIGHT_FLANK, 9) * (tip - root)
    rings = cutter.section(height).rings(radii)
    shares = np.array([ring.share for ring in rings])
    slope = float(np.polyfit(radii, shares * pitch, 1)[0])
    return math.atan(-slope / 2), float(np.interp((root + tip) / 2, radii, shares))

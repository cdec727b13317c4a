"""Screws and rivets by their layers: a head wider than the shank, a drive in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Vector
from cadbridge.geometry import Shape
from cadbridge.recognition.helicoids import find_helicoid
from cadbridge.recognition.layers import Layer
from cadbridge.recognition.sections import Cutter
from cadbridge.recognition.standard_names import StandardKind

_BLADE = 0.0055
"""m; above half of M10, the largest screw that ISO gives a slot or a cross. 54 machines: 0.0050 | 0.0079.

Tests: 0.004 | 0.010 (`test_links`).
"""


@dataclass(frozen=True, eq=False)
class StandardPart:
    """A standard part. `axis` and `point` in the part's frame; `low`, `high`: its extent along the axis from `point`.

    `radius`: of the shank, the bore of a nut or ring, the ball. `head`: radius of a screw's head, else the outer one.
    `under_head`: where along the axis the head's bearing surface is, None for parts without a head. `confidence` from
    0 to 1, `evidence` the reason.
    """

    kind: StandardKind
    point: Vector
    axis: Vector
    low: float
    high: float
    radius: float
    head: float
    confidence: float
    evidence: str
    under_head: float | None = None
    named: bool = False
    """Whether a name says so too."""


def layered_part(
    kind: StandardKind, layers: Sequence[Layer], radius: float, head: float, confidence: float, evidence: str,
    under_head: float | None = None,
) -> StandardPart:  # fmt: skip
    """A standard part of its layers along the z of its section; where that lies in the part is filled in later."""
    origin = np.zeros(3)
    return StandardPart(
        kind, origin, origin, layers[0].low, layers[-1].high, radius, head, confidence, evidence, under_head
    )


def screw_of(shape: Shape, cutter: Cutter, layers: list[Layer]) -> StandardPart | None:
    """A head wider than the shank at one end, with a drive; a grub screw has a drive and no head."""
    if any(layer.bore > 0 and not _recessed(layer) for layer in layers):
        return None
    ridges = find_helicoid(cutter)
    widths = [layer.outer for layer in layers]
    shank = _shank(layers)
    if shank is None:
        return None
    radius = widths[shank]
    top = max((0, len(layers) - 1), key=lambda i: max(widths[: shank + 1] if i == 0 else widths[shank:]))
    side = layers[:shank] if top == 0 else layers[shank + 1 :]
    side = side if top else side[::-1]  # from the shank to the end of the head
    head = [layer for layer in side if layer.outer > 1.12 * radius]
    drive = drive_of(side or layers, radius)
    if not head:
        return _grub(layers, radius, drive, ridges is not None)
    wide, thick = max(layer.outer for layer in head), sum(layer.height for layer in side)
    length = (cutter.high - cutter.low) - thick
    if not (1.15 < wide / radius < 3.2 and 0.12 < thick / (2 * radius) < 1.6 and 0.4 < length / (2 * radius) < 40):
        return None
    if radius > 0.04 or not _plain(layers, shank, radius):
        return None
    under = head[0].low if top else head[0].high
    size = f"shank {2e3 * radius:.1f} mm, head {2e3 * wide:.1f} × {1e3 * thick:.1f} mm"
    if drive or ridges is not None:
        words = drive or "no drive"
        thread = ", thread modelled" if ridges is not None else ""
        return layered_part(StandardKind.SCREW, layers, radius, wide, 0.9, f"{words}, {size}{thread}", under)
    # ISO 4762: the head is 1.5 times as wide as the thread and as high as that is wide; no other headed part keeps
    # both.
    if abs(wide / radius - 1.5) < 0.06 and abs(thick / (2 * radius) - 1) < 0.06:
        return layered_part(
            StandardKind.SCREW, layers, radius, wide, 0.6, f"a cap screw's proportions, {size}, no drive", under
        )
    if thick / (2 * radius) < 0.8 and length / (2 * radius) < 12:
        return layered_part(
            StandardKind.RIVET, layers, radius, wide, 0.35, f"a head without a drive, {size}: rivet or pin", under
        )
    return None


def _recessed(layer: Layer) -> bool:
    """Whether air about the axis is a drive's socket: an arc pattern around it, or a narrow hole in a head."""
    return any(c.isdigit() for c in layer.word) or layer.bore < 0.7 * layer.outer


def _shank(layers: list[Layer]) -> int | None:
    """The index of the longest layer that is round and solid (or ridged by a thread)."""
    solid = [i for i, layer in enumerate(layers) if re.fullmatch(r"f|f1+", layer.word)]
    return max(solid, key=lambda i: layers[i].height, default=None)


def _plain(layers: list[Layer], shank: int, radius: float) -> bool:
    """Whether all that is not head is the shank: no wider collar beyond it, nothing but points and undercuts."""
    wider = [layer.outer > 1.12 * radius for layer in layers]
    return not (any(wider[:shank]) and any(wider[shank:]))


def drive_of(head: Sequence[Layer], radius: float) -> str:
    """What turns the head of a shank: an outer hexagon, or a socket, slot or cross in it."""
    for layer in head:
        if re.fullmatch(r"a?f?6", layer.word) or layer.word.endswith("f6"):
            return "hexagon head"
    for layer in head:
        if re.match(r"a?6", layer.word):
            return "hexagon socket"
        if re.match(r"a?[24]", layer.word) and radius > _BLADE:
            return ""  # the fork of a link
        if re.match(r"a?2", layer.word):
            return "slot"
        if re.match(r"a?4", layer.word):
            return "cross recess"
        if layer.word.startswith("af") and layer.bore < 0.7 * layer.outer:
            return "round recess"
    return ""


def _grub(layers: list[Layer], radius: float, drive: str, thread: bool) -> StandardPart | None:
    length = layers[-1].high - layers[0].low
    ends = drive_of([layers[0]], radius) or drive_of([layers[-1]], radius)
    if (drive or ends) in ("hexagon socket", "slot") and 0.5 < length / (2 * radius) < 8 and radius < 0.012:
        return layered_part(
            StandardKind.SCREW, layers, radius, radius, 0.7, f"grub screw of {2e3 * radius:.1f} mm: {drive or ends}"
        )
    if thread and 0.8 < length / (2 * radius) < 60 and radius < 0.02:
        return layered_part(StandardKind.SCREW, layers, radius, radius, 0.5, f"threaded rod of {2e3 * radius:.1f} mm")
    return None

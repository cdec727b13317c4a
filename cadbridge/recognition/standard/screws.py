"""Screws and rivets by their layers: a head wider than the shank, a drive in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Vector
from cadbridge.geometry import Shape
from cadbridge.recognition.faces.layers import Layer
from cadbridge.recognition.faces.sections import Cutter
from cadbridge.recognition.standard.names import StandardKind
from cadbridge.recognition.wheels.helicoids import find_worm

_BLADE = 0.0055
"""m; above half of M10, the largest screw that ISO gives a slot or a cross. 54 machines: 0.0050 | 0.0079. Tests: 0.004
| 0.010 (`test_links`)."""

_WIDER = 1.12
"""Radius beside the shank's from which a layer is of the head: threads, undercuts and points are no wider. A choice."""

_HEAD_WIDTH, _HEAD_HEIGHT, _SHANK_LENGTH = (1.15, 3.2), (0.12, 1.6), (0.4, 40.0)
"""Radius of a head beside the shank's, its height and the shank's length beside the diameter. A choice about ISO's,
whose widths are 1.5 to 2.2 (flanges), heights 0.55 (ISO 7380) to 1.0 (ISO 4762)."""

_WIDEST_SHANK = 0.04
"""m, the radius of the largest screw of ISO 4014 (M64) with some room: wider is a column of the machine."""

_CAP_WIDTH, _CAP_HEIGHT, _CAP_OFF = 1.5, 1.0, 0.06
"""Of ISO 4762: radius of the head beside the shank's and its height beside the diameter; how far either may be off."""

_RIVET_HEAD, _RIVET_LENGTH = 0.8, 12.0
"""Height of a rivet's head and length of its shank beside the diameter, at most. A choice."""

_SOCKET_WIDTH = 0.7
"""Radius of the air about the axis of a head beside the head's: below it is a recess, above a tube. A choice."""

_SUNK = 0.5
"""Depth to which a recess may go on below its head, beside the diameter of the shank: what goes deeper is a hollow
shaft. A choice: ISO 4762's sockets end within the head."""

_GRUB_LENGTH, _WIDEST_GRUB = (0.5, 8.0), 0.012
"""Length of a grub screw beside its diameter, and its radius in m: ISO 4026 goes up to M24. A choice."""

_ROD_LENGTH, _WIDEST_ROD = (0.8, 60.0), 0.02
"""The same of a threaded rod or a stud without a head. A choice."""


def within(value: float, bounds: tuple[float, float]) -> bool:
    """Whether a measure lies between two bounds."""
    return bounds[0] < value < bounds[1]


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
    widths = [layer.outer for layer in layers]
    shank = _shank(layers)
    if shank is None:
        return None
    radius = widths[shank]
    top = max((0, len(layers) - 1), key=lambda i: max(widths[: shank + 1] if i == 0 else widths[shank:]))
    side = layers[:shank] if top == 0 else layers[shank + 1 :]
    side = side if top else side[::-1]  # from the shank to the end of the head
    head = [layer for layer in side if layer.outer > _WIDER * radius]
    if head and sum(layer.height for layer in layers if layer.bore > 0 and layer not in head) > _SUNK * 2 * radius:
        return None
    drive = drive_of(side or layers, radius)
    if not head:
        return _grub(cutter, layers, radius, drive)
    wide, thick = max(layer.outer for layer in head), sum(layer.height for layer in side)
    length = (cutter.high - cutter.low) - thick
    fits = within(wide / radius, _HEAD_WIDTH) and within(thick / (2 * radius), _HEAD_HEIGHT)
    if not (fits and within(length / (2 * radius), _SHANK_LENGTH)):
        return None
    if radius > _WIDEST_SHANK or not _plain(layers, shank, radius):
        return None
    under = head[0].low if top else head[0].high
    size = f"shank {2e3 * radius:.1f} mm, head {2e3 * wide:.1f} × {1e3 * thick:.1f} mm"
    threaded = find_worm(cutter) is not None
    if drive or threaded:
        words = drive or "no drive"
        thread = ", thread modelled" if threaded else ""
        return layered_part(StandardKind.SCREW, layers, radius, wide, 0.9, f"{words}, {size}{thread}", under)
    # ISO 4762: the head is 1.5 times as wide as the thread and as high as that is wide; no other headed part keeps
    # both.
    if abs(wide / radius - _CAP_WIDTH) < _CAP_OFF and abs(thick / (2 * radius) - _CAP_HEIGHT) < _CAP_OFF:
        return layered_part(
            StandardKind.SCREW, layers, radius, wide, 0.6, f"a cap screw's proportions, {size}, no drive", under
        )
    if thick / (2 * radius) < _RIVET_HEAD and length / (2 * radius) < _RIVET_LENGTH:
        return layered_part(
            StandardKind.RIVET, layers, radius, wide, 0.35, f"a head without a drive, {size}: rivet or pin", under
        )
    return None


def _recessed(layer: Layer) -> bool:
    """Whether air about the axis is a drive's socket: an arc pattern around it, or a narrow hole in a head."""
    return any(c.isdigit() for c in layer.word) or layer.bore < _SOCKET_WIDTH * layer.outer


def _shank(layers: list[Layer]) -> int | None:
    """The index of the longest layer that is round and solid (or ridged by a thread)."""
    solid = [i for i, layer in enumerate(layers) if re.fullmatch(r"f|f1+", layer.word)]
    return max(solid, key=lambda i: layers[i].height, default=None)


def _plain(layers: list[Layer], shank: int, radius: float) -> bool:
    """Whether all that is not head is the shank: no wider collar beyond it, nothing but points and undercuts."""
    wider = [layer.outer > _WIDER * radius for layer in layers]
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
        if layer.word.startswith("af") and layer.bore < _SOCKET_WIDTH * layer.outer:
            return "round recess"
    return ""


def _grub(cutter: Cutter, layers: list[Layer], radius: float, drive: str) -> StandardPart | None:
    length = layers[-1].high - layers[0].low
    ends = drive_of([layers[0]], radius) or drive_of([layers[-1]], radius)
    if (
        (drive or ends) in ("hexagon socket", "slot")
        and within(length / (2 * radius), _GRUB_LENGTH)
        and radius < _WIDEST_GRUB
    ):
        return layered_part(
            StandardKind.SCREW, layers, radius, radius, 0.7, f"grub screw of {2e3 * radius:.1f} mm: {drive or ends}"
        )
    # A thread is dear to find: it is looked for last.
    if within(length / (2 * radius), _ROD_LENGTH) and radius < _WIDEST_ROD and find_worm(cutter) is not None:
        return layered_part(StandardKind.SCREW, layers, radius, radius, 0.5, f"threaded rod of {2e3 * radius:.1f} mm")
    return None

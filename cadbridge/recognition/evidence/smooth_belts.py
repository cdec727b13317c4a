"""Belts drawn as one smooth loop: a band of even thickness around two or more round parts."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import Assembly, CouplingKind, Instance
from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import ON_AXIS, parallel
from cadbridge.recognition.faces.parts import PartFaces
from cadbridge.recognition.faces.surfaces import Surface
from cadbridge.recognition.wheels.placed import MeshingPair
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

_EVEN = 0.05
"""Of a band's thickness: by how much it differs from bend to bend at most, and of a full turn its bends together. A
choice; a loop that bends around its wheels one way only turns once."""

_THIN = 0.5
"""Thickness of a band beside the radius of its narrowest bend, at most. A choice."""

_LIES_ON = 0.9, 1.02
"""Radius of a wheel beside that of the bend around it. A choice; a wheel with a crown or a rim is a little wider."""

_COVERED = 0.5
"""Share of a band's width that its wheel carries, at least: the flange of a bearing beside it does not. A choice."""

_SURE = 0.75
"""Confidence of a smooth belt: that it grips its wheels is not seen. A choice."""

_MOST_FACES = 24
"""Faces of a band at most: with six bends it has as many."""


@dataclass(frozen=True, eq=False)
class _Bend:
    """Where a band goes around a wheel: `inner` lies on that; `thickness` m."""

    inner: Surface
    thickness: float


def find_smooth_belts(
    assembly: Assembly, faces: Mapping[str, PartFaces], known: Collection[str]
) -> tuple[tuple[MeshingPair, ...], dict[str, tuple[str, str]]]:
    """The drives by smooth belts, and for each belt two instances that it runs around.

    The ratio is that of the radii to the middle of the band, where a flat belt keeps its length. `known`: instances
    that are belts already.
    """
    drives: list[MeshingPair] = []
    belts: dict[str, tuple[str, str]] = {}
    bends = {key: found for key, own in faces.items() if (found := _bends(own))}
    for belt in assembly.instances:
        shape = assembly.part(belt.part).shape
        if shape is None or shape.key not in bends or belt.name in known:
            continue
        wheels = [_wheel_in(assembly, faces, belt, bend) for bend in bends[shape.key]]
        around = [w for w in wheels if w is not None]
        if len({w.instance for w in around}) < 2:
            continue
        first, *others = sorted(around, key=lambda w: (w.reference, w.instance))
        belts[belt.name] = (first.instance, others[0].instance)
        drives += [_drive(first, other, belt.name) for other in others if other.instance != first.instance]
    return tuple(drives), belts


def _bends(known: PartFaces) -> list[_Bend]:
    """The bends of a part that is a band closed in itself; none of any other part."""
    if len(known.surfaces) > _MOST_FACES or any(s.kind not in ("plane", "cylinder") for s in known.surfaces):
        return []
    rounds = [s for s in known.of("cylinder") if s.turn < 2 * math.pi * (1 - _EVEN)]
    outer = [s for s in rounds if not s.hollow]
    bends = [
        _Bend(inner, back.radius - inner.radius)
        for inner in rounds if inner.hollow
        for back in outer if _concentric(inner, back) and back.radius > inner.radius
    ]  # fmt: skip
    # An inner and an outer face to each bend, and no other: one more is a tooth, a rim or a hole, and the part no
    # smooth band.
    if len(bends) < 2 or len(rounds) != 2 * len(bends) or len(known.of("cylinder")) != len(rounds):
        return []
    thickness = np.array([bend.thickness for bend in bends])
    even = float(np.ptp(thickness)) <= _EVEN * float(thickness.mean())
    thin = float(thickness.max()) <= _THIN * min(bend.inner.radius for bend in bends)
    once = abs(sum(bend.inner.turn for bend in bends) / (2 * math.pi) - 1) <= _EVEN
    one_way = all(parallel(bend.inner.direction, bends[0].inner.direction) for bend in bends)
    return bends if even and thin and once and one_way else []


def _concentric(a: Surface, b: Surface) -> bool:
    return parallel(a.direction, b.direction) and cross_length(b.point - a.point, a.direction) < ON_AXIS * a.radius


def _wheel_in(assembly: Assembly, faces: Mapping[str, PartFaces], belt: Instance, bend: _Bend) -> Wheel | None:
    """The round part on which a bend lies, as the wheel that it is there; None where there is none."""
    axis, middle = belt.X_WI.vector(bend.inner.direction), belt.X_WI.point(bend.inner.middle)
    best: dict[str, float] = {}
    for instance in assembly.instances:
        shape = assembly.part(instance.part).shape
        if instance.name == belt.name or shape is None or shape.key not in faces:
            continue
        # Of several faces of a part in the bend the largest is the one on which the band lies.
        radii = [s.radius for s in faces[shape.key].of("cylinder") if _carries(instance, s, bend, middle, axis)]
        if radii:
            best[instance.name] = max(radii)
    if not best:
        return None
    name = max(best, key=lambda n: (best[n], n))
    radius, width = best[name], bend.inner.length
    return Wheel(
        WheelKind.PULLEY, 0, False, middle, axis, width, radius, radius, radius + bend.thickness / 2, 0.0, instance=name
    )  # fmt: skip


def _carries(instance: Instance, s: Surface, bend: _Bend, middle: Vector, axis: Vector) -> bool:
    """Whether a round face lies in a bend: all around, about its axis, as wide, and under the band."""
    if s.hollow or not _LIES_ON[0] <= s.radius / bend.inner.radius <= _LIES_ON[1] or s.turn < 2 * math.pi * (1 - _EVEN):
        return False
    away, way = middle - instance.X_WI.point(s.point), instance.X_WI.vector(s.direction)
    if not parallel(way, axis) or cross_length(away, axis) > ON_AXIS * s.radius:
        return False
    at, half = float(away @ way), bend.inner.length / 2
    return min(s.high, at + half) - max(s.low, at - half) >= _COVERED * 2 * half


def _drive(a: Wheel, b: Wheel, belt: str) -> MeshingPair:
    distance = cross_length(b.point - a.point, a.axis)
    radii = f"{a.reference * 1e3:.4g} and {b.reference * 1e3:.4g} mm to the middle of the band"
    evidence = (f"{belt} runs around both, a smooth band", f"{radii}, axes {distance * 1e3:.3f} mm apart")
    return MeshingPair(CouplingKind.BELT, a, b, b.reference / a.reference, distance, _SURE, evidence)

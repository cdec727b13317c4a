"""Shafts that stick out of parts, and what stands on them: what has a bore about one, or is drawn solid there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Instance
from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import ALIGNED, parallel
from cadbridge.recognition.evidence.pins import HOLE_TURN, ROUNDED
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.faces.parts import PartFaces
from cadbridge.recognition.faces.surfaces import Surface

THIN_SHAFT = 0.45
"""Radius of a shaft beside half of the width of its case, at most. 54 machines: 0.40 | 0.87. Tests: 0.3 | 1
(`test_motors`)."""

STICKS_OUT = 1.5
"""Length of a shaft beside its radius, at least: shorter are bosses and pilots. 54 machines: 1.45 | 1.55. Tests: 0.86 |
2 (`test_motors`)."""

SHAFT_END = 0.02
"""Of the part's size: how far from the part's end a shaft ends at most. 54 machines: 0.018 | 0.035."""

LONGEST_SHAFT = 0.6
"""Length of a shaft beside the part's, at most: longer it is a rod that has a motor's name. A choice."""

HELD_ON_SHAFT = 0.4
"""Of the shaft's length: how much of it stands in what turns with it. 54 machines: 0.37 | 0.44, so a choice. Tests:
0.17 | 0.92 (`test_motors`)."""

NARROWEST_ON_SHAFT = 0.6
"""Radius of a bore beside that of the shaft in it, at least: a bought pulley is drawn with the bore that its file has.
A choice; machines: 0.79 and 1 and wider. Tests: 0.8 (`test_motors`)."""

WIDEST_ON_SHAFT = 4.0
"""The same, at most: a coupling or a bush between them may not be drawn. A
choice, with no gap in what is seen (3.9 | 4.0): holes in plates about a shaft have any size. Tests: 2.25 | 6
(`test_motors`)."""

WIDER_THAN_SHAFT = 1.2
"""Radius of what is drawn without a bore beside that of the shaft in it, at least: no wider it is the shaft drawn once
more. A choice; machines: 3.2 and wider. Tests: 4 (`test_motors`)."""

ON_SOLID = 0.1
"""Of the shaft's radius: how far the axis of what is drawn without a bore may be off it, at most. A choice. Tests: 0 |
0.25 (`test_motors`)."""


@dataclass(frozen=True, eq=False)
class Cylinders:
    """Round faces in W: whose, a point, the direction, the radius, and where they begin and end."""

    of: list[str]
    points: NDArray[np.float64]
    directions: NDArray[np.float64]
    radii: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OnShafts:
    """What may stand on a shaft: the holes of all parts, and round outsides of parts without a hole on their axis."""

    bores: Cylinders
    solids: Cylinders


@dataclass(frozen=True, eq=False)
class Shaft:
    """The shaft of a motor, in its part's frame or in W: its middle, direction, radius and length, m."""

    point: Vector
    axis: Vector
    radius: float
    length: float

    def within(self, point: Vector) -> bool:
        """Whether a point lies in the shaft or on its ends."""
        along = abs(float((point - self.point) @ self.axis)) <= 1.01 * self.length / 2
        return along and cross_length(point - self.point, self.axis) <= 1.01 * self.radius


def shafts_in(scene: Scene) -> Iterator[tuple[Instance, Shaft]]:
    """Every part from which a shaft sticks out, with that in W."""
    shafts = {key: _shafts(faces) for key, faces in scene.faces.items() if faces.surfaces}
    for instance in scene.assembly.instances:
        faces = _faces(scene, instance)
        for own in () if faces is None else shafts[faces.key]:
            yield instance, replace(own, point=instance.X_WI.point(own.point), axis=instance.X_WI.vector(own.axis))


def on_shafts(scene: Scene) -> OnShafts:
    """All round faces of an assembly that may stand on a shaft."""
    holes: dict[str, list[Surface]] = {}
    solids: dict[str, list[Surface]] = {}
    for key, faces in scene.faces.items():
        whole = [s for s in faces.of("cylinder") if s.turn >= HOLE_TURN]
        holes[key] = [s for s in whole if s.hollow]
        solids[key] = [s for s in whole if not s.hollow and not any(_one_axis(s, hole) for hole in holes[key])]
    return OnShafts(_placed(scene, holes), _placed(scene, solids))


def stands_on(on: OnShafts, motor: str, shaft: Shaft) -> dict[str, tuple[Vector, Vector, float]]:
    """What stands on a shaft (W), by its name: a point on its axis beside the shaft, the axis, how far off that is (m).

    It has a bore about the shaft; or it is drawn without one, the shaft within it.
    """
    narrow, wide, off = NARROWEST_ON_SHAFT * shaft.radius, WIDEST_ON_SHAFT * shaft.radius, ON_SOLID * shaft.radius
    bores = dict(_about(on.bores, motor, shaft, (narrow, wide), np.inf))
    return dict(_about(on.solids, motor, shaft, (WIDER_THAN_SHAFT * shaft.radius, np.inf), off)) | bores


def _faces(scene: Scene, instance: Instance) -> PartFaces | None:
    known = scene.faces_of(instance.name)
    return known if known is not None and known.surfaces else None


def _one_axis(a: Surface, b: Surface) -> bool:
    return parallel(a.direction, b.direction) and cross_length(a.point - b.point, b.direction) < b.radius


def _placed(scene: Scene, surfaces: Mapping[str, Sequence[Surface]]) -> Cylinders:
    """The round faces of all instances, of parts by their key, in W."""
    names, rows = [], []
    for instance in scene.assembly.instances:
        known = _faces(scene, instance)
        for s in () if known is None else surfaces[known.key]:
            names.append(instance.name)
            at, way = instance.X_WI.point(s.point), instance.X_WI.vector(s.direction)
            rows.append([*at, *way, s.radius, s.low, s.high])
    table = np.array(rows).reshape(-1, 9)
    return Cylinders(names, table[:, :3], table[:, 3:6], table[:, 6], table[:, 7], table[:, 8])


def _shafts(known: PartFaces) -> list[Shaft]:
    """The shafts of a part, in its frame; the longest of each axis."""
    best: list[Shaft] = []
    for s in sorted(known.of("cylinder"), key=lambda s: -s.length):
        if s.hollow or s.turn < ROUNDED or s.length < STICKS_OUT * s.radius:
            continue
        along = (known.corners - s.point) @ s.direction
        ends = min(abs(along.max() - s.high), abs(along.min() - s.low)) <= SHAFT_END * known.size
        size = np.delete(np.ptp(known.box, axis=0), int(np.argmax(np.abs(s.direction))))
        beside = any(cross_length(s.point - other.point, other.axis) < s.radius for other in best)
        slim = s.radius <= THIN_SHAFT * float(size.min()) / 2
        if ends and not beside and slim and s.length < LONGEST_SHAFT * float(np.ptp(along)):
            best.append(Shaft(s.point + (s.low + s.high) / 2 * s.direction, s.direction, s.radius, s.length))
    return best


def _about(
    round_faces: Cylinders, motor: str, shaft: Shaft, radii: tuple[float, float], near: float
) -> Iterator[tuple[str, tuple[Vector, Vector, float]]]:
    """Which round faces are about a shaft: whose, with the axis beside the shaft, and how far off that is."""
    if not round_faces.of:
        return
    point, axis, length = shaft.point, shaft.axis, shaft.length
    arms = round_faces.points - point
    off = np.linalg.norm(np.cross(arms, round_faces.directions), axis=1)
    sign = round_faces.directions @ axis
    at = arms @ axis
    ends = np.sort(np.stack([at + sign * round_faces.low, at + sign * round_faces.high]), axis=0)
    common = np.minimum(ends[1], length / 2) - np.maximum(ends[0], -length / 2)
    fits = (np.abs(sign) > 1 - ALIGNED**2) & (off <= np.minimum(near, round_faces.radii))
    fits &= (common >= HELD_ON_SHAFT * length) & (round_faces.radii >= radii[0]) & (round_faces.radii <= radii[1])
    found: dict[str, int] = {}
    for k in np.flatnonzero(fits).tolist():
        name = round_faces.of[k]
        # The narrowest bore of a part is the one on the shaft: wider ones on the axis are recesses and reliefs.
        if name != motor and (name not in found or round_faces.radii[k] < round_faces.radii[found[name]]):
            found[name] = k
    for name, k in found.items():
        way = round_faces.directions[k]
        foot = round_faces.points[k] + float((point - round_faces.points[k]) @ way) * way
        yield name, (foot, way, float(off[k]))

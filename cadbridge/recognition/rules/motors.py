"""Motors drawn as one part with their shaft: what stands on the shaft turns, what holds the case does not.

The part is known by its name, or by the screws about its shaft; the shaft is what sticks out of it, thin beside the
case. Parts are not always set exactly: a bore goes with a shaft whose axis runs through it. What a sub-assembly
that is called a drive holds with the motor, as a pulley, is a part of that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Instance
from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import ALIGNED, parallel
from cadbridge.recognition.contacts.guides import LINES
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.pins import HOLE_TURN, ROUNDED
from cadbridge.recognition.evidence.scene import Driven, Scene
from cadbridge.recognition.faces.parts import PartFaces
from cadbridge.recognition.standard.names import called_drive

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
"""The same, at least: a bought pulley is drawn with the bore that its file has. A choice; machines: 0.79 and 1 and
wider. Tests: 0.8 (`test_motors`)."""

WIDEST_ON_SHAFT = 4.0
"""Radius of a bore beside that of the shaft in it, at most: a coupling or a bush between them may not be drawn. A
choice, with no gap in what is seen (3.9 | 4.0): holes in plates about a shaft have any size. Tests: 2.25 | 6
(`test_motors`)."""


@dataclass(frozen=True, eq=False)
class _Bores:
    """All holes of an assembly in W: whose, a point, the direction, the radius, and where they begin and end."""

    of: list[str]
    points: NDArray[np.float64]
    directions: NDArray[np.float64]
    radii: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Shaft:
    """The shaft of a motor, in its part's frame or in W: its middle, direction, radius and length, m."""

    point: Vector
    axis: Vector
    radius: float
    length: float

    def within(self, point: Vector) -> bool:
        """Whether a point lies in the shaft or on its ends."""
        along = abs(float((point - self.point) @ self.axis)) <= 1.01 * self.length / 2
        return along and cross_length(point - self.point, self.axis) <= 1.01 * self.radius


def find_motors(scene: Scene, names: bool) -> None:
    """Note what turns on the shafts of motors, and bind what else their axis goes through to the case.

    A motor is known by its name (where `names` are a witness), or as a case that is screwed to something about a thin
    shaft: on that only what fits it turns, and touches nothing else of the case.
    """
    shafts = [(motor, shaft, names and _called(motor)) for motor, shaft in _shafts_in(scene)]
    motors = [entry for entry in shafts if entry[2] or _screwed_about(scene, *entry[:2])]
    # A plate may hold two motors and be drawn in contact with one.
    mounts = {name for motor, shaft, _ in motors for name in _screws(scene, motor, shaft)}
    bores = _bores(scene)
    for motor, shaft, called in motors:
        around = {name: at for name, at in _around(bores, motor.name, shaft) if name not in mounts}
        if called:
            # A part of one sub-assembly with it that is called a drive is a part of that: its own gear, its own shaft.
            on_it = {
                name: at for name, at in around.items() if not any(map(called_drive, scene.shared(name, motor.name)))
            }
            text = "a motor by its name"
        else:
            on_it = {name: at for name, at in around.items() if _fits(scene, motor, name, shaft)}
            text = "a case that is screwed down about its shaft"
        for name, (at, way, off) in on_it.items():
            shown = f"on the shaft of radius {1e3 * shaft.radius:.4g} mm of {motor.name.rsplit('/', 1)[-1]}, {text}"
            against = (f"drawn {1e3 * off:.3g} mm beside it",) if off > 1e-5 else ()
            scene.hold_apart(motor.name, name)
            verdict = Verdict("revolute", at, way, (shown,), against, 0.75)
            scene.driven.append(Driven(motor.name, name, verdict, ()))
            scene.on_shafts[name] = motor.name
        for name in on_it:
            _hold_key(scene, motor, name, shaft)
        if on_it:
            _hold_case(scene, motor, shaft.point, shaft.axis)
        for name, (at, way, _) in on_it.items():
            _hold_wheel(scene, name, at, way)


def _called(motor: Instance) -> bool:
    return any(map(called_drive, (motor.part, motor.name.rsplit("/", 1)[-1])))


def _shafts_in(scene: Scene) -> Iterator[tuple[Instance, _Shaft]]:
    """Every part from which a shaft sticks out, with that in W."""
    shafts = {key: _shafts(faces) for key, faces in scene.faces.items() if faces.surfaces}
    known = {d.case for d in scene.driven}
    for motor in scene.assembly.instances:
        faces = _faces(scene, motor)
        # A case whose output is known by its ring of holes has no shaft beside: what is thin there is a pilot.
        for own in () if faces is None or motor.name in known else shafts[faces.key]:
            yield motor, replace(own, point=motor.X_WI.point(own.point), axis=motor.X_WI.vector(own.axis))


def _screws(scene: Scene, motor: Instance, shaft: _Shaft) -> dict[str, list[Vector]]:
    """The screws and their holes beside a shaft, along it, by the part that shares two at least with a motor's case."""
    screws: dict[str, list[Vector]] = defaultdict(list)
    for c in scene.contacts.of.get(motor.name, ()):
        along = c.kind in LINES and parallel(c.direction, shaft.axis)
        if along and cross_length(c.point - shaft.point, shaft.axis) > 2 * shaft.radius:
            screws[next(iter({*c.pair} - {motor.name}))].append(c.point)
    return {name: points for name, points in screws.items() if len(points) >= 2}


def _screwed_about(scene: Scene, motor: Instance, shaft: _Shaft) -> bool:
    """Whether a part is screwed to another, twice at least, all about its shaft."""
    # The stub of a crank or of a bracket lies beside its screws.
    about = (np.mean(points, axis=0) - shaft.point for points in _screws(scene, motor, shaft).values())
    return any(cross_length(off, shaft.axis) < shaft.radius for off in about)


def _fits(scene: Scene, motor: Instance, name: str, shaft: _Shaft) -> bool:
    """Whether what has a bore about a shaft stands on it, and touches nothing else of the case."""
    common = scene.contacts.between([motor.name], [name])
    stands = any(c.kind == "shaft" and c.a.instance == motor.name for c in common)
    return stands and all(shaft.within(c.point) for c in common)


def _hold_key(scene: Scene, motor: Instance, wheel: str, shaft: _Shaft) -> None:
    """Bind a key or a pin that stands in the shaft and in what turns on it to that: the shaft is a part of its case."""
    for c in scene.contacts.of.get(wheel, ()):
        (key,) = {*c.pair} - {wheel}
        common = scene.contacts.between([motor.name], [key]) if key != motor.name else ()
        if common and all(shaft.within(k.point) for k in common):
            scene.bind(key, wheel, "holds it on the shaft of a motor", 0.8)


def _faces(scene: Scene, instance: Instance) -> PartFaces | None:
    known = scene.faces_of(instance.name)
    return known if known is not None and known.surfaces else None


def _bores(scene: Scene) -> _Bores:
    names, rows = [], []
    for instance in scene.assembly.instances:
        known = _faces(scene, instance)
        for s in () if known is None else known.of("cylinder"):
            if s.hollow and s.turn >= HOLE_TURN:
                names.append(instance.name)
                at, way = instance.X_WI.point(s.point), instance.X_WI.vector(s.direction)
                rows.append([*at, *way, s.radius, s.low, s.high])
    table = np.array(rows).reshape(-1, 9)
    return _Bores(names, table[:, :3], table[:, 3:6], table[:, 6], table[:, 7], table[:, 8])


def _shafts(known: PartFaces) -> list[_Shaft]:
    """The shafts of a part, in its frame; the longest of each axis."""
    best: list[_Shaft] = []
    for s in sorted(known.of("cylinder"), key=lambda s: -s.length):
        if s.hollow or s.turn < ROUNDED or s.length < STICKS_OUT * s.radius:
            continue
        along = (known.corners - s.point) @ s.direction
        ends = min(abs(along.max() - s.high), abs(along.min() - s.low)) <= SHAFT_END * known.size
        size = np.delete(np.ptp(known.box, axis=0), int(np.argmax(np.abs(s.direction))))
        beside = any(cross_length(s.point - other.point, other.axis) < s.radius for other in best)
        slim = s.radius <= THIN_SHAFT * float(size.min()) / 2
        if ends and not beside and slim and s.length < LONGEST_SHAFT * float(np.ptp(along)):
            best.append(_Shaft(s.point + (s.low + s.high) / 2 * s.direction, s.direction, s.radius, s.length))
    return best


def _around(bores: _Bores, motor: str, shaft: _Shaft) -> Iterator[tuple[str, tuple[Vector, Vector, float]]]:
    """What has a bore about a shaft: its name, the axis of the bore beside the shaft, and how far off that is."""
    if not bores.of:
        return
    point, axis, radius, length = shaft.point, shaft.axis, shaft.radius, shaft.length
    arms = bores.points - point
    off = np.linalg.norm(np.cross(arms, bores.directions), axis=1)
    sign = bores.directions @ axis
    at = arms @ axis
    ends = np.sort(np.stack([at + sign * bores.low, at + sign * bores.high]), axis=0)
    common = np.minimum(ends[1], length / 2) - np.maximum(ends[0], -length / 2)
    fits = (np.abs(sign) > 1 - ALIGNED**2) & (off <= bores.radii) & (common >= HELD_ON_SHAFT * length)
    fits &= (bores.radii >= NARROWEST_ON_SHAFT * radius) & (bores.radii <= WIDEST_ON_SHAFT * radius)
    found: dict[str, int] = {}
    for k in np.flatnonzero(fits).tolist():
        name = bores.of[k]
        # The narrowest bore of a part is the one on the shaft: wider ones on the axis are recesses and reliefs.
        if name != motor and (name not in found or bores.radii[k] < bores.radii[found[name]]):
            found[name] = k
    for name, k in found.items():
        way = bores.directions[k]
        foot = bores.points[k] + float((point - bores.points[k]) @ way) * way
        yield name, (foot, way, float(off[k]))


def _hold_case(scene: Scene, motor: Instance, point: Vector, axis: Vector) -> None:
    """Bind what the axis of a motor goes through and does not turn: its pilot stands in there."""
    for c in scene.contacts.found:
        if motor.name not in c.pair or c.kind not in ("shaft", "holes", "eyes"):
            continue
        other = c.b.instance if c.a.instance == motor.name else c.a.instance
        along = parallel(c.direction, axis)
        if other not in scene.on_shafts and along and cross_length(c.point - point, axis) < 1e-3:
            scene.bind(other, motor.name, "holds the case of a motor at its pilot", 0.7)


def _hold_wheel(scene: Scene, wheel: str, point: Vector, axis: Vector) -> None:
    """Bind what stands on a driven wheel's axis in it, and fits nothing else: a tyre, a rim, a cap."""
    fits: dict[str, set[str]] = defaultdict(set)
    on_axis = set()
    for c in scene.contacts.found:
        if c.kind in LINES:
            for name, other in (c.pair, c.pair[::-1]):
                fits[name].add(other)
                if other == wheel and cross_length(c.point - point, axis) < 1e-3:
                    on_axis.add(name)
    for name in sorted(on_axis):
        if fits[name] == {wheel} and name not in scene.on_shafts.values():
            scene.bind(name, wheel, "on the axis of what a motor turns, and fits nothing else", 0.7)

"""Motors drawn as one part with their shaft: what stands on the shaft turns, what holds the case does not.

The part is known by its name, by the flat of its shaft, or by the screws about that; the shaft is what sticks out of
it, thin beside the case. Parts are not always set exactly: a bore goes with a shaft whose axis runs through it. What a
sub-assembly that is called a drive holds with the motor, as a pulley, is a part of that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import Instance
from cadbridge.frames import Vector, cross_length
from cadbridge.freedoms import TURN
from cadbridge.recognition.contacts.contacts import Contact, parallel
from cadbridge.recognition.contacts.guides import LINES
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.drives import is_drive
from cadbridge.recognition.evidence.flats import flats_that_meet
from cadbridge.recognition.evidence.gathering import Evidence
from cadbridge.recognition.evidence.pins import HOLE_TURN
from cadbridge.recognition.evidence.scene import Driven, Scene
from cadbridge.recognition.evidence.shafts import Shaft, on_shafts, shafts_in, stands_on
from cadbridge.recognition.rules.own_shafts import turn_own_shafts
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.rules.turntables import DRAWN_BESIDE
from cadbridge.recognition.standard.names import called_drive
from cadbridge.recognition.standard.roles import HORNS, called, called_to_move
from cadbridge.recognition.wheels.placed import about
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

WIDEST_SHAFT = 1.2
"""Radius of what has the flat beside that of the shaft, below which it is the shaft: a case with flats may stand in its
mount. A choice. Tests: 1 | 3.3 (`test_motors`)."""

PILOT = 1.5
"""Radius of a motor's pilot beside that of its shaft, at least. A choice; of a NEMA 17 it is 4.4. Tests: 1.75
(`test_motors`)."""

At = tuple[Vector, Vector, float]
"""Where something turns on a shaft: a point on its axis, the axis, how far that is off the shaft's (m)."""


@dataclass(frozen=True, eq=False)
class Motor:
    """A part with its shaft in W, whether it is `called` so, and what has a bore with a flat of the shaft (`keyed`)."""

    part: Instance
    shaft: Shaft
    called: bool
    keyed: Mapping[str, At]


def find_motors(scene: Scene, evidence: Evidence) -> None:
    """Note what turns on the shafts of motors, and bind what else their axis goes through to the case.

    A motor is known by its name (where names are a witness), by a flat of its thin shaft on that of a bore, or as a
    case that is screwed to something about a thin shaft: on that only what fits it turns, and touches nothing else of
    the case. Teeth about a shaft say that their part stands on it, whatever its bore.
    """
    if evidence.names:
        turn_own_shafts(scene)
    motors = _motors(scene, evidence.names)
    # A plate may hold two motors and be drawn in contact with one.
    mounts = {name for motor in motors for name in _screws(scene, motor.part, motor.shaft)}
    standing = on_shafts(scene)
    for motor in motors:
        part, shaft = motor.part, motor.shaft
        around = {**stands_on(standing, part.name, shaft), **_toothed(evidence.wheels, part, shaft)}
        around = {name: at for name, at in around.items() if name not in mounts}
        on_it, text = _turned(scene, motor, around)
        for name, (at, way, off) in on_it.items():
            shown = f"on the shaft of radius {1e3 * shaft.radius:.4g} mm of {part.name.rsplit('/', 1)[-1]}, {text}"
            against = (f"drawn {1e3 * off:.3g} mm beside it",) if off > DRAWN_BESIDE else ()
            scene.hold_apart(part.name, name)
            verdict = Verdict("revolute", at, way, (shown,), against, 0.75)
            scene.driven.append(Driven(part.name, name, verdict, ()))
            scene.on_shafts[name] = part.name
        # Both ends of one shaft may stick out of a case.
        for name in list(motor.keyed)[1:]:
            scene.bind(name, next(iter(motor.keyed)), "on the same shaft of a motor, by its flat", 0.8)
        for name in on_it:
            _hold_key(scene, part, name, shaft)
        if on_it:
            _hold_case(scene, part, shaft)
        elif motor.called:
            _hold_pilot(scene, part, shaft)
        for name, (at, way, _) in on_it.items():
            _hold_wheel(scene, name, at, way)


def _toothed(wheels: Sequence[Wheel], motor: Instance, shaft: Shaft) -> dict[str, At]:
    """The outer wheels of other parts about a shaft and beside it: pinions have bores with flats, and splined ones."""
    return {
        w.instance: (w.point, w.axis, cross_length(w.point - shaft.point, shaft.axis)) for w in wheels
        if w.instance != motor.name and not w.internal and w.kind not in (WheelKind.RACK, WheelKind.THREAD)
        and about(w, shaft.point, shaft.axis)
        and abs(float((w.point - shaft.point) @ shaft.axis)) < (w.width + shaft.length) / 2
    }  # fmt: skip


def _motors(scene: Scene, names: bool) -> list[Motor]:
    """The motors of a scene, with each shaft that sticks out of one."""
    # A case whose output is known by its ring of holes has no shaft beside: what is thin there is a pilot.
    known = {d.case for d in scene.driven}
    flats = flats_that_meet(scene)
    seen = [
        Motor(part, shaft, names and is_drive(scene, part.name), _keyed(flats, part, shaft))
        for part, shaft in shafts_in(scene) if part.name not in known
    ]  # fmt: skip
    return [
        m for m in seen
        if m.called or _screwed_about(scene, m.part, m.shaft) or (m.keyed and _is_case(scene, m.part, m.shaft))
    ]  # fmt: skip


def _turned(scene: Scene, motor: Motor, around: Mapping[str, At]) -> tuple[dict[str, At], str]:
    """What a motor turns, of what is about its shaft or has a flat on it, and how it is known to be a motor."""
    if motor.called:
        # A part of one sub-assembly with it that is called a drive is a part of that: its own gear, its own shaft.
        own = {n: at for n, at in around.items() if not any(map(called_drive, scene.shared(n, motor.part.name)))}
        return {**own, **motor.keyed}, "a motor by its name"
    if motor.keyed:
        return dict(motor.keyed), "with a flat on that of the bore"
    fits = {name: at for name, at in around.items() if _fits(scene, motor.part, name, motor.shaft)}
    return fits, "a case that is screwed down about its shaft"


def _screws(scene: Scene, motor: Instance, shaft: Shaft) -> dict[str, list[Vector]]:
    """The screws and their holes beside a shaft, along it, by the part that shares two at least with a motor's case."""
    screws: dict[str, list[Vector]] = defaultdict(list)
    for c in scene.contacts.of.get(motor.name, ()):
        along = c.kind in LINES and parallel(c.direction, shaft.axis)
        if along and cross_length(c.point - shaft.point, shaft.axis) > 2 * shaft.radius:
            screws[next(iter({*c.pair} - {motor.name}))].append(c.point)
    return {name: points for name, points in screws.items() if len(points) >= 2}


def _screwed_about(scene: Scene, motor: Instance, shaft: Shaft) -> bool:
    """Whether a part is screwed to another, twice at least, all about its shaft."""
    # The stub of a crank or of a bracket lies beside its screws.
    about = (np.mean(points, axis=0) - shaft.point for points in _screws(scene, motor, shaft).values())
    return any(cross_length(off, shaft.axis) < shaft.radius for off in about)


def _keyed(flats: Sequence[Contact], motor: Instance, shaft: Shaft) -> dict[str, At]:
    """What has a bore with the flat of a motor's shaft, at either end of that, in the order of the names."""
    return {
        c.b.instance: (c.point, c.direction, 0.0) for c in sorted(flats, key=lambda c: c.b.instance)
        if c.a.instance == motor.name and parallel(c.direction, shaft.axis)
        and cross_length(c.point - shaft.point, shaft.axis) < shaft.radius and c.radius < WIDEST_SHAFT * shaft.radius
    }  # fmt: skip


def _is_case(scene: Scene, motor: Instance, shaft: Shaft) -> bool:
    """Whether a part is no turned shaft with a flat: not round outside about it, or with holes for screws beside it."""
    known = scene.faces_of(motor.name)
    about = (motor.X_WI.inverse().point(shaft.point), motor.X_WI.inverse().vector(shaft.axis))
    holes = [
        s for s in (() if known is None else known.of("cylinder"))
        if s.hollow and s.turn >= HOLE_TURN and parallel(s.direction, about[1])
        and cross_length(s.point - about[0], about[1]) > 2 * shaft.radius
    ]  # fmt: skip
    return len(holes) >= 2 or not round_outside(scene, motor.name, shaft.point, shaft.axis)


def _fits(scene: Scene, motor: Instance, name: str, shaft: Shaft) -> bool:
    """Whether what has a bore about a shaft stands on it, and touches nothing else of the case."""
    common = scene.contacts.between([motor.name], [name])
    stands = any(c.kind == "shaft" and c.a.instance == motor.name for c in common)
    return stands and all(shaft.within(c.point) for c in common)


def _hold_key(scene: Scene, motor: Instance, wheel: str, shaft: Shaft) -> None:
    """Bind a key or a pin that stands in the shaft and in what turns on it to that: the shaft is a part of its case."""
    for c in scene.contacts.of.get(wheel, ()):
        (key,) = {*c.pair} - {wheel}
        common = scene.contacts.between([motor.name], [key]) if key != motor.name else ()
        if common and all(shaft.within(k.point) for k in common):
            scene.bind(key, wheel, "holds it on the shaft of a motor", 0.8)


def _hold_case(scene: Scene, motor: Instance, shaft: Shaft) -> None:
    """Bind what the axis of a motor goes through and does not turn: its pilot stands in there."""
    for c in scene.contacts.found:
        if motor.name not in c.pair or c.kind not in ("shaft", "holes", "eyes"):
            continue
        other = c.b.instance if c.a.instance == motor.name else c.a.instance
        if other not in scene.on_shafts and _about(c, shaft):
            scene.bind(other, motor.name, "holds the case of a motor at its pilot", 0.7)


def _hold_pilot(scene: Scene, motor: Instance, shaft: Shaft) -> None:
    """Bind what stands about the pilot of a motor that has nothing on its shaft, and is not made to turn by its name.

    What fits the shaft itself, and was not known to turn with it, is not what holds the case.
    """
    for c in scene.contacts.of.get(motor.name, ()):
        pilot = c.kind == "shaft" and c.a.instance == motor.name and c.radius > PILOT * shaft.radius
        names = scene.called(c.b.instance)
        if pilot and _about(c, shaft) and called_to_move(names) != TURN and not called(HORNS, names):
            scene.bind(c.b.instance, motor.name, "holds the case of a motor at its pilot", 0.7)


def _about(c: Contact, shaft: Shaft) -> bool:
    """Whether a contact is about a motor's shaft."""
    return parallel(c.direction, shaft.axis) and cross_length(c.point - shaft.point, shaft.axis) < 1e-3


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

"""Motors drawn as one part with their shaft: what stands on the shaft turns, what holds the case does not.

The part is known by its name, or by the screws about its shaft; the shaft is what sticks out of it, thin beside the
case. Parts are not always set exactly: a bore goes with a shaft whose axis runs through it. What a sub-assembly
that is called a drive holds with the motor, as a pulley, is a part of that.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from cadbridge.assembly import Instance
from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import parallel
from cadbridge.recognition.contacts.guides import LINES
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.scene import Driven, Scene
from cadbridge.recognition.evidence.shafts import Shaft, on_shafts, shafts_in, stands_on
from cadbridge.recognition.standard.names import called_drive


def find_motors(scene: Scene, names: bool) -> None:
    """Note what turns on the shafts of motors, and bind what else their axis goes through to the case.

    A motor is known by its name (where `names` are a witness), or as a case that is screwed to something about a thin
    shaft: on that only what fits it turns, and touches nothing else of the case.
    """
    # A case whose output is known by its ring of holes has no shaft beside: what is thin there is a pilot.
    known = {d.case for d in scene.driven}
    seen = ((motor, shaft) for motor, shaft in shafts_in(scene) if motor.name not in known)
    shafts = [(motor, shaft, names and _called(motor)) for motor, shaft in seen]
    motors = [entry for entry in shafts if entry[2] or _screwed_about(scene, *entry[:2])]
    # A plate may hold two motors and be drawn in contact with one.
    mounts = {name for motor, shaft, _ in motors for name in _screws(scene, motor, shaft)}
    standing = on_shafts(scene)
    for motor, shaft, called in motors:
        around = {name: at for name, at in stands_on(standing, motor.name, shaft).items() if name not in mounts}
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

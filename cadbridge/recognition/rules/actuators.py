"""Servos, gear motors and their horns: what sits on the output and what sits on the case are two bodies.

An output is a disc with a ring of holes about its axis. It stands out of a case on a neck, or is a part of its own that
turns in the case. The shape says so; names (servo, stepper, NEMA, XL430 …) are a witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from cadbridge.assembly import Instance
from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import ON_AXIS, ONE_LINE, Contact, parallel
from cadbridge.recognition.contacts.guides import LINES
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.outputs import Output, outputs_of
from cadbridge.recognition.evidence.scene import Driven, Scene
from cadbridge.recognition.standard.names import called_drive, of_a_drive

CARRIED_GAP = 0.3
"""Gap between a horn and what it carries, beside the horn's radius, at most: printed parts are drawn beside a horn. 54
machines: 0.06 | 0.30."""

IN_HOLE = 0.2
"""Of a hole's radius: how far from its axis a screw stands in it, at most: clearances are smaller. A choice."""

BESIDE_AXIS = 0.1
"""Distance of a screw from a motor's axis beside its radius, at least: nearer it is a hollow shaft's. A choice."""

MOST_HORN_GAPS = 50
"""Gaps between horns and other parts that OCCT measures, for time alone; 54 machines need 6."""

Touching = Mapping[str, Sequence[Contact]]
"""The contacts of an instance by the other."""


def find_actuators(scene: Scene, names: bool) -> None:
    """Note what turns on the output of which case, and bind horns to what they carry."""
    touching = scene.contacts.by_both
    known: dict[str, list[Output]] = {}
    for instance in scene.assembly.instances:
        faces = scene.faces_of(instance.name)
        if faces is None or faces.fault is not None:
            continue
        if faces.key not in known:
            known[faces.key] = outputs_of(faces)
        for output in known[faces.key]:
            called = names and of_a_drive(f"{instance.name} {instance.part}")
            motor = output.alone and called and called_drive(instance.part)
            if motor and _flat_motor(scene, instance, output, touching.get(instance.name, {})):
                continue
            if output.alone:
                _horn(scene, instance, output, touching.get(instance.name, {}), called)
                continue
            called = called and any(map(called_drive, (*instance.name.split("/"), instance.part)))
            if called or output.neck:
                carried = touching.get(instance.name, {})
                if names and not called:  # what is called a part of a drive turns in that, not on what looks like one
                    carried = {n: c for n, c in carried.items() if not of_a_drive(" ".join((n, *scene.called(n))))}
                _case(scene, instance, output, carried, called)


def _case(scene: Scene, case: Instance, output: Output, touching: Touching, called: bool) -> None:
    """What is screwed to the output of a case, and to nothing else of it, turns on it.

    One screw is enough where the case is `called` an actuator.
    """
    on_output = {}
    for other, contacts in touching.items():
        lines = {k for c in contacts if c.kind in LINES for k in _holes_on(case, output, c)}
        # What is screwed beside the output too is a bracket of the case, with a hole about its disc.
        off = [c for c in contacts if c.kind in LINES and not _on_output(case, output, c)]
        if len(lines) >= (1 if called else 2) and not off:
            on_output[other] = [c for c in contacts if c.kind in LINES]
    if not on_output or not (called or touching.keys() - on_output.keys()):
        return  # what carries nothing else is no drive between two bodies, unless its name says that it is one
    for other, contacts in on_output.items():
        point, axis = case.X_WI.point(output.point), case.X_WI.vector(output.axis)
        foot = point + float((contacts[0].point - point) @ axis) * axis
        text = f"screwed to the ring of {len(output.holes)} holes in the output of {case.name.rsplit('/', 1)[-1]}"
        witness = "its name says an actuator" if called else "it stands out of its case on a neck"
        # Necks are seen on flanges and knobs too; a name that says a servo says it of nothing else.
        verdict = Verdict("revolute", foot, axis, (text, witness), (), 0.85 if called else 0.65)
        scene.hold_apart(case.name, other)
        scene.driven.append(Driven(case.name, other, verdict, tuple(contacts)))


def _flat_motor(scene: Scene, motor: Instance, output: Output, touching: Mapping[str, list[Contact]]) -> bool:
    """Note that what is screwed to the one face of a flat motor turns against what is screwed to the other.

    Rotor and stator are one part: it goes with what the wider circle of screws holds, as a rule the stator's. Returns
    whether it is such a motor.
    """
    axis, at = motor.X_WI.vector(output.axis), motor.X_WI.point(output.point)
    rings = []
    for other, contacts in touching.items():
        screws = np.array([
            c.point - at for c in contacts
            if c.kind in LINES and parallel(c.direction, axis)
            and cross_length(c.point - at, axis) > BESIDE_AXIS * output.radius
        ])  # fmt: skip
        if len(screws) >= 2:
            rings.append((float(np.linalg.norm(np.cross(screws, axis), axis=1).mean()), other, screws @ axis))
    base = max(rings, default=None, key=lambda ring: ring[:2])
    half = scene.extent(motor.name, axis) / 2
    turned = [ring for ring in rings if base is not None and np.abs(ring[2] - base[2].mean()).min() > half]
    for radius, other, _ in turned:
        text = f"screwed to a face of {motor.name.rsplit('/', 1)[-1]}, a motor by its name, at {1e3 * radius:.4g} mm"
        scene.hold_apart(motor.name, other)
        scene.driven.append(Driven(motor.name, other, Verdict("revolute", at, axis, (text,), (), 0.75), ()))
    if base is not None and turned:
        scene.bind(motor.name, base[1], "screwed to a face of it, a motor whose other face turns", 0.75)
    return bool(turned)


def _holes_on(case: Instance, output: Output, c: Contact) -> Iterator[int]:
    """Which holes of the ring a contact stands in."""
    for k, hole in enumerate(output.holes):
        foot = case.X_WI.point(hole.point)
        if cross_length(c.point - foot, case.X_WI.vector(output.axis)) <= IN_HOLE * hole.radius:
            yield k


def _on_output(case: Instance, output: Output, c: Contact) -> bool:
    """Whether a line lies along the axis of an output and within its disc."""
    axis = case.X_WI.vector(output.axis)
    off = cross_length(c.point - case.X_WI.point(output.point), axis)
    return parallel(axis, c.direction) and off <= output.radius


def _horn(scene: Scene, horn: Instance, output: Output, touching: Touching, called: bool) -> None:
    """A horn goes with what lies on it, and turns in the case in which its shaft stands."""
    axis, at = horn.X_WI.vector(output.axis), horn.X_WI.point(output.point)

    def stands_in(c: Contact) -> bool:
        return c.kind in ("shaft", "cone") and cross_length(c.point - at, axis) <= ON_AXIS * output.radius

    cases = {
        other for other, contacts in touching.items()
        # What is smaller than the horn and stands in it is the screw or the insert on its axis, no case.
        if any(map(stands_in, contacts)) and scene.size(other) > scene.size(horn.name)
    }  # fmt: skip
    if not cases or not called:
        return
    inside = max(len(scene.shared(horn.name, case)) for case in cases)
    carried = {
        other: sum(c.overlap for c in contacts if c.kind == "plane" and parallel(c.direction, axis))
        for other, contacts in touching.items()
        # What shares the servo's own sub-assembly with the horn is a part of the servo, and not what that carries.
        if other not in cases and (not inside or len(scene.shared(horn.name, other)) < inside)
    }  # fmt: skip
    best = max(carried, key=lambda other: (carried[other], other), default=None)
    if best is None or not carried[best] > 0.0:
        scene.idle_horns[horn.name] = output.radius
        return
    for case in cases:
        scene.hold_apart(horn.name, case)
        scene.hold_apart(best, case)
    scene.bind(horn.name, best, f"lies on the output of {sorted(cases)[0].rsplit('/', 1)[-1]}", 0.75)


def beside_horn(scene: Scene, names: Sequence[str], case: Sequence[str]) -> tuple[str, str, float] | None:
    """A horn that touches nothing but its servo, what stands nearest to it outside of that, and the gap in m.

    Parts are not always set exactly.
    """
    for horn in (name for name in names if name in scene.idle_horns):
        reach = CARRIED_GAP * scene.idle_horns[horn]
        solids = scene.solids(MOST_HORN_GAPS)
        others = [n for n in solids.beside(horn, reach) if n not in names and n not in case]
        gaps = list(solids.gaps(horn, others, reach)) if others else []
        for other, gap in sorted(gaps, key=lambda e: (e[1], e[0])):
            # What lies as near to the servo itself holds that.
            if not any(True for name in case for _ in solids.gaps(name, [other], max(gap, ONE_LINE))):
                return horn, other, gap
    return None

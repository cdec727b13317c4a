"""Motors drawn as two parts, by the name of one: a thin rod that sticks out of the bore of its case turns in it."""

from __future__ import annotations

import math

from cadbridge.freedoms import TURN
from cadbridge.recognition.contacts.contacts import Contact
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.drives import is_drive
from cadbridge.recognition.evidence.scene import Driven, Scene
from cadbridge.recognition.evidence.shafts import STICKS_OUT, THIN_SHAFT
from cadbridge.recognition.standard.roles import LINEAR_DRIVES, called, called_to_move


def turn_own_shafts(scene: Scene) -> None:
    """Note the shafts that turn in motors by their names, one of each, and bind what is made to turn on them."""
    for motor in scene.assembly.instances:
        if not is_drive(scene, motor.name) or called(LINEAR_DRIVES, (motor.name, motor.part)):
            continue
        out = [c for c in scene.contacts.of.get(motor.name, ()) if _sticks_out(scene, c, motor.name)]
        if len({c.a.instance for c in out}) != 1:
            continue
        c, rod = out[0], out[0].a.instance
        shown = f"a rod of radius {1e3 * c.radius:.4g} mm that sticks out of {motor.name.rsplit('/', 1)[-1]}"
        verdict = Verdict("revolute", c.point, c.direction, (shown, "a motor by its name"), (), 0.75)
        scene.hold_apart(motor.name, rod)
        scene.driven.append(Driven(motor.name, rod, verdict, ()))
        scene.on_shafts[rod] = motor.name
        for name in _made_to_turn(scene, rod):
            scene.bind(name, rod, "on the shaft of a motor, and made to turn by its name", 0.7)


def _sticks_out(scene: Scene, c: Contact, motor: str) -> bool:
    """Whether a contact is that of a thin rod in a motor's bore, of which it sticks out as a shaft does."""
    if c.kind != "shaft" or c.b.instance != motor or scene.revolution(c.a.instance) is None:
        return False
    out, case = max(c.b.low - c.a.low, c.a.high - c.b.high), scene.revolution(motor)
    return out > STICKS_OUT * c.radius and c.radius < THIN_SHAFT * (math.inf if case is None else case.outer)


def _made_to_turn(scene: Scene, rod: str) -> set[str]:
    """What is made to turn by its name, and has a hole about a rod: a propeller, drawn with a wider bore."""
    return {
        m.instance for line in scene.contacts.lines_on([rod]) for m in line.members
        if m.surface.hollow and called_to_move(scene.called(m.instance)) == TURN
        and any(m.beside(own) > 0.0 for own in line.of([rod]))
    }  # fmt: skip

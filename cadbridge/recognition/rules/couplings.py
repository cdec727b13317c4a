"""Couplings that are not drawn: a rod that ends before the shaft of a drive turns with it."""

from __future__ import annotations

from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import ROUNDING, Placed, parallel
from cadbridge.recognition.contacts.judging import GUIDE_ROD
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.pins import LOOSEST_HOLE
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.round_pairs import drums_of
from cadbridge.recognition.standard.names import called_drive


def coupled(scene: Scene, first: set[str], second: set[str], names: bool) -> Candidate | None:
    """The hinge of a long rod on the drive (where `names` are a witness) before whose shaft it ends.

    The coupling of the two is not drawn, and they are as far beside each other as one takes.
    """
    found: list[tuple[float, Placed, Placed]] = []
    for own, others in ((first, second), (second, first)) if names else ():
        drives = {n for n in own if called_drive(scene.called(n)[0])}
        shafts = [m for m in drums_of(scene, drives, 0.0) if not m.surface.hollow]
        for rod in drums_of(scene, others, 0.0) if shafts else ():
            if not rod.surface.hollow and rod.surface.length >= GUIDE_ROD * 2 * rod.surface.radius:
                found += [(off, m, rod) for m in shafts if (off := _before(m, rod)) is not None]
    if not found:
        return None
    _, shaft, rod = min(found, key=lambda pair: (pair[0], pair[1].instance, pair[2].instance))
    text = f"a rod of radius {1e3 * rod.surface.radius:.4g} mm that ends before the shaft of {shaft.instance}"
    verdict = Verdict("revolute", rod.point, rod.direction, (text,), ("the coupling is not drawn",), 0.45)
    return joint_of(scene, shaft.instance, rod.instance, verdict)


def _before(shaft: Placed, rod: Placed) -> float | None:
    """How far (m) a rod lies beside the axis of a shaft before whose end it ends; None where it does not."""
    arm = rod.point - shaft.point
    small, large = sorted((shaft.surface.radius, rod.surface.radius))
    gap = abs(float(arm @ shaft.direction)) - (shaft.surface.length + rod.surface.length) / 2
    off = cross_length(arm, shaft.direction)
    fits = parallel(shaft.direction, rod.direction) and large <= LOOSEST_HOLE * small and off <= small / 2
    return off if fits and -ROUNDING <= gap <= 2 * small else None

"""Hubs on the ends of shafts: half couplings and pulleys, which are clamped there and do not slide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cadbridge.freedoms import SLEEVE
from cadbridge.recognition.contacts.contacts import ON_AXIS, Contact
from cadbridge.recognition.contacts.guides import telescope
from cadbridge.recognition.evidence.candidates import Candidate
from cadbridge.recognition.evidence.scene import Scene

LONGEST_HUB = 1.2
"""Length of a hub beside its width, at most: a linear bearing, which slides on its rod, has 1.6. A choice. Tests: 1.1 |
2.9 (`test_hubs`)."""


def with_hubs(scene: Scene, joints: Sequence[Candidate]) -> list[Candidate]:
    """The joints, those of hubs on the ends of shafts as hinges: they are no tubes, which would slide there too.

    Asked at the end: what could slide and turn on a rod, and carries nothing, is clamped there if other joints move.
    """
    text = "a hub on the end of a shaft, no longer than wide"
    found = []
    for joint in joints:
        ends = [c for c in joint.contacts if c.kind == "shaft" and telescope(c)]
        if joint.verdict.free == SLEEVE and ends and all(_hub(scene, c) for c in ends):
            v = joint.verdict
            joint = replace(joint, verdict=replace(v, type="revolute", evidence=(*v.evidence, text), against=()))
        found.append(joint)
    return found


def _hub(scene: Scene, c: Contact) -> bool:
    """Whether the part with the bore lies about it evenly and is hardly longer than wide: a pulley, half a coupling."""
    known, X_IW = scene.faces_of(c.b.instance), scene.pose(c.b.instance).inverse()
    way = X_IW.vector(c.direction)
    half = None if known is None else known.square_about(X_IW.point(c.point), way, ON_AXIS)
    return half is not None and scene.extent(c.b.instance, c.direction) <= LONGEST_HUB * 2 * half

"""Hubs on the ends of shafts, and axles with their wheels: they are held along the axis, and do not slide."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from cadbridge.freedoms import SLEEVE
from cadbridge.recognition.contacts.contacts import ON_AXIS, Contact
from cadbridge.recognition.contacts.guides import telescope
from cadbridge.recognition.evidence.candidates import Candidate
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.standard.roles import ROLLERS, called

LONGEST_HUB = 1.2
"""Length of a hub beside its width, at most: a linear bearing, which slides on its rod, has 1.6. A choice. Tests: 1.1 |
2.9 (`test_hubs`)."""


def with_hubs(scene: Scene, joints: Sequence[Candidate], toothed: Collection[str], names: bool) -> list[Candidate]:
    """The joints, those of hubs on the ends of shafts as hinges: they are no tubes, which would slide there too.

    So are those of axles, as `on_axle` says. Asked at the end: what could slide and turn on a rod, and carries nothing,
    is clamped there if other joints move.
    """
    members = scene.groups.members()
    found = []
    for joint in joints:
        ends = [c for c in joint.contacts if c.kind == "shaft" and telescope(c)]
        if joint.verdict.free != SLEEVE:
            text = ""
        elif ends and all(_hub(scene, c) for c in ends):
            text = "a hub on the end of a shaft, no longer than wide"
        else:
            text = on_axle(scene, joint, members, toothed, names)
        if text:
            v = joint.verdict
            joint = replace(joint, verdict=replace(v, type="revolute", evidence=(*v.evidence, text), against=()))
        found.append(joint)
    return found


def on_axle(
    scene: Scene, joint: Candidate, members: Mapping[str, Sequence[str]], toothed: Collection[str], names: bool
) -> str:
    """Why a joint by a round rod is that of an axle, which is held along its line though nothing shows how; else "".

    It carries a wheel, by the teeth (`toothed`) or the name of that (where `names` are a witness), or turns in a
    bearing with its housing.
    """
    shafts = [c for c in joint.contacts if c.kind == "shaft"]
    if any(c.b.instance in scene.units for c in shafts):
        return "a bearing by its name"
    for body in (members[joint.a], members[joint.b]):
        wheels = {n for n in body if n in toothed or (names and called(ROLLERS, scene.called(n)))}
        faces = [face for c in shafts for face in (c.a, c.b) if face.instance in body]
        axles = {face.instance for face in faces} - wheels
        if axles and not any(face.surface.hollow for face in faces) and any(_about(scene, w, joint) for w in wheels):
            return "the axle of a wheel"
    return ""


def _about(scene: Scene, wheel: str, joint: Candidate) -> bool:
    """Whether a wheel stands about the axis of a joint: one elsewhere on the body says nothing of its rods."""
    known, axis, X_IW = scene.faces_of(wheel), joint.verdict.axis, scene.pose(wheel).inverse()
    if known is None or axis is None:
        return False
    return known.square_about(X_IW.point(joint.verdict.point), X_IW.vector(axis), ON_AXIS) is not None


def _hub(scene: Scene, c: Contact) -> bool:
    """Whether the part with the bore lies about it evenly and is hardly longer than wide: a pulley, half a coupling."""
    known, X_IW = scene.faces_of(c.b.instance), scene.pose(c.b.instance).inverse()
    way = X_IW.vector(c.direction)
    half = None if known is None else known.square_about(X_IW.point(c.point), way, ON_AXIS)
    return half is not None and scene.extent(c.b.instance, c.direction) <= LONGEST_HUB * 2 * half

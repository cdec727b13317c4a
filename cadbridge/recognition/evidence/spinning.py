"""Whether parts only spin about an axis: bodies of revolution, and what is balanced about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from cadbridge.frames import Vector, cross_length
from cadbridge.freedoms import HINGE, SLEEVE
from cadbridge.recognition.evidence.candidates import Candidate, by_body
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.faces.surfaces import Surface
from cadbridge.recognition.standard.roles import IDLERS, called

SPINS_ON_AXIS = 0.02
"""Of a radius, and sine: how far a body of revolution may be off the axis about which it spins. 54 machines: 0.0109 |
0.0211. Tests: 0.0018 | 0.11 (`test_links`, `test_actuators`)."""

RECESS = 0.1
"""Share of a part's area that a slot or a socket for a driver has at most. 54 machines: 0.099 | 0.107, so a choice.
Tests: 0.091 | 0.111 (`test_pivots`, `test_sweep`)."""

IDLE = 0.45
"""Strength at most of a joint by which a part would only spin: a roller, or a pin or a cap that is pressed in. Just
above what is welded without a question, so that it is asked of."""


def with_idle(scene: Scene, joints: Sequence[Candidate], toothed: Collection[str], names: bool) -> list[Candidate]:
    """The joints, those in doubt by which a round part that carries nothing would only spin in a bore of the other.

    What has teeth or a bore itself, stands on a drive, or is called a roller (where `names` are a witness) does turn.
    """
    of_body, members = by_body(joints), scene.groups.members()
    driven = {scene.bodies(d.case, d.on) for d in scene.driven}

    def idle(joint: Candidate) -> bool:
        if joint.verdict.free not in (HINGE, SLEEVE) or frozenset((joint.a, joint.b)) in driven:
            return False
        return any(
            len(of_body[leaf]) == 1 and not set(members[leaf]) & {*toothed, *scene.on_shafts}
            and not any(turns_by(scene, name, joint, names) for name in members[leaf])
            and only_spins(scene, members[leaf], joint)
            for leaf in (joint.a, joint.b)
        )  # fmt: skip

    return [_doubted(joint) if IDLE < joint.verdict.confidence < 1.0 and idle(joint) else joint for joint in joints]


def turns_by(scene: Scene, name: str, joint: Candidate, names: bool = True) -> bool:
    """Whether a part has a bore by which it turns, or is called a roller."""
    bored = any(side.instance == name and side.surface.hollow for c in joint.contacts for side in (c.a, c.b))
    return bored or (names and called(IDLERS, scene.called(name)))


def _doubted(joint: Candidate) -> Candidate:
    v = joint.verdict
    text = "it is round and would only spin, which moves nothing else"
    return replace(joint, verdict=replace(v, against=(*v.against, text), confidence=IDLE))


def only_spins(scene: Scene, names: Sequence[str], joint: Candidate) -> bool:
    """Whether all instances are bodies of revolution about a joint's axis."""
    axis, point = joint.verdict.axis, joint.verdict.point
    if axis is None:
        return False
    for name in names:
        round_part = scene.revolution(name)
        X = scene.pose(name)
        # A part with a recess for a driver is no body of revolution, though nobody would see it turn.
        if round_part is None:
            if not _balanced(scene, name, point, axis):
                return False
            continue
        if cross_length(X.vector(round_part.direction), axis) > SPINS_ON_AXIS:
            return False
        off = cross_length(X.point(round_part.point) - point, axis)
        if off > SPINS_ON_AXIS * round_part.outer + 3 * scene.contacts.slack:
            return False
    return True


def _balanced(scene: Scene, name: str, point: Vector, axis: Vector) -> bool:
    """Whether nearly all of a part that has an axis is about a line, and its box is square and centred on it.

    A barrel-shaped roller, whose outside is a free-form face; a pin with a slot or a socket for a driver.
    """
    known, X_IW = scene.faces_of(name), scene.pose(name).inverse()
    foot, way = X_IW.point(point), X_IW.vector(axis)
    wide = None if known is None else known.square_about(foot, way, SPINS_ON_AXIS)
    if known is None or wide is None:
        return False
    near = SPINS_ON_AXIS * 2 * wide

    def about(s: Surface) -> bool:
        on_line = s.kind == "plane" or cross_length(s.point - foot, way) < near
        return cross_length(s.direction, way) < SPINS_ON_AXIS and on_line

    off = [s for s in known.surfaces if s.kind != "sphere" and not about(s)]
    # Walls of a socket are planes; a round face off the line is a hole of a bolt circle, and the part a flange.
    recess = sum(s.area for s in off) <= RECESS * sum(s.area for s in known.surfaces)
    return recess and all(s.kind == "plane" for s in off)

"""Joints that others imply, or a name: a disc of its own where two bodies meet, a rack on its pinion, a wheel."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from cadbridge.frames import Vector, cross_length, frame_from_axis
from cadbridge.freedoms import HINGE
from cadbridge.recognition.contacts.contacts import ALONG, Line, common_face
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.candidates import Candidate, by_body, joint_of, one_axis
from cadbridge.recognition.evidence.pins import ROUNDED
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.evidence.spinning import only_spins
from cadbridge.recognition.rules.axles import knuckle
from cadbridge.recognition.rules.round_pairs import CENTRED
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.rules.unsolved_eyes import eyes_beside
from cadbridge.recognition.wheels.placed import MeshingPair
from cadbridge.recognition.wheels.wheel import WheelKind

WIDE_PIVOT = 0.25
"""Radius of a pivot's disc beside that of a disc of the area in contact, at least: less is a dowel or a magnet. 54
machines have 0.82 and more. Tests: 0.74 (`test_pivots`)."""

DISC_SUNK = 0.25
"""Of its thickness: how far a pivot's disc ends before the faces in contact, at most. 54 machines: 0.135 | 0.588.
Tests: 0.013 (`test_pivots`)."""

ROD, OFF_AXIS = 2.0, 0.1
"""Length of a rod in a bearing by its name beside the width of that, at least; and how far its middle is off the axis
at most, beside the bearing's radius. Choices."""


class Seen:
    """A scene with its joints so far, those `found` since, and the round parts that only spin in a body.

    `racks` with their pinions, `wheels`, each with its partner, and by their names `rollers`, `horns`, `bearings`,
    `motors` and what is `screwed` on others.
    """

    def __init__(
        self,
        scene: Scene,
        joints: Sequence[Candidate],
        pairs: Sequence[MeshingPair],
        rollers: Collection[str] = (),
        horns: Collection[str] = (),
        screwed: Collection[str] = (),
        bearings: Collection[str] = (),
        motors: Collection[str] = (),
    ) -> None:
        self.rollers, self.horns, self.bearings = rollers, horns, set(bearings)
        self.screwed, self.motors = set(screwed), set(motors)
        self.scene, self.found, root = scene, list[Candidate](), scene.groups.root
        # By the bodies of this moment: what was tied since a joint was found may have made one of its two.
        self.joints = joints = [replace(c, a=a, b=b) for c in joints if (a := root(c.a)) != (b := root(c.b))]
        sure = [p for p in pairs if not p.against]
        self.racks = [p for p in sure if p.b.kind is WheelKind.RACK]
        self.wheels = [(w, other) for p in sure if p not in self.racks for w, other in ((p.a, p.b), (p.b, p.a))]
        of_body, members = by_body(joints), scene.groups.members()
        self.discs = [
            (members[leaf][0], min(members[joint.other(leaf)]), joint)
            for joint in joints if joint.verdict.free == HINGE
            for leaf in (joint.a, joint.b) if len(of_body[leaf]) == 1 and len(members[leaf]) == 1
            and scene.revolution(members[leaf][0]) is not None and only_spins(scene, members[leaf], joint)
        ]  # fmt: skip


def unpinned(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two bodies whose holes are in line (`knuckle`), neither of which a screw holds there by its name."""
    return None if first <= seen.screwed or second <= seen.screwed else knuckle(seen.scene, first, second)


def eyes_on(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two eyes drawn beside each other (`eyes_beside`): those of a motor's flange are for its screws."""
    return None if seen.motors & (first | second) else eyes_beside(seen.scene, first, second)


def about_disc(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two bodies that lie on each other about a disc that stands in one of them: a motor, a bearing.

    It would only spin there, and is drawn so that the other may turn on it. It goes with what it stands in.
    """
    scene = seen.scene
    contacts = scene.contacts.between(first, second)
    if not contacts or any(c.kind != "plane" for c in contacts):
        return None
    area, middle = common_face(contacts)
    reach = math.sqrt(area / math.pi)
    normal = contacts[0].direction
    if any(abs(float(c.direction @ normal)) < ALONG for c in contacts):
        return None
    near = [
        (disc, host, joint) for disc, host, joint in seen.discs
        if disc not in first | second and host in first | second and _at(scene, disc, middle, normal, reach)
    ]  # fmt: skip
    # Two discs locate the one on the other, as two dowels do.
    if len(near) != 1:
        return None
    disc, host, joint = near[0]
    point, axis = joint.verdict.point, joint.verdict.axis
    scene.bind(disc, host, "the pivot between it and what lies on it: it would only spin", 0.6)
    text = f"faces on each other over {area * 1e6:.4g} mm² about a disc of its own, {disc.rsplit('/', 1)[-1]}"
    verdict = Verdict("revolute", point, axis, (text,), ("the disc may be a dowel",), 0.5)
    return joint_of(scene, min(first), min(second), verdict)


def _at(scene: Scene, disc: str, middle: Vector, normal: Vector, reach: float) -> bool:
    """Whether a disc stands square to some faces, about their middle, and ends there."""
    body, X = scene.revolution(disc), scene.pose(disc)
    assert body is not None
    axis, foot = X.vector(body.direction), X.point(body.point)
    # What is longer than wide is a shaft or a dowel, and stands deep in one of the two.
    if abs(float(axis @ normal)) < ALONG or body.outer < WIDE_PIVOT * reach or body.length > 2 * body.outer:
        return False
    at = float((middle - foot) @ axis)
    ends = body.low - DISC_SUNK * body.length <= at <= body.high + DISC_SUNK * body.length
    return ends and cross_length(middle - foot, axis) <= CENTRED * reach


def rack_on(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The slide of a rack along what it lies on, if its pinion turns on that: fixed, it would lock the pinion."""
    for pair in seen.racks:
        for rack, base in ((first, second), (second, first)):
            if pair.b.instance in rack and _turns(seen, pair.a.instance, base):
                text = f"a rack whose pinion {pair.a.instance.rsplit('/', 1)[-1]} turns on what it lies on"
                at, way = pair.b.point, pair.b.axis
                verdict = Verdict("prismatic", at, way, (text,), ("no walls guide it",), 0.5)
                return joint_of(seen.scene, min(first), min(second), verdict)
    return None


def wheel_on(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of a wheel, one part, on what it lies on, if its partner turns on that: fixed, it would lock it."""
    for wheel, partner in seen.wheels:
        for own, base in ((first, second), (second, first)):
            if own == {wheel.instance} and _turns(seen, partner.instance, base):
                text = f"a wheel whose partner {partner.instance.rsplit('/', 1)[-1]} turns on what it lies on"
                verdict = Verdict("revolute", wheel.point, wheel.axis, (text,), ("no axle is drawn",), 0.5)
                return joint_of(seen.scene, min(first), min(second), verdict)
    return None


def on_ring(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two bodies between which there is but a ring that is a bearing by its name: a turntable.

    Drawn as one part, it goes with the side in whose seat it stands; the other lies on its face, or stands in it.
    """
    scene = seen.scene
    contacts = scene.contacts.between(first, second)
    for name in sorted((first | second) & seen.bearings):
        ring = scene.revolution(name)
        if ring is None or not ring.is_ring or not all(name in c.pair for c in contacts):
            continue
        point, axis = scene.pose(name).point(ring.point), scene.pose(name).vector(ring.direction)
        if all(abs(float(c.direction @ axis)) > ALONG for c in contacts) and len(first) > 1 < len(second):
            text = f"{name.rsplit('/', 1)[-1]}, a bearing by its name, is all that is between the two"
            return joint_of(scene, min(first), min(second), Verdict("revolute", point, axis, (text,), (), 0.6))
    return None


def rod_in_bearing(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of a rod that is not round, as a hexagonal shaft is, in a rolling bearing by its name.

    Its bore is made for the rod, and drawn into it or with a little room: that holds the inner ring alone.
    """
    scene = seen.scene
    for own, others in ((first, second), (second, first)):
        for name in sorted(own & seen.bearings):
            lines = [
                line for line in scene.contacts.lines_on([name])
                if round_outside(scene, name, line.point, line.direction)
            ]  # fmt: skip
            rods = [rod for rod in sorted(others) if len(lines) == 1 and _goes_through(scene, rod, name, lines[0])]
            if rods:
                text = f"{rods[0].rsplit('/', 1)[-1]} goes through a bearing by its name, {name.rsplit('/', 1)[-1]}"
                at, way = lines[0].middle((name,)), lines[0].direction
                verdict = Verdict("revolute", at, way, (text,), (), 0.5)
                return joint_of(scene, min(first), min(second), verdict)
    return None


def _goes_through(scene: Scene, rod: str, bearing: str, line: Line) -> bool:
    """Whether a slender part lies about the axis of a bearing, and goes on beyond both of its ends or one."""
    faces = scene.faces_of(rod)
    if faces is None:
        return False
    middle = scene.pose(rod).point(faces.box.mean(axis=0))
    radius = max(m.surface.radius for m in line.of((bearing,)))
    length = scene.extent(rod, line.direction)
    near = abs(float((middle - line.middle((bearing,))) @ line.direction)) < length / 2
    across = [scene.extent(rod, way) for way in frame_from_axis(line.direction).T[:2]]
    slender = length > ROD * scene.extent(bearing, line.direction) and max(across) < 2 * radius
    return near and slender and cross_length(middle - line.point, line.direction) < OFF_AXIS * radius


def named_on(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of a wheel or a servo's horn by its name, one part, on an axis of the others: it is there to turn.

    A wheel is round outside about a round face of theirs; a horn has a round face about a shaft of theirs. The axle is
    not drawn, or fits neither hole. On what turns about that axis already it is fastened.
    """
    scene, joints = seen.scene, [*seen.joints, *seen.found]
    for own, others in ((first, second), (second, first)):
        name = min(own)
        if len(own) > 1 or not (name in seen.rollers or name in seen.horns):
            continue
        wheel = name in seen.rollers
        lines = [
            line for line in scene.contacts.lines_on([name])
            if (_on_round(scene, name, line, others) if wheel else _on_shaft(line, others))
        ]  # fmt: skip
        if len(lines) == 1:
            at, way = lines[0].middle((name,)), lines[0].direction
            text = f"{'a wheel' if wheel else 'the horn of a servo'} by its name, on an axis of the other"
            verdict = Verdict("revolute", at, way, (text,), ("no axle is drawn",), 0.45)
            hinge = joint_of(scene, min(first), min(second), verdict)
            turns = any(one_axis(scene, j, hinge) for j in joints if {j.a, j.b} & {hinge.a, hinge.b})
            return None if turns else hinge
    return None


def _on_round(scene: Scene, name: str, line: Line, others: set[str]) -> bool:
    """Whether a part is round outside about a line, on which some others have a round face."""
    return bool(line.of(others)) and round_outside(scene, name, line.point, line.direction)


def _on_shaft(line: Line, others: set[str]) -> bool:
    """Whether some others have a shaft on a line, which is round enough to turn by."""
    return any(not m.surface.hollow and m.surface.turn >= ROUNDED for m in line.of(others))


def _turns(seen: Seen, pinion: str, base: set[str]) -> bool:
    """Whether a pinion turns on a body."""
    group = seen.scene.groups.group
    ends = [(group(j.a), group(j.b)) for j in (*seen.joints, *seen.found) if j.verdict.free == HINGE]
    return any(group(pinion) in pair and base in pair for pair in ends)

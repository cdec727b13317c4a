"""Joints that others imply: a disc of its own where two bodies meet, a fork above its wheel, a rack on its pinion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.frames import Vector, cross_length
from cadbridge.freedoms import HINGE
from cadbridge.recognition.candidates import Candidate, by_body, joint_of
from cadbridge.recognition.contacts import ALONG, ONE_LINE, Line, common_face, parallel, square
from cadbridge.recognition.placed_wheels import MeshingPair
from cadbridge.recognition.round_pairs import CENTRED, round_lines
from cadbridge.recognition.scene import Scene
from cadbridge.recognition.seated import round_outside
from cadbridge.recognition.spinning import only_spins
from cadbridge.recognition.walls import Verdict
from cadbridge.recognition.wheel_kinds import WheelKind

WIDE_PIVOT = 0.25
"""Radius of a pivot's disc beside that of a disc of the area in contact, at least: less is a dowel or a magnet.

54 machines have 0.82 and more. Tests: 0.74 (`test_pivots`).
"""

DISC_SUNK = 0.25
"""Of its thickness: how far a pivot's disc ends before the faces in contact, at most. 54 machines: 0.135 | 0.588.

Tests: 0.013 (`test_pivots`).
"""

TRAIL = 0.1
"""Distance between the axes of a wheel and of its fork beside the wheel's size, from which the wheel trails.

54 machines: 0.015 | 0.126. Tests: 0 | 0.33 (`test_pivots`).
"""


class Pivots:
    """The round parts that only spin in a body, and the wheels, of the joints so far."""

    def __init__(self, scene: Scene, joints: Sequence[Candidate], pairs: Sequence[MeshingPair]) -> None:
        self._scene, root = scene, scene.groups.root
        # By the bodies of this moment: what was tied since a joint was found may have made one of its two.
        self._joints = joints = [replace(c, a=a, b=b) for c in joints if (a := root(c.a)) != (b := root(c.b))]
        self._racks = [p for p in pairs if p.b.wheel.kind is WheelKind.RACK and not p.against]
        of_body, members = by_body(joints), scene.groups.members()
        self._discs = [
            (members[leaf][0], min(members[joint.other(leaf)]), joint)
            for joint in joints if joint.verdict.free == HINGE
            for leaf in (joint.a, joint.b) if len(of_body[leaf]) == 1 and len(members[leaf]) == 1
            and scene.revolution(members[leaf][0]) is not None and only_spins(scene, members[leaf], joint)
        ]  # fmt: skip

    def about_disc(self, first: set[str], second: set[str]) -> Candidate | None:
        """The hinge of two bodies that lie on each other about a disc that stands in one of them: a motor, a bearing.

        It would only spin there, and is drawn so that the other may turn on it. It goes with what it stands in.
        """
        contacts = self._scene.contacts.between(first, second)
        if not contacts or any(c.kind != "plane" for c in contacts):
            return None
        area, middle = common_face(contacts)
        reach = math.sqrt(area / math.pi)
        normal = contacts[0].direction
        if any(abs(float(c.direction @ normal)) < ALONG for c in contacts):
            return None
        near = [
            (disc, host, joint) for disc, host, joint in self._discs
            if disc not in first | second and host in first | second and self._at(disc, middle, normal, reach)
        ]  # fmt: skip
        # Two discs locate the one on the other, as two dowels do.
        if len(near) != 1:
            return None
        disc, host, joint = near[0]
        point, axis = joint.verdict.point, joint.verdict.axis
        self._scene.bind(disc, host, "the pivot between it and what lies on it: it would only spin", 0.6)
        text = f"faces on each other over {area * 1e6:.4g} mm² about a disc of its own, {disc.rsplit('/', 1)[-1]}"
        verdict = Verdict("revolute", point, axis, (text,), ("the disc may be a dowel",), 0.5)
        return joint_of(self._scene, min(first), min(second), verdict)

    def _at(self, disc: str, middle: Vector, normal: Vector, reach: float) -> bool:
        """Whether a disc stands square to some faces, about their middle, and ends there."""
        body, X = self._scene.revolution(disc), self._scene.pose(disc)
        assert body is not None
        axis, foot = X.vector(body.direction), X.point(body.point)
        # What is longer than wide is a shaft or a dowel, and stands deep in one of the two.
        if abs(float(axis @ normal)) < ALONG or body.outer < WIDE_PIVOT * reach or body.length > 2 * body.outer:
            return False
        at = float((middle - foot) @ axis)
        ends = body.low - DISC_SUNK * body.length <= at <= body.high + DISC_SUNK * body.length
        return ends and cross_length(middle - foot, axis) <= CENTRED * reach

    def swivel(self, first: set[str], second: set[str], found: Sequence[Candidate]) -> Candidate | None:
        """The hinge of a fork that carries a wheel beside its axis, on the one line that it shares with a plate.

        A wheel that trails is steered by what it rolls on: a caster. Its swivel's bearing is often not drawn.
        """
        lines = round_lines(self._scene, first, second)
        # What has several lines in common with a plate is screwed to it.
        if len(lines) != 1:
            return None
        line = lines[0]
        wheels = [w for own in (first, second) for w in self._trailing(own, line, found)]
        if len(wheels) != 1:
            return None
        text = f"a fork whose wheel {wheels[0].rsplit('/', 1)[-1]} trails, on one line with what is above it"
        at = line.middle(first | second)
        verdict = Verdict("revolute", at, line.direction, (text,), ("no bearing is drawn",), 0.5)
        return joint_of(self._scene, min(first), min(second), verdict)

    def _trailing(self, fork: set[str], line: Line, found: Sequence[Candidate]) -> Iterator[str]:
        """The wheels between the sides of a fork whose axis is square to a line and passes it; they carry nothing."""
        scene, joints = self._scene, [*self._joints, *found]
        for joint in joints:
            axis, point = joint.verdict.axis, joint.verdict.point
            sides = [scene.groups.group(joint.a), scene.groups.group(joint.b)]
            if axis is None or joint.verdict.free != HINGE or sides.count(fork) != 1:
                continue
            (wheel,) = (names for names in sides if names != fork)
            name = max(wheel, key=lambda n: (scene.size(n), n))
            off, size = float(np.cross(axis, line.direction) @ (point - line.point)), scene.extent(name, line.direction)
            trails = square(axis, line.direction) and TRAIL * size < abs(off) < size
            if not trails or sum(wheel in map(scene.groups.group, (j.a, j.b)) for j in joints) > 1:
                continue
            if round_outside(scene, name, point, axis) and self._between(name, fork, point, axis):
                yield name

    def _between(self, wheel: str, fork: set[str], point: Vector, axis: Vector) -> bool:
        """Whether a fork has round faces on both sides of a wheel on its axis."""
        for line in self._scene.contacts.lines_on([wheel]):
            own = line.of((wheel,))
            same = parallel(line.direction, axis) and cross_length(line.point - point, axis) < ONE_LINE
            low, high = min(m.low for m in own), max(m.high for m in own)
            others = line.of(fork)
            if same and any(m.high < high and m.low < low for m in others):
                return any(m.low > low and m.high > high for m in others)
        return False

    def rack(self, first: set[str], second: set[str], found: Sequence[Candidate]) -> Candidate | None:
        """The slide of a rack along what it lies on, if its pinion turns on that: fixed, it would lock the pinion."""
        for pair in self._racks:
            for rack, base in ((first, second), (second, first)):
                if pair.b.instance in rack and self._turns(pair.a.instance, base, found):
                    text = f"a rack whose pinion {pair.a.instance.rsplit('/', 1)[-1]} turns on what it lies on"
                    at, way = pair.b.wheel.point, pair.b.wheel.axis
                    verdict = Verdict("prismatic", at, way, (text,), ("no walls guide it",), 0.5)
                    return joint_of(self._scene, min(first), min(second), verdict)
        return None

    def _turns(self, pinion: str, base: set[str], found: Sequence[Candidate]) -> bool:
        own = self._scene.groups.group(pinion)
        return any(
            joint.verdict.free == HINGE and own in (sides := [*map(self._scene.groups.group, (joint.a, joint.b))])
            and base in sides for joint in (*self._joints, *found)
        )  # fmt: skip

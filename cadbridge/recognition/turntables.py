"""Bodies that lie on each other about an axis that both are round about: a turntable, a servo's horn, a robot's waist.

No shaft is drawn, or it does not fit; but the faces that touch lie about one axis, round faces of both bodies end
there, and nothing else locates one on the other: a bolted flange has its holes, a seat its edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.candidates import Candidate, joint_of
from cadbridge.recognition.contacts import (
    ALONG,
    EXACT_SLACK,
    ON_AXIS,
    ONE_LINE,
    ROUNDING,
    Contact,
    Line,
    Placed,
    common_face,
)
from cadbridge.recognition.pins import ROUNDED
from cadbridge.recognition.round_pairs import (
    CENTRED,
    RoundEnds,
    drums_of,
    ends_at,
    gap_between,
    in_line,
    may_be_bolted,
    stands_in,
)
from cadbridge.recognition.scene import Scene
from cadbridge.recognition.walls import Verdict

IN_THE_MIDDLE = 0.1
"""Of the radius of a disc of the area in contact: how far its middle may be off the only round face there. A choice."""

SMALL_FOOT = 0.02
"""Share of the other's size below which what only spins is a foot, a knob or a cap, and no turntable.

54 machines have 0.07 and more. Tests: 0.0005 | 0.95 (`test_links`, `test_turntables`).
"""


class Turntables:
    """Which of the pairs that merely lie on each other may turn. Lines are looked up by instance."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._ends_of: dict[int, RoundEnds] = {}

    def between(self, first: set[str], second: set[str]) -> Candidate | None:
        """The hinge between two bodies; None where they lie on each other in some other way."""
        scene = self._scene
        contacts = scene.contacts.between(first, second)
        # Where a shaft or a bolt is between the two, that says what is free, and a clamp lies on what it holds.
        if any(c.kind != "plane" for c in contacts) or any(scene.is_clamp(name) for name in first | second):
            return None
        if not contacts:
            return self._sunk(first, second)
        normal = max(contacts, key=lambda c: c.overlap).direction
        # Faces of an open shell have no inside and outside: they say less than a shaft in its bore.
        if not all(self._solid(name) for c in contacts for name in c.pair) or any(
            abs(float(c.direction @ normal)) < ALONG for c in contacts
        ):
            return None
        line = self._axis(contacts, first, second)
        if line is None and scene.links_only:
            return self._on_one(contacts, normal)
        if line is None or self._knob(first, second) or self._knob(second, first):
            return None
        area, middle = common_face(contacts)
        text = f"faces on each other over {area * 1e6:.4g} mm² about an axis that both are round about"
        point = line.point + float((middle - line.point) @ line.direction) * line.direction
        verdict = Verdict("revolute", point, line.direction, (text,), ("no shaft and no bore",), 0.5)
        return joint_of(scene, min(first), min(second), verdict, contacts)

    def _axis(self, contacts: Sequence[Contact], first: set[str], second: set[str]) -> Line | None:
        """The one line that both bodies are round about where they touch, in the middle of what touches."""
        area, middle = common_face(contacts)
        touching = sorted({name for c in contacts for name in c.pair} & first)
        found: dict[int, Line] = {}
        holes = 0
        for line in self._scene.contacts.lines_on(touching):
            if abs(float(line.direction @ contacts[0].direction)) < ALONG:
                continue
            sides = [line.of(own) for own in (first, second)]
            if not all(sides):
                continue
            holes += may_be_bolted(sides)
            if not all(any(ends_at(m, line, contacts) for m in side) for side in sides):
                continue
            off = cross_length(middle - line.point, line.direction)
            if off <= CENTRED * math.sqrt(area / math.pi):
                found[id(line)] = line
        # One hole on the axis may be the bore; a second one that fits a screw makes the faces a bolted flange.
        return next(iter(found.values())) if len(found) == 1 and holes <= 1 else None

    def _on_one(self, contacts: Sequence[Contact], normal: Vector) -> Candidate | None:
        """The hinge about the middle of what touches, where round faces of one of two bodies lie about that."""
        area, middle = common_face(contacts)
        about = [face for c in contacts for name in c.pair for face in self._round_faces(name, c.point, normal)]
        offs = [cross_length(middle - foot, normal) for _, foot in about]
        # Where another round face begins or ends there, nothing says which of the two it turns about.
        if not about or max(offs) > IN_THE_MIDDLE * math.sqrt(area / math.pi):
            return None
        _, foot = max(about, key=lambda face: face[0])
        middle = foot + float((middle - foot) @ normal) * normal
        text = f"faces on each other over {area * 1e6:.4g} mm², in whose middle one of them is round"
        against = ("no shaft and no bore", "the other is not round there")
        verdict = Verdict("revolute", middle, normal, (text,), against, 0.4)
        return joint_of(self._scene, *contacts[0].pair, verdict, contacts)

    def _round_faces(self, name: str, point: Vector, axis: Vector) -> Iterator[tuple[float, Vector]]:
        """Radius and foot of each round face of a part along an axis that begins or ends at the height of a point."""
        known, X = self._scene.faces_of(name), self._scene.pose(name)
        for s in () if known is None else known.of("cylinder", "cone"):
            direction, foot = X.vector(s.direction), X.point(s.point)
            along = float((point - foot) @ direction)
            ends = min(abs(along - s.low), abs(along - s.high)) <= ON_AXIS * s.radius + EXACT_SLACK
            if ends and s.turn >= ROUNDED and abs(float(direction @ axis)) > ALONG:
                yield s.radius, foot

    def _ends(self, line: Line) -> RoundEnds:
        """Where the round faces on a line begin and end, found once: a row of equal units has many on one line."""
        if id(line) not in self._ends_of:
            self._ends_of[id(line)] = RoundEnds(line.members)
        return self._ends_of[id(line)]

    def drawn_apart(self, names: Sequence[str], others: set[str]) -> Candidate | None:
        """The hinge of instances that touch none of some others, where a shaft and its bore stand on one line.

        An exploded view, a pose that was never solved, or a part in between that was left out.
        """
        own = set(names)
        found: list[tuple[float, Line, Placed, Placed]] = []
        for line in self._scene.contacts.lines_on(names):
            for m in line.of(own):
                near = (n for n in self._ends(line).near(m) if n.instance in others)
                found += [(gap, line, m, n) for n in near if (gap := gap_between(m, n)) is not None]
        if not found:
            return None
        gap, line, m, n = min(found, key=lambda f: (f[0], f[3].instance))
        # Two lines that fit hold fast: nothing says which of them, if any, is a pivot.
        if any(cross_length(k.point - line.point, line.direction) > ONE_LINE for _, k, _, _ in found):
            return None
        text = f"a shaft of radius {1e3 * m.surface.radius:.4g} mm and a bore that fits it, on one line"
        apart = f"drawn {1e3 * gap:.4g} mm apart along it" if gap > ROUNDING else "drawn end to end, not in each other"
        verdict = Verdict("revolute", line.amid(m, n), line.direction, (text,), (apart,), 0.35)
        return joint_of(self._scene, m.instance, n.instance, verdict)

    def _sunk(self, first: set[str], second: set[str]) -> Candidate | None:
        """The hinge of two bodies that reach into each other about the one line on which one stands in the other.

        A splined shaft in the round hole of a horn, drawn without its fit.
        """
        found: dict[int, tuple[Line, Placed, Placed]] = {}
        for line in self._scene.contacts.lines_on(first):
            pairs = [
                (m, n)
                for m, n in product(line.of(first), line.of(second))
                if m.surface.hollow != n.surface.hollow and in_line(m, n)
            ]
            if pairs:
                m, n = max(pairs, key=lambda pair: min(p.surface.area for p in pair))
                found[id(line)] = (line, m, n)
        if not found:
            apart = self._scene.links_only
            return self.beside(first, second) or (self.drawn_apart(sorted(first), second) if apart else None)
        # Within one sub-assembly what overlaps about a line is pressed in or simplified far more often than it turns.
        if len(found) != 1 or self._scene.shared(next(iter(sorted(first))), next(iter(sorted(second)))):
            return None
        line, m, n = next(iter(found.values()))
        text = f"one reaches into the other about one line, radii {1e3 * m.surface.radius:.4g} and "
        text += f"{1e3 * n.surface.radius:.4g} mm"
        verdict = Verdict("revolute", line.amid(m, n), line.direction, (text,), ("the two overlap",), 0.4)
        return joint_of(self._scene, m.instance, n.instance, verdict)

    def beside(self, first: set[str], second: set[str]) -> Candidate | None:
        """The hinge of two bodies of which one's shaft stands beside the axis of the other's bore: an unsolved pose."""
        scene = self._scene
        shafts, bores = (
            [m for names in (first, second) for m in drums_of(scene, names) if m.surface.hollow == hollow]
            for hollow in (False, True)
        )
        found = [
            (shaft, bore) for bore in bores for shaft in shafts
            if (shaft.instance in first) != (bore.instance in first) and stands_in(scene, shaft, bore)
        ]  # fmt: skip
        if len(found) != 1:
            return None
        shaft, bore = found[0]
        off = 1e3 * cross_length(shaft.point - bore.point, bore.direction)
        text = f"a shaft of radius {1e3 * shaft.surface.radius:.4g} mm in a bore that fits it"
        against = (f"drawn {off:.3g} mm beside its axis",)
        verdict = Verdict("revolute", bore.point, bore.direction, (text,), against, 0.4)
        return joint_of(scene, shaft.instance, bore.instance, verdict)

    def _solid(self, name: str) -> bool:
        shape = self._scene.assembly.part(self._scene.assembly.instance(name).part).shape
        return shape is not None and shape.solids > 0

    def _knob(self, names: set[str], others: set[str]) -> bool:
        """Whether a body is one small part of revolution: turning it shows nothing."""
        size, other = (sum(self._scene.size(n) for n in own) for own in (names, others))
        few = len(names) == 1 and not self._scene.links_only
        return few and size < SMALL_FOOT * other and self._scene.revolution(next(iter(names))) is not None


def still_apart(scene: Scene, turning: Sequence[Candidate], joints: Sequence[Candidate]) -> list[Candidate]:
    """The turntables whose bodies are two and have no other joint, by the bodies as they are now."""
    known, found = {scene.bodies(c.a, c.b) for c in joints}, []
    for c in turning:
        if scene.connects(c.a, c.b) and (pair := scene.bodies(c.a, c.b)) not in known:
            known.add(pair)
            found.append(replace(c, a=min(pair), b=max(pair)))
    return found


def hinged_apart(scene: Scene, groups: Sequence[list[str]]) -> tuple[list[list[str]], list[Candidate]]:
    """Of groups of instances that touch nothing those that stay so, and the hinges of the others.

    Only in models of links: in a machine what touches nothing is a part that floats, or is held by what is not drawn.
    """
    if not scene.links_only:
        return list(groups), []
    turntables = Turntables(scene)
    names = {i.name for i in scene.assembly.instances}
    left, found = [], []
    for group in groups:
        hinge = turntables.drawn_apart(group, names - set(group))
        if hinge is None:
            left.append(group)
        else:
            found.append(hinge)
    return left, found

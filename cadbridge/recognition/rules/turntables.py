"""Bodies that lie on each other about an axis that both are round about: a turntable, a servo's horn, a robot's waist.

No shaft is drawn, or it does not fit; but the faces that touch lie about one axis, round faces of both bodies end
there, and nothing else locates one on the other: a bolted flange has its holes, a seat its edges.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import product

from cadbridge.frames import cross_length
from cadbridge.freedoms import HINGE
from cadbridge.recognition.contacts.contacts import ALONG, Contact, Line, Placed, common_face
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.candidates import Candidate, Jointed, joint_of
from cadbridge.recognition.evidence.pins import ROUNDED
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.evidence.spinning import only_spins
from cadbridge.recognition.rules.round_pairs import (
    CENTRED,
    drums_of,
    ends_at,
    in_line,
    may_be_bolted,
    stands_in,
    wheels_beside,
)
from cadbridge.recognition.standard.roles import called_to_move

DRAWN_BESIDE = 1e-5
"""m by which an axis is said to be drawn beside another: less is the rounding of placements. A choice."""


def turntable(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge between two bodies; None where they lie on each other in some other way."""
    contacts = scene.contacts.between(first, second)
    # Where a shaft or a bolt is between the two, that says what is free, and a clamp lies on what it holds.
    if any(c.kind != "plane" for c in contacts):
        return None
    if any(scene.is_clamp(name) for name in first | second):
        # But a wheel turns on a knuckle, whatever is screwed to that.
        return None if contacts else wheel_beside(scene, first, second)
    if not contacts:
        return _sunk(scene, first, second)
    normal = max(contacts, key=lambda c: c.overlap).direction
    # Faces of an open shell have no inside and outside: they say less than a shaft in its bore.
    if not all(_solid(scene, name) for c in contacts for name in c.pair) or any(
        abs(float(c.direction @ normal)) < ALONG for c in contacts
    ):
        return None
    line = _axis(scene, contacts, first, second)
    if line is None:
        return None
    area, middle = common_face(contacts)
    text = f"faces on each other over {area * 1e6:.4g} mm² about an axis that both are round about"
    point = line.point + float((middle - line.point) @ line.direction) * line.direction
    verdict = Verdict("revolute", point, line.direction, (text,), ("no shaft and no bore",), 0.5)
    return joint_of(scene, min(first), min(second), verdict, contacts)


def _axis(scene: Scene, contacts: Sequence[Contact], first: set[str], second: set[str]) -> Line | None:
    """The one line that both bodies are round about where they touch, in the middle of what touches."""
    area, middle = common_face(contacts)
    touching = sorted({name for c in contacts for name in c.pair} & first)
    found: dict[int, Line] = {}
    holes = 0
    for line in scene.contacts.lines_on(touching):
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


def _sunk(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two bodies that reach into each other about the one line on which one stands in the other.

    A splined shaft in the round hole of a horn, drawn without its fit.
    """
    found: dict[int, tuple[Line, Placed, Placed]] = {}
    for line in scene.contacts.lines_on(first):
        pairs = [
            (m, n)
            for m, n in product(line.of(first), line.of(second))
            if m.surface.hollow != n.surface.hollow and in_line(m, n)
        ]
        if pairs:
            m, n = max(pairs, key=lambda pair: min(p.surface.area for p in pair))
            found[id(line)] = (line, m, n)
    if not found:
        return drawn_beside(scene, first, second)
    # Within one sub-assembly what overlaps about a line is pressed in or simplified far more often than it turns.
    if (
        len(found) != 1
        or _bolted(scene, first, second)
        or scene.shared(next(iter(sorted(first))), next(iter(sorted(second))))
    ):
        return None
    line, m, n = next(iter(found.values()))
    text = f"one reaches into the other about one line, radii {1e3 * m.surface.radius:.4g} and "
    text += f"{1e3 * n.surface.radius:.4g} mm"
    verdict = Verdict("revolute", line.amid(m, n), line.direction, (text,), ("the two overlap",), 0.4)
    return joint_of(scene, m.instance, n.instance, verdict)


def _bolted(scene: Scene, first: set[str], second: set[str]) -> bool:
    """Whether several holes of two bodies lie on lines that both have: a circle of bolts, drawn into each other."""
    sides = (
        [[m for m in line.of(own) if m.surface.turn >= ROUNDED] for own in (first, second)]
        for line in scene.contacts.lines_on(sorted(first))
    )
    return sum(map(may_be_bolted, sides)) > 1


def drawn_beside(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two bodies of which one's shaft stands beside the axis of the other's bore: an unsolved pose."""
    shafts, bores = (
        [m for names in (first, second) for m in drums_of(scene, names) if m.surface.hollow == hollow]
        for hollow in (False, True)
    )
    found = [
        (shaft, bore) for bore in bores for shaft in shafts
        if (shaft.instance in first) != (bore.instance in first) and stands_in(scene, shaft, bore)
    ]  # fmt: skip
    return _beside(scene, *found[0]) if len(found) == 1 else wheel_beside(scene, first, second)


def wheel_beside(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of a wheel that was drawn a little beside its axle."""
    found = wheels_beside(scene, first, second)
    return _beside(scene, *found[0]) if found else None


def _beside(scene: Scene, shaft: Placed, bore: Placed) -> Candidate:
    off = cross_length(shaft.point - bore.point, bore.direction)
    text = f"a shaft of radius {1e3 * shaft.surface.radius:.4g} mm in a bore that fits it"
    against = (f"drawn {1e3 * off:.3g} mm beside its axis",) if off > DRAWN_BESIDE else ()
    verdict = Verdict("revolute", bore.point, bore.direction, (text,), against, 0.4)
    return joint_of(scene, shaft.instance, bore.instance, verdict)


def _solid(scene: Scene, name: str) -> bool:
    shape = scene.assembly.part(scene.assembly.instance(name).part).shape
    return shape is not None and shape.solids > 0


def bind_standing(now: Jointed, toothed: Collection[str], names: bool) -> None:
    """Bind what is round and carries nothing to the face on which it stands: a post, a foot or a suction cup.

    What is called a wheel, or stands on one (where `names` are a witness), or has teeth, turns there.
    """
    scene = now.scene
    standing = [j for j in now.joints if j.contacts and all(c.kind == "plane" for c in j.contacts)]
    for joint, leaf, _ in now.leaves([j for j in standing if j.verdict.free == HINGE]):
        members = now.members[leaf]
        touching = {name for c in joint.contacts for name in c.pair}
        moves = {*toothed, *scene.on_shafts} & {*members} or any(
            names and called_to_move(scene.called(name)) for name in touching
        )
        if not moves and only_spins(scene, members, joint):
            scene.bind(*joint.contacts[0].pair, "only spins on the face on which it stands", 0.6)


def still_apart(scene: Scene, turning: Sequence[Candidate], joints: Sequence[Candidate]) -> list[Candidate]:
    """The turntables whose bodies are two and have no other joint, by the bodies as they are now."""
    known, found = {scene.bodies(c.a, c.b) for c in joints}, []
    for c in turning:
        if scene.connects(c.a, c.b) and (pair := scene.bodies(c.a, c.b)) not in known:
            known.add(pair)
            found.append(replace(c, a=min(pair), b=max(pair)))
    return found

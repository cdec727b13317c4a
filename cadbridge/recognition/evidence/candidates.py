"""Pairs of bodies that may be joints, by their contacts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.frames import Vector, cross_length
from cadbridge.freedoms import HINGE, SLIDE
from cadbridge.recognition.contacts.contacts import ALONG, EXACT_SLACK, ON_AXIS, Contact, Placed, parallel
from cadbridge.recognition.contacts.one_line import NOTHING_ALONG
from cadbridge.recognition.contacts.walls import Verdict, Witness
from cadbridge.recognition.evidence.pins import HOLE_TURN
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.faces.revolution import SLIM_RING
from cadbridge.recognition.groups import Groups
from cadbridge.wording import count

MOVING = ("revolute", "prismatic", "cylindrical", "spherical")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A pair of bodies (by their roots) that may be a joint."""

    a: str
    b: str
    verdict: Verdict
    contacts: tuple[Contact, ...]
    alike: tuple[str, str] | None = None
    """The two instances of a joint that only an equal pair shows."""
    model: tuple[str, str] | None = None
    """The instances of that equal pair."""

    def other(self, body: str) -> str:
        """The other body of the pair."""
        return self.b if body == self.a else self.a


class Jointed:
    """The bodies and joints as they are now: `members`, `sizes` (m³), joints `of` each, contacts `between` two."""

    def __init__(self, scene: Scene, joints: Sequence[Candidate]) -> None:
        self.scene, self.joints = scene, joints
        self.members, self.between = scene.groups.members(), scene.between()
        self.sizes, self.of = scene.sizes(self.members), by_body(joints)

    def leaves(self, joints: Sequence[Candidate]) -> Iterator[tuple[Candidate, str, str]]:
        """Of some joints each whose smaller body has no other one, with that body and the one that it stands on."""
        for joint in joints:
            leaf = min((joint.a, joint.b), key=lambda body: (self.sizes[body], body))
            if len(self.of[leaf]) == 1:
                yield joint, leaf, joint.other(leaf)


def joint_of(scene: Scene, a: str, b: str, verdict: Verdict, contacts: Sequence[Contact] = ()) -> Candidate:
    """The joint of the bodies of two instances."""
    low, high = sorted((scene.groups.root(a), scene.groups.root(b)))
    return Candidate(low, high, verdict, tuple(contacts))


def linked_by(scene: Scene, joints: Sequence[Candidate]) -> Groups:
    """The instances that bodies and joints connect."""
    linked = Groups(scene.groups.names)
    for names in scene.groups.members().values():
        for name in names[1:]:
            linked.join(names[0], name)
    for joint in joints:
        linked.join(joint.a, joint.b)
    return linked


def by_body(joints: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    """The joints of each body that has any, by its root."""
    found: dict[str, list[Candidate]] = defaultdict(list)
    for joint in joints:
        found[joint.a].append(joint)
        found[joint.b].append(joint)
    return dict(found)


def one_axis(scene: Scene, a: Candidate, b: Candidate, near: float = EXACT_SLACK) -> bool:
    """Whether two joints turn about one line, to `near` m."""
    if a.verdict.axis is None or b.verdict.axis is None or a.verdict.free.motion == SLIDE:
        return False
    if not parallel(a.verdict.axis, b.verdict.axis):
        return False
    off = cross_length(a.verdict.point - b.verdict.point, b.verdict.axis)
    return off <= 3 * scene.contacts.slack + near


def stopped_slides(joints: Sequence[Candidate]) -> list[Candidate]:
    """The joints that slide between plane faces and that something speaks against, such as a face across."""
    return [
        j for j in joints
        if j.verdict.free.motion == SLIDE and j.verdict.against and all(c.kind == "plane" for c in j.contacts)
    ]  # fmt: skip


def candidates_of(scene: Scene, members: dict[str, list[str]]) -> list[Candidate]:
    """The joints between bodies (instances by their roots) that their contacts speak for, those driven left out."""
    found = []
    driven, rolling = _driven(scene), scene.rolling_bodies
    for (a, b), contacts in scene.between().items():
        # The holes in which it is screwed to the output would say a weld.
        if frozenset((a, b)) in driven:
            continue
        balls = rolling.get(frozenset((a, b)))
        verdict = _on_balls(balls) if balls else scene.verdict(a, b, contacts, members)
        verdict = None if verdict is None else _running(scene, contacts, _roller(scene, members, (a, b), verdict))
        if verdict is not None and verdict.type in MOVING and not _spacer(scene, members, (a, b), verdict, contacts):
            found.append(Candidate(a, b, verdict, tuple(contacts)))
    known = {frozenset((c.a, c.b)) for c in found}
    for pair, balls in rolling.items():
        if len(pair) == 2 and pair not in known:
            found.append(joint_of(scene, min(pair), max(pair), _on_balls(balls), balls))
    return [c for c in (*_unlocked(scene, found, scene.sizes(members)), *driven.values()) if scene.connects(c.a, c.b)]


def _spacer(
    scene: Scene, members: dict[str, list[str]], roots: tuple[str, str], verdict: Verdict, contacts: Sequence[Contact]
) -> bool:
    """Whether one of two bodies is a single small part about its one hole, which goes on in the other without a pin.

    A spacer, a standoff or a grommet, which turns on nothing. A part with a hole across that one is a link.
    """
    holes = [c for c in contacts if c.kind == "holes"]
    linked = scene.links_only and any(c.kind == "eyes" for c in contacts)
    if linked or verdict.axis is None or {c.kind for c in contacts} - {"plane", "eyes"} != {"holes"}:
        return False
    if not all(c.a.surface.hollow for c in holes):
        return False
    widest = SLIM_RING * max(c.radius for c in holes)
    return any(
        len(members[root]) == 1
        and _half_width(scene, members[root][0], verdict.axis) <= widest
        and not _hole_across(scene, members[root][0], verdict.axis)
        for root in roots
    )


def _hole_across(scene: Scene, name: str, axis: Vector) -> bool:
    """Whether an instance has a hole along another direction than an axis."""
    known, X = scene.faces_of(name), scene.pose(name)
    return known is not None and any(
        s.hollow and s.turn >= HOLE_TURN and abs(float(X.vector(s.direction) @ axis)) < ALONG
        for s in known.of("cylinder")
    )


def _half_width(scene: Scene, name: str, axis: Vector) -> float:
    """Half of how far an instance reaches across an axis, m, by its box."""
    known = scene.faces_of(name)
    if known is None:
        return 0.0
    size = np.abs(scene.pose(name).R) @ np.ptp(known.box, axis=0)
    return float(np.delete(size, int(np.argmax(np.abs(axis)))).max()) / 2


def _unlocked(scene: Scene, found: Sequence[Candidate], sizes: Mapping[str, float]) -> list[Candidate]:
    """The candidates but for hinges of a wheel on a body whose teeth it meshes with, if it has one as sure elsewhere.

    A planet in its ring, the smaller of the two, turns on a carrier: on the ring itself its teeth would lock it.
    """
    if not scene.meshing:
        return list(found)
    meshing = {scene.bodies(*pair) for pair in scene.meshing}
    surest: dict[str, float] = defaultdict(float)
    for c in found:
        if frozenset((c.a, c.b)) not in meshing and c.verdict.free == HINGE:
            for body in (c.a, c.b):
                surest[body] = max(surest[body], c.verdict.confidence)
    return [
        c for c in found
        if frozenset((c.a, c.b)) not in meshing
        or surest[min((c.a, c.b), key=lambda body: (sizes[body], body))] < c.verdict.confidence
    ]  # fmt: skip


def _roller(scene: Scene, members: dict[str, list[str]], roots: tuple[str, str], verdict: Verdict) -> Verdict:
    """A verdict by which a lone body of revolution would only slide along its axis as the hinge that it is.

    What is round all about the line, and carries nothing, is no plunger that something pushes: it rolls. What carries
    a wheel whose teeth mesh turns too.
    """
    if not verdict.could_turn or verdict.axis is None:
        return verdict
    meshing = {name for pair in scene.meshing for name in pair}
    for root in roots:
        first = members[root][0]
        round_part = scene.revolution(first) if len(members[root]) == 1 else None
        if meshing & set(members[root]):
            text = "it carries a wheel that meshes"
        elif round_part is not None and parallel(scene.pose(first).vector(round_part.direction), verdict.axis):
            text = "the whole part is round about this line"
        else:
            text = ""
        if text:
            return replace(verdict, type="revolute", evidence=(*verdict.evidence, text), against=(), could_turn=False)
    return verdict


def _running(scene: Scene, contacts: Sequence[Contact], verdict: Verdict) -> Verdict:
    """A verdict by which a linear bearing would turn on its rod as the sleeve that it is, or a piston in its cylinder.

    Wide bearings and pistons are short, and nothing else tells them from a hinge.
    """
    if verdict.type != "revolute" or verdict.against != (NOTHING_ALONG,):
        return verdict
    shafts = [c for c in contacts if c.kind == "shaft"]
    if any(c.b.instance in scene.linear for c in shafts):
        text = "a linear bearing on its rod"
    elif any(c.a.instance in scene.pistons and _widest(scene, c.a) for c in shafts):
        text = "a piston by its name"
    else:
        return verdict
    return replace(verdict, type="cylindrical", evidence=(*verdict.evidence, text), against=())


def _widest(scene: Scene, face: Placed) -> bool:
    """Whether a part has no wider round face: a piston slides by that, and turns on its pin."""
    lines = scene.contacts.lines_on([face.instance])
    radii = [m.surface.radius for line in lines for m in line.of((face.instance,)) if not m.surface.hollow]
    return face.surface.radius >= (1 - ON_AXIS) * max(radii, default=0.0)


def _driven(scene: Scene) -> dict[frozenset[str], Candidate]:
    """What turns on the output of an actuator, by the bodies as they are now."""
    found: dict[frozenset[str], Candidate] = {}
    for d in scene.driven:
        if len(pair := scene.bodies(d.case, d.on)) == 2:
            verdict = replace(d.verdict, witness=Witness.DRIVE)
            found.setdefault(pair, joint_of(scene, d.case, d.on, verdict, d.contacts))
    return found


def _on_balls(balls: Sequence[Contact]) -> Verdict:
    text = f"{count(len(balls), 'ball bearing')} on the axis"
    return Verdict("revolute", balls[0].point, balls[0].direction, (text,), (), 0.98)

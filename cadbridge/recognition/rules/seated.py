"""What its place seats: it could move by its contacts alone, but is no joint.

A board or a battery in an open tray, which could be drawn out the way it was put in; a plug; a rod that others turn on.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence

import numpy as np

from cadbridge.frames import Vector, cross_length
from cadbridge.freedoms import HINGE, SLEEVE, SLIDE
from cadbridge.recognition.contacts.contacts import parallel
from cadbridge.recognition.contacts.one_line import WIDE_END
from cadbridge.recognition.contacts.walls import Witness
from cadbridge.recognition.evidence.candidates import Candidate, Jointed, one_axis, stopped_slides
from cadbridge.recognition.evidence.drives import is_drive
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.evidence.spinning import SPINS_ON_AXIS, only_spins, turns_by
from cadbridge.recognition.rules.joints import spins_count
from cadbridge.recognition.standard.names import StandardKind, named_kinds
from cadbridge.recognition.standard.roles import SCREWED_ON, SLIDERS, SPACERS, STILL, called, called_last

SMALL_PLUG = 0.1
"""Size of a stud or a plug beside the body in whose bore it stands, at most. A choice, with no gap in what is seen: 54
machines have 0.0997 | 0.11."""

SLIM_HEAD = 2.2
"""Reach of a screw's head from its axis beside the radius of its shank, at most: ISO's widest has 2.2. 54 machines:
2.14 | 2.48. Tests: 2.08 | 2.92 (`test_seated`)."""

STUD_SUNK = 0.5
"""Of its length: how much of a stud or a plug is in its bore at least. 54 machines: 0.474 | 0.515, so a choice."""

SPINS = "a round rod on which others turn: it would only spin"
"""Why a rod is bound."""

ROUND_OUTSIDE = 0.7
"""Radius of the widest round face about an axis beside half of the part's width, from which it is round outside. 1/√2
is a square bar with rounded edges. 54 machines: 0.567 | 1."""

SMALL_IN_TRAY = 0.25
"""Size of what an open tray holds beside the tray, at most. 54 machines have 0.10 and less. Tests: 0.067
(`test_seated`)."""

MANY_SLIDES = 6
"""Equal parts that each but slide in one body, from which they are set into it. A choice: 198 machines: 2 (jaws) | 10
(magnets of a motor)."""

PUT_ON = "put on or in it, by its name, and carries nothing"


def round_outside(scene: Scene, name: str, point: Vector, axis: Vector) -> bool:
    """Whether a part's box is square across a line and centred on it, and a round face about it is nearly as wide."""
    known, X_IW = scene.faces_of(name), scene.pose(name).inverse()
    foot, way = X_IW.point(point), X_IW.vector(axis)
    half = None if known is None else known.square_about(foot, way, SPINS_ON_AXIS)
    return known is not None and half is not None and any(
        outer >= ROUND_OUTSIDE * half and not s.hollow and parallel(s.direction, way)
        and cross_length(s.point - foot, way) < SPINS_ON_AXIS * 2 * half
        for kind in ("cylinder", "torus") for s in known.of(kind)
        # A tyre is as wide as its middle circle and its section.
        if (outer := s.radius + (s.second if kind == "torus" else 0.0))
    )  # fmt: skip


def bind_spinning(now: Jointed, toothed: Collection[str]) -> None:
    """Bind a rod about which several bodies turn, and that is round and turns on one line alone.

    Its own spin moves nothing: it goes with the largest of them. Rods that other joints hold too, that have teeth, or
    that turn on balls stay.
    """
    scene, members, sizes = now.scene, now.members, now.sizes
    # Where the mates of the source leave spins free, what only spins is a freedom of it and no plug.
    for body, own in now.of.items() if not spins_count(scene) else ():
        first = own[0].verdict
        others = {j.other(body) for j in own}
        # With one body alone on it the rod may be what drives it; a joint without contacts says nothing of how it is
        # held.
        if len(others) < 2 or any(j.verdict.free != HINGE or not j.contacts for j in own) or first.axis is None:
            continue
        on_line = all(one_axis(scene, j, own[0]) for j in own)
        # A ring goes with what stands in it, not with what has but a hole in line with it.
        fitted = {j.other(body) for j in own if any(c.kind in ("shaft", "cone") for c in j.contacts)}
        knobs = {j.other(body) for j in own if _closes(now, body, j)}
        # A screw on the rod's own axis draws its end against what it goes through.
        screwed = {j.other(body) for j in own if any(c.kind == "bolt" for c in j.contacts)}
        host = max(others, key=lambda root: (root in knobs, root in screwed, root in fitted, sizes[root], root))
        balls = any(c.kind == "ball" for j in own for c in j.contacts)
        idle = on_line and not balls and not set(members[body]) & set(toothed)
        idle = idle and (host in knobs or sizes[body] < sizes[host])
        if idle and only_spins(scene, members[body], own[0]):
            text = "closes over the end of this rod and carries nothing" if host in knobs else SPINS
            scene.bind(min(members[body]), min(members[host]), text, 0.5)


def _closes(now: Jointed, rod: str, joint: Candidate) -> bool:
    """Whether a body closes over the end of a rod, is round and carries nothing: a cup, a knob."""
    radius = max((c.radius for c in joint.contacts if c.kind == "shaft"), default=0.0)
    bottom = any(
        c.kind == "plane" and min(c.a.surface.area, c.b.surface.area) <= math.pi * (WIDE_END * radius) ** 2
        for c in joint.contacts
    )
    other = joint.other(rod)
    return bottom and len(now.of[other]) == 1 and only_spins(now.scene, now.members[other], joint)


def bind_put_on(scene: Scene, names: bool) -> None:
    """Bind what is called a button, a board, a tyre or the like to the one body that it touches."""
    for name, touching in scene.contacts.of.items() if names else ():
        bodies = {scene.groups.root(n) for c in touching for n in c.pair if n != name}
        if len(bodies) == 1 and name not in scene.on_shafts and called(STILL, scene.called(name)):
            scene.bind(name, min(n for c in touching for n in c.pair if n != name), PUT_ON, 0.6)


def bind_screwed_on(now: Jointed, names: bool) -> None:
    """Bind what is called a bracket, a cover or the like where its hole meets one of another: a screw goes there.

    So does what one bolt holds that is called so, or a nut, and carries nothing. In a model of links each part stands
    for a body.
    """
    for joint in now.joints if names and not now.scene.links_only else ():
        if joint.verdict.witness is Witness.HOLES:
            for a, b in dict.fromkeys(c.pair for c in joint.contacts):
                own, other = now.scene.called(a), now.scene.called(b)
                # No screw goes through what a bearing stands in.
                bearing = StandardKind.BEARING in named_kinds([*own, *other])
                if not bearing and called_last(SCREWED_ON, own) != called_last(SCREWED_ON, other):
                    now.scene.bind(a, b, "screwed on, by its name, where a hole of each meets", 0.5)
    for joint, leaf, _ in now.leaves(now.joints) if names and not now.scene.links_only else ():
        bolted = joint.verdict.witness is Witness.BOLT and joint.contacts
        called = [now.scene.called(name) for name in now.members[leaf]]
        if bolted and all(called_last(SCREWED_ON, own) or StandardKind.NUT in named_kinds(own) for own in called):
            now.scene.bind(*joint.contacts[0].pair, "screwed on by one bolt, by its name, and carries nothing", 0.6)


def bind_plugs(now: Jointed, toothed: Collection[str], names: bool) -> None:
    """Bind a small round part that carries nothing and stands in a bore: a stud, a plug.

    It would only spin there, which moves nothing. What has a bore itself, or teeth, is a roller or a wheel; a piston by
    its name slides. What is called a cap, a board or the like need not be small and round, nor what is called a spacer
    on a bolt.
    """
    scene, members = now.scene, now.members
    for joint, leaf, other in now.leaves(now.joints) if names and not spins_count(scene) else ():
        v = joint.verdict
        moves = {*toothed, *scene.on_shafts, *scene.pistons}
        if v.free not in (HINGE, SLEEVE) or set(members[leaf]) & moves or v.axis is None:
            continue
        # On a motor's shaft a spacer turns with it, though a screw holds it there.
        bolted = any(c.kind == "bolt" for c in joint.contacts) and not any(
            is_drive(scene, name) for name in members[other]
        )
        if all(called(STILL, n) or (bolted and called(SPACERS, n)) for n in map(scene.called, members[leaf])):
            scene.bind(leaf, other, PUT_ON, 0.6)
            continue
        if not now.sizes[leaf] < SMALL_PLUG * now.sizes[other] or not _sunk(scene, members[leaf], joint):
            continue
        # A screw's recess may be of any form, and its head: what counts is that it is round outside, or no lever.
        spins = only_spins(scene, members[leaf], joint) or (
            len(members[leaf]) == 1
            and (round_outside(scene, members[leaf][0], v.point, v.axis) or _slim(scene, members[leaf][0], joint))
        )
        if spins and not any(turns_by(scene, name, joint) for name in members[leaf]):
            scene.bind(leaf, other, "a small round part in a bore: it would only spin, which moves nothing", 0.5)


def _slim(scene: Scene, name: str, joint: Candidate) -> bool:
    """Whether a part reaches from the axis of its joint no farther than the head of a screw does."""
    axis, instance = joint.verdict.axis, scene.assembly.instance(name)
    shape = scene.assembly.part(instance.part).shape
    mesh = None if shape is None else shape.coarse or shape.fine
    radius = min((c.radius for c in joint.contacts if c.kind == "shaft"), default=0.0)
    if mesh is None or axis is None or not len(mesh.vertices):
        return False
    away = np.linalg.norm(np.cross(instance.X_WI.point(mesh.vertices) - joint.verdict.point, axis), axis=1)
    return float(away.max()) <= SLIM_HEAD * radius


def _sunk(scene: Scene, leaf: Sequence[str], joint: Candidate) -> bool:
    """Whether most of a body's length stands in the bore: a rod that sticks out is there for something."""
    axis = joint.verdict.axis
    if axis is None:
        return False
    inside = max((c.overlap for c in joint.contacts if c.kind == "shaft"), default=0.0)
    return inside >= STUD_SUNK * max(scene.extent(name, axis) for name in leaf)


def bind_sets(now: Jointed) -> None:
    """Bind many equal parts that are set into one body and would each but slide out of it: magnets, coils, inserts.

    No machine drives so many slides one by one.
    """
    scene = now.scene
    sets: dict[tuple[str, str], list[str]] = defaultdict(list)
    for joint, leaf, other in now.leaves(now.joints):
        shape = scene.assembly.part(scene.assembly.instance(leaf).part).shape
        if joint.verdict.free.motion == SLIDE and len(now.members[leaf]) == 1 and shape is not None:
            sets[other, shape.key].append(leaf)
    for (other, _), leaves in sets.items():
        for leaf in leaves if len(leaves) >= MANY_SLIDES else ():
            scene.bind(leaf, other, f"one of {len(leaves)} equal parts set into it, which would slide out", 0.6)


def bind_trays(now: Jointed, names: bool) -> None:
    """Bind what is small in an open tray: walls beside a floor, and a stop one way.

    Two equal parts that slide along one direction are jaws, and so is what is called one (where `names` are a witness).
    A model of links draws no tray.
    """
    scene, members = now.scene, now.members
    if scene.links_only:
        return
    slides = stopped_slides(now.joints)
    # What has a second joint is guided there for a purpose: a slide of a linkage runs in a groove as a board lies in a
    # tray.
    for joint, leaf, other in now.leaves(slides):
        small = now.sizes[leaf] <= SMALL_IN_TRAY * now.sizes[other]
        named = [text for n in members[leaf] for text in scene.called(n)]
        jaw = any(_alike(scene, members, joint, slide) for slide in slides if slide is not joint)
        if small and not (jaw or (names and called(SLIDERS, named))):
            scene.bind(leaf, other, "in an open tray with a stop: it could but be drawn out", 0.3)


def _alike(scene: Scene, members: dict[str, list[str]], joint: Candidate, other: Candidate) -> bool:
    """Whether two slides on one body carry equal parts along one direction."""
    common = {joint.a, joint.b} & {other.a, other.b}
    if len(common) != 1 or joint.verdict.axis is None or other.verdict.axis is None:
        return False
    base = next(iter(common))
    parts = [sorted(scene.assembly.instance(n).part for n in members[j.other(base)]) for j in (joint, other)]
    return parts[0] == parts[1] and parallel(joint.verdict.axis, other.verdict.axis)

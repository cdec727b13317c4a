"""What the product structure says: a sub-assembly hangs together, and what only spins inside it moves nothing.

A sub-assembly may move inside, so joints within it stay. It is a witness in two cases: a part that lies on another of
its own sub-assembly, with no joint between them, is held there and not by what passes through both; and a part that
turns about its own axis inside a sub-assembly (a roller, a pin, a bush, a motor's shaft) is no freedom of the whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from cadbridge.freedoms import HINGE, SLEEVE
from cadbridge.recognition.evidence.candidates import Candidate, Jointed, linked_by, one_axis
from cadbridge.recognition.evidence.hubs import on_axle
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.evidence.spinning import only_spins
from cadbridge.recognition.rules.actuators import beside_horn
from cadbridge.recognition.rules.turntables import turntable
from cadbridge.recognition.standard.roles import ROLLERS, called

LARGER = 1.01
"""Size of one part beside another's from which it is the larger: equal parts may be meshed otherwise."""


def resting(scene: Scene) -> list[tuple[str, str, float]]:
    """Pairs of instances that lie on each other, m²: deepest in one sub-assembly first, then by the area."""
    areas: dict[tuple[str, str], float] = defaultdict(float)
    for c in scene.contacts.found:
        if c.kind == "plane":
            areas[c.pair] += c.overlap
    edges = ((a, b, area) for (a, b), area in areas.items())
    return sorted(edges, key=lambda e: (-len(scene.shared(e[0], e[1])), -e[2], e[0], e[1]))


def bind_within(scene: Scene, joints: Sequence[Candidate], meshing: Collection[frozenset[str]]) -> list[Candidate]:
    """Bind what rests on a part of its own sub-assembly without a joint in there, or return the joint of the two.

    A pin that goes on into other parts makes no joint with those, where the part that holds it is held itself.
    """
    turning, members = [], scene.groups.members()
    linked = linked_by(scene, [j for j in joints if shares(scene, members[j.a], members[j.b])])
    for a, b, area in resting(scene):
        within = scene.shared(a, b)
        # Wheels that mesh may lie on each other with their webs: bound, they would not turn.
        if within and frozenset((a, b)) not in meshing and linked.join(a, b):
            moving = turntable(scene, scene.groups.group(a), scene.groups.group(b))
            if moving is not None:
                turning.append(moving)
            else:
                scene.bind(a, b, f"rests on it over {area * 1e6:.4g} mm², in {within[-1]}", 0.65)
    return turning


def bind_idle(now: Jointed, toothed: Collection[str], names: bool) -> None:
    """Bind what only spins inside its sub-assembly.

    `toothed`: instances that are wheels, whose turning moves others. What is called a wheel or a roller (where `names`
    are a witness) is there to turn, unless what it stands on turns about its axis already, in something larger.
    """
    scene, members, size = now.scene, now.members, now.sizes
    for joint in now.joints:
        for leaf in (joint.a, joint.b):
            other = joint.other(leaf)
            if len(now.of[leaf]) != 1 or joint.verdict.free not in (HINGE, SLEEVE):
                continue
            path = inside(scene, members[leaf], members[other])
            if not path or size[leaf] > size[other] or set(members[leaf]) & set(toothed):
                continue
            again = any(
                # What it stands on turns about the line already: its own spin there would be a second freedom of one
                # motion.
                size[j.other(other)] > LARGER * size[leaf] and one_axis(scene, j, joint)
                for j in now.of[other] if j is not joint
            )  # fmt: skip
            if names and not again and any(called(ROLLERS, scene.called(name)) for name in members[leaf]):
                continue
            beside = beside_horn(scene, members[leaf], members[other])
            if beside is not None:
                horn, near, gap = beside
                scene.bind(horn, near, f"a servo's horn, {1e3 * gap:.3g} mm from it", 0.6)
                continue
            if again or only_spins(scene, members[leaf], joint):
                text = f"only spins inside {path}, which moves nothing"
                near = max(members[other], key=lambda n: (len(scene.shared(n, leaf)), n))
                scene.bind(min(members[leaf]), near, text, 0.6)


def bind_clamped(now: Jointed, toothed: Collection[str], names: bool) -> None:
    """Bind a part to a rod on which it could both slide and turn, if it carries nothing: its clamp is not drawn.

    The rod of a telescope, which may do both, carries something at its end, so it has a second joint and stays free.
    So does an axle in its bearings, whose rings may not be drawn. Where such joints are all that the file shows, as of
    pistons in their cylinders, they stay: bound, nothing would move.
    """
    scene, clamped = now.scene, list[tuple[str, str]]()
    for joint in now.joints:
        leaf = min((joint.a, joint.b), key=lambda body: (len(now.of[body]), now.sizes[body], body))
        runs = any(name in scene.linear | scene.pistons for c in joint.contacts for name in c.pair)
        if joint.verdict.free == SLEEVE and len(now.of[leaf]) == 1 and not runs:
            # A wheel may be clamped to a shaft, but not to that on which its partner turns: neither would turn.
            on = on_axle(scene, joint, now.members, toothed, names) or _partner_on(now, leaf, joint.other(leaf))
            clamped += [] if on else [(leaf, joint.other(leaf))]
    for leaf, rod in clamped if len(clamped) < len(now.joints) else ():
        scene.bind(leaf, rod, "could slide and turn on its rod, and carries nothing: a clamp that is not drawn", 0.5)


def _partner_on(now: Jointed, wheel: str, other: str) -> bool:
    """Whether a body's teeth mesh with those of another body, or of one that turns on that."""
    body_of = {name: body for body, names in now.members.items() for name in names}
    ends = [{body_of.get(name, "") for name in pair} for pair in now.scene.meshing]
    partners = {body for pair in ends if wheel in pair for body in pair - {wheel}}
    return other in partners or any(other in (j.a, j.b) for body in partners for j in now.of.get(body, ()))


def shares(scene: Scene, a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether any part of two bodies lies in one sub-assembly."""
    return bool(_paths(scene, a) & _paths(scene, b))


def _paths(scene: Scene, names: Sequence[str]) -> set[str]:
    """The sub-assemblies in which any of some instances lies."""
    found = set()
    for name in names:
        steps = name.split("/")
        found |= {"/".join(steps[:k]) for k in range(scene.top + 1, len(steps))}
    return found


def inside(scene: Scene, leaf: Sequence[str], other: Sequence[str]) -> str:
    """The deepest sub-assembly that holds all of a body and a part of the other; empty where there is none."""
    shared = set.intersection(*(_paths(scene, [name]) for name in leaf)) & _paths(scene, other)
    return max(sorted(shared), key=lambda path: path.count("/"), default="")

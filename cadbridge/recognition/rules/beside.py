"""What touches nothing: wheels on the axis of a shaft, parts close to others."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from cadbridge.freedoms import HINGE
from cadbridge.recognition.contacts.contacts import ON_AXIS
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.rules.axles import in_line, journal, knuckle, on_axis
from cadbridge.recognition.rules.couplings import coupled
from cadbridge.recognition.rules.turntables import drawn_beside
from cadbridge.recognition.ties import Held
from cadbridge.recognition.wheels.bores import shafts_through
from cadbridge.recognition.wheels.placed import MeshingPair, about
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

CLOSE_GAP = 0.02
"""Gap beside the size of what touches nothing, up to which it is held by what is beside it. A choice, with no gap in
what is seen: 54 machines have 0.018 | 0.020."""

MOST_LOOSE_GAPS = 500
"""Gaps between loose parts that OCCT measures, for time alone; 54 machines need 19 at most."""

REACHES = (0.01, 0.1, 1.0)
"""Shares of a part's size within which what is nearest to it is looked for, one after the other, for time alone."""


def bind_wheels(
    scene: Scene, groups: Sequence[list[str]], pairs: Sequence[MeshingPair], lone: bool = False
) -> list[list[str]]:
    """Bind wheels of groups that touch nothing else to the shaft on their axis: drawn without hub and key.

    `lone`: only to a shaft that is a body of its own. Returns the groups that stay loose.
    """
    wheels = {w.instance: w for p in pairs if not p.against for w in (p.a, p.b)}
    through = shafts_through([w for names in groups for n in names if (w := wheels.get(n))], scene.assembly)
    left = []
    for names in groups:
        own = [name for name in names if name in wheels]
        beside = [found for name in own for found in _shafts_beside(scene, name, wheels, names)]
        beside += [
            (True, 0.0, shaft, name) for name in own for shaft in through.get(name, ())
            if shaft not in names and shaft not in wheels
        ]  # fmt: skip
        beside.sort()
        if lone:
            beside = [found for found in beside[:1] if len(scene.groups.group(found[2])) == 1]
        bound = (
            scene.bind(wheel, shaft, f"a wheel on its axis, {1e3 * max(gap, 0.0):.3g} mm from it, touches nothing", 0.5)
            for _, gap, shaft, wheel in beside
        )
        if not any(bound):
            left.append(names)
    return left


def wheels_apart(scene: Scene, pairs: Sequence[MeshingPair]) -> list[list[str]]:
    """The bodies with a wheel that touch nothing but teeth. A ring has its teeth inside, and no shaft."""
    touching = {scene.groups.root(name) for pair in scene.between() for name in pair}
    wheels = {w.instance for p in pairs for w in (p.a, p.b) if not w.internal}
    return [sorted(scene.groups.group(root)) for root in sorted(set(map(scene.groups.root, wheels)) - touching)]


def _shafts_beside(
    scene: Scene, name: str, wheels: Mapping[str, Wheel], own: Collection[str]
) -> Iterator[tuple[bool, float, str, str]]:
    """The parts that are round about a wheel's axis beside it, the best least, and the wheel.

    The first value is False where the part's bore goes on in the wheel's; the second is the gap (m) along the axis.
    """
    wheel = wheels[name]
    for line in scene.contacts.lines:
        if wheel.kind is WheelKind.RACK or not about(wheel, line.point, line.direction):
            continue
        at = float((wheel.point - line.point) @ line.direction)
        bores = {m.instance: m.surface.radius for m in line.members if m.surface.hollow}
        for m in line.members:
            gap = max(m.low - at, at - m.high) - wheel.width / 2
            if not (m.surface.hollow or m.instance in own or m.instance in wheels) and gap <= wheel.tip:
                continues = math.isclose(bores.get(name, -1.0), bores.get(m.instance, -2.0), rel_tol=ON_AXIS)
                yield not continues, gap, m.instance, name


def hinge_wheels(
    scene: Scene, groups: Sequence[list[str]], pairs: Sequence[MeshingPair], joints: Sequence[Candidate]
) -> tuple[list[list[str]], list[Candidate]]:
    """Hinge bodies that touch nothing but mesh: what holds their axis is not drawn.

    They turn on the body on which their partner turns, else on what they are nearest to. Returns the groups that stay
    loose, and the hinges.
    """
    partners = [(w, other) for p in pairs if not p.against for w, other in ((p.a, p.b), (p.b, p.a))]
    hinges: list[Candidate] = []
    left = []
    for names in groups:
        own = [(w, other) for w, other in partners if w.instance in names and w.kind is not WheelKind.RACK]
        if not own or len({*map(scene.groups.root, names)}) > 1:
            left.append(names)
            continue
        wheel, partner = own[0]
        carrier = _carrier(scene, partner, joints) or _nearest(scene, names, partner.instance) or partner.instance
        text = f"its teeth mesh with those of {partner.instance}; it touches nothing"
        verdict = Verdict("revolute", wheel.point, wheel.axis, (text,), ("no axle is drawn",), 0.45)
        hinges.append(joint_of(scene, wheel.instance, carrier, verdict))
    return left, hinges


def _carrier(scene: Scene, wheel: Wheel, joints: Sequence[Candidate]) -> str | None:
    """The body on which a wheel turns about its axis."""
    root = scene.groups.root(wheel.instance)
    for c in joints:
        v = c.verdict
        if root in (c.a, c.b) and v.free == HINGE and v.axis is not None and about(wheel, v.point, v.axis):
            return c.other(root)
    return None


def hinge_meshing(scene: Scene, pairs: Sequence[MeshingPair], joints: Sequence[Candidate]) -> list[Candidate]:
    """Hinge what has a joint, but none about the axis of its wheel that meshes, to what its partner turns on.

    Teeth mesh where one body holds both axes: the crank of a gripper stands on a shaft that is not drawn. Returns the
    hinges.
    """
    root, hinges = scene.groups.root, list[Candidate]()
    for pair in pairs:
        for wheel, partner in ((pair.a, pair.b), (pair.b, pair.a)) if not pair.against else ():
            own, carrier = root(wheel.instance), _carrier(scene, partner, joints)
            if carrier is None or carrier == own or wheel.kind is WheelKind.RACK:
                continue
            known = [*joints, *hinges]
            if _carrier(scene, wheel, known) or any({own, carrier} == {root(c.a), root(c.b)} for c in known):
                continue
            text = f"its teeth mesh with those of {partner.instance}, which turns on what must hold both axes"
            verdict = Verdict("revolute", wheel.point, wheel.axis, (text,), ("no axle is drawn",), 0.45)
            hinges.append(joint_of(scene, wheel.instance, carrier, verdict))
    return hinges


def _nearest(scene: Scene, names: Collection[str], partner: str) -> str | None:
    """The instance nearest to some others, which is not of the body of their partner."""
    solids = scene.solids(MOST_LOOSE_GAPS)
    body = scene.groups.root(partner)
    whole = max(map(solids.extent, names))
    # Near first: a search compares all faces within its reach, which of two gears are all their teeth.
    for reach in (whole * share for share in REACHES):
        gaps = []
        for name in names:
            others = [n for n in solids.beside(name, reach) if n not in names and scene.groups.root(n) != body]
            gaps += [(gap, other) for other, gap in solids.gaps(name, others, reach)]
        if gaps:
            return min(gaps)[1]
    return None


def bind_beside(scene: Scene, groups: Sequence[list[str]], names: bool) -> tuple[list[list[str]], list[Candidate]]:
    """Bind groups of instances that touch nothing to what they stand close to, or hinge them in an unsolved pose.

    A horn in its pocket, an arm beside its bracket: drawn with room between them, and nothing else holds them.
    Returns the groups that stand far off, and the hinges.
    """
    linked = Groups(i.name for i in scene.assembly.instances)
    apart = {name: k for k, group in enumerate(groups) for name in group}
    rest = [name for name in linked.members() if name not in apart]
    for group in (rest, *groups):
        for name in group[1:]:
            linked.join(group[0], name)
    solids = scene.solids(MOST_LOOSE_GAPS)
    near = []
    sizes = [max(map(solids.extent, group)) for group in groups]
    members = [set(group) for group in groups]
    for name, k in apart.items():
        # What a motor of the group turns is not what the group is held by.
        if scene.on_shafts.get(name) in members[k]:
            continue
        reach = CLOSE_GAP * sizes[k]
        # Each pair of groups is measured once, from the smaller: groups come by size.
        others = [n for n in solids.beside(name, reach) if apart.get(n, -1) < k]
        near += [(gap, name, other) for other, gap in solids.gaps(name, others, reach)]
    hinges: list[Candidate] = []
    for gap, name, other in sorted(near):
        if scene.stay_apart(name, other) or not linked.join(name, other):
            continue
        own, theirs = scene.groups.group(name), scene.groups.group(other)
        hinge = (
            drawn_beside(scene, own, theirs)
            or on_axis(scene, own, theirs)
            or journal(scene, own, theirs, names)
            or knuckle(scene, own, theirs)
            or in_line(scene, own, theirs)
            or coupled(scene, own, theirs, names)
        )
        if hinge is not None:
            hinges.append(hinge)
        else:
            text = f"touches nothing; {1e3 * gap:.3g} mm from it, and nearer to nothing"
            scene.bind(name, other, text, 0.2, Held.BESIDE)
    held = linked.root(rest[0]) if rest else ""
    return [group for group in groups if linked.root(group[0]) != held], hinges

"""The assembly as a whole: what rests and has nothing else to hold it, what hangs on nothing, and the ground."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from cadbridge.freedoms import HINGE
from cadbridge.mass.meeting import Scene as _Meeting
from cadbridge.recognition.bodies import Groups, Scene
from cadbridge.recognition.guides import LINES
from cadbridge.recognition.joints import Candidate
from cadbridge.recognition.meshing import MeshingPair, PlacedWheel, about, steps_about
from cadbridge.recognition.subassemblies import resting
from cadbridge.recognition.turntables import Turntables
from cadbridge.recognition.wheel_kinds import Wheel, WheelKind
from cadbridge.wording import count

GROUND_NAMES = re.compile(r"\b(base|ground|frame|chassis|stand|foot|bed|gestell|rahmen|basis)", re.IGNORECASE)

Tie = tuple[str, str, str, float]
"""Two instances, why one may hold the other, and how sure that is."""

REACHES = "reaches into it by"
"""How the reason for binding what overlaps begins."""
CLOSE = 0.02
"""Gap beside the size of what touches nothing, up to which it is held by what is beside it."""
MOST_GAPS = 500
"""So many gaps between parts are measured at most."""
FLOOR = 0.02
"""Share of the assembly's height within which a face is at the bottom."""


def connect(
    scene: Scene, joints: Sequence[Candidate], pairs: Sequence[MeshingPair], drives: Sequence[MeshingPair]
) -> tuple[list[list[str]], list[Candidate]]:
    """Bind what no joint connects to what it rests on or reaches into.

    Returns the groups that stay loose, and the joints of bodies that turn on what they lie on.
    What lies in one sub-assembly comes first, down to parts that touch nothing: the product structure is the better
    witness where the geometry has none. `pairs` are wheels that mesh, `drives` those that a belt ties: their teeth hold
    nothing.
    """
    meshing = {frozenset((p.a.instance, p.b.instance)) for p in (*pairs, *drives)}
    linked = _linked(scene, joints)
    bind_carriers(scene, linked, joints, pairs)
    late: list[Tie] = []
    turning: set[str] | None = None
    turntables = Turntables(scene)
    turning_on: list[Candidate] = []
    for tie in (_of_case(scene, tie) for tie in _ties(scene, linked)):
        if frozenset(tie[:2]) in meshing or {tie[0], tie[1]} <= scene.fasteners.keys():
            continue
        if not scene.shared(tie[0], tie[1]):
            # What turns in a bearing touches much that does not hold it: its ties come last. Only now that
            # housings have their parts is it clear which of two bodies that is.
            turning = _turning(scene, [w for p in pairs for w in (p.a, p.b)]) if turning is None else turning
            if {tie[0], tie[1]} & turning:
                late.append(tie)
                continue
        _tied(scene, linked, turntables, tie, turning_on)
    bind_carriers(scene, linked, joints, pairs)
    for tie in sorted(late, key=lambda tie: sum(name in (turning or ()) for name in tie[:2])):
        if not _meshing(scene, tie, pairs):
            _tied(scene, linked, turntables, tie, turning_on)
    groups = sorted(linked.members().values(), key=lambda names: -sum(scene.size(n) for n in names))
    return groups[1:], turning_on


def _of_case(scene: Scene, tie: Tie) -> Tie:
    """A tie of what turns on a motor's shaft as one of its motor: what a wheel reaches into holds the motor."""
    a, b, reason, confidence = tie
    if any(c.kind in LINES for c in scene.contacts.by_pair.get((min(a, b), max(a, b)), ())):
        return tie
    ends = scene.on_shafts.get(a, a), scene.on_shafts.get(b, b)
    return tie if ends[0] == ends[1] else (*ends, reason, confidence)


def _meshing(scene: Scene, tie: Tie, pairs: Sequence[MeshingPair]) -> bool:
    """Whether a tie would make one body of two wheels that mesh."""
    roots = {scene.groups.root(tie[0]), scene.groups.root(tie[1])}
    return any({scene.groups.root(p.a.instance), scene.groups.root(p.b.instance)} == roots for p in pairs)


def _linked(scene: Scene, joints: Sequence[Candidate]) -> Groups:
    """The instances that bodies and joints connect."""
    linked = Groups(i.name for i in scene.assembly.instances)
    for names in scene.groups.members().values():
        for name in names[1:]:
            linked.join(names[0], name)
    for joint in joints:
        linked.join(joint.a, joint.b)
    return linked


def bind_carriers(scene: Scene, linked: Groups, joints: Sequence[Candidate], pairs: Sequence[MeshingPair]) -> None:
    """Bind what holds the axes of two wheels that mesh, where nothing else connects the two."""
    body_of = {name: root for root, names in scene.groups.members().items() for name in names}
    root = scene.groups.root
    revolutes = [
        (root(c.a), root(c.b), v.point, v.axis) for c in joints if (v := c.verdict).free == HINGE and v.axis is not None
    ]
    for pair in pairs:
        if linked.root(pair.a.instance) == linked.root(pair.b.instance):
            continue
        holders = []
        for p in (pair.a, pair.b):
            near = steps_about(p.wheel, body_of[p.instance], revolutes)
            holders += sorted(root for root, steps in near.items() if steps == 1)[:1]
        if len(holders) == 2:
            one, other = holders
            linked.join(one, other)
            scene.bind(one, other, f"both hold axes of {pair.a.instance} and {pair.b.instance}, which mesh", 0.7)


def _tied(scene: Scene, linked: Groups, turntables: Turntables, tie: Tie, joints: list[Candidate]) -> None:
    """Bind two parts that nothing connects yet, or let one turn on the other."""
    alone = linked.join(tie[0], tie[1])
    if scene.groups.root(tie[0]) == scene.groups.root(tie[1]):
        return
    found = turntables.between(tie[0], tie[1])
    if found is not None:
        joints.append(found)
    elif alone:
        scene.bind(*tie)


def _turning(scene: Scene, wheels: Sequence[PlacedWheel]) -> set[str]:
    """The instances of that body of each rolling bearing which has a wheel there, else of the smaller: the shaft."""
    members = scene.groups.members()
    sizes = {root: sum(scene.size(n) for n in own) for root, own in members.items()}
    found: set[str] = set()
    toothed: dict[str, list[PlacedWheel]] = defaultdict(list)
    for w in wheels:
        toothed[scene.groups.root(w.instance)].append(w)
    for inner, outer, c in scene.rolling:
        driven = {
            root: any(about(w.wheel, c.point, c.direction) for w in toothed[root])
            for root in (scene.groups.root(inner), scene.groups.root(outer))
        }
        found |= set(members[min(driven, key=lambda r: (not driven[r], sizes[r], r))])
    return found


def _ties(scene: Scene, linked: Groups) -> Iterator[Tie]:
    """What may hold parts that no joint holds, the surest first; later ones are only looked for where needed."""
    resting_pairs = resting(scene)
    yield from (_tie_of_rest(e, 0.7) for e in resting_pairs if scene.shared(e[0], e[1]))
    yield from scene.screwed_ties
    if len(linked.members()) > 1:
        reaching = _reaching(scene)
        yield from (_tie_of_reach(e, 0.6) for e in reaching if scene.shared(e[0], e[1]))
        yield from _of_one_assembly(scene)
        yield from (_tie_of_rest(e, 0.6) for e in resting_pairs if not scene.shared(e[0], e[1]))
        yield from (_tie_of_reach(e, 0.5) for e in reaching if not scene.shared(e[0], e[1]))
        yield from _fitting(scene)


def _tie_of_rest(edge: tuple[str, str, float], confidence: float) -> Tie:
    a, b, area = edge
    return a, b, f"rests on it over {area * 1e6:.4g} mm², with no joint to anything", confidence


def _tie_of_reach(edge: tuple[str, str, float], confidence: float) -> Tie:
    a, b, volume = edge
    return a, b, f"{REACHES} {volume * 1e9:.4g} mm³, with no joint to anything", confidence


def _of_one_assembly(scene: Scene) -> Iterator[Tie]:
    """Parts of one sub-assembly to its largest part, the deepest sub-assemblies first."""
    inside: dict[str, list[str]] = defaultdict(list)
    for instance in scene.assembly.instances:
        steps = instance.name.split("/")
        for k in range(scene.top + 1, len(steps)):  # what holds all distinguishes nothing
            inside["/".join(steps[:k])].append(instance.name)
    for path, names in sorted(inside.items(), key=lambda e: (-e[0].count("/"), e[0])):
        chief = max(names, key=lambda n: (scene.size(n), n))
        # A group of parts is held by its largest, not by the horn or the wheel on it.
        for name in sorted(names, key=lambda n: (-scene.size(n), n)):
            if name != chief:
                yield name, chief, f"of the same sub-assembly {path}, and nothing else holds it", 0.4


def _reaching(scene: Scene) -> list[tuple[str, str, float]]:
    return sorted(scene.overlaps.of(scene.assembly), key=lambda e: (-len(scene.shared(e[0], e[1])), -e[2], e[0], e[1]))


def bind_wheels(scene: Scene, groups: Sequence[list[str]], pairs: Sequence[MeshingPair]) -> list[list[str]]:
    """Bind wheels that touch nothing but the teeth of others to the shaft on their axis: drawn without hub and key.

    Returns the groups that stay loose.
    """
    wheels = {w.instance: w.wheel for p in pairs if not p.against for w in (p.a, p.b)}
    left = []
    for names in groups:
        beside = [found for name in names if name in wheels for found in _shafts_beside(scene, name, wheels, names)]
        if not beside:
            left.append(names)
            continue
        _, gap, shaft, wheel = min(beside)
        scene.bind(wheel, shaft, f"a wheel on its axis, {1e3 * max(gap, 0.0):.3g} mm from it, touches nothing", 0.5)
    return left


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
                continues = math.isclose(bores.get(name, -1.0), bores.get(m.instance, -2.0), rel_tol=0.01)
                yield not continues, gap, m.instance, name


def bind_beside(scene: Scene, groups: Sequence[list[str]]) -> tuple[list[list[str]], list[Candidate]]:
    """Bind groups of instances that touch nothing to what they stand close to, or hinge them in an unsolved pose.

    A horn in its pocket, an arm beside its bracket: drawn with room between them, and nothing else holds them.
    Returns the groups that stand far off, and the hinges.
    """
    linked = Groups(i.name for i in scene.assembly.instances)
    apart = {name: k for k, names in enumerate(groups) for name in names}
    rest = [name for name in linked.members() if name not in apart]
    for names in (rest, *groups):
        for name in names[1:]:
            linked.join(names[0], name)
    solids = _Meeting(scene.assembly, (), MOST_GAPS)
    near = []
    for name, k in apart.items():
        if scene.on_shafts.get(name) in groups[k]:
            continue
        reach = CLOSE * max(solids.extent(n) for n in groups[k])
        others = [n for n in solids.beside(name, reach) if apart.get(n, -1) < k]
        near += [(gap, name, other) for other, gap in solids.gaps(name, others, reach)]
    turntables, hinges = Turntables(scene), []
    for gap, name, other in sorted(near):
        if not linked.join(name, other):
            continue
        hinge = turntables.beside(scene.groups.group(name), scene.groups.group(other))
        if hinge is not None:
            hinges.append(hinge)
        else:
            scene.bind(name, other, f"touches nothing; {1e3 * gap:.3g} mm from it, and nearer to nothing", 0.3)
    held = linked.root(rest[0]) if rest else ""
    return [names for names in groups if linked.root(names[0]) != held], hinges


def _fitting(scene: Scene) -> list[Tie]:
    """Pairs that fit each other in some other way: a shaft in a bore that was taken for no joint."""
    return [
        (*c.pair, f"fits it ({c.kind}), with no joint to anything", 0.4)
        for c in scene.contacts.found
        if c.kind in ("shaft", "cone", "sphere", "holes", "through")
    ]


def choose_ground(scene: Scene, joints: Sequence[Candidate], names: bool, among: Collection[str]) -> tuple[str, str]:
    """The root of the body that stands still, and why: it stands on the floor, is large, carries many.

    `among`: the instances of which one stands still, all or a group that touches nothing else.
    """
    members = {root: own for root, own in scene.groups.members().items() if set(own) <= set(among)}
    sizes = {root: sum(scene.size(n) for n in own) for root, own in members.items()}
    degrees = Counter(body for j in joints for body in (j.a, j.b))
    floor = _standing(scene, among)
    total, most = sum(sizes.values()) or 1.0, max(degrees.values(), default=0) or 1

    def score(root: str) -> float:
        named = names and any(GROUND_NAMES.search(n) for n in members[root])
        stands = any(n in floor for n in members[root])
        return sizes[root] / total + 0.5 * degrees[root] / most + 0.6 * stands + 0.3 * named + 0.2 * (degrees[root] > 0)

    best = max(sorted(members), key=score)
    reasons = [f"{100 * sizes[best] / total:.0f} % of the assembly's boxes"]
    reasons += [count(degrees[best], "joint")] if degrees[best] else []
    reasons += ["stands on the floor"] if any(n in floor for n in members[best]) else []
    return best, ", ".join(reasons)


def _standing(scene: Scene, among: Collection[str]) -> set[str]:
    """Of some instances those with a face at the very bottom of all of them along z, looking down."""
    low, high = np.inf, -np.inf
    found: dict[str, float] = {}
    for instance in scene.assembly.instances:
        shape = scene.assembly.part(instance.part).shape
        if shape is None or shape.key not in scene.faces or instance.name not in among:
            continue
        corners = scene.faces[shape.key].box
        grid = np.array([[corners[i, 0], corners[j, 1], corners[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        heights = instance.X_WI.point(grid)[:, 2]
        low, high = min(low, float(heights.min())), max(high, float(heights.max()))
        for s, normal in scene.faces[shape.key].across():
            if float(instance.X_WI.vector(normal)[2]) < -0.9998:
                height = float(instance.X_WI.point(s.point)[2])
                found[instance.name] = min(found.get(instance.name, np.inf), height)
    return {name for name, height in found.items() if height <= low + FLOOR * (high - low) + 1e-6}

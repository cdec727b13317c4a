"""What the product structure says: a sub-assembly hangs together, and what only spins inside it moves nothing.

A sub-assembly may move inside, so joints within it stay. It is a witness in two cases: a part that lies on another of
its own sub-assembly, with no joint between them, is held there and not by what passes through both; and a part that
turns about its own axis inside a sub-assembly (a roller, a pin, a bush, a motor's shaft) is no freedom of the whole.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from cadbridge.frames import cross_length
from cadbridge.freedoms import HINGE, SLEEVE, SLIDE
from cadbridge.recognition.actuators import beside_horn
from cadbridge.recognition.candidates import Candidate, by_body, stopped_slides
from cadbridge.recognition.contacts import Contact
from cadbridge.recognition.guides import LINES
from cadbridge.recognition.joints import spins_count
from cadbridge.recognition.scene import Groups, Scene
from cadbridge.recognition.seated import round_outside
from cadbridge.recognition.spinning import ON_AXIS, only_spins
from cadbridge.recognition.standard_names import called_drive, called_wheel
from cadbridge.recognition.turntables import Turntables

CAP = 0.01
"""Size of a cap beside the body in whose pocket it sits, at most."""
BETWEEN = 0.1
"""Size of what merely stands between two bodies beside the smaller of them, at most."""


def resting(scene: Scene) -> list[tuple[str, str, float]]:
    """Pairs of instances that lie on each other, m²: deepest in one sub-assembly first, then by the area."""
    areas: dict[tuple[str, str], float] = defaultdict(float)
    for c in scene.contacts.found:
        if c.kind == "plane":
            areas[c.pair] += c.overlap
    edges = ((a, b, area) for (a, b), area in areas.items())
    return sorted(edges, key=lambda e: (-len(scene.shared(e[0], e[1])), -e[2], e[0], e[1]))


def bind_within(scene: Scene, joints: Sequence[Candidate], meshing: Collection[frozenset[str]]) -> list[Candidate]:
    """Bind what rests on a part of its own sub-assembly and has no joint in there, or return the hinge it turns on.

    A pin that goes on into other parts makes no joint with those, where the part that holds it is held itself.
    """
    linked = Groups(i.name for i in scene.assembly.instances)
    turntables, turning = Turntables(scene), []
    members = scene.groups.members()
    for names in members.values():
        for name in names[1:]:
            linked.join(names[0], name)
    for joint in joints:
        if _shares(scene, members[joint.a], members[joint.b]):
            linked.join(joint.a, joint.b)
    for a, b, area in resting(scene):
        inside = scene.shared(a, b)
        if inside and frozenset((a, b)) not in meshing and linked.join(a, b):
            hinge = turntables.between(a, b)
            if hinge is not None:
                turning.append(hinge)
            else:
                scene.bind(a, b, f"rests on it over {area * 1e6:.4g} mm², in {inside[-1]}", 0.65)
    return turning


def bind_idle(scene: Scene, joints: Sequence[Candidate], toothed: Collection[str], names: bool) -> bool:
    """Bind what only spins inside its sub-assembly; whether there was any.

    `toothed`: instances that are wheels, whose turning moves others. What is called a wheel or a roller (where `names`
    are a witness) is there to turn, unless what it stands on turns about its axis already, in something larger.
    """
    members = scene.groups.members()
    size, of_body = scene.sizes(members), by_body(joints)
    found = False
    for joint in joints:
        for leaf in (joint.a, joint.b):
            other = joint.other(leaf)
            if len(of_body[leaf]) != 1 or joint.verdict.free not in (HINGE, SLEEVE):
                continue
            inside = _inside(scene, members[leaf], members[other])
            if not inside or size[leaf] > size[other] or set(members[leaf]) & set(toothed):
                continue
            again = any(
                size[j.other(other)] > 1.01 * size[leaf] and _one_axis(scene, j, joint)
                for j in of_body[other] if j is not joint
            )  # fmt: skip
            if names and not again and any(called_wheel(scene.called(name)) for name in members[leaf]):
                continue
            beside = beside_horn(scene, members[leaf], members[other])
            if beside is not None:
                horn, near, gap = beside
                found |= scene.bind(horn, near, f"a servo's horn, {1e3 * gap:.3g} mm from it", 0.6)
                continue
            if again or only_spins(scene, members[leaf], joint):
                text = f"only spins inside {inside}, which moves nothing"
                near = max(members[other], key=lambda n: (len(scene.shared(n, leaf)), n))
                found |= scene.bind(min(members[leaf]), near, text, 0.6)
    return found


def bind_caps(scene: Scene, joints: Sequence[Candidate]) -> bool:
    """Bind a small part that would but slide out of its pocket, a cap or a plug; whether there was any."""
    members = scene.groups.members()
    degrees = Counter(body for joint in joints for body in (joint.a, joint.b))
    found = False
    sizes = scene.sizes(members)
    for joint in stopped_slides(joints):
        leaf = min((joint.a, joint.b), key=lambda body: (sizes[body], body))
        if degrees[leaf] == 1 and sizes[leaf] < CAP * sizes[joint.other(leaf)]:
            near = max(members[joint.other(leaf)], key=lambda n: (len(scene.shared(n, leaf)), n))
            found |= scene.bind(leaf, near, "a cap in its pocket: it could but slide out", 0.7)
    return found


def bind_clamped(scene: Scene, joints: Sequence[Candidate]) -> bool:
    """Bind a part to a rod on which it could both slide and turn, if it carries nothing: its clamp is not drawn.

    The rod of a telescope, which may do both, carries something at its end, so it has a second joint and stays free.
    """
    members = scene.groups.members()
    degrees = Counter(body for joint in joints for body in (joint.a, joint.b))
    sizes = scene.sizes(members)
    found = False
    for joint in joints:
        leaf = min((joint.a, joint.b), key=lambda body: (degrees[body], sizes[body], body))
        if joint.verdict.free == SLEEVE and degrees[leaf] == 1 and len(joints) > 1:
            text = "could slide and turn on its rod, and carries nothing: a clamp that is not drawn"
            found |= scene.bind(leaf, joint.other(leaf), text, 0.5)
    return found


def bind_between(scene: Scene, joints: Sequence[Candidate], toothed: Collection[str], names: bool) -> bool:
    """Bind a small body, or a disc, that turns against two others about one line to that on which it is guided less.

    A horn between a servo and an arm, a disc, a spacer, what is called a motor (where `names` are a witness): the two
    turn against each other, and it on neither. So does what has a joint to one of them alone and fits the other.
    """
    members = scene.groups.members()
    sizes, between, spun = scene.sizes(members), scene.between(), spins_count(scene)
    of_body = by_body(joints)
    found = False
    for body, own in of_body.items():
        near = ON_AXIS * sizes[body] ** (1 / 3)
        if len(own) == 1 and not (spun and only_spins(scene, members[body], own[0])):
            own = [*own, *_fitted(scene, body, own[0], near, (of_body, between))]
        if len(own) != 2 or any(j.verdict.free != HINGE for j in own) or set(members[body]) & set(toothed):
            continue
        others = {j.other(body) for j in own}
        ends = {_end(scene, j, body, of_body) for j in own}
        small = sizes[body] < BETWEEN * min(sizes[end] for end in (ends if len(ends) > 1 else others)) or _disc(
            scene, members[body], own
        )
        # A motor that is one part turns on its shaft with what holds it.
        motor = names and _drives(members[body])
        if len(others) == 2 and (small or motor) and _one_axis(scene, own[0], own[1], near):
            if motor and not small:  # the case of a motor turns against its own shaft, and what meshes stands on that
                meshes = {o for o in others if set(members[o]) & set(toothed)}
                turned = meshes | {o for o in others if _shares(scene, members[body], members[o])}
                if turned == others:
                    continue
            else:  # a drive turns against its horn: the disc goes with what is no drive
                turned = {o for o in others if not motor and names and _drives(members[o])}
            loose = min(own, key=lambda j: (j.other(body) in turned, _guided(j), j.verdict.confidence, j.other(body)))
            if not loose.contacts:  # a wheel that touches nothing holds nothing
                continue
            why = "the other turns" if turned - {loose.other(body)} else "guided less on this one"
            text = f"turns on one line between two bodies that turn against each other there; {why}"
            found |= scene.bind(min(members[body]), min(members[loose.other(body)]), text, 0.6)
    return found


def bind_flanges(scene: Scene, joints: Sequence[Candidate]) -> bool:
    """Bind a part that lies on two bodies, which turn against each other there, to that on which it lies more.

    A flange before the end of a bearing: its bore goes on in the shaft's, but it lies on the housing.
    """
    areas: dict[frozenset[str], float] = defaultdict(float)
    for a, b, area in resting(scene):
        areas[frozenset((scene.groups.root(a), scene.groups.root(b)))] += area
    found = False
    for joint in joints:
        if {c.kind for c in joint.contacts} != {"plane", "holes"}:
            continue
        for part in (joint.a, joint.b):
            near = joint.other(part)
            about = {j.other(near) for j in joints if near in (j.a, j.b) and _one_axis(scene, j, joint)} - {part}
            most = max(about, key=lambda body: (areas[frozenset((part, body))], body), default=near)
            if areas[frozenset((part, most))] > areas[frozenset((part, near))]:
                text = "lies more on it than on what turns against it there, with no shaft in its bore"
                found |= scene.bind(part, most, text, 0.6)
    return found


def _fitted(
    scene: Scene,
    body: str,
    joint: Candidate,
    near: float,
    known: tuple[Mapping[str, Sequence[Candidate]], Mapping[tuple[str, str], Sequence[Contact]]],
) -> Iterator[Candidate]:
    """What a body with one joint fits on the line of that, where the two others turn against each other already."""
    host, (of_body, between) = joint.other(body), known
    for other in of_body[host]:
        if other is not joint and other.verdict.free == HINGE and _one_axis(scene, other, joint, near):
            pair = (min(body, other.other(host)), max(body, other.other(host)))
            on_line = tuple(c for c in between.get(pair, ()) if c.kind in LINES and _along(scene, c, joint))
            if on_line:
                yield Candidate(*pair, joint.verdict, on_line)


def _along(scene: Scene, c: Contact, joint: Candidate) -> bool:
    """Whether a contact is on the line of a joint."""
    return _one_axis(scene, replace(joint, verdict=replace(joint.verdict, point=c.point, axis=c.direction)), joint)


def _drives(body: Sequence[str]) -> bool:
    """Whether the name of any part of a body calls it a drive, or all of it is in sub-assemblies that are."""
    inside = all(any(called_drive(step) for step in name.split("/")) for name in body)
    return inside or any(called_drive(name.rsplit("/", 1)[-1]) for name in body)


def _end(scene: Scene, joint: Candidate, body: str, of_body: Mapping[str, Sequence[Candidate]]) -> str:
    """The body at the end of the chain that goes on from one by a joint, through bodies that only turn on its line."""
    seen = {body}
    while (body := joint.other(body)) not in seen:
        seen.add(body)
        on = [j for j in of_body[body] if j is not joint]
        if len(on) != 1 or on[0].verdict.free != HINGE or not _one_axis(scene, on[0], joint, 1e-4):
            break
        joint = on[0]
    return body


def _disc(scene: Scene, body: Sequence[str], own: Sequence[Candidate]) -> bool:
    """Whether a body is one part that is round outside, on nothing but a hole of each other: no wheel and no pin."""
    v = own[0].verdict
    holes = {c.kind for joint in own for c in joint.contacts} <= {"plane", "holes", "eyes"}
    return holes and len(body) == 1 and v.axis is not None and round_outside(scene, body[0], v.point, v.axis)


def _guided(joint: Candidate) -> float:
    """Over how many of its radii a joint is guided."""
    return sum(c.overlap / c.radius for c in joint.contacts if c.kind == "shaft")


def _one_axis(scene: Scene, a: Candidate, b: Candidate, near: float = 1e-5) -> bool:
    """Whether two joints turn about one line, to `near` m."""
    if a.verdict.axis is None or b.verdict.axis is None or a.verdict.free.motion == SLIDE:
        return False
    if cross_length(a.verdict.axis, b.verdict.axis) > ON_AXIS:
        return False
    off = cross_length(a.verdict.point - b.verdict.point, b.verdict.axis)
    return off <= 3 * scene.contacts.slack + near


def _shares(scene: Scene, a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether any part of two bodies lies in one sub-assembly."""
    return bool(_paths(scene, a) & _paths(scene, b))


def _paths(scene: Scene, names: Sequence[str]) -> set[str]:
    """The sub-assemblies in which any of some instances lies."""
    found = set()
    for name in names:
        steps = name.split("/")
        found |= {"/".join(steps[:k]) for k in range(scene.top + 1, len(steps))}
    return found


def _inside(scene: Scene, leaf: Sequence[str], other: Sequence[str]) -> str:
    """The deepest sub-assembly that holds all of a body and a part of the other; empty where there is none."""
    shared = set.intersection(*(_paths(scene, [name]) for name in leaf)) & _paths(scene, other)
    return max(sorted(shared), key=lambda path: path.count("/"), default="")

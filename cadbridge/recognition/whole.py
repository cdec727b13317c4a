"""The assembly as a whole: what rests and has nothing else to hold it, what hangs on nothing, and the ground."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from cadbridge.findings import Findings
from cadbridge.mass.overlap import overlaps_of
from cadbridge.recognition.bodies import Groups, Scene
from cadbridge.recognition.joints import Candidate

GROUND_NAMES = re.compile(r"\b(base|ground|frame|chassis|stand|foot|bed|gestell|rahmen|basis)", re.IGNORECASE)


def connect(scene: Scene, joints: Sequence[Candidate]) -> list[str]:
    """Bind what no joint connects to what it rests on, else to what it reaches into; returns what stays loose."""
    linked = Groups(i.name for i in scene.assembly.instances)
    for names in scene.groups.members().values():
        for name in names[1:]:
            linked.join(names[0], name)
    for joint in joints:
        linked.join(joint.a, joint.b)
    for a, b, area in _resting(scene):
        if linked.join(a, b):
            scene.bind(a, b, f"rests on it over {area * 1e6:.4g} mm², with no joint to anything", 0.6)
    if len(linked.members()) > 1:
        for a, b, volume in _reaching(scene):
            if linked.join(a, b):
                scene.bind(a, b, f"reaches into it by {volume * 1e9:.4g} mm³, with no joint to anything", 0.5)
    if len(linked.members()) > 1:
        for a, b, text in _fitting(scene):
            if linked.join(a, b):
                scene.bind(a, b, text, 0.4)
    groups = sorted(linked.members().values(), key=lambda names: -sum(scene.size(n) for n in names))
    return [name for names in groups[1:] for name in names]


def _resting(scene: Scene) -> list[tuple[str, str, float]]:
    """Pairs of instances that touch, those of one sub-assembly first, then by the area they share."""
    areas: Counter[tuple[str, str]] = Counter()
    for c in scene.contacts.found:
        if c.kind == "plane":
            areas[c.pair] += c.overlap  # type: ignore[assignment]
    return sorted(
        ((a, b, float(area)) for (a, b), area in areas.items()), key=lambda e: (-_common(e[0], e[1]), -e[2], e[0], e[1])
    )


def _common(a: str, b: str) -> int:
    """How many levels of the product structure two instances share."""
    count = 0
    for x, y in zip(a.split("/")[:-1], b.split("/")[:-1], strict=False):
        if x != y:
            break
        count += 1
    return count


def _reaching(scene: Scene) -> list[tuple[str, str, float]]:
    found = overlaps_of(scene.assembly, Findings())
    return sorted(((o.a, o.b, o.volume) for o in found), key=lambda e: (-_common(e[0], e[1]), -e[2], e[0], e[1]))


def _fitting(scene: Scene) -> list[tuple[str, str, str]]:
    """Pairs that fit each other in some other way: a shaft in a bore that was taken for no joint."""
    return [
        (*c.pair, f"fits it ({c.kind}), with no joint to anything")
        for c in scene.contacts.found
        if c.kind in ("shaft", "cone", "sphere", "holes", "through")
    ]


def choose_ground(scene: Scene, joints: Sequence[Candidate], names: bool) -> tuple[str, str]:
    """The root of the body that stands still, and why: it stands on the floor, is large, carries many."""
    members = scene.groups.members()
    sizes = {root: sum(scene.size(n) for n in own) for root, own in members.items()}
    degrees = Counter(body for j in joints for body in (j.a, j.b))
    floor = _standing(scene)
    total, most = sum(sizes.values()) or 1.0, max(degrees.values(), default=0) or 1

    def score(root: str) -> float:
        named = names and any(GROUND_NAMES.search(n) for n in members[root])
        stands = any(n in floor for n in members[root])
        return sizes[root] / total + 0.5 * degrees[root] / most + 0.6 * stands + 0.3 * named + 0.2 * (degrees[root] > 0)

    best = max(sorted(members), key=score)
    reasons = [f"{100 * sizes[best] / total:.0f} % of the assembly's boxes"]
    reasons += [f"{degrees[best]} joints"] if degrees[best] else []
    reasons += ["stands on the floor"] if any(n in floor for n in members[best]) else []
    return best, ", ".join(reasons)


def _standing(scene: Scene) -> set[str]:
    """Instances with a face at the very bottom of the assembly along z, looking down."""
    low, found = np.inf, {}
    for instance in scene.assembly.instances:
        shape = scene.assembly.part(instance.part).shape
        if shape is None or shape.key not in scene.faces:
            continue
        corners = scene.faces[shape.key].box
        grid = np.array([[corners[i, 0], corners[j, 1], corners[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        low = min(low, float(instance.X_WI.point(grid)[:, 2].min()))
        for s in scene.faces[shape.key].of("plane"):
            if float(instance.X_WI.vector(s.direction)[2]) < -0.9998:
                height = float(instance.X_WI.point(s.point)[2])
                found[instance.name] = min(found.get(instance.name, np.inf), height)
    return {name for name, height in found.items() if height <= low + 2 * scene.contacts.slack + 1e-6}

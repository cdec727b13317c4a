"""Equal parts in nearly one relative pose are joined alike: a carriage that is drawn a little off its rail, too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from cadbridge.assembly import Instance
from cadbridge.frames import Pose, Vector, cross_length
from cadbridge.recognition.contacts.walls import LONG_RAIL
from cadbridge.recognition.evidence.candidates import Candidate, by_body, joint_of, linked_by
from cadbridge.recognition.evidence.scene import Scene

OFF_EQUAL = 0.03
"""How far a part may stand off the place of its equal, beside its size; and rad by which it may be turned. Equal parts
of one machine move: those that stand otherwise are in another pose. 54 machines: 0.027 | 2. Tests: 0.019 | 0.43
(`test_likewise`)."""

SURE_OF_EQUAL = 0.5
"""Strength at most of a joint that only its equal shows. A choice: as a doubtful joint, that is asked of."""


def joined_alike(scene: Scene, joints: Sequence[Candidate]) -> list[Candidate]:
    """The joints that pairs of parts have since an equal pair has one, and nothing else connects them yet.

    What the joint leaves free may differ: a slide's place along its axis, a hinge's turn about it.
    """
    of_shape: dict[str, list[Instance]] = defaultdict(list)
    keys: dict[str, str] = {}
    for instance in scene.assembly.instances:
        shape = scene.assembly.part(instance.part).shape
        if shape is not None and not scene.is_clamp(instance.name):
            # What clamps is left out: a hundred equal screws stand alike to something, and none of them is a joint.
            keys[instance.name] = shape.key
            of_shape[shape.key].append(instance)
    known = {frozenset((c.a, c.b)) for c in joints}
    found: list[Candidate] = []
    for joint in joints:
        pair = _chief_pair(joint)
        if pair is None or not set(pair) <= keys.keys() or joint.verdict.type not in ("revolute", "prismatic"):
            continue
        a, b = map(scene.assembly.instance, pair)
        for first, second in _equals(scene, joint, (a, b), (of_shape[keys[a.name]], of_shape[keys[b.name]])):
            roots = scene.bodies(first.name, second.name)
            if len(roots) == 2 and roots not in known:
                known.add(roots)
                found.append(_copied(scene, joint, (a, b), (first, second)))
    return found


def without_models(scene: Scene, joints: Sequence[Candidate]) -> list[Candidate]:
    """The joints without those whose model is one body by now: what only an equal pair showed is bound as that is."""
    kept = []
    for joint in joints:
        if joint.model is None or joint.alike is None or len(scene.bodies(*joint.model)) > 1:
            kept.append(joint)
            continue
        names = " and ".join(name.rsplit("/", 1)[-1] for name in joint.model)
        scene.bind(*joint.alike, f"the equal parts {names} are one body, in nearly the same place", 0.5)
    return kept


def bind_rails(scene: Scene, joints: Sequence[Candidate]) -> None:
    """Bind the rails of one carriage to each other, where nothing else connects them.

    Rails along one direction on which one body slides, each longer than what slides there: a frame holds them that is
    not drawn. Jaws on a body slide there too, but are shorter than their guide.
    """
    for body, own in by_body([j for j in joints if j.verdict.type == "prismatic"]).items():
        rails = [j for j in own if _longer(scene, j, j.other(body))]
        for j, k in pairwise(rails):
            a, b = j.other(body), k.other(body)
            ways = [i.verdict.axis for i in (j, k) if i.verdict.axis is not None]
            # Rails that were bound before are one body now: its slides are one, and not what else connects the two.
            linked = linked_by(scene, [o for o in joints if scene.bodies(o.a, o.b) != scene.bodies(j.a, j.b)])
            if cross_length(ways[0], ways[1]) < OFF_EQUAL and linked.root(a) != linked.root(b):
                scene.bind(a, b, "one body slides on both, along one direction", 0.5)


def _longer(scene: Scene, joint: Candidate, rail: str) -> bool:
    """Whether a slide's guide is a rail: twice as long along it as what slides there."""
    axis = joint.verdict.axis
    pair = _chief_pair(joint) or joint.alike
    if axis is None or pair is None:
        return False
    own = scene.groups.group(rail)
    lengths = {name in own: scene.extent(name, axis) for name in pair}
    return lengths.get(True, 0.0) >= LONG_RAIL * lengths.get(False, np.inf)


def _chief_pair(joint: Candidate) -> tuple[str, str] | None:
    """The two instances with the most contacts of a joint; None where no contact shows it."""
    pairs = Counter(c.pair for c in joint.contacts)
    return max(pairs, key=lambda pair: (pairs[pair], pair)) if pairs else None


def _equals(
    scene: Scene, joint: Candidate, pair: tuple[Instance, Instance], equal: tuple[list[Instance], list[Instance]]
) -> Iterator[tuple[Instance, Instance]]:
    """Other pairs of equal parts that stand to each other as a joined pair does, but for what its joint leaves free."""
    a, b = pair
    assert joint.verdict.axis is not None
    X_AB, X_AW = a.X_WI.inverse() @ b.X_WI, a.X_WI.inverse()
    axis, point = X_AW.vector(joint.verdict.axis), X_AW.point(joint.verdict.point)
    near = OFF_EQUAL * min(scene.size(a.name), scene.size(b.name)) ** (1 / 3)
    slides = joint.verdict.type == "prismatic"
    reach = max(scene.extent(name, joint.verdict.axis) for name in (a.name, b.name))
    # A place that stays where the joint moves: of a hinge its point, of a slide one that moves by its reach at most.
    place, off = (X_AB.p, near + reach) if slides else (point, near)
    kept = X_AB.inverse().point(place)
    beside = cKDTree([second.X_WI.point(kept) for second in equal[1]])
    for first, found in zip(
        equal[0], beside.query_ball_point([i.X_WI.point(place) for i in equal[0]], off), strict=True
    ):
        for second in (equal[1][k] for k in sorted(found)):
            if first is not second and {first.name, second.name} != {a.name, b.name}:
                X = first.X_WI.inverse() @ second.X_WI
                if _fits(X_AB, X, axis, point, slides, near, reach):
                    yield first, second


def _fits(X_AB: Pose, X: Pose, axis: Vector, point: Vector, slides: bool, near: float, reach: float) -> bool:
    """Whether a relative pose is another one but for a slide along, or a turn about, an axis."""
    turn = X.R @ X_AB.R.T
    if slides:
        shift = X.p - X_AB.p
        along = float(shift @ axis)
        straight = float(np.trace(turn)) > 1 + 2 * np.cos(OFF_EQUAL)
        return straight and abs(along) <= reach and float(np.linalg.norm(shift - along * axis)) <= near
    kept = float(np.linalg.norm(turn @ axis - axis)) < OFF_EQUAL
    foot = X_AB.inverse().point(point)  # the axis in the second part's frame
    return kept and float(np.linalg.norm(X.point(foot) - point)) <= near


def _copied(
    scene: Scene, joint: Candidate, pair: tuple[Instance, Instance], equal: tuple[Instance, Instance]
) -> Candidate:
    """A joint of a pair carried over to a pair of equal parts."""
    v = joint.verdict
    assert v.axis is not None
    first, second = equal
    moved = first.X_WI @ pair[0].X_WI.inverse()
    names = " and ".join(i.name.rsplit("/", 1)[-1] for i in pair)
    verdict = replace(
        v, point=moved.point(v.point), axis=moved.vector(v.axis), confidence=min(v.confidence, SURE_OF_EQUAL),
        evidence=(f"the equal parts {names} are joined so, in nearly the same place", *v.evidence),
    )  # fmt: skip
    copy = joint_of(scene, first.name, second.name, verdict)
    return replace(copy, alike=(first.name, second.name), model=(pair[0].name, pair[1].name))

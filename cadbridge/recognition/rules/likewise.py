"""Equal parts in nearly one relative pose are joined alike: a carriage that is drawn a little off its rail, too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
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

EQUAL = 1e-9
"""m, and of directions: what two models are rounded to, to tell that they are one. A choice: STEP has 15 digits."""

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
    alike = {key: _Alike.of(instances) for key, instances in of_shape.items()}
    known = {frozenset((c.a, c.b)) for c in joints}
    models: set[object] = set()
    found: list[Candidate] = []
    for joint in joints:
        pair = _chief_pair(joint)
        if pair is None or not set(pair) <= keys.keys() or joint.verdict.type not in ("revolute", "prismatic"):
            continue
        a, b = map(scene.assembly.instance, pair)
        model = _Model.of(scene, joint, a, b)
        # A thousand joints that are one to the last digit show the same pairs.
        if (kind := (keys[a.name], keys[b.name], model.rounded)) in models:
            continue
        models.add(kind)
        for first, second in _near(model, alike[keys[a.name]], alike[keys[b.name]]):
            roots = scene.bodies(first.name, second.name)
            if len(roots) == 2 and roots not in known and model.fits(first.X_WI.inverse() @ second.X_WI):
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


@dataclass(frozen=True, eq=False)
class _Alike:
    """Instances of one shape, with their poses: rotations (n, 3, 3) and places (n, 3)."""

    instances: list[Instance]
    R: NDArray[np.float64]
    p: NDArray[np.float64]

    @classmethod
    def of(cls, instances: list[Instance]) -> _Alike:
        return cls(instances, np.array([i.X_WI.R for i in instances]), np.array([i.X_WI.p for i in instances]))

    def point(self, own: Vector) -> NDArray[np.float64]:
        """Where a point in the frame of the shape is in W, of each (n, 3)."""
        return self.R @ own + self.p


@dataclass(frozen=True, eq=False)
class _Model:
    """How a joined pair stands, and what its joint leaves free, in the frame of the first; lengths in m."""

    X_AB: Pose
    axis: Vector
    point: Vector
    slides: bool
    near: float
    reach: float

    @classmethod
    def of(cls, scene: Scene, joint: Candidate, a: Instance, b: Instance) -> _Model:
        v = joint.verdict
        assert v.axis is not None
        X_AW = a.X_WI.inverse()
        near = OFF_EQUAL * min(scene.size(a.name), scene.size(b.name)) ** (1 / 3)
        reach = max(scene.extent(name, v.axis) for name in (a.name, b.name))
        return cls(X_AW @ b.X_WI, X_AW.vector(v.axis), X_AW.point(v.point), v.type == "prismatic", near, reach)

    @property
    def rounded(self) -> tuple[bool, bytes]:
        """What is the same of models that are one, to `EQUAL`."""
        numbers = np.concatenate([self.X_AB.R.ravel(), self.X_AB.p, self.axis, self.point])
        return self.slides, np.round(numbers / EQUAL).astype(np.int64).tobytes()

    @property
    def place(self) -> Vector:
        """A place that stays where the joint moves: of a hinge its point, of a slide one that moves by its reach."""
        return self.X_AB.p if self.slides else self.point

    @property
    def off(self) -> float:
        """How far that place of the two may be apart."""
        return self.near + (self.reach if self.slides else 0.0)

    def fits(self, X: Pose) -> bool:
        """Whether a relative pose is the model's but for a slide along, or a turn about, its axis."""
        turn = X.R @ self.X_AB.R.T
        if self.slides:
            shift = X.p - self.X_AB.p
            along = float(shift @ self.axis)
            straight = float(np.trace(turn)) > 1 + 2 * np.cos(OFF_EQUAL)
            across = float(np.linalg.norm(shift - along * self.axis))
            return straight and abs(along) <= self.reach and across <= self.near
        kept = float(np.linalg.norm(turn @ self.axis - self.axis)) < OFF_EQUAL
        foot = self.X_AB.inverse().point(self.point)  # the axis in the second part's frame
        return kept and float(np.linalg.norm(X.point(foot) - self.point)) <= self.near


def _near(model: _Model, firsts: _Alike, seconds: _Alike) -> Iterator[tuple[Instance, Instance]]:
    """Pairs of equal parts whose place that the joint keeps is one, to what such parts may be off."""
    beside = cKDTree(seconds.point(model.X_AB.inverse().point(model.place)))
    near = beside.query_ball_point(list(firsts.point(model.place)), model.off, return_sorted=True)
    for first, others in zip(firsts.instances, near, strict=True):
        yield from ((first, seconds.instances[k]) for k in others if seconds.instances[k] is not first)


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

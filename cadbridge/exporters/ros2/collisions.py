"""Which pairs of links need no check for collisions, by sampling the poses that limits, mimics and loops allow.

The bodies are those of the URDF's <collision> elements. A pair is disabled as
- Adjacent: a joint or the closure of a loop connects the links (past links without geometry),
- Default: it touches as designed, - Always: it touches in 95 % of the poses or more,
- Never: it comes no nearer than a margin in any pose, nor in a search from its nearest ones. A random sample alone
  misses what happens in one pose of ten thousand; whatever is nearer than the margin stays enabled.

Collision checks are by coal, and bounded by their number and not by the clock, so that the same model gives the same
matrix. Poses are drawn with a fixed seed.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.exporters.numbers import NO_LIMIT
from cadbridge.exporters.ros2.roles import Roles
from cadbridge.exporters.urdf import Description
from cadbridge.findings import Findings
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.wording import count

ALWAYS_SHARE = 0.95
"""The share of the poses at which a pair must touch to be called one that always does: MoveIt's setup assistant takes
the same."""
TOUCHING = 1e-5
"""m: bodies nearer than this touch: what meshes of parts that lie on each other are apart by rounding."""
MARGIN = 0.01
"""How far, as a share of the robot's size, a pair keeps apart that is never checked again."""
WORK = 3_000_000
"""Checks of two bodies in all; fewer poses are tried where that is not enough."""
BATCH = 1_000
"""Poses of which distances are computed at once: their arrays stay in a processor's cache."""
FIRST_BATCH = 10
"""Poses checked of a pair before it is looked at whether more are needed: ten tell most pairs that touch now and then,
and each batch is as many again, up to `BATCH`."""
NEAREST = 3
"""So many of its nearest poses a pair is searched from."""
SEARCH_ROUNDS = 12
"""Rounds of the search from the nearest poses for one in which a pair touches: a choice within `WORK`."""
BRANCHES = 4
"""Poses tried from each in a round of the search."""
SEED = 20_240_601
"""Of the numbers at random: the same robot gives the same file, on every machine."""


Mask = NDArray[np.bool_]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Disabled:
    """A pair of links that is not checked, `a` before `b` in the model, and why."""

    a: str
    b: str
    reason: str


@dataclass(frozen=True, eq=False)
class _Body:
    """Something that collides: a geometry of coal at X_LG in its link's frame, and a box along its axes about it."""

    geometry: Any
    X_LG: Pose
    centre: Vector
    half: Vector


def collision_matrix(described: Description, roles: Roles, poses: int, findings: Findings) -> tuple[Disabled, ...]:
    """The pairs of links that need no check; what could not be sampled is reported."""
    adjacent = _adjacent(described)
    names = [str(link.get("name")) for link in described.robot.findall("link") if link.find("collision") is not None]
    pairs = list(combinations(names, 2))
    found = {pair: "Adjacent" for pair in pairs if frozenset(pair) in adjacent}
    others = [pair for pair in pairs if pair not in found]
    if others and poses > 0:
        try:
            import coal  # noqa: F401 - only to know whether it is there
        except ImportError:
            findings.add("CB557", "coal is not installed: the SRDF disables adjacent links alone")
        else:
            found |= _Sampling(described, roles, poses, others).reasons(findings)
    elif others:
        findings.add("CB557", "no poses were asked for: the SRDF disables adjacent links alone")
    return tuple(Disabled(*pair, found[pair]) for pair in pairs if pair in found)


def _adjacent(described: Description) -> set[frozenset[str]]:
    """Links that a joint connects, past links without geometry, and those that a closure connects."""
    solid = {str(e.get("name")) for e in described.robot.findall("link") if e.find("collision") is not None}
    beside: dict[str, set[str]] = defaultdict(set)
    ends = [(_end(joint, "parent"), _end(joint, "child")) for joint in described.robot.findall("joint")]
    tree, names = described.plan.tree, described.plan.link_names
    ends += [(names[tree.link_of(j.a)], names[tree.link_of(j.b)]) for j in tree.closures]
    for a, b in ends:
        beside[a].add(b)
        beside[b].add(a)
    found = set()
    for name in sorted(solid):
        waiting, seen = sorted(beside[name]), {name}
        while waiting:
            other = waiting.pop()
            if other in seen:
                continue
            seen.add(other)
            if other in solid:
                found.add(frozenset((name, other)))
            elif not _holds_up(other, described):
                waiting += sorted(beside[other])
    return found


def _holds_up(link: str, described: Description) -> bool:
    """Whether a link without geometry is the ground: what stands on it side by side is not adjacent."""
    return link == described.plan.link_names[0]


def _end(joint: ET.Element, tag: str) -> str:
    end = joint.find(tag)
    return "" if end is None else str(end.get("link"))


_FEWER_CHECKS = "Use `--collision hull` or `primitives`, for fewer bodies to check."
_LIMITS = (
    "Give limits to the joints named, so that more of the poses drawn close the loops and keep the others' limits."
)
_NARROW = (
    "Check the limits of the joints: hardly a pose within them closes the loops and keeps the limits of "
    "the joints that follow (CB563, CB564)."
)
"""Cures of a matrix of few poses (CB559), by what leaves so few."""


class _Sampling:
    """Pairs of links in poses of the mechanism."""

    def __init__(self, described: Description, roles: Roles, poses: int, pairs: Iterable[Pair]) -> None:
        self._loops, self._roles, self._poses = roles.loops, roles, poses
        self._pairs = list(pairs)
        self._bodies = _bodies_of(described.robot, described.plan.meshes.contents)
        self._size = _size_of(self._bodies, self._loops.place(np.zeros((1, len(self._loops.joints)))))
        self._margin = MARGIN * self._size
        self._left = WORK
        self._random = np.random.default_rng(SEED)
        self._low, self._high, self._wide = self._ranges()

    def reasons(self, findings: Findings) -> dict[Pair, str]:
        """The reason of each pair that needs no check."""
        q, tried = self._sample()
        designed = self._loops.settle(np.zeros((1, len(self._loops.joints))))[0]
        found = {pair: "Default" for pair in self._pairs if self._near(pair, designed, TOUCHING)[0]}
        done, seen = self._watch([pair for pair in self._pairs if pair not in found], q)
        for pair, (near, free) in seen.items() if done else ():  # of no pose at all, none never touches
            if not near and not self._approaches(pair, q[:done]):
                found[pair] = "Never"
            elif near and free <= (1 - ALWAYS_SHARE) * done:
                found[pair] = "Always"
        self._report(findings, found, (done, len(q), tried))
        return found

    def _watch(self, pairs: list[Pair], q: Matrix) -> tuple[int, dict[Pair, list[int]]]:
        """How many poses were looked at; of each pair in how many it came near, and in how many it did not touch.

        A pair that came near once and was apart in too many poses to touch always is settled, and left out after.
        Few poses are looked at first, as the question whether two meshes come near takes longest where they just do.
        """
        seen = {pair: [0, 0] for pair in pairs}
        done = 0
        while done < len(q) and self._left > 0:
            part = q[done : done + min(BATCH, max(FIRST_BATCH, done))]
            for pair in pairs:
                near = self._near(pair, part, TOUCHING if seen[pair][0] else self._margin)
                touching = near if seen[pair][0] else self._near(pair, part, TOUCHING, near)
                seen[pair][0] += int(np.count_nonzero(near))
                seen[pair][1] += int(np.count_nonzero(~touching))
            pairs = [pair for pair in pairs if not (seen[pair][0] and seen[pair][1] > (1 - ALWAYS_SHARE) * len(q))]
            done += len(part)
        return done, seen

    def _report(self, findings: Findings, found: Mapping[Any, str], poses: tuple[int, int, int]) -> None:
        """`poses` are those looked at, those that can be, and those drawn."""
        done, can_be, tried = poses
        each = [f"{list(found.values()).count(r)} {r}" for r in ("Default", "Always", "Never")]
        message = f"{count(done, 'pose')} of {tried} drawn: {', '.join(each)}"
        left = [str(name) for name in self._wide]
        if left:
            message += f"; without limits, so drawn over half a turn or half the robot's size: {', '.join(left)}"
        if done >= min(self._poses, 1000):
            findings.add("CB558", message)
        else:
            findings.add("CB559", message, hint=_FEWER_CHECKS if done < can_be else _LIMITS if left else _NARROW)

    def _ranges(self) -> tuple[Vector, Vector, list[str]]:
        """Bounds (k,) of the active joints, and those that have none of their own."""
        index = [self._loops.joints.index(name) for name in self._loops.active]
        low, high = self._loops.lower[index], self._loops.upper[index]
        slides = np.array([self._loops.slides(name) for name in self._loops.active], dtype=bool)
        reach = np.where(slides, 0.5 * self._size, np.pi)
        unbound = (low <= -NO_LIMIT) | (high >= NO_LIMIT)
        wide = [name for name, without in zip(self._loops.active, unbound, strict=True) if without]
        return np.where(low <= -NO_LIMIT, -reach, low), np.where(high >= NO_LIMIT, reach, high), wide

    def _sample(self) -> tuple[Matrix, int]:
        """Coordinates (n, joints) of poses that are closed and within all limits, and how many were drawn."""
        found: list[Matrix] = []
        drawn = reached = 0
        while reached < self._poses and drawn < 3 * self._poses:
            targets = self._random.uniform(self._low, self._high, (min(BATCH, self._poses - reached), len(self._low)))
            q = self._allowed(targets)
            found.append(q[: self._poses - reached])
            drawn += len(targets)
            reached += len(found[-1])
            if not reached and drawn >= self._poses:
                break
        return np.concatenate(found), drawn

    def _allowed(self, targets: Matrix, start: Matrix | None = None) -> Matrix:
        """Poses (n, joints) on the way to active values that are within the limits of all joints."""
        q, _ = self._loops.poses(targets, start)
        # rad or m: a joint at the end of its range is within it.
        within = np.all((q >= self._loops.lower - 1e-9) & (q <= self._loops.upper + 1e-9), axis=1)
        return np.asarray(q[within])

    def _near(self, pair: Pair, q: Matrix, margin: float, only: Mask | None = None) -> Mask:
        """In which poses (N,) the two links come nearer than `margin` (m)."""
        import coal

        near = np.zeros(len(q), dtype=bool)
        tested = np.ones(len(q), dtype=bool) if only is None else only
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        request.security_margin = margin
        for one, other, places in self._placed(pair, q):
            to_check = (_apart(one, other, places) <= margin) & ~near & tested
            for k in np.flatnonzero(to_check).tolist():
                # Meshes just beyond a wide margin take coal's collision 20 times as long as their distance.
                if margin > TOUCHING:
                    near[k] = self._distance(one, other, places, k) <= margin
                    continue
                self._left -= 1
                A, B = (coal.Transform3s(R[k], p[k]) for R, p in places)
                result.clear()
                near[k] = coal.collide(one.geometry, A, other.geometry, B, request, result) > 0
        return near

    def _distance(self, one: _Body, other: _Body, places: list[tuple[Matrix, Matrix]], k: int) -> float:
        """The distance of two bodies in pose k of their places; 0 where they touch."""
        import coal

        self._left -= 1
        A, B = (coal.Transform3s(R[k], p[k]) for R, p in places)
        distance = coal.distance(one.geometry, A, other.geometry, B, coal.DistanceRequest(), coal.DistanceResult())
        return max(float(distance), 0.0)

    def _placed(self, pair: Pair, q: Matrix) -> Iterator[tuple[_Body, _Body, list[tuple[Matrix, Matrix]]]]:
        """The bodies of two links in pairs, and where they are: rotations (N, 3, 3) and origins (N, 3) of each."""
        placed = self._loops.place(q, pair)
        for both in product(self._bodies[pair[0]], self._bodies[pair[1]]):
            ends = [(placed[link], body.X_LG) for link, body in zip(pair, both, strict=True)]
            yield *both, [(R @ X_LG.R, R @ X_LG.p + p) for (R, p), X_LG in ends]

    def _approaches(self, pair: Pair, q: Matrix) -> bool:
        """Whether a search from the nearest poses brings two links within the margin."""
        k = [self._loops.joints.index(name) for name in self._loops.active]
        if not k or not len(q):
            return False
        bounds = self._bounds(pair, q)
        # Two links that keep far apart in every pose need no search.
        if np.min(bounds) > 5 * self._margin:
            return False
        # A tenth of each range to begin with: the neighbourhood of the best pose so far.
        spread = 0.1 * (self._high - self._low)
        random = np.random.default_rng(SEED)
        best = q[np.argsort(bounds, kind="stable")[:NEAREST]]
        least = self._distances(pair, best)
        for _ in range(SEARCH_ROUNDS):
            start = np.repeat(best, BRANCHES, axis=0)
            steps = random.normal(size=(len(start), len(k))) * spread
            moved = self._allowed(np.clip(start[:, k] + steps, self._low, self._high), start)
            both = np.concatenate([best, moved])
            distances = np.concatenate([least, self._distances(pair, moved)])
            # Stable, so that equal distances give the same matrix on every machine.
            order = np.argsort(distances, kind="stable")[: len(best)]
            # Narrower where nothing better was found farther out.
            spread = spread if order[0] >= len(best) else 0.7 * spread
            best, least = both[order], distances[order]
            if least[0] <= self._margin:
                return True
        return False

    def _bounds(self, pair: Pair, q: Matrix) -> Vector:
        """Lower bounds (N,) of the distance between two links, by the boxes about their bodies."""
        apart = [_apart(one, other, places) for one, other, places in self._placed(pair, q)]
        return np.asarray(np.min(apart, axis=0))

    def _distances(self, pair: Pair, q: Matrix) -> Vector:
        """Distances (N,) between two links; 0 where they touch."""
        least = np.full(len(q), np.inf)
        for one, other, places in self._placed(pair, q):
            least = np.minimum(least, [self._distance(one, other, places, k) for k in range(len(q))])
        return least


def _apart(one: _Body, other: _Body, places: list[tuple[Matrix, Matrix]]) -> Vector:
    """How far the boxes about two bodies are apart at least (N,), m, by the axes of both; negative where they meet."""
    (R_a, p_a), (R_b, p_b) = places
    away = R_b @ other.centre + p_b - R_a @ one.centre - p_a
    R_ab = np.swapaxes(R_a, 1, 2) @ R_b
    along_a = np.abs(np.einsum("nji,nj->ni", R_a, away)) - one.half - np.abs(R_ab) @ other.half
    along_b = np.abs(np.einsum("nji,nj->ni", R_b, away)) - other.half - np.swapaxes(np.abs(R_ab), 1, 2) @ one.half
    return np.asarray(np.maximum(along_a.max(axis=1), along_b.max(axis=1)))


def _bodies_of(robot: ET.Element, meshes: Mapping[str, bytes]) -> dict[str, list[_Body]]:
    """What collides of each link; all its meshes are one, as a link of hundreds of parts is asked for as a whole."""
    found: dict[str, list[_Body]] = defaultdict(list)
    for link in robot.findall("link"):
        name, corners = str(link.get("name")), []
        for element in link.findall("collision"):
            geometry = element.find("geometry")
            shape = None if geometry is None else next(iter(geometry), None)
            if shape is None:
                continue
            origin = element.find("origin")
            place = {} if origin is None else origin.attrib
            X = Pose.from_rpy(*([float(v) for v in place.get(what, "0 0 0").split()] for what in ("xyz", "rpy")))
            if shape.tag == "mesh":
                corners.append(_corners(meshes[shape.get("filename", "")]) @ X.R.T + X.p)
            else:
                found[name].append(_primitive(shape, X))
        if corners:
            found[name].append(_mesh(np.concatenate(corners)))
    return found


def _primitive(shape: ET.Element, X_LG: Pose) -> _Body:
    import coal

    size = [float(v) for v in shape.get("size", "0 0 0").split()]
    radius, length = float(shape.get("radius", 0.0)), float(shape.get("length", 0.0))
    if shape.tag == "box":
        return _Body(coal.Box(*size), X_LG, np.zeros(3), 0.5 * np.array(size))
    if shape.tag == "cylinder":
        return _Body(coal.Cylinder(radius, length), X_LG, np.zeros(3), np.array([radius, radius, 0.5 * length]))
    return _Body(coal.Sphere(radius), X_LG, np.zeros(3), np.full(3, radius))


def _corners(stl: bytes) -> Matrix:
    """The corners (3 n, 3) of n triangles."""
    records = np.frombuffer(
        stl, dtype=[("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")], offset=84
    )
    return records["points"].astype(float).reshape(-1, 3)


def _mesh(corners: Matrix) -> _Body:
    import coal

    model = coal.BVHModelOBBRSS()
    model.beginModel(len(corners) // 3, len(corners))
    model.addVertices(corners)
    model.addTriangles(np.arange(len(corners)).reshape(-1, 3))
    model.endModel()
    low, high = corners.min(axis=0), corners.max(axis=0)
    return _Body(model, Pose(np.eye(3), np.zeros(3)), 0.5 * (low + high), 0.5 * (high - low))


def _size_of(bodies: Mapping[str, list[_Body]], placed: Mapping[str, tuple[Matrix, Matrix]]) -> float:
    """The diagonal of the box about all bodies as designed, m."""
    ends = []
    for link, items in bodies.items():
        R, p = placed[link][0][0], placed[link][1][0]
        for body in items:
            middle = R @ (body.X_LG.R @ body.centre + body.X_LG.p) + p
            reach = np.abs(R @ body.X_LG.R) @ body.half
            ends += [middle - reach, middle + reach]
    return float(np.linalg.norm(np.ptp(np.array(ends), axis=0))) if ends else 1.0

"""The spanning tree of a mechanism: what URDF and MJCF nest, and the joints that close its loops.

Every link has one frame L, put at its joint's frame J as designed, as URDF demands. A joint of several
freedoms is a sequence of single ones, outermost first, all through the origin of L; every coordinate is
0 at the designed pose and runs as the mechanism's own does, whichever body became the parent.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cadbridge.assembly import Limit
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.freedoms import SLIDE, TURN
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.joint_types import JOINT_TYPES, JointType
from cadbridge.mechanism.model import GROUND_BODY, Body, Joint, Mechanism
from cadbridge.mechanism.universal import universal_axes
from solver.algebra.connected import spanning_forest
from solver.rotation import skew


@dataclass(frozen=True, eq=False)
class TreeFreedom:
    """One coordinate: `kind` TURN (rad) or SLIDE (m), unit `axis` (3,) in the link's frame L."""

    name: str
    kind: str
    axis: Vector

    @property
    def turns(self) -> bool:
        """Whether it is an angle."""
        return self.kind == TURN


@dataclass(frozen=True, eq=False)
class Link:
    """A body in the tree. `parent` is an index into `Tree.links`, None for the root (the ground, L = W).

    `joint` is None for the root and for what hangs on nothing (`type` "free"). `first` is the index of its
    first freedom among the tree's coordinates. `share` < 1 where a body was halved to close a loop.
    """

    body: int
    parent: int | None
    X_WL: Pose
    type: str = "root"
    joint: Joint | None = None
    freedoms: tuple[TreeFreedom, ...] = ()
    first: int = 0
    share: float = 1.0

    @property
    def kind(self) -> JointType:
        """What its type leaves free."""
        return JOINT_TYPES[self.type]

    @property
    def floats(self) -> bool:
        """Whether it moves anyhow against the world."""
        return self.kind.unbound and self.parent == 0


@dataclass(frozen=True, eq=False)
class Tree:
    """Links, parents before children, and the joints that are not in the tree."""

    mechanism: Mechanism
    links: tuple[Link, ...]
    closures: tuple[Joint, ...]

    @property
    def freedoms(self) -> tuple[TreeFreedom, ...]:
        """All coordinates, in the order of the links."""
        return tuple(f for link in self.links for f in link.freedoms)

    def body(self, link: Link) -> Body:
        """The body of a link."""
        return self.mechanism.ground if link.body == GROUND_BODY else self.mechanism.bodies[link.body]

    def link_of(self, body: int) -> int:
        """Index of the (first) link of a body."""
        return self._places[body]

    @cached_property
    def _places(self) -> dict[int, int]:
        return {link.body: i for i, link in reversed(list(enumerate(self.links)))}

    def between(self, a: int, b: int) -> list[int]:
        """Indices of the coordinates on the way from a body to another."""
        i, j, found = self.link_of(a), self.link_of(b), list[int]()
        while i != j:  # parents come before children: the later link is not above the other
            link, i = self.links[max(i, j)], min(i, j)
            assert link.parent is not None
            found += range(link.first, link.first + len(link.freedoms))
            j = link.parent
        return found

    def X_PL(self, link: Link) -> Pose:
        """Pose of a link in its parent's frame as designed (the root: in W)."""
        if link.parent is None:
            return link.X_WL
        return self.links[link.parent].X_WL.inverse() @ link.X_WL

    @cached_property
    def serial(self) -> frozenset[int]:
        """Links that only part the joints of a series: no mass, no shape, one single joint above and one below."""
        touched = Counter(body for j in self.mechanism.joints for body in (j.a, j.b))
        borne = Counter(link.parent for link in self.links)
        return frozenset(
            i
            for i, link in enumerate(self.links)
            if link.parent is not None
            and len(link.freedoms) == 1
            and borne[i] == 1
            and touched[link.body] == 2
            and massless(self.body(link))
        )

    def series(self, i: int) -> tuple[int, ...]:
        """The links of `serial` right above link i, outermost first."""
        above = self.links[i].parent
        return () if above is None or above not in self.serial else (*self.series(above), above)

    def mass(self, link: Link) -> MassProperties | None:
        """Mass properties of a link in its frame L."""
        body = self.body(link)
        if body.mass is None:
            return None
        X_WB = body.X_WB
        return body.mass.scaled(link.share).moved(link.X_WL.inverse() @ X_WB)


def limit_of(joint: Joint | None, freedom: TreeFreedom) -> Limit | None:
    """The limit of the joint above a link where it bounds this freedom of it: the one that has the joint's name.

    Of a cylindrical joint that is its turn; no other joint of several freedoms has such a one.
    """
    return joint.limit if joint is not None and freedom.name == joint.name else None


def massless(body: Body) -> bool:
    """Whether a body is known to have neither mass nor shape."""
    return body.mass is not None and body.mass.mass == 0.0 and not body.instances


def joint_pose(mechanism: Mechanism, joint: Joint) -> Pose:
    """X_WJ as designed, from a body that is not the ground."""
    if joint.b != GROUND_BODY:
        return mechanism.bodies[joint.b].X_WB @ joint.X_BJ
    return mechanism.bodies[joint.a].X_WB @ joint.X_AJ


def driven_joints(mechanism: Mechanism) -> set[str]:
    """Names of the joints on which drives act; a drive names a joint or a mate that it holds."""
    wanted = {drive.joint for drive in mechanism.drives}
    return {j.name for j in mechanism.joints if j.name in wanted or wanted & set(j.mates)}


def spanning_tree(mechanism: Mechanism) -> Tree:
    """The tree of best joints: driven ones first, then by type, then in the mechanism's order."""
    driven, preference, joints = driven_joints(mechanism), list(JOINT_TYPES), mechanism.joints
    # A drive needs a coordinate of the tree: a joint that closes a loop has none, and would lose it.
    chosen = sorted(
        spanning_forest(
            [(j.a, j.b) for j in joints],
            lambda i: (joints[i].kind.unbound, joints[i].name not in driven, preference.index(joints[i].type)),
        )
    )
    links, inside = _grow(mechanism, [joints[i] for i in chosen]), set(chosen)
    return Tree(mechanism, links, tuple(j for i, j in enumerate(joints) if i not in inside))


def _grow(mechanism: Mechanism, joints: list[Joint]) -> tuple[Link, ...]:
    """Depth first from the ground, as engines number what is nested; what it does not reach hangs on it freely."""
    links = [Link(GROUND_BODY, None, Pose())]
    index = {GROUND_BODY: 0}
    at_body: dict[int, list[Joint]] = {}
    for joint in joints:
        at_body.setdefault(joint.a, []).append(joint)
        at_body.setdefault(joint.b, []).append(joint)

    def above(body: int) -> list[tuple[Joint, int, int]]:
        pairs = [(j, j.b if j.a == body else j.a) for j in at_body.get(body, ())]
        # Reversed, as the last of the list is taken first: so links come in the mechanism's order.
        return [(j, child, body) for j, child in reversed(pairs) if child not in index]

    def add(link: Link) -> None:
        last = links[-1]
        index[link.body] = len(links)
        links.append(replace(link, first=last.first + len(last.freedoms)))
        todo.extend(above(link.body))

    todo = above(GROUND_BODY)
    for body in (*range(len(mechanism.bodies)), GROUND_BODY):
        while todo:
            joint, child, parent = todo.pop()
            add(hang(mechanism, joint, child, index[parent]))
        if body not in index:
            add(_loose(mechanism, body))
    return tuple(links)


def hang(mechanism: Mechanism, joint: Joint, child: int, parent_link: int) -> Link:
    """The link of body `child` on `joint`; where it is the joint's body a, the axes turn round."""
    sign = 1.0 if child == joint.b else -1.0
    X_WJ = joint_pose(mechanism, joint)
    axes = universal_axes(mechanism, joint) if joint.kind.crossed else None
    kind = "generic" if joint.kind.crossed and axes is None else joint.type
    steps = [(step.suffix, step.kind, step.axis) for step in JOINT_TYPES[kind].steps]
    if axes is not None:
        # Of a cross seen from the other side the arms come in the opposite order.
        own = [X_WJ.R.T @ axis for axis in axes[:2]][:: int(sign)]
        steps = [(suffix, what, axis) for (suffix, what, _), axis in zip(steps, own, strict=True)]
        X_WJ = Pose(X_WJ.R, axes[2])
    # Turned round, the coordinate keeps its sign although the other body moves.
    freedoms = tuple(TreeFreedom(joint.name + suffix, what, sign * axis) for suffix, what, axis in steps)
    return Link(child, parent_link, X_WJ, kind, joint, freedoms)


def _loose(mechanism: Mechanism, body: int) -> Link:
    name = f"{mechanism.bodies[body].name}_free"
    freedoms = tuple(TreeFreedom(name + step.suffix, step.kind, step.axis) for step in JOINT_TYPES["free"].steps)
    return Link(body, 0, mechanism.bodies[body].X_WB, "free", None, freedoms)


def motion(kind: str, axis: Vector, q: float) -> Pose:
    """The pose after a turn by q rad, or a travel by q m, along `axis`."""
    if kind == SLIDE:
        return Pose(np.eye(3), axis * q)
    K = skew(axis)
    return Pose(np.eye(3) + np.sin(q) * K + (1 - np.cos(q)) * (K @ K), np.zeros(3))


@dataclass(frozen=True, eq=False)
class Kinematics:
    """Poses of a tree's links, and `screws` (N, 6): [v of the world's origin; ω] in world axes by each rate."""

    tree: Tree
    X_WL: tuple[Pose, ...]
    screws: Matrix

    def displaced(self, link: int) -> Pose:
        """What takes a pose as designed to where it is, on a link."""
        return self.X_WL[link] @ self.tree.links[link].X_WL.inverse()

    def jacobian(self, link: int, point: Vector) -> Matrix:
        """(6, N): velocity of a point (3,) m of the world that moves with a link, and the link's ω, by each rate."""
        above = np.zeros(len(self.screws), dtype=bool)
        at: int | None = link
        while at is not None:
            own = self.tree.links[at]
            above[own.first : own.first + len(own.freedoms)] = True
            at = own.parent
        v, turns = self.screws[:, :3], self.screws[:, 3:]
        return np.asarray(np.hstack([v + np.cross(turns, point), turns]).T * above)

    @cached_property
    def J(self) -> Matrix:
        """(links, 6, N): [v of L's origin; ω] of every link by each rate. Grows with the square of their number."""
        return np.array([self.jacobian(i, X.p) for i, X in enumerate(self.X_WL)])


def kinematics(tree: Tree, q: Vector) -> Kinematics:
    """Forward kinematics of the tree at coordinates `q` (N,) in rad and m: linear in time and memory."""
    poses: list[Pose] = []
    screws = np.zeros((len(q), 6))
    for link in tree.links:
        pose = tree.X_PL(link) if link.parent is None else poses[link.parent] @ tree.X_PL(link)
        for k, freedom in enumerate(link.freedoms, link.first):
            axis = pose.R @ freedom.axis
            # The velocity of the world's origin, taken along with the link: of all links in one frame, so that they
            # add.
            screws[k] = (*np.cross(pose.p, axis), *axis) if freedom.turns else (*axis, 0.0, 0.0, 0.0)
            pose = pose @ motion(freedom.kind, freedom.axis, float(q[k]))
        poses.append(pose)
    return Kinematics(tree, tuple(poses), screws)


def poses_at(tree: Tree, q: Vector) -> tuple[Matrix, Matrix]:
    """Positions (n, 3) and quaternions (n, 4) of the bodies' frames at q; linear in time and memory."""
    return _bodies(kinematics(tree, q))


def _bodies(moved: Kinematics) -> tuple[Matrix, Matrix]:
    bodies = moved.tree.mechanism.bodies
    poses = [moved.displaced(moved.tree.link_of(k)) @ body.X_WB for k, body in enumerate(bodies)]
    return np.array([X.p for X in poses]).reshape(-1, 3), np.array([X.quaternion() for X in poses]).reshape(-1, 4)


def bodies_at(tree: Tree, q: Vector) -> tuple[Matrix, Matrix, Matrix]:
    """As `poses_at`, and T (6n, N) of the bodies' velocities."""
    moved = kinematics(tree, q)
    positions, quaternions = _bodies(moved)
    T = [moved.jacobian(tree.link_of(k), position) for k, position in enumerate(positions)]
    return positions, quaternions, np.array(T).reshape(6 * len(positions), len(q))

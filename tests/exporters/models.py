"""Mechanisms made by hand, with random but physical bodies."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cadbridge.assembly import Assembly, Component, Coupling, CouplingKind, Drive, Instance, Limit, Part
from cadbridge.exporters.sidecars import LOSSES
from cadbridge.frames import Pose, frame_from_axis
from cadbridge.geometry import Mesh, Shape
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.model import Body, BodyCoupling, Joint, Mechanism
from solver.constraints import (
    AxesAngle,
    Coordinate,
    Coupler,
    GearPair,
    PointOnPlane,
    Primitive,
    RackPinion,
)

X, Y, Z = np.eye(3)


def box(size: Sequence[float]) -> Mesh:
    """A box about the origin, edges in m."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return Mesh(corners * np.asarray(size), np.array(triangles, dtype=np.int32))


def random_mass(random: np.random.Generator) -> MassProperties:
    """A cloud of points is always a body that can be."""
    points, weights = 0.1 * random.standard_normal((6, 3)), random.uniform(0.1, 1.0, 6)
    com = weights @ points / weights.sum()
    inertia = sum(w * (d @ d * np.eye(3) - np.outer(d, d)) for w, d in zip(weights, points - com, strict=True))
    return MassProperties(float(weights.sum()), com, np.asarray(inertia))


def random_pose(random: np.random.Generator, scale: float = 0.3) -> Pose:
    return Pose.from_quaternion(scale * random.standard_normal(3), random.standard_normal(4))


def at(p: Sequence[float], z: Sequence[float] = (0, 0, 1)) -> Pose:
    """A frame at p (m) with its z axis along z."""
    return Pose(frame_from_axis(z), np.asarray(p, dtype=float))


class Builder:
    """Puts a mechanism together in world coordinates."""

    def __init__(self, seed: int = 1, names: str = "body") -> None:
        self.random = np.random.default_rng(seed)
        self.names = names
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.couplings: list[BodyCoupling] = []
        self.drives: list[Drive] = []
        self.changes: dict[str, object] = {}

    def body(self, X_WB: Pose | None = None, mass: MassProperties | None = None) -> int:
        """A body at a random pose, unless given."""
        i = len(self.bodies)
        X_WB = X_WB or random_pose(self.random)
        name = f"{self.names}:{i}"
        self.bodies.append(Body(name, (name,), (name,), X_WB, mass or random_mass(self.random), "declared"))
        return i

    def pose(self, body: int) -> Pose:
        return Pose() if body < 0 else self.bodies[body].X_WB

    def joint(self, kind: str, a: int, b: int, X_WJ: Pose, **more: object) -> Joint:
        """A joint at X_WJ; its primitives follow from its kind."""
        X_AJ, X_BJ = self.pose(a).inverse() @ X_WJ, self.pose(b).inverse() @ X_WJ
        rows = _rows(kind, a, b, X_AJ, X_BJ)
        name = str(more.pop("name", f"{kind.title()}:{len(self.joints)}"))
        if kind == "universal":
            # As after collapsing: the frame of the joint need be neither at the cross nor along its axes.
            X_JK = random_pose(self.random)
            X_AJ, X_BJ = X_AJ @ X_JK, X_BJ @ X_JK
            turns = X_JK.R.T[:, :2]
            freedom = np.vstack([np.cross(turns.T, X_JK.R.T @ X_JK.p).T, turns])
        else:
            freedom = np.zeros((6, 0))
        joint = Joint(name, kind, a, b, X_AJ, X_BJ, rows, freedom, (f"mate of {name}",))
        self.joints.append(replace(joint, **more))  # type: ignore[arg-type]
        return self.joints[-1]

    def couple(self, name: str, primitive: Primitive) -> None:
        coupling = Coupling(name, CouplingKind.RATIO, None, None)
        self.couplings.append(BodyCoupling(name, coupling, primitive))

    def gear(self, name: str, kind: str, a: int, b: int, X_a: Pose, X_b: Pose, ratio: float) -> None:
        """A gear pair about the z axes of two frames in W."""
        A, B = self.pose(a).inverse() @ X_a, self.pose(b).inverse() @ X_b
        self.couple(name, GearPair(a, b, kind, A.p, A.R[:, 2], B.p, B.R[:, 2], ratio))

    def rack(self, name: str, a: int, b: int, X_a: Pose, X_b: Pose, radius: float) -> None:
        A, B = self.pose(a).inverse() @ X_a, self.pose(b).inverse() @ X_b
        self.couple(name, RackPinion(a, b, A.p, A.R[:, 2], radius, B.p, B.R[:, 2]))

    def build(self) -> Mechanism:
        part = Part("Block 1", Shape("k1", None, box((0.1, 0.05, 0.02))), colour=(1, 0, 0, 1))
        instances = tuple(Instance(b.name, part.name, b.X_WB, b.name) for b in self.bodies)
        components = tuple(Component(b.name, (b.name,), b.X_WB) for b in self.bodies)
        assembly = Assembly("test rig", "hand", "none", (part,), instances, components)
        ground = Body("ground", (), (), Pose(), None, None)
        mechanism = Mechanism(
            assembly, tuple(self.bodies), ground, tuple(self.joints), tuple(self.couplings), (),
            tuple(b.name for b in self.bodies), tuple(b.X_WB for b in self.bodies),
            {b.name: i for i, b in enumerate(self.bodies)}, (), {}, tuple(self.drives),
        )  # fmt: skip
        return replace(mechanism, **self.changes)  # type: ignore[arg-type]


def _rows(kind: str, a: int, b: int, A: Pose, B: Pose) -> tuple[Primitive, ...]:
    """The rows that leave the freedoms of a joint, in body frames."""
    x, y, z = (A.R[:, i] for i in range(3))
    u, v, w = (B.R[:, i] for i in range(3))

    def point(n: np.ndarray) -> Primitive:
        return PointOnPlane(a, b, A.p, n, B.p)

    def angle(n: np.ndarray, m: np.ndarray) -> Primitive:
        return AxesAngle(a, b, n, m)

    tilt = (angle(x, w), angle(y, w))
    rows: dict[str, tuple[Primitive, ...]] = {
        "revolute": (point(x), point(y), point(z), *tilt),
        "cylindrical": (point(x), point(y), *tilt),
        "screw": (point(x), point(y), *tilt),
        "prismatic": (point(x), point(y), *tilt, angle(x, v)),
        "spherical": (point(x), point(y), point(z)),
        "planar": (point(z), *tilt),
        "universal": (point(x), point(y), point(z), angle(x, v)),
        "generic": (point(z),),
    }
    del u
    return rows[kind]


def pendulum() -> Mechanism:
    """A double pendulum in space: crossed axes, arbitrary frames, the second joint turned round."""
    rig = Builder(3)
    one, two = rig.body(), rig.body()
    rig.joint("revolute", -1, one, at((0, 0, 1), (1, 0.2, 0)), limit=Limit(-2.0, 3.0, 10.0, 50.0))
    rig.joint("revolute", two, one, at((0.1, 0.4, 1), (0.3, 1, 0.1)))
    return rig.build()


def joints_of_all_kinds() -> Mechanism:
    """A chain through every joint type, alternately forward and backward."""
    rig = Builder(5)
    previous = -1
    kinds = ("prismatic", "cylindrical", "universal", "planar", "spherical", "screw", "revolute")
    for i, kind in enumerate(kinds):
        body = rig.body()
        X = random_pose(rig.random)
        pair = (previous, body) if i % 2 == 0 else (body, previous)
        rig.joint(kind, *pair, X, pitch=0.02 if kind == "screw" else None)
        previous = body
    return rig.build()


def geared_pair(rack: bool = True) -> Mechanism:
    """A pinion that drives a wheel three times its size, and a rack on the wheel."""
    rig = Builder(7)
    pinion, wheel = rig.body(), rig.body()
    X_p, X_w = at((0, 0, 0)), at((0.08, 0, 0))
    rig.joint("revolute", -1, pinion, X_p, name="pinion", armature=1e-4)
    rig.joint("revolute", wheel, -1, X_w, name="wheel")
    rig.gear("Spur:1", "spur", pinion, wheel, X_p, X_w, 3.0)
    if rack:
        bar, X_r = rig.body(), at((0.14, 0, 0), (0, 1, 0))
        rig.joint("prismatic", -1, bar, X_r, name="rack", limit=Limit(-0.1, 0.1))
        rig.rack("Rack:1", wheel, bar, X_w, X_r, 0.06)
    rig.drives.append(Drive("M1", "mate of pinion", reduction=2.0))
    return rig.build()


def planetary() -> Mechanism:
    """Sun, planet on a carrier and a free ring: two relations among four turns."""
    rig = Builder(11)
    sun, carrier, planet, ring = rig.body(), rig.body(), rig.body(), rig.body()
    centre, side = at((0, 0, 0)), at((0.03, 0, 0))
    rig.joint("revolute", -1, sun, centre, name="sun")
    rig.joint("revolute", -1, carrier, centre, name="carrier")
    rig.joint("revolute", carrier, planet, side, name="planet")
    rig.joint("revolute", -1, ring, centre, name="ring")
    rig.gear("sun-planet", "spur", sun, planet, centre, side, 0.5)
    rig.gear("planet-ring", "internal", planet, ring, side, centre, 4.0)
    return rig.build()


def branched() -> Mechanism:
    """Two arms that branch again: breadth and depth first differ."""
    rig = Builder(23)
    parents = [-1, -1, 0, 1, 0, 2, 1]
    for i, parent in enumerate(parents):
        rig.body()
        pair = (parent, i) if i % 3 else (i, parent)
        rig.joint("revolute", *pair, random_pose(rig.random), name=f"hinge {i}")
    return rig.build()


def four_bar(damped: float = 0.0) -> Mechanism:
    """A planar four-bar: crank, coupler, rocker, all about y; the last hinge is `damped` (N m s)."""
    rig = Builder(13)
    crank, coupler, rocker = rig.body(), rig.body(), rig.body()
    points = [(0, 0, 0), (0, 0, 0.1), (0.25, 0, 0.2), (0.3, 0, 0)]
    ends = [(-1, crank), (crank, coupler), (coupler, rocker), (rocker, -1)]
    for point, (a, b) in zip(points, ends, strict=True):
        rig.joint("revolute", a, b, at(point, (0, 1, 0)), damping=damped if a == rocker else 0.0)
    return rig.build()


def coupled_by_coordinates(ratio: float = -2.0, constant: float = 0.25) -> Mechanism:
    """Two hinges bound by a coupler that is off by a constant as designed."""
    rig = Builder(17)
    one, two = rig.body(), rig.body()
    X_1, X_2 = at((0, 0, 0), (0, 1, 0)), at((0.3, 0, 0), (0, 1, 0))
    rig.joint("revolute", -1, one, X_1, name="one")
    rig.joint("revolute", -1, two, X_2, name="two")
    terms = []
    for body, X, factor in ((one, X_1, -ratio), (two, X_2, 1.0)):
        B = rig.pose(body).inverse() @ X
        turn = Coordinate("angle", -1, body, X.p, X.R[:, 2], B.p, X.R[:, 0], B.R[:, 0])
        terms.append((factor, turn))
    rig.couple("two follows one", Coupler(-1, one, tuple(terms), constant))
    return rig.build()


MECHANISMS: tuple[Callable[[], Mechanism], ...] = (
    pendulum,
    joints_of_all_kinds,
    geared_pair,
    planetary,
    four_bar,
    coupled_by_coordinates,
    branched,
)
"""A mechanism of every kind that all formats of trees carry."""


def names_of(folder: Path, kind: str) -> dict[str, str]:
    """Old name → new name of `kind`, as an export in `folder` noted them."""
    return {old: new for new, old in json.loads((folder / LOSSES).read_text())["names"][kind].items()}

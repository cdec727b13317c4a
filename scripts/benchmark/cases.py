"""The mechanisms compared, said once: bodies, hinges of a tree, hinges that close loops, gears."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from solver import State, rotation
from solver.analyses.minimal import jacobian
from solver.chart import TreeJoint
from solver.chart.steps import turn
from solver.constraints import GROUND, AxesAngle, Coordinate, GearPair, PointOnPlane, Primitive
from solver.equations.system import prepare
from solver.model import Model, RigidBody
from solver.steps.methods import slope_at

ROOT = Path(__file__).resolve().parents[2]
Array = np.ndarray
X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Hinge:
    """A hinge of body b on body a (−1: ground) at a point, about an axis; both in the world, as built."""

    a: int
    b: int
    point: Array
    axis: Array


@dataclass(frozen=True)
class Motion:
    """Where the bodies are and how they move, raw: frames as in `Case`.

    positions (n, 3), rotations (n, 3, 3), velocities [v; ω] (n, 6) in world axes; `coordinates` (n,) of the tree's
    hinges over all turns, where the engine has them.
    """

    positions: Array
    rotations: Array
    velocities: Array
    coordinates: Array | None = None


@dataclass(frozen=True)
class Case:
    """A mechanism whose body frames stand in the centres of mass, all with the world's axes as built.

    `tree[i]` is the hinge that carries body i, after the hinge of its parent; `rates` (n,) are its speeds at the
    start. `couplings` (k, n) are the gears as Σ c q = 0 along the tree's hinges. `duration` is simulated.
    """

    name: str
    masses: Array
    inertias: Array
    positions: Array
    tree: tuple[Hinge, ...]
    duration: float
    loops: tuple[Hinge, ...] = ()
    gears: tuple[GearPair, ...] = ()
    rates: Array | None = None
    couplings: Array | None = None
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)

    @property
    def count(self) -> int:
        """Moving bodies."""
        return len(self.masses)

    def local(self, body: int, point: Array) -> Array:
        """A world point, as built, in a body's frame."""
        return point - (self.positions[body] if body != GROUND else 0.0)

    def motion(self, q: Array, rates: Array) -> Motion:
        """The bodies' motion from the coordinates and rates (n,) of the tree's hinges."""
        x, R, v = np.zeros((self.count, 3)), np.zeros((self.count, 3, 3)), np.zeros((self.count, 6))
        for h, angle, rate in zip(self.tree, q, rates, strict=True):
            carried = h.a != GROUND
            x0, R0, v0 = (x[h.a], R[h.a], v[h.a]) if carried else (np.zeros(3), np.eye(3), np.zeros(6))
            axis = R0 @ h.axis
            arm = R0 @ self.local(h.a, h.point)
            R[h.b] = R0 @ rotation.matrix(rotation.exponential(angle * h.axis))
            omega = v0[3:] + rate * axis
            out = -(R[h.b] @ self.local(h.b, h.point))
            x[h.b] = x0 + arm + out
            v[h.b] = [*(v0[:3] + rotation.cross(v0[3:], arm) + rotation.cross(omega, out)), *omega]
        return Motion(x, R, v, np.array(q, float))

    def first_rates(self) -> Array:
        """Rates (n,) of the tree's hinges at the start."""
        return np.zeros(self.count) if self.rates is None else self.rates.copy()

    def model(self) -> Model:
        """The solver's model; its coordinates are the tree's hinges."""
        held = [(f"hinge {i}", p) for i, h in enumerate((*self.tree, *self.loops)) for p in self._rows(h)]
        held += [(f"gear {i}", p) for i, p in enumerate(self.gears)]
        return Model(
            tuple(
                RigidBody(f"b{i}", m, inertia)
                for i, (m, inertia) in enumerate(zip(self.masses, self.inertias, strict=True))
            ),
            tuple(p for _, p in held),
            self.positions,
            np.tile([1.0, 0, 0, 0], (self.count, 1)),
            groups=tuple(name for name, _ in held),
            coordinates=tuple(self._coordinate(h) for h in self.tree),
            gravity=self.gravity,
        )

    def joints(self) -> list[TreeJoint]:
        """The tree's hinges, for the solver's minimal coordinates."""
        return [TreeJoint(f"hinge {i}", (turn(h.axis),), h.a, h.b, h.point) for i, h in enumerate(self.tree)]

    def start(self) -> State:
        """The state at the start."""
        velocities = self.motion(np.zeros(self.count), self.first_rates()).velocities
        return replace(State.at_rest(self.positions, np.tile([1.0, 0, 0, 0], (self.count, 1))), velocities=velocities)

    def _rows(self, h: Hinge) -> list[Primitive]:
        first = rotation.perpendicular(h.axis)
        here, there = self.local(h.a, h.point), self.local(h.b, h.point)
        rows: list[Primitive] = [PointOnPlane(h.a, h.b, here, e, there) for e in np.eye(3)]
        return [*rows, *(AxesAngle(h.a, h.b, u, h.axis) for u in (first, rotation.cross(h.axis, first)))]

    def _coordinate(self, h: Hinge) -> Coordinate:
        ref = rotation.perpendicular(h.axis)
        return Coordinate("angle", h.a, h.b, self.local(h.a, h.point), h.axis, self.local(h.b, h.point), ref, ref)


def chain(count: int, duration: float) -> Case:
    """An open chain in space: links of 0.2 m, each hinge turned against the one before."""
    draw = np.random.default_rng(7)
    axes = [Y]
    for _ in range(count - 1):
        axis = axes[-1] + 0.8 * draw.normal(size=3)
        axes.append(axis / np.linalg.norm(axis))
    middles = np.array([[0.2 * i + 0.1, 0, 0] for i in range(count)])
    inertia = np.diag([2e-4, 4e-3, 4e-3])
    tree = tuple(Hinge(i - 1, i, 0.2 * i * X, axes[i]) for i in range(count))
    return Case(f"chain {count}", np.ones(count), np.tile(inertia, (count, 1, 1)), middles, tree, duration)


def fourbars(count: int, duration: float) -> Case:
    """A02 of the IFToMM library in space: `count` four-bars of rods of 1 m and 1 kg in a row, as it starts.

    It passes a singular pose after 0.72 s, beyond which most peers do not come.
    """
    n = 2 * count + 1
    # Upright i is body 2 i, the coupler upon it body 2 i + 1: every subtree stands together, as some engines want it.
    middles = [[i / 2, 0.5, 0.0] if i % 2 == 0 else [i / 2, 1.0, 0.0] for i in range(n)]
    tree = [Hinge(GROUND, i, i / 2 * X, Z) if i % 2 == 0 else Hinge(i - 1, i, (i - 1) / 2 * X + Y, Z) for i in range(n)]
    loops = tuple(Hinge(i, i + 1, (i + 1) / 2 * X + Y, Z) for i in range(1, n, 2))
    return Case(
        f"four-bars {count}",
        np.ones(n),
        np.tile(np.eye(3) / 12, (n, 1, 1)),
        np.array(middles),
        tuple(tree),
        duration,
        loops,
        rates=np.array([-1.0 if i % 2 == 0 else 1.0 for i in range(n)]),
        gravity=(0.0, -9.81, 0.0),
    )


def redundant_fourbar() -> Case:
    """Crank 1, coupler 3, rocker 2, ground 3 m; hinges in space: three rows repeat."""
    crank, rocker = np.array([0.0, 1.0, 0]), np.array([2.68662, 1.97529, 0])
    # The rocker's end lies 3 m from the crank's and 2 m from its own bearing.
    d = np.array([3.0, -1.0, 0]) / np.sqrt(10)
    along = (9 - 4 + 10) / (2 * np.sqrt(10))
    rocker = crank + along * d + np.sqrt(9 - along**2) * np.array([-d[1], d[0], 0])
    ends = [(np.zeros(3), crank), (crank, rocker), (3 * X, rocker)]
    masses = np.array([1.0, 3.0, 2.0])
    inertias = np.array([m * np.sum((b - a) ** 2) / 12 * np.eye(3) for m, (a, b) in zip(masses, ends, strict=True)])
    tree = (Hinge(GROUND, 0, np.zeros(3), Z), Hinge(0, 1, crank, Z), Hinge(GROUND, 2, 3 * X, Z))
    middles = np.array([(a + b) / 2 for a, b in ends])
    loops = (Hinge(1, 2, rocker, Z),)
    return Case("redundant four-bar", masses, inertias, middles, tree, 5.0, loops, gravity=(0.0, -9.81, 0.0))


def bricard() -> Case:
    """A04 of the IFToMM library: five square bars, one of thirty rows repeats."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    axes = [Y, Z, X, Y, Z, X]
    middles = (corners[:-1] + corners[1:]) / 2
    along = np.abs(np.diff(corners, axis=0))
    inertias = np.array([np.diag((1 - a) * 1.01 / 12 + a * 0.02 / 12) for a in along])
    tree = tuple(Hinge(k - 1, k, corners[k], axes[k]) for k in range(5))
    loops = (Hinge(4, GROUND, corners[5], axes[5]),)
    return Case("Bricard", np.ones(5), inertias, middles, tree, 5.0, loops, gravity=(0.0, -9.81, 0.0))


def train(count: int, duration: float) -> Case:
    """A train of `count` equal spur wheels upon a bar that swings about its end: gears on a moving carrier."""
    middles = np.array([[0.1 * count, 0, 0], *([0.2 * i + 0.1, 0, 0] for i in range(count))])
    masses = np.array([1.0, *[0.5] * count])
    bar = np.diag([1e-3, *[(0.2 * count) ** 2 / 12] * 2])
    wheel = 0.5 * 0.1**2 * np.diag([0.25, 0.25, 0.5])
    tree = (Hinge(GROUND, 0, np.zeros(3), Z), *(Hinge(0, i, middles[i], Z) for i in range(1, count + 1)))
    still = np.zeros(3)
    gears = tuple(GearPair(i, i + 1, "spur", still, Z, still, Z, 1.0) for i in range(1, count))
    rates = np.array([1.0, *(5.0 * (-1) ** i for i in range(count))])
    case = Case(
        f"train {count}",
        masses,
        np.array([bar, *[wheel] * count]),
        middles,
        tree,
        duration,
        gears=gears,
        rates=rates,
        gravity=(0.0, -9.81, 0.0),
    )
    return replace(case, couplings=_couplings(case))


def kr15() -> Case:
    """The fixture of the KR 15's class with its 20 gears, falling from rest under gravity."""
    import cadbridge as cb
    from cadbridge.lowering import lower

    model = lower(cb.build(cb.read(ROOT / "fixtures/kr15/kr15.step")), gravity=(0.0, 0.0, -9.81)).model
    R = rotation.matrix(model.quaternions)
    x = np.asarray(model.positions)

    def world(body: int, point: Array) -> Array:
        return point if body == GROUND else x[body] + R[body] @ point

    def turned(body: int, axis: Array) -> Array:
        return axis if body == GROUND else R[body] @ axis

    hinges = [Hinge(c.a, c.b, world(c.a, c.point_a), turned(c.a, c.axis_a)) for c in model.coordinates]
    order, tree = _grow(hinges, len(x))
    place = {GROUND: GROUND, **{body: k for k, body in enumerate(order)}}
    gears = tuple(
        replace(
            p,
            a=place[p.a],
            b=place[p.b],
            point_a=turned(p.a, p.point_a),
            axis_a=turned(p.a, p.axis_a),
            point_b=turned(p.b, p.point_b),
            axis_b=turned(p.b, p.axis_b),
        )
        for p in model.primitives
        if isinstance(p, GearPair)
    )
    inertias = np.array([R[i] @ model.bodies[i].inertia @ R[i].T for i in order])
    renamed = tuple(Hinge(place[h.a], place[h.b], h.point, h.axis) for h in tree)
    masses = np.array([model.bodies[i].mass for i in order])
    case = Case("KR 15 with gears", masses, inertias, x[order], renamed, 2.0, gears=gears)
    return replace(case, couplings=_couplings(case))


def _grow(hinges: list[Hinge], count: int) -> tuple[list[int], list[Hinge]]:
    """Bodies in the order of a tree from the ground, subtrees together, and the hinge that carries each."""
    order: list[int] = []
    tree: list[Hinge] = []

    def visit(parent: int) -> None:
        for h in hinges:
            outward = h if h.a == parent else Hinge(h.b, h.a, h.point, -h.axis)
            if outward.a == parent and outward.b not in order and outward.b != GROUND:
                order.append(outward.b)
                tree.append(outward)
                visit(outward.b)

    visit(GROUND)
    if len(order) < count:
        raise ValueError("the hinges do not carry all bodies")
    return order, tree


def _couplings(case: Case) -> Array:
    """Rows of the gears along the tree's hinges: Ĝ of the gears times the motions of the hinges."""
    n = case.count
    motions = np.zeros((6 * n, n))
    for k in range(n):
        motions[:, k] = case.motion(np.zeros(n), np.eye(n)[k]).velocities.ravel()
    system = prepare(case.model())
    G = jacobian(system, case.start())[0][5 * n :]
    rows = G @ motions
    return np.asarray(rows / np.abs(rows).max(axis=1, keepdims=True))


def relative_accelerations(case: Case) -> Array:
    """q̈ (n,) of the tree's hinges at the start: what every engine is compared with, by the dense reference."""
    from solver.analyses.minimal import mass_matrix
    from solver.equations.dynamics import evaluate_all, frames
    from solver.equations.kkt import dense_accelerations
    from solver.equations.loads import all_forces
    from solver.equations.projection import drive_values, project
    from solver.steps.methods import observed

    system = prepare(case.model())
    state = project(system, case.start()).state
    slope = slope_at(system, state)
    if case.count <= 100:
        assert state.angles is not None  # a projected state has them
        drive = drive_values(system, 0.0)
        T, B, F, W = system.program.terms, system.bodies, system.loads, system.rows
        x, R, v = frames(state.positions, state.quaternions, state.velocities)
        value, rate, _, JA, JB, _, _, c, _ = evaluate_all(T, W, x, R, v, state.angles, drive, True)
        force, power = np.zeros((case.count, 6)), np.zeros(len(drive) + 1)
        all_forces(T, B, F, drive, x, R, v, value, rate, JA, JB, np.zeros((3, 0)), force, power)
        M, G = mass_matrix(system, state), jacobian(system, state)[0]
        dense = dense_accelerations(M, G, force.ravel(), c)[0].reshape(-1, 6)
        slope = replace(slope, acceleration=dense)
    return observed(system, state, slope)[2]


CASES: dict[str, Callable[[], Case]] = {
    "chain 6": lambda: chain(6, 2.0),
    "chain 43": lambda: chain(43, 2.0),
    "chain 200": lambda: chain(200, 1.0),
    "chain 1000": lambda: chain(1000, 1.0),
    "four-bars 2": lambda: fourbars(2, 2.0),
    "four-bars 10": lambda: fourbars(10, 2.0),
    "four-bars 100": lambda: fourbars(100, 2.0),
    "four-bars 300": lambda: fourbars(300, 0.5),
    "four-bars 1000": lambda: fourbars(1000, 0.05),
    "redundant four-bar": redundant_fourbar,
    "Bricard": bricard,
    "train 10": lambda: train(10, 5.0),
    "KR 15 with gears": kr15,
}

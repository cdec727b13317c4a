"""The vector bond graph of any model, built by itself (Wang & Tao 2013, sections 2 and 3).

Per body: a 1-junction of its centre's velocity with its mass, one of its angular velocity in body axes with its inertia
and the Euler junction structure, a transformer to the angular velocity in the world. Per joint: 0-junctions of the
velocities of its point on either body and of their difference, of the relative angular velocity, transformers to the
directions that it holds, and there the constraint forces as sources by which the graph is augmented. Rows that are
no point on a plane and no angle of two axes (gears, couplers, lengths) get one transformer for each velocity that they
know, with the row's own Ĝ as modulus.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solver.bondgraph.graph import (
    CONSTRAINT,
    DAMPER,
    DRIVE,
    EJS,
    GIVEN,
    MTF,
    ONE,
    SE,
    STORAGE,
    ZERO,
    Bond,
    BondGraph,
    Node,
)
from solver.constraints import GROUND, AxesAngle, Coordinate, Coupler, PointOnPlane, Primitive
from solver.model import Model
from solver.rotation import skew

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Place:
    """Where all bodies are, which the moduli of transformers depend on; world axes, the ground last (index −1).

    Attributes:
        x: Centres of mass (n + 1, 3) m.
        R: Orientations (n + 1, 3, 3).
        G: Ĝ (m, 6n) of the graph's extra rows, on [v; ω] of all bodies.
    """

    x: Array
    R: Array
    G: Array

    def point(self, body: int, point: Array) -> Array:
        """Place a body's point in the world.

        Args:
            body: Its index, −1 for the ground.
            point: (3,) m, in the body.

        Returns:
            The point (3,) m, in the world.
        """
        return np.asarray(self.x[body] + self.R[body] @ point)


Modulus = Callable[[Place], Array]
Rows = Callable[[Place], Array]


@dataclass(frozen=True, eq=False)
class Drive:
    """A driving effort, along a coordinate or along rows on the velocities of all bodies.

    Attributes:
        name: Its name.
        coordinate: Along which it acts, N m (N); None where `rows` say it.
        rows: Of a `Place` to the rows (count, 6n) on [v; ω] along which it acts; None with a coordinate.
        count: How many rows there are.
    """

    name: str
    coordinate: Coordinate | None = None
    rows: Rows | None = None
    count: int = 1


@dataclass(frozen=True, eq=False)
class Built:
    """The graph of a model with the moduli of its transformers. Nodes are named by index.

    Attributes:
        graph: Nodes and bonds.
        moduli: Of each transformer and gyrator, from a `Place` to its matrix.
        row_of: Of each constraint's source, the model's rows that it bears.
        extra: Primitives whose Ĝ moduli take (`Place.G`), one row each.
        dampers: Coefficients of the dampers, N m s/rad (N s/m), and 1/R of conductances.
        drives: The sources of the driving efforts, in the order of the drives.
    """

    graph: BondGraph
    moduli: dict[int, Modulus]
    row_of: dict[int, tuple[int, ...]]
    extra: tuple[Primitive, ...]
    dampers: dict[int, float]
    drives: tuple[int, ...]


@dataclass
class _Builder:
    model: Model
    nodes: list[Node] = field(default_factory=list)
    bonds: list[Bond] = field(default_factory=list)
    moduli: dict[int, Modulus] = field(default_factory=dict)
    row_of: dict[int, tuple[int, ...]] = field(default_factory=dict)
    extra: list[Primitive] = field(default_factory=list)
    dampers: dict[int, float] = field(default_factory=dict)
    drives: list[int] = field(default_factory=list)
    v: list[int] = field(default_factory=list)
    w: list[int] = field(default_factory=list)
    shared: dict[tuple[object, ...], int] = field(default_factory=dict)

    def node(self, kind: str, label: str, owner: str, role: str = "") -> int:
        self.nodes.append(Node(kind, label, owner, role))
        return len(self.nodes) - 1

    def bond(self, tail: int, head: int, size: int = 3) -> None:
        self.bonds.append(Bond(tail, head, size))

    def transformer(
        self, tail: int, head: int, label: str, owner: str, modulus: Modulus, sizes: tuple[int, int]
    ) -> None:
        """tail → MTF → head, vectors of `sizes` before and behind it."""
        m = self.node(MTF, label, owner)
        self.moduli[m] = modulus
        self.bond(tail, m, sizes[0])
        self.bond(m, head, sizes[1])

    def body(self, i: int) -> None:
        """1-junctions of ṙ, ω in body axes and ω in world axes, with what hangs on them."""
        name = self.model.bodies[i].name
        v, own, w = (self.node(ONE, label, name) for label in ("ṙ", "ω′", "ω"))
        for junction, kinds in ((v, ((STORAGE, "M"),)), (own, ((STORAGE, "J"), (EJS, "EJS")))):
            for kind, label in kinds:
                self.bond(junction, self.node(kind, label, name))
            self.bond(self.node(SE, "f" if junction == v else "m", name, GIVEN), junction)
        # The inertia is constant in body axes, joints compare angular velocities in the world's: each has a junction of
        # its own.
        self.transformer(own, w, "A", name, _orientation(i), (3, 3))
        self.v.append(v)
        self.w.append(w)

    def relative_point(self, group: str, a: int, b: int, point: Array) -> int:
        """The 1-junction of the velocity of b's point against the point of a in the same place."""
        # Rows of one joint write one point with other rounding: they share its junction.
        key = ("point", group, a, b, *np.round(point, 12))
        if key not in self.shared:
            between = self.node(ZERO, "ṙ of b − ṙ of a", group)
            for body in (b, a):
                if body == GROUND:
                    continue
                name = self.model.bodies[body].name
                at, here = self.node(ZERO, f"{name}: ṙ + ω×r", group), self.node(ONE, f"ṙ of {name}", group)
                self.bond(self.v[body], at)
                self.transformer(self.w[body], at, "−r̃", group, _arm(body, b, point), (3, 3))
                self.bond(at, here)
                self.bond(*((here, between) if body == b else (between, here)))
            self.shared[key] = self.common(between, "ḣ", group)
        return self.shared[key]

    def common(self, difference: int, label: str, group: str) -> int:
        """The 1-junction behind a 0-junction: several efforts may act along its one flow."""
        one = self.node(ONE, label, group)
        self.bond(difference, one)
        return one

    def relative_turn(self, group: str, a: int, b: int) -> int:
        """The 1-junction of the angular velocity of b against a."""
        key = ("turn", group, a, b)
        if key not in self.shared:
            between = self.node(ZERO, "ω of b − ω of a", group)
            if b != GROUND:
                self.bond(self.w[b], between)
            if a != GROUND:
                self.bond(between, self.w[a])
            self.shared[key] = self.common(between, "ω of b to a", group)
        return self.shared[key]

    def sum_of(self, label: str, group: str, bodies: Sequence[int], rows: Rows, count: int) -> int:
        """The 0-junction of rows on [v; ω] of bodies."""
        total = self.node(ZERO, label, group)
        for i in bodies:
            for k, junction in ((0, self.v[i]), (3, self.w[i])):
                self.transformer(junction, total, "Ĝ", group, _three_columns(rows, 6 * i + k), (3, count))
        return total

    def extra_rows(self, primitive: Primitive) -> Rows:
        k = len(self.extra)
        self.extra.append(primitive)
        return lambda p: p.G[k : k + 1]

    def constrain(self, junction: int, group: str, modulus: Modulus | None, rows: tuple[int, ...]) -> None:
        """The constraint's source on a junction, through the directions held (none: all that is there)."""
        source = self.node(SE, "λ", group, CONSTRAINT)
        if modulus is None:
            self.bond(junction, source, len(rows))
        else:
            self.transformer(junction, source, "n", group, modulus, (3, len(rows)))
        self.row_of[source] = rows

    def rate(self, name: str, coordinate: Coordinate) -> int:
        """The 1-junction of a coordinate's rate."""
        # By identity: a damper and a drive that act along one coordinate of the model share its junction.
        key = ("rate", coordinate)
        if key in self.shared:
            return self.shared[key]
        c, rate = coordinate, self.node(ONE, "q̇", name)
        axis = _directions(np.array([c.axis_a]), c.a)
        if c.kind == "angle":
            self.transformer(self.relative_turn(name, c.a, c.b), rate, "axis", name, axis, (3, 1))
        elif c.kind == "distance":
            self.transformer(self.relative_point(name, c.a, c.b, c.point_b), rate, "axis", name, axis, (3, 1))
        else:
            rows = self.extra_rows(Coupler(c.a, c.b, ((1.0, c),)))
            bodies = [i for i in dict.fromkeys((c.a, c.b)) if i != GROUND]
            self.bond(self.sum_of("q̇", name, bodies, rows, 1), rate, 1)
        self.shared[key] = rate
        return rate


def build(model: Model, drives: Sequence[Drive]) -> Built:
    """Build the graph of a model, augmented by the forces of all its constraints.

    After Wang and Tao (2013), sections 2 and 3. Damping along coordinates becomes R; what else acts is a known source
    on its bodies.

    Args:
        model: The model.
        drives: The driving efforts; each gets a source.

    Returns:
        The graph with its moduli.
    """
    builder = _Builder(model)
    for i in range(len(model.bodies)):
        builder.body(i)
    _constraints(builder)
    for load in model.loads:
        # A spring's force is known from the pose, and so is friction: only damping is a law between flow and effort
        # that causality has to place. All else goes to U₃.
        if load.damping:
            rate = builder.rate(load.name or "damper", load.coordinate)
            damper = builder.node(DAMPER, "R", load.name or "damper")
            builder.bond(rate, damper, 1)
            builder.dampers[damper] = load.damping
    for drive in drives:
        _drive(builder, drive)
    graph = BondGraph(tuple(builder.nodes), tuple(builder.bonds))
    return Built(graph, builder.moduli, builder.row_of, tuple(builder.extra), builder.dampers, tuple(builder.drives))


def _drive(builder: _Builder, drive: Drive) -> None:
    if drive.coordinate is not None:
        rate = builder.rate(drive.name, drive.coordinate)
    else:
        assert drive.rows is not None
        rate = builder.node(ONE, "q̇", drive.name)
        total = builder.sum_of("q̇", drive.name, range(len(builder.v)), drive.rows, drive.count)
        builder.bond(total, rate, drive.count)
    source = builder.node(SE, "τ", drive.name, DRIVE)
    builder.bond(source, rate, drive.count)
    builder.drives.append(source)


def _constraints(builder: _Builder) -> None:
    """Rows of one kind on one place of one joint go together: a point held, axes held."""
    blocks: dict[tuple[object, ...], list[int]] = {}
    model = builder.model
    for i, p in enumerate(model.primitives):
        group = model.group(i)
        key: tuple[object, ...] = (group, i)
        if isinstance(p, PointOnPlane):
            key = (group, PointOnPlane, p.a, p.b, *np.round(p.point_b, 12))
        elif isinstance(p, AxesAngle):
            key = (group, AxesAngle, p.a, p.b)
        blocks.setdefault(key, []).append(i)
    row = np.concatenate([[0], np.cumsum([p.rows for p in model.primitives])]).astype(int)
    for key, members in blocks.items():
        group, first = str(key[0]), model.primitives[members[0]]
        rows = tuple(int(row[i]) for i in members)
        held = [model.primitives[i] for i in members]
        if isinstance(first, PointOnPlane):
            across = _directions(np.array([p.normal_a for p in held if isinstance(p, PointOnPlane)]), first.a)
            builder.constrain(builder.relative_point(group, first.a, first.b, first.point_b), group, across, rows)
        elif isinstance(first, AxesAngle):
            angles = [p for p in held if isinstance(p, AxesAngle)]
            builder.constrain(builder.relative_turn(group, first.a, first.b), group, _held(angles), rows)
        else:
            bodies = [b for b in first.bodies if b != GROUND]
            own = builder.extra_rows(first)
            builder.constrain(builder.sum_of("Ĝv", group, bodies, own, 1), group, None, rows)


def _arm(body: int, b: int, point: Array) -> Modulus:
    """From the turn of a body to what it adds to the velocity of a point of b, or of the body in the same place: −r̃."""
    return lambda p: -skew(p.point(b, point) - p.x[body])


def _three_columns(rows: Rows, first: int) -> Modulus:
    """The part of rows that belongs to one velocity: three columns from `first` on."""
    return lambda p: rows(p)[:, first : first + 3]


def _directions(vectors: Array, a: int) -> Modulus:
    """Unit vectors along `vectors` (k, 3) of body a, in the world, as rows."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return lambda p: units @ p.R[a].T


def _orientation(i: int) -> Modulus:
    """From a body's own axes to the world's."""
    return lambda p: p.R[i]


def _held(held: Sequence[AxesAngle]) -> Modulus:
    """d(u·w)/dt = (w × u)·(ω_b − ω_a), with u fixed in a and w in b (Wang & Tao, eq. 2)."""
    a, b = held[0].a, held[0].b
    u = np.array([p.axis_a / np.linalg.norm(p.axis_a) for p in held])
    w = np.array([p.axis_b / np.linalg.norm(p.axis_b) for p in held])
    return lambda p: np.cross(w @ p.R[b].T, u @ p.R[a].T)

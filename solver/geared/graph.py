"""The graph of a geared mechanism: links, turning pairs with axis labels, gear pairs, and its canonical form.

After Chen, Lin & Lin (1999), section 2, and Tsai (1988) for the canonical graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from solver.algebra.connected import rooted, spanning_forest
from solver.constraints import GROUND, AxesAngle, Coordinate, GearPair, PointOnPlane, Primitive
from solver.constraints.gears import Contact, gear_contact
from solver.constraints.terms import Poses
from solver.model import Model

Array = NDArray[np.float64]

_ONE_AXIS = 1e-6
"""Axes are taken for one within so many rad, and within as many parts of the model's extent: what CAD files round to
(1e-7 and less); axes that are two by design stand a tooth or a degree apart."""
_HINGE_ROWS = 5
"""Rows of a hinge, which leaves one of six freedoms."""


@dataclass(frozen=True)
class Reason:
    """Why a mechanism is no geared robot.

    Attributes:
        kind: One of `KINDS`.
        message: A sentence that names the parts concerned.
    """

    kind: str
    message: str


KINDS = ("joints", "tree", "carrier", "output", "freedoms", "inputs", "loads")
"""What a mechanism can lack: see the sentences where they are made."""


class NotGearedError(ValueError):
    """The mechanism is not a geared robot; `reasons` holds every reason that was found.

    Args:
        reasons: Every reason.
    """

    def __init__(self, reasons: Sequence[Reason]) -> None:
        super().__init__("; ".join(r.message for r in reasons))
        self.reasons = tuple(reasons)


@dataclass(frozen=True, eq=False)
class TurningPair:
    """The hinge by which a link turns on another, on its way to the base; world frame, at the reference pose.

    Attributes:
        name: Its name.
        link: The link.
        parent: What it turns on.
        coordinate: The place of its coordinate in the model.
        point: On its axis (3,) m.
        axis: Unit vector (3,): the coordinate grows as link turns about it against parent.
        label: The name of the axis: pairs on one line that links share have one.
    """

    name: str
    link: int
    parent: int
    coordinate: int
    point: Array
    axis: Array
    label: str


@dataclass(frozen=True, eq=False)
class Mesh:
    """A gear pair of two links that a third keeps at a distance.

    Attributes:
        name: Its name.
        a: The first link.
        b: The second link.
        carrier: The link that holds both.
        primitive: Its place in the model.
        gear: Its equation.
        contact: Where the wheels touch.
        path: The links whose canonical thin edges lead from a to b: only their balance contains the contact force.
    """

    name: str
    a: int
    b: int
    carrier: int
    primitive: int
    gear: GearPair
    contact: Contact
    path: tuple[int, ...]
    """The links whose canonical thin edges lead from a to b: only their balance contains the contact force."""


@dataclass(frozen=True, eq=False)
class Graph:
    """The links of a geared robot, its turning pairs and gear pairs.

    Attributes:
        names: Of the links.
        pairs: The turning pair of each link; without gear pairs they are the spanning tree as designed.
        meshes: The gear pairs.
        canonical: The link that each hangs on in the canonical graph, where all thin edges on a way from the base have
            different labels.
        order: The links such that parents, of both kinds, come first.
    """

    names: tuple[str, ...]
    pairs: tuple[TurningPair, ...]
    meshes: tuple[Mesh, ...]
    canonical: tuple[int, ...]
    order: tuple[int, ...]

    def name(self, link: int) -> str:
        """Name a link.

        Args:
            link: Its index, −1 for the base.

        Returns:
            The name; "ground" for the base.
        """
        return "ground" if link == GROUND else self.names[link]

    def to_base(self, link: int) -> tuple[int, ...]:
        """List the links inwards in the canonical graph, without the base.

        Args:
            link: The link to begin with, which is the first.

        Returns:
            Indices of links.
        """
        found = []
        while link != GROUND:
            found.append(link)
            link = self.canonical[link]
        return tuple(found)

    def subtree_holds(self, top: int, link: int) -> bool:
        """Tell whether a link is another or hangs on it in the canonical graph.

        Args:
            top: The other link.
            link: The link.

        Returns:
            Whether it does.
        """
        return top in self.to_base(link)


def graph_of(model: Model) -> Graph:
    """Sort a model into links, turning pairs and gear pairs.

    Args:
        model: Its joints are hinges, each with a coordinate of the kind "angle"; all else are gear pairs.

    Returns:
        The graph.

    Raises:
        NotGearedError: It has something else; `reasons` says all of it.
    """
    reasons: list[Reason] = []
    hinges, gears = _sorted(model, reasons)
    poses = Poses(np.asarray(model.positions, float), np.asarray(model.quaternions, float))
    # What follows needs hinges and gears alone: all that is neither is told first, at once.
    if reasons:
        raise NotGearedError(reasons)
    parents, order = _tree(model, hinges, reasons)
    if reasons:
        raise NotGearedError(reasons)
    # The base counts by its origin: a robot of one link has an extent as well.
    extent = float(np.max(np.ptp(np.vstack([poses.positions, np.zeros(3)]), axis=0), initial=0.0)) or 1.0
    pairs, canonical = _canonical(model, poses, parents, order, extent)
    bare = Graph(tuple(b.name for b in model.bodies), pairs, (), canonical, order)
    meshes = []
    for i in gears:
        gear = model.primitives[i]
        assert isinstance(gear, GearPair)
        name = model.groups[i] if model.groups else f"gear {i}"
        found = _mesh(bare, name, i, gear, gear_contact(gear, model.positions, model.quaternions), poses, extent)
        if isinstance(found, Reason):
            reasons.append(found)
        else:
            meshes.append(found)
    if reasons:
        raise NotGearedError(reasons)
    return Graph(bare.names, pairs, tuple(meshes), canonical, order)


def _sorted(model: Model, reasons: list[Reason]) -> tuple[list[int], list[int]]:
    """Coordinates that are hinges, and primitives that are gear pairs; all else is a reason."""
    groups: dict[str, list[Primitive]] = {}
    gears = []
    for i, primitive in enumerate(model.primitives):
        if isinstance(primitive, GearPair):
            gears.append(i)
        else:
            groups.setdefault(model.groups[i] if model.groups else str(i), []).append(primitive)
    # By name: a hinge's rows and its coordinate are two things of the model, which share the name of the joint.
    coordinate_of = {n: k for k, n in enumerate(model.coordinate_names) if model.coordinates[k].kind == "angle"}
    hinges = []
    for name, primitives in groups.items():
        hinge = all(isinstance(p, PointOnPlane | AxesAngle) for p in primitives)
        if hinge and name in coordinate_of and sum(p.rows for p in primitives) == _HINGE_ROWS:
            hinges.append(coordinate_of[name])
        else:
            reasons.append(Reason("joints", f"{name} is neither a hinge nor a pair of toothed wheels"))
    return hinges, gears


def _tree(model: Model, hinges: list[int], reasons: list[Reason]) -> tuple[dict[int, tuple[int, int]], tuple[int, ...]]:
    """For each link its parent and the coordinate between them; the links, parents first."""
    ends = [(model.coordinates[k].a, model.coordinates[k].b) for k in hinges]
    chosen = sorted(spanning_forest(ends, lambda i: i))
    for i in sorted({*range(len(hinges))} - {*chosen}):
        reasons.append(Reason("tree", f"the hinge {model.coordinate_names[hinges[i]]} closes a loop of hinges"))
    parents: dict[int, tuple[int, int]] = {}
    for link, parent, edge in rooted([ends[i] for i in chosen], [GROUND]):
        if parent is not None and edge is not None:
            parents[link] = (parent, hinges[chosen[edge]])
    loose = [b.name for i, b in enumerate(model.bodies) if i not in parents]
    if loose:
        reasons.append(Reason("tree", f"no hinges lead from the base to {', '.join(loose[:5])}"))
    return parents, tuple(parents)


def _canonical(
    model: Model, poses: Poses, parents: dict[int, tuple[int, int]], order: tuple[int, ...], extent: float
) -> tuple[tuple[TurningPair, ...], tuple[int, ...]]:
    """Turning pairs with their labels, and the canonical parents.

    Links that turn about one line, one on the other, all hang on the innermost of them.
    """
    pairs: dict[int, TurningPair] = {}
    canonical: dict[int, int] = {}
    labels: list[tuple[str, int, Array, Array]] = []
    for link in order:
        parent, k = parents[link]
        point, axis = _line(model.coordinates[k], poses)
        # The coordinate turns b against a. Where the link is its a, the same turn is one about the opposite axis.
        if model.coordinates[k].b != link:
            axis = -axis
        inner = pairs.get(parent)
        if inner is not None and same_line(point, axis, inner.point, inner.axis, extent):
            # Tsai's rearrangement (1988): coaxial hinges may be taken apart in any order, since the axis between the
            # links stays.
            canonical[link], label = canonical[parent], inner.label
        else:
            canonical[link] = parent
            # Only axes on one parent are compared: those on others may fall on one line in the reference pose alone.
            known = (n for n, on, p, u in labels if on == parent and same_line(point, axis, p, u, extent))
            label = next(known, "")
            if not label:
                label = _letter(len(labels))
                labels.append((label, parent, point, axis))
        pairs[link] = TurningPair(model.coordinate_names[k], link, parent, k, point, axis, label)
    n = len(model.bodies)
    return tuple(pairs[i] for i in range(n)), tuple(canonical[i] for i in range(n))


def _line(c: Coordinate, poses: Poses) -> tuple[Array, Array]:
    """A hinge's point and unit axis in the world."""
    axis = poses.turn(c.a, c.axis_a)
    return poses.point(c.a, c.point_a), axis / float(np.linalg.norm(axis))


def _letter(i: int) -> str:
    """a, b, … z, a1, b1 …"""
    turn, place = divmod(i, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(turn) if turn else "")


def same_line(p: Array, u: Array, q: Array, w: Array, extent: float) -> bool:
    """Whether two lines (point m, unit direction) are one, of either sense."""
    turned = float(np.linalg.norm(np.cross(u, w)))
    apart = float(np.linalg.norm(np.cross(q - p, u)))
    return turned < _ONE_AXIS and apart < _ONE_AXIS * extent


def _mesh(
    graph: Graph, name: str, primitive: int, gear: GearPair, contact: Contact, poses: Poses, extent: float
) -> Mesh | Reason:
    """The mesh with its carrier: on the way from a to b the one link where the axis label changes."""
    up, down = graph.to_base(gear.a), graph.to_base(gear.b)
    shared = set(up) & set(down)
    rising = [link for link in up if link not in shared]
    falling = [link for link in down if link not in shared][::-1]
    way = [*rising, *falling]
    labels = [graph.pairs[link].label for link in way]
    changes = [i for i in range(1, len(labels)) if labels[i] != labels[i - 1]]
    a, b = graph.name(gear.a), graph.name(gear.b)
    if len(changes) != 1:
        found = "-".join(labels) or "none"
        return Reason("carrier", f"{name}: no one link keeps {a} and {b} at a distance (axes on the way: {found})")
    # Rising edges lie behind their link, falling ones before it: the vertex between edges i - 1 and i.
    i = changes[0]
    carrier = graph.canonical[way[i - 1]] if i <= len(rising) else way[i - 1]
    for own, point, axis, at in ((gear.a, gear.point_a, gear.axis_a, 0), (gear.b, gear.point_b, gear.axis_b, -1)):
        hinge = graph.pairs[way[at]]
        if not same_line(poses.point(own, point), poses.turn(own, axis), hinge.point, hinge.axis, extent):
            text = f"{name}: the wheel on {graph.name(own)} does not turn about the axis {hinge.label} of {hinge.name}"
            return Reason("carrier", text)
    return Mesh(name, gear.a, gear.b, carrier, primitive, gear, contact, tuple(way))

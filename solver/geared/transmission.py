"""Mechanical transmission lines, structure matrix and the order of solution of a geared robot.

After Chen, Lin & Lin (1999), sections 2, 3.2, 5.1 and 6, and Chang & Tsai (1990) for the structure matrix.
Where the paper lists cases (pseudo-triangular: one line after the other; general: a pair of levels at once), the
balances about the axes are cut here into the smallest blocks that follow each other, which gives its sequence in
both cases, and serves trains it does not treat (a planet rolling on a fixed ring).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.constraints import GROUND
from solver.constraints.terms import Poses
from solver.geared.blocks import Blocks, cut, substitute
from solver.geared.graph import Graph, Mesh, NotGearedError, Reason, graph_of
from solver.model import Model

Array = NDArray[np.float64]

Moments = list[tuple[int, int, float]]

BALANCED_OFFSET = 1e-6
"""m that a secondary link's centre may be off its axis: beyond, its gravity and centrifugal force, which the method
leaves out, are reported. A micrometre is what CAD rounds to."""
BALANCED_ASYMMETRY = 1e-4
"""Part of the trace of its inertia by which a secondary link may differ from a body of revolution; a choice, above what
meshes of round bodies are off and below what a crank pin or an arm does."""

_UNMOVED = 1e-9
"""A joint whose share of a line's column is below this part of the largest is not moved by it: shares are products of
gear ratios, and what is none is rounding of sums of them, 1e-15."""


@dataclass(frozen=True, eq=False)
class Line:
    """A mechanical transmission line: from an actuator along gear pairs to the end primary link.

    Attributes:
        input: The pair (a link's index) on which the actuator acts.
        links: From the input's to the end primary link.
        meshes: The gear pairs on the way.
        level: The number of the outermost primary joint that it moves, 1 being that at the base.
    """

    input: int
    links: tuple[int, ...]
    meshes: tuple[int, ...]
    level: int


@dataclass(frozen=True)
class Imbalance:
    """How a secondary link is not balanced.

    Attributes:
        link: Its index.
        offset: Of its centre of mass from the axis, m.
        asymmetry: Of its inertia, as a part of its trace; 0 where it is the same about all lines across the axis.
    """

    link: int
    offset: float
    asymmetry: float


@dataclass(frozen=True, eq=False)
class Transmission:
    """A geared robot taken apart; links are body indices of `model`, the base is −1.

    After Chen, Lin and Lin, Mechanism and Machine Theory (1999).

    Attributes:
        model: The model.
        graph: Its links, turning pairs and gear pairs.
        primary: The links of the equivalent open-loop chain from the base to the output.
        secondary: All others.
        inputs: The pairs on which actuators act.
        lines: In the order of `inputs`.
        structure: A (n, n) of Q = Aᵀ Θ, with Θ the primary joints' angles and Q the inputs'.
        motion: (l, n): the canonical angle of every link for Θ.
        driver: Of each gear pair, the link nearer to the input.
        driven: Of each gear pair, the other link.
        moments: (gear pair, link, moment in m about the link's axis of a unit force in the pair), all there are.
        balance: The blocks of the moment balances about all axes.
        rates: The blocks of the gear pairs' equations for the secondary angles.
        unbalanced: Secondary links that are not balanced.
    """

    model: Model
    graph: Graph
    primary: tuple[int, ...]
    secondary: tuple[int, ...]
    inputs: tuple[int, ...]
    lines: tuple[Line, ...]
    structure: Array
    motion: Array
    driver: tuple[int, ...]
    driven: tuple[int, ...]
    moments: Moments
    balance: Blocks
    rates: Blocks
    unbalanced: tuple[Imbalance, ...]

    @property
    def carrier_of(self) -> dict[int, int]:
        """The primary link that carries each secondary one."""
        return {link: self.graph.canonical[link] for link in self.secondary}

    @property
    def pseudo_triangular(self) -> bool:
        """Whether each primary link is the end of one line; the form is general otherwise."""
        ends = sorted(line.links[-1] for line in self.lines)
        return ends == sorted(self.primary[1:])

    @property
    def sequence(self) -> tuple[tuple[int, ...], ...]:
        """The links whose moment balances are solved, in order; those of one tuple at once."""
        B = self.balance
        return tuple(tuple(int(r) for r in B.row[B.start[i] : B.start[i + 1]]) for i in range(len(B.start) - 1))


def transmission(model: Model, output: int | str, inputs: Sequence[str] | None = None) -> Transmission:
    """Take a geared robot apart, up to its output link.

    After Chen, Lin and Lin, Mechanism and Machine Theory (1999).

    Args:
        model: The model.
        output: The index or name of the body that is the end of the arm.
        inputs: Names of the hinges that actuators turn, one for each freedom; None takes the secondary links with one
            gear pair, where there is no secondary link the primary joints themselves.

    Returns:
        Its lines and its structure matrix.

    Raises:
        NotGearedError: It is no geared robot; `reasons` says all that it lacks.
    """
    graph = graph_of(model)
    link = _output(model, output)
    primary = (GROUND, *graph.to_base(link)[::-1])
    secondary = tuple(i for i in graph.order if i not in primary)
    n, h = len(primary) - 1, len(graph.meshes)
    reasons: list[Reason] = []
    # A gear pair takes one freedom, a secondary link brings one: only with as many of both do n primary joints keep n.
    if h != len(secondary):
        reasons.append(Reason("freedoms", _count(n, h, len(secondary))))
    chosen = _inputs(graph, primary, inputs, reasons)
    if reasons:
        raise NotGearedError(reasons)
    driver, driven, ways = _oriented(graph, primary, chosen)
    moments = [entry for g in range(h) for entry in _moments(graph, g, driver[g])]
    rates, motion = _motion(graph, primary, secondary, moments)
    structure = np.array([sum(f * motion[link] for link, f in shares(graph, i)) for i in chosen]).T.reshape(n, n)
    lines = tuple(_line(i, way, structure[:, k]) for k, (i, way) in enumerate(zip(chosen, ways, strict=True)))
    balance = _balance(graph, primary, lines, moments, chosen)
    return Transmission(
        model, graph, primary, secondary, chosen, lines, structure, motion, driver, driven, moments, balance, rates,
        _unbalanced(model, graph, secondary),
    )  # fmt: skip


def _output(model: Model, output: int | str) -> int:
    names = [b.name for b in model.bodies]
    if isinstance(output, str) and output in names:
        return names.index(output)
    if isinstance(output, int) and 0 <= output < len(names):
        return output
    raise NotGearedError([Reason("output", f"there is no moving link {output!r}")])


def _count(n: int, meshes: int, secondary: int) -> str:
    left = n + secondary - meshes
    more = "some repeat each other (as equal planets do)" if meshes > secondary else "some links turn by themselves"
    return (
        f"{meshes} gear pairs for {secondary} secondary links leave {left} freedoms to {n} primary joints: {more}, "
        "or the output link is not the last"
    )


def _inputs(
    graph: Graph, primary: tuple[int, ...], names: Sequence[str] | None, reasons: list[Reason]
) -> tuple[int, ...]:
    """The links on whose pairs actuators act: those named, or all secondary ones with one gear pair."""
    n = len(primary) - 1
    if names is not None:
        link_of = {p.name: p.link for p in graph.pairs}
        unknown = [name for name in names if name not in link_of]
        if unknown:
            reasons.append(Reason("inputs", f"no hinge is called {', '.join(unknown)}"))
            return ()
        found = tuple(dict.fromkeys(link_of[name] for name in names))
    elif len(graph.pairs) == n:
        found = primary[1:]
    else:
        touching = [link for m in graph.meshes for link in (m.a, m.b)]
        found = tuple(i for i in range(len(graph.pairs)) if i not in primary and touching.count(i) == 1)
    if len(found) != n:
        message = ", ".join(graph.pairs[i].name for i in found) or "none"
        reasons.append(
            Reason("inputs", f"{n} primary joints need as many actuated hinges, not {len(found)} ({message})")
        )
    return found


def _oriented(
    graph: Graph, primary: tuple[int, ...], inputs: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """Driver and driven link of each mesh, and the way of each line: its links, its meshes.

    From each input along gear pairs to the nearest primary link; a mesh on no such way is driven from its a.
    """
    touching: dict[int, list[int]] = {}
    for g, mesh in enumerate(graph.meshes):
        touching.setdefault(mesh.a, []).append(g)
        touching.setdefault(mesh.b, []).append(g)
    driver = [m.a for m in graph.meshes]
    driven = [m.b for m in graph.meshes]
    ways = []
    for start in inputs:
        # Breadth first, so that the first primary link met is the nearest, and the way to it the shortest.
        before: dict[int, tuple[int, int]] = {}
        ready, end = [start], start
        while ready:
            end = ready.pop(0)
            if end in primary:
                break
            for g in touching.get(end, ()):
                mesh = graph.meshes[g]
                other = mesh.b if mesh.a == end else mesh.a
                if other != start and other not in before:
                    before[other] = (end, g)
                    ready.append(other)
        links, meshes = [end], []
        while links[-1] != start:
            inner, g = before[links[-1]]
            driver[g], driven[g] = inner, links[-1]
            links.append(inner)
            meshes.append(g)
        ways.append((tuple(links[::-1]), tuple(meshes[::-1])))
    return tuple(driver), tuple(driven), ways


def _line(pair: int, way: tuple[tuple[int, ...], tuple[int, ...]], column: Array) -> Line:
    moved = np.flatnonzero(np.abs(column) > _UNMOVED * np.abs(column).max())
    # An input that moves nothing has no level; `_balance`, which comes next, refuses it with its reason.
    return Line(pair, *way, int(moved[-1]) + 1 if len(moved) else 0)


def local_frame(graph: Graph, mesh: Mesh, link: int) -> Array:
    """The local frame of a wheel of a mesh (section 4.3) in world axes at the reference pose: x, y, z as columns.

    x leads from the wheel's centre to the contact, z along the positive axis on which it turns, y = z × x.
    """
    c = mesh.contact
    x = c.point - (c.centre_a if link == mesh.a else c.centre_b)
    x = x / float(np.linalg.norm(x))
    z = graph.pairs[mesh.path[0] if link == mesh.a else mesh.path[-1]].axis
    return np.column_stack([x, np.cross(z, x), z])


def _moments(graph: Graph, g: int, driver: int) -> list[tuple[int, int, float]]:
    """(g, link, moment about that link's axis of a unit transmitted force), for links whose balance contains it.

    The force on the driver is +y of its frame, on the driven link −y; each moment is ± the radius of a wheel.
    """
    mesh = graph.meshes[g]
    y = local_frame(graph, mesh, driver)[:, 1]
    found = []
    for link in mesh.path:
        pair = graph.pairs[link]
        # Each link of the path carries one of the two wheels; one that carries both would get the force and its
        # opposite.
        sign = 1.0 if graph.subtree_holds(link, driver) else -1.0
        # About the link's own axis, which need not be the wheel's: a carrier on the path feels the force at the arm
        # that it has.
        arm = np.cross(mesh.contact.point - pair.point, y)
        found.append((g, link, sign * float(arm @ pair.axis)))
    return found


def _motion(
    graph: Graph, primary: tuple[int, ...], secondary: tuple[int, ...], moments: Moments
) -> tuple[Blocks, Array]:
    """The gear pairs' equations cut into blocks, and the angle of every link for each primary one.

    Σ moment · rate over a mesh's links is zero: the fundamental circuit of its gear pair (power of a unit force).
    """
    place = {link: i for i, link in enumerate(secondary)}
    own = [(g, place[link], m) for g, link, m in moments if link in place]
    keys = [float(g) for g in range(len(secondary))]
    try:
        rates = cut(*_columns(own), keys)
    except ValueError as fault:
        message = (
            "the gear pairs do not determine how the secondary links turn: they repeat each other or leave one loose"
        )
        raise NotGearedError([Reason("freedoms", message)]) from fault
    motion = np.zeros((len(graph.pairs), len(primary) - 1))
    for k, joint in enumerate(primary[1:]):
        motion[joint, k] = 1.0
        right = np.zeros(len(secondary))
        for g, link, m in moments:
            if link == joint:
                # The known angles go to the right-hand side: of a unit turn of this joint alone, all others held.
                right[g] -= m
        found = np.zeros(len(secondary))
        substitute(rates, right, found)
        motion[list(secondary), k] = found
    return rates, motion


def _columns(entries: Moments) -> tuple[list[int], list[int], list[float]]:
    """Rows, unknowns and values of entries."""
    return [e[0] for e in entries], [e[1] for e in entries], [e[2] for e in entries]


def shares(graph: Graph, link: int) -> list[tuple[int, float]]:
    """(link, factor): the turn of a pair as designed from the canonical angles of the links it joins."""
    pair = graph.pairs[link]
    found = [(link, 1.0)]
    # Coaxial links count their angles against one canonical parent: between two of them the difference turns, with the
    # sign by which their axes point.
    if pair.parent != graph.canonical[link]:
        found.append((pair.parent, -float(np.sign(graph.pairs[pair.parent].axis @ pair.axis))))
    return found


def _balance(
    graph: Graph, primary: tuple[int, ...], lines: tuple[Line, ...], moments: Moments, inputs: tuple[int, ...]
) -> Blocks:
    """The moment balances of all links about their axes, for the forces of all meshes, then the inputs' torques."""
    h = len(graph.meshes)
    entries = [(link, g, m) for g, link, m in moments]
    entries += [(link, h + k, factor) for k, pair in enumerate(inputs) for link, factor in shares(graph, pair)]
    # From the highest level to the lowest, line by line, and in a line from its end to its input.
    keys = [0.0] * len(graph.pairs)
    width = float(len(graph.pairs) + 1)
    height = width * (len(lines) + 1)
    for level, link in enumerate(primary[1:], 1):
        keys[link] = -height * level
    for i, line in enumerate(lines):
        for place, link in enumerate(line.links[::-1]):
            # A link of several lines is due with the first of them; `width` and `height` keep place, line and level
            # from mixing.
            keys[link] = min(keys[link], place + width * i - height * line.level)
    try:
        return cut(*_columns(entries), keys)
    except ValueError as fault:
        message = "the inputs do not move all primary joints: the structure matrix is singular"
        raise NotGearedError([Reason("inputs", message)]) from fault


def _unbalanced(model: Model, graph: Graph, secondary: tuple[int, ...]) -> tuple[Imbalance, ...]:
    """Secondary links whose centre is off their axis, or whose inertia is not the same all round."""
    poses = Poses(np.asarray(model.positions, float), np.asarray(model.quaternions, float))
    found = []
    for link in secondary:
        pair = graph.pairs[link]
        away = poses.positions[link] - pair.point
        offset = float(np.linalg.norm(away - pair.axis * float(pair.axis @ away)))
        u = poses.back(link, pair.axis)
        inertia = np.asarray(model.bodies[link].inertia, float)
        along, trace = float(u @ inertia @ u), float(np.trace(inertia))
        across = (trace - along) / 2
        # The body of revolution next to it: the same moment along the axis, the mean of all those across it.
        round_ = across * (np.eye(3) - np.outer(u, u)) + along * np.outer(u, u)
        asymmetry = float(np.abs(inertia - round_).max()) / (trace or 1.0)
        if offset > BALANCED_OFFSET or asymmetry > BALANCED_ASYMMETRY:
            found.append(Imbalance(link, offset, asymmetry))
    return tuple(found)

"""The mobility of bodies with joints and gears: 6 for each moving body, less the rank of their constraints."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import CouplingKind
from cadbridge.frames import Vector, cross_length, unit
from cadbridge.freedoms import HINGE, SLEEVE, free
from cadbridge.mass import volume_of
from cadbridge.recognition.model import FoundJoint, Recognition
from cadbridge.recognition.wheels.gears import FoundGear
from solver.algebra.rank import significant

MOST_BODIES_RANKED = 300
"""Bodies of one block of loops, above which the dense rank is left out: its time grows with the cube."""

WITHIN = -1
"""The number of no block: of an edge from a body to itself."""
BALL = free("rx ry rz")
ON_LINE = 1e-5
"""m: how far joints of a body may be off the line about which it spins. Bores are drawn in line to 1e-6."""
ALONG_LINE = 1e-4
"""Sine of the angle between such lines: of two joints 100 mm apart, 10 µm."""

Array = NDArray[np.float64]


def freedoms(found: Recognition, known: dict[bytes, int] | None = None) -> int | None:
    """The mobility of what was found, at the pose as designed; None where too many bodies are in one block of loops.

    Bodies and joints are a graph, and its blocks share one body at most: what one holds repeats nothing of another. A
    joint that is a block of its own takes what it holds; of the others the rank is counted. `known`: the ranks of such
    rows, kept from one call to the next.
    """
    known = {} if known is None else known
    parts: dict[int, tuple[list[FoundJoint], list[FoundGear]]] = defaultdict(lambda: ([], []))
    gears = [gear for gear in found.gears if gear.couples]
    # What ties three bodies ties each to each, so that all three are of one block.
    meshes = [pair for gear in gears for pair in combinations(gear.bodies, 2)]
    of_edge = blocks(len(found.bodies), [*((j.a, j.b) for j in found.joints), *meshes])
    for joint, block in zip(found.joints, of_edge, strict=False):
        parts[block][0].append(joint)
    for k, gear in enumerate(gears):
        first = len(found.joints) + 3 * k
        parts[max(of_edge[first : first + 3])][1].append(gear)
    # What ties a body to itself holds nothing.
    parts.pop(WITHIN, None)
    ranks = [_held(joints, own, known) for joints, own in parts.values()]
    # One body stands still, whichever: its six freedoms are none of the mechanism's.
    return None if None in ranks else 6 * (len(found.bodies) - 1) - sum(rank for rank in ranks if rank is not None)


def _held(joints: Sequence[FoundJoint], gears: Sequence[FoundGear], known: dict[bytes, int]) -> int | None:
    """How many freedoms a block of joints and gears takes; None where its bodies are too many.

    Twists (v, ω) are about the middle of its joints, lengths in their size; a joint's rows are the complement of its
    motion subspace, a gear is one row between its wheels and their carrier.
    """
    if len(joints) == 1 and not gears:
        return 6 - joints[0].free.count
    met = [*(body for j in joints for body in (j.a, j.b)), *(body for gear in gears for body in gear.bodies)]
    places = {body: k for k, body in enumerate(dict.fromkeys(met))}
    if len(places) > MOST_BODIES_RANKED:
        return None
    points = np.array([j.point for j in joints]).reshape(-1, 3)
    middle = points.mean(axis=0) if len(points) else np.zeros(3)
    size = max(float(np.abs(points - middle).max(initial=0.0)), 1e-3)
    rows = [row for joint in joints for row in _joint_rows(joint, middle, size, places)]
    rows += [_gear_row(gear, places) for gear in gears]
    # Within a block motions are seen from one of its bodies; how that one moves is counted where it is carried.
    held = np.array(rows).reshape(-1, 6 * len(places))[:, 6:]
    digest = hashlib.sha256(held.tobytes()).digest()
    if digest not in known:
        known[digest] = _rank(held)
    return known[digest]


def spins(found: Recognition) -> int:
    """How many of the freedoms only spin one body about its own axis, as diagnosis.spins has it."""
    return len(spinning(found))


def spinning(found: Recognition) -> list[int]:
    """The bodies that only spin about their own axis, by their indices.

    All joints of such a body turn about one line, or are ball joints on it; it meshes with nothing, and its volume is
    balanced about the line.
    """
    meshing = {body for gear in found.gears if gear.couples for body in (gear.a, gear.b)}
    of_body: dict[int, list[FoundJoint]] = defaultdict(list)
    for joint in found.joints:
        of_body[joint.a].append(joint)
        of_body[joint.b].append(joint)
    own = []
    for body, joints in of_body.items():
        line = None if body == found.ground or body in meshing else _spin_line(joints)
        if line is not None:
            volume = volume_of(found.assembly, found.bodies[body].instances)
            own += [body] if volume is not None and volume.balanced_about(*line) else []
    return own


def _spin_line(joints: Sequence[FoundJoint]) -> tuple[Vector, Vector] | None:
    """The line (point, direction) about which all joints of a body let it turn; None where none is, or several."""
    balls = [j.point for j in joints if j.free == BALL]
    turning = [j for j in joints if j.free in (HINGE, SLEEVE) and j.axis is not None]
    if len(balls) + len(turning) < len(joints) or not (turning or len(balls) == 2):
        return None
    axis = turning[0].axis if turning else balls[1] - balls[0]
    point = turning[0].point if turning else balls[0]
    if axis is None or not np.any(axis):
        return None
    axis = unit(axis)
    on = all(cross_length(p - point, axis) < ON_LINE for p in (*balls, *(j.point for j in turning)))
    along = all(cross_length(j.axis, axis) < ALONG_LINE for j in turning if j.axis is not None)
    return (point, axis) if on and along else None


def _rank(held: Array) -> int:
    """The rank of rows of length 1, decided as `check` decides it: both say the same mobility of the same joints."""
    return significant(np.asarray(np.linalg.svd(held, compute_uv=False), np.float64)) if held.size else 0


def blocks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The block of each edge between `count` bodies, as a number: edges that lie on one loop are of one block.

    An edge on no loop is a block of its own, and one from a body to itself is `WITHIN`. Blocks share one body at most:
    the biconnected components of the graph (Hopcroft and Tarjan 1973), parallel edges included.
    """
    beside: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for k, (a, b) in enumerate(edges):
        beside[a].append((k, b))
        beside[b].append((k, a))
    found, depth, low, waiting = [WITHIN] * len(edges), [-1] * count, [0] * count, list[int]()
    for root in range(count):
        if depth[root] >= 0:
            continue
        depth[root], path = 0, [(root, -1, iter(beside[root]))]
        while path:
            body, by, rest = path[-1]
            k, other = next(rest, (-1, -1))
            if k < 0:
                path.pop()
                if path and low[body] >= depth[path[-1][0]]:
                    # What was met since this edge reaches no higher than its upper body.
                    while found[by] == WITHIN:
                        found[waiting.pop()] = by
                elif path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[body])
            elif depth[other] < 0:
                depth[other] = low[other] = depth[body] + 1
                waiting.append(k)
                path.append((other, k, iter(beside[other])))
            elif k != by and depth[other] < depth[body]:
                low[body] = min(low[body], depth[other])
                waiting.append(k)
    return found


def _screw(point: Vector, axis: Vector, middle: Vector, size: float, pitch: float = 0.0) -> Array:
    """The twist of a turn about a line, with an advance in m for each turn."""
    velocity = np.cross((point - middle) / size, axis) + pitch / (2 * np.pi * size) * axis
    return np.concatenate([velocity, axis])


def _motions(joint: FoundJoint, middle: Vector, size: float) -> Array:
    """The motion subspace of a joint (f, 6)."""
    if not joint.free.axes:
        return np.zeros((0, 6))
    if joint.axis is None:
        return np.array([_screw(joint.point, axis, middle, size) for axis in np.eye(3)])
    turn = _screw(joint.point, joint.axis, middle, size, joint.pitch or 0.0)
    slide = np.concatenate([joint.axis, np.zeros(3)])
    kinds = {"prismatic": [slide], "cylindrical": [turn, slide]}
    return np.array(kinds.get(joint.type, [turn]))


def _joint_rows(joint: FoundJoint, middle: Vector, size: float, places: Mapping[int, int]) -> Iterator[Array]:
    motions = _motions(joint, middle, size)
    complement = np.linalg.svd(motions)[2][len(motions) :] if len(motions) else np.eye(6)
    for row in complement:
        full = np.zeros(6 * len(places))
        for body, sign in ((joint.a, -1.0), (joint.b, 1.0)):
            full[6 * places[body] : 6 * places[body] + 6] += sign * row
        yield full


def _gear_row(gear: FoundGear, places: Mapping[int, int]) -> Array:
    full = np.zeros(6 * len(places))
    ends = ((gear.a, gear.axes[0]), (gear.b, gear.axes[1]))
    # A rack's ratio is not given (0); for the rank any number but zero ties the two.
    factors = (1.0, max(gear.ratio, 1e-3))
    for (body, axis), factor in zip(ends, factors, strict=True):
        slides = gear.kind is CouplingKind.RACK_PINION and body == gear.b
        row = np.concatenate([axis, np.zeros(3)]) if slides else np.concatenate([np.zeros(3), axis])
        full[6 * places[body] : 6 * places[body] + 6] += factor * row
        if gear.carrier is not None:
            k = places[gear.carrier]
            full[6 * k : 6 * k + 6] -= factor * row
    return full

"""The mobility of bodies with joints and gears: 6 for each moving body, less the rank of their constraints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

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
"""Bodies in loops that share bodies, above which the dense rank is left out: its time grows with the cube."""

BALL = free("rx ry rz")
ON_LINE = 1e-5
"""m: how far joints of a body may be off the line about which it spins. Bores are drawn in line to 1e-6."""
ALONG_LINE = 1e-4
"""Sine of the angle between such lines: of two joints 100 mm apart, 10 µm."""

Array = NDArray[np.float64]


def freedoms(found: Recognition) -> int | None:
    """The mobility of what was found, at the pose as designed; None where too many bodies are in one group of loops.

    A joint that is in no loop takes what it holds, whatever else there is; only of bodies in loops rows may repeat.
    Their twists (v, ω) are about the assembly's middle, lengths in its size; a joint's rows are the complement of its
    motion subspace, a gear is one row between its wheels and their carrier.
    """
    count = len(found.bodies)
    gears = [gear for gear in found.gears if gear.couples]
    edges = [(joint.a, joint.b) for joint in found.joints]
    # Twice each, as a gear holds nothing by itself.
    meshes = [(gear.a, other) for gear in gears for other in (gear.b, gear.carrier) if other is not None]
    groups = in_loops(count, [*edges, *meshes, *meshes])
    rank = sum(6 - joint.free.count for joint in found.joints if groups[joint.a] != groups[joint.b])
    members: dict[int, list[int]] = defaultdict(list)
    for body in range(count):
        members[groups[body]].append(body)
    if max(map(len, members.values()), default=0) > MOST_BODIES_RANKED:
        return None
    points = np.array([j.point for j in found.joints]).reshape(-1, 3)
    middle = points.mean(axis=0) if len(points) else np.zeros(3)
    size = max(float(np.abs(points - middle).max(initial=0.0)), 1e-3)
    rows: dict[int, list[Array]] = defaultdict(list)
    places = {body: k for bodies in members.values() for k, body in enumerate(bodies)}
    for joint in found.joints:
        if (group := groups[joint.a]) == groups[joint.b]:
            rows[group] += _joint_rows(joint, middle, size, places, len(members[group]))
    for gear in gears:
        rows[groups[gear.a]].append(_gear_row(gear, places, len(members[groups[gear.a]])))
    for group, own in rows.items():
        # Within its loops a group is seen from one of its bodies; how that one moves is counted at the joint that
        # carries it.
        first = found.ground if groups[found.ground] == group else members[group][0]
        rank += _rank(np.delete(np.array(own), np.s_[6 * places[first] : 6 * places[first] + 6], axis=1))
    # One body stands still, whichever: its six freedoms are none of the mechanism's.
    return 6 * (count - 1) - rank


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


def in_loops(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """For each of `count` bodies the group whose loops it is in: bodies that no single edge parts have one number.

    Each edge that a spanning forest leaves out closes a loop; all bodies of it are one group.
    """
    beside: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for k, (a, b) in enumerate(edges):
        beside[a].append((k, b))
        beside[b].append((k, a))
    group, depth, parent, kept = list(range(count)), [-1] * count, list(range(count)), set[int]()
    for root in range(count):
        if depth[root] >= 0:
            continue
        depth[root], front = 0, [root]
        for body in front:  # grows on the way
            for k, other in beside[body]:
                if depth[other] < 0:
                    depth[other], parent[other] = depth[body] + 1, body
                    kept.add(k)
                    front.append(other)

    def of(body: int) -> int:
        while group[body] != body:
            group[body] = body = group[group[body]]
        return body

    for k, (a, b) in enumerate(edges):
        a, b = of(a), of(b)
        while k not in kept and a != b:  # each group is named by its highest body
            low = a if depth[a] >= depth[b] else b
            group[low] = of(parent[low])
            a, b = of(a), of(b)
    return [of(body) for body in range(count)]


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


def _joint_rows(
    joint: FoundJoint, middle: Vector, size: float, places: Mapping[int, int], count: int
) -> Iterator[Array]:
    motions = _motions(joint, middle, size)
    complement = np.linalg.svd(motions)[2][len(motions) :] if len(motions) else np.eye(6)
    for row in complement:
        full = np.zeros(6 * count)
        for body, sign in ((joint.a, -1.0), (joint.b, 1.0)):
            full[6 * places[body] : 6 * places[body] + 6] += sign * row
        yield full


def _gear_row(gear: FoundGear, places: Mapping[int, int], count: int) -> Array:
    full = np.zeros(6 * count)
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

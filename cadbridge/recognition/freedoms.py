"""The mobility of bodies with joints and gears: 6 for each moving body, less the rank of their constraints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import CouplingKind
from cadbridge.frames import Vector
from cadbridge.recognition.gears import FoundGear
from cadbridge.recognition.model import FoundJoint, Recognition

MOST_BODIES = 300
"""Above so many bodies the dense rank takes too long to be worth it."""
NEGLIGIBLE = 1e-9
"""Singular value beside the largest, below which a row says nothing."""

Array = NDArray[np.float64]


def freedoms(found: Recognition) -> int | None:
    """The mobility of what was found, at the pose as designed; None where it has too many bodies.

    Twists (v, ω) about the assembly's middle, lengths in its size; a joint's rows are the complement of its motion
    subspace, a gear is one row between its wheels and their carrier.
    """
    count = len(found.bodies)
    if count > MOST_BODIES:
        return None
    points = np.array([j.point for j in found.joints]).reshape(-1, 3)
    middle = points.mean(axis=0) if len(points) else np.zeros(3)
    size = max(float(np.abs(points - middle).max(initial=0.0)), 1e-3)
    rows = [row for joint in found.joints for row in _joint_rows(joint, middle, size, count)]
    rows += [_gear_row(gear, count) for gear in found.gears if not gear.against]
    moving = np.array([k for body in range(count) if body != found.ground for k in range(6 * body, 6 * body + 6)], int)
    held = np.array(rows).reshape(-1, 6 * count)[:, moving]
    values = np.linalg.svd(held, compute_uv=False) if held.size else np.zeros(0)
    rank = int(np.sum(values > NEGLIGIBLE * values.max(initial=0.0) * max(held.shape, default=1)))
    return 6 * (count - 1) - rank


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


def _joint_rows(joint: FoundJoint, middle: Vector, size: float, count: int) -> Iterator[Array]:
    motions = _motions(joint, middle, size)
    complement = np.linalg.svd(motions)[2][len(motions) :] if len(motions) else np.eye(6)
    for row in complement:
        full = np.zeros(6 * count)
        full[6 * joint.a : 6 * joint.a + 6] -= row
        full[6 * joint.b : 6 * joint.b + 6] += row
        yield full


def _gear_row(gear: FoundGear, count: int) -> Array:
    full = np.zeros(6 * count)
    ends = ((gear.a, gear.axes[0]), (gear.b, gear.axes[1]))
    factors = (1.0, max(gear.ratio, 1e-3))
    for (body, axis), factor in zip(ends, factors, strict=True):
        slides = gear.kind is CouplingKind.RACK_PINION and body == gear.b
        row = np.concatenate([axis, np.zeros(3)]) if slides else np.concatenate([np.zeros(3), axis])
        full[6 * body : 6 * body + 6] += factor * row
        if gear.carrier is not None:
            full[6 * gear.carrier : 6 * gear.carrier + 6] -= factor * row
    return full

"""Whether parts only spin about an axis: bodies of revolution, and what is balanced about it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.candidates import Candidate
from cadbridge.recognition.scene import Scene

ON_AXIS = 0.02
"""Of a radius: how far a body of revolution may be off the axis about which it spins."""


def only_spins(scene: Scene, names: Sequence[str], joint: Candidate) -> bool:
    """Whether all instances are bodies of revolution about a joint's axis."""
    axis, point = joint.verdict.axis, joint.verdict.point
    if axis is None:
        return False
    for name in names:
        round_part = scene.revolution(name)
        X = scene.assembly.instance(name).X_WI
        if round_part is None:
            if not _balanced(scene, name, point, axis):
                return False
            continue
        if cross_length(X.vector(round_part.direction), axis) > ON_AXIS:
            return False
        off = cross_length(X.point(round_part.point) - point, axis)
        if off > ON_AXIS * round_part.outer + 3 * scene.contacts.slack:
            return False
    return True


def _balanced(scene: Scene, name: str, point: Vector, axis: Vector) -> bool:
    """Whether all faces of a part that have an axis are about a line, and its box is square and centred on it.

    A barrel-shaped roller, whose outside is a free-form face.
    """
    instance = scene.assembly.instance(name)
    shape = scene.assembly.part(instance.part).shape
    known = None if shape is None else scene.faces.get(shape.key)
    if known is None:
        return False
    X_IW = instance.X_WI.inverse()
    foot, way = X_IW.point(point), X_IW.vector(axis)
    along = int(np.argmax(np.abs(way)))
    size = np.delete(np.ptp(known.box, axis=0), along)
    middle = np.delete(known.box.mean(axis=0) - foot, along)
    near = ON_AXIS * float(size.max())
    if abs(way[along]) < 1 - 1e-6 or float(np.ptp(size)) > near or float(np.abs(middle).max()) > near:
        return False
    return all(
        cross_length(s.direction, way) < ON_AXIS and (s.kind == "plane" or cross_length(s.point - foot, way) < near)
        for s in known.surfaces
        if s.direction is not None
    )

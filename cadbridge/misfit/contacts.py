"""Faces that lie on each other: which mates push and never pull, and with which sign."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly, FeatureKind, Mate, MateKind
from cadbridge.frames import Vector
from cadbridge.misfit.groups import Constraints, DependentMates

Array = NDArray[np.float64]

OPPOSED = -0.999
"""Cosine between the outward normals of two faces that lie on each other (177.4° apart); others are flush and hold both
ways: normals of the two are alike then, so that anything between would do."""
LIES_ON = 1e-9
"""m: a mate with a greater distance holds something apart, and is no contact. Files write 0 where they mean it."""


def normals_of(assembly: Assembly) -> dict[str, tuple[str, Vector]]:
    """Of each mate that is a face on a face: the component that it pushes, and which way (3,), world axes.

    A plane pushes along its outward normal what lies on it: another plane that faces it, or a point.
    """
    found = {}
    for mate in assembly.mates:
        sides = [(f, *other) for f, other in ((mate.a, (mate.b,)), (mate.b, (mate.a,))) if f.kind is FeatureKind.PLANE]
        if mate.kind not in KINDS or not sides or abs(mate.value) > LIES_ON or not _touches(assembly, mate):
            continue
        face, other = sides[0]
        if face.direction is not None:
            found[mate.name] = (other.component, assembly.component_pose(face.component).vector(face.direction))
    return found


def _touches(assembly: Assembly, mate: Mate) -> bool:
    """Whether two planes face each other, or a point lies on a plane."""
    kinds = {mate.a.kind, mate.b.kind}
    if kinds == {FeatureKind.PLANE, FeatureKind.POINT}:
        return True
    if kinds != {FeatureKind.PLANE} or mate.a.direction is None or mate.b.direction is None:
        return False
    a = assembly.component_pose(mate.a.component).vector(mate.a.direction)
    return float(a @ assembly.component_pose(mate.b.component).vector(mate.b.direction)) < OPPOSED


def signs_of(constraints: Constraints, group: DependentMates, normals: Mapping[str, tuple[str, Vector]]) -> Array:
    """The sign (m,) that a row's multiplier must have where a contact only pushes; 0 where a mate holds both ways.

    Of a face on a face the row along the normal; its tilt is taken as held both ways.
    """
    signs = np.zeros(len(group.rows))
    for block in group.blocks:
        if block.kind != "along" or block.mate not in normals:
            continue
        pushed, normal = normals[block.mate]
        for row, d in zip(block.rows, block.directions, strict=True):
            last = constraints.rows.ends[group.rows[row]][-1]
            # A multiplier pulls the last end back along the row's direction.
            on_last = 1.0 if last == constraints.mechanism.units[pushed] else -1.0
            signs[row] = -np.sign(on_last * float(d @ normal))
    return signs


KINDS = (MateKind.COINCIDENT, MateKind.PLANAR)
"""Mates that lay a face on another; a flush one aligns faces that do not touch."""

"""Mates with the equations that a weaker mate keeps: one of a common kind if possible, else one mate an equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly, Feature, FeatureKind, Mate, MateKind
from cadbridge.frames import perpendicular, unit
from cadbridge.misfit.blocks import Block, MateFrame
from cadbridge.misfit.options import WeakerMate, kept_directions

Array = NDArray[np.float64]

AXIS, PLANE, POINT = FeatureKind.AXIS, FeatureKind.PLANE, FeatureKind.POINT

_PLAIN: dict[frozenset[str], tuple[MateKind, FeatureKind, FeatureKind]] = {
    frozenset({"across", "tilt"}): (MateKind.CYLINDRICAL, AXIS, AXIS),
    frozenset({"across", "along"}): (MateKind.SPHERICAL, POINT, POINT),
    frozenset({"across"}): (MateKind.COINCIDENT, AXIS, POINT),
    frozenset({"along", "tilt"}): (MateKind.PLANAR, PLANE, PLANE),
    frozenset({"along"}): (MateKind.COINCIDENT, PLANE, POINT),
    frozenset({"tilt"}): (MateKind.PARALLEL, AXIS, AXIS),
}
"""The mate that holds these whole kinds of equations of an axis or plane, with the features that it takes."""


def weakened(
    assembly: Assembly, mate: Mate, blocks: Sequence[Block], frame: MateFrame, option: WeakerMate
) -> list[Mate]:
    """The mates that replace one; the first keeps its name. Like it, they are satisfied at the designed pose."""
    kept = [(block, D) for block in blocks if len(D := kept_directions(block, option))]
    if not kept:
        return []
    whole = all(len(D) == len(block.rows) for block, D in kept)
    sizes = {block.kind: len(block.rows) for block, _ in kept}
    plain = _PLAIN.get(frozenset(sizes)) if whole and len(sizes) == len(kept) else None
    if plain is not None and frame.axis is not None and sizes.get("across", 2) == 2 and sizes.get("tilt", 2) == 2:
        kind, a, b = plain
        features = [_feature(assembly, f, k, frame.point, frame.axis) for f, k in ((mate.a, a), (mate.b, b))]
        return [replace(mate, kind=kind, a=features[0], b=features[1], value=0.0, aligned=None, lock_rotation=False)]
    made = [_single(assembly, mate, block, d, frame) for block, D in kept for d in D]
    return [replace(m, name=mate.name if i == 0 else f"{mate.name}/{i + 1}") for i, m in enumerate(made)]


def _single(assembly: Assembly, mate: Mate, block: Block, d: Array, frame: MateFrame) -> Mate:
    """A mate of one equation: a point on a plane across a direction, or two directions at right angles."""
    if not block.turns:
        a = _feature(assembly, mate.a, PLANE, frame.point, d)
        b = _feature(assembly, mate.b, POINT, frame.point, d)
        return replace(mate, kind=MateKind.COINCIDENT, a=a, b=b, value=0.0, aligned=None, lock_rotation=False)
    first = perpendicular(d)
    a = _feature(assembly, mate.a, AXIS, frame.point, first)
    b = _feature(assembly, mate.b, AXIS, frame.point, unit(np.cross(d, first)))
    return replace(mate, kind=MateKind.PERPENDICULAR, a=a, b=b, value=0.0, aligned=None, lock_rotation=False)


def _feature(assembly: Assembly, feature: Feature, kind: FeatureKind, point: Array, direction: Array) -> Feature:
    """A feature of the same component at a point and along a direction of the world."""
    X = assembly.component_pose(feature.component)
    along = None if kind is POINT else X.R.T @ direction
    return replace(feature, kind=kind, point=X.inverse().point(point), direction=along, x=None, radius=None)

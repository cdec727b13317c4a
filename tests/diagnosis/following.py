"""The advice of a diagnosis, followed on the assembly in every way in which it can be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice, product

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Feature, FeatureKind, Mate, MateKind
from cadbridge.diagnosis import Diagnosis
from cadbridge.frames import Pose, Vector, unit
from tests.diagnosis.dense import without

MOST = 40
"""Ways to read one advice that are tried."""


def ways(found: Diagnosis) -> Iterator[tuple[str, ...]]:
    """What is deleted, for each way to choose where the advice leaves a choice."""
    always = [r.mate for r in found.redundancies if r.deletable]
    several = [
        list(combinations(c.mates, c.count)) if c.count is not None else list(c.sets) for c in found.deletion_choices
    ]
    for chosen in islice(product(*several), MOST):
        yield (*always, *(name for mates in chosen for name in mates))


def followed(model: Assembly, found: Diagnosis) -> Iterator[Assembly]:
    """The assembly after all of the advice, for each way to read it."""
    weaker = {r.mate: r.weaker for r in found.redundancies if r.weaker}
    for gone in ways(found):
        rest = without(model, *gone)
        yield replace(rest, mates=tuple(weakened(m, weaker.get(m.name), model) for m in rest.mates))


def weakened(mate: Mate, advice: str | None, model: Assembly) -> Mate:
    """A mate with the features that the advice asks for; the point or line is one of its second component."""
    if advice is None:
        return mate
    words = advice.split(" instead of ")[0].split(" along ")[0]
    point = replace(mate.b, kind=FeatureKind.POINT, direction=None)
    on = {kind: replace(mate.a, kind=kind) for kind in FeatureKind}
    if words == "line on plane":
        line = replace(mate.b, kind=FeatureKind.AXIS, direction=_line(mate, advice, model))
        return replace(mate, kind=MateKind.COINCIDENT, a=on[FeatureKind.PLANE], b=line)
    return {
        "point on plane": replace(mate, kind=MateKind.COINCIDENT, a=on[FeatureKind.PLANE], b=point),
        "point on axis": replace(mate, kind=MateKind.COINCIDENT, a=on[FeatureKind.AXIS], b=point),
        "point on point": replace(mate, kind=MateKind.COINCIDENT, a=_point(mate.a), b=point),
        "parallel": replace(mate, kind=MateKind.PARALLEL),
        "plane on plane": replace(
            mate, kind=MateKind.FLUSH, a=on[FeatureKind.PLANE], b=replace(mate.b, kind=FeatureKind.PLANE)
        ),
        "axis on axis": replace(mate, kind=MateKind.CONCENTRIC),
    }[words]


def _point(feature: Feature) -> Feature:
    return replace(feature, kind=FeatureKind.POINT, direction=None)


def _line(mate: Mate, advice: str, model: Assembly) -> Vector:
    """The line's direction on b, of the words "along x of base"."""
    named = advice.split(" along ")[1].split(" of ")[0]
    numbers = [float(named == k) for k in "xyz"] if named in "xyz" else named.strip("()").split(",")
    poses = {c.name: c.X_WC for c in model.components} | {GROUND: Pose()}
    world = poses[mate.a.component].vector(np.array([float(v) for v in numbers]))
    return unit(poses[mate.b.component].inverse().vector(world))

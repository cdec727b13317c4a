"""Hand-made assemblies for tests: boxes of 1 kg at given places, features in world coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cadbridge.assembly import (
    GROUND,
    Assembly,
    Component,
    Coupling,
    Feature,
    FeatureKind,
    Instance,
    Mate,
    MateKind,
    Part,
)
from cadbridge.frames import Pose, unit
from cadbridge.inertia import MassProperties

PART = Part("block", declared=MassProperties(1.0, np.zeros(3), 0.01 * np.eye(3)))
Triple = Sequence[float] | np.ndarray


def feature(
    places: Mapping[str, Triple], component: str, kind: FeatureKind, point: Triple, direction: Triple | None = None
) -> Feature:
    """A feature given in world coordinates, said of a component whose axes are the world's."""
    origin = np.zeros(3) if component == GROUND else np.array(places[component], float)
    along = None if direction is None else unit(direction)
    return Feature(component, kind, np.array(point, float) - origin, along)


def mate(
    places: Mapping[str, Triple], name: str, kind: MateKind, a: str, b: str, point: Triple, direction: Triple
) -> Mate:
    """A mate of two axes, or of two planes for kinds that want planes, through one point."""
    planes = kind in (MateKind.FLUSH, MateKind.COINCIDENT, MateKind.PLANAR)
    of = FeatureKind.PLANE if planes else FeatureKind.AXIS
    return Mate(name, kind, feature(places, a, of, point, direction), feature(places, b, of, point, direction))


def assembly(places: Mapping[str, Triple], mates: Sequence[Mate], couplings: Sequence[Coupling] = ()) -> Assembly:
    """Components of one part each; none is grounded, mates hold the ground by name."""
    poses = {name: Pose(np.eye(3), np.array(p, float)) for name, p in places.items()}
    return Assembly(
        name="test",
        source="test",
        format="test",
        parts=(PART,),
        instances=tuple(Instance(n, "block", X, n) for n, X in poses.items()),
        components=tuple(Component(n, (n,), X) for n, X in poses.items()),
        mates=tuple(mates),
        couplings=tuple(couplings),
    )

"""Mechanisms with redundant mates of which the answers are known in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cadbridge.assembly import GROUND, Assembly, FeatureKind, Mate, MateKind
from cadbridge.mechanism import Mechanism, build
from cadbridge.misfit.groups import DependentMates, constraints_of, groups_of
from tests.mechanism.building import assembly, feature, mate

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Triple = tuple[float, float, float]


def on_line(heights: Sequence[float], off: Sequence[Triple] | None = None) -> Assembly:
    """A door on hinges at heights along z, whose bores in the frame are off by so much."""
    places = {"door": (0.4, 0.0, 1.0)}
    mates = []
    for i, h in enumerate(heights):
        made = mate(places, f"hinge {i}", MateKind.INSERT, GROUND, "door", (0.0, 0.0, h), Z)
        moved = made.a.point + np.array(off[i] if off is not None else (0.0, 0.0, 0.0))
        mates.append(replace(made, a=replace(made.a, point=moved)))
    return assembly(places, mates)


def turned(mate: Mate) -> Mate:
    """The same mate written the other way round: its sides change places, and their directions are opposite."""
    a, b = (replace(f, direction=None if f.direction is None else -f.direction) for f in (mate.a, mate.b))
    return replace(mate, a=b, b=a)


def rails(distance: float) -> Assembly:
    """A carriage on two parallel round rails along x, each held by a cylindrical mate."""
    places = {"carriage": (0.0, 0.0, 0.0)}
    at = [(0.0, -distance / 2, 0.0), (0.0, distance / 2, 0.0)]
    return assembly(
        places,
        [mate(places, f"rail {i}", MateKind.CYLINDRICAL, GROUND, "carriage", p, X) for i, p in enumerate(at)],
    )


def table(corners: Sequence[tuple[float, float]]) -> Assembly:
    """A table whose feet stand on a floor, each by a point on the plane."""
    places = {"table": (0.0, 0.0, 0.7)}
    mates = [
        Mate(
            f"foot {i}",
            MateKind.COINCIDENT,
            feature(places, GROUND, FeatureKind.PLANE, (x, y, 0.0), Z),
            feature(places, "table", FeatureKind.POINT, (x, y, 0.0)),
        )
        for i, (x, y) in enumerate(corners)
    ]
    return assembly(places, mates)


def ball_bars(count: int) -> Assembly:
    """A table that swings on equal parallel bars, in the plane: bars on ball joints, the table kept in its plane.

    Two bars hold one way each; every further bar has one equation that is redundant (its length).
    """
    places: dict[str, Triple] = {"table": (0.5, 0.3, 0.0)}
    mates: list[Mate] = []
    plane = mate({**places}, "plane", MateKind.FLUSH, GROUND, "table", (0.5, 0.3, 0.0), Z)
    mates.append(plane)
    for i in range(count):
        ends = ((0.2 * i, 0.0, 0.0), (0.2 * i, 0.3, 0.0))
        low = feature(places, GROUND, FeatureKind.POINT, ends[0])
        high = feature(places, "table", FeatureKind.POINT, ends[1])
        mates.append(Mate(f"bar {i}", MateKind.DISTANCE, low, high, value=0.3))
    return assembly(places, mates)


def group(model: Assembly) -> DependentMates:
    """The one group of redundant equations of an assembly."""
    (found,) = groups_of(constraints_of(build(model)))
    return found


def mechanism(model: Assembly) -> Mechanism:
    """The mechanism of an assembly."""
    return build(model)

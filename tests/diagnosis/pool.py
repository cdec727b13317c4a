"""Mechanisms of all kinds, for tests that hold for any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Feature, FeatureKind, Mate, MateKind
from cadbridge.frames import Pose
from tests.diagnosis import gearing, large, linkages
from tests.mechanism.building import assembly, feature, mate

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def door(hinges: int) -> Assembly:
    """A door on hinges of five rows each."""
    places = {"door": (0.4, 0.0, 1.0)}
    at = [(0.0, 0.0, 0.3 * i) for i in range(hinges)]
    return assembly(
        places, [mate(places, f"hinge {i}", MateKind.INSERT, GROUND, "door", p, Z) for i, p in enumerate(at)]
    )


def block() -> Assembly:
    """Three perpendicular plane mates that lock a block: 9 rows, rank 6."""
    places = {"block": (0.1, 0.2, 0.3)}
    planes = zip("xyz", (X, Y, Z), strict=True)
    return assembly(places, [mate(places, n, MateKind.FLUSH, GROUND, "block", (0, 0, 0), u) for n, u in planes])


def universal() -> Assembly:
    """Two shafts in bearings and the cross between them: each fork is hinged to the cross."""
    bend = 0.4
    tilted = (float(np.cos(bend)), 0.0, float(np.sin(bend)))
    places = {"input": (-0.1, 0.0, 0.0), "cross": (0.0, 0.0, 0.0), "output": (0.1, 0.0, 0.1 * float(np.tan(bend)))}
    fork = (-float(np.sin(bend)), 0.0, float(np.cos(bend)))
    return assembly(
        places,
        [
            mate(places, "bearing", MateKind.INSERT, GROUND, "input", (-0.1, 0.0, 0.0), X),
            mate(places, "pin 1", MateKind.INSERT, "input", "cross", (0.0, 0.0, 0.0), Y),
            mate(places, "pin 2", MateKind.INSERT, "cross", "output", (0.0, 0.0, 0.0), fork),
            mate(places, "seat", MateKind.CONCENTRIC, GROUND, "output", places["output"], tilted),
        ],
    )


def crank_slider() -> Assembly:
    """Crank, rod and a slider on a cylinder: planar, modelled in space, as designers do it."""
    places = {"crank": (0.02, 0.03, 0.0), "rod": (0.12, 0.03, 0.0), "slider": (0.2, 0.0, 0.0)}
    return assembly(
        places,
        [
            mate(places, "main", MateKind.INSERT, GROUND, "crank", (0.0, 0.0, 0.0), Z),
            mate(places, "crankpin", MateKind.INSERT, "crank", "rod", (0.04, 0.06, 0.0), Z),
            mate(places, "wristpin", MateKind.INSERT, "rod", "slider", (0.2, 0.0, 0.0), Z),
            mate(places, "bore", MateKind.CONCENTRIC, GROUND, "slider", (0.2, 0.0, 0.0), X),
        ],
    )


def stack(seed: int) -> Assembly:
    """Three blocks with mates of random kinds between random faces of them, some of them twice."""
    random = np.random.default_rng(seed)
    places = {n: tuple(random.uniform(-0.3, 0.3, 3)) for n in ("a", "b", "c")}
    names = [GROUND, *places]
    mates = []
    for i in range(7):
        first, second = random.choice(4, 2, replace=False)
        point, axis = random.choice([0.0, 0.1, 0.2], 3), np.eye(3)[random.integers(3)]
        kind = [MateKind.FLUSH, MateKind.CONCENTRIC, MateKind.PARALLEL, MateKind.INSERT, "point"][random.integers(5)]
        if kind == "point":
            plane = feature(places, names[first], FeatureKind.PLANE, point, axis)
            spot = feature(places, names[second], FeatureKind.POINT, point)
            mates.append(Mate(f"m{i}", MateKind.COINCIDENT, plane, spot))
        else:
            mates.append(mate(places, f"m{i}", MateKind(kind), names[first], names[second], point, axis))
    return assembly(places, mates)


POOL: dict[str, Callable[[], Assembly]] = {
    "four-bar": lambda: linkages.planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)]),
    "five parallel bars": lambda: linkages.parallel_bars(5),
    "Bennett": linkages.bennett,
    "Sarrus": linkages.sarrus,
    "Bricard": linkages.bricard,
    "door on two": lambda: door(2),
    "door on three": lambda: door(3),
    "block": block,
    "planetary": lambda: gearing.planetary(3),
    "locked trains": lambda: gearing.two_shafts((40, 20), (41, 20)),
    "agreeing trains": lambda: gearing.two_shafts((40, 20), (40, 20)),
    "shaky": lambda: linkages.planar([(0, 0), (0.3, 0), (0.8, 0)]),
    "universal joint": universal,
    "crank-slider": crank_slider,
    "lattice": lambda: large.lattice(4, 1),
    **{f"stack {seed}": partial(stack, seed) for seed in range(6)},
}
"""Every textbook mechanism of the project's list, and random ones."""


def moved(model: Assembly, X_NW: Pose) -> Assembly:
    """The whole assembly placed elsewhere by a rigid motion."""

    def feature_moved(f: Feature | None) -> Any:
        if f is None or f.component != GROUND:
            return f
        turned: dict[str, Any] = {k: X_NW.vector(v) for k in ("direction", "x") if (v := getattr(f, k)) is not None}
        return replace(f, point=X_NW.point(f.point), **turned)

    return replace(
        model,
        instances=tuple(replace(i, X_WI=X_NW @ i.X_WI) for i in model.instances),
        components=tuple(replace(c, X_WC=X_NW @ c.X_WC) for c in model.components),
        mates=tuple(replace(m, a=feature_moved(m.a), b=feature_moved(m.b)) for m in model.mates),
        couplings=tuple(replace(c, a=feature_moved(c.a), b=feature_moved(c.b)) for c in model.couplings),
    )

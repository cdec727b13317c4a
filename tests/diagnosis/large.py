"""Large assemblies, made by rule: for speed, memory and agreement with a dense factorisation."""

from __future__ import annotations

import numpy as np

from cadbridge.assembly import GROUND, Assembly, FeatureKind, Mate, MateKind
from tests.mechanism.building import assembly, feature, mate

Z = (0.0, 0.0, 1.0)
SIDE = 0.1


def lattice(columns: int, rows: int) -> Assembly:
    """Plates in a lattice, each hinged to the next of its row, rows of two tied by a bar at every fourth plate.

    Each hinge is five mates as CAD users stack them: axis on axis, plane on plane, two points on planes and a second
    axis on axis; so with n parts there are some 5 n mates, most of them redundant, and long loops.
    """
    places = {f"p{r:02d}-{c:03d}": (SIDE * c, SIDE * r, 0.0) for r in range(rows) for c in range(columns)}
    mates: list[Mate] = []
    for r in range(rows):
        for c in range(columns):
            name = f"p{r:02d}-{c:03d}"
            x, y, _ = places[name]
            left = GROUND if c == 0 else f"p{r:02d}-{c - 1:03d}"
            mates += _hinge(places, f"h{r:02d}-{c:03d}", left, name, (x - SIDE / 2, y, 0.0))
            if r % 2 and c % 4 == 3:
                mates.append(_bar(places, f"b{r:02d}-{c:03d}", f"p{r - 1:02d}-{c:03d}", name, (x, y - SIDE / 2, 0.0)))
    return assembly(places, mates)


def bars(rows: int, columns: int) -> Assembly:
    """A grid of four-bars: a bar down to each node, and one along to the next, pinned about y; each row can swing."""
    places = {f"v{r}-{c}": (SIDE * (c + 0.3 * r), 0.0, -SIDE * r) for r in range(rows) for c in range(columns + 1)}
    places |= {
        f"h{r}-{c}": (SIDE * (c + 0.3 * (r + 1)), 0.0, -SIDE * (r + 1)) for r in range(rows) for c in range(columns)
    }
    mates = []
    for r in range(rows):
        for c in range(columns + 1):
            above = f"v{r - 1}-{c}" if r else GROUND
            mates.append(_pin(places, f"d{r}-{c}", above, f"v{r}-{c}", places[f"v{r}-{c}"]))
        for c in range(columns):
            x, y, z = places[f"h{r}-{c}"]
            mates.append(_pin(places, f"a{r}-{c}", f"v{r}-{c}", f"h{r}-{c}", (x, y, z)))
            mates.append(_pin(places, f"b{r}-{c}", f"v{r}-{c + 1}", f"h{r}-{c}", (x + SIDE, y, z)))
    return assembly(places, mates)


def _pin(
    places: dict[str, tuple[float, float, float]], name: str, a: str, b: str, at: tuple[float, float, float]
) -> Mate:
    return mate(places, name, MateKind.REVOLUTE, a, b, at, (0.0, 1.0, 0.0))


def _hinge(
    places: dict[str, tuple[float, float, float]], name: str, a: str, b: str, at: tuple[float, float, float]
) -> list[Mate]:
    x, y, z = at
    up, point = (x, y, z + 0.01), FeatureKind.POINT
    plane = feature(places, a, FeatureKind.PLANE, at, Z)
    return [
        mate(places, f"{name} axis", MateKind.CONCENTRIC, a, b, at, Z),
        mate(places, f"{name} plane", MateKind.FLUSH, a, b, at, Z),
        Mate(f"{name} point 1", MateKind.COINCIDENT, plane, feature(places, b, point, (x + 0.01, y, z))),
        Mate(f"{name} point 2", MateKind.COINCIDENT, plane, feature(places, b, point, (x, y + 0.01, z))),
        mate(places, f"{name} axis 2", MateKind.CONCENTRIC, a, b, up, Z),
    ]


def _bar(
    places: dict[str, tuple[float, float, float]], name: str, a: str, b: str, at: tuple[float, float, float]
) -> Mate:
    """A rod of fixed length between two plates of neighbouring rows."""
    return Mate(
        name,
        MateKind.DISTANCE,
        feature(places, a, FeatureKind.POINT, at),
        feature(places, b, FeatureKind.POINT, (at[0] + 0.02, at[1] + 0.03, 0.0)),
        value=float(np.hypot(0.02, 0.03)),
    )


def loose(count: int) -> Assembly:
    """Parts without a mate."""
    return assembly({f"part {i}": (0.1 * (i % 100), 0.1 * (i // 100), 0.0) for i in range(count)}, [])

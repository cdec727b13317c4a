"""Gear trains whose ratios every textbook gives, as assemblies of hinged wheels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Coupling, CouplingKind, Drive, FeatureKind, MateKind
from tests.mechanism.building import Triple, assembly, feature, mate

Z = (0.0, 0.0, 1.0)


def spur(
    places: Mapping[str, Triple], name: str, a: str, b: str, teeth: tuple[int, int], kind: str = "spur"
) -> Coupling:
    """A pair of wheels about z through the places of two parts (the ground's at the origin)."""
    at = [(0.0, 0.0, 0.0) if n == GROUND else places[n] for n in (a, b)]
    return Coupling(
        name,
        CouplingKind(kind),
        feature(places, a, FeatureKind.AXIS, at[0], Z),
        feature(places, b, FeatureKind.AXIS, at[1], Z),
        ratio=teeth[1] / teeth[0],
        teeth_a=teeth[0],
        teeth_b=teeth[1],
    )


def two_shafts(*pairs: tuple[int, int], driven: Sequence[str] = ()) -> Assembly:
    """Two shafts in a frame with a pair of wheels for each (teeth of the first, of the second), and a third wheel.

    The third runs with the second shaft (30 : 60), aside of every loop.
    """
    places = {"first": (0.0, 0.0, 0.0), "second": (0.06, 0.0, 0.0), "third": (0.06, 0.09, 0.0)}
    axles = [mate(places, f"axle {n}", MateKind.INSERT, GROUND, n, p, Z) for n, p in places.items()]
    gears = [spur(places, f"pair {i}", "first", "second", teeth) for i, teeth in enumerate(pairs)]
    gears.append(spur(places, "aside", "second", "third", (30, 60)))
    drives = tuple(Drive(f"motor {n}", f"axle {n}") for n in driven)
    return replace(assembly(places, axles, gears), drives=drives)


def planetary(planets: int, sun: int = 20, ring: int = 70) -> Assembly:
    """A sun, a carrier and planets that run in a ring fixed to the ground."""
    teeth = (ring - sun) // 2
    radius = 0.001 * (sun + teeth) / 2
    angles = 2 * np.pi * np.arange(planets) / planets
    places: dict[str, Triple] = {"sun": (0.0, 0.0, 0.0), "carrier": (0.0, 0.0, 0.02)}
    places |= {f"planet {i}": (radius * np.cos(t), radius * np.sin(t), 0.0) for i, t in enumerate(angles)}
    mates = [mate(places, f"axle {n}", MateKind.INSERT, GROUND, n, (0, 0, 0), Z) for n in ("sun", "carrier")]
    gears = []
    for i in range(planets):
        name = f"planet {i}"
        mates.append(mate(places, f"axle {name}", MateKind.INSERT, "carrier", name, places[name], Z))
        gears.append(spur(places, f"sun on {i}", "sun", name, (sun, teeth)))
        gears.append(spur(places, f"ring on {i}", GROUND, name, (ring, teeth), "internal"))
    return assembly(places, mates, gears)

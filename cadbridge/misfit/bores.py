"""Diameter and length of the bore that a mate holds, from the cylinders of its parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import GROUND, Assembly, Feature, Mate
from cadbridge.geometry import Face

Array = NDArray[np.float64]

ALIGNED = 1e-4
"""Sine of the angle, and metres, up to which an axis is another: pieces of one bore are written with the rounding of
their file, two bores of one part stand at least a wall apart."""
SAME_BORE = 2e-5
"""m: cylinders whose radii differ by less are one bore, in pieces: above rounding, and below the step from a bore to
its seat."""


@dataclass(frozen=True, slots=True)
class Bore:
    """Diameter and length (m) of the cylinder that a mate holds; `length` None where no face tells it."""

    diameter: float
    length: float | None


def bore_of(assembly: Assembly, mate: Mate) -> Bore | None:
    """The bore of a mate on an axis: the radius that its features have, else of the only cylinders on its axis.

    The shorter side counts where both have one: there the parts touch. None where no side tells, or one has cylinders
    of several radii.
    """
    found = [bore for side in (mate.a, mate.b) if (bore := _on(assembly, side)) is not None]
    if not found:
        return None
    diameter = min(bore.diameter for bore in found)
    lengths = [bore.length for bore in found if bore.length is not None]
    return Bore(diameter, min(lengths, default=None))


def _on(assembly: Assembly, feature: Feature) -> Bore | None:
    if feature.direction is None:
        return None
    faces = _coaxial(assembly, feature)
    radii = [face.radius for _, face in faces if face.radius is not None]
    radius = feature.radius
    if radius is None:
        if not radii or max(radii) - min(radii) > SAME_BORE:
            return None
        radius = radii[0]
    own = [(place, face) for place, face in faces if face.radius is not None and abs(face.radius - radius) < SAME_BORE]
    nearest = min((place for place, _ in own), default=0.0)
    # Several bores of one size lie on one axis: the pieces of the nearest count.
    area = sum(face.area for place, face in own if place - nearest < ALIGNED)
    return Bore(2.0 * radius, area / (2.0 * math.pi * radius) if area > 0.0 else None)


def _coaxial(assembly: Assembly, feature: Feature) -> list[tuple[float, Face]]:
    """The cylinders of a feature's component on its axis, each with how far along it (m) its middle is.

    Of the feature's instance alone where it is named.
    """
    if feature.component == GROUND or feature.direction is None:
        return []
    component = assembly.component(feature.component)
    names = [feature.instance] if feature.instance in component.instances else component.instances
    found = []
    for instance in (assembly.instance(name) for name in names if name is not None):
        shape = assembly.part(instance.part).shape
        X = component.X_WC.inverse() @ instance.X_WI
        for face in shape.faces if shape is not None else ():
            if face.kind == "cylinder" and face.direction is not None and face.radius:
                on = np.cross(X.point(face.point) - feature.point, feature.direction)
                turned = np.cross(X.vector(face.direction), feature.direction)
                if float(np.linalg.norm(on)) < ALIGNED and float(np.linalg.norm(turned)) < ALIGNED:
                    found.append((abs(float((X.point(face.centre) - feature.point) @ feature.direction)), face))
    return found

"""Masses of bodies by UsdPhysics' rules: what MassAPI says, the rest by the density and volume of what collides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cadbridge.assembly import MassOverride
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.inertia import MassProperties, combine
from cadbridge.readers.usd.context import Context, number, vector
from cadbridge.readers.usd.shapes import moments_of

USD_DENSITY = 1000.0
"""kg/m³ that UsdPhysics takes where a file says neither mass nor density: water's."""


def declared(
    c: Context, body: Mapping[str, Any], shapes: Sequence[Mapping[str, Any]]
) -> tuple[MassProperties | None, MassOverride | None]:
    """What the stage says a body weighs, in the body's frame, and what is to be completed from its shape."""
    name, attributes = c.names[body["path"]], body["attributes"]
    mass = number(attributes, "physics:mass") * c.mass
    com, inertia = _centre(c, body, attributes), _inertia(c, attributes)
    if mass > 0 and com is not None and inertia is not None:
        return MassProperties(mass, com, inertia), None
    found = _collected(c, body, shapes, name, mass > 0)
    if found is None:
        if mass > 0 and inertia is not None:
            return MassProperties(mass, np.zeros(3), inertia), None
        if mass > 0:
            c.say("CB1449", f"{name} has a mass, but neither inertia nor anything that collides", name)
            return None, MassOverride(mass, com)
        if inertia is not None:
            c.say("CB1449", f"{name} has an inertia, but no mass", name)
        return None, None
    if mass > 0:
        found = found.scaled(mass / found.mass)
    return MassProperties(
        found.mass, found.com if com is None else com, found.inertia if inertia is None else inertia
    ), None


def _centre(c: Context, body: Mapping[str, Any], attributes: Mapping[str, Any]) -> Vector | None:
    """In the body's frame, m; None where it is not given."""
    given = vector(attributes, "physics:centerOfMass", (math.inf,) * 3)
    if not np.isfinite(given).all():
        if np.isfinite(given).any() or (given > 0).any():  # USD writes −∞ three times where none is given
            name = c.names[body["path"]]
            c.say("CB1449", f"{name}: its centre of mass is not finite; it is left out", name)
        return None
    linear, p = c.affine(body["matrix"])
    return c.X[body["path"]].inverse().point(linear @ given + p)


def _inertia(c: Context, attributes: Mapping[str, Any]) -> Matrix | None:
    """(3, 3) kg m² about the centre; None where it is not given."""
    principal = vector(attributes, "physics:diagonalInertia", (0.0, 0.0, 0.0))
    if not principal.any():
        return None
    axes = vector(attributes, "physics:principalAxes", (0.0, 0.0, 0.0, 0.0))
    R = Pose.from_quaternion(np.zeros(3), axes).R if axes.any() else np.eye(3)
    return R @ np.diag(principal * c.mass * c.length**2) @ R.T


def _collected(
    c: Context, body: Mapping[str, Any], shapes: Sequence[Mapping[str, Any]], name: str, massed: bool
) -> MassProperties | None:
    """What collides of a body, together; its density: the prim's own, the body's, the material's, water's."""
    X_WB, unit = c.X[body["path"]], c.mass / c.length**3
    own = number(body["attributes"], "physics:density")
    items, watery = [], 0
    for shape in shapes:
        linear, p = c.affine(shape["matrix"])
        moments = moments_of(shape, X_WB.R.T @ linear, X_WB.inverse().point(p)) if shape["touches"] else None
        if moments is None:
            continue
        # A body that is its own shape has one MassAPI, which `declared` has read as the body's.
        attributes = shape["attributes"] if shape["path"] != body["path"] else {}
        density = number(attributes, "physics:density") or own or float(shape["density"])
        watery += not density
        mass = number(attributes, "physics:mass") * c.mass
        one = moments.weighed(density * unit if density else USD_DENSITY)
        items.append(one.scaled(mass / one.mass) if mass > 0 else one)
    if items and watery and not massed:
        c.say("CB1448", f"{name}: the file says neither mass nor density; {USD_DENSITY:g} kg/m³ is USD's default", name)
    return combine(items) if items else None

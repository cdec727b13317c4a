"""What a face is: its kind, place, direction, radius. Runs in the worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepGProp import BRepGProp
from OCP.GeomAbs import (
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_SurfaceOfRevolution,
    GeomAbs_Torus,
)
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_REVERSED

from cadbridge.shapes.meshing import faces_of
from cadbridge.shapes.protocol import FaceTable

Described = tuple[str, Any, Any, float | None]
"""Kind, point, direction, radius; in millimetres."""


def _plane(surface: Any, face: Any) -> Described:
    frame = surface.Plane().Position()
    # The normal of the surface is X × Y, which a left-handed frame's axis opposes.
    normal = frame.XDirection().Crossed(frame.YDirection())
    if face.Orientation() == TopAbs_REVERSED:
        normal.Reverse()
    return "plane", frame.Location(), normal, None


def _cylinder(surface: Any, face: Any) -> Described:
    cylinder = surface.Cylinder()
    return "cylinder", cylinder.Location(), cylinder.Axis().Direction(), cylinder.Radius()


def _cone(surface: Any, face: Any) -> Described:
    return "cone", surface.Cone().Location(), surface.Cone().Axis().Direction(), None


def _sphere(surface: Any, face: Any) -> Described:
    return "sphere", surface.Sphere().Location(), None, surface.Sphere().Radius()


def _torus(surface: Any, face: Any) -> Described:
    return "torus", surface.Torus().Location(), surface.Torus().Axis().Direction(), None


def _revolution(surface: Any, face: Any) -> Described:
    axis = surface.AxeOfRevolution()
    return "other", axis.Location(), axis.Direction(), None


_KINDS: dict[Any, Callable[[Any, Any], Described]] = {
    GeomAbs_Plane: _plane,
    GeomAbs_Cylinder: _cylinder,
    GeomAbs_Cone: _cone,
    GeomAbs_Sphere: _sphere,
    GeomAbs_Torus: _torus,
    GeomAbs_SurfaceOfRevolution: _revolution,
}


def describe(shape: Any, scale: float, names: dict[int, str]) -> FaceTable:
    """The faces of a shape in TopExp's order; `scale` metres a millimetre, `names` by index."""
    faces = faces_of(shape)
    count = len(faces)
    table = FaceTable(
        [], np.zeros((count, 3)), np.full((count, 3), np.nan), np.full(count, np.nan),
        np.zeros(count), np.zeros((count, 3)), [names.get(i) for i in range(count)],
    )  # fmt: skip
    for i, face in enumerate(faces):
        properties = GProp_GProps()
        BRepGProp.SurfaceProperties_s(face, properties)
        centre = properties.CentreOfMass()
        surface = BRepAdaptor_Surface(face, False)
        described = _KINDS.get(surface.GetType())
        kind, point, direction, radius = described(surface, face) if described else ("other", centre, None, None)
        table.kinds.append(kind)
        table.points[i] = point.X(), point.Y(), point.Z()
        if direction is not None:
            table.directions[i] = direction.X(), direction.Y(), direction.Z()
        if radius is not None:
            table.radii[i] = radius
        table.areas[i] = properties.Mass()
        table.centres[i] = centre.X(), centre.Y(), centre.Z()
    table.points *= scale
    table.centres *= scale
    table.radii *= scale
    table.areas *= scale * scale
    return table

"""What a face is: its kind, place, direction, radius. Runs in the worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepGProp import BRepGProp
from OCP.GeomAbs import (
    GeomAbs_BezierSurface,
    GeomAbs_BSplineSurface,
    GeomAbs_Cone,
    GeomAbs_Cylinder,
    GeomAbs_Plane,
    GeomAbs_Sphere,
    GeomAbs_SurfaceOfExtrusion,
    GeomAbs_SurfaceOfRevolution,
    GeomAbs_Torus,
)
from OCP.gp import gp_Cone, gp_Cylinder, gp_Pln, gp_Pnt, gp_Sphere, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.ShapeAnalysis import ShapeAnalysis_CanonicalRecognition
from OCP.TopAbs import TopAbs_REVERSED

from cadbridge.shapes.meshing import faces_of
from cadbridge.shapes.protocol import FaceTable

Described = tuple[str, Any, Any, float | None]
"""Kind, point, direction, radius; in millimetres."""

_CANONICAL = 1e-3
"""mm within which a spline is the plane, cylinder, cone or sphere that its writer turned it from."""

_BENT = 0.05
"""rad; a plane's normals agree better than this everywhere, so that gear flanks are not even tried."""


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


def _spline(surface: Any, face: Any) -> Described | None:
    """What a spline or swept face is in truth; None where it is none of the simple kinds.

    Many writers turn planes and cylinders into splines, and mates take hold of them all the same.
    """
    first = _normal(surface, 0.5, 0.5)
    if first is None:
        return None
    # A tenth from the edges: at the edges themselves many a spline has no normal.
    corners = [_normal(surface, u, v) for u in (0.1, 0.9) for v in (0.1, 0.9)]
    recognise = ShapeAnalysis_CanonicalRecognition(face)
    if all(n is not None and n.Angle(first) < _BENT for n in corners):
        plane = gp_Pln()
        if recognise.IsPlane(_CANONICAL, plane):
            normal = plane.Axis().Direction()
            outward = first.Reversed() if face.Orientation() == TopAbs_REVERSED else first
            if outward.X() * normal.X() + outward.Y() * normal.Y() + outward.Z() * normal.Z() < 0:
                normal.Reverse()
            return "plane", plane.Location(), normal, None
    cylinder, cone, sphere = gp_Cylinder(), gp_Cone(), gp_Sphere()
    # A cylinder before the rest: within the tolerance a slim cone or a huge sphere fits many a cylinder as well.
    if recognise.IsCylinder(_CANONICAL, cylinder):
        return "cylinder", cylinder.Location(), cylinder.Axis().Direction(), cylinder.Radius()
    if recognise.IsSphere(_CANONICAL, sphere):
        return "sphere", sphere.Location(), None, sphere.Radius()
    if recognise.IsCone(_CANONICAL, cone):
        return "cone", cone.Location(), cone.Axis().Direction(), None
    return _revolution(surface, face) if surface.GetType() == GeomAbs_SurfaceOfRevolution else None


def _normal(surface: Any, u: float, v: float) -> Any:
    """The unit normal ∂u × ∂v at fractions u, v of the face's range; None at a pole."""
    point, du, dv = gp_Pnt(), gp_Vec(), gp_Vec()
    s = surface.FirstUParameter() * (1 - u) + surface.LastUParameter() * u
    t = surface.FirstVParameter() * (1 - v) + surface.LastVParameter() * v
    surface.D1(s, t, point, du, dv)
    normal = du.Crossed(dv)
    # The derivatives of a surface vanish where it runs into a point.
    return normal.Normalized() if normal.Magnitude() > 1e-12 else None


_KINDS: dict[Any, Callable[[Any, Any], Described | None]] = {
    GeomAbs_Plane: _plane,
    GeomAbs_Cylinder: _cylinder,
    GeomAbs_Cone: _cone,
    GeomAbs_Sphere: _sphere,
    GeomAbs_Torus: _torus,
    GeomAbs_BSplineSurface: _spline,
    GeomAbs_BezierSurface: _spline,
    GeomAbs_SurfaceOfExtrusion: _spline,
    GeomAbs_SurfaceOfRevolution: _spline,
}


def _described(face: Any) -> Described | None:
    """What a face is; None where it is of no simple kind, or OCCT cannot look at its surface."""
    try:
        surface = BRepAdaptor_Surface(face, False)
        known = _KINDS.get(surface.GetType())
        return known(surface, face) if known else None
    except Exception:
        # OCCT's own exceptions come in here. Its recognition of simple kinds fails on some trimmed surfaces of
        # revolution: the face bounds its solid all the same.
        return None


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
        kind, point, direction, radius = _described(face) or ("other", centre, None, None)
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

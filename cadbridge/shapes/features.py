"""What recognition asks of a shape's faces beyond kind, place and direction: extents, sides, outlines. In the worker.

Lengths in millimetres; the caller scales them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Surface
from OCP.BRepGProp import BRepGProp
from OCP.BRepTools import BRepTools, BRepTools_WireExplorer
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Ellipse, GeomAbs_Line, GeomAbs_Torus
from OCP.gp import gp_Pnt, gp_Vec
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_REVERSED, TopAbs_WIRE
from OCP.TopoDS import TopoDS

from cadbridge.shapes.meshing import explore, faces_of
from cadbridge.shapes.protocol import FeatureTable

_CIRCLE = 32
"""Points on a full turn of an edge: its polygon has 0.6 % less area than the disc."""

_CURVE = 12
"""Points on an edge of any other shape: they place its middle and direction, not its length."""


def extract(shape: Any) -> FeatureTable:
    """Outlines, inner points, normals and tori of all faces, in TopExp's order."""
    faces = faces_of(shape)
    count = len(faces)
    points, loops, owners = [], [0], []
    inner, normals = np.full((count, 3), np.nan), np.full((count, 3), np.nan)
    tori, areas = np.full((count, 2), np.nan), np.zeros(count)
    for i, face in enumerate(faces):
        properties = GProp_GProps()
        BRepGProp.SurfaceProperties_s(face, properties)
        areas[i] = properties.Mass()
        if BRep_Tool.Surface_s(face) is None:
            # A mesh alone, or a surface that OCCT could not translate: to ask for its points ends the process.
            inner[i] = properties.CentreOfMass().Coord()
            continue
        surface = BRepAdaptor_Surface(face, False)
        inner[i], normals[i] = _inner(face, surface)
        if surface.GetType() == GeomAbs_Torus:
            tori[i] = surface.Torus().MajorRadius(), surface.Torus().MinorRadius()
        for loop in _loops(face):
            points.append(loop)
            loops.append(loops[-1] + len(loop))
            owners.append(i)
    return FeatureTable(
        inner=inner,
        normals=normals,
        tori=tori,
        areas=areas,
        points=np.concatenate(points) if points else np.zeros((0, 3)),
        loops=np.array(loops),
        owners=np.array(owners, dtype=np.int64),
    )


def _inner(face: Any, surface: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A point of the surface in the middle of the face's range, and the normal out of the material there."""
    u0, u1, v0, v1 = BRepTools.UVBounds_s(face)
    point, du, dv = gp_Pnt(), gp_Vec(), gp_Vec()
    # Off the middle where that is a pole or a crease.
    for s, t in ((0.5, 0.5), (0.37, 0.41), (0.71, 0.23)):
        surface.D1(u0 + s * (u1 - u0), v0 + t * (v1 - v0), point, du, dv)
        normal = du.Crossed(dv)
        size = normal.Magnitude()
        # mm² per unit of both parameters: at a pole or a crease the two derivatives are parallel, or one is none.
        if size > 1e-12:
            sign = -1.0 if face.Orientation() == TopAbs_REVERSED else 1.0
            return (
                np.array([point.X(), point.Y(), point.Z()]),
                sign / size * np.array([normal.X(), normal.Y(), normal.Z()]),
            )
    return np.array([point.X(), point.Y(), point.Z()]), np.full(3, np.nan)


def _loops(face: Any) -> list[NDArray[np.float64]]:
    """The boundary of a face as polygons (n, 3), in the order of its wires."""
    found = []
    for wire in explore(face, TopAbs_WIRE):
        loop: list[tuple[float, float, float]] = []
        walk = BRepTools_WireExplorer(TopoDS.Wire_s(wire), face)
        while walk.More():
            loop.extend(_points(walk.Current()))
            walk.Next()
        if loop:
            found.append(np.array(loop))
    return found


def _points(edge: Any) -> list[tuple[float, float, float]]:
    """Points along an edge in the wire's sense, its last one left to the next edge."""
    if BRep_Tool.Degenerated_s(edge):
        return []
    curve = BRepAdaptor_Curve(edge)
    first, last = curve.FirstParameter(), curve.LastParameter()
    kind = curve.GetType()
    if kind == GeomAbs_Line:
        count = 1
    elif kind in (GeomAbs_Circle, GeomAbs_Ellipse):
        count = max(3, math.ceil(_CIRCLE * abs(last - first) / (2 * math.pi)))
    else:
        count = _CURVE
    steps = [first + (last - first) * k / count for k in range(count + 1)]
    # A wire runs through an edge against its curve where the edge is reversed.
    steps = steps[:0:-1] if edge.Orientation() == TopAbs_REVERSED else steps[:-1]
    found = []
    for t in steps:
        point = curve.Value(t)
        found.append((point.X(), point.Y(), point.Z()))
    return found

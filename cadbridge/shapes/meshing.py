"""Triangles and exact volume of shapes. Runs in the worker; lengths in millimetres until they leave.

Every shape has a coarse mesh. A fine one is made when it is asked for: refined until its volume and inertia agree
with the B-Rep's, so that a part costs as many triangles as its curvature needs: a box none more than it has, an
involute gear a few thousand.
"""

from __future__ import annotations

import io
import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BinTools import BinTools, BinTools_FormatVersion
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepGProp import BRepGProp
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.GProp import GProp_GProps
from OCP.Poly import Poly_MergeNodesTool
from OCP.TopAbs import TopAbs_FACE, TopAbs_REVERSED, TopAbs_SHELL, TopAbs_SOLID
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Compound, TopoDS_Face, TopoDS_Shape
from OCP.TopTools import TopTools_IndexedMapOfShape

from cadbridge.polyhedron import volume_properties_of
from cadbridge.shapes.protocol import MeshArrays, Rough

VOLUME_TOLERANCE = 8e-4
"""Relative deviation of a mesh's volume from the B-Rep's that ends the refining; we promise 1e-3."""

INERTIA_TOLERANCE = 2.4e-3
"""The same for the inertia tensor; we promise 3e-3."""

GAUSS_TOLERANCE = 1e-6
"""Of OCCT's adaptive integration. Its fixed Gauss points were 0.6 % off on a bolt of B-spline faces."""

_COARSE = (2e-3, 0.5)
"""As below, of meshes that only are seen, or searched: chords of half a radian cut 4 % off a disc."""
_FINE = ((1e-3, 0.1), (2.5e-4, 0.1), (1e-4, 0.05), (5e-5, 0.025))
"""Deflection as a fraction of the part's size, and angle in rad. The angle dominates on round parts, and
a deflection finer than needed can make OCCT's mesh of B-spline faces both large and worse."""

_MERGE = 1e-6
"""mm; nodes of neighbouring faces lie on the same edge polygon and differ by rounding only."""

_BINARY = BinTools_FormatVersion.BinTools_FormatVersion_VERSION_3


@dataclass
class Solids:
    """A shape as it is weighed: its solids, its loose shells and faces, its size in mm."""

    shape: Any
    solids: list[Any]
    sheets: int
    size: float
    volume: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]
    area: float
    inverted: bool

    @property
    def closed(self) -> Any:
        """What bounds a volume: the shape itself, or its solids without the loose sheets."""
        return self.shape if not self.sheets else compound(self.solids)


def explore(shape: Any, kind: Any, avoid: Any = None) -> list[Any]:
    """All sub-shapes of a kind, those inside of `avoid` left out."""
    found = []
    explorer = TopExp_Explorer(shape, kind) if avoid is None else TopExp_Explorer(shape, kind, avoid)
    while explorer.More():
        found.append(explorer.Current())
        explorer.Next()
    return found


def compound(shapes: list[Any]) -> Any:
    """Shapes as one."""
    builder, result = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(result)
    for shape in shapes:
        builder.Add(result, shape)
    return result


def weigh(shape: Any) -> Solids:
    """The exact volume properties at density 1 (mm), and what the shape is made of."""
    solids = explore(shape, TopAbs_SOLID)
    sheets = len(explore(shape, TopAbs_SHELL, TopAbs_SOLID)) + len(explore(shape, TopAbs_FACE, TopAbs_SHELL))
    surface, box = GProp_GProps(), Bnd_Box()
    BRepGProp.SurfaceProperties_s(shape, surface)
    BRepBndLib.AddClose_s(shape, box)
    volume, com, inertia, inverted = 0.0, np.zeros(3), np.zeros((3, 3)), False
    if solids:
        bulk = GProp_GProps()
        BRepGProp.VolumeProperties_s(_outward(shape if not sheets else compound(solids), solids), bulk, GAUSS_TOLERANCE)
        centre, matrix = bulk.CentreOfMass(), bulk.MatrixOfInertia()
        # A solid whose faces look inward has a negative volume; its amount is right.
        inverted = bulk.Mass() < 0
        sign = -1.0 if inverted else 1.0
        volume = sign * bulk.Mass()
        com = np.array([centre.X(), centre.Y(), centre.Z()])
        inertia = sign * np.array([[matrix.Value(i, j) for j in (1, 2, 3)] for i in (1, 2, 3)])
    size = 0.0 if box.IsVoid() else math.sqrt(box.SquareExtent())
    return Solids(shape, solids, sheets, size, volume, com, inertia, surface.Mass(), inverted)


def _outward(closed: Any, solids: list[Any]) -> Any:
    """A shape with those of its solids turned that look inward where others do not: their volumes would cancel."""
    inward = [_looks_inward(solid) for solid in solids] if len(solids) > 1 else []
    if len(set(inward)) < 2:
        return closed
    return compound([solid.Reversed() if turned else solid for solid, turned in zip(solids, inward, strict=True)])


def _looks_inward(solid: Any) -> bool:
    bulk = GProp_GProps()
    BRepGProp.VolumeProperties_s(solid, bulk)  # without a tolerance: fast, and right in its sign
    return bool(bulk.Mass() < 0)


def mesh_coarsely(items: list[Solids]) -> None:
    """Give each shape its coarse mesh, those of one size class together, in parallel."""
    triangulate(items, *_COARSE)


def rough(item: Solids, mesh: MeshArrays | None, scale: float) -> Rough | None:
    """What a fine mesh is to be made of; None where the coarse one is as good."""
    if not item.solids or disagreement(item, mesh) <= 1.0:
        return None
    buffer = io.BytesIO()
    BinTools.Write_s(item.closed, buffer, False, False, _BINARY)
    brep = np.frombuffer(zlib.compress(buffer.getvalue(), 1), np.uint8)
    return Rough(brep, scale, item.size, item.volume, item.inertia, item.inverted)


def refined(it: Rough) -> MeshArrays | None:
    """The fine mesh (m) of a shape."""
    shape = TopoDS_Shape()
    BinTools.Read_s(shape, io.BytesIO(zlib.decompress(it.brep.tobytes())))
    item = Solids(shape, [shape], 0, it.size, it.volume, np.zeros(3), it.inertia, 0.0, it.inverted)
    mesh, error, last = None, math.inf, math.inf
    for fraction, angle in _FINE:
        BRepTools.Clean_s(shape)  # OCCT keeps a mesh whose angle alone is too coarse
        triangulate([item], fraction, angle)
        mesh, before = extract(shape), error
        error = disagreement(item, mesh)
        # A shape that gains nothing from a smaller angle has another fault, which the comparison of masses shows.
        if error <= 1.0 or (angle < last and error >= 0.8 * before):
            break
        last = angle
    return None if mesh is None else (mesh[0] * it.scale, mesh[1])


def triangulate(items: list[Solids], fraction: float, angle: float) -> None:
    """Mesh shapes with a deflection of about `fraction` of their size, and `angle` in rad."""
    classes: dict[int, list[Any]] = {}
    for item in items:
        if item.size > 0:
            # OCCT takes one deflection a call, in mm: parts of about one size share it, so that a screw is not meshed
            # as coarsely as the frame, nor the frame as finely as the screw.
            classes.setdefault(math.floor(math.log2(item.size * fraction)), []).append(item.shape)
    for power, shapes in sorted(classes.items()):
        BRepMesh_IncrementalMesh(compound(shapes), 2.0**power, False, angle, True)


def disagreement(item: Solids, mesh: MeshArrays | None) -> float:
    """How far a mesh's volume and inertia are from the B-Rep's, in tolerances: 1 and less is good.

    0 for a degenerate B-Rep (no volume), which no mesh can be held against.
    """
    if mesh is None or item.volume <= 0:
        return 0.0
    volume, _, inertia = volume_properties_of(*mesh)
    # The mesh of such a solid looks inward, too.
    volume, inertia = (-volume, -inertia) if item.inverted else (volume, inertia)
    difference = float(np.linalg.norm(inertia - item.inertia) / np.linalg.norm(item.inertia))
    return max(abs(volume / item.volume - 1.0) / VOLUME_TOLERANCE, difference / INERTIA_TOLERANCE)


def extract(shape: Any) -> MeshArrays | None:
    """The triangulation of all faces as one mesh with shared nodes, in bulk; None where there is none.

    OCCT merges the nodes; the way out is its binary format of a face that has nothing but triangles,
    since looping over triangles in Python takes seconds a million.
    """
    pieces = []
    for face in explore(shape, TopAbs_FACE):
        location = TopLoc_Location()
        triangulation = BRep_Tool.Triangulation_s(TopoDS.Face_s(face), location)
        if triangulation is not None:
            pieces.append((triangulation, location.Transformation(), face.Orientation() == TopAbs_REVERSED))
    count = sum(triangulation.NbTriangles() for triangulation, _, _ in pieces)
    if count == 0:
        return None
    # The tool is given the number of triangles: it never frees the tables that it outgrows.
    merger = Poly_MergeNodesTool(math.pi, _MERGE, count)
    for piece in pieces:
        merger.AddTriangulation(*piece)
    merged = merger.Result()
    if merged is None or merged.NbTriangles() == 0:
        return None
    bare = TopoDS_Face()
    BRep_Builder().MakeFace(bare, merged)
    buffer = io.BytesIO()
    BinTools.Write_s(bare, buffer, True, False, _BINARY)
    return parse_triangulation(buffer.getvalue())


def parse_triangulation(data: bytes) -> MeshArrays:
    """Nodes (n, 3) and triangles (m, 3) from OCCT's binary format 3 holding one triangulation."""
    at = data.index(b"Triangulations 1\n") + len(b"Triangulations 1\n")
    nodes, count = np.frombuffer(data, "<i4", 2, at)
    has_uv = data[at + 8]
    at += 9 + 8  # the counts and the flag, then the deflection
    vertices = np.frombuffer(data, "<f8", 3 * nodes, at).reshape(-1, 3)
    at += 24 * int(nodes) + (16 * int(nodes) if has_uv else 0)
    triangles = np.frombuffer(data, "<i4", 3 * count, at).reshape(-1, 3)
    return vertices.astype(np.float64), (triangles - 1).astype(np.int32)


def faces_of(shape: Any) -> list[Any]:
    """The faces in the order that indexes `Shape.faces`: TopExp's map, each face once."""
    found = TopTools_IndexedMapOfShape()
    TopExp.MapShapes_s(shape, TopAbs_FACE, found)
    return [TopoDS.Face_s(found.FindKey(i + 1)) for i in range(found.Extent())]

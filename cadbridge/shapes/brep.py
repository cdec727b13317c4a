"""Single shapes in OCCT's own text form (.brp), as FreeCAD keeps them. Runs in the worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from OCP.BRep import BRep_Builder, BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import GeomAbs_Circle, GeomAbs_Line
from OCP.TopAbs import TopAbs_EDGE
from OCP.TopExp import TopExp
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Shape
from OCP.TopTools import TopTools_IndexedMapOfShape

from cadbridge.shapes import meshing
from cadbridge.shapes.document import MILLIMETRE, geometry_key, shape_data
from cadbridge.shapes.protocol import BrepData


def read_breps(paths: list[str], scale: float) -> list[BrepData | str]:
    """Each file as a shape in its own frame (the placement that it is stored with taken off), or why not.

    `scale` is the factor on FreeCAD's millimetres. Distinct shapes are meshed together, once each.
    """
    answers: list[BrepData | str] = []
    solids: dict[str, meshing.Solids] = {}
    keys: list[str | None] = []
    for path in paths:
        try:
            item = meshing.weigh(load(path))
            if item.size == 0:
                raise ValueError("it holds no faces")
            key = geometry_key(item, MILLIMETRE * scale)
        except Exception as error:
            # OCCT's own exceptions come in here: each is a fault of this one file.
            answers.append(f"{type(error).__name__}: {error}")
            keys.append(None)
            continue
        solids.setdefault(key, item)
        answers.append("")
        keys.append(key)
    meshing.mesh_coarsely(list(solids.values()))
    done: dict[str, BrepData] = {}
    for i, found in enumerate(keys):
        if found is not None:
            if found not in done:
                done[found] = _described(found, solids[found], MILLIMETRE * scale)
            answers[i] = done[found]
    return answers


def load(path: str) -> Any:
    """The shape of a file in its own frame; ValueError where it holds none."""
    shape = TopoDS_Shape()
    if not Path(path).stat().st_size or not BRepTools.Read_s(shape, path, BRep_Builder()) or shape.IsNull():
        raise ValueError("OCCT finds no shape in it")
    # FreeCAD's objects have their placements in Document.xml, and OCCT's text repeats them.
    shape.Location(TopLoc_Location())
    return shape


def _described(key: str, item: meshing.Solids, scale: float) -> BrepData:
    named = {i: f"Face{i + 1}" for i in range(len(meshing.faces_of(item.shape)))}
    return BrepData(shape_data(item, key, "", named, scale), [_edge(edge, scale) for edge in _edges(item.shape)])


def _edges(shape: Any) -> list[Any]:
    """The edges in the order that names them (Edge1 is the first): TopExp's map."""
    found = TopTools_IndexedMapOfShape()
    TopExp.MapShapes_s(shape, TopAbs_EDGE, found)
    return [TopoDS.Edge_s(found.FindKey(i + 1)) for i in range(found.Extent())]


def _edge(edge: Any, scale: float) -> tuple[str, float]:
    """line, circle or curve; the radius (m) of a circle."""
    if BRep_Tool.Degenerated_s(edge):
        return "curve", 0.0
    curve = BRepAdaptor_Curve(edge)
    if curve.GetType() == GeomAbs_Line:
        return "line", 0.0
    if curve.GetType() == GeomAbs_Circle:
        return "circle", curve.Circle().Radius() * scale
    return "curve", 0.0

"""A STEP file as OCCT's document: product graph, names, colours, materials. Runs in the worker."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from OCP.BRep import BRep_Tool
from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf
from OCP.IFSelect import IFSelect_RetDone
from OCP.Interface import Interface_Static
from OCP.Quantity import Quantity_ColorRGBA
from OCP.STEPCAFControl import STEPCAFControl_Controller, STEPCAFControl_Reader
from OCP.TCollection import TCollection_AsciiString, TCollection_ExtendedString
from OCP.TColStd import TColStd_HSequenceOfExtendedString, TColStd_SequenceOfAsciiString
from OCP.TDataStd import TDataStd_Name, TDataStd_TreeNode
from OCP.TDF import TDF_AttributeIterator, TDF_Label, TDF_LabelSequence, TDF_Tool
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_VERTEX
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopoDS import TopoDS
from OCP.TopTools import TopTools_IndexedMapOfShape
from OCP.XCAFApp import XCAFApp_Application
from OCP.XCAFDoc import (
    XCAFDoc,
    XCAFDoc_Area,
    XCAFDoc_Centroid,
    XCAFDoc_ColorGen,
    XCAFDoc_ColorSurf,
    XCAFDoc_ColorTool,
    XCAFDoc_DocumentTool,
    XCAFDoc_LayerTool,
    XCAFDoc_Material,
    XCAFDoc_ShapeTool,
    XCAFDoc_Volume,
)

from cadbridge.shapes import faces, meshing
from cadbridge.shapes.protocol import Document, Occurrence, Product, ShapeData
from cadbridge.units import LENGTH

MADE_UP = "=>["
"""How OCCT's names of occurrences begin where the file has none."""
BODY_NAMES = ("", "SOLID", "COMPSOLID", "COMPOUND", "SHELL", "FACE", "WIRE", "EDGE", "VERTEX")
"""OCCT's names of products that it makes of bodies."""

_UNNAMED = "NONE"
"""The name that SolidWorks writes for each entity without one."""

MILLIMETRE = 1e-3
"""OCCT's documents are in millimetres whatever the file says."""


class UnreadableError(Exception):
    """OCCT cannot make shapes of the file."""


class StepDocument:
    """A file read by OCCT. It keeps document and reader alive: labels die with them."""

    def __init__(self, path: str) -> None:
        # Face names live on sub-shape labels, which OCCT makes only when asked to. Before its controller is made it
        # does not know that parameter, and the first file of a process has no names.
        STEPCAFControl_Controller.Init_s()
        Interface_Static.SetIVal_s("read.stepcaf.subshapes.name", 1)
        self.document = TDocStd_Document(TCollection_ExtendedString("BinXCAF"))
        XCAFApp_Application.GetApplication_s().NewDocument(TCollection_ExtendedString("BinXCAF"), self.document)
        self.reader = STEPCAFControl_Reader()
        for mode in ("Name", "Color", "Layer", "Mat", "Props"):
            getattr(self.reader, f"Set{mode}Mode")(True)
        if self.reader.ReadFile(path) != IFSelect_RetDone:
            raise UnreadableError("OCCT finds no STEP entities that it can read")
        self.units = self._units()
        if not self.reader.Transfer(self.document):
            raise UnreadableError("OCCT finds no product with a shape")
        self.tool = XCAFDoc_DocumentTool.ShapeTool_s(self.document.Main())
        self.colours = XCAFDoc_DocumentTool.ColorTool_s(self.document.Main())

    def _units(self) -> list[str]:
        lengths, angles, solid = (TColStd_SequenceOfAsciiString() for _ in range(3))
        self.reader.ChangeReader().FileUnits(lengths, angles, solid)
        return [lengths.Value(i + 1).ToCString() for i in range(lengths.Length())]

    def scale(self, length_unit: float | None) -> float:
        """Metres a millimetre of the document, when the file's unit is taken to be `length_unit` (m)."""
        if length_unit is None or not self.units:
            return MILLIMETRE
        return MILLIMETRE * length_unit / LENGTH.get(self.units[0].lower(), MILLIMETRE)

    def free_labels(self) -> list[Any]:
        """The labels of the roots."""
        found = TDF_LabelSequence()
        self.tool.GetFreeShapes(found)
        return _labels(found)

    def shape(self, label: str, mirrored: bool = False) -> Any:
        """The shape of a product by its label, or of the whole file ("")."""
        if label:
            found = TDF_Label()
            TDF_Tool.Label_s(self.document.GetData(), label, found, False)
            shape = XCAFDoc_ShapeTool.GetShape_s(found)
        else:
            shape = meshing.compound([XCAFDoc_ShapeTool.GetShape_s(x) for x in self.free_labels()])
        if mirrored:
            flip = gp_Trsf()
            flip.SetMirror(gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)))
            shape = BRepBuilderAPI_Transform(shape, flip, True).Shape()
        return shape

    def face_names(self, label: str, shape: Any) -> dict[int, str]:
        """The names that the file gives to faces, by index."""
        found, named = TDF_LabelSequence(), {}
        target = TDF_Label()
        TDF_Tool.Label_s(self.document.GetData(), label, target, False)
        if target.IsNull() or not XCAFDoc_ShapeTool.GetSubShapes_s(target, found):
            return {}
        # The same map that numbers `Shape.faces` (TopExp's), as a face has no number of its own.
        order = TopTools_IndexedMapOfShape()
        TopExp.MapShapes_s(shape, TopAbs_FACE, order)
        for sub in _labels(found):
            part = XCAFDoc_ShapeTool.GetShape_s(sub)
            name = _name(sub)
            if name and name != _UNNAMED and not part.IsNull() and part.ShapeType() == TopAbs_FACE:
                index = order.FindIndex(part)
                if index:
                    named[index - 1] = name
        return named


def read_document(source: StepDocument, scale: float, geometry: bool = True) -> Document:
    """The product graph with each distinct shape weighed and meshed once; `scale` metres a millimetre."""
    products: dict[str, Product] = {}
    roots = [_occurrence(source, label, scale) for label in source.free_labels()]
    waiting = [root.product for root in roots]
    while waiting:
        label = waiting.pop()
        if label not in products:
            # A product that occurs a thousand times is looked at once.
            products[label] = _product(source, label, scale)
            waiting.extend(child.product for child in products[label].children)
    _name_bodies(source, products)
    shapes: dict[str, ShapeData] = {}
    if geometry:
        leaves = [p for p in products.values() if not p.children]
        shapes = _shapes(source, leaves, scale)
    return Document(roots, products, shapes, source.units)


def _name_bodies(source: StepDocument, products: dict[str, Product]) -> None:
    """A body that stands beside occurrences has the name of the product that it is of."""
    for product in list(products.values()):
        for child in product.children:
            if _is_body(source, child):
                products[child.product].name = product.name


def read_whole(source: StepDocument, scale: float) -> ShapeData | None:
    """The whole file as one shape; None where it has none."""
    leaf = Product("", "")
    return next(iter(_shapes(source, [leaf], scale).values()), None)


def _product(source: StepDocument, entry: str, scale: float) -> Product:
    label = TDF_Label()
    TDF_Tool.Label_s(source.document.GetData(), entry, label, False)
    product = Product(entry, _name(label), colour=_colour(source, label), layers=_layers(source, label))
    _material(label, product)
    _validation(label, product, scale)
    if XCAFDoc_ShapeTool.IsAssembly_s(label):
        found = TDF_LabelSequence()
        XCAFDoc_ShapeTool.GetComponents_s(label, found, False)
        product.children = _children(source, _labels(found), scale)
    return product


def _children(source: StepDocument, labels: list[Any], scale: float) -> list[Occurrence]:
    """The occurrences in an assembly; none where all of them are bodies of a part, which is a leaf then.

    OCCT makes an assembly of a product whose representation holds several items (Pro/E: a solid and its curves), with
    names of its own. What has no face among them is no instance; a body beside true occurrences is one.
    """
    found = [(label, _occurrence(source, label, scale)) for label in labels]
    if all(_is_body(source, occurrence) for _, occurrence in found):
        return []
    return [o for label, o in found if not _is_body(source, o) or _has_face(XCAFDoc_ShapeTool.GetShape_s(label))]


def _is_body(source: StepDocument, occurrence: Occurrence) -> bool:
    """Whether OCCT made an occurrence of a body: the names of both it and its product are OCCT's."""
    if not occurrence.name.startswith(MADE_UP):
        return False
    label = TDF_Label()
    TDF_Tool.Label_s(source.document.GetData(), occurrence.product, label, False)
    return _name(label) in BODY_NAMES and not XCAFDoc_ShapeTool.IsAssembly_s(label)


def _has_face(shape: Any) -> bool:
    return shape is not None and not shape.IsNull() and TopExp_Explorer(shape, TopAbs_FACE).More()


def _occurrence(source: StepDocument, label: Any, scale: float) -> Occurrence:
    """A component label (or a root) as occurrence of the product that it refers to."""
    referred = TDF_Label()
    refers = XCAFDoc_ShapeTool.GetReferredShape_s(label, referred)
    transform = XCAFDoc_ShapeTool.GetLocation_s(label).Transformation()
    matrix = np.array([[transform.Value(i, j) for j in (1, 2, 3, 4)] for i in (1, 2, 3)])
    matrix[:, 3] *= scale
    return Occurrence(
        _name(label), _entry(referred if refers else label), matrix, _colour(source, label, True) if refers else None
    )


def _shapes(source: StepDocument, leaves: list[Product], scale: float) -> dict[str, ShapeData]:
    """Weigh, describe and mesh each distinct shape; `Product.shape` gets its key."""
    keys: dict[str, str] = {}
    solids: dict[str, meshing.Solids] = {}
    for leaf in leaves:
        shape = source.shape(leaf.label)
        if shape is None or shape.IsNull():
            continue
        item = meshing.weigh(shape)
        if item.size == 0:
            continue
        # Some writers copy a shape for every occurrence: equal copies are meshed and described once.
        key = geometry_key(item, scale)
        leaf.shape = key
        keys.setdefault(key, leaf.label)
        solids.setdefault(key, item)
    meshing.mesh_coarsely(list(solids.values()))
    return {
        key: shape_data(item, key, keys[key], source.face_names(keys[key], item.shape), scale)
        for key, item in solids.items()
    }


def shape_data(item: meshing.Solids, key: str, label: str, names: dict[int, str], scale: float) -> ShapeData:
    """A shape that has its coarse mesh; `names` of faces by index."""
    coarse = meshing.extract(item.shape)
    closed = None if not item.solids else meshing.extract(item.closed) if item.sheets else coarse
    rough = meshing.rough(item, closed, scale)
    metres = None if coarse is None else (coarse[0] * scale, coarse[1])
    closed = metres if closed is coarse else None if closed is None else (closed[0] * scale, closed[1])
    brep = (item.volume * scale**3, item.com * scale, item.inertia * scale**5) if item.solids else None
    return ShapeData(
        key, label, closed, metres, brep, faces.describe(item.shape, scale, names), len(item.solids), item.sheets,
        item.area * scale**2, item.inverted, rough,
    )  # fmt: skip


def geometry_key(item: meshing.Solids, scale: float) -> str:
    """A hash of the geometry: equal copies that a writer made of a shape have one key."""
    vertices, counts = TopTools_IndexedMapOfShape(), []
    TopExp.MapShapes_s(item.shape, TopAbs_VERTEX, vertices)
    for kind in (TopAbs_EDGE, TopAbs_FACE):
        found = TopTools_IndexedMapOfShape()
        TopExp.MapShapes_s(item.shape, kind, found)
        counts.append(found.Extent())
    points = np.zeros((vertices.Extent(), 3))
    for i in range(len(points)):
        point = BRep_Tool.Pnt_s(TopoDS.Vertex_s(vertices.FindKey(i + 1)))
        points[i] = point.X(), point.Y(), point.Z()
    size = item.size
    moments = np.concatenate(
        [[item.volume / size**3, item.area / size**2], item.com / size, item.inertia.ravel() / size**5]
    )
    digest = hashlib.sha256()
    # Rounded: copies written apart differ in the last digits. A digit that falls the other way only
    # costs a shape meshed twice. Zero is added so that -0 and 0 are one.
    for values in (points / size, moments):
        digest.update((np.round(values, 8) + 0.0).tobytes())
    digest.update(repr((counts, len(item.solids), item.sheets, f"{size * scale:.9e}")).encode())
    return digest.hexdigest()[:24]


def _labels(sequence: Any) -> list[Any]:
    return [sequence.Value(i + 1) for i in range(sequence.Length())]


def _entry(label: Any) -> str:
    text = TCollection_AsciiString()
    TDF_Tool.Entry_s(label, text)
    return str(text.ToCString())


def _name(label: Any) -> str:
    for attribute in _attributes(label):
        if isinstance(attribute, TDataStd_Name):
            return str(attribute.Get().ToExtString()).strip()
    return ""


def _colour(source: StepDocument, label: Any, occurrence: bool = False) -> tuple[float, float, float, float] | None:
    """The colour (sRGB and alpha, 0 to 1) of a label, or of the shape in it.

    An occurrence has a colour by its label only; looking for its placed shape is slow and finds nothing.
    """
    colour = Quantity_ColorRGBA()
    for kind in (XCAFDoc_ColorSurf, XCAFDoc_ColorGen):
        if XCAFDoc_ColorTool.GetColor_s(label, kind, colour):
            return _srgb(colour)
    if occurrence or XCAFDoc_ShapeTool.IsAssembly_s(label):
        return None
    shape = XCAFDoc_ShapeTool.GetShape_s(label)
    if shape is None or shape.IsNull():
        return None
    for kind in (XCAFDoc_ColorSurf, XCAFDoc_ColorGen):
        if source.colours.GetColor(shape, kind, colour):
            return _srgb(colour)
    return None


def _srgb(colour: Any) -> tuple[float, float, float, float]:
    """A colour of OCCT, whose numbers are linear, as sRGB and opacity (IEC 61966-2-1)."""
    rgb = colour.GetRGB()
    red, green, blue = (
        # The standard's own numbers.
        12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055
        for c in (rgb.Red(), rgb.Green(), rgb.Blue())
    )
    return round(red, 6), round(green, 6), round(blue, 6), round(float(colour.Alpha()), 6)


def _layers(source: StepDocument, label: Any) -> tuple[str, ...]:
    names = TColStd_HSequenceOfExtendedString()
    tool: XCAFDoc_LayerTool = XCAFDoc_DocumentTool.LayerTool_s(source.document.Main())
    if not tool.GetLayers(label, names):
        return ()
    return tuple(str(names.Value(i + 1).ToExtString()) for i in range(names.Length()))


def _attributes(label: Any) -> list[Any]:
    """The attributes themselves: asking a label for one by its id hands out copies without links."""
    found, iterator = [], TDF_AttributeIterator(label)
    while iterator.More():
        found.append(iterator.Value())
        iterator.Next()
    return found


def _material(label: Any, product: Product) -> None:
    wanted = XCAFDoc.MaterialRefGUID_s()
    for node in _attributes(label):
        if not isinstance(node, TDataStd_TreeNode) or not wanted.IsSame(node.ID()) or not node.HasFather():
            continue
        for material in _attributes(node.Father().Label()):
            if isinstance(material, XCAFDoc_Material):
                texts = (material.GetName(), material.GetDensName(), material.GetDensValType())
                name, unit, kind = ("" if t is None else t.ToCString().strip() for t in texts)
                product.material = name or None
                product.density = float(material.GetDensity()) or None
                product.density_unit = f"{unit} {kind}".strip()


def _validation(label: Any, product: Product, scale: float) -> None:
    for attribute in _attributes(label):
        if isinstance(attribute, XCAFDoc_Volume):
            product.validation["volume"] = float(attribute.Get()) * scale**3
        elif isinstance(attribute, XCAFDoc_Area):
            product.validation["area"] = float(attribute.Get()) * scale**2
        elif isinstance(attribute, XCAFDoc_Centroid):
            point = attribute.Get()
            product.validation["centroid"] = (point.X() * scale, point.Y() * scale, point.Z() * scale)

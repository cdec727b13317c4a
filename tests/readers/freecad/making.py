"""Small FreeCAD files, written by hand: Document.xml and B-Reps in a zip."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from cadbridge.readers.freecad.held import DEFAULT_TYPES

Numbers = Sequence[float]
IDENTITY = (0.0, 0.0, 0.0, 1.0)
ALONG_X = (0.0, 0.7071067811865476, 0.0, 0.7071067811865476)
"""A quaternion (x, y, z, w) that takes z to x."""


def breps(folder: Path) -> dict[str, bytes]:
    """Primitive solids of 10 mm in OCCT's text form."""
    from OCP.BRepPrimAPI import (
        BRepPrimAPI_MakeBox,
        BRepPrimAPI_MakeCylinder,
        BRepPrimAPI_MakeSphere,
        BRepPrimAPI_MakeTorus,
    )
    from OCP.BRepTools import BRepTools

    made: dict[str, Any] = {
        "box": BRepPrimAPI_MakeBox(10.0, 10.0, 10.0),
        "cylinder": BRepPrimAPI_MakeCylinder(5.0, 10.0),
        "sphere": BRepPrimAPI_MakeSphere(5.0),
        "torus": BRepPrimAPI_MakeTorus(10.0, 2.0),
    }
    texts = {}
    for name, maker in made.items():
        path = folder / f"{name}.brp"
        BRepTools.Write_s(maker.Shape(), str(path))
        texts[name] = path.read_bytes()
    return texts


def edges(folder: Path) -> bytes:
    """A sketch's shape: a line of 10 mm along x, then a circle of 4 mm about z."""
    from OCP.BRep import BRep_Builder
    from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge
    from OCP.BRepTools import BRepTools
    from OCP.gp import gp_Ax2, gp_Circ, gp_Dir, gp_Pnt
    from OCP.TopoDS import TopoDS_Compound

    builder, held = BRep_Builder(), TopoDS_Compound()
    builder.MakeCompound(held)
    circle = gp_Circ(gp_Ax2(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0)), 4.0)
    builder.Add(held, BRepBuilderAPI_MakeEdge(gp_Pnt(0.0, 0.0, 0.0), gp_Pnt(10.0, 0.0, 0.0)).Edge())
    builder.Add(held, BRepBuilderAPI_MakeEdge(circle).Edge())
    path = folder / "edges.brp"
    BRepTools.Write_s(held, str(path))
    return path.read_bytes()


def text(value: str) -> tuple[str, str]:
    """A string property."""
    return "App::PropertyString", f"<String value={quoteattr(value)}/>"


def number(value: float | str) -> tuple[str, str]:
    """A float property; newer files have lengths and angles, written alike."""
    return "App::PropertyFloat", f'<Float value="{value}"/>'


def whole(value: int) -> tuple[str, str]:
    """An integer property."""
    return "App::PropertyInteger", f'<Integer value="{value}"/>'


def flag(value: bool) -> tuple[str, str]:
    """A bool property."""
    return "App::PropertyBool", f'<Bool value="{str(value).lower()}"/>'


def placement(p: Numbers = (0.0, 0.0, 0.0), q: Numbers = IDENTITY) -> tuple[str, str]:
    """A placement in mm."""
    pairs = zip(("Px", "Py", "Pz", "Q0", "Q1", "Q2", "Q3"), (*p, *q), strict=True)
    return "App::PropertyPlacement", "<PropertyPlacement " + " ".join(f'{k}="{v!r}"' for k, v in pairs) + "/>"


def link(name: str) -> tuple[str, str]:
    """A link within the document."""
    return "App::PropertyLink", f"<Link value={quoteattr(name)}/>"


def xlink(name: str, file: str = "", subs: Sequence[str] = ()) -> tuple[str, str]:
    """A link that may lead to another file, and to elements."""
    inner = "".join(f"<Sub value={quoteattr(s)}/>" for s in subs)
    return "App::PropertyXLink", f'<XLink file={quoteattr(file)} stamp="" name={quoteattr(name)}>{inner}</XLink>'


def group(*names: str) -> tuple[str, str]:
    """A list of links."""
    return "App::PropertyLinkList", "<LinkList>" + "".join(
        f"<Link value={quoteattr(n)}/>" for n in names
    ) + "</LinkList>"


def choice(value: str, options: Sequence[str] = DEFAULT_TYPES) -> tuple[str, str]:
    """An enumeration with its list."""
    listed = "".join(f"<Enum value={quoteattr(o)}/>" for o in options)
    at = list(options).index(value)
    return (
        "App::PropertyEnumeration",
        f'<Integer value="{at}" CustomEnum="true"/><CustomEnumList count="{len(options)}">{listed}</CustomEnumList>',
    )


def shape(file: str) -> tuple[str, str]:
    """A shape property in a member of the archive."""
    return "Part::PropertyPartShape", f"<Part file={quoteattr(file)}/>"


class Maker:
    """Collects objects and members, and writes the file."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {}
        self.members: dict[str, bytes] = {}

    def add(self, name: str, kind: str, **properties: tuple[str, str]) -> None:
        """An object with its properties; the label is its name unless given."""
        self.objects[name] = (kind, {"Label": text(name), **properties})

    def part(self, name: str, brep: bytes, p: Numbers = (0.0, 0.0, 0.0), q: Numbers = IDENTITY) -> None:
        """A part with a shape."""
        self.members[f"{name}.Shape.brp"] = brep
        self.add(name, "Part::Feature", Placement=placement(p, q), Shape=shape(f"{name}.Shape.brp"))

    def joint(
        self,
        name: str,
        kind: str,
        refs: tuple[str, str],
        first: Any = None,
        second: Any = None,
        **more: tuple[str, str],
    ) -> None:
        """A joint between two references in the assembly `Assembly`, connectors as placements."""
        self.add(
            name,
            "App::FeaturePython",
            **{
                "JointType": choice(kind),
                "Reference1": xlink("Assembly", subs=(refs[0],)),
                "Reference2": xlink("Assembly", subs=(refs[1],)),
                "Placement1": first or placement(),
                "Placement2": second or placement(),
                **more,
            },
        )

    def ground(self, name: str) -> None:
        """A grounded joint."""
        self.add(f"Grounded{name}", "App::FeaturePython", ObjectToGround=link(name))

    def assembly(self, *members: str, name: str = "Assembly", **properties: tuple[str, str]) -> None:
        """An assembly with a joint group that holds whatever is a joint."""
        joints = [n for n, (_, p) in self.objects.items() if "JointType" in p or "ObjectToGround" in p]
        self.add("Joints", "Assembly::JointGroup", Group=group(*joints))
        self.add(name, "Assembly::AssemblyObject", Group=group("Joints", *members), **properties)

    def xml(self) -> str:
        """Document.xml."""
        listed = "".join(f'<Object type="{kind}" name={quoteattr(n)}/>' for n, (kind, _) in self.objects.items())
        held = ""
        for name, (_, properties) in self.objects.items():
            inner = "".join(f'<Property name="{k}" type="{t}">{v}</Property>\n' for k, (t, v) in properties.items())
            held += f"<Object name={quoteattr(name)}>\n<Properties>\n{inner}</Properties></Object>\n"
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<Document SchemaVersion="4" ProgramVersion="1.0">\n'
            f"<Objects>{listed}</Objects>\n<ObjectData>\n{held}</ObjectData></Document>\n"
        )

    def save(self, path: Path) -> Path:
        """Write the file."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("Document.xml", self.xml())
            for name, data in self.members.items():
                archive.writestr(name, data)
        return path


def placement_list(*rows: Numbers) -> bytes:
    """FreeCAD's binary list of placements: x y z and the quaternion's x y z w."""
    return struct.pack("<I", len(rows)) + b"".join(struct.pack("<7d", *row) for row in rows)

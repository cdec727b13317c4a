"""Counts of a raw CAD file by its elements and lines alone: nothing of cadbridge is imported."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

HEAD = 65536


def format_of(path: Path) -> str | None:
    """The format by ending and first bytes; None for what is not looked at."""
    ending = path.suffix.lower()
    if ending not in (".xml", ".py", ".fcstd", ".asmt", ".step", ".stp", ".json"):
        return None
    with path.open("rb") as stream:
        head = stream.read(HEAD if ending != ".json" else -1)
    marks = {
        ".xml": ((b"SimscapeMultibodyImportXML", "simscape"), (b"<PhysicalModelingXMLFile", "simmechanics")),
        ".py": ((b"Chrono::SolidWorks", "chrono"),),
        ".asmt": ((b"Assembly", "ondsel"),),
        ".json": ((b'"rootAssembly"', "onshape"), (b'"as_built_joints"', "fusion")),
    }.get(ending, ())
    for mark, name in marks:
        if mark in head:
            return name
    if ending in (".step", ".stp"):
        return "step" if b"NEXT_ASSEMBLY_USAGE_OCCURRENCE" in path.read_bytes() else None
    if ending == ".fcstd":
        return "freecad" if b"Assembly::AssemblyObject" in (_document(path) or b"") else None
    return None


def _document(path: Path) -> bytes | None:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read("Document.xml")
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _children(element: ElementTree.Element | None, *tags: str) -> list[ElementTree.Element]:
    return [] if element is None else [c for c in element if _tag(c) in tags]


def _child(element: ElementTree.Element | None, tag: str) -> ElementTree.Element | None:
    return next(iter(_children(element, tag)), None)


def simscape(path: Path) -> dict[str, int]:
    """Leaves that are of a part, and constraints and joints at every place of the assembly that has them."""
    root = ElementTree.parse(path).getroot()
    top = _child(root, "RootAssembly")
    parts = {p.get("uid") for p in _children(_child(root, "Parts"), "Part")}
    tree = _child(top, "InstanceTree")
    places = Counter(i.get("entityUid") for i in ([] if tree is None else tree.iter()) if _tag(i) == "Instance")
    leaves = [
        i
        for i in ([] if tree is None else tree.iter())
        if _tag(i) == "Instance" and not _children(i, "Instance") and i.get("entityUid") in parts
    ]
    count = _relations(top)
    for assembly in _children(_child(root, "Assemblies"), "Assembly"):
        count += _relations(assembly) * max(1, places[assembly.get("uid")])
    return {"instances": len(leaves), "joints_in_file": count}


def _relations(holder: ElementTree.Element | None) -> int:
    return sum(len(list(section)) for section in _children(holder, "Constraints", "Joints"))


def simmechanics(path: Path) -> dict[str, int]:
    """Joints of whatever kind."""
    root = ElementTree.parse(path).getroot()
    return {"joints_in_file": sum(len(list(e)) for e in root.iter() if _tag(e) == "joints")}


def chrono(path: Path) -> dict[str, int]:
    """Bodies that have a mass, and mates by the names that links and comments of the exporter bear."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    bodies = set(re.findall(r"^(\w+)\.SetMass\(", text, re.MULTILINE))
    named = re.findall(r"^link_\d+\.SetName\(\"(.*)\"\)", text, re.MULTILINE)
    # The links of one mate follow each other.
    links = [name for i, name in enumerate(named) if i == 0 or named[i - 1] != name]
    said = re.findall(r"^# Mate constraint: (.+?) \[", text, re.MULTILINE)
    return {"instances": len(bodies), "joints_in_file": len(links) + sum(name not in named for name in said)}


def freecad(path: Path) -> dict[str, int]:
    """Objects with the property JointType."""
    data = _document(path) or b""
    root = ElementTree.fromstring(data)
    objects = [o for o in root.iter("Object") if any(p.get("name") == "JointType" for p in o.iter("Property"))]
    return {"joints_in_file": len(objects)}


def ondsel(path: Path) -> dict[str, int]:
    """Lines that name a joint, before the series of results."""
    text = path.read_text(encoding="utf-8", errors="replace").partition("\nTIMEDATA")[0]
    text = re.split(r"^\S*Series\b", text, maxsplit=1, flags=re.MULTILINE)[0]
    found = re.findall(r"^\t\t\t(\w*Joint|CurveCurveContact)\s*$", text, re.MULTILINE)
    # A RevRevJoint is written as two mates: an axis on an axis and a point in a plane.
    return {"joints_in_file": len(found) + found.count("RevRevJoint") + found.count("NoRotationJoint")}


def onshape(path: Path) -> dict[str, int]:
    """Mates and relations that are not suppressed, of the root and of each sub-assembly at each of its places."""
    document = json.loads(path.read_bytes())
    below = {_definition(s): s for s in document.get("subAssemblies", [])}

    def count(assembly: dict[str, Any]) -> int:
        kinds = [f["featureType"] for f in assembly.get("features", []) if not f.get("suppressed")]
        inner = [below.get(_definition(i)) for i in assembly["instances"] if not i.get("suppressed")]
        return sum(k in ("mate", "mateRelation") for k in kinds) + sum(count(i) for i in inner if i is not None)

    return {"joints_in_file": count(document["rootAssembly"])}


def _definition(entry: dict[str, Any]) -> tuple[str, str, str]:
    return entry.get("documentId", ""), entry.get("elementId", ""), entry.get("fullConfiguration", "")


def fusion(path: Path) -> dict[str, int]:
    """Joints and as-built joints."""
    document = json.loads(path.read_bytes())
    return {"joints_in_file": sum(len(document.get(k) or {}) for k in ("joints", "as_built_joints"))}


_NAUO = re.compile(
    rb"NEXT_ASSEMBLY_USAGE_OCCURRENCE\w*\s*\(\s*(?:'(?:[^']|'')*'|\$)\s*,\s*(?:'(?:[^']|'')*'|\$)\s*,"
    rb"\s*(?:'(?:[^']|'')*'|\$)\s*,\s*#(\d+)\s*,\s*#(\d+)"
)


_SHAPES = re.compile(rb"#(\d+)\s*=\s*PRODUCT_DEFINITION_SHAPE\s*\([^;]*#(\d+)\s*\)\s*;")
_DEFINED = re.compile(rb"=\s*SHAPE_DEFINITION_REPRESENTATION\s*\(\s*#(\d+)\s*,\s*#(\d+)")
_RELATED = re.compile(rb"=\s*SHAPE_REPRESENTATION_RELATIONSHIP\s*\([^;]*#(\d+)\s*,\s*#(\d+)\s*\)\s*;")
_BREPS = re.compile(rb"#(\d+)\s*=\s*\w*BREP_SHAPE_REPRESENTATION\s*\([^(;]*\(([^)]*)\)")
_SOLIDS = re.compile(rb"#(\d+)\s*=\s*(?:MANIFOLD_SOLID_BREP|BREP_WITH_VOIDS|FACETED_BREP)\b")


def _own_solids(data: bytes) -> Counter[bytes]:
    """By product definition: the solids of its own shape representation."""
    product = dict(_SHAPES.findall(data))
    solids = set(_SOLIDS.findall(data))
    inside = {rep: sum(i in solids for i in re.findall(rb"#(\d+)", items)) for rep, items in _BREPS.findall(data)}
    related: dict[bytes, set[bytes]] = {}
    for one, other in _RELATED.findall(data):
        related.setdefault(one, set()).add(other)
        related.setdefault(other, set()).add(one)
    own: Counter[bytes] = Counter()
    for shape, rep in _DEFINED.findall(data):
        if shape in product:
            own[product[shape]] += sum(inside.get(r, 0) for r in {rep} | related.get(rep, set()))
    return own


def step(path: Path) -> dict[str, int]:
    """Leaf occurrences of the product structure, unfolded by the usage occurrences of the text.

    What solids an assembly has itself, beside its occurrences, is one leaf more. Not counted where the structure goes
    on in other files.
    """
    if b"DOCUMENT_FILE" in path.read_bytes():
        return {}
    data = re.sub(rb"/\*.*?\*/", b"", path.read_bytes(), flags=re.DOTALL).replace(b"\r", b"").replace(b"\n", b"")
    below: dict[bytes, list[bytes]] = {}
    for above, child in _NAUO.findall(data):
        below.setdefault(above, []).append(child)
    used = {c for children in below.values() for c in children}
    own = _own_solids(data)
    counted: dict[bytes, int] = {}

    def leaves(product: bytes) -> int:
        if product not in counted:
            counted[product] = sum(map(leaves, below[product])) + bool(own[product]) if product in below else 1
        return counted[product]

    return {"instances": sum(leaves(top) for top in below if top not in used)}


COUNTERS: dict[str, Callable[[Path], dict[str, int]]] = {
    "simscape": simscape,
    "simmechanics": simmechanics,
    "chrono": chrono,
    "freecad": freecad,
    "ondsel": ondsel,
    "onshape": onshape,
    "fusion": fusion,
    "step": step,
}

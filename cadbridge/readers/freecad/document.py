"""Document.xml: objects with their types and properties, and the documents that links lead to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.folders import around, holds
from cadbridge.frames import Pose
from cadbridge.readers.bounds import LARGEST_READ
from cadbridge.readers.freecad.kinds import ASSEMBLY
from cadbridge.readers.paths import MOST_FILES, inside
from cadbridge.readers.xml import Element, child, children, local, parse_text
from cadbridge.shapes.archive import Archive

ENDING = ".FCStd"
LINKS = ("App::Link", "App::LinkElement", "App::LinkPython", "App::LinkElementPython")
ARRAYED = ("SourceObject", "Base")
"""The properties by which the arrays of Assembly4 and of Draft name what they repeat."""
MADE_OF = (
    "Base", "BaseFeature", "Faces", "Links", "Profile", "Sections", "Shapes", "Source", "SourceObject", "Spine", "Tool",
    "Tools"
)  # fmt: skip
"""The properties of Part's and PartDesign's features by which they name what their shape is made of: `Faces` of a solid
that a thickness hollows out. Others only place a feature (`Support`), look at one (binders), or copy it (`Objects` of a
clone)."""


@dataclass(eq=False)
class Object:
    """An object of a document; properties are read as they are requested, None where missing or malformed."""

    document: FreecadFile
    name: str
    type: str
    element: Element | None = None

    @cached_property
    def _properties(self) -> dict[str, Element]:
        section = None if self.element is None else child(self.element, "Properties")
        found = [] if section is None else children(section, "Property")
        return {str(p.get("name")): p for p in found}

    def has(self, name: str) -> bool:
        """Whether there is such a property."""
        return name in self._properties

    def where(self, name: str = "") -> Where:
        """The place of the object, or of a property, in Document.xml."""
        element = self._properties.get(name, self.element)
        line = None if element is None else element.sourceline
        return Where(f"{self.document.path}/Document.xml", line, None, self.label)

    def value(self, name: str, tag: str, key: str = "value") -> str | None:
        """An attribute of the first element of that tag in a property."""
        prop = self._properties.get(name)
        found = None if prop is None else child(prop, tag)
        return None if found is None else found.get(key)

    @cached_property
    def label(self) -> str:
        """What the user calls it."""
        return self.value("Label", "String") or self.name

    def number(self, name: str) -> float | None:
        """A float, length or angle."""
        # PropertyLength, PropertyAngle and PropertyFloat are all saved as <Float>.
        for tag in ("Float", "Integer"):
            text = self.value(name, tag)
            if text is not None:
                try:
                    number = float(text)
                except ValueError:
                    return None
                return number if abs(number) < LARGEST_READ else None
        return None

    def flag(self, name: str, default: bool) -> bool:
        """A bool."""
        text = self.value(name, "Bool")
        return default if text is None else text == "true"

    @cached_property
    def visible(self) -> bool:
        """Whether it is shown. Files from 0.19 on save that with the object, older ones with its view."""
        if self.has("Visibility"):
            return self.flag("Visibility", True)
        return self.document.views.get(self.name, True)

    def link(self, name: str) -> tuple[str, str] | None:
        """File ("" for this one) and object name of a link of either kind; None where it leads nowhere."""
        for tag, key in (("XLink", "name"), ("Link", "value"), ("LinkSub", "value")):
            found = self.value(name, tag, key)
            if found:
                return (self.value(name, tag, "file") or "" if tag == "XLink" else ""), found
        return None

    def links(self, name: str) -> list[str]:
        """Object names of a list of links."""
        prop = self._properties.get(name)
        section = None if prop is None else child(prop, "LinkList")
        return [] if section is None else [v for e in children(section, "Link") if (v := e.get("value"))]

    @cached_property
    def shows(self) -> str | None:
        """The property that names the object of which it shows one or several copies; None of what is no link."""
        if self.type in LINKS:
            return "LinkedObject"
        # The arrays of Assembly4 and Draft are features with the extension of links: their shape is made anew when the
        # file is opened, and saved empty or not at all.
        if not self.file("PlacementList") or self.document.archive.size(self.file("Shape") or ""):
            return None
        return next((name for name in ARRAYED if self.link(name)), None)

    @property
    def copies(self) -> int:
        """How many copies a link or an array makes; 0 of a link that shows its object once."""
        of_link = "ElementCount" if self.type in LINKS else "Count"
        return int(self.number(of_link) or 0) if self.shows else 0

    @property
    def scales(self) -> list[float]:
        """The factors by which a link as a whole enlarges what it shows; empty where it has none."""
        along = (self.value("ScaleVector", "PropertyVector", f"value{axis}") for axis in "XYZ")
        found = []
        for text in (self.value("Scale", "Float"), *along):
            try:
                found.append(float(text or 1.0))
            except ValueError:
                found.append(float("nan"))
        return found

    @cached_property
    def operands(self) -> frozenset[str]:
        """The objects of this file that its shape is made of, as of a cut, a loft or an array."""
        if not self.document.archive.size(self.file("Shape") or ""):
            # The first copy of an array stands where its source does.
            source = self.link(self.shows) if self.shows in ARRAYED and self.copies else None
            return frozenset() if source is None else frozenset(source[1:])
        made_of = [self._properties[name] for name in MADE_OF if self.has(name)]
        found = (e.get("value") or e.get("name") for p in made_of for e in p.iter("Link", "LinkSub", "XLink"))
        return frozenset(name for name in found if name)

    def subs(self, name: str) -> list[str]:
        """The paths of a link to sub-elements."""
        prop = self._properties.get(name)
        section = None if prop is None else next(iter(children(prop, "XLink", "LinkSub")), None)
        if section is None:
            return []
        # FreeCAD saves a single sub-element as the attribute `sub` of <XLink>, several as children.
        found = [v for e in children(section, "Sub") if (v := e.get("value")) is not None]
        return found or [v for v in (section.get("sub"),) if v is not None]

    def choice(self, name: str) -> str | None:
        """The text of an enumeration, by the list that goes with it; its number where the file has no list."""
        index = self.value(name, "Integer")
        prop = self._properties.get(name)
        options = None if prop is None else child(prop, "CustomEnumList")
        if index is None or options is None:
            return index
        texts = [e.get("value") for e in children(options, "Enum")]
        try:
            at = int(index)
        except ValueError:
            return None
        return texts[at] if 0 <= at < len(texts) else None

    def placement(self, name: str = "Placement") -> Pose | None:
        """A placement in m; the identity where there is none, None where it is malformed."""
        prop = self._properties.get(name)
        if prop is None:
            return Pose()
        return pose_of(child(prop, "PropertyPlacement"), self.document.length)

    def file(self, name: str) -> str | None:
        """The archive's member that holds a property."""
        for tag in ("Part", "PlacementList", "VectorList"):
            found = self.value(name, tag, "file")
            if found:
                return found
        return None


def pose_of(element: Element | None, length: float) -> Pose | None:
    """Px Py Pz (times `length`) and the quaternion Q0 Q1 Q2 Q3, the last its scalar; None where they are none."""
    if element is None:
        return None
    try:
        values = np.array([float(element.get(k, "nan")) for k in ("Px", "Py", "Pz", "Q0", "Q1", "Q2", "Q3")])
    except ValueError:
        return None
    if not np.all(np.abs(values) < LARGEST_READ) or not 0.5 < float(np.linalg.norm(values[3:])) < 2.0:
        return None
    x, y, z, w = values[3:]
    return Pose.from_quaternion(values[:3] * length, (w, x, y, z))


@dataclass(eq=False)
class FreecadFile:
    """A file with its objects by name."""

    path: Path
    archive: Archive
    length: float
    findings: Findings
    program: str = ""
    objects: dict[str, Object] = field(default_factory=dict)

    @cached_property
    def operands(self) -> frozenset[str]:
        """The objects that are no parts, as others are made of them: hidden ones, and what an array repeats."""
        # What a cut or a fusion is made of stays in the group of its part, and is hidden there. A part that somebody
        # hid to see into a machine is an operand of nothing.
        makers = [o for o in self.objects.values() if o.type.startswith(("Part::", "PartDesign::"))]
        used = {name for o in makers for name in o.operands}
        hidden = {name for name in used if name in self.objects and not self.objects[name].visible}
        arrayed = {n for o in makers if o.shows for n in o.operands}
        arrayed |= {target[1] for o in makers if o.operands and (target := o.link("SourceObject"))}
        return frozenset((hidden - self._jointed) | arrayed)

    @cached_property
    def _jointed(self) -> frozenset[str]:
        """The members of assemblies that joints name: parts, though a compound of them was made as well."""
        named = set[str]()
        for o in self.objects.values():
            for key in ("Reference1", "Reference2", "ObjectToGround"):
                if (target := o.link(key)) is not None:
                    named |= {target[1], *(name for path in o.subs(key)[:1] for name in path.split("."))}
        return frozenset(named & {name for a in self.of_type(ASSEMBLY) for name in a.links("Group")})

    @cached_property
    def views(self) -> dict[str, bool]:
        """Whether the view of each object is shown, by the object's name; empty where the file has no views."""
        name = "GuiDocument.xml"
        data = self.archive.read(name, "Document.xml bytes") if self.archive.has(name) else None
        try:
            root = None if data is None else parse_text(data, self.path, self.findings)
        except InputError:
            return {}
        views = [] if root is None else [Object(self, str(v.get("name")), "", v) for v in root.iter("ViewProvider")]
        return {view.name: view.flag("Visibility", True) for view in views}

    def of_type(self, *types: str) -> list[Object]:
        """The objects of these types, in the file's order."""
        return [o for o in self.objects.values() if o.type in types]


class Library:
    """The documents that an assembly leads to, each read once: in the first one's folder, in `folders`, or around."""

    def __init__(self, findings: Findings, length: float, folders: Iterable[Path] = ()) -> None:
        self.findings = findings
        self._folders = tuple(folders)
        self._length = length
        self._documents: dict[Path, FreecadFile | None] = {}
        self._followed: set[tuple[Path, str, str]] = set()
        self._folder = Path()

    def open(self, path: Path) -> FreecadFile:
        """The first document; InputError where it cannot be used."""
        self._folder = path.resolve().parent
        self._documents[path.resolve()] = None
        document = self._read(path)
        self._documents[path.resolve()] = document
        return document

    def close(self) -> None:
        """Close all files."""
        for document in self._documents.values():
            if document is not None:
                document.archive.close()

    def linked(self, owner: Object, name: str) -> Object | None:
        """What a link leads to, maybe in another file; a finding and None where that is nothing."""
        target = owner.link(name)
        if target is None:
            return None
        file, wanted = target
        document = self._other(owner, name, file) if file else owner.document
        if document is None:
            return None
        found = document.objects.get(wanted)
        if found is None:
            self.findings.add(
                "CB162", f"{owner.label}: {name} leads to {wanted!r}, which is not an object", owner.where(name)
            )
        return found

    def _other(self, owner: Object, name: str, file: str) -> FreecadFile | None:
        path = Path(file.replace("\\", "/"))
        path = path if path.is_absolute() else owner.document.path.resolve().parent / path
        # A link is followed once for each joint that holds it; what is wrong with it is reported once.
        link = (owner.document.path, owner.name, name)
        findings = Findings() if link in self._followed else self.findings
        roots = (self._folder, *self._folders)
        near = () if (at := _near(path, self._folder)) is None else (at,)
        self._followed.add(link)
        real = inside(_as_stored(path, (*roots, *near)), (*roots, *near), findings, owner.where(name))
        if real is None:
            return None
        if real not in self._documents:
            if not any(holds(root.resolve(), real) for root in roots):
                findings.add("CB1616", f"{real.name} lies in a folder around the source's", Where(str(real)))
            if len(self._documents) >= MOST_FILES:
                self.findings.add("CB138", f"{file} is one file too many: {MOST_FILES} are read", owner.where(name))
                return None
            # None until it is read whole: a file that cannot be read is not tried again for each link to it.
            self._documents[real] = None
            try:
                self._documents[real] = self._read(real)
            except InputError:
                # What is wrong stands in the findings; the rest of the assembly is still good.
                return None
        return self._documents[real]

    def _read(self, path: Path) -> FreecadFile:
        archive = Archive(path, self.findings)
        data = archive.read("Document.xml", "Document.xml bytes")
        if data is None:
            archive.close()
            raise InputError(f"{path.name} holds no readable Document.xml.", self.findings)
        try:
            root = parse_text(data, path, self.findings)
            return _document(root, path, archive, self._length, self.findings)
        except InputError:
            archive.close()
            raise


def _near(path: Path, folder: Path) -> Path | None:
    """The folder of a FreeCAD file in the folders around the source's, links resolved; None for any other path."""
    try:
        real = path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    return real.parent if real.suffix.lower() == ".fcstd" and around(real, folder) else None


def _as_stored(path: Path, roots: Iterable[Path]) -> Path:
    """The file of that name in whatever case below one of `roots`, where only one is: Windows knows no case."""
    try:
        known = any(path.resolve().is_relative_to(root.resolve()) for root in roots)
        if not known or path.exists():
            return path
        alike = [p for p in path.parent.iterdir() if p.name.lower() == path.name.lower()]
    except (OSError, ValueError):
        return path
    return alike[0] if len(alike) == 1 else path


def _document(root: Any, path: Path, archive: Archive, length: float, findings: Findings) -> FreecadFile:
    listed, held = child(root, "Objects"), child(root, "ObjectData")
    if local(root) != "Document" or listed is None or held is None:
        findings.add("CB180", f"the root of Document.xml is {local(root)!r}", Where(file=str(path)))
        raise InputError(f"{path.name} is not a FreeCAD document.", findings)
    document = FreecadFile(path, archive, length, findings, root.get("ProgramVersion") or "")
    for element in children(listed, "Object"):
        name = element.get("name")
        if name:
            document.objects[name] = Object(document, name, element.get("type") or "")
    for element in children(held, "Object"):
        name = element.get("name") or ""
        known = document.objects.get(name)
        where = Where(f"{path}/Document.xml", element.sourceline, None, name)
        if known is None:
            findings.add("CB162", f"there are data of {name!r}, which is not in the list of objects", where)
        elif known.element is not None:
            findings.add("CB181", f"the data of {name!r} stand twice; the first are read", where)
        else:
            known.element = element
    for o in document.objects.values():
        if o.element is None:
            findings.add("CB162", f"{o.name!r} is in the list of objects, but its data are not there", o.where())
    return document

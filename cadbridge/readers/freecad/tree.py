"""Components and instances: what an assembly holds, through links, parts, groups and sub-assemblies."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cadbridge.assembly import GROUND, Component, Instance, Part
from cadbridge.budget import allowed, beyond
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.readers.freecad.document import Library, Object
from cadbridge.readers.freecad.held import movable
from cadbridge.readers.names import free_name
from cadbridge.wording import count

ASSEMBLY = "Assembly::AssemblyObject"
BODY = "PartDesign::Body"
ASSEMBLY_LINK = "Assembly::AssemblyLink"
GROUPS = ("App::DocumentObjectGroup", "App::DocumentObjectGroupPython", "App::LinkGroup")
CONTAINERS = ("App::Part", ASSEMBLY, ASSEMBLY_LINK)
NO_SHAPE = (
    "App::Origin", "App::Line", "App::Plane", "App::Point", "App::LocalCoordinateSystem", "Sketcher::SketchObject",
    "PartDesign::Plane", "PartDesign::Line", "PartDesign::Point", "PartDesign::CoordinateSystem",
    "PartDesign::ShapeBinder", "PartDesign::SubShapeBinder", "PartDesign::SubShapeBinderPython",
    "Part::DatumPlane", "Part::DatumLine", "Part::DatumPoint", "Part::LocalCoordinateSystem",
    "Part::Part2DObjectPython",
    "Assembly::JointGroup", "Assembly::ViewGroup", "Assembly::SimulationGroup", "Assembly::BomGroup",
    "Assembly::SnapshotGroup", "Assembly::BomObject", "Spreadsheet::Sheet", "App::VarSet", "App::TextDocument",
    "App::Annotation", "App::AnnotationLabel", "App::MeasureDistance", "Image::ImagePlane",
)  # fmt: skip
"""Sketches, datums, binders, tables, notes and groups of an assembly's own: none of it is a part."""
DATUMS = (
    "App::Origin", "App::LocalCoordinateSystem", "App::Plane", "App::Line", "App::Point", "Part::LocalCoordinateSystem",
    "Part::DatumPlane", "Part::DatumLine", "Part::DatumPoint",
)  # fmt: skip
"""Of these, what stands in an assembly itself is still, as long as it is attached to nothing."""
DEEPEST_LINKS = 40
"""Links, groups and assemblies within one another; deeper ones are reported as holding themselves. A choice."""

SAME_SIZE = 1e-6
"""A link whose scale is this near 1 shows its object as it is: 1 µm on a metre, and far more than rounding."""

EMPTY_BELOW = 1000
"""Bytes of a B-Rep text below which it is read to see whether it is an empty one; FreeCAD's empty text has some 200.

A text with a face has more, so that large ones are not unpacked twice. Above, an empty shape would become a part.
"""


@dataclass(eq=False)
class Leaf:
    """A shape of a component: its path below the component, the object that holds it, X_CI."""

    path: tuple[str, ...]
    object: Object
    X_CI: Pose


@dataclass(eq=False)
class UnnamedComponent:
    """A component before it is named: its way down (object names), its owner object, X_WC and its leaves."""

    way: tuple[str, ...]
    object: Object
    labels: tuple[str, ...]
    X_WC: Pose
    leaves: list[Leaf] = field(default_factory=list)
    name: str = ""


class Walker:
    """Walks groups with a guard against cycles; `units` are the components found."""

    def __init__(self, library: Library, findings: Findings) -> None:
        self.library = library
        self.findings = findings
        self.units: list[UnnamedComponent] = []
        self.flexible: list[tuple[Object, tuple[str, ...]]] = []
        self._count = 0
        self._still: list[Object] = []

    def assembly(self, owner: Object, X_WA: Pose, way: tuple[str, ...] = (), labels: tuple[str, ...] = ()) -> None:
        """Every member of an assembly as a component; a flexible sub-assembly's members are components of their own."""
        for member, X in self.members(owner):
            here, named = (*way, member.name), (*labels, member.label)
            if self._flexible(member):
                if len(here) > DEEPEST_LINKS or any(member is o for o, _ in self.flexible):
                    self._cycle(member)
                    continue
                self.flexible.append((member, here))
                self.assembly(member, X_WA @ X, here, named)
                continue
            self._add(member, X_WA @ X, here, named)

    def loose(self, member: Object, X_WM: Pose) -> None:
        """An object of a document without an assembly, where it holds a shape."""
        before = len(self.units)
        self._add(member, X_WM, (member.name,), (member.label,))
        self.units[before:] = [u for u in self.units[before:] if u.leaves]

    def _add(self, member: Object, X_WM: Pose, way: tuple[str, ...], labels: tuple[str, ...]) -> None:
        self._still = []
        for suffix, X_ME in self._elements(member):
            unit = UnnamedComponent((*way, *suffix), member, (*labels, *suffix), X_WM @ X_ME)
            unit.leaves = list(self._leaves(member, Pose(), (), ()))
            self.units.append(unit)
        if self._still:
            names = list(dict.fromkeys(j.label for j in self._still))
            has = "has a joint" if len(names) == 1 else f"has {count(len(names), 'joint')}"
            text = f"{member.label} is a rigid sub-assembly and {has} of its own, which cannot move"
            self.findings.add("CB1270", text, member.where(), items=names)

    def members(self, owner: Object) -> Iterator[tuple[Object, Pose]]:
        """What an assembly's group holds with its pose there, folders and arrays opened; each object once."""
        yield from self._opened(owner, owner.links("Group"), Pose())

    def opened(self, member: Object) -> Iterator[tuple[Object, Pose]]:
        """What a folder or an array of objects holds, with its pose in what the folder stands in; else the object."""
        yield from self._opened(member, [member.name], Pose())

    def _opened(self, owner: Object, names: list[str], X: Pose) -> Iterator[tuple[Object, Pose]]:
        seen: set[str] = set()
        waiting = [(name, X) for name in reversed(names)]
        while waiting:
            name, X = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            member = owner.document.objects.get(name)
            if member is None:
                self.findings.add(
                    "CB162", f"{owner.label} holds {name!r}, which is not an object", owner.where("Group")
                )
            elif member.type in GROUPS or of_assembly3(member) or (member.shows and member.links("ElementList")):
                X_M = self._placed(member)
                below = member.links("Group") or member.links("ElementList")
                # Folders have no placement; groups of links, and arrays of objects of their own, carry what they hold.
                waiting.extend((inner, X @ X_M) for inner in reversed(below) if X_M is not None)
            elif not self.is_aside(member) and (X_M := self._placed(member)) is not None:
                yield member, X @ X_M

    @staticmethod
    def is_aside(member: Object) -> bool:
        """Whether an object is no part of what it stands in: a sketch, a datum, a joint, or what others are made of."""
        held = member.type in NO_SHAPE or member.has("JointType") or member.has("ObjectToGround")
        # The steps of a body that is no PartDesign::Body stand beside each other, all but the last hidden.
        step = member.type.startswith("PartDesign::") and member.type != BODY and not member.visible
        return held or step or member.name in member.document.operands

    def _flexible(self, member: Object) -> bool:
        """A sub-assembly whose own joints move: it says that it is not rigid, and holds its members itself."""
        return member.type in (ASSEMBLY, ASSEMBLY_LINK) and member.has("Rigid") and not member.flag("Rigid", True)

    def _placed(self, member: Object) -> Pose | None:
        # In FreeCAD Placement is an alias of a link's LinkPlacement, and not every link has the alias.
        X = member.placement("LinkPlacement" if not member.has("Placement") else "Placement")
        if X is None:
            self.findings.add("CB181", f"{member.label}: its placement cannot be read", member.where("Placement"))
        return X

    def _elements(self, member: Object) -> list[tuple[tuple[str, ...], Pose]]:
        """The copies of a link array with their placements; one, without a suffix, of anything else."""
        count = member.copies
        if self._scaled(member):
            return []
        if count <= 0:
            return [((), Pose())]
        if why := beyond("instances", count, member.label):
            self.findings.add("CB138", why, member.where())
            return []
        file = member.file("PlacementList")
        poses = self._placement_list(member, file) if file else []
        missing = count - len(poses)
        return [((str(i),), X) for i, X in enumerate([*poses[:count], *([Pose()] * max(0, missing))])]

    def _scaled(self, member: Object) -> bool:
        """Whether a link shows its object larger or smaller than it is; reported, and left out."""
        if member.shows is None:
            return False
        file = member.file("ScaleList")
        listed = (member.document.archive.read(file) or b"") if file else b""
        # A count, then three numbers for each copy; what is cut off is told of the placements beside.
        sizes = [*member.scales, *np.frombuffer(listed, "<f8", max(len(listed) - 4, 0) // 8, min(4, len(listed)))]
        if all(abs(size - 1.0) < SAME_SIZE for size in sizes):
            return False
        worst = max(sizes, key=lambda size: abs(size - 1.0))
        text = f"{member.label} is shown {worst:.3g} times as large as what it links to; it is left out"
        self.findings.add("CB133", text, member.where("Scale"))
        return True

    def _placement_list(self, member: Object, file: str) -> list[Pose]:
        """FreeCAD's binary list: a count, then seven numbers each, little endian."""
        data = member.document.archive.read(file) or b""
        count = struct.unpack_from("<I", data)[0] if len(data) >= 4 else 0
        # The count is what the file claims: an array is made only of bytes that are there.
        if count > allowed("instances") or len(data) - 4 < 56 * count:
            self.findings.add("CB181", f"{member.label}: its list of placements is cut off", member.where())
            return []
        rows = np.frombuffer(data, "<f8", 7 * count, 4).reshape(-1, 7)
        good = np.isfinite(rows).all(axis=1) & (np.linalg.norm(rows[:, 3:], axis=1) > 0.5)
        if not good.all():
            text = f"{member.label}: a placement in its list has no finite numbers or no rotation"
            self.findings.add("CB181", text, member.where())
            return []
        length = member.document.length
        return [Pose.from_quaternion(r[:3] * length, (r[6], r[3], r[4], r[5])) for r in rows]

    def _leaves(self, item: Object, X: Pose, path: tuple[str, ...], above: tuple[Object, ...]) -> Iterator[Leaf]:
        """The shapes below an object; its own placement is the caller's to take, except where a link passes it on."""
        if item in above or len(above) > DEEPEST_LINKS:
            self._cycle(item)
            return
        self._count += 1
        if why := beyond("instances", self._count, "this assembly"):
            self.findings.add("CB138", f"{item.label} is one too many: {why}", item.where())
            return
        if item.type == ASSEMBLY:
            self._still += movable(item)
        elif item.type == ASSEMBLY_LINK and item.links("Group"):
            # It shows copies of the members; while it is rigid, the joints are in the assembly that it links to.
            shown = self.library.linked(item, "LinkedObject")
            self._still += [] if shown is None else movable(shown)
        if item.shows or (item.type == ASSEMBLY_LINK and not item.links("Group")):
            target = self.library.linked(item, item.shows or "LinkedObject")
            if target is not None and target.type not in NO_SHAPE:
                # A link replaces the placement of its target by its own, unless LinkTransform lets both count.
                passed = target.placement() if item.flag("LinkTransform", False) else Pose()
                yield from self._leaves(target, X @ (passed or Pose()), path, (*above, item))
        elif item.type in CONTAINERS or of_assembly3(item):
            for member, X_M in self.members(item):
                for suffix, X_E in self._elements(member):
                    below = (*path, member.label, *suffix)
                    yield from self._leaves(member, X @ X_M @ X_E, below, (*above, item))
        elif _has_shape(item):
            yield Leaf(path, item, X)
        elif item.has("Mesh"):
            self.findings.add("CB1236", f"{item.label} is a mesh, which is not read", item.where("Mesh"))
        elif item.has("SourceObject"):
            source = item.link("SourceObject")
            text = f"not read: the copies that the array {item.label} makes of {source[1] if source else 'nothing'}"
            self.findings.add("CB190", text, item.where("SourceObject"))

    def _cycle(self, item: Object) -> None:
        self.findings.add("CB1224", f"{item.label} holds itself, by links or groups", item.where())


def of_assembly3(item: Object) -> bool:
    """Whether an object is an assembly of the workbench Assembly3, or the group in it that holds its parts."""
    return item.has("Group") and (item.has("BuildShape") or item.has("DerivedFrom"))


def _has_shape(item: Object) -> bool:
    """Whether an object has a shape that is not empty: a body without features is saved as nothing, or as no shape."""
    file, archive = item.file("Shape"), item.document.archive
    if not file:
        return False
    size = archive.size(file)
    if not 0 < size < EMPTY_BELOW:
        # A member that is missing is reported when it is read.
        return size > 0 or not archive.has(file)
    text = archive.read(file) or b""
    return not text or b"\nTShapes 0\n" not in text.replace(b"\r\n", b"\n")


@dataclass
class PlacedAssembly:
    """Components, instances and parts of an assembly, with the unit of each component's way."""

    components: list[Component] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    parts: dict[tuple[str, str], Part] = field(default_factory=dict)
    holders: dict[tuple[str, str], Object] = field(default_factory=dict)
    by_way: dict[tuple[str, ...], UnnamedComponent] = field(default_factory=dict)
    pose_of: dict[str, Pose] = field(default_factory=dict)
    part_names: set[str] = field(default_factory=lambda: {GROUND})


def place(units: list[UnnamedComponent]) -> PlacedAssembly:
    """Names for components (labels; unique), instances and parts."""
    placed, taken = PlacedAssembly(), {GROUND}
    for unit in units:
        unit.name = free_name("/".join(unit.labels), taken)
        names = []
        for leaf in unit.leaves:
            name = unit.name if len(unit.leaves) == 1 else free_name("/".join((unit.name, *leaf.path)), taken)
            part = _part(placed, leaf.object)
            placed.instances.append(Instance(name, part.name, unit.X_WC @ leaf.X_CI, unit.name, product_path=leaf.path))
            placed.pose_of[name] = unit.X_WC @ leaf.X_CI
            names.append(name)
        placed.components.append(Component(unit.name, tuple(names), unit.X_WC, where=unit.object.where()))
        placed.by_way[unit.way] = unit
    return placed


def _part(placed: PlacedAssembly, holder: Object) -> Part:
    key = (str(holder.document.path), holder.name)
    if key not in placed.parts:
        placed.parts[key] = Part(free_name(holder.label, placed.part_names), where=holder.where())
        placed.holders[key] = holder
    return placed.parts[key]

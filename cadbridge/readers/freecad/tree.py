"""Components and instances: what an assembly holds, through links, parts, groups and sub-assemblies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from cadbridge.assembly import GROUND, Component, Instance, Part
from cadbridge.budget import beyond
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.readers.freecad.document import Library, Object
from cadbridge.readers.freecad.held import movable
from cadbridge.readers.freecad.kinds import ASSEMBLY, ASSEMBLY_LINK, BODY, CONTAINERS, NO_SHAPE
from cadbridge.readers.freecad.links import Copies, below, copies, of_assembly3, opens, place, shown
from cadbridge.readers.names import free_name
from cadbridge.wording import count

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
    """A component before it is named: its way down (object names), its owner object, X_WC and its leaves.

    `missing` are links that lead to nothing: what they show is not known, nor what it weighs.
    """

    way: tuple[str, ...]
    object: Object
    labels: tuple[str, ...]
    X_WC: Pose
    leaves: list[Leaf] = field(default_factory=list)
    missing: list[Object] = field(default_factory=list)
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
        self._missing: list[Object] = []

    def assembly(self, owner: Object, X_WA: Pose, way: tuple[str, ...] = (), labels: tuple[str, ...] = ()) -> None:
        """Every member of an assembly as a component; a flexible sub-assembly's members are components of their own."""
        for member, X in self.members(owner):
            here, labelled = (*way, member.name), (*labels, member.label)
            if self._flexible(member):
                if len(here) > DEEPEST_LINKS or any(member is o for o, _ in self.flexible):
                    self._cycle(member)
                    continue
                self.flexible.append((member, here))
                self.assembly(member, X_WA @ X, here, labelled)
                continue
            self._add(member, X_WA @ X, here, labelled)

    def loose(self, member: Object, X_WM: Pose) -> None:
        """An object of a document without an assembly, where it holds a shape."""
        before = len(self.units)
        self._add(member, X_WM, (member.name,), (member.label,))
        self.units[before:] = [u for u in self.units[before:] if u.leaves]

    def _add(self, member: Object, X_WM: Pose, way: tuple[str, ...], labels: tuple[str, ...]) -> None:
        self._still = []
        for suffix, X_ME in self._elements(member):
            unit = UnnamedComponent((*way, *suffix), member, (*labels, *suffix), X_WM @ X_ME)
            self._missing = unit.missing
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
            elif opens(member):
                X_M = None if self._scaled(member) else place(member, self.findings)
                # Folders have no placement; groups of links, and arrays of objects of their own, carry what they hold.
                waiting.extend((inner, X @ X_M) for inner in reversed(below(member)) if X_M is not None)
            elif not self.is_aside(member) and (X_M := place(member, self.findings)) is not None:
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

    def _elements(self, member: Object) -> Copies:
        """What stands for an object, without a suffix where that is itself; nothing where a link enlarges it."""
        return [] if self._scaled(member) else copies(member, self.findings)

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
        what = f"{worst:.3g} times as large as" if worst > 0.0 else "as the mirror image of"
        text = f"{member.label} is shown {what} what it links to; it is left out"
        cure = "Give the link a scale of 1, and link it to a part of that size, such as a Draft Clone."
        self.findings.add("CB133", text, member.where("Scale"), cure)
        return True

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
            yield from self._linked(item, X, path, (*above, item))
        elif item.type in CONTAINERS or of_assembly3(item):
            yield from self._held(self.members(item), X, path, (*above, item))
        elif _has_shape(item):
            yield Leaf(path, item, X)
        elif item.has("Mesh"):
            self.findings.add("CB1236", f"{item.label} is a mesh, which is not read", item.where("Mesh"))
        elif item.has("SourceObject"):
            source = item.link("SourceObject")
            text = f"not read: the copies that the array {item.label} makes of {source[1] if source else 'nothing'}"
            self.findings.add("CB190", text, item.where("SourceObject"))

    def _linked(self, link: Object, X: Pose, path: tuple[str, ...], above: tuple[Object, ...]) -> Iterator[Leaf]:
        """The shapes that a link shows: of a group all that is in it, of an array every copy."""
        found = shown(self.library, link)
        if found is None:
            self._missing.append(link)
            return
        if found[0].type in NO_SHAPE:
            return
        target, X_T = found
        if opens(target) and not self._scaled(target):
            yield from self._held(self._opened(target, below(target), X_T), X, path, above)
        elif not opens(target):
            for suffix, X_E in self._elements(target):
                yield from self._leaves(target, X @ X_T @ X_E, (*path, *suffix), above)

    def _held(
        self, members: Iterable[tuple[Object, Pose]], X: Pose, path: tuple[str, ...], above: tuple[Object, ...]
    ) -> Iterator[Leaf]:
        """The shapes of members with their poses, each below its label."""
        for member, X_M in members:
            for suffix, X_E in self._elements(member):
                yield from self._leaves(member, X @ X_M @ X_E, (*path, member.label, *suffix), above)

    def _cycle(self, item: Object) -> None:
        self.findings.add("CB1224", f"{item.label} holds itself, by links or groups", item.where())


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


def named(units: list[UnnamedComponent]) -> PlacedAssembly:
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
        for link in unit.missing:
            # A part without a shape, so that the mass of the whole is not known.
            name = free_name(f"{unit.name}/{link.label}", taken) if names else unit.name
            placed.instances.append(Instance(name, _part(placed, link).name, unit.X_WC, unit.name))
            placed.pose_of[name] = unit.X_WC
            names.append(name)
        placed.components.append(Component(unit.name, tuple(names), unit.X_WC, where=unit.object.where()))
        placed.by_way[unit.way] = unit
    return placed


def _part(placed: PlacedAssembly, holder: Object) -> Part:
    key = (str(holder.document.path), holder.name)
    if key not in placed.parts:
        placed.parts[key] = Part(free_name(holder.label, placed.part_names), where=holder.where())
        if holder.file("Shape"):
            placed.holders[key] = holder
    return placed.parts[key]

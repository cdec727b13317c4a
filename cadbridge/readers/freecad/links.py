"""What links, arrays and groups show, and where, as FreeCAD itself goes from an object to what is below it."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

import numpy as np

from cadbridge.budget import allowed, beyond
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.readers.bounds import LARGEST_READ
from cadbridge.readers.freecad.document import Library, Object
from cadbridge.readers.freecad.kinds import CONTAINERS, GROUPS, NO_SHAPE

ELEMENT = re.compile(r"(Face|Edge|Vertex)(\d+)$")
"""How a path names a face, edge or vertex at its end."""

Copies = list[tuple[tuple[str, ...], Pose]]


def opens(item: Object) -> bool:
    """Whether an object is only a place for others: a folder, a group of links, an array of objects of their own."""
    return item.type in GROUPS or of_assembly3(item) or bool(item.shows and item.links("ElementList"))


def below(item: Object) -> list[str]:
    """The names of what such an object holds."""
    return item.links("Group") or item.links("ElementList")


def of_assembly3(item: Object) -> bool:
    """Whether an object is an assembly of the workbench Assembly3, or the group in it that holds its parts."""
    return item.has("Group") and (item.has("BuildShape") or item.has("DerivedFrom"))


def place(item: Object, findings: Findings) -> Pose | None:
    """The pose of an object in what holds it; a finding and None where it cannot be read."""
    # In FreeCAD Placement is an alias of a link's LinkPlacement, and not every link has the alias.
    X = item.placement("LinkPlacement" if not item.has("Placement") else "Placement")
    if X is None:
        text = f"{item.label}: its placement holds no numbers below {LARGEST_READ:g} or no rotation"
        findings.add("CB181", text, item.where("Placement"))
    return X


def copies(item: Object, findings: Findings) -> Copies:
    """The copies of a link array with their placements; one, without a suffix, of anything else."""
    count = item.copies
    if count <= 0:
        return [((), Pose())]
    if why := beyond("instances", count, item.label):
        findings.add("CB138", why, item.where())
        return []
    file = item.file("PlacementList")
    poses = _placement_list(item, file, findings) if file else []
    missing = count - len(poses)
    return [((str(i),), X) for i, X in enumerate([*poses[:count], *([Pose()] * max(0, missing))])]


def shown(library: Library, link: Object) -> tuple[Object, Pose] | None:
    """What a link leads to, and its frame in the link's; a finding and None where that is nothing.

    A link replaces the placement of its target by its own, unless LinkTransform lets both count. It may lead to
    something within its target: then the placements on the way from there count.
    """
    target = library.linked(link, link.shows or "LinkedObject")
    if target is None:
        return None
    X = target.placement() if link.flag("LinkTransform", False) else None
    *names, element = (link.subs(link.shows or "") or [""])[0].split(".")
    if ELEMENT.search(element):
        text = f"not read: {link.label}, a link that shows only {element} of {target.label}"
        library.findings.add("CB190", text, link.where(link.shows or ""))
        return None
    found, X = descend(library, target, names, X, to_the_end=False)
    if names and found is target:
        text = f"{link.label}: {link.shows} leads to {'.'.join(names)!r} in {target.label}, which is not there"
        library.findings.add("CB162", text, link.where(link.shows or ""))
        return None
    return found, X


def descend(
    library: Library, start: Object, names: Sequence[str], X: Pose | None = None, to_the_end: bool = True
) -> tuple[Object, Pose]:
    """Where a path of names leads from an object, and that frame in the object's own; `X` is added before.

    Names of folders, of a body's features and of what a link shows lead nowhere further. `to_the_end`: whether a link
    that the path ends at is followed.
    """
    here, X, waiting = start, X or Pose(), list(names)
    while waiting or to_the_end:
        followed: list[Object] = []
        while here.shows:
            if here is not start and waiting and (copy := _copy(here, waiting[0])) is not None:
                del waiting[0]
                X = X @ copy[1]
                if copy[0] is not here:
                    here = copy[0]
                    continue
            if here in followed:  # a ring of links, which the walk through the assembly reports
                return here, X
            followed.append(here)
            found = shown(library, here)
            if found is None:
                return here, X
            here, X = found[0], X @ found[1]
        if not waiting:
            return here, X
        child = here.document.objects.get(waiting.pop(0))
        # FreeCAD lets a path name what a link shows, too.
        if child is None or child is here:
            continue
        if here.type in (*CONTAINERS, *GROUPS) or child.type in NO_SHAPE:
            X = X @ (place(child, Findings()) or Pose())
            here = here if child.type in GROUPS else child
    return here, X


def _copy(item: Object, name: str) -> tuple[Object, Pose] | None:
    """A copy of an array by its number or name: its object (the array itself where it has none) and its pose there."""
    if name in item.links("ElementList") and (found := item.document.objects.get(name)) is not None:
        return found, place(found, Findings()) or Pose()
    number = name.removeprefix(f"{item.name}_i")
    if not (item.copies and number.isdecimal() and int(number) < item.copies):
        return None
    return item, dict(copies(item, Findings())).get((str(int(number)),), Pose())


def _placement_list(item: Object, file: str, findings: Findings) -> list[Pose]:
    """FreeCAD's binary list: a count, then seven numbers each, little endian."""
    data = item.document.archive.read(file) or b""
    count = struct.unpack_from("<I", data)[0] if len(data) >= 4 else 0
    # The count is what the file claims: an array is made only of bytes that are there.
    if count > allowed("instances") or len(data) - 4 < 56 * count:
        findings.add("CB181", f"{item.label}: its list of placements is cut off", item.where())
        return []
    rows = np.frombuffer(data, "<f8", 7 * count, 4).reshape(-1, 7)
    good = np.isfinite(rows).all(axis=1) & (np.linalg.norm(rows[:, 3:], axis=1) > 0.5)
    if not good.all():
        text = f"{item.label}: a placement in its list has no finite numbers or no rotation"
        findings.add("CB181", text, item.where())
        return []
    length = item.document.length
    return [Pose.from_quaternion(r[:3] * length, (r[6], r[3], r[4], r[5])) for r in rows]

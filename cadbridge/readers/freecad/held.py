"""What an assembly holds beside its parts: joints and groundings, of what kind they are, which are switched off."""

from __future__ import annotations

from cadbridge.readers.freecad.document import Object

DEFAULT_TYPES = (
    "Fixed", "Revolute", "Cylindrical", "Slider", "Ball", "Distance", "Parallel", "Perpendicular", "Angle",
    "RackPinion", "Screw", "Gears", "Belt",
)  # fmt: skip
"""The order that FreeCAD has where a file lists none."""

_FOLDERS = ("Assembly::JointGroup", "App::DocumentObjectGroup", "App::DocumentObjectGroupPython")


def members_with(owner: Object, mark: str) -> list[Object]:
    """The objects with a property, in the groups below an assembly, each once: they may be listed twice."""
    objects = owner.document.objects
    seen: dict[str, Object] = {}
    waiting = [objects[n] for n in owner.links("Group") if n in objects]
    visited: set[str] = set()
    while waiting:
        item = waiting.pop(0)
        if item.name in visited:
            continue
        visited.add(item.name)
        if item.has(mark):
            seen[item.name] = item
        elif item.type in _FOLDERS:
            waiting += [objects[n] for n in item.links("Group") if n in objects]
    return list(seen.values())


def joint_kind(joint: Object) -> str | None:
    """The type of a joint by its name, or by FreeCAD's list where the file has none."""
    kind = joint.choice("JointType")
    return DEFAULT_TYPES[int(kind)] if kind and kind.isdecimal() and int(kind) < len(DEFAULT_TYPES) else kind


def switched_off(joint: Object) -> bool:
    """Whether FreeCAD leaves a joint out: `Activated` in older files, `Suppressed` in newer ones."""
    return joint.flag("Suppressed", False) or not joint.flag("Activated", True)


def movable(owner: Object) -> list[Object]:
    """The joints of an assembly that would let its parts move."""
    return [j for j in members_with(owner, "JointType") if joint_kind(j) != "Fixed" and not switched_off(j)]

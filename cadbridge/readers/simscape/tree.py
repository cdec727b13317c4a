"""The instance tree: parts placed, sub-assemblies rigid or flexible, rigid groups."""

from __future__ import annotations

from collections import defaultdict

from cadbridge.assembly import FeatureKind, Mate, MateKind, Part
from cadbridge.findings import Where
from cadbridge.readers.simscape.context import Context
from cadbridge.readers.structure import Key, Occurrence
from cadbridge.readers.xml import Element, child, children


def read_tree(c: Context, root: Element, assembly: Element) -> None:
    """Place all instances.

    A sub-assembly is flexible where `rigid` is "false"; where nothing is stated, if it has joints or constraints
    of its own (Onshape writes `rigid` only where it is true) and none of its places says `grounded`.
    """
    tree = child(assembly, "InstanceTree")
    if tree is None:
        c.say("CB181", "the assembly has no InstanceTree", assembly)
        return
    moving, empty = _with_mates_of_their_own(root), _without_parts(root, assembly)
    c.structure.place([o for e in children(tree, "Instance") if (o := _occurrence(c, e, moving, empty)) is not None])


def _with_mates_of_their_own(root: Element) -> set[str]:
    section = child(root, "Assemblies")
    found = set()
    for element in [] if section is None else children(section, "Assembly"):
        if any(children(part) for part in children(element, "Constraints", "Joints")):
            found.add(element.get("uid", ""))
    return found


def _without_parts(root: Element, assembly: Element) -> dict[str, bool]:
    """Assemblies by uid that place nothing, and whether some mate holds an instance of that name."""
    section = child(root, "Assemblies")
    held = {e.text.strip() for e in assembly.iter("{*}Uid") if e.text}
    found: dict[str, bool] = {}
    for element in [] if section is None else children(section, "Assembly"):
        tree = child(element, "InstanceTree")
        held |= {e.text.strip() for e in element.iter("{*}Uid") if e.text}
        if tree is None or not children(tree, "Instance"):
            found[element.get("uid", "")] = False
    for instance in root.iter("{*}Instance"):
        if instance.get("entityUid") in found and instance.get("uid") in held:
            found[instance.get("entityUid", "")] = True
    return found


def _occurrence(c: Context, element: Element, moving: set[str], empty: dict[str, bool]) -> Occurrence | None:
    name = element.get("name") or element.get("uid", "?")
    matrix = c.transform(element, name)
    if matrix is None:
        return None
    below = children(element, "Instance")
    entity = element.get("entityUid", "")
    rigid = (element.get("rigid") or "").lower()
    # SolidWorks exports a virtual sub-assembly whose parts are deleted or suppressed without any instance.
    if not below and entity in empty and not c.structure.known(entity):
        if not empty[entity]:
            c.say("CB171", f"{name} is of the assembly {entity!r}, which places nothing", element, name)
            return None
        c.say("CB169", f"{name} is of an assembly that places nothing, and mates hold it", element, name)
        return Occurrence(name, element.get("uid", ""), matrix, product=entity, where=c.where(element, name))
    return Occurrence(
        name=name,
        uid=element.get("uid", ""),
        matrix=matrix,
        part=None if below else _part(c, element, entity, name),
        children=[o for e in below if (o := _occurrence(c, e, moving, empty)) is not None],
        grounded=(element.get("grounded") or "").lower() == "true",
        flexible=rigid == "false" or (rigid != "true" and entity in moving),
        product=entity,
        where=c.where(element, name),
    )


def _part(c: Context, element: Element, entity: str, name: str) -> str:
    """The part's key; a part that the file does not have is reported and stands without mass or shape."""
    if not c.structure.known(entity):
        text = f"{name} is of part {entity!r}, which the file does not have"
        c.say("CB162", text, element, name)
        c.structure.add_part(entity, Part(name=entity or name, where=c.where(element, entity)))
    return entity


def read_groups(c: Context, assembly: Element) -> tuple[list[Mate], int]:
    """Rigid groups among siblings: each further member fixed to the first. The mates, and how many groups."""
    tree = child(assembly, "InstanceTree")
    groups: dict[tuple[Key, str], list[tuple[Key, Where]]] = defaultdict(list)
    waiting: list[tuple[Key, Element]] = [] if tree is None else [((), e) for e in children(tree, "Instance")]
    while waiting:
        above, element = waiting.pop(0)
        key = (*above, element.get("uid", ""))
        group = element.get("rigidGroup")
        if group:
            groups[above, group].append((key, c.where(element, element.get("name"))))
        waiting += [(key, e) for e in children(element, "Instance")]
    return group_mates(c, groups), len(groups)


def group_mates(c: Context, groups: dict[tuple[Key, str], list[tuple[Key, Where]]]) -> list[Mate]:
    """Fixed mates that hold the members of each group to its first one."""
    mates = []
    for count, members in enumerate(groups.values(), start=1):
        placed = [(c.structure.placed[k], w) for k, w in members if k in c.structure.placed]
        first = next((p for p, _ in placed if p.component), None)
        done = {first.component} if first else set()
        for place, where in placed:
            if first is None or not place.component or place.component in done:
                continue
            done.add(place.component)
            a, b = (c.structure.feature(p, FeatureKind.POINT, (0.0, 0.0, 0.0)) for p in (first, place))
            mates.append(Mate(f"Group:{count} {place.name}", MateKind.FIXED, a, b, where=where))
    return mates

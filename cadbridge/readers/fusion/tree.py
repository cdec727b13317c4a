"""Occurrences of the design tree, their bodies as parts, and the STEP files of bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.assembly import Part
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Severity
from cadbridge.frames import Matrix
from cadbridge.geometry import Shape
from cadbridge.readers.fusion.context import Context
from cadbridge.readers.json_file import names_of, text_of
from cadbridge.readers.paths import inside
from cadbridge.readers.placement import EXACT_ROTATION, affine
from cadbridge.readers.structure import DEEPEST_ASSEMBLY, Key, Occurrence

KG_PER_CM3 = 1e6
"""kg/m³ a kg/cm³, the unit of Fusion's densities."""


def read_tree(c: Context) -> None:
    """Place the occurrences; one whose parts a joint can move among themselves is flexible, others are rigid.

    The root component's own bodies are fixed in the world. A component's bodies lie rigidly together.
    """
    tree = _Tree(c)
    root = c.file.mapping(c.file.content.get("root"), "root")
    branches = c.file.mapping(c.file.mapping(c.file.content.get("tree"), "tree").get("root"), "tree.root")
    occurrences = tree.branch(branches, ())
    component = text_of(root.get("component"))
    bodies = tree.bodies(component, root.get("bodies"))
    c.keys[""] = ()
    if bodies:
        name = text_of(tree.components.get(component, {}).get("name")) or "root"
        own = Occurrence(name, "", np.eye(3, 4), grounded=True, where=c.file.where(component))
        _give(own, bodies)
        occurrences.insert(0, own)
        c.keys[""] = ("",)
    c.structure.place(occurrences)


def _give(occurrence: Occurrence, bodies: list[Occurrence]) -> None:
    """Put the bodies into an occurrence without other content: as its part, or as rigid children."""
    if len(bodies) == 1:
        occurrence.part = bodies[0].part
    else:
        occurrence.children = bodies


class _Tree:
    def __init__(self, c: Context) -> None:
        self._c = c
        self._occurrences = dict(c.entries("occurrences"))
        self.components = dict(c.entries("components"))
        self._bodies = dict(c.entries("bodies"))
        self._moved = _moved_pairs(c)
        self._add_parts()

    def branch(self, node: dict[str, Any], above: Key) -> list[Occurrence]:
        """The occurrences of a level of the tree."""
        c = self._c
        if len(above) > DEEPEST_ASSEMBLY:
            c.file.say("CB138", f"the tree is deeper than {DEEPEST_ASSEMBLY} levels")
            raise InputError(f"{c.file.path.name} is nested too deeply.", c.findings)
        found = []
        for uuid, below in node.items():
            entry = self._occurrences.get(uuid)
            if entry is None:
                c.file.say("CB162", f"the tree names the occurrence {uuid!r}, which is not in the file", uuid)
                continue
            if uuid in c.keys:
                c.file.say("CB162", f"the tree names the occurrence {uuid!r} twice", uuid)
                continue
            made = self._occurrence(uuid, entry, c.file.mapping(below, f"tree: {uuid}"), above)
            if made is not None:
                found.append(made)
        return found

    def _occurrence(self, uuid: str, entry: dict[str, Any], below: dict[str, Any], above: Key) -> Occurrence | None:
        c, key = self._c, (*above, uuid)
        name = text_of(entry.get("name")) or uuid
        matrix = _transform(c, entry.get("transform"), name)
        if matrix is None:
            return None
        c.keys[uuid] = key
        children = self.branch(below, key)
        component = text_of(entry.get("component"))
        bodies = self.bodies(component, entry.get("bodies"))
        made = Occurrence(
            name, uuid, matrix, grounded=entry.get("is_grounded") is True, product=component,
            where=c.file.where(uuid, name),
        )  # fmt: skip
        if not children:
            _give(made, bodies)
            return made
        made.children = children
        made.flexible = self._flexible(below, uuid)
        if bodies:
            own = Occurrence("bodies", "", np.eye(3, 4), grounded=True, where=made.where)
            _give(own, bodies)
            made.children = [own, *children]
        return made

    def _flexible(self, below: dict[str, Any], uuid: str) -> bool:
        inner = {uuid}
        waiting = [below]
        while waiting:
            node = waiting.pop()
            inner |= set(node)
            waiting += [v for v in node.values() if isinstance(v, dict)]
        return any(a in inner and b in inner for a, b in self._moved)

    def bodies(self, component: str, shown: Any) -> list[Occurrence]:
        """The bodies of a component, as leaves without motion."""
        # The occurrence lists only bodies that are shown; hidden ones have mass too.
        listed = names_of(self.components.get(component, {}).get("bodies"))
        uuids = listed if listed is not None else tuple(shown) if isinstance(shown, dict) else ()
        made = []
        for uuid in uuids:
            if self._c.structure.known(uuid):
                name = text_of(self._bodies[uuid].get("name")) or uuid
                made.append(Occurrence(name, uuid, np.eye(3, 4), uuid, where=self._c.file.where(uuid, name)))
            else:
                self._c.file.say("CB162", f"a component has the body {uuid!r}, which is not in the file", uuid)
        return made

    def _add_parts(self) -> None:
        """A part for each body, named after its component where it is the only one."""
        c = self._c
        owner = {b: entry for entry in self.components.values() for b in names_of(entry.get("bodies")) or ()}
        shapes = _shapes(c, self._bodies)
        for uuid, body in self._bodies.items():
            component = owner.get(uuid, {})
            alone = len(names_of(component.get("bodies")) or ()) == 1
            name = text_of(component.get("name")) if alone else text_of(body.get("name"))
            material = c.file.mapping(body.get("material"), f"material of {uuid}").get("name")
            physical = c.file.mapping(body.get("physical_properties"), f"physical_properties of {uuid}")
            given = physical.get("density")
            stated = None if given is None else c.file.number(given, f"density of {uuid}", uuid)
            density = stated * KG_PER_CM3 if stated is not None and stated > 0 else None
            part = Part(
                name=name or uuid,
                shape=shapes.get(uuid),
                material=material if isinstance(material, str) else None,
                density=density,
                density_source=None if density is None else "file",
                where=c.file.where(uuid, name),
            )
            c.structure.add_part(uuid, part)


def _moved_pairs(c: Context) -> list[tuple[str, str]]:
    """The occurrences that joints with motion connect."""
    pairs = []
    for section in ("joints", "as_built_joints"):
        content = c.file.content.get(section)
        for joint in content.values() if isinstance(content, dict) else ():
            motion = joint.get("joint_motion") if isinstance(joint, dict) else None
            if isinstance(motion, dict) and motion.get("joint_type") != "RigidJointType":
                pairs.append((text_of(joint.get("occurrence_one")), text_of(joint.get("occurrence_two"))))
    return pairs


def _transform(c: Context, value: Any, name: str) -> Matrix | None:
    """The map (3, 4) in m of origin and axes, which are columns; the identity without one."""
    if value is None:
        return np.eye(3, 4)
    entry = c.file.mapping(value, f"the transform of {name}")
    origin = c.xyz(entry.get("origin"), f"{name}: origin", name)
    axes = [c.xyz(entry.get(f"{k}_axis"), f"{name}: {k}_axis", name) for k in "xyz"]
    columns = [a for a in axes if a is not None]
    if origin is None or len(columns) != 3:
        return None
    R = np.column_stack(columns)
    if float(np.abs(R.T @ R - np.eye(3)).max()) > EXACT_ROTATION:
        c.file.say("CB181", f"{name} is not placed by a rigid motion; it is left out", name)
        return None
    # Written axes are rounded; the nearest rotation keeps products of many placements orthogonal.
    U, _, Vt = np.linalg.svd(R)
    return affine(U @ Vt, origin * c.length)


def _shapes(c: Context, bodies: dict[str, dict[str, Any]]) -> dict[str, Shape]:
    """The shapes of the bodies' STEP files, which lie beside the document."""
    if not c.options.geometry:
        return {}
    files: dict[str, Path] = {}
    folder = c.file.path.resolve().parent
    only_smt = [u for u, b in bodies.items() if text_of(b.get("smt")) and not _is_there(folder, text_of(b.get("step")))]
    _report_smt(c, only_smt)
    for uuid, body in bodies.items():
        name = text_of(body.get("step"))
        if name and uuid not in only_smt:
            where = c.file.where(name, uuid)
            path = inside(folder / name.replace("\\", "/"), (folder,), c.findings, where, "CB112")
            if path is not None:
                files[uuid] = path
    if not files:
        return {}
    from cadbridge.shapes import load_shapes

    collected = Findings()
    found = load_shapes(files.values(), findings=collected)
    for finding in collected:
        # A body without its shape leaves the mechanism whole, so what is fatal to the STEP file is no more than a
        # missing shape here.
        if finding.severity is Severity.ERROR:
            c.findings.add("CB193", f"no shape: {finding.message} ({finding.code})", finding.where)
        else:
            c.findings.extend([finding])
    return {uuid: found[p] for uuid, p in files.items() if p in found}


def _is_there(folder: Path, name: str) -> bool:
    try:
        return bool(name) and (folder / name.replace("\\", "/")).is_file()
    except (OSError, ValueError):
        return False


def _report_smt(c: Context, uuids: list[str]) -> None:
    """Report, once, the bodies whose shape stands in Autodesk's own format alone."""
    if uuids:
        n = len(uuids)
        text = f"the shapes of {n} bod{'y' if n == 1 else 'ies'} are given as .smt, without a STEP file beside it"
        c.findings.add("CB1316", text, c.file.where(uuids[0], uuids[0]))

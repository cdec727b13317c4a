"""Simscape Multibody XML, schema 2: what SolidWorks, Inventor and Creo export, with the STEP files of the parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cadbridge.assembly import (
    Assembly,
    Component,
    Feature,
    FeatureKind,
    Instance,
    Mate,
    MateKind,
    Part,
    Shape,
)
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Severity, Where
from cadbridge.frames import Pose, Vector, unit
from cadbridge.inertia import MassProperties
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.xml import Element, child, children, local, numbers, parse
from cadbridge.units import LENGTH, MASS

ROUNDING = 1e-6
"""How far a rotation may be from an orthonormal one."""

_KINDS: dict[str, MateKind] = {
    "Concentric": MateKind.CONCENTRIC,
    "Coincident": MateKind.COINCIDENT,
    "Distance": MateKind.DISTANCE,
    "Parallel": MateKind.PARALLEL,
    "Perpendicular": MateKind.PERPENDICULAR,
    "Tangent": MateKind.TANGENT,
    "Angle": MateKind.ANGLE,
    "Lock": MateKind.FIXED,
    "Fixed": MateKind.FIXED,
}
_FEATURES: dict[str, FeatureKind] = {
    "plane": FeatureKind.PLANE,
    "cylinder": FeatureKind.AXIS,
    "cone": FeatureKind.AXIS,
    "line": FeatureKind.AXIS,
    "axis": FeatureKind.AXIS,
    "circle": FeatureKind.AXIS,
    "point": FeatureKind.POINT,
    "sphere": FeatureKind.SPHERE,
}


@dataclass
class _Reader:
    """What the steps of `read` share. `length` and `mass` are metres and kilograms a unit of the file."""

    path: Path
    findings: Findings
    length: float = 1.0
    mass: float = 1.0
    parts: dict[str, Part] = field(default_factory=dict)
    instances: list[Instance] = field(default_factory=list)
    components: list[Component] = field(default_factory=list)
    by_uid: dict[tuple[str, ...], Instance] = field(default_factory=dict)
    tree: list[dict[str, object]] = field(default_factory=list)

    def where(self, element: Element, item: str | None = None) -> Where:
        """The place of an element."""
        return Where(str(self.path), element.sourceline, None, item)

    def values(self, parent: Element, name: str, count: int, item: str) -> Vector | None:
        """The numbers of a child element; a finding and None where they cannot be read."""
        element = child(parent, name)
        found = None if element is None else numbers(element.text, count)
        if found is None:
            place = parent if element is None else element
            self.findings.add("CB161", f"{item}: {name} must hold {count} numbers", self.where(place, item))
            return None
        return np.array(found)


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly with its mates from a Simscape Multibody XML file; the STEP files of parts lie beside it.

    InputError where nothing can be read; all else is in the findings, and what they concern is left out.
    """
    options = options or ReadOptions()
    r = _Reader(Path(path), Findings())
    root = parse(r.path, r.findings)
    assembly = child(root, "RootAssembly") if local(root) == "SimscapeMultibodyImportXML" else None
    if assembly is None:
        r.findings.add("CB160", f"the root is {local(root)!r}", r.where(root))
        raise InputError(f"{r.path.name} is no Simscape Multibody file of schema 2.", r.findings)
    units = _units(r, root, options)
    _parts(r, root, options)
    tree = child(assembly, "InstanceTree")
    for element in [] if tree is None else children(tree, "Instance"):
        _instance(r, element, Pose(), (), (), None)
    mates, given = _mates(r, root, assembly)
    return Assembly(
        name=assembly.get("name") or r.path.stem,
        source=str(r.path),
        format="simscape",
        parts=tuple(r.parts.values()),
        instances=tuple(r.instances),
        components=tuple(r.components),
        mates=mates,
        units=units,
        mates_in_file=given,
        extra={"tree": r.tree},
        findings=r.findings.as_tuple(),
    )


def _units(r: _Reader, root: Element, options: ReadOptions) -> tuple[str, ...]:
    """Take the units of the data (not those of the model) and keep the ledger."""
    data, model = child(root, "DataUnits"), child(root, "ModelUnits")
    names = {"length": "meter", "mass": "kilogram"}
    for name, table in (("length", LENGTH), ("mass", MASS)):
        said = None if data is None else data.get(name)
        if said in table:
            names[name] = said
        else:
            place = root if data is None else data
            r.findings.add("CB161", f"DataUnits {name} is {said!r}; {names[name]} is taken", r.where(place))
    if options.length_unit in LENGTH:
        names["length"] = str(options.length_unit)
    r.length, r.mass = LENGTH[names["length"]], MASS[names["mass"]]
    ledger = [f"data in {names['length']} and {names['mass']} → m and kg"]
    if model is not None:
        ledger.append(f"modelled in {model.get('length')} and {model.get('mass')} (not used)")
    return tuple(ledger)


def _parts(r: _Reader, root: Element, options: ReadOptions) -> None:
    """The parts with the masses that the file declares, and their shapes where the STEP files are there."""
    section = child(root, "Parts")
    elements = [] if section is None else children(section, "Part")
    files = {e.get("uid", ""): _geometry_file(r, e) for e in elements}
    shapes = _shapes(r, files, options)
    for element in elements:
        uid, name = element.get("uid", ""), element.get("name") or element.get("uid", "part")
        taken = {p.name for p in r.parts.values()}
        unique, count = name, 2
        while unique in taken:
            unique, count = f"{name} ({count})", count + 1
        r.parts[uid] = Part(
            name=unique,
            shape=shapes.get(uid),
            declared=_declared(r, element, name),
            colour=_colour(element),
            where=r.where(element, unique),
        )


def _geometry_file(r: _Reader, part: Element) -> Path | None:
    """The STEP file of a part, beside the XML and nowhere else; endings in any case."""
    element = child(part, "GeometryFile")
    name = None if element is None else element.get("name")
    if not name:
        return None
    folder = r.path.resolve().parent
    wanted: Path = (folder / str(name).replace("\\", "/")).resolve()
    where = r.where(element, part.get("name"))
    if not wanted.is_relative_to(folder):
        r.findings.add("CB102", f"{name} lies outside {folder.name}", where)
        return None
    if wanted.is_file():
        return wanted
    if wanted.parent.is_dir():
        for candidate in sorted(wanted.parent.iterdir()):
            if candidate.name.lower() == wanted.name.lower() and candidate.is_file():
                return candidate
    r.findings.add("CB106", f"the geometry file {name} is missing", where)
    return None


def _shapes(r: _Reader, files: dict[str, Path | None], options: ReadOptions) -> dict[str, Shape]:
    if not options.geometry:
        return {}
    from cadbridge.shapes import load_shapes

    said = Findings()
    found = load_shapes([p for p in files.values() if p is not None], findings=said)
    for finding in said:
        # A part without a shape leaves the mates and the declared masses usable.
        if finding.severity is Severity.ERROR:
            r.findings.add("CB167", f"no shape: {finding.message} ({finding.code})", finding.where)
        else:
            r.findings.extend([finding])
    return {uid: found[p] for uid, p in files.items() if p in found}


def _declared(r: _Reader, part: Element, name: str) -> MassProperties | None:
    """Mass, centre and inertia about the centre; the six are xx yy zz yz xz xy, products with their sign."""
    element = child(part, "MassProperties")
    if element is None:
        return None
    mass = r.values(element, "Mass", 1, name)
    com = r.values(element, "CenterOfMass", 3, name)
    six = r.values(element, "Inertia", 6, name)
    if mass is None or com is None or six is None:
        return None
    if not mass[0] > 0:
        r.findings.add("CB163", f"{name} has a mass of {mass[0]:g}", r.where(element, name))
        return None
    xx, yy, zz, yz, xz, xy = six * r.mass * r.length**2
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(float(mass[0]) * r.mass, com * r.length, inertia)


def _colour(part: Element) -> tuple[float, float, float, float] | None:
    visual = child(part, "VisualProperties")
    diffuse = None if visual is None else child(visual, "Diffuse")
    if diffuse is None:
        return None
    found = numbers(" ".join(diffuse.get(key, "") for key in "rgba"), 4)
    return None if found is None else (found[0], found[1], found[2], found[3])


def _instance(
    r: _Reader, element: Element, X_WP: Pose, path: tuple[str, ...], uids: tuple[str, ...], component: str | None
) -> str | None:
    """An instance and what is below it; returns its path. A rigid sub-assembly is one component."""
    name = "/".join((*path, element.get("name") or element.get("uid", "?")))
    uid = (*uids, element.get("uid", ""))
    X_PI = _transform(r, element, name)
    if X_PI is None:
        return None
    X_WI = X_WP @ X_PI
    below = children(element, "Instance")
    flexible = bool(below) and element.get("rigid") == "false"
    if component is None and not flexible:
        component = name
        grounded = element.get("grounded") == "true"
        r.components.append(Component(name, (), X_WI, grounded, where=r.where(element, name)))
    row: dict[str, object] = {"path": name, "product": element.get("entityUid", ""), "X_WI": X_WI}
    r.tree.append(row)
    inner = [_instance(r, e, X_WI, (*path, name.rsplit("/", 1)[-1]), uid, component) for e in below]
    row |= {"children": [p for p in inner if p], "leaf": not below}
    if not below and component is not None:
        _leaf(r, element, name, uid, X_WI, component)
    return name


def _leaf(r: _Reader, element: Element, name: str, uid: tuple[str, ...], X_WI: Pose, component: str) -> None:
    part = r.parts.get(element.get("entityUid", ""))
    if part is None:
        said = element.get("entityUid")
        r.findings.add("CB162", f"{name} is of part {said!r}, which the file does not have", r.where(element, name))
        part = r.parts[str(said)] = Part(name=str(said), where=r.where(element, str(said)))
    instance = Instance(name, part.name, X_WI, component, product_path=uid)
    r.instances.append(instance)
    r.by_uid[uid] = instance
    for i, c in enumerate(r.components):
        if c.name == component:
            r.components[i] = Component(c.name, (*c.instances, name), c.X_WC, c.grounded, c.override, c.where)


def _transform(r: _Reader, element: Element, name: str) -> Pose | None:
    transform = child(element, "Transform")
    if transform is None:
        return Pose()
    nine = r.values(transform, "Rotation", 9, name)
    three = r.values(transform, "Translation", 3, name)
    if nine is None or three is None:
        return None
    R = nine.reshape(3, 3)
    if float(np.max(np.abs(R @ R.T - np.eye(3)))) > ROUNDING or float(np.linalg.det(R)) < 0:
        r.findings.add("CB166", f"{name} is not placed by a rigid motion; it is left out", r.where(transform, name))
        return None
    U, _, Vt = np.linalg.svd(R)
    return Pose(U @ Vt, three * r.length)


def _mates(r: _Reader, root: Element, assembly: Element) -> tuple[tuple[Mate, ...], int]:
    """The mates of the root and of flexible sub-assemblies, and how many constraints the file has."""
    holders: list[tuple[Element, list[tuple[str, ...]]]] = [(assembly, [()])]
    section = child(root, "Assemblies")
    for element in [] if section is None else children(section, "Assembly"):
        places = _places(child(assembly, "InstanceTree"), element.get("uid"), ())
        holders.append((element, places))
    mates: list[Mate] = []
    given = 0
    for holder, prefixes in holders:
        for part in ("Constraints", "Joints"):
            section = child(holder, part)
            for element in [] if section is None else children(section):
                given += max(1, len(prefixes))
                made = [_mate(r, element, prefix) for prefix in prefixes]
                mates += [m for m in made if m is not None]
    return tuple(mates), given


def _places(tree: Element | None, entity: str | None, uids: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The paths at which an assembly is placed."""
    found: list[tuple[str, ...]] = []
    for element in [] if tree is None else children(tree, "Instance"):
        here = (*uids, element.get("uid", ""))
        if element.get("entityUid") == entity:
            found.append(here)
        found += _places(element, entity, here)
    return found


def _mate(r: _Reader, element: Element, prefix: tuple[str, ...]) -> Mate | None:
    """A constraint between two features; a finding and None where it cannot be one."""
    tag = local(element)
    name = element.get("name") or f"{tag}@{element.sourceline}"
    where = r.where(element, name)
    kind = _KINDS.get(tag)
    sides = children(element, "ConstraintGeometry")
    if kind is None or len(sides) != 2:
        r.findings.add("CB164", f"{tag} {name} with {len(sides)} features is not understood", where)
        return None
    value = _value(element)
    if kind in (MateKind.DISTANCE, MateKind.ANGLE) and value is None:
        r.findings.add("CB165", f"{name} has no value", where)
        return None
    features = [_feature(r, side, prefix, name) for side in sides]
    a, b = features
    if a is None or b is None:
        return None
    if a.component == b.component:
        r.findings.add("CB168", f"{name} holds two places of {a.component}, which is rigid", where)
        return None
    scale = np.pi / 180.0 if kind is MateKind.ANGLE else r.length
    return Mate(name, kind, a, b, value=(value or 0.0) * scale, where=where)


def _value(element: Element) -> float | None:
    """The value of a distance (file's unit) or an angle (degrees): an attribute or a child element."""
    readers: tuple[Callable[[], str | None], ...] = (
        lambda: element.get("value"),
        lambda: next((c.text for c in children(element, "Value", "Distance", "Angle", "Offset")), None),
    )
    for get in readers:
        found = numbers(get(), 1)
        if found is not None:
            return found[0]
    return None


def _feature(r: _Reader, side: Element, prefix: tuple[str, ...], mate: str) -> Feature | None:
    """A feature of an instance, moved to its component's frame."""
    path = child(side, "InstancePath")
    uids = (*prefix, *((e.text or "").strip() for e in ([] if path is None else children(path, "Uid"))))
    instance = r.by_uid.get(uids)
    if instance is None:
        r.findings.add("CB162", f"{mate} holds {'/'.join(uids)!r}, which is no instance", r.where(side, mate))
        return None
    kind = _FEATURES.get(side.get("geomType", ""))
    if kind is None:
        r.findings.add("CB164", f"{mate}: a feature of type {side.get('geomType')!r}", r.where(side, mate))
        return None
    point = r.values(side, "Position", 3, mate)
    directed = kind not in (FeatureKind.POINT, FeatureKind.SPHERE)
    axis = r.values(side, "Axis", 3, mate) if directed else None
    if point is None or (directed and axis is None):
        return None
    if axis is not None and not float(np.linalg.norm(axis)) > 0:
        r.findings.add("CB161", f"{mate}: an axis of no length", r.where(side, mate))
        return None
    component = next(c for c in r.components if c.name == instance.component)
    X_CI = component.X_WC.inverse() @ instance.X_WI
    radius = numbers(side.get("radius"), 1)
    return Feature(
        component=component.name,
        kind=kind,
        point=X_CI.point(point * r.length),
        direction=None if axis is None else unit(X_CI.vector(axis)),
        radius=None if radius is None else radius[0] * r.length,
        instance=instance.name,
        label=side.get("geomType", ""),
    )

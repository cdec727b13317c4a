"""Simscape Multibody XML, schema 2: what SolidWorks, Inventor, Creo and Onshape export, with the parts' STEP files."""

from __future__ import annotations

from pathlib import Path

from cadbridge.assembly import Assembly
from cadbridge.errors import InputError
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.simscape.context import Context
from cadbridge.readers.simscape.mates import read_mates
from cadbridge.readers.simscape.parts import read_parts
from cadbridge.readers.simscape.tree import read_groups, read_tree
from cadbridge.readers.xml import Element, child, local, parse, report_misspelt
from cadbridge.units import LENGTH, MASS

__all__ = ["read"]


_NAMES = frozenset((
    "SimscapeMultibodyImportXML", "Created", "ModelUnits", "DataUnits", "RootAssembly", "Assemblies", "Assembly",
    "AssemblyFile", "Parts", "Part", "PartFile", "GeometryFile", "MassProperties", "Mass", "CenterOfMass",
    "Inertia", "VisualProperties", "Ambient", "Diffuse", "Specular", "Emissive", "Shininess", "InstanceTree",
    "Instance", "InstancePath", "Uid", "Transform", "Rotation", "Translation", "Constraints", "Joints",
    "ConstraintGeometry", "Position", "Axis", "BaseFrame", "FollowerFrame", "Value", "Distance", "Angle", "Offset",
    "Concentric", "Coincident", "Parallel", "Perpendicular", "Tangent", "Lock", "Fixed", "Weld", "Rigid",
    "Revolute", "Prismatic", "Cylindrical", "Spherical", "Planar", "Universal", "Gimbal", "Bearing", "Telescoping",
    "Rectangular", "Cartesian", "Bushing", "PinSlot", "SixDof", "name", "uid", "entityUid", "geomType", "grounded",
    "rigid", "rigidGroup", "radius", "value", "from", "using", "type", "version", "mass", "length",
))  # fmt: skip
"""Elements and attributes of the format."""


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly with its mates from a Simscape Multibody XML file; the STEP files of parts lie beside it.

    InputError where nothing can be read; all else is in the findings, and what they concern is left out.
    """
    c = Context(Path(path), options or ReadOptions())
    root = parse(c.path, c.findings)
    assembly = child(root, "RootAssembly") if local(root) == "SimscapeMultibodyImportXML" else None
    if assembly is None:
        c.say("CB180", f"the root is {local(root)!r}", root)
        raise InputError(f"{c.path.name} is not a Simscape Multibody file of schema 2.", c.findings)
    report_misspelt(root, _NAMES, c.say)
    units = _units(c, root)
    read_parts(c, root)
    read_tree(c, root, assembly)
    mates, given = read_mates(c, root, assembly)
    grouped, groups = read_groups(c, assembly)
    return Assembly(
        name=assembly.get("name") or c.path.stem,
        source=str(c.path),
        format="simscape",
        parts=tuple(c.structure.parts.values()),
        instances=tuple(c.structure.instances),
        components=c.structure.components,
        mates=(*mates, *grouped),
        units=units,
        mates_in_file=given + groups,
        extra={"tree": c.structure.tree},
        findings=c.findings.as_tuple(),
    )


def _units(c: Context, root: Element) -> tuple[str, ...]:
    """Take the units of the data, those of the model where there are none (Creo), and keep the ledger."""
    data, model = child(root, "DataUnits"), child(root, "ModelUnits")
    # The two differ in real files: Onshape models in pounds and writes its data in kilograms.
    used = model if data is None else data
    names = {"length": "meter", "mass": "kilogram"}
    for name, table in (("length", LENGTH), ("mass", MASS)):
        unit = None if used is None else used.get(name)
        if unit in table:
            names[name] = unit
        else:
            what = "DataUnits" if used is data else "ModelUnits"
            c.say("CB181", f"{what} {name} is {unit!r}; {names[name]} is taken", root if used is None else used)
    if c.options.length_unit in LENGTH:
        names["length"] = str(c.options.length_unit)
    c.length, c.mass = LENGTH[names["length"]], MASS[names["mass"]]
    ledger = [f"data in {names['length']} and {names['mass']} → m and kg"]
    if model is not None and data is not None:
        ledger.append(f"modelled in {model.get('length')} and {model.get('mass')} (not used)")
    return tuple(ledger)

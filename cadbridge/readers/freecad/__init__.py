"""FreeCAD 1.x `.FCStd` with an assembly: parts with their B-Rep, links, sub-assemblies, joints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cadbridge.assembly import Assembly, Component, Coupling, Mate, Part
from cadbridge.findings import Findings, Where
from cadbridge.readers.freecad.document import FreecadFile, Library, Object
from cadbridge.readers.freecad.held import members_with
from cadbridge.readers.freecad.joints import Joints
from cadbridge.readers.freecad.kinds import ASSEMBLY, CONTAINERS
from cadbridge.readers.freecad.references import Resolver, place_of_assembly
from cadbridge.readers.freecad.simulations import read_study
from cadbridge.readers.freecad.tree import PlacedAssembly, UnnamedComponent, Walker, named
from cadbridge.readers.options import ReadOptions
from cadbridge.shapes import Brep, load_breps
from cadbridge.units import LENGTH
from cadbridge.wording import count, listed

WORKBENCHES = (
    ("A2plus", "constraint", ("Object1", "Object2", "SubElement1")),
    ("Assembly4", "attachment", ("AttachedTo",)),
    ("Assembly3", "constraint", ("ConstraintType",)),
)
"""Other workbenches with assemblies: what holds their parts, and the properties by which an object is known as such,
Assembly4's first: the constraints of its first versions have a ConstraintType too."""

MIRROR = "_mirror"
"""Ends the name of A2plus's second entry of a constraint, below the other part."""

Scope = tuple[Object, tuple[str, ...]]
"""An assembly, or a flexible sub-assembly, with its way from the root."""


def read(path: Path, options: ReadOptions | None = None) -> Assembly:
    """An assembly with its joints; without an assembly in the file, its parts without mates.

    FreeCAD stores millimetres and degrees whatever it shows. InputError where nothing can be read; all else is in the
    findings, and what they concern is left out.
    """
    options = options or ReadOptions()
    findings = Findings()
    unit = options.length_unit if options.length_unit in LENGTH else "mm"
    library = Library(findings, LENGTH[unit], options.package_dirs)
    try:
        document = library.open(Path(path))
        return _assembly(document, library, options, unit, findings)
    finally:
        library.close()


def _assembly(document: FreecadFile, library: Library, options: ReadOptions, unit: str, findings: Findings) -> Assembly:
    root = _root(document, findings)
    walker = Walker(library, findings)
    if root is None:
        _loose(document, walker, options.hidden, findings)
    else:
        walker.assembly(root, place_of_assembly(root))
    scopes: list[Scope] = [] if root is None else [(root, ()), *walker.flexible]
    draft = named(walker.units)
    # Shapes come before joints: what a Distance joint means depends on the kinds of the faces and edges that it names.
    breps = _shapes(draft, options, LENGTH[unit] / LENGTH["mm"], findings)
    further = Further(breps, options, LENGTH[unit] / LENGTH["mm"])
    resolver = Resolver(library, draft.by_way, further, root, options.geometry)
    grounded = {u.way for u in _grounded(scopes, resolver)}
    reader = Joints(resolver, findings, LENGTH[unit])
    mates, couplings, given = _joints(scopes, reader)
    held = {f.component for m in mates for f in (m.a, m.b)} | {u.name for u in walker.units if u.way in grounded}
    held |= {f.component for k in couplings for f in (k.a, k.b) if f is not None}
    # Only all joints together tell a helper, which nothing holds, from a part whose shape is missing.
    idle = _idle(walker.units, held, findings)
    instances = tuple(i for i in draft.instances if i.component not in idle)
    used = {i.part for i in instances}
    if not instances and not mates and not findings.errors:
        cure = "Show its parts in FreeCAD and save it, or export the assembly as STEP."
        findings.add("CB180", f"{document.path.name} holds no part with a shape", Where(str(document.path)), cure)
    return Assembly(
        name=document.path.stem if root is None else root.label,
        source=str(document.path),
        format="freecad",
        parts=tuple(_with_shape(p, breps.get(key)) for key, p in draft.parts.items() if p.name in used),
        instances=instances,
        components=tuple(
            replace(c, grounded=u.way in grounded)
            for c, u in zip(draft.components, walker.units, strict=True)
            if c.name not in idle
        ),
        mates=tuple(mates),
        couplings=tuple(couplings),
        units=(f"lengths in {unit} → m", "angles in degrees → rad", f"written by FreeCAD {document.program}"),
        mates_in_file=given,
        study=None if root is None else read_study(root, reader.made, LENGTH[unit], findings),
        extra={"tree": tuple(n for c in draft.components if c.name not in idle for n in _nodes(c, draft))},
        findings=findings.as_tuple(),
    )


def _idle(units: list[UnnamedComponent], held: set[str], findings: Findings) -> set[str]:
    """Names of what no joint holds and what has no shape: exploded views and other helpers, links to empty bodies.

    What could have been a part is reported, and what a joint holds although it has no shape.
    """
    idle = set()
    for unit in units:
        if unit.leaves:
            continue
        if unit.name in held:
            findings.add("CB1235", f"{unit.name} has no shape, and joints hold it", unit.object.where())
            continue
        idle.add(unit.name)
        if unit.object.shows or unit.object.type in CONTAINERS or unit.object.file("Shape"):
            findings.add("CB1237", f"{unit.name} has no shape, and no joint holds it", unit.object.where())
    return idle


def _nodes(component: Component, draft: PlacedAssembly) -> list[dict[str, object]]:
    """A component and what is in it, for the mates file to make flexible."""
    inner = [i for i in component.instances if i != component.name]
    X_WI = {i: draft.pose_of[i] for i in inner}
    top = {"path": component.name, "X_WI": component.X_WC, "children": tuple(inner), "leaf": not inner}
    return [top, *({"path": i, "X_WI": X, "children": (), "leaf": True} for i, X in X_WI.items())]


def _root(document: FreecadFile, findings: Findings) -> Object | None:
    """The assembly that no other holds; of several, the one with the most in it. None where there is none."""
    assemblies = document.of_type(ASSEMBLY)
    within = {name for o in document.objects.values() for name in o.links("Group")}
    # An assembly that a link shows is a sub-assembly too, although no group lists it.
    within |= {target[1] for o in document.objects.values() if (target := o.link("LinkedObject")) and not target[0]}
    tops = [a for a in assemblies if a.name not in within] or assemblies
    if not tops:
        if _of_another_workbench(document, findings):
            return None
        findings.add("CB1233", f"{document.path.name} holds no assembly", Where(file=str(document.path)))
        return None
    chief = max(tops, key=lambda a: len(a.links("Group")))
    for other in tops:
        if other is not chief:
            findings.add(
                "CB1234", f"the file has several assemblies: {chief.label} is read, {other.label} is not", other.where()
            )
    return chief


def _of_another_workbench(document: FreecadFile, findings: Findings) -> bool:
    """Whether the document is an assembly of a workbench whose joints are not read; CB1244 then."""
    for workbench, what, marks in WORKBENCHES:
        found = [o for o in document.objects.values() if all(map(o.has, marks)) and not o.name.endswith(MIRROR)]
        if found:
            text = (
                f"{document.path.name} is an assembly of the workbench {workbench}: {count(len(found), what)} not read"
            )
            findings.add("CB1244", text, found[0].where(), items=[o.label for o in found])
            return True
    return False


def _loose(document: FreecadFile, walker: Walker, with_hidden: bool, findings: Findings) -> None:
    """The parts of a document without an assembly: what no other object holds or uses, folders opened."""
    held = {name for o in document.objects.values() for key in ("Group", "ElementList") for name in o.links(key)}
    tops = [o for o in document.objects.values() if o.name not in held and not walker.is_aside(o)]
    placed = [found for o in tops for found in walker.opened(o)]
    # What links show is a stock of parts beside the assembly.
    linked = {target[1] for o in document.objects.values() if (target := o.link("LinkedObject")) and not target[0]}
    hidden = [(o, X) for o, X in placed if not o.visible and o.name not in linked]
    for item, X in placed:
        if item.visible or (with_hidden and item.name not in linked):
            walker.loose(item, X)
    if with_hidden:
        return
    shown = len(walker.units)
    # A document is sometimes saved with all of it hidden.
    for item, X in hidden:
        walker.loose(item, X)
    found = walker.units[shown:]
    if not found:
        return
    names = [u.object.label for u in found]
    text = f"{listed(names)} and what they hold are read, as no part of {document.path.name} is visible"
    if shown:
        text = f"hidden and not read: {listed(names)}"
        del walker.units[shown:]
    findings.add("CB1239", text, found[0].object.where(), items=names)


def _shapes(
    draft: PlacedAssembly, options: ReadOptions, scale: float, findings: Findings
) -> dict[tuple[str, str], Brep]:
    """The B-Reps of all parts, read once each."""
    if not options.geometry:
        return {}
    found: dict[tuple[str, str], Brep] = {}
    by_document: dict[Path, dict[str, Object]] = {}
    for (_, name), holder in draft.holders.items():
        by_document.setdefault(holder.document.path, {})[name] = holder
    for path, holders in by_document.items():
        blobs = {}
        for name, holder in holders.items():
            data = holder.document.archive.read(str(holder.file("Shape")))
            if data is not None:
                blobs[name] = data
        for name, brep in load_breps(blobs, path, findings, scale=scale).items():
            source = (str(path), str(holders[name].file("Shape")))
            found[str(path), name] = replace(brep, shape=replace(brep.shape, source=source))
    return found


class Further:
    """Shapes by document and name: those of parts, and of what is no part but has edges that joints name: sketches."""

    def __init__(self, breps: dict[tuple[str, str], Brep], options: ReadOptions, scale: float) -> None:
        self._known: dict[tuple[str, str], Brep | None] = {**breps}
        self._options, self._scale = options, scale

    def __call__(self, holder: Object) -> Brep | None:
        """The shape of an object; None where it has none that can be read."""
        key = (str(holder.document.path), holder.name)
        file = holder.file("Shape") if self._options.geometry else None
        if key not in self._known and file:
            data = holder.document.archive.read(file)
            # What is no part needs no solid: what is missing in it is no fault.
            found = (
                {}
                if data is None
                else load_breps({holder.name: data}, holder.document.path, Findings(), scale=self._scale)
            )
            self._known[key] = found.get(holder.name)
        return self._known.get(key)


def _with_shape(part: Part, brep: Brep | None) -> Part:
    return part if brep is None else replace(part, shape=brep.shape)


def _grounded(scopes: list[Scope], resolver: Resolver) -> list[UnnamedComponent]:
    """What the root's grounded joints hold; those of sub-assemblies hold them in their own, not in the world."""
    found = []
    for owner, way in scopes[:1]:
        for joint in members_with(owner, "ObjectToGround"):
            unit = resolver.grounded(joint, way)
            found += [unit] if unit is not None else []
    return found


def _joints(scopes: list[Scope], reader: Joints) -> tuple[list[Mate], list[Coupling], int]:
    """Mates and couplings of the assembly and its flexible sub-assemblies, and how many joints the file has."""
    mates: list[Mate] = []
    couplings: list[Coupling] = []
    found = [(joint, way) for owner, way in scopes for joint in members_with(owner, "JointType")]
    for joint, way in found:
        # A rack is known by its slider, which may stand behind the rack's joint in the file: all sliders are noted
        # first.
        reader.note(joint, way)
    for joint, way in found:
        made = reader.read(joint, way)
        if isinstance(made, Mate):
            mates.append(made)
        elif made is not None:
            couplings.append(made)
    return mates, couplings, len(found)

"""Parts: masses that the file declares, colours, and the STEP files beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cadbridge.assembly import Part
from cadbridge.findings import Findings, Severity
from cadbridge.folders import holds
from cadbridge.geometry import Shape
from cadbridge.inertia import MassProperties
from cadbridge.readers.simscape.context import Context
from cadbridge.readers.source import Colour
from cadbridge.readers.xml import Element, child, children


def read_parts(c: Context, root: Element) -> None:
    """Add the parts with the masses that the file declares, and their shapes where the STEP files are there."""
    section = child(root, "Parts")
    elements = [] if section is None else children(section, "Part")
    files = {e.get("uid", ""): _geometry_file(c, e) for e in elements}
    shapes = _shapes(c, files)
    for element in elements:
        uid, name = element.get("uid", ""), element.get("name") or element.get("uid", "part")
        if c.structure.known(uid):
            c.say("CB162", f"a second part has the uid {uid!r}; it is left out", element, name)
            continue
        part = Part(
            name=name,
            shape=shapes.get(uid),
            declared=_declared(c, element, name),
            colour=_colour(c, element, name),
            where=c.where(element, name),
        )
        c.structure.add_part(uid, part)


def _geometry_file(c: Context, part: Element) -> Path | None:
    """The STEP file of a part, beside the XML and nowhere else; endings in any case."""
    element = child(part, "GeometryFile")
    name = None if element is None else element.get("name")
    if not name:
        return None
    folder = c.path.resolve().parent
    try:
        wanted = (folder / str(name).replace("\\", "/")).resolve()
        inside = holds(folder, wanted)
        there = inside and wanted.is_file()
    except (OSError, ValueError, RuntimeError):
        c.say("CB112", f"{str(name)!r} is not a path that can be opened", element, part.get("name"))
        return None
    if not inside:
        c.say("CB102", f"{name} lies outside {folder.name}", element, part.get("name"))
        return None
    if there:
        return wanted
    if wanted.parent.is_dir():
        # Windows knows no case: the XML may say .STEP of a file that is called .step.
        for candidate in sorted(wanted.parent.iterdir()):
            real = candidate.resolve()
            if candidate.name.lower() == wanted.name.lower() and real.is_file() and holds(folder, real):
                return real
    c.say("CB112", f"the geometry file {name} is missing", element, part.get("name"))
    return None


def _shapes(c: Context, files: dict[str, Path | None]) -> dict[str, Shape]:
    if not c.options.geometry:
        return {}
    from cadbridge.shapes import load_shapes

    collected = Findings()
    found = load_shapes([p for p in files.values() if p is not None], findings=collected)
    for finding in collected:
        # A part without a shape leaves the mates and the declared masses usable.
        if finding.severity is Severity.ERROR:
            c.findings.add("CB193", f"no shape: {finding.message} ({finding.code})", finding.where)
        else:
            c.findings.extend([finding])
    return {uid: found[p] for uid, p in files.items() if p in found}


def _declared(c: Context, part: Element, name: str) -> MassProperties | None:
    """Mass, centre and inertia about the centre; the six are xx yy zz yz xz xy, products with their sign."""
    element = child(part, "MassProperties")
    if element is None:
        return None
    mass = c.values(element, "Mass", 1, name)
    com = c.values(element, "CenterOfMass", 3, name)
    six = c.values(element, "Inertia", 6, name)
    if mass is None or com is None or six is None:
        return None
    if not mass[0] > 0:
        c.say("CB163", f"{name} has a mass of {mass[0]:g}", element, name)
        return None
    # The order of Simscape's own inertia vectors: moments, then the products yz, xz, xy.
    xx, yy, zz, yz, xz, xy = six * c.mass * c.length**2
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(float(mass[0]) * c.mass, com * c.length, inertia)


def _colour(c: Context, part: Element, name: str) -> Colour | None:
    visual = child(part, "VisualProperties")
    diffuse = None if visual is None else child(visual, "Diffuse")
    if diffuse is None:
        return None
    return c.colour(" ".join(diffuse.get(key, "") for key in "rgba"), diffuse, name)

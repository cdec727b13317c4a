"""Links: their masses, colours and shapes, as parts in the link's frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import Part
from cadbridge.inertia import MassProperties
from cadbridge.readers.source import Colour
from cadbridge.readers.urdf.context import Context
from cadbridge.readers.urdf.geometry import shape_of
from cadbridge.readers.xml import Element, child, children, numbers


@dataclass(frozen=True, eq=False)
class Link:
    """A link; `part` is None for a mere frame, without inertia and without geometry."""

    name: str
    element: Element
    part: Part | None


def read_links(c: Context, robot: Element) -> dict[str, Link]:
    """All links by name, in the order of the file."""
    colours = {e.get("name"): _rgba(c, e, e.get("name") or "a material") for e in children(robot, "material")}
    links: dict[str, Link] = {}
    for element in children(robot, "link"):
        name = c.name(element)
        if name is None:
            continue
        if name in links:
            c.say("CB182", f"a second link is named {name!r}; it is left out", element, name)
            continue
        c.leave(element, "inertial", "visual", "collision")
        links[name] = Link(name, element, _part(c, element, name, colours))
    return links


def _part(c: Context, link: Element, name: str, colours: dict[str | None, Colour | None]) -> Part | None:
    if not children(link, "inertial", "visual", "collision"):
        return None
    declared = _declared(c, link, name)
    if declared is None and not children(link, "visual", "collision") and _says_nothing(link):
        return None
    return Part(
        name=name,
        shape=shape_of(c, link, name) if c.options.geometry else None,
        declared=declared,
        colour=_colour(c, link, name, colours),
        where=c.where(link, name),
    )


def _says_nothing(link: Element) -> bool:
    """Whether a link's <inertial> is all zeros: such a link stands for a joint of several freedoms, as one without."""
    inertial = child(link, "inertial")
    mass, tensor = (None, None) if inertial is None else (child(inertial, "mass"), child(inertial, "inertia"))
    if mass is None or tensor is None:
        return False
    values = [mass.get("value"), *(tensor.get(key, "0") for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))]
    return all(numbers(value, 1) == (0.0,) for value in values)


def _declared(c: Context, link: Element, name: str) -> MassProperties | None:
    """The mass properties that <inertial> gives, in the link's frame; None where there are none to be read.

    A mass of zero has an inertia: what it is fixed to turns with it.
    """
    inertial = child(link, "inertial")
    if inertial is None:
        return None
    c.leave(inertial, "origin", "mass", "inertia")
    X_LI = c.origin(inertial, name)
    mass_element, inertia_element = child(inertial, "mass"), child(inertial, "inertia")
    missing = [tag for tag, e in (("mass", mass_element), ("inertia", inertia_element)) if e is None]
    if missing:
        text = f"{name}: <inertial> has no <{'> and no <'.join(missing)}>, taken as 0"
        c.say("CB1250", text, inertial, name)
    mass = 0.0 if mass_element is None else c.number(mass_element, "value", name)
    keys = ("ixx", "iyy", "izz", "iyz", "ixz", "ixy")
    absent = [] if inertia_element is None else [key for key in keys if inertia_element.get(key) is None]
    if absent:
        c.say("CB1437", f"{name}: {', '.join(absent)} of <inertia> taken as 0", inertia_element, name)
    six = [0.0] * 6 if inertia_element is None else [c.number(inertia_element, key, name, 0.0) for key in keys]
    entries = [v for v in six if v is not None]
    if mass == 0.0 and any(entries):
        c.say("CB1924", f"{name} has inertia and no mass", inertial, name)
    if X_LI is None or mass is None or len(entries) != 6 or (mass == 0.0 and not any(entries)):
        return None  # a mass of zero is reported where the link moves, once the joints are read
    xx, yy, zz, yz, xz, xy = entries
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    # The inertia is about the centre of mass, along the axes of <inertial>'s own <origin>; its products are entries of
    # the tensor, with their sign.
    return MassProperties(mass, X_LI.p, X_LI.R @ inertia @ X_LI.R.T)


def _colour(c: Context, link: Element, name: str, colours: dict[str | None, Colour | None]) -> Colour | None:
    """The colour of the first visual that has one."""
    for visual in children(link, "visual"):
        material = child(visual, "material")
        if material is not None:
            found = _rgba(c, material, name) or colours.get(material.get("name"))
            if found is not None:
                return found
    return None


def _rgba(c: Context, material: Element, item: str) -> Colour | None:
    colour = child(material, "color")
    return None if colour is None else c.colour(colour.get("rgba"), colour, item)

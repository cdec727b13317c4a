"""Links: their masses, colours and shapes, as parts in the link's frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cadbridge.assembly import Part
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh, Shape
from cadbridge.inertia import MassProperties, combine
from cadbridge.readers import solids
from cadbridge.readers.paths import referenced
from cadbridge.readers.sdf.context import Context
from cadbridge.readers.sdf.frames import Scope, UnresolvedError
from cadbridge.readers.source import Colour
from cadbridge.readers.xml import Element, child, children, local, text_of

SDF_DENSITY = 1000.0
"""kg/m³ that SDF's specification takes where an automatic inertia gives none: water's."""

_OF_LINK = ("pose", "inertial", "visual", "collision", "gravity", "self_collide", "kinematic", "enable_wind")


def weightless(c: Context, link: Element) -> bool:
    """Whether gravity does not act on a link."""
    return child(link, "gravity") is not None and not c.flag(link, "gravity")


def read_part(c: Context, scope: Scope, link: Element, name: str) -> Part:
    """The part of a link. A link without <inertial> has 1 kg and 1 kg m², as SDF lays down."""
    c.leave(link, *_OF_LINK)
    if c.flag(link, "kinematic"):
        c.unread.update(("kinematic",))
    if weightless(c, link):
        c.say("CB1431", f"{name} is without gravity in the file", link, name)
    inertial = child(link, "inertial")
    auto = inertial is not None and inertial.get("auto") in ("true", "1")
    shape = _shape(c, scope, link, name) if c.options.geometry else None
    densities = set(_densities(c, link, inertial, name)) if auto else set()
    declared = None if auto else _declared(c, scope, link, inertial, name)
    if auto and shape is not None:  # what is weighed is the collision geometry
        shape = solids.shape(shape.collision, shape.collision, (shape.collision_file, shape.collision_file))
        declared = _weighed(c, scope, link, inertial, name) if len(densities) > 1 else None
    density = densities.pop() if len(densities) == 1 else None
    return Part(
        name,
        shape=shape,
        density=density,
        density_source="SDF, automatic inertia" if density is not None else None,
        declared=declared,
        by_default=inertial is None,
        inertia_by_default=declared is not None and not auto and not _has_moments(inertial),
        colour=_colour(c, link, name),
        where=c.where(link, name),
    )


def _densities(c: Context, link: Element, inertial: Element, name: str) -> list[float]:
    """kg/m³ of each collision of a link, its own or that of the automatic inertia; of a link without any the latter."""
    common = c.number(inertial, "density", name, SDF_DENSITY)
    return [c.number(e, "density", name, common) for e in children(link, "collision")] or [common]


def _weighed(c: Context, scope: Scope, link: Element, inertial: Element, name: str) -> MassProperties | None:
    """The mass of collisions that differ in density, in the link's frame; None, with a finding, where one is open."""
    from cadbridge.mass import audit_mesh

    weighed = []
    for element, density in zip(children(link, "collision"), _densities(c, link, inertial, name), strict=True):
        mesh, _ = _made(c, scope, link, element, name)
        audit = None if mesh is None else audit_mesh(mesh)
        if audit is None or not audit.closed:
            text = f"{name}: {element.get('name') or 'a collision'} has no closed surface, so its density gives no mass"
            c.say("CB193", text, element, name)
            return None
        weighed.append(audit.volume.scaled(density))
    return combine(weighed)


def _declared(c: Context, scope: Scope, link: Element, inertial: Element | None, name: str) -> MassProperties:
    """In the link's frame."""
    if inertial is None and scope.static:
        return MassProperties(1.0, np.zeros(3), np.eye(3))  # whatever it is, nothing depends on it
    if inertial is None:
        c.say("CB1424", f"{name} has no <inertial>: SDF gives it 1 kg and 1 kg m²", link, name)
        return MassProperties(1.0, np.zeros(3), np.eye(3))
    c.leave(inertial, "pose", "mass", "inertia", "density")
    X = _pose(c, scope, inertial, link, name)
    # Defaults of the specification: 1 kg, and moments of 1 kg m² where one is not given.
    mass = c.number(inertial, "mass", name, 1.0)
    tensor = child(inertial, "inertia")
    xx, yy, zz = (c.number(tensor, key, name, 1.0) for key in ("ixx", "iyy", "izz"))
    yz, xz, xy = (c.number(tensor, key, name, 0.0) for key in ("iyz", "ixz", "ixy"))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return MassProperties(mass, X.p, X.R @ inertia @ X.R.T)


def _has_moments(inertial: Element | None) -> bool:
    tensor = None if inertial is None else child(inertial, "inertia")
    return tensor is not None and all(child(tensor, key) is not None for key in ("ixx", "iyy", "izz"))


def _pose(c: Context, scope: Scope, element: Element, link: Element, name: str) -> Pose:
    """The pose of an element of a link in the link's frame."""
    pose, relative = c.pose(element, name)
    if not relative:
        return pose
    try:
        return scope.X_M(link.get("name")).inverse() @ scope.X_M(relative) @ pose
    except UnresolvedError as error:
        c.say("CB1425", f"{name}: {error}", element, name)
        return pose


def _colour(c: Context, link: Element, name: str) -> Colour | None:
    for visual in children(link, "visual"):
        material = child(visual, "material")
        for tag in ("diffuse", "ambient"):
            element = None if material is None else child(material, tag)
            # SDF's colours have three numbers, and are opaque then, or four.
            found = None if element is None else c.colour(element.text, element, name, opaque=True)
            if found is not None:
                return found
    return None


def _shape(c: Context, scope: Scope, link: Element, name: str) -> Shape | None:
    before = c.vertices.count
    visual, visual_files = _joined(c, scope, link, "visual", name)
    collision, collision_files = _joined(c, scope, link, "collision", name)
    c.touching += len(children(link, "collision"))
    shape = solids.shape(visual, collision, (visual_files, collision_files))
    if shape is not None:
        c.vertices.keep(shape.key, before)
    return shape


def _joined(c: Context, scope: Scope, link: Element, tag: str, name: str) -> tuple[Mesh | None, str | None]:
    """All geometry of a link under one tag as one mesh, and the names of its files."""
    made = [(element, *_made(c, scope, link, element, name)) for element in children(link, tag)]
    meshes = [(element, mesh, file) for element, mesh, file in made if mesh is not None]
    for element, mesh, _ in meshes:
        c.vertices.add(len(mesh.vertices), c.findings, c.where(element, name))
    return solids.joined([mesh for _, mesh, _ in meshes]), ", ".join(file for *_, file in meshes) or None


def _made(c: Context, scope: Scope, link: Element, element: Element, name: str) -> tuple[Mesh | None, str]:
    """The mesh of a <visual> or <collision> in the link's frame, and the name of its file or its kind."""
    geometry = child(element, "geometry")
    kinds = [] if geometry is None else children(geometry)
    if not kinds or local(kinds[0]) == "empty":
        return None, ""
    kind = local(kinds[0])
    maker = _MAKERS.get(kind)
    if kind == "plane" and scope.static:
        c.unread[kind] += 1  # a floor
        return None, ""
    if maker is None:
        c.say("CB193", f"{name}: geometry <{kind}> gives no closed shape", kinds[0], name)
        return None, ""
    mesh = maker(c, kinds[0], name)
    file = text_of(kinds[0], "uri").rsplit("/", 1)[-1] or kind
    return (None if mesh is None else solids.placed(_pose(c, scope, element, link, name), mesh)), file


def _sizes(c: Context, element: Element, tag: str, count: int, name: str, default: float) -> list[float] | None:
    """Sizes above zero, the default where there are none; None with a finding where they are not."""
    if child(element, tag) is None:
        return [default] * count
    found = c.values(element, tag, count, name)
    if found is not None and not np.all(found > 0):
        c.say("CB193", f"{name}: <{tag}> is not above zero, so it has no volume", element, name)
        return None
    return None if found is None else [float(v) for v in found]


def _box(c: Context, element: Element, name: str) -> Mesh | None:
    size = _sizes(c, element, "size", 3, name, 1.0)
    return None if size is None else solids.box(size)


def _sphere(c: Context, element: Element, name: str) -> Mesh | None:
    radius = _sizes(c, element, "radius", 1, name, 1.0)
    return None if radius is None else solids.sphere(radius[0])


def _ellipsoid(c: Context, element: Element, name: str) -> Mesh | None:
    radii = _sizes(c, element, "radii", 3, name, 1.0)
    return None if radii is None else solids.ellipsoid(radii)


def _round(maker: Callable[[float, float], Mesh], radius: float) -> Callable[[Context, Element, str], Mesh | None]:
    def make(c: Context, element: Element, name: str) -> Mesh | None:
        r, length = _sizes(c, element, "radius", 1, name, radius), _sizes(c, element, "length", 1, name, 1.0)
        return None if r is None or length is None else maker(r[0], length[0])

    return make


def _mesh(c: Context, element: Element, name: str) -> Mesh | None:
    uri = text_of(element, "uri")
    scale = c.values(element, "scale", 3, name) if child(element, "scale") is not None else np.ones(3)
    if not uri or scale is None:
        c.say("CB193", f"{name}: <mesh> has no <uri> or scale that can be read", element, name)
        return None
    if child(element, "submesh") is not None:
        c.say("CB193", f"{name}: a submesh is named; the whole mesh is taken", element, name)
    where = c.where(element, name)
    path = referenced(uri, c.file_of(element), c.options.package_dirs, c.findings, where, "CB112")
    if path is None:
        return None
    from cadbridge.mass import load_mesh_file

    try:
        mesh = load_mesh_file(path, (float(scale[0]), float(scale[1]), float(scale[2])))
    except ValueError as error:
        c.say("CB193", f"{name}: {error}", element, name)
        return None
    solids.report_axes(c.findings, path, c.where(element, name))
    return mesh


_MAKERS: dict[str, Callable[[Context, Element, str], Mesh | None]] = {
    "box": _box,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    # Default radii of the specification: 1 m of a cylinder, 0.5 m of the two that came later.
    "cylinder": _round(solids.cylinder, 1.0),
    "capsule": _round(solids.capsule, 0.5),
    "cone": _round(solids.cone, 0.5),
    "mesh": _mesh,
}

"""Bodies: their masses and shapes as parts, in the body's frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.assembly import Part
from cadbridge.findings import Where
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh, Shape
from cadbridge.inertia import MassProperties
from cadbridge.readers import solids
from cadbridge.readers.mjcf.context import Context
from cadbridge.readers.source import within


def read_part(c: Context, body: int) -> Part | None:
    """The part of a body; None where it has neither mass nor shape."""
    name = c.bodies[body]
    shape = _shape(c, body) if c.options.geometry else None
    declared = _declared(c, body) if body else None
    if shape is None and declared is None:
        return None
    geoms = _geoms(c, body)
    rgba = c.model["geom_rgba"][geoms[0]] if geoms else None
    colour = None if rgba is None else within(rgba)
    if rgba is not None and np.any(rgba != np.clip(rgba, 0.0, 1.0)):
        shown, taken = (" ".join(f"{v:g}" for v in values) for values in (rgba, within(rgba)))
        text = f"{name}: its colour is {shown}, not numbers from 0 to 1; {taken} is taken"
        c.findings.add("CB1320", text, c.where("bodies", body, name))
    return Part(name, shape=shape, declared=declared, colour=colour, where=c.where("bodies", body, name))


def without_mass(c: Context, parts: Sequence[Part | None]) -> list[Part | None]:
    """The parts, with those weightless whose bodies have no mass in MuJoCo, which moves them with one that has.

    A density given by the person weighs such bodies instead.
    """
    given = c.options.density is not None or c.options.material is not None or c.options.mass_from == "mesh"
    if given:
        return list(parts)
    # What has no joint moves with its parent, which MuJoCo numbers before it.
    held: list[int] = []
    for body in range(len(parts)):
        alone = body == 0 or c.model["body_jntnum"][body]
        held.append(body if alone else held[int(c.model["body_parentid"][body])])
    weighty = {held[body] for body in range(len(parts)) if c.model["body_mass"][body] > 0}
    light = (part is not None and part.declared is None and held[body] in weighty for body, part in enumerate(parts))
    return [replace(part, weightless=True) if part and none else part for part, none in zip(parts, light, strict=True)]


def _declared(c: Context, body: int) -> MassProperties | None:
    """What the file declares, or MuJoCo inferred from the geoms and their densities as the file asks."""
    m = c.model
    mass = float(m["body_mass"][body])
    if mass == 0.0:
        return None
    X = Pose.from_quaternion(m["body_ipos"][body], m["body_iquat"][body])
    # MuJoCo stores principal moments, along the axes of body_iquat.
    return MassProperties(mass, X.p, X.R @ np.diag(m["body_inertia"][body]) @ X.R.T)


def _geoms(c: Context, body: int) -> list[int]:
    return [int(g) for g in np.flatnonzero(c.model["geom_bodyid"] == body)]


def _shape(c: Context, body: int) -> Shape | None:
    """Geoms that touch nothing are the visual ones; where there are none all are both."""
    m = c.model
    seen: list[Mesh] = []
    touching: list[Mesh] = []
    for geom in _geoms(c, body):
        maker = _MAKERS.get(int(m["geom_type"][geom]))
        if maker is None:
            if body:  # the floor of a scene is no part of a machine
                kind = _UNSHAPED.get(int(m["geom_type"][geom]), "unknown")
                text = f"{c.bodies[body]}: a geom of type {kind} makes no closed shape"
                c.findings.add("CB193", text, Where(str(c.path), item=c.bodies[body]))
            continue
        X = Pose.from_quaternion(m["geom_pos"][geom], m["geom_quat"][geom])
        mesh = solids.placed(X, maker(c, geom))
        visual = not m["geom_contype"][geom] and not m["geom_conaffinity"][geom]
        (seen if visual else touching).append(mesh)
    collision = solids.joined(touching)
    return solids.shape(solids.joined(seen) if seen else collision, collision, ("geoms", "geoms"))


def _mesh(c: Context, geom: int) -> Mesh:
    m, i = c.model, int(c.model["geom_dataid"][geom])
    # MuJoCo moves a mesh to its centre and principal axes when it compiles; geom_pos and geom_quat hold the way back.
    vertices = m["mesh_vert"][m["mesh_vertadr"][i] :][: m["mesh_vertnum"][i]]
    faces = m["mesh_face"][m["mesh_faceadr"][i] :][: m["mesh_facenum"][i]]
    return Mesh(np.array(vertices, dtype=float), np.array(faces, dtype=np.int32))


def _size(c: Context, geom: int) -> tuple[float, float, float]:
    a, b, d = (float(v) for v in c.model["geom_size"][geom])
    return a, b, d


_MAKERS: dict[int, Callable[[Context, int], Mesh]] = {
    2: lambda c, g: solids.sphere(_size(c, g)[0]),
    3: lambda c, g: solids.capsule(_size(c, g)[0], 2.0 * _size(c, g)[1]),
    4: lambda c, g: solids.ellipsoid(_size(c, g)),
    5: lambda c, g: solids.cylinder(_size(c, g)[0], 2.0 * _size(c, g)[1]),
    6: lambda c, g: solids.box([2.0 * s for s in _size(c, g)]),
    7: _mesh,
}
"""MuJoCo's geom types (mjtGeom)."""

_UNSHAPED = {0: "plane", 1: "height field", 8: "signed distance field"}

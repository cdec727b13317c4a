"""What is clicked: the face of a part, as the YAML that names it in a mates file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import Assembly, Instance
from cadbridge.frames import Vector
from cadbridge.geometry import Face, Mesh
from cadbridge.readers import yaml_for_face


@dataclass(frozen=True, eq=False)
class Hit:
    """Where an instance is clicked: `point` (m) and `normal`, either way, in the part's frame."""

    instance: int
    point: Vector
    normal: Vector


def mesh_of(assembly: Assembly, instance: Instance) -> Mesh | None:
    """The mesh that is shown of an instance's part, None where it has none."""
    shape = assembly.part(instance.part).shape
    meshes = (shape.coarse, shape.fine) if shape is not None else ()
    return next((m for m in meshes if m is not None and len(m.triangles)), None)


def face_of(faces: Sequence[Face], point: Vector, normal: Vector, size: float) -> Face | None:
    """The face that a point of the mesh lies on: the surface that fits it best; `size` in m is the part's."""
    if not faces:
        return None
    return faces[int(np.argmin([_misfit(face, point, normal, size) for face in faces]))]


def place_of_hit(assembly: Assembly, found: Hit) -> tuple[Vector, Vector]:
    """The point that was hit and the direction there, in the part's frame: of a round face a point of its axis and the
    axis, else the normal."""
    face = _face_of_hit(assembly, found)
    if face is None or face.kind not in ("cylinder", "cone") or face.direction is None:
        return found.point, found.normal
    away = found.point - face.point
    return face.point + float(away @ face.direction) * face.direction, face.direction


def yaml_of_hit(assembly: Assembly, found: Hit) -> str | None:
    """The face that was hit as one line of YAML; None where the part has no faces (its geometry is a mesh)."""
    face = _face_of_hit(assembly, found)
    if face is None:
        return None
    instance = assembly.instances[found.instance]
    shape = assembly.part(instance.part).shape
    assert shape is not None
    component = assembly.component(instance.component)
    inner = instance.name.removeprefix(component.name + "/") if len(component.instances) > 1 else None
    return yaml_for_face(component.name, inner, face, shape.faces)


def _face_of_hit(assembly: Assembly, found: Hit) -> Face | None:
    instance = assembly.instances[found.instance]
    shape, mesh = assembly.part(instance.part).shape, mesh_of(assembly, instance)
    if shape is None or mesh is None:
        return None
    size = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    return face_of(shape.faces, found.point, found.normal, size)


def _misfit(face: Face, p: Vector, n: Vector, size: float) -> float:
    """How badly a point with its normal fits a face: off the surface, tilted, and far from the face's centre."""
    expected = face.direction
    off = 0.2 * size  # of a kind whose surface is not known from point, axis and radius
    if face.kind == "plane" and face.direction is not None:
        off = abs(float((p - face.point) @ face.direction))
    elif face.kind == "cylinder" and face.direction is not None and face.radius is not None:
        out = p - face.point
        out = out - face.direction * float(out @ face.direction)
        off, expected = abs(float(np.linalg.norm(out)) - face.radius), out
    elif face.kind == "sphere" and face.radius is not None:
        out = p - face.point
        off, expected = abs(float(np.linalg.norm(out)) - face.radius), out
    tilt = 0.5
    if face.kind in ("plane", "cylinder", "sphere") and expected is not None:
        length = float(np.linalg.norm(expected))
        # m: a point on the axis itself is on no side of the cylinder.
        tilt = 1.0 - abs(float(n @ expected)) / length if length > 1e-12 else 1.0
    # Of a face without an area to speak of, as a seam, the distance is told in thousandths of the part.
    reach = float(np.linalg.norm(p - face.centre)) / max(float(np.sqrt(face.area)), 1e-3 * size)
    # Off the surface counts most; tilt and distance decide between surfaces that both pass through the point.
    return 10.0 * off / max(size, 1e-12) + tilt + 0.02 * reach

"""Meshes in metres, one file a distinct shape: binary STL, or OBJ for targets that do not take it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Instance, Mesh, Shape
from cadbridge.exporters.names import Names
from cadbridge.findings import Findings, Where
from cadbridge.mechanism.model import Mechanism

MAX_TRIANGLES = 200_000
"""The most triangles that MuJoCo takes in an STL file."""

_STL = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")])


@dataclass(frozen=True, eq=False)
class MeshFile:
    """The files of a shape, relative to the folder of the meshes; the two are one file where equal."""

    visual: str
    collision: str


@dataclass
class MeshFiles:
    """The mesh files by instance, what is in each file, and the clean names of parts."""

    ending: str = "stl"
    of_instance: dict[str, MeshFile] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def stl_bytes(mesh: Mesh) -> bytes:
    """Binary STL of a mesh; triangles without area keep a zero normal."""
    points = mesh.vertices[mesh.triangles]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    records = np.zeros(len(points), dtype=_STL)
    records["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    records["points"] = points
    header = b"cadbridge, metres".ljust(80, b" ")
    return header + np.uint32(len(points)).tobytes() + records.tobytes()


def obj_bytes(mesh: Mesh) -> bytes:
    """Wavefront OBJ of a mesh, nine digits a coordinate."""
    lines = ["# cadbridge, metres"]
    lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh.triangles + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


WRITERS: dict[str, Callable[[Mesh], bytes]] = {"stl": stl_bytes, "obj": obj_bytes}
"""Ending of a mesh file → what writes it."""


def write_meshes(
    mechanism: Mechanism, findings: Findings, visual: str, collision: str, ending: str = "stl"
) -> MeshFiles:
    """The meshes of all parts in use; parts without one are told. `visual`, `collision`: their folders."""
    files = MeshFiles(ending)
    names = Names("mesh", ())
    by_shape: dict[str, MeshFile | None] = {}
    assembly = mechanism.assembly
    for instance in _instances(assembly, mechanism):
        part = assembly.part(instance.part)
        if part.shape is None:
            by_shape.setdefault(part.name, None)
            mesh_file, told = None, part.name in files.names
            files.names.setdefault(part.name, "")
            if not told:
                findings.add("CB508", f"part {part.name} has no shape, so no mesh", part.where)
            continue
        if part.shape.key not in by_shape:
            stem = names.give(part.name)
            files.names[part.name] = stem
            by_shape[part.shape.key] = _files_of(part.shape, part.name, stem, files, findings, visual, collision)
        mesh_file = by_shape[part.shape.key]
        if mesh_file is not None:
            files.of_instance[instance.name] = mesh_file
    return files


def _instances(assembly: Assembly, mechanism: Mechanism) -> list[Instance]:
    bodies = (mechanism.ground, *mechanism.bodies)
    return [assembly.instance(name) for body in bodies for name in body.instances if name != GROUND]


def _files_of(
    shape: Shape, part: str, stem: str, files: MeshFiles, findings: Findings, visual: str, collision: str
) -> MeshFile | None:
    """Put the meshes of one shape among the contents."""
    shown = _usable(shape.coarse) or _usable(shape.fine)
    if shown is None:
        findings.add("CB508", f"part {part} has no mesh", Where(item=part))
        return None
    write = WRITERS[files.ending]
    path = f"{visual}/{stem}.{files.ending}"
    files.contents[path] = write(_within_limit(shown, part, findings))
    touched = _usable(shape.collision)
    if touched is None or touched is shown:
        if visual == collision:
            return MeshFile(path, path)
        files.contents[f"{collision}/{stem}.{files.ending}"] = files.contents[path]
        return MeshFile(path, f"{collision}/{stem}.{files.ending}")
    other = f"{collision}/{stem}{'_collision' if visual == collision else ''}.{files.ending}"
    files.contents[other] = write(_within_limit(touched, part, findings))
    return MeshFile(path, other)


def _usable(mesh: Mesh | None) -> Mesh | None:
    return mesh if mesh is not None and len(mesh.triangles) > 0 else None


def _within_limit(mesh: Mesh, part: str, findings: Findings) -> Mesh:
    """The mesh with at most `MAX_TRIANGLES`, merged and simplified where it has more; told."""
    if len(mesh.triangles) <= MAX_TRIANGLES:
        return mesh
    import fast_simplification

    vertices, index = np.unique(mesh.vertices, axis=0, return_inverse=True)
    triangles = index.reshape(-1)[mesh.triangles].astype(np.int32)
    points, faces = fast_simplification.simplify(vertices, triangles, target_count=int(0.95 * MAX_TRIANGLES))
    findings.add(
        "CB509", f"the mesh of part {part} went from {len(mesh.triangles)} to {len(faces)} triangles",
        Where(item=part),
    )  # fmt: skip
    return Mesh(np.asarray(points, dtype=float), np.asarray(faces, dtype=np.int32))

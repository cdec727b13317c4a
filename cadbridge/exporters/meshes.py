"""Meshes in metres, one file a distinct shape: binary STL, or OBJ or USD for targets that do not take it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Instance, Part, report_unrefined, unrefined
from cadbridge.exporters.collision import AS_IS, Piece, Solid, collision_of
from cadbridge.exporters.names import FileNames
from cadbridge.exporters.options import ExportOptions
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, Vector
from cadbridge.geometry import Mesh, Shape
from cadbridge.mechanism.model import Mechanism
from cadbridge.units import TO_MM
from cadbridge.wording import count

NOTHING = "none"
"""In place of a kind of collision geometry: this part collides with nothing."""

MAX_TRIANGLES = 200_000
"""The most triangles that MuJoCo takes in an STL file."""

_STL = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")])


@dataclass(frozen=True, eq=False)
class Touched:
    """Something that collides, at `X_IP` in the instance's frame: the path of a mesh file, or a solid."""

    X_IP: Pose
    body: str | Solid


@dataclass(frozen=True, eq=False)
class MeshFile:
    """The files of a shape, by their paths in the export: what is seen, and all that collides."""

    visual: str
    collision: tuple[Touched, ...]


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
    records = np.zeros(len(points), dtype=_STL)
    records["normal"] = _normals(mesh)
    records["points"] = points
    header = b"cadbridge, metres".ljust(80, b" ")
    return header + np.uint32(len(points)).tobytes() + records.tobytes()


def _normals(mesh: Mesh) -> Vector:
    """Unit normals of the triangles (n, 3); 0 of those without area."""
    points = mesh.vertices[mesh.triangles]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    units: Vector = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    return units


def obj_bytes(mesh: Mesh) -> bytes:
    """Wavefront OBJ of a mesh, nine digits a coordinate."""
    lines = ["# cadbridge, metres"]
    lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh.triangles + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def usdc_bytes(mesh: Mesh) -> bytes:
    """A binary USD layer (crate) with the mesh as its default prim, in single precision, a normal for each triangle."""
    from pxr import Usd, UsdGeom, UsdPhysics, Vt

    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    shape = UsdGeom.Mesh.Define(stage, "/mesh")
    stage.SetDefaultPrim(shape.GetPrim())
    points = mesh.vertices.astype(np.float32)
    shape.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    shape.CreateFaceVertexCountsAttr(Vt.IntArray(len(mesh.triangles), 3))
    shape.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(mesh.triangles.astype(np.int32).ravel()))
    shape.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(np.array([points.min(axis=0), points.max(axis=0)])))
    shape.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(_normals(mesh).astype(np.float32)))
    shape.SetNormalsInterpolation(UsdGeom.Tokens.uniform)
    # USD's default is Catmull-Clark, which rounds every edge.
    shape.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    with tempfile.TemporaryDirectory(prefix="cadbridge-") as folder:
        # USD writes crates to files alone.
        path = Path(folder) / "mesh.usdc"
        if not stage.GetRootLayer().Export(str(path)):
            raise OSError(f"USD cannot write {path}")
        return path.read_bytes()


WRITERS: dict[str, Callable[[Mesh], bytes]] = {"stl": stl_bytes, "obj": obj_bytes, "usdc": usdc_bytes}
"""Ending of a mesh file → what writes it."""


def write_meshes(
    mechanism: Mechanism, findings: Findings, folders: tuple[str, str], options: ExportOptions, ending: str = "stl"
) -> MeshFiles:
    """The meshes of all parts in use; parts without one are reported. `folders`: of what is seen, and what collides."""
    files = MeshFiles(ending)
    # What collides of `arm` is arm_collision: no part of that name may have its file.
    names = FileNames("mesh", r"(?i:_collision\d*)$")
    by_shape: dict[tuple[str, str | None], MeshFile | None] = {}
    assembly = mechanism.assembly
    for instance in _instances(assembly, mechanism):
        part = assembly.part(instance.part)
        if part.shape is None:
            known = part.name in files.names
            files.names.setdefault(part.name, "")
            if not known:
                findings.add("CB508", f"part {part.name} has no shape, so no mesh", part.where)
            continue
        key = (part.shape.key, part.collision)
        if key not in by_shape:
            stem = names.give(part.name)
            files.names[part.name] = stem
            own = _options_of(part, options)
            by_shape[key] = _files_of(part.shape, part.name, stem, files, findings, folders, own)
        mesh_file = by_shape[key]
        if mesh_file is not None:
            files.of_instance[instance.name] = mesh_file
    report_unrefined(unrefined(assembly.parts), findings)
    return files


def _options_of(part: Part, options: ExportOptions) -> ExportOptions:
    """The options of the export, with what collides of this part where that is stated."""
    if part.collision is None:
        return options
    return replace(options, collision=AS_IS if part.collision == "mesh" else part.collision)


def _instances(assembly: Assembly, mechanism: Mechanism) -> list[Instance]:
    bodies = (mechanism.ground, *mechanism.bodies)
    return [assembly.instance(name) for body in bodies for name in body.instances if name != GROUND]


def _files_of(
    shape: Shape, part: str, stem: str, files: MeshFiles, findings: Findings, folders: tuple[str, str],
    options: ExportOptions,
) -> MeshFile | None:  # fmt: skip
    """Put the meshes of one shape among the contents."""
    shown = _usable(shape.coarse) or _usable(shape.fine)
    seen = shown_mesh(shape)
    if shown is None or seen is None:
        findings.add("CB508", f"part {part} has no mesh", Where(item=part))
        return None
    _report_simplified(shown, seen, part, findings)
    write = WRITERS[files.ending]
    visual, collision = folders
    path = f"{visual}/{stem}.{files.ending}"
    files.contents[path] = write(seen)
    if options.collision == NOTHING:
        return MeshFile(path, ())
    pieces = _replaced(shape, part, options, findings)
    if pieces:
        return MeshFile(path, _written(pieces, f"{collision}/{stem}_collision", files))
    touched = _usable(shape.collision)
    # One file serves both where a format has one folder; URDF has a folder for each.
    if touched is None or touched is shown:
        if visual == collision:
            return MeshFile(path, (Touched(Pose(), path),))
        files.contents[f"{collision}/{stem}.{files.ending}"] = files.contents[path]
        return MeshFile(path, (Touched(Pose(), f"{collision}/{stem}.{files.ending}"),))
    other = f"{collision}/{stem}{'_collision' if visual == collision else ''}.{files.ending}"
    smaller = _within_limit(touched)
    _report_simplified(touched, smaller, part, findings)
    files.contents[other] = write(smaller)
    return MeshFile(path, (Touched(Pose(), other),))


def _replaced(shape: Shape, part: str, options: ExportOptions, findings: Findings) -> tuple[Piece, ...]:
    """The pieces that collide in place of the mesh, and by how much they differ; none where it stays."""
    if options.collision == AS_IS:
        return ()
    mesh = _usable(shape.collision) or _usable(shape.fine) or _usable(shape.coarse)
    assert mesh is not None
    made = collision_of(mesh, options.collision, options.collision_tolerance, options.cache)
    if not made.pieces:
        message = f"no {options.collision} for part {part} within {options.collision_tolerance:.3g} of its size"
        findings.add("CB524", message, Where(item=part))
        return ()
    what = f"{options.collision} of part {part} ({', '.join(_counted(made.pieces))})"
    apart = f"{round(made.deviation * TO_MM, 9):.3g} mm ({made.deviation / made.size:.2%} of its size)"
    volume = "" if made.volume is None else f", volume {made.volume - 1:+.2%}"
    findings.add("CB523", f"{what}: at most {apart} from its surface{volume}", Where(item=part))
    return made.pieces


def _counted(pieces: tuple[Piece, ...]) -> list[str]:
    """How many of what: "1 cylinder", "3 meshes of 120 triangles together"."""
    solids = Counter(type(p.body).__name__.lower() for p in pieces if isinstance(p.body, Solid))
    meshes = [len(p.body.triangles) for p in pieces if isinstance(p.body, Mesh)]
    text = [count(number, name) for name, number in sorted(solids.items())]
    if meshes:
        together = " together" if len(meshes) > 1 else ""
        text.append(f"{count(len(meshes), 'mesh', 'meshes')} of {count(sum(meshes), 'triangle')}{together}")
    return text


def _written(pieces: tuple[Piece, ...], stem: str, files: MeshFiles) -> tuple[Touched, ...]:
    """The pieces, meshes among them written to files of their own."""
    touched: list[Touched] = []
    for number, piece in enumerate(pieces, 1):
        if isinstance(piece.body, Solid):
            touched.append(Touched(piece.X_IP, piece.body))
        else:
            path = f"{stem}{number if len(pieces) > 1 else ''}.{files.ending}"
            files.contents[path] = WRITERS[files.ending](piece.body)
            touched.append(Touched(piece.X_IP, path))
    return tuple(touched)


def _usable(mesh: Mesh | None) -> Mesh | None:
    return mesh if mesh is not None and len(mesh.triangles) > 0 else None


def shown_mesh(shape: Shape) -> Mesh | None:
    """What exports write of a shape to be seen; None where it has no triangles."""
    shown = _usable(shape.coarse) or _usable(shape.fine)
    return None if shown is None else _within_limit(shown)


def _report_simplified(mesh: Mesh, written: Mesh, part: str, findings: Findings) -> None:
    if len(written.triangles) < len(mesh.triangles):
        text = f"the mesh of part {part} went from {len(mesh.triangles)} to {len(written.triangles)} triangles"
        findings.add("CB509", text, Where(item=part))


def _within_limit(mesh: Mesh) -> Mesh:
    """The mesh with at most `MAX_TRIANGLES`, merged and simplified where it has more."""
    if len(mesh.triangles) <= MAX_TRIANGLES:
        return mesh
    import fast_simplification

    # Simplification collapses edges that triangles share: corners that merely coincide share none.
    vertices, index = np.unique(mesh.vertices, axis=0, return_inverse=True)
    triangles = index.reshape(-1)[mesh.triangles].astype(np.int32)
    points, faces = fast_simplification.simplify(vertices, triangles, target_count=MAX_TRIANGLES)
    return Mesh(np.asarray(points, dtype=float), np.asarray(faces, dtype=np.int32))

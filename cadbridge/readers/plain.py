"""cadbridge's own plain data (`convert --to json`): the assembly as it was, number for number."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND, Assembly
from cadbridge.budget import refuse, refuse_file
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh
from cadbridge.plain import decode, digests
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.paths import inside
from cadbridge.readers.placement import EXACT_ROTATION

FORMAT = "cadbridge.mechanism/1"

_HEADER = re.compile(
    rb"ply\nformat binary_little_endian 1\.0\n(?:comment [^\n]*\n)*element vertex (\d{1,9})\n"
    rb"property double x\nproperty double y\nproperty double z\n"
    rb"element face (\d{1,9})\nproperty list uchar int vertex_indices\nend_header\n"
)
_FACE = np.dtype([("count", "u1"), ("index", "<i4", 3)])


_UNITY = np.eye(3)


def read(path: Path, options: ReadOptions) -> Assembly:
    """The assembly of a document; InputError with every fault where it does not fit the schema."""
    findings = Findings()
    document = _document(path, findings)
    faults: list[tuple[str, str]] = []
    meshes = _Meshes(path, findings)
    assembly: Assembly | None = decode(Assembly, document.get("assembly"), meshes.load, faults, "assembly")
    for place, expected in faults:
        findings.add("CB1901", f"expected {expected}", Where(str(path), item=place))
    _report_edited(document, path, findings)
    if assembly is not None:
        _check(assembly, path, findings)
    if assembly is None or findings.errors:
        raise InputError(f"{path.name} does not hold an assembly that can be used", findings)
    return assembly.with_findings(findings.as_tuple()) if len(findings) else assembly


def _document(path: Path, findings: Findings) -> dict[str, Any]:
    where = Where(str(path))
    try:
        refuse_file("document bytes", path, findings)
        data = path.read_bytes()
        # A value takes some hundred bytes where its text takes two: what they will need is bounded before any is made.
        refuse("marks", data.count(b",") + data.count(b":"), path.name, findings, where)
        document = json.loads(data)
    except (ValueError, RecursionError, OSError) as error:
        line = getattr(error, "lineno", None)
        findings.add("CB180", f"{path.name} is not a JSON document: {error}", Where(str(path), line))
        raise InputError(f"{path.name} cannot be read", findings) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        findings.add("CB180", f'{path.name} is not of the format "{FORMAT}"', where)
        raise InputError(f"{path.name} cannot be read", findings)
    return document


def _report_edited(document: dict[str, Any], path: Path, findings: Findings) -> None:
    """CB1904 of what was edited of `mechanism`, which came of the assembly and is not read."""
    derived, written = document.get("mechanism"), document.get("digests")
    if not isinstance(derived, dict) or not isinstance(written, dict):
        return
    try:
        now = digests(derived)
    except (ValueError, OverflowError, RecursionError):
        now = {}
    for key, digest in written.items():
        if now.get(key) != digest:
            findings.add("CB1904", f"mechanism.{key} was edited: it is not read", Where(str(path), item=key))


class _Meshes:
    """Mesh files, each read once."""

    def __init__(self, document: Path, findings: Findings) -> None:
        self._document, self._findings = document, findings
        self._read: dict[str, Mesh] = {}

    def load(self, value: Any) -> Mesh:
        """The mesh that a reference names; an empty one, with a finding, where it cannot be had."""
        file = value.get("file") if isinstance(value, dict) else None
        where = Where(str(self._document), item=str(file))
        if not isinstance(file, str):
            self._findings.add("CB1901", 'a mesh is {"file": …}', where)
            return _empty()
        if file not in self._read:
            folder = self._document.resolve().parent
            real = inside(folder / file, (folder,), self._findings, where)
            mesh = None if real is None else parse_ply(real.read_bytes())
            if real is not None and mesh is None:
                self._findings.add("CB1902", f"{file} is not a mesh as cadbridge writes it", where)
            self._read[file] = mesh or _empty()
        return self._read[file]


def _empty() -> Mesh:
    return Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32))


def parse_ply(data: bytes) -> Mesh | None:
    """A mesh from binary PLY with vertices in double precision; None where it is anything else."""
    header = _HEADER.match(data)
    if header is None:
        return None
    vertices, triangles = int(header[1]), int(header[2])
    # The header's counts are the file's own claim: arrays are made only of bytes that are there.
    if len(data) != header.end() + 24 * vertices + _FACE.itemsize * triangles:
        return None
    points = np.frombuffer(data, "<f8", 3 * vertices, header.end()).reshape(-1, 3)
    faces = np.frombuffer(data, _FACE, triangles, header.end() + 24 * vertices)
    index = faces["index"]
    if np.any(faces["count"] != 3) or (triangles and (index.min() < 0 or index.max() >= vertices)):
        return None
    return Mesh(points.astype(float), index.astype(np.int32)) if np.all(np.isfinite(points)) else None


def _check(assembly: Assembly, path: Path, findings: Findings) -> None:
    """Every name is one thing's and refers to something, and every placement is a proper rigid motion."""
    for what, items in (("part", assembly.parts), ("instance", assembly.instances), ("component", assembly.components)):
        for name, count in Counter(item.name for item in items).items():
            if count > 1:
                findings.add("CB1903", f"{count} {what}s are called {name!r}", Where(str(path), item=name))
    parts = {p.name for p in assembly.parts}
    instances = {i.name for i in assembly.instances} | {GROUND}
    components = {c.name for c in assembly.components} | {GROUND}
    references = [(i.name, "part", i.part, parts) for i in assembly.instances]
    references += [(i.name, "component", i.component, components) for i in assembly.instances]
    references += [(c.name, "instance", n, instances) for c in assembly.components for n in c.instances]
    references += [(f.name, "component", f.component, components) for f in assembly.frames]
    sides = [(m.name, f) for m in assembly.mates for f in (m.a, m.b)]
    sides += [(c.name, f) for c in assembly.couplings for f in (c.a, c.b) if f is not None]
    references += [(name, "component", feature.component, components) for name, feature in sides]
    for owner, what, name, known in references:
        if name not in known:
            findings.add(
                "CB1903", f"{owner} names the {what} {name!r}, which does not exist", Where(str(path), item=owner)
            )
    poses = [(i.name, i.X_WI) for i in assembly.instances] + [(c.name, c.X_WC) for c in assembly.components]
    for owner, X in poses:
        if not _proper(X):
            findings.add(
                "CB1903", f"the placement of {owner} is not a rotation and shift", Where(str(path), item=owner)
            )


def _proper(X: Pose) -> bool:
    return bool(np.abs(X.R @ X.R.T - _UNITY).max() < EXACT_ROTATION and np.linalg.det(X.R) > 0)
